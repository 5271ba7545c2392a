// SPDX-License-Identifier: GPL-2.0
/*
 * Records of BPF programs that are loaded into or unloaded from the kernel, for groups
 * with PERFGRP_CREATE_BPF_EVENTS.
 *
 * The kernel calls
 *
 *	perf_event_bpf_event(prog, type, flags)
 *
 * once when a program has got its id, before the loader gets the fd, and once when the
 * program's last reference is dropped, while it still has its id. (6.1 does the latter
 * from 6.1.8 on; before that, the id of an unload is 0.) There is a kprobe on that
 * function, armed while at least one group subscribes. Read in 6.1.192, 6.12.117 and 7.3.4.
 *
 * The function is called in tasks and in softirqs. If such a softirq has interrupted the
 * handler of another kprobe, the kernel does not call this one but counts a miss; the
 * groups account it as a lost record. Calls are missed without a trace while an
 * administrator has disarmed all kprobes (debugfs kprobes/enabled; for kprobes that use
 * ftrace also sysctl kernel.ftrace_enabled).
 *
 * Process context, without perfgrp_group.lock, except for the probe's handler and
 * perfgrp_bpf_events_count_missed(). Takes subscribers_lock.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/atomic.h>
#include <linux/bpf.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

#include "bpf_events.h"
#include "error.h"
#include "group.h"
#include "kprobe.h"
#include "perfcore.h"
#include "records.h"
#include "sampling.h"

static bool bpf_events = true;
module_param(bpf_events, bool, 0444);
MODULE_PARM_DESC(bpf_events, "allow records of BPF program loads and unloads (default: on)");

/* What perfgrp_kprobe_register() returned. Written by perfgrp_bpf_events_init() only. */
static int probe_error = -EOPNOTSUPP;

/* Groups with PERFGRP_CREATE_BPF_EVENTS. Changed under subscribers_lock, read under RCU. */
static DEFINE_MUTEX(subscribers_lock);
static LIST_HEAD(subscribers);

/* Set by the handler for is_probed()'s call. Cleared and read under subscribers_lock. */
static bool probe_was_hit;

/* Kprobe handler: runs in tasks and softirqs, with preemption off or in an exception. */
static int output_bpf_event(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct bpf_prog *prog = (void *)perfgrp_kprobe_arg(regs, 0);
	u16 type = perfgrp_kprobe_arg(regs, 1);
	u16 flags = perfgrp_kprobe_arg(regs, 2);
	struct perfgrp_group *group;

	if (type == PERF_BPF_EVENT_UNKNOWN) {
		WRITE_ONCE(probe_was_hit, true);
		return 0;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(group, &subscribers, bpf_events_node) {
		perfgrp_bpf_events_count_missed(group);
		perfgrp_records_output_bpf_event(group, type, flags, prog);
	}
	rcu_read_unlock();
	return 0;
}

NOKPROBE_SYMBOL(output_bpf_event);

PERFGRP_KPROBE(probe, perf_event_bpf_event, output_bpf_event, 0);

static void no_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags)
{
}

DEFINE_STATIC_CALL(perfgrp_bpf_event, no_bpf_event);

/* As perfgrp_kprobe_arm() asks for: call the function, with a type that it ignores. */
static bool is_probed(void)
{
	lockdep_assert_held(&subscribers_lock);

	WRITE_ONCE(probe_was_hit, false);
	static_call(perfgrp_bpf_event)(NULL, PERF_BPF_EVENT_UNKNOWN, 0);
	return READ_ONCE(probe_was_hit);
}

/**
 * perfgrp_bpf_events_count_missed - account what the probe has missed as lost records
 * @group: the group; nothing is done without PERFGRP_CREATE_BPF_EVENTS
 *
 * Any context but NMI.
 */
