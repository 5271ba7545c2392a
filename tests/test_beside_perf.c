// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters of perfgrp and of perf_event_open(2) on one PMU, in one
 * process, at the same time: the same counts where there is room for both, and
 * members that stay together where there is not.
 */
#include "group.h"

#define MAX_SLOTS	32
#define NR_MEMBERS	4

static struct grp_snap snap;

/* What the kernel lets one perf group of cycles counters have. */
static unsigned int pmu_slots(void)
{
	int fd[MAX_SLOTS], nr = 0;

	while (nr < MAX_SLOTS) {
		fd[nr] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1,
				   nr ? fd[0] : -1);
		if (fd[nr] < 0)
			break;
		/* The arm driver leaves a leader that is off out of its sum. */
		if (nr == 0)
			peer_enable(fd[0]);
		nr++;
	}
	REQUIRE_GT(nr, 0);
	for (int i = nr; i--;)
		close(fd[i]);
	return nr;
}

static void need_instructions(void)
{
	int fd = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, -1);

	if (fd < 0)
		skip("no instructions counter: errno %d", -fd);
	close(fd);
}

/* ---- with room for all ----------------------------------------------------------- */

/* A perf group of cycles and instructions on this task, off. */
static void peer_pair(int fd[2])
{
	fd[0] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);
	REQUIRE_GE(fd[0], 0);
	fd[1] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, fd[0]);
	REQUIRE_GE(fd[1], 0);
}

PROMISE(as_perf, "S1 E2: cycles and instructions lie between perf's around and inside them, to 1 %")
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_HW_INSTRUCTIONS },
	};
	int outer[2], inner[2], fd = grp_on_task(0, 0), i;

	need_instructions();
	if (pmu_slots() < 6)
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
	/* The loop alone is two instructions a turn. */
	EXPECT_GE(snap_value(&snap, -1, c[1].id)->raw, 40000000);
}

PROMISE(as_close_as_perf, "G10: two cycles counters of one group are as close as two of one perf group")
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
	/* One pair after the other, so that neither is in the other's way. */
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

/* ---- with too little room ----------------------------------------------------------- */

/* Fills the PMU with perf's counters on PID and CPU, as many as it has slots. */
static void oversubscribe(pid_t pid, int cpu)
{
	unsigned int nr = pmu_slots(), i;

	for (i = 0; i < nr; i++) {
		int fd = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, pid, cpu, -1);

		REQUIRE_GE(fd, 0);
		peer_enable(fd);
	}
}

static void add_four(int fd, struct perfgrp_counter c[NR_MEMBERS])
{
	int i;

	REQUIRE_GE(fd, 0);
	for (i = 0; i < NR_MEMBERS; i++)
		c[i] = (struct perfgrp_counter){ .event = PERFGRP_HW_CPU_CYCLES };
	REQUIRE_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
}

static void expect_together(int fd, pid_t pid, int cpu)
{
	struct perfgrp_counter c[NR_MEMBERS];
	const struct perfgrp_value *v, *leader = NULL;
	unsigned int i, nr = rounds(1000);
	__u64 d;
	int j;

	if (pmu_slots() < NR_MEMBERS)
		skip("the PMU has no room for %d members", NR_MEMBERS);
	add_four(fd, c);
	oversubscribe(pid, cpu);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < nr; i++) {
		spin(50000);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_EQ(snap.hdr.nr_values, NR_MEMBERS);
		leader = &snap.value[0];
		for (j = 0; j < NR_MEMBERS; j++) {
			v = &snap.value[j];
			EXPECT(v->flags & PERFGRP_VALUE_WITH_LEADER);
			EXPECT_EQ(v->time_enabled, leader->time_enabled);
			EXPECT_EQ(v->time_running, leader->time_running);
			EXPECT_EQ(v->state, leader->state);
			expect_plausible(v);
		}
	}
	/* Else there was no want of room, and nothing was shown. */
	EXPECT_EQ(leader->state, PERFGRP_STATE_MULTIPLEXED);
	/* The same event, in the same moments. */
	for (j = 1; j < NR_MEMBERS; j++) {
		d = snap.value[j].raw > leader->raw ? snap.value[j].raw - leader->raw :
						      leader->raw - snap.value[j].raw;
		EXPECT_LE(d, leader->raw / 100);
	}
}

PROMISE_LIMIT(together_task, 60, "G4: members of a task's group have equal times in each of 1,000 snapshots")
{
	NEED_FEATURE(SCHED_GROUP);
	expect_together(grp_on_task(0, 0), 0, -1);
}

PROMISE_LIMIT(together_cpu, 60, "G4: members of a CPU's group have equal times in each of 1,000 snapshots")
{
	NEED_FEATURE(SCHED_GROUP);
	run_on(0);
	expect_together(grp_on_cpu(0, 0), -1, 0);
}

PROMISE_LIMIT(apart, 60, "G4: counters that are in no group together do not: each has its own times")
{
	int fd[NR_MEMBERS], id[NR_MEMBERS], i;
	__u64 least = ~0ULL, most = 0, running;
	unsigned int round;

	for (i = 0; i < NR_MEMBERS; i++) {
		fd[i] = grp_on_task(0, 0);
		REQUIRE_GE(fd[i], 0);
		id[i] = grp_add(fd[i], PERFGRP_HW_CPU_CYCLES);
		REQUIRE_GT(id[i], 0);
	}
	oversubscribe(0, -1);
	for (i = 0; i < NR_MEMBERS; i++)
		REQUIRE_EQ(grp_enable(fd[i]), 0);
	for (round = 0; round < rounds(1000); round++)
		spin(50000);
	for (i = 0; i < NR_MEMBERS; i++)
		REQUIRE_EQ(grp_disable(fd[i]), 0);
	for (i = 0; i < NR_MEMBERS; i++) {
		running = grp_value(fd[i], id[i]).time_running;
		least = running < least ? running : least;
		most = running > most ? running : most;
	}
	/* More than the moments between one ioctl and the next: a rotation at least. */
	EXPECT_GT(most - least, 1000000);
}

PROMISE(room_again, "G14: a member's slot is free for another as soon as it is removed")
{
	unsigned int slots = pmu_slots(), i;
	struct perfgrp_counter c[MAX_SLOTS] = { { 0 } };
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), id;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	if (slots < 2)
		skip("the PMU has one slot");
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
	int fd = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -1);

	if (fd < 0)
		skip_all("no hardware counters");
	close(fd);
	return keep_promises(argc, argv);
}
