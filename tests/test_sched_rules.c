// SPDX-License-Identifier: GPL-2.0
/*
 * What a group can request: to be always on the PMU (NO_MUX), or to be one scheduling
 * group; and what its values say about that.
 */
#include "group.h"
#include "pmu.h"

#define NR_MEMBERS	3
#define NR_LOOKS	200

static struct grp_snap snap;

static void need_hardware(void)
{
	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(SCHED_GROUP);
}

/* ---- NO_MUX ------------------------------------------------------------------ */

static void need_no_mux(void)
{
	need_hardware();
	NEED_FEATURE(NO_MUX);
	if (pmu_size() <= NR_MEMBERS)
		skip("the PMU has no room for more than %u members", NR_MEMBERS);
}

static void add_cycles(int fd, struct perfgrp_counter c[NR_MEMBERS])
{
	REQUIRE_GE(fd, 0);
	fill_counters(c, NR_MEMBERS, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
}

/* Opens so many pinned counters on CPU, in FD, disabled, that the members have no room. */
static unsigned int open_pinned(int cpu, int fd[PMU_MANY])
{
	unsigned int nr = pmu_size() - NR_MEMBERS + 1;

	pmu_open_pinned(nr, cpu, fd);
	return nr;
}

/* The same, enabled. */
static unsigned int pin_counters(int cpu, int fd[PMU_MANY])
{
	unsigned int nr = open_pinned(cpu, fd);

	pmu_enable(nr, fd);
	return nr;
}

/* Checks all members of all rows. FAILED: a NO_MUX group has lost its place on the PMU. */
static void expect_values(int fd, __u32 state, bool failed)
{
	__u32 i;

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	REQUIRE_GE(snap.hdr.nr_values, NR_MEMBERS);
	for (i = 0; i < snap.hdr.nr_values; i++) {
		if (!failed)
			EXPECT_EQ(snap.value[i].state, state);
		EXPECT_EQ(!!(snap.value[i].flags & PERFGRP_VALUE_FAILED), failed);
		expect_plausible(&snap.value[i]);
	}
	for (i = 0; i < snap.hdr.nr_rows; i++)
		EXPECT_EQ(!!(snap.row[i].flags & PERFGRP_ROW_FAILED), failed);
}

static void expect_states(int fd, __u32 state)
{
	expect_values(fd, state, false);
}

/* Was the first member always on the PMU? */
static bool was_always_on(int fd)
{
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	REQUIRE_GE(snap.hdr.nr_values, 1);
	return snap.value[0].state == PERFGRP_STATE_COUNTED;
}

/* The state may be any: it depends on how long they were on the PMU. */
static void expect_failed(int fd)
{
	expect_values(fd, 0, true);
}

static bool is_enabled(int fd)
{
	static struct grp_members m;

	REQUIRE_EQ(grp_query(fd, &m), 0);
	return m.hdr.enabled;
}

static void expect_never_multiplexed(int fd, int other, pid_t pid, int cpu)
{
	struct perfgrp_counter c[NR_MEMBERS], d[NR_MEMBERS];
	unsigned int i;

	add_cycles(fd, c);
	add_cycles(other, d);
	pmu_load(2 * pmu_size() - 2 * NR_MEMBERS, pid, cpu, NULL);
	REQUIRE_EQ(grp_enable(other), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < rounds(NR_LOOKS); i++) {
		spin(50000);
		expect_states(fd, PERFGRP_STATE_COUNTED);
	}
	/* A group without NO_MUX, however, was multiplexed. */
	for (i = 0; i < 200 && was_always_on(other); i++)
		spin(50000);
	expect_states(other, PERFGRP_STATE_MULTIPLEXED);
}

TEST(no_mux_task, "G15: a NO_MUX group of a task is always on the PMU, whoever else wants it")
{
	need_no_mux();
	expect_never_multiplexed(grp_on_task(PERFGRP_CREATE_NO_MUX, 0), grp_on_task(0, 0), 0, -1);
}

TEST(no_mux_cpu, "G15: a NO_MUX group of a CPU is always on the PMU, whoever else wants it")
{
	need_no_mux();
	run_on(0);
	expect_never_multiplexed(grp_on_cpu(PERFGRP_CREATE_NO_MUX, 0), grp_on_cpu(0, 0), -1, 0);
}

TEST(no_mux_refused, "G15: without room on one CPU, ENABLE of a NO_MUX group is refused on all")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_NO_MUX), pinned[PMU_MANY];
	struct perfgrp_counter c[NR_MEMBERS];
	struct cpus cpus;
	unsigned int nr;
	int last;

	need_no_mux();
	cpus_online(&cpus);
	last = cpus.cpu[cpus.nr - 1];
	/* Pin first: the perf core prefers the pinned counters that were created first. */
	nr = pin_counters(last, pinned);
	add_cycles(fd, c);
	EXPECT_EQ(grp_enable(fd), -EBUSY);
	EXPECT(error_is_sane(&grp_error, EBUSY));
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_BUSY);
	EXPECT_EQ(grp_error.cpu, last);

	/* The group is still off: no member counts on any CPU. */
	EXPECT(!is_enabled(fd));
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	grp_last = snap;
	spin(100000);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.value[0].raw, grp_last.value[0].raw);
	EXPECT_EQ(snap.value[0].time_enabled, grp_last.value[0].time_enabled);

	/* With room again the group counts on all CPUs. */
	pmu_close(nr, pinned);
	REQUIRE_EQ(grp_reset(fd), 0);
	EXPECT_EQ(grp_enable(fd), 0);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
}

