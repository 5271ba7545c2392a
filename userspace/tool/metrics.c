// SPDX-License-Identifier: GPL-2.0
/*
 * The metrics after '#': ratios of counts, with perf stat's choice, wording and rounding. A ratio
 * is only computed from counts of the same place, cgroup and modes that were counted at the same
 * times: a ratio of two estimates from different times would be meaningless. Where it would divide
 * by zero there is none.
 *
 * For an event in braces the divisor is in the same braces, if they have one.
 */
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "stat.h"

#define MODES	(PERFGRP_COUNTER_EXCLUDE_USER | PERFGRP_COUNTER_EXCLUDE_KERNEL | \
		 PERFGRP_COUNTER_EXCLUDE_HV | PERFGRP_COUNTER_EXCLUDE_IDLE | \
		 PERFGRP_COUNTER_EXCLUDE_HOST | PERFGRP_COUNTER_EXCLUDE_GUEST)

#define CACHE_LOAD_ACCESSES(cache)						\
	PERFGRP_HW_CACHE(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_READ,	\
			 PERF_COUNT_HW_CACHE_RESULT_ACCESS)
#define CACHE_LOAD_MISSES(cache)						\
	PERFGRP_HW_CACHE(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_READ,	\
			 PERF_COUNT_HW_CACHE_RESULT_MISS)

/* Misses and stalls, the event that they are a part of, and the text to print. */
static const struct {
	__u64 event;
	__u64 whole;
	const char *format;
	const char *unit;
} parts[] = {
	{ PERFGRP_HW_BRANCH_MISSES, PERFGRP_HW_BRANCH_INSTRUCTIONS,
	  "%7.2f%%", "of all branches" },
	{ CACHE_LOAD_MISSES(L1D), CACHE_LOAD_ACCESSES(L1D),
	  "%7.2f%%", "of all L1-dcache accesses" },
	{ CACHE_LOAD_MISSES(L1I), CACHE_LOAD_ACCESSES(L1I),
	  "%7.2f%%", "of all L1-icache accesses" },
	{ CACHE_LOAD_MISSES(DTLB), CACHE_LOAD_ACCESSES(DTLB),
	  "%7.2f%%", "of all dTLB cache accesses" },
	{ CACHE_LOAD_MISSES(ITLB), CACHE_LOAD_ACCESSES(ITLB),
	  "%7.2f%%", "of all iTLB cache accesses" },
	{ CACHE_LOAD_MISSES(LL), CACHE_LOAD_ACCESSES(LL),
	  "%7.2f%%", "of all LL-cache accesses" },
	{ PERFGRP_HW_CACHE_MISSES, PERFGRP_HW_CACHE_REFERENCES,
	  "%8.3f %%", "of all cache refs" },
	{ PERFGRP_HW_STALLED_CYCLES_FRONTEND, PERFGRP_HW_CPU_CYCLES,
	  "%7.2f%%", "frontend cycles idle" },
	{ PERFGRP_HW_STALLED_CYCLES_BACKEND, PERFGRP_HW_CPU_CYCLES,
	  "%7.2f%%", "backend cycles idle" },
};

static bool is(const struct event *event, __u64 constant)
{
	return !(event->counter.flags & PERFGRP_COUNTER_RAW) &&
	       event->counter.event == constant;
}

static bool is_clock(const struct event *event)
{
	return is(event, PERFGRP_SW_CPU_CLOCK) || is(event, PERFGRP_SW_TASK_CLOCK);
}

/* Returns the cell of another event to compare a cell with: same place and PMU; or NULL. */
static const struct stat_cell *cell_beside(const struct stat_cells *counts,
					   const struct stat_cell *cell)
{
	const struct stat_cell *found = NULL;
	size_t i;

	for (i = 0; i < counts->nr; i++) {
		if (counts->cells[i].place != cell->place)
			continue;
		if (counts->cells[i].pmu == cell->pmu)
			return &counts->cells[i];
		/* If several PMUs count it in this place, none of them is the right one. */
		if (found)
			return NULL;
		found = &counts->cells[i];
	}
	return found;
}

static bool is_software(const struct event *event)
{
	return perfgrp_counter_type(&event->counter) == PERF_TYPE_SOFTWARE;
}

/* Returns the modes that an event excludes. Software events never count guests. */
static __u32 left_out(const struct event *event)
{
	return (event->counter.flags & MODES) |
	       (is_software(event) ? PERFGRP_COUNTER_EXCLUDE_GUEST : 0);
}

static bool same_cpus(const struct event *a, const struct event *b)
{
	return a->cpus && b->cpus ? !strcmp(a->cpus, b->cpus) : !a->cpus && !b->cpus;
}

static bool is_together(const struct stat_cell *a, const struct stat_cell *b)
{
	return stat_sched_group(a) && stat_sched_group(a) == stat_sched_group(b);
}

/*
 * Were two events on the PMU at the same times? Yes if they are in one scheduling group, if both
 * were always on the PMU, or, because the scheduling group may not be known, if their times are
 * equal. (time_enabled of different groups differs, because they are enabled one after the other.)
 */
static bool same_times(const struct stat_cell *a, const struct stat_cell *b)
{
	return is_together(a, b) || (a->running == a->enabled && b->running == b->enabled) ||
	       (a->running == b->running && a->enabled == b->enabled);
}

/* Which events may be divisors, from the narrowest choice to the widest. */
enum choice {
	CHOOSE_BRACES,		/* of the same braces */
	CHOOSE_TOGETHER,	/* of the same scheduling group */
	CHOOSE_ANY,		/* counted at the same times */
	NR_CHOICES,
};

