// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Parses the text of one event:
 *
 *	name[:modifiers]			generic, sysfs, libpfm4
 *	rHEX[:modifiers]			raw, for the CPU's PMU
 *	pmu/term[=value],.../[modifiers]
 *	name/term=value,.../[modifiers]		name of an event, not a PMU: name=, period= etc.
 *	subsystem:tracepoint[:modifiers]
 *	mem:address[/length][:rwx][:modifiers]
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "parse.h"
#include "pfm.h"
#include "pmu.h"

/*
 * Adds the next event of a token. The first goes to the token's group; each further event of a
 * token with @several gets a group of its own. Returns NULL if there is no memory.
 */
static struct event *next_event(const struct parser *p, struct token *t)
{
	if (p->list->groups[t->group].shown.nr && t->several) {
		if (!perfgrp_parse_add_group(p))
			return NULL;
		t->group = p->list->nr - 1;
	}
	return perfgrp_parse_add_event(p, t->group);
}

/* Sets the name and applies the modifiers, after next_event() and setting the counter. */
static void finish(const struct parser *p, const struct token *t, struct event *event,
		   const struct modifiers *m)
{
	if (!event->shown.name)
		event->shown.name = perfgrp_pool_strndup(&p->list->pool, t->start,
							 t->end - t->start);
	perfgrp_parse_apply(event, m);
	perfgrp_parse_apply_group(&p->list->groups[t->group], m);
}

/* The modifiers D, e and W apply to whole groups: only for the leader or after the brace. */
static int check_leader(const struct parser *p, const struct token *t, const struct modifiers *m)
{
	const char *at = m->pinned ? m->pinned : m->exclusive ? m->exclusive : m->weak;
	const char *what = m->pinned ? "pinned (D)" : m->exclusive ? "exclusive (e)" : "weak (W)";

	if (at && p->list->groups[t->group].shown.nr)
		return perfgrp_fault(p, at, "only a whole group can be %s: put the modifier after the closing brace",
				     what);
	return 0;
}

static int add_raw_event(const struct parser *p, struct token *t, const struct modifiers *m)
{
	__u64 configs[NR_CONFIGS] = { 0 };
	struct event *event;

	errno = 0;
	configs[CONFIG] = strtoull(t->start + 1, NULL, 16);
	if (errno)
		return perfgrp_fault(p, t->start, "a raw event has at most 64 bits");
	event = next_event(p, t);
	if (!event)
		return -ENOMEM;
	perfgrp_counter_set(&event->counter, PERF_TYPE_RAW, configs);
	finish(p, t, event, m);
	return 0;
}

static bool is_raw(const char *s, const char *end)
{
	if (*s++ != 'r' || s == end)
		return false;
	if (end - s > 2 && s[0] == '0' && s[1] == 'x')
		s += 2;
	while (s < end && isxdigit((unsigned char)*s))
		s++;
	return s == end;
}

/* mem:address[/length][:rwx][:modifiers] */
static int parse_breakpoint(const struct parser *p, struct token *t)
{
	const char *s = t->start + strlen("mem:");
	__u64 configs[NR_CONFIGS] = { 0 };
	struct modifiers m = { 0 };
	struct event *event;
	__u64 address, len = 0;
	__u32 type = 0;
	char *end;
	int err;

	if (perfgrp_parse_u64(s, &end, &address))
		return perfgrp_fault(p, s, "an address is missing");
	s = end;
	if (*s == '/') {
		s++;
		if (perfgrp_parse_u64(s, &end, &len) || !len)
			return perfgrp_fault(p, s, "a length is missing");
		s = end;
	}
	if (s < t->end && *s == ':') {
		const char *access = s + 1;

		for (; access < t->end && strchr("rwx", *access); access++) {
			if (memchr(access + 1, *access, t->end - access - 1))
				return perfgrp_fault(p, access, "'%c' is given twice", *access);
			type |= *access == 'r' ? HW_BREAKPOINT_R :
				*access == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		}
		if (type)
			s = access;
	}
	if (s < t->end && *s == ':') {
		err = perfgrp_parse_modifiers(p, s + 1, t->end, &m);
		if (err)
			return err;
		s = t->end;
	}
	if (s != t->end)
		return perfgrp_fault(p, s, "unexpected '%c' in mem:address[/length][:rwx]", *s);
	err = check_leader(p, t, &m);
	if (err)
		return err;

	if (!type)
		type = HW_BREAKPOINT_RW;
	if (!len)
		len = type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event = next_event(p, t);
	if (!event)
		return -ENOMEM;
	event->counter.bp_type = type;
	configs[CONFIG1] = address;
	configs[CONFIG2] = len;
	perfgrp_counter_set(&event->counter, PERF_TYPE_BREAKPOINT, configs);
	finish(p, t, event, &m);
	return 0;
}

