// SPDX-License-Identifier: GPL-2.0
/*
 * Letting a group count, or not.
 *
 * Process context, the group's lock held for writing.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "perfcore.h"
#include "perfgrp.h"

void perfgrp_group_start_all(struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		if (perfgrp_instance_usable(&group->instances[i]))
			perfgrp_instance_start(group, i);
}

/* Also those whose CPU is about to go; to stop what is dead does no harm. */
void perfgrp_group_stop_all(struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		if (group->instances[i].live)
			perfgrp_instance_stop(group, i);
}

/**
 * perfgrp_group_exec_pending - is the exec that enables the group still to come?
 * @group: the group; the lock is held, for reading at least
 *
 * Return: whether it is.
 */
bool perfgrp_group_exec_pending(const struct perfgrp_group *group)
{
	const struct perf_event *leader;

	if (!group->enable_on_exec || !group->nr_members)
		return group->enable_on_exec;
	leader = group->members[0]->instances[0].event;
	return !leader || perfgrp_core_exec_pending(leader);
}

/**
 * perfgrp_group_is_enabled - are the group's counters to count?
 * @group: the group; the lock is held, for reading at least
 *
 * Return: whether they are, by PERFGRP_ENABLE or by the task's exec.
 */
bool perfgrp_group_is_enabled(const struct perfgrp_group *group)
{
	return group->enabled || (group->enable_on_exec && !perfgrp_group_exec_pending(group));
}

/**
 * perfgrp_group_sync_exec - let an exec that has come enable the group
 * @group: the group; the lock is held for writing
 *
 * Its events it has enabled already.
 */
void perfgrp_group_sync_exec(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	group->enabled = perfgrp_group_is_enabled(group);
	group->enable_on_exec = perfgrp_group_exec_pending(group);
}

/* What is asked for now counts more than what an exec was to do. */
static int cancel_enable_on_exec(struct perfgrp_group *group, struct perfgrp_error *err)
{
	struct perf_event *event;
	unsigned int i;
	int ret;

	if (!group->enable_on_exec)
		return 0;
	ret = perfgrp_exec_lock(group, err);
	if (ret)
		return ret;
	perfgrp_group_sync_exec(group);
	for (i = 0; i < group->nr_members; i++) {
		event = group->members[i]->instances[0].event;
		if (event)
			perfgrp_core_cancel_exec(event);
	}
	group->enable_on_exec = false;
	perfgrp_exec_unlock(group);
	return 0;
}

/*
 * The children of an inherited counter cannot be switched from outside the perf
 * core. So such counters count all the time; while their group is disabled they
 * read what they read when it was.
 */
static void freeze_inherited(struct perfgrp_group *group, bool freeze)
{
	struct perfgrp_count count;
	struct perfgrp_member_instance *counter;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[0];
		if (!counter->event)
			continue;
		perfgrp_core_read_inherited(counter->event, &count);
		if (freeze)
			counter->frozen = perfgrp_count_add(counter->base, count);
		else
			counter->base = perfgrp_count_sub(counter->frozen, count);
	}
}

/**
 * perfgrp_group_check_pinned - has the perf core given up a member of a NO_MUX group?
 * @group: the group; the lock is held for writing
 * @nr_members: how many of @group->members to look at
 * @err: says which one
 *
 * The perf core gives up at once what it cannot put on the PMU, and says so in the
 * event's state alone.
 *
 * Return: 0 or -EBUSY.
 */
int perfgrp_group_check_pinned(struct perfgrp_group *group, unsigned int nr_members,
			       struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	unsigned int i, m;

	if (!(group->flags & PERFGRP_CREATE_NO_MUX))
		return 0;
	for (i = 0; i < group->nr_instances; i++) {
		for (m = 0; m < nr_members; m++) {
			if (!perfgrp_instance_usable(&group->instances[i]) ||
			    !perfgrp_counter_failed(&group->members[m]->instances[i]))
				continue;
			err->cpu = group->instances[i].cpu;
			err->member = group->members[m]->id;
			return perfgrp_fail(err, -EBUSY, PERFGRP_REASON_PMU_BUSY, "",
					    "%s: the PMU has no room for the NO_MUX group now; others, perhaps the NMI watchdog, hold counters",
					    perfgrp_event_name(&group->members[m]->desc, buf));
		}
	}
	return 0;
}

/**
 * perfgrp_group_enable - let the whole group count
 * @group: the group; the lock is held for writing
 * @err: says why not
 *
 * Return: 0; -EBUSY where a NO_MUX group does not fit now, and then it is as it
 * was, disabled or counting where it can; -EINTR.
 */
int perfgrp_group_enable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held_write(&group->lock);

	ret = cancel_enable_on_exec(group, err);
	if (ret)
		return ret;
	if (perfgrp_group_inherits(group) && !group->enabled)
		freeze_inherited(group, false);
	perfgrp_group_start_all(group);
	ret = perfgrp_group_check_pinned(group, group->nr_members, err);
	if (!ret)
		group->enabled = true;
	else if (!group->enabled)
		perfgrp_group_stop_all(group);
	return ret;
}

/**
 * perfgrp_group_disable - let none of the group count
 * @group: the group; the lock is held for writing
 * @err: says why not
 *
 * Return: 0 or -EINTR.
 */
int perfgrp_group_disable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held_write(&group->lock);

	ret = cancel_enable_on_exec(group, err);
	if (ret)
		return ret;
	if (!perfgrp_group_inherits(group))
		perfgrp_group_stop_all(group);
	else if (group->enabled)
		freeze_inherited(group, true);
	group->enabled = false;
	return 0;
}
