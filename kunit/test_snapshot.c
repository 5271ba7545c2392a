// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: rows and values, their order and sizes, and sums over CPUs. On fake PMUs
 * (fake_pmu.h): all CPUs count the same ticks, so that each row is known.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/rwsem.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "../module/group.h"
#include "../module/group_file.h"
#include "../module/group_snapshot.h"
#include "../module/ioctl.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 8

static u32 nr_cpus(void)
{
	return num_online_cpus();
}

static struct perfgrp_group *all_cpus_group(struct kunit *test, u32 flags)
{
	return harness_group(test, PERFGRP_TARGET_ALL_CPUS, flags);
}

static struct perfgrp_snap take(struct kunit *test, struct perfgrp_group *group, u32 flags)
{
	struct perfgrp_snap snap = {};

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, flags, &snap), 0);
	return snap;
}

/*
 * [G22] [S2] Without interrupting its CPU, an event's times are read one after the other: one that
 * is scheduled in between has not run longer than it was enabled.
 */
static void peeked_times(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_snap snap;
	struct perf_event *event;

	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	event = group->members[0]->instances[0].event;
	event->total_time_enabled += 3;
	event->total_time_running += 5;
	snap = take(test, group, PERFGRP_SNAP_PEEK);
	KUNIT_EXPECT_EQ(test, snap.values[0].time_enabled, 3ULL);
	KUNIT_EXPECT_EQ(test, snap.values[0].time_running, 3ULL);
	KUNIT_EXPECT_EQ(test, snap.values[0].state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, snap.values[0].flags, PERFGRP_VALUE_SCALED);
	perfgrp_snapshot_free(&snap);
}

/* ---- rows ---------------------------------------------------------------- */

/* [S1] [S3] [S4] [S7] One row per CPU, in order; in it one value per member, in order. */
static void one_row_per_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = all_cpus_group(test, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[3];
	struct perfgrp_error err = harness_error();
	struct perfgrp_snap snap;
	u64 before, after, earliest = U64_MAX, latest = 0;
	const struct perfgrp_value *value;
	const struct perfgrp_row *row;
	unsigned int i = 0, m;
	int cpu;

	for (m = 0; m < 3; m++)
		descs[m] = FAKE(fake, FAKE_TICKS(m + 1));
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, descs, 3, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 1000);
	/* If the TSC is unstable, perf's clock may stand still for a tick. */
	msleep(20);
	before = ktime_get_mono_fast_ns();
	snap = take(test, group, 0);
	after = ktime_get_mono_fast_ns();

	KUNIT_EXPECT_EQ(test, snap.nr_rows, nr_cpus());
	KUNIT_EXPECT_EQ(test, snap.nr_values, 3 * nr_cpus());
	for_each_online_cpu(cpu) {
		row = &snap.rows[i];
		KUNIT_EXPECT_EQ(test, row->cpu, cpu);
		KUNIT_EXPECT_EQ(test, row->flags, 0U);
		KUNIT_EXPECT_EQ(test, row->first_value, 3 * i);
		KUNIT_EXPECT_EQ(test, row->nr_values, 3U);
		KUNIT_EXPECT_EQ(test, row->epoch, 0U);
		KUNIT_EXPECT_EQ(test, row->nr_cpus, 1U);
		KUNIT_EXPECT_LE(test, before, row->time_before);
		KUNIT_EXPECT_LE(test, row->time_before, row->time_after);
		KUNIT_EXPECT_LE(test, row->time_after, after);
		earliest = min_t(u64, earliest, row->time_before);
		latest = max_t(u64, latest, row->time_after);
		for (m = 0; m < 3; m++) {
			value = &snap.values[row->first_value + m];
			KUNIT_EXPECT_EQ(test, value->id, descs[m].id);
			KUNIT_EXPECT_EQ(test, value->raw, 1000ULL * (m + 1));
			KUNIT_EXPECT_EQ(test, value->scaled, value->raw);
			KUNIT_EXPECT_EQ(test, value->state, (u32)PERFGRP_STATE_COUNTED);
			KUNIT_EXPECT_EQ(test, value->pmu, (u32)fake->pmu.type);
			KUNIT_EXPECT_GT(test, value->time_running, 0ULL);
			KUNIT_EXPECT_EQ(test, value->time_running, value->time_enabled);
		}
		i++;
	}
	KUNIT_EXPECT_EQ(test, snap.time_before, earliest);
	KUNIT_EXPECT_EQ(test, snap.time_after, latest);
	perfgrp_snapshot_free(&snap);
}

