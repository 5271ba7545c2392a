// SPDX-License-Identifier: GPL-2.0
/*
 * Expand the CPU vendor's event names to encodings that the library can parse:
 *
 *	inst_retired.any:u			cpu/event=0xc0,name=inst_retired.any/:u
 *	cpu/uops_issued.any,cmask=1/		cpu/event=0xe,umask=0x1,cmask=1/
 *	unc_cha_clockticks/filter=1/		uncore_cha/event=0x0,filter=1/
 *
 * Names that the kernel has are not expanded.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_alias.h"
#include "cpu_tables.h"
#include "pmu.h"
#include "util.h"

/**
 * struct expander - state of cpu_alias_expand()
 * @tables: the CPU's tables
 * @pmus: the machine's PMUs
 * @pmu: the preferred PMU, or NULL
 * @braces: inside braces, where a name must not become several events
 * @changed: a name was expanded
 * @out: the new text
 */
struct expander {
	const struct cpu_tables *tables;
	struct pmu_list pmus;
	const char *pmu;
	bool braces;
	bool changed;
	FILE *out;
};

static bool is_pmu(const struct expander *x, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < x->pmus.nr; i++)
		if (strlen(x->pmus.pmus[i].name) == len &&
		    !strncmp(x->pmus.pmus[i].name, name, len))
			return true;
	return false;
}

static bool sysfs_has(const char *pmu, const char *name, size_t len)
{
	char *path = xasprintf("/sys/bus/event_source/devices/%s/events/%.*s", pmu, (int)len, name);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

static bool any_pmu_has(const struct expander *x, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < x->pmus.nr; i++)
		if (sysfs_has(x->pmus.pmus[i].name, name, len))
			return true;
	return false;
}

/* Is an event one of the PMU that the user named, by the library's rules for PMU names? */
static bool is_of(const struct cpu_event *event, const char *word)
{
	static const char prefix[] = "uncore_";
	const char *pmu = event->pmu;

	if (!strcmp(pmu, "-"))
		return cpu_is_core_pmu(word);
	if (!strncmp(word, pmu, strlen(pmu)) || !fnmatch(pmu, word, 0))
		return true;
	return !strncmp(pmu, prefix, strlen(prefix)) && !strcmp(pmu + strlen(prefix), word);
}

static const struct cpu_event *event_of_pmu(const struct expander *x, const char *name, size_t len,
					    const char *word)
{
	const struct cpu_event *event = NULL;

	while ((event = cpu_tables_event(x->tables, name, len, event)))
		if (is_of(event, word))
			return event;
	return NULL;
}

/* Copies the terms from @s to @end, and replaces names of events by their terms. */
static void expand_terms(struct expander *x, const char *word, const char *s, const char *end)
{
	while (s < end) {
		const char *comma = memchr(s, ',', end - s);
		const size_t len = (comma ? comma : end) - s;
		const struct cpu_event *event = NULL;

		if (!memchr(s, '=', len) && !sysfs_has(word, s, len))
			event = event_of_pmu(x, s, len, word);
		if (event)
			fputs(event->terms, x->out);
		else
			fwrite(s, 1, len, x->out);
		x->changed |= !!event;
		if (!comma)
			return;
		fputc(',', x->out);
		s = comma + 1;
	}
}

/**
 * struct item - an event in a text
 * @name: name of the event or PMU that it begins with
 * @len: length of @name
 * @terms: the text between its slashes, or NULL
 * @terms_len: length of @terms
 * @rest: the text after that
 * @rest_len: length of @rest
 */
struct item {
	const char *name;
	size_t len;
	const char *terms;
	size_t terms_len;
	const char *rest;
	size_t rest_len;
};

static void put(struct expander *x, const struct item *item, const char *pmu,
		const struct cpu_event *event, unsigned int *nr)
{
	fprintf(x->out, "%s%s/%s,", (*nr)++ ? "," : "", pmu, event->terms);
	if (item->terms)
		fwrite(item->terms, 1, item->terms_len, x->out);
	else
		fprintf(x->out, "name=%.*s", (int)item->len, item->name);
	fprintf(x->out, "/%.*s", (int)item->rest_len, item->rest);
}

