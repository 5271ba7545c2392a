// SPDX-License-Identifier: GPL-2.0
/*
 * The table of perf stat, and with --raw a table of what the kernel reports. Only this format
 * depends on the locale.
 */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

#define METRIC_WIDTH	35
#define MIN_UNIT_WIDTH	4
#define CGROUP_WIDTH	16
/* In the raw table, if a column follows. */
#define EVENT_WIDTH	24
/* As in perf's table. */
#define NAME_WIDTH	32
/* "multiplexed exited" */
#define STATE_WIDTH	18
/* Intervals between two headings. */
#define HEADING_EVERY	25

static int unit_width(const struct stat_cmd *st)
{
	int width = MIN_UNIT_WIDTH;
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++)
		for (j = 0; j < st->list.groups[i].nr; j++) {
			int len = strlen(st->list.groups[i].events[j].unit);

			if (st->groups[i].events[j].supported && len > width)
				width = len;
		}
	return width;
}

static void print_target(const struct stat_cmd *st)
{
	const struct target *target = &st->target;
	char **word;

	if (target->all_threads) {
		fputs("'system wide'", st->out);
		return;
	}
	switch (target->kind) {
	case TARGET_ALL_CPUS:
		fputs("'system wide", st->out);
		break;
	case TARGET_CPUS:
		fprintf(st->out, "'CPU(s) %s", target->cpu_list);
		break;
	case TARGET_TASKS:
		fprintf(st->out, "%s '%s", target->pids ? "process id" : "thread id",
			target->pids ? target->pids : target->tids);
		break;
	case TARGET_COMMAND:
		fprintf(st->out, "'%s", target->command[0]);
		for (word = target->command + 1; *word; word++)
			fprintf(st->out, " %s", *word);
		break;
	}
	fputc('\'', st->out);
	if (stat_is_mean(st))
		fprintf(st->out, " (%u run%s)", st->mean_elapsed.nr,
			st->mean_elapsed.nr == 1 ? "" : "s");
}

/* Heading of the places. */
static const char *place_heading(const struct stat_cmd *st)
{
	static const char *const headings[] = {
		[AGGR_GLOBAL] = "",
		[AGGR_CPU] = "CPU        ",
		[AGGR_CORE] = "core            cpus ",
		[AGGR_CLUSTER] = "cluster           cpus ",
		[AGGR_CACHE] = "cache               cpus ",
		[AGGR_DIE] = "die          cpus ",
		[AGGR_SOCKET] = "socket cpus ",
		[AGGR_NODE] = "node   cpus ",
		[AGGR_THREAD] = "            comm-pid      ",
		[AGGR_CGROUP] = "",
	};

	return st->aggr.mode == AGGR_CPU && !target_has_cpus(&st->target) ?
	       "" : headings[st->aggr.mode];
}

static void print_raw_heading(const struct stat_cmd *st)
{
	fprintf(st->out, "%s%s", stat_is_interval(st) ? "#           time " : "",
		place_heading(st));
	fprintf(st->out, "%20s %20s %16s %16s  %-*s  %5s  ", "raw", "scaled",
		"enabled [ns]", "running [ns]", STATE_WIDTH, "state", "group");
	if (stat_names_cgroups(st))
		fprintf(st->out, "%-*s cgroup\n", EVENT_WIDTH, "event");
	else
		fputs("event\n", st->out);
}

static void print_interval_heading(struct stat_cmd *st)
{
	static unsigned int printed;

	if (printed++ % HEADING_EVERY)
		return;
	if (st->opt.raw)
		print_raw_heading(st);
	else
		fprintf(st->out, "#           time %s            counts %*s events\n",
			place_heading(st), unit_width(st), "unit");
}

static void begin(struct stat_cmd *st)
{
	if (stat_is_interval(st)) {
		if (!st->opt.metric_only)
			print_interval_heading(st);
		return;
	}
	fputs("\n Performance counter stats for ", st->out);
	print_target(st);
	fputs(":\n\n", st->out);
	if (st->opt.raw && !st->opt.null)
		print_raw_heading(st);
}

