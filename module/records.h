/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a group, as records.c writes and records_read.c reads them.
 *
 * A buffer a CPU, the kernel's ring_buffer.h: its reserve and commit are made for
 * writers that are interrupted by others, NMIs too, and its consumer takes no lock
 * that a writer knows. A record is written in place and read from where it stands.
 *
 * Readers hold records.reading, one at a time. What is lost is told by a LOST record
 * where it was lost: by the next writer that finds room again, or, if a reader has
 * emptied the buffer by then, by the reader. A buffer that overwrites has LOST
 * records from readers alone, since others could be overwritten, and with them
 * what they tell.
 */
#ifndef PERFGRP_RECORDS_H
#define PERFGRP_RECORDS_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>

struct perfgrp_group;
struct perfgrp_record_lost;
struct trace_buffer;
struct user_struct;

/**
 * struct perfgrp_records_cpu - one CPU's counts
 * @produced: samples and records of throttling and of BPF programs
 * @lost: those that found no room
 * @filtered: samples that were to be no records
 * @written_bytes: bytes of records that found room
 * @taken_bytes: bytes of those that were read, by readers
 * @lost_pending: those of @lost that no LOST record has told yet
 * @lost_time: when the last of them was lost
 * @nest: writers under way, one having interrupted the other
 * @written: records that ring_buffer.h has got, those of what was lost among them
 * @committed: as many of these can be read: all, when the outermost writer was done
 * @consumed: of these were taken or overwritten, by readers
 * @wake: wakes the readers
 * @records: of these
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
 * struct perfgrp_records_head - the next record of a CPU, as a reader has seen it
 * @time: of the record; meaningless where there is none
 * @there: there is one
 * @told: a LOST record has told what was overwritten before it
 */
struct perfgrp_records_head {
	u64 time;
	bool there;
	bool told;
};

/**
 * struct perfgrp_records - the buffer of a group
 * @group: whose; for the end of its task
 * @buffer: the records; a worker makes it before anyone else knows of the group
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
	struct perfgrp_records_cpu __percpu *cpu;
	struct user_struct *user;
	unsigned long nr_pages;
	u32 size;
	bool overwrite;
	u32 wakeup_records;
	u32 wakeup_bytes;
	wait_queue_head_t wait;
	struct mutex reading;
	struct perfgrp_records_head *heads;
	u64 nr_read;
	u64 nr_overwritten;
};

void perfgrp_records_fill_lost(struct perfgrp_record_lost *record, u64 lost, u64 time, int cpu);
bool perfgrp_records_watermark_reached(const struct perfgrp_records *records, int cpu);

#endif /* PERFGRP_RECORDS_H */
