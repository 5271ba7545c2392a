// SPDX-License-Identifier: GPL-2.0
/*
 * The records of a group: written by the overflow handler, read by read(2).
 *
 * A buffer a CPU, the kernel's ring_buffer.h: its reserve and commit are made for
 * writers that are interrupted by others, NMIs too, and its consumer takes no lock
 * that a writer knows. A record is written in place and read from where it stands.
 *
 * Writers run on their CPU with preemption off, in any context. What they count is
 * counted a CPU, with operations that an NMI may interrupt. They wake readers
 * through an irq_work, since they may have interrupted the scheduler.
 *
 * A reader asks a buffer only where it knows of a record that it has not taken. One
 * that asks an empty buffer can lose records: ring_buffer.c first looks how much there is
 * on the page that is being read, then whether the writer has left it, and where the
 * writer has filled and left it in between the rest of the page is never read. With
 * a record known to be there either the page has more, or it is left and full.
 *
 * Readers hold records.reading, one at a time. What is lost is told by a LOST record
 * where it was lost: by the next writer that finds room again, or, if a reader has
 * emptied the buffer by then, by the reader. A buffer that overwrites has LOST
 * records from readers alone, since others could be overwritten, and with them
 * what they tell.
 */
#include <linux/atomic.h>
#include <linux/bpf.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmstat.h>
#include <linux/wait.h>

#include "compat.h"
#include "perfgrp.h"

/**
 * struct records_cpu - one CPU's counts
 * @produced: samples and records of throttling and of BPF programs
 * @lost: those that found no room
 * @filtered: samples that were to be no records
 * @written_bytes: bytes of records that found room
 * @taken_bytes: bytes of those that were read, by readers
 * @untold: those of @lost that no LOST record has told yet
 * @untold_time: when the last of them was lost
 * @writing: writers under way, one having interrupted the other
 * @written: records that ring_buffer.h has got, those of what was lost among them
 * @visible: as many of these can be read: all, when the outermost writer was done
 * @gone: of these were taken or overwritten, by readers
 * @wake: wakes the readers
 * @records: of these
 */
struct records_cpu {
	u64 produced;
	u64 lost;
	u64 filtered;
	u64 written_bytes;
	u64 taken_bytes;
	atomic_long_t untold;
	u64 untold_time;
	unsigned int writing;
	unsigned long written;
	unsigned long visible;
	unsigned long gone;
	struct irq_work wake;
	struct perfgrp_records *records;
};

/**
 * struct head - the next record of a CPU, as a reader has seen it
 * @time: of the record; meaningless where there is none
 * @there: there is one
 * @told: a LOST record has told what was overwritten before it
 */
struct head {
	u64 time;
	bool there;
	bool told;
};

/**
 * struct perfgrp_records - the buffer of a group
 * @group: whose; for the end of its task
 * @buffer: the records
 * @cpu: counts, a CPU
 * @user: whose memory it is
 * @nr_pages: of all CPUs, which count as locked by @user
 * @size: bytes a CPU, as asked for
 * @overwrite: a full buffer overwrites
 * @wakeup_records: how many records of one CPU wake a reader
 * @wakeup_bytes: how many bytes
 * @wait: readers that sleep or poll
 * @reading: held by the reader
 * @heads: the next record of each CPU (@reading)
 * @nr_read: records that were read (@reading)
 * @nr_overwritten: records that were overwritten before they were (@reading)
 */
struct perfgrp_records {
	struct perfgrp_group *group;
	struct trace_buffer *buffer;
	struct records_cpu __percpu *cpu;
	struct user_struct *user;
	unsigned long nr_pages;
	u32 size;
	bool overwrite;
	u32 wakeup_records;
	u32 wakeup_bytes;
	wait_queue_head_t wait;
	struct mutex reading;
	struct head *heads;
	u64 nr_read;
	u64 nr_overwritten;
};

/* ---- records --------------------------------------------------------------- */

