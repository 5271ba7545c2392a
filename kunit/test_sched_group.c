// SPDX-License-Identifier: GPL-2.0
/*
 * Which events go under which leader if type and config do not determine the PMU: PMUs that
 * forward events to another, PMUs of several kinds of CPUs, PMUs that are registered and
 * unregistered.
 *
 * Each group is created twice: first nothing is known about its events' PMUs, then
 * sched_group.c may remember them. Both must result in the same scheduling groups, and no event
 * may ever be linked under a leader of another PMU.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "../module/group.h"
#include "../module/perfcore.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 8
#define NR    4

static int sched_group_init(struct kunit *test)
{
	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	harness_pin_to(test, 0);
	return 0;
}

/* An event that goes to whichever PMU counts raw events on its CPU. */
static struct perfgrp_counter raw_event(u64 config)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_RAW,
		.config = config,
		.config1 = FAKE_RAW,
	};
}

/* A generic event of the PMU that the upper half of its config names. */
static struct perfgrp_counter hardware_event(const struct fake_pmu *fake, u64 config)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_HARDWARE,
		.config = (u64)fake->pmu.type << 32 | config,
	};
}

/* The expected state of an event, in a group of NR members, on one CPU. */
struct expected {
	const struct fake_pmu *pmu;
	unsigned int leader;
};

/*
 * Expect that each member's event on an instance is on its PMU and under its leader, which is on
 * the same PMU; and that a snapshot reports this.
 */
static void expect_events(struct kunit *test, struct perfgrp_group *group, unsigned int instance,
			  const struct expected *expected)
{
	const struct perf_event *event, *leader;
	struct perfgrp_value value;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		event = group->members[i]->instances[instance].event;
		leader = group->members[expected[i].leader]->instances[instance].event;
		KUNIT_ASSERT_NOT_NULL(test, event);
		KUNIT_EXPECT_PTR_EQ(test, event->pmu, &expected[i].pmu->pmu);
		KUNIT_EXPECT_PTR_EQ(test, event->group_leader, leader);
		KUNIT_EXPECT_PTR_EQ(test, event->group_leader->pmu, event->pmu);

		value = harness_value(test, group, group->instances[instance].cpu,
				      group->members[i]->id);
		KUNIT_EXPECT_EQ(test, value.pmu, (u32)expected[i].pmu->pmu.type);
		KUNIT_EXPECT_EQ(test, value.sched_group, group->members[expected[i].leader]->id);
	}
}

static void expect_no_strange_leaders(struct kunit *test, struct fake_pmu *const fakes[2])
{
	KUNIT_EXPECT_EQ(test, atomic_read(&fakes[0]->strange_leaders), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fakes[1]->strange_leaders), 0);
}

static int take_inits(struct fake_pmu *const fakes[2])
{
	return atomic_xchg(&fakes[0]->inits, 0) + atomic_xchg(&fakes[1]->inits, 0);
}

static void add_all(struct kunit *test, struct perfgrp_group *group,
		    const struct perfgrp_counter descs[NR])
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter copy[NR];

	memcpy(copy, descs, sizeof(copy));
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, copy, NR, &err), 0, "%s", err.text);
}

/* ---- a PMU that forwards events ------------------------------------------ */

/* [G4] [S12] One type, two PMUs: the first member on each PMU leads on that PMU only. */
static void forwarded_events(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	const struct perfgrp_counter own = FAKE(fakes[0], FAKE_TICKS(1));
	const struct perfgrp_counter forwarded = FAKE(fakes[0], FAKE_TICKS(2) | FAKE_FORWARD);
	const struct perfgrp_counter descs[2][NR] = {
		{ own, forwarded, own, forwarded },
		{ forwarded, forwarded, own, own },
	};
	const struct expected expected[2][NR] = {
		{ { fakes[0], 0 }, { fakes[1], 1 }, { fakes[0], 0 }, { fakes[1], 1 } },
		{ { fakes[1], 0 }, { fakes[1], 0 }, { fakes[0], 2 }, { fakes[0], 2 } },
	};
	struct perfgrp_group *group;
	unsigned int round, i;

	fakes[0]->forward = fakes[1];
	for (round = 0; round < 6; round++) {
		group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
		add_all(test, group, descs[round % 2]);
		expect_events(test, group, 0, expected[round % 2]);
		fake_pmu_tick(fakes[0], 10);
		fake_pmu_tick(fakes[1], 100);
		for (i = 0; i < NR; i++)
			KUNIT_EXPECT_EQ(test,
					harness_value(test, group, 0, group->members[i]->id).raw,
					expected[round % 2][i].pmu == fakes[0] ? 10ULL : 200ULL);
		harness_destroy(group);
	}
	expect_no_strange_leaders(test, fakes);
}

