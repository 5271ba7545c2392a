// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that are split by cgroup: what can only be seen from inside the kernel.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "../module/cgroup.h"
#include "../module/compat.h"
#include "../module/split.h"
#include "../module/tracepoint.h"
#include "harness.h"
#include "suites.h"

#define ROOT  "/sys/fs/cgroup"
#define SLOTS 8

static bool has_handlers(struct kunit *test, const char *name)
{
	struct tracepoint *tp = perfgrp_tracepoint_find(name);

	KUNIT_ASSERT_NOT_NULL(test, tp);
	return static_key_enabled(&tp->key);
}

/* Bitmap of the tracepoints used by such groups that have handlers. */
#define ALL 7U

static unsigned int with_handlers(struct kunit *test)
{
	return has_handlers(test, "sched_switch") | has_handlers(test, "cgroup_mkdir") << 1 |
	       has_handlers(test, "cgroup_attach_task") << 2;
}

/* The root of cgroup2. Opened by the process that loads the module, as cases run in a kthread. */
static struct file *root;

static int split_suite_init(struct kunit_suite *suite)
{
	root = filp_open(ROOT, O_RDONLY | O_DIRECTORY, 0);
	return harness_suite_init(suite);
}

static void split_suite_exit(struct kunit_suite *suite)
{
	harness_suite_exit(suite);
	if (!IS_ERR(root))
		fput(root);
}

static int open_root(struct kunit *test)
{
	int fd;

	if (IS_ERR(root))
		kunit_skip(test, "no cgroup2");
	fd = get_unused_fd_flags(O_CLOEXEC);
	KUNIT_ASSERT_GE(test, fd, 0);
	fd_install(fd, get_file(root));
	return fd;
}

static struct perfgrp_group *group_on_root(struct kunit *test, u32 target, u32 flags)
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	struct perfgrp_create create = {
		.target = target,
		.flags = flags,
		.target_fd = open_root(test),
	};
	int ret;

	ret = harness_create(&create, NULL, &err, &group);
	close_fd(create.target_fd);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", err.text);
	return group;
}

static struct perfgrp_group *split_group(struct kunit *test)
{
	return group_on_root(test, PERFGRP_TARGET_ALL_CPUS, PERFGRP_CREATE_SPLIT_BY_CGROUP);
}

/* [C14] The tracepoints have handlers only while there is a split group. */
static void handlers_while_needed(struct kunit *test)
{
	struct perfgrp_group *one, *two;
	unsigned int before, i;

	/* Others may use some of them, such as another suite's events, not released yet. */
	before = with_handlers(test);
	KUNIT_EXPECT_NE(test, before, ALL);
	one = split_group(test);
	KUNIT_EXPECT_EQ(test, with_handlers(test), ALL);
	two = split_group(test);
	harness_destroy(one);
	/* A worker unregisters the last ones. */
	msleep(500);
	KUNIT_EXPECT_EQ(test, with_handlers(test), ALL);
	harness_destroy(two);
	for (i = 0; i < 200 && with_handlers(test) != before; i++)
		msleep(50);
	KUNIT_EXPECT_EQ(test, with_handlers(test), before);
}

/* As if a cgroup had found no unused cell. */
static void miss_cgroup(struct perfgrp_split *split)
{
	raw_spin_lock_irq(&split->cells_lock);
	split->nr_unused = 0;
	split->missed = true;
	raw_spin_unlock_irq(&split->cells_lock);
}

/*
 * [C10] Cgroups that got no cell for lack of memory get one when a snapshot is taken and there is
 * memory again.
 */
static void missed_are_tried_again(struct kunit *test)
{
	struct perfgrp_group *group = split_group(test);
	struct perfgrp_split *split = group->split;
	struct perfgrp_snap snap;

	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	KUNIT_EXPECT_EQ(test, split->max_cells, PERFGRP_SPLIT_MAX + PERFGRP_NR_SPECIAL_CELLS);
	miss_cgroup(split);
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	perfgrp_snapshot_free(&snap);
	flush_work(&split->grow);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(split->missed));

	/* If there cannot be more cells, nobody looks for cgroups without one. */
	split->max_cells = perfgrp_split_nr_cells(split);
	miss_cgroup(split);
	schedule_work(&split->grow);
	flush_work(&split->grow);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(split->missed));
}

