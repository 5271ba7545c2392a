// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug: CPU 1 goes offline and comes back, the case runs on CPU 0.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

#include "../module/compat.h"
#include "../module/counter.h"
#include "../module/event_array.h"
#include "../module/group.h"
#include "../module/member.h"
#include "../module/perfcore.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

#define CPU   1
#define SLOTS 8

/* Also waits for the hotplug work of @group. */
static void cpu_down(struct kunit *test, struct perfgrp_group *group)
{
	KUNIT_ASSERT_EQ(test, remove_cpu(CPU), 0);
	if (group)
		flush_delayed_work(&group->hotplug_work);
}

static void cpu_up(struct kunit *test, struct perfgrp_group *group)
{
	KUNIT_ASSERT_EQ(test, add_cpu(CPU), 0);
	if (group)
		flush_delayed_work(&group->hotplug_work);
}

static int hotplug_init(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU) || !cpu_online(CPU))
		kunit_skip(test, "no CPU that can go");
	harness_pin_to(test, 0);
	return 0;
}

static void hotplug_exit(struct kunit *test)
{
	if (!cpu_online(CPU) && cpu_possible(CPU))
		add_cpu(CPU);
	harness_exit(test);
}

static struct perfgrp_row row_of(struct kunit *test, struct perfgrp_group *group, int cpu)
{
	struct perfgrp_snap snap;
	struct perfgrp_row row = { .cpu = -2 }, *found;

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	found = harness_row(&snap, cpu);
	if (found)
		row = *found;
	perfgrp_snapshot_free(&snap);
	return row;
}

static struct perfgrp_value total_of(struct kunit *test, struct perfgrp_group *group)
{
	struct perfgrp_snap snap;
	struct perfgrp_value value;

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	value = snap.values[0];
	perfgrp_snapshot_free(&snap);
	return value;
}

/*
 * [G19] [S2] An offline CPU keeps its counts, in its row and in totals. When it is back online it
 * counts again, in a new epoch, and time_enabled does not include the gap.
 */
static void offline_and_online(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	u64 others = num_online_cpus() - 1, begin, gap;
	struct perfgrp_value ticks, clock;
	struct perfgrp_row row;
	u32 ids[2];

	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_CLOCK(3)));
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 100);

	cpu_down(test, group);
	begin = local_clock();
	fake_pmu_tick(fake, 1000);
	row = row_of(test, group, CPU);
	KUNIT_EXPECT_EQ(test, row.cpu, CPU);
	KUNIT_EXPECT_EQ(test, row.flags, PERFGRP_ROW_OFFLINE);
	KUNIT_EXPECT_EQ(test, row.epoch, 0U);
	ticks = harness_value(test, group, CPU, ids[0]);
	KUNIT_EXPECT_EQ(test, ticks.raw, 100ULL);
	KUNIT_EXPECT_EQ(test, ticks.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, ticks.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_OFFLINE);
	clock = harness_value(test, group, CPU, ids[1]);
	KUNIT_EXPECT_EQ(test, clock.raw, 3 * clock.time_running);
	KUNIT_EXPECT_EQ(test, clock.time_enabled, clock.time_running);
	/* Its time stands still. */
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[1]).time_enabled,
			clock.time_enabled);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).raw, 1100ULL);
	KUNIT_EXPECT_EQ(test, total_of(test, group).raw, 100 + 1100 * others);
	KUNIT_EXPECT_EQ(test, total_of(test, group).flags, PERFGRP_VALUE_SCALED);
	gap = local_clock() - begin;

	cpu_up(test, group);
	fake_pmu_tick(fake, 10);
	row = row_of(test, group, CPU);
	KUNIT_EXPECT_EQ(test, row.flags, 0U);
	KUNIT_EXPECT_EQ(test, row.epoch, 1U);
	KUNIT_EXPECT_EQ(test, row_of(test, group, 0).epoch, 0U);
	harness_disable(group);
	ticks = harness_value(test, group, CPU, ids[0]);
	KUNIT_EXPECT_EQ(test, ticks.raw, 110ULL);
	KUNIT_EXPECT_EQ(test, ticks.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, ticks.flags, PERFGRP_VALUE_SCALED);
	clock = harness_value(test, group, CPU, ids[1]);
	KUNIT_EXPECT_EQ(test, clock.raw, 3 * clock.time_running);
	KUNIT_EXPECT_EQ(test, clock.time_enabled, clock.time_running);
	KUNIT_EXPECT_LE(test, clock.time_enabled + gap,
			harness_value(test, group, 0, ids[1]).time_enabled);
	KUNIT_EXPECT_EQ(test, total_of(test, group).raw, 110 + 1110 * others);
}

