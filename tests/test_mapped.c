// SPDX-License-Identifier: GPL-2.0
/*
 * Rows that are mapped (PERFGRP_CREATE_MAPPED): where they stand, who writes them and when, that no
 * reader sees a torn one, and snapshots that take them (PERFGRP_SNAPSHOT_CACHED).
 */
#include "caps.h"
#include "cgroup.h"
#include "pmu.h"
#include "stream.h"
#include "../userspace/lib/perfgrp.h"

#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define CPU		1	/* that goes off line */
#define MS		1000000ULL
#define FAULTS		PERFGRP_SW_PAGE_FAULTS
#define ENDLESS		600000000	/* us, until the test ends */

static struct cpus cpus;
static struct grp_snap snap;

/* ---- groups and their mappings ------------------------------------------------------ */

static int mapped_like(struct perfgrp_create want)
{
	NEED_FEATURE(MAPPED);
	cpus_online(&cpus);
	want.flags |= PERFGRP_CREATE_MAPPED;
	return grp_create_like(want);
}

static int mapped_cpus(__u32 flags, __u64 interval)
{
	int fd = mapped_like((struct perfgrp_create){
		.flags = flags, .target = PERFGRP_TARGET_ALL_CPUS, .map_interval = interval });

	REQUIRE_GE(fd, 0);
	return fd;
}

static int mapped_task(__u32 flags, pid_t pid, __u64 interval)
{
	int fd = mapped_like((struct perfgrp_create){
		.flags = flags, .target = PERFGRP_TARGET_TASK, .pid = pid,
		.map_interval = interval });

	REQUIRE_GE(fd, 0);
	return fd;
}

static void *map_at(int fd, size_t size, int prot, int flags)
{
	return mmap(NULL, size, prot, flags, fd, PERFGRP_MMAP_ROWS);
}

static const struct perfgrp_map *map_rows(int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct perfgrp_map *map = map_at(fd, page, PROT_READ, MAP_SHARED);
	size_t size;

	REQUIRE(map != MAP_FAILED);
	size = map->map_size;
	munmap((void *)map, page);
	map = map_at(fd, size, PROT_READ, MAP_SHARED);
	REQUIRE(map != MAP_FAILED);
	return map;
}

/* A slot that was read. */
struct seen {
	struct perfgrp_row row;
	struct perfgrp_value value[32];
	__u64 generation;
	int nr;
};

static struct seen see(const struct perfgrp_map *map, __u32 nr)
{
	struct seen s = {};

	s.nr = perfgrp_map_read_slot(map, nr, &s.row, s.value, ARRAY_SIZE(s.value),
				     &s.generation);
	return s;
}

static bool at_rest(const struct perfgrp_map *map, __u32 nr)
{
	return __atomic_load_n(&perfgrp_map_slot(map, nr)->at_rest, __ATOMIC_ACQUIRE);
}

static __u32 seq_of(const struct perfgrp_map *map, __u32 nr)
{
	return __atomic_load_n(&perfgrp_map_slot(map, nr)->seq, __ATOMIC_ACQUIRE);
}

static __u32 last_cpu(void)
{
	return cpus.cpu[cpus.nr - 1];
}

/* Waits until the slot of a CPU is at rest: on another one, as who looks keeps his own busy. */
static void need_rest(const struct perfgrp_map *map, __u32 nr)
{
	struct seen s;
	__u32 seq;

	run_on(nr == cpus.cpu[0] ? last_cpu() : cpus.cpu[0]);
	if (BECOMES_TRUE(at_rest(map, nr), 5000))
		return;
	seq = seq_of(map, nr);
	nap_ns(100 * MS);
	s = see(map, nr);
	fail("slot %u is not at rest: seq %u, then %u; flags %#x, first value %llu, %lld ns old",
	     nr, seq, seq_of(map, nr), s.row.flags, (unsigned long long)s.value[0].raw,
	     (long long)(now_ns() - s.row.time_after));
	test_end();
}

/* The page faults of user mode. */
static __u32 add_faults(int fd)
{
	int id = grp_add_with(fd, FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL);

	REQUIRE_GT(id, 0);
	return id;
}

/* All of a row is as in a snapshot. */
static void expect_same_row(const struct seen *s, const struct grp_snap *of, __u32 nr)
{
	const struct perfgrp_row *row = &of->row[nr];
	__u32 i;

	EXPECT_EQ(s->row.cpu, row->cpu);
	EXPECT_EQ(s->row.flags, row->flags);
	EXPECT_EQ(s->row.first_value, 0);
	EXPECT_EQ(s->row.nr_values, row->nr_values);
	EXPECT_EQ(s->row.epoch, row->epoch);
	EXPECT_EQ(s->row.nr_cpus, row->nr_cpus);
	EXPECT_EQ(s->row.cgroup_id, 0);
	EXPECT_LE(s->row.time_before, s->row.time_after);
	EXPECT_EQ(s->nr, (int)row->nr_values);
	EXPECT_EQ(s->generation, of->hdr.generation);
	for (i = 0; i < row->nr_values; i++) {
		expect_same_value(&s->value[i], &of->value[row->first_value + i]);
		EXPECT_EQ(s->value[i].sched_group, of->value[row->first_value + i].sched_group);
		EXPECT_EQ(s->value[i].pmu, of->value[row->first_value + i].pmu);
	}
}

/* A child on the last CPU. */
static struct child child_apart(void)
{
	struct child child = child_start();

	if (cpus.nr < 2)
		skip("there is one CPU");
	child_do(&child, ORDER_RUN_ON, cpus.cpu[cpus.nr - 1]);
	return child;
}

/* ---- M1: what stands where ------------------------------------------------------------ */

TEST(layout, "M1: a header says where each CPU's slot is, on cache lines of its own")
{
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_USE_CLOCKID, .target = PERFGRP_TARGET_ALL_CPUS,
		.clockid = CLOCK_BOOTTIME, .map_interval = 5 * MS });
	size_t page = sysconf(_SC_PAGESIZE);
	const struct perfgrp_map *map;

	REQUIRE_GE(fd, 0);
	map = map_rows(fd);
	EXPECT_EQ(map->size, sizeof(*map));
	EXPECT_EQ(map->map_size % page, 0);
	EXPECT_GE(map->slot_offset, sizeof(*map));
	EXPECT_EQ(map->slot_offset % 64, 0);
	EXPECT_EQ(map->slot_size % 64, 0);
	EXPECT_GE(map->nr_slots, cpus.nr);
	EXPECT_LE(map->slot_offset + (size_t)map->nr_slots * map->slot_size, map->map_size);
	EXPECT_GE(map->values_offset, sizeof(struct perfgrp_map_slot));
	EXPECT_EQ(map->value_size, sizeof(struct perfgrp_value));
	EXPECT_LE(map->values_offset + 32 * map->value_size, map->slot_size);
	EXPECT_EQ(map->clockid, CLOCK_BOOTTIME);
	EXPECT_EQ(map->map_interval, 5 * MS);
}

TEST(same_as_snapshot, "M1 M5: rows are those of a snapshot; a CPU that never came has none")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	__u32 i, nr = 0;
	struct seen s;

	add_faults(fd);
	grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		fault_in(10 + i);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(map->generation, snap.hdr.generation);
	for (i = 0; i < map->nr_slots; i++) {
		s = see(map, i);
		if (s.nr < 0)
			continue;
		REQUIRE(nr < snap.hdr.nr_rows);
		EXPECT_GE(s.value[0].raw, 10);
		expect_same_row(&s, &snap, nr++);
	}
	EXPECT_EQ(nr, snap.hdr.nr_rows);
}