/* [S6] Each event is read once, on the CPU where it counts, with interrupts off. */
static void read_where_they_count(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = all_cpus_group(test, PERFGRP_CREATE_ENABLED);
	struct perfgrp_snap snap;
	unsigned int i;

	for (i = 0; i < 3; i++)
		harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	for (i = 0; i < 50; i++) {
		atomic_set(&fake->reads, 0);
		snap = take(test, group, i % 2 ? PERFGRP_SNAPSHOT_TOTALS : 0);
		/* The buffer is that of the last snapshot, in which something else was there. */
		KUNIT_EXPECT_EQ(test, snap.rows[0].cgroup_id, 0ULL);
		perfgrp_snapshot_free(&snap);
		KUNIT_EXPECT_EQ(test, atomic_read(&fake->reads), 3 * (int)nr_cpus());
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->strange_reads), 0);
}

/* [S6] All CPUs are read at the same time: each read waits for those of all others. */
static void all_at_once(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = all_cpus_group(test, PERFGRP_CREATE_ENABLED);
	struct perfgrp_snap snap;
	unsigned int i;

	if (nr_cpus() < 2)
		kunit_skip(test, "one CPU");
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	for (i = 0; i < 5; i++) {
		atomic_set(&fake->met, 0);
		WRITE_ONCE(fake->meet, nr_cpus());
		snap = take(test, group, 0);
		WRITE_ONCE(fake->meet, 0);
		perfgrp_snapshot_free(&snap);
		KUNIT_EXPECT_EQ(test, atomic_read(&fake->met), (int)nr_cpus());
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->missed), 0);
}

/* [S3] [S4] [G11] A removed member leaves no gap, a new one is last. */
static void order_after_changes(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_error err = harness_error();
	static const u32 weights[] = { 1, 3, 5 };
	struct perfgrp_snap snap;
	unsigned int m;
	u32 ids[5];

	for (m = 0; m < 4; m++)
		ids[m] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(m + 1)));
	KUNIT_ASSERT_EQ(test, harness_remove(group, ids[1], false, &err), 0);
	KUNIT_ASSERT_EQ(test, harness_remove(group, ids[3], false, &err), 0);
	ids[4] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(5)));
	fake_pmu_tick(fake, 10);

	snap = take(test, group, 0);
	KUNIT_ASSERT_EQ(test, snap.nr_values, 3U);
	for (m = 0; m < 3; m++) {
		KUNIT_EXPECT_EQ(test, snap.values[m].id, ids[2 * m]);
		KUNIT_EXPECT_EQ(test, snap.values[m].raw, 10ULL * weights[m]);
	}
	perfgrp_snapshot_free(&snap);
}

/* [S1] A group without members has rows without values. */
static void no_members(struct kunit *test)
{
	struct perfgrp_group *group = all_cpus_group(test, PERFGRP_CREATE_ENABLED);
	struct perfgrp_snap snap;
	unsigned int i;

	snap = take(test, group, 0);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, nr_cpus());
	KUNIT_EXPECT_EQ(test, snap.nr_values, 0U);
	for (i = 0; i < snap.nr_rows; i++)
		KUNIT_EXPECT_EQ(test, snap.rows[i].nr_values, 0U);
	perfgrp_snapshot_free(&snap);

	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.nr_values, 0U);
	KUNIT_EXPECT_EQ(test, snap.rows[0].nr_cpus, nr_cpus());
	perfgrp_snapshot_free(&snap);

	group = harness_group(test, PERFGRP_TARGET_TASK, PERFGRP_CREATE_ENABLED);
	snap = take(test, group, 0);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.nr_values, 0U);
	perfgrp_snapshot_free(&snap);
}

