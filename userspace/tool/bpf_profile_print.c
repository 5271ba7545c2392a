// SPDX-License-Identifier: GPL-2.0
/*
 * Output of "perfgrp bpf profile": text, CSV and JSON with the same values.
 *
 * A line of CSV is
 *
 *	[time,]per run,unit,event,total,empty run,runs,missed,failed,elsewhere,
 *	running,percent,metric,metric unit
 */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_profile.h"
#include "stat.h"

#define NOT_COUNTED	"<not counted>"
#define METRIC_WIDTH	34

/**
 * struct line - the output for one event
 * @event: the event
 * @counted: there is a count
 * @per_run: mean of all runs, scaled, in the event's unit
 * @total: sum of all runs, scaled, in the event's unit
 * @empty: what a run of an empty program counts, in the event's unit; NAN if not known
 * @cell: the sum, as in "perfgrp stat"
 * @metrics: metrics
 * @nr_metrics: how many
 */
struct line {
	const struct event *event;
	bool counted;
	double per_run;
	double total;
	double empty;
	const struct stat_cell *cell;
	struct stat_metric metrics[2];
	unsigned int nr_metrics;
};

/**
 * struct report - what is printed
 * @profile: the profile
 * @totals: what was counted
 * @missed: runs whose entry or exit was not seen
 * @out: where to print
 */
struct report {
	const struct profile *profile;
	const struct profile_totals *totals;
	__u64 missed;
	FILE *out;
};

/* ---- counts -------------------------------------------------------------------- */

static __u64 scale(const struct profile_sum *sum)
{
	if (!sum->running || sum->running == sum->enabled)
		return sum->raw;
	return (__uint128_t)sum->raw * sum->enabled / sum->running;
}

/* There is no count if the event was never on the PMU, and no valid count if it failed. */
static bool is_counted(const struct profile_totals *totals, const struct profile_sum *sum)
{
	return totals->runs && (sum->running || !sum->enabled) &&
	       !(sum->flags & PERFGRP_VALUE_FAILED);
}

/* Converts to the format of stat_metrics(): one group, one count for each event. */
static void fill_stat(const struct report *report, struct stat_cmd *st)
{
	const struct profile *profile = report->profile;
	const struct event_group *events = &profile->events.groups[0];
	size_t i;

	st->list = profile->events;
	st->opt.runs = 1;
	st->elapsed = profile->end - profile->last_end;
	st->nr_groups = 1;
	st->groups = xcalloc(1, sizeof(*st->groups));
	st->groups[0].events = xcalloc(events->nr, sizeof(*st->groups[0].events));
	for (i = 0; i < events->nr; i++) {
		const struct profile_sum *sum = &report->totals->sum[i];
		struct stat_cells *cells = &st->groups[0].events[i].last;

		cells->cells = xcalloc(1, sizeof(*cells->cells));
		cells->nr = 1;
		cells->cells[0] = (struct stat_cell){
			.pmu = PERFGRP_NONE,
			.sched_group = sum->sched_group ? sum->sched_group : PERFGRP_NONE,
			.state = PERFGRP_STATE_COUNTED,
			.flags = sum->flags,
			.raw = sum->raw,
			.scaled = scale(sum),
			.enabled = sum->enabled,
			.running = sum->running,
		};
	}
}

static void free_stat(struct stat_cmd *st)
{
	size_t i;

	for (i = 0; i < st->list.groups[0].nr; i++)
		free(st->groups[0].events[i].last.cells);
	free(st->groups[0].events);
	free(st->groups);
}

static void fill_line(const struct report *report, const struct stat_cmd *st, size_t i,
		      struct line *line)
{
	const struct profile_totals *totals = report->totals;

	line->event = &report->profile->events.groups[0].events[i];
	line->cell = &st->groups[0].events[i].last.cells[0];
	line->counted = is_counted(totals, &totals->sum[i]);
	line->empty = report->profile->empty[i] * line->event->scale;
	if (!line->counted)
		return;
	line->total = line->cell->scaled * line->event->scale;
	line->per_run = line->total / totals->runs;
	line->nr_metrics = stat_metrics(st, 0, i, line->cell, line->metrics);
	/* Do not print a metric without a value. */
	if (line->nr_metrics && !line->metrics[0].format)
		line->nr_metrics = 0;
}

