// SPDX-License-Identifier: GPL-2.0
/* Create the sampling groups on the target, poll and close them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "counters.h"
#include "record.h"

/* perf's default. Each group has a buffer on each CPU, so with many tasks they are smaller. */
#define BUFFER_SIZE		(512U << 10)
#define BUFFER_SIZE_MANY	(64U << 10)
#define MANY_TASKS		16

/* Are the groups enabled by the exec of the command? */
bool record_enables_on_exec(const struct record *rec)
{
	return rec->target.kind == TARGET_COMMAND && !rec->opt.delay && !rec->opt.wait &&
	       rec->info.features & PERFGRP_FEATURE_INHERIT;
}

static __u32 buffer_size(const struct record *rec)
{
	__u32 size = rec->opt.buffer_size;

	if (!size)
		size = rec->target.tasks.nr > MANY_TASKS ? BUFFER_SIZE_MANY : BUFFER_SIZE;
	return size;
}

/* The module's maximum. */
#define MAX_STACK		4096

/*
 * Like perf, default to as many addresses as the kernel allows, but few enough that two records
 * fit into a buffer.
 */
static __u32 max_stack(const struct record *rec)
{
	const __u64 room = buffer_size(rec) / 4 / sizeof(__u64);
	char *text = read_file("/proc/sys/kernel/perf_event_max_stack");
	__u64 nr = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	if (rec->opt.max_stack)
		return rec->opt.max_stack;
	if (!nr)
		nr = PERF_MAX_STACK_DEPTH;
	if (nr > room)
		nr = room;
	return nr < MAX_STACK ? nr : MAX_STACK;
}

/*
 * The first event of a group samples, and events with a period= or freq= of their own; the
 * others are only read.
 */
static void set_samples(const struct record *rec, const struct event_group *events,
			struct perfgrp_counter *counters)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct event *event = &events->events[i];
		bool freq = event->freq;

		counters[i].min_delta = event->min_delta;
		counters[i].sample_period = event->sample;
		if (!event->sample && !i) {
			freq = !rec->opt.period;
			counters[i].sample_period = freq ? rec->opt.freq : rec->opt.period;
		}
		if (freq)
			counters[i].flags |= PERFGRP_COUNTER_FREQ;
	}
}

/*
 * A command's children are sampled. Children of other tasks are sampled only if there are no
 * records: otherwise each of many tasks would have a ring on each CPU.
 */
static bool wants_children(const struct record *rec)
{
	return !target_has_cpus(&rec->target) && !rec->opt.no_inherit &&
	       rec->info.features & PERFGRP_FEATURE_INHERIT &&
	       (rec->target.kind == TARGET_COMMAND || rec->opt.programs_only);
}

/* The module refuses min_delta and NO_MUX in INHERIT groups. */
static bool can_inherit(const struct event_group *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++)
		if (events->events[i].min_delta)
			return false;
	return !(events->create_flags & PERFGRP_CREATE_NO_MUX);
}

static bool inherits(const struct record *rec, const struct event_group *events)
{
	return wants_children(rec) && can_inherit(events);
}

static struct perfgrp_group *create_group(const struct record *rec,
					  const struct event_group *events,
					  const struct numbers *cpus, size_t task)
{
	/* Use the clock of the sideband's records. */
	struct perfgrp_create create = {
		.flags = events->create_flags | PERFGRP_CREATE_USE_CLOCKID,
		.clockid = PERFGRP_CLOCK_PERF,
	};

	if (!rec->opt.programs_only) {
		create.buffer_size = buffer_size(rec);
		create.wakeup_bytes = buffer_size(rec) / 4;
	}
	if (rec->opt.callchain) {
		create.sample_type = PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN;
		create.sample_max_stack = rec->data.max_stack;
	}
	if (inherits(rec, events))
		create.flags |= PERFGRP_CREATE_INHERIT;
	if (record_enables_on_exec(rec))
		create.flags |= PERFGRP_CREATE_ENABLE_ON_EXEC;
	if (rec->opt.overwrite)
		create.flags |= PERFGRP_CREATE_OVERWRITE;
	target_set(&rec->target, cpus, task, rec->info.features, &create);
	cgroup_set_target(cgroup_of(events), &create);
	return perfgrp_create_with(rec->dev, &create, sizeof(create));
}

