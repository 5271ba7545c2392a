// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of records: its memory, and writing to it. records_read.c reads.
 *
 * The layout is that of perf's ring buffer: a struct perf_event_mmap_page followed by 2^n pages of
 * records. Writers that interrupt one another work as they do there
 * (kernel/events/ring_buffer.c of 6.1.192, 6.12.117 and 7.3.4): each reserves its place by moving
 * @head with a cmpxchg, and the outermost one, when it is done, makes all their records readable by
 * setting @committed to @head. There is no lock, and nobody waits for another.
 *
 * A record is written in place. To make that possible the data is mapped twice in a row, as in
 * BPF's ring buffer: what extends beyond the first mapping is at the beginning of the ring.
 *
 * If the ring is full, new records are lost; the next writer that finds room, or the reader that
 * has emptied the ring, reports how many in a LOST record. With @overwrite a writer advances @tail,
 * record by record, until there is room. The reader copies records from @tail and then advances it
 * with a cmpxchg, too; if that fails, they were overwritten and the copy is void.
 */
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "records.h"
#include "ring.h"

/* ---- memory --------------------------------------------------------------- */

static void free_pages_of(struct perfgrp_ring *ring, unsigned long nr)
{
	while (nr--)
		__free_page(ring->pages[nr]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

static int alloc_pages_of(struct perfgrp_ring *ring, int node)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	unsigned long nr = perfgrp_ring_nr_pages(ring), i;

	/* Including the second mapping of the data. */
	ring->pages = kvmalloc_array(2 * nr - 1, sizeof(*ring->pages), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		ring->pages[i] = fatal_signal_pending(current) ? NULL :
								 alloc_pages_node(node, gfp, 0);
		if (!ring->pages[i]) {
			free_pages_of(ring, i);
			return -ENOMEM;
		}
	}
	memcpy(ring->pages + nr, ring->pages + 1, (nr - 1) * sizeof(*ring->pages));
	return 0;
}

/**
 * perfgrp_ring_alloc - allocate a ring's memory
 * @ring: the ring, with its constants set, without memory. Writers may already use it.
 * @node: NUMA node
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_ring_alloc(struct perfgrp_ring *ring, int node)
{
	unsigned long nr = perfgrp_ring_nr_pages(ring);
	struct perf_event_mmap_page *page;
	int ret;

	ret = alloc_pages_of(ring, node);
	if (ret)
		return ret;
	page = vmap(ring->pages, 2 * nr - 1, VM_MAP, PAGE_KERNEL);
	if (!page) {
		free_pages_of(ring, nr);
		return -ENOMEM;
	}
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = ring->size;
	ring->page = page;
	/* Pairs with the load in perfgrp_ring_exists(). */
	smp_store_release(&ring->data, (char *)page + PAGE_SIZE);
	return 0;
}

/**
 * perfgrp_ring_free - free a ring's memory, if it has any
 * @ring: the ring; nobody uses it any more
 *
 * May sleep.
 */
void perfgrp_ring_free(struct perfgrp_ring *ring)
{
	if (!ring->data)
		return;
	vunmap(ring->page);
	free_pages_of(ring, perfgrp_ring_nr_pages(ring));
	ring->data = NULL;
}

/* ---- writing -------------------------------------------------------------- */

/* The CPU to put into LOST records; -1 for records.other, which is no CPU's. */
static int cpu_of(const struct perfgrp_ring *ring)
{
	return ring == &ring->records->other ? -1 : smp_processor_id();
}

/*
 * Is there room up to @end? If userspace writes garbage to data_tail, it loses records, or unread
 * ones are overwritten.
 */
static bool make_room(struct perfgrp_ring *ring, unsigned long end)
{
	const struct perf_event_header *oldest;
	long tail;

	if (!ring->overwrite)
		return end - READ_ONCE(ring->page->data_tail) <= ring->size;
	tail = atomic_long_read(&ring->tail);
	while (end - tail > ring->size) {
		/* The rest is reserved by writers that this one has interrupted. */
		if (tail == READ_ONCE(ring->committed))
			return false;
		oldest = perfgrp_ring_at(ring, tail);
		/* Also fails if a writer that interrupted this one has moved it. */
		if (atomic_long_try_cmpxchg(&ring->tail, &tail, tail + READ_ONCE(oldest->size))) {
			local64_inc(&ring->overwritten);
			WRITE_ONCE(ring->lost_cpu, cpu_of(ring));
			tail = atomic_long_read(&ring->tail);
		}
	}
	return true;
}

/*
 * The control dependency on make_room() orders the load of the tail before the stores to the room
 * that it frees; readers store the tail with release.
 */
static void *take_place(struct perfgrp_ring *ring, size_t size)
{
	unsigned long head;

	do {
		head = local_read(&ring->head);
		if (!make_room(ring, head + size))
			return NULL;
	} while (local_cmpxchg(&ring->head, head, head + size) != head);
	local_inc(&ring->written);
	return perfgrp_ring_at(ring, head);
}

