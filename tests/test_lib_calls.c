// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of libperfgrp that pass an argument on to the module: that it arrives, where it belongs.
 * What the module makes of it, others test.
 */
#include "stream.h"

#include "perfgrp.h"
#include <sys/syscall.h>

#define FAULTS		PERFGRP_SW_PAGE_FAULTS
#define BUFFER		65536
#define HOUR_NS		3600000000000ULL

static struct perfgrp_dev *open_device(void)
{
	struct perfgrp_dev *dev = perfgrp_open();

	REQUIRE(dev);
	return dev;
}

/* A group on this task, with a buffer. */
static struct perfgrp_group *with_buffer(void)
{
	const struct perfgrp_create how = {
		.target = PERFGRP_TARGET_TASK, .buffer_size = BUFFER,
	};
	struct perfgrp_group *group = perfgrp_create_with(open_device(), &how, sizeof(how));

	REQUIRE(group);
	return group;
}

static const struct perfgrp_query *query(struct perfgrp_group *group)
{
	static struct perfgrp_members *members;

	if (!members)
		members = perfgrp_members_new();
	REQUIRE(members);
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	return perfgrp_members_group(members);
}

static void add(struct perfgrp_group *group, struct perfgrp_counter *counter)
{
	REQUIRE_EQ(perfgrp_add_counters(group, counter, sizeof(*counter), 1), 0);
}

TEST(targets, "G1 G23: a group is on the task that was named, by a pidfd too")
{
	struct child child = child_start();
	int pidfd = syscall(SYS_pidfd_open, child.pid, 0);
	struct perfgrp_dev *dev = open_device();
	struct perfgrp_group *group;
	struct cpus cpus;

	NEED_FEATURE(PIDFD);
	cpus_online(&cpus);
	group = perfgrp_create_task_on_cpu(dev, child.pid, cpus.cpu[0], 0);
	REQUIRE(group);
	EXPECT_EQ(query(group)->pid, child.pid);
	REQUIRE_GE(pidfd, 0);
	group = perfgrp_create_pidfd(dev, pidfd, 0);
	REQUIRE(group);
	EXPECT_EQ(query(group)->pid, child.pid);
	child_exit(&child);
	child_reap(&child);
}

TEST(period, "O9: the period is that of the member that was named")
{
	struct perfgrp_counter counters[] = {
		{ .event = FAULTS, .sample_period = 1000 },
		{ .event = PERFGRP_SW_MINOR_FAULTS, .sample_period = 2000 },
	};
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_group *group = with_buffer();

	add(group, &counters[0]);
	add(group, &counters[1]);
	REQUIRE_EQ(perfgrp_set_period(group, counters[1].id, 77), 0);
	REQUIRE(members);
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	EXPECT_EQ(perfgrp_members_find(members, counters[0].id)->sample_period, 1000);
	EXPECT_EQ(perfgrp_members_find(members, counters[1].id)->sample_period, 77);
}

TEST(age, "M4: a cached snapshot takes a row of the age that was named, and no older one")
{
	struct perfgrp_snap *snap = perfgrp_snap_new();
	struct perfgrp_counter counter = { .event = FAULTS };
	struct perfgrp_group *group;
	unsigned int i, taken = 0;
	__u64 time;

	NEED_FEATURE(MAPPED);
	REQUIRE(snap);
	group = perfgrp_create_task(open_device(), 0,
				    PERFGRP_CREATE_MAPPED | PERFGRP_CREATE_ENABLED);
	REQUIRE(group);
	add(group, &counter);
	/* A younger row is taken if the task was away from its CPU meanwhile. */
	for (i = 0; i < 10; i++) {
		REQUIRE_EQ(perfgrp_take_snap(group, 0, snap), 0);
		time = perfgrp_snap_time_after(snap);
		await_clock();
		REQUIRE_EQ(perfgrp_take_cached_snap(group, 0, HOUR_NS, snap), 0);
		taken += perfgrp_snap_time_after(snap) == time;
		await_clock();
		REQUIRE_EQ(perfgrp_take_cached_snap(group, 0, 0, snap), 0);
		EXPECT_GT(perfgrp_snap_time_after(snap), time);
	}
	EXPECT_GE(taken, 1);
}

