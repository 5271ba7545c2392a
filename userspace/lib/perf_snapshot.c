// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* PERFGRP_BACKEND=perf: reading. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf.h"
#include "pool.h"

/* If time_enabled does not change for longer than this, the event's CPU went offline. */
#define STANDS_STILL_NS	1000000

#define SNAPSHOT_FLAGS	(PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS | \
			 PERFGRP_SNAPSHOT_RESET | PERFGRP_SNAPSHOT_CACHED)

__u64 perfgrp_perf_now(const struct perf_group *group)
{
	struct timespec t;

	clock_gettime(group->clockid, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* ---- reading events --------------------------------------------------------------- */

static void take_value(struct perf_group *group, __u32 place, const __u64 *times, __u64 value,
		       __u64 id)
{
	__u32 m;

	for (m = 0; m < group->nr_members; m++) {
		struct perf_instance *at = &group->members[m].at[place];

		if (at->fd < 0 || at->id != id)
			continue;
		at->now.raw = value;
		at->now.enabled = times[0];
		at->now.running = times[1];
		return;
	}
}

static void set_failed(struct perf_group *group, __u32 place, __u32 leader, bool failed)
{
	__u32 m;

	for (m = 0; m < group->nr_members; m++) {
		struct perf_instance *at = &group->members[m].at[place];

		if (at->fd >= 0 && at->leader == leader)
			at->failed = failed;
	}
}

/* Reads one scheduling group. A pinned group that lost its place on the PMU returns 0 bytes. */
static void read_sched_group(struct perf_group *group, __u32 place, __u32 leader)
{
	const size_t room = (3 + 2 * group->nr_members) * sizeof(*group->buffer);
	const __u64 *data = group->buffer;
	ssize_t len;
	__u64 i;

	len = read(group->members[leader].at[place].fd, group->buffer, room);
	set_failed(group, place, leader, len <= 0);
	if (len <= 0)
		return;
	for (i = 0; i < data[0]; i++)
		take_value(group, place, data + 1, data[3 + 2 * i], data[4 + 2 * i]);
}

/*
 * When a CPU goes offline, the perf core drops its events: they keep their values and never count
 * again. That is the only case in which time_enabled of an enabled event of a CPU does not advance.
 */
static void check_place(struct perf_group *group, struct perf_place *place, __u64 enabled)
{
	if (group->enabled && place->cpu >= 0 && place->time &&
	    (group->target == PERFGRP_TARGET_CPUS || group->target == PERFGRP_TARGET_ALL_CPUS) &&
	    enabled == place->enabled && place->time_before > place->time + STANDS_STILL_NS)
		place->lost = true;
	if (enabled != place->enabled || !place->time) {
		place->enabled = enabled;
		place->time = place->time_before;
	}
}

static void read_place(struct perf_group *group, __u32 i)
{
	struct perf_place *place = &group->places[i];
	__u64 enabled = 0, before = 0, then;
	bool any = false;
	__u32 m;

	place->time_before = perfgrp_perf_now(group);
	for (m = 0; m < group->nr_members; m++) {
		if (!perfgrp_perf_leads(group, m, i))
			continue;
		then = group->members[m].at[i].now.enabled;
		read_sched_group(group, i, m);
		if (group->members[m].at[i].failed)
			continue;
		enabled += group->members[m].at[i].now.enabled;
		before += then;
		any = true;
	}
	place->time_after = perfgrp_perf_now(group);
	if (any)
		check_place(group, place, enabled);
	/* Only the exec can have enabled the events. */
	if (group->awaits_exec && !group->adding && enabled > before) {
		group->enabled = true;
		group->counted = true;
		group->awaits_exec = false;
	}
}

/* Reads all events. */
void perfgrp_perf_read(struct perf_group *group)
{
	__u32 i;

	for (i = 0; i < group->nr_places; i++)
		read_place(group, i);
}

/* ---- rows ------------------------------------------------------------------------- */

static bool is_offline(int cpu)
{
	struct pool pool = { 0 };
	const char *online;
	bool offline;

	online = perfgrp_read_file(&pool, "/sys/devices/system/cpu/cpu%d/online", cpu);
	offline = online && !strcmp(online, "0");
	perfgrp_pool_free(&pool);
	return offline;
}

/*
 * Has the task exited? Its children are not tracked. Before Linux 6.9 a thread that is not a
 * thread-group leader cannot have a pidfd; but it is never a zombie, so tkill(2) shows its exit.
 */
bool perfgrp_perf_has_exited(const struct perf_group *group)
{
	struct pollfd pidfd = { .fd = group->pidfd, .events = POLLIN };

	if (group->target != PERFGRP_TARGET_TASK)
		return false;
	if (group->pidfd >= 0)
		return poll(&pidfd, 1, 0) > 0;
	return syscall(SYS_tkill, group->pid, 0) && errno == ESRCH;
}

static void fill_value(const struct perf_group *group, __u32 m, __u32 place, __u32 row_flags,
		       struct perfgrp_value *value)
{
	const struct perf_instance *at = &group->members[m].at[place];

	*value = (struct perfgrp_value){
		.id = group->members[m].counter.id,
		.sched_group = at->fd < 0 ? 0 : group->members[at->leader].counter.id,
		.pmu = at->pmu,
		.raw = at->now.raw - at->base.raw,
		.time_enabled = at->now.enabled - at->base.enabled,
		.time_running = at->now.running - at->base.running,
	};
	perfgrp_value_scale(value);
	if (at->fd < 0 && !at->failed)
		return;
	/* Ignore failures from while members were added to a group that was never enabled. */
	if (at->fd < 0 || (at->failed && group->counted) || group->places[place].lost)
		value->flags |= PERFGRP_VALUE_FAILED;
	if (row_flags & PERFGRP_ROW_OFFLINE)
		value->flags |= PERFGRP_VALUE_OFFLINE;
	if (row_flags & PERFGRP_ROW_EXITED)
		value->flags |= PERFGRP_VALUE_EXITED;
	/* time_enabled of a cgroup's event advances only while one of its tasks runs there. */
	if (group->target == PERFGRP_TARGET_CGROUP && group->counted && !value->time_enabled &&
	    !(value->flags & PERFGRP_VALUE_FAILED)) {
		value->state = PERFGRP_STATE_COUNTED;
		value->flags |= PERFGRP_VALUE_SCALED | PERFGRP_VALUE_ABSENT;
	}
}

static void fill_row(const struct perf_group *group, __u32 i, __u32 flags,
		     struct perfgrp_row *row, struct perfgrp_value *values)
{
	const struct perf_place *place = &group->places[i];
	__u32 m;

	*row = (struct perfgrp_row){
		.cpu = place->cpu,
		.flags = flags,
		.first_value = i * group->nr_members,
		.nr_values = group->nr_members,
		.nr_cpus = 1,
		.time_before = place->time_before,
		.time_after = place->time_after,
	};
	if (place->lost && is_offline(place->cpu))
		row->flags |= PERFGRP_ROW_OFFLINE;
	for (m = 0; m < group->nr_members; m++) {
		fill_value(group, m, i, row->flags, &values[row->first_value + m]);
		if (values[row->first_value + m].flags & PERFGRP_VALUE_FAILED)
			row->flags |= PERFGRP_ROW_FAILED;
	}
}

/* ---- the call --------------------------------------------------------------------- */

/* Copies rows and values to the caller if there is room for them. */
static int give(struct perfgrp_snapshot *arg, const struct perfgrp_row *rows, __u32 nr_rows,
		const struct perfgrp_value *values, __u32 nr_values, struct perfgrp_error *error)
{
	const __u32 room_rows = arg->nr_rows, room_values = arg->nr_values;
	__u32 i;

	arg->nr_rows = nr_rows;
	arg->nr_values = nr_values;
	if (room_rows < nr_rows || room_values < nr_values)
		return perfgrp_perf_fail(error, EMSGSIZE, PERFGRP_REASON_BUFFER,
					 "the arrays have room for %u of %u rows and %u of %u values",
					 room_rows, nr_rows, room_values, nr_values);
	if (nr_rows)
		memcpy((void *)(unsigned long)arg->rows, rows, nr_rows * sizeof(*rows));
	if (nr_values)
		memcpy((void *)(unsigned long)arg->values, values, nr_values * sizeof(*values));
	for (i = 0; i < nr_rows; i++) {
		if (!i || rows[i].time_before < arg->time_before)
			arg->time_before = rows[i].time_before;
		if (!i || rows[i].time_after > arg->time_after)
			arg->time_after = rows[i].time_after;
	}
	return 0;
}

/**
 * perfgrp_perf_snapshot - PERFGRP_SNAPSHOT
 * @group: the group
 * @arg: its argument, with the library's size
 * @error: filled in on failure
 *
 * Reads the CPUs one after the other, from the CPU that it runs on.
 *
 * Return: 0 or a negative errno
 */
int perfgrp_perf_snapshot(struct perf_group *group, struct perfgrp_snapshot *arg,
			  struct perfgrp_error *error)
{
	const bool totals = arg->flags & PERFGRP_SNAPSHOT_TOTALS;
	const size_t nr_values = (size_t)group->nr_places * group->nr_members;
	__u32 flags = 0, nr_rows = group->nr_places, i;
	struct perfgrp_value *values;
	struct perfgrp_row *rows;
	int err;

	if (arg->flags & ~SNAPSHOT_FLAGS)
		return perfgrp_perf_fail(error, EOPNOTSUPP, PERFGRP_REASON_FLAGS,
					 "unknown flags %#x", arg->flags & ~SNAPSHOT_FLAGS);
	if (arg->flags & PERFGRP_SNAPSHOT_CACHED)
		return perfgrp_perf_needs_module(error, "a cached snapshot");
	if (arg->flags & PERFGRP_SNAPSHOT_MIX_PMUS && !totals)
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_FLAGS,
					 "MIX_PMUS requires TOTALS");
	rows = calloc(2 * (size_t)nr_rows, sizeof(*rows));
	values = calloc(2 * nr_values + 1, sizeof(*values));
	if (!rows || !values) {
		err = perfgrp_perf_fail(error, ENOMEM, PERFGRP_REASON_MEMORY, "no memory");
		goto out;
	}
	perfgrp_perf_read(group);
	if (!(group->flags & PERFGRP_CREATE_INHERIT) && perfgrp_perf_has_exited(group))
		flags = PERFGRP_ROW_EXITED;
	for (i = 0; i < nr_rows; i++)
		fill_row(group, i, flags, &rows[i], values);
	if (totals)
		nr_rows = perfgrp_sum_rows(rows, nr_rows, values, group->nr_members,
					   arg->flags & PERFGRP_SNAPSHOT_MIX_PMUS,
					   rows + nr_rows, values + nr_values);
	arg->generation = group->generation;
	err = give(arg, totals ? rows + group->nr_places : rows, nr_rows,
		   totals ? values + nr_values : values, nr_rows * group->nr_members, error);
	if (!err && arg->flags & PERFGRP_SNAPSHOT_RESET)
		perfgrp_perf_begin_anew(group);
out:
	free(rows);
	free(values);
	return err;
}
