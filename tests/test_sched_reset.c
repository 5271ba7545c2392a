// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and resetting in one step, by several threads at once while events happen:
 * the parts add up to all events, without loss or duplicates. In each test the exact
 * sum is known or is also counted by another group.
 */
#include "group.h"
#include "pmu.h"

#include <pthread.h>

#define NR_READERS	3
#define MAX_MEMBERS	4

/* As many rounds even if there is a divisor: fewer would be read in too few parts. */
static unsigned int at_least(unsigned int n)
{
	return rounds(n) > n ? rounds(n) : n;
}

/* ---- readers ------------------------------------------------------------------- */

static struct grp_snap last;

static struct {
	int fd;
	__u32 flags;
	bool stop;
	unsigned int parts;
	__u64 raw[MAX_MEMBERS];
	__u64 enabled[MAX_MEMBERS];
} sum;

/* Takes one snapshot with RESET and adds all its rows to the sums. */
static void take_part(struct grp_snap *s)
{
	bool some = false;
	__u32 i, j;

	REQUIRE_EQ(grp_snapshot(sum.fd, sum.flags | PERFGRP_SNAPSHOT_RESET, s), 0);
	for (i = 0; i < s->hdr.nr_rows; i++) {
		for (j = 0; j < s->row[i].nr_values; j++) {
			const struct perfgrp_value *v = &s->value[s->row[i].first_value + j];

			__atomic_fetch_add(&sum.raw[j], v->raw, __ATOMIC_RELAXED);
			__atomic_fetch_add(&sum.enabled[j], v->time_enabled, __ATOMIC_RELAXED);
			some |= v->raw != 0;
		}
	}
	__atomic_fetch_add(&sum.parts, some, __ATOMIC_RELAXED);
}

static void *read_parts(void *arg __maybe_unused)
{
	struct grp_snap *s = calloc(1, sizeof(*s));

	REQUIRE(s);
	while (!__atomic_load_n(&sum.stop, __ATOMIC_RELAXED)) {
		take_part(s);
		/* Emulated CPUs take turns: leave some time to the counted task. */
		nap_ns(20000);
	}
	free(s);
	return NULL;
}

static void start_readers(pthread_t *reader, int fd, __u32 flags)
{
	int i;

	sum.fd = fd;
	sum.flags = flags;
	for (i = 0; i < NR_READERS; i++)
		REQUIRE_EQ(pthread_create(&reader[i], NULL, read_parts, NULL), 0);
}

/* Stops the readers, and takes the rest into last. */
static void stop_readers(pthread_t *reader)
{
	int i;

	__atomic_store_n(&sum.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < NR_READERS; i++)
		pthread_join(reader[i], NULL);
	take_part(&last);
	/* Otherwise it was never read while it counted. */
	EXPECT_GT(sum.parts, 10);
	diag("read in %u parts", sum.parts);
}

/* ---- a task -------------------------------------------------------------------- */

/* Counts C on CHILD in two groups: one is read and reset, the other left alone. */
static void count_twice(const struct perfgrp_counter *c, unsigned int nr)
{
	struct child child = child_start();
	pthread_t reader[NR_READERS];
	struct perfgrp_counter spec[MAX_MEMBERS];
	unsigned int i;
	int fd[2];

	wait_until_asleep(child.pid);
	for (i = 0; i < 2; i++) {
		memcpy(spec, c, nr * sizeof(*c));
		fd[i] = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
		REQUIRE_GE(fd[i], 0);
		if (grp_add_counters(fd[i], spec, nr))
			skip("%s", grp_error.text);
	}
	start_readers(reader, fd[0], 0);
	for (i = 0; i < at_least(200); i++) {
		child_tell(&child, ORDER_FAULT, 20);
		child_tell(&child, ORDER_SPIN, 20000);
	}
	child_exit(&child);
	stop_readers(reader);
	for (i = 0; i < nr; i++) {
		struct perfgrp_value v = grp_value(fd[1], spec[i].id);

		EXPECT_GT(v.raw, 0);
		EXPECT_EQ(sum.raw[i], v.raw);
		EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
		EXPECT_EQ(v.flags & VALUE_FATE, PERFGRP_VALUE_EXITED);
		EXPECT_EQ(v.time_running, v.time_enabled);
	}
	child_reap(&child);
}

