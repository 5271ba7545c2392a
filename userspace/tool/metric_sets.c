// SPDX-License-Identifier: GPL-2.0
/*
 * The events that metrics are computed from. The events of a metric are one group, as if in braces,
 * so that they are counted at the same time. A metric whose events are all in the group of another
 * metric uses that group. Events that are counted on different CPUs (uncore) are a group of their
 * own.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric_list.h"
#include "pmu.h"
#include "util.h"

/* Nesting of metrics that are computed from metrics; only a circular reference reaches it. */
#define MAX_DEPTH	30

/**
 * struct finder - search for the events of a metric
 * @list: all metrics
 * @metric: the metric
 * @names: the events found
 * @unknown: an unknown literal ('#'), or NULL
 * @missing: a literal that this machine does not provide, or NULL
 * @depth: nesting of metrics
 * @env: for metric_expr_ids()
 */
struct finder {
	struct metric_list *list;
	const struct cpu_metric *metric;
	struct strings names;
	const char *unknown;
	const char *missing;
	unsigned int depth;
	struct metric_env env;
};

static double find_literal(void *arg, const char *name)
{
	struct finder *finder = arg;
	const double value = metric_literal(finder->list, name);

	if (!metric_is_literal(name))
		finder->unknown = name;
	else if (isnan(value))
		finder->missing = name;
	return value;
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
			free(event->sum_name);
			event->sum_name = xstrdup(of->name);
		} else {
			free(event->name);
			event->name = xstrdup(of->name);
			free(event->sum_name);
			event->sum_name = NULL;
		}
		/* The event was moved to @events. */
		parsed->groups[i].nr = 0;
	}
}

/* Added to the error if an event of the metric cannot be counted. */
static const char *what_then(const struct metric *metric)
{
	return metric->named ? "" : "; it is left out";
}

/**
 * struct parsed_name - an event of a metric, parsed
 * @name: its name in the expression
 * @events: the event, once for each PMU that has it
 */
struct parsed_name {
	const char *name;
	struct event_list events;
};

/* Parses the events of a metric, in the order in which they are added. */
static int parse_names(const struct metric *metric, const struct strings *names,
		       struct parsed_name *parsed)
{
	unsigned int step;
	size_t i, nr = 0;
	char *why = NULL;

	for (step = 0; step < 3; step++) {
		for (i = 0; i < names->nr; i++) {
			if (order(names->s[i]) != step)
				continue;
			parsed[nr].name = names->s[i];
			if (!metric_event_parse(&parsed[nr].events, names->s[i], metric->from->pmu,
						&why)) {
				nr++;
				continue;
			}
			error("metric '%s': this machine cannot count '%s': %s%s",
			      metric->from->name, names->s[i], why, what_then(metric));
			free(why);
			return -ENOENT;
		}
	}
	return 0;
}

static void fill_set(struct metric_list *list, struct metric *metric, struct parsed_name *parsed,
		     size_t nr, struct event_list *events)
{
	const size_t first = events->nr;
	struct metric_set *set;
	size_t i;

	GROW(list->sets, list->nr_sets, list->room_sets);
	set = &list->sets[list->nr_sets];
	memset(set, 0, sizeof(*set));
	set->apart = wants_apart(list, metric->from);
	set->optional = true;
	for (i = 0; i < nr; i++) {
		struct metric_event *event;

		GROW(set->events, set->nr, set->room);
		event = &set->events[set->nr++];
		event->name = xstrdup(parsed[i].name);
		event->pmu = metric->from->pmu;
		event->number = ++list->nr_events;
		take_events(events, first, set, event, &parsed[i].events, metric->from->name);
	}
	metric->set = list->nr_sets++;
}

static int make_set(struct metric_list *list, struct metric *metric, const struct strings *names,
		    struct event_list *events)
{
	struct parsed_name *parsed = xcalloc(names->nr, sizeof(*parsed));
	int err = parse_names(metric, names, parsed);
	size_t i;

	if (!err)
		fill_set(list, metric, parsed, names->nr, events);
	for (i = 0; i < names->nr; i++)
		events_free(&parsed[i].events);
	free(parsed);
	return err;
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
		error("metric '%s': '#%s' is not known%s", metric->from->name, finder.unknown,
		      what_then(metric));
		return -ENOENT;
	}
	/* Not an error: other metrics of its group may not need it. */
	if (finder.missing)
		error("metric '%s' has no value: this machine does not provide '#%s'",
		      metric->from->name, finder.missing);
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
	if (metric->named)
		list->sets[metric->set].optional = false;
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
			error("metric '%s': its events are not one group: %s; if they are multiplexed, its value is an estimate",
			      metric->from->name, why_apart(metric->from->constraint));
	}
}

/* Returns the set of the event with that number. */
static const struct metric_set *find_set_of(const struct metric_list *list, unsigned int number)
{
	size_t i;

	for (i = 0; i + 1 < list->nr_sets; i++)
		if (number <= list->sets[i].events[list->sets[i].nr - 1].number)
			break;
	return &list->sets[i];
}

/* Sets @optional of the groups of events. */
static void mark_optional(const struct metric_list *list, struct event_list *events, size_t first)
{
	size_t i;

	for (i = first; i < events->nr; i++) {
		const struct event *event = &events->groups[i].events[0];

		events->groups[i].optional = find_set_of(list, event->metric_event)->optional;
	}
}

static void drop_left_out(struct metric_list *list, struct strings *names)
{
	size_t i, to = 0;

	for (i = 0; i < list->nr; i++) {
		struct strings of = names[i];

		if (list->metrics[i].left_out) {
			metric_free(&list->metrics[i]);
			strings_free(&of);
			continue;
		}
		list->metrics[to] = list->metrics[i];
		names[to++] = of;
	}
	list->nr = to;
}

/* Leaves a metric out that cannot be counted, if only a metric group named it. */
static int judge(struct metric *metric, int err)
{
	if (err != -ENOENT || metric->named)
		return err;
	metric->left_out = true;
	return 0;
}

/**
 * metric_list_make_events - make the events of all metrics
 * @list: the metrics; those that only a metric group named, and that the machine cannot count,
 *	are removed after printing why
 * @events: the events are appended
 *
 * Return: 0, or a negative errno after printing an error
 */
int metric_list_make_events(struct metric_list *list, struct event_list *events)
{
	struct strings *names = xcalloc(list->nr + 1, sizeof(*names));
	const size_t first = events->nr, all = list->nr;
	size_t i, nr, most = 0;
	int err = 0;

	for (i = 0; i < list->nr && !err; i++) {
		err = judge(&list->metrics[i], find_names(list, &list->metrics[i], &names[i]));
		if (names[i].nr > most)
			most = names[i].nr;
	}
	/* Metrics with the most events first, so that others can share their groups. */
	for (nr = most + 1; nr-- > 0 && !err;) {
		for (i = 0; i < list->nr && !err; i++) {
			struct metric *metric = &list->metrics[i];

			if (names[i].nr == nr && !metric->left_out)
				err = judge(metric, make_metric(list, metric, &names[i], events));
		}
	}
	drop_left_out(list, names);
	if (!err && all && !list->nr) {
		error("this machine can count none of the metrics");
		err = -ENOENT;
	} else if (!err && all && !list->nr_sets) {
		error("metric '%s' uses no events on this machine", list->metrics[0].from->name);
		err = -EINVAL;
	}
	if (!err) {
		mark_optional(list, events, first);
		say_apart(list, names);
	}
	for (i = 0; i < list->nr; i++)
		strings_free(&names[i]);
	free(names);
	return err;
}
