// SPDX-License-Identifier: GPL-2.0
/*
 * Access to the perf core beyond its exported functions. See also perfcore_link.c (events under a
 * group leader), perfcore_cgroup.c (events of cgroups), perfcore_create.c (which uses both),
 * perfcore_bpf.c, perfcore_callchain.c and perfcore_ip.c. perfcore_init.c tests what they assume.
 *
 * 1. Reading. perf_event_read_value() sleeps and sends one IPI per event;
 * perf_event_read_local() is not exported. perfgrp_core_read() does what
 * __perf_event_read() does: pmu->read() while the event is on the PMU, and the times from
 * the fields that __perf_update_times() and perf_event_time_now() use.
 * perfgrp_core_test_reads() compares the result with perf_event_read_value(), for an event that
 * counts and for one that is off. Checked in the sources of 6.1.192, 6.12.117 and 7.3.4.
 *
 * 2. Reading in NMI context or from a BPF program, which may have interrupted the perf
 * core while it schedules the event. has_started() and may_be_called() assume that
 * event_sched_in(), perf_event_read_local() and the clocks' PMUs are as in the same kernels.
 *
 * Documentation/assumptions.md lists what to check again for another kernel.
 *
 * Process context, unless a function says otherwise.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat.h"
#include "event.h"
#include "perfcore.h"
#include "pmu_attr.h"
#include "value.h"

/* Set by perfgrp_core_set_clock_pmus() only, before the device exists. */
static const struct pmu *cpu_clock_pmu;
static const struct pmu *task_clock_pmu;

/* ---- fork and exec ------------------------------------------------------- */

/**
 * perfgrp_core_set_inherit - count children that the task forks from now on
 * @events: group leaders and independent events of one task, created with attr.inherit off.
 *	The caller holds the task's exec_update_lock.
 * @nr: how many
 *
 * Once an event is inherited, the perf core may swap the contexts of parent and child,
 * with all their events, when it switches between the two. No sibling that counts the
 * parent must then be added to a leader that has moved to a child's context;
 * perf_event_open() checks that, perf_event_create_kernel_counter() does not. The perf
 * core never swaps a context that has an event without attr.inherit. So a group is created
 * complete with attr.inherit off, and the bit is set afterwards; fork only checks the leader's
 * bit.
 *
 * A fork copies a context's events with its mutex held, so a child inherits all of a context's
 * events or none. Before 6.2 software and hardware events have contexts of their own, which are
 * copied one after the other: a child forked at this moment may inherit only one kind.
 *
 * May sleep.
 */
void perfgrp_core_set_inherit(struct perf_event *const *events, unsigned int nr)
{
	struct perfgrp_core_contexts contexts = {};
	struct perf_event_context *ctx;
	unsigned int c, i;

	for (i = 0; i < nr; i++)
		perfgrp_core_add_context(&contexts, events[i]);
	for (c = 0; c < ARRAY_SIZE(contexts.ctxs) && contexts.ctxs[c]; c++) {
		ctx = contexts.ctxs[c];
		mutex_lock(&ctx->mutex);
		for (i = 0; i < nr; i++)
			if (events[i]->ctx == ctx)
				events[i]->attr.inherit = 1;
		mutex_unlock(&ctx->mutex);
	}
}

/**
 * perfgrp_core_exec_pending - is an event still waiting for the exec that enables it?
 * @event: an event created with attr.enable_on_exec; the perf core clears the bit at the
 *	exec
 *
 * Return: true until the exec.
 */
bool perfgrp_core_exec_pending(const struct perf_event *event)
{
	return event->attr.enable_on_exec;
}

/**
 * perfgrp_core_cancel_exec - clear attr.enable_on_exec
 * @event: the event; the caller holds its task's exec_update_lock
 */
void perfgrp_core_cancel_exec(struct perf_event *event)
{
	event->attr.enable_on_exec = 0;
}

/* ---- reading ------------------------------------------------------------- */

/**
 * perfgrp_core_set_clock_pmus - set the PMUs of the clock events
 * @cpu_clock: PMU of PERF_COUNT_SW_CPU_CLOCK
 * @task_clock: PMU of PERF_COUNT_SW_TASK_CLOCK
 *
 * No exported symbol identifies them. At module load.
 */
void perfgrp_core_set_clock_pmus(const struct pmu *cpu_clock, const struct pmu *task_clock)
{
	cpu_clock_pmu = cpu_clock;
	task_clock_pmu = task_clock;
}

static bool is_software(const struct pmu *pmu)
{
	return pmu->task_ctx_nr == perf_sw_context;
}

