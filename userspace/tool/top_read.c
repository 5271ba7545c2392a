// SPDX-License-Identifier: GPL-2.0
/*
 * Read the counts for "perfgrp top". If rows can be mapped they are read from memory, without a
 * system call or interrupt, and the counts of a frame are the difference from the previous values.
 * Otherwise snapshots are taken, which reset the counters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ending.h"
#include "top.h"

/* ---- mapped rows --------------------------------------------------------------- */

static int map_fds(struct top *top, size_t index)
{
	const struct stat_group *group = &top->st.groups[index];
	struct top_fds *fds = &top->fds[index];

	while (fds->nr < group->nr) {
		struct top_fd *fd;

		GROW(fds->fds, fds->nr, fds->room);
		fd = &fds->fds[fds->nr];
		memset(fd, 0, sizeof(*fd));
		if (top->mapped) {
			fd->map = perfgrp_map_rows(group->fds[fds->nr]);
			if (!fd->map) {
				const struct perfgrp_error *error =
					perfgrp_group_error(group->fds[fds->nr]);

				snprintf(top->error, sizeof(top->error),
					 "cannot map rows: %s; use --wake to read them by system calls",
					 error->text);
				return -(int)error->error;
			}
		}
		fds->nr++;
	}
	return 0;
}

/*
 * Notes which rows are at rest. This must be done before they are read, so that the values are at
 * least as new. A slot's CPU never changes.
 */
static void see_rests(struct top *top, const struct perfgrp_map *map)
{
	__u32 i;

	for (i = 0; i < map->nr_slots; i++) {
		const struct perfgrp_map_slot *slot = perfgrp_map_slot(map, i);
		size_t index;

		if (!__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE))
			continue;
		index = slot->row.cpu + 1;
		if (index >= top->nr_rests) {
			top->rests = xrealloc(top->rests, index + 1, sizeof(*top->rests));
			memset(&top->rests[top->nr_rests], 0,
			       (index + 1 - top->nr_rests) * sizeof(*top->rests));
			top->nr_rests = index + 1;
		}
		top->rests[index] = __atomic_load_n(&slot->at_rest, __ATOMIC_ACQUIRE);
	}
}

static bool is_at_rest(const struct top *top, const struct perfgrp_row *row)
{
	const size_t index = row->cpu + 1;

	return index < top->nr_rests && top->rests[index];
}

/* ---- one row ------------------------------------------------------------------- */

/* Counts hotplug changes. If a mapped row has a new epoch, the CPU was offline in between. */
static void see_cpu(struct top *top, struct top_row *to, const struct perfgrp_row *row, bool is_new)
{
	const bool offline = row->flags & PERFGRP_ROW_OFFLINE;

	if (is_new && top->frames && !offline)
		top->changes++;
	else if (!is_new && offline != to->offline)
		top->changes++;
	else if (!is_new && row->epoch != to->epoch)
		top->changes += 2;
	to->offline = offline;
	to->epoch = row->epoch;
	if (!offline)
		top->nr_cpus++;
}

/* Adds the values of a row of a snapshot, which has reset the counters. */
static void take_values(struct top *top, size_t group, const __u32 *ids,
			const struct perfgrp_row *row, struct top_row *to, size_t first)
{
	const size_t nr = top->st.list.groups[group].nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct perfgrp_value *value = perfgrp_snap_value(top->st.snap, row, ids[i]);

		if (!value)
			continue;
		if (!(value->flags & PERFGRP_VALUE_ABSENT))
			to->ran = true;
		stat_add_value(&to->cells[first + i], value,
			       stat_find_sched_group(value, ids, nr, first));
	}
}

/* Adds the values of a mapped row, less those of the last frame. */
static void subtract_values(struct top *top, size_t group, const __u32 *ids,
			    const struct perfgrp_row *row, struct top_row *to, size_t first,
			    bool known)
{
	const size_t nr = top->st.list.groups[group].nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct perfgrp_value *found = perfgrp_snap_value(top->st.snap, row, ids[i]);
		struct perfgrp_value value;

		if (!found)
			continue;
		value = *found;
		if (known) {
			perfgrp_subtract_value(&value, &to->last[first + i], sizeof(value));
			stat_add_value(&to->cells[first + i], &value,
				       stat_find_sched_group(&value, ids, nr, first));
		}
		to->last[first + i] = *found;
	}
}

static void read_mapped_row(struct top *top, size_t group, const __u32 *ids,
			    const struct perfgrp_row *row, struct top_row *to, size_t first)
{
	struct top_part *part = &to->parts[group];
	const __u64 generation = perfgrp_snap_generation(top->st.snap);
	const bool rests = is_at_rest(top, row);
	const __u64 time = rests && row->time_after < top->now ? top->now : row->time_after;
	bool known = part->known && part->epoch == row->epoch && part->generation == generation;

	to->ran = true;
	to->rests = to->rests && rests;
	if (time < to->time)
		to->time = time;
	/* The row has not been written since the last frame. */
	if (known && time <= part->time)
		return;
	subtract_values(top, group, ids, row, to, first, known);
	if (known)
		to->elapsed[group] = time - part->time;
	*part = (struct top_part){
		.known = true, .epoch = row->epoch, .generation = generation, .time = time,
	};
}

