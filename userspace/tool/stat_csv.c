// SPDX-License-Identifier: GPL-2.0
/*
 * perf stat's CSV, column by column:
 *
 *	[time,][place,]count,unit,event,[cgroup,][variance,]running,percent,metric,metric unit
 *
 * and with --raw, after these: raw, scaled, time enabled, time running, state, flags separated by
 * blanks, scheduling group. A line ends with "3 of 4 runs" if its event was not counted in all
 * runs. Numbers are the same in every locale.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stat.h"

static void begin(struct stat_cmd *st)
{
	(void)st;
}

static void end(struct stat_cmd *st)
{
	(void)st;
}

static void print_prefix(const struct stat_cmd *st, const struct stat_line *line)
{
	const char *sep = st->opt.separator;

	if (stat_is_interval(st))
		fprintf(st->out, "%6" PRIu64 ".%09" PRIu64 "%s",
			(uint64_t)st->timestamp / 1000000000, (uint64_t)st->timestamp % 1000000000,
			sep);
	else if (st->summing_up && !st->opt.no_csv_summary)
		fprintf(st->out, "summary%s", sep);
	stat_print_place(st->out, st->aggr.mode, line->place, sep);
}

/* A metric's value without blanks and percent signs; empty if it has no value. */
void stat_metric_number(const struct stat_metric *metric, char *text, size_t size)
{
	char *s = text;

	if (!metric->format) {
		*text = '\0';
		return;
	}
	snprintf(text, size, metric->format, metric->value);
	s += strspn(s, " ");
	s[(*s == '-') + strspn(s + (*s == '-'), "0123456789.")] = '\0';
	memmove(text, s, strlen(s) + 1);
}

static void print_metric(const struct stat_cmd *st, const struct stat_metric *metric)
{
	const char *sep = st->opt.separator;
	char text[64];

	if (!metric || (!metric->format && !metric->named)) {
		fprintf(st->out, "%s%s", sep, sep);
		return;
	}
	stat_metric_number(metric, text, sizeof(text));
	fprintf(st->out, "%s%s%s%s", sep, text, sep, metric->unit + strspn(metric->unit, " "));
}

static void print_count(const struct stat_cmd *st, const struct stat_line *line)
{
	__u64 count = stat_count(st, line->cell);
	double scale = line->event->scale;

	if (line->missing)
		fputs(line->missing, st->out);
	else if (scale == 1.0)
		fprintf(st->out, "%" PRIu64, (uint64_t)count);
	else
		fprintf(st->out, floor(scale) != scale ? "%.2f" : "%.0f", count * scale);
}

static void print_raw(const struct stat_cmd *st, const struct stat_cell *cell)
{
	const char *sep = st->opt.separator, *before = sep, *flag;
	unsigned int i = 0;

	fprintf(st->out, "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%s",
		sep, (uint64_t)cell->raw, sep, (uint64_t)cell->scaled,
		sep, (uint64_t)cell->enabled, sep, (uint64_t)cell->running,
		sep, stat_state(cell));
	while ((flag = stat_next_flag(cell, &i))) {
		fprintf(st->out, "%s%s", before, flag);
		before = " ";
	}
	if (before == sep)
		fputs(sep, st->out);
	fprintf(st->out, "%s%u", sep, stat_sched_group(cell));
}

static void line(struct stat_cmd *st, const struct stat_line *line)
{
	const struct stat_cell *cell = line->cell;
	const char *sep = st->opt.separator;
	unsigned int i;

	print_prefix(st, line);
	print_count(st, line);
	fprintf(st->out, "%s%s%s%s", sep, line->event->unit, sep, line->name);
	if (line->cgroup)
		fprintf(st->out, "%s%s", sep, line->cgroup);
	if (st->opt.runs > 1)
		fprintf(st->out, "%s%.2f%%", sep, line->noise);
	fprintf(st->out, "%s%" PRIu64 "%s%.2f", sep, (uint64_t)stat_runtime(st, cell), sep,
		stat_percent(cell));
	print_metric(st, line->nr_metrics ? &line->metrics[0] : NULL);
	if (st->opt.raw)
		print_raw(st, cell);
	if (line->runs)
		fprintf(st->out, "%s%u of %u runs", sep, line->runs, st->mean_elapsed.nr);
	fputc('\n', st->out);

	/* Each additional metric has a line of its own, in which the other columns are empty. */
	for (i = 1; i < line->nr_metrics; i++) {
		int columns = 4 + (st->opt.runs > 1) + !!line->cgroup;

		print_prefix(st, line);
		while (columns--)
			fputs(sep, st->out);
		print_metric(st, &line->metrics[i]);
		fputc('\n', st->out);
	}
}

const struct stat_format stat_csv = { begin, line, end };
