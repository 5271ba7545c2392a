// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* PERFGRP_BACKEND=perf: groups, and all their ioctls except PERFGRP_ADD and PERFGRP_SNAPSHOT. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf.h"
#include "pool.h"

#define FEATURES	(PERFGRP_FEATURE_SCHED_GROUP | PERFGRP_FEATURE_INHERIT | \
			 PERFGRP_FEATURE_NO_MUX | PERFGRP_FEATURE_UNPRIVILEGED | \
			 PERFGRP_FEATURE_CGROUP)
#define CREATE_FLAGS	(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT | \
			 PERFGRP_CREATE_ENABLE_ON_EXEC | PERFGRP_CREATE_NO_MUX | \
			 PERFGRP_CREATE_EXCLUSIVE | PERFGRP_CREATE_ONE_SCHED_GROUP | \
			 PERFGRP_CREATE_USE_CLOCKID)

/**
 * perfgrp_perf_fail - fill in an error
 * @error: filled in
 * @err: the errno, positive
 * @reason: the reason
 * @fmt: one line of English
 *
 * Return: -@err
 */
int perfgrp_perf_fail(struct perfgrp_error *error, int err, enum perfgrp_reason reason,
		      const char *fmt, ...)
{
	va_list ap;

	perfgrp_set_error(error, err);
	error->reason = reason;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return -err;
}

int perfgrp_perf_needs_module(struct perfgrp_error *error, const char *what)
{
	return perfgrp_perf_fail(error, EOPNOTSUPP, PERFGRP_REASON_FEATURE,
				 "%s needs the module perfgrp; this group uses perf_event_open()",
				 what);
}

/* ---- CPUs ------------------------------------------------------------------------- */

#define SYS_CPUS	"/sys/devices/system/cpu"

/* Parses the next range of a CPU list such as "0,2-5"; false at its end or if it is NULL. */
bool perfgrp_perf_next_cpus(const char **list, long *first, long *last)
{
	char *end;

	if (!*list || **list < '0' || **list > '9')
		return false;
	*first = strtol(*list, &end, 10);
	*last = *end == '-' ? strtol(end + 1, &end, 10) : *first;
	*list = *end == ',' ? end + 1 : end;
	return true;
}

static bool add_place(struct pool *pool, struct perf_group *group, size_t *room, int cpu)
{
	struct perf_place *larger;

	larger = perfgrp_pool_grow(pool, group->places, group->nr_places, room, sizeof(*larger));
	if (!larger)
		return false;
	group->places = larger;
	larger[group->nr_places++].cpu = cpu;
	return true;
}

static int no_sysfs(struct perfgrp_error *error, const char *path, int err)
{
	const bool is_limit = err == EMFILE || err == ENFILE;

	return perfgrp_perf_fail(error, err,
				 is_limit ? PERFGRP_REASON_LIMIT : PERFGRP_REASON_KERNEL,
				 "%s: %s", path, strerror(err));
}

/* Adds the CPUs that are online now; CPUs that come online later are not counted. */
static int add_online_cpus(struct pool *pool, struct perf_group *group,
			   struct perfgrp_error *error)
{
	const char *list = perfgrp_read_file(pool, SYS_CPUS "/online");
	const int err = list || !errno ? EIO : errno;
	long first, last;
	size_t room = 0;

	while (perfgrp_perf_next_cpus(&list, &first, &last))
		for (; first <= last; first++)
			if (!add_place(pool, group, &room, first))
				return -ENOMEM;
	if (pool->failed)
		return -ENOMEM;
	return group->nr_places ? 0 : no_sysfs(error, SYS_CPUS "/online", err);
}

/* Fails if there is no such CPU. Opens nothing, since there may be no more file descriptors. */
static int find_cpu(__u32 cpu, struct perfgrp_error *error)
{
	char path[sizeof(SYS_CPUS) + 16];
	struct stat st;
	int err;

	snprintf(path, sizeof(path), SYS_CPUS "/cpu%u", cpu);
	if (!stat(path, &st))
		return 0;
	err = errno;
	if (err != ENOENT || stat(SYS_CPUS, &st))
		return no_sysfs(error, path, err);
	return perfgrp_perf_fail(error, ENODEV, PERFGRP_REASON_CPU, "there is no CPU %u", cpu);
}

static int add_cpus(struct pool *pool, struct perf_group *group, const struct perfgrp_create *how,
		    struct perfgrp_error *error)
{
	const __u32 *cpus = (const __u32 *)(unsigned long)how->cpus;
	size_t room = 0;
	__u32 i, j;
	int err;

