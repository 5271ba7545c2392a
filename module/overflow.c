// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow handler: from a counter's overflow to a record.
 *
 * It runs in whatever the overflow has interrupted: NMI where the PMU has it, hard
 * IRQ, the scheduler with its run queue locked, a page fault. It takes no lock,
 * allocates nothing and calls nothing that does. All that it knows of the group is
 * its instance's view (event_array.c), which stays as it is while RCU readers look at
 * it; but for each counter's history, which handlers of this instance alone write,
 * one at a time but for an NMI's, and then both may pass.
 *
 * A sample reads the members as perf_output_read_group() does: those on this CPU's
 * PMU are asked, the one that has overflowed is as its driver has just left it. In
 * an NMI no other PMU is asked: its driver may hold a lock.
 */
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "perfcore.h"
#include "perfgrp.h"

/* Numbers in the header, which needs no <linux/perf_event.h>. */
static_assert(PERFGRP_SAMPLE_TYPE ==
	      (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
	       PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD));
static_assert(PERFGRP_READ_FORMAT ==
	      (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
	       PERF_FORMAT_GROUP));

/**
 * struct sample - an overflow under way
 * @event: that overflowed
 * @group: whose
 * @view: what is known of the instance
 * @index: of the member in @view
 * @clock: the moment
 * @counts: what each member has counted, since its event was created
 * @own: the same of the one that has overflowed, with its times
 */
struct sample {
	struct perf_event *event;
	struct perfgrp_group *group;
	const struct perfgrp_view *view;
	unsigned int index;
	u64 clock;
	struct perfgrp_count own;
	u64 counts[PERFGRP_MAX_MEMBERS];
};

/* -1 where the member is not in the group yet, or any more. */
static int find_entry(const struct perfgrp_view *view, const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < view->nr; i++)
		if (view->entries[i].event == event)
			return i;
	return -1;
}

static void read_members(struct sample *sample)
{
	const struct perfgrp_view *view = sample->view;
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		event = view->entries[i].event;
		sample->counts[i] = event ? perfgrp_core_count_at_overflow(event, sample->event) : 0;
	}
	perfgrp_core_times(sample->event, perfgrp_core_state(sample->event), sample->clock,
			   &sample->own);
}

/* Whether a member has moved far enough since the last record; and notes this one. */
static bool has_moved(struct sample *sample)
{
	const struct perfgrp_view *view = sample->view;
	const struct perfgrp_view_entry *entry;
	bool moved = !view->filters;
	unsigned int i;

	for (i = 0; i < view->nr && !moved; i++) {
		entry = &view->entries[i];
		moved = entry->min_move &&
			sample->counts[i] - READ_ONCE(entry->history->last) >= entry->min_move;
	}
	for (i = 0; i < view->nr && moved && view->filters; i++)
		WRITE_ONCE(view->entries[i].history->last, sample->counts[i]);
	return moved;
}

static void record_throttle(const struct sample *sample, u32 type)
{
	struct perfgrp_records *records = sample->group->sampling->records;
	struct perfgrp_record_throttle *record;
	struct ring_buffer_event *event;

	event = perfgrp_records_reserve(records, sizeof(*record), sample->clock);
	if (!event)
		return;
	record = ring_buffer_event_data(event);
	record->header = (struct perf_event_header){ .type = type, .size = sizeof(*record) };
	record->time = sample->clock;
	record->id = sample->view->entries[sample->index].id;
	record->stream_id = record->id;
	perfgrp_records_fill_trailer(sample->group, record->time, record->id, &record->trailer);
	perfgrp_records_commit(records, event, sizeof(*record));
}

/*
 * The perf core tells nobody but its own buffers. That it has just throttled the
 * counter shows in the event; that it has let it go on, at the next overflow.
 */
static void follow_throttling(const struct sample *sample)
{
	struct perfgrp_history *history = sample->view->entries[sample->index].history;
	bool throttled = perfgrp_core_throttled(sample->event);

	if (READ_ONCE(history->throttled)) {
		WRITE_ONCE(history->throttled, false);
		record_throttle(sample, PERF_RECORD_UNTHROTTLE);
	}
	if (throttled) {
		WRITE_ONCE(history->throttled, true);
		record_throttle(sample, PERF_RECORD_THROTTLE);
	}
}

/* An interrupt that came too late must not show what the counter leaves out. */
static u64 ip_of(const struct perf_event *event, struct pt_regs *regs)
{
	if (event->attr.exclude_kernel && !user_mode(regs))
		return 0;
	return instruction_pointer(regs);
}

static void record_sample(const struct sample *sample, u64 period, struct pt_regs *regs)
{
	const struct perfgrp_sampling *sampling = sample->group->sampling;
	const struct perfgrp_view *view = sample->view;
	const struct perfgrp_view_entry *own = &view->entries[sample->index];
	struct perfgrp_record_sample *record;
	struct ring_buffer_event *event;
	unsigned int i;
	size_t size = struct_size(record, values, view->nr);

	event = perfgrp_records_reserve(sampling->records, size, sample->clock);
	if (!event)
		return;
	record = ring_buffer_event_data(event);
	record->header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.misc = user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		.size = size,
	};
	record->ip = ip_of(sample->event, regs);
	record->pid = perfgrp_records_current_nr(PIDTYPE_TGID, sampling->pid_ns);
	record->tid = perfgrp_records_current_nr(PIDTYPE_PID, sampling->pid_ns);
	record->time = sample->clock;
	record->id = own->id;
	record->cpu = smp_processor_id();
	record->reserved = 0;
	record->period = period;
	record->nr = view->nr;
	record->enabled = own->base.enabled + sample->own.enabled;
	record->running = own->base.running + sample->own.running;
	for (i = 0; i < view->nr; i++) {
		record->values[i].value = view->entries[i].base.count + sample->counts[i];
		record->values[i].id = view->entries[i].id;
	}
	perfgrp_records_commit(sampling->records, event, size);
}

static unsigned int this_instance(const struct perfgrp_group *group)
{
	return group->instance_of ? group->instance_of[smp_processor_id()] : 0;
}

/**
 * perfgrp_overflow - what the perf core calls when a counter has overflowed
 * @event: the counter's event; its context is the group
 * @data: of which the period is used, and what a BPF program looks at
 * @regs: what it has interrupted
 *
 * Any context.
 */
void perfgrp_overflow(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct perfgrp_group *group = event->overflow_handler_context;
	struct sample sample = { .event = event, .group = group };
	const struct perfgrp_attachment *attachment;
	unsigned long flags;
	int index;

	/* Software events come with interrupts on, from some kernels. */
	local_irq_save(flags);
	rcu_read_lock();
	sample.view = perfgrp_view_of(group->views, this_instance(group));
	index = find_entry(sample.view, event);
	if (index < 0)
		goto out;
	sample.index = index;
	sample.clock = perfgrp_core_clock();
	follow_throttling(&sample);
	/* Before the program runs: as they are at the overflow. */
	read_members(&sample);
	attachment = sample.view->entries[index].attachment;
	if ((!attachment || perfgrp_bpf_run(attachment, event, data, regs)) && has_moved(&sample))
		record_sample(&sample, data->period, regs);
	else
		perfgrp_records_filter(group->sampling->records);
out:
	rcu_read_unlock();
	local_irq_restore(flags);
}
