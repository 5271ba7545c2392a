// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of a task: a kthread bound to the CPU of the case, so that only one of the two runs
 * at a time.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>

#include "../module/away.h"
#include "../module/compat.h"
#include "../module/perfcore.h"
#include "../module/task_exit.h"
#include "harness.h"
#include "suites.h"

#define TICKS_A_TURN 100

/**
 * struct worker - the task that is counted
 * @task: the task, with a reference
 * @fake: the PMU on which it makes TICKS_A_TURN ticks a turn
 * @turn: completed to begin another turn, or to exit
 * @done: completed when the turn is over
 * @stop: exit at the next @turn
 */
static struct worker {
	struct task_struct *task;
	struct fake_pmu *fake;
	struct completion turn;
	struct completion done;
	bool stop;
} worker;

static int work(void *data)
{
	for (;;) {
		wait_for_completion(&worker.turn);
		if (worker.stop)
			return 0;
		fake_pmu_tick(worker.fake, TICKS_A_TURN);
		complete(&worker.done);
	}
}

static void worker_start(struct kunit *test, struct fake_pmu *fake)
{
	worker = (struct worker){ .fake = fake };
	init_completion(&worker.turn);
	init_completion(&worker.done);
	worker.task = kthread_create(work, NULL, "perfgrp_worker");
	if (IS_ERR(worker.task)) {
		worker.task = NULL;
		KUNIT_FAIL(test, "no kthread");
		return;
	}
	get_task_struct(worker.task);
	kthread_bind(worker.task, 0);
	wake_up_process(worker.task);
}

static void worker_stop(void)
{
	if (!worker.task)
		return;
	worker.stop = true;
	complete(&worker.turn);
	kthread_stop(worker.task);
	put_task_struct(worker.task);
	worker.task = NULL;
}

static void worker_turn(void)
{
	complete(&worker.turn);
	wait_for_completion(&worker.done);
}

static struct perfgrp_group *worker_group(struct kunit *test, u32 flags)
{
	struct perfgrp_create arg = { .target = PERFGRP_TARGET_TASK, .flags = flags };
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;

	arg.pid = task_pid_vnr(worker.task);
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, NULL, &err, &group), 0, "%s", err.text);
	KUNIT_ASSERT_PTR_EQ(test, group->task, worker.task);
	return group;
}

static void task_exit(struct kunit *test)
{
	worker_stop();
	harness_exit(test);
}

/* [G1] Only what the task does is counted, not what other tasks do. */
static void counts_the_task_only(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_value ticks, clock;
	unsigned int i;
	u32 ids[2];

	harness_pin_to(test, 0);
	worker_start(test, fake);
	group = worker_group(test, 0);
	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_CLOCK(1)));
	worker_turn();
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, ids[0]).raw, 0ULL);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	for (i = 1; i <= 20; i++) {
		fake_pmu_tick(fake, 1000000);
		worker_turn();
		fake_pmu_tick(fake, 1000000);
		KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, ids[0]).raw,
				(u64)i * TICKS_A_TURN);
	}
	harness_disable(group);
	worker_turn();
	ticks = harness_value(test, group, -1, ids[0]);
	clock = harness_value(test, group, -1, ids[1]);
	KUNIT_EXPECT_EQ(test, ticks.raw, 20ULL * TICKS_A_TURN);
	/* A task's counter is only enabled while the task runs. */
	KUNIT_EXPECT_EQ(test, ticks.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, ticks.time_enabled, ticks.time_running);
	KUNIT_EXPECT_EQ(test, clock.raw, clock.time_running);
	KUNIT_EXPECT_EQ(test, clock.time_running, ticks.time_running);
}

/* [G1] A task counts itself. */
static void counts_itself(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group = harness_group(test, PERFGRP_TARGET_TASK, 0);
	u32 id, soft;

	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	soft = harness_add_one(test, group, EVENT(PERFGRP_SW_TASK_CLOCK));
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 5);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).raw, 10ULL);
	harness_disable(group);
	fake_pmu_tick(fake, 5);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).raw, 10ULL);
	KUNIT_EXPECT_GT(test, harness_value(test, group, -1, soft).raw, 0ULL);
}