TEST(no_mux_too_many, "G15: what can never fit is refused when added, as with any group")
{
	struct perfgrp_counter c[PMU_MANY];
	int fd = grp_on_all_cpus(PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	unsigned int size;

	need_no_mux();
	size = pmu_size();
	fill_counters(c, PMU_MANY, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_GE(fd, 0);
	EXPECT_EQ(grp_add_counters(fd, c, size + 1), -EINVAL);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_FULL);
	REQUIRE_EQ(grp_add_counters(fd, c, size), 0);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
}

TEST(no_mux_first_add, "G15: the first members of an enabled NO_MUX group without room are refused")
{
	struct perfgrp_counter c[NR_MEMBERS];
	int fd = grp_on_cpu(PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED, 0), pinned[PMU_MANY];
	unsigned int nr;

	need_no_mux();
	REQUIRE_GE(fd, 0);
	nr = pin_counters(0, pinned);
	fill_counters(c, NR_MEMBERS, PERFGRP_HW_CPU_CYCLES);
	EXPECT_EQ(grp_add_counters(fd, c, NR_MEMBERS), -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_BUSY);
	/* None of the new members is to blame. */
	EXPECT_EQ(grp_error.member, PERFGRP_NONE);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 0);
	pmu_close(nr, pinned);
	EXPECT_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
}

TEST(no_mux_add, "G15 G8: a member for which a NO_MUX group that counts has no room is refused")
{
	struct perfgrp_counter c[NR_MEMBERS];
	int fd = grp_on_cpu(PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED, 0), pinned[PMU_MANY];
	struct perfgrp_value before;
	unsigned int nr;

	need_no_mux();
	run_on(0);
	nr = pin_counters(0, pinned);
	/* Close one of them, so that there is just enough room. */
	close(pinned[--nr]);
	add_cycles(fd, c);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
	before = snap.value[0];
	EXPECT_EQ(grp_add(fd, PERFGRP_HW_CPU_CYCLES), -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_BUSY);
	EXPECT_EQ(grp_error.member, PERFGRP_NONE);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(snap.hdr.nr_values, NR_MEMBERS);
	EXPECT_GE(snap.value[0].raw, before.raw + 200000);
	EXPECT_GE(snap.value[0].time_enabled, before.time_enabled + 200000);
	pmu_close(nr, pinned);
	EXPECT_GT(grp_add(fd, PERFGRP_HW_CPU_CYCLES), 0);
}

