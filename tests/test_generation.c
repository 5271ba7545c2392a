// SPDX-License-Identifier: GPL-2.0
/*
 * The generation of a group (S14): every ADD, REMOVE, RESET and SNAPSHOT_RESET increases it, no
 * matter who calls it, and nothing else does. SNAPSHOT and QUERY report the same number.
 */
#include "group.h"

#include <sys/socket.h>

static struct grp_snap snap;
static struct grp_members members;

/* Returns the group's generation, the same in QUERY and in snapshots of rows and totals. */
static __u64 generation(int fd)
{
	__u64 now;

	REQUIRE_EQ(grp_query(fd, &members), 0);
	now = members.hdr.generation;
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.generation, now);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.generation, now);
	return now;
}

/* The generation has increased since it was *LAST. */
static void expect_newer(const char *what, int fd, __u64 *last)
{
	__u64 now = generation(fd);

	if (now <= *last)
		fail("after %s: generation %llu, before %llu", what, (unsigned long long)now,
		     (unsigned long long)*last);
	*last = now;
}

static void expect_same(const char *what, int fd, __u64 last)
{
	__u64 now = generation(fd);

	if (now != last)
		fail("%s changed the generation from %llu to %llu", what,
		     (unsigned long long)last, (unsigned long long)now);
}

static int new_group(int on_cpus)
{
	int fd = on_cpus ? grp_on_all_cpus(0) : grp_on_task(0, 0);

	REQUIRE_GE(fd, 0);
	return fd;
}

TEST(increases, "S14: ADD, REMOVE, RESET and SNAPSHOT_RESET increase the generation")
{
	int way, fd, leader, id;
	__u64 last;

	for (way = 0; way < 2; way++) {
		fd = new_group(way);
		last = generation(fd);
		leader = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
		REQUIRE_GT(leader, 0);
		expect_newer("the first ADD", fd, &last);
		id = grp_add(fd, PERFGRP_SW_DUMMY);
		REQUIRE_GT(id, 0);
		expect_newer("another ADD", fd, &last);
		REQUIRE_EQ(grp_reset(fd), 0);
		expect_newer("RESET", fd, &last);
		REQUIRE_EQ(grp_enable(fd), 0);
		REQUIRE_EQ(grp_reset(fd), 0);
		expect_newer("RESET of an enabled group", fd, &last);

		/* This snapshot shows the state before its reset. */
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
		EXPECT_EQ(snap.hdr.generation, last);
		expect_newer("SNAPSHOT_RESET", fd, &last);
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET | PERFGRP_SNAPSHOT_TOTALS,
					&snap), 0);
		EXPECT_EQ(snap.hdr.generation, last);
		expect_newer("SNAPSHOT_RESET of totals", fd, &last);

		REQUIRE_EQ(grp_remove(fd, id, 0), 0);
		expect_newer("REMOVE", fd, &last);
		REQUIRE_EQ(grp_remove(fd, leader, PERFGRP_REMOVE_CASCADE), 0);
		expect_newer("REMOVE of the leader", fd, &last);
		REQUIRE_EQ(grp_reset(fd), 0);
		expect_newer("RESET without members", fd, &last);
		close(fd);
	}
}

