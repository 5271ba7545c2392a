// SPDX-License-Identifier: GPL-2.0
/*
 * The module's own overflow handler, and what it writes. Fake PMUs overflow in hard IRQ context,
 * breakpoints in NMI context (x86).
 */
#include <linux/bpf.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/filter.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include <asm/irq_regs.h>

#include "../module/bpf.h"
#include "../module/event_array.h"
#include "../module/group.h"
#include "../module/mapped.h"
#include "../module/overflow.h"
#include "../module/perfcore.h"
#include "../module/perfgrp.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 8

static const u32 cpu0[] = { 0 };
static const struct perfgrp_create on_cpu0 = { .target = PERFGRP_TARGET_CPUS, .nr_cpus = 1 };

static struct perf_event *event_of(const struct perfgrp_group *group, unsigned int member,
				   unsigned int instance)
{
	return group->members[member]->instances[instance].event;
}

static struct perfgrp_counter sampling(struct perfgrp_counter desc, u64 period)
{
	desc.sample_period = period;
	return desc;
}

static struct perfgrp_counter filtering(struct perfgrp_counter desc, u64 min_delta)
{
	desc.min_delta = min_delta;
	return desc;
}

static const struct perfgrp_sample_value *values_of(const struct perf_event_header *header)
{
	return (const void *)header + sizeof(struct perfgrp_record_sample);
}

/* Reads the only record, which must be a sample with @nr values. */
static const struct perfgrp_record_sample *read_sample(struct kunit *test,
						       struct perfgrp_group *group, u64 nr)
{
	const struct harness_stream *stream = harness_read_stream(test, group);
	const struct perfgrp_record_sample *sample;

	KUNIT_ASSERT_EQ(test, stream->nr, 1U);
	sample = (const void *)stream->at[0];
	KUNIT_ASSERT_EQ(test, sample->header.type, (u32)PERF_RECORD_SAMPLE);
	KUNIT_ASSERT_EQ(test, sample->nr, nr);
	KUNIT_ASSERT_EQ(test, (size_t)sample->header.size,
			sizeof(*sample) + nr * sizeof(struct perfgrp_sample_value));
	return sample;
}

static void expect_values(struct kunit *test, int line, const struct perfgrp_record_sample *sample,
			  const u32 *ids, const u64 *counts)
{
	const struct perfgrp_sample_value *values = values_of(&sample->header);
	unsigned int i;

	for (i = 0; i < sample->nr; i++) {
		KUNIT_EXPECT_EQ_MSG(test, values[i].id, (u64)ids[i], "line %d, value %u", line, i);
		KUNIT_EXPECT_EQ_MSG(test, values[i].value, counts[i], "line %d, value %u", line, i);
	}
}

#define EXPECT_VALUES(test, sample, ids, ...)                                                      \
	expect_values(test, __LINE__, sample, ids, (const u64[]){ __VA_ARGS__ })

/* ---- what a sample holds -------------------------------------------------- */

/*
 * [O1] [O3] In hard IRQ context: which member overflowed, when and where, and the values of all
 * members at that moment, including those of another PMU. [S15] On the group's clock.
 */
static void sample_in_irq(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *other = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct perfgrp_record_sample *sample;
	struct perfgrp_value before, after;
	struct perfgrp_group *group;
	u64 begin, end, ticks = 0;
	unsigned int i;
	u32 ids[4];

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	ids[0] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(3)), 1000));
	ids[1] = harness_add_one(test, group, FAKE(other, FAKE_TICKS(7)));
	ids[2] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(5)), 2000));
	ids[3] = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	for (i = 0; i < 4; i++) {
		const unsigned int member = i % 2 * 2;

		before = harness_value(test, group, 0, ids[member]);
		ticks += 10;
		fake_pmu_tick(fake, 10);
		fake_pmu_tick(other, 10);
		begin = ktime_get_mono_fast_ns();
		KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, member, 0)), 0);
		end = ktime_get_mono_fast_ns();
		after = harness_value(test, group, 0, ids[member]);

		sample = read_sample(test, group, 4);
		KUNIT_EXPECT_EQ(test, sample->header.misc, (u16)PERF_RECORD_MISC_KERNEL);
		KUNIT_EXPECT_NE(test, sample->ip, 0ULL);
		KUNIT_EXPECT_EQ(test, sample->pid, (u32)task_tgid_vnr(current));
		KUNIT_EXPECT_EQ(test, sample->tid, (u32)task_pid_vnr(current));
		KUNIT_EXPECT_GE(test, sample->time, begin);
		KUNIT_EXPECT_LE(test, sample->time, end);
		KUNIT_EXPECT_EQ(test, sample->id, (u64)ids[member]);
		KUNIT_EXPECT_EQ(test, sample->cpu, 0U);
		KUNIT_EXPECT_EQ(test, sample->reserved, 0U);
		KUNIT_EXPECT_EQ(test, sample->period, member ? 2000ULL : 1000ULL);
		KUNIT_EXPECT_GE(test, sample->time_enabled, before.time_enabled);
		KUNIT_EXPECT_LE(test, sample->time_enabled, after.time_enabled);
		KUNIT_EXPECT_GE(test, sample->time_running, before.time_running);
		KUNIT_EXPECT_LE(test, sample->time_running, after.time_running);
		EXPECT_VALUES(test, sample, ids, 3 * ticks, 7 * ticks, 5 * ticks, 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->strange_reads), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->strange_reads), 0);
	KUNIT_EXPECT_EQ(test, harness_stats(group).produced, 4ULL);
	KUNIT_EXPECT_EQ(test, harness_stats(group).filtered, 0ULL);
}

