/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that perfgrp builds on (6.1 and later).
 *
 * The rest of the module is written as for the newest of them. What must differ
 * is found by subscribers the headers, not the version, wherever they can be asked:
 * stable updates change signatures inside one series.
 */
#ifndef PERFGRP_COMPAT_H
#define PERFGRP_COMPAT_H

#include <linux/perf_event.h>
#include <linux/ring_buffer.h>
#include <linux/version.h>

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

/* PMUs that count for all CPUs of a core, die or socket at once say so (6.12). */
#ifdef PERFGRP_HAVE_PMU_SCOPE
static inline bool compat_counts_for_many(const struct pmu *pmu)
{
	return pmu->scope != PERF_PMU_SCOPE_NONE;
}
#else
static inline bool compat_counts_for_many(const struct pmu *pmu)
{
	return false;
}
#endif

/* Headers before 6.2 do not know it. */
#define COMPAT_BPF_MAP_TYPE_CGRP_STORAGE 32

/* What belongs to a task or a cgroup is allocated as hash maps' elements are (6.4). */
#ifdef PERFGRP_HAVE_STORAGE_BPF_MA
#define PERFGRP_STORAGE_ALLOCATES 0
#else
#define PERFGRP_STORAGE_ALLOCATES 1
#endif

/* The event that is committed was dropped from the arguments (6.5 or so). */
static inline void compat_ring_buffer_commit(struct trace_buffer *buffer,
					     struct ring_buffer_event *event)
{
#ifdef PERFGRP_COMMIT_TAKES_EVENT
	ring_buffer_unlock_commit(buffer, event);
#else
	ring_buffer_unlock_commit(buffer);
#endif
}

/*
 * For the KUnit suites. These two cannot be asked of the headers: neither a
 * macro's argument nor a struct's field can be probed by the preprocessor.
 */

/* Symbol namespaces became strings (6.13). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define PERFGRP_TEST_NAMESPACE "PERFGRP_KUNIT"
#else
#define PERFGRP_TEST_NAMESPACE PERFGRP_KUNIT
#endif

/* A PMU's contexts on the CPUs, which hold its rotation timers, got a new type (6.2). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define compat_rotation_timer(pmu, cpu) (&per_cpu_ptr((pmu)->cpu_pmu_context, cpu)->hrtimer)
#else
#define compat_rotation_timer(pmu, cpu) (&per_cpu_ptr((pmu)->pmu_cpu_context, cpu)->hrtimer)
#endif

#endif /* PERFGRP_COMPAT_H */
