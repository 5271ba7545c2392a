// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: creation, adding and removing members, and the refusals of each. On software
 * counters; what needs a PMU is in test_pmu.c.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/uidgid.h>

#include "../module/access.h"
#include "../module/group.h"
#include "../module/member.h"
#include "../module/perfgrp.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

#define DUMMY EVENT(PERFGRP_SW_DUMMY)
#define CLOCK EVENT(PERFGRP_SW_CPU_CLOCK)

/* ---- creation ------------------------------------------------------------ */

/* [G1] [G16] [G20] What perfgrp_group_check() refuses, and a task that does not exist. */
static void create_refusals(struct kunit *test)
{
	static const struct {
		struct perfgrp_create arg;
		int error;
		u32 reason;
		const char *field;
	} bad[] = {
		{ { .target = PERFGRP_TARGET_NONE },
		  EINVAL, PERFGRP_REASON_TARGET, "target" },
		{ { .target = PERFGRP_TARGET_CGROUP + 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "target" },
		{ { .target = PERFGRP_TARGET_CPUS },
		  EINVAL, PERFGRP_REASON_EMPTY, "nr_cpus" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .nr_cpus = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "nr_cpus" },
		{ { .target = PERFGRP_TARGET_TASK, .nr_cpus = 2 },
		  EINVAL, PERFGRP_REASON_TARGET, "nr_cpus" },
		{ { .target = PERFGRP_TARGET_TASK, .pid = -1 },
		  EINVAL, PERFGRP_REASON_PID, "pid" },
		{ { .target = PERFGRP_TARGET_TASK, .pid = 0x7fffffff },
		  ESRCH, PERFGRP_REASON_PID, "pid" },
		{ { .target = PERFGRP_TARGET_TASK, .target_fd = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "target_fd" },
		{ { .target = PERFGRP_TARGET_PIDFD, .pid = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "pid" },
		{ { .target = PERFGRP_TARGET_PIDFD, .nr_cpus = 2 },
		  EINVAL, PERFGRP_REASON_TARGET, "nr_cpus" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .pid = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "pid" },
		{ { .target = PERFGRP_TARGET_CPUS, .pid = 1, .nr_cpus = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "pid" },
		{ { .target = PERFGRP_TARGET_CPUS, .target_fd = 1, .nr_cpus = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "target_fd" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .cpus = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "cpus" },
		{ { .target = PERFGRP_TARGET_CPUS, .nr_cpus = ~0U, .cpus = 1 },
		  EINVAL, PERFGRP_REASON_CPU, "nr_cpus" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .flags = PERFGRP_CREATE_INHERIT },
		  EINVAL, PERFGRP_REASON_FLAGS, "flags" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .flags = PERFGRP_CREATE_ENABLE_ON_EXEC },
		  EINVAL, PERFGRP_REASON_FLAGS, "flags" },
		{ { .target = PERFGRP_TARGET_TASK,
		    .flags = PERFGRP_CREATE_ENABLE_ON_EXEC | PERFGRP_CREATE_ENABLED },
		  EINVAL, PERFGRP_REASON_FLAGS, "flags" },
		{ { .target = PERFGRP_TARGET_TASK,
		    .flags = PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_NO_MUX },
		  EINVAL, PERFGRP_REASON_FLAGS, "flags" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .flags = PERFGRP_CREATE_OVERWRITE },
		  EINVAL, PERFGRP_REASON_FLAGS, "flags" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .wakeup_records = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "wakeup_records" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .wakeup_bytes = 1 },
		  EINVAL, PERFGRP_REASON_TARGET, "wakeup_bytes" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .buffer_size = 8192, .wakeup_bytes = 4097 },
		  EINVAL, PERFGRP_REASON_LIMIT, "wakeup_bytes" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .buffer_size = PERFGRP_MAX_BUFFER + 1 },
		  EINVAL, PERFGRP_REASON_LIMIT, "buffer_size" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .sample_type = PERF_SAMPLE_IP },
		  EOPNOTSUPP, PERFGRP_REASON_FEATURE, "sample_type" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .clockid = CLOCK_BOOTTIME },
		  EINVAL, PERFGRP_REASON_RESERVED, "clockid" },
		{ { .target = PERFGRP_TARGET_ALL_CPUS, .flags = PERFGRP_CREATE_USE_CLOCKID,
		    .clockid = CLOCK_PROCESS_CPUTIME_ID },
		  EINVAL, PERFGRP_REASON_FLAGS, "clockid" },
	};
	struct perfgrp_group *group = NULL;
	struct perfgrp_error err;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		err = harness_error();
		ret = harness_create(&bad[i].arg, NULL, &err, &group);
		EXPECT_REFUSED(test, ret, bad[i].error, bad[i].reason, bad[i].field, err);
		KUNIT_EXPECT_EQ(test, err.member, PERFGRP_NONE);
		KUNIT_EXPECT_EQ(test, err.cpu, -1);
	}
	KUNIT_EXPECT_NULL(test, group);
}

