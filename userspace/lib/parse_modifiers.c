// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Modifiers of events and groups, and reporting parse errors. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"

#define EXCLUDE_MODES	(PERFGRP_COUNTER_EXCLUDE_USER | PERFGRP_COUNTER_EXCLUDE_KERNEL | \
			 PERFGRP_COUNTER_EXCLUDE_HV)
#define EXCLUDE_MACHINES (PERFGRP_COUNTER_EXCLUDE_HOST | PERFGRP_COUNTER_EXCLUDE_GUEST)

/* Fills in the parse error: a message and the column of @at. Returns -EINVAL. */
int perfgrp_fault(const struct parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;

	p->error->column = at - p->text;
	va_start(ap, fmt);
	vsnprintf(p->error->text, sizeof(p->error->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Parses modifiers. Returns 0, or -EINVAL with the error filled in. */
int perfgrp_parse_modifiers(const struct parser *p, const char *s, const char *end,
			    struct modifiers *m)
{
	if (s == end)
		return perfgrp_fault(p, s, "modifiers are missing after the colon");
	for (; s < end; s++) {
		if (*s != 'p' && memchr(s + 1, *s, end - s - 1))
			return perfgrp_fault(p, s, "modifier '%c' is given twice", *s);
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
				return perfgrp_fault(p, s, "modifier 'p' can be given at most three times");
			break;
		case 'S':
			break;	/* ignored: it only changes what samples contain */
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
			return perfgrp_fault(p, s, "perf's modifier '%c' is not supported", *s);
		default:
			return perfgrp_fault(p, s, "unknown modifier '%c' (valid: ukhHGIpSDeW)",
					     *s);
		}
	}
	return 0;
}

/* Are these modifiers? Parses them without reporting errors. */
bool perfgrp_parse_are_modifiers(const struct parser *p, const char *s, const char *end,
				 struct modifiers *m)
{
	struct perfgrp_events_error ignored;
	struct parser quiet = { .text = p->text, .error = &ignored };

	memset(m, 0, sizeof(*m));
	return !perfgrp_parse_modifiers(&quiet, s, end, m);
}

/* As in perf, an event counts the modes that it or its group names. */
void perfgrp_parse_apply(struct event *event, const struct modifiers *m)
{
	struct perfgrp_counter *counter = &event->counter;

	if (m->modes) {
		if (!(counter->flags & EXCLUDE_MODES))
			counter->flags |= EXCLUDE_MODES;
		counter->flags &= ~m->modes;
	}
	if (m->machines) {
		if (!(event->shown.flags & PERFGRP_EVENT_MACHINES))
			counter->flags |= EXCLUDE_MACHINES;
		counter->flags &= ~m->machines;
		event->shown.flags |= PERFGRP_EVENT_MACHINES;
	}
	if (m->idle)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_IDLE;
	if (m->precise)
		counter->precise_ip = m->precise;
}

/* Applies the modifiers that are for whole groups: D, e, W. */
void perfgrp_parse_apply_group(struct event_group *group, const struct modifiers *m)
{
	if (m->pinned)
		group->shown.create_flags |= PERFGRP_CREATE_NO_MUX;
	if (m->exclusive)
		group->shown.create_flags |= PERFGRP_CREATE_EXCLUSIVE;
	if (m->weak)
		group->shown.flags |= PERFGRP_EVENT_GROUP_WEAK;
}
