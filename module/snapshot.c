// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: all values of a group at one moment.
 *
 * The group's lock is held, for reading at least: no member, base or instance
 * changes meanwhile. Any number of snapshots may be under way at once; each has
 * its own memory, and no reader writes to the group.
 *
 * A group of CPUs is read in one cross-call: read_cpu() runs on all its CPUs in
 * parallel, in hard IRQ context with interrupts off, takes no lock, and writes
 * only its own row. A CPU that the call does not reach is offline; its events
 * were taken off before it went, so they can be read from anywhere.
 *
 * A task is read where it runs, in the same way, by a call to that CPU. Where no
 * event of it is on a CPU none can get there while its contexts' locks are held.
 *
 * A value that has counted all the time, as nearly all do, is done when it is read:
 * by all CPUs at once, and nobody goes through it again. The others stand as they
 * were read in their raw and times; what follows from it (bases, scaling, states)
 * is worked out afterwards, with interrupts on.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "perfcore.h"
#include "perfgrp.h"

/* In a row's flags until finish_rows(): not all of its values are done. */
#define ROW_UNFINISHED BIT(31)

/* A value's state until finish_value(): read, with an event that is well. */
#define STATE_READ (~0U)

/**
 * struct reader - what is to be read, and to where
 * @group: from here
 * @rows: one an instance that was ever there; time_after is 0 until it is read
 * @values: its values
 */
struct reader {
	struct perfgrp_group *group;
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
};

/* ---- reading ------------------------------------------------------------- */

/* What has been read, for finish_value(). */
static void store_reading(struct perfgrp_value *value, const struct perf_event *event,
			  const struct perf_event *leader, enum perf_event_state state,
			  const struct perfgrp_count *count)
{
	value->raw = count->count;
	value->time_enabled = count->enabled;
	value->time_running = count->running;
	value->flags = perfgrp_core_value_flags(event, leader);
	if (state == PERF_EVENT_STATE_ERROR)
		value->state = PERFGRP_STATE_FAILED;
	else if (state <= PERF_EVENT_STATE_EXIT)
		value->state = PERFGRP_STATE_EXITED;
	else
		value->state = STATE_READ;
}

/* Has counted all the time: done. */
static void store_counted(struct perfgrp_value *value,
			  const struct perfgrp_member_instance *counter,
			  const struct perf_event *leader, const struct perfgrp_count *count)
{
	value->state = PERFGRP_STATE_COUNTED;
	value->flags = PERFGRP_VALUE_SCALED | perfgrp_core_value_flags(counter->event, leader);
	value->pmu = counter->pmu;
	value->raw = count->count;
	value->scaled = count->count;
	value->time_enabled = count->enabled;
	value->time_running = count->running;
}

static void begin_value(struct perfgrp_value *value, const struct perfgrp_member *member)
{
	*value = (struct perfgrp_value){ .id = member->id };
}

static void begin_row(const struct perfgrp_group *group, const struct perfgrp_instance *instance,
		      struct perfgrp_row *row)
{
	row->cpu = instance->cpu;
	row->flags = perfgrp_instance_usable(instance) ? 0 : PERFGRP_ROW_OFFLINE;
	row->first_value = instance->row * group->nr_members;
	row->nr_values = group->nr_members;
	row->epoch = instance->epoch;
	row->nr_cpus = 1;
	row->time_before = ktime_get_mono_fast_ns();
}

