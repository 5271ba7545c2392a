/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups to count, all below one directory of the tests, and groups and perf's own counters
 * on them. Each test begins with need_cgroups(), which removes what earlier tests have left.
 */
#ifndef TESTS_CGROUP_H
#define TESTS_CGROUP_H

#include "stream.h"

#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#define CGROUP_BASE	"perfgrp-test"
#define CGROUP_V1	"/tmp/perfgrp-v1"

struct cgroup {
	char path[160];
	int fd;			/* the directory */
};

/* Where cgroup2 is mounted. */
static const char *cgroup_root = "/sys/fs/cgroup";

/* ---- directories ---------------------------------------------------------------- */

static inline bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Removes a cgroup and all cgroups below it; returns false if one could not be removed. */
static inline bool cgroup_rmdir_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char below[320];

	if (!dir)
		return errno == ENOENT;
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
		    (int)sizeof(below))
			cgroup_rmdir_all(below);
	}
	closedir(dir);
	return rmdir(path) == 0;
}

/* Moves the caller to the root, kills all processes in the tests' cgroups and removes these. */
static inline void cgroups_sweep(void)
{
	char path[160], file[200];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup_root);
	write_file(path, "0");
	snprintf(path, sizeof(path), "%s/" CGROUP_BASE, cgroup_root);
	snprintf(file, sizeof(file), "%s/cgroup.kill", path);
	write_file(file, "1");
	/* A debug kernel on a busy machine takes seconds to kill twenty tasks. */
	if (!BECOMES_TRUE(cgroup_rmdir_all(path), 30000))
		fail("%s cannot be removed (errno %d)", path, errno);
}

static inline int cgroup_write(const struct cgroup *cg, const char *file, const char *text)
{
	char path[224];

	REQUIRE_LT(snprintf(path, sizeof(path), "%s/%s", cg->path, file), (int)sizeof(path));
	return write_file(path, text);
}

static inline void cgroup_mkdir(struct cgroup *cg)
{
	REQUIRE(mkdir(cg->path, 0755) == 0);
	cg->fd = open(cg->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE_GE(cg->fd, 0);
}

/* A new cgroup NAME, or "PARENT/NAME". */
static inline struct cgroup cgroup_make(const char *name)
{
	struct cgroup cg;

	snprintf(cg.path, sizeof(cg.path), "%s/" CGROUP_BASE "/%s", cgroup_root, name);
	cgroup_mkdir(&cg);
	return cg;
}

/* Removes a cgroup; CG->fd stays open. Exiting processes may take some time to leave it. */
static inline void cgroup_remove(const struct cgroup *cg)
{
	if (!BECOMES_TRUE(rmdir(cg->path) == 0, 5000))
		fail("%s cannot be removed (errno %d)", cg->path, errno);
}

static inline __u64 cgroup_ino(const struct cgroup *cg)
{
	struct stat st;

	REQUIRE(fstat(cg->fd, &st) == 0);
	return st.st_ino;
}

/* ---- moving tasks --------------------------------------------------------------- */

static inline void cgroup_put(const char *path, const char *file, pid_t pid)
{
	char name[PATH_MAX], number[16];

	snprintf(name, sizeof(name), "%.1000s/%s", path, file);
	snprintf(number, sizeof(number), "%d", (int)pid);
	REQUIRE_EQ(write_file(name, number), 0);
}

/* Moves a process; 0 is the caller. */
static inline void cgroup_enter(const struct cgroup *cg, pid_t pid)
{
	cgroup_put(cg->path, "cgroup.procs", pid);
}

/* Moves one thread, within a threaded cgroup. */
static inline void cgroup_enter_thread(const struct cgroup *cg, pid_t tid)
{
	cgroup_put(cg->path, "cgroup.threads", tid);
}

/* Moves a process to the root. */
static inline void cgroup_leave(pid_t pid)
{
	cgroup_put(cgroup_root, "cgroup.procs", pid);
}

/* A child in the cgroup that sleeps until it gets an order. */
static inline struct child child_in(const struct cgroup *cg)
{
	struct child child = child_start();

	cgroup_enter(cg, child.pid);
	wait_until_asleep(child.pid);
	return child;
}

/* The same on one CPU. */
static inline struct child child_in_on(const struct cgroup *cg, int cpu)
{
	struct child child = child_in(cg);

	child_do(&child, ORDER_RUN_ON, cpu);
	wait_until_asleep(child.pid);
	return child;
}

/* Gives an order to a child, and waits until it sleeps again. */
static inline void child_do_all(struct child *child, enum order order, unsigned int arg)
{
	child_do(child, order, arg);
	wait_until_asleep(child->pid);
}

/* ---- counters on them ----------------------------------------------------------- */

/* A group on a cgroup; on all CPUs if @cpus is NULL. */
static inline int grp_on_cgroup(__u32 flags, int dir, const __u32 *cpus, __u32 nr_cpus)
{
	return grp_create_like((struct perfgrp_create){
		.flags = flags, .target = PERFGRP_TARGET_CGROUP, .target_fd = dir,
		.cpus = to_u64(cpus), .nr_cpus = nr_cpus });
}

static inline int stream_on_cgroup(__u32 flags, int dir, __u32 buffer_size)
{
	return grp_create_like((struct perfgrp_create){
		.flags = flags, .target = PERFGRP_TARGET_CGROUP, .target_fd = dir,
		.buffer_size = buffer_size });
}

/* A counter of perf_event_open(2) on a cgroup and one CPU, disabled; fd or -errno. */
static inline int peer_on_cgroup(uint32_t type, uint64_t config, int dir, int cpu)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config, .disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(__NR_perf_event_open, &attr, dir, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);

	return fd < 0 ? -errno : (int)fd;
}