/* [G4] ONE_SCHED_GROUP refuses an event that is forwarded, however often it is tried. */
static void forwarded_beside_one_sched_group(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	struct perfgrp_counter forwarded = FAKE(fakes[0], FAKE_TICKS(2) | FAKE_FORWARD);
	struct perfgrp_error err;
	struct perfgrp_group *group;
	unsigned int i;

	fakes[0]->forward = fakes[1];
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ONE_SCHED_GROUP);
	harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
	for (i = 0; i < 3; i++) {
		err = harness_error();
		EXPECT_REFUSED(test, harness_add(group, &forwarded, 1, &err), EINVAL,
			       PERFGRP_REASON_EVENT_TARGET, "config", err);
		forwarded.id = 0;
	}
	/* Alone in the group it is accepted. */
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ONE_SCHED_GROUP);
	harness_add_one(test, group, forwarded);
	expect_no_strange_leaders(test, fakes);
}

/* [G11] [S12] When the leader of forwarded events is removed, the next one leads. */
static void forwarded_leader_leaves(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	const struct perfgrp_counter own = FAKE(fakes[0], FAKE_TICKS(1));
	const struct perfgrp_counter forwarded = FAKE(fakes[0], FAKE_TICKS(2) | FAKE_FORWARD);
	const struct perfgrp_counter descs[NR] = { own, forwarded, forwarded, forwarded };
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;
	unsigned int i;
	u32 ids[NR];

	fakes[0]->forward = fakes[1];
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	add_all(test, group, descs);
	for (i = 0; i < NR; i++)
		ids[i] = group->members[i]->id;
	KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[1], false, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).sched_group, ids[0]);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[2]).sched_group, ids[2]);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[3]).sched_group, ids[2]);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[3]).pmu,
			(u32)fakes[1]->pmu.type);
	expect_no_strange_leaders(test, fakes);
}

/*
 * [G4] [S12] The other PMU's events have a perf context of their own, as those of IBS before 6.2:
 * the perf core warns of a sibling in another context than its leader's.
 */
static void forwarded_to_another_context(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	const struct perfgrp_counter own = FAKE(fakes[0], FAKE_TICKS(1));
	struct perfgrp_counter forwarded = FAKE(fakes[0], FAKE_TICKS(2) | FAKE_FORWARD);
	struct perfgrp_counter descs[NR];
	struct expected expected[NR] = {
		{ fakes[0], 0 }, { fakes[1], 1 }, { fakes[0], 0 }, { fakes[1], 1 },
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;
	unsigned int i, cpu;

	fake_pmu_unregister(fakes[1]);
	fakes[1]->context = perf_invalid_context;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fakes[1]), 0);
	fakes[0]->forward = fakes[1];

	/* One by one; all at once on all CPUs; and under a leader that was created before. */
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	for (i = 0; i < NR; i++)
		harness_add_one(test, group, i % 2 ? forwarded : own);
	expect_events(test, group, 0, expected);
	harness_destroy(group);

	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
	for (i = 0; i < NR; i++)
		descs[i] = i % 2 ? forwarded : own;
	add_all(test, group, descs);
	for (cpu = 0; cpu < group->nr_instances; cpu++)
		if (cpu_online(group->instances[cpu].cpu))
			expect_events(test, group, cpu, expected);
	fake_pmu_tick(fakes[0], 10);
	fake_pmu_tick(fakes[1], 100);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, group->members[2]->id).raw, 10ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, group->members[3]->id).raw, 200ULL);
	harness_destroy(group);

	/* IBS before 6.2 cannot count tasks: its event is refused, the core PMU's events stay. */
	group = harness_group(test, PERFGRP_TARGET_TASK, PERFGRP_CREATE_ENABLED);
	harness_add_one(test, group, own);
	KUNIT_EXPECT_NE(test, harness_add(group, &forwarded, 1, &err), 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);
	expect_no_strange_leaders(test, fakes);
}

