// SPDX-License-Identifier: GPL-2.0
/*
 * What needs a PMU: scheduling groups, groups that are too large, multiplexing, NO_MUX, several
 * PMUs. All on fake PMUs (fake_pmu.h), and on CPU 0 unless a case says otherwise.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>

#include "../module/group.h"
#include "../module/perfcore.h"
#include "../module/pmu_attr.h"
#include "../module/snapshot.h"
#include "../module/value.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 4

static struct perf_event *member_event(const struct perfgrp_group *group, unsigned int index)
{
	return group->members[index]->instances[0].event;
}

static void expect_times_equal(struct kunit *test, const struct perfgrp_value *a,
			       const struct perfgrp_value *b)
{
	KUNIT_EXPECT_EQ(test, a->time_enabled, b->time_enabled);
	KUNIT_EXPECT_EQ(test, a->time_running, b->time_running);
}

/* ---- counting ------------------------------------------------------------ */

/* [E5] [G9] [S2] Exactly the ticks while the group is enabled are counted. */
static void counts_exactly(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_value value, clock;
	u32 ticks, ns;

	ticks = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(3)));
	ns = harness_add_one(test, group, FAKE(fake, FAKE_CLOCK(5)));
	fake_pmu_tick(fake, 1000);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 100);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ticks).raw, 300ULL);
	fake_pmu_tick(fake, 11);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ticks).raw, 333ULL);
	harness_disable(group);
	fake_pmu_tick(fake, 1000);

	value = harness_value(test, group, 0, ticks);
	clock = harness_value(test, group, 0, ns);
	KUNIT_EXPECT_EQ(test, value.raw, 333ULL);
	KUNIT_EXPECT_EQ(test, value.scaled, 333ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.pmu, (u32)fake->pmu.type);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
	KUNIT_EXPECT_EQ(test, clock.raw, 5 * clock.time_running);
	expect_times_equal(test, &value, &clock);

	KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
	value = harness_value(test, group, 0, ticks);
	KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 0ULL);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 7);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ticks).raw, 21ULL);
}

/*
 * [E6] [S2] The times of a member that excludes guests do not include the time in which guests had
 * the PMU (mediated vPMU), whether it is read while it counts or afterwards.
 */
static void guest_time(struct kunit *test)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perf_event *event = harness_event(test, &attr, 0, NULL, NULL);
	struct perfgrp_value on, off;
	struct perfgrp_group *group;
	u32 id;

	/* An hour of guest time before there is an event that excludes it. */
	event->ctx->timeguest.time += 3600 * NSEC_PER_SEC;
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	desc.flags |= PERFGRP_COUNTER_EXCLUDE_GUEST;
	id = harness_add_one(test, group, desc);
	fake_pmu_tick(fake, 100);
	on = harness_value(test, group, 0, id);
	harness_disable(group);
	off = harness_value(test, group, 0, id);
	harness_destroy(group);
	event->ctx->timeguest.time -= 3600 * NSEC_PER_SEC;

	KUNIT_EXPECT_EQ(test, on.raw, 100ULL);
	KUNIT_EXPECT_GT(test, on.time_running, 0ULL);
	KUNIT_EXPECT_LE(test, on.time_enabled, off.time_enabled);
	KUNIT_EXPECT_LE(test, on.time_running, off.time_running);
#else
	kunit_skip(test, "this kernel has no mediated vPMU");
#endif
}

/*
 * [C3] [E6] The same for a cgroup while no event of a cgroup is enabled on the CPU: its time there
 * stands still, without the guests' part.
 */
static void guest_time_of_cgroup(struct kunit *test)
{
#if defined(PERFGRP_HAVE_TIME_CTX) && defined(CONFIG_CGROUP_PERF)
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
	};
	struct perf_cgroup *cgroup = kunit_kzalloc(test, sizeof(*cgroup), GFP_KERNEL);
	struct perf_event *all = harness_event(test, &attr, 0, NULL, NULL);
	struct perf_event *host;
	u64 of_all, of_host, all_at, host_at;

	attr.exclude_guest = 1;
	host = harness_event(test, &attr, 0, NULL, NULL);
	if (READ_ONCE(container_of(host->ctx, struct perf_cpu_context, ctx)->cgrp))
		kunit_skip(test, "somebody counts a cgroup");
	KUNIT_ASSERT_NOT_NULL(test, cgroup);
	cgroup->info = alloc_percpu(struct perf_cgroup_info);
	KUNIT_ASSERT_TRUE(test, !!cgroup->info);
	per_cpu_ptr(cgroup->info, 0)->time.time = 1000;
	per_cpu_ptr(cgroup->info, 0)->timeguest.time = 400;
	of_all = perfgrp_core_cgroup_now(cgroup, all, 5000);
	of_host = perfgrp_core_cgroup_now(cgroup, host, 5000);
	/* While the cgroup runs, the host's clock goes on, as does that of the guests' part. */
	per_cpu_ptr(cgroup->info, 0)->time.offset = 70;
	all_at = perfgrp_core_cgroup_time_at(cgroup, all, 5000);
	host_at = perfgrp_core_cgroup_time_at(cgroup, host, 5000);
	free_percpu(cgroup->info);

	KUNIT_EXPECT_EQ(test, of_all, 1000ULL);
	KUNIT_EXPECT_EQ(test, of_host, 600ULL);
	KUNIT_EXPECT_EQ(test, all_at, 5070ULL);
	KUNIT_EXPECT_EQ(test, host_at, 4670ULL);
#else
	kunit_skip(test, "this kernel has no mediated vPMU, or no cgroups in perf");
#endif
}

