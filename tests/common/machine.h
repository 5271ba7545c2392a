/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests need from the machine: CPUs, known numbers of page faults, children
 * that obey orders, and perf_event_open(2) as the peer to compare with.
 */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include "harness.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define MAX_CPUS	64

/* ---- files --------------------------------------------------------------- */

/* Reads a small file as a string without the last newline; length or -errno. */
static inline int read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, all = 0;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + all, size - 1 - all)) > 0)
		all += n;
	close(fd);
	if (n < 0)
		return -errno;
	if (all > 0 && buf[all - 1] == '\n')
		all--;
	buf[all] = '\0';
	return all;
}

/* 0 or -errno. */
static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static inline long read_number(const char *path)
{
	char buf[64];

	return read_file(path, buf, sizeof(buf)) > 0 ? strtol(buf, NULL, 0) : -1;
}

/*
 * The address of the symbol NAME of the kernel, or of a module ("[perfgrp]"); 0 where the kernel
 * does not tell.
 */
static inline uint64_t kernel_address(const char *name, const char *module)
{
	char line[512], symbol[256], owner[64];
	unsigned long long address;
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t found = 0;

	while (f && !found && fgets(line, sizeof(line), f)) {
		owner[0] = '\0';
		if (sscanf(line, "%llx %*c %255s %63s", &address, symbol, owner) >= 2 &&
		    !strcmp(symbol, name) && !strcmp(owner, module))
			found = address;
	}
	if (f)
		fclose(f);
	return found;
}

static inline unsigned int nr_open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* ---- the kernel --------------------------------------------------------------- */

/* 6012 of Linux 6.12 */
static inline unsigned int kernel_version(void)
{
	struct utsname name;
	char *minor;

	REQUIRE_EQ(uname(&name), 0);
	minor = strchr(name.release, '.');
	REQUIRE(minor);
	return 1000 * strtoul(name.release, NULL, 10) + strtoul(minor + 1, NULL, 10);
}

static inline bool is_rt(void)
{
	struct utsname name;

	return uname(&name) == 0 && strstr(name.version, "PREEMPT_RT");
}

/* ---- kprobes -------------------------------------------------------------- */

#define KPROBES_ENABLED	"/sys/kernel/debug/kprobes/enabled"

/* Adds a second probe on FUNCTION, so that the kernel calls all through an aggregate probe. */
static inline void probe_too(const char *function)
{
	static const char events[] = "/sys/kernel/tracing/kprobe_events";
	char line[128];

	snprintf(line, sizeof(line), "p:another %s", function);
	if (write_file(events, line))
		skip("there is no %s", events);
}

static inline void probe_no_longer(void)
{
	REQUIRE_EQ(write_file("/sys/kernel/tracing/kprobe_events", "-:another"), 0);
}

/* Whether the probe behind scheduling groups and cgroups is armed. */
static inline bool probe_is_armed(void)
{
	static const char *const list = "/sys/kernel/debug/kprobes/list";
	bool found = false, armed = false;
	char line[256];
	FILE *f = fopen(list, "re");

	REQUIRE(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, "perf_event_alloc"))
			continue;
		found = true;
		armed = !strstr(line, "[DISABLED]");
	}
	fclose(f);
	REQUIRE(found);
	return armed;
}

/* ---- time ---------------------------------------------------------------- */

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline void nap_ns(uint64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

static inline long times_slept(void)
{
	struct rusage usage;

	REQUIRE_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw;
}

/*
 * Sleeps for some 0.1 ms, off the CPU. If starting a timer takes long, because programs run
 * in it, a short sleep is over before the task has left the CPU, and it never does.
 */
static inline void give_up_cpu(void)
{
	const long before = times_slept();
	uint64_t ns;

	for (ns = 100000; times_slept() == before; ns *= 2)
		nap_ns(ns);
}

/* Waits until COND is true; false if it still is not after MS milliseconds. */
#define BECOMES_TRUE(cond, ms) ({						\
	uint64_t end_ = now_ns() + (ms) * 1000000ULL;				\
	bool true_;								\
	while (!(true_ = (cond)) && now_ns() < end_)				\
		nap_ns(1000000);						\
	true_;									\
})

/* ---- CPUs ---------------------------------------------------------------- */

struct cpus {
	unsigned int nr;
	uint32_t cpu[MAX_CPUS];
};

static inline void cpus_online(struct cpus *cpus)
{
	char buf[256], *p = buf;

	cpus->nr = 0;
	REQUIRE(read_file("/sys/devices/system/cpu/online", buf, sizeof(buf)) > 0);
	while (*p) {
		long first = strtol(p, &p, 10), last = first;

		if (*p == '-')
			last = strtol(p + 1, &p, 10);
		if (*p == ',')
			p++;
		while (first <= last && cpus->nr < MAX_CPUS)
			cpus->cpu[cpus->nr++] = first++;
	}
	REQUIRE(cpus->nr > 0);
}