/* [G4] [S12] Members of a PMU that only its context shows to be software stand alone. */
static void software_by_context(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	const struct expected expected[NR] = {
		{ fakes[1], 0 }, { fakes[1], 1 }, { fakes[0], 2 }, { fakes[1], 3 },
	};
	struct perfgrp_counter descs[NR];
	struct perfgrp_group *group;
	unsigned int i, cpu;

	/* Not the first: before 6.2 the contexts of CPUs remember the PMU that came first. */
	fake_pmu_unregister(fakes[1]);
	fakes[1]->context = perf_sw_context;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fakes[1]), 0);
	for (i = 0; i < NR; i++)
		descs[i] = FAKE(expected[i].pmu, FAKE_TICKS(1));

	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	add_all(test, group, descs);
	for (cpu = 0; cpu < group->nr_instances; cpu++)
		if (cpu_online(group->instances[cpu].cpu))
			expect_events(test, group, cpu, expected);
	harness_destroy(group);
	expect_no_strange_leaders(test, fakes);
}

/* ---- several kinds of CPUs ----------------------------------------------- */

static struct cpumask other_cpus;

/* fakes[0] counts raw events on CPU 0, fakes[1] on the others. */
static void make_two_kinds(struct kunit *test, struct fake_pmu *fakes[2])
{
	if (num_online_cpus() == 1)
		kunit_skip(test, "one CPU only");
	cpumask_andnot(&other_cpus, cpu_possible_mask, cpumask_of(0));
	fakes[0] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[0]->cpus = cpumask_of(0);
	fakes[1] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[1]->cpus = &other_cpus;
}

/* [G4] [S11] [S12] One event has a different PMU on each kind of CPU, and leads on each. */
static void hybrid_cpus(struct kunit *test)
{
	const struct perfgrp_counter descs[NR] = {
		raw_event(FAKE_TICKS(1)), raw_event(FAKE_TICKS(2)), raw_event(FAKE_TICKS(1)),
		raw_event(FAKE_TICKS(3)),
	};
	struct expected expected[2][NR] = {};
	struct fake_pmu *fakes[2];
	struct perfgrp_group *group;
	struct perfgrp_snap snap;
	unsigned int round, i;

	make_two_kinds(test, fakes);
	for (i = 0; i < NR; i++) {
		expected[0][i].pmu = fakes[0];
		expected[1][i].pmu = fakes[1];
	}
	for (round = 0; round < 3; round++) {
		group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_ENABLED);
		add_all(test, group, descs);
		for (i = 0; i < group->nr_instances; i++)
			if (cpu_online(group->instances[i].cpu))
				expect_events(test, group, i,
					      expected[group->instances[i].cpu != 0]);

		KUNIT_ASSERT_EQ(test, harness_snapshot(group,
						       PERFGRP_SNAPSHOT_TOTALS |
						       PERFGRP_SNAPSHOT_MIX_PMUS, &snap), 0);
		KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
		for (i = 0; i < NR; i++)
			KUNIT_EXPECT_EQ(test, snap.values[i].sched_group, group->members[0]->id);
		perfgrp_snapshot_free(&snap);
		harness_destroy(group);
	}
	expect_no_strange_leaders(test, fakes);
}

/* [G4] [E5] Generic events whose config names the PMU have one type, but different PMUs. */
static void extended_types(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	const struct perfgrp_counter descs[NR] = {
		hardware_event(fakes[0], FAKE_TICKS(1)), hardware_event(fakes[1], FAKE_TICKS(1)),
		hardware_event(fakes[0], FAKE_TICKS(1)), hardware_event(fakes[1], FAKE_TICKS(1)),
	};
	const struct expected expected[NR] = {
		{ fakes[0], 0 }, { fakes[1], 1 }, { fakes[0], 0 }, { fakes[1], 1 },
	};
	struct perfgrp_group *group;
	unsigned int round;

	fakes[0]->hardware = true;
	fakes[1]->hardware = true;
	for (round = 0; round < 3; round++) {
		group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
		add_all(test, group, descs);
		expect_events(test, group, 0, expected);
		harness_destroy(group);
	}
	expect_no_strange_leaders(test, fakes);
}

/* ---- how often an event is created --------------------------------------- */

/* A generic event, which only the PMU that its config names counts. */
static struct perfgrp_counter generic_event(const struct fake_pmu *fake)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_HARDWARE,
		.config = (u64)fake->pmu.type << PERF_PMU_TYPE_SHIFT | FAKE_TICKS(1),
	};
}

/*
 * [G4] An event that belongs under the previous leader is created once. One of another PMU is tried
 * there on one CPU only, where it must not be linked; on the others its PMU is known.
 */