static u32 watched;

static struct fake_pmu *pmu_of_context(struct kunit *test, int context)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);

	fake_pmu_unregister(fake);
	fake->context = context;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	return fake;
}

/*
 * [O1] [O3] [O4] In an NMI an uncore PMU's driver is not called, as it may hold a lock: its members
 * have no value. Those of the CPU's own PMUs are read.
 */
static void sample_in_nmi(struct kunit *test)
{
	struct fake_pmu *uncore = pmu_of_context(test, perf_invalid_context);
	struct fake_pmu *hard = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *soft = pmu_of_context(test, perf_sw_context);
	struct perfgrp_counter watch = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.config1 = (u64)(uintptr_t)&watched,
		.config2 = HW_BREAKPOINT_LEN_4,
		.bp_type = HW_BREAKPOINT_W,
		.sample_period = 1,
	};
	const struct perfgrp_record_sample *sample;
	struct perfgrp_group *group;
	int reads, i;
	u32 ids[4];

	if (!IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "a breakpoint is an NMI on x86 only");
	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	ids[0] = harness_add_one(test, group, watch);
	ids[1] = harness_add_one(test, group, FAKE(hard, FAKE_TICKS(1)));
	ids[2] = harness_add_one(test, group, FAKE(soft, FAKE_TICKS(2)));
	ids[3] = harness_add_one(test, group, FAKE(uncore, FAKE_TICKS(3)));

	for (i = 1; i <= 3; i++) {
		fake_pmu_tick(hard, 15);
		fake_pmu_tick(soft, 15);
		fake_pmu_tick(uncore, 15);
		reads = atomic_read(&uncore->reads);
		WRITE_ONCE(watched, i);
		KUNIT_EXPECT_EQ(test, atomic_read(&uncore->reads), reads);
		sample = read_sample(test, group, 3);
		KUNIT_EXPECT_EQ(test, sample->id, (u64)ids[0]);
		KUNIT_EXPECT_EQ(test, sample->tid, (u32)task_pid_vnr(current));
		KUNIT_EXPECT_EQ(test, sample->period, 1ULL);
		EXPECT_VALUES(test, sample, ids, i, i * 15ULL, i * 30ULL);
	}
}

/* [O3] A member that another event has displaced from its PMU does not count, and has no value. */
static void member_off_the_pmu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *other = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perf_event *occupant;
	struct perfgrp_group *group;
	u32 ids[3];

	harness_pin_to(test, 0);
	occupant = harness_fake_event(test, other, FAKE_TICKS(1), 0, true);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	ids[0] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(3)), 1000));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(5)));
	ids[2] = harness_add_one(test, group, FAKE(other, FAKE_TICKS(7)));
	fake_pmu_tick(fake, 10);
	fake_pmu_tick(other, 10);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 0, 0)), 0);
	EXPECT_VALUES(test, read_sample(test, group, 3), ids, 30, 50, 70);

	perf_event_enable(occupant);
	fake_pmu_tick(fake, 10);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 0, 0)), 0);
	EXPECT_VALUES(test, read_sample(test, group, 2), ids, 60, 100);
}

/* [O3] [S13] Values and times are those since the last reset; other changes do not restart them. */
static void since_the_reset(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_error err = harness_error();
	const struct perfgrp_record_sample *sample;
	struct perfgrp_group *group;
	u32 ids[3];

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	ids[2] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(3)), 1000));
	fake_pmu_tick(fake, 1000);
	mdelay(100);
	KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
	/* Longer than a tick, which is the resolution of some emulated clocks. */
	mdelay(10);
	fake_pmu_tick(fake, 4);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 2, 0)), 0);
	sample = read_sample(test, group, 3);
	EXPECT_VALUES(test, sample, ids, 4, 8, 12);
	KUNIT_EXPECT_LT(test, sample->time_enabled, 90 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LT(test, sample->time_running, 90 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GT(test, sample->time_running, 0ULL);

	KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[1], false, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 6);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 1, 0)), 0);
	sample = read_sample(test, group, 2);
	EXPECT_VALUES(test, sample, ((const u32[]){ ids[0], ids[2] }), 10, 30);
	KUNIT_EXPECT_EQ(test, sample->id, (u64)ids[2]);
}

