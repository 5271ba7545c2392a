// SPDX-License-Identifier: GPL-2.0
/*
 * Create events with what perf_event_create_kernel_counter() has no arguments for: a group
 * leader, for scheduling groups, and a cgroup.
 *
 * No other exported function creates an event. But it calls the perf core's internal function
 *
 *	perf_event_alloc(attr, cpu, task, group_leader, parent_event, handler, context, cgroup_fd)
 *
 * with group_leader NULL and cgroup_fd -1. With other arguments the perf core does all the rest:
 * the PMU driver checks that the group fits, perf_install_in_context() links the sibling, the
 * PMU schedules the group in one transaction; perf_cgroup_connect() finds the cgroup. So a probe
 * on perf_event_alloc() replaces these two arguments. It is armed only while a group creates
 * events two of which may share a PMU, or a group of a cgroup creates any events, and for a second
 * afterwards. It changes only the one call that the creating task makes with the attr passed to
 * perfgrp_core_create().
 *
 * A leader must have the PMU of its siblings. perf_event_open() checks that between
 * perf_event_alloc(), which finds the PMU, and perf_install_in_context(), which links the event;
 * perf_event_create_kernel_counter() does not. So the probe checks it when perf_event_alloc()
 * returns: an event of another PMU becomes its own leader, in state OFF, and is released after it
 * is created. A driver's event_init() does see such leaders of other PMUs, but so it does with
 * perf_event_open().
 *
 * Assumed: perf_event_alloc() is a symbol of its own (not inlined, not cloned with other
 * arguments), takes attr first, the leader fourth and cgroup_fd eighth, is called once per
 * creation, and returns the event before anything is linked. This was checked in the sources of
 * 6.1.192, 6.12.117 and 7.3.4, and runs on Debian's kernels of these series.
 * perfgrp_core_link_init() tests the probe at entry and at return; if the test fails,
 * perfgrp_core_can_link() is false and groups consist of independent counters. perfcore_cgroup.c
 * tests cgroup_fd. perfgrp_core_create() checks each event after it is created.
 *
 * The caller must make sure that leader and sibling have the same CPU or task.
 *
 * Documentation/assumptions.md lists what to check again for another kernel.
 *
 * Process context, unless a function says otherwise. Takes link_lock; perfgrp.h has its
 * place in the lock order.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "kprobe.h"
#include "perfcore.h"

static bool sched_groups = true;
module_param(sched_groups, bool, 0444);
MODULE_PARM_DESC(sched_groups,
		 "link hardware members of one PMU into one scheduling group (default: on)");

/* Written by perfgrp_core_link_init() only, before the device exists. */
static bool registered;
static bool can_link;

/*
 * The creation in progress, written under link_lock. The probe runs in any task and takes
 * no lock: it compares link.task with READ_ONCE(). Only the task that holds link_lock can
 * match, and it has written the other fields itself.
 */
static DEFINE_MUTEX(link_lock);
static struct {
	struct task_struct *task;
	const struct perf_event_attr *attr;
	struct perf_event *leader;
	int cgroup_fd;
	bool supplied;
} link;

/*
 * Runs at every perf_event_alloc() of any task, in kprobe context. Returns 0 to have
 * keep_pmus_apart() run when the call returns, else 1.
 */
static int supply_arguments(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (READ_ONCE(link.task) != current)
		return 1;
	if (perfgrp_kprobe_arg(regs, 0) != (unsigned long)link.attr || link.supplied)
		return 1;

	link.supplied = true;
	/* If it is not -1, this is not the argument cgroup_fd. */
	if (link.cgroup_fd != -1 && (int)perfgrp_kprobe_arg(regs, 7) == -1)
		perfgrp_kprobe_set_arg7(regs, link.cgroup_fd);
	if (!link.leader)
		return 1;
	perfgrp_kprobe_set_arg3(regs, (unsigned long)link.leader);
	return 0;
}

NOKPROBE_SYMBOL(supply_arguments);

/*
 * Runs when a call that was given a leader returns, in kprobe context. Nobody else uses the event
 * yet. Siblings are created enabled, as their leader decides when they count; without a leader the
 * event must be off. The CPUs are compared too, because drivers of uncore PMUs may move the leader
 * to another CPU meanwhile.
 */
static int keep_pmus_apart(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct perf_event *event = (struct perf_event *)regs_return_value(regs);

	if (IS_ERR(event) || (event->pmu == READ_ONCE(link.leader->pmu) &&
			      event->cpu == READ_ONCE(link.leader->cpu)))
		return 0;
	event->group_leader = event;
	event->state = PERF_EVENT_STATE_OFF;
	return 0;
}

NOKPROBE_SYMBOL(keep_pmus_apart);

/* ms: longer than the time between two ADDs in a loop. */
#define LINK_LINGER 1000

PERFGRP_KRETPROBE(probe, perf_event_alloc, supply_arguments, keep_pmus_apart, LINK_LINGER);

/**
 * perfgrp_core_link_begin - arm the probe that perfgrp_core_create() needs
 *
 * May patch kernel text, which is slow on large machines: call it once around all events to
 * be created, and only if perfgrp_sched_group_needs_probe() says so. May sleep. Does nothing
 * where there is no probe.
 *
 * Return: 0 or a negative errno; after 0 perfgrp_core_link_end() must follow.
 */
int perfgrp_core_link_begin(void)
{
	return registered ? perfgrp_kprobe_arm(&probe) : 0;
}

/**
 * perfgrp_core_link_end - undo perfgrp_core_link_begin()
 *
 * May sleep.
 */
void perfgrp_core_link_end(void)
{
	if (registered)
		perfgrp_kprobe_disarm(&probe);
}

