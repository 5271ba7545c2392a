// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* PERFGRP_BACKEND=perf: adding members, all or none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf.h"
#include "pmu.h"

#define COUNTER_FLAGS	(PERFGRP_COUNTER_RAW | PERFGRP_COUNTER_EXCLUDE_USER | \
			 PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV | \
			 PERFGRP_COUNTER_EXCLUDE_IDLE | PERFGRP_COUNTER_EXCLUDE_HOST | \
			 PERFGRP_COUNTER_EXCLUDE_GUEST | PERFGRP_COUNTER_FREQ)

/**
 * struct adding - a call to PERFGRP_ADD
 * @group: the group
 * @error: filled in on failure
 * @index: index of the counter that is being added
 * @pool: memory for the time of the call
 * @pmus: the machine's PMUs
 * @nr_pmus: how many
 * @nr_core_pmus: how many of them are core PMUs; more than one on hybrid CPUs
 */
struct adding {
	struct perf_group *group;
	struct perfgrp_error *error;
	__u32 index;
	struct pool pool;
	struct {
		__u32 type;
		bool is_core;
		const char *cpus;
	} *pmus;
	size_t nr_pmus;
	size_t nr_core_pmus;
};

static int no_memory(struct adding *add)
{
	return perfgrp_perf_fail(add->error, ENOMEM, PERFGRP_REASON_MEMORY, "no memory");
}

/* ---- PMUs ------------------------------------------------------------------------- */

static int find_pmus(struct adding *add)
{
	struct strings names = perfgrp_pmu_names(&add->pool, NULL);
	struct pmu_dir pmu;
	size_t i;

	add->pmus = perfgrp_pool_alloc(&add->pool, names.nr, sizeof(*add->pmus));
	for (i = 0; i < names.nr && add->pmus; i++) {
		const char *cpus;

		if (perfgrp_pmu_open(&pmu, &add->pool, NULL, names.s[i]))
			continue;
		cpus = perfgrp_read_file(&add->pool, "%s/cpus", pmu.dir);
		add->pmus[add->nr_pmus].type = pmu.type;
		add->pmus[add->nr_pmus].is_core = cpus || !strcmp(pmu.name, "cpu");
		add->pmus[add->nr_pmus].cpus =
			cpus ? cpus : perfgrp_read_file(&add->pool, "%s/cpumask", pmu.dir);
		add->nr_core_pmus += add->pmus[add->nr_pmus].is_core;
		add->nr_pmus++;
	}
	return add->pool.failed ? no_memory(add) : 0;
}