/* [G7] Adding to a running group restarts all members from zero. */
static void add_restarts_all(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value first, second;
	u32 ids[2];

	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 1000);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).raw, 1000ULL);
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).raw, 0ULL);
	fake_pmu_tick(fake, 10);
	harness_disable(group);
	first = harness_value(test, group, 0, ids[0]);
	second = harness_value(test, group, 0, ids[1]);
	KUNIT_EXPECT_EQ(test, first.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, second.raw, 20ULL);
	expect_times_equal(test, &first, &second);
}

/* [S13] PERFGRP_SNAPSHOT_RESET: each tick is in exactly one snapshot. */
static void read_and_reset(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_snap snap;
	u64 sum = 0, enabled = 0;
	unsigned int i;
	u32 id;

	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	for (i = 1; i <= 100; i++) {
		fake_pmu_tick(fake, i);
		KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_RESET, &snap),
				0);
		KUNIT_EXPECT_EQ(test, snap.values[0].raw, (u64)i);
		sum += snap.values[0].raw;
		enabled += snap.values[0].time_enabled;
		perfgrp_snapshot_free(&snap);
	}
	KUNIT_EXPECT_EQ(test, sum, 5050ULL);
	KUNIT_EXPECT_GT(test, enabled, 0ULL);
	fake_pmu_tick(fake, 3);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 3ULL);
}

/* ---- scheduling groups --------------------------------------------------- */

/* [G2] [G4] [G10] [S12] The members of one PMU are one scheduling group of the perf core. */
static void one_scheduling_group(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_counter descs[3] = {
		FAKE(fake, FAKE_CLOCK(1)), FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_CLOCK(1)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value first, third;
	unsigned int i;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, descs, 3, &err), 0, "%s", err.text);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, member_event(group, i)->group_leader,
				    member_event(group, 0));
	KUNIT_EXPECT_EQ(test, member_event(group, 0)->nr_siblings, 2);

	fake->committed = 0;
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake->committed, 3U);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 3U);
	fake_pmu_tick(fake, 1);
	harness_disable(group);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 0U);

	/* Scheduled at the same moments, they have exactly the same times. */
	first = harness_value(test, group, 0, descs[0].id);
	third = harness_value(test, group, 0, descs[2].id);
	KUNIT_EXPECT_EQ(test, first.raw, third.raw);
	KUNIT_EXPECT_GT(test, first.raw, 0ULL);
	expect_times_equal(test, &first, &third);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, descs[i].id).sched_group,
				descs[0].id);
}

/* [G5] [G7] [G8] One member too many is refused with its reason, and the others go on counting. */
static void member_too_many(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_error err = harness_error();
	struct perfgrp_value before, after;
	unsigned int i;
	u32 ids[SLOTS];

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	for (i = 0; i < SLOTS; i++)
		ids[i] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(i + 1)));
	fake_pmu_tick(fake, 1000);
	before = harness_value(test, group, 0, ids[0]);

	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), EINVAL, PERFGRP_REASON_PMU_FULL,
		       "config", err);
	KUNIT_EXPECT_EQ(test, err.member, 0U);
	KUNIT_EXPECT_EQ(test, err.cpu, 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, (unsigned int)SLOTS);
	KUNIT_EXPECT_EQ(test, member_event(group, 0)->nr_siblings, SLOTS - 1);

	fake_pmu_tick(fake, 10);
	for (i = 0; i < SLOTS; i++)
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[i]).raw, 1010ULL * (i + 1));
	after = harness_value(test, group, 0, ids[0]);
	KUNIT_EXPECT_GT(test, after.time_enabled, before.time_enabled);
	KUNIT_EXPECT_EQ(test, after.state, (u32)PERFGRP_STATE_COUNTED);

	/* A software member needs no slot. */
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	/* After one is removed there is room again. */
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, ids[2], false, &err), 0);
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
}

/* [G5] [G8] Too many in one call: none is added. */
static void too_many_at_once(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[SLOTS + 2];
	struct perfgrp_error err = harness_error();
	unsigned int i;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	for (i = 0; i < ARRAY_SIZE(descs); i++)
		descs[i] = FAKE(fake, FAKE_TICKS(1));
	EXPECT_REFUSED(test, harness_add(group, descs, ARRAY_SIZE(descs), &err), EINVAL,
		       PERFGRP_REASON_PMU_FULL, "config", err);
	KUNIT_EXPECT_EQ(test, err.member, (u32)SLOTS);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 0U);

	/* The PMU's slots are all free again. */
	for (i = 0; i < SLOTS; i++)
		descs[i] = FAKE(fake, FAKE_TICKS(1));
	KUNIT_EXPECT_EQ(test, harness_add(group, descs, SLOTS, &err), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), (unsigned int)SLOTS);
}

/* [G6] Beside a full PMU software members run all the time. */
static void software_beside_multiplexed(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perf_event *other = harness_fake_event(test, fake, 0, 0, true);
	struct perfgrp_value value;
	u32 hard, soft;

	perf_event_enable(other);
	hard = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	soft = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	value = harness_value(test, group, 0, soft);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
	KUNIT_EXPECT_EQ(test, value.sched_group, soft);
	value = harness_value(test, group, 0, hard);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
}

/* ---- multiplexing -------------------------------------------------------- */

/*
 * Two pinned events that take two slots, so that a group of three is off the PMU meanwhile.
 * Enabling an event makes the perf core reschedule; disabling one does not.
 */
struct rival {
	struct perf_event *first, *second;
};

static struct rival make_rival(struct kunit *test, struct fake_pmu *fake)
{
	return (struct rival){
		.first = harness_fake_event(test, fake, 0, 0, true),
		.second = harness_fake_event(test, fake, 0, 0, true),
	};
}

