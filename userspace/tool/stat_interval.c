// SPDX-License-Identifier: GPL-2.0
/*
 * Intervals of groups that are not reset (--no-wake): the counts of an interval are the difference
 * of two snapshots, for each CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/**
 * stat_since_last - subtract the value of the previous snapshot
 * @group: a group on CPUs, which remembers the value for the next time
 * @nr: number of its events
 * @cpu: the value's CPU
 * @event: index of the value's event
 * @value: a value of a snapshot; replaced with what was counted since the previous one
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
	perfgrp_subtract_value(value, last, sizeof(*value));
	*last = now;
}
