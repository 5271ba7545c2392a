// SPDX-License-Identifier: GPL-2.0
/*
 * What follows the '#': ratios of counts, chosen, worded and rounded as perf stat
 * does it. Only counts of the same place and of the same modes go into a ratio, and of these
 * only those of the same scheduling group, if there are any.
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

/* Events that are misses or stalls, what they are a part of, and in which words. */
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

/* The cell of another event that belongs beside a cell, or NULL. */
static const struct stat_cell *cell_beside(const struct stat_event *event,
					   const struct stat_cell *cell)
{
	const struct stat_cell *found = NULL;
	size_t i;

	for (i = 0; i < event->nr; i++) {
		if (event->cells[i].place != cell->place)
			continue;
		if (event->cells[i].pmu == cell->pmu)
			return &event->cells[i];
		/* Of several PMUs in one place none belongs beside that of another. */
		if (found)
			return NULL;
		found = &event->cells[i];
	}
	return found;
}

static bool is_together(const struct stat_cell *a, const struct stat_cell *b)
{
	return stat_sched_group(a) && stat_sched_group(a) == stat_sched_group(b);
}

/* As count_of(), of one scheduling group or of all. */
static bool mean_of(const struct stat_cmd *st, __u64 constant, const struct event *beside,
		    const struct stat_cell *cell, bool together, double *count)
{
	const bool clock = constant == PERFGRP_SW_TASK_CLOCK;
	unsigned int nr = 0;
	double sum = 0;
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			const struct event *event = &st->list.groups[i].events[j];
			const struct stat_mean *mean;
			const struct stat_cell *c;

			if (clock ? !is_clock(event) : !is(event, constant))
				continue;
			if ((event->counter.flags ^ beside->counter.flags) & MODES)
				continue;
			c = cell_beside(&st->groups[i].events[j], cell);
			if (!c || !c->running || (together && !is_together(c, cell)))
				continue;
			mean = &st->groups[i].events[j].mean;
			sum += mean->nr > 1 ? mean->about : stat_count(st, c);
			nr++;
		}
	}
	*count = nr ? sum / nr : 0;
	return nr;
}

/*
 * The count of an event beside a cell: the mean over runs, and over events if there are
 * several like it, as perf has it; but if some were on the PMU together with the cell's
 * event, only over those. False where it was not counted.
 */
static bool count_of(const struct stat_cmd *st, __u64 constant, const struct event *beside,
		     const struct stat_cell *cell, double *count)
{
	return mean_of(st, constant, beside, cell, true, count) ||
	       mean_of(st, constant, beside, cell, false, count);
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
 * stat_metrics - what can be said about a count
 * @st: with the counts of all events
 * @event: the event
 * @cell: its count, which has run
 * @metrics: filled in
 *
 * Return: how many there are; one without a format is known and has no value
 */
unsigned int stat_metrics(const struct stat_cmd *st, const struct event *event,
			  const struct stat_cell *cell, struct stat_metric metrics[2])
{
	double count = stat_count(st, cell), other, another;
	size_t i;

	if (is(event, PERFGRP_HW_INSTRUCTIONS)) {
		count_of(st, PERFGRP_HW_CPU_CYCLES, event, cell, &other);
		set(&metrics[0], other ? "%7.2f " : NULL, "insn per cycle",
		    other ? count / other : 0);
		count_of(st, PERFGRP_HW_STALLED_CYCLES_FRONTEND, event, cell, &other);
		count_of(st, PERFGRP_HW_STALLED_CYCLES_BACKEND, event, cell, &another);
		if (another > other)
			other = another;
		if (!other || !count)
			return 1;
		set(&metrics[1], "%7.2f ", "stalled cycles per insn", other / count);
		return 2;
	}
	if (is(event, PERFGRP_HW_CPU_CYCLES)) {
		count_of(st, PERFGRP_SW_TASK_CLOCK, event, cell, &other);
		set(&metrics[0], other ? "%8.3f" : NULL, "GHz", other ? count / other : 0);
		return 1;
	}
	if (is_clock(event)) {
		other = st->mean_elapsed.nr > 1 ? st->mean_elapsed.about : st->elapsed;
		set(&metrics[0], other ? "%8.3f" : NULL, "CPUs utilized",
		    other ? count / other : 0);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		bool counted;

		if (!is(event, parts[i].event))
			continue;
		counted = count_of(st, parts[i].whole, event, cell, &other);
		set(&metrics[0], counted ? parts[i].format : NULL, parts[i].unit,
		    other ? count * 100 / other : 0);
		return 1;
	}
	if (count_of(st, PERFGRP_SW_TASK_CLOCK, event, cell, &other)) {
		set_rate(&metrics[0], other ? 1e9 * count / other : 0);
		return 1;
	}
	return 0;
}
