// SPDX-License-Identifier: GPL-2.0
/*
 * The sum of all intervals (--summary). As in perf, raw counts and times of each CPU or task are
 * added up, and scaled at the end: so the sum is what would have been printed without intervals.
 * Scaled counts of intervals cannot be added up, since an interval in which the event was never on
 * the PMU has none.
 */
#include <search.h>
#include <stdlib.h>

#include "stat.h"

static int compare_parts(const void *a, const void *b)
{
	const struct stat_part *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/**
 * stat_find_part - find what a CPU or task has counted so far, or add it
 * @group: the group
 * @nr: number of its events
 * @place: where its counts are added up
 * @task: the task, or 0
 * @cpu: the CPU, or -1
 *
 * Return: the part
 */
struct stat_part *stat_find_part(struct stat_group *group, size_t nr, size_t place,
				 unsigned int task, int cpu)
{
	const struct stat_part key = { .place = place, .task = task, .cpu = cpu };
	struct stat_part **found = tfind(&key, &group->parts, compare_parts), *part;
	size_t i;

	if (found)
		return *found;
	part = xcalloc(1, sizeof(*part) + nr * sizeof(*part->cells));
	*part = key;
	part->nr = nr;
	for (i = 0; i < nr; i++)
		stat_init_cell(&part->cells[i], place, PERFGRP_NONE);
	xcheck(tsearch(part, &group->parts, compare_parts));
	return part;
}

/* Adds what was counted in one more interval. */
void stat_add_interval(struct stat_part *part, size_t event, const struct stat_cell *cell)
{
	struct stat_cell *sum = &part->cells[event];

	if (sum->pmu == PERFGRP_NONE)
		sum->pmu = cell->pmu;
	stat_add_cell(sum, cell);
}

static void forget_part(const void *node, VISIT visit, void *arg)
{
	struct stat_part *part = *(struct stat_part *const *)node;
	size_t i;

	(void)arg;
	if (visit != postorder && visit != leaf)
		return;
	for (i = 0; i < part->nr; i++) {
		stat_init_cell(&part->cells[i], part->place, part->cells[i].pmu);
		part->cells[i].state = PERFGRP_STATE_NEVER_RAN;
	}
}

/**
 * stat_forget_intervals - begin the sum again
 * @st: with intervals, or none
 *
 * Until the next interval there is no count.
 */
void stat_forget_intervals(struct stat_cmd *st)
{
	size_t i;

	for (i = 0; i < st->nr_groups; i++)
		twalk_r(st->groups[i].parts, forget_part, NULL);
}

/* Scales the sum of the raw counts. */
static void scale(struct stat_cell *cell)
{
	struct perfgrp_value value = {
		.raw = cell->raw,
		.time_enabled = cell->enabled,
		.time_running = cell->running,
	};
	const struct perfgrp_value nothing = { 0 };

	/* It never ran, or it is that of a cgroup that never ran: nothing changes. */
	if (!cell->running)
		return;
	perfgrp_subtract_value(&value, &nothing, sizeof(value));
	cell->scaled = value.scaled;
	cell->flags |= value.flags;
}

/**
 * struct adder - where parts are added up
 * @st: with intervals
 * @group: the group
 */
struct adder {
	const struct stat_cmd *st;
	struct stat_group *group;
};

static void add_part(const void *node, VISIT visit, void *arg)
{
	const struct stat_part *part = *(struct stat_part *const *)node;
	const struct adder *to = arg;
	size_t i;

	if (visit != postorder && visit != leaf)
		return;
	for (i = 0; i < part->nr; i++) {
		struct stat_cell cell = part->cells[i];

		if (cell.state == PERFGRP_STATE_NONE)
			continue;
		scale(&cell);
		stat_add_part(stat_find_cell(to->st, &to->group->events[i].runs, part->place,
					     cell.pmu), &cell);
	}
}

/**
 * stat_sum_up - compute the sums of all intervals
 * @st: with intervals; the sums are where those of several runs are otherwise
 */
void stat_sum_up(struct stat_cmd *st)
{
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++) {
		struct adder adder = { .st = st, .group = &st->groups[i] };

		twalk_r(adder.group->parts, add_part, &adder);
		for (j = 0; j < st->list.groups[i].nr; j++)
			stat_sort_threads(st, &adder.group->events[j].runs);
	}
	stat_make_sums(st, true);
}

void stat_free_parts(struct stat_group *group)
{
	tdestroy(group->parts, free);
	group->parts = NULL;
}
