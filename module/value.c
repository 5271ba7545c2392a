// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of values: scaling and adding up. No state, no locks, any context.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "value.h"

/* (hi:lo) / divisor, one bit at a time; hi < divisor, so the quotient has at most 64 bits. */
static u64 div_128_by_64(u64 hi, u64 lo, u64 divisor)
{
	u64 quotient = 0;
	int bit;

	for (bit = 63; bit >= 0; bit--) {
		bool carry = hi >> 63;

		hi = (hi << 1) | ((lo >> bit) & 1);
		if (carry || hi >= divisor) {
			hi -= divisor;
			quotient |= 1ULL << bit;
		}
	}
	return quotient;
}

/**
 * perfgrp_scale - estimate what a counter would have counted had it run all the time
 * @raw: what it counted
 * @enabled: ns for which it should have counted
 * @running: ns for which it did; if 0, so is the result
 * @saturated: set to true if the result needs more than 64 bits; then it is U64_MAX
 *
 * The estimate of perf_event_open(2), raw * enabled / running, in 128 bits and
 * rounded down. Not mul_u64_u64_div_u64(): it is inexact in C, and on x86-64 it
 * traps where the quotient is above 64 bits.
 *
 * Return: the scaled count; exactly @raw where the times are equal.
 */
u64 perfgrp_scale(u64 raw, u64 enabled, u64 running, bool *saturated)
{
	u64 hi, lo;

	*saturated = false;
	if (!running)
		return 0;
	if (enabled == running)
		return raw;

	lo = raw * enabled;
	hi = mul_u64_u64_shr(raw, enabled, 64);
	if (!hi)
		return div64_u64(lo, running);
	if (hi >= running) {
		*saturated = true;
		return U64_MAX;
	}
	return div_128_by_64(hi, lo, running);
}

/**
 * perfgrp_value_scale - slow path of perfgrp_value_fill(): the times differ, or are zero
 * @value: its raw and times are set; scaled, state and flags are filled in, and without running
 *	time raw is cleared
 */
void perfgrp_value_scale(struct perfgrp_value *value)
{
	bool saturated;

	value->scaled =
		perfgrp_scale(value->raw, value->time_enabled, value->time_running, &saturated);
	value->flags = saturated ? PERFGRP_VALUE_SATURATED : 0;
	if (!value->time_running) {
		/* If perf's clock only advances with the tick, it may have counted in no time. */
		value->raw = 0;
		value->state = PERFGRP_STATE_NEVER_RAN;
		return;
	}
	value->flags |= PERFGRP_VALUE_SCALED;
	value->state = value->time_running < value->time_enabled ? PERFGRP_STATE_MULTIPLEXED :
								   PERFGRP_STATE_COUNTED;
}

/**
 * perfgrp_value_check_absent - mark a zero as a real count if the cgroup was absent
 * @value: value of a cgroup's group that has been enabled since its counts were zero; filled in,
 *	including its flags
 *
 * time_enabled only passes while a task of the cgroup is on the CPU. If it is 0, no task of the
 * cgroup has been there, and the count really is 0.
 */
void perfgrp_value_check_absent(struct perfgrp_value *value)
{
	if (value->time_enabled || value->flags & PERFGRP_VALUE_FAILED)
		return;
	value->state = PERFGRP_STATE_COUNTED;
	value->flags |= PERFGRP_VALUE_SCALED | PERFGRP_VALUE_ABSENT;
}

static u64 add_saturated(u64 a, u64 b, u32 *flags)
{
	u64 sum;

	if (!check_add_overflow(a, b, &sum))
		return sum;
	*flags |= PERFGRP_VALUE_SATURATED;
	return U64_MAX;
}

/* A sum that includes an estimate is an estimate; CPUs on which the event never ran add nothing. */
static u32 add_state(u32 a, u32 b)
{
	if (a == PERFGRP_STATE_MULTIPLEXED || b == PERFGRP_STATE_MULTIPLEXED)
		return PERFGRP_STATE_MULTIPLEXED;
	if (a == PERFGRP_STATE_COUNTED || b == PERFGRP_STATE_COUNTED)
		return PERFGRP_STATE_COUNTED;
	return PERFGRP_STATE_NEVER_RAN;
}

/* A value without a known PMU, because it never had an event, matches any PMU. */
static u32 add_pmu(u32 a, u32 b, u32 *flags)
{
	if (b == PERFGRP_NONE || a == b)
		return a;
	if (a == PERFGRP_NONE && !(*flags & PERFGRP_VALUE_MIXED_PMUS))
		return b;
	*flags |= PERFGRP_VALUE_MIXED_PMUS;
	return PERFGRP_NONE;
}

/* Flags that a sum has only if all its parts have them. */
#define FLAGS_OF_ALL (PERFGRP_VALUE_OFFLINE | PERFGRP_VALUE_EXITED | PERFGRP_VALUE_ABSENT)

/* An offline CPU has no events, so its sched_group is ignored if other CPUs are online. */
static u32 add_sched_group(const struct perfgrp_value *total, const struct perfgrp_value *value)
{
	bool total_offline = total->flags & PERFGRP_VALUE_OFFLINE;
	bool value_offline = value->flags & PERFGRP_VALUE_OFFLINE;

	if (total_offline != value_offline)
		return total_offline ? value->sched_group : total->sched_group;
	return total->sched_group == value->sched_group ? total->sched_group : 0;
}

/**
 * perfgrp_value_add - add a value to a sum
 * @total: the sum; all but its id and pmu are zero before the first value is added
 * @value: the value of the same member in another row
 *
 * Values are scaled CPU by CPU and then added, which is more accurate than scaling
 * the sum. With a value that was never on the PMU the sum is partial.
 */
void perfgrp_value_add(struct perfgrp_value *total, const struct perfgrp_value *value)
{
	bool first = total->state == PERFGRP_STATE_NONE;
	u32 flags = (total->flags | value->flags) & ~FLAGS_OF_ALL;

	if (first)
		flags |= value->flags & FLAGS_OF_ALL;
	else
		flags |= total->flags & value->flags & FLAGS_OF_ALL;
	if (!(value->flags & PERFGRP_VALUE_SCALED))
		flags |= PERFGRP_VALUE_PARTIAL;

	total->sched_group = first ? value->sched_group : add_sched_group(total, value);
	total->raw = add_saturated(total->raw, value->raw, &flags);
	total->scaled = add_saturated(total->scaled, value->scaled, &flags);
	total->time_enabled = add_saturated(total->time_enabled, value->time_enabled, &flags);
	total->time_running = add_saturated(total->time_running, value->time_running, &flags);
	total->pmu = add_pmu(total->pmu, value->pmu, &flags);
	total->state = first ? value->state : add_state(total->state, value->state);
	total->flags = flags;
}
