// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated PMU; see fake_pmu.h for what it counts.
 *
 * Its callbacks run as any PMU's: add, del, start, stop and read on the event's
 * CPU with interrupts off, event_init in process context.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../module/compat.h"
#include "fake_pmu.h"

/* Before 6.2 a PMU needs this capability to share perf_hw_context. */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define FAKE_CAPABILITIES (PERF_PMU_CAP_EXTENDED_HW_TYPE | PERF_PMU_CAP_HETEROGENEOUS_CPUS)
#else
#define FAKE_CAPABILITIES PERF_PMU_CAP_EXTENDED_HW_TYPE
#endif

static struct fake_pmu *fake_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct fake_pmu, pmu);
}

/*
 * The current value of what the event counts. The driver's own callbacks use the context's time,
 * which the perf core has just updated; only a read uses the clock itself.
 */
static u64 now_of(const struct perf_event *event, bool reading)
{
	if (!(event->attr.config & FAKE_IS_CLOCK))
		return atomic64_read(&fake_of(event)->ticks);
	return reading ? local_clock() + compat_ctx_timeoffset(event->ctx) :
			 compat_ctx_time(event->ctx);
}

/* @now may be earlier than the last time; the sum is right modulo 2^64. */
static void update(struct perf_event *event, u64 now)
{
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add((now - before) * (event->attr.config & FAKE_WEIGHT_MASK), &event->count);
}

/* Uses delay loops, because a clock that depends on the tick may stand still meanwhile. */
static void meet(struct fake_pmu *fake)
{
	unsigned int left = 5000000;

	if (!READ_ONCE(fake->meet))
		return;
	atomic_inc(&fake->met);
	while (atomic_read(&fake->met) < READ_ONCE(fake->meet) && --left)
		udelay(1);
	if (!left)
		atomic_inc(&fake->missed);
}

static void fake_read(struct perf_event *event)
{
	struct fake_pmu *fake = fake_of(event);

	atomic_inc(&fake->reads);
	if (!irqs_disabled() || READ_ONCE(event->oncpu) != raw_smp_processor_id())
		atomic_inc(&fake->strange_reads);
	meet(fake);
	if (!(event->hw.state & PERF_HES_STOPPED))
		update(event, now_of(event, true));
	if (fake->interrupt_read)
		fake->interrupt_read(event, fake->interrupt_data);
}

static void interrupt(struct perf_event *event)
{
	struct fake_pmu *fake = fake_of(event);

	if (fake->interrupt)
		fake->interrupt(event, fake->interrupt_data);
}

/* In the same order as the arm PMUs: hw.state first, prev_count later. */
static void fake_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	interrupt(event);
	local64_set(&event->hw.prev_count, now_of(event, false));
}

static void fake_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	update(event, now_of(event, false));
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int fake_add(struct perf_event *event, int flags)
{
	struct fake_pmu *fake = fake_of(event);

	interrupt(event);
	if (event->attr.config & FAKE_FAIL_ADD)
		return -EAGAIN;
	if (*this_cpu_ptr(fake->used) >= READ_ONCE(fake->slots))
		return -EAGAIN;

	atomic_inc(&fake->adds);
	(*this_cpu_ptr(fake->used))++;
	(*this_cpu_ptr(fake->batch))++;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		fake_start(event, 0);
	return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
	fake_stop(event, PERF_EF_UPDATE);
	(*this_cpu_ptr(fake_of(event)->used))--;
}

static void fake_start_txn(struct pmu *pmu, unsigned int flags)
{
	*this_cpu_ptr(container_of(pmu, struct fake_pmu, pmu)->batch) = 0;
}

static int fake_commit_txn(struct pmu *pmu)
{
	struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);

	WRITE_ONCE(fake->committed, *this_cpu_ptr(fake->batch));
	return 0;
}

static void fake_cancel_txn(struct pmu *pmu)
{
}

/* Number of the group's events on this PMU, including @event. */
static unsigned int group_size(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int size = leader->pmu == event->pmu;

	/* The perf core does not lock the leader's context for drivers of software PMUs. */
	if (leader == event || event->pmu->task_ctx_nr == perf_sw_context)
		return size;
	for_each_sibling_event(sibling, leader)
		size += sibling->pmu == event->pmu;
	return size + 1;
}

