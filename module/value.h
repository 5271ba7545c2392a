/* SPDX-License-Identifier: GPL-2.0 */
/* Counts, their times, and the values made of them: arithmetic without state. */
#ifndef PERFGRP_VALUE_H
#define PERFGRP_VALUE_H

#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

/**
 * struct perfgrp_count - a count and its times
 * @count: events
 * @enabled: ns enabled
 * @running: ns on the PMU
 *
 * Added and subtracted modulo 2^64, so a base may be negative.
 */
struct perfgrp_count {
	u64 count;
	u64 enabled;
	u64 running;
};

static inline struct perfgrp_count perfgrp_count_add(struct perfgrp_count a, struct perfgrp_count b)
{
	return (struct perfgrp_count){
		.count = a.count + b.count,
		.enabled = a.enabled + b.enabled,
		.running = a.running + b.running,
	};
}

static inline struct perfgrp_count perfgrp_count_sub(struct perfgrp_count a, struct perfgrp_count b)
{
	return (struct perfgrp_count){
		.count = a.count - b.count,
		.enabled = a.enabled - b.enabled,
		.running = a.running - b.running,
	};
}

/**
 * perfgrp_count_settle - make time_enabled at least time_running
 * @count: the count. Its times were read one after the other; if the event was updated in between,
 *	the running time may be longer.
 */
static inline void perfgrp_count_settle(struct perfgrp_count *count)
{
	if ((s64)(count->enabled - count->running) < 0)
		count->enabled = count->running;
}

/**
 * perfgrp_value_copy - copy a value to a caller that may know a shorter or longer struct
 * @to: the caller's struct
 * @size: its size, at least PERFGRP_VALUE_SIZE_VER0
 * @value: the value
 */
static inline void perfgrp_value_copy(void *to, u32 size, const struct perfgrp_value *value)
{
	const u32 common = min_t(u32, size, sizeof(*value));

	memcpy(to, value, common);
	memset(to + common, 0, size - common);
}

u64 perfgrp_scale(u64 raw, u64 enabled, u64 running, bool *saturated);
void perfgrp_value_scale(struct perfgrp_value *value);
void perfgrp_value_check_absent(struct perfgrp_value *value);
void perfgrp_value_add(struct perfgrp_value *total, const struct perfgrp_value *value);

/**
 * perfgrp_value_fill - fill in a value from a count and its times
 * @value: its raw, scaled, times, state and flags are set
 * @count: the count
 */
static __always_inline void perfgrp_value_fill(struct perfgrp_value *value,
					       const struct perfgrp_count *count)
{
	value->raw = count->count;
	value->time_enabled = count->enabled;
	value->time_running = count->running;
	if (likely(count->running == count->enabled && count->running)) {
		value->scaled = count->count;
		value->state = PERFGRP_STATE_COUNTED;
		value->flags = PERFGRP_VALUE_SCALED;
	} else {
		perfgrp_value_scale(value);
	}
}

#endif /* PERFGRP_VALUE_H */
