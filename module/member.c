// SPDX-License-Identifier: GPL-2.0
/*
 * Adding and removing the members of a group.
 *
 * A change that can fail is prepared beside the current state and then committed, which
 * cannot fail. So a refused change leaves the group unchanged and counting.
 *
 * Process context, perfgrp_group.lock held for writing. Takes the exec_update_lock of a
 * task target under it.
 */
#include <linux/cred.h>
#include <linux/lockdep.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "access.h"
#include "away.h"
#include "bpf.h"
#include "cgroup.h"
#include "control.h"
#include "counter.h"
#include "error.h"
#include "event.h"
#include "event_array.h"
#include "exec.h"
#include "group.h"
#include "mapped.h"
#include "member.h"
#include "perfcore.h"
#include "perfgrp.h"
#include "sampling.h"
#include "sched_group.h"
#include "split.h"

static struct perfgrp_member *alloc_member(struct perfgrp_group *group,
					   const struct perfgrp_counter *desc)
{
	struct perfgrp_member *member;
	unsigned int i;

	member = kvzalloc(struct_size(member, instances, group->nr_instances), GFP_KERNEL_ACCOUNT);
	if (!member)
		return NULL;
	member->desc = *desc;
	member->cred = get_current_cred();
	for (i = 0; i < group->nr_instances; i++)
		member->instances[i].pmu = PERFGRP_NONE;
	if (!group->split)
		return member;
	member->split = perfgrp_split_member_create(group);
	if (member->split)
		return member;
	put_cred(member->cred);
	kvfree(member);
	return NULL;
}

static void release_member(struct perfgrp_group *group, struct perfgrp_member *member)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		perfgrp_counter_release(group, &member->instances[i]);
	perfgrp_bpf_release(group, member);
	perfgrp_access_uncharge_member(group->owner);
	put_cred(member->cred);
	perfgrp_split_member_free(member->split);
	kvfree_rcu(member, rcu);
}

/* In reverse order: a leader precedes its siblings and must be released after them. */
static void release_members(struct perfgrp_group *group, unsigned int first, unsigned int nr)
{
	while (nr-- > first) {
		release_member(group, group->members[nr]);
		group->members[nr] = NULL;
	}
}

/**
 * struct creation - the events of a member that are to be created
 * @group: the group
 * @index: of the member in group->members
 * @caller: the task that holds group->lock
 * @err: filled in on failure
 * @ret: the result
 */
struct creation {
	struct perfgrp_group *group;
	unsigned int index;
	struct task_struct *caller;
	struct perfgrp_error *err;
	int ret;
};

static int create_on_instances(const struct creation *creation)
{
	struct perfgrp_group *group = creation->group;
	unsigned int i;
	int ret;

	for (i = 0; i < group->nr_instances; i++) {
		if (!perfgrp_instance_usable(&group->instances[i]))
			continue;
		ret = perfgrp_counter_create(group, i, creation->index, creation->err);
		if (ret)
			return ret;
		if (fatal_signal_pending(creation->caller))
			return perfgrp_fail(creation->err, -EINTR, PERFGRP_REASON_NONE, "",
					    "interrupted");
	}
	return 0;
}

/* In a worker. The caller waits meanwhile; tell lockdep that its lock protects this task, too. */
static void create_for_caller(void *info)
{
	struct creation *creation = info;

	rwsem_acquire(&creation->group->lock.dep_map, 0, 0, _THIS_IP_);
	creation->ret = create_on_instances(creation);
	rwsem_release(&creation->group->lock.dep_map, _THIS_IP_);
}

static int create_counters(struct perfgrp_group *group, unsigned int index,
			   struct perfgrp_error *err)
{
	struct creation creation = {
		.group = group,
		.index = index,
		.caller = current,
		.err = err,
	};

	if (!group->cgroup)
		return create_on_instances(&creation);
	perfgrp_core_cgroup_call(create_for_caller, &creation);
	return creation.ret;
}