/* [G1] A task on any CPU and on one, one CPU, a list in any order, all CPUs. */
static void create_targets(struct kunit *test)
{
	struct perfgrp_create arg = { .target = PERFGRP_TARGET_TASK, .nr_cpus = 1 };
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;
	u32 cpus[2] = { 0 };

	group = harness_group(test, PERFGRP_TARGET_TASK, 0);
	KUNIT_EXPECT_EQ(test, group->nr_instances, 1U);
	KUNIT_EXPECT_EQ(test, group->instances[0].cpu, -1);
	KUNIT_EXPECT_PTR_EQ(test, group->task, current);
	harness_destroy(group);

	arg.pid = task_pid_vnr(current);
	KUNIT_ASSERT_EQ(test, harness_create(&arg, cpus, &err, &group), 0);
	KUNIT_EXPECT_EQ(test, group->instances[0].cpu, 0);
	KUNIT_EXPECT_PTR_EQ(test, group->task, current);
	harness_destroy(group);

	group = harness_cpu_group(test, 0, 0);
	KUNIT_EXPECT_EQ(test, group->nr_instances, 1U);
	KUNIT_EXPECT_EQ(test, group->instances[0].cpu, 0);
	KUNIT_EXPECT_NULL(test, group->task);
	harness_destroy(group);

	if (num_online_cpus() > 1) {
		arg = (struct perfgrp_create){ .target = PERFGRP_TARGET_CPUS, .nr_cpus = 2 };
		cpus[0] = cpumask_last(cpu_online_mask);
		cpus[1] = cpumask_first(cpu_online_mask);
		KUNIT_ASSERT_EQ(test, harness_create(&arg, cpus, &err, &group), 0);
		KUNIT_EXPECT_EQ(test, group->nr_instances, 2U);
		KUNIT_EXPECT_EQ(test, group->instances[0].cpu, (int)cpus[1]);
		KUNIT_EXPECT_EQ(test, group->instances[1].cpu, (int)cpus[0]);
		harness_destroy(group);
	}

	group = harness_group(test, PERFGRP_TARGET_ALL_CPUS, 0);
	KUNIT_EXPECT_EQ(test, group->nr_rows, num_online_cpus());
	KUNIT_EXPECT_EQ(test, group->nr_instances, num_possible_cpus());
}

/* [E6] A group is disabled at first, unless created with ENABLED. */
static void starts_disabled(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_value value;
	u32 id;

	id = harness_add_one(test, group, CLOCK);
	value = harness_value(test, group, 0, id);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	harness_destroy(group);

	group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, CLOCK);
	value = harness_value(test, group, 0, id);
	KUNIT_EXPECT_GT(test, value.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
}

/* ---- members ------------------------------------------------------------- */

/* [G2] [S4] The first member leads; the others follow in the order in which they were added. */
static void first_leads(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_counter descs[3] = { CLOCK, DUMMY, CLOCK };
	struct perfgrp_error err = harness_error();
	struct perfgrp_snap snap;
	unsigned int i;
	u32 last;

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	last = harness_add_one(test, group, DUMMY);
	KUNIT_EXPECT_EQ(test, err.member, PERFGRP_NONE);
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	KUNIT_EXPECT_EQ(test, snap.nr_values, 4U);
	/* Software members are a scheduling group each. */
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, snap.values[i].id, i < 3 ? descs[i].id : last);
		KUNIT_EXPECT_EQ(test, snap.values[i].sched_group, snap.values[i].id);
	}
	perfgrp_snapshot_free(&snap);
	KUNIT_EXPECT_NE(test, descs[0].id, 0U);

	/* Its removal without the others is refused: it is the leader. */
	EXPECT_REFUSED(test, harness_remove(group, descs[0].id, false, &err), EBUSY,
		       PERFGRP_REASON_LEADER, "id", err);
}

