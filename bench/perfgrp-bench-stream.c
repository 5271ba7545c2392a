// SPDX-License-Identifier: GPL-2.0
/*
 * The cost to read records, and to create, reset and close a group with a buffer: perfgrp
 * compared with a perf event with a ring on each CPU.
 *
 * Records are samples of page faults, in turns on all CPUs, with the same sample_type and
 * read_format on both sides. The reader accesses the header and the time of each.
 *
 * prints: KERNEL LABEL CPUs MEMBERS=1 WAY MEDIAN LEAST MOST ROUNDS, tab-separated: for a record,
 * or for a call
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/perfgrp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MAX_CPUS 64
#define ROUNDS	 21
#define TURNS	 20
#define FAULTS	 20			/* in each turn on each CPU */
#define RING	 (1UL << 17)		/* bytes; nothing is lost */

static int nr_cpus;
static size_t page;
static const char *label = "ns";
static struct utsname name;

/* Faults on each CPU in turn, so that the records of all CPUs alternate in time. */
static void make_records(void)
{
	char *memory = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int turn, cpu, i;

	if (memory == MAP_FAILED)
		die_errno("mmap");
	for (turn = 0; turn < TURNS; turn++) {
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			run_on_cpu(cpu);
			for (i = 0; i < FAULTS; i++)
				memory[i * page] = 1;
			madvise(memory, FAULTS * page, MADV_DONTNEED);
		}
	}
	munmap(memory, FAULTS * page);
	run_on_cpu(0);
}

/* ---- rings ----------------------------------------------------------------- */

struct ring {
	struct perf_event_mmap_page *page;
	unsigned long nr;
	uint64_t sum;
};

static void *map(int fd, off_t at)
{
	void *ring = mmap(NULL, page + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	if (ring == MAP_FAILED)
		die_errno("mmap of a ring");
	return ring;
}

/* Reads all records of a ring. One that wraps around is copied, as libraries do. */
static void take_all(struct ring *ring)
{
	const char *data = (const char *)ring->page + page;
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	static char copy[1024];

	while (tail != head) {
		size_t at = tail % RING;
		const struct perf_event_header *header = (const void *)(data + at);
		const struct perfgrp_record_sample *sample = (const void *)header;

		if (at + header->size > RING) {
			memcpy(copy, data + at, RING - at);
			memcpy(copy + RING - at, data, header->size - (RING - at));
			sample = (const void *)copy;
		}
		ring->nr += sample->header.type == PERF_RECORD_SAMPLE;
		ring->sum += sample->time;
		tail += sample->header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static uint64_t take_rings(struct ring *ring, unsigned long *nr)
{
	uint64_t begin = now(), end;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		take_all(&ring[cpu]);
	end = now();
	for (cpu = 0, *nr = 0; cpu < nr_cpus; cpu++)
		*nr += ring[cpu].nr;
	return end - begin;
}

/* ---- perf ------------------------------------------------------------------ */

struct perf {
	int fd[MAX_CPUS];
	struct ring ring[MAX_CPUS];
};

static void perf_create(struct perf *perf)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERFGRP_SAMPLE_TYPE,
		.read_format = PERFGRP_READ_FORMAT,
		.exclude_kernel = 1,
		.disabled = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING,
	};
	int cpu;

	memset(perf, 0, sizeof(*perf));
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		perf->fd[cpu] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
					PERF_FLAG_FD_CLOEXEC);
		if (perf->fd[cpu] < 0)
			die_errno("perf_event_open");
		perf->ring[cpu].page = map(perf->fd[cpu], 0);
	}
}

static void perf_call(const struct perf *perf, unsigned long nr)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		if (ioctl(perf->fd[cpu], nr, 0))
			die_errno("perf's ioctl");
}

static void perf_close(const struct perf *perf)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		munmap(perf->ring[cpu].page, page + RING);
		close(perf->fd[cpu]);
	}
}

static double take_perf(void)
{
	struct perf perf;
	unsigned long nr;
	uint64_t time;

	perf_create(&perf);
	perf_call(&perf, PERF_EVENT_IOC_ENABLE);
	make_records();
	perf_call(&perf, PERF_EVENT_IOC_DISABLE);
	time = take_rings(perf.ring, &nr);
	perf_close(&perf);
	return (double)time / nr;
}

/* ---- perfgrp --------------------------------------------------------------- */

static int dev;

static void must(int fd, unsigned long nr, void *arg, const char *what)
{
	if (ioctl(fd, nr, arg))
		die_errno(what);
}