/* Binds this thread to CPU. */
static inline void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	REQUIRE(sched_setaffinity(0, sizeof(set), &set) == 0);
}

/* Returns 0, also if the CPU is in that state already, or -errno. */
static inline int cpu_set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return write_file(path, online ? "1" : "0");
}

/*
 * Suspends the machine for a second or two. If the kernel can test that, all of it is done but for
 * switching off: all CPUs but the first go offline. Else the machine idles until its clock wakes
 * it, and its CPUs stay online. Returns whether they went offline.
 */
static inline bool suspend_machine(void)
{
	static const char pm_test[] = "/sys/power/pm_test", state[] = "/sys/power/state";
	bool deep = !write_file("/sys/power/mem_sleep", "deep") && !write_file(pm_test, "core");
	int ret;

	if (deep)
		write_file("/sys/module/suspend/parameters/pm_test_delay", "1");
	else if (write_file("/sys/power/mem_sleep", "s2idle") ||
		 write_file("/sys/class/rtc/rtc0/wakealarm", "+2"))
		skip("this kernel cannot suspend");
	ret = write_file(state, "mem");
	if (deep)
		write_file(pm_test, "none");
	REQUIRE_EQ(ret, 0);
	return deep;
}

/* ---- work of known size --------------------------------------------------- */

/*
 * Makes all current memory of this process present, private and writable, so
 * that it no longer faults: from here on fault_in() takes exactly the faults
 * that it is asked for.
 */
static inline void settle_memory(void)
{
	volatile char stack[128 * 1024];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 1;
	REQUIRE(mlockall(MCL_CURRENT) == 0);
}

