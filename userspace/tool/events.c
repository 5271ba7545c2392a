// SPDX-License-Identifier: GPL-2.0
/*
 * perf's event syntax:
 *
 *	list		item[,item]...
 *	item		event | {event[,event]...}[:modifiers]
 *	event		name[:modifiers]		generic, sysfs, libpfm4
 *			rHEX[:modifiers]		raw, for the CPU's PMU
 *			pmu/term[=value],.../[modifiers]
 *			subsystem:tracepoint[:modifiers]
 *			mem:address[/length][:rwx][:modifiers]
 *	modifiers	of "ukhIpSDeW"
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "events.h"
#include "pfm.h"
#include "pmu.h"
#include "util.h"

#define EXCLUDE_MODES	(PERFGRP_COUNTER_EXCLUDE_USER | PERFGRP_COUNTER_EXCLUDE_KERNEL | \
			 PERFGRP_COUNTER_EXCLUDE_HV)

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

static int fail(const struct parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(const struct parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;

	p->err->column = at - p->text;
	va_start(ap, fmt);
	vsnprintf(p->err->text, sizeof(p->err->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* ---- counters ------------------------------------------------------------- */

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

/* ---- lists ---------------------------------------------------------------- */

static struct event_group *add_group(struct event_list *list)
{
	struct event_group *group;

	GROW(list->groups, list->nr, list->room);
	group = &list->groups[list->nr++];
	memset(group, 0, sizeof(*group));
	return group;
}

static struct event *add_event(struct event_group *group, const struct parser *p, const char *at)
{
	struct event *event;

	GROW(group->events, group->nr, group->room);
	event = &group->events[group->nr++];
	memset(event, 0, sizeof(*event));
	event->scale = 1.0;
	event->unit = xstrdup("");
	event->column = at - p->text;
	return event;
}

static void free_event(struct event *event)
{
	free(event->name);
	free(event->unit);
	free(event->cpus);
}

static void free_groups(struct event_list *list, size_t from)
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
	free_groups(list, 0);
	free(list->groups);
	memset(list, 0, sizeof(*list));
}

/**
 * events_split - turn a group into groups of one event each, in its place
 * @list: the list
 * @index: the group
 */
void events_split(struct event_list *list, size_t index)
{
	struct event_group old = list->groups[index];
	size_t i;

	for (i = 1; i < old.nr; i++)
		add_group(list);
	memmove(&list->groups[index + old.nr], &list->groups[index + 1],
		(list->nr - index - old.nr) * sizeof(*list->groups));
	for (i = 0; i < old.nr; i++) {
		struct event_group *group = &list->groups[index + i];

		memset(group, 0, sizeof(*group));
		group->create_flags = old.create_flags;
		GROW(group->events, group->nr, group->room);
		group->events[group->nr++] = old.events[i];
	}
	free(old.events);
}

/* ---- where names come from ------------------------------------------------ */

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

/* ---- modifiers ------------------------------------------------------------ */

/**
 * struct modifiers - what the letters behind an event or a group ask for
 * @modes: some of EXCLUDE_MODES, those that were named (and so are to be counted)
 * @idle: do not count while idle (I)
 * @precise: number of letters p
 * @pinned: where D stands, or NULL
 * @exclusive: where e stands, or NULL
 * @weak: where W stands, or NULL
 */
struct modifiers {
	__u32 modes;
	bool idle;
	unsigned int precise;
	const char *pinned;
	const char *exclusive;
	const char *weak;
};

static int parse_modifiers(const struct parser *p, const char *s, const char *end,
			   struct modifiers *m)
{
	if (s == end)
		return fail(p, s, "modifiers are missing behind the colon");
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
				return fail(p, s, "the modifier 'p' can stand three times at most");
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
		case 'G':
		case 'H':
		case 'P':
		case 'b':
			return fail(p, s, "perfgrp lacks perf's modifier '%c'", *s);
		default:
			return fail(p, s, "unknown modifier '%c' (there are u k h I p S D e W)",
				    *s);
		}
	}
	return 0;
}

/* As in perf, modes that a group names are added to those its events name. */
static void apply_modifiers(struct event *event, const struct modifiers *m)
{
	struct perfgrp_counter *counter = &event->counter;

	if (m->modes) {
		if (!(counter->flags & EXCLUDE_MODES))
			counter->flags |= EXCLUDE_MODES;
		counter->flags &= ~m->modes;
	}
	if (m->idle)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_IDLE;
	if (m->precise)
		counter->precise_ip = m->precise;
}

static void apply_group_modifiers(struct event_group *group, const struct modifiers *m)
{
	if (m->pinned)
		group->create_flags |= PERFGRP_CREATE_NO_MUX;
	if (m->exclusive)
		group->create_flags |= PERFGRP_CREATE_EXCLUSIVE;
	if (m->weak)
		group->weak = true;
}

