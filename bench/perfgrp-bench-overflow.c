// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a sample, from the overflow to the record: perfgrp compared with perf's own
 * sampling with the same sample_type and read_format into its mmap ring.
 *
 * A loop with a fixed number of iterations runs with a group that counts, and with one
 * whose leader samples; the difference divided by the number of samples is the cost of one.
 * If the clock counts instructions (scripts/bench), it is in instructions, and includes the
 * interrupt. The same is measured for one member whose samples have call chains of some functions
 * in user mode.
 *
 * prints: KERNEL LABEL CPUs=1 MEMBERS WAY MEDIAN LEAST MOST ROUNDS, tab-separated
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/perfgrp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define PERIOD	    100000		/* cycles */
#define TURNS	    25000000UL		/* iterations of the loop; some 500 samples */
#define ROUNDS	    7
#define MAX_MEMBERS 6
#define DEPTH	    16			/* nested functions around the loop */
#define RING	    (1UL << 20)		/* bytes; large enough that nothing is lost or woken */

static void spin(unsigned long n)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__x86_64__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#else
#error "no loop for this machine"
#endif
}

static __attribute__((noinline)) void spin_below(unsigned int functions)
{
	if (functions)
		spin_below(functions - 1);
	else
		spin(TURNS);
	/* Prevents a tail call, which would be a jump and leave no frame. */
	asm volatile("");
}

static uint64_t spin_time(void)
{
	uint64_t begin = now();

	spin_below(DEPTH);
	return now() - begin;
}

/* Samples have call chains. */
static int chains;

struct run {
	uint64_t time;
	unsigned int samples;
};

/* ---- perf ------------------------------------------------------------------ */

static int perf_event(int leader, unsigned long period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = period,
		.sample_type = PERFGRP_SAMPLE_TYPE | (chains ? PERF_SAMPLE_CALLCHAIN : 0),
		.read_format = PERFGRP_READ_FORMAT,
		.disabled = leader < 0,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die_errno("perf_event_open");
	return fd;
}

static unsigned int count_records(const struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + sysconf(_SC_PAGESIZE);
	unsigned int samples = 0;
	uint64_t at;

	for (at = 0; at < ring->data_head;) {
		const struct perf_event_header *record = (const void *)(data + at);

		if (record->type == PERF_RECORD_SAMPLE)
			samples++;
		else if (record->type == PERF_RECORD_LOST)
			die("perf lost samples");
		at += record->size;
	}
	return samples;
}

static struct run run_perf(unsigned int members, unsigned long period)
{
	size_t size = RING + sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring;
	struct run run = { 0, 0 };
	int fd[MAX_MEMBERS];
	unsigned int i;

	for (i = 0; i < members; i++)
		fd[i] = perf_event(i ? fd[0] : -1, i ? 0 : period);
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);
	if (ring == MAP_FAILED)
		die_errno("mmap");
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	run.time = spin_time();
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	run.samples = count_records(ring);
	munmap(ring, size);
	while (members--)
		close(fd[members]);
	return run;
}

/* ---- perfgrp --------------------------------------------------------------- */

static void must(int fd, unsigned long nr, void *arg, const char *what)
{
	if (ioctl(fd, nr, arg))
		die_errno(what);
}

static struct run run_perfgrp(unsigned int members, unsigned long period)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = RING,
		.sample_type = PERFGRP_SAMPLE_TYPE | (chains ? PERF_SAMPLE_CALLCHAIN : 0),
	};
	struct perfgrp_counter counters[MAX_MEMBERS] = {};
	struct perfgrp_add add = {
		.size = sizeof(add),
		.counters = (uintptr_t)counters,
		.counter_size = sizeof(counters[0]),
		.nr_counters = members,
	};
	struct perfgrp_control control = { .size = sizeof(control) };
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };
	int dev = open("/dev/perfgrp", O_RDWR | O_CLOEXEC);
	struct run run = { 0, 0 };
	unsigned int m;

	for (m = 0; m < members; m++)
		counters[m].event = PERFGRP_HW_CPU_CYCLES;
	counters[0].sample_period = period;
	if (dev < 0)
		die_errno("/dev/perfgrp");
	must(dev, PERFGRP_CREATE, &create, "PERFGRP_CREATE");
	must(create.fd, PERFGRP_ADD, &add, "PERFGRP_ADD");
	must(create.fd, PERFGRP_ENABLE, &control, "PERFGRP_ENABLE");
	run.time = spin_time();
	must(create.fd, PERFGRP_DISABLE, &control, "PERFGRP_DISABLE");
	must(create.fd, PERFGRP_GET_STREAM_STATS, &stream, "PERFGRP_GET_STREAM_STATS");
	if (stream.lost)
		die("perfgrp lost samples");
	run.samples = stream.produced;
	close(create.fd);
	close(dev);
	return run;
}

/* ---- both ------------------------------------------------------------------ */

static const struct way {
	const char *name;
	struct run (*run)(unsigned int members, unsigned long period);
} ways[] = {
	{ "perf", run_perf },
	{ "perfgrp", run_perfgrp },
};

enum { NR_WAYS = ARRAY_SIZE(ways) };

static double cost(const struct way *way, unsigned int members)
{
	struct run counting = way->run(members, 0), sampling = way->run(members, PERIOD);

	if (!sampling.samples) {
		errno = 0;
		die("no samples");
	}
	return ((double)sampling.time - (double)counting.time) / sampling.samples;
}

static void measure(const char *label, unsigned int members, const char *what)
{
	static double costs[NR_WAYS][ROUNDS];
	unsigned int w, round;
	struct utsname name;

	uname(&name);
	for (round = 0; round < ROUNDS; round++)
		for (w = 0; w < NR_WAYS; w++)
			costs[w][round] = cost(&ways[w], members);
	for (w = 0; w < NR_WAYS; w++) {
		qsort(costs[w], ROUNDS, sizeof(costs[w][0]), compare_double);
		printf("%s\t%s\t1\t%u\t%s-%s\t%.0f\t%.0f\t%.0f\t%d\n", name.release, label,
		       members, what, ways[w].name, costs[w][ROUNDS / 2], costs[w][0],
		       costs[w][ROUNDS - 1], ROUNDS);
	}
}

int main(int argc, char **argv)
{
	static const unsigned int sizes[] = { 1, 4, 6 };
	const char *label = argc > 1 ? argv[1] : "ns";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure(label, sizes[i], "sample");
	chains = 1;
	measure(label, 1, "chain");
	return 0;
}
