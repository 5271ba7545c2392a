// SPDX-License-Identifier: GPL-2.0
/*
 * The times of a group's rows and records are on one clock, the one that CREATE names (S15);
 * and the records' layout that CREATE returns (O17).
 */
#include "program.h"
#include "stream.h"

#include <sys/timex.h>

#define NR_FAULTS	10

static struct grp_snap snap, snap2;

static __u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	REQUIRE(clock_gettime(clock, &t) == 0);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static struct perfgrp_counter faults(void)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
}

/* A disabled group on this task that samples each page fault. */
static int group_on_clock(__u32 flags, __s32 clockid, __u32 *id)
{
	struct perfgrp_counter c = faults();
	int fd;

	run_on(0);
	settle_memory();
	fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_TASK,
		.flags = flags,
		.buffer_size = 65536,
		.clockid = clockid,
	});
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	*id = c.id;
	return fd;
}

static __s32 queried_clockid(int fd)
{
	static struct grp_members members;

	REQUIRE_EQ(grp_query(fd, &members), 0);
	return members.hdr.clockid;
}

/* All records of the buffer were made between BEFORE and AFTER. */
static void expect_records_between(int fd, __u64 before, __u64 after)
{
	__u32 i;

	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, NR_FAULTS);
	for (i = 0; i < records.nr; i++) {
		EXPECT_GE(record_time(records.record[i]), before);
		EXPECT_LE(record_time(records.record[i]), after);
	}
}

static void expect_rows_between(const struct grp_snap *s, __u64 before, __u64 after)
{
	__u32 i;

	EXPECT_GE(s->hdr.time_before, before);
	EXPECT_LE(s->hdr.time_before, s->hdr.time_after);
	EXPECT_LE(s->hdr.time_after, after);
	for (i = 0; i < s->hdr.nr_rows; i++) {
		EXPECT_GE(s->row[i].time_before, before);
		EXPECT_LE(s->row[i].time_before, s->row[i].time_after);
		EXPECT_LE(s->row[i].time_after, after);
	}
}

/* Samples are between the snapshots around them, and all times between readings of CLOCK. */
static void check_clock(__u32 flags, __s32 clockid, clockid_t clock)
{
	__u64 before, between, after;
	__u32 id;
	int fd = group_on_clock(flags, clockid, &id);

	EXPECT_EQ(queried_clockid(fd), clock);
	/* Before the group is enabled: the first call in a process faults in the vDSO's page. */
	before = clock_ns(clock);
	REQUIRE_EQ(grp_enable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	between = clock_ns(clock);
	fault_in(NR_FAULTS);
	after = clock_ns(clock);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap2), 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	expect_rows_between(&snap, before, between);
	expect_rows_between(&snap2, after, clock_ns(clock));
	expect_records_between(fd, between, after);
	EXPECT_LE(snap.hdr.time_after, record_time(records.record[0]));
	EXPECT_LE(record_time(records.record[records.nr - 1]), snap2.hdr.time_before);

	/* Totals, too. */
	before = clock_ns(clock);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	expect_rows_between(&snap, before, clock_ns(clock));
	close(fd);
}

TEST(default_clock, "S15: rows and records are on CLOCK_MONOTONIC by default")
{
	check_clock(0, 0, CLOCK_MONOTONIC);
}

TEST(monotonic, "S15: rows and records are on CLOCK_MONOTONIC if asked for")
{
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_MONOTONIC, CLOCK_MONOTONIC);
}

TEST(monotonic_raw, "S15: rows and records are on CLOCK_MONOTONIC_RAW")
{
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW);
}

TEST(boottime, "S15: rows and records are on CLOCK_BOOTTIME")
{
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_BOOTTIME, CLOCK_BOOTTIME);
}

TEST(realtime, "S15: rows and records are on CLOCK_REALTIME")
{
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_REALTIME, CLOCK_REALTIME);
}

/* Sets the seconds that CLOCK_TAI is ahead of CLOCK_REALTIME. */
static void set_tai_offset(int seconds)
{
	struct timex tx = { .modes = ADJ_TAI, .constant = seconds };

	REQUIRE(adjtimex(&tx) >= 0);
}

static bool tai_is_ahead(void)
{
	return clock_ns(CLOCK_TAI) - clock_ns(CLOCK_REALTIME) > 36000000000ULL;
}

TEST(tai, "S15: rows and records are on CLOCK_TAI")
{
	/* Without an offset CLOCK_TAI could not be distinguished from CLOCK_REALTIME. */
	set_tai_offset(37);
	REQUIRE(BECOMES_TRUE(tai_is_ahead(), 5000));
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_TAI, CLOCK_TAI);
	set_tai_offset(0);
}

