// SPDX-License-Identifier: GPL-2.0
/*
 * Intervals of groups that are not reset (--no-wake): what has been counted since the last snapshot
 * is the difference of the two, CPU by CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* As the module scales: rounded down, and at most what 64 bits hold. */
static void scale(struct perfgrp_value *value)
{
	const unsigned __int128 scaled =
		(unsigned __int128)value->raw * value->time_enabled / value->time_running;

	value->flags |= PERFGRP_VALUE_SCALED;
	value->scaled = scaled;
	if (scaled >> 64) {
		value->flags |= PERFGRP_VALUE_SATURATED;
		value->scaled = ~0ULL;
	}
}

/* Scaled count and state follow from the raw count and the times, as in a snapshot. */
static void finish(struct perfgrp_value *value)
{
	value->flags &= ~(PERFGRP_VALUE_SCALED | PERFGRP_VALUE_SATURATED);
	if (!value->time_running) {
		value->raw = 0;
		value->scaled = 0;
		value->state = PERFGRP_STATE_NEVER_RAN;
		return;
	}
	scale(value);
	value->state = value->time_running < value->time_enabled ? PERFGRP_STATE_MULTIPLEXED :
								   PERFGRP_STATE_COUNTED;
}

/**
 * stat_since_last - take off what the snapshot before has shown
 * @group: a group on CPUs, which remembers the value for the next time
 * @nr: number of its events
 * @cpu: the value's CPU
 * @event: index of the value's event
 * @value: a value of a snapshot; afterwards, what has been counted since the one before
 */
void stat_since_last(struct stat_group *group, size_t nr, unsigned int cpu, size_t event,
		     struct perfgrp_value *value)
{
	struct perfgrp_value *last, now = *value;
	size_t need = (cpu + 1) * nr;

	if (need > group->nr_last) {
		group->last = xrealloc(group->last, need, sizeof(*group->last));
		memset(&group->last[group->nr_last], 0,
		       (need - group->nr_last) * sizeof(*group->last));
		group->nr_last = need;
	}
	last = &group->last[cpu * nr + event];
	value->raw -= last->raw;
	value->time_enabled -= last->time_enabled;
	value->time_running -= last->time_running;
	finish(value);
	*last = now;
}
