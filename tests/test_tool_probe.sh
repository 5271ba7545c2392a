#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp groups and perfgrp probe on a real kernel: groups that are held are shown (G27), and what
# probe says fits does fit (G28).
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

# hold EVENTS: another process counts EVENTS, until let_go.
hold() {
	perfgrp stat -a -e "$1" sleep 1000 >/dev/null 2>&1 &
	holder=$!
	until perfgrp groups --pid "$holder" 2>/dev/null | grep -q ' enabled '; do
		kill -0 "$holder" || return
	done
}

let_go() {
	kill "$holder"
	wait "$holder"
	! perfgrp groups | grep "^$holder:"
}

shows() {
	perfgrp groups --pid "$holder" >shown
	cat shown
	[ "$(wc -l <shown)" = 2 ] &&
		grep -Eq "^$holder:[0-9]+ +root +perfgrp +all cpus +enabled +100.00% +- +2 +page-faults,cpu-clock$" \
			shown
}

json() {
	perfgrp groups --json >shown
	cat shown
	grep -q "\"pid\": $holder, \"fd\": [0-9]*, \"command\": \"perfgrp\", \"uid\": 0, \"user\": \"root\"" \
		shown && grep -q '"event": "page-faults", "state": "counted", "flags": \[ *\], "pmu": 1,' shown
}

# probe STATUS ARGUMENT...
probe() {
	want=$1
	shift
	perfgrp probe "$@" >output 2>errors
	set -- $?
	cat output errors
	[ "$1" = "$want" ]
}

# events N: prints a group of N events.
events() {
	printf '{instructions'
	i=1
	while [ "$i" -lt "$1" ]; do
		printf ',instructions'
		i=$((i + 1))
	done
	echo '}'
}

software() {
	probe 0 -e '{page-faults,cpu-clock}' && grep -q '^{page-faults,cpu-clock} fits on all CPUs (' output
}

# measure: sets size to how many times an event fits at once.
measure() {
	probe 1 -e "$(events 32)" || return
	size=$(sed -n "s/^  room .* takes 'instructions' \([0-9]*\) times at once, and \([0-9]*\) .*/\1 \2/p" \
		output)
	now=${size#* }
	size=${size% *}
	[ "$size" -gt 1 ] && [ "$now" = "$size" ] && grep -q "^  fits .*the first $size of 32: " output
}

as_measured() {
	probe 0 -e "$(events "$size")" && probe 1 -e "$(events $((size + 1)))" &&
		grep -q "^  fits .*the first $size of $((size + 1)): " output &&
		grep -q '^  alone  *each event fits by itself' output
}

# occupied: another process holds two counters of each CPU.
occupied() {
	hold '{instructions,instructions}:D' || return
	probe 1 -e "$(events "$size")"
	set -- $?
	let_go
	[ "$1" = 0 ] && grep -q "^  fits .*the first $((size - 2)) of $size: " output &&
		grep -q "^  room .*instructions' $size times at once, and $((size - 2)) times now" output &&
		grep -q "^note  group *$holder:[0-9]* (perfgrp) counts instructions,instructions on all cpus" output
}

apart() {
	probe 1 -e "$(events $((size - 1)))" -e "$(events 2)" &&
		[ "$(grep -c ' fits on all CPUs' output)" = 1 ] && grep -q '^  fits .*the first 1 of 2: ' output
}

task() {
	sh -c 'while :; do :; done' &
	burner=$!
	probe 0 -t "$burner" -e "$(events "$size")" && probe 1 -t "$burner" -e "$(events $((size + 1)))"
	set -- $?
	kill "$burner"
	return "$1"
}

no_pmu() {
	probe 1 -e '{page-faults,cycles}' &&
		grep -q "^  why  *'cycles': .*no PMU of this machine counts it" output &&
		grep -q '^note  counters ' output
}

without_module() {
	export PERFGRP_BACKEND=perf
	"$@"
	set -- $?
	unset PERFGRP_BACKEND
	return "$1"
}

# hardware TEXT COMMAND...: a check that is skipped on a machine without a PMU
hardware() {
	if [ -n "$pmu" ]; then
		check "$@"
	else
		result ok "$1 # SKIP no hardware counters"
	fi
}

cd "$scratch" || exit 1
pmu=
! has_pmu || pmu=1
hold '{page-faults,cpu-clock}'
check "G27: a group that somebody holds is shown" shows
check "G27: so in JSON" json
check "G27: and not when it is closed" let_go
check "G28: software events fit" software
check "G28 L4: so without the module" without_module software
hardware "G28: how often an event fits" measure
hardware "G28: so often it fits, and not once more" as_measured
hardware "G28: what others have is taken into account, and shown" occupied
hardware "G28: groups are tried together" apart
hardware "G28: on a task that runs" task
hardware "G28 L4: how often it fits without the module" without_module measure
hardware "G28 L4: as often as that" without_module as_measured
[ -n "$pmu" ] || check "G28: a machine without a PMU says so" no_pmu
echo "1..$nr"
exit $failed
