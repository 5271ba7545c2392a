// SPDX-License-Identifier: GPL-2.0
/*
 * The perf events of one instance: created, started, stopped, accumulated, released.
 *
 * Process context. The group's lock is held for writing throughout.
 *
 * Scheduling sets. The hardware members that one PMU counts on one instance are
 * one scheduling group of the perf core: the first is its leader (the "set
 * leader"), the others are created under it and follow it on and off. Software
 * members are never multiplexed and stand alone. Where the perf core cannot be
 * made to link events, each member stands alone. Which events belong together is
 * not kept anywhere but in perf_event.group_leader itself.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat.h"
#include "perfcore.h"
#include "perfgrp.h"

/* ---- errors -------------------------------------------------------------- */

static int fail_event(struct perfgrp_group *group, const struct perfgrp_member *member, int cpu,
		      int ret, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	const char *name = perfgrp_event_name(&member->desc, buf);
	const char *field = member->desc.flags & PERFGRP_COUNTER_RAW ? "config" : "event";

	err->cpu = cpu;
	switch (ret) {
	case -ENOENT:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT, field,
				    "%s: no PMU of this machine counts it", name);
	case -EOPNOTSUPP:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT, field,
				    "%s: the PMU does not count it, or not with these options",
				    name);
	case -ENODEV:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT, field,
				    "%s: its device is not there", name);
	case -EINVAL:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION, field,
				    "%s: the PMU refuses this config or these options", name);
	case -ESRCH:
		return perfgrp_fail(err, ret, PERFGRP_REASON_PID, "pid", "the task has exited");
	case -EACCES:
	case -EPERM:
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, field,
				    "%s: the perf core does not let the caller count it", name);
	case -ENOSPC:
		return perfgrp_fail(err, ret, PERFGRP_REASON_LIMIT, field,
				    "%s: the hardware has no slot left for it", name);
	case -EBUSY:
		return perfgrp_fail(err, ret, PERFGRP_REASON_PMU_BUSY, field,
				    "%s: somebody else has the PMU to itself", name);
	case -ENOMEM:
		return perfgrp_fail(err, ret, PERFGRP_REASON_MEMORY, "", "no memory");
	case -EXDEV:
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, field,
				    "%s: the perf core did not put it into its scheduling group",
				    name);
	default:
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, field,
				    "%s: the perf core refused it with errno %d", name, -ret);
	}
}

static int fail_full(const struct perfgrp_member *member, int cpu, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];

	err->cpu = cpu;
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_PMU_FULL, "event",
			    "%s: the PMU counts it alone, but cannot count it at the same time as the group's other members",
			    perfgrp_event_name(&member->desc, buf));
}

/* ---- scheduling sets ----------------------------------------------------- */

/* Its task has exited, or ran a program that its user may not watch. */
static bool is_dead(const struct perf_event *event)
{
	return READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT;
}

/* The event that a member has, or will have once what is prepared is committed. */
static struct perf_event *member_event(const struct perfgrp_member *member, unsigned int instance,
				       bool next)
{
	const struct perfgrp_member_instance *counter = &member->instances[instance];

	return next ? counter->next : counter->event;
}

/*
 * Whether two attrs name their PMU in the same way, so that on one CPU it is the
 * same one.
 */
static bool same_pmu_name(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE)
		return a->config >> PERF_PMU_TYPE_SHIFT == b->config >> PERF_PMU_TYPE_SHIFT;
	return true;
}

/*
 * The leader of the set on @pmu; NULL where there is none. Nothing can be linked
 * to one that is dead.
 */
static struct perf_event *find_sched_leader(struct perfgrp_group *group, unsigned int instance,
					    unsigned int nr, const struct pmu *pmu, bool next)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		event = member_event(group->members[i], instance, next);
		if (event && event->pmu == pmu && event->group_leader == event &&
		    !perfgrp_core_is_software(event) && !is_dead(event))
			return event;
	}
	return NULL;
}

/* The leader that @attr will have, where a member before tells its PMU; else NULL. */
static struct perf_event *guess_leader(struct perfgrp_group *group, unsigned int instance,
				       unsigned int nr, const struct perf_event_attr *attr,
				       bool next)
{
	struct perf_event *event;
	unsigned int i;

	if (!perfgrp_core_can_link() || perfgrp_event_is_software(attr))
		return NULL;
	for (i = 0; i < nr; i++) {
		event = member_event(group->members[i], instance, next);
		if (!event || perfgrp_core_is_software(event))
			continue;
		if (same_pmu_name(attr, &group->members[i]->attr) || attr->type == event->pmu->type)
			return find_sched_leader(group, instance, nr, event->pmu, next);
	}
	return NULL;
}