/* Encodes the text between a PMU's slashes. Returns 0, or the error. */
static int encode(const struct parser *p, const struct token *t, const char *pmu_name,
		  const char *terms, const char *end, struct event *event)
{
	struct pmu_dir pmu;

	if (perfgrp_pmu_open(&pmu, p->scratch, p->from, pmu_name))
		return perfgrp_fault(p, t->start, "cannot read PMU '%s' in sysfs", pmu_name);
	return perfgrp_pmu_encode(p, &pmu, terms, end, event);
}

/*
 * Leaves only the PMUs that have all terms, as perf does: PMUs whose names match one pattern may be
 * of different kinds. Returns 0, or the error of the last PMU if none has them.
 */
static int keep_with_terms(const struct parser *p, const struct token *t, struct strings *pmus,
			   const char *terms, const char *end)
{
	size_t i, nr = 0;
	int err = 0;

	for (i = 0; i < pmus->nr; i++) {
		struct event event = { 0 };

		err = encode(p, t, pmus->s[i], terms, end, &event);
		if (!err)
			pmus->s[nr++] = pmus->s[i];
	}
	pmus->nr = nr;
	if (!nr)
		return err;
	memset(p->error, 0, sizeof(*p->error));
	return 0;
}

/*
 * Adds one event of one PMU. The text between the slashes is from @terms to @end. @name is the
 * event's name unless the terms set one; NULL: the whole token. @found: the token does not name
 * that PMU itself.
 */
static int add_pmu_event(const struct parser *p, struct token *t, const char *pmu_name,
			 const char *terms, const char *end, const char *name, bool found,
			 const struct modifiers *m)
{
	struct event *event = next_event(p, t);
	int err;

	if (!event)
		return -ENOMEM;
	err = encode(p, t, pmu_name, terms, end, event);
	if (found)
		event->shown.sum_name = event->shown.name ? event->shown.name :
				perfgrp_pool_strndup(&p->list->pool, t->start, t->end - t->start);
	if (!event->shown.name)
		event->shown.name = name;
	finish(p, t, event, m);
	return err;
}

static int add_name(const struct parser *p, struct token *t, const char **why);
static int no_such_event(const struct parser *p, const struct token *t, const char *why);

/*
 * The text before the slash is not a PMU, so it is the name of an event, and only the common terms
 * are allowed: name, period, freq, min-delta.
 */
static int parse_with_terms(const struct parser *p, struct token *t, const char *slash,
			    const char *close, const struct modifiers *m)
{
	struct token name = {
		.start = t->start,
		.end = slash,
		.group = t->group,
	};
	struct event_group *group;
	const char *as_named;
	struct event *event;
	const char *why = "";
	int err;

	err = add_name(p, &name, &why);
	if (err < 0)
		return err;
	/* A PMU's name has no colon. */
	if (!err && memchr(t->start, ':', slash - t->start))
		return no_such_event(p, &name, why);
	if (!err)
		return perfgrp_fault(p, t->start, "no event or PMU '%.*s' on this machine",
				     (int)(slash - t->start), t->start);
	group = &p->list->groups[t->group];
	event = &group->events[group->shown.nr - 1];
	as_named = event->shown.name;
	event->shown.name = NULL;
	event->shown.sum_name = NULL;
	err = perfgrp_pmu_common_terms(p, slash + 1, close, event);
	if (!event->shown.name)
		event->shown.name = perfgrp_pool_printf(&p->list->pool, "%s%.*s", as_named,
							(int)(t->end - slash), slash);
	finish(p, t, event, m);
	return err;
}

/* pmu/term[=value],.../[modifiers] */
static int parse_pmu_event(const struct parser *p, struct token *t, const char *slash)
{
	const char *close = memchr(slash + 1, '/', t->end - slash - 1);
	char *word = perfgrp_pool_strndup(p->scratch, t->start, slash - t->start);
	struct modifiers m = { 0 };
	struct strings pmus;
	size_t i;
	int err;

	if (!close)
		return perfgrp_fault(p, t->end, "the second '/' is missing");
	if (close + 1 < t->end) {
		err = perfgrp_parse_modifiers(p, close + 1 + (close[1] == ':'), t->end, &m);
		if (!err)
			err = check_leader(p, t, &m);
		if (err)
			return err;
	}
	pmus = perfgrp_pmu_match(p->scratch, p->from, word);
	if (!pmus.nr)
		return parse_with_terms(p, t, slash, close, &m);
	if (pmus.nr > 1 && !t->several)
		return perfgrp_fault(p, t->start, "'%s' matches more than one PMU; their events cannot be in one group",
				     word);
	err = pmus.nr > 1 ? keep_with_terms(p, t, &pmus, slash + 1, close) : 0;
	for (i = 0; i < pmus.nr && !err; i++)
		err = add_pmu_event(p, t, pmus.s[i], slash + 1, close,
				    perfgrp_pool_printf(&p->list->pool, "%s%.*s", pmus.s[i],
							(int)(t->end - slash), slash),
				    strcmp(pmus.s[i], word), &m);
	return err;
}

