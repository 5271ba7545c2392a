// SPDX-License-Identifier: GPL-2.0
/*
 * The records of a group: their buffer, and writing them. records_read.c reads them.
 *
 * Writers run on their CPU with preemption off, in any context. What they count is
 * counted a CPU, with operations that an NMI may interrupt. They wake readers
 * through an irq_work, since they may have interrupted the scheduler.
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
#include <linux/vmstat.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "perfgrp.h"
#include "records.h"

/* ---- records --------------------------------------------------------------- */

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
 * perfgrp_records_fill_sample_id - who, when, where
 * @group: whose record it is
 * @time: of the record
 * @id: of the member, 0 for none
 * @sample_id: filled in
 *
 * Preemption is off; any context.
 */
void perfgrp_records_fill_sample_id(const struct perfgrp_group *group, u64 time, u64 id,
				    struct perfgrp_sample_id *sample_id)
{
	struct pid_namespace *ns = group->sampling->pid_ns;

	*sample_id = (struct perfgrp_sample_id){
		.pid = perfgrp_records_current_nr(PIDTYPE_TGID, ns),
		.tid = perfgrp_records_current_nr(PIDTYPE_PID, ns),
		.time = time,
		.id = id,
		.cpu = smp_processor_id(),
	};
}

/**
 * perfgrp_records_fill_lost - a record of what was lost
 * @record: filled in
 * @lost: how many records
 * @time: when the last of them was
 * @cpu: where
 */
void perfgrp_records_fill_lost(struct perfgrp_record_lost *record, u64 lost, u64 time, int cpu)
{
	*record = (struct perfgrp_record_lost){
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(*record) },
		.lost = lost,
		.sample_id = { .pid = -1, .tid = -1, .time = time, .cpu = cpu },
	};
}

/* ---- writing -------------------------------------------------------------- */

static void nest_begin(struct perfgrp_records *records)
{
	this_cpu_inc(records->cpu->nest);
}

static void nest_end(struct perfgrp_records *records)
{
	unsigned long written;

	/* What this one has interrupted lets nothing be read yet. */
	if (this_cpu_dec_return(records->cpu->nest))
		return;
	do {
		written = this_cpu_read(records->cpu->written);
		/* Pairs with the load in records_peek(). */
		smp_store_release(this_cpu_ptr(&records->cpu->committed), written);
	} while (written != this_cpu_read(records->cpu->written));
}

static void output_lost(struct perfgrp_records *records, struct perfgrp_records_cpu *cpu, u64 time)
{
	struct ring_buffer_event *event;
	long lost;

	if (records->overwrite || !atomic_long_read(&cpu->lost_pending))
		return;
	event = ring_buffer_lock_reserve(records->buffer, sizeof(struct perfgrp_record_lost));
	if (!event)
		return;
	lost = atomic_long_xchg(&cpu->lost_pending, 0);
	if (!lost) {
		/* A reader was faster. */
		ring_buffer_discard_commit(records->buffer, event);
		return;
	}
	perfgrp_records_fill_lost(ring_buffer_event_data(event), lost, time, smp_processor_id());
	compat_ring_buffer_commit(records->buffer, event);
	this_cpu_inc(records->cpu->written);
}

/**
 * perfgrp_records_account_lost - count records that are lost
 * @records: the buffer
 * @nr: how many
 * @time: when that was seen
 *
 * Preemption is off; any context.
 */
void perfgrp_records_account_lost(struct perfgrp_records *records, unsigned long nr, u64 time)
{
	struct perfgrp_records_cpu *cpu = this_cpu_ptr(records->cpu);

	this_cpu_add(records->cpu->produced, nr);
	this_cpu_add(records->cpu->lost, nr);
	WRITE_ONCE(cpu->lost_time, time);
	atomic_long_add(nr, &cpu->lost_pending);
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
	struct perfgrp_records_cpu *cpu = this_cpu_ptr(records->cpu);
	struct ring_buffer_event *event;

	nest_begin(records);
	output_lost(records, cpu, time);
	event = ring_buffer_lock_reserve(records->buffer, size);
	if (event) {
		this_cpu_inc(records->cpu->produced);
		return event;
	}
	perfgrp_records_account_lost(records, 1, time);
	nest_end(records);
	return NULL;
}

/*
 * The bytes that readers did not take may have been overwritten. ring_buffer.h knows
 * of these, but counts its own headers in.
 */
static u64 waiting_bytes(const struct perfgrp_records *records, int nr)
{
	const struct perfgrp_records_cpu *cpu = per_cpu_ptr(records->cpu, nr);

	return min_t(u64, READ_ONCE(cpu->written_bytes) - READ_ONCE(cpu->taken_bytes),
		     ring_buffer_bytes_cpu(records->buffer, nr));
}

/**
 * perfgrp_records_watermark_reached - whether a reader is to be woken
 * @records: the buffer
 * @cpu: whose records
 *
 * Return: whether there are as many records or bytes as was asked for.
 */