static bool is_for(const struct fake_pmu *fake, const struct perf_event *event)
{
	if (fake->cpus && event->cpu >= 0 && !cpumask_test_cpu(event->cpu, fake->cpus))
		return false;
	if (event->attr.type == fake->pmu.type)
		return true;
	if (event->attr.type == PERF_TYPE_HARDWARE)
		return fake->hardware;
	return fake->cpus && event->attr.type == PERF_TYPE_RAW && event->attr.config1 == FAKE_RAW;
}

/* Change the type, so that the perf core tries the PMU of that type next. */
static int forward(const struct fake_pmu *fake, struct perf_event *event)
{
	event->attr.type = fake->forward->pmu.type;
	event->attr.config &= ~FAKE_FORWARD;
	return -ENOENT;
}

/* If an event was linked under a leader, group_leader still points to it here. */
static void fake_destroy(struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	if (event->ctx && event->pmu && leader->pmu &&
	    (leader->pmu != event->pmu || leader->cpu != event->cpu))
		atomic_inc(&fake_of(event)->strange_leaders);
}

static int fake_event_init(struct perf_event *event)
{
	struct fake_pmu *fake = fake_of(event);
	int error = (event->attr.config >> 24) & 0xff;

	if (!is_for(fake, event))
		return -ENOENT;
	if (event->attr.config & FAKE_FORWARD)
		return forward(fake, event);
	if (error)
		return -error;
	if (READ_ONCE(fake->refuse) && (!fake->refuse_on || fake->refuse_on == event->cpu + 1))
		return -READ_ONCE(fake->refuse);
	fake->euid = current_euid();
	if (!fake->unchecked && group_size(event) > READ_ONCE(fake->slots))
		return -EINVAL;
	if (event->attr.config & FAKE_SIBLING &&
	    (event->group_leader == event || event->group_leader->pmu != event->pmu))
		return -EINVAL;
	if (event->attr.config & FAKE_ON_CPU0 && event->cpu > 0)
		event->cpu = 0;
	event->destroy = fake_destroy;
	atomic_inc(&fake->inits);
	return 0;
}

static int fake_check_period(struct perf_event *event, u64 value)
{
	return event->cpu + 1 == READ_ONCE(fake_of(event)->fixed_period) ? -EINVAL : 0;
}

/* The CPUs on which the perf core must not even try to schedule its events. */
#ifdef PERFGRP_HAVE_PMU_FILTER
static bool fake_filter(struct pmu *pmu, int cpu)
{
	const struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);

	return fake->cpus && !cpumask_test_cpu(cpu, fake->cpus);
}

#define FAKE_FILTER .filter = fake_filter
#else
static int fake_filter_match(struct perf_event *event)
{
	const struct fake_pmu *fake = fake_of(event);

	return !fake->cpus || cpumask_test_cpu(smp_processor_id(), fake->cpus);
}

#define FAKE_FILTER .filter_match = fake_filter_match
#endif

/* The sysfs file "cpus": the CPUs that it counts on. */
static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct fake_pmu *fake = container_of(dev_get_drvdata(dev), struct fake_pmu, pmu);

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(fake->cpus ?: cpu_possible_mask));
}

static DEVICE_ATTR_RO(cpus);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct fake_pmu *fake = container_of(dev_get_drvdata(dev), struct fake_pmu, pmu);

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(fake->cpumask));
}

static DEVICE_ATTR_RO(cpumask);

static struct attribute *fake_attrs[] = { &dev_attr_cpus.attr, &dev_attr_cpumask.attr, NULL };

static umode_t is_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	const struct fake_pmu *fake =
		container_of(dev_get_drvdata(kobj_to_dev(kobj)), struct fake_pmu, pmu);

	return attr != &dev_attr_cpumask.attr || fake->cpumask ? attr->mode : 0;
}

static const struct attribute_group fake_attr_group = {
	.attrs = fake_attrs,
	.is_visible = is_visible,
};

static const struct attribute_group *fake_attr_groups[] = { &fake_attr_group, NULL };

/**
 * fake_pmu_register - register a PMU, for the first time or again
 * @fake: the PMU; pmu.type becomes the lowest number that is free
 *
 * Return: 0 or a negative errno.
 */
