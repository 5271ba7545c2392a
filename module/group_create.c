// SPDX-License-Identifier: GPL-2.0
/*
 * Creating and destroying groups: checks, target, instances.
 *
 * Process context, no lock held. The group is not visible to others yet, or no longer.
 */
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "access.h"
#include "bpf.h"
#include "bpf_events.h"
#include "bpf_kfunc.h"
#include "cgroup.h"
#include "clock.h"
#include "error.h"
#include "event_array.h"
#include "exec.h"
#include "group.h"
#include "group_cpus.h"
#include "group_create.h"
#include "hotplug.h"
#include "mapped.h"
#include "member.h"
#include "perfcore.h"
#include "perfgrp.h"
#include "pidfd.h"
#include "sampling.h"
#include "split.h"

static bool is_task_target(u32 target)
{
	return target == PERFGRP_TARGET_TASK || target == PERFGRP_TARGET_PIDFD;
}

/* ---- checks -------------------------------------------------------------- */

static int check_flags(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	const u32 task_only = PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC;
	const u32 both = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_ENABLE_ON_EXEC;

	if (arg->flags & PERFGRP_CREATE_ONE_SCHED_GROUP && !perfgrp_core_can_link())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "ONE_SCHED_GROUP: scheduling groups are not available; the kernel log says why");
	if (arg->flags & task_only && !is_task_target(arg->target))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "INHERIT and ENABLE_ON_EXEC are for task targets only");
	if ((arg->flags & both) == both)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "ENABLED and ENABLE_ON_EXEC cannot be used together");
	if (arg->flags & PERFGRP_CREATE_INHERIT && arg->flags & PERFGRP_CREATE_NO_MUX)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "NO_MUX and INHERIT cannot be used together: inherited counters may be multiplexed");
	if (arg->flags & PERFGRP_CREATE_BPF_EVENTS)
		return perfgrp_bpf_events_check(arg->buffer_size, "flags", err);
	return 0;
}

static int check_split(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (!(arg->flags & PERFGRP_CREATE_SPLIT_BY_CGROUP)) {
		if (arg->split_depth || arg->split_max)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED,
					    arg->split_depth ? "split_depth" : "split_max",
					    "split_depth and split_max require SPLIT_BY_CGROUP");
		return 0;
	}
	if (!perfgrp_split_supported())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "SPLIT_BY_CGROUP: this kernel has no cgroups, or the kernel log says what is missing");
	if (arg->target != PERFGRP_TARGET_CPUS && arg->target != PERFGRP_TARGET_ALL_CPUS)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "SPLIT_BY_CGROUP is for CPU targets only");
	if (arg->buffer_size)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "buffer_size",
				    "SPLIT_BY_CGROUP and a buffer (buffer_size) cannot be used together");
	if (arg->split_max > PERFGRP_SPLIT_MAX)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "split_max",
				    "split_max is %u; the maximum is %d", arg->split_max,
				    PERFGRP_SPLIT_MAX);
	return 0;
}

static int check_mapped(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	const u32 excluded = PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_SPLIT_BY_CGROUP;

	if (!(arg->flags & PERFGRP_CREATE_MAPPED)) {
		if (!arg->map_interval)
			return 0;
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "map_interval",
				    "map_interval requires MAPPED");
	}
	if (!perfgrp_mapped_supported())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "MAPPED is not supported on this kernel; the kernel log says what is missing");
	if (arg->flags & excluded)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "MAPPED cannot be used with INHERIT or SPLIT_BY_CGROUP: no single CPU could write a row");
	if (arg->map_interval &&
	    (arg->map_interval < NSEC_PER_MSEC || arg->map_interval > NSEC_PER_SEC))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "map_interval",
				    "map_interval is %llu ns; it must be 0 or 1 ms to 1 s",
				    arg->map_interval);
	return 0;
}

