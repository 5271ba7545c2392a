/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by all benchmarks. */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

__attribute__((noreturn)) static inline void die_errno(const char *what)
{
	die("%s: %s", what, strerror(errno));
}

/*
 * What is counted instead of instructions, if set: cycles in user mode. QEMU counts instructions
 * only with -icount. Neither counts while a CPU is idle (hardware_counts_at_rest()).
 */
static bool counts_user_cycles;

/* With -icount the clock counts instructions, and the benchmarks' LABEL is "instructions". */
static inline void choose_event(const char *label)
{
	counts_user_cycles = strcmp(label, "instructions") != 0;
}

static inline uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline void run_on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die_errno("sched_setaffinity");
}

#endif /* BENCH_H */
