// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow handler: from a counter's overflow to a record.
 *
 * It runs in whatever context the overflow interrupted: NMI if the PMU has one, hard IRQ,
 * the scheduler with the run queue locked, a page fault. Apart from the BPF program, which
 * bpf_run.c runs only where that is safe, it takes no lock, allocates nothing and calls
 * nothing that does. It reaches the group's members only through the event array of its
 * instance (event_array.c), which is constant inside rcu_read_lock(), and the
 * overflow_state of each counter. Once perfgrp_event_arrays_publish() has initialised
 * overflow_state, only handlers on the same instance write it. They run one at a time, except
 * that an NMI may interrupt another handler; then both samples may pass min_delta.
 *
 * In a group without a buffer the handler only runs the BPF program.
 *
 * An inherited event has the overflow handler and handler context of its parent. In INHERIT groups
 * a sample has the counts of the task that overflowed, if the kernel keeps the tasks' contexts
 * apart: see perfgrp_sampling_keep_contexts().
 *
 * A sample reads the members as perf_output_read_group() does: pmu->read(), and the stored count
 * for the event that overflowed, which its driver has just read. Members that cannot be read here
 * (perfgrp_core_read_anywhere()) have no value in the sample.
 */
#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/irq_regs.h>

#include "away.h"
#include "bpf.h"
#include "clock.h"
#include "event_array.h"
#include "group.h"
#include "mapped.h"
#include "overflow.h"
#include "perfcore.h"
#include "perfgrp.h"
#include "records.h"
#include "ring.h"
#include "sampling.h"
#include "value.h"

/* The UAPI header spells these as numbers, so that it needs no <linux/perf_event.h>. */
static_assert(PERFGRP_SAMPLE_TYPE ==
	      (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
	       PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD));
static_assert(PERFGRP_READ_FORMAT ==
	      (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
	       PERF_FORMAT_GROUP));

/**
 * struct sample - an overflow in progress
 * @event: the event that overflowed
 * @data: what the perf core passes to its handler
 * @regs: registers at the overflow
 * @group: its group
 * @ring: where its record goes
 * @irqs_on: interrupts were on when @event overflowed
 * @array: the event array of its instance
 * @index: index of the member in @array
 * @clock: perfgrp_core_clock() at the overflow
 * @time: the same moment on the group's clock
 * @own: what @event has counted since it was created, with its times; 0 if nothing is read
 * @read: bitmap of the members whose event was read at this overflow
 * @counts: what each member of @array has counted since it was created, as of its last read; 0 if
 *	it has no event here. Set by read_members().
 *
 * On the stack of perfgrp_overflow().
 */
struct sample {
	struct perf_event *event;
	struct perf_sample_data *data;
	struct pt_regs *regs;
	struct perfgrp_group *group;
	struct perfgrp_ring *ring;
	bool irqs_on;
	const struct perfgrp_event_array *array;
	unsigned int index;
	u64 clock;
	u64 time;
	struct perfgrp_count own;
	u32 read;
	u64 *counts;
};

static_assert(PERFGRP_MAX_MEMBERS <= 32); /* bits of sample.read */

/*
 * Index in the array of the event, or of its parent if it is inherited; -1 if the event is not
 * published yet, or no longer.
 */
static int find_entry(const struct perfgrp_event_array *array, const struct perf_event *event)
{
	const struct perf_event *own = event->parent ?: event;
	unsigned int i;

	for (i = 0; i < array->nr; i++)
		if (array->entries[i].event == own)
			return i;
	return -1;
}

static void read_member(struct sample *sample, unsigned int index, struct perf_event *event)
{
	if (!event) {
		sample->counts[index] = 0;
		return;
	}
	if (event == sample->event ||
	    perfgrp_core_read_anywhere(event, perfgrp_core_state(event), sample->irqs_on))
		sample->read |= BIT(index);
	sample->counts[index] = local64_read(&event->count);
}

static void read_all(struct sample *sample)
{
	unsigned int i;

	for (i = 0; i < sample->array->nr; i++)
		read_member(sample, i, sample->array->entries[i].event);
}

/*
 * INHERIT: read the events that this task has for the members, inherited or not. All are in the
 * context of the event that overflowed, whose list is the perf core's and protected by RCU.
 */
static void read_own(struct sample *sample)
{
	struct perf_event *event;
	int index;

	list_for_each_entry_rcu(event, &sample->event->ctx->event_list, event_entry) {
		index = find_entry(sample->array, event);
		if (index >= 0)
			read_member(sample, index, event);
	}
}

