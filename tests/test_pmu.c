// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters: what fits the PMU, what shares it, what a value means when
 * the PMU is oversubscribed. For a machine with a PMU; the emulated arm64 one has
 * 7 counters and, run with -icount, is exact.
 */
#include "group.h"
#include "pmu.h"

static struct grp_snap snap;

/* NR cycles counters on this task or on all CPUs, one ADD each; the last refusal. */
static int add_cycles(int fd, unsigned int nr, int *ids)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr; i++) {
		ret = grp_add(fd, PERFGRP_HW_CPU_CYCLES);
		if (ret < 0)
			return ret;
		ids[i] = ret;
	}
	return 0;
}

static void full_group(int fd)
{
	unsigned int size = pmu_size(), i;
	struct perfgrp_value before;
	int ids[PMU_MANY], ret;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(add_cycles(fd, size, ids), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	spin(100000);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	before = *snap_value(&snap, -1, ids[0]);
	EXPECT_EQ(before.state, PERFGRP_STATE_COUNTED);

	ret = grp_add(fd, PERFGRP_HW_CPU_CYCLES);
	EXPECT_EQ(ret, -EINVAL);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_FULL);
	EXPECT_EQ(grp_error.member, 0);

	/* The others go on from where they were, all of them on the PMU. */
	spin(100000);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, size);
	for (i = 0; i < size; i++) {
		const struct perfgrp_value *v = snap_value(&snap, -1, ids[i]);

		EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
		EXPECT_GT(v->raw, before.raw + 100000);
		EXPECT_GT(v->time_enabled, before.time_enabled);
		EXPECT_EQ(v->sched_group, ids[0]);
	}
}

TEST(full_task, "G5: a member too many for the PMU is refused, the rest of a task's group goes on")
{
	full_group(grp_on_task(0, 0));
}

TEST(full_cpus, "G5: a member too many for the PMU is refused, the rest of a CPU group goes on")
{
	full_group(grp_on_all_cpus(0));
}

TEST(full_at_once, "G5: of many at once the one that breaks the set is named, and none is added")
{
	struct perfgrp_counter counters[PMU_MANY];
	unsigned int size = pmu_size();
	int fd = grp_on_all_cpus(0);

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	fill_counters(counters, PMU_MANY, PERFGRP_HW_CPU_CYCLES);
	EXPECT_EQ(grp_add_counters(fd, counters, size + 1), -EINVAL);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PMU_FULL);
	EXPECT_EQ(grp_error.member, size);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 0);
	EXPECT_EQ(grp_add_counters(fd, counters, size), 0);
}

TEST(slots, "G14: the slots of a group that is closed can be used again at once")
{
	unsigned int size = pmu_size(), i;
	int ids[PMU_MANY], fd;

	for (i = 0; i < 20; i++) {
		fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(add_cycles(fd, size, ids), 0);
		spin(10000);
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
		EXPECT_EQ(snap_value(&snap, -1, ids[size - 1])->state, PERFGRP_STATE_COUNTED);
		close(fd);
	}
}

enum { ADD, ENABLE, CLOSE, NR_STEPS };

/* How often all CPUs but this one were interrupted in each step, of a group with four counters. */
static void count_interrupts(const struct cpus *cpus, __u64 interrupts[NR_STEPS])
{
	struct perfgrp_counter counters[4];
	__u64 at[NR_STEPS + 1] = {};
	unsigned int step, i;
	int fd;

	fill_counters(counters, ARRAY_SIZE(counters), PERFGRP_HW_CPU_CYCLES);
	fd = grp_on_all_cpus(0);
	REQUIRE_GE(fd, 0);
	for (step = 0; step <= NR_STEPS; step++) {
		for (i = 1; i < cpus->nr; i++)
			at[step] += function_call_interrupts(cpus->cpu[i]);
		if (step == ADD)
			REQUIRE_EQ(grp_add_counters(fd, counters, ARRAY_SIZE(counters)), 0);
		else if (step == ENABLE)
			REQUIRE_EQ(grp_enable(fd), 0);
		else if (step == CLOSE)
			close(fd);
	}
	for (step = 0; step < NR_STEPS; step++)
		interrupts[step] += at[step + 1] - at[step];
}

