// SPDX-License-Identifier: GPL-2.0
/*
 * PERFGRP_SNAPSHOT: take a snapshot (snapshot.c) and copy it to the user. It is copied after the
 * lock is dropped; with PERFGRP_SNAPSHOT_RESET, under the lock and before the reset, so that a
 * fault loses no counts.
 *
 * Process context.
 */
#include <linux/compiler.h>

#include "error.h"
#include "group.h"
#include "group_snapshot.h"
#include "ioctl.h"
#include "snapshot.h"
#include "split.h"
#include "usercopy.h"

static __always_inline int copy_snapshot(struct perfgrp_call *call, const struct perfgrp_snap *snap)
{
	struct perfgrp_snapshot *arg = &call->arg.snapshot;
	bool fits = arg->nr_rows >= snap->nr_rows && arg->nr_values >= snap->nr_values;
	const char *small = arg->nr_rows < snap->nr_rows ? "nr_rows" : "nr_values";

	if (fits && perfgrp_copy_elements_to_user(arg->rows, arg->row_size, snap->rows,
						  sizeof(*snap->rows), snap->nr_rows))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "rows",
				    "the array of rows cannot be written");
	if (fits && perfgrp_copy_elements_to_user(arg->values, arg->value_size, snap->values,
						  sizeof(*snap->values), snap->nr_values))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "values",
				    "the array of values cannot be written");

	arg->nr_rows = snap->nr_rows;
	arg->nr_values = snap->nr_values;
	if (!fits) {
		call->out_on_error = true;
		return perfgrp_fail(&call->err, -EMSGSIZE, PERFGRP_REASON_BUFFER, small,
				    "the snapshot has %u rows and %u values", snap->nr_rows,
				    snap->nr_values);
	}
	arg->time_before = snap->time_before;
	arg->time_after = snap->time_after;
	arg->generation = snap->generation;
	return 0;
}

static int check_cached(const struct perfgrp_group *group, const struct perfgrp_snapshot *arg,
			struct perfgrp_error *err)
{
	if (!(arg->flags & PERFGRP_SNAPSHOT_CACHED))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "max_age",
				    "max_age requires CACHED");
	if (!group->mapped)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "CACHED: the group was created without PERFGRP_CREATE_MAPPED");
	if (arg->flags & PERFGRP_SNAPSHOT_RESET)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "CACHED and RESET cannot be used together");
	return 0;
}

static int check_snapshot(const struct perfgrp_group *group, const struct perfgrp_snapshot *arg,
			  struct perfgrp_error *err)
{
	int ret;

	if (arg->flags & PERFGRP_SNAPSHOT_MIX_PMUS && !(arg->flags & PERFGRP_SNAPSHOT_TOTALS))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "MIX_PMUS requires TOTALS");
	ret = perfgrp_ioctl_check_element_size(arg->row_size, PERFGRP_ROW_SIZE_VER0, "row_size",
					       err);
	if (!ret)
		ret = perfgrp_ioctl_check_element_size(arg->value_size, PERFGRP_VALUE_SIZE_VER0,
						       "value_size", err);
	if (!ret && unlikely(arg->max_age || arg->flags & PERFGRP_SNAPSHOT_CACHED))
		ret = check_cached(group, arg, err);
	return ret;
}

/* Removed cgroups count as reported only once all of the snapshot is written. */
static int deliver_split(struct perfgrp_call *call)
{
	int ret = perfgrp_ioctl_write_argument(call);

	if (!ret)
		perfgrp_split_delivered(&call->snap);
	return ret;
}

/* All of the snapshot is written before the group is reset, so that a fault loses no counts. */
static int deliver_and_reset(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_snapshot asked = call->arg.snapshot;
	int ret;

	ret = copy_snapshot(call, &call->snap);
	if (!ret)
		ret = perfgrp_ioctl_write_argument(call);
	if (!ret) {
		perfgrp_split_delivered(&call->snap);
		perfgrp_snapshot_reset(group, &call->snap);
	}
	perfgrp_snapshot_free(&call->snap);
	call->faulted = ret == -EFAULT;
	/* copy_snapshot() has overwritten nr_rows and nr_values; the retry needs the user's. */
	if (call->faulted)
		call->arg.snapshot = asked;
	return ret;
}

/**
 * perfgrp_group_snapshot - PERFGRP_SNAPSHOT, with the lock held
 * @group: the group; the lock is held, for writing with PERFGRP_SNAPSHOT_RESET
 * @call: the call
 *
 * Return: 0 or a negative errno; -EFAULT with @call->faulted if it is to be tried again.
 */
int perfgrp_group_snapshot(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_snapshot *arg = &call->arg.snapshot;
	u32 flags = arg->flags;
	int ret;

	ret = check_snapshot(group, arg, &call->err);
	if (!ret)
		ret = perfgrp_snapshot_take(group, flags, arg->max_age, &call->snap, &call->err);
	if (!ret && flags & PERFGRP_SNAPSHOT_RESET)
		ret = deliver_and_reset(group, call);
	return ret;
}

/**
 * perfgrp_group_snapshot_fault_in - fault in the user memory that a snapshot is copied to
 * @group: the group; the lock is not held
 * @call: the call
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_group_snapshot_fault_in(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_snapshot *arg = &call->arg.snapshot;
	int ret;

	ret = perfgrp_ioctl_fault_in(arg->rows, (size_t)call->snap.nr_rows * arg->row_size);
	if (!ret)
		ret = perfgrp_ioctl_fault_in(arg->values,
					     (size_t)call->snap.nr_values * arg->value_size);
	if (!ret)
		ret = perfgrp_ioctl_fault_in((uintptr_t)call->user, call->user_size);
	return ret;
}

/**
 * perfgrp_group_snapshot_finish - copy a snapshot to the user, unless PERFGRP_SNAPSHOT_RESET has
 * @group: the group; the lock is not held any more
 * @call: the call
 * @ret: what perfgrp_group_snapshot() has returned
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_group_snapshot_finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret)
{
	if (ret || call->arg.snapshot.flags & PERFGRP_SNAPSHOT_RESET)
		return ret;
	ret = copy_snapshot(call, &call->snap);
	if (!ret && unlikely(group->split))
		ret = deliver_split(call);
	perfgrp_snapshot_free(&call->snap);
	return ret;
}
