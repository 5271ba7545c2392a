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
 * @event: the event that the rest belongs to
 * @base: the counter's base count when @last was initialised
 * @last: what @event read at the last record
 * @throttled: the perf core has throttled it
 *
 * @event and @base are used by perfgrp_event_arrays_publish() only (perfgrp_group.lock). It
 * initialises @last and @throttled; from then on @event's overflow handler writes them, also in
 * NMI. Each is one word and written with WRITE_ONCE(); a handler that races with the
 * initialisation may win.
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
 * @base: added to the count of @event: the counts of earlier events, minus what was reset. The
 *	time of @away is subtracted from the sum.
 * @frozen: value of an inherited counter when its group was disabled
 * @pmu: number of the PMU of its last event; PERFGRP_NONE if it never had one
 * @sched_group: id of the member that led its scheduling group when its last event was
 *	created; 0 if it never had one
 * @software: its last event needs no PMU slot
 * @uncore: its last event's PMU is not the CPU's own
 * @counts_at_rest: its last event may count while the CPU is idle, or after the sched_switch at
 *	which the task's row is written
 * @goes_away: its task can run where the member does not count; see struct perfgrp_away
 * @away: how long the task was there; NULL if the member is software, or @goes_away is not set.
 *	Shared by members that count on the same CPUs.
 * @overflow_state: of @event, if it samples
 *
 * All but @overflow_state are protected by perfgrp_group.lock.
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
 * @desc: as passed by the user
 * @attr: as passed to the perf core
 * @cred: credentials of the task that added it, with a reference. All its events are created with
 *	them, even by the CPU hotplug worker, or by a task that removes another member.
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
 * @seen: it has been live at some time; only then does it have a row
 * @retry: its events could not be created because of a transient error
 * @row: index of its row in a snapshot
 * @epoch: how often its CPU has come back online
 *
 * All but @lost are protected by perfgrp_group.lock.
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
 * @nr: a unique number, for fdinfo; constant
 * @lock: protects the fields below that are marked (@lock)
 * @flags: PERFGRP_CREATE_*; constant
 * @target: enum perfgrp_target; constant
 * @clockid: clock of its rows and records; constant
 * @sample_max_stack: addresses in the call chain of a sample; 0 for no call chains; constant
 * @task: the task of a task target, with a reference; constant
 * @cgroup: the cgroup of a cgroup target; constant until the group is destroyed, when the kfunc may
 *	still check it for NULL
 * @split: if its counts are split by cgroup, else NULL; constant
 * @mapped: if its rows can be mapped, else NULL; constant
 * @wait: tasks that read its records or poll; woken when there are enough records, and when its
 *	task has exited or its cgroup was removed
 * @owner: the user it is charged to; constant
 * @enabled: it is enabled (@lock); see perfgrp_group_is_enabled()
 * @counted: it was enabled at some time since its counts were zero (@lock; the kfunc reads it
 *	without)
 * @enable_on_exec: it waits for an exec of the task, or perfgrp_group_sync_exec() has yet to run
 *	after that exec (@lock); see exec.c
 * @exec_event: the dummy event that shows whether the task has execed; NULL without
 *	PERFGRP_CREATE_ENABLE_ON_EXEC; constant
 * @generation: increases with every change of members or reset of counts (@lock)
 * @next_id: id of the member added last (@lock)
 * @nr_members: how many of @members there are (@lock)
 * @members: leader first, then as they were added (@lock). Entries from @nr_members on
 *	are used only while an addition is prepared.
 * @uncore: it has, or had, a member whose PMU's driver may move its events to another CPU (@lock;
 *	hotplug.c reads it without)
 * @nr_instances: how many of @instances there are; constant
 * @instances: its CPUs, in ascending order, or its task
 * @instance_of: index of a CPU's instance, -1 for none; NULL for task targets; constant
 * @nr_rows: how many of @instances have been seen (@lock)
 * @cpus: CPUs of the live instances (@lock)
 * @snap_cache: memory for a snapshot, or NULL. Snapshots, which hold @lock for reading
 *	only, take it and give it back with xchg().
 * @event_arrays: if its counters can sample, the kfunc can read it, or it is split or mapped, else
 *	NULL; set once (@lock)
 * @sampling: if its counters can sample, else NULL; constant
 * @detached: BPF programs that were detached and are not dropped yet, or NULL (@lock, until the
 *	group is freed)
 * @handle: names it to the kfunc, see bpf_kfunc.c; NULL until it is requested (@lock)
 * @bpf_events: its subscription to records of BPF programs, or NULL; see bpf_events.c
 * @node: in hotplug.c's list
 * @hotplug_work: sync_cpus() or sync_rings() of group_cpus.c; runs when a CPU went online or
 *	offline, and again after @retry_ms while an instance has perfgrp_instance.retry
 * @retry_ms: delay before @hotplug_work runs again; 0 if it need not (@lock)
 * @free_work: frees it after an RCU grace period
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
	bool uncore;
	unsigned int nr_instances;
	struct perfgrp_instance *instances;
	int *instance_of;
	unsigned int nr_rows;
	cpumask_var_t cpus;
	struct perfgrp_snap_buffer *snap_cache;
	struct perfgrp_event_arrays *event_arrays;
	struct perfgrp_sampling *sampling;
	struct perfgrp_attachment *detached;
	struct perfgrp_handle *handle;
	struct perfgrp_bpf_subscription __rcu *bpf_events;
	struct list_head node;
	struct delayed_work hotplug_work;
	unsigned int retry_ms;
	struct rcu_work free_work;
};

u32 perfgrp_group_create_flags(const struct perfgrp_group *group);
struct perfgrp_member *perfgrp_group_find_member(const struct perfgrp_group *group, u32 id,
						 struct perfgrp_error *err);

static inline bool perfgrp_group_inherits(const struct perfgrp_group *group)
{
	return group->flags & PERFGRP_CREATE_INHERIT;
}

/*
 * Whether inherited counters show their values from when the group was disabled, while their
 * events go on counting. Not while the group waits for an exec: then the task's events are off, and
 * what children count that have execed before it is shown.
 */
static inline bool perfgrp_group_is_frozen(const struct perfgrp_group *group)
{
	return perfgrp_group_inherits(group) && !group->enabled && !group->enable_on_exec;
}

/* To be called when the group's counts restart from zero. */
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