static int check_target(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	switch (arg->target) {
	case PERFGRP_TARGET_TASK:
	case PERFGRP_TARGET_PIDFD:
		if (arg->nr_cpus > 1)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "nr_cpus",
					    "a task can be counted on all CPUs or on one, not on a list of %u CPUs",
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
	case PERFGRP_TARGET_CGROUP:
		break;
	case PERFGRP_TARGET_NONE:
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "target",
				    "no target is set (PERFGRP_TARGET_*)");
	default:
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "target",
				    "target %u is unknown", arg->target);
	}
	if (arg->target != PERFGRP_TARGET_TASK && arg->pid)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "pid",
				    "pid is set, but the target is not PERFGRP_TARGET_TASK");
	if (arg->target != PERFGRP_TARGET_PIDFD && arg->target != PERFGRP_TARGET_CGROUP &&
	    !(arg->flags & PERFGRP_CREATE_SPLIT_BY_CGROUP) && arg->target_fd)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "target_fd",
				    "target_fd is set, but the target is neither PERFGRP_TARGET_PIDFD nor PERFGRP_TARGET_CGROUP");
	if (arg->target == PERFGRP_TARGET_PIDFD && !perfgrp_pidfd_supported())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "target",
				    "pidfds cannot be looked up on this kernel; the kernel log says why");
	if (arg->target == PERFGRP_TARGET_CGROUP && !perfgrp_core_can_cgroup())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "target",
				    "cgroups cannot be counted on this kernel: CONFIG_CGROUP_PERF or kprobes are missing, or the kernel log says why");
	if (arg->cpus && !arg->nr_cpus)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "cpus",
				    "cpus is set, but nr_cpus is 0");
	if (arg->nr_cpus > nr_cpu_ids)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_CPU, "nr_cpus",
				    "nr_cpus is %u, but the system has at most %u CPUs",
				    arg->nr_cpus, nr_cpu_ids);
	return 0;
}

static int check_buffer(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (!arg->buffer_size && arg->flags & PERFGRP_CREATE_OVERWRITE)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "OVERWRITE requires a buffer (buffer_size)");
	if (!arg->buffer_size && arg->wakeup_records)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "wakeup_records",
				    "wakeup_records requires a buffer (buffer_size)");
	if (!arg->buffer_size && arg->wakeup_bytes)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "wakeup_bytes",
				    "wakeup_bytes requires a buffer (buffer_size)");
	if (arg->buffer_size > PERFGRP_MAX_BUFFER)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "buffer_size",
				    "buffer_size is %u; the maximum is %d", arg->buffer_size,
				    PERFGRP_MAX_BUFFER);
	if (arg->wakeup_bytes > arg->buffer_size / 2)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "wakeup_bytes",
				    "wakeup_bytes is %u, more than half of buffer_size",
				    arg->wakeup_bytes);
	return 0;
}

static int check_records(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (arg->sample_type &&
	    (arg->sample_type & ~(u64)PERF_SAMPLE_CALLCHAIN) != PERFGRP_SAMPLE_TYPE)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "sample_type",
				    "sample_type is %#llx; 0, PERFGRP_SAMPLE_TYPE (%#x), and that with PERF_SAMPLE_CALLCHAIN (%#x) are supported",
				    arg->sample_type, PERFGRP_SAMPLE_TYPE, PERF_SAMPLE_CALLCHAIN);
	if (arg->reserved2)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_RESERVED, "reserved2",
				    "CREATE: a reserved field is not zero");
	if (arg->clockid && !(arg->flags & PERFGRP_CREATE_USE_CLOCKID))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "clockid",
				    "clockid is set, but USE_CLOCKID is not");
	if (arg->flags & PERFGRP_CREATE_USE_CLOCKID && !perfgrp_clock_is_known(arg->clockid))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "clockid",
				    "clock %d cannot be read in an NMI, or does not exist",
				    arg->clockid);
	return perfgrp_sampling_check_callchain(arg, err);
}

/**
 * perfgrp_group_check - check the argument of PERFGRP_CREATE
 * @arg: size, flags and reserved fields are checked already; the list of CPUs is not read
 * @err: filled in on failure
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int perfgrp_group_check(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	int ret;

	ret = check_target(arg, err);
	if (!ret)
		ret = check_flags(arg, err);
	if (!ret)
		ret = check_split(arg, err);
	if (!ret)
		ret = check_mapped(arg, err);
	if (!ret)
		ret = check_buffer(arg, err);
	if (!ret)
		ret = check_records(arg, err);
	return ret;
}

/* ---- target and instances ------------------------------------------------ */