static int add_counters(struct record *rec, const struct event_group *events,
			struct perfgrp_group *fd, size_t first_event, size_t task)
{
	struct perfgrp_counter *counters = counters_make(events, &rec->target);
	struct perfgrp_layout layout = {};
	struct record_group *group;
	__u32 *ids;
	size_t i;
	int err;

	set_samples(rec, events, counters);
	err = counters_add(fd, counters, events);
	if (!err && !rec->opt.programs_only)
		err = perfgrp_get_layout(fd, &layout);
	if (err)
		goto out;

	ids = xcalloc(events->nr, sizeof(*ids));
	for (i = 0; i < events->nr; i++) {
		ids[i] = counters[i].id;
		rec->counters[first_event + i] = counters[i];
	}
	GROW(rec->groups, rec->nr_groups, rec->room_groups);
	group = &rec->groups[rec->nr_groups++];
	*group = (struct record_group){
		.fd = fd,
		.source = {
			.layout = layout,
			.ids = ids,
			.nr = events->nr,
			.first_event = first_event,
			.on_cpus = target_has_cpus(&rec->target),
			.task = task,
			.inherits = inherits(rec, events),
		},
		.events = events,
	};
	/* Several groups are read in turn, so no read may block. */
	fcntl(perfgrp_group_fd(fd), F_SETFL, O_NONBLOCK);
out:
	free(counters);
	return err;
}

/* True if the default event cycles cannot be sampled on this machine, so another may replace it. */
static bool may_replace(const struct record *rec, const struct perfgrp_error *why)
{
	return !rec->events_named && why->reason == PERFGRP_REASON_EVENT &&
	       perfgrp_counter_type(&rec->list.groups[0].events[0].counter) == PERF_TYPE_HARDWARE;
}

/*
 * Creates a group on each task, or one on the CPUs. Returns 0, -EAGAIN if another event should
 * be tried, or another error, which has been reported.
 */
static int open_group(struct record *rec, const struct event_group *events, size_t first_event)
{
	const bool on_cpus = target_has_cpus(&rec->target);
	size_t nr = on_cpus ? 1 : rec->target.tasks.nr, opened = 0, i;
	struct numbers cpus = { 0 };
	int err;

	if (wants_children(rec) && !can_inherit(events))
		error("%s: children are not sampled: what is pinned (D) or has min-delta cannot be inherited",
		      events->events[0].name);
	err = on_cpus ? counters_cpus(events, &rec->target, &cpus) : 0;
	for (i = 0; i < nr && !err; i++) {
		const struct perfgrp_error *why;
		struct perfgrp_group *fd;

		fd = create_group(rec, events, &cpus, i);
		if (!fd && errno == EMFILE && allow_more_files())
			fd = create_group(rec, events, &cpus, i);
		if (fd && !add_counters(rec, events, fd, first_event, i)) {
			opened++;
			continue;
		}
		why = fd ? perfgrp_group_error(fd) : perfgrp_dev_error(rec->dev);
		if (why->error != ESRCH || nr == 1) {
			err = may_replace(rec, why) ? -EAGAIN : -why->error;
			if (err != -EAGAIN)
				counters_say_why("sample", events, why);
		}
		perfgrp_group_close(fd);
	}
	if (!err && !opened) {
		error("all of the tasks have exited");
		err = -ESRCH;
	}
	numbers_free(&cpus);
	return err;
}

static int open_all(struct record *rec)
{
	size_t first_event = 0, i;
	int err = 0;

	rec->nr_events = 0;
	for (i = 0; i < rec->list.nr; i++)
		rec->nr_events += rec->list.groups[i].nr;
	rec->counters = xcalloc(rec->nr_events, sizeof(*rec->counters));
	for (i = 0; i < rec->list.nr && !err; i++) {
		err = open_group(rec, &rec->list.groups[i], first_event);
		first_event += rec->list.groups[i].nr;
	}
	if (err)
		record_close(rec);
	return err;
}

