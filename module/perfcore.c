// SPDX-License-Identifier: GPL-2.0
/*
 * What reaches into the perf core beyond its exported functions.
 *
 * 1. Scheduling groups. perf_event_create_kernel_counter() has no argument for
 * a leader, and no other exported function makes an event that has one. But it
 * calls the perf core's own
 *
 *	perf_event_alloc(attr, cpu, task, group_leader, ...)
 *
 * with group_leader NULL, and that function and all that follows do the rest:
 * the PMU driver checks that the group fits, perf_install_in_context() links the
 * sibling, and the PMU takes the group in one transaction. So a kprobe on
 * perf_event_alloc() replaces its fourth argument. It is armed only while a
 * group creates its counters, and acts only on the one call that is made by the
 * creating task with the attr that was passed here.
 *
 * Assumed: perf_event_alloc is a symbol of its own (not inlined, not cloned with
 * other arguments), takes attr first and the leader fourth, and is called once
 * for one creation. Seen to hold on Debian's 6.1 and 6.12 on x86-64 and 6.1 on
 * arm64. perfgrp_core_init() tries it; where it fails, perfgrp_core_can_link() is false
 * and groups are made of independent counters.
 *
 * The caller sees to it that leader and member are of one PMU and one CPU or
 * task; the perf core does not check that for kernel counters.
 *
 * 2. Reading. perf_event_read_value() sleeps and sends one interrupt an event;
 * perf_event_read_local() is not exported. perfgrp_core_read() does what
 * __perf_event_read() does inside: pmu->read() while the event is on the PMU,
 * and the times from the fields that __perf_update_times() and
 * perf_event_time_now() use. perfgrp_core_init() compares it to
 * perf_event_read_value().
 *
 * 3. Reading in an NMI, or a BPF program, which may be in the midst of the perf core's
 * own work. perfgrp_core_pmu_read_safe() has what is assumed of that.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "kprobe.h"
#include "perfcore.h"
#include "value.h"

static bool sched_groups = true;
module_param(sched_groups, bool, 0444);
MODULE_PARM_DESC(sched_groups,
		 "put the hardware members of a group into one scheduling group (default: on)");

/* These three are set by perfgrp_core_init() alone. */
static bool can_link;
/* Whose PMUs nothing in the header tells from others. */
static const struct pmu *cpu_clock_pmu;
static const struct pmu *task_clock_pmu;

/* ---- scheduling groups --------------------------------------------------- */

/*
 * The one creation under way. Written under link_lock. The probe runs in any
 * task, so task is looked at with READ_ONCE; whoever finds itself there wrote the
 * other fields itself.
 */
static DEFINE_MUTEX(link_lock);
static struct {
	struct task_struct *task;
	const struct perf_event_attr *attr;
	struct perf_event *leader;
} link;

/* Runs at each perf_event_alloc() of any task. */
static int supply_leader(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (READ_ONCE(link.task) != current)
		return 0;
	if (perfgrp_kprobe_arg(regs, 0) != (unsigned long)link.attr || !link.leader)
		return 0;

	perfgrp_kprobe_set_arg3(regs, (unsigned long)link.leader);
	link.leader = NULL;
	return 0;
}

NOKPROBE_SYMBOL(supply_leader);

PERFGRP_KPROBE(probe, perf_event_alloc, supply_leader);

/**
 * perfgrp_core_link_begin - get ready to create events under leaders
 *
 * Patches kernel text, which is slow on large machines: once around all that is
 * to be created. May sleep. Nothing to do where linking is off.
 *
 * Return: 0 or a negative errno; after 0 perfgrp_core_link_end() must follow.
 */
int perfgrp_core_link_begin(void)
{
	return can_link ? perfgrp_kprobe_arm(&probe) : 0;
}

void perfgrp_core_link_end(void)
{
	if (can_link)
		perfgrp_kprobe_disarm(&probe);
}

/**
 * perfgrp_core_can_link - does perfgrp_core_create() take a leader?
 *
 * Return: what the self-test found.
 */
bool perfgrp_core_can_link(void)
{
	return can_link;
}

