// SPDX-License-Identifier: GPL-2.0
/*
 * How much one user can have, and whom its memory is charged to.
 */
#include "caps.h"
#include "faults.h"
#include "group.h"

#include <grp.h>
#include <sys/resource.h>

#define NOBODY		65534
#define MAX_MEMBERS	32
#define USER_MEMBERS	16384	/* of one user without CAP_SYS_RESOURCE */

static struct grp_members members;

static void become(uid_t uid, uint64_t caps)
{
	REQUIRE(prctl(PR_SET_KEEPCAPS, 1) == 0);
	REQUIRE(setgroups(0, NULL) == 0);
	REQUIRE(setresuid(uid, uid, uid) == 0);
	keep_caps(caps);
}

static void allow_fds(unsigned int nr)
{
	struct rlimit limit = { .rlim_cur = nr, .rlim_max = nr };

	REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static int create_on(int dev)
{
	return grp_create_on(dev, 0, PERFGRP_TARGET_TASK, 0, NULL, 0);
}

#define BUFFER_SIZE (256 << 10)

static int create_with_buffer(int dev)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = BUFFER_SIZE,
	};
	int ret = grp_ioctl(dev, PERFGRP_CREATE, &create);

	return ret ? ret : create.fd;
}

static int create_split(int dev)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.flags = PERFGRP_CREATE_SPLIT_BY_CGROUP,
		.target = PERFGRP_TARGET_ALL_CPUS,
		.target_fd = -1,
	};
	int ret = grp_ioctl(dev, PERFGRP_CREATE, &create);

	return ret ? ret : create.fd;
}

