// SPDX-License-Identifier: GPL-2.0
/*
 * Unusual PMUs: those that are unregistered while they count, those that count for several CPUs
 * at once, exclusive ones, and those with a single counter.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "../module/group.h"
#include "../module/member.h"
#include "../module/overflow.h"
#include "../module/perfcore.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 8

static struct perf_event *member_event(const struct perfgrp_group *group, unsigned int index)
{
	return group->members[index]->instances[0].event;
}

/* A group with a buffer, so that its counters can sample. */
static struct perfgrp_group *sampling_group(struct kunit *test, u32 target)
{
	struct perfgrp_create arg = {
		.target = target,
		.flags = PERFGRP_CREATE_ENABLED,
		.nr_cpus = 1,
		.buffer_size = 2 * PAGE_SIZE,
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	const u32 cpu = 0;

	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, &cpu, &err, &group), 0, "%s", err.text);
	return group;
}

/* ---- PMUs that are unregistered ------------------------------------------- */

/* [G26] A PMU is unregistered: its members are FAILED and keep their counts, the others go on. */
static void pmu_goes(struct kunit *test, u32 target)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	struct perfgrp_group *group = sampling_group(test, target);
	struct perfgrp_error err = harness_error();
	struct perf_event *revoked[2];
	struct perfgrp_counter desc;
	struct perfgrp_value value;
	u32 type = fakes[0]->pmu.type, ids[5];
	unsigned int i;

	desc = FAKE(fakes[0], FAKE_TICKS(1));
	desc.sample_period = 1000;
	ids[0] = harness_add_one(test, group, desc);
	ids[1] = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(2)));
	desc = FAKE(fakes[1], FAKE_TICKS(1));
	desc.sample_period = 1000;
	ids[2] = harness_add_one(test, group, desc);
	ids[3] = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	fake_pmu_tick(fakes[0], 10);
	fake_pmu_tick(fakes[1], 10);
	for (i = 0; i < 2; i++)
		revoked[i] = member_event(group, i);
	fake_pmu_revoke(fakes[0], revoked, 2);

	fake_pmu_tick(fakes[0], 1000);
	fake_pmu_tick(fakes[1], 10);
	for (i = 0; i < 2; i++) {
		value = harness_value(test, group, 0, ids[i]);
		KUNIT_EXPECT_EQ(test, value.raw, (u64)(i + 1) * 10);
		KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
		KUNIT_EXPECT_EQ(test, value.pmu, type);
	}
	value = harness_value(test, group, 0, ids[2]);
	KUNIT_EXPECT_EQ(test, value.raw, 20ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);

	/* A sample reads the other members, and the event is not touched any more. */
	KUNIT_EXPECT_EQ(test, fake_pmu_overflow(member_event(group, 2)), 0);
	KUNIT_EXPECT_EQ(test, harness_set_period(group, ids[0], 2000, NULL), 0);
	KUNIT_EXPECT_EQ(test, harness_set_period(group, ids[2], 2000, NULL), 0);
	harness_disable(group);
	KUNIT_EXPECT_EQ(test, harness_enable(group, NULL), 0);
	ids[4] = harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(3)));
	fake_pmu_tick(fakes[1], 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[4]).raw, 30ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[4]).sched_group, ids[2]);
	value = harness_value(test, group, 0, ids[1]);
	KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_FAILED);

	fake_pmu_unrevoke(fakes[0], revoked, 2);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, ids[1], false, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ_MSG(test, harness_remove(group, ids[0], true, &err), 0, "%s", err.text);
}

static void pmu_of_a_cpu_goes(struct kunit *test)
{
	harness_pin_to(test, 0);
	pmu_goes(test, PERFGRP_TARGET_CPUS);
}

/* [G26] For a task: unregistering a PMU does not make the task appear to have exited. */
static void pmu_of_a_task_goes(struct kunit *test)
{
	harness_pin_to(test, 0);
	pmu_goes(test, PERFGRP_TARGET_TASK);
}

