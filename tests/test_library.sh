#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The example of libperfgrp(3): events by their names, on all CPUs of a real kernel.
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

example() {
	/tests/library_example "$@" >"$scratch/output" 2>&1
	set -- $?
	cat "$scratch/output"
	return "$1"
}

# count EVENTS NAME...: there is a line for each event on each CPU, and each event has counted
# something.
count() {
	cpus=$(grep -c '^cpu[0-9]' /proc/stat)
	example "$1" || return
	shift
	for name; do
		[ "$(grep -cF " $name, counted" "$scratch/output")" = "$cpus" ] || return
		grep -E '^CPU [0-9]+: [1-9]' "$scratch/output" | grep -qF " $name, counted" || return
	done
}

refuses() {
	! example "$1" && grep -qF "'$2': $3" "$scratch/output"
}

# msr is a PMU in sysfs that cannot exclude guests.
pmu_of_sysfs() {
	[ ! -e /sys/bus/event_source/devices/msr/events/tsc ] || count msr/tsc/ msr/tsc/
}

no_pmu() {
	! example cycles && grep -q 'cpu-cycles: no PMU' "$scratch/output"
}

without_module() {
	export PERFGRP_BACKEND=perf
	"$@"
	set -- $?
	unset PERFGRP_BACKEND
	return "$1"
}

# The tool reports the backend on standard error.
stat_without_module() {
	perfgrp stat -x, -e page-faults,context-switches true >"$scratch/output" 2>&1
	cat "$scratch/output"
	[ "$(grep -c '^perfgrp: PERFGRP_BACKEND=perf: ' "$scratch/output")" = 1 ] &&
		grep -q '^[1-9][0-9]*,,page-faults,' "$scratch/output"
}

record_without_module() {
	! perfgrp record -o "$scratch/data" true >"$scratch/output" 2>&1
	cat "$scratch/output"
	grep -q "'sampling' needs the module" "$scratch/output" && [ ! -e "$scratch/data" ]
}

nonsense() {
	! PERFGRP_BACKEND=nonsense perfgrp stat true >"$scratch/output" 2>&1
	cat "$scratch/output"
	grep -q 'PERFGRP_BACKEND must be' "$scratch/output"
}

echo 1..8
check "L1 L2: events that are named become a group, on each CPU" \
	count '{cpu-clock,context-switches:k}' cpu-clock context-switches:k
check "L1 L2: one that a PMU has named in sysfs, and that cannot leave guests out" pmu_of_sysfs
check "L1: a text that is not understood gets its column" refuses 'cs,{cs,nope}' 'nope}' 'no such event'
if has_pmu; then
	check "L1 L2: the PMU's own" count '{cycles,instructions:u}' cycles instructions:u
else
	check "L2 E7: without a PMU the module says so" no_pmu
fi
check "L4: the same without the module" \
	without_module count '{cpu-clock,context-switches:k}' cpu-clock context-switches:k
check "L4: perfgrp stat without the module says so" without_module stat_without_module
check "L4: perfgrp record without the module says what is missing" \
	without_module record_without_module
check "L4: another PERFGRP_BACKEND is refused" nonsense
exit $failed