static int link_begin(struct perfgrp_error *err)
{
	int ret = perfgrp_core_link_begin();

	if (ret)
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "",
				    "cannot arm the kprobe for scheduling groups and cgroups (errno %d)",
				    -ret);
	return 0;
}

/* The overflow handler needs event arrays. Groups with a buffer have them from the start. */
static int prepare_sampling(struct perfgrp_group *group, const struct perfgrp_counter *desc,
			    struct perfgrp_error *err)
{
	if (desc->min_delta && !group->sampling)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION, "min_delta",
				    "min_delta is set, but the group was created without a buffer (buffer_size)");
	if (desc->min_delta && perfgrp_group_inherits(group))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_EVENT_OPTION, "min_delta",
				    "min_delta is not supported in an INHERIT group: its samples come from several tasks");
	if (desc->sample_period && group->split)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION,
				    perfgrp_event_sample_field(desc),
				    "%s is set, but a group split by cgroup cannot sample; use another group for that",
				    perfgrp_event_sample_field(desc));
	if (desc->sample_period && perfgrp_event_arrays_create(group))
		return perfgrp_fail_memory(err);
	return 0;
}

/* Refuse an event that could not be created on any CPU: it may be invalid, or not permitted. */
static int check_tried(const struct perfgrp_group *group, const struct perfgrp_member *member,
		       struct perfgrp_error *err)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		if (member->instances[i].event)
			return 0;
	err->cpu = group->instances[0].cpu;
	return perfgrp_fail(err, -ENODEV, PERFGRP_REASON_CPU_OFFLINE, "",
			    "no CPU of the group is online, so the event cannot be tried");
}

/*
 * A child's event is created by the task that forks. If that task may not create it, its fork()
 * fails: for breakpoints on kernel addresses the kernel checks CAP_SYS_ADMIN (hw_breakpoint_parse()
 * of 6.1.192, 6.12.117 and 7.3.4).
 */
static int check_inherited(const struct perfgrp_group *group, const struct perf_event_attr *attr,
			   struct perfgrp_error *err)
{
	if (!perfgrp_group_inherits(group) || attr->type != PERF_TYPE_BREAKPOINT ||
	    (attr->bp_addr < TASK_SIZE_MAX && attr->bp_len <= TASK_SIZE_MAX - attr->bp_addr))
		return 0;
	return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_EVENT_OPTION, "config1",
			    "%#llx is a kernel address: with INHERIT fork() would fail in tasks without CAP_SYS_ADMIN",
			    attr->bp_addr);
}

/* @link: set once perfgrp_core_link_end() must follow. */
static int prepare_member(struct perfgrp_group *group, unsigned int index,
			  struct perfgrp_counter *desc, bool *link, struct perfgrp_error *err)
{
	struct perf_event_attr attr;
	struct perfgrp_member *member;
	int ret;

	ret = perfgrp_event_to_attr(desc, &attr, err);
	if (!ret)
		ret = check_inherited(group, &attr, err);
	if (!ret)
		ret = perfgrp_access_counter(desc, err);
	if (!ret)
		ret = prepare_sampling(group, desc, err);
	if (ret)
		return ret;

	ret = perfgrp_access_charge_member(group->owner, err);
	if (ret)
		return ret;
	member = alloc_member(group, desc);
	if (!member) {
		perfgrp_access_uncharge_member(group->owner);
		return perfgrp_fail_memory(err);
	}
	member->attr = attr;
	perfgrp_sampling_set_callchain(group, &member->attr);
	member->id = group->next_id + 1 + (index - group->nr_members);
	desc->id = member->id;
	group->members[index] = member;
	if (!*link && perfgrp_sched_group_needs_probe(group, index)) {
		ret = link_begin(err);
		*link = !ret;
		if (ret)
			err->member = PERFGRP_NONE;
	}
	if (!ret)
		ret = create_counters(group, index, err);
	if (!ret)
		ret = check_tried(group, member, err);
	return ret;
}

