// SPDX-License-Identifier: GPL-2.0
/*
 * --metric-only, as in perf: a column for each metric, a line for each place. CSV has a line of
 * headings, JSON one object on each line. A metric without a value is "-", empty in CSV, or left
 * out of JSON. If the events were not counted all the time, the line ends with the lowest
 * percentage, in CSV after the last separator.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "stat.h"
#include "utf8.h"

#define COLUMN_WIDTH	20
/* Intervals between two headings. */
#define HEADING_EVERY	25

/**
 * struct column - a metric
 * @group: index of the group of the event that has it
 * @index: index of the event in that group
 * @unit: its unit, which is the heading
 * @has_event: @unit begins with the name of the event
 * @values: its values, by place; format is NULL if there is none
 */
struct column {
	size_t group;
	size_t index;
	char *unit;
	bool has_event;
	struct stat_metric *values;
};

/**
 * struct table - all metrics
 * @st: with the counts
 * @first: the first group whose metrics these are
 * @columns: the metrics
 * @nr: how many
 * @room: how many @columns has room for
 */
struct table {
	struct stat_cmd *st;
	size_t first;
	struct column *columns;
	size_t nr;
	size_t room;
};

/* As in perf, rates and CPU utilization are not metrics. */
static bool is_wanted(const struct stat_metric *metric)
{
	return metric->named || (metric->unit[0] && !strstr(metric->unit, "/sec") &&
				 !strstr(metric->unit, "CPUs utilized"));
}

static struct column *find_column(struct table *table, size_t group, size_t index,
				  const struct stat_metric *metric)
{
	const struct event *event = &table->st->list.groups[group].events[index];
	const bool has_event = !strncmp(metric->unit, "of all", 6);
	char *unit = has_event ? xasprintf("%s %s", event->name, metric->unit) :
				 xstrdup(metric->unit);
	struct column *column;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		column = &table->columns[i];
		if (column->group == group && column->index == index &&
		    !strcmp(column->unit, unit)) {
			free(unit);
			return column;
		}
	}
	GROW(table->columns, table->nr, table->room);
	column = &table->columns[table->nr++];
	column->group = group;
	column->index = index;
	column->unit = unit;
	column->has_event = has_event;
	column->values = xcalloc(table->st->aggr.nr, sizeof(*column->values));
	return column;
}

static void add_cell(struct table *table, size_t group, size_t index, const struct stat_cell *cell)
{
	struct stat_metric *metrics;
	unsigned int nr, i;

	metrics = stat_metrics_of(table->st, group, index, cell, &nr);
	for (i = 0; i < nr; i++) {
		if (!is_wanted(&metrics[i]))
			continue;
		if (!metrics[i].named)
			metrics[i].percent = stat_percent(cell);
		find_column(table, group, index, &metrics[i])->values[cell->place] = metrics[i];
	}
	free(metrics);
}

static void fill(struct table *table, size_t end)
{
	struct stat_cmd *st = table->st;
	size_t i, j, k;

	for (i = table->first; i < end; i++)
		for (j = 0; j < st->list.groups[i].nr; j++) {
			const struct stat_cells *cells;

			cells = stat_cells(st, &st->groups[i].events[j]);
			for (k = 0; k < cells->nr; k++)
				add_cell(table, i, j, &cells->cells[k]);
			/* If the machine lacks the event, print its columns without values. */
			for (k = 0; k < st->aggr.nr && !cells->nr; k++) {
				const struct stat_cell none = { .place = k, .pmu = PERFGRP_NONE };

				add_cell(table, i, j, &none);
			}
		}
}

static int width_of(const struct column *column)
{
	int len = strlen(column->unit);

	return len > COLUMN_WIDTH ? len : COLUMN_WIDTH;
}

static const char *cgroup_name(const struct stat_cmd *st, size_t group, size_t place)
{
	if (st->split.mount)
		return st->aggr.places[place].name ?: "/";
	if (!cgroups_named(&st->cgroups))
		return NULL;
	return cgroup_of(&st->list.groups[group]) ? cgroup_of(&st->list.groups[group])->name : "";
}

/* Does a place have any metric to print? */
static bool has_line(const struct table *table, size_t place)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (table->columns[i].values[place].format || table->columns[i].values[place].named)
			return true;
	return false;
}

static double least_percent(const struct table *table, size_t place)
{
	double least = 100;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		const struct stat_metric *metric = &table->columns[i].values[place];

		if (metric->format && metric->percent < least)
			least = metric->percent;
	}
	return least;
}

static void print_time(const struct stat_cmd *st, const char *after)
{
	if (stat_is_interval(st))
		fprintf(st->out, "%6" PRIu64 ".%09" PRIu64 "%s",
			(uint64_t)st->timestamp / 1000000000,
			(uint64_t)st->timestamp % 1000000000, after);
	else if (st->summing_up && st->opt.separator && !st->opt.no_csv_summary)
		fprintf(st->out, "summary%s", after);
}

