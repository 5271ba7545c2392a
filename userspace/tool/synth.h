/* SPDX-License-Identifier: GPL-2.0 */
/* perf's records for what exists when recording begins. */
#ifndef PERFGRP_SYNTH_H
#define PERFGRP_SYNTH_H

#include <stdbool.h>

#include "build_id.h"
#include "perf_data.h"

struct bpf_prog_info;
struct btf;
struct numbers;

struct mmap_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 addr, len, pgoff;
};

struct mmap2_record {
	struct mmap_record mmap;
	union {
		struct {
			__u32 maj, min;
			__u64 ino, ino_generation;
		};
		/* With PERF_RECORD_MISC_MMAP_BUILD_ID. */
		struct {
			__u8 build_id_size, reserved[3];
			__u8 build_id[BUILD_ID_MAX];
		};
	};
	__u32 prot, flags;
};

/* synth.c */
void synth_put(struct perf_data *data, struct perf_event_header *header, size_t size,
	       const char *string);
void synth_kernel(struct perf_data *data);
void synth_process(struct perf_data *data, unsigned int pid);
void synth_family(struct perf_data *data, unsigned int pid);
void synth_processes_of(struct perf_data *data, const struct numbers *tids);
void synth_all_processes(struct perf_data *data, bool quiet);

/* synth_bpf.c */
void synth_program(struct perf_data *data, const struct bpf_prog_info *info,
		   const struct btf *btf);
void synth_all_programs(struct perf_data *data);

#endif /* PERFGRP_SYNTH_H */