/* Pinned counters of a CPU have priority over those of a task. */
TEST(thrown_off,
     "G15 G22: a NO_MUX group that is thrown off reads as failed, whole, and can be enabled again")
{
	int fd = grp_on_task(PERFGRP_CREATE_NO_MUX, 0), pinned[PMU_MANY];
	struct perfgrp_counter c[NR_MEMBERS];
	unsigned int nr;
	__u64 raw;

	need_no_mux();
	run_on(0);
	add_cycles(fd, c);
	REQUIRE_EQ(grp_enable(fd), 0);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
	raw = snap.value[0].raw;

	nr = pin_counters(0, pinned);
	spin(100000);
	expect_failed(fd);
	expect_in_fdinfo(fd, " failed leader\n");
	/* The counts are kept, but do not increase. */
	EXPECT_GE(snap.value[0].raw, raw);
	raw = snap.value[0].raw;
	spin(100000);
	expect_failed(fd);
	EXPECT_EQ(snap.value[0].raw, raw);
	EXPECT_EQ(grp_enable(fd), -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_BUSY);

	pmu_close(nr, pinned);
	EXPECT_EQ(grp_enable(fd), 0);
	spin(100000);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_GE(snap.value[0].raw, raw + 200000);
	EXPECT_EQ(snap.value[0].flags & PERFGRP_VALUE_FAILED, 0);
	REQUIRE_EQ(grp_reset(fd), 0);
	spin(100000);
	expect_states(fd, PERFGRP_STATE_COUNTED);
}

TEST(no_mux_software, "G15 G6: software members of a NO_MUX group always fit")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_NO_MUX), i;

	NEED_FEATURE(NO_MUX);
	REQUIRE_GE(fd, 0);
	for (i = 0; i < NR_MEMBERS; i++)
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	expect_states(fd, PERFGRP_STATE_COUNTED);
}

/* ---- ONE_SCHED_GROUP, and the numbers of scheduling groups --------------------------- */

/*
 * Each row, and the totals, have the NR counters C as members. Member i is in the scheduling group
 * led by member LEADER[i].
 */
static void expect_sched_groups(int fd, const struct perfgrp_counter *c, unsigned int nr,
				const unsigned int *leader)
{
	static const __u32 flags[] = { 0, PERFGRP_SNAPSHOT_TOTALS };
	size_t way;
	__u32 i;

	for (way = 0; way < ARRAY_SIZE(flags); way++) {
		REQUIRE_EQ(grp_snapshot(fd, flags[way], &snap), 0);
		REQUIRE_GE(snap.hdr.nr_values, nr);
		for (i = 0; i < snap.hdr.nr_values; i++) {
			EXPECT_EQ(snap.value[i].id, c[i % nr].id);
			EXPECT_EQ(snap.value[i].sched_group, c[leader[i % nr]].id);
		}
	}
}

static const struct perfgrp_counter hardware = { .event = PERFGRP_HW_CPU_CYCLES };
static const struct perfgrp_counter software = { .event = PERFGRP_SW_PAGE_FAULTS };

static void expect_together(__u32 flags)
{
	struct perfgrp_counter led[] = { hardware, software, hardware, hardware, software };
	struct perfgrp_counter beside[] = { software, hardware, hardware, software };
	static const unsigned int led_by[] = { 0, 1, 0, 0, 4 }, beside_by[] = { 0, 1, 1, 3 };
	int fd, i;

	for (i = 0; i < 2; i++) {
		fd = i ? grp_on_all_cpus(flags) : grp_on_task(flags, 0);
		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(grp_add_counters(fd, led, ARRAY_SIZE(led)), 0);
		expect_sched_groups(fd, led, ARRAY_SIZE(led), led_by);
		close(fd);

		fd = i ? grp_on_all_cpus(flags) : grp_on_task(flags, 0);
		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(grp_add_counters(fd, beside, ARRAY_SIZE(beside)), 0);
		expect_sched_groups(fd, beside, ARRAY_SIZE(beside), beside_by);
		close(fd);
		for (size_t j = 0; j < ARRAY_SIZE(led); j++)
			led[j].id = 0;
		for (size_t j = 0; j < ARRAY_SIZE(beside); j++)
			beside[j].id = 0;
	}
}

TEST(together, "S12: hardware members of one PMU share a number, software ones have their own")
{
	need_hardware();
	expect_together(0);
}

TEST(one_sched_group, "S12 G4: ONE_SCHED_GROUP takes one PMU's members, and software beside them")
{
	need_hardware();
	expect_together(PERFGRP_CREATE_ONE_SCHED_GROUP);
}

TEST(software_alone, "S12 G6: software members are a scheduling group each")
{
	struct perfgrp_counter c[] = { software, software, software };
	static const unsigned int itself[] = { 0, 1, 2 };
	int fd = grp_on_all_cpus(0);

	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
	expect_sched_groups(fd, c, ARRAY_SIZE(c), itself);
}

