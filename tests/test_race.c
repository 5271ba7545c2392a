// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots racing with everything else: they never go backwards, and they show a
 * state from before or after a change, never a mixture. The number of rounds is
 * given below, times the program's argument.
 */
#include "group.h"

#include <pthread.h>

#define READERS		3
#define MANY_READERS	8
#define MAX_MEMBERS	8
#define CPU_SLOTS	16

static struct cpus cpus;
static int grp;
static int dev;

/* The threads of a test; those that run until the last reader is done check stop. */
struct crew {
	pthread_t thread[16];
	unsigned int nr;
};

static volatile bool stop;
static unsigned int readers_left;

/* How long changers sleep after each change, to let readers run. */
static uint64_t pause_ns;
static unsigned int changes;

/* The task of one reader. */
struct reading {
	int fd;
	unsigned int snapshots;
};

static void crew_add(struct crew *crew, void *(*work)(void *), void *arg)
{
	REQUIRE(crew->nr < ARRAY_SIZE(crew->thread));
	REQUIRE_EQ(pthread_create(&crew->thread[crew->nr++], NULL, work, arg), 0);
}

static void crew_join(struct crew *crew)
{
	while (crew->nr)
		pthread_join(crew->thread[--crew->nr], NULL);
}

static void reader_done(void)
{
	if (!__atomic_sub_fetch(&readers_left, 1, __ATOMIC_ACQ_REL))
		stop = true;
}

static void change_done(void)
{
	__atomic_fetch_add(&changes, 1, __ATOMIC_RELAXED);
	if (pause_ns)
		nap_ns(pause_ns);
	else
		sched_yield();
}

/* A row is consistent: it has all members of one moment, each with a plausible value. */
static bool row_is_whole(const struct grp_snap *s, const struct perfgrp_row *row,
			 const struct perfgrp_row *first)
{
	__u32 i;

	if (row->nr_values != first->nr_values ||
	    row->first_value + row->nr_values > s->hdr.nr_values ||
	    row->time_before > row->time_after)
		return false;
	for (i = 0; i < row->nr_values; i++) {
		const struct perfgrp_value *v = &s->value[row->first_value + i];

		/* All rows have the same members in the same order, by ascending id. */
		if (v->id != s->value[first->first_value + i].id)
			return false;
		if (i && v->id <= s->value[row->first_value + i - 1].id)
			return false;
		if (v->time_running > v->time_enabled || v->state == PERFGRP_STATE_NONE ||
		    v->state > PERFGRP_STATE_NEVER_RAN)
			return false;
		if (!!(v->flags & PERFGRP_VALUE_SCALED) != !!v->time_running)
			return false;
	}
	return true;
}

static void expect_whole(const struct grp_snap *s)
{
	__u32 i;

	for (i = 0; i < s->hdr.nr_rows; i++) {
		if (!row_is_whole(s, &s->row[i], &s->row[0])) {
			fail("row %u of %u (CPU %d) is no row: %u values from %u", i,
			     s->hdr.nr_rows, s->row[i].cpu, s->row[i].nr_values,
			     s->row[i].first_value);
			return;
		}
	}
}

/* Takes page faults on a CPU until stop. */
static void *fault_until_stop(void *arg)
{
	run_on((long)arg);
	while (!stop) {
		char *p = fresh_pages(16);

		touch_pages(p, 16);
		munmap(p, 16 * sysconf(_SC_PAGESIZE));
		sched_yield();
	}
	return NULL;
}

/* ---- S9: never backwards ---------------------------------------------------------------- */

/* The highest values that any thread has seen, per CPU and member. */
static struct seen {
	__u64 raw, enabled, running;
} seen[CPU_SLOTS][MAX_MEMBERS];