static bool list_has(const char *list, int cpu)
{
	long first, last;

	while (perfgrp_perf_next_cpus(&list, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

/* Events that need no hardware counter are not grouped. */
static bool is_alone(__u32 type)
{
	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
	       type == PERF_TYPE_BREAKPOINT;
}

/*
 * Returns the type of the PMU that counts an event on @cpu, or of a task on all CPUs (-1).
 * PERFGRP_NONE if the event must not be opened on @cpu, because it is not in the PMU's sysfs file
 * cpumask (uncore: one CPU per package) or cpus (one kind of core).
 */
static __u32 pmu_of(const struct adding *add, __u32 type, int cpu)
{
	const bool generic = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
			     type == PERF_TYPE_RAW;
	size_t i;

	if (is_alone(type))
		return type;
	for (i = 0; i < add->nr_pmus; i++) {
		const char *cpus = add->pmus[i].cpus;

		if (generic ? !add->pmus[i].is_core : add->pmus[i].type != type)
			continue;
		if (cpu < 0 || !cpus || list_has(cpus, cpu))
			return add->pmus[i].type;
		if (!generic)
			return PERFGRP_NONE;
	}
	return type;
}

/* ---- events ----------------------------------------------------------------------- */

/* Older <linux/perf_event.h> lack attr.config3, which is words[16]. */
union attr {
	struct perf_event_attr attr;
	__u64 words[17];
};

static void fill_attr(const struct perf_group *group, const struct perfgrp_counter *counter,
		      bool leads, union attr *to)
{
	struct perf_event_attr *attr = &to->attr;

	memset(to, 0, sizeof(*to));
	attr->size = counter->config3 ? sizeof(*to) : PERF_ATTR_SIZE_VER5;
	attr->type = perfgrp_counter_type(counter);
	attr->config = perfgrp_counter_config(counter);
	attr->config1 = counter->config1;
	attr->config2 = counter->config2;
	to->words[16] = counter->config3;
	attr->bp_type = counter->bp_type;
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->exclude_user = !!(counter->flags & PERFGRP_COUNTER_EXCLUDE_USER);
	attr->exclude_kernel = !!(counter->flags & PERFGRP_COUNTER_EXCLUDE_KERNEL);
	attr->exclude_hv = !!(counter->flags & PERFGRP_COUNTER_EXCLUDE_HV);
	attr->exclude_idle = !!(counter->flags & PERFGRP_COUNTER_EXCLUDE_IDLE);
	attr->exclude_host = !!(counter->flags & PERFGRP_COUNTER_EXCLUDE_HOST);
	attr->exclude_guest = !!(counter->flags & PERFGRP_COUNTER_EXCLUDE_GUEST);
	attr->precise_ip = counter->precise_ip;
	attr->inherit = !!(group->flags & PERFGRP_CREATE_INHERIT);
	/* Siblings follow their leader. */
	if (!leads)
		return;
	attr->enable_on_exec = !!(group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC);
	attr->exclusive = !!(group->flags & PERFGRP_CREATE_EXCLUSIVE);
	attr->pinned = !!(group->flags & PERFGRP_CREATE_NO_MUX);
}

/* Returns the fd, or a negative errno. */
static int open_event(const struct perf_group *group, const struct perfgrp_counter *counter,
		      int cpu, int leader)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	union attr attr;
	int fd;

	if (group->target == PERFGRP_TARGET_CGROUP)
		flags |= PERF_FLAG_PID_CGROUP;
	fill_attr(group, counter, leader < 0, &attr);
	fd = syscall(SYS_perf_event_open, &attr, group->pid, cpu, leader, flags);
	return fd < 0 ? -errno : fd;
}

/* Fills in the error after perf_event_open() failed; an errno is all that it returns. */
static int explain(struct adding *add, const struct perfgrp_counter *counter, int cpu, int leader,
		   int err)
{
	char *name = perfgrp_event_name(NULL, counter, sizeof(*counter));
	enum perfgrp_reason reason = PERFGRP_REASON_KERNEL;
	const char *why = NULL;
	int fd;

	switch (err) {
	case ENODEV:
		if (cpu >= 0) {
			reason = PERFGRP_REASON_CPU_OFFLINE;
			why = "the CPU is offline";
			break;
		}
		/* fallthrough */
	case ENOENT:
	case EOPNOTSUPP:
		reason = PERFGRP_REASON_EVENT;
		why = "no PMU of this machine counts it";
		break;
	case EACCES:
	case EPERM:
		reason = PERFGRP_REASON_PRIVILEGE;
		why = "needs CAP_PERFMON, or a lower sysctl kernel.perf_event_paranoid";
		break;
	case ESRCH:
		reason = PERFGRP_REASON_PID;
		why = "no such task";
		break;
	case EBUSY:
		reason = PERFGRP_REASON_PMU_BUSY;
		why = "the PMU is in use";
		break;
	case EMFILE:
	case ENFILE:
		reason = PERFGRP_REASON_LIMIT;
		why = "too many open files: each event needs one per CPU (RLIMIT_NOFILE)";
		break;
	case ENOMEM:
		reason = PERFGRP_REASON_MEMORY;
		break;
	case EINVAL:
		reason = PERFGRP_REASON_EVENT_OPTION;
		why = "the PMU refuses its config or options";
		fd = leader < 0 ? -1 : open_event(add->group, counter, cpu, -1);
		if (fd < 0)
			break;
		close(fd);
		reason = PERFGRP_REASON_PMU_FULL;
		why = "the PMU cannot count it together with the members before it";
		break;
	}
	perfgrp_perf_fail(add->error, err, reason, "%s: %s", name ? name : "event",
			  why ? why : strerror(err));
	free(name);
	add->error->member = add->index;
	add->error->cpu = cpu;
	return -err;
}

/* Returns the leader of the scheduling group to join in a place; @member itself if none. */
static __u32 leader_for(const struct perf_group *group, __u32 member, __u32 place, __u32 pmu)
{
	__u32 m;

	for (m = 0; m < member && !is_alone(pmu); m++)
		if (perfgrp_perf_leads(group, m, place) && group->members[m].at[place].pmu == pmu)
			return m;
	return member;
}

static bool has_hardware(const struct perf_group *group, __u32 members, __u32 place)
{
	__u32 m;

	for (m = 0; m < members; m++)
		if (perfgrp_perf_leads(group, m, place) &&
		    !is_alone(group->members[m].at[place].pmu))
			return true;
	return false;
}

static int open_in(struct adding *add, __u32 m, __u32 place)
{
	struct perf_group *group = add->group;
	struct perf_member *member = &group->members[m];
	struct perf_instance *at = &member->at[place];
	const int cpu = group->places[place].cpu;
	int leader = -1, fd;

	at->pmu = pmu_of(add, perfgrp_counter_type(&member->counter), cpu);
	if (at->pmu == PERFGRP_NONE)
		return 0;
	at->leader = leader_for(group, m, place, at->pmu);
	if (at->leader != m)
		leader = group->members[at->leader].at[place].fd;
	if (leader < 0 && group->flags & PERFGRP_CREATE_ONE_SCHED_GROUP && !is_alone(at->pmu) &&
	    has_hardware(group, m, place))
		return perfgrp_perf_fail(add->error, EINVAL, PERFGRP_REASON_EVENT_TARGET,
					 "ONE_SCHED_GROUP: its PMU is not that of the members before it");
	fd = open_event(group, &member->counter, cpu, leader);
	if (fd < 0) {
		at->pmu = PERFGRP_NONE;
		/* On hybrid CPUs a generic event may count on one kind of core only. */
		if (fd == -ENOENT && cpu >= 0 && add->nr_core_pmus > 1)
			return 0;
		/* The CPU went offline after the group was created; the caller did not name it. */
		if (fd == -ENODEV && group->all_cpus) {
			at->failed = true;
			return 0;
		}
		return explain(add, &member->counter, cpu, leader, -fd);
	}
	at->fd = fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &at->id))
		return perfgrp_perf_fail(add->error, errno, PERFGRP_REASON_KERNEL, "%s",
					 strerror(errno));
	return 0;
}