/* The member counts in all rows, of a group on all CPUs or on this task. */
static void expect_counting(int fd, __u32 id)
{
	__u32 row;

	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	for (row = 0; row < grp_last.hdr.nr_rows; row++) {
		int cpu = grp_last.row[row].cpu;
		__u64 before;

		if (cpu >= 0)
			run_on(cpu);
		before = grp_value_on(fd, cpu, id).raw;
		spin(100000);
		EXPECT_GT(grp_value_on(fd, cpu, id).raw, before + 100000);
	}
}

/*
 * The perf core prefers the pinned counters that were created first, also if they are enabled
 * later.
 */
TEST(thrown_off_one_cpu,
     "G15: a NO_MUX group that is thrown off one CPU counts on the others, also if enabled again")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_NO_MUX), pinned[PMU_MANY];
	struct perfgrp_counter c[NR_MEMBERS];
	struct cpus cpus;
	unsigned int nr;
	__u64 before;
	int last;

	need_no_mux();
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	run_on(cpus.cpu[0]);
	last = cpus.cpu[cpus.nr - 1];
	nr = open_pinned(last, pinned);
	add_cycles(fd, c);
	REQUIRE_EQ(grp_enable(fd), 0);
	pmu_enable(nr, pinned);
	EXPECT(grp_value_on(fd, last, c[0].id).flags & PERFGRP_VALUE_FAILED);
	EXPECT_EQ(grp_enable(fd), -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_BUSY);
	EXPECT_EQ(grp_error.cpu, last);
	EXPECT(is_enabled(fd));
	before = grp_value_on(fd, cpus.cpu[0], c[0].id).raw;
	spin(100000);
	EXPECT_GT(grp_value_on(fd, cpus.cpu[0], c[0].id).raw, before + 100000);
	EXPECT_EQ(grp_value_on(fd, cpus.cpu[0], c[0].id).flags & PERFGRP_VALUE_FAILED, 0);

	pmu_close(nr, pinned);
	EXPECT_EQ(grp_enable(fd), 0);
	EXPECT_EQ(grp_value_on(fd, last, c[0].id).flags & PERFGRP_VALUE_FAILED, 0);
}

