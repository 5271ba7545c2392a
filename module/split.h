/* SPDX-License-Identifier: GPL-2.0 */
/* Groups whose counts are split by cgroup: see split.c. Without CONFIG_CGROUPS there are none. */
#ifndef PERFGRP_SPLIT_H
#define PERFGRP_SPLIT_H

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/perfgrp.h>

#include "value.h"

struct cgroup;
struct perfgrp_group;
struct perfgrp_snap;
struct task_struct;

/* The cells that always exist: the directory's, and those that are not of a single cgroup. */
enum {
	PERFGRP_CELL_TOP,	/* the directory's own cgroup */
	PERFGRP_CELL_OUTSIDE,	/* PERFGRP_ROW_OUTSIDE */
	PERFGRP_CELL_REMOVED,	/* PERFGRP_ROW_REMOVED */
	PERFGRP_CELL_OVERFLOW,	/* PERFGRP_ROW_OVERFLOW */
	PERFGRP_NR_SPECIAL_CELLS,
};

/* As many as make struct perfgrp_split_counts fill a page. */
#define PERFGRP_CHUNK_CELLS 56
#define PERFGRP_MAX_CELLS   (PERFGRP_SPLIT_MAX + PERFGRP_NR_SPECIAL_CELLS)
#define PERFGRP_MAX_CHUNKS  DIV_ROUND_UP(PERFGRP_MAX_CELLS, PERFGRP_CHUNK_CELLS)
#define PERFGRP_SPLIT_BITS  10

/**
 * struct perfgrp_split_counts - what a member has counted on a CPU in PERFGRP_CHUNK_CELLS cells
 * @pending: counts charged but not in @total yet: the CPU adds to those of
 *	perfgrp_split_cpu.active; after a flip the others are folded into @total
 * @total: counts that were folded (perfgrp_split.lock)
 */
struct perfgrp_split_counts {
	struct perfgrp_count pending[2][PERFGRP_CHUNK_CELLS];
	struct perfgrp_count total[PERFGRP_CHUNK_CELLS];
};

/**
 * struct perfgrp_split_counter - a member on a CPU
 * @last: the counter's reading when it was last charged
 * @state: perfgrp_core_state() at the last flip
 * @chunks: perfgrp_split.nr_chunks of them; a pointer is set before a cell of the chunk is used
 *
 * All but @chunks are written by the CPU; see struct perfgrp_split_cpu.
 */
struct perfgrp_split_counter {
	struct perfgrp_count last;
	enum perf_event_state state;
	struct perfgrp_split_counts *chunks[PERFGRP_MAX_CHUNKS];
} ____cacheline_aligned_in_smp;

/**
 * struct perfgrp_split_member - a member
 * @rcu: frees it
 * @nr_counters: entries of @counters
 * @counters: one per instance of the group
 */
struct perfgrp_split_member {
	struct rcu_head rcu;
	unsigned int nr_counters;
	struct perfgrp_split_counter counters[];
};

/**
 * struct perfgrp_split_cpu - a CPU
 * @cell: cell of the cgroup whose task runs there; current counts will be charged to it
 * @active: index of the pending counts, and of @touched, that the CPU writes
 * @row: what rows of the CPU have in common, as of the last flip
 * @touched: bitmaps of the cells whose pending counts are not zero
 *
 * Written with interrupts off by the CPU itself: at a switch between cgroups, when its task was
 * moved, and when it flips. If the CPU is offline, and cannot come online (cpus_read_lock()), it is
 * written by perfgrp_split_flip(). A flip exchanges the two halves of @touched and of the pending
 * counts. The half that the CPU has left is read under perfgrp_split.lock until the next flip.
 */
struct perfgrp_split_cpu {
	u32 cell;
	u32 active;
	struct perfgrp_row row;
	unsigned long touched[2][BITS_TO_LONGS(PERFGRP_MAX_CELLS)];
} ____cacheline_aligned_in_smp;

/**
 * struct perfgrp_split_cell - a cgroup that has rows
 * @hash: in perfgrp_split.hash, for readers under RCU (perfgrp_split.cells_lock)
 * @unused: in perfgrp_split.unused while it has no cgroup (cells_lock)
 * @cgroup: with a reference; NULL if unused. Constant while the cell is in the hash.
 * @index: index of the cell; constant
 * @removed_in: number of the first snapshot that reports the cgroup as removed; 0 for none
 *	(perfgrp_split.lock)
 * @told: a snapshot that reports it as removed was delivered (perfgrp_split.lock)
 * @retired: no longer in the hash, and its counts were moved to PERFGRP_CELL_REMOVED
 *	(perfgrp_split.lock)
 * @cookie: for poll_state_synchronize_rcu(): the state when it was retired (perfgrp_split.lock)
 * @unseen: a grace period has passed since then, so no CPU uses the cell after the next flip
 *	(perfgrp_split.lock)
 */
struct perfgrp_split_cell {
	struct hlist_node hash;
	struct list_head unused;
	struct cgroup *cgroup;
	u32 index;
	u64 removed_in;
	bool told;
	bool retired;
	unsigned long cookie;
	bool unseen;
};

