// SPDX-License-Identifier: GPL-2.0
/*
 * Events and metrics of the machine's CPU, from perf's tables; scripts/pmu-events reduces them to
 * what is used here. If they are missing, the tables are empty and @why has the reason.
 *
 * They are in PREFIX/share/perfgrp if the tool is in PREFIX/bin; in the build tree they are beside
 * the tool. PERF_CPUID overrides the CPU, as in perf; PERFGRP_PMU_EVENTS overrides the directory.
 */
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "aggr.h"
#include "cpu_tables.h"
#include "util.h"

/* The fields of a MIDR with the revision of the CPU. */
#define MIDR_VARIANT	0xf00000
#define MIDR_REVISION	0xf

#define MAX_COLUMNS	9

/* ---- which CPU -------------------------------------------------------------- */

/* Returns a field of the first CPU in /proc/cpuinfo, to be freed, or NULL. */
static char *cpuinfo_field(const char *text, const char *field)
{
	const char *s = text, *end;

	for (; s && *s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
		if (strncmp(s, field, strlen(field)) || !strchr("\t :", s[strlen(field)]))
			continue;
		s += strcspn(s, ":\n");
		if (*s != ':')
			return NULL;
		s += 1 + strspn(s + 1, " ");
		end = s + strcspn(s, "\n");
		return xstrndup(s, end - s);
	}
	return NULL;
}

static unsigned int cpuinfo_number(const char *text, const char *field)
{
	char *value = cpuinfo_field(text, field);
	unsigned int n = value ? strtoul(value, NULL, 10) : 0;

	free(value);
	return n;
}

static char *x86_cpuid(void)
{
	char *text = read_file("/proc/cpuinfo"), *vendor, *cpuid = NULL;

	vendor = text ? cpuinfo_field(text, "vendor_id") : NULL;
	if (vendor)
		cpuid = xasprintf("%s-%u-%X-%X", vendor, cpuinfo_number(text, "cpu family"),
				  cpuinfo_number(text, "model"), cpuinfo_number(text, "stepping"));
	free(vendor);
	free(text);
	return cpuid;
}

static char *arm64_cpuid(void)
{
	struct numbers cpus = { 0 };
	char *cpuid = NULL;
	size_t i;

	cpus_online(&cpus);
	for (i = 0; i < cpus.nr && !cpuid; i++)
		cpuid = read_file("/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1",
				  cpus.n[i]);
	numbers_free(&cpus);
	return cpuid;
}

static char *find_cpuid(void)
{
	const char *chosen = getenv("PERF_CPUID");
	char *cpuid;

	if (chosen)
		return xstrdup(chosen);
	cpuid = arm64_cpuid();
	return cpuid ? cpuid : x86_cpuid();
}

static bool is_midr(const char *s)
{
	return !strncmp(s, "0x", 2);
}

/**
 * cpu_is - compare a CPU with a row of perf's tables
 * @cpuid: vendor-family-model-stepping, or a MIDR
 * @number: for vendor-family-model-stepping a regular expression, with or without the stepping; or
 *	a MIDR, which also matches later revisions
 *
 * Return: true if the row is for this CPU
 */
bool cpu_is(const char *cpuid, const char *number)
{
	const unsigned long long revisions = MIDR_VARIANT | MIDR_REVISION;
	unsigned long long midr, wanted;
	regmatch_t match;
	regex_t regex;
	bool is;

	if (is_midr(number) != is_midr(cpuid))
		return false;
	if (is_midr(number)) {
		midr = strtoull(cpuid, NULL, 16);
		wanted = strtoull(number, NULL, 16);
		return (midr & ~revisions) == (wanted & ~revisions) &&
		       (midr & revisions) >= (wanted & revisions);
	}
	if (regcomp(&regex, number, REG_EXTENDED))
		return false;
	is = !regexec(&regex, cpuid, 1, &match, 0) && !match.rm_so &&
	     (!cpuid[match.rm_eo] || !strchr(cpuid + match.rm_eo + 1, '-')) &&
	     strchr("-", cpuid[match.rm_eo]);
	regfree(&regex);
	return is;
}

