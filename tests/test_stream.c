// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that sample, and their records: what is in them, how they are read, what
 * is lost. With software events and breakpoints, which every machine has; hardware
 * ones are in test_stream_pmu.c.
 */
#include "stream.h"
#include "uring.h"

#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>

static volatile unsigned int watched;

static void write_watched(unsigned int times)
{
	while (times--)
		watched = times;
}

/* Samples each NR-th write to a variable, in user mode. */
static struct perfgrp_counter writes(__u64 nr)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW | PERFGRP_COUNTER_EXCLUDE_KERNEL |
			 PERFGRP_COUNTER_EXCLUDE_HV,
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.config1 = to_u64(&watched),
		.config2 = HW_BREAKPOINT_LEN_4,
		.sample_period = nr,
	};
}

/* Samples each NR-th page fault of user mode. */
static struct perfgrp_counter faults(__u64 nr)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = nr,
	};
}

static void swap_counters(struct perfgrp_counter *a, struct perfgrp_counter *b)
{
	struct perfgrp_counter c = *a;

	*a = *b;
	*b = c;
}

/* A disabled group on this task with these counters. */
static int task_group(struct perfgrp_counter *counters, __u32 nr, __u32 buffer_size)
{
	int fd;

	settle_memory();
	fd = stream_on_task(0, 0, buffer_size);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counters, nr), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* ---- O1, O2, O3: what is in a sample -------------------------------------------------- */

TEST(every_fault, "O1 O3: with period 1 each page fault is a sample, with all that belongs to it")
{
	struct perfgrp_counter c[2] = { faults(1), { .event = PERFGRP_SW_DUMMY } };
	int fd = task_group(c, 2, 65536);
	__u64 time = 0;
	__u32 i;

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(20);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_GT(stream_drain(fd), 0);
	EXPECT_EQ(records.nr_samples, 20);
	EXPECT_EQ(records.nr, 20);
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];

		EXPECT_EQ(s->header.misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_USER);
		EXPECT_EQ(s->pid, getpid());
		EXPECT_EQ(s->tid, getpid());
		EXPECT_EQ(s->id, c[0].id);
		EXPECT_LT(s->cpu, 64);
		EXPECT_EQ(s->period, 1);
		EXPECT_GT(s->time, time);
		time = s->time;
		EXPECT(s->ip != 0);
		EXPECT_EQ(s->nr, 2);
		EXPECT_EQ(s->time_enabled, s->time_running);
		EXPECT_EQ(sample_values(s)[0].id, c[0].id);
		EXPECT_EQ(sample_values(s)[0].value, i + 1);
		EXPECT_EQ(sample_values(s)[1].id, c[1].id);
		EXPECT_EQ(sample_values(s)[1].value, 0);
	}
}

static void *sample_own_faults(void *arg)
{
	struct perfgrp_counter c = faults(1);
	int fd = task_group(&c, 1, 65536);
	__u32 i;

	EXPECT_NE(gettid(), getpid());
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(5);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, 5);
	for (i = 0; i < records.nr_samples; i++) {
		EXPECT_EQ(records.sample[i]->pid, getpid());
		EXPECT_EQ(records.sample[i]->tid, gettid());
	}
	return arg;
}

TEST(of_a_thread, "O3: a sample of a thread has the pid of its process, and its own tid")
{
	pthread_t thread;

	REQUIRE_EQ(pthread_create(&thread, NULL, sample_own_faults, NULL), 0);
	REQUIRE_EQ(pthread_join(thread, NULL), 0);
}

TEST(every_nth, "O2: with period P over N events there are N/P samples")
{
	static const __u64 period[] = { 2, 3, 7, 50 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(period); i++) {
		struct perfgrp_counter c = faults(period[i]);
		int fd = task_group(&c, 1, 65536);
		__u32 k;

		REQUIRE_EQ(grp_enable(fd), 0);
		fault_in(100);
		REQUIRE_EQ(grp_disable(fd), 0);
		stream_drain(fd);
		EXPECT_EQ(records.nr_samples, 100 / period[i]);
		for (k = 0; k < records.nr_samples; k++) {
			EXPECT_EQ(records.sample[k]->period, period[i]);
			EXPECT_EQ(sample_values(records.sample[k])[0].value, (k + 1) * period[i]);
		}
		close(fd);
	}
}

TEST(breakpoints, "O1 O3: a breakpoint samples each hit, with what the others count then")
{
	struct perfgrp_counter c[3] = { writes(1), faults(0), faults(3) };
	__u32 i, hits = 0;
	int fd;

	settle_memory();
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, c, 3))
		skip("no breakpoints: %s", grp_error.text);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < 10; i++) {
		fault_in(1);
		write_watched(2);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 20 + 3);
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];

		EXPECT_EQ(s->nr, 3);
		/* One fault counts in one member after the other. */
		EXPECT_LE(sample_values(s)[2].value - sample_values(s)[1].value + 1, 2);
		if (s->id != c[0].id) {
			EXPECT_EQ(s->id, c[2].id);
			continue;
		}
		EXPECT_EQ(sample_values(s)[1].value, sample_values(s)[2].value);
		hits++;
		EXPECT_EQ(sample_values(s)[0].value, hits);
		EXPECT_EQ(sample_values(s)[1].value, (hits + 1) / 2);
	}
	EXPECT_EQ(hits, 20);
}

static __u64 coarse_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void wait_for_tick(void)
{
	__u64 last = coarse_ns();

	while (coarse_ns() == last)
		spin(1000);
}

TEST(kernel_breakpoint, "O1 O3: a breakpoint on a kernel variable samples the kernel at each write")
{
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.config1 = kernel_address("jiffies", ""),
		.config2 = HW_BREAKPOINT_LEN_4,
		.sample_period = 1,
	};
	struct cpus cpus;
	__u64 sum = 0;
	__u32 i;
	int fd;

	if (!c.config1)
		skip("/proc/kallsyms has no address of jiffies");
	fd = stream_create(0, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, &c, 1))
		skip("no breakpoints: %s", grp_error.text);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_enable(fd), 0);
	/* The tick that writes jiffies moves this clock; others may jump while the host is busy. */
	for (i = 0; i < 20; i++)
		wait_for_tick();
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GT(records.nr_samples, 0);
	for (i = 0; i < records.nr_samples; i++)
		EXPECT_EQ(records.sample[i]->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
			  PERF_RECORD_MISC_KERNEL);
	cpus_online(&cpus);
	for (i = 0; i < cpus.nr; i++)
		sum += grp_value_on(fd, cpus.cpu[i], c.id).raw;
	EXPECT_EQ(records.nr_samples, sum);
}

TEST(as_a_snapshot, "O3: a sample's values go on where a snapshot is: after reset from zero")
{
	struct perfgrp_counter c[2] = { faults(1), faults(0) };
	int fd = task_group(c, 2, 65536);

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(3);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	REQUIRE_EQ(records.nr_samples, 13);
	EXPECT_EQ(sample_values(records.sample[9])[1].value, 10);
	EXPECT_EQ(sample_values(records.sample[10])[0].value, 1);
	EXPECT_EQ(sample_values(records.sample[10])[1].value, 1);
	EXPECT_EQ(sample_values(records.sample[12])[1].value, 3);
	EXPECT_EQ(grp_raw(fd, c[1].id), 3);
	EXPECT_LE(records.sample[12]->time_enabled, grp_value(fd, c[0].id).time_enabled);
}

