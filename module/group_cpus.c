// SPDX-License-Identifier: GPL-2.0
/*
 * Updates a group's events after a CPU went online or offline, or, if it counts a task and what it
 * inherits, its rings. hotplug.c queues the work; the work queues itself again for retries.
 *
 * Process context: a worker, and PERFGRP_CREATE.
 */
#include <linux/bitops.h>
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "counter.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "group_cpus.h"
#include "hotplug.h"
#include "mapped.h"
#include "perfcore.h"
#include "records.h"
#include "sched_group.h"

/* Without members only mapped rows show a change. */
static void publish(struct perfgrp_group *group)
{
	if (group->nr_members || group->mapped)
		perfgrp_event_arrays_publish(group);
}

/* Replace the current events with the prepared ones, or by none if nothing was prepared. */
static void replace_events(struct perfgrp_group *group, unsigned int index)
{
	perfgrp_instance_accumulate(group, index, NULL);
	perfgrp_instance_commit(group, index, NULL);
	publish(group);
	perfgrp_instance_release_retired(group, index);
}

/*
 * Whether an uncore driver has moved an event to another CPU, as some do when a CPU that is nearer
 * to their device comes online.
 */
static bool has_moved(const struct perfgrp_group *group, const struct perfgrp_instance *instance)
{
	const struct perfgrp_member_instance *counter;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[instance - group->instances];
		if (counter->uncore && counter->event &&
		    READ_ONCE(counter->event->cpu) != instance->cpu)
			return true;
	}
	return false;
}

static void release_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	/* Before replace_events() publishes the event arrays, which have a copy of live. */
	cpumask_clear_cpu(instance->cpu, group->cpus);
	instance->live = false;
	replace_events(group, instance - group->instances);
}

static bool needs_probe(const struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_members; i++)
		if (perfgrp_sched_group_needs_probe(group, i))
			return true;
	return false;
}

static int prepare_cpu(struct perfgrp_group *group, unsigned int index, struct perfgrp_error *err)
{
	bool link = needs_probe(group);
	int ret = 0;

	if (link)
		ret = perfgrp_core_link_begin();
	if (ret)
		return ret;
	ret = perfgrp_instance_prepare(group, index, NULL, err);
	if (link)
		perfgrp_core_link_end();
	return ret;
}

/* Memory, slots and probes may be available later; other errors are not retried. */
static bool is_transient(int ret)
{
	return ret == -ENOMEM || ret == -EAGAIN || ret == -EBUSY || ret == -ENOSPC;
}

static void create_on_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	unsigned int index = instance - group->instances;

	/* If that fails there are no events: the values have PERFGRP_VALUE_FAILED. */
	instance->retry = is_transient(prepare_cpu(group, index, &err));
	perfgrp_records_add_ring(group, index);
	perfgrp_instance_commit(group, index, NULL);
	if (instance->seen)
		instance->epoch++;
	instance->seen = true;
	instance->live = true;
	cpumask_set_cpu(instance->cpu, group->cpus);
	publish(group);
	if (group->enabled)
		perfgrp_instance_start(group, index);
}

/* Bit n: member n has an event. */
static unsigned long members_with_events(const struct perfgrp_group *group, unsigned int index)
{
	unsigned long members = 0;
	unsigned int i;

	BUILD_BUG_ON(PERFGRP_MAX_MEMBERS > BITS_PER_LONG);
	for (i = 0; i < group->nr_members; i++)
		if (group->members[i]->instances[index].event)
			members |= BIT(i);
	return members;
}

/*
 * Create the events of @members, which have none; what cannot be created is left out. Returns false
 * if nothing was tried.
 */
static bool create_members(struct perfgrp_group *group, unsigned int index, unsigned long members)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	bool link = needs_probe(group);
	unsigned int i;

	if (link && perfgrp_core_link_begin())
		return false;
	for_each_set_bit(i, &members, group->nr_members)
		perfgrp_counter_create(group, index, i, &err);
	if (link)
		perfgrp_core_link_end();
	publish(group);
	return true;
}

/* Has creation failed for lack of what the group's own events may hold? */
static bool lacks_room(const struct perfgrp_error *err)
{
	return err->reason == PERFGRP_REASON_PMU_BUSY || err->reason == PERFGRP_REASON_LIMIT;
}

/*
 * Members that were added in between have events already, and get new ones like the others. If
 * the old events hold an exclusive resource (breakpoints, exclusive PMUs) they are released
 * first. If creation fails nevertheless, those members get events without the others.
 */
