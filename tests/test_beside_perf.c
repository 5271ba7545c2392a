// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters of perfgrp and of perf_event_open(2) on one PMU, in one
 * process, at the same time: they have the same counts if there is room for both.
 * test_sched.c tests what happens if there is not.
 */
#include "group.h"
#include "pmu.h"

static struct grp_snap snap;

static void need_instructions(void)
{
	if (!has_hardware_event(PERF_COUNT_HW_INSTRUCTIONS))
		skip("no instructions counter");
}

/* A disabled perf group of cycles and instructions on this task. */
static void peer_pair(int fd[2])
{
	fd[0] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	REQUIRE_GE(fd[0], 0);
	fd[1] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, fd[0]);
	REQUIRE_GE(fd[1], 0);
}

TEST(as_perf, "S1 E2: cycles and instructions lie between perf's around and inside them, to 1 %")
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_HW_INSTRUCTIONS },
	};
	int outer[2], inner[2], fd = grp_on_task(0, 0), i;

	need_instructions();
	if (pmu_size() < 6)
		skip("the PMU has no room for three groups of two");
	settle_memory();
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	peer_pair(outer);
	peer_pair(inner);

	peer_enable(outer[0]);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(inner[0]);
	spin(20000000);
	fault_in(100);
	peer_disable(inner[0]);
	REQUIRE_EQ(grp_disable(fd), 0);
	peer_disable(outer[0]);

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < 2; i++) {
		const struct perfgrp_value *v = snap_value(&snap, -1, c[i].id);
		struct peer_value in = peer_read(inner[i]), out = peer_read(outer[i]);

		expect_plausible(v);
		EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
		EXPECT_EQ(in.enabled, in.running);
		EXPECT_GE(v->raw, in.value);
		EXPECT_LE(v->raw, out.value);
		EXPECT_LE(v->raw - in.value, in.value / 100);
	}
	/* The loop alone has two instructions per iteration. */
	EXPECT_GE(snap_value(&snap, -1, c[1].id)->raw, 40000000);
}

TEST(as_close_as_perf,
     "G10: two cycles counters of one group are as close as two of one perf group")
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_HW_CPU_CYCLES },
	};
	int fd = grp_on_task(0, 0), peer[2], i;
	__s64 ours = 0, theirs = 0, d;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	peer[0] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	peer[1] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, peer[0]);
	REQUIRE(peer[0] >= 0 && peer[1] >= 0);
	/* One pair after the other, so that they do not disturb each other. */
	for (i = 0; i < 50; i++) {
		REQUIRE_EQ(ioctl(peer[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
		peer_enable(peer[0]);
		spin(1000);
		peer_disable(peer[0]);
		d = peer_read(peer[0]).value - peer_read(peer[1]).value;
		theirs = llabs(d) > theirs ? llabs(d) : theirs;

		REQUIRE_EQ(grp_reset(fd), 0);
		REQUIRE_EQ(grp_enable(fd), 0);
		spin(1000);
		REQUIRE_EQ(grp_disable(fd), 0);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_GE(snap.value[0].raw, 2000);
		d = snap.value[0].raw - snap.value[1].raw;
		ours = llabs(d) > ours ? llabs(d) : ours;
	}
	EXPECT_LE(ours, theirs);
	diag("greatest difference: perfgrp %lld, perf %lld", (long long)ours, (long long)theirs);
}

TEST(room_again, "G14: a member's slot is free for another as soon as it is removed")
{
	unsigned int slots = pmu_size(), i;
	struct perfgrp_counter c[PMU_MANY];
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), id;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	if (slots < 2)
		skip("the PMU has one slot");
	fill_counters(c, slots, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_EQ(grp_add_counters(fd, c, slots), 0);
	id = c[slots - 1].id;
	for (i = 0; i < 20; i++) {
		REQUIRE_EQ(grp_remove(fd, id, 0), 0);
		id = grp_add(fd, PERFGRP_HW_CPU_CYCLES);
		REQUIRE_GT(id, 0);
		spin(10000);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_EQ(snap.hdr.nr_values, slots);
		EXPECT_EQ(snap_value(&snap, -1, id)->state, PERFGRP_STATE_COUNTED);
		EXPECT_GE(snap_value(&snap, -1, id)->raw, 20000);
		EXPECT_EQ(snap_value(&snap, -1, c[0].id)->state, PERFGRP_STATE_COUNTED);
	}
}

int main(int argc, char **argv)
{
	if (!has_pmu())
		skip_all("no hardware counters");
	return run_tests(argc, argv);
}
