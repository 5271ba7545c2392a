// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Mapped rows: snapshots without a system call. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf.h"

/* Retries, while the group is being changed, before perfgrp_snap_map() gives up. */
#define MAX_ROUNDS	100000
/* Retries before it calls sched_yield(). */
#define BUSY_ROUNDS	100

static const struct perfgrp_map *map_bytes(struct perfgrp_group *group, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, group->fd, PERFGRP_MMAP_ROWS);
	int err = errno;

	if (map != MAP_FAILED)
		return map;
	perfgrp_set_error(&group->error, err);
	if (err == EINVAL)
		snprintf(group->error.text, sizeof(group->error.text),
			 "the group was created without PERFGRP_CREATE_MAPPED");
	errno = err;
	return NULL;
}

/**
 * perfgrp_map_rows - map the rows of a group
 * @group: a group with PERFGRP_CREATE_MAPPED, or a read-only fd of one
 *
 * The mapping outlives @group.
 *
 * Return: the mapping, for perfgrp_unmap_rows(), or NULL and errno
 */
const struct perfgrp_map *perfgrp_map_rows(struct perfgrp_group *group)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
	const struct perfgrp_map *map;

	if (group->perf) {
		errno = -perfgrp_perf_needs_module(&group->error, "mapping rows");
		return NULL;
	}
	map = map_bytes(group, page);
	if (!map)
		return NULL;
	size = map->map_size;
	munmap((void *)map, page);
	return map_bytes(group, size);
}

/**
 * perfgrp_unmap_rows - undo perfgrp_map_rows()
 * @map: the mapping, or NULL
 */
void perfgrp_unmap_rows(const struct perfgrp_map *map)
{
	if (map)
		munmap((void *)map, map->map_size);
}

/* Makes room for all that the mapping can hold; returns false if there is no memory. */
static int make_room(const struct perfgrp_map *map, struct perfgrp_snap *snap)
{
	__u32 max_values = (map->slot_size - map->values_offset) / map->value_size;

	return perfgrp_snap_grow(snap, map->nr_slots, map->nr_slots * max_values);
}

/* Returns false if a slot is of another generation. */
static int read_slots(const struct perfgrp_map *map, __u64 generation, struct perfgrp_snap *snap)
{
	struct perfgrp_row *row;
	__u64 row_generation;
	__u32 i;
	int nr;

	snap->nr_rows = 0;
	snap->nr_values = 0;
	snap->time_before = ~0ULL;
	snap->time_after = 0;
	for (i = 0; i < map->nr_slots; i++) {
		row = &snap->rows[snap->nr_rows];
		nr = perfgrp_map_read_slot(map, i, row, snap->values + snap->nr_values,
					   snap->room_values - snap->nr_values, &row_generation);
		if (nr < 0)
			continue;
		if (row_generation != generation)
			return 0;
		row->first_value = snap->nr_values;
		snap->nr_rows++;
		snap->nr_values += (__u32)nr;
		if (row->time_before < snap->time_before)
			snap->time_before = row->time_before;
		if (row->time_after > snap->time_after)
			snap->time_after = row->time_after;
	}
	return 1;
}

/**
 * perfgrp_snap_map - read a whole group, without a system call
 * @map: from perfgrp_map_rows()
 * @snap: filled in, and grown if need be, as by perfgrp_take_snap()
 *
 * All rows are of one generation of the group, each as of its own time_after: see struct
 * perfgrp_map_slot and PERFGRP_CREATE_MAPPED.
 *
 * Return: 0; -ENOMEM; -EAGAIN if the group kept changing
 */
int perfgrp_snap_map(const struct perfgrp_map *map, struct perfgrp_snap *snap)
{
	unsigned int round;

	snap->nr_rows = 0;
	snap->nr_values = 0;
	if (!make_room(map, snap))
		return -ENOMEM;
	for (round = 0; round < MAX_ROUNDS; round++) {
		snap->generation = __atomic_load_n(&map->generation, __ATOMIC_ACQUIRE);
		if (read_slots(map, snap->generation, snap) &&
		    __atomic_load_n(&map->generation, __ATOMIC_RELAXED) == snap->generation)
			return 0;
		if (round > BUSY_ROUNDS)
			sched_yield();
	}
	snap->nr_rows = 0;
	snap->nr_values = 0;
	return -EAGAIN;
}
