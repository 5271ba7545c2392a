// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of "perfgrp bpf profile", without a kernel: they are interrupted where they read
 * the group. TAP on standard output; anything but 0 at the end if a test has failed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tap.h"

#pragma GCC diagnostic ignored "-Wunused-variable"
/* Replaces libbpf's helper, which calls the kernel. */
#define bpf_map_lookup_elem	kernel_map_lookup_elem
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#undef bpf_map_lookup_elem

static void *bpf_map_lookup_elem(void *map, const void *key);

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "profile.bpf.c"

const volatile struct profile_config config = { .nr = 1 };

static struct cpu one_cpu;
static struct profile_totals all;
static __u32 on;

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	if (map == &cpus)
		return &one_cpu;
	return map == &totals ? (void *)&all : &on;
}

/* The event's count so far; the function that interrupts the next read of the group. */
static __u64 now;
static void (*interrupt)(void);

int bpf_perfgrp_read(__u64 handle, struct perfgrp_value *values, __u32 values__sz,
		     __u32 value_size, __u64 flags)
{
	void (*run)(void) = interrupt;

	interrupt = NULL;
	if (run)
		run();
	*values = (struct perfgrp_value){ .raw = now, .time_enabled = now, .time_running = now };
	return 0;
}

static char stack[4];

static void begin(void)
{
	memset(&one_cpu, 0, sizeof(one_cpu));
	memset(&all, 0, sizeof(all));
	on = 1;
	now = 1000;
	interrupt = NULL;
}

/* A run that counts @count, at a place on the stack; its beginning and end may be interrupted. */
static void run(unsigned int place, __u64 count, void (*at_begin)(void), void (*at_end)(void))
{
	interrupt = at_begin;
	profile_begin(&stack[place]);
	now += count;
	interrupt = at_end;
	profile_end(&stack[place]);
}

static bool has(__u64 runs, __u64 sum, __u64 unmatched)
{
	return all.runs == runs && all.sum[0].raw == sum && all.unmatched == unmatched;
}

/* Runs whose other half is not seen, because it happens while a tracing program is active. */
static void only_begins(void)
{
	profile_begin(&stack[1]);
}

static void only_ends(void)
{
	profile_end(&stack[1]);
}

static void whole_run(void)
{
	run(1, 7, NULL, NULL);
}

int main(void)
{
	begin();
	run(0, 5, NULL, NULL);
	run(1, 6, NULL, NULL);
	result(has(2, 11, 0), "B21 runs one behind the other");

	begin();
	profile_begin(&stack[0]);
	whole_run();
	profile_end(&stack[0]);
	result(has(2, 14, 0), "B21 a run within a run");

	begin();
	run(0, 5, NULL, only_begins);
	now += 1000000;
	run(0, 5, only_ends, NULL);
	result(has(2, 10, 1), "B21 a run whose end was not seen is not ended by a later one's");

	/* A preempted run was left behind; the next begin at the same address is not seen. */
	begin();
	profile_begin(&stack[1]);
	now += 1000000;
	run(0, 5, NULL, only_begins);
	run(0, 5, only_ends, NULL);
	result(has(2, 10, 1), "B21 nor by one whose beginning was not recorded");

	/* Because of preemption the end of the other run is seen later. */
	begin();
	run(0, 5, NULL, only_begins);
	profile_end(&stack[1]);
	result(has(1, 5, 1), "B21 whose end is seen nevertheless is counted as missed");
	whole_run();
	result(has(2, 12, 1), "B21 runs behind the end of one are recorded again");

	begin();
	on = 0;
	profile_begin(&stack[0]);
	on = 1;
	profile_end(&stack[0]);
	result(has(0, 0, 0), "B21 a run that began before counting did is none");
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
