// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* PMUs in sysfs: their types, formats and named events; and the directory of tracepoints. */
#include <errno.h>
#include <fnmatch.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu.h"

static const char *const config_names[NR_CONFIGS] = {
	[CONFIG] = "config", [CONFIG1] = "config1", [CONFIG2] = "config2", [CONFIG3] = "config3",
};

static int config_index(const char *name, size_t len)
{
	int i;

	for (i = 0; i < NR_CONFIGS; i++)
		if (strlen(config_names[i]) == len && !strncmp(name, config_names[i], len))
			return i;
	return -1;
}

static const char *pmus_dir(const struct perfgrp_events *from)
{
	return from && from->pmus ? from->pmus : "/sys/bus/event_source/devices";
}

#define TRACEPOINTS	"/sys/kernel/tracing/events"

/* Returns the directory of tracepoints, or NULL if tracefs is not mounted or not readable. */
const char *perfgrp_tracepoints(struct pool *pool, const struct perfgrp_events *from)
{
	static const char *const usual[] = { TRACEPOINTS, "/sys/kernel/debug/tracing/events" };
	size_t i;

	if (from && from->tracing)
		return perfgrp_pool_printf(pool, "%s/events", from->tracing);
	for (i = 0; i < ARRAY_SIZE(usual); i++)
		if (!access(usual[i], R_OK | X_OK))
			return usual[i];
	return NULL;
}

/* Returns true if tracefs is mounted and this user may not read it. */
bool perfgrp_tracepoints_denied(void)
{
	return access(TRACEPOINTS, R_OK | X_OK) && errno == EACCES;
}

/**
 * perfgrp_pmu_open - look up a PMU
 * @pmu: filled in
 * @pool: memory for its strings
 * @from: has the path of the PMUs; NULL for the default
 * @name: its exact name
 *
 * Return: 0, or -ENOENT
 */
int perfgrp_pmu_open(struct pmu_dir *pmu, struct pool *pool, const struct perfgrp_events *from,
		     const char *name)
{
	char *type, *end;

	if (!*name || strchr(name, '/') || name[0] == '.')
		return -ENOENT;
	type = perfgrp_read_file(pool, "%s/%s/type", pmus_dir(from), name);
	if (!type)
		return -ENOENT;
	pmu->type = strtoul(type, &end, 10);
	if (end == type || *end)
		return -ENOENT;
	pmu->dir = perfgrp_pool_printf(pool, "%s/%s", pmus_dir(from), name);
	pmu->name = perfgrp_pool_strndup(pool, name, strlen(name));
	return 0;
}

/* Returns the names of all PMUs. */
struct strings perfgrp_pmu_names(struct pool *pool, const struct perfgrp_events *from)
{
	return perfgrp_list_dir(pool, "%s", pmus_dir(from));
}

static bool matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (!fnmatch(pattern, name, 0))
		return true;
	/* imc matches imc_0, imc_1 and so on, and also imc0. */
	if (!strncmp(name, pattern, len)) {
		name += len;
		if (*name == '_')
			name++;
		return *name && !name[strspn(name, "0123456789")];
	}
	return false;
}

/*
 * Returns the names of the PMUs that match: the PMU with exactly that name, or else, as in perf,
 * all whose name matches as a pattern or with a number appended, with or without "uncore_".
 */
struct strings perfgrp_pmu_match(struct pool *pool, const struct perfgrp_events *from,
				 const char *pattern)
{
	static const char prefix[] = "uncore_";
	struct strings all = perfgrp_pmu_names(pool, from), names = { 0 };
	size_t i;

	for (i = 0; i < all.nr; i++) {
		if (!strcmp(all.s[i], pattern)) {
			perfgrp_strings_add(pool, &names, pattern);
			return names;
		}
	}
	for (i = 0; i < all.nr; i++) {
		const char *name = all.s[i];

		if (matches(pattern, name) ||
		    (!strncmp(name, prefix, strlen(prefix)) &&
		     matches(pattern, name + strlen(prefix))))
			perfgrp_strings_add(pool, &names, name);
	}
	return names;
}

/* Returns the names of a PMU's events. */
struct strings perfgrp_pmu_event_names(struct pool *pool, const struct pmu_dir *pmu)
{
	static const char *const attributes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	struct strings all = perfgrp_list_dir(pool, "%s/events", pmu->dir), names = { 0 };
	size_t i, j;

