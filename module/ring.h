/* SPDX-License-Identifier: GPL-2.0 */
/* A ring of records, with the layout of perf's; see ring.c. */
#ifndef PERFGRP_RING_H
#define PERFGRP_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <asm/local.h>
#include <asm/local64.h>
#include <uapi/linux/perfgrp.h>

struct page;
struct perfgrp_records;

/**
 * struct perfgrp_ring - a ring of records
 * @records: the group's rings, of which this is one; constant
 * @size: of the data in bytes, a power of two; constant
 * @overwrite: a full ring drops its oldest records; constant
 * @data: the records. Mapped twice in a row, so that each record is contiguous. NULL until there
 *	is memory, which a CPU that comes online later may lack; set once, with release.
 * @page: what userspace sees of the ring's state, in the page before @data. Userspace may
 *	write anything there.
 * @pages: @page and the pages of @data
 * @head: where the next record goes. This and all other positions are bytes since the ring was
 *	created.
 * @committed: records before this position are complete
 * @nest: number of writers in progress, each having interrupted the one before it
 * @written: number of records written, including LOST records
 * @produced: number of records that were to be written
 * @lost: how many of these found no room
 * @filtered: number of samples that were filtered out
 * @overwritten: number of records that were dropped before they were read
 * @lost_pending: how many of @lost no LOST record has reported yet; also written by readers
 * @lost_at: @head when the last of them was lost
 * @lost_time: when that was
 * @lost_cpu: on which CPU, or where the last of @overwritten was dropped; -1 in
 *	perfgrp_records.other
 * @tail: position of the oldest record. Written by readers and, with @overwrite, by writers.
 * @taken: number of records that were read; if userspace reads, of those before the last @mark
 *	that it has passed
 * @mark: if userspace reads: a position whose number of records is known; see move_mark()
 * @mark_written: number of records before @mark
 * @overwritten_told: how many of @overwritten LOST records have reported
 * @limit: the current reader reads up to this position
 * @next_time: time of the next record or loss to be read; meaningless without @has_next
 * @has_next: there is a record before @limit, or a loss in @lost_pending
 *
 * One writer at a time, except that another on the same CPU may interrupt it. Writers of a CPU's
 * or a task's ring have interrupts off, so that only an NMI interrupts them; writers of
 * perfgrp_records.other hold its lock. The fields from @head to @lost_cpu belong to the writers,
 * those from @tail on to the reader, which holds perfgrp_records.reading.
 */
struct perfgrp_ring {
	struct perfgrp_records *records;
	unsigned long size;
	bool overwrite;
	char *data;
	struct perf_event_mmap_page *page;
	struct page **pages;

	local_t head;
	unsigned long committed;
	unsigned int nest;
	local_t written;
	local64_t produced;
	local64_t lost;
	local64_t filtered;
	local64_t overwritten;
	atomic_long_t lost_pending;
	unsigned long lost_at;
	u64 lost_time;
	int lost_cpu;

	atomic_long_t tail ____cacheline_aligned_in_smp;
	unsigned long taken;
	unsigned long mark;
	unsigned long mark_written;
	u64 overwritten_told;
	unsigned long limit;
	u64 next_time;
	bool has_next;
};

/* Number of a ring's pages, including the one with its state. */
static inline unsigned long perfgrp_ring_nr_pages(const struct perfgrp_ring *ring)
{
	return 1 + (ring->size >> PAGE_SHIFT);
}

/* Address of a position. */
static inline void *perfgrp_ring_at(const struct perfgrp_ring *ring, unsigned long position)
{
	return ring->data + (position & (ring->size - 1));
}

/* Does the ring have memory? If so, its other fields can be used. */
static inline bool perfgrp_ring_exists(const struct perfgrp_ring *ring)
{
	/* Pairs with the store in perfgrp_ring_alloc(). */
	return smp_load_acquire(&ring->data);
}

int perfgrp_ring_alloc(struct perfgrp_ring *ring, int node);
void perfgrp_ring_free(struct perfgrp_ring *ring);
void perfgrp_ring_fill_lost(struct perfgrp_record_lost *record, u64 lost, u64 time, int cpu);
void perfgrp_ring_account_lost(struct perfgrp_ring *ring, unsigned long nr, u64 time);
void *perfgrp_ring_reserve(struct perfgrp_ring *ring, size_t size, u64 time);
void perfgrp_ring_commit(struct perfgrp_ring *ring);
unsigned long perfgrp_ring_bytes(const struct perfgrp_ring *ring);
unsigned long perfgrp_ring_entries(const struct perfgrp_ring *ring);

#endif /* PERFGRP_RING_H */
