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

shown() {
	grep -Eq "$1" output
}

# ended: the top in the background is told to end.
ended() {
	kill "$top"
	wait "$top" 2>/dev/null
}

# calls OPTION...: interrupts of others in 20 frames.
calls() {
	interrupts 5 25 'perfgrp top' perfgrp top -b -d 0.1 -e page-faults "$@"
}

if [ $others -eq 0 ]; then
	result ok "T3: there is one CPU # SKIP there is one CPU"
else
	# x86 wakes tasks on other CPUs by such interrupts, too, and needs none for a CPU that waits in MWAIT.
	if [ "$(uname -m)" = aarch64 ]; then
		on_cpus 0
		woken=$(calls --wake)
		# Others' interrupts only add to it: the least of three.
		mapped=$woken
		for _ in 1 2 3; do
			now=$(calls)
			[ "$now" -ge "$mapped" ] || mapped=$now
			[ "$mapped" -ge $((8 * others)) ] || break
		done
		on_cpus 0-$others
		is "T2: with --wake each frame interrupts the others: $woken" "$woken" -ge $((16 * others))
		is "T2: mapped rows interrupt nobody: $mapped interrupts in 20 frames, not $woken" \
			"$mapped" -lt $((8 * others))
	else
		result ok "T2: mapped rows interrupt nobody # SKIP function call interrupts tell nothing on x86"
	fi
	perfgrp top -b -d 0.1 -e page-faults >output 2>errors &
	top=$!
	within 20 shown '^CPU1 '
	echo 0 >/sys/devices/system/cpu/cpu1/online
	check "T2: mapped rows are what is read" within 20 shown ' 0 interrupts/s .*rows mapped'
	check "T3: a CPU that goes offline says so" within 20 shown '^CPU1 +offline'
	echo 1 >/sys/devices/system/cpu/cpu1/online
	check "T3: and comes back: two changes" within 20 shown " $((others + 1)) CPUs, 2 changes "
	# The CPU has a row of its own again, and counts.
	taskset -c 1 /tests/work 200000 2000 20
	ended
	check "T3: and counts" sh -c "sed '1,/2 changes/d' output | grep -Eq '^CPU1 +[^ ]+ +[0-9]'"
fi

taskset -c 0 sleep 1000 &
sleeper=$!
within 20 grep -q sleep "/proc/$sleeper/comm"
perfgrp top -b -d 0.1 -p "$sleeper" -e page-faults,context-switches >output 2>errors &
top=$!
check "T2: a thread that sleeps is in a row" within 20 shown "^sleep-$sleeper "
kill "$sleeper"
wait "$sleeper" 2>/dev/null
wait "$top"
is "T3: when it has exited that is the end" "$?$(grep -c 'all of the tasks have exited' errors)" = 01
is "T3: which was said" "$(grep -c "^sleep-$sleeper .*exited" output)" = 1

perfgrp top -b -d 0.1 --cgroups -e page-faults >output 2>errors &
top=$!
/tests/work 200000 2000 20
check "T1: the root's tasks have faults" within 20 shown '^/ +0\.0s +[1-9]'
ended

echo "1..$nr"
exit $failed