/* [S1] A task has one row, also as its own total. */
static void one_row_for_a_task(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_snap snap;
	u32 id;

	group = harness_group(test, PERFGRP_TARGET_TASK, PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	fake_pmu_tick(fake, 10);

	snap = take(test, group, 0);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.rows[0].cpu, -1);
	KUNIT_EXPECT_EQ(test, snap.rows[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, snap.values[0].id, id);
	KUNIT_EXPECT_EQ(test, snap.values[0].raw, 20ULL);
	perfgrp_snapshot_free(&snap);

	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.rows[0].cpu, -1);
	KUNIT_EXPECT_EQ(test, snap.rows[0].flags, PERFGRP_ROW_TOTAL);
	KUNIT_EXPECT_EQ(test, snap.values[0].id, id);
	KUNIT_EXPECT_EQ(test, snap.values[0].raw, 20ULL);
	perfgrp_snapshot_free(&snap);
}

/* ---- states of events ------------------------------------------------------ */

static struct perf_event *event_on_cpu0(const struct perfgrp_group *group, unsigned int index)
{
	return group->members[index]->instances[0].event;
}

/*
 * [S2] [G15] [G18] A value's flags follow from its event's state. The group is disabled, so that
 * the perf core does not use the events; the states are restored afterwards.
 */
static void flags_from_states(struct kunit *test)
{
	static const struct {
		enum perf_event_state states[2];
		u32 flags[2];
		u32 row_flags;
	} cases[] = {
		{ { PERF_EVENT_STATE_OFF, PERF_EVENT_STATE_OFF }, { 0, 0 }, 0 },
		/* A group that may be multiplexed does not fail as a whole. */
		{ { PERF_EVENT_STATE_OFF, PERF_EVENT_STATE_ERROR },
		  { 0, PERFGRP_VALUE_FAILED }, PERFGRP_ROW_FAILED },
		{ { PERF_EVENT_STATE_ERROR, PERF_EVENT_STATE_ERROR },
		  { PERFGRP_VALUE_FAILED, PERFGRP_VALUE_FAILED }, PERFGRP_ROW_FAILED },
		{ { PERF_EVENT_STATE_EXIT, PERF_EVENT_STATE_EXIT },
		  { PERFGRP_VALUE_EXITED, PERFGRP_VALUE_EXITED }, PERFGRP_ROW_EXITED },
		{ { PERF_EVENT_STATE_EXIT, PERF_EVENT_STATE_DEAD },
		  { PERFGRP_VALUE_EXITED, PERFGRP_VALUE_EXITED }, PERFGRP_ROW_EXITED },
		/* Not until all have exited. */
		{ { PERF_EVENT_STATE_EXIT, PERF_EVENT_STATE_OFF }, { 0, 0 }, 0 },
		{ { PERF_EVENT_STATE_OFF, PERF_EVENT_STATE_DEAD }, { 0, 0 }, 0 },
		{ { PERF_EVENT_STATE_EXIT, PERF_EVENT_STATE_ERROR },
		  { 0, PERFGRP_VALUE_FAILED }, PERFGRP_ROW_FAILED },
	};
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	enum perf_event_state states[2];
	struct perfgrp_snap snap;
	unsigned int i, m;
	int ret;

	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (m = 0; m < 2; m++) {
			states[m] = event_on_cpu0(group, m)->state;
			WRITE_ONCE(event_on_cpu0(group, m)->state, cases[i].states[m]);
		}
		ret = harness_snapshot(group, 0, &snap);
		for (m = 0; m < 2; m++)
			WRITE_ONCE(event_on_cpu0(group, m)->state, states[m]);
		KUNIT_ASSERT_EQ(test, ret, 0);
		KUNIT_EXPECT_EQ_MSG(test, snap.rows[0].flags, cases[i].row_flags, "case %u", i);
		for (m = 0; m < 2; m++) {
			KUNIT_EXPECT_EQ_MSG(test, snap.values[m].flags, cases[i].flags[m],
					    "case %u value %u", i, m);
			KUNIT_EXPECT_EQ(test, snap.values[m].state, (u32)PERFGRP_STATE_NEVER_RAN);
		}
		perfgrp_snapshot_free(&snap);
	}
}

/*
 * [S2] An event that the perf core has stopped until the next tick is THROTTLED. MAX_INTERRUPTS
 * alone, in an event that is not on the PMU, does not count.
 */