/* Is a PMU a core PMU, not an uncore PMU? */
bool cpu_is_core_pmu(const char *name)
{
	char *path;
	bool is;

	if (!strcmp(name, "cpu"))
		return true;
	path = xasprintf("/sys/bus/event_source/devices/%s/cpus", name);
	is = !access(path, F_OK);
	free(path);
	return is;
}

/* ---- the files -------------------------------------------------------------- */

/* Returns the directory of the tables, to be freed; it may not exist. */
static char *events_dir(void)
{
	const char *chosen = getenv("PERFGRP_PMU_EVENTS");
	char exe[PATH_MAX], *dir, *map;
	ssize_t len;

	if (chosen)
		return xstrdup(chosen);
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[len < 0 ? 0 : len] = '\0';
	if (!strrchr(exe, '/'))
		return xstrdup("/usr/share/perfgrp/pmu-events");
	*strrchr(exe, '/') = '\0';
	dir = xasprintf("%s/pmu-events", exe);
	map = xasprintf("%s/map", dir);
	if (access(map, F_OK)) {
		free(dir);
		if (strrchr(exe, '/'))
			*strrchr(exe, '/') = '\0';
		dir = xasprintf("%s/share/perfgrp/pmu-events", exe);
	}
	free(map);
	return dir;
}

/* Returns the name of a CPU's file, to be freed, or NULL with @why set. */
static char *find_file(const char *cpuid, char **why)
{
	char *dir = events_dir(), *map = read_file("%s/map", dir);
	char *line, *save = NULL, *file = NULL;

	if (!map) {
		*why = xasprintf("no tables of events and metrics in %s; see perfgrp-list(1) for how to make them",
				 dir);
		free(dir);
		return NULL;
	}
	for (line = strtok_r(map, "\n", &save); line && !file;
	     line = strtok_r(NULL, "\n", &save)) {
		char *tab = strchr(line, '\t');

		if (!tab)
			continue;
		*tab = '\0';
		if (cpu_is(cpuid, line))
			file = xasprintf("%s/%s", dir, tab + 1);
	}
	free(map);
	if (!file)
		*why = xasprintf("the tables in %s have no events and metrics of this CPU (%s)",
				 dir, cpuid);
	free(dir);
	return file;
}

static char *read_packed(const char *path)
{
	gzFile in = gzopen(path, "rbe");
	size_t room = 0, len = 0;
	char *text = NULL;
	int n = 0;

	if (!in)
		return NULL;
	do {
		len += n;
		if (room - len < 4096) {
			room = room ? 2 * room : 65536;
			text = xrealloc(text, room, 1);
		}
		n = gzread(in, text + len, room - len - 1);
	} while (n > 0);
	text[len] = '\0';
	/* Only gzclose() detects a truncated file. */
	if (gzclose(in) != Z_OK || n < 0) {
		free(text);
		errno = EBADMSG;
		return NULL;
	}
	return text;
}

