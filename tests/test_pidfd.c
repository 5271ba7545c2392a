// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that are named by a pidfd (PERFGRP_TARGET_PIDFD), and the state of a group's task in
 * QUERY: G23.
 */
#include "group.h"

#include <pthread.h>

#ifndef __NR_pidfd_open
#define __NR_pidfd_open	434
#endif

#ifndef PIDFD_THREAD
#define PIDFD_THREAD	O_EXCL
#endif

static struct grp_members members;

static int pidfd_of(pid_t pid)
{
	int fd = syscall(__NR_pidfd_open, pid, 0);

	REQUIRE_GE(fd, 0);
	return fd;
}

static int grp_on_pidfd(__u32 flags, int pidfd)
{
	return grp_create_like((struct perfgrp_create){
		.flags = flags, .target = PERFGRP_TARGET_PIDFD, .target_fd = pidfd });
}

static void need_pidfd(void)
{
	NEED_FEATURE(PIDFD);
}

static void expect_task(int fd, __s32 pid, __u32 state)
{
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_TASK);
	EXPECT_EQ(members.hdr.pid, pid);
	EXPECT_EQ(members.hdr.task_state, state);
}

TEST(counts, "G23: a group on a pidfd counts that task, as one on its pid does")
{
	struct child child;
	int fd[2], id[2], pidfd, i;

	need_pidfd();
	child = child_start();
	pidfd = pidfd_of(child.pid);
	fd[0] = grp_on_pidfd(PERFGRP_CREATE_ENABLED, pidfd);
	fd[1] = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	for (i = 0; i < 2; i++) {
		REQUIRE_GE(fd[i], 0);
		id[i] = grp_add(fd[i], PERFGRP_SW_PAGE_FAULTS);
		REQUIRE_GT(id[i], 0);
	}
	/* The group no longer needs the pidfd. */
	close(pidfd);
	child_do(&child, ORDER_FAULT, 123);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(grp_raw(fd[i], id[i]), 123);
		expect_task(fd[i], child.pid, PERFGRP_TASK_ALIVE);
	}
	child_exit(&child);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(grp_raw(fd[i], id[i]), 123);
		expect_task(fd[i], 0, PERFGRP_TASK_EXITED);
	}
	child_reap(&child);
	expect_task(fd[0], 0, PERFGRP_TASK_EXITED);
	expect_task(fd[1], 0, PERFGRP_TASK_EXITED);
}

TEST(on_one_cpu, "G23: a pidfd and one CPU, as a pid and one CPU")
{
	struct perfgrp_create c = { .target = PERFGRP_TARGET_PIDFD, .nr_cpus = 1 };
	struct cpus cpus;
	int fd;

	need_pidfd();
	cpus_online(&cpus);
	c.cpus = to_u64(cpus.cpu);
	c.target_fd = pidfd_of(getpid());
	fd = grp_create_like(c);
	REQUIRE_GE(fd, 0);
	expect_task(fd, getpid(), PERFGRP_TASK_ALIVE);
	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	EXPECT_EQ(grp_last.hdr.nr_rows, 1);
	EXPECT_EQ(grp_last.row[0].cpu, cpus.cpu[0]);
}

struct thread {
	pid_t tid;
	pthread_barrier_t step;
};

static void *fault_as_told(void *arg)
{
	struct thread *thread = arg;

	thread->tid = syscall(SYS_gettid);
	fault_in(1);
	pthread_barrier_wait(&thread->step);
	pthread_barrier_wait(&thread->step);
	fault_in(40);
	pthread_barrier_wait(&thread->step);
	pthread_barrier_wait(&thread->step);
	return NULL;
}

TEST(one_thread, "G23: a pidfd of a thread is of that thread, not of its process")
{
	struct thread thread;
	pthread_t other;
	int pidfd, fd, id;
	__u64 n;

	need_pidfd();
	REQUIRE(pthread_barrier_init(&thread.step, NULL, 2) == 0);
	REQUIRE(pthread_create(&other, NULL, fault_as_told, &thread) == 0);
	pthread_barrier_wait(&thread.step);
	pidfd = syscall(__NR_pidfd_open, thread.tid, PIDFD_THREAD);
	if (pidfd < 0 && errno == EINVAL)
		skip("this kernel has no pidfds of threads");
	REQUIRE_GE(pidfd, 0);
	fd = grp_on_pidfd(PERFGRP_CREATE_ENABLED, pidfd);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(100);
	pthread_barrier_wait(&thread.step);
	pthread_barrier_wait(&thread.step);
	n = grp_raw(fd, id);
	EXPECT_GE(n, 40);
	EXPECT_LT(n, 60);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.pid, thread.tid);
	pthread_barrier_wait(&thread.step);
	pthread_join(other, NULL);
}

TEST(exited, "G23: the pidfd of a task that has exited is ESRCH, also when it is reaped")
{
	struct refusal gone = refusal(ESRCH, PERFGRP_REASON_PID);
	struct child child;
	int pidfd;

	need_pidfd();
	gone.field = "target_fd";
	child = child_start();
	pidfd = pidfd_of(child.pid);
	child_exit(&child);
	EXPECT_REFUSED_AS(grp_on_pidfd(0, pidfd), gone);
	child_reap(&child);
	EXPECT_REFUSED_AS(grp_on_pidfd(0, pidfd), gone);
}