/* Groups that are refused leave nothing charged to the user, who may have one more. */
static void refused_are_not_charged(int dev, bool can_split)
{
	struct refusal no = refusal(ENOSPC, PERFGRP_REASON_LIMIT);
	const struct rlimit none = {};
	unsigned int i;
	int fd;

	REQUIRE(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
	fd = create_on(dev);
	REQUIRE_GE(fd, 0);
	/* It is the groups that are too many; so many buffers would be too large as well. */
	no.field = "";
	for (i = 0; i < 4 * (unsigned int)sysconf(_SC_NPROCESSORS_ONLN); i++)
		EXPECT_REFUSED_AS(create_with_buffer(dev), no);
	close(fd);
	if (can_split)
		EXPECT_REFUSED(create_split(dev), EBADF, CGROUP);
	fd = create_on(dev);
	EXPECT_GE(fd, 0);
	close(fd);
}

/* Creates a group with these user ids and CAP_PERFMON, in a child: 0 or -errno. */
static int create_as(int dev, uid_t real, uid_t effective)
{
	int status;
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		REQUIRE(prctl(PR_SET_KEEPCAPS, 1) == 0);
		REQUIRE(setresuid(real, effective, effective) == 0);
		keep_caps(1ULL << CAP_PERFMON);
		_exit(create_on(dev) >= 0 ? 0 : errno);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

TEST_LIMIT(groups, 90, "A6: a user has so many groups open, and one more is ENOSPC with the number")
{
	const struct perfgrp_info info = grp_info();
	unsigned int max = info.max_groups, i, last = 0;
	int dev = grp_device(), fd, status;
	pid_t pid;

	allow_fds(max + 64);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		become(NOBODY, 1ULL << CAP_PERFMON);
		for (i = 0; i < max; i++) {
			fd = create_on(dev);
			REQUIRE_GE(fd, 0);
			last = fd;
		}
		EXPECT_REFUSED(create_on(dev), ENOSPC, LIMIT);
		EXPECT(text_has_number(grp_error.text, max));
		close(last);
		refused_are_not_charged(dev, info.features & PERFGRP_FEATURE_SPLIT_BY_CGROUP);
		fd = create_on(dev);
		EXPECT_GE(fd, 0);
		EXPECT_REFUSED(create_on(dev), ENOSPC, LIMIT);
		/* The parent looks on while these are open. */
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	REQUIRE(waitpid(pid, &status, WUNTRACED) == pid);
	if (WIFSTOPPED(status)) {
		/* Another user is not concerned. */
		fd = create_on(dev);
		EXPECT_GE(fd, 0);
		/* It is the real user id that counts, whatever the effective one is. */
		EXPECT_EQ(create_as(dev, NOBODY, 0), -ENOSPC);
		EXPECT_EQ(create_as(dev, 0, NOBODY), 0);
		kill(pid, SIGCONT);
		REQUIRE(waitpid(pid, NULL, 0) == pid);
	}
	/* What it had is gone with it. */
	become(NOBODY, 1ULL << CAP_PERFMON);
	EXPECT(BECOMES_TRUE((fd = create_on(dev)) >= 0, 10000));
}

/*
 * There is one place left: each allocation of an ADD fails in turn, and the place is still there.
 */
static void failing_add(int dev)
{
	int fd = create_on(dev), id;
	unsigned int nth;
	bool hit = true;

	REQUIRE_GE(fd, 0);
	for (nth = 1; hit && !verdict->failed; nth++) {
		faults_on(nth);
		id = grp_add(fd, PERFGRP_SW_DUMMY);
		hit = faults_off();
		if (id > 0)
			REQUIRE_EQ(grp_remove(fd, id, 0), 0);
		else if (id != -ENOMEM && id != -EFAULT)
			fail("failure %u: ADD returned %d", nth, id);
	}
	EXPECT_GT(grp_add(fd, PERFGRP_SW_DUMMY), 0);
	EXPECT_EQ(grp_add(fd, PERFGRP_SW_DUMMY), -ENOSPC);
}

TEST_LIMIT(members_of_user, 90, "A6: a user has so many members, more only with CAP_SYS_RESOURCE")
{
	struct perfgrp_counter c[MAX_MEMBERS];
	int dev = grp_device(), fd, full = -1, id;
	struct refusal no = refusal(ENOSPC, PERFGRP_REASON_LIMIT);
	bool faults = can_fail();
	unsigned int i;

	no.field = "nr_counters";
	if (faults)
		prepare_faults();
	allow_fds(USER_MEMBERS / MAX_MEMBERS + 64);
	become(NOBODY, 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_RESOURCE);
	for (i = 0; i < USER_MEMBERS; i += MAX_MEMBERS) {
		full = create_on(dev);
		REQUIRE_GE(full, 0);
		fill_counters(c, MAX_MEMBERS, PERFGRP_SW_DUMMY);
		REQUIRE_EQ(grp_add_counters(full, c, MAX_MEMBERS), 0);
	}
	fd = create_on(dev);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_DUMMY);
	EXPECT_GT(id, 0);
	EXPECT_EQ(grp_remove(fd, id, 0), 0);

	keep_caps(1ULL << CAP_PERFMON);
	no.member = 0;
	EXPECT_REFUSED_AS(grp_add(fd, PERFGRP_SW_DUMMY), no);
	EXPECT(text_has_number(grp_error.text, USER_MEMBERS));
	/* All or none: there is room for 4 of 5. */
	for (i = 1; i <= 4; i++)
		EXPECT_EQ(grp_remove(full, c[MAX_MEMBERS - i].id, 0), 0);
	fill_counters(c, 5, PERFGRP_SW_DUMMY);
	no.member = 4;
	EXPECT_REFUSED_AS(grp_add_counters(fd, c, 5), no);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 0);
	fill_counters(c, 4, PERFGRP_SW_DUMMY);
	EXPECT_EQ(grp_add_counters(fd, c, 4), 0);
	close(fd);
	fd = create_on(dev);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_DUMMY), 0);
	if (!faults)
		return;
	/* It has one of four places; take two more. */
	fill_counters(c, 2, PERFGRP_SW_DUMMY);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	failing_add(dev);
}

/* ---- the memory cgroup --------------------------------------------------------- */

#define CGROUPS	"/sys/fs/cgroup"
#define CGROUP	CGROUPS "/perfgrp-limits"

/* A number of CGROUP's memory.stat. */
static long long memory_stat(const char *key)
{
	static char text[16384];
	char line[64], *at;

	REQUIRE_GT(read_file(CGROUP "/memory.stat", text, sizeof(text)), 0);
	snprintf(line, sizeof(line), "\n%s ", key);
	at = strstr(text, line);
	REQUIRE(at);
	return strtoll(at + strlen(line), NULL, 10);
}

/* Bytes of the kernel's that are charged to CGROUP. */
static long long kernel_bytes(void)
{
	return memory_stat("kernel");
}

