// SPDX-License-Identifier: GPL-2.0
/*
 * What a group does when a CPU has come or gone. hotplug.c says when.
 *
 * Process context.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/rwsem.h>

#include "perfgrp.h"

static void release_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	unsigned int index = instance - group->instances;
	unsigned int i;

	perfgrp_instance_stop(group, index);
	for (i = group->nr_members; i--;)
		perfgrp_counter_accumulate(group, &group->members[i]->instances[index]);
	if (group->nr_members)
		perfgrp_event_arrays_publish(group);
	perfgrp_instance_release_next(group, index);
	cpumask_clear_cpu(instance->cpu, group->cpus);
	instance->live = false;
}

static void create_on_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	unsigned int index = instance - group->instances;
	unsigned int i;

	/* Where that fails there are no events, which shows in the values' states. */
	perfgrp_counter_recreate_all(group, index, NULL, &err);
	for (i = 0; i < group->nr_members; i++)
		perfgrp_counter_take_next(&group->members[i]->instances[index]);
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

/**
 * perfgrp_group_sync_cpus - let the instances be where the CPUs are
 * @group: a group of CPUs; takes its lock
 *
 * Runs in a worker after a CPU has come or gone, and once at creation. Events of
 * a CPU that went are accumulated and released, events on one that came are created.
 * Where that cannot be done the instance's values say that they failed, until the
 * CPU's next coming.
 */
void perfgrp_group_sync_cpus(struct perfgrp_group *group)
{
	struct perfgrp_instance *instance;
	unsigned int i;
	bool armed;

	down_write(&group->lock);
	/* Where it cannot be armed creation under a leader fails, and shows. */
	armed = group->nr_members && !perfgrp_core_link_begin();
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
	if (armed)
		perfgrp_core_link_end();
	up_write(&group->lock);
}