/* ---- text ---------------------------------------------------------------------- */

static void print_heading(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct bpf_info *info = &profile->info;

	if (!profile->interval) {
		fprintf(report->out, "\n Performance counter stats for BPF program %u", info->id);
		if (info->name[0])
			fprintf(report->out, " '%s'", info->name);
		fprintf(report->out, " (type %s)", bpf_info_type(info));
		if (profile->target.cpu_list)
			fprintf(report->out, " on the CPUs %s", profile->target.cpu_list);
		fputs(":\n\n", report->out);
	}
	if (!profile->interval || profile->last_end == profile->start)
		fprintf(report->out, "%s%18s %22s %18s       event\n",
			profile->interval ? "#           time " : "", "per run", "total",
			"empty run");
}

static void print_time(const struct report *report)
{
	const struct profile *profile = report->profile;
	__u64 time = profile->end - profile->start;

	if (profile->interval)
		fprintf(report->out, "%6" PRIu64 ".%09" PRIu64 " ", (uint64_t)time / 1000000000,
			(uint64_t)time % 1000000000);
}

static void print_line(const struct report *report, const struct line *line)
{
	int width;

	print_time(report);
	if (line->counted)
		fprintf(report->out, "%'18.2f %'22.0f ", line->per_run, line->total);
	else
		fprintf(report->out, "%18s %22s ", NOT_COUNTED, NOT_COUNTED);
	if (isnan(line->empty))
		fprintf(report->out, "%18s", NOT_COUNTED);
	else
		fprintf(report->out, "%'18.2f", line->empty);
	fprintf(report->out, " %-5s %s", line->event->unit, line->event->name);
	if (line->nr_metrics) {
		width = strlen(line->event->name);
		fprintf(report->out, "%*s # ", width < 24 ? 24 - width : 0, "");
		fprintf(report->out, line->metrics[0].format, line->metrics[0].value);
		fprintf(report->out, " %s", line->metrics[0].unit);
	}
	if (line->cell->running != line->cell->enabled)
		fprintf(report->out, "  (%.2f%%)", stat_percent(line->cell));
	fputc('\n', report->out);
}

static void print_number(const struct report *report, __u64 number, const char *what)
{
	print_time(report);
	fprintf(report->out, "%'18" PRIu64 " %s\n", (uint64_t)number, what);
}

static void print_text(const struct report *report, const struct line *lines, size_t nr)
{
	const struct profile *profile = report->profile;
	const struct profile_totals *totals = report->totals;
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0), before = NULL;
	size_t i;

	if (locale)
		before = uselocale(locale);
	print_heading(report);
	for (i = 0; i < nr; i++)
		print_line(report, &lines[i]);
	if (!profile->interval)
		fputc('\n', report->out);
	print_number(report, totals->runs, totals->runs == 1 ? "run" : "runs");
	if (report->missed)
		print_number(report, report->missed,
			     "runs missed: they began or ended while another was being measured");
	if (totals->elsewhere)
		print_number(report, totals->elsewhere, "runs on other CPUs");
	if (totals->failed) {
		print_time(report);
		fprintf(report->out, "%'18" PRIu64 " runs without counts: reading the group failed: %s\n",
			(uint64_t)totals->failed, strerror(-totals->error));
	}
	if (!profile->interval)
		fprintf(report->out, "\n %17.9f seconds time elapsed\n\n",
			(profile->end - profile->start) / 1e9);
	if (locale) {
		uselocale(before);
		freelocale(locale);
	}
}

/* ---- CSV and JSON ---------------------------------------------------------------- */

static void trim_metric(const struct line *line, char *text, size_t size)
{
	const char *s = text;

	snprintf(text, size, line->metrics[0].format, line->metrics[0].value);
	s += strspn(s, " ");
	memmove(text, s, strlen(s) + 1);
	text[strspn(text, "0123456789.")] = '\0';
}

