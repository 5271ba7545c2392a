// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: all values of a group at one moment.
 *
 * perfgrp_group.lock is held, at least for reading, so members, bases and instances do not
 * change meanwhile. Any number of snapshots may be in progress at once; each has its own
 * memory, and no reader writes to the group.
 *
 * A group of CPUs is read with one cross-call: read_cpu() runs on all its CPUs in
 * parallel, in hard IRQ context with interrupts off, takes no lock, and writes only the CPU's
 * row. A CPU that the call does not reach is offline. Its events were scheduled out
 * before it went offline (perf_event_exit_cpu_context()), so they can be read from any CPU.
 *
 * A task is read in the same way by a call to the CPU that it runs on. If none of its
 * events is on a CPU, they are read with their contexts' locks held, so that none can get
 * on one meanwhile.
 *
 * fdinfo uses peek(), which reads what is in memory and interrupts no CPU.
 *
 * Each CPU reads a counter into a struct perfgrp_reading and fills in the value from that (row.h).
 * Afterwards row.c sets what depends on all values of a row.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "away.h"
#include "cgroup.h"
#include "clock.h"
#include "counter.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "instance_call.h"
#include "mapped.h"
#include "perfcore.h"
#include "row.h"
#include "snapshot.h"
#include "split.h"
#include "value.h"

/**
 * struct reader - a snapshot in progress
 * @group: the group to read
 * @rows: one per instance that has ever been live; nr_cpus is 0 until it is read, and never
 *	afterwards
 * @values: the values of @rows
 * @cached: rows that were recent enough have been taken from the mapped rows
 *
 * Constant while CPUs read. Each CPU writes only its own row and that row's values.
 */
struct reader {
	struct perfgrp_group *group;
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	bool cached;
};

/* ---- reading ------------------------------------------------------------- */

static struct perfgrp_row *row_of(const struct reader *reader, unsigned int instance)
{
	return &reader->rows[reader->group->instances[instance].row];
}

/* Interrupts are off, and the instance's events are on this CPU or on none. */
static void read_instance(const struct reader *reader, unsigned int instance, u32 row_flags)
{
	const struct perfgrp_group *group = reader->group;
	struct perfgrp_row *row = row_of(reader, instance);
	const struct perfgrp_member_instance *counter;
	const struct perfgrp_member *member;
	struct perfgrp_value *value;
	struct perfgrp_reading reading;
	u32 flags = 0;
	unsigned int i;
	u64 clock;

	perfgrp_row_begin(group, &group->instances[instance], row);
	row_flags |= row->flags;
	row->flags = row_flags;
	value = &reader->values[row->first_value];
	clock = perfgrp_core_clock();
	for (i = 0; i < group->nr_members; i++, value++) {
		member = group->members[i];
		counter = &member->instances[instance];
		perfgrp_row_read(group, counter->event, clock, true, &reading);
		perfgrp_row_adjust(&counter->base, counter->goes_away, counter->away, clock,
				   &reading);
		perfgrp_row_fill_value(member->id, counter->sched_group, counter->pmu, &reading,
				       row_flags, value);
		flags |= value->flags;
	}
	perfgrp_row_add_flags(row, flags);
	row->time_after = perfgrp_clock_now(group->clockid);
}

/*
 * read_instance(), which also writes the row to its mapped slot. Become the slot's writer before
 * reading, so that no newer row is overwritten; if there is a writer already, leave the slot to it.
 */
static void read_mapped(const struct reader *reader, unsigned int instance, u32 row_flags)
{
	struct perfgrp_group *group = reader->group;
	const struct perfgrp_mapped_instance *to = &group->mapped->instances[instance];
	bool writes = perfgrp_mapped_write_begin(to->slot);
	bool removed = perfgrp_cgroup_removed(group);
	const struct perfgrp_row *row = row_of(reader, instance);

	read_instance(reader, instance, row_flags);
	if (!writes)
		return;
	perfgrp_mapped_copy_row(to, removed, row, &reader->values[row->first_value]);
	perfgrp_mapped_write_end(to->slot);
}