static void throttled(struct kunit *test)
{
	static const struct {
		enum perf_event_state state;
		u32 flags;
	} cases[] = {
		{ PERF_EVENT_STATE_OFF, 0 },
		{ PERF_EVENT_STATE_ERROR, PERFGRP_VALUE_FAILED },
		{ PERF_EVENT_STATE_EXIT, PERFGRP_VALUE_EXITED },
		{ PERF_EVENT_STATE_INACTIVE, 0 },
		{ PERF_EVENT_STATE_ACTIVE, 0 },
	};
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perf_event *events[2];
	struct perfgrp_snap snap;
	unsigned int i, m;
	u32 throttled;
	u64 interrupts;
	int ret;

	for (m = 0; m < 2; m++) {
		harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
		events[m] = event_on_cpu0(group, m);
	}
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		interrupts = events[1]->hw.interrupts;
		/* The perf core's MAX_INTERRUPTS. */
		WRITE_ONCE(events[1]->hw.interrupts, ~0ULL);
		for (m = 0; m < 2; m++)
			WRITE_ONCE(events[m]->state, cases[i].state);
		ret = harness_snapshot(group, 0, &snap);
		for (m = 0; m < 2; m++)
			WRITE_ONCE(events[m]->state, PERF_EVENT_STATE_OFF);
		WRITE_ONCE(events[1]->hw.interrupts, interrupts);
		KUNIT_ASSERT_EQ(test, ret, 0);
		/* Events that are made to look active may have run for a moment. */
		for (m = 0; m < 2; m++)
			snap.values[m].flags &= ~PERFGRP_VALUE_SCALED;
		KUNIT_EXPECT_EQ(test, snap.values[0].flags, cases[i].flags);
		throttled = 0;
		if (cases[i].state == PERF_EVENT_STATE_ACTIVE)
			throttled = PERFGRP_VALUE_THROTTLED;
		KUNIT_EXPECT_EQ(test, snap.values[1].flags, cases[i].flags | throttled);
		perfgrp_snapshot_free(&snap);
	}
}