/* [G19] Going offline and online many times: the epoch increases, and no count is lost. */
static void many_epochs(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	unsigned int life;
	u32 ids[2];

	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	for (life = 1; life <= 5; life++) {
		fake_pmu_tick(fake, 10);
		cpu_down(test, group);
		KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, CPU), 0U);
		KUNIT_EXPECT_EQ(test, total_of(test, group).state, (u32)PERFGRP_STATE_COUNTED);
		KUNIT_EXPECT_EQ(test, total_of(test, group).flags,
				PERFGRP_VALUE_SCALED | PERFGRP_VALUE_OFFLINE);
		fake_pmu_tick(fake, 1000);
		cpu_up(test, group);
		KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, CPU), 2U);
		KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).epoch, life);
		KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[0]).raw, 10ULL * life);
		KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[1]).raw, 20ULL * life);
	}
}

/* [G4] [G19] The new events of a CPU are one scheduling group again. */
static void sched_group_recreated(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	struct perf_event *leader;
	unsigned int i;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	for (i = 0; i < 3; i++)
		harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	cpu_down(test, group);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_NULL(test, group->members[i]->instances[0].event);
	fake->committed = 0;
	cpu_up(test, group);
	leader = group->members[0]->instances[0].event;
	KUNIT_ASSERT_NOT_NULL(test, leader);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_PTR_EQ(test, group->members[i]->instances[0].event->group_leader,
				    leader);
		KUNIT_EXPECT_EQ(test,
				harness_value(test, group, CPU, group->members[i]->id).sched_group,
				group->members[0]->id);
	}
	KUNIT_EXPECT_EQ(test, fake->committed, 3U);
}

/* [G19] Software events, some of which patch kernel text when they are created or released. */
static void software_counters(struct kunit *test)
{
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value before, value;
	u32 id;

	id = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	harness_add_one(test, group, EVENT(PERFGRP_SW_PAGE_FAULTS));
	harness_add_one(test, group, EVENT(PERFGRP_SW_CONTEXT_SWITCHES));
	cpu_down(test, group);
	before = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, before.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_OFFLINE);
	KUNIT_EXPECT_GT(test, before.raw, 0ULL);
	cpu_up(test, group);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_GT(test, value.raw, before.raw);
}

/* [G19] Add, remove, enable, disable and reset also hold for a CPU that is offline meanwhile. */
static void changed_while_offline(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	struct perfgrp_error err = harness_error();
	u32 ids[3];

	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	fake_pmu_tick(fake, 100);
	cpu_down(test, group);
	/* Adding restarts all counts, including those of the offline CPU. */
	ids[2] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(3)));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[0]).raw, 0ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[2]).raw, 0ULL);
	KUNIT_EXPECT_EQ(test, harness_remove(group, ids[1], false, &err), 0);
	harness_disable(group);
	cpu_up(test, group);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[0]).raw, 0ULL);

	cpu_down(test, group);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 10);
	cpu_up(test, group);
	fake_pmu_tick(fake, 1);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[0]).raw, 1ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[2]).raw, 3ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[2]).raw, 33ULL);

	cpu_down(test, group);
	KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[2]).raw, 0ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[2]).time_enabled, 0ULL);
	cpu_up(test, group);
	fake_pmu_tick(fake, 1);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[2]).raw, 3ULL);
}

/* [G19] If the PMU refuses the new events they read as failed until the CPU comes online again. */
static void events_refused_online(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	u32 id;

	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	cpu_down(test, group);
	WRITE_ONCE(fake->slots, 0);
	cpu_up(test, group);
	WRITE_ONCE(fake->slots, SLOTS);
	fake_pmu_tick(fake, 10);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).flags, PERFGRP_ROW_FAILED);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 20ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, total_of(test, group).flags,
			PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);

	cpu_down(test, group);
	cpu_up(test, group);
	fake_pmu_tick(fake, 1);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.raw, 11ULL);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).flags, 0U);
}

