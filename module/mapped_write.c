// SPDX-License-Identifier: GPL-2.0
/*
 * When the rows that userspace maps are written. Each CPU writes its own row, and those of the
 * tasks that it runs, so that a reader need not interrupt it:
 *
 *	tracepoint cpu_idle		a CPU goes idle: its row is at rest until it leaves idle
 *	tracepoint sched_switch		a task is switched out: its row is at rest until it is
 *					switched in. The timers of busy CPUs and of running tasks
 *					are started here, and stopped
 *	the timer (map_interval)	on a CPU that is not idle, while the task runs
 *	an overflow			overflow.c
 *	a snapshot			snapshot.c
 *	a change of the group		perfgrp_mapped_refresh()
 *
 * So no timer runs on an idle CPU, and rows that cannot have changed are not written again.
 *
 * The tracepoints' handlers and the timer run with interrupts off, sched_switch's with the
 * runqueue locked. They take no lock, allocate no memory and wake no task: they find groups and
 * their event arrays under RCU, and write only the slot of their CPU or task. Reading a PMU that is
 * not the CPU's own (uncore) may wake a task, which is not allowed while a CPU goes idle: rows with
 * such members are written only by the timer and by snapshots.
 *
 * Locks: instances_lock (the lists of instances).
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <trace/events/power.h>
#include <trace/events/sched.h>

#include "cgroup.h"
#include "compat.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "instance_call.h"
#include "mapped.h"
#include "perfcore.h"
#include "row.h"
#include "tracepoint.h"

#define TASK_BITS 6

static DEFINE_MUTEX(instances_lock);
/* struct perfgrp_mapped_instance (instances_lock); readers use RCU */
static DEFINE_PER_CPU(struct hlist_head, cpu_instances);
static struct hlist_head task_instances[1 << TASK_BITS];
static unsigned int nr_tasks;	/* in task_instances (instances_lock; the scheduler has no lock) */

static struct hlist_head *bucket_of(const struct task_struct *task)
{
	return &task_instances[hash_ptr(task, TASK_BITS)];
}

/* ---- one row ------------------------------------------------------------------ */

/*
 * The caller is the slot's writer. @call_pmu: as perfgrp_row_read(). first_value stays 0, as it was
 * in the new slot.
 */
static __always_inline void fill_slot(const struct perfgrp_mapped_instance *instance,
				      const struct perfgrp_event_array *array, u32 row_flags,
				      bool call_pmu)
{
	struct perfgrp_map_slot *slot = instance->slot;
	struct perfgrp_group *group = instance->group;
	struct perfgrp_value *value = perfgrp_mapped_values(slot);
	const struct perfgrp_event_array_entry *entry = array->entries;
	const struct perfgrp_event_array_entry *end = entry + array->nr;
	bool removed = perfgrp_cgroup_removed(group);
	struct perfgrp_row *row = &slot->row;
	struct perfgrp_reading reading;
	u32 flags = 0;
	u64 clock;

	/* is_left() reads it, too, while this CPU may be the writer. */
	WRITE_ONCE(slot->generation, array->generation);
	row->cpu = group->instances[instance->index].cpu;
	row->flags = row_flags;
	row->nr_values = array->nr;
	row->epoch = array->epoch;
	row->nr_cpus = 1;
	row->cgroup_id = 0;
	row->time_before = perfgrp_clock_now(group->clockid);
	clock = perfgrp_core_clock();
	for (; entry < end; entry++, value++) {
		perfgrp_row_read(group, entry->event, clock, call_pmu, &reading);
		perfgrp_row_adjust(&entry->base, entry->goes_away, entry->away, clock, &reading);
		perfgrp_row_fill_value(entry->id, entry->sched_group, entry->pmu, &reading,
				       row_flags, value);
		flags |= value->flags;
	}
	perfgrp_row_add_flags(row, flags);
	row->time_after = perfgrp_clock_now(group->clockid);
	perfgrp_row_finish(group, row, perfgrp_mapped_values(slot), removed);
}

static const struct perfgrp_event_array *
get_array(const struct perfgrp_mapped_instance *instance)
{
	return perfgrp_event_array_get(instance->group->event_arrays, instance->index);
}

static bool is_usable(const struct perfgrp_mapped_instance *instance,
		      const struct perfgrp_event_array *array)
{
	return perfgrp_event_array_usable(instance->group, instance->index, array);
}

