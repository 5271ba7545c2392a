// SPDX-License-Identifier: GPL-2.0
/*
 * perf's records for BPF programs that are already loaded when recording begins: the addresses and
 * names of their JITed functions. For programs that are loaded later the kernel outputs such
 * records.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "synth.h"
#include "util.h"

/* As in the kernel, which truncates names of programs there, too. */
#define KSYM_NAME_LEN	512

struct ksymbol_record {
	struct perf_event_header header;
	__u64 addr;
	__u32 len;
	__u16 type, flags;
};

/* The kernel's structs have pointers as numbers. */
static void *pointer(__u64 number)
{
	return (void *)(uintptr_t)number;
}

static __u64 new_array(size_t nr, size_t size)
{
	return nr ? (uintptr_t)xcalloc(nr, size) : 0;
}

/* Without BTF only the program has a name, which is used for its first function. */
static const char *function_name(const struct bpf_prog_info *info, const struct btf *btf, __u32 nr)
{
	const struct bpf_func_info *functions = pointer(info->func_info);
	const struct btf_type *type;

	if (!btf || nr >= info->nr_func_info)
		return nr ? "F" : info->name;
	type = btf__type_by_id(btf, functions[nr].type_id);
	return type ? btf__name_by_offset(btf, type->name_off) : NULL;
}

/*
 * bpf_prog_TAG_NAME, as in bpf_get_prog_name(). The first function has the program's tag, as
 * shown by bpftool; the others have their own.
 */
static void symbol_name(char *text, const struct bpf_prog_info *info, const struct btf *btf,
			__u32 nr)
{
	const __u8 (*tags)[BPF_TAG_SIZE] = pointer(info->prog_tags);
	const char *name = function_name(info, btf, nr);
	const __u8 *tag = nr ? tags[nr] : info->tag;
	size_t len, i;

	len = snprintf(text, KSYM_NAME_LEN, "bpf_prog_");
	for (i = 0; i < BPF_TAG_SIZE; i++)
		len += snprintf(text + len, KSYM_NAME_LEN - len, "%02x", tag[i]);
	if (name && *name)
		snprintf(text + len, KSYM_NAME_LEN - len, "_%s", name);
}

static void put_load(struct perf_data *data, const struct bpf_prog_info *info)
{
	struct perfgrp_record_bpf_event record = {
		.header = { .type = PERF_RECORD_BPF_EVENT, .size = sizeof(record) },
		.type = PERF_BPF_EVENT_PROG_LOAD,
		.prog_id = info->id,
	};

	memcpy(record.tag, info->tag, sizeof(record.tag));
	perf_data_write(data, &record, sizeof(record));
}

/**
 * synth_program - add records for a BPF program: its functions, and its load
 * @data: the file
 * @info: the program, with @jited_ksyms, @jited_func_lens, @prog_tags and @func_info; nothing
 *	is added without the first three
 * @btf: its types, or NULL
 */
void synth_program(struct perf_data *data, const struct bpf_prog_info *info, const struct btf *btf)
{
	const __u64 *addrs = pointer(info->jited_ksyms);
	const __u32 *lens = pointer(info->jited_func_lens);
	__u32 i;

	if (!addrs || !lens || !info->prog_tags ||
	    info->nr_jited_func_lens != info->nr_jited_ksyms ||
	    info->nr_prog_tags != info->nr_jited_ksyms)
		return;
	for (i = 0; i < info->nr_jited_ksyms; i++) {
		struct ksymbol_record record = {
			.header.type = PERF_RECORD_KSYMBOL,
			.addr = addrs[i],
			.len = lens[i],
			.type = PERF_RECORD_KSYMBOL_TYPE_BPF,
		};
		char name[KSYM_NAME_LEN];

		/* A function that is not JITed runs in the interpreter and has no address. */
		if (!record.len)
			continue;
		symbol_name(name, info, btf, i);
		synth_put(data, &record.header, sizeof(record), name);
	}
	put_load(data, info);
}

/* Queries the kernel twice: for the sizes of the arrays, and with arrays of these sizes. */
static void synth_open_program(struct perf_data *data, int fd)
{
	struct bpf_prog_info nr = { 0 }, ask = { 0 }, info;
	__u32 len = sizeof(nr);
	struct btf *btf = NULL;

	if (bpf_obj_get_info_by_fd(fd, &nr, &len))
		return;
	ask.nr_jited_ksyms = nr.nr_jited_ksyms;
	ask.jited_ksyms = new_array(nr.nr_jited_ksyms, sizeof(__u64));
	ask.nr_jited_func_lens = nr.nr_jited_func_lens;
	ask.jited_func_lens = new_array(nr.nr_jited_func_lens, sizeof(__u32));
	ask.nr_prog_tags = nr.nr_prog_tags;
	ask.prog_tags = new_array(nr.nr_prog_tags, BPF_TAG_SIZE);
	ask.nr_func_info = nr.nr_func_info;
	ask.func_info_rec_size = sizeof(struct bpf_func_info);
	ask.func_info = new_array(nr.nr_func_info, sizeof(struct bpf_func_info));
	/* The kernel zeroes pointers to arrays that the caller may not read; @ask keeps them. */
	info = ask;
	len = sizeof(info);
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		if (info.btf_id && info.nr_func_info)
			btf = btf__load_from_kernel_by_id(info.btf_id);
		synth_program(data, &info, btf);
		btf__free(btf);
	}
	free(pointer(ask.jited_ksyms));
	free(pointer(ask.jited_func_lens));
	free(pointer(ask.prog_tags));
	free(pointer(ask.func_info));
}

/**
 * synth_all_programs - add all loaded BPF programs
 * @data: the file
 *
 * Nothing is added if the caller may not query programs, or may not read kernel addresses.
 */
void synth_all_programs(struct perf_data *data)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		synth_open_program(data, fd);
		close(fd);
	}
}
