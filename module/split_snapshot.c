// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of groups that are split by cgroup.
 *
 * All CPUs charge their counts and flip, in parallel, with interrupts off only while they read the
 * counters. From then on they use their other pending counts, and those that they have left are
 * folded into the totals here. So the rows add up to what the counters read at the flip, however
 * many cgroups there are, and no CPU waits for a reader.
 *
 * Process context. perfgrp_group.lock is held, at least for reading; takes perfgrp_split.lock.
 */
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "error.h"
#include "group.h"
#include "row.h"
#include "snapshot.h"
#include "split.h"

static struct perfgrp_count *total_of(const struct perfgrp_member *member, unsigned int instance,
				      unsigned int cell)
{
	struct perfgrp_split_counter *counter = &member->split->counters[instance];

	return &counter->chunks[cell / PERFGRP_CHUNK_CELLS]->total[cell % PERFGRP_CHUNK_CELLS];
}

static void add_to(struct perfgrp_count *to, struct perfgrp_count *from)
{
	*to = perfgrp_count_add(*to, *from);
	*from = (struct perfgrp_count){};
}

/* ---- folding ------------------------------------------------------------------ */

/* Move what the CPU has charged to a cell before it flipped to the cell's total. */
static void fold_cell(struct perfgrp_split *split, unsigned int instance, unsigned int cell)
{
	unsigned int left = split->cpus[instance].active ^ 1, i, to = cell;
	const struct perfgrp_group *group = split->group;
	struct perfgrp_split_counts *counts;

	if (perfgrp_split_cell(split, cell)->retired)
		to = PERFGRP_CELL_REMOVED;
	for (i = 0; i < group->nr_members; i++) {
		counts = group->members[i]->split->counters[instance]
				 .chunks[cell / PERFGRP_CHUNK_CELLS];
		add_to(total_of(group->members[i], instance, to),
		       &counts->pending[left][cell % PERFGRP_CHUNK_CELLS]);
	}
}

static void fold(struct perfgrp_split *split, unsigned int instance)
{
	struct perfgrp_split_cpu *cpu = &split->cpus[instance];
	unsigned long *touched = cpu->touched[cpu->active ^ 1];
	unsigned int cell;

	for_each_set_bit(cell, touched, split->max_cells)
		fold_cell(split, instance, cell);
	bitmap_zero(touched, split->max_cells);
}

/* Read all counters and update the totals. */
static void collect(struct perfgrp_split *split)
{
	unsigned int i;

	lockdep_assert_held(&split->lock);

	split->number++;
	perfgrp_split_retire(split);
	perfgrp_split_note_removed(split);
	perfgrp_split_flip(split);
	for (i = 0; i < split->group->nr_instances; i++) {
		fold(split, i);
		cond_resched();
	}
	perfgrp_split_reclaim(split);
}

/**
 * perfgrp_split_move_counts - move the totals of a cell to another
 * @split: the lock is held
 * @from: index of the cell that is left with zero
 * @to: index of the other one
 */
void perfgrp_split_move_counts(struct perfgrp_split *split, unsigned int from, unsigned int to)
{
	struct perfgrp_group *group = split->group;
	unsigned int i, m;

	lockdep_assert_held(&split->lock);

	for (m = 0; m < group->nr_members; m++)
		for (i = 0; i < group->nr_instances; i++)
			add_to(total_of(group->members[m], i, to),
			       total_of(group->members[m], i, from));
}

/* Keep a count without running time: the snapshot showed it as 0, see perfgrp_value_scale(). */
static void forget_shown(struct perfgrp_count *total)
{
	*total = (struct perfgrp_count){ .count = total->running ? 0 : total->count };
}

static void forget_all(struct perfgrp_count *total)
{
	*total = (struct perfgrp_count){};
}

static void reset(struct perfgrp_group *group, void (*forget)(struct perfgrp_count *total))
{
	unsigned int nr_cells = perfgrp_split_nr_cells(group->split), m, i, c;

	lockdep_assert_held_write(&group->lock);

	for (m = 0; m < group->nr_members; m++) {
		for (i = 0; i < group->nr_instances; i++) {
			for (c = 0; c < nr_cells; c++)
				forget(total_of(group->members[m], i, c));
			cond_resched();
		}
	}
}

/**
 * perfgrp_split_reset - reset the counts that the last snapshot has shown
 * @group: a group that is split; the lock has been held for writing since before that snapshot
 */
void perfgrp_split_reset(struct perfgrp_group *group)
{
	reset(group, forget_shown);
}