/* [G19] [S2] NEVER_RAN is reported whatever happened to the event: offline, then failed. */
static void fails_before_it_ran(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	struct perfgrp_value value;
	u32 ids[2];

	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	cpu_down(test, group);
	ids[1] = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	value = harness_value(test, group, CPU, ids[0]);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_OFFLINE);
	KUNIT_EXPECT_EQ(test, value.sched_group, ids[0]);
	KUNIT_EXPECT_EQ(test, value.pmu, (u32)fake->pmu.type);
	/* This one never had an event here. */
	value = harness_value(test, group, CPU, ids[1]);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_OFFLINE);
	KUNIT_EXPECT_EQ(test, value.sched_group, 0U);
	KUNIT_EXPECT_EQ(test, value.pmu, PERFGRP_NONE);

	WRITE_ONCE(fake->slots, 0);
	cpu_up(test, group);
	WRITE_ONCE(fake->slots, SLOTS);
	value = harness_value(test, group, CPU, ids[0]);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_EQ(test, value.sched_group, ids[0]);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).flags, PERFGRP_ROW_FAILED);
	KUNIT_EXPECT_EQ(test, row_of(test, group, 0).flags, 0U);
	value = total_of(test, group);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_FAILED | PERFGRP_VALUE_PARTIAL);
}

/* [G19] [G20] A CPU offline at creation is refused in a list, and has no row with ALL_CPUS. */
static void offline_at_creation(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_create arg = { .target = PERFGRP_TARGET_CPUS, .nr_cpus = 2 };
	static const u32 cpus[] = { 0, CPU };
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	struct perfgrp_value value;
	u32 id;

	cpu_down(test, NULL);
	EXPECT_REFUSED(test, harness_create(&arg, cpus, &err, &group), ENODEV,
		       PERFGRP_REASON_CPU_OFFLINE, "cpus", err);
	KUNIT_EXPECT_EQ(test, err.cpu, CPU);
	EXPECT_TEXT(test, err, "CPU 1");

	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).cpu, -2);
	cpu_up(test, group);
	fake_pmu_tick(fake, 1);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).epoch, 0U);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).flags, 0U);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.raw, 1ULL);
	KUNIT_EXPECT_EQ(test, value.pmu, (u32)fake->pmu.type);
	KUNIT_EXPECT_EQ(test, value.sched_group, id);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 11ULL);
}

/* [G13] A group that is destroyed while its CPU is offline. */
static void destroyed_while_offline(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);

	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	cpu_down(test, group);
	harness_destroy(group);
	cpu_up(test, NULL);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, CPU), 0U);
}

/* Waits until the group, which retries by itself, has events on CPU again. */
static bool comes_back(struct kunit *test, struct perfgrp_group *group, u32 id)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		if (!(harness_value(test, group, CPU, id).flags & PERFGRP_VALUE_FAILED))
			return true;
		msleep(20);
	}
	return false;
}

/*
 * Waits until two more retries have failed; the next is due after four times as long as the first.
 * A retry may release events and create them again, and what is counted meanwhile is lost.
 */
static bool retries_fail(const struct perfgrp_group *group)
{
	unsigned int wanted = max(4 * READ_ONCE(group->retry_ms), 400U), i;

	for (i = 0; i < 200 && READ_ONCE(group->retry_ms) < wanted; i++)
		msleep(20);
	return READ_ONCE(group->retry_ms) >= wanted;
}

/* [G19] If creation fails when the CPU comes back (for lack of memory, say), it is retried. */
static void events_missing_for_a_while(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	static const int others[] = { EBUSY, EAGAIN, EXDEV };
	struct perfgrp_value value;
	u32 ids[2], later;
	unsigned int i;

	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	fake_pmu_tick(fake, 10);
	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOMEM);
	cpu_up(test, group);
	value = harness_value(test, group, CPU, ids[0]);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&group->hotplug_work));
	/* It is retried repeatedly, at growing intervals. */
	KUNIT_EXPECT_TRUE(test, retries_fail(group));
	value = harness_value(test, group, CPU, ids[0]);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);

	WRITE_ONCE(fake->refuse, 0);
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, ids[0]));
	flush_delayed_work(&group->hotplug_work);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&group->hotplug_work));
	/* The next time it begins with short intervals again. */
	KUNIT_EXPECT_EQ(test, READ_ONCE(group->retry_ms), 0U);
	fake_pmu_tick(fake, 1);
	value = harness_value(test, group, CPU, ids[1]);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.raw, 22ULL);
	KUNIT_EXPECT_EQ(test, value.sched_group, ids[0]);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).epoch, 1U);

	/* A member that is added between retries has its event, and keeps it. */
	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOSPC);
	cpu_up(test, group);
	WRITE_ONCE(fake->refuse, 0);
	later = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, ids[0]));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, later).flags &
				PERFGRP_VALUE_FAILED, 0U);
	fake_pmu_tick(fake, 1);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[1]).raw, 2ULL);

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		cpu_down(test, group);
		WRITE_ONCE(fake->refuse, others[i]);
		cpu_up(test, group);
		KUNIT_EXPECT_TRUE(test, delayed_work_pending(&group->hotplug_work));
		WRITE_ONCE(fake->refuse, 0);
		KUNIT_EXPECT_TRUE(test, comes_back(test, group, ids[0]));
	}
}