/* [O3] [S1] A sample has the number and the values of the CPU on which the overflow was. */
static void of_its_cpu(struct kunit *test)
{
	static const u32 cpus[] = { 0, 1 };
	const struct perfgrp_create arg = { .target = PERFGRP_TARGET_CPUS, .nr_cpus = 2 };
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct perfgrp_record_sample *sample;
	struct perfgrp_group *group;
	u32 ids[2];
	int cpu;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	group = harness_sampling_group(test, arg, cpus);
	ids[0] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	/* As if something had been counted on CPU 1 before. */
	down_write(&group->lock);
	group->members[1]->instances[1].base.count += 1000;
	perfgrp_event_arrays_publish(group);
	up_write(&group->lock);
	fake_pmu_tick(fake, 10);
	for (cpu = 1; cpu >= 0; cpu--) {
		KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 0, cpu)), 0);
		sample = read_sample(test, group, 2);
		KUNIT_EXPECT_EQ(test, sample->cpu, (u32)cpu);
		EXPECT_VALUES(test, sample, ids, 10, cpu ? 1020 : 20);
	}
}

/* [G6] [O3] A task on one CPU: samples do not include the time that it was on other CPUs. */
static void of_a_task_that_was_away(struct kunit *test)
{
	const struct perfgrp_create arg = { .target = PERFGRP_TARGET_TASK, .nr_cpus = 1 };
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct perfgrp_record_sample *sample;
	struct perfgrp_value before, after;
	struct perfgrp_group *group;
	u32 id;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	harness_pin_to(test, 0);
	group = harness_sampling_group(test, arg, cpu0);
	id = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	harness_pin_to(test, 1);
	mdelay(100);
	harness_pin_to(test, 0);
	fake_pmu_tick(fake, 3);
	before = harness_value(test, group, 0, id);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 0, 0)), 0);
	after = harness_value(test, group, 0, id);
	sample = read_sample(test, group, 1);
	EXPECT_VALUES(test, sample, &id, 3);
	KUNIT_EXPECT_GE(test, sample->time_enabled, before.time_enabled);
	KUNIT_EXPECT_LE(test, sample->time_enabled, after.time_enabled);
	KUNIT_EXPECT_LT(test, sample->time_enabled - sample->time_running, 90 * NSEC_PER_MSEC);
}

struct late_overflow {
	struct fake_pmu *fake;
	struct perf_event *event;
	unsigned int times;
};

static void overflow_once_read(struct perf_event *event, void *data)
{
	struct late_overflow *late = data;

	if (event != late->event)
		return;
	late->fake->interrupt_read = NULL;
	late->times++;
	fake_pmu_call_handler(event);
}

/*
 * [O12] [S9] When an INHERIT group is disabled its counters are read, but its events go on
 * counting. An overflow after that makes no sample, as its values would be beyond the counters'.
 */
static void after_disabled_counters_are_read(struct kunit *test)
{
	const struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_TASK,
		.flags = PERFGRP_CREATE_INHERIT,
	};
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct late_overflow late = { .fake = fake };
	struct perfgrp_group *group;

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, arg, NULL);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	late.event = event_of(group, 0, 0);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(late.event), 0);
	KUNIT_EXPECT_EQ(test, harness_read_stream(test, group)->nr, 1U);

	fake->interrupt_data = &late;
	fake->interrupt_read = overflow_once_read;
	harness_disable(group);
	fake->interrupt_read = NULL;
	KUNIT_EXPECT_EQ(test, late.times, 1U);
	KUNIT_EXPECT_EQ(test, harness_read_stream(test, group)->nr, 0U);
}

/* [S15] Samples are on the clock that the group asks for. */
static void on_the_groups_clock(struct kunit *test)
{
	const struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_CPUS,
		.nr_cpus = 1,
		.flags = PERFGRP_CREATE_USE_CLOCKID,
		.clockid = CLOCK_REALTIME,
	};
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct harness_stream *stream;
	struct perfgrp_group *group;
	u64 begin, end;

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, arg, cpu0);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	begin = ktime_get_real_fast_ns();
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow_throttled(event_of(group, 0, 0)), 0);
	end = ktime_get_real_fast_ns();
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 2U);
	KUNIT_EXPECT_GE(test, ((struct perfgrp_record_throttle *)stream->at[0])->time, begin);
	KUNIT_EXPECT_LE(test, ((struct perfgrp_record_throttle *)stream->at[0])->time, end);
	KUNIT_EXPECT_GE(test, ((struct perfgrp_record_sample *)stream->at[1])->time, begin);
	KUNIT_EXPECT_LE(test, ((struct perfgrp_record_sample *)stream->at[1])->time, end);
}

/* ---- what becomes a sample ------------------------------------------------ */

/* Let ticks pass, and a member overflow. Return: number of records written. */
static unsigned int overflow_after(struct kunit *test, struct perfgrp_group *group,
				   struct fake_pmu *fake, u64 ticks, unsigned int member)
{
	fake_pmu_tick(fake, ticks);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, member, 0)), 0);
	return harness_read_stream(test, group)->nr;
}

/*
 * [O11] A sample becomes a record if any member has counted its min_delta since the last record,
 * not since the last overflow, whichever member overflowed.
 */
