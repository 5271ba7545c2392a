// SPDX-License-Identifier: GPL-2.0
/* The PMUs that the kernel shows in sysfs: numbers, formats, named events. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu.h"

/* attr.config and its followers, as the words of a format name them. */
enum { CONFIG, CONFIG1, CONFIG2, CONFIG3, NR_CONFIGS };

static const char *const config_names[NR_CONFIGS] = {
	"config", "config1", "config2", "config3",
};

static int config_index(const char *name, size_t len)
{
	int i;

	for (i = 0; i < NR_CONFIGS; i++)
		if (strlen(config_names[i]) == len && !strncmp(name, config_names[i], len))
			return i;
	return -1;
}

static int fail(struct event_error *err, unsigned int column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct event_error *err, unsigned int column, const char *fmt, ...)
{
	va_list ap;

	err->column = column;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/**
 * pmu_open - look a PMU up
 * @pmu: filled in; end with pmu_close()
 * @sources: where PMUs are
 * @name: its exact name
 *
 * Return: 0, or -ENOENT
 */
int pmu_open(struct pmu_dir *pmu, const struct event_sources *sources, const char *name)
{
	char *type, *end;

	if (!*name || strchr(name, '/') || name[0] == '.')
		return -ENOENT;
	type = read_file("%s/%s/type", event_sources_pmus(sources), name);
	if (!type)
		return -ENOENT;
	pmu->type = strtoul(type, &end, 10);
	if (end == type || *end) {
		free(type);
		return -ENOENT;
	}
	free(type);
	pmu->dir = xasprintf("%s/%s", event_sources_pmus(sources), name);
	pmu->name = xstrdup(name);
	return 0;
}

void pmu_close(struct pmu_dir *pmu)
{
	free(pmu->dir);
	free(pmu->name);
	memset(pmu, 0, sizeof(*pmu));
}

/**
 * pmu_list_open - open all PMUs
 * @list: filled in; end with pmu_list_close()
 * @sources: where PMUs are, or NULL
 */
void pmu_list_open(struct pmu_list *list, const struct event_sources *sources)
{
	struct strings names = { 0 };
	size_t i;

	memset(list, 0, sizeof(*list));
	list_dir(&names, event_sources_pmus(sources));
	for (i = 0; i < names.nr; i++) {
		GROW(list->pmus, list->nr, list->room);
		if (!pmu_open(&list->pmus[list->nr], sources, names.s[i]))
			list->nr++;
	}
	strings_free(&names);
}

void pmu_list_close(struct pmu_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		pmu_close(&list->pmus[i]);
	free(list->pmus);
	memset(list, 0, sizeof(*list));
}

/**
 * pmu_find_name - find the name of a PMU by its number
 * @type: the number
 * @sources: where PMUs are, or NULL
 * @unknown: what comes before the number where no PMU has it
 *
 * Return: the name, to be freed
 */
char *pmu_find_name(__u32 type, const struct event_sources *sources, const char *unknown)
{
	struct pmu_list list;
	char *name = NULL;
	size_t i;

	pmu_list_open(&list, sources);
	for (i = 0; i < list.nr && !name; i++)
		if (list.pmus[i].type == type)
			name = xstrdup(list.pmus[i].name);
	pmu_list_close(&list);
	return name ? name : xasprintf("%s%u", unknown, type);
}

static bool matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (!fnmatch(pattern, name, 0))
		return true;
	/* imc is imc_0, imc_1 and so on, and imc0 as well. */
	if (!strncmp(name, pattern, len)) {
		name += len;
		if (*name == '_')
			name++;
		return *name && !name[strspn(name, "0123456789")];
	}
	return false;
}

/*
 * Adds the names of the PMUs that a user's word stands for: the one of that name,
 * or, as perf has it, all that it is a pattern or the beginning of, with or
 * without "uncore_".
 */
void pmu_match(struct strings *names, const struct event_sources *sources, const char *pattern)
{
	static const char prefix[] = "uncore_";
	struct strings all = { 0 };
	size_t i;

	list_dir(&all, event_sources_pmus(sources));
	for (i = 0; i < all.nr; i++) {
		if (!strcmp(all.s[i], pattern)) {
			strings_add(names, xstrdup(pattern));
			strings_free(&all);
			return;
		}
	}
	for (i = 0; i < all.nr; i++) {
		const char *name = all.s[i];

		if (matches(pattern, name) ||
		    (!strncmp(name, prefix, strlen(prefix)) &&
		     matches(pattern, name + strlen(prefix))))
			strings_add(names, xstrdup(name));
	}
	strings_free(&all);
}