/* [G19] A member added between retries may take all slots, and must not block the retry. */
static void added_while_events_are_missing(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *exclusive = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	u32 id, later;

	exclusive->pmu.capabilities |= PERF_PMU_CAP_EXCLUSIVE;
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOMEM);
	cpu_up(test, group);
	WRITE_ONCE(fake->refuse, 0);
	later = harness_add_one(test, group, FAKE(exclusive, FAKE_TICKS(1)));
	fake_pmu_tick(exclusive, 10);
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, id));
	fake_pmu_tick(exclusive, 10);
	value = harness_value(test, group, CPU, later);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.raw, 20ULL);
}

/* [G19] So may breakpoints, of which a CPU has few. */
static void breakpoints_added_while_events_are_missing(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	u32 id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));

	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOMEM);
	cpu_up(test, group);
	KUNIT_ASSERT_GT(test, harness_add_breakpoints(group), 0U);
	WRITE_ONCE(fake->refuse, 0);
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, id));
}

static struct fake_pmu *uncore_pmu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);

	fake_pmu_unregister(fake);
	fake->context = perf_invalid_context;
	fake->cpumask = cpu_possible_mask;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	return fake;
}

static void retried_while_disabled_on(struct kunit *test, struct fake_pmu *fake)
{
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	u32 id;

	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOMEM);
	cpu_up(test, group);
	WRITE_ONCE(fake->refuse, 0);
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, id));
	flush_delayed_work(&group->hotplug_work);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, CPU), 0U);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, id).raw, 0ULL);
}

/* [G9] [G19] A disabled group stays disabled when its events are created at last. */
static void retried_while_disabled(struct kunit *test)
{
	retried_while_disabled_on(test, harness_pmu(test, SLOTS, FAKE_NO_ROTATION));
	retried_while_disabled_on(test, uncore_pmu(test));
}

/*
 * [G11] [G19] While a CPU lacks the events of some members, others are enabled and disabled, and
 * leaders are removed, as are members without an event.
 */
static void removed_while_events_are_missing(struct kunit *test)
{
	struct fake_pmu *refused = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_NO_MUX);
	struct perfgrp_error err = harness_error();
	u32 first, missing, later[4];
	struct perfgrp_value value;
	unsigned int i;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	first = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	missing = harness_add_one(test, group, FAKE(refused, FAKE_TICKS(1)));
	cpu_down(test, group);
	WRITE_ONCE(refused->refuse, ENOMEM);
	cpu_up(test, group);
	for (i = 0; i < ARRAY_SIZE(later); i++)
		later[i] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	KUNIT_EXPECT_EQ_MSG(test, harness_enable(group, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 10);

	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, later[0], false, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 10);
	for (i = 1; i < ARRAY_SIZE(later); i++) {
		value = harness_value(test, group, CPU, later[i]);
		/* With NO_MUX the whole row has failed. */
		KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
		KUNIT_EXPECT_EQ(test, value.raw, 20ULL);
		KUNIT_EXPECT_EQ(test, value.sched_group, later[1]);
	}
	harness_disable(group);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, later[1], false, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, later[3], false, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, later[2]).raw, 20ULL);
	value = harness_value(test, group, CPU, first);
	KUNIT_EXPECT_TRUE(test, value.flags & PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, missing, false, &err), 0, "%s", err.text);
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, first));
	KUNIT_EXPECT_EQ(test, group->nr_members, 2U);
}

/*
 * [G19] A member that got its event between retries keeps it, although by now it could not be
 * added: the PMU's cpumask has changed.
 */
