// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs at work, where their counters overflow.
 *
 * The perf core keeps programs from each other, and from the locks of maps that a
 * system call is changing, with its per-CPU bpf_prog_active, which it exports to
 * nobody. From 6.11 on it would run event->prog itself, with that guard, before it
 * calls the overflow handler; but then nobody could tell a miss from a sample that the
 * program dropped, nor count by attachment, nor take a program away: the core reads
 * event->prog more than once, and never expects it to go. So programs run here on all
 * kernels, behind a guard of their own:
 *
 * 1. A program is not run while another that was run here is running on this CPU
 * (@running).
 *
 * 2. A program whose maps have locks is not run where what an NMI has interrupted may
 * hold one. All these locks are held with interrupts off, so what matters is whether
 * they were. Which maps have locks, and what these do when they are taken twice on a
 * CPU, is enum perfgrp_locks, from the harmless to the worst; it was read in 6.1.192 and
 * 6.12.117.
 *
 * For the maps that would wait that is stricter than the core's guard: nothing that runs
 * below, of whatever kind, can hold their locks. For hash maps, whose programs should
 * see code that runs with interrupts off as they do under perf, it is as strict but for
 * programs on several kprobes at once (kprobe.multi); raw tracepoints in task context
 * are unguarded in the core, too.
 *
 * What the core's guard does and this does not:
 *
 *  - Perf's own event may interrupt a program that runs here, in an NMI, with one that
 *    has a map in common: the core does not know of this one. With a hash map it is
 *    refused (EBUSY) or waits for another CPU, with an LRU hash map it may wait forever,
 *    as it does where the core interrupts XDP or tc.
 *  - Maps of programs that are reached by a tail call, or that replace a function of this
 *    one (freplace), are not seen: all are taken to have locks that wait. Those of
 *    programs that trace this one (fentry, fexit) are not seen at all.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "bpf.h"
#include "perfcore.h"

/* How many programs run on this CPU, or try to. */
static DEFINE_PER_CPU(int, running);

/* Where an architecture is not known here they are always said to have been. */
static bool irqs_were_off_in(struct pt_regs *regs)
{
#if defined(CONFIG_X86)
	return !(regs->flags & X86_EFLAGS_IF);
#elif defined(CONFIG_ARM64)
	return !interrupts_enabled(regs);
#else
	return true;
#endif
}

/* In an NMI: whether it has interrupted what can hold a lock of PERFGRP_LOCKS_BUSY. */
static bool may_be_busy(void)
{
	/* The NMI itself counts as one. */
	if (hardirq_count() > HARDIRQ_OFFSET || softirq_count())
		return true;
#ifdef CONFIG_SMP
	return current->migration_disabled;
#else
	return true;
#endif
}

/* The registers of a precise counter are of another moment. */
static bool is_safe_in_nmi(enum perfgrp_locks locks, const struct perf_event *event,
			   struct pt_regs *regs)
{
	if (locks <= PERFGRP_LOCKS_TRIED)
		return true;
	/* Where an NMI is to be expected these are refused. */
	if (locks == PERFGRP_LOCKS_ALLOC)
		return false;
	if (!event->attr.precise_ip && !irqs_were_off_in(regs))
		return true;
	return locks == PERFGRP_LOCKS_BUSY && !may_be_busy();
}

/* A tracepoint may be anywhere, too: perfgrp_bpf_attach() takes no locks there at all. */
static bool is_safe(const struct perfgrp_attachment *attachment, const struct perf_event *event,
		    struct pt_regs *regs)
{
	enum perfgrp_locks locks = attachment->locks;

	if (!in_nmi())
		return true;
	if (READ_ONCE(attachment->prog->aux->is_extended))
		locks = max(locks, PERFGRP_LOCKS_WAIT);
	return is_safe_in_nmi(locks, event, regs);
}

static u32 run_prog(const struct perfgrp_attachment *attachment, struct perf_event *event,
		    struct perf_sample_data *data, struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern ctx = {
		.regs = perf_arch_bpf_user_pt_regs(regs),
		.data = data,
		.event = event,
	};

	/* Else the perf core has left there what was on its stack. */
	if (!(data->sample_flags & PERF_SAMPLE_ADDR))
		data->addr = 0;
		/* Of this attachment, not of the one before. No other handler uses it meanwhile. */
	perfgrp_core_set_bpf_cookie(event, attachment->cookie);
	return bpf_prog_run(attachment->prog, &ctx);
}

static u32 run_prog_timed(const struct perfgrp_attachment *attachment, struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 start = perfgrp_core_clock();
	u32 ret = run_prog(attachment, event, data, regs);

	this_cpu_add(attachment->cpu->nsecs, perfgrp_core_clock() - start);
	return ret;
}

static bool is_timed(const struct perfgrp_attachment *attachment)
{
	return attachment->flags & PERFGRP_BPF_TIMED ||
	       static_branch_unlikely(&bpf_stats_enabled_key);
}

/**
 * perfgrp_bpf_run - let a member's program see an overflow
 * @attachment: the program
 * @event: that has overflowed
 * @data: of the sample
 * @regs: what it has interrupted
 *
 * Interrupts are off, under RCU; any context.
 *
 * Return: whether the sample goes on.
 */
bool perfgrp_bpf_run(const struct perfgrp_attachment *attachment, struct perf_event *event,
		     struct perf_sample_data *data, struct pt_regs *regs)
{
	u32 ret = 0;

	if (this_cpu_inc_return(running) != 1 || !is_safe(attachment, event, regs)) {
		this_cpu_inc(attachment->cpu->misses);
		goto out;
	}
	perfgrp_core_lockdep_nmi_off();
	if (is_timed(attachment))
		ret = run_prog_timed(attachment, event, data, regs);
	else
		ret = run_prog(attachment, event, data, regs);
	perfgrp_core_lockdep_nmi_on();
	this_cpu_inc(attachment->cpu->runs);
	if (!ret)
		this_cpu_inc(attachment->cpu->dropped);
out:
	this_cpu_dec(running);
	return ret;
}
