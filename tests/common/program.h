/* SPDX-License-Identifier: GPL-2.0 */
/* A BPF program for a counter, loaded without libbpf. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "group.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

/* A program that returns 0; fd or -1. */
static inline int load_program(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = to_u64(insns),
		.insn_cnt = ARRAY_SIZE(insns),
		.license = to_u64("GPL"),
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

#endif /* TESTS_PROGRAM_H */