	for (i = 0; i < how->nr_cpus; i++) {
		for (j = 0; j < i; j++) {
			if (cpus[j] != cpus[i])
				continue;
			err = perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_CPU,
						"CPU %u is listed twice", cpus[i]);
			error->cpu = cpus[i];
			return err;
		}
		err = find_cpu(cpus[i], error);
		if (err) {
			error->cpu = cpus[i];
			return err;
		}
		if (!add_place(pool, group, &room, cpus[i]))
			return -ENOMEM;
	}
	return 0;
}

static int add_places(struct pool *pool, struct perf_group *group,
		      const struct perfgrp_create *how, struct perfgrp_error *error)
{
	size_t room = 0;

	if (how->nr_cpus)
		return add_cpus(pool, group, how, error);
	if (group->target == PERFGRP_TARGET_TASK)
		return add_place(pool, group, &room, -1) ? 0 : -ENOMEM;
	return add_online_cpus(pool, group, error);
}

/* ---- groups ----------------------------------------------------------------------- */

/* Can a target have @nr CPUs? */
static bool takes_cpus(__u32 target, __u32 nr)
{
	switch (target) {
	case PERFGRP_TARGET_TASK:
		return nr <= 1;
	case PERFGRP_TARGET_CPUS:
		return nr;
	case PERFGRP_TARGET_ALL_CPUS:
		return !nr;
	}
	return true;
}

static bool is_clock(int clockid)
{
	switch (clockid) {
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_BOOTTIME:
	case CLOCK_REALTIME:
	case CLOCK_TAI:
		return true;
	}
	return false;
}

static int check_create(const struct perfgrp_create *how, struct perfgrp_error *error)
{
	const bool on_task = how->target == PERFGRP_TARGET_TASK;

	if (how->flags & ~CREATE_FLAGS)
		return perfgrp_perf_fail(error, EOPNOTSUPP, PERFGRP_REASON_FEATURE,
					 "flags: %#x needs the module perfgrp",
					 how->flags & ~CREATE_FLAGS);
	if (how->buffer_size || how->sample_type)
		return perfgrp_perf_needs_module(error, "a group with a buffer");
	if (how->flags & PERFGRP_CREATE_USE_CLOCKID && how->clockid == PERFGRP_CLOCK_PERF)
		return perfgrp_perf_needs_module(error, "PERFGRP_CLOCK_PERF");
	if (how->flags & PERFGRP_CREATE_USE_CLOCKID ? !is_clock(how->clockid) : how->clockid)
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_RESERVED,
					 "clockid: clock %d is not supported, or USE_CLOCKID is not set",
					 how->clockid);
	if (how->wakeup_records || how->wakeup_bytes || how->reserved || how->reserved2 ||
	    how->sample_max_stack || how->split_depth || how->split_max || how->map_interval)
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_RESERVED,
					 "a field that is not used without the module is not zero");
	if (how->target == PERFGRP_TARGET_PIDFD)
		return perfgrp_perf_needs_module(error, "a task named by a pidfd");
	if (how->target != PERFGRP_TARGET_TASK && how->target != PERFGRP_TARGET_CPUS &&
	    how->target != PERFGRP_TARGET_ALL_CPUS && how->target != PERFGRP_TARGET_CGROUP)
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_TARGET, "unknown target");
	if (!takes_cpus(how->target, how->nr_cpus))
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_TARGET,
					 "nr_cpus: this target cannot have %u CPUs", how->nr_cpus);
	if (!on_task &&
	    how->flags & (PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC))
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_FLAGS,
					 "INHERIT and ENABLE_ON_EXEC are for task targets only");
	if (how->flags & PERFGRP_CREATE_ENABLED && how->flags & PERFGRP_CREATE_ENABLE_ON_EXEC)
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_FLAGS,
					 "ENABLED and ENABLE_ON_EXEC cannot be used together");
	return 0;
}

/* Sets the pid argument of perf_event_open(), and the pidfd. */
static int set_target(struct perf_group *group, const struct perfgrp_create *how,
		      struct perfgrp_error *error)
{
	group->pid = -1;
	group->pidfd = -1;
	if (group->target == PERFGRP_TARGET_TASK) {
		if (how->pid < 0)
			return perfgrp_perf_fail(error, ESRCH, PERFGRP_REASON_PID,
						 "there is no task %d", how->pid);
		group->pid = how->pid ? how->pid : (int)syscall(SYS_gettid);
		group->pidfd = syscall(SYS_pidfd_open, group->pid, 0);
	} else if (group->target == PERFGRP_TARGET_CGROUP) {
		group->pid = fcntl(how->target_fd, F_DUPFD_CLOEXEC, 0);
		if (group->pid < 0)
			return perfgrp_perf_fail(error, errno, PERFGRP_REASON_CGROUP,
						 "target_fd: %s", strerror(errno));
	}
	return 0;
}

