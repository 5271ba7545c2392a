#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The module if it cannot make scheduling groups, or is told not to by a parameter: groups
# are of independent counters, and marked so (S12). Likewise records of BPF programs (B9),
# which are refused then. At the end the module is loaded as it was before.
# timeout: 300
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

# reload PARAMETER...: loads the module with these parameters, even if it was not loaded.
reload() {
	rmmod perfgrp
	insmod /lib/modules/perfgrp.ko "$@"
}

# parameters_are VALUE
parameters_are() {
	for name in sched_groups bpf_events; do
		[ "$(cat /sys/module/perfgrp/parameters/"$name")" = "$1" ] || return 1
		[ "$(stat -c %a /sys/module/perfgrp/parameters/"$name")" = 444 ] || return 1
	done
}

no_probe() {
	! grep -E 'perf_event_(alloc|bpf_event)' /sys/kernel/debug/kprobes/list
}

disarmed_probes() {
	grep -q 'perf_event_alloc.*DISABLED' /sys/kernel/debug/kprobes/list &&
		grep -q 'perf_event_bpf_event.*DISABLED' /sys/kernel/debug/kprobes/list
}

# The self-test uses a probe, which stays armed for a second.
soon_disarmed_probes() {
	for _ in 1 2 3 4 5; do
		! disarmed_probes || return 0
		sleep 1
	done
	return 1
}

# info_says YES-OR-NO
info_says() {
	perfgrp info
	perfgrp info | grep -Eq "^ *sched-group +$1" &&
		perfgrp info | grep -Eq "^ *bpf-events +$1"
}

# briefly PROGRAM: with a fifth of its rounds, as the kernel is the same.
briefly() {
	TEST_ROUNDS_DIVISOR=5 "$1"
}

# refused PROGRAM TEST: TEST of PROGRAM, that something is refused, passes and is not skipped.
refused() {
	"$1" "$2"
	"$1" "$2" | grep -v SKIP | grep -q '^ok 1'
}

# stat_says NUMBERS: NUMBERS are the scheduling groups of two members, the last column of CSV.
stat_says() {
	perfgrp stat --raw -x, -e '{cycles,cycles}' true
	[ "$(perfgrp stat --raw -x, -e '{cycles,cycles}' true 2>&1 | sed 's/.*,//' | xargs)" = "$1" ]
}

# hardware TEXT COMMAND...: a check that is skipped on a machine without a PMU
hardware() {
	if has_pmu; then
		check "$@"
	else
		result ok "$1 # SKIP no hardware counters"
	fi
}

echo 1..15
check "it can be loaded without probes" reload sched_groups=0 bpf_events=0
check "the parameters say so, and cannot be changed" parameters_are N
check "no probe is registered" no_probe
check "perfgrp info says so" info_says no
hardware "S12: perfgrp stat shows members apart" stat_says "1 2"
check "S12 G15: what holds of independent counters" /tests/independent
check "G1 to G22: what holds of groups holds of these, too" briefly /tests/test_groups
check "S1 to S13: what holds of snapshots holds of these, too" briefly /tests/test_snapshot
check "A4: flags that need a probe are refused" refused /tests/test_badinput "feature is missing"
check "B9: so are records of BPF programs, with the reason" \
	refused /tests/test_bpf_events "there is no probe"
check "it can be loaded with them again" reload
check "the parameters say so" parameters_are Y
check "probes are registered, and soon not armed" soon_disarmed_probes
check "perfgrp info says so" info_says yes
hardware "S12: perfgrp stat shows members together" stat_says "1 1"
exit $failed