void perfgrp_perf_close_member(const struct perf_group *group, struct perf_member *member)
{
	__u32 i;

	for (i = 0; i < group->nr_places; i++)
		if (member->at[i].fd >= 0)
			close(member->at[i].fd);
	free(member->at);
	member->at = NULL;
}

/* ---- the call --------------------------------------------------------------------- */

static int check_counter(struct adding *add, const struct perfgrp_counter *counter)
{
	const bool raw = counter->flags & PERFGRP_COUNTER_RAW;

	if (counter->sample_period || counter->min_delta || counter->flags & PERFGRP_COUNTER_FREQ)
		return perfgrp_perf_needs_module(add->error, "sampling");
	if (raw ? counter->event : !(counter->event & PERFGRP_EVENT_VALID))
		return perfgrp_perf_fail(add->error, EINVAL, PERFGRP_REASON_EVENT,
					 "event: must be a PERFGRP_EVENT(), or 0 with PERFGRP_COUNTER_RAW");
	if (counter->flags & ~COUNTER_FLAGS)
		return perfgrp_perf_fail(add->error, EOPNOTSUPP, PERFGRP_REASON_FLAGS,
					 "unknown counter flags %#x",
					 counter->flags & ~COUNTER_FLAGS);
	if (!raw && (counter->type || counter->config || counter->config1 || counter->config2 ||
		     counter->config3 || counter->bp_type))
		return perfgrp_perf_fail(add->error, EINVAL, PERFGRP_REASON_RESERVED,
					 "type, config and bp_type are for the raw form only (COUNTER_RAW)");
	if (counter->id)
		return perfgrp_perf_fail(add->error, EINVAL, PERFGRP_REASON_RESERVED,
					 "id: must be 0");
	return 0;
}

/* Adds a member. On failure it may stay in the array, for perfgrp_perf_add() to close. */
static int add_member(struct adding *add, const struct perfgrp_counter *counter)
{
	struct perf_group *group = add->group;
	struct perf_member *member = &group->members[group->nr_members];
	__u32 i, opened = 0, offline = PERFGRP_NONE;
	int err;

	member->counter = *counter;
	member->at = calloc(group->nr_places, sizeof(*member->at));
	if (!member->at)
		return no_memory(add);
	group->nr_members++;
	for (i = 0; i < group->nr_places; i++)
		member->at[i].fd = -1;
	for (i = 0; i < group->nr_places; i++) {
		err = open_in(add, group->nr_members - 1, i);
		if (err)
			return err;
		opened += member->at[i].fd >= 0;
		if (member->at[i].failed)
			offline = i;
	}
	if (!opened && offline != PERFGRP_NONE)
		return explain(add, counter, group->places[offline].cpu, -1, ENODEV);
	if (!opened)
		return perfgrp_perf_fail(add->error, EINVAL, PERFGRP_REASON_EVENT_TARGET,
					 "its PMU does not count on any of these CPUs");
	return 0;
}

static int make_room(struct adding *add, __u32 nr)
{
	struct perf_group *group = add->group;
	struct perf_member *members;
	__u64 *buffer;

	if (nr > PERF_MAX_MEMBERS - group->nr_members)
		return perfgrp_perf_fail(add->error, ENOSPC, PERFGRP_REASON_LIMIT,
					 "a group has %u members at most", PERF_MAX_MEMBERS);
	members = reallocarray(group->members, group->nr_members + nr, sizeof(*members));
	if (members)
		group->members = members;
	/* read(2) returns nr, time_enabled, time_running, and value and id of each event. */
	buffer = reallocarray(group->buffer, 3 + 2 * (group->nr_members + nr), sizeof(*buffer));
	if (buffer)
		group->buffer = buffer;
	return members && buffer ? 0 : no_memory(add);
}

