// SPDX-License-Identifier: GPL-2.0
/*
 * A group's beginning and end: what it may be made of, its target, its instances.
 *
 * Process context. Nobody else knows the group yet, or any more; no lock is held.
 */
#include <linux/cpumask.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "perfgrp.h"

static int check_flags(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	const u32 task_only = PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC;
	const u32 both = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_ENABLE_ON_EXEC;

	if (arg->flags & PERFGRP_CREATE_ONE_SCHED_GROUP && !perfgrp_core_can_link())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "ONE_SCHED_GROUP: counters cannot be put into scheduling groups here; the kernel log says why");
	if (arg->flags & task_only && arg->target != PERFGRP_TARGET_TASK)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "INHERIT and ENABLE_ON_EXEC mean nothing for CPUs");
	if ((arg->flags & both) == both)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "ENABLED and ENABLE_ON_EXEC exclude one another");
	if (arg->flags & PERFGRP_CREATE_INHERIT && arg->flags & PERFGRP_CREATE_NO_MUX)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "NO_MUX cannot be promised for inherited counters");
	return perfgrp_bpf_events_check(arg, err);
}

static int check_target(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	switch (arg->target) {
	case PERFGRP_TARGET_TASK:
		if (arg->nr_cpus > 1)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "nr_cpus",
					    "a task is counted on all CPUs or on one, not on a list of %u",
					    arg->nr_cpus);
		if (arg->pid < 0)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_PID, "pid",
					    "pid %d is negative", arg->pid);
		break;
	case PERFGRP_TARGET_CPUS:
		if (!arg->nr_cpus)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EMPTY, "nr_cpus",
					    "the list of CPUs is empty");
		break;
	case PERFGRP_TARGET_ALL_CPUS:
		if (arg->nr_cpus)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "nr_cpus",
					    "ALL_CPUS takes no list of CPUs");
		break;
	case PERFGRP_TARGET_NONE:
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "target",
				    "no target: neither a task nor a CPU is named");
	default:
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "target",
				    "target %u is unknown", arg->target);
	}
	if (arg->target != PERFGRP_TARGET_TASK && arg->pid)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "pid",
				    "a pid is named, but the target is CPUs");
	if (arg->cpus && !arg->nr_cpus)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "cpus",
				    "cpus is set, but nr_cpus is 0");
	if (arg->nr_cpus > nr_cpu_ids)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_CPU, "nr_cpus",
				    "%u CPUs are named; there can be %u", arg->nr_cpus, nr_cpu_ids);
	return 0;
}

static int check_buffer(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (!arg->buffer_size && arg->flags & PERFGRP_CREATE_OVERWRITE)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "OVERWRITE means nothing without a buffer");
	if (!arg->buffer_size && arg->wakeup_records)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "wakeup_records",
				    "wakeup_records means nothing without a buffer");
	if (!arg->buffer_size && arg->wakeup_bytes)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "wakeup_bytes",
				    "wakeup_bytes means nothing without a buffer");
	if (arg->buffer_size > PERFGRP_MAX_BUFFER)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "buffer_size",
				    "buffer_size is %u, at most %d is taken", arg->buffer_size,
				    PERFGRP_MAX_BUFFER);
	if (arg->wakeup_bytes > arg->buffer_size / 2)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "wakeup_bytes",
				    "wakeup_bytes is %u, more than half of buffer_size",
				    arg->wakeup_bytes);
	if (arg->buffer_size && arg->flags & PERFGRP_CREATE_INHERIT)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "inherited counters do not sample: INHERIT takes no buffer");
	return 0;
}

/* Bad numbers first, all of them, then those offline. */
static int read_cpus(const struct perfgrp_create *arg, struct cpumask *cpus,
		     struct perfgrp_error *err)
{
	u32 __user *list = u64_to_user_ptr(arg->cpus);
	unsigned int i;
	int offline;
	u32 cpu;

	for (i = 0; i < arg->nr_cpus; i++) {
		err->cpu = -1;
		if (get_user(cpu, list + i))
			return perfgrp_fail(err, -EFAULT, PERFGRP_REASON_POINTER, "cpus",
					    "the list of CPUs cannot be read");
		err->cpu = (s32)cpu;
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return perfgrp_fail(err, -ENODEV, PERFGRP_REASON_CPU, "cpus",
					    "CPU %u does not exist", cpu);
		if (cpumask_test_and_set_cpu(cpu, cpus))
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_CPU, "cpus",
					    "CPU %u is named twice", cpu);
	}
	for_each_cpu(offline, cpus) {
		err->cpu = offline;
		if (!perfgrp_hotplug_cpu_usable(offline))
			return perfgrp_fail(err, -ENODEV, PERFGRP_REASON_CPU_OFFLINE, "cpus",
					    "CPU %d is offline", offline);
	}
	err->cpu = -1;
	return 0;
}

static struct task_struct *find_task(pid_t nr)
{
	struct task_struct *task;

	if (!nr) {
		get_task_struct(current);
		return current;
	}
	rcu_read_lock();
	task = get_pid_task(find_vpid(nr), PIDTYPE_PID);
	rcu_read_unlock();
	return task;
}

static int set_task(struct perfgrp_group *group, const struct perfgrp_create *arg,
		    struct perfgrp_error *err)
{
	group->task = find_task(arg->pid);
	if (!group->task)
		return perfgrp_fail(err, -ESRCH, PERFGRP_REASON_PID, "pid", "there is no task %d",
				    arg->pid);
	if (group->task->flags & PF_EXITING)
		return perfgrp_fail(err, -ESRCH, PERFGRP_REASON_PID, "pid", "task %d has exited",
				    arg->pid);
	return 0;
}

