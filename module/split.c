// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that are split by cgroup: the counters of a CPU count all the time, and their counts are
 * charged to the cgroup whose task has run. Documentation/cgroups.md describes the design.
 *
 * A CPU remembers the cell of the cgroup whose task it runs. When it switches to a task of another
 * cell (tracepoint sched_switch) it reads its counters and charges what they have counted since it
 * last read them. It does the same when the task that it runs is moved to another cgroup
 * (cgroup_attach_task), and when a snapshot makes it flip. Nothing is charged twice or missed: each
 * charge is the difference from the counter's previous reading, and readings go on from there when
 * its event is replaced (struct perfgrp_event_array_entry.base).
 *
 * The tracepoint handlers are registered as long as there is such a group.
 *
 * sched_switch is called with interrupts off and the runqueue locked. Its handler takes no lock,
 * allocates nothing, wakes nobody: it reads event arrays and the hash of cells under RCU, and
 * writes only what belongs to its CPU (struct perfgrp_split_cpu).
 *
 * Locks: splits_lock (the list of split groups), outermost; perfgrp_split.lock;
 * perfgrp_split.cells_lock and moves_lock (innermost, raw).
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "perfcore.h"
#include "row.h"
#include "split.h"
#include "tracepoint.h"

static DEFINE_MUTEX(splits_lock);
static LIST_HEAD(splits);	/* splits_lock; readers use RCU */

static void add_split(struct perfgrp_split *split)
{
	lockdep_assert_held(&splits_lock);
	list_add_rcu(&split->node, &splits);
}

static void remove_split(struct perfgrp_split *split)
{
	lockdep_assert_held(&splits_lock);
	list_del_rcu(&split->node);
}

/* ---- charging ----------------------------------------------------------------- */

static __always_inline void charge_counter(const struct perfgrp_event_array_entry *entry,
					   unsigned int active, u32 cell, u64 clock)
{
	struct perfgrp_split_counter *counter = entry->split;
	struct perfgrp_count *pending =
		&counter->chunks[cell / PERFGRP_CHUNK_CELLS]
			 ->pending[active][cell % PERFGRP_CHUNK_CELLS];
	struct perfgrp_count count = {};

	if (likely(entry->event))
		perfgrp_core_read(entry->event, clock, &count);
	count = perfgrp_count_add(count, entry->base);
	*pending = perfgrp_count_add(*pending, perfgrp_count_sub(count, counter->last));
	counter->last = count;
}

/* Charge the counts since the last charge. See struct perfgrp_split_cpu for who may do so. */
static void charge(struct perfgrp_split *split, unsigned int instance)
{
	const struct perfgrp_event_array *array =
		perfgrp_event_array_get(split->group->event_arrays, instance);
	struct perfgrp_split_cpu *cpu = &split->cpus[instance];
	unsigned int active = cpu->active, i;
	u64 clock = perfgrp_core_clock();
	u32 cell = cpu->cell;

	lockdep_assert_irqs_disabled();

	for (i = 0; i < array->nr; i++)
		charge_counter(&array->entries[i], active, cell, clock);
	__set_bit(cell, cpu->touched[active]);
}

/* This CPU is about to run @task, or the task's cgroup may have changed. */
static __always_inline void switch_to_task(struct perfgrp_split *split, struct task_struct *task)
{
	int instance = split->group->instance_of[smp_processor_id()];
	u32 cell;

	if (instance < 0)
		return;
	cell = perfgrp_split_find(split, task);
	if (cell == split->cpus[instance].cell)
		return;
	charge(split, instance);
	split->cpus[instance].cell = cell;
}

static void switch_all(struct task_struct *task)
{
	struct perfgrp_split *split;

	rcu_read_lock();
	list_for_each_entry_rcu(split, &splits, node)
		switch_to_task(split, task);
	rcu_read_unlock();
}

/* Tracepoint sched_switch. */
static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	switch_all(next);
}

/* ---- tasks that are moved ------------------------------------------------------- */

/* IPI: the task that runs here may be in another cgroup now. */
static void on_moved(void *info)
{
	/* Pairs with tell_cpu(): if it found the call busy, the task it has moved is seen here. */
	smp_mb();
	switch_all(current);
}

static DEFINE_PER_CPU(call_single_data_t, move_call);

