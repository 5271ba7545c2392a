// SPDX-License-Identifier: GPL-2.0
/*
 * Enabling and disabling a group.
 *
 * Process context, perfgrp_group.lock held for writing.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "control.h"
#include "counter.h"
#include "error.h"
#include "event.h"
#include "event_array.h"
#include "exec.h"
#include "group.h"
#include "perfcore.h"
#include "value.h"

/**
 * perfgrp_group_start_all - start the counters of all instances
 * @group: the group; the lock is held for writing
 */
void perfgrp_group_start_all(struct perfgrp_group *group)
{
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_instances; i++)
		if (perfgrp_instance_usable(&group->instances[i]))
			perfgrp_instance_start(group, i);
}

/**
 * perfgrp_group_stop_all - stop the counters of all instances
 * @group: the group; the lock is held for writing
 *
 * Includes instances whose CPU is going offline: disabling a dead event does no harm.
 */
void perfgrp_group_stop_all(struct perfgrp_group *group)
{
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_instances; i++)
		if (group->instances[i].live)
			perfgrp_instance_stop(group, i);
}

/*
 * A module cannot enable or disable the children of an inherited event. So inherited events
 * always count, and while their group is disabled the counters are frozen at the values from
 * when it was disabled.
 */
static void freeze_inherited(struct perfgrp_group *group)
{
	struct perfgrp_member_instance *counter;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[0];
		if (counter->event)
			perfgrp_counter_read_inherited(counter, false, &counter->frozen);
	}
}

static void unfreeze_inherited(struct perfgrp_group *group)
{
	struct perfgrp_member_instance *counter;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[0];
		if (counter->event)
			perfgrp_counter_rebase(group, counter, counter->frozen);
	}
}

/**
 * perfgrp_group_check_pinned - does a NO_MUX group have all its members on the PMU?
 * @group: the group; the lock is held for writing
 * @nr_members: how many of @group->members to check
 * @err: filled in on failure, with the member and the CPU
 *
 * If a pinned event does not fit, the perf core puts it into the error state at once. Nothing
 * else reports that.
 *
 * Return: 0 or -EBUSY.
 */
int perfgrp_group_check_pinned(struct perfgrp_group *group, unsigned int nr_members,
			       struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	unsigned int i, m;

	lockdep_assert_held_write(&group->lock);

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
					    "%s: the PMU has no free counters for the NO_MUX group now; others, perhaps the NMI watchdog, use them",
					    perfgrp_event_name(&group->members[m]->desc, buf));
		}
	}
	return 0;
}

/**
 * perfgrp_group_enable - enable the whole group
 * @group: the group; the lock is held for writing, and may be released as by perfgrp_exec_lock()
 * @err: filled in on failure
 *
 * Return: 0; -EINTR; -EBUSY if a NO_MUX group does not fit now: then it stays disabled, or, if it
 * was enabled, goes on counting where it fits.
 */
int perfgrp_group_enable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	bool frozen;
	int ret;

	lockdep_assert_held_write(&group->lock);

	ret = perfgrp_exec_cancel(group, &frozen, err);
	if (ret)
		return ret;
	if (frozen)
		unfreeze_inherited(group);
	perfgrp_group_start_all(group);
	ret = perfgrp_group_check_pinned(group, group->nr_members, err);
	WRITE_ONCE(group->counted, true);
	if (!ret)
		group->enabled = true;
	else if (!group->enabled)
		perfgrp_group_stop_all(group);
	perfgrp_event_arrays_set_frozen(group);
	return ret;
}

/**
 * perfgrp_group_disable - disable the whole group
 * @group: the group; the lock is held for writing, and may be released as by perfgrp_exec_lock()
 * @err: filled in on failure
 *
 * Return: 0 or -EINTR.
 */
int perfgrp_group_disable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	bool frozen;
	int ret;

	lockdep_assert_held_write(&group->lock);

	ret = perfgrp_exec_cancel(group, &frozen, err);
	if (ret)
		return ret;
	group->enabled = false;
	/*
	 * Before the counters are read, so that no sample shows more than they do. Reading an event
	 * needs its CPU or its context's lock, so any handler that missed the change has finished.
	 */
	perfgrp_event_arrays_set_frozen(group);
	if (!perfgrp_group_inherits(group))
		perfgrp_group_stop_all(group);
	else if (!frozen)
		freeze_inherited(group);
	return 0;
}
