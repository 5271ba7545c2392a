/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the programs of "perfgrp bpf profile" (profile.bpf.c) and the tool. */
#ifndef PERFGRP_PROFILE_H
#define PERFGRP_PROFILE_H

#include <linux/types.h>

#include <linux/perfgrp.h>

/* Events that can be counted at once. */
#define PROFILE_EVENTS	16

/* Runs of the program that can be nested on a CPU: a run may be interrupted or preempted. */
#define PROFILE_DEPTH	4

/**
 * struct profile_config - what to read
 * @handle: of the group
 * @nr: number of events in the group
 *
 * Constant once the programs are loaded.
 */
struct profile_config {
	__u64 handle;
	__u32 nr;
	__u32 reserved;
};

/**
 * struct profile_sum - what one event has counted during runs
 * @raw: counts
 * @enabled: ns that the event was enabled
 * @running: ns that it was on the PMU
 * @sched_group: as &struct perfgrp_value.sched_group, of the last run
 * @flags: PERFGRP_VALUE_*, of all runs
 */
struct profile_sum {
	__u64 raw;
	__u64 enabled;
	__u64 running;
	__u32 sched_group;
	__u32 flags;
};

/**
 * struct profile_totals - totals of the runs on one CPU
 * @runs: runs in @sum
 * @unmatched: runs that ended here but whose beginning was missed
 * @elsewhere: runs on a CPU that the group does not count on
 * @failed: runs at whose beginning or end the group could not be read
 * @error: negative errno of the last of these
 * @sum: the events, in the group's order
 */
struct profile_totals {
	__u64 runs;
	__u64 unmatched;
	__u64 elsewhere;
	__u64 failed;
	__s64 error;
	struct profile_sum sum[PROFILE_EVENTS];
};

#endif /* PERFGRP_PROFILE_H */