static int check_alive(const struct perfgrp_group *group, struct perfgrp_error *err)
{
	unsigned int i;

	if (perfgrp_cgroup_removed(group))
		return perfgrp_cgroup_fail_removed(err);
	if (!group->task)
		return 0;
	for (i = 0; i < group->nr_members; i++)
		if (perfgrp_counter_dead(&group->members[i]->instances[0]))
			return perfgrp_fail(err, -ESRCH, PERFGRP_REASON_PID, "pid",
					    "the task has exited, or has executed a program that its user may not watch");
	return 0;
}

/*
 * In ADD err->member is an index into the caller's array; the members checked here have no
 * such index.
 */
static int check_pinned(struct perfgrp_group *group, unsigned int nr_members,
			struct perfgrp_error *err)
{
	int ret = perfgrp_group_check_pinned(group, nr_members, err);

	if (ret)
		err->member = PERFGRP_NONE;
	return ret;
}

static int check_add(struct perfgrp_group *group, unsigned int nr, struct perfgrp_error *err)
{
	int ret;

	ret = perfgrp_access_group(group, err);
	if (ret)
		return ret;
	if (nr > PERFGRP_MAX_MEMBERS - group->nr_members) {
		err->member = PERFGRP_MAX_MEMBERS - group->nr_members;
		return perfgrp_fail(err, -ENOSPC, PERFGRP_REASON_LIMIT, "nr_counters",
				    "a group has at most %d members; this one has %u",
				    PERFGRP_MAX_MEMBERS, group->nr_members);
	}
	if (group->next_id > PERFGRP_NONE - 1 - nr)
		return perfgrp_fail(err, -ENOSPC, PERFGRP_REASON_LIMIT, "nr_counters",
				    "the group has no member ids left");
	if (group->nr_members && perfgrp_group_inherits(group))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "nr_counters",
				    "all members of an INHERIT group must be added in one call; it already has %u",
				    group->nr_members);
	ret = check_alive(group, err);
	/* Not if disabled: events may still be in error state from a refused PERFGRP_ENABLE. */
	if (!ret && group->enabled)
		ret = check_pinned(group, group->nr_members, err);
	return ret;
}

static void set_inherit(struct perfgrp_group *group, unsigned int nr)
{
	struct perf_event *events[2 * PERFGRP_MAX_MEMBERS];
	struct perfgrp_member_instance *counter;
	unsigned int nr_events = 0;

	while (nr--) {
		counter = &group->members[nr]->instances[0];
		if (counter->away)
			events[nr_events++] = counter->away->event;
		events[nr_events++] = counter->event;
	}
	perfgrp_core_set_inherit(events, nr_events);
}

/*
 * Whether pinned events fit shows only when they are scheduled: enable the new members of
 * a NO_MUX group that counts, so that ADD can return -EBUSY.
 */
static int try_pinned(struct perfgrp_group *group, unsigned int nr, struct perfgrp_error *err)
{
	unsigned int i;

	if (!group->enabled || !(group->flags & PERFGRP_CREATE_NO_MUX))
		return 0;
	for (i = 0; i < group->nr_instances; i++)
		if (perfgrp_instance_usable(&group->instances[i]))
			perfgrp_counters_start(group, i, group->nr_members, nr);
	return check_pinned(group, group->nr_members + nr, err);
}

/* @nr: how many members were to be added; entries of those not yet allocated are NULL. */
static void release_prepared(struct perfgrp_group *group, unsigned int nr)
{
	while (nr && !group->members[group->nr_members + nr - 1])
		nr--;
	release_members(group, group->nr_members, group->nr_members + nr);
	if (!group->nr_members)
		perfgrp_sampling_release_events(group);
	/* Current pinned events may have failed because the new ones did not fit; restart them. */
	if (group->enabled && group->flags & PERFGRP_CREATE_NO_MUX)
		perfgrp_group_start_all(group);
}

