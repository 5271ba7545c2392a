/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots: all values of a group at one moment. */
#ifndef PERFGRP_SNAPSHOT_H
#define PERFGRP_SNAPSHOT_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;
struct perfgrp_snap_buffer;

/**
 * struct perfgrp_snap - all values of a group at one moment
 * @nr_rows: rows of @rows
 * @nr_values: values of @values
 * @rows: see struct perfgrp_row
 * @values: see struct perfgrp_value
 * @time_before: earliest time_before of a row; now if there is no row
 * @time_after: latest time_after of a row; now if there is no row
 * @generation: of the group
 * @group: what was read
 * @buffer: the memory of all of it
 * @split_number: perfgrp_split.number, if the group is split
 */
struct perfgrp_snap {
	unsigned int nr_rows;
	unsigned int nr_values;
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	u64 time_before;
	u64 time_after;
	u64 generation;
	struct perfgrp_group *group;
	struct perfgrp_snap_buffer *buffer;
	u64 split_number;
};

/*
 * Beside PERFGRP_SNAPSHOT_*: interrupt no CPU. Counts of events that are on a CPU are those of
 * their last read, and values do not belong to one moment; the states are right.
 */
#define PERFGRP_SNAP_PEEK BIT(31)

int perfgrp_snapshot_take(struct perfgrp_group *group, u32 flags, u64 max_age,
			  struct perfgrp_snap *snap, struct perfgrp_error *err);
int perfgrp_snapshot_alloc(struct perfgrp_group *group, size_t nr_rows, struct perfgrp_snap *snap);
void perfgrp_snapshot_reset(struct perfgrp_group *group, const struct perfgrp_snap *snap);
void perfgrp_snapshot_free(struct perfgrp_snap *snap);

#endif /* PERFGRP_SNAPSHOT_H */
