/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of a snapshot. What runs on each CPU while it is read is inline. */
#ifndef PERFGRP_ROW_H
#define PERFGRP_ROW_H

#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

#include "away.h"
#include "cgroup.h"
#include "clock.h"
#include "group.h"
#include "perfcore.h"
#include "value.h"

/**
 * struct perfgrp_reading - what was read of one counter
 * @count: since the last reset
 * @state: perfgrp_core_state(); PERF_EVENT_STATE_ERROR if there is no event
 * @throttled: perfgrp_core_throttled()
 */
struct perfgrp_reading {
	struct perfgrp_count count;
	enum perf_event_state state;
	bool throttled;
};

/**
 * perfgrp_row_read - read what a counter's event has counted
 * @group: its group
 * @event: its event; NULL if there is none
 * @clock: perfgrp_core_clock()
 * @call_pmu: false if the PMU's read() has just been called
 * @reading: set; perfgrp_row_adjust() follows
 *
 * Same rules as perfgrp_core_read(), or with @call_pmu false those of perfgrp_core_times().
 */
static __always_inline void perfgrp_row_read(const struct perfgrp_group *group,
					     struct perf_event *event, u64 clock, bool call_pmu,
					     struct perfgrp_reading *reading)
{
	if (unlikely(!event)) {
		/* If a CPU comes online after the cgroup was removed, it gets no event: EXIT. */
		*reading = (struct perfgrp_reading){
			.state = perfgrp_cgroup_removed(group) ? PERF_EVENT_STATE_EXIT :
								 PERF_EVENT_STATE_ERROR,
		};
	} else if (call_pmu) {
		reading->state = perfgrp_core_read(event, clock, &reading->count);
		reading->throttled = perfgrp_core_throttled(event);
	} else {
		reading->state = perfgrp_core_state(event);
		perfgrp_core_times(event, reading->state, clock, &reading->count);
		reading->throttled = perfgrp_core_throttled(event);
	}
}

/**
 * perfgrp_row_adjust - make what an event has counted that since the last reset
 * @base: to be added
 * @goes_away: see struct perfgrp_member_instance
 * @away: see struct perfgrp_member_instance
 * @clock: as in perfgrp_row_read()
 * @reading: changed
 */
static __always_inline void perfgrp_row_adjust(const struct perfgrp_count *base, bool goes_away,
					       const struct perfgrp_away *away, u64 clock,
					       struct perfgrp_reading *reading)
{
	reading->count = perfgrp_count_add(*base, reading->count);
	if (unlikely(goes_away))
		perfgrp_away_adjust(away, clock, &reading->count);
}

static inline void perfgrp_row_begin(const struct perfgrp_group *group,
				     const struct perfgrp_instance *instance,
				     struct perfgrp_row *row)
{
	row->cpu = instance->cpu;
	row->flags = perfgrp_instance_usable(instance) ? 0 : PERFGRP_ROW_OFFLINE;
	row->first_value = instance->row * group->nr_members;
	row->nr_values = group->nr_members;
	row->epoch = instance->epoch;
	row->nr_cpus = 1;
	row->cgroup_id = 0;
	row->time_before = perfgrp_clock_now(group->clockid);
}

/* PERFGRP_VALUE_* that follow from an event's state. */
static __always_inline u32 perfgrp_row_event_flags(const struct perfgrp_reading *reading,
						   u32 row_flags)
{
	u32 flags = reading->throttled ? PERFGRP_VALUE_THROTTLED : 0;

	if (likely(reading->state >= PERF_EVENT_STATE_OFF && !row_flags))
		return flags;
	if (row_flags & PERFGRP_ROW_OFFLINE)
		return flags | PERFGRP_VALUE_OFFLINE;
	if (reading->state == PERF_EVENT_STATE_ERROR)
		return flags | PERFGRP_VALUE_FAILED;
	if (reading->state <= PERF_EVENT_STATE_EXIT)
		return flags | PERFGRP_VALUE_EXITED;
	return flags;
}

static __always_inline void perfgrp_row_fill_value(u32 id, u32 sched_group, u32 pmu,
						   const struct perfgrp_reading *reading,
						   u32 row_flags, struct perfgrp_value *value)
{
	value->id = id;
	value->sched_group = sched_group;
	value->pmu = pmu;
	perfgrp_value_fill(value, &reading->count);
	value->flags |= perfgrp_row_event_flags(reading, row_flags);
}

/* @value_flags: flags of all values of the row, ORed. perfgrp_row_finish() may clear EXITED. */
static __always_inline void perfgrp_row_add_flags(struct perfgrp_row *row, u32 value_flags)
{
	if (value_flags & PERFGRP_VALUE_FAILED)
		row->flags |= PERFGRP_ROW_FAILED;
	if (value_flags & PERFGRP_VALUE_EXITED)
		row->flags |= PERFGRP_ROW_EXITED;
}

void perfgrp_row_finish_flags(const struct perfgrp_group *group, struct perfgrp_row *row,
			      struct perfgrp_value *values, bool removed);

/**
 * perfgrp_row_finish - make the flags of a row and of its values consistent
 * @group: the group
 * @row: a row that was read
 * @values: its values
 * @removed: the row's cgroup was removed before it was read
 */
static inline void perfgrp_row_finish(const struct perfgrp_group *group, struct perfgrp_row *row,
				      struct perfgrp_value *values, bool removed)
{
	if (unlikely(row->flags & (PERFGRP_ROW_EXITED | PERFGRP_ROW_FAILED) || group->cgroup ||
		     group->split))
		perfgrp_row_finish_flags(group, row, values, removed);
}

unsigned int perfgrp_row_sum(const struct perfgrp_row *rows, unsigned int nr_rows,
			     const struct perfgrp_value *values, unsigned int nr_members, bool mix,
			     struct perfgrp_row *totals, struct perfgrp_value *total_values);

#endif /* PERFGRP_ROW_H */
