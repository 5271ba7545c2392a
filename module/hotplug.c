// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug: which CPUs can be used, and which groups get work when one changes.
 *
 * The cpuhp callbacks run with the CPU hotplug lock held for writing, where creating or
 * releasing an event can deadlock (static_key_slow_inc() takes it too). So they only note
 * the change (instance.lost, usable_cpus) and queue each group's hotplug_work (group_cpus.c).
 *
 * The offline callback runs while the CPU is still online and before the perf core removes
 * the CPU's events; the online callback runs after the perf core is ready for new ones. In
 * between the CPU is not usable: no event is created on it. This order follows from
 * CPUHP_AP_ONLINE_DYN being after CPUHP_AP_PERF_ONLINE: perf_event_init_cpu() and
 * perf_event_exit_cpu() of 6.1.192, 6.12.117 and 7.3.4.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "group.h"
#include "hotplug.h"

/* Taken with the CPU hotplug lock held; no other lock of the module is taken under it. */
static DEFINE_MUTEX(groups_lock);
static LIST_HEAD(groups);

/* Lockless readers may see a stale mask; every change requeues the work. */
static struct cpumask usable_cpus;

static enum cpuhp_state hotplug_state;

/**
 * perfgrp_hotplug_cpu_usable - can events be created on a CPU?
 * @cpu: the CPU
 *
 * Return: whether they can. It may change at any time; then the work of the groups that it concerns
 * is queued: is_concerned().
 */
bool perfgrp_hotplug_cpu_usable(int cpu)
{
	return cpumask_test_cpu(cpu, &usable_cpus);
}

/*
 * A task's group has no events of CPUs, and keeps its rings. The drivers of uncore PMUs may move
 * events between CPUs whenever one comes or goes, also if the group does not have that one.
 */
static bool is_concerned(const struct perfgrp_group *group, unsigned int cpu, bool lost)
{
	if (!group->instance_of)
		return !lost;
	return group->instance_of[cpu] >= 0 || READ_ONCE(group->uncore);
}

static void queue_groups(unsigned int cpu, bool lost)
{
	struct perfgrp_group *group;

	mutex_lock(&groups_lock);
	list_for_each_entry(group, &groups, node) {
		if (!is_concerned(group, cpu, lost))
			continue;
		if (lost && group->instance_of[cpu] >= 0)
			set_bit(0, &group->instances[group->instance_of[cpu]].lost);
		/* Not queue_delayed_work(): the work may be queued for a retry, later. */
		mod_delayed_work(compat_unbound_wq, &group->hotplug_work, 0);
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
	 * Clear usable_cpus before setting instance.lost: if sync_cpus() clears instance.lost and
	 * still finds the CPU usable, queue_groups() has yet to queue it again.
	 */
	smp_mb__before_atomic();
	queue_groups(cpu, true);
	return 0;
}

/**
 * perfgrp_hotplug_add_group - queue a group's hotplug_work when its CPUs go online or offline
 * @group: a new group with its instances; the worker may run at once
 */
void perfgrp_hotplug_add_group(struct perfgrp_group *group)
{
	mutex_lock(&groups_lock);
	list_add_tail(&group->node, &groups);
	mutex_unlock(&groups_lock);
}

/**
 * perfgrp_hotplug_remove_group - undo perfgrp_hotplug_add_group()
 * @group: the group; its lock is not held
 *
 * When it returns, hotplug_work is not queued and not running.
 */
void perfgrp_hotplug_remove_group(struct perfgrp_group *group)
{
	mutex_lock(&groups_lock);
	list_del(&group->node);
	mutex_unlock(&groups_lock);
	cancel_delayed_work_sync(&group->hotplug_work);
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