static void created_once(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	struct perfgrp_group *group;
	int nr = num_online_cpus();

	fakes[0]->hardware = true;
	fakes[1]->hardware = true;
	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	harness_add_one(test, group, generic_event(fakes[1]));
	KUNIT_EXPECT_EQ(test, take_inits(fakes), nr);
	harness_add_one(test, group, generic_event(fakes[1]));
	KUNIT_EXPECT_EQ(test, take_inits(fakes), nr);
	harness_add_one(test, group, generic_event(fakes[0]));
	KUNIT_EXPECT_EQ(test, take_inits(fakes), nr + 1);
	/* Now the most recent leader is on the other PMU. */
	harness_add_one(test, group, generic_event(fakes[0]));
	KUNIT_EXPECT_EQ(test, take_inits(fakes), nr);
	harness_destroy(group);
	/* An event that is tried under the wrong leader must not be added to its PMU, either. */
	KUNIT_EXPECT_EQ(test, atomic_read(&fakes[0]->adds), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fakes[1]->adds), 0);
	expect_no_strange_leaders(test, fakes);
}

/* [G4] An event that by its type cannot belong under a leader is not tried there. */
static void not_tried_under_uncore(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	struct perfgrp_group *group;
	int nr = num_online_cpus();

	fakes[0]->hardware = true;
	fake_pmu_unregister(fakes[1]);
	fakes[1]->context = perf_invalid_context;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fakes[1]), 0);
	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(1)));
	harness_add_one(test, group, generic_event(fakes[0]));
	harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(1)));
	harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
	KUNIT_EXPECT_EQ(test, take_inits(fakes), 4 * nr);
	harness_destroy(group);
	expect_no_strange_leaders(test, fakes);
}

/* [G4] An event that its driver counts on another CPU than the leader is refused, not linked. */
static void counted_on_another_cpu(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	struct perfgrp_counter desc = FAKE(fakes[0], FAKE_TICKS(1) | FAKE_ON_CPU0);
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;

	if (!cpu_online(1))
		kunit_skip(test, "CPU 1 is not online");
	group = harness_cpu_group(test, 1, 0);
	harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
	KUNIT_EXPECT_EQ(test, harness_add(group, &desc, 1, &err), -EINVAL);
	KUNIT_EXPECT_EQ(test, err.reason, (u32)PERFGRP_REASON_EVENT_TARGET);
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);
	harness_destroy(group);
	expect_no_strange_leaders(test, fakes);
}

/* [G4] Events that a PMU counts only under a leader of its own, as Intel's topdown metrics. */
static void counted_as_sibling_only(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	const struct perfgrp_counter sibling = FAKE(fakes[0], FAKE_TICKS(2) | FAKE_SIBLING);
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter desc = sibling;
	u32 leader, id;

	KUNIT_EXPECT_EQ(test, harness_add(group, &desc, 1, &err), -EINVAL);
	KUNIT_EXPECT_EQ(test, err.reason, (u32)PERFGRP_REASON_EVENT_OPTION);
	harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(1)));
	desc = sibling;
	KUNIT_EXPECT_EQ(test, harness_add(group, &desc, 1, &err), -EINVAL);
	KUNIT_EXPECT_EQ(test, err.reason, (u32)PERFGRP_REASON_EVENT_OPTION);
	leader = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
	id = harness_add_one(test, group, sibling);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, id).sched_group, leader);
	harness_destroy(group);
	expect_no_strange_leaders(test, fakes);
}

/*
 * [G4] A PMU that is registered again under another number, at the same address, may count
 * other events than before.
 */
static void registered_under_another_number(struct kunit *test)
{
	struct fake_pmu *fakes[2], *third;
	struct perfgrp_group *group;
	unsigned int round;
	u32 type, id, raw;

	fakes[0] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[1] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[0]->cpus = cpumask_of(0);
	for (round = 0; round < 2; round++) {
		group = harness_cpu_group(test, 0, 0);
		id = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
		raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).sched_group, id);
		harness_destroy(group);
	}

	/* A third PMU gets its number, and the second one counts raw events. */
	type = fakes[0]->pmu.type;
	fake_pmu_unregister(fakes[0]);
	third = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	KUNIT_EXPECT_EQ(test, (u32)third->pmu.type, type);
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fakes[0]), 0);
	KUNIT_EXPECT_NE(test, (u32)fakes[0]->pmu.type, type);
	fakes[0]->cpus = NULL;
	fakes[1]->cpus = cpumask_of(0);
	for (round = 0; round < 2; round++) {
		group = harness_cpu_group(test, 0, 0);
		harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
		raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).sched_group, raw);
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).pmu,
				(u32)fakes[1]->pmu.type);
		harness_destroy(group);
	}
	expect_no_strange_leaders(test, fakes);
}

