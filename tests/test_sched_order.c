// SPDX-License-Identifier: GPL-2.0
/*
 * Members are removed in every order, by REMOVE, by CASCADE, by close, from tasks that
 * are alive, are exiting, or have exited, and from CPUs that go offline and online. The
 * rest continue to count, together. If a scheduling group was broken, the perf core's
 * complaint is in the kernel's log.
 */
#include "group.h"
#include "pmu.h"

#include <pthread.h>

#define NR_MEMBERS	4
#define NR_ORDERS	24
#define MIN_GROUPS	12
#define MIN_FLIPS	6

static struct grp_snap snap;

/* ---- orders, groups ---------------------------------------------------------- */

/* The NR-th permutation of NR_MEMBERS elements. */
static void order_of(unsigned int nr, unsigned int order[NR_MEMBERS])
{
	unsigned int left[NR_MEMBERS], i, j, pick;

	for (i = 0; i < NR_MEMBERS; i++)
		left[i] = i;
	for (i = 0; i < NR_MEMBERS; i++) {
		pick = nr % (NR_MEMBERS - i);
		nr /= NR_MEMBERS - i;
		order[i] = left[pick];
		for (j = pick; j + 1 < NR_MEMBERS - i; j++)
			left[j] = left[j + 1];
	}
}

/* The group's leader is a hardware counter, or a software counter before the hardware counters. */
enum shape {
	ALL_HARDWARE,
	SOFTWARE_LEADER,
	ALL_SOFTWARE,
};

static void need(enum shape shape)
{
	if (shape != ALL_SOFTWARE && !has_pmu())
		skip("no hardware counters");
	if (shape != ALL_SOFTWARE)
		NEED_FEATURE(SCHED_GROUP);
}

static void add_members(int fd, enum shape shape, struct perfgrp_counter c[NR_MEMBERS])
{
	unsigned int i;

	REQUIRE_GE(fd, 0);
	memset(c, 0, NR_MEMBERS * sizeof(*c));
	for (i = 0; i < NR_MEMBERS; i++) {
		if (shape == ALL_SOFTWARE || (shape == SOFTWARE_LEADER && i == 0))
			c[i].event = PERFGRP_SW_CPU_CLOCK;
		else
			c[i].event = PERFGRP_HW_CPU_CYCLES;
	}
	REQUIRE_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
}

static bool is_hardware(const struct perfgrp_counter *c)
{
	return c->event == PERFGRP_HW_CPU_CYCLES;
}

/* ---- remaining members --------------------------------------------------------- */

/* A task's group, and its state at the last snapshot. */
struct watched {
	int fd;
	struct perfgrp_counter c[NR_MEMBERS];
	bool removed[NR_MEMBERS];
	unsigned int nr;
	__u64 raw[NR_MEMBERS];
};

