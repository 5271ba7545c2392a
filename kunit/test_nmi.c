// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that count in NMI context even on machines without a PMU: breakpoints on a
 * variable of this file. On x86 a breakpoint's handler runs in NMI context; the number of
 * hits is exact everywhere.
 */
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/hw_breakpoint.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/time64.h>
#ifdef CONFIG_ARM64
#include <asm/cpufeature.h>
#endif

#include "../module/group.h"
#include "../module/perfcore.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

static u32 watched;
/* An emulated x86 reports one breakpoint per access, so each gets an address of its own. */
static u32 watched_too;
static u32 unwatched;

/*
 * arm64 steps over the instruction with the breakpoint off. An interrupt in between takes the step,
 * the breakpoint is on again, and the instruction, which is still to be executed, hits it twice.
 */
static void write_watched(unsigned int times)
{
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	for (i = 0; i < times; i++)
		WRITE_ONCE(watched, i);
	local_irq_restore(flags);
}

/* Two hits of HW_BREAKPOINT_RW. */
static void access_watched_too(void)
{
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(watched_too, 1);
	(void)READ_ONCE(watched_too);
	local_irq_restore(flags);
}

static struct perfgrp_counter watch(u32 *what, u32 bp_type)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.config1 = (u64)(uintptr_t)what,
		.config2 = HW_BREAKPOINT_LEN_4,
		.bp_type = bp_type,
	};
}

/* A group on this CPU, to which the case is pinned; skips the case without breakpoints. */
static struct perfgrp_group *watching_group(struct kunit *test, u32 flags, u32 *id)
{
	struct perfgrp_group *group;
	struct perfgrp_counter desc = watch(&watched, HW_BREAKPOINT_W);
	struct perfgrp_error err = harness_error();
	int ret;

	harness_pin_to(test, 0);
	group = harness_cpu_group(test, 0, flags);
	ret = harness_add(group, &desc, 1, &err);
	if (ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENOSPC)
		kunit_skip(test, "no breakpoints: %s", err.text);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", err.text);
	*id = desc.id;
	return group;
}

/* [E5] [G9] Each write counts once, and only while the group is on. */
static void breakpoint_counts_exactly(struct kunit *test)
{
	struct perfgrp_group *group;
	struct perfgrp_value value;
	u32 id;

	group = watching_group(test, 0, &id);
	write_watched(5);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	write_watched(10);
	WRITE_ONCE(unwatched, 1);
	(void)READ_ONCE(watched);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 10ULL);
	write_watched(100);
	harness_disable(group);
	write_watched(5);
	value = harness_value(test, group, 0, id);
	KUNIT_EXPECT_EQ(test, value.raw, 110ULL);
	KUNIT_EXPECT_EQ(test, value.scaled, 110ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
}

/* [G7] [S13] After a reset and after adding a member counts begin at zero. */
static void breakpoint_restarts(struct kunit *test)
{
	struct perfgrp_group *group;
	struct perfgrp_snap snap;
	u32 id, second;

	group = watching_group(test, PERFGRP_CREATE_ENABLED, &id);
	write_watched(10);
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	KUNIT_EXPECT_EQ(test, snap.values[0].raw, 10ULL);
	perfgrp_snapshot_free(&snap);
	write_watched(3);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 3ULL);

	second = harness_add_one(test, group, watch(&watched_too, HW_BREAKPOINT_RW));
	write_watched(4);
	access_watched_too();
	harness_disable(group);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 4ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, second).raw, 2ULL);
}

/* [G6] [S12] A breakpoint is a software event to the perf core: it stands alone. */
static void breakpoint_beside_others(struct kunit *test)
{
	struct perfgrp_group *group;
	struct perfgrp_value value;
	u32 id, clock;

	group = watching_group(test, 0, &id);
	clock = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	write_watched(10);
	harness_disable(group);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 10ULL);
	value = harness_value(test, group, 0, clock);
	KUNIT_EXPECT_GT(test, value.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, value.sched_group, clock);
}

/* [E7] [G8] An invalid breakpoint is refused when it is added, and the others count on. */
static void breakpoint_refused(struct kunit *test)
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter bad = watch(&watched, HW_BREAKPOINT_W);
	struct perfgrp_group *group;
	u32 id;

	group = watching_group(test, PERFGRP_CREATE_ENABLED, &id);
	write_watched(10);
	bad.config2 = 99;
	EXPECT_REFUSED(test, harness_add(group, &bad, 1, &err), EINVAL,
		       PERFGRP_REASON_EVENT_OPTION, "config", err);
	write_watched(1);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 11ULL);
}

struct hits {
	unsigned int all;
	unsigned int in_nmi;
	unsigned int irqs_off;
};

static void count_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct hits *hits = event->overflow_handler_context;

	hits->all++;
	hits->in_nmi += !!in_nmi();
	hits->irqs_off += irqs_disabled();
}

