// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: what they are made of, and the rules.
 *
 * Process context. Whoever changes a group holds its lock for writing, and
 * whoever looks at it for reading; the functions that take it themselves say so.
 *
 * A change that can fail is prepared beside what is there and then committed,
 * which cannot fail: so a refusal leaves the group as it was, counting.
 */
#include <linux/cpumask.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "perfgrp.h"

/* ---- creation ------------------------------------------------------------ */

static int check_flags(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	const u32 task_only = PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC;
	const u32 both = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_ENABLE_ON_EXEC;

	if (arg->flags & PERFGRP_CREATE_ONE_SCHED_GROUP && !perfgrp_core_can_link())
		return perfgrp_refuse(
			err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
			"ONE_SCHED_GROUP: counters cannot be put into scheduling groups here; the kernel log says why");
	if (arg->flags & task_only && arg->target != PERFGRP_TARGET_TASK)
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				      "INHERIT and ENABLE_ON_EXEC mean nothing for CPUs");
	if ((arg->flags & both) == both)
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				      "ENABLED and ENABLE_ON_EXEC exclude one another");
	if (arg->flags & PERFGRP_CREATE_INHERIT && arg->flags & PERFGRP_CREATE_NO_MUX)
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				      "NO_MUX cannot be promised for inherited counters");
	return 0;
}

