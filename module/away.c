// SPDX-License-Identifier: GPL-2.0
/*
 * How long a task was on CPUs where its events do not count: a PMU whose events count that.
 * struct perfgrp_away says what for.
 *
 * The PMU is registered when it is first needed. Its events can be created here only.
 *
 * From 6.2 on a task has one perf context. Before, its software and its hardware events have
 * one each, with clocks of their own, and hidden events belong with the hardware members. The
 * PMU that first has an event in such a context is then the one whose transactions and rotation
 * the perf core uses for all of it. So a hidden event must not be the first there: it is
 * created after a member. (And the PMU is not registered where there is no hardware PMU.)
 *
 * Process context, except for the PMU's callbacks. Takes away_lock; perfgrp.h has its place in
 * the lock order.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "away.h"
#include "compat.h"
#include "perfcore.h"

/* Registration, and one creation at a time. */
static DEFINE_MUTEX(away_lock);
static bool registered;
/* The task that creates an event in perfgrp_away_create(); written under away_lock. */
static struct task_struct *creator;

/* ---- the PMU -------------------------------------------------------------- */

/* Children's events inherit the pointer; they are gone before perfgrp_away.event is. */
static const struct cpumask *away_cpus(const struct perf_event *event)
{
	return to_cpumask((unsigned long *)(unsigned long)event->attr.config1);
}

/* The context's time, which the perf core has just updated. */
static u64 context_now(const struct perf_event *event)
{
	return compat_ctx_time(event->ctx) - compat_guest_time(event);
}

static u64 time_now(const struct perf_event *event)
{
	return perfgrp_away_from_word(local64_read(&event->hw.prev_count), context_now(event));
}

/* As all callbacks but event_init: on the event's CPU, with interrupts off. */
static int away_add(struct perf_event *event, int flags)
{
	u64 time = local64_read(&event->hw.prev_count);

	if (cpumask_test_cpu(smp_processor_id(), away_cpus(event)))
		local64_set(&event->hw.prev_count, time - context_now(event) - 1);
	return 0;
}

static void away_del(struct perf_event *event, int flags)
{
	u64 time = time_now(event);

	local64_set(&event->hw.prev_count, time);
	local64_set(&event->count, time);
}

static void away_start(struct perf_event *event, int flags)
{
}

static void away_stop(struct perf_event *event, int flags)
{
}

static void away_read(struct perf_event *event)
{
	local64_set(&event->count, time_now(event));
}

static int away_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* attr.config1 is a pointer: nobody else may create one. */
	if (!event->parent && READ_ONCE(creator) != current)
		return -ENOENT;
	/*
	 * It goes on the PMU whatever else is there. For a kernel counter on a software PMU
	 * perf_event_create_kernel_counter() sets this itself, but only from 6.12 on.
	 */
	event->event_caps |= PERF_EV_CAP_SOFTWARE;
	return 0;
}

static struct pmu away_pmu;

static int register_pmu(void)
{
	int ret;

	lockdep_assert_held(&away_lock);

	if (registered)
		return 0;
	away_pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = COMPAT_HW_TASK_CONTEXT,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT | COMPAT_CAP_HW_TASK_CONTEXT,
		.event_init = away_event_init,
		.add = away_add,
		.del = away_del,
		.start = away_start,
		.stop = away_stop,
		.read = away_read,
	};
	ret = perf_pmu_register(&away_pmu, "perfgrp", -1);
	registered = !ret;
	return ret;
}

/**
 * perfgrp_away_exit - unregister the PMU, until it is needed again
 *
 * May sleep. At module unload, and in tests. No group exists.
 */
void perfgrp_away_exit(void)
{
	if (!registered)
		return;
	/* Contexts that point to the PMU are freed by RCU. */
	rcu_barrier();
	perf_pmu_unregister(&away_pmu);
	registered = false;
}

/* ---- where ---------------------------------------------------------------- */

/**
 * perfgrp_away_cpus - where does an event of a task not count?
 * @event: the event, of a hardware PMU
 * @cpu: the CPU that it is for, -1 for any
 * @cpus: set
 *
 * A CPU that is offline is taken to be one where it counts, unless @cpu names another.
 *
 * Return: false if there is none that is possible.
 */