/* Adds an event of the core PMUs, once for each kind of core, or once if only one is allowed. */
static void put_core_event(struct expander *x, const struct item *item,
			   const struct cpu_event *event, unsigned int *nr)
{
	const bool only_one = x->pmu || x->braces;
	size_t i;

	for (i = 0; i < x->pmus.nr && !(only_one && *nr); i++) {
		const char *pmu = x->pmus.pmus[i].name;

		if (cpu_is_core_pmu(pmu) && (!x->pmu || !strcmp(x->pmu, "-") ||
					     !strcmp(x->pmu, pmu)))
			put(x, item, pmu, event, nr);
	}
}

/* Replaces an item by its encoding in the tables; false if they do not have it. */
static bool expand_event(struct expander *x, const struct item *item)
{
	const struct cpu_event *event = NULL, *first = NULL;
	unsigned int nr = 0;

	while ((event = cpu_tables_event(x->tables, item->name, item->len, event))) {
		if (!first)
			first = event;
		if (nr && (x->pmu || x->braces))
			break;
		if (!strcmp(event->pmu, "-"))
			put_core_event(x, item, event, &nr);
		else if (strncmp(event->pmu, "cpu_", 4) ||
			 (is_pmu(x, event->pmu, strlen(event->pmu)) &&
			  (!x->pmu || !strcmp(x->pmu, event->pmu))))
			put(x, item, event->pmu, event, &nr);
	}
	/* This machine lacks the PMU: expand the name anyway, and the library reports that. */
	if (first && !nr)
		put(x, item, strcmp(first->pmu, "-") ? first->pmu : "cpu", first, &nr);
	return nr;
}

static void expand_item(struct expander *x, const struct item *item)
{
	const bool pmu = item->terms && is_pmu(x, item->name, item->len);
	char *word;

	if (!pmu && !any_pmu_has(x, item->name, item->len) && expand_event(x, item)) {
		x->changed = true;
		return;
	}
	fwrite(item->name, 1, item->len, x->out);
	if (item->terms) {
		word = xstrndup(item->name, item->len);
		fputc('/', x->out);
		expand_terms(x, word, item->terms, item->terms + item->terms_len);
		fputc('/', x->out);
		free(word);
	}
	fwrite(item->rest, 1, item->rest_len, x->out);
}

static const char *next_item(const char *s, struct item *item)
{
	const char *close = NULL;

	memset(item, 0, sizeof(*item));
	item->name = s;
	item->len = strcspn(s, ",{}/: \t\n");
	item->rest = s + item->len;
	if (*item->rest == '/')
		close = strchr(item->rest + 1, '/');
	if (close) {
		item->terms = item->rest + 1;
		item->terms_len = close - item->terms;
		item->rest = close + 1;
	}
	item->rest_len = strcspn(item->rest, ",{}");
	return item->rest + item->rest_len;
}

/**
 * cpu_alias_expand - replace the CPU vendor's event names by encodings
 * @text: events in perf's syntax
 * @pmu: the preferred PMU if several have an event of that name, or NULL
 *
 * Return: the new text, to be freed; NULL if it has no such names
 */
char *cpu_alias_expand(const char *text, const char *pmu)
{
	struct expander x = { .tables = cpu_tables(), .pmu = pmu };
	const char *s = text;
	struct item item;
	char *out = NULL;
	size_t len = 0;

	if (!x.tables->nr_events)
		return NULL;
	x.out = xcheck(open_memstream(&out, &len));
	pmu_list_open(&x.pmus);
	while (*s) {
		if (strchr("{}, \t\n", *s)) {
			if (*s == '{' || *s == '}')
				x.braces = *s == '{';
			fputc(*s++, x.out);
			continue;
		}
		s = next_item(s, &item);
		/* The modifiers after a closing brace. */
		if (!item.len && !item.terms)
			fwrite(item.rest, 1, item.rest_len, x.out);
		else
			expand_item(&x, &item);
		if (!item.len && !item.rest_len && !item.terms)
			fputc(*s++, x.out);
	}
	pmu_list_close(&x.pmus);
	fclose(x.out);
	if (x.changed)
		return out;
	free(out);
	return NULL;
}
