// SPDX-License-Identifier: GPL-2.0
/*
 * Who may do what: the node, callers without CAP_PERFMON, fds that were passed to
 * them, and the module parameter that lets them count their own tasks.
 */
#include "caps.h"
#include "group.h"

#include <grp.h>
#include <pthread.h>
#include <sys/resource.h>

#define NOBODY		65534
#define PARAMETER	MODULE "/parameters/allow_unprivileged"

#define USER_MODE_ONLY	(PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV)

static struct cpus cpus;
static struct grp_snap snap;
static struct grp_members members;

/* From here on this process is nobody, with these capabilities. */
static void become_nobody(uint64_t caps)
{
	REQUIRE(prctl(PR_SET_KEEPCAPS, 1) == 0);
	REQUIRE(setgroups(0, NULL) == 0);
	REQUIRE(setresgid(NOBODY, NOBODY, NOBODY) == 0);
	REQUIRE(setresuid(NOBODY, NOBODY, NOBODY) == 0);
	keep_caps(caps);
	/* A change of uid makes a process as closed as a setuid program. */
	REQUIRE(prctl(PR_SET_DUMPABLE, 1) == 0);
}

/* The parameter is as asked for until the test ends; it is off in all others. */
static void set_parameter(bool on)
{
	if (access(PARAMETER, F_OK))
		skip("the module has no parameter allow_unprivileged");
	REQUIRE_EQ(write_file(PARAMETER, on ? "Y" : "N"), 0);
}

#define EXPECT_DENIED(call) EXPECT_REFUSED(call, EACCES, PRIVILEGE)

/* A counter of what an unprivileged caller may count, if it may count anything. */
static int add_user_faults(int fd)
{
	return grp_add_with(fd, PERFGRP_SW_PAGE_FAULTS, USER_MODE_ONLY);
}

/* ---- A1, and what anyone may do ------------------------------------------------------ */

TEST(node, "A1: the node is a character device of root's, mode 0600")
{
	struct stat st;

	REQUIRE(stat(DEVICE, &st) == 0);
	EXPECT(S_ISCHR(st.st_mode));
	EXPECT_EQ(st.st_mode & 07777, 0600);
	EXPECT_EQ(st.st_uid, 0);
	EXPECT_EQ(st.st_gid, 0);
}

TEST(not_opened, "A1: nobody cannot open the node")
{
	become_nobody(0);
	EXPECT_EQ(open(DEVICE, O_RDWR), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(open(DEVICE, O_RDONLY), -1);
	EXPECT_EQ(errno, EACCES);
}

TEST(info_allowed, "A2: INFO on a passed device is for everyone")
{
	struct perfgrp_info info = { .size = sizeof(info) };
	int dev = grp_device();

	become_nobody(0);
	EXPECT_EQ(grp_ioctl(dev, PERFGRP_GET_INFO, &info), 0);
	EXPECT_GE(info.max_members, 16);
}

/* ---- A2: without the parameter --------------------------------------------------------- */

TEST(create_denied, "A2: without CAP_PERFMON creating is EACCES on every target, with the rule")
{
	int dev = grp_device();
	struct child child;

	cpus_online(&cpus);
	become_nobody(0);
	child = child_start();
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0));
	EXPECT(strstr(grp_error.text, "CAP_PERFMON"));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, child.pid, NULL, 0));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 1, NULL, 0));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, cpus.cpu, 1));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_CPUS, 0, cpus.cpu, 1));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0));
	EXPECT(strstr(grp_error.text, "CAP_PERFMON"));
}

TEST(root_without_caps, "A2: root without the capability is denied as well")
{
	keep_caps(0);
	EXPECT_DENIED(grp_on_task(0, 0));
	EXPECT_DENIED(grp_on_all_cpus(0));
}

TEST(perfmon_alone, "A2: CAP_PERFMON alone is enough")
{
	int dev = grp_device(), fd, id;

	settle_memory();
	become_nobody(1ULL << CAP_PERFMON);
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, 0, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	settle_memory();
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(5);
	fault_in_kernel(6);
	EXPECT_EQ(grp_raw(fd, id), 11);
	fd = grp_create_on(dev, 0, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0);
	REQUIRE_GE(fd, 0);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	fd = grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 1, NULL, 0);
	REQUIRE_GE(fd, 0);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
}