TEST(thrown_off_after_exec,
     "G15 G17: a NO_MUX group that an exec has enabled stays so if there is no more room")
{
	int pinned[PMU_MANY], fd, go, ret;
	struct perfgrp_counter c[NR_MEMBERS];
	struct cpus cpus;
	unsigned int nr;
	pid_t pid;

	need_no_mux();
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	run_on(cpus.cpu[0]);
	pid = shell_when_told("while :; do :; done", &go);
	/* Not on its CPU, so that it is on that when the group is enabled. */
	run_on(cpus.cpu[1]);
	fd = grp_on_task(PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	add_cycles(fd, c);
	EXPECT(!is_enabled(fd));
	REQUIRE(write(go, "", 1) == 1);
	REQUIRE(BECOMES_TRUE(is_enabled(fd), 10000));
	nr = pin_counters(cpus.cpu[0], pinned);
	REQUIRE(BECOMES_TRUE(grp_value(fd, c[0].id).flags & PERFGRP_VALUE_FAILED, 10000));
	ret = grp_enable(fd);
	/* Whether there is room shows only if no other task is on the CPU at that moment. */
	EXPECT(ret == -EBUSY || !ret);
	EXPECT(is_enabled(fd));
	pmu_close(nr, pinned);
	EXPECT_EQ(grp_enable(fd), 0);
	kill(pid, SIGKILL);
}

TEST(new_leader, "S12 G11: when a scheduling group's leader is removed the others get a new number")
{
	struct perfgrp_counter c[] = { software, hardware, hardware, hardware };
	static const unsigned int by_first[] = { 0, 1, 1, 1 };
	int fd, i;

	need_hardware();
	for (i = 0; i < 2; i++) {
		struct perfgrp_counter left[3];
		static const unsigned int by_next[] = { 0, 1, 1 };

		fd = i ? grp_on_all_cpus(PERFGRP_CREATE_ENABLED) :
			 grp_on_task(PERFGRP_CREATE_ENABLED, 0);
		REQUIRE_GE(fd, 0);
		for (size_t j = 0; j < ARRAY_SIZE(c); j++)
			c[j].id = 0;
		REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
		expect_sched_groups(fd, c, ARRAY_SIZE(c), by_first);
		REQUIRE_EQ(grp_remove(fd, c[1].id, 0), 0);
		left[0] = c[0];
		left[1] = c[2];
		left[2] = c[3];
		expect_sched_groups(fd, left, ARRAY_SIZE(left), by_next);
		REQUIRE_EQ(grp_remove(fd, c[2].id, 0), 0);
		left[1] = c[3];
		expect_sched_groups(fd, left, 2, by_next);
		expect_counting(fd, c[3].id);
		close(fd);
	}
}

TEST(after_cascade, "S12 G12: after CASCADE new members have numbers of their own")
{
	struct perfgrp_counter c[] = { hardware, hardware, software };
	static const unsigned int led_by[] = { 0, 0, 2 };
	__u32 first;
	int fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	size_t j;

	need_hardware();
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
	expect_sched_groups(fd, c, ARRAY_SIZE(c), led_by);
	first = c[2].id;
	REQUIRE_EQ(grp_remove(fd, c[0].id, PERFGRP_REMOVE_CASCADE), 0);
	for (j = 0; j < ARRAY_SIZE(c); j++)
		c[j].id = 0;
	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
	EXPECT_GT(c[0].id, first);
	expect_sched_groups(fd, c, ARRAY_SIZE(c), led_by);
}

/* ---- while kprobes are disarmed ------------------------------------------------- */

static void expect_refused_while_probes_are_off(void)
{
	struct perfgrp_counter c[NR_MEMBERS];
	int fd = grp_on_task(0, 0), ret;

	REQUIRE_GE(fd, 0);
	fill_counters(c, NR_MEMBERS, PERFGRP_HW_CPU_CYCLES);
	/* Wait until the probe is no longer armed, so that the call itself must arm it. */
	nap_ns(1500000000);
	if (write_file(KPROBES_ENABLED, "0"))
		skip("there is no " KPROBES_ENABLED);
	ret = grp_add_counters(fd, c, NR_MEMBERS);
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "1"), 0);
	EXPECT_EQ(ret, -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_KERNEL);
	EXPECT(error_is_sane(&grp_error, -ret));
	EXPECT(strstr(grp_error.text, KPROBES_ENABLED));
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 0);
	/* Immediately afterwards: the probe of the failed call may still be armed. */
	EXPECT_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	expect_states(fd, PERFGRP_STATE_COUNTED);
	close(fd);
}

TEST(probes_off, "G4 A13: while all kprobes are disarmed ADD is refused, and works afterwards")
{
	need_hardware();
	expect_refused_while_probes_are_off();
}

TEST(probes_off_and_another, "G4 A13: the same where somebody else probes that function, too")
{
	need_hardware();
	probe_too("perf_event_alloc");
	expect_refused_while_probes_are_off();
	probe_no_longer();
}

TEST(multiplexed_total, "S11 S2: a total is COUNTED only if no CPU's part was multiplexed")
{
	struct perfgrp_counter c[NR_MEMBERS];
	struct cpus cpus;
	int fd;
	__u32 i;

	need_no_mux();
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	run_on(cpus.cpu[0]);
	fd = grp_on_cpus(0, &cpus);
	add_cycles(fd, c);
	pmu_load(2 * pmu_size() - NR_MEMBERS, -1, cpus.cpu[0], NULL);
	REQUIRE_EQ(grp_enable(fd), 0);
	do {
		spin(1000000);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	} while (snap_value(&snap, cpus.cpu[0], c[0].id)->state != PERFGRP_STATE_MULTIPLEXED);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	EXPECT_EQ(snap_value(&grp_last, cpus.cpu[1], c[0].id)->state, PERFGRP_STATE_COUNTED);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	for (i = 0; i < NR_MEMBERS; i++) {
		__u64 raw = 0, scaled = 0;
		__u32 row;

		for (row = 0; row < grp_last.hdr.nr_rows; row++) {
			raw += grp_last.value[grp_last.row[row].first_value + i].raw;
			scaled += grp_last.value[grp_last.row[row].first_value + i].scaled;
		}
		EXPECT_EQ(snap.value[i].state, PERFGRP_STATE_MULTIPLEXED);
		EXPECT_EQ(snap.value[i].sched_group, c[0].id);
		EXPECT_EQ(snap.value[i].raw, raw);
		EXPECT_EQ(snap.value[i].scaled, scaled);
	}
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
