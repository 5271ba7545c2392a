/* SPDX-License-Identifier: GPL-2.0 */
/* perf's records for what exists when recording begins. */
#ifndef PERFGRP_SYNTH_H
#define PERFGRP_SYNTH_H

#include <stdbool.h>

#include "perf_data.h"

struct bpf_prog_info;
struct btf;

/* synth.c */
void synth_put(struct perf_data *data, struct perf_event_header *header, size_t size,
	       const char *string);
void synth_kernel(struct perf_data *data);
void synth_process(struct perf_data *data, unsigned int pid);
void synth_family(struct perf_data *data, unsigned int pid);
void synth_process_of(struct perf_data *data, unsigned int tid);
void synth_all_processes(struct perf_data *data, bool quiet);

/* synth_bpf.c */
void synth_program(struct perf_data *data, const struct bpf_prog_info *info,
		   const struct btf *btf);
void synth_all_programs(struct perf_data *data);

#endif /* PERFGRP_SYNTH_H */
