// SPDX-License-Identifier: GPL-2.0
/*
 * Tests, at module load, of what is assumed of the perf core: that perfgrp_core_read() agrees with
 * the perf core's own read, and what each other perfcore_*.c assumes, by a test of its own. If the
 * first fails the module does not load; each of the others only disables its feature.
 *
 * Process context.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>

#include "perfcore.h"

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
	 * offline now, loading fails with -ENODEV and can be retried.
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