TEST(no_pidfd, "G23: an fd that is no pidfd is EBADF, and the text says so")
{
	struct refusal want = refusal(EBADF, PERFGRP_REASON_PID);
	int closed, path, fd[8], pipes[2];
	unsigned int nr = 0, i;

	need_pidfd();
	want.field = "target_fd";
	REQUIRE(pipe2(pipes, O_CLOEXEC) == 0);
	fd[nr++] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fd[nr++] = open("/dev/null", O_RDWR | O_CLOEXEC);
	fd[nr++] = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd[nr++] = grp_device();
	fd[nr++] = grp_on_task(0, 0);
	fd[nr++] = pipes[0];
	path = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	fd[nr++] = path;
	for (i = 0; i < nr; i++) {
		REQUIRE_GE(fd[i], 0);
		EXPECT_REFUSED_AS(grp_on_pidfd(0, fd[i]), want);
	}
	closed = dup(path);
	REQUIRE_GE(closed, 0);
	close(closed);
	EXPECT_REFUSED_AS(grp_on_pidfd(0, closed), want);
	EXPECT_REFUSED_AS(grp_on_pidfd(0, -1), want);
	EXPECT_REFUSED_AS(grp_on_pidfd(0, 0x7fffffff), want);
}

TEST(unused, "G23 A4: target_fd with another target, and pid with a pidfd, are EINVAL")
{
	struct cpus cpus;
	struct perfgrp_create c[] = {
		{ .target = PERFGRP_TARGET_TASK },
		{ .target = PERFGRP_TARGET_CPUS, .cpus = to_u64(cpus.cpu), .nr_cpus = 1 },
		{ .target = PERFGRP_TARGET_ALL_CPUS },
	};
	struct refusal want = refusal(EINVAL, PERFGRP_REASON_TARGET);
	int pidfd;
	size_t i;

	need_pidfd();
	cpus_online(&cpus);
	pidfd = pidfd_of(getpid());
	want.field = "target_fd";
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		c[i].target_fd = pidfd;
		EXPECT_REFUSED_AS(grp_create_like(c[i]), want);
		c[i].target_fd = -1;
		EXPECT_REFUSED_AS(grp_create_like(c[i]), want);
	}
	want.field = "pid";
	EXPECT_REFUSED_AS(grp_create_like((struct perfgrp_create){
				.target = PERFGRP_TARGET_PIDFD, .pid = getpid(),
				.target_fd = pidfd }), want);
}

TEST(no_task, "G23: the task of a group on CPUs is none")
{
	int fd = grp_on_all_cpus(0);

	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_ALL_CPUS);
	EXPECT_EQ(members.hdr.pid, 0);
	EXPECT_EQ(members.hdr.task_state, PERFGRP_TASK_NONE);
	fd = grp_on_cpu(0, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_CPUS);
	EXPECT_EQ(members.hdr.pid, 0);
	EXPECT_EQ(members.hdr.task_state, PERFGRP_TASK_NONE);
}

TEST(other_namespace,
     "G23: a task that the caller's pid namespace cannot see is hidden, till it exits")
{
	int own, fd, go[2], done[2];
	struct child child;
	char byte;
	pid_t pid;

	child = child_start();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	own = grp_on_task(0, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_GE(own, 0);
	REQUIRE(pipe2(go, O_CLOEXEC) == 0);
	REQUIRE(pipe2(done, O_CLOEXEC) == 0);
	if (unshare(CLONE_NEWPID))
		skip("no pid namespaces (errno %d)", errno);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		int inner;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE_EQ(getpid(), 1);
		expect_task(fd, 0, PERFGRP_TASK_HIDDEN);
		expect_task(own, 0, PERFGRP_TASK_HIDDEN);
		/* The process can see itself. */
		inner = grp_on_task(0, 0);
		REQUIRE_GE(inner, 0);
		expect_task(inner, 1, PERFGRP_TASK_ALIVE);
		REQUIRE_EQ(write(done[1], "", 1), 1);
		REQUIRE_EQ(read(go[0], &byte, 1), 1);
		expect_task(fd, 0, PERFGRP_TASK_EXITED);
		REQUIRE_EQ(write(done[1], "", 1), 1);
		_exit(0);
	}
	REQUIRE_EQ(read(done[0], &byte, 1), 1);
	expect_task(fd, child.pid, PERFGRP_TASK_ALIVE);
	child_exit(&child);
	child_reap(&child);
	REQUIRE_EQ(write(go[1], "", 1), 1);
	REQUIRE_EQ(read(done[0], &byte, 1), 1);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

TEST(inner_task, "G23: a task in a pid namespace below has its number in the caller's")
{
	int fd, pidfd;
	pid_t pid;

	need_pidfd();
	if (unshare(CLONE_NEWPID))
		skip("no pid namespaces (errno %d)", errno);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	pidfd = pidfd_of(pid);
	fd = grp_on_pidfd(0, pidfd);
	REQUIRE_GE(fd, 0);
	expect_task(fd, pid, PERFGRP_TASK_ALIVE);
	kill(pid, SIGKILL);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	expect_task(fd, 0, PERFGRP_TASK_EXITED);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
