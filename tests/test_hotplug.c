// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go off and on line under a group that counts. The members are
 * software counters with static keys, which deadlock a module that creates or
 * releases them in a hotplug callback; each test has a time limit.
 */
#include "caps.h"
#include "stream.h"

#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define CPU 1

static struct grp_snap snap;

static void need_hotplug(void)
{
	NEED_FEATURE(HOTPLUG);
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		skip("CPU 1 cannot be taken down");
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	run_on(0);
}

/* NR page faults on CPU by a child; CPU is online. */
static void fault_on(int cpu, unsigned int nr)
{
	struct child child = child_start();

	child_do(&child, ORDER_RUN_ON, cpu);
	child_do(&child, ORDER_FAULT, nr);
	child_exit(&child);
	child_reap(&child);
}

static bool row_is(int fd, int cpu, bool offline, __u32 epoch)
{
	const struct perfgrp_row *row;

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	row = snap_row(&snap, cpu);
	return row && !!(row->flags & PERFGRP_ROW_OFFLINE) == offline && row->epoch == epoch;
}

static unsigned int samples_on(__u32 cpu)
{
	unsigned int i, nr = 0;

	for (i = 0; i < records.nr_samples; i++)
		nr += records.sample[i]->cpu == cpu;
	return nr;
}

static void cpu_down(void)
{
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
}

static void cpu_up(void)
{
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
}

static int faults_on_all(int *id)
{
	int fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);

	REQUIRE_GE(fd, 0);
	*id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(*id, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES), 0);
	return fd;
}

