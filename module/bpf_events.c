// SPDX-License-Identifier: GPL-2.0
/*
 * Records of BPF programs that are loaded into or unloaded from the kernel, for groups
 * with PERFGRP_CREATE_BPF_EVENTS, or from PERFGRP_BPF_EVENTS_ON to PERFGRP_BPF_EVENTS_OFF.
 *
 * The kernel calls
 *
 *	perf_event_bpf_event(prog, type, flags)
 *
 * once when a program has been given its id, before the loader gets the fd, and once when the
 * program's last reference is dropped, while it still has its id. (In 6.1 the latter is true from
 * 6.1.8 on; before that, the id of an unload is 0.) A kprobe on that function is armed while at
 * least one group is subscribed. Verified in 6.1.192, 6.12.117 and 7.3.4.
 *
 * The function is called in tasks and in softirqs. If such a softirq has interrupted the
 * handler of another kprobe, the kernel does not call this one but counts a miss; the
 * groups account it as a lost record. Calls are missed without being counted while an
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
#include <linux/slab.h>
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

/**
 * struct perfgrp_bpf_subscription - a group's subscription to records of BPF programs
 * @node: in subscribers
 * @group: the group; constant
 * @missed: perfgrp_kprobe_missed() when the group last accounted for missed calls; written in any
 *	context but NMI
 * @rcu: frees it. A group that subscribes again gets a new struct, because a handler may still be
 *	walking the list from the old one's @node.
 */
struct perfgrp_bpf_subscription {
	struct list_head node;
	struct perfgrp_group *group;
	atomic_long_t missed;
	struct rcu_head rcu;
};

/* Changed, as is perfgrp_group.bpf_events, under subscribers_lock; read under RCU. */
static DEFINE_MUTEX(subscribers_lock);
static LIST_HEAD(subscribers);

/* Set by the handler for is_probed()'s call. Cleared and read under subscribers_lock. */
static bool probe_was_hit;

static int output_bpf_event(struct kprobe *kprobe, struct pt_regs *regs);

PERFGRP_KPROBE(probe, perf_event_bpf_event, output_bpf_event, 0);

/* Any context but NMI, inside rcu_read_lock() or with subscribers_lock held. */
static void count_missed(struct perfgrp_bpf_subscription *subscription)
{
	unsigned long seen = atomic_long_read(&subscription->missed);
	unsigned long now = perfgrp_kprobe_missed(&probe);

	if (now == seen)
		return;
	/* If two callers race, one accounts the difference; the next call accounts the rest. */
	if ((long)(now - seen) > 0 &&
	    atomic_long_cmpxchg(&subscription->missed, seen, now) == seen)
		perfgrp_records_account_missed(subscription->group->sampling->records, now - seen);
}

/* Kprobe handler: runs in tasks and softirqs, with preemption off or in an exception. */
static int output_bpf_event(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct bpf_prog *prog = (void *)perfgrp_kprobe_arg(regs, 0);
	u16 type = perfgrp_kprobe_arg(regs, 1);
	u16 flags = perfgrp_kprobe_arg(regs, 2);
	struct perfgrp_bpf_subscription *subscription;

	if (type == PERF_BPF_EVENT_UNKNOWN) {
		WRITE_ONCE(probe_was_hit, true);
		return 0;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(subscription, &subscribers, node) {
		count_missed(subscription);
		perfgrp_records_output_bpf_event(subscription->group, type, flags, prog);
	}
	rcu_read_unlock();
	return 0;
}

NOKPROBE_SYMBOL(output_bpf_event);

static void no_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags)
{
}

DEFINE_STATIC_CALL(perfgrp_bpf_event, no_bpf_event);

/* See perfgrp_kprobe_arm(). Calls the function with a type that it ignores. */
static bool is_probed(void)
{
	lockdep_assert_held(&subscribers_lock);

	WRITE_ONCE(probe_was_hit, false);
	static_call(perfgrp_bpf_event)(NULL, PERF_BPF_EVENT_UNKNOWN, 0);
	return READ_ONCE(probe_was_hit);
}

/**
 * perfgrp_bpf_events_count_missed - account what the probe has missed as lost records
 * @group: the group; nothing is done if it gets no records of BPF programs
 *
 * Any context but NMI.
 */