static void min_delta(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_stream_stats stats;
	struct perfgrp_group *group;

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1000)), 1000));
	harness_add_one(test, group, filtering(FAKE(fake, FAKE_TICKS(1)), 100));
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));

	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 99, 0), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 0, 2), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 1, 0), 1U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 0, 0), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 99, 0), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 101, 2), 1U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 100, 2), 1U);

	/* A reset restarts the comparison. */
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 60, 0), 0U);
	KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 99, 0), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 1, 0), 1U);

	/* So does adding a member. Each member has its own min_delta. */
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 60, 0), 0U);
	harness_add_one(test, group, filtering(FAKE(fake, FAKE_TICKS(3)), 210));
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 69, 0), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 1, 0), 1U);
	/* Both members compare with the last record, which the second one caused. */
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 69, 0), 0U);
	KUNIT_EXPECT_EQ(test, overflow_after(test, group, fake, 1, 0), 1U);

	stats = harness_stats(group);
	KUNIT_EXPECT_EQ(test, stats.filtered, 9ULL);
	KUNIT_EXPECT_EQ(test, stats.produced, 6ULL);
	KUNIT_EXPECT_EQ(test, stats.read, 6ULL);
	KUNIT_EXPECT_EQ(test, stats.lost, 0ULL);
}

/* [O8] THROTTLE is written before the sample at which it began, UNTHROTTLE before the next. */
static void throttling(struct kunit *test)
{
	static const struct {
		unsigned int member;
		bool throttled;
		unsigned int nr;
		u32 types[3];
	} steps[] = {
		{ 0, false, 1, { PERF_RECORD_SAMPLE } },
		{ 0, true, 2, { PERF_RECORD_THROTTLE, PERF_RECORD_SAMPLE } },
		/* The other member is not throttled. */
		{ 1, false, 1, { PERF_RECORD_SAMPLE } },
		{ 0, true, 3,
		  { PERF_RECORD_UNTHROTTLE, PERF_RECORD_THROTTLE, PERF_RECORD_SAMPLE } },
		{ 1, true, 2, { PERF_RECORD_THROTTLE, PERF_RECORD_SAMPLE } },
		{ 0, false, 2, { PERF_RECORD_UNTHROTTLE, PERF_RECORD_SAMPLE } },
		{ 0, false, 1, { PERF_RECORD_SAMPLE } },
		{ 1, false, 2, { PERF_RECORD_UNTHROTTLE, PERF_RECORD_SAMPLE } },
	};
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct perfgrp_record_throttle *record;
	const struct perfgrp_record_sample *sample;
	const struct harness_stream *stream;
	struct perfgrp_group *group;
	struct perf_event *event;
	unsigned int i, j;
	u32 ids[2];

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	for (i = 0; i < 2; i++)
		ids[i] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		event = event_of(group, steps[i].member, 0);
		KUNIT_ASSERT_EQ(test,
				steps[i].throttled ? fake_pmu_overflow_throttled(event) :
						     fake_pmu_overflow(event), 0);
		stream = harness_read_stream(test, group);
		KUNIT_ASSERT_EQ_MSG(test, stream->nr, steps[i].nr, "step %u", i);
		sample = (const void *)stream->at[stream->nr - 1];
		for (j = 0; j < stream->nr; j++) {
			record = (const void *)stream->at[j];
			KUNIT_EXPECT_EQ_MSG(test, record->header.type, steps[i].types[j],
					    "step %u, record %u", i, j);
			if (record->header.type == PERF_RECORD_SAMPLE)
				continue;
			KUNIT_ASSERT_EQ(test, (size_t)record->header.size, sizeof(*record));
			KUNIT_EXPECT_EQ(test, record->header.misc, (u16)0);
			KUNIT_EXPECT_EQ(test, record->id, (u64)ids[steps[i].member]);
			KUNIT_EXPECT_EQ(test, record->stream_id, record->id);
			KUNIT_EXPECT_EQ(test, record->time, sample->time);
			KUNIT_EXPECT_EQ(test, record->sample_id.time, sample->time);
			KUNIT_EXPECT_EQ(test, record->sample_id.id, record->id);
			KUNIT_EXPECT_EQ(test, record->sample_id.pid, sample->pid);
			KUNIT_EXPECT_EQ(test, record->sample_id.tid, sample->tid);
			KUNIT_EXPECT_EQ(test, record->sample_id.cpu, sample->cpu);
			KUNIT_EXPECT_EQ(test, record->sample_id.reserved, 0U);
		}
	}
	/* 8 samples, and as many UNTHROTTLE as THROTTLE records. */
	KUNIT_EXPECT_EQ(test, harness_stats(group).produced, 8ULL + 2 * 3);
}

/* [O8] [O11] Throttling is recorded even if the sample is filtered. */
static void throttling_without_a_sample(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_counter desc = sampling(FAKE(fake, FAKE_TICKS(1)), 1000);
	const struct harness_stream *stream;
	struct perfgrp_group *group;

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	harness_add_one(test, group, filtering(desc, 100));
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow_throttled(event_of(group, 0, 0)), 0);
	KUNIT_ASSERT_EQ(test, fake_pmu_overflow(event_of(group, 0, 0)), 0);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 2U);
	KUNIT_EXPECT_EQ(test, stream->at[0]->type, (u32)PERF_RECORD_THROTTLE);
	KUNIT_EXPECT_EQ(test, stream->at[1]->type, (u32)PERF_RECORD_UNTHROTTLE);
	KUNIT_EXPECT_EQ(test, harness_stats(group).filtered, 2ULL);
}

