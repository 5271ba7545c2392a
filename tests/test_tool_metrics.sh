#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Metrics of a CPU whose tables are known, beside perf's (L6, L7, L8).

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
if ! has_pmu; then
	echo "1..0 # SKIP no hardware counters"
	exit 0
fi
# What a Neoverse N1 counts, the emulated CPU counts, too.
export PERF_CPUID=0x00000000410fd0c0

# counts ARGUMENT...: runs them on a fixed piece of work.
counts() {
	"$@" /tests/work 20000000 0 2>errors
}

# column FILE N EVENT: of its line of CSV.
column() {
	awk -F, -v n="$2" -v event="$3" '$3 == event { print $n }' "$1"
}

counts perfgrp stat -x, -o ours --all-user -M ipc
inst=$(column ours 1 INST_RETIRED)
cycles=$(column ours 1 CPU_CYCLES)
ipc=$(column ours 6 INST_RETIRED)
is "L7: $ipc is $inst instructions in $cycles cycles" "$ipc" = \
	"$(echo "$inst $cycles" | awk '{ printf "%.1f", $1 / $2 }')"
is "all of them" "${inst:-0}" -gt 20000000
is "counted all of the time" "$(column ours 5 INST_RETIRED)$(column ours 5 CPU_CYCLES)" = 100.00100.00
counts perfgrp stat --raw -j -o raw --all-user -M ipc
is "as one scheduling group" "$(grep -c '"group": 1 }' raw)" = 2

counts perf stat -x, -o theirs --all-user -M ipc
if grep -q ipc theirs; then
	is "as perf's $(sed -n 's/.*,\([0-9.]*\),per cycle  ipc.*/\1/p' theirs)" "$ipc" = \
		"$(sed -n 's/.*,\([0-9.]*\),per cycle  ipc.*/\1/p' theirs)"
else
	result ok "as perf's # SKIP this perf has no such metric"
fi

# values FILE: of its lines of CSV, value and unit of each metric.
values() {
	grep -v '^#' "$1" | cut -d, -f6- | grep '[^,]' | sort
}

# Of what the emulated CPU does not count metrics are 0, or, as quotients, nothing. The two groups
# that are left out want more counters at once than there are: each has what others of them have.
if grep -q ipc theirs; then
	for group in $(perfgrp list --raw-dump metricgroup); do
		case $group in
		MPKI | Miss_Ratio) continue ;;
		esac
		counts perfgrp stat -x, -o ours --all-user -M "$group"
		counts perf stat -x, -o theirs --all-user -M "$group"
		values ours >>our_values
		[ "$(values ours)" = "$(values theirs)" ] || diff ours theirs
	done >differences
	is "L7 L8: so are all, by their groups" \
		"$(show differences)$(sed 's/.* //' our_values | sort -u | wc -l)" = \
		"$(perfgrp list --raw-dump metric | wc -w)"
else
	result ok "L7 L8: so are all, by their groups # SKIP this perf has no such metric"
fi
if counts perf stat --topdown || counts perfgrp stat --topdown; then
	result "not ok" "L7: --topdown is refused by both where the CPU has no such group"
else
	result ok "L7: --topdown is refused by both where the CPU has no such group"
fi

counts perfgrp stat -x, -o names --all-user -e '{INST_RETIRED,inst_retired}'
is "L6: an event counts by its maker's name what it does by the kernel's" \
	"$(column names 1 INST_RETIRED)" = "$(column names 1 inst_retired)" -a \
	"$(column names 1 inst_retired)" -gt 20000000
perfgrp stat -a --metric-only -I 100 --interval-count 3 -x, -M frontend_stalled_cycles 2>intervals
is "L7: intervals of all CPUs" "$(grep -cE '^ +[0-9.]+,[0-9.]+,$' intervals)" = 3
echo "1..$nr"
exit $failed