/* ---- a task that is elsewhere -------------------------------------------- */

static void expect_counted(struct kunit *test, struct perfgrp_group *group, u32 id, u64 raw)
{
	struct perfgrp_value value = harness_value(test, group, group->instances[0].cpu, id);

	KUNIT_EXPECT_EQ(test, value.raw, raw);
	KUNIT_EXPECT_EQ(test, value.scaled, raw);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
}

/* Move the case to @cpu for a while, where nothing must be counted. */
static void run_elsewhere(struct kunit *test, struct fake_pmu *fake, int cpu)
{
	harness_pin_to(test, cpu);
	fake_pmu_tick(fake, 1000);
	mdelay(5);
}

static struct perfgrp_group *one_cpu_group(struct kunit *test, u32 flags, const u32 cpu)
{
	struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_TASK,
		.flags = flags,
		.nr_cpus = 1,
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, &cpu, &err, &group), 0, "%s", err.text);
	return group;
}

/* As if guests had used the PMU for @seconds (mediated vPMU) before there are host events. */
static void add_guest_time(struct perfgrp_group *group, s64 seconds)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	group->members[0]->instances[0].event->ctx->timeguest.time += seconds * NSEC_PER_SEC;
#endif
}

/*
 * [G1] [G6] [E6] A task on one CPU: what it does on others is not counted, and values are not
 * scaled for the time that it spends there.
 */
static void counts_the_task_on_one_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group = one_cpu_group(test, 0, 0);
	struct perfgrp_value soft;
	struct perfgrp_counter no_guests = FAKE(fake, FAKE_TICKS(1));
	const struct perfgrp_away *away;
	u32 ids[2], soft_id;

	harness_pin_to(test, 0);
	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	add_guest_time(group, 3600);
	soft_id = harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(3)));
	/* Under the same leader, but with a different away time, as it excludes guests. */
	no_guests.flags |= PERFGRP_COUNTER_EXCLUDE_GUEST;
	no_guests.id = harness_add_one(test, group, no_guests);
	away = group->members[0]->instances[0].away;
	KUNIT_ASSERT_NOT_NULL(test, away);
	KUNIT_EXPECT_PTR_EQ(test, group->members[2]->instances[0].away, away);
	KUNIT_EXPECT_FALSE(test, away->event->attr.exclude_guest);
	away = group->members[3]->instances[0].away;
	KUNIT_ASSERT_NOT_NULL(test, away);
	KUNIT_EXPECT_TRUE(test, away->event->attr.exclude_guest);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(fake, 10);
	run_elsewhere(test, fake, 1);
	expect_counted(test, group, ids[0], 10);
	expect_counted(test, group, ids[1], 30);
	expect_counted(test, group, no_guests.id, 10);
	harness_pin_to(test, 0);
	fake_pmu_tick(fake, 10);
	expect_counted(test, group, ids[0], 20);
	run_elsewhere(test, fake, 1);
	/* Disabled and enabled elsewhere. */
	harness_disable(group);
	fake_pmu_tick(fake, 1000);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	run_elsewhere(test, fake, 1);
	harness_pin_to(test, 0);
	fake_pmu_tick(fake, 10);
	harness_disable(group);
	expect_counted(test, group, ids[0], 30);
	expect_counted(test, group, ids[1], 90);
	expect_counted(test, group, no_guests.id, 30);
	soft = harness_value(test, group, 0, soft_id);
	KUNIT_EXPECT_EQ(test, soft.scaled, soft.raw);
	KUNIT_EXPECT_EQ(test, soft.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, soft.time_enabled, soft.time_running);
	add_guest_time(group, -3600);
}