/* Interrupts are off, and the instance's events are here or nowhere. */
static void read_instance(const struct reader *reader, unsigned int instance, u32 row_flags)
{
	const struct perfgrp_group *group = reader->group;
	struct perfgrp_row *row = &reader->rows[group->instances[instance].row];
	const struct perf_event *leader = NULL;
	const struct perfgrp_member_instance *counter;
	struct perfgrp_count count, sum;
	u32 unfinished = 0, offline;
	enum perf_event_state state;
	struct perfgrp_value *value;
	unsigned int i;
	u64 clock;

	begin_row(group, &group->instances[instance], row);
	row->flags |= row_flags;
	offline = row->flags;
	value = &reader->values[row->first_value];
	clock = perfgrp_core_clock();
	for (i = 0; i < group->nr_members; i++, value++) {
		counter = &group->members[i]->instances[instance];
		if (i == 0)
			leader = counter->event;
		if (!counter->event) {
			begin_value(value, group->members[i]);
			unfinished = ROW_UNFINISHED;
			continue;
		}
		value->id = group->members[i]->id;
		state = perfgrp_core_read(counter->event, clock, &count);
		sum = perfgrp_count_add(counter->base, count);
		if (likely(state >= PERF_EVENT_STATE_OFF && sum.running == sum.enabled &&
			   sum.running && !offline)) {
			store_counted(value, counter, leader, &sum);
		} else {
			store_reading(value, counter->event, leader, state, &count);
			unfinished = ROW_UNFINISHED;
		}
	}
	row->flags |= unfinished;
	row->time_after = ktime_get_mono_fast_ns();
}

static void read_cpu(void *info)
{
	const struct reader *reader = info;

	read_instance(reader, reader->group->instance_of[smp_processor_id()], 0);
}

/* One CPU needs none of what it takes to call many, and this one no call. */
static void read_one_cpu(const struct reader *reader)
{
	int cpu = reader->group->instances[0].cpu;

	if (cpu == get_cpu()) {
		local_irq_disable();
		read_instance(reader, 0, 0);
		local_irq_enable();
	} else {
		smp_call_function_single(cpu, read_cpu, (void *)reader, true);
	}
	put_cpu();
}

static void read_cpus(const struct reader *reader)
{
	struct perfgrp_group *group = reader->group;
	unsigned int i;

	if (group->nr_instances > 1)
		on_each_cpu_mask(group->cpus, read_cpu, (void *)reader, true);
	else if (group->instances[0].live)
		read_one_cpu(reader);

	for (i = 0; i < group->nr_instances; i++) {
		const struct perfgrp_instance *instance = &group->instances[i];
		struct perfgrp_row *row = &reader->rows[instance->row];

		if (!instance->seen || row->time_after)
			continue;
		local_irq_disable();
		read_instance(reader, i, PERFGRP_ROW_OFFLINE);
		local_irq_enable();
	}
}

/* An event of the task that is on a CPU now; NULL where none is. */
static struct perf_event *active_event(struct perfgrp_group *group)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		event = group->members[i]->instances[0].event;
		if (event && READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
			return event;
	}
	return NULL;
}

/* On the CPU where the task was seen; if it still is, it stays while this runs. */
static void read_running_task(void *info)
{
	const struct reader *reader = info;
	const struct perf_event *event = active_event(reader->group);

	if (event && READ_ONCE(event->oncpu) == smp_processor_id())
		read_instance(reader, 0, 0);
}

/*
 * Two for a task on 6.1, where software and hardware events have contexts of their
 * own, else one. Those of a counter that is not inherited never change.
 */
static void find_contexts(struct perfgrp_group *group, struct perf_event_context *ctxs[2])
{
	struct perf_event_context *ctx;
	unsigned int i;

	ctxs[0] = group->members[0]->instances[0].event->ctx;
	ctxs[1] = NULL;
	for (i = 1; i < group->nr_members; i++) {
		ctx = group->members[i]->instances[0].event->ctx;
		if (ctx != ctxs[0])
			ctxs[1] = ctx;
	}
	/* The order in which all that take both take them. */
	if (ctxs[1] && ctxs[1] < ctxs[0])
		swap(ctxs[0], ctxs[1]);
}

/* Events get on and off a CPU with their context's lock held. */
static void read_sleeping_task(const struct reader *reader)
{
	struct perf_event_context *ctxs[2];
	unsigned long flags;

	find_contexts(reader->group, ctxs);
	raw_spin_lock_irqsave(&ctxs[0]->lock, flags);
	if (ctxs[1])
		raw_spin_lock_nested(&ctxs[1]->lock, SINGLE_DEPTH_NESTING);

	if (!active_event(reader->group))
		read_instance(reader, 0, 0);

	if (ctxs[1])
		raw_spin_unlock(&ctxs[1]->lock);
	raw_spin_unlock_irqrestore(&ctxs[0]->lock, flags);
}