TEST(row_times, "S7 M5: a row's times are from before and after its reads")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	unsigned int longer = 0, turn;
	struct seen s;
	__u32 nr;

	add_faults(fd);
	/* Both write the rows. The clock may be a coarse one. */
	for (turn = 0; turn < 1000 && !longer; turn++) {
		REQUIRE_EQ(turn % 2 ? grp_enable(fd) : grp_disable(fd), 0);
		for (nr = 0; nr < cpus.nr; nr++) {
			s = see(map, nr);
			longer += s.row.time_before < s.row.time_after;
		}
	}
	EXPECT_GT(longer, 0);
}

TEST(one_cpu, "M1: a list of CPUs has slots for them only")
{
	__u32 list[2] = { 0, 0 };
	const struct perfgrp_map *map;
	struct seen s;
	int fd;

	cpus_online(&cpus);
	list[0] = last_cpu();
	fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_CPUS,
		.cpus = to_u64(list), .nr_cpus = 1 });
	REQUIRE_GE(fd, 0);
	add_faults(fd);
	map = map_rows(fd);
	EXPECT_EQ(map->nr_slots, 1);
	s = see(map, 0);
	EXPECT_EQ(s.nr, 1);
	EXPECT_EQ(s.row.cpu, (int)last_cpu());
}

TEST(no_members, "M1: a group without members has rows without values")
{
	int fd = mapped_cpus(0, 0), task = mapped_task(0, 0, 0);
	struct seen s = see(map_rows(fd), 0);

	EXPECT_EQ(s.nr, 0);
	EXPECT_EQ(s.row.cpu, (int)cpus.cpu[0]);
	EXPECT_EQ(s.row.flags, 0);
	EXPECT_EQ(s.row.epoch, 0);
	EXPECT_EQ(s.generation, map_rows(fd)->generation);
	s = see(map_rows(task), 0);
	EXPECT_EQ(s.nr, 0);
	EXPECT_EQ(s.row.cpu, -1);
	EXPECT_EQ(s.generation, map_rows(task)->generation);
}

TEST(readers_map, "M1: read-only fds can be mapped, too, with and without the right to records")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	int viewer = grp_open_reader(fd, 0), reader = grp_open_reader(fd, PERFGRP_READER_RECORDS);

	REQUIRE_GE(viewer, 0);
	REQUIRE_GE(reader, 0);
	add_faults(fd);
	EXPECT_EQ(see(map_rows(viewer), 0).nr, 1);
	EXPECT_EQ(see(map_rows(reader), 0).nr, 1);
}

TEST(beside_rings, "M1 O7: a group with a buffer has its rings and its rows mapped")
{
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = 8192 });
	size_t page = sysconf(_SC_PAGESIZE);
	void *ring;
	int viewer;

	REQUIRE_GE(fd, 0);
	add_faults(fd);
	EXPECT_EQ(see(map_rows(fd), 0).nr, 1);
	ring = mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT(ring != MAP_FAILED);
	viewer = grp_open_reader(fd, 0);
	REQUIRE_GE(viewer, 0);
	EXPECT(mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, viewer, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
}

TEST(refused_maps, "M6: no mapping is writable, private, too long, or of a group without rows")
{
	int fd = mapped_cpus(0, 0), plain = grp_on_all_cpus(0);
	size_t page = sysconf(_SC_PAGESIZE);
	const struct perfgrp_map *map = map_rows(fd);

	EXPECT(map_at(fd, page, PROT_READ | PROT_WRITE, MAP_SHARED) == MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	EXPECT(map_at(fd, page, PROT_READ, MAP_PRIVATE) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(map_at(fd, map->map_size + page, PROT_READ, MAP_SHARED) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(map_at(plain, page, PROT_READ, MAP_SHARED) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(mprotect((void *)map, page, PROT_READ | PROT_WRITE), -1);
	EXPECT_EQ(errno, EACCES);
}

static int try_mapped(struct perfgrp_create want)
{
	want.flags |= PERFGRP_CREATE_MAPPED;
	if (!want.target)
		want.target = PERFGRP_TARGET_ALL_CPUS;
	return grp_create_like(want);
}

TEST(refused_groups, "M1 E1: what cannot be mapped, and a bad interval, are refused by name")
{
	struct perfgrp_create inherit = {
		.target = PERFGRP_TARGET_TASK, .flags = PERFGRP_CREATE_INHERIT,
	};
	struct perfgrp_create split = { .flags = PERFGRP_CREATE_SPLIT_BY_CGROUP };
	struct perfgrp_create often = { .map_interval = MS - 1 };
	struct perfgrp_create seldom = { .map_interval = 1000 * MS + 1 };
	struct perfgrp_create plain = { .target = PERFGRP_TARGET_ALL_CPUS, .map_interval = MS };

	NEED_FEATURE(MAPPED);
	EXPECT_REFUSED_FIELD(try_mapped(inherit), EINVAL, "flags");
	EXPECT_REFUSED_FIELD(try_mapped(often), EINVAL, "map_interval");
	EXPECT_REFUSED_FIELD(try_mapped(seldom), EINVAL, "map_interval");
	seldom.map_interval = 1000 * MS;
	EXPECT_GE(try_mapped(seldom), 0);
	EXPECT_REFUSED_FIELD(grp_create_like(plain), EINVAL, "map_interval");
	if (!(grp_info().features & PERFGRP_FEATURE_SPLIT_BY_CGROUP))
		return;
	cgroup2_mount();
	split.target_fd = open(cgroup_root, O_RDONLY | O_CLOEXEC);
	REQUIRE_GE(split.target_fd, 0);
	EXPECT_REFUSED_FIELD(try_mapped(split), EINVAL, "flags");
}

/* ---- M2: who writes -------------------------------------------------------------------- */

TEST(idle_cpu, "M2: the row of a CPU that is idle is exact, and at rest; nobody has asked")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	struct child child = child_apart();
	__u32 nr = last_cpu(), i;
	__u64 before, raw;

	add_faults(fd);
	wait_until_asleep(child.pid);
	for (i = 0; i < 10; i++) {
		need_rest(map, nr);
		raw = see(map, nr).value[0].raw;
		before = now_ns();
		child_do_all(&child, ORDER_FAULT, 7);
		need_rest(map, nr);
		EXPECT_EQ(see(map, nr).value[0].raw, raw + 7);
		EXPECT_GE(see(map, nr).row.time_after, before);
		EXPECT_EQ(see(map, nr).value[0].state, PERFGRP_STATE_COUNTED);
	}
}

TEST(idle_instructions, "M2: so it is with hardware counters: what is at rest does not change")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	struct child child = child_apart();
	__u32 nr = last_cpu();
	struct seen s;

	if (!has_pmu())
		skip("no hardware counters");
	/* What it does there itself would be counted. */
	run_on(cpus.cpu[0]);
	REQUIRE_GT(grp_add_with(fd, PERFGRP_HW_INSTRUCTIONS, PERFGRP_COUNTER_EXCLUDE_KERNEL), 0);
	child_do_all(&child, ORDER_SPIN, 1000000);
	need_rest(map, nr);
	s = see(map, nr);
	EXPECT_GE(s.value[0].raw, 2000000);
	/* Once: what else comes to run there in user mode is little. */
	EXPECT_LT(s.value[0].raw, 4000000);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap_value(&snap, nr, s.value[0].id)->raw, s.value[0].raw);
}

TEST(idle_hardware, "M2: in the kernel, too: instructions, branches and cache references")
{
	static const __u64 events[] = {
		PERFGRP_HW_INSTRUCTIONS, PERFGRP_HW_CACHE_REFERENCES, PERFGRP_HW_CACHE_MISSES,
		PERFGRP_HW_BRANCH_INSTRUCTIONS, PERFGRP_HW_BRANCH_MISSES,
	};
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	const struct perfgrp_map *map;
	unsigned int i, counted = 0;
	struct perfgrp_value value = { 0 };
	int fd, id;

	if (!has_pmu())
		skip("no hardware counters");
	cpus_online(&cpus);
	wait_until_asleep(child_apart().pid);
	run_on(cpus.cpu[0]);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
		map = map_rows(fd);
		id = grp_add(fd, events[i]);
		if (id < 0)
			continue;
		value = grp_value_on(fd, last_cpu(), id);
		counted++;
		need_rest(map, last_cpu());
	}
	REQUIRE_GT(counted, 0);
	diag("%u of %zu events", counted, ARRAY_SIZE(events));

	/* The same with the number of the PMU. */
	c.config |= (__u64)value.pmu << 32;
	fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	map = map_rows(fd);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	need_rest(map, last_cpu());
}