/* [G26] [G16] Nor does it if the counters are inherited. */
static void pmu_of_inherited_goes(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
		harness_pmu(test, SLOTS, FAKE_NO_ROTATION),
	};
	struct perfgrp_counter descs[2] = {
		FAKE(fakes[0], FAKE_TICKS(1)), FAKE(fakes[1], FAKE_TICKS(1)),
	};
	struct perfgrp_error err = harness_error();
	struct perf_event *revoked;
	struct perfgrp_group *group;
	struct perfgrp_value value;

	harness_pin_to(test, 0);
	group = harness_group(test, PERFGRP_TARGET_TASK,
			      PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED);
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, descs, 2, &err), 0, "%s", err.text);
	fake_pmu_tick(fakes[0], 10);
	fake_pmu_tick(fakes[1], 10);
	revoked = member_event(group, 0);
	fake_pmu_revoke(fakes[0], &revoked, 1);
	fake_pmu_tick(fakes[0], 1000);
	fake_pmu_tick(fakes[1], 10);
	value = harness_value(test, group, -1, descs[0].id);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	value = harness_value(test, group, -1, descs[1].id);
	KUNIT_EXPECT_EQ(test, value.raw, 20ULL);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	fake_pmu_unrevoke(fakes[0], &revoked, 1);
}

/* ---- PMUs that count for several CPUs ------------------------------------- */

static int add_on_cpus(struct kunit *test, struct fake_pmu *fake, unsigned int nr, const u32 *cpus,
		       struct perfgrp_error *err)
{
	struct perfgrp_create arg = {
		.target = cpus ? PERFGRP_TARGET_CPUS : PERFGRP_TARGET_ALL_CPUS,
		.nr_cpus = nr,
	};
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_group *group = NULL;
	int ret;

	*err = harness_error();
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, cpus, err, &group), 0, "%s", err->text);
	ret = harness_add(group, &desc, 1, err);
	harness_destroy(group);
	return ret;
}

static void expect_once_a_package(struct kunit *test, struct fake_pmu *fake, u32 in, u32 out)
{
	const u32 both[2] = { min(in, out), max(in, out) };
	struct perfgrp_error err;

	KUNIT_EXPECT_EQ(test, add_on_cpus(test, fake, 1, &in, &err), 0);
	/* As with perf's -C: a single CPU need not be in the cpumask. */
	KUNIT_EXPECT_EQ(test, add_on_cpus(test, fake, 1, &out, &err), 0);
	EXPECT_REFUSED(test, add_on_cpus(test, fake, 2, both, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
	KUNIT_EXPECT_EQ(test, err.cpu, (s32)out);
	EXPECT_TEXT(test, err, fake->name);
	EXPECT_TEXT(test, err, "cpumask");
	EXPECT_REFUSED(test, add_on_cpus(test, fake, 0, NULL, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
}

/* [G25] A PMU of a package is counted on the CPUs of its cpumask, or on one. */
static void pmu_with_cpumask(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	const u32 both[2] = { 0, 1 };
	struct perfgrp_error err;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	fake_pmu_unregister(fake);
	fake->context = perf_invalid_context;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	/* Without the file, like an uncore PMU that exists once per CPU. */
	KUNIT_EXPECT_EQ(test, add_on_cpus(test, fake, 2, both, &err), 0);
	fake->cpumask = cpumask_of(1);
	expect_once_a_package(test, fake, 1, 0);
	fake->cpumask = cpu_possible_mask;
	KUNIT_EXPECT_EQ(test, add_on_cpus(test, fake, 2, both, &err), 0);
	KUNIT_EXPECT_EQ(test, add_on_cpus(test, fake, 0, NULL, &err), 0);
}

/* [G25] The same as pmu_with_cpumask() on kernels where the PMU has a scope. */
static void pmu_with_scope(struct kunit *test)
{
#ifdef PERFGRP_HAVE_PMU_SCOPE
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	fake_pmu_unregister(fake);
	fake->context = perf_invalid_context;
	fake->scope = PERF_PMU_SCOPE_SYS_WIDE;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(fake), 0);
	expect_once_a_package(test, fake, 0, 1);
#else
	kunit_skip(test, "PMUs have no scope");
#endif
}

/* ---- limited resources ----------------------------------------------------- */

/*
 * [G11] A scheduling group's leader is removed: only its siblings get new events. Other members
 * keep theirs, which may hold the only slot.
 */
static void leader_leaves_the_others_alone(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *exclusive = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *other = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perf_event *events[PERFGRP_MAX_MEMBERS];
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;
	unsigned int i, nr;
	u32 ids[6];

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	exclusive->pmu.capabilities |= PERF_PMU_CAP_EXCLUSIVE;
	harness_pin_to(test, 0);
	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	ids[0] = harness_add_one(test, group, FAKE(exclusive, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(other, FAKE_TICKS(1)));
	ids[2] = harness_add_one(test, group, FAKE(other, FAKE_TICKS(2)));
	for (i = 3; i < 6; i++)
		ids[i] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(i)));
	harness_add_breakpoints(group);
	nr = group->nr_members;
	for (i = 0; i < nr; i++)
		events[i] = member_event(group, i);
	fake_pmu_tick(exclusive, 10);
	fake_pmu_tick(other, 10);
	fake_pmu_tick(fake, 10);

	atomic_set(&other->inits, 0);
	KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[3], false, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->inits), 0);
	for (i = 0; i < nr - 1; i++) {
		if (i < 3)
			KUNIT_EXPECT_PTR_EQ(test, member_event(group, i), events[i]);
		else if (i >= 5)
			KUNIT_EXPECT_PTR_EQ(test, member_event(group, i), events[i + 1]);
	}
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[5]).sched_group, ids[4]);
	fake_pmu_tick(exclusive, 10);
	fake_pmu_tick(other, 10);
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[0]).raw, 20ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[1]).raw, 20ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[2]).raw, 40ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[4]).raw, 80ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[5]).raw, 100ULL);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, ids[5]).state,
			(u32)PERFGRP_STATE_COUNTED);
}

