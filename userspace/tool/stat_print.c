// SPDX-License-Identifier: GPL-2.0
/* Printing counts: which lines there are and what is in them, in every format. */
#include <stdlib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "pmu.h"
#include "stat.h"

#define NOT_SUPPORTED	"<not supported>"
#define NOT_COUNTED	"<not counted>"

#define EVERY_PLACE	SIZE_MAX

/* The count that the user wants to see. */
__u64 stat_count(const struct stat_cmd *st, const struct stat_cell *cell)
{
	return st->opt.no_scale ? cell->raw : cell->scaled;
}

/* How much of the time that it was enabled an event was counted. */
double stat_percent(const struct stat_cell *cell)
{
	return cell->running == cell->enabled ? 100.0 : 100.0 * cell->running / cell->enabled;
}

/* The state of a count in a word or two. */
const char *stat_state(const struct stat_cell *cell)
{
	static const char *const states[] = {
		[PERFGRP_STATE_NONE] = "not counted",
		[PERFGRP_STATE_COUNTED] = "counted",
		[PERFGRP_STATE_MULTIPLEXED] = "multiplexed",
		[PERFGRP_STATE_NEVER_RAN] = "never ran",
	};

	return cell->state < ARRAY_SIZE(states) ? states[cell->state] : "unknown";
}

/**
 * stat_next_flag - go through what has become of a count's counter
 * @cell: the count
 * @i: begin with 0; moved on
 *
 * Return: the next flag in a word, or NULL
 */
const char *stat_next_flag(const struct stat_cell *cell, unsigned int *i)
{
	static const struct {
		__u32 flag;
		const char *word;
	} flags[] = {
		{ PERFGRP_VALUE_FAILED, "failed" },
		{ PERFGRP_VALUE_OFFLINE, "offline" },
		{ PERFGRP_VALUE_EXITED, "exited" },
		{ PERFGRP_VALUE_THROTTLED, "throttled" },
		{ PERFGRP_VALUE_SATURATED, "saturated" },
		{ PERFGRP_VALUE_PARTIAL, "partial" },
		{ PERFGRP_VALUE_MIXED_PMUS, "mixed-pmus" },
	};

	while (*i < ARRAY_SIZE(flags)) {
		unsigned int at = (*i)++;

		if (cell->flags & flags[at].flag)
			return flags[at].word;
	}
	return NULL;
}

/* Number of an event's scheduling group, or 0 if it has none. */
__u32 stat_sched_group(const struct stat_cell *cell)
{
	return cell->sched_group == PERFGRP_NONE ? 0 : cell->sched_group;
}

/**
 * stat_print_place - print what a line is about, as perf does, if it needs saying
 * @out: where to
 * @mode: what is added up
 * @place: the place
 * @separator: of CSV; NULL for a table, whose columns are of even width
 */
void stat_print_place(FILE *out, enum aggr_mode mode, const struct aggr_place *place,
		      const char *separator)
{
	const char *sep = separator ? separator : " ";
	const bool table = !separator;

	switch (mode) {
	case AGGR_CPU:
		if (place->cpu >= 0)
			fprintf(out, "CPU%*d%s", table ? -7 : 0, place->cpu, sep);
		return;
	case AGGR_CORE:
		fprintf(out, "S%d-D%d-C%*d%s", place->socket, place->die, table ? -8 : 0,
			place->core, sep);
		break;
	case AGGR_DIE:
		fprintf(out, "S%d-D%*d%s", place->socket, table ? -8 : 0, place->die, sep);
		break;
	case AGGR_SOCKET:
		fprintf(out, "S%*d%s", table ? -5 : 0, place->socket, sep);
		break;
	case AGGR_NODE:
		fprintf(out, "N%*d%s", table ? -5 : 0, place->node, sep);
		break;
	case AGGR_THREAD:
		fprintf(out, "%*s-%*d%s", table ? 16 : 0, place->comm, table ? -8 : 0, place->tid,
			sep);
		return;
	case AGGR_GLOBAL:
		return;
	}
	fprintf(out, "%*u%s", table ? 4 : 0, place->nr_cpus, sep);
}

static const struct stat_format *format_of(const struct stat_cmd *st)
{
	if (st->opt.json)
		return &stat_json;
	return st->opt.separator ? &stat_csv : &stat_text;
}

static bool shares_place(const struct stat_event *counts, const struct stat_cell *cell)
{
	size_t i;

	for (i = 0; i < counts->nr; i++)
		if (&counts->cells[i] != cell && counts->cells[i].place == cell->place)
			return true;
	return false;
}