TEST(clock_samples, "S15: so are samples from a timer's interrupts, on all CPUs")
{
	static const clockid_t clock[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
					   CLOCK_REALTIME, CLOCK_TAI };
	struct cpus cpus;
	size_t i;

	cpus_online(&cpus);
	for (i = 0; i < ARRAY_SIZE(clock); i++) {
		struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK,
					     .sample_period = 1000000 };
		__u64 before, after, end;
		__u32 k;
		int fd;

		fd = grp_create_like((struct perfgrp_create){
			.target = PERFGRP_TARGET_ALL_CPUS,
			.flags = PERFGRP_CREATE_USE_CLOCKID,
			.buffer_size = 65536,
			.clockid = clock[i],
		});
		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		before = clock_ns(clock[i]);
		REQUIRE_EQ(grp_enable(fd), 0);
		for (k = 0; k < cpus.nr; k++) {
			run_on(cpus.cpu[k]);
			end = cpu_time_ns() + 20000000;
			while (cpu_time_ns() < end)
				spin(1000);
		}
		REQUIRE_EQ(grp_disable(fd), 0);
		after = clock_ns(clock[i]);
		stream_drain(fd);
		EXPECT_GT(records.nr_samples, 0);
		for (k = 0; k < records.nr; k++) {
			EXPECT_GE(record_time(records.record[k]), before);
			EXPECT_LE(record_time(records.record[k]), after);
		}
		close(fd);
	}
}

TEST(program_records, "S15 B11: so are the records of programs that are attached")
{
	struct perfgrp_bpf_attach attach = { .size = sizeof(attach) };
	__u64 before, after;
	int fd;

	NEED_FEATURE(BPF);
	attach.prog_fd = load_program();
	REQUIRE_GE(attach.prog_fd, 0);
	fd = group_on_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_REALTIME, &attach.id);
	before = clock_ns(CLOCK_REALTIME);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_BPF_ATTACH, &attach), 0);
	after = clock_ns(CLOCK_REALTIME);
	stream_drain(fd);
	REQUIRE_EQ(records.nr_attach, 1);
	EXPECT_GE(record_time(records.record[0]), before);
	EXPECT_LE(record_time(records.record[0]), after);
}

/* Makes CLOCK_MONOTONIC run faster by TICK - 10000 hundredths of a percent. */
static void set_tick(long tick)
{
	struct timex tx = { .modes = ADJ_TICK, .tick = tick };

	REQUIRE(adjtimex(&tx) >= 0);
}

TEST(slewed, "S15: CLOCK_MONOTONIC is slewed, CLOCK_MONOTONIC_RAW is not")
{
	/* Now they are some 30 ms apart. */
	set_tick(11000);
	nap_ns(300000000);
	set_tick(10000);
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW);
	check_clock(0, 0, CLOCK_MONOTONIC);
}

/* Whether CLOCK_BOOTTIME is ahead: the kernel may know its sleep to a second only, from the RTC. */
static bool has_slept(void)
{
	suspend_machine();
	return clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC) > 100000000;
}

TEST_LIMIT(suspended, 60, "S15 G30: CLOCK_BOOTTIME goes on while the machine is suspended")
{
	REQUIRE(BECOMES_TRUE(has_slept(), 30000));
	check_clock(PERFGRP_CREATE_USE_CLOCKID, CLOCK_BOOTTIME, CLOCK_BOOTTIME);
	check_clock(0, 0, CLOCK_MONOTONIC);
}

/* ---- perf's clock ---------------------------------------------------------------------- */

#define PEER_PAGES	8

/* perf's samples of this task's page faults, which have only times. */
struct peer {
	int fd;
	char *ring;
};

static struct peer open_peer(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
	};
	struct peer peer = { .fd = peer_open_attr(&attr, 0, -1, -1) };

	REQUIRE_GE(peer.fd, 0);
	peer.ring = mmap(NULL, (1 + PEER_PAGES) * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			 MAP_SHARED, peer.fd, 0);
	REQUIRE(peer.ring != MAP_FAILED);
	return peer;
}

static unsigned int peer_times(const struct peer *peer, __u64 *time, unsigned int room)
{
	const struct perf_event_mmap_page *page = (const void *)peer->ring;
	const char *data = peer->ring + sysconf(_SC_PAGESIZE);
	__u64 end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at;
	const struct perf_event_header *h;
	unsigned int nr = 0;

	REQUIRE(end <= PEER_PAGES * (__u64)sysconf(_SC_PAGESIZE));
	for (at = 0; at < end; at += h->size) {
		h = (const void *)(data + at);
		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		REQUIRE_LT(nr, room);
		memcpy(&time[nr++], h + 1, sizeof(*time));
	}
	return nr;
}

