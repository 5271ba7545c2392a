// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains, as the perf core collects them for its own records.
 *
 * perf_event_alloc() allocates the buffers if attr.sample_type has PERF_SAMPLE_CALLCHAIN, but
 *
 *	struct perf_callchain_entry *perf_callchain(struct perf_event *event, struct pt_regs *regs)
 *
 * is not exported. It is found and called in the way that pidfd.c explains.
 *
 * Assumed: as in 6.1.192, 6.12.117 and 7.3.4 it can walk the stack in any context in which events
 * overflow, and never returns NULL. The chain is valid until the next one is collected in the same
 * context (task, softirq, interrupt, NMI) on the CPU, which a BPF program may request.
 * perfgrp_core_callchain_init() collects one as a test. If it is not as expected there is no
 * PERFGRP_FEATURE_CALLCHAIN.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/static_call.h>

#include "compat.h"
#include "event.h"
#include "kprobe.h"
#include "perfcore.h"

static struct perf_callchain_entry *no_callchain(struct perf_event *event, struct pt_regs *regs)
{
	return NULL;
}

DEFINE_STATIC_CALL(perfgrp_perf_callchain, no_callchain);

/* In addresses. Few, so that the test also works with a low sysctl kernel.perf_event_max_stack. */
#define SELF_TEST_DEPTH 4

/* Set by perfgrp_core_callchain_init() only. */
static bool found;

/**
 * perfgrp_core_has_callchain - can events have call chains?
 *
 * Any context.
 *
 * Return: whether the self-test succeeded.
 */
bool perfgrp_core_has_callchain(void)
{
	return found;
}

/**
 * perfgrp_core_get_callchain - the call chain of a sample
 * @event: the event that overflowed, created with PERF_SAMPLE_CALLCHAIN
 * @data: the sample's data
 * @regs: registers at the overflow
 *
 * Any context, with interrupts disabled and inside rcu_read_lock().
 *
 * A hardware PMU's driver that knows an earlier state of the stack than @regs has already put a
 * chain into @data. A chain in a software event's @data is that of another event hit at the same
 * time, and may have addresses that @event must not see. It is removed from @data, because the new
 * chain overwrites it; a later handler that needs one collects it again.
 *
 * Return: the chain, valid until the next one is collected in this context.
 */
struct perf_callchain_entry *perfgrp_core_get_callchain(struct perf_event *event,
							struct perf_sample_data *data,
							struct pt_regs *regs)
{
	if (data->sample_flags & PERF_SAMPLE_CALLCHAIN) {
		if (!perfgrp_event_is_software(&event->attr))
			return data->callchain;
		compat_shrink_sample(data, (1 + data->callchain->nr) * sizeof(u64));
		data->sample_flags &= ~(u64)PERF_SAMPLE_CALLCHAIN;
	}
	return static_call(perfgrp_perf_callchain)(event, regs);
}

/* ---- self-test ----------------------------------------------------------- */

/* Return: true if the chain has this function's return address. */
static noinline bool self_test_callchain(struct perf_event *event)
{
	const struct perf_callchain_entry *chain;
	struct perf_sample_data data = {};
	struct pt_regs regs = {};
	unsigned long flags;
	bool ok = false;
	u64 i;

	local_irq_save(flags);
	rcu_read_lock();
	perf_fetch_caller_regs(&regs);
	chain = perfgrp_core_get_callchain(event, &data, &regs);
	for (i = 0; chain && i < chain->nr; i++)
		ok |= chain->ip[i] == instruction_pointer(&regs);
	rcu_read_unlock();
	local_irq_restore(flags);
	return ok;
}

/**
 * perfgrp_core_callchain_init - find perf_callchain()
 *
 * Process context, at module load. Failure only means that there are no call chains.
 */
void perfgrp_core_callchain_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.sample_max_stack = SELF_TEST_DEPTH,
		.disabled = 1,
	};
	const struct perfgrp_core_request request = { .attr = &attr, .cpu = -1, .task = current };
	void *function = perfgrp_kprobe_find("perf_callchain");
	struct perf_event *event;

	if (!function) {
		pr_info("call chains are not supported: perf_callchain cannot be found\n");
		return;
	}
	event = perfgrp_core_create(&request);
	if (IS_ERR(event)) {
		pr_warn("call chains are not supported: the perf core refused an event with errno %ld%s\n",
			-PTR_ERR(event),
			PTR_ERR(event) == -EOVERFLOW ? " (sysctl kernel.perf_event_max_stack)" : "");
		return;
	}
	static_call_update(perfgrp_perf_callchain, function);
	found = self_test_callchain(event);
	perf_event_release_kernel(event);
	if (!found)
		pr_warn("call chains are not supported: perf_callchain does not behave as expected\n");
}
