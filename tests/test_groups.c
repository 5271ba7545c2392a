// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: targets, events, adding and removing members, enable, disable and
 * reset, the life of the fd and of the task. What is counted is page faults in
 * known numbers, so that a count is right or wrong, and never about right.
 */
#include "group.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/utsname.h>

static struct grp_members members;
static struct grp_snap snap, snap2;

/* A group on this task with one page-faults member, enabled; *ID is the member. */
static int faults_group(int *id)
{
	int fd = grp_on_task(0, 0);

	REQUIRE_GE(fd, 0);
	*id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(*id, 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	return fd;
}

static void expect_never_ran(const struct perfgrp_value *v)
{
	EXPECT_EQ(v->state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(v->raw, 0);
	EXPECT_EQ(v->scaled, 0);
	EXPECT_EQ(v->time_enabled, 0);
	EXPECT_EQ(v->time_running, 0);
	EXPECT_EQ(v->flags & PERFGRP_VALUE_SCALED, 0);
}

/* V holds RAW events of a counter that was never off the PMU. */
static void expect_counted(const struct perfgrp_value *v, __u64 raw)
{
	expect_plausible(v);
	EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v->raw, raw);
	EXPECT_EQ(v->scaled, raw);
	EXPECT_GT(v->time_running, 0);
}

/* ---- E: events -------------------------------------------------------------------- */

/* The group takes EVENT exactly where perf_event_open(2) does; else it says why. */
static void expect_as_perf(int fd, __u64 event)
{
	int peer = peer_open(PERFGRP_EVENT_TYPE(event), PERFGRP_EVENT_CONFIG(event), 0, -1, -1);
	int ret = grp_add(fd, event);

	if (peer >= 0) {
		if (ret <= 0)
			fail("event %#llx: perf takes it, ADD says %d: %s", event, ret,
			     grp_error.text);
		close(peer);
	} else if (ret != -ENOENT && ret != -EOPNOTSUPP) {
		fail("event %#llx: perf says %d, ADD %d: %s", event, peer, ret, grp_error.text);
	} else if (grp_error.reason != PERFGRP_REASON_EVENT || grp_error.member != 0 ||
		   !error_is_sane(&grp_error, -ret)) {
		fail("event %#llx was refused without its reason", event);
		diag_error(&grp_error);
	}
	if (ret > 0)
		EXPECT_EQ(grp_remove(fd, ret, 0), 0);
}

TEST(hardware_names, "E2 E7: hardware events are taken where perf takes them, else ENOENT")
{
	int fd = grp_on_task(0, 0);
	__u32 config;

	REQUIRE_GE(fd, 0);
	for (config = 0; config < PERF_COUNT_HW_MAX; config++)
		expect_as_perf(fd, PERFGRP_EVENT(PERF_TYPE_HARDWARE, config));
}

TEST(software_names, "E3 E7: software events are taken where perf takes them, else ENOENT")
{
	int fd = grp_on_task(0, 0), all = grp_on_all_cpus(0);
	__u32 config;

	REQUIRE_GE(fd, 0);
	REQUIRE_GE(all, 0);
	for (config = 0; config <= PERF_COUNT_SW_CGROUP_SWITCHES + 1; config++)
		expect_as_perf(fd, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, config));
	/* These every kernel has, on CPUs too. */
	for (config = 0; config <= PERF_COUNT_SW_EMULATION_FAULTS; config++)
		EXPECT_GT(grp_add(all, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, config)), 0);
}

TEST(cache_names, "E4 E7: cache events are taken where perf takes them, else ENOENT")
{
	int fd = grp_on_task(0, 0);
	__u32 cache, op, result;

	REQUIRE_GE(fd, 0);
	for (cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
		for (op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++)
			for (result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX; result++)
				expect_as_perf(fd, PERFGRP_HW_CACHE(cache, op, result));
}

TEST(raw_form, "E5: the raw form counts as the named one")
{
	struct perfgrp_counter raw[] = {
		{ .flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_PAGE_FAULTS },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
	};
	int fd = grp_on_task(0, 0);

	settle_memory();
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, raw, 2), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(23);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, raw[0].id), 23);
	EXPECT_EQ(grp_raw(fd, raw[1].id), 23);

	/* 64 bits of config are not 32. */
	raw[0].id = 0;
	raw[0].config |= 1ULL << 32;
	EXPECT_REFUSED_MEMBER(grp_add_counters(fd, raw, 1), ENOENT, EVENT, 0);
}

TEST(tracepoint, "E5: a tracepoint by its id counts every hit")
{
	struct perfgrp_counter c = { .flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_TRACEPOINT };
	long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id");
	int fd, peer, i;

	if (id < 0)
		skip("no tracepoint at system calls");
	peer = peer_open(PERF_TYPE_TRACEPOINT, id, 0, -1, -1);
	if (peer < 0)
		skip("perf_event_open of a tracepoint: errno %d", -peer);
	fd = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	c.config = id;
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	peer_enable(peer);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	await_clock();
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, c.id), 1000);
	EXPECT_EQ(peer_read(peer).value, 1000);
}

static volatile long watched __attribute__((aligned(8)));

static void write_watched(int times)
{
	while (times--)
		watched = times;
	await_clock();
}

/* One after the other: an emulated x86 reports only one of two on the same address. */
TEST(breakpoint, "E5: a breakpoint counts every write to its address")
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT, .bp_type = 2 /* write */,
					.bp_addr = to_u64(&watched), .bp_len = sizeof(watched),
					.exclude_kernel = 1, .exclude_hv = 1 };
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW | PERFGRP_COUNTER_EXCLUDE_KERNEL |
			 PERFGRP_COUNTER_EXCLUDE_HV,
		.type = PERF_TYPE_BREAKPOINT, .bp_type = attr.bp_type,
		.config1 = attr.bp_addr, .config2 = attr.bp_len,
	};
	int peer = peer_open_attr(&attr, 0, -1, -1), fd;
	struct perfgrp_value v;

	if (peer < 0)
		skip("perf_event_open of a breakpoint: errno %d", -peer);
	peer_enable(peer);
	write_watched(50);
	peer_disable(peer);
	REQUIRE_EQ(peer_read(peer).value, 50);
	close(peer);

	fd = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	write_watched(50);
	REQUIRE_EQ(grp_disable(fd), 0);
	v = grp_value(fd, c.id);
	expect_counted(&v, 50);
}

TEST(inherited_breakpoint, "E5 G16: a breakpoint that would make fork() fail is refused")
{
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_BREAKPOINT,
		.bp_type = 2, /* write */
		.config2 = sizeof(watched),
	};
	int fd;

	NEED_FEATURE(INHERIT);
	fd = grp_on_task(PERFGRP_CREATE_INHERIT, 0);
	REQUIRE_GE(fd, 0);
	c.config1 = -4096UL;
	EXPECT_REFUSED_MEMBER(grp_add_counters(fd, &c, 1), EOPNOTSUPP, EVENT_OPTION, 0);
	EXPECT(strstr(grp_error.text, "fork()"));
	c.config1 = to_u64(&watched);
	EXPECT_EQ(grp_add_counters(fd, &c, 1), 0);
}

TEST(exclusions, "E6: exclude_user and exclude_kernel split a count in two")
{
	struct perfgrp_counter c[] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS },
		{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_USER },
		{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_USER |
							    PERFGRP_COUNTER_EXCLUDE_KERNEL },
	};
	int fd = grp_on_task(0, 0);

	settle_memory();
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(31);
	fault_in_kernel(17);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, c[0].id), 31 + 17);
	EXPECT_EQ(grp_raw(fd, c[1].id), 31);
	EXPECT_EQ(grp_raw(fd, c[2].id), 17);
	EXPECT_EQ(grp_raw(fd, c[3].id), 0);
}

TEST(starts_disabled, "E6: a group starts disabled unless asked otherwise")
{
	int off = grp_on_task(0, 0), on = grp_on_task(PERFGRP_CREATE_ENABLED, 0), a, b;
	struct perfgrp_value v;

	settle_memory();
	REQUIRE_GE(off, 0);
	REQUIRE_GE(on, 0);
	a = grp_add(off, PERFGRP_SW_PAGE_FAULTS);
	b = grp_add(on, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(a, 0);
	REQUIRE_GT(b, 0);
	fault_in(9);
	v = grp_value(off, a);
	expect_never_ran(&v);
	EXPECT_EQ(grp_raw(on, b), 9);
	EXPECT_EQ(grp_query(off, &members), 0);
	EXPECT_EQ(members.hdr.enabled, 0);
	EXPECT_EQ(grp_query(on, &members), 0);
	EXPECT_EQ(members.hdr.enabled, 1);
}

/* ---- G1: targets ----------------------------------------------------------------------- */

TEST(on_self, "G1: a group on the caller counts the caller, to the last page fault")
{
	struct peer_value p;
	int fd, id, outer, inner;

	settle_memory();
	outer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, -1, -1);
	inner = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, -1, -1);
	REQUIRE(outer >= 0 && inner >= 0);
	fd = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);

	peer_enable(outer);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(inner);
	fault_in(1234);
	peer_disable(inner);
	REQUIRE_EQ(grp_disable(fd), 0);
	peer_disable(outer);

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_counted(snap_value(&snap, -1, id), 1234);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_EQ(snap.row[0].flags, 0);
	p = peer_read(outer);
	EXPECT_EQ(p.value, 1234);
	EXPECT_GE(p.enabled, snap_value(&snap, -1, id)->time_enabled);
	p = peer_read(inner);
	EXPECT_EQ(p.value, 1234);
	EXPECT_LE(p.enabled, snap_value(&snap, -1, id)->time_enabled);
}

