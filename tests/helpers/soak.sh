#!/bin/sh
# A9: all operations at once, on all CPUs, while CPUs go and come back. Runs in a
# guest; scripts/soak says how.
# usage: soak.sh SECONDS AT-ONCE TEST...
#
# The tests run in random order, some at once, and now and then one is killed where it
# stands. What they say does not count, since they disturb each other: what counts is what
# the kernel says, that nobody is stuck, and that the module can be unloaded in the end.

now() {
	cut -d . -f 1 /proc/uptime
}

end=$(($(now) + $1))
at_once=$2
shift 2
rounds=/tmp/soak
mkdir "$rounds"

goes_on() {
	[ "$(now)" -lt "$end" ]
}

# kill_session ID: a test and whatever it has begun.
kill_session() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v id="$1" '{ pid = $1; sub(/.*\) /, "") } $4 == id { print pid }' |
		xargs -r kill -KILL 2>/dev/null
}

# again TEST...
again() {
	while goes_on; do
		for test in $(shuf -e "$@"); do
			left=$((end - $(now)))
			[ "$left" -gt 0 ] || return
			life=$(shuf -n 1 -e 10 60 300 600)
			setsid timeout -s KILL $((life < left ? life : left)) "/tests/$test" \
				>/dev/null 2>&1 &
			wait $!
			kill_session $!
			echo >>"$rounds/$test"
		done
	done
}

cpus_come_and_go() {
	while goes_on; do
		for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
			echo 0 >"$online"
			sleep 1
			echo 1 >"$online"
			sleep 2
		done 2>/dev/null
	done
}

tell() {
	echo "$(now) s:" \
		"$(cd "$rounds" && wc -l -- * | awk '{ printf "%s %s, ", $1, $2 }')"
}

insmod /lib/modules/perfgrp.ko || exit 1
while [ "$at_once" -gt 0 ]; do
	again "$@" 2>/dev/null &
	at_once=$((at_once - 1))
done
cpus_come_and_go &
while goes_on; do
	sleep 60
	tell
done
wait

failed=0
for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
	echo 1 >"$online" 2>/dev/null
done
for test; do
	[ -s "$rounds/$test" ] || echo "never run: $test"
done
perfgrp stat -a -e '{cpu-clock,page-faults}' sleep 1 2>&1 || failed=1
# What was killed may have left programs pinned, and be on its way out for a while.
rm -rf /sys/fs/bpf/*
left=60
until rmmod perfgrp 2>/dev/null; do
	left=$((left - 1))
	if [ "$left" = 0 ]; then
		echo "the module is in use: $(cat /sys/module/perfgrp/refcnt) times, by"
		for fd in /proc/[0-9]*/fd/*; do
			case $(readlink "$fd") in
			*perfgrp*) echo "$fd of $(cat "${fd%/fd/*}/comm")" ;;
			esac
		done
		failed=1
		break
	fi
	sleep 1
done
exit $failed
