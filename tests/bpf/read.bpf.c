// SPDX-License-Identifier: GPL-2.0
/* Programs that read a group by its handle; the last ones wrongly, to be refused. */
#include <linux/errno.h>
#include <linux/types.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/perfgrp.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "read.h"

char LICENSE[] SEC("license") = "GPL";

extern int bpf_perfgrp_read(__u64 handle, struct perfgrp_value *values, __u32 values__sz,
			    __u32 value_size, __u64 flags) __ksym;
extern int bpf_perfgrp_read_row(__u64 handle, __s32 cpu, struct perfgrp_map_slot *slot,
				__u32 slot__sz, __u32 value_size) __ksym;

#define VALUE_SIZE	sizeof(struct perfgrp_value)

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct job);
} job SEC(".maps");

/* What each CPU's members read when the task before was switched out. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[READ_VALUES]);
} last SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct charge);
} charged SEC(".maps");

static __always_inline void do_job(void)
{
	__u32 zero = 0, size;
	struct job *j = bpf_map_lookup_elem(&job, &zero);

	if (!j)
		return;
	size = j->small ? sizeof(j->value[0]) : sizeof(j->value);
	if (j->mapped && j->small == 2)
		j->ret = bpf_perfgrp_read_row(j->handle, j->cpu, &j->slot, sizeof(j->slot) - 1,
					      j->value_size);
	else if (j->mapped)
		j->ret = bpf_perfgrp_read_row(j->handle, j->cpu, &j->slot, sizeof(j->slot) + size,
					      j->value_size);
	else
		j->ret = bpf_perfgrp_read(j->handle, j->value, size, j->value_size, j->flags);
	j->failed += j->ret < 0;
	j->odd += j->ret < 0 && j->ret != -EAGAIN;
	j->torn += j->ret > 1 && j->value[0].raw != j->value[1].raw;
	j->runs++;
}

SEC("perf_event")
int on_overflow(struct bpf_perf_event_data *ctx)
{
	do_job();
	return 1;
}

SEC("?ksyscall/getppid")
int on_getppid(struct pt_regs *ctx)
{
	do_job();
	return 0;
}

/* Charges what this CPU has counted to the task that is switched out. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev)
{
	struct perfgrp_value value[READ_VALUES] = {};
	struct charge *charge, none = {};
	__u32 zero = 0, pid = prev->pid;
	__u64 *before;
	struct job *j;
	int i, nr;

	j = bpf_map_lookup_elem(&job, &zero);
	before = bpf_map_lookup_elem(&last, &zero);
	if (!j || !before)
		return 0;
	nr = bpf_perfgrp_read(j->handle, value, sizeof(value), VALUE_SIZE, 0);
	if (nr < 0)
		return 0;
	bpf_map_update_elem(&charged, &pid, &none, BPF_NOEXIST);
	charge = bpf_map_lookup_elem(&charged, &pid);
	if (!charge)
		return 0;
	for (i = 0; i < READ_VALUES; i++) {
		charge->count[i] += value[i].raw - before[i];
		before[i] = value[i].raw;
	}
	charge->flags |= value[0].flags;
	charge->switches++;
	return 0;
}

/* ---- wrong ------------------------------------------------------------------ */

/* More than there is room for. */
SEC("?perf_event")
int too_long(struct bpf_perf_event_data *ctx)
{
	struct perfgrp_value value[2] = {};

	return bpf_perfgrp_read(1, value, sizeof(value) + 8, VALUE_SIZE, 0);
}

SEC("?perf_event")
int row_too_long(struct bpf_perf_event_data *ctx)
{
	struct perfgrp_map_slot slot = {};

	return bpf_perfgrp_read_row(1, 0, &slot, sizeof(slot) + 8, VALUE_SIZE);
}

/* To no memory of the program's. */
SEC("?perf_event")
int nowhere(struct bpf_perf_event_data *ctx)
{
	return bpf_perfgrp_read(1, (void *)0x1000, VALUE_SIZE, VALUE_SIZE, 0);
}

/* What may be NULL. */
SEC("?perf_event")
int maybe_null(struct bpf_perf_event_data *ctx)
{
	__u32 zero = 0;
	struct job *j = bpf_map_lookup_elem(&job, &zero);

	return bpf_perfgrp_read(1, (struct perfgrp_value *)j, VALUE_SIZE, VALUE_SIZE, 0);
}

/* To what must not be written. */
SEC("?perf_event")
int into_context(struct bpf_perf_event_data *ctx)
{
	return bpf_perfgrp_read(1, (struct perfgrp_value *)ctx, VALUE_SIZE, VALUE_SIZE, 0);
}

/* A length that nobody knows. */
SEC("?perf_event")
int unbounded(struct bpf_perf_event_data *ctx)
{
	struct perfgrp_value value[2] = {};

	return bpf_perfgrp_read(1, value, ctx->sample_period, VALUE_SIZE, 0);
}

/* Of a type that has no such function. */
SEC("?socket")
int socket(struct __sk_buff *skb)
{
	struct perfgrp_value value[2] = {};

	return bpf_perfgrp_read(1, value, sizeof(value), VALUE_SIZE, 0);
}

SEC("?xdp")
int xdp(struct xdp_md *md)
{
	struct perfgrp_value value[2] = {};

	return bpf_perfgrp_read(1, value, sizeof(value), VALUE_SIZE, 0);
}
