/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of perfcore.c that reads events, inline, since a snapshot is little
 * else: what perfcore.c says of reaching into the perf core is said of this, too.
 */
#ifndef PERFGRP_PERFCORE_H
#define PERFGRP_PERFCORE_H

#include <linux/perf_event.h>
#include <linux/smp.h>

#include "perfgrp.h"

/**
 * perfgrp_core_state - the state that an event is in by its leader's and its own
 * @event: the event
 *
 * Return: the leader's where that is off, because then the event is, whatever its
 * own says; else its own.
 */
static __always_inline enum perf_event_state perfgrp_core_state(const struct perf_event *event)
{
	enum perf_event_state leader = READ_ONCE(event->group_leader->state);

	return leader <= PERF_EVENT_STATE_OFF ? leader : READ_ONCE(event->state);
}

/* Whether it is on this CPU's PMU. */
static __always_inline bool perfgrp_core_is_here(const struct perf_event *event,
						 enum perf_event_state state)
{
	return state == PERF_EVENT_STATE_ACTIVE && READ_ONCE(event->oncpu) == smp_processor_id();
}

/**
 * perfgrp_core_times - an event's times, and its count as it was last read
 * @event: the event
 * @state: its perfgrp_core_state()
 * @clock: of perfgrp_core_clock()
 * @count: since it was created
 *
 * As perfgrp_core_read(), and in an overflow handler.
 */
static __always_inline void perfgrp_core_times(const struct perf_event *event,
					       enum perf_event_state state, u64 clock,
					       struct perfgrp_count *count)
{
	const struct perf_event_context *ctx = event->ctx;
	u64 now, delta;

	now = ctx->is_active ? clock + READ_ONCE(ctx->timeoffset) : ctx->time;
	/* The clocks of two CPUs may be apart by a little. */
	delta = now - event->tstamp;
	if ((s64)delta < 0)
		delta = 0;

	count->count = local64_read(&event->count);
	count->enabled = event->total_time_enabled;
	if (state >= PERF_EVENT_STATE_INACTIVE)
		count->enabled += delta;
	count->running = event->total_time_running;
	if (state >= PERF_EVENT_STATE_ACTIVE)
		count->running += delta;
}

/**
 * perfgrp_core_read - read an event and its times, without a call to another CPU
 * @event: an event without children
 * @clock: of perfgrp_core_clock()
 * @count: what it has counted since it was created
 *
 * Interrupts are off, and either this is the CPU that the event is on, or the
 * event cannot get on any CPU meanwhile (its CPU is offline, or its context's
 * lock is held).
 *
 * Return: perfgrp_core_state() as it was read.
 */
static __always_inline enum perf_event_state perfgrp_core_read(struct perf_event *event, u64 clock,
							       struct perfgrp_count *count)
{
	enum perf_event_state state = perfgrp_core_state(event);

	if (perfgrp_core_is_here(event, state))
		event->pmu->read(event);
	perfgrp_core_times(event, state, clock, count);
	return state;
}

/**
 * perfgrp_core_read_anywhere - the same, from wherever a BPF program runs
 * @event: an event without children
 * @clock: of perfgrp_core_clock()
 * @count: what it has counted since it was created
 *
 * As perfgrp_core_read(), but what is interrupted may be in the midst of putting the
 * event on the PMU, or in a driver. So nothing is asked that is not settled; nor are PMUs
 * that are not the CPU's own, whose drivers may lock: their events show what they had when
 * they were asked last.
 *
 * Return: perfgrp_core_state() as it was read.
 */
static __always_inline enum perf_event_state perfgrp_core_read_anywhere(struct perf_event *event,
									u64 clock,
									struct perfgrp_count *count)
{
	enum perf_event_state state = perfgrp_core_state(event);

	if (perfgrp_core_is_here(event, state) && event->pmu->task_ctx_nr != perf_invalid_context &&
	    perfgrp_core_pmu_read_safe(event))
		event->pmu->read(event);
	perfgrp_core_times(event, state, clock, count);
	return state;
}

/**
 * perfgrp_core_throttled - has the perf core stopped an event until the next tick?
 * @event: the event
 *
 * Its mark is MAX_INTERRUPTS, which is not in a header.
 *
 * Return: whether it has, for too many overflows.
 */
static __always_inline bool perfgrp_core_throttled(const struct perf_event *event)
{
	return READ_ONCE(event->hw.interrupts) == U64_MAX;
}

/**
 * perfgrp_core_value_flags - what a value's flags say of its event
 * @event: the event
 * @leader: of the group; NULL where that has none here
 *
 * Return: PERFGRP_VALUE_WITH_LEADER and _THROTTLED.
 */
static __always_inline u32 perfgrp_core_value_flags(const struct perf_event *event,
						    const struct perf_event *leader)
{
	u32 flags = 0;

	if (leader && event->group_leader == leader->group_leader)
		flags |= PERFGRP_VALUE_WITH_LEADER;
	if (perfgrp_core_throttled(event))
		flags |= PERFGRP_VALUE_THROTTLED;
	return flags;
}

#endif /* PERFGRP_PERFCORE_H */