/*
 * Whether cycles go on while a CPU waits for an interrupt is up to the implementation, but for x86;
 * in the emulated CPU they do.
 */
static void expect_not_final(struct perfgrp_counter cycles)
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	__u32 nr = last_cpu();
	struct seen s;
	int i;

	run_on(cpus.cpu[0]);
	REQUIRE_EQ(grp_add_counters(fd, &cycles, 1), 0);
	for (i = 0; i < 100; i++) {
		s = see(map, nr);
		if (!at_rest(map, nr)) {
			nap_ns(2 * MS);
			continue;
		}
		nap_ns(20 * MS);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_LT(snap_value(&snap, nr, s.value[0].id)->raw - s.value[0].raw, 5 * MS);
	}
	close(fd);
}

TEST(idle_cycles, "M2: cycles are not called final where they may go on while the CPU is idle")
{
	if (!has_pmu())
		skip("no hardware counters");
	expect_not_final((struct perfgrp_counter){ .event = PERFGRP_HW_CPU_CYCLES });
#if defined(__aarch64__)
	/* The same by the architecture's number. */
	expect_not_final((struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_RAW, .config = 0x11 });
#endif
}

TEST(busy_cpu, "M2: a CPU that is busy is not at rest, and writes its row at the interval")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	const struct perfgrp_map *map = map_rows(fd);
	struct child child = child_apart();
	__u32 nr = last_cpu(), seq;
	unsigned int rest = 0, i;
	__u64 time;

	add_faults(fd);
	wait_until_asleep(child.pid);
	child_tell(&child, ORDER_BURN, ENDLESS);
	REQUIRE(BECOMES_TRUE(!at_rest(map, nr), 5000));
	seq = seq_of(map, nr);
	time = see(map, nr).row.time_after;
	for (i = 0; i < 100; i++) {
		nap_ns(MS);
		rest += at_rest(map, nr);
	}
	EXPECT_GT(seq_of(map, nr) - seq, 2 * 20);
	EXPECT_GE(see(map, nr).row.time_after, time + 20 * MS);
	EXPECT_LT(rest, 20);
}

/* A row is written time and again, though its CPU does not idle and nobody asks. */
static void expect_written(const struct perfgrp_map *map, __u32 nr)
{
	__u32 seq = seq_of(map, nr);

	EXPECT(BECOMES_TRUE(seq_of(map, nr) - seq >= 2 * 5, 5000));
}

static int turn[2][2];
static atomic_uint turns;

/* Two such threads keep the last CPU busy: each wakes the other one before it sleeps. */
static void *take_turns(void *arg)
{
	int nr = (int)(uintptr_t)arg;
	char byte;

	run_on(last_cpu());
	while (read(turn[nr][0], &byte, 1) == 1 && write(turn[!nr][1], &byte, 1) == 1)
		turns++;
	return NULL;
}

TEST(busy_in_turns, "M2: so does one on which tasks alternate, more often than that")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 50 * MS);
	const struct perfgrp_map *map = map_rows(fd);
	pthread_t thread;
	int i;

	if (cpus.nr < 2)
		skip("there is one CPU");
	add_faults(fd);
	for (i = 0; i < 2; i++)
		REQUIRE(pipe2(turn[i], O_CLOEXEC) == 0);
	for (i = 0; i < 2; i++)
		REQUIRE_EQ(pthread_create(&thread, NULL, take_turns, (void *)(uintptr_t)i), 0);
	run_on(cpus.cpu[0]);
	REQUIRE(write(turn[0][1], "", 1) == 1);
	REQUIRE(BECOMES_TRUE(turns > 10, 5000));
	expect_written(map, last_cpu());
}

TEST(busy_before, "M2: so do a CPU and a task that were busy before there was a group")
{
	struct child child;
	int fd;

	cpus_online(&cpus);
	run_on(cpus.cpu[0]);
	child = child_apart();
	child_tell(&child, ORDER_BURN, ENDLESS);
	wait_until_running(child.pid);
	fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	add_faults(fd);
	expect_written(map_rows(fd), last_cpu());
	fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, MS);
	add_faults(fd);
	expect_written(map_rows(fd), 0);
}

TEST(no_interval, "M2: without an interval a busy CPU writes nothing by itself")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	struct child child = child_apart();
	__u32 nr = last_cpu(), seq;
	unsigned int i, same = 0;

	add_faults(fd);
	wait_until_asleep(child.pid);
	child_tell(&child, ORDER_BURN, ENDLESS);
	REQUIRE(BECOMES_TRUE(!at_rest(map, nr), 5000));
	/* Others may have their turn there and leave it idle, now and then. */
	for (i = 0; i < 50; i++) {
		seq = seq_of(map, nr);
		nap_ns(2 * MS);
		same += seq == seq_of(map, nr);
	}
	EXPECT_GT(same, 40);
}

TEST(idle_not_woken, "M2: an interval does not wake a CPU that is idle")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	const struct perfgrp_map *map = map_rows(fd);
	__u32 nr, seq;

	if (cpus.nr < 2)
		skip("there is one CPU");
	nr = last_cpu();
	add_faults(fd);
	run_on(cpus.cpu[0]);
	need_rest(map, nr);
	/* A CPU that is woken writes its row when it goes idle again. */
	seq = seq_of(map, nr);
	nap_ns(1000 * MS);
	EXPECT_LT(seq_of(map, nr) - seq, 2 * 500);
}

#define ORDERS 100

/* Counts the expiries of the module's interval timers on CPU; AND continues the filter. */
static int open_timer_expiries(int cpu, const char *and)
{
	long id = read_number("/sys/kernel/tracing/events/timer/hrtimer_expire_entry/id");
	__u64 function = kernel_address("on_timer", "[perfgrp]");
	char filter[128];
	int fd;

	REQUIRE_GE(id, 0);
	REQUIRE(function != 0);
	fd = peer_open(PERF_TYPE_TRACEPOINT, id, -1, cpu, -1);
	REQUIRE_GE(fd, 0);
	snprintf(filter, sizeof(filter), "function == 0x%llx%s", function, and);
	REQUIRE_EQ(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter), 0);
	peer_enable(fd);
	return fd;
}

/* The timer of slot NR, of 10 ms, stops when CHILD sleeps, which is on the last CPU. */
static void expect_timer_stops(const struct perfgrp_map *map, __u32 nr, struct child *child)
{
	int all = open_timer_expiries(last_cpu(), "");
	int idle = open_timer_expiries(last_cpu(), " && common_pid == 0");
	__u32 seq;
	int i;

	run_on(cpus.cpu[0]);
	/* One order is longer than the interval. */
	child_do_all(child, ORDER_BURN, 100000);
	EXPECT_GT(peer_read(all).value, 2);
	seq = seq_of(map, nr);
	for (i = 0; i < ORDERS; i++) {
		child_do_all(child, ORDER_FAULT, 1);
		nap_ns(12 * MS);
	}
	/* After each order the CPU went idle, and the child off it, which writes the row. */
	EXPECT_GE((seq_of(map, nr) - seq) / 2, ORDERS - 10);
	EXPECT_LT(peer_read(idle).value, ORDERS / 2);
	diag("%llu expiries, %llu while idle", (long long)peer_read(all).value,
	     (long long)peer_read(idle).value);
	close(all);
	close(idle);
}