/* Adds the names of a PMU's events. */
void pmu_event_names(const struct pmu_dir *pmu, struct strings *names)
{
	static const char *const attributes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	struct strings all = { 0 };
	char *dir = xasprintf("%s/events", pmu->dir);
	size_t i, j;

	list_dir(&all, dir);
	free(dir);
	for (i = 0; i < all.nr; i++) {
		const char *dot = strrchr(all.s[i], '.');

		for (j = 0; dot && j < ARRAY_SIZE(attributes); j++)
			if (!strcmp(dot, attributes[j]))
				break;
		if (!dot || j == ARRAY_SIZE(attributes))
			strings_add(names, xstrdup(all.s[i]));
	}
	strings_free(&all);
}

bool pmu_has_event(const struct pmu_dir *pmu, const char *name)
{
	char *text;

	if (!*name || strchr(name, '/') || name[0] == '.')
		return false;
	text = read_file("%s/events/%s", pmu->dir, name);
	if (!text)
		return false;
	free(text);
	return true;
}

/*
 * Returns the CPUs that a PMU wants to be opened on: one a package for an uncore
 * PMU, those of its kind for a PMU of one kind of CPU. NULL: all.
 */
char *pmu_cpus(const struct pmu_dir *pmu)
{
	char *cpus = read_file("%s/cpumask", pmu->dir);
	char *online;

	if (cpus)
		return cpus;
	cpus = read_file("%s/cpus", pmu->dir);
	if (!cpus)
		return NULL;
	online = read_file("/sys/devices/system/cpu/online");
	if (online && !strcmp(cpus, online)) {
		free(cpus);
		cpus = NULL;
	}
	free(online);
	return cpus;
}

/* Adds up the terms that a PMU knows, for a message. */
static char *known_terms(const struct pmu_dir *pmu)
{
	char *dir = xasprintf("%s/format", pmu->dir);
	char *text = xstrdup("config,config1,config2,config3,name,period,freq,min-delta");
	struct strings names = { 0 };
	size_t i;

	list_dir(&names, dir);
	free(dir);
	for (i = names.nr; i-- > 0;) {
		char *longer = xasprintf("%s,%s", names.s[i], text);

		free(text);
		text = longer;
	}
	strings_free(&names);
	return text;
}

/*
 * Puts a value where a format such as "config1:0-7,32-35" says: its lowest bits
 * into the first range, the next ones into the second.
 */