static __always_inline void read_here(const struct reader *reader, unsigned int instance,
				      u32 row_flags)
{
	if (unlikely(reader->group->mapped))
		read_mapped(reader, instance, row_flags);
	else
		read_instance(reader, instance, row_flags);
}

/**
 * struct instance_reader - an instance that is to be read while its events stay where they are
 * @reader: the snapshot
 * @instance: index of the instance
 *
 * On the caller's stack.
 */
struct instance_reader {
	const struct reader *reader;
	unsigned int instance;
};

static void read_one(void *info)
{
	const struct instance_reader *one = info;

	read_here(one->reader, one->instance, 0);
}

static void read_cpu(void *info)
{
	const struct reader *reader = info;

	read_here(reader, reader->group->instance_of[smp_processor_id()], 0);
}

/* Fast path: no cpumask walk, no IPI for the local CPU. */
static void read_one_cpu(const struct reader *reader)
{
	int cpu = reader->group->instances[0].cpu;

	if (cpu == get_cpu()) {
		local_irq_disable();
		read_here(reader, 0, 0);
		local_irq_enable();
	} else {
		smp_call_function_single(cpu, read_cpu, (void *)reader, true);
	}
	put_cpu();
}

static bool is_unread(int cpu, void *info)
{
	const struct reader *reader = info;

	return !row_of(reader, reader->group->instance_of[cpu])->nr_cpus;
}

/* PERFGRP_SNAPSHOT_CACHED: take the mapped rows that are recent enough, so need not be read. */
static void take_cached(const struct reader *reader, u64 not_before)
{
	struct perfgrp_group *group = reader->group;
	struct perfgrp_row *row;
	unsigned int i;

	for (i = 0; i < group->nr_instances; i++) {
		if (!group->instances[i].seen)
			continue;
		row = row_of(reader, i);
		row->first_value = group->instances[i].row * group->nr_members;
		if (!perfgrp_mapped_get_row(group->mapped, i, not_before, row,
					    &reader->values[row->first_value], group->nr_members))
			row->nr_cpus = 0;
	}
}

/*
 * The earliest time that a cached row may have. If the clock can be set back, a row's time says
 * nothing about its age, so no row is accepted.
 */
static u64 oldest(const struct perfgrp_group *group, u64 max_age)
{
	u64 now;

	if (group->clockid == CLOCK_REALTIME || group->clockid == CLOCK_TAI)
		return U64_MAX;
	now = perfgrp_clock_now(group->clockid);
	return now > max_age ? now - max_age : 0;
}

/*
 * Most CPUs run no task of a given cgroup, and its events there cannot get on the PMU while their
 * context is locked. So those CPUs are read from here, and only the others are interrupted.
 */
static void read_absent(const struct reader *reader)
{
	struct perfgrp_group *group = reader->group;
	struct instance_reader one = { .reader = reader };

	for (; one.instance < group->nr_instances && group->nr_members; one.instance++)
		if (group->instances[one.instance].live && !row_of(reader, one.instance)->nr_cpus)
			perfgrp_call_if_off(group, one.instance, read_one, &one);
}

/* Interrupt only the CPUs that must be. */
static void read_some_cpus(const struct reader *reader)
{
	struct perfgrp_group *group = reader->group;

	if (group->cgroup)
		read_absent(reader);
	on_each_cpu_cond_mask(is_unread, read_cpu, (void *)reader, true, group->cpus);
}

static void read_cpus(const struct reader *reader)
{
	struct perfgrp_group *group = reader->group;
	unsigned int i;

	if (unlikely(group->cgroup || reader->cached))
		read_some_cpus(reader);
	else if (group->nr_instances > 1)
		on_each_cpu_mask(group->cpus, read_cpu, (void *)reader, true);
	else if (group->instances[0].live)
		read_one_cpu(reader);

	for (i = 0; i < group->nr_instances; i++) {
		if (!group->instances[i].seen || row_of(reader, i)->nr_cpus)
			continue;
		local_irq_disable();
		read_here(reader, i, PERFGRP_ROW_OFFLINE);
		local_irq_enable();
	}
}