/**
 * perfgrp_core_pmu_lock - keep an event's PMU from being unregistered
 * @event: an event that is not inherited
 *
 * May sleep. The perf core revokes an event with its context's mutex held. Drivers of uncore PMUs
 * move events from one CPU's context to another's (perf_pmu_migrate_context()) with both mutexes
 * held; a CPU's context is not freed while a PMU has events there.
 *
 * Return: the PMU, until perfgrp_core_pmu_unlock(); NULL if the event was revoked, and then
 * there is nothing to unlock.
 */
struct pmu *perfgrp_core_pmu_lock(struct perf_event *event)
{
	struct perf_event_context *ctx;

	for (;;) {
		ctx = READ_ONCE(event->ctx);
		mutex_lock(&ctx->mutex);
		if (event->ctx == ctx)
			break;
		mutex_unlock(&ctx->mutex);
	}
	if (event->pmu)
		return event->pmu;
	mutex_unlock(&ctx->mutex);
	return NULL;
}

void perfgrp_core_pmu_unlock(struct perf_event *event)
{
	mutex_unlock(&event->ctx->mutex);
}

/**
 * perfgrp_core_get_pmu - get information about an event's PMU
 * @event: an event that is not inherited
 * @pmu: set
 *
 * May sleep.
 *
 * Return: false if the event was revoked, and @pmu is unchanged.
 */
bool perfgrp_core_get_pmu(struct perf_event *event, struct perfgrp_core_pmu *pmu)
{
	const struct pmu *id = perfgrp_core_pmu_lock(event);

	if (!id)
		return false;
	pmu->id = id;
	pmu->type = id->type;
	pmu->software = is_software(id);
	pmu->uncore = id->task_ctx_nr == perf_invalid_context;
	strscpy(pmu->name, id->name ?: "", sizeof(pmu->name));
	perfgrp_core_pmu_unlock(event);
	return true;
}

/**
 * perfgrp_core_is_in_cpumask - is a CPU in the cpumask of an event's PMU?
 * @event: an event of an uncore PMU
 * @cpu: the CPU
 * @cpus: scratch space
 *
 * The sysfs file "cpumask" of a PMU that counts for a whole core, die or socket lists the one CPU
 * of each to count on. It may change with CPU hotplug. May sleep.
 *
 * Return: true if it is, if the PMU has no such file, or if the event was revoked.
 */
bool perfgrp_core_is_in_cpumask(struct perf_event *event, int cpu, struct cpumask *cpus)
{
	const struct pmu *pmu = perfgrp_core_pmu_lock(event);
	bool known;

	if (!pmu)
		return true;
	known = perfgrp_pmu_attr_cpus(pmu, "cpumask", cpus);
	perfgrp_core_pmu_unlock(event);
	return !known || cpumask_test_cpu(cpu, cpus);
}

/**
 * perfgrp_core_clock - the clock to pass to perfgrp_core_read()
 *
 * Call it once for all events that are read together, so that the members of a scheduling
 * group have the same times. Any context, with interrupts off.
 *
 * Return: ns of the perf core's clock.
 */
u64 perfgrp_core_clock(void)
{
	lockdep_assert_irqs_disabled();
	return local_clock();
}

/*
 * event_sched_in() sets oncpu and PERF_EVENT_STATE_ACTIVE before it calls pmu->add(). In
 * between, the event may have no hardware counter, or one that still has another event's value,
 * and hw.prev_count may be stale. pmu->read() would then add a wrong delta to event->count
 * permanently.
 *
 * A clock event counts from hw.prev_count, which its pmu->start() sets: in local_clock()
 * time for cpu-clock, in context time for task-clock. event->tstamp, in the time of its context
 * or cgroup, is when the event became active. If hw.prev_count is before that, the event has not
 * been started yet. While an event of another PMU is being changed, it is PERF_HES_UPTODATE or
 * its PMU is disabled. Events that need no PMU slot add to event->count where they happen; their
 * pmu->read() does nothing, so that they can be read although the perf core has disabled their PMU
 * with all others of a context.
 */
static bool has_started(const struct perf_event *event)
{
	const struct perf_cgroup *cgroup = perfgrp_core_event_cgroup(event);
	u64 begin = local64_read(&event->hw.prev_count);

	if (event->pmu == task_clock_pmu)
		begin -= compat_ctx_timeoffset(event->ctx);
	else if (event->pmu != cpu_clock_pmu)
		return perfgrp_event_is_software(&event->attr) ||
		       (!(event->hw.state & PERF_HES_UPTODATE) &&
			!compat_pmu_disable_count(event->pmu));
	if (cgroup)
		begin = perfgrp_core_cgroup_time_at(cgroup, event, begin);
	else
		begin += compat_ctx_timeoffset(event->ctx) - compat_guest_time(event);
	return (s64)(begin - event->tstamp) >= 0;
}

/*
 * perf_event_read_local() calls pmu->read() of any event that counts on this CPU, even in an NMI,
 * so CPU PMUs support that. An uncore PMU's driver may take a lock, for example that of PCI
 * configuration space. The perf core calls the driver with interrupts off, so code that was
 * interrupted with interrupts on does not hold that lock.
 */
