/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU that does not exist, so that tests know what it counts.
 *
 * Its events take one slot each, on each CPU. attr.config says what they count:
 *
 *	FAKE_TICKS(n)	n for each tick; ticks are given by fake_pmu_tick()
 *	FAKE_CLOCK(n)	n for each ns that the event is on the PMU, by the clock
 *			from which the perf core takes time_running: an event that
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
/* Is accepted, and never gets on the PMU. */
#define FAKE_FAIL_ADD BIT_ULL(17)
/* Wherever it is asked for, it is counted on CPU 0, as by a PMU of a socket. */
#define FAKE_ON_CPU0 BIT_ULL(18)
/* Is handed on to fake_pmu.forward, as AMD's core PMU hands precise cycles to IBS. */
#define FAKE_FORWARD BIT_ULL(19)
/* Is accepted under a leader of this PMU only, as Intel's topdown metrics are. */
#define FAKE_SIBLING BIT_ULL(20)
/* Is refused with this errno. */
#define FAKE_FAIL_INIT(errno) ((u64)(errno) << 24)

#define FAKE_TICKS(n) ((u64)(n))
#define FAKE_CLOCK(n) (FAKE_IS_CLOCK | (u64)(n))

/* attr.config1 of a PERF_TYPE_RAW event that is meant for fake_pmu.cpus. */
#define FAKE_RAW 0x66616b65ULL

/* A rotation interval that no test lives to see. */
#define FAKE_NO_ROTATION 100000

/**
 * struct fake_pmu - one of them
 * @pmu: as the perf core knows it
 * @name: its name
 * @slots: events that it counts at the same time on a CPU; may be changed
 * @rotation_ms: how often the perf core rotates what is multiplexed
 * @unchecked: groups larger than @slots are accepted, and never get on
 * @cpus: the only CPUs that it counts on, as the PMU of one kind of CPU of several, which
 *	then also counts PERF_TYPE_RAW events with FAKE_RAW in config1; a task's event
 *	for any CPU is accepted, and counts while the task is on one of these. NULL: all
 *	CPUs, and no such events.
 * @hardware: it also counts PERF_TYPE_HARDWARE events; those that name it in the upper
 *	half of attr.config come to no other PMU
 * @forward: which PMU counts events with FAKE_FORWARD
 * @refuse: all events are refused with this errno; 0: none. May be changed.
 * @euid: whose credentials the last event was created with
 * @context: enum perf_event_task_context; takes effect when it is registered
 * @scope: enum perf_pmu_scope, where the kernel has that; takes effect when it is registered
 * @cpumask: what its file "cpumask" says; NULL: no such file of its own
 * @registered: it is
 * @ticks: how many there were
 * @used: slots in use on each CPU
 * @batch: events put on in the transaction under way on each CPU
 * @committed: events that were put on by the last transaction that succeeded
 * @adds: how often an event was put on it
 * @inits: how many events it has accepted, over all
 * @strange_leaders: how many, of those that were released, were linked to a leader on another PMU
 *	or CPU
 * @reads: how often an event was read
 * @strange_reads: how often with interrupts on, or on another CPU than the event's
 * @meet: if not 0, a read ends only when so many have begun, or after half a second
 * @met: reads that have begun since @meet was set; set to 0 with it
 * @missed: reads that have waited in vain
 * @interrupt: what interrupts the driver while it puts an event on, as an NMI may
 * @interrupt_read: what interrupts the driver when it has read an event
 * @interrupt_data: for both
 * @destroyed: among those that fake_pmu_free_destroyed() is to free
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