	for (i = 0; i < all.nr; i++) {
		const char *dot = strrchr(all.s[i], '.');

		for (j = 0; dot && j < ARRAY_SIZE(attributes); j++)
			if (!strcmp(dot, attributes[j]))
				break;
		if (!dot || j == ARRAY_SIZE(attributes))
			perfgrp_strings_add(pool, &names, all.s[i]);
	}
	return names;
}

static char *event_terms(struct pool *pool, const struct pmu_dir *pmu, const char *name)
{
	if (!*name || strchr(name, '/') || name[0] == '.')
		return NULL;
	return perfgrp_read_file(pool, "%s/events/%s", pmu->dir, name);
}

/* Returns the names of the PMUs that have an event of that name. */
struct strings perfgrp_pmu_with_event(struct pool *pool, const struct perfgrp_events *from,
				      const char *event)
{
	struct strings all = perfgrp_pmu_names(pool, from), names = { 0 };
	struct pmu_dir pmu;
	size_t i;

	for (i = 0; i < all.nr; i++)
		if (!perfgrp_pmu_open(&pmu, pool, from, all.s[i]) &&
		    event_terms(pool, &pmu, event))
			perfgrp_strings_add(pool, &names, pmu.name);
	return names;
}

/*
 * Returns the CPUs to open a PMU's events on: one per package for an uncore PMU, those of one kind
 * for a core PMU of hybrid CPUs. NULL: all.
 */
const char *perfgrp_pmu_cpus(struct pool *pool, const struct pmu_dir *pmu)
{
	const char *cpus = perfgrp_read_file(pool, "%s/cpumask", pmu->dir);
	const char *online;

	if (cpus)
		return cpus;
	cpus = perfgrp_read_file(pool, "%s/cpus", pmu->dir);
	online = cpus ? perfgrp_read_file(pool, "/sys/devices/system/cpu/online") : NULL;
	return online && !strcmp(cpus, online) ? NULL : cpus;
}

/* Returns the terms that a PMU has, for an error message. */
static const char *known_terms(const struct parser *p, const struct pmu_dir *pmu)
{
	struct strings names = perfgrp_list_dir(p->scratch, "%s/format", pmu->dir);
	const char *text = "config,config1,config2,config3,name,period,freq,min-delta";
	size_t i;

	for (i = names.nr; i-- > 0;)
		text = perfgrp_pool_printf(p->scratch, "%s,%s", names.s[i], text);
	return text;
}

/*
 * Stores a value in the bits that a format such as "config1:0-7,32-35" names: its lowest bits
 * in the first range, the next bits in the second.
 */
static int apply_format(const char *format, __u64 value, __u64 *configs, const char **why)
{
	static const char broken[] = "its format in sysfs makes no sense";
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
static const char *next_term(const char *s, const char *end, struct term *term)
{
	const char *comma, *equals;

	while (s < end && *s == ' ')
		s++;
	comma = memchr(s, ',', end - s);
	if (comma)
		end = comma;
	equals = memchr(s, '=', end - s);

	term->name = s;
	term->name_len = (equals ? equals : end) - s;
	term->value = equals ? equals + 1 : NULL;
	term->value_len = equals ? end - equals - 1 : 0;
	return comma ? comma + 1 : NULL;
}

static bool is_named(const struct term *term, const char *name)
{
	return term->name_len == strlen(name) && !strncmp(term->name, name, term->name_len);
}

static int term_value(const struct term *term, __u64 *value)
{
	char *end;

	if (perfgrp_parse_u64(term->value, &end, value) || end != term->value + term->value_len)
		return -EINVAL;
	return 0;
}

/* Applies a term with a number. An error in its name is reported at @at. */
static int numeric_term(const struct parser *p, const struct pmu_dir *pmu, const struct term *term,
			const char *at, __u64 *configs)
{
	const int index = config_index(term->name, term->name_len);
	char *format = NULL;
	const char *why;
	__u64 value = 1;

	if (index < 0 && !memchr(term->name, '/', term->name_len))
		format = perfgrp_read_file(p->scratch, "%s/format/%.*s", pmu->dir,
					   (int)term->name_len, term->name);
	if (index < 0 && !format)
		return perfgrp_fault(p, at, "unknown term '%.*s' for pmu '%s'; valid terms: %s",
				     (int)term->name_len, term->name, pmu->name,
				     known_terms(p, pmu));
	if (index >= 0 && !term->value)
		return perfgrp_fault(p, at, "'%s' needs a value", config_names[index]);
	if (term->value && term_value(term, &value))
		return perfgrp_fault(p, at + (term->value - term->name), "not a number");
	if (index >= 0)
		configs[index] = value;
	else if (apply_format(format, value, configs, &why))
		return perfgrp_fault(p, at, "'%.*s' (%s): %s", (int)term->name_len,
				     term->name, format, why);
	return 0;
}

/* Parses a number of sysfs, which does not depend on the program's locale. */
static double parse_scale(const char *text)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	double scale;

	if (!c)
		return 0;
	scale = strtod_l(text, NULL, c);
	freelocale(c);
	return scale;
}

