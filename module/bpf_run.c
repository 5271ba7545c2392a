// SPDX-License-Identifier: GPL-2.0
/*
 * Running BPF programs at overflows.
 *
 * Programs run under bpf_prog_active, like those on perf's own events (see perfcore_bpf.c). If it
 * is already taken on this CPU the overflow is counted as a miss.
 *
 * From 6.11 on the perf core would run event->prog itself, before it calls the overflow
 * handler. But then a miss could not be distinguished from a sample that the program
 * dropped, statistics could not be kept per attachment, and a program could not be
 * detached: the perf core reads event->prog more than once and does not expect it to
 * change. So programs are run here on all kernels.
 *
 * Any context, with interrupts disabled and inside rcu_read_lock(). Takes no lock itself.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "bpf.h"
#include "perfcore.h"

/*
 * If the event has PERF_SAMPLE_CALLCHAIN bpf_get_stack() takes the chain from @data. A program that
 * does not call it itself can reach one that does by a tail call. That one then finds no chain, or
 * that of another software event that was hit at the same time.
 */
static void set_callchain(const struct perfgrp_attachment *attachment, struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	if (attachment->prog->call_get_stack)
		data->callchain = perfgrp_core_get_callchain(event, data, regs);
	else if (!(data->sample_flags & PERF_SAMPLE_CALLCHAIN))
		data->callchain = NULL;
}

static u32 run_prog(const struct perfgrp_attachment *attachment, struct perf_event *event,
		    struct perf_sample_data *data, struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern ctx = {
		.regs = perf_arch_bpf_user_pt_regs(regs),
		.data = data,
		.event = event,
	};

	set_callchain(attachment, event, data, regs);
	/* Without PERF_SAMPLE_ADDR the perf core leaves data->addr uninitialised. */
	if (!(data->sample_flags & PERF_SAMPLE_ADDR))
		data->addr = 0;
	/*
	 * Set at each run, as the event may have the cookie of a replaced attachment. No other
	 * handler uses it before the program returns.
	 */
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

	if (!perfgrp_core_bpf_enter(event, regs)) {
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
	perfgrp_core_bpf_leave();
	return ret;
}
