/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a group.
 *
 * One buffer per CPU, the kernel's ring_buffer.h: its reserve and commit are made for writers
 * that interrupt one another, NMI included, and its consumer takes no lock that a writer
 * takes. A record is written in place and copied to user space from there.
 *
 * Readers hold perfgrp_records.reading, one at a time, and never while they wait for user memory.
 * Lost records are reported by a LOST record where they were lost: by the next writer that finds
 * room again, or, if a reader has emptied the buffer by then, by the reader. With
 * PERFGRP_CREATE_OVERWRITE only readers report, because a LOST record could itself be overwritten.
 */
#ifndef PERFGRP_RECORDS_H
#define PERFGRP_RECORDS_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/perfgrp.h>

struct bpf_prog;
struct file;
struct perfgrp_group;
struct poll_table_struct;
struct ring_buffer_event;
struct trace_buffer;
struct user_struct;

/*
 * Records in the buffer, which aligns them to 4 bytes only. (A typedef can lower the
 * alignment of the UAPI's structs for the compiler, a struct cannot.)
 */
typedef struct perfgrp_sample_id perfgrp_sample_id_rec __aligned(4);
typedef struct perfgrp_sample_value perfgrp_sample_value_rec __aligned(4);
typedef struct perfgrp_record_sample perfgrp_sample_record __aligned(4);
typedef struct perfgrp_record_throttle perfgrp_throttle_record __aligned(4);
typedef struct perfgrp_record_lost perfgrp_lost_record __aligned(4);
typedef struct perfgrp_record_bpf_event perfgrp_bpf_event_record __aligned(4);
typedef struct perfgrp_record_bpf_attach perfgrp_bpf_attach_record __aligned(4);

/**
 * struct perfgrp_records_cpu - one CPU's counts
 * @produced: records that were to be written
 * @lost: those that found no room
 * @filtered: samples that were not to become records
 * @written_bytes: bytes of records that found room
 * @taken_bytes: bytes of those that were read, written by readers
 * @lost_pending: those of @lost that no LOST record has reported yet
 * @lost_time: when the last of them was lost
 * @nest: writers in progress, one having interrupted the other
 * @written: records that ring_buffer.h has, LOST ones among them
 * @committed: as many of these can be read: all, when the outermost writer was done
 * @consumed: as many of these were read or overwritten, written by readers
 * @wake: wakes the readers; queued in any context, runs in hard IRQ context or, with PREEMPT_RT,
 *	in a thread
 * @records: the buffer that this is part of
 *
 * Written by writers on this CPU with this_cpu_*(), which an NMI may interrupt, except where
 * it says otherwise; read from any CPU.
 */
struct perfgrp_records_cpu {
	u64 produced;
	u64 lost;
	u64 filtered;
	u64 written_bytes;
	u64 taken_bytes;
	atomic_long_t lost_pending;
	u64 lost_time;
	unsigned int nest;
	unsigned long written;
	unsigned long committed;
	unsigned long consumed;
	struct irq_work wake;
	struct perfgrp_records *records;
};

/**
 * struct perfgrp_records_head - the oldest record of a CPU, as a reader has seen it
 * @time: of the record; meaningless if there is none
 * @valid: there is one
 * @lost_reported: a LOST record has reported what was overwritten before it
 */
struct perfgrp_records_head {
	u64 time;
	bool valid;
	bool lost_reported;
};

/**
 * struct perfgrp_records - the buffer of a group
 * @group: the group; for the end of its task
 * @buffer: the records; allocated by a worker before anybody else knows the group
 * @cpu: counts, per CPU
 * @user: whom the memory is charged to
 * @nr_pages: of all CPUs, charged as locked memory of @user
 * @size: bytes per CPU, as asked for
 * @overwrite: a full buffer overwrites
 * @wakeup_records: how many records of one CPU wake a reader
 * @wakeup_bytes: how many bytes
 * @wait: readers that sleep or poll
 * @reading: held by the reader
 * @heads: the oldest record of each CPU (@reading)
 * @nr_read: records that were read; written under @reading
 * @nr_overwritten: records that were overwritten before they were read; written under @reading
 *
 * Constant after creation, except as marked.
 */
struct perfgrp_records {
	struct perfgrp_group *group;
	struct trace_buffer *buffer;
	struct perfgrp_records_cpu __percpu *cpu;
	struct user_struct *user;
	unsigned long nr_pages;
	u32 size;
	bool overwrite;
	u32 wakeup_records;
	u32 wakeup_bytes;
	wait_queue_head_t wait;
	struct mutex reading; /* one reader at a time */
	struct perfgrp_records_head *heads;
	u64 nr_read;
	u64 nr_overwritten;
};

void perfgrp_records_fill_lost(perfgrp_lost_record *record, u64 lost, u64 time, int cpu);
bool perfgrp_records_watermark_reached(const struct perfgrp_records *records, int cpu);

struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err);
void perfgrp_records_destroy(struct perfgrp_records *records);
void perfgrp_records_account_lost(struct perfgrp_records *records, unsigned long nr, u64 time);
struct ring_buffer_event *perfgrp_records_reserve(struct perfgrp_records *records, size_t size,
						  u64 time);
void perfgrp_records_commit(struct perfgrp_records *records, struct ring_buffer_event *event,
			    size_t size);
void perfgrp_records_account_filtered(struct perfgrp_records *records);
void perfgrp_records_get_current(const struct perfgrp_group *group, u32 *pid, u32 *tid);
void perfgrp_records_fill_sample_id(const struct perfgrp_group *group, u64 time, u64 id,
				    perfgrp_sample_id_rec *sample_id);
void perfgrp_records_output_bpf_event(const struct perfgrp_group *group, u16 type, u16 flags,
				      const struct bpf_prog *prog);
void perfgrp_records_output_bpf_attach(const struct perfgrp_group *group, u32 type, u32 id,
				       const struct bpf_prog *prog);
ssize_t perfgrp_records_read(struct perfgrp_records *records, char __user *to, size_t room,
			     bool wait);
__poll_t perfgrp_records_poll(struct perfgrp_records *records, struct file *file,
			      struct poll_table_struct *table);
void perfgrp_records_get_stats(struct perfgrp_records *records, struct perfgrp_stream_stats *stats);

#endif /* PERFGRP_RECORDS_H */