/**
 * struct divisor - search for the divisor of a count
 * @constant: the event to divide by
 * @group: the group of the event to be divided
 * @event: the event to be divided
 * @cell: its count
 */
struct divisor {
	__u64 constant;
	size_t group;
	const struct event *event;
	const struct stat_cell *cell;
};

static bool may_divide(const struct divisor *div, enum choice choice, const struct event *event,
		       const struct stat_cell *cell)
{
	if (!cell->running || cell->flags & PERFGRP_VALUE_FAILED || !same_cpus(event, div->event))
		return false;
	/* Both must be means over the same number of runs. */
	if (cell->mean.nr != div->cell->mean.nr)
		return false;
	switch (choice) {
	case CHOOSE_BRACES:
		/* Software events are never multiplexed. */
		return is_software(event) || same_times(cell, div->cell);
	case CHOOSE_TOGETHER:
		return is_together(cell, div->cell);
	default:
		return same_times(cell, div->cell);
	}
}

/* Mean of the divisors of one choice. *@named: there are such events, even if not usable. */
static bool mean_of(const struct stat_cmd *st, const struct divisor *div, enum choice choice,
		    double *count, bool *named)
{
	const bool clock = div->constant == PERFGRP_SW_TASK_CLOCK;
	unsigned int nr = 0;
	double sum = 0;
	size_t i, j;

	*named = false;
	for (i = 0; i < st->nr_groups; i++) {
		if (choice == CHOOSE_BRACES && (i != div->group || !st->list.groups[i].braces))
			continue;
		for (j = 0; j < st->list.groups[i].nr; j++) {
			const struct event *event = &st->list.groups[i].events[j];
			const struct stat_cell *cell;

			if (clock ? !is_clock(event) : !is(event, div->constant))
				continue;
			if (left_out(event) != left_out(div->event))
				continue;
			if (event->cgroup != div->event->cgroup)
				continue;
			*named = true;
			cell = cell_beside(stat_cells(st, &st->groups[i].events[j]), div->cell);
			if (!cell || !may_divide(div, choice, event, cell))
				continue;
			sum += stat_exact_count(st, cell);
			nr++;
		}
	}
	*count = nr ? sum / nr : 0;
	return nr;
}

/*
 * Finds the count to divide by: that of another event, the mean over runs, and as in perf over
 * events if there are several. Returns false if there is none.
 */
static bool count_of(const struct stat_cmd *st, struct divisor *div, __u64 constant, double *count)
{
	enum choice choice;

	div->constant = constant;
	for (choice = CHOOSE_BRACES; choice < NR_CHOICES; choice++) {
		bool named;

		if (mean_of(st, div, choice, count, &named))
			return true;
		if (choice == CHOOSE_BRACES && named)
			break;
	}
	return false;
}

static void set(struct stat_metric *metric, const char *format, const char *unit, double value)
{
	metric->format = format;
	metric->value = value;
	snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
}

static void set_rate(struct stat_metric *metric, double per_second)
{
	static const char prefixes[] = { 'K', 'M', 'G' };
	char unit[8] = "/sec";
	size_t i;

	for (i = 0; i < sizeof(prefixes) && per_second > 1000.0; i++) {
		per_second /= 1000.0;
		snprintf(unit, sizeof(unit), "%c/sec", prefixes[i]);
	}
	set(metric, "%8.3f", unit, per_second);
}

/**
 * stat_metrics - compute the metrics of a count
 * @st: with the counts of all events
 * @group: number of the event's group
 * @index: number of the event there
 * @cell: its count, which has run
 * @metrics: filled in
 *
 * Return: number of metrics; a metric with a NULL format has no value
 */
unsigned int stat_metrics(const struct stat_cmd *st, size_t group, size_t index,
			  const struct stat_cell *cell, struct stat_metric metrics[2])
{
	const struct event *event = &st->list.groups[group].events[index];
	struct divisor div = {
		.group = group,
		.event = event,
		.cell = cell,
	};
	double count = stat_exact_count(st, cell), other, another;
	size_t i;

	if (is(event, PERFGRP_HW_INSTRUCTIONS)) {
		count_of(st, &div, PERFGRP_HW_CPU_CYCLES, &other);
		set(&metrics[0], other ? "%7.2f " : NULL, "insn per cycle",
		    other ? count / other : 0);
		count_of(st, &div, PERFGRP_HW_STALLED_CYCLES_FRONTEND, &other);
		count_of(st, &div, PERFGRP_HW_STALLED_CYCLES_BACKEND, &another);
		if (another > other)
			other = another;
		if (!other || !count)
			return 1;
		set(&metrics[1], "%7.2f ", "stalled cycles per insn", other / count);
		return 2;
	}
	if (is(event, PERFGRP_HW_CPU_CYCLES)) {
		count_of(st, &div, PERFGRP_SW_TASK_CLOCK, &other);
		set(&metrics[0], other ? "%8.3f" : NULL, "GHz", other ? count / other : 0);
		return 1;
	}
	if (is_clock(event)) {
		other = stat_elapsed(st);
		set(&metrics[0], other ? "%8.3f" : NULL, "CPUs utilized",
		    other ? count / other : 0);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!is(event, parts[i].event))
			continue;
		count_of(st, &div, parts[i].whole, &other);
		set(&metrics[0], other ? parts[i].format : NULL, parts[i].unit,
		    other ? count * 100 / other : 0);
		return 1;
	}
	count_of(st, &div, PERFGRP_SW_TASK_CLOCK, &other);
	if (!other)
		return 0;
	set_rate(&metrics[0], 1e9 * count * event->scale / other);
	return 1;
}