static void print_prefix(const struct stat_cmd *st, const struct stat_line *line, FILE *out)
{
	if (stat_is_interval(st))
		fprintf(out, "%6" PRIu64 ".%09" PRIu64 " ",
			(uint64_t)st->timestamp / 1000000000, (uint64_t)st->timestamp % 1000000000);
	stat_print_place(out, st->aggr.mode, line->place, NULL);
}

static void print_count(const struct stat_cmd *st, const struct stat_line *line, FILE *out)
{
	uint64_t count = stat_count(st, line->cell);
	double scale = line->event->scale;

	if (line->missing)
		fprintf(out, "%18s ", line->missing);
	else if (scale == 1.0)
		fprintf(out, st->opt.big_num ? "%'18" PRIu64 " " : "%18" PRIu64 " ", count);
	else if (floor(scale) != scale)
		fprintf(out, st->opt.big_num ? "%'18.2f " : "%18.2f ", count * scale);
	else
		fprintf(out, st->opt.big_num ? "%'18.0f " : "%18.0f ", count * scale);
}

static void print_metric(const struct stat_metric *metric, FILE *out)
{
	int n;

	if (!metric || (!metric->format && !metric->named)) {
		fprintf(out, "%*s", METRIC_WIDTH, "");
		return;
	}
	n = fprintf(out, " # ");
	if (metric->format)
		n += fprintf(out, metric->format, metric->value);
	else
		n += fprintf(out, "%8s", "-");
	fprintf(out, " %-*s", METRIC_WIDTH - n - 1, metric->unit);
}

/* Containers have a short label here: a full id has 64 digits. */
static const char *cgroup_of_line(const struct stat_line *line)
{
	return line->place->container ? line->place->container->label : line->cgroup;
}

static void print_line(struct stat_cmd *st, const struct stat_line *line, FILE *out)
{
	const struct stat_cell *cell = line->cell;
	unsigned int i;

	print_prefix(st, line, out);
	print_count(st, line, out);
	fprintf(out, "%-*s ", unit_width(st), line->event->unit);
	fprintf(out, "%-*s", NAME_WIDTH, line->name);
	if (line->cgroup)
		fprintf(out, " %-*s", CGROUP_WIDTH, cgroup_of_line(line));
	print_metric(line->nr_metrics ? &line->metrics[0] : NULL, out);
	for (i = 1; i < line->nr_metrics; i++) {
		fputc('\n', out);
		print_prefix(st, line, out);
		fprintf(out, "%*s", (st->aggr.mode == AGGR_CPU ? 57 : 49) +
				    (line->cgroup ? CGROUP_WIDTH + 1 : 0), "");
		print_metric(&line->metrics[i], out);
	}
	if (line->noise)
		fprintf(out, "  ( +-%6.2f%% )", line->noise);
	if (cell->running != cell->enabled)
		fprintf(out, "  (%.2f%%)", stat_percent(cell));
	if (line->runs)
		fprintf(out, "  (%u of %u runs)", line->runs, st->mean_elapsed.nr);
	fputc('\n', out);
}

/* Prints the state of the count and its flags. */
static void print_state(const struct stat_cell *cell, FILE *out)
{
	int width = fprintf(out, " %s", stat_state(cell));
	unsigned int i = 0;
	const char *flag;

	while ((flag = stat_next_flag(cell, &i)))
		width += fprintf(out, " %s", flag);
	fprintf(out, "%*s", width < STATE_WIDTH + 1 ? STATE_WIDTH + 1 - width : 0, "");
}