TEST(passed_group, "A2: a passed group is read by anyone, and takes no counter from them")
{
	int all = grp_on_all_cpus(PERFGRP_CREATE_ENABLED), own = grp_on_task(0, 0), id, mine;

	REQUIRE(all >= 0 && own >= 0);
	id = grp_add(all, PERFGRP_SW_PAGE_FAULTS);
	mine = add_user_faults(own);
	REQUIRE(id > 0 && mine > 0);
	cpus_online(&cpus);
	become_nobody(0);

	EXPECT_EQ(grp_snapshot(all, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, cpus.nr);
	EXPECT_EQ(grp_snapshot(all, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.value[0].id, id);
	EXPECT_EQ(grp_query(all, &members), 0);
	EXPECT_EQ(members.counter[0].id, id);

	EXPECT_DENIED(grp_add(all, PERFGRP_SW_PAGE_FAULTS));
	EXPECT_DENIED(add_user_faults(all));
	EXPECT_DENIED(add_user_faults(own));
	EXPECT_EQ(grp_query(all, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 1);

	/* What needs no more than the fd. */
	EXPECT_EQ(grp_disable(all), 0);
	EXPECT_EQ(grp_reset(all), 0);
	EXPECT_EQ(grp_enable(all), 0);
}

TEST(passed_group_counts, "A2: a group that its maker left to others counts on as before")
{
	int fd, id;

	settle_memory();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(5);
	become_nobody(0);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_reset(fd), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(7);
	EXPECT_EQ(grp_raw(fd, id), 7);
}

/* ---- A2: with the parameter -------------------------------------------------------------- */

TEST(parameter_is_roots, "A2: the parameter is off by default, root's to write, and a feature bit")
{
	struct stat st;
	char value[8];

	if (stat(PARAMETER, &st))
		skip("the module has no parameter allow_unprivileged");
	EXPECT_EQ(st.st_mode & 0222, 0200);
	EXPECT_EQ(st.st_uid, 0);
	REQUIRE_GT(read_file(PARAMETER, value, sizeof(value)), 0);
	EXPECT(strcmp(value, "N") == 0 || strcmp(value, "0") == 0);
	EXPECT_EQ(grp_info().features & PERFGRP_FEATURE_UNPRIVILEGED, 0);
	set_parameter(true);
	EXPECT_EQ(grp_info().features & PERFGRP_FEATURE_UNPRIVILEGED,
		  PERFGRP_FEATURE_UNPRIVILEGED);
	set_parameter(false);
	EXPECT_EQ(grp_info().features & PERFGRP_FEATURE_UNPRIVILEGED, 0);
}

TEST(own_task, "A2: with the parameter anyone counts his own task, in user mode")
{
	int dev = grp_device(), fd, id;

	set_parameter(true);
	become_nobody(0);
	settle_memory();
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, 0, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = add_user_faults(fd);
	REQUIRE_GT(id, 0);
	fault_in(19);
	fault_in_kernel(23);
	EXPECT_EQ(grp_raw(fd, id), 19);
}

/* A thread that takes page faults once it is told to. */
struct thread {
	pthread_t thread;
	volatile pid_t tid;
	int go[2];
};

static void *fault_when_told(void *arg)
{
	struct thread *thread = arg;
	char byte;

	thread->tid = gettid();
	REQUIRE(read(thread->go[0], &byte, 1) == 1);
	fault_in(31);
	return NULL;
}

TEST(own_thread, "A2: with the parameter anyone counts his process's threads, dumpable or not")
{
	int dev = grp_device(), fd, id;
	struct thread other = {};

	set_parameter(true);
	REQUIRE(pipe2(other.go, O_CLOEXEC) == 0);
	become_nobody(0);
	REQUIRE(prctl(PR_SET_DUMPABLE, 0) == 0);
	REQUIRE_EQ(pthread_create(&other.thread, NULL, fault_when_told, &other), 0);
	REQUIRE(BECOMES_TRUE(other.tid, 10000));
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, other.tid, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = add_user_faults(fd);
	REQUIRE_GT(id, 0);
	REQUIRE(write(other.go[1], "", 1) == 1);
	REQUIRE_EQ(pthread_join(other.thread, NULL), 0);
	EXPECT_GE(grp_raw(fd, id), 31);
}

/* A group that is told of BPF programs, on this task; fd or -errno. */
static int ask_for_bpf_events(int dev)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.flags = PERFGRP_CREATE_BPF_EVENTS,
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = 8192,
	};
	int ret = grp_ioctl(dev, PERFGRP_CREATE, &create);

	return ret ? ret : create.fd;
}

TEST(bpf_events_denied, "A2 B9: records of BPF programs need CAP_PERFMON, parameter or not")
{
	int dev = grp_device(), i;

	NEED_FEATURE(BPF_EVENTS);
	set_parameter(true);
	for (i = 0; i < 2; i++) {
		pid_t pid = fork();

		REQUIRE_GE(pid, 0);
		if (pid == 0) {
			become_nobody(i ? 1ULL << CAP_PERFMON : 0);
			if (i)
				EXPECT_GE(ask_for_bpf_events(dev), 0);
			else
				EXPECT_DENIED(ask_for_bpf_events(dev));
			EXPECT(i || strstr(grp_error.text, "BPF"));
			_exit(0);
		}
		REQUIRE(waitpid(pid, NULL, 0) == pid);
	}
	set_parameter(false);
	become_nobody(0);
	EXPECT_DENIED(ask_for_bpf_events(dev));
}

TEST(own_child, "A2: with the parameter anyone counts his own child")
{
	int dev = grp_device(), fd, id;
	struct child child;

	set_parameter(true);
	become_nobody(0);
	child = child_start();
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, child.pid, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = add_user_faults(fd);
	REQUIRE_GT(id, 0);
	child_do(&child, ORDER_FAULT, 31);
	EXPECT_EQ(grp_raw(fd, id), 31);
}

TEST(not_the_kernel, "A2: with the parameter what is not user mode only is EACCES")
{
	static const __u32 flags[] = {
		0, PERFGRP_COUNTER_EXCLUDE_KERNEL, PERFGRP_COUNTER_EXCLUDE_HV,
		PERFGRP_COUNTER_EXCLUDE_USER, PERFGRP_COUNTER_EXCLUDE_USER | USER_MODE_ONLY,
		PERFGRP_COUNTER_EXCLUDE_IDLE,
	};
	int dev = grp_device(), fd;
	size_t i;

	set_parameter(true);
	become_nobody(0);
	fd = grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0);
	REQUIRE_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		bool user_only = (flags[i] & USER_MODE_ONLY) == USER_MODE_ONLY;
		int ret = grp_add_with(fd, PERFGRP_SW_PAGE_FAULTS, flags[i]);

		if (user_only) {
			EXPECT_GT(ret, 0);
			continue;
		}
		EXPECT_REFUSED_MEMBER(ret, EACCES, PRIVILEGE, 0);
	}
}

