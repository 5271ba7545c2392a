/* SPDX-License-Identifier: GPL-2.0 */
/* Parse and evaluate the expressions of perf's metrics. */
#ifndef PERFGRP_METRIC_EXPR_H
#define PERFGRP_METRIC_EXPR_H

#include <stdbool.h>

struct metric_expr;

/**
 * struct metric_env - functions that an expression is evaluated with
 * @value: value of an event, or of another metric; NAN if there is none
 * @source_count: number of PMUs whose counts are summed up for an event; NAN if there is none
 * @literal: value of a literal, without its '#'; NAN if there is none
 * @has_event: does the machine have this event?
 * @is_cpu: is the machine's CPU the one with this number, or a later revision?
 * @arg: passed to the functions
 */
struct metric_env {
	double (*value)(void *arg, const char *id);
	double (*source_count)(void *arg, const char *id);
	double (*literal)(void *arg, const char *name);
	bool (*has_event)(void *arg, const char *id);
	bool (*is_cpu)(void *arg, const char *number);
	void *arg;
};

struct metric_expr *metric_expr_parse(const char *text, char **why);
double metric_expr_value(const struct metric_expr *expr, const struct metric_env *env);
void metric_expr_ids(const struct metric_expr *expr, const struct metric_env *env,
		     void (*fn)(void *arg, const char *id), void *arg);
void metric_expr_free(struct metric_expr *expr);

#endif /* PERFGRP_METRIC_EXPR_H */
