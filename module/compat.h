/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that perfgrp builds on (6.1 and later).
 *
 * The rest of the module is written as for the newest of them. What must differ
 * is found by asking the headers, not the version: stable updates change
 * signatures inside one series.
 */
#ifndef PERFGRP_COMPAT_H
#define PERFGRP_COMPAT_H

#include <linux/perf_event.h>

/* attr.config3 came with PERF_ATTR_SIZE_VER8 (6.3). */
#ifdef PERF_ATTR_SIZE_VER8
#define PERFGRP_HAVE_CONFIG3 1
static inline void compat_set_config3(struct perf_event_attr *attr, u64 config3)
{
	attr->config3 = config3;
}
#else
#define PERFGRP_HAVE_CONFIG3 0
static inline void compat_set_config3(struct perf_event_attr *attr, u64 config3)
{
}
#endif

#endif /* PERFGRP_COMPAT_H */
