/* SPDX-License-Identifier: GPL-2.0 */
/* A group: its target, instances and members. */
#ifndef PERFGRP_GROUP_H
#define PERFGRP_GROUP_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/perfgrp.h>

#include "perfgrp.h"
#include "value.h"

struct cred;
struct perfgrp_attachment;
struct perfgrp_away;
struct perfgrp_cgroup;
struct perfgrp_event_arrays;
struct perfgrp_mapped;
struct perfgrp_sampling;
struct perfgrp_snap_buffer;
struct perfgrp_split;
struct perfgrp_split_member;
struct task_struct;

/**
 * struct perfgrp_overflow_state - what overflow handlers remember from one overflow to the next
 * @event: the event it is about
 * @base: the counter's base count when @last was initialised
 * @last: what @event read at the last record
 * @throttled: the perf core has throttled it
 *
 * @event and @base belong to perfgrp_event_arrays_publish() (perfgrp_group.lock). It
 * initialises @last and @throttled; from then on the handlers of @event write them, in
 * NMI too. Each is one word and written with WRITE_ONCE(); a handler that races with
 * the initialisation may win.
 */
struct perfgrp_overflow_state {
	const struct perf_event *event;
	u64 base;
	u64 last;
	bool throttled;
};

/**
 * struct perfgrp_member_instance - a member on one instance
 * @event: the perf event; NULL while the CPU is offline, or if it could not be created
 *	when the CPU came back
 * @prepared: an event that is to replace @event; only while a change is prepared
 * @retired: the event that @prepared has replaced, until no event array has it any more
 *	and it can be released
 * @base: the counter reads @base plus what @event reads, less what @away reads. It holds
 *	what earlier events counted, minus what a reset took away.
 * @frozen: what an inherited counter read when its group was disabled
 * @pmu: number of the PMU of its last event; PERFGRP_NONE if it never had one
 * @sched_group: id of the member that led its scheduling group when its last event was
 *	created; 0 if it never had one
 * @software: its last event needs no PMU slot
 * @uncore: its last event's PMU is not the CPU's own
 * @counts_at_rest: its last event may count while the CPU is idle, or when the task has been
 *	switched away already
 * @goes_away: its task may be where the member does not count; see struct perfgrp_away
 * @away: how long it was, since @away was created; NULL if the member is software, or
 *	@goes_away is not set. Members that count in the same places share it.
 * @overflow_state: of @event, if it samples
 *
 * All but @overflow_state under perfgrp_group.lock.
 */
struct perfgrp_member_instance {
	struct perf_event *event;
	struct perf_event *prepared;
	struct perf_event *retired;
	struct perfgrp_count base;
	struct perfgrp_count frozen;
	u32 pmu;
	u32 sched_group;
	bool software;
	bool uncore;
	bool counts_at_rest;
	bool goes_away;
	struct perfgrp_away *away;
	struct perfgrp_overflow_state overflow_state;
};

/**
 * struct perfgrp_member - one event of a group, on all its instances
 * @id: never 0, never used twice in a group
 * @desc: as the user asked for it
 * @attr: as the perf core is asked for it
 * @cred: the credentials of whoever added it, with a reference. All its events are created
 *	with them, whoever does it: a worker after CPU hotplug, or who removes another member.
 * @attachment: its BPF program, or NULL (perfgrp_group.lock)
 * @split: what it has counted, by cgroup, if the group is split; else NULL
 * @rcu: frees it when no handler can use its overflow_state any more
 * @instances: one per instance of the group
 *
 * Constant after creation, except for @attachment and @instances.
 */
struct perfgrp_member {
	u32 id;
	struct perfgrp_counter desc;
	struct perf_event_attr attr;
	const struct cred *cred;
	struct perfgrp_attachment *attachment;
	struct perfgrp_split_member *split;
	struct rcu_head rcu;
	struct perfgrp_member_instance instances[];
};

/**
 * struct perfgrp_instance - where a group counts: one CPU, or its one task
 * @cpu: the CPU; -1 for a task on any
 * @lost: bit 0 is set by the hotplug callback when @cpu begins to go offline, without the
 *	lock, and cleared by the worker under perfgrp_group.lock once the events that died
 *	with it are accumulated and released
 * @live: it has events, or would have if the group had members
 * @seen: it has been live at some time; without it there is no row
 * @retry: its events could not be created for want of something that may be there later
 * @row: index of its row in a snapshot
 * @epoch: how often it has come back
 *
 * All but @lost under perfgrp_group.lock.
 */
struct perfgrp_instance {
	int cpu;
	unsigned long lost;
	bool live;
	bool seen;
	bool retry;
	u32 row;
	u32 epoch;
};