/* [O10] An event that is not published yet, or no longer, writes no record. */
static void event_of_no_member(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perf_event_attr attr = { .type = fake->pmu.type, .sample_period = 1000 };
	struct perfgrp_stream_stats stats;
	struct perfgrp_group *group;
	struct perf_event *event;

	group = harness_sampling_group(test, on_cpu0, cpu0);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	event = harness_event(test, &attr, 0, perfgrp_overflow, group);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, fake_pmu_overflow_throttled(event), 0);
	perf_event_disable(event);
	stats = harness_stats(group);
	KUNIT_EXPECT_EQ(test, stats.produced, 0ULL);
	KUNIT_EXPECT_EQ(test, stats.filtered, 0ULL);
	KUNIT_EXPECT_EQ(test, harness_read_stream(test, group)->nr, 0U);
}

/* ---- new periods ----------------------------------------------------------- */

static void expect_periods(struct kunit *test, const struct perfgrp_group *group, u64 period)
{
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++)
		KUNIT_EXPECT_EQ(test, (u64)event_of(group, 0, i)->attr.sample_period, period);
}

/* [O9] [E1] A new period that one CPU refuses is set on none, and the error names that CPU. */
static void period_refused_on_one_cpu(struct kunit *test)
{
	static const struct perfgrp_create on_all = { .target = PERFGRP_TARGET_ALL_CPUS };
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_error err = harness_error();
	int last = cpumask_last(cpu_online_mask);
	struct perfgrp_group *group;
	u32 id;

	if (num_online_cpus() < 2)
		kunit_skip(test, "there is one CPU");
	group = harness_sampling_group(test, on_all, NULL);
	id = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	fake->fixed_period = last + 1;
	EXPECT_REFUSED(test, harness_set_period(group, id, 2000, &err), EINVAL,
		       PERFGRP_REASON_EVENT_OPTION, "sample_period", err);
	KUNIT_EXPECT_EQ(test, err.cpu, last);
	expect_periods(test, group, 1000);
	fake->fixed_period = 0;
	KUNIT_EXPECT_EQ(test, harness_set_period(group, id, 2000, NULL), 0);
	expect_periods(test, group, 2000);

	/* Beside a CPU that is offline. */
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU) || num_online_cpus() < 3 || last == 1)
		return;
	KUNIT_ASSERT_EQ(test, remove_cpu(1), 0);
	flush_delayed_work(&group->hotplug_work);
	fake->fixed_period = last + 1;
	EXPECT_REFUSED(test, harness_set_period(group, id, 3000, &err), EINVAL,
		       PERFGRP_REASON_EVENT_OPTION, "sample_period", err);
	fake->fixed_period = 0;
	KUNIT_ASSERT_EQ(test, add_cpu(1), 0);
	flush_delayed_work(&group->hotplug_work);
	expect_periods(test, group, 2000);
}

/* ---- call chains ------------------------------------------------------------ */

static const struct perfgrp_create chains_on_cpu0 = {
	.target = PERFGRP_TARGET_CPUS,
	.nr_cpus = 1,
	.buffer_size = 1 << 17,
	.sample_type = PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN,
};

static struct perfgrp_group *chain_group(struct kunit *test)
{
	if (!perfgrp_core_has_callchain())
		kunit_skip(test, "the module has no call chains");
	return harness_sampling_group(test, chains_on_cpu0, cpu0);
}

/* Calls the handler, as the event's driver, from here. */
static void overflow_here(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	perf_fetch_caller_regs(regs);
	preempt_disable();
	perfgrp_overflow(event, data, regs);
	preempt_enable();
}

/* The call chain of the only record, which must be a sample with one value. */
static const struct perf_callchain_entry *read_callchain(struct kunit *test,
							 struct perfgrp_group *group)
{
	const struct harness_stream *stream = harness_read_stream(test, group);
	const struct perf_callchain_entry *chain;

	KUNIT_ASSERT_EQ(test, stream->nr, 1U);
	chain = (const void *)(values_of(stream->at[0]) + 1);
	KUNIT_ASSERT_EQ(test, (size_t)stream->at[0]->size,
			sizeof(struct perfgrp_record_sample) + sizeof(struct perfgrp_sample_value) +
				sizeof(*chain) + chain->nr * sizeof(chain->ip[0]));
	return chain;
}

/* [O14] [A2] Call chains include the kernel's functions unless the event excludes the kernel. */
static void callchain_of_the_kernel(struct kunit *test)
{
	struct perfgrp_counter desc = EVENT(PERFGRP_SW_PAGE_FAULTS);
	const struct perf_callchain_entry *chain;
	struct perfgrp_group *group;
	struct pt_regs regs = {};
	bool found = false;
	u64 i;

	harness_pin_to(test, 0);
	for (i = 0; i < 2; i++) {
		struct perf_sample_data data;

		perf_sample_data_init(&data, 0, 1);
		group = chain_group(test);
		desc.flags = i ? PERFGRP_COUNTER_EXCLUDE_KERNEL : 0;
		harness_add_one(test, group, sampling(desc, 1ULL << 40));
		overflow_here(event_of(group, 0, 0), &data, &regs);
		KUNIT_EXPECT_EQ(test, (u64)data.sample_flags & PERF_SAMPLE_CALLCHAIN, 0ULL);
		chain = read_callchain(test, group);
		if (i) {
			KUNIT_EXPECT_EQ(test, chain->nr, 0ULL);
			continue;
		}
		KUNIT_ASSERT_GT(test, chain->nr, 2ULL);
		KUNIT_EXPECT_EQ(test, chain->ip[0], (u64)PERF_CONTEXT_KERNEL);
		for (u64 n = 1; n < chain->nr; n++)
			found |= chain->ip[n] == instruction_pointer(&regs);
		KUNIT_EXPECT_TRUE(test, found);
	}
}

