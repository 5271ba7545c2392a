// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Event names of counters, for groups that another program created. */
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "pfm.h"
#include "pmu.h"

/**
 * struct wanted - search for the name of a generic event
 * @pool: memory for the name
 * @event: the event
 * @name: its name when found, else NULL
 */
struct wanted {
	struct pool *pool;
	__u64 event;
	const char *name;
};

static int take_name(void *arg, const struct perfgrp_listed_event *event)
{
	struct wanted *wanted = arg;

	if (event->counter->event != wanted->event)
		return 0;
	wanted->name = perfgrp_pool_strndup(wanted->pool, event->name, strlen(event->name));
	return 1;
}

static const char *breakpoint_name(struct pool *pool, const struct perfgrp_counter *counter)
{
	return perfgrp_pool_printf(pool, "mem:0x%llx/%llu:%s%s%s",
				   (unsigned long long)counter->config1,
				   (unsigned long long)counter->config2,
				   counter->bp_type & HW_BREAKPOINT_R ? "r" : "",
				   counter->bp_type & HW_BREAKPOINT_W ? "w" : "",
				   counter->bp_type & HW_BREAKPOINT_X ? "x" : "");
}

static const char *pmu_name(struct pool *pool, const struct perfgrp_events *from, __u32 type)
{
	struct strings names = perfgrp_pmu_names(pool, from);
	struct pmu_dir pmu;
	size_t i;

	for (i = 0; i < names.nr; i++)
		if (!perfgrp_pmu_open(&pmu, pool, from, names.s[i]) && pmu.type == type)
			return pmu.name;
	return perfgrp_pool_printf(pool, "type%u", type);
}

static const char *encoded_name(struct pool *pool, const struct perfgrp_events *from,
				const struct perfgrp_counter *counter)
{
	const __u64 more[] = { counter->config1, counter->config2, counter->config3 };
	const char *name;
	size_t i;

	name = perfgrp_pool_printf(pool, "%s/config=0x%llx",
				   pmu_name(pool, from, perfgrp_counter_type(counter)),
				   (unsigned long long)perfgrp_counter_config(counter));
	for (i = 0; i < ARRAY_SIZE(more) && counter->flags & PERFGRP_COUNTER_RAW; i++)
		if (more[i])
			name = perfgrp_pool_printf(pool, "%s,config%zu=0x%llx", name, i + 1,
						   (unsigned long long)more[i]);
	return name;
}

static const char *name_of(struct pool *pool, const struct perfgrp_events *from,
			   const struct perfgrp_counter *counter)
{
	const bool user = counter->flags & PERFGRP_COUNTER_EXCLUDE_KERNEL;
	const bool kernel = counter->flags & PERFGRP_COUNTER_EXCLUDE_USER;
	struct wanted wanted = { .pool = pool, .event = counter->event };
	const char *separator = ":";
	const char *name;

	if (!(counter->flags & PERFGRP_COUNTER_RAW))
		perfgrp_pfm_list(pool, PERFGRP_LIST_GENERIC, take_name, &wanted);
	if (wanted.name) {
		name = wanted.name;
	} else if (perfgrp_counter_type(counter) == PERF_TYPE_RAW && !counter->config1 &&
		   !counter->config2 && !counter->config3) {
		name = perfgrp_pool_printf(pool, "r%llx",
					   (unsigned long long)perfgrp_counter_config(counter));
	} else if (perfgrp_counter_type(counter) == PERF_TYPE_BREAKPOINT) {
		name = breakpoint_name(pool, counter);
	} else {
		name = encoded_name(pool, from, counter);
		separator = "/";
	}
	if (user == kernel && *separator != '/')
		return name;
	return perfgrp_pool_printf(pool, "%s%s%s", name, separator,
				   user == kernel ? "" : user ? "u" : "k");
}

/**
 * perfgrp_event_name - get the event name of a counter from its encoding
 * @events: has the path of the PMUs; NULL for the default
 * @counter: the counter
 * @size: sizeof(*@counter)
 *
 * Return: the name of a generic event, or else the encoding in the syntax of
 *	perfgrp_parse_events(), for the caller to free(); NULL if there is no memory
 */
char *perfgrp_event_name(const struct perfgrp_events *events,
			 const struct perfgrp_counter *counter, size_t size)
{
	struct perfgrp_counter known = { 0 };
	struct pool pool = { 0 };
	const char *name;
	char *copy;

	memcpy(&known, counter, size < sizeof(known) ? size : sizeof(known));
	name = name_of(&pool, events, &known);
	copy = pool.failed ? NULL : strdup(name);
	perfgrp_pool_free(&pool);
	return copy;
}
