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
 * A task's event that is bound to one CPU, or whose PMU belongs to some CPUs only (hybrid,
 * big.LITTLE), is INACTIVE while the task runs on another CPU. So is an event that waits for a
 * counter of the PMU. total_time_enabled grows in both cases, but the count must be scaled only
 * for the second. The perf core does not distinguish them.
 *
 * So such members have a hidden event, of this module's own PMU (away.c). It is enabled whenever
 * they are, can run on all CPUs, is never multiplexed, and counts the time that the task spent on
 * @cpus. A member's time_enabled is its event's total_time_enabled minus that count.
 *
 * Both times come from the clock of the perf context (without guest time if the members exclude
 * guests), which the perf core updates once per context switch. So they agree to the ns: a member
 * that was on the PMU whenever it could be has time_enabled equal to time_running. Only enabling
 * and disabling a group adds a skew, because the perf core does it one event at a time. Therefore
 * the hidden event is enabled before the members and disabled after them. Where it cannot be read
 * together with them (inherited members) it is read before them to start a count, and after them
 * to subtract it. So the skew can only make the time that is subtracted too long, never too short,
 * and perfgrp_count_settle() keeps time_enabled from being less than time_running.
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
 * The hidden event's hw.prev_count: how long the task was away until now. While it is away, the
 * context's time of its arrival plus 1 is subtracted, which makes the word negative. It is a single
 * word so that an NMI that interrupts the perf core can read it.
 */
static __always_inline u64 perfgrp_away_from_word(s64 word, u64 now)
{
	return word < 0 ? word + 1 + now : word;
}

/* Like perfgrp_away_time(), but for a child's event, too. */
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
 * @away: of a member that is not inherited
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
 * perfgrp_away_subtract - reduce a counter's time_enabled to the time in which it could count
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

/* Subtract perfgrp_away_time(), with the same rules. */
static __always_inline void perfgrp_away_adjust(const struct perfgrp_away *away, u64 clock,
						struct perfgrp_count *count)
{
	perfgrp_away_subtract(away, away ? perfgrp_away_time(away, clock) : 0, count);
}

#endif /* PERFGRP_AWAY_H */
