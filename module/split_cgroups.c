// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroup has which cell of a group that is split by cgroup.
 *
 * The life of a cell: unused -> a cgroup's (in the hash) -> its cgroup was removed, which a
 * snapshot reports -> retired -> unused. Cgroups that exist when the group is created get their
 * cells then. A new cgroup gets one in the tracepoint cgroup_mkdir, before a task can enter it: the
 * tracepoint is called before the directory is visible (kernfs_activate() in cgroup_mkdir() of
 * 6.1.192, 6.12.117 and 7.3.4). As the handler cannot allocate, there are spare cells, and a worker
 * allocates more when few are left. A cgroup that finds no unused cell is charged to
 * PERFGRP_CELL_OVERFLOW until the worker gives it one.
 *
 * Process context, unless a function says otherwise.
 */
#include <linux/cgroup.h>
#include <linux/container_of.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "group.h"
#include "perfcore_cgroup.h"
#include "split.h"

/* How many unused cells to keep. */
#define SPARE 16

/* ---- finding ---------------------------------------------------------------- */

static u32 bucket_of(const struct cgroup *cgroup)
{
	return hash_ptr(cgroup, PERFGRP_SPLIT_BITS);
}

static bool is_below_top(const struct perfgrp_split *split, struct cgroup *cgroup)
{
	return cgroup_ancestor(cgroup, split->top->level) == split->top;
}

/* Inside rcu_read_lock(), or with cells_lock held. */
static const struct perfgrp_split_cell *find_cell(const struct perfgrp_split *split,
						  const struct cgroup *cgroup)
{
	const struct perfgrp_split_cell *cell;

	hlist_for_each_entry_rcu(cell, &split->hash[bucket_of(cgroup)], hash,
				 lockdep_is_held(&split->cells_lock))
		if (cell->cgroup == cgroup)
			return cell;
	return NULL;
}

/**
 * perfgrp_split_find - the cell that a task is to be charged to
 * @split: the group's
 * @task: the task
 *
 * Inside rcu_read_lock(). Any context but NMI.
 *
 * Return: its index.
 */
u32 perfgrp_split_find(const struct perfgrp_split *split, struct task_struct *task)
{
	struct cgroup *cgroup = task_dfl_cgroup(task);
	const struct perfgrp_split_cell *cell;

	if (cgroup->level > split->max_level)
		cgroup = cgroup_ancestor(cgroup, split->max_level);
	cell = find_cell(split, cgroup);
	if (likely(cell))
		return cell->index;
	if (!is_below_top(split, cgroup))
		return PERFGRP_CELL_OUTSIDE;
	/* An exiting task may still be in a removed cgroup. */
	return perfgrp_core_is_removed(cgroup) ? PERFGRP_CELL_REMOVED : PERFGRP_CELL_OVERFLOW;
}

/**
 * perfgrp_split_idle_cell - the cell of the idle tasks, which are in the root
 * @split: the group's
 *
 * Return: its index.
 */
u32 perfgrp_split_idle_cell(const struct perfgrp_split *split)
{
	return split->top->level ? PERFGRP_CELL_OUTSIDE : PERFGRP_CELL_TOP;
}

/* ---- new cgroups -------------------------------------------------------------- */

/**
 * perfgrp_split_add_cgroup - assign a cell to a cgroup, if it should have one and has none
 * @split: the group's
 * @cgroup: a cgroup that exists
 *
 * Any context but NMI.
 *
 * Return: true if perfgrp_split.grow should run, because few or no cells are unused.
 */
bool perfgrp_split_add_cgroup(struct perfgrp_split *split, struct cgroup *cgroup)
{
	struct perfgrp_split_cell *cell;
	unsigned long flags;
	bool grow;

	if (cgroup->level > split->max_level || !is_below_top(split, cgroup))
		return false;
	raw_spin_lock_irqsave(&split->cells_lock, flags);
	cell = list_first_entry_or_null(&split->unused, struct perfgrp_split_cell, unused);
	if (find_cell(split, cgroup) || !css_tryget(&cgroup->self)) {
		grow = false;
	} else if (cell) {
		list_del(&cell->unused);
		split->nr_unused--;
		cell->cgroup = cgroup;
		hlist_add_head_rcu(&cell->hash, &split->hash[bucket_of(cgroup)]);
		grow = split->nr_unused < SPARE;
	} else {
		css_put(&cgroup->self);
		split->missed = true;
		grow = true;
	}
	raw_spin_unlock_irqrestore(&split->cells_lock, flags);
	return grow;
}

/* Assign cells to the cgroups that exist. */
static void add_descendants(struct perfgrp_split *split)
{
	struct cgroup_subsys_state *css;

	rcu_read_lock();
	css_for_each_descendant_pre(css, &split->top->self)
		if (!perfgrp_core_is_removed(css->cgroup))
			perfgrp_split_add_cgroup(split, css->cgroup);
	rcu_read_unlock();
}