static int read_task(const struct reader *reader)
{
	struct instance_reader task = { .reader = reader };

	if (reader->rows[0].nr_cpus)
		return 0;
	if (!reader->group->nr_members) {
		local_irq_disable();
		read_here(reader, 0, 0);
		local_irq_enable();
		return 0;
	}
	return perfgrp_call_on_task(reader->group, true, read_one, &task) ? 0 : -EINTR;
}

/*
 * The perf core adds up an inherited counter and its children, one counter after the
 * other. The state of a counter's own event says nothing about the children: if contexts were
 * swapped, a child may have the event.
 */
static void read_inherited_counter(const struct perfgrp_member_instance *counter, bool peek,
				   struct perfgrp_reading *reading)
{
	bool final;

	*reading = (struct perfgrp_reading){ .state = PERF_EVENT_STATE_ERROR };
	if (!counter->event) {
		reading->count = counter->base;
		return;
	}
	final = perfgrp_counter_read_inherited(counter, peek, &reading->count);
	if (!perfgrp_core_is_revoked(counter->event))
		reading->state = final ? PERF_EVENT_STATE_EXIT : PERF_EVENT_STATE_ACTIVE;
	reading->throttled = perfgrp_core_throttled_inherited(counter->event);
}

static void read_inherited(const struct reader *reader, bool peek)
{
	struct perfgrp_group *group = reader->group;
	struct perfgrp_value *value = reader->values;
	const struct perfgrp_member_instance *counter;
	struct perfgrp_row *row = &reader->rows[0];
	struct perfgrp_reading reading;
	u32 flags = 0;
	unsigned int i;

	perfgrp_row_begin(group, &group->instances[0], row);
	for (i = 0; i < group->nr_members; i++, value++) {
		counter = &group->members[i]->instances[0];
		read_inherited_counter(counter, peek, &reading);
		if (perfgrp_group_is_frozen(group))
			reading.count = counter->frozen;
		perfgrp_row_fill_value(group->members[i]->id, counter->sched_group, counter->pmu,
				       &reading, row->flags, value);
		flags |= value->flags;
	}
	perfgrp_row_add_flags(row, flags);
	row->time_after = perfgrp_clock_now(group->clockid);
}

/* ---- peeking: no CPU is interrupted ---------------------------------------- */

/*
 * An event on another CPU may be scheduled between the reads of its enabled and its running time.
 * Then the latter may be longer; limit it.
 */
static void settle_times(struct perfgrp_value *value)
{
	struct perfgrp_count count = {
		.count = value->raw,
		.enabled = value->time_enabled,
		.running = min(value->time_running, value->time_enabled),
	};
	u32 flags = value->flags & ~(PERFGRP_VALUE_SCALED | PERFGRP_VALUE_SATURATED);

	if (value->time_running <= value->time_enabled)
		return;
	perfgrp_value_fill(value, &count);
	value->flags |= flags;
}

/* PERFGRP_SNAP_PEEK: read from this CPU, whatever CPU an event is on. */
static void peek(const struct reader *reader, unsigned int nr_values)
{
	struct perfgrp_group *group = reader->group;
	unsigned int i;

	if (perfgrp_group_inherits(group)) {
		read_inherited(reader, true);
		return;
	}
	for (i = 0; i < group->nr_instances; i++) {
		if (!group->instances[i].seen)
			continue;
		local_irq_disable();
		read_instance(reader, i, 0);
		local_irq_enable();
	}
	for (i = 0; i < nr_values; i++)
		settle_times(&reader->values[i]);
}

/* ---- all rows -------------------------------------------------------------- */

/* @removed: the cgroup was removed before it was read. */
static void finish_rows(const struct perfgrp_group *group, struct perfgrp_snap *snap, bool removed)
{
	struct perfgrp_row *row;
	unsigned int i;

	for (i = 0; i < snap->nr_rows; i++) {
		row = &snap->rows[i];
		snap->time_before = min(snap->time_before, row->time_before);
		snap->time_after = max(snap->time_after, row->time_after);
		perfgrp_row_finish(group, row, &snap->values[row->first_value], removed);
	}
}