/* All remaining members count on, and the hardware counters were on the PMU at the same times. */
static void expect_left(struct watched *w)
{
	const struct perfgrp_value *v, *hardware = NULL;
	unsigned int i;

	REQUIRE_EQ(grp_snapshot(w->fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, w->nr);
	for (i = 0; i < NR_MEMBERS; i++) {
		v = snap_find(&snap, &snap.row[0], w->c[i].id);
		EXPECT_EQ(!!v, !w->removed[i]);
		if (!v)
			continue;
		EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
		EXPECT_EQ(v->time_running, v->time_enabled);
		EXPECT_GE(v->raw, w->raw[i]);
		w->raw[i] = v->raw;
		if (!is_hardware(&w->c[i]))
			continue;
		if (hardware)
			EXPECT_EQ(v->time_running, hardware->time_running);
		hardware = v;
	}
}

/* Removes a member, which is refused if it leads others. */
static void remove_one(struct watched *w, unsigned int i)
{
	if (i == 0 && w->nr > 1) {
		EXPECT_EQ(grp_remove(w->fd, w->c[i].id, 0), -EBUSY);
	} else {
		EXPECT_EQ(grp_remove(w->fd, w->c[i].id, 0), 0);
		w->removed[i] = true;
		w->nr--;
	}
}

static void remove_cascade(struct watched *w)
{
	if (w->removed[0])
		return;
	EXPECT_EQ(grp_remove(w->fd, w->c[0].id, PERFGRP_REMOVE_CASCADE), 0);
	memset(w->removed, true, sizeof(w->removed));
	w->nr = 0;
}

/* ---- tasks ----------------------------------------------------------------------- */

enum life {
	ALIVE,
	EXITING,
	GONE,
};

struct release_case {
	enum shape shape;
	enum life life;
};

/* Lets the task run, if it is alive, for as long as the clock needs to advance. */
static void let_run(struct child *child, enum life life)
{
	if (life != ALIVE)
		return;
	child_do(child, ORDER_SPIN, 10000);
	child_do(child, ORDER_FAULT, 1);
}

/* Removes NR_GO members one by one, then the rest with the leader or by closing the fd. */
static void release(const struct release_case *rc, const unsigned int order[NR_MEMBERS],
		    unsigned int nr_go, bool cascade)
{
	struct child child = child_start();
	struct watched w = { .fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid),
			     .nr = NR_MEMBERS };
	unsigned int i;

	add_members(w.fd, rc->shape, w.c);
	let_run(&child, ALIVE);
	expect_left(&w);
	if (rc->life == GONE) {
		child_exit(&child);
		child_reap(&child);
		/* The exit itself was counted, too. */
		expect_left(&w);
	} else if (rc->life == EXITING) {
		child_tell(&child, ORDER_EXIT, 0);
	}
	for (i = 0; i < nr_go; i++) {
		__u64 before = w.raw[NR_MEMBERS - 1];

		remove_one(&w, order[i]);
		let_run(&child, rc->life);
		expect_left(&w);
		if (rc->life == ALIVE && !w.removed[NR_MEMBERS - 1]) {
			EXPECT_GT(w.raw[NR_MEMBERS - 1], before);
			EXPECT_EQ(snap.row[0].flags, 0);
		}
		if (rc->life == GONE && !w.removed[NR_MEMBERS - 1]) {
			EXPECT_EQ(w.raw[NR_MEMBERS - 1], before);
			EXPECT_EQ(snap.row[0].flags, PERFGRP_ROW_EXITED);
		}
	}
	if (cascade) {
		remove_cascade(&w);
		let_run(&child, rc->life);
		expect_left(&w);
	}
	close(w.fd);
	if (rc->life == ALIVE)
		child_exit(&child);
	if (rc->life != GONE)
		child_reap(&child);
}

static void release_in_every_order(const void *arg)
{
	const struct release_case *rc = arg;
	unsigned int order[NR_MEMBERS], i;

	need(rc->shape);
	for (i = 0; i < rounds(NR_ORDERS); i++) {
		order_of(i % NR_ORDERS, order);
		release(rc, order, NR_MEMBERS, false);
		release(rc, order, i % NR_MEMBERS, true);
		release(rc, order, i % NR_MEMBERS, false);
	}
}

#define RELEASE(name, shape_, life_, text)						\
	static const struct release_case name = { .shape = shape_, .life = life_ };	\
	__attribute__((constructor)) static void test_##name(void)			\
	{										\
		test_add("G11 G12 G13: " text, release_in_every_order, &name, 60);	\
	}

RELEASE(hw_alive, ALL_HARDWARE, ALIVE, "hardware, in every order, of a task")
RELEASE(hw_exiting, ALL_HARDWARE, EXITING, "hardware, in every order, of a task that exits")
RELEASE(hw_gone, ALL_HARDWARE, GONE, "hardware, in every order, of a task that is gone")
RELEASE(mixed_alive, SOFTWARE_LEADER, ALIVE, "under a software leader, of a task")
RELEASE(mixed_exiting, SOFTWARE_LEADER, EXITING, "under a software leader, of a task that exits")
RELEASE(mixed_gone, SOFTWARE_LEADER, GONE, "under a software leader, of a task that is gone")
RELEASE(sw_alive, ALL_SOFTWARE, ALIVE, "software, in every order, of a task")
RELEASE(sw_exiting, ALL_SOFTWARE, EXITING, "software, in every order, of a task that exits")
RELEASE(sw_gone, ALL_SOFTWARE, GONE, "software, in every order, of a task that is gone")

