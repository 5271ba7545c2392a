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
 * @data: the records. Mapped twice in a row, so that each is in one piece. NULL as long as
 *	there is no memory for a CPU that came online later; then set once, with release.
 * @page: what userspace sees of the ring's state, in the page before @data. Userspace may
 *	write anything there.
 * @pages: @page and those of @data
 * @head: where the next record goes. This and all other positions are bytes since the ring was
 *	created.
 * @committed: up to here records are complete
 * @nest: writers in progress, each having interrupted the one before it
 * @written: records, LOST ones among them
 * @produced: records that were to be written
 * @lost: those that found no room
 * @filtered: samples that were not to become records
 * @overwritten: records that were dropped before they were read
 * @lost_pending: those of @lost that no LOST record has reported yet; also written by readers
 * @lost_time: when the last of them was lost
 * @lost_cpu: on which CPU, or where the last of @overwritten was dropped; -1 in
 *	perfgrp_records.other
 * @tail: where the oldest record is. Written by readers and, with @overwrite, by writers.
 * @taken: records that were read or, if userspace reads, that were before the last @mark
 * @mark: if userspace reads: a position
 * @mark_written: and how many records are before it
 * @overwritten_told: as many of @overwritten were reported by LOST records
 * @limit: up to here the current reader reads
 * @next_time: when the next thing to read was recorded; meaningless without @has_next
 * @has_next: there is a record before @limit, or one of @lost_pending
 *
 * One writer at a time, except that it may be interrupted by another on the same CPU. Those of
 * a CPU's or a task's ring have interrupts off, and only an NMI interrupts them; those of
 * perfgrp_records.other hold its lock. From @head to @lost_cpu all is theirs. From @tail on all
 * belongs to the reader, who holds perfgrp_records.reading.
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

/* Pages of a ring, that of its state among them. */
static inline unsigned long perfgrp_ring_nr_pages(const struct perfgrp_ring *ring)
{
	return 1 + (ring->size >> PAGE_SHIFT);
}

/* What is at a position. */
static inline void *perfgrp_ring_at(const struct perfgrp_ring *ring, unsigned long position)
{
	return ring->data + (position & (ring->size - 1));
}

/* Whether the ring has memory; if it has, its other fields can be used. */
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