/* [G3] PERFGRP_MAX_MEMBERS are accepted, one more is refused. */
static void limit_of_members(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_counter desc = DUMMY;
	struct perfgrp_error err = harness_error();
	char number[16];
	unsigned int i;
	u32 ids[2];

	KUNIT_EXPECT_GE(test, PERFGRP_MAX_MEMBERS, 16);
	for (i = 0; i < PERFGRP_MAX_MEMBERS; i++)
		ids[i % 2] = harness_add_one(test, group, DUMMY);
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), ENOSPC, PERFGRP_REASON_LIMIT,
		       "nr_counters", err);
	KUNIT_EXPECT_EQ(test, err.member, 0U);
	snprintf(number, sizeof(number), "%d", PERFGRP_MAX_MEMBERS);
	EXPECT_TEXT(test, err, number);
	KUNIT_EXPECT_EQ(test, group->nr_members, (unsigned int)PERFGRP_MAX_MEMBERS);

	/* Removing one makes room for one; the error names the first member that does not fit. */
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, ids[0], false, &err), 0);
	{
		struct perfgrp_counter two[2] = { DUMMY, DUMMY };

		EXPECT_REFUSED(test, harness_add(group, two, 2, &err), ENOSPC,
			       PERFGRP_REASON_LIMIT, "nr_counters", err);
		KUNIT_EXPECT_EQ(test, err.member, 1U);
	}
	harness_add_one(test, group, DUMMY);
}

/* [G8] [E7] All are added or none; the error names the one that was refused. */
static void add_all_or_none(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[3] = {
		CLOCK, DUMMY, { .flags = PERFGRP_COUNTER_RAW, .type = 0x7ffffff0, .config = 0x12 },
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value before, after;
	u32 id = harness_add_one(test, group, CLOCK);

	before = harness_value(test, group, 0, id);
	EXPECT_REFUSED(test, harness_add(group, descs, 3, &err), ENOENT, PERFGRP_REASON_EVENT,
		       "config", err);
	KUNIT_EXPECT_EQ(test, err.member, 2U);
	EXPECT_TEXT(test, err, "type 2147483632 config 0x12");
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);
	KUNIT_EXPECT_NULL(test, group->members[1]);
	KUNIT_EXPECT_NULL(test, group->members[2]);
	KUNIT_EXPECT_NULL(test, group->members[3]);

	/* The group was not restarted, and still counts. */
	after = harness_value(test, group, 0, id);
	KUNIT_EXPECT_GT(test, after.raw, before.raw);
	KUNIT_EXPECT_GT(test, after.time_enabled, before.time_enabled);
}

/* [G8] perfgrp_group_abort_add() leaves the group as it was, counting. */
static void add_aborted(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[2] = { DUMMY, DUMMY };
	struct perfgrp_error err = harness_error();
	struct perfgrp_value before, after;
	u32 id = harness_add_one(test, group, CLOCK);
	int ret;

	before = harness_value(test, group, 0, id);
	down_write(&group->lock);
	ret = perfgrp_group_prepare_add(group, descs, 2, &err);
	if (!ret)
		perfgrp_group_abort_add(group, 2);
	up_write(&group->lock);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);
	KUNIT_EXPECT_NULL(test, group->members[1]);
	after = harness_value(test, group, 0, id);
	KUNIT_EXPECT_GT(test, after.time_enabled, before.time_enabled);
}

/* [G7] Adding restarts the whole group from zero. */
static void add_restarts(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value value;
	u32 id = harness_add_one(test, group, CLOCK);

	do {
		value = harness_value(test, group, 0, id);
	} while (value.time_enabled < 20000000 || !value.raw);

	harness_disable(group);
	harness_add_one(test, group, DUMMY);
	value = harness_value(test, group, 0, id);
	KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, value.time_running, 0ULL);
}

/* [G11] An id is never used again; the error for a stale one says that it was used. */
static void ids_are_never_reused(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_error err = harness_error();
	u32 leader = harness_add_one(test, group, DUMMY);
	u32 stale = harness_add_one(test, group, DUMMY);
	u32 id, highest = stale;
	unsigned int i;

	KUNIT_EXPECT_NE(test, leader, stale);
	KUNIT_EXPECT_EQ(test, harness_remove(group, stale, false, &err), 0);
	for (i = 0; i < 10; i++) {
		id = harness_add_one(test, group, DUMMY);
		KUNIT_EXPECT_GT(test, id, highest);
		highest = id;
		KUNIT_EXPECT_EQ(test, harness_remove(group, id, i % 2, &err), 0);
	}
	EXPECT_REFUSED(test, harness_remove(group, stale, true, &err), ENOENT,
		       PERFGRP_REASON_MEMBER, "id", err);
	KUNIT_EXPECT_EQ(test, err.member, stale);
	EXPECT_TEXT(test, err, "any more");

	/* Even after all members were removed. */
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, leader, false, &err), 0);
	id = harness_add_one(test, group, DUMMY);
	KUNIT_EXPECT_GT(test, id, highest);
}