/* Uses only the event number from libpfm4; modes come from the modifiers. */
static int add_generic_event(const struct parser *p, struct token *t, __u64 constant,
			     const struct modifiers *m)
{
	struct event *event = next_event(p, t);

	if (!event)
		return -ENOMEM;
	event->counter.event = constant;
	if (constant == PERFGRP_SW_CPU_CLOCK || constant == PERFGRP_SW_TASK_CLOCK) {
		event->shown.scale = 1e-6;
		event->shown.unit = "msec";
	}
	finish(p, t, event, m);
	return 0;
}

/* Adds the sysfs events of a name without a PMU. Returns 1 if there are any, 0, or an error. */
static int add_sysfs_event(const struct parser *p, struct token *t, const char *end,
			   const struct modifiers *m)
{
	char *name = perfgrp_pool_strndup(p->scratch, t->start, end - t->start);
	struct strings pmus = perfgrp_pmu_with_event(p->scratch, p->from, name);
	size_t i;
	int err;

	if (pmus.nr > 1 && !t->several)
		return perfgrp_fault(p, t->start, "more than one PMU has '%s'; name one, as in PMU/EVENT/",
				     name);
	for (i = 0; i < pmus.nr; i++) {
		err = add_pmu_event(p, t, pmus.s[i], t->start, end, NULL, true, m);
		if (err)
			return err;
	}
	return pmus.nr > 0;
}

static int add_tracepoint(const struct parser *p, struct token *t, const char *subsystem,
			  const char *name, __u64 id, const struct modifiers *m)
{
	const __u64 configs[NR_CONFIGS] = { [CONFIG] = id };
	struct event *event = next_event(p, t);

	if (!event)
		return -ENOMEM;
	perfgrp_counter_set(&event->counter, PERF_TYPE_TRACEPOINT, configs);
	event->shown.name = perfgrp_pool_printf(&p->list->pool, "%s:%s", subsystem, name);
	finish(p, t, event, m);
	return 0;
}

/* Adds the tracepoints whose names match. Returns their number or an error. */
static int add_tracepoints(const struct parser *p, struct token *t, const char *subsystem,
			   const char *pattern, const struct modifiers *m)
{
	const char *dir = perfgrp_tracepoints(p->scratch, p->from);
	struct strings systems = { 0 }, names;
	int found = 0, err;
	size_t i, j;

	if (dir)
		systems = perfgrp_list_dir(p->scratch, "%s", dir);
	for (i = 0; i < systems.nr; i++) {
		if (fnmatch(subsystem, systems.s[i], 0))
			continue;
		names = perfgrp_list_dir(p->scratch, "%s/%s", dir, systems.s[i]);
		for (j = 0; j < names.nr; j++) {
			char *id;

			if (fnmatch(pattern, names.s[j], 0))
				continue;
			id = perfgrp_read_file(p->scratch, "%s/%s/%s/id", dir, systems.s[i],
					       names.s[j]);
			if (!id)
				continue;
			if (found++ && !t->several)
				return perfgrp_fault(p, t->start, "the pattern matches more than one tracepoint; use it outside of a group");
			err = add_tracepoint(p, t, systems.s[i], names.s[j],
					     strtoull(id, NULL, 10), m);
			if (err)
				return err;
		}
	}
	return found;
}

/* subsystem:tracepoint[:modifiers]. Returns the number of tracepoints or an error. */
static int parse_tracepoint(const struct parser *p, struct token *t, const char *colon)
{
	const char *second = memchr(colon + 1, ':', t->end - colon - 1);
	const char *end = second ? second : t->end;
	struct modifiers m = { 0 };
	int err;

	if (second && !perfgrp_parse_are_modifiers(p, second + 1, t->end, &m))
		return 0;
	err = check_leader(p, t, &m);
	if (err)
		return err;
	return add_tracepoints(p, t,
			       perfgrp_pool_strndup(p->scratch, t->start, colon - t->start),
			       perfgrp_pool_strndup(p->scratch, colon + 1, end - colon - 1), &m);
}

