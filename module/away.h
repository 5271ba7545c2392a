/* SPDX-License-Identifier: GPL-2.0 */
/* How long a task was on CPUs where its events do not count. */
#ifndef PERFGRP_AWAY_H
#define PERFGRP_AWAY_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "compat.h"
#include "value.h"

struct task_struct;

/**
 * struct perfgrp_away - how long a group's task was on CPUs where members do not count
 * @event: a hidden event of the same task, in the members' perf context
 * @users: members that use it (perfgrp_group.lock)
 * @rcu: frees it when no handler can use it any more
 * @cpus: where the members do not count; constant. Bits of CPUs that are not possible may be
 *	set.
 *
 * An event of a task for one CPU, or on a PMU of some CPUs (hybrid, big.LITTLE), stays
 * INACTIVE while the task runs on another CPU, and so does one that waits for a place on the
 * PMU. In both cases total_time_enabled grows; only in the second is the count to be scaled
 * for it. The perf core does not tell them apart.
 *
 * So such members have a hidden event with them, of a PMU of this module (away.c). It is
 * enabled whenever they are, on all CPUs and always on the PMU, and its count is the time
 * that it was on one of @cpus. A member's time_enabled is its event's less that count.
 *
 * Both times are those of the perf context (without guests' time if the members exclude it),
 * which the perf core sets once when it switches the task in or out, so they agree to the ns:
 * a member that was on the PMU whenever it could be has time_enabled equal to time_running.
 * Only while the group is enabled and disabled there is a skew, because the perf core does
 * that event by event. Therefore the hidden event is enabled before the members and disabled
 * after them, and is read first where its time is to be ignored from then on, last where it
 * is to be subtracted, if the two are not read at one moment (inherited members). So what is
 * subtracted may be too much by that skew, if the task was away just then, never too little,
 * and time_enabled is never made less than time_running.
 *
 * Software members are never multiplexed, so their time_enabled is their time_running, and
 * they need no hidden event.
 */
struct perfgrp_away {
	struct perf_event *event;
	unsigned int users;
	struct rcu_head rcu;
	unsigned long cpus[];
};

struct perfgrp_away *perfgrp_away_create(struct task_struct *task, const struct cpumask *cpus,
					 const struct perf_event_attr *like);
void perfgrp_away_put(struct perfgrp_away *away);
bool perfgrp_away_cpus(struct perf_event *event, int cpu, struct cpumask *cpus);
u64 perfgrp_away_read_inherited(const struct perfgrp_away *away);
u64 perfgrp_away_peek_inherited(const struct perfgrp_away *away);
void perfgrp_away_exit(void);

/*
 * The hidden event's hw.prev_count: how long it was away; less the context's time at which
 * the task got there, and less 1, while it is away, which makes it negative. It is a single
 * word, so that it can be read in an NMI that has interrupted the perf core.
 */
static __always_inline u64 perfgrp_away_from_word(s64 word, u64 now)
{
	return word < 0 ? word + 1 + now : word;
}

/* As perfgrp_away_time(), for a child's event too. */
static __always_inline u64 perfgrp_away_event_time(const struct perf_event *event, u64 clock)
{
	const struct perf_event_context *ctx = event->ctx;
	s64 word = local64_read(&event->hw.prev_count);
	u64 now = READ_ONCE(ctx->is_active) ? clock + compat_ctx_timeoffset(ctx) :
					      compat_ctx_time(ctx);

	return perfgrp_away_from_word(word, now - compat_guest_time(event));
}

/**
 * perfgrp_away_time - how long the task was away, without an IPI
 * @away: of a task that does not inherit
 * @clock: perfgrp_core_clock()
 *
 * Same rules as perfgrp_core_read(); any context.
 *
 * Return: ns while @away was enabled.
 */
static __always_inline u64 perfgrp_away_time(const struct perfgrp_away *away, u64 clock)
{
	return perfgrp_away_event_time(away->event, clock);
}

/**
 * perfgrp_away_subtract - let a counter's time_enabled be the time that it could count
 * @away: of the counter; NULL for a software member
 * @time: ns that the task was away since the counter read zero; 0 for a software member
 * @count: the counter's count
 */
static __always_inline void perfgrp_away_subtract(const struct perfgrp_away *away, u64 time,
						  struct perfgrp_count *count)
{
	count->enabled -= time;
	if (!away)
		count->enabled = count->running;
	perfgrp_count_settle(count);
}

/* The same for a task that does not inherit; rules as for perfgrp_away_time(). */
static __always_inline void perfgrp_away_adjust(const struct perfgrp_away *away, u64 clock,
						struct perfgrp_count *count)
{
	perfgrp_away_subtract(away, away ? perfgrp_away_time(away, clock) : 0, count);
}

#endif /* PERFGRP_AWAY_H */