static void rival_on(const struct rival *rival)
{
	perf_event_enable(rival->first);
	perf_event_enable(rival->second);
}

static void rival_off(const struct rival *rival)
{
	perf_event_disable(rival->second);
	perf_event_disable(rival->first);
	perf_event_enable(rival->first);
	perf_event_disable(rival->first);
}

/* [G4] [S2] [S5] Off the PMU for a while: raw is exact, and so is scaled. */
static void multiplexed_exactly(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct rival rival = make_rival(test, fake);
	struct perfgrp_counter descs[3] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(3)), FAKE(fake, FAKE_CLOCK(2)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value values[3];
	unsigned int i, round;
	bool saturated;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	for (round = 0; round < 5; round++) {
		fake_pmu_tick(fake, 1000);
		KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 3U);
		rival_on(&rival);
		KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 2U);
		fake_pmu_tick(fake, 77777);
		/* It is off the PMU, but time_enabled goes on. */
		values[0] = harness_value(test, group, 0, descs[0].id);
		KUNIT_EXPECT_EQ(test, values[0].raw, 1000ULL * (round + 1));
		KUNIT_EXPECT_EQ(test, values[0].state, (u32)PERFGRP_STATE_MULTIPLEXED);
		rival_off(&rival);
	}
	fake_pmu_tick(fake, 1);
	harness_disable(group);

	for (i = 0; i < 3; i++)
		values[i] = harness_value(test, group, 0, descs[i].id);
	KUNIT_EXPECT_EQ(test, values[0].raw, 5001ULL);
	KUNIT_EXPECT_EQ(test, values[1].raw, 15003ULL);
	KUNIT_EXPECT_EQ(test, values[2].raw, 2 * values[2].time_running);
	/* It counts 2 per ns, so scaled is exact. */
	KUNIT_EXPECT_EQ(test, values[2].scaled, 2 * values[2].time_enabled);
	KUNIT_EXPECT_LT(test, values[2].time_running, values[2].time_enabled);
	for (i = 0; i < 3; i++) {
		expect_times_equal(test, &values[i], &values[0]);
		KUNIT_EXPECT_EQ(test, values[i].state, (u32)PERFGRP_STATE_MULTIPLEXED);
		KUNIT_EXPECT_EQ(test, values[i].flags, PERFGRP_VALUE_SCALED);
		KUNIT_EXPECT_EQ(test, values[i].sched_group, descs[0].id);
		KUNIT_EXPECT_EQ(test, values[i].scaled,
				perfgrp_scale(values[i].raw, values[i].time_enabled,
					      values[i].time_running, &saturated));
	}
}

/* [G9] [S2] [S5] Reset while the group is off the PMU: counts and times start there. */
static void reset_while_multiplexed(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct rival rival = make_rival(test, fake);
	struct perfgrp_counter descs[3] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(3)), FAKE(fake, FAKE_CLOCK(2)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value values[3];
	unsigned int i;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 1000);
	msleep(20);
	rival_on(&rival);
	KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
	fake_pmu_tick(fake, 77777);
	for (i = 0; i < 3; i++) {
		values[i] = harness_value(test, group, 0, descs[i].id);
		KUNIT_EXPECT_EQ(test, values[i].state, (u32)PERFGRP_STATE_NEVER_RAN);
		KUNIT_EXPECT_EQ(test, values[i].raw, 0ULL);
		KUNIT_EXPECT_EQ(test, values[i].scaled, 0ULL);
		KUNIT_EXPECT_EQ(test, values[i].time_running, 0ULL);
		KUNIT_EXPECT_EQ(test, values[i].flags, 0U);
	}
	msleep(20);
	rival_off(&rival);
	fake_pmu_tick(fake, 500);
	msleep(20);
	harness_disable(group);
	for (i = 0; i < 3; i++)
		values[i] = harness_value(test, group, 0, descs[i].id);
	KUNIT_EXPECT_EQ(test, values[0].raw, 500ULL);
	KUNIT_EXPECT_EQ(test, values[1].raw, 1500ULL);
	/* It counts 2 per ns, so scaled is exact. */
	KUNIT_EXPECT_EQ(test, values[2].raw, 2 * values[2].time_running);
	KUNIT_EXPECT_EQ(test, values[2].scaled, 2 * values[2].time_enabled);
	KUNIT_EXPECT_EQ(test, values[2].state, (u32)PERFGRP_STATE_MULTIPLEXED);
	KUNIT_EXPECT_LT(test, values[2].time_running, values[2].time_enabled);
	for (i = 0; i < 3; i++)
		expect_times_equal(test, &values[i], &values[0]);
}

static void check_running_group(struct kunit *test, struct perfgrp_group *group,
				struct perfgrp_value *last)
{
	struct perfgrp_snap snap;
	struct perfgrp_value *value;
	bool saturated;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	for (i = 0; i < snap.nr_values; i++) {
		value = &snap.values[i];
		expect_times_equal(test, value, &snap.values[0]);
		KUNIT_EXPECT_LE(test, value->time_running, value->time_enabled);
		KUNIT_EXPECT_GE(test, value->raw, last[i].raw);
		KUNIT_EXPECT_GE(test, value->time_enabled, last[i].time_enabled);
		KUNIT_EXPECT_GE(test, value->time_running, last[i].time_running);
		KUNIT_EXPECT_EQ(test, value->scaled,
				perfgrp_scale(value->raw, value->time_enabled,
					      value->time_running, &saturated));
		last[i] = *value;
	}
	perfgrp_snapshot_free(&snap);
}

