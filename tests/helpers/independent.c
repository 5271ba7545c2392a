// SPDX-License-Identifier: GPL-2.0
/*
 * What holds of groups that are made of independent counters, where the perf core
 * cannot be made to link them. test_fallback.sh runs it with the module loaded so.
 */
#include "group.h"
#include "pmu.h"

#define NR_MEMBERS	4

static struct grp_snap snap;

static void choose_members(struct perfgrp_counter c[NR_MEMBERS])
{
	unsigned int i;

	memset(c, 0, NR_MEMBERS * sizeof(*c));
	for (i = 0; i < NR_MEMBERS; i++)
		c[i].event = has_pmu() && i < NR_MEMBERS - 1 ? PERFGRP_HW_CPU_CYCLES :
							       PERFGRP_SW_CPU_CLOCK;
}

static int new_group(int cpus, struct perfgrp_counter c[NR_MEMBERS])
{
	int fd = cpus ? grp_on_all_cpus(PERFGRP_CREATE_ENABLED) :
			grp_on_task(PERFGRP_CREATE_ENABLED, 0);

	REQUIRE_GE(fd, 0);
	choose_members(c);
	REQUIRE_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
	return fd;
}

TEST(feature, "the feature bit is off")
{
	EXPECT_EQ(grp_info().features & PERFGRP_FEATURE_SCHED_GROUP, 0);
}

TEST(one_sched_group, "CREATE with ONE_SCHED_GROUP is refused, with the reason")
{
	EXPECT_REFUSED(grp_on_task(PERFGRP_CREATE_ONE_SCHED_GROUP, 0), EOPNOTSUPP, FEATURE);
	EXPECT_REFUSED(grp_on_all_cpus(PERFGRP_CREATE_ONE_SCHED_GROUP), EOPNOTSUPP, FEATURE);
	EXPECT(strstr(grp_error.text, "sched"));
}

TEST(alone, "S12: each member is a scheduling group of its own, in rows and in totals")
{
	struct perfgrp_counter c[NR_MEMBERS];
	int way, fd;
	__u32 i;

	for (way = 0; way < 4; way++) {
		fd = new_group(way & 1, c);
		REQUIRE_EQ(grp_snapshot(fd, way & 2 ? PERFGRP_SNAPSHOT_TOTALS : 0, &snap), 0);
		REQUIRE_GT(snap.hdr.nr_rows, 0);
		for (i = 0; i < snap.hdr.nr_values; i++)
			EXPECT_EQ(snap.value[i].sched_group, c[i % NR_MEMBERS].id);
	}
}

TEST(counts, "all members count, are reset and stopped, and can be removed")
{
	struct perfgrp_counter c[NR_MEMBERS];
	int cpus, fd, i;

	for (cpus = 0; cpus < 2; cpus++) {
		fd = new_group(cpus, c);
		spin(100000);
		REQUIRE_EQ(grp_disable(fd), 0);
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
		for (i = 0; i < NR_MEMBERS; i++) {
			EXPECT_EQ(snap.value[i].state, PERFGRP_STATE_COUNTED);
			EXPECT_GT(snap.value[i].raw, 0);
			expect_plausible(&snap.value[i]);
		}
		REQUIRE_EQ(grp_reset(fd), 0);
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
		for (i = 0; i < NR_MEMBERS; i++)
			EXPECT_EQ(snap.value[i].raw, 0);
		EXPECT_EQ(grp_remove(fd, c[1].id, 0), 0);
		EXPECT_EQ(grp_remove(fd, c[0].id, 0), -EBUSY);
		REQUIRE_EQ(grp_enable(fd), 0);
		spin(100000);
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
		EXPECT_EQ(snap.hdr.nr_values, NR_MEMBERS - 1);
		EXPECT_GT(snap_value(&snap, -1, c[2].id)->raw, 0);
		close(fd);
	}
}

TEST(more_than_the_pmu, "more hardware members than the PMU has take turns, each in its own time")
{
	struct perfgrp_counter c[PMU_MANY];
	__u64 least = ~0ULL, most = 0;
	unsigned int nr, i;
	int fd;

	if (!has_pmu())
		skip("no hardware counters");
	nr = 2 * pmu_size();
	fill_counters(c, nr, PERFGRP_HW_CPU_CYCLES);
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, nr), 0);
	for (i = 0; i < 1000; i++)
		spin(25000);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < nr; i++) {
		__u64 running = snap.value[i].time_running;

		EXPECT_EQ(snap.value[i].state, PERFGRP_STATE_MULTIPLEXED);
		expect_plausible(&snap.value[i]);
		least = running < least ? running : least;
		most = running > most ? running : most;
	}
	EXPECT_GT(most - least, 1000000);
}

TEST(no_mux, "G15: a NO_MUX group of more members than the PMU has is refused when enabled")
{
	struct perfgrp_counter c[PMU_MANY];
	int fd = grp_on_task(PERFGRP_CREATE_NO_MUX, 0);

	if (!has_pmu())
		skip("no hardware counters");
	REQUIRE_GE(fd, 0);
	fill_counters(c, PMU_MANY, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_EQ(grp_add_counters(fd, c, pmu_size() + 1), 0);
	EXPECT_EQ(grp_enable(fd), -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_BUSY);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	spin(100000);
	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	EXPECT_EQ(grp_last.value[0].time_enabled, snap.value[0].time_enabled);
	EXPECT_EQ(grp_last.value[0].raw, snap.value[0].raw);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