static u64 time_of(const void *record)
{
	const struct perf_event_header *header = record;

	if (header->type == PERF_RECORD_SAMPLE)
		return ((const struct perfgrp_record_sample *)record)->time;
	if (header->type == PERF_RECORD_LOST)
		return ((const struct perfgrp_record_lost *)record)->trailer.time;
	if (header->type == PERF_RECORD_BPF_EVENT)
		return ((const struct perfgrp_record_bpf_event *)record)->trailer.time;
	return ((const struct perfgrp_record_throttle *)record)->time;
}

/**
 * perfgrp_records_current_nr - the number of the current task, as perf_event_pid() has it
 * @type: of the task or of its process
 * @ns: as seen from there
 *
 * Return: the number; -1 for a task on its way out, 0 for one of another namespace.
 */
u32 perfgrp_records_current_nr(enum pid_type type, struct pid_namespace *ns)
{
	u32 nr = __task_pid_nr_ns(current, type, ns);

	return nr || pid_alive(current) ? nr : -1;
}

/**
 * perfgrp_records_fill_trailer - who, when, where
 * @group: whose record it is
 * @time: of the record
 * @id: of the member, 0 for none
 * @trailer: filled in
 *
 * Preemption is off; any context.
 */
void perfgrp_records_fill_trailer(const struct perfgrp_group *group, u64 time, u64 id,
				  struct perfgrp_record_trailer *trailer)
{
	struct pid_namespace *ns = group->sampling->pid_ns;

	*trailer = (struct perfgrp_record_trailer){
		.pid = perfgrp_records_current_nr(PIDTYPE_TGID, ns),
		.tid = perfgrp_records_current_nr(PIDTYPE_PID, ns),
		.time = time,
		.id = id,
		.cpu = smp_processor_id(),
	};
}

static void fill_lost(struct perfgrp_record_lost *record, u64 lost, u64 time, int cpu)
{
	*record = (struct perfgrp_record_lost){
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(*record) },
		.lost = lost,
		.trailer = { .pid = -1, .tid = -1, .time = time, .cpu = cpu },
	};
}

/* ---- writing -------------------------------------------------------------- */

static void begin_writing(struct perfgrp_records *records)
{
	this_cpu_inc(records->cpu->writing);
}

static void end_writing(struct perfgrp_records *records)
{
	unsigned long written;

	/* What this one has interrupted lets nothing be read yet. */
	if (this_cpu_dec_return(records->cpu->writing))
		return;
	do {
		written = this_cpu_read(records->cpu->written);
		/* Pairs with the load in peek(). */
		smp_store_release(this_cpu_ptr(&records->cpu->visible), written);
	} while (written != this_cpu_read(records->cpu->written));
}

static void tell_lost(struct perfgrp_records *records, struct records_cpu *cpu, u64 time)
{
	struct ring_buffer_event *event;
	long lost;

	if (records->overwrite || !atomic_long_read(&cpu->untold))
		return;
	event = ring_buffer_lock_reserve(records->buffer, sizeof(struct perfgrp_record_lost));
	if (!event)
		return;
	lost = atomic_long_xchg(&cpu->untold, 0);
	if (!lost) {
		/* A reader was faster. */
		ring_buffer_discard_commit(records->buffer, event);
		return;
	}
	fill_lost(ring_buffer_event_data(event), lost, time, smp_processor_id());
	compat_ring_buffer_commit(records->buffer, event);
	this_cpu_inc(records->cpu->written);
}

/**
 * perfgrp_records_lose - count records that are lost
 * @records: the buffer
 * @nr: how many
 * @time: when that was seen
 *
 * Preemption is off; any context.
 */
void perfgrp_records_lose(struct perfgrp_records *records, unsigned long nr, u64 time)
{
	struct records_cpu *cpu = this_cpu_ptr(records->cpu);

	this_cpu_add(records->cpu->produced, nr);
	this_cpu_add(records->cpu->lost, nr);
	WRITE_ONCE(cpu->untold_time, time);
	atomic_long_add(nr, &cpu->untold);
}

/**
 * perfgrp_records_reserve - room for a record on this CPU
 * @records: the buffer
 * @size: of the record
 * @time: of the record
 *
 * Preemption is off; any context.
 *
 * Return: what perfgrp_records_commit() is to be called with, or NULL: it is lost.
 */
