// SPDX-License-Identifier: GPL-2.0
/*
 * A kprobe whose handler takes long, so that softirqs interrupt it: in them the kernel
 * calls no other kprobe.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 turns = 1;
__u64 runs;

static long turn(__u32 index, void *context)
{
	return 0;
}

SEC("ksyscall/getpgid")
int take_long(void *context)
{
	bpf_loop(turns, turn, NULL, 0);
	__sync_fetch_and_add(&runs, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