TEST(not_others, "A2: with the parameter others' tasks and CPUs stay EACCES")
{
	int dev = grp_device();
	struct child roots = child_start();

	cpus_online(&cpus);
	set_parameter(true);
	become_nobody(0);
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 1, NULL, 0));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, getppid(), NULL, 0));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, roots.pid, NULL, 0));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_CPUS, 0, cpus.cpu, 1));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_CPUS, 0, cpus.cpu, cpus.nr));
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0));
}

TEST(not_others_groups, "A2: with the parameter a passed group on a CPU takes no counter")
{
	int all = grp_on_all_cpus(0), others = grp_on_task(0, getppid());

	REQUIRE(all >= 0 && others >= 0);
	set_parameter(true);
	become_nobody(0);
	EXPECT_DENIED(add_user_faults(all));
	EXPECT_DENIED(add_user_faults(others));
}

TEST(not_the_uid_alone, "A2: with the parameter a closed process of the same uid stays EACCES")
{
	int dev = grp_device(), ready[2];
	pid_t pid;
	char byte;

	set_parameter(true);
	REQUIRE(pipe2(ready, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		/* As after a setuid exec: it may know what others must not. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become_nobody(0);
		REQUIRE(prctl(PR_SET_DUMPABLE, 0) == 0);
		REQUIRE(write(ready[1], "", 1) == 1);
		for (;;)
			pause();
	}
	REQUIRE(read(ready[0], &byte, 1) == 1);
	become_nobody(0);
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, pid, NULL, 0));
	kill(pid, SIGKILL);
}

/* A process that is nobody, and says at READY how far it may be dumped. Killed with its parent. */
static void be_nobody_closed(int ready)
{
	char dumpable;

	REQUIRE(setgroups(0, NULL) == 0);
	REQUIRE(setresgid(NOBODY, NOBODY, NOBODY) == 0);
	REQUIRE(setresuid(NOBODY, NOBODY, NOBODY) == 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dumpable = prctl(PR_GET_DUMPABLE);
	REQUIRE(write(ready, &dumpable, 1) == 1);
	for (;;)
		pause();
}

TEST(dumped_by_root, "A2 A3: with the parameter a process that only root may dump stays EACCES")
{
	static const char path[] = "/proc/sys/fs/suid_dumpable";
	int dev = grp_device(), ready[2], ret;
	char was[16], dumpable = -1;
	ssize_t length;
	pid_t pid;

	set_parameter(true);
	REQUIRE(pipe2(ready, O_CLOEXEC) == 0);
	REQUIRE_GT(read_file(path, was, sizeof(was)), 0);
	REQUIRE_EQ(write_file(path, "2"), 0);
	pid = fork();
	if (pid == 0)
		be_nobody_closed(ready[1]);
	close(ready[1]);
	length = read(ready[0], &dumpable, 1);
	/* Before anything here can fail. */
	ret = write_file(path, was);
	REQUIRE_EQ(ret, 0);
	REQUIRE_EQ(length, 1);
	REQUIRE_EQ(dumpable, 2);
	become_nobody(0);
	EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, pid, NULL, 0));
	kill(pid, SIGKILL);
}

/* A process that CHANGEs, becomes dumpable and waits, to be killed. */
static pid_t other_process(void (*change)(void))
{
	int ready[2];
	pid_t pid;
	char byte;

	REQUIRE(pipe2(ready, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		change();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		REQUIRE(prctl(PR_SET_DUMPABLE, 1) == 0);
		REQUIRE(write(ready[1], "", 1) == 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	REQUIRE(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

static void be_nobody(void)
{
	become_nobody(0);
}

static void have_a_capability(void)
{
	become_nobody(1ULL << CAP_NET_RAW);
}

static void have_another_gid(void)
{
	become_nobody(1ULL << CAP_SETGID);
	REQUIRE(setresgid(NOBODY - 1, NOBODY - 1, NOBODY - 1) == 0);
	keep_caps(0);
}

/* With another saved gid only, as after a setgid program that gave up its rights. */
static void have_another_saved_gid(void)
{
	become_nobody(1ULL << CAP_SETGID);
	REQUIRE(setresgid(NOBODY, NOBODY, NOBODY - 1) == 0);
	keep_caps(0);
}

/* No more capabilities than others, but in a user namespace of its own. */
static void be_in_another_namespace(void)
{
	become_nobody(0);
	REQUIRE(unshare(CLONE_NEWUSER) == 0);
	keep_caps(0);
}

static bool have_user_namespaces(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		become_nobody(0);
		_exit(unshare(CLONE_NEWUSER) != 0);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

TEST(not_another_self, "A2: with the parameter gids, capabilities and user namespace count as well")
{
	static void (*const changes[])(void) = {
		have_a_capability, have_another_gid, have_another_saved_gid,
		be_in_another_namespace,
	};
	int dev = grp_device(), fd, nr = ARRAY_SIZE(changes), i;
	pid_t pid[ARRAY_SIZE(changes)], same;
	struct refusal no = refusal(EACCES, PERFGRP_REASON_PRIVILEGE);

	set_parameter(true);
	if (!have_user_namespaces())
		nr--;
	for (i = 0; i < nr; i++)
		pid[i] = other_process(changes[i]);
	same = other_process(be_nobody);
	become_nobody(0);
	no.field = "pid";
	for (i = 0; i < nr; i++)
		EXPECT_REFUSED_AS(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, pid[i], NULL, 0), no);
	/* But for that, it is. */
	fd = grp_create_on(dev, 0, PERFGRP_TARGET_TASK, same, NULL, 0);
	EXPECT_GE(fd, 0);
	EXPECT_GT(add_user_faults(fd), 0);
	for (i = 0; i < nr; i++)
		kill(pid[i], SIGKILL);
	kill(same, SIGKILL);
	if (nr < (int)ARRAY_SIZE(changes))
		diag("no user namespaces here");
}

TEST(not_fewer_capabilities, "A2: with the parameter a task with fewer capabilities is allowed")
{
	int dev = grp_device();
	pid_t pid;

	set_parameter(true);
	pid = other_process(be_nobody);
	become_nobody(1ULL << CAP_NET_RAW);
	EXPECT_GE(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, pid, NULL, 0), 0);
	kill(pid, SIGKILL);
}

TEST(not_for_nobody, "A2 G15 M1: NO_MUX, EXCLUSIVE and MAPPED need CAP_PERFMON, parameter or not")
{
	static const __u32 flags[] = {
		PERFGRP_CREATE_NO_MUX, PERFGRP_CREATE_EXCLUSIVE,
		PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_EXCLUSIVE, PERFGRP_CREATE_MAPPED,
	};
	struct refusal no = refusal(EACCES, PERFGRP_REASON_PRIVILEGE);
	int dev = grp_device(), mine;
	size_t i;

	set_parameter(true);
	mine = grp_create_on(dev, PERFGRP_CREATE_NO_MUX, PERFGRP_TARGET_TASK, 0, NULL, 0);
	REQUIRE_GE(mine, 0);
	become_nobody(1ULL << CAP_PERFMON);
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		EXPECT_GE(grp_create_on(dev, flags[i], PERFGRP_TARGET_TASK, 0, NULL, 0), 0);
	keep_caps(0);
	no.field = "flags";
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		EXPECT_REFUSED_AS(grp_create_on(dev, flags[i], PERFGRP_TARGET_TASK, 0, NULL, 0),
				  no);
		EXPECT(strstr(grp_error.text, "CAP_PERFMON"));
	}
	/* Nor does one that was passed take a counter. */
	EXPECT_REFUSED_AS(add_user_faults(mine), no);
}

/* ---- A14 ------------------------------------------------------------------------------- */

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* Whether the kernel has the function by which it can be asked. */
static bool kernel_can_be_asked(void)
{
	bool found = false;
	char line[256];
	FILE *f = fopen("/proc/kallsyms", "re");

	REQUIRE(f);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, " perf_allow_kernel\n");
	fclose(f);
	return found;
}

static void set_paranoid(long level)
{
	char text[16];

	snprintf(text, sizeof(text), "%ld", level);
	REQUIRE_EQ(write_file(PARANOID, text), 0);
}

/* 0 if nobody may count what FLAGS leave of its own task; -errno. */
static int add_as_nobody(int dev, long paranoid, __u32 flags)
{
	int fd, ret, status, *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	REQUIRE(result != MAP_FAILED);
	set_paranoid(paranoid);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		become_nobody(0);
		fd = grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0);
		REQUIRE_GE(fd, 0);
		ret = grp_add_with(fd, PERFGRP_SW_PAGE_FAULTS, flags);
		if (ret < 0)
			EXPECT_REFUSED_MEMBER(ret, EACCES, PRIVILEGE, 0);
		*result = ret < 0 ? ret : 0;
		_exit(0);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	ret = *result;
	munmap(result, sizeof(*result));
	return ret;
}

TEST(paranoid, "A14: where the kernel can be asked, perf_event_paranoid decides on kernel mode")
{
	int dev = grp_device(), want = kernel_can_be_asked() ? 0 : -EACCES;
	long was = read_number(PARANOID);
	pid_t pid;

	set_parameter(true);
	EXPECT_EQ(add_as_nobody(dev, 2, 0), -EACCES);
	EXPECT_EQ(add_as_nobody(dev, 2, PERFGRP_COUNTER_EXCLUDE_HV), -EACCES);
	EXPECT_EQ(add_as_nobody(dev, 2, USER_MODE_ONLY), 0);
	EXPECT_EQ(add_as_nobody(dev, 1, 0), want);
	EXPECT_EQ(add_as_nobody(dev, 1, PERFGRP_COUNTER_EXCLUDE_HV), want);
	EXPECT_EQ(add_as_nobody(dev, 1, USER_MODE_ONLY), 0);
	/* It does not open what the parameter keeps shut, nor CPUs. */
	set_paranoid(-1);
	set_parameter(false);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		become_nobody(0);
		EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0));
		EXPECT_DENIED(grp_create_on(dev, 0, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0));
		_exit(0);
	}
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	set_paranoid(was);
	diag("the kernel %s be asked, and perf_event_paranoid was %ld", want ? "cannot" : "can",
	     was);
}

