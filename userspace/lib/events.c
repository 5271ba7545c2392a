// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Groups of parsed events, and listing this machine's events and PMUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "internal.h"
#include "pfm.h"
#include "pmu.h"

/**
 * perfgrp_counter_set - set a counter's event, in the short form if it fits
 * @counter: zeroed, except for its flags
 * @type: as attr.type
 * @configs: as attr.config, config1, config2 and config3
 */
void perfgrp_counter_set(struct perfgrp_counter *counter, __u32 type, const __u64 *configs)
{
	bool named = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE ||
		     type == PERF_TYPE_HW_CACHE;

	if (named && configs[CONFIG] >> 32 == 0 && !configs[CONFIG1] && !configs[CONFIG2] &&
	    !configs[CONFIG3]) {
		counter->event = PERFGRP_EVENT(type, configs[CONFIG]);
		return;
	}
	counter->flags |= PERFGRP_COUNTER_RAW;
	counter->type = type;
	counter->config = configs[CONFIG];
	counter->config1 = configs[CONFIG1];
	counter->config2 = configs[CONFIG2];
	counter->config3 = configs[CONFIG3];
}

/**
 * perfgrp_events_new - make an object for events
 *
 * Return: the object, without groups; NULL with errno set if there is no memory
 */
struct perfgrp_events *perfgrp_events_new(void)
{
	return perfgrp_events_new_at(NULL, NULL);
}

/**
 * perfgrp_events_new_at - make an object for events, with other paths of sysfs and tracefs
 * @pmus: the directory of PMUs, as "/host/sys/bus/event_source/devices"; NULL for the default
 * @tracing: where tracefs is mounted; NULL for the defaults
 *
 * Return: the object, without groups; NULL with errno set if there is no memory
 */
struct perfgrp_events *perfgrp_events_new_at(const char *pmus, const char *tracing)
{
	struct perfgrp_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	if (pmus)
		events->pmus = perfgrp_pool_strndup(&events->pool, pmus, strlen(pmus));
	if (tracing)
		events->tracing = perfgrp_pool_strndup(&events->pool, tracing, strlen(tracing));
	if (events->pool.failed) {
		perfgrp_events_free(events);
		errno = ENOMEM;
		return NULL;
	}
	return events;
}

/**
 * perfgrp_events_free - free events
 * @events: may be NULL
 */
void perfgrp_events_free(struct perfgrp_events *events)
{
	if (!events)
		return;
	perfgrp_pool_free(&events->pool);
	free(events);
}

/**
 * perfgrp_events_error - why the last perfgrp_parse_events() failed
 * @events: the events
 *
 * Return: a text and the column of the error; the text is empty if it did not fail
 */
const struct perfgrp_events_error *perfgrp_events_error(const struct perfgrp_events *events)
{
	return &events->error;
}

/**
 * perfgrp_events_nr_groups - count the groups
 * @events: the events
 *
 * Return: number of groups
 */
__u32 perfgrp_events_nr_groups(const struct perfgrp_events *events)
{
	return events->nr;
}

/**
 * perfgrp_events_group - get a group
 * @events: the events
 * @group: its index, in the order of the text
 *
 * Return: the group; NULL if there is none
 */
const struct perfgrp_event_group *perfgrp_events_group(const struct perfgrp_events *events,
						       __u32 group)
{
	return group < events->nr ? &events->groups[group].shown : NULL;
}

/**
 * perfgrp_events_at - get an event
 * @events: the events
 * @group: index of its group
 * @i: its index in the group: 0 is the leader's
 *
 * Return: the event; NULL if there is none
 */
const struct perfgrp_event *perfgrp_events_at(const struct perfgrp_events *events, __u32 group,
					      __u32 i)
{
	if (group >= events->nr || i >= events->groups[group].shown.nr)
		return NULL;
	return &events->groups[group].events[i].shown;
}

/*
 * Some PMUs cannot exclude anything. If the module refused the options of a counter that excludes
 * guests only by default, not because of a modifier, clears the flag and returns true.
 */
static bool count_guests(const struct event_group *group, struct perfgrp_counter *counters,
			 const struct perfgrp_error *why)
{
	const __u32 i = why->member;

	if (why->reason != PERFGRP_REASON_EVENT_OPTION || i >= group->shown.nr ||
	    group->events[i].shown.flags & PERFGRP_EVENT_MACHINES ||
	    !(counters[i].flags & PERFGRP_COUNTER_EXCLUDE_GUEST))
		return false;
	counters[i].flags &= ~PERFGRP_COUNTER_EXCLUDE_GUEST;
	return true;
}

/**
 * perfgrp_add_events - add a group of parsed events to a perfgrp group
 * @to: the perfgrp group
 * @events: the events; the ids of their counters are filled in
 * @index: index of their group
 *
 * Adds all events or none. Ignores period= and freq=: to sample, set sample_period or sample_freq
 * in copies of the counters and call perfgrp_add_counters().
 *
 * Return: 0, or a negative errno; perfgrp_group_error() has the reason and the event
 */
