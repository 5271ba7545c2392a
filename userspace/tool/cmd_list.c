// SPDX-License-Identifier: GPL-2.0
/* perfgrp list: the events and metrics that have a name on this machine. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "cmd.h"
#include "cpu_tables.h"
#include "events.h"
#include "json.h"

/* The kinds of events, in the order in which they are listed. */
enum kind {
	HARDWARE, SOFTWARE, CACHE, SYSFS, VENDOR, NATIVE, RAW, BREAKPOINT, TRACEPOINT, METRIC,
	METRIC_GROUP, NR_KINDS,
};

static const struct {
	const char *word;	/* argument that selects them */
	const char *title;
} kinds[NR_KINDS] = {
	[HARDWARE] = { "hw", "Hardware event" },
	[SOFTWARE] = { "sw", "Software event" },
	[CACHE] = { "cache", "Hardware cache event" },
	[SYSFS] = { "pmu", "Kernel PMU event" },
	[VENDOR] = { "vendor", "Vendor event" },
	[NATIVE] = { "pfm", "libpfm4 event" },
	[RAW] = { "raw", "Raw hardware event descriptor" },
	[BREAKPOINT] = { "mem", "Hardware breakpoint" },
	[TRACEPOINT] = { "tracepoint", "Tracepoint event" },
	[METRIC] = { "metric", "Metric" },
	[METRIC_GROUP] = { "metricgroup", "Metric Group" },
};

/**
 * struct listed_event - one event of the list
 * @kind: what it is
 * @names: its names
 * @desc: what it counts, or NULL
 * @event: its constant; names with the same constant are listed together
 */
struct listed_event {
	enum kind kind;
	struct strings names;
	char *desc;
	__u64 event;
};

/**
 * struct listing - what to list, and how
 * @entries: the events
 * @nr: how many
 * @room: how many @entries has room for
 * @details: with descriptions
 * @json: JSON in place of text
 * @raw: only names, for scripts
 * @file: where to print, or NULL
 */
struct listing {
	struct listed_event *entries;
	size_t nr;
	size_t room;
	bool details;
	bool json;
	bool raw;
	const char *file;
};

static struct listed_event *add(struct listing *list, enum kind kind, char *name, char *desc)
{
	struct listed_event *entry;

	GROW(list->entries, list->nr, list->room);
	entry = &list->entries[list->nr++];
	memset(entry, 0, sizeof(*entry));
	entry->kind = kind;
	strings_add(&entry->names, name);
	entry->desc = desc;
	return entry;
}

static enum kind kind_of(const struct perfgrp_listed_event *event)
{
	switch (event->kind) {
	case PERFGRP_LIST_PMU:
		return SYSFS;
	case PERFGRP_LIST_LIBPFM4:
		return NATIVE;
	case PERFGRP_LIST_TRACEPOINT:
		return TRACEPOINT;
	}
	switch (perfgrp_counter_type(event->counter)) {
	case PERF_TYPE_HARDWARE:
		return HARDWARE;
	case PERF_TYPE_HW_CACHE:
		return CACHE;
	}
	return SOFTWARE;
}

static int add_event(void *arg, const struct perfgrp_listed_event *event)
{
	const bool generic = event->kind == PERFGRP_LIST_GENERIC;
	const enum kind kind = kind_of(event);
	struct listing *list = arg;
	size_t i;

	for (i = 0; generic && i < list->nr; i++) {
		struct listed_event *entry = &list->entries[i];

		if (entry->kind == kind && entry->event == event->counter->event) {
			strings_add(&entry->names, xstrdup(event->name));
			return 0;
		}
	}
	add(list, kind, xstrdup(event->name), generic ? NULL : xstrdup(event->desc));
	if (generic)
		list->entries[list->nr - 1].event = event->counter->event;
	return 0;
}

static void add_syntax(struct listing *list)
{
	add(list, RAW, xstrdup("rNNN"), NULL);
	add(list, RAW, xstrdup("PMU/term[=value],.../modifiers"), NULL);
	add(list, BREAKPOINT, xstrdup("mem:ADDR[/LEN][:rwx]"), NULL);
}