/*
 * The arm PMU drivers leave a leader that is off out of their sum of what the
 * group needs, unless an exec is to enable it, and so take one member too many,
 * after which the group would never run. So for as long as they look at it the
 * leader says that an exec enables it. Nobody execs meanwhile: for a task the
 * caller holds its exec_update_lock, and the events of CPUs care for no exec.
 * Nobody inherits it either: see perfgrp_core_set_inherit().
 */
static struct perf_event *create_linked(struct perf_event_attr *attr, int cpu,
					struct task_struct *task, struct perf_event *leader,
					perf_overflow_handler_t handler, void *context)
{
	bool enable_on_exec = leader->attr.enable_on_exec;
	struct perf_event *event;

	if (task)
		lockdep_assert_held_read(&task->signal->exec_update_lock);

	mutex_lock(&link_lock);
	link.attr = attr;
	link.leader = leader;
	WRITE_ONCE(link.task, current);
	leader->attr.enable_on_exec = 1;

	event = perf_event_create_kernel_counter(attr, cpu, task, handler, context);

	leader->attr.enable_on_exec = enable_on_exec;
	WRITE_ONCE(link.task, NULL);
	link.leader = NULL;
	link.attr = NULL;
	mutex_unlock(&link_lock);
	return event;
}

/**
 * perfgrp_core_create - create a perf event, under a leader if there is one
 * @attr: what to count
 * @cpu: on which CPU; -1 for wherever @task runs
 * @task: which task; NULL for whatever runs on @cpu. With @leader its
 *	exec_update_lock is held.
 * @leader: an event of the same PMU and the same CPU and task, its own leader; or
 *	NULL. Needs perfgrp_core_can_link(), and perfgrp_core_link_begin() before.
 * @handler: overflow handler, or NULL
 * @context: the event's overflow_handler_context
 *
 * May sleep. Never from a CPU hotplug callback.
 *
 * Return: the event, or an ERR_PTR() from the perf core; ERR_PTR(-EXDEV) if the
 * event was created and is not under @leader.
 */
struct perf_event *perfgrp_core_create(struct perf_event_attr *attr, int cpu,
				       struct task_struct *task, struct perf_event *leader,
				       perf_overflow_handler_t handler, void *context)
{
	struct perf_event *event;

	if (!leader)
		return perf_event_create_kernel_counter(attr, cpu, task, handler, context);

	event = create_linked(attr, cpu, task, leader, handler, context);
	if (!IS_ERR(event) && event->group_leader != leader) {
		perf_event_release_kernel(event);
		event = ERR_PTR(-EXDEV);
	}
	return event;
}

/* ---- what an event does at fork and exec ----------------------------------- */

/**
 * perfgrp_core_set_inherit - let children that are forked from now on be counted
 * @event: an event that leads a set or stands alone. It was created with
 *	attr.inherit off; the task's exec_update_lock is held.
 *
 * Once an event is inherited the perf core may swap the contexts of parent and
 * child, with all their events, when it switches between the two. A leader that
 * has got into a child's context so must get no member that counts the parent;
 * the perf core checks that in its system call, and nowhere else. It swaps no
 * context with an event in it that is not inherited. So inherited groups are
 * built first, and inherited only when they are complete: what a fork looks at is
 * this bit of the leader.
 */
void perfgrp_core_set_inherit(struct perf_event *event)
{
	event->attr.inherit = 1;
}

/**
 * perfgrp_core_exec_pending - has the exec that enables an event not come yet?
 * @event: an event that was created with attr.enable_on_exec; the perf core clears
 *	it when it is done
 *
 * Return: whether it is still to come.
 */
bool perfgrp_core_exec_pending(const struct perf_event *event)
{
	return event->attr.enable_on_exec;
}

/**
 * perfgrp_core_cancel_exec - let an exec not enable an event
 * @event: the event; its task's exec_update_lock is held
 */
void perfgrp_core_cancel_exec(struct perf_event *event)
{
	event->attr.enable_on_exec = 0;
}

/* ---- reading ------------------------------------------------------------- */

/**
 * perfgrp_core_is_software - does an event need no PMU slot?
 * @event: the event
 *
 * Return: whether it is one of the kernel's own.
 */
bool perfgrp_core_is_software(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_sw_context;
}

/**
 * perfgrp_core_clock - the clock for perfgrp_core_read()
 *
 * Interrupts are off.
 *
 * Return: a time, taken once for all that is to be read at the same moment, so
 * that the members of a scheduling group have the same times.
 */
