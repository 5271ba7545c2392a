// SPDX-License-Identifier: GPL-2.0
/*
 * Mapped rows: what can only be seen from inside the kernel.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/limits.h>
#include <linux/tracepoint.h>

#include "../module/mapped.h"
#include "../module/tracepoint.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 8

static bool has_handlers(struct kunit *test, const char *name)
{
	struct tracepoint *tp = perfgrp_tracepoint_find(name);

	KUNIT_ASSERT_NOT_NULL(test, tp);
	return static_key_enabled(&tp->key);
}

#define IDLE   1U
#define SWITCH 2U

/* Bitmap of the tracepoints used by such groups that have handlers. */
static unsigned int with_handlers(struct kunit *test)
{
	return (has_handlers(test, "cpu_idle") ? IDLE : 0) |
	       (has_handlers(test, "sched_switch") ? SWITCH : 0);
}

static bool handlers_become(struct kunit *test, unsigned int wanted)
{
	unsigned int i;

	/* A worker unregisters them. */
	for (i = 0; i < 200 && with_handlers(test) != wanted; i++)
		msleep(50);
	return with_handlers(test) == wanted;
}

static struct perfgrp_group *mapped_group(struct kunit *test, u64 interval)
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	struct perfgrp_create create = {
		.target = PERFGRP_TARGET_ALL_CPUS,
		.flags = PERFGRP_CREATE_MAPPED | PERFGRP_CREATE_ENABLED,
		.map_interval = interval,
	};
	int ret = harness_create(&create, NULL, &err, &group);

	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", err.text);
	return group;
}

/* [M7] The tracepoints have handlers only while there is a group that needs them. */
static void handlers_while_needed(struct kunit *test)
{
	struct perfgrp_group *one, *two;

	KUNIT_ASSERT_TRUE_MSG(test, handlers_become(test, 0), "handlers: %u", with_handlers(test));
	one = mapped_group(test, 0);
	KUNIT_EXPECT_EQ(test, with_handlers(test), IDLE);
	two = mapped_group(test, NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, with_handlers(test), IDLE | SWITCH);
	harness_destroy(one);
	msleep(500);
	KUNIT_EXPECT_EQ(test, with_handlers(test), IDLE | SWITCH);
	harness_destroy(two);
	KUNIT_EXPECT_TRUE(test, handlers_become(test, 0));
}

/* See whether, within a second, a CPU's row is at rest, and whether one is written. */
static void watch(struct kunit *test, const struct perfgrp_group *group, bool *rests, bool *written)
{
	const struct perfgrp_map_slot *slot;
	unsigned int ms, i;
	u64 *time;

	time = kunit_kcalloc(test, group->nr_instances, sizeof(*time), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, time);
	for (i = 0; i < group->nr_instances; i++)
		time[i] = READ_ONCE(group->mapped->instances[i].slot->row.time_after);
	*rests = false;
	*written = false;
	for (ms = 0; ms < 1000 && !(*rests && *written); ms += 10) {
		for (i = 0; i < group->nr_instances; i++) {
			slot = group->mapped->instances[i].slot;
			*rests |= READ_ONCE(slot->at_rest);
			*written |= READ_ONCE(slot->row.time_after) != time[i];
		}
		usleep_range(10000, 12000);
	}
}

static void expect_rest_of(struct kunit *test, struct perfgrp_counter *counters, unsigned int nr,
			   bool rests, bool written)
{
	struct perfgrp_group *group = mapped_group(test, 0);
	struct perfgrp_error err = harness_error();
	bool at_rest, was_written;

	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, counters, nr, &err), 0, "%s", err.text);
	watch(test, group, &at_rest, &was_written);
	KUNIT_EXPECT_EQ(test, at_rest, rests);
	KUNIT_EXPECT_EQ(test, was_written, written);
}

static void expect_rest(struct kunit *test, struct perfgrp_counter counter, bool rests,
			bool written)
{
	expect_rest_of(test, &counter, 1, rests, written);
}