/* ---- text ------------------------------------------------------------------- */

/* Width of the text before the values of a line. */
static int prefix_width(const struct stat_cmd *st, const char *cgroup)
{
	static const int widths[] = {
		[AGGR_GLOBAL] = 0, [AGGR_CPU] = 11, [AGGR_CORE] = 21, [AGGR_CLUSTER] = 23,
		[AGGR_CACHE] = 25, [AGGR_DIE] = 18, [AGGR_SOCKET] = 12, [AGGR_NODE] = 12,
		[AGGR_THREAD] = 26, [AGGR_CGROUP] = 0,
	};
	const bool no_cpus = st->aggr.mode == AGGR_CPU && !target_has_cpus(&st->target);

	return (stat_is_interval(st) ? 17 : 0) + (no_cpus ? 0 : widths[st->aggr.mode]) +
	       (cgroup ? 17 : 0);
}

static void print_text_heading(const struct table *table, const char *cgroup)
{
	const struct stat_cmd *st = table->st;
	size_t i;

	fprintf(st->out, "%-*s ", prefix_width(st, cgroup),
		stat_is_interval(st) ? "#           time" : "");
	for (i = 0; i < table->nr; i++)
		fprintf(st->out, "%*s%c", width_of(&table->columns[i]), table->columns[i].unit,
			i + 1 < table->nr ? ' ' : '\n');
}

static void print_text_line(const struct table *table, size_t place, const char *cgroup)
{
	const struct stat_cmd *st = table->st;
	const double percent = least_percent(table, place);
	char text[64];
	size_t i;

	print_time(st, " ");
	stat_print_place(st->out, st->aggr.mode, &st->aggr.places[place], NULL);
	if (cgroup)
		fprintf(st->out, "%-16s ", cgroup);
	for (i = 0; i < table->nr; i++) {
		const struct stat_metric *metric = &table->columns[i].values[place];

		stat_metric_number(metric, text, sizeof(text));
		fprintf(st->out, " %*s", width_of(&table->columns[i]), *text ? text : "-");
	}
	if (percent < 100)
		fprintf(st->out, "  (%.2f%%)", percent);
	fputc('\n', st->out);
}

/* ---- CSV and JSON ----------------------------------------------------------- */

static void print_csv_heading(const struct table *table, const char *cgroup)
{
	static const char *const places[] = {
		[AGGR_GLOBAL] = NULL, [AGGR_CPU] = "cpu", [AGGR_CORE] = "core",
		[AGGR_CLUSTER] = "cluster", [AGGR_CACHE] = "cache", [AGGR_DIE] = "die",
		[AGGR_SOCKET] = "socket", [AGGR_NODE] = "node", [AGGR_THREAD] = "comm-pid",
		[AGGR_CGROUP] = NULL,
	};
	const struct stat_cmd *st = table->st;
	const char *sep = st->opt.separator, *place = places[st->aggr.mode];
	size_t i;

	if (stat_is_interval(st) || (st->summing_up && !st->opt.no_csv_summary))
		fprintf(st->out, "time%s", sep);
	if (st->aggr.mode == AGGR_CPU && !target_has_cpus(&st->target))
		place = NULL;
	if (place)
		fprintf(st->out, "%s%s", place, sep);
	if (place && st->aggr.mode != AGGR_CPU && st->aggr.mode != AGGR_THREAD)
		fprintf(st->out, "cpus%s", sep);
	if (cgroup)
		fprintf(st->out, "cgroup%s", sep);
	for (i = 0; i < table->nr; i++)
		fprintf(st->out, "%s%s", table->columns[i].unit, sep);
	fputc('\n', st->out);
}

static void print_csv_line(const struct table *table, size_t place, const char *cgroup)
{
	const struct stat_cmd *st = table->st;
	const double percent = least_percent(table, place);
	const char *sep = st->opt.separator;
	char text[64];
	size_t i;

	print_time(st, sep);
	stat_print_place(st->out, st->aggr.mode, &st->aggr.places[place], sep);
	if (cgroup)
		fprintf(st->out, "%s%s", cgroup, sep);
	for (i = 0; i < table->nr; i++) {
		stat_metric_number(&table->columns[i].values[place], text, sizeof(text));
		fprintf(st->out, "%s%s", text, sep);
	}
	if (percent < 100)
		fprintf(st->out, "%.2f", percent);
	fputc('\n', st->out);
}

/*
 * Does an event have a metric of the same name as the column of another one? A table lacks the
 * columns of events that were not counted this time, but a key has to mean the same on all lines:
 * except for -M, whose columns are always there, look at what the events are.
 */
