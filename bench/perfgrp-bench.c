// SPDX-License-Identifier: GPL-2.0
/*
 * The cost to read the same counters of all CPUs, and to create them: with
 * perfgrp and with perf_event_open(2), in one process, in turn.
 *
 * All counters count the same (choose_event()), and are read with both times.
 * Counters that are not being read are disabled, so that each way has the whole PMU;
 * multiplexing is an error. The ways take turns every BURST reads, so that drift affects
 * all equally.
 *
 * Time is CLOCK_MONOTONIC, on CPU 0 except for the way that moves to each CPU.
 * Under emulation with -icount that is the number of instructions that all CPUs
 * have executed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <linux/perfgrp.h>

#include "bench.h"
#include "group.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MAX_CPUS       256
#define MAX_SIZES      8
#define MAX_ITERATIONS 1000000
#define BURST	       10

static const char usage_text[] =
	"usage: perfgrp-bench [-b] [-n ITERATIONS] [-m ITERATIONS] [-c COUNTERS,...]\n"
	"		     [-w WAY]... [-l LABEL]\n"
	"  times reading and creating groups of hardware counters on all CPUs\n"
	"    -b             while all CPUs are busy; else they are idle\n"
	"    -n ITERATIONS  of each way to read (default 500)\n"
	"    -m ITERATIONS  of creating (default 500; 0: none)\n"
	"    -c COUNTERS    how many counters a group has, a list (default 1,4,6)\n"
	"    -w WAY         of reading, this only (may be repeated; default all)\n"
	"    -l LABEL       what the clock counts, for the second column (default ns)\n"
	"    -h             this text\n"
	"  Output: a line of tab-separated values a way:\n"
	"    kernel label cpus counters way median p10 p90 iterations\n"
	"  Ways to read:\n"
	"    snapshot         one PERFGRP_SNAPSHOT ioctl, a row a CPU\n"
	"    snapshot-totals  the same, added up in the kernel\n"
	"    group            one read(2) of a perf group a CPU\n"
	"    group-affinity   the same, going to each CPU first, as perf stat -a does\n"
	"    single           one read(2) a counter and CPU\n"
	"  Creation, then enabling, then closing, and the three together:\n"
	"    {perfgrp,perf}-{create,enable,close,life}\n"
	"  Needs the module and the right to count on CPUs.\n";

static cpu_set_t all_cpus;
static int cpus[MAX_CPUS];
static unsigned int nr_cpus;

static void run_on(const cpu_set_t *set)
{
	if (sched_setaffinity(0, sizeof(*set), set))
		die("sched_setaffinity: %s", strerror(errno));
}

/* ---- perf_event_open(2) -------------------------------------------------- */

/* The same counters on all CPUs, as one group on each CPU or each counter by itself. */
struct perf_set {
	bool grouped;
	unsigned int nr;
	int fd[MAX_CPUS][GROUP_MAX];
};

static struct perf_set groups = { .grouped = true };
static struct perf_set singles;

/* Room for the largest group read. */
struct perf_group_values {
	uint64_t nr;
	uint64_t time_enabled;
	uint64_t time_running;
	struct {
		uint64_t value;
		uint64_t id;
	} counter[GROUP_MAX];
};

struct perf_single_value {
	uint64_t value;
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t id;
};

static struct perf_group_values group_values[MAX_CPUS];
static struct perf_single_value single_values[MAX_CPUS][GROUP_MAX];

static int perf_open(int cpu, int leader, bool grouped)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = counts_user_cycles ? PERF_COUNT_HW_CPU_CYCLES :
					       PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = counts_user_cycles,
		.disabled = leader < 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | (grouped ? PERF_FORMAT_GROUP : 0),
	};
	int fd = syscall(__NR_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open on CPU %d: %s", cpu, strerror(errno));
	return fd;
}

static void perf_create(struct perf_set *set, unsigned int nr)
{
	unsigned int i, m;

	set->nr = nr;
	for (i = 0; i < nr_cpus; i++)
		for (m = 0; m < nr; m++)
			set->fd[i][m] = perf_open(cpus[i], m && set->grouped ? set->fd[i][0] : -1,
						  set->grouped);
}

static void perf_control(const struct perf_set *set, unsigned long request)
{
	unsigned int i, m;

	/* Enabling or disabling a leader does the same for its group. */
	for (i = 0; i < nr_cpus; i++)
		for (m = 0; m < (set->grouped ? 1 : set->nr); m++)
			if (ioctl(set->fd[i][m], request, 0))
				die("cannot enable or disable a perf event: %s", strerror(errno));
}

static void perf_close(const struct perf_set *set)
{
	unsigned int i, m;

	for (i = 0; i < nr_cpus; i++)
		for (m = set->nr; m--;)
			close(set->fd[i][m]);
}

