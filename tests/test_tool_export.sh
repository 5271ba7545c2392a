#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp export, of all CPUs of a real kernel (X1, X5, X10). Guests have no libmicrohttpd, so the
# HTTP server is tested on the host.

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
cpus=$(grep -c '^cpu[0-9]' /proc/stat)

# While perfgrp export runs, a command makes 40,000 faults, and the perfgrp stat around both counts
# all of them. Wait for two more blocks after the command: one of them was read after it had ended.
cat >around <<-'END'
	perfgrp export -e page-faults,context-switches --format json -I 20 >values 2>said &
	exporter=$!
	until [ -s values ]; do sleep 0.02; done
	/tests/work 200000 2000 20
	wanted=$(($(wc -l <values) + 4 * $1))
	until [ "$(wc -l <values)" -ge "$wanted" ]; do sleep 0.02; done
	kill $exporter
	wait $exporter
	echo $? >status
END
perfgrp stat -a -x, -o whole -e page-faults sh around "$cpus" >output 2>errors
whole=$(awk -F, '$3 == "page-faults" { print $1 }' whole)

# value(key): an awk function that returns the value of a key in a line of JSON.
# shellcheck disable=SC2016 # for awk
value='function value(key) {
	if (!match($0, "\"" key "\": \"?[^,\" ]*"))
		return ""
	key = substr($0, RSTART, RLENGTH)
	sub(/.*: "?/, "", key)
	return key
}'
last=$(awk "$value"'
	value("event") == "page-faults" { raw[value("cpu")] = value("raw") }
	END { for (cpu in raw) sum += raw[cpu]; print sum + 0 }' values)
back=$(awk "$value"'
	{
		name = value("event") value("cpu")
		back += value("raw") + 0 < raw[name] + 0
		raw[name] = value("raw")
	}
	END { print back + 0 }' values)
is "X1: what was counted since the start is there: $last of ${whole:-0} faults" "$last" -ge 40000 -a \
	"$last" -le "${whole:-0}"
is "X1: counts do not go back" "$back" = 0
is "X1: there is a count for each event on each CPU" "$(awk "$value"'
	value("state") == "counted" { seen[value("event") value("cpu")] }
	END { for (i in seen) nr++; print nr + 0 }' values)" = $((2 * cpus))
is "X8: SIGTERM is no failure" "$(cat status)" = 0

perfgrp export -e page-faults -o values.prom -I 20 --interval-count 3 >output 2>errors
is "X5: a file has them, too" "$(grep -c '^perfgrp_events_raw_total{.*} [0-9]' values.prom)" = "$cpus"

# interrupts NR: how often, in NR intervals in which nothing happens.
interrupts() {
	before=$(function_calls)
	taskset -c 0 perfgrp export -I 10 --interval-count "$1" -e page-faults >idle 2>errors
	echo $(($(function_calls) - before))
}

if perfgrp info | grep -Eq '^ *mapped +no'; then
	result ok "X10: idle CPUs sleep # SKIP rows cannot be mapped"
elif [ "$cpus" = 1 ]; then
	result ok "X10: idle CPUs sleep # SKIP there is one CPU"
else
	is "X10: rows have ages" "$(grep -c '^perfgrp_row_age_seconds{' values.prom)" = "$cpus"
	few=$(interrupts 20)
	more=$(($(interrupts 120) - few))
	is "X10: idle CPUs sleep: $more interrupts in 100 intervals" "$more" -lt $((50 * (cpus - 1)))
fi
echo "1..$nr"
exit "$failed"