struct ring_buffer_event *perfgrp_records_reserve(struct perfgrp_records *records, size_t size,
						  u64 time)
{
	struct records_cpu *cpu = this_cpu_ptr(records->cpu);
	struct ring_buffer_event *event;

	begin_writing(records);
	tell_lost(records, cpu, time);
	event = ring_buffer_lock_reserve(records->buffer, size);
	if (event) {
		this_cpu_inc(records->cpu->produced);
		return event;
	}
	perfgrp_records_lose(records, 1, time);
	end_writing(records);
	return NULL;
}

/*
 * The bytes that readers did not take may have been overwritten. ring_buffer.h knows
 * of these, but counts its own headers in.
 */
static u64 waiting_bytes(const struct perfgrp_records *records, int nr)
{
	const struct records_cpu *cpu = per_cpu_ptr(records->cpu, nr);

	return min_t(u64, READ_ONCE(cpu->written_bytes) - READ_ONCE(cpu->taken_bytes),
		     ring_buffer_bytes_cpu(records->buffer, nr));
}

static bool enough_waits(const struct perfgrp_records *records, int cpu)
{
	return ring_buffer_entries_cpu(records->buffer, cpu) >= records->wakeup_records ||
	       waiting_bytes(records, cpu) >= records->wakeup_bytes;
}

/**
 * perfgrp_records_commit - let a record be read
 * @records: the buffer
 * @event: of perfgrp_records_reserve(), on the same CPU
 * @size: as there
 */
void perfgrp_records_commit(struct perfgrp_records *records, struct ring_buffer_event *event,
			    size_t size)
{
	struct records_cpu *cpu = this_cpu_ptr(records->cpu);

	compat_ring_buffer_commit(records->buffer, event);
	this_cpu_inc(records->cpu->written);
	end_writing(records);
	this_cpu_add(records->cpu->written_bytes, size);
	if (wq_has_sleeper(&records->wait) && enough_waits(records, smp_processor_id()))
		irq_work_queue(&cpu->wake);
}

/**
 * perfgrp_records_tell_bpf - a record of what has become of a BPF program
 * @group: whose stream; nothing is done where it has none
 * @type: PERF_BPF_EVENT_* or PERFGRP_BPF_EVENT_*
 * @flags: of the record
 * @prog: the program
 * @member: id of the member that it is attached to; 0 for none
 *
 * Any context.
 */
void perfgrp_records_tell_bpf(const struct perfgrp_group *group, u16 type, u16 flags,
			      const struct bpf_prog *prog, u32 member)
{
	struct perfgrp_record_bpf_event *record;
	struct perfgrp_records *records;
	struct ring_buffer_event *event;
	unsigned long irqs;
	u64 time;

	if (!group->sampling)
		return;
	records = group->sampling->records;
	local_irq_save(irqs);
	time = perfgrp_core_clock();
	event = perfgrp_records_reserve(records, sizeof(*record), time);
	if (!event)
		goto out;
	record = ring_buffer_event_data(event);
	record->header = (struct perf_event_header){
		.type = PERF_RECORD_BPF_EVENT,
		.size = sizeof(*record),
	};
	record->type = type;
	record->flags = flags;
	record->prog_id = prog->aux->id;
	memcpy(record->tag, prog->tag, sizeof(record->tag));
	perfgrp_records_fill_trailer(group, time, member, &record->trailer);
	perfgrp_records_commit(records, event, sizeof(*record));
out:
	local_irq_restore(irqs);
}

/**
 * perfgrp_records_filter - count a sample that is to be no record
 * @records: the buffer
 */
void perfgrp_records_filter(struct perfgrp_records *records)
{
	this_cpu_inc(records->cpu->filtered);
}

static void wake_readers(struct irq_work *work)
{
	struct records_cpu *cpu = container_of(work, struct records_cpu, wake);
	struct perfgrp_records *records = cpu->records;

	wake_up_interruptible_poll(&records->wait, EPOLLIN | EPOLLRDNORM);
}

/* ---- reading --------------------------------------------------------------- */