static int prepare_members(struct perfgrp_group *group, struct perfgrp_counter *descs,
			   unsigned int nr, struct perfgrp_error *err)
{
	bool link = false, samples = false;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr; i++)
		samples |= descs[i].sample_period;
	if (samples)
		ret = perfgrp_sampling_keep_contexts(group, err);
	for (i = 0; i < nr && !ret; i++) {
		err->member = i;
		ret = prepare_member(group, group->nr_members + i, &descs[i], &link, err);
	}
	if (link)
		perfgrp_core_link_end();
	if (ret)
		goto abort;

	err->member = PERFGRP_NONE;
	ret = try_pinned(group, nr, err);
	if (ret)
		goto abort;
	if (perfgrp_group_inherits(group))
		set_inherit(group, nr);
	return 0;
abort:
	release_prepared(group, nr);
	return ret;
}

/**
 * perfgrp_group_prepare_add - create new members, all or none
 * @group: the group; the lock is held for writing, and may be released as by perfgrp_exec_lock()
 * @descs: what to count; their ids are set
 * @nr: number of @descs, at least 1
 * @err: filled in on failure; its member is an index into @descs
 *
 * May sleep. The current members go on counting. After 0 perfgrp_group_commit_add() or
 * perfgrp_group_abort_add() must follow. The lock is held until then, and so is the task's
 * exec_update_lock: an exec must not enable the events while commit_add() stops them. So user
 * memory must not be faulted in.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_group_prepare_add(struct perfgrp_group *group, struct perfgrp_counter *descs,
			      unsigned int nr, struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held_write(&group->lock);

	ret = perfgrp_exec_lock(group, err);
	if (ret)
		return ret;
	perfgrp_group_sync_exec(group);
	ret = check_add(group, nr, err);
	if (!ret)
		ret = prepare_members(group, descs, nr, err);
	if (ret)
		perfgrp_exec_unlock(group);
	return ret;
}

/**
 * perfgrp_group_abort_add - undo perfgrp_group_prepare_add()
 * @group: the group; its lock and the task's exec_update_lock have been held since then
 * @nr: how many members were prepared
 */
void perfgrp_group_abort_add(struct perfgrp_group *group, unsigned int nr)
{
	lockdep_assert_held_write(&group->lock);
	perfgrp_exec_assert_locked(group);

	release_prepared(group, nr);
	perfgrp_exec_unlock(group);
}

static void reset_all(struct perfgrp_group *group)
{
	unsigned int i, m;

	for (i = 0; i < group->nr_instances; i++)
		for (m = 0; m < group->nr_members; m++)
			perfgrp_counter_reset(group, &group->members[m]->instances[i]);
}

/**
 * perfgrp_group_commit_add - add the prepared members, and restart the group from zero
 * @group: the group; the lock is held for writing since perfgrp_group_prepare_add()
 * @nr: how many members were prepared
 *
 * May sleep.
 */
void perfgrp_group_commit_add(struct perfgrp_group *group, unsigned int nr)
{
	lockdep_assert_held_write(&group->lock);
	perfgrp_exec_assert_locked(group);

	group->nr_members += nr;
	group->next_id += nr;
	perfgrp_group_restarted(group);
	if (!perfgrp_group_inherits(group))
		perfgrp_group_stop_all(group);
	reset_all(group);
	perfgrp_event_arrays_publish(group);
	/* Also forgets the negative counts that were charged because of reset_all(). */
	perfgrp_split_restart(group);
	if (group->enabled && !perfgrp_group_inherits(group))
		perfgrp_group_start_all(group);
	perfgrp_exec_unlock(group);
}

/*
 * @rebuilt: rebuild_without() has replaced events. Lockless readers see the old events, stopped,
 * until they see the new events and the removal of the member, in one step.
 */