static void read_members(struct sample *sample)
{
	bool inherits = perfgrp_group_inherits(sample->group);

	/* A task need not have an event for each member. */
	if (inherits)
		memset(sample->counts, 0, sample->array->nr * sizeof(*sample->counts));
	if (inherits && !sample->array->keeps_contexts)
		return;
	if (inherits)
		read_own(sample);
	else
		read_all(sample);
	perfgrp_core_times(sample->event, perfgrp_core_state(sample->event), sample->clock,
			   &sample->own);
}

/* Whether a member has counted at least its min_delta since the last record. */
static bool min_delta_reached(const struct sample *sample)
{
	const struct perfgrp_event_array *array = sample->array;
	const struct perfgrp_event_array_entry *entry;
	unsigned int i;
	u64 last;

	if (!array->filters)
		return true;
	for (i = 0; i < array->nr; i++) {
		entry = &array->entries[i];
		if (!entry->min_delta)
			continue;
		last = READ_ONCE(entry->overflow_state->last);
		if (sample->counts[i] - last >= entry->min_delta)
			return true;
	}
	return false;
}

/* Save the counts that the next overflow is compared with. */
static void save_last_counts(const struct sample *sample)
{
	const struct perfgrp_event_array *array = sample->array;
	unsigned int i;

	if (!array->filters)
		return;
	for (i = 0; i < array->nr; i++)
		WRITE_ONCE(array->entries[i].overflow_state->last, sample->counts[i]);
}

static void output_throttle(const struct sample *sample, u32 type)
{
	struct perfgrp_record_throttle *record;

	record = perfgrp_ring_reserve(sample->ring, sizeof(*record), sample->time);
	if (!record)
		return;
	record->header = (struct perf_event_header){ .type = type, .size = sizeof(*record) };
	record->time = sample->time;
	record->id = sample->array->entries[sample->index].id;
	record->stream_id = record->id;
	perfgrp_records_fill_sample_id(sample->group, record->time, record->id, &record->sample_id);
	perfgrp_records_commit(sample->ring);
}

/*
 * The perf core reports throttling to its own buffers only. Here throttling is seen in
 * hw.interrupts at the overflow, and unthrottling at the event's next overflow. 6.1.192 and
 * 6.12.117 throttle the event that overflowed; 7.3.4 throttles its whole scheduling group
 * (perf_event_throttle_group()). The record has the event that overflowed in either case.
 */
static void output_throttle_change(const struct sample *sample)
{
	struct perfgrp_overflow_state *state = sample->array->entries[sample->index].overflow_state;
	bool throttled = perfgrp_core_throttled(sample->event);

	/* Each task has an event of its own, but they share one overflow_state. */
	if (perfgrp_group_inherits(sample->group))
		return;
	if (READ_ONCE(state->throttled)) {
		WRITE_ONCE(state->throttled, false);
		output_throttle(sample, PERF_RECORD_UNTHROTTLE);
	}
	if (throttled) {
		WRITE_ONCE(state->throttled, true);
		output_throttle(sample, PERF_RECORD_THROTTLE);
	}
}

/* NULL if the group has no call chains. */
static const struct perf_callchain_entry *get_callchain(const struct sample *sample)
{
	if (!sample->group->sample_max_stack)
		return NULL;
	return perfgrp_core_get_callchain(sample->event, sample->data, sample->regs);
}

static size_t callchain_size(const struct perf_callchain_entry *chain)
{
	return chain ? sizeof(u64) + min_t(u64, chain->nr, PERFGRP_MAX_CALLCHAIN) * sizeof(u64) : 0;
}

/* PERF_SAMPLE_CALLCHAIN; @size is callchain_size(). */
static void put_callchain(u64 *to, const struct perf_callchain_entry *chain, size_t size)
{
	if (!size)
		return;
	to[0] = size / sizeof(u64) - 1;
	memcpy(to + 1, chain->ip, size - sizeof(u64));
}