/* ---- events --------------------------------------------------------------- */

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

/*
 * The group for the next event of a token: the group itself for the first, one
 * of its own for each further one.
 */
static struct event_group *next_group(struct token *t)
{
	if (t->group->nr && t->several)
		t->group = add_group(t->list);
	return t->group;
}

static struct event *finish(struct event_group *group, struct event *event, char *name,
			    const struct modifiers *m)
{
	if (!event->name)
		event->name = name;
	else
		free(name);
	apply_modifiers(event, m);
	/* What is about the whole group is its leader's to say. */
	if (event == group->events)
		apply_group_modifiers(group, m);
	return event;
}

static int check_leader(const struct parser *p, const struct token *t, const struct modifiers *m)
{
	const char *at = m->pinned ? m->pinned : m->exclusive ? m->exclusive : m->weak;

	if (at && t->group->nr && !t->several)
		return fail(p, at, "'%c' is for a whole group, behind the first event or the brace", *at);
	return 0;
}

static int add_raw_event(const struct parser *p, struct token *t, const char *end,
			 const struct modifiers *m)
{
	char *digits = xstrndup(t->start + 1, end - t->start - 1);
	struct event *event;
	__u64 config;

	errno = 0;
	config = strtoull(digits, NULL, 16);
	free(digits);
	if (errno)
		return fail(p, t->start, "a raw event has 64 bits at most");
	event = add_event(t->group, p, t->start);
	event_set(&event->counter, PERF_TYPE_RAW, config, 0, 0, 0);
	finish(t->group, event, xstrndup(t->start, t->end - t->start), m);
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
	struct modifiers m = { 0 };
	struct event *event;
	__u64 address, len = 0;
	__u32 type = 0;
	char *end;
	int err;

	errno = 0;
	address = strtoull(s, &end, 0);
	if (errno || end == s || !isdigit((unsigned char)*s))
		return fail(p, s, "an address is missing");
	s = end;
	if (*s == '/') {
		s++;
		errno = 0;
		len = strtoull(s, &end, 0);
		if (errno || end == s || !isdigit((unsigned char)*s) || !len)
			return fail(p, s, "a length is missing");
		s = end;
	}
	if (s < t->end && *s == ':') {
		const char *access = s + 1;

		for (; access < t->end && strchr("rwx", *access); access++)
			type |= *access == 'r' ? HW_BREAKPOINT_R :
				*access == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		if (type)
			s = access;
	}
	if (s < t->end && *s == ':') {
		err = parse_modifiers(p, s + 1, t->end, &m);
		if (err)
			return err;
		s = t->end;
	}
	if (s != t->end)
		return fail(p, s, "unexpected '%c' (mem:address[/length][:rwx][:modifiers])", *s);
	err = check_leader(p, t, &m);
	if (err)
		return err;

	if (!type)
		type = HW_BREAKPOINT_RW;
	if (!len)
		len = type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event = add_event(t->group, p, t->start);
	event->counter.bp_type = type;
	event_set(&event->counter, PERF_TYPE_BREAKPOINT, 0, address, len, 0);
	finish(t->group, event, xstrndup(t->start, t->end - t->start), &m);
	return 0;
}

/* One event of one PMU; @terms is what stands between the slashes. */
static int add_pmu_event(const struct parser *p, struct token *t, const char *pmu_name,
			 const char *terms, const char *at, char *name,
			 const struct modifiers *m)
{
	struct event_group *group;
	struct event *event;
	struct pmu pmu;
	int err;

	if (pmu_open(&pmu, p->sources, pmu_name)) {
		free(name);
		return fail(p, t->start, "cannot read PMU '%s'", pmu_name);
	}
	group = next_group(t);
	event = add_event(group, p, t->start);
	err = pmu_encode(&pmu, terms, event, p->err);
	if (err)
		p->err->column += at - p->text;
	finish(group, event, name, m);
	pmu_close(&pmu);
	return err;
}

/* pmu/term[=value],.../[modifiers] */
static int parse_pmu_event(const struct parser *p, struct token *t, const char *slash)
{
	const char *close = memchr(slash + 1, '/', t->end - slash - 1);
	char *word = xstrndup(t->start, slash - t->start);
	struct strings pmus = { 0 };
	struct modifiers m = { 0 };
	char *terms = NULL;
	size_t i;
	int err;

	if (!close) {
		err = fail(p, t->end, "the second '/' is missing");
		goto out;
	}
	if (close + 1 < t->end) {
		err = parse_modifiers(p, close + 1 + (close[1] == ':'), t->end, &m);
		if (!err)
			err = check_leader(p, t, &m);
		if (err)
			goto out;
	}
	pmu_match(&pmus, p->sources, word);
	if (!pmus.nr) {
		err = fail(p, t->start, "no PMU '%s' on this machine", word);
		goto out;
	}
	if (pmus.nr > 1 && !t->several) {
		err = fail(p, t->start, "'%s' is more than one PMU, not one group", word);
		goto out;
	}
	terms = xstrndup(slash + 1, close - slash - 1);
	for (err = 0, i = 0; i < pmus.nr && !err; i++)
		err = add_pmu_event(p, t, pmus.s[i], terms, slash + 1,
				    xasprintf("%s%.*s", pmus.s[i], (int)(t->end - slash), slash),
				    &m);
out:
	free(terms);
	strings_free(&pmus);
	free(word);
	return err;
}