/*
 * [G4] [S5] [S9] [G21] The perf core's own rotation: two groups, each of which needs more than
 * half of the PMU. No value goes backwards, the members of each group have the same times, and
 * the estimates are exact.
 */
static void multiplexed_by_rotation(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, 1);
	struct perfgrp_group *groups[2];
	static const u64 rates[] = { 1, 3, 7 };
	struct perfgrp_counter descs[ARRAY_SIZE(rates)];
	struct perfgrp_error err = harness_error();
	struct perfgrp_value last[2][3] = {};
	unsigned int g, i, rounds = 0;
	u64 begin, end;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	harness_pin_to(test, 0);
	begin = local_clock();
	for (g = 0; g < 2; g++) {
		groups[g] = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
		for (i = 0; i < ARRAY_SIZE(descs); i++)
			descs[i] = FAKE(fake, FAKE_CLOCK(rates[i]));
		KUNIT_ASSERT_EQ(test, harness_add(groups[g], descs, ARRAY_SIZE(descs), &err), 0);
	}
	/* Until both have had some turns. */
	do {
		for (g = 0; g < 2; g++)
			check_running_group(test, groups[g], last[g]);
		usleep_range(1000, 2000);
	} while (++rounds < 2000 &&
		 (rounds < 50 || last[0][0].time_running < 10000000 ||
		  last[1][0].time_running < 10000000));
	for (g = 0; g < 2; g++)
		harness_disable(groups[g]);
	end = local_clock();
	for (g = 0; g < 2; g++) {
		check_running_group(test, groups[g], last[g]);
		KUNIT_EXPECT_LT(test, last[g][0].time_running, last[g][0].time_enabled);
		KUNIT_EXPECT_EQ(test, last[g][0].state, (u32)PERFGRP_STATE_MULTIPLEXED);
		for (i = 0; i < 3; i++) {
			KUNIT_EXPECT_EQ(test, last[g][i].raw, rates[i] * last[g][i].time_running);
			KUNIT_EXPECT_EQ(test, last[g][i].scaled,
					rates[i] * last[g][i].time_enabled);
		}
	}
	/* The two were never on the PMU at the same time. */
	KUNIT_EXPECT_LE(test, last[0][0].time_running + last[1][0].time_running, end - begin);
}

/* [S2] [S12] A scheduling group with a member that cannot get on the PMU never runs. */
static void never_ran(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_counter descs[2] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(1) | FAKE_FAIL_ADD),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value value;

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 2, &err), 0);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 100);
	harness_disable(group);
	value = harness_value(test, group, 0, descs[1].id);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_FALSE(test, value.flags & PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_GT(test, value.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, value.time_running, 0ULL);
	value = harness_value(test, group, 0, descs[0].id);
	if (perfgrp_core_can_link())
		KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	else
		KUNIT_EXPECT_EQ(test, value.raw, 100ULL);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 0U);
}

/* [S2] [G5] A driver accepts groups that are too large: they never run, and say NEVER_RAN. */
static void driver_that_takes_too_many(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 2, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	unsigned int i;
	u32 ids[3];

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	fake->unchecked = true;
	for (i = 0; i < 3; i++)
		ids[i] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	for (i = 0; i < 3; i++) {
		value = harness_value(test, group, 0, ids[i]);
		KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
		KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
	}
}

/* ---- NO_MUX and EXCLUSIVE ------------------------------------------------ */

/* [G14] [G15] NO_MUX: ENABLE fails if the group does not fit; if it does all members count. */
static void no_mux_finds_no_room(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_NO_MUX);
	struct rival rival = make_rival(test, fake);
	struct perfgrp_counter descs[3] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(1)),
	};
	struct perfgrp_counter fourth = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_error err = harness_error();
	struct perfgrp_value value;
	int ret;

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	rival_on(&rival);
	ret = harness_enable(group, &err);
	EXPECT_REFUSED(test, ret, EBUSY, PERFGRP_REASON_PMU_BUSY, "", err);
	KUNIT_EXPECT_EQ(test, err.cpu, 0);
	KUNIT_EXPECT_EQ(test, err.member, descs[0].id);
	KUNIT_EXPECT_FALSE(test, group->enabled);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 2U);
	fake_pmu_tick(fake, 10);

	perf_event_disable(rival.first);
	perf_event_disable(rival.second);
	/* The group is disabled and unchanged; the failed ENABLE does not affect ADD. */
	err = harness_error();
	KUNIT_EXPECT_EQ_MSG(test, harness_add(group, &fourth, 1, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ_MSG(test, harness_enable(group, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 10);
	value = harness_value(test, group, 0, descs[2].id);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
}

static void expect_failed(struct kunit *test, struct perfgrp_group *group)
{
	struct perfgrp_snap snap;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	for (i = 0; i < snap.nr_values; i++)
		KUNIT_EXPECT_TRUE_MSG(test, snap.values[i].flags & PERFGRP_VALUE_FAILED,
				      "member %u", snap.values[i].id);
	KUNIT_EXPECT_TRUE(test, snap.rows[0].flags & PERFGRP_ROW_FAILED);
	perfgrp_snapshot_free(&snap);

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	KUNIT_EXPECT_TRUE(test, snap.values[0].flags & PERFGRP_VALUE_FAILED);
	KUNIT_EXPECT_TRUE(test, snap.rows[0].flags & PERFGRP_ROW_FAILED);
	perfgrp_snapshot_free(&snap);
}

/* Take slots from the PMU, and make the perf core reschedule. */
static void shrink(struct kunit *test, struct fake_pmu *fake, unsigned int slots)
{
	struct perf_event *event = harness_fake_event(test, fake, 0, 0, true);

	WRITE_ONCE(fake->slots, slots);
	perf_event_enable(event);
	perf_event_disable(event);
}

/* [G15] A NO_MUX group that loses its slots is FAILED until it is enabled again. */
static void no_mux_thrown_off(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_cpu_group(test, 0, PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[2] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(1)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value value;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 2, &err), 0);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, descs[1].id).raw, 10ULL);
	shrink(test, fake, 1);
	expect_failed(test, group);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, descs[1].id).raw, 10ULL);

	WRITE_ONCE(fake->slots, SLOTS);
	KUNIT_EXPECT_EQ_MSG(test, harness_enable(group, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 10);
	value = harness_value(test, group, 0, descs[1].id);
	KUNIT_EXPECT_EQ(test, value.raw, 20ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
}

/* [G15] Software members and those of another PMU fail with the others. */
static void no_mux_fails_as_a_whole(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *other = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_cpu_group(test, 0, PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[4] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(1)), FAKE(other, FAKE_TICKS(1)),
		EVENT(PERFGRP_SW_CPU_CLOCK),
	};
	struct perfgrp_error err = harness_error();

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 4, &err), 0);
	shrink(test, fake, 1);
	expect_failed(test, group);
}

