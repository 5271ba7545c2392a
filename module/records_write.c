// SPDX-License-Identifier: GPL-2.0
/*
 * Writing the records of a group that are not samples, and waking its readers. ring.c has the
 * rings, records.c allocates and frees them, records_read.c reads.
 *
 * Everything here runs in any context, including NMI, with preemption off, unless a function says
 * otherwise. Readers are woken by an irq_work, because the scheduler may have been interrupted.
 */
#include <linux/bpf.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "clock.h"
#include "group.h"
#include "records.h"
#include "ring.h"
#include "sampling.h"

/* As perf_event_pid(): -1 if the task is exiting, 0 if it is not visible in the pid namespace. */
static u32 current_nr(enum pid_type type, struct pid_namespace *ns)
{
	u32 nr = __task_pid_nr_ns(current, type, ns);

	return nr || pid_alive(current) ? nr : -1;
}

/**
 * perfgrp_records_get_current - pid and tid of the current task
 * @group: the group, whose pid namespace is used
 * @pid: set to the process's pid
 * @tid: set to the thread's tid
 *
 * Any context.
 */
void perfgrp_records_get_current(const struct perfgrp_group *group, u32 *pid, u32 *tid)
{
	struct pid_namespace *ns = group->sampling->pid_ns;

	*pid = current_nr(PIDTYPE_TGID, ns);
	/* Saves a look-up: most tasks are group leaders, whose tid is the pid. */
	*tid = thread_group_leader(current) ? *pid : current_nr(PIDTYPE_PID, ns);
}

/**
 * perfgrp_records_fill_sample_id - fill in the sample_id of a record
 * @group: the group
 * @time: time of the record
 * @id: id of the member; 0 for none
 * @sample_id: filled in
 *
 * Preemption is off; any context.
 */
void perfgrp_records_fill_sample_id(const struct perfgrp_group *group, u64 time, u64 id,
				    struct perfgrp_sample_id *sample_id)
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
 * perfgrp_records_watermark_reached - are there enough records to wake the readers?
 * @ring: one of the rings; it exists
 *
 * Return: true if there are as many records or bytes as PERFGRP_CREATE asked for, or the ring is
 * half full. If userspace reads the ring itself, the number of records is an upper limit.
 */
bool perfgrp_records_watermark_reached(const struct perfgrp_ring *ring)
{
	unsigned long bytes = perfgrp_ring_bytes(ring);

	return bytes && (perfgrp_ring_entries(ring) >= ring->records->wakeup_records ||
			 bytes >= min(ring->records->wakeup_bytes, ring->size / 2));
}

/*
 * Wake readers only once, until they have looked at the rings. With PREEMPT_RT a thread of a higher
 * priority wakes them; if context switches are recorded, the switch to that thread would wake them
 * again, and they would never run. With a mapped ring this does not hold, as userspace may read it
 * without entering the kernel; but there records that are not read fill the ring, which ends the
 * loop.
 */
static void wake_readers(struct perfgrp_records *records)
{
	/* The barrier in wq_has_sleeper(), before this, pairs with that in records_look(). */
	if (READ_ONCE(records->woken) && !READ_ONCE(records->mapped))
		return;
	WRITE_ONCE(records->woken, true);
	irq_work_queue(&records->wake);
}

/**
 * perfgrp_records_commit - make a record readable, and wake the readers if there are enough
 * @ring: the ring, in which perfgrp_ring_reserve() has reserved the record
 */
void perfgrp_records_commit(struct perfgrp_ring *ring)
{
	perfgrp_ring_commit(ring);
	if (wq_has_sleeper(&ring->records->group->wait) && perfgrp_records_watermark_reached(ring))
		wake_readers(ring->records);
}

/*
 * A kprobe that is not on an ftrace location runs its handler in an exception (int3 on x86) that
 * lockdep takes for an NMI, where it accepts only a trylock. The handler interrupts nothing but the
 * probed function, so if the lock is held, its holder is on another CPU with interrupts off, and
 * spinning is safe.
 */
static unsigned long lock_other(struct perfgrp_records *records)
	__acquires(&records->other_lock)
{
	unsigned long irqs;

	local_irq_save(irqs);
	if (in_nmi()) {
		while (!raw_spin_trylock(&records->other_lock))
			cpu_relax();
	} else {
		raw_spin_lock(&records->other_lock);
	}
	return irqs;
}

static void unlock_other(struct perfgrp_records *records, unsigned long irqs)
	__releases(&records->other_lock)
{
	raw_spin_unlock_irqrestore(&records->other_lock, irqs);
}

/**
 * perfgrp_records_account_missed - count records of events that were missed as lost
 * @records: the rings
 * @nr: how many
 *
 * A task or softirq, or a kprobe's handler there.
 */
void perfgrp_records_account_missed(struct perfgrp_records *records, unsigned long nr)
{
	unsigned long irqs;

	irqs = lock_other(records);
	perfgrp_ring_account_lost(&records->other, nr, perfgrp_clock_now(records->group->clockid));
	unlock_other(records, irqs);
}

/**
 * perfgrp_records_output_bpf_event - write a PERF_RECORD_BPF_EVENT
 * @group: a group with a buffer
 * @type: PERF_BPF_EVENT_*
 * @flags: the record's flags
 * @prog: the program
 *
 * A task or softirq, or a kprobe's handler there.
 */
void perfgrp_records_output_bpf_event(const struct perfgrp_group *group, u16 type, u16 flags,
				      const struct bpf_prog *prog)
{
	struct perfgrp_records *records = group->sampling->records;
	struct perfgrp_record_bpf_event *record;
	unsigned long irqs;
	u64 time;

	irqs = lock_other(records);
	time = perfgrp_clock_now(group->clockid);
	record = perfgrp_ring_reserve(&records->other, sizeof(*record), time);
	if (record) {
		record->header = (struct perf_event_header){
			.type = PERF_RECORD_BPF_EVENT,
			.size = sizeof(*record),
		};
		record->type = type;
		record->flags = flags;
		record->prog_id = prog->aux->id;
		memcpy(record->tag, prog->tag, sizeof(record->tag));
		perfgrp_records_fill_sample_id(group, time, 0, &record->sample_id);
		perfgrp_records_commit(&records->other);
	}
	unlock_other(records, irqs);
}

/**
 * perfgrp_records_output_bpf_attach - write a record of a member's BPF program
 * @group: the group; nothing is done if it has no buffer
 * @type: PERFGRP_RECORD_BPF_ATTACH, _BPF_REPLACE or _BPF_DETACH
 * @id: the member
 * @prog: the program
 *
 * Process context, or a kprobe's handler there.
 */
void perfgrp_records_output_bpf_attach(const struct perfgrp_group *group, u32 type, u32 id,
				       const struct bpf_prog *prog)
{
	struct perfgrp_record_bpf_attach *record;
	struct perfgrp_records *records;
	unsigned long irqs;
	u64 time;

	if (!group->sampling)
		return;
	records = group->sampling->records;
	irqs = lock_other(records);
	time = perfgrp_clock_now(group->clockid);
	record = perfgrp_ring_reserve(&records->other, sizeof(*record), time);
	if (record) {
		record->header = (struct perf_event_header){
			.type = type,
			.size = sizeof(*record),
		};
		record->id = id;
		record->prog_id = prog->aux->id;
		record->reserved = 0;
		memcpy(record->tag, prog->tag, sizeof(record->tag));
		perfgrp_records_fill_sample_id(group, time, id, &record->sample_id);
		perfgrp_records_commit(&records->other);
	}
	unlock_other(records, irqs);
}
