/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated PMU, so that tests know what it counts.
 *
 * Its events take one slot each, on each CPU. attr.config says what they count:
 *
 *	FAKE_TICKS(n)	n for each tick; fake_pmu_tick() makes ticks
 *	FAKE_CLOCK(n)	n for each ns that the event is on the PMU, by the clock
 *			that the perf core uses for time_running: an event that
 *			is off reads exactly n * time_running
 *
 * and how they fail; see the FAKE_* below.
 */
#ifndef PERFGRP_FAKE_PMU_H
#define PERFGRP_FAKE_PMU_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/uidgid.h>

#define FAKE_WEIGHT_MASK 0xffffULL
#define FAKE_IS_CLOCK	 BIT_ULL(16)
/* Is accepted, but pmu->add() always fails. */
#define FAKE_FAIL_ADD BIT_ULL(17)
/* Is counted on CPU 0 whatever CPU it is created for, as by the PMU of a socket. */
#define FAKE_ON_CPU0 BIT_ULL(18)
/* Is forwarded to fake_pmu.forward, as AMD's core PMU forwards precise cycles to IBS. */
#define FAKE_FORWARD BIT_ULL(19)
/* Is accepted only under a leader of this PMU, as Intel's topdown metrics are. */
#define FAKE_SIBLING BIT_ULL(20)
/* Is refused with this errno. */
#define FAKE_FAIL_INIT(errno) ((u64)(errno) << 24)

#define FAKE_TICKS(n) ((u64)(n))
#define FAKE_CLOCK(n) (FAKE_IS_CLOCK | (u64)(n))

/* attr.config1 of a PERF_TYPE_RAW event that is meant for fake_pmu.cpus. */
#define FAKE_RAW 0x66616b65ULL

/* A rotation interval longer than any test. */
#define FAKE_NO_ROTATION 100000

/**
 * struct fake_pmu - a simulated PMU
 * @pmu: what is registered with the perf core
 * @name: its name
 * @slots: events that it counts at the same time on a CPU; may be changed
 * @rotation_ms: how often the perf core rotates what is multiplexed
 * @unchecked: groups larger than @slots are accepted, but are never scheduled
 * @cpus: the only CPUs that it counts on, like the PMU of one of several kinds of CPU. Then it
 *	also counts PERF_TYPE_RAW events with FAKE_RAW in config1; a task's event for any
 *	CPU is accepted, and counts while the task is on one of these. NULL: all CPUs, and
 *	no such events.
 * @hardware: it also counts PERF_TYPE_HARDWARE events; those with its type in the upper
 *	half of attr.config are counted by no other PMU
 * @forward: the PMU that counts events with FAKE_FORWARD
 * @refuse: all events are refused with this errno; 0: none. May be changed.
 * @refuse_on: only those of CPU number @refuse_on - 1 are refused; 0: those of all CPUs
 * @fixed_period: a new period is refused on CPU number @fixed_period - 1; 0: on none
 * @euid: euid with which the last event was created
 * @context: enum perf_event_task_context; takes effect when it is registered
 * @scope: enum perf_pmu_scope, where the kernel has that; takes effect when it is registered
 * @cpumask: contents of its file "cpumask"; NULL: no such file of its own
 * @registered: it is registered
 * @ticks: number of ticks so far
 * @used: slots in use on each CPU
 * @batch: events added in each CPU's current transaction
 * @committed: number of events in the last transaction that succeeded
 * @adds: how often an event was added
 * @inits: number of events that it has accepted in all
 * @strange_leaders: how many released events were linked to a leader on another PMU or CPU
 * @reads: how often an event was read
 * @strange_reads: how often with interrupts on, or on another CPU than the event's
 * @meet: if not 0, a read ends only when so many have begun, or after half a second
 * @met: reads that have begun since @meet was set; set to 0 with it
 * @missed: reads that have timed out
 * @interrupt: called while the driver adds an event, where an NMI may interrupt it
 * @interrupt_read: called when the driver has read an event
 * @interrupt_data: argument of both
 * @destroyed: list node for fake_pmu_free_destroyed()
 */
struct fake_pmu {
	struct pmu pmu;
	char name[32];
	unsigned int slots;
	unsigned int rotation_ms;
	bool unchecked;
	const struct cpumask *cpus;
	bool hardware;
	const struct fake_pmu *forward;
	int refuse;
	int refuse_on;
	int fixed_period;
	kuid_t euid;
	int context;
	unsigned int scope;
	const struct cpumask *cpumask;
	bool registered;
	atomic64_t ticks;
	unsigned int __percpu *used;
	unsigned int __percpu *batch;
	unsigned int committed;
	atomic_t adds;
	atomic_t inits;
	atomic_t strange_leaders;
	atomic_t reads;
	atomic_t strange_reads;
	int meet;
	atomic_t met;
	atomic_t missed;
	void (*interrupt)(struct perf_event *event, void *data);
	void (*interrupt_read)(struct perf_event *event, void *data);
	void *interrupt_data;
	struct list_head destroyed;
};

struct fake_pmu *fake_pmu_create(const char *name, unsigned int slots, unsigned int rotation_ms);
void fake_pmu_destroy(struct fake_pmu *fake);
void fake_pmu_free_destroyed(void);
void fake_pmu_unregister(struct fake_pmu *fake);
int fake_pmu_register(struct fake_pmu *fake);
void fake_pmu_revoke(struct fake_pmu *fake, struct perf_event *const *events, unsigned int nr);
void fake_pmu_unrevoke(struct fake_pmu *fake, struct perf_event *const *events, unsigned int nr);
void fake_pmu_tick(struct fake_pmu *fake, u64 ticks);
void fake_pmu_call_handler(struct perf_event *event);
int fake_pmu_overflow(struct perf_event *event);
int fake_pmu_overflow_throttled(struct perf_event *event);
unsigned int fake_pmu_used(const struct fake_pmu *fake, int cpu);

#endif /* PERFGRP_FAKE_PMU_H */