static inline bool perf_counts_cgroup(const struct cgroup *cg)
{
	int fd = peer_on_cgroup(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, cg->fd, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ---- arrangements --------------------------------------------------------------- */

static inline void cgroup2_mount(void)
{
	static const char own[] = "/tmp/perfgrp-cgroup2";

	if (is_cgroup2(cgroup_root))
		return;
	cgroup_root = own;
	if (is_cgroup2(own))
		return;
	mkdir(own, 0755);
	if (mount("cgroup2", own, "cgroup2", 0, NULL))
		skip("no cgroup2 (errno %d)", errno);
}

/* The root's children have perf_event once the root's cgroup.subtree_control was changed. */
static inline void cgroup2_spread_perf(void)
{
	static const char *const controllers[] = { "pids", "cpu", "memory", "io" };
	char path[160], text[64];
	size_t i;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cgroup_root);
	for (i = 0; i < ARRAY_SIZE(controllers); i++) {
		snprintf(text, sizeof(text), "-%s", controllers[i]);
		write_file(path, text);
		text[0] = '+';
		if (write_file(path, text) == 0)
			return;
	}
}

/* Mounts a hierarchy of version 1 with OPTIONS at CGROUP_V1; 0 or -errno. */
static inline int cgroup_v1_mount(const char *options)
{
	mkdir(CGROUP_V1, 0755);
	return mount("cgroup", CGROUP_V1, "cgroup", 0, options) ? -errno : 0;
}

/* A new cgroup below CGROUP_V1; one that was left over is removed first. */
static inline struct cgroup cgroup_v1_make(const char *name)
{
	struct cgroup cg;

	snprintf(cg.path, sizeof(cg.path), CGROUP_V1 "/%s", name);
	rmdir(cg.path);
	cgroup_mkdir(&cg);
	return cg;
}

/*
 * Gives perf_event back to cgroup2: a v1 hierarchy that had cgroups exists until they are removed
 * and it is unmounted again.
 */
static inline bool cgroup_v1_gave_perf_back(void)
{
	struct cgroup probe;
	bool there;

	cgroup_rmdir_all(CGROUP_V1);
	umount2(CGROUP_V1, MNT_DETACH);
	/* A worker destroys the hierarchy. */
	nap_ns(200000000);
	cgroup2_spread_perf();
	probe = cgroup_make("probe");
	there = perf_counts_cgroup(&probe);
	close(probe.fd);
	rmdir(probe.path);
	if (!there)
		cgroup_v1_mount("perf_event");
	return there;
}

/* Prepares for cgroup_make(): no cgroups of the tests exist, and the caller is in the root. */
static inline void need_cgroups(void)
{
	struct cgroup base;

	NEED_FEATURE(CGROUP);
	cgroup2_mount();
	cgroups_sweep();
	cgroup2_spread_perf();
	snprintf(base.path, sizeof(base.path), "%s/" CGROUP_BASE, cgroup_root);
	cgroup_mkdir(&base);
	if (!perf_counts_cgroup(&base) && !BECOMES_TRUE(cgroup_v1_gave_perf_back(), 3000))
		skip("perf_event is not on cgroup2");
	close(base.fd);
}

/* ---- groups that are split by cgroup ------------------------------------------------- */

/* The row of a cgroup among NR rows, or NULL. */
static inline const struct perfgrp_row *cgroup_find_row(const struct perfgrp_row *row, __u32 nr,
							__u64 ino)
{
	for (; nr; nr--, row++) {
		if (row->cgroup_id == ino)
			return row;
	}
	return NULL;
}

/* Its row in a new snapshot, or NULL. */
static inline const struct perfgrp_row *cgroup_row(int fd, __u64 ino)
{
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &grp_last), 0);
	return cgroup_find_row(grp_last.row, grp_last.hdr.nr_rows, ino);
}

/* A group that is split by cgroup, and a cgroup that has a row. */
static inline int cgroup_split_group(struct cgroup *cg)
{
	struct cgroup base;
	int fd;

	NEED_FEATURE(SPLIT_BY_CGROUP);
	cgroup2_mount();
	cgroups_sweep();
	snprintf(base.path, sizeof(base.path), "%s/" CGROUP_BASE, cgroup_root);
	cgroup_mkdir(&base);
	*cg = cgroup_make("a");
	fd = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_SPLIT_BY_CGROUP | PERFGRP_CREATE_ENABLED,
		.target = PERFGRP_TARGET_ALL_CPUS, .target_fd = base.fd });
	REQUIRE_GE(fd, 0);
	close(base.fd);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	return fd;
}

#endif /* TESTS_CGROUP_H */