static bool may_be_called(const struct pmu *pmu, bool irqs_on)
{
	return irqs_on || pmu->task_ctx_nr != perf_invalid_context;
}

/**
 * perfgrp_core_read_anywhere - call pmu->read() if that is safe, whatever was interrupted
 * @event: an event that is not inherited, or the current task's own
 * @state: its perfgrp_core_state()
 * @irqs_on: interrupts were on until the caller turned them off, or an interrupt hit
 *
 * For overflow handlers and BPF programs, which may have interrupted the perf core while it
 * schedules the event, or the PMU's driver. Any context, with interrupts off.
 *
 * Return: true if event->count is current; false if the event is not on this CPU's PMU, or cannot
 * be read now.
 */
bool perfgrp_core_read_anywhere(struct perf_event *event, enum perf_event_state state,
				bool irqs_on)
{
	lockdep_assert_irqs_disabled();

	if (!perfgrp_core_is_here(event, state) || !may_be_called(event->pmu, irqs_on) ||
	    !has_started(event))
		return false;
	event->pmu->read(event);
	return true;
}

/**
 * perfgrp_core_set_period - change an event's sample period or frequency
 * @event: an event that samples
 * @freq: the event was created with attr.freq
 * @sample: the new period, or with @freq the new frequency in Hz
 *
 * When a clock event is created, its PMU converts a frequency into a period in ns and clears
 * attr.freq, so a new frequency is converted here.
 *
 * May sleep.
 *
 * Return: 0, also if the event was revoked; -EINVAL if @sample is out of range.
 */
int perfgrp_core_set_period(struct perf_event *event, bool freq, u64 sample)
{
	/*
	 * perf_event_period() does not check this (7.3): an event with a period whose PMU is
	 * unregistered between here and its perf_event_ctx_lock() makes it dereference NULL. A
	 * module cannot take that lock around it.
	 */
	if (perfgrp_core_is_revoked(event))
		return 0;
	if (freq && !event->attr.freq)
		sample = div64_u64(NSEC_PER_SEC, sample);
	return perf_event_period(event, sample);
}

/**
 * perfgrp_core_read_inherited - read an event and its children
 * @event: an inherited event of a task
 * @count: what it and all its children have counted since they were created
 *
 * May sleep. Sends an IPI per event that is on a CPU.
 *
 * Return: true if @count is final: the task has exited and no child is left.
 */
bool perfgrp_core_read_inherited(struct perf_event *event, struct perfgrp_count *count)
{
	bool final;

	/* An exiting child adds its count to the parent event and leaves child_list. */
	mutex_lock(&event->child_mutex);
	final = READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT && list_empty(&event->child_list);
	mutex_unlock(&event->child_mutex);

	count->count = perf_event_read_value(event, &count->enabled, &count->running);
	return final;
}

static struct perfgrp_count peek_times(const struct perf_event *event)
{
	struct perfgrp_count count;
	unsigned long flags;

	local_irq_save(flags);
	perfgrp_core_times(event, perfgrp_core_state(event), perfgrp_core_clock(), &count);
	local_irq_restore(flags);
	return count;
}

/**
 * perfgrp_core_peek_inherited - perfgrp_core_read_inherited() without an IPI
 * @event: an inherited event of a task
 * @count: what it and its children have counted; events that are on a CPU add their count as of
 *	their last read
 *
 * May sleep.
 *
 * Return: true if the task has exited and no child is left.
 */
bool perfgrp_core_peek_inherited(struct perf_event *event, struct perfgrp_count *count)
{
	const struct perf_event *child;
	struct perfgrp_count sum;
	bool final;

	mutex_lock(&event->child_mutex);
	final = READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT && list_empty(&event->child_list);
	sum = peek_times(event);
	list_for_each_entry(child, &event->child_list, child_list)
		sum = perfgrp_count_add(sum, peek_times(child));
	mutex_unlock(&event->child_mutex);
	*count = sum;

	count->count += atomic64_read(&event->child_count);
	count->enabled += atomic64_read(&event->child_total_time_enabled);
	count->running += atomic64_read(&event->child_total_time_running);
	return final;
}

/**
 * perfgrp_core_throttled_inherited - has the perf core stopped an event or a child of it?
 * @event: an inherited event of a task
 *
 * May sleep. See perfgrp_core_throttled().
 *
 * Return: true if one of them is stopped until the next tick.
 */
bool perfgrp_core_throttled_inherited(struct perf_event *event)
{
	const struct perf_event *child;
	bool throttled;

	mutex_lock(&event->child_mutex);
	throttled = perfgrp_core_throttled(event);
	list_for_each_entry(child, &event->child_list, child_list)
		throttled |= perfgrp_core_throttled(child);
	mutex_unlock(&event->child_mutex);
	return throttled;
}

