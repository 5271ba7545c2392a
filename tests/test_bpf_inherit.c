// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on counters that are inherited, and on counters of groups without a buffer: they
 * run at each overflow, of the task's children too.
 */
#include "bpf.h"
#include "pmu.h"
#include "../bpf/overflow.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LATER_MS 10000

static struct bpf_object *object;

static void load(void)
{
	__u32 zero = 0, keep = 1;

	need_bpf();
	object = bpf_load("overflow");
	REQUIRE_EQ(bpf_map_update_elem(bpf_map(object, "verdict"), &zero, &keep, BPF_ANY), 0);
}

static struct seen seen(__u32 cookie)
{
	struct seen seen;

	REQUIRE_EQ(bpf_map_lookup_elem(bpf_map(object, "seen_by_cookie"), &cookie, &seen), 0);
	return seen;
}

/* Samples each NR-th page fault of user mode. */
static struct perfgrp_counter faults(__u64 nr)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = nr,
	};
}

/* A disabled group without a buffer on this task, with the counter. */
static int group(__u32 flags, struct perfgrp_counter *counter)
{
	int fd;

	if (flags & PERFGRP_CREATE_INHERIT)
		NEED_FEATURE(INHERIT);
	settle_memory();
	fd = grp_on_task(flags, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counter, 1), 0);
	return fd;
}

/* Starts a child that dies with its parent, even if that dies before PR_SET_PDEATHSIG is set. */
static pid_t start(void (*work)(void))
{
	pid_t parent = getpid(), pid = fork();

	REQUIRE_GE(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	work();
	_exit(0);
}

static void run(void (*work)(void))
{
	pid_t pid = start(work);
	int status;

	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	REQUIRE_EQ(status, 0);
}

/* ---- B15: without a buffer --------------------------------------------------------- */

TEST(no_buffer, "B15: in a group without a buffer a program runs at each overflow")
{
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };
	struct perfgrp_counter c = faults(3);
	char byte;
	int fd;

	load();
	fd = group(0, &c);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(30);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, c.id), 30);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 10);
	EXPECT_EQ(seen(1).runs, 10);
	EXPECT_EQ(read(fd, &byte, 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_REFUSED(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), EINVAL, TARGET);

	REQUIRE_EQ(grp_bpf_replace(fd, c.id, bpf_prog(object, "other"), 2, 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(15);
	REQUIRE_EQ(grp_bpf_detach(fd, c.id, 0), 0);
	fault_in(15);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, c.id), 60);
	EXPECT_EQ(seen(1).runs, 10);
	EXPECT_EQ(seen(2).other_runs, 5);
}

TEST(later_member, "B15: so it does on a member that is added to members that only count")
{
	struct perfgrp_counter c[2] = { faults(0), faults(1) };
	int fd;

	load();
	fd = group(PERFGRP_CREATE_ENABLED, &c[0]);
	REQUIRE_EQ(grp_add_counters(fd, &c[1], 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, bpf_prog(object, "note"), 1), 0);
	fault_in(10);
	EXPECT_EQ(seen(1).runs, 10);
	REQUIRE_EQ(grp_remove(fd, c[1].id, 0), 0);
	fault_in(10);
	EXPECT_EQ(seen(1).runs, 10);
}

TEST(on_cpus, "B15: so it does on all CPUs")
{
	struct perfgrp_counter c = faults(1);
	struct cpus cpus;
	__u64 raw = 0;
	__u32 i;
	int fd;

	load();
	cpus_online(&cpus);
	fd = grp_on_cpus(0, &cpus);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		fault_in(10);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		EXPECT_GE(grp_value_on(fd, cpus.cpu[i], c.id).raw, 10);
		raw += grp_value_on(fd, cpus.cpu[i], c.id).raw;
	}
	EXPECT_EQ(grp_attached(fd, c.id).runs + grp_attached(fd, c.id).misses, raw);
}

/* ---- B15: in children ---------------------------------------------------------------- */

static void fault_as_parent_and_child(void)
{
	pid_t pid;
	int status;

	fault_in(30);
	pid = fork();
	if (!pid) {
		fault_in(20);
		execl("/tests/work", "work", "1", "40", (char *)NULL);
		_exit(1);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		_exit(1);
}

TEST(inherited, "B15 G16: a program runs in children, and in theirs, also after an exec")
{
	struct perfgrp_counter c = faults(1);
	int fd;

	load();
	fd = group(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, &c);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_reset(fd), 0);
	run(fault_as_parent_and_child);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(grp_raw(fd, c.id), 90);
	EXPECT_EQ(grp_attached(fd, c.id).runs, grp_raw(fd, c.id));
	EXPECT_EQ(grp_attached(fd, c.id).misses, 0);
	EXPECT_EQ(seen(1).runs, grp_raw(fd, c.id));
}

