// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the records of a group: read(2), poll(2) and statistics.
 *
 * A call reads the records that were complete when it began, so what it returns is ordered by time
 * as far as each ring is. Consecutive records of one ring are copied in one go.
 *
 * A ring in overwrite mode may overwrite records while they are copied. Then its tail has moved,
 * the copy is void, and the reader starts over at the new tail. Nothing in a record can be trusted,
 * not even its size, until the tail was checked again after reading it.
 *
 * A page fault may take arbitrarily long (FUSE, userfaultfd). So nobody waits for one with
 * perfgrp_records.reading held: records are copied with page faults disabled, and a reader whose
 * memory is not present drops the mutex, faults the memory in and goes on with the record that is
 * the oldest by then.
 *
 * Process context, without perfgrp_group.lock. Readers take perfgrp_records.reading.
 */
#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "bpf_events.h"
#include "cgroup.h"
#include "group.h"
#include "records.h"
#include "ring.h"

/* ---- one ring -------------------------------------------------------------- */

/*
 * Bytes that are copied in one go, unless a single record is longer. Limits how much a ring in
 * overwrite mode can void.
 */
#define MAX_RUN SZ_4K

static unsigned long tail_of(const struct perfgrp_ring *ring)
{
	return atomic_long_read(&ring->tail);
}

/* Is everything valid that was read from the ring since its tail was @tail? */
static bool still_there(const struct perfgrp_ring *ring, unsigned long tail)
{
	smp_rmb(); /* pairs with the cmpxchg in make_room() */
	return tail_of(ring) == tail;
}

/* All records but samples end with a struct perfgrp_sample_id. */
static u64 record_time(const struct perf_event_header *header, size_t size)
{
	const void *end = (const void *)header + size;

	if (header->type == PERF_RECORD_SAMPLE)
		return ((const struct perfgrp_record_sample *)header)->time;
	return ((const struct perfgrp_sample_id *)end)[-1].time;
}

/* Size of the record at position @at; 0 if the ring has overwritten it. */
static size_t record_size(const struct perfgrp_ring *ring, unsigned long tail, unsigned long at)
{
	const struct perf_event_header *header = perfgrp_ring_at(ring, at);
	size_t size = READ_ONCE(header->size);

	return still_there(ring, tail) ? size : 0;
}

/*
 * Does the last loss come before the records that were written since the reader began? If not, a
 * writer has filled the ring meanwhile, and these records come first.
 */
static bool lost_before_limit(const struct perfgrp_ring *ring)
{
	return (long)(ring->limit - READ_ONCE(ring->lost_at)) >= 0;
}

/* Lost records that are not reported yet come after all records in the ring. */
static bool has_lost_next(const struct perfgrp_ring *ring)
{
	return atomic_long_read(&ring->lost_pending) && lost_before_limit(ring);
}

/* Set has_next and next_time of a ring. */
static void look_at(struct perfgrp_ring *ring)
{
	unsigned long tail;
	size_t size;

	do {
		tail = tail_of(ring);
		if ((long)(ring->limit - tail) <= 0) {
			ring->has_next = has_lost_next(ring);
			ring->next_time = READ_ONCE(ring->lost_time);
			return;
		}
		size = record_size(ring, tail, tail);
		if (size)
			ring->next_time = record_time(perfgrp_ring_at(ring, tail), size);
	} while (!size || !still_there(ring, tail));
	ring->has_next = true;
}

/*
 * Returns the bytes copied, or a negative errno if nothing was. -EFAULT also means that the memory
 * is not present.
 */
static ssize_t copy_records(char __user *to, size_t room, const void *record, size_t size)
{
	unsigned long left;

	if (size > room)
		return -EMSGSIZE;
	pagefault_disable();
	left = copy_to_user(to, record, size);
	pagefault_enable();
	return left ? -EFAULT : size;
}

static ssize_t copy_lost(char __user *to, size_t room, u64 lost, u64 time, int cpu)
{
	struct perfgrp_record_lost record;

	perfgrp_ring_fill_lost(&record, lost, time, cpu);
	return copy_records(to, room, &record, sizeof(record));
}