static struct ring_buffer_event *peek(struct perfgrp_records *records, int cpu,
				      unsigned long *overwritten)
{
	struct records_cpu *counts = per_cpu_ptr(records->cpu, cpu);

	*overwritten = 0;
	/* Pairs with the store in end_writing(), which can go back for a moment. */
	if ((long)(smp_load_acquire(&counts->visible) - counts->gone) <= 0)
		return NULL;
	return ring_buffer_peek(records->buffer, cpu, NULL, overwritten);
}

static void look(struct perfgrp_records *records, int cpu)
{
	struct records_cpu *counts = per_cpu_ptr(records->cpu, cpu);
	struct head *head = &records->heads[cpu];
	struct ring_buffer_event *event;
	unsigned long overwritten;

	event = peek(records, cpu, &overwritten);
	if (event)
		head->time = time_of(ring_buffer_event_data(event));
	else
		head->time = READ_ONCE(counts->untold_time);
	head->there = event || atomic_long_read(&counts->untold);
}

/* The CPU with the oldest record; -1 where there is none. */
static int oldest(struct perfgrp_records *records)
{
	int cpu, best = -1;

	for_each_possible_cpu(cpu)
		if (records->heads[cpu].there &&
		    (best < 0 || records->heads[cpu].time < records->heads[best].time))
			best = cpu;
	return best;
}

/* Bytes, or a negative errno with nothing copied. */
static ssize_t copy_record(char __user *to, size_t room, const void *record)
{
	size_t size = ((const struct perf_event_header *)record)->size;

	if (size > room)
		return -EMSGSIZE;
	if (copy_to_user(to, record, size))
		return -EFAULT;
	return size;
}

static ssize_t copy_lost(char __user *to, size_t room, u64 lost, u64 time, int cpu)
{
	struct perfgrp_record_lost record;

	fill_lost(&record, lost, time, cpu);
	return copy_record(to, room, &record);
}

static ssize_t take_untold(struct perfgrp_records *records, int cpu, char __user *to, size_t room)
{
	struct records_cpu *counts = per_cpu_ptr(records->cpu, cpu);
	long lost = atomic_long_xchg(&counts->untold, 0);
	ssize_t ret;

	/* A writer was faster. */
	if (!lost)
		return 0;
	ret = copy_lost(to, room, lost, READ_ONCE(counts->untold_time), cpu);
	if (ret < 0)
		atomic_long_add(lost, &counts->untold);
	return ret;
}

/* The next record of @cpu: its bytes; 0 where it was told already; a negative errno. */
static ssize_t take(struct perfgrp_records *records, int cpu, char __user *to, size_t room)
{
	struct records_cpu *counts = per_cpu_ptr(records->cpu, cpu);
	struct head *head = &records->heads[cpu];
	const struct perf_event_header *header;
	struct ring_buffer_event *event;
	unsigned long overwritten;
	ssize_t ret;

	event = peek(records, cpu, &overwritten);
	if (!event)
		return take_untold(records, cpu, to, room);
	header = ring_buffer_event_data(event);
	if (overwritten && !head->told) {
		ret = copy_lost(to, room, overwritten, time_of(header), cpu);
		if (ret > 0) {
			records->nr_overwritten += overwritten;
			counts->gone += overwritten;
			head->told = true;
		}
		return ret;
	}
	ret = copy_record(to, room, header);
	if (ret < 0)
		return ret;
	if (header->type != PERF_RECORD_LOST) {
		WRITE_ONCE(counts->taken_bytes, counts->taken_bytes + ret);
		records->nr_read++;
	}
	ring_buffer_consume(records->buffer, cpu, NULL, NULL);
	counts->gone++;
	head->told = false;
	return ret;
}

/* As many records as there are, or as there is room for. */
static ssize_t read_records(struct perfgrp_records *records, char __user *to, size_t room)
{
	size_t done = 0;
	ssize_t ret = 0;
	int cpu;

	lockdep_assert_held(&records->reading);

	perfgrp_bpf_events_count_missed(records->group);
	for_each_possible_cpu(cpu)
		look(records, cpu);
	while ((cpu = oldest(records)) >= 0) {
		ret = take(records, cpu, to + done, room - done);
		if (ret < 0)
			break;
		done += ret;
		look(records, cpu);
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return done ?: ret;
}

static bool readable(const struct perfgrp_records *records)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (enough_waits(records, cpu))
			return true;
	return false;
}