TEST(paranoid_and_capable, "A14: with CAP_PERFMON kernel mode is counted, however paranoid")
{
	long was = read_number(PARANOID);
	int dev = grp_device(), fd;
	pid_t pid;

	set_paranoid(2);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		become_nobody(1ULL << CAP_PERFMON);
		fd = grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0);
		REQUIRE_GE(fd, 0);
		EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
		_exit(0);
	}
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	set_paranoid(was);
}

/* ---- A13 ------------------------------------------------------------------------------- */

/* Refused without a PMU, but not before it was tried. */
static void add_two(int fd, __u64 first, __u64 second)
{
	struct perfgrp_counter c[2] = {
		{ .event = first, .flags = USER_MODE_ONLY },
		{ .event = second, .flags = USER_MODE_ONLY },
	};

	grp_add_counters(fd, c, 2);
}

TEST(probe_software, "A13: members that share no PMU arm no probe")
{
	int fd = grp_on_task(0, 0), i;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE(BECOMES_TRUE(!probe_is_armed(), 10000));
	for (i = 0; i < 10; i++) {
		add_two(fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_SW_DUMMY);
		EXPECT(!probe_is_armed());
	}
	add_two(fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_HW_CPU_CYCLES);
	EXPECT(!probe_is_armed());
}

