// SPDX-License-Identifier: GPL-2.0
/* Enable, disable and reset groups, and read their counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* Flags that a sum has if all of its parts have them; it has the others if any part does. */
#define FLAGS_OF_ALL	(PERFGRP_VALUE_OFFLINE | PERFGRP_VALUE_EXITED | PERFGRP_VALUE_ABSENT)

static __u64 add_saturated(__u64 a, __u64 b, __u32 *flags)
{
	__u64 sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	*flags |= PERFGRP_VALUE_SATURATED;
	return ~0ULL;
}

/* Calls a function for all groups; a task that has exited is not an error. */
static int for_all(struct stat_cmd *st, int (*call)(struct perfgrp_group *group))
{
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->groups[i].nr; j++) {
			struct perfgrp_group *fd = st->groups[i].fds[j];
			int err = call(fd);

			if (err && err != -ESRCH) {
				error("%s: %s", st->list.groups[i].events[0].name,
				      perfgrp_group_error(fd)->text);
				return err;
			}
		}
	}
	return 0;
}

int stat_enable(struct stat_cmd *st)
{
	return for_all(st, perfgrp_enable);
}

int stat_disable(struct stat_cmd *st)
{
	return for_all(st, perfgrp_disable);
}

int stat_reset(struct stat_cmd *st)
{
	size_t i;

	/* --no-wake: forget the values that the next snapshot would subtract. */
	for (i = 0; i < st->nr_groups; i++)
		st->groups[i].nr_last = 0;
	return for_all(st, perfgrp_reset);
}

/* Initialises a cell to an empty sum. */
void stat_init_cell(struct stat_cell *cell, size_t place, __u32 pmu)
{
	memset(cell, 0, sizeof(*cell));
	cell->place = place;
	cell->pmu = pmu;
	cell->state = PERFGRP_STATE_NONE;
	cell->flags = FLAGS_OF_ALL;
}

/* A PMU that is not known (PERFGRP_NONE) matches any, as in the module's totals. */
static bool same_pmu(const struct stat_cell *cell, __u32 pmu)
{
	return cell->pmu == pmu || cell->pmu == PERFGRP_NONE || pmu == PERFGRP_NONE;
}

/**
 * stat_find_cell - find an event's cell for a place, or add it
 * @st: what is to be added up
 * @cells: the event's cells
 * @place: the place
 * @pmu: number of the PMU, or PERFGRP_NONE. If counts of different PMUs are not to be added up,
 *	there is a cell for each PMU.
 *
 * Return: the cell, valid until the next call
 */
struct stat_cell *stat_find_cell(const struct stat_cmd *st, struct stat_cells *cells, size_t place,
				 __u32 pmu)
{
	bool apart = target_has_cpus(&st->target) && st->aggr.mode != AGGR_CPU && !st->opt.merge;
	struct stat_cell *cell;
	size_t i;

	for (i = 0; i < cells->nr; i++) {
		cell = &cells->cells[i];
		if (cell->place != place || (apart && !same_pmu(cell, pmu)))
			continue;
		if (!same_pmu(cell, pmu))
			cell->flags |= PERFGRP_VALUE_MIXED_PMUS;
		if (cell->pmu == PERFGRP_NONE)
			cell->pmu = pmu;
		return cell;
	}
	GROW(cells->cells, cells->nr, cells->room);
	cell = &cells->cells[cells->nr++];
	stat_init_cell(cell, place, pmu);
	return cell;
}

/*
 * Converts the leader's member id, which is unique in one group of the module, to the number of its
 * event, counted over all groups.
 */
__u32 stat_find_sched_group(const struct perfgrp_value *value, const __u32 *ids, size_t nr,
			    size_t first_event)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ids[i] == value->sched_group)
			return first_event + i + 1;
	return 0;
}

/* The state of a sum of different states follows from its times. */
static __u32 sum_state(const struct stat_cell *cell, __u32 a, __u32 b)
{
	if (a == PERFGRP_STATE_NONE || a == b)
		return b;
	if (!cell->running)
		return PERFGRP_STATE_NEVER_RAN;
	return cell->running < cell->enabled ? PERFGRP_STATE_MULTIPLEXED : PERFGRP_STATE_COUNTED;
}

/* Adds the cell of another place, run or interval to a cell. */
void stat_add_cell(struct stat_cell *sum, const struct stat_cell *cell)
{
	__u32 flags = (sum->flags & cell->flags & FLAGS_OF_ALL) |
		      ((sum->flags | cell->flags) & ~FLAGS_OF_ALL);

	if (!sum->sched_group)
		sum->sched_group = cell->sched_group;
	else if (cell->sched_group && cell->sched_group != sum->sched_group)
		sum->sched_group = PERFGRP_NONE;
	sum->raw = add_saturated(sum->raw, cell->raw, &flags);
	sum->scaled = add_saturated(sum->scaled, cell->scaled, &flags);
	sum->enabled = add_saturated(sum->enabled, cell->enabled, &flags);
	sum->running = add_saturated(sum->running, cell->running, &flags);
	sum->state = sum_state(sum, sum->state, cell->state);
	sum->flags = flags;
}

