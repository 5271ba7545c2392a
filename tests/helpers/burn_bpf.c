// SPDX-License-Identifier: GPL-2.0
/*
 * burn_bpf NAME MS: loads a BPF program, says its id and the name of its symbol, and has it
 * run for so many ms of CPU time. It is gone afterwards.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define TURNS	2000
#define RUNS	100

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static uint64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static int load(const char *name)
{
	/* r0 = 1; for (r1 = TURNS; r1; r1--) r0 ^= r1; return 1 */
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = TURNS },
		{ .code = BPF_ALU64 | BPF_XOR | BPF_X, .src_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = -3 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)insns,
		.insn_cnt = ARRAY_SIZE(insns),
		.license = (uintptr_t)"GPL",
	};

	memccpy(attr.prog_name, name, '\0', sizeof(attr.prog_name) - 1);
	return bpf(BPF_PROG_LOAD, &attr);
}

static int say_symbol(int fd)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = {
		.info.bpf_fd = fd,
		.info.info_len = sizeof(info),
		.info.info = (uintptr_t)&info,
	};
	size_t i;

	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		return -1;
	printf("%u bpf_prog_", info.id);
	for (i = 0; i < sizeof(info.tag); i++)
		printf("%02x", info.tag[i]);
	printf("_%s\n", info.name);
	return fflush(stdout);
}

static int run(int fd)
{
	static const char packet[64];
	union bpf_attr attr = {
		.test.prog_fd = fd,
		.test.data_in = (uintptr_t)packet,
		.test.data_size_in = sizeof(packet),
		.test.repeat = RUNS,
	};

	return bpf(BPF_PROG_TEST_RUN, &attr) && errno != EINTR ? -1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t end;
	int fd;

	if (argc != 3)
		return 1;
	fd = load(argv[1]);
	if (fd < 0 || say_symbol(fd)) {
		perror("burn_bpf");
		return 1;
	}
	end = cpu_ms() + strtoul(argv[2], NULL, 0);
	while (cpu_ms() < end)
		if (run(fd)) {
			perror("BPF_PROG_TEST_RUN");
			return 1;
		}
	return 0;
}
