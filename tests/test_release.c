// SPDX-License-Identifier: GPL-2.0
/*
 * What the last close of a group gives back that nobody misses soon: mappings of the kernel,
 * references to tasks, cgroups, directories and namespaces.
 */
#include "caps.h"
#include "cgroup.h"
#include "pmu.h"

#include <sys/resource.h>

#define FREED_MS	15000	/* after a grace period, by a worker */

static struct perfgrp_counter sampled_faults(void)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
}

/* ---- memory ------------------------------------------------------------------- */

/* Areas of the kernel's address space that the module has mapped. */
static unsigned int mapped_areas(void)
{
	static char text[4 << 20];
	unsigned int nr = 0;
	const char *p;

	REQUIRE_GT(read_file("/proc/vmallocinfo", text, sizeof(text)), 0);
	for (p = text; (p = strstr(p, "[perfgrp]")); p++)
		nr++;
	return nr;
}

TEST(areas, "G13: the kernel's mappings of a group's rings and rows go with the group")
{
	struct perfgrp_create want = {
		.target = PERFGRP_TARGET_ALL_CPUS, .buffer_size = 1 << 20 };
	int fd;

	REQUIRE(BECOMES_TRUE(mapped_areas() == 0, FREED_MS));
	if (grp_info().features & PERFGRP_FEATURE_MAPPED)
		want.flags = PERFGRP_CREATE_MAPPED;
	fd = grp_create_like(want);
	REQUIRE_GE(fd, 0);
	EXPECT_GT(mapped_areas(), 0);
	close(fd);
	EXPECT(BECOMES_TRUE(mapped_areas() == 0, FREED_MS));
}

/* ---- namespaces --------------------------------------------------------------- */

/* In the first process of a pid namespace. */
static void groups_on_self(void)
{
	struct perfgrp_counter c = sampled_faults();
	int pidfd;

	REQUIRE_EQ(grp_add_counters(stream_on_task(0, 0, 65536), &c, 1), 0);
	pidfd = syscall(__NR_pidfd_open, getpid(), 0);
	if (pidfd >= 0 && grp_info().features & PERFGRP_FEATURE_PIDFD)
		REQUIRE_GE(grp_create_like((struct perfgrp_create){
			.target = PERFGRP_TARGET_PIDFD, .target_fd = pidfd }), 0);
}

/* Returns the errno of unshare(). */
static int try_namespace(void)
{
	int status;
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (pid) {
		REQUIRE(waitpid(pid, &status, 0) == pid);
		return WIFEXITED(status) ? WEXITSTATUS(status) : EINVAL;
	}
	if (unshare(CLONE_NEWPID))
		_exit(errno);
	pid = fork();
	if (!pid) {
		groups_on_self();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		_exit(EINVAL);
	_exit(0);
}

TEST_LIMIT(pid_namespace, 60,
	   "G13 G23: a pid namespace goes with the last group that was created in it")
{
	static const char limit[] = "/proc/sys/user/max_pid_namespaces";
	char before[32];
	bool freed;
	int ret;

	if (read_file(limit, before, sizeof(before)) <= 0)
		skip("no %s", limit);
	ret = try_namespace();
	if (ret)
		skip("no pid namespaces (errno %d)", ret);
	REQUIRE_EQ(write_file(limit, "1"), 0);
	freed = BECOMES_TRUE(try_namespace() == 0, FREED_MS) &&
		BECOMES_TRUE(try_namespace() == 0, FREED_MS);
	EXPECT_EQ(write_file(limit, before), 0);
	EXPECT(freed);
}

/* ---- cgroups and tasks --------------------------------------------------------- */

/* Cgroups that were removed but are still referred to, also by tasks and events. */
static long dying(void)
{
	static const char key[] = "nr_dying_descendants ";
	char path[160], text[512], *at;

	snprintf(path, sizeof(path), "%s/cgroup.stat", cgroup_root);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	at = strstr(text, key);
	REQUIRE(at);
	return strtol(at + sizeof(key) - 1, NULL, 10);
}

/* Those of earlier tests may be about to go. */
static long dying_before(void)
{
	BECOMES_TRUE(dying() == 0, 3000);
	return dying();
}

static int split_below(const struct cgroup *dir, __u32 max)
{
	int fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_ALL_CPUS, .target_fd = dir->fd, .split_max = max,
		.flags = PERFGRP_CREATE_SPLIT_BY_CGROUP | PERFGRP_CREATE_ENABLED });

	REQUIRE_GE(fd, 0);
	return fd;
}