/*
 * Write the slot of an instance whose events are on this CPU, or were until now. Interrupts are
 * off, and the perf core is not changing the events. @uncore: PMUs other than the CPU's own may be
 * called, too. @at_rest: the CPU stops running what is counted, or the task is switched out.
 */
static void write_slot(struct perfgrp_mapped_instance *instance, bool uncore, bool at_rest)
{
	struct perfgrp_map_slot *slot = instance->slot;
	const struct perfgrp_event_array *array;

	lockdep_assert_irqs_disabled();

	/*
	 * The writer may be another CPU's snapshot. Not waited for, since this CPU may hold its
	 * runqueue's lock: then the row is not marked at rest before the next time, though it is.
	 */
	if (!perfgrp_mapped_write_begin(slot))
		return;
	rcu_read_lock();
	/* Only now: perfgrp_mapped_refresh() waits for this writer, then overwrites an old row. */
	array = get_array(instance);
	if (is_usable(instance, array) && (uncore || !array->reads_elsewhere)) {
		fill_slot(instance, array, 0, true);
		WRITE_ONCE(slot->at_rest, at_rest && !array->counts_at_rest);
		perfgrp_mapped_write_end(slot);
	} else {
		perfgrp_mapped_write_abort(slot);
	}
	rcu_read_unlock();
}

/**
 * perfgrp_mapped_write_overflow - write a row in an overflow handler
 * @instance: whose event has overflowed on this CPU
 * @irqs_on: as in perfgrp_core_read_anywhere()
 *
 * Any context, with interrupts off, inside rcu_read_lock(). If one of the row's events cannot be
 * read now, the row is not written.
 */
void perfgrp_mapped_write_overflow(struct perfgrp_mapped_instance *instance, bool irqs_on)
{
	const struct perfgrp_event_array *array;
	enum perf_event_state state;
	struct perf_event *event;
	bool readable = true;
	unsigned int i;

	if (!perfgrp_mapped_write_begin(instance->slot))
		return;
	array = get_array(instance);
	for (i = 0; i < array->nr && readable; i++) {
		event = array->entries[i].event;
		state = event ? perfgrp_core_state(event) : PERF_EVENT_STATE_ERROR;
		readable = state != PERF_EVENT_STATE_ACTIVE ||
			   perfgrp_core_read_anywhere(event, state, irqs_on);
	}
	if (readable && is_usable(instance, array)) {
		fill_slot(instance, array, 0, false);
		perfgrp_mapped_write_end(instance->slot);
	} else {
		perfgrp_mapped_write_abort(instance->slot);
	}
}

/* ---- timers ------------------------------------------------------------------- */

/* Not is_idle_task(): PF_IDLE is also set, for a while, by tasks that inject idle time. */
static bool is_idle(const struct task_struct *task)
{
	return !task->pid;
}

/* Whether this CPU runs what the instance counts. */
static bool is_busy_here(const struct perfgrp_mapped_instance *instance)
{
	const struct perfgrp_group *group = instance->group;

	if (group->task)
		return group->task == current;
	return group->instances[instance->index].cpu == smp_processor_id() &&
	       !is_idle(current);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct perfgrp_mapped_instance *instance =
		container_of(timer, struct perfgrp_mapped_instance, timer);

	/* Timers of a CPU that goes offline are moved to another one. */
	if (!is_busy_here(instance))
		return HRTIMER_NORESTART;
	write_slot(instance, true, false);
	hrtimer_forward_now(timer, ns_to_ktime(instance->interval));
	return HRTIMER_RESTART;
}