static void print_csv(const struct report *report, const struct line *line)
{
	const char *sep = report->profile->separator;
	const struct profile_totals *totals = report->totals;
	__u64 time = report->profile->end - report->profile->start;
	FILE *out = report->out;
	char metric[64] = "";

	if (line->nr_metrics)
		trim_metric(line, metric, sizeof(metric));
	if (report->profile->interval)
		fprintf(out, "%6" PRIu64 ".%09" PRIu64 "%s", (uint64_t)time / 1000000000,
			(uint64_t)time % 1000000000, sep);
	if (line->counted)
		fprintf(out, "%.2f%s%s%s%s%s%.0f", line->per_run, sep, line->event->unit, sep,
			line->event->name, sep, line->total);
	else
		fprintf(out, "%s%s%s%s%s%s%s", NOT_COUNTED, sep, line->event->unit, sep,
			line->event->name, sep, NOT_COUNTED);
	if (isnan(line->empty))
		fprintf(out, "%s%s", sep, NOT_COUNTED);
	else
		fprintf(out, "%s%.2f", sep, line->empty);
	fprintf(out, "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64, sep,
		(uint64_t)totals->runs, sep, (uint64_t)report->missed, sep,
		(uint64_t)totals->failed, sep, (uint64_t)totals->elsewhere);
	fprintf(out, "%s%" PRIu64 "%s%.2f%s%s%s%s\n", sep, (uint64_t)line->cell->running, sep,
		stat_percent(line->cell), sep, metric, sep,
		line->nr_metrics ? line->metrics[0].unit : "");
}

static void print_json_line(const struct report *report, const struct line *line)
{
	const struct profile *profile = report->profile;
	const struct profile_totals *totals = report->totals;
	struct json_object *to = json_object_new_object();

	if (profile->interval)
		json_add_double(to, "interval", "%.9f", (profile->end - profile->start) / 1e9);
	json_add_u64(to, "prog-id", profile->info.id);
	json_add_string(to, "event", line->event->name);
	json_add_string(to, "unit", line->event->unit);
	if (line->counted) {
		json_add_double(to, "per-run", "%.2f", line->per_run);
		json_add_double(to, "total", "%.0f", line->total);
	}
	if (!isnan(line->empty))
		json_add_double(to, "empty-run", "%.2f", line->empty);
	json_add_u64(to, "runs", totals->runs);
	json_add_u64(to, "missed", report->missed);
	json_add_u64(to, "failed", totals->failed);
	json_add_u64(to, "elsewhere", totals->elsewhere);
	json_add_u64(to, "event-runtime", line->cell->running);
	json_add_double(to, "pcnt-running", "%.2f", stat_percent(line->cell));
	if (line->nr_metrics) {
		json_add_double(to, "metric-value", "%f", line->metrics[0].value);
		json_add_string(to, "metric-unit", line->metrics[0].unit);
	}
	json_print(report->out, to, 0);
}

/**
 * profile_print - print what was counted
 * @profile: the profile
 * @totals: what was counted
 * @missed: runs whose exit program the kernel skipped
 */
void profile_print(const struct profile *profile, const struct profile_totals *totals,
		   __u64 missed)
{
	const size_t nr = profile->events.groups[0].nr;
	const struct report report = {
		.profile = profile,
		.totals = totals,
		.missed = missed + totals->unmatched,
		.out = profile->out,
	};
	struct line lines[PROFILE_EVENTS] = { 0 };
	struct stat_cmd st = { 0 };
	size_t i;

	fill_stat(&report, &st);
	for (i = 0; i < nr; i++)
		fill_line(&report, &st, i, &lines[i]);
	if (!profile->json && !profile->separator)
		print_text(&report, lines, nr);
	for (i = 0; i < nr && profile->separator; i++)
		print_csv(&report, &lines[i]);
	for (i = 0; i < nr && profile->json; i++)
		print_json_line(&report, &lines[i]);
	free_stat(&st);
}
