// SPDX-License-Identifier: GPL-2.0
/* Create the module's groups for groups of events on the target, and close them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "counters.h"
#include "stat.h"

/**
 * stat_use_device - count on a device
 * @st: what is to be counted
 * @dev: the device
 * @features: what its module can do
 *
 * Return: 0, or -EOPNOTSUPP after printing an error
 */
int stat_use_device(struct stat_cmd *st, struct perfgrp_dev *dev, __u64 features)
{
	st->dev = dev;
	st->features = features;
	if (!st->split.mount || features & PERFGRP_FEATURE_SPLIT_BY_CGROUP)
		return 0;
	error("--cgroups: this module lacks 'cgroup-split'");
	return -EOPNOTSUPP;
}

/* Opens a device for stat_use_device(); stat_free() closes it. */
int stat_open_device(struct stat_cmd *st)
{
	struct perfgrp_info info;
	struct perfgrp_dev *dev = cmd_open_device(&info, 0, NULL);

	return dev ? stat_use_device(st, dev, info.features) : -ENODEV;
}

/* Are the groups enabled by the exec of the command? */
bool stat_enables_on_exec(const struct stat_cmd *st)
{
	return st->target.kind == TARGET_COMMAND && !st->opt.delay && !st->opt.wait &&
	       st->features & PERFGRP_FEATURE_INHERIT;
}

/* Are children to be counted, and does the module count them? */
static bool wants_children(const struct stat_cmd *st)
{
	return !target_has_cpus(&st->target) && !st->opt.no_inherit &&
	       st->features & PERFGRP_FEATURE_INHERIT;
}

static __u32 create_flags(const struct stat_cmd *st, const struct event_group *events)
{
	__u32 flags = events->create_flags;

	/* The module refuses both together. */
	if (wants_children(st) && !(flags & PERFGRP_CREATE_NO_MUX))
		flags |= PERFGRP_CREATE_INHERIT;
	if (stat_enables_on_exec(st))
		flags |= PERFGRP_CREATE_ENABLE_ON_EXEC;
	if (st->opt.no_wake)
		flags |= PERFGRP_CREATE_MAPPED;
	return flags;
}

/* Returns true if a call failed for lack of file descriptors, and the limit could be raised. */
static bool may_try_again(const struct perfgrp_error *why)
{
	return why->error == EMFILE && allow_more_files();
}

/* Adds the counters to a perfgrp group, and that to a stat_group. */
static int add_fd(const struct stat_cmd *st, struct stat_group *group,
		  const struct event_group *events, struct perfgrp_group *fd, unsigned int task)
{
	struct perfgrp_counter *counters = counters_make(events, &st->target);
	size_t i;
	int err;

	err = counters_add(fd, counters, events);
	/* Without the module each event needs a file descriptor. */
	if (err && may_try_again(perfgrp_group_error(fd)))
		err = counters_add(fd, counters, events);
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
	REFUSED_CUT,		/* it lacks one of a weak group: go on with the others */
	REFUSED_APART,		/* likewise of metrics, which need the others to be one group */
	REFUSED_SPLIT,		/* a weak group: try less of it at a time */
	REFUSED_GONE,		/* the task has exited: go on without it */
};

/* Was an event refused because the machine or its PMU lacks it? */
static bool is_missing(const struct perfgrp_error *why)
{
	if (why->reason == PERFGRP_REASON_EVENT_OPTION)
		return true;
	return why->reason == PERFGRP_REASON_EVENT &&
	       (why->error == ENOENT || why->error == EOPNOTSUPP);
}

/* Judges a refused event of a metric. If only a metric group named the metric, go on without. */
static enum refusal judge_metric(struct stat_group *group, const struct event_group *events,
				 const struct perfgrp_error *why)
{
	const bool optional = events->optional && is_missing(why);

	if (optional && events->nr > 1)
		return REFUSED_APART;
	error("metric '%s': cannot count '%s': %s%s", events->metric,
	      events->events[why->member].name, why->text,
	      optional ? "; what is computed of it has no value" : "");
	if (!optional)
		return REFUSED;
	group->events[0].supported = false;
	return REFUSED_EVENT;
}