/*
 * At run time, because before 7.x addresses in a module's per-CPU variables are not relocated:
 * apply_relocations().
 */
static void init_move_calls(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_CSD(per_cpu_ptr(&move_call, cpu), on_moved, NULL);
}

/* One caller of a move_call at a time. */
static DEFINE_RAW_SPINLOCK(moves_lock);

/* If the previous call to the CPU has not begun yet (-EBUSY), it will see this task, too. */
static void tell_cpu(const struct task_struct *task)
{
	unsigned long flags;
	int cpu;

	raw_spin_lock_irqsave(&moves_lock, flags);
	/*
	 * The move must be visible before the task's CPU is read: if it changes afterwards, the new
	 * one's sched_switch sees the move. And before the call is found busy: on_moved().
	 */
	smp_mb();
	cpu = task_cpu(task);
	smp_call_function_single_async(cpu, per_cpu_ptr(&move_call, cpu));
	raw_spin_unlock_irqrestore(&moves_lock, flags);
}

/* Tracepoint cgroup_attach_task. */
static void on_attach(void *data, struct cgroup *to, const char *path, struct task_struct *leader,
		      bool threadgroup)
{
	const struct task_struct *task;

	rcu_read_lock();
	if (threadgroup) {
		for_each_thread(leader, task)
			tell_cpu(task);
	} else {
		tell_cpu(leader);
	}
	rcu_read_unlock();
}

/* ---- flips -------------------------------------------------------------------- */

static void flip(struct perfgrp_split *split, unsigned int instance, u32 cell)
{
	const struct perfgrp_event_array *array;
	struct perfgrp_split_cpu *cpu = &split->cpus[instance];
	const struct perfgrp_event_array_entry *entry;
	unsigned int i;

	perfgrp_row_begin(split->group, &split->group->instances[instance], &cpu->row);
	rcu_read_lock();
	charge(split, instance);
	array = perfgrp_event_array_get(split->group->event_arrays, instance);
	for (i = 0; i < array->nr; i++) {
		entry = &array->entries[i];
		entry->split->state = entry->event ? perfgrp_core_state(entry->event) :
						     PERF_EVENT_STATE_ERROR;
	}
	rcu_read_unlock();
	cpu->cell = cell;
	cpu->active ^= 1;
	cpu->row.time_after = perfgrp_clock_now(split->group->clockid);
}

/* IPI. */
static void flip_here(void *info)
{
	struct perfgrp_split *split = info;
	u32 cell;

	rcu_read_lock();
	cell = perfgrp_split_find(split, current);
	rcu_read_unlock();
	flip(split, split->group->instance_of[smp_processor_id()], cell);
}

/**
 * perfgrp_split_flip - have all CPUs charge, and then use their other pending counts
 * @split: the group's split; its lock and the group's are held
 *
 * All CPUs do so in parallel. The pending counts that they have used until now are complete; the
 * caller folds them into the totals.
 */
void perfgrp_split_flip(struct perfgrp_split *split)
{
	const struct perfgrp_instance *instance = split->group->instances;
	unsigned int i;

	lockdep_assert_held(&split->lock);

	/* No offline CPU can come online, and charge, while it is flipped from here. */
	cpus_read_lock();
	on_each_cpu_mask(split->cpu_mask, flip_here, split, true);
	for (i = 0; i < split->group->nr_instances; i++) {
		if (cpu_online(instance[i].cpu))
			continue;
		local_irq_disable();
		flip(split, i, perfgrp_split_idle_cell(split));
		local_irq_enable();
	}
	cpus_read_unlock();
}

/* ---- members ------------------------------------------------------------------- */

static void free_member(struct rcu_head *rcu)
{
	struct perfgrp_split_member *member = container_of(rcu, struct perfgrp_split_member, rcu);
	unsigned int i, c;

	for (i = 0; i < member->nr_counters; i++)
		for (c = 0; c < PERFGRP_MAX_CHUNKS; c++)
			kvfree(member->counters[i].chunks[c]);
	kvfree(member);
}

/**
 * perfgrp_split_member_create - make room for what a new member will count
 * @group: a group that is split; the lock is held for writing
 *
 * Return: to be freed with perfgrp_split_member_free(); NULL if there is no memory.
 */