/**
 * perfgrp_core_has_probe - is there a probe that can supply arguments?
 *
 * Return: false without kprobes, or if it is not known how the architecture passes arguments.
 */
bool perfgrp_core_has_probe(void)
{
	return registered;
}

/**
 * perfgrp_core_can_link - can events be created under a leader?
 *
 * Return: true if the self-test of perfgrp_core_link_init() succeeded.
 */
bool perfgrp_core_can_link(void)
{
	return can_link;
}

/**
 * perfgrp_core_create_supplied - create an event, with arguments from the probe
 * @request: what is to be created; its cgroup is ignored
 * @cgroup_fd: the directory of a cgroup, in the current task's table; -1 for none
 *
 * armpmu's group validation skips a leader that is disabled, unless attr.enable_on_exec is
 * set, and so accepts one event too many; that group would never be scheduled. So the bit
 * is set in the leader while the driver validates. No exec can act on it: for a task the caller
 * holds exec_update_lock, and the perf core ignores the bit for events of a CPU. No child can
 * inherit it: see perfgrp_core_set_inherit().
 *
 * For perfgrp_core_create(). May sleep.
 *
 * Return: the event, which may lack what the probe should have supplied; or an ERR_PTR().
 */
struct perf_event *perfgrp_core_create_supplied(const struct perfgrp_core_request *request,
						int cgroup_fd)
{
	struct perf_event *leader = request->leader, *event;
	bool enable_on_exec = leader && leader->attr.enable_on_exec;

	if (request->task)
		lockdep_assert_held_read(&request->task->signal->exec_update_lock);

	mutex_lock(&link_lock);
	link.attr = request->attr;
	link.leader = leader;
	link.cgroup_fd = cgroup_fd;
	link.supplied = false;
	WRITE_ONCE(link.task, current);
	if (leader)
		leader->attr.enable_on_exec = 1;

	event = perf_event_create_kernel_counter(request->attr, request->cpu, request->task,
						 request->handler, request->context);

	if (leader)
		leader->attr.enable_on_exec = enable_on_exec;
	WRITE_ONCE(link.task, NULL);
	link.leader = NULL;
	link.attr = NULL;
	mutex_unlock(&link_lock);
	return event;
}

/* ---- self-test ----------------------------------------------------------- */

/*
 * Return: 1 if such an event is put under such a leader, 0 if it is not; a negative errno if this
 * machine cannot count them, or not both at once (if it has a single counter, for example).
 */
static int try_group(u32 type, u64 leader_config, u64 config, int cpu)
{
	struct perf_event_attr leader_attr = {
		.type = type,
		.size = sizeof(leader_attr),
		.config = leader_config,
		.disabled = 1,
	};
	struct perf_event_attr member_attr = leader_attr;
	struct perfgrp_core_request request = { .attr = &leader_attr, .cpu = cpu };
	struct perf_event *leader, *member;
	int ret;

	member_attr.config = config;
	member_attr.disabled = 0;
	leader = perfgrp_core_create_supplied(&request, -1);
	if (IS_ERR(leader))
		return PTR_ERR(leader);

	request.attr = &member_attr;
	request.leader = leader;
	member = perfgrp_core_create_supplied(&request, -1);
	if (IS_ERR(member)) {
		ret = PTR_ERR(member);
	} else {
		ret = member->group_leader == leader && leader->nr_siblings == 1;
		perf_event_release_kernel(member);
	}
	perf_event_release_kernel(leader);
	return ret;
}

/**
 * perfgrp_core_try_link - test whether events that are created under a leader are linked
 * @cpu: a CPU that is online
 *
 * perfgrp_core_link_begin() has succeeded. May sleep.
 *
 * Return: 1 if they are linked if and only if they have the same PMU; else 0 or a negative errno.
 */
int perfgrp_core_try_link(int cpu)
{
	const u64 cycles = PERF_COUNT_HW_CPU_CYCLES;
	int ret;

	ret = try_group(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_DUMMY, cpu);
	if (ret != 1)
		return ret;
	/* Each clock has a PMU of its own. */
	ret = try_group(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_DUMMY, cpu);
	if (ret)
		return ret == 1 ? 0 : ret;
	/* Without a hardware PMU this returns an errno; then only software events can be tried. */
	return try_group(PERF_TYPE_HARDWARE, cycles, cycles, cpu) != 0;
}

/**
 * perfgrp_core_link_init - register the probe, and test whether it links events
 * @cpu: a CPU that is online
 *
 * Process context, at module load. If it fails, perfgrp_core_can_link() is false.
 */
void perfgrp_core_link_init(int cpu)
{
	int ret;

	if (!sched_groups) {
		pr_info("scheduling groups are disabled by parameter sched_groups; counters are independent\n");
		return;
	}
	ret = perfgrp_kprobe_register(&probe);
	registered = !ret;
	if (ret) {
		pr_warn("no scheduling groups: cannot probe perf_event_alloc (%d); counters are independent\n",
			ret);
		return;
	}

	ret = perfgrp_core_link_begin();
	if (!ret) {
		ret = perfgrp_core_try_link(cpu);
		perfgrp_core_link_end();
	}
	can_link = ret == 1;
	if (!can_link)
		pr_warn("no scheduling groups: the self-test failed (%d); counters are independent\n",
			ret);
}

/**
 * perfgrp_core_link_exit - undo perfgrp_core_link_init()
 *
 * Process context, at module unload or if loading fails. No group exists.
 */
void perfgrp_core_link_exit(void)
{
	if (registered)
		perfgrp_kprobe_unregister(&probe);
}
