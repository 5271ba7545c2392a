// SPDX-License-Identifier: GPL-2.0
/*
 * load_bpf NAME [PIN]: loads a BPF program of type perf_event that does nothing, pins it if
 * it is to stay, and says its id.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)insns,
		.insn_cnt = 2,
		.license = (uintptr_t)"GPL",
	};
	int fd;

	if (argc < 2)
		return 1;
	strncpy(attr.prog_name, argv[1], sizeof(attr.prog_name) - 1);
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0) {
		perror("BPF_PROG_LOAD");
		return 1;
	}
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr)) {
		perror("BPF_OBJ_GET_INFO_BY_FD");
		return 1;
	}
	printf("%u\n", info.id);
	if (argc < 3)
		return 0;
	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uintptr_t)argv[2];
	attr.bpf_fd = fd;
	if (!bpf(BPF_OBJ_PIN, &attr))
		return 0;
	perror("BPF_OBJ_PIN");
	return 1;
}
