#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The module where it cannot make scheduling groups, or is told not to: groups of
# independent counters that say so (S12). Leaves it loaded as it was found.
# timeout: 300
# shellcheck disable=SC2317 # functions that promise calls

nr=0
failed=0

# promise TEXT COMMAND...: what COMMAND prints shows where it fails.
promise() {
	text=$1
	shift
	nr=$((nr + 1))
	if "$@" >/tmp/fallback.log 2>&1; then
		echo "ok $nr - $text"
	else
		echo "not ok $nr - $text"
		grep -v '^ok' /tmp/fallback.log | head -n 40 | sed 's/^#* */# /'
		failed=1
	fi
}

# reload PARAMETER...: whatever went wrong before, the module is loaded afterwards.
reload() {
	rmmod perfgrp
	insmod /lib/modules/perfgrp.ko "$@"
}

parameter_is() {
	[ "$(cat /sys/module/perfgrp/parameters/sched_groups)" = "$1" ] &&
		[ "$(stat -c %a /sys/module/perfgrp/parameters/sched_groups)" = 444 ]
}

no_probe() {
	! grep perf_event_alloc /sys/kernel/debug/kprobes/list
}

disarmed_probe() {
	grep -q 'perf_event_alloc.*DISABLED' /sys/kernel/debug/kprobes/list
}

# info_says YES-OR-NO
info_says() {
	perfgrp info
	perfgrp info | grep -Eq "^ *sched-group +$1"
}

# stat_says HOW: members beside the leader ran so, in the tool's words.
stat_says() {
	perfgrp stat --raw -e '{cycles,cycles}' true
	perfgrp stat --raw -e '{cycles,cycles}' true 2>&1 | grep -q " $1  *cycles"
}

# hardware TEXT COMMAND...: a promise of a machine with a PMU
hardware() {
	if perf stat -x, -e cycles true 2>&1 | grep -q '^<not'; then
		nr=$((nr + 1))
		echo "ok $nr - $1 # SKIP no hardware counters"
	else
		promise "$@"
	fi
}

echo 1..13
promise "it can be loaded without scheduling groups" reload sched_groups=0
promise "the parameter says so, and cannot be changed" parameter_is N
promise "no probe is registered" no_probe
promise "perfgrp info says so" info_says no
hardware "S12: perfgrp stat shows members apart" stat_says apart
promise "S12 G15: what independent counters promise" /tests/independent
promise "G1 to G22: what groups promise holds of these, too" /tests/test_groups
promise "S1 to S13: what snapshots promise holds of these, too" /tests/test_snapshot
promise "it can be loaded with them again" reload
promise "the parameter says so" parameter_is Y
promise "a probe is registered, and not armed" disarmed_probe
promise "perfgrp info says so" info_says yes
hardware "S12: perfgrp stat shows members together" stat_says together
exit $failed
