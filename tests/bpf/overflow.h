/* SPDX-License-Identifier: GPL-2.0 */
/* What overflow.bpf.c and the test that loads it both know. */
#ifndef TESTS_BPF_OVERFLOW_H
#define TESTS_BPF_OVERFLOW_H

/* Cookies are below it: they are the index of what a program has seen. */
#define NR_COOKIES	16

/* What the programs have seen that were attached with one cookie; last things last. */
struct seen {
	__u64 runs;
	__u64 other_runs;	/* of the program "other" */
	__u64 failed_reads;
	__u64 ip;
	__u64 sp;
	__u64 sample_period;
	__u64 addr;
	__u64 value;
	__u64 enabled;
	__u64 running;
	__u64 pid_tgid;
	__s64 stack;
};

#endif /* TESTS_BPF_OVERFLOW_H */
