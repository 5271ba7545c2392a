// SPDX-License-Identifier: GPL-2.0
/* Groups of the module for groups of events, and their counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "stat.h"

static __u64 add_saturated(__u64 a, __u64 b)
{
	__u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? ~0ULL : sum;
}

/* The groups start by themselves when the command is executed. */
bool stat_enables_on_exec(const struct stat *st)
{
	return st->target.kind == TARGET_COMMAND && !st->opt.delay &&
	       st->features & PERFGRP_FEATURE_INHERIT;
}

static __u32 create_flags(const struct stat *st, const struct event_group *events)
{
	__u32 flags = events->create_flags;

	if (!target_has_cpus(&st->target) && !st->opt.no_inherit &&
	    st->features & PERFGRP_FEATURE_INHERIT)
		flags |= PERFGRP_CREATE_INHERIT;
	if (stat_enables_on_exec(st))
		flags |= PERFGRP_CREATE_ENABLE_ON_EXEC;
	return flags;
}

/*
 * The CPUs for a group: those of the target, less those that a PMU of its events
 * does not want. An empty list is all CPUs.
 */
static int group_cpus(const struct stat *st, const struct event_group *events,
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
	if (st->target.kind == TARGET_ALL_CPUS) {
		*cpus = wanted;
		return 0;
	}
	for (i = 0; i < st->target.cpus.nr; i++)
		if (!mask || numbers_have(&wanted, st->target.cpus.n[i]))
			numbers_add(cpus, st->target.cpus.n[i]);
	numbers_free(&wanted);
	if (cpus->nr)
		return 0;
	error("%s: its PMU is on the CPUs %s, none of which was asked for",
	      events->events[0].name, mask);
	return -EINVAL;
}

/* Makes the counters of a group, with the modes that were asked for in general. */
static struct perfgrp_counter *make_counters(const struct stat *st,
					     const struct event_group *events)
{
	struct perfgrp_counter *counters = xcalloc(events->nr, sizeof(*counters));
	size_t i;

	for (i = 0; i < events->nr; i++) {
		counters[i] = events->events[i].counter;
		if (st->opt.all_user) {
			counters[i].flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL;
			counters[i].flags &= ~PERFGRP_COUNTER_EXCLUDE_USER;
		} else if (st->opt.all_kernel) {
			counters[i].flags |= PERFGRP_COUNTER_EXCLUDE_USER;
			counters[i].flags &= ~PERFGRP_COUNTER_EXCLUDE_KERNEL;
		}
	}
	return counters;
}

/* Adds the counters to a perfgrp group, and takes that into a stat_group. */
static int add_fd(const struct stat *st, struct stat_group *group,
		  const struct event_group *events, struct perfgrp_group *fd, unsigned int task)
{
	struct perfgrp_counter *counters = make_counters(st, events);
	size_t i;
	int err;

	err = perfgrp_add(fd, counters, events->nr);
	if (!err) {
		GROW(group->fds, group->nr, group->room);
		group->tasks = xrealloc(group->tasks, group->room, sizeof(*group->tasks));
		group->tasks[group->nr] = task;
		group->fds[group->nr++] = fd;
		group->ids = xrealloc(group->ids, group->nr * events->nr, sizeof(*group->ids));
		for (i = 0; i < events->nr; i++)
			group->ids[(group->nr - 1) * events->nr + i] = counters[i].id;
	}
	free(counters);
	return err;
}

/* What to do about counters that the module has refused. */
enum refusal {
	REFUSED,		/* there is nothing to be done */
	REFUSED_EVENT,		/* the machine lacks an event: go on without its group */
	REFUSED_SPLIT,		/* a weak group: try its events one at a time */
	REFUSED_GONE,		/* the task has exited: go on without it */
};