static int create_task_instance(struct perfgrp_group *group, const struct cpumask *cpus)
{
	group->instances = kcalloc(1, sizeof(*group->instances), GFP_KERNEL_ACCOUNT);
	if (!group->instances)
		return -ENOMEM;
	group->nr_instances = 1;
	group->instances[0].cpu = cpumask_empty(cpus) ? -1 : cpumask_first(cpus);
	group->instances[0].live = true;
	group->instances[0].seen = true;
	group->nr_rows = 1;
	return 0;
}

static int create_cpu_instances(struct perfgrp_group *group, const struct cpumask *cpus)
{
	unsigned int i = 0;
	int cpu;

	group->instances =
		kvcalloc(cpumask_weight(cpus), sizeof(*group->instances), GFP_KERNEL_ACCOUNT);
	group->instance_of =
		kvmalloc_array(nr_cpu_ids, sizeof(*group->instance_of), GFP_KERNEL_ACCOUNT);
	if (!group->instances || !group->instance_of)
		return -ENOMEM;

	group->nr_instances = cpumask_weight(cpus);
	memset32(group->instance_of, -1, nr_cpu_ids);
	for_each_cpu(cpu, cpus) {
		group->instance_of[cpu] = i;
		group->instances[i++].cpu = cpu;
	}
	return 0;
}

static struct perfgrp_group *alloc_group(const struct perfgrp_create *arg)
{
	struct perfgrp_group *group;

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return NULL;
	if (!zalloc_cpumask_var(&group->cpus, GFP_KERNEL_ACCOUNT)) {
		kfree(group);
		return NULL;
	}
	init_rwsem(&group->lock);
	group->flags = arg->flags;
	group->target = arg->target;
	group->owner = current_uid();
	group->enabled = arg->flags & PERFGRP_CREATE_ENABLED;
	group->enable_on_exec = arg->flags & PERFGRP_CREATE_ENABLE_ON_EXEC;
	return group;
}

static void free_group(struct perfgrp_group *group)
{
	if (group->task)
		put_task_struct(group->task);
	kvfree(group->snap_cache);
	kvfree(group->instance_of);
	kvfree(group->instances);
	free_cpumask_var(group->cpus);
	kfree(group);
}

static int create_instances(struct perfgrp_group *group, const struct perfgrp_create *arg,
			    struct perfgrp_error *err)
{
	cpumask_var_t cpus;
	int ret;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return perfgrp_fail(err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "no memory");

	ret = read_cpus(arg, cpus, err);
	if (ret)
		goto out;
	if (arg->target == PERFGRP_TARGET_ALL_CPUS)
		cpumask_copy(cpus, cpu_possible_mask);

	ret = arg->target == PERFGRP_TARGET_TASK ? create_task_instance(group, cpus) :
						   create_cpu_instances(group, cpus);
	if (ret)
		perfgrp_fail(err, ret, PERFGRP_REASON_MEMORY, "", "no memory");
out:
	free_cpumask_var(cpus);
	return ret;
}

/**
 * perfgrp_group_create - make a group without members
 * @arg: what the user asked for; size, flags and reserved fields are checked
 * @err: says what is wrong with it
 *
 * Return: the group, or an ERR_PTR().
 */
struct perfgrp_group *perfgrp_group_create(const struct perfgrp_create *arg,
					   struct perfgrp_error *err)
{
	struct perfgrp_group *group;
	int ret;

	ret = check_target(arg, err);
	if (!ret)
		ret = check_flags(arg, err);
	if (!ret)
		ret = check_buffer(arg, err);
	if (ret)
		return ERR_PTR(ret);

	group = alloc_group(arg);
	if (!group) {
		perfgrp_fail(err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "no memory");
		return ERR_PTR(-ENOMEM);
	}
	if (arg->target == PERFGRP_TARGET_TASK)
		ret = set_task(group, arg, err);
	if (!ret)
		ret = perfgrp_access_group(group, err);
	if (!ret)
		ret = create_instances(group, arg, err);
	if (!ret)
		ret = perfgrp_sampling_create(group, arg, err);
	if (!ret)
		ret = perfgrp_access_charge_group(group->owner, err);
	if (ret)
		goto free;
	ret = perfgrp_bpf_events_subscribe(group, err);
	if (ret)
		goto uncharge;

	if (group->instance_of) {
		perfgrp_hotplug_add_group(group);
		perfgrp_group_sync_cpus(group);
	}
	return group;
uncharge:
	perfgrp_access_uncharge_group(group->owner);
free:
	perfgrp_event_arrays_destroy(group);
	perfgrp_sampling_destroy(group);
	free_group(group);
	return ERR_PTR(ret);
}

/**
 * perfgrp_group_destroy - release everything a group has
 * @group: nobody else knows it any more
 *
 * Events first; then nothing can refer to the group.
 */
void perfgrp_group_destroy(struct perfgrp_group *group)
{
	perfgrp_bpf_kfunc_free_handle(group);
	if (group->instance_of)
		perfgrp_hotplug_remove_group(group);

	down_write(&group->lock);
	perfgrp_group_drop_members(group);
	up_write(&group->lock);
	perfgrp_bpf_events_unsubscribe(group);
	perfgrp_event_arrays_destroy(group);
	perfgrp_sampling_destroy(group);

	perfgrp_access_uncharge_group(group->owner);
	free_group(group);
}