static void read_group(unsigned int i)
{
	ssize_t want = offsetof(struct perf_group_values, counter[groups.nr]);

	if (read(groups.fd[i][0], &group_values[i], sizeof(group_values[i])) != want)
		die("short read of a group on CPU %d", cpus[i]);
}

static void read_groups(void)
{
	unsigned int i;

	for (i = 0; i < nr_cpus; i++)
		read_group(i);
}

static void read_groups_there(void)
{
	unsigned int i;

	for (i = 0; i < nr_cpus; i++) {
		run_on_cpu(cpus[i]);
		read_group(i);
	}
	run_on(&all_cpus);
}

static void read_singles(void)
{
	const ssize_t want = sizeof(single_values[0][0]);
	unsigned int i, m;

	for (i = 0; i < nr_cpus; i++)
		for (m = 0; m < singles.nr; m++)
			if (read(singles.fd[i][m], &single_values[i][m], want) != want)
				die("short read of event %u on CPU %d", m, cpus[i]);
}

/* In user mode an idle CPU has counted nothing. */
static bool has_counted(uint64_t value)
{
	return value || counts_user_cycles;
}

static void check_groups(void)
{
	unsigned int i, m;

	for (i = 0; i < nr_cpus; i++) {
		const struct perf_group_values *v = &group_values[i];

		if (v->nr != groups.nr || !v->time_running || v->time_running != v->time_enabled)
			die("a perf group of %u did not count all the time on CPU %d", groups.nr,
			    cpus[i]);
		for (m = 0; m < groups.nr; m++)
			if (!has_counted(v->counter[m].value))
				die("event %u of a perf group counted nothing on CPU %d", m,
				    cpus[i]);
	}
}

static void check_singles(void)
{
	unsigned int i, m;

	for (i = 0; i < nr_cpus; i++)
		for (m = 0; m < singles.nr; m++) {
			const struct perf_single_value *v = &single_values[i][m];

			if (!has_counted(v->value) || v->time_running != v->time_enabled)
				die("perf event %u did not count all the time on CPU %d", m,
				    cpus[i]);
		}
}

/* ---- perfgrp ------------------------------------------------------------- */

static struct {
	unsigned int nr;
	int fd;
	struct perfgrp_snapshot snapshot;
	struct perfgrp_row rows[MAX_CPUS];
	struct perfgrp_value values[MAX_CPUS * GROUP_MAX];
} grp;

static void grp_create(unsigned int nr)
{
	grp.fd = grp_new((struct perfgrp_create){ .target = PERFGRP_TARGET_ALL_CPUS }, nr);
	grp.nr = nr;
}

static void grp_control(unsigned long request)
{
	struct perfgrp_control control = { .size = sizeof(control) };

	grp_ioctl(grp.fd, request, &control);
}

static void grp_close(void)
{
	close(grp.fd);
}

static void take_snapshot(uint32_t flags)
{
	grp.snapshot = (struct perfgrp_snapshot){
		.size = sizeof(grp.snapshot),
		.flags = flags,
		.rows = (uintptr_t)grp.rows,
		.values = (uintptr_t)grp.values,
		.row_size = sizeof(grp.rows[0]),
		.nr_rows = ARRAY_SIZE(grp.rows),
		.value_size = sizeof(grp.values[0]),
		.nr_values = ARRAY_SIZE(grp.values),
	};
	grp_ioctl(grp.fd, PERFGRP_SNAPSHOT, &grp.snapshot);
}

static void take_rows(void)
{
	take_snapshot(0);
}

static void take_totals(void)
{
	take_snapshot(PERFGRP_SNAPSHOT_TOTALS);
}

static void check_snapshot(void)
{
	const uint32_t rows = grp.snapshot.flags & PERFGRP_SNAPSHOT_TOTALS ? 1 : nr_cpus;
	unsigned int i;

	if (grp.snapshot.nr_rows != rows || grp.snapshot.nr_values != rows * grp.nr)
		die("a snapshot has %u rows and %u values", grp.snapshot.nr_rows,
		    grp.snapshot.nr_values);
	for (i = 0; i < grp.snapshot.nr_values; i++) {
		const struct perfgrp_value *v = &grp.values[i];

		if (v->state != PERFGRP_STATE_COUNTED || !has_counted(v->raw))
			die("value %u of a snapshot: state %u, raw %llu", i, v->state,
			    (unsigned long long)v->raw);
		if (v->sched_group != grp.values[0].sched_group)
			die("value %u of a snapshot: not in the leader's scheduling group", i);
	}
}

/* ---- statistics ---------------------------------------------------------- */

struct samples {
	unsigned int nr;
	uint64_t *ns;
};