TEST(stays, "S14: ENABLE, DISABLE, SNAPSHOT, QUERY and what fails leave the generation alone")
{
	struct perfgrp_counter bad[2] = {
		{ .event = PERFGRP_SW_DUMMY }, { .event = PERFGRP_EVENT(0x7ffffffe, 3) },
	};
	struct perfgrp_snapshot small = {
		.size = sizeof(small),
		.flags = PERFGRP_SNAPSHOT_RESET,
		.row_size = sizeof(struct perfgrp_row),
		.value_size = sizeof(struct perfgrp_value),
	};
	int way, fd, leader, i;
	__u64 last;

	for (way = 0; way < 2; way++) {
		fd = new_group(way);
		leader = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
		REQUIRE_GT(leader, 0);
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_DUMMY), 0);
		last = generation(fd);
		for (i = 0; i < 3; i++) {
			REQUIRE_EQ(grp_enable(fd), 0);
			expect_same("ENABLE", fd, last);
			fault_in(3);
			expect_same("counting", fd, last);
			REQUIRE_EQ(grp_disable(fd), 0);
			expect_same("DISABLE", fd, last);
		}
		EXPECT_EQ(grp_add_counters(fd, bad, 2), -ENOENT);
		expect_same("an ADD that failed", fd, last);
		EXPECT_EQ(grp_remove(fd, 4711, 0), -ENOENT);
		EXPECT_EQ(grp_remove(fd, leader, 0), -EBUSY);
		expect_same("a REMOVE that failed", fd, last);
		EXPECT_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &small), -EMSGSIZE);
		expect_same("a SNAPSHOT_RESET that failed", fd, last);
		close(fd);
	}
}

/* The child gets the group's fd through a socket, and resets the group. */
TEST(other_process, "S14: the generation counts what other processes do with the group")
{
	int go[2], done[2], sock[2], fd, id, passed;
	char byte, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg;
	__u64 last;
	pid_t pid;

	REQUIRE(pipe2(go, O_CLOEXEC) == 0);
	REQUIRE(pipe2(done, O_CLOEXEC) == 0);
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) == 0);
	/* Fork before the group exists, so that the child does not inherit the fd. */
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE_EQ(recvmsg(sock[1], &msg, MSG_CMSG_CLOEXEC), 1);
		cmsg = CMSG_FIRSTHDR(&msg);
		REQUIRE(cmsg && cmsg->cmsg_type == SCM_RIGHTS);
		memcpy(&passed, CMSG_DATA(cmsg), sizeof(passed));
		last = generation(passed);
		REQUIRE_EQ(grp_reset(passed), 0);
		expect_newer("the child's RESET", passed, &last);
		REQUIRE_EQ(write(done[1], &last, sizeof(last)), sizeof(last));
		REQUIRE_EQ(read(go[0], &byte, 1), 1);
		/* The parent has added a member meanwhile. */
		expect_newer("the parent's ADD", passed, &last);
		REQUIRE_EQ(grp_snapshot(passed, PERFGRP_SNAPSHOT_RESET, &snap), 0);
		expect_newer("the child's SNAPSHOT_RESET", passed, &last);
		REQUIRE_EQ(write(done[1], &last, sizeof(last)), sizeof(last));
		_exit(0);
	}
	fd = new_group(1);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	cmsg = CMSG_FIRSTHDR(&msg);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	byte = 'x';
	REQUIRE_EQ(sendmsg(sock[0], &msg, 0), 1);
	REQUIRE_EQ(read(done[0], &last, sizeof(last)), sizeof(last));
	expect_same("reading", fd, last);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_DUMMY), 0);
	REQUIRE_EQ(write(go[1], "", 1), 1);
	REQUIRE_EQ(read(done[0], &last, sizeof(last)), sizeof(last));
	expect_same("reading", fd, last);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

TEST(no_reset_unseen, "S14: counts never go backwards between snapshots of one generation")
{
	unsigned int i, same = 0, resets = rounds(200);
	__u64 last_generation = 0, last_raw = 0;
	int done[2], fd, id;
	pid_t pid;

	REQUIRE(pipe2(done, O_CLOEXEC) == 0);
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (i = 0; i < resets; i++) {
			REQUIRE_EQ(grp_reset(fd), 0);
			nap_ns(1000000);
		}
		_exit(0);
	}
	while (waitpid(pid, NULL, WNOHANG) != pid) {
		fault_in(2);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		EXPECT_GE(snap.hdr.generation, last_generation);
		if (snap.hdr.generation == last_generation) {
			EXPECT_GE(snap.value[0].raw, last_raw);
			same++;
		}
		last_generation = snap.hdr.generation;
		last_raw = snap.value[0].raw;
	}
	EXPECT_GT(same, 0);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