TEST(down, "G19: the row of a CPU that is off line says so and keeps what it counted")
{
	struct perfgrp_value before, after;
	int id, fd;

	need_hotplug();
	fd = faults_on_all(&id);
	fault_on(CPU, 100);
	before = grp_value_on(fd, CPU, id);
	EXPECT_GE(before.raw, 100);

	cpu_down();
	EXPECT(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	after = *snap_value(&snap, CPU, id);
	EXPECT_EQ(after.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(after.flags & VALUE_FATE, PERFGRP_VALUE_OFFLINE);
	EXPECT_GE(after.raw, before.raw);
	EXPECT_GE(after.time_enabled, before.time_enabled);

	before = after;
	EXPECT(row_is(fd, CPU, true, 0));
	after = *snap_value(&snap, CPU, id);
	EXPECT_EQ(after.raw, before.raw);
	EXPECT_EQ(after.time_enabled, before.time_enabled);
	cpu_up();
}

TEST(up, "G19: a CPU that is back counts again, in a new epoch, on top of what it had")
{
	struct perfgrp_value off, on;
	uint64_t gap;
	int id, fd;

	need_hotplug();
	fd = faults_on_all(&id);
	fault_on(CPU, 100);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	off = *snap_value(&snap, CPU, id);
	gap = now_ns();
	nap_ns(200000000);
	gap = now_ns() - gap;
	cpu_up();
	EXPECT(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	fault_on(CPU, 100);
	on = grp_value_on(fd, CPU, id);
	EXPECT_EQ(on.state, PERFGRP_STATE_COUNTED);
	EXPECT_GE(on.raw, off.raw + 100);
	expect_plausible(&on);

	/* All that was enabled since is from after the gap; other CPUs had no gap. */
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	on = *snap_value(&snap, CPU, id);
	EXPECT_GE(snap_value(&snap, 0, id)->time_enabled, on.time_enabled + gap);
}

TEST(probe_software, "A13 G19: a CPU that is back arms no probe for members that share no PMU")
{
	int id, fd;

	NEED_FEATURE(SCHED_GROUP);
	need_hotplug();
	fd = faults_on_all(&id);
	REQUIRE(BECOMES_TRUE(!probe_is_armed(), 10000));
	cpu_down();
	cpu_up();
	/* It would stay armed for a second. */
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	EXPECT(!probe_is_armed());
}

TEST(totals, "G19 S11: what a CPU counted before it went is in the totals, in one row")
{
	__u64 before;
	int id, fd;

	need_hotplug();
	fd = faults_on_all(&id);
	fault_on(CPU, 1000);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	before = snap_value(&snap, -1, id)->raw;
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_GE(snap_value(&snap, -1, id)->raw, before);
	cpu_up();
	EXPECT(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_GE(snap_value(&snap, -1, id)->raw, before);
}

TEST(never_enabled, "S2 G19: of an offline CPU whose group was never enabled nothing ever ran")
{
	struct perfgrp_value v;
	int fd, id;

	need_hotplug();
	fd = grp_on_all_cpus(0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	v = *snap_value(&snap, CPU, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(v.flags & VALUE_FATE, PERFGRP_VALUE_OFFLINE);
	expect_plausible(&v);
	v = *snap_value(&snap, 0, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(v.flags & VALUE_FATE, 0);
	cpu_up();
}

static struct perfgrp_value total(int fd, __u32 id)
{
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	return *snap_value(&snap, -1, id);
}

TEST(total_flags, "S11 S2 G19: totals are OFFLINE if all CPUs are, and PARTIAL if one has no value")
{
	static const __u32 two[] = { 0, CPU };
	struct perfgrp_value v;
	int all, one, late, id[3];

	need_hotplug();
	all = faults_on_all(&id[0]);
	one = grp_on_cpu(PERFGRP_CREATE_ENABLED, CPU);
	REQUIRE_GE(one, 0);
	id[1] = grp_add(one, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id[1], 0);
	late = grp_create(0, PERFGRP_TARGET_CPUS, 0, two, 2);
	REQUIRE_GE(late, 0);
	id[2] = grp_add(late, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id[2], 0);
	fault_on(CPU, 10);
	EXPECT_EQ(total(all, id[0]).flags & (VALUE_FATE | PERFGRP_VALUE_PARTIAL), 0);
	EXPECT_EQ(total(one, id[1]).flags & (VALUE_FATE | PERFGRP_VALUE_PARTIAL), 0);
	EXPECT_EQ(snap.row[0].flags, PERFGRP_ROW_TOTAL);

	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(all, CPU, true, 0) && row_is(one, CPU, true, 0) &&
			     row_is(late, CPU, true, 0), 10000));
	/* What it counted before is a value. */
	v = total(all, id[0]);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v.flags & (VALUE_FATE | PERFGRP_VALUE_PARTIAL), 0);
	EXPECT_EQ(snap.row[0].flags, PERFGRP_ROW_TOTAL);
	v = total(one, id[1]);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v.flags & (VALUE_FATE | PERFGRP_VALUE_PARTIAL), PERFGRP_VALUE_OFFLINE);
	EXPECT_EQ(snap.row[0].flags, PERFGRP_ROW_TOTAL | PERFGRP_ROW_OFFLINE);
	EXPECT_GE(v.raw, 10);

	/* Enabled after the CPU went: it has none. */
	REQUIRE_EQ(grp_enable(late), 0);
	fault_on(0, 10);
	v = total(late, id[2]);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v.flags & (VALUE_FATE | PERFGRP_VALUE_PARTIAL), PERFGRP_VALUE_PARTIAL);
	EXPECT_GE(v.raw, 10);
	cpu_up();
}

TEST(added_meanwhile, "S11 G19: a first CPU that has had no counter yet is in the total, too")
{
	static const __u32 two[] = { CPU, CPU + 1 };
	struct perfgrp_value v;
	int fd, id;

	need_hotplug();
	if (sysconf(_SC_NPROCESSORS_ONLN) < 3)
		skip("there is no third CPU");
	fd = grp_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_CPUS, 0, two, 2);
	REQUIRE_GE(fd, 0);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_on(CPU + 1, 10);
	v = total(fd, id);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_EQ(snap.row[0].nr_cpus, 2);
	EXPECT_GE(v.raw, 10);
	EXPECT_EQ(v.pmu, PERF_TYPE_SOFTWARE);
	cpu_up();
}

TEST(disabled, "G19 G9: a disabled group stays disabled on a CPU that comes back")
{
	struct perfgrp_value v;
	int id, fd;

	need_hotplug();
	fd = faults_on_all(&id);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_reset(fd), 0);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	cpu_up();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	fault_on(CPU, 100);
	v = grp_value_on(fd, CPU, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(v.raw, 0);

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_on(CPU, 100);
	EXPECT_GE(grp_value_on(fd, CPU, id).raw, 100);
}

TEST(new_period, "O9 G19: a new period stays in force on a CPU that comes back")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 << 20 };
	struct perfgrp_period period = { .size = sizeof(period), .sample_period = 10 };
	int fd;

	need_hotplug();
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	period.id = c.id;
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SET_PERIOD, &period), 0);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	cpu_up();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_drain(fd);
	fault_on(CPU, 200);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GE(samples_on(CPU), 20);
}

