/* SPDX-License-Identifier: GPL-2.0 */
/* The CPU lists in a PMU's sysfs directory. */
#ifndef PERFGRP_PMU_ATTR_H
#define PERFGRP_PMU_ATTR_H

#include <linux/types.h>

struct cpumask;
struct pmu;

bool perfgrp_pmu_attr_cpus(const struct pmu *pmu, const char *name, struct cpumask *cpus);

#endif /* PERFGRP_PMU_ATTR_H */