TEST(probe_lingers, "A13: the probe stays armed between the members of a loop, and no longer")
{
	int fd = grp_on_task(0, 0), i;
	__u64 last;

	NEED_FEATURE(SCHED_GROUP);
	REQUIRE_GE(fd, 0);
	REQUIRE(BECOMES_TRUE(!probe_is_armed(), 10000));
	/* With a PMU there are two members, without there is none. */
	add_two(fd, PERFGRP_HW_CPU_CYCLES, PERFGRP_HW_CPU_CYCLES);
	if (!grp_query(fd, &members) && !members.hdr.nr_counters)
		skip("no PMU: the first of two members is refused");
	for (i = 0; i < 5; i++) {
		EXPECT(probe_is_armed());
		add_two(fd, PERFGRP_HW_CPU_CYCLES, PERFGRP_HW_CPU_CYCLES);
	}
	/* A second from the last on, not from the first. If the machine stalls nothing is known. */
	for (i = 0; i < 4; i++) {
		last = now_ns();
		add_two(fd, PERFGRP_HW_CPU_CYCLES, PERFGRP_HW_CPU_CYCLES);
		nap_ns(400000000);
		EXPECT(probe_is_armed() || now_ns() - last > 900000000);
	}
	EXPECT(BECOMES_TRUE(!probe_is_armed(), 5000));
}