bool perfgrp_away_cpus(struct perf_event *event, int cpu, struct cpumask *cpus)
{
	struct pmu *pmu;
	bool some;

	if (cpu < 0) {
		pmu = perfgrp_core_pmu_lock(event);
		if (!pmu)
			return false;
		some = compat_pmu_filtered_cpus(pmu, cpus);
		perfgrp_core_pmu_unlock(event);
		return some;
	}
	cpumask_setall(cpus);
	cpumask_clear_cpu(cpu, cpus);
	return cpumask_intersects(cpus, cpu_possible_mask);
}

/* ---- events --------------------------------------------------------------- */

static struct perf_event *create_event(struct task_struct *task, const struct perfgrp_away *away,
				       const struct perf_event_attr *like)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config1 = (unsigned long)away->cpus,
		.disabled = like->disabled,
		.enable_on_exec = like->enable_on_exec,
		.exclude_guest = like->exclude_guest,
		/* Not rotated. */
		.pinned = 1,
	};
	struct perf_event *event;
	int ret;

	mutex_lock(&away_lock);
	ret = register_pmu();
	if (!ret) {
		attr.type = away_pmu.type;
		WRITE_ONCE(creator, current);
		event = perf_event_create_kernel_counter(&attr, -1, task, NULL, NULL);
		WRITE_ONCE(creator, NULL);
	}
	mutex_unlock(&away_lock);
	return ret ? ERR_PTR(ret) : event;
}

/**
 * perfgrp_away_create - count how long a task is on CPUs where members do not count
 * @task: the task; it has a hardware event. The caller holds its exec_update_lock.
 * @cpus: where they do not count
 * @like: what disabled, enable_on_exec and exclude_guest are to be
 *
 * May sleep.
 *
 * Return: what has one user and is to be released with perfgrp_away_put(), or an ERR_PTR().
 */
struct perfgrp_away *perfgrp_away_create(struct task_struct *task, const struct cpumask *cpus,
					 const struct perf_event_attr *like)
{
	struct perf_event *event;
	struct perfgrp_away *away;

	away = kzalloc(struct_size(away, cpus, BITS_TO_LONGS(nr_cpumask_bits)), GFP_KERNEL_ACCOUNT);
	if (!away)
		return ERR_PTR(-ENOMEM);
	cpumask_copy(to_cpumask(away->cpus), cpus);
	event = create_event(task, away, like);
	if (IS_ERR(event)) {
		kfree(away);
		return ERR_CAST(event);
	}
	away->event = event;
	away->users = 1;
	return away;
}

/**
 * perfgrp_away_read_inherited - how long a task and its children were away
 * @away: of an inherited member; NULL for a software member
 *
 * May sleep. Sends an IPI if the event is on a CPU.
 *
 * Return: ns while @away was enabled.
 */
u64 perfgrp_away_read_inherited(const struct perfgrp_away *away)
{
	u64 enabled, running;

	return away ? perf_event_read_value(away->event, &enabled, &running) : 0;
}

/**
 * perfgrp_away_peek_inherited - perfgrp_away_read_inherited() without an IPI
 * @away: of an inherited member; NULL for a software member
 *
 * May sleep.
 *
 * Return: about how many ns.
 */
u64 perfgrp_away_peek_inherited(const struct perfgrp_away *away)
{
	const struct perf_event *child;
	u64 clock, time;

	if (!away)
		return 0;
	mutex_lock(&away->event->child_mutex);
	local_irq_disable();
	clock = perfgrp_core_clock();
	time = perfgrp_away_event_time(away->event, clock);
	list_for_each_entry(child, &away->event->child_list, child_list)
		time += perfgrp_away_event_time(child, clock);
	local_irq_enable();
	time += atomic64_read(&away->event->child_count);
	mutex_unlock(&away->event->child_mutex);
	return time;
}

/**
 * perfgrp_away_put - one user less
 * @away: what the user had, or NULL
 *
 * With the last user its event is released. May sleep.
 */
void perfgrp_away_put(struct perfgrp_away *away)
{
	if (!away || --away->users)
		return;
	perf_event_release_kernel(away->event);
	kfree_rcu(away, rcu);
}