/**
 * record_open - create perfgrp groups for all groups of events on the target
 * @rec: its groups are filled in, and closed again on failure
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_open(struct record *rec)
{
	struct cgroup *cgroup;
	int err;

	if (rec->opt.callchain && !(rec->info.features & PERFGRP_FEATURE_CALLCHAIN)) {
		error("-g: the module does not support call chains on this kernel ('call-chains' in perfgrp info)");
		return -EOPNOTSUPP;
	}
	if (rec->opt.callchain)
		rec->data.max_stack = max_stack(rec);
	err = open_all(rec);
	if (err != -EAGAIN)
		return err;
	error("this machine cannot sample cycles: sampling cpu-clock instead");
	cgroup = cgroup_of(&rec->list.groups[0]);
	events_free(&rec->list);
	rec->events_named = true;
	if (cmd_add_events(&rec->list, "cpu-clock"))
		return -EINVAL;
	rec->list.groups[0].events[0].cgroup = cgroup;
	return open_all(rec);
}

/**
 * record_each_group - call a function for each group
 * @rec: the groups
 * @call: the function; returns 0 or a negative errno
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_each_group(const struct record *rec, int (*call)(struct perfgrp_group *group))
{
	size_t i;
	int err;

	for (i = 0; i < rec->nr_groups; i++) {
		err = call(rec->groups[i].fd);
		if (err) {
			error("%s", perfgrp_group_error(rec->groups[i].fd)->text);
			return err;
		}
	}
	return 0;
}

/* Indices in struct record.polls: --control's file descriptor, and the first group. */
#define POLL_OTHER	2
#define POLL_GROUPS	3

/**
 * record_set_polls - set what record_poll() waits for
 * @rec: its groups are open
 * @ending: after ending_begin()
 * @events: poll events of the groups, in addition to the exit of their tasks
 */
void record_set_polls(struct record *rec, const struct ending *ending, short events)
{
	size_t i;

	rec->polls = xcalloc(rec->nr_groups + POLL_GROUPS, sizeof(*rec->polls));
	rec->polls[0] = (struct pollfd){ .fd = ending->signal_fd, .events = POLLIN };
	rec->polls[1] = (struct pollfd){ .fd = ending->timer_fd, .events = POLLIN };
	rec->polls[POLL_OTHER] = (struct pollfd){ .fd = ending->other_fd, .events = POLLIN };
	for (i = 0; i < rec->nr_groups; i++)
		rec->polls[i + POLL_GROUPS] = (struct pollfd){
			.fd = perfgrp_group_fd(rec->groups[i].fd),
			.events = events,
		};
}

/* --control has been closed: do not poll it any more. */
void record_forget_control(const struct record *rec)
{
	rec->polls[POLL_OTHER].fd = -1;
}

/**
 * record_poll - wait until there is something to do
 * @rec: after record_set_polls()
 * @timeout: maximum time in ms; -1: no limit
 *
 * A group whose task has exited, or whose cgroup was removed, returns POLLHUP from then on, so it
 * is not polled again. The removal of a cgroup is reported.
 *
 * Return: 1 if all groups have hung up, 0 if not, or a negative errno after printing an error
 */
int record_poll(const struct record *rec, int timeout)
{
	struct pollfd *polls = &rec->polls[POLL_GROUPS];
	bool gone = true;
	size_t i;
	int err;

	if (poll(rec->polls, rec->nr_groups + POLL_GROUPS, timeout) < 0) {
		err = -errno;
		error("poll: %s", strerror(errno));
		return err;
	}
	for (i = 0; i < rec->nr_groups; i++) {
		if (polls[i].revents & (POLLHUP | POLLERR | POLLNVAL)) {
			polls[i].fd = -1;
			if (polls[i].revents & POLLHUP && cgroup_of(rec->groups[i].events))
				cgroup_say_removed(cgroup_of(rec->groups[i].events));
		}
		gone &= polls[i].fd < 0;
	}
	return gone;
}

/**
 * record_close - close all groups
 * @rec: the groups
 */
void record_close(struct record *rec)
{
	size_t i;

	for (i = 0; i < rec->nr_groups; i++) {
		perfgrp_group_close(rec->groups[i].fd);
		free((void *)rec->groups[i].source.ids);
	}
	free(rec->groups);
	free(rec->counters);
	free(rec->polls);
	rec->groups = NULL;
	rec->counters = NULL;
	rec->polls = NULL;
	rec->nr_groups = 0;
	rec->room_groups = 0;
}
