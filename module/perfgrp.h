/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's limits, and how its files work together. Each file has a header of its own.
 *
 * The four flows:
 *
 *	control		ioctl.c -> device.c or group_file.c -> group.c, member.c, control.c
 *			-> sched_group.c, counter.c -> perfcore.c -> perf core
 *	snapshot	ioctl.c -> group_file.c -> snapshot.c -> perfcore.h on each CPU
 *			-> value.c
 *	overflow	perf core -> overflow.c -> event_array.h, perfcore.h, bpf_run.c
 *			-> records.c; then ioctl-free: read(2) -> group_file.c ->
 *			records_read.c
 *	CPU hotplug	hotplug.c queues -> group_cpus.c -> counter.c -> perfcore.c
 *
 * Locks, in the order in which they are taken:
 *
 *	perfgrp_group.lock	a group's members, counters, bases and state;
 *				written to change them, read to look at them
 *	exec_update_lock	of a task target's signal struct, for reading: the
 *				task does not exec, so neither what the caller may
 *				see of it nor its events' enable_on_exec changes
 *	records.h reading	one reader of a group's records at a time
 *	records.c alloc_lock	one buffer is made at a time; by workers, for which
 *				a creator waits with no lock held
 *	kprobe.h lock		how many want a probe armed, and whether it is
 *	perfcore.c link_lock	one creation under a leader at a time
 *	bpf_events.c subscribers_lock
 *				which groups ask for records of BPF programs
 *	the perf core's, the kprobes' and the CPU hotplug lock
 *	hotplug.c groups_lock	which groups follow hotplug; a leaf, taken with
 *				the CPU hotplug lock held
 */
#ifndef PERFGRP_H
#define PERFGRP_H

#define PERFGRP_VERSION	    "0.1"
#define PERFGRP_MAX_MEMBERS 32
#define PERFGRP_MAX_GROUPS  4096       /* per user */
#define PERFGRP_MAX_BUFFER  (64 << 20) /* bytes per CPU */

#endif /* PERFGRP_H */