/* Adds an event of libpfm4's tables, in libpfm4's syntax. Returns 1 if found, 0, or an error. */
static int parse_native(const struct parser *p, struct token *t, const char **why)
{
	char *text = perfgrp_pool_strndup(p->scratch, t->start, t->end - t->start);
	char *colon = strrchr(text, ':');
	struct modifiers m = { 0 };
	struct pfm_event native;
	struct event *event;
	int err;

	err = perfgrp_pfm_native_event(text, &native, why);
	/* libpfm4 does not know perf's modifiers, such as ":uk": retry without them. */
	if (err == -ENOENT && colon &&
	    perfgrp_parse_are_modifiers(p, t->start + (colon + 1 - text), t->end, &m)) {
		*colon = '\0';
		err = perfgrp_pfm_native_event(text, &native, why);
	}
	if (err == -ENOENT)
		return 0;
	if (err)
		return perfgrp_fault(p, t->start, "%s", *why);
	/* libpfm4's attributes pinned and excl are perf's modifiers D and e. */
	if (native.pinned)
		m.pinned = t->start;
	if (native.exclusive)
		m.exclusive = t->start;
	err = check_leader(p, t, &m);
	if (err)
		return err;
	event = next_event(p, t);
	if (!event)
		return -ENOMEM;
	event->counter = native.counter;
	event->shown.sample = native.sample;
	event->shown.flags = native.flags;
	finish(p, t, event, &m);
	return 1;
}

static int no_such_event(const struct parser *p, const struct token *t, const char *why)
{
	const char *colon = memchr(t->start, ':', t->end - t->start);

	if (colon && colon[1] != ':' && !perfgrp_tracepoints(p->scratch, p->from))
		return perfgrp_fault(p, t->start, "no such event, and tracefs is not %s",
				     perfgrp_tracepoints_denied() ? "readable by this user" :
								    "mounted");
	if (strcmp(why, "event not found"))
		return perfgrp_fault(p, t->start, "no such event (libpfm4: %s)", why);
	return perfgrp_fault(p, t->start, "no such event on this machine");
}

/*
 * Adds an event, or events, by name, in the order generic, raw, sysfs, tracepoint, libpfm4's
 * tables. Returns how many, an error, or 0 and in @why what libpfm4 said.
 */
static int add_name(const struct parser *p, struct token *t, const char **why)
{
	const char *colon = memchr(t->start, ':', t->end - t->start);
	const char *end = colon ? colon : t->end;
	char *name = perfgrp_pool_strndup(p->scratch, t->start, end - t->start);
	struct perfgrp_counter counter = { 0 };
	struct modifiers m = { 0 };
	bool generic;
	int ret;

	/*
	 * If the text before the colon is an event, the text after it must be modifiers, and
	 * errors in them are reported.
	 */
	generic = !perfgrp_pfm_generic_event(p->scratch, name, &counter);
	if (generic || is_raw(t->start, end)) {
		ret = colon ? perfgrp_parse_modifiers(p, colon + 1, t->end, &m) : 0;
		if (!ret)
			ret = check_leader(p, t, &m);
		if (ret)
			return ret;
		if (generic)
			ret = add_generic_event(p, t, counter.event, &m);
		else
			ret = add_raw_event(p, t, &m);
		return ret ? ret : 1;
	}

	ret = 0;
	if (!colon || perfgrp_parse_are_modifiers(p, colon + 1, t->end, &m)) {
		ret = check_leader(p, t, &m);
		if (!ret)
			ret = add_sysfs_event(p, t, end, &m);
	}
	if (!ret && colon)
		ret = parse_tracepoint(p, t, colon);
	if (!ret)
		ret = parse_native(p, t, why);
	return ret;
}

static int parse_name(const struct parser *p, struct token *t)
{
	const char *why = "";
	int ret = add_name(p, t, &why);

	if (!ret)
		ret = no_such_event(p, t, why);
	return ret < 0 ? ret : 0;
}

/**
 * perfgrp_parse_lookup - parse the text of one event, and add the event or events
 * @p: the parser
 * @t: the text
 *
 * Return: 0; -EINVAL with @p->error filled in; -ENOMEM
 */
int perfgrp_parse_lookup(const struct parser *p, struct token *t)
{
	const char *slash = memchr(t->start, '/', t->end - t->start);

	if (!strncmp(t->start, "mem:", 4))
		return parse_breakpoint(p, t);
	if (slash)
		return parse_pmu_event(p, t, slash);
	return parse_name(p, t);
}