static void raise_to(__u64 *mark, __u64 value)
{
	__u64 old = __atomic_load_n(mark, __ATOMIC_ACQUIRE);

	while (old < value && !__atomic_compare_exchange_n(mark, &old, value, false,
							   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

/* No value is below one that was seen before this snapshot began. */
static void *read_monotonic(void *arg)
{
	const struct reading *reading = arg;
	struct grp_snap *s = calloc(1, sizeof(*s));
	struct seen (*before)[MAX_MEMBERS] = malloc(sizeof(seen));
	unsigned int n;
	__u32 i, j;

	REQUIRE(s && before);
	for (n = 0; n < reading->snapshots; n++) {
		for (i = 0; i < CPU_SLOTS; i++) {
			for (j = 0; j < MAX_MEMBERS; j++) {
				before[i][j].raw = __atomic_load_n(&seen[i][j].raw,
								   __ATOMIC_ACQUIRE);
				before[i][j].enabled = __atomic_load_n(&seen[i][j].enabled,
								       __ATOMIC_ACQUIRE);
				before[i][j].running = __atomic_load_n(&seen[i][j].running,
								       __ATOMIC_ACQUIRE);
			}
		}
		REQUIRE_EQ(grp_snapshot(reading->fd, 0, s), 0);
		expect_whole(s);
		for (i = 0; i < s->hdr.nr_rows; i++) {
			const struct perfgrp_row *row = &s->row[i];
			__u32 slot = row->cpu + 1;

			REQUIRE(slot < CPU_SLOTS && row->nr_values <= MAX_MEMBERS);
			for (j = 0; j < row->nr_values; j++) {
				const struct perfgrp_value *v = &s->value[row->first_value + j];

				if (v->raw < before[slot][j].raw ||
				    v->time_enabled < before[slot][j].enabled ||
				    v->time_running < before[slot][j].running)
					fail("CPU %d member %u went back: raw %llu to %llu, enabled %llu to %llu, running %llu to %llu",
					     row->cpu, v->id, before[slot][j].raw, v->raw,
					     before[slot][j].enabled, v->time_enabled,
					     before[slot][j].running, v->time_running);
				raise_to(&seen[slot][j].raw, v->raw);
				raise_to(&seen[slot][j].enabled, v->time_enabled);
				raise_to(&seen[slot][j].running, v->time_running);
			}
		}
	}
	reader_done();
	free(before);
	free(s);
	return NULL;
}

static void *switch_on_and_off(void *arg)
{
	int fd = *(int *)arg;

	while (!stop) {
		EXPECT_EQ(grp_disable(fd), 0);
		EXPECT_EQ(grp_enable(fd), 0);
		change_done();
	}
	return NULL;
}

static void add_counting_members(int fd)
{
	struct perfgrp_counter c[] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS }, { .event = PERFGRP_SW_CONTEXT_SWITCHES },
		{ .event = PERFGRP_SW_CPU_CLOCK }, { .event = PERFGRP_SW_PAGE_FAULTS },
	};

	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
}

static void add_hardware_members(int fd)
{
	struct perfgrp_counter c[] = {
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_HW_INSTRUCTIONS },
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_SW_PAGE_FAULTS },
	};

	if (grp_add_counters(fd, c, ARRAY_SIZE(c)))
		skip("%s", grp_error.text);
}

static void run_monotonic(int fd)
{
	struct reading reading = { .fd = fd, .snapshots = rounds(250) };
	struct crew crew = { .nr = 0 };
	int i;

	cpus_online(&cpus);
	for (i = 0; i < 2; i++)
		crew_add(&crew, fault_until_stop, (void *)(long)cpus.cpu[i % cpus.nr]);
	crew_add(&crew, switch_on_and_off, &fd);
	readers_left = READERS;
	for (i = 0; i < READERS; i++)
		crew_add(&crew, read_monotonic, &reading);
	crew_join(&crew);
}

TEST_LIMIT(monotonic_cpus, 60, "S9: on all CPUs, under enable and disable, no value goes back")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);

	REQUIRE_GE(fd, 0);
	add_counting_members(fd);
	run_monotonic(fd);
	EXPECT_GT(seen[cpus.cpu[0] + 1][0].raw, 0);
}