int fake_pmu_register(struct fake_pmu *fake)
{
	int ret;

	fake->pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = fake->context,
		.hrtimer_interval_ms = fake->rotation_ms,
		.capabilities = FAKE_CAPABILITIES,
		.attr_groups = fake_attr_groups,
		FAKE_FILTER,
		.event_init = fake_event_init,
		.check_period = fake_check_period,
		.add = fake_add,
		.del = fake_del,
		.start = fake_start,
		.stop = fake_stop,
		.read = fake_read,
		.start_txn = fake_start_txn,
		.commit_txn = fake_commit_txn,
		.cancel_txn = fake_cancel_txn,
	};
#ifdef PERFGRP_HAVE_PMU_SCOPE
	fake->pmu.scope = fake->scope;
#endif
	ret = perf_pmu_register(&fake->pmu, fake->name, -1);
	fake->registered = !ret;
	return ret;
}

/* The perf core frees its rotation timers without checking whether they run. */
static void cancel_rotation(struct fake_pmu *fake)
{
	int cpu;

	/* Software PMUs are not multiplexed: they have no timer (6.1), or one that never runs. */
	if (fake->pmu.task_ctx_nr == perf_sw_context)
		return;
	for_each_possible_cpu(cpu)
		hrtimer_cancel(compat_rotation_timer(&fake->pmu, cpu));
}

/**
 * fake_pmu_unregister - unregister a PMU
 * @fake: it has no event left; fake_pmu_register() may follow
 */
void fake_pmu_unregister(struct fake_pmu *fake)
{
	if (!fake->registered)
		return;
	fake->registered = false;
	/* Events, and the contexts that point to the PMU, are freed by RCU. */
	rcu_barrier();
	cancel_rotation(fake);
	perf_pmu_unregister(&fake->pmu);
}

/**
 * fake_pmu_revoke - unregister a PMU that has events
 * @fake: the PMU
 * @events: its events, all of them
 * @nr: how many
 *
 * Kernels before 6.15 do not allow that; there the events are only made to look revoked.
 * fake_pmu_unrevoke() must follow before they are released.
 */
void fake_pmu_revoke(struct fake_pmu *fake, struct perf_event *const *events, unsigned int nr)
{
#ifdef PERFGRP_HAVE_STATE_REVOKED
	fake_pmu_unregister(fake);
#else
	unsigned int i;

	for (i = 0; i < nr; i++)
		perf_event_disable(events[i]);
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(events[i]->state, PERF_EVENT_STATE_EXIT);
		WRITE_ONCE(events[i]->pmu, NULL);
	}
#endif
}

/* Before 6.15: undo the changes that made the events look revoked. */
void fake_pmu_unrevoke(struct fake_pmu *fake, struct perf_event *const *events, unsigned int nr)
{
#ifndef PERFGRP_HAVE_STATE_REVOKED
	unsigned int i;

	for (i = 0; i < nr; i++) {
		WRITE_ONCE(events[i]->pmu, &fake->pmu);
		WRITE_ONCE(events[i]->state, PERF_EVENT_STATE_OFF);
	}
#endif
}

/**
 * fake_pmu_create - create and register a PMU
 * @name: its name
 * @slots: events it can count at the same time on a CPU
 * @rotation_ms: how often the perf core rotates what is multiplexed
 *
 * Return: the PMU, or an ERR_PTR().
 */
struct fake_pmu *fake_pmu_create(const char *name, unsigned int slots, unsigned int rotation_ms)
{
	struct fake_pmu *fake;
	int ret = -ENOMEM;

	fake = kzalloc(sizeof(*fake), GFP_KERNEL);
	if (!fake)
		return ERR_PTR(-ENOMEM);
	fake->used = alloc_percpu(unsigned int);
	fake->batch = alloc_percpu(unsigned int);
	if (!fake->used || !fake->batch)
		goto free;

	strscpy(fake->name, name, sizeof(fake->name));
	fake->slots = slots;
	fake->rotation_ms = rotation_ms;
	fake->context = perf_hw_context;
	ret = fake_pmu_register(fake);
	if (!ret)
		return fake;
free:
	free_percpu(fake->batch);
	free_percpu(fake->used);
	kfree(fake);
	return ERR_PTR(ret);
}

/* Destroyed PMUs that tasks that have not exited yet may still point to. */
static LIST_HEAD(destroyed);

/**
 * fake_pmu_destroy - unregister a PMU and free it
 * @fake: it has no event left
 */
