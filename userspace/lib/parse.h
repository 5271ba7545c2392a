/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the parts of the event parser share: grammar, looking names up, modifiers. */
#ifndef PERFGRP_PARSE_H
#define PERFGRP_PARSE_H

#include "perfgrp.h"
#include "pool.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct event - an event while its text is read
 * @shown: what users of the library see of it
 * @counter: @shown.counter
 */
struct event {
	struct perfgrp_event shown;
	struct perfgrp_counter counter;
};

/**
 * struct event_group - events to be counted together
 * @shown: what users of the library see of it
 * @events: the events, leader first; @shown.nr of them
 * @room: how many @events has room for
 */
struct event_group {
	struct perfgrp_event_group shown;
	struct event *events;
	size_t room;
};

/**
 * struct perfgrp_events - groups of events, in the order in which they were named
 * @pool: what all of this is in
 * @groups: the groups
 * @nr: how many
 * @room: how many @groups has room for
 * @error: of the last call that failed
 * @pmus: the directory of PMUs
 * @tracing: where tracefs is mounted, or NULL for the usual places
 */
struct perfgrp_events {
	struct pool pool;
	struct event_group *groups;
	size_t nr;
	size_t room;
	struct perfgrp_events_error error;
	const char *pmus;
	const char *tracing;
};

/**
 * struct parser - a text on its way to being groups of events
 * @text: the whole text
 * @from: what the groups are for, which knows where names come from
 * @list: the groups of this text
 * @scratch: memory until the text has been read
 * @error: where to report a fault
 */
struct parser {
	const char *text;
	const struct perfgrp_events *from;
	struct perfgrp_events *list;
	struct pool *scratch;
	struct perfgrp_events_error *error;
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
 * @group: index of the group that it belongs to
 * @several: it stands alone, so it may turn out to be several
 */
struct token {
	const char *start;
	const char *end;
	size_t group;
	bool several;
};

/* parse.c; the first two return NULL if there is no memory */
struct event_group *perfgrp_parse_add_group(const struct parser *p);
struct event *perfgrp_parse_add_event(const struct parser *p, size_t group);
int perfgrp_parse_u64(const char *s, char **end, __u64 *value);

/* parse_modifiers.c */
int perfgrp_fault(const struct parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int perfgrp_parse_modifiers(const struct parser *p, const char *s, const char *end,
			    struct modifiers *m);
bool perfgrp_parse_are_modifiers(const struct parser *p, const char *s, const char *end,
				 struct modifiers *m);
void perfgrp_parse_apply(struct event *event, const struct modifiers *m);
void perfgrp_parse_apply_group(struct event_group *group, const struct modifiers *m);

/* parse_lookup.c */
int perfgrp_parse_lookup(const struct parser *p, struct token *t);

/* events.c; configs are attr.config and what follows it */
enum { CONFIG, CONFIG1, CONFIG2, CONFIG3, NR_CONFIGS };

void perfgrp_counter_set(struct perfgrp_counter *counter, __u32 type, const __u64 *configs);

#endif /* PERFGRP_PARSE_H */