TEST(inherited_as_under_perf, "B15 B2: it runs as often there as under perf")
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 7,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct perfgrp_counter c = faults(7);
	int fd, perf;

	load();
	fd = group(PERFGRP_CREATE_INHERIT, &c);
	perf = peer_open_attr(&attr, 0, -1, -1);
	REQUIRE_GE(perf, 0);
	REQUIRE_EQ(ioctl(perf, PERF_EVENT_IOC_SET_BPF, bpf_prog(object, "note")), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(perf);
	run(fault_as_parent_and_child);
	peer_disable(perf);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(seen(0).runs, 12);
	EXPECT_EQ(seen(1).runs, seen(0).runs);
	EXPECT_EQ(grp_attached(fd, c.id).runs, seen(0).runs);
}

static void fault_60(void)
{
	fault_in(60);
}

TEST(paused, "B15 G16: while an inherited group is disabled no program runs, in no task")
{
	struct perfgrp_counter c = faults(1);
	__u64 runs;
	int fd;

	load();
	fd = group(PERFGRP_CREATE_INHERIT, &c);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	run(fault_60);
	fault_in(5);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	run(fault_60);
	REQUIRE_EQ(grp_disable(fd), 0);
	runs = grp_attached(fd, c.id).runs;
	EXPECT_GE(runs, 60);
	EXPECT_EQ(runs, grp_raw(fd, c.id));
	run(fault_60);
	fault_in(5);
	EXPECT_EQ(grp_attached(fd, c.id).runs, runs);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(5);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_attached(fd, c.id).runs, grp_raw(fd, c.id));
	EXPECT_GE(grp_raw(fd, c.id), runs + 5);
}

TEST(from_exec, "B15 G17: with ENABLE_ON_EXEC it runs from the exec on, and not before")
{
	struct perfgrp_counter c = faults(1);
	pid_t pid;
	int fd, go[2], status;
	char byte;

	load();
	NEED_FEATURE(INHERIT);
	REQUIRE_EQ(pipe(go), 0);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		fault_in(500);
		execl("/tests/work", "work", "1", "100", (char *)NULL);
		_exit(1);
	}
	fd = grp_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(write(go[1], "", 1), 1);
	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	REQUIRE_EQ(status, 0);
	EXPECT_GE(grp_raw(fd, c.id), 100);
	EXPECT_LT(grp_raw(fd, c.id), 500);
	EXPECT_EQ(grp_attached(fd, c.id).runs, grp_raw(fd, c.id));
}

TEST(one_in_ten_million, "B15: each ten millionth event of a command and its children, as of one")
{
	struct perfgrp_counter c = { .event = PERFGRP_HW_BRANCH_MISSES };
	__u64 most, runs;
	int fd;

	load();
	if (!has_pmu())
		skip("no hardware counters");
	keep_sample_rate();
	/* An emulated PMU has no branch misses. */
	if (!has_hardware_event(PERF_COUNT_HW_BRANCH_MISSES))
		c.event = PERFGRP_HW_INSTRUCTIONS;
	c.sample_period = 10000000;
	fd = group(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, &c);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(system("/tests/work 60000000 10 & /tests/work 30000000 10; wait"), 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	runs = grp_attached(fd, c.id).runs + grp_attached(fd, c.id).misses;
	most = grp_raw(fd, c.id) / c.sample_period;
	diag("%llu events, %llu runs", (unsigned long long)grp_raw(fd, c.id), runs);
	/* Each task starts a period of its own. */
	EXPECT_LE(runs, most);
	EXPECT_GE(runs + 5, most);
	EXPECT_GE(runs, 10);
}

static void spin_on_and_on(void)
{
	for (;;)
		spin(1000);
}

static void sleep_on_and_on(void)
{
	for (;;)
		pause();
}

/* Sleeps while a child of it spins, on another CPU than the one that takes snapshots. */
static void have_child_spin(void)
{
	struct cpus cpus;

	cpus_online(&cpus);
	run_on(cpus.cpu[cpus.nr - 1]);
	raise(SIGSTOP);
	start(spin_on_and_on);
	/* And another one, whose counter is not stopped, sleeps. */
	start(sleep_on_and_on);
	sleep_on_and_on();
}

TEST(throttled, "O8 S2: the value says that the perf core has stopped a child's counter")
{
	struct perfgrp_counter c = { .event = PERFGRP_HW_CPU_CYCLES, .sample_period = 1000 };
	unsigned int i, nr = 0;
	int fd, status;
	pid_t pid;

	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(INHERIT);
	/*
	 * Only a few samples per tick are allowed, then the counter is off for the rest of the
	 * tick. With the default rate it would be on for a tenth of a tick, and snapshots from an
	 * emulated CPU, which takes turns with the others, might hit that part each time.
	 */
	set_sample_rate("1000");
	run_on(0);
	pid = start(have_child_spin);
	REQUIRE_EQ(waitpid(pid, &status, WUNTRACED), pid);
	fd = grp_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, pid);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	kill(pid, SIGCONT);
	for (i = 0; i < 200 && !nr; i++) {
		/* Hit a different part of a tick each time. */
		nap_ns(2000000 + 137000 * (i % 20));
		nr += !!(grp_value(fd, c.id).flags & PERFGRP_VALUE_THROTTLED);
	}
	EXPECT_GT(nr, 0);
	/* The child dies with it. */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT(BECOMES_TRUE(grp_value(fd, c.id).flags & PERFGRP_VALUE_EXITED, LATER_MS));
	EXPECT(!(grp_value(fd, c.id).flags & PERFGRP_VALUE_THROTTLED));
	keep_sample_rate();
}