/* All that its task was to produce is there. */
static bool ended(const struct perfgrp_records *records)
{
	const struct task_struct *task = records->group->task;

	return task && READ_ONCE(task->exit_state);
}

/*
 * Nothing that a module can reach tells a sleeper that a task has exited; so those
 * who wait for a task's records look from time to time.
 */
static int wait_for_records(struct perfgrp_records *records)
{
	long left = records->group->task ? HZ / 4 : MAX_SCHEDULE_TIMEOUT;

	left = wait_event_interruptible_timeout(records->wait,
						readable(records) || ended(records), left);
	return left < 0 ? left : 0;
}

/**
 * perfgrp_records_read - read(2)
 * @records: the buffer
 * @to: where to
 * @room: bytes there
 * @wait: sleep where there is nothing
 *
 * Return: bytes; 0 where the task has exited and all was read; -EAGAIN, -EMSGSIZE,
 * -EFAULT, -ERESTARTSYS.
 */
ssize_t perfgrp_records_read(struct perfgrp_records *records, char __user *to, size_t room,
			     bool wait)
{
	bool last;
	ssize_t ret;

	for (;;) {
		/* Asked before, so that what it left behind is found. */
		last = ended(records);
		if (mutex_lock_interruptible(&records->reading))
			return -ERESTARTSYS;
		ret = read_records(records, to, room);
		mutex_unlock(&records->reading);
		if (ret || last)
			return ret;
		if (!wait)
			return -EAGAIN;
		ret = wait_for_records(records);
		if (ret)
			return ret;
	}
}

/**
 * perfgrp_records_poll - poll(2)
 * @records: the buffer
 * @file: who polls
 * @table: the poll
 *
 * Return: EPOLLIN where enough waits, EPOLLHUP where the task has exited.
 */
__poll_t perfgrp_records_poll(struct perfgrp_records *records, struct file *file,
			      struct poll_table_struct *table)
{
	__poll_t events = 0;

	poll_wait(file, &records->wait, table);
	if (ended(records))
		events |= EPOLLHUP | EPOLLIN | EPOLLRDNORM;
	else if (readable(records))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

/**
 * perfgrp_records_stat - what became of the records
 * @records: the buffer
 * @stream: filled in: produced, read, lost, filtered, buffer_size
 *
 * Return: 0 or -EINTR.
 */
int perfgrp_records_stat(struct perfgrp_records *records, struct perfgrp_stream *stream)
{
	const struct records_cpu *counts;
	int cpu;

	perfgrp_bpf_events_count_missed(records->group);
	if (mutex_lock_killable(&records->reading))
		return -EINTR;
	stream->read = records->nr_read;
	stream->lost = records->nr_overwritten;
	mutex_unlock(&records->reading);

	stream->produced = 0;
	stream->filtered = 0;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(records->cpu, cpu);
		stream->lost += READ_ONCE(counts->lost);
		stream->produced += READ_ONCE(counts->produced);
		stream->filtered += READ_ONCE(counts->filtered);
	}
	stream->buffer_size = records->size;
	return 0;
}

/* ---- beginning and end ------------------------------------------------------ */

/* Two at once would both find the memory that is there for one of them. */
static DEFINE_MUTEX(allocating);

/*
 * ring_buffer.h has a buffer for every CPU. A group of few CPUs needs but few of
 * them; the others are as small as can be. BPF programs come and go on any.
 */
static bool needs_few(const struct perfgrp_group *group)
{
	return group->target == PERFGRP_TARGET_CPUS &&
	       !(group->flags & PERFGRP_CREATE_BPF_EVENTS);
}

static unsigned long count_pages(const struct perfgrp_records *records)
{
	const struct perfgrp_group *group = records->group;
	unsigned int nr_cpus = needs_few(group) ? group->nr_instances : num_online_cpus();

	return nr_cpus * (unsigned long)(records->size >> PAGE_SHIFT);
}