/* Adds a metric group with its description, if it is not in the list yet. */
static void add_metric_group(struct listing *list, const struct cpu_tables *tables, char *name)
{
	const char *desc = "";
	size_t i;

	for (i = list->nr; i-- > 0 && list->entries[i].kind >= METRIC;)
		if (list->entries[i].kind == METRIC_GROUP &&
		    !strcmp(list->entries[i].names.s[0], name)) {
			free(name);
			return;
		}
	for (i = 0; i < tables->nr_groups; i++)
		if (!strcmp(tables->groups[i].name, name))
			desc = tables->groups[i].desc;
	add(list, METRIC_GROUP, name, xstrdup(desc));
}

/* Adds the events, metrics and metric groups of the CPU's tables. */
static void add_cpu_tables(struct listing *list)
{
	const struct cpu_tables *tables = cpu_tables();
	size_t i, len;

	for (i = 0; i < tables->nr_events; i++) {
		const struct cpu_event *event = &tables->events[i];

		/* List an event once if several PMUs have it; the table is sorted by name. */
		if (!i || strcasecmp(event->name, tables->events[i - 1].name))
			add(list, VENDOR, xstrdup(event->name), xstrdup(event->desc));
	}
	for (i = 0; i < tables->nr_metrics; i++) {
		const char *s = tables->metrics[i].groups;

		add(list, METRIC, xstrdup(tables->metrics[i].name),
		    xstrdup(tables->metrics[i].desc));
		for (; *s; s += len + (s[len] != '\0')) {
			len = strcspn(s, "; ");
			if (len)
				add_metric_group(list, tables, xstrndup(s, len));
		}
	}
}

static bool any_name(const struct listed_event *entry, const char *pattern)
{
	size_t i;

	for (i = 0; i < entry->names.nr; i++)
		if (!fnmatch(pattern, entry->names.s[i], FNM_CASEFOLD))
			return true;
	return false;
}

/* Does a word select a kind? As in perf, metrics also have a plural. */
static bool is_kind(enum kind kind, const char *word)
{
	const size_t len = strlen(kinds[kind].word);

	return !strncmp(kinds[kind].word, word, len) &&
	       (!word[len] || (kind >= METRIC && !strcmp(word + len, "s")));
}

/* Prints why the CPU's tables are missing, if the word selects a kind that only they have. */
static bool say_why_no_tables(const char *word)
{
	const char *why = cpu_tables()->why;

	if (!why || (!is_kind(VENDOR, word) && !is_kind(METRIC, word) &&
		     !is_kind(METRIC_GROUP, word)))
		return false;
	error("%s: %s", word, why);
	return true;
}

/* A word selects a kind, as in perf, or is a pattern, or a part of a name. */
static bool wanted(const struct listed_event *entry, const char *word)
{
	bool match;
	char *inside;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_kind(i, word))
			return entry->kind == i;
	if (any_name(entry, word))
		return true;
	if (strpbrk(word, "*?["))
		return false;
	inside = xasprintf("*%s*", word);
	match = any_name(entry, inside);
	free(inside);
	return match;
}

static int compare(const void *a, const void *b)
{
	const struct listed_event *x = a, *y = b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return strverscmp(x->names.s[0], y->names.s[0]);
}

static void print_text(const struct listed_event *entry, bool details)
{
	char *names = xstrdup(entry->names.s[0]);
	size_t i;

	for (i = 1; i < entry->names.nr; i++) {
		char *longer = xasprintf("%s OR %s", names, entry->names.s[i]);

		free(names);
		names = longer;
	}
	printf("  %-50s [%s]\n", names, kinds[entry->kind].title);
	if (details && entry->desc && *entry->desc)
		printf("       %s\n", entry->desc);
	free(names);
}

/* For scripts: leaves out what is not the name of an event. */
static void print_raw(const struct listed_event *entry, bool all)
{
	size_t i;

	if (entry->kind == RAW || entry->kind == BREAKPOINT || (all && entry->kind >= METRIC))
		return;
	for (i = 0; i < entry->names.nr; i++)
		printf("%s ", entry->names.s[i]);
}

