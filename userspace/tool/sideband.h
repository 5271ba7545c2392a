/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's records of mappings, names, forks and exits of tasks, and of loads and unloads of BPF
 * programs.
 */
#ifndef PERFGRP_SIDEBAND_H
#define PERFGRP_SIDEBAND_H

#include "perf_data.h"
#include "util.h"

struct sideband_ring;

/**
 * struct sideband - events that count nothing, only output such records
 * @rings: one for each CPU or task
 * @nr: how many
 * @room: how many @rings has room for
 * @call: the last system call that opened one, for the error
 */
struct sideband {
	struct sideband_ring *rings;
	size_t nr;
	size_t room;
	const char *call;
};

int sideband_open_cpus(struct sideband *side, bool programs, bool build_ids);
int sideband_open_tasks(struct sideband *side, const struct numbers *tasks, bool on_exec,
			bool inherit, bool programs, bool build_ids);
void sideband_say_why(const struct sideband *side, int err);
void sideband_drain(struct sideband *side, struct perf_data *data);
void sideband_close(struct sideband *side);

#endif /* PERFGRP_SIDEBAND_H */