static ssize_t read_pending_lost(struct perfgrp_ring *ring, char __user *to, size_t room)
{
	long lost = atomic_long_xchg(&ring->lost_pending, 0);
	u64 time = READ_ONCE(ring->lost_time);
	int cpu = READ_ONCE(ring->lost_cpu);
	ssize_t ret = 0;

	/* A writer has already reported them in the ring. */
	if (!lost)
		return 0;
	smp_rmb(); /* pairs with the smp_wmb() in perfgrp_ring_account_lost() */
	if (lost_before_limit(ring))
		ret = copy_lost(to, room, lost, time, cpu);
	if (ret <= 0)
		atomic_long_add(lost, &ring->lost_pending);
	return ret;
}

/* Report the records that a ring in overwrite mode has dropped before its next one. */
static ssize_t read_overwritten(struct perfgrp_ring *ring, char __user *to, size_t room)
{
	u64 nr = (u64)local64_read(&ring->overwritten) - ring->overwritten_told;
	ssize_t ret;

	if (!nr)
		return 0;
	ret = copy_lost(to, room, nr, ring->next_time, READ_ONCE(ring->lost_cpu));
	if (ret > 0)
		ring->overwritten_told += nr;
	return ret;
}

/**
 * struct run - consecutive records of a ring
 * @tail: where they begin
 * @end: where they end
 * @nr: how many there are
 * @nr_lost: how many of these are LOST records
 */
struct run {
	unsigned long tail;
	unsigned long end;
	unsigned int nr;
	unsigned int nr_lost;
};

/*
 * Find the next records that are not later than @until and fit into @room; the first one may be
 * later. Returns false if the ring has overwritten some.
 */
static bool find_run(const struct perfgrp_ring *ring, u64 until, size_t room, struct run *run)
{
	const struct perf_event_header *header;
	size_t size;

	*run = (struct run){ .tail = tail_of(ring) };
	run->end = run->tail;
	while ((long)(ring->limit - run->end) > 0) {
		header = perfgrp_ring_at(ring, run->end);
		size = record_size(ring, run->tail, run->end);
		if (!size)
			return false;
		if (run->end + size - run->tail > (run->nr ? min_t(size_t, room, MAX_RUN) : room))
			break;
		if (run->nr && record_time(header, size) > until)
			break;
		run->nr_lost += header->type == PERF_RECORD_LOST;
		run->nr++;
		run->end += size;
	}
	return true;
}

/* Returns bytes, a negative errno, or 0 if the ring has overwritten them. */
static ssize_t read_run(struct perfgrp_records *records, struct perfgrp_ring *ring, u64 until,
			char __user *to, size_t room)
{
	struct run run;
	ssize_t ret;
	long tail;

	if (!find_run(ring, until, room, &run))
		return 0;
	if (!run.nr)
		return (long)(ring->limit - run.tail) > 0 ? -EMSGSIZE : 0;
	ret = copy_records(to, room, perfgrp_ring_at(ring, run.tail), run.end - run.tail);
	if (ret < 0)
		return ret;
	tail = run.tail;
	if (!atomic_long_try_cmpxchg(&ring->tail, &tail, run.end))
		return 0;
	/* Pairs with the load in make_room(). */
	smp_store_release(&ring->page->data_tail, run.end);
	WRITE_ONCE(ring->taken, ring->taken + run.nr);
	WRITE_ONCE(records->nr_read, records->nr_read + run.nr - run.nr_lost);
	return ret;
}

/* ---- all rings -------------------------------------------------------------- */

/* The ring whose next record is the oldest. @until: set to the time of the next in another ring. */
static struct perfgrp_ring *oldest_ring(struct perfgrp_records *records, u64 *until)
{
	struct perfgrp_ring *ring, *oldest = NULL;
	unsigned int i;

	*until = U64_MAX;
	perfgrp_for_each_ring(records, ring, i) {
		if (!ring->has_next)
			continue;
		if (!oldest) {
			oldest = ring;
		} else if (ring->next_time < oldest->next_time) {
			*until = oldest->next_time;
			oldest = ring;
		} else {
			*until = min(*until, ring->next_time);
		}
	}
	return oldest;
}

