// SPDX-License-Identifier: GPL-2.0
/*
 * The cost to create, enable, read and close the counters of many cgroups on all CPUs: with one
 * perfgrp group for each cgroup, and with perf events, as perf stat --for-each-cgroup opens them.
 *
 * All counters count instructions, those of a cgroup and CPU in one scheduling group. The cgroups
 * are empty, so nothing but the calls is measured. The two sides take turns, and so does which of
 * them is first. Time is CLOCK_MONOTONIC on CPU 0; see perfgrp-bench.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <linux/perfgrp.h>

#include "bench.h"
#include "cgroups.h"
#include "group.h"

#define NR_COUNTERS 4
#define MAX_CPUS    64
#define MAX_ROUNDS  20

static unsigned int nr_cpus;
static int group[NR_CGROUPS];
static int event[NR_CGROUPS][MAX_CPUS][NR_COUNTERS];

/* ---- perfgrp ---------------------------------------------------------------- */

static void grp_create(void)
{
	struct perfgrp_create how = { .target = PERFGRP_TARGET_CGROUP };
	unsigned int i;

	for (i = 0; i < NR_CGROUPS; i++) {
		how.target_fd = dir[i];
		group[i] = grp_new(how, NR_COUNTERS);
	}
}

static void grp_enable(void)
{
	struct perfgrp_control control = { .size = sizeof(control) };
	unsigned int i;

	for (i = 0; i < NR_CGROUPS; i++)
		grp_ioctl(group[i], PERFGRP_ENABLE, &control);
}

static void grp_read(void)
{
	static struct perfgrp_row rows[MAX_CPUS];
	static struct perfgrp_value values[MAX_CPUS * NR_COUNTERS];
	struct perfgrp_snapshot snapshot;
	unsigned int i;

	for (i = 0; i < NR_CGROUPS; i++) {
		snapshot = (struct perfgrp_snapshot){
			.size = sizeof(snapshot),
			.rows = (uintptr_t)rows,
			.values = (uintptr_t)values,
			.row_size = sizeof(rows[0]),
			.nr_rows = MAX_CPUS,
			.value_size = sizeof(values[0]),
			.nr_values = MAX_CPUS * NR_COUNTERS,
		};
		grp_ioctl(group[i], PERFGRP_SNAPSHOT, &snapshot);
		if (snapshot.nr_rows != nr_cpus || !(values[0].flags & PERFGRP_VALUE_ABSENT))
			die("cgroup %u: %u rows, flags %#x", i, snapshot.nr_rows, values[0].flags);
	}
}

static void grp_close(void)
{
	unsigned int i;

	for (i = 0; i < NR_CGROUPS; i++)
		close(group[i]);
}

/* ---- perf ------------------------------------------------------------------- */

static void perf_create(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_GROUP,
	};
	unsigned int i, cpu, m;
	int fd;

	for (i = 0; i < NR_CGROUPS; i++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			for (m = 0; m < NR_COUNTERS; m++) {
				attr.disabled = !m;
				fd = syscall(__NR_perf_event_open, &attr, dir[i], cpu,
					     m ? event[i][cpu][0] : -1,
					     PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
				if (fd < 0)
					die("perf_event_open: %s", strerror(errno));
				event[i][cpu][m] = fd;
			}
}

static void perf_enable(void)
{
	unsigned int i, cpu;

	for (i = 0; i < NR_CGROUPS; i++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			if (ioctl(event[i][cpu][0], PERF_EVENT_IOC_ENABLE, 0))
				die("cannot enable: %s", strerror(errno));
}

static void perf_read(void)
{
	uint64_t values[3 + 2 * NR_COUNTERS];
	unsigned int i, cpu;

	for (i = 0; i < NR_CGROUPS; i++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			if (read(event[i][cpu][0], values, sizeof(values)) != sizeof(values))
				die("short read of cgroup %u on CPU %u", i, cpu);
}

static void perf_close(void)
{
	unsigned int i, cpu, m;

	for (i = 0; i < NR_CGROUPS; i++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			for (m = NR_COUNTERS; m--;)
				close(event[i][cpu][m]);
}

/* ---- rounds ----------------------------------------------------------------- */

/**
 * struct step - a step that is measured
 * @name: name in the output
 * @run: runs the step; the steps of one side run in order
 * @ns: how long it took in each round
 */
struct step {
	const char *name;
	void (*run)(void);
	uint64_t ns[MAX_ROUNDS];
};

#define NR_STEPS 4

static struct step steps[2][NR_STEPS] = {
	{ { "cgroups-create", grp_create, {} },
	  { "cgroups-enable", grp_enable, {} },
	  { "cgroups-read", grp_read, {} },
	  { "cgroups-close", grp_close, {} } },
	{ { "perf-cgroups-create", perf_create, {} },
	  { "perf-cgroups-enable", perf_enable, {} },
	  { "perf-cgroups-read", perf_read, {} },
	  { "perf-cgroups-close", perf_close, {} } },
};

static void run_side(struct step *side, unsigned int round)
{
	uint64_t begin;
	unsigned int i;

	for (i = 0; i < NR_STEPS; i++) {
		begin = now();
		side[i].run();
		side[i].ns[round] = now() - begin;
	}
	/* Let RCU and workers finish the work of closing before the next side is measured. */
	usleep(200000);
}

static void report(struct step *step, const char *label, unsigned int nr)
{
	struct utsname uts;

	uname(&uts);
	qsort(step->ns, nr, sizeof(step->ns[0]), compare_u64);
	printf("%s\t%s\t%u\t%u\t%s\t%llu\t%llu\t%llu\t%u\n", uts.release, label, nr_cpus,
	       NR_COUNTERS, step->name, (unsigned long long)step->ns[nr / 2],
	       (unsigned long long)step->ns[nr / 10],
	       (unsigned long long)step->ns[nr - 1 - nr / 10], nr);
}

int main(int argc, char **argv)
{
	const unsigned int nr = 5;
	struct rlimit files = { 65536, 65536 };
	unsigned int round, side, i;

	if (argc != 2 || argv[1][0] == '-') {
		fputs("usage: perfgrp-bench-cgroup LABEL\n  LABEL: what the clock counts\n"
		      "  output: as that of perfgrp-bench\n", argc == 2 ? stdout : stderr);
		return argc == 2 ? 0 : 2;
	}
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		die("at most %d CPUs", MAX_CPUS);
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit: %s", strerror(errno));
	run_on_cpu(0);
	make_cgroups();
	for (round = 0; round < nr; round++) {
		run_side(steps[round % 2], round);
		run_side(steps[!(round % 2)], round);
	}
	for (side = 0; side < 2; side++)
		for (i = 0; i < NR_STEPS; i++)
			report(&steps[side][i], argv[1], nr);
	remove_cgroups();
	return 0;
}
