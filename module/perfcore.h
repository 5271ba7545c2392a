/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access to the perf core. Reading is inline, because it is most of a snapshot's work. The
 * assumptions that perfcore.c lists apply here too.
 */
#ifndef PERFGRP_PERFCORE_H
#define PERFGRP_PERFCORE_H

#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "compat.h"
#include "perfcore_cgroup.h"
#include "value.h"

/**
 * struct perfgrp_core_pmu - an event's PMU
 * @id: the PMU, to be compared only: it may have been freed
 * @type: its number
 * @software: its events need no PMU slot: it is one of perf_sw_context, such as those of
 *	software events, tracepoints and breakpoints
 * @uncore: it cannot count tasks, and may count for several CPUs at once
 * @name: its name, may be truncated; the clocks' PMUs have none before 6.12
 */
struct perfgrp_core_pmu {
	const struct pmu *id;
	u32 type;
	bool software;
	bool uncore;
	char name[32];
};

/**
 * struct perfgrp_core_request - an event that is to be created
 * @attr: what to count
 * @cpu: the CPU; -1 for any CPU that @task runs on
 * @task: the task; NULL for whatever runs on @cpu. If there is a @leader the caller holds
 *	the task's exec_update_lock.
 * @cgroup: count its tasks only; NULL for all
 * @leader: a group leader of the same PMU, the same CPU or task and the same @cgroup, or NULL.
 *	The caller must make sure of that: perf_event_create_kernel_counter() lacks the checks of
 *	perf_event_open(). Needs perfgrp_core_can_link().
 * @handler: overflow handler, or NULL
 * @context: the event's overflow_handler_context
 *
 * With a @leader or a @cgroup perfgrp_core_link_begin() has succeeded.
 */
struct perfgrp_core_request {
	struct perf_event_attr *attr;
	int cpu;
	struct task_struct *task;
	const struct perfgrp_core_cgroup *cgroup;
	struct perf_event *leader;
	perf_overflow_handler_t handler;
	void *context;
};

int perfgrp_core_init(void);
void perfgrp_core_exit(void);
void perfgrp_core_link_init(int cpu);
void perfgrp_core_link_exit(void);
bool perfgrp_core_can_link(void);
int perfgrp_core_try_link(int cpu);
int perfgrp_core_link_begin(void);
void perfgrp_core_link_end(void);
int perfgrp_core_test_reads(struct perf_event *event, int cpu);
bool perfgrp_core_has_probe(void);
struct perf_event *perfgrp_core_create(const struct perfgrp_core_request *request);
struct perf_event *perfgrp_core_create_supplied(const struct perfgrp_core_request *request,
						int cgroup_fd);
struct pmu *perfgrp_core_pmu_lock(struct perf_event *event);
void perfgrp_core_pmu_unlock(struct perf_event *event);
bool perfgrp_core_get_pmu(struct perf_event *event, struct perfgrp_core_pmu *pmu);
bool perfgrp_core_is_in_cpumask(struct perf_event *event, int cpu, struct cpumask *cpus);
void perfgrp_core_set_inherit(struct perf_event *const *events, unsigned int nr);
bool perfgrp_core_exec_pending(const struct perf_event *event);
void perfgrp_core_cancel_exec(struct perf_event *event);
bool perfgrp_core_read_anywhere(struct perf_event *event, enum perf_event_state state,
				bool irqs_on);
int perfgrp_core_set_period(struct perf_event *event, bool freq, u64 sample);
bool perfgrp_core_read_inherited(struct perf_event *event, struct perfgrp_count *count);
bool perfgrp_core_peek_inherited(struct perf_event *event, struct perfgrp_count *count);
bool perfgrp_core_throttled_inherited(struct perf_event *event);
u64 perfgrp_core_clock(void);
void perfgrp_core_set_clock_pmus(const struct pmu *cpu_clock, const struct pmu *task_clock);
void perfgrp_core_callchain_init(void);
bool perfgrp_core_has_callchain(void);
struct perf_callchain_entry *perfgrp_core_get_callchain(struct perf_event *event,
							struct perf_sample_data *data,
							struct pt_regs *regs);