static int add_generic_event(const struct parser *p, struct token *t,
			     const struct perfgrp_counter *counter, const struct modifiers *m)
{
	struct event *event = add_event(t->group, p, t->start);

	event->counter = *counter;
	/* The modes are the modifiers' to say, not libpfm4's. */
	event->counter.flags &= ~EXCLUDE_MODES;
	if (counter->event == PERFGRP_SW_CPU_CLOCK || counter->event == PERFGRP_SW_TASK_CLOCK) {
		event->scale = 1e-6;
		free(event->unit);
		event->unit = xstrdup("msec");
	}
	finish(t->group, event, xstrndup(t->start, t->end - t->start), m);
	return 0;
}

/* An event of sysfs, by its name alone: 1 or 0, or an error. */
static int add_sysfs_event(const struct parser *p, struct token *t, const char *name,
			   const struct modifiers *m)
{
	struct strings pmus = { 0 };
	size_t found = 0, i;
	int err = 0;

	pmu_names(&pmus, p->sources);
	for (i = 0; i < pmus.nr && !err; i++) {
		struct pmu pmu;
		bool has;

		if (pmu_open(&pmu, p->sources, pmus.s[i]))
			continue;
		has = pmu_has_event(&pmu, name);
		pmu_close(&pmu);
		if (!has)
			continue;
		if (found++ && !t->several) {
			err = fail(p, t->start, "more than one PMU has '%s', not one group", name);
			break;
		}
		err = add_pmu_event(p, t, pmus.s[i], name, t->start,
				    xstrndup(t->start, t->end - t->start), m);
	}
	strings_free(&pmus);
	return err ? err : found > 0;
}

/* Tracepoints whose names match: how many there are, or an error. */
static int add_tracepoints(const struct parser *p, struct token *t, const char *subsystem,
			   const char *pattern, const struct modifiers *m)
{
	char *dir = event_sources_tracepoints(p->sources);
	struct strings systems = { 0 };
	size_t i, j;
	int found = 0;

	if (!dir)
		return 0;
	list_dir(&systems, dir);
	for (i = 0; i < systems.nr && found >= 0; i++) {
		struct strings names = { 0 };
		char *path;

		if (fnmatch(subsystem, systems.s[i], 0))
			continue;
		path = xasprintf("%s/%s", dir, systems.s[i]);
		list_dir(&names, path);
		for (j = 0; j < names.nr; j++) {
			struct event_group *group;
			struct event *event;
			char *id;

			if (fnmatch(pattern, names.s[j], 0))
				continue;
			id = read_file("%s/%s/id", path, names.s[j]);
			if (!id)
				continue;
			if (found++ && !t->several) {
				found = fail(p, t->start, "more than one tracepoint in a group");
				free(id);
				break;
			}
			group = next_group(t);
			event = add_event(group, p, t->start);
			event_set(&event->counter, PERF_TYPE_TRACEPOINT,
				  strtoull(id, NULL, 10), 0, 0, 0);
			free(id);
			finish(group, event, xasprintf("%s:%s", systems.s[i], names.s[j]), m);
		}
		strings_free(&names);
		free(path);
	}
	strings_free(&systems);
	free(dir);
	return found;
}

/* Parses modifiers without saying what is wrong with them: they may be none. */
static bool are_modifiers(const struct parser *p, const char *s, const char *end,
			  struct modifiers *m)
{
	struct event_error ignored;
	struct parser quiet = { p->text, p->sources, &ignored };

	memset(m, 0, sizeof(*m));
	return !parse_modifiers(&quiet, s, end, m);
}

/* subsystem:tracepoint[:modifiers]: how many there are, or an error. */
static int parse_tracepoint(const struct parser *p, struct token *t, const char *colon)
{
	const char *second = memchr(colon + 1, ':', t->end - colon - 1);
	const char *end = second ? second : t->end;
	struct modifiers m = { 0 };
	char *subsystem, *pattern;
	int ret;

	if (second && !are_modifiers(p, second + 1, t->end, &m))
		return 0;
	ret = check_leader(p, t, &m);
	if (ret)
		return ret;
	subsystem = xstrndup(t->start, colon - t->start);
	pattern = xstrndup(colon + 1, end - colon - 1);
	ret = add_tracepoints(p, t, subsystem, pattern, &m);
	free(pattern);
	free(subsystem);
	return ret;
}