/* [G6] [S2] On a CPU where the task never was, its counters never ran. */
static void task_is_never_there(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group = one_cpu_group(test, PERFGRP_CREATE_ENABLED, 0);
	struct perfgrp_value value;
	struct perfgrp_snap snap;
	unsigned int i;

	harness_pin_to(test, 1);
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_CPU_CLOCK));
	run_elsewhere(test, fake, 1);
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	for (i = 0; i < 2; i++) {
		value = snap.values[i];
		KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
		KUNIT_EXPECT_EQ(test, value.time_enabled, 0ULL);
		KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	}
	perfgrp_snapshot_free(&snap);
}

/* [G6] [S13] RESET, ADD and REMOVE, while the task is here and while it is elsewhere. */
static void changes_of_a_task_elsewhere(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, 4, FAKE_NO_ROTATION),
		harness_pmu(test, 4, FAKE_NO_ROTATION),
	};
	struct perfgrp_group *group = one_cpu_group(test, PERFGRP_CREATE_ENABLED, 0);
	struct perfgrp_error err = harness_error();
	u32 ids[4];
	int cpu;

	harness_pin_to(test, 0);
	for (cpu = 0; cpu < 2; cpu++) {
		ids[0] = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
		ids[1] = harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(2)));
		run_elsewhere(test, fakes[0], 1);
		harness_pin_to(test, cpu);
		ids[2] = harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(3)));
		run_elsewhere(test, fakes[0], 1);
		harness_pin_to(test, 0);
		fake_pmu_tick(fakes[0], 10);
		fake_pmu_tick(fakes[1], 10);
		run_elsewhere(test, fakes[0], 1);
		harness_pin_to(test, cpu);
		/* It leads the second scheduling group. */
		KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[1], false, &err), 0, "%s",
				    err.text);
		run_elsewhere(test, fakes[0], 1);
		harness_pin_to(test, 0);
		fake_pmu_tick(fakes[0], 10);
		fake_pmu_tick(fakes[1], 10);
		expect_counted(test, group, ids[0], 20);
		expect_counted(test, group, ids[2], 60);

		run_elsewhere(test, fakes[0], 1);
		harness_pin_to(test, cpu);
		KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
		run_elsewhere(test, fakes[0], 1);
		harness_pin_to(test, 0);
		fake_pmu_tick(fakes[0], 5);
		expect_counted(test, group, ids[0], 5);
		KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[0], true, &err), 0, "%s",
				    err.text);
	}
}

/*
 * By how much the time of the first member exceeds that of the second, a software event, which
 * knows how long the task was here. Before 6.2 the perf core switches hardware and software events
 * one after the other, and the host may stall in between.
 */
static s64 more_than_software(struct kunit *test, struct perfgrp_group *group)
{
	struct perfgrp_value here, soft;
	struct perfgrp_snap snap;

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	here = snap.values[0];
	soft = snap.values[1];
	perfgrp_snapshot_free(&snap);
	KUNIT_EXPECT_EQ(test, soft.time_enabled, soft.time_running);
	return here.time_enabled - soft.time_running;
}