static void read_row(struct top *top, size_t group, size_t fd, const struct perfgrp_row *row,
		     size_t first, bool *looked)
{
	const size_t nr = top->st.list.groups[group].nr;
	const __u32 *ids = &top->st.groups[group].ids[fd * nr];
	const unsigned int task = top->st.groups[group].tasks[fd];
	const size_t place = stat_place_of(&top->st, row, task, looked);
	const bool is_new = place >= top->nr_places || !top->of_place[place];
	const struct top_fd *of = &top->fds[group].fds[fd];
	struct top_row *to = top_row_of(top, place);

	if (!to->there) {
		to->there = true;
		to->rests = top->mapped;
		to->time = top->now;
		to->exited = row->flags & PERFGRP_ROW_EXITED;
		to->tid = task;
		if (row->cpu >= 0)
			see_cpu(top, to, row, is_new);
		else if (row->nr_cpus > top->nr_cpus)
			top->nr_cpus = row->nr_cpus;
		if (task && !to->exited)
			top->nr_tasks++;
	}
	if (of->map) {
		read_mapped_row(top, group, ids, row, to, first);
		return;
	}
	to->elapsed[group] = of->time ? perfgrp_snap_time_after(top->st.snap) - of->time : 0;
	take_values(top, group, ids, row, to, first);
}

/* ---- all rows ------------------------------------------------------------------ */

/* Upper bound of the other CPUs that a snapshot interrupts; for a task, the CPU that it runs on. */
static unsigned int count_interrupts(const struct top *top)
{
	const struct perfgrp_row *row;
	unsigned int cpus = 0;
	__u32 i;

	if (!target_has_cpus(&top->st.target))
		return 1;
	for (i = 0; (row = perfgrp_snap_row(top->st.snap, i)); i++) {
		if (row->cpu >= 0)
			cpus += !(row->flags & PERFGRP_ROW_OFFLINE);
		else if (row->nr_cpus > cpus)
			cpus = row->nr_cpus;
	}
	/* The CPU on which the snapshot is taken is not interrupted. */
	return cpus && top->st.target.kind == TARGET_ALL_CPUS ? cpus - 1 : cpus;
}

static __u32 snapshot_flags(const struct top *top)
{
	if (top->st.split.mount)
		return PERFGRP_SNAPSHOT_RESET | PERFGRP_SNAPSHOT_TOTALS |
		       PERFGRP_SNAPSHOT_MIX_PMUS;
	return PERFGRP_SNAPSHOT_RESET;
}

static int take_snapshot(struct top *top, size_t group, size_t fd)
{
	struct perfgrp_group *from = top->st.groups[group].fds[fd];
	const struct perfgrp_map *map = top->fds[group].fds[fd].map;
	int err;

	if (map) {
		see_rests(top, map);
		err = perfgrp_snap_map(map, top->st.snap);
		if (err)
			snprintf(top->error, sizeof(top->error), "%s: %s",
				 top->st.list.groups[group].events[0].name, strerror(-err));
		return err;
	}
	err = perfgrp_take_snap(from, snapshot_flags(top), top->st.snap);
	if (err)
		snprintf(top->error, sizeof(top->error), "%s: %s",
			 top->st.list.groups[group].events[0].name,
			 perfgrp_group_error(from)->text);
	else
		top->interrupts += count_interrupts(top);
	return err;
}

static int read_fd(struct top *top, size_t group, size_t fd, size_t first)
{
	const struct perfgrp_row *row;
	bool looked = false;
	__u32 i;
	int err;

	err = take_snapshot(top, group, fd);
	if (err)
		return err;
	for (i = 0; (row = perfgrp_snap_row(top->st.snap, i)); i++)
		read_row(top, group, fd, row, first, &looked);
	top->fds[group].fds[fd].time = perfgrp_snap_time_after(top->st.snap);
	return 0;
}

static void account_cost(struct top *top)
{
	struct timespec ts;
	__u64 time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	time = ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
	top->cost = time - top->cpu_time;
	top->cpu_time = time;
}

/**
 * top_read - read a frame
 * @top: open; its rows are updated
 *
 * Return: 0, or a negative errno with @top->error set
 */
int top_read(struct top *top)
{
	size_t first = 0, i, j;
	__u64 now;
	int err;

	if (top->st.aggr.mode == AGGR_THREAD)
		top_follow_tasks(top);
	/* The time of the frame, for all rows. */
	now = ending_now();
	top->elapsed = top->now ? now - top->now : 0;
	top->now = now;
	top_begin_frame(top);
	for (i = 0; i < top->st.nr_groups; i++) {
		err = map_fds(top, i);
		for (j = 0; j < top->st.groups[i].nr && !err; j++)
			err = read_fd(top, i, j, first);
		if (err)
			return err;
		first += top->st.list.groups[i].nr;
	}
	top_end_frame(top);
	account_cost(top);
	return 0;
}

/**
 * top_open - begin to count
 * @top: with its events and its target
 *
 * Also reads the initial values, from which the first frame is the difference.
 *
 * Return: 0, or a negative errno after printing an error
 */
int top_open(struct top *top)
{
	struct stat_cmd *st = &top->st;
	size_t i;
	int err;

	err = stat_open(st);
	if (err)
		return err;
	for (i = 0; i < st->nr_groups; i++)
		top->nr_events += st->list.groups[i].nr;
	top->fds = xcalloc(st->nr_groups, sizeof(*top->fds));
	top_make_columns(top);
	err = stat_enable(st);
	if (err)
		return err;
	account_cost(top);
	err = top_read(top);
	if (err)
		error("%s", top->error);
	/* Reading the initial values is not a frame. */
	top->frames = 0;
	return err;
}

void top_close(struct top *top)
{
	size_t i, j;

	for (i = 0; top->fds && i < top->st.nr_groups; i++) {
		for (j = 0; j < top->fds[i].nr; j++)
			perfgrp_unmap_rows(top->fds[i].fds[j].map);
		free(top->fds[i].fds);
	}
	free(top->fds);
	free(top->rests);
	numbers_free(&top->done);
	numbers_free(&top->refused);
	top_free_rows(top);
	stat_free(&top->st);
}
