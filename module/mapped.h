/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of a group that userspace maps: see mapped.c and mapped_write.c. */
#ifndef PERFGRP_MAPPED_H
#define PERFGRP_MAPPED_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hrtimer.h>
#include <linux/kcsan-checks.h>
#include <linux/list.h>
#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;
struct perfgrp_mapped;
struct perfgrp_snap;
struct vm_area_struct;

/**
 * struct perfgrp_mapped_instance - an instance whose row is mapped
 * @node: in the list of its CPU, or in the hash table of tasks; see mapped_write.c
 * @group: its group; constant
 * @slot: its slot; constant
 * @index: index of the instance; constant
 * @interval: of @timer; 0 for none; constant
 * @timer: writes the row, on the instance's CPU while that is not idle, or on the task's CPU while
 *	the task runs
 *
 * A slot has one writer at a time, which makes its seq odd and, when it is done, even again, with
 * interrupts off in between. Other writers, such as an NMI, skip the slot meanwhile; only
 * perfgrp_mapped_refresh() waits. at_rest is set by the slot's writer on the instance's CPU, or on
 * the one that switches its task out; it is cleared there, too, and by perfgrp_mapped_refresh().
 */
struct perfgrp_mapped_instance {
	struct hlist_node node;
	struct perfgrp_group *group;
	struct perfgrp_map_slot *slot;
	unsigned int index;
	u64 interval;
	struct hrtimer timer;
};

/**
 * struct perfgrp_mapped - the rows of a group that can be mapped
 * @map: the mapped memory. Its generation is protected by perfgrp_group.lock; all other fields are
 *	constant. The slots follow.
 * @instances: one per instance of the group
 */
struct perfgrp_mapped {
	struct perfgrp_map *map;
	struct perfgrp_mapped_instance instances[];
};

static inline struct perfgrp_value *perfgrp_mapped_values(struct perfgrp_map_slot *slot)
{
	/* A slot and struct perfgrp_value have the same alignment. */
	return (struct perfgrp_value *)(slot + 1);
}

/**
 * perfgrp_mapped_write_begin - become the writer of a slot
 * @slot: the slot
 *
 * Any context, with interrupts off.
 *
 * Return: false if it has a writer already.
 */
static __always_inline bool perfgrp_mapped_write_begin(struct perfgrp_map_slot *slot)
{
	u32 seq = READ_ONCE(slot->seq);

	if (seq & 1 || cmpxchg(&slot->seq, seq, seq + 1) != seq)
		return false;
	kcsan_nestable_atomic_begin();
	return true;
}

/**
 * perfgrp_mapped_write_end - publish what was written
 * @slot: the slot; the caller is its writer
 */
static __always_inline void perfgrp_mapped_write_end(struct perfgrp_map_slot *slot)
{
	u32 seq = slot->seq + 1;

	kcsan_nestable_atomic_end();
	/* After the data. Skips 0, which is for slots that have not been written yet. */
	smp_store_release(&slot->seq, seq ?: 2);
}

/**
 * perfgrp_mapped_write_abort - stop being the writer, without a change
 * @slot: the slot; the caller is its writer, and has written nothing
 */
static __always_inline void perfgrp_mapped_write_abort(struct perfgrp_map_slot *slot)
{
	kcsan_nestable_atomic_end();
	/* As in perfgrp_mapped_write_end(). */
	smp_store_release(&slot->seq, slot->seq - 1);
}

int perfgrp_mapped_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			  struct perfgrp_error *err);
void perfgrp_mapped_unlink(struct perfgrp_group *group);
void perfgrp_mapped_destroy(struct perfgrp_group *group);
int perfgrp_mapped_mmap(struct perfgrp_mapped *mapped, struct vm_area_struct *vma);
void perfgrp_mapped_copy_row(const struct perfgrp_mapped_instance *instance, bool removed,
			     const struct perfgrp_row *row, const struct perfgrp_value *values);
bool perfgrp_mapped_get_row(const struct perfgrp_mapped *mapped, unsigned int instance,
			    u64 not_before, struct perfgrp_row *row, struct perfgrp_value *values,
			    unsigned int room);
int perfgrp_mapped_copy_slot(const struct perfgrp_mapped *mapped, unsigned int instance,
			     struct perfgrp_map_slot *to, u32 size, u32 value_size);

/* mapped_write.c */
void perfgrp_mapped_init(void);
bool perfgrp_mapped_supported(void);
int perfgrp_mapped_link(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_mapped_stop(struct perfgrp_group *group);
void perfgrp_mapped_refresh(struct perfgrp_group *group);
void perfgrp_mapped_write_overflow(struct perfgrp_mapped_instance *instance, bool irqs_on);

#endif /* PERFGRP_MAPPED_H */