/* The handler of a breakpoint runs in NMI context, once for each write. */
static void handler_runs_in_nmi(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.sample_period = 1,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (u64)(uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.pinned = 1,
	};
	struct hits hits = {};
	struct perf_event *event;

	/* On other architectures its handler must also step over the instruction. */
	if (!IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "a breakpoint is an NMI on x86 only");
	harness_pin_to(test, 0);
	event = harness_event(test, &attr, 0, count_hit, &hits);
	perf_event_enable(event);
	write_watched(10);
	perf_event_disable(event);
	write_watched(1);
	KUNIT_EXPECT_EQ(test, hits.all, 10U);
	KUNIT_EXPECT_EQ(test, hits.in_nmi, 10U);
	KUNIT_EXPECT_EQ(test, hits.irqs_off, 10U);
}

struct reader {
	struct perf_event *clock;
	unsigned int times;
};

static void read_clock(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct reader *reader = event->overflow_handler_context;

	reader->times++;
	perfgrp_core_read_anywhere(reader->clock, perfgrp_core_state(reader->clock), false);
}

/*
 * [O3] [S9] A breakpoint on the state of a clock event hits when the perf core has marked it
 * active, but not started it yet. Reading it there must not add the time that it was off.
 */
static void clock_read_before_it_starts(struct kunit *test)
{
	static const enum perf_sw_ids clocks[] = {
		PERF_COUNT_SW_CPU_CLOCK,
		PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	struct perf_event_attr watch = {
		.type = PERF_TYPE_BREAKPOINT,
		.sample_period = 1,
		.bp_type = HW_BREAKPOINT_W,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.pinned = 1,
	};
	struct perf_event *breakpoint;
	u64 count, enabled, running;
	struct reader reader;
	unsigned int i, j;

	if (!IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "a breakpoint is an NMI on x86 only");
	harness_pin_to(test, 0);
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		attr.config = clocks[i];
		reader.clock = harness_event(test, &attr, 0, NULL, NULL);
		reader.times = 0;
		watch.bp_addr = (u64)(uintptr_t)&reader.clock->state;
		breakpoint = harness_event(test, &watch, 0, read_clock, &reader);
		perf_event_enable(breakpoint);
		/* The first time it is started, and again. */
		for (j = 0; j < 2; j++) {
			mdelay(100);
			perf_event_enable(reader.clock);
			mdelay(1);
			perf_event_disable(reader.clock);
		}
		perf_event_disable(breakpoint);
		KUNIT_EXPECT_GE(test, reader.times, 4U);
		count = perf_event_read_value(reader.clock, &enabled, &running);
		KUNIT_EXPECT_LT(test, count, running + 50 * NSEC_PER_MSEC);
		KUNIT_EXPECT_GT(test, count, NSEC_PER_MSEC);
	}
}

/* On arm64 the PMU has an NMI if the kernel was booted with irqchip.gicv3_pseudo_nmi=1. */
static bool pmu_has_nmi(void)
{
#ifdef CONFIG_ARM64
	return system_uses_irq_prio_masking();
#else
	return IS_ENABLED(CONFIG_X86);
#endif
}

/* The hardware PMU's interrupt, an NMI if the machine has that. */
static void pmu_interrupt(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 100000,
		.size = sizeof(attr),
		.disabled = 1,
		.pinned = 1,
	};
	struct perf_event *event;
	struct hits hits = {};
	unsigned long i;

	event = perf_event_create_kernel_counter(&attr, 0, NULL, count_hit, &hits);
	if (IS_ERR(event))
		kunit_skip(test, "no hardware counters");
	perf_event_release_kernel(event);

	harness_pin_to(test, 0);
	event = harness_event(test, &attr, 0, count_hit, &hits);
	perf_event_enable(event);
	for (i = 0; i < 100000000 && READ_ONCE(hits.all) < 10; i++)
		barrier();
	perf_event_disable(event);
	KUNIT_EXPECT_GE(test, hits.all, 10U);
	KUNIT_EXPECT_EQ(test, hits.irqs_off, hits.all);
	KUNIT_EXPECT_EQ(test, hits.in_nmi, pmu_has_nmi() ? hits.all : 0);
}

/* A fake PMU's overflow comes in hard IRQ context. */
static void fake_overflow_in_irq(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perf_event_attr attr = {
		.type = fake->pmu.type,
		.sample_period = 1000,
	};
	struct hits hits = {};
	struct perf_event *event;
	unsigned int i;

	event = harness_event(test, &attr, 0, count_hit, &hits);
	KUNIT_EXPECT_EQ(test, fake_pmu_overflow(event), -EAGAIN);
	perf_event_enable(event);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, fake_pmu_overflow(event), 0);
	KUNIT_EXPECT_EQ(test, hits.all, 10U);
	KUNIT_EXPECT_EQ(test, hits.irqs_off, 10U);
	KUNIT_EXPECT_EQ(test, hits.in_nmi, 0U);
}

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE(breakpoint_counts_exactly),
	KUNIT_CASE(breakpoint_restarts),
	KUNIT_CASE(breakpoint_beside_others),
	KUNIT_CASE(breakpoint_refused),
	KUNIT_CASE(handler_runs_in_nmi),
	KUNIT_CASE(clock_read_before_it_starts),
	KUNIT_CASE(pmu_interrupt),
	KUNIT_CASE(fake_overflow_in_irq),
	{}
};

struct kunit_suite perfgrp_nmi_suite = {
	.name = "perfgrp_nmi",
	.exit = harness_exit,
	.test_cases = nmi_cases,
};
