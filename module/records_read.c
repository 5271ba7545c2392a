// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the records of a group: read(2), poll(2) and statistics.
 *
 * A reader peeks into a buffer only if it knows of a record there that it has not
 * consumed. Peeking into an empty buffer can lose records: ring_buffer.c first checks how
 * much is on the reader's page and then whether the writer has left that page; if the
 * writer fills and leaves it in between, the rest of the page is never read. With a record
 * known to be there, either the page has more, or it is full and the writer has left it. Read in
 * rb_get_reader_page() and rb_buffer_peek() of 6.1.192, 6.12.117 and 7.3.4.
 *
 * A page fault takes as long as the memory's owner likes (FUSE, userfaultfd). So nobody waits
 * for one with perfgrp_records.reading held: records are copied with page faults disabled, and
 * a reader whose memory is not present drops it, faults the memory in and goes on with what is
 * the oldest record then.
 *
 * Process context, without perfgrp_group.lock. Readers take perfgrp_records.reading.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "bpf_events.h"
#include "group.h"
#include "records.h"

/* All records but samples end with a struct perfgrp_sample_id. */
static u64 record_time(const struct perf_event_header *header)
{
	const void *end = (const void *)header + header->size;

	if (header->type == PERF_RECORD_SAMPLE)
		return ((const perfgrp_sample_record *)header)->time;
	return ((const perfgrp_sample_id_rec *)end)[-1].time;
}

static struct ring_buffer_event *records_peek(struct perfgrp_records *records, int cpu,
					      unsigned long *overwritten)
{
	struct perfgrp_records_cpu *counts = per_cpu_ptr(records->cpu, cpu);

	*overwritten = 0;
	/* Pairs with smp_store_release() in nest_end(), where committed may briefly go back. */
	if ((long)(smp_load_acquire(&counts->committed) - counts->consumed) <= 0)
		return NULL;
	return ring_buffer_peek(records->buffer, cpu, NULL, overwritten);
}

static void records_update_head(struct perfgrp_records *records, int cpu)
{
	struct perfgrp_records_cpu *counts = per_cpu_ptr(records->cpu, cpu);
	struct perfgrp_records_head *head = &records->heads[cpu];
	struct ring_buffer_event *event;
	unsigned long overwritten;

	event = records_peek(records, cpu, &overwritten);
	if (event)
		head->time = record_time(ring_buffer_event_data(event));
	else
		head->time = READ_ONCE(counts->lost_time);
	head->valid = event || atomic_long_read(&counts->lost_pending);
}

/* The CPU with the oldest record; -1 if there is none. */
static int records_oldest_cpu(struct perfgrp_records *records)
{
	int cpu, best = -1;

	for_each_possible_cpu(cpu)
		if (records->heads[cpu].valid &&
		    (best < 0 || records->heads[cpu].time < records->heads[best].time))
			best = cpu;
	return best;
}

/*
 * Returns the bytes copied, or a negative errno with nothing copied: -EFAULT also if the memory
 * is not present.
 */
static ssize_t records_copy(char __user *to, size_t room, const void *record)
{
	size_t size = ((const struct perf_event_header *)record)->size;
	unsigned long left;

	if (size > room)
		return -EMSGSIZE;
	pagefault_disable();
	left = copy_to_user(to, record, size);
	pagefault_enable();
	return left ? -EFAULT : size;
}

static ssize_t records_copy_lost(char __user *to, size_t room, u64 lost, u64 time, int cpu)
{
	perfgrp_lost_record record;

	perfgrp_records_fill_lost(&record, lost, time, cpu);
	return records_copy(to, room, &record);
}

static ssize_t records_read_pending_lost(struct perfgrp_records *records, int cpu, char __user *to,
					 size_t room)
{
	struct perfgrp_records_cpu *counts = per_cpu_ptr(records->cpu, cpu);
	long lost = atomic_long_xchg(&counts->lost_pending, 0);
	ssize_t ret;

	/* A writer has reported them in the buffer. */
	if (!lost)
		return 0;
	ret = records_copy_lost(to, room, lost, READ_ONCE(counts->lost_time), cpu);
	if (ret < 0)
		atomic_long_add(lost, &counts->lost_pending);
	return ret;
}

/*
 * Copy the next record of @cpu. Returns its size in bytes; 0 if a writer has reported what
 * was lost; or a negative errno.
 */
static ssize_t records_read_one(struct perfgrp_records *records, int cpu, char __user *to,
				size_t room)
{
	struct perfgrp_records_cpu *counts = per_cpu_ptr(records->cpu, cpu);
	struct perfgrp_records_head *head = &records->heads[cpu];
	const struct perf_event_header *header;
	struct ring_buffer_event *event;
	unsigned long overwritten;
	ssize_t ret;

	event = records_peek(records, cpu, &overwritten);
	if (!event)
		return records_read_pending_lost(records, cpu, to, room);
	header = ring_buffer_event_data(event);
	if (overwritten && !head->lost_reported) {
		ret = records_copy_lost(to, room, overwritten, record_time(header), cpu);
		if (ret > 0) {
			WRITE_ONCE(records->nr_overwritten,
				   records->nr_overwritten + overwritten);
			counts->consumed += overwritten;
			head->lost_reported = true;
		}
		return ret;
	}
	ret = records_copy(to, room, header);
	if (ret < 0)
		return ret;
	if (header->type != PERF_RECORD_LOST) {
		WRITE_ONCE(counts->taken_bytes, counts->taken_bytes + ret);
		WRITE_ONCE(records->nr_read, records->nr_read + 1);
	}
	ring_buffer_consume(records->buffer, cpu, NULL, NULL);
	counts->consumed++;
	head->lost_reported = false;
	return ret;
}

