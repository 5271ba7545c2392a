// SPDX-License-Identifier: GPL-2.0
/*
 * Why counters are grouped: instructions per cycle are meaningful only if both
 * were counted at the same times. Here that ratio is known: the emulated CPUs take
 * one cycle for each instruction.
 */
#include "group.h"
#include "pmu.h"

#define NR_PHASES	10

static struct grp_snap snap;

/*
 * Alternates between 10 ms in user mode and the time in the kernel that it takes to fault in PAGES
 * pages, so that events in user mode come in bursts.
 */
static void work_in_phases(unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < NR_PHASES; i++) {
		spin(5000000);
		fault_in(pages);
	}
}

/* Cycles and instructions in user mode, as members of one group, or in a group each. */
struct pair {
	int fd[2];
	__u32 id[2];
};

static struct perfgrp_counter user_mode(__u64 event)
{
	return (struct perfgrp_counter){ .event = event, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
}

static void add_to(struct pair *pair, unsigned int i, int fd, __u64 event)
{
	struct perfgrp_counter c = user_mode(event);

	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	pair->fd[i] = fd;
	pair->id[i] = c.id;
}

/* Instructions per cycle from scaled counts; 10000 is one instruction per cycle. */
static long ipc(const struct pair *pair)
{
	struct perfgrp_value v[2];
	int i;

	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(grp_disable(pair->fd[i]), 0);
		v[i] = grp_value(pair->fd[i], pair->id[i]);
		EXPECT_EQ(v[i].state, PERFGRP_STATE_MULTIPLEXED);
		expect_plausible(&v[i]);
	}
	REQUIRE_GT(v[0].scaled, 0);
	return v[1].scaled * 10000 / v[0].scaled;
}

/* Counts in both ways at the same time, with twice as many counters as the PMU has. */
static void count_ipc(unsigned int pages, long *grouped, long *single)
{
	unsigned int size = pmu_size(), nr = 2 * size - 4, i;
	struct pair group, alone;
	int load[2 * PMU_MANY];

	NEED_FEATURE(SCHED_GROUP);
	if (!has_hardware_event(PERF_COUNT_HW_INSTRUCTIONS))
		skip("no instructions counter");
	if (size < 4)
		skip("the PMU has no room for %u members", 4);
	add_to(&alone, 0, grp_on_task(PERFGRP_CREATE_ENABLED, 0), PERFGRP_HW_CPU_CYCLES);
	pmu_load(nr / 2, 0, -1, load);
	add_to(&alone, 1, grp_on_task(PERFGRP_CREATE_ENABLED, 0), PERFGRP_HW_INSTRUCTIONS);
	pmu_load(nr - nr / 2, 0, -1, load + nr / 2);
	add_to(&group, 0, grp_on_task(PERFGRP_CREATE_ENABLED, 0), PERFGRP_HW_CPU_CYCLES);
	add_to(&group, 1, group.fd[0], PERFGRP_HW_INSTRUCTIONS);
	work_in_phases(pages);
	*grouped = ipc(&group);
	*single = ipc(&alone);
	for (i = 0; i < nr; i++)
		close(load[i]);
	close(group.fd[0]);
	close(alone.fd[0]);
	close(alone.fd[1]);
	diag("instructions per cycle: grouped %ld.%04ld, single counters %ld.%04ld",
	     *grouped / 10000, *grouped % 10000, *single / 10000, *single % 10000);
}

TEST_LIMIT(ipc_of_phases, 60,
	   "G4: IPC of a multiplexed group is right to 1 %, of single counters not")
{
	static const unsigned int pages[] = { 5000, 10000, 15000, 20000 };
	long grouped, single, off, worst = 0;
	size_t i;

	/* Whether the phases coincide with the rotation of the counters is chance: try several. */
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		count_ipc(pages[i], &grouped, &single);
		EXPECT_GE(grouped, 9900);
		EXPECT_LE(grouped, 10100);
		off = labs(single - 10000);
		worst = off > worst ? off : worst;
	}
	EXPECT_GE(worst, 1000);
}

TEST_LIMIT(same_event, 60,
	   "G10: two members that count the same event read the same, multiplexed")
{
	struct perfgrp_counter c[2] = { user_mode(PERFGRP_HW_CPU_CYCLES),
					user_mode(PERFGRP_HW_CPU_CYCLES) };
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), i;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	pmu_load(2 * pmu_size() - 2, 0, -1, NULL);
	for (i = 0; i < 100; i++) {
		spin(1000000);
		REQUIRE_EQ(grp_disable(fd), 0);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_EQ(snap.value[0].raw, snap.value[1].raw);
		EXPECT_EQ(snap.value[0].time_running, snap.value[1].time_running);
		REQUIRE_EQ(grp_enable(fd), 0);
	}
}

int main(int argc, char **argv)
{
	if (!has_pmu())
		skip_all("no hardware counters");
	return run_tests(argc, argv);
}
