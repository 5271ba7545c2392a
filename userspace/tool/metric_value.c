// SPDX-License-Identifier: GPL-2.0
/*
 * Values of metrics (-M), from the counts of one place and one cgroup. A metric has no value if one
 * of its events was not counted, or if it divides by zero.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* The same limit as in metric_list.c. */
#define MAX_DEPTH	30

/**
 * struct computation - one metric in one place
 * @st: with the counts
 * @metric: the metric
 * @place: the place
 * @cgroup: the cgroup, or NULL
 * @percent: the smallest share of the time that one of its events was on the PMU
 * @own: the metric's value, for its threshold; NAN before it was computed
 * @depth: nesting of metrics
 * @env: functions to evaluate the expression with
 */
struct computation {
	struct stat_cmd *st;
	const struct metric *metric;
	size_t place;
	const struct cgroup *cgroup;
	double percent;
	double own;
	unsigned int depth;
	struct metric_env env;
};

/* Adds up an event's counts in the place; false if one is missing. */
static bool add_counts(struct computation *c, const struct event *event,
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

static double event_value(struct computation *c, unsigned int number)
{
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

/* Finds an event of the metric, or, because a threshold may use it, of another metric. */
static const struct metric_event *find_event(const struct computation *c, const char *name)
{
	const struct metric_list *list = &c->st->metrics;
	size_t i, j;

	for (i = 0; i < list->nr_sets; i++) {
		const struct metric_set *set = &list->sets[(c->metric->set + i) % list->nr_sets];

		for (j = 0; j < set->nr; j++)
			if (!strcmp(set->events[j].name, name) &&
			    !strcmp(set->events[j].pmu, c->metric->from->pmu))
				return &set->events[j];
	}
	return NULL;
}

/* The command's own times are known when it has exited, and are not those of an interval. */
static double time_value(const struct stat_cmd *st, const char *name)
{
	const bool known = st->user >= 0 && !stat_is_interval(st);

	if (!strcmp(name, "user_time"))
		return known ? st->user : NAN;
	if (!strcmp(name, "system_time"))
		return known ? st->sys : NAN;
	return stat_elapsed(st) / 1e9;
}

static double value(void *arg, const char *name)
{
	struct computation *c = arg;
	const struct metric_event *event;
	const struct metric_expr *expr;
	double number = NAN;

	if (metric_is_time(name))
		return time_value(c->st, name);
	if (!isnan(c->own) && !strcmp(name, c->metric->from->name))
		return c->own;
	expr = metric_list_ref(&c->st->metrics, name, c->metric->from);
	if (!expr) {
		event = find_event(c, name);
		return event ? event_value(c, event->number) : NAN;
	}
	if (++c->depth < MAX_DEPTH)
		number = metric_expr_value(expr, &c->env);
	c->depth--;
	return number;
}

static double source_count(void *arg, const char *name)
{
	const struct metric_event *event = find_event(arg, name);

	return event ? event->nr : NAN;
}

static double literal(void *arg, const char *name)
{
	const struct computation *c = arg;

	return metric_literal(&c->st->metrics, name);
}

static bool has_event(void *arg, const char *name)
{
	const struct computation *c = arg;

	return metric_event_exists(name, c->metric->from->pmu);
}

static bool is_cpu(void *arg, const char *number)
{
	(void)arg;
	return cpu_is(cpu_tables()->cpuid, number);
}

static void compute(struct stat_cmd *st, const struct metric *metric, const struct event *event,
		    size_t place, struct stat_metric *to)
{
	struct computation c = {
		.st = st,
		.metric = metric,
		.place = place,
		.cgroup = event->cgroup,
		.percent = 100,
		.own = NAN,
		.env = {
			.value = value,
			.source_count = source_count,
			.literal = literal,
			.has_event = has_event,
			.is_cpu = is_cpu,
		},
	};
	double number, threshold = NAN;

	c.env.arg = &c;
	number = metric_expr_value(metric->expr, &c.env);
	to->named = true;
	to->percent = c.percent;
	snprintf(to->unit, sizeof(to->unit), "%s", metric->unit);
	if (!isfinite(number))
		return;
	to->value = number * metric->scale;
	c.own = number;
	to->format = metric->has_unit ? "%8.1f" : "%8.2f";
	if (metric->threshold)
		threshold = metric_expr_value(metric->threshold, &c.env);
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