/* [G15] [S11] A NO_MUX group fails as a whole on one CPU; on others it goes on. */
static void no_mux_fails_on_one_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perf_event *other = harness_fake_event(test, fake, 0, 0, true);
	struct perfgrp_group *group;
	struct perfgrp_snap snap;
	unsigned int i, m;
	u32 failed;

	if (nr_cpus() == 1)
		kunit_skip(test, "one CPU only");
	group = all_cpus_group(test, PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	fake_pmu_tick(fake, 10);
	/* Take the only slot away, and make the perf core reschedule on CPU 0. */
	WRITE_ONCE(fake->slots, 0);
	perf_event_enable(other);
	perf_event_disable(other);

	snap = take(test, group, 0);
	for (i = 0; i < snap.nr_rows; i++) {
		failed = snap.rows[i].cpu ? 0 : PERFGRP_VALUE_FAILED;
		KUNIT_EXPECT_EQ(test, snap.rows[i].flags, failed ? PERFGRP_ROW_FAILED : 0);
		for (m = 0; m < 2; m++) {
			KUNIT_EXPECT_EQ(test, snap.values[2 * i + m].flags,
					PERFGRP_VALUE_SCALED | failed);
			KUNIT_EXPECT_EQ(test, snap.values[2 * i + m].state,
					(u32)PERFGRP_STATE_COUNTED);
		}
	}
	perfgrp_snapshot_free(&snap);

	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_EXPECT_EQ(test, snap.rows[0].flags, PERFGRP_ROW_TOTAL | PERFGRP_ROW_FAILED);
	for (m = 0; m < 2; m++) {
		KUNIT_EXPECT_EQ(test, snap.values[m].flags,
				PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
		KUNIT_EXPECT_EQ(test, snap.values[m].state, (u32)PERFGRP_STATE_COUNTED);
	}
	KUNIT_EXPECT_EQ(test, snap.values[0].raw, 10ULL * nr_cpus());
	perfgrp_snapshot_free(&snap);
}

/* ---- sums ---------------------------------------------------------------- */

/* The sum over @rows, member by member. */
static void expect_sum(struct kunit *test, const struct perfgrp_snap *rows,
		       const struct perfgrp_row *total, const struct perfgrp_value *values)
{
	struct perfgrp_value sum;
	unsigned int i, m;

	for (m = 0; m < total->nr_values; m++) {
		sum = (struct perfgrp_value){};
		for (i = 0; i < rows->nr_rows; i++) {
			const struct perfgrp_value *value =
				&rows->values[rows->rows[i].first_value + m];

			sum.id = value->id;
			sum.raw += value->raw;
			sum.scaled += value->scaled;
			sum.time_enabled += value->time_enabled;
			sum.time_running += value->time_running;
		}
		KUNIT_EXPECT_EQ(test, values[total->first_value + m].id, sum.id);
		KUNIT_EXPECT_EQ(test, values[total->first_value + m].raw, sum.raw);
		KUNIT_EXPECT_EQ(test, values[total->first_value + m].scaled, sum.scaled);
		KUNIT_EXPECT_EQ(test, values[total->first_value + m].time_enabled,
				sum.time_enabled);
		KUNIT_EXPECT_EQ(test, values[total->first_value + m].time_running,
				sum.time_running);
	}
}

/* [S1] [S4] [S5] [S11] One row for all CPUs of one PMU; scaled CPU by CPU, then added. */
static void totals(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = all_cpus_group(test, 0);
	struct perf_event *other = harness_fake_event(test, fake, 0, 0, true);
	struct perfgrp_counter descs[3] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_CLOCK(3)), FAKE(fake, FAKE_TICKS(7)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_snap rows, sums;
	const struct perfgrp_row *row;
	unsigned int m;

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 100);
	/* Off the PMU for a while, on CPU 0 only. */
	WRITE_ONCE(fake->slots, 3);
	perf_event_enable(other);
	fake_pmu_tick(fake, 1000);
	perf_event_disable(other);
	WRITE_ONCE(fake->slots, SLOTS);
	perf_event_enable(other);
	perf_event_disable(other);
	fake_pmu_tick(fake, 10);
	harness_disable(group);

	rows = take(test, group, 0);
	sums = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_EXPECT_EQ(test, sums.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, sums.nr_values, 3U);
	row = &sums.rows[0];
	KUNIT_EXPECT_EQ(test, row->cpu, -1);
	KUNIT_EXPECT_EQ(test, row->flags, PERFGRP_ROW_TOTAL);
	KUNIT_EXPECT_EQ(test, row->nr_cpus, nr_cpus());
	KUNIT_EXPECT_EQ(test, row->nr_values, 3U);
	KUNIT_EXPECT_LE(test, row->time_before, row->time_after);
	expect_sum(test, &rows, row, sums.values);
	KUNIT_EXPECT_EQ(test, rows.values[0].raw, 110ULL);
	KUNIT_EXPECT_EQ(test, rows.values[0].state, (u32)PERFGRP_STATE_MULTIPLEXED);
	KUNIT_EXPECT_EQ(test, sums.values[2].raw, 7 * (1110ULL * (nr_cpus() - 1) + 110));
	for (m = 0; m < 3; m++) {
		KUNIT_EXPECT_EQ(test, sums.values[m].pmu, (u32)fake->pmu.type);
		KUNIT_EXPECT_EQ(test, sums.values[m].state, (u32)PERFGRP_STATE_MULTIPLEXED);
		KUNIT_EXPECT_FALSE(test, sums.values[m].flags & PERFGRP_VALUE_MIXED_PMUS);
	}
	perfgrp_snapshot_free(&rows);
	perfgrp_snapshot_free(&sums);
}

/* [S2] [S11] If a member never ran on a CPU the sum is that of the others, and PARTIAL. */
static void totals_with_a_gap(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perf_event *other = harness_fake_event(test, fake, 0, 0, true);
	struct perfgrp_group *group = all_cpus_group(test, PERFGRP_CREATE_ENABLED);
	struct perfgrp_snap snap;
	u32 id;

	if (nr_cpus() == 1)
		kunit_skip(test, "one CPU only");
	perf_event_enable(other);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).state,
			(u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 1, id).state,
			(u32)PERFGRP_STATE_COUNTED);
	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.values[0].raw, 10ULL * (nr_cpus() - 1));
	KUNIT_EXPECT_EQ(test, snap.values[0].state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_TRUE(test, snap.values[0].flags & PERFGRP_VALUE_PARTIAL);
	perfgrp_snapshot_free(&snap);
}