/**
 * perfgrp_perf_create - PERFGRP_CREATE
 * @arg: the caller's struct perfgrp_create
 * @size: its size
 * @to: set to the group
 * @error: filled in on failure
 *
 * Return: 0 or a negative errno
 */
int perfgrp_perf_create(const void *arg, size_t size, struct perf_group **to,
			struct perfgrp_error *error)
{
	struct perfgrp_create how = { 0 };
	struct pool pool = { 0 };
	struct perf_group *group;
	int err;

	memcpy(&how, arg, size < sizeof(how) ? size : sizeof(how));
	err = check_create(&how, error);
	if (err)
		return err;
	group = calloc(1, sizeof(*group));
	if (!group)
		return perfgrp_perf_fail(error, ENOMEM, PERFGRP_REASON_MEMORY, "no memory");
	group->flags = how.flags;
	group->target = how.target;
	group->all_cpus = how.target != PERFGRP_TARGET_TASK && !how.nr_cpus;
	group->enabled = how.flags & PERFGRP_CREATE_ENABLED;
	group->awaits_exec = how.flags & PERFGRP_CREATE_ENABLE_ON_EXEC;
	group->clockid = how.flags & PERFGRP_CREATE_USE_CLOCKID ? how.clockid : CLOCK_MONOTONIC;
	perfgrp_set_error(error, 0);
	err = add_places(&pool, group, &how, error);
	if (err && !error->error)
		perfgrp_set_error(error, -err);
	if (!err) {
		struct perf_place *places = calloc(group->nr_places, sizeof(*places));

		if (places)
			memcpy(places, group->places, group->nr_places * sizeof(*places));
		else
			err = perfgrp_perf_fail(error, ENOMEM, PERFGRP_REASON_MEMORY, "no memory");
		group->places = places;
	} else {
		group->places = NULL;
	}
	perfgrp_pool_free(&pool);
	if (!err)
		err = set_target(group, &how, error);
	if (err) {
		free(group->places);
		free(group);
		return err;
	}
	*to = group;
	return 0;
}

void perfgrp_perf_close(struct perf_group *group)
{
	__u32 m;

	for (m = 0; m < group->nr_members; m++)
		perfgrp_perf_close_member(group, &group->members[m]);
	if (group->target == PERFGRP_TARGET_CGROUP)
		close(group->pid);
	if (group->pidfd >= 0)
		close(group->pidfd);
	free(group->buffer);
	free(group->members);
	free(group->places);
	free(group);
}

/**
 * perfgrp_perf_get_info - PERFGRP_GET_INFO
 * @arg: the caller's struct perfgrp_info, zeros
 * @size: its size
 *
 * Return: 0
 */
int perfgrp_perf_get_info(void *arg, size_t size)
{
	struct perfgrp_info info = {
		.features = FEATURES,
		.max_members = PERF_MAX_MEMBERS,
		.nr_cpu_ids = sysconf(_SC_NPROCESSORS_CONF),
		.max_groups = UINT_MAX,
		.abi_version = PERFGRP_ABI_VERSION,
		.version = "none (PERFGRP_BACKEND=perf)",
	};

	memcpy(arg, &info, size < sizeof(info) ? size : sizeof(info));
	return 0;
}

/* ---- what all members do ---------------------------------------------------------- */

/* Does a member lead a scheduling group in a place? */
bool perfgrp_perf_leads(const struct perf_group *group, __u32 member, __u32 place)
{
	const struct perf_instance *at = &group->members[member].at[place];

	return at->fd >= 0 && at->leader == member;
}

/* Resets counts and times: the values last read are the new zero. */
void perfgrp_perf_begin_anew(struct perf_group *group)
{
	__u32 m, i;

	for (m = 0; m < group->nr_members; m++)
		for (i = 0; i < group->nr_places; i++)
			group->members[m].at[i].base = group->members[m].at[i].now;
	group->counted = group->enabled;
	group->generation++;
}

/* Enables or disables all events, one scheduling group after the other. */
void perfgrp_perf_switch(const struct perf_group *group, bool on)
{
	const unsigned long nr = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	__u32 m, i;

	for (m = 0; m < group->nr_members; m++)
		for (i = 0; i < group->nr_places; i++)
			if (perfgrp_perf_leads(group, m, i))
				ioctl(group->members[m].at[i].fd, nr, 0);
}

