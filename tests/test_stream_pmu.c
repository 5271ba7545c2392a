// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters that sample: how many samples, what the members of a group have
 * counted at each, throttling, frequencies.
 */
#include "pmu.h"
#include "stream.h"

#include <limits.h>
#include <pthread.h>

#define CYCLES PERFGRP_HW_CPU_CYCLES

static int pmu_group(struct perfgrp_counter *counters, __u32 nr)
{
	int fd, ret;

	if (has_pmu())
		keep_sample_rate();
	settle_memory();
	run_on(0);
	fd = stream_on_task(0, 0, 4 << 20);
	REQUIRE_GE(fd, 0);
	ret = grp_add_counters(fd, counters, nr);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		skip("%s", grp_error.text);
	REQUIRE_EQ(ret, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static void count(int fd, __u64 loops)
{
	REQUIRE_EQ(grp_enable(fd), 0);
	spin(loops);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
}

/*
 * Returns the count of @id at which the next sample after those in @records is due, if the first of
 * them was due at @due. If an interrupt is late by a whole period, the periods that have passed
 * make no samples, and the kernel starts the next period then; the emulated PMU is late while
 * another emulated CPU has its turn. That period starts a little before the late sample's value:
 * the difference is the time from the interrupt to the sample.
 */
static __u64 next_due(__u64 id, __u64 due, __u64 period)
{
	__u32 i, k, nr = 0, late = 0;
	__u64 value, before = 0;

	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];

		if (s->id != id)
			continue;
		for (k = 0; sample_values(s)[k].id != id; k++)
			REQUIRE_LT(k + 1, s->nr);
		value = sample_values(s)[k].value;
		EXPECT_GE(value + before, due);
		nr++;
		if (value < due + period) {
			due += period;
		} else {
			due = value + period;
			before = period / 20;
			late++;
		}
	}
	EXPECT_LE(late, nr / 10 + 1);
	if (late)
		diag("%u samples, %u of them a period late", nr, late);
	return due;
}

/* The other CPUs, which take turns with this one under emulation, go offline or come back. */
static void set_others_online(bool online)
{
	static struct cpus cpus;
	unsigned int i;

	if (!online)
		cpus_online(&cpus);
	for (i = 0; i < cpus.nr; i++)
		if (cpus.cpu[i] != 0)
			REQUIRE_EQ(cpu_set_online(cpus.cpu[i], online), 0);
}

TEST(n_over_p, "O2: period P over N cycles gives N/P samples, to within one")
{
	static const __u64 period[] = { 50000, 100000, 777777 };
	size_t i;

	if (!has_pmu())
		skip("no hardware counters");
	set_others_online(false);
	for (i = 0; i < ARRAY_SIZE(period); i++) {
		struct perfgrp_counter c = { .event = CYCLES, .sample_period = period[i] };
		int fd = pmu_group(&c, 1);
		__u64 n;

		stream_start(&records);
		count(fd, 5000000);
		n = grp_raw(fd, c.id);
		REQUIRE_EQ(records.nr_throttles, 0);
		EXPECT_LT(n, next_due(c.id, period[i], period[i]) + period[i]);
		EXPECT_LE(records.nr_samples, n / period[i] + 1);
		close(fd);
	}
	set_others_online(true);
}

static __u32 alone;

/*
 * Does a sample have the values of all @nr members, of which the last is a software event? The NMIs
 * of our arm64 debug kernels may hit while the perf core has the PMU disabled; then only the member
 * that overflowed, and the software event, have a value.
 */
static bool has_values(const struct perfgrp_record_sample *s, __u32 nr, __u64 software)
{
	if (s->nr < nr && is_debug_kernel()) {
		EXPECT_EQ(sample_values(s)[0].id, s->id);
		EXPECT(s->nr == 1 || (s->nr == 2 && sample_values(s)[1].id == software));
		EXPECT_LE(++alone, records.nr_samples / 20 + 1);
		return false;
	}
	EXPECT_EQ(s->nr, nr);
	return s->nr == nr;
}

TEST(members_at_once, "O3 G4: members that count the same have counted the same in each sample")
{
	struct perfgrp_counter c[4] = {
		{ .event = CYCLES, .sample_period = 100000 },
		{ .event = CYCLES },
		{ .event = CYCLES },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
	};
	int fd = pmu_group(c, 4);
	long long first = LLONG_MIN, apart;
	__u32 i;

	count(fd, 5000000);
	REQUIRE_GT(records.nr_samples, 20);
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];

		EXPECT_EQ(s->id, c[0].id);
		if (!has_values(s, 4, c[3].id))
			continue;
		EXPECT_EQ(sample_values(s)[3].id, c[3].id);
		/* They are read one after the other, stopped or within a few instructions. */
		apart = sample_values(s)[2].value - sample_values(s)[1].value;
		EXPECT_LT(apart, 2000);
		EXPECT_GT(apart, -2000);
		apart = sample_values(s)[1].value - sample_values(s)[0].value;
		if (first == LLONG_MIN)
			first = apart;
		EXPECT_LT(apart - first, 20000);
		EXPECT_GT(apart - first, -20000);
	}
	next_due(c[0].id, 100000, 100000);
}