int perfgrp_add_events(struct perfgrp_group *to, struct perfgrp_events *events, __u32 index)
{
	struct perfgrp_counter *counters;
	struct event_group *group;
	__u32 i;
	int err;

	if (index >= events->nr) {
		perfgrp_set_error(&to->error, EINVAL);
		return -EINVAL;
	}
	group = &events->groups[index];
	counters = calloc(group->shown.nr, sizeof(*counters));
	if (!counters) {
		perfgrp_set_error(&to->error, ENOMEM);
		return -ENOMEM;
	}
	for (i = 0; i < group->shown.nr; i++) {
		counters[i] = group->events[i].counter;
		counters[i].id = 0;
	}
	do {
		err = perfgrp_add_counters(to, counters, sizeof(*counters), group->shown.nr);
	} while (err && count_guests(group, counters, &to->error));
	for (i = 0; i < group->shown.nr && !err; i++)
		group->events[i].counter.id = counters[i].id;
	free(counters);
	return err;
}

/**
 * perfgrp_list_pmus - walk the PMUs in sysfs
 * @events: has the path of the PMUs; NULL for the default
 * @fn: called for each in the order of names, until it returns non-zero
 * @arg: passed to @fn
 *
 * Return: 0, -ENOMEM, or the non-zero return value of @fn
 */
int perfgrp_list_pmus(const struct perfgrp_events *events, perfgrp_list_pmu_fn fn, void *arg)
{
	struct pool pool = { 0 };
	struct strings names;
	struct pmu_dir dir;
	int err = 0;
	size_t i;

	names = perfgrp_pmu_names(&pool, events);
	for (i = 0; i < names.nr && !err; i++) {
		struct perfgrp_pmu pmu;

		if (perfgrp_pmu_open(&dir, &pool, events, names.s[i]))
			continue;
		pmu.name = dir.name;
		pmu.type = dir.type;
		pmu.cpus = perfgrp_pmu_cpus(&pool, &dir);
		err = pool.failed ? -ENOMEM : fn(arg, &pmu);
	}
	if (pool.failed && !err)
		err = -ENOMEM;
	perfgrp_pool_free(&pool);
	return err;
}

static int list_sysfs(struct pool *pool, const struct perfgrp_events *from,
		      perfgrp_list_event_fn fn, void *arg)
{
	struct strings pmus = perfgrp_pmu_names(pool, from);
	int err = 0;
	size_t i, j;

	for (i = 0; i < pmus.nr && !err; i++) {
		struct strings names;
		struct pmu_dir pmu;

		if (perfgrp_pmu_open(&pmu, pool, from, pmus.s[i]))
			continue;
		names = perfgrp_pmu_event_names(pool, &pmu);
		for (j = 0; j < names.nr && !err; j++) {
			const struct perfgrp_listed_event event = {
				.kind = PERFGRP_LIST_PMU,
				.name = perfgrp_pool_printf(pool, "%s/%s/", pmu.name, names.s[j]),
				.desc = "",
			};

			err = fn(arg, &event);
		}
	}
	return err;
}

static int list_tracepoints(struct pool *pool, const struct perfgrp_events *from,
			    perfgrp_list_event_fn fn, void *arg)
{
	const char *dir = perfgrp_tracepoints(pool, from);
	struct strings systems = { 0 };
	int err = 0;
	size_t i, j;

	if (dir)
		systems = perfgrp_list_dir(pool, "%s", dir);
	for (i = 0; i < systems.nr && !err; i++) {
		struct strings names = perfgrp_list_dir(pool, "%s/%s", dir, systems.s[i]);

		for (j = 0; j < names.nr && !err; j++) {
			const struct perfgrp_listed_event event = {
				.kind = PERFGRP_LIST_TRACEPOINT,
				.name = perfgrp_pool_printf(pool, "%s:%s", systems.s[i],
							    names.s[j]),
				.desc = "",
			};

			if (perfgrp_read_file(pool, "%s/%s/%s/id", dir, systems.s[i], names.s[j]))
				err = fn(arg, &event);
		}
	}
	return err;
}

/**
 * perfgrp_list_events - walk the events that have a name on this machine
 * @events: has the paths of the PMUs and of tracefs; NULL for the defaults
 * @kinds: PERFGRP_LIST_* of the kinds to list
 * @fn: called for each until it returns non-zero; its event is valid only during the call
 * @arg: passed to @fn
 *
 * Return: 0, -ENOMEM, or the non-zero return value of @fn
 */
int perfgrp_list_events(const struct perfgrp_events *events, __u32 kinds,
			perfgrp_list_event_fn fn, void *arg)
{
	struct pool pool = { 0 };
	int err = 0;

	if (kinds & (PERFGRP_LIST_GENERIC | PERFGRP_LIST_LIBPFM4))
		err = perfgrp_pfm_list(&pool, kinds, fn, arg);
	if (!err && kinds & PERFGRP_LIST_PMU)
		err = list_sysfs(&pool, events, fn, arg);
	if (!err && kinds & PERFGRP_LIST_TRACEPOINT)
		err = list_tracepoints(&pool, events, fn, arg);
	if (!err && pool.failed)
		err = -ENOMEM;
	perfgrp_pool_free(&pool);
	return err;
}