static void samples_init(struct samples *samples, unsigned int max)
{
	samples->nr = 0;
	samples->ns = calloc(max, sizeof(*samples->ns));
	if (!samples->ns)
		die("no memory");
}

static void samples_add(struct samples *samples, uint64_t ns)
{
	samples->ns[samples->nr++] = ns;
}

static void report(const char *label, unsigned int nr_counters, const char *way,
		   struct samples *samples)
{
	static struct utsname uts;
	uint64_t *ns = samples->ns;
	unsigned int nr = samples->nr;

	uname(&uts);
	qsort(ns, nr, sizeof(*ns), compare_u64);
	printf("%s\t%s\t%u\t%u\t%s\t%llu\t%llu\t%llu\t%u\n", uts.release, label, nr_cpus,
	       nr_counters, way, (unsigned long long)ns[nr / 2], (unsigned long long)ns[nr / 10],
	       (unsigned long long)ns[nr - 1 - nr / 10], nr);
	free(ns);
}

/* ---- reading ------------------------------------------------------------- */

/**
 * struct way - one way to read
 * @name: name in the output
 * @read: reads all counters
 * @check: ends the program if the values that were read last are wrong
 * @samples: how long each read took
 */
struct way {
	const char *name;
	void (*read)(void);
	void (*check)(void);
	struct samples samples;
};

static const char *wanted[8];
static unsigned int nr_wanted;

static bool is_wanted(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_wanted; i++)
		if (!strcmp(wanted[i], name))
			return true;
	return !nr_wanted;
}

static void read_burst(struct way *way, unsigned int nr)
{
	uint64_t begin;

	if (!is_wanted(way->name))
		return;
	/* Warm up caches and the like. */
	run_on_cpu(cpus[0]);
	way->read();
	while (nr--) {
		run_on_cpu(cpus[0]);
		begin = now();
		way->read();
		samples_add(&way->samples, now() - begin);
		way->check();
	}
}

static void bench_reading(const char *label, unsigned int nr_counters, unsigned int iterations)
{
	struct way ways[] = {
		{ "snapshot", take_rows, check_snapshot, {} },
		{ "snapshot-totals", take_totals, check_snapshot, {} },
		{ "group", read_groups, check_groups, {} },
		{ "group-affinity", read_groups_there, check_groups, {} },
		{ "single", read_singles, check_singles, {} },
	};
	unsigned int w, left, nr;

	for (w = 0; w < ARRAY_SIZE(ways); w++)
		samples_init(&ways[w].samples, iterations);
	grp_create(nr_counters);
	perf_create(&groups, nr_counters);
	perf_create(&singles, nr_counters);

	for (left = iterations; left; left -= nr) {
		nr = left < BURST ? left : BURST;

		grp_control(PERFGRP_ENABLE);
		read_burst(&ways[0], nr);
		read_burst(&ways[1], nr);
		grp_control(PERFGRP_DISABLE);

		perf_control(&groups, PERF_EVENT_IOC_ENABLE);
		read_burst(&ways[2], nr);
		read_burst(&ways[3], nr);
		perf_control(&groups, PERF_EVENT_IOC_DISABLE);

		perf_control(&singles, PERF_EVENT_IOC_ENABLE);
		read_burst(&ways[4], nr);
		perf_control(&singles, PERF_EVENT_IOC_DISABLE);
	}

	perf_close(&singles);
	perf_close(&groups);
	grp_close();
	for (w = 0; w < ARRAY_SIZE(ways); w++)
		if (is_wanted(ways[w].name))
			report(label, nr_counters, ways[w].name, &ways[w].samples);
}

/* ---- creating ------------------------------------------------------------ */

enum step {
	STEP_CREATE,
	STEP_ENABLE,
	STEP_CLOSE,
	STEP_LIFE,
	NR_STEPS,
};

struct life {
	const char *names[NR_STEPS];
	void (*create)(unsigned int nr);
	void (*enable)(void);
	void (*close)(void);
	struct samples samples[NR_STEPS];
};

static void create_groups(unsigned int nr)
{
	perf_create(&groups, nr);
}

static void enable_groups(void)
{
	perf_control(&groups, PERF_EVENT_IOC_ENABLE);
}

static void close_groups(void)
{
	perf_close(&groups);
}

static void grp_enable(void)
{
	grp_control(PERFGRP_ENABLE);
}

static void live_once(struct life *life, unsigned int nr_counters)
{
	uint64_t at[NR_STEPS];
	unsigned int step;

	at[0] = now();
	life->create(nr_counters);
	at[1] = now();
	life->enable();
	at[2] = now();
	life->close();
	at[3] = now();

	for (step = 0; step < STEP_LIFE; step++)
		samples_add(&life->samples[step], at[step + 1] - at[step]);
	samples_add(&life->samples[STEP_LIFE], at[STEP_LIFE] - at[0]);
}

