// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * perf's event syntax:
 *
 *	list		item[,item]...
 *	item		event | {event[,event]...}[:modifiers]
 *	event		see parse_lookup.c
 *	modifiers	of "ukhHGIpSDeW"
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "parse.h"

/* Blanks are allowed around events, commas and braces. */
static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\n");
}

static const char *cut_blanks(const char *start, const char *end)
{
	while (end > start && strchr(" \t\n", end[-1]))
		end--;
	return end;
}

/* Finds the end of the event that begins at @s: a comma or brace outside slashes. */
static const char *event_end(const char *s)
{
	bool terms = false;

	if (!strncmp(s, "mem:", 4))
		return s + strcspn(s, ",{}");
	for (; *s; s++) {
		if (*s == '/')
			terms = !terms;
		else if (!terms && strchr(",{}", *s))
			break;
	}
	return s;
}

/*
 * Parses a decimal, hexadecimal or octal number. Returns 0 or -EINVAL. strtoull() also skips blanks
 * and takes a sign, and turns what is below zero into a large number.
 */
int perfgrp_parse_u64(const char *s, char **end, __u64 *value)
{
	errno = 0;
	*value = strtoull(s, end, 0);
	return errno || !isdigit((unsigned char)*s) ? -EINVAL : 0;
}

/* Adds a group without events. */
struct event_group *perfgrp_parse_add_group(const struct parser *p)
{
	struct perfgrp_events *list = p->list;
	struct event_group *larger;

	larger = perfgrp_pool_grow(&list->pool, list->groups, list->nr, &list->room,
				   sizeof(*larger));
	if (!larger)
		return NULL;
	list->groups = larger;
	return &larger[list->nr++];
}

/* Adds an event with default values. */
struct event *perfgrp_parse_add_event(const struct parser *p, size_t index)
{
	struct event_group *group = &p->list->groups[index];
	struct event *larger, *event;

	larger = perfgrp_pool_grow(&p->list->pool, group->events, group->shown.nr, &group->room,
				   sizeof(*larger));
	if (!larger)
		return NULL;
	group->events = larger;
	event = &larger[group->shown.nr++];
	event->shown.scale = 1.0;
	event->shown.unit = "";
	return event;
}

static int parse_event(const struct parser *p, const char **s, size_t group, bool several)
{
	const char *start = skip_blanks(*s), *end = event_end(start);
	struct token t = {
		.start = start,
		.end = cut_blanks(start, end),
		.group = group,
		.several = several,
	};

	*s = end;
	if (t.start == t.end)
		return perfgrp_fault(p, t.start, "an event is missing");
	return perfgrp_parse_lookup(p, &t);
}

/* Parses a group after its opening brace, including the modifiers after the closing brace. */
static int parse_group(const struct parser *p, const char **s, size_t index)
{
	const char *brace = *s - 1, *end;
	struct modifiers m = { 0 };
	struct event_group *group;
	size_t i;
	int err;

	for (;;) {
		err = parse_event(p, s, index, false);
		if (err)
			return err;
		if (**s != ',')
			break;
		++*s;
	}
	if (**s == '{')
		return perfgrp_fault(p, *s, "groups cannot be nested");
	if (**s != '}')
		return perfgrp_fault(p, brace, "no '}' for this '{'");
	group = &p->list->groups[index];
	group->shown.flags |= PERFGRP_EVENT_GROUP_BRACES;
	*s = skip_blanks(*s + 1);
	if (**s != ':')
		return 0;

	end = *s + strcspn(*s, ",{}");
	err = perfgrp_parse_modifiers(p, *s + 1, cut_blanks(*s + 1, end), &m);
	if (err)
		return err;
	*s = end;
	for (i = 0; i < group->shown.nr; i++)
		perfgrp_parse_apply(&group->events[i], &m);
	perfgrp_parse_apply_group(group, &m);
	return 0;
}

static int parse_list(const struct parser *p)
{
	const char *s = p->text;

	for (;;) {
		size_t index = p->list->nr;
		int err;

		s = skip_blanks(s);
		if (!perfgrp_parse_add_group(p))
			return -ENOMEM;
		if (*s == '{') {
			s++;
			err = parse_group(p, &s, index);
		} else {
			err = parse_event(p, &s, index, true);
		}
		if (err || !*s)
			return err;
		if (*s != ',')
			return perfgrp_fault(p, s, "unexpected '%c'", *s);
		s++;
	}
}

/* Hardware PMUs also count guests unless exclude_guest is set; events of the kernel do not. */
static bool counts_guests(const struct event *event)
{
	switch (perfgrp_counter_type(&event->counter)) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return false;
	}
	return true;
}

/* Like perf, excludes guests unless a modifier names host or guests. */
static void finish_group(struct event_group *group)
{
	size_t i;

	for (i = 0; i < group->shown.nr; i++) {
		struct event *event = &group->events[i];

		if (!(event->shown.flags & PERFGRP_EVENT_MACHINES) && counts_guests(event))
			event->counter.flags |= PERFGRP_COUNTER_EXCLUDE_GUEST;
		event->shown.counter = &event->counter;
	}
}

/* Appends the groups of @from to @to. */
static int add_list(struct perfgrp_events *to, struct perfgrp_events *from)
{
	const size_t room = to->nr + from->nr;
	struct event_group *larger;
	size_t i;

	larger = perfgrp_pool_alloc(&to->pool, room, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	for (i = 0; i < to->nr; i++)
		larger[i] = to->groups[i];
	for (; i < room; i++) {
		larger[i] = from->groups[i - to->nr];
		finish_group(&larger[i]);
	}
	to->groups = larger;
	to->nr = room;
	perfgrp_pool_move(&to->pool, &from->pool);
	return 0;
}

/**
 * perfgrp_parse_events - parse events in perf's syntax
 * @events: the parsed groups are appended to it
 * @text: groups and events, separated by commas: "{cycles,instructions}:u,page-faults"
 *
 * Return: 0; -EINVAL with the reason in perfgrp_events_error(); or -ENOMEM. On failure @events
 *	still has the groups it had before.
 */
int perfgrp_parse_events(struct perfgrp_events *events, const char *text)
{
	struct perfgrp_events list = { 0 };
	struct pool scratch = { 0 };
	const struct parser p = {
		.text = text,
		.from = events,
		.list = &list,
		.scratch = &scratch,
		.error = &events->error,
	};
	int err;

	memset(&events->error, 0, sizeof(events->error));
	err = parse_list(&p);
	/* The fault may only be due to a string that could not be allocated. */
	if (scratch.failed || list.pool.failed)
		err = -ENOMEM;
	if (!err)
		err = add_list(events, &list);
	if (err == -ENOMEM) {
		events->error.column = 0;
		snprintf(events->error.text, sizeof(events->error.text), "out of memory");
	}
	perfgrp_pool_free(&list.pool);
	perfgrp_pool_free(&scratch);
	return err;
}