/* Room for NR pages, none of them present. */
static inline char *fresh_pages(unsigned int nr)
{
	size_t size = (size_t)nr * sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(p != MAP_FAILED);
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

static inline void touch_pages(char *p, unsigned int nr)
{
	size_t page = sysconf(_SC_PAGESIZE), i;

	for (i = 0; i < nr; i++)
		((volatile char *)p)[i * page] = 1;
}

static inline uint64_t cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * The clock of an emulated x86 can stand still for a tick. An event that counts for no time has a
 * time_running of 0, and so never ran.
 */
static inline void await_clock(void)
{
	uint64_t begin = cpu_time_ns();

	while (cpu_time_ns() == begin)
		;
}

/* Takes exactly NR page faults in user mode, and some CPU time. */
static inline void fault_in(unsigned int nr)
{
	char *p = fresh_pages(nr);

	touch_pages(p, nr);
	munmap(p, (size_t)nr * sysconf(_SC_PAGESIZE));
	await_clock();
}

/* Takes exactly NR page faults in kernel mode. */
static inline void fault_in_kernel(unsigned int nr)
{
	size_t size = (size_t)nr * sysconf(_SC_PAGESIZE);
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *p = fresh_pages(nr);

	REQUIRE(fd >= 0);
	REQUIRE_EQ(read(fd, p, size), size);
	close(fd);
	munmap(p, size);
}

/* NR iterations of a loop of two instructions, in user mode. */
static inline void spin(uint64_t nr)
{
	unsigned long n = nr;

#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__x86_64__) || defined(__i386__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#else
	while (n--)
		asm volatile("");
#endif
}

/* Runs until this thread has used US more microseconds of CPU time. */
static inline void burn_us(unsigned int us)
{
	uint64_t end = cpu_time_ns() + us * 1000ULL;

	while (cpu_time_ns() < end)
		spin(1000);
}

/* ---- children that obey orders ---------------------------------------------- */

enum order {
	ORDER_FAULT,
	ORDER_SPIN,
	ORDER_BURN,
	ORDER_RUN_ON,
	ORDER_EXIT,
};

struct order_msg {
	enum order order;
	unsigned int arg;
};

struct child {
	pid_t pid;
	int orders;
	int done;
};

static inline void child_obey(int orders, int done)
{
	struct order_msg msg;

	while (read(orders, &msg, sizeof(msg)) == sizeof(msg)) {
		switch (msg.order) {
		case ORDER_FAULT:
			fault_in(msg.arg);
			break;
		case ORDER_SPIN:
			spin(msg.arg);
			break;
		case ORDER_BURN:
			burn_us(msg.arg);
			break;
		case ORDER_RUN_ON:
			run_on(msg.arg);
			break;
		case ORDER_EXIT:
			_exit(msg.arg);
		}
		if (write(done, "", 1) != 1)
			break;
	}
	_exit(0);
}

/*
 * A child that executes a shell with COMMAND once a byte is written to GO; it is killed when its
 * parent exits.
 */
static inline pid_t shell_when_told(const char *command, int *go)
{
	int told[2];
	char byte;
	pid_t pid;

	REQUIRE(pipe2(told, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE(read(told[0], &byte, 1) == 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(told[0]);
	*go = told[1];
	return pid;
}

/* A child with settled memory that waits for orders; it is killed when its parent exits. */
static inline struct child child_start(void)
{
	int orders[2], done[2];
	struct child child;
	char byte;

	REQUIRE(pipe2(orders, O_CLOEXEC) == 0);
	REQUIRE(pipe2(done, O_CLOEXEC) == 0);
	child.pid = fork();
	REQUIRE(child.pid >= 0);
	if (child.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		settle_memory();
		/* Run all of the code once, so that no page of it faults later. */
		fault_in(1);
		spin(1);
		if (write(done[1], "", 1) != 1)
			_exit(1);
		child_obey(orders[0], done[1]);
	}
	close(orders[0]);
	close(done[1]);
	child.orders = orders[1];
	child.done = done[0];
	REQUIRE(read(child.done, &byte, 1) == 1);
	return child;
}

static inline void child_tell(struct child *child, enum order order, unsigned int arg)
{
	struct order_msg msg = { order, arg };

	REQUIRE(write(child->orders, &msg, sizeof(msg)) == sizeof(msg));
}

/* Waits until an order has been done. */
static inline void child_wait(struct child *child)
{
	char byte;

	REQUIRE(read(child->done, &byte, 1) == 1);
}

/* Gives an order and waits until it has been done. */
static inline void child_do(struct child *child, enum order order, unsigned int arg)
{
	child_tell(child, order, arg);
	child_wait(child);
}

/* Lets it exit without reaping it: it is a zombie afterwards. */
static inline void child_exit(struct child *child)
{
	siginfo_t info;

	child_tell(child, ORDER_EXIT, 0);
	REQUIRE(waitid(P_PID, child->pid, &info, WEXITED | WNOWAIT) == 0);
}

static inline void child_reap(struct child *child)
{
	REQUIRE(waitpid(child->pid, NULL, 0) == child->pid);
	close(child->orders);
	close(child->done);
}

static inline char task_state(pid_t pid)
{
	char path[32], buf[512], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_file(path, buf, sizeof(buf)) <= 0)
		return '?';
	p = strrchr(buf, ')');
	return p && p[1] == ' ' ? p[2] : '?';
}

/* Waits until a task sleeps and has left its CPU: it is in state S some instructions earlier. */
static inline void wait_until_asleep(pid_t pid)
{
	char path[32], buf[256];

	REQUIRE(BECOMES_TRUE(task_state(pid) == 'S', 5000));
	/* To read this file the kernel waits until the task is off its run queue. */
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	read_file(path, buf, sizeof(buf));
}

static inline uint64_t task_time_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	REQUIRE_EQ(clock_getcpuclockid(pid, &clock), 0);
	REQUIRE(clock_gettime(clock, &t) == 0);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Waits until a child has exited, and kills it if that takes longer than MS; returns its status. */
static inline int end_of_child(pid_t pid, unsigned int ms)
{
	int status = 0;

	if (!BECOMES_TRUE(waitpid(pid, &status, WNOHANG) == pid, ms)) {
		kill(pid, SIGKILL);
		REQUIRE(waitpid(pid, &status, 0) == pid);
	}
	return status;
}

/* Waits until a task has used CPU time: it is in state R while its CPU is still idle. */
static inline void wait_until_running(pid_t pid)
{
	uint64_t time = task_time_ns(pid);

	REQUIRE(BECOMES_TRUE(task_time_ns(pid) > time, 5000));
}

/* Function call IPIs that a CPU has received since boot. */
static inline uint64_t function_call_interrupts(int cpu)
{
	static char text[65536];
	char *line, *p;
	uint64_t n = 0;
	int i;

	REQUIRE(read_file("/proc/interrupts", text, sizeof(text)) > 0);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strstr(line, "unction call interrupts"))
			continue;
		p = strchr(line, ':') + 1;
		for (i = 0; i <= cpu; i++)
			n = strtoull(p, &p, 10);
		return n;
	}
	skip("no function call interrupts in /proc/interrupts");
	return 0;
}

/* ---- the peer --------------------------------------------------------------- */

struct peer_value {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* A counter of perf_event_open(2), disabled; fd or -errno. */
static inline int peer_open_attr(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	long fd;

	attr->size = sizeof(*attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->disabled = leader < 0;
	fd = syscall(__NR_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static inline int peer_open(uint32_t type, uint64_t config, pid_t pid, int cpu, int leader)
{
	struct perf_event_attr attr = { .type = type, .config = config };

	return peer_open_attr(&attr, pid, cpu, leader);
}

static inline void peer_enable(int fd)
{
	REQUIRE(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0);
}

static inline void peer_disable(int fd)
{
	REQUIRE(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0);
}

static inline struct peer_value peer_read(int fd)
{
	struct peer_value v;

	REQUIRE_EQ(read(fd, &v, sizeof(v)), sizeof(v));
	return v;
}

#endif /* TESTS_MACHINE_H */
