// SPDX-License-Identifier: GPL-2.0
/*
 * Programs for counters that overflow. Each notes what it sees under the cookie that it
 * was attached with, and returns what the map "verdict" holds.
 */
#include <linux/types.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "overflow.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NR_COOKIES);
	__type(key, __u32);
	__type(value, struct seen);
} seen_by_cookie SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} verdict SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1024);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 16 * sizeof(__u64));
} stacks SEC(".maps");

static __always_inline struct seen *seen_by(struct bpf_perf_event_data *ctx)
{
	__u32 cookie = bpf_get_attach_cookie(ctx);

	return bpf_map_lookup_elem(&seen_by_cookie, &cookie);
}

static __always_inline int answer(void)
{
	__u32 zero = 0, *value = bpf_map_lookup_elem(&verdict, &zero);

	return value ? *value : 0;
}

SEC("perf_event")
int note(struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_value value;
	struct seen *seen = seen_by(ctx);

	if (!seen)
		return 0;
	__sync_fetch_and_add(&seen->runs, 1);
	seen->ip = PT_REGS_IP(&ctx->regs);
	seen->sp = PT_REGS_SP(&ctx->regs);
	seen->sample_period = ctx->sample_period;
	seen->addr = ctx->addr;
	if (bpf_perf_prog_read_value(ctx, &value, sizeof(value))) {
		seen->failed_reads++;
	} else {
		seen->value = value.counter;
		seen->enabled = value.enabled;
		seen->running = value.running;
	}
	seen->pid_tgid = bpf_get_current_pid_tgid();
	seen->stack = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	return answer();
}

/* Needs no call chain, and is another program. */
SEC("perf_event")
int other(struct bpf_perf_event_data *ctx)
{
	struct seen *seen = seen_by(ctx);

	if (seen)
		__sync_fetch_and_add(&seen->other_runs, 1);
	return answer();
}

/* Makes a tracepoint fire while it runs. */
SEC("perf_event")
int prints(struct bpf_perf_event_data *ctx)
{
	struct seen *seen = seen_by(ctx);

	if (seen)
		__sync_fetch_and_add(&seen->runs, 1);
	bpf_printk("overflow");
	return answer();
}