TEST(on_child, "G1: a group on another task counts that task and no other")
{
	struct child child = child_start(), other = child_start();
	int fd, id, peer;

	settle_memory();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	peer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, child.pid, -1, -1);
	REQUIRE_GE(peer, 0);
	peer_enable(peer);
	fault_in(10);
	child_do(&other, ORDER_FAULT, 100);
	child_do(&child, ORDER_FAULT, 1000);
	wait_until_asleep(child.pid);
	EXPECT_EQ(grp_raw(fd, id), 1000);
	EXPECT_EQ(peer_read(peer).value, 1000);
	EXPECT_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.pid, child.pid);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_TASK);
}

/* A task that is about to sleep is shown as asleep, and still has its CPU for a moment. */
static bool stands_still(int fd, int id, struct perfgrp_value *v, struct perfgrp_value *again)
{
	*v = grp_value(fd, id);
	nap_ns(1000000);
	*again = grp_value(fd, id);
	return v->time_enabled == again->time_enabled;
}

TEST(on_sleeping, "G1 S2: a task that sleeps has not run, wakes and counts, sleeps and is read")
{
	struct child child = child_start();
	struct perfgrp_value v, again;
	int fd, id;

	wait_until_asleep(child.pid);
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	v = grp_value(fd, id);
	expect_never_ran(&v);
	child_do(&child, ORDER_FAULT, 50);
	wait_until_asleep(child.pid);
	REQUIRE(BECOMES_TRUE(stands_still(fd, id, &v, &again), 5000));
	expect_counted(&v, 50);
	expect_same_value(&v, &again);
}

TEST(on_task_and_cpu, "G1: a task on one CPU is counted there and nowhere else")
{
	struct perfgrp_value v;
	struct cpus cpus;
	int fd, id;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	settle_memory();
	run_on(cpus.cpu[0]);
	fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLED, 0, cpus.cpu[1]);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(11);
	v = grp_value_on(fd, cpus.cpu[1], id);
	EXPECT_EQ(v.raw, 0);
	EXPECT_EQ(v.time_running, 0);
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	run_on(cpus.cpu[1]);
	fault_in(22);
	run_on(cpus.cpu[0]);
	fault_in(33);
	v = grp_value_on(fd, cpus.cpu[1], id);
	expect_plausible(&v);
	EXPECT_EQ(v.raw, 22);
	EXPECT_GT(v.time_running, 0);
	EXPECT_EQ(grp_last.hdr.nr_rows, 1);
}

/* Faults (CPU + 1) * 10 pages in on each of CPUS, between two pairs of peers. */
static void count_on_cpus(int fd, int id, const struct cpus *cpus)
{
	int outer[MAX_CPUS], inner[MAX_CPUS];
	__u32 i;

	for (i = 0; i < cpus->nr; i++) {
		outer[i] = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1,
				     cpus->cpu[i], -1);
		inner[i] = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1,
				     cpus->cpu[i], -1);
		REQUIRE(outer[i] >= 0 && inner[i] >= 0);
	}
	for (i = 0; i < cpus->nr; i++)
		peer_enable(outer[i]);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus->nr; i++)
		peer_enable(inner[i]);
	for (i = 0; i < cpus->nr; i++) {
		run_on(cpus->cpu[i]);
		fault_in((cpus->cpu[i] + 1) * 10);
	}
	for (i = 0; i < cpus->nr; i++)
		peer_disable(inner[i]);
	REQUIRE_EQ(grp_disable(fd), 0);
	for (i = 0; i < cpus->nr; i++)
		peer_disable(outer[i]);

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, cpus->nr);
	for (i = 0; i < cpus->nr; i++) {
		const struct perfgrp_value *v = snap_value(&snap, cpus->cpu[i], id);

		expect_plausible(v);
		EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
		EXPECT_GE(v->raw, (cpus->cpu[i] + 1) * 10);
		EXPECT_GE(v->raw, peer_read(inner[i]).value);
		EXPECT_LE(v->raw, peer_read(outer[i]).value);
		EXPECT_GE(v->time_enabled, peer_read(inner[i]).enabled);
		EXPECT_LE(v->time_enabled, peer_read(outer[i]).enabled);
	}
}

TEST(on_one_cpu, "G1: a group on one CPU counts what runs there")
{
	struct cpus cpus;
	int fd, id;

	settle_memory();
	cpus_online(&cpus);
	cpus.cpu[0] = cpus.cpu[cpus.nr - 1];
	cpus.nr = 1;
	fd = grp_on_cpu(0, cpus.cpu[0]);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	count_on_cpus(fd, id, &cpus);
}

TEST(task_elsewhere, "G6: page faults of a task on one CPU are not scaled for its time elsewhere")
{
	struct perfgrp_value v;
	unsigned int flags;
	struct cpus cpus;
	int fd, id, i;

	settle_memory();
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("%u CPUs", cpus.nr);
	for (flags = 0; flags <= PERFGRP_CREATE_INHERIT; flags += PERFGRP_CREATE_INHERIT) {
		run_on(cpus.cpu[0]);
		fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLED | flags, 0, cpus.cpu[0]);
		REQUIRE_GE(fd, 0);
		id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
		REQUIRE_GT(id, 0);
		for (i = 1; i <= 10; i++) {
			here_and_there(&cpus, 1);
			v = grp_value_on(fd, cpus.cpu[0], id);
			expect_not_scaled(&v);
			EXPECT_EQ(v.raw, i * 10);
		}
		REQUIRE_EQ(grp_reset(fd), 0);
		here_and_there(&cpus, 1);
		v = grp_value_on(fd, cpus.cpu[0], id);
		expect_not_scaled(&v);
		EXPECT_EQ(v.raw, 10);
		close(fd);
	}
}

TEST(on_some_cpus, "G1: a group on a list of CPUs counts each of them in a row of its own")
{
	struct cpus cpus;
	int fd, id;

	settle_memory();
	cpus_online(&cpus);
	if (cpus.nr < 3)
		skip("%u CPUs", cpus.nr);
	/* Not the first, and the last before the second. */
	cpus.cpu[0] = cpus.cpu[cpus.nr - 1];
	cpus.nr = 2;
	fd = grp_on_cpus(0, &cpus);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	count_on_cpus(fd, id, &cpus);
}

TEST(on_all_cpus, "G1: a group on all CPUs counts each of them in a row of its own")
{
	struct cpus cpus;
	int fd, id;

	settle_memory();
	cpus_online(&cpus);
	fd = grp_on_all_cpus(0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	count_on_cpus(fd, id, &cpus);
	EXPECT_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_ALL_CPUS);
	EXPECT_EQ(members.hdr.pid, 0);
}

TEST(context_switches, "G1: context switches of a task lie between its own accounts of them")
{
	struct rusage outer[2], inner[2];
	int fd = grp_on_task(0, 0), id, i;
	__u64 raw;

	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES);
	REQUIRE_GT(id, 0);
	getrusage(RUSAGE_THREAD, &outer[0]);
	REQUIRE_EQ(grp_enable(fd), 0);
	getrusage(RUSAGE_THREAD, &inner[0]);
	for (i = 0; i < 20; i++)
		nap_ns(100000);
	getrusage(RUSAGE_THREAD, &inner[1]);
	REQUIRE_EQ(grp_disable(fd), 0);
	getrusage(RUSAGE_THREAD, &outer[1]);

	raw = grp_raw(fd, id);
#define SWITCHES(r) ((r)[1].ru_nvcsw - (r)[0].ru_nvcsw + (r)[1].ru_nivcsw - (r)[0].ru_nivcsw)
	EXPECT_GT(raw, 0);
	EXPECT_GE(raw, SWITCHES(inner));
	EXPECT_LE(raw, SWITCHES(outer));
}

TEST(migrations, "G1: cpu-migrations of a task are as many as it was moved")
{
	int fd = grp_on_task(0, 0), id, i;
	struct cpus cpus;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	run_on(cpus.cpu[0]);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_CPU_MIGRATIONS);
	REQUIRE_GT(id, 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 1; i <= 10; i++)
		run_on(cpus.cpu[i % cpus.nr]);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), 10);
}

TEST(clocks, "G1: task-clock lies between perf's own around it and inside it")
{
	int outer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1, -1);
	int inner = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1, -1);
	int fd = grp_on_task(0, 0), id;
	__u64 raw;

	REQUIRE(fd >= 0 && outer >= 0 && inner >= 0);
	id = grp_add(fd, PERFGRP_SW_TASK_CLOCK);
	REQUIRE_GT(id, 0);
	peer_enable(outer);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(inner);
	spin(1000000);
	peer_disable(inner);
	REQUIRE_EQ(grp_disable(fd), 0);
	peer_disable(outer);
	raw = grp_raw(fd, id);
	EXPECT_GT(raw, 0);
	EXPECT_GE(raw, peer_read(inner).value);
	EXPECT_LE(raw, peer_read(outer).value);
}

/* ---- G2, G3, G6: members ------------------------------------------------------------------- */

