/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Structs and functions shared by the parts of the event parser: grammar, lookup, modifiers. */
#ifndef PERFGRP_PARSE_H
#define PERFGRP_PARSE_H

#include "perfgrp.h"
#include "pool.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct event - a parsed event
 * @shown: the part that users of the library see
 * @counter: @shown.counter
 */
struct event {
	struct perfgrp_event shown;
	struct perfgrp_counter counter;
};

/**
 * struct event_group - events to be counted together
 * @shown: the part that users of the library see
 * @events: the events, leader first; @shown.nr of them
 * @room: how many @events has room for
 */
struct event_group {
	struct perfgrp_event_group shown;
	struct event *events;
	size_t room;
};

/**
 * struct perfgrp_events - groups of events, in the order of the text
 * @pool: memory for everything below
 * @groups: the groups
 * @nr: how many
 * @room: how many @groups has room for
 * @error: of the last call that failed
 * @pmus: the directory of PMUs, or NULL for the default
 * @tracing: where tracefs is mounted, or NULL for the defaults
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
 * struct parser - state of one call of perfgrp_parse_events()
 * @text: the whole text
 * @from: the caller's object, which has the paths of the PMUs and of tracefs
 * @list: the groups of this text
 * @scratch: memory that is freed when the text has been parsed
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
 * struct modifiers - the modifiers of an event or a group
 * @modes: PERFGRP_COUNTER_EXCLUDE_* flags of the modes named by u, k, h: the modes to count, so
 *	these flags are cleared
 * @machines: the same for H (host) and G (guests)
 * @idle: do not count while idle (I)
 * @precise: number of letters p
 * @pinned: position of D, or NULL
 * @exclusive: position of e, or NULL
 * @weak: position of W, or NULL
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
 * @end: one past its last
 * @group: index of the group that it belongs to
 * @several: it is not in braces, so it may expand to several events
 */
struct token {
	const char *start;
	const char *end;
	size_t group;
	bool several;
};

/* parse.c; the functions that add return NULL if there is no memory */
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

/* events.c; indices of attr.config, config1, config2 and config3 in arrays of configs */
enum { CONFIG, CONFIG1, CONFIG2, CONFIG3, NR_CONFIGS };

void perfgrp_counter_set(struct perfgrp_counter *counter, __u32 type, const __u64 *configs);

#endif /* PERFGRP_PARSE_H */