static int add_all(struct adding *add, const struct perfgrp_add *arg)
{
	const char *from = (const char *)(unsigned long)arg->counters;
	int err;

	err = make_room(add, arg->nr_counters);
	if (!err)
		err = find_pmus(add);
	for (; add->index < arg->nr_counters && !err; add->index++) {
		struct perfgrp_counter counter = { 0 };

		memcpy(&counter, from + add->index * (size_t)arg->counter_size,
		       arg->counter_size < sizeof(counter) ? arg->counter_size : sizeof(counter));
		err = check_counter(add, &counter);
		if (!err)
			err = add_member(add, &counter);
		if (err)
			add->error->member = add->index;
	}
	return err;
}

/*
 * Some drivers ignore a disabled leader when they check whether a new sibling fits on the PMU with
 * it. So a disabled group is enabled while members are added, and what it counts meanwhile must not
 * be shown: the first call saves the values shown (now - base) in @base, the second call sets @base
 * so that they are shown again.
 */
static void keep_shown(struct perf_group *group)
{
	__u32 m, i;

	perfgrp_perf_read(group);
	for (m = 0; m < group->nr_members; m++) {
		for (i = 0; i < group->nr_places; i++) {
			struct perf_instance *at = &group->members[m].at[i];

			at->base.raw = at->now.raw - at->base.raw;
			at->base.enabled = at->now.enabled - at->base.enabled;
			at->base.running = at->now.running - at->base.running;
		}
	}
}

/* If a CPU was offline for a new member, the perf core has dropped the other members' events. */
static void lose_offline_places(struct perf_group *group, __u32 first)
{
	__u32 m, i;

	for (m = first; m < group->nr_members; m++)
		for (i = 0; i < group->nr_places; i++)
			if (group->members[m].at[i].failed && group->members[m].at[i].fd < 0)
				group->places[i].lost = true;
}

/**
 * perfgrp_perf_add - PERFGRP_ADD
 * @group: the group
 * @arg: the counters; their ids are filled in
 * @error: filled in on failure
 *
 * Return: 0; or a negative errno with the group unchanged
 */
int perfgrp_perf_add(struct perf_group *group, struct perfgrp_add *arg,
		     struct perfgrp_error *error)
{
	struct adding add = { .group = group, .error = error };
	const __u32 before = group->nr_members;
	__u32 m;
	int err;

	if (!arg->nr_counters || arg->counter_size < PERFGRP_COUNTER_SIZE_VER0)
		return perfgrp_perf_fail(error, EINVAL, PERFGRP_REASON_EMPTY, "no counters");
	if (before && group->flags & PERFGRP_CREATE_INHERIT)
		return perfgrp_perf_fail(error, EOPNOTSUPP, PERFGRP_REASON_FEATURE,
					 "all members of an INHERIT group must be added in one call");
	/* An exec may have enabled the group. If the task has exited, its pid may be reused. */
	perfgrp_perf_read(group);
	if (perfgrp_perf_has_exited(group))
		return perfgrp_perf_fail(error, ESRCH, PERFGRP_REASON_PID, "the task has exited");
	if (!group->enabled) {
		group->adding = true;
		keep_shown(group);
		perfgrp_perf_switch(group, true);
	}
	err = add_all(&add, arg);
	if (!err && group->enabled) {
		err = perfgrp_perf_check_room(group, error);
		/* The members do not fit together: no single one is at fault. */
		error->member = PERFGRP_NONE;
	}
	perfgrp_pool_free(&add.pool);
	while (err && group->nr_members > before)
		perfgrp_perf_close_member(group, &group->members[--group->nr_members]);
	/* A pinned group that found no room is in error state: enable it without new members. */
	if (err && group->enabled && group->flags & PERFGRP_CREATE_NO_MUX)
		perfgrp_perf_switch(group, true);
	if (!group->enabled) {
		perfgrp_perf_switch(group, false);
		keep_shown(group);
		group->adding = false;
	}
	if (err)
		return err;
	lose_offline_places(group, before);
	for (m = before; m < group->nr_members; m++) {
		char *counter = (char *)(unsigned long)arg->counters +
				(m - before) * (size_t)arg->counter_size;

		group->members[m].counter.id = ++group->last_id;
		memcpy(counter + offsetof(struct perfgrp_counter, id),
		       &group->members[m].counter.id, sizeof(__u32));
	}
	perfgrp_perf_read(group);
	perfgrp_perf_begin_anew(group);
	return 0;
}
