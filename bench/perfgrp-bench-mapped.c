// SPDX-License-Identifier: GPL-2.0
/*
 * The cost to read mapped rows, and to write them.
 *
 * All counters count instructions. The cost of writing is how much longer the same work takes with
 * a group that is mapped than with one that is not, divided by the number of slots written. The
 * work is: two tasks on two CPUs pass a byte to each other through pipes, so that both CPUs go idle
 * each time; two tasks on one CPU, of which one is counted, yield to each other; one CPU is busy.
 * Time is CLOCK_MONOTONIC; see perfgrp-bench.c.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/perfgrp.h>

#include "../userspace/lib/perfgrp.h"
#include "bench.h"
#include "group.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MAX_CPUS   256
#define NR_READS   200
#define NR_PASSES  2000
#define NR_ROUNDS  9
#define MS	   1000000ULL

static const char *label;
static unsigned int nr_cpus;

static void report(const char *way, unsigned int nr_counters, double *cost, unsigned int nr)
{
	struct utsname uts;

	uname(&uts);
	qsort(cost, nr, sizeof(*cost), compare_double);
	printf("%s\t%s\t%u\t%u\t%s\t%.0f\t%.0f\t%.0f\t%u\n", uts.release, label, nr_cpus,
	       nr_counters, way, cost[nr / 2], cost[nr / 10], cost[nr - 1 - nr / 10], nr);
	fflush(stdout);
}

/* ---- groups ------------------------------------------------------------------- */

static struct {
	int fd;
	const struct perfgrp_map *map;
	struct perfgrp_row rows[MAX_CPUS];
	struct perfgrp_value values[MAX_CPUS * GROUP_MAX];
} grp;

static const struct perfgrp_map *map_bytes(size_t size)
{
	const struct perfgrp_map *map = mmap(NULL, size, PROT_READ, MAP_SHARED, grp.fd,
					     PERFGRP_MMAP_ROWS);

	if (map == MAP_FAILED)
		die_errno("mmap");
	return map;
}

static void map_rows(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size;
	const struct perfgrp_map *map = map_bytes(page);

	size = map->map_size;
	munmap((void *)map, page);
	grp.map = map_bytes(size);
}

static void create(struct perfgrp_create how, unsigned int nr)
{
	how.flags |= PERFGRP_CREATE_ENABLED;
	grp.fd = grp_new(how, nr);
	grp.map = NULL;
	if (how.flags & PERFGRP_CREATE_MAPPED)
		map_rows();
}

static void create_cpus(bool mapped, __u64 interval, unsigned int nr)
{
	create((struct perfgrp_create){
		.target = PERFGRP_TARGET_ALL_CPUS,
		.flags = mapped ? PERFGRP_CREATE_MAPPED : 0,
		.map_interval = mapped ? interval : 0 }, nr);
}

static void destroy(void)
{
	if (grp.map)
		munmap((void *)grp.map, grp.map->map_size);
	close(grp.fd);
	/*
	 * Let RCU and workers finish the work of closing, so that it is not measured with the next
	 * group. The perf core keeps its hook in context switches for another second.
	 */
	usleep(1500000);
}

/* How many times slots were written. */
static unsigned long written(void)
{
	unsigned long sum = 0;
	__u32 i;

	for (i = 0; grp.map && i < grp.map->nr_slots; i++)
		sum += perfgrp_map_slot(grp.map, i)->seq / 2;
	return sum;
}

/* ---- reading ------------------------------------------------------------------- */

static void read_map(void)
{
	__u32 i, nr = 0;
	__u64 generation;
	int n;

	for (i = 0; i < grp.map->nr_slots; i++) {
		n = perfgrp_map_read_slot(grp.map, i, &grp.rows[i], grp.values + nr,
					  ARRAY_SIZE(grp.values) - nr, &generation);
		if (n < 0 || generation != grp.map->generation)
			die("slot %u is of another generation", i);
		nr += n;
	}
}

static void snapshot(__u32 flags, __u64 max_age)
{
	struct perfgrp_snapshot arg = {
		.size = sizeof(arg), .flags = flags, .max_age = max_age,
		.rows = (uintptr_t)grp.rows, .row_size = sizeof(grp.rows[0]),
		.nr_rows = MAX_CPUS, .values = (uintptr_t)grp.values,
		.value_size = sizeof(grp.values[0]), .nr_values = ARRAY_SIZE(grp.values),
	};

	grp_ioctl(grp.fd, PERFGRP_SNAPSHOT, &arg);
}

static void take_cached(void)
{
	/* With a max_age, or else this CPU would be read, as it is not idle. */
	snapshot(PERFGRP_SNAPSHOT_CACHED, 1000 * MS);
}

static void take_read(void)
{
	snapshot(0, 0);
}

static void time_reads(const char *way, unsigned int nr, void (*read)(void))
{
	double cost[NR_READS];
	unsigned int i;
	uint64_t begin;

	for (i = 0; i < 10; i++)
		read();
	for (i = 0; i < NR_READS; i++) {
		begin = now();
		read();
		cost[i] = now() - begin;
	}
	for (i = 0; i < nr; i++)
		if (grp.values[i].state != PERFGRP_STATE_COUNTED)
			die("%s: value %u has state %u", way, i, grp.values[i].state);
	report(way, nr, cost, NR_READS);
}