TEST(timer_stops, "M2: nor does it leave a timer that would wake it once")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 10 * MS);
	struct child child = child_apart();

	add_faults(fd);
	expect_timer_stops(map_rows(fd), last_cpu(), &child);
}

TEST(task_timer_stops, "M2: nor does the timer of a task that sleeps wake the CPU on which it was")
{
	struct child child;
	int fd;

	cpus_online(&cpus);
	child = child_apart();
	fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 10 * MS);
	add_faults(fd);
	expect_timer_stops(map_rows(fd), 0, &child);
}

TEST(clocks_go_on, "M2: rows with clocks are written when the CPU goes idle, never at rest")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	struct child child = child_apart();
	__u32 nr = last_cpu(), seq;
	unsigned int i;

	run_on(cpus.cpu[0]);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	/* It makes no difference that the last member does not go on. */
	add_faults(fd);
	seq = seq_of(map, nr);
	for (i = 0; i < 20; i++) {
		child_do_all(&child, ORDER_FAULT, 1);
		EXPECT(!at_rest(map, nr));
	}
	EXPECT(BECOMES_TRUE(seq_of(map, nr) - seq > 2 * 5, 5000));
	EXPECT(!BECOMES_TRUE(at_rest(map, nr), 100));
}

/* A group of all CPUs with one raw counter, which is mapped without an interval. */
static const struct perfgrp_map *map_raw(struct perfgrp_counter c)
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);

	c.flags |= PERFGRP_COUNTER_RAW;
	if (grp_add_counters(fd, &c, 1))
		skip("not counted here: %s", grp_error.text);
	return map_rows(fd);
}

TEST(tracepoints_go_on, "M2: rows with tracepoints are never at rest, those with breakpoints are")
{
	static const char id[] = "/sys/kernel/tracing/events/sched/sched_switch/id";
	static long long address;
	struct perfgrp_counter switches = { .type = PERF_TYPE_TRACEPOINT };
	const struct perfgrp_counter writes = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.config1 = (uintptr_t)&address,
		.config2 = HW_BREAKPOINT_LEN_8,
	};
	const struct perfgrp_map *map;
	char text[32];
	__u32 nr, seq;

	if (read_file(id, text, sizeof(text)) <= 0)
		skip("no %s", id);
	switches.config = strtoul(text, NULL, 10);
	map = map_raw(switches);
	nr = last_cpu();
	run_on(cpus.cpu[0]);
	seq = seq_of(map, nr);
	EXPECT(BECOMES_TRUE(seq_of(map, nr) != seq, 5000));
	EXPECT(!BECOMES_TRUE(at_rest(map, nr), 500));
	map = map_raw(writes);
	EXPECT(BECOMES_TRUE(at_rest(map, nr), 5000));
}

TEST(task_switched_away, "M2: the row of a task that does not run is exact, and at rest")
{
	struct child child = child_start();
	int fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 0);
	int other = mapped_task(PERFGRP_CREATE_ENABLED, 0, 0);
	const struct perfgrp_map *map = map_rows(fd);
	__u32 i;

	add_faults(fd);
	for (i = 1; i <= 10; i++) {
		/* When another task's group goes, this one's row is written as before. */
		if (i == 6)
			close(other);
		child_do_all(&child, ORDER_FAULT, 7);
		EXPECT(BECOMES_TRUE(at_rest(map, 0), 5000));
		EXPECT_EQ(see(map, 0).value[0].raw, i * 7);
	}
}

static int gate[2];

static void *pass_gate(void *arg)
{
	char byte;

	return read(gate[0], &byte, 1) == 1 ? arg : NULL;
}

TEST(others_switch, "M2: tasks that come and go do not touch the row of one that sleeps")
{
	enum { OTHERS = 400 };	/* many more than the module has lists of tasks */
	struct child child = child_start();
	int fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 0), i;
	const struct perfgrp_map *map = map_rows(fd);
	pthread_t thread[OTHERS];
	__u32 seq;

	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 7);
	REQUIRE(BECOMES_TRUE(at_rest(map, 0), 5000));
	seq = seq_of(map, 0);
	REQUIRE(pipe2(gate, O_CLOEXEC) == 0);
	for (i = 0; i < OTHERS; i++)
		REQUIRE_EQ(pthread_create(&thread[i], NULL, pass_gate, NULL), 0);
	for (i = 0; i < OTHERS; i++)
		REQUIRE(write(gate[1], "", 1) == 1);
	for (i = 0; i < OTHERS; i++)
		REQUIRE_EQ(pthread_join(thread[i], NULL), 0);
	EXPECT_EQ(seq_of(map, 0), seq);
	EXPECT(at_rest(map, 0));
}

TEST(task_runs_on, "M2: that of one that runs is not at rest, also without an interval")
{
	struct child child = child_start();
	int fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 0);
	const struct perfgrp_map *map = map_rows(fd);

	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 7);
	EXPECT(BECOMES_TRUE(at_rest(map, 0), 5000));
	child_tell(&child, ORDER_BURN, ENDLESS);
	wait_until_running(child.pid);
	EXPECT(BECOMES_TRUE(!at_rest(map, 0), 5000));
}

TEST(task_switches_go_on, "M2: nor is one at rest that counts what comes last, the switch, or time")
{
	static const __u64 events[] = {
		PERFGRP_SW_CONTEXT_SWITCHES, PERFGRP_SW_CGROUP_SWITCHES, PERFGRP_SW_TASK_CLOCK,
	};
	struct child child = child_start();
	const struct perfgrp_map *map;
	unsigned int i;
	__u32 id;
	int fd;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 0);
		map = map_rows(fd);
		id = grp_add(fd, events[i]);
		child_do_all(&child, ORDER_FAULT, 7);
		EXPECT(!at_rest(map, 0));
		/* So that this is not the value of before. */
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_EQ(see(map, 0).value[0].raw, snap_value(&snap, -1, id)->raw);
	}
}

TEST(task_runs, "M2: that of one that runs is written at the interval")
{
	const struct perfgrp_map *map;
	unsigned int rest = 0, i;
	struct child child;
	__u32 seq;
	int fd;

	cpus_online(&cpus);
	/* On the child's CPU, each look would switch it out. */
	run_on(cpus.cpu[0]);
	child = child_apart();
	fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, MS);
	map = map_rows(fd);
	add_faults(fd);
	wait_until_asleep(child.pid);
	child_tell(&child, ORDER_BURN, ENDLESS);
	REQUIRE(BECOMES_TRUE(!at_rest(map, 0), 5000));
	seq = seq_of(map, 0);
	for (i = 0; i < 100; i++) {
		nap_ns(MS);
		rest += at_rest(map, 0);
	}
	EXPECT_GT(seq_of(map, 0) - seq, 2 * 20);
	EXPECT_LT(rest, 50);
}

TEST(overflow_writes, "M2: an overflow writes the row of its CPU")
{
	struct perfgrp_counter counter = { .event = FAULTS, .sample_period = 10,
					   .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_TASK,
		.buffer_size = 8192 });
	const struct perfgrp_map *map;

	REQUIRE_GE(fd, 0);
	settle_memory();
	REQUIRE_EQ(grp_add_counters(fd, &counter, 1), 0);
	map = map_rows(fd);
	see(map, 0);
	fault_in(1);
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(1005);
	/* At least what the last overflow had seen; a switch may have written more. */
	EXPECT_GT(see(map, 0).value[0].raw, 1005 - 2 * 10);
	EXPECT_LE(see(map, 0).value[0].raw, 1005);
}

