// SPDX-License-Identifier: GPL-2.0
/*
 * Writing the records of a group. records.c has the buffer's life, records_read.c reads.
 *
 * Everything here runs in any context, NMI included, with preemption off on the CPU whose
 * buffer is written. It takes no lock, and counts per CPU with operations that an NMI may
 * interrupt. Readers are woken by an irq_work, because the scheduler may have been
 * interrupted.
 *
 * ring_buffer_lock_reserve(), _unlock_commit() and _discard_commit() take no lock either. They
 * would queue an irq_work of ring_buffer.c for tasks in ring_buffer_wait(), which nobody calls.
 * Read in 6.1.192, 6.12.117 and 7.3.4.
 */
#include <linux/atomic.h>
#include <linux/bpf.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "clock.h"
#include "compat.h"
#include "group.h"
#include "records.h"
#include "sampling.h"

/* ---- records --------------------------------------------------------------- */

/* -1 for a task that is exiting, 0 for one of another namespace, as perf_event_pid() has it. */
static u32 current_nr(enum pid_type type, struct pid_namespace *ns)
{
	u32 nr = __task_pid_nr_ns(current, type, ns);

	return nr || pid_alive(current) ? nr : -1;
}

/**
 * perfgrp_records_get_current - the numbers of the current task
 * @group: the group, whose pid namespace counts
 * @pid: set to the process's
 * @tid: set to the thread's
 *
 * Any context.
 */
void perfgrp_records_get_current(const struct perfgrp_group *group, u32 *pid, u32 *tid)
{
	struct pid_namespace *ns = group->sampling->pid_ns;

	*pid = current_nr(PIDTYPE_TGID, ns);
	/* A leader's numbers are the same, and most tasks are leaders. */
	*tid = thread_group_leader(current) ? *pid : current_nr(PIDTYPE_PID, ns);
}

/**
 * perfgrp_records_fill_sample_id - fill in who, when and where
 * @group: the group
 * @time: of the record
 * @id: of the member; 0 for none
 * @sample_id: filled in
 *
 * Preemption is off; any context.
 */
void perfgrp_records_fill_sample_id(const struct perfgrp_group *group, u64 time, u64 id,
				    perfgrp_sample_id_rec *sample_id)
{
	u32 pid, tid;

	perfgrp_records_get_current(group, &pid, &tid);
	*sample_id = (struct perfgrp_sample_id){
		.pid = pid,
		.tid = tid,
		.time = time,
		.id = id,
		.cpu = smp_processor_id(),
	};
}

/**
 * perfgrp_records_fill_lost - fill in a LOST record
 * @record: filled in
 * @lost: how many records were lost
 * @time: when the last of them was
 * @cpu: on which CPU
 */
void perfgrp_records_fill_lost(perfgrp_lost_record *record, u64 lost, u64 time, int cpu)
{
	*record = (perfgrp_lost_record){
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

	/* The writer that this one interrupted commits for both. */
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
	event = ring_buffer_lock_reserve(records->buffer, sizeof(perfgrp_lost_record));
	if (!event)
		return;
	lost = atomic_long_xchg(&cpu->lost_pending, 0);
	if (!lost) {
		/* A reader has reported it. */
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
 * @time: when
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
 * perfgrp_records_reserve - reserve room for a record in this CPU's buffer
 * @records: the buffer
 * @size: of the record
 * @time: of the record
 *
 * Preemption is off; any context.
 *
 * Return: for perfgrp_records_commit(); or NULL: the record is lost and accounted.
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
 * What readers have not taken may have been overwritten. ring_buffer_bytes_cpu() knows of
 * that, but includes its own headers.
 */
static u64 waiting_bytes(const struct perfgrp_records *records, int nr)
{
	const struct perfgrp_records_cpu *cpu = per_cpu_ptr(records->cpu, nr);

	return min_t(u64, READ_ONCE(cpu->written_bytes) - READ_ONCE(cpu->taken_bytes),
		     ring_buffer_bytes_cpu(records->buffer, nr));
}

/**
 * perfgrp_records_watermark_reached - is a reader to be woken?
 * @records: the buffer
 * @cpu: the CPU
 *
 * Return: whether as many records or bytes wait as PERFGRP_CREATE asked for.
 */
bool perfgrp_records_watermark_reached(const struct perfgrp_records *records, int cpu)
{
	return ring_buffer_entries_cpu(records->buffer, cpu) >= records->wakeup_records ||
	       waiting_bytes(records, cpu) >= records->wakeup_bytes;
}

/**
 * perfgrp_records_commit - make a record visible to readers
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
 * perfgrp_records_output_bpf_event - write a PERF_RECORD_BPF_EVENT
 * @group: a group with a buffer
 * @type: PERF_BPF_EVENT_*
 * @flags: of the record
 * @prog: the program
 *
 * Any context.
 */
void perfgrp_records_output_bpf_event(const struct perfgrp_group *group, u16 type, u16 flags,
				      const struct bpf_prog *prog)
{
	struct perfgrp_records *records = group->sampling->records;
	perfgrp_bpf_event_record *record;
	struct ring_buffer_event *event;
	unsigned long irqs;
	u64 time;

	local_irq_save(irqs);
	time = perfgrp_clock_now(group->clockid);
	event = perfgrp_records_reserve(records, sizeof(*record), time);
	if (event) {
		record = ring_buffer_event_data(event);
		record->header = (struct perf_event_header){
			.type = PERF_RECORD_BPF_EVENT,
			.size = sizeof(*record),
		};
		record->type = type;
		record->flags = flags;
		record->prog_id = prog->aux->id;
		memcpy(record->tag, prog->tag, sizeof(record->tag));
		perfgrp_records_fill_sample_id(group, time, 0, &record->sample_id);
		perfgrp_records_commit(records, event, sizeof(*record));
	}
	local_irq_restore(irqs);
}

/**
 * perfgrp_records_output_bpf_attach - write a record of a member's BPF program
 * @group: the group; nothing is done if it has no buffer
 * @type: PERFGRP_RECORD_BPF_ATTACH, _BPF_REPLACE or _BPF_DETACH
 * @id: the member
 * @prog: the program
 *
 * Any context.
 */
void perfgrp_records_output_bpf_attach(const struct perfgrp_group *group, u32 type, u32 id,
				       const struct bpf_prog *prog)
{
	perfgrp_bpf_attach_record *record;
	struct perfgrp_records *records;
	struct ring_buffer_event *event;
	unsigned long irqs;
	u64 time;

	if (!group->sampling)
		return;
	records = group->sampling->records;
	local_irq_save(irqs);
	time = perfgrp_clock_now(group->clockid);
	event = perfgrp_records_reserve(records, sizeof(*record), time);
	if (event) {
		record = ring_buffer_event_data(event);
		record->header = (struct perf_event_header){
			.type = type,
			.size = sizeof(*record),
		};
		record->id = id;
		record->prog_id = prog->aux->id;
		record->reserved = 0;
		memcpy(record->tag, prog->tag, sizeof(record->tag));
		perfgrp_records_fill_sample_id(group, time, id, &record->sample_id);
		perfgrp_records_commit(records, event, sizeof(*record));
	}
	local_irq_restore(irqs);
}

/**
 * perfgrp_records_account_filtered - count a sample that is not to become a record
 * @records: the buffer
 */
void perfgrp_records_account_filtered(struct perfgrp_records *records)
{
	this_cpu_inc(records->cpu->filtered);
}
