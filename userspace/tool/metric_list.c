// SPDX-License-Identifier: GPL-2.0
/*
 * The metrics of a command line (-M), and the events that they are computed from. The events of a
 * metric are one group, as if in braces, so that they are counted at the same time. A metric whose
 * events are all in the group of another metric uses that group. Events that are counted on
 * different CPUs (uncore) are a group of their own.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metric_list.h"
#include "pmu.h"
#include "util.h"

/* Nesting of metrics that are computed from metrics; only a circular reference reaches it. */
#define MAX_DEPTH	30

/* ---- names ------------------------------------------------------------------ */

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

static bool is_listed(const struct metric_list *list, const struct cpu_metric *from)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->metrics[i].from == from)
			return true;
	return false;
}

static int add_metric(struct metric_list *list, const struct cpu_metric *from)
{
	struct metric *metric;
	const char *unit;
	char *why;

	if (is_listed(list, from))
		return 0;
	GROW(list->metrics, list->nr, list->room);
	metric = &list->metrics[list->nr];
	memset(metric, 0, sizeof(*metric));
	metric->from = from;
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
	unit = read_scale(from->unit, &metric->scale);
	metric->has_unit = *from->unit;
	metric->unit = metric->has_unit ? xasprintf("%s  %s", unit, from->name) :
					  xstrdup(from->name);
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

		if (!all && strcasecmp(metric->name, name) && !cpu_metric_is_in(metric, name))
			continue;
		if (!is_here(metric))
			continue;
		err = add_metric(list, metric);
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

/* ---- metrics of metrics ------------------------------------------------------ */

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

/* ---- events ------------------------------------------------------------------ */

/**
 * struct finder - search for the events of a metric
 * @list: all metrics
 * @metric: the metric
 * @names: the events found
 * @unknown: an unknown literal ('#'), or NULL
 * @depth: nesting of metrics
 * @env: for metric_expr_ids()
 */
struct finder {
	struct metric_list *list;
	const struct cpu_metric *metric;
	struct strings names;
	const char *unknown;
	unsigned int depth;
	struct metric_env env;
};

static double find_literal(void *arg, const char *name)
{
	struct finder *finder = arg;

	if (!metric_is_literal(name))
		finder->unknown = name;
	return metric_literal(finder->list, name);
}

static bool find_has_event(void *arg, const char *name)
{
	const struct finder *finder = arg;

	return metric_event_exists(name, finder->metric->pmu);
}

static bool find_is_cpu(void *arg, const char *number)
{
	(void)arg;
	return cpu_is(cpu_tables()->cpuid, number);
}

static void find_id(void *arg, const char *name)
{
	struct finder *finder = arg;
	const struct metric_expr *expr = metric_list_ref(finder->list, name, finder->metric);
	size_t i;

	if (metric_is_time(name))
		return;
	if (expr) {
		if (++finder->depth < MAX_DEPTH)
			metric_expr_ids(expr, &finder->env, find_id, finder);
		finder->depth--;
		return;
	}
	for (i = 0; i < finder->names.nr; i++)
		if (!strcmp(finder->names.s[i], name))
			return;
	strings_add(&finder->names, xstrdup(name));
}

/* Sort key: Intel's slots event must lead the group of the topdown events. */
static unsigned int order(const char *name)
{
	const char *slash = strchr(name, '/');

	if (slash && slash[1])
		name = slash + 1;
	if (!strcasecmp(name, "topdown.slots") || !strcmp(name, "slots") ||
	    !strncasecmp(name, "topdown.slots/", 14) || !strcmp(name, "slots/"))
		return 0;
	return !strncmp(name, "topdown-", 8) ? 1 : 2;
}

static bool has_name(const struct strings *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->s[i], name))
			return true;
	return false;
}

static bool set_has(const struct metric_set *set, const char *name, const char *pmu)
{
	size_t i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->events[i].name, name) && !strcmp(set->events[i].pmu, pmu))
			return true;
	return false;
}