/* How often this thread has left its CPU. */
static long times_switched(void)
{
	struct rusage usage;

	REQUIRE_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

TEST(overflow_throttled, "M5 O8: the row says so if the overflow that writes it stops the counter")
{
	struct perfgrp_counter clock = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 50000 };
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_TASK,
		.buffer_size = 8192 });
	const struct perfgrp_map *map;
	bool throttled = false;
	struct seen s;
	long before;
	__u64 time;
	int i;

	REQUIRE_GE(fd, 0);
	/* After a few overflows the clock stands still for the rest of the tick. */
	set_sample_rate("1000");
	REQUIRE_EQ(grp_add_counters(fd, &clock, 1), 0);
	map = map_rows(fd);
	for (i = 0; i < 500 && !throttled; i++) {
		before = times_switched();
		time = now_ns();
		burn_us(10000);
		s = see(map, 0);
		/* Who leaves the CPU writes the row, too. */
		if (s.row.time_after > time && times_switched() == before)
			throttled = s.value[0].flags & PERFGRP_VALUE_THROTTLED;
	}
	EXPECT(throttled);
	keep_sample_rate();
}

TEST(snapshot_writes, "M2: so does a snapshot")
{
	int fd = mapped_task(PERFGRP_CREATE_ENABLED, 0, 0);
	const struct perfgrp_map *map = map_rows(fd);

	settle_memory();
	add_faults(fd);
	see(map, 0);
	fault_in(1);
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(23);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(see(map, 0).value[0].raw, 23);
	EXPECT_EQ(see(map, 0).row.time_after >= snap.row[0].time_after, 1);
}

/* ---- M3: readers ------------------------------------------------------------------------ */

static atomic_bool stop;
static int hammer_fd;

static void *take_snapshots(void *arg)
{
	static __thread struct grp_snap mine;

	while (!stop)
		grp_snapshot(hammer_fd, 0, &mine);
	return arg;
}

/* Both members count the same. One does so after the other; a writer may come in between. */
static bool differ(const struct seen *s)
{
	__s64 more = (__s64)(s->value[0].raw - s->value[1].raw);

	return more < -1 || more > 1;
}

/* No row is of two moments, or older than the one before. */
static void watch(const struct perfgrp_map *map, unsigned int ms)
{
	__u64 last[MAX_CPUS] = {}, end = now_ns() + ms * MS, time[MAX_CPUS] = {};
	unsigned int torn = 0, back = 0, reads = 0;
	struct seen s;
	__u32 i;

	while (now_ns() < end) {
		for (i = 0; i < map->nr_slots && i < MAX_CPUS; i++) {
			s = see(map, i);
			if (s.nr != 2)
				continue;
			reads++;
			torn += differ(&s) || s.row.time_before > s.row.time_after;
			back += s.value[0].raw < last[i] || s.row.time_after < time[i];
			last[i] = s.value[0].raw;
			time[i] = s.row.time_after;
		}
	}
	EXPECT_GT(reads, 1000);
	EXPECT_EQ(torn, 0);
	EXPECT_EQ(back, 0);
}

static void *fault_on_and_on(void *arg)
{
	run_on((int)(uintptr_t)arg);
	while (!stop)
		fault_in(10);
	return NULL;
}

TEST(not_torn, "M3 S9: readers see no row that is being written, and none that goes back")
{
	struct perfgrp_counter two[2] = {
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
	};
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	const struct perfgrp_map *map = map_rows(fd);
	pthread_t thread[3];
	unsigned int i;

	REQUIRE_EQ(grp_add_counters(fd, two, 2), 0);
	hammer_fd = fd;
	stop = false;
	for (i = 0; i < 2; i++)
		REQUIRE_EQ(pthread_create(&thread[i], NULL, fault_on_and_on,
					  (void *)(uintptr_t)cpus.cpu[i % cpus.nr]), 0);
	REQUIRE_EQ(pthread_create(&thread[2], NULL, take_snapshots, NULL), 0);
	watch(map, rounds(2000));
	stop = true;
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

static void *fault_under_overflows(void *arg)
{
	while (!stop)
		fault_in(10);
	return arg;
}

TEST(not_torn_task, "M3: so it is with a task that moves, is read, sampled and timed at once")
{
	struct perfgrp_counter two[2] = {
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL, .sample_period = 7 },
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
	};
	struct child child = child_start();
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_TASK, .pid = child.pid,
		.buffer_size = 8192, .map_interval = MS });
	const struct perfgrp_map *map;
	__u64 end, until, raw = 0;
	unsigned int i, torn = 0, back = 0;
	pthread_t thread;
	struct seen s;

	REQUIRE_GE(fd, 0);
	if (cpus.nr < 2)
		skip("there is one CPU");
	map = map_rows(fd);
	REQUIRE_EQ(grp_add_counters(fd, two, 2), 0);
	/* Those who look stay away from it. */
	run_on(cpus.cpu[0]);
	hammer_fd = fd;
	stop = false;
	REQUIRE_EQ(pthread_create(&thread, NULL, take_snapshots, NULL), 0);
	end = now_ns() + rounds(1000) * MS;
	for (i = 1; i <= 10 || now_ns() < end; i++) {
		child_tell(&child, ORDER_RUN_ON, cpus.cpu[1 + i % (cpus.nr - 1)]);
		child_tell(&child, ORDER_FAULT, 10);
		/* A snapshot may be at the slot when it leaves. */
		until = now_ns() + 100 * MS;
		do {
			s = see(map, 0);
			torn += differ(&s);
			back += s.value[1].raw < raw;
			raw = s.value[1].raw;
		} while (s.value[1].raw < i * 10 && now_ns() < until);
		child_wait(&child);
		child_wait(&child);
	}
	stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(torn, 0);
	EXPECT_EQ(back, 0);
}

/* ---- M4: cached snapshots ----------------------------------------------------------------- */

static int snapshot_cached(int fd, __u64 max_age, struct grp_snap *s)
{
	s->hdr = (struct perfgrp_snapshot){
		.size = sizeof(s->hdr), .flags = PERFGRP_SNAPSHOT_CACHED, .max_age = max_age,
		.rows = to_u64(s->row), .values = to_u64(s->value),
		.row_size = sizeof(s->row[0]), .nr_rows = ARRAY_SIZE(s->row),
		.value_size = sizeof(s->value[0]), .nr_values = ARRAY_SIZE(s->value),
	};
	return grp_ioctl(fd, PERFGRP_SNAPSHOT, &s->hdr);
}

TEST(cached_idle, "M4 S6: CACHED interrupts no CPU that is idle, and has its row")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	const struct perfgrp_map *map = map_rows(fd);
	struct child child = child_apart();
	__u32 nr = last_cpu(), id;
	uint64_t before;
	int i;

	id = add_faults(fd);
	run_on(cpus.cpu[0]);
	child_do_all(&child, ORDER_FAULT, 31);
	need_rest(map, nr);
	before = function_call_interrupts(nr);
	for (i = 0; i < 200; i++)
		REQUIRE_EQ(snapshot_cached(fd, 0, &snap), 0);
	EXPECT_LT(function_call_interrupts(nr) - before, 100);
	EXPECT_EQ(snap.hdr.nr_rows, cpus.nr);
	EXPECT_EQ(snap_value(&snap, nr, id)->raw, 31);
	before = function_call_interrupts(nr);
	for (i = 0; i < 200; i++)
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_GE(function_call_interrupts(nr) - before, 100);
}

TEST(cached_age, "M4: a row that is older than max_age is read, a younger one is taken")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	struct child child = child_apart();
	__u32 nr = last_cpu();
	__u64 time, now;
	int i, taken = 0;

	add_faults(fd);
	wait_until_asleep(child.pid);
	child_tell(&child, ORDER_BURN, ENDLESS);
	wait_until_running(child.pid);
	for (i = 0; i < 10; i++) {
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		time = snap_row(&snap, nr)->time_after;
		REQUIRE_EQ(snapshot_cached(fd, 1000000 * MS, &snap), 0);
		/* A younger one only if the CPU was idle in between. */
		EXPECT_GE(snap_row(&snap, nr)->time_after, time);
		EXPECT_LE(snap.hdr.time_after, now_ns());
		taken += snap_row(&snap, nr)->time_after == time;
		now = now_ns();
		REQUIRE_EQ(snapshot_cached(fd, 0, &snap), 0);
		EXPECT(snap_row(&snap, nr)->time_after >= now || task_state(child.pid) != 'R');
	}
	EXPECT_GE(taken, 5);
}