/* The size of a sample's variable part, as the perf core keeps it. */
static void set_dyn_size(struct perf_sample_data *data, size_t size)
{
#ifdef PERFGRP_HAVE_DYN_SIZE
	data->dyn_size = size;
#endif
}

static void expect_dyn_size(struct kunit *test, const struct perf_sample_data *data, size_t size)
{
#ifdef PERFGRP_HAVE_DYN_SIZE
	KUNIT_EXPECT_EQ(test, (u64)data->dyn_size, (u64)size);
#endif
}

/*
 * [O14] A call chain from a PMU's driver is used as it is. But software events that are hit at the
 * same time share their data: a chain in it is another event's, and is removed.
 */
static void callchain_that_is_there(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct perfgrp_counter descs[] = { FAKE(fake, FAKE_TICKS(1)),
						 EVENT(PERFGRP_SW_PAGE_FAULTS) };
	struct perf_callchain_entry *there;
	const struct perf_callchain_entry *chain;
	struct perf_sample_data data;
	struct perfgrp_group *group;
	struct pt_regs regs = {};
	unsigned int i;

	there = kunit_kzalloc(test, sizeof(*there) + 2 * sizeof(u64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, there);
	there->nr = 2;
	there->ip[0] = PERF_CONTEXT_USER;
	there->ip[1] = 0x1234;
	harness_pin_to(test, 0);
	for (i = 0; i < ARRAY_SIZE(descs); i++) {
		perf_sample_data_init(&data, 0, 1);
		data.callchain = there;
		data.sample_flags |= PERF_SAMPLE_CALLCHAIN;
		set_dyn_size(&data, 1000);
		group = chain_group(test);
		harness_add_one(test, group, sampling(descs[i], 1ULL << 40));
		overflow_here(event_of(group, 0, 0), &data, &regs);
		KUNIT_EXPECT_EQ(test, !(data.sample_flags & PERF_SAMPLE_CALLCHAIN), (bool)i);
		expect_dyn_size(test, &data, i ? 1000 - 3 * sizeof(u64) : 1000);
		chain = read_callchain(test, group);
		if (i) {
			KUNIT_EXPECT_NE(test, chain->ip[0], (u64)PERF_CONTEXT_USER);
			continue;
		}
		KUNIT_ASSERT_EQ(test, chain->nr, there->nr);
		KUNIT_EXPECT_EQ(test, chain->ip[0], there->ip[0]);
		KUNIT_EXPECT_EQ(test, chain->ip[1], there->ip[1]);
	}
}

/* [O14] A chain that does not fit into a record is truncated. */
static void callchain_too_long(struct kunit *test)
{
	const u64 longest = PERFGRP_MAX_STACK + PERF_MAX_CONTEXTS_PER_STACK;
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perf_callchain_entry *there;
	struct perf_sample_data data;
	struct perfgrp_group *group;
	struct pt_regs regs = {};
	u64 *record;

	there = kunit_kzalloc(test, sizeof(*there) + (longest + 1) * sizeof(u64), GFP_KERNEL);
	record = kunit_kzalloc(test, U16_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, there);
	KUNIT_ASSERT_NOT_NULL(test, record);
	there->nr = longest + 1;
	harness_pin_to(test, 0);
	group = chain_group(test);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1ULL << 40));
	perf_sample_data_init(&data, 0, 1);
	data.callchain = there;
	data.sample_flags |= PERF_SAMPLE_CALLCHAIN;
	overflow_here(event_of(group, 0, 0), &data, &regs);
	KUNIT_EXPECT_EQ(test, harness_read(group, record, U16_MAX),
			(ssize_t)(sizeof(struct perfgrp_record_sample) +
				  sizeof(struct perfgrp_sample_value) +
				  (1 + longest) * sizeof(u64)));
}

/* ---- the context ---------------------------------------------------------- */