static struct fake_pmu *pmu_with_context(struct kunit *test, int context)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);

	fake_pmu_unregister(fake);
	fake->context = context;
	fake->cpumask = context == perf_invalid_context ? cpu_possible_mask : NULL;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	return fake;
}

/*
 * [M2] Idle CPUs write rows, which are at rest unless a member may count while the CPU is idle:
 * clocks, and events of other PMUs than the CPU's hardware PMU. An uncore PMU is not called.
 */
static void kinds_at_rest(struct kunit *test)
{
	struct perfgrp_counter faults = { .event = PERFGRP_SW_PAGE_FAULTS };
	struct perfgrp_counter clock = { .event = PERFGRP_SW_CPU_CLOCK };
	struct perfgrp_counter any_mode, both[2];
	struct fake_pmu *fake;

	expect_rest(test, faults, true, true);
	expect_rest(test, clock, false, true);
	fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	/* No generic event: only known to be at rest on x86, or if it counts user mode only. */
	any_mode = FAKE(fake, FAKE_TICKS(1));
	expect_rest(test, any_mode, IS_ENABLED(CONFIG_X86), true);
	any_mode.flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL;
	expect_rest(test, any_mode, true, true);
	/* On x86 this is Intel's AnyThread: it counts what the other hyperthread does. */
	any_mode.config |= BIT_ULL(21);
	expect_rest(test, any_mode, !IS_ENABLED(CONFIG_X86), true);
	fake = pmu_with_context(test, perf_sw_context);
	expect_rest(test, FAKE(fake, FAKE_TICKS(1)), false, true);
	fake = pmu_with_context(test, perf_invalid_context);
	expect_rest(test, FAKE(fake, FAKE_TICKS(1)), false, false);
	/* Whichever member it is. */
	both[0] = FAKE(fake, FAKE_TICKS(1));
	both[1] = faults;
	expect_rest_of(test, both, 2, false, false);
}

/* [M2] The timer of a busy CPU also writes rows with members of an uncore PMU. */
static void timer_reads_uncore(struct kunit *test)
{
	struct fake_pmu *fake = pmu_with_context(test, perf_invalid_context);
	const struct perfgrp_map_slot *slot;
	struct perfgrp_group *group;
	unsigned int ms;
	u64 time;

	harness_pin_to(test, 0);
	group = mapped_group(test, NSEC_PER_MSEC);
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	slot = group->mapped->instances[group->instance_of[0]].slot;
	time = READ_ONCE(slot->row.time_after);
	for (ms = 0; ms < 1000 && READ_ONCE(slot->row.time_after) == time; ms++)
		mdelay(1);
	KUNIT_EXPECT_NE(test, READ_ONCE(slot->row.time_after), time);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->strange_reads), 0);
}

/* [M1] [M3] A slot never looks as if it was not written, however often it was. */
static void sequence_wraps(struct kunit *test)
{
	struct perfgrp_map_slot *slot;
	struct perfgrp_group *group;
	struct perfgrp_snap snap;

	harness_pin_to(test, 0);
	group = mapped_group(test, 0);
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	slot = group->mapped->instances[group->instance_of[0]].slot;
	WRITE_ONCE(slot->seq, U32_MAX - 1);
	/* Writes it once, and meanwhile this CPU does not go idle. */
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(slot->seq), 2U);
	perfgrp_snapshot_free(&snap);
}

static struct kunit_case mapped_cases[] = {
	KUNIT_CASE(handlers_while_needed),
	KUNIT_CASE(kinds_at_rest),
	KUNIT_CASE(timer_reads_uncore),
	KUNIT_CASE(sequence_wraps),
	{},
};

struct kunit_suite perfgrp_mapped_suite = {
	.name = "perfgrp_mapped",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = harness_exit,
	.test_cases = mapped_cases,
};
