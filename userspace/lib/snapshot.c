// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Snapshots: all values of a group at one moment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/**
 * perfgrp_snap_new - make an object for snapshots
 *
 * Return: an empty snapshot, for perfgrp_snap_free(); NULL with errno set
 */
struct perfgrp_snap *perfgrp_snap_new(void)
{
	return calloc(1, sizeof(struct perfgrp_snap));
}

/**
 * perfgrp_snap_free - undo perfgrp_snap_new()
 * @snap: the snapshot, or NULL
 */
void perfgrp_snap_free(struct perfgrp_snap *snap)
{
	if (!snap)
		return;
	free(snap->rows);
	free(snap->values);
	free(snap);
}

/* Makes room for rows and values; returns false if there is no memory. */
int perfgrp_snap_grow(struct perfgrp_snap *snap, __u32 nr_rows, __u32 nr_values)
{
	if (nr_rows > snap->room_rows) {
		struct perfgrp_row *rows;

		rows = reallocarray(snap->rows, nr_rows, sizeof(*rows));
		if (!rows)
			return 0;
		snap->rows = rows;
		snap->room_rows = nr_rows;
	}
	if (nr_values > snap->room_values) {
		struct perfgrp_value *values;

		values = reallocarray(snap->values, nr_values, sizeof(*values));
		if (!values)
			return 0;
		snap->values = values;
		snap->room_values = nr_values;
	}
	return 1;
}

static int take(struct perfgrp_group *group, __u32 flags, __u64 max_age,
		struct perfgrp_snap *snap)
{
	snap->nr_rows = 0;
	snap->nr_values = 0;

	for (;;) {
		struct perfgrp_snapshot arg = {
			.flags = flags,
			.rows = (__u64)(unsigned long)snap->rows,
			.values = (__u64)(unsigned long)snap->values,
			.row_size = sizeof(*snap->rows),
			.nr_rows = snap->room_rows,
			.value_size = sizeof(*snap->values),
			.nr_values = snap->room_values,
			.max_age = max_age,
		};
		int err;

		err = perfgrp_call(group, PERFGRP_SNAPSHOT, &arg);
		if (!err) {
			snap->nr_rows = arg.nr_rows;
			snap->nr_values = arg.nr_values;
			snap->time_before = arg.time_before;
			snap->time_after = arg.time_after;
			snap->generation = arg.generation;
			return 0;
		}
		if (err != -EMSGSIZE || (arg.nr_rows <= snap->room_rows &&
					 arg.nr_values <= snap->room_values))
			return err;
		if (!perfgrp_snap_grow(snap, arg.nr_rows, arg.nr_values)) {
			perfgrp_set_error(&group->error, ENOMEM);
			return -ENOMEM;
		}
	}
}

/**
 * perfgrp_take_snap - read a whole group
 * @group: the group
 * @flags: PERFGRP_SNAPSHOT_*
 * @snap: filled in, and grown if need be
 *
 * Return: 0; or a negative errno with no rows and no values in @snap
 */
int perfgrp_take_snap(struct perfgrp_group *group, __u32 flags, struct perfgrp_snap *snap)
{
	return take(group, flags, 0, snap);
}

/**
 * perfgrp_take_cached_snap - read a whole group without waking idle CPUs
 * @group: a group with PERFGRP_CREATE_MAPPED
 * @flags: PERFGRP_SNAPSHOT_*, except RESET; CACHED is implied
 * @max_age: maximum age in ns of a busy CPU's row, at the time of the call
 * @snap: as in perfgrp_take_snap()
 *
 * An idle CPU wrote its row when it became idle, so that row is exact.
 *
 * Return: as perfgrp_take_snap()
 */
int perfgrp_take_cached_snap(struct perfgrp_group *group, __u32 flags, __u64 max_age,
			     struct perfgrp_snap *snap)
{
	return take(group, flags | PERFGRP_SNAPSHOT_CACHED, max_age, snap);
}

/**
 * perfgrp_snap_time_before - when the first CPU began to read
 * @snap: a snapshot
 *
 * Return: ns, on the group's clock
 */
__u64 perfgrp_snap_time_before(const struct perfgrp_snap *snap)
{
	return snap->time_before;
}

/**
 * perfgrp_snap_time_after - when the last CPU had read
 * @snap: a snapshot
 *
 * Return: ns, on the group's clock
 */
__u64 perfgrp_snap_time_after(const struct perfgrp_snap *snap)
{
	return snap->time_after;
}

/**
 * perfgrp_snap_generation - the group's generation, which changes with its members and each reset
 * @snap: a snapshot
 *
 * Return: the generation; snapshots with the same generation can be subtracted
 */
__u64 perfgrp_snap_generation(const struct perfgrp_snap *snap)
{
	return snap->generation;
}

/**
 * perfgrp_snap_nr_rows - get the number of rows
 * @snap: a snapshot
 *
 * Return: number of rows: one per CPU, one for a task, or the totals
 */
__u32 perfgrp_snap_nr_rows(const struct perfgrp_snap *snap)
{
	return snap->nr_rows;
}

/**
 * perfgrp_snap_row - one of the rows
 * @snap: a snapshot
 * @i: its index
 *
 * Return: the row, valid until @snap is used again; NULL if there is none
 */
const struct perfgrp_row *perfgrp_snap_row(const struct perfgrp_snap *snap, __u32 i)
{
	return i < snap->nr_rows ? &snap->rows[i] : NULL;
}

/**
 * perfgrp_snap_cpu - find the row of a CPU
 * @snap: a snapshot
 * @cpu: the CPU, or -1 for the row of a task or of totals
 *
 * Return: the first such row, or NULL
 */
const struct perfgrp_row *perfgrp_snap_cpu(const struct perfgrp_snap *snap, int cpu)
{
	__u32 i;

	for (i = 0; i < snap->nr_rows; i++)
		if (snap->rows[i].cpu == cpu)
			return &snap->rows[i];
	return NULL;
}

/**
 * perfgrp_snap_value - find a member's value in a row
 * @snap: a snapshot
 * @row: one of its rows
 * @id: the member
 *
 * Return: the value, or NULL
 */
const struct perfgrp_value *perfgrp_snap_value(const struct perfgrp_snap *snap,
					       const struct perfgrp_row *row, __u32 id)
{
	__u32 i;

	for (i = row->first_value; i < row->first_value + row->nr_values; i++)
		if (snap->values[i].id == id)
			return &snap->values[i];
	return NULL;
}

/**
 * perfgrp_snap_value_at - one of the values of a row
 * @snap: a snapshot
 * @row: one of its rows
 * @i: its index, in the order of members
 *
 * Return: the value, or NULL if there is none
 */
const struct perfgrp_value *perfgrp_snap_value_at(const struct perfgrp_snap *snap,
						  const struct perfgrp_row *row, __u32 i)
{
	return i < row->nr_values ? &snap->values[row->first_value + i] : NULL;
}