/*
 * Where memory ends in the midst of it ring_buffer_alloc() has the kernel warn, and then
 * there is none for anyone else either. So there is to be enough for the pages and their
 * descriptors of 64 bytes, with some left; none of these can be a page of CMA.
 */
static bool has_memory(unsigned long nr_pages)
{
	unsigned long left = min(totalram_pages() / 16, (unsigned long)SZ_64M >> PAGE_SHIFT);
	long available = si_mem_available() - global_zone_page_state(NR_FREE_CMA_PAGES);

	return available > (long)(nr_pages + nr_pages / 64 + left);
}

static int alloc_buffer(struct perfgrp_records *records)
{
	struct perfgrp_group *group = records->group;
	bool few = needs_few(group);
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&allocating);
	if (!has_memory(records->nr_pages))
		return -ENOMEM;
	records->buffer = ring_buffer_alloc(few ? 0 : records->size,
					    records->overwrite ? RB_FL_OVERWRITE : 0);
	if (!records->buffer)
		return -ENOMEM;
	for (i = 0; few && i < group->nr_instances && !ret; i++)
		ret = ring_buffer_resize(records->buffer, records->size, group->instances[i].cpu);
	return ret;
}

/**
 * perfgrp_records_create - make a group's buffer
 * @group: the group; its target and instances are set
 * @arg: what was asked for, checked
 * @err: says why not, unless memory is short
 *
 * Return: the buffer, or an ERR_PTR() of -ENOMEM, -ENOSPC or -EINTR.
 */
struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err)
{
	struct perfgrp_records *records;
	struct records_cpu *counts;
	int cpu, ret;

	records = kzalloc(sizeof(*records), GFP_KERNEL_ACCOUNT);
	if (!records)
		return ERR_PTR(-ENOMEM);
	records->group = group;
	records->size = max_t(u32, PAGE_ALIGN(arg->buffer_size), 2 * PAGE_SIZE);
	records->overwrite = arg->flags & PERFGRP_CREATE_OVERWRITE;
	records->wakeup_records = arg->wakeup_records ?: arg->wakeup_bytes ? U32_MAX : 1;
	/* So that none sleeps while records are lost. */
	records->wakeup_bytes = arg->wakeup_bytes ?: records->size / 2;
	init_waitqueue_head(&records->wait);
	mutex_init(&records->reading);

	records->nr_pages = count_pages(records);
	ret = perfgrp_access_charge_buffer(current_user(), records->nr_pages, err);
	if (ret)
		goto free;
	records->user = get_uid(current_user());
	ret = -ENOMEM;
	records->heads = kvcalloc(nr_cpu_ids, sizeof(*records->heads), GFP_KERNEL_ACCOUNT);
	records->cpu = alloc_percpu_gfp(struct records_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!records->heads || !records->cpu)
		goto destroy;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(records->cpu, cpu);
		counts->records = records;
		init_irq_work(&counts->wake, wake_readers);
	}
	if (mutex_lock_killable(&allocating)) {
		ret = -EINTR;
		goto destroy;
	}
	ret = alloc_buffer(records);
	mutex_unlock(&allocating);
	if (ret)
		goto destroy;
	return records;
destroy:
	perfgrp_records_destroy(records);
	return ERR_PTR(ret);
free:
	kfree(records);
	return ERR_PTR(ret);
}

/**
 * perfgrp_records_destroy - free a buffer
 * @records: nobody writes to it any more, and nobody reads
 */
void perfgrp_records_destroy(struct perfgrp_records *records)
{
	int cpu;

	if (records->cpu)
		for_each_possible_cpu(cpu)
			irq_work_sync(&per_cpu_ptr(records->cpu, cpu)->wake);
	if (records->buffer)
		ring_buffer_free(records->buffer);
	free_percpu(records->cpu);
	kvfree(records->heads);
	perfgrp_access_uncharge_buffer(records->user, records->nr_pages);
	free_uid(records->user);
	kfree(records);
}