/* Expands an event of the PMU's events directory into its terms. */
static int named_event(const struct parser *p, const struct pmu_dir *pmu, const char *name,
		       const char *terms, const char *at, __u64 *configs, struct event *event)
{
	const char *s = terms, *end = s + strlen(s), *scale, *unit;

	while (s) {
		struct term term;

		s = next_term(s, end, &term);
		/* Some events have a term for the user to fill in, as event=0x12,chip=?. */
		if (term.value_len == 1 && *term.value == '?')
			continue;
		if (numeric_term(p, pmu, &term, at, configs))
			return -EINVAL;
	}
	scale = perfgrp_read_file(p->scratch, "%s/events/%s.scale", pmu->dir, name);
	if (scale && parse_scale(scale) > 0)
		event->shown.scale = parse_scale(scale);
	unit = perfgrp_read_file(&p->list->pool, "%s/events/%s.unit", pmu->dir, name);
	if (unit)
		event->shown.unit = unit;
	return 0;
}

/* Applies a term that any event may have. Returns 1 if it is one, 0 if not, or -EINVAL. */
static int common_term(const struct parser *p, const struct term *term, struct event *event)
{
	const bool freq = is_named(term, "freq");
	__u64 value;

	if (!term->value_len)
		return 0;
	if (is_named(term, "name")) {
		event->shown.name = perfgrp_pool_strndup(&p->list->pool, term->value,
							 term->value_len);
		return 1;
	}
	if (!freq && !is_named(term, "period") && !is_named(term, "min-delta"))
		return 0;
	if (term_value(term, &value) || !value)
		return perfgrp_fault(p, term->value, "not a number above 0");
	if (is_named(term, "min-delta")) {
		event->shown.min_delta = value;
		return 1;
	}
	if (event->shown.sample)
		return perfgrp_fault(p, term->name, "only one period= or freq= can be given");
	event->shown.sample = value;
	if (freq)
		event->shown.flags |= PERFGRP_EVENT_FREQ;
	return 1;
}

/**
 * perfgrp_pmu_common_terms - parse terms that do not depend on the PMU
 * @p: the parser
 * @s: terms, separated by commas
 * @end: where they end
 * @event: the event; name, sample and min_delta are filled in
 *
 * Return: 0, or -EINVAL with @p->error filled in
 */
int perfgrp_pmu_common_terms(const struct parser *p, const char *s, const char *end,
			     struct event *event)
{
	while (s) {
		const char *at = s;
		struct term term;
		int ret;

		s = next_term(s, end, &term);
		ret = common_term(p, &term, event);
		if (ret < 0)
			return ret;
		if (!ret)
			return perfgrp_fault(p, at, "unknown term '%.*s'; valid terms: name,period,freq,min-delta",
					     (int)term.name_len, term.name);
	}
	return 0;
}

/**
 * perfgrp_pmu_encode - encode an event from the text between a PMU's slashes
 * @p: the parser
 * @pmu: the PMU
 * @s: terms and names of events, separated by commas
 * @end: where they end
 * @event: counter, scale, unit and cpus are filled in, and what the terms name=, period=, freq=
 *	and min-delta= set
 *
 * Return: 0, or -EINVAL with @p->error filled in
 */
int perfgrp_pmu_encode(const struct parser *p, const struct pmu_dir *pmu, const char *s,
		       const char *end, struct event *event)
{
	__u64 configs[NR_CONFIGS] = { 0 };

	while (s) {
		const char *name, *terms = NULL;
		struct term term;
		int ret;

		s = next_term(s, end, &term);
		ret = common_term(p, &term, event);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (!term.name_len)
			return perfgrp_fault(p, term.name, "a term is missing");
		name = perfgrp_pool_strndup(p->scratch, term.name, term.name_len);
		if (!term.value)
			terms = event_terms(p->scratch, pmu, name);
		if (terms)
			ret = named_event(p, pmu, name, terms, term.name, configs, event);
		else
			ret = numeric_term(p, pmu, &term, term.name, configs);
		if (ret)
			return ret;
	}
	perfgrp_counter_set(&event->counter, pmu->type, configs);
	event->shown.cpus = perfgrp_pmu_cpus(&p->list->pool, pmu);
	return 0;
}