TEST_LIMIT(monotonic_task, 60, "S9: on a task that runs and sleeps, no value goes back")
{
	struct child child = child_start();
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid), i;

	REQUIRE_GE(fd, 0);
	add_counting_members(fd);
	/* The child has run: with so many readers it may not make much progress. */
	child_do(&child, ORDER_FAULT, 50);
	for (i = 0; i < 200; i++)
		child_tell(&child, ORDER_FAULT, 50);
	run_monotonic(fd);
	EXPECT_GT(seen[0][0].raw, 0);
}

TEST_LIMIT(monotonic_hardware, 60, "S9: hardware counters on all CPUs do not go back either")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);

	REQUIRE_GE(fd, 0);
	add_hardware_members(fd);
	run_monotonic(fd);
	EXPECT_GT(seen[cpus.cpu[0] + 1][0].raw, 0);
}

/* ---- S10: before or after ------------------------------------------------------------------- */

/* Members that are never removed; they are the first in each row. */
static __u32 staying[MAX_MEMBERS];
static unsigned int nr_staying;

/* Each row has these and at most one more, which is added and removed. */
static void expect_staying(const struct grp_snap *s)
{
	__u32 i, j;

	for (i = 0; i < s->hdr.nr_rows; i++) {
		EXPECT_GE(s->row[i].nr_values, nr_staying);
		EXPECT_LE(s->row[i].nr_values, nr_staying + 1);
		for (j = 0; j < nr_staying && j < s->row[i].nr_values; j++)
			EXPECT_EQ(s->value[s->row[i].first_value + j].id, staying[j]);
	}
}

static void *read_whole(void *arg)
{
	const struct reading *reading = arg;
	struct grp_snap *s = calloc(1, sizeof(*s));
	unsigned int n;

	REQUIRE(s);
	for (n = 0; n < reading->snapshots; n++) {
		REQUIRE_EQ(grp_snapshot(reading->fd, n & 1 ? 0 : PERFGRP_SNAPSHOT_TOTALS, s), 0);
		expect_whole(s);
		expect_staying(s);
	}
	reader_done();
	free(s);
	return NULL;
}

/* Adds a member, tries to add one that is refused, and removes the first. */
static void *add_and_remove(void *arg __maybe_unused)
{
	static struct grp_members m;
	int id;

	while (!stop) {
		id = grp_add(grp, PERFGRP_SW_PAGE_FAULTS);
		EXPECT_GT(id, 0);
		EXPECT(grp_add(grp, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 4711)) < 0);
		EXPECT_EQ(grp_query(grp, &m), 0);
		EXPECT_EQ(m.counter[m.hdr.nr_counters - 1].id, id);
		EXPECT_EQ(grp_remove(grp, id, 0), 0);
		EXPECT_EQ(grp_remove(grp, id, 0), -ENOENT);
		change_done();
	}
	return NULL;
}

static void *control(void *arg __maybe_unused)
{
	while (!stop) {
		EXPECT_EQ(grp_reset(grp), 0);
		EXPECT_EQ(grp_disable(grp), 0);
		EXPECT_EQ(grp_enable(grp), 0);
		change_done();
	}
	return NULL;
}

/* Opens and closes other groups, and other fds of the group that is read. */
static void *open_and_close(void *arg __maybe_unused)
{
	int fd, copy;

	while (!stop) {
		copy = dup(grp);
		EXPECT_GE(copy, 0);
		close(copy);
		fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, NULL,
				   0);
		EXPECT_GE(fd, 0);
		EXPECT_GT(grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES), 0);
		close(fd);
		change_done();
	}
	return NULL;
}

