/* SPDX-License-Identifier: GPL-2.0 */
/* The machine's PMUs. */
#ifndef PERFGRP_TOOL_PMU_H
#define PERFGRP_TOOL_PMU_H

#include "perfgrp.h"
#include "util.h"

/**
 * struct pmu - a PMU
 * @name: its name
 * @cpus: the CPUs to open its events on, as sysfs lists them, or NULL for all CPUs
 * @type: its attr.type
 */
struct pmu {
	char *name;
	char *cpus;
	__u32 type;
};

/**
 * struct pmu_list - all PMUs
 * @pmus: the PMUs, by name
 * @nr: how many
 * @room: how many @pmus has room for
 */
struct pmu_list {
	struct pmu *pmus;
	size_t nr;
	size_t room;
};

void pmu_list_open(struct pmu_list *list);
void pmu_list_close(struct pmu_list *list);
char *pmu_find_name(__u32 type);
char *pmu_find_cpus(void);

#endif /* PERFGRP_TOOL_PMU_H */
