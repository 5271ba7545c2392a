#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in a guest: loads broken modules one after the other, and says for each whether its test
# notices. See scripts/mutants.
# usage: mutants.sh LIST, with lines NUMBER TEST [PATTERN]; the modules are /add/mutant-NUMBER.ko

complaints='BUG:|WARNING:|Oops|suspicious RCU|circular locking|lock state|unlock balance|KASAN'
out=/tmp/mutant.out

# verdict TEXT
verdict() {
	echo "#= verdict $number $*"
}

# baseline: prints the name of the file with the number of skips with the module as it is.
baseline() {
	echo "/tmp/skips-$test-$(echo "$pattern" | tr -c 'A-Za-z0-9\n' _)"
}

# same_skips: whether no more is skipped than with the module as it is, whose number ends with .0.
same_skips() {
	skips=$(grep -c '# SKIP' "$out")
	before=$(baseline)
	case $number in
	*.0) echo "$skips" >"$before" ;;
	*) [ ! -f "$before" ] || [ "$skips" -le "$(cat "$before")" ] ;;
	esac
}

# run_test: the test's output goes to $out; the status says whether it noticed, and the text why.
run_test() {
	(cd /tmp && exec timeout -k 5 "$limit" "/tests/$test" ${pattern:+"$pattern"}) \
		>"$out" 2>&1 </dev/null 4<&-
	status=$?
	if grep -q '^ *not ok' "$out"; then
		grep -m 1 '^ *not ok' "$out"
	elif [ $status -ne 0 ]; then
		echo "status $status"
	elif ! same_skips; then
		echo "more tests are skipped"
	elif ! grep '^ *ok ' "$out" | grep -qv '# SKIP'; then
		echo "no test was run"
		return 2
	else
		return 1
	fi
}

# unload: BPF programs that the test has used are freed, and let go of the module, a little later.
unload() {
	for _ in 1 2 3 4 5; do
		! rmmod perfgrp 2>/dev/null || return 0
		sleep 1
	done
	rmmod perfgrp
}

# From guests before this one.
while read -r before skips; do
	echo "$skips" >"$before"
done </add/skips
limit=120
[ ! -e /sys/kernel/debug/kmemleak ] || limit=600
while read -r number test pattern <&4; do
	echo "#= mutant $number"
	# Not empty: there are tests that look into it.
	dmesg -c >/dev/null
	echo "mutant $number" >/dev/kmsg
	# Some tests load it themselves.
	cp "/add/mutant-$number.ko" /lib/modules/perfgrp.ko
	if ! insmod /lib/modules/perfgrp.ko; then
		verdict "caught: it cannot be loaded"
		continue
	fi
	text=$(run_test)
	status=$?
	before=$(baseline)
	[ ! -f "$before" ] || echo "#= skips $before $(cat "$before")"
	case $status in
	0) verdict "caught: $text" ;;
	2) verdict "unusable: $text" ;;
	*)
		complaint=$(dmesg | grep -Em 1 "$complaints")
		if [ -n "$complaint" ]; then
			verdict "caught: the kernel complained: $complaint"
		elif ! unload; then
			verdict "caught: it cannot be unloaded"
		else
			verdict survived
			continue
		fi
		;;
	esac
	# What comes next needs a kernel that is whole.
	[ ! -d /sys/module/perfgrp ] || unload || exit
	! dmesg | grep -Eq "$complaints" || exit
done 4<"$1"