static volatile unsigned int watched;

/* Writes to WATCHED, NR times, on CPU, which is online. */
static void write_on(int cpu, unsigned int nr)
{
	run_on(cpu);
	while (nr--)
		watched = nr;
	run_on(0);
}

static __u32 records_of(int fd)
{
	stream_start(&records);
	stream_drain(fd);
	return records.nr_samples;
}

TEST(filter_goes_on, "O11 G19: on a CPU that comes back the filter goes on where it was")
{
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.config1 = to_u64(&watched),
		.config2 = HW_BREAKPOINT_LEN_4,
		.sample_period = 1,
		.min_delta = 100,
	};
	int fd;

	need_hotplug();
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, &c, 1))
		skip("no breakpoints: %s", grp_error.text);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	write_on(CPU, 100);
	EXPECT_EQ(records_of(fd), 1);
	write_on(CPU, 60);
	EXPECT_EQ(records_of(fd), 0);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	cpu_up();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	write_on(CPU, 39);
	EXPECT_EQ(records_of(fd), 0);
	write_on(CPU, 1);
	EXPECT_EQ(records_of(fd), 1);
	EXPECT_EQ(sample_values(records.sample[0])[0].value, 200);
}

/* How many buffers of 64 KiB the user could have yet, of the little that is free for each CPU. */
static int buffers_left(void)
{
	const struct perfgrp_create create = {
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = 65536,
	};
	const struct rlimit none = {};
	int nr, status;
	pid_t pid;

	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		REQUIRE(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
		keep_caps(1ULL << CAP_PERFMON);
		for (nr = 0; nr < 100 && grp_create_like(create) >= 0; nr++)
			;
		_exit(nr);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A ring is charged to the user, and so no longer when the group is closed and it is not mapped. */
static void expect_charged(int fd, void *ring, size_t mapped, int left)
{
	EXPECT_LT(buffers_left(), left);
	munmap(ring, mapped);
	close(fd);
	EXPECT_EQ(buffers_left(), left);
}

TEST(new_ring, "G19 O1 O13 A6: a CPU that was not online when the group was created gets its ring")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 10 };
	size_t size = 65536, page = sysconf(_SC_PAGESIZE), at = CPU * (page + size);
	struct perfgrp_reader reader = { .size = sizeof(reader), .flags = PERFGRP_READER_RECORDS };
	struct pollfd wait = { .events = POLLIN };
	int fd, left;
	void *ring;

	need_hotplug();
	left = buffers_left();
	EXPECT_GT(left, 0);
	cpu_down();
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, size);
	REQUIRE_GE(fd, 0);
	wait.fd = fd;
	EXPECT_EQ(poll(&wait, 1, 0), 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_OPEN_READER, &reader), 0);
	EXPECT(mmap(NULL, page + size, PROT_READ, MAP_SHARED, reader.fd, at) == MAP_FAILED);
	EXPECT_EQ(errno, ENXIO);
	cpu_up();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 0), 10000));
	ring = mmap(NULL, page + size, PROT_READ, MAP_SHARED, reader.fd, at);
	EXPECT(ring != MAP_FAILED);
	fault_on(CPU, 200);
	REQUIRE_EQ(grp_disable(fd), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_GE(samples_on(CPU), 20);
	EXPECT_EQ(records.lost, 0);
	close(reader.fd);
	expect_charged(fd, ring, page + size, left);
}

TEST(no_ring, "G19 O7 O13: poll of a mapped stream in which a CPU has no ring yet")
{
	size_t size = 65536, page = sysconf(_SC_PAGESIZE);
	struct pollfd wait = { .events = POLLIN };
	void *ring;

	need_hotplug();
	cpu_down();
	wait.fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, size);
	REQUIRE_GE(wait.fd, 0);
	ring = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, wait.fd, 0);
	REQUIRE(ring != MAP_FAILED);
	EXPECT_EQ(poll(&wait, 1, 0), 0);
	munmap(ring, page + size);
	cpu_up();
}