static enum refusal judge(const struct stat *st, struct stat_group *group,
			  const struct event_group *events, const struct perfgrp_error *why)
{
	size_t i;

	if ((why->error == ENOENT || why->error == EOPNOTSUPP) &&
	    why->reason == PERFGRP_REASON_EVENT) {
		for (i = 0; i < events->nr; i++) {
			/* The culprit is not supported, the others are only not counted. */
			group->events[i].supported = i != why->member;
			if (st->opt.verbose && i == why->member)
				error("%s: %s", events->events[i].name, why->text);
		}
		return REFUSED_EVENT;
	}
	if (why->reason == PERFGRP_REASON_PMU_FULL && events->weak && events->nr > 1)
		return REFUSED_SPLIT;
	if (why->error == ESRCH && st->target.tasks.nr > 1)
		return REFUSED_GONE;

	if (why->member < events->nr)
		error("cannot count '%s': %s", events->events[why->member].name, why->text);
	else
		error("%s", why->text);
	return REFUSED;
}

static void close_fds(struct stat_group *group)
{
	size_t i;

	for (i = 0; i < group->nr; i++)
		perfgrp_group_close(group->fds[i]);
	free(group->fds);
	free(group->tasks);
	free(group->ids);
	group->fds = NULL;
	group->tasks = NULL;
	group->ids = NULL;
	group->nr = 0;
	group->room = 0;
}

/* Many threads are many groups; returns true if there is more room for them now. */
static bool allow_more_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Opens one group on each task, or on the CPUs. Returns 0 (also where the machine
 * lacks an event), -EAGAIN if the group is to be taken apart, or another error,
 * which has been reported.
 */
static int open_group(struct stat *st, struct stat_group *group, const struct event_group *events)
{
	__u32 flags = create_flags(st, events);
	bool on_cpus = target_has_cpus(&st->target);
	const struct numbers *tasks = &st->target.tasks;
	size_t nr = on_cpus ? 1 : tasks->nr;
	struct numbers cpus = { 0 };
	size_t i;
	int err;

	err = on_cpus ? group_cpus(st, events, &cpus) : 0;
	for (i = 0; i < nr && !err; i++) {
		const struct perfgrp_error *why;
		struct perfgrp_group *fd;

		if (!on_cpus)
			fd = perfgrp_create_task(st->dev, tasks->n[i], flags);
		else if (cpus.nr)
			fd = perfgrp_create_cpus(st->dev, cpus.n, cpus.nr, flags);
		else
			fd = perfgrp_create_all_cpus(st->dev, flags);
		if (!fd && errno == EMFILE && allow_more_files()) {
			i--;
			continue;
		}
		if (fd && !add_fd(st, group, events, fd, on_cpus ? 0 : tasks->n[i]))
			continue;

		why = fd ? perfgrp_group_error(fd) : perfgrp_dev_error(st->dev);
		switch (judge(st, group, events, why)) {
		case REFUSED_EVENT:
			perfgrp_group_close(fd);
			close_fds(group);
			goto out;
		case REFUSED_SPLIT:
			err = -EAGAIN;
			break;
		case REFUSED_GONE:
			break;
		case REFUSED:
			err = -why->error;
			break;
		}
		perfgrp_group_close(fd);
	}
	if (!err && !group->nr) {
		error("none of the tasks is left");
		err = -ESRCH;
	}
out:
	numbers_free(&cpus);
	return err;
}

/* The places that have a line of their own, counted or not. */
static void list_places(struct stat *st)
{
	struct numbers online = { 0 };
	size_t i;

	if (st->target.kind == TARGET_ALL_CPUS)
		cpus_online(&online);
	for (i = 0; i < online.nr; i++)
		aggr_of_cpu(&st->aggr, online.n[i]);
	for (i = 0; i < st->target.cpus.nr; i++)
		aggr_of_cpu(&st->aggr, st->target.cpus.n[i]);
	for (i = 0; i < st->target.tasks.nr; i++)
		aggr_of_task(&st->aggr, st->target.tasks.n[i]);
	numbers_free(&online);
}

static struct stat_group *new_group(struct stat *st, size_t nr_events)
{
	struct stat_group *group;

	GROW(st->groups, st->nr_groups, st->room_groups);
	group = &st->groups[st->nr_groups++];
	memset(group, 0, sizeof(*group));
	group->events = xcalloc(nr_events, sizeof(*group->events));
	return group;
}