void fake_pmu_destroy(struct fake_pmu *fake)
{
	fake_pmu_unregister(fake);
	free_percpu(fake->batch);
	free_percpu(fake->used);
	if (PERFGRP_CONTEXT_KEEPS_PMU)
		list_add(&fake->destroyed, &destroyed);
	else
		kfree(fake);
}

/**
 * fake_pmu_free_destroyed - free the PMUs that fake_pmu_destroy() could not free
 *
 * All tasks that were counted must have exited.
 */
void fake_pmu_free_destroyed(void)
{
	struct fake_pmu *fake, *next;

	list_for_each_entry_safe(fake, next, &destroyed, destroyed)
		kfree(fake);
}

/* An unstable clock stands still for up to a jiffy on a CPU that has no tick. */
#ifdef CONFIG_HAVE_UNSTABLE_SCHED_CLOCK
static void wait_for_clock(int cpu)
{
	u64 begin = sched_clock_cpu(cpu);
	unsigned int left = 200000;

	while (sched_clock_cpu(cpu) == begin && --left)
		udelay(1);
}
#else
static void wait_for_clock(int cpu)
{
}
#endif

/**
 * fake_pmu_tick - let ticks, and some time, pass
 * @fake: the PMU; its events count the ticks on all CPUs
 * @ticks: how many
 *
 * Time must pass, too, because a count without running time is a value that never ran.
 */
void fake_pmu_tick(struct fake_pmu *fake, u64 ticks)
{
	int cpu;

	atomic64_add(ticks, &fake->ticks);
	if (!irqs_disabled())
		for_each_online_cpu(cpu)
			wait_for_clock(cpu);
}

/**
 * fake_pmu_used - number of slots in use
 * @fake: the PMU
 * @cpu: the CPU
 *
 * Return: how many of the PMU's slots are in use on the CPU now.
 */
unsigned int fake_pmu_used(const struct fake_pmu *fake, int cpu)
{
	return READ_ONCE(*per_cpu_ptr(fake->used, cpu));
}

/* ---- overflow ------------------------------------------------------------ */

/**
 * fake_pmu_call_handler - call an event's overflow handler here and now
 * @event: the event; its driver has just read it
 *
 * Any context. perf_event_overflow(), which is not exported, adds throttling.
 */
void fake_pmu_call_handler(struct perf_event *event)
{
	struct perf_sample_data data;
	struct pt_regs regs;

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	event->overflow_handler(event, &data, &regs);
}

struct overflow {
	struct irq_work work;
	struct perf_event *event;
	bool throttled;
};

/* In hard IRQ context, like the interrupt of a PMU without NMIs. Drivers read the event first. */
static void overflow_now(struct irq_work *work)
{
	struct overflow *overflow = container_of(work, struct overflow, work);
	struct perf_event *event = overflow->event;
	u64 interrupts = event->hw.interrupts;

	event->pmu->read(event);
	/* MAX_INTERRUPTS, as the perf core sets it until the next tick. */
	if (overflow->throttled)
		event->hw.interrupts = U64_MAX;
	fake_pmu_call_handler(event);
	event->hw.interrupts = interrupts;
}

static void queue_overflow(void *info)
{
	struct overflow *overflow = info;

	irq_work_queue(&overflow->work);
}

static int overflow_on_its_cpu(struct perf_event *event, bool throttled)
{
	struct overflow overflow = { .event = event, .throttled = throttled };
	int cpu = READ_ONCE(event->oncpu);
	int ret;

	if (cpu < 0)
		return -EAGAIN;
	overflow.work = IRQ_WORK_INIT_HARD(overflow_now);
	ret = smp_call_function_single(cpu, queue_overflow, &overflow, true);
	irq_work_sync(&overflow.work);
	return ret;
}

/**
 * fake_pmu_overflow - let an event overflow on the CPU that it is on
 * @event: the event, of a fake PMU or any other
 *
 * Return: 0 when its handler has run; -EAGAIN if the event is on no CPU.
 */
int fake_pmu_overflow(struct perf_event *event)
{
	return overflow_on_its_cpu(event, false);
}

/**
 * fake_pmu_overflow_throttled - fake_pmu_overflow() of an event that the perf core throttles
 * @event: the event
 *
 * The event is throttled only while its handler runs.
 *
 * Return: as fake_pmu_overflow().
 */
int fake_pmu_overflow_throttled(struct perf_event *event)
{
	return overflow_on_its_cpu(event, true);
}