/* Returns bytes, 0 if there is nothing left to read, or a negative errno. */
static ssize_t read_next(struct perfgrp_records *records, struct perfgrp_ring *ring, u64 until,
			 char __user *to, size_t room)
{
	ssize_t ret;

	if ((long)(ring->limit - tail_of(ring)) <= 0)
		return has_lost_next(ring) ? read_pending_lost(ring, to, room) : 0;
	ret = read_overwritten(ring, to, room);
	return ret ?: read_run(records, ring, until, to, room);
}

/* Let records written from now on wake the readers again. */
static void records_look(struct perfgrp_records *records)
{
	WRITE_ONCE(records->woken, false);
	smp_mb(); /* pairs with that of wq_has_sleeper() in perfgrp_records_commit() */
}

/*
 * Copy all records that fit, oldest first, to @to + *@done, and add their bytes to *@done. Returns
 * 0, or why the next one cannot be copied: -EMSGSIZE or -EFAULT.
 */
static int records_read_present(struct perfgrp_records *records, char __user *to, size_t room,
				size_t *done)
{
	struct perfgrp_ring *ring;
	unsigned int i;
	ssize_t ret;
	u64 until;

	lockdep_assert_held(&records->reading);

	perfgrp_bpf_events_count_missed(records->group);
	records_look(records);
	perfgrp_for_each_ring(records, ring, i) {
		/* Pairs with the store in nest_end(). */
		ring->limit = smp_load_acquire(&ring->committed);
		look_at(ring);
	}
	while ((ring = oldest_ring(records, &until))) {
		ret = read_next(records, ring, until, to + *done, room - *done);
		if (ret < 0)
			return ret;
		*done += ret;
		look_at(ring);
		if (ret && signal_pending(current))
			break;
		cond_resched();
	}
	return 0;
}

/* Bytes that are faulted in at once; more than the largest record. */
#define FAULT_IN_SIZE SZ_64K
/* How often in a row memory may be paged out again before anything was copied. */
#define MAX_FAULTS    16

/* Copy all records that fit, oldest first. Returns bytes or a negative errno. */
static ssize_t read_records(struct perfgrp_records *records, char __user *to, size_t room)
{
	size_t done = 0, before, size;
	unsigned int faults = 0;
	int ret;

	for (;;) {
		before = done;
		if (mutex_lock_interruptible(&records->reading))
			return done ?: -ERESTARTSYS;
		ret = records->mapped ? -EBUSY :
					records_read_present(records, to, room, &done);
		mutex_unlock(&records->reading);
		if (ret != -EFAULT || signal_pending(current))
			break;
		faults = done > before ? 0 : faults + 1;
		size = min_t(size_t, room - done, FAULT_IN_SIZE);
		/* Give up only if nothing could be faulted in: part of it may hold a record. */
		if (faults > MAX_FAULTS ||
		    fault_in_safe_writeable(to + done, size) == size)
			break;
	}
	if (ret == -EFAULT && signal_pending(current))
		ret = -ERESTARTSYS;
	return done ?: ret;
}

static bool records_readable(struct perfgrp_records *records)
{
	const struct perfgrp_ring *ring;
	unsigned int i;

	records_look(records);
	perfgrp_for_each_ring(records, ring, i)
		if (perfgrp_ring_exists(ring) && perfgrp_records_watermark_reached(ring))
			return true;
	return false;
}

/*
 * Userspace reads the ring itself and does not report how many records it has read. Once it has
 * read up to the mark, the records before the mark count as taken, and the mark moves to the end
 * of the ring. Too few may be counted as taken, which causes a spurious wakeup, but never too many:
 * @written may be ahead of @committed, so the mark is moved only while nobody writes.
 */
static void move_mark(struct perfgrp_ring *ring)
{
	unsigned long written, head;

	lockdep_assert_held(&ring->records->reading);

	if ((long)(READ_ONCE(ring->page->data_tail) - ring->mark) < 0)
		return;
	WRITE_ONCE(ring->taken, ring->mark_written);
	written = local_read(&ring->written);
	smp_rmb(); /* pairs with the cmpxchg in take_place() */
	head = local_read(&ring->head);
	if (head != READ_ONCE(ring->committed))
		return;
	ring->mark = head;
	ring->mark_written = written;
}

