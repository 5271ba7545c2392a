#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The module can be unloaded when nobody uses it, and leaves nothing behind (A1, A7).
# timeout: 240
# shellcheck disable=SC2317 # functions that check calls

# shellcheck source=tests/common/shell.sh
. /tests/shell.sh

# BPF programs of earlier tests that call the kfunc are freed in the background.
nobody_uses_it() {
	for _ in $(seq 1000); do
		[ "$(cat /sys/module/perfgrp/refcnt)" -gt 0 ] || return 0
		sleep 0.01
	done
	return 1
}

node_is_private() {
	[ "$(stat -c %a:%u:%g /dev/perfgrp)" = 600:0:0 ]
}

unload_is_refused() {
	# A group holds the module even if the device's fd is closed.
	/tests/hold_group &
	holder=$!
	while [ ! -e /tmp/group-is-open ] && kill -0 "$holder" 2>/dev/null; do :; done
	! rmmod perfgrp 2>/dev/null
	refused=$?
	kill "$holder"
	wait "$holder" 2>/dev/null
	rm -f /tmp/group-is-open
	return "$refused"
}

nothing_is_left() {
	[ ! -e /sys/module/perfgrp ] && [ ! -e /dev/perfgrp ] &&
		! grep -Eq 'perf_event_(alloc|bpf_event)' /sys/kernel/debug/kprobes/list &&
		! grep -q perfgrp /sys/devices/system/cpu/hotplug/states &&
		! grep -q perfgrp /proc/misc && [ ! -e /sys/bus/event_source/devices/perfgrp ]
}

# A handler that was still registered would be called here.
cgroups_come_and_go() {
	[ ! -e /sys/fs/cgroup/cgroup.procs ] ||
		{ mkdir /sys/fs/cgroup/unloaded && rmdir /sys/fs/cgroup/unloaded; }
}

load_and_unload() {
	for _ in 1 2 3 4 5; do
		insmod /lib/modules/perfgrp.ko && rmmod perfgrp || return 1
	done
}

# Of the kernel's objects that stay where kmemleak finds them. A workqueue has pool_workqueues.
caches="pool_workqueue perf_event"

have_caches() {
	for cache in $caches; do
		[ -e "/sys/kernel/slab/$cache/shrink" ] && grep -q "^$cache " /proc/slabinfo || return 1
	done
}

# Prints how many objects there are in a cache.
count_objects() {
	echo 1 >/sys/kernel/slab/"$1"/shrink
	awk -v cache="$1" '$1 == cache { print $2 }' /proc/slabinfo
}

# They are freed in the background.
objects_are_freed() {
	before=$(for cache in $caches; do count_objects "$cache"; done)
	load_and_unload || return 1
	# shellcheck disable=SC2086 # words
	set -- $before
	for cache in $caches; do
		now=0
		for _ in $(seq 100); do
			now=$(count_objects "$cache")
			[ "$now" -gt "$1" ] || break
			sleep 0.1
		done
		echo "# $cache: $1 before, $now after"
		[ "$now" -le "$1" ] || return 1
		shift
	done
}

can_fail() {
	[ -w /proc/self/fail-nth ] && [ -d /sys/kernel/debug/failslab ] &&
		[ -d /sys/kernel/debug/fail_page_alloc ] && [ -d /sys/kernel/debug/fail_usercopy ]
}

# Sets broken unless the kernel is as before.
loading_fails() {
	broken=1
	/tests/load_failing /lib/modules/perfgrp.ko && nothing_is_left && broken=
}

echo 1..10
check "A7: what tests before have left is gone" nobody_uses_it
check "A1: the node is root's, mode 0600" node_is_private
check "A7: the module cannot be unloaded while a group is open" unload_is_refused
check "A7: it can when none is" rmmod perfgrp
check "A7: no node, no kprobe, no hotplug state, no PMU is left" nothing_is_left
check "A7: cgroups come and go without it" cgroups_come_and_go
check "A7: it can be loaded and unloaded again and again" load_and_unload
text="A7: it leaves no workqueue and no event"
if have_caches; then
	check "$text" objects_are_freed
else
	result ok "$text # SKIP this kernel's slab caches of these have others in them"
fi
text="A7: nothing is left if loading fails late"
if can_fail; then
	check "$text" loading_fails
	# A kernel that still has pointers to a module that is gone may hang.
	[ -z "$broken" ] || exit 1
else
	result ok "$text # SKIP this kernel cannot let allocations fail"
fi
check "A7: and works afterwards" insmod /lib/modules/perfgrp.ko
exit $failed