/* A child in CGROUP, which is empty again once the child has exited. Returns as fork(2) does. */
static pid_t fork_into_cgroup(void)
{
	pid_t pid;

	write_file(CGROUPS "/cgroup.subtree_control", "+memory");
	mkdir(CGROUP, 0755);
	if (access(CGROUP "/memory.stat", R_OK))
		skip("there is no memory controller");
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0)
		REQUIRE_EQ(write_file(CGROUP "/cgroup.procs", "0"), 0);
	return pid;
}

static void create_all(struct perfgrp_create create, int *fd, int nr)
{
	while (nr--) {
		fd[nr] = grp_create_like(create);
		REQUIRE_GE(fd[nr], 0);
	}
}

static void wait_and_remove_cgroup(pid_t pid)
{
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	rmdir(CGROUP);
}

TEST_LIMIT(memory_cgroup, 90, "A6: groups and members are charged to their maker's memory cgroup")
{
	enum { GROUPS = 100 };
	struct perfgrp_counter c[MAX_MEMBERS];
	long long before, with, after;
	struct grp_snap snap;
	int fd[GROUPS], i, dev = grp_device();
	pid_t pid;

	pid = fork_into_cgroup();
	if (pid == 0) {
		before = kernel_bytes();
		for (i = 0; i < GROUPS; i++) {
			fd[i] = create_on(dev);
			REQUIRE_GE(fd[i], 0);
			fill_counters(c, MAX_MEMBERS, PERFGRP_SW_DUMMY);
			REQUIRE_EQ(grp_add_counters(fd[i], c, MAX_MEMBERS), 0);
		}
		with = kernel_bytes();
		/* A member's description alone; what is counted in batches is left out. */
		EXPECT_GT(with - before, (long long)GROUPS * MAX_MEMBERS *
						 (long long)sizeof(struct perfgrp_counter));
		/* Each keeps the memory of its last snapshot. */
		for (i = 0; i < GROUPS; i++)
			REQUIRE_EQ(grp_snapshot(fd[i], 0, &snap), 0);
		EXPECT(BECOMES_TRUE(kernel_bytes() > with + GROUPS * MAX_MEMBERS *
				    (long long)(snap.hdr.nr_rows * sizeof(struct perfgrp_value)),
				    10000));
		for (i = 0; i < GROUPS; i++)
			close(fd[i]);
		EXPECT(BECOMES_TRUE((after = kernel_bytes()) < before + (with - before) / 2,
				    10000));
		_exit(0);
	}
	wait_and_remove_cgroup(pid);
}

/* The kernel updates the numbers in batches, and every two seconds. */
TEST_LIMIT(buffers_memory, 90, "A6: buffers are charged to their maker's memory cgroup, too")
{
	enum { BUFFERS = 32 };
	const long long half = BUFFERS * (BUFFER_SIZE / 2);
	int fd[BUFFERS], i, dev = grp_device();
	long long before;
	pid_t pid;

	pid = fork_into_cgroup();
	if (pid == 0) {
		before = kernel_bytes();
		for (i = 0; i < BUFFERS; i++) {
			fd[i] = create_with_buffer(dev);
			REQUIRE_GE(fd[i], 0);
		}
		EXPECT(BECOMES_TRUE(kernel_bytes() > before + half, 10000));
		for (i = 0; i < BUFFERS; i++)
			close(fd[i]);
		EXPECT(BECOMES_TRUE(kernel_bytes() < before + half, 10000));
		_exit(0);
	}
	wait_and_remove_cgroup(pid);
}

TEST_LIMIT(late_buffers_memory, 90, "A6 G19: so is the buffer of a CPU that comes online later")
{
	enum { BUFFERS = 32 };
	const long long half = BUFFERS * (BUFFER_SIZE / 2);
	struct perfgrp_create create = {
		.flags = PERFGRP_CREATE_INHERIT,
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = BUFFER_SIZE,
	};
	int fd[BUFFERS], i;
	long long before;
	pid_t pid;

	NEED_FEATURE(HOTPLUG);
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		skip("CPU 1 cannot be taken down");
	pid = fork_into_cgroup();
	if (pid == 0) {
		REQUIRE_EQ(cpu_set_online(1, false), 0);
		create_all(create, fd, BUFFERS);
		/* Until those of the other CPUs are in the numbers. */
		sleep(5);
		before = kernel_bytes();
		REQUIRE_EQ(cpu_set_online(1, true), 0);
		EXPECT(BECOMES_TRUE(kernel_bytes() > before + half, 10000));
		for (i = 0; i < BUFFERS; i++)
			close(fd[i]);
		_exit(0);
	}
	wait_and_remove_cgroup(pid);
}

