/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that perfgrp builds on (6.1 and later).
 *
 * The rest of the module is written for the newest of them. Where possible, differences are
 * detected from the headers, in Kbuild or by the preprocessor, not from the version, because
 * stable updates change signatures within a series.
 */
#ifndef PERFGRP_COMPAT_H
#define PERFGRP_COMPAT_H

#include <linux/capability.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/user.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include "pmu_attr.h"

/* The dumpable state moved from the mm to the task (7.x). */
#ifdef PERFGRP_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#else
#include <linux/sched/coredump.h>
#endif

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

/*
 * Before 6.2 tasks and CPUs have one perf context for software events and one for hardware
 * events. PMUs other than the first can use the latter only with this capability.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define COMPAT_HW_TASK_CONTEXT	   perf_hw_context
#define COMPAT_CAP_HW_TASK_CONTEXT PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define COMPAT_ONE_CPU_CONTEXT	   0
#else
#define COMPAT_HW_TASK_CONTEXT	   perf_sw_context
#define COMPAT_CAP_HW_TASK_CONTEXT 0
#define COMPAT_ONE_CPU_CONTEXT	   1
#endif

/*
 * Set @cpus to the online CPUs on which the PMU does not count. Before 6.2 pmu->filter_match()
 * answers only for the CPU that calls it, so the PMU's sysfs attribute "cpus" is used. Return:
 * false if there is no such CPU.
 */
#ifdef PERFGRP_HAVE_PMU_FILTER
static inline bool compat_pmu_filtered_cpus(struct pmu *pmu, struct cpumask *cpus)
{
	int cpu;

	if (!pmu->filter)
		return false;
	cpumask_clear(cpus);
	for_each_online_cpu(cpu)
		if (pmu->filter(pmu, cpu))
			cpumask_set_cpu(cpu, cpus);
	return !cpumask_empty(cpus);
}
#else
static inline bool compat_pmu_filtered_cpus(struct pmu *pmu, struct cpumask *cpus)
{
	if (!(pmu->capabilities & PERF_PMU_CAP_HETEROGENEOUS_CPUS) || !pmu->filter_match ||
	    !perfgrp_pmu_attr_cpus(pmu, "cpus", cpus))
		return false;
	return cpumask_andnot(cpus, cpu_online_mask, cpus);
}
#endif

/* PERF_EVENT_STATE_REVOKED came with PMUs that may be unregistered at any time (6.15). */
static inline bool compat_state_is_revoked(enum perf_event_state state)
{
#ifdef PERFGRP_HAVE_STATE_REVOKED
	return state == PERF_EVENT_STATE_REVOKED;
#else
	return false;
#endif
}

/* A perf context's clock became a struct (7.x). */
static inline u64 compat_ctx_time(const struct perf_event_context *ctx)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	return READ_ONCE(ctx->time.time);
#else
	return READ_ONCE(ctx->time);
#endif
}

static inline u64 compat_ctx_timeoffset(const struct perf_event_context *ctx)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	return READ_ONCE(ctx->time.offset);
#else
	return READ_ONCE(ctx->timeoffset);
#endif
}

/*
 * The guest time to subtract from the context's time for an event with attr.exclude_guest: the
 * time for which KVM has given the PMU to guests (mediated vPMU, 7.x). Same as in
 * __perf_event_time_ctx(), which event->tstamp comes from. It advances only while a guest runs,
 * with interrupts disabled by KVM; an NMI reads it as of the guest's entry.
 */
static inline u64 compat_guest_time(const struct perf_event *event)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	return event->attr.exclude_guest ? READ_ONCE(event->ctx->timeguest.time) : 0;
#else
	return 0;
#endif
}

/* The same for the times of a cgroup on a CPU, which cgroup events use. */
#ifdef CONFIG_CGROUP_PERF
static inline u64 compat_cgroup_time(const struct perf_cgroup_info *info)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	return READ_ONCE(info->time.time);
#else
	return READ_ONCE(info->time);
#endif
}

static inline u64 compat_cgroup_timeoffset(const struct perf_cgroup_info *info)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	return READ_ONCE(info->time.offset);
#else
	return READ_ONCE(info->timeoffset);
#endif
}

/* Like __update_cgrp_time(info, now, false): continue the time from @now. */
static inline void compat_cgroup_stamp(struct perf_cgroup_info *info, u64 now)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	info->time.stamp = now;
	WRITE_ONCE(info->time.offset, info->time.time - now);
#else
	info->timestamp = now;
	WRITE_ONCE(info->timeoffset, info->time - now);
#endif
}

static inline u64 compat_cgroup_guest_time(const struct perf_cgroup_info *info)
{
#ifdef PERFGRP_HAVE_TIME_CTX
	return READ_ONCE(info->timeguest.time);
#else
	return 0;
#endif
}
#endif

/* pmu_disable_count moved from a per-CPU variable into the PMU's per-CPU context (7.x). */
static inline int compat_pmu_disable_count(const struct pmu *pmu)
{
#ifdef PERFGRP_PMU_HAS_DISABLE_COUNT
	return *this_cpu_ptr(pmu->pmu_disable_count);
#else
	return (*this_cpu_ptr(pmu->cpu_pmu_context))->pmu_disable_count;
#endif
}