/*
 * The emulated PMU notices an overflow in time only for the counter that overflows first (perf's
 * own samples are late in the same way), so the other counters get periods that end with the
 * first's.
 */
TEST(member_samples, "O1: members sample beside their leader, each with its own period")
{
	struct perfgrp_counter c[3] = {
		{ .event = CYCLES, .sample_period = 200000 },
		{ .event = CYCLES, .sample_period = 400000 },
		{ .event = CYCLES },
	};
	int fd = pmu_group(c, 3);
	__u32 i, nr[2] = { 0 };
	__u64 n;

	count(fd, 5000000);
	n = grp_raw(fd, c[2].id);
	for (i = 0; i < records.nr_samples; i++) {
		REQUIRE(records.sample[i]->id == c[0].id || records.sample[i]->id == c[1].id);
		nr[records.sample[i]->id == c[1].id]++;
	}
	EXPECT_LT(n, next_due(c[0].id, 200000, 200000) + 200000);
	EXPECT_LE(nr[0], n / 200000 + 1);
	EXPECT_LT(n, next_due(c[1].id, 400000, 400000) + 400000);
	EXPECT_LE(nr[1], n / 400000 + 1);
}

TEST(lone_member_samples, "O1: and where the leader does not sample")
{
	struct perfgrp_counter c[2] = { { .event = CYCLES },
					{ .event = CYCLES, .sample_period = 100000 } };
	int fd = pmu_group(c, 2);
	__u32 i;

	count(fd, 30000000);
	EXPECT_GT(records.nr_samples, 5);
	for (i = 0; i < records.nr_samples; i++)
		EXPECT_EQ(records.sample[i]->id, c[1].id);
}

TEST(every_cpu, "O1 O2: on all CPUs each CPU samples its own")
{
	struct perfgrp_counter c = { .event = CYCLES, .sample_period = 1000000 };
	static __u32 nr[64];
	struct cpus cpus;
	int fd, ret;
	__u32 i;

	cpus_online(&cpus);
	fd = stream_create(0, PERFGRP_TARGET_ALL_CPUS, 0, 1 << 20);
	REQUIRE_GE(fd, 0);
	ret = grp_add_counters(fd, &c, 1);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		skip("%s", grp_error.text);
	REQUIRE_EQ(ret, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		spin(10000000);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	for (i = 0; i < records.nr_samples; i++)
		nr[records.sample[i]->cpu]++;
	for (i = 0; i < cpus.nr; i++) {
		__u64 n = grp_value_on(fd, cpus.cpu[i], c.id).raw;

		/* The interrupt of an idle emulated CPU is late. */
		EXPECT_GE(nr[cpus.cpu[i]] * 2, n / 1000000);
		EXPECT_LE(nr[cpus.cpu[i]], n / 1000000 + 1);
	}
}

/*
 * Runs grandchildren that spin, each on a CPU of its own if there are enough. (The perf core does
 * not swap the contexts of a task's direct children if the task has events that are not inherited.)
 */
static void spin_in_children(unsigned int nr)
{
	struct cpus cpus;
	pid_t pid[8], parent;
	unsigned int i;
	int status;

	REQUIRE_LT(nr, ARRAY_SIZE(pid));
	cpus_online(&cpus);
	parent = fork();
	REQUIRE_GE(parent, 0);
	for (i = 0; !parent && i < nr; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			if (nr < cpus.nr)
				run_on(cpus.cpu[i + 1]);
			spin(20000000);
			_exit(0);
		}
		if (pid[i] < 0)
			_exit(1);
	}
	for (i = 0; !parent && i < nr; i++)
		waitpid(pid[i], NULL, 0);
	if (!parent)
		_exit(0);
	REQUIRE_EQ(waitpid(parent, &status, 0), parent);
	REQUIRE_EQ(status, 0);
}

/* Samples two cycles counters and one of page faults, which NR children inherit. */
static int sample_children(struct perfgrp_counter *c, unsigned int nr)
{
	int fd;

	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(INHERIT);
	NEED_FEATURE(SCHED_GROUP);
	keep_sample_rate();
	c[0] = (struct perfgrp_counter){ .event = CYCLES, .sample_period = 1000000 };
	c[1] = (struct perfgrp_counter){ .event = CYCLES };
	c[2] = (struct perfgrp_counter){ .event = PERFGRP_SW_PAGE_FAULTS };
	fd = stream_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0, 1 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	spin_in_children(nr);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_EQ(records.nr_lost, 0);
	EXPECT_GE(records.nr_samples, nr * 15);
	return fd;
}

