// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a switch between tasks of different cgroups while counters are enabled: with a group
 * of all CPUs that is split by cgroup, with perf events of CPUs (which do not separate cgroups),
 * with perf events of cgroups, and without counters.
 *
 * Two tasks in two cgroups pass a byte to each other through pipes, on one CPU. All counters count
 * instructions, those of one cgroup in one scheduling group. There are 100 cgroups. Time is
 * CLOCK_MONOTONIC; see perfgrp-bench.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/perfgrp.h>

#include "bench.h"
#include "cgroups.h"
#include "group.h"

#define NR_COUNTERS 4
#define NR_PASSES   3000
#define NR_ROUNDS   7

static int root;
static int fds[NR_CGROUPS * NR_COUNTERS];
static unsigned int nr_fds;

/* ---- the tasks --------------------------------------------------------------- */

static int to_child, from_child;

static void start_child(void)
{
	int to[2], from[2];
	char byte;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die_errno("pipe");
	switch (fork()) {
	case -1:
		die_errno("fork");
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_text(ROOT "/bench1/cgroup.procs", "0");
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			if (write(from[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	to_child = to[1];
	from_child = from[0];
}

/* Return: cost of a switch, in ns or instructions. */
static double pass(unsigned int nr)
{
	uint64_t begin;
	unsigned int i;
	char byte = 0;

	begin = now();
	for (i = 0; i < nr; i++)
		if (write(to_child, &byte, 1) != 1 || read(from_child, &byte, 1) != 1)
			die_errno("passing a byte");
	return (now() - begin) / (2.0 * nr);
}

/* ---- counters ----------------------------------------------------------------- */

static void add_fd(int fd, const char *what)
{
	if (fd < 0)
		die_errno(what);
	fds[nr_fds++] = fd;
}

/* Opens a scheduling group on CPU 0; @cgroup is the directory of a cgroup, or -1. */
static void open_perf(int cgroup)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	unsigned int first = nr_fds, i;

	for (i = 0; i < NR_COUNTERS; i++) {
		attr.disabled = !i;
		add_fd(syscall(__NR_perf_event_open, &attr, cgroup, 0, i ? fds[first] : -1,
			       PERF_FLAG_FD_CLOEXEC | (cgroup < 0 ? 0 : PERF_FLAG_PID_CGROUP)),
		       "perf_event_open");
	}
	if (ioctl(fds[first], PERF_EVENT_IOC_ENABLE, 0))
		die_errno("cannot enable");
}

static void open_none(void)
{
}

static void open_cpu(void)
{
	open_perf(-1);
}

static void open_one(void)
{
	open_perf(dir[0]);
}

static void open_two(void)
{
	open_perf(dir[0]);
	open_perf(dir[1]);
}

static void open_all(void)
{
	unsigned int i;

	for (i = 0; i < NR_CGROUPS; i++)
		open_perf(dir[i]);
}

static void open_group(uint32_t flags, int target_fd, uint32_t max)
{
	const struct perfgrp_create how = {
		.flags = PERFGRP_CREATE_ENABLED | flags,
		.target = PERFGRP_TARGET_ALL_CPUS,
		.target_fd = target_fd,
		.split_max = max,
	};

	add_fd(grp_new(how, NR_COUNTERS), "PERFGRP_CREATE");
}

static void open_plain(void)
{
	open_group(0, 0, 0);
}

static void open_split(void)
{
	open_group(PERFGRP_CREATE_SPLIT_BY_CGROUP, root, 0);
}

/* Only the first cgroup has a row of its own. */
static void open_split_one(void)
{
	open_group(PERFGRP_CREATE_SPLIT_BY_CGROUP, dir[0], 0);
}

static void close_all(void)
{
	while (nr_fds)
		close(fds[--nr_fds]);
}

/* ---- rounds ------------------------------------------------------------------- */

static struct way {
	const char *name;
	void (*open)(void);
	double cost[NR_ROUNDS];
} ways[] = {
	{ "switch-none", open_none, {} },
	{ "switch-perf-cpu", open_cpu, {} },
	{ "switch-perf-1", open_one, {} },
	{ "switch-perf-2", open_two, {} },
	{ "switch-perf-100", open_all, {} },
	{ "switch-plain", open_plain, {} },
	{ "switch-split-1", open_split_one, {} },
	{ "switch-split-100", open_split, {} },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NR_WAYS	      ARRAY_SIZE(ways)

static void run_way(struct way *way, unsigned int round)
{
	way->open();
	pass(100);
	way->cost[round] = pass(NR_PASSES);
	close_all();
	/*
	 * Let RCU and workers finish the work of closing, so that it is not measured with the next
	 * way. The perf core keeps its hook in context switches for another second.
	 */
	usleep(1500000);
}

static void report(struct way *way, const char *label)
{
	struct utsname uts;

	uname(&uts);
	qsort(way->cost, NR_ROUNDS, sizeof(way->cost[0]), compare_double);
	printf("%s\t%s\t%ld\t%u\t%s\t%.0f\t%.0f\t%.0f\t%u\n", uts.release, label,
	       sysconf(_SC_NPROCESSORS_ONLN), NR_COUNTERS, way->name, way->cost[NR_ROUNDS / 2],
	       way->cost[0], way->cost[NR_ROUNDS - 1], NR_ROUNDS);
}

int main(int argc, char **argv)
{
	unsigned int round, i;

	if (argc != 2 || argv[1][0] == '-') {
		fputs("usage: perfgrp-bench-switch LABEL\n  LABEL: what the clock counts\n"
		      "  output: as that of perfgrp-bench\n", argc == 2 ? stdout : stderr);
		return argc == 2 ? 0 : 2;
	}
	run_on_cpu(0);
	make_cgroups();
	root = open(ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		die_errno(ROOT);
	start_child();
	write_text(ROOT "/bench0/cgroup.procs", "0");
	for (round = 0; round < NR_ROUNDS; round++)
		for (i = 0; i < NR_WAYS; i++)
			run_way(&ways[(i + round) % NR_WAYS], round);
	for (i = 0; i < NR_WAYS; i++)
		report(&ways[i], argv[1]);
	write_text(ROOT "/cgroup.procs", "0");
	remove_cgroups();
	return 0;
}