static int check_target(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	switch (arg->target) {
	case PERFGRP_TARGET_TASK:
		if (arg->nr_cpus > 1)
			return perfgrp_refuse(
				err, -EINVAL, PERFGRP_REASON_TARGET, "nr_cpus",
				"a task is counted on all CPUs or on one, not on a list of %u",
				arg->nr_cpus);
		if (arg->pid < 0)
			return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_PID, "pid",
					      "pid %d is negative", arg->pid);
		break;
	case PERFGRP_TARGET_CPUS:
		if (!arg->nr_cpus)
			return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_EMPTY, "nr_cpus",
					      "the list of CPUs is empty");
		break;
	case PERFGRP_TARGET_ALL_CPUS:
		if (arg->nr_cpus)
			return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_TARGET, "nr_cpus",
					      "ALL_CPUS takes no list of CPUs");
		break;
	case PERFGRP_TARGET_NONE:
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_TARGET, "target",
				      "no target: neither a task nor a CPU is named");
	default:
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_TARGET, "target",
				      "target %u is unknown", arg->target);
	}
	if (arg->target != PERFGRP_TARGET_TASK && arg->pid)
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_TARGET, "pid",
				      "a pid is named, but the target is CPUs");
	if (arg->cpus && !arg->nr_cpus)
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_TARGET, "cpus",
				      "cpus is set, but nr_cpus is 0");
	if (arg->nr_cpus > nr_cpu_ids)
		return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_CPU, "nr_cpus",
				      "%u CPUs are named; there can be %u", arg->nr_cpus,
				      nr_cpu_ids);
	return check_flags(arg, err);
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
		if (get_user(cpu, list + i))
			return perfgrp_refuse(err, -EFAULT, PERFGRP_REASON_POINTER, "cpus",
					      "the list of CPUs cannot be read");
		err->cpu = (s32)cpu;
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return perfgrp_refuse(err, -ENODEV, PERFGRP_REASON_CPU, "cpus",
					      "CPU %u does not exist", cpu);
		if (cpumask_test_and_set_cpu(cpu, cpus))
			return perfgrp_refuse(err, -EINVAL, PERFGRP_REASON_CPU, "cpus",
					      "CPU %u is named twice", cpu);
	}
	for_each_cpu(offline, cpus) {
		err->cpu = offline;
		if (!perfgrp_hotplug_cpu_usable(offline))
			return perfgrp_refuse(err, -ENODEV, PERFGRP_REASON_CPU_OFFLINE, "cpus",
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
		return perfgrp_refuse(err, -ESRCH, PERFGRP_REASON_PID, "pid", "there is no task %d",
				      arg->pid);
	if (group->task->flags & PF_EXITING)
		return perfgrp_refuse(err, -ESRCH, PERFGRP_REASON_PID, "pid", "task %d has exited",
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

static void free_group(struct perfgrp_group *group)
{
	if (group->task)
		put_task_struct(group->task);
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
		return perfgrp_refuse(err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "no memory");

	ret = read_cpus(arg, cpus, err);
	if (ret)
		goto out;
	if (arg->target == PERFGRP_TARGET_ALL_CPUS)
		cpumask_copy(cpus, cpu_possible_mask);

	ret = arg->target == PERFGRP_TARGET_TASK ? create_task_instance(group, cpus) :
						   create_cpu_instances(group, cpus);
	if (ret)
		perfgrp_refuse(err, ret, PERFGRP_REASON_MEMORY, "", "no memory");
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
	if (ret)
		return ERR_PTR(ret);

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group || !zalloc_cpumask_var(&group->cpus, GFP_KERNEL_ACCOUNT)) {
		kfree(group);
		return ERR_PTR(
			perfgrp_refuse(err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "no memory"));
	}
	init_rwsem(&group->lock);
	group->flags = arg->flags;
	group->target = arg->target;
	group->owner = current_uid();
	group->enabled = arg->flags & (PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_ENABLE_ON_EXEC);

	if (arg->target == PERFGRP_TARGET_TASK)
		ret = set_task(group, arg, err);
	if (!ret)
		ret = perfgrp_access_create(group, err);
	if (!ret)
		ret = create_instances(group, arg, err);
	if (!ret)
		ret = perfgrp_access_charge_group(group->owner, err);
	if (ret) {
		free_group(group);
		return ERR_PTR(ret);
	}

	if (group->instance_of) {
		perfgrp_hotplug_follow(group);
		perfgrp_group_follow_cpus(group);
	}
	return group;
}

/* ---- members ------------------------------------------------------------- */

static struct perfgrp_member *alloc_member(struct perfgrp_group *group,
					   const struct perfgrp_counter *spec)
{
	struct perfgrp_member *member;
	unsigned int i;

	member = kvzalloc(struct_size(member, counters, group->nr_instances), GFP_KERNEL_ACCOUNT);
	if (!member)
		return NULL;
	member->spec = *spec;
	for (i = 0; i < group->nr_instances; i++)
		member->counters[i].pmu = PERFGRP_NONE;
	return member;
}

static void release_member(struct perfgrp_group *group, struct perfgrp_member *member)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		perfgrp_counter_release(&member->counters[i]);
	kvfree(member);
}

/* Set leaders come before their members, so they are released after them. */
static void release_members_from(struct perfgrp_group *group, unsigned int first, unsigned int nr)
{
	while (nr-- > first) {
		release_member(group, group->members[nr]);
		group->members[nr] = NULL;
	}
}

static int find_member(const struct perfgrp_group *group, u32 id)
{
	unsigned int i;

	for (i = 0; i < group->nr_members; i++)
		if (group->members[i]->id == id)
			return i;
	return -1;
}

static int create_counters(struct perfgrp_group *group, unsigned int index,
			   struct perfgrp_error *err)
{
	unsigned int i;
	int ret;

	for (i = 0; i < group->nr_instances; i++) {
		if (!perfgrp_instance_usable(&group->instances[i]))
			continue;
		ret = perfgrp_counter_create(group, i, index, err);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return perfgrp_refuse(err, -EINTR, PERFGRP_REASON_NONE, "", "interrupted");
	}
	return 0;
}

static int link_begin(struct perfgrp_error *err)
{
	int ret = perfgrp_core_link_begin();

	if (ret)
		return perfgrp_refuse(err, ret, PERFGRP_REASON_KERNEL, "",
				      "the probe for scheduling groups cannot be armed: errno %d",
				      -ret);
	return 0;
}

static int prepare_member(struct perfgrp_group *group, unsigned int index,
			  struct perfgrp_counter *spec, struct perfgrp_error *err)
{
	struct perf_event_attr attr;
	struct perfgrp_member *member;
	int ret;

	ret = perfgrp_event_to_attr(spec, &attr, err);
	if (!ret)
		ret = perfgrp_access_counter(group, spec, err);
	if (ret)
		return ret;

	member = alloc_member(group, spec);
	if (!member)
		return perfgrp_refuse(err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "no memory");
	member->attr = attr;
	member->id = group->next_id + 1 + (index - group->nr_members);
	spec->id = member->id;
	group->members[index] = member;
	return create_counters(group, index, err);
}

/**
 * perfgrp_group_prepare_add - create new members, all or none, beside those there are
 * @group: the group; the lock is held for writing
 * @specs: what is to be counted; their ids are set
 * @nr: how many, 1 or more
 * @err: says which one is refused and why
 *
 * Return: 0, after which perfgrp_group_commit_add() or perfgrp_group_abort_add() must follow with
 * the lock held all the time; or a negative errno.
 */
int perfgrp_group_prepare_add(struct perfgrp_group *group, struct perfgrp_counter *specs,
			      unsigned int nr, struct perfgrp_error *err)
{
	unsigned int i;
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (nr > PERFGRP_MAX_MEMBERS - group->nr_members) {
		err->member = PERFGRP_MAX_MEMBERS - group->nr_members;
		return perfgrp_refuse(err, -ENOSPC, PERFGRP_REASON_LIMIT, "nr_counters",
				      "a group has at most %d members; this one has %u",
				      PERFGRP_MAX_MEMBERS, group->nr_members);
	}
	if (group->next_id > PERFGRP_NONE - 1 - nr)
		return perfgrp_refuse(err, -ENOSPC, PERFGRP_REASON_LIMIT, "nr_counters",
				      "the group has used up all ids");

	ret = link_begin(err);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		err->member = i;
		ret = prepare_member(group, group->nr_members + i, &specs[i], err);
		if (ret) {
			perfgrp_group_abort_add(group, nr);
			break;
		}
	}
	perfgrp_core_link_end();
	if (!ret)
		err->member = PERFGRP_NONE;
	return ret;
}