/* With NO_MUX, fails if the PMU of a CPU has no room for the events. */
int perfgrp_perf_check_room(struct perf_group *group, struct perfgrp_error *error)
{
	__u32 m, i;
	int err;

	if (!(group->flags & PERFGRP_CREATE_NO_MUX) || group->target == PERFGRP_TARGET_TASK)
		return 0;
	perfgrp_perf_read(group);
	for (m = 0; m < group->nr_members; m++) {
		for (i = 0; i < group->nr_places; i++) {
			const struct perf_instance *at = &group->members[m].at[i];

			if (at->fd < 0 || !at->failed)
				continue;
			err = perfgrp_perf_fail(error, EBUSY, PERFGRP_REASON_PMU_BUSY,
						"the PMU of CPU %d has no free counter for it now",
						group->places[i].cpu);
			error->cpu = group->places[i].cpu;
			error->member = group->members[m].counter.id;
			return err;
		}
	}
	return 0;
}

static int enable(struct perf_group *group, struct perfgrp_error *error)
{
	const bool was_enabled = group->enabled;
	__u32 i;
	int err;

	perfgrp_perf_read(group);
	perfgrp_perf_switch(group, true);
	group->enabled = true;
	group->counted = true;
	group->awaits_exec = false;
	for (i = 0; i < group->nr_places; i++)
		group->places[i].time = perfgrp_perf_now(group);
	err = perfgrp_perf_check_room(group, error);
	if (err && !was_enabled) {
		perfgrp_perf_switch(group, false);
		group->enabled = false;
	}
	return err;
}

static int disable(struct perf_group *group)
{
	perfgrp_perf_switch(group, false);
	group->enabled = false;
	/* What has passed is not by an exec, but the events still wait for one. */
	group->awaits_exec = false;
	perfgrp_perf_read(group);
	group->awaits_exec = group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC;
	return 0;
}

static int reset(struct perf_group *group)
{
	perfgrp_perf_read(group);
	perfgrp_perf_begin_anew(group);
	return 0;
}

/* ---- removing --------------------------------------------------------------------- */

/*
 * When a leader is closed, the perf core makes each sibling a group of its own, whose times may
 * differ. Saves what the siblings had counted in @then; the entries of other members stay zero.
 */
static void release_siblings(struct perf_group *group, __u32 leader, struct perf_count *then)
{
	__u32 m, i;

	for (m = 0; m < group->nr_members; m++) {
		for (i = 0; i < group->nr_places; i++, then++) {
			struct perf_instance *at = &group->members[m].at[i];

			if (m == leader || at->fd < 0 || at->leader != leader)
				continue;
			*then = at->now;
			at->leader = m;
			if (!group->enabled)
				ioctl(at->fd, PERF_EVENT_IOC_DISABLE, 0);
		}
	}
}

/* Keeps the times shown by a former sibling as they were at @then. */
static void keep_shown(struct perf_instance *at, const struct perf_count *then)
{
	if (!then->enabled)
		return;
	at->base.enabled += at->now.enabled - then->enabled;
	at->base.running += at->now.running - then->running;
}

/* Closes a member, which may lead others, and removes it from the array. */
static void take_out(struct perf_group *group, __u32 which, struct perf_count *then)
{
	__u32 m, i;

	perfgrp_perf_read(group);
	release_siblings(group, which, then);
	perfgrp_perf_close_member(group, &group->members[which]);
	group->nr_members--;
	for (m = which; m < group->nr_members; m++)
		group->members[m] = group->members[m + 1];
	for (m = 0; m < group->nr_members; m++)
		for (i = 0; i < group->nr_places; i++)
			if (group->members[m].at[i].leader > which)
				group->members[m].at[i].leader--;
	perfgrp_perf_read(group);
	for (m = which; m < group->nr_members; m++)
		for (i = 0; i < group->nr_places; i++)
			keep_shown(&group->members[m].at[i],
				   &then[(m + 1) * group->nr_places + i]);
}

/*
 * Flags with which a leader with siblings cannot be removed: its siblings would be scheduled
 * separately, and without the attributes that only leaders have.
 */
#define KEEPS_LEADERS	(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC | \
			 PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_EXCLUSIVE | \
			 PERFGRP_CREATE_ONE_SCHED_GROUP)

static bool leads_others(const struct perf_group *group, __u32 leader)
{
	__u32 m, i;

	for (m = 0; m < group->nr_members; m++)
		for (i = 0; i < group->nr_places; i++)
			if (m != leader && group->members[m].at[i].fd >= 0 &&
			    group->members[m].at[i].leader == leader)
				return true;
	return false;
}