TEST(parameter_off_again, "A2: with the parameter off again a group takes no more counters")
{
	int dev = grp_device(), fd, go[2], done[2];
	char byte;
	pid_t pid;

	set_parameter(true);
	REQUIRE(pipe2(go, O_CLOEXEC) == 0);
	REQUIRE(pipe2(done, O_CLOEXEC) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become_nobody(0);
		fd = grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0);
		REQUIRE_GE(fd, 0);
		EXPECT_GT(add_user_faults(fd), 0);
		REQUIRE(write(done[1], "", 1) == 1);
		REQUIRE(read(go[0], &byte, 1) == 1);
		EXPECT_DENIED(add_user_faults(fd));
		EXPECT_EQ(grp_snapshot(fd, 0, &snap), 0);
		_exit(0);
	}
	close(done[1]);
	REQUIRE(read(done[0], &byte, 1) == 1);
	set_parameter(false);
	REQUIRE(write(go[1], "", 1) == 1);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

/* ---- A3 --------------------------------------------------------------------------------- */

#define SETUID_CAT "/tmp/setuid-cat"

/* A copy of cat that runs as root whoever starts it. */
static void make_setuid_cat(void)
{
	REQUIRE_EQ(system("cp /bin/cat " SETUID_CAT " && chmod 4755 " SETUID_CAT), 0);
}

/* A child of nobody's that waits, and then execs FILE, which copies from its stdin. */
struct execer {
	pid_t pid;
	int go;		/* write to it: exec */
	int in;		/* FILE's input: close it, and FILE ends */
	int out;	/* FILE's output: what comes back from it says that FILE runs */
};

static struct execer execer_start(const char *file)
{
	int go[2], in[2], out[2];
	struct execer e;
	char byte;

	REQUIRE(pipe2(go, O_CLOEXEC) == 0 && pipe2(in, O_CLOEXEC) == 0 &&
		pipe2(out, O_CLOEXEC) == 0);
	e.pid = fork();
	REQUIRE(e.pid >= 0);
	if (e.pid == 0) {
		REQUIRE(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
		REQUIRE(read(go[0], &byte, 1) == 1);
		fault_in(7);
		execl(file, "cat", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	e.go = go[1];
	e.in = in[1];
	e.out = out[0];
	return e;
}

static void execer_exec(struct execer *e)
{
	char byte;

	REQUIRE(write(e->go, "", 1) == 1);
	REQUIRE(write(e->in, "x", 1) == 1);
	REQUIRE(read(e->out, &byte, 1) == 1);
}

TEST(setuid_exec, "A3: a setuid exec ends what an unprivileged holder sees, for good")
{
	int dev = grp_device(), fd, id, second;
	struct perfgrp_value v;
	struct execer e;

	set_parameter(true);
	make_setuid_cat();
	become_nobody(0);
	e = execer_start(SETUID_CAT);
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, e.pid, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = add_user_faults(fd);
	second = add_user_faults(fd);
	REQUIRE(id > 0 && second > 0);
	execer_exec(&e);

	v = grp_value(fd, id);
	EXPECT(v.flags & PERFGRP_VALUE_EXITED);
	EXPECT_DENIED(add_user_faults(fd));
	EXPECT_EQ(grp_enable(fd), 0);
	EXPECT_EQ(grp_remove(fd, second, 0), 0);
	/* It works on; none of that is seen. */
	REQUIRE(write(e.in, "y", 1) == 1);
	close(e.in);
	REQUIRE(waitpid(e.pid, NULL, 0) == e.pid);
	EXPECT_EQ(grp_value(fd, id).raw, v.raw);
	EXPECT_EQ(grp_value(fd, id).time_enabled, v.time_enabled);
}

TEST(setuid_exec_capable, "A3: nor does CAP_PERFMON bring a group to life that has ended so")
{
	int dev = grp_device(), fd, id;
	struct execer e;

	make_setuid_cat();
	become_nobody(1ULL << CAP_PERFMON);
	e = execer_start(SETUID_CAT);
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, e.pid, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	execer_exec(&e);
	EXPECT(grp_value(fd, id).flags & PERFGRP_VALUE_EXITED);
	EXPECT_REFUSED(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), ESRCH, PID);
	close(e.in);
	REQUIRE(waitpid(e.pid, NULL, 0) == e.pid);
}

TEST(plain_exec, "A3: any other exec does not")
{
	int dev = grp_device(), fd, id;
	struct perfgrp_value v;
	struct execer e;

	set_parameter(true);
	become_nobody(0);
	e = execer_start("/bin/cat");
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, e.pid, NULL, 0);
	REQUIRE_GE(fd, 0);
	id = add_user_faults(fd);
	REQUIRE_GT(id, 0);
	execer_exec(&e);
	v = grp_value(fd, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_GT(v.raw, 7);
	close(e.in);
	REQUIRE(waitpid(e.pid, NULL, 0) == e.pid);
	EXPECT_GT(grp_value(fd, id).time_running, v.time_running);
}

TEST(setuid_exec_hardware, "A3: nor does removing a member let its set count on")
{
	struct perfgrp_counter c[3] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = USER_MODE_ONLY },
		{ .event = PERFGRP_HW_CPU_CYCLES, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL |
							   PERFGRP_COUNTER_EXCLUDE_HV },
		{ .event = PERFGRP_HW_CPU_CYCLES, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL |
							   PERFGRP_COUNTER_EXCLUDE_HV },
	};
	int dev = grp_device(), fd, ret;
	struct perfgrp_value v;
	struct execer e;