u64 perfgrp_core_clock(void)
{
	lockdep_assert_irqs_disabled();
	return local_clock();
}

/**
 * perfgrp_core_pmu_read_safe - can an event be asked in the midst of whatever was interrupted?
 * @event: an event that is on this CPU
 *
 * The perf core says that an event is on a CPU before it puts it there: its counter may
 * still be another's, or none, and what it counts from may be from before. Whoever reads
 * it then adds to its count what it never counted, for good. Until then its count is as it
 * is, without a question. A clock begins where it is started; others are stopped, or their
 * PMU is, while it is changed.
 *
 * Any context, with interrupts off.
 *
 * Return: whether the event counts, and from where it should.
 */
bool perfgrp_core_pmu_read_safe(const struct perf_event *event)
{
	u64 begin = local64_read(&event->hw.prev_count);

	if (event->pmu == cpu_clock_pmu)
		begin += READ_ONCE(event->ctx->timeoffset);
	else if (event->pmu != task_clock_pmu)
		return !(event->hw.state & PERF_HES_UPTODATE) &&
		       !*this_cpu_ptr(event->pmu->pmu_disable_count);
	return (s64)(begin - event->tstamp) >= 0;
}

/**
 * perfgrp_core_count_at_overflow - read an event's count in an overflow handler
 * @event: an event of the same group and instance
 * @overflowed: the event whose handler this is; its driver has just read it
 *
 * Any context. In an NMI a PMU other than @overflowed's is not asked, since what
 * was interrupted may be in its driver: its events show what they had when they were
 * asked last.
 *
 * Return: what @event has counted since it was created.
 */
u64 perfgrp_core_count_at_overflow(struct perf_event *event, const struct perf_event *overflowed)
{
	bool askable =
		!in_nmi() || event->pmu == overflowed->pmu || perfgrp_core_is_software(event);

	if (event != overflowed && askable &&
	    perfgrp_core_is_here(event, perfgrp_core_state(event)) &&
	    perfgrp_core_pmu_read_safe(event))
		event->pmu->read(event);
	return local64_read(&event->count);
}

/**
 * perfgrp_core_set_period - change an event's sample period or frequency
 * @event: an event that samples
 * @freq: it was asked to sample with a frequency
 * @sample: the new one, of the same kind
 *
 * The clocks turn the frequency that they were created with into a period in ns,
 * and know no other from then on.
 *
 * Return: 0, or -EINVAL where it is out of range.
 */
int perfgrp_core_set_period(struct perf_event *event, bool freq, u64 sample)
{
	if (freq && !event->attr.freq)
		sample = div64_u64(NSEC_PER_SEC, sample);
	return perf_event_period(event, sample);
}

/**
 * perfgrp_core_read_inherited - read an event and its children
 * @event: an inherited event, of a task
 * @count: what it and all its children have counted since they were created
 *
 * May sleep; sends an interrupt to the CPU of each that is on one.
 *
 * Return: whether @count is final, because neither the task nor a child that it
 * has is left to count.
 */
bool perfgrp_core_read_inherited(struct perf_event *event, struct perfgrp_count *count)
{
	bool final;

	/* A child that exits adds its count to the event's and leaves the list. */
	mutex_lock(&event->child_mutex);
	final = READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT && list_empty(&event->child_list);
	mutex_unlock(&event->child_mutex);

	count->count = perf_event_read_value(event, &count->enabled, &count->running);
	return final;
}

/**
 * perfgrp_core_add_context - note the context of a task's event
 * @contexts: of this task; zeroed before the first event
 * @event: an event without children; the context of such an event never changes
 */
void perfgrp_core_add_context(struct perfgrp_core_contexts *contexts,
			      const struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx, **ctxs = contexts->ctxs;

	if (!ctxs[0]) {
		ctxs[0] = ctx;
		return;
	}
	if (ctx == ctxs[0] || ctx == ctxs[1])
		return;
	ctxs[1] = ctx;
	if (ctxs[1] < ctxs[0])
		swap(ctxs[0], ctxs[1]);
}