static int apply_format(const char *format, __u64 value, __u64 *configs, const char **why)
{
	static const char broken[] = "the kernel's description of it makes no sense";
	const char *s = strchr(format, ':');
	int index = s ? config_index(format, s - format) : -1;
	unsigned int used = 0;

	*why = broken;
	if (index < 0)
		return -EINVAL;
	do {
		unsigned long first, last, bits;
		__u64 mask;
		char *end;

		first = strtoul(s + 1, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (last > 63 || first > last || (*end && *end != ','))
			return -EINVAL;
		s = end;
		bits = last - first + 1;
		mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
		configs[index] &= ~(mask << first);
		if (used < 64)
			configs[index] |= ((value >> used) & mask) << first;
		used += bits;
	} while (*s == ',');

	*why = "the value does not fit";
	return used < 64 && value >> used ? -ERANGE : 0;
}

static int parse_value(const char *s, size_t len, __u64 *value)
{
	char *copy = xstrndup(s, len), *end;
	int err = 0;

	if (parse_u64(copy, 0, &end, value) || *end || copy[0] == ' ')
		err = -EINVAL;
	free(copy);
	return err;
}

/**
 * struct term - one NAME or NAME=VALUE between a PMU's slashes
 * @name: the name, not terminated
 * @name_len: its length
 * @value: the value, not terminated, or NULL
 * @value_len: its length
 */
struct term {
	const char *name;
	size_t name_len;
	const char *value;
	size_t value_len;
};

/* Cuts off the next term; returns where the one after it begins, or NULL. */
static const char *next_term(const char *s, struct term *term)
{
	const char *end, *equals;

	s += strspn(s, " ");
	end = s + strcspn(s, ",");
	equals = memchr(s, '=', end - s);

	term->name = s;
	term->name_len = (equals ? equals : end) - s;
	term->value = equals ? equals + 1 : NULL;
	term->value_len = equals ? end - equals - 1 : 0;
	return *end ? end + 1 : NULL;
}

static int numeric_term(const struct pmu_dir *pmu, const struct term *term, __u64 *configs,
			struct event_error *err, unsigned int column)
{
	int index = config_index(term->name, term->name_len);
	char *format = NULL, *known;
	const char *why;
	__u64 value = 1;
	int ret;

	if (index < 0 && !memchr(term->name, '/', term->name_len))
		format = read_file("%s/format/%.*s", pmu->dir, (int)term->name_len, term->name);
	if (index < 0 && !format) {
		known = known_terms(pmu);
		ret = fail(err, column, "unknown term '%.*s' for pmu '%s'; it has %s",
			   (int)term->name_len, term->name, pmu->name, known);
		free(known);
		return ret;
	}
	if (index >= 0 && !term->value) {
		ret = fail(err, column, "'%s' needs a value", config_names[index]);
	} else if (term->value && parse_value(term->value, term->value_len, &value)) {
		free(format);
		return fail(err, column + (term->value - term->name), "not a number");
	} else if (index >= 0) {
		configs[index] = value;
		ret = 0;
	} else {
		ret = apply_format(format, value, configs, &why);
		if (ret)
			fail(err, column, "'%.*s' (%s): %s", (int)term->name_len, term->name,
			     format, why);
	}
	free(format);
	return ret ? -EINVAL : 0;
}

/* Expands an event of the PMU's events directory into its terms. */
static int named_event(const struct pmu_dir *pmu, const char *name, __u64 *configs,
		       struct event *event, struct event_error *err, unsigned int column)
{
	char *text = read_file("%s/events/%s", pmu->dir, name);
	const char *s = text;
	char *scale, *unit;
	int ret = 0;

	while (s && !ret) {
		struct term term;

		s = next_term(s, &term);
		/* Some events leave a term open, as event=0x12,chip=?, for the user. */
		if (term.value_len == 1 && *term.value == '?')
			continue;
		ret = numeric_term(pmu, &term, configs, err, column);
	}
	free(text);
	if (ret)
		return ret;

	scale = read_file("%s/events/%s.scale", pmu->dir, name);
	if (scale && strtod(scale, NULL) > 0)
		event->scale = strtod(scale, NULL);
	free(scale);
	unit = read_file("%s/events/%s.unit", pmu->dir, name);
	if (unit) {
		free(event->unit);
		event->unit = unit;
	}
	return 0;
}

/* A term that any event may have: 1 if it is one, 0 if not, or -EINVAL. */
static int common_term(struct event *event, const struct term *term, struct event_error *err,
		       unsigned int column)
{
	static const char *const names[] = { "period", "freq", "min-delta" };
	__u64 value;
	size_t i;

	if (!term->value_len)
		return 0;
	if (term->name_len == strlen("name") && !strncmp(term->name, "name", term->name_len)) {
		free(event->name);
		event->name = xstrndup(term->value, term->value_len);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (term->name_len == strlen(names[i]) &&
		    !strncmp(term->name, names[i], term->name_len))
			break;
	if (i == ARRAY_SIZE(names))
		return 0;
	if (parse_value(term->value, term->value_len, &value) || !value)
		return fail(err, column + (term->value - term->name), "not a number above 0");
	if (!strcmp(names[i], "min-delta")) {
		event->min_delta = value;
		return 1;
	}
	if (event->sample)
		return fail(err, column, "an event has one period= or freq=");
	event->sample = value;
	event->freq = !strcmp(names[i], "freq");
	return 1;
}

/**
 * pmu_common_terms - read the terms of an event of no PMU in particular
 * @event: the event; name and sample are filled in
 * @text: terms, separated by commas
 * @err: filled in on failure, with a column that counts from the start of @text
 *
 * Return: 0 or -EINVAL
 */
int pmu_common_terms(struct event *event, const char *text, struct event_error *err)
{
	const char *s = text;

	while (s) {
		unsigned int column = s - text;
		struct term term;
		int ret;

		s = next_term(s, &term);
		ret = common_term(event, &term, err, column);
		if (ret < 0)
			return ret;
		if (!ret)
			return fail(err, column,
				    "unknown term '%.*s'; it has name,period,freq,min-delta",
				    (int)term.name_len, term.name);
	}
	return 0;
}

/**
 * pmu_encode - encode an event from what stands between a PMU's slashes
 * @pmu: the PMU
 * @text: terms and names of events, separated by commas
 * @event: counter, scale, unit and cpus are filled in, and what the terms name,
 *	period, freq and min-delta say
 * @err: filled in on failure, with a column that counts from the start of @text
 *
 * Return: 0 or -EINVAL
 */
int pmu_encode(const struct pmu_dir *pmu, const char *text, struct event *event,
	       struct event_error *err)
{
	__u64 configs[NR_CONFIGS] = { 0 };
	const char *s = text;
	int ret = 0;

	while (s && !ret) {
		unsigned int column = s - text;
		struct term term;
		char *name;
		int common;

		s = next_term(s, &term);
		common = common_term(event, &term, err, column);
		if (common < 0)
			return common;
		if (common)
			continue;
		name = xstrndup(term.name, term.name_len);
		if (!*name)
			ret = fail(err, column, "a term is missing");
		else if (!term.value && pmu_has_event(pmu, name))
			ret = named_event(pmu, name, configs, event, err, column);
		else
			ret = numeric_term(pmu, &term, configs, err, column);
		free(name);
	}
	if (ret)
		return ret;

	event_set(&event->counter, pmu->type, configs[CONFIG], configs[CONFIG1],
		  configs[CONFIG2], configs[CONFIG3]);
	event->cpus = pmu_cpus(pmu);
	return 0;
}