struct perfgrp_split_member *perfgrp_split_member_create(struct perfgrp_group *group)
{
	struct perfgrp_split_member *member;
	struct perfgrp_split_counts *counts;
	unsigned int i, c;

	lockdep_assert_held_write(&group->lock);

	member = kvzalloc(struct_size(member, counters, group->nr_instances), GFP_KERNEL_ACCOUNT);
	if (!member)
		return NULL;
	member->nr_counters = group->nr_instances;
	for (i = 0; i < group->nr_instances; i++) {
		for (c = 0; c < group->split->nr_chunks; c++) {
			counts = kvzalloc(sizeof(*counts), GFP_KERNEL_ACCOUNT);
			member->counters[i].chunks[c] = counts;
			if (counts)
				continue;
			free_member(&member->rcu);
			return NULL;
		}
	}
	return member;
}

/**
 * perfgrp_split_member_free - free a member's counts after an RCU grace period
 * @member: no longer in any event array; may be NULL
 */
void perfgrp_split_member_free(struct perfgrp_split_member *member)
{
	if (member)
		call_rcu(&member->rcu, free_member);
}

/* ---- beginning and end ---------------------------------------------------------- */

/* Tracepoint cgroup_mkdir. */
static void on_mkdir(void *data, struct cgroup *cgroup, const char *path)
{
	struct perfgrp_split *split;

	rcu_read_lock();
	list_for_each_entry_rcu(split, &splits, node)
		if (perfgrp_split_add_cgroup(split, cgroup))
			queue_work(compat_unbound_wq, &split->grow);
	rcu_read_unlock();
}

/* In the order of registration: sched_switch last, as new cgroups must have their cells before. */
static struct perfgrp_tracepoint tracepoints[] = {
	{ .name = "cgroup_mkdir", .handler = on_mkdir },
	{ .name = "cgroup_attach_task", .handler = on_attach },
	{ .name = "sched_switch", .handler = on_switch },
};

static bool supported;

/**
 * perfgrp_split_init - test whether groups can be split by cgroup
 */
void perfgrp_split_init(void)
{
	unsigned int i;

	/* Compile-time checks of the handlers' types. */
	check_trace_callback_type_cgroup_mkdir(on_mkdir);
	check_trace_callback_type_cgroup_attach_task(on_attach);
	check_trace_callback_type_sched_switch(on_switch);

	init_move_calls();
	supported = true;
	for (i = 0; i < ARRAY_SIZE(tracepoints); i++)
		supported &= !!perfgrp_tracepoint_find(tracepoints[i].name);
	if (!supported)
		pr_info("SPLIT_BY_CGROUP is not supported: a tracepoint is missing\n");
}

static void do_nothing(void *info)
{
}

/**
 * perfgrp_split_exit - wait until no CPU has a call to on_moved() pending
 *
 * No group exists.
 */
void perfgrp_split_exit(void)
{
	/*
	 * In one interrupt a CPU runs synchronous calls before asynchronous ones, such as
	 * move_call. So a second call is needed, which waits for the end of that interrupt. On
	 * this CPU, which takes interrupts, none is pending: the callers of move_call ended before
	 * the handlers' grace period did.
	 */
	on_each_cpu(do_nothing, NULL, true);
	on_each_cpu(do_nothing, NULL, true);
}

/**
 * perfgrp_split_supported - can groups be split by cgroup?
 *
 * Return: true if the kernel has all tracepoints.
 */
bool perfgrp_split_supported(void)
{
	return supported;
}

static void put_handlers(unsigned int nr)
{
	while (nr--)
		perfgrp_tracepoint_put(&tracepoints[nr]);
}

static int get_handlers(struct perfgrp_error *err)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		if (perfgrp_tracepoint_get(&tracepoints[i]))
			continue;
		put_handlers(i);
		return perfgrp_fail_memory(err);
	}
	return 0;
}

static int get_top(struct perfgrp_split *split, int fd, struct perfgrp_error *err)
{
	struct cgroup *top = cgroup_get_from_fd(fd);

	if (top == ERR_PTR(-ENOENT) || top == ERR_PTR(-ENODEV))
		return perfgrp_fail(err, -ENOENT, PERFGRP_REASON_CGROUP, "target_fd",
				    "fd %d: the cgroup was removed", fd);
	if (IS_ERR(top))
		return perfgrp_fail(err, -EBADF, PERFGRP_REASON_CGROUP, "target_fd",
				    "fd %d is not the directory of a cgroup of cgroup2", fd);
	split->top = top;
	return 0;
}