/* All members count the same, from the first to the last in this order. */
static bool is_torn(const struct grp_snap *s, const struct perfgrp_row *row)
{
	const struct perfgrp_value *v = &s->value[row->first_value];
	__s64 more = (__s64)(v[0].raw - v[row->nr_values - 1].raw);

	return more < -1 || more > 1 || row->time_before > row->time_after;
}

TEST(cached_not_torn, "M4 S9: a row is taken whole, whoever writes it, and none goes back")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	__u64 last[MAX_CPUS] = {}, end;
	unsigned int i, torn = 0, back = 0;
	struct perfgrp_counter c[32];
	pthread_t thread;

	fill_counters(c, 32, FAULTS);
	for (i = 0; i < 32; i++)
		c[i].flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL;
	REQUIRE_EQ(grp_add_counters(fd, c, 32), 0);
	stop = false;
	REQUIRE_EQ(pthread_create(&thread, NULL, fault_on_and_on, (void *)(uintptr_t)last_cpu()),
		   0);
	run_on(cpus.cpu[0]);
	end = now_ns() + rounds(2000) * MS;
	while (now_ns() < end) {
		/* The timer of this CPU interrupts the copy of its row. */
		fault_in(1);
		REQUIRE_EQ(snapshot_cached(fd, 1000000 * MS, &snap), 0);
		for (i = 0; i < snap.hdr.nr_rows && i < MAX_CPUS; i++) {
			torn += is_torn(&snap, &snap.row[i]);
			back += snap.row[i].time_after < last[i];
			last[i] = snap.row[i].time_after;
		}
	}
	stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(torn, 0);
	EXPECT_EQ(back, 0);
}

/* CLOCK_TAI is set with CLOCK_REALTIME. */
static void cached_on(int clockid)
{
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_USE_CLOCKID,
		.target = PERFGRP_TARGET_ALL_CPUS, .clockid = clockid });
	struct child child = child_apart();
	__u32 nr = last_cpu();
	struct timespec real;
	__u64 time;

	REQUIRE_GE(fd, 0);
	add_faults(fd);
	wait_until_asleep(child.pid);
	child_tell(&child, ORDER_BURN, ENDLESS);
	wait_until_running(child.pid);
	/* It cannot be set back to before the machine was booted, where there is no other clock. */
	REQUIRE_EQ(clock_gettime(CLOCK_REALTIME, &real), 0);
	real.tv_sec += 7200;
	REQUIRE_EQ(clock_settime(CLOCK_REALTIME, &real), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	time = snap_row(&snap, nr)->time_after;
	real.tv_sec -= 3600;
	REQUIRE_EQ(clock_settime(CLOCK_REALTIME, &real), 0);
	EXPECT_EQ(snapshot_cached(fd, 0, &snap), 0);
	real.tv_sec -= 3600;
	clock_settime(CLOCK_REALTIME, &real);
	EXPECT_LT(snap_row(&snap, nr)->time_after, time);
}

TEST(cached_set_back, "M4: a row whose clock was set back is read: it may be of any age")
{
	cached_on(CLOCK_REALTIME);
	cached_on(CLOCK_TAI);
}

TEST(cached_task, "M4: so it is with a task")
{
	struct child child = child_start();
	int fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 0);
	__u64 time, now;
	__u32 id = add_faults(fd);

	child_do_all(&child, ORDER_FAULT, 12);
	now = now_ns();
	REQUIRE_EQ(snapshot_cached(fd, 0, &snap), 0);
	EXPECT_EQ(snap_value(&snap, -1, id)->raw, 12);
	/* It is at rest, so that nobody has looked. */
	time = snap.row[0].time_after;
	EXPECT_LE(time, now);
	REQUIRE_EQ(snapshot_cached(fd, 0, &snap), 0);
	EXPECT_EQ(snap.row[0].time_after, time);
	/* This task runs. */
	fd = mapped_task(PERFGRP_CREATE_ENABLED, 0, 0);
	add_faults(fd);
	now = now_ns();
	REQUIRE_EQ(snapshot_cached(fd, 0, &snap), 0);
	EXPECT_GE(snap.row[0].time_after, now);
}

TEST(cached_totals, "M4 S11: totals of cached rows are their sums")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0);
	__u32 id = add_faults(fd), i;
	__u64 sum = 0;

	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		fault_in(5);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(snapshot_cached(fd, 1000000 * MS, &snap), 0);
	for (i = 0; i < snap.hdr.nr_rows; i++)
		sum += snap.value[snap.row[i].first_value].raw;
	EXPECT_GE(sum, 5 * cpus.nr);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap_value(&snap, -1, id)->raw, sum);
}

TEST(cached_refused, "M4 E1: CACHED without rows or with RESET, and max_age alone, are refused")
{
	int fd = mapped_cpus(0, 0), plain = grp_on_all_cpus(0);
	struct perfgrp_snapshot call = {
		.size = sizeof(call), .row_size = sizeof(struct perfgrp_row),
		.value_size = sizeof(struct perfgrp_value),
	};

	call.flags = PERFGRP_SNAPSHOT_CACHED;
	EXPECT_REFUSED_FIELD(grp_ioctl(plain, PERFGRP_SNAPSHOT, &call), EINVAL, "flags");
	call.flags = PERFGRP_SNAPSHOT_CACHED | PERFGRP_SNAPSHOT_RESET;
	EXPECT_REFUSED_FIELD(grp_ioctl(fd, PERFGRP_SNAPSHOT, &call), EINVAL, "flags");
	call.flags = 0;
	call.max_age = 1;
	EXPECT_REFUSED_FIELD(grp_ioctl(fd, PERFGRP_SNAPSHOT, &call), EINVAL, "max_age");
	/* An old program's argument ends before it. */
	call.size = PERFGRP_SNAPSHOT_SIZE_VER0;
	EXPECT_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &call), -EMSGSIZE);
}

/* ---- M5: changes -------------------------------------------------------------------------- */

/* What a mapping shows at once is what a snapshot does. */
static void expect_all_same(int fd, const struct perfgrp_map *map)
{
	__u32 i, nr = 0;
	struct seen s;

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(map->generation, snap.hdr.generation);
	for (i = 0; i < map->nr_slots; i++) {
		s = see(map, i);
		if (s.nr < 0)
			continue;
		EXPECT_EQ(s.generation, map->generation);
		EXPECT_EQ(s.nr, (int)snap.row[nr].nr_values);
		EXPECT_EQ(s.row.flags, snap.row[nr].flags);
		EXPECT_EQ(s.row.epoch, snap.row[nr].epoch);
		nr++;
	}
	EXPECT_EQ(nr, snap.hdr.nr_rows);
}

