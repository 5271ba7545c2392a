/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of a group's rows and records.
 *
 * All of these may be read in any context, NMI included: the ktime_get_*_fast_ns()
 * functions are made for that (6.1.192, 6.12.117 and 7.3.4). time_enabled and time_running do
 * not use it: the perf core counts them on its own clock.
 */
#ifndef PERFGRP_CLOCK_H
#define PERFGRP_CLOCK_H

#include <linux/irqflags.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

/* Whether a group can have this clock. */
static inline bool perfgrp_clock_is_known(s32 clockid)
{
	switch (clockid) {
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_BOOTTIME:
	case CLOCK_REALTIME:
	case CLOCK_TAI:
	case PERFGRP_CLOCK_PERF:
		return true;
	}
	return false;
}

/**
 * perfgrp_clock_now - the time on a group's clock
 * @clockid: a known clock
 *
 * Preemption is off; any context.
 *
 * Return: ns.
 */
static inline u64 perfgrp_clock_now(s32 clockid)
{
	if (likely(clockid == CLOCK_MONOTONIC))
		return ktime_get_mono_fast_ns();
	switch (clockid) {
	case CLOCK_MONOTONIC_RAW:
		return ktime_get_raw_fast_ns();
	case CLOCK_BOOTTIME:
		return ktime_get_boot_fast_ns();
	case CLOCK_REALTIME:
		return ktime_get_real_fast_ns();
	case CLOCK_TAI:
		return ktime_get_tai_fast_ns();
	default:
		/* PERFGRP_CLOCK_PERF: what perf_event_clock() is without use_clockid. */
		return local_clock();
	}
}

#endif /* PERFGRP_CLOCK_H */