/* [G6] [S5] Values are scaled for multiplexing while the task is here, not for its time away. */
static void multiplexed_and_elsewhere(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perf_event *other = harness_fake_event(test, fake, 0, 0, true);
	struct perfgrp_group *group = one_cpu_group(test, PERFGRP_CREATE_ENABLED, 0);
	struct perfgrp_value value;
	unsigned int i, exact = 0;
	s64 before, difference;
	u32 id;

	harness_pin_to(test, 0);
	id = harness_add_one(test, group, FAKE(fake, FAKE_CLOCK(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	difference = more_than_software(test, group);
	for (i = 0; i < 5; i++) {
		mdelay(5);
		perf_event_enable(other);
		mdelay(5);
		perf_event_disable(other);
		run_elsewhere(test, fake, 1);
		run_elsewhere(test, fake, 1);
		harness_pin_to(test, 0);
		before = difference;
		difference = more_than_software(test, group);
		exact += abs(difference - before) < NSEC_PER_MSEC;
	}
	harness_disable(group);
	value = harness_value(test, group, 0, id);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_MULTIPLEXED);
	KUNIT_EXPECT_EQ(test, value.raw, value.time_running);
	KUNIT_EXPECT_LT(test, value.time_running, value.time_enabled - value.time_enabled / 4);
	/* With other times the difference grows by 5 or 10 ms each time. */
	KUNIT_EXPECT_GE(test, exact, 3U);
}

/* [G6] [G16] Inherited counters of a task on one CPU, frozen and reset while it is elsewhere. */
static void inherits_on_one_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_counter descs[2] = {
		FAKE(fake, FAKE_TICKS(1)), EVENT(PERFGRP_SW_CPU_CLOCK),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group;
	struct perfgrp_value soft;

	harness_pin_to(test, 0);
	group = one_cpu_group(test, PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0);
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, descs, 2, &err), 0, "%s", err.text);
	fake_pmu_tick(fake, 10);
	run_elsewhere(test, fake, 1);
	expect_counted(test, group, descs[0].id, 10);
	harness_disable(group);
	run_elsewhere(test, fake, 1);
	expect_counted(test, group, descs[0].id, 10);
	harness_pin_to(test, 0);
	fake_pmu_tick(fake, 1000);
	expect_counted(test, group, descs[0].id, 10);
	run_elsewhere(test, fake, 1);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	run_elsewhere(test, fake, 1);
	harness_pin_to(test, 0);
	fake_pmu_tick(fake, 10);
	expect_counted(test, group, descs[0].id, 20);
	run_elsewhere(test, fake, 1);
	KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
	harness_pin_to(test, 0);
	fake_pmu_tick(fake, 10);
	run_elsewhere(test, fake, 1);
	expect_counted(test, group, descs[0].id, 10);
	soft = harness_value(test, group, 0, descs[1].id);
	KUNIT_EXPECT_EQ(test, soft.time_enabled, soft.time_running);
	KUNIT_EXPECT_EQ(test, soft.scaled, soft.raw);
}

/* [G6] A PMU of some CPUs does not count a task that runs on the others. */
static void pmu_of_some_cpus(struct kunit *test)
{
	struct fake_pmu *fakes[2] = {
		harness_pmu(test, 4, FAKE_NO_ROTATION),
		harness_pmu(test, 4, FAKE_NO_ROTATION),
	};
	struct perfgrp_group *group;
	u32 flags, ids[4];

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	fakes[0]->cpus = cpumask_of(0);
	fakes[1]->cpus = cpumask_of(1);
	for (flags = 0; flags <= PERFGRP_CREATE_NO_MUX; flags += PERFGRP_CREATE_NO_MUX) {
		harness_pin_to(test, 0);
		group = harness_group(test, PERFGRP_TARGET_TASK, flags);
		ids[0] = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(1)));
		ids[1] = harness_add_one(test, group, FAKE(fakes[0], FAKE_TICKS(2)));
		ids[2] = harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(1)));
		ids[3] = harness_add_one(test, group, FAKE(fakes[1], FAKE_TICKS(2)));
		KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
		fake_pmu_tick(fakes[0], 10);
		run_elsewhere(test, fakes[0], 1);
		fake_pmu_tick(fakes[1], 10);
		expect_counted(test, group, ids[0], 10);
		expect_counted(test, group, ids[3], 20);
		run_elsewhere(test, fakes[1], 0);
		fake_pmu_tick(fakes[0], 10);
		harness_disable(group);
		expect_counted(test, group, ids[0], 20);
		expect_counted(test, group, ids[1], 40);
		expect_counted(test, group, ids[2], 10);
		expect_counted(test, group, ids[3], 20);
		harness_destroy(group);
	}
}

/* [G15] A NO_MUX group of a task loses its slots to a pinned event of the CPU. */
static void no_mux_loses_to_cpu(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	struct perf_event *other = harness_fake_event(test, fake, 0, 0, true);
	struct perfgrp_group *group;
	u32 id;

	harness_pin_to(test, 0);
	group = harness_group(test, PERFGRP_TARGET_TASK,
			      PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	fake_pmu_tick(fake, 10);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).raw, 10ULL);
	perf_event_enable(other);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).flags,
			PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
}

