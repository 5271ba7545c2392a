// SPDX-License-Identifier: GPL-2.0
/*
 * PERFGRP_CREATE_ENABLE_ON_EXEC, and keeping a group's task from execing.
 *
 * When a task execs, the perf core enables its events that have attr.enable_on_exec, and clears
 * that bit. The tracepoint sched_process_exec comes only after that. So a group that waits for an
 * exec has a dummy software event, exec_event, from CREATE on; while its bit is set the exec has
 * not happened. Members that are created before the exec have the bit too, so that the perf core
 * enables all of them at the exec itself.
 *
 * group->enable_on_exec is set while the group waits for the exec, and after the exec until
 * perfgrp_group_sync_exec() turns it into group->enabled.
 *
 * Verified in begin_new_exec(), perf_event_exec() and event_enable_on_exec() of 6.1.192, 6.12.117
 * and 7.3.4.
 *
 * The task cannot exec while its exec_update_lock is held, which is taken for reading under
 * perfgrp_group.lock. User memory must not be faulted in under it. An exec holds it while it closes
 * files, which takes as long as the file's driver likes; so perfgrp_group.lock is not held by
 * whoever waits for it.
 *
 * Process context.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>

#include "away.h"
#include "error.h"
#include "exec.h"
#include "group.h"
#include "perfcore.h"

/**
 * perfgrp_exec_create - let a new group wait for its task's exec
 * @group: a group with a task; not yet visible to anybody else. Nothing is done without
 *	PERFGRP_CREATE_ENABLE_ON_EXEC.
 * @err: filled in on failure
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_exec_create(struct perfgrp_group *group, struct perfgrp_error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.enable_on_exec = 1,
	};
	const struct perfgrp_core_request request = {
		.attr = &attr,
		.cpu = -1,
		.task = group->task,
	};
	struct perf_event *event;

	if (!(group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC))
		return 0;
	event = perfgrp_core_create(&request);
	if (IS_ERR(event))
		return perfgrp_fail_task_event(err, PTR_ERR(event), "flags",
					       "waits for the task's exec");
	group->exec_event = event;
	group->enable_on_exec = true;
	return 0;
}

/**
 * perfgrp_exec_destroy - release what perfgrp_exec_create() created
 * @group: no longer visible to anybody else
 */
void perfgrp_exec_destroy(struct perfgrp_group *group)
{
	if (group->exec_event)
		perf_event_release_kernel(group->exec_event);
	group->exec_event = NULL;
}

/**
 * perfgrp_group_exec_pending - is the exec that enables the group still to come?
 * @group: the group; the lock is held, for reading at least
 *
 * Return: whether it is.
 */
bool perfgrp_group_exec_pending(const struct perfgrp_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->enable_on_exec && perfgrp_core_exec_pending(group->exec_event);
}

/**
 * perfgrp_group_is_enabled - is the group enabled?
 * @group: the group; the lock is held, for reading at least
 *
 * Return: true if it is, by PERFGRP_CREATE, PERFGRP_ENABLE or the task's exec.
 */
bool perfgrp_group_is_enabled(const struct perfgrp_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->enabled || (group->enable_on_exec && !perfgrp_group_exec_pending(group));
}

/**
 * perfgrp_group_sync_exec - update the group's state if its task has execed
 * @group: the group; the lock is held for writing
 *
 * The perf core has enabled the events already.
 */
void perfgrp_group_sync_exec(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	group->enabled = perfgrp_group_is_enabled(group);
	group->enable_on_exec = perfgrp_group_exec_pending(group);
}

/**
 * perfgrp_exec_cancel - cancel enable_on_exec, for an explicit ENABLE or DISABLE
 * @group: the group; the lock is held for writing, and may be released as by perfgrp_exec_lock()
 * @frozen: set to perfgrp_group_is_frozen(), as it was before that
 * @err: filled in on -EINTR
 *
 * If the task has execed already, group->enabled is set.
 *
 * Return: 0 or -EINTR.
 */
int perfgrp_exec_cancel(struct perfgrp_group *group, bool *frozen, struct perfgrp_error *err)
{
	struct perfgrp_member_instance *counter;
	unsigned int i;
	int ret;

	lockdep_assert_held_write(&group->lock);

	*frozen = perfgrp_group_is_frozen(group);
	if (!group->enable_on_exec)
		return 0;
	ret = perfgrp_exec_lock(group, err);
	if (ret)
		return ret;
	*frozen = perfgrp_group_is_frozen(group);
	perfgrp_group_sync_exec(group);
	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[0];
		if (counter->event)
			perfgrp_core_cancel_exec(counter->event);
		if (counter->away)
			perfgrp_core_cancel_exec(counter->away->event);
	}
	group->enable_on_exec = false;
	perfgrp_exec_unlock(group);
	return 0;
}

/* Lets others use the group until the task's exec is over. Returns 0 or -EINTR. */
static int wait_for_exec(struct perfgrp_group *group)
{
	struct rw_semaphore *lock = &group->task->signal->exec_update_lock;
	int ret;

	up_write(&group->lock);
	ret = down_read_killable(lock);
	if (!ret)
		up_read(lock);
	down_write(&group->lock);
	return ret;
}

/**
 * perfgrp_exec_lock - keep the task of a group from execing
 * @group: the group; the lock is held for writing, but may have been released meanwhile. Nothing is
 *	done if it has no task.
 * @err: filled in on -EINTR
 *
 * User memory must not be faulted in until perfgrp_exec_unlock().
 *
 * Return: 0, or -EINTR on a fatal signal.
 */
int perfgrp_exec_lock(struct perfgrp_group *group, struct perfgrp_error *err)
{
	lockdep_assert_held_write(&group->lock);

	while (group->task && !down_read_trylock(&group->task->signal->exec_update_lock))
		if (wait_for_exec(group))
			return perfgrp_fail(err, -EINTR, PERFGRP_REASON_NONE, "", "interrupted");
	return 0;
}

void perfgrp_exec_unlock(struct perfgrp_group *group)
{
	if (group->task)
		up_read(&group->task->signal->exec_update_lock);
}

/* To be called where the caller must have called perfgrp_exec_lock(). */
void perfgrp_exec_assert_locked(const struct perfgrp_group *group)
{
	if (group->task)
		lockdep_assert_held(&group->task->signal->exec_update_lock);
}