/* [C10] [E6] An uncore PMU is refused, because its counts cannot be charged to a cgroup. */
static void uncore(struct kunit *test)
{
	struct perfgrp_error err = harness_error();
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct fake_pmu *package = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = split_group(test);
	struct perfgrp_counter counter;

	fake_pmu_unregister(package);
	package->context = perf_invalid_context;
	package->cpumask = cpu_possible_mask;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(package), 0);
	counter = FAKE(fake, FAKE_TICKS(1));
	KUNIT_EXPECT_EQ_MSG(test, harness_add(group, &counter, 1, &err), 0, "%s", err.text);
	counter = FAKE(package, FAKE_TICKS(1));
	EXPECT_REFUSED(test, harness_add(group, &counter, 1, &err), EINVAL,
		       PERFGRP_REASON_EVENT_TARGET, "config", err);
	EXPECT_TEXT(test, err, "uncore");
}

/* Expect totals of @kinds in turn: 10 ticks of kinds[0], and 100 on each of the other CPUs. */
static void expect_totals(struct kunit *test, const struct perfgrp_snap *snap,
			  struct fake_pmu *kinds[2])
{
	const struct perfgrp_value *value;
	u64 sums[2] = {};
	unsigned int i;

	KUNIT_EXPECT_GT(test, snap->nr_rows, 0U);
	KUNIT_EXPECT_EQ(test, snap->nr_rows % 2, 0U);
	for (i = 0; i < snap->nr_rows; i++) {
		value = &snap->values[snap->rows[i].first_value];
		KUNIT_EXPECT_EQ(test, snap->rows[i].cgroup_id, snap->rows[i & ~1U].cgroup_id);
		KUNIT_EXPECT_EQ(test, snap->rows[i].nr_cpus, i % 2 ? num_online_cpus() - 1 : 1);
		KUNIT_EXPECT_EQ(test, value->pmu, (u32)kinds[i % 2]->pmu.type);
		KUNIT_EXPECT_FALSE(test, value->flags & PERFGRP_VALUE_MIXED_PMUS);
		sums[i % 2] += value->raw;
	}
	KUNIT_EXPECT_EQ(test, sums[0], 10ULL);
	KUNIT_EXPECT_EQ(test, sums[1], 100ULL * (num_online_cpus() - 1));
}

/* [C10] [S11] A cgroup's counts of different PMUs are added up with MIX_PMUS only. */
static void totals_by_pmu(struct kunit *test)
{
	struct perfgrp_group *group = split_group(test);
	struct perfgrp_counter counter;
	struct perfgrp_snap snap;
	struct fake_pmu *kinds[2];
	unsigned int nr, i;

	if (num_online_cpus() == 1)
		kunit_skip(test, "one CPU only");
	counter = harness_two_kinds(test, kinds);
	harness_add_one(test, group, counter);
	if (group->members[0]->instances[group->instance_of[0]].pmu != (u32)kinds[0]->pmu.type)
		kunit_skip(test, "the machine's own PMU takes any raw event");
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	fake_pmu_tick(kinds[0], 10);
	fake_pmu_tick(kinds[1], 100);

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	expect_totals(test, &snap, kinds);
	nr = snap.nr_rows;
	perfgrp_snapshot_free(&snap);

	KUNIT_ASSERT_EQ(test,
			harness_snapshot(group, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS,
					 &snap), 0);
	KUNIT_EXPECT_EQ(test, 2 * snap.nr_rows, nr);
	for (i = 0; i < snap.nr_rows; i++) {
		KUNIT_EXPECT_EQ(test, snap.rows[i].nr_cpus, num_online_cpus());
		KUNIT_EXPECT_EQ(test, snap.values[i].pmu, PERFGRP_NONE);
	}
	perfgrp_snapshot_free(&snap);
}

/* An unused cell, as it is once its cgroup was removed and a snapshot has said so. */
static struct perfgrp_split_cell *retired_cell(struct perfgrp_split *split)
{
	struct perfgrp_split_cell *cell;

	mutex_lock(&split->lock);
	raw_spin_lock_irq(&split->cells_lock);
	cell = list_first_entry(&split->unused, struct perfgrp_split_cell, unused);
	list_del(&cell->unused);
	split->nr_unused--;
	raw_spin_unlock_irq(&split->cells_lock);
	css_get(&split->top->self);
	WRITE_ONCE(cell->cgroup, split->top);
	cell->retired = true;
	cell->cookie = start_poll_synchronize_rcu();
	mutex_unlock(&split->lock);
	return cell;
}

/*
 * [C10] [C11] A CPU may charge to a removed cgroup's cell for a while after it was retired. That
 * is in the row of the removed cgroups.
 */