TEST(changes, "M5: when ADD, REMOVE, RESET, ENABLE or DISABLE returns, all rows are new")
{
	int fd = mapped_cpus(0, 0);
	const struct perfgrp_map *map = map_rows(fd);
	__u64 generation = map->generation;
	__u32 first, second;
	struct seen s;

	first = add_faults(fd);
	EXPECT_GT(map->generation, generation);
	generation = map->generation;
	s = see(map, 0);
	EXPECT_EQ(s.nr, 1);
	EXPECT_EQ(s.generation, generation);
	EXPECT_EQ(see(map, last_cpu()).generation, generation);
	EXPECT_EQ(s.value[0].id, first);
	EXPECT_EQ(s.value[0].state, PERFGRP_STATE_NEVER_RAN);

	REQUIRE_EQ(grp_enable(fd), 0);
	EXPECT_EQ(map->generation, generation);
	run_on(cpus.cpu[0]);
	fault_in(100);
	REQUIRE_EQ(grp_disable(fd), 0);
	s = see(map, 0);
	EXPECT_GE(s.value[0].raw, 100);
	EXPECT_EQ(s.value[0].state, PERFGRP_STATE_COUNTED);
	expect_all_same(fd, map);

	second = add_faults(fd);
	s = see(map, 0);
	EXPECT_EQ(s.nr, 2);
	EXPECT_EQ(s.value[1].id, second);
	EXPECT_EQ(s.value[0].raw, 0);
	expect_all_same(fd, map);

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(100);
	generation = map->generation;
	REQUIRE_EQ(grp_reset(fd), 0);
	EXPECT_GT(map->generation, generation);
	EXPECT_LT(see(map, 0).value[0].raw, 100);

	fault_in(100);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	EXPECT_LT(see(map, 0).value[0].raw, 100);

	generation = map->generation;
	REQUIRE_EQ(grp_remove(fd, second, 0), 0);
	EXPECT_GT(map->generation, generation);
	s = see(map, 0);
	EXPECT_EQ(s.nr, 1);
	expect_all_same(fd, map);
	REQUIRE_EQ(grp_remove(fd, first, 0), 0);
	EXPECT_EQ(see(map, 0).nr, 0);
	expect_all_same(fd, map);
}

static const struct perfgrp_map *polled;
static volatile bool polled_enough;
static volatile unsigned int nr_polled;

static void *poll_for_failed(void *arg __maybe_unused)
{
	struct seen s;

	while (!polled_enough) {
		s = see(polled, 0);
		EXPECT_EQ(s.row.flags, 0);
		nr_polled++;
	}
	return NULL;
}

TEST_LIMIT(leader_goes, 60, "M5 G11: readers see no member fail while its leader is removed")
{
	__u32 cpu = 0;
	int fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_CPUS,
		.cpus = to_u64(&cpu), .nr_cpus = 1, .map_interval = MS });
	unsigned int i;
	pthread_t poller;

	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	run_on(cpu);
	polled = map_rows(fd);
	REQUIRE_GT(grp_add(fd, FAULTS), 0);
	REQUIRE_EQ(pthread_create(&poller, NULL, poll_for_failed, NULL), 0);
	for (i = 0; i < rounds(200); i++) {
		int cycles = grp_add(fd, PERFGRP_HW_CPU_CYCLES);
		int instructions = grp_add(fd, PERFGRP_HW_INSTRUCTIONS);

		REQUIRE(cycles > 0 && instructions > 0);
		REQUIRE_EQ(grp_remove(fd, cycles, 0), 0);
		REQUIRE_EQ(grp_remove(fd, instructions, 0), 0);
	}
	polled_enough = true;
	pthread_join(poller, NULL);
	EXPECT_GT(nr_polled, 100);
}

TEST(cpu_goes, "M5 G19: an offline CPU's row says so; its epoch, and counts, when it is back")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	const struct perfgrp_map *map = map_rows(fd), *empty = map_rows(mapped_cpus(0, 0));
	struct child child;
	__u64 raw;

	if (cpus.nr < 2 || cpu_set_online(CPU, true))
		skip("CPU %d cannot go off line", CPU);
	add_faults(fd);
	child = child_start();
	child_do(&child, ORDER_RUN_ON, CPU);
	child_do_all(&child, ORDER_FAULT, 50);
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	REQUIRE(BECOMES_TRUE(see(map, CPU).row.flags & PERFGRP_ROW_OFFLINE, 5000));
	REQUIRE(BECOMES_TRUE(see(empty, CPU).row.flags & PERFGRP_ROW_OFFLINE, 5000));
	raw = see(map, CPU).value[0].raw;
	EXPECT_GE(raw, 50);
	EXPECT(see(map, CPU).value[0].flags & PERFGRP_VALUE_OFFLINE);
	expect_all_same(fd, map);
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	REQUIRE(BECOMES_TRUE(!(see(map, CPU).row.flags & PERFGRP_ROW_OFFLINE), 5000));
	EXPECT_EQ(see(map, CPU).row.epoch, 1);
	/* So it is without members; a snapshot of that group would write its row. */
	REQUIRE(BECOMES_TRUE(!(see(empty, CPU).row.flags & PERFGRP_ROW_OFFLINE), 5000));
	EXPECT_EQ(see(empty, CPU).row.epoch, 1);
	child_do(&child, ORDER_RUN_ON, CPU);
	child_do_all(&child, ORDER_FAULT, 50);
	need_rest(map, CPU);
	EXPECT_GE(see(map, CPU).value[0].raw, raw + 50);
	EXPECT_EQ(see(map, CPU).value[0].state, PERFGRP_STATE_COUNTED);
}

static void *watch_on(void *map)
{
	run_on(cpus.cpu[0]);
	watch(map, 6000);
	return NULL;
}

TEST_LIMIT(suspended, 60, "M2 M3 M5 G30: rows are written on after the machine was suspended")
{
	struct perfgrp_counter two[2] = {
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
	};
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	const struct perfgrp_map *map = map_rows(fd);
	struct child busy, idle;
	pthread_t watcher;
	__u64 raw, time;

	if (cpus.nr < 3)
		skip("there are no three CPUs");
	REQUIRE_EQ(grp_add_counters(fd, two, 2), 0);
	busy = child_start();
	child_do(&busy, ORDER_RUN_ON, CPU);
	child_tell(&busy, ORDER_BURN, ENDLESS);
	idle = child_apart();
	child_do(&idle, ORDER_FAULT, 50);
	REQUIRE_EQ(pthread_create(&watcher, NULL, watch_on, (void *)map), 0);
	suspend_machine();
	/* That of the busy CPU by its timer, that of the idle one when it has counted more. */
	REQUIRE(BECOMES_TRUE(!(see(map, CPU).row.flags & PERFGRP_ROW_OFFLINE), 5000));
	REQUIRE(BECOMES_TRUE(!(see(map, last_cpu()).row.flags & PERFGRP_ROW_OFFLINE), 5000));
	time = now_ns() + MS;
	EXPECT(BECOMES_TRUE(see(map, CPU).row.time_after > time, 5000));
	raw = see(map, last_cpu()).value[0].raw;
	EXPECT_GE(raw, 50);
	child_do(&idle, ORDER_RUN_ON, last_cpu());
	child_do(&idle, ORDER_FAULT, 50);
	need_rest(map, last_cpu());
	EXPECT_GE(see(map, last_cpu()).value[0].raw, raw + 50);
	EXPECT_EQ(see(map, last_cpu()).value[0].state, PERFGRP_STATE_COUNTED);
	pthread_join(watcher, NULL);
}

TEST(task_on_cpu, "M5 G6: in the row of a task on one CPU its time elsewhere does not count")
{
	const struct perfgrp_map *map;
	struct seen s;
	int fd, i;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("there is one CPU");
	settle_memory();
	fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_TASK,
		.cpus = to_u64(cpus.cpu), .nr_cpus = 1 });
	REQUIRE_GE(fd, 0);
	map = map_rows(fd);
	add_faults(fd);
	for (i = 1; i <= 5; i++) {
		here_and_there(&cpus, 1);
		/* The row is written as the task leaves a CPU. */
		run_on(cpus.cpu[0]);
		s = see(map, 0);
		EXPECT_EQ(s.row.cpu, (int)cpus.cpu[0]);
		EXPECT_EQ(s.value[0].raw, i * 10);
		expect_not_scaled(&s.value[0]);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	s = see(map, 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_same_row(&s, &snap, 0);
}

TEST(task_exits, "M5: the row of a task that has exited is final, and says so")
{
	struct child child = child_start();
	int fd = mapped_task(PERFGRP_CREATE_ENABLED, child.pid, 0);
	const struct perfgrp_map *map = map_rows(fd);

	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 9);
	child_exit(&child);
	REQUIRE(BECOMES_TRUE(see(map, 0).row.flags & PERFGRP_ROW_EXITED, 5000));
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(see(map, 0).value[0].raw, snap.value[0].raw);
	EXPECT_GE(see(map, 0).value[0].raw, 9);
	/* It has exited, and yet has to leave its CPU for the last time. */
	EXPECT(BECOMES_TRUE(at_rest(map, 0), 5000));
	child_reap(&child);
}