/**
 * perfgrp_core_add_context - add the context of an event to a set
 * @contexts: contexts of one task or one CPU; zeroed before the first event
 * @event: an event that is not inherited, so that its context never changes
 *
 * Return: false if there is no room for it: before 6.2 each PMU has a context on a CPU.
 */
bool perfgrp_core_add_context(struct perfgrp_core_contexts *contexts,
			      const struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx, **ctxs = contexts->ctxs;

	if (!ctxs[0])
		ctxs[0] = ctx;
	if (ctx == ctxs[0] || ctx == ctxs[1])
		return true;
	if (ctxs[1])
		return false;
	ctxs[1] = ctx;
	if (ctxs[1] < ctxs[0])
		swap(ctxs[0], ctxs[1]);
	return true;
}

/**
 * perfgrp_core_call_locked - call a function with the perf contexts of a task or a CPU locked
 * @contexts: the contexts, at least one
 * @fn: called with interrupts off; must not sleep
 * @info: its argument
 *
 * The perf core schedules events in and out with their context's lock held, so no event of these
 * contexts gets on or off a CPU while @fn runs. If there are two contexts, the one at the lower
 * address is locked first. That cannot deadlock with the perf core: it locks two contexts of tasks
 * only to swap those of parent and child, and never swaps a context that has an event that is not
 * inherited; it never locks two contexts of CPUs (perf_ctx_lock() locks a CPU's and a task's).
 */
void perfgrp_core_call_locked(const struct perfgrp_core_contexts *contexts, void (*fn)(void *info),
			      void *info)
{
	struct perf_event_context *const *ctxs = contexts->ctxs;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctxs[0]->lock, flags);
	if (ctxs[1]) {
		raw_spin_lock_nested(&ctxs[1]->lock, SINGLE_DEPTH_NESTING);
		fn(info);
		raw_spin_unlock(&ctxs[1]->lock);
	} else {
		fn(info);
	}
	raw_spin_unlock_irqrestore(&ctxs[0]->lock, flags);
}

/* ---- self-test of reading ------------------------------------------------- */

static struct perfgrp_count read_by_core(struct perf_event *event)
{
	struct perfgrp_count count;

	count.count = perf_event_read_value(event, &count.enabled, &count.running);
	return count;
}

/**
 * struct self_test - an event that perfgrp_core_read() reads, on its CPU
 * @event: the event
 * @count: what it read
 * @state: its state then
 */
struct self_test {
	struct perf_event *event;
	struct perfgrp_count count;
	enum perf_event_state state;
};

static void self_test_read_here(void *info)
{
	struct self_test *test = info;

	test->state = perfgrp_core_read(test->event, perfgrp_core_clock(), &test->count);
}

static bool is_between(const struct perfgrp_count *count, const struct perfgrp_count *before,
		       const struct perfgrp_count *after)
{
	return before->count <= count->count && count->count <= after->count &&
	       before->enabled <= count->enabled && count->enabled <= after->enabled &&
	       before->running <= count->running && count->running <= after->running;
}

/* What we read must not be less than the perf core's read before, nor more than its read after. */
static int compare_reads(struct perf_event *event, int cpu, enum perf_event_state state)
{
	struct self_test test = { .event = event };
	struct perfgrp_count before, after;
	int ret;

	before = read_by_core(event);
	ret = smp_call_function_single(cpu, self_test_read_here, &test, true);
	after = read_by_core(event);
	if (ret)
		return -ENODEV;
	if (test.state == state && is_between(&test.count, &before, &after))
		return 0;

	pr_err("self-test: read count/enabled/running %llu/%llu/%llu in state %d, expected %llu/%llu/%llu to %llu/%llu/%llu in state %d; this kernel is not supported\n",
	       test.count.count, test.count.enabled, test.count.running, test.state, before.count,
	       before.enabled, before.running, after.count, after.enabled, after.running, state);
	return -EOPNOTSUPP;
}

/**
 * perfgrp_core_test_reads - compare perfgrp_core_read() with perf_event_read_value()
 * @event: a clock event of a CPU, which counts; disabled on return
 * @cpu: the CPU
 *
 * For self-tests. Compares while the event counts, when the times are computed from the clock, and
 * after disabling it, when both must read exactly the same. May sleep.
 *
 * Return: 0; -EOPNOTSUPP; -ENODEV if the CPU is offline.
 */
int perfgrp_core_test_reads(struct perf_event *event, int cpu)
{
	int ret = compare_reads(event, cpu, PERF_EVENT_STATE_ACTIVE);

	perf_event_disable(event);
	return ret ?: compare_reads(event, cpu, PERF_EVENT_STATE_OFF);
}
