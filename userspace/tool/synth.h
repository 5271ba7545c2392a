/* SPDX-License-Identifier: GPL-2.0 */
/* What is so already when recording begins, as records of perf's. */
#ifndef PERFGRP_SYNTH_H
#define PERFGRP_SYNTH_H

#include "perf_data.h"

void synth_kernel(struct perf_data *data);
void synth_process(struct perf_data *data, unsigned int pid);
void synth_process_of(struct perf_data *data, unsigned int tid);
void synth_all_processes(struct perf_data *data);

#endif /* PERFGRP_SYNTH_H */