static void free_split(struct perfgrp_split *split)
{
	if (split->top)
		css_put(&split->top->self);
	free_cpumask_var(split->cpu_mask);
	kvfree(split);
}

static struct perfgrp_split *alloc_split(struct perfgrp_group *group,
					 const struct perfgrp_create *arg)
{
	struct perfgrp_split *split;
	unsigned int i;

	split = kvzalloc(struct_size(split, cpus, group->nr_instances), GFP_KERNEL_ACCOUNT);
	if (!split)
		return NULL;
	if (!zalloc_cpumask_var(&split->cpu_mask, GFP_KERNEL_ACCOUNT)) {
		kvfree(split);
		return NULL;
	}
	for (i = 0; i < group->nr_instances; i++)
		cpumask_set_cpu(group->instances[i].cpu, split->cpu_mask);
	split->group = group;
	split->max_cells = (arg->split_max ?: PERFGRP_SPLIT_MAX) + PERFGRP_NR_SPECIAL_CELLS;
	mutex_init(&split->lock);
	raw_spin_lock_init(&split->cells_lock);
	INIT_LIST_HEAD(&split->unused);
	return split;
}

/* Let the tracepoint handlers find it. */
static int link(struct perfgrp_split *split, struct perfgrp_error *err)
{
	int ret = get_handlers(err);

	if (ret)
		return ret;
	mutex_lock(&splits_lock);
	add_split(split);
	mutex_unlock(&splits_lock);
	return 0;
}

/**
 * perfgrp_split_create - split a group by cgroup
 * @group: a new group of CPUs, with its instances
 * @arg: the argument of PERFGRP_CREATE
 * @err: filled in on failure
 *
 * The last step before the group gets its fd.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_split_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			 struct perfgrp_error *err)
{
	struct perfgrp_split *split;
	unsigned int i;
	int ret;

	split = alloc_split(group, arg);
	if (!split || perfgrp_event_arrays_create(group)) {
		ret = perfgrp_fail_memory(err);
		goto free;
	}
	ret = get_top(split, arg->target_fd, err);
	if (ret)
		goto free;
	split->max_level = INT_MAX;
	if (arg->split_depth)
		split->max_level = min_t(u64, INT_MAX, (u64)split->top->level + arg->split_depth);
	if (perfgrp_split_cgroups_create(split)) {
		ret = perfgrp_fail_memory(err);
		goto destroy;
	}
	for (i = 0; i < group->nr_instances; i++)
		split->cpus[i].cell = perfgrp_split_idle_cell(split);
	group->split = split;
	ret = link(split, err);
	if (ret)
		goto destroy;
	/*
	 * After linking, so that no cgroup is missed. One that is created meanwhile may be seen
	 * twice, which does no harm.
	 */
	split->grow.func(&split->grow);
	return 0;
destroy:
	group->split = NULL;
	perfgrp_split_cgroups_destroy(split);
free:
	if (split)
		free_split(split);
	return ret;
}

/**
 * perfgrp_split_unlink - hide a group from the tracepoint handlers
 * @group: a group; nothing is done if it is not split
 *
 * perfgrp_split_destroy() follows after an RCU grace period.
 */
void perfgrp_split_unlink(struct perfgrp_group *group)
{
	if (!group->split)
		return;
	mutex_lock(&splits_lock);
	remove_split(group->split);
	mutex_unlock(&splits_lock);
}

/**
 * perfgrp_split_destroy - undo perfgrp_split_create()
 * @group: see perfgrp_split_unlink()
 *
 * May sleep.
 */
void perfgrp_split_destroy(struct perfgrp_group *group)
{
	struct perfgrp_split *split = group->split;

	if (!split)
		return;
	put_handlers(ARRAY_SIZE(tracepoints));
	perfgrp_split_cgroups_destroy(split);
	free_split(split);
	group->split = NULL;
}

/**
 * perfgrp_split_cgroup_id - id of the directory's cgroup
 * @group: a group that is split
 *
 * Return: its cgroup_id().
 */
u64 perfgrp_split_cgroup_id(const struct perfgrp_group *group)
{
	return cgroup_id(group->split->top);
}
