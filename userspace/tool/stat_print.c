// SPDX-License-Identifier: GPL-2.0
/* Print counts: choose the lines and their contents, for all formats. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"
#include "stat.h"
#include "utf8.h"

#define NOT_SUPPORTED	"<not supported>"
#define NOT_COUNTED	"<not counted>"

#define EVERY_PLACE	SIZE_MAX

static const struct stat_format *format_of(const struct stat_cmd *st)
{
	if (st->opt.json)
		return &stat_json;
	return st->opt.separator ? &stat_csv : &stat_text;
}

static bool shares_place(const struct stat_cells *counts, const struct stat_cell *cell)
{
	size_t i;

	for (i = 0; i < counts->nr; i++)
		if (&counts->cells[i] != cell && counts->cells[i].place == cell->place)
			return true;
	return false;
}

static const char *name_of_cgroup(const struct stat_cmd *st, const struct event *event,
				  size_t place)
{
	/* Before the first snapshot only the root is known, which has no name yet. */
	if (st->split.mount)
		return st->aggr.places[place].name ?: "/";
	if (!cgroups_named(&st->cgroups))
		return NULL;
	return event->cgroup ? event->cgroup->name : "";
}

/**
 * stat_metrics_of - compute the metrics to print for a count
 * @st: with the counts of all events
 * @group: index of the event's group
 * @index: index of the event in the group
 * @cell: its count, which may be missing
 * @nr: set to the number of metrics
 *
 * Return: an array, to be freed
 */
struct stat_metric *stat_metrics_of(struct stat_cmd *st, size_t group, size_t index,
				    const struct stat_cell *cell, unsigned int *nr)
{
	struct stat_metric *metrics;

	if (st->list.groups[group].events[index].metric_event)
		return stat_named_metrics(st, group, index, cell->place, nr);
	metrics = xcalloc(2, sizeof(*metrics));
	*nr = 0;
	if (stat_was_counted(st, cell) && !(cell->flags & PERFGRP_VALUE_FAILED))
		*nr = stat_metrics(st, group, index, cell, metrics);
	return metrics;
}

static void print_cell(struct stat_cmd *st, size_t group, size_t index,
		       const struct stat_cell *cell)
{
	const struct event *event = &st->list.groups[group].events[index];
	const struct stat_event *counts = &st->groups[group].events[index];
	const struct stat_mean *mean = &cell->mean;
	struct stat_line line = {
		.event = event,
		.name = stat_event_name(event),
		.cgroup = name_of_cgroup(st, event, cell->place),
		.place = &st->aggr.places[cell->place],
		.cell = cell,
	};
	struct stat_metric *metrics;
	char *name = NULL, *cgroup = NULL, *pmu;

	/* JSON has its own escapes. */
	if (line.cgroup && !st->opt.json) {
		cgroup = utf8_printable(line.cgroup);
		line.cgroup = cgroup;
	}
	if (!stat_was_counted(st, cell))
		line.missing = counts->supported ? NOT_COUNTED : NOT_SUPPORTED;
	if (mean->about)
		line.noise = 100.0 * stat_deviation(mean) / mean->about;
	if (mean->nr < st->mean_elapsed.nr)
		line.runs = mean->nr;
	metrics = stat_metrics_of(st, group, index, cell, &line.nr_metrics);
	line.metrics = metrics;

	/* With several kinds of CPU each PMU's sum has its own line. */
	if (shares_place(stat_cells(st, counts), cell)) {
		pmu = pmu_find_name(cell->pmu);
		name = xasprintf("%s [%s]", line.name, pmu);
		free(pmu);
		line.name = name;
	}
	format_of(st)->line(st, &line);
	free(metrics);
	free(cgroup);
	free(name);
}

/* Lines that are left out: counts of 0, but not missing counts. */
static bool is_hidden(const struct stat_cmd *st, const struct stat_cell *cell)
{
	const bool zero = stat_was_counted(st, cell) && !(cell->flags & PERFGRP_VALUE_FAILED) &&
			  !cell->raw;

	/* Most of the machine's threads have not run: leave them out. */
	if (st->target.all_threads && (zero || !cell->enabled))
		return true;
	return st->opt.hide_zero && zero;
}

/* Prints the line of an event that no thread has a line of: it is not of one thread. */
static void print_all_threads(struct stat_cmd *st, size_t group, size_t index)
{
	const struct stat_cells *counts = stat_cells(st, &st->groups[group].events[index]);
	struct stat_cell sum;
	size_t i;

	stat_init_cell(&sum, aggr_of_cpu(&st->aggr, -1), PERFGRP_NONE);
	for (i = 0; i < counts->nr; i++)
		stat_add_cell(&sum, &counts->cells[i]);
	if (!st->opt.hide_zero || !stat_was_counted(st, &sum))
		print_cell(st, group, index, &sum);
}