/* A member's counts take a page for each CPU. */
TEST_LIMIT(split_memory, 90, "A6: what a split group counts in is charged to its maker, too")
{
	enum { GROUPS = 4 };
	struct perfgrp_create create = {
		.flags = PERFGRP_CREATE_SPLIT_BY_CGROUP,
		.target = PERFGRP_TARGET_ALL_CPUS,
	};
	struct perfgrp_counter c[MAX_MEMBERS];
	long long before, counts;
	struct cpus cpus;
	int fd[GROUPS], i;
	pid_t pid;

	NEED_FEATURE(SPLIT_BY_CGROUP);
	cpus_online(&cpus);
	counts = 4096LL * GROUPS * MAX_MEMBERS * cpus.nr;
	pid = fork_into_cgroup();
	if (pid == 0) {
		create.target_fd = open(CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		REQUIRE_GE(create.target_fd, 0);
		before = kernel_bytes();
		for (i = 0; i < GROUPS; i++) {
			fd[i] = grp_create_like(create);
			REQUIRE_GE(fd[i], 0);
			fill_counters(c, MAX_MEMBERS, PERFGRP_SW_DUMMY);
			REQUIRE_EQ(grp_add_counters(fd[i], c, MAX_MEMBERS), 0);
		}
		EXPECT(BECOMES_TRUE(kernel_bytes() > before + counts, 10000));
		for (i = 0; i < GROUPS; i++)
			close(fd[i]);
		EXPECT(BECOMES_TRUE(kernel_bytes() < before + counts / 2, 10000));
		_exit(0);
	}
	wait_and_remove_cgroup(pid);
}

/* Two arrays for each CPU, with room for all members: an event, a count and more. */
TEST_LIMIT(arrays_memory, 90, "A6: what overflow handlers look up is charged to its maker, too")
{
	enum { GROUPS = 200 };
	struct perfgrp_counter c;
	long long before, arrays;
	struct cpus cpus;
	int fd[GROUPS], i;
	pid_t pid;

	cpus_online(&cpus);
	arrays = 2 * 64LL * GROUPS * MAX_MEMBERS * cpus.nr;
	pid = fork_into_cgroup();
	if (pid == 0) {
		before = kernel_bytes();
		for (i = 0; i < GROUPS; i++) {
			fd[i] = grp_on_all_cpus(0);
			REQUIRE_GE(fd[i], 0);
			c = (struct perfgrp_counter){ .event = PERFGRP_SW_PAGE_FAULTS,
						      .sample_period = 1ULL << 40 };
			REQUIRE_EQ(grp_add_counters(fd[i], &c, 1), 0);
		}
		EXPECT(BECOMES_TRUE(kernel_bytes() > before + arrays, 10000));
		for (i = 0; i < GROUPS; i++)
			close(fd[i]);
		EXPECT(BECOMES_TRUE(kernel_bytes() < before + arrays / 2, 10000));
		_exit(0);
	}
	wait_and_remove_cgroup(pid);
}

TEST_LIMIT(mapped_memory, 90, "A6 M6: mapped rows are charged to their maker, too")
{
	enum { GROUPS = 64 };
	/* A header and a slot, at least. What else a group has is from kmalloc(). */
	const long long rows = 2LL * GROUPS * sysconf(_SC_PAGESIZE);
	struct perfgrp_create create = {
		.flags = PERFGRP_CREATE_MAPPED,
		.target = PERFGRP_TARGET_ALL_CPUS,
	};
	int fd[GROUPS], i;
	long long before;
	pid_t pid;

	NEED_FEATURE(MAPPED);
	pid = fork_into_cgroup();
	if (pid == 0) {
		before = memory_stat("vmalloc");
		create_all(create, fd, GROUPS);
		EXPECT(BECOMES_TRUE(memory_stat("vmalloc") >= before + rows, 10000));
		for (i = 0; i < GROUPS; i++)
			close(fd[i]);
		EXPECT(BECOMES_TRUE(memory_stat("vmalloc") < before + rows / 2, 10000));
		_exit(0);
	}
	wait_and_remove_cgroup(pid);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