static void kept_as_it_was_checked(struct kunit *test)
{
	struct fake_pmu *refused = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *uncore = uncore_pmu(test);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	u32 later;

	harness_add_one(test, group, FAKE(refused, FAKE_TICKS(1)));
	cpu_down(test, group);
	WRITE_ONCE(refused->refuse, ENOSPC);
	cpu_up(test, group);
	later = harness_add_one(test, group, FAKE(uncore, FAKE_TICKS(1)));
	uncore->cpumask = cpumask_of(0);
	KUNIT_EXPECT_TRUE(test, retries_fail(group));
	fake_pmu_tick(uncore, 10);
	value = harness_value(test, group, CPU, later);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	WRITE_ONCE(refused->refuse, 0);
}

static int create_arrays(struct perfgrp_group *group)
{
	int ret;

	down_write(&group->lock);
	ret = perfgrp_event_arrays_create(group);
	up_write(&group->lock);
	return ret;
}

/*
 * A member that is added between retries counts on while they fail with @refuse, and after one that
 * succeeds.
 */
static void counts_during_retries(struct kunit *test, int refuse)
{
	struct fake_pmu *refused = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	const struct perfgrp_event_array *array;
	u32 id, later[2];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, create_arrays(group), 0);
	id = harness_add_one(test, group, FAKE(refused, FAKE_TICKS(1)));
	cpu_down(test, group);
	WRITE_ONCE(refused->refuse, refuse);
	cpu_up(test, group);
	later[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	later[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(3)));
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_TRUE(test, retries_fail(group));
	KUNIT_EXPECT_TRUE(test,
			  harness_value(test, group, CPU, id).flags & PERFGRP_VALUE_FAILED);
	fake_pmu_tick(fake, 10);
	rcu_read_lock();
	array = perfgrp_event_array_get(group->event_arrays, group->instance_of[CPU]);
	KUNIT_EXPECT_NULL(test, array->entries[0].event);
	KUNIT_EXPECT_NOT_NULL(test, array->entries[1].event);
	rcu_read_unlock();
	for (i = 0; i < 2; i++) {
		struct perfgrp_value value = harness_value(test, group, CPU, later[i]);

		KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
		KUNIT_EXPECT_EQ(test, value.sched_group, later[0]);
		KUNIT_EXPECT_EQ(test, value.raw, i ? 60ULL : 20ULL);
	}
	WRITE_ONCE(refused->refuse, 0);
	KUNIT_EXPECT_TRUE(test, comes_back(test, group, id));
	fake_pmu_tick(refused, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, id).raw, 10ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, later[1]).raw, 60ULL);
}

/* [G19] See counts_during_retries(). */
static void counts_while_memory_is_short(struct kunit *test)
{
	counts_during_retries(test, ENOMEM);
}

/* [G19] See counts_during_retries(). These release the events before they retry. */
static void counts_while_slots_are_taken(struct kunit *test)
{
	counts_during_retries(test, ENOSPC);
	counts_during_retries(test, EBUSY);
}

/* [G19] A group follows a CPU that goes or comes at once, although the next retry is far away. */
static void changes_while_it_waits(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	u32 id;

	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOMEM);
	cpu_up(test, group);
	/* As after many failures: the next retry but one is a minute later. */
	down_write(&group->lock);
	group->retry_ms = 60 * MSEC_PER_SEC;
	up_write(&group->lock);
	flush_delayed_work(&group->hotplug_work);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&group->hotplug_work));
	WRITE_ONCE(fake->refuse, 0);

	KUNIT_ASSERT_EQ(test, remove_cpu(CPU), 0);
	/* Unlike flush_delayed_work() this only waits for work that is due. */
	flush_work(&group->hotplug_work.work);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&group->hotplug_work));
	KUNIT_ASSERT_EQ(test, add_cpu(CPU), 0);
	flush_work(&group->hotplug_work.work);
	fake_pmu_tick(fake, 1);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.raw, 11ULL);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).epoch, 2U);
}

/* [G13] [G19] A group is destroyed while a retry is pending. */
static void destroyed_while_it_waits(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);

	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	cpu_down(test, group);
	WRITE_ONCE(fake->refuse, ENOMEM);
	cpu_up(test, group);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&group->hotplug_work));
	harness_destroy(group);
	msleep(300);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, CPU), 0U);
}