TEST(new_ring_inherited,
     "G19 G13 O6 A6: so does an INHERIT group, whose task moves there when the CPU is online")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1,
				     .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	size_t size = 65536, page = sysconf(_SC_PAGESIZE), at = CPU * (page + size);
	struct perfgrp_reader reader = { .size = sizeof(reader), .flags = PERFGRP_READER_RECORDS };
	struct child child;
	int fd, left;
	void *ring;

	NEED_FEATURE(INHERIT);
	need_hotplug();
	left = buffers_left();
	child = child_start();
	cpu_down();
	fd = stream_create(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT, PERFGRP_TARGET_TASK,
			   child.pid, size);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_OPEN_READER, &reader), 0);
	EXPECT(mmap(NULL, page + size, PROT_READ, MAP_SHARED, reader.fd, at) == MAP_FAILED);
	cpu_up();
	REQUIRE(BECOMES_TRUE((ring = mmap(NULL, page + size, PROT_READ, MAP_SHARED, reader.fd,
					  at)) != MAP_FAILED, 10000));
	child_do(&child, ORDER_RUN_ON, CPU);
	child_do(&child, ORDER_FAULT, 20);
	/* The ring stays. */
	cpu_down();
	cpu_up();
	REQUIRE_EQ(grp_disable(fd), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_GE(samples_on(CPU), 20);
	EXPECT_EQ(records.lost, 0);
	close(reader.fd);
	expect_charged(fd, ring, page + size, left);
}

TEST(lower_rate,
     "G19 O2: a frequency stays on a CPU that comes back, though the limit is lower by now")
{
	static const char limit[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	static const char percent[] = "/proc/sys/kernel/perf_cpu_time_max_percent";
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_freq = 1000,
				     .flags = PERFGRP_COUNTER_FREQ };
	struct perfgrp_value v;
	char before[32], percent_before[32];
	int fd, there;

	need_hotplug();
	snprintf(before, sizeof(before), "%ld", read_number(limit));
	snprintf(percent_before, sizeof(percent_before), "%ld", read_number(percent));
	/* With 0 or 100 the limit cannot be set. The kernel may have lowered it by itself. */
	REQUIRE_EQ(write_file(percent, "25"), 0);
	REQUIRE_EQ(write_file(limit, "100000"), 0);
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	REQUIRE_EQ(write_file(limit, "100"), 0);
	cpu_up();
	there = BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000);
	REQUIRE_EQ(write_file(limit, before), 0);
	REQUIRE_EQ(write_file(percent, percent_before), 0);
	REQUIRE(there);
	fault_on(CPU, 20);
	v = grp_value_on(fd, CPU, c.id);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v.flags & PERFGRP_VALUE_FAILED, 0);
	EXPECT_GE(v.raw, 20);
}

TEST(named, "G19 G20 G22: a group on one named CPU survives its going; a new one is refused")
{
	struct refusal no = refusal(ENODEV, PERFGRP_REASON_CPU_OFFLINE);
	char path[64], text[4096];
	struct perfgrp_value v;
	int id, fd;

	need_hotplug();
	fd = grp_on_cpu(PERFGRP_CREATE_ENABLED, CPU);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_on(CPU, 50);
	cpu_down();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	EXPECT_GE(snap_value(&snap, CPU, id)->raw, 50);
	EXPECT_REFUSED_CPU(grp_on_cpu(0, CPU), ENODEV, CPU_OFFLINE, CPU);
	EXPECT_REFUSED_CPU(grp_on_task_cpu(0, 0, CPU), ENODEV, CPU_OFFLINE, CPU);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	EXPECT(strstr(text, " page-faults counted offline leader\n"));

	/* Of a group whose only CPU is off line all can be asked, but what is to be tried there. */
	no.member = 0;
	no.cpu = CPU;
	EXPECT_REFUSED_AS(grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES), no);
	EXPECT_GE(snap_value(&snap, CPU, id)->raw, 50);
	EXPECT_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_reset(fd), 0);
	EXPECT_EQ(grp_enable(fd), 0);
	cpu_up();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	fault_on(CPU, 50);
	v = grp_value_on(fd, CPU, id);
	EXPECT_GE(v.raw, 50);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES), 0);
}

