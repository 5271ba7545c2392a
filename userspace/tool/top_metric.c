// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics (-M) as columns of "perfgrp top". The groups of a metric's events may cover different
 * times in a row, so counts are converted to the time of the first group. The sum of all rows has
 * the counts of those rows in which every event of the metric was counted that should have been.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* ---- columns ------------------------------------------------------------------- */

/* Is the unit percent, of whatever? The name of the metric tells. */
static bool is_percent(const char *unit)
{
	return *unit == '%' || !strncmp(unit, "percent", strlen("percent"));
}

/* Do several metrics have the same name, each for a PMU of its own? */
static bool is_ambiguous(const struct metric_list *list, const struct cpu_metric *from)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct cpu_metric *other = list->metrics[i].from;

		if (other != from && !strcmp(other->name, from->name))
			return true;
	}
	return false;
}

static void set_column(const struct metric_list *list, const struct metric *metric,
		       struct top_column *column)
{
	const int max = sizeof(column->title) - 4;
	const struct cpu_metric *from = metric->from;
	const bool percent = is_percent(metric->unit), has_unit = *metric->unit && !percent;
	const bool ambiguous = is_ambiguous(list, from);
	char *title = xasprintf("%s%s%s%s%s", from->name, ambiguous ? " " : "",
				ambiguous ? from->pmu : "", has_unit ? " " : "",
				has_unit ? metric->unit : "");
	const bool cut = strlen(title) > (size_t)max;

	snprintf(column->title, sizeof(column->title), "%.*s%s", cut ? max - 1 : max, title,
		 cut ? "~" : "");
	free(title);
	column->format = percent ? "%.1f%%" : *from->unit ? "%.1f" : "%.2f";
	column->shown = true;
}

/* The first group of a metric: that of the event on whose line stat prints it. */
static size_t find_group(const struct stat_cmd *st, const struct metric *metric)
{
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++)
		for (j = 0; j < st->list.groups[i].nr; j++)
			if (st->list.groups[i].events[j].metric_event == metric->leader)
				return i;
	return 0;
}

/* Adds a column with the lowest share of the events of a set, which follow one another. */
static void add_share(struct top *top, const struct metric_set *set)
{
	const unsigned int first = set->events[0].number;
	struct top_column *column = top_add_column(top, TOP_SHARE, 0, 0);
	size_t cell = 0, i, j;

	for (i = 0; i < top->st.nr_groups; i++) {
		for (j = 0; j < top->st.list.groups[i].nr; j++, cell++) {
			const unsigned int n = top->st.list.groups[i].events[j].metric_event;

			if (n < first || n >= first + set->nr)
				continue;
			if (!column->nr_cells)
				column->cell = cell;
			column->nr_cells = cell + 1 - column->cell;
		}
	}
}

/**
 * top_add_metrics - add a column for each metric
 * @top: with its groups open
 *
 * Metrics that follow one another and share their events have a single column for their share of
 * the time.
 */
void top_add_metrics(struct top *top)
{
	const struct metric_list *list = &top->st.metrics;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct metric *metric = &list->metrics[i];
		struct top_column *column;

		column = top_add_column(top, TOP_METRIC, find_group(&top->st, metric), 0);
		column->metric = i;
		set_column(list, metric, column);
		if (i + 1 == list->nr || list->metrics[i + 1].set != metric->set)
			add_share(top, &list->sets[metric->set]);
	}
}

/* ---- values -------------------------------------------------------------------- */

/**
 * struct row_counts - the counts that a metric is computed from
 * @top: with all rows
 * @row: the row; may be the sum of all
 * @metric: index of the metric
 * @elapsed: the time to which counts are converted, in ns
 */
struct row_counts {
	struct top *top;
	struct top_row *row;
	size_t metric;
	__u64 elapsed;
};

/*
 * Should an event that was not counted in a row have been? Not if it is for other CPUs, or if
 * nothing has run there: then there was nothing to count.
 */
static bool should_have_been(const struct top_row *row, size_t group, size_t cell)
{
	if (row->cells[cell].state == PERFGRP_STATE_NONE)
		return row->parts[group].known;
	return row->cells[cell].enabled || row->cells[cell].flags & PERFGRP_VALUE_FAILED;
}

/* Adds the count of a row; returns false if it is missing. */
static bool add_count(const struct row_counts *c, const struct top_row *row, size_t group,
		      size_t cell, double *sum, bool *any)
{
	if (!top_was_counted(c->top, row, group, cell))
		return row->offline || !should_have_been(row, group, cell);
	*sum += stat_exact_count(&c->top->st, &row->cells[cell]) * c->elapsed / row->elapsed[group];
	*any = true;
	return true;
}

/* Adds the counts of all rows, except rows in which an event of the metric is missing. */
static bool add_all(const struct row_counts *c, size_t group, size_t cell, double *sum, bool *any)
{
	const struct top *top = c->top;
	size_t i;

	for (i = 0; i < top->nr_rows; i++)
		if (!top->rows[i]->lacks[c->metric] &&
		    !add_count(c, top->rows[i], group, cell, sum, any))
			return false;
	return true;
}

static double count_of(void *arg, unsigned int number)
{
	struct row_counts *c = arg;
	const struct stat_cmd *st = &c->top->st;
	size_t cell = 0, i, j;
	bool any = false, all = true;
	double sum = 0;

	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++, cell++) {
			if (st->list.groups[i].events[j].metric_event != number)
				continue;
			if (c->row == c->top->total)
				all = all && add_all(c, i, cell, &sum, &any);
			else
				all = all && add_count(c, c->row, i, cell, &sum, &any);
		}
	}
	if (!all)
		c->row->lacks[c->metric] = true;
	return all && any ? sum : NAN;
}

/* No command is run whose times could be known. */
static double time_of(void *arg, const char *name)
{
	const struct row_counts *c = arg;

	return strcmp(name, "duration_time") ? NAN : c->elapsed / 1e9;
}

/**
 * top_metric_of - compute a metric
 * @top: with the counts of all rows
 * @row: a row; the sum of all rows must be the last
 * @column: the metric's column
 *
 * Return: the value, or NAN
 */
double top_metric_of(struct top *top, struct top_row *row, const struct top_column *column)
{
	struct row_counts counts = {
		.top = top,
		.row = row,
		.metric = column->metric,
		.elapsed = row->elapsed[column->group],
	};
	const struct metric_source source = {
		.count = count_of,
		.time = time_of,
		.arg = &counts,
	};

	row->lacks[column->metric] = false;
	if (row->offline)
		return NAN;
	return metric_value(&top->st.metrics, &top->st.metrics.metrics[column->metric], &source);
}
