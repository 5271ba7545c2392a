#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp top on a real kernel: mapped rows (T2), CPUs that go offline and threads that exit
# (T3), cgroups (T1).
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
if perfgrp info | grep -Eq '^ *mapped +no'; then
	echo "1..0 # SKIP rows cannot be mapped"
	exit 0
fi
others=$(($(grep -c ^processor /proc/cpuinfo) - 1))

# within COMMAND...: COMMAND succeeds within 20 seconds.
within() {
	tries=200
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

shown() {
	grep -Eq "$1" output
}

# interrupts FRAMES OPTION...: how often, while so many frames of what happens on all CPUs are shown.
interrupts() {
	frames=$1
	shift
	before=$(function_calls)
	taskset -c 0 perfgrp top -b -d 0.1 -n "$frames" -e page-faults "$@" >output 2>errors
	echo $(($(function_calls) - before))
}

# more OPTION...: how often in 20 frames, without beginning and end, when kernel text is patched.
more() {
	few=$(interrupts 5 "$@")
	echo $(($(interrupts 25 "$@") - few))
}

# ended: the top in the background is told to end.
ended() {
	kill "$top"
	wait "$top" 2>/dev/null
}

if [ $others -eq 0 ]; then
	result ok "T3: there is one CPU # SKIP there is one CPU"
else
	# x86 wakes tasks on other CPUs by such interrupts, too, and needs none for a CPU that waits in MWAIT.
	if [ "$(uname -m)" = aarch64 ]; then
		woken=$(more --wake)
		# Others' interrupts only add to it: the least of three.
		mapped=$woken
		for _ in 1 2 3; do
			now=$(more)
			[ "$now" -ge "$mapped" ] || mapped=$now
			[ "$mapped" -ge $((5 * others)) ] || break
		done
		is "T2: with --wake each frame interrupts the others: $woken" "$woken" -ge $((16 * others))
		is "T2: mapped rows interrupt nobody: $mapped interrupts in 20 frames, not $woken" \
			"$mapped" -lt $((5 * others))
	else
		result ok "T2: mapped rows interrupt nobody # SKIP function call interrupts tell nothing on x86"
	fi
	perfgrp top -b -d 0.1 -e page-faults >output 2>errors &
	top=$!
	within shown '^CPU1 '
	echo 0 >/sys/devices/system/cpu/cpu1/online
	check "T2: mapped rows are what is read" within shown ' 0 interrupts/s .*rows mapped'
	check "T3: a CPU that goes offline says so" within shown '^CPU1 +offline'
	echo 1 >/sys/devices/system/cpu/cpu1/online
	check "T3: and comes back: two changes" within shown " $((others + 1)) CPUs, 2 changes "
	# The CPU has a row of its own again, and counts.
	taskset -c 1 /tests/work 200000 2000 20
	ended
	check "T3: and counts" sh -c "sed '1,/2 changes/d' output | grep -Eq '^CPU1 +[^ ]+ +[0-9]'"
fi

taskset -c 0 sleep 1000 &
sleeper=$!
within grep -q sleep "/proc/$sleeper/comm"
perfgrp top -b -d 0.1 -p "$sleeper" -e page-faults,context-switches >output 2>errors &
top=$!
check "T2: a thread that sleeps is in a row" within shown "^sleep-$sleeper "
kill "$sleeper"
wait "$sleeper" 2>/dev/null
wait "$top"
is "T3: when it has exited that is the end" "$?$(grep -c 'all of the tasks have exited' errors)" = 01
is "T3: which was said" "$(grep -c "^sleep-$sleeper .*exited" output)" = 1

perfgrp top -b -d 0.1 --cgroups -e page-faults >output 2>errors &
top=$!
/tests/work 200000 2000 20
check "T1: the root's tasks have faults" within shown '^/ +0\.0s +[1-9]'
ended

echo "1..$nr"
exit $failed