static int remove_member(struct perf_group *group, const struct perfgrp_remove *arg,
			 struct perfgrp_error *error)
{
	struct perf_count *then;
	__u32 which, m;

	if (arg->flags & ~PERFGRP_REMOVE_CASCADE)
		return perfgrp_perf_fail(error, EOPNOTSUPP, PERFGRP_REASON_FLAGS,
					 "unknown flags %#x",
					 arg->flags & ~PERFGRP_REMOVE_CASCADE);
	for (which = 0; which < group->nr_members; which++)
		if (group->members[which].counter.id == arg->id)
			break;
	if (which == group->nr_members)
		return perfgrp_perf_fail(error, ENOENT, PERFGRP_REASON_MEMBER,
					 "the group has no member %u", arg->id);
	if (!which && group->nr_members > 1 && !(arg->flags & PERFGRP_REMOVE_CASCADE))
		return perfgrp_perf_fail(error, EBUSY, PERFGRP_REASON_LEADER,
					 "the group's leader still has members; remove them first, or all with CASCADE");
	if (!which) {
		for (m = 0; m < group->nr_members; m++)
			perfgrp_perf_close_member(group, &group->members[m]);
		group->nr_members = 0;
		group->generation++;
		return 0;
	}
	if (group->flags & KEEPS_LEADERS && leads_others(group, which))
		return perfgrp_perf_fail(error, EBUSY, PERFGRP_REASON_LEADER,
					 "it is the scheduling leader of other members; remove them first");
	then = calloc((size_t)group->nr_members * group->nr_places, sizeof(*then));
	if (!then)
		return perfgrp_perf_fail(error, ENOMEM, PERFGRP_REASON_MEMORY, "no memory");
	take_out(group, which, then);
	free(then);
	group->generation++;
	return 0;
}

/* ---- query ------------------------------------------------------------------------ */

/* A cgroup's id is the inode number of its directory. */
static __u64 cgroup_id(const struct perf_group *group)
{
	struct stat st;

	if (group->target != PERFGRP_TARGET_CGROUP || fstat(group->pid, &st))
		return 0;
	return st.st_ino;
}

static int query(struct perf_group *group, struct perfgrp_query *arg,
		 struct perfgrp_error *error)
{
	char *to = (char *)(unsigned long)arg->counters;
	const __u32 room = arg->nr_counters;
	__u32 m;

	/* An exec may have enabled the group. */
	perfgrp_perf_read(group);
	arg->nr_counters = group->nr_members;
	if (room < group->nr_members)
		return perfgrp_perf_fail(error, EMSGSIZE, PERFGRP_REASON_BUFFER,
					 "the array has room for %u of %u counters", room,
					 group->nr_members);
	for (m = 0; m < group->nr_members; m++) {
		struct perfgrp_counter counter = group->members[m].counter;

		counter.pmu = group->nr_places ? group->members[m].at[0].pmu : PERFGRP_NONE;
		memcpy(to + m * arg->counter_size, &counter, sizeof(counter));
	}
	arg->create_flags = group->flags;
	arg->target = group->target;
	arg->pid = 0;
	arg->task_state = PERFGRP_TASK_NONE;
	if (group->target == PERFGRP_TARGET_TASK)
		arg->task_state = perfgrp_perf_has_exited(group) ? PERFGRP_TASK_EXITED :
								   PERFGRP_TASK_ALIVE;
	if (arg->task_state == PERFGRP_TASK_ALIVE)
		arg->pid = group->pid;
	arg->enabled = group->enabled;
	arg->clockid = group->clockid;
	arg->generation = group->generation;
	arg->cgroup_id = cgroup_id(group);
	return 0;
}

/**
 * perfgrp_perf_call - an ioctl of a group
 * @group: the group
 * @nr: the ioctl
 * @arg: its struct, with the library's size
 * @error: filled in on failure
 *
 * Return: 0 or a negative errno
 */
int perfgrp_perf_call(struct perf_group *group, unsigned long nr, void *arg,
		      struct perfgrp_error *error)
{
	switch (nr) {
	case PERFGRP_ADD:
		return perfgrp_perf_add(group, arg, error);
	case PERFGRP_REMOVE:
		return remove_member(group, arg, error);
	case PERFGRP_ENABLE:
		return enable(group, error);
	case PERFGRP_DISABLE:
		return disable(group);
	case PERFGRP_RESET:
		return reset(group);
	case PERFGRP_QUERY:
		return query(group, arg, error);
	case PERFGRP_SNAPSHOT:
		return perfgrp_perf_snapshot(group, arg, error);
	}
	return perfgrp_perf_needs_module(error, "this call");
}
