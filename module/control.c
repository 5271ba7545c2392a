// SPDX-License-Identifier: GPL-2.0
/*
 * Letting a group count, or not.
 *
 * Process context, the group's lock held for writing.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>

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

/*
 * Whether the counters count, as far as their group says. Those that wait for an
 * exec do not, until it has come: their group is enabled all the while.
 */
bool perfgrp_group_is_counting(const struct perfgrp_group *group)
{
	const struct perf_event *leader;

	if (!(group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC) || !group->nr_members)
		return group->enabled && !(group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC);
	leader = group->members[0]->counters[0].event;
	return leader && perfgrp_core_state(leader) >= PERF_EVENT_STATE_INACTIVE;
}

/*
 * The children of an inherited counter cannot be switched from outside the perf
 * core. So such counters count all the time; while their group is disabled they
 * read what they read when it was.
 */
static void hold_inherited(struct perfgrp_group *group, bool hold)
{
	struct perfgrp_count count;
	struct perfgrp_kcounter *counter;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->counters[0];
		if (!counter->event)
			continue;
		count.count = perf_event_read_value(counter->event, &count.enabled, &count.running);
		if (hold)
			counter->held = perfgrp_count_add(counter->base, count);
		else
			counter->base = perfgrp_count_sub(counter->held, count);
	}
}

/* NO_MUX: the perf core gives up at once what it cannot put on the PMU. */
static int check_pinned(struct perfgrp_group *group, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	unsigned int i, m;

	if (!(group->flags & PERFGRP_CREATE_NO_MUX))
		return 0;
	for (i = 0; i < group->nr_instances; i++) {
		for (m = 0; m < group->nr_members; m++) {
			if (!perfgrp_instance_usable(&group->instances[i]) ||
			    !perfgrp_counter_failed(&group->members[m]->counters[i]))
				continue;
			err->cpu = group->instances[i].cpu;
			err->member = group->members[m]->id;
			return perfgrp_refuse(err, -EBUSY, PERFGRP_REASON_PMU_BUSY, "",
					      "%s: the PMU has no room for the NO_MUX group now; others, perhaps the NMI watchdog, hold counters",
					      perfgrp_event_name(&group->members[m]->spec, buf));
		}
	}
	return 0;
}

/**
 * perfgrp_group_enable - let the whole group count
 * @group: the group; the lock is held for writing
 * @err: says why not
 *
 * Return: 0; -EBUSY where a NO_MUX group does not fit now, and then it is
 * disabled.
 */
int perfgrp_group_enable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (perfgrp_group_inherits(group) && !group->enabled)
		hold_inherited(group, false);
	perfgrp_group_start_all(group);
	ret = check_pinned(group, err);
	if (ret) {
		perfgrp_group_stop_all(group);
		group->enabled = false;
		return ret;
	}
	group->enabled = true;
	return 0;
}

/**
 * perfgrp_group_disable - let none of the group count
 * @group: the group; the lock is held for writing
 */
void perfgrp_group_disable(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	if (!perfgrp_group_inherits(group))
		perfgrp_group_stop_all(group);
	else if (group->enabled)
		hold_inherited(group, true);
	group->enabled = false;
}
