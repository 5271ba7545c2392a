// SPDX-License-Identifier: GPL-2.0
/* What the letters behind an event or a group ask for; and how faults in a text are noted. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "event_parse.h"

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
		if (*s != 'p' && memchr(s + 1, *s, end - s - 1))
			return event_fail(p, s, "modifier '%c' is there twice", *s);
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