TEST(late, "G19 G9: a group made while a CPU is off line counts it from zero once it is there")
{
	struct perfgrp_value v;
	int id, fd;

	need_hotplug();
	cpu_down();
	fd = faults_on_all(&id);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT(!snap_row(&snap, CPU));
	/* What another CPU is reset by is more than this one is going to count. */
	fault_in(5000);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	EXPECT_GE(snap_value(&snap, 0, id)->raw, 5000);
	cpu_up();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 0), 10000));
	fault_on(CPU, 100);
	v = grp_value_on(fd, CPU, id);
	EXPECT_GE(v.raw, 100);
	expect_plausible(&v);
	EXPECT_EQ(v.pmu, PERF_TYPE_SOFTWARE);
}

/* Page faults by a child on CPU 0 and on CPU, and by a task that is counted wherever it runs. */
static void fault_everywhere(struct child *task, unsigned int nr)
{
	fault_on(0, nr);
	fault_on(CPU, nr);
	child_do(task, ORDER_FAULT, nr);
}

TEST_LIMIT(suspended, 60, "G30 G19: counts and times go on after the machine was suspended")
{
	struct child child = child_start();
	struct perfgrp_value before[2], after[2], of_task;
	int id, task_id, fd, task_fd, peer;
	struct peer_value outer, inner;
	__u64 inner_time, time;
	bool offline;

	need_hotplug();
	fd = faults_on_all(&id);
	task_fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	REQUIRE_GE(task_fd, 0);
	task_id = grp_add_with(task_fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL);
	REQUIRE_GT(task_id, 0);
	peer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1, 0, -1);
	REQUIRE_GE(peer, 0);
	peer_enable(peer);
	fault_everywhere(&child, 100);
	outer = peer_read(peer);
	before[0] = grp_value_on(fd, 0, id);
	before[1] = grp_value_on(fd, CPU, id);
	inner = peer_read(peer);

	offline = suspend_machine();
	EXPECT(BECOMES_TRUE(row_is(fd, CPU, false, offline), 10000));
	EXPECT(row_is(fd, 0, false, 0));
	inner_time = peer_read(peer).enabled - inner.enabled;
	after[0] = grp_value_on(fd, 0, id);
	after[1] = grp_value_on(fd, CPU, id);
	time = peer_read(peer).enabled - outer.enabled;
	EXPECT_GE(after[0].raw, before[0].raw);
	EXPECT_GE(after[1].raw, before[1].raw);
	/* The first CPU's counters never stop: their time is that of perf's. */
	EXPECT_GE(after[0].time_enabled - before[0].time_enabled, inner_time);
	EXPECT_LE(after[0].time_enabled - before[0].time_enabled, time);
	EXPECT_GE(after[1].time_enabled, before[1].time_enabled);
	EXPECT_LE(after[1].time_enabled - before[1].time_enabled, time);

	before[0] = after[0];
	before[1] = after[1];
	fault_everywhere(&child, 100);
	after[0] = grp_value_on(fd, 0, id);
	after[1] = grp_value_on(fd, CPU, id);
	EXPECT_GE(after[0].raw, before[0].raw + 100);
	EXPECT_GE(after[1].raw, before[1].raw + 100);
	EXPECT_EQ(after[0].state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(after[1].state, PERFGRP_STATE_COUNTED);
	expect_plausible(&after[0]);
	expect_plausible(&after[1]);
	of_task = grp_value(task_fd, task_id);
	EXPECT_EQ(of_task.raw, 200);
	EXPECT_EQ(of_task.flags & VALUE_FATE, 0);
	EXPECT_EQ(of_task.state, PERFGRP_STATE_COUNTED);
}

/* Samples of a CPU, before and after TIME. */
static void count_samples(int cpu, __u64 time, unsigned int nr[2])
{
	unsigned int i;

	nr[0] = 0;
	nr[1] = 0;
	for (i = 0; i < records.nr_samples; i++)
		if (records.sample[i]->cpu == (__u32)cpu)
			nr[records.sample[i]->time >= time]++;
}