/* Sum the rows into the memory behind them, and replace the snapshot's rows with the sums. */
static void sum_rows(struct perfgrp_snap *snap, unsigned int nr_members, bool mix)
{
	struct perfgrp_row *totals = snap->rows + snap->nr_rows;
	struct perfgrp_value *values = snap->values + snap->nr_values;

	snap->nr_rows = perfgrp_row_sum(snap->rows, snap->nr_rows, snap->values, nr_members, mix,
					totals, values);
	snap->nr_values = snap->nr_rows * nr_members;
	snap->rows = totals;
	snap->values = values;
}

/* ---- taking a snapshot --------------------------------------------------- */

/**
 * struct perfgrp_snap_buffer - memory for one snapshot
 * @size: bytes of @values and what follows them
 * @values: the values of all rows, then those of the totals if they are requested, then
 *	the rows of both
 *
 * Owned by one snapshot, or by the group (perfgrp_group.snap_cache).
 */
struct perfgrp_snap_buffer {
	size_t size;
	struct perfgrp_value values[];
};

/* perfgrp_group.snap_cache has the last one used, so that a single reader does not allocate. */
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

static __always_inline int snap_alloc(struct perfgrp_group *group, size_t nr_rows,
				      struct perfgrp_snap *snap)
{
	size_t nr_values = nr_rows * group->nr_members;
	size_t size = nr_rows * sizeof(struct perfgrp_row) +
		      nr_values * sizeof(struct perfgrp_value);
	struct perfgrp_snap_buffer *buffer;

	buffer = snap_buffer_get(group, size);
	if (!buffer)
		return -ENOMEM;
	snap->group = group;
	snap->generation = group->generation;
	snap->buffer = buffer;
	snap->values = buffer->values;
	snap->rows = (void *)(buffer->values + nr_values);
	snap->nr_rows = nr_rows;
	snap->nr_values = nr_values;
	snap->time_before = U64_MAX;
	snap->time_after = 0;
	/* The group's only CPU went offline before it was ever live. */
	if (unlikely(!nr_rows)) {
		snap->time_before = perfgrp_clock_now(group->clockid);
		snap->time_after = snap->time_before;
	}
	return 0;
}

/**
 * perfgrp_snapshot_alloc - make room for a snapshot
 * @group: the group; the lock is held, for reading at least
 * @nr_rows: its rows, each with all members
 * @snap: set; the rows and values are not
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_snapshot_alloc(struct perfgrp_group *group, size_t nr_rows, struct perfgrp_snap *snap)
{
	size_t row_size = sizeof(struct perfgrp_row) +
			  group->nr_members * sizeof(struct perfgrp_value);

	/* kvmalloc() would warn about such a size, which the user's cgroups and CPUs can cause. */
	if (nr_rows > (INT_MAX - sizeof(struct perfgrp_snap_buffer)) / row_size)
		return -ENOMEM;
	return snap_alloc(group, nr_rows, snap);
}

/* Sets nr_cpus of all rows to 0, which marks them as not read; reading fills in the rest. */
static int snap_init(struct perfgrp_group *group, bool totals, struct perfgrp_snap *snap,
		     struct reader *reader)
{
	unsigned int i;
	int ret;

	ret = snap_alloc(group, (totals ? 2 : 1) * (size_t)group->nr_rows, snap);
	if (ret)
		return ret;
	snap->nr_rows = group->nr_rows;
	snap->nr_values = group->nr_rows * group->nr_members;
	for (i = 0; i < snap->nr_rows; i++)
		snap->rows[i].nr_cpus = 0;

	reader->rows = snap->rows;
	reader->values = snap->values;
	return 0;
}