/**
 * struct perfgrp_split - what a split group has
 * @group: the group; constant
 * @node: in the list splits; see split.c
 * @top: the directory's cgroup, with a reference; constant
 * @max_level: deeper cgroups are charged to their ancestor at this level; constant
 * @max_cells: maximum number of cells; constant
 * @cpu_mask: CPUs of the group's instances, online or not; constant
 * @lock: protects the fields marked so; taken inside perfgrp_group.lock
 * @cells: the cells, in chunks (@lock, or perfgrp_group.lock for writing)
 * @nr_chunks: number of chunks (as @cells)
 * @number: number of the last snapshot (@lock)
 * @cells_lock: protects which cgroup has which cell. Raw, as the tracepoint's handler takes it.
 * @hash: cells of cgroups, by cgroup; readers use RCU (@cells_lock)
 * @unused: cells without a cgroup (@cells_lock)
 * @nr_unused: number of @unused (@cells_lock)
 * @missed: a cgroup found no unused cell (@cells_lock)
 * @grow: allocates cells
 * @cpus: one per instance
 */
struct perfgrp_split {
	struct perfgrp_group *group;
	struct list_head node;
	struct cgroup *top;
	int max_level;
	unsigned int max_cells;
	cpumask_var_t cpu_mask;
	struct mutex lock; /* see above */
	struct perfgrp_split_cell *cells[PERFGRP_MAX_CHUNKS];
	unsigned int nr_chunks;
	u64 number;
	raw_spinlock_t cells_lock;
	struct hlist_head hash[1 << PERFGRP_SPLIT_BITS];
	struct list_head unused;
	unsigned int nr_unused;
	bool missed;
	struct work_struct grow;
	struct perfgrp_split_cpu cpus[];
};

static inline struct perfgrp_split_cell *perfgrp_split_cell(const struct perfgrp_split *split,
							    unsigned int index)
{
	return &split->cells[index / PERFGRP_CHUNK_CELLS][index % PERFGRP_CHUNK_CELLS];
}

static inline unsigned int perfgrp_split_nr_cells(const struct perfgrp_split *split)
{
	return min(split->nr_chunks * PERFGRP_CHUNK_CELLS, split->max_cells);
}

#if defined(CONFIG_CGROUPS) && defined(CONFIG_TRACEPOINTS)

void perfgrp_split_init(void);
void perfgrp_split_exit(void);
bool perfgrp_split_supported(void);
int perfgrp_split_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			 struct perfgrp_error *err);
void perfgrp_split_unlink(struct perfgrp_group *group);
void perfgrp_split_destroy(struct perfgrp_group *group);
u64 perfgrp_split_cgroup_id(const struct perfgrp_group *group);

struct perfgrp_split_member *perfgrp_split_member_create(struct perfgrp_group *group);
void perfgrp_split_member_free(struct perfgrp_split_member *member);

/* split.c for split_snapshot.c */
void perfgrp_split_flip(struct perfgrp_split *split);

/* split_cgroups.c for split.c */
int perfgrp_split_cgroups_create(struct perfgrp_split *split);
void perfgrp_split_cgroups_destroy(struct perfgrp_split *split);
bool perfgrp_split_add_cgroup(struct perfgrp_split *split, struct cgroup *cgroup);
u32 perfgrp_split_find(const struct perfgrp_split *split, struct task_struct *task);
u32 perfgrp_split_idle_cell(const struct perfgrp_split *split);

/* split_cgroups.c for split_snapshot.c */
bool perfgrp_split_has_row(const struct perfgrp_split *split, unsigned int index);
u64 perfgrp_split_row_id(const struct perfgrp_split *split, unsigned int index);
void perfgrp_split_note_removed(struct perfgrp_split *split);
void perfgrp_split_retire(struct perfgrp_split *split);
void perfgrp_split_reclaim(struct perfgrp_split *split);

/* split_snapshot.c */
int perfgrp_split_snapshot(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap,
			   struct perfgrp_error *err);
void perfgrp_split_delivered(const struct perfgrp_snap *snap);
void perfgrp_split_reset(struct perfgrp_group *group);
void perfgrp_split_restart(struct perfgrp_group *group);
void perfgrp_split_move_counts(struct perfgrp_split *split, unsigned int from, unsigned int to);

#else

static inline void perfgrp_split_init(void)
{
}

static inline void perfgrp_split_exit(void)
{
}

static inline bool perfgrp_split_supported(void)
{
	return false;
}

static inline int perfgrp_split_create(struct perfgrp_group *group,
				       const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	return -EOPNOTSUPP;
}

static inline void perfgrp_split_unlink(struct perfgrp_group *group)
{
}

static inline void perfgrp_split_destroy(struct perfgrp_group *group)
{
}

static inline u64 perfgrp_split_cgroup_id(const struct perfgrp_group *group)
{
	return 0;
}

static inline struct perfgrp_split_member *perfgrp_split_member_create(struct perfgrp_group *group)
{
	return NULL;
}

static inline void perfgrp_split_member_free(struct perfgrp_split_member *member)
{
}

static inline int perfgrp_split_snapshot(struct perfgrp_group *group, u32 flags,
					 struct perfgrp_snap *snap, struct perfgrp_error *err)
{
	return -EOPNOTSUPP;
}

static inline void perfgrp_split_delivered(const struct perfgrp_snap *snap)
{
}

static inline void perfgrp_split_reset(struct perfgrp_group *group)
{
}

static inline void perfgrp_split_restart(struct perfgrp_group *group)
{
}

#endif

#endif /* PERFGRP_SPLIT_H */
