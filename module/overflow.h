/* SPDX-License-Identifier: GPL-2.0 */
/* The overflow handler. */
#ifndef PERFGRP_OVERFLOW_H
#define PERFGRP_OVERFLOW_H

struct perf_event;
struct perf_sample_data;
struct pt_regs;

void perfgrp_overflow(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

#endif /* PERFGRP_OVERFLOW_H */