/* Prints a line of the raw table; missing values are "-". */
static void print_raw(struct stat_cmd *st, const struct stat_line *line, FILE *out)
{
	const struct stat_cell *cell = line->cell;
	const char *number = st->opt.big_num ? "%'20" PRIu64 " " : "%20" PRIu64 " ";
	const char *time = st->opt.big_num ? "%'16" PRIu64 " " : "%16" PRIu64 " ";

	print_prefix(st, line, out);
	if (line->missing)
		fprintf(out, "%20s %20s ", line->missing, "-");
	else
		fprintf(out, number, (uint64_t)cell->raw);
	if (!line->missing && cell->flags & PERFGRP_VALUE_SCALED)
		fprintf(out, number, (uint64_t)cell->scaled);
	else if (!line->missing)
		fprintf(out, "%20s ", "-");
	fprintf(out, time, (uint64_t)cell->enabled);
	fprintf(out, time, (uint64_t)cell->running);
	print_state(cell, out);
	if (stat_sched_group(cell))
		fprintf(out, "  %5u  ", stat_sched_group(cell));
	else
		fprintf(out, "  %5s  ", "-");
	if (line->cgroup)
		fprintf(out, "%-*s %s", EVENT_WIDTH, line->name, line->cgroup);
	else
		fputs(line->name, out);
	if (line->runs)
		fprintf(out, "  (%u of %u runs)", line->runs, st->mean_elapsed.nr);
	fputc('\n', out);
}

/* Prints a line (or two) without the blanks that perf leaves at its end. */
static void line(struct stat_cmd *st, const struct stat_line *line)
{
	locale_t locale, before = NULL;
	char *text = NULL, *s;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	if (locale)
		before = uselocale(locale);
	if (st->opt.raw)
		print_raw(st, line, out);
	else
		print_line(st, line, out);
	fclose(out);
	if (locale) {
		uselocale(before);
		freelocale(locale);
	}

	for (s = text; *s;) {
		size_t length = strcspn(s, "\n"), used = length;

		while (used && s[used - 1] == ' ')
			used--;
		fprintf(st->out, "%.*s\n", (int)used, s);
		s += length + (s[length] == '\n');
	}
	free(text);
}

/* As in perf: two digits more than the first significant one of the standard deviation. */
static int precision(double deviation)
{
	return deviation > 1 || deviation <= 0 ? 2 : lround(ceil(-log10(deviation))) + 2;
}

/* Length of each run, its difference from the mean, and a bar: one '#' for each five percent. */
static void print_lengths(const struct stat_cmd *st, double mean, int digits)
{
	unsigned int i;
	int bar;

	fprintf(st->out, " %16s# Table of individual measurements:\n", "");
	for (i = 0; i < st->mean_length.nr; i++) {
		double length = st->lengths[i] / 1e9;

		fprintf(st->out, " %17.*f (%+.*f) ", digits, length, digits, length - mean);
		for (bar = 1 + abs((int)(100 * (length - mean) / length)) / 5; bar; bar--)
			fputc('#', st->out);
		fputc('\n', st->out);
	}
	fprintf(st->out, "\n %16s# Final result:\n", "");
}

static void end(struct stat_cmd *st)
{
	if (stat_is_interval(st))
		return;
	if (!st->opt.null)
		fputc('\n', st->out);
	if (st->opt.raw && !st->opt.null)
		fprintf(st->out, " %17.9f seconds for the longest read of all CPUs\n",
			st->skew / 1e9);
	if (stat_is_mean(st)) {
		double mean = st->mean_length.about / 1e9;
		double deviation = stat_deviation(&st->mean_length) / 1e9;
		int digits = precision(deviation);

		if (st->opt.table)
			print_lengths(st, mean, digits);
		fprintf(st->out, " %17.*f +- %.*f seconds time elapsed", digits, mean, digits,
			deviation);
		if (mean && deviation)
			fprintf(st->out, "  ( +-%6.2f%% )", 100.0 * deviation / mean);
	} else {
		fprintf(st->out, " %17.9f seconds time elapsed", st->length / 1e9);
	}
	if (st->user >= 0)
		fprintf(st->out, "\n\n %17.9f seconds user\n %17.9f seconds sys\n", st->user,
			st->sys);
	fputs("\n\n", st->out);
}

const struct stat_format stat_text = { begin, line, end };