/* [O4] The handler, if called with interrupts on, as for some software events, turns them off. */
static void interrupts_on(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const struct perfgrp_record_sample *sample;
	struct perf_sample_data data;
	struct perfgrp_group *group;
	bool on_after, off_after;
	unsigned long flags;
	struct pt_regs regs;
	u32 ids[2];

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	ids[0] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	fake_pmu_tick(fake, 5);
	perf_fetch_caller_regs(&regs);

	preempt_disable();
	perf_sample_data_init(&data, 0, 77);
	perfgrp_overflow(event_of(group, 0, 0), &data, &regs);
	on_after = !irqs_disabled();
	preempt_enable();
	local_irq_save(flags);
	perfgrp_overflow(event_of(group, 0, 0), &data, &regs);
	off_after = irqs_disabled();
	local_irq_restore(flags);

	KUNIT_EXPECT_TRUE(test, on_after);
	KUNIT_EXPECT_TRUE(test, off_after);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->strange_reads), 0);
	KUNIT_ASSERT_EQ(test, harness_read_stream(test, group)->nr, 2U);
	/* The period is the driver's. The event that overflowed is not read again. */
	fake_pmu_tick(fake, 5);
	preempt_disable();
	perfgrp_overflow(event_of(group, 0, 0), &data, &regs);
	preempt_enable();
	sample = read_sample(test, group, 2);
	KUNIT_EXPECT_EQ(test, sample->period, 77ULL);
	EXPECT_VALUES(test, sample, ids, 0, 20);
}

struct interrupt {
	struct irq_work work;
	struct perf_event *event;
};

/* Interrupts of devices and timers call set_irq_regs(); irq_work on x86 does not. */
static void overflow_in_interrupt(struct irq_work *work)
{
	struct interrupt *interrupt = container_of(work, struct interrupt, work);
	struct perf_sample_data data;
	struct pt_regs regs, *old;

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, 1000);
	old = set_irq_regs(&regs);
	perfgrp_overflow(interrupt->event, &data, &regs);
	set_irq_regs(old);
}

/*
 * [O3] The driver of an uncore PMU, which may take locks, is called only if interrupts were on at
 * the overflow: in a handler that was called with them on, and in an interrupt.
 */
static void uncore_member(struct kunit *test)
{
	struct fake_pmu *uncore = pmu_of_context(test, perf_invalid_context);
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct interrupt interrupt = {};
	struct perf_sample_data data;
	struct perfgrp_group *group;
	unsigned long flags;
	struct pt_regs regs;
	u32 ids[2];

	harness_pin_to(test, 0);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	ids[0] = harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	ids[1] = harness_add_one(test, group, FAKE(uncore, FAKE_TICKS(2)));
	interrupt.event = event_of(group, 0, 0);
	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, 1000);

	fake_pmu_tick(uncore, 5);
	preempt_disable();
	perfgrp_overflow(interrupt.event, &data, &regs);
	preempt_enable();
	EXPECT_VALUES(test, read_sample(test, group, 2), ids, 0, 10);

	fake_pmu_tick(uncore, 5);
	local_irq_save(flags);
	perfgrp_overflow(interrupt.event, &data, &regs);
	local_irq_restore(flags);
	EXPECT_VALUES(test, read_sample(test, group, 1), ids, 0);

	interrupt.work = IRQ_WORK_INIT_HARD(overflow_in_interrupt);
	irq_work_queue(&interrupt.work);
	irq_work_sync(&interrupt.work);
	EXPECT_VALUES(test, read_sample(test, group, 2), ids, 0, 20);
	KUNIT_EXPECT_EQ(test, atomic_read(&uncore->strange_reads), 0);
}

/* Whether an overflow of @event writes its mapped row; how often it reads @uncore. */
static bool writes_row(struct perf_event *event, const struct perfgrp_map_slot *slot,
		       struct fake_pmu *uncore, int *reads)
{
	int before = atomic_read(&uncore->reads);
	u32 seq = READ_ONCE(slot->seq);
	struct perf_sample_data data;
	struct pt_regs regs;

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, 1000);
	perfgrp_overflow(event, &data, &regs);
	*reads = atomic_read(&uncore->reads) - before;
	return READ_ONCE(slot->seq) != seq;
}

/*
 * [O4] [M2] Nor is it called to write a mapped row: then an overflow with interrupts off does not
 * write the row.
 */
static void uncore_member_mapped(struct kunit *test)
{
	struct fake_pmu *uncore = pmu_of_context(test, perf_invalid_context);
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_create create = on_cpu0;
	const struct perfgrp_map_slot *slot;
	struct perfgrp_group *group;
	unsigned long flags;
	bool written;
	int reads;

	harness_pin_to(test, 0);
	create.flags = PERFGRP_CREATE_MAPPED;
	group = harness_sampling_group(test, create, cpu0);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	harness_add_one(test, group, FAKE(uncore, FAKE_TICKS(2)));
	slot = group->mapped->instances[0].slot;

	local_irq_save(flags);
	written = writes_row(event_of(group, 0, 0), slot, uncore, &reads);
	local_irq_restore(flags);
	KUNIT_EXPECT_FALSE(test, written);
	KUNIT_EXPECT_EQ(test, reads, 0);

	preempt_disable();
	written = writes_row(event_of(group, 0, 0), slot, uncore, &reads);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, written);
	KUNIT_EXPECT_GT(test, reads, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&uncore->strange_reads), 0);
}

/* [O1] [S4] [M2] An overflow on a CPU where the group has no counters is not recorded. */
static void on_another_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_create create = on_cpu0;
	struct perf_sample_data data;
	struct perfgrp_group *group;
	struct pt_regs regs = {};

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	/* It has no row to write either. */
	create.flags = PERFGRP_CREATE_MAPPED;
	group = harness_sampling_group(test, create, cpu0);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	harness_pin_to(test, 1);
	perf_fetch_caller_regs(&regs);
	preempt_disable();
	perf_sample_data_init(&data, 0, 1000);
	perfgrp_overflow(event_of(group, 0, 0), &data, &regs);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, harness_stats(group).produced, 0ULL);
	KUNIT_EXPECT_EQ(test, harness_read_stream(test, group)->nr, 0U);
}

