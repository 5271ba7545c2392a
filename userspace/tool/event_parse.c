// SPDX-License-Identifier: GPL-2.0
/*
 * perf's event syntax:
 *
 *	list		item[,item]...
 *	item		event | {event[,event]...}[:modifiers]
 *	event		see event_lookup.c
 *	modifiers	of "ukhHGIpSDeW"
 */
#include <string.h>

#include "event_parse.h"
#include "util.h"

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

static int parse_event(const struct parser *p, const char **s, struct event_list *list,
		       size_t group, bool several)
{
	const char *start = skip_blanks(*s), *end = event_end(start);
	struct token t = {
		.start = start,
		.end = cut_blanks(start, end),
		.group = &list->groups[group],
		.list = list,
		.several = several,
	};

	*s = end;
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
	*s = skip_blanks(*s + 1);
	if (**s != ':')
		return 0;

	end = *s + strcspn(*s, ",{}");
	err = event_parse_modifiers(p, *s + 1, cut_blanks(*s + 1, end), &m);
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
		s = skip_blanks(s);
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
