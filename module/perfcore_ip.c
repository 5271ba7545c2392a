// SPDX-License-Identifier: GPL-2.0
/*
 * Where a sample hit: header.misc and ip, as in the perf core's own records.
 *
 * When an overflow interrupts a virtual machine, @regs are the host's. Only the perf core learns
 * from KVM that the guest was interrupted, and where. So this file calls
 *
 *	unsigned long perf_misc_flags(struct perf_event *event, struct pt_regs *regs)
 *	unsigned long perf_instruction_pointer(struct perf_event *event, struct pt_regs *regs)
 *
 * which are not exported; before 7.x they have no parameter event. They are found and called in
 * the way that pidfd.c explains. Checked in the sources of 6.1.192, 6.12.117 and 7.3.4.
 *
 * Assumed: they can be called in any context in which events overflow. perfgrp_core_ip_init()
 * tests them with registers of its own. If they return something else, or cannot be found,
 * counters that exclude the host cannot sample, and samples of others have the registers of the
 * host.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/static_call.h>

#include "compat.h"
#include "kprobe.h"
#include "perfcore.h"

DEFINE_STATIC_CALL_NULL(perfgrp_perf_misc_flags, compat_regs_fn);
DEFINE_STATIC_CALL_NULL(perfgrp_perf_ip, compat_regs_fn);

/* Set by perfgrp_core_ip_init() only. */
static bool found;

/**
 * perfgrp_core_knows_guests - can samples distinguish a virtual machine's guest from the host?
 *
 * Return: whether the self-test succeeded.
 */
bool perfgrp_core_knows_guests(void)
{
	return found;
}

static u16 host_misc_flags(struct pt_regs *regs)
{
	u16 misc = user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;

#ifdef PERF_EFLAGS_EXACT
	/* The driver has set this bit, which the CPU does not use. */
	if (regs->flags & PERF_EFLAGS_EXACT)
		misc |= PERF_RECORD_MISC_EXACT_IP;
#endif
	return misc;
}

/**
 * perfgrp_core_misc_flags - header.misc of a sample
 * @event: the event that overflowed
 * @regs: registers at the overflow
 *
 * Any context, with interrupts disabled.
 *
 * Return: one of PERF_RECORD_MISC_CPUMODE_MASK, plus PERF_RECORD_MISC_EXACT_IP if the ip is exact.
 */
u16 perfgrp_core_misc_flags(struct perf_event *event, struct pt_regs *regs)
{
	if (!found)
		return host_misc_flags(regs);
	return compat_call_regs_fn(perfgrp_perf_misc_flags, event, regs);
}

/**
 * perfgrp_core_ip - ip of a sample
 * @event: the event that overflowed
 * @regs: registers at the overflow
 * @misc: perfgrp_core_misc_flags()
 *
 * Any context, with interrupts disabled.
 *
 * Return: the address; 0 if the event excludes the kernel, but the overflow came so late that it
 * hit the kernel, the host's or a guest's.
 */
u64 perfgrp_core_ip(struct perf_event *event, struct pt_regs *regs, u16 misc)
{
	u16 mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (event->attr.exclude_kernel &&
	    (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL))
		return 0;
	if (!found)
		return instruction_pointer(regs);
	return compat_call_regs_fn(perfgrp_perf_ip, event, regs);
}

/* The registers fetched here are in the host's kernel. */
static bool self_test_ip(void)
{
	struct perf_event event = {};
	struct pt_regs regs = {};
	unsigned long flags;
	bool ok;

	local_irq_save(flags);
	perf_fetch_caller_regs(&regs);
	ok = compat_call_regs_fn(perfgrp_perf_misc_flags, &event, &regs) ==
		     PERF_RECORD_MISC_KERNEL &&
	     compat_call_regs_fn(perfgrp_perf_ip, &event, &regs) == instruction_pointer(&regs);
	local_irq_restore(flags);
	return ok;
}

/**
 * perfgrp_core_ip_init - find perf_misc_flags() and perf_instruction_pointer()
 *
 * Process context, at module load. On failure samples have the registers of the host.
 */
void perfgrp_core_ip_init(void)
{
	void *misc_flags = perfgrp_kprobe_find("perf_misc_flags");
	void *ip = perfgrp_kprobe_find("perf_instruction_pointer");

	if (!misc_flags || !ip) {
		pr_info("samples do not distinguish guest from host: perf_misc_flags cannot be found\n");
		return;
	}
	static_call_update(perfgrp_perf_misc_flags, misc_flags);
	static_call_update(perfgrp_perf_ip, ip);
	found = self_test_ip();
	if (!found)
		pr_warn("samples do not distinguish guest from host: perf_misc_flags does not behave as expected\n");
}