/*
 * [E6] While an EXCLUSIVE group is on the PMU, no other event is on it. Its software members count
 * nevertheless.
 */
static void exclusive(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group =
		harness_cpu_group(test, 0, PERFGRP_CREATE_EXCLUSIVE | PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	struct perf_event *other;
	unsigned int i;
	u32 soft[2];

	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	soft[0] = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	soft[1] = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	fake_pmu_tick(fake, 10);
	for (i = 0; i < 2; i++) {
		value = harness_value(test, group, 0, soft[i]);
		KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
		KUNIT_EXPECT_EQ(test, value.time_running, value.time_enabled);
	}
	other = harness_fake_event(test, fake, 0, 0, false);
	perf_event_enable(other);
	KUNIT_EXPECT_EQ(test, (int)READ_ONCE(other->state), (int)PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 1U);
	harness_disable(group);
	perf_event_disable(other);
	perf_event_enable(other);
	KUNIT_EXPECT_EQ(test, (int)READ_ONCE(other->state), (int)PERF_EVENT_STATE_ACTIVE);
}

/* [G13] [G14] A destroyed group frees its slots at once, even if it was counting. */
static void slots_are_free_at_once(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_counter descs[SLOTS];
	struct perfgrp_error err = harness_error();
	unsigned int round, i;

	for (round = 0; round < 10; round++) {
		group = harness_cpu_group(test, 0, PERFGRP_CREATE_NO_MUX);
		for (i = 0; i < SLOTS; i++)
			descs[i] = FAKE(fake, FAKE_TICKS(1));
		KUNIT_ASSERT_EQ(test, harness_add(group, descs, SLOTS, &err), 0);
		KUNIT_ASSERT_EQ_MSG(test, harness_enable(group, &err), 0, "%s", err.text);
		KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), (unsigned int)SLOTS);
		harness_destroy(group);
		KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 0U);
	}
}

/* [G21] Two groups that both fit do not affect one another. */
static void groups_side_by_side(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *one = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_group *two = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	u32 first = harness_add_one(test, one, FAKE(fake, FAKE_TICKS(1)));
	u32 second = harness_add_one(test, two, FAKE(fake, FAKE_TICKS(2)));

	fake_pmu_tick(fake, 10);
	harness_disable(one);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_reset(one), 0);
	KUNIT_EXPECT_EQ(test, harness_value(test, one, 0, first).raw, 0ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, two, 0, second).raw, 40ULL);
	harness_destroy(one);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, two, 0, second).raw, 60ULL);
}

/* ---- removing members, several PMUs --------------------------------------- */

/* [G11] Removing a sibling: the others lose no count. */
static void remove_sibling(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[3] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(2)), FAKE(fake, FAKE_TICKS(3)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value value;

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	fake_pmu_tick(fake, 100);
	KUNIT_EXPECT_EQ(test, harness_remove(group, descs[1].id, false, &err), 0);
	KUNIT_EXPECT_EQ(test, fake_pmu_used(fake, 0), 2U);
	fake_pmu_tick(fake, 10);
	value = harness_value(test, group, 0, descs[2].id);
	KUNIT_EXPECT_EQ(test, value.raw, 330ULL);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, descs[0].id).raw, 110ULL);
}

/* A leader on one PMU, and a scheduling group of three on another. */
static void make_two_sched_groups(struct kunit *test, struct perfgrp_group *group,
				  struct fake_pmu *first, struct fake_pmu *second, u32 *ids)
{
	struct perfgrp_counter descs[4] = {
		FAKE(first, FAKE_TICKS(1)), FAKE(second, FAKE_TICKS(1)),
		FAKE(second, FAKE_TICKS(2)), FAKE(second, FAKE_CLOCK(1)),
	};
	struct perfgrp_error err = harness_error();
	unsigned int i;

	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, descs, 4, &err), 0, "%s", err.text);
	for (i = 0; i < 4; i++)
		ids[i] = descs[i].id;
}

