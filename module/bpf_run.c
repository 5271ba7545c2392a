// SPDX-License-Identifier: GPL-2.0
/*
 * Running BPF programs at overflows.
 *
 * The perf core protects its programs from each other, and from the locks of maps that a
 * system call is changing, with the per-CPU bpf_prog_active, which is not exported. From
 * 6.11 on it would run event->prog itself, under that guard, before it calls the overflow
 * handler. But then a miss could not be distinguished from a sample that the program
 * dropped, statistics could not be kept per attachment, and a program could not be
 * detached: the perf core reads event->prog more than once and does not expect it to
 * change. So programs are run here on all kernels, with a guard of their own:
 *
 * 1. A program is not run while another one is being run here on this CPU (@running).
 *
 * 2. In NMI context a program whose maps have locks is not run if the interrupted code may
 * hold one of them. All these locks are held with interrupts disabled, so the guard checks
 * whether they were. enum perfgrp_locks says which maps have locks and what happens when
 * one is taken twice on a CPU, as read in 6.1.192 and 6.12.117.
 *
 * For maps that spin this is stricter than bpf_prog_active: no interrupted code of any
 * kind can hold their locks. For hash maps, whose programs should see code that runs with
 * interrupts disabled as they do under perf, it is as strict, except for programs attached
 * to several kprobes at once (kprobe.multi). Raw tracepoints in task context are not
 * guarded by bpf_prog_active either.
 *
 * What bpf_prog_active prevents and this guard does not:
 *
 *   - A program on one of perf's own events may interrupt a program that runs here, in NMI
 *     context, and use the same map, because the perf core does not know that this one
 *     runs. With a hash map its operation fails with EBUSY or waits for another CPU; with
 *     an LRU hash map it may spin forever. The same happens when the perf core's program
 *     interrupts one of XDP or tc.
 *
 *   - The maps of programs that are tail-called, or that replace a function of this one
 *     (freplace), are not known: such a program is treated as if it had maps that spin
 *     (PERFGRP_LOCKS_WAIT). The maps of programs that trace this one (fentry, fexit) are
 *     not taken into account at all.
 *
 * Any context, with interrupts disabled and inside rcu_read_lock(). Takes no lock itself.
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

/* Nesting of perfgrp_bpf_run() on this CPU. Only the outermost call runs a program. */
static DEFINE_PER_CPU(int, running);

/* Whether the interrupted code had interrupts disabled; true if the architecture is not known. */
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

/* In NMI context: whether the interrupted code may hold a lock of a PERFGRP_LOCKS_BUSY map. */
static bool may_be_busy(void)
{
	/* nmi_enter() has added one HARDIRQ_OFFSET. */
	if (hardirq_count() > HARDIRQ_OFFSET || softirq_count())
		return true;
#ifdef CONFIG_SMP
	return current->migration_disabled;
#else
	return true;
#endif
}

/* With precise_ip, @regs are those of the sampled instruction, not of the interrupted code. */
static bool is_safe_in_nmi(enum perfgrp_locks locks, const struct perf_event *event,
			   struct pt_regs *regs)
{
	if (locks <= PERFGRP_LOCKS_TRIED)
		return true;
	/* perfgrp_bpf_attach() refuses these for counters that overflow in NMI context. */
	if (locks == PERFGRP_LOCKS_ALLOC)
		return false;
	if (!event->attr.precise_ip && !irqs_were_off_in(regs))
		return true;
	return locks == PERFGRP_LOCKS_BUSY && !may_be_busy();
}

/*
 * Whether the program may run now. A tracepoint may be hit with any lock held too, but
 * there perfgrp_bpf_attach() refuses all maps with locks.
 */
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

	/* Otherwise the perf core leaves data->addr uninitialised. */
	if (!(data->sample_flags & PERF_SAMPLE_ADDR))
		data->addr = 0;
	/* It may be of a replaced attachment. Until the program ends only this handler uses it. */
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
 * perfgrp_bpf_run - run a member's program at an overflow
 * @attachment: the program
 * @event: the event that overflowed
 * @data: of the sample
 * @regs: registers at the overflow
 *
 * Any context, with interrupts disabled and inside rcu_read_lock(). If the program cannot
 * be run it is counted as a miss, and the sample is dropped.
 *
 * Return: true if the sample is to be recorded.
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