/**
 * perfgrp_split_restart - reset all counts to zero
 * @group: a group; its events are stopped, its lock is held for writing. Nothing is done if it is
 *	not split.
 */
void perfgrp_split_restart(struct perfgrp_group *group)
{
	if (!group->split)
		return;
	mutex_lock(&group->split->lock);
	collect(group->split);
	mutex_unlock(&group->split->lock);
	reset(group, forget_all);
}

/* ---- rows --------------------------------------------------------------------- */

/**
 * struct rows - rows that are written one after the other
 * @rows: the next row to write
 * @values: the values of all rows
 * @nr_values: how many of @values have been written
 */
struct rows {
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	unsigned int nr_values;
};

static u32 special_flag(unsigned int cell)
{
	switch (cell) {
	case PERFGRP_CELL_OUTSIDE:
		return PERFGRP_ROW_OUTSIDE;
	case PERFGRP_CELL_REMOVED:
		return PERFGRP_ROW_REMOVED;
	case PERFGRP_CELL_OVERFLOW:
		return PERFGRP_ROW_OVERFLOW;
	default:
		return 0;
	}
}

static void add_cpu_row(const struct perfgrp_split *split, unsigned int cell, unsigned int instance,
			struct rows *to)
{
	const struct perfgrp_group *group = split->group;
	const struct perfgrp_split_counter *counter;
	struct perfgrp_row *row = to->rows++;
	const struct perfgrp_member_instance *of;
	struct perfgrp_reading reading;
	struct perfgrp_value *value;
	u32 flags = 0;
	unsigned int i;

	*row = split->cpus[instance].row;
	row->first_value = to->nr_values;
	row->cgroup_id = perfgrp_split_row_id(split, cell);
	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->split->counters[instance];
		reading.count = *total_of(group->members[i], instance, cell);
		reading.state = counter->state;
		/* Only events that sample are throttled. */
		reading.throttled = false;
		value = &to->values[to->nr_values++];
		of = &group->members[i]->instances[instance];
		perfgrp_row_fill_value(group->members[i]->id, of->sched_group, of->pmu, &reading,
				       row->flags, value);
		flags |= value->flags;
	}
	perfgrp_row_add_flags(row, flags);
	perfgrp_row_finish(group, row, &to->values[row->first_value],
			   perfgrp_split_cell(split, cell)->removed_in);
	row->flags |= special_flag(cell);
}

static void add_cell_rows(const struct perfgrp_split *split, unsigned int cell, struct rows *to)
{
	unsigned int i;

	for (i = 0; i < split->group->nr_instances; i++)
		if (split->group->instances[i].seen)
			add_cpu_row(split, cell, i, to);
}

/**
 * struct adder - sums of the rows of one cell
 * @rows: room for its rows, followed by room for their sums
 * @values: room for the values of both
 * @nr_rows: number of its rows
 * @mix: see perfgrp_row_sum()
 */
struct adder {
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	unsigned int nr_rows;
	bool mix;
};

static int create_adder(struct adder *adder, const struct perfgrp_group *group, u32 flags)
{
	size_t nr_rows = group->nr_rows, nr_values = nr_rows * group->nr_members;

	adder->nr_rows = nr_rows;
	adder->mix = flags & PERFGRP_SNAPSHOT_MIX_PMUS;
	adder->rows = kvmalloc_array(2 * nr_rows + 1, sizeof(*adder->rows), GFP_KERNEL_ACCOUNT);
	adder->values =
		kvmalloc_array(2 * nr_values + 1, sizeof(*adder->values), GFP_KERNEL_ACCOUNT);
	return adder->rows && adder->values ? 0 : -ENOMEM;
}

static void destroy_adder(struct adder *adder)
{
	kvfree(adder->values);
	kvfree(adder->rows);
}

/*
 * Write a cell's rows, and their sums behind them. Returns the number of sums, which is the same
 * for all cells, as it depends only on which CPUs have which PMUs.
 */
static unsigned int add_up(const struct perfgrp_split *split, unsigned int cell,
			   struct adder *adder)
{
	struct rows rows = { .rows = adder->rows, .values = adder->values };

	add_cell_rows(split, cell, &rows);
	return perfgrp_row_sum(adder->rows, adder->nr_rows, adder->values,
			       split->group->nr_members, adder->mix, rows.rows,
			       adder->values + rows.nr_values);
}