/*
 * Copy as many records as there are and fit, oldest first, to @to + *@done, and add their bytes
 * to *@done. Returns 0, or what prevents the next one from being copied: -EMSGSIZE or -EFAULT.
 */
static int records_read_present(struct perfgrp_records *records, char __user *to, size_t room,
				size_t *done)
{
	ssize_t ret;
	int cpu;

	lockdep_assert_held(&records->reading);

	perfgrp_bpf_events_count_missed(records->group);
	for_each_possible_cpu(cpu)
		records_update_head(records, cpu);
	while ((cpu = records_oldest_cpu(records)) >= 0) {
		ret = records_read_one(records, cpu, to + *done, room - *done);
		if (ret < 0)
			return ret;
		*done += ret;
		records_update_head(records, cpu);
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return 0;
}

/* As much as is faulted in at once; more than a record. */
#define FAULT_IN_SIZE SZ_64K
/* How often memory may have gone again before anything was copied. */
#define MAX_FAULTS    16

/* Copy records, oldest first, as long as there are and they fit. Returns bytes or an errno. */
static ssize_t read_records(struct perfgrp_records *records, char __user *to, size_t room)
{
	size_t done = 0, before, size;
	unsigned int faults = 0;
	int ret;

	for (;;) {
		before = done;
		if (mutex_lock_interruptible(&records->reading))
			return done ?: -ERESTARTSYS;
		ret = records_read_present(records, to, room, &done);
		mutex_unlock(&records->reading);
		if (ret != -EFAULT || signal_pending(current))
			break;
		faults = done > before ? 0 : faults + 1;
		size = min_t(size_t, room - done, FAULT_IN_SIZE);
		/* Less than that may be there, and enough for a record. */
		if (faults > MAX_FAULTS ||
		    fault_in_safe_writeable(to + done, size) == size)
			break;
	}
	if (ret == -EFAULT && signal_pending(current))
		ret = -ERESTARTSYS;
	return done ?: ret;
}

static bool records_readable(const struct perfgrp_records *records)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (perfgrp_records_watermark_reached(records, cpu))
			return true;
	return false;
}

/* Whether the group's task has exited, after which nothing more is recorded. */
static bool records_task_exited(const struct perfgrp_records *records)
{
	const struct task_struct *task = records->group->task;

	return task && READ_ONCE(task->exit_state);
}

/*
 * No exported interface wakes a sleeper when a task exits, so readers of a task's records
 * check four times a second.
 */
static int records_wait(struct perfgrp_records *records)
{
	long left = records->group->task ? HZ / 4 : MAX_SCHEDULE_TIMEOUT;

	left = wait_event_interruptible_timeout(records->wait,
						records_readable(records) ||
							records_task_exited(records),
						left);
	return left < 0 ? left : 0;
}

/**
 * perfgrp_records_read - read(2)
 * @records: the buffers
 * @to: user memory
 * @room: size of @to in bytes
 * @wait: sleep while there are no records
 *
 * Return: bytes; 0 if the task has exited and all records are read; -EAGAIN without @wait;
 * -EMSGSIZE if the first record does not fit; -EFAULT; -ERESTARTSYS on a signal.
 */
ssize_t perfgrp_records_read(struct perfgrp_records *records, char __user *to, size_t room,
			     bool wait)
{
	bool exited;
	ssize_t ret;

	for (;;) {
		/* Checked before reading, so that the task's last records are not missed. */
		exited = records_task_exited(records);
		ret = read_records(records, to, room);
		if (ret || exited)
			return ret;
		if (!wait)
			return -EAGAIN;
		ret = records_wait(records);
		if (ret)
			return ret;
	}
}

/**
 * perfgrp_records_poll - poll(2)
 * @records: the buffers
 * @file: the file that is polled
 * @table: the poll table
 *
 * Return: EPOLLIN if wakeup_records or wakeup_bytes is reached; EPOLLHUP and EPOLLIN if
 * the task has exited.
 */
__poll_t perfgrp_records_poll(struct perfgrp_records *records, struct file *file,
			      struct poll_table_struct *table)
{
	__poll_t events = 0;

	poll_wait(file, &records->wait, table);
	if (records_task_exited(records))
		events |= EPOLLHUP | EPOLLIN | EPOLLRDNORM;
	else if (records_readable(records))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

/**
 * perfgrp_records_get_stats - PERFGRP_GET_STREAM_STATS
 * @records: the buffers
 * @stats: its output fields are filled in
 *
 * Takes no lock. Numbers that change meanwhile may not add up; without writers and readers
 * they do.
 */
void perfgrp_records_get_stats(struct perfgrp_records *records, struct perfgrp_stream_stats *stats)
{
	const struct perfgrp_records_cpu *counts;
	int cpu;

	perfgrp_bpf_events_count_missed(records->group);
	stats->read = READ_ONCE(records->nr_read);
	stats->lost = READ_ONCE(records->nr_overwritten);

	stats->produced = 0;
	stats->filtered = 0;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(records->cpu, cpu);
		stats->lost += READ_ONCE(counts->lost);
		stats->produced += READ_ONCE(counts->produced);
		stats->filtered += READ_ONCE(counts->filtered);
	}
	stats->sample_type = PERFGRP_SAMPLE_TYPE;
	stats->read_format = PERFGRP_READ_FORMAT;
	stats->buffer_size = records->size;
}