static void charged_after_removal(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = split_group(test);
	struct perfgrp_split *split = group->split;
	struct perfgrp_split_cell *cell;
	struct perfgrp_snap snap;
	u64 sum = 0;
	unsigned int i;

	harness_pin_to(test, 0);
	harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	KUNIT_ASSERT_EQ(test, harness_enable(group, NULL), 0);
	cell = retired_cell(split);
	local_irq_disable();
	split->cpus[group->instance_of[0]].cell = cell->index;
	fake_pmu_tick(fake, 10);
	local_irq_enable();
	/* Lets time pass. */
	fake_pmu_tick(fake, 0);

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	for (i = 0; i < snap.nr_rows; i++)
		sum += snap.values[snap.rows[i].first_value].raw;
	perfgrp_snapshot_free(&snap);
	KUNIT_EXPECT_EQ(test, sum, 10ULL * num_online_cpus());
}

/*
 * [S13] What a snapshot has not shown because the clock stood still, so that no time has passed, is
 * left for the next one.
 */
static void reset_keeps_what_was_not_shown(struct kunit *test)
{
	struct perfgrp_group *group = split_group(test);
	struct perfgrp_count *total;
	struct perfgrp_snap snap;

	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	total = &group->members[0]->split->counters[group->instance_of[0]]
			 .chunks[0]->total[PERFGRP_CELL_OVERFLOW];
	total->count = 7;
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	perfgrp_snapshot_free(&snap);
	KUNIT_EXPECT_EQ(test, total->count, 7ULL);
	total->enabled = 1;
	total->running = 1;
	KUNIT_ASSERT_EQ(test, harness_snapshot(group, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	perfgrp_snapshot_free(&snap);
	KUNIT_EXPECT_EQ(test, total->count, 0ULL);
}

/*
 * [C10] [C15] Cells for more cgroups are allocated while no member is added or removed; what an
 * attempt that ran out of memory has allocated is used.
 */
static void grows_beside_no_other(struct kunit *test)
{
	struct perfgrp_group *group = split_group(test);
	struct perfgrp_split *split = group->split;
	struct perfgrp_split_counts *counts, **next;
	unsigned int nr, unused;

	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	flush_work(&split->grow);
	nr = split->nr_chunks;
	counts = kvzalloc(sizeof(*counts), GFP_KERNEL_ACCOUNT);
	KUNIT_ASSERT_NOT_NULL(test, counts);
	next = &group->members[0]->split->counters[0].chunks[nr];
	*next = counts;
	raw_spin_lock_irq(&split->cells_lock);
	unused = split->nr_unused;
	split->nr_unused = 0;
	raw_spin_unlock_irq(&split->cells_lock);

	down_write(&group->lock);
	queue_work(compat_unbound_wq, &split->grow);
	msleep(100);
	KUNIT_EXPECT_EQ(test, READ_ONCE(split->nr_chunks), nr);
	up_write(&group->lock);
	flush_work(&split->grow);
	KUNIT_EXPECT_EQ(test, split->nr_chunks, nr + 1);
	KUNIT_EXPECT_PTR_EQ(test, *next, counts);
	raw_spin_lock_irq(&split->cells_lock);
	split->nr_unused += unused;
	raw_spin_unlock_irq(&split->cells_lock);
}

/* [C4] [G13] A cgroup's group is destroyed just before it would look whether the cgroup is gone. */
static void destroyed_before_it_looks(struct kunit *test)
{
	struct perfgrp_group *group = group_on_root(test, PERFGRP_TARGET_CGROUP, 0);

	queue_delayed_work(compat_unbound_wq, &group->cgroup->look, HZ / 2);
	harness_destroy(group);
	/* What would be left of it is found by KASAN, or as a timer that is active when freed. */
	msleep(1000);
}

static struct kunit_case split_cases[] = {
	KUNIT_CASE(handlers_while_needed),
	KUNIT_CASE(missed_are_tried_again),
	KUNIT_CASE(uncore),
	KUNIT_CASE(totals_by_pmu),
	KUNIT_CASE(charged_after_removal),
	KUNIT_CASE(reset_keeps_what_was_not_shown),
	KUNIT_CASE(grows_beside_no_other),
	KUNIT_CASE(destroyed_before_it_looks),
	{},
};

struct kunit_suite perfgrp_split_suite = {
	.name = "perfgrp_split",
	.suite_init = split_suite_init,
	.suite_exit = split_suite_exit,
	.exit = harness_exit,
	.test_cases = split_cases,
};
