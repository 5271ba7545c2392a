/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the event parser share: grammar, looking names up, modifiers. */
#ifndef PERFGRP_EVENT_PARSE_H
#define PERFGRP_EVENT_PARSE_H

#include "events.h"

/**
 * struct parser - a text on its way to being a list of events
 * @text: the whole text
 * @sources: where names come from
 * @err: where to report a fault
 */
struct parser {
	const char *text;
	const struct event_sources *sources;
	struct event_error *err;
};

/**
 * struct modifiers - what the letters behind an event or a group ask for
 * @modes: PERFGRP_COUNTER_EXCLUDE_* of the modes that were named, and so are to be
 *	counted: of u, k, h
 * @machines: the same of H (the host) and G (guests)
 * @idle: do not count while idle (I)
 * @precise: number of letters p
 * @pinned: where D stands, or NULL
 * @exclusive: where e stands, or NULL
 * @weak: where W stands, or NULL
 */
struct modifiers {
	__u32 modes;
	__u32 machines;
	bool idle;
	unsigned int precise;
	const char *pinned;
	const char *exclusive;
	const char *weak;
};

/**
 * struct token - the text of one event
 * @start: its first character
 * @end: one behind its last
 * @group: the group that it belongs to
 * @list: the list, for events that turn out to be several
 * @several: it stands alone, so it may turn out to be several
 */
struct token {
	const char *start;
	const char *end;
	struct event_group *group;
	struct event_list *list;
	bool several;
};

/* events.c */
struct event_group *event_add_group(struct event_list *list);
struct event *event_add(struct event_group *group);
void event_free_groups(struct event_list *list, size_t from);

/* event_modifiers.c */
int event_fail(const struct parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int event_parse_modifiers(const struct parser *p, const char *s, const char *end,
			  struct modifiers *m);
bool event_are_modifiers(const struct parser *p, const char *s, const char *end,
			 struct modifiers *m);
void event_apply(struct event *event, const struct modifiers *m);
void event_apply_group(struct event_group *group, const struct modifiers *m);

/* event_lookup.c */
int event_lookup(const struct parser *p, struct token *t);

#endif /* PERFGRP_EVENT_PARSE_H */
