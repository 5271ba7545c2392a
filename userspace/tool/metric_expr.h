/* SPDX-License-Identifier: GPL-2.0 */
/* The expressions of perf's metrics: read, and computed. */
#ifndef PERFGRP_METRIC_EXPR_H
#define PERFGRP_METRIC_EXPR_H

#include <stdbool.h>

struct metric_expr;

/**
 * struct metric_env - what an expression does not know by itself
 * @value: of an event, or of another metric; NAN for none
 * @source_count: how many PMUs' counts an event's is the sum of; NAN for none
 * @literal: of what begins with '#', without that; NAN for none
 * @has_event: whether the machine has an event
 * @is_cpu: whether the machine's CPU is the one of that number, or a later revision
 * @arg: for these
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