static void add_cell_totals(const struct perfgrp_split *split, unsigned int cell,
			    struct adder *adder, struct rows *to)
{
	unsigned int nr = add_up(split, cell, adder), nr_members = split->group->nr_members, i;
	const struct perfgrp_row *total = adder->rows + adder->nr_rows;
	const struct perfgrp_value *values = adder->values + adder->nr_rows * nr_members;

	for (i = 0; i < nr; i++, total++, to->rows++) {
		*to->rows = *total;
		to->rows->flags |= special_flag(cell);
		to->rows->first_value = to->nr_values;
		to->rows->cgroup_id = perfgrp_split_row_id(split, cell);
		memcpy(&to->values[to->nr_values], &values[total->first_value],
		       nr_members * sizeof(*values));
		to->nr_values += nr_members;
	}
}

/* ---- the snapshot ------------------------------------------------------------- */

/* Fill in the indices of the cells that have rows. A new one may appear at any time: list once. */
static unsigned int list_cells(const struct perfgrp_split *split, u16 *cells)
{
	unsigned int nr = 0, i;

	for (i = 0; i < perfgrp_split_nr_cells(split); i++)
		if (perfgrp_split_has_row(split, i))
			cells[nr++] = i;
	return nr;
}

static int write_rows(struct perfgrp_split *split, u32 flags, struct perfgrp_snap *snap,
		      const u16 *cells, unsigned int nr_cells, struct adder *adder)
{
	bool totals = flags & PERFGRP_SNAPSHOT_TOTALS;
	size_t nr_rows = totals ? add_up(split, cells[0], adder) : split->group->nr_rows;
	struct rows to;
	unsigned int i;
	int ret;

	ret = perfgrp_snapshot_alloc(split->group, nr_cells * nr_rows, snap);
	if (ret)
		return ret;
	snap->split_number = split->number;
	to = (struct rows){ .rows = snap->rows, .values = snap->values };
	for (i = 0; i < nr_cells; i++) {
		if (totals)
			add_cell_totals(split, cells[i], adder, &to);
		else
			add_cell_rows(split, cells[i], &to);
		cond_resched();
	}
	for (i = 0; i < snap->nr_rows; i++) {
		snap->time_before = min(snap->time_before, snap->rows[i].time_before);
		snap->time_after = max(snap->time_after, snap->rows[i].time_after);
	}
	return 0;
}

static int take(struct perfgrp_split *split, u32 flags, struct perfgrp_snap *snap)
{
	unsigned int room = perfgrp_split_nr_cells(split);
	struct adder adder = {};
	u16 *cells;
	int ret;

	cells = kvmalloc_array(room, sizeof(*cells), GFP_KERNEL_ACCOUNT);
	ret = create_adder(&adder, split->group, flags);
	if (!cells)
		ret = -ENOMEM;
	if (!ret) {
		collect(split);
		ret = write_rows(split, flags, snap, cells, list_cells(split, cells), &adder);
	}
	destroy_adder(&adder);
	kvfree(cells);
	return ret;
}

/**
 * perfgrp_split_snapshot - perfgrp_snapshot_take(), of a group that is split
 * @group: the group; the lock is held, for reading at least
 * @flags: PERFGRP_SNAPSHOT_*
 * @snap: set; to be freed with perfgrp_snapshot_free()
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_split_snapshot(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap,
			   struct perfgrp_error *err)
{
	int ret;

	lockdep_assert_held(&group->lock);

	mutex_lock(&group->split->lock);
	ret = take(group->split, flags, snap);
	mutex_unlock(&group->split->lock);
	return ret ? perfgrp_fail_memory(err) : 0;
}

/* Note that snapshot @number has reported the cgroups that were removed before it. */
static void mark_told(struct perfgrp_split *split, u64 number)
{
	struct perfgrp_split_cell *cell;
	unsigned int i;

	lockdep_assert_held(&split->lock);

	for (i = 0; i < perfgrp_split_nr_cells(split); i++) {
		cell = perfgrp_split_cell(split, i);
		if (cell->removed_in && cell->removed_in <= number)
			cell->told = true;
	}
}

/**
 * perfgrp_split_delivered - note that a snapshot was copied to the user
 * @snap: the snapshot; nothing is done if its group is not split
 *
 * Cgroups that it reports as removed have no row in the next one. The group's lock need not be
 * held. May sleep.
 */
void perfgrp_split_delivered(const struct perfgrp_snap *snap)
{
	struct perfgrp_split *split = snap->group->split;

	if (!split)
		return;
	mutex_lock(&split->lock);
	mark_told(split, snap->split_number);
	mutex_unlock(&split->lock);
}