TEST(leader_first, "G2 S4: the first counter added leads, and members keep their order")
{
	static const __u64 events[] = {
		PERFGRP_SW_DUMMY, PERFGRP_SW_PAGE_FAULTS, PERFGRP_SW_TASK_CLOCK,
		PERFGRP_SW_CONTEXT_SWITCHES, PERFGRP_SW_CPU_MIGRATIONS,
	};
	struct perfgrp_counter two[2] = { { .event = events[3] }, { .event = events[4] } };
	int fd = grp_on_task(0, 0), id[ARRAY_SIZE(events)];
	size_t i;

	REQUIRE_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		id[i] = grp_add(fd, events[i]);
		REQUIRE_GT(id[i], 0);
	}
	REQUIRE_EQ(grp_add_counters(fd, two, 2), 0);
	id[3] = two[0].id;
	id[4] = two[1].id;
	REQUIRE_EQ(grp_query(fd, &members), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(members.hdr.nr_counters, ARRAY_SIZE(events));
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		EXPECT_EQ(members.counter[i].id, id[i]);
		EXPECT_EQ(members.counter[i].event, events[i]);
		EXPECT_EQ(snap.value[i].id, id[i]);
	}
	EXPECT_EQ(snap.hdr.nr_values, ARRAY_SIZE(events));
	EXPECT_EQ(snap.value[0].sched_group, snap.value[0].id);
}

TEST(as_many_as_the_limit, "G3 G6: max_members fit, all of them count, one more is refused")
{
	struct perfgrp_info info = grp_info();
	struct perfgrp_counter *many;
	struct perfgrp_snapshot s = { .size = sizeof(s) };
	struct perfgrp_value *values;
	struct perfgrp_row row;
	int fd, other;
	__u32 i, n = info.max_members;

	EXPECT_GE(n, 16);
	many = calloc(n + 1, sizeof(*many));
	values = calloc(n, sizeof(*values));
	REQUIRE(many && values);
	for (i = 0; i <= n; i++)
		many[i].event = PERFGRP_SW_PAGE_FAULTS;
	settle_memory();

	/* In one call too many: none is added. */
	other = grp_on_task(0, 0);
	REQUIRE_GE(other, 0);
	EXPECT_EQ(grp_add_counters(other, many, n + 1), -ENOSPC);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_LIMIT);
	EXPECT(text_has_number(grp_error.text, n));
	EXPECT_EQ(grp_query(other, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 0);

	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, many, n), 0);
	fault_in(5);
	EXPECT_REFUSED_MEMBER(grp_add(fd, PERFGRP_SW_DUMMY), ENOSPC, LIMIT, grp_error.member);
	EXPECT(text_has_number(grp_error.text, n));
	fault_in(6);
	REQUIRE_EQ(grp_disable(fd), 0);

	s.rows = to_u64(&row);
	s.nr_rows = 1;
	s.row_size = sizeof(row);
	s.values = to_u64(values);
	s.nr_values = n;
	s.value_size = sizeof(*values);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &s), 0);
	EXPECT_EQ(s.nr_values, n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(values[i].id, many[i].id);
		expect_counted(&values[i], 5 + 6);
	}
}

/* ---- G7, G8: adding -------------------------------------------------------------------------- */

TEST(add_restarts, "G7: adding restarts all members from zero, counts and times")
{
	struct perfgrp_value before, after;
	__u64 then;
	int fd, id, new;

	settle_memory();
	fd = faults_group(&id);
	fault_in(100);
	spin(1000000);
	before = grp_value(fd, id);
	EXPECT_EQ(before.raw, 100);
	then = now_ns();
	new = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(new, id);
	after = grp_value(fd, id);
	EXPECT_EQ(after.raw, 0);
	EXPECT_LE(after.time_enabled, now_ns() - then);
	fault_in(7);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_counted(snap_value(&snap, -1, id), 7);
	expect_counted(snap_value(&snap, -1, new), 7);
}

TEST(add_to_disabled, "G7: adding to a disabled group clears it and leaves it disabled")
{
	struct perfgrp_value v;
	int fd, id, new;

	settle_memory();
	fd = faults_group(&id);
	fault_in(100);
	REQUIRE_EQ(grp_disable(fd), 0);
	new = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(new, 0);
	fault_in(3);
	v = grp_value(fd, id);
	expect_never_ran(&v);
	v = grp_value(fd, new);
	expect_never_ran(&v);
}

TEST(failed_add, "G8: a failed add leaves members, counts, times and the counting as they were")
{
	static const __u64 bad = PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 4711);
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_SW_DUMMY }, { .event = PERFGRP_SW_TASK_CLOCK },
		{ .event = bad },
	};
	struct perfgrp_value v, last = { 0 };
	int fd, id, second, i;

	settle_memory();
	fd = faults_group(&id);
	second = grp_add(fd, PERFGRP_SW_DUMMY);
	REQUIRE_GT(second, id);
	for (i = 1; i <= 10; i++) {
		fault_in(10);
		EXPECT(grp_add_counters(fd, c, 3) < 0);
		EXPECT_EQ(grp_error.member, 2);
		EXPECT_EQ(c[0].id, 0);
		v = grp_value(fd, id);
		EXPECT_EQ(v.raw, 10 * i);
		EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
		EXPECT_GE(v.time_enabled, last.time_enabled);
		last = v;
		EXPECT_EQ(grp_last.hdr.nr_values, 2);
		EXPECT_EQ(grp_last.value[1].id, second);
	}
}

TEST(failed_add_in_time, "G8: a failed add does not stop the clock of the group")
{
	int outer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, -1, -1);
	int inner = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, -1, -1);
	struct perfgrp_value v;
	int fd = grp_on_task(0, 0), id, i;

	REQUIRE(fd >= 0 && outer >= 0 && inner >= 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	peer_enable(outer);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(inner);
	for (i = 0; i < 5; i++)
		EXPECT(grp_add(fd, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 4711)) < 0);
	peer_disable(inner);
	REQUIRE_EQ(grp_disable(fd), 0);
	peer_disable(outer);
	v = grp_value(fd, id);
	EXPECT_GE(v.time_enabled, peer_read(inner).enabled);
	EXPECT_LE(v.time_enabled, peer_read(outer).enabled);
	EXPECT_EQ(v.time_running, v.time_enabled);
}

TEST(failed_first_add, "G8: a group whose first add failed is as new")
{
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), id;

	settle_memory();
	REQUIRE_GE(fd, 0);
	EXPECT(grp_add(fd, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 4711)) < 0);
	EXPECT_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(4);
	EXPECT_EQ(grp_raw(fd, id), 4);
}

/* ---- G9: enable, disable, reset ------------------------------------------ */

TEST(idempotent, "G9: enable, disable and reset twice are as once")
{
	struct perfgrp_value v;
	int fd, id;

	settle_memory();
	fd = faults_group(&id);
	EXPECT_EQ(grp_enable(fd), 0);
	fault_in(10);
	EXPECT_EQ(grp_enable(fd), 0);
	fault_in(1);
	EXPECT_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_disable(fd), 0);
	fault_in(100);
	v = grp_value(fd, id);
	expect_counted(&v, 11);
	EXPECT_EQ(grp_reset(fd), 0);
	EXPECT_EQ(grp_reset(fd), 0);
	v = grp_value(fd, id);
	expect_never_ran(&v);
	EXPECT_EQ(grp_enable(fd), 0);
	fault_in(2);
	EXPECT_EQ(grp_raw(fd, id), 2);
}

TEST(disabled_is_still, "G9: after disable nothing moves: counts, times, state")
{
	struct perfgrp_value v, again;
	int fd, id, i;

	settle_memory();
	fd = faults_group(&id);
	fault_in(10);
	REQUIRE_EQ(grp_disable(fd), 0);
	v = grp_value(fd, id);
	expect_counted(&v, 10);
	for (i = 0; i < 20; i++) {
		fault_in(5);
		nap_ns(100000);
		again = grp_value(fd, id);
		expect_same_value(&v, &again);
	}
}

TEST(enabled_in_parts, "G9: counts and times add up over enable and disable")
{
	struct perfgrp_value v, last = { 0 };
	int fd, id, i;

	settle_memory();
	fd = faults_group(&id);
	for (i = 1; i <= 10; i++) {
		fault_in(10);
		REQUIRE_EQ(grp_disable(fd), 0);
		fault_in(3);
		v = grp_value(fd, id);
		expect_counted(&v, 10 * i);
		EXPECT_GE(v.time_enabled, last.time_enabled);
		last = v;
		REQUIRE_EQ(grp_enable(fd), 0);
	}
}

/* perf's clock and ours differ by up to a tick where the TSC is not stable. */
#define CLOCK_SLACK	10000000

TEST(reset_running, "G9: reset of a running group lets it run, from zero")
{
	struct perfgrp_value v;
	__u64 then;
	int fd, id;

	settle_memory();
	fd = faults_group(&id);
	fault_in(10);
	then = now_ns();
	while (now_ns() - then < 50000000)
		;
	then = now_ns();
	REQUIRE_EQ(grp_reset(fd), 0);
	v = grp_value(fd, id);
	EXPECT_EQ(v.raw, 0);
	EXPECT_LE(v.time_enabled, now_ns() - then + CLOCK_SLACK);
	fault_in(4);
	REQUIRE_EQ(grp_disable(fd), 0);
	v = grp_value(fd, id);
	expect_counted(&v, 4);
	EXPECT_LE(v.time_enabled, now_ns() - then + CLOCK_SLACK);
}

TEST(reset_all_cpus, "G9: reset of a disabled group on all CPUs is zero in every row")
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED), id[2];
	__u32 i;

	REQUIRE_GE(fd, 0);
	id[0] = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	id[1] = grp_add(fd, PERFGRP_SW_CPU_CLOCK);
	REQUIRE(id[0] > 0 && id[1] > 0);
	fault_in(10);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < snap.hdr.nr_values; i++)
		expect_never_ran(&snap.value[i]);
}

