// SPDX-License-Identifier: GPL-2.0
/*
 * What a group does when a CPU came online or went offline. hotplug.c queues the work, and so
 * does the work itself while it has to be done again.
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

/* Without members there is nothing to see, but for who maps the rows. */
static void publish(struct perfgrp_group *group)
{
	if (group->nr_members || group->mapped)
		perfgrp_event_arrays_publish(group);
}

/* Let prepared events take the place of the current ones; without them there are none. */
static void replace_events(struct perfgrp_group *group, unsigned int index)
{
	perfgrp_instance_accumulate(group, index, NULL);
	perfgrp_instance_commit(group, index, NULL);
	publish(group);
	perfgrp_instance_release_retired(group, index);
}

/*
 * Whether a driver has moved an event elsewhere, as some do when a CPU comes that is nearer to what
 * they count.
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
	/* Before the event arrays are published, which say so. */
	cpumask_clear_cpu(instance->cpu, group->cpus);
	instance->live = false;
	replace_events(group, instance - group->instances);
}

static int prepare_cpu(struct perfgrp_group *group, unsigned int index)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	bool link = false;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < group->nr_members; i++)
		link |= perfgrp_sched_group_needs_probe(group, i);
	if (link)
		ret = perfgrp_core_link_begin();
	if (ret)
		return ret;
	ret = perfgrp_instance_prepare(group, index, NULL, &err);
	if (link)
		perfgrp_core_link_end();
	return ret;
}

/* Memory, slots and probes may be there later; other errors stay until something changes. */
static bool is_transient(int ret)
{
	return ret == -ENOMEM || ret == -EAGAIN || ret == -EBUSY || ret == -ENOSPC ||
	       ret == -EXDEV;
}

static void create_on_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	unsigned int index = instance - group->instances;

	/* If that fails there are no events, which shows in the values. */
	instance->retry = is_transient(prepare_cpu(group, index));
	perfgrp_records_add_instance(group, index);
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

/*
 * Members that were added since have events already, and get new ones with the others. Where
 * the old ones hold what there is only once (breakpoints, exclusive PMUs) they are released
 * first.
 */
static void retry_on_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	unsigned int index = instance - group->instances;
	int ret = prepare_cpu(group, index);

	if (ret == -EBUSY || ret == -ENOSPC) {
		replace_events(group, index);
		ret = prepare_cpu(group, index);
	}
	instance->retry = is_transient(ret);
	if (ret)
		return;
	replace_events(group, index);
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

/* First and last pause before what failed is tried again; it doubles each time. */
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
 * Let the group have events where CPUs are online, and only there. Runs after a CPU came
 * online or went offline, once at creation, and while events could not be created. Events of a
 * CPU that went are accumulated and released, as are those that a driver has moved away from
 * theirs; events on one that came are created. If that fails the instance's values say so
 * (PERFGRP_VALUE_FAILED) until it succeeds: it is tried again if what is missing may be there
 * later, else when the CPU comes online again.
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

/**
 * perfgrp_group_follow_cpus - let a group of CPUs follow CPU hotplug from now on
 * @group: a new group with its instances; the worker may run at once
 */
void perfgrp_group_follow_cpus(struct perfgrp_group *group)
{
	INIT_DELAYED_WORK(&group->hotplug_work, sync_cpus_work);
	perfgrp_hotplug_add_group(group);
	sync_cpus(group);
}