/**
 * stat_open - make perfgrp groups for all groups of events on the target
 * @st: its groups are filled in, and closed again on failure
 *
 * It may be called again after stat_close(), for another run of a command.
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int stat_open(struct stat *st)
{
	size_t i = 0, j;

	list_places(st);
	while (i < st->list.nr) {
		struct event_group *events = &st->list.groups[i];
		struct stat_group *group;
		int err;

		group = i < st->nr_groups ? &st->groups[i] : new_group(st, events->nr);
		for (j = 0; j < events->nr; j++)
			group->events[j].supported = true;

		err = open_group(st, group, events);
		if (!err) {
			i++;
			continue;
		}
		if (err != -EAGAIN) {
			stat_close(st);
			return err;
		}
		if (st->opt.verbose)
			error("%s: the group does not fit and is taken apart",
			      events->events[0].name);
		close_fds(group);
		free(group->events);
		st->nr_groups--;
		events_split(&st->list, i);
	}
	return 0;
}

/**
 * stat_close - close all groups, and keep the counts
 * @st: the groups
 */
void stat_close(struct stat *st)
{
	size_t i;

	for (i = 0; i < st->nr_groups; i++)
		close_fds(&st->groups[i]);
}

/**
 * stat_free - give back all memory
 * @st: of no use afterwards
 */
void stat_free(struct stat *st)
{
	size_t i, j;

	stat_close(st);
	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++)
			free(st->groups[i].events[j].cells);
		free(st->groups[i].events);
	}
	free(st->groups);
	aggr_clear(&st->aggr);
	perfgrp_snap_free(&st->snap);
	events_free(&st->list);
	target_free(&st->target);
	perfgrp_close(st->dev);
}

/* Calls a function on all groups; a task that is gone is no error. */
static int for_all(struct stat *st, int (*call)(struct perfgrp_group *group))
{
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->groups[i].nr; j++) {
			struct perfgrp_group *fd = st->groups[i].fds[j];
			int err = call(fd);

			if (err && err != -ESRCH) {
				error("%s: %s", st->list.groups[i].events[0].name,
				      perfgrp_group_error(fd)->text);
				return err;
			}
		}
	}
	return 0;
}

int stat_enable(struct stat *st)
{
	return for_all(st, perfgrp_enable);
}

int stat_disable(struct stat *st)
{
	return for_all(st, perfgrp_disable);
}

/*
 * The event's cell for a value: that of its place, and of its PMU where counts of
 * different PMUs are not to be added up.
 */
static struct stat_cell *find_cell(const struct stat *st, struct stat_event *event, size_t place,
				   __u32 pmu)
{
	bool apart = target_has_cpus(&st->target) && st->aggr.mode != AGGR_CPU && !st->opt.merge;
	struct stat_cell *cell;
	size_t i;

	for (i = 0; i < event->nr; i++) {
		cell = &event->cells[i];
		if (cell->place == place && (!apart || cell->pmu == pmu))
			return cell;
	}
	GROW(event->cells, event->nr, event->room);
	cell = &event->cells[event->nr++];
	memset(cell, 0, sizeof(*cell));
	cell->place = place;
	cell->pmu = pmu;
	cell->state = PERFGRP_STATE_NONE;
	cell->flags = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_WITH_LEADER;
	return cell;
}

/* The state of a sum: one that failed shows; else it is what the times say. */
static __u32 sum_state(const struct stat_cell *cell, __u32 a, __u32 b)
{
	if (a == PERFGRP_STATE_NONE || a == b)
		return b;
	if (a == PERFGRP_STATE_FAILED || b == PERFGRP_STATE_FAILED)
		return PERFGRP_STATE_FAILED;
	if (!cell->running)
		return PERFGRP_STATE_NEVER_RAN;
	return cell->running < cell->enabled ? PERFGRP_STATE_MULTIPLEXED : PERFGRP_STATE_COUNTED;
}

static void add_value(struct stat_cell *cell, const struct perfgrp_value *value)
{
	const __u32 all = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_WITH_LEADER;

	cell->raw = add_saturated(cell->raw, value->raw);
	if (value->flags & PERFGRP_VALUE_SCALED)
		cell->scaled = add_saturated(cell->scaled, value->scaled);
	cell->enabled = add_saturated(cell->enabled, value->time_enabled);
	cell->running = add_saturated(cell->running, value->time_running);
	cell->state = sum_state(cell, cell->state, value->state);
	/* Some flags hold for a sum if they do for all, the others if for any. */
	cell->flags = (cell->flags & value->flags & all) |
		      ((cell->flags | value->flags) & ~all);
}

