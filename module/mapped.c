// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of a group that userspace maps: their memory, the mapping, and how rows are written and
 * read. mapped_write.c decides when they are written.
 *
 * For the layout see struct perfgrp_map in the UAPI header: a page with the header, and a slot for
 * each instance, on cache lines of its own.
 *
 * A mapping holds a reference on the file, and so on the group and the memory.
 */
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "cgroup.h"
#include "compat.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "mapped.h"
#include "perfgrp.h"
#include "row.h"
#include "value.h"

/* ---- memory ---------------------------------------------------------------- */

/* A multiple of the cache line size, so that slots do not share cache lines. */
#define SLOT_SIZE                                                                                  \
	ALIGN(sizeof(struct perfgrp_map_slot) +                                                    \
		      PERFGRP_MAX_MEMBERS * sizeof(struct perfgrp_value),                          \
	      SMP_CACHE_BYTES)

static int alloc_map(const struct perfgrp_group *group, u64 interval, struct perfgrp_mapped *mapped)
{
	unsigned int nr_slots = group->nr_instances;
	size_t size = PAGE_ALIGN(PAGE_SIZE + (size_t)nr_slots * SLOT_SIZE);

	/* map_size has 32 bits. */
	if (size > INT_MAX)
		return -ENOMEM;
	mapped->map = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!mapped->map)
		return -ENOMEM;
	*mapped->map = (struct perfgrp_map){
		.size = sizeof(*mapped->map),
		.map_size = size,
		.slot_offset = PAGE_SIZE,
		.slot_size = SLOT_SIZE,
		.nr_slots = nr_slots,
		.values_offset = sizeof(struct perfgrp_map_slot),
		.value_size = sizeof(struct perfgrp_value),
		.clockid = group->clockid,
		.map_interval = interval,
	};
	return 0;
}

static void free_mapped(struct perfgrp_mapped *mapped)
{
	vfree(mapped->map);
	kvfree(mapped);
}

static struct perfgrp_mapped *alloc_mapped(struct perfgrp_group *group, u64 interval)
{
	struct perfgrp_mapped *mapped;
	unsigned int i;

	mapped = kvzalloc(struct_size(mapped, instances, group->nr_instances), GFP_KERNEL_ACCOUNT);
	if (!mapped)
		return NULL;
	if (alloc_map(group, interval, mapped)) {
		free_mapped(mapped);
		return NULL;
	}
	for (i = 0; i < group->nr_instances; i++) {
		mapped->instances[i].group = group;
		mapped->instances[i].slot = (void *)mapped->map + PAGE_SIZE + i * SLOT_SIZE;
		mapped->instances[i].index = i;
		mapped->instances[i].interval = interval;
	}
	return mapped;
}

/**
 * perfgrp_mapped_create - create a group's mapped rows, and start writing them
 * @group: a new group, with its instances
 * @arg: what the user asked for
 * @err: filled in on failure
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_mapped_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			  struct perfgrp_error *err)
{
	struct perfgrp_mapped *mapped = alloc_mapped(group, arg->map_interval);
	int ret;

	if (!mapped)
		return perfgrp_fail_memory(err);
	if (perfgrp_event_arrays_create(group)) {
		free_mapped(mapped);
		return perfgrp_fail_memory(err);
	}
	/* The cgroup is watched already: its removal may refresh the rows at any time. */
	down_write(&group->lock);
	group->mapped = mapped;
	ret = perfgrp_mapped_link(group, err);
	if (ret)
		group->mapped = NULL;
	/* For CPUs perfgrp_group_follow_cpus() does it, once their events can be created. */
	else if (group->task)
		perfgrp_mapped_refresh(group);
	up_write(&group->lock);
	if (ret)
		free_mapped(mapped);
	return ret;
}

/**
 * perfgrp_mapped_destroy - free a group's mapped rows, if it has any
 * @group: the group. An RCU grace period has passed since perfgrp_mapped_unlink() and
 *	perfgrp_bpf_kfunc_free_handle().
 *
 * May sleep, for longer if it is the last such group: that unregisters the tracepoints' handlers.
 */
void perfgrp_mapped_destroy(struct perfgrp_group *group)
{
	if (!group->mapped)
		return;
	perfgrp_mapped_stop(group);
	free_mapped(group->mapped);
	group->mapped = NULL;
}

/* ---- the mapping ------------------------------------------------------------- */

/**
 * perfgrp_mapped_mmap - mmap(2) of a group's rows
 * @mapped: the rows
 * @vma: what is to be mapped, from PERFGRP_MMAP_ROWS on
 *
 * Return: 0; -EINVAL if the mapping is private or too large; -EACCES if it is writable; or -ENOMEM.
 */