void perfgrp_core_ip_init(void);
bool perfgrp_core_knows_guests(void);
u16 perfgrp_core_misc_flags(struct perf_event *event, struct pt_regs *regs);
u64 perfgrp_core_ip(struct perf_event *event, struct pt_regs *regs, u16 misc);
void perfgrp_core_bpf_init(void);
bool perfgrp_core_has_bpf_guard(void);
bool perfgrp_core_bpf_enter(const struct perf_event *event, struct pt_regs *regs);
void perfgrp_core_bpf_leave(void);

/**
 * struct perfgrp_core_contexts - the perf contexts of events of a task, or of a CPU
 * @ctxs: one, or two on kernels before 6.2, where software and hardware events have
 *	contexts of their own; in ascending order of address
 *
 * On the caller's stack.
 */
struct perfgrp_core_contexts {
	struct perf_event_context *ctxs[2];
};

bool perfgrp_core_add_context(struct perfgrp_core_contexts *contexts,
			      const struct perf_event *event);
void perfgrp_core_call_locked(const struct perfgrp_core_contexts *contexts, void (*fn)(void *info),
			      void *info);

/**
 * perfgrp_core_is_revoked - was an event's PMU unregistered?
 * @event: the event
 *
 * From 6.15 on, unregistering a PMU revokes its events: event->pmu becomes NULL, and the PMU may
 * be freed. So event->pmu is dereferenced only while the event is PERF_EVENT_STATE_ACTIVE on this
 * CPU and interrupts are off, or under perfgrp_core_pmu_lock(); elsewhere it is only compared.
 * Before 6.15 perf_pmu_unregister() must not be called while the PMU has events.
 *
 * Any context.
 *
 * Return: true if it was, or is being unregistered.
 */
static __always_inline bool perfgrp_core_is_revoked(const struct perf_event *event)
{
	return compat_state_is_revoked(READ_ONCE(event->state)) || !READ_ONCE(event->pmu);
}

/**
 * perfgrp_core_state - the effective state of an event
 * @event: the event
 *
 * Any context.
 *
 * Return: the leader's state if the leader is off, because its siblings then do not count
 * whatever their own state is; else the event's own. PERF_EVENT_STATE_ERROR if the event was
 * revoked.
 */
static __always_inline enum perf_event_state perfgrp_core_state(const struct perf_event *event)
{
	enum perf_event_state leader = READ_ONCE(event->group_leader->state);

	if (likely(leader > PERF_EVENT_STATE_OFF))
		return READ_ONCE(event->state);
	if (leader <= PERF_EVENT_STATE_EXIT && perfgrp_core_is_revoked(event))
		return PERF_EVENT_STATE_ERROR;
	return leader;
}

/**
 * perfgrp_core_is_dead - has an event's task exited?
 * @event: the event
 *
 * Any context.
 *
 * Return: true if the task has exited, or the event was revoked. The perf core also removes the
 * event, as if the task had exited, when the task executes a program that its user may not watch.
 */
static __always_inline bool perfgrp_core_is_dead(const struct perf_event *event)
{
	return READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT;
}

/* Is the event on this CPU's PMU? Preemption is off. */
static __always_inline bool perfgrp_core_is_here(const struct perf_event *event,
						 enum perf_event_state state)
{
	return state == PERF_EVENT_STATE_ACTIVE && READ_ONCE(event->oncpu) == smp_processor_id();
}

/**
 * perfgrp_core_times - an event's times, and its count as of the last pmu->read()
 * @event: the event
 * @state: its perfgrp_core_state()
 * @clock: perfgrp_core_clock()
 * @count: set; since the event was created
 *
 * Does not call the PMU. Same rules as perfgrp_core_read(), or after
 * perfgrp_core_read_anywhere() in any context.
 */
static __always_inline void perfgrp_core_times(const struct perf_event *event,
					       enum perf_event_state state, u64 clock,
					       struct perfgrp_count *count)
{
	const struct perf_cgroup *cgroup = perfgrp_core_event_cgroup(event);
	const struct perf_event_context *ctx = event->ctx;
	u64 now, delta;

	if (unlikely(cgroup)) {
		now = perfgrp_core_cgroup_now(cgroup, event, clock);
	} else {
		now = READ_ONCE(ctx->is_active) ? clock + compat_ctx_timeoffset(ctx) :
						  compat_ctx_time(ctx);
		now -= compat_guest_time(event);
	}
	/* local_clock() of two CPUs may differ slightly. */
	delta = now - READ_ONCE(event->tstamp);
	if ((s64)delta < 0)
		delta = 0;

