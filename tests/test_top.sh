#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perfgrp top on a kernel: what mapped rows cost others (T2), CPUs and threads that come and go (T3),
# cgroups (T1).
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

cd "$scratch" || exit 1
if perfgrp info | grep -Eq '^ *mapped +no'; then
	echo "1..0 # SKIP rows cannot be mapped"
	exit 0
fi
others=$(($(grep -c ^processor /proc/cpuinfo) - 1))

# calls: how often CPUs but the first have been interrupted to call a function.
calls() {
	awk '/Function call interrupts/ {
		for (i = 3; i <= NF && $i ~ /^[0-9]+$/; i++)
			sum += $i
	} END { print sum + 0 }' /proc/interrupts
}

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

# ended: the top in the background is told to end.
ended() {
	kill "$top"
	wait "$top" 2>/dev/null
}

# frames N: there are so many.
frames() {
	[ "$(grep -c '^perfgrp top' output)" -ge "$1" ]
}

# interrupts OPTION...: sets sent, how often from the 5th frame on, and made, in so many frames. All
# that runs meanwhile is on the first CPU.
interrupts() {
	perfgrp top -b -d 0.1 -e page-faults "$@" >output 2>errors &
	top=$!
	within frames 5
	sent=$(calls)
	made=$(grep -c '^perfgrp top' output)
	within frames 30
	sent=$(($(calls) - sent))
	made=$(($(grep -c '^perfgrp top' output) - made))
	ended
}

if [ $others -eq 0 ]; then
	result ok "T2: there is one CPU # SKIP there is one CPU"
else
	taskset -p -c 0 $$ >/dev/null
	interrupts --wake
	is "T2: with --wake each frame interrupts the others: $sent in $made" \
		"$sent" -ge $((8 * made * others / 10))
	interrupts
	is "T2: mapped rows let them be: $sent in $made" "$sent" -lt $((3 * made * others / 10))
	check "T2: and say so" shown ' 0 interrupts/s .*rows mapped'
	sed -n 's/^cost/# &/p' output | tail -n 1
	taskset -p -c "0-$others" $$ >/dev/null

	perfgrp top -b -d 0.1 -e page-faults >output 2>errors &
	top=$!
	within shown '^CPU1 '
	echo 0 >/sys/devices/system/cpu/cpu1/online
	check "T3: a CPU that goes offline says so" within shown '^CPU1 +offline'
	echo 1 >/sys/devices/system/cpu/cpu1/online
	check "T3: and comes back: two changes" within shown " $((others + 1)) CPUs, 2 changes "
	# In a row of its own again, which counts.
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