/* [G11] */
static void unknown_ids(struct kunit *test)
{
	static const u32 unknown[] = { 0, 2, 99, PERFGRP_NONE - 1, PERFGRP_NONE };
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_error err;
	unsigned int i;
	u32 removed;

	harness_add_one(test, group, DUMMY);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		err = harness_error();
		EXPECT_REFUSED(test, harness_remove(group, unknown[i], false, &err), ENOENT,
			       PERFGRP_REASON_MEMBER, "id", err);
		KUNIT_EXPECT_EQ(test, err.member, unknown[i]);
		KUNIT_EXPECT_NULL(test, strstr(err.text, "any more"));
	}
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);

	removed = harness_add_one(test, group, DUMMY);
	err = harness_error();
	KUNIT_ASSERT_EQ(test, harness_remove(group, removed, false, &err), 0);
	EXPECT_REFUSED(test, harness_remove(group, removed, false, &err), ENOENT,
		       PERFGRP_REASON_MEMBER, "id", err);
	EXPECT_TEXT(test, err, "any more");
}

/* [G11] Ids do not wrap around: adding fails when they are used up. */
static void ids_run_out(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter desc = DUMMY;

	group->next_id = PERFGRP_NONE - 2;
	KUNIT_EXPECT_EQ(test, harness_add_one(test, group, DUMMY), PERFGRP_NONE - 1);
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), ENOSPC, PERFGRP_REASON_LIMIT,
		       "nr_counters", err);
	KUNIT_EXPECT_EQ(test, group->nr_members, 1U);
}

/* [G11] When a member is removed, the others keep their counts and go on counting. */
static void others_go_on(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_counter descs[4] = { CLOCK, CLOCK, DUMMY, CLOCK };
	struct perfgrp_error err = harness_error();
	struct perfgrp_value before[2], after[2];

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 4, &err), 0);
	before[0] = harness_value(test, group, 0, descs[0].id);
	before[1] = harness_value(test, group, 0, descs[3].id);
	KUNIT_EXPECT_EQ(test, harness_remove(group, descs[1].id, false, &err), 0);
	/* If the TSC is not stable, the clock stands still between ticks. */
	msleep(20);
	after[0] = harness_value(test, group, 0, descs[0].id);
	after[1] = harness_value(test, group, 0, descs[3].id);
	KUNIT_EXPECT_GT(test, after[0].raw, before[0].raw);
	KUNIT_EXPECT_GT(test, after[1].raw, before[1].raw);
	KUNIT_EXPECT_EQ(test, group->nr_members, 3U);
	KUNIT_EXPECT_EQ(test, group->members[1]->id, descs[2].id);
	KUNIT_EXPECT_EQ(test, group->members[2]->id, descs[3].id);
}

/* [G12] */
static void removing_the_leader(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_counter descs[3] = { DUMMY, DUMMY, CLOCK };
	struct perfgrp_error err = harness_error();
	u32 id;

	KUNIT_ASSERT_EQ(test, harness_add(group, descs, 3, &err), 0);
	EXPECT_REFUSED(test, harness_remove(group, descs[0].id, false, &err), EBUSY,
		       PERFGRP_REASON_LEADER, "id", err);
	EXPECT_TEXT(test, err, "leads 2 others");
	KUNIT_EXPECT_EQ(test, group->nr_members, 3U);

	/* CASCADE on a member that is not the leader removes only that member. */
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, descs[1].id, true, &err), 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, 2U);

	KUNIT_EXPECT_EQ(test, harness_remove(group, descs[0].id, true, &err), 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
	KUNIT_EXPECT_NULL(test, group->members[0]);
	EXPECT_REFUSED(test, harness_remove(group, descs[2].id, true, &err), ENOENT,
		       PERFGRP_REASON_MEMBER, "id", err);

	/* The group is like a new one, except that ids go on. */
	id = harness_add_one(test, group, DUMMY);
	KUNIT_EXPECT_GT(test, id, descs[2].id);
	/* A leader without other members can be removed without CASCADE. */
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, id, false, &err), 0);
}

