// SPDX-License-Identifier: GPL-2.0
/*
 * Following CPUs off and on line.
 *
 * The callbacks run with the CPU hotplug lock held for writing, where creating
 * or releasing an event can deadlock. So they only say what has happened
 * (instance.lost, usable_cpus) and queue each group's work; perfgrp_group_sync_cpus()
 * does the rest in a worker.
 *
 * On the way down the callback runs while the CPU is still online and before the
 * perf core takes the CPU's events off, on the way up after the perf core is
 * ready for new ones. In between the CPU is not usable: nothing is created on it.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "perfgrp.h"

/* A leaf; taken with the CPU hotplug lock held, so nothing is called under it. */
static DEFINE_MUTEX(groups_lock);
static LIST_HEAD(groups);

/* Written by the callbacks. Who reads it without a lock is told of a change later. */
static struct cpumask usable_cpus;

static enum cpuhp_state hotplug_state;

/**
 * perfgrp_hotplug_cpu_usable - whether events can be created on a CPU
 * @cpu: the CPU
 *
 * Return: whether they can. It may change at any time; then all groups that
 * follow are called.
 */
bool perfgrp_hotplug_cpu_usable(int cpu)
{
	return cpumask_test_cpu(cpu, &usable_cpus);
}

static void queue_groups(unsigned int cpu, bool lost)
{
	struct perfgrp_group *group;

	mutex_lock(&groups_lock);
	list_for_each_entry(group, &groups, node) {
		if (group->instance_of[cpu] < 0)
			continue;
		if (lost)
			set_bit(0, &group->instances[group->instance_of[cpu]].lost);
		queue_work(system_unbound_wq, &group->hotplug_work);
	}
	mutex_unlock(&groups_lock);
}

static int hotplug_cpu_online(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &usable_cpus);
	queue_groups(cpu, false);
	return 0;
}

static int hotplug_cpu_offline(unsigned int cpu)
{
	cpumask_clear_cpu(cpu, &usable_cpus);
	/*
	 * Before instance.lost is set: who clears it and then still finds the CPU
	 * usable (perfgrp_group_sync_cpus()) is told again.
	 */
	smp_mb__before_atomic();
	queue_groups(cpu, true);
	return 0;
}

static void sync_cpus_work(struct work_struct *work)
{
	perfgrp_group_sync_cpus(container_of(work, struct perfgrp_group, hotplug_work));
}

/**
 * perfgrp_hotplug_add_group - let a group of CPUs follow them
 * @group: a new group with its instances; the worker may run at once
 */
void perfgrp_hotplug_add_group(struct perfgrp_group *group)
{
	INIT_WORK(&group->hotplug_work, sync_cpus_work);
	mutex_lock(&groups_lock);
	list_add_tail(&group->node, &groups);
	mutex_unlock(&groups_lock);
}

/**
 * perfgrp_hotplug_remove_group - the opposite; when it returns no worker runs
 * @group: that is about to go. Its lock is not held.
 */
void perfgrp_hotplug_remove_group(struct perfgrp_group *group)
{
	mutex_lock(&groups_lock);
	list_del(&group->node);
	mutex_unlock(&groups_lock);
	cancel_work_sync(&group->hotplug_work);
}

int perfgrp_hotplug_init(void)
{
	int ret;

	/* Calls hotplug_cpu_online() for each CPU that is online now. */
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perfgrp:online", hotplug_cpu_online,
				hotplug_cpu_offline);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

void perfgrp_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