TEST_LIMIT(task_software, 60, "S13: page faults of a task, read and reset by several, add up")
{
	const struct perfgrp_counter c[] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS }, { .event = PERFGRP_SW_MINOR_FAULTS },
	};

	count_twice(c, ARRAY_SIZE(c));
	EXPECT_EQ(sum.raw[0], at_least(200) * 20);
}

/* Only user mode: in the kernel one group starts counting before the other. */
TEST_LIMIT(task_hardware, 60, "S13: cycles and instructions of a task, read and reset, add up")
{
	const struct perfgrp_counter c[] = {
		{ .event = PERFGRP_HW_CPU_CYCLES, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = PERFGRP_HW_INSTRUCTIONS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
	};

	if (!has_pmu())
		skip("no hardware counters");
	if (pmu_size() < 4)
		skip("the PMU has no room for both");
	count_twice(c, ARRAY_SIZE(c));
}

/* ---- CPUs ---------------------------------------------------------------------- */

static volatile long watched __attribute__((aligned(8)));

/* Only the test writes there, so that the exact count on a CPU is known. */
static struct perfgrp_counter write_counter(void)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW | PERFGRP_COUNTER_EXCLUDE_KERNEL |
			 PERFGRP_COUNTER_EXCLUDE_HV,
		.type = PERF_TYPE_BREAKPOINT, .bp_type = 2 /* write */,
		.config1 = to_u64(&watched), .config2 = sizeof(watched),
	};
}

static pid_t start_writer(int cpu, unsigned int times)
{
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (pid)
		return pid;
	run_on(cpu);
	while (times--) {
		watched = times;
		if (times % 16 == 0)
			nap_ns(20000);
	}
	_exit(0);
}

static void add_up_on_cpus(__u32 flags)
{
	struct perfgrp_counter c = write_counter();
	unsigned int i, times = at_least(1000);
	pthread_t reader[NR_READERS];
	struct cpus cpus;
	pid_t pid[MAX_CPUS];
	int fd, status;

	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, &c, 1))
		skip("%s", grp_error.text);
	cpus_online(&cpus);
	start_readers(reader, fd, flags);
	for (i = 0; i < cpus.nr; i++)
		pid[i] = start_writer(cpus.cpu[i], times);
	for (i = 0; i < cpus.nr; i++) {
		REQUIRE(waitpid(pid[i], &status, 0) == pid[i]);
		EXPECT_EQ(status, 0);
	}
	stop_readers(reader);
	EXPECT_EQ(sum.raw[0], (__u64)times * cpus.nr);
}

TEST_LIMIT(cpus_rows, 60, "S13: events of all CPUs, read and reset by several, add up")
{
	add_up_on_cpus(0);
}

TEST_LIMIT(cpus_totals, 60, "S13: totals of all CPUs, read and reset by several, add up")
{
	add_up_on_cpus(PERFGRP_SNAPSHOT_TOTALS);
}

/* ---- times --------------------------------------------------------------------- */

TEST_LIMIT(times, 60, "S13: times, too: those of the parts are the time from first to last")
{
	pthread_t reader[NR_READERS];
	struct perfgrp_row first;
	struct cpus cpus;
	uint64_t slack;
	int fd, i;

	cpus_online(&cpus);
	fd = grp_on_cpu(PERFGRP_CREATE_ENABLED, cpus.cpu[0]);
	REQUIRE_GE(fd, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &last), 0);
	first = last.row[0];
	start_readers(reader, fd, 0);
	for (i = 0; i < 100; i++)
		nap_ns(100000);
	stop_readers(reader);
	/* The counters' clock may deviate this much from the rows' clock. */
	slack = sum.enabled[0] / 1000;
	EXPECT_GE(sum.enabled[0] + slack, last.row[0].time_before - first.time_after);
	EXPECT_LE(sum.enabled[0] - slack, last.row[0].time_after - first.time_before);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