TEST(perf_clock, "S15: on PERFGRP_CLOCK_PERF, samples and rows stand in order with perf's samples")
{
	__u64 theirs[2 * NR_FAULTS], between;
	struct peer peer;
	__u32 id, i;
	int fd;

	fd = group_on_clock(PERFGRP_CREATE_USE_CLOCKID, PERFGRP_CLOCK_PERF, &id);
	EXPECT_EQ(queried_clockid(fd), PERFGRP_CLOCK_PERF);
	peer = open_peer();
	settle_memory();
	peer_enable(peer.fd);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(NR_FAULTS);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	fault_in(NR_FAULTS);
	REQUIRE_EQ(grp_disable(fd), 0);
	peer_disable(peer.fd);
	stream_drain(fd);
	REQUIRE_EQ(records.nr_samples, 2 * NR_FAULTS);
	REQUIRE_EQ(peer_times(&peer, theirs, ARRAY_SIZE(theirs)), 2 * NR_FAULTS);
	/* Both sample each fault, in either order, before the next fault. */
	for (i = 0; i + 1 < 2 * NR_FAULTS; i++) {
		EXPECT_LE(records.sample[i]->time, theirs[i + 1]);
		EXPECT_LE(theirs[i], records.sample[i + 1]->time);
	}
	EXPECT_GE(snap.hdr.time_before, theirs[NR_FAULTS - 1]);
	EXPECT_LE(snap.hdr.time_after, theirs[NR_FAULTS]);
	expect_rows_between(&snap, records.sample[NR_FAULTS - 1]->time,
			    records.sample[NR_FAULTS]->time);
	/* perf's clock is not the default clock: they start at different times. */
	between = now_ns();
	diag("perf's clock is %lld ns behind CLOCK_MONOTONIC",
	     (long long)(between - theirs[2 * NR_FAULTS - 1]));
}

/* ---- what is refused ------------------------------------------------------------------- */

TEST(bad_clocks,
     "S15: clocks that tell no common time are EINVAL, and so is a clockid without flag")
{
	static const __s32 bad[] = {
		CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_REALTIME_COARSE,
		CLOCK_MONOTONIC_COARSE, 99, -2, -3, 0x7fffffff, -0x7fffffff - 1,
	};
	static const __s32 unasked[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, PERFGRP_CLOCK_PERF, 99 };
	static const __u32 size[] = { 0, 8192 };
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(size); k++) {
		struct perfgrp_create c = { .target = PERFGRP_TARGET_TASK,
					    .buffer_size = size[k] };

		c.flags = PERFGRP_CREATE_USE_CLOCKID;
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			c.clockid = bad[i];
			EXPECT_REFUSED_FIELD(grp_create_like(c), EINVAL, "clockid");
		}
		c.flags = 0;
		for (i = 0; i < ARRAY_SIZE(unasked); i++) {
			c.clockid = unasked[i];
			EXPECT_REFUSED_FIELD(grp_create_like(c), EINVAL, "clockid");
		}
	}
}

TEST(rows_without_buffer, "S15: a group without a buffer has its rows on its clock as well")
{
	static const clockid_t clock[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
					   CLOCK_BOOTTIME, CLOCK_TAI };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(clock); i++) {
		int fd = grp_create_like((struct perfgrp_create){
			.target = PERFGRP_TARGET_ALL_CPUS,
			.flags = PERFGRP_CREATE_USE_CLOCKID | PERFGRP_CREATE_ENABLED,
			.clockid = clock[i],
		});
		__u64 before;

		REQUIRE_GE(fd, 0);
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
		EXPECT_EQ(queried_clockid(fd), clock[i]);
		before = clock_ns(clock[i]);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		expect_rows_between(&snap, before, clock_ns(clock[i]));
		close(fd);
	}
}

/* ---- O17 ------------------------------------------------------------------------------- */

TEST(sample_type, "O17: sample_type 0 and PERFGRP_SAMPLE_TYPE are accepted, unknown ones refused")
{
	static const __u64 good[] = { 0, PERFGRP_SAMPLE_TYPE };
	static const __u64 bad[] = {
		1, PERF_SAMPLE_TIME, PERFGRP_SAMPLE_TYPE & ~PERF_SAMPLE_IP,
		PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_ADDR, PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_REGS_USER,
		PERFGRP_SAMPLE_TYPE | 1ULL << 63, ~0ULL,
	};
	struct perfgrp_create c = { .target = PERFGRP_TARGET_TASK, .buffer_size = 8192 };
	struct perfgrp_stream_stats stats;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		c.sample_type = bad[i];
		EXPECT_REFUSED_FIELD(grp_create_like(c), EOPNOTSUPP, "sample_type");
	}
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		c.sample_type = good[i];
		fd = grp_create_like(c);
		REQUIRE_GE(fd, 0);
		memset(&stats, 0, sizeof(stats));
		stats.size = sizeof(stats);
		REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
		EXPECT_EQ(stats.sample_type, PERFGRP_SAMPLE_TYPE);
		EXPECT_EQ(stats.read_format, PERFGRP_READ_FORMAT);
		EXPECT_EQ(stats.buffer_size, 8192);
		EXPECT_EQ(stats.reserved, 0);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
