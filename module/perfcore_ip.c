// SPDX-License-Identifier: GPL-2.0
/*
 * Where a sample hit, as the perf core says it in its own records: header.misc and ip.
 *
 * An interrupt that ends a virtual machine's time on the CPU finds the registers of the host. KVM
 * tells the perf core that the guest was interrupted, and where, and nobody else. So
 *
 *	unsigned long perf_misc_flags(struct perf_event *event, struct pt_regs *regs)
 *	unsigned long perf_instruction_pointer(struct perf_event *event, struct pt_regs *regs)
 *
 * are called, which are not exported; before 7.x they know no event. They are found and called as
 * pidfd.c says. Read in 6.1.192, 6.12.117 and 7.3.4.
 *
 * Assumed: they can be called in any context in which events overflow.
 * perfgrp_core_ip_init() asks them where it is itself. If they do not know, or cannot be found,
 * counters that exclude the host do not sample, and samples of others have the registers of the
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
 * perfgrp_core_knows_guests - do samples tell the guests of virtual machines from the host?
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
 * Return: one of PERF_RECORD_MISC_CPUMODE_MASK, and PERF_RECORD_MISC_EXACT_IP where it holds.
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
 * Return: the address; 0 if the overflow came so late that it hit a kernel, the host's or a
 * guest's, which the event excludes.
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

/* In the host's kernel, where this is. */
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
 * Process context, at module load. Without them the module does all else.
 */
void perfgrp_core_ip_init(void)
{
	void *misc_flags = perfgrp_kprobe_find("perf_misc_flags");
	void *ip = perfgrp_kprobe_find("perf_instruction_pointer");

	if (!misc_flags || !ip) {
		pr_info("samples do not tell guests from the host: perf_misc_flags cannot be found\n");
		return;
	}
	static_call_update(perfgrp_perf_misc_flags, misc_flags);
	static_call_update(perfgrp_perf_ip, ip);
	found = self_test_ip();
	if (!found)
		pr_warn("samples do not tell guests from the host: perf_misc_flags does not behave as expected\n");
}
