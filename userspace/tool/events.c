// SPDX-License-Identifier: GPL-2.0
/* Events, groups of events, lists of groups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "util.h"

/* Adds a group without events. */
struct event_group *events_add_group(struct event_list *list)
{
	struct event_group *group;

	GROW(list->groups, list->nr, list->room);
	group = &list->groups[list->nr++];
	memset(group, 0, sizeof(*group));
	return group;
}

static void copy_event(struct event *to, const struct perfgrp_event *from)
{
	to->name = xstrdup(from->name);
	to->counter = *from->counter;
	to->scale = from->scale;
	to->unit = xstrdup(from->unit);
	to->cpus = from->cpus ? xstrdup(from->cpus) : NULL;
	to->machines_named = from->flags & PERFGRP_EVENT_MACHINES;
	to->sample = from->sample;
	to->freq = from->flags & PERFGRP_EVENT_FREQ;
	to->min_delta = from->min_delta;
	to->sum_name = from->sum_name ? xstrdup(from->sum_name) : NULL;
}

/**
 * events_parse - parse events in perf's syntax
 * @list: a zeroed list, or one from an earlier call: groups are appended
 * @text: the events
 * @parsed: the library's parser, which has the error on failure
 *
 * Return: 0, or -EINVAL with @list unchanged
 */
int events_parse(struct event_list *list, const char *text, struct perfgrp_events *parsed)
{
	const __u32 before = perfgrp_events_nr_groups(parsed);
	const struct perfgrp_event_group *from;
	__u32 i, j;
	int err;

	err = perfgrp_parse_events(parsed, text);
	if (err == -ENOMEM)
		xcheck(NULL);
	if (err)
		return err;
	for (i = before; (from = perfgrp_events_group(parsed, i)); i++) {
		struct event_group *to = events_add_group(list);

		to->nr = from->nr;
		to->room = from->nr;
		to->events = xcalloc(to->room, sizeof(*to->events));
		to->create_flags = from->create_flags;
		to->weak = from->flags & PERFGRP_EVENT_GROUP_WEAK;
		to->braces = from->flags & PERFGRP_EVENT_GROUP_BRACES;
		for (j = 0; j < from->nr; j++)
			copy_event(&to->events[j], perfgrp_events_at(parsed, i, j));
	}
	return 0;
}

static void free_event(struct event *event)
{
	free(event->name);
	free(event->unit);
	free(event->cpus);
	free(event->sum_name);
}

/**
 * events_free - free the memory of a list
 * @list: the list; empty afterwards
 */
void events_free(struct event_list *list)
{
	size_t i, j;

	for (i = 0; i < list->nr; i++) {
		for (j = 0; j < list->groups[i].nr; j++)
			free_event(&list->groups[i].events[j]);
		free(list->groups[i].events);
	}
	free(list->groups);
	memset(list, 0, sizeof(*list));
}

/**
 * events_cut - split a group into two, in its place
 * @list: the list
 * @index: the group
 * @at: index of the first event of the second group
 *
 * Clears @braces of both, because the events are no longer counted together.
 */
void events_cut(struct event_list *list, size_t index, size_t at)
{
	struct event_group *first, *second;
	size_t i;

	events_add_group(list);
	first = &list->groups[index];
	second = first + 1;
	memmove(second + 1, second, (list->nr - index - 2) * sizeof(*list->groups));
	memset(second, 0, sizeof(*second));
	second->create_flags = first->create_flags;
	second->weak = first->weak;
	second->metric = first->metric;
	second->optional = first->optional;
	second->in_turns = first->in_turns;
	for (i = at; i < first->nr; i++) {
		GROW(second->events, second->nr, second->room);
		second->events[second->nr++] = first->events[i];
	}
	first->nr = at;
	first->braces = false;
}

/* Appends a copy of a group to its list. */
static void copy_group(struct event_list *list, size_t index)
{
	struct event_group *to = events_add_group(list), *from = &list->groups[index];
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
		if (event->sum_name)
			event->sum_name = xstrdup(event->sum_name);
	}
}

/**
 * events_repeat - repeat a list
 * @list: the list; copies are appended
 * @times: number of copies afterwards, including the first; 1 or more
 */
void events_repeat(struct event_list *list, size_t times)
{
	const size_t nr = list->nr;
	size_t i;

	for (i = nr; i < nr * times; i++)
		copy_group(list, i - nr);
}

/* Returns the event name of a counter of another program's group; to be freed. */
char *event_name(const struct perfgrp_counter *counter)
{
	return xcheck(perfgrp_event_name(NULL, counter, sizeof(*counter)));
}