/* Starts threads that change the group FD, or create other groups, until stop. */
static void add_changers(struct crew *crew, int fd)
{
	static struct grp_members m;
	unsigned int i;

	grp = fd;
	dev = grp_device();
	REQUIRE_EQ(grp_query(fd, &m), 0);
	nr_staying = m.hdr.nr_counters;
	for (i = 0; i < nr_staying; i++)
		staying[i] = m.counter[i].id;
	crew_add(crew, add_and_remove, NULL);
	crew_add(crew, control, NULL);
	crew_add(crew, open_and_close, NULL);
}

static void run_whole(int fd)
{
	struct reading reading = { .fd = fd, .snapshots = rounds(300) };
	struct crew crew = { .nr = 0 };
	int i;

	readers_left = READERS;
	add_changers(&crew, fd);
	for (i = 0; i < READERS; i++)
		crew_add(&crew, read_whole, &reading);
	crew_join(&crew);
	/* The group still works. */
	EXPECT_EQ(grp_reset(fd), 0);
	EXPECT_EQ(grp_disable(fd), 0);
}

TEST_LIMIT(whole_cpus, 60,
	   "S10: all CPUs: every snapshot under add, remove, control, close is whole")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);

	REQUIRE_GE(fd, 0);
	add_counting_members(fd);
	run_whole(fd);
}

TEST_LIMIT(whole_task, 60, "S10: a task: every snapshot under add, remove, control, close is whole")
{
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);

	REQUIRE_GE(fd, 0);
	add_counting_members(fd);
	run_whole(fd);
}

/*
 * Two groups: one that is only enabled and disabled, whose values never go backwards, and one
 * that is changed in all other ways. Changers pause, because each of their changes stops all
 * readers, and all CPUs.
 */
TEST_LIMIT(many, 600, "S9 S10: 100,000 snapshots from 8 threads, and everything else at once")
{
	struct reading calm = { .fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED),
				.snapshots = rounds(is_debug_kernel() ? 10000 : 100000) /
					     MANY_READERS };
	struct reading wild = { .fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED),
				.snapshots = calm.snapshots };
	struct crew crew = { .nr = 0 };
	int i;

	REQUIRE(calm.fd >= 0 && wild.fd >= 0);
	add_counting_members(calm.fd);
	add_counting_members(wild.fd);
	cpus_online(&cpus);
	pause_ns = 500000;
	readers_left = MANY_READERS;
	add_changers(&crew, wild.fd);
	crew_add(&crew, switch_on_and_off, &calm.fd);
	for (i = 0; i < MANY_READERS; i++)
		crew_add(&crew, i % 2 ? read_whole : read_monotonic, i % 2 ? &wild : &calm);
	crew_join(&crew);
	EXPECT_GT(seen[cpus.cpu[0] + 1][1].raw, 0);
	/* Otherwise nothing raced with the snapshots. */
	EXPECT_GT(changes, 100);
	diag("%u snapshots, %u changes", calm.snapshots * MANY_READERS, changes);
	EXPECT_EQ(grp_reset(wild.fd), 0);
}

static volatile unsigned int resets_done;

static void *reset_once(void *arg __maybe_unused)
{
	EXPECT_EQ(grp_reset(grp), 0);
	__atomic_add_fetch(&resets_done, 1, __ATOMIC_RELEASE);
	return NULL;
}

