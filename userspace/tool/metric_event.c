// SPDX-License-Identifier: GPL-2.0
/* Parse the events in the expressions of metrics. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_alias.h"
#include "metric_list.h"
#include "util.h"

static int parse(struct event_list *list, const char *text, char **why)
{
	struct perfgrp_events *parsed = xcheck(perfgrp_events_new());
	int err = events_parse(list, text, parsed);

	if (err && !*why)
		*why = xstrdup(perfgrp_events_error(parsed)->text);
	perfgrp_events_free(parsed);
	return err;
}

/**
 * metric_event_parse - parse an event of an expression
 * @list: the event is added as a group of its own, or as several if several PMUs have it
 * @name: the event
 * @pmu: the PMU of the metric
 * @why: NULL; set to the reason on failure, to be freed
 *
 * Expressions have some of the kernel's names in capitals, such as TSC.
 *
 * Return: 0, or -EINVAL
 */
int metric_event_parse(struct event_list *list, const char *name, const char *pmu, char **why)
{
	char *text = cpu_alias_expand(name, pmu), *s;
	int err = parse(list, text ? text : name, why);

	if (err && !text) {
		text = xstrdup(name);
		for (s = text; *s; s++)
			*s = tolower((unsigned char)*s);
		err = parse(list, text, why);
	}
	free(text);
	if (!err) {
		free(*why);
		*why = NULL;
	}
	return err;
}

/* Does the machine have an event? Used for has_event(). */
bool metric_event_exists(const char *name, const char *pmu)
{
	struct event_list list = { 0 };
	char *why = NULL;
	bool exists = !metric_event_parse(&list, name, pmu, &why);

	events_free(&list);
	free(why);
	return exists;
}
