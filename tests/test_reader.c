// SPDX-License-Identifier: GPL-2.0
/*
 * Read-only fds on a group (A10): what they can and cannot do, and that they keep the group
 * alive.
 */
#include "caps.h"
#include "program.h"
#include "stream.h"

#include <poll.h>

static struct grp_snap snap;
static struct grp_members members;

/* A disabled group on this task that samples its page faults; nothing blocks. */
static int sampling_group(struct perfgrp_counter *c)
{
	int fd;

	*c = (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
	run_on(0);
	settle_memory();
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int open_reader(int fd, __u32 flags)
{
	int reader = grp_open_reader(fd, flags);

	REQUIRE_GE(reader, 0);
	fcntl(reader, F_SETFL, O_NONBLOCK);
	return reader;
}

static void faults_while_enabled(int fd, unsigned int nr)
{
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(nr);
	REQUIRE_EQ(grp_disable(fd), 0);
}

static int stream_stats(int fd, struct perfgrp_stream_stats *stats)
{
	*stats = (struct perfgrp_stream_stats){ .size = sizeof(*stats) };
	return grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, stats);
}

static int bpf_query(int fd, __u32 id)
{
	struct perfgrp_bpf_query query = { .size = sizeof(query), .id = id };

	return grp_ioctl(fd, PERFGRP_BPF_QUERY, &query);
}

TEST(allowed, "A10: a reader takes snapshots and asks what the group consists of")
{
	struct perfgrp_stream_stats stats, own;
	struct perfgrp_counter c;
	int fd = sampling_group(&c), reader = open_reader(fd, 0);
	struct pollfd p = { .fd = reader, .events = POLLIN };

	EXPECT_EQ(poll(&p, 1, 0), 0);
	faults_while_enabled(fd, 15);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT(p.revents & POLLIN);
	REQUIRE_EQ(grp_snapshot(reader, 0, &snap), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	EXPECT_EQ(snap.hdr.nr_values, 1);
	EXPECT_EQ(snap.value[0].raw, 15);
	expect_same_value(&snap.value[0], &grp_last.value[0]);
	EXPECT_EQ(snap.hdr.generation, grp_last.hdr.generation);
	REQUIRE_EQ(grp_snapshot(reader, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.value[0].raw, 15);
	REQUIRE_EQ(grp_snapshot(reader, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS,
				&snap), 0);
	EXPECT_EQ(snap.value[0].raw, 15);
	REQUIRE_EQ(grp_query(reader, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 1);
	EXPECT_EQ(members.counter[0].id, c.id);
	EXPECT_EQ(members.hdr.pid, getpid());
	REQUIRE_EQ(stream_stats(reader, &stats), 0);
	REQUIRE_EQ(stream_stats(fd, &own), 0);
	EXPECT_EQ(stats.produced, 15);
	EXPECT_EQ(stats.produced, own.produced);
	/* The reader may query programs; none is attached. */
	if (grp_info().features & PERFGRP_FEATURE_BPF)
		EXPECT_REFUSED_MEMBER(bpf_query(reader, c.id), ENOENT, BPF_NONE, c.id);
}

TEST(denied, "A10: whatever changes the group is EACCES on a reader, and changes nothing")
{
	struct perfgrp_counter c, more = { .event = PERFGRP_SW_DUMMY };
	int fd = sampling_group(&c), program = load_program(), kind;
	struct perfgrp_remove remove = { .size = sizeof(remove), .id = c.id };
	struct perfgrp_period period = { .size = sizeof(period), .id = c.id, .sample_period = 9 };
	struct perfgrp_bpf_attach attach = { .size = sizeof(attach), .id = c.id,
					     .prog_fd = program };
	struct perfgrp_bpf_detach detach = { .size = sizeof(detach), .id = c.id };
	struct perfgrp_bpf_handle handle = { .size = sizeof(handle) };
	struct perfgrp_control control = { .size = sizeof(control) };
	struct perfgrp_add add = {
		.size = sizeof(add),
		.counters = to_u64(&more),
		.counter_size = sizeof(more),
		.nr_counters = 1,
	};
	const struct {
		const char *name;
		unsigned long nr;
		void *arg;
	} calls[] = {
		{ "ADD", PERFGRP_ADD, &add },
		{ "REMOVE", PERFGRP_REMOVE, &remove },
		{ "ENABLE", PERFGRP_ENABLE, &control },
		{ "DISABLE", PERFGRP_DISABLE, &control },
		{ "RESET", PERFGRP_RESET, &control },
		{ "SET_PERIOD", PERFGRP_SET_PERIOD, &period },
		{ "BPF_EVENTS_ON", PERFGRP_BPF_EVENTS_ON, &control },
		{ "BPF_EVENTS_OFF", PERFGRP_BPF_EVENTS_OFF, &control },
		{ "BPF_ATTACH", PERFGRP_BPF_ATTACH, &attach },
		{ "BPF_REPLACE", PERFGRP_BPF_REPLACE, &attach },
		{ "BPF_DETACH", PERFGRP_BPF_DETACH, &detach },
		{ "GET_BPF_HANDLE", PERFGRP_GET_BPF_HANDLE, &handle },
	};
	__u64 generation;
	size_t i;

	faults_while_enabled(fd, 15);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	generation = members.hdr.generation;
	for (kind = 0; kind < 2; kind++) {
		int reader = open_reader(fd, kind ? PERFGRP_READER_RECORDS : 0);

		for (i = 0; i < ARRAY_SIZE(calls); i++) {
			int ret = grp_ioctl(reader, calls[i].nr, calls[i].arg);

			if (ret != -EACCES)
				fail("%s on a reader returned %d", calls[i].name, ret);
			else if (!error_is_sane(&grp_error, EACCES))
				fail("%s on a reader left no reason", calls[i].name);
		}
		EXPECT_EQ(grp_snapshot(reader, PERFGRP_SNAPSHOT_RESET, &snap), -EACCES);
		EXPECT(error_is_sane(&grp_error, EACCES));
		EXPECT_EQ(grp_snapshot(reader, PERFGRP_SNAPSHOT_RESET | PERFGRP_SNAPSHOT_TOTALS,
				       &snap), -EACCES);
		close(reader);
	}
	EXPECT_EQ(more.id, 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.generation, generation);
	EXPECT_EQ(members.hdr.nr_counters, 1);
	EXPECT_EQ(members.hdr.enabled, 0);
	EXPECT_EQ(members.counter[0].sample_period, 1);
	EXPECT_EQ(grp_raw(fd, c.id), 15);
	/* A reader does not accept the device's ioctls either. */
	fd = open_reader(fd, 0);
	control.size = sizeof(control);
	EXPECT_EQ(grp_ioctl(fd, PERFGRP_GET_INFO, &control), -ENOTTY);
}

TEST(records_denied, "A10: without PERFGRP_READER_RECORDS a reader cannot read records")
{
	static char buf[65536];
	struct perfgrp_counter c;
	int fd = sampling_group(&c), reader = open_reader(fd, 0), i;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(read(reader, buf, sizeof(buf)), -1);
		EXPECT_EQ(errno, EACCES);
		faults_while_enabled(fd, 5);
	}
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 10);
}

TEST(records_read, "A10: with it a reader reads records, and what it read is gone")
{
	struct perfgrp_counter c;
	int fd = sampling_group(&c), reader = open_reader(fd, PERFGRP_READER_RECORDS);
	struct perfgrp_stream_stats stats;

	EXPECT_EQ(stream_read(reader, 65536), -1);
	EXPECT_EQ(errno, EAGAIN);
	faults_while_enabled(fd, 5);
	stream_drain(reader);
	EXPECT_EQ(records.nr_samples, 5);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 0);
	faults_while_enabled(fd, 7);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 7);
	stream_drain(reader);
	EXPECT_EQ(records.nr_samples, 0);
	REQUIRE_EQ(stream_stats(reader, &stats), 0);
	EXPECT_EQ(stats.read, 12);
}