static void bench_reads(unsigned int nr)
{
	create_cpus(true, 0, nr);
	time_reads("map-read", nr, read_map);
	time_reads("map-cached", nr, take_cached);
	time_reads("map-snapshot", nr, take_read);
	destroy();
	create_cpus(false, 0, nr);
	time_reads("map-plain-snapshot", nr, take_read);
	destroy();
}

/* ---- two tasks ------------------------------------------------------------------ */

static int to_child, from_child;
static pid_t child;

static void start_child(int cpu)
{
	int to[2], from[2];
	char byte;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die_errno("pipe");
	child = fork();
	if (child < 0)
		die_errno("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_on_cpu(cpu);
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

static void end_child(void)
{
	kill(child, SIGKILL);
	close(to_child);
	close(from_child);
}

/* Return: the time of NR_PASSES passes. */
static double pass(void)
{
	uint64_t begin = now();
	unsigned int i;
	char byte = 0;

	for (i = 0; i < NR_PASSES; i++)
		if (write(to_child, &byte, 1) != 1 || read(from_child, &byte, 1) != 1)
			die_errno("passing a byte");
	return now() - begin;
}

static void set_policy(pid_t pid, int policy)
{
	const struct sched_param param = { .sched_priority = policy == SCHED_FIFO };

	if (sched_setscheduler(pid, policy, &param))
		die_errno("sched_setscheduler");
}

static void start_yielding_child(void)
{
	child = fork();
	if (child < 0)
		die_errno("fork");
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run_on_cpu(0);
	for (;;)
		sched_yield();
}

/*
 * Return: the time to yield NR_PASSES times to the child, and back. With SCHED_FIFO each always
 * yields to the other.
 */
static double yield(void)
{
	uint64_t begin;
	unsigned int i;

	set_policy(0, SCHED_FIFO);
	set_policy(child, SCHED_FIFO);
	sched_yield();
	begin = now();
	for (i = 0; i < NR_PASSES; i++)
		sched_yield();
	begin = now() - begin;
	set_policy(child, SCHED_OTHER);
	set_policy(0, SCHED_OTHER);
	return begin;
}

static double burn(void)
{
	uint64_t begin = now();
	unsigned long n;

	for (n = 0; n < 50000000; n++)
		asm volatile("");
	return now() - begin;
}

/* ---- writing --------------------------------------------------------------------- */

/* How much longer WORK takes if the group is mapped, divided by TIMES, or by the slots written. */
static void time_writes(const char *way, struct perfgrp_create how, unsigned int nr,
			double (*work)(void), unsigned int times)
{
	double cost[NR_ROUNDS], plain[NR_ROUNDS], slots[NR_ROUNDS];
	struct perfgrp_create without = how;
	unsigned int round;
	unsigned long before;

	without.flags &= ~PERFGRP_CREATE_MAPPED;
	without.map_interval = 0;
	for (round = 0; round < NR_ROUNDS; round++) {
		create(without, nr);
		work();
		plain[round] = work();
		destroy();
		create(how, nr);
		work();
		before = written();
		cost[round] = work();
		slots[round] = times ?: written() - before;
		destroy();
	}
	qsort(plain, NR_ROUNDS, sizeof(plain[0]), compare_double);
	for (round = 0; round < NR_ROUNDS; round++)
		cost[round] = (cost[round] - plain[NR_ROUNDS / 2]) / slots[round];
	report(way, nr, cost, NR_ROUNDS);
}

static struct perfgrp_create on_all(__u64 interval)
{
	return (struct perfgrp_create){ .target = PERFGRP_TARGET_ALL_CPUS,
					.flags = PERFGRP_CREATE_MAPPED, .map_interval = interval };
}

static void bench_writes(unsigned int nr)
{
	static __u32 last[1];
	struct perfgrp_create how;

	start_child(nr_cpus > 1 ? 1 : 0);
	if (nr_cpus > 2) {
		time_writes("map-idle", on_all(0), nr, pass, 0);
		time_writes("map-idle-timer", on_all(10 * MS), nr, pass, 0);
		/* The group counts neither of the two CPUs. In a pass each goes idle once. */
		last[0] = nr_cpus - 1;
		how = (struct perfgrp_create){ .target = PERFGRP_TARGET_CPUS,
					       .cpus = (uintptr_t)last, .nr_cpus = 1,
					       .flags = PERFGRP_CREATE_MAPPED };
		time_writes("map-idle-other", how, nr, pass, 2 * NR_PASSES);
	}
	end_child();
	start_yielding_child();
	how = (struct perfgrp_create){ .target = PERFGRP_TARGET_TASK, .pid = child,
				       .flags = PERFGRP_CREATE_MAPPED };
	time_writes("map-switch", how, nr, yield, 0);
	kill(child, SIGKILL);
	time_writes("map-tick", on_all(MS), nr, burn, 0);
}

int main(int argc, char **argv)
{
	static const unsigned int sizes[] = { 1, 4, 6 };
	unsigned int i;

	if (argc < 2 || argc > 3 || argv[1][0] == '-' || (argc == 3 && strcmp(argv[2], "read"))) {
		fputs("usage: perfgrp-bench-mapped LABEL [read]\n"
		      "  LABEL: what the clock counts\n  read: only how rows are read\n"
		      "  output: as that of perfgrp-bench\n", argc == 2 ? stdout : stderr);
		return argc == 2 ? 0 : 2;
	}
	label = argv[1];
	choose_event(label);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	run_on_cpu(0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		bench_reads(sizes[i]);
		if (argc == 2)
			bench_writes(sizes[i]);
	}
	return 0;
}
