// SPDX-License-Identifier: GPL-2.0
/* Metrics (-M) of "perfgrp stat", from the counts of one place and one cgroup. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/**
 * struct place_counts - the counts that a metric is computed from
 * @st: with the counts
 * @place: the place
 * @cgroup: the cgroup, or NULL
 * @percent: the smallest share of the time that one of the events was on the PMU
 */
struct place_counts {
	struct stat_cmd *st;
	size_t place;
	const struct cgroup *cgroup;
	double percent;
};

/* Adds up an event's counts in the place; false if one is missing. */
static bool add_counts(struct place_counts *c, const struct event *event,
		       const struct stat_event *counts, double *sum, bool *any)
{
	const struct stat_cells *cells = stat_cells(c->st, counts);
	size_t i;

	if (event->cgroup != c->cgroup)
		return true;
	for (i = 0; i < cells->nr; i++) {
		const struct stat_cell *cell = &cells->cells[i];

		if (cell->place != c->place)
			continue;
		if (!stat_was_counted(c->st, cell) || cell->flags & PERFGRP_VALUE_FAILED)
			return false;
		*sum += stat_exact_count(c->st, cell);
		*any = true;
		if (stat_percent(cell) < c->percent)
			c->percent = stat_percent(cell);
	}
	return true;
}

static double sum_counts(void *arg, unsigned int number)
{
	struct place_counts *c = arg;
	bool any = false;
	double sum = 0;
	size_t i, j;

	for (i = 0; i < c->st->nr_groups; i++)
		for (j = 0; j < c->st->list.groups[i].nr; j++) {
			const struct event *event = &c->st->list.groups[i].events[j];

			if (event->metric_event == number &&
			    !add_counts(c, event, &c->st->groups[i].events[j], &sum, &any))
				return NAN;
		}
	return any ? sum : NAN;
}

/* The command's own times are known when it has exited, and are not those of an interval. */
static double time_value(void *arg, const char *name)
{
	const struct place_counts *c = arg;
	const bool known = c->st->user >= 0 && !stat_is_interval(c->st);

	if (!strcmp(name, "user_time"))
		return known ? c->st->user : NAN;
	if (!strcmp(name, "system_time"))
		return known ? c->st->sys : NAN;
	return stat_elapsed(c->st) / 1e9;
}

static void compute(struct stat_cmd *st, const struct metric *metric, const struct event *event,
		    size_t place, struct stat_metric *to)
{
	struct place_counts counts = {
		.st = st,
		.place = place,
		.cgroup = event->cgroup,
		.percent = 100,
	};
	const struct metric_source source = {
		.count = sum_counts,
		.time = time_value,
		.arg = &counts,
	};
	const double number = metric_value(&st->metrics, metric, &source);
	double threshold;

	to->named = true;
	to->percent = counts.percent;
	snprintf(to->unit, sizeof(to->unit), "%s%s%s", metric->unit, *metric->from->unit ? "  " : "",
		 metric->from->name);
	if (isnan(number))
		return;
	to->value = number;
	to->format = *metric->from->unit ? "%8.1f" : "%8.2f";
	threshold = metric_threshold(&st->metrics, metric, &source);
	if (!isnan(threshold))
		to->verdict = threshold ? "bad" : "good";
}

/* If several PMUs have an event, the metric is printed with the first of them. */
static bool is_first(const struct stat_cmd *st, size_t group, size_t index)
{
	const struct event *event = &st->list.groups[group].events[index];
	size_t i, j;

	for (i = 0; i <= group; i++)
		for (j = 0; j < (i < group ? st->list.groups[i].nr : index); j++)
			if (st->list.groups[i].events[j].metric_event == event->metric_event &&
			    st->list.groups[i].events[j].cgroup == event->cgroup)
				return false;
	return true;
}

/**
 * stat_named_metrics - compute the metrics that are printed on an event's line
 * @st: with the counts of all events
 * @group: number of the event's group
 * @index: number of the event there
 * @place: the place
 * @nr: set to how many there are
 *
 * Return: an array, to be freed
 */
struct stat_metric *stat_named_metrics(struct stat_cmd *st, size_t group, size_t index,
				       size_t place, unsigned int *nr)
{
	const struct event *event = &st->list.groups[group].events[index];
	struct stat_metric *metrics = xcalloc(st->metrics.nr, sizeof(*metrics));
	size_t i;

	*nr = 0;
	if (!is_first(st, group, index))
		return metrics;
	for (i = 0; i < st->metrics.nr; i++)
		if (st->metrics.metrics[i].leader == event->metric_event)
			compute(st, &st->metrics.metrics[i], event, place, &metrics[(*nr)++]);
	return metrics;
}