TEST(clock_samples, "O1 O2: cpu-clock samples in time, from interrupts")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 10000000 };
	int fd = task_group(&c, 1, 1 << 20);
	__u64 end = cpu_time_ns() + 300000000, ran;

	REQUIRE_EQ(grp_enable(fd), 0);
	while (cpu_time_ns() < end)
		spin(1000);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	ran = grp_value(fd, c.id).time_running;
	/* A timer can be late, and then it leaves out what it missed. */
	EXPECT_LE(records.nr_samples, ran / 10000000 + 1);
	EXPECT_GE(records.nr_samples, ran / 10000000 / 2);
}

TEST(members_change, "O3 G11: samples show the members that there are")
{
	struct perfgrp_counter c[3] = { faults(1), faults(0), faults(0) };
	int fd = task_group(c, 3, 65536), late;

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(4);
	REQUIRE_EQ(grp_remove(fd, c[1].id, 0), 0);
	fault_in(4);
	late = grp_add(fd, PERFGRP_SW_DUMMY);
	REQUIRE_GT(late, 0);
	fault_in(4);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	REQUIRE_GE(records.nr_samples, 12);
	EXPECT_EQ(records.sample[3]->nr, 3);
	EXPECT_EQ(sample_values(records.sample[3])[2].value, 4);
	EXPECT_EQ(records.sample[7]->nr, 2);
	EXPECT_EQ(sample_values(records.sample[7])[1].id, c[2].id);
	EXPECT_EQ(sample_values(records.sample[7])[1].value, 8);
	EXPECT_EQ(records.sample[11]->nr, 3);
	EXPECT_EQ(sample_values(records.sample[11])[2].id, late);
	EXPECT_EQ(sample_values(records.sample[11])[0].value, 4);
}

TEST(all_cpus, "O1 O3: a group on all CPUs samples on each, in the order of time")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 2000000 };
	static unsigned int on[64];
	struct cpus cpus;
	__u64 time = 0;
	__u32 i;
	int fd;

	cpus_online(&cpus);
	fd = stream_create(0, PERFGRP_TARGET_ALL_CPUS, 0, 1 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		__u64 end = cpu_time_ns() + 30000000;

		run_on(cpus.cpu[i]);
		while (cpu_time_ns() < end)
			spin(1000);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	for (i = 0; i < records.nr_samples; i++) {
		EXPECT_GE(records.sample[i]->time, time);
		time = records.sample[i]->time;
		REQUIRE_LT(records.sample[i]->cpu, 64);
		on[records.sample[i]->cpu]++;
	}
	for (i = 0; i < cpus.nr; i++)
		EXPECT_GE(on[cpus.cpu[i]], 3);
}

static bool sampled_after_reaping(int fd)
{
	__u32 i;

	stream_drain(fd);
	for (i = 0; i < records.nr_samples; i++) {
		if (records.sample[i]->pid == (__u32)-1) {
			EXPECT_EQ(records.sample[i]->tid, (__u32)-1);
			return true;
		}
	}
	return false;
}

TEST(reaped, "O3: a sample of a task that has been reaped has pid and tid -1")
{
	struct perfgrp_counter c = { .flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_TRACEPOINT,
				     .sample_period = 1 };
	long id = read_number("/sys/kernel/tracing/events/sched/sched_switch/id");
	int fd;

	if (id < 0)
		skip("no tracepoint sched_switch");
	c.config = id;
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	/* Children are reaped while they exit, before they leave their CPU for the last time. */
	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0)
		_exit(0);
	EXPECT(BECOMES_TRUE(sampled_after_reaping(fd), 5000));
}

/* ---- O5: reading ----------------------------------------------------------------------- */

TEST(no_buffer, "O5: a group without a buffer has nothing to read")
{
	struct pollfd p = { .fd = grp_on_task(0, 0), .events = POLLIN };
	char byte;

	REQUIRE_GE(p.fd, 0);
	EXPECT_EQ(read(p.fd, &byte, 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(p.revents, POLLERR);
}

TEST(small_reads, "O5: whole records only; what does not fit stays, and so it does after a fault")
{
	struct perfgrp_counter c = faults(1);
	int fd = task_group(&c, 1, 65536);
	static char buf[1024];
	struct perfgrp_record_sample *s = (void *)buf;
	char *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t size;

	EXPECT_EQ(read(fd, buf, sizeof(buf)), -1);
	EXPECT_EQ(errno, EAGAIN);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(5);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(read(fd, buf, 1), -1);
	EXPECT_EQ(errno, EMSGSIZE);
	EXPECT_EQ(read(fd, nowhere, 4096), -1);
	EXPECT_EQ(errno, EFAULT);
	REQUIRE_GT(read(fd, buf, 150), 0);
	EXPECT_EQ(sample_values(s)[0].value, 1);
	size = s->header.size;
	EXPECT_EQ(read(fd, buf, size - 1), -1);
	EXPECT_EQ(errno, EMSGSIZE);
	EXPECT_EQ(read(fd, buf, size), size);
	EXPECT_EQ(sample_values(s)[0].value, 2);
	EXPECT_EQ(read(fd, buf, 3 * size - 1), 2 * size);
	EXPECT_EQ(sample_values(s)[0].value, 3);
	EXPECT_EQ(read(fd, buf, sizeof(buf)), size);
	EXPECT_EQ(sample_values(s)[0].value, 5);
	EXPECT_EQ(read(fd, buf, sizeof(buf)), -1);
	EXPECT_EQ(errno, EAGAIN);
}

TEST(blocking_read, "O5: a blocking read sleeps until there is something")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	static char buf[4096];
	int fd, status;
	pid_t reader;

	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	reader = fork();
	REQUIRE(reader >= 0);
	if (reader == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(read(fd, buf, sizeof(buf)) > 0 ? 7 : 8);
	}
	wait_until_asleep(reader);
	EXPECT_EQ(waitpid(reader, &status, WNOHANG), 0);
	child_do(&child, ORDER_FAULT, 3);
	REQUIRE(waitpid(reader, &status, 0) == reader);
	EXPECT_EQ(WEXITSTATUS(status), 7);
}

static void nothing(int signal __attribute__((unused)))
{
}

TEST(interrupted_read, "O5: a signal ends a blocking read with EINTR, and nothing is lost")
{
	struct sigaction action = { .sa_handler = nothing };
	struct perfgrp_counter c = faults(1);
	int fd = task_group(&c, 1, 65536);
	char byte[4096];
	pid_t killer, self = getpid();

	fcntl(fd, F_SETFL, 0);
	sigaction(SIGUSR1, &action, NULL);
	killer = fork();
	if (killer == 0) {
		wait_until_asleep(self);
		kill(self, SIGUSR1);
		_exit(0);
	}
	EXPECT_EQ(read(fd, byte, sizeof(byte)), -1);
	EXPECT_EQ(errno, EINTR);
	REQUIRE(waitpid(killer, NULL, 0) == killer);
}

static int handled[2];

static void tell_handled(int signal __attribute__((unused)))
{
	if (write(handled[1], "", 1) != 1)
		_exit(1);
}

TEST(restarted_read, "O5: with SA_RESTART a blocking read continues after a signal")
{
	struct sigaction action = { .sa_handler = tell_handled, .sa_flags = SA_RESTART };
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	static char buf[65536];
	pid_t killer, self = getpid();
	char byte;
	int fd;

	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE(pipe2(handled, O_CLOEXEC) == 0);
	sigaction(SIGUSR1, &action, NULL);
	killer = fork();
	if (killer == 0) {
		wait_until_asleep(self);
		kill(self, SIGUSR1);
		REQUIRE(read(handled[0], &byte, 1) == 1);
		wait_until_asleep(self);
		child_do(&child, ORDER_FAULT, 1);
		_exit(0);
	}
	EXPECT_GT(read(fd, buf, sizeof(buf)), 0);
	REQUIRE(waitpid(killer, NULL, 0) == killer);
}

TEST(end_of_task, "O5 G18: when the task has exited and all is read, a read returns 0")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	struct pollfd p = { .events = POLLIN };
	static char buf[65536];
	int fd;

	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	p.fd = fd;
	EXPECT_EQ(poll(&p, 1, 0), 0);
	child_do(&child, ORDER_FAULT, 3);
	child_exit(&child);
	EXPECT_EQ(poll(&p, 1, 1000), 1);
	EXPECT(p.revents & POLLHUP);
	EXPECT_GT(read(fd, buf, sizeof(buf)), 0);
	EXPECT_EQ(read(fd, buf, sizeof(buf)), 0);
	EXPECT_EQ(read(fd, buf, sizeof(buf)), 0);
}