/* [G4] [S12] Two PMUs are two scheduling groups. */
static void two_pmus(struct kunit *test)
{
	struct fake_pmu *first = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *second = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	unsigned int i;
	u32 ids[4];

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	make_two_sched_groups(test, group, first, second, ids);
	KUNIT_EXPECT_PTR_EQ(test, member_event(group, 0)->group_leader, member_event(group, 0));
	KUNIT_EXPECT_EQ(test, member_event(group, 0)->nr_siblings, 0);
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_PTR_EQ(test, member_event(group, i)->group_leader,
				    member_event(group, 1));
	fake_pmu_tick(first, 5);
	fake_pmu_tick(second, 7);
	for (i = 0; i < 4; i++) {
		value = harness_value(test, group, 0, ids[i]);
		KUNIT_EXPECT_EQ(test, value.sched_group, i ? ids[1] : ids[0]);
		KUNIT_EXPECT_EQ(test, value.pmu, (u32)(i ? second : first)->pmu.type);
	}
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).raw, 5ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[2]).raw, 14ULL);
}

/* [G4] ONE_SCHED_GROUP takes no second PMU. */
static void one_sched_group_only(struct kunit *test)
{
	struct fake_pmu *first = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *second = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_counter desc = FAKE(second, FAKE_TICKS(1));
	struct perfgrp_error err = harness_error();
	u32 id;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ONE_SCHED_GROUP);
	harness_add_one(test, group, FAKE(first, FAKE_TICKS(1)));
	harness_add_one(test, group, FAKE(first, FAKE_TICKS(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
	EXPECT_TEXT(test, err, "perfgrp_fake0");
	EXPECT_TEXT(test, err, "perfgrp_fake1");
	KUNIT_EXPECT_EQ(test, err.cpu, 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, 3U);

	/* When a leader is removed, only its siblings get new events. */
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ONE_SCHED_GROUP | PERFGRP_CREATE_ENABLED);
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	desc = FAKE(first, FAKE_TICKS(1));
	KUNIT_ASSERT_EQ(test, harness_add(group, &desc, 1, &err), 0);
	id = harness_add_one(test, group, FAKE(first, FAKE_TICKS(2)));
	harness_add_one(test, group, FAKE(first, FAKE_TICKS(3)));
	fake_pmu_tick(first, 10);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, desc.id, false, &err), 0, "%s", err.text);
	fake_pmu_tick(first, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 40ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).sched_group, id);
}

/* [G11] Removing a second scheduling group's leader: the rest stay one, and keep their counts. */
static void remove_second_leader(struct kunit *test)
{
	struct fake_pmu *first = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *second = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_error err = harness_error();
	struct perfgrp_value before, ticks, clock;
	u32 ids[4];

	make_two_sched_groups(test, group, first, second, ids);
	fake_pmu_tick(first, 10);
	fake_pmu_tick(second, 100);
	before = harness_value(test, group, 0, ids[2]);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, ids[1], false, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ(test, group->nr_members, 3U);
	if (perfgrp_core_can_link()) {
		KUNIT_EXPECT_PTR_EQ(test, member_event(group, 1)->group_leader,
				    member_event(group, 1));
		KUNIT_EXPECT_PTR_EQ(test, member_event(group, 2)->group_leader,
				    member_event(group, 1));
		KUNIT_EXPECT_EQ(test, member_event(group, 1)->nr_siblings, 1);
	}
	KUNIT_EXPECT_EQ(test, fake_pmu_used(second, 0), 2U);

	fake_pmu_tick(first, 1);
	fake_pmu_tick(second, 10);
	harness_disable(group);
	ticks = harness_value(test, group, 0, ids[2]);
	clock = harness_value(test, group, 0, ids[3]);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).raw, 11ULL);
	KUNIT_EXPECT_EQ(test, ticks.raw, 220ULL);
	if (perfgrp_core_can_link()) {
		KUNIT_EXPECT_EQ(test, ticks.sched_group, ids[2]);
		KUNIT_EXPECT_EQ(test, clock.sched_group, ids[2]);
	}
	KUNIT_EXPECT_EQ(test, ticks.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_GT(test, ticks.time_enabled, before.time_enabled);
	KUNIT_EXPECT_EQ(test, clock.raw, clock.time_running);
	expect_times_equal(test, &ticks, &clock);

	/* The same for the next leader while the group is disabled. */
	KUNIT_EXPECT_EQ(test, harness_remove(group, ids[2], false, &err), 0);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[3]).raw, clock.raw);
}

/* [G8] [G11] If the siblings cannot be created again REMOVE fails, and nothing has changed. */
static void rebuild_that_fails(struct kunit *test)
{
	struct fake_pmu *first = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *second = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_error err = harness_error();
	unsigned int i;
	u32 ids[4];

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	make_two_sched_groups(test, group, first, second, ids);
	fake_pmu_tick(second, 100);
	/* The first of the two remaining ones is accepted, the second is not. */
	WRITE_ONCE(second->slots, 1);
	KUNIT_EXPECT_EQ(test, harness_remove(group, ids[1], false, &err), -EINVAL);
	KUNIT_EXPECT_EQ(test, err.error, EINVAL);
	KUNIT_EXPECT_EQ(test, group->nr_members, 4U);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_NULL(test, group->members[i]->instances[0].prepared);
	WRITE_ONCE(second->slots, SLOTS);
	fake_pmu_tick(second, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[1]).raw, 110ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[2]).raw, 220ULL);
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, ids[1], false, &err), 0);
}

