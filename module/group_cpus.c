// SPDX-License-Identifier: GPL-2.0
/*
 * What a group does when a CPU came online or went offline. hotplug.c queues the work.
 *
 * Process context: a worker, and PERFGRP_CREATE.
 */
#include <linux/bitops.h>
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "group_cpus.h"
#include "hotplug.h"
#include "perfcore.h"
#include "sched_group.h"

static void release_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	unsigned int index = instance - group->instances;

	perfgrp_instance_accumulate(group, index, NULL);
	perfgrp_instance_commit(group, index, NULL);
	if (group->nr_members)
		perfgrp_event_arrays_publish(group);
	perfgrp_instance_release_retired(group, index);
	cpumask_clear_cpu(instance->cpu, group->cpus);
	instance->live = false;
}

static int prepare_cpu(struct perfgrp_group *group, unsigned int index)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	bool link = false;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < group->nr_members; i++)
		link |= perfgrp_sched_group_may_link(group, i);
	if (link)
		ret = perfgrp_core_link_begin();
	if (ret)
		return ret;
	ret = perfgrp_instance_prepare(group, index, NULL, &err);
	if (link)
		perfgrp_core_link_end();
	return ret;
}

static void create_on_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	unsigned int index = instance - group->instances;

	/* If that fails there are no events, which shows in the values. */
	prepare_cpu(group, index);
	perfgrp_instance_commit(group, index, NULL);
	if (instance->seen)
		instance->epoch++;
	instance->seen = true;
	instance->live = true;
	cpumask_set_cpu(instance->cpu, group->cpus);
	if (group->nr_members)
		perfgrp_event_arrays_publish(group);
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

/*
 * Let the group have events where CPUs are online, and only there. Runs after a CPU came
 * online or went offline, and once at creation. Events of a CPU that went are accumulated
 * and released, events on one that came are created. If that fails the instance's values
 * say so (PERFGRP_VALUE_FAILED) until the CPU comes online again.
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
		if (!instance->live && perfgrp_hotplug_cpu_usable(instance->cpu))
			create_on_cpu(group, instance);
	}
	number_rows(group);
	up_write(&group->lock);
}

static void sync_cpus_work(struct work_struct *work)
{
	sync_cpus(container_of(work, struct perfgrp_group, hotplug_work));
}

/**
 * perfgrp_group_follow_cpus - let a group of CPUs follow CPU hotplug from now on
 * @group: a new group with its instances; the worker may run at once
 */
void perfgrp_group_follow_cpus(struct perfgrp_group *group)
{
	INIT_WORK(&group->hotplug_work, sync_cpus_work);
	perfgrp_hotplug_add_group(group);
	sync_cpus(group);
}