/* What libpfm4 knows of this machine's PMUs, in its own syntax: 1 or 0, or an error. */
static int parse_native(const struct parser *p, struct token *t, const char **why)
{
	char *text = xstrndup(t->start, t->end - t->start);
	char *colon = strrchr(text, ':');
	struct perfgrp_counter counter = { 0 };
	struct modifiers m = { 0 };
	struct event *event;
	int err;

	err = pfm_native_event(text, &counter, why);
	/* perf's modifiers, several in one word, are not libpfm4's. */
	if (err && colon && are_modifiers(p, t->start + (colon + 1 - text), t->end, &m)) {
		*colon = '\0';
		memset(&counter, 0, sizeof(counter));
		err = pfm_native_event(text, &counter, why);
	}
	free(text);
	if (err)
		return 0;
	err = check_leader(p, t, &m);
	if (err)
		return err;
	event = add_event(t->group, p, t->start);
	event->counter = counter;
	finish(t->group, event, xstrndup(t->start, t->end - t->start), &m);
	return 1;
}

static int no_such_event(const struct parser *p, const struct token *t, bool tracepoint,
			 const char *why)
{
	char *dir = event_sources_tracepoints(p->sources);
	bool tracing = dir;

	free(dir);
	if (tracepoint && !tracing)
		return fail(p, t->start, "no such event, and tracefs is not mounted");
	if (strcmp(why, "event not found"))
		return fail(p, t->start, "no such event (libpfm4: %s)", why);
	return fail(p, t->start, "no such event on this machine");
}

/*
 * An event by its name, looked for in the order generic, raw, sysfs, tracepoint,
 * libpfm4's tables.
 */
static int parse_name(const struct parser *p, struct token *t)
{
	const char *colon = memchr(t->start, ':', t->end - t->start);
	const char *end = colon ? colon : t->end;
	char *name = xstrndup(t->start, end - t->start);
	struct perfgrp_counter counter = { 0 };
	struct modifiers m = { 0 };
	const char *why = "";
	bool generic;
	int ret;

	/*
	 * Where what stands before the colon is an event, what stands behind it are
	 * modifiers, and a fault there is one to report.
	 */
	generic = !pfm_generic_event(name, &counter);
	if (generic || is_raw(t->start, end)) {
		ret = colon ? parse_modifiers(p, colon + 1, t->end, &m) : 0;
		if (!ret)
			ret = check_leader(p, t, &m);
		if (!ret)
			ret = generic ? add_generic_event(p, t, &counter, &m) :
					add_raw_event(p, t, end, &m);
		goto out;
	}

	ret = 0;
	if (!colon || are_modifiers(p, colon + 1, t->end, &m)) {
		ret = check_leader(p, t, &m);
		if (!ret)
			ret = add_sysfs_event(p, t, name, &m);
	}
	if (!ret && colon)
		ret = parse_tracepoint(p, t, colon);
	if (!ret)
		ret = parse_native(p, t, &why);
	if (!ret)
		ret = no_such_event(p, t, colon && colon[1] != ':', why);
out:
	free(name);
	return ret < 0 ? ret : 0;
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
	const char *slash;

	*s = t.end;
	if (t.start == t.end)
		return fail(p, t.start, "an event is missing");
	if (!strncmp(t.start, "mem:", 4))
		return parse_breakpoint(p, &t);
	slash = memchr(t.start, '/', t.end - t.start);
	if (slash)
		return parse_pmu_event(p, &t, slash);
	return parse_name(p, &t);
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

	add_group(list)->braces = true;
	for (;;) {
		err = parse_event(p, s, list, index, false);
		if (err)
			return err;
		if (**s != ',')
			break;
		++*s;
	}
	if (**s == '{')
		return fail(p, *s, "a group cannot stand in a group");
	if (**s != '}')
		return fail(p, brace, "this '{' has no '}'");
	++*s;
	if (**s != ':')
		return 0;

	end = *s + strcspn(*s, ",{}");
	err = parse_modifiers(p, *s + 1, end, &m);
	if (err)
		return err;
	*s = end;
	for (i = 0; i < list->groups[index].nr; i++)
		apply_modifiers(&list->groups[index].events[i], &m);
	apply_group_modifiers(&list->groups[index], &m);
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

			add_group(list);
			ret = parse_event(&p, &s, list, index, true);
		}
		if (!ret && *s && *s != ',')
			ret = fail(&p, s, "unexpected '%c'", *s);
		if (ret || !*s)
			break;
		s++;
	}
	if (ret)
		free_groups(list, before);
	return ret;
}
