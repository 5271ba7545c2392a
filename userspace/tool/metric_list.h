/* SPDX-License-Identifier: GPL-2.0 */
/* The metrics of a command line (-M), and the events that they are computed from. */
#ifndef PERFGRP_METRIC_LIST_H
#define PERFGRP_METRIC_LIST_H

#include "cpu_tables.h"
#include "events.h"
#include "metric_expr.h"

/**
 * struct metric_event - an event in an expression
 * @name: its name in the expression
 * @pmu: the PMU of the metric
 * @number: the &struct event.metric_event of its events; several PMUs may have it
 * @nr: number of these events
 */
struct metric_event {
	char *name;
	const char *pmu;
	unsigned int number;
	unsigned int nr;
};

/**
 * struct metric_set - events that are counted together, for one metric or for several
 * @events: the events, in the order in which they are added
 * @nr: how many
 * @room: how many @events has room for
 * @apart: each event is a group of its own, because of --metric-no-group or the CPU's tables
 * @optional: all its metrics were named by a metric group only
 */
struct metric_set {
	struct metric_event *events;
	size_t nr;
	size_t room;
	bool apart;
	bool optional;
};

/**
 * struct metric - a metric to be printed
 * @from: the metric in the tables
 * @unit: its unit, without the factor that is in the tables; "" if it has none
 * @named: it was named by its own name, not only by a metric group
 * @left_out: the machine cannot count one of its events
 * @scale: factor to multiply the value with
 * @expr: expression to compute it
 * @threshold: expression that is true if the value is noteworthy; NULL if there is none
 * @set: number of its set
 * @leader: number of the event on whose line it is printed; 0 if not known yet
 */
struct metric {
	const struct cpu_metric *from;
	const char *unit;
	bool named;
	bool left_out;
	double scale;
	struct metric_expr *expr;
	struct metric_expr *threshold;
	size_t set;
	unsigned int leader;
};

/**
 * struct metric_ref - a metric that others are computed from
 * @from: the metric in the tables
 * @expr: expression to compute it
 */
struct metric_ref {
	const struct cpu_metric *from;
	struct metric_expr *expr;
};

/**
 * struct metric_list - all metrics
 * @metrics: the metrics, in the order of the command line
 * @nr: how many
 * @room: how many @metrics has room for
 * @sets: their events
 * @nr_sets: how many
 * @room_sets: how many @sets has room for
 * @refs: metrics that are used by others
 * @nr_refs: how many
 * @room_refs: how many @refs has room for
 * @nr_events: number of the last event
 * @no_group: --metric-no-group: do not group the events of a metric
 * @no_merge: --metric-no-merge: metrics do not share groups
 * @core_wide: everything that runs on each core is counted
 */
struct metric_list {
	struct metric *metrics;
	size_t nr;
	size_t room;
	struct metric_set *sets;
	size_t nr_sets;
	size_t room_sets;
	struct metric_ref *refs;
	size_t nr_refs;
	size_t room_refs;
	unsigned int nr_events;
	bool no_group;
	bool no_merge;
	bool core_wide;
};

/**
 * struct metric_source - where the values of metrics get counts and times from
 * @count: count of the events with that number, see &struct metric_event.number; NAN if there is
 *	none
 * @time: seconds, by a name for which metric_is_time() is true; NAN if they are not known
 * @arg: passed to the functions
 */
struct metric_source {
	double (*count)(void *arg, unsigned int number);
	double (*time)(void *arg, const char *name);
	void *arg;
};

int metric_list_add(struct metric_list *list, const char *names);
int metric_list_topdown(struct metric_list *list, unsigned int level);
const struct metric_expr *metric_list_ref(struct metric_list *list, const char *name,
					  const struct cpu_metric *by);
void metric_free(struct metric *metric);
void metric_list_free(struct metric_list *list);

/* metric_sets.c */
int metric_list_make_events(struct metric_list *list, struct event_list *events);

/* metric_value.c */
double metric_value(struct metric_list *list, const struct metric *metric,
		    const struct metric_source *source);
double metric_threshold(struct metric_list *list, const struct metric *metric,
			const struct metric_source *source);

/* metric_literal.c */
double metric_literal(const struct metric_list *list, const char *name);
bool metric_is_literal(const char *name);
bool metric_is_time(const char *name);

/* metric_event.c */
int metric_event_parse(struct event_list *list, const char *name, const char *pmu, char **why);
bool metric_event_exists(const char *name, const char *pmu);

#endif /* PERFGRP_METRIC_LIST_H */