/* The leader of the set where @event, which stands alone, belongs; else NULL. */
static struct perf_event *leader_for(struct perfgrp_group *group, unsigned int instance,
				     unsigned int nr, const struct perf_event *event, bool next)
{
	if (!perfgrp_core_can_link() || perfgrp_core_is_software(event))
		return NULL;
	return find_sched_leader(group, instance, nr, event->pmu, next);
}

/*
 * What the group asks of a set's leader, or of an event that stands alone. An
 * inherited counter counts all the time, because its children could not be
 * switched: see perfgrp_group_enable().
 */
static void init_leader_attr(const struct perfgrp_group *group, struct perf_event_attr *attr)
{
	attr->disabled = group->enable_on_exec || !perfgrp_group_inherits(group);
	attr->enable_on_exec = group->enable_on_exec;
	attr->pinned = !!(group->flags & PERFGRP_CREATE_NO_MUX);
	attr->exclusive =
		group->flags & PERFGRP_CREATE_EXCLUSIVE && !perfgrp_event_is_software(attr);
}

static struct perf_event *create_alone(struct perfgrp_group *group, int cpu,
				       const struct perfgrp_member *member)
{
	struct perf_event_attr attr = member->attr;

	init_leader_attr(group, &attr);
	return perfgrp_core_create(&attr, cpu, group->task, NULL, group);
}

/* The perf core would not notice that the leader is of another PMU. */
static struct perf_event *create_under(struct perfgrp_group *group, int cpu,
				       const struct perfgrp_member *member,
				       struct perf_event *leader)
{
	struct perf_event_attr attr = member->attr;
	struct perf_event *event;

	attr.disabled = 0;
	event = perfgrp_core_create(&attr, cpu, group->task, leader, group);
	if (IS_ERR(event) || event->pmu == leader->pmu)
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-EXDEV);
}

/*
 * A PMU of the whole socket counts on a CPU of its own choice; a row of another
 * CPU would show its count as that CPU's. Or it counts on any, and each CPU's row
 * would show the same count.
 */
static int check_placed(const struct perfgrp_group *group, const struct perf_event *event,
			const struct perfgrp_member *member, int cpu, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];

	if (cpu >= 0 && event->cpu != cpu) {
		err->cpu = cpu;
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, "event",
				    "%s: its PMU counts it on CPU %d only; name that CPU",
				    perfgrp_event_name(&member->desc, buf), event->cpu);
	}
	if (group->target == PERFGRP_TARGET_ALL_CPUS && compat_counts_for_many(event->pmu))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, "event",
				    "%s: PMU %s counts for several CPUs at once; name those of its cpumask file",
				    perfgrp_event_name(&member->desc, buf), event->pmu->name);
	return 0;
}

/*
 * The probe that these PMUs make anew for each event is named by a pointer to
 * memory of whoever creates it; that may be a worker later.
 */
static int check_kind(const struct perf_event *event, const struct perfgrp_member *member,
		      struct perfgrp_error *err)
{
	/* The clocks' PMUs have none. */
	const char *pmu = event->pmu->name ?: "";
	char buf[PERFGRP_EVENT_NAME_LEN];

	if (strcmp(pmu, "kprobe") && strcmp(pmu, "uprobe"))
		return 0;
	return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_EVENT, "type",
			    "%s: PMU %s takes a pointer; define the probe in tracefs and count it as a tracepoint",
			    perfgrp_event_name(&member->desc, buf), pmu);
}

/* The perf core asks whether a frequency is allowed only when it is changed. */
static int check_frequency(struct perf_event *event, const struct perfgrp_member *member,
			   struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	int ret;

	if (!member->attr.freq)
		return 0;
	ret = perfgrp_core_set_period(event, true, member->desc.sample);
	if (!ret)
		return 0;
	return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION, "sample",
			    "%s: %llu Hz is above sysctl kernel.perf_event_max_sample_rate, or below one in a period",
			    perfgrp_event_name(&member->desc, buf), member->desc.sample);
}

/* ONE_SCHED_GROUP: no second set beside the first. */
static int check_one_set(struct perfgrp_group *group, unsigned int instance, unsigned int nr,
			 const struct perf_event *event, const struct perfgrp_member *member,
			 bool next, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	struct perf_event *other;
	unsigned int i;

	if (!(group->flags & PERFGRP_CREATE_ONE_SCHED_GROUP) || perfgrp_core_is_software(event))
		return 0;
	for (i = 0; i < nr; i++) {
		other = member_event(group->members[i], instance, next);
		if (!other || perfgrp_core_is_software(other) ||
		    other->group_leader == event->group_leader)
			continue;
		err->cpu = group->instances[instance].cpu;
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, "event",
				    "%s: counted by PMU %s, the group by %s; ONE_SCHED_GROUP takes one PMU",
				    perfgrp_event_name(&member->desc, buf), event->pmu->name,
				    other->pmu->name);
	}
	return 0;
}

