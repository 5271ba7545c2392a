/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroups that benchmarks count: NR_CGROUPS below the root of cgroup2, empty at first. */
#ifndef BENCH_CGROUPS_H
#define BENCH_CGROUPS_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define NR_CGROUPS 100
#define ROOT	   "/sys/fs/cgroup"

static int dir[NR_CGROUPS];

static inline void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die_errno(path);
	close(fd);
}

static inline void make_cgroups(void)
{
	char path[64];
	unsigned int i;

	/* The root's children have perf_event once its cgroup.subtree_control was changed. */
	write_text(ROOT "/cgroup.subtree_control", "+pids");
	for (i = 0; i < NR_CGROUPS; i++) {
		snprintf(path, sizeof(path), ROOT "/bench%u", i);
		mkdir(path, 0755);
		dir[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir[i] < 0)
			die_errno(path);
	}
}

static inline void remove_cgroups(void)
{
	char path[64];
	unsigned int i;

	for (i = 0; i < NR_CGROUPS; i++) {
		snprintf(path, sizeof(path), ROOT "/bench%u", i);
		rmdir(path);
	}
}

#endif /* BENCH_CGROUPS_H */