/* [G18] When the task has exited the values are final and have EXITED. */
static void task_that_exits(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_snap snap;
	struct perfgrp_value value;
	u32 id;

	harness_pin_to(test, 0);
	worker_start(test, fake);
	group = worker_group(test, PERFGRP_CREATE_ENABLED);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	worker_turn();
	worker_turn();
	worker_stop();
	fake_pmu_tick(fake, 1000);

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	KUNIT_EXPECT_EQ(test, snap.nr_rows, 1U);
	KUNIT_EXPECT_EQ(test, snap.rows[0].flags, PERFGRP_ROW_EXITED);
	value = snap.values[0];
	perfgrp_snapshot_free(&snap);
	KUNIT_EXPECT_EQ(test, value.id, id);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_EXITED);
	KUNIT_EXPECT_EQ(test, value.raw, 2ULL * TICKS_A_TURN);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);

	/* All operations on the group are still safe. */
	KUNIT_EXPECT_EQ(test, harness_enable(group, NULL), 0);
	harness_disable(group);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).raw, 2ULL * TICKS_A_TURN);
	EXPECT_REFUSED(test, harness_add(group, &desc, 1, &err), ESRCH, PERFGRP_REASON_PID, "pid",
		       err);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).raw, 2ULL * TICKS_A_TURN);
	err = harness_error();
	KUNIT_EXPECT_EQ(test, harness_remove(group, id, false, &err), 0);
}

/* [G18] [S2] If the task exits before the group was ever enabled: EXITED, and NEVER_RAN. */
static void exits_before_it_ran(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_snap snap;
	unsigned int i;
	u32 id;

	harness_pin_to(test, 0);
	worker_start(test, fake);
	group = worker_group(test, 0);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	harness_add_one(test, group, EVENT(PERFGRP_SW_TASK_CLOCK));
	worker_turn();
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, id).flags, 0U);
	worker_stop();

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	KUNIT_EXPECT_EQ(test, snap.rows[0].flags, PERFGRP_ROW_EXITED);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, snap.values[i].state, (u32)PERFGRP_STATE_NEVER_RAN);
		KUNIT_EXPECT_EQ(test, snap.values[i].flags, PERFGRP_VALUE_EXITED);
	}
	perfgrp_snapshot_free(&snap);

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	KUNIT_EXPECT_EQ(test, snap.rows[0].flags, PERFGRP_ROW_TOTAL | PERFGRP_ROW_EXITED);
	KUNIT_EXPECT_EQ(test, snap.values[0].state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, snap.values[0].flags,
			PERFGRP_VALUE_EXITED | PERFGRP_VALUE_PARTIAL);
	perfgrp_snapshot_free(&snap);
}

static DECLARE_COMPLETION(has_exited);

static void on_exit(struct perfgrp_task_exit *exit)
{
	complete(&has_exited);
}

static int exits_at_once(void *arg)
{
	return 0;
}

/* [G18] A task that has exited before it is watched is reported as well. */
static void watched_too_late(struct kunit *test)
{
	static struct perfgrp_task_exit exit;
	struct task_struct *task = kthread_create(exits_at_once, NULL, "perfgrp_exits");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	kthread_stop(task);
	reinit_completion(&has_exited);
	perfgrp_task_exit_watch(&exit, task, on_exit);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&has_exited, 5 * HZ), 0UL);
	perfgrp_task_exit_unwatch(&exit);
	put_task_struct(task);
}

/* [G18] One that takes long to exit is looked at ten times a second. */
static void exits_slowly(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	static struct perfgrp_task_exit exit;

	KUNIT_ASSERT_NOT_NULL(test, task);
	task->flags = PF_EXITING;
	reinit_completion(&has_exited);
	perfgrp_task_exit_watch(&exit, task, on_exit);
	msleep(1100);
	KUNIT_EXPECT_FALSE(test, completion_done(&has_exited));
	WRITE_ONCE(task->exit_state, EXIT_ZOMBIE);
	/* With ever longer delays it would take 900 ms, as they are doubled each time. */
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&has_exited, HZ / 2), 0UL);
	perfgrp_task_exit_unwatch(&exit);
}