	set_parameter(true);
	make_setuid_cat();
	become_nobody(0);
	e = execer_start(SETUID_CAT);
	fd = grp_create_on(dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_TASK, e.pid, NULL, 0);
	REQUIRE_GE(fd, 0);
	ret = grp_add_counters(fd, c, ARRAY_SIZE(c));
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		skip("%s", grp_error.text);
	REQUIRE_EQ(ret, 0);
	execer_exec(&e);
	/* The leader of the hardware set: with the task alive the others would be made anew. */
	EXPECT_EQ(grp_remove(fd, c[1].id, 0), 0);
	v = grp_value(fd, c[2].id);
	EXPECT(v.flags & PERFGRP_VALUE_EXITED);
	close(e.in);
	REQUIRE(waitpid(e.pid, NULL, 0) == e.pid);
	EXPECT_EQ(grp_value(fd, c[2].id).raw, v.raw);
	EXPECT_EQ(grp_value(fd, c[2].id).time_enabled, v.time_enabled);
}

/* ---- A6 ------------------------------------------------------------------------------ */

#define FREE_BUFFER	(516 << 10)	/* for each CPU, whatever RLIMIT_MEMLOCK is */
#define MEMLOCK		(1 << 20)

/* A group with a buffer: on all CPUs, on the first, or of a task and its children there. */
static int with_buffer(int dev, enum perfgrp_target target, __u64 size)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.target = target,
		.buffer_size = size,
	};
	__u32 cpu = cpus.cpu[0];
	int ret;

	if (target != PERFGRP_TARGET_ALL_CPUS) {
		create.cpus = (uintptr_t)&cpu;
		create.nr_cpus = 1;
	}
	if (target == PERFGRP_TARGET_TASK)
		create.flags = PERFGRP_CREATE_INHERIT;
	ret = grp_ioctl(dev, PERFGRP_CREATE, &create);
	return ret ? ret : create.fd;
}