/* Prints the lines of an event, or of one place only. */
static void print_event(struct stat_cmd *st, size_t group, size_t index, size_t place)
{
	const struct stat_cells *counts = stat_cells(st, &st->groups[group].events[index]);
	struct stat_cell none = { .pmu = PERFGRP_NONE };
	bool any = false;
	size_t i;

	if (st->groups[group].events[index].added)
		return;
	for (i = 0; i < counts->nr; i++) {
		const struct stat_cell *cell = &counts->cells[i];

		if ((place != EVERY_PLACE && cell->place != place) || is_hidden(st, cell))
			continue;
		print_cell(st, group, index, cell);
		any = true;
	}
	if (st->target.all_threads && !any)
		print_all_threads(st, group, index);
	if (counts->nr || st->target.all_threads)
		return;
	for (i = 0; i < st->aggr.nr; i++) {
		none.place = i;
		if (place == EVERY_PLACE || i == place)
			print_cell(st, group, index, &none);
	}
}

/* Prints all events of the groups from @first to before @end. */
static void print_groups(struct stat_cmd *st, size_t first, size_t end, size_t place)
{
	size_t i, j;

	for (i = first; i < end; i++)
		for (j = 0; j < st->list.groups[i].nr; j++)
			print_event(st, i, j, place);
}

/* Returns the end of the groups to print together: with --for-each-cgroup those of one cgroup. */
static size_t end_of(const struct stat_cmd *st, size_t first)
{
	size_t end = first;

	if (!st->cgroups.each)
		return st->nr_groups;
	while (end < st->nr_groups &&
	       cgroup_of(&st->list.groups[end]) == cgroup_of(&st->list.groups[first]))
		end++;
	return end;
}

static void print_places(struct stat_cmd *st)
{
	size_t first, end, i;

	for (first = 0; first < st->nr_groups; first = end) {
		end = end_of(st, first);
		for (i = 0; i < st->aggr.nr; i++)
			print_groups(st, first, end, i);
	}
}

/* ---- cgroups ---------------------------------------------------------------- */

/**
 * struct rank - position of a cgroup in the output
 * @place: the cgroup
 * @there: it has counts in the last snapshot
 * @ran: a task of it has run
 * @count: of the first event
 */
struct rank {
	size_t place;
	bool there;
	bool ran;
	__u64 count;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->place < y->place ? -1 : 1;
}

static void rank_event(const struct stat_cmd *st, const struct stat_event *event, bool first,
		       struct rank *ranks)
{
	const struct stat_cells *cells = stat_cells(st, event);
	size_t i;

	for (i = 0; i < cells->nr; i++) {
		const struct stat_cell *cell = &cells->cells[i];

		ranks[cell->place].there = true;
		if (!(cell->flags & PERFGRP_VALUE_ABSENT))
			ranks[cell->place].ran = true;
		if (first)
			ranks[cell->place].count += cell->scaled;
	}
}

/*
 * Prints the busiest cgroups first, by the first event. Cgroups that have not run are left out,
 * except with --raw.
 */
static void print_cgroups(struct stat_cmd *st)
{
	struct rank *ranks = xcalloc(st->aggr.nr + 1, sizeof(*ranks));
	bool first = true, any = false;
	size_t i, j;

	for (i = 0; i < st->aggr.nr; i++)
		ranks[i].place = i;
	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			rank_event(st, &st->groups[i].events[j], first, ranks);
			if (st->groups[i].events[j].last.nr)
				first = false;
		}
	}
	qsort(ranks, st->aggr.nr, sizeof(*ranks), compare_ranks);
	for (i = 0; i < st->aggr.nr; i++) {
		if (!ranks[i].ran && !(ranks[i].there && st->opt.raw))
			continue;
		print_groups(st, 0, st->nr_groups, ranks[i].place);
		any = true;
	}
	/* The machine has none of the events: print that for the root. */
	if (!any)
		print_groups(st, 0, st->nr_groups, 0);
	free(ranks);
}

/**
 * stat_print - print all counts
 * @st: with the counts of the last stat_collect(), or of all runs
 */
void stat_print(struct stat_cmd *st)
{
	if (st->opt.quiet)
		return;
	if (st->opt.interval_clear && stat_is_interval(st))
		fputs("\033[H\033[2J", st->out);
	format_of(st)->begin(st);
	if (st->opt.metric_only) {
		stat_print_metric_only(st);
		format_of(st)->end(st);
		fflush(st->out);
		return;
	}
	/* As in perf: CPUs and threads are sorted by event, larger places by place. */
	switch (st->aggr.mode) {
	case AGGR_GLOBAL:
	case AGGR_CPU:
	case AGGR_THREAD:
		print_groups(st, 0, st->nr_groups, EVERY_PLACE);
		break;
	case AGGR_CORE:
	case AGGR_CLUSTER:
	case AGGR_CACHE:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
		print_places(st);
		break;
	case AGGR_CGROUP:
		print_cgroups(st);
		break;
	}
	format_of(st)->end(st);
	fflush(st->out);
}
