// SPDX-License-Identifier: GPL-2.0
/* For test_tool_bpf: three programs, of which one says that it is for perf events. */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

SEC("perf_event")
int keep(struct bpf_perf_event_data *ctx)
{
	return 1;
}

/* A function of its own, for test_record_symbols. */
static __attribute__((noinline)) int whether_to_keep(struct bpf_perf_event_data *ctx)
{
	return ctx->sample_period == ~0ULL;
}

SEC("sampler")
int drop(struct bpf_perf_event_data *ctx)
{
	return whether_to_keep(ctx);
}

SEC("socket")
int other(struct __sk_buff *skb)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
