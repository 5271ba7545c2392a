// SPDX-License-Identifier: GPL-2.0
/*
 * libperfgrp reads rows that are mapped: here from a mapping of our own making. TAP on standard
 * output; anything but 0 at the end if a test has failed.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "perfgrp.h"
#include "tap.h"
#include "util.h"

#define NR_SLOTS	3
#define MAX_VALUES	4

/* A slot and a value are longer here than the library knows them. */
struct slot {
	struct perfgrp_map_slot head;
	struct {
		struct perfgrp_value value;
		__u64 more;
	} values[MAX_VALUES];
};

static struct {
	struct perfgrp_map head;
	struct slot slots[NR_SLOTS];
} map;

static void make_map(__u64 generation)
{
	memset(&map, 0, sizeof(map));
	map.head = (struct perfgrp_map){
		.size = sizeof(map.head),
		.map_size = sizeof(map),
		.slot_offset = offsetof(typeof(map), slots),
		.slot_size = sizeof(map.slots[0]),
		.nr_slots = NR_SLOTS,
		.values_offset = offsetof(struct slot, values),
		.value_size = sizeof(map.slots[0].values[0]),
		.generation = generation,
	};
}

static void write_slot(unsigned int nr, __u64 generation, __u64 time, __u32 nr_values)
{
	struct slot *slot = &map.slots[nr];
	__u32 i;

	slot->head.seq = 2;
	slot->head.generation = generation;
	slot->head.row = (struct perfgrp_row){
		.cpu = (int)nr,
		.nr_values = nr_values,
		.time_before = time,
		.time_after = time + 5,
	};
	for (i = 0; i < nr_values; i++)
		slot->values[i].value = (struct perfgrp_value){ .id = i + 1, .raw = 10 * nr + i };
}

static __u64 raw_of(const struct perfgrp_snap *snap, int cpu, __u32 id)
{
	const struct perfgrp_row *row = perfgrp_snap_cpu(snap, cpu);
	const struct perfgrp_value *value = row ? perfgrp_snap_value(snap, row, id) : NULL;

	return value ? value->raw : ~0ULL;
}

static void reads(struct perfgrp_snap *snap)
{
	make_map(7);
	/* That of the first CPU is neither the oldest nor the newest; the second never came. */
	write_slot(0, 7, 200, 2);
	write_slot(2, 7, 100, 3);
	result(!perfgrp_snap_map(&map.head, snap) && perfgrp_snap_nr_rows(snap) == 2,
	       "M1 a CPU that was never there has no row");
	result(raw_of(snap, 0, 1) == 0 && raw_of(snap, 0, 2) == 1 && raw_of(snap, 2, 1) == 20 &&
	       raw_of(snap, 2, 2) == 21, "M1 each row has its own values");
	result(raw_of(snap, 0, 3) == ~0ULL && raw_of(snap, 2, 3) == 22,
	       "S3 a member that a row lacks is not looked for in another");
	result(perfgrp_snap_time_before(snap) == 100 && perfgrp_snap_time_after(snap) == 205 &&
	       perfgrp_snap_generation(snap) == 7, "S7 the times are those of all rows");
	write_slot(1, 7, 300, 2);
	result(!perfgrp_snap_map(&map.head, snap) && perfgrp_snap_time_before(snap) == 100 &&
	       perfgrp_snap_time_after(snap) == 305, "S7 also where the newest is in the middle");
}

static void refuses(struct perfgrp_snap *snap)
{
	make_map(8);
	write_slot(0, 8, 100, 2);
	write_slot(1, 7, 100, 3);
	write_slot(2, 8, 100, 2);
	result(perfgrp_snap_map(&map.head, snap) == -EAGAIN && !perfgrp_snap_nr_rows(snap),
	       "M5 rows of two generations are none");
	write_slot(1, 8, 100, 2);
	result(!perfgrp_snap_map(&map.head, snap) && perfgrp_snap_nr_rows(snap) == 3,
	       "M5 once they are of one they are read");
	map.head.generation = 9;
	result(perfgrp_snap_map(&map.head, snap) == -EAGAIN, "M5 nor are those of the one before");
}

static void full(struct perfgrp_snap *snap)
{
	unsigned int i;

	make_map(1);
	for (i = 0; i < NR_SLOTS; i++)
		write_slot(i, 1, 100, MAX_VALUES);
	result(!perfgrp_snap_map(&map.head, snap) && raw_of(snap, 2, MAX_VALUES) == 23,
	       "M1 there is room for as many values as slots have");
	make_map(2);
	result(!perfgrp_snap_map(&map.head, snap) && !perfgrp_snap_nr_rows(snap),
	       "M1 without any row that is no error");
}

/* An older module, whose row ended with time_after, and its value with time_enabled. */
static void shorter(struct perfgrp_snap *snap)
{
	const __u32 row_size = offsetof(struct perfgrp_row, cgroup_id);
	const __u32 value_size = offsetof(struct perfgrp_value, time_running);
	const struct perfgrp_value *value;
	const struct perfgrp_row *row;
	unsigned int i;

	make_map(3);
	map.head.values_offset = offsetof(struct perfgrp_map_slot, row) + row_size;
	map.head.value_size = value_size;
	write_slot(1, 3, 100, 0);
	map.slots[1].head.row.nr_values = 2;
	for (i = 0; i < 2; i++) {
		struct perfgrp_value older = {
			.id = i + 1,
			.raw = 30 + i,
			.time_enabled = 40 + i,
		};

		memcpy((char *)&map.slots[1] + map.head.values_offset + i * value_size, &older,
		       value_size);
	}
	result(!perfgrp_snap_map(&map.head, snap) && perfgrp_snap_nr_rows(snap) == 1,
	       "M1 rows of a module with shorter structs are read");
	row = perfgrp_snap_cpu(snap, 1);
	/* Where its time_running would be is the next value. */
	value = row ? perfgrp_snap_value(snap, row, 1) : NULL;
	result(row && row->time_after == 105 && !row->cgroup_id, "M1 what its row lacks is 0");
	result(value && value->raw == 30 && value->time_enabled == 40 && !value->time_running,
	       "M1 and what its values lack");
}

int main(void)
{
	struct perfgrp_snap *snap = xcheck(perfgrp_snap_new());

	reads(snap);
	refuses(snap);
	full(snap);
	shorter(snap);
	perfgrp_snap_free(snap);
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