TEST(children_at_once, "O12 O3 G4: a child's sample has all that the child has counted by then")
{
	enum { CHILDREN = 3 };
	long long first[CHILDREN + 1], apart;
	struct perfgrp_counter c[3];
	__u32 pid[CHILDREN + 1] = { 0 }, i, k, child;

	sample_children(c, CHILDREN);
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];
		const struct perfgrp_sample_value *v = sample_values(s);

		if (!children_have_values()) {
			EXPECT_EQ(s->nr, 0);
			continue;
		}
		if (!has_values(s, 3, c[2].id))
			continue;
		for (k = 0; k < s->nr; k++)
			EXPECT_EQ(v[k].id, c[k].id);
		if (s->pid == (__u32)getpid())
			continue;
		EXPECT_LT(v[2].value, 10000);
		apart = v[1].value - v[0].value;
		for (child = 0; pid[child] && pid[child] != s->pid; child++)
			REQUIRE_LT(child, CHILDREN);
		if (!pid[child]) {
			pid[child] = s->pid;
			first[child] = apart;
		}
		EXPECT_LT(apart - first[child], 20000);
		EXPECT_GT(apart - first[child], -20000);
	}
	EXPECT(pid[CHILDREN - 1] || !children_have_values());
}

/* By default the perf core swaps the contexts of tasks that have inherited the same events. */
TEST(more_children, "O12: each child's samples have its own counts, also if they share CPUs")
{
	enum { CHILDREN = 6 };
	/* Indexed by task: the children, their parent and this task. */
	__u64 value[CHILDREN + 2] = { 0 }, sum = 0, of_children = 0, now, all;
	__u32 pid[CHILDREN + 2] = { 0 }, i, k;
	struct perfgrp_counter c[3];
	int fd;

	fd = sample_children(c, CHILDREN);
	all = grp_raw(fd, c[0].id);
	if (!children_have_values())
		skip("the kernel does not keep the tasks' counts apart");
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];

		for (k = 0; pid[k] && pid[k] != s->pid; k++)
			REQUIRE_LT(k, CHILDREN + 1);
		pid[k] = s->pid;
		now = sample_values(s)[0].value;
		EXPECT_GT(now, value[k]);
		sum += now - value[k];
		/* This task's values include what was counted while the members were added. */
		if (s->pid != (__u32)getpid())
			of_children += now - value[k];
		value[k] = now;
	}
	EXPECT(pid[CHILDREN - 1]);
	/* The sum lacks what each task has counted since its last sample, which may be late. */
	EXPECT_LE(of_children, all);
	EXPECT_GE(sum, all - 2 * (CHILDREN + 2) * c[0].sample_period);
}

/* Samples so fast that the counter is throttled at once, and again each time that it continues. */
static void expect_throttling(int fd, __u64 loops)
{
	stream_start(&records);
	REQUIRE_EQ(grp_enable(fd), 0);
	spin(loops);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GT(records.nr_throttles, 0);
	EXPECT_GT(records.nr_unthrottles, 0);
	EXPECT_LE(records.nr_unthrottles, records.nr_throttles);
	EXPECT_LE(records.nr_throttles, records.nr_unthrottles + 1);
}

TEST(throttled, "O8: throttling shows in the stream, and that it is over")
{
	struct perfgrp_counter c = { .event = CYCLES, .sample_period = 1000 };

	expect_throttling(pmu_group(&c, 1), 30000000);
}

struct resetter {
	int fd, cpu;
	bool end;
	unsigned int resets;
};

static void *reset_again_and_again(void *arg)
{
	struct resetter *r = arg;

	run_on(r->cpu);
	for (; !__atomic_load_n(&r->end, __ATOMIC_RELAXED); r->resets++)
		EXPECT_EQ(grp_reset(r->fd), 0);
	return NULL;
}