/* ---- making cells --------------------------------------------------------------- */

static int add_counts(struct perfgrp_split_member *member, unsigned int chunk)
{
	unsigned int i;

	for (i = 0; i < member->nr_counters; i++) {
		/* Left there by an attempt that ran out of memory. */
		if (member->counters[i].chunks[chunk])
			continue;
		member->counters[i].chunks[chunk] =
			kvzalloc(sizeof(struct perfgrp_split_counts), GFP_KERNEL_ACCOUNT);
		if (!member->counters[i].chunks[chunk])
			return -ENOMEM;
	}
	return 0;
}

static int add_chunk(struct perfgrp_split *split)
{
	unsigned int chunk = split->nr_chunks, first = chunk * PERFGRP_CHUNK_CELLS, i;
	struct perfgrp_group *group = split->group;
	struct perfgrp_split_cell *cells;
	int ret;

	for (i = 0; i < group->nr_members; i++) {
		ret = add_counts(group->members[i]->split, chunk);
		if (ret)
			return ret;
	}
	cells = kvcalloc(PERFGRP_CHUNK_CELLS, sizeof(*cells), GFP_KERNEL_ACCOUNT);
	if (!cells)
		return -ENOMEM;
	split->cells[chunk] = cells;
	split->nr_chunks++;

	raw_spin_lock_irq(&split->cells_lock);
	for (i = first; i < perfgrp_split_nr_cells(split); i++) {
		cells[i - first].index = i;
		if (i < PERFGRP_NR_SPECIAL_CELLS)
			continue;
		list_add_tail(&cells[i - first].unused, &split->unused);
		split->nr_unused++;
	}
	raw_spin_unlock_irq(&split->cells_lock);
	return 0;
}

static bool is_full(const struct perfgrp_split *split)
{
	return perfgrp_split_nr_cells(split) == split->max_cells;
}

static unsigned int get_nr_unused(struct perfgrp_split *split)
{
	unsigned int nr;

	raw_spin_lock_irq(&split->cells_lock);
	nr = split->nr_unused;
	raw_spin_unlock_irq(&split->cells_lock);
	return nr;
}

/* Clear @missed. Returns true if a cgroup found no unused cell since the last call. */
static bool take_missed(struct perfgrp_split *split)
{
	bool missed;

	raw_spin_lock_irq(&split->cells_lock);
	missed = split->missed;
	split->missed = false;
	raw_spin_unlock_irq(&split->cells_lock);
	return missed;
}

/* Allocate cells until enough are unused, and assign them to cgroups that have none. */
static void grow(struct perfgrp_split *split)
{
	bool full = false;

	lockdep_assert_held(&split->lock);

	for (;;) {
		if (get_nr_unused(split) < SPARE)
			full = is_full(split) || add_chunk(split);
		/* Without any, cgroups that found none wait until perfgrp_split_reclaim(). */
		if (full && !get_nr_unused(split))
			return;
		if (!take_missed(split))
			return;
		add_descendants(split);
		if (full)
			return;
	}
}

static void grow_work(struct work_struct *work)
{
	struct perfgrp_split *split = container_of(work, struct perfgrp_split, grow);

	/* Keeps members from being added or removed. */
	down_read(&split->group->lock);
	mutex_lock(&split->lock);
	grow(split);
	mutex_unlock(&split->lock);
	up_read(&split->group->lock);
}

/**
 * perfgrp_split_cgroups_create - allocate the first cells
 * @split: the split of a new group. The caller runs @split->grow for the cgroups that exist.
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_split_cgroups_create(struct perfgrp_split *split)
{
	struct perfgrp_split_cell *top;
	int ret;

	INIT_WORK(&split->grow, grow_work);
	ret = add_chunk(split);
	if (ret)
		return ret;
	top = perfgrp_split_cell(split, PERFGRP_CELL_TOP);
	css_get(&split->top->self);
	top->cgroup = split->top;
	raw_spin_lock_irq(&split->cells_lock);
	hlist_add_head_rcu(&top->hash, &split->hash[bucket_of(split->top)]);
	split->missed = true;
	raw_spin_unlock_irq(&split->cells_lock);
	return 0;
}

/**
 * perfgrp_split_cgroups_destroy - undo perfgrp_split_cgroups_create()
 * @split: the tracepoint no longer finds it
 */
void perfgrp_split_cgroups_destroy(struct perfgrp_split *split)
{
	unsigned int i;

	cancel_work_sync(&split->grow);
	for (i = 0; i < perfgrp_split_nr_cells(split); i++)
		if (perfgrp_split_cell(split, i)->cgroup)
			css_put(&perfgrp_split_cell(split, i)->cgroup->self);
	for (i = 0; i < split->nr_chunks; i++)
		kvfree(split->cells[i]);
}

