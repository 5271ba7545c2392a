// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of values: scaling and adding up. No state, no locks, any
 * context.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "perfgrp.h"

/* (hi:lo) / divisor, one bit at a time; hi < divisor, so that it fits. */
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
 * perfgrp_scale - estimate what a counter would have counted all the time
 * @raw: what it counted
 * @enabled: ns for which it should have counted
 * @running: ns for which it did; 0 gives 0
 * @saturated: set to whether the result is above 64 bits, and so the largest
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
 * perfgrp_value_fill - fill in the numbers of a value, and the state that follows from them
 * @value: whose raw, scaled, times, state and flags are set
 * @count: from these
 */
void perfgrp_value_fill(struct perfgrp_value *value, const struct perfgrp_count *count)
{
	bool saturated;

	value->raw = count->count;
	value->time_enabled = count->enabled;
	value->time_running = count->running;
	value->scaled = perfgrp_scale(count->count, count->enabled, count->running, &saturated);
	value->flags = 0;
	if (saturated)
		value->flags |= PERFGRP_VALUE_SATURATED;

	if (!count->running) {
		value->state = PERFGRP_STATE_NEVER_RAN;
		return;
	}
	value->flags |= PERFGRP_VALUE_SCALED;
	value->state =
		count->running < count->enabled ? PERFGRP_STATE_MULTIPLEXED : PERFGRP_STATE_COUNTED;
}

static u64 add_saturated(u64 a, u64 b, u32 *flags)
{
	u64 sum;

	if (!check_add_overflow(a, b, &sum))
		return sum;
	*flags |= PERFGRP_VALUE_SATURATED;
	return U64_MAX;
}

/*
 * The state of a sum. Something that failed shows; else where anything was
 * multiplexed the sum is an estimate; states of rows that are over (offline,
 * exited) show only where all are.
 */
static u32 add_state(u32 a, u32 b)
{
	static const u32 order[] = {
		PERFGRP_STATE_FAILED,  PERFGRP_STATE_MULTIPLEXED, PERFGRP_STATE_COUNTED,
		PERFGRP_STATE_OFFLINE, PERFGRP_STATE_EXITED,	  PERFGRP_STATE_NEVER_RAN,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return PERFGRP_STATE_NONE;
}

/* A value whose PMU is not known (its CPU was never online with it) goes with any. */
static u32 add_pmu(u32 a, u32 b, u32 *flags)
{
	if (b == PERFGRP_NONE || a == b)
		return a;
	if (a == PERFGRP_NONE && !(*flags & PERFGRP_VALUE_MIXED_PMUS))
		return b;
	*flags |= PERFGRP_VALUE_MIXED_PMUS;
	return PERFGRP_NONE;
}

/**
 * perfgrp_value_add - add a value to a sum
 * @total: the sum; zeroed, but for its id and pmu, before the first
 * @value: the value of the same member in another row
 *
 * Scaled values are scaled CPU by CPU and then added, which is closer to the
 * truth than the ratio of the sums. With a value that has none the sum is
 * partial. What is no more scheduled, because its CPU is offline, does not tell
 * whether the others are together with their leader.
 */
void perfgrp_value_add(struct perfgrp_value *total, const struct perfgrp_value *value)
{
	bool first = total->state == PERFGRP_STATE_NONE;
	u32 flags = total->flags | (value->flags & ~PERFGRP_VALUE_WITH_LEADER);

	if (first)
		flags |= value->flags & PERFGRP_VALUE_WITH_LEADER;
	else if (total->state == PERFGRP_STATE_OFFLINE)
		flags |= value->flags & PERFGRP_VALUE_WITH_LEADER;
	else if (value->state != PERFGRP_STATE_OFFLINE &&
		 !(value->flags & PERFGRP_VALUE_WITH_LEADER))
		flags &= ~PERFGRP_VALUE_WITH_LEADER;
	if (!(value->flags & PERFGRP_VALUE_SCALED))
		flags |= PERFGRP_VALUE_PARTIAL;

	total->raw = add_saturated(total->raw, value->raw, &flags);
	total->scaled = add_saturated(total->scaled, value->scaled, &flags);
	total->time_enabled = add_saturated(total->time_enabled, value->time_enabled, &flags);
	total->time_running = add_saturated(total->time_running, value->time_running, &flags);
	total->pmu = add_pmu(total->pmu, value->pmu, &flags);
	total->state = first ? value->state : add_state(total->state, value->state);
	total->flags = flags;
}
