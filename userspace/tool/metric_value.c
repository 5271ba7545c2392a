// SPDX-License-Identifier: GPL-2.0
/*
 * Values of metrics (-M). A metric has no value if one of its events was not counted, or if it
 * divides by zero.
 */
#include <math.h>
#include <string.h>

#include "metric_list.h"

/* The same limit as in metric_sets.c. */
#define MAX_DEPTH	30

/**
 * struct computation - one metric
 * @list: all metrics
 * @metric: the metric
 * @source: counts and times
 * @in_threshold: what is evaluated is the threshold, in which the metric's name is its value
 * @depth: nesting of metrics
 * @env: functions to evaluate the expression with
 */
struct computation {
	struct metric_list *list;
	const struct metric *metric;
	const struct metric_source *source;
	bool in_threshold;
	unsigned int depth;
	struct metric_env env;
};

/* Finds an event of the metric, or, because a threshold may use it, of another metric. */
static const struct metric_event *find_event(const struct computation *c, const char *name)
{
	const struct metric_list *list = c->list;
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

static double value(void *arg, const char *name)
{
	struct computation *c = arg;
	const struct metric_event *event;
	const struct metric_expr *expr;
	double number = NAN;

	if (metric_is_time(name))
		return c->source->time(c->source->arg, name);
	if (c->in_threshold && !strcmp(name, c->metric->from->name)) {
		c->in_threshold = false;
		number = metric_expr_value(c->metric->expr, &c->env);
		c->in_threshold = true;
		return number;
	}
	expr = metric_list_ref(c->list, name, c->metric->from);
	if (!expr) {
		event = find_event(c, name);
		return event ? c->source->count(c->source->arg, event->number) : NAN;
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

	return metric_literal(c->list, name);
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

static double evaluate(struct metric_list *list, const struct metric *metric,
		       const struct metric_source *source, const struct metric_expr *expr)
{
	struct computation c = {
		.list = list,
		.metric = metric,
		.source = source,
		.in_threshold = expr == metric->threshold,
		.env = {
			.value = value,
			.source_count = source_count,
			.literal = literal,
			.has_event = has_event,
			.is_cpu = is_cpu,
		},
	};

	c.env.arg = &c;
	return metric_expr_value(expr, &c.env);
}

/**
 * metric_value - compute a metric
 * @list: all metrics
 * @metric: the metric
 * @source: counts and times
 *
 * Return: the value in the metric's unit; NAN if there is none
 */
double metric_value(struct metric_list *list, const struct metric *metric,
		    const struct metric_source *source)
{
	const double number = evaluate(list, metric, source, metric->expr);

	return isfinite(number) ? number * metric->scale : NAN;
}

/**
 * metric_threshold - evaluate the threshold of a metric that has a value
 * @list: all metrics
 * @metric: the metric
 * @source: counts and times
 *
 * Return: not 0 if the value is noteworthy; NAN if there is no threshold, or if it has no value
 */
double metric_threshold(struct metric_list *list, const struct metric *metric,
			const struct metric_source *source)
{
	return metric->threshold ? evaluate(list, metric, source, metric->threshold) : NAN;
}