/**
 * struct perfgrp_group - a group; lives as long as one of its files
 * @refs: one per file
 * @nr: tells it from all other groups in fdinfo; constant
 * @lock: protects what follows, as far as it is marked (@lock)
 * @flags: PERFGRP_CREATE_*; constant
 * @target: enum perfgrp_target; constant
 * @clockid: clock of its rows and records; constant
 * @sample_max_stack: addresses in the call chain of a sample; 0 for no call chains; constant
 * @task: the task of a task target, with a reference; constant
 * @cgroup: the cgroup of a cgroup target; constant until the group is destroyed, when the kfunc may
 *	still look whether there is one
 * @split: if its counts are split by cgroup, else NULL; constant
 * @mapped: if its rows can be mapped, else NULL; constant
 * @wait: who reads its records or polls; woken when there are enough, and when its task has
 *	exited or its cgroup was removed
 * @owner: the user it is charged to; constant
 * @enabled: its counters are to count (@lock); see perfgrp_group_is_enabled()
 * @counted: it was enabled at some time since its counts were zero (@lock; the kfunc reads it
 *	without)
 * @enable_on_exec: an exec of the task enables it, or has done so unnoticed (@lock); see
 *	exec.c
 * @exec_event: the dummy event that notices the exec; NULL if none is waited for;
 *	constant
 * @generation: increases with every change of members or reset of counts (@lock)
 * @next_id: id of the member added last (@lock)
 * @nr_members: how many of @members there are (@lock)
 * @members: leader first, then as they were added (@lock). Entries from @nr_members on
 *	are used only while an addition is prepared.
 * @nr_instances: how many of @instances there are; constant
 * @instances: see there; CPUs in ascending order
 * @instance_of: index of a CPU's instance, -1 for none; NULL for task targets; constant
 * @nr_rows: how many of @instances have been seen (@lock)
 * @cpus: CPUs of the live instances (@lock)
 * @snap_cache: memory for a snapshot, or NULL. Snapshots, which hold @lock for reading
 *	only, take it and give it back with xchg().
 * @event_arrays: if its counters can sample, the kfunc can read it, or it is split or mapped, else
 *	NULL; set once (@lock)
 * @sampling: if its counters can sample, else NULL; constant
 * @handle: names it to the kfunc, see bpf_kfunc.c; NULL before it is asked for (@lock)
 * @bpf_events: of a group that gets records of BPF programs, else NULL; see bpf_events.c
 * @node: in hotplug.c's list
 * @hotplug_work: group_cpus.c's; runs when a CPU came or went, and again later while an
 *	instance has @retry
 * @retry_ms: how much later; 0 if none has (@lock)
 * @free_work: frees it when nobody uses it any more
 */
struct perfgrp_group {
	refcount_t refs;
	u64 nr;
	struct rw_semaphore lock;
	u32 flags;
	u32 target;
	s32 clockid;
	u16 sample_max_stack;
	struct task_struct *task;
	struct perfgrp_cgroup *cgroup;
	struct perfgrp_split *split;
	struct perfgrp_mapped *mapped;
	wait_queue_head_t wait;
	kuid_t owner;
	bool enabled;
	bool counted;
	bool enable_on_exec;
	struct perf_event *exec_event;
	u64 generation;
	u32 next_id;
	unsigned int nr_members;
	struct perfgrp_member *members[PERFGRP_MAX_MEMBERS];
	unsigned int nr_instances;
	struct perfgrp_instance *instances;
	int *instance_of;
	unsigned int nr_rows;
	cpumask_var_t cpus;
	struct perfgrp_snap_buffer *snap_cache;
	struct perfgrp_event_arrays *event_arrays;
	struct perfgrp_sampling *sampling;
	struct perfgrp_handle *handle;
	struct perfgrp_bpf_subscription __rcu *bpf_events;
	struct list_head node;
	struct delayed_work hotplug_work;
	unsigned int retry_ms;
	struct rcu_work free_work;
};

struct perfgrp_member *perfgrp_group_find_member(const struct perfgrp_group *group, u32 id,
						 struct perfgrp_error *err);

static inline bool perfgrp_group_inherits(const struct perfgrp_group *group)
{
	return group->flags & PERFGRP_CREATE_INHERIT;
}

/*
 * Whether inherited counters show what they read when the group was disabled, although their
 * events go on. While an exec is awaited the task's events are off, and those of children that
 * have executed a program before it count.
 */
static inline bool perfgrp_group_is_frozen(const struct perfgrp_group *group)
{
	return perfgrp_group_inherits(group) && !group->enabled && !group->enable_on_exec;
}

/* Its counts begin again at zero. */
static inline void perfgrp_group_restarted(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	group->generation++;
	WRITE_ONCE(group->counted, group->enabled);
}

/*
 * The events of a CPU that went offline are dead, even if the CPU is back: they are left
 * alone until the worker has cleaned up.
 */
static inline bool perfgrp_instance_usable(const struct perfgrp_instance *instance)
{
	return instance->live && !test_bit(0, &instance->lost);
}

#endif /* PERFGRP_GROUP_H */
