// SPDX-License-Identifier: GPL-2.0
/*
 * Records of BPF programs that are loaded into and unloaded from the kernel, for the
 * groups that ask for them (PERFGRP_CREATE_BPF_EVENTS).
 *
 * The kernel calls
 *
 *	perf_event_bpf_event(prog, type, flags)
 *
 * once when a program has its id, before its loader has its fd, and once when its
 * last reference is gone, whoever held that, while it still has its id. (That last
 * came to 6.1 with 6.1.8; before, the id of an unload is 0.) A kprobe is on that
 * function, armed while at least one group asks.
 *
 * The function is called by tasks and in softirqs. Where such a softirq has
 * interrupted the handler of another kprobe, the kernel does not call this one but
 * counts a miss. The groups count it as a record that was lost. Nothing tells of
 * calls while an administrator has all kprobes switched off (debugfs kprobes/enabled,
 * and, where they are made of ftrace, sysctl kernel.ftrace_enabled).
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/atomic.h>
#include <linux/bpf.h>
#include <linux/irqflags.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>

#include "bpf_events.h"
#include "error.h"
#include "group.h"
#include "kprobe.h"
#include "perfcore.h"
#include "records.h"
#include "sampling.h"

static bool bpf_events = true;
module_param(bpf_events, bool, 0444);
MODULE_PARM_DESC(bpf_events, "records of BPF programs' loads and unloads (default: on)");

/* What perfgrp_kprobe_register() returned. Set by perfgrp_bpf_events_init() alone. */
static int probe_error = -EOPNOTSUPP;

/* The groups that ask. Written under subscribers_lock, read under RCU. */
static DEFINE_MUTEX(subscribers_lock);
static LIST_HEAD(subscribers);

/* Runs in tasks and softirqs; with preemption off, or as an exception in them. */
static int output_bpf_event(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct bpf_prog *prog = (void *)perfgrp_kprobe_arg(regs, 0);
	u16 type = perfgrp_kprobe_arg(regs, 1);
	u16 flags = perfgrp_kprobe_arg(regs, 2);
	struct perfgrp_group *group;

	rcu_read_lock();
	list_for_each_entry_rcu(group, &subscribers, bpf_events_node) {
		perfgrp_bpf_events_count_missed(group);
		perfgrp_records_output_bpf_event(group, type, flags, prog);
	}
	rcu_read_unlock();
	return 0;
}

NOKPROBE_SYMBOL(output_bpf_event);

PERFGRP_KPROBE(probe, perf_event_bpf_event, output_bpf_event);

/**
 * perfgrp_bpf_events_count_missed - let a group know what the probe has missed
 * @group: any; nothing is done where it does not ask
 *
 * Any context.
 */
void perfgrp_bpf_events_count_missed(struct perfgrp_group *group)
{
	unsigned long now, seen, flags;

	if (!(group->flags & PERFGRP_CREATE_BPF_EVENTS))
		return;
	seen = atomic_long_read(&group->bpf_events_missed);
	now = perfgrp_kprobe_missed(&probe);
	if (now == seen)
		return;
	/* Another one that counts now may know of more, or less: then the next tells. */
	if ((long)(now - seen) > 0 &&
	    atomic_long_cmpxchg(&group->bpf_events_missed, seen, now) == seen) {
		local_irq_save(flags);
		perfgrp_records_account_lost(group->sampling->records, now - seen,
					     perfgrp_core_clock());
		local_irq_restore(flags);
	}
}

/**
 * perfgrp_bpf_events_available - can groups ask?
 *
 * Return: whether the probe is there.
 */
bool perfgrp_bpf_events_available(void)
{
	return !probe_error;
}

/**
 * perfgrp_bpf_events_check - may a group be created that asks?
 * @arg: what was asked for
 * @err: says why not
 *
 * Return: 0, -EOPNOTSUPP or -EINVAL.
 */
int perfgrp_bpf_events_check(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (!(arg->flags & PERFGRP_CREATE_BPF_EVENTS))
		return 0;
	if (!bpf_events)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "BPF_EVENTS: the module parameter bpf_events is off");
	if (probe_error)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "BPF_EVENTS: perf_event_bpf_event cannot be probed here (errno %d)",
				    -probe_error);
	if (!arg->buffer_size)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "BPF_EVENTS means nothing without a buffer");
	return 0;
}

/**
 * perfgrp_bpf_events_subscribe - begin to tell a group of BPF programs
 * @group: a new one, with its buffer; nothing is done where it does not ask
 * @err: says why not
 *
 * May sleep.
 *
 * Return: 0, and then perfgrp_bpf_events_unsubscribe() must follow; or a negative errno.
 */
int perfgrp_bpf_events_subscribe(struct perfgrp_group *group, struct perfgrp_error *err)
{
	int ret;

	if (!(group->flags & PERFGRP_CREATE_BPF_EVENTS))
		return 0;

	ret = perfgrp_kprobe_arm(&probe);
	if (ret)
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "flags",
				    "BPF_EVENTS: the kprobe cannot be armed (errno %d)", -ret);
	atomic_long_set(&group->bpf_events_missed, perfgrp_kprobe_missed(&probe));
	mutex_lock(&subscribers_lock);
	list_add_tail_rcu(&group->bpf_events_node, &subscribers);
	mutex_unlock(&subscribers_lock);
	return 0;
}

/**
 * perfgrp_bpf_events_unsubscribe - tell a group no more
 * @group: that has joined; nothing is done where it does not ask
 *
 * May sleep. When it returns nobody works with the group any more.
 */
void perfgrp_bpf_events_unsubscribe(struct perfgrp_group *group)
{
	if (!(group->flags & PERFGRP_CREATE_BPF_EVENTS))
		return;

	mutex_lock(&subscribers_lock);
	list_del_rcu(&group->bpf_events_node);
	mutex_unlock(&subscribers_lock);
	perfgrp_kprobe_disarm(&probe);
	/* The probe may still be at work with it. */
	synchronize_rcu();
}

/* Without the probe the module does all else. */
void perfgrp_bpf_events_init(void)
{
	if (!bpf_events) {
		pr_info("records of BPF programs are off by parameter\n");
		return;
	}
	probe_error = perfgrp_kprobe_register(&probe);
	if (probe_error)
		pr_warn("no records of BPF programs: cannot probe perf_event_bpf_event (%d)\n",
			probe_error);
}

void perfgrp_bpf_events_exit(void)
{
	if (!probe_error)
		perfgrp_kprobe_unregister(&probe);
}
