// SPDX-License-Identifier: GPL-2.0
/* The group that "perfgrp bpf profile" counts with: all events in one, on CPUs, with a handle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_profile.h"
#include "cmd.h"
#include "counters.h"

/* Used without -e, except those that this machine cannot count. */
static const char *const default_events[] = {
	"cpu-clock", "cycles", "instructions", "branch-misses", "cache-misses",
};

#define NR_DEFAULT	ARRAY_SIZE(default_events)

/* Ignores braces: programs have one handle, so all events must be in one perfgrp group. */
static int merge_groups(struct event_list *list)
{
	struct event_group *first = &list->groups[0];
	size_t i, j;

	for (i = 1; i < list->nr; i++) {
		struct event_group *group = &list->groups[i];

		for (j = 0; j < group->nr; j++) {
			GROW(first->events, first->nr, first->room);
			first->events[first->nr++] = group->events[j];
		}
		first->create_flags |= group->create_flags;
		free(group->events);
	}
	list->nr = 1;
	first->braces = true;
	if (first->nr <= PROFILE_EVENTS)
		return 0;
	error("too many events (%zu): BPF programs can read at most %u", first->nr, PROFILE_EVENTS);
	return -EINVAL;
}

/* In milliseconds most runs would be shown as 0.00. */
static void show_clocks_in_ns(struct event_group *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		struct event *event = &events->events[i];

		if (strcmp(event->unit, "msec"))
			continue;
		free(event->unit);
		event->unit = xstrdup("ns");
		event->scale = 1.0;
	}
}

/**
 * profile_events - make one group of the events
 * @profile: with the events of -e, if any
 * @left_out: bit mask of the default events to leave out
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_events(struct profile *profile, unsigned int left_out)
{
	size_t i;
	int err;

	for (i = 0; i < NR_DEFAULT && !profile->events_named; i++) {
		if (left_out & 1U << i)
			continue;
		err = cmd_add_events(&profile->events, default_events[i]);
		if (err)
			return err;
	}
	err = merge_groups(&profile->events);
	if (!err)
		show_clocks_in_ns(&profile->events.groups[0]);
	return err;
}

/* Leaves out the default event that was refused; false if it is not one, or is the only event. */
static bool leave_out(struct profile *profile, const struct perfgrp_error *why,
		      unsigned int *left_out)
{
	const struct event_group *events = &profile->events.groups[0];
	size_t i, member = why->member;

	if (profile->events_named || member >= events->nr || events->nr == 1 ||
	    (why->reason != PERFGRP_REASON_EVENT && why->reason != PERFGRP_REASON_PMU_FULL))
		return false;
	for (i = 0; i < NR_DEFAULT; i++)
		if (!(*left_out & 1U << i) && !member--)
			break;
	*left_out |= 1U << i;
	events_free(&profile->events);
	return !profile_events(profile, *left_out);
}

static void say_what_is_left_out(unsigned int left_out)
{
	char *names = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < NR_DEFAULT; i++) {
		if (!(left_out & 1U << i))
			continue;
		longer = xasprintf("%s%s%s", names, *names ? ", " : "", default_events[i]);
		free(names);
		names = longer;
	}
	if (*names)
		error("this machine cannot count %s (use -e to choose other events)", names);
	free(names);
}

static int create_group(struct profile *profile)
{
	const struct event_group *events = &profile->events.groups[0];
	struct perfgrp_create create = {
		.flags = events->create_flags | PERFGRP_CREATE_ENABLED,
	};
	struct numbers cpus = { 0 };
	int err;

	err = counters_cpus(events, &profile->target, &cpus);
	if (!err) {
		target_set(&profile->target, &cpus, 0, 0, &create);
		profile->group = perfgrp_create_with(profile->dev, &create, sizeof(create));
		if (!profile->group) {
			err = -errno;
			error("%s", perfgrp_dev_error(profile->dev)->text);
		}
	}
	numbers_free(&cpus);
	return err;
}

/* Adds the events; leaves out default events that the machine cannot count. */
static int add_events(struct profile *profile)
{
	unsigned int left_out = 0;
	bool again;
	int err;

	do {
		const struct event_group *events = &profile->events.groups[0];
		struct perfgrp_counter *counters = counters_make(events, &profile->target);
		const struct perfgrp_error *why = perfgrp_group_error(profile->group);

		err = counters_add(profile->group, counters, events);
		free(counters);
		again = err && leave_out(profile, why, &left_out);
		if (err && !again)
			counters_say_why("count", &profile->events.groups[0], why);
	} while (again);
	if (!err)
		say_what_is_left_out(left_out);
	return err;
}

/**
 * profile_group_open - create the group, enabled
 * @profile: with its device, and events of profile_events()
 * @handle: set to its handle for BPF programs
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_group_open(struct profile *profile, __u64 *handle)
{
	int err;

	err = create_group(profile);
	if (!err)
		err = add_events(profile);
	if (err)
		return err;
	err = perfgrp_get_bpf_handle(profile->group, handle);
	if (err)
		error("%s", perfgrp_group_error(profile->group)->text);
	return err;
}
