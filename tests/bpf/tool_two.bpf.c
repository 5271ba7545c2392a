// SPDX-License-Identifier: GPL-2.0
/* For test_tool_bpf: two programs for perf events, one of which the verifier refuses. */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

SEC("perf_event")
int good(struct bpf_perf_event_data *ctx)
{
	return 1;
}

SEC("perf_event")
int bad(struct bpf_perf_event_data *ctx)
{
	return *(char *)16;
}

char LICENSE[] SEC("license") = "GPL";
