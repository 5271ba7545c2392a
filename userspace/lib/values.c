// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Arithmetic on values, as <linux/perfgrp.h> describes it: scaling, subtracting, totals. */
#include <stdint.h>
#include <string.h>

#include "perf.h"

/**
 * perfgrp_value_scale - compute scaled count and state from a value's count and times
 * @value: raw and times must be set; scaled, state and the flags SCALED and SATURATED are filled
 *	in; raw is set to 0 if time_running is 0
 */
void perfgrp_value_scale(struct perfgrp_value *value)
{
	const __u64 enabled = value->time_enabled, running = value->time_running;
	__uint128_t scaled;

	value->flags &= ~(PERFGRP_VALUE_SCALED | PERFGRP_VALUE_SATURATED);
	value->scaled = 0;
	if (!running) {
		value->raw = 0;
		value->state = PERFGRP_STATE_NEVER_RAN;
		return;
	}
	scaled = enabled == running ? value->raw :
				      (__uint128_t)value->raw * enabled / running;
	value->flags |= PERFGRP_VALUE_SCALED;
	value->state = running < enabled ? PERFGRP_STATE_MULTIPLEXED : PERFGRP_STATE_COUNTED;
	value->scaled = scaled;
	if (scaled > UINT64_MAX) {
		value->scaled = UINT64_MAX;
		value->flags |= PERFGRP_VALUE_SATURATED;
	}
}

/**
 * perfgrp_subtract_value - compute what was counted between two snapshots
 * @value: a value; changed to what was counted since @before
 * @before: value of the same member and row in an earlier snapshot with the same generation, and
 *	for a CPU's row the same epoch; or zeros
 * @size: sizeof(*@value)
 *
 * The scaled count, the state, and the flags SCALED and SATURATED are those of the difference;
 * other flags stay. A value with PERFGRP_VALUE_ABSENT stays as it is, zero. A cgroup that had run
 * before, but not since, has PERFGRP_STATE_NEVER_RAN.
 */
void perfgrp_subtract_value(struct perfgrp_value *value, const struct perfgrp_value *before,
			    size_t size)
{
	struct perfgrp_value known = { 0 };

	memcpy(&known, value, size < sizeof(known) ? size : sizeof(known));
	if (known.flags & PERFGRP_VALUE_ABSENT)
		return;
	known.raw -= before->raw;
	known.time_enabled -= before->time_enabled;
	known.time_running -= before->time_running;
	perfgrp_value_scale(&known);
	memcpy(value, &known, size < sizeof(known) ? size : sizeof(known));
}

static __u64 add_saturated(__u64 a, __u64 b, __u16 *flags)
{
	__u64 sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	*flags |= PERFGRP_VALUE_SATURATED;
	return UINT64_MAX;
}

/* A sum with an estimate in it is an estimate; CPUs on which the event never ran do not matter. */
static __u16 add_state(__u16 a, __u16 b)
{
	if (a == PERFGRP_STATE_MULTIPLEXED || b == PERFGRP_STATE_MULTIPLEXED)
		return PERFGRP_STATE_MULTIPLEXED;
	if (a == PERFGRP_STATE_COUNTED || b == PERFGRP_STATE_COUNTED)
		return PERFGRP_STATE_COUNTED;
	return PERFGRP_STATE_NEVER_RAN;
}

/* A value without a PMU, because the member has no event on the CPU, can be added to any. */
static void add_pmu(struct perfgrp_value *total, __u32 pmu)
{
	if (pmu == PERFGRP_NONE || pmu == total->pmu)
		return;
	if (total->pmu == PERFGRP_NONE && !(total->flags & PERFGRP_VALUE_MIXED_PMUS)) {
		total->pmu = pmu;
		return;
	}
	total->pmu = PERFGRP_NONE;
	total->flags |= PERFGRP_VALUE_MIXED_PMUS;
}

/* Flags that a sum has if any part has them, and flags that it has only if all parts have them. */
#define FLAGS_OF_ONE	(PERFGRP_VALUE_SCALED | PERFGRP_VALUE_SATURATED | PERFGRP_VALUE_FAILED)
#define FLAGS_OF_ALL	(PERFGRP_VALUE_OFFLINE | PERFGRP_VALUE_EXITED | PERFGRP_VALUE_ABSENT)

static void add_value(struct perfgrp_value *total, const struct perfgrp_value *value, bool first)
{
	__u16 all = total->flags & value->flags & FLAGS_OF_ALL;

	if (first) {
		*total = *value;
		if (!(value->flags & PERFGRP_VALUE_SCALED))
			total->flags |= PERFGRP_VALUE_PARTIAL;
		return;
	}
	if (total->sched_group != value->sched_group && value->pmu != PERFGRP_NONE)
		total->sched_group = total->pmu == PERFGRP_NONE ? value->sched_group : 0;
	add_pmu(total, value->pmu);
	total->state = add_state(total->state, value->state);
	total->flags = (total->flags & ~FLAGS_OF_ALL) | all | (value->flags & FLAGS_OF_ONE);
	if (!(value->flags & PERFGRP_VALUE_SCALED))
		total->flags |= PERFGRP_VALUE_PARTIAL;
	total->raw = add_saturated(total->raw, value->raw, &total->flags);
	total->scaled = add_saturated(total->scaled, value->scaled, &total->flags);
	total->time_enabled += value->time_enabled;
	total->time_running += value->time_running;
}

static bool same_pmus(const struct perfgrp_value *a, const struct perfgrp_value *b, __u32 nr)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (a[i].pmu != b[i].pmu && a[i].pmu != PERFGRP_NONE && b[i].pmu != PERFGRP_NONE)
			return false;
	return true;
}

/**
 * perfgrp_sum_rows - add up rows of CPUs
 * @rows: rows of the CPUs
 * @nr_rows: number of @rows
 * @values: their values, indexed by first_value
 * @nr_members: number of values in a row
 * @mix: add up values of different PMUs
 * @totals: filled in; room for @nr_rows rows
 * @total_values: filled in; room for their values
 *
 * Return: number of totals: one for each combination of PMUs, or one with @mix
 */
__u32 perfgrp_sum_rows(const struct perfgrp_row *rows, __u32 nr_rows,
		       const struct perfgrp_value *values, __u32 nr_members, bool mix,
		       struct perfgrp_row *totals, struct perfgrp_value *total_values)
{
	__u32 nr = 0, i, j, m;

	for (i = 0; i < nr_rows; i++) {
		const struct perfgrp_value *from = &values[rows[i].first_value];
		struct perfgrp_row *total;

		for (j = 0; j < nr; j++)
			if (mix || same_pmus(&total_values[j * nr_members], from, nr_members))
				break;
		total = &totals[j];
		for (m = 0; m < nr_members; m++)
			add_value(&total_values[j * nr_members + m], &from[m], j == nr);
		if (j == nr) {
			nr++;
			*total = rows[i];
			total->cpu = -1;
			total->first_value = j * nr_members;
			total->flags |= PERFGRP_ROW_TOTAL;
			continue;
		}
		total->nr_cpus += rows[i].nr_cpus;
		total->flags = (total->flags & rows[i].flags) | PERFGRP_ROW_TOTAL |
			       ((total->flags | rows[i].flags) & PERFGRP_ROW_FAILED);
		if (rows[i].time_before < total->time_before)
			total->time_before = rows[i].time_before;
		if (rows[i].time_after > total->time_after)
			total->time_after = rows[i].time_after;
	}
	return nr;
}
