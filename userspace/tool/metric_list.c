// SPDX-License-Identifier: GPL-2.0
/* The metrics of a command line (-M), by their names. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metric_list.h"
#include "pmu.h"
#include "util.h"

/* Parses the number in "100%" or "1e3per_1k_instr" in the C locale. */
static const char *read_scale(const char *text, double *scale)
{
	const size_t len = strspn(text, "0123456789.");
	size_t end = len;
	struct metric_expr *number;
	char *why, *copy;

	*scale = 1;
	if (!len)
		return text;
	if (text[end] == 'e' || text[end] == 'E') {
		size_t power = end + 1 + (text[end + 1] == '-');
		size_t digits = strspn(text + power, "0123456789");

		if (digits)
			end = power + digits;
	}
	copy = xstrndup(text, end);
	number = metric_expr_parse(copy, &why);
	if (number)
		*scale = metric_expr_value(number, NULL);
	metric_expr_free(number);
	free(why);
	free(copy);
	return text + end;
}

static struct metric *find_listed(const struct metric_list *list, const struct cpu_metric *from)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->metrics[i].from == from)
			return &list->metrics[i];
	return NULL;
}

static int add_metric(struct metric_list *list, const struct cpu_metric *from, bool named)
{
	struct metric *metric = find_listed(list, from);
	char *why;

	if (metric) {
		metric->named |= named;
		return 0;
	}
	GROW(list->metrics, list->nr, list->room);
	metric = &list->metrics[list->nr];
	memset(metric, 0, sizeof(*metric));
	metric->from = from;
	metric->named = named;
	metric->expr = metric_expr_parse(from->expr, &why);
	if (!metric->expr) {
		error("metric '%s': cannot read '%s': %s", from->name, from->expr, why);
		free(why);
		return -EINVAL;
	}
	if (*from->threshold) {
		metric->threshold = metric_expr_parse(from->threshold, &why);
		free(why);
	}
	metric->unit = read_scale(from->unit, &metric->scale);
	list->nr++;
	return 0;
}

/* Does the machine have the metric's PMU? It may lack kinds of cores that are in the tables. */
static bool is_here(const struct cpu_metric *metric)
{
	char *path;
	bool is;

	if (strncmp(metric->pmu, "cpu_", 4))
		return true;
	path = xasprintf("/sys/bus/event_source/devices/%s/type", metric->pmu);
	is = !access(path, F_OK);
	free(path);
	return is;
}

static int add_name(struct metric_list *list, const char *name)
{
	const struct cpu_tables *tables = cpu_tables();
	const bool all = !strcmp(name, "all");
	bool found = false;
	size_t i;
	int err;

	if (tables->why) {
		error("metric '%s': %s", name, tables->why);
		return -ENOENT;
	}
	for (i = 0; i < tables->nr_metrics; i++) {
		const struct cpu_metric *metric = &tables->metrics[i];
		const bool named = !strcasecmp(metric->name, name);

		if (!all && !named && !cpu_metric_is_in(metric, name))
			continue;
		if (!is_here(metric))
			continue;
		err = add_metric(list, metric, named);
		if (err)
			return err;
		found = true;
	}
	if (found)
		return 0;
	error("there is no metric or group of metrics '%s' for this CPU (%s); 'perfgrp list metric metricgroup' lists them",
	      name, tables->cpuid);
	return -ENOENT;
}

/**
 * metric_list_add - add metrics by their names
 * @list: the list
 * @names: metrics and groups of metrics, separated by commas
 *
 * Return: 0, or a negative errno after printing an error
 */
int metric_list_add(struct metric_list *list, const char *names)
{
	char *copy = xstrdup(names), *name, *s = copy;
	int err = 0;

	while (!err && (name = strsep(&s, ","))) {
		name += strspn(name, " ");
		if (*name) {
			err = add_name(list, name);
		} else {
			error("-M: the name of a metric is missing in '%s'", names);
			err = -EINVAL;
		}
	}
	free(copy);
	return err;
}

/**
 * metric_list_topdown - add the metrics of --topdown
 * @list: the list
 * @level: of --td-level
 *
 * Return: 0, or a negative errno after printing an error
 */
int metric_list_topdown(struct metric_list *list, unsigned int level)
{
	char group[32];

	snprintf(group, sizeof(group), "TopdownL%u", level);
	return add_name(list, group);
}

/**
 * metric_list_ref - find the metric that an expression refers to
 * @list: the list
 * @name: a name in the expression; may be that of an event
 * @by: the metric that the expression is of
 *
 * Return: the expression of the metric found; NULL if @name is not a metric
 */
const struct metric_expr *metric_list_ref(struct metric_list *list, const char *name,
					  const struct cpu_metric *by)
{
	const struct cpu_metric *from = cpu_tables_metric(cpu_tables(), name, by->pmu);
	struct metric_ref *ref;
	char *why;
	size_t i;

	/* Some metrics have the same name as the event that they show. */
	if (!from || from == by)
		return NULL;
	for (i = 0; i < list->nr_refs; i++)
		if (list->refs[i].from == from)
			return list->refs[i].expr;
	GROW(list->refs, list->nr_refs, list->room_refs);
	ref = &list->refs[list->nr_refs++];
	ref->from = from;
	ref->expr = metric_expr_parse(from->expr, &why);
	if (!ref->expr)
		error("metric '%s': cannot read '%s': %s", from->name, from->expr, why);
	free(why);
	return ref->expr;
}

/* Frees what belongs to a metric. */
void metric_free(struct metric *metric)
{
	metric_expr_free(metric->expr);
	metric_expr_free(metric->threshold);
}

void metric_list_free(struct metric_list *list)
{
	size_t i, j;

	for (i = 0; i < list->nr; i++)
		metric_free(&list->metrics[i]);
	for (i = 0; i < list->nr_sets; i++) {
		for (j = 0; j < list->sets[i].nr; j++)
			free(list->sets[i].events[j].name);
		free(list->sets[i].events);
	}
	for (i = 0; i < list->nr_refs; i++)
		metric_expr_free(list->refs[i].expr);
	free(list->metrics);
	free(list->sets);
	free(list->refs);
	memset(list, 0, sizeof(*list));
}