TEST(interrupts, "G29: to add and to enable members interrupts a CPU once, to close once a member")
{
	const unsigned int rounds = 20;
	__u64 interrupts[NR_STEPS] = {};
	struct cpus cpus;
	unsigned int i;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(pmu_size(), 4);
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	run_on(cpus.cpu[0]);
	for (i = 0; i < rounds; i++)
		count_interrupts(&cpus, interrupts);
	/* Others need some, too: half as many. One a member would be four times as many. */
	EXPECT_LT(2 * interrupts[ADD], 3 * rounds * (cpus.nr - 1));
	EXPECT_LT(2 * interrupts[ENABLE], 3 * rounds * (cpus.nr - 1));
	EXPECT_LT(2 * interrupts[CLOSE], 4 * 3 * rounds * (cpus.nr - 1));
	diag("%u rounds, %u other CPUs: add %llu, enable %llu, close %llu", rounds, cpus.nr - 1,
	     (unsigned long long)interrupts[ADD], (unsigned long long)interrupts[ENABLE],
	     (unsigned long long)interrupts[CLOSE]);
}

TEST(together, "G10: members of one scheduling group start in one transaction, and stop in one")
{
	struct perfgrp_counter counters[] = {
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_HW_CPU_CYCLES },
	};
	int fd = grp_on_task(0, 0), i;
	__u64 a, b;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counters, 2), 0);
	for (i = 0; i < 100; i++) {
		REQUIRE_EQ(grp_enable(fd), 0);
		spin(1000);
		REQUIRE_EQ(grp_disable(fd), 0);
		a = grp_raw(fd, counters[0].id);
		b = grp_raw(fd, counters[1].id);
		EXPECT_EQ(grp_value(fd, counters[0].id).time_running,
			  grp_value(fd, counters[1].id).time_running);
		/* What the PMU driver takes to program one counter after the other. */
		EXPECT_LE(a > b ? a - b : b - a, (i + 1) * 400);
		EXPECT_GT(a, (i + 1) * 2000);
	}
}

/* Instructions in user mode that TURNS turns of the loop take: the least of 20 times. */
static __u64 spin_instructions(int fd, int id, __u64 turns)
{
	__u64 least = ~0ULL, raw;
	int i;

	for (i = 0; i < 20; i++) {
		REQUIRE_EQ(grp_reset(fd), 0);
		REQUIRE_EQ(grp_enable(fd), 0);
		spin(turns);
		REQUIRE_EQ(grp_disable(fd), 0);
		raw = grp_raw(fd, id);
		least = raw < least ? raw : least;
	}
	return least;
}

/*
 * The emulated CPUs take turns, and each counts what the others do in between;
 * the least of several times is the one without.
 */
TEST(exact, "S5 G10: a loop of known length counts as many instructions as it has")
{
	int fd, id;
	__u64 more;

	fd = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add_with(fd, PERFGRP_HW_INSTRUCTIONS,
			  PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV);
	if (id < 0)
		skip("no instructions counter: %s", grp_error.text);
	more = spin_instructions(fd, id, 20000) - spin_instructions(fd, id, 10000);
	EXPECT_GE(more, 20000 - 20);
	EXPECT_LE(more, 20000 + 20);
}

TEST(multiplexed, "S2 S5: with the PMU oversubscribed a value says that it is an estimate")
{
	unsigned int size = pmu_size(), i, multiplexed = 0;
	int fd[2 * PMU_MANY], id = 0;

	run_on(0);
	for (i = 0; i < 2 * size; i++) {
		fd[i] = grp_on_cpu(PERFGRP_CREATE_ENABLED, 0);
		REQUIRE_GE(fd[i], 0);
		id = grp_add(fd[i], PERFGRP_HW_CPU_CYCLES);
		REQUIRE_GT(id, 0);
	}
	for (i = 0; i < 200; i++)
		spin(1000000);
	for (i = 0; i < 2 * size; i++) {
		struct perfgrp_value v = grp_value_on(fd[i], 0, id);

		expect_plausible(&v);
		EXPECT(v.state == PERFGRP_STATE_MULTIPLEXED || v.state == PERFGRP_STATE_COUNTED ||
		       v.state == PERFGRP_STATE_NEVER_RAN);
		multiplexed += v.state == PERFGRP_STATE_MULTIPLEXED;
	}
	EXPECT_GT(multiplexed, size);
}