TEST(exit_wakes, "O5 G18: a reader that sleeps when the task exits wakes up")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	static char buf[65536];
	int fd, status;
	pid_t reader;

	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	reader = fork();
	if (reader == 0) {
		ssize_t ret;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while ((ret = read(fd, buf, sizeof(buf))) > 0)
			;
		_exit(ret == 0 ? 7 : 8);
	}
	wait_until_asleep(reader);
	child_exit(&child);
	child_reap(&child);
	REQUIRE(waitpid(reader, &status, 0) == reader);
	EXPECT_EQ(WEXITSTATUS(status), 7);
}

/* ---- O15: who waits when a task exits --------------------------------------------------- */

/* Writes the id of the calling task and returns when it is to exit. */
static void announce_task(const int *pipes)
{
	pid_t tid = gettid();
	char go;

	if (write(pipes[1], &tid, sizeof(tid)) != sizeof(tid) || read(pipes[2], &go, 1) != 1)
		_exit(1);
}

static void *announced_thread(void *pipes)
{
	announce_task(pipes);
	return NULL;
}

static void *paused_thread(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void thread_exits(const int *pipes)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, announced_thread, (void *)pipes))
		paused_thread(NULL);
}

static void leader_exits_first(const int *pipes)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, paused_thread, NULL))
		return;
	announce_task(pipes);
	syscall(SYS_exit, 0);
}

/* What the file had in memory is given back late in the exit, and for more than a jiffy. */
static void exits_slowly(const int *pipes)
{
	int file = memfd_create("slow", 0);

	if (file >= 0 && !posix_fallocate(file, 0, 64 << 20))
		announce_task(pipes);
}

static const struct {
	const char *what;
	void (*run)(const int *pipes);
} ends[] = {
	{ "a thread exits, its process does not", thread_exits },
	{ "a leader exits before its threads", leader_exits_first },
	{ "a process takes long to exit", exits_slowly },
};

/* A process that will end so. *TASK is who will exit then, *GO the pipe that tells it to. */
static pid_t start_end(unsigned int nr, pid_t *task, int *go)
{
	int pipes[4];
	pid_t pid;

	REQUIRE(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ends[nr].run(pipes);
		_exit(0);
	}
	close(pipes[1]);
	close(pipes[2]);
	REQUIRE(read(pipes[0], task, sizeof(*task)) == sizeof(*task));
	close(pipes[0]);
	*go = pipes[3];
	return pid;
}

/* Sleeps on FD in one of four ways until its task is gone. Returns what is the right answer. */
static bool sees_end(int fd, int way)
{
	struct pollfd p = { .fd = fd, .events = POLLPRI };
	struct epoll_event event = { .events = EPOLLPRI };
	char buf[64];
	fd_set set;
	int ep;

	switch (way) {
	case 0:
		return poll(&p, 1, -1) == 1 && p.revents == POLLHUP;
	case 1:
		ep = epoll_create1(0);
		return ep >= 0 && !epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) &&
		       epoll_wait(ep, &event, 1, -1) == 1 && event.events == EPOLLHUP;
	case 2:
		FD_ZERO(&set);
		FD_SET(fd, &set);
		return select(fd + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fd, &set);
	default:
		return read(fd, buf, sizeof(buf)) == 0;
	}
}

static pid_t start_waiter(int fd, int way)
{
	pid_t waiter = fork();

	REQUIRE_GE(waiter, 0);
	if (!waiter) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(sees_end(fd, way) ? 7 : 8);
	}
	wait_until_asleep(waiter);
	return waiter;
}

/* A stream on a task, and nothing that it would record. */
static int silent_stream(pid_t task)
{
	struct perfgrp_counter c = faults(1);
	int fd = stream_on_task(0, task, 65536);

	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	return fd;
}

TEST(every_exit_wakes, "O15: poll, epoll, select and read wake, however the task exits")
{
	pid_t process, task, waiter;
	int fd, go, way, status;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		for (way = 0; way < 4; way++) {
			process = start_end(i, &task, &go);
			fd = silent_stream(task);
			waiter = start_waiter(fd, way);
			REQUIRE(write(go, "", 1) == 1);
			status = end_of_child(waiter, 30000);
			if (WEXITSTATUS(status) != 7)
				fail("%s: way %d ended with %#x", ends[i].what, way, status);
			close(fd);
			close(go);
			kill(process, SIGKILL);
			REQUIRE(waitpid(process, NULL, 0) == process);
		}
	}
}

TEST(add_after_exit, "G18 A4: a first member of an INHERIT group whose task has exited is refused")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	int fd = stream_on_task(PERFGRP_CREATE_INHERIT, child.pid, 65536);

	REQUIRE_GE(fd, 0);
	child_exit(&child);
	child_reap(&child);
	EXPECT_REFUSED_FIELD(grp_add_counters(fd, &c, 1), ESRCH, "pid");
}

TEST(every_group_wakes, "O15: who waits for either of two groups on a task wakes when it exits")
{
	struct child child = child_start();
	pid_t waiter[2];
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		fd[i] = silent_stream(child.pid);
		/* In poll, and in read. */
		waiter[i] = start_waiter(fd[i], i ? 3 : 0);
	}
	child_exit(&child);
	child_reap(&child);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(WEXITSTATUS(end_of_child(waiter[i], 10000)), 7);
		close(fd[i]);
	}
}