/*
 * May a task's user dump it? @mm is the task's. In 7.x get_dumpable() is gone and its successor
 * task_exec_state_get_dumpable() is not exported, so its code is repeated here. An exec replaces
 * the state with exec_update_lock held for writing.
 */
static inline bool compat_is_dumpable_by_user(const struct task_struct *task, struct mm_struct *mm)
{
#ifdef PERFGRP_HAVE_EXEC_STATE
	const struct task_exec_state *exec_state;
	bool dumpable;

	rcu_read_lock();
	exec_state = rcu_dereference(task->exec_state);
	dumpable = exec_state && READ_ONCE(exec_state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
#else
	return get_dumpable(mm) == SUID_DUMP_USER;
#endif
}

/*
 * A user's counter of locked pages. locked_vm may not exist without CONFIG_NET and
 * CONFIG_IO_URING; then perf's own counter is used.
 */
static inline atomic_long_t *compat_user_locked(struct user_struct *user)
{
#if defined(CONFIG_NET) || defined(CONFIG_IO_URING)
	return &user->locked_vm;
#else
	return &user->perf_mlock;
#endif
}

/*
 * May the caller count kernel mode? perf_allow_kernel() checks sysctl perf_event_paranoid and asks
 * the security modules. Up to 6.12.y it is inline and uses symbols that are not exported.
 */
#ifdef PERFGRP_HAVE_PERF_ALLOW_KERNEL
#define PERFGRP_HAVE_ALLOW_KERNEL true
static inline int compat_allow_kernel(void)
{
#ifdef PERFGRP_PERF_ALLOW_KERNEL_TAKES_ATTR
	/* Passed to the security modules, none of which uses it. */
	struct perf_event_attr attr = { .size = sizeof(attr) };

	return perf_allow_kernel(&attr);
#else
	return perf_allow_kernel();
#endif
}
#else
#define PERFGRP_HAVE_ALLOW_KERNEL false
static inline int compat_allow_kernel(void)
{
	return perfmon_capable() ? 0 : -EACCES;
}
#endif

/*
 * system_unbound_wq was renamed (6.18 and stable updates). 7.x warns once if work is queued on it
 * under the old name.
 */
#ifdef PERFGRP_HAVE_DFL_WQ
#define compat_unbound_wq system_dfl_wq
#else
#define compat_unbound_wq system_unbound_wq
#endif

/* Subtract @size bytes from the sample's size, which the perf core has tracked since 6.3. */
static inline void compat_shrink_sample(struct perf_sample_data *data, size_t size)
{
#ifdef PERFGRP_HAVE_DYN_SIZE
	data->dyn_size -= size;
#endif
}

/* perf_misc_flags() and perf_instruction_pointer(), which take the event from 7.x on. */
#ifdef PERFGRP_MISC_FLAGS_TAKES_EVENT
typedef unsigned long compat_regs_fn(struct perf_event *event, struct pt_regs *regs);
#define compat_call_regs_fn(name, event, regs) static_call(name)(event, regs)
#else
typedef unsigned long compat_regs_fn(struct pt_regs *regs);
#define compat_call_regs_fn(name, event, regs) ((void)(event), static_call(name)(regs))
#endif

/* Tracepoint sched_process_exit passes whether the task is the last of its process (6.16). */
#ifdef PERFGRP_EXIT_TELLS_GROUP_DEAD
#define COMPAT_SCHED_PROCESS_EXIT_PROBE(name) \
	void name(void *data, struct task_struct *task, bool group_dead)
#else
#define COMPAT_SCHED_PROCESS_EXIT_PROBE(name) void name(void *data, struct task_struct *task)
#endif

/*
 * For the KUnit suites. The next three check the version, because the preprocessor can detect
 * neither a macro's argument, nor a struct's field, nor a change of behaviour.
 */

/* Symbol namespaces became strings (6.13). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define PERFGRP_TEST_NAMESPACE "PERFGRP_KUNIT"
#else
#define PERFGRP_TEST_NAMESPACE PERFGRP_KUNIT
#endif

/*
 * A PMU's contexts on the CPUs, which hold its rotation timers, got a new type (6.2), and then
 * became per-CPU pointers (7.x).
 */
#ifdef PERFGRP_CPU_PMU_CONTEXT_IS_POINTER
#define compat_rotation_timer(pmu, cpu) (&(*per_cpu_ptr((pmu)->cpu_pmu_context, cpu))->hrtimer)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define compat_rotation_timer(pmu, cpu) (&per_cpu_ptr((pmu)->cpu_pmu_context, cpu)->hrtimer)
#else
#define compat_rotation_timer(pmu, cpu) (&per_cpu_ptr((pmu)->pmu_cpu_context, cpu)->hrtimer)
#endif

/* Before 6.2 a task's context points to the PMU of its first event until the task exits. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define PERFGRP_CONTEXT_KEEPS_PMU 0
#else
#define PERFGRP_CONTEXT_KEEPS_PMU 1
#endif

/* 6.13 */
#ifdef PERFGRP_HAVE_HRTIMER_SETUP
#define compat_hrtimer_setup hrtimer_setup
#else
static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.3 */
#ifdef PERFGRP_HAVE_VM_FLAGS_CLEAR
#define compat_vm_flags_clear vm_flags_clear
#else
static inline void compat_vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif /* PERFGRP_COMPAT_H */