TEST(software, "G6: software members take no slot and are never multiplexed")
{
	unsigned int size = pmu_size(), i;
	struct perfgrp_value v;
	int ids[PMU_MANY], fd, id;

	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(add_cycles(fd, size, ids), 0);
	for (i = 0; i < 4; i++) {
		id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
		EXPECT_GT(id, 0);
	}
	fault_in(100);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	v = *snap_value(&snap, -1, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_GE(v.raw, 100);
	EXPECT_EQ(snap_value(&snap, -1, ids[0])->state, PERFGRP_STATE_COUNTED);
}

/* The time that the task and its children spent elsewhere is not in fdinfo. */
static void expect_here_in_fdinfo(int fd, int id)
{
	unsigned long long enabled, running, pmu;
	char want[96];

	snprintf(want, sizeof(want), "\ntimes:\tmember %d pmu ", id);
	pmu = fdinfo_number(fd, want);
	snprintf(want, sizeof(want), "\ntimes:\tmember %d pmu %llu enabled ", id, pmu);
	enabled = fdinfo_number(fd, want);
	snprintf(want, sizeof(want), "\ntimes:\tmember %d pmu %llu enabled %llu running ", id, pmu,
		 enabled);
	running = fdinfo_number(fd, want);
	printf("# fdinfo: enabled %llu running %llu\n", enabled, running);
	EXPECT_LT(enabled - running, 400000);
}

static void count_here_and_there(const struct cpus *cpus, __u32 flags)
{
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_HW_INSTRUCTIONS,
		  .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
		{ .event = PERFGRP_HW_CPU_CYCLES },
	};
	__u64 last = 0, least = ~0ULL;
	struct perfgrp_value v;
	unsigned int i, round;
	int fd;

	run_on(cpus->cpu[flags & PERFGRP_CREATE_ENABLED ? 0 : 1]);
	fd = grp_on_task_cpu(flags, 0, cpus->cpu[0]);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	if (!(flags & PERFGRP_CREATE_ENABLED))
		REQUIRE_EQ(grp_enable(fd), 0);
	for (round = 1; round <= 20; round++) {
		here_and_there(cpus, 1);
		if (flags & PERFGRP_CREATE_INHERIT && round % 5 == 0) {
			pid_t pid = fork();

			if (!pid) {
				here_and_there(cpus, 1);
				_exit(0);
			}
			REQUIRE(waitpid(pid, NULL, 0) == pid);
		}
		for (i = 0; i < 3; i++) {
			v = grp_value_on(fd, cpus->cpu[0], c[i].id);
			expect_not_scaled(&v);
		}
		v = grp_value_on(fd, cpus->cpu[0], c[0].id);
		EXPECT_GE(v.raw - last, 40000);
		least = v.raw - last < least ? v.raw - last : least;
		last = v.raw;
	}
	/* 40,000 of its instructions are here, 400,000 there. */
	EXPECT_LT(least, 100000);
	expect_here_in_fdinfo(fd, c[0].id);
	if (flags & PERFGRP_CREATE_INHERIT) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_on(cpus->cpu[1]);
			for (;;)
				spin(1000);
		}
		nap_ns(20000000);
		expect_here_in_fdinfo(fd, c[0].id);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(fd);
}

TEST(task_elsewhere, "G6: a task's instructions on one CPU are not scaled for its time elsewhere")
{
	struct cpus cpus;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("%u CPUs", cpus.nr);
	count_here_and_there(&cpus, PERFGRP_CREATE_ENABLED);
	count_here_and_there(&cpus, 0);
	count_here_and_there(&cpus, PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_NO_MUX);
	count_here_and_there(&cpus, PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT);
	count_here_and_there(&cpus, PERFGRP_CREATE_INHERIT);
}