/* ---- programs --------------------------------------------------------------- */

/* What the programs below were passed. */
static u64 seen_address;
static const struct perf_callchain_entry *seen_callchain;

static unsigned int note_data(const void *ctx, const struct bpf_insn *insns)
{
	const struct bpf_perf_event_data_kern *seen = ctx;

	seen_address = seen->data->addr;
	seen_callchain = seen->data->callchain;
	return 1;
}

/* Attach that program. The caller frees the attachment's statistics. */
static struct perfgrp_attachment attach_note(struct kunit *test, struct bpf_prog **prog)
{
	struct bpf_prog_aux *aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	struct perfgrp_attachment attachment = {};

	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		kunit_skip(test, "this kernel has no BPF programs");
	*prog = kunit_kzalloc(test, sizeof(**prog), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *prog);
	KUNIT_ASSERT_NOT_NULL(test, aux);
	(*prog)->aux = aux;
	(*prog)->bpf_func = note_data;
	attachment.prog = *prog;
	attachment.cpu = alloc_percpu(struct perfgrp_attachment_cpu);
	KUNIT_ASSERT_TRUE(test, !!attachment.cpu);
	return attachment;
}

/* [B2] If an overflow has no address a program sees 0, not what was in memory. */
static void program_without_address(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_attachment attachment;
	struct perf_sample_data data = {};
	struct perfgrp_group *group;
	struct pt_regs regs = {};
	struct bpf_prog *prog;
	unsigned int i;
	bool kept;

	attachment = attach_note(test, &prog);
	group = harness_sampling_group(test, on_cpu0, cpu0);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	for (i = 0; i < 2; i++) {
		data.addr = 0x5eed;
		data.sample_flags = i ? PERF_SAMPLE_ADDR : 0;
		seen_address = 1;
		rcu_read_lock();
		local_irq_disable();
		kept = perfgrp_bpf_run(&attachment, event_of(group, 0, 0), &data, &regs);
		local_irq_enable();
		rcu_read_unlock();
		KUNIT_EXPECT_TRUE(test, kept);
		KUNIT_EXPECT_EQ(test, seen_address, i ? 0x5eedULL : 0ULL);
	}
	free_percpu(attachment.cpu);
}

/*
 * [O14] [B2] A program that reads stacks has the call chain in data->callchain; another one has
 * NULL there, whatever was in memory.
 */
static void program_with_callchain(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = chain_group(test);
	struct perfgrp_attachment attachment;
	struct perf_sample_data data = {};
	struct pt_regs regs = {};
	struct bpf_prog *prog;
	unsigned int i;

	attachment = attach_note(test, &prog);
	harness_add_one(test, group, sampling(FAKE(fake, FAKE_TICKS(1)), 1000));
	perf_fetch_caller_regs(&regs);
	for (i = 0; i < 2; i++) {
		data.callchain = (void *)&data;
		prog->call_get_stack = i;
		rcu_read_lock();
		local_irq_disable();
		perfgrp_bpf_run(&attachment, event_of(group, 0, 0), &data, &regs);
		local_irq_enable();
		rcu_read_unlock();
		KUNIT_EXPECT_PTR_NE(test, seen_callchain, (void *)&data);
		KUNIT_EXPECT_EQ(test, !!seen_callchain, (bool)i);
		KUNIT_EXPECT_EQ(test, (u64)data.sample_flags & PERF_SAMPLE_CALLCHAIN, 0ULL);
	}
	free_percpu(attachment.cpu);
}

static struct kunit_case overflow_cases[] = {
	KUNIT_CASE(sample_in_irq),
	KUNIT_CASE(sample_in_nmi),
	KUNIT_CASE(member_off_the_pmu),
	KUNIT_CASE(since_the_reset),
	KUNIT_CASE(of_its_cpu),
	KUNIT_CASE(of_a_task_that_was_away),
	KUNIT_CASE(after_disabled_counters_are_read),
	KUNIT_CASE(on_the_groups_clock),
	KUNIT_CASE(min_delta),
	KUNIT_CASE(throttling),
	KUNIT_CASE(throttling_without_a_sample),
	KUNIT_CASE(event_of_no_member),
	KUNIT_CASE(period_refused_on_one_cpu),
	KUNIT_CASE(callchain_of_the_kernel),
	KUNIT_CASE(callchain_that_is_there),
	KUNIT_CASE(callchain_too_long),
	KUNIT_CASE(interrupts_on),
	KUNIT_CASE(uncore_member),
	KUNIT_CASE(uncore_member_mapped),
	KUNIT_CASE(on_another_cpu),
	KUNIT_CASE(program_without_address),
	KUNIT_CASE(program_with_callchain),
	{}
};

struct kunit_suite perfgrp_overflow_suite = {
	.name = "perfgrp_overflow",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = harness_exit,
	.test_cases = overflow_cases,
};