static enum refusal judge(const struct stat_cmd *st, struct stat_group *group,
			  const struct event_group *events, const struct perfgrp_error *why)
{
	size_t i;

	/* Some metrics have more events than a group may have members; no PMU could hold them. */
	if (events->metric && why->reason == PERFGRP_REASON_LIMIT && events->nr > 1)
		return REFUSED_SPLIT;
	if (events->metric && why->reason != PERFGRP_REASON_PMU_FULL && why->error != ESRCH &&
	    why->member < events->nr)
		return judge_metric(group, events, why);
	if ((why->error == ENOENT || why->error == EOPNOTSUPP) &&
	    why->reason == PERFGRP_REASON_EVENT) {
		if (events->weak && events->nr > 1 && why->member < events->nr)
			return REFUSED_CUT;
		for (i = 0; i < events->nr; i++) {
			/* Only the refused event is not supported, the others are not counted. */
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

	counters_say_why("count", events, why);
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
	free(group->last);
	free(group->rows);
	group->fds = NULL;
	group->tasks = NULL;
	group->ids = NULL;
	group->last = NULL;
	group->rows = NULL;
	group->nr = 0;
	group->room = 0;
	group->nr_last = 0;
	group->nr_rows = 0;
	group->room_rows = 0;
}

static struct perfgrp_group *create_group(const struct stat_cmd *st,
					  const struct event_group *events,
					  const struct numbers *cpus, size_t task, __u32 flags)
{
	struct perfgrp_create create = {
		.flags = flags,
		.map_interval = flags & PERFGRP_CREATE_MAPPED ? st->opt.map_interval : 0,
	};
	struct perfgrp_group *fd;

	target_set(&st->target, cpus, task, st->features, &create);
	cgroup_set_target(cgroup_of(events), &create);
	cgroup_split_set(&st->split, &create);
	fd = perfgrp_create_with(st->dev, &create, sizeof(create));
	if (!fd && may_try_again(perfgrp_dev_error(st->dev)))
		fd = perfgrp_create_with(st->dev, &create, sizeof(create));
	return fd;
}

/*
 * Splits a group in two, keeping the order. Its events keep the counts of earlier runs.
 */
static void cut_group(struct stat_cmd *st, size_t index, size_t at)
{
	size_t nr = st->list.groups[index].nr;
	struct stat_group *first, *second;

	GROW(st->groups, st->nr_groups, st->room_groups);
	first = &st->groups[index];
	second = first + 1;
	memmove(second + 1, second, (st->nr_groups - index - 1) * sizeof(*second));
	st->nr_groups++;
	memset(second, 0, sizeof(*second));
	second->events = xcalloc(nr - at, sizeof(*second->events));
	memcpy(second->events, first->events + at, (nr - at) * sizeof(*second->events));
	events_cut(&st->list, index, at);
}

/* Puts the event @member into a group of its own, so that the events around it can be counted. */
static void cut_around(struct stat_cmd *st, size_t index, size_t member)
{
	if (member + 1 < st->list.groups[index].nr)
		cut_group(st, index, member + 1);
	if (member)
		cut_group(st, index, member);
}

/* Moves an event out of its group, into a group of its own after it. */
static void set_apart(struct stat_cmd *st, size_t index, size_t member)
{
	struct event_group *group = &st->list.groups[index];
	const size_t behind = group->nr - member - 1;
	struct stat_event *counts = st->groups[index].events;
	struct stat_event count = counts[member];
	struct event event = group->events[member];
	const bool braces = group->braces;

	memmove(&group->events[member], &group->events[member + 1], behind * sizeof(event));
	memmove(&counts[member], &counts[member + 1], behind * sizeof(count));
	group->events[group->nr - 1] = event;
	counts[group->nr - 1] = count;
	cut_group(st, index, group->nr - 1);
	/* The others are still counted together. */
	group = &st->list.groups[index];
	group->braces = braces && group->nr > 1;
}

/*
 * Cuts a metric's group at the first member that the PMU has no room for: the members before it
 * fit, and stay one group; those from it on are tried as a group. If the member is not known the
 * group is cut in half.
 */
static void split_metric(struct stat_cmd *st, size_t index, size_t member)
{
	struct event_group *group = &st->list.groups[index];

	if (!group->in_turns)
		error("metric '%s': its group of %zu events does not fit the PMU: parts of it are counted in turns, and the value is an estimate",
		      group->metric, group->nr);
	group->in_turns = true;
	cut_group(st, index, member && member < group->nr ? member : group->nr / 2);
}

static void split_group(struct stat_cmd *st, size_t index)
{
	const struct event_group *group = &st->list.groups[index];

	if (st->opt.verbose)
		error("%s: the group does not fit and is taken apart", group->events[0].name);
	while (st->list.groups[index].nr > 1)
		cut_group(st, index, st->list.groups[index].nr - 1);
}

/*
 * Opens a group on each task, or one on the CPUs. Returns 0 (even if the machine
 * lacks an event), -EAGAIN if the group has been split, or another error,
 * which has been reported.
 */
static int open_group(struct stat_cmd *st, size_t index)
{
	const struct event_group *events = &st->list.groups[index];
	struct stat_group *group = &st->groups[index];
	__u32 flags = create_flags(st, events);
	bool on_cpus = target_has_cpus(&st->target);
	const struct numbers *tasks = &st->target.tasks;
	size_t nr = on_cpus ? 1 : tasks->nr;
	struct numbers cpus = { 0 };
	size_t i;
	int err;

	err = on_cpus ? counters_cpus(events, &st->target, &cpus) : 0;
	for (i = 0; i < nr && !err; i++) {
		const struct perfgrp_error *why;
		struct perfgrp_group *fd;
		enum refusal judgement;

		fd = create_group(st, events, &cpus, i, flags);
		if (fd && !add_fd(st, group, events, fd, on_cpus ? 0 : tasks->n[i]))
			continue;

		why = fd ? perfgrp_group_error(fd) : perfgrp_dev_error(st->dev);
		judgement = judge(st, group, events, why);
		switch (judgement) {
		case REFUSED_EVENT:
			perfgrp_group_close(fd);
			close_fds(group);
			goto out;
		case REFUSED_CUT:
		case REFUSED_APART:
		case REFUSED_SPLIT:
			numbers_free(&cpus);
			close_fds(group);
			if (judgement == REFUSED_CUT)
				cut_around(st, index, why->member);
			else if (judgement == REFUSED_APART)
				set_apart(st, index, why->member);
			else if (events->metric)
				split_metric(st, index, why->member);
			else
				split_group(st, index);
			perfgrp_group_close(fd);
			return -EAGAIN;
		case REFUSED_GONE:
			break;
		case REFUSED:
			err = -why->error;
			break;
		}
		perfgrp_group_close(fd);
	}
	if (!err && !group->nr) {
		error("all of the tasks have exited");
		err = -ESRCH;
	}
out:
	numbers_free(&cpus);
	return err;
}

/* Opens a group on one more task, and enables it; returns 0 or a negative errno. */
static int open_task(struct stat_cmd *st, size_t index, size_t task)
{
	const struct event_group *events = &st->list.groups[index];
	__u32 flags = create_flags(st, events);
	struct perfgrp_group *fd;
	int err;

	fd = create_group(st, events, &st->target.cpus, task, flags);
	if (!fd)
		return -errno;
	err = add_fd(st, &st->groups[index], events, fd, st->target.tasks.n[task]);
	if (err)
		perfgrp_group_close(fd);
	else
		perfgrp_enable(fd);
	return err;
}

/**
 * stat_add_task - count one more task
 * @st: open, with TARGET_TASKS
 * @tid: the task
 *
 * Return: 0, or a negative errno if it cannot be counted: -ESRCH if it has exited
 */
int stat_add_task(struct stat_cmd *st, unsigned int tid)
{
	size_t i, task = target_add_task(&st->target, tid);
	int err = 0;

	for (i = 0; i < st->nr_groups && !err; i++) {
		/* No group was opened if the machine lacks an event. */
		if (st->groups[i].room)
			err = open_task(st, i, task);
	}
	if (err)
		stat_drop_task(st, tid);
	return err;
}

static void drop_fd(struct stat_group *group, size_t fd, size_t nr_events)
{
	perfgrp_group_close(group->fds[fd]);
	group->nr--;
	memmove(&group->fds[fd], &group->fds[fd + 1],
		(group->nr - fd) * sizeof(*group->fds));
	memmove(&group->tasks[fd], &group->tasks[fd + 1],
		(group->nr - fd) * sizeof(*group->tasks));
	memmove(&group->ids[fd * nr_events], &group->ids[(fd + 1) * nr_events],
		(group->nr - fd) * nr_events * sizeof(*group->ids));
}

/**
 * stat_drop_task - close the groups of a task
 * @st: open, with TARGET_TASKS
 * @tid: the task
 */
void stat_drop_task(struct stat_cmd *st, unsigned int tid)
{
	size_t i, j;

	for (i = 0; i < st->nr_groups; i++)
		for (j = st->groups[i].nr; j-- > 0;)
			if (st->groups[i].tasks[j] == tid)
				drop_fd(&st->groups[i], j, st->list.groups[i].nr);
	target_drop_task(&st->target, tid);
}

/* Lists the places that have a line of their own, even without a count. */
static void list_places(struct stat_cmd *st)
{
	struct numbers online = { 0 };
	size_t i;

	/* Other cgroups are added from snapshots. */
	if (st->split.mount) {
		aggr_of_cgroup(&st->aggr, cgroup_split_root(&st->split), 0);
		return;
	}
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

static void add_group(struct stat_cmd *st, const struct event_group *events)
{
	struct stat_group *group;

	if (wants_children(st) && events->create_flags & PERFGRP_CREATE_NO_MUX)
		error("%s: children are not counted: what is pinned (D) cannot be inherited",
		      events->events[0].name);
	GROW(st->groups, st->nr_groups, st->room_groups);
	group = &st->groups[st->nr_groups++];
	memset(group, 0, sizeof(*group));
	group->events = xcalloc(events->nr, sizeof(*group->events));
}

/**
 * stat_open - create perfgrp groups for all groups of events on the target
 * @st: its groups are filled in, and closed again on failure
 *
 * It may be called again after stat_close(), for another run of a command.
 *
 * Return: 0, or a negative errno after printing an error
 */
int stat_open(struct stat_cmd *st)
{
	size_t i, j;

	list_places(st);
	for (i = st->nr_groups; i < st->list.nr; i++)
		add_group(st, &st->list.groups[i]);
	i = 0;
	while (i < st->list.nr) {
		int err;

		for (j = 0; j < st->list.groups[i].nr; j++)
			st->groups[i].events[j].supported = true;
		err = open_group(st, i);
		if (!err) {
			i++;
		} else if (err != -EAGAIN) {
			stat_close(st);
			return err;
		}
	}
	return 0;
}

/**
 * stat_close - close all groups, and keep the counts
 * @st: the groups
 */
void stat_close(struct stat_cmd *st)
{
	size_t i;

	for (i = 0; i < st->nr_groups; i++)
		close_fds(&st->groups[i]);
}

/**
 * stat_free - free everything
 * @st: must not be used afterwards
 */
void stat_free(struct stat_cmd *st)
{
	size_t i, j;

	stat_close(st);
	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			free(st->groups[i].events[j].last.cells);
			free(st->groups[i].events[j].runs.cells);
		}
		free(st->groups[i].events);
		stat_free_parts(&st->groups[i]);
	}
	free(st->groups);
	aggr_clear(&st->aggr);
	perfgrp_snap_free(st->snap);
	events_free(&st->list);
	metric_list_free(&st->metrics);
	free(st->lengths);
	target_free(&st->target);
	cgroups_free(&st->cgroups);
	cgroup_split_free(&st->split);
	perfgrp_close(st->dev);
}