/* [S11] Counts of different PMUs are added up with MIX_PMUS only. */
static void totals_by_pmu(struct kunit *test)
{
	struct perfgrp_group *group = all_cpus_group(test, PERFGRP_CREATE_ENABLED);
	struct perfgrp_snap snap;
	struct perfgrp_counter desc;
	struct fake_pmu *kinds[2];
	unsigned int i;
	u32 id, clock;

	if (nr_cpus() == 1)
		kunit_skip(test, "one CPU only");
	desc = harness_two_kinds(test, kinds);
	id = harness_add_one(test, group, desc);
	clock = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	if (harness_value(test, group, 0, id).pmu != (u32)kinds[0]->pmu.type)
		kunit_skip(test, "the machine's own PMU takes any raw event");
	fake_pmu_tick(kinds[0], 10);
	fake_pmu_tick(kinds[1], 100);

	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_ASSERT_EQ(test, snap.nr_rows, 2U);
	KUNIT_EXPECT_EQ(test, snap.nr_values, 4U);
	for (i = 0; i < 2; i++) {
		const struct perfgrp_value *values = &snap.values[snap.rows[i].first_value];

		KUNIT_EXPECT_EQ(test, snap.rows[i].cpu, -1);
		KUNIT_EXPECT_EQ(test, snap.rows[i].flags, PERFGRP_ROW_TOTAL);
		KUNIT_EXPECT_EQ(test, snap.rows[i].nr_cpus, i ? nr_cpus() - 1 : 1);
		KUNIT_EXPECT_EQ(test, values[0].id, id);
		KUNIT_EXPECT_EQ(test, values[0].pmu, (u32)kinds[i]->pmu.type);
		KUNIT_EXPECT_EQ(test, values[0].raw, i ? 100ULL * (nr_cpus() - 1) : 10ULL);
		KUNIT_EXPECT_EQ(test, values[1].id, clock);
	}
	perfgrp_snapshot_free(&snap);

	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS);
	KUNIT_ASSERT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.rows[0].nr_cpus, nr_cpus());
	KUNIT_EXPECT_EQ(test, snap.values[0].raw, 10 + 100ULL * (nr_cpus() - 1));
	KUNIT_EXPECT_EQ(test, snap.values[0].pmu, PERFGRP_NONE);
	KUNIT_EXPECT_TRUE(test, snap.values[0].flags & PERFGRP_VALUE_MIXED_PMUS);
	KUNIT_EXPECT_FALSE(test, snap.values[1].flags & PERFGRP_VALUE_MIXED_PMUS);
	perfgrp_snapshot_free(&snap);
}

/* ---- sizes and the ioctl --------------------------------------------------- */

#define UNTOUCHED 0xa5
/* Offsets in the harness's user memory; the ioctl's argument is at 0. */
#define ROWS	  PAGE_SIZE
#define VALUES	  (2 * PAGE_SIZE)

/*
 * PERFGRP_SNAPSHOT with @arg, whose pointers are set here, into memory filled with UNTOUCHED, which
 * is then copied to @rows and @values, a page each. Returns what the ioctl returns.
 */
static long ioctl_snapshot(struct file *file, struct perfgrp_snapshot *arg, void *rows,
			   void *values)
{
	void __user *user = harness_user_begin();
	long ret = -EIO;

	arg->size = sizeof(*arg);
	arg->rows = (u64)(uintptr_t)(user + ROWS);
	arg->values = (u64)(uintptr_t)(user + VALUES);
	memset(rows, UNTOUCHED, PAGE_SIZE);
	memset(values, UNTOUCHED, PAGE_SIZE);
	if (!copy_to_user(user, arg, sizeof(*arg)) &&
	    !copy_to_user(user + ROWS, rows, PAGE_SIZE) &&
	    !copy_to_user(user + VALUES, values, PAGE_SIZE)) {
		ret = file->f_op->unlocked_ioctl(file, PERFGRP_SNAPSHOT, (unsigned long)user);
		if (copy_from_user(arg, user, sizeof(*arg)) ||
		    copy_from_user(rows, user + ROWS, PAGE_SIZE) ||
		    copy_from_user(values, user + VALUES, PAGE_SIZE))
			ret = -EIO;
	}
	harness_user_end();
	return ret;
}