/* Returns the set's group for the CPUs on which the event is counted; adds one if needed. */
static struct event_group *group_for(struct event_list *events, size_t first, bool apart,
				     const struct event *event, const char *metric)
{
	struct event_group *group;
	size_t i;

	for (i = first; i < events->nr && !apart; i++) {
		const char *cpus = events->groups[i].events[0].cpus;

		if (cpus && event->cpus ? !strcmp(cpus, event->cpus) : cpus == event->cpus) {
			events->groups[i].braces = true;
			return &events->groups[i];
		}
	}
	group = events_add_group(events);
	group->metric = metric;
	group->weak = true;
	return group;
}

/* Do the CPU's tables or --metric-no-group say not to make a group? */
static bool wants_apart(const struct metric_list *list, const struct cpu_metric *metric)
{
	char *text;
	bool on;

	if (list->no_group || !strcmp(metric->constraint, "NO_GROUP_EVENTS"))
		return true;
	if (!strcmp(metric->constraint, "NO_GROUP_EVENTS_SMT"))
		return metric_literal(list, "smt_on");
	if (strcmp(metric->constraint, "NO_GROUP_EVENTS_NMI"))
		return false;
	text = read_file("/proc/sys/kernel/nmi_watchdog");
	on = text && !strcmp(text, "1");
	free(text);
	return on;
}

/* Moves the events that were parsed for one name into the groups of the set. */
static void take_events(struct event_list *events, size_t first, const struct metric_set *set,
			struct metric_event *of, struct event_list *parsed, const char *metric)
{
	size_t i;

	of->nr = parsed->nr;
	for (i = 0; i < parsed->nr; i++) {
		struct event *event = &parsed->groups[i].events[0];
		struct event_group *group;

		group = group_for(events, first, set->apart, event, metric);
		GROW(group->events, group->nr, group->room);
		group->events[group->nr++] = *event;
		event = &group->events[group->nr - 1];
		event->metric_event = of->number;
		if (parsed->nr > 1) {
			char *pmu = pmu_find_name(perfgrp_counter_type(&event->counter));

			free(event->name);
			event->name = xasprintf("%s [%s]", of->name, pmu);
			free(pmu);
		} else {
			free(event->name);
			event->name = xstrdup(of->name);
		}
		/* The event was moved to @events. */
		parsed->groups[i].nr = 0;
	}
}

static int make_set(struct metric_list *list, struct metric *metric, const struct strings *names,
		    struct event_list *events)
{
	const size_t first = events->nr;
	struct metric_set *set;
	unsigned int step;
	size_t i;

	GROW(list->sets, list->nr_sets, list->room_sets);
	set = &list->sets[list->nr_sets++];
	memset(set, 0, sizeof(*set));
	set->apart = wants_apart(list, metric->from);
	for (step = 0; step < 3; step++) {
		for (i = 0; i < names->nr; i++) {
			struct event_list parsed = { 0 };
			struct metric_event *event;
			char *why = NULL;

			if (order(names->s[i]) != step)
				continue;
			GROW(set->events, set->nr, set->room);
			event = &set->events[set->nr++];
			event->name = xstrdup(names->s[i]);
			event->pmu = metric->from->pmu;
			event->number = ++list->nr_events;
			if (metric_event_parse(&parsed, event->name, event->pmu, &why)) {
				error("metric '%s': this machine cannot count '%s': %s",
				      metric->from->name, event->name, why);
				free(why);
				events_free(&parsed);
				return -ENOENT;
			}
			take_events(events, first, set, event, &parsed, metric->from->name);
			events_free(&parsed);
		}
	}
	metric->set = list->nr_sets - 1;
	return 0;
}

/* Finds a set that already has all events, or returns -1. */
static int find_set(const struct metric_list *list, const struct metric *metric,
		    const struct strings *names)
{
	size_t i, j;

	for (i = 0; i < list->nr_sets && !list->no_merge; i++) {
		/* Do not share events between metrics that are grouped and those that are not. */
		if (list->sets[i].apart != wants_apart(list, metric->from))
			continue;
		for (j = 0; j < names->nr; j++)
			if (!set_has(&list->sets[i], names->s[j], metric->from->pmu))
				break;
		if (j == names->nr)
			return i;
	}
	return -1;
}

