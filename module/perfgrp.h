/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's limits, and how its files work together. Each file has a header of its own;
 * Documentation/house.md has the whole picture.
 *
 * The flows, each from top to bottom:
 *
 *	control		ioctl.c -> device.c, group_file.c -> group_create.c, member.c,
 *			control.c -> counter.c -> sched_group.c -> perfcore_link.c -> perf core
 *	snapshot	ioctl.c -> group_snapshot.c -> snapshot.c -> perfcore.h, on each CPU
 *			-> value.h, row.c
 *	split by cgroup	sched_switch -> split.c charges the counts to the cgroup that ran;
 *			snapshot.c -> split_snapshot.c, which has all CPUs do so and fills in rows
 *	overflow	perf core -> overflow.c -> event_array.h, perfcore.c, bpf_run.c,
 *			perfcore_callchain.c -> ring.c
 *	reading		read(2), poll(2) -> group_file.c -> records_read.c; mmap(2) ->
 *			records_mmap.c, then userspace reads without the module
 *	a task's exit	sched_process_exit -> task_exit.c -> records.c wakes readers and pollers
 *	a cgroup's removal
 *			cgroup_rmdir -> cgroup.c wakes readers and pollers
 *	mapped rows	cpu_idle, sched_switch, a timer, an overflow, a snapshot, a change of the
 *			group -> mapped_write.c -> the group's slots (mapped.c)
 *	CPU hotplug	hotplug.c queues work -> group_cpus.c -> counter.c -> sched_group.c
 *			-> perfcore_link.c
 *
 * Locks, in the order in which they are taken:
 *
 *	perfgrp_group.lock	a group's members, counters, bases and state. ioctl.c takes
 *				it as the ioctl tables say, for writing to change the
 *				group, for reading to look at it; so do the hotplug work,
 *				fdinfo, and creating and destroying a group. Nobody waits
 *				for user memory under it: ioctl.c disables page faults.
 *				ADD and SNAPSHOT with RESET write user memory under it; if
 *				the memory is not present they drop the lock, fault the
 *				memory in and start over. All others copy after dropping
 *				the lock. A worker that creates events in a cgroup works
 *				under the lock of the task that waits for it (member.c)
 *	exec_update_lock	of a task target's signal struct, for reading: keeps the task
 *				from execing, so that neither the caller's permission to
 *				watch it nor its events' enable_on_exec changes. Whoever
 *				waits for it drops perfgrp_group.lock meanwhile (exec.c)
 *	perfgrp_records.reading	one reader of a group's records at a time; records are
 *				copied under it with page faults disabled
 *	split.c splits_lock	which groups are split by cgroup
 *	mapped_write.c instances_lock
 *				which groups have mapped rows
 *	perfgrp_split.lock	totals of cgroups, and which were removed
 *	bpf_events.c subscribers_lock
 *				which groups get records of BPF programs
 *	perfgrp_kprobe.lock	how many users want a probe armed, and whether it is
 *	perfcore_link.c link_lock	one creation under a leader, or in a cgroup, at a time
 *	away.c away_lock	its PMU is registered once; one creation at a time
 *	bpf_kfunc.c handles_lock	handles of groups; innermost
 *	tracepoint.c register_lock
 *				how many users a handler has, and whether it is registered
 *	the perf core's, the kprobes' and the CPU hotplug lock
 *	perfgrp_split.cells_lock, split.c moves_lock
 *				which cgroup has which cell; one sender of move IPIs at a time;
 *				innermost, raw, with interrupts off
 *	task_exit.c bucket's lock, cgroup.c watched_lock
 *				which tasks are watched for their exit, which cgroups for their
 *				removal; innermost, raw, with interrupts off
 *	perfgrp_records.other_lock
 *				one writer of a record of BPF programs at a time; raw, with
 *				interrupts off
 *	hotplug.c groups_lock	which groups follow CPU hotplug; innermost, taken with the
 *				CPU hotplug lock held
 */
#ifndef PERFGRP_H
#define PERFGRP_H

#define PERFGRP_VERSION		 "0.1"
#define PERFGRP_MAX_MEMBERS	 32
#define PERFGRP_MAX_GROUPS	 4096	    /* per user */
#define PERFGRP_MAX_USER_MEMBERS 16384	    /* per user, of all groups; not with CAP_SYS_RESOURCE */
#define PERFGRP_MAX_BUFFER	 (64 << 20) /* bytes per CPU */
#define PERFGRP_MAX_STACK	 4096	    /* addresses in a call chain */

#endif /* PERFGRP_H */