static bool all_untouched(const void *from, size_t size)
{
	return !memchr_inv(from, UNTOUCHED, size);
}

/*
 * [S8] If there is too little room, only the numbers needed are written, and nothing is reset. [S1]
 * If there is enough, no more than the snapshot is written.
 */
static void room_for_the_arrays(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	void *rows = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	void *values = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	static const u32 too_small[][2] = { { 0, 0 }, { 1, 0 }, { 0, 2 }, { 1, 1 }, { 0, 100 } };
	const struct perfgrp_value *value = values;
	struct perfgrp_snapshot arg;
	unsigned int i;
	u64 enabled = 0;
	struct file *file;
	long ret;

	KUNIT_ASSERT_NOT_NULL(test, rows);
	KUNIT_ASSERT_NOT_NULL(test, values);
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	file = perfgrp_group_file_create(group);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	harness_forget(group);

	for (i = 0; i < ARRAY_SIZE(too_small); i++) {
		arg = (struct perfgrp_snapshot){
			.flags = PERFGRP_SNAPSHOT_RESET,
			.row_size = sizeof(struct perfgrp_row),
			.nr_rows = too_small[i][0],
			.value_size = sizeof(struct perfgrp_value),
			.nr_values = too_small[i][1],
		};
		KUNIT_EXPECT_EQ(test, ioctl_snapshot(file, &arg, rows, values), (long)-EMSGSIZE);
		KUNIT_EXPECT_EQ(test, arg.nr_rows, 1U);
		KUNIT_EXPECT_EQ(test, arg.nr_values, 2U);
		KUNIT_EXPECT_EQ(test, arg.time_before, 0ULL);
		KUNIT_EXPECT_TRUE(test, all_untouched(rows, PAGE_SIZE));
		KUNIT_EXPECT_TRUE(test, all_untouched(values, PAGE_SIZE));
	}

	for (i = 0; i < 2; i++) {
		arg = (struct perfgrp_snapshot){
			.row_size = sizeof(struct perfgrp_row),
			.nr_rows = i ? 7 : 1,
			.value_size = sizeof(struct perfgrp_value),
			.nr_values = i ? 9 : 2,
		};
		ret = ioctl_snapshot(file, &arg, rows, values);
		KUNIT_EXPECT_EQ(test, ret, 0L);
		KUNIT_EXPECT_EQ(test, arg.nr_rows, 1U);
		KUNIT_EXPECT_EQ(test, arg.nr_values, 2U);
		KUNIT_EXPECT_EQ(test, ((struct perfgrp_row *)rows)->nr_values, 2U);
		KUNIT_EXPECT_EQ(test, value[0].id, 1U);
		KUNIT_EXPECT_EQ(test, value[1].id, 2U);
		/* Values that could not be written were not reset: they only grow. */
		KUNIT_EXPECT_GT(test, value[0].time_enabled, enabled);
		enabled = value[0].time_enabled;
		KUNIT_EXPECT_TRUE(test, all_untouched(rows + sizeof(struct perfgrp_row),
						      PAGE_SIZE - sizeof(struct perfgrp_row)));
		KUNIT_EXPECT_TRUE(test,
				  all_untouched(&value[2], PAGE_SIZE - 2 * sizeof(*value)));
	}
	__fput_sync(file);
}

/*
 * [S8] [S13] A snapshot with RESET whose argument is not present is taken again, and there may be
 * more members then. So it must not forget how much room there is.
 */
static void room_after_a_fault(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_call *call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);
	struct perfgrp_snapshot *arg = &call->arg.snapshot;
	void __user *user;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, call);
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	user = harness_user_begin();
	*arg = (struct perfgrp_snapshot){
		.size = sizeof(*arg),
		.flags = PERFGRP_SNAPSHOT_RESET,
		.row_size = sizeof(struct perfgrp_row),
		.nr_rows = 3,
		.rows = (u64)(uintptr_t)(user + ROWS),
		.value_size = sizeof(struct perfgrp_value),
		.nr_values = 4,
		.values = (u64)(uintptr_t)(user + VALUES),
	};
	call->user_size = sizeof(*arg);
	down_write(&group->lock);
	ret = perfgrp_group_snapshot(group, call);
	up_write(&group->lock);
	harness_user_end();

	KUNIT_EXPECT_EQ(test, ret, -EFAULT);
	KUNIT_EXPECT_STREQ(test, call->err.field, "");
	KUNIT_EXPECT_TRUE(test, call->faulted);
	KUNIT_EXPECT_EQ(test, arg->nr_rows, 3U);
	KUNIT_EXPECT_EQ(test, arg->nr_values, 4U);
}