static void limit_memlock(void)
{
	struct rlimit limit = { .rlim_cur = MEMLOCK, .rlim_max = MEMLOCK };

	REQUIRE(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	cpus_online(&cpus);
}

TEST(buffers_limited, "A6: a user's buffers have RLIMIT_MEMLOCK, and a little for each CPU")
{
	struct refusal no = refusal(ENOSPC, PERFGRP_REASON_LIMIT);
	__u64 page = sysconf(_SC_PAGESIZE), size = 64 * page, limit, each, all;
	int dev = grp_device(), fd = -1;
	unsigned int i;

	limit_memlock();
	become_nobody(1ULL << CAP_PERFMON);
	limit = MEMLOCK + (__u64)cpus.nr * FREE_BUFFER;
	/* With a page for the state of the CPU's ring, and the ring of program records. */
	each = size + page + 3 * page;
	no.field = "buffer_size";
	/* Each of all CPUs' buffers counts. */
	for (all = size; all * cpus.nr < limit; all *= 2)
		;
	EXPECT_LT(all, limit);
	EXPECT_REFUSED_AS(with_buffer(dev, PERFGRP_TARGET_ALL_CPUS, all), no);
	EXPECT(text_has_number(grp_error.text, 0));
	EXPECT(strstr(grp_error.text, "RLIMIT_MEMLOCK"));
	for (i = 0; i < limit / each; i++) {
		fd = with_buffer(dev, PERFGRP_TARGET_CPUS, size);
		REQUIRE_GE(fd, 0);
	}
	EXPECT_REFUSED_AS(with_buffer(dev, PERFGRP_TARGET_CPUS, size), no);
	EXPECT(text_has_number(grp_error.text, i * each / 1024));
	/* What has no buffer needs none, and one that is closed makes room. */
	EXPECT_GE(grp_create_on(dev, 0, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0), 0);
	close(fd);
	EXPECT_GE(with_buffer(dev, PERFGRP_TARGET_CPUS, size), 0);
}

/* As many buffers of one CPU as fit into the limit, which is that of the CPUs now online. */
static void expect_buffers(int dev, enum perfgrp_target target)
{
	__u64 page = sysconf(_SC_PAGESIZE), size = 64 * page, each = size + page + 3 * page;
	__u64 limit, i;

	limit_memlock();
	become_nobody(1ULL << CAP_PERFMON);
	limit = MEMLOCK + (__u64)cpus.nr * FREE_BUFFER;
	for (i = 0; with_buffer(dev, target, size) >= 0; i++)
		;
	EXPECT_EQ(i, limit / each);
}

TEST(buffers_of_cpus, "A6: a task and its children on one CPU have the buffer of that CPU only")
{
	expect_buffers(grp_device(), PERFGRP_TARGET_TASK);
}

TEST(buffers_online, "A6: a CPU that is offline adds nothing to what a user may lock")
{
	int dev = grp_device();
	pid_t pid;

	if (cpu_set_online(1, true))
		skip("CPU 1 cannot be taken off and on line");
	REQUIRE_EQ(cpu_set_online(1, false), 0);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		expect_buffers(dev, PERFGRP_TARGET_CPUS);
		_exit(0);
	}
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	REQUIRE_EQ(cpu_set_online(1, true), 0);
}

TEST_LIMIT(buffers_unlimited, 60,
	   "A6: with CAP_IPC_LOCK the limit is memory, and no kernel complains")
{
	struct refusal no = refusal(ENOMEM, PERFGRP_REASON_MEMORY);
	__u64 page = sysconf(_SC_PAGESIZE), size = grp_info().max_buffer, first_size = 0;
	int dev = grp_device(), ret, last = dev, first = -1;

	if (is_debug_kernel())
		skip("filling memory takes long there");
	limit_memlock();
	become_nobody(1ULL << CAP_PERFMON | 1ULL << CAP_IPC_LOCK);
	no.field = "buffer_size";
	/* Smaller and smaller ones, into the last corner. */
	for (; size >= 2 * page; size /= 2) {
		while ((ret = with_buffer(dev, PERFGRP_TARGET_ALL_CPUS, size)) >= 0) {
			last = ret;
			if (first < 0) {
				first = ret;
				first_size = size;
			}
		}
		EXPECT_REFUSED_AS(ret, no);
		EXPECT(text_has_number(grp_error.text, size));
	}
	EXPECT_GT(last, dev);

	/* What has just been closed is there for the next one. */
	close(first);
	EXPECT_GE(with_buffer(dev, PERFGRP_TARGET_ALL_CPUS, first_size / 2), 0);

	/* Neither what was closed nor what was refused is charged any longer. */
	while (last > dev)
		close(last--);
	keep_caps(1ULL << CAP_PERFMON);
	EXPECT(BECOMES_TRUE(with_buffer(dev, PERFGRP_TARGET_CPUS, 64 * page) >= 0, 10000));
}

TEST(killed_with_buffer, "A6 A7: a process is killed while a buffer is made for it")
{
	__u64 size = grp_info().max_buffer / 8;
	unsigned int round, rounds = is_debug_kernel() ? 5 : 20;
	int dev = grp_device(), status, fd;
	pid_t pid;

	/* There is memory for one, so that each round makes some. */
	fd = with_buffer(dev, PERFGRP_TARGET_ALL_CPUS, size);
	REQUIRE_GE(fd, 0);
	close(fd);
	for (round = 0; round < rounds; round++) {
		pid = fork();
		REQUIRE_GE(pid, 0);
		if (pid == 0) {
			for (;;)
				close(with_buffer(dev, PERFGRP_TARGET_ALL_CPUS, size));
		}
		usleep(1000 * (round % 10 + 1));
		kill(pid, SIGKILL);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status));
	}
}

/* Last: whatever the tests above left behind. */
TEST(parameter_restored, "A2: and the parameter is off in the end")
{
	set_parameter(false);
	EXPECT_EQ(grp_info().features & PERFGRP_FEATURE_UNPRIVILEGED, 0);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