void perfgrp_bpf_events_count_missed(struct perfgrp_group *group)
{
	struct perfgrp_bpf_subscription *subscription;

	rcu_read_lock();
	subscription = rcu_dereference(group->bpf_events);
	if (subscription)
		count_missed(subscription);
	rcu_read_unlock();
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
 * perfgrp_bpf_events_check - can a group get records of BPF programs?
 * @has_buffer: the group has a buffer, or asks for one
 * @field: name of the argument's field that asks for them
 * @err: filled in on failure
 *
 * Return: 0, -EOPNOTSUPP or -EINVAL.
 */
int perfgrp_bpf_events_check(bool has_buffer, const char *field, struct perfgrp_error *err)
{
	if (!bpf_events)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, field,
				    "BPF_EVENTS: disabled by the module parameter bpf_events");
	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, field,
				    "BPF_EVENTS: this kernel has no BPF support (CONFIG_BPF_SYSCALL)");
	if (probe_error)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, field,
				    "BPF_EVENTS: perf_event_bpf_event cannot be probed on this kernel (errno %d)",
				    -probe_error);
	if (!has_buffer)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, field,
				    "BPF_EVENTS requires a buffer (buffer_size)");
	return 0;
}

static int arm_probe(const char *field, struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held(&subscribers_lock);

	ret = perfgrp_kprobe_arm(&probe);
	if (ret)
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, field,
				    "BPF_EVENTS: cannot arm the kprobe (errno %d)", -ret);
	if (is_probed())
		return 0;
	perfgrp_kprobe_disarm(&probe);
	return perfgrp_fail(err, -EBUSY, PERFGRP_REASON_KERNEL, field,
			    "BPF_EVENTS: the kprobe is not hit; are kprobes disarmed? (/sys/kernel/debug/kprobes/enabled)");
}

static int subscribe(struct perfgrp_group *group, const char *field, struct perfgrp_error *err)
{
	struct perfgrp_bpf_subscription *subscription;
	int ret;

	lockdep_assert_held(&subscribers_lock);

	subscription = kzalloc(sizeof(*subscription), GFP_KERNEL_ACCOUNT);
	if (!subscription)
		return perfgrp_fail_memory(err);
	ret = arm_probe(field, err);
	if (ret) {
		kfree(subscription);
		return ret;
	}
	subscription->group = group;
	atomic_long_set(&subscription->missed, perfgrp_kprobe_missed(&probe));
	list_add_tail_rcu(&subscription->node, &subscribers);
	rcu_assign_pointer(group->bpf_events, subscription);
	return 0;
}

static void unsubscribe(struct perfgrp_bpf_subscription *subscription)
{
	lockdep_assert_held(&subscribers_lock);

	count_missed(subscription);
	RCU_INIT_POINTER(subscription->group->bpf_events, NULL);
	list_del_rcu(&subscription->node);
	perfgrp_kprobe_disarm(&probe);
	kfree_rcu(subscription, rcu);
}

/**
 * perfgrp_bpf_events_subscribe - start to write records of BPF programs to a group
 * @group: a group with a buffer; nothing is done if it is subscribed already
 * @field: name of the argument's field that asks for them
 * @err: filled in on failure
 *
 * perfgrp_bpf_events_check() has succeeded. May sleep.
 *
 * Return: 0 or a negative errno; after 0 perfgrp_bpf_events_unsubscribe() must follow.
 */
int perfgrp_bpf_events_subscribe(struct perfgrp_group *group, const char *field,
				 struct perfgrp_error *err)
{
	int ret = 0;

	mutex_lock(&subscribers_lock);
	if (!rcu_access_pointer(group->bpf_events))
		ret = subscribe(group, field, err);
	mutex_unlock(&subscribers_lock);
	return ret;
}

/**
 * perfgrp_bpf_events_unsubscribe - stop writing records of BPF programs to a group
 * @group: the group; nothing is done if it is not subscribed
 *
 * May sleep. An RCU grace period later the probe's handler no longer uses the group.
 */
void perfgrp_bpf_events_unsubscribe(struct perfgrp_group *group)
{
	struct perfgrp_bpf_subscription *subscription;

	mutex_lock(&subscribers_lock);
	subscription = rcu_dereference_protected(group->bpf_events,
						 lockdep_is_held(&subscribers_lock));
	if (subscription)
		unsubscribe(subscription);
	mutex_unlock(&subscribers_lock);
}

/**
 * perfgrp_bpf_events_subscribed - does a group get records of BPF programs?
 * @group: the group
 *
 * Return: whether it does; this may change at any time.
 */
bool perfgrp_bpf_events_subscribed(const struct perfgrp_group *group)
{
	return rcu_access_pointer(group->bpf_events);
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
	/* perf_event_bpf_event() exists even without BPF programs, but is never called. */
	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		return;
	probe_error = perfgrp_kprobe_register(&probe);
	if (probe_error)
		pr_warn("no records of BPF programs: cannot probe perf_event_bpf_event (%d)\n",
			probe_error);
	else
		static_call_update(perfgrp_bpf_event, (void *)probe.kretprobe.kp.addr);
}

/**
 * perfgrp_bpf_events_exit - undo perfgrp_bpf_events_init(); no group exists
 */
void perfgrp_bpf_events_exit(void)
{
	if (!probe_error)
		perfgrp_kprobe_unregister(&probe);
}
