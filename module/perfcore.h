/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of perfcore.c that reads events, inline, since a snapshot is little
 * else: what perfcore.c says of reaching into the perf core is said of this, too.
 */
#ifndef PERFGRP_PERFCORE_H
#define PERFGRP_PERFCORE_H

#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "value.h"

int perfgrp_core_init(void);
void perfgrp_core_exit(void);
bool perfgrp_core_can_link(void);
int perfgrp_core_link_begin(void);
void perfgrp_core_link_end(void);
struct perf_event *perfgrp_core_create(struct perf_event_attr *attr, int cpu,
				       struct task_struct *task, struct perf_event *leader,
				       perf_overflow_handler_t handler, void *context);
bool perfgrp_core_is_software(const struct perf_event *event);
void perfgrp_core_set_inherit(struct perf_event *event);
bool perfgrp_core_exec_pending(const struct perf_event *event);
void perfgrp_core_cancel_exec(struct perf_event *event);
bool perfgrp_core_pmu_read_safe(const struct perf_event *event);
u64 perfgrp_core_count_at_overflow(struct perf_event *event, const struct perf_event *overflowed);
int perfgrp_core_set_period(struct perf_event *event, bool freq, u64 sample);
bool perfgrp_core_read_inherited(struct perf_event *event, struct perfgrp_count *count);
u64 perfgrp_core_clock(void);

/**
 * struct perfgrp_core_contexts - the perf contexts of a task's events
 * @ctxs: one, or two on kernels where software and hardware events have contexts of their
 *	own (before 6.2); in ascending order
 */
struct perfgrp_core_contexts {
	struct perf_event_context *ctxs[2];
};

void perfgrp_core_add_context(struct perfgrp_core_contexts *contexts,
			      const struct perf_event *event);
void perfgrp_core_call_locked(const struct perfgrp_core_contexts *contexts, void (*fn)(void *info),
			      void *info);

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

/**
 * perfgrp_core_is_dead - has an event's task exited?
 * @event: the event
 *
 * Return: whether it has, or has run a program that its user may not watch.
 */
static __always_inline bool perfgrp_core_is_dead(const struct perf_event *event)
{
	return READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT;
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

	now = READ_ONCE(ctx->is_active) ? clock + READ_ONCE(ctx->timeoffset) : READ_ONCE(ctx->time);
	/* The clocks of two CPUs may be apart by a little. */
	delta = now - READ_ONCE(event->tstamp);
	if ((s64)delta < 0)
		delta = 0;

	count->count = local64_read(&event->count);
	count->enabled = READ_ONCE(event->total_time_enabled);
	if (state >= PERF_EVENT_STATE_INACTIVE)
		count->enabled += delta;
	count->running = READ_ONCE(event->total_time_running);
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
 * perfgrp_core_set_bpf_cookie - set what bpf_get_attach_cookie() returns
 * @event: the event that a program is about to run for; its handler runs on this CPU
 * @cookie: of the attachment
 */
static __always_inline void perfgrp_core_set_bpf_cookie(struct perf_event *event, u64 cookie)
{
#ifdef CONFIG_BPF_SYSCALL
	event->bpf_cookie = cookie;
#endif
}

/**
 * perfgrp_core_lockdep_nmi_off - let lockdep ignore the locks that a BPF program takes in an NMI
 *
 * lockdep reports every lock that is taken both in NMI context and outside. It cannot be told
 * that bpf_run.c runs a program in an NMI only if its map's lock is not held, and its report
 * of such a lock crashes for lack of a stack trace. Programs on perf's own events have the
 * same problem. Outside NMI context nothing is done.
 */
static __always_inline void perfgrp_core_lockdep_nmi_off(void)
{
#ifdef CONFIG_PROVE_LOCKING
	if (in_nmi())
		__this_cpu_inc(lockdep_recursion);
#endif
}

static __always_inline void perfgrp_core_lockdep_nmi_on(void)
{
#ifdef CONFIG_PROVE_LOCKING
	if (in_nmi())
		__this_cpu_dec(lockdep_recursion);
#endif
}

#endif /* PERFGRP_PERFCORE_H */