TEST_LIMIT(suspended_stream, 60, "G30 O1 O6: records of before a suspension are kept, more follow")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 10,
				     .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	unsigned int nr[2];
	bool offline;
	__u64 time;
	int fd;

	need_hotplug();
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fault_on(0, 200);
	fault_on(CPU, 200);
	time = now_ns();
	offline = suspend_machine();
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, offline), 10000));
	fault_on(0, 200);
	fault_on(CPU, 200);
	stream_start(&records);
	stream_drain(fd);
	count_samples(0, time, nr);
	EXPECT_GE(nr[0], 20);
	EXPECT_GE(nr[1], 20);
	count_samples(CPU, time, nr);
	EXPECT_GE(nr[0], 20);
	EXPECT_GE(nr[1], 20);
	EXPECT_EQ(records.lost, 0);
}

TEST_LIMIT(flips, 100, "G19: quick flips lose nothing that a row said it would count")
{
	const struct perfgrp_row *row;
	unsigned int i, nr = rounds(10), expected = 0;
	int id, fd;

	need_hotplug();
	fd = faults_on_all(&id);
	for (i = 0; i < nr; i++) {
		/* Every other time without waiting for the group to have followed. */
		if (i % 2)
			EXPECT(BECOMES_TRUE(grp_snapshot(fd, 0, &snap) == 0 &&
					    !(snap_row(&snap, CPU)->flags & PERFGRP_ROW_OFFLINE),
					    10000));
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		row = snap_row(&snap, CPU);
		REQUIRE(row);
		EXPECT_LE(row->epoch, i);
		if (!(row->flags & PERFGRP_ROW_OFFLINE))
			expected += 100;
		fault_on(CPU, 100);
		EXPECT_GE(grp_value_on(fd, CPU, id).raw, expected);
		cpu_down();
		EXPECT_GE(grp_value_on(fd, CPU, id).raw, expected);
		cpu_up();
	}
	EXPECT_GE(expected, nr / 2 * 100);
	EXPECT_GE(grp_value_on(fd, CPU, id).raw, expected);
}

static volatile bool stop;

static void *snapshots(void *arg)
{
	static __thread struct grp_snap s, last;
	int fd = *(int *)arg;
	__u32 i;

	last.hdr.nr_rows = 0;
	while (!stop) {
		EXPECT_EQ(grp_snapshot(fd, 0, &s), 0);
		for (i = 0; i < last.hdr.nr_rows; i++) {
			const struct perfgrp_row *row = snap_row(&s, last.row[i].cpu);

			if (!row) {
				fail("the row of CPU %d is gone", last.row[i].cpu);
				continue;
			}
			EXPECT_GE(row->epoch, last.row[i].epoch);
			EXPECT_GE(s.value[row->first_value].raw,
				  last.value[last.row[i].first_value].raw);
		}
		last = s;
	}
	return NULL;
}

static void *changes(void *arg)
{
	int id, fd;

	(void)arg;
	while (!stop) {
		fd = faults_on_all(&id);
		EXPECT_EQ(grp_disable(fd), 0);
		EXPECT_EQ(grp_enable(fd), 0);
		id = grp_add(fd, PERFGRP_SW_CPU_MIGRATIONS);
		EXPECT_GT(id, 0);
		EXPECT_EQ(grp_remove(fd, id, 0), 0);
		close(fd);
	}
	return NULL;
}

TEST_LIMIT(storm, 110, "S9 S10 G19: CPUs come and go under snapshots, additions and closings")
{
	unsigned int i, nr = rounds(5);
	pthread_t threads[3];
	int id, fd;

	need_hotplug();
	fd = faults_on_all(&id);
	REQUIRE_EQ(pthread_create(&threads[0], NULL, snapshots, &fd), 0);
	REQUIRE_EQ(pthread_create(&threads[1], NULL, snapshots, &fd), 0);
	REQUIRE_EQ(pthread_create(&threads[2], NULL, changes, NULL), 0);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(cpu_set_online(CPU, false), 0);
		EXPECT_EQ(cpu_set_online(2, false), 0);
		EXPECT_EQ(cpu_set_online(CPU, true), 0);
		EXPECT_EQ(cpu_set_online(2, true), 0);
	}
	stop = true;
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	EXPECT(BECOMES_TRUE(grp_snapshot(fd, 0, &snap) == 0 && snap_row(&snap, CPU) &&
			    !(snap_row(&snap, CPU)->flags & PERFGRP_ROW_OFFLINE), 10000));
	fault_on(CPU, 10);
	EXPECT_GE(grp_value_on(fd, CPU, id).raw, 10);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