/* How often a task has gone to sleep. */
static long times_switched(pid_t pid)
{
	char path[32], buf[4096], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	REQUIRE(read_file(path, buf, sizeof(buf)) > 0);
	line = strstr(buf, "\nvoluntary_ctxt_switches:");
	REQUIRE(line);
	return strtol(strchr(line, ':') + 1, NULL, 10);
}

TEST(waits_without_looking, "O15: who waits for records of a task sleeps until there is one")
{
	struct child child = child_start();
	int fd = silent_stream(child.pid);
	pid_t waiter = start_waiter(fd, 3);
	long before = times_switched(waiter);

	usleep(1000000);
	EXPECT_EQ(times_switched(waiter), before);
	kill(waiter, SIGKILL);
	REQUIRE(waitpid(waiter, NULL, 0) == waiter);
	child_exit(&child);
	child_reap(&child);
	close(fd);
}

TEST_LIMIT(closed_while_exiting, 90, "O10: a group is closed while its task exits, again and again")
{
	unsigned int i;

	for (i = 0; i < rounds(60); i++) {
		pid_t process, task;
		int fd, go;

		process = start_end(i % ARRAY_SIZE(ends), &task, &go);
		fd = silent_stream(task);
		REQUIRE(write(go, "", 1) == 1);
		usleep(i % 10 * 1000);
		close(fd);
		close(go);
		kill(process, SIGKILL);
		REQUIRE(waitpid(process, NULL, 0) == process);
	}
}

enum { LIVES = 100 };

/* How often this task sleeps in the lives of groups on all CPUs, with a buffer or without. */
static __u64 sleeps_in_lives(__u32 buffer_size)
{
	struct perfgrp_counter c;
	__u64 before = 0;
	unsigned int i;
	int fd;

	for (i = 0; i < LIVES + 10; i++) {
		/* At first static keys are changed. */
		if (i == 10)
			before = times_slept();
		c = faults(buffer_size ? 1 : 0);
		fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0,
				   buffer_size);
		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
		REQUIRE_EQ(grp_reset(fd), 0);
		REQUIRE_EQ(grp_reset(fd), 0);
		REQUIRE_EQ(grp_reset(fd), 0);
		close(fd);
	}
	return times_slept() - before;
}

/* Who waits for a grace period sleeps. A lock may be taken by another at times. */
TEST(waits_for_nobody, "O16 A9: a buffer makes nobody sleep in create, reset and close")
{
	__u64 without = sleeps_in_lives(0), with = sleeps_in_lives(16384);

	diag("slept %llu times with a buffer, %llu without", with, without);
	EXPECT_LT(with, without + LIVES / 10);
}

TEST(many_readers, "O5: several readers get all records between them, each once")
{
	enum { READERS = 4, FAULTS = 2000 };
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	int result[2], fd, i;
	__u64 sum = 0, nr = 0;
	__u64 got[2];

	REQUIRE(pipe2(result, O_CLOEXEC) == 0);
	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 4 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	for (i = 0; i < READERS; i++) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			got[0] = 0;
			got[1] = 0;
			while (stream_read(fd, 300) > 0) {
				__u32 k;

				got[0] += records.nr_samples;
				for (k = 0; k < records.nr_samples; k++)
					got[1] += sample_values(records.sample[k])[0].value;
			}
			REQUIRE(write(result[1], got, sizeof(got)) == sizeof(got));
			_exit(0);
		}
	}
	child_do(&child, ORDER_FAULT, FAULTS);
	child_exit(&child);
	child_reap(&child);
	for (i = 0; i < READERS; i++) {
		REQUIRE(read(result[0], got, sizeof(got)) == sizeof(got));
		nr += got[0];
		sum += got[1];
	}
	EXPECT_GE(nr, FAULTS);
	EXPECT_EQ(sum, nr * (nr + 1) / 2);
}

static void *read_until_closed(void *arg)
{
	int fd = *(int *)arg;
	static char buf[4096];

	while (read(fd, buf, sizeof(buf)) >= 0 || errno == EAGAIN)
		;
	return (void *)(long)errno;
}

TEST(closed_while_read, "O5 O10: closed while another thread reads, again and again")
{
	unsigned int round;

	settle_memory();
	for (round = 0; round < rounds(is_debug_kernel() ? 20 : 100); round++) {
		struct perfgrp_counter c = faults(1);
		int fd = stream_on_task(PERFGRP_CREATE_ENABLED, 0, 8192);
		pthread_t reader;
		void *error;

		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		REQUIRE(pthread_create(&reader, NULL, read_until_closed, &fd) == 0);
		fault_in(50);
		close(fd);
		REQUIRE(pthread_join(reader, &error) == 0);
		EXPECT_EQ((long)error, EBADF);
	}
}

/* ---- O12: children ------------------------------------------------------------------------ */