int perfgrp_mapped_mmap(struct perfgrp_mapped *mapped, struct vm_area_struct *vma)
{
	unsigned long i;
	int ret = 0;

	if (!(vma->vm_flags & VM_MAYSHARE) ||
	    vma_pages(vma) > mapped->map->map_size / PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	compat_vm_flags_clear(vma, VM_MAYWRITE);
	for (i = 0; i < vma_pages(vma) && !ret; i++)
		ret = remap_pfn_range(vma, vma->vm_start + i * PAGE_SIZE,
				      vmalloc_to_pfn((void *)mapped->map + i * PAGE_SIZE),
				      PAGE_SIZE, vma->vm_page_prot);
	return ret;
}

/* ---- a row ------------------------------------------------------------------- */

/**
 * perfgrp_mapped_copy_row - write a row that was read for a snapshot
 * @instance: the row's instance; the caller became the writer of its slot before it read the row
 * @removed: the group's cgroup was removed before that
 * @row: the row
 * @values: its values
 *
 * Interrupts are off.
 */
void perfgrp_mapped_copy_row(const struct perfgrp_mapped_instance *instance, bool removed,
			     const struct perfgrp_row *row, const struct perfgrp_value *values)
{
	struct perfgrp_map_slot *slot = instance->slot;

	lockdep_assert_irqs_disabled();

	/* See is_left() in mapped_write.c. */
	WRITE_ONCE(slot->generation, instance->group->generation);
	slot->row = *row;
	slot->row.first_value = 0;
	memcpy(perfgrp_mapped_values(slot), values, row->nr_values * sizeof(*values));
	perfgrp_row_finish(instance->group, &slot->row, perfgrp_mapped_values(slot), removed);
}

/* Returns false if the slot is being written, or was never written. */
static bool read_begin(const struct perfgrp_map_slot *slot, u32 *seq)
{
	/* Pairs with perfgrp_mapped_write_end(). */
	*seq = smp_load_acquire(&slot->seq);
	if (!*seq || *seq & 1)
		return false;
	kcsan_nestable_atomic_begin();
	return true;
}

/* Returns whether the slot was not written since read_begin() returned true. */
static bool read_end(const struct perfgrp_map_slot *slot, u32 seq)
{
	kcsan_nestable_atomic_end();
	/* Copy before seq is read again. Pairs with cmpxchg() in perfgrp_mapped_write_begin(). */
	smp_rmb();
	return READ_ONCE(slot->seq) == seq;
}

/**
 * perfgrp_mapped_get_row - copy a row, if it is recent enough
 * @mapped: the rows
 * @instance: index of the row's instance
 * @not_before: the oldest time_after to accept, on the group's clock. A row that is at rest is
 *	always accepted.
 * @row: set; its first_value is left alone
 * @values: set
 * @room: how many @values there is room for
 *
 * Any context: a reader does not wait for a writer, which it may have interrupted.
 *
 * Return: true if the row was copied; else @row and @values may have been overwritten.
 */
bool perfgrp_mapped_get_row(const struct perfgrp_mapped *mapped, unsigned int instance,
			    u64 not_before, struct perfgrp_row *row, struct perfgrp_value *values,
			    unsigned int room)
{
	struct perfgrp_map_slot *slot = mapped->instances[instance].slot;
	u32 first_value = row->first_value, seq;
	bool at_rest;

	if (!read_begin(slot, &seq))
		return false;
	*row = slot->row;
	row->first_value = first_value;
	memcpy(values, perfgrp_mapped_values(slot),
	       min(room, slot->row.nr_values) * sizeof(*values));
	at_rest = READ_ONCE(slot->at_rest);
	return read_end(slot, seq) && (at_rest || row->time_after >= not_before);
}

/**
 * perfgrp_mapped_copy_slot - copy a slot as it is
 * @mapped: the rows
 * @instance: index of the slot's instance
 * @to: the copy; the values follow it
 * @size: bytes of room at @to, at least sizeof(struct perfgrp_map_slot)
 * @value_size: bytes of a value in the copy, at least PERFGRP_VALUE_SIZE_VER0
 *
 * Any context, like perfgrp_mapped_get_row().
 *
 * Return: the number of values; -EMSGSIZE if there is no room for them; -ENODATA if the slot was
 * never written; -EAGAIN if it is being written, and then @to may have been overwritten.
 */
int perfgrp_mapped_copy_slot(const struct perfgrp_mapped *mapped, unsigned int instance,
			     struct perfgrp_map_slot *to, u32 size, u32 value_size)
{
	struct perfgrp_map_slot *slot = mapped->instances[instance].slot;
	/* BPF programs expect the values at this offset. */
	static_assert(sizeof(*to) == 64);
	const u32 room = (size - sizeof(*to)) / value_size;
	u32 seq, nr, i;

	if (!read_begin(slot, &seq))
		return seq ? -EAGAIN : -ENODATA;
	nr = READ_ONCE(slot->row.nr_values);
	if (nr <= room) {
		memcpy(to, slot, sizeof(*to));
		/* The copied seq is odd if a writer has begun and aborted in between. */
		to->seq = seq;
		for (i = 0; i < nr; i++)
			perfgrp_value_copy((void *)(to + 1) + i * value_size, value_size,
					   &perfgrp_mapped_values(slot)[i]);
	}
	if (!read_end(slot, seq))
		return -EAGAIN;
	return nr <= room ? nr : -EMSGSIZE;
}
