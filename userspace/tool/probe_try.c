// SPDX-License-Identifier: GPL-2.0
/* Test whether groups fit: create them on the target with NO_MUX, enable and close them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aggr.h"
#include "counters.h"
#include "probe.h"

/* How long to wait for a task to run, and how often to check. */
#define TASK_WAIT_MS	300
#define TASK_LOOK_MS	10

static void nap(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

/**
 * struct attempt - a group that is tried
 * @events: its events
 * @cpus: the CPUs, if the target is CPUs; empty for all
 * @task: index of the task
 * @fd: the group; NULL if it was not created
 * @ids: the members' ids
 * @why: why it does not fit
 */
struct attempt {
	struct event_group events;
	const struct numbers *cpus;
	size_t task;
	struct perfgrp_group *fd;
	__u32 *ids;
	struct perfgrp_error why;
};

static void end_attempt(struct attempt *a)
{
	perfgrp_group_close(a->fd);
	a->fd = NULL;
	free(a->ids);
	a->ids = NULL;
}

static int create(const struct probe *probe, struct attempt *a)
{
	struct perfgrp_create how = { .flags = a->events.create_flags | PERFGRP_CREATE_NO_MUX };

	target_set(&probe->target, a->cpus, a->task, probe->info.features, &how);
	a->fd = perfgrp_create_with(probe->dev, &how, sizeof(how));
	if (!a->fd && errno == EMFILE && allow_more_files())
		a->fd = perfgrp_create_with(probe->dev, &how, sizeof(how));
	if (a->fd)
		return 0;
	a->why = *perfgrp_dev_error(probe->dev);
	return -a->why.error;
}

static int add(const struct probe *probe, struct attempt *a)
{
	struct perfgrp_counter *counters = counters_make(&a->events, &probe->target);
	size_t i;
	int err;

	err = counters_add(a->fd, counters, &a->events);
	/* Without the module each event needs a file descriptor. */
	if (err == -EMFILE && allow_more_files())
		err = counters_add(a->fd, counters, &a->events);
	if (err)
		a->why = *perfgrp_group_error(a->fd);
	a->ids = xcalloc(a->events.nr, sizeof(*a->ids));
	for (i = 0; i < a->events.nr; i++)
		a->ids[i] = counters[i].id;
	free(counters);
	return err;
}

static int enable(struct attempt *a)
{
	size_t i;
	int err = perfgrp_enable(a->fd);

	if (!err)
		return 0;
	a->why = *perfgrp_group_error(a->fd);
	for (i = 0; i < a->events.nr && a->ids[i] != a->why.member; i++)
		;
	a->why.member = i < a->events.nr ? i : PERFGRP_NONE;
	return err;
}

/* The verdict on a task's group by its snapshot: PROBE_UNKNOWN while the task has not run. */
static enum probe_verdict judge(struct attempt *a, const struct perfgrp_snap *snap)
{
	const struct perfgrp_row *row = perfgrp_snap_row(snap, 0);
	size_t i;

	for (i = 0; row && i < row->nr_values; i++) {
		const struct perfgrp_value *value = perfgrp_snap_value_at(snap, row, i);

		if (value->flags & PERFGRP_VALUE_FAILED) {
			a->why = (struct perfgrp_error){
				.error = EBUSY,
				.reason = PERFGRP_REASON_PMU_BUSY,
				.member = PERFGRP_NONE,
				.cpu = -1,
				.text = "the PMU had no room for it when the task ran",
			};
			return PROBE_DOES_NOT;
		}
		if (!value->time_running)
			return PROBE_UNKNOWN;
	}
	return PROBE_FITS;
}

/*
 * A task's events are on the PMU only while it runs, and there is no notification of that, so
 * poll.
 */
static enum probe_verdict await_task(struct attempt *a)
{
	struct perfgrp_snap *snap = xcheck(perfgrp_snap_new());
	enum probe_verdict verdict = PROBE_UNKNOWN;
	int ms;

	for (ms = 0; verdict == PROBE_UNKNOWN && ms < TASK_WAIT_MS; ms += TASK_LOOK_MS) {
		if (ms)
			nap(TASK_LOOK_MS);
		if (perfgrp_take_snap(a->fd, 0, snap))
			break;
		verdict = judge(a, snap);
	}
	perfgrp_snap_free(snap);
	return verdict;
}

static enum probe_verdict attempt(const struct probe *probe, struct attempt *a)
{
	if (create(probe, a) || add(probe, a) || enable(a))
		return PROBE_DOES_NOT;
	return target_has_cpus(&probe->target) ? PROBE_FITS : await_task(a);
}

/* Tests whether @nr of a group's events fit, from @first on, without the others. */
static enum probe_verdict try_some(const struct probe *probe, const struct probe_result *result,
				   const struct numbers *cpus, size_t first, size_t nr,
				   struct perfgrp_error *why)
{
	struct attempt a = { .events = *result->events, .cpus = cpus, .task = result->task };
	enum probe_verdict verdict;

	a.events.events += first;
	a.events.nr = nr;
	verdict = attempt(probe, &a);
	if (why)
		*why = a.why;
	end_attempt(&a);
	return verdict;
}

/* ---- what does not fit ---------------------------------------------------------- */

static void find_cpus(const struct probe *probe, struct probe_result *result)
{
	size_t i;

	for (i = 0; i < result->cpus.nr; i++) {
		struct numbers one = { .n = &result->cpus.n[i], .nr = 1 };

		if (result->cpus.nr == 1 ||
		    try_some(probe, result, &one, 0, result->events->nr, NULL) != PROBE_FITS)
			numbers_add(&result->cpus_not, result->cpus.n[i]);
	}
}

/*
 * A group that fits also fits with fewer events, so a binary search finds the longest prefix.
 * Returns false if the task did not run, so that nothing more can be found out.
 */
static bool find_prefix(const struct probe *probe, struct probe_result *result,
			const struct numbers *cpus)
{
	size_t fits = 0, not = result->events->nr;

	while (not - fits > 1) {
		size_t middle = (fits + not) / 2;

		switch (try_some(probe, result, cpus, 0, middle, NULL)) {
		case PROBE_FITS:
			fits = middle;
			break;
		case PROBE_DOES_NOT:
			not = middle;
			break;
		case PROBE_UNKNOWN:
			return false;
		}
	}
	result->prefix = fits;
	return true;
}

static void free_alone(struct probe_result *result)
{
	size_t i;

	for (i = 0; result->alone && i < result->events->nr; i++)
		free(result->alone[i]);
	free(result->alone);
	result->alone = NULL;
}

static bool try_alone(const struct probe *probe, struct probe_result *result,
		      const struct numbers *cpus)
{
	struct perfgrp_error why;
	size_t i;

	result->alone = xcalloc(result->events->nr, sizeof(*result->alone));
	for (i = 0; i < result->events->nr; i++) {
		switch (try_some(probe, result, cpus, i, 1, &why)) {
		case PROBE_FITS:
			break;
		case PROBE_DOES_NOT:
			result->alone[i] = xstrdup(why.text);
			break;
		case PROBE_UNKNOWN:
			free_alone(result);
			return false;
		}
	}
	return true;
}

/* Fills @events with @nr copies of one event. */
static void repeat(struct event_group *events, const struct event *event, size_t nr)
{
	size_t i;

	events->events = xrealloc(events->events, nr, sizeof(*events->events));
	for (i = 0; i < nr; i++)
		events->events[i] = *event;
	events->nr = nr;
}

/* Finds how many of the events that can be added can also be enabled now. */
static void measure_now(const struct probe *probe, struct probe_result *result, struct attempt *a)
{
	const struct event *event = &result->events->events[result->room.event];
	size_t fits = 0, not = result->room.most + 1;

	while (not - fits > 1) {
		size_t middle = (fits + not) / 2;
		enum probe_verdict verdict;

		repeat(&a->events, event, middle);
		verdict = attempt(probe, a);
		end_attempt(a);
		if (verdict == PROBE_UNKNOWN)
			return;
		if (verdict == PROBE_FITS)
			fits = middle;
		else
			not = middle;
	}
	result->room.now = fits;
}

/*
 * Adds members until one is refused, which gives the maximum: nothing is enabled, so other users
 * do not matter, and a task need not run.
 */
static void measure_room(const struct probe *probe, struct probe_result *result,
			 const struct numbers *cpus, bool runs)
{
	struct attempt a = { .cpus = cpus, .task = result->task };

	repeat(&a.events, &result->events->events[result->room.event], 1);
	if (!create(probe, &a)) {
		while (result->room.most < probe->info.max_members && !add(probe, &a)) {
			result->room.most++;
			free(a.ids);
			a.ids = NULL;
		}
	}
	end_attempt(&a);
	if (!result->room.most)
		result->room.event = PERFGRP_NONE;
	else if (runs)
		measure_now(probe, result, &a);
	free(a.events.events);
}

static void measure(const struct probe *probe, struct probe_result *result,
		    const struct numbers *cpus, bool runs)
{
	size_t i;

	for (i = 0; i < result->events->nr; i++) {
		if ((!result->alone || !result->alone[i]) &&
		    probe_is_hardware(&result->events->events[i].counter)) {
			result->room.event = i;
			measure_room(probe, result, cpus, runs);
			return;
		}
	}
}

static void look_closer(const struct probe *probe, struct probe_result *result,
			const struct numbers *cpus)
{
	bool runs;

	result->looked = true;
	if (target_has_cpus(&probe->target))
		find_cpus(probe, result);
	runs = find_prefix(probe, result, cpus) && try_alone(probe, result, cpus);
	if (result->why.reason == PERFGRP_REASON_PMU_FULL ||
	    result->why.reason == PERFGRP_REASON_PMU_BUSY)
		measure(probe, result, cpus, runs);
	/* A NO_MUX group fails as a whole, so the member in the error is not the cause. */
	if (result->why.reason == PERFGRP_REASON_PMU_BUSY)
		result->why.member = PERFGRP_NONE;
}

/* The failure is about this process, its user or the task, not about the group. */
static bool is_our_fault(const struct perfgrp_error *why)
{
	return why->error == EMFILE || why->error == ENFILE || why->error == ENOMEM ||
	       why->error == EINTR || why->error == ESRCH ||
	       why->reason == PERFGRP_REASON_LIMIT;
}

/**
 * probe_try - test whether a group fits, together with those that fitted before
 * @probe: a result is added
 * @group: index of the group
 * @task: index of the task, if the target is tasks
 *
 * Return: 0, or a negative errno after printing why it cannot be tried
 */
int probe_try(struct probe *probe, size_t group, size_t task)
{
	const struct event_group *events = &probe->list.groups[group];
	struct probe_result result = {
		.events = events,
		.task = task,
		.prefix = PERFGRP_NONE,
		.room = { .event = PERFGRP_NONE, .now = PERFGRP_NONE },
	};
	struct attempt a = { .events = *events, .task = task };
	struct numbers cpus = { 0 };
	int err = 0;

	if (target_has_cpus(&probe->target)) {
		err = counters_cpus(events, &probe->target, &cpus);
		if (err)
			return err;
	}
	a.cpus = &cpus;
	result.verdict = attempt(probe, &a);
	result.why = a.why;
	free(a.ids);
	if (result.verdict == PROBE_FITS) {
		GROW(probe->held, probe->nr_held, probe->room_held);
		probe->held[probe->nr_held++] = a.fd;
	} else {
		perfgrp_group_close(a.fd);
	}
	if (cpus.nr) {
		size_t i;

		for (i = 0; i < cpus.nr; i++)
			numbers_add(&result.cpus, cpus.n[i]);
	} else if (target_has_cpus(&probe->target)) {
		cpus_online(&result.cpus);
	}
	if (result.verdict == PROBE_DOES_NOT && is_our_fault(&result.why)) {
		counters_say_why("probe", events, &result.why);
		err = -result.why.error;
	} else if (result.verdict == PROBE_DOES_NOT &&
		   result.why.reason != PERFGRP_REASON_PRIVILEGE) {
		look_closer(probe, &result, &cpus);
	}
	numbers_free(&cpus);
	GROW(probe->results, probe->nr, probe->room);
	probe->results[probe->nr++] = result;
	return err;
}

void probe_free(struct probe *probe)
{
	size_t i;

	for (i = 0; i < probe->nr_held; i++)
		perfgrp_group_close(probe->held[i]);
	free(probe->held);
	for (i = 0; i < probe->nr; i++) {
		struct probe_result *result = &probe->results[i];

		free_alone(result);
		numbers_free(&result->cpus);
		numbers_free(&result->cpus_not);
	}
	free(probe->results);
	findings_free(&probe->findings);
	groups_free(&probe->seen);
	events_free(&probe->list);
	target_free(&probe->target);
	perfgrp_close(probe->dev);
}
