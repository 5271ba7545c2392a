// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of one event to the event:
 *
 *	name[:modifiers]			generic, sysfs, libpfm4
 *	rHEX[:modifiers]			raw, for the CPU's PMU
 *	pmu/term[=value],.../[modifiers]
 *	name/term=value,.../[modifiers]		where there is no such PMU: how to sample it
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

#include "event_parse.h"
#include "pfm.h"
#include "pmu.h"
#include "util.h"

/*
 * The group for the next event of a token: the group itself for the first, one
 * of its own for each further one.
 */
static struct event_group *next_group(struct token *t)
{
	if (t->group->nr && t->several)
		t->group = event_add_group(t->list);
	return t->group;
}

static struct event *finish(struct event_group *group, struct event *event, char *name,
			    const struct modifiers *m)
{
	if (!event->name)
		event->name = name;
	else
		free(name);
	event_apply(event, m);
	/* What is about the whole group is its leader's to say. */
	if (event == group->events)
		event_apply_group(group, m);
	return event;
}

static int check_leader(const struct parser *p, const struct token *t, const struct modifiers *m)
{
	const char *at = m->pinned ? m->pinned : m->exclusive ? m->exclusive : m->weak;
	const char *what = m->pinned ? "pinned (D)" : m->exclusive ? "exclusive (e)" : "weak (W)";

	if (at && t->group->nr && !t->several)
		return event_fail(p, at, "only a whole group is %s: say so behind its brace", what);
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
		return event_fail(p, t->start, "a raw event has 64 bits at most");
	event = event_add(t->group);
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

	if (parse_u64(s, 0, &end, &address) || !isdigit((unsigned char)*s))
		return event_fail(p, s, "an address is missing");
	s = end;
	if (*s == '/') {
		s++;
		if (parse_u64(s, 0, &end, &len) || !isdigit((unsigned char)*s) || !len)
			return event_fail(p, s, "a length is missing");
		s = end;
	}
	if (s < t->end && *s == ':') {
		const char *access = s + 1;

		for (; access < t->end && strchr("rwx", *access); access++) {
			if (memchr(access + 1, *access, t->end - access - 1))
				return event_fail(p, access, "'%c' is there twice", *access);
			type |= *access == 'r' ? HW_BREAKPOINT_R :
				*access == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
		}
		if (type)
			s = access;
	}
	if (s < t->end && *s == ':') {
		err = event_parse_modifiers(p, s + 1, t->end, &m);
		if (err)
			return err;
		s = t->end;
	}
	if (s != t->end)
		return event_fail(p, s, "unexpected '%c' in mem:address[/length][:rwx]", *s);
	err = check_leader(p, t, &m);
	if (err)
		return err;

	if (!type)
		type = HW_BREAKPOINT_RW;
	if (!len)
		len = type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event = event_add(t->group);
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
	struct pmu_dir pmu;
	int err;

	if (pmu_open(&pmu, p->sources, pmu_name)) {
		free(name);
		return event_fail(p, t->start, "cannot read PMU '%s'", pmu_name);
	}
	group = next_group(t);
	event = event_add(group);
	err = pmu_encode(&pmu, terms, event, p->err);
	if (err)
		p->err->column += at - p->text;
	finish(group, event, name, m);
	pmu_close(&pmu);
	return err;
}

static int parse_name(const struct parser *p, struct token *t);

/*
 * What stands before the slash is no PMU, so it is an event by its name, and the terms
 * say how to sample it.
 */
static int parse_with_terms(const struct parser *p, struct token *t, const char *slash,
			    const char *terms, const struct modifiers *m)
{
	struct event_list named = { 0 };
	struct token name = {
		.start = t->start,
		.end = slash,
		.group = event_add_group(&named),
		.list = &named,
	};
	struct event *event;
	char *as_named;
	int err;

	if (parse_name(p, &name)) {
		err = event_fail(p, t->start, "no PMU '%.*s' on this machine",
				 (int)(slash - t->start), t->start);
		goto out;
	}
	event = event_add(t->group);
	free(event->unit);
	*event = named.groups[0].events[0];
	named.groups[0].nr = 0;
	as_named = event->name;
	event->name = NULL;
	err = pmu_common_terms(event, terms, p->err);
	if (err)
		p->err->column += slash + 1 - p->text;
	finish(t->group, event, xasprintf("%s%.*s", as_named, (int)(t->end - slash), slash), m);
	free(as_named);
out:
	events_free(&named);
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
		err = event_fail(p, t->end, "the second '/' is missing");
		goto out;
	}
	if (close + 1 < t->end) {
		err = event_parse_modifiers(p, close + 1 + (close[1] == ':'), t->end, &m);
		if (!err)
			err = check_leader(p, t, &m);
		if (err)
			goto out;
	}
	terms = xstrndup(slash + 1, close - slash - 1);
	pmu_match(&pmus, p->sources, word);
	if (!pmus.nr) {
		err = parse_with_terms(p, t, slash, terms, &m);
		goto out;
	}
	if (pmus.nr > 1 && !t->several) {
		err = event_fail(p, t->start, "'%s' is more than one PMU, not one group", word);
		goto out;
	}
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