/**
 * perfgrp_core_call_locked - call a function while no event of a task gets on or off a CPU
 * @contexts: of this task; at least one event was added
 * @fn: the function; it runs with interrupts off and must not sleep
 * @info: its argument
 *
 * The perf core puts events on and off a CPU with their context's lock held. Of two contexts
 * the one at the lower address is locked first. The perf core itself locks two only to swap
 * the contexts of parent and child, and never swaps one with an event that is not inherited.
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

/* ---- self-test ----------------------------------------------------------- */

static struct perf_event_attr self_test_attr(u32 type, u64 config, bool disabled)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = disabled,
	};
}

/*
 * Return: 1 if a two-counter group of this event is one scheduling group, 0 if it
 * is not, a negative errno if the machine does not count the event.
 */
static int try_group(u32 type, u64 config, int cpu)
{
	struct perf_event_attr leader_attr = self_test_attr(type, config, true);
	struct perf_event_attr member_attr = self_test_attr(type, config, false);
	struct perf_event *leader, *member;
	int ret;

	leader = perfgrp_core_create(&leader_attr, cpu, NULL, NULL, NULL, NULL);
	if (IS_ERR(leader))
		return PTR_ERR(leader);

	member = create_linked(&member_attr, cpu, NULL, leader, NULL, NULL);
	if (IS_ERR(member)) {
		ret = 0;
	} else {
		ret = member->group_leader == leader && leader->nr_siblings == 1;
		perf_event_release_kernel(member);
	}
	perf_event_release_kernel(leader);
	return ret;
}

static void self_test_link(int cpu)
{
	int ret;

	if (!sched_groups) {
		pr_info("scheduling groups are off by parameter; counters are independent\n");
		return;
	}

	ret = perfgrp_kprobe_register(&probe);
	if (ret) {
		pr_warn("no scheduling groups: cannot probe perf_event_alloc (%d); counters are independent\n",
			ret);
		return;
	}

	can_link = true;
	ret = perfgrp_core_link_begin();
	if (!ret) {
		ret = try_group(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, cpu);
		/* Not every machine has a PMU; one that has must group its counters. */
		if (ret == 1 && try_group(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, cpu) == 0)
			ret = 0;
		perfgrp_core_link_end();
	}
	if (ret != 1) {
		pr_warn("no scheduling groups: the self-test failed (%d); counters are independent\n",
			ret);
		can_link = false;
		perfgrp_kprobe_unregister(&probe);
	}
}

/* Reads a clock that has counted and is off in both ways: they are equal. */
static int self_test_read(int cpu, enum perf_sw_ids clock, const struct pmu **pmu)
{
	struct perf_event_attr attr = self_test_attr(PERF_TYPE_SOFTWARE, clock, false);
	struct perfgrp_count count;
	struct perf_event *event;
	u64 value, enabled, running;
	unsigned long flags;

	event = perfgrp_core_create(&attr, cpu, NULL, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);

	*pmu = event->pmu;
	perf_event_disable(event);
	value = perf_event_read_value(event, &enabled, &running);
	local_irq_save(flags);
	perfgrp_core_read(event, perfgrp_core_clock(), &count);
	local_irq_restore(flags);
	perf_event_release_kernel(event);

	if (count.count == value && count.enabled == enabled && count.running == running)
		return 0;

	pr_err("this kernel's counters do not read as expected: %llu/%llu/%llu, not %llu/%llu/%llu\n",
	       count.count, count.enabled, count.running, value, enabled, running);
	return -EOPNOTSUPP;
}

/**
 * perfgrp_core_init - try what this file assumes
 *
 * Return: 0, also where linking does not work; a negative errno where reading
 * does not.
 */
int perfgrp_core_init(void)
{
	int cpu, ret;

	/*
	 * Not under cpus_read_lock(), which creating an event may take: a CPU that
	 * goes down now gives -ENODEV, and the next load succeeds.
	 */
	cpu = cpumask_first(cpu_online_mask);

	ret = self_test_read(cpu, PERF_COUNT_SW_CPU_CLOCK, &cpu_clock_pmu);
	if (!ret)
		ret = self_test_read(cpu, PERF_COUNT_SW_TASK_CLOCK, &task_clock_pmu);
	if (!ret)
		self_test_link(cpu);
	return ret;
}

void perfgrp_core_exit(void)
{
	if (can_link)
		perfgrp_kprobe_unregister(&probe);
}