static void reap(struct child *child)
{
	child_exit(child);
	REQUIRE(waitpid(child->pid, NULL, 0) == child->pid);
}

TEST(cgroup, "G13 C4 C10: a removed cgroup is freed when the groups that counted it are closed")
{
	struct cgroup dir, cg;
	int fd[2], nr = 1;
	long before;

	need_cgroups();
	before = dying_before();
	dir = cgroup_make("dir");
	cg = cgroup_make("dir/a");
	fd[0] = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, NULL, 0);
	REQUIRE_GE(fd[0], 0);
	REQUIRE_GT(grp_add(fd[0], PERFGRP_SW_PAGE_FAULTS), 0);
	if (grp_info().features & PERFGRP_FEATURE_SPLIT_BY_CGROUP) {
		fd[nr] = split_below(&dir, 0);
		REQUIRE_GT(grp_add(fd[nr++], PERFGRP_SW_PAGE_FAULTS), 0);
	}
	cgroup_remove(&cg);
	close(cg.fd);
	/* The directory of the group that is split, too. */
	cgroup_remove(&dir);
	close(dir.fd);
	while (nr--)
		close(fd[nr]);
	EXPECT(BECOMES_TRUE(dying() <= before, FREED_MS));
}

static bool splits_freed(int fd, long before)
{
	static struct perfgrp_row rows[4096];
	struct perfgrp_snapshot snapshot = {
		.size = sizeof(snapshot), .flags = PERFGRP_SNAPSHOT_TOTALS,
		.rows = to_u64(rows), .row_size = sizeof(rows[0]), .nr_rows = ARRAY_SIZE(rows),
		.value_size = sizeof(struct perfgrp_value),
	};

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &snapshot), 0);
	return dying() <= before;
}

TEST(split_cgroups, "C10 G13: a removed cgroup is freed while a group goes on that was split by it")
{
	struct cgroup dir, cg[3];
	char name[] = "dir/a";
	int fd, i;
	long before;

	need_cgroups();
	NEED_FEATURE(SPLIT_BY_CGROUP);
	before = dying_before();
	dir = cgroup_make("dir");
	/* There is room for one of them; the others find none. */
	fd = split_below(&dir, 1);
	for (i = 0; i < 3; i++, name[4]++)
		cg[i] = cgroup_make(name);
	splits_freed(fd, before);
	for (i = 0; i < 3; i++) {
		cgroup_remove(&cg[i]);
		close(cg[i].fd);
	}
	EXPECT(BECOMES_TRUE(splits_freed(fd, before), FREED_MS));
	close(fd);
}

/* Refused after some of the events were created: see G4 in test_sched_rules. */
static void add_while_probes_are_off(int fd)
{
	struct perfgrp_counter pair[2];
	int ret;

	if (!has_pmu() || !(grp_info().features & PERFGRP_FEATURE_SCHED_GROUP))
		return;
	fill_counters(pair, 2, PERFGRP_HW_CPU_CYCLES);
	if (write_file(KPROBES_ENABLED, "0"))
		return;
	ret = grp_add_counters(fd, pair, 2);
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "1"), 0);
	EXPECT_LT(ret, 0);
}

/* A group that waits for the task's exec is refused when all of it is there but its buffer. */
static void refused_for_its_buffer(pid_t task)
{
	const struct rlimit none = {};
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		REQUIRE(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
		keep_caps(1ULL << CAP_PERFMON);
		EXPECT_REFUSED(stream_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, task, 16 << 20),
			       ENOSPC, LIMIT);
		_exit(0);
	}
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

