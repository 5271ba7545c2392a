/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs on the members of groups. Test programs that include this must be named test_bpf*,
 * so that they are linked with libbpf.
 */
#ifndef TESTS_BPF_H
#define TESTS_BPF_H

#include "stream.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <libgen.h>
#include <linux/bpf.h>
#include <sys/resource.h>

/* libbpf's warnings are shown with the test that failed. */
static inline int bpf_say(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char line[256];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = 0;
	diag("libbpf: %s", line);
	return 0;
}

/* Loads NAME.bpf.o from the directory of the test program. */
static inline struct bpf_object *bpf_load(const char *name)
{
	char self[256] = "", path[512];
	struct bpf_object *object;

	REQUIRE_GT(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(path, sizeof(path), "%s/%s.bpf.o", dirname(self), name);
	libbpf_set_print(bpf_say);
	object = bpf_object__open_file(path, NULL);
	REQUIRE(object);
	REQUIRE_EQ(bpf_object__load(object), 0);
	return object;
}

static inline int bpf_prog(const struct bpf_object *object, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	REQUIRE(program);
	return bpf_program__fd(program);
}

static inline int bpf_map(const struct bpf_object *object, const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(object, name);

	REQUIRE_GE(fd, 0);
	return fd;
}

/* A program that only returns RET; fd or -errno. */
static inline int bpf_trivial(enum bpf_prog_type type, int ret)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = ret },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(type, "trivial", "GPL", insns, ARRAY_SIZE(insns), NULL);
}

/* Id of the program FD. */
static inline __u32 bpf_id(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	REQUIRE_EQ(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

/* Has the program ID been freed? The kernel frees it some time after its last reference is gone. */
static inline bool bpf_is_gone(__u32 id)
{
	unsigned int i;
	int fd;

	for (i = 0; i < 100; i++) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			return errno == ENOENT;
		close(fd);
		nap_ns(20000000);
	}
	return false;
}

/* ---- ioctls ------------------------------------------------------------------ */

static inline int grp_bpf_attach_flags(int fd, __u32 id, int prog, __u64 cookie, __u32 flags)
{
	struct perfgrp_bpf_attach arg = { .size = sizeof(arg), .flags = flags, .id = id,
					  .prog_fd = prog, .cookie = cookie };

	return grp_ioctl(fd, PERFGRP_BPF_ATTACH, &arg);
}

static inline int grp_bpf_attach(int fd, __u32 id, int prog, __u64 cookie)
{
	return grp_bpf_attach_flags(fd, id, prog, cookie, 0);
}

static inline int grp_bpf_replace_flags(int fd, __u32 id, int prog, __u64 cookie, __u32 expected,
					__u32 flags)
{
	struct perfgrp_bpf_attach arg = { .size = sizeof(arg), .flags = flags, .id = id,
					  .prog_fd = prog, .cookie = cookie,
					  .prog_id = expected };

	return grp_ioctl(fd, PERFGRP_BPF_REPLACE, &arg);
}

static inline int grp_bpf_replace(int fd, __u32 id, int prog, __u64 cookie, __u32 expected)
{
	return grp_bpf_replace_flags(fd, id, prog, cookie, expected, 0);
}

static inline int grp_bpf_detach(int fd, __u32 id, __u32 expected)
{
	struct perfgrp_bpf_detach arg = { .size = sizeof(arg), .id = id, .prog_id = expected };

	return grp_ioctl(fd, PERFGRP_BPF_DETACH, &arg);
}

static inline int grp_bpf_query(int fd, __u32 id, struct perfgrp_bpf_query *query)
{
	*query = (struct perfgrp_bpf_query){ .size = sizeof(*query), .id = id };
	return grp_ioctl(fd, PERFGRP_BPF_QUERY, query);
}

/* Skips the test if no program can be attached, with the module's error text. */
static inline void need_bpf(void)
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 };
	int fd;

	if (grp_info().features & PERFGRP_FEATURE_BPF)
		return;
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, bpf_trivial(BPF_PROG_TYPE_PERF_EVENT, 0), 0),
			      EOPNOTSUPP, FEATURE, c.id);
	close(fd);
	skip("%s", grp_error.text);
}

/* The attached program; there must be one. */
static inline struct perfgrp_bpf_query grp_attached(int fd, __u32 id)
{
	struct perfgrp_bpf_query query;

	REQUIRE_EQ(grp_bpf_query(fd, id, &query), 0);
	return query;
}

#endif /* TESTS_BPF_H */