/* The PMU is too small for all that counts this task, and there is a pause. */
static void multiplex_here(const struct cpus *cpus, __u32 flags)
{
	struct perfgrp_value v;
	__u64 begin, elapsed, off;
	unsigned int round;
	int fd, id;

	run_on(cpus->cpu[1]);
	fd = grp_on_task_cpu(flags, 0, cpus->cpu[0]);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_GT(id, 0);
	/* That it was away before does not count after a restart. */
	if (!(flags & PERFGRP_CREATE_INHERIT)) {
		spin(25000000);
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_DUMMY), 0);
	}
	begin = now_ns();
	for (round = 0; round < 4; round++) {
		/* Nor what it was while the group was disabled. */
		if (round == 2) {
			REQUIRE_EQ(grp_disable(fd), 0);
			off = now_ns();
			spin(25000000);
			begin += now_ns() - off;
			REQUIRE_EQ(grp_enable(fd), 0);
		}
		run_on(cpus->cpu[0]);
		spin(5000000);
		run_on(cpus->cpu[1]);
		spin(25000000);
	}
	v = grp_value_on(fd, cpus->cpu[0], id);
	elapsed = now_ns() - begin;
	expect_plausible(&v);
	EXPECT_EQ(v.state, PERFGRP_STATE_MULTIPLEXED);
	EXPECT_LT(v.time_running, v.time_enabled * 9 / 10);
	/* A sixth of the time is here. */
	EXPECT_GT(v.time_enabled, elapsed / 10);
	EXPECT_LT(v.time_enabled, elapsed / 3);
	close(fd);
}

TEST(multiplexed_here, "G6: and what is multiplexed there is scaled for the turns it waits for")
{
	struct cpus cpus;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("%u CPUs", cpus.nr);
	pmu_load(2 * pmu_size(), 0, -1, NULL);
	multiplex_here(&cpus, PERFGRP_CREATE_ENABLED);
	multiplex_here(&cpus, PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT);
}

TEST(exec_elsewhere, "G6 G17: a task that execs where its group does not count")
{
	struct perfgrp_value v;
	int go[2], fd, id, status;
	struct cpus cpus;
	unsigned int i;
	pid_t pid;
	char byte;

	NEED_FEATURE(INHERIT);
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("%u CPUs", cpus.nr);
	for (i = 0; i < 2; i++) {
		REQUIRE(pipe2(go, O_CLOEXEC) == 0);
		pid = fork();
		REQUIRE(pid >= 0);
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_on(cpus.cpu[i]);
			REQUIRE(read(go[0], &byte, 1) == 1);
			execl("/tests/work", "work", "100000", "100", (char *)NULL);
			_exit(127);
		}
		fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLE_ON_EXEC, pid, cpus.cpu[0]);
		REQUIRE_GE(fd, 0);
		id = grp_add(fd, PERFGRP_HW_INSTRUCTIONS);
		REQUIRE_GT(id, 0);
		REQUIRE(write(go[1], "", 1) == 1);
		REQUIRE(waitpid(pid, &status, 0) == pid);
		REQUIRE_EQ(status, 0);
		v = grp_value_on(fd, cpus.cpu[0], id);
		EXPECT_EQ(v.time_enabled, v.time_running);
		EXPECT_EQ(v.state, i ? PERFGRP_STATE_NEVER_RAN : PERFGRP_STATE_COUNTED);
		EXPECT_EQ(v.raw > 200000, !i);
		close(fd);
	}
}

static void kill_child(pid_t pid, int go)
{
	REQUIRE(kill(pid, SIGKILL) == 0);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	close(go);
}

static void move_to(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	REQUIRE(sched_setaffinity(pid, sizeof(set), &set) == 0);
}

/* Takes all counters of the PMU wherever PID runs. */
static void pmu_fill(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};
	unsigned int size = pmu_size();
	int fd;

	while (size--) {
		fd = peer_open_attr(&attr, pid, -1, -1);
		REQUIRE_GE(fd, 0);
		peer_enable(fd);
	}
}