	count->count = local64_read(&event->count);
	count->enabled = READ_ONCE(event->total_time_enabled);
	if (state >= PERF_EVENT_STATE_INACTIVE)
		count->enabled += delta;
	count->running = READ_ONCE(event->total_time_running);
	if (state >= PERF_EVENT_STATE_ACTIVE)
		count->running += delta;
}

/**
 * perfgrp_core_enable - perf_event_enable(), which also corrects the times of a cgroup
 * @event: an event that is not inherited
 *
 * May sleep.
 */
static inline void perfgrp_core_enable(struct perf_event *event)
{
	const bool cgroup = perfgrp_core_event_cgroup(event);

	if (cgroup)
		perfgrp_core_cgroup_begin(event);
	perf_event_enable(event);
	if (cgroup)
		perfgrp_core_cgroup_settle(event);
}

/**
 * perfgrp_core_disable - perf_event_disable(), which also corrects the times of a cgroup
 * @event: the event
 *
 * May sleep.
 */
static inline void perfgrp_core_disable(struct perf_event *event)
{
	if (perfgrp_core_event_cgroup(event))
		perfgrp_core_cgroup_settle(event);
	perf_event_disable(event);
}

/**
 * perfgrp_core_read - read an event and its times, without an IPI
 * @event: an event that is not inherited
 * @clock: perfgrp_core_clock()
 * @count: set to what it has counted since it was created
 *
 * Interrupts are off, and either the event is on this CPU or it cannot get on any CPU
 * meanwhile, because its CPU is offline, it is disabled, or its context's lock is held.
 * Not from NMI context.
 *
 * Return: perfgrp_core_state() as it was read.
 */
static __always_inline enum perf_event_state perfgrp_core_read(struct perf_event *event, u64 clock,
							       struct perfgrp_count *count)
{
	enum perf_event_state state = perfgrp_core_state(event);

	if (perfgrp_core_is_here(event, state))
		event->pmu->read(event);
	perfgrp_core_times(event, state, clock, count);
	return state;
}

/**
 * perfgrp_core_throttled - has the perf core stopped an event until the next tick?
 * @event: the event
 *
 * Any context. The perf core sets hw.interrupts to MAX_INTERRUPTS, which no header defines. An
 * event that is scheduled out while throttled keeps that value until it is scheduled in again, if
 * it ever is; hence the check of its state.
 *
 * Return: true if the event overflowed too often and is throttled.
 */
static __always_inline bool perfgrp_core_throttled(const struct perf_event *event)
{
	return READ_ONCE(event->hw.interrupts) == U64_MAX &&
	       perfgrp_core_state(event) == PERF_EVENT_STATE_ACTIVE;
}

/**
 * perfgrp_core_set_bpf_cookie - set what bpf_get_attach_cookie() returns
 * @event: the event that the program is about to run for; the caller is its overflow
 *	handler
 * @cookie: the attachment's cookie
 */
static __always_inline void perfgrp_core_set_bpf_cookie(struct perf_event *event, u64 cookie)
{
#ifdef CONFIG_BPF_SYSCALL
	event->bpf_cookie = cookie;
#endif
}

/**
 * perfgrp_core_lockdep_nmi_off - make lockdep ignore locks that a BPF program takes in an
 * NMI
 *
 * lockdep reports every lock that is taken both in NMI context and outside. It does not
 * know that a program runs in an NMI only if the interrupted code cannot hold its maps' locks
 * (perfgrp_core_bpf_enter()), and the report crashes because it has no stack trace.
 * Programs on perf's own events have the same problem. Does nothing outside NMI context.
 */
static __always_inline void perfgrp_core_lockdep_nmi_off(void)
{
#ifdef CONFIG_PROVE_LOCKING
	if (in_nmi())
		__this_cpu_inc(lockdep_recursion);
#endif
}

/**
 * perfgrp_core_lockdep_nmi_on - undo perfgrp_core_lockdep_nmi_off()
 */
static __always_inline void perfgrp_core_lockdep_nmi_on(void)
{
#ifdef CONFIG_PROVE_LOCKING
	if (in_nmi())
		__this_cpu_dec(lockdep_recursion);
#endif
}

#endif /* PERFGRP_PERFCORE_H */