/* Faults in a child and a grandchild, which executes a program. */
static pid_t start_family(void)
{
	pid_t pid = fork();
	int status;

	REQUIRE_GE(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fault_in(30);
	pid = fork();
	if (!pid) {
		fault_in(20);
		execl("/tests/work", "work", "1", "100", (char *)NULL);
		_exit(1);
	}
	_exit(pid < 0 || waitpid(pid, &status, 0) != pid || status);
}

TEST(inherited, "O12 G16: children sample as their parent does, each with its own values")
{
	struct perfgrp_counter c = faults(1);
	__u64 value[2] = { 0 }, others = 0, time = 0;
	int fd, status, round;
	pid_t family;
	__u32 i;

	NEED_FEATURE(INHERIT);
	settle_memory();
	fd = stream_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0, 1 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (round = 0; round < 2; round++) {
		/* A reset is not theirs. */
		REQUIRE_EQ(grp_reset(fd), 0);
		family = start_family();
		fault_in(10);
		REQUIRE_EQ(waitpid(family, &status, 0), family);
		REQUIRE_EQ(status, 0);
		value[1] = 0;
		stream_drain(fd);
		EXPECT_EQ(records.nr, records.nr_samples);
		for (i = 0; i < records.nr_samples; i++) {
			const struct perfgrp_record_sample *s = records.sample[i];

			EXPECT_EQ(s->id, c.id);
			EXPECT_EQ(s->period, 1);
			EXPECT_EQ(s->time_enabled, s->time_running);
			EXPECT_GE(s->time, time);
			time = s->time;
			REQUIRE_EQ(s->nr, children_have_values());
			if (s->pid == (__u32)getpid())
				value[0]++;
			else if (s->pid == (__u32)family)
				value[1]++;
			else
				others++;
			if (!s->nr)
				EXPECT_EQ(s->time_enabled, 0);
			else if (s->pid == (__u32)getpid())
				EXPECT_EQ(sample_values(s)[0].value, value[0]);
			else if (s->pid == (__u32)family)
				EXPECT_EQ(sample_values(s)[0].value, value[1]);
		}
		EXPECT_GE(value[1], 30);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(value[0], 20);
	EXPECT_GE(others, 2 * 120);
	stream_drain(fd);
	EXPECT_EQ(records.nr_lost, 0);
	EXPECT_GE(records.total, grp_raw(fd, c.id));
	fault_in(10);
	family = start_family();
	REQUIRE_EQ(waitpid(family, &status, 0), family);
	EXPECT_EQ(stream_drain(fd), 0);
}

TEST(inherited_together, "O12: children of many CPUs sample at the same time, and all is there")
{
	enum { CHILDREN = 6, FAULTS = 400 };
	struct perfgrp_counter c = faults(1);
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };
	pid_t pid[CHILDREN];
	int fd, i;

	NEED_FEATURE(INHERIT);
	settle_memory();
	fd = stream_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0, 1 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	for (i = 0; i < CHILDREN; i++) {
		pid[i] = fork();
		REQUIRE_GE(pid[i], 0);
		if (!pid[i]) {
			fault_in(FAULTS);
			_exit(0);
		}
	}
	for (i = 0; i < CHILDREN; i++)
		REQUIRE(waitpid(pid[i], NULL, 0) == pid[i]);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	EXPECT_EQ(stats.lost, 0);
	EXPECT_EQ(stats.produced, grp_raw(fd, c.id));
	EXPECT_EQ(records.total, stats.produced);
	EXPECT_GE(records.total, CHILDREN * FAULTS);
}

/* Children that do nothing but take turns on one CPU. */
static void start_taking_turns(pid_t *pid, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		pid[i] = fork();
		REQUIRE_GE(pid[i], 0);
		if (pid[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			sched_yield();
	}
}

TEST(switched_children, "O12 S10: snapshots never go back while children take turns on a CPU")
{
	enum { CHILDREN = 4 };
	struct perfgrp_counter c = { .event = PERFGRP_SW_TASK_CLOCK };
	struct perfgrp_value value = {}, before;
	unsigned int nr = rounds(200), i;
	pid_t pid[CHILDREN];
	struct cpus cpus;
	int fd;

	NEED_FEATURE(INHERIT);
	cpus_online(&cpus);
	run_on(cpus.cpu[cpus.nr - 1]);
	fd = stream_on_task(PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLED, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	start_taking_turns(pid, CHILDREN);
	run_on(cpus.cpu[0]);
	for (i = 0; i < nr; i++) {
		before = value;
		value = grp_value(fd, c.id);
		REQUIRE_GE(value.raw, before.raw);
		REQUIRE_GE(value.time_enabled, before.time_enabled);
		REQUIRE_GE(value.time_running, before.time_running);
	}
	for (i = 0; i < CHILDREN; i++) {
		kill(pid[i], SIGKILL);
		REQUIRE(waitpid(pid[i], NULL, 0) == pid[i]);
	}
}

/* ---- O6: what is lost --------------------------------------------------------------------- */

static void expect_balance(int fd)
{
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stream), 0);
	EXPECT_EQ(stream.produced, stream.read + stream.lost);
	EXPECT_EQ(stream.read, records.total);
	EXPECT_EQ(stream.lost, records.lost);
}

TEST(full_buffer, "O6: a full buffer drops, counts, and says so where and when it was")
{
	struct perfgrp_counter c = faults(1);
	int fd = task_group(&c, 1, 8192);
	__u64 seen = 0, time;
	struct cpus cpus;
	__u32 i, round, cpu;

	cpus_online(&cpus);
	cpu = cpus.cpu[cpus.nr - 1];
	run_on(cpu);
	stream_start(&records);
	for (round = 0; round < 5; round++) {
		time = now_ns();
		REQUIRE_EQ(grp_enable(fd), 0);
		fault_in(1000);
		REQUIRE_EQ(grp_disable(fd), 0);
		stream_drain(fd);
		EXPECT_GT(records.nr_lost, 0);
		/* Samples count the faults: where numbers are missing LOST has them. */
		for (i = 0; i < records.nr; i++) {
			const struct perf_event_header *h = records.record[i];

			EXPECT_GE(record_time(h), time);
			time = record_time(h);
			if (h->type == PERF_RECORD_LOST) {
				seen += ((struct perfgrp_record_lost *)h)->lost;
				EXPECT_EQ(sample_id_of(h)->cpu, cpu);
			} else {
				seen++;
				EXPECT_EQ(sample_values((void *)h)[0].value, seen);
			}
		}
		EXPECT_GE(now_ns(), time);
		EXPECT_EQ(seen, (round + 1) * 1000);
		expect_balance(fd);
	}
}

TEST(lost_fault, "O5 O6: what was lost is told again after a fault")
{
	struct perfgrp_counter c = faults(1);
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };
	int fd = task_group(&c, 1, 8192);
	char *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 i;

	run_on(0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(1000);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stream), 0);
	EXPECT_EQ(stream.produced, 1000);
	REQUIRE_GT(stream.lost, 0);
	for (i = 0; i < stream.produced - stream.lost; i++)
		REQUIRE_EQ(stream_read(fd, sizeof(struct perfgrp_record_sample) +
					   sizeof(struct perfgrp_sample_value)),
			   sizeof(struct perfgrp_record_sample) +
				   sizeof(struct perfgrp_sample_value));
	EXPECT_EQ(read(fd, nowhere, 4096), -1);
	EXPECT_EQ(errno, EFAULT);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_EQ(records.nr, 1);
	EXPECT_EQ(records.nr_lost, 1);
	EXPECT_EQ(records.lost, stream.lost);
}

TEST(overwriting, "O6: a buffer that overwrites keeps the newest, and says how many it dropped")
{
	struct perfgrp_counter c = faults(1);
	__u64 seen = 0;
	struct cpus cpus;
	__u32 i, cpu;
	int fd;

	settle_memory();
	cpus_online(&cpus);
	cpu = cpus.cpu[cpus.nr - 1];
	run_on(cpu);
	fd = stream_on_task(PERFGRP_CREATE_OVERWRITE, 0, 8192);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(1000);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_GT(records.lost, 0);
	REQUIRE_GT(records.nr_samples, 10);
	EXPECT_EQ(sample_values(records.sample[records.nr_samples - 1])[0].value, 1000);
	for (i = 0; i < records.nr; i++) {
		const struct perf_event_header *h = records.record[i];

		if (h->type == PERF_RECORD_LOST) {
			seen += ((struct perfgrp_record_lost *)h)->lost;
			EXPECT_EQ(sample_id_of(h)->cpu, cpu);
		} else {
			EXPECT_EQ(sample_values((void *)h)[0].value, ++seen);
		}
	}
	EXPECT_EQ(seen, 1000);
	expect_balance(fd);
}