/* The PMU that the perf core tries first for a raw event on any CPU; depends on the kernel. */
static struct fake_pmu *asked_first(struct kunit *test, struct fake_pmu *const fakes[2])
{
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_TASK, 0);
	u32 raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
	bool second = harness_value(test, group, -1, raw).pmu == (u32)fakes[1]->pmu.type;

	harness_destroy(group);
	return fakes[second];
}

/*
 * [G4] A task's event for one CPU is counted by that CPU's PMU; one for any CPU may be counted
 * by another.
 */
static void any_cpu_of_several_kinds(struct kunit *test)
{
	struct perfgrp_create arg = { .target = PERFGRP_TARGET_TASK, .nr_cpus = 1 };
	struct perfgrp_error err = harness_error();
	struct fake_pmu *fakes[2], *first, *other;
	struct perfgrp_group *group = NULL;
	u32 cpu, own, raw;

	make_two_kinds(test, fakes);
	first = asked_first(test, fakes);
	other = first == fakes[0] ? fakes[1] : fakes[0];
	cpu = cpumask_first(other->cpus);
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, &cpu, &err, &group), 0, "%s", err.text);
	own = harness_add_one(test, group, FAKE(other, FAKE_TICKS(1)));
	raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, cpu, raw).sched_group, own);

	group = harness_group(test, PERFGRP_TARGET_TASK, 0);
	own = harness_add_one(test, group, FAKE(other, FAKE_TICKS(1)));
	raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, raw).pmu, (u32)first->pmu.type);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, raw).sched_group, raw);
	expect_no_strange_leaders(test, fakes);
}

/* [G4] A PMU is registered later, and counts events that another one did before. */
static void registered_since(struct kunit *test)
{
	struct perfgrp_group *group;
	struct fake_pmu *fakes[2];
	unsigned int round;
	u32 own, raw;

	fakes[0] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[0]->cpus = cpumask_of(0);
	for (round = 0; round < 2; round++) {
		group = harness_cpu_group(test, 0, 0);
		own = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
		raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).sched_group, own);
	}
	fakes[1] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[1]->cpus = cpumask_of(0);
	/* Some kernels try it first, others last. */
	fakes[0]->cpus = NULL;
	/* Add to the last group, and to a new one. */
	for (round = 0; round < 2; round++) {
		raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).sched_group, raw);
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).pmu,
				(u32)fakes[1]->pmu.type);
		group = harness_cpu_group(test, 0, 0);
		harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
	}
	expect_no_strange_leaders(test, fakes);
}

/* [G4] A PMU that is registered again under its old number, and counts other events. */
static void registered_again(struct kunit *test)
{
	struct perfgrp_group *group;
	struct fake_pmu *fakes[2];
	unsigned int round;
	u32 type, own, raw;

	fakes[0] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[1] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	fakes[0]->cpus = cpumask_of(0);
	for (round = 0; round < 2; round++) {
		group = harness_cpu_group(test, 0, 0);
		own = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
		raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
		KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).sched_group, own);
		harness_destroy(group);
	}
	type = fakes[0]->pmu.type;
	fake_pmu_unregister(fakes[0]);
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fakes[0]), 0);
	KUNIT_EXPECT_EQ(test, (u32)fakes[0]->pmu.type, type);
	fakes[0]->cpus = NULL;
	fakes[1]->cpus = cpumask_of(0);
	group = harness_cpu_group(test, 0, 0);
	harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
	raw = harness_add_one(test, group, raw_event(FAKE_TICKS(1)));
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).sched_group, raw);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, raw).pmu, (u32)fakes[1]->pmu.type);
	expect_no_strange_leaders(test, fakes);
}

static struct kunit_case sched_group_cases[] = {
	KUNIT_CASE(forwarded_events),
	KUNIT_CASE(forwarded_beside_one_sched_group),
	KUNIT_CASE(forwarded_leader_leaves),
	KUNIT_CASE(forwarded_to_another_context),
	KUNIT_CASE(software_by_context),
	KUNIT_CASE(hybrid_cpus),
	KUNIT_CASE(extended_types),
	KUNIT_CASE(created_once),
	KUNIT_CASE(not_tried_under_uncore),
	KUNIT_CASE(counted_on_another_cpu),
	KUNIT_CASE(counted_as_sibling_only),
	KUNIT_CASE(registered_under_another_number),
	KUNIT_CASE(any_cpu_of_several_kinds),
	KUNIT_CASE(registered_since),
	KUNIT_CASE(registered_again),
	{}
};

struct kunit_suite perfgrp_sched_group_suite = {
	.name = "perfgrp_sched_group",
	.init = sched_group_init,
	.exit = harness_exit,
	.test_cases = sched_group_cases,
};