/*
 * Create the event of group->members[index] on an instance, in the set where it
 * belongs. The members before it, in as far as they have events, are what it may
 * be put together with.
 *
 * Which PMU counts it is known for certain only once it exists. So where it cannot
 * be created under the leader that it should have by its type, it is created
 * alone: that fails if the event is wrong by itself, and else tells the leader.
 */
static struct perf_event *create_in_set(struct perfgrp_group *group, unsigned int instance,
					unsigned int index, bool next, struct perfgrp_error *err)
{
	const struct perfgrp_member *member = group->members[index];
	int cpu = group->instances[instance].cpu, ret;
	struct perf_event *event, *leader, *guess;

	guess = guess_leader(group, instance, index, &member->attr, next);
	if (guess) {
		event = create_under(group, cpu, member, guess);
		if (!IS_ERR(event))
			return event;
		ret = PTR_ERR(event);
		if (ret != -EINVAL && ret != -EXDEV)
			goto refused;
	}

	event = create_alone(group, cpu, member);
	if (IS_ERR(event)) {
		ret = PTR_ERR(event);
		goto refused;
	}
	leader = leader_for(group, instance, index, event, next);
	if (!leader)
		return event;
	perf_event_release_kernel(event);
	if (leader != guess) {
		event = create_under(group, cpu, member, leader);
		if (!IS_ERR(event))
			return event;
		ret = PTR_ERR(event);
	}
	if (ret == -EINVAL)
		return ERR_PTR(fail_full(member, cpu, err));
refused:
	return ERR_PTR(fail_event(group, member, cpu, ret, err));
}

/*
 * The same, checked. NULL where the CPU has just left, which is no error: the
 * worker will create it anew.
 */
static struct perf_event *create_event(struct perfgrp_group *group, unsigned int instance,
				       unsigned int index, bool next, struct perfgrp_error *err)
{
	const struct perfgrp_member *member = group->members[index];
	const struct perfgrp_instance *on = &group->instances[instance];
	struct perf_event *event;
	int ret;

	event = create_in_set(group, instance, index, next, err);
	/* What was created as the CPU went may be dead, or under a leader that is. */
	if (!group->task && (test_bit(0, &on->lost) || !perfgrp_hotplug_cpu_usable(on->cpu))) {
		if (!IS_ERR(event))
			perf_event_release_kernel(event);
		return NULL;
	}
	if (IS_ERR(event))
		return event;

	ret = check_kind(event, member, err);
	if (!ret)
		ret = check_frequency(event, member, err);
	if (!ret)
		ret = check_placed(group, event, member, on->cpu, err);
	if (!ret)
		ret = check_one_set(group, instance, index, event, member, next, err);
	if (!ret)
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(ret);
}

/* @event may be NULL: the CPU has just left. */
static void assign_event(struct perfgrp_member_instance *counter, struct perf_event *event)
{
	counter->event = event;
	if (event)
		counter->pmu = event->pmu->type;
}

/**
 * perfgrp_counter_create - create a member's event on one instance, disabled
 * @group: the group
 * @instance: index of the instance, which is usable
 * @index: of the member in @group->members
 * @err: says why it is refused
 *
 * Return: 0, also where the CPU has just left (then there is no event); or a
 * negative errno.
 */
int perfgrp_counter_create(struct perfgrp_group *group, unsigned int instance, unsigned int index,
			   struct perfgrp_error *err)
{
	struct perf_event *event;

	lockdep_assert_held_write(&group->lock);

	event = create_event(group, instance, index, false, err);
	if (IS_ERR(event))
		return PTR_ERR(event);
	assign_event(&group->members[index]->instances[instance], event);
	return 0;
}

/**
 * perfgrp_counter_recreate_all - prepare new events for all members of an instance
 * @group: the group
 * @instance: index of the instance
 * @without: a member that is about to go, and gets none; or NULL
 * @err: says why one is refused
 *
 * The events wait in counter.next, disabled.
 *
 * Return: 0, or a negative errno with nothing prepared.
 */
int perfgrp_counter_recreate_all(struct perfgrp_group *group, unsigned int instance,
				 const struct perfgrp_member *without, struct perfgrp_error *err)
{
	struct perf_event *event;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		if (group->members[i] == without)
			continue;
		event = create_event(group, instance, i, true, err);
		if (IS_ERR(event))
			goto undo;
		group->members[i]->instances[instance].next = event;
	}
	return 0;
undo:
	while (i--)
		perfgrp_counter_release_next(&group->members[i]->instances[instance]);
	return PTR_ERR(event);
}