static int grp_create(uint32_t size)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = size,
	};
	struct perfgrp_counter counter = {
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = size ? 1 : 0,
	};
	struct perfgrp_add add = {
		.size = sizeof(add),
		.counters = (uintptr_t)&counter,
		.counter_size = sizeof(counter),
		.nr_counters = 1,
	};

	must(dev, PERFGRP_CREATE, &create, "PERFGRP_CREATE");
	must(create.fd, PERFGRP_ADD, &add, "PERFGRP_ADD");
	fcntl(create.fd, F_SETFL, O_NONBLOCK);
	return create.fd;
}

static void grp_call(int fd, unsigned long nr)
{
	struct perfgrp_control control = { .size = sizeof(control) };

	must(fd, nr, &control, "an ioctl of perfgrp");
}

static int grp_with_records(void)
{
	int fd = grp_create(RING);

	grp_call(fd, PERFGRP_ENABLE);
	make_records();
	grp_call(fd, PERFGRP_DISABLE);
	return fd;
}

static double take_read(void)
{
	static char records[1 << 16];
	const struct perf_event_header *header;
	int fd = grp_with_records();
	unsigned long nr = 0, time = 0;
	uint64_t begin, sum = 0;
	ssize_t got, at;

	for (;;) {
		begin = now();
		got = read(fd, records, sizeof(records));
		for (at = 0; at < got; at += header->size) {
			header = (const void *)(records + at);
			sum += ((const struct perfgrp_record_sample *)header)->time;
			nr += header->type == PERF_RECORD_SAMPLE;
		}
		if (got <= 0)
			break;
		time += now() - begin;
	}
	if (!sum || !nr)
		die("no records");
	close(fd);
	return (double)time / nr;
}

static double take_mapped(void)
{
	struct ring ring[MAX_CPUS] = {};
	int fd = grp_with_records(), cpu;
	unsigned long nr;
	uint64_t time;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		ring[cpu].page = map(fd, cpu * (page + RING));
	time = take_rings(ring, &nr);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		munmap(ring[cpu].page, page + RING);
	close(fd);
	return (double)time / nr;
}

/* ---- both ------------------------------------------------------------------ */

static void report(const char *way, double *costs)
{
	qsort(costs, ROUNDS, sizeof(costs[0]), compare_double);
	printf("%s\t%s\t%d\t1\t%s\t%.0f\t%.0f\t%.0f\t%d\n", name.release, label, nr_cpus, way,
	       costs[ROUNDS / 2], costs[0], costs[ROUNDS - 1], ROUNDS);
}

static void bench_taking(void)
{
	static const struct {
		const char *way;
		double (*take)(void);
	} ways[] = {
		{ "take-perf", take_perf },
		{ "take-mapped", take_mapped },
		{ "take-read", take_read },
	};
	static double costs[ARRAY_SIZE(ways)][ROUNDS];
	unsigned int round, w;

	for (round = 0; round < ROUNDS; round++)
		for (w = 0; w < ARRAY_SIZE(ways); w++)
			costs[w][round] = ways[w].take();
	for (w = 0; w < ARRAY_SIZE(ways); w++)
		report(ways[w].way, costs[w]);
}

static void bench_calls(void)
{
	static const char *const way[] = {
		"create-perf", "reset-perf", "close-perf",
		"create-buffer", "reset-buffer", "close-buffer",
		"create-no-buffer", "reset-no-buffer", "close-no-buffer",
	};
	static double costs[ARRAY_SIZE(way)][ROUNDS];
	unsigned int round, w;
	struct perf perf;
	uint64_t t[10];
	int fd[2];

	for (round = 0; round < ROUNDS; round++) {
		/* Let deferred work of the previous round finish. */
		usleep(50000);
		t[0] = now();
		perf_create(&perf);
		t[1] = now();
		perf_call(&perf, PERF_EVENT_IOC_RESET);
		t[2] = now();
		perf_close(&perf);
		t[3] = now();
		for (w = 0; w < 2; w++) {
			fd[w] = grp_create(w ? 0 : RING);
			t[4 + 3 * w] = now();
			grp_call(fd[w], PERFGRP_RESET);
			t[5 + 3 * w] = now();
			close(fd[w]);
			t[6 + 3 * w] = now();
		}
		for (w = 0; w < ARRAY_SIZE(way); w++)
			costs[w][round] = t[w + 1] - t[w];
	}
	for (w = 0; w < ARRAY_SIZE(way); w++)
		report(way[w], costs[w]);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		label = argv[1];
	uname(&name);
	page = sysconf(_SC_PAGESIZE);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	dev = open("/dev/perfgrp", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		die_errno("/dev/perfgrp");
	bench_taking();
	bench_calls();
	return 0;
}