TEST(empty_group, "G9: a group without members is enabled, disabled, reset, read, and stays so")
{
	int fd = grp_on_all_cpus(0), id;
	struct cpus cpus;
	__u32 i;

	settle_memory();
	cpus_online(&cpus);
	REQUIRE_GE(fd, 0);
	EXPECT_EQ(grp_enable(fd), 0);
	EXPECT_EQ(grp_reset(fd), 0);
	EXPECT_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 0);
	EXPECT_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 0);
	EXPECT_EQ(snap.hdr.nr_rows, cpus.nr);
	for (i = 0; i < snap.hdr.nr_rows; i++)
		EXPECT_EQ(snap.row[i].nr_values, 0);

	/* Enabled before there was anything to enable. */
	EXPECT_EQ(grp_enable(fd), 0);
	run_on(cpus.cpu[0]);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(6);
	EXPECT_GE(grp_value_on(fd, cpus.cpu[0], id).raw, 6);
}

/* ---- G11, G12: removing -------------------------------------------------- */

/* Five page-faults members; all but the leader can be told apart by their id. */
static int five_members(struct perfgrp_counter c[5])
{
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0), i;

	REQUIRE_GE(fd, 0);
	for (i = 0; i < 5; i++)
		c[i] = (struct perfgrp_counter){ .event = PERFGRP_SW_PAGE_FAULTS };
	REQUIRE_EQ(grp_add_counters(fd, c, 5), 0);
	return fd;
}

TEST(remove_member, "G11: a member is removed; the others keep their counts and go on")
{
	struct perfgrp_counter c[5];
	static const int order[] = { 2, 4, 1, 3 };
	__u64 enabled = 0;
	size_t i, j;
	int fd;

	settle_memory();
	fd = five_members(c);
	fault_in(100);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		REQUIRE_EQ(grp_remove(fd, c[order[i]].id, 0), 0);
		fault_in(10);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_EQ(snap.hdr.nr_values, 4 - i);
		EXPECT_EQ(snap.value[0].id, c[0].id);
		EXPECT_GE(snap.value[0].time_enabled, enabled);
		enabled = snap.value[0].time_enabled;
		for (j = 0; j < snap.hdr.nr_values; j++) {
			expect_counted(&snap.value[j], 100 + 10 * (i + 1));
			EXPECT_NE(snap.value[j].id, c[order[i]].id);
		}
	}
	/* The leader, alone, can go. */
	EXPECT_EQ(grp_remove(fd, c[0].id, 0), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 0);
}

TEST(stale_ids, "G11: an id is never used again, and a stale one is ENOENT")
{
	int fd = grp_on_task(0, 0), highest = 0, id, i;

	REQUIRE_GE(fd, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_DUMMY), 0);
	for (i = 0; i < 20; i++) {
		id = grp_add(fd, PERFGRP_SW_DUMMY);
		REQUIRE_GT(id, highest);
		highest = id;
		REQUIRE_EQ(grp_remove(fd, id, 0), 0);
		EXPECT_REFUSED_MEMBER(grp_remove(fd, id, 0), ENOENT, MEMBER, id);
		EXPECT_REFUSED_MEMBER(grp_remove(fd, id, PERFGRP_REMOVE_CASCADE), ENOENT, MEMBER,
				      id);
	}
	/* Not even after all have gone. */
	REQUIRE_EQ(grp_query(fd, &members), 0);
	REQUIRE_EQ(grp_remove(fd, members.counter[0].id, PERFGRP_REMOVE_CASCADE), 0);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_DUMMY), highest);
}

TEST(leader_stays, "G12: removing the leader with members is EBUSY and changes nothing")
{
	struct perfgrp_counter c[5];
	int fd, i;

	settle_memory();
	fd = five_members(c);
	fault_in(8);
	EXPECT_REFUSED_MEMBER(grp_remove(fd, c[0].id, 0), EBUSY, LEADER, c[0].id);
	fault_in(9);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 5);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(snap.value[i].id, c[i].id);
		expect_counted(&snap.value[i], 17);
	}
}

TEST(cascade, "G12: with CASCADE all go, and the next one added leads")
{
	struct perfgrp_counter c[5];
	int fd, id, i;

	settle_memory();
	fd = five_members(c);
	REQUIRE_EQ(grp_remove(fd, c[0].id, PERFGRP_REMOVE_CASCADE), 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 0);
	EXPECT_EQ(members.hdr.enabled, 1);
	for (i = 0; i < 5; i++)
		EXPECT_REFUSED_MEMBER(grp_remove(fd, c[i].id, 0), ENOENT, MEMBER, c[i].id);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, c[4].id);
	fault_in(12);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_values, 1);
	expect_counted(&snap.value[0], 12);
	EXPECT_EQ(snap.value[0].sched_group, snap.value[0].id);
}

TEST(cascade_of_member, "G12: CASCADE on a member that does not lead removes that one")
{
	struct perfgrp_counter c[5];
	int fd;

	settle_memory();
	fd = five_members(c);
	EXPECT_EQ(grp_remove(fd, c[2].id, PERFGRP_REMOVE_CASCADE), 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 4);
}

/* ---- G13: the fd --------------------------------------------------------- */

static long module_refs(void)
{
	return read_number(MODULE "/refcnt");
}

TEST(fd_flags, "G13: a group's fd is close-on-exec, and the next free one")
{
	int next = dup(0), fd;

	close(next);
	fd = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	/* The device was open in between. */
	EXPECT_EQ(fd, next + 1);
}

TEST(last_close, "G13: the last close releases the group, and no close before it")
{
	long refs = module_refs();
	int fd, copy, id;

	settle_memory();
	fd = faults_group(&id);
	EXPECT_GT(module_refs(), refs);
	copy = dup(fd);
	REQUIRE_GE(copy, 0);
	close(fd);
	EXPECT_GT(module_refs(), refs);
	fault_in(13);
	EXPECT_EQ(grp_raw(copy, id), 13);
	close(copy);
	EXPECT_EQ(module_refs(), refs);
}

TEST(close_with_device, "G13: a group outlives the device's fd that made it")
{
	int dev = grp_device(), fd, id;

	settle_memory();
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, 0, NULL, 0);
	REQUIRE_GE(fd, 0);
	close(dev);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(3);
	EXPECT_EQ(grp_raw(fd, id), 3);
}

TEST(open_and_close, "G13: 200 groups opened and closed leave nothing")
{
	long refs = module_refs();
	unsigned int i;
	int fd;

	for (i = 0; i < rounds(200); i++) {
		fd = i & 1 ? grp_on_all_cpus(PERFGRP_CREATE_ENABLED) : grp_on_task(0, 0);
		REQUIRE_GE(fd, 0);
		if (i % 10 == 0)
			REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
		close(fd);
	}
	EXPECT_EQ(module_refs(), refs);
}

TEST(ids_after_fork, "G8: ADD writes ids to memory that is still shared with the parent")
{
	struct perfgrp_counter *c;
	int fd = grp_on_task(0, 0), status;
	pid_t pid;

	REQUIRE_GE(fd, 0);
	/* One on each page. */
	c = (void *)(fresh_pages(2) + sysconf(_SC_PAGESIZE) - sizeof(*c));
	fill_counters(c, 2, PERFGRP_SW_DUMMY);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0)
		_exit(grp_add_counters(fd, c, 2) || !c[0].id || c[1].id <= c[0].id);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
}

TEST(across_fork, "G13: after fork both have the group; it lives until both have closed it")
{
	long refs = module_refs();
	int fd, id, status;
	pid_t pid;

	settle_memory();
	fd = faults_group(&id);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		/* The target is still the parent. */
		EXPECT_EQ(grp_query(fd, &members), 0);
		EXPECT_EQ(members.hdr.pid, getppid());
		EXPECT_EQ(grp_disable(fd), 0);
		EXPECT_EQ(grp_reset(fd), 0);
		_exit(0);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
	fault_in(5);
	EXPECT_EQ(grp_raw(fd, id), 0);
	EXPECT_EQ(grp_enable(fd), 0);
	settle_memory();
	EXPECT_EQ(grp_reset(fd), 0);
	fault_in(5);
	EXPECT_EQ(grp_raw(fd, id), 5);
	close(fd);
	EXPECT_EQ(module_refs(), refs);
}

/* Sends FD (or, with RECEIVE, takes one) over SOCK. */
static int pass_fd(int sock, int fd, bool receive)
{
	char byte = 0;
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg;

	if (receive) {
		REQUIRE(recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) == 1);
		cmsg = CMSG_FIRSTHDR(&msg);
		REQUIRE(cmsg && cmsg->cmsg_type == SCM_RIGHTS);
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
		return fd;
	}
	cmsg = CMSG_FIRSTHDR(&msg);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	REQUIRE(sendmsg(sock, &msg, 0) == 1);
	return fd;
}