/* [S1] Larger elements than the kernel knows: the rest is zeroed. */
static void larger_elements(struct kunit *test)
{
	const u32 row_size = sizeof(struct perfgrp_row) + 24;
	const u32 value_size = sizeof(struct perfgrp_value) + 8;
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	void *rows = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	void *values = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct perfgrp_snapshot arg = {
		.row_size = row_size,
		.nr_rows = 1,
		.value_size = value_size,
		.nr_values = 2,
	};
	const struct perfgrp_value *value;
	struct file *file;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, rows);
	KUNIT_ASSERT_NOT_NULL(test, values);
	for (i = 0; i < 2; i++)
		harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	file = perfgrp_group_file_create(group);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	harness_forget(group);

	KUNIT_EXPECT_EQ(test, ioctl_snapshot(file, &arg, rows, values), 0L);
	KUNIT_EXPECT_NULL(test, memchr_inv(rows + sizeof(struct perfgrp_row), 0, 24));
	KUNIT_EXPECT_TRUE(test, all_untouched(rows + row_size, PAGE_SIZE - row_size));
	for (i = 0; i < 2; i++) {
		value = values + i * value_size;
		KUNIT_EXPECT_EQ(test, value->id, i + 1);
		KUNIT_EXPECT_NULL(test, memchr_inv(value + 1, 0, 8));
	}
	KUNIT_EXPECT_TRUE(test, all_untouched(values + 2 * value_size, PAGE_SIZE - 2 * value_size));
	__fput_sync(file);
}

/* [S7] Even a snapshot without rows has the time at which it was taken. */
static void no_rows(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_instance saved = group->instances[0];
	struct perfgrp_snap snap;
	u64 before, after;

	/* As if the CPU had gone offline between the check in CREATE and sync_cpus(). */
	group->instances[0].live = false;
	group->instances[0].seen = false;
	group->nr_rows = 0;
	before = ktime_get_mono_fast_ns();
	snap = take(test, group, 0);
	after = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 0U);
	KUNIT_EXPECT_LE(test, before, snap.time_before);
	KUNIT_EXPECT_LE(test, snap.time_before, snap.time_after);
	KUNIT_EXPECT_LE(test, snap.time_after, after);
	perfgrp_snapshot_free(&snap);
	snap = take(test, group, PERFGRP_SNAPSHOT_TOTALS);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 0U);
	KUNIT_EXPECT_LE(test, after, snap.time_before);
	KUNIT_EXPECT_LE(test, snap.time_before, snap.time_after);
	perfgrp_snapshot_free(&snap);
	group->instances[0] = saved;
	group->nr_rows = 1;
}

static struct kunit_case snapshot_cases[] = {
	KUNIT_CASE(peeked_times),
	KUNIT_CASE(one_row_per_cpu),
	KUNIT_CASE(read_where_they_count),
	KUNIT_CASE(all_at_once),
	KUNIT_CASE(order_after_changes),
	KUNIT_CASE(no_members),
	KUNIT_CASE(no_rows),
	KUNIT_CASE(one_row_for_a_task),
	KUNIT_CASE(flags_from_states),
	KUNIT_CASE(throttled),
	KUNIT_CASE(no_mux_fails_on_one_cpu),
	KUNIT_CASE(totals),
	KUNIT_CASE(totals_with_a_gap),
	KUNIT_CASE(totals_by_pmu),
	KUNIT_CASE(room_for_the_arrays),
	KUNIT_CASE(room_after_a_fault),
	KUNIT_CASE(larger_elements),
	{}
};

struct kunit_suite perfgrp_snapshot_suite = {
	.name = "perfgrp_snapshot",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = harness_exit,
	.test_cases = snapshot_cases,
};
