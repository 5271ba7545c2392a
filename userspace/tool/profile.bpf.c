// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of "perfgrp bpf profile": they run before and after each run of the program that
 * is profiled, read the group on their CPU, and add up the differences.
 *
 * A run may be interrupted or preempted, and the profiled program run again on the same CPU before
 * the first run ends. So the beginning of each run is stored until its end. It is found by the
 * address of the context, which is memory of the trampoline: the trampoline passes the same address
 * to both programs, and no other run has that address meanwhile. (A BPF program stays on its CPU
 * from beginning to end, even if it sleeps.)
 *
 * The kernel does not run a BPF program on a CPU where that program is already running, for example
 * in an interrupt; then the beginning or the end of a run is missed. If a run begins while
 * end_run() is running on the CPU, its own end would be missed, and its stored beginning might be
 * taken for that of a later run with the same address whose own beginning was missed. So it is not
 * stored. Preemption may still leave a stale beginning, if the run began before another run's
 * end_run() was preempted; claim_start() replaces the oldest one.
 */
#include <linux/types.h>

#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_helpers.h>

#include "profile.h"

char LICENSE[] SEC("license") = "GPL";

extern int bpf_perfgrp_read(__u64 handle, struct perfgrp_value *values, __u32 values__sz,
			    __u32 value_size, __u64 flags) __ksym;

#define VALUE_SIZE	sizeof(struct perfgrp_value)

const volatile struct profile_config config;

/**
 * struct start - the beginning of a run
 * @frame: address of the context; 0 if there is none
 * @order: increases from run to run; 0 if there is none
 * @counted: the run is to be counted
 * @ret: of bpf_perfgrp_read()
 * @value: the values that it read
 */
struct start {
	__u64 frame;
	__u64 order;
	__u32 counted;
	__s32 ret;
	struct perfgrp_value value[PROFILE_EVENTS];
};

/**
 * struct cpu - the runs on one CPU
 * @order: of the last beginning
 * @ending: end_run() is running, or has been interrupted or preempted
 * @start: runs that have begun
 * @end: buffer for the values at the end of a run
 *
 * Each of the two programs runs at most once at a time on a CPU.
 */
struct cpu {
	__u64 order;
	__u64 ending;
	struct start start[PROFILE_DEPTH];
	struct perfgrp_value end[PROFILE_EVENTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_totals);
} totals SEC(".maps");

/* Nonzero: count the runs that begin now. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} counting SEC(".maps");

static __always_inline int read_group(struct perfgrp_value *value)
{
	__u32 nr = config.nr;

	if (nr > PROFILE_EVENTS)
		return -EMSGSIZE;
	return bpf_perfgrp_read(config.handle, value, nr * VALUE_SIZE, VALUE_SIZE, 0);
}

/* Returns a slot for the beginning of a run: a free one, or that of the oldest run. */
static __always_inline struct start *claim_start(struct cpu *cpu, __u64 frame)
{
	struct start *start = &cpu->start[0];
	int i;

#pragma unroll
	for (i = 0; i < PROFILE_DEPTH; i++) {
		struct start *other = &cpu->start[i];

		/* The address is in use again, so the end of that run was missed. */
		if (other->frame == frame)
			return other;
		if (other->order < start->order)
			start = other;
	}
	return start;
}

static __always_inline struct start *find_start(struct cpu *cpu, __u64 frame)
{
	int i;

#pragma unroll
	for (i = 0; i < PROFILE_DEPTH; i++)
		if (cpu->start[i].frame == frame)
			return &cpu->start[i];
	return NULL;
}

static __always_inline void free_start(struct start *start)
{
	start->order = 0;
	start->frame = 0;
}

/* Reads the group last, so that its own work is not counted. */
static __always_inline int begin_run(void *ctx)
{
	__u64 frame = (unsigned long)ctx;
	struct start *start;
	__u32 zero = 0, *on;
	struct cpu *cpu;

	cpu = bpf_map_lookup_elem(&cpus, &zero);
	on = bpf_map_lookup_elem(&counting, &zero);
	if (!cpu || !on)
		return 0;
	if (cpu->ending) {
		/* A beginning with the same address is stale: it is not that of this run. */
		start = find_start(cpu, frame);
		if (start)
			free_start(start);
		return 0;
	}
	start = claim_start(cpu, frame);
	start->order = ++cpu->order;
	start->counted = *on;
	start->frame = frame;
	if (*on)
		start->ret = read_group(start->value);
	return 0;
}

static __always_inline void add_run(struct profile_totals *to, const struct start *start,
				    const struct perfgrp_value *end)
{
	__u32 i;

	to->runs++;
	for (i = 0; i < PROFILE_EVENTS && i < config.nr; i++) {
		const struct perfgrp_value *from = &start->value[i];
		struct profile_sum *sum = &to->sum[i];

		sum->raw += end[i].raw - from->raw;
		sum->enabled += end[i].time_enabled - from->time_enabled;
		sum->running += end[i].time_running - from->time_running;
		sum->sched_group = end[i].sched_group;
		sum->flags |= end[i].flags;
	}
}

/* Reads the group first, so that its own work is not counted. */
static __always_inline void end_run_on(struct cpu *cpu, __u64 frame)
{
	struct profile_totals *to;
	struct start *start;
	__u32 zero = 0, *on;
	int ret;

	ret = read_group(cpu->end);
	to = bpf_map_lookup_elem(&totals, &zero);
	on = bpf_map_lookup_elem(&counting, &zero);
	if (!to || !on)
		return;
	start = find_start(cpu, frame);
	if (!start) {
		to->unmatched += *on;
		return;
	}
	if (ret >= 0)
		ret = start->ret;
	if (!start->counted) {
		/* It began while counting was off. */
	} else if (ret >= 0) {
		add_run(to, start, cpu->end);
	} else if (ret == -ENODATA) {
		to->elsewhere++;
	} else {
		to->failed++;
		to->error = ret;
	}
	free_start(start);
}

/* Code that interrupts this one runs on the same CPU, so compiler barriers are enough. */
static __always_inline int end_run(void *ctx)
{
	__u32 zero = 0;
	struct cpu *cpu;

	cpu = bpf_map_lookup_elem(&cpus, &zero);
	if (!cpu)
		return 0;
	cpu->ending = 1;
	barrier();
	end_run_on(cpu, (unsigned long)ctx);
	barrier();
	cpu->ending = 0;
	return 0;
}

SEC("?fentry")
int profile_begin(void *ctx)
{
	return begin_run(ctx);
}

SEC("?fexit")
int profile_end(void *ctx)
{
	return end_run(ctx);
}

/* The same around a program that does nothing: its counts are the overhead of every run. */
SEC("?socket")
int empty(struct __sk_buff *skb)
{
	return 0;
}

SEC("?fentry")
int empty_begin(void *ctx)
{
	return begin_run(ctx);
}

SEC("?fexit")
int empty_end(void *ctx)
{
	return end_run(ctx);
}