/*
 * If the perf core's leader were simply removed, its siblings would become single events, whose
 * times differ when there is no room for all.
 */
TEST_LIMIT(still_together, 60, "G4 G11: members stay together when the one goes that led them")
{
	struct watched w = { .fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), .nr = NR_MEMBERS };
	unsigned int i;

	need(SOFTWARE_LEADER);
	add_members(w.fd, SOFTWARE_LEADER, w.c);
	pmu_load(pmu_size() - 1, 0, -1, NULL);
	remove_one(&w, 1);
	REQUIRE_EQ(grp_reset(w.fd), 0);
	for (i = 0; i < 500; i++) {
		spin(50000);
		REQUIRE_EQ(grp_snapshot(w.fd, 0, &snap), 0);
		EXPECT_EQ(snap_value(&snap, -1, w.c[2].id)->time_running,
			  snap_value(&snap, -1, w.c[3].id)->time_running);
	}
	EXPECT_EQ(snap_value(&snap, -1, w.c[3].id)->state, PERFGRP_STATE_MULTIPLEXED);
}

/* ---- CPUs -------------------------------------------------------------------------- */

static volatile bool stop;
static volatile unsigned int flips;

static void *flip_cpu(void *arg __maybe_unused)
{
	while (!stop) {
		EXPECT_EQ(cpu_set_online(1, false), 0);
		EXPECT_EQ(cpu_set_online(1, true), 0);
		flips++;
	}
	return NULL;
}

/* Starts NR processes that keep CPUs busy, with pauses, because emulated CPUs take turns. */
static void start_load(unsigned int nr)
{
	while (nr--) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			spin(20000);
			nap_ns(20000);
		}
	}
}

static void release_under_hotplug(enum shape shape)
{
	struct perfgrp_counter c[NR_MEMBERS];
	unsigned int order[NR_MEMBERS], i, j;
	pthread_t flipper;
	int fd;

	need(shape);
	NEED_FEATURE(HOTPLUG);
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		skip("CPU 1 cannot be taken down");
	REQUIRE_EQ(cpu_set_online(1, true), 0);
	start_load(3);
	REQUIRE_EQ(pthread_create(&flipper, NULL, flip_cpu, NULL), 0);
	for (i = 0; i < rounds(MIN_GROUPS) || flips < rounds(MIN_FLIPS); i++) {
		order_of(i % NR_ORDERS, order);
		fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
		add_members(fd, shape, c);
		for (j = 0; j < i % (NR_MEMBERS + 1); j++) {
			int ret = grp_remove(fd, c[order[j]].id, 0);

			/* The leader cannot be removed before the others. */
			EXPECT_EQ(ret, order[j] == 0 && j < NR_MEMBERS - 1 ? -EBUSY : 0);
			REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
		}
		if (i % 2) {
			int ret = grp_remove(fd, c[0].id, PERFGRP_REMOVE_CASCADE);

			EXPECT(ret == 0 || ret == -ENOENT);
		}
		close(fd);
	}
	stop = true;
	pthread_join(flipper, NULL);
	diag("%u groups made and released while the CPU went %u times", i, flips);
}

TEST_LIMIT(hotplug_hardware, 100, "G11 G19: hardware, in every order, of CPUs that come and go")
{
	release_under_hotplug(ALL_HARDWARE);
}

TEST_LIMIT(hotplug_mixed, 100, "G11 G19: under a software leader, of CPUs that come and go")
{
	release_under_hotplug(SOFTWARE_LEADER);
}

TEST_LIMIT(hotplug_software, 100, "G11 G19: software, in every order, of CPUs that come and go")
{
	release_under_hotplug(ALL_SOFTWARE);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