TEST(bpf_events, "B19: events of BPF programs are switched on and off")
{
	struct perfgrp_group *group;

	NEED_FEATURE(BPF_EVENTS);
	group = with_buffer();
	EXPECT_EQ(query(group)->create_flags & PERFGRP_CREATE_BPF_EVENTS, 0);
	REQUIRE_EQ(perfgrp_start_bpf_events(group), 0);
	EXPECT_EQ(query(group)->create_flags & PERFGRP_CREATE_BPF_EVENTS,
		  PERFGRP_CREATE_BPF_EVENTS);
	REQUIRE_EQ(perfgrp_stop_bpf_events(group), 0);
	EXPECT_EQ(query(group)->create_flags & PERFGRP_CREATE_BPF_EVENTS, 0);
}

TEST(handle, "B18: a group's handle stays the same until it is renewed")
{
	struct perfgrp_group *group;
	__u64 first, again, renewed;

	NEED_FEATURE(KFUNC);
	group = with_buffer();
	REQUIRE_EQ(perfgrp_get_bpf_handle(group, &first), 0);
	REQUIRE_EQ(perfgrp_get_bpf_handle(group, &again), 0);
	EXPECT_EQ(again, first);
	REQUIRE_EQ(perfgrp_renew_bpf_handle(group, &renewed), 0);
	EXPECT_NE(renewed, first);
	REQUIRE_EQ(perfgrp_get_bpf_handle(group, &again), 0);
	EXPECT_EQ(again, renewed);
}

/* What a reader gets that may not read records, or finds none. */
static int reads(struct perfgrp_group *reader)
{
	char buf[1024];

	fcntl(perfgrp_group_fd(reader), F_SETFL, O_NONBLOCK);
	return perfgrp_read_records(reader, buf, sizeof(buf));
}

TEST(readers, "A10: a reader is another fd of the group, with the right that was named")
{
	struct perfgrp_counter counter = { .event = FAULTS };
	struct perfgrp_group *group = with_buffer(), *reader;

	add(group, &counter);
	reader = perfgrp_open_reader(group, 0);
	REQUIRE(reader);
	EXPECT_NE(perfgrp_group_fd(reader), perfgrp_group_fd(group));
	EXPECT_EQ(query(reader)->pid, getpid());
	EXPECT_EQ(perfgrp_enable(reader), -EACCES);
	EXPECT_EQ(reads(reader), -EACCES);
	perfgrp_group_close(reader);
	reader = perfgrp_open_reader(group, PERFGRP_READER_RECORDS);
	REQUIRE(reader);
	EXPECT_EQ(perfgrp_enable(reader), -EACCES);
	EXPECT_EQ(reads(reader), -EAGAIN);
	perfgrp_group_close(reader);
	EXPECT_EQ(perfgrp_enable(group), 0);
}

TEST(names, "M5: flags of rows have names, each its own")
{
	static const struct {
		__u32 flag;
		const char *name;
	} flags[] = {
		{ PERFGRP_ROW_OFFLINE, "offline" }, { PERFGRP_ROW_EXITED, "exited" },
		{ PERFGRP_ROW_FAILED, "failed" }, { PERFGRP_ROW_TOTAL, "total" },
		{ PERFGRP_ROW_OUTSIDE, "outside" }, { PERFGRP_ROW_REMOVED, "removed" },
		{ PERFGRP_ROW_OVERFLOW, "overflow" }, { PERFGRP_ROW_OVERFLOW << 1, "unknown" },
		{ PERFGRP_ROW_OFFLINE | PERFGRP_ROW_EXITED, "unknown" }, { 0, "unknown" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (strcmp(perfgrp_row_flag_name(flags[i].flag), flags[i].name))
			fail("%#x is '%s', not '%s'", flags[i].flag,
			     perfgrp_row_flag_name(flags[i].flag), flags[i].name);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
