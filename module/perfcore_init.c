// SPDX-License-Identifier: GPL-2.0
/*
 * What reaches into the perf core is tested here when the module is loaded: that
 * perfgrp_core_read() reads what the core reads, and what the other perfcore_*.c assume, each by
 * its own test. Without the first the module is not loaded; the others only switch their feature
 * off.
 *
 * Process context.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include "perfcore.h"
#include "value.h"

static struct perfgrp_count read_by_core(struct perf_event *event)
{
	struct perfgrp_count count;

	count.count = perf_event_read_value(event, &count.enabled, &count.running);
	return count;
}

/**
 * struct self_test - an event that perfgrp_core_read() reads, on its CPU
 * @event: the event
 * @count: what it read
 * @state: its state then
 */
struct self_test {
	struct perf_event *event;
	struct perfgrp_count count;
	enum perf_event_state state;
};

static void self_test_read_here(void *info)
{
	struct self_test *test = info;

	test->state = perfgrp_core_read(test->event, perfgrp_core_clock(), &test->count);
}

static bool is_between(const struct perfgrp_count *count, const struct perfgrp_count *before,
		       const struct perfgrp_count *after)
{
	return before->count <= count->count && count->count <= after->count &&
	       before->enabled <= count->enabled && count->enabled <= after->enabled &&
	       before->running <= count->running && count->running <= after->running;
}

/* The perf core must have read no more just before, and no less just after. */
static int compare_reads(struct perf_event *event, int cpu, enum perf_event_state state)
{
	struct self_test test = { .event = event };
	struct perfgrp_count before, after;
	int ret;

	before = read_by_core(event);
	ret = smp_call_function_single(cpu, self_test_read_here, &test, true);
	after = read_by_core(event);
	if (ret)
		return -ENODEV;
	if (test.state == state && is_between(&test.count, &before, &after))
		return 0;

	pr_err("self-test: read count/enabled/running %llu/%llu/%llu in state %d, and not from %llu/%llu/%llu to %llu/%llu/%llu in state %d; not supported on this kernel\n",
	       test.count.count, test.count.enabled, test.count.running, test.state, before.count,
	       before.enabled, before.running, after.count, after.enabled, after.running, state);
	return -EOPNOTSUPP;
}

/**
 * perfgrp_core_test_reads - compare perfgrp_core_read() with perf_event_read_value()
 * @event: a clock event of a CPU, which counts; it is off afterwards
 * @cpu: the CPU
 *
 * For self-tests. While it counts its times are worked out from the clock; when it has counted and
 * is off the two must be equal. May sleep.
 *
 * Return: 0; -EOPNOTSUPP; -ENODEV if the CPU is offline.
 */
int perfgrp_core_test_reads(struct perf_event *event, int cpu)
{
	int ret = compare_reads(event, cpu, PERF_EVENT_STATE_ACTIVE);

	perf_event_disable(event);
	return ret ?: compare_reads(event, cpu, PERF_EVENT_STATE_OFF);
}

static int self_test_read(int cpu, enum perf_sw_ids clock, const struct pmu **pmu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = clock,
	};
	struct perfgrp_core_request request = { .attr = &attr, .cpu = cpu };
	struct perf_event *event;
	int ret;

	event = perfgrp_core_create(&request);
	if (IS_ERR(event))
		return PTR_ERR(event);

	*pmu = event->pmu;
	ret = perfgrp_core_test_reads(event, cpu);
	perf_event_release_kernel(event);
	return ret;
}

/**
 * perfgrp_core_init - test what is assumed of the perf core
 *
 * Process context, at module load.
 *
 * Return: 0, also if events cannot be linked; a negative errno if they cannot be read.
 */
int perfgrp_core_init(void)
{
	const struct pmu *cpu_clock, *task_clock;
	int cpu, ret;

	/*
	 * Not under cpus_read_lock(), which creating an event may take. If the CPU goes
	 * offline now, loading fails with -ENODEV and can be repeated.
	 */
	cpu = cpumask_first(cpu_online_mask);

	ret = self_test_read(cpu, PERF_COUNT_SW_CPU_CLOCK, &cpu_clock);
	if (!ret)
		ret = self_test_read(cpu, PERF_COUNT_SW_TASK_CLOCK, &task_clock);
	if (ret)
		return ret;

	perfgrp_core_set_clock_pmus(cpu_clock, task_clock);
	perfgrp_core_link_init(cpu);
	perfgrp_core_cgroup_init(cpu);
	perfgrp_core_bpf_init();
	perfgrp_core_callchain_init();
	perfgrp_core_ip_init();
	return 0;
}

/**
 * perfgrp_core_exit - undo perfgrp_core_init()
 *
 * Process context, at module unload or if loading fails. No group exists.
 */
void perfgrp_core_exit(void)
{
	perfgrp_core_cgroup_exit();
	perfgrp_core_link_exit();
}