static void drop_member(struct perfgrp_group *group, struct perfgrp_member *member, bool rebuilt)
{
	unsigned int i = 0;

	while (group->members[i] != member)
		i++;
	group->nr_members--;
	memmove(&group->members[i], &group->members[i + 1],
		(group->nr_members - i) * sizeof(member));
	group->members[group->nr_members] = NULL;
	group->generation++;
	perfgrp_event_arrays_publish(group);
	if (rebuilt && group->enabled)
		perfgrp_group_start_all(group);
	/* Before the events are released, which may take long. */
	perfgrp_mapped_refresh(group);
	for (i = 0; i < group->nr_instances; i++) {
		perfgrp_instance_release_retired(group, i);
		perfgrp_instance_stop_siblings(group, i, member);
	}
	release_member(group, member);
}

/* Hides all members from readers; release_all() must follow. */
static unsigned int forget_members(struct perfgrp_group *group)
{
	unsigned int nr = group->nr_members;

	group->nr_members = 0;
	group->generation++;
	perfgrp_event_arrays_publish(group);
	return nr;
}

static void release_all(struct perfgrp_group *group, unsigned int nr)
{
	release_members(group, 0, nr);
	perfgrp_sampling_release_events(group);
}

/**
 * perfgrp_group_drop_members - release all members
 * @group: a group that is being destroyed; the lock is held for writing
 *
 * May sleep.
 */
void perfgrp_group_drop_members(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	release_all(group, forget_members(group));
}

/* The same for a group in use: mapped rows change before the release, which may take long. */
static void drop_all(struct perfgrp_group *group)
{
	unsigned int nr;

	perfgrp_group_stop_all(group);
	nr = forget_members(group);
	perfgrp_mapped_refresh(group);
	release_all(group, nr);
}

/* Have the task and, with INHERIT, all its children exited? */
static bool is_final(const struct perfgrp_group *group,
		     const struct perfgrp_member_instance *counter)
{
	struct perfgrp_count count;

	return perfgrp_counter_dead(counter) &&
	       (!perfgrp_group_inherits(group) ||
		perfgrp_core_peek_inherited(counter->event, &count));
}

/*
 * Whether releasing a member would break up a scheduling group that it leads on an
 * instance. Events whose counts are final need no leader.
 */
static bool needs_rebuild(const struct perfgrp_group *group, unsigned int instance,
			  const struct perfgrp_member *leaving)
{
	const struct perfgrp_member_instance *counter = &leaving->instances[instance];

	return perfgrp_instance_usable(&group->instances[instance]) &&
	       perfgrp_counter_has_siblings(counter) && !is_final(group, counter) &&
	       !perfgrp_cgroup_removed(group);
}

static bool any_needs_rebuild(const struct perfgrp_group *group,
			      const struct perfgrp_member *leaving)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		if (needs_rebuild(group, i, leaving))
			return true;
	return false;
}

/*
 * Before a member that is a scheduling group's leader is released, create its siblings'
 * events again without it, so that one of them becomes the leader. A failure changes nothing.
 * The old and the new events exist side by side for a while. That works for siblings, which hold
 * nothing but a PMU slot, and that only while they are enabled. Members that are not siblings of
 * @leaving keep their events and go on counting: they may hold exclusive resources (breakpoints,
 * exclusive PMUs).
 *
 * @rebuilt: set if events were replaced; drop_member() must follow at once.
 */
