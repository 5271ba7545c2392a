// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU whose events count how long a task was on CPUs where its other events do not count;
 * struct perfgrp_away explains what for.
 *
 * The PMU is registered when it is first needed. Only this file can create its events.
 *
 * From 6.2 on a task has one perf context. Before 6.2 its software and its hardware events have
 * separate contexts, with separate clocks, and hidden events belong in that of the hardware
 * members. For all events of such a context the perf core then uses the transactions and the
 * rotation of the PMU that had the first event in it. So a hidden event must not be the first: it
 * is created after a hardware member. (Without a hardware PMU this PMU is not registered.)
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

/* Children's events inherit the pointer. They are released before perfgrp_away.event. */
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

/* Called, like all callbacks but event_init, on the event's CPU with interrupts off. */
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
	/* attr.config1 is a pointer, so only perfgrp_away_create() may create an event. */
	if (!event->parent && READ_ONCE(creator) != current)
		return -ENOENT;
	/*
	 * Lets the event be scheduled whatever else is on the PMU. From 6.12 on
	 * perf_event_create_kernel_counter() sets this itself for software PMUs.
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
 * perfgrp_away_exit - unregister the PMU; it is registered again when needed
 *
 * For module unload and for tests, while no group exists. May sleep.
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
 * perfgrp_away_cpus - find the CPUs on which a task's event does not count
 * @event: the event, of a hardware PMU
 * @cpu: the CPU that the event is bound to, -1 for any
 * @cpus: set
 *
 * With @cpu -1, the event is taken to count on all CPUs that are offline.
 *
 * Return: false if there is no such CPU that is possible.
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
		/* Pinned events are not rotated. */
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
 * @cpus: the CPUs on which they do not count
 * @like: its disabled, enable_on_exec and exclude_guest are used
 *
 * May sleep.
 *
 * Return: a struct with one user, to be released with perfgrp_away_put(), or an ERR_PTR().
 */
struct perfgrp_away *perfgrp_away_create(struct task_struct *task, const struct cpumask *cpus,
					 const struct perf_event_attr *like)
{
	struct perf_event *event;
	struct perfgrp_away *away;

	/* Not by nr_cpumask_bits: with NR_CPUS of 65 to 256 cpumask_copy() copies more. */
	away = kzalloc(sizeof(*away) + cpumask_size(), GFP_KERNEL_ACCOUNT);
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
 * Return: ns, approximately.
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
 * perfgrp_away_put - drop a user
 * @away: what the member used, or NULL
 *
 * Releases the event with the last user. May sleep.
 */
void perfgrp_away_put(struct perfgrp_away *away)
{
	if (!away || --away->users)
		return;
	perf_event_release_kernel(away->event);
	kfree_rcu(away, rcu);
}