/**
 * perfgrp_counter_take_next - use the event that was prepared; there is no other
 * @counter: the counter
 */
void perfgrp_counter_take_next(struct perfgrp_member_instance *counter)
{
	assign_event(counter, counter->next);
	counter->next = NULL;
}

/* ---- the life of an event ------------------------------------------------ */

static void release_event(struct perf_event **event)
{
	if (!*event)
		return;
	/* So that its slot is free at once. */
	perf_event_disable(*event);
	perf_event_release_kernel(*event);
	*event = NULL;
}

/* Members of a set go before its leader, or it would be broken up and rescheduled. */
void perfgrp_counter_release(struct perfgrp_member_instance *counter)
{
	release_event(&counter->event);
}

void perfgrp_counter_release_next(struct perfgrp_member_instance *counter)
{
	release_event(&counter->next);
}

/**
 * perfgrp_instance_release_next - release what was prepared, or what perfgrp_counter_accumulate() has replaced
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_release_next(struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	for (i = group->nr_members; i--;)
		perfgrp_counter_release_next(&group->members[i]->instances[instance]);
}

/* What an event reads that is stopped, or is inherited and read event by event. */
static struct perfgrp_count read_stopped(const struct perfgrp_group *group,
					 struct perf_event *event)
{
	struct perfgrp_count count;
	unsigned long flags;

	if (perfgrp_group_inherits(group)) {
		perfgrp_core_read_inherited(event, &count);
		return count;
	}
	local_irq_save(flags);
	perfgrp_core_read(event, perfgrp_core_clock(), &count);
	local_irq_restore(flags);
	return count;
}

/**
 * perfgrp_counter_accumulate - put what an event has counted into the base, and take the next
 * @group: the group
 * @counter: whose event it is. What is prepared takes its place, if anything is; it
 *	waits where that was, to be released when it is in no view any more.
 *
 * The event is stopped first, so nothing is lost between the reading and the
 * release but what happens after it stopped.
 */
void perfgrp_counter_accumulate(const struct perfgrp_group *group,
				struct perfgrp_member_instance *counter)
{
	struct perf_event *event = counter->event;

	lockdep_assert_held_write(&group->lock);

	if (event) {
		perf_event_disable(event);
		counter->base = perfgrp_count_add(counter->base, read_stopped(group, event));
	}
	assign_event(counter, counter->next);
	counter->next = event;
}

/**
 * perfgrp_counter_rebase - let a counter read zero
 * @group: the group; it is stopped, or inherits
 * @counter: the counter
 */
void perfgrp_counter_rebase(const struct perfgrp_group *group,
			    struct perfgrp_member_instance *counter)
{
	struct perfgrp_count zero = {};

	lockdep_assert_held_write(&group->lock);

	counter->frozen = zero;
	counter->base = zero;
	if (counter->event)
		counter->base = perfgrp_count_sub(zero, read_stopped(group, counter->event));
}

/**
 * perfgrp_counter_leads_others - would releasing this event break up a set?
 * @counter: whose event it is
 *
 * Return: whether there are events under it.
 */
bool perfgrp_counter_leads_others(const struct perfgrp_member_instance *counter)
{
	return counter->event && counter->event->group_leader == counter->event &&
	       counter->event->nr_siblings;
}

/**
 * perfgrp_counter_failed - has the perf core given an event up?
 * @counter: whose event it is
 *
 * Return: whether it has, as it does with pinned events for which there is no room.
 */
bool perfgrp_counter_failed(const struct perfgrp_member_instance *counter)
{
	return counter->event && perfgrp_core_state(counter->event) == PERF_EVENT_STATE_ERROR;
}

/**
 * perfgrp_counter_dead - has an event's task exited?
 * @counter: whose event it is
 *
 * Return: whether it has, or has run a program that its user may not watch.
 */
bool perfgrp_counter_dead(const struct perfgrp_member_instance *counter)
{
	return counter->event && is_dead(counter->event);
}

/**
 * perfgrp_counter_start - let a counter count, if it leads a set or stands alone
 * @counter: the counter
 *
 * The leader of a set starts all of it, in one transaction of the PMU.
 */
void perfgrp_counter_start(struct perfgrp_member_instance *counter)
{
	struct perf_event *event = counter->event;

	if (event && event->group_leader == event)
		perf_event_enable(event);
}

/**
 * perfgrp_instance_start - let the counters of an instance count
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_start(struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++)
		perfgrp_counter_start(&group->members[i]->instances[instance]);
}

/**
 * perfgrp_instance_stop - stop the counters of an instance
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_stop(struct perfgrp_group *group, unsigned int instance)
{
	struct perf_event *event;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		event = group->members[i]->instances[instance].event;
		if (event && event->group_leader == event)
			perf_event_disable(event);
	}
}