TEST(no_buffer, "A10: of a group without a buffer neither reads nor streams work on a reader")
{
	struct perfgrp_stream_stats stats;
	int fd = grp_on_task(0, 0), reader;
	char byte;

	REQUIRE_GE(fd, 0);
	reader = open_reader(fd, PERFGRP_READER_RECORDS);
	EXPECT_EQ(read(reader, &byte, 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(stream_stats(reader, &stats), -EINVAL);
}

TEST(reader_of_reader, "A10: a reader opens readers, but none with more rights than it has")
{
	struct perfgrp_counter c;
	int fd = sampling_group(&c), plain = open_reader(fd, 0);
	int with_records = open_reader(fd, PERFGRP_READER_RECORDS), second, third;
	static char buf[4096];

	faults_while_enabled(fd, 6);
	EXPECT_REFUSED(grp_open_reader(plain, PERFGRP_READER_RECORDS), EACCES, PRIVILEGE);
	second = open_reader(plain, 0);
	EXPECT_REFUSED(grp_open_reader(second, PERFGRP_READER_RECORDS), EACCES, PRIVILEGE);
	REQUIRE_EQ(grp_snapshot(second, 0, &snap), 0);
	EXPECT_EQ(snap.value[0].raw, 6);
	EXPECT_EQ(grp_reset(second), -EACCES);

	second = open_reader(with_records, PERFGRP_READER_RECORDS);
	third = open_reader(with_records, 0);
	EXPECT_EQ(grp_reset(second), -EACCES);
	EXPECT_EQ(read(third, buf, sizeof(buf)), -1);
	EXPECT_EQ(errno, EACCES);
	stream_drain(second);
	EXPECT_EQ(records.nr_samples, 6);
}

TEST(lives_on, "A10: the group lives until its last fd is closed, whichever kind that is")
{
	long refs = read_number(MODULE "/refcnt");
	struct perfgrp_counter c;
	int fd = sampling_group(&c), reader = open_reader(fd, PERFGRP_READER_RECORDS);
	int second = open_reader(reader, 0);
	__u64 raw;

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	close(fd);
	EXPECT_GT(read_number(MODULE "/refcnt"), refs);
	/* The group continues to count and to sample. */
	fault_in(5);
	raw = grp_raw(reader, c.id);
	EXPECT_EQ(raw, 15);
	stream_drain(reader);
	EXPECT_EQ(records.nr_samples, 15);
	close(reader);
	fault_in(5);
	EXPECT_EQ(grp_raw(second, c.id), 20);
	REQUIRE_EQ(grp_query(second, &members), 0);
	EXPECT_EQ(members.hdr.enabled, 1);
	EXPECT_GT(read_number(MODULE "/refcnt"), refs);
	close(second);
	EXPECT(BECOMES_TRUE(read_number(MODULE "/refcnt") == refs, 5000));
}

TEST(without_privilege, "A10: a reader that was passed to somebody without privileges works there")
{
	struct perfgrp_counter c;
	int fd = sampling_group(&c), reader = open_reader(fd, PERFGRP_READER_RECORDS);
	pid_t pid;

	faults_while_enabled(fd, 9);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		close(fd);
		REQUIRE_EQ(syscall(SYS_setresuid, 65534, 65534, 65534), 0);
		keep_caps(0);
		EXPECT_EQ(grp_raw(reader, c.id), 9);
		EXPECT_EQ(grp_query(reader, &members), 0);
		EXPECT_GE(grp_open_reader(reader, 0), 0);
		stream_drain(reader);
		EXPECT_EQ(records.nr_samples, 9);
		EXPECT_EQ(grp_reset(reader), -EACCES);
		_exit(0);
	}
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

TEST(close_on_exec, "A10: the new fd is close-on-exec")
{
	int fd = grp_on_task(0, 0), reader;

	REQUIRE_GE(fd, 0);
	reader = grp_open_reader(fd, 0);
	REQUIRE_GE(reader, 0);
	EXPECT_EQ(fcntl(reader, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	reader = grp_open_reader(reader, 0);
	REQUIRE_GE(reader, 0);
	EXPECT_EQ(fcntl(reader, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(no_fds_left, "A10: without fds left OPEN_READER is EMFILE, and the group stays as it was")
{
	long refs = read_number(MODULE "/refcnt");
	struct rlimit limit = { 64, 64 };
	int fd = grp_on_task(0, 0), reader[64], nr = 0, ret;

	REQUIRE_GE(fd, 0);
	REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while ((ret = grp_open_reader(fd, 0)) >= 0) {
		REQUIRE_LT(nr, 64);
		reader[nr++] = ret;
	}
	EXPECT_EQ(ret, -EMFILE);
	EXPECT(error_is_sane(&grp_error, EMFILE));
	EXPECT_GT(nr, 0);
	close(reader[--nr]);
	reader[nr] = grp_open_reader(fd, 0);
	EXPECT_GE(reader[nr], 0);
	EXPECT_EQ(grp_snapshot(fd, 0, &snap), 0);
	while (nr >= 0)
		close(reader[nr--]);
	close(fd);
	EXPECT(BECOMES_TRUE(read_number(MODULE "/refcnt") == refs, 5000));
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