/* This CPU's row as a snapshot has just written it; nobody writes it again until the CPU idles. */
static struct seen see_snapshot(int fd, const struct perfgrp_map *map)
{
	struct seen s;

	run_on(cpus.cpu[0]);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	s = see(map, cpus.cpu[0]);
	expect_same_row(&s, &snap, 0);
	return s;
}

TEST(of_cgroup, "M1 M5: a cgroup's rows, where it is and where it has not been; its end")
{
	struct cgroup cg = {};
	struct child child, busy;
	const struct perfgrp_map *map;
	int fd;

	NEED_FEATURE(MAPPED);
	NEED_FEATURE(CGROUP);
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("there is one CPU");
	cgroup2_mount();
	cgroup2_spread_perf();
	cgroups_sweep();
	snprintf(cg.path, sizeof(cg.path), "%s/" CGROUP_BASE, cgroup_root);
	cgroup_mkdir(&cg);
	if (!perf_counts_cgroup(&cg))
		skip("perf counts no cgroup here");
	child = child_in_on(&cg, last_cpu());
	fd = mapped_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_CGROUP,
		.target_fd = cg.fd });
	REQUIRE_GE(fd, 0);
	add_faults(fd);
	map = map_rows(fd);
	child_do_all(&child, ORDER_FAULT, 40);
	need_rest(map, last_cpu());
	EXPECT_EQ(see(map, last_cpu()).value[0].raw, 40);
	EXPECT_EQ(see(map, cpus.cpu[0]).value[0].raw, 0);
	EXPECT(see(map, cpus.cpu[0]).value[0].flags & PERFGRP_VALUE_ABSENT);
	EXPECT(see_snapshot(fd, map).value[0].flags & PERFGRP_VALUE_ABSENT);
	child_exit(&child);
	child_reap(&child);
	/* This CPU does not go idle, and no timer writes its row. */
	busy = child_apart();
	child_tell(&busy, ORDER_BURN, ENDLESS);
	REQUIRE(BECOMES_TRUE(!at_rest(map, last_cpu()), 5000));
	REQUIRE(BECOMES_TRUE(rmdir(cg.path) == 0, 5000));
	EXPECT(BECOMES_TRUE(see(map, last_cpu()).row.flags & PERFGRP_ROW_EXITED, 500));
	EXPECT(BECOMES_TRUE(see(map, cpus.cpu[0]).row.flags & PERFGRP_ROW_EXITED, 5000));
	EXPECT(see_snapshot(fd, map).row.flags & PERFGRP_ROW_EXITED);
}

TEST(cached_of_cgroup, "M4 C4: no row that is older than the cgroup's end is called final")
{
	struct child child, busy;
	struct cgroup cg;
	unsigned int i;
	__u32 id;
	int fd;

	NEED_FEATURE(MAPPED);
	NEED_FEATURE(CGROUP);
	cpus_online(&cpus);
	need_cgroups();
	/* Its CPU does not go idle, and no timer writes its row. */
	busy = child_apart();
	child_tell(&busy, ORDER_BURN, ENDLESS);
	for (i = 0; i < 10; i++) {
		cg = cgroup_make("a");
		child = child_in_on(&cg, last_cpu());
		fd = mapped_like((struct perfgrp_create){
			.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_CGROUP,
			.target_fd = cg.fd });
		REQUIRE_GE(fd, 0);
		id = add_faults(fd);
		child_do_all(&child, ORDER_FAULT, 40);
		child_exit(&child);
		child_reap(&child);
		REQUIRE(BECOMES_TRUE(rmdir(cg.path) == 0, 5000));
		/* Perhaps before the worker that writes the rows once more. */
		REQUIRE_EQ(snapshot_cached(fd, 1000000 * MS, &snap), 0);
		EXPECT(snap_row(&snap, last_cpu())->flags & PERFGRP_ROW_EXITED);
		EXPECT_EQ(snap_value(&snap, last_cpu(), id)->raw, 40);
		close(fd);
		close(cg.fd);
	}
}

static void *change_on_and_on(void *arg)
{
	int id;

	while (!stop) {
		grp_reset(hammer_fd);
		id = grp_add(hammer_fd, PERFGRP_SW_DUMMY);
		grp_disable(hammer_fd);
		grp_enable(hammer_fd);
		if (id > 0)
			grp_remove(hammer_fd, id, 0);
	}
	return arg;
}

TEST(one_generation, "M5 S10: slots of one generation have the same members")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
	const struct perfgrp_map *map = map_rows(fd);
	__u64 end = now_ns() + rounds(1000) * MS, generation, before = 0;
	unsigned int whole = 0, wrong = 0, back = 0;
	pthread_t thread;
	struct seen s[2];

	add_faults(fd);
	hammer_fd = fd;
	stop = false;
	REQUIRE_EQ(pthread_create(&thread, NULL, change_on_and_on, NULL), 0);
	while (now_ns() < end) {
		generation = __atomic_load_n(&map->generation, __ATOMIC_ACQUIRE);
		s[0] = see(map, cpus.cpu[0]);
		s[1] = see(map, last_cpu());
		back += generation < before;
		before = generation;
		if (s[0].generation != generation || s[1].generation != generation ||
		    __atomic_load_n(&map->generation, __ATOMIC_ACQUIRE) != generation)
			continue;
		whole++;
		wrong += s[0].nr != s[1].nr ||
			 (s[0].nr == 2 && s[0].value[1].id != s[1].value[1].id);
	}
	stop = true;
	pthread_join(thread, NULL);
	EXPECT_GT(whole, 100);
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(back, 0);
}

/* ---- M6: lives ------------------------------------------------------------------------------ */

TEST(outlives_fd, "M6: the mapping outlives the fd, also in a child")
{
	int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, 0), status;
	const struct perfgrp_map *map = map_rows(fd);
	__u32 nr;
	__u64 raw;
	pid_t pid;

	add_faults(fd);
	close(fd);
	nr = cpus.cpu[0];
	run_on(nr);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		if (cpus.nr > 1)
			run_on(last_cpu());
		raw = see(map, nr).value[0].raw;
		/* The parent waits, so its CPU goes idle. */
		_exit(!BECOMES_TRUE(see(map, nr).value[0].raw > raw, 10000));
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		fault_in(10);
		nap_ns(10 * MS);
	}
	EXPECT_EQ(status, 0);
	REQUIRE_EQ(munmap((void *)map, map->map_size), 0);
}

TEST(many, "M6 C9: groups that are mapped come and go, under load, with timers")
{
	unsigned int i;
	pthread_t thread;

	NEED_FEATURE(MAPPED);
	cpus_online(&cpus);
	stop = false;
	REQUIRE_EQ(pthread_create(&thread, NULL, fault_under_overflows, NULL), 0);
	for (i = 0; i < rounds(50); i++) {
		int fd = mapped_cpus(PERFGRP_CREATE_ENABLED, MS);
		int task = mapped_task(PERFGRP_CREATE_ENABLED, 0, MS);
		const struct perfgrp_map *map = map_rows(fd);

		add_faults(fd);
		add_faults(task);
		EXPECT_EQ(see(map, 0).nr, 1);
		EXPECT_EQ(see(map_rows(task), 0).nr, 1);
		close(fd);
		close(task);
		EXPECT_EQ(see(map, 0).nr, 1);
		munmap((void *)map, map->map_size);
	}
	stop = true;
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int ret = run_tests(argc, argv);

	if (is_cgroup2(cgroup_root))
		cgroups_sweep();
	return ret;
}