/* The event was enabled but never on the PMU, so its count is unknown, not 0. */
static bool is_missing(const struct stat_cell *cell)
{
	return cell->enabled && !(cell->flags & PERFGRP_VALUE_SCALED);
}

/* Makes a cell of a value of a snapshot. */
static struct stat_cell cell_of(const struct perfgrp_value *value, __u32 sched_group)
{
	return (struct stat_cell){
		.pmu = value->pmu,
		.sched_group = sched_group,
		.state = value->state,
		.flags = value->flags,
		.raw = value->raw,
		.scaled = value->flags & PERFGRP_VALUE_SCALED ? value->scaled : 0,
		.enabled = value->time_enabled,
		.running = value->time_running,
	};
}

/* Adds the cell of a CPU or task to a sum of the same time, which is partial without its count. */
void stat_add_part(struct stat_cell *sum, const struct stat_cell *part)
{
	const bool partial = sum->state != PERFGRP_STATE_NONE &&
			     is_missing(sum) != is_missing(part);

	stat_add_cell(sum, part);
	if (partial)
		sum->flags |= PERFGRP_VALUE_PARTIAL;
}

/* Adds a value of a snapshot to a sum, likewise. */
void stat_add_value(struct stat_cell *sum, const struct perfgrp_value *value, __u32 sched_group)
{
	const struct stat_cell cell = cell_of(value, sched_group);

	stat_add_part(sum, &cell);
}

/**
 * stat_place_of - find the place to which the counts of a row are added
 * @st: its places
 * @row: a row of a snapshot
 * @task: the task, if the row is that of a task
 * @looked: the names of cgroups have already been looked up for this snapshot; set when they are
 *
 * Return: index of the place
 */
size_t stat_place_of(struct stat_cmd *st, const struct perfgrp_row *row, unsigned int task,
		     bool *looked)
{
	const __u32 special = PERFGRP_ROW_OUTSIDE | PERFGRP_ROW_REMOVED | PERFGRP_ROW_OVERFLOW;
	struct aggr_place *place;
	size_t i;

	if (!target_has_cpus(&st->target))
		return aggr_of_task(&st->aggr, task);
	if (!st->split.mount)
		return aggr_of_cpu(&st->aggr, row->cpu);
	i = aggr_of_cgroup(&st->aggr, row->cgroup_id, row->flags & special);
	place = &st->aggr.places[i];
	if (!place->name) {
		place->name = cgroup_split_name(&st->split, row->cgroup_id, row->flags, looked);
		place->container = container_find(st->split.mount, "/proc", place->name);
	}
	return i;
}

static void add_row(struct stat_group *group, size_t place, const struct perfgrp_row *row)
{
	GROW(group->rows, group->nr_rows, group->room_rows);
	group->rows[group->nr_rows++] = (struct stat_row){
		.place = place, .epoch = row->epoch, .time = row->time_before };
}

/* Adds the snapshot of one perfgrp group to the cells of its events. */
static void collect_fd(struct stat_cmd *st, struct stat_group *group, size_t fd, size_t nr,
		       size_t first_event)
{
	const __u32 *ids = &group->ids[fd * nr];
	const struct perfgrp_row *row;
	bool looked = false;
	__u32 r = 0;
	size_t i;

	while ((row = perfgrp_snap_row(st->snap, r++))) {
		size_t place = stat_place_of(st, row, group->tasks[fd], &looked);
		struct stat_part *part = NULL;

		if (stat_has_summary(st))
			part = stat_find_part(group, nr, place, group->tasks[fd], row->cpu);
		if (st->opt.since_start)
			add_row(group, place, row);
		for (i = 0; i < nr; i++) {
			const struct perfgrp_value *found;
			struct perfgrp_value value;
			struct stat_cell cell;

			found = perfgrp_snap_value(st->snap, row, ids[i]);
			if (!found)
				continue;
			value = *found;
			if (st->opt.no_wake && !st->opt.since_start)
				stat_since_last(group, nr, row->cpu, i, &value);
			cell = cell_of(&value, stat_find_sched_group(&value, ids, nr, first_event));
			stat_add_part(stat_find_cell(st, &group->events[i].last, place, cell.pmu),
				      &cell);
			if (part)
				stat_add_interval(part, i, &cell);
		}
	}
}

static int compare_counts(const void *a, const void *b)
{
	const struct stat_cell *x = a, *y = b;

	if (x->scaled != y->scaled)
		return x->scaled < y->scaled ? 1 : -1;
	return x->place < y->place ? -1 : 1;
}

/* Puts the busiest threads first, as in perf. */
void stat_sort_threads(const struct stat_cmd *st, struct stat_cells *cells)
{
	if (st->aggr.mode == AGGR_THREAD && cells->nr)
		qsort(cells->cells, cells->nr, sizeof(*cells->cells), compare_counts);
}

/*
 * With --no-wake the tool subtracts rows of single CPUs, and --summary scales what each CPU has
 * counted in all intervals, so then the tool must sum over CPUs itself.
 */