/**
 * perfgrp_group_abort_add - drop what perfgrp_group_prepare_add() prepared
 * @group: the group
 * @nr: how many members that was to be; those never made are NULL
 */
void perfgrp_group_abort_add(struct perfgrp_group *group, unsigned int nr)
{
	lockdep_assert_held_write(&group->lock);

	while (nr && !group->members[group->nr_members + nr - 1])
		nr--;
	release_members_from(group, group->nr_members, group->nr_members + nr);
}

static void start_all(struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		if (perfgrp_instance_usable(&group->instances[i]))
			perfgrp_instance_start(group, i);
}

/* Also those whose CPU is about to go; to stop what is dead does no harm. */
static void stop_all(struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		if (group->instances[i].live)
			perfgrp_instance_stop(group, i);
}

static void rebase_all(struct perfgrp_group *group)
{
	unsigned int i, m;

	for (i = 0; i < group->nr_instances; i++)
		for (m = 0; m < group->nr_members; m++)
			perfgrp_counter_rebase(group, &group->members[m]->counters[i]);
}

/*
 * Whether the counters count, as far as their group says. Those that wait for an
 * exec do not, until it has come: their group is enabled all the while.
 */
static bool is_counting(const struct perfgrp_group *group)
{
	const struct perf_event *leader;

	if (!(group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC) || !group->nr_members)
		return group->enabled && !(group->flags & PERFGRP_CREATE_ENABLE_ON_EXEC);
	leader = group->members[0]->counters[0].event;
	return leader && perfgrp_core_state(leader) >= PERF_EVENT_STATE_INACTIVE;
}

/**
 * perfgrp_group_commit_add - take what perfgrp_group_prepare_add() prepared, and restart the group
 * @group: the group
 * @nr: how many members
 */
void perfgrp_group_commit_add(struct perfgrp_group *group, unsigned int nr)
{
	bool counting = is_counting(group);

	lockdep_assert_held_write(&group->lock);

	if (!perfgrp_group_inherits(group))
		stop_all(group);
	group->nr_members += nr;
	group->next_id += nr;
	rebase_all(group);
	if (counting && !perfgrp_group_inherits(group))
		start_all(group);
}

static void drop_member(struct perfgrp_group *group, unsigned int index)
{
	struct perfgrp_member *member = group->members[index];

	group->nr_members--;
	memmove(&group->members[index], &group->members[index + 1],
		(group->nr_members - index) * sizeof(member));
	group->members[group->nr_members] = NULL;
	release_member(group, member);
}

