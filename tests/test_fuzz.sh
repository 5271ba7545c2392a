#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A4, A5, A9: a minute of random calls, good and bad, by threads of several processes, also
# 32-bit ones, while tasks start and exit, CPUs go offline and online, and allocations fail; see
# tests/fuzz/fuzz.h. Each result is checked against what the header promises.
# usage: test_fuzz [SEED [SECONDS [OPTION...]]]
# timeout: 900
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

seed=${1:-1}
# With --icount one second of guest time takes several seconds.
seconds=${2:-${PERFGRP_ICOUNT:+15}}
seconds=${seconds:-60}
shift $(($# > 2 ? 2 : $#))

# objects CACHE: how many objects of a slab cache are in use.
objects() {
	awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print 0 }' \
		/proc/slabinfo
}

unreclaimable() {
	awk '$1 == "SUnreclaim:" || $1 == "Percpu:" { sum += $2 } END { print sum }' /proc/meminfo
}

# Wait for what RCU and workers still have to free.
settle() {
	sleep 2
	sync
}

is_loaded() {
	[ -d /sys/module/perfgrp ] || insmod /lib/modules/perfgrp.ko
}

# grew NAME BEFORE AFTER MOST
grew_little() {
	echo "$1: from $2 to $3"
	[ $(($3 - $2)) -le "$4" ]
}

# Killed processes take a while to exit.
unload() {
	left=30
	until rmmod perfgrp; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 1
	done
}

# KASAN quarantines freed objects, which therefore count as in use; on such kernels kmemleak is run
# when the guest ends.
has_kasan() {
	grep -q ' kasan_quarantine_put$' /proc/kallsyms
}

if has_kasan; then echo 1..4; else echo 1..6; fi
check "the module is there" is_loaded
settle
tasks=$(objects task_struct)
files=$(objects filp)
memory=$(unreclaimable)
# Show all output immediately, also if nothing failed. Disable glibc's rseq: the kernel kills a
# thread if it takes a page fault that fails while it writes to the thread's rseq area.
{
	GLIBC_TUNABLES=glibc.pthread.rseq=0 \
		/tests/fuzz -s "$seed" -t "$seconds" "$@" 2>&1
	echo $? >"$scratch/status"
} | awk '{ print "# " $0; fflush() }'
is "A4 A5: no call did what it must not do (seed $seed)" "$(cat "$scratch/status")" -eq 0
if ! has_kasan; then
	settle
	check "A9: no task and no file is left" eval "
		grew_little tasks $tasks $(objects task_struct) 200 &&
		grew_little files $files $(objects filp) 1000"
	check "A9: kernel memory has not grown" \
		grew_little "KiB" "$memory" "$(unreclaimable)" $((24 << 10))
fi
check "A7: the module can be unloaded" unload
check "A7: and loaded again" is_loaded
exit $failed