TEST(passed_fd, "G13: a group's fd can be passed, and is whole where it arrives")
{
	int sock[2], fd, id = 0, got;
	long refs = module_refs();
	char byte;
	pid_t pid;

	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		/* Makes a group on itself, gives it away and closes it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		settle_memory();
		fd = faults_group(&id);
		pass_fd(sock[1], fd, false);
		close(fd);
		fault_in(21);
		REQUIRE(write(sock[1], &id, sizeof(id)) == sizeof(id));
		REQUIRE(read(sock[1], &byte, 1) == 1);
		_exit(0);
	}
	got = pass_fd(sock[0], -1, true);
	REQUIRE(read(sock[0], &id, sizeof(id)) == sizeof(id));
	EXPECT_EQ(grp_raw(got, id), 21);
	EXPECT_EQ(grp_query(got, &members), 0);
	EXPECT_EQ(members.hdr.pid, pid);
	EXPECT_GT(grp_add(got, PERFGRP_SW_DUMMY), 0);
	REQUIRE(write(sock[0], "", 1) == 1);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	EXPECT_GT(module_refs(), refs);
	close(got);
	EXPECT_EQ(module_refs(), refs);
}

/* ---- G18: exit ----------------------------------------------------------- */

TEST(exited_task, "G18: a task that exits leaves final counts, and its row says so")
{
	struct child child = child_start();
	int fd, id, peer;
	struct perfgrp_value last;

	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	peer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, child.pid, -1, -1);
	REQUIRE_GE(peer, 0);
	peer_enable(peer);
	child_do(&child, ORDER_FAULT, 77);
	EXPECT_EQ(grp_value(fd, id).state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(grp_last.row[0].flags, 0);

	child_exit(&child);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_EQ(snap.row[0].flags, PERFGRP_ROW_EXITED);
	last = *snap_value(&snap, -1, id);
	expect_plausible(&last);
	EXPECT_EQ(last.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(last.flags & VALUE_FATE, PERFGRP_VALUE_EXITED);
	EXPECT_EQ(last.raw, 77);
	EXPECT_EQ(last.raw, peer_read(peer).value);
	EXPECT_EQ(last.time_enabled, last.time_running);

	/* Gone for good: the same, and no trouble. */
	child_reap(&child);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap2), 0);
	EXPECT_EQ(snap2.row[0].flags, PERFGRP_ROW_EXITED);
	expect_same_value(&last, snap_value(&snap2, -1, id));
	EXPECT_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.pid, 0);
	EXPECT_EQ(members.hdr.nr_counters, 1);
}

TEST(after_exit, "G18: the group of a task that exited takes no members, and all else is harmless")
{
	struct child child = child_start();
	struct perfgrp_value v;
	int fd, id, second;

	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	second = grp_add(fd, PERFGRP_SW_DUMMY);
	REQUIRE(id > 0 && second > 0);
	child_do(&child, ORDER_FAULT, 5);
	child_exit(&child);
	EXPECT_REFUSED(grp_on_task(0, child.pid), ESRCH, PID);
	EXPECT(strstr(grp_error.text, "exited"));
	child_reap(&child);
	EXPECT_EQ(grp_add(fd, PERFGRP_SW_DUMMY), -ESRCH);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PID);
	EXPECT(error_is_sane(&grp_error, ESRCH));
	EXPECT_EQ(grp_raw(fd, id), 5);
	EXPECT_EQ(grp_enable(fd), 0);
	EXPECT_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), 5);
	EXPECT_EQ(grp_remove(fd, second, 0), 0);
	EXPECT_EQ(grp_raw(fd, id), 5);
	EXPECT_EQ(grp_reset(fd), 0);
	v = grp_value(fd, id);
	EXPECT_EQ(v.raw, 0);
	EXPECT_EQ(v.time_enabled, 0);
	EXPECT_EQ(grp_remove(fd, id, 0), 0);
	close(fd);
}

TEST(exited_never_ran, "S2 G18: of a task that exits before the group was enabled nothing ever ran")
{
	static const __u32 flags[] = { 0, PERFGRP_SNAPSHOT_TOTALS };
	struct child child = child_start();
	int fd = grp_on_task(0, child.pid), id;
	size_t i;

	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	child_do(&child, ORDER_FAULT, 5);
	EXPECT_EQ(grp_value(fd, id).state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(grp_value(fd, id).flags & VALUE_FATE, 0);
	child_exit(&child);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		REQUIRE_EQ(grp_snapshot(fd, flags[i], &snap), 0);
		EXPECT_EQ(snap.value[0].id, id);
		EXPECT_EQ(snap.value[0].state, PERFGRP_STATE_NEVER_RAN);
		EXPECT_EQ(snap.value[0].flags & VALUE_FATE, PERFGRP_VALUE_EXITED);
		expect_plausible(&snap.value[0]);
		EXPECT(snap.row[0].flags & PERFGRP_ROW_EXITED);
	}
	child_reap(&child);
}

TEST(exit_under_snapshots,
     "G18 S10: a task's exit under snapshots: running, then exited, never back")
{
	unsigned int round;

	for (round = 0; round < rounds(20); round++) {
		struct child child = child_start();
		int fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid), id;
		bool exited = false;
		__u64 raw = 0;

		REQUIRE_GE(fd, 0);
		id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
		REQUIRE_GT(id, 0);
		child_tell(&child, ORDER_FAULT, 100);
		child_tell(&child, ORDER_EXIT, 0);
		while (!exited) {
			REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
			exited = snap.row[0].flags & PERFGRP_ROW_EXITED;
			EXPECT_GE(snap.value[0].raw, raw);
			raw = snap.value[0].raw;
			EXPECT_EQ(exited, !!(snap.value[0].flags & PERFGRP_VALUE_EXITED));
			sched_yield();
		}
		EXPECT_EQ(raw, 100);
		child_reap(&child);
		EXPECT_EQ(grp_raw(fd, id), 100);
		close(fd);
	}
}

/* ---- G16, G17 ------------------------------------------------------------ */

TEST(inherit, "G16: with inherit a task's later children are counted, also once they exited")
{
	int fd, id, plain, plain_id, status, i;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	settle_memory();
	fd = grp_on_task(PERFGRP_CREATE_INHERIT, 0);
	plain = grp_on_task(0, 0);
	REQUIRE(fd >= 0 && plain >= 0);
	/* In user mode, in code that faults nothing else: the children's own pages. */
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	plain_id = grp_add(plain, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE(id > 0 && plain_id > 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	REQUIRE_EQ(grp_enable(plain), 0);
	for (i = 0; i < 3; i++) {
		pid = fork();
		REQUIRE(pid >= 0);
		if (pid == 0) {
			fault_in(1000);
			_exit(0);
		}
		REQUIRE(waitpid(pid, &status, 0) == pid);
		EXPECT_EQ(status, 0);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_disable(plain), 0);
	EXPECT_GE(grp_raw(fd, id), grp_raw(plain, plain_id) + 3000);
}

TEST(enable_on_exec, "G17: enable_on_exec starts the group at the exec and not before")
{
	int go[2], fd, id, status;
	pid_t pid;
	char byte;

	NEED_FEATURE(INHERIT);
	REQUIRE(pipe2(go, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE(read(go[0], &byte, 1) == 1);
		fault_in(5000);
		execl("/tests/work", "work", "1", "100", (char *)NULL);
		_exit(127);
	}
	fd = grp_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	EXPECT_EQ(grp_value(fd, id).state, PERFGRP_STATE_NEVER_RAN);
	REQUIRE(write(go[1], "", 1) == 1);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE_EQ(status, 0);
	EXPECT_GE(grp_raw(fd, id), 100);
	EXPECT_LT(grp_raw(fd, id), 5000);
}

/* The task forks children that wait for the end of the pipe GATE, and then fault in their pages. */
#define CHILD_PAGES 1000

static void fork_children(int go, int gate[2], int report)
{
	pid_t pid[64];
	unsigned int nr = 0;
	char byte;

	REQUIRE(read(go, &byte, 1) == 1);
	while (nr < ARRAY_SIZE(pid)) {
		pid[nr] = fork();
		if (pid[nr] == 0) {
			close(gate[1]);
			REQUIRE(read(gate[0], &byte, 1) == 0);
			fault_in(CHILD_PAGES);
			_exit(0);
		}
		REQUIRE(pid[nr++] > 0);
	}
	close(gate[1]);
	while (nr--)
		REQUIRE(waitpid(pid[nr], NULL, 0) == pid[nr]);
	REQUIRE(write(report, "", 1) == 1);
	pause();
}

TEST_LIMIT(inherit_all_or_none, 100,
	   "G16: a child that is forked while members are added is counted by all or none")
{
	struct perfgrp_counter c[32];
	unsigned int round, i, partly = 0;
	int go[2], gate[2], report[2], fd;
	__u64 raw[32], begin = now_ns();
	pid_t pid;
	char byte;

	NEED_FEATURE(INHERIT);
	settle_memory();
	/* Less often on a machine that has other work. */
	for (round = 0; round < rounds(10); round++) {
		if (now_ns() - begin > 20000000000)
			break;
		REQUIRE(pipe2(go, O_CLOEXEC) == 0 && pipe2(gate, O_CLOEXEC) == 0 &&
			pipe2(report, O_CLOEXEC) == 0);
		pid = fork();
		REQUIRE(pid >= 0);
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			fork_children(go[0], gate, report[1]);
		}
		close(gate[1]);
		fd = grp_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, pid);
		REQUIRE_GE(fd, 0);
		fill_counters(c, 32, PERFGRP_SW_PAGE_FAULTS);
		REQUIRE(write(go[1], "", 1) == 1);
		nap_ns(round % 10 * 1000000);
		REQUIRE_EQ(grp_add_counters(fd, c, 32), 0);
		REQUIRE(read(report[0], &byte, 1) == 1);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		for (i = 0; i < 32; i++)
			raw[i] = snap_value(&snap, -1, c[i].id)->raw;
		/* The task's own faults while the members started one by one are much fewer. */
		for (i = 1; i < 32; i++)
			partly += raw[i] > raw[0] + CHILD_PAGES / 2 ||
				  raw[0] > raw[i] + CHILD_PAGES / 2;
		kill(pid, SIGKILL);
		REQUIRE(waitpid(pid, NULL, 0) == pid);
		close(fd);
		close(go[0]);
		close(go[1]);
		close(gate[0]);
		close(report[0]);
		close(report[1]);
	}
	EXPECT_EQ(partly, 0);
	EXPECT_GT(round, 0);
	diag("%u rounds", round);
}

TEST(inherit_paused, "G16 G9: an inherited group stands still while it is disabled, however often")
{
	struct child child;
	int fd, id;

	NEED_FEATURE(INHERIT);
	child = child_start();
	fd = grp_on_task(PERFGRP_CREATE_INHERIT, child.pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	child_do(&child, ORDER_FAULT, 7);
	EXPECT_EQ(grp_raw(fd, id), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do(&child, ORDER_FAULT, 11);
	EXPECT_EQ(grp_raw(fd, id), 11);
	REQUIRE_EQ(grp_enable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), 11);
	child_do(&child, ORDER_FAULT, 5);
	REQUIRE_EQ(grp_disable(fd), 0);
	child_do(&child, ORDER_FAULT, 100);
	EXPECT_EQ(grp_raw(fd, id), 16);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), 16);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do(&child, ORDER_FAULT, 3);
	EXPECT_EQ(grp_raw(fd, id), 19);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), 19);
	EXPECT_EQ(grp_value(fd, id).time_enabled, grp_value(fd, id).time_running);
	/* Reset by a snapshot while it stands still. */
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	EXPECT_EQ(snap_value(&snap, -1, id)->raw, 19);
	EXPECT_EQ(grp_raw(fd, id), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do(&child, ORDER_FAULT, 2);
	EXPECT_EQ(grp_raw(fd, id), 2);
	child_exit(&child);
}

