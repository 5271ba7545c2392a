// SPDX-License-Identifier: GPL-2.0
/* Find out why groups do not fit, as far as possible. */
#include "probe.h"

static bool is_software(__u32 type)
{
	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
	       type == PERF_TYPE_BREAKPOINT;
}

/* Does an event use a hardware counter? */
bool probe_is_hardware(const struct perfgrp_counter *counter)
{
	return !is_software(perfgrp_counter_type(counter));
}

/* Does another process's group use counters? If its PMUs are not known, assume that it does. */
bool probe_in_the_way(const struct group_seen *group)
{
	size_t i;

	for (i = 0; group->enabled && i < group->nr_members; i++)
		if (group->members[i].pmu < 0 || !is_software(group->members[i].pmu))
			return true;
	return false;
}

static bool any(const struct probe *probe, __u32 reason)
{
	size_t i;

	for (i = 0; i < probe->nr; i++)
		if (probe->results[i].verdict == PROBE_DOES_NOT &&
		    probe->results[i].why.reason == reason)
			return true;
	return false;
}

/**
 * probe_find_why - find out why groups do not fit
 * @probe: with all results; @findings and @seen are filled in
 *
 * Other users are searched for only if there is no room now: they are not the cause if a group can
 * never fit on the PMU.
 */
void probe_find_why(struct probe *probe)
{
	if (any(probe, PERFGRP_REASON_PRIVILEGE)) {
		check_privilege(&probe->findings, &probe->info);
		check_paranoid(&probe->findings);
	}
	if (any(probe, PERFGRP_REASON_PMU_FULL) || any(probe, PERFGRP_REASON_PMU_BUSY) ||
	    any(probe, PERFGRP_REASON_EVENT))
		check_counters(&probe->findings);
	if (any(probe, PERFGRP_REASON_PMU_BUSY)) {
		check_watchdog(&probe->findings);
		groups_find(&probe->seen);
		probe->looked = true;
	}
}