/* [G8] [G11] Nor does anything remain on the CPUs before the one where that fails. */
static void rebuild_that_fails_later(struct kunit *test)
{
	struct fake_pmu *first = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *second = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_CPUS,
		.flags = PERFGRP_CREATE_ENABLED,
		.nr_cpus = 2,
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	const u32 cpus[2] = { 0, 1 };
	unsigned int i, cpu;
	u32 ids[4];

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, cpus, &err, &group), 0, "%s", err.text);
	make_two_sched_groups(test, group, first, second, ids);
	fake_pmu_tick(second, 100);
	second->refuse_on = 2;
	WRITE_ONCE(second->refuse, ENOMEM);
	EXPECT_REFUSED(test, harness_remove(group, ids[1], false, &err), ENOMEM,
		       PERFGRP_REASON_MEMORY, "", err);
	KUNIT_EXPECT_EQ(test, err.cpu, 1);
	WRITE_ONCE(second->refuse, 0);
	for (i = 0; i < 4; i++)
		for (cpu = 0; cpu < 2; cpu++)
			KUNIT_EXPECT_NULL(test, group->members[i]->instances[cpu].prepared);

	fake_pmu_tick(second, 10);
	err = harness_error();
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, ids[1], false, &err), 0, "%s", err.text);
	fake_pmu_tick(second, 1);
	for (cpu = 0; cpu < 2; cpu++) {
		KUNIT_EXPECT_EQ(test, harness_value(test, group, cpu, ids[2]).raw, 222ULL);
		KUNIT_EXPECT_EQ(test, harness_value(test, group, cpu, ids[3]).sched_group, ids[2]);
	}
}

/* ---- errors of a driver --------------------------------------------------- */

/* [E7] What the user gets for each errno of a driver, alone and beside other members. */
static void refusals_of_the_driver(struct kunit *test)
{
	static const struct {
		int from;
		int error;
		u32 reason;
		const char *field;
	} refusals[] = {
		{ ENOENT, ENOENT, PERFGRP_REASON_EVENT, "config" },
		{ EOPNOTSUPP, EOPNOTSUPP, PERFGRP_REASON_EVENT, "config" },
		{ ENODEV, ENODEV, PERFGRP_REASON_EVENT, "config" },
		{ EINVAL, EINVAL, PERFGRP_REASON_EVENT_OPTION, "config" },
		{ EACCES, EACCES, PERFGRP_REASON_PRIVILEGE, "config" },
		{ EPERM, EACCES, PERFGRP_REASON_PRIVILEGE, "config" },
		{ ENOSPC, ENOSPC, PERFGRP_REASON_LIMIT, "config" },
		{ EBUSY, EBUSY, PERFGRP_REASON_PMU_BUSY, "config" },
		{ ENOMEM, ENOMEM, PERFGRP_REASON_MEMORY, "" },
		{ EIO, EIO, PERFGRP_REASON_KERNEL, "config" },
	};
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter desc;
	struct perfgrp_error err;
	unsigned int i, round;
	char name[32];
	u32 id = 0;

	snprintf(name, sizeof(name), "type %u config 0x", fake->pmu.type);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(refusals); i++) {
			desc = FAKE(fake, FAKE_FAIL_INIT(refusals[i].from));
			err = harness_error();
			EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err),
				       refusals[i].error, refusals[i].reason, refusals[i].field,
				       err);
			if (refusals[i].from != ENOMEM) {
				EXPECT_TEXT(test, err, name);
				KUNIT_EXPECT_EQ(test, err.cpu, 0);
			}
			KUNIT_EXPECT_EQ(test, group->nr_members, round);
		}
		if (!round)
			id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
		else
			KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).raw, 9ULL);
		fake_pmu_tick(fake, 9);
	}
}

/* [E7] A PMU that counts on another CPU than the one asked for is refused. */
static void counted_elsewhere(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1) | FAKE_ON_CPU0);
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;

	group = harness_cpu_group(test, 0, 0);
	harness_add_one(test, group, desc);
	if (num_online_cpus() == 1)
		kunit_skip(test, "one CPU only");
	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
	EXPECT_TEXT(test, err, "CPU 0");
	KUNIT_EXPECT_EQ(test, err.cpu, 1);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
}

/* [G25] A PMU may have its cpumask in attr_update, where Intel's hybrid PMUs have their cpus. */
static void cpumask_in_attr_update(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_counter desc;
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;

	if (num_online_cpus() == 1)
		kunit_skip(test, "one CPU only");
	fake_pmu_unregister(fake);
	fake->context = perf_invalid_context;
	fake->cpumask = cpumask_of(0);
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	/* The perf core uses both only when it registers the PMU. */
	swap(fake->pmu.attr_groups, fake->pmu.attr_update);

	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	desc = FAKE(fake, FAKE_TICKS(1));
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
	KUNIT_EXPECT_EQ(test, err.cpu, 1);
	EXPECT_TEXT(test, err, "cpumask");
	fake->cpumask = cpu_possible_mask;
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
}

static unsigned long free_pages_now(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return info.freeram;
}

/* [A5] Reading a PMU's file leaves no page. */
static void cpumask_leaves_no_page(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	enum { TURNS = 4096 };
	unsigned long before;
	cpumask_var_t cpus;
	unsigned int i;

	fake_pmu_unregister(fake);
	fake->cpumask = cpumask_of(0);
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&cpus, GFP_KERNEL));
	before = free_pages_now();
	for (i = 0; i < TURNS; i++)
		if (!perfgrp_pmu_attr_cpus(&fake->pmu, "cpumask", cpus))
			break;
	KUNIT_EXPECT_EQ(test, i, (unsigned int)TURNS);
	KUNIT_EXPECT_LT(test, before, free_pages_now() + TURNS / 2);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(cpus, cpumask_of(0)));
	free_cpumask_var(cpus);
}

struct reader {
	struct perf_event *other;
	unsigned int times;
	unsigned int reads;
};

static void read_event(struct perf_event *event, void *data)
{
	struct reader *reader = data;

	if (event == reader->other)
		return;
	reader->times++;
	reader->reads += perfgrp_core_read_anywhere(event, perfgrp_core_state(event), false);
}