static bool has_same_metric(const struct table *table, size_t group, size_t index,
			    const struct column *column)
{
	const struct event_group *groups = table->st->list.groups;
	const struct event *event = &groups[group].events[index];
	const struct event *other = &groups[column->group].events[column->index];
	size_t i;

	if (!event->metric_event && !other->metric_event)
		return event->counter.event == other->counter.event &&
		       !((event->counter.flags ^ other->counter.flags) & PERFGRP_COUNTER_RAW) &&
		       (!event->sum || event->sum != other->sum);
	for (i = 0; i < table->nr; i++)
		if (table->columns[i].group == group && table->columns[i].index == index &&
		    !strcmp(table->columns[i].unit, column->unit))
			return true;
	return false;
}

/*
 * Returns the key of a metric, to be freed: its name; if earlier events have one of that name, with
 * the event in parentheses, and a number if that is not enough. An object has each key only once.
 */
static char *key_of(const struct table *table, const struct column *column)
{
	const struct event_group *groups = table->st->list.groups;
	const char *name = stat_event_name(&groups[column->group].events[column->index]);
	unsigned int nr = 0, namesakes = 0;
	char *key, *clean;
	size_t i, j;

	for (i = table->first; i <= column->group; i++)
		for (j = 0; j < (i < column->group ? groups[i].nr : column->index); j++) {
			if (!has_same_metric(table, i, j, column))
				continue;
			nr++;
			namesakes += !strcmp(stat_event_name(&groups[i].events[j]), name);
		}
	if (namesakes)
		key = xasprintf("%s (%s #%u)", column->unit, name, namesakes + 1);
	else if (nr && !column->has_event)
		key = xasprintf("%s (%s)", column->unit, name);
	else
		key = xstrdup(column->unit);
	clean = utf8_clean(key);
	free(key);
	return clean;
}

static void print_json_line(const struct table *table, size_t place, const char *cgroup)
{
	const struct stat_cmd *st = table->st;
	struct json_object *object = stat_json_new(st, &st->aggr.places[place]);
	const double percent = least_percent(table, place);
	char text[64];
	size_t i;

	if (cgroup)
		json_add_string(object, "cgroup", cgroup);
	for (i = 0; i < table->nr; i++) {
		const struct column *column = &table->columns[i];
		char *key;

		if (!column->values[place].format)
			continue;
		stat_metric_number(&column->values[place], text, sizeof(text));
		key = key_of(table, column);
		json_add_string(object, key, text);
		free(key);
	}
	if (percent < 100)
		json_add_double(object, "pcnt-running", "%.2f", percent);
	json_print(st->out, object, 0);
}

/* ---- all of it -------------------------------------------------------------- */

/* All units as one string, to compare the headings of two tables. */
static char *join_units(const struct table *table)
{
	char *text = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		longer = xasprintf("%s%s\n", text, table->columns[i].unit);
		free(text);
		text = longer;
	}
	return text;
}

/* Text repeats the headings, in case they have scrolled away; CSV has them once. */
static bool wants_headings(const struct stat_cmd *st)
{
	static unsigned int intervals;

	if (!stat_is_interval(st))
		return true;
	return st->opt.separator ? !intervals++ : !(intervals++ % HEADING_EVERY);
}

/* @before: the headings that were printed last, NULL to print none. */
static void print_table(struct stat_cmd *st, size_t first, size_t end, char **before)
{
	struct table table = { .st = st, .first = first };
	const char *cgroup;
	char *headings, *clean;
	bool heading;
	size_t i;

	fill(&table, end);
	headings = join_units(&table);
	heading = *before && strcmp(*before, headings);
	for (i = 0; i < st->aggr.nr && table.nr; i++) {
		if (!has_line(&table, i))
			continue;
		cgroup = cgroup_name(st, first, i);
		if (st->opt.json) {
			print_json_line(&table, i, cgroup);
			continue;
		}
		clean = cgroup ? utf8_printable(cgroup) : NULL;
		if (heading && st->opt.separator)
			print_csv_heading(&table, clean);
		else if (heading)
			print_text_heading(&table, clean);
		heading = false;
		if (st->opt.separator)
			print_csv_line(&table, i, clean);
		else
			print_text_line(&table, i, clean);
		free(clean);
	}
	for (i = 0; i < table.nr; i++) {
		free(table.columns[i].unit);
		free(table.columns[i].values);
	}
	free(table.columns);
	if (*before) {
		free(*before);
		*before = headings;
	} else {
		free(headings);
	}
}

/**
 * stat_print_metric_only - print the metrics of all events
 * @st: with the counts
 */
void stat_print_metric_only(struct stat_cmd *st)
{
	char *before = wants_headings(st) ? xstrdup("") : NULL;
	size_t first, end;

	for (first = 0; first < st->nr_groups; first = end) {
		const struct cgroup *cgroup = cgroup_of(&st->list.groups[first]);

		for (end = first + 1; end < st->nr_groups; end++)
			if (cgroup_of(&st->list.groups[end]) != cgroup)
				break;
		print_table(st, first, end, &before);
	}
	free(before);
}