/* Move an instance from the events that it has to those that are prepared. */
static void replace_events(struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	perfgrp_instance_stop(group, instance);
	for (i = group->nr_members; i--;)
		perfgrp_counter_fold(group, &group->members[i]->counters[instance]);
	for (i = 0; i < group->nr_members; i++)
		perfgrp_counter_take_next(&group->members[i]->counters[instance]);
}

static void release_all_next(struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	for (i = group->nr_members; i--;)
		perfgrp_counter_release_next(&group->members[i]->counters[instance]);
}

static bool needs_rebuild(const struct perfgrp_group *group, unsigned int instance,
			  const struct perfgrp_member *leaving)
{
	return perfgrp_instance_usable(&group->instances[instance]) &&
	       perfgrp_counter_leads_others(&leaving->counters[instance]);
}

/*
 * A member that leads others of its PMU is to go: make these anew, under a leader
 * of their own, before it is released and they fall apart. Where that fails
 * nothing has changed. A task that has exited needs nothing: all is final.
 */
static int rebuild_without(struct perfgrp_group *group, const struct perfgrp_member *leaving,
			   struct perfgrp_error *err)
{
	bool counting = is_counting(group);
	unsigned int i;
	int ret;

	if (perfgrp_group_inherits(group) && needs_rebuild(group, 0, leaving))
		return perfgrp_refuse(
			err, -EBUSY, PERFGRP_REASON_LEADER, "id",
			"other members of its PMU are scheduled with it, and what was inherited cannot be made anew");

	ret = link_begin(err);
	if (ret)
		return ret;
	for (i = 0; i < group->nr_instances; i++) {
		if (!needs_rebuild(group, i, leaving))
			continue;
		ret = perfgrp_counter_recreate_all(group, i, leaving, err);
		if (ret)
			break;
	}
	perfgrp_core_link_end();

	if (ret == -ESRCH)
		return 0;
	if (ret) {
		while (i--)
			release_all_next(group, i);
		return ret;
	}
	for (i = 0; i < group->nr_instances; i++) {
		if (!needs_rebuild(group, i, leaving))
			continue;
		replace_events(group, i);
		if (counting)
			perfgrp_instance_start(group, i);
	}
	return 0;
}

/**
 * perfgrp_group_remove - remove a member
 * @group: the group; the lock is held for writing
 * @id: of the member
 * @cascade: if it leads, all members go
 * @err: says why not
 *
 * Return: 0, -ENOENT, -EBUSY, or what the perf core says to making the members of
 * a set anew.
 */
int perfgrp_group_remove(struct perfgrp_group *group, u32 id, bool cascade,
			 struct perfgrp_error *err)
{
	int index, ret;

	lockdep_assert_held_write(&group->lock);

	err->member = id;
	index = find_member(group, id);
	if (index < 0)
		return perfgrp_refuse(err, -ENOENT, PERFGRP_REASON_MEMBER, "id",
				      "the group has no member %u%s", id,
				      id && id <= group->next_id ? " any more" : "");
	if (index == 0) {
		if (group->nr_members > 1 && !cascade)
			return perfgrp_refuse(
				err, -EBUSY, PERFGRP_REASON_LEADER, "id",
				"member %u leads %u others; remove them first, or all with CASCADE",
				id, group->nr_members - 1);
		release_members_from(group, 0, group->nr_members);
		group->nr_members = 0;
		return 0;
	}
	ret = rebuild_without(group, group->members[index], err);
	if (!ret)
		drop_member(group, index);
	return ret;
}

/* ---- enable and disable -------------------------------------------------- */

/*
 * The children of an inherited counter cannot be switched from outside the perf
 * core. So such counters count all the time; while their group is disabled they
 * read what they read when it was.
 */
static void hold_inherited(struct perfgrp_group *group, bool hold)
{
	struct perfgrp_count count;
	struct perfgrp_kcounter *counter;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->counters[0];
		if (!counter->event)
			continue;
		count.count = perf_event_read_value(counter->event, &count.enabled, &count.running);
		if (hold)
			counter->held = perfgrp_count_add(counter->base, count);
		else
			counter->base = perfgrp_count_sub(counter->held, count);
	}
}