bool perfgrp_records_watermark_reached(const struct perfgrp_records *records, int cpu)
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
	struct perfgrp_records_cpu *cpu = this_cpu_ptr(records->cpu);

	compat_ring_buffer_commit(records->buffer, event);
	this_cpu_inc(records->cpu->written);
	nest_end(records);
	this_cpu_add(records->cpu->written_bytes, size);
	if (wq_has_sleeper(&records->wait) &&
	    perfgrp_records_watermark_reached(records, smp_processor_id()))
		irq_work_queue(&cpu->wake);
}

/**
 * perfgrp_records_output_bpf - a record of what has become of a BPF program
 * @group: whose stream; nothing is done where it has none
 * @type: PERF_BPF_EVENT_* or PERFGRP_BPF_EVENT_*
 * @flags: of the record
 * @prog: the program
 * @member: id of the member that it is attached to; 0 for none
 *
 * Any context.
 */
void perfgrp_records_output_bpf(const struct perfgrp_group *group, u16 type, u16 flags,
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
	perfgrp_records_fill_sample_id(group, time, member, &record->sample_id);
	perfgrp_records_commit(records, event, sizeof(*record));
out:
	local_irq_restore(irqs);
}

/**
 * perfgrp_records_account_filtered - count a sample that is to be no record
 * @records: the buffer
 */
void perfgrp_records_account_filtered(struct perfgrp_records *records)
{
	this_cpu_inc(records->cpu->filtered);
}

static void records_wake(struct irq_work *work)
{
	struct perfgrp_records_cpu *cpu = container_of(work, struct perfgrp_records_cpu, wake);
	struct perfgrp_records *records = cpu->records;

	wake_up_interruptible_poll(&records->wait, EPOLLIN | EPOLLRDNORM);
}

/* ---- beginning and end ------------------------------------------------------ */

/*
 * ring_buffer.h has a buffer for every CPU. A group of few CPUs needs but few of
 * them; the others are as small as can be. BPF programs come and go on any.
 */
static bool needs_few_cpus(const struct perfgrp_group *group)
{
	return group->target == PERFGRP_TARGET_CPUS && !(group->flags & PERFGRP_CREATE_BPF_EVENTS);
}

static unsigned long count_pages(const struct perfgrp_records *records)
{
	const struct perfgrp_group *group = records->group;
	unsigned int nr_cpus = needs_few_cpus(group) ? group->nr_instances : num_online_cpus();

	return nr_cpus * (unsigned long)(records->size >> PAGE_SHIFT);
}

static bool has_memory(unsigned long nr_pages)
{
	unsigned long left = min(totalram_pages() / 16, (unsigned long)SZ_64M >> PAGE_SHIFT);
	long available = si_mem_available() - global_zone_page_state(NR_FREE_CMA_PAGES);

	return available > (long)(nr_pages + nr_pages / 64 + left);
}

/* Held from the look at how much memory there is: two at once would take it twice. */
static DEFINE_MUTEX(alloc_lock);

/* A buffer to be made. */
struct buffer_alloc {
	struct work_struct work;
	struct perfgrp_records *records;
	unsigned long size;
};

static void alloc_buffer_work(struct work_struct *work)
{
	struct buffer_alloc *allocation = container_of(work, struct buffer_alloc, work);
	struct perfgrp_records *records = allocation->records;

	mutex_lock(&alloc_lock);
	if (has_memory(records->nr_pages))
		records->buffer = ring_buffer_alloc(allocation->size,
						    records->overwrite ? RB_FL_OVERWRITE : 0);
	mutex_unlock(&alloc_lock);
}

/*
 * Where ring_buffer_alloc() fails in the midst of it the kernel warns. So there is to be
 * enough memory for the pages and their descriptors of 64 bytes, with some left for
 * others; none of these can be a page of CMA. And a worker does it, since a task may be
 * killed meanwhile, for which it would fail, too.
 */
static int alloc_buffer(struct perfgrp_records *records)
{
	struct perfgrp_group *group = records->group;
	bool few = needs_few_cpus(group);
	struct buffer_alloc allocation = {
		.records = records,
		.size = few ? 0 : records->size,
	};
	unsigned int i;
	int ret = 0;

	INIT_WORK_ONSTACK(&allocation.work, alloc_buffer_work);
	queue_work(system_unbound_wq, &allocation.work);
	flush_work(&allocation.work);
	destroy_work_on_stack(&allocation.work);
	if (!records->buffer)
		return -ENOMEM;
	/* May wait for a worker on a CPU, for which no other group is to wait. */
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
 * Return: the buffer, or an ERR_PTR() of -ENOMEM or -ENOSPC.
 */
struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err)
{
	struct perfgrp_records *records;
	struct perfgrp_records_cpu *counts;
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
	records->cpu =
		alloc_percpu_gfp(struct perfgrp_records_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!records->heads || !records->cpu)
		goto destroy;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(records->cpu, cpu);
		counts->records = records;
		init_irq_work(&counts->wake, records_wake);
	}
	ret = alloc_buffer(records);
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