static void bench_creating(const char *label, unsigned int nr_counters, unsigned int iterations)
{
	struct life lives[] = {
		{
			.names = { "perfgrp-create", "perfgrp-enable", "perfgrp-close",
				   "perfgrp-life" },
			.create = grp_create,
			.enable = grp_enable,
			.close = grp_close,
		},
		{
			.names = { "perf-create", "perf-enable", "perf-close", "perf-life" },
			.create = create_groups,
			.enable = enable_groups,
			.close = close_groups,
		},
	};
	unsigned int i, step, n;

	for (i = 0; i < ARRAY_SIZE(lives); i++)
		for (step = 0; step < NR_STEPS; step++)
			samples_init(&lives[i].samples[step], iterations);

	run_on_cpu(cpus[0]);
	for (n = 0; n < iterations; n++)
		for (i = 0; i < ARRAY_SIZE(lives); i++)
			live_once(&lives[i], nr_counters);

	for (i = 0; i < ARRAY_SIZE(lives); i++)
		for (step = 0; step < NR_STEPS; step++)
			report(label, nr_counters, lives[i].names[step], &lives[i].samples[step]);
}

/* ---- busy CPUs ----------------------------------------------------------- */

/* Runs at the lowest priority, and is killed when its parent exits. */
static void spin_on(int cpu)
{
	struct sched_param param = {};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || sched_setscheduler(0, SCHED_IDLE, &param))
		die("cannot keep CPU %d busy: %s", cpu, strerror(errno));
	run_on_cpu(cpu);
	for (;;)
		;
}

static void keep_busy(void)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < nr_cpus; i++) {
		pid = fork();
		if (pid < 0)
			die("fork: %s", strerror(errno));
		if (!pid)
			spin_on(cpus[i]);
	}
}

/* ---- the whole ----------------------------------------------------------- */

static unsigned int parse_number(const char *text, unsigned int min, unsigned int max, char end,
				 const char **rest)
{
	char *after;
	unsigned long n = strtoul(text, &after, 10);

	if (after == text || n < min || n > max || (*after && *after != end)) {
		fprintf(stderr, "perfgrp-bench: '%s' is not a number from %u to %u\n%s", text, min,
			max, usage_text);
		exit(2);
	}
	if (rest)
		*rest = *after ? after + 1 : NULL;
	return n;
}

static unsigned int parse_sizes(const char *list, unsigned int sizes[MAX_SIZES])
{
	unsigned int nr;

	for (nr = 0; list && nr < MAX_SIZES; nr++)
		sizes[nr] = parse_number(list, 1, GROUP_MAX, ',', &list);
	return nr;
}

static void find_cpus(void)
{
	int cpu;

	if (sched_getaffinity(0, sizeof(all_cpus), &all_cpus))
		die("sched_getaffinity: %s", strerror(errno));
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &all_cpus))
			cpus[nr_cpus++] = cpu;
	if (sysconf(_SC_NPROCESSORS_ONLN) != nr_cpus)
		die("not all CPUs are free to use: %u of %ld", nr_cpus,
		    sysconf(_SC_NPROCESSORS_ONLN));
}

int main(int argc, char **argv)
{
	unsigned int counters[MAX_SIZES] = { 1, 4, 6 }, nr_sizes = 3, reads = 500, lives = 500;
	const char *label = "ns";
	bool busy = false;
	unsigned int i;
	int opt;

	while ((opt = getopt(argc, argv, "bn:m:c:w:l:h")) != -1) {
		switch (opt) {
		case 'b':
			busy = true;
			break;
		case 'n':
			reads = parse_number(optarg, 1, MAX_ITERATIONS, '\0', NULL);
			break;
		case 'm':
			lives = parse_number(optarg, 0, MAX_ITERATIONS, '\0', NULL);
			break;
		case 'c':
			nr_sizes = parse_sizes(optarg, counters);
			break;
		case 'w':
			if (nr_wanted == ARRAY_SIZE(wanted))
				die("too many ways");
			wanted[nr_wanted++] = optarg;
			break;
		case 'l':
			label = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	if (optind != argc) {
		fputs(usage_text, stderr);
		return 2;
	}

	choose_event(label);
	find_cpus();
	if (busy)
		keep_busy();
	/* Page faults must not be timed. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall: %s", strerror(errno));
	setvbuf(stdout, NULL, _IOLBF, 0);

	for (i = 0; i < nr_sizes; i++) {
		bench_reading(label, counters[i], reads);
		if (lives)
			bench_creating(label, counters[i], lives);
	}
	return 0;
}