/**
 * perfgrp_snapshot_take - read all counters of a group
 * @group: the group; the lock is held, for reading at least
 * @flags: PERFGRP_SNAPSHOT_*, PERFGRP_SNAP_PEEK; RESET is not done here
 * @max_age: with PERFGRP_SNAPSHOT_CACHED, of a group that is mapped: ns
 * @snap: set; to be freed with perfgrp_snapshot_free()
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0, -ENOMEM, or -EINTR on a fatal signal.
 */
int perfgrp_snapshot_take(struct perfgrp_group *group, u32 flags, u64 max_age,
			  struct perfgrp_snap *snap, struct perfgrp_error *err)
{
	/* Checked before reading, so that values that are reported as final are. */
	bool removed = perfgrp_cgroup_removed(group);
	struct reader reader = { .group = group };
	int ret = 0;

	lockdep_assert_held(&group->lock);

	if (unlikely(group->split) && !(flags & PERFGRP_SNAP_PEEK))
		return perfgrp_split_snapshot(group, flags, snap, err);
	ret = snap_init(group, flags & PERFGRP_SNAPSHOT_TOTALS, snap, &reader);
	if (ret)
		return perfgrp_fail_memory(err);

	if (unlikely(flags & PERFGRP_SNAPSHOT_CACHED)) {
		reader.cached = true;
		/* Rows of a removed cgroup are final; one that is not at rest may be older. */
		take_cached(&reader, removed ? U64_MAX : oldest(group, max_age));
	}
	if (unlikely(flags & PERFGRP_SNAP_PEEK))
		peek(&reader, snap->nr_values);
	else if (group->instance_of)
		read_cpus(&reader);
	else if (perfgrp_group_inherits(group))
		read_inherited(&reader, false);
	else
		ret = read_task(&reader);
	if (ret) {
		perfgrp_snapshot_free(snap);
		return perfgrp_fail(err, ret, PERFGRP_REASON_NONE, "", "interrupted");
	}

	finish_rows(group, snap, removed);
	if (flags & PERFGRP_SNAPSHOT_TOTALS)
		sum_rows(snap, group->nr_members, flags & PERFGRP_SNAPSHOT_MIX_PMUS);
	return 0;
}

static struct perfgrp_count value_count(const struct perfgrp_value *value)
{
	return (struct perfgrp_count){
		.count = value->raw,
		.enabled = value->time_enabled,
		.running = value->time_running,
	};
}

static void subtract(struct perfgrp_group *group, const struct perfgrp_snap *snap)
{
	const struct perfgrp_value *values = snap->buffer->values;
	struct perfgrp_member_instance *counter;
	struct perfgrp_count *from;
	unsigned int i, m;

	for (i = 0; i < group->nr_instances; i++) {
		if (!group->instances[i].seen)
			continue;
		for (m = 0; m < group->nr_members; m++) {
			counter = &group->members[m]->instances[i];
			from = perfgrp_group_is_frozen(group) ? &counter->frozen : &counter->base;
			*from = perfgrp_count_sub(*from,
						  value_count(&values[group->instances[i].row *
									      group->nr_members +
								      m]));
		}
	}
}

/**
 * perfgrp_snapshot_reset - subtract the values of a snapshot from the group's counters
 * @group: the group; the lock is held for writing since before the snapshot
 * @snap: from perfgrp_snapshot_take()
 *
 * What was counted since the snapshot is not lost. May sleep.
 */
void perfgrp_snapshot_reset(struct perfgrp_group *group, const struct perfgrp_snap *snap)
{
	lockdep_assert_held_write(&group->lock);

	if (group->split)
		perfgrp_split_reset(group);
	else
		subtract(group, snap);
	perfgrp_group_restarted(group);
	if (!group->split)
		perfgrp_event_arrays_publish(group);
}

/**
 * perfgrp_snapshot_free - free a snapshot, or keep its memory for the next one
 * @snap: from perfgrp_snapshot_take()
 *
 * The group's lock need not be held. May sleep.
 */
void perfgrp_snapshot_free(struct perfgrp_snap *snap)
{
	if (cmpxchg(&snap->group->snap_cache, NULL, snap->buffer))
		kvfree(snap->buffer);
}