/* ---- changes while children run -------------------------------------------------------- */

#define NR_BUSY 3

static void fault_on_and_on(void)
{
	for (;;)
		run(fault_60);
}

static void start_busy(pid_t *pid)
{
	unsigned int i;

	for (i = 0; i < NR_BUSY; i++)
		pid[i] = start(fault_on_and_on);
}

static void stop_busy(const pid_t *pid)
{
	unsigned int i;

	for (i = 0; i < NR_BUSY; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

TEST_LIMIT(changes, 100, "B15 B4 B5: programs are replaced and detached in children that run")
{
	unsigned int nr = rounds(is_debug_kernel() ? 20 : 50), i;
	struct perfgrp_counter c = faults(1);
	struct seen before, after;
	pid_t pid[NR_BUSY];
	int fd;

	load();
	fd = group(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, &c);
	start_busy(pid);
	for (i = 0; i < nr; i++) {
		REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
		nap_ns(1000000);
		REQUIRE_EQ(grp_bpf_replace(fd, c.id, bpf_prog(object, "other"), 2, 0), 0);
		nap_ns(1000000);
		REQUIRE_EQ(grp_bpf_detach(fd, c.id, 0), 0);
		before = seen(2);
		nap_ns(1000000);
		after = seen(2);
		EXPECT_EQ(after.other_runs, before.other_runs);
	}
	EXPECT_GT(seen(1).runs, 0);
	EXPECT_GT(seen(2).other_runs, 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 3), 0);
	REQUIRE(BECOMES_TRUE(grp_attached(fd, c.id).runs > 100, LATER_MS));
	stop_busy(pid);
}

TEST_LIMIT(closed, 100, "B15 G13: an inherited group is closed while programs run in children")
{
	unsigned int nr = rounds(is_debug_kernel() ? 20 : 50), i;
	pid_t pid[NR_BUSY];
	__u32 id;
	int fd;

	load();
	for (i = 0; i < nr; i++) {
		struct perfgrp_counter c = faults(1);

		fd = group(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, &c);
		REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
		start_busy(pid);
		REQUIRE(BECOMES_TRUE(grp_attached(fd, c.id).runs > 20, LATER_MS));
		close(fd);
		stop_busy(pid);
	}
	id = bpf_id(bpf_prog(object, "note"));
	bpf_object__close(object);
	EXPECT(bpf_is_gone(id));
}

/* ---- refusals --------------------------------------------------------------------------- */

TEST(refused, "O9 E6: children keep their period, and are not compared with one another")
{
	struct perfgrp_period period = { .size = sizeof(period), .sample_period = 5 };
	struct perfgrp_counter c = faults(1), filter = faults(0);
	int fd;

	fd = group(PERFGRP_CREATE_INHERIT, &c);
	period.id = c.id;
	EXPECT_REFUSED_MEMBER(grp_ioctl(fd, PERFGRP_SET_PERIOD, &period), EOPNOTSUPP, FEATURE,
			      c.id);
	fd = grp_on_task(PERFGRP_CREATE_INHERIT, 0);
	filter.min_delta = 1;
	EXPECT_REFUSED_MEMBER(grp_add_counters(fd, &filter, 1), EINVAL, EVENT_OPTION, 0);
	fd = stream_on_task(PERFGRP_CREATE_INHERIT, 0, 8192);
	REQUIRE_GE(fd, 0);
	EXPECT_REFUSED_MEMBER(grp_add_counters(fd, &filter, 1), EOPNOTSUPP, EVENT_OPTION, 0);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