static int rebuild_without(struct perfgrp_group *group, const struct perfgrp_member *leaving,
			   bool *rebuilt, struct perfgrp_error *err)
{
	unsigned int i;
	int ret;

	if (perfgrp_group_inherits(group))
		return perfgrp_fail(err, -EBUSY, PERFGRP_REASON_LEADER, "id",
				    "other members of its PMU are scheduled with it, and what was inherited cannot be made anew");

	ret = link_begin(err);
	if (ret)
		return ret;
	for (i = 0; i < group->nr_instances; i++) {
		if (!needs_rebuild(group, i, leaving))
			continue;
		ret = perfgrp_instance_prepare(group, i, leaving, err);
		if (ret)
			break;
	}
	perfgrp_core_link_end();

	if (ret) {
		while (i--)
			perfgrp_instance_abort(group, i);
		/* The task exited or the cgroup was removed meanwhile; see needs_rebuild(). */
		return ret == -ESRCH || perfgrp_cgroup_removed(group) ? 0 : ret;
	}
	for (i = 0; i < group->nr_instances; i++) {
		/* The CPU may have gone offline since it was prepared. */
		if (!needs_rebuild(group, i, leaving)) {
			perfgrp_instance_abort(group, i);
			continue;
		}
		perfgrp_instance_accumulate(group, i, leaving);
		perfgrp_instance_commit(group, i, leaving);
		*rebuilt = true;
	}
	return 0;
}

static int remove_member(struct perfgrp_group *group, u32 id, bool cascade,
			 struct perfgrp_error *err)
{
	struct perfgrp_member *member = perfgrp_group_find_member(group, id, err);
	bool rebuilt = false;
	int ret = 0;

	if (!member)
		return -ENOENT;
	if (member == group->members[0]) {
		if (group->nr_members > 1 && !cascade)
			return perfgrp_fail(err, -EBUSY, PERFGRP_REASON_LEADER, "id",
					    "member %u leads %u others; remove them first, or remove all with CASCADE",
					    id, group->nr_members - 1);
		drop_all(group);
		return 0;
	}
	if (any_needs_rebuild(group, member))
		ret = rebuild_without(group, member, &rebuilt, err);
	if (!ret)
		drop_member(group, member, rebuilt);
	return ret;
}

/**
 * perfgrp_group_remove - remove a member
 * @group: the group; the lock is held for writing, and may be released as by perfgrp_exec_lock()
 * @id: of the member
 * @cascade: if it leads the group, remove all members
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0, -ENOENT, -EBUSY without @cascade if it leads other members, -EINTR, or the errno
 * with which the perf core refused to create the remaining members' events again.
 */
int perfgrp_group_remove(struct perfgrp_group *group, u32 id, bool cascade,
			 struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held_write(&group->lock);

	ret = perfgrp_exec_lock(group, err);
	if (ret)
		return ret;
	perfgrp_group_sync_exec(group);
	ret = remove_member(group, id, cascade, err);
	perfgrp_exec_unlock(group);
	return ret;
}

/**
 * perfgrp_group_set_period - change a member's sample period or frequency
 * @group: the group; the lock is held for writing
 * @id: of the member
 * @sample: the new period, or frequency in Hz if the member has PERFGRP_COUNTER_FREQ
 * @err: filled in on failure
 *
 * Return: 0, -ENOENT, -EINVAL or -EOPNOTSUPP.
 */
int perfgrp_group_set_period(struct perfgrp_group *group, u32 id, u64 sample,
			     struct perfgrp_error *err)
{
	struct perfgrp_member *member = perfgrp_group_find_member(group, id, err);

	lockdep_assert_held_write(&group->lock);

	if (!member)
		return -ENOENT;
	if (!member->desc.sample_period)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION, "id",
				    "member %u was added without sample_period or sample_freq", id);
	if (!sample || sample >> 63)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION,
				    perfgrp_event_sample_field(&member->desc),
				    "%s is %llu; it must be 1 to 2^63 - 1",
				    perfgrp_event_sample_field(&member->desc), sample);
	if (perfgrp_group_inherits(group))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "id",
				    "%s cannot be changed in an INHERIT group: children would keep the old one",
				    perfgrp_event_sample_field(&member->desc));
	return perfgrp_sampling_set_period(group, member, sample, err);
}