/* [O3] [S9] An NMI during pmu->add() does not read the event, and all counts are right. */
static void read_during_add(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 2, FAKE_NO_ROTATION);
	struct reader reader = {};
	struct perf_event *event;
	u64 enabled, running;
	unsigned long flags;
	unsigned int i;

	harness_pin_to(test, 0);
	reader.other = harness_fake_event(test, fake, FAKE_TICKS(1), 0, false);
	event = harness_fake_event(test, fake, FAKE_TICKS(1), 0, false);
	perf_event_enable(reader.other);
	fake->interrupt_data = &reader;
	fake->interrupt = read_event;
	/* The first time it is added, and again. */
	for (i = 0; i < 2; i++) {
		fake_pmu_tick(fake, 1000);
		perf_event_enable(event);
		fake_pmu_tick(fake, 10);
		local_irq_save(flags);
		KUNIT_EXPECT_TRUE(test, perfgrp_core_read_anywhere(event, perfgrp_core_state(event),
								   false));
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ(test, (u64)local64_read(&event->count), 10ULL * (i + 1));
		perf_event_disable(event);
	}
	fake->interrupt = NULL;
	KUNIT_EXPECT_GE(test, reader.times, 4U);
	KUNIT_EXPECT_EQ(test, reader.reads, 0U);
	KUNIT_EXPECT_EQ(test, perf_event_read_value(event, &enabled, &running), 20ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->strange_reads), 0);
}

static void read_software(struct perf_event *event, void *data)
{
	struct reader *reader = data;
	enum perf_event_state state = perfgrp_core_state(reader->other);

	if (state != PERF_EVENT_STATE_ACTIVE)
		return;
	reader->times++;
	reader->reads += perfgrp_core_read_anywhere(reader->other, state, false);
}

/*
 * [O3] [S9] While the perf core switches contexts it has the PMUs disabled, that of software events
 * too. These need no PMU to be read.
 */
static void read_software_during_switch(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_TASK, 0);
	/* This one puts the PMU of software events into the task's context. */
	struct perfgrp_group *other = harness_group(test, PERFGRP_TARGET_TASK, 0);
	struct reader reader = {};

	harness_pin_to(test, 0);
	harness_add_one(test, other, EVENT(PERFGRP_SW_PAGE_FAULTS));
	harness_add_one(test, group, EVENT(PERFGRP_SW_PAGE_FAULTS));
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	KUNIT_ASSERT_EQ(test, harness_enable(other, NULL), 0);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	reader.other = member_event(group, 0);
	fake->interrupt_data = &reader;
	fake->interrupt = read_software;
	msleep(20);
	harness_disable(group);
	fake->interrupt = NULL;
	/* Before 6.2 they have a context of their own, which the perf core switches later. */
	if (!reader.times)
		kunit_skip(test, "software events are in another context");
	KUNIT_EXPECT_EQ(test, reader.reads, reader.times);
}

static void look_at_state(struct perf_event *event, void *data)
{
	struct reader *reader = data;

	reader->times++;
	reader->reads += perfgrp_core_state(reader->other) == PERF_EVENT_STATE_ACTIVE;
}

/* [O3] When the leader begins to count the other scheduling groups do, and are in its samples. */
static void leader_starts_last(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct reader reader = {};

	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_PAGE_FAULTS));
	reader.other = member_event(group, 1);
	KUNIT_ASSERT_PTR_EQ(test, reader.other->group_leader, reader.other);
	fake->interrupt_data = &reader;
	fake->interrupt = look_at_state;
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake->interrupt = NULL;
	KUNIT_EXPECT_GT(test, reader.times, 0U);
	KUNIT_EXPECT_EQ(test, reader.reads, reader.times);
}

static struct kunit_case pmu_cases[] = {
	KUNIT_CASE(counts_exactly),
	KUNIT_CASE(guest_time),
	KUNIT_CASE(guest_time_of_cgroup),
	KUNIT_CASE(add_restarts_all),
	KUNIT_CASE(read_and_reset),
	KUNIT_CASE(one_scheduling_group),
	KUNIT_CASE(member_too_many),
	KUNIT_CASE(too_many_at_once),
	KUNIT_CASE(software_beside_multiplexed),
	KUNIT_CASE(multiplexed_exactly),
	KUNIT_CASE(reset_while_multiplexed),
	KUNIT_CASE(multiplexed_by_rotation),
	KUNIT_CASE(never_ran),
	KUNIT_CASE(driver_that_takes_too_many),
	KUNIT_CASE(no_mux_finds_no_room),
	KUNIT_CASE(no_mux_thrown_off),
	KUNIT_CASE(no_mux_fails_as_a_whole),
	KUNIT_CASE(exclusive),
	KUNIT_CASE(slots_are_free_at_once),
	KUNIT_CASE(groups_side_by_side),
	KUNIT_CASE(remove_sibling),
	KUNIT_CASE(two_pmus),
	KUNIT_CASE(one_sched_group_only),
	KUNIT_CASE(remove_second_leader),
	KUNIT_CASE(rebuild_that_fails),
	KUNIT_CASE(rebuild_that_fails_later),
	KUNIT_CASE(refusals_of_the_driver),
	KUNIT_CASE(counted_elsewhere),
	KUNIT_CASE(cpumask_in_attr_update),
	KUNIT_CASE(cpumask_leaves_no_page),
	KUNIT_CASE(read_during_add),
	KUNIT_CASE(read_software_during_switch),
	KUNIT_CASE(leader_starts_last),
	{}
};

struct kunit_suite perfgrp_pmu_suite = {
	.name = "perfgrp_pmu",
	.exit = harness_exit,
	.test_cases = pmu_cases,
};