TEST(exec_while_disabled, "G6 G17: of time elsewhere since an exec nothing counts before ENABLE")
{
	struct perfgrp_value v;
	struct cpus cpus;
	int go, fd, id;
	__u64 time;
	pid_t pid;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("%u CPUs", cpus.nr);
	pid = shell_when_told("while :; do :; done", &go);
	move_to(pid, cpus.cpu[1]);
	pmu_fill(pid);
	fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLE_ON_EXEC, pid, cpus.cpu[0]);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_GT(id, 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE(write(go, "", 1) == 1);
	while (task_time_ns(pid) < 600000000)
		give_up_cpu();
	REQUIRE_EQ(grp_enable(fd), 0);
	move_to(pid, cpus.cpu[0]);
	time = task_time_ns(pid);
	while (task_time_ns(pid) < time + 200000000)
		give_up_cpu();
	time = task_time_ns(pid) - time;
	v = grp_value_on(fd, cpus.cpu[0], id);
	/*
	 * It is here, and waits for a counter. ENABLE enables first the event that counts its time
	 * elsewhere, and then the counter; in an emulator that may take some 30 ms.
	 */
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_GE(v.time_enabled, time / 2);
	kill_child(pid, go);
}

TEST(exec_enables_none, "G17: an exec enables no group that does not wait for one")
{
	struct perfgrp_value v;
	int go, fd, ids[3];
	unsigned int i;
	pid_t pid;

	pid = shell_when_told("while :; do :; done", &go);
	fd = grp_on_task(0, pid);
	REQUIRE_GE(fd, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	REQUIRE_EQ(add_cycles(fd, 3, ids), 0);
	REQUIRE(write(go, "", 1) == 1);
	while (task_time_ns(pid) < 40000000)
		give_up_cpu();
	for (i = 0; i < 3; i++) {
		v = grp_value(fd, ids[i]);
		EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
		EXPECT_EQ(v.time_enabled, 0);
	}
	kill_child(pid, go);
}

TEST(removed_after_exec, "G11 G17: what an exec has enabled goes on when its first member leaves")
{
	int go, fd, ids[3];
	struct grp_members m;
	__u64 before;
	pid_t pid;

	NEED_FEATURE(SCHED_GROUP);
	pid = shell_when_told("while :; do :; done", &go);
	fd = grp_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	REQUIRE_EQ(add_cycles(fd, 3, ids), 0);
	REQUIRE(write(go, "", 1) == 1);
	do {
		give_up_cpu();
		REQUIRE_EQ(grp_query(fd, &m), 0);
	} while (!m.hdr.enabled);
	REQUIRE_EQ(grp_remove(fd, ids[0], 0), 0);
	before = grp_raw(fd, ids[1]);
	while (task_time_ns(pid) < 40000000)
		give_up_cpu();
	EXPECT_GT(grp_raw(fd, ids[1]), before + 1000000);
	kill_child(pid, go);
}

TEST(hidden_pmu, "G6 A4: nobody else gets events of the PMU that tells where a task is")
{
	struct perf_event_attr attr = {};
	struct cpus cpus;
	long type;
	int fd;

	cpus_online(&cpus);
	fd = grp_on_task_cpu(0, 0, cpus.cpu[0]);
	REQUIRE_GE(fd, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_HW_CPU_CYCLES), 0);
	type = read_number("/sys/bus/event_source/devices/perfgrp/type");
	REQUIRE_GT(type, 0);
	attr.type = type;
	/* A pointer, in events of the module. */
	attr.config1 = to_u64(&cpus);
	EXPECT_EQ(peer_open_attr(&attr, 0, -1, -1), -ENOENT);
	EXPECT_EQ(peer_open_attr(&attr, -1, cpus.cpu[0], -1), -ENOENT);
}

TEST(mixed, "G11 G12: a software leader with hardware members; any of these can be removed")
{
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), faults, cycles[3], i;
	__u64 before;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	faults = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(faults, 0);
	REQUIRE_EQ(add_cycles(fd, 3, cycles), 0);
	spin(100000);
	before = grp_raw(fd, cycles[1]);
	EXPECT_GT(before, 200000);
	/* The first one leads the others on the PMU. */
	EXPECT_EQ(grp_remove(fd, cycles[0], 0), 0);
	for (i = 1; i < 3; i++)
		EXPECT_GE(grp_raw(fd, cycles[i]), before);
	spin(100000);
	EXPECT_GT(grp_raw(fd, cycles[1]), before + 200000);
	EXPECT_EQ(grp_value(fd, cycles[1]).state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(grp_remove(fd, cycles[1], 0), 0);
	spin(100000);
	EXPECT_GT(grp_raw(fd, cycles[2]), before + 400000);
	EXPECT_REFUSED_MEMBER(grp_remove(fd, faults, 0), EBUSY, LEADER, faults);
	EXPECT(BECOMES_TRUE(!probe_is_armed(), 5000));
}