/* [G19] [E7] A member is refused if no CPU is online; if one is, the event is checked there. */
static void added_with_no_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	struct perfgrp_group *all = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_error err = harness_error();
	u32 id;

	cpu_down(test, group);
	flush_delayed_work(&all->hotplug_work);
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), ENODEV,
		       PERFGRP_REASON_CPU_OFFLINE, "", err);
	KUNIT_EXPECT_EQ(test, err.cpu, CPU);
	KUNIT_EXPECT_EQ(test, err.member, 0U);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
	err = harness_error();
	desc = FAKE(fake, FAKE_FAIL_INIT(EOPNOTSUPP));
	EXPECT_REFUSED(test, harness_add(all, &desc, 1, &err), EOPNOTSUPP, PERFGRP_REASON_EVENT,
		       "config", err);
	id = harness_add_one(test, all, FAKE(fake, FAKE_TICKS(1)));
	cpu_up(test, all);
	flush_delayed_work(&group->hotplug_work);
	KUNIT_EXPECT_EQ(test, harness_value(test, all, CPU, id).flags & PERFGRP_VALUE_FAILED, 0U);
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
}

/* [A11] Events on a CPU that came back get the credentials of the user who added the member. */
static void created_as_who_added(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_error err = harness_error();
	kuid_t nobody = KUIDT_INIT(65534);
	const struct cred *old;
	struct cred *cred;
	int ret;

	/* With all capabilities, and another uid. */
	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->euid = nobody;
	old = override_creds(cred);
	ret = harness_add(group, &desc, 1, &err);
	revert_creds(old);
	put_cred(cred);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", err.text);
	KUNIT_EXPECT_TRUE(test, uid_eq(fake->euid, nobody));
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));

	fake->euid = GLOBAL_ROOT_UID;
	cpu_down(test, group);
	cpu_up(test, group);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, desc.id).flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_TRUE(test, uid_eq(fake->euid, nobody));
	/* The credentials of the worker and of this task are restored. */
	KUNIT_EXPECT_TRUE(test, uid_eq(current_euid(), GLOBAL_ROOT_UID));
}

/*
 * [G25] [G19] A CPU in a PMU's cpumask goes offline, and another replaces it there. When it is back
 * it counts again, but a new member is refused.
 */
static void cpumask_changes(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_CPUS,
		.flags = PERFGRP_CREATE_ENABLED,
		.nr_cpus = 2,
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	const u32 cpus[2] = { 0, CPU };
	struct perfgrp_counter desc;
	struct perfgrp_value value;
	u32 id;

	fake_pmu_unregister(fake);
	fake->context = perf_invalid_context;
	fake->cpumask = cpu_possible_mask;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, cpus, &err, &group), 0, "%s", err.text);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);

	cpu_down(test, group);
	fake->cpumask = cpumask_of(0);
	cpu_up(test, group);
	fake_pmu_tick(fake, 10);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.raw, 20ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);

	desc = FAKE(fake, FAKE_TICKS(2));
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
	KUNIT_EXPECT_EQ(test, err.cpu, CPU);
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);
}

/*
 * [E7] [G19] [G25] An event that the driver counts on another CPU than the one that came back is
 * refused there, as in ADD: the other CPU's count would be in two rows.
 */
static void counted_elsewhere_later(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	u64 others = num_online_cpus() - 1;
	struct perfgrp_value value;
	u32 id;

	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	cpu_down(test, group);
	/* From now on the driver counts it on CPU 0. */
	group->members[0]->attr.config |= FAKE_ON_CPU0;
	cpu_up(test, group);
	fake_pmu_tick(fake, 10);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).flags, PERFGRP_ROW_FAILED);
	KUNIT_EXPECT_EQ(test, total_of(test, group).raw, 10 + 20 * others);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 1U);
	/* It is not tried again before the CPU goes and comes once more. */
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&group->hotplug_work));

	cpu_down(test, group);
	group->members[0]->attr.config &= ~FAKE_ON_CPU0;
	cpu_up(test, group);
	fake_pmu_tick(fake, 1);
	value = harness_value(test, group, CPU, id);
	KUNIT_EXPECT_EQ(test, value.raw, 11ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
}

/* A group of a software leader and one scheduling group of three members. */
static void add_sched_group(struct kunit *test, struct perfgrp_group *group,
			    struct fake_pmu *fake, u32 ids[3])
{
	int i;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	for (i = 0; i < 3; i++)
		ids[i] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
}

/*
 * The steps of REMOVE for a scheduling group's leader, with the CPU going offline in between: then
 * the perf core splits up the scheduling group. Nothing is counted twice, and no prepared event is
 * left behind.
 */
