// SPDX-License-Identifier: GPL-2.0
/* Properties of one count, for code that prints it or computes with it. */
#include <math.h>
#include <stdlib.h>

#include "stat.h"
#include "utf8.h"

/* Do lines of output have the name of a cgroup? */
bool stat_names_cgroups(const struct stat_cmd *st)
{
	return cgroups_named(&st->cgroups) || st->split.mount;
}

/* The counts to print: sums over all runs or intervals, or those of the last snapshot. */
const struct stat_cells *stat_cells(const struct stat_cmd *st, const struct stat_event *event)
{
	return stat_is_mean(st) || st->summing_up ? &event->runs : &event->last;
}

/*
 * Is there a count to print? A counter that failed has missed an unknown number of events, so its
 * count is only shown with --raw.
 */
bool stat_was_counted(const struct stat_cmd *st, const struct stat_cell *cell)
{
	if (cell->mean.nr)
		return true;
	if (cell->state != PERFGRP_STATE_COUNTED && cell->state != PERFGRP_STATE_MULTIPLEXED)
		return false;
	return st->opt.raw || !(cell->flags & PERFGRP_VALUE_FAILED);
}

/* The count to print: raw or scaled, or the mean of several runs, rounded as in perf. */
__u64 stat_count(const struct stat_cmd *st, const struct stat_cell *cell)
{
	if (cell->mean.nr)
		return (cell->mean.sum + cell->mean.nr / 2) / cell->mean.nr;
	return st->opt.no_scale ? cell->raw : cell->scaled;
}

/* The same without rounding, for computations. */
double stat_exact_count(const struct stat_cmd *st, const struct stat_cell *cell)
{
	return cell->mean.nr ? cell->mean.about : stat_count(st, cell);
}

/* How long the event was on the PMU; the mean of several runs, as in perf. */
__u64 stat_runtime(const struct stat_cmd *st, const struct stat_cell *cell)
{
	return stat_is_mean(st) && st->mean_elapsed.nr ? cell->running / st->mean_elapsed.nr :
							 cell->running;
}

/* How long the printed counts were counted, in ns; the mean of the runs that are in their means. */
double stat_elapsed(const struct stat_cmd *st)
{
	return stat_is_mean(st) && st->mean_elapsed.nr ? st->mean_elapsed.about : st->elapsed;
}

/* Percentage of the enabled time during which the event was counted. */
double stat_percent(const struct stat_cell *cell)
{
	return cell->running == cell->enabled ? 100.0 : 100.0 * cell->running / cell->enabled;
}

/* The state of a count in a word or two. */
const char *stat_state(const struct stat_cell *cell)
{
	return perfgrp_state_name(cell->state);
}

/**
 * stat_next_flag - iterate over the flags of a count
 * @cell: the count
 * @i: 0 for the first flag; advanced
 *
 * Return: the name of the next flag, or NULL
 */
const char *stat_next_flag(const struct stat_cell *cell, unsigned int *i)
{
	static const __u32 flags[] = {
		PERFGRP_VALUE_FAILED,	 PERFGRP_VALUE_OFFLINE,	  PERFGRP_VALUE_EXITED,
		PERFGRP_VALUE_ABSENT,	 PERFGRP_VALUE_THROTTLED, PERFGRP_VALUE_SATURATED,
		PERFGRP_VALUE_PARTIAL, PERFGRP_VALUE_MIXED_PMUS,
	};

	while (*i < ARRAY_SIZE(flags)) {
		const __u32 flag = flags[(*i)++];

		if (cell->flags & flag)
			return perfgrp_value_flag_name(flag);
	}
	return NULL;
}

/* Number of an event's scheduling group, or 0 if it has none. */
__u32 stat_sched_group(const struct stat_cell *cell)
{
	return cell->sched_group == PERFGRP_NONE ? 0 : cell->sched_group;
}

/**
 * stat_print_place - print the place at the start of a line, as perf does, unless it is global
 * @out: where to print
 * @mode: what is added up
 * @place: the place
 * @separator: of CSV; NULL for a table, whose columns are of even width
 */
void stat_print_place(FILE *out, enum aggr_mode mode, const struct aggr_place *place,
		      const char *separator)
{
	static const int widths[] = {
		[AGGR_CORE] = 15, [AGGR_CLUSTER] = 17, [AGGR_CACHE] = 19, [AGGR_DIE] = 12,
		[AGGR_SOCKET] = 6, [AGGR_NODE] = 6,
	};
	const char *sep = separator ? separator : " ";
	const bool table = !separator;
	char text[64], *comm;

	switch (mode) {
	case AGGR_CPU:
		if (place->cpu >= 0)
			fprintf(out, "CPU%*d%s", table ? -7 : 0, place->cpu, sep);
		return;
	case AGGR_CORE:
	case AGGR_CLUSTER:
	case AGGR_CACHE:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
		aggr_place_text(mode, place, text, sizeof(text));
		fprintf(out, "%*s%s", table ? -widths[mode] : 0, text, sep);
		break;
	case AGGR_THREAD:
		if (place->tid < 0) {
			fprintf(out, "%*s%s", table ? 25 : 0, "", sep);
			return;
		}
		comm = utf8_printable(place->comm);
		fprintf(out, "%*s-%*d%s", table ? 16 : 0, comm, table ? -8 : 0, place->tid, sep);
		free(comm);
		return;
	case AGGR_GLOBAL:
	case AGGR_CGROUP:
		return;
	}
	fprintf(out, "%*u%s", table ? 4 : 0, place->nr_cpus, sep);
}

/* Adds one value to a mean. */
void stat_add_to_mean(struct stat_mean *mean, __u64 value)
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