TEST(overwritten_while_read, "O5 O6: a reader gets whole records only, also while some are dropped")
{
	struct perfgrp_counter c[2] = { faults(1), { .event = PERFGRP_SW_DUMMY } };
	__u64 last = 0, samples = 0, end;
	bool both = false;
	unsigned int round = 0, i;
	struct cpus cpus;
	pid_t writer;
	int fd;

	cpus_online(&cpus);
	settle_memory();
	writer = fork();
	REQUIRE_GE(writer, 0);
	if (!writer) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_on(cpus.cpu[cpus.nr - 1]);
		for (;;)
			fault_in(100);
	}
	run_on(cpus.cpu[0]);
	fd = stream_on_task(PERFGRP_CREATE_OVERWRITE, writer, 8192);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (end = now_ns() + (is_debug_kernel() ? 3000000000 : 1000000000); now_ns() < end;) {
		/* Now and then so late that the ring has become full. */
		if (!(round++ % 8))
			nap_ns(is_debug_kernel() ? 150000000 : 10000000);
		if (stream_read(fd, 65536) < 0)
			continue;
		for (i = 0; i < records.nr_samples; i++) {
			const struct perfgrp_record_sample *s = records.sample[i];

			REQUIRE_EQ(s->id, c[0].id);
			/* The second member starts later than the first. */
			if (s->nr == 1 && !both)
				continue;
			both = true;
			REQUIRE_EQ(s->nr, 2);
			REQUIRE_GT(sample_values(s)[0].value, last);
			last = sample_values(s)[0].value;
		}
		samples += records.nr_samples;
	}
	/*
	 * Before it is disabled: perf_swevent_event() counts first, and from 7.x on it drops the
	 * overflow if the event is disabled from another CPU in between.
	 */
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	samples += records.nr_samples;
	diag("%llu samples read, %llu overwritten", samples, records.lost);
	EXPECT_GT(samples, 100);
	EXPECT_GT(records.lost, 100);
	EXPECT_EQ(samples, records.total);
	EXPECT_EQ(samples + records.lost, grp_raw(fd, c[0].id));
}

TEST(lost_on_cpus, "O6: on all CPUs at full speed nothing is unaccounted for")
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 100000 }, faults(1),
	};
	struct cpus cpus;
	__u32 i, round;
	int fd;

	cpus_online(&cpus);
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 8192);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	for (round = 0; round < rounds(3); round++) {
		for (i = 0; i < cpus.nr; i++) {
			run_on(cpus.cpu[i]);
			fault_in(500);
		}
		stream_drain(fd);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GT(records.lost, 0);
	expect_balance(fd);
}

/* ---- O7: wakeups --------------------------------------------------------------------------- */

static int pollable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	REQUIRE(poll(&p, 1, 0) >= 0);
	return p.revents & POLLIN;
}

/* A group on this task, like @want. */
static int wakeup_group(struct perfgrp_counter *c, struct perfgrp_create want)
{
	int fd;

	settle_memory();
	run_on(0);
	want.target = PERFGRP_TARGET_TASK;
	want.flags |= PERFGRP_CREATE_ENABLED;
	if (!want.buffer_size)
		want.buffer_size = 65536;
	fd = grp_create_like(want);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* The group has nothing to read, and is readable when ten records wait. */
static void expect_ten(int fd)
{
	EXPECT_EQ(pollable(fd), 0);
	fault_in(9);
	EXPECT_EQ(pollable(fd), 0);
	fault_in(1);
	EXPECT_EQ(pollable(fd), POLLIN);
}

TEST(wakeup_records, "O7: the group is readable when as many records wait as asked for")
{
	struct perfgrp_counter c = faults(1);
	int fd = wakeup_group(&c, (struct perfgrp_create){ .wakeup_records = 10 });

	expect_ten(fd);
	REQUIRE_GT(stream_drain(fd), 0);
	EXPECT_EQ(records.nr_samples, 10);
	EXPECT_EQ(pollable(fd), 0);
	/* What there is can be read all the same. */
	fault_in(1);
	EXPECT_EQ(pollable(fd), 0);
	EXPECT_GT(stream_drain(fd), 0);
}

TEST(wakeup_after_loss, "O7 O6: records that say what was lost do not wait once they are read")
{
	struct perfgrp_counter c = faults(1);
	int fd = wakeup_group(&c, (struct perfgrp_create){
		.buffer_size = 8192, .wakeup_records = 10 });

	fault_in(200);
	/* The next record finds room, and one before it says what was lost. */
	REQUIRE_GT(stream_read(fd, 2048), 0);
	EXPECT_EQ(records.nr_lost, 0);
	fault_in(1);
	stream_drain(fd);
	EXPECT_EQ(records.nr_lost, 1);
	EXPECT_EQ(((struct perf_event_header *)records.record[records.nr - 1])->type,
		  PERF_RECORD_SAMPLE);
	expect_ten(fd);
}

TEST(wakeup_overwritten, "O7 O6: nor do records that were overwritten")
{
	struct perfgrp_counter c = faults(1);
	int fd = wakeup_group(&c, (struct perfgrp_create){
		.flags = PERFGRP_CREATE_OVERWRITE, .buffer_size = 8192, .wakeup_records = 10 });

	fault_in(1000);
	EXPECT_EQ(pollable(fd), POLLIN);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_GT(records.lost, 100);
	expect_ten(fd);
}

TEST(wakeup_bytes, "O7: or as many bytes")
{
	struct perfgrp_counter c = faults(1);
	size_t size = sizeof(struct perfgrp_record_sample) +
		      sizeof(struct perfgrp_sample_value);
	int fd = wakeup_group(&c, (struct perfgrp_create){ .wakeup_bytes = 5 * size });

	fault_in(4);
	EXPECT_EQ(pollable(fd), 0);
	fault_in(1);
	EXPECT_EQ(pollable(fd), POLLIN);
	stream_drain(fd);
	EXPECT_EQ(pollable(fd), 0);
}

TEST(epoll_wakes, "O5 O7: epoll wakes when enough is there, and not before")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	struct epoll_event event = { .events = EPOLLIN };
	int fd, ep = epoll_create1(EPOLL_CLOEXEC);

	fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_TASK,
		.pid = child.pid,
		.flags = PERFGRP_CREATE_ENABLED,
		.buffer_size = 65536,
		.wakeup_records = 4,
	});
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) == 0);
	child_do(&child, ORDER_RUN_ON, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_drain(fd);
	child_do(&child, ORDER_FAULT, 2);
	EXPECT_EQ(epoll_wait(ep, &event, 1, 20), 0);
	child_tell(&child, ORDER_FAULT, 8);
	EXPECT_EQ(epoll_wait(ep, &event, 1, 10000), 1);
	EXPECT(event.events & EPOLLIN);
}

/* A thread that waits for records, with an epoll of its own. */
struct exclusive {
	pthread_t thread;
	int fd;
	volatile pid_t tid;
	int woken;
};

static void *wait_exclusively(void *arg)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLEXCLUSIVE };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct exclusive *waiter = arg;

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, waiter->fd, &event))
		return NULL;
	waiter->tid = syscall(SYS_gettid);
	waiter->woken = epoll_wait(ep, &event, 1, 10000);
	close(ep);
	return NULL;
}

static void start_exclusive(int fd, struct exclusive waiter[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		waiter[i] = (struct exclusive){ .fd = fd };
		REQUIRE_EQ(pthread_create(&waiter[i].thread, NULL, wait_exclusively, &waiter[i]),
			   0);
		REQUIRE(BECOMES_TRUE(waiter[i].tid, 10000));
		wait_until_asleep(waiter[i].tid);
	}
}

static void expect_both_wake(struct exclusive waiter[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(pthread_join(waiter[i].thread, NULL), 0);
		EXPECT_EQ(waiter[i].woken, 1);
	}
}