/* Adds the snapshot of one perfgrp group to the cells of its events. */
static void collect_fd(struct stat *st, struct stat_group *group, size_t fd, size_t nr)
{
	const __u32 *ids = &group->ids[fd * nr];
	__u32 r;
	size_t i;

	for (r = 0; r < st->snap.nr_rows; r++) {
		const struct perfgrp_row *row = &st->snap.rows[r];
		size_t place;

		place = target_has_cpus(&st->target) ? aggr_of_cpu(&st->aggr, row->cpu) :
						       aggr_of_task(&st->aggr, group->tasks[fd]);
		for (i = 0; i < nr; i++) {
			const struct perfgrp_value *value;

			value = perfgrp_snap_value(&st->snap, row, ids[i]);
			if (value)
				add_value(find_cell(st, &group->events[i], place, value->pmu),
					  value);
		}
	}
}

static int compare_counts(const void *a, const void *b)
{
	const struct stat_cell *x = a, *y = b;

	if (x->scaled != y->scaled)
		return x->scaled < y->scaled ? 1 : -1;
	return x->place < y->place ? -1 : 1;
}

/**
 * stat_collect - read all groups
 * @st: the cells of its events are filled in
 *
 * With intervals the counts start again from zero, and none is lost.
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int stat_collect(struct stat *st)
{
	__u32 flags = 0;
	size_t i, j;

	if (target_has_cpus(&st->target) && st->aggr.mode == AGGR_GLOBAL)
		flags |= PERFGRP_SNAPSHOT_TOTALS;
	if (flags && st->opt.merge)
		flags |= PERFGRP_SNAPSHOT_MIX_PMUS;
	if (st->opt.interval)
		flags |= PERFGRP_SNAPSHOT_RESET;

	st->skew = 0;
	for (i = 0; i < st->nr_groups; i++) {
		struct stat_group *group = &st->groups[i];
		size_t nr = st->list.groups[i].nr;

		for (j = 0; j < nr; j++)
			group->events[j].nr = 0;
		for (j = 0; j < group->nr; j++) {
			int err = perfgrp_take_snap(group->fds[j], flags, &st->snap);

			if (err) {
				error("%s: %s", st->list.groups[i].events[0].name,
				      perfgrp_group_error(group->fds[j])->text);
				return err;
			}
			if (st->snap.time_after - st->snap.time_before > st->skew)
				st->skew = st->snap.time_after - st->snap.time_before;
			collect_fd(st, group, j, nr);
		}
		/* As in perf, the busiest threads come first. */
		for (j = 0; j < nr && st->aggr.mode == AGGR_THREAD; j++)
			if (group->events[j].nr)
				qsort(group->events[j].cells, group->events[j].nr,
				      sizeof(*group->events[j].cells), compare_counts);
	}
	return 0;
}

static bool tasks_exist(const struct numbers *tasks)
{
	size_t i;

	for (i = 0; i < tasks->nr; i++) {
		char *comm = read_file("/proc/%u/comm", tasks->n[i]);

		free(comm);
		if (comm)
			return true;
	}
	return false;
}

/**
 * stat_tasks_exited - ask whether there is anything left to count
 * @st: a stat with TARGET_TASKS
 *
 * Return: true if all its tasks have exited
 */
bool stat_tasks_exited(struct stat *st)
{
	size_t i, j;
	__u32 r;

	for (i = 0; i < st->nr_groups && !st->groups[i].nr; i++)
		;
	/* The machine has none of the events: there is no group to ask. */
	if (i == st->nr_groups)
		return !tasks_exist(&st->target.tasks);
	for (j = 0; j < st->groups[i].nr; j++) {
		if (perfgrp_take_snap(st->groups[i].fds[j], 0, &st->snap))
			return false;
		for (r = 0; r < st->snap.nr_rows; r++)
			if (!(st->snap.rows[r].flags & PERFGRP_ROW_EXITED))
				return false;
	}
	return true;
}