/* ---- control ------------------------------------------------------------- */

static void expect_still(struct kunit *test, struct perfgrp_group *group, u32 id)
{
	struct perfgrp_value first = harness_value(test, group, 0, id);
	struct perfgrp_value second = harness_value(test, group, 0, id);

	KUNIT_EXPECT_EQ(test, first.raw, second.raw);
	KUNIT_EXPECT_EQ(test, first.time_enabled, second.time_enabled);
	KUNIT_EXPECT_EQ(test, first.time_running, second.time_running);
}

/* [G9] Any number of times, in any order, also without members. */
static void control_is_idempotent(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_value before, after;
	unsigned int i;
	u32 id;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, harness_enable(group, NULL), 0);
		KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
		harness_disable(group);
		harness_disable(group);
	}
	id = harness_add_one(test, group, CLOCK);
	expect_still(test, group, id);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, harness_enable(group, NULL), 0);
		before = harness_value(test, group, 0, id);
		KUNIT_EXPECT_EQ(test, harness_enable(group, NULL), 0);
		after = harness_value(test, group, 0, id);
		KUNIT_EXPECT_GT(test, after.raw, before.raw);
		KUNIT_EXPECT_EQ(test, after.state, (u32)PERFGRP_STATE_COUNTED);

		harness_disable(group);
		expect_still(test, group, id);
		harness_disable(group);
		expect_still(test, group, id);
		/* Nothing is lost by it. */
		KUNIT_EXPECT_GE(test, harness_value(test, group, 0, id).raw, after.raw);
	}
}

/* [G9] Reset zeroes counts and times, whether the group is enabled or not. */
static void reset(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	u32 id = harness_add_one(test, group, CLOCK);
	struct perfgrp_value before, after;

	before = harness_value(test, group, 0, id);
	while (before.time_enabled < 20000000)
		before = harness_value(test, group, 0, id);
	KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
	after = harness_value(test, group, 0, id);
	KUNIT_EXPECT_LT(test, after.time_enabled, before.time_enabled);
	KUNIT_EXPECT_LT(test, after.time_running, before.time_running);
	KUNIT_EXPECT_LT(test, after.raw, before.raw);

	harness_disable(group);
	KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
	KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
	after = harness_value(test, group, 0, id);
	KUNIT_EXPECT_EQ(test, after.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, after.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, after.time_running, 0ULL);
	KUNIT_EXPECT_EQ(test, after.state, (u32)PERFGRP_STATE_NEVER_RAN);
}

/* [G6] Software members run all the time: time_running is time_enabled. */
static void software_is_never_multiplexed(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	static struct perfgrp_counter descs[PERFGRP_MAX_MEMBERS];
	struct perfgrp_error err = harness_error();
	struct perfgrp_snap snap;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(descs); i++)
		descs[i] = i % 2 ? DUMMY : CLOCK;
	KUNIT_ASSERT_EQ(test, harness_add(group, descs, ARRAY_SIZE(descs), &err), 0);
	for (j = 0; j < 10; j++) {
		KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
		for (i = 0; i < snap.nr_values; i++) {
			KUNIT_EXPECT_EQ(test, snap.values[i].time_enabled,
					snap.values[i].time_running);
			KUNIT_EXPECT_EQ(test, snap.values[i].state, (u32)PERFGRP_STATE_COUNTED);
			KUNIT_EXPECT_EQ(test, snap.values[i].scaled, snap.values[i].raw);
		}
		perfgrp_snapshot_free(&snap);
	}
}

/* ---- events that do not exist, permissions, limits ------------------------ */

/* [E7] [G8] */
static void event_that_the_machine_lacks(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter descs[2] = { DUMMY, EVENT(PERFGRP_HW_CPU_CYCLES) };
	struct perfgrp_counter alone = descs[1];
	int ret;

	ret = harness_add(group, &alone, 1, &err);
	if (!ret)
		kunit_skip(test, "the machine counts cycles");
	EXPECT_REFUSED(test, ret, ENOENT, PERFGRP_REASON_EVENT, "event", err);
	EXPECT_TEXT(test, err, "cpu-cycles");
	KUNIT_EXPECT_EQ(test, err.member, 0U);
	KUNIT_EXPECT_EQ(test, err.cpu, 0);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);

	EXPECT_REFUSED(test, harness_add(group, descs, 2, &err), ENOENT, PERFGRP_REASON_EVENT,
		       "event", err);
	KUNIT_EXPECT_EQ(test, err.member, 1U);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
}

