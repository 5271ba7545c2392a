// SPDX-License-Identifier: GPL-2.0
/* For test_tool_profile: programs to be profiled, which run_bpf loads and runs. */
#include <linux/types.h>

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

#define LOOPBACK	1

char LICENSE[] SEC("license") = "GPL";

/* They differ by 500 instructions; the JIT makes one of each. */
SEC("socket")
int adds_five_hundred_times(struct __sk_buff *skb)
{
	__u64 x = 0;

	asm volatile(".rept 500\n%0 += 1\n.endr" : "+r"(x));
	return x;
}

SEC("socket")
int adds_thousand_times(struct __sk_buff *skb)
{
	__u64 x = 0;

	asm volatile(".rept 1000\n%0 += 1\n.endr" : "+r"(x));
	return x;
}

/*
 * Runs within itself: sends a copy of its packet out by the loopback device, where it is attached
 * to what goes out, until the mark, which the packet brings along, has come down to 1.
 */
SEC("tc")
int nest(struct __sk_buff *skb)
{
	if (skb->mark > 1) {
		skb->mark--;
		bpf_clone_redirect(skb, LOOPBACK, 0);
	}
	return TC_ACT_SHOT;
}