static int read_task(const struct reader *reader)
{
	struct perfgrp_group *group = reader->group;
	struct perf_event *event;
	int cpu;

	if (!group->nr_members) {
		local_irq_disable();
		read_instance(reader, 0, 0);
		local_irq_enable();
		return 0;
	}
	/* Each round that fails means that the task was switched just then. */
	while (!reader->rows[0].time_after) {
		event = active_event(group);
		cpu = event ? READ_ONCE(event->oncpu) : -1;
		if (!event)
			read_sleeping_task(reader);
		else if (cpu >= 0)
			smp_call_function_single(cpu, read_running_task, (void *)reader, true);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/*
 * Inherited counters are added up by the perf core, one at a time. Where one's own
 * event is says nothing of the children: a swap of contexts may have taken it to
 * one of them.
 */
static void read_inherited(const struct reader *reader)
{
	struct perfgrp_group *group = reader->group;
	struct perf_event *leader = NULL, *event;
	struct perfgrp_value *value = reader->values;
	struct perfgrp_count count;
	unsigned int i;
	bool final;

	begin_row(group, &group->instances[0], &reader->rows[0]);
	reader->rows[0].flags |= ROW_UNFINISHED;
	for (i = 0; i < group->nr_members; i++, value++) {
		begin_value(value, group->members[i]);
		event = group->members[i]->instances[0].event;
		if (i == 0)
			leader = event;
		if (!event)
			continue;
		final = perfgrp_core_read_inherited(event, &count);
		store_reading(value, event, leader,
			      final ? PERF_EVENT_STATE_EXIT : PERF_EVENT_STATE_ACTIVE, &count);
	}
	reader->rows[0].time_after = ktime_get_mono_fast_ns();
}

/* ---- what follows from the readings -------------------------------------- */

/* While an exec is to enable it the events themselves are off. */
static bool is_frozen(const struct perfgrp_group *group)
{
	return perfgrp_group_inherits(group) && !group->enabled && !group->enable_on_exec;
}

/* Whether all that a row has read is final. */
static bool all_exited(const struct perfgrp_group *group, const struct perfgrp_value *values)
{
	unsigned int m;

	for (m = 0; m < group->nr_members; m++)
		if (values[m].state != PERFGRP_STATE_EXITED)
			return false;
	return group->nr_members;
}

static struct perfgrp_count value_count(const struct perfgrp_value *value)
{
	return (struct perfgrp_count){
		.count = value->raw,
		.enabled = value->time_enabled,
		.running = value->time_running,
	};
}

static void finish_value(const struct perfgrp_group *group,
			 const struct perfgrp_member_instance *counter, struct perfgrp_row *row,
			 struct perfgrp_value *value)
{
	u32 state = value->state, flags = value->flags;
	struct perfgrp_count count = perfgrp_count_add(counter->base, value_count(value));

	if (is_frozen(group))
		count = counter->frozen;
	perfgrp_value_fill(value, &count);
	value->flags |= flags;
	value->pmu = counter->pmu;

	if (row->flags & PERFGRP_ROW_OFFLINE)
		value->state = PERFGRP_STATE_OFFLINE;
	else if (row->flags & PERFGRP_ROW_EXITED)
		value->state = PERFGRP_STATE_EXITED;
	else if (state != STATE_READ && state != PERFGRP_STATE_EXITED)
		value->state = PERFGRP_STATE_FAILED;

	if (value->state == PERFGRP_STATE_FAILED)
		row->flags |= PERFGRP_ROW_FAILED;
}

/* A NO_MUX group is on the PMUs as a whole, or it has failed as a whole. */
static void fail_row(const struct perfgrp_row *row, struct perfgrp_value *values)
{
	unsigned int m;

	for (m = 0; m < row->nr_values; m++)
		values[m].state = PERFGRP_STATE_FAILED;
}

static void finish_rows(const struct perfgrp_group *group, struct perfgrp_snap *snap)
{
	struct perfgrp_value *value;
	unsigned int i, m;

	for (i = 0; i < group->nr_instances; i++) {
		const struct perfgrp_instance *instance = &group->instances[i];
		struct perfgrp_row *row = &snap->rows[instance->row];

		if (!instance->seen)
			continue;
		snap->time_before = min(snap->time_before, row->time_before);
		snap->time_after = max(snap->time_after, row->time_after);
		if (!(row->flags & ROW_UNFINISHED))
			continue;
		row->flags &= ~ROW_UNFINISHED;
		value = &snap->values[row->first_value];
		/* An exit that is under way has not happened yet. */
		if (group->task && all_exited(group, value))
			row->flags |= PERFGRP_ROW_EXITED;
		for (m = 0; m < group->nr_members; m++, value++)
			if (value->state != PERFGRP_STATE_COUNTED)
				finish_value(group, &group->members[m]->instances[i], row, value);
		if (group->flags & PERFGRP_CREATE_NO_MUX && row->flags & PERFGRP_ROW_FAILED)
			fail_row(row, &snap->values[row->first_value]);
	}
}

/* ---- totals -------------------------------------------------------------- */

/* A value whose PMU was never known goes with any. */
static bool same_pmus(const struct perfgrp_value *a, const struct perfgrp_value *b, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (a[i].pmu != b[i].pmu && a[i].pmu != PERFGRP_NONE && b[i].pmu != PERFGRP_NONE)
			return false;
	return true;
}

static struct perfgrp_row *total_for(struct perfgrp_row *rows, struct perfgrp_value *values,
				     unsigned int *nr, const struct perfgrp_value *of,
				     unsigned int nr_members, bool mix)
{
	struct perfgrp_row *row;
	unsigned int i;

	for (i = 0; i < *nr; i++)
		if (mix || same_pmus(&values[rows[i].first_value], of, nr_members))
			return &rows[i];

	row = &rows[(*nr)++];
	*row = (struct perfgrp_row){
		.cpu = -1,
		.flags = PERFGRP_ROW_TOTAL,
		.first_value = i * nr_members,
		.nr_values = nr_members,
		.time_before = U64_MAX,
	};
	for (i = 0; i < nr_members; i++)
		values[row->first_value + i] = (struct perfgrp_value){
			.id = of[i].id,
			.pmu = of[i].pmu,
		};
	return row;
}

/* Adds up @snap's rows into the room behind them, and lets it show these. */
static void sum_rows(struct perfgrp_snap *snap, unsigned int nr_members, bool mix)
{
	struct perfgrp_row *rows = snap->rows + snap->nr_rows, *total, *row;
	struct perfgrp_value *values = snap->values + snap->nr_values;
	unsigned int nr = 0, i, m;

	for (i = 0; i < snap->nr_rows; i++) {
		row = &snap->rows[i];
		total = total_for(rows, values, &nr, &snap->values[row->first_value], nr_members,
				  mix);
		for (m = 0; m < nr_members; m++)
			perfgrp_value_add(&values[total->first_value + m],
					  &snap->values[row->first_value + m]);
		total->nr_cpus += row->nr_cpus;
		total->flags |= row->flags & PERFGRP_ROW_FAILED;
		total->time_before = min(total->time_before, row->time_before);
		total->time_after = max(total->time_after, row->time_after);
	}
	snap->rows = rows;
	snap->values = values;
	snap->nr_rows = nr;
	snap->nr_values = nr * nr_members;
}

/* ---- the whole ----------------------------------------------------------- */

/**
 * struct perfgrp_snap_buffer - memory for one snapshot
 * @size: of @values and what follows them
 * @values: the values an instance, those of the totals, the rows
 */
struct perfgrp_snap_buffer {
	size_t size;
	struct perfgrp_value values[];
};

/* The group keeps the last one that was used, so that a lone reader allocates nothing. */
static struct perfgrp_snap_buffer *snap_buffer_get(struct perfgrp_group *group, size_t size)
{
	struct perfgrp_snap_buffer *buffer = xchg(&group->snap_cache, NULL);

	if (buffer && buffer->size >= size)
		return buffer;
	kvfree(buffer);
	buffer = kvmalloc(struct_size(buffer, values, 0) + size, GFP_KERNEL_ACCOUNT);
	if (buffer)
		buffer->size = size;
	return buffer;
}

/* Only the marks that a row was not read are set; reading it fills in all else. */
static int snap_init(struct perfgrp_group *group, bool totals, struct perfgrp_snap *snap)
{
	size_t nr_rows = group->nr_rows, nr_values = nr_rows * group->nr_members;
	size_t copies = totals ? 2 : 1;
	struct perfgrp_snap_buffer *buffer;
	size_t i;

	buffer = snap_buffer_get(group, copies * (nr_rows * sizeof(struct perfgrp_row) +
						  nr_values * sizeof(struct perfgrp_value)));
	if (!buffer)
		return -ENOMEM;
	snap->group = group;
	snap->buffer = buffer;
	snap->values = buffer->values;
	snap->rows = (void *)(buffer->values + copies * nr_values);
	snap->nr_rows = nr_rows;
	snap->nr_values = nr_values;
	snap->time_before = U64_MAX;
	snap->time_after = 0;
	for (i = 0; i < nr_rows; i++)
		snap->rows[i].time_after = 0;
	return 0;
}

/**
 * perfgrp_snapshot_take - read a whole group
 * @group: the group; the lock is held, for reading at least
 * @flags: PERFGRP_SNAPSHOT_*; RESET is not done here
 * @snap: what was read; to be freed with perfgrp_snapshot_free()
 *
 * May sleep.
 *
 * Return: 0, -ENOMEM, or -EINTR on a fatal signal.
 */
int perfgrp_snapshot_take(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap)
{
	struct reader reader = { .group = group };
	int ret = 0;

	lockdep_assert_held(&group->lock);

	ret = snap_init(group, flags & PERFGRP_SNAPSHOT_TOTALS, snap);
	if (ret)
		return ret;

	reader.rows = snap->rows;
	reader.values = snap->values;
	if (group->instance_of)
		read_cpus(&reader);
	else if (perfgrp_group_inherits(group))
		read_inherited(&reader);
	else
		ret = read_task(&reader);
	if (ret) {
		perfgrp_snapshot_free(snap);
		return ret;
	}

	finish_rows(group, snap);
	if (flags & PERFGRP_SNAPSHOT_TOTALS)
		sum_rows(snap, group->nr_members, flags & PERFGRP_SNAPSHOT_MIX_PMUS);
	return 0;
}

/**
 * perfgrp_snapshot_reset - take away from the group what a snapshot has read
 * @group: the group; the lock has been held for writing since before the snapshot
 * @snap: of perfgrp_snapshot_take()
 *
 * What was counted since then stays, so that no event is lost between the two.
 */
void perfgrp_snapshot_reset(struct perfgrp_group *group, const struct perfgrp_snap *snap)
{
	const struct perfgrp_value *values = snap->buffer->values;
	struct perfgrp_count *from;
	struct perfgrp_member_instance *counter;
	unsigned int i, m;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_instances; i++) {
		if (!group->instances[i].seen)
			continue;
		for (m = 0; m < group->nr_members; m++) {
			counter = &group->members[m]->instances[i];
			from = is_frozen(group) ? &counter->frozen : &counter->base;
			*from = perfgrp_count_sub(*from,
						  value_count(&values[group->instances[i].row *
									      group->nr_members +
								      m]));
		}
	}
	perfgrp_event_arrays_publish(group);
}

void perfgrp_snapshot_free(struct perfgrp_snap *snap)
{
	if (cmpxchg(&snap->group->snap_cache, NULL, snap->buffer))
		kvfree(snap->buffer);
}
