/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* PMUs in sysfs: their types, formats and named events; and the directory of tracepoints. */
#ifndef PERFGRP_PMU_H
#define PERFGRP_PMU_H

#include "parse.h"

/**
 * struct pmu_dir - one directory of /sys/bus/event_source/devices
 * @dir: the directory
 * @name: its name
 * @type: its number, for attr.type
 */
struct pmu_dir {
	const char *dir;
	const char *name;
	__u32 type;
};

int perfgrp_pmu_open(struct pmu_dir *pmu, struct pool *pool, const struct perfgrp_events *from,
		     const char *name);
struct strings perfgrp_pmu_names(struct pool *pool, const struct perfgrp_events *from);
struct strings perfgrp_pmu_match(struct pool *pool, const struct perfgrp_events *from,
				 const char *pattern);
struct strings perfgrp_pmu_with_event(struct pool *pool, const struct perfgrp_events *from,
				      const char *event);
struct strings perfgrp_pmu_event_names(struct pool *pool, const struct pmu_dir *pmu);
const char *perfgrp_pmu_cpus(struct pool *pool, const struct pmu_dir *pmu);
int perfgrp_pmu_common_terms(const struct parser *p, const char *s, const char *end,
			     struct event *event);
int perfgrp_pmu_encode(const struct parser *p, const struct pmu_dir *pmu, const char *s,
		       const char *end, struct event *event);
const char *perfgrp_tracepoints(struct pool *pool, const struct perfgrp_events *from);
bool perfgrp_tracepoints_denied(void);

#endif /* PERFGRP_PMU_H */
