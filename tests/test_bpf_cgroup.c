// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on counters of cgroups, and programs that read such groups with the kfunc
 * bpf_perfgrp_read().
 */
#include "bpf.h"
#include "cgroup.h"
#include "../bpf/overflow.h"
#include "../bpf/read.h"

static struct bpf_object *object;
static struct grp_snap snap;
static struct cpus cpus;

static void arrange(void)
{
	need_cgroups();
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("there is one CPU");
}

static struct perfgrp_counter faults(void)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
}

/* ---- programs on counters of a cgroup -------------------------------------------- */

static void check_runs(__u32 buffer_size)
{
	struct perfgrp_counter c = faults();
	struct child child, outside;
	__u32 cookie = 3, one = 1, zero = 0;
	struct perfgrp_bpf_query query;
	struct seen seen;
	struct cgroup cg;
	int fd;

	need_bpf();
	arrange();
	object = bpf_load("overflow");
	REQUIRE_EQ(bpf_map_update_elem(bpf_map(object, "verdict"), &zero, &one, BPF_ANY), 0);
	cg = cgroup_make("a");
	child = child_in(&cg);
	outside = child_start();
	fd = stream_on_cgroup(0, cg.fd, buffer_size);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), cookie), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do(&outside, ORDER_FAULT, 200);
	child_do(&child, ORDER_RUN_ON, cpus.cpu[0]);
	child_do(&child, ORDER_FAULT, 25);
	child_do(&child, ORDER_RUN_ON, cpus.cpu[1]);
	child_do_all(&child, ORDER_FAULT, 50);
	child_do(&outside, ORDER_FAULT, 200);
	/* The program does not see what the child does outside the cgroup. */
	cgroup_leave(child.pid);
	child_do_all(&child, ORDER_FAULT, 10);

	query = grp_attached(fd, c.id);
	EXPECT_EQ(query.runs, 75);
	EXPECT_EQ(query.misses, 0);
	EXPECT_EQ(query.dropped, 0);
	REQUIRE_EQ(bpf_map_lookup_elem(bpf_map(object, "seen_by_cookie"), &cookie, &seen), 0);
	EXPECT_EQ(seen.runs, 75);
	EXPECT_EQ(seen.pid_tgid >> 32, child.pid);
	EXPECT_EQ(seen.failed_reads, 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap_value(&snap, -1, c.id)->raw, 75);
	if (buffer_size) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		stream_drain(fd);
		EXPECT_EQ(records.nr_samples, 75);
	}
	/* The program stays attached although no task is left that it could see. */
	cgroup_remove(&cg);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 75);
	EXPECT_EQ(grp_bpf_detach(fd, c.id, 0), 0);
}

TEST(runs, "C1 B1 B15: a program on a cgroup's page faults runs as often as its tasks fault")
{
	check_runs(65536);
}

TEST(runs_without_buffer, "C1 B15: so does one in a group without a buffer")
{
	check_runs(0);
}

/* ---- the kfunc ------------------------------------------------------------------- */

static __u64 handle_of(int fd)
{
	struct perfgrp_bpf_handle arg = { .size = sizeof(arg) };

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_BPF_HANDLE, &arg), 0);
	return arg.handle;
}

/* Reads the group of HANDLE at each of NR page faults of the child; returns the last result. */
static struct job read_by(struct child *child, __u64 handle, unsigned int nr)
{
	struct job job = { .handle = handle, .value_size = sizeof(job.value[0]) };
	struct perfgrp_counter c = faults();
	__u32 zero = 0;
	int fd;

	REQUIRE_EQ(bpf_map_update_elem(bpf_map(object, "job"), &zero, &job, BPF_ANY), 0);
	fd = stream_on_task(0, child->pid, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "on_overflow"), 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do_all(child, ORDER_FAULT, nr);
	REQUIRE_EQ(grp_disable(fd), 0);
	close(fd);
	REQUIRE_EQ(bpf_map_lookup_elem(bpf_map(object, "job"), &zero, &job), 0);
	EXPECT_EQ(job.runs, nr);
	return job;
}

static void arrange_kfunc(void)
{
	NEED_FEATURE(KFUNC);
	need_bpf();
	arrange();
	object = bpf_load("read");
}