TEST(throttled_and_reset, "O8 G9: so it does while another CPU resets the group, which goes on")
{
	struct perfgrp_counter c = { .event = CYCLES, .sample_period = 1000 };
	struct resetter resetter = { .fd = pmu_group(&c, 1) };
	pthread_t other;
	struct cpus cpus;

	cpus_online(&cpus);
	resetter.cpu = cpus.cpu[cpus.nr - 1];
	REQUIRE(pthread_create(&other, NULL, reset_again_and_again, &resetter) == 0);
	expect_throttling(resetter.fd, 200000000);
	__atomic_store_n(&resetter.end, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	EXPECT_GT(resetter.resets, 10);
	diag("%u resets, throttled %u times", resetter.resets, records.nr_throttles);
}

/* A task and its children are throttled one by one, so records of it would not belong together. */
TEST(throttled_inherited,
     "O8 O12 G22: inherited counters that are throttled say so, but in no record")
{
	struct perfgrp_counter c = { .event = CYCLES, .sample_period = 1000 };
	bool throttled = false, told = false;
	unsigned int i;
	int fd;

	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(INHERIT);
	/* After a few samples the counter is off for the rest of the tick. */
	set_sample_rate("1000");
	fd = stream_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0, 1 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	/* It counted while it was added, and may have been throttled since then. */
	for (i = 0; i < 1000 && (!throttled || !told || !records.nr_samples); i++) {
		spin(100000);
		throttled |= grp_value(fd, c.id).flags & PERFGRP_VALUE_THROTTLED;
		told |= is_in_fdinfo(fd, " throttled leader\n");
		stream_more(fd, 65536);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	while (stream_more(fd, 65536) > 0)
		;
	EXPECT(throttled);
	EXPECT(told);
	EXPECT_GT(records.nr_samples, 0);
	EXPECT_EQ(records.nr_throttles, 0);
	EXPECT_EQ(records.nr_unthrottles, 0);
	keep_sample_rate();
}

TEST(frequency, "O2 E6: with a frequency there are about so many samples a second")
{
	struct perfgrp_counter c = {
		.event = CYCLES, .sample_freq = 500, .flags = PERFGRP_COUNTER_FREQ,
	};
	int fd = pmu_group(&c, 1);
	__u64 begin;

	REQUIRE_EQ(grp_enable(fd), 0);
	/* Wait until the period has adapted to the frequency. */
	begin = cpu_time_ns();
	while (cpu_time_ns() < begin + 300000000)
		spin(10000);
	stream_drain(fd);
	begin = cpu_time_ns();
	while (cpu_time_ns() < begin + 1000000000)
		spin(10000);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, 450);
	EXPECT_LE(records.nr_samples, 550);
}

TEST(other_period, "O9: another period begins with the call")
{
	struct perfgrp_counter c = { .event = CYCLES, .sample_period = 400000 };
	struct perfgrp_period period = { .size = sizeof(period) };
	int fd = pmu_group(&c, 1);
	unsigned int tries = 0;
	__u64 before, after, n, first;

	/* While another CPU has its turn in an emulator, periods end without an interrupt. */
	set_others_online(false);
	REQUIRE_EQ(grp_enable(fd), 0);
	spin(2000000);
	stream_drain(fd);
	EXPECT_GT(records.nr_samples, 1);
	next_due(c.id, 400000, 400000);
	period.id = c.id;
	do {
		REQUIRE_LT(tries++, 20);
		period.sample_period = 400000;
		REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SET_PERIOD, &period), 0);
		/* Start early in a period, so that no period ends before the call. */
		while (!stream_drain(fd))
			spin(1000);
		before = grp_raw(fd, c.id);
		period.sample_period = 1000000;
		REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SET_PERIOD, &period), 0);
		after = grp_raw(fd, c.id);
		/* In an emulator another CPU may have had its turn; then try again. */
	} while (stream_drain(fd));
	spin(4000000);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	REQUIRE_GT(records.nr_samples, 2);
	first = sample_values(records.sample[0])[0].value;
	EXPECT_GE(first, before + 1000000);
	EXPECT_LT(first, after + 2000000);
	n = grp_raw(fd, c.id);
	EXPECT_GE(records.nr_samples + 2, (n - before) / 1000000);
	EXPECT_LE(records.nr_samples, (n - before) / 1000000);
	set_others_online(true);
}

TEST_LIMIT(closed_while_sampling, 100,
	   "O10: a group is destroyed while it samples at the highest rate, again and again")
{
	unsigned int round;

	for (round = 0; round < rounds(is_debug_kernel() ? 200 : 1000); round++) {
		struct perfgrp_counter c[3] = {
			{ .event = CYCLES, .sample_period = 1500 },
			{ .event = CYCLES, .sample_period = 2000 },
			{ .event = CYCLES },
		};
		int fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, 0, 8192), ret;

		REQUIRE_GE(fd, 0);
		ret = grp_add_counters(fd, c, 3);
		if (ret == -ENOENT || ret == -EOPNOTSUPP)
			skip("%s", grp_error.text);
		REQUIRE_EQ(ret, 0);
		spin(5000);
		if (round % 3 == 0)
			REQUIRE_EQ(grp_remove(fd, c[2].id, 0), 0);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