/* NO_MUX: the perf core gives up at once what it cannot put on the PMU. */
static int check_pinned(struct perfgrp_group *group, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	unsigned int i, m;

	if (!(group->flags & PERFGRP_CREATE_NO_MUX))
		return 0;
	for (i = 0; i < group->nr_instances; i++) {
		for (m = 0; m < group->nr_members; m++) {
			if (!perfgrp_instance_usable(&group->instances[i]) ||
			    !perfgrp_counter_failed(&group->members[m]->counters[i]))
				continue;
			err->cpu = group->instances[i].cpu;
			err->member = group->members[m]->id;
			return perfgrp_refuse(
				err, -EBUSY, PERFGRP_REASON_PMU_BUSY, "",
				"%s: the PMU has no room for the NO_MUX group now; others, perhaps the NMI watchdog, hold counters",
				perfgrp_event_name(&group->members[m]->spec, buf));
		}
	}
	return 0;
}

/**
 * perfgrp_group_enable - let the whole group count
 * @group: the group; the lock is held for writing
 * @err: says why not
 *
 * Return: 0; -EBUSY where a NO_MUX group does not fit now, and then it is
 * disabled.
 */
int perfgrp_group_enable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (perfgrp_group_inherits(group)) {
		if (!group->enabled)
			hold_inherited(group, false);
		else if (!is_counting(group))
			start_all(group);
		group->enabled = true;
		return 0;
	}
	start_all(group);
	ret = check_pinned(group, err);
	if (ret) {
		stop_all(group);
		group->enabled = false;
		return ret;
	}
	group->enabled = true;
	return 0;
}

/**
 * perfgrp_group_disable - let none of the group count
 * @group: the group; the lock is held for writing
 */
void perfgrp_group_disable(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	if (!perfgrp_group_inherits(group))
		stop_all(group);
	else if (group->enabled)
		hold_inherited(group, true);
	group->enabled = false;
}

/* ---- CPUs that come and go ----------------------------------------------- */

static void leave_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	unsigned int index = instance - group->instances;
	unsigned int i;

	perfgrp_instance_stop(group, index);
	for (i = group->nr_members; i--;)
		perfgrp_counter_fold(group, &group->members[i]->counters[index]);
	cpumask_clear_cpu(instance->cpu, group->cpus);
	instance->live = false;
}

static void enter_cpu(struct perfgrp_group *group, struct perfgrp_instance *instance)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	unsigned int index = instance - group->instances;
	struct perfgrp_kcounter *counter;
	unsigned int i;
	int ret;

	ret = perfgrp_counter_recreate_all(group, index, NULL, &err);
	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->counters[index];
		perfgrp_counter_take_next(counter);
		counter->error = ret;
	}
	if (instance->seen)
		instance->epoch++;
	instance->seen = true;
	instance->live = true;
	cpumask_set_cpu(instance->cpu, group->cpus);
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
 * perfgrp_group_follow_cpus - let the instances be where the CPUs are
 * @group: a group of CPUs; takes its lock
 *
 * Runs in a worker after a CPU has come or gone, and once at creation. Events of
 * a CPU that went are folded and released, events on one that came are created.
 * Where that cannot be done the instance's values say that they failed, until the
 * CPU's next coming.
 */
void perfgrp_group_follow_cpus(struct perfgrp_group *group)
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
				leave_cpu(group, instance);
			clear_bit(0, &instance->lost);
			smp_mb__after_atomic(); /* before looking at usable_cpus */
		}
		if (!instance->live && perfgrp_hotplug_cpu_usable(instance->cpu))
			enter_cpu(group, instance);
	}
	number_rows(group);
	if (armed)
		perfgrp_core_link_end();
	up_write(&group->lock);
}

/* ---- the end ------------------------------------------------------------- */

/**
 * perfgrp_group_destroy - release everything a group has
 * @group: nobody else knows it any more
 *
 * Events first; then nothing can refer to the group.
 */
void perfgrp_group_destroy(struct perfgrp_group *group)
{
	if (group->instance_of)
		perfgrp_hotplug_unfollow(group);

	down_write(&group->lock);
	release_members_from(group, 0, group->nr_members);
	group->nr_members = 0;
	up_write(&group->lock);

	perfgrp_access_uncharge_group(group->owner);
	free_group(group);
}