static void add_line(struct cpu_tables *t, const char **column, size_t nr)
{
	if (*column[0] == 'e' && nr == 6) {
		GROW(t->events, t->nr_events, t->room_events);
		t->events[t->nr_events++] = (struct cpu_event){
			.name = column[1], .pmu = column[2], .terms = column[3],
			.unit = column[4], .desc = column[5],
		};
	} else if (*column[0] == 'm' && nr == 9) {
		GROW(t->metrics, t->nr_metrics, t->room_metrics);
		t->metrics[t->nr_metrics++] = (struct cpu_metric){
			.name = column[1], .pmu = column[2], .groups = column[3],
			.unit = column[4], .constraint = column[5], .expr = column[6],
			.threshold = column[7], .desc = column[8],
		};
	} else if (*column[0] == 'g' && nr == 3) {
		GROW(t->groups, t->nr_groups, t->room_groups);
		t->groups[t->nr_groups++] = (struct cpu_metric_group){
			.name = column[1], .desc = column[2],
		};
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct cpu_event *x = a, *y = b;
	int diff = strcasecmp(x->name, y->name);

	/* Keep the order of the file if names are equal: both point into @text. */
	return diff ? diff : x->name < y->name ? -1 : 1;
}

static void read_tables(struct cpu_tables *t)
{
	const char *column[MAX_COLUMNS];
	char *line = t->text, *s;

	while (*line) {
		size_t nr = 1;

		column[0] = line;
		for (s = line; *s && *s != '\n'; s++) {
			if (*s != '\t')
				continue;
			*s = '\0';
			if (nr < MAX_COLUMNS)
				column[nr] = s + 1;
			nr++;
		}
		line = *s ? s + 1 : s;
		*s = '\0';
		add_line(t, column, nr);
	}
	if (t->nr_events)
		qsort(t->events, t->nr_events, sizeof(*t->events), compare_events);
}

/**
 * cpu_tables - get the tables of the machine's CPU
 *
 * Return: the tables, read at the first call; if there are none, @why has the reason
 */
const struct cpu_tables *cpu_tables(void)
{
	static struct cpu_tables tables;
	static bool read;
	struct cpu_tables *t = &tables;

	if (read)
		return t;
	read = true;
	t->cpuid = find_cpuid();
	if (!t->cpuid)
		t->why = xstrdup("the kernel does not report the model of the CPU");
	else
		t->file = find_file(t->cpuid, &t->why);
	if (!t->file)
		return t;
	t->text = read_packed(t->file);
	if (!t->text)
		t->why = xasprintf("cannot read %s: %s", t->file, strerror(errno));
	else
		read_tables(t);
	return t;
}

static int compare_name(const char *name, size_t len, const char *other)
{
	int diff = strncasecmp(name, other, len);

	return diff ? diff : -(other[len] != '\0');
}

/**
 * cpu_tables_event - look up an event
 * @t: the tables
 * @name: its name, not terminated
 * @len: length of @name
 * @after: the event found last, to get that of the next PMU with this name; NULL for the first
 *
 * Return: the event, or NULL
 */
const struct cpu_event *cpu_tables_event(const struct cpu_tables *t, const char *name, size_t len,
					 const struct cpu_event *after)
{
	size_t first = 0, end = t->nr_events;

	if (after) {
		first = after + 1 - t->events;
	} else {
		while (first < end) {
			size_t middle = first + (end - first) / 2;

			if (compare_name(name, len, t->events[middle].name) > 0)
				first = middle + 1;
			else
				end = middle;
		}
	}
	if (first < t->nr_events && !compare_name(name, len, t->events[first].name))
		return &t->events[first];
	return NULL;
}

/**
 * cpu_tables_metric - look up a metric that another one refers to
 * @t: the tables
 * @name: its name
 * @pmu: the preferred PMU if several have a metric of that name, or NULL
 *
 * Return: the metric, or NULL
 */
const struct cpu_metric *cpu_tables_metric(const struct cpu_tables *t, const char *name,
					   const char *pmu)
{
	const struct cpu_metric *found = NULL;
	size_t i;

	for (i = 0; i < t->nr_metrics; i++) {
		const struct cpu_metric *metric = &t->metrics[i];

		if (strcmp(metric->name, name))
			continue;
		if (pmu && !strcmp(metric->pmu, pmu))
			return metric;
		if (!found)
			found = metric;
	}
	return found;
}

/* Is a metric in a group? Ignores case. */
bool cpu_metric_is_in(const struct cpu_metric *metric, const char *group)
{
	const char *s = metric->groups;
	size_t len;

	while (*s) {
		len = strcspn(s, "; ");
		if (len == strlen(group) && !strncasecmp(s, group, len))
			return true;
		s += len;
		s += strspn(s, "; ");
	}
	return false;
}