static __u32 snapshot_flags(const struct stat_cmd *st)
{
	__u32 flags = 0;

	if (st->opt.no_wake)
		return PERFGRP_SNAPSHOT_CACHED;
	if (target_has_cpus(&st->target) && !stat_has_summary(st) &&
	    (st->aggr.mode == AGGR_GLOBAL || st->aggr.mode == AGGR_CGROUP))
		flags |= PERFGRP_SNAPSHOT_TOTALS;
	if (flags && st->opt.merge)
		flags |= PERFGRP_SNAPSHOT_MIX_PMUS;
	if (st->opt.interval)
		flags |= PERFGRP_SNAPSHOT_RESET;
	return flags;
}

/**
 * stat_collect - read all groups
 * @st: the cells of its events are filled in
 *
 * With intervals the counters are reset as they are read, and no count is lost.
 *
 * Return: 0, or a negative errno after printing an error, unless it is the same as the last time
 */
int stat_collect(struct stat_cmd *st)
{
	size_t first_event = 0, i, j;
	__u64 skew;

	st->skew = 0;
	for (i = 0; i < st->nr_groups; i++) {
		struct stat_group *group = &st->groups[i];
		size_t nr = st->list.groups[i].nr;

		group->nr_rows = 0;
		for (j = 0; j < nr; j++)
			group->events[j].last.nr = 0;
		for (j = 0; j < group->nr; j++) {
			int err = perfgrp_take_snap(group->fds[j], snapshot_flags(st), st->snap);

			if (err) {
				if (err != st->error)
					error("%s: %s", st->list.groups[i].events[0].name,
					      perfgrp_group_error(group->fds[j])->text);
				st->error = err;
				return err;
			}
			skew = perfgrp_snap_time_after(st->snap) -
			       perfgrp_snap_time_before(st->snap);
			if (skew > st->skew)
				st->skew = skew;
			collect_fd(st, group, j, nr, first_event);
		}
		first_event += nr;
		for (j = 0; j < nr; j++)
			stat_sort_threads(st, &group->events[j].last);
	}
	stat_make_sums(st, false);
	st->error = 0;
	return 0;
}

/**
 * stat_add_run - add the counts of one run of many to the sums and means
 * @st: with the counts of the last stat_collect(), and the run's length
 *
 * Times and raw counts are sums over all runs; a run without a count is not in the mean.
 */
void stat_add_run(struct stat_cmd *st)
{
	size_t i, j, k;

	GROW(st->lengths, st->mean_length.nr, st->room_lengths);
	st->lengths[st->mean_length.nr] = st->length;
	stat_add_to_mean(&st->mean_length, st->length);
	stat_add_to_mean(&st->mean_elapsed, st->elapsed);
	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			struct stat_event *event = &st->groups[i].events[j];

			for (k = 0; k < event->last.nr; k++) {
				const struct stat_cell *cell = &event->last.cells[k];
				struct stat_cell *sum;

				sum = stat_find_cell(st, &event->runs, cell->place, cell->pmu);
				stat_add_cell(sum, cell);
				if (stat_was_counted(st, cell))
					stat_add_to_mean(&sum->mean, stat_count(st, cell));
			}
		}
	}
}

/**
 * stat_cgroups_removed - check whether cgroups have been removed, and report it
 * @st: a stat with cgroups
 *
 * Return: true if there is nothing left to count: each event had a cgroup, and all were removed
 */
bool stat_cgroups_removed(struct stat_cmd *st)
{
	bool all = true;
	size_t i;

	for (i = 0; i < st->nr_groups; i++) {
		struct cgroup *cgroup = cgroup_of(&st->list.groups[i]);
		const struct stat_group *group = &st->groups[i];

		/* If the machine lacks the event, there is no group to query. */
		if (!cgroup || !cgroup_was_removed(cgroup, group->nr ? group->fds[0] : NULL))
			all = false;
	}
	return all;
}

static bool tasks_exist(const struct numbers *tasks)
{
	size_t i;

	for (i = 0; i < tasks->nr; i++) {
		char *comm = read_file("/proc/%u/comm", tasks->n[i]);

		free(comm);
		if (comm)
			return true;
	}
	return false;
}

/**
 * stat_tasks_exited - check whether there is anything left to count
 * @st: a stat with TARGET_TASKS
 *
 * Return: true if all its tasks have exited
 */
bool stat_tasks_exited(struct stat_cmd *st)
{
	const struct perfgrp_row *row;
	size_t i, j;
	__u32 r;

	for (i = 0; i < st->nr_groups && !st->groups[i].nr; i++)
		;
	/*
	 * If the machine has none of the events, there is no group to query. Without the module
	 * nothing is known of the tasks' children: as in perf, counting ends with the tasks that
	 * were given.
	 */
	if (i == st->nr_groups || perfgrp_is_perf(st->dev))
		return !tasks_exist(&st->target.tasks);
	for (j = 0; j < st->groups[i].nr; j++) {
		if (perfgrp_take_snap(st->groups[i].fds[j], 0, st->snap))
			return false;
		for (r = 0; (row = perfgrp_snap_row(st->snap, r)); r++)
			if (!(row->flags & PERFGRP_ROW_EXITED))
				return false;
	}
	return true;
}
