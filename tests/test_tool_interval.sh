#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Intervals of perfgrp stat, of all CPUs (S13, M8).
# timeout: 200

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
if perfgrp info | grep -Eq '^ *mapped +no'; then
	echo "1..0 # SKIP rows cannot be mapped"
	exit 0
fi

# sum FILE: prints the sum of all intervals.
sum() {
	awk -F, '$4 == "page-faults" && $2 ~ /^[0-9]+$/ { sum += $2 } END { print sum + 0 }' "$1"
}

# conserves TEXT OPTION...: a command makes 40,000 faults; one perfgrp stat counts them in
# intervals, another one, around it, in total.
conserves() {
	text=$1
	shift
	perfgrp stat -a -x, -o whole -e page-faults \
		perfgrp stat -a -x, -o parts -I 30 -e page-faults "$@" \
		/tests/work 200000 2000 20 >output 2>errors
	parts=$(sum parts)
	whole=$(awk -F, '$3 == "page-faults" { print $1 }' whole)
	intervals=$(grep -c page-faults parts)
	is "$text: $parts of ${whole:-0} in $intervals intervals" "$parts" -ge 40000 -a \
		"$parts" -le "${whole:-0}" -a "$intervals" -ge 3
}

# calls OPTION...: interrupts of others in 100 intervals in which nothing happens.
calls() {
	interrupts 20 120 page-faults perfgrp stat -a -I 10 -e page-faults "$@"
}

conserves "S13: no fault is lost between intervals"
conserves "M8: nor without a reset (--no-wake)" --no-wake

others=$(($(grep -c ^processor /proc/cpuinfo) - 1))
if [ $others -eq 0 ]; then
	result ok "M8: --no-wake lets idle CPUs sleep # SKIP there is one CPU"
else
	on_cpus 0
	woken=$(calls)
	asleep=$(calls --no-wake)
	on_cpus 0-$others
	is "S13: each interval interrupts the others: $woken" "$woken" -ge $((80 * others))
	is "M8: --no-wake lets idle CPUs sleep: $asleep interrupts, not $woken" \
		"$asleep" -lt $((50 * others))
fi

echo "1..$nr"
exit $failed