static int check_cpus_online(const struct cpumask *cpus, struct perfgrp_error *err)
{
	int cpu;

	for_each_cpu(cpu, cpus) {
		if (perfgrp_hotplug_cpu_usable(cpu))
			continue;
		err->cpu = cpu;
		return perfgrp_fail(err, -ENODEV, PERFGRP_REASON_CPU_OFFLINE, "cpus",
				    "CPU %d is offline", cpu);
	}
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

static int set_task_by_pid(struct perfgrp_group *group, pid_t nr, struct perfgrp_error *err)
{
	struct task_struct *task = find_task(nr);

	if (!task)
		return perfgrp_fail(err, -ESRCH, PERFGRP_REASON_PID, "pid", "there is no task %d",
				    nr);
	group->task = task;
	if (task->flags & PF_EXITING)
		return perfgrp_fail(err, -ESRCH, PERFGRP_REASON_PID, "pid", "task %d has exited",
				    nr);
	return 0;
}

static int set_task_by_pidfd(struct perfgrp_group *group, int fd, struct perfgrp_error *err)
{
	struct task_struct *task = perfgrp_pidfd_get_task(fd);

	if (task == ERR_PTR(-EBADF))
		return perfgrp_fail(err, -EBADF, PERFGRP_REASON_PID, "target_fd",
				    "fd %d is not a pidfd", fd);
	if (task == ERR_PTR(-ESRCH))
		goto exited;
	if (IS_ERR(task))
		return perfgrp_fail(err, PTR_ERR(task), PERFGRP_REASON_KERNEL, "target_fd",
				    "the kernel refused fd %d with errno %ld", fd, -PTR_ERR(task));
	group->task = task;
	if (!(task->flags & PF_EXITING))
		return 0;
exited:
	return perfgrp_fail(err, -ESRCH, PERFGRP_REASON_PID, "target_fd",
			    "the task of pidfd %d has exited", fd);
}

static int set_task(struct perfgrp_group *group, const struct perfgrp_create *arg,
		    struct perfgrp_error *err)
{
	if (arg->target == PERFGRP_TARGET_PIDFD)
		return set_task_by_pidfd(group, arg->target_fd, err);
	return set_task_by_pid(group, arg->pid, err);
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

static int create_instances(struct perfgrp_group *group, const struct cpumask *cpus,
			    struct perfgrp_error *err)
{
	int ret;

	ret = check_cpus_online(cpus, err);
	if (ret)
		return ret;
	if (group->task)
		ret = create_task_instance(group, cpus);
	else
		ret = create_cpu_instances(group, cpumask_empty(cpus) ? cpu_possible_mask : cpus);
	return ret ? perfgrp_fail_memory(err) : 0;
}

/* ---- creating and destroying --------------------------------------------- */

/* Frees groups. */
static struct workqueue_struct *free_queue;

/* Number of the group created last. */
static atomic64_t last_nr;

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
	refcount_set(&group->refs, 1);
	group->nr = atomic64_inc_return(&last_nr);
	init_rwsem(&group->lock);
	init_waitqueue_head(&group->wait);
	group->flags = arg->flags;
	group->target = is_task_target(arg->target) ? PERFGRP_TARGET_TASK : arg->target;
	group->clockid = arg->flags & PERFGRP_CREATE_USE_CLOCKID ? arg->clockid : CLOCK_MONOTONIC;
	if (arg->sample_type & PERF_SAMPLE_CALLCHAIN)
		group->sample_max_stack = arg->sample_max_stack ?: PERF_MAX_STACK_DEPTH;
	group->owner = current_uid();
	group->enabled = arg->flags & PERFGRP_CREATE_ENABLED;
	group->counted = group->enabled;
	return group;
}

/* Nobody uses the group or its rings any more. */
static void free_group(struct perfgrp_group *group)
{
	perfgrp_split_destroy(group);
	perfgrp_mapped_destroy(group);
	perfgrp_cgroup_destroy(group);
	perfgrp_event_arrays_destroy(group);
	perfgrp_bpf_drop_detached(group, group->detached);
	perfgrp_sampling_destroy(group);
	if (group->task)
		put_task_struct(group->task);
	kvfree(group->snap_cache);
	kvfree(group->instance_of);
	kvfree(group->instances);
	free_cpumask_var(group->cpus);
	kfree(group);
}

/* Without memory, wait until groups that were just closed are freed, and try again. */
static int create_sampling(struct perfgrp_group *group, const struct perfgrp_create *arg,
			   struct perfgrp_error *err)
{
	int ret = perfgrp_sampling_create(group, arg, err);

	if (ret != -ENOMEM || fatal_signal_pending(current))
		return ret;
	perfgrp_sampling_uncharge(group);
	perfgrp_sampling_destroy(group);
	perfgrp_event_arrays_destroy(group);
	rcu_barrier();
	flush_workqueue(free_queue);
	return perfgrp_sampling_create(group, arg, err);
}

/* The task cannot exec in between, which might change who may watch it. */
static int allow_and_watch_exec(struct perfgrp_group *group, struct perfgrp_error *err)
{
	int ret;

	/* Uncontended, but perfgrp_exec_lock() asserts it. */
	down_write(&group->lock);
	ret = perfgrp_exec_lock(group, err);
	if (!ret) {
		ret = perfgrp_access_group(group, err);
		if (!ret)
			ret = perfgrp_exec_create(group, err);
		perfgrp_exec_unlock(group);
	}
	up_write(&group->lock);
	return ret;
}

/**
 * perfgrp_group_create - create a group without members
 * @arg: what the user asked for; perfgrp_group_check() has accepted it
 * @cpus: the CPUs that @arg names; they exist
 * @err: filled in on failure
 *
 * Return: the group, with one reference, or an ERR_PTR().
 */
struct perfgrp_group *perfgrp_group_create(const struct perfgrp_create *arg,
					   const struct cpumask *cpus, struct perfgrp_error *err)
{
	struct perfgrp_group *group;
	int ret = 0;

	group = alloc_group(arg);
	if (!group)
		return ERR_PTR(perfgrp_fail_memory(err));
	if (is_task_target(arg->target))
		ret = set_task(group, arg, err);
	if (!ret)
		ret = allow_and_watch_exec(group, err);
	if (!ret && arg->target == PERFGRP_TARGET_CGROUP)
		ret = perfgrp_cgroup_create(group, arg->target_fd, err);
	if (!ret)
		ret = create_instances(group, cpus, err);
	if (!ret)
		ret = create_sampling(group, arg, err);
	if (!ret)
		ret = perfgrp_access_charge_group(group->owner, err);
	if (ret)
		goto free;
	if (arg->flags & PERFGRP_CREATE_BPF_EVENTS)
		ret = perfgrp_bpf_events_subscribe(group, "flags", err);
	if (!ret && arg->flags & PERFGRP_CREATE_SPLIT_BY_CGROUP)
		ret = perfgrp_split_create(group, arg, err);
	else if (!ret && arg->flags & PERFGRP_CREATE_MAPPED)
		ret = perfgrp_mapped_create(group, arg, err);
	if (ret)
		goto uncharge;

	perfgrp_group_follow_cpus(group);
	return group;
uncharge:
	if (arg->flags & PERFGRP_CREATE_BPF_EVENTS) {
		perfgrp_bpf_events_unsubscribe(group);
		synchronize_rcu();
	}
	perfgrp_access_uncharge_group(group->owner);
free:
	perfgrp_exec_destroy(group);
	perfgrp_cgroup_unwatch(group);
	perfgrp_sampling_uncharge(group);
	free_group(group);
	return ERR_PTR(ret);
}

static void free_group_work(struct work_struct *work)
{
	free_group(container_of(to_rcu_work(work), struct perfgrp_group, free_work));
}

/*
 * Once its events are released nothing new can refer to the group. Overflow handlers, the kfunc and
 * the probe of BPF programs may still be using it, all in RCU read-side critical sections, so a
 * work frees it after a grace period. The caller does not wait for that.
 */
static void destroy_group(struct perfgrp_group *group)
{
	perfgrp_bpf_kfunc_free_handle(group);
	perfgrp_group_unfollow_cpus(group);

	down_write(&group->lock);
	perfgrp_group_drop_members(group);
	up_write(&group->lock);
	perfgrp_exec_destroy(group);
	perfgrp_cgroup_unwatch(group);
	/* Writers of mapped rows use the cgroup until a grace period has passed. */
	if (!group->mapped)
		perfgrp_cgroup_destroy(group);
	perfgrp_split_unlink(group);
	perfgrp_mapped_unlink(group);
	perfgrp_bpf_events_unsubscribe(group);
	perfgrp_sampling_uncharge(group);
	perfgrp_access_uncharge_group(group->owner);
	INIT_RCU_WORK(&group->free_work, free_group_work);
	queue_rcu_work(free_queue, &group->free_work);
}

/**
 * perfgrp_group_get - take a reference
 * @group: the group; the caller has a reference already
 */
void perfgrp_group_get(struct perfgrp_group *group)
{
	refcount_inc(&group->refs);
}

/**
 * perfgrp_group_put - drop a reference; the last one destroys the group
 * @group: the group
 *
 * May sleep.
 */
void perfgrp_group_put(struct perfgrp_group *group)
{
	if (refcount_dec_and_test(&group->refs))
		destroy_group(group);
}

/**
 * perfgrp_group_init - prepare for groups to be created
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_group_init(void)
{
	free_queue = alloc_workqueue("perfgrp", WQ_UNBOUND, 0);
	return free_queue ? 0 : -ENOMEM;
}

/**
 * perfgrp_group_exit - wait until destroyed groups are freed; all have been destroyed
 */
void perfgrp_group_exit(void)
{
	rcu_barrier();
	destroy_workqueue(free_queue);
}