static void goes_while_replaced(struct kunit *test, bool accumulated)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	struct perfgrp_error err = harness_error();
	struct perfgrp_member_instance *counter;
	struct perfgrp_member *leaving;
	u32 ids[3];
	int i;

	add_sched_group(test, group, fake, ids);
	leaving = group->members[1];
	fake_pmu_tick(fake, 100);

	KUNIT_ASSERT_EQ(test, perfgrp_core_link_begin(), 0);
	down_write(&group->lock);
	KUNIT_EXPECT_EQ(test, perfgrp_instance_prepare(group, 0, leaving, &err), 0);
	perfgrp_core_link_end();
	if (accumulated)
		perfgrp_instance_accumulate(group, 0, leaving);
	KUNIT_EXPECT_EQ(test, remove_cpu(CPU), 0);
	if (!accumulated)
		perfgrp_instance_accumulate(group, 0, leaving);
	perfgrp_instance_commit(group, 0, leaving);
	for (i = 1; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[0];
		KUNIT_EXPECT_NULL(test, counter->prepared);
		KUNIT_EXPECT_NOT_NULL(test, counter->retired);
		KUNIT_EXPECT_EQ(test, !counter->event, i == 1);
	}
	perfgrp_event_arrays_publish(group);
	perfgrp_instance_release_retired(group, 0);
	up_write(&group->lock);

	flush_delayed_work(&group->hotplug_work);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[i]).raw, 100ULL);
	cpu_up(test, group);
	fake_pmu_tick(fake, 10);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, ids[i]).raw, 110ULL);
}

/* [G11] [G19] See goes_while_replaced(). */
static void goes_before_accumulate(struct kunit *test)
{
	goes_while_replaced(test, false);
}

/* [G11] [G19] See goes_while_replaced(). */
static void goes_before_commit(struct kunit *test)
{
	goes_while_replaced(test, true);
}

/*
 * [G9] [G11] The leader of a scheduling group is released alone, as on a CPU that is going offline:
 * the siblings of a disabled group must not begin to count.
 */
static void siblings_stay_off(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	struct perfgrp_error err = harness_error();
	struct perfgrp_value value;
	u32 ids[3];
	int i;

	add_sched_group(test, group, fake, ids);
	fake_pmu_tick(fake, 100);
	harness_disable(group);
	mdelay(20);

	down_write(&group->lock);
	set_bit(0, &group->instances[0].lost);
	KUNIT_EXPECT_EQ(test, perfgrp_group_remove(group, ids[0], false, &err), 0);
	up_write(&group->lock);
	fake_pmu_tick(fake, 1000);
	mod_delayed_work(compat_unbound_wq, &group->hotplug_work, 0);
	flush_delayed_work(&group->hotplug_work);
	for (i = 1; i < ARRAY_SIZE(ids); i++) {
		value = harness_value(test, group, CPU, ids[i]);
		KUNIT_EXPECT_EQ(test, value.raw, 100ULL);
		KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
	}
}

/* ---- events whose driver moves them ------------------------------------------ */

static struct mover {
	struct fake_pmu *fake;
	struct perf_event *event;
	struct completion moved, looked;
} mover;

static int move_events(void *data)
{
	perf_pmu_migrate_context(&mover.fake->pmu, CPU, 0);
	complete(&mover.moved);
	return 0;
}

static int look_at_pmu(void *data)
{
	struct perfgrp_core_pmu pmu = {};

	perfgrp_core_get_pmu(mover.event, &pmu);
	complete(&mover.looked);
	return 0;
}

/* Starts a kthread, and returns once it waits for a lock. */
static void run_until_it_waits(struct kunit *test, int (*call)(void *data))
{
	struct task_struct *task = kthread_run(call, NULL, "perfgrp_mover");
	int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 500 && READ_ONCE(task->__state) != TASK_UNINTERRUPTIBLE; i++)
		msleep(20);
	KUNIT_EXPECT_LT(test, i, 500);
}

/*
 * [G25] A driver moves an event to another CPU while a task waits for the mutex of its old context:
 * no mutex stays locked.
 */