static void output_sample(const struct sample *sample)
{
	const struct perf_callchain_entry *chain = get_callchain(sample);
	const struct perfgrp_event_array *array = sample->array;
	const struct perfgrp_event_array_entry *own = &array->entries[sample->index];
	bool inherits = perfgrp_group_inherits(sample->group);
	unsigned int nr = hweight32(sample->read), i;
	struct perfgrp_count count = sample->own;
	struct perfgrp_sample_value *value;
	struct perfgrp_record_sample *record;
	u16 misc = perfgrp_core_misc_flags(sample->event, sample->regs);
	size_t chain_size = callchain_size(chain);
	size_t size = sizeof(*record) + nr * sizeof(*value) + chain_size;
	u32 pid, tid;

	if (!inherits)
		count = perfgrp_count_add(own->base, sample->own);
	record = perfgrp_ring_reserve(sample->ring, size, sample->time);
	if (!record)
		return;
	if (own->goes_away && !inherits)
		perfgrp_away_adjust(own->away, sample->clock, &count);
	record->header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.misc = misc,
		.size = size,
	};
	record->ip = perfgrp_core_ip(sample->event, sample->regs, misc);
	perfgrp_records_get_current(sample->group, &pid, &tid);
	record->pid = pid;
	record->tid = tid;
	record->time = sample->time;
	record->id = own->id;
	record->cpu = smp_processor_id();
	record->reserved = 0;
	record->period = sample->data->period;
	record->nr = nr;
	record->time_enabled = count.enabled;
	record->time_running = count.running;
	value = (void *)(record + 1);
	for (i = 0; i < array->nr; i++) {
		if (!(sample->read & BIT(i)))
			continue;
		value->value = sample->counts[i] + (inherits ? 0 : array->entries[i].base.count);
		value->id = array->entries[i].id;
		value++;
	}
	put_callchain((u64 *)value, chain, chain_size);
	perfgrp_records_commit(sample->ring);
}

/*
 * Index of this CPU's instance; -1 if the group has none. The perf core may have moved the event
 * here (perf_pmu_migrate_context()) because its own CPU is going offline.
 */
static int this_instance(const struct perfgrp_group *group)
{
	return group->instance_of ? group->instance_of[smp_processor_id()] : 0;
}

/*
 * Whether interrupts were on at the overflow. If @regs are get_irq_regs(), the overflow came as an
 * interrupt, which a CPU takes only with interrupts on, unless it is an NMI.
 */
static bool irqs_were_on(unsigned long flags, const struct pt_regs *regs)
{
	return !in_nmi() && (!irqs_disabled_flags(flags) || regs == get_irq_regs());
}

/**
 * perfgrp_overflow - overflow handler of all sampling events
 * @event: the event; its overflow_handler_context is the group
 * @data: the sample's data. The period and the call chain are used here, a BPF program may use all
 *	of it. The perf core passes the same data to all software events hit at the same time.
 * @regs: registers at the overflow
 *
 * Any context.
 */
void perfgrp_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct perfgrp_group *group = event->overflow_handler_context;
	u64 counts[PERFGRP_MAX_MEMBERS] __uninitialized;
	struct sample sample = { .event = event, .data = data, .regs = regs, .group = group,
				 .counts = counts };
	const struct perfgrp_attachment *attachment;
	unsigned long flags;
	int instance, index;

	/* Some kernels call the handlers of software events with interrupts on. */
	local_irq_save(flags);
	rcu_read_lock();
	instance = this_instance(group);
	if (instance < 0)
		goto out;
	sample.array = perfgrp_event_array_get(group->event_arrays, instance);
	index = find_entry(sample.array, event);
	if (index < 0 || READ_ONCE(sample.array->frozen))
		goto out;
	attachment = sample.array->entries[index].attachment;
	if (!group->sampling) {
		if (attachment)
			perfgrp_bpf_run(attachment, event, data, regs);
		goto out;
	}
	sample.index = index;
	sample.irqs_on = irqs_were_on(flags, regs);
	sample.ring = perfgrp_records_ring(group->sampling->records, instance);
	sample.clock = perfgrp_core_clock();
	sample.time = perfgrp_clock_now(group->clockid);
	output_throttle_change(&sample);
	/* Read before the program runs, so that the values are those at the overflow. */
	read_members(&sample);
	if ((!attachment || perfgrp_bpf_run(attachment, event, data, regs)) &&
	    min_delta_reached(&sample)) {
		save_last_counts(&sample);
		output_sample(&sample);
	} else {
		local64_inc(&sample.ring->filtered);
	}
out:
	if (unlikely(group->mapped) && instance >= 0)
		perfgrp_mapped_write_overflow(&group->mapped->instances[instance],
					      irqs_were_on(flags, regs));
	rcu_read_unlock();
	local_irq_restore(flags);
}
