/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a group: a ring (ring.c) for each CPU or for the task, which the overflow handler
 * writes, and one for all other records. Readers merge them.
 *
 * A reader holds perfgrp_records.reading, but never while it waits for user memory.
 */
#ifndef PERFGRP_RECORDS_H
#define PERFGRP_RECORDS_H

#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/page.h>
#include <uapi/linux/perfgrp.h>

#include "ring.h"
#include "task_exit.h"

struct bpf_prog;
struct file;
struct mem_cgroup;
struct perfgrp_group;
struct poll_table_struct;
struct user_struct;
struct vm_area_struct;

/**
 * struct perfgrp_records - the rings of a group
 * @group: the group
 * @task_exit: wakes readers when the group's task has exited, if there is one
 * @user: the user whom the memory is charged to
 * @memcg: the memory cgroup that it is charged to, with a reference; NULL without memory cgroups
 * @nr_pages: pages of all rings, charged as locked memory of @user (perfgrp_group.lock)
 * @wakeup_records: how many records in one ring wake the readers
 * @wakeup_bytes: how many bytes do. Half a full ring always does, before records are lost.
 * @wake: wakes the readers; queued in any context, runs in hard IRQ context or, with PREEMPT_RT,
 *	in a thread
 * @woken: @wake was queued, and no reader has looked at the rings since; set by writers, cleared
 *	by readers
 * @reading: held by the reader
 * @nr_read: records that were read; written under @reading
 * @mapped: userspace has a writable mapping of a ring, and so is the reader; set once, under
 *	@reading
 * @other: the ring of records that do not come from an overflow: of BPF programs being loaded,
 *	unloaded, attached and detached
 * @other_lock: held by writers of @other, with interrupts off. See lock_other().
 * @per_cpu: a ring per CPU number, because the group's task and its children may overflow on
 *	several CPUs at the same time
 * @nr_rings: how many of @rings there are
 * @rings: one per instance of the group, or with @per_cpu one per CPU number
 *
 * Constant after creation, except as marked.
 */
struct perfgrp_records {
	struct perfgrp_group *group;
	struct perfgrp_task_exit task_exit;
	struct user_struct *user;
	struct mem_cgroup *memcg;
	unsigned long nr_pages;
	u32 wakeup_records;
	unsigned long wakeup_bytes;
	struct irq_work wake;
	bool woken;
	struct mutex reading; /* one reader at a time */
	u64 nr_read;
	bool mapped;
	struct perfgrp_ring other;
	raw_spinlock_t other_lock; /* one writer of that ring at a time */
	bool per_cpu;
	unsigned int nr_rings;
	struct perfgrp_ring rings[];
};

/* The size of a ring for a buffer_size that the user asked for. */
static inline unsigned long perfgrp_records_ring_size(u32 buffer_size)
{
	return roundup_pow_of_two(max_t(unsigned long, buffer_size, 2 * PAGE_SIZE));
}

/* The ring for an overflow of an instance on this CPU. */
static inline struct perfgrp_ring *perfgrp_records_ring(struct perfgrp_records *records,
							unsigned int instance)
{
	return &records->rings[records->per_cpu ? smp_processor_id() : instance];
}

/* The rings, one after the other. */
#define perfgrp_for_each_ring(records, ring, i)                                                    \
	for ((i) = 0; (i) <= (records)->nr_rings &&                                                \
		      ((ring) = (i) ? &(records)->rings[(i) - 1] : &(records)->other, true);       \
	     (i)++)

bool perfgrp_records_watermark_reached(const struct perfgrp_ring *ring);

struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err);
void perfgrp_records_add_ring(struct perfgrp_group *group, unsigned int nr);
void perfgrp_records_uncharge(struct perfgrp_records *records);
void perfgrp_records_destroy(struct perfgrp_records *records);
void perfgrp_records_commit(struct perfgrp_ring *ring);
void perfgrp_records_account_missed(struct perfgrp_records *records, unsigned long nr);
void perfgrp_records_get_current(const struct perfgrp_group *group, u32 *pid, u32 *tid);
void perfgrp_records_fill_sample_id(const struct perfgrp_group *group, u64 time, u64 id,
				    struct perfgrp_sample_id *sample_id);
void perfgrp_records_output_bpf_event(const struct perfgrp_group *group, u16 type, u16 flags,
				      const struct bpf_prog *prog);
void perfgrp_records_output_bpf_attach(const struct perfgrp_group *group, u32 type, u32 id,
				       const struct bpf_prog *prog);
ssize_t perfgrp_records_read(struct perfgrp_records *records, char __user *to, size_t room,
			     bool wait);
int perfgrp_records_mmap(struct perfgrp_records *records, struct vm_area_struct *vma);
__poll_t perfgrp_records_poll(struct perfgrp_records *records, struct file *file,
			      struct poll_table_struct *table);
void perfgrp_records_get_stats(struct perfgrp_records *records, struct perfgrp_stream_stats *stats);

#endif /* PERFGRP_RECORDS_H */