/* [G4] If the PMU has a single counter, the self-test relies on software events alone. */
static void links_beside_a_single_counter(struct kunit *test)
{
	struct fake_pmu *fake;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	fake->hardware = true;
	KUNIT_ASSERT_EQ(test, perfgrp_core_link_begin(), 0);
	KUNIT_EXPECT_EQ(test, perfgrp_core_try_link(0), 1);
	fake->slots = 2;
	KUNIT_EXPECT_EQ(test, perfgrp_core_try_link(0), 1);
	perfgrp_core_link_end();
	if (!atomic_read(&fake->inits))
		kunit_skip(test, "this machine has a PMU, which was asked instead");
}

/* ---- an event on another CPU ---------------------------------------------- */

/* [O1] An overflow on a CPU without an instance of the group, because the event was moved there. */
static void overflow_on_a_strange_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = sampling_group(test, PERFGRP_TARGET_CPUS);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perf_sample_data data;
	struct pt_regs regs;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	desc.sample_period = 1000;
	harness_add_one(test, group, desc);
	harness_pin_to(test, 1);
	KUNIT_ASSERT_EQ(test, group->instance_of[1], -1);
	preempt_disable();
	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, 1000);
	perfgrp_overflow(member_event(group, 0), &data, &regs);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, harness_value(test, group, 0, desc.id ?: 1).raw, 0ULL);
}

static struct kunit_case kinds_cases[] = {
	KUNIT_CASE(pmu_of_a_cpu_goes),
	KUNIT_CASE(pmu_of_a_task_goes),
	KUNIT_CASE(pmu_of_inherited_goes),
	KUNIT_CASE(pmu_with_cpumask),
	KUNIT_CASE(pmu_with_scope),
	KUNIT_CASE(leader_leaves_the_others_alone),
	KUNIT_CASE(links_beside_a_single_counter),
	KUNIT_CASE(overflow_on_a_strange_cpu),
	{}
};

struct kunit_suite perfgrp_kinds_suite = {
	.name = "perfgrp_kinds",
	.exit = harness_exit,
	.test_cases = kinds_cases,
};
