/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that perfgrp builds on (6.1 and later).
 *
 * The rest of the module is written as for the newest of them. Differences are detected
 * from the headers where possible, in Kbuild or by the preprocessor, not from the version,
 * because stable updates change signatures within a series.
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

/* pmu->scope: PMUs that count for all CPUs of a core, die or socket at once (6.12). */
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

/* Not defined in headers before 6.2. */
#define COMPAT_BPF_MAP_TYPE_CGRP_STORAGE 32

/* Task and cgroup storage maps allocate with bpf_mem_alloc, which is safe in NMIs (6.4). */
#ifdef PERFGRP_HAVE_STORAGE_BPF_MA
#define PERFGRP_STORAGE_ALLOCATES 0
#else
#define PERFGRP_STORAGE_ALLOCATES 1
#endif

/* ring_buffer_unlock_commit() lost its event argument after 6.1. */
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
 * For the KUnit suites. These two depend on the version: the preprocessor can test neither
 * a macro's argument nor a struct's field.
 */

/* Symbol namespaces became strings (6.13). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define PERFGRP_TEST_NAMESPACE "PERFGRP_KUNIT"
#else
#define PERFGRP_TEST_NAMESPACE PERFGRP_KUNIT
#endif

/* A PMU's per-CPU contexts, which have its multiplexing timers, changed type (6.2). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define compat_rotation_timer(pmu, cpu) (&per_cpu_ptr((pmu)->cpu_pmu_context, cpu)->hrtimer)
#else
#define compat_rotation_timer(pmu, cpu) (&per_cpu_ptr((pmu)->pmu_cpu_context, cpu)->hrtimer)
#endif

#endif /* PERFGRP_COMPAT_H */