TEST(task, "G13 G17 G16: a task that has exited is freed when the groups on it are closed")
{
	struct perfgrp_counter c = sampled_faults(), bad = { .event = PERFGRP_HW_CPU_CYCLES + 999,
							     .sample_period = 1 };
	/* Refused when it was created: no kernel samples so often. */
	struct perfgrp_counter often = { .event = PERFGRP_SW_PAGE_FAULTS,
					 .flags = PERFGRP_COUNTER_FREQ,
					 .sample_freq = 1ULL << 30 };
	struct rlimit limit, none;
	struct child child;
	struct cgroup cg;
	int fd[2], dev;
	long before;

	/* It is in a cgroup, which it refers to. */
	need_cgroups();
	before = dying_before();
	cg = cgroup_make("a");
	child = child_in(&cg);
	fd[0] = stream_on_task(PERFGRP_CREATE_ENABLE_ON_EXEC, child.pid, 0);
	REQUIRE_GT(grp_add(fd[0], PERFGRP_SW_PAGE_FAULTS), 0);
	EXPECT_EQ(grp_add_counters(fd[0], &often, 1), -EINVAL);
	add_while_probes_are_off(fd[0]);
	fd[1] = stream_on_task(PERFGRP_CREATE_INHERIT, child.pid, 65536);
	EXPECT(grp_add_counters(fd[1], &bad, 1) < 0);
	REQUIRE_EQ(grp_add_counters(fd[1], &c, 1), 0);
	/* CREATE fails when everything but the fd is there. */
	dev = grp_device();
	REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = (struct rlimit){ dev + 1, limit.rlim_max };
	REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
	EXPECT_EQ(grp_create_on(dev, 0, PERFGRP_TARGET_TASK, child.pid, NULL, 0), -EMFILE);
	REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	close(dev);
	refused_for_its_buffer(child.pid);

	reap(&child);
	cgroup_remove(&cg);
	close(cg.fd);
	close(fd[0]);
	close(fd[1]);
	EXPECT(BECOMES_TRUE(dying() <= before, FREED_MS));
}

TEST(directory, "G13 C1: a cgroup's filesystem can be unmounted when the groups are closed")
{
	static const char at[] = "/tmp/perfgrp-release";
	struct cgroup cg, seen;
	int fd, other;

	need_cgroups();
	cg = cgroup_make("a");
	mkdir(at, 0755);
	umount2(at, MNT_DETACH);
	if (mount("cgroup2", at, "cgroup2", 0, NULL))
		skip("cgroup2 cannot be mounted twice (errno %d)", errno);
	snprintf(seen.path, sizeof(seen.path), "%s/" CGROUP_BASE "/a", at);
	seen.fd = open(seen.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE_GE(seen.fd, 0);
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, seen.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	close(seen.fd);
	EXPECT(umount2(at, 0) && errno == EBUSY);
	close(fd);
	/* What is no cgroup is refused, and not held either. */
	snprintf(seen.path, sizeof(seen.path), "%s/cgroup.procs", at);
	other = open(seen.path, O_RDONLY | O_CLOEXEC);
	REQUIRE_GE(other, 0);
	EXPECT(grp_on_cgroup(0, other, NULL, 0) < 0);
	close(other);
	EXPECT(BECOMES_TRUE(umount2(at, 0) == 0, FREED_MS));
	close(cg.fd);
}

/* A process in a new cgroup creates a group, with a buffer or without, and exits. */
static bool freed_after(__u32 buffer_size)
{
	long before = dying_before();
	struct cgroup cg = cgroup_make("a");
	pid_t pid = fork();
	int status;

	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		cgroup_enter(&cg, 0);
		_exit(stream_on_task(0, 0, buffer_size) < 0);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
	cgroup_remove(&cg);
	close(cg.fd);
	return BECOMES_TRUE(dying() <= before, FREED_MS);
}

TEST_LIMIT(memory_cgroup, 90, "G13 A6: a memory cgroup goes with the last buffer charged to it")
{
	char root[160], base[160];

	need_cgroups();
	snprintf(root, sizeof(root), "%s/cgroup.subtree_control", cgroup_root);
	snprintf(base, sizeof(base), "%s/" CGROUP_BASE "/cgroup.subtree_control", cgroup_root);
	if (write_file(root, "+memory") || write_file(base, "+memory"))
		skip("there is no memory controller");
	/* Without a buffer nothing of ours holds it. */
	if (!freed_after(0))
		skip("something else holds the cgroup");
	EXPECT(freed_after(65536));
	write_file(base, "-memory");
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