static void start_timer(struct perfgrp_mapped_instance *instance)
{
	if (instance->interval)
		hrtimer_start(&instance->timer, ns_to_ktime(instance->interval),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* If on_timer() is running on another CPU, it stops the timer itself: is_busy_here(). */
static void stop_timer(struct perfgrp_mapped_instance *instance)
{
	if (instance->interval)
		hrtimer_try_to_cancel(&instance->timer);
}

/* ---- tracepoints --------------------------------------------------------------- */

/* Tracepoint cpu_idle. */
static void on_idle(void *data, unsigned int state, unsigned int cpu)
{
	struct perfgrp_mapped_instance *instance;
	unsigned long flags;

	if (hlist_empty(this_cpu_ptr(&cpu_instances)))
		return;
	/* 6.1 calls this with interrupts on at the end of cpu_idle_poll(). */
	local_irq_save(flags);
	rcu_read_lock();
	hlist_for_each_entry_rcu(instance, this_cpu_ptr(&cpu_instances), node) {
		/* State 0 is not at rest: it may be cpu_idle_poll(), whatever the driver's is. */
		if (state == PWR_EVENT_EXIT)
			WRITE_ONCE(instance->slot->at_rest, 0);
		else
			write_slot(instance, false, state);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

static void switch_cpu(bool busy)
{
	struct perfgrp_mapped_instance *instance;

	hlist_for_each_entry_rcu(instance, this_cpu_ptr(&cpu_instances), node) {
		if (busy)
			start_timer(instance);
		else
			stop_timer(instance);
	}
}

static void leave_task(const struct task_struct *task)
{
	struct perfgrp_mapped_instance *instance;

	hlist_for_each_entry_rcu(instance, bucket_of(task), node) {
		if (instance->group->task != task)
			continue;
		stop_timer(instance);
		write_slot(instance, false, true);
	}
}

static void enter_task(const struct task_struct *task)
{
	struct perfgrp_mapped_instance *instance;

	hlist_for_each_entry_rcu(instance, bucket_of(task), node) {
		if (instance->group->task != task)
			continue;
		WRITE_ONCE(instance->slot->at_rest, 0);
		start_timer(instance);
	}
}

/* Tracepoint sched_switch. The events of @prev have not been scheduled out yet. */
static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	rcu_read_lock();
	if (is_idle(prev) != is_idle(next))
		switch_cpu(is_idle(prev));
	if (READ_ONCE(nr_tasks)) {
		leave_task(prev);
		enter_task(next);
	}
	rcu_read_unlock();
}

/* ---- changes of the group -------------------------------------------------------- */

/* The task that calls this, or waits for the IPI, holds perfgrp_group.lock. */
static void refresh_slot(struct perfgrp_mapped_instance *instance)
{
	const struct perfgrp_event_array *array;
	struct perfgrp_map_slot *slot = instance->slot;
	u32 flags = 0;

	lockdep_assert_irqs_disabled();

	if (!perfgrp_instance_usable(&instance->group->instances[instance->index]))
		flags = PERFGRP_ROW_OFFLINE;
	/* If there is a writer it is on another CPU, with interrupts off, and ends soon. */
	while (!perfgrp_mapped_write_begin(slot))
		cpu_relax();
	rcu_read_lock();
	array = get_array(instance);
	fill_slot(instance, array, flags, true);
	if (array->counts_at_rest)
		WRITE_ONCE(slot->at_rest, 0);
	rcu_read_unlock();
	perfgrp_mapped_write_end(slot);
	if (is_busy_here(instance))
		start_timer(instance);
}

/* IPI, or a direct call on this CPU. */
static void refresh_cpu(void *info)
{
	struct perfgrp_group *group = info;

	refresh_slot(&group->mapped->instances[group->instance_of[smp_processor_id()]]);
}

static void refresh_task(void *info)
{
	struct perfgrp_group *group = info;

	refresh_slot(&group->mapped->instances[0]);
}

static void refresh_here(struct perfgrp_mapped_instance *instance)
{
	local_irq_disable();
	refresh_slot(instance);
	local_irq_enable();
}

/* Whether refresh_cpu() has not written the row: no events, or their CPU just went offline. */
static bool is_left(const struct perfgrp_group *group, unsigned int index)
{
	const struct perfgrp_instance *instance = &group->instances[index];

	return instance->seen &&
	       (!cpumask_test_cpu(instance->cpu, group->cpus) || !cpu_online(instance->cpu) ||
		READ_ONCE(group->mapped->instances[index].slot->generation) != group->generation);
}

static void refresh_cpus(struct perfgrp_group *group)
{
	unsigned int i;

	on_each_cpu_mask(group->cpus, refresh_cpu, group, true);
	for (i = 0; i < group->nr_instances; i++)
		if (is_left(group, i))
			refresh_here(&group->mapped->instances[i]);
}

/**
 * perfgrp_mapped_refresh - write all rows of a group that has changed
 * @group: the group; the lock is held for writing. Nothing is done if it is not mapped.
 *
 * Readers recognize a mix of old and new rows by struct perfgrp_map.generation. May sleep.
 */
void perfgrp_mapped_refresh(struct perfgrp_group *group)
{
	lockdep_assert_held_write(&group->lock);

	if (!group->mapped)
		return;
	if (!group->task)
		refresh_cpus(group);
	else if (group->nr_members)
		perfgrp_call_on_task(group, false, refresh_task, group);
	else
		refresh_here(&group->mapped->instances[0]);
	/* After all slots: readers check it before and after they read slots. */
	smp_store_release(&group->mapped->map->generation, group->generation);
}

/* ---- tracepoints and lists of instances ------------------------------------------------ */

static struct perfgrp_tracepoint cpu_idle = { .name = "cpu_idle", .handler = on_idle };
static struct perfgrp_tracepoint sched_switch = { .name = "sched_switch", .handler = on_switch };

static bool supported;

/**
 * perfgrp_mapped_init - check whether rows can be mapped
 */
void perfgrp_mapped_init(void)
{
	/* Compile-time checks of the handlers' types. */
	check_trace_callback_type_cpu_idle(on_idle);
	check_trace_callback_type_sched_switch(on_switch);

	supported = perfgrp_tracepoint_find(cpu_idle.name) &&
		    perfgrp_tracepoint_find(sched_switch.name);
	if (!supported)
		pr_info("MAPPED is not supported: a tracepoint is missing\n");
}

/**
 * perfgrp_mapped_supported - can rows be mapped?
 *
 * Return: true if the kernel has both tracepoints.
 */
bool perfgrp_mapped_supported(void)
{
	return supported;
}

static bool uses_switch(const struct perfgrp_group *group)
{
	return group->task || group->mapped->instances[0].interval;
}

static bool get_handlers(const struct perfgrp_group *group)
{
	if (!group->task && !perfgrp_tracepoint_get(&cpu_idle))
		return false;
	if (!uses_switch(group) || perfgrp_tracepoint_get(&sched_switch))
		return true;
	if (!group->task)
		perfgrp_tracepoint_put(&cpu_idle);
	return false;
}

static void add_instance(struct perfgrp_mapped_instance *instance)
{
	const struct perfgrp_group *group = instance->group;
	int cpu = group->instances[instance->index].cpu;

	lockdep_assert_held(&instances_lock);

	hlist_add_head_rcu(&instance->node,
			   group->task ? bucket_of(group->task) : per_cpu_ptr(&cpu_instances, cpu));
	WRITE_ONCE(nr_tasks, nr_tasks + !!group->task);
}

static void remove_instance(struct perfgrp_mapped_instance *instance)
{
	lockdep_assert_held(&instances_lock);

	hlist_del_rcu(&instance->node);
	WRITE_ONCE(nr_tasks, nr_tasks - !!instance->group->task);
}

/**
 * perfgrp_mapped_link - start writing a group's rows
 * @group: a new group that is mapped
 * @err: filled in on failure
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_mapped_link(struct perfgrp_group *group, struct perfgrp_error *err)
{
	struct perfgrp_mapped_instance *instances = group->mapped->instances;
	unsigned int i;

	if (!get_handlers(group))
		return perfgrp_fail_memory(err);
	for (i = 0; i < group->nr_instances; i++)
		compat_hrtimer_setup(&instances[i].timer, on_timer, CLOCK_MONOTONIC,
				     HRTIMER_MODE_REL_PINNED_HARD);
	mutex_lock(&instances_lock);
	for (i = 0; i < group->nr_instances; i++)
		add_instance(&instances[i]);
	mutex_unlock(&instances_lock);
	return 0;
}

/**
 * perfgrp_mapped_unlink - hide a group from the tracepoints' handlers
 * @group: a group; nothing is done if it is not mapped
 *
 * perfgrp_mapped_destroy() follows after an RCU grace period.
 */
void perfgrp_mapped_unlink(struct perfgrp_group *group)
{
	unsigned int i;

	if (!group->mapped)
		return;
	mutex_lock(&instances_lock);
	for (i = 0; i < group->nr_instances; i++)
		remove_instance(&group->mapped->instances[i]);
	mutex_unlock(&instances_lock);
}

/**
 * perfgrp_mapped_stop - stop a group's timers, and its use of the tracepoints
 * @group: an RCU grace period has passed since perfgrp_mapped_unlink()
 *
 * May sleep.
 */
void perfgrp_mapped_stop(struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		hrtimer_cancel(&group->mapped->instances[i].timer);
	if (uses_switch(group))
		perfgrp_tracepoint_put(&sched_switch);
	if (!group->task)
		perfgrp_tracepoint_put(&cpu_idle);
}
