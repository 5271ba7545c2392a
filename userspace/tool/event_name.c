// SPDX-License-Identifier: GPL-2.0
/* From a counter back to an event's name, for groups that somebody else has made. */
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "event_name.h"
#include "pfm.h"
#include "pmu.h"

struct wanted {
	__u64 event;
	char *name;
};

static void take_name(void *arg, const char *pmu, const char *name, const char *desc,
		      const struct perfgrp_counter *counter)
{
	struct wanted *wanted = arg;

	(void)desc;
	if (!wanted->name && !strcmp(pmu, "perf") &&
	    !(counter->flags & PERFGRP_COUNTER_RAW) && counter->event == wanted->event)
		wanted->name = xstrdup(name);
}

static char *breakpoint_name(const struct perfgrp_counter *counter)
{
	return xasprintf("mem:0x%llx/%llu:%s%s%s", (unsigned long long)counter->config1,
			 (unsigned long long)counter->config2,
			 counter->bp_type & HW_BREAKPOINT_R ? "r" : "",
			 counter->bp_type & HW_BREAKPOINT_W ? "w" : "",
			 counter->bp_type & HW_BREAKPOINT_X ? "x" : "");
}

static char *encoded_name(const struct perfgrp_counter *counter,
			  const struct event_sources *sources)
{
	char *pmu = pmu_find_name(event_type(counter), sources, "type");
	char *name = xasprintf("%s/config=0x%llx", pmu,
			       (unsigned long long)event_config(counter));
	const __u64 more[] = { counter->config1, counter->config2, counter->config3 };
	size_t i;

	free(pmu);
	for (i = 0; i < ARRAY_SIZE(more) && counter->flags & PERFGRP_COUNTER_RAW; i++) {
		char *longer;

		if (!more[i])
			continue;
		longer = xasprintf("%s,config%zu=0x%llx", name, i + 1,
				   (unsigned long long)more[i]);
		free(name);
		name = longer;
	}
	return name;
}

/**
 * event_name - what to call a counter of which nothing but its encoding is known
 * @counter: the counter
 * @sources: where PMUs are, or NULL
 *
 * Return: the name of a generic event, or else the encoding as "perfgrp stat -e" takes
 * it; to be freed
 */
char *event_name(const struct perfgrp_counter *counter, const struct event_sources *sources)
{
	const bool user = counter->flags & PERFGRP_COUNTER_EXCLUDE_KERNEL;
	const bool kernel = counter->flags & PERFGRP_COUNTER_EXCLUDE_USER;
	struct wanted wanted = { .event = counter->event };
	const char *separator = ":";
	char *name;

	if (!(counter->flags & PERFGRP_COUNTER_RAW))
		pfm_list(take_name, &wanted);
	if (wanted.name) {
		name = wanted.name;
	} else if (event_type(counter) == PERF_TYPE_RAW && !counter->config1) {
		name = xasprintf("r%llx", (unsigned long long)event_config(counter));
	} else if (event_type(counter) == PERF_TYPE_BREAKPOINT) {
		name = breakpoint_name(counter);
	} else {
		name = encoded_name(counter, sources);
		separator = "/";
	}
	if (user != kernel || *separator == '/') {
		char *longer = xasprintf("%s%s%s", name, separator,
					 user == kernel ? "" : user ? "u" : "k");

		free(name);
		name = longer;
	}
	return name;
}