/* ---- rows, and removed cgroups ---------------------------------------------------- */

/**
 * perfgrp_split_has_row - does a cell have rows in a snapshot?
 * @split: the lock is held
 * @index: index of the cell
 *
 * Return: true if it has.
 */
bool perfgrp_split_has_row(const struct perfgrp_split *split, unsigned int index)
{
	const struct perfgrp_split_cell *cell = perfgrp_split_cell(split, index);

	lockdep_assert_held(&split->lock);

	if (index == PERFGRP_CELL_OUTSIDE)
		return split->top->level;
	return index < PERFGRP_NR_SPECIAL_CELLS || (READ_ONCE(cell->cgroup) && !cell->retired);
}

/**
 * perfgrp_split_row_id - the cgroup id in a cell's rows
 * @split: the group's split
 * @index: index of a cell that has rows
 *
 * Return: struct perfgrp_row.cgroup_id.
 */
u64 perfgrp_split_row_id(const struct perfgrp_split *split, unsigned int index)
{
	const struct cgroup *cgroup = READ_ONCE(perfgrp_split_cell(split, index)->cgroup);

	return cgroup ? cgroup_id(cgroup) : 0;
}

/**
 * perfgrp_split_note_removed - note which cgroups have been removed
 * @split: the lock is held; a snapshot begins
 *
 * Called before the CPUs are read, so that values that are reported as final are.
 */
void perfgrp_split_note_removed(struct perfgrp_split *split)
{
	struct perfgrp_split_cell *cell;
	struct cgroup *cgroup;
	unsigned int i;

	lockdep_assert_held(&split->lock);

	for (i = 0; i < perfgrp_split_nr_cells(split); i++) {
		cell = perfgrp_split_cell(split, i);
		cgroup = READ_ONCE(cell->cgroup);
		if (cgroup && !cell->removed_in && perfgrp_core_is_removed(cgroup))
			cell->removed_in = split->number;
	}
}

static void retire(struct perfgrp_split *split, struct perfgrp_split_cell *cell)
{
	raw_spin_lock_irq(&split->cells_lock);
	hlist_del_rcu(&cell->hash);
	raw_spin_unlock_irq(&split->cells_lock);
	cell->retired = true;
	cell->cookie = start_poll_synchronize_rcu();
	perfgrp_split_move_counts(split, cell->index, PERFGRP_CELL_REMOVED);
}

/**
 * perfgrp_split_retire - retire the cells of cgroups that a snapshot has reported as removed
 * @split: the lock is held; a snapshot begins
 *
 * Their counts move to PERFGRP_CELL_REMOVED. Also marks cells that were retired an RCU grace period
 * ago, which no CPU uses after the next flip; perfgrp_split_reclaim() must follow that flip.
 */
void perfgrp_split_retire(struct perfgrp_split *split)
{
	struct perfgrp_split_cell *cell;
	unsigned int i;

	lockdep_assert_held(&split->lock);

	for (i = PERFGRP_NR_SPECIAL_CELLS; i < perfgrp_split_nr_cells(split); i++) {
		cell = perfgrp_split_cell(split, i);
		if (cell->retired)
			cell->unseen = poll_state_synchronize_rcu(cell->cookie);
		else if (cell->told)
			retire(split, cell);
		cond_resched();
	}
}

/**
 * perfgrp_split_reclaim - make retired cells unused again
 * @split: the lock is held; all CPUs have flipped since perfgrp_split_retire(), and their pending
 *	counts are folded
 */
void perfgrp_split_reclaim(struct perfgrp_split *split)
{
	struct perfgrp_split_cell *cell;
	unsigned int i;
	bool missed;

	lockdep_assert_held(&split->lock);

	for (i = PERFGRP_NR_SPECIAL_CELLS; i < perfgrp_split_nr_cells(split); i++) {
		cell = perfgrp_split_cell(split, i);
		if (!cell->unseen)
			continue;
		css_put(&cell->cgroup->self);
		*cell = (struct perfgrp_split_cell){ .index = cell->index };
		raw_spin_lock_irq(&split->cells_lock);
		list_add_tail(&cell->unused, &split->unused);
		split->nr_unused++;
		raw_spin_unlock_irq(&split->cells_lock);
	}
	/* Retry for cgroups without a cell: some are unused now, or can be allocated. */
	raw_spin_lock_irq(&split->cells_lock);
	missed = split->missed && (split->nr_unused || !is_full(split));
	raw_spin_unlock_irq(&split->cells_lock);
	if (missed)
		queue_work(compat_unbound_wq, &split->grow);
}
