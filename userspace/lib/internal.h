/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Structs and functions shared by the files of libperfgrp. */
#ifndef PERFGRP_LIB_INTERNAL_H
#define PERFGRP_LIB_INTERNAL_H

#include "perfgrp.h"

struct perf_group;

/**
 * struct perfgrp_dev - the device, or perf_event_open(2) in its place
 * @fd: the device; -1 with PERFGRP_BACKEND=perf
 * @is_perf: groups are created without the module
 * @perf: always NULL, so that perfgrp_call() works on devices and groups
 * @error: of the last call that failed
 */
struct perfgrp_dev {
	int fd;
	int is_perf;
	struct perf_group *perf;
	struct perfgrp_error error;
};

/**
 * struct perfgrp_group - a group
 * @fd: the module's; -1 with PERFGRP_BACKEND=perf
 * @perf: the group, with PERFGRP_BACKEND=perf; else NULL
 * @error: of the last call that failed
 */
struct perfgrp_group {
	int fd;
	struct perf_group *perf;
	struct perfgrp_error error;
};

/**
 * struct perfgrp_snap - all values of a group at one moment
 * @rows: one row a CPU, one for a task, or sums over CPUs
 * @values: the values of all rows; a row's begin at its first_value
 * @nr_rows: number of rows
 * @nr_values: number of values
 * @room_rows: elements that @rows has room for
 * @room_values: elements that @values has room for
 * @time_before: time in ns before the first read, on the group's clock
 * @time_after: time in ns after the last read
 * @generation: of the group; see struct perfgrp_snapshot
 */
struct perfgrp_snap {
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	__u32 nr_rows;
	__u32 nr_values;
	__u32 room_rows;
	__u32 room_values;
	__u64 time_before;
	__u64 time_after;
	__u64 generation;
};

/**
 * struct perfgrp_members - a group and its members
 * @group: the result of PERFGRP_QUERY; use @counters and @nr instead of its own fields
 * @counters: its members, leader first
 * @nr: number of members
 * @room: elements that @counters has room for
 */
struct perfgrp_members {
	struct perfgrp_query group;
	struct perfgrp_counter *counters;
	__u32 nr;
	__u32 room;
};

/*
 * Every ioctl's struct begins with size, flags and error. These set size and error and leave the
 * rest to the caller. perfgrp_call() is for a struct of the library's own, perfgrp_call_sized() for
 * one that the library's caller passed, with its size.
 */
#define perfgrp_call(handle, nr, arg)	perfgrp_call_sized(handle, nr, arg, sizeof(*(arg)))
#define perfgrp_call_sized(handle, nr, arg, bytes)					\
({											\
	(arg)->size = (bytes);								\
	(arg)->error = (__u64)(unsigned long)&(handle)->error;				\
	perfgrp_ioctl((handle)->fd, (handle)->perf, nr, arg, &(handle)->error);		\
})

int perfgrp_ioctl(int fd, struct perf_group *perf, unsigned long nr, void *arg,
		  struct perfgrp_error *error);
void perfgrp_set_error(struct perfgrp_error *error, int err);
int perfgrp_snap_grow(struct perfgrp_snap *snap, __u32 nr_rows, __u32 nr_values);

#endif /* PERFGRP_LIB_INTERNAL_H */