static void retry_on_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	unsigned int index = instance - group->instances;
	unsigned long members = members_with_events(group, index);
	int ret = prepare_cpu(group, index, &err);
	bool released = ret && lacks_room(&err);

	if (released) {
		replace_events(group, index);
		ret = prepare_cpu(group, index, &err);
	}
	instance->retry = is_transient(ret);
	if (!ret)
		replace_events(group, index);
	else if (!released)
		return;
	else if (!create_members(group, index, members))
		instance->retry = true;
	if (group->enabled)
		perfgrp_instance_start(group, index);
}

static void number_rows(struct perfgrp_group *group)
{
	unsigned int i;

	group->nr_rows = 0;
	for (i = 0; i < group->nr_instances; i++)
		if (group->instances[i].seen)
			group->instances[i].row = group->nr_rows++;
}

/* Shortest and longest delay between retries; it doubles each time. */
#define RETRY_FIRST_MS 100
#define RETRY_LAST_MS  60000

static void schedule_retry(struct perfgrp_group *group)
{
	bool retry = false;
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		retry |= group->instances[i].live && group->instances[i].retry;
	if (!retry) {
		group->retry_ms = 0;
		return;
	}
	group->retry_ms = clamp(2 * group->retry_ms, RETRY_FIRST_MS, RETRY_LAST_MS);
	queue_delayed_work(compat_unbound_wq, &group->hotplug_work,
			   msecs_to_jiffies(group->retry_ms));
}

/*
 * Make the group have events on all its CPUs that are online, and only there. Runs after a CPU went
 * online or offline, once at creation, and again after transient errors. Events of a CPU that went
 * offline are accumulated and released, and so are events that a driver has moved to another CPU.
 * Events are created on CPUs that came online. If that fails the instance's values have
 * PERFGRP_VALUE_FAILED until it succeeds: transient errors are retried, after others it is tried
 * again when the CPU comes online again.
 */
static void sync_cpus(struct perfgrp_group *group)
{
	struct perfgrp_instance *instance;
	unsigned int i;

	down_write(&group->lock);
	for (i = 0; i < group->nr_instances; i++) {
		instance = &group->instances[i];
		if (test_bit(0, &instance->lost)) {
			if (instance->live)
				release_cpu(group, instance);
			clear_bit(0, &instance->lost);
			smp_mb__after_atomic(); /* pairs with hotplug_cpu_offline() */
		}
		if (!perfgrp_hotplug_cpu_usable(instance->cpu))
			continue;
		if (instance->live && has_moved(group, instance))
			release_cpu(group, instance);
		if (!instance->live)
			create_on_cpu(group, instance);
		else if (instance->retry)
			retry_on_cpu(group, instance);
	}
	number_rows(group);
	schedule_retry(group);
	perfgrp_mapped_refresh(group);
	up_write(&group->lock);
}

static void sync_cpus_work(struct work_struct *work)
{
	sync_cpus(container_of(to_delayed_work(work), struct perfgrp_group, hotplug_work));
}

/* The records of an INHERIT group are in a ring of the CPU on which the task or its child was. */
static void sync_rings(struct perfgrp_group *group)
{
	unsigned int cpu;

	down_write(&group->lock);
	for_each_possible_cpu(cpu)
		perfgrp_records_add_ring(group, cpu);
	up_write(&group->lock);
}

static void sync_rings_work(struct work_struct *work)
{
	sync_rings(container_of(to_delayed_work(work), struct perfgrp_group, hotplug_work));
}

static bool has_ring_per_cpu(const struct perfgrp_group *group)
{
	return group->sampling && perfgrp_group_inherits(group);
}

/**
 * perfgrp_group_follow_cpus - make a group follow CPU hotplug
 * @group: a new group with its instances; the worker may run at once. Nothing is done if it has
 *	neither events nor rings of CPUs.
 */
void perfgrp_group_follow_cpus(struct perfgrp_group *group)
{
	if (group->instance_of) {
		INIT_DELAYED_WORK(&group->hotplug_work, sync_cpus_work);
		perfgrp_hotplug_add_group(group);
		sync_cpus(group);
	} else if (has_ring_per_cpu(group)) {
		INIT_DELAYED_WORK(&group->hotplug_work, sync_rings_work);
		perfgrp_hotplug_add_group(group);
		sync_rings(group);
	}
}

/**
 * perfgrp_group_unfollow_cpus - undo perfgrp_group_follow_cpus()
 * @group: the group; its lock is not held
 *
 * When it returns the worker does not run. May sleep.
 */
void perfgrp_group_unfollow_cpus(struct perfgrp_group *group)
{
	if (group->instance_of || has_ring_per_cpu(group))
		perfgrp_hotplug_remove_group(group);
}