static void find_leader(struct metric *metric, const struct metric_set *set,
			const struct strings *names)
{
	size_t i;

	for (i = 0; i < set->nr && !metric->leader; i++)
		if (has_name(names, set->events[i].name))
			metric->leader = set->events[i].number;
}

/*
 * Finds the events that a metric is computed from; @names must be freed. Returns 0, or a negative
 * errno after printing an error.
 */
static int find_names(struct metric_list *list, const struct metric *metric,
		      struct strings *names)
{
	struct finder finder = {
		.list = list,
		.metric = metric->from,
		.env = {
			.literal = find_literal,
			.has_event = find_has_event,
			.is_cpu = find_is_cpu,
		},
	};

	finder.env.arg = &finder;
	metric_expr_ids(metric->expr, &finder.env, find_id, &finder);
	*names = finder.names;
	if (finder.unknown) {
		error("metric '%s': '#%s' is not known", metric->from->name, finder.unknown);
		return -EINVAL;
	}
	return 0;
}

static int make_metric(struct metric_list *list, struct metric *metric,
		       const struct strings *names, struct event_list *events)
{
	int set, err;

	/* A metric that is computed only from times has no event: print it on the first line. */
	if (!names->nr) {
		metric->leader = 1;
		return 0;
	}
	set = find_set(list, metric, names);
	if (set >= 0) {
		metric->set = set;
	} else {
		err = make_set(list, metric, names, events);
		if (err)
			return err;
	}
	find_leader(metric, &list->sets[metric->set], names);
	return 0;
}

/* Explains a constraint for which wants_apart() returned true. */
static const char *why_apart(const char *constraint)
{
	if (!strcmp(constraint, "NO_GROUP_EVENTS_NMI"))
		return "the NMI watchdog keeps a counter (sysctl kernel.nmi_watchdog=0 frees it)";
	if (!strcmp(constraint, "NO_GROUP_EVENTS_SMT"))
		return "with SMT on the CPU has too few counters for them";
	return "this CPU cannot count them at once";
}

static void say_apart(const struct metric_list *list, const struct strings *names)
{
	size_t i;

	for (i = 0; i < list->nr && !list->no_group; i++) {
		const struct metric *metric = &list->metrics[i];

		/* A metric with a single event is exact without a group, too. */
		if (names[i].nr > 1 && list->sets[metric->set].apart)
			error("metric '%s': its events are not one group: %s; it is an estimate where they took turns",
			      metric->from->name, why_apart(metric->from->constraint));
	}
}

/**
 * metric_list_make_events - make the events of all metrics
 * @list: the metrics
 * @events: the events are appended
 *
 * Return: 0, or a negative errno after printing an error
 */
int metric_list_make_events(struct metric_list *list, struct event_list *events)
{
	struct strings *names = xcalloc(list->nr + 1, sizeof(*names));
	size_t i, nr, most = 0;
	int err = 0;

	for (i = 0; i < list->nr && !err; i++) {
		err = find_names(list, &list->metrics[i], &names[i]);
		if (names[i].nr > most)
			most = names[i].nr;
	}
	/* Metrics with the most events first, so that others can share their groups. */
	for (nr = most + 1; nr-- > 0 && !err;)
		for (i = 0; i < list->nr && !err; i++)
			if (names[i].nr == nr)
				err = make_metric(list, &list->metrics[i], &names[i], events);
	if (!err && list->nr && !list->nr_sets) {
		error("metric '%s' is computed of no event here", list->metrics[0].from->name);
		err = -EINVAL;
	}
	if (!err)
		say_apart(list, names);
	for (i = 0; i < list->nr; i++)
		strings_free(&names[i]);
	free(names);
	return err;
}

void metric_list_free(struct metric_list *list)
{
	size_t i, j;

	for (i = 0; i < list->nr; i++) {
		metric_expr_free(list->metrics[i].expr);
		metric_expr_free(list->metrics[i].threshold);
		free(list->metrics[i].unit);
	}
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