/* [G16] INHERIT counters count, are frozen by DISABLE, and can be reset. Without any child. */
static void inherited_counters(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_counter descs[2] = {
		FAKE(fake, FAKE_TICKS(1)), FAKE(fake, FAKE_TICKS(2)),
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_value value;

	harness_pin_to(test, 0);
	worker_start(test, fake);
	group = worker_group(test, PERFGRP_CREATE_INHERIT);
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, descs, 2, &err), 0, "%s", err.text);
	worker_turn();
	value = harness_value(test, group, -1, descs[0].id);
	KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, 0U);
	KUNIT_EXPECT_EQ(test, value.sched_group, descs[0].id);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	worker_turn();
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, descs[0].id).raw,
			(u64)TICKS_A_TURN);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, descs[1].id).raw,
			2ULL * TICKS_A_TURN);
	harness_disable(group);
	worker_turn();
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, descs[1].id).raw,
			2ULL * TICKS_A_TURN);
	KUNIT_EXPECT_EQ(test, harness_reset(group), 0);
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, descs[1].id).raw, 0ULL);
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	worker_turn();
	KUNIT_EXPECT_EQ(test, harness_value(test, group, -1, descs[1].id).raw,
			2ULL * TICKS_A_TURN);

	worker_stop();
	value = harness_value(test, group, -1, descs[1].id);
	KUNIT_EXPECT_EQ(test, value.raw, 2ULL * TICKS_A_TURN);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_EXITED);
}

/*
 * [G16] [S2] perf_event_read() does not update the times of an event that is being scheduled out.
 * What it has counted since they were updated is no zero, and is frozen as a count. Of the times,
 * none of before it was enabled is among those after it.
 */
static void inherited_being_scheduled_out(struct kunit *test)
{
	struct perfgrp_group *group;
	struct perf_event *event;
	struct perfgrp_value value;
	u64 begin;
	int cpu;
	u32 id;

	harness_pin_to(test, 0);
	group = harness_group(test, PERFGRP_TARGET_TASK, PERFGRP_CREATE_INHERIT);
	id = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	event = group->members[0]->instances[0].event;
	cpu = event->oncpu;
	mdelay(20);
	begin = local_clock();
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	WRITE_ONCE(event->oncpu, -1);
	local64_add(10, &event->count);
	value = harness_value(test, group, -1, id);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, value.scaled, 10ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_LE(test, value.time_enabled, local_clock() - begin);
	harness_disable(group);
	WRITE_ONCE(event->oncpu, cpu);
	value = harness_value(test, group, -1, id);
	KUNIT_EXPECT_EQ(test, value.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);

	/* The times are read one after the other, and the event may be scheduled between them. */
	begin = local_clock();
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	event->total_time_running += NSEC_PER_SEC;
	value = harness_value(test, group, -1, id);
	KUNIT_EXPECT_EQ(test, value.time_enabled, value.time_running);
	KUNIT_EXPECT_EQ(test, value.raw, value.scaled);
}

/* [G17] Nothing is enabled before the exec; a kthread never execs. */
static void waits_for_exec(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct perfgrp_group *group;
	struct perfgrp_value value;
	u32 id;

	harness_pin_to(test, 0);
	worker_start(test, fake);
	group = worker_group(test, PERFGRP_CREATE_ENABLE_ON_EXEC);
	id = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	worker_turn();
	value = harness_value(test, group, -1, id);
	KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 0ULL);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
}

/**
 * struct adder - a call that waits for an exec
 * @group: to what it adds
 * @desc: what
 * @done: completed when it has returned
 * @ret: what it has returned
 */
static struct adder {
	struct perfgrp_group *group;
	struct perfgrp_counter desc;
	struct completion done;
	int ret;
} adder;

static int add_one(void *data)
{
	struct perfgrp_error err = harness_error();

	adder.ret = harness_add(adder.group, &adder.desc, 1, &err);
	complete(&adder.done);
	return 0;
}

