// SPDX-License-Identifier: GPL-2.0
/* Add the events of a command line to perfgrp groups. */
#include <errno.h>
#include <string.h>

#include "cgroup.h"
#include "counters.h"

/**
 * counters_make - make the counters of a group
 * @events: the group
 * @target: which modes to count
 *
 * Return: an array to be freed
 */
struct perfgrp_counter *counters_make(const struct event_group *events,
				      const struct target *target)
{
	struct perfgrp_counter *counters = xcalloc(events->nr, sizeof(*counters));
	size_t i;

	for (i = 0; i < events->nr; i++) {
		counters[i] = events->events[i].counter;
		if (target->all_user) {
			counters[i].flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL |
					     PERFGRP_COUNTER_EXCLUDE_HV;
			counters[i].flags &= ~PERFGRP_COUNTER_EXCLUDE_USER;
		} else if (target->all_kernel) {
			counters[i].flags |= PERFGRP_COUNTER_EXCLUDE_USER;
			counters[i].flags &= ~PERFGRP_COUNTER_EXCLUDE_KERNEL;
		}
	}
	return counters;
}

/*
 * Some PMUs cannot exclude anything. If the module refused the options of a counter that excludes
 * guests only by default, not because of a modifier, clears the flag and returns true.
 */
static bool count_guests(struct perfgrp_counter *counters, const struct event_group *events,
			 const struct perfgrp_error *why)
{
	__u32 i = why->member;

	if (why->reason != PERFGRP_REASON_EVENT_OPTION || i >= events->nr ||
	    events->events[i].machines_named ||
	    !(counters[i].flags & PERFGRP_COUNTER_EXCLUDE_GUEST))
		return false;
	counters[i].flags &= ~PERFGRP_COUNTER_EXCLUDE_GUEST;
	return true;
}

/**
 * counters_add - add counters to a perfgrp group
 * @fd: the group
 * @counters: from counters_make(); their ids are filled in
 * @events: the events that they were made from
 *
 * Return: 0, or a negative errno; perfgrp_group_error() says why
 */
int counters_add(struct perfgrp_group *fd, struct perfgrp_counter *counters,
		 const struct event_group *events)
{
	int err;

	do {
		err = perfgrp_add_counters(fd, counters, sizeof(*counters), events->nr);
	} while (err && count_guests(counters, events, perfgrp_group_error(fd)));
	return err;
}

/**
 * counters_say_why - print why a group, or one of its counters, was refused
 * @what: what the counter is for: "count" or "sample"
 * @events: the group
 * @why: the reason
 */
void counters_say_why(const char *what, const struct event_group *events,
		      const struct perfgrp_error *why)
{
	if (why->reason == PERFGRP_REASON_CGROUP && cgroup_of(events))
		error("cgroup '%s': %s", cgroup_of(events)->name, why->text);
	else if (why->member < events->nr)
		error("cannot %s '%s': %s", what, events->events[why->member].name, why->text);
	else
		error("%s", why->text);
}

/**
 * counters_cpus - get the CPUs on which to count a group
 * @events: the group
 * @target: a target of CPUs
 * @cpus: filled in: the CPUs of the target that are in the cpumask of the events' PMU; empty for
 *	all CPUs
 *
 * Return: 0, or a negative errno after printing an error
 */
int counters_cpus(const struct event_group *events, const struct target *target,
		  struct numbers *cpus)
{
	const char *mask = events->events[0].cpus;
	struct numbers wanted = { 0 };
	size_t i;

	for (i = 1; i < events->nr; i++) {
		const char *other = events->events[i].cpus;

		if (!mask != !other || (mask && strcmp(mask, other))) {
			error("%s and %s are counted on different CPUs and cannot be one group",
			      events->events[0].name, events->events[i].name);
			return -EINVAL;
		}
	}
	if (mask && numbers_parse(&wanted, mask, true)) {
		error("%s: cannot read the CPUs of its PMU: '%s'", events->events[0].name, mask);
		numbers_free(&wanted);
		return -EINVAL;
	}
	if (target->kind == TARGET_ALL_CPUS) {
		*cpus = wanted;
		return 0;
	}
	for (i = 0; i < target->cpus.nr; i++)
		if (!mask || numbers_have(&wanted, target->cpus.n[i]))
			numbers_add(cpus, target->cpus.n[i]);
	numbers_free(&wanted);
	if (cpus->nr)
		return 0;
	error("%s: its PMU counts on CPUs %s, none of which is selected",
	      events->events[0].name, mask);
	return -EINVAL;
}
