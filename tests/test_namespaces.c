// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces: how a group shows tasks to processes in another pid namespace.
 */
#include "stream.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>

static struct grp_members members;

/* The pid and the tid that this process's samples have. */
static void expect_samples_of(int fd, __u32 pid, unsigned int at_least)
{
	unsigned int i;

	stream_drain(fd);
	EXPECT_GE(records.nr_samples, at_least);
	for (i = 0; i < records.nr_samples; i++) {
		EXPECT_EQ(records.sample[i]->pid, pid);
		EXPECT_EQ(records.sample[i]->tid, pid);
	}
}

/* A group on a process that samples its page faults, and does not block. */
static int sampling_group(int dev, pid_t pid)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.target = PERFGRP_TARGET_TASK,
		.pid = pid,
		.buffer_size = 65536,
		.flags = PERFGRP_CREATE_ENABLED,
	};
	struct perfgrp_counter c = {
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};

	REQUIRE_EQ(grp_ioctl(dev, PERFGRP_CREATE, &create), 0);
	REQUIRE_EQ(grp_add_counters(create.fd, &c, 1), 0);
	fcntl(create.fd, F_SETFL, O_NONBLOCK);
	return create.fd;
}

static void send_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	REQUIRE_EQ(sendmsg(to, &msg, 0), 1);
}

static int receive_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	REQUIRE_EQ(recvmsg(from, &msg, 0), 1);
	REQUIRE(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

TEST(inside, "O3 G23: in a pid namespace samples, QUERY and CREATE have its numbers")
{
	int dev = grp_device(), pair[2], fd, outer = getpid(), status;
	char byte;
	pid_t pid;

	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	if (unshare(CLONE_NEWPID))
		skip("no pid namespaces (errno %d)", errno);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		REQUIRE_EQ(getpid(), 1);
		/* The task with that pid outside has no pid in this namespace. */
		if (outer != 1)
			EXPECT_REFUSED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, outer, NULL, 0),
				       ESRCH, PID);
		fd = sampling_group(dev, 0);
		fault_in(5);
		expect_samples_of(fd, 1, 5);
		REQUIRE_EQ(grp_query(fd, &members), 0);
		EXPECT_EQ(members.hdr.pid, 1);
		EXPECT_EQ(members.hdr.task_state, PERFGRP_TASK_ALIVE);
		fault_in(7);
		send_fd(pair[1], fd);
		REQUIRE(read(pair[1], &byte, 1) == 1);
		_exit(0);
	}
	fd = receive_fd(pair[0]);
	/* Outside the child has another pid; samples have the one in the creator's namespace. */
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.pid, pid);
	expect_samples_of(fd, 1, 7);
	REQUIRE(write(pair[0], "", 1) == 1);
	REQUIRE(waitpid(pid, &status, 0) == pid);
}

TEST(outside, "O3 G23: to a group's maker a task in a pid namespace has the number outside")
{
	int dev = grp_device(), pair[2], fd;
	char byte;
	pid_t pid;

	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	if (unshare(CLONE_NEWPID))
		skip("no pid namespaces (errno %d)", errno);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		REQUIRE_EQ(getpid(), 1);
		REQUIRE(read(pair[1], &byte, 1) == 1);
		fault_in(5);
		REQUIRE(write(pair[1], "", 1) == 1);
		REQUIRE(read(pair[1], &byte, 1) == 1);
		_exit(0);
	}
	fd = sampling_group(dev, pid);
	REQUIRE(write(pair[0], "", 1) == 1);
	REQUIRE(read(pair[0], &byte, 1) == 1);
	expect_samples_of(fd, pid, 5);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.pid, pid);
	REQUIRE(write(pair[0], "", 1) == 1);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

TEST(unseen, "O3: samples of tasks that the group's maker cannot see have no number of theirs")
{
	struct perfgrp_counter c = {
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
	int dev = grp_device(), go[2], done[2], status;
	__u32 cpu = 0;
	unsigned int i;
	pid_t pid;
	char byte;

	REQUIRE(pipe2(go, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0);
	run_on(cpu);
	/* Takes faults outside the namespace, on the CPU that the group inside counts. */
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(go[0], &byte, 1) == 1) {
			fault_in(5);
			REQUIRE(write(done[1], "", 1) == 1);
		}
		_exit(0);
	}
	if (unshare(CLONE_NEWPID))
		skip("no pid namespaces (errno %d)", errno);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		struct perfgrp_create create = {
			.size = sizeof(create),
			.target = PERFGRP_TARGET_CPUS,
			.cpus = to_u64(&cpu),
			.nr_cpus = 1,
			.buffer_size = 1 << 20,
		};
		unsigned int own = 0, others = 0;

		settle_memory();
		REQUIRE_EQ(grp_ioctl(dev, PERFGRP_CREATE, &create), 0);
		REQUIRE_EQ(grp_add_counters(create.fd, &c, 1), 0);
		fcntl(create.fd, F_SETFL, O_NONBLOCK);
		REQUIRE_EQ(grp_enable(create.fd), 0);
		fault_in(3);
		REQUIRE(write(go[1], "", 1) == 1);
		REQUIRE(read(done[0], &byte, 1) == 1);
		REQUIRE_EQ(grp_disable(create.fd), 0);
		stream_drain(create.fd);
		for (i = 0; i < records.nr_samples; i++) {
			const struct perfgrp_record_sample *s = records.sample[i];

			if (s->pid == 1)
				own++;
			else if (s->pid == 0 && s->tid == 0)
				others++;
			else
				fail("a sample of pid %u tid %u", s->pid, s->tid);
		}
		EXPECT_GE(own, 3);
		EXPECT_GE(others, 5);
		_exit(0);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
}

TEST(fdinfo, "G22 G23: fdinfo has the numbers of the pid namespace whose /proc it is read in")
{
	static const char at[] = "/tmp/perfgrp-proc";
	int dev = grp_device(), fd, status;
	char path[64], text[4096];
	pid_t pid;

	mkdir(at, 0755);
	if (unshare(CLONE_NEWPID | CLONE_NEWNS))
		skip("no pid namespaces (errno %d)", errno);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid) {
		REQUIRE(waitpid(pid, &status, 0) == pid);
		return;
	}
	fd = sampling_group(dev, 0);
	REQUIRE(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	REQUIRE(mount("proc", at, "proc", 0, NULL) == 0);
	snprintf(path, sizeof(path), "%s/self/fdinfo/%d", at, fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	EXPECT(strstr(text, "\ntarget:\ttask 1\n"));
	_exit(0);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