static bool can_be_locked(struct rw_semaphore *lock)
{
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		if (down_read_trylock(lock)) {
			up_read(lock);
			return true;
		}
		usleep_range(1000, 2000);
	}
	return false;
}

/* [S16] While an ADD waits for the task's exec, others can use the group. */
static void add_during_exec(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, 4, FAKE_NO_ROTATION);
	struct rw_semaphore *exec_lock;
	struct task_struct *task;
	unsigned int i;

	worker_start(test, fake);
	adder = (struct adder){
		.group = worker_group(test, 0),
		.desc = FAKE(fake, FAKE_TICKS(1)),
	};
	init_completion(&adder.done);
	exec_lock = &worker.task->signal->exec_update_lock;
	down_write(exec_lock);
	task = kthread_run(add_one, NULL, "perfgrp_adder");
	for (i = 0; !IS_ERR(task) && !rwsem_is_contended(exec_lock) && i < 10000; i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_TRUE(test, rwsem_is_contended(exec_lock));
	KUNIT_EXPECT_TRUE(test, can_be_locked(&adder.group->lock));
	KUNIT_EXPECT_EQ(test, adder.group->nr_members, 0U);
	up_write(exec_lock);
	if (IS_ERR(task))
		return;
	wait_for_completion(&adder.done);
	KUNIT_EXPECT_EQ(test, adder.ret, 0);
	KUNIT_EXPECT_EQ(test, adder.group->nr_members, 1U);
}

/* [S9] Two contexts are locked in the same order, whichever of their events comes first. */
static void contexts_in_order(struct kunit *test)
{
	struct perf_event_context *ctx = kunit_kcalloc(test, 3, sizeof(*ctx), GFP_KERNEL);
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct perfgrp_core_contexts contexts;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, event);
	for (i = 0; i < 2; i++) {
		contexts = (struct perfgrp_core_contexts){};
		event->ctx = &ctx[i];
		KUNIT_EXPECT_TRUE(test, perfgrp_core_add_context(&contexts, event));
		event->ctx = &ctx[!i];
		KUNIT_EXPECT_TRUE(test, perfgrp_core_add_context(&contexts, event));
		KUNIT_EXPECT_TRUE(test, perfgrp_core_add_context(&contexts, event));
		KUNIT_EXPECT_PTR_EQ(test, contexts.ctxs[0], &ctx[0]);
		KUNIT_EXPECT_PTR_EQ(test, contexts.ctxs[1], &ctx[1]);
		event->ctx = &ctx[2];
		KUNIT_EXPECT_FALSE(test, perfgrp_core_add_context(&contexts, event));
		KUNIT_EXPECT_PTR_EQ(test, contexts.ctxs[1], &ctx[1]);
	}
}

static struct kunit_case task_cases[] = {
	KUNIT_CASE(counts_the_task_only),
	KUNIT_CASE(counts_itself),
	KUNIT_CASE(counts_the_task_on_one_cpu),
	KUNIT_CASE(task_is_never_there),
	KUNIT_CASE(changes_of_a_task_elsewhere),
	KUNIT_CASE(multiplexed_and_elsewhere),
	KUNIT_CASE(inherits_on_one_cpu),
	KUNIT_CASE(pmu_of_some_cpus),
	KUNIT_CASE(no_mux_loses_to_cpu),
	KUNIT_CASE(task_that_exits),
	KUNIT_CASE(exits_before_it_ran),
	KUNIT_CASE(watched_too_late),
	KUNIT_CASE(exits_slowly),
	KUNIT_CASE(inherited_counters),
	KUNIT_CASE(inherited_being_scheduled_out),
	KUNIT_CASE(waits_for_exec),
	KUNIT_CASE(add_during_exec),
	KUNIT_CASE(contexts_in_order),
	{}
};

struct kunit_suite perfgrp_task_suite = {
	.name = "perfgrp_task",
	.exit = task_exit,
	.test_cases = task_cases,
};