/* The modes are the modifiers' to say, not libpfm4's: only the constant counts. */
static void add_generic_event(struct token *t, __u64 constant, const struct modifiers *m)
{
	struct event *event = event_add(t->group);

	event->counter.event = constant;
	if (constant == PERFGRP_SW_CPU_CLOCK || constant == PERFGRP_SW_TASK_CLOCK) {
		event->scale = 1e-6;
		free(event->unit);
		event->unit = xstrdup("msec");
	}
	finish(t->group, event, xstrndup(t->start, t->end - t->start), m);
}

/* An event of sysfs, by its name alone: 1 or 0, or an error. */
static int add_sysfs_event(const struct parser *p, struct token *t, const char *name,
			   const struct modifiers *m)
{
	struct pmu_list list;
	size_t found = 0, i;
	int err = 0;

	pmu_list_open(&list, p->sources);
	for (i = 0; i < list.nr && !err; i++) {
		if (!pmu_has_event(&list.pmus[i], name))
			continue;
		if (found++ && !t->several) {
			err = event_fail(p, t->start, "more than one PMU has '%s'", name);
			break;
		}
		err = add_pmu_event(p, t, list.pmus[i].name, name, t->start,
				    xstrndup(t->start, t->end - t->start), m);
	}
	pmu_list_close(&list);
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
				found = event_fail(p, t->start, "more than one tracepoint");
				free(id);
				break;
			}
			group = next_group(t);
			event = event_add(group);
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

/* subsystem:tracepoint[:modifiers]: how many there are, or an error. */
static int parse_tracepoint(const struct parser *p, struct token *t, const char *colon)
{
	const char *second = memchr(colon + 1, ':', t->end - colon - 1);
	const char *end = second ? second : t->end;
	struct modifiers m = { 0 };
	char *subsystem, *pattern;
	int ret;

	if (second && !event_are_modifiers(p, second + 1, t->end, &m))
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
	struct modifiers m = { 0 };
	struct pfm_event native;
	struct event *event;
	int err;

	err = pfm_native_event(text, &native, why);
	/* perf's modifiers, several in one word, are not libpfm4's. */
	if (err == -ENOENT && colon &&
	    event_are_modifiers(p, t->start + (colon + 1 - text), t->end, &m)) {
		*colon = '\0';
		err = pfm_native_event(text, &native, why);
	}
	free(text);
	if (err == -ENOENT)
		return 0;
	if (err)
		return event_fail(p, t->start, "%s", *why);
	/* libpfm4's words for modifiers. */
	if (native.pinned)
		m.pinned = t->start;
	if (native.exclusive)
		m.exclusive = t->start;
	err = check_leader(p, t, &m);
	if (err)
		return err;
	event = event_add(t->group);
	event->counter = native.counter;
	event->machines_named = native.machines_named;
	event->sample = native.sample;
	event->freq = native.freq;
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
		return event_fail(p, t->start, "no such event, and tracefs is not mounted");
	if (strcmp(why, "event not found"))
		return event_fail(p, t->start, "no such event (libpfm4: %s)", why);
	return event_fail(p, t->start, "no such event on this machine");
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
		ret = colon ? event_parse_modifiers(p, colon + 1, t->end, &m) : 0;
		if (!ret)
			ret = check_leader(p, t, &m);
		if (!ret && generic)
			add_generic_event(t, counter.event, &m);
		else if (!ret)
			ret = add_raw_event(p, t, end, &m);
		goto out;
	}

	ret = 0;
	if (!colon || event_are_modifiers(p, colon + 1, t->end, &m)) {
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

/**
 * event_lookup - turn the text of one event into an event, or into several
 * @p: the parser
 * @t: the text; its group gets the event
 *
 * Return: 0, or -EINVAL after saying what is wrong
 */
int event_lookup(const struct parser *p, struct token *t)
{
	const char *slash = memchr(t->start, '/', t->end - t->start);

	if (!strncmp(t->start, "mem:", 4))
		return parse_breakpoint(p, t);
	if (slash)
		return parse_pmu_event(p, t, slash);
	return parse_name(p, t);
}