/* The kernel wakes nobody again before a waiter has looked, which one that is killed never does. */
TEST(exclusive_waiters, "O7: a record wakes all who wait, also with EPOLLEXCLUSIVE")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	struct exclusive waiter[2];
	int fd;

	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	child_do(&child, ORDER_RUN_ON, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_drain(fd);
	start_exclusive(fd, waiter);
	child_tell(&child, ORDER_FAULT, 1);
	expect_both_wake(waiter);
}

TEST(exit_wakes_all, "O15 O7: so does the task's exit")
{
	struct child child = child_start();
	struct exclusive waiter[2];

	start_exclusive(silent_stream(child.pid), waiter);
	child_exit(&child);
	child_reap(&child);
	expect_both_wake(waiter);
}

TEST(uring_wakes, "O5 O7: io_uring's poll tells again after each read, without asking again")
{
	struct child child = child_start();
	struct perfgrp_counter c = faults(1);
	struct uring u;
	int fd, i;

	fd = stream_on_task(PERFGRP_CREATE_ENABLED, child.pid, 65536);
	REQUIRE_GE(fd, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	u = uring_poll(fd);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	for (i = 0; i < 20; i++) {
		child_do(&child, ORDER_FAULT, 1);
		uring_wait(&u);
		EXPECT_GT(stream_drain(fd), 0);
	}
}

/* ---- O9: another period ---------------------------------------------------------------------- */

static int set_period(int fd, __u32 id, __u64 value)
{
	struct perfgrp_period period = { .size = sizeof(period), .id = id,
					 .sample_period = value };

	return grp_ioctl(fd, PERFGRP_SET_PERIOD, &period);
}

static struct grp_members members;

TEST(other_period, "O9: the period can be changed while the counter runs")
{
	struct perfgrp_counter c = faults(1);
	int fd = task_group(&c, 1, 65536);

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	REQUIRE_EQ(set_period(fd, c.id, 5), 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.counter[0].sample_period, 5);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 10);
	fault_in(50);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, 9);
	/* The perf core takes the first event after a change for one more, by the old period. */
	EXPECT_LE(records.nr_samples, 12);
	REQUIRE_GT(records.nr_samples, 3);
	EXPECT_EQ(records.sample[3]->period, 5);
}

TEST(other_period_everywhere, "O9: it is changed on all CPUs")
{
	struct perfgrp_counter c = faults(1);
	static unsigned int all[64], own[64];
	struct cpus cpus;
	__u32 i;
	int fd;

	fd = stream_create(0, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(set_period(fd, c.id, 25), 0);
	settle_memory();
	cpus_online(&cpus);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		fault_in(50);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *s = records.sample[i];

		REQUIRE_LT(s->cpu, ARRAY_SIZE(all));
		all[s->cpu]++;
		own[s->cpu] += s->pid == (__u32)getpid();
	}
	/* The first fault after a change counts for one more, by the old period. */
	for (i = 0; i < cpus.nr; i++) {
		EXPECT_GE(all[cpus.cpu[i]], 1);
		EXPECT_LE(own[cpus.cpu[i]], 4);
	}
}

TEST(other_frequency, "O9: a clock's frequency can be changed")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_freq = 1000,
				     .flags = PERFGRP_COUNTER_FREQ };
	int fd = task_group(&c, 1, 65536);
	__u64 end;

	REQUIRE_EQ(set_period(fd, c.id, 50), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	end = cpu_time_ns() + 500000000;
	while (cpu_time_ns() < end)
		spin(1000);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, 5);
	EXPECT_LE(records.nr_samples, 30);
}

TEST(bad_period, "O9: what cannot be is refused, and the period stays")
{
	struct perfgrp_counter c[3] = {
		faults(2), faults(0),
		{ .event = PERFGRP_SW_MINOR_FAULTS, .sample_freq = 100,
		  .flags = PERFGRP_COUNTER_FREQ },
	};
	struct perfgrp_counter huge = faults(1ULL << 63);
	int fd = task_group(c, 3, 65536);
	struct refusal bad = refusal(EINVAL, PERFGRP_REASON_EVENT_OPTION);

	bad.member = c[0].id;
	EXPECT_REFUSED_AS(set_period(fd, c[0].id, 0), bad);
	EXPECT_REFUSED_AS(set_period(fd, c[0].id, 1ULL << 63), bad);
	EXPECT_REFUSED_MEMBER(set_period(fd, c[1].id, 5), EINVAL, EVENT_OPTION, c[1].id);
	EXPECT_REFUSED_MEMBER(set_period(fd, c[2].id, 100000000), EINVAL, EVENT_OPTION, c[2].id);
	EXPECT(strcmp(grp_error.field, "sample_freq") == 0);
	EXPECT_REFUSED_MEMBER(set_period(fd, 77, 5), ENOENT, MEMBER, 77);
	EXPECT_REFUSED_MEMBER(grp_add_counters(fd, &huge, 1), EINVAL, EVENT_OPTION, 0);
	EXPECT(strcmp(grp_error.field, "sample_period") == 0);
	REQUIRE_EQ(set_period(fd, c[2].id, 200), 0);
	REQUIRE_EQ(grp_remove(fd, c[2].id, 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(20);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 10);
}

/* ---- O10: the end -------------------------------------------------------- */

TEST_LIMIT(closed_while_sampling, 100,
	   "O10: a group is destroyed while it samples at full speed, again and again")
{
	unsigned int round;

	for (round = 0; round < rounds(is_debug_kernel() ? 20 : 100); round++) {
		struct perfgrp_counter c[3] = {
			{ .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 10000 }, faults(1),
			{ .event = PERFGRP_SW_CONTEXT_SWITCHES, .sample_period = 1 },
		};
		int fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 8192);

		REQUIRE_GE(fd, 0);
		REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
		fault_in(20);
		if (round & 1)
			REQUIRE_EQ(grp_remove(fd, c[round & 2 ? 1 : 2].id, 0), 0);
		sched_yield();
		close(fd);
	}
}

TEST(switches, "O1 O4: context switches sample in the scheduler, with a reader asleep")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CONTEXT_SWITCHES, .sample_period = 1 };
	struct child child = child_start();
	static char buf[65536];
	pid_t reader;
	int fd, i, status;

	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	reader = fork();
	if (reader == 0) {
		__u64 nr = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Each wakeup is a switch, and so a record. */
		while (nr < 100) {
			if (stream_read(fd, sizeof(buf)) <= 0)
				_exit(8);
			nr += records.nr_samples;
		}
		_exit(7);
	}
	for (i = 0; i < 200; i++)
		child_do(&child, ORDER_SPIN, 10);
	REQUIRE(waitpid(reader, &status, 0) == reader);
	EXPECT_EQ(WEXITSTATUS(status), 7);
}

/*
 * With PREEMPT_RT who polls is woken by a thread of a real-time priority. To switch to that thread
 * is a record too: if each record woke it nobody else would run.
 */