TEST(inherit_paused_running,
     "G16 G9: an inherited group that is disabled has all that its busy children have counted")
{
	const __u64 ran = 20000000;
	struct perfgrp_value v;
	struct child child;
	struct cpus cpus;
	int fd, id, i;
	__u64 time;

	NEED_FEATURE(INHERIT);
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	run_on(cpus.cpu[0]);
	fd = grp_on_task(PERFGRP_CREATE_INHERIT, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_TASK_CLOCK);
	REQUIRE_GT(id, 0);
	child = child_start();
	child_do(&child, ORDER_RUN_ON, cpus.cpu[1]);
	child_tell(&child, ORDER_BURN, 600000000);
	for (i = 0; i < 5; i++) {
		REQUIRE_EQ(grp_enable(fd), 0);
		time = task_time_ns(child.pid);
		REQUIRE(BECOMES_TRUE(task_time_ns(child.pid) >= time + ran, 5000));
		REQUIRE_EQ(grp_disable(fd), 0);
	}
	v = grp_value(fd, id);
	EXPECT_GE(v.time_running, 5 * ran / 2);
	/* Without a read the times are right, but the count is as of the last switch. */
	EXPECT_GE(v.raw, v.time_running / 4 * 3);
	kill(child.pid, SIGKILL);
}

TEST(inherit_one_call, "G16: an inherited group takes all its members in one call")
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS }, { .event = PERFGRP_SW_DUMMY },
	};
	int fd;

	NEED_FEATURE(INHERIT);
	settle_memory();
	fd = grp_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	fault_in(11);
	EXPECT_EQ(grp_add(fd, PERFGRP_SW_DUMMY), -EOPNOTSUPP);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_FEATURE);
	EXPECT(error_is_sane(&grp_error, EOPNOTSUPP));
	EXPECT_EQ(grp_raw(fd, c[0].id), 11);
	REQUIRE_EQ(grp_remove(fd, c[0].id, PERFGRP_REMOVE_CASCADE), 0);
	c[0].id = 0;
	c[1].id = 0;
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	fault_in(5);
	EXPECT_EQ(grp_raw(fd, c[0].id), 5);
}