static void move_marks(struct perfgrp_records *records)
{
	struct perfgrp_ring *ring;
	unsigned int i;

	mutex_lock(&records->reading);
	perfgrp_for_each_ring(records, ring, i)
		if (perfgrp_ring_exists(ring))
			move_mark(ring);
	mutex_unlock(&records->reading);
}

/*
 * Whether the group's task has exited, or its cgroup was removed. Then there are no more records,
 * except from the task's children in an INHERIT group, and from tasks of the cgroup that are still
 * exiting.
 */
static bool records_ended(const struct perfgrp_records *records)
{
	const struct task_struct *task = records->group->task;

	/* Acquire: the caller looks for records afterwards. */
	return (task && smp_load_acquire(&task->exit_state)) ||
	       perfgrp_cgroup_removed(records->group);
}

/**
 * perfgrp_records_read - read(2)
 * @records: the rings
 * @to: user memory
 * @room: size of @to in bytes
 * @wait: sleep while there are no records
 *
 * Return: bytes; 0 if all records are read and the task has exited or the cgroup was removed;
 * -EAGAIN without @wait; -EMSGSIZE if the first record does not fit; -EFAULT; -EBUSY if userspace
 * reads the rings itself; -ERESTARTSYS on a signal.
 */
ssize_t perfgrp_records_read(struct perfgrp_records *records, char __user *to, size_t room,
			     bool wait)
{
	bool ended;
	ssize_t ret;

	for (;;) {
		/* Checked before reading, so that the last records are not missed. */
		ended = records_ended(records);
		ret = read_records(records, to, room);
		if (ret || ended)
			return ret;
		if (!wait)
			return -EAGAIN;
		ret = wait_event_interruptible(records->group->wait,
					       records_readable(records) ||
						       records_ended(records));
		if (ret)
			return ret;
	}
}

/**
 * perfgrp_records_poll - poll(2)
 * @records: the rings
 * @file: the file that is polled
 * @table: the poll table
 *
 * Return: EPOLLIN if wakeup_records or wakeup_bytes is reached; EPOLLHUP and EPOLLIN if
 * the task has exited or the cgroup was removed.
 */
__poll_t perfgrp_records_poll(struct perfgrp_records *records, struct file *file,
			      struct poll_table_struct *table)
{
	__poll_t events = 0;

	poll_wait(file, &records->group->wait, table);
	if (READ_ONCE(records->mapped))
		move_marks(records);
	if (records_ended(records))
		events |= EPOLLHUP | EPOLLIN | EPOLLRDNORM;
	else if (records_readable(records))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

/**
 * perfgrp_records_get_stats - PERFGRP_GET_STREAM_STATS
 * @records: the rings
 * @stats: its output fields are filled in
 *
 * Takes no lock, so the numbers may not add up while there are writers or readers.
 */
void perfgrp_records_get_stats(struct perfgrp_records *records, struct perfgrp_stream_stats *stats)
{
	struct perfgrp_ring *ring;
	unsigned int i;

	perfgrp_bpf_events_count_missed(records->group);
	stats->read = READ_ONCE(records->nr_read);
	stats->lost = 0;
	stats->produced = 0;
	stats->filtered = 0;
	perfgrp_for_each_ring(records, ring, i) {
		stats->lost += local64_read(&ring->lost) + local64_read(&ring->overwritten);
		stats->produced += local64_read(&ring->produced);
		stats->filtered += local64_read(&ring->filtered);
	}
	stats->sample_type = PERFGRP_SAMPLE_TYPE;
	if (records->group->sample_max_stack)
		stats->sample_type |= PERF_SAMPLE_CALLCHAIN;
	stats->read_format = PERFGRP_READ_FORMAT;
	stats->buffer_size = records->rings[0].size;
	stats->nr_rings = records->nr_rings + 1;
	stats->last_ring_size = records->other.size;
}