void perfgrp_bpf_events_count_missed(struct perfgrp_group *group)
{
	unsigned long now, seen;

	if (!(group->flags & PERFGRP_CREATE_BPF_EVENTS))
		return;
	seen = atomic_long_read(&group->bpf_events_missed);
	now = perfgrp_kprobe_missed(&probe);
	if (now == seen)
		return;
	/* If this races with another caller, either does it; the next call accounts the rest. */
	if ((long)(now - seen) > 0 &&
	    atomic_long_cmpxchg(&group->bpf_events_missed, seen, now) == seen)
		perfgrp_records_account_missed(group->sampling->records, now - seen);
}

/**
 * perfgrp_bpf_events_available - is PERFGRP_CREATE_BPF_EVENTS supported?
 *
 * Return: true if the probe is registered.
 */
bool perfgrp_bpf_events_available(void)
{
	return !probe_error;
}

/**
 * perfgrp_bpf_events_check - check PERFGRP_CREATE_BPF_EVENTS
 * @arg: the argument of PERFGRP_CREATE; without the flag nothing is checked
 * @err: filled in on failure
 *
 * Return: 0, -EOPNOTSUPP or -EINVAL.
 */
int perfgrp_bpf_events_check(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (!(arg->flags & PERFGRP_CREATE_BPF_EVENTS))
		return 0;
	if (!bpf_events)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "BPF_EVENTS: disabled by the module parameter bpf_events");
	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "BPF_EVENTS: this kernel has no BPF programs (CONFIG_BPF_SYSCALL)");
	if (probe_error)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "BPF_EVENTS: perf_event_bpf_event cannot be probed on this kernel (errno %d)",
				    -probe_error);
	if (!arg->buffer_size)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "BPF_EVENTS has no meaning without a buffer");
	return 0;
}

/**
 * perfgrp_bpf_events_subscribe - start to write records of BPF programs to a group
 * @group: a new group with its buffer; nothing is done without PERFGRP_CREATE_BPF_EVENTS
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0 or a negative errno; after 0 perfgrp_bpf_events_unsubscribe() must follow.
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
	if (is_probed())
		list_add_tail_rcu(&group->bpf_events_node, &subscribers);
	else
		ret = -EBUSY;
	mutex_unlock(&subscribers_lock);
	if (!ret)
		return 0;
	perfgrp_kprobe_disarm(&probe);
	return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "flags",
			    "BPF_EVENTS: the kprobe is not hit; are kprobes disarmed? (/sys/kernel/debug/kprobes/enabled)");
}

/**
 * perfgrp_bpf_events_unsubscribe - stop writing records of BPF programs to a group
 * @group: the group; nothing is done without PERFGRP_CREATE_BPF_EVENTS
 *
 * May sleep. An RCU grace period later the probe's handler no longer uses the group.
 */
void perfgrp_bpf_events_unsubscribe(struct perfgrp_group *group)
{
	if (!(group->flags & PERFGRP_CREATE_BPF_EVENTS))
		return;

	mutex_lock(&subscribers_lock);
	list_del_rcu(&group->bpf_events_node);
	mutex_unlock(&subscribers_lock);
	perfgrp_kprobe_disarm(&probe);
}

/**
 * perfgrp_bpf_events_init - register the probe
 *
 * If it fails the module works without PERFGRP_FEATURE_BPF_EVENTS.
 */
void perfgrp_bpf_events_init(void)
{
	if (!bpf_events) {
		pr_info("records of BPF programs are disabled by parameter bpf_events\n");
		return;
	}
	/* perf_event_bpf_event() is there all the same, and never called. */
	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		return;
	probe_error = perfgrp_kprobe_register(&probe);
	if (probe_error)
		pr_warn("no records of BPF programs: cannot probe perf_event_bpf_event (%d)\n",
			probe_error);
	else
		static_call_update(perfgrp_bpf_event, (void *)probe.kprobe.addr);
}

/**
 * perfgrp_bpf_events_exit - undo perfgrp_bpf_events_init(); no group exists
 */
void perfgrp_bpf_events_exit(void)
{
	if (!probe_error)
		perfgrp_kprobe_unregister(&probe);
}