/* Of a counter that failed nobody knows what it has missed; --raw shows what it has. */
static bool was_counted(const struct stat_cmd *st, const struct stat_cell *cell)
{
	if (cell->state != PERFGRP_STATE_COUNTED && cell->state != PERFGRP_STATE_MULTIPLEXED)
		return false;
	return st->opt.raw || !(cell->flags & PERFGRP_VALUE_FAILED);
}

static void print_cell(struct stat_cmd *st, const struct event_group *group, size_t index,
		       const struct stat_event *counts, const struct stat_cell *cell)
{
	struct stat_line line = {
		.event = &group->events[index],
		.name = group->events[index].name,
		.place = &st->aggr.places[cell->place],
		.cell = cell,
	};
	struct stat_cell mean = *cell;
	char *name = NULL, *pmu;

	if (!counts->supported)
		line.missing = NOT_SUPPORTED;
	else if (!was_counted(st, cell))
		line.missing = NOT_COUNTED;

	if (!line.missing && counts->mean.nr > 1) {
		mean.scaled = counts->mean.sum / counts->mean.nr;
		mean.raw = mean.scaled;
		line.cell = &mean;
		if (counts->mean.about)
			line.noise = 100.0 * stat_deviation(&counts->mean) / counts->mean.about;
	}
	if (!line.missing)
		line.nr_metrics = stat_metrics(st, line.event, line.cell, line.metrics);

	/* Sums over CPUs of different kinds are one line a kind. */
	if (shares_place(counts, cell)) {
		pmu = pmu_find_name(cell->pmu, NULL, "pmu ");
		name = xasprintf("%s [%s]", line.name, pmu);
		free(pmu);
		line.name = name;
	}
	format_of(st)->line(st, &line);
	free(name);
}

/* Prints the lines of an event, or of one place only. */
static void print_event(struct stat_cmd *st, const struct event_group *group, size_t index,
			const struct stat_event *counts, size_t place)
{
	struct stat_cell none = { .pmu = PERFGRP_NONE };
	size_t i;

	for (i = 0; i < counts->nr; i++) {
		const struct stat_cell *cell = &counts->cells[i];

		if (place != EVERY_PLACE && cell->place != place)
			continue;
		/* Of all the machine's threads most have done nothing. */
		if (!st->target.all_threads || cell->raw)
			print_cell(st, group, index, counts, cell);
	}
	if (counts->nr || st->target.all_threads)
		return;
	for (i = 0; i < st->aggr.nr; i++) {
		none.place = i;
		if (place == EVERY_PLACE || i == place)
			print_cell(st, group, index, counts, &none);
	}
}

static void print_events(struct stat_cmd *st, size_t place)
{
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++)
		for (j = 0; j < st->list.groups[i].nr; j++)
			print_event(st, &st->list.groups[i], j, &st->groups[i].events[j], place);
}

static void add_to_mean(struct stat_mean *mean, __u64 value)
{
	double off = value - mean->about;

	mean->nr++;
	mean->sum += value;
	mean->about += off / mean->nr;
	mean->squares += off * (value - mean->about);
}

/* Returns the standard deviation of a mean (not of the values). */
double stat_deviation(const struct stat_mean *mean)
{
	return mean->nr < 2 ? 0 : sqrt(mean->squares / (mean->nr - 1) / mean->nr);
}

/**
 * stat_add_run - take the counts of one run of many into the means
 * @st: with the counts of the last stat_collect(), and the run's length
 *
 * Means are of what is summed up over CPUs and tasks; a row a CPU has none.
 */
void stat_add_run(struct stat_cmd *st)
{
	size_t i, j;

	add_to_mean(&st->mean_elapsed, st->elapsed);
	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			struct stat_event *event = &st->groups[i].events[j];

			if (event->nr == 1)
				add_to_mean(&event->mean, stat_count(st, &event->cells[0]));
		}
	}
}

/**
 * stat_print - print all counts
 * @st: with the counts of the last stat_collect()
 */
void stat_print(struct stat_cmd *st)
{
	size_t i;

	format_of(st)->begin(st);
	/* As perf: CPUs and threads event by event, larger places place by place. */
	switch (st->aggr.mode) {
	case AGGR_GLOBAL:
	case AGGR_CPU:
	case AGGR_THREAD:
		print_events(st, EVERY_PLACE);
		break;
	case AGGR_CORE:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
		for (i = 0; i < st->aggr.nr; i++)
			print_events(st, i);
		break;
	}
	format_of(st)->end(st);
	fflush(st->out);
}