TEST(inherit_final, "G16 G18 G22: an inherited group has exited when the last child has")
{
	int born[2], go[2], fd, id, status;
	struct perfgrp_value v;
	char byte, want[64];
	pid_t pid;

	NEED_FEATURE(INHERIT);
	REQUIRE(pipe2(born, O_CLOEXEC) == 0);
	REQUIRE(pipe2(go, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		/* Has a child that outlives it. */
		close(go[1]);
		REQUIRE(read(go[0], &byte, 1) == 1);
		if (fork() == 0) {
			settle_memory();
			REQUIRE(write(born[1], "", 1) == 1);
			REQUIRE(read(go[0], &byte, 1) == 1);
			fault_in(300);
			_exit(0);
		}
		_exit(0);
	}
	close(born[1]);
	fd = grp_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	REQUIRE(write(go[1], "", 1) == 1);
	REQUIRE(read(born[0], &byte, 1) == 1);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	v = grp_value(fd, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(grp_last.row[0].flags, 0);
	snprintf(want, sizeof(want), "\nmember:\t%d page-faults counted leader\n", id);
	expect_in_fdinfo(fd, want);
	REQUIRE(write(go[1], "", 1) == 1);
	/* The end of the pipe is the end of the child, almost. */
	EXPECT_EQ(read(born[0], &byte, 1), 0);
	do {
		nap_ns(1000000);
	} while (!(grp_value(fd, id).flags & PERFGRP_VALUE_EXITED));
	EXPECT_GE(grp_raw(fd, id), v.raw + 300);
	EXPECT_EQ(grp_last.row[0].flags, PERFGRP_ROW_EXITED);
	snprintf(want, sizeof(want), "\nmember:\t%d page-faults counted exited leader\n", id);
	expect_in_fdinfo(fd, want);
}

static __u32 is_enabled(int fd)
{
	REQUIRE_EQ(grp_query(fd, &members), 0);
	return members.hdr.enabled;
}

/* A child that execs cat, which waits for its input to end; its output is not shown. */
static pid_t start_cat(int *go, int *in)
{
	int go_pipe[2], in_pipe[2], null;
	pid_t pid;
	char byte;

	REQUIRE(pipe2(go_pipe, O_CLOEXEC) == 0);
	REQUIRE(pipe2(in_pipe, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE(dup2(in_pipe[0], 0) == 0);
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		REQUIRE(dup2(null, 1) == 1);
		REQUIRE(read(go_pipe[0], &byte, 1) == 1);
		execl("/bin/cat", "cat", (char *)NULL);
		_exit(127);
	}
	*go = go_pipe[1];
	*in = in_pipe[1];
	return pid;
}

/* Have cat run until its page faults are a count: see await_clock(). */
static void run_cat(int fd, int id, int in)
{
	while (!grp_raw(fd, id)) {
		REQUIRE(write(in, "", 1) == 1);
		nap_ns(1000000);
	}
}

static void end_cat(pid_t pid, int in)
{
	int status;

	close(in);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
}

static void expect_enabled_by_exec(__u32 flags)
{
	int fd, id, go, in;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_cat(&go, &in);
	fd = grp_on_task(flags | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	EXPECT_EQ(is_enabled(fd), 0);
	REQUIRE(write(go, "", 1) == 1);
	while (!is_enabled(fd))
		nap_ns(1000000);
	run_cat(fd, id, in);
	/* And that is as good as ENABLE. */
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(is_enabled(fd), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	EXPECT_EQ(is_enabled(fd), 1);
	end_cat(pid, in);
	close(fd);
}

TEST(enabled_by_exec, "G17: the exec enables the group, and QUERY says when")
{
	expect_enabled_by_exec(0);
	expect_enabled_by_exec(PERFGRP_CREATE_INHERIT);
}

static void expect_exec_overruled(__u32 flags, bool enable)
{
	int fd, id, go, in;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_cat(&go, &in);
	fd = grp_on_task(flags | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	REQUIRE_EQ(enable ? grp_enable(fd) : grp_disable(fd), 0);
	EXPECT_EQ(is_enabled(fd), enable);
	REQUIRE(write(go, "", 1) == 1);
	if (enable)
		run_cat(fd, id, in);
	end_cat(pid, in);
	EXPECT_EQ(is_enabled(fd), enable);
	EXPECT_EQ(grp_raw(fd, id) > 0, enable);
	close(fd);
}

TEST(exec_overruled, "G17 G9: what is asked before the exec stands after it")
{
	expect_exec_overruled(0, false);
	expect_exec_overruled(0, true);
	expect_exec_overruled(PERFGRP_CREATE_INHERIT, false);
	expect_exec_overruled(PERFGRP_CREATE_INHERIT, true);
}

/* Has a child fault 200 pages in after an exec of its own, and then says so. */
static pid_t start_parent(int *go, int *done)
{
	int there[2], back[2], status;
	char byte;
	pid_t pid;

	REQUIRE(pipe(there) == 0 && pipe(back) == 0);
	*go = there[1];
	*done = back[0];
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(there[0], &byte, 1) != 1)
		_exit(1);
	pid = fork();
	if (!pid) {
		execl("/tests/work", "work", "1", "200", (char *)NULL);
		_exit(1);
	}
	if (waitpid(pid, &status, 0) != pid || status || write(back[1], "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void expect_child_counted(bool enable)
{
	int fd, id, go, done;
	__u64 value;
	char byte;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_parent(&go, &done);
	fd = grp_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	REQUIRE(write(go, "", 1) == 1);
	REQUIRE(read(done, &byte, 1) == 1);
	value = grp_raw(fd, id);
	EXPECT_GE(value, 200);
	REQUIRE_EQ(enable ? grp_enable(fd) : grp_disable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), value);
	REQUIRE_EQ(enable ? grp_disable(fd) : grp_enable(fd), 0);
	EXPECT_EQ(grp_raw(fd, id), value);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

TEST(child_execs_first, "G17 G16 G9: what a child has counted since its exec stays")
{
	expect_child_counted(false);
	expect_child_counted(true);
}

/*
 * A shell that waits for a line on its input, forks, and has both loop. It is not a shell
 * before it is told to exec.
 */
static pid_t start_shell(int *go, int *in)
{
	int go_pipe[2], in_pipe[2];
	pid_t pid;
	char byte;

	REQUIRE(pipe2(go_pipe, O_CLOEXEC) == 0);
	REQUIRE(pipe2(in_pipe, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE(dup2(in_pipe[0], 0) == 0);
		REQUIRE(read(go_pipe[0], &byte, 1) == 1);
		execl("/bin/sh", "sh", "-c",
		      "read x; i=0; (while [ $i -lt 2000 ]; do i=$((i+1)); done); "
		      "while [ $i -lt 2000 ]; do i=$((i+1)); done", (char *)NULL);
		_exit(127);
	}
	*go = go_pipe[1];
	*in = in_pipe[1];
	return pid;
}

static void let_exec(pid_t pid, int go)
{
	char path[64], name[32];

	REQUIRE(write(go, "", 1) == 1);
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	REQUIRE(BECOMES_TRUE(read_file(path, name, sizeof(name)) == 2 && !strcmp(name, "sh"),
			     10000));
}

static void let_shell_run(pid_t pid, int in)
{
	REQUIRE(write(in, "go\n", 3) == 3);
	close(in);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

static void expect_enabled_without_members(__u32 flags)
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS }, { .event = PERFGRP_SW_TASK_CLOCK },
	};
	int fd, go, in, i;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_shell(&go, &in);
	fd = grp_on_task(flags | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	EXPECT_EQ(is_enabled(fd), 0);
	let_exec(pid, go);
	EXPECT(BECOMES_TRUE(is_enabled(fd), 10000));
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	EXPECT_EQ(is_enabled(fd), 1);
	let_shell_run(pid, in);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(snap.value[i].state, PERFGRP_STATE_COUNTED);
		EXPECT_GT(snap.value[i].raw, 0);
	}
	close(fd);
}

TEST(exec_before_members,
     "G24: an exec before the first ADD enables the group; members count at once")
{
	expect_enabled_without_members(0);
}

TEST(exec_before_members_inherit, "G24 G16: the same for an inherited group")
{
	expect_enabled_without_members(PERFGRP_CREATE_INHERIT);
}

static void expect_cancelled_without_members(__u32 flags)
{
	int fd, id, go, in;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_shell(&go, &in);
	fd = grp_on_task(flags | PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	let_exec(pid, go);
	EXPECT_EQ(is_enabled(fd), 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	let_shell_run(pid, in);
	EXPECT_EQ(is_enabled(fd), 0);
	EXPECT_EQ(grp_value(fd, id).state, PERFGRP_STATE_NEVER_RAN);
	close(fd);
}

TEST(exec_cancelled_before_members,
     "G24 G9: DISABLE before the exec cancels it, also without members")
{
	expect_cancelled_without_members(0);
	expect_cancelled_without_members(PERFGRP_CREATE_INHERIT);
}

TEST(exec_between_adds, "G24: an exec between two ADDs enables members of both")
{
	int fd, id[2], go, in, i;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_shell(&go, &in);
	fd = grp_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	id[0] = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id[0], 0);
	EXPECT_EQ(grp_value(fd, id[0]).state, PERFGRP_STATE_NEVER_RAN);
	let_exec(pid, go);
	EXPECT(BECOMES_TRUE(is_enabled(fd), 10000));
	EXPECT(BECOMES_TRUE(grp_raw(fd, id[0]) > 0, 10000));
	/* Software members start one after the other; both see all faults from then on. */
	wait_until_asleep(pid);
	id[1] = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id[1], 0);
	EXPECT_EQ(is_enabled(fd), 1);
	let_shell_run(pid, in);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(snap_value(&snap, -1, id[i])->state, PERFGRP_STATE_COUNTED);
		EXPECT_GT(snap_value(&snap, -1, id[i])->raw, 0);
	}
	/* The second ADD restarted the first member. */
	EXPECT_EQ(snap.value[0].raw, snap.value[1].raw);
	close(fd);
}

/* Enables and disables a group until STOP, which takes the mutex of its task's perf context. */
struct toggler {
	pthread_t thread;
	int fd;
	volatile bool stop;
};

static void *toggle_until_stop(void *arg)
{
	struct toggler *toggler = arg;

	while (!toggler->stop)
		if (grp_enable(toggler->fd) || grp_disable(toggler->fd))
			return toggler;
	return NULL;
}

static void start_toggler(struct toggler *toggler, pid_t pid)
{
	toggler->stop = false;
	toggler->fd = grp_on_task(0, pid);
	REQUIRE_GE(toggler->fd, 0);
	REQUIRE_GT(grp_add(toggler->fd, PERFGRP_SW_DUMMY), 0);
	REQUIRE_EQ(pthread_create(&toggler->thread, NULL, toggle_until_stop, toggler), 0);
}

static void stop_toggler(struct toggler *toggler)
{
	void *failed;

	toggler->stop = true;
	REQUIRE_EQ(pthread_join(toggler->thread, &failed), 0);
	REQUIRE(!failed);
	close(toggler->fd);
}

/*
 * The task execs while counters are added. Others use its perf context, which makes ADD slow.
 * Returns how many of the counters have counted.
 */
static unsigned int exec_while_adding(unsigned int nr)
{
	struct perfgrp_counter c[32];
	struct toggler toggler[2];
	unsigned int i, counted = 0;
	int fd, go, in;
	pid_t pid;

	pid = start_cat(&go, &in);
	fd = grp_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	for (i = 0; i < nr; i++)
		c[i] = (struct perfgrp_counter){ .event = PERFGRP_SW_TASK_CLOCK };
	for (i = 0; i < ARRAY_SIZE(toggler); i++)
		start_toggler(&toggler[i], pid);
	REQUIRE(write(go, "", 1) == 1);
	REQUIRE_EQ(grp_add_counters(fd, c, nr), 0);
	EXPECT(BECOMES_TRUE(is_enabled(fd), 10000));
	for (i = 0; i < ARRAY_SIZE(toggler); i++)
		stop_toggler(&toggler[i]);
	close(go);
	end_cat(pid, in);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < nr; i++)
		counted += snap.value[i].state == PERFGRP_STATE_COUNTED;
	close(fd);
	return counted;
}

TEST_LIMIT(exec_during_add, 100, "G24 G17: an exec during ADD enables all members")
{
	unsigned int round;

	NEED_FEATURE(INHERIT);
	for (round = 0; round < rounds(10); round++)
		EXPECT_EQ(exec_while_adding(32), 32);
}

TEST(enabled_before_exec_and_members, "G24 G9: ENABLE before the exec enables at once")
{
	int fd, id, go, in;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	pid = start_shell(&go, &in);
	fd = grp_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, pid);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	EXPECT_EQ(is_enabled(fd), 1);
	let_exec(pid, go);
	EXPECT_EQ(is_enabled(fd), 1);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	let_shell_run(pid, in);
	EXPECT_GT(grp_raw(fd, id), 0);
	close(fd);
}

TEST(probe_pmus, "E5 E7: probes that are named by a pointer are refused, with the way that works")
{
	static const char *const name[] = { "kprobe", "uprobe" };
	struct perfgrp_counter counter;
	char path[80];
	size_t i;
	long type;
	int fd;

	fd = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(name); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name[i]);
		if (access(path, F_OK))
			skip("this kernel has no PMU %s", name[i]);
		type = read_number(path);
		counter = (struct perfgrp_counter){
			.flags = PERFGRP_COUNTER_RAW,
			.type = type,
			.config1 = to_u64(i ? "/tests/work" : "vfs_read"),
			.config2 = i ? 0x40 : 0,
		};
		EXPECT_REFUSED_MEMBER(grp_add_counters(fd, &counter, 1), EOPNOTSUPP, EVENT, 0);
		EXPECT(strstr(grp_error.text, "tracefs"));
	}
}

/* ---- G21, G22 ------------------------------------------------------------ */

TEST(neighbours, "G21: groups on one task do not see or disturb one another")
{
	int a, b, c, ida, idb, idc;

	settle_memory();
	a = faults_group(&ida);
	fault_in(1);
	b = faults_group(&idb);
	fault_in(10);
	c = faults_group(&idc);
	fault_in(100);
	REQUIRE_EQ(grp_disable(b), 0);
	fault_in(1000);
	REQUIRE_EQ(grp_reset(c), 0);
	fault_in(3);
	EXPECT_GT(grp_add(b, PERFGRP_SW_PAGE_FAULTS), 0);
	EXPECT_EQ(grp_raw(a, ida), 1114);
	EXPECT_EQ(grp_raw(c, idc), 3);
	close(a);
	fault_in(4);
	EXPECT_EQ(grp_raw(c, idc), 7);
	EXPECT_EQ(grp_raw(b, idb), 0);
}

TEST(neighbours_on_cpus, "G21: a group on all CPUs is not disturbed by others that come and go")
{
	int fd, id, other, i;
	struct cpus cpus;

	settle_memory();
	cpus_online(&cpus);
	run_on(cpus.cpu[0]);
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	for (i = 0; i < 5; i++) {
		other = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
		REQUIRE_GE(other, 0);
		REQUIRE_GT(grp_add(other, PERFGRP_SW_PAGE_FAULTS), 0);
		fault_in(50);
		REQUIRE_EQ(grp_reset(other), 0);
		close(other);
	}
	EXPECT_GE(grp_value_on(fd, cpus.cpu[0], id).raw, 250);
}

TEST(fdinfo, "G22: fdinfo shows target, members with their ids and states")
{
	static char text[8192], path[64], want[5][64];
	int fd, id, second;
	size_t i;

	fd = faults_group(&id);
	REQUIRE_EQ(grp_remove(fd, id, 0), 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	second = grp_add(fd, PERFGRP_SW_DUMMY);
	REQUIRE(id > 0 && second > 0);
	/* Where the clock stands still for a tick it has not run yet. */
	burn_us(20000);
	snprintf(want[0], sizeof(want[0]), "\ntarget:\ttask %d\n", getpid());
	snprintf(want[1], sizeof(want[1]), "\nenabled:\t1\n");
	snprintf(want[2], sizeof(want[2]), "\nmembers:\t2\n");
	snprintf(want[3], sizeof(want[3]), "\nmember:\t%d page-faults counted leader\n", id);
	snprintf(want[4], sizeof(want[4]), "\nmember:\t%d dummy counted\n", second);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE(read_file(path, text, sizeof(text) - 1) > 0);
	strcat(text, "\n");
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		if (!strstr(text, want[i]))
			fail("no '%s' in the fdinfo:\n%s", strtok(want[i], "\n"), text);
	}
}

TEST(fdinfo_targets, "G22: fdinfo shows which CPUs, or which one of a task")
{
	struct cpus cpus;
	char want[64];

	cpus_online(&cpus);
	expect_in_fdinfo(grp_create(0, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0), "target:\tall cpus\n");
	snprintf(want, sizeof(want), "target:\tcpus %u,%u\n", cpus.cpu[0], cpus.cpu[1]);
	expect_in_fdinfo(grp_create(0, PERFGRP_TARGET_CPUS, 0, cpus.cpu, 2), want);
	snprintf(want, sizeof(want), "target:\ttask %d cpu %u\n", getpid(), cpus.cpu[1]);
	expect_in_fdinfo(grp_create(0, PERFGRP_TARGET_TASK, 0, &cpus.cpu[1], 1), want);
}

TEST(fdinfo_flags, "G22: fdinfo has the flags that the group was created with")
{
	const __u32 flags = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT;
	char want[64];

	snprintf(want, sizeof(want), "\ncreate_flags:\t%#x\n", flags);
	expect_in_fdinfo(grp_on_task(flags, 0), want);
	expect_in_fdinfo(grp_on_task(0, 0), "\ncreate_flags:\t0x0\n");
}

TEST(fdinfo_id, "G22: fdinfo tells by a number which file descriptors are of one group")
{
	int id, fd, other;
	unsigned long long nr;

	fd = faults_group(&id);
	other = grp_on_all_cpus(0);
	nr = fdinfo_number(fd, "\nid:\t");
	EXPECT_GT(nr, 0);
	EXPECT_EQ(fdinfo_number(dup(fd), "\nid:\t"), nr);
	EXPECT_EQ(fdinfo_number(grp_open_reader(fd, 0), "\nid:\t"), nr);
	EXPECT_GT(fdinfo_number(other, "\nid:\t"), nr);
	nr = fdinfo_number(other, "\nid:\t");
	close(other);
	EXPECT_GT(fdinfo_number(grp_on_all_cpus(0), "\nid:\t"), nr);
}

TEST(fdinfo_times, "G22: fdinfo has each member's PMU and times, and the size of the buffers")
{
	struct perfgrp_create create = { .target = PERFGRP_TARGET_TASK, .buffer_size = 65536 };
	struct perfgrp_value value;
	char want[128];
	int id, fd;

	fd = faults_group(&id);
	burn_us(20000);
	REQUIRE_EQ(grp_disable(fd), 0);
	value = grp_value(fd, id);
	EXPECT_GT(value.time_enabled, 0);
	snprintf(want, sizeof(want), "\ntimes:\tmember %d pmu %d enabled %llu running %llu", id,
		 PERF_TYPE_SOFTWARE, (unsigned long long)value.time_enabled,
		 (unsigned long long)value.time_running);
	expect_in_fdinfo(fd, want);
	/* A ring for the task, one of two pages for BPF programs, and a page before each. */
	EXPECT_EQ(fdinfo_number(grp_create_like(create), "\nbuffers:\t"),
		  65536 + 4 * sysconf(_SC_PAGESIZE));
}

TEST(fdinfo_inherited, "G22 G16: in fdinfo an inherited member's state is of all its tasks")
{
	unsigned long long enabled, running;
	struct perfgrp_value value;
	struct child child;
	struct cpus cpus;
	char want[64];
	int fd, id;

	NEED_FEATURE(INHERIT);
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("%u CPUs", cpus.nr);
	fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT, 0, cpus.cpu[0]);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	run_on(cpus.cpu[0]);
	fault_in(5);
	/* A child that was never there. */
	run_on(cpus.cpu[1]);
	child = child_start();
	child_do(&child, ORDER_FAULT, 5);
	snprintf(want, sizeof(want), "\nmember:\t%d page-faults counted leader", id);
	expect_in_fdinfo(fd, want);
	value = grp_value_on(fd, cpus.cpu[0], id);
	EXPECT_GT(value.time_running, 0);
	enabled = fdinfo_number(fd, "pmu 1 enabled ");
	snprintf(want, sizeof(want), "enabled %llu running ", enabled);
	running = fdinfo_number(fd, want);
	EXPECT_GE(running, value.time_running);
	child_exit(&child);
}

TEST(fdinfo_exec, "G22 G17: fdinfo says that an exec has enabled the group, and what children had")
{
	const __u32 flags = PERFGRP_CREATE_ENABLE_ON_EXEC | PERFGRP_CREATE_INHERIT;
	char path[64], text[4096], *times;
	unsigned long long enabled, running;
	int go, fd, status;
	pid_t pid;

	NEED_FEATURE(INHERIT);
	/* The shell waits while its child does the work. */
	pid = shell_when_told("/tests/work 20000000; exit 0", &go);
	fd = grp_on_task(flags, pid);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_TASK_CLOCK), 0);
	expect_in_fdinfo(fd, "\nenabled:\t0\n");
	REQUIRE(write(go, "", 1) == 1);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE_EQ(status, 0);
	/* Nobody but fdinfo has looked at the group since. */
	expect_in_fdinfo(fd, "\nenabled:\t1\n");
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	times = strstr(text, "\ntimes:\t");
	REQUIRE(times);
	times = strstr(times, " enabled ");
	REQUIRE(times && sscanf(times, " enabled %llu running %llu", &enabled, &running) == 2);
	EXPECT_EQ(enabled, grp_value(fd, 1).time_enabled);
	EXPECT_EQ(running, grp_value(fd, 1).time_running);
}