/* [E7] PERFGRP_EVENT() of a type or config that does not exist. */
static void event_that_no_kernel_has(struct kunit *test)
{
	static const u64 none[] = {
		PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 0xffff),
		PERFGRP_EVENT(0x7fffffff, 0),
	};
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct perfgrp_counter desc;
	struct perfgrp_error err;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		err = harness_error();
		desc = EVENT(none[i]);
		ret = harness_add(group, &desc, 1, &err);
		EXPECT_REFUSED(test, ret, ENOENT, PERFGRP_REASON_EVENT, "event", err);
		KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
	}
}

/* [A2] Without CAP_PERFMON nothing is created and nothing added. */
static void without_capability(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0), *other = NULL;
	struct perfgrp_create arg = { .target = PERFGRP_TARGET_TASK };
	struct perfgrp_error create_err = harness_error(), add_err = harness_error();
	struct perfgrp_counter desc = DUMMY;
	const struct cred *own;
	struct cred *poor;
	int create_ret, add_ret;

	poor = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, poor);
	poor->cap_effective = (kernel_cap_t){};
	own = override_creds(poor);
	create_ret = harness_create(&arg, NULL, &create_err, &other);
	add_ret = harness_add(group, &desc, 1, &add_err);
	revert_creds(own);
	put_cred(poor);

	EXPECT_REFUSED(test, create_ret, EACCES, PERFGRP_REASON_PRIVILEGE, "", create_err);
	EXPECT_TEXT(test, create_err, "CAP_PERFMON");
	EXPECT_REFUSED(test, add_ret, EACCES, PERFGRP_REASON_PRIVILEGE, "", add_err);
	KUNIT_EXPECT_EQ(test, group->nr_members, 0U);
}

/* [A6] */
static void limit_of_groups(struct kunit *test)
{
	kuid_t user = make_kuid(&init_user_ns, 54321), other = make_kuid(&init_user_ns, 54322);
	struct perfgrp_error err = harness_error();
	unsigned int i, charged = 0;
	char number[16];
	int ret;

	for (i = 0; i < PERFGRP_MAX_GROUPS; i++)
		charged += !perfgrp_access_charge_group(user, &err);
	KUNIT_EXPECT_EQ(test, charged, (unsigned int)PERFGRP_MAX_GROUPS);
	ret = perfgrp_access_charge_group(user, &err);
	EXPECT_REFUSED(test, ret, ENOSPC, PERFGRP_REASON_LIMIT, "", err);
	snprintf(number, sizeof(number), "%d", PERFGRP_MAX_GROUPS);
	EXPECT_TEXT(test, err, number);

	/* Other users are not affected, and destroying a group makes room for one. */
	KUNIT_EXPECT_EQ(test, perfgrp_access_charge_group(other, &err), 0);
	perfgrp_access_uncharge_group(other);
	perfgrp_access_uncharge_group(user);
	KUNIT_EXPECT_EQ(test, perfgrp_access_charge_group(user, &err), 0);
	KUNIT_EXPECT_EQ(test, perfgrp_access_charge_group(user, &err), -ENOSPC);
	for (i = 0; i < charged; i++)
		perfgrp_access_uncharge_group(user);
}

static struct kunit_case group_cases[] = {
	KUNIT_CASE(create_refusals),
	KUNIT_CASE(create_targets),
	KUNIT_CASE(starts_disabled),
	KUNIT_CASE(first_leads),
	KUNIT_CASE(limit_of_members),
	KUNIT_CASE(add_all_or_none),
	KUNIT_CASE(add_aborted),
	KUNIT_CASE(add_restarts),
	KUNIT_CASE(ids_are_never_reused),
	KUNIT_CASE(unknown_ids),
	KUNIT_CASE(ids_run_out),
	KUNIT_CASE(others_go_on),
	KUNIT_CASE(removing_the_leader),
	KUNIT_CASE(control_is_idempotent),
	KUNIT_CASE(reset),
	KUNIT_CASE(software_is_never_multiplexed),
	KUNIT_CASE(event_that_the_machine_lacks),
	KUNIT_CASE(event_that_no_kernel_has),
	KUNIT_CASE(without_capability),
	KUNIT_CASE(limit_of_groups),
	{}
};

struct kunit_suite perfgrp_group_suite = {
	.name = "perfgrp_group",
	.exit = harness_exit,
	.test_cases = group_cases,
};