TEST(polled_switches, "O7: who polls for each context switch of its own CPU gets to read them")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CONTEXT_SWITCHES, .sample_period = 1 };
	struct epoll_event event = { .events = EPOLLIN };
	int fd, status, ep = epoll_create1(EPOLL_CLOEXEC);
	__u64 nr = 0, woken = 0;
	__u32 cpu = 1;
	pid_t busy;

	run_on(cpu);
	fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_CPUS,
		.cpus = to_u64(&cpu),
		.nr_cpus = 1,
		/* Never full, which would end it. */
		.flags = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_OVERWRITE,
		.buffer_size = 65536,
		.wakeup_records = 1,
	});
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) == 0);
	busy = fork();
	if (busy == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			sched_yield();
	}
	while (nr < 200) {
		REQUIRE_EQ(epoll_wait(ep, &event, 1, 10000), 1);
		stream_drain(fd);
		nr += records.nr_samples;
		woken++;
	}
	diag("%llu records in %llu wakeups", nr, woken);
	kill(busy, SIGKILL);
	REQUIRE(waitpid(busy, &status, 0) == busy);
}

/* ---- O11: the filter ----------------------------------------------------- */

TEST(filtered, "O11: only samples in which a member has moved far enough become records")
{
	struct perfgrp_counter c[2] = { writes(1), faults(0) };
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };
	__u32 i;
	int fd;

	c[1].min_delta = 3;
	settle_memory();
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, c, 2))
		skip("no breakpoints: %s", grp_error.text);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < 30; i++) {
		fault_in(1);
		write_watched(4);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 10);
	for (i = 0; i < records.nr_samples; i++)
		EXPECT_EQ(sample_values(records.sample[i])[1].value, (i + 1) * 3);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stream), 0);
	EXPECT_EQ(stream.produced, 10);
	EXPECT_EQ(stream.filtered, 110);
	expect_balance(fd);
}

TEST(filter_of_one, "O11: one member's filter holds, wherever it stands among the others")
{
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_SW_DUMMY }, faults(1), { .event = PERFGRP_SW_CONTEXT_SWITCHES },
	};
	__u32 i, k;
	int fd;

	c[1].min_delta = 5;
	for (k = 0; k < 2; k++) {
		fd = task_group(c, 3, 65536);
		REQUIRE_EQ(grp_enable(fd), 0);
		fault_in(50);
		REQUIRE_EQ(grp_disable(fd), 0);
		stream_drain(fd);
		EXPECT_EQ(records.nr_samples, 10);
		close(fd);
		for (i = 0; i < 3; i++)
			c[i].id = 0;
		swap_counters(&c[0], &c[1]);
	}
}

TEST(filter_after_reset, "O11: the filter begins anew at a reset")
{
	struct perfgrp_counter c = faults(1);
	int fd;

	c.min_delta = 10;
	fd = task_group(&c, 1, 65536);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(9);
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(9);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 0);
	fault_in(1);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 1);
}

/* ---- refusals ------------------------------------------------------------ */

TEST(needs_buffer, "O11 E6: min_delta needs a buffer, and says so")
{
	struct perfgrp_counter c = faults(0);
	struct refusal no = refusal(EINVAL, PERFGRP_REASON_EVENT_OPTION);
	int fd = grp_on_task(0, 0);

	REQUIRE_GE(fd, 0);
	no.member = 0;
	no.field = "min_delta";
	c.min_delta = 1;
	EXPECT_REFUSED_AS(grp_add_counters(fd, &c, 1), no);
	c.sample_period = 1;
	EXPECT_REFUSED_AS(grp_add_counters(fd, &c, 1), no);
}

TEST(bad_sample, "E6: a frequency without a number, or above the limit, or a period too large")
{
	struct perfgrp_counter c = faults(0);
	struct refusal no = refusal(EINVAL, PERFGRP_REASON_EVENT_OPTION);
	int fd = stream_on_task(0, 0, 8192);

	REQUIRE_GE(fd, 0);
	no.member = 0;
	no.field = "sample_freq";
	c.flags |= PERFGRP_COUNTER_FREQ;
	EXPECT_REFUSED_AS(grp_add_counters(fd, &c, 1), no);
	c.sample_freq = 1 << 30;
	EXPECT_REFUSED_AS(grp_add_counters(fd, &c, 1), no);
	no.field = "sample_period";
	c.flags &= ~PERFGRP_COUNTER_FREQ;
	c.sample_period = 1ULL << 63;
	EXPECT_REFUSED_AS(grp_add_counters(fd, &c, 1), no);
	c.sample_period = (1ULL << 63) - 1;
	EXPECT_EQ(grp_add_counters(fd, &c, 1), 0);
}

TEST(bad_buffer, "A4: CREATE: what means nothing without a buffer, and what is too large")
{
	struct perfgrp_create task = { .target = PERFGRP_TARGET_TASK }, c;
	struct refusal no = refusal(EINVAL, PERFGRP_REASON_TARGET);

	c = task;
	c.wakeup_records = 1;
	no.field = "wakeup_records";
	EXPECT_REFUSED_AS(grp_create_like(c), no);
	c = task;
	c.wakeup_bytes = 1;
	no.field = "wakeup_bytes";
	EXPECT_REFUSED_AS(grp_create_like(c), no);
	c = task;
	c.flags = PERFGRP_CREATE_OVERWRITE;
	no = refusal(EINVAL, PERFGRP_REASON_FLAGS);
	EXPECT_REFUSED_AS(grp_create_like(c), no);
	c = task;
	c.buffer_size = grp_info().max_buffer + 1;
	no = refusal(EINVAL, PERFGRP_REASON_LIMIT);
	no.field = "buffer_size";
	EXPECT_REFUSED_AS(grp_create_like(c), no);
	EXPECT(text_has_number(grp_error.text, c.buffer_size - 1));
	/* There may be no memory for the largest buffer, but it is one. */
	c.buffer_size--;
	EXPECT_NE(grp_create_like(c), -EINVAL);
	c = task;
	c.buffer_size = 8192;
	c.wakeup_bytes = 4097;
	no.field = "wakeup_bytes";
	EXPECT_REFUSED_AS(grp_create_like(c), no);
	c.wakeup_bytes = 4096;
	EXPECT_GE(grp_create_like(c), 0);
}

TEST(fdinfo, "G22: fdinfo shows what became of the records")
{
	struct perfgrp_counter c = faults(1);
	int fd = task_group(&c, 1, 65536);
	static char text[8192], path[64];

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(6);
	REQUIRE_EQ(grp_disable(fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE(read_file(path, text, sizeof(text) - 1) > 0);
	EXPECT(strstr(text, "\nrecords:\t6 produced 0 read 0 lost 0 filtered"));
	stream_drain(fd);
	REQUIRE(read_file(path, text, sizeof(text) - 1) > 0);
	EXPECT(strstr(text, "\nrecords:\t6 produced 6 read 0 lost 0 filtered"));
}

#define KLOG_READ_ALL 3

TEST(no_complaint, "A9: the kernel does not complain of what a group with a buffer calls")
{
	static char log[1 << 20];
	char *line, *save;
	int len;

	REQUIRE_GE(stream_on_task(0, 0, 65536), 0);
	len = klogctl(KLOG_READ_ALL, log, sizeof(log) - 1);
	REQUIRE_GT(len, 0);
	for (line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (strstr(line, "[perfgrp]") && strstr(line, "deprecated"))
			fail("%s", line);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