static struct json_object *make_json(const struct listed_event *entry)
{
	struct json_object *object = json_object_new_object();
	struct json_object *aliases;
	size_t i;

	json_add_string(object, "name", entry->names.s[0]);
	if (entry->names.nr > 1) {
		aliases = json_object_new_array();
		for (i = 1; i < entry->names.nr; i++)
			json_object_array_add(aliases, json_new_string(entry->names.s[i]));
		json_object_object_add(object, "aliases", aliases);
	}
	json_add_string(object, "kind", kinds[entry->kind].word);
	if (entry->desc && *entry->desc)
		json_add_string(object, "description", entry->desc);
	return object;
}

static void usage(FILE *out)
{
	fputs("usage: perfgrp list [-d] [--json] [-o FILE] [KIND|WORD|PATTERN]...\n"
	      "\n"
	      "Lists events by name: all of them, those of a KIND (hw, sw, cache, pmu, vendor, pfm, raw,\n"
	      "mem, tracepoint), those with WORD in a name, or those that match PATTERN; also the metrics\n"
	      "(metric) and metric groups (metricgroup) of this CPU.\n"
	      "\n"
	      "  -d, --desc   print descriptions, where available\n"
	      "  -j, --json   print JSON\n"
	      "  -o, --output FILE\n"
	      "               write to FILE\n"
	      "  --raw-dump   print only the names of events, on one line\n"
	      "  -h, --help   print this help\n", out);
}

enum {
	OPT_RAW_DUMP = OPT_OF_COMMAND,
};

static int parse_option(void *arg, int c)
{
	struct listing *list = arg;

	switch (c) {
	case 'd':
		list->details = true;
		return 0;
	case 'j':
		list->json = true;
		return 0;
	case 'o':
		return cmd_parse_path("--output", &list->file);
	case OPT_RAW_DUMP:
		list->raw = true;
		return 0;
	}
	return -EINVAL;
}

int cmd_list(int argc, char **argv)
{
	static const struct option table[] = {
		{ "desc", no_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "raw-dump", no_argument, NULL, OPT_RAW_DUMP },
		CMD_HELP_OPTION
	};
	static const struct cmd_options options = {
		.name = "list",
		.letters = "djo:h",
		.table = table,
		.usage = usage,
		.parse = parse_option,
	};
	struct json_object *array = NULL;
	struct listing list = { 0 };
	size_t i, shown = 0;
	int word, status;

	if (!cmd_parse_options(&options, argc, argv, &list, &status))
		return status;
	if (list.file && !freopen(list.file, "we", stdout)) {
		error("cannot write to %s: %s", list.file, strerror(errno));
		return EXIT_FAILED;
	}
	if (perfgrp_list_events(NULL, ~0U, add_event, &list))
		xcheck(NULL);
	add_syntax(&list);
	add_cpu_tables(&list);
	if (list.nr)
		qsort(list.entries, list.nr, sizeof(*list.entries), compare);

	if (list.json)
		array = json_object_new_array();
	for (i = 0; i < list.nr; i++) {
		struct listed_event *entry = &list.entries[i];
		bool show = optind == argc;

		for (word = optind; word < argc && !show; word++)
			show = wanted(entry, argv[word]);
		if (show && list.json)
			json_object_array_add(array, make_json(entry));
		else if (show && list.raw)
			print_raw(entry, optind == argc);
		else if (show)
			print_text(entry, list.details);
		shown += show;
		strings_free(&entry->names);
		free(entry->desc);
	}
	free(list.entries);
	if (list.json)
		json_print(stdout, array, 1);
	else if (list.raw)
		putchar('\n');
	if (list.file && flush_output(stdout, list.file))
		return EXIT_FAILED;
	for (word = optind; word < argc && !shown; word++)
		if (say_why_no_tables(argv[word]))
			return 1;
	for (word = optind; word < argc && !shown; word++)
		error("no event matches '%s'", argv[word]);
	return shown ? 0 : 1;
}
