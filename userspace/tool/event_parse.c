// SPDX-License-Identifier: GPL-2.0
/*
 * perf's event syntax:
 *
 *	list		item[,item]...
 *	item		event | {event[,event]...}[:modifiers]
 *	event		see event_lookup.c
 *	modifiers	of "ukhHGIpSDeW"
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "event_parse.h"
#include "util.h"

#define EXCLUDE_MODES	(PERFGRP_COUNTER_EXCLUDE_USER | PERFGRP_COUNTER_EXCLUDE_KERNEL | \
			 PERFGRP_COUNTER_EXCLUDE_HV)
#define EXCLUDE_MACHINES (PERFGRP_COUNTER_EXCLUDE_HOST | PERFGRP_COUNTER_EXCLUDE_GUEST)

/* Notes what is wrong, and where. */
int event_fail(const struct parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;

	p->err->column = at - p->text;
	va_start(ap, fmt);
	vsnprintf(p->err->text, sizeof(p->err->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Reads modifiers, and says what is wrong with them. */
int event_parse_modifiers(const struct parser *p, const char *s, const char *end,
			  struct modifiers *m)
{
	if (s == end)
		return event_fail(p, s, "modifiers are missing behind the colon");
	for (; s < end; s++) {
		switch (*s) {
		case 'u':
			m->modes |= PERFGRP_COUNTER_EXCLUDE_USER;
			break;
		case 'k':
			m->modes |= PERFGRP_COUNTER_EXCLUDE_KERNEL;
			break;
		case 'h':
			m->modes |= PERFGRP_COUNTER_EXCLUDE_HV;
			break;
		case 'I':
			m->idle = true;
			break;
		case 'p':
			if (++m->precise > 3)
				return event_fail(p, s, "'p' can stand three times at most");
			break;
		case 'S':
			break;	/* about samples, of which counting has none */
		case 'D':
			m->pinned = s;
			break;
		case 'e':
			m->exclusive = s;
			break;
		case 'W':
			m->weak = s;
			break;
		case 'H':
			m->machines |= PERFGRP_COUNTER_EXCLUDE_HOST;
			break;
		case 'G':
			m->machines |= PERFGRP_COUNTER_EXCLUDE_GUEST;
			break;
		case 'P':
		case 'b':
			return event_fail(p, s, "perfgrp lacks perf's modifier '%c'", *s);
		default:
			return event_fail(p, s, "unknown modifier '%c' (not of ukhHGIpSDeW)", *s);
		}
	}
	return 0;
}

/* Parses modifiers without saying what is wrong with them: they may be none. */
bool event_are_modifiers(const struct parser *p, const char *s, const char *end,
			 struct modifiers *m)
{
	struct event_error ignored;
	struct parser quiet = { p->text, p->sources, &ignored };

	memset(m, 0, sizeof(*m));
	return !event_parse_modifiers(&quiet, s, end, m);
}

/* As in perf, modes that a group names are added to those its events name. */
void event_apply(struct event *event, const struct modifiers *m)
{
	struct perfgrp_counter *counter = &event->counter;

	if (m->modes) {
		if (!(counter->flags & EXCLUDE_MODES))
			counter->flags |= EXCLUDE_MODES;
		counter->flags &= ~m->modes;
	}
	if (m->machines) {
		if (!event->machines_named)
			counter->flags |= EXCLUDE_MACHINES;
		counter->flags &= ~m->machines;
		event->machines_named = true;
	}
	if (m->idle)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_IDLE;
	if (m->precise)
		counter->precise_ip = m->precise;
}

/* What modifiers say about the whole group. */
void event_apply_group(struct event_group *group, const struct modifiers *m)
{
	if (m->pinned)
		group->create_flags |= PERFGRP_CREATE_NO_MUX;
	if (m->exclusive)
		group->create_flags |= PERFGRP_CREATE_EXCLUSIVE;
	if (m->weak)
		group->weak = true;
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

static int parse_event(const struct parser *p, const char **s, struct event_list *list,
		       size_t group, bool several)
{
	struct token t = {
		.start = *s,
		.end = event_end(*s),
		.group = &list->groups[group],
		.list = list,
		.several = several,
	};

	*s = t.end;
	if (t.start == t.end)
		return event_fail(p, t.start, "an event is missing");
	return event_lookup(p, &t);
}

/* What follows an opening brace, up to the modifiers behind the closing one. */
static int parse_group(const struct parser *p, const char **s, struct event_list *list,
		       const char *brace)
{
	size_t index = list->nr;
	struct modifiers m = { 0 };
	const char *end;
	size_t i;
	int err;

	event_add_group(list)->braces = true;
	for (;;) {
		err = parse_event(p, s, list, index, false);
		if (err)
			return err;
		if (**s != ',')
			break;
		++*s;
	}
	if (**s == '{')
		return event_fail(p, *s, "a group cannot stand in a group");
	if (**s != '}')
		return event_fail(p, brace, "this '{' has no '}'");
	++*s;
	if (**s != ':')
		return 0;

	end = *s + strcspn(*s, ",{}");
	err = event_parse_modifiers(p, *s + 1, end, &m);
	if (err)
		return err;
	*s = end;
	for (i = 0; i < list->groups[index].nr; i++)
		event_apply(&list->groups[index].events[i], &m);
	event_apply_group(&list->groups[index], &m);
	return 0;
}

/**
 * events_parse - read events in perf's syntax
 * @list: a list that is all zeros, or from an earlier call: groups are added to it
 * @text: the events
 * @sources: where names come from; NULL for the usual places
 * @err: filled in on failure
 *
 * Return: 0, or -EINVAL with @list as it was
 */
int events_parse(struct event_list *list, const char *text, const struct event_sources *sources,
		 struct event_error *err)
{
	const struct parser p = { text, sources, err };
	size_t before = list->nr;
	const char *s = text;
	int ret;

	for (;;) {
		if (*s == '{') {
			const char *brace = s++;

			ret = parse_group(&p, &s, list, brace);
		} else {
			size_t index = list->nr;

			event_add_group(list);
			ret = parse_event(&p, &s, list, index, true);
		}
		if (!ret && *s && *s != ',')
			ret = event_fail(&p, s, "unexpected '%c'", *s);
		if (ret || !*s)
			break;
		s++;
	}
	if (ret)
		event_free_groups(list, before);
	return ret;
}
