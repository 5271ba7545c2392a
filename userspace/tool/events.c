// SPDX-License-Identifier: GPL-2.0
/* Events, groups of events, lists of groups, and where events are described. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "event_parse.h"
#include "util.h"

/**
 * event_set - give a counter its event, in the short form if it fits
 * @counter: zeros but for its flags
 * @type: as attr.type
 * @config: as attr.config
 * @config1: as attr.config1
 * @config2: as attr.config2
 * @config3: as attr.config3
 */
void event_set(struct perfgrp_counter *counter, __u32 type, __u64 config, __u64 config1,
	       __u64 config2, __u64 config3)
{
	bool named = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE ||
		     type == PERF_TYPE_HW_CACHE;

	if (named && config >> 32 == 0 && !config1 && !config2 && !config3) {
		counter->event = PERFGRP_EVENT(type, config);
		return;
	}
	counter->flags |= PERFGRP_COUNTER_RAW;
	counter->type = type;
	counter->config = config;
	counter->config1 = config1;
	counter->config2 = config2;
	counter->config3 = config3;
}

/* The event's attr.type, whichever form it has. */
__u32 event_type(const struct perfgrp_counter *counter)
{
	return counter->flags & PERFGRP_COUNTER_RAW ? counter->type :
						      PERFGRP_EVENT_TYPE(counter->event);
}

/* The event's attr.config, whichever form it has. */
__u64 event_config(const struct perfgrp_counter *counter)
{
	return counter->flags & PERFGRP_COUNTER_RAW ? counter->config :
						      PERFGRP_EVENT_CONFIG(counter->event);
}

/* Adds a group without events. */
struct event_group *event_add_group(struct event_list *list)
{
	struct event_group *group;

	GROW(list->groups, list->nr, list->room);
	group = &list->groups[list->nr++];
	memset(group, 0, sizeof(*group));
	return group;
}

/* Adds an event of which nothing is known yet. */
struct event *event_add(struct event_group *group)
{
	struct event *event;

	GROW(group->events, group->nr, group->room);
	event = &group->events[group->nr++];
	memset(event, 0, sizeof(*event));
	event->scale = 1.0;
	event->unit = xstrdup("");
	return event;
}

static void free_event(struct event *event)
{
	free(event->name);
	free(event->unit);
	free(event->cpus);
}

/* Cuts off all groups from some group on. */
void event_free_groups(struct event_list *list, size_t from)
{
	size_t i, j;

	for (i = from; i < list->nr; i++) {
		for (j = 0; j < list->groups[i].nr; j++)
			free_event(&list->groups[i].events[j]);
		free(list->groups[i].events);
	}
	list->nr = from;
}

/**
 * events_free - give back the memory of a list
 * @list: which is empty afterwards
 */
void events_free(struct event_list *list)
{
	event_free_groups(list, 0);
	free(list->groups);
	memset(list, 0, sizeof(*list));
}

/**
 * events_cut - turn a group into two, in its place
 * @list: the list
 * @index: the group
 * @at: the first event of the second one
 *
 * Neither is in braces any more: they are not counted together.
 */
void events_cut(struct event_list *list, size_t index, size_t at)
{
	struct event_group *first, *second;
	size_t i;

	event_add_group(list);
	first = &list->groups[index];
	second = first + 1;
	memmove(second + 1, second, (list->nr - index - 2) * sizeof(*list->groups));
	memset(second, 0, sizeof(*second));
	second->create_flags = first->create_flags;
	second->weak = first->weak;
	for (i = at; i < first->nr; i++) {
		GROW(second->events, second->nr, second->room);
		second->events[second->nr++] = first->events[i];
	}
	first->nr = at;
	first->braces = false;
}

/* Adds a copy of a group to its list. */
static void copy_group(struct event_list *list, size_t index)
{
	struct event_group *to = event_add_group(list), *from = &list->groups[index];
	size_t i;

	*to = *from;
	to->room = from->nr;
	to->events = xcalloc(to->room, sizeof(*to->events));
	for (i = 0; i < to->nr; i++) {
		struct event *event = &to->events[i];

		*event = from->events[i];
		event->name = xstrdup(event->name);
		event->unit = xstrdup(event->unit);
		if (event->cpus)
			event->cpus = xstrdup(event->cpus);
	}
}

/**
 * events_repeat - have a list several times over
 * @list: the list; copies are added behind it
 * @times: how often it is there afterwards, 1 or more
 */
void events_repeat(struct event_list *list, size_t times)
{
	const size_t nr = list->nr;
	size_t i;

	for (i = nr; i < nr * times; i++)
		copy_group(list, i - nr);
}

const char *event_sources_pmus(const struct event_sources *sources)
{
	return sources && sources->pmus ? sources->pmus : "/sys/bus/event_source/devices";
}

/* Returns the directory of tracepoints, or NULL if tracefs is not to be had. */
char *event_sources_tracepoints(const struct event_sources *sources)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	size_t i;

	if (sources && sources->tracing)
		return xasprintf("%s/events", sources->tracing);
	for (i = 0; i < ARRAY_SIZE(usual); i++) {
		char *dir = xasprintf("%s/events", usual[i]);

		if (!access(dir, R_OK | X_OK))
			return dir;
		free(dir);
	}
	return NULL;
}