TEST_LIMIT(reset_is_atomic, 60,
	   "S10: a snapshot shows the reset of all CPUs and members, or of none")
{
	static struct grp_snap s;
	unsigned int i, full = 0, empty = 0;
	struct perfgrp_counter c[] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS }, { .event = PERFGRP_SW_CPU_CLOCK },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
	};
	struct crew crew = { .nr = 0 };

	cpus_online(&cpus);
	grp = grp_on_all_cpus(0);
	REQUIRE_GE(grp, 0);
	REQUIRE_EQ(grp_add_counters(grp, c, ARRAY_SIZE(c)), 0);
	for (i = 0; i < rounds(20); i++) {
		unsigned int target = resets_done + 1;
		bool last = false;
		__u32 j, zero;

		REQUIRE_EQ(grp_enable(grp), 0);
		for (j = 0; j < cpus.nr; j++) {
			run_on(cpus.cpu[j]);
			fault_in(5);
		}
		REQUIRE_EQ(grp_disable(grp), 0);
		run_on(cpus.cpu[0]);
		crew_add(&crew, reset_once, NULL);
		while (!last) {
			last = __atomic_load_n(&resets_done, __ATOMIC_ACQUIRE) == target;
			REQUIRE_EQ(grp_snapshot(grp, 0, &s), 0);
			zero = 0;
			for (j = 0; j < s.hdr.nr_values; j++)
				zero += s.value[j].time_enabled == 0 && s.value[j].raw == 0;
			if (zero != 0 && zero != s.hdr.nr_values)
				fail("round %u: %u of %u values are reset", i, zero,
				     s.hdr.nr_values);
			if (zero)
				empty++;
			else
				full++;
			sched_yield();
		}
		EXPECT_EQ(zero, s.hdr.nr_values);
		crew_join(&crew);
	}
	/* Both states must occur, or the test has shown nothing. */
	EXPECT_GT(full, 0);
	EXPECT_GT(empty, 0);
}

TEST_LIMIT(restart_is_atomic, 60,
	   "S10 G7: a snapshot shows the old members with their counts or all from zero")
{
	static struct grp_snap s;
	struct child child = child_start();
	unsigned int i;
	int id, fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);

	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	grp = fd;
	for (i = 0; i < rounds(10); i++) {
		pid_t pid;
		int status;
		bool added = false;

		child_do(&child, ORDER_FAULT, 100);
		wait_until_asleep(child.pid);
		pid = fork();
		REQUIRE(pid >= 0);
		if (pid == 0) {
			EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
			_exit(0);
		}
		while (!added) {
			added = waitpid(pid, &status, WNOHANG) == pid;
			REQUIRE_EQ(grp_snapshot(fd, 0, &s), 0);
			expect_whole(&s);
			if (s.hdr.nr_values == i + 1 && s.value[0].raw != 100)
				fail("round %u: the add is not there, and the count is %llu", i,
				     s.value[0].raw);
			if (s.hdr.nr_values == i + 2 && s.value[0].raw != 0)
				fail("round %u: the add is there, and the count is %llu", i,
				     s.value[0].raw);
			sched_yield();
		}
		EXPECT_EQ(s.hdr.nr_values, i + 2);
	}
}

static void *snapshot_until_closed(void *arg)
{
	struct grp_snap *s = calloc(1, sizeof(*s));
	int fd = (long)arg, ret;

	REQUIRE(s);
	do {
		ret = grp_snapshot(fd, 0, s);
		if (!ret)
			expect_whole(s);
	} while (!ret);
	/* The fd may be closed, or already be used for something else. */
	EXPECT(ret == -EBADF || ret == -ENOTTY);
	free(s);
	return NULL;
}

TEST_LIMIT(close_under_snapshots, 60, "S10 G13: closing a group while other threads read it")
{
	unsigned int i;

	/* Wait for what previous tests still hold. */
	REQUIRE(BECOMES_TRUE(read_number(MODULE "/refcnt") == 0, 10000));
	for (i = 0; i < rounds(20); i++) {
		struct crew crew = { .nr = 0 };
		static struct grp_snap s;
		int fd, j;

		fd = i & 1 ? grp_on_all_cpus(PERFGRP_CREATE_ENABLED) :
			     grp_on_task(PERFGRP_CREATE_ENABLED, 0);
		REQUIRE_GE(fd, 0);
		add_counting_members(fd);
		for (j = 0; j < 2; j++)
			crew_add(&crew, snapshot_until_closed, (void *)(long)fd);
		for (j = 0; j < 10; j++)
			EXPECT_EQ(grp_snapshot(fd, 0, &s), 0);
		close(fd);
		crew_join(&crew);
	}
	EXPECT(BECOMES_TRUE(read_number(MODULE "/refcnt") == 0, 10000));
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