static void context_changes(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perf_event_context *from, *to;
	struct perf_event *event;

	fake_pmu_unregister(fake);
	fake->context = perf_invalid_context;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	event = harness_fake_event(test, fake, FAKE_TICKS(1), CPU, false);
	mover = (struct mover){ .fake = fake, .event = event };
	init_completion(&mover.moved);
	init_completion(&mover.looked);

	from = event->ctx;
	mutex_lock(&from->mutex);
	run_until_it_waits(test, move_events);
	run_until_it_waits(test, look_at_pmu);
	mutex_unlock(&from->mutex);
	wait_for_completion(&mover.moved);
	wait_for_completion(&mover.looked);
	to = event->ctx;
	KUNIT_EXPECT_PTR_NE(test, from, to);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&from->mutex));
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&to->mutex));
}

/*
 * [G25] [G19] [G4] A driver moves an event away from a CPU that stays online. The next hotplug work
 * gives the CPU an event again, and no count is lost.
 */
static void moved_away(struct kunit *test)
{
	struct fake_pmu *fake = uncore_pmu(test);
	struct perfgrp_group *group;
	struct perf_event *event;
	u32 id, alone;

	group = harness_cpu_group(test, CPU, PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	perf_pmu_migrate_context(&fake->pmu, CPU, 0);
	event = group->members[0]->instances[0].event;
	KUNIT_EXPECT_EQ(test, event->cpu, 0);
	fake_pmu_tick(fake, 10);
	mod_delayed_work(compat_unbound_wq, &group->hotplug_work, 0);
	flush_delayed_work(&group->hotplug_work);
	event = group->members[0]->instances[0].event;
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, event->cpu, CPU);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, id).raw, 30ULL);
	KUNIT_EXPECT_EQ(test, row_of(test, group, CPU).flags, 0U);

	/* A member that is added before that work stands alone, as its leader is elsewhere. */
	perf_pmu_migrate_context(&fake->pmu, CPU, 0);
	alone = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, alone).sched_group, alone);
	mod_delayed_work(compat_unbound_wq, &group->hotplug_work, 0);
	flush_delayed_work(&group->hotplug_work);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, CPU, alone).sched_group, id);
}

/* [G25] [G19] Drivers also move events when a CPU that the group does not have comes online. */
static void moved_to_another(struct kunit *test)
{
	struct fake_pmu *fake = uncore_pmu(test);
	struct perfgrp_group *group;
	u32 id;

	if (!cpu_online(2))
		kunit_skip(test, "two CPUs only");
	group = harness_cpu_group(test, 2, PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	cpu_down(test, NULL);
	perf_pmu_migrate_context(&fake->pmu, 2, 0);
	cpu_up(test, group);
	KUNIT_EXPECT_EQ(test, group->members[0]->instances[0].event->cpu, 2);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 2, id).raw, 20ULL);
}

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(offline_and_online),
	KUNIT_CASE(many_epochs),
	KUNIT_CASE(sched_group_recreated),
	KUNIT_CASE(software_counters),
	KUNIT_CASE(changed_while_offline),
	KUNIT_CASE(events_refused_online),
	KUNIT_CASE(fails_before_it_ran),
	KUNIT_CASE(offline_at_creation),
	KUNIT_CASE(destroyed_while_offline),
	KUNIT_CASE(events_missing_for_a_while),
	KUNIT_CASE(added_while_events_are_missing),
	KUNIT_CASE(breakpoints_added_while_events_are_missing),
	KUNIT_CASE(retried_while_disabled),
	KUNIT_CASE(removed_while_events_are_missing),
	KUNIT_CASE(kept_as_it_was_checked),
	KUNIT_CASE(counts_while_memory_is_short),
	KUNIT_CASE(counts_while_slots_are_taken),
	KUNIT_CASE(changes_while_it_waits),
	KUNIT_CASE(destroyed_while_it_waits),
	KUNIT_CASE(added_with_no_cpu),
	KUNIT_CASE(created_as_who_added),
	KUNIT_CASE(cpumask_changes),
	KUNIT_CASE(counted_elsewhere_later),
	KUNIT_CASE(goes_before_accumulate),
	KUNIT_CASE(goes_before_commit),
	KUNIT_CASE(siblings_stay_off),
	KUNIT_CASE(context_changes),
	KUNIT_CASE(moved_away),
	KUNIT_CASE(moved_to_another),
	{}
};

struct kunit_suite perfgrp_hotplug_suite = {
	.name = "perfgrp_hotplug",
	.init = hotplug_init,
	.exit = hotplug_exit,
	.test_cases = hotplug_cases,
};