TEST(kfunc_inside, "C1 C7 B13: a program reads the cgroup's values while a task of it runs")
{
	struct perfgrp_counter c[3] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_CPU_CLOCK },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	struct peer_value before, after;
	const struct perfgrp_value *v;
	struct child child;
	struct cgroup cg;
	struct job job;
	int fd, peer, i;

	arrange_kfunc();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = grp_on_cgroup(0, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	peer = peer_on_cgroup(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, cg.fd, cpus.cpu[1]);
	REQUIRE_GE(peer, 0);
	peer_enable(peer);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do_all(&child, ORDER_BURN, 10000);
	before = peer_read(peer);
	job = read_by(&child, handle_of(fd), 20);
	/* perf_event_read() is only up to date when the event has left the CPU. */
	wait_until_asleep(child.pid);
	after = peer_read(peer);
	EXPECT_EQ(job.ret, 3);
	EXPECT_EQ(job.failed, 0);
	/* The last fault is counted before or after the program runs. */
	EXPECT_GE(job.value[2].raw, 19);
	EXPECT_LE(job.value[2].raw, 20);
	EXPECT_GT(job.value[1].raw, 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < 3; i++) {
		v = snap_value(&snap, cpus.cpu[1], c[i].id);
		EXPECT_EQ(job.value[i].id, c[i].id);
		EXPECT_EQ(job.value[i].flags & PERFGRP_VALUE_ABSENT, 0);
		expect_plausible(&job.value[i]);
		EXPECT_LE(job.value[i].raw, v->raw);
		EXPECT_LE(job.value[i].time_enabled, v->time_enabled);
		EXPECT_LE(job.value[i].time_running, v->time_running);
		EXPECT_GE(job.value[i].time_enabled, before.enabled);
		EXPECT_LE(job.value[i].time_enabled, after.enabled);
	}
}

TEST(kfunc_outside, "C1 C3 C7 B13: from outside the cgroup it reads what a snapshot shows")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS };
	struct child child, outside;
	const struct perfgrp_value *v;
	struct cgroup cg;
	struct job job;
	int fd;

	arrange_kfunc();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	outside = child_start();
	child_do(&outside, ORDER_RUN_ON, cpus.cpu[1]);
	fd = grp_on_cgroup(0, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);

	/* Absent or not, of a group that was never enabled nothing ever ran. */
	job = read_by(&outside, handle_of(fd), 5);
	EXPECT_EQ(job.ret, 1);
	EXPECT_EQ(job.value[0].state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(job.value[0].flags & (PERFGRP_VALUE_ABSENT | PERFGRP_VALUE_SCALED), 0);

	REQUIRE_EQ(grp_enable(fd), 0);
	job = read_by(&outside, handle_of(fd), 5);
	EXPECT_EQ(job.ret, 1);
	EXPECT(job.value[0].flags & PERFGRP_VALUE_ABSENT);
	EXPECT_EQ(job.value[0].state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(job.value[0].raw, 0);

	child_do_all(&child, ORDER_FAULT, 30);
	job = read_by(&outside, handle_of(fd), 5);
	EXPECT_EQ(job.ret, 1);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	v = snap_value(&snap, cpus.cpu[1], c.id);
	expect_same_value(&job.value[0], v);
	EXPECT_EQ(v->raw, 30);
	EXPECT_EQ(job.value[0].flags & PERFGRP_VALUE_ABSENT, 0);

	/* The kfunc does not report that the cgroup was removed: the count stays. */
	cgroup_leave(child.pid);
	cgroup_remove(&cg);
	REQUIRE(BECOMES_TRUE(grp_value_on(fd, cpus.cpu[1], c.id).flags & PERFGRP_VALUE_EXITED,
			     10000));
	job = read_by(&outside, handle_of(fd), 5);
	EXPECT_EQ(job.ret, 1);
	EXPECT_EQ(job.value[0].raw, 30);
	EXPECT_EQ(job.value[0].flags & PERFGRP_VALUE_FAILED, 0);
}

TEST(kfunc_other_cpu, "C1 B13: on a CPU that is not in the group's list there is nothing to read")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS };
	struct child child;
	struct cgroup cg;
	int fd;

	arrange_kfunc();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, cpus.cpu, 1);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	EXPECT_EQ(read_by(&child, handle_of(fd), 5).ret, -ENODATA);
	child_do_all(&child, ORDER_RUN_ON, cpus.cpu[0]);
	EXPECT_EQ(read_by(&child, handle_of(fd), 5).ret, 1);
}

int main(int argc, char **argv)
{
	int ret = run_tests(argc, argv);

	if (is_cgroup2(cgroup_root))
		cgroups_sweep();
	return ret;
}