static bool is_back(int fd, int cpu)
{
	const struct perfgrp_row *row;

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	row = snap_row(&snap, cpu);
	return row && row->epoch == 1 && !(row->flags & PERFGRP_ROW_OFFLINE);
}

TEST(together_again, "G19 S12 A13: on a CPU that comes back members are one scheduling group again")
{
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_HW_CPU_CYCLES },
		{ .event = PERFGRP_HW_CPU_CYCLES },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
	};
	const struct perfgrp_value *v;
	unsigned int i;
	int fd;

	NEED_FEATURE(SCHED_GROUP);
	NEED_FEATURE(HOTPLUG);
	run_on(0);
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	/* Nothing of what was armed for the members is left for the worker. */
	REQUIRE(BECOMES_TRUE(!probe_is_armed(), 5000));
	REQUIRE_EQ(cpu_set_online(1, false), 0);
	REQUIRE_EQ(cpu_set_online(1, true), 0);
	REQUIRE(BECOMES_TRUE(is_back(fd, 1), 10000));
	for (i = 0; i < 3; i++) {
		v = snap_value(&snap, 1, c[i].id);
		EXPECT_EQ(v->sched_group, i < 2 ? c[0].id : c[2].id);
		EXPECT_EQ(v->flags & PERFGRP_VALUE_FAILED, 0);
	}
	REQUIRE(BECOMES_TRUE(!probe_is_armed(), 5000));
}

TEST(mixed_inherited, "G12 G16: what leads inherited counters on the PMU stays as long as they")
{
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS },
		{ .event = PERFGRP_HW_CPU_CYCLES },
		{ .event = PERFGRP_HW_CPU_CYCLES },
	};
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT, 0);
	__u64 before;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	spin(100000);
	before = grp_raw(fd, c[2].id);
	EXPECT_REFUSED_MEMBER(grp_remove(fd, c[1].id, 0), EBUSY, LEADER, c[1].id);
	spin(100000);
	EXPECT_GT(grp_raw(fd, c[2].id), before + 200000);
	EXPECT_EQ(grp_remove(fd, c[2].id, 0), 0);
	EXPECT_EQ(grp_remove(fd, c[1].id, 0), 0);
}

TEST(outlived_by_child, "G12 G16: which may be longer than the task that they were created for")
{
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS },
		{ .event = PERFGRP_HW_CPU_CYCLES },
		{ .event = PERFGRP_HW_CPU_CYCLES },
	};
	int go[2], from[2], fd;
	pid_t parent, child;
	char byte = 0;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE(!pipe(go) && !pipe(from));
	parent = fork();
	REQUIRE_GE(parent, 0);
	if (!parent) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		child = fork();
		if (!child) {
			alarm(60);
			for (;;)
				spin(1000);
		}
		_exit(write(from[1], &child, sizeof(child)) != sizeof(child));
	}
	fd = grp_on_task(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT, parent);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	REQUIRE_EQ(write(go[1], &byte, 1), 1);
	REQUIRE_EQ(read(from[0], &child, sizeof(child)), sizeof(child));
	REQUIRE_EQ(waitpid(parent, NULL, 0), parent);
	EXPECT_REFUSED_MEMBER(grp_remove(fd, c[1].id, 0), EBUSY, LEADER, c[1].id);
	kill(child, SIGKILL);
	EXPECT(BECOMES_TRUE(!grp_remove(fd, c[1].id, 0), 10000));
}

int main(int argc, char **argv)
{
	if (!has_pmu())
		skip_all("no hardware counters");
	return run_tests(argc, argv);
}