/* Interrupts that asked CPUs to call a function, all CPUs together; -1 if they are not known. */
static long long nr_function_calls(void)
{
	FILE *f = fopen("/proc/interrupts", "re");
	long long sum = -1;
	char line[1024], *p, *end;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "Function call interrupts"))
			continue;
		sum = 0;
		for (p = strchr(line, ':') + 1;; p = end) {
			long long n = strtoll(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* Function calls while a file is read 50 times: the best of up to 20 tries, as others call, too. */
static long long calls_of_reading(const char *path, char *text, size_t size)
{
	long long before, calls, least = 1000000;
	int i, n;

	for (i = 0; i < 20 && least >= 50; i++) {
		before = nr_function_calls();
		for (n = 0; n < 50; n++)
			REQUIRE(read_file(path, text, size) > 0);
		calls = nr_function_calls() - before;
		least = calls < least ? calls : least;
	}
	return least;
}

/*
 * Function calls of 200 snapshots. The task that they are of may have to wait for its CPU, which
 * is then not asked: a debug kernel scans its memory for leaks meanwhile. So the most of 20 tries.
 */
static long long calls_of_snapshots(int fd)
{
	long long before, calls, most = 0;
	int i, n;

	for (i = 0; i < 20 && most < 100; i++) {
		before = nr_function_calls();
		for (n = 0; n < 200; n++)
			REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
		calls = nr_function_calls() - before;
		most = calls > most ? calls : most;
	}
	return most;
}

TEST(fdinfo_asks_nobody, "G22: fdinfo interrupts no CPU, whatever the group counts")
{
	struct child child = child_start();
	char text[4096], path[64];
	struct cpus cpus;
	int fd[3], i;

	if (nr_function_calls() < 0)
		skip("/proc/interrupts does not show function calls");
	cpus_online(&cpus);
	run_on(cpus.cpu[0]);
	child_do(&child, ORDER_RUN_ON, cpus.cpu[1]);
	fd[0] = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	fd[1] = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	fd[2] = grp_on_task(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT, child.pid);
	for (i = 0; i < 3; i++) {
		REQUIRE_GE(fd[i], 0);
		REQUIRE_GT(grp_add(fd[i], PERFGRP_SW_CPU_CLOCK), 0);
	}
	/* On its CPU until it is killed; each of them takes seconds. */
	for (i = 0; i < 100; i++)
		child_tell(&child, ORDER_SPIN, ~0U);
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd[i]);
		REQUIRE(BECOMES_TRUE(!grp_snapshot(fd[i], PERFGRP_SNAPSHOT_TOTALS, &grp_last) &&
				     grp_last.value[0].time_running, 5000));
		EXPECT_LT(calls_of_reading(path, text, sizeof(text)), 50);
		EXPECT(strstr(text, " cpu-clock counted leader"));
		/* Which snapshots do. */
		EXPECT_GE(calls_of_snapshots(fd[i]), 100);
	}
	kill(child.pid, SIGKILL);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