static void nest_begin(struct perfgrp_ring *ring)
{
	WRITE_ONCE(ring->nest, ring->nest + 1);
	barrier();
}

static void nest_end(struct perfgrp_ring *ring)
{
	unsigned long head;

	barrier();
	/* The writer that this one interrupted commits for both. */
	if (ring->nest > 1) {
		WRITE_ONCE(ring->nest, ring->nest - 1);
		return;
	}
	for (;;) {
		head = local_read(&ring->head);
		/* Pairs with the load in records_read_present(). */
		smp_store_release(&ring->committed, head);
		/* Pairs with the load in userspace's readers. */
		smp_store_release(&ring->page->data_head, head);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		if (likely(head == local_read(&ring->head)))
			return;
		/* A writer interrupted us between the load of @head and clearing @nest. */
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
}

/**
 * perfgrp_ring_fill_lost - fill in a LOST record
 * @record: filled in
 * @lost: how many records were lost
 * @time: when the last of them was lost
 * @cpu: on which CPU; -1 for records of BPF programs
 */
void perfgrp_ring_fill_lost(struct perfgrp_record_lost *record, u64 lost, u64 time, int cpu)
{
	*record = (struct perfgrp_record_lost){
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(*record) },
		.lost = lost,
		.sample_id = { .pid = -1, .tid = -1, .time = time, .cpu = cpu },
	};
}

static void output_lost(struct perfgrp_ring *ring, u64 time)
{
	long lost = atomic_long_xchg(&ring->lost_pending, 0);
	struct perfgrp_record_lost *record;

	/* A reader has already reported them. */
	if (!lost)
		return;
	record = take_place(ring, sizeof(*record));
	if (record)
		perfgrp_ring_fill_lost(record, lost, time, cpu_of(ring));
	else
		atomic_long_add(lost, &ring->lost_pending);
}

/**
 * perfgrp_ring_account_lost - count lost records
 * @ring: the ring
 * @nr: how many
 * @time: when
 *
 * Must be called as a writer: see struct perfgrp_ring.
 */
void perfgrp_ring_account_lost(struct perfgrp_ring *ring, unsigned long nr, u64 time)
{
	local64_add(nr, &ring->produced);
	local64_add(nr, &ring->lost);
	WRITE_ONCE(ring->lost_at, local_read(&ring->head));
	smp_wmb(); /* pairs with the smp_rmb() in read_pending_lost() */
	WRITE_ONCE(ring->lost_time, time);
	WRITE_ONCE(ring->lost_cpu, cpu_of(ring));
	/* The reader that takes the number needs the rest. */
	atomic_long_fetch_add_release(nr, &ring->lost_pending);
}

/**
 * perfgrp_ring_reserve - reserve room for a record
 * @ring: the ring
 * @size: the record's size, a multiple of 8
 * @time: the record's time
 *
 * Must be called as a writer (see struct perfgrp_ring), which the caller remains until
 * perfgrp_ring_commit().
 *
 * Return: where to write the record; NULL if it is lost, which is accounted.
 */
void *perfgrp_ring_reserve(struct perfgrp_ring *ring, size_t size, u64 time)
{
	void *record;

	if (unlikely(!perfgrp_ring_exists(ring))) {
		perfgrp_ring_account_lost(ring, 1, time);
		return NULL;
	}
	nest_begin(ring);
	if (unlikely(atomic_long_read(&ring->lost_pending)) && !ring->overwrite)
		output_lost(ring, time);
	record = take_place(ring, size);
	if (likely(record)) {
		local64_inc(&ring->produced);
		return record;
	}
	perfgrp_ring_account_lost(ring, 1, time);
	nest_end(ring);
	return NULL;
}

/**
 * perfgrp_ring_commit - make a record readable
 * @ring: the ring
 *
 * If the writer has interrupted another one, the record becomes readable when that one commits.
 */
void perfgrp_ring_commit(struct perfgrp_ring *ring)
{
	nest_end(ring);
}

/* ---- what is in it -------------------------------------------------------- */

/**
 * perfgrp_ring_bytes - how much there is to read
 * @ring: the ring; it exists
 *
 * Any context. If userspace reads the ring, this relies on its data_tail.
 *
 * Return: bytes.
 */
unsigned long perfgrp_ring_bytes(const struct perfgrp_ring *ring)
{
	unsigned long tail = ring->overwrite ? atomic_long_read(&ring->tail) :
					       READ_ONCE(ring->page->data_tail);

	return READ_ONCE(ring->committed) - tail;
}

/**
 * perfgrp_ring_entries - how many records there are to read
 * @ring: the ring
 *
 * Any context.
 *
 * Return: number of records, including LOST records.
 */
unsigned long perfgrp_ring_entries(const struct perfgrp_ring *ring)
{
	return local_read(&ring->written) - READ_ONCE(ring->taken) -
	       (unsigned long)local64_read(&ring->overwritten);
}
