// SPDX-License-Identifier: GPL-2.0
/*
 * The records of a group: what is written is read, in order, and what is lost is counted. The
 * cases write as overflow handlers do, with times and ids of their own choosing.
 */
#include <linux/atomic.h>
#include <linux/bpf.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/wait.h>

#include "../module/compat.h"
#include "../module/group.h"
#include "../module/records.h"
#include "../module/ring.h"
#include "../module/sampling.h"
#include "harness.h"
#include "suites.h"

static const u32 cpus[] = { 0, 1 };

static struct perfgrp_records *records_of(const struct perfgrp_group *group)
{
	return group->sampling->records;
}

/* The ring of CPU 0 or 1, or of the task. */
static struct perfgrp_ring *ring_of(const struct perfgrp_group *group, int cpu)
{
	return &records_of(group)->rings[group->instance_of ? cpu : 0];
}

/* ---- writing -------------------------------------------------------------- */

/* Write a record on this CPU, in any context. Return: whether there was room. */
static bool put_record(struct perfgrp_group *group, u64 time)
{
	struct perfgrp_record_throttle *record;
	struct perfgrp_ring *ring;
	unsigned long flags;

	local_irq_save(flags);
	ring = ring_of(group, smp_processor_id());
	record = perfgrp_ring_reserve(ring, sizeof(*record), time);
	if (record) {
		*record = (struct perfgrp_record_throttle){
			.header = { .type = PERF_RECORD_THROTTLE, .size = sizeof(*record) },
			.time = time,
			.id = time,
			.sample_id = { .time = time },
		};
		perfgrp_records_commit(ring);
	}
	local_irq_restore(flags);
	return record;
}

/* Write records with times from @time on. Return: how many found room. */
static unsigned int put_until_full(struct perfgrp_group *group, u64 time)
{
	unsigned int nr = 0;

	while (nr < 10000 && put_record(group, time + nr))
		nr++;
	return nr;
}

struct remote {
	struct perfgrp_group *group;
	u64 time;
};

static void put_here(void *info)
{
	const struct remote *remote = info;

	put_record(remote->group, remote->time);
}

static void put_record_on(struct perfgrp_group *group, int cpu, u64 time)
{
	struct remote remote = { .group = group, .time = time };

	smp_call_function_single(cpu, put_here, &remote, true);
}

/* ---- what was read -------------------------------------------------------- */

static u64 time_of(const struct perf_event_header *header)
{
	return ((const struct perfgrp_sample_id *)((const void *)header + header->size))[-1].time;
}

static void expect_record(struct kunit *test, int line, const struct perf_event_header *header,
			  u64 time)
{
	KUNIT_EXPECT_EQ_MSG(test, header->type, (u32)PERF_RECORD_THROTTLE, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, time_of(header), time, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, ((const struct perfgrp_record_throttle *)header)->id, time,
			    "line %d", line);
}

#define EXPECT_RECORD(test, header, time) expect_record(test, __LINE__, header, time)

static void expect_lost(struct kunit *test, int line, const struct perf_event_header *header,
			u64 lost, u64 time, u32 cpu)
{
	const struct perfgrp_record_lost *record = (const void *)header;

	KUNIT_ASSERT_EQ_MSG(test, header->type, (u32)PERF_RECORD_LOST, "line %d", line);
	KUNIT_ASSERT_EQ_MSG(test, (size_t)header->size, sizeof(*record), "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, header->misc, (u16)0, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->id, 0ULL, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->lost, lost, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->sample_id.time, time, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->sample_id.cpu, cpu, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->sample_id.pid, ~0U, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->sample_id.tid, ~0U, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, record->sample_id.id, 0ULL, "line %d", line);
}

#define EXPECT_LOST(test, header, lost, time, cpu)                                                 \
	expect_lost(test, __LINE__, header, lost, time, cpu)

static void expect_nothing_left(struct kunit *test, int line, struct perfgrp_group *group)
{
	const struct perfgrp_ring *ring = ring_of(group, 0);

	KUNIT_EXPECT_EQ_MSG(test, perfgrp_ring_bytes(ring), 0UL, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, perfgrp_ring_entries(ring), 0UL, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, (unsigned long)local_read(&ring->head), ring->committed,
			    "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, harness_read_stream(test, group)->nr, 0U, "line %d", line);
}

#define EXPECT_NOTHING_LEFT(test, group) expect_nothing_left(test, __LINE__, group)

static void expect_stats(struct kunit *test, int line, struct perfgrp_group *group, u64 produced,
			 u64 read, u64 lost)
{
	struct perfgrp_stream_stats stats = harness_stats(group);

	KUNIT_EXPECT_EQ_MSG(test, stats.produced, produced, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, stats.read, read, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, stats.lost, lost, "line %d", line);
}

#define EXPECT_STATS(test, group, produced, read, lost)                                            \
	expect_stats(test, __LINE__, group, produced, read, lost)

/* A group of CPU 0, to which the case is pinned, or of CPUs 0 and 1. */
static struct perfgrp_group *buffer_of(struct kunit *test, struct perfgrp_create arg, u32 nr_cpus)
{
	harness_pin_to(test, 0);
	if (nr_cpus > 1 && !cpu_online(1))
		kunit_skip(test, "one CPU only");
	arg.target = PERFGRP_TARGET_CPUS;
	arg.nr_cpus = nr_cpus;
	return harness_sampling_group(test, arg, cpus);
}

/* ---- reading -------------------------------------------------------------- */

/* [O5] Whole records only, oldest first; a record that is too long for the buffer is kept. */
static void whole_records(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 1);
	static struct perfgrp_record_throttle read[4];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, harness_read(group, read, sizeof(read)), (ssize_t)-EAGAIN);
	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_TRUE(test, put_record(group, i));
	KUNIT_EXPECT_EQ(test, harness_read(group, read, sizeof(*read) - 1), (ssize_t)-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, harness_read(group, read, sizeof(*read)), (ssize_t)sizeof(*read));
	EXPECT_RECORD(test, &read[0].header, 1);
	KUNIT_EXPECT_EQ(test, harness_read(group, read, 3 * sizeof(*read) - 1),
			(ssize_t)(2 * sizeof(*read)));
	EXPECT_RECORD(test, &read[0].header, 2);
	EXPECT_RECORD(test, &read[1].header, 3);
	EXPECT_STATS(test, group, 5, 3, 0);
	KUNIT_EXPECT_EQ(test, harness_read(group, read, sizeof(read)),
			(ssize_t)(2 * sizeof(*read)));
	EXPECT_RECORD(test, &read[0].header, 4);
	EXPECT_RECORD(test, &read[1].header, 5);
	KUNIT_EXPECT_EQ(test, harness_read(group, read, sizeof(read)), (ssize_t)-EAGAIN);
	EXPECT_STATS(test, group, 5, 5, 0);
}

/* Reads to an address without memory. */
static ssize_t read_nowhere(struct perfgrp_group *group)
{
	ssize_t ret;

	harness_user_begin();
	ret = perfgrp_records_read(records_of(group), (void __user *)8, PAGE_SIZE, false);
	harness_user_end();
	return ret;
}

/* [O5] After a fault the record can still be read, [O6] and so can the number of lost records. */
static void fault_keeps_all(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 1);
	const struct harness_stream *stream;
	static struct perfgrp_record_throttle read;
	unsigned int i, nr;

	nr = put_until_full(group, 1);
	KUNIT_EXPECT_EQ(test, read_nowhere(group), (ssize_t)-EFAULT);
	KUNIT_EXPECT_EQ(test, read_nowhere(group), (ssize_t)-EFAULT);
	EXPECT_STATS(test, group, nr + 1, 0, 1);
	for (i = 1; i <= nr; i++) {
		KUNIT_ASSERT_EQ(test, harness_read(group, &read, sizeof(read)),
				(ssize_t)sizeof(read));
		EXPECT_RECORD(test, &read.header, i);
	}
	KUNIT_EXPECT_EQ(test, read_nowhere(group), (ssize_t)-EFAULT);
	KUNIT_EXPECT_EQ(test, harness_read(group, &read, sizeof(struct perfgrp_record_lost) - 1),
			(ssize_t)-EMSGSIZE);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 1U);
	EXPECT_LOST(test, stream->at[0], 1, nr + 1, 0);
	EXPECT_STATS(test, group, nr + 1, nr, 1);
}

/* [O5] Records of several CPUs come in the order of their times. */
static void ordered_by_time(struct kunit *test)
{
	static const struct {
		int cpu;
		u64 time;
	} put[] = { { 1, 20 }, { 1, 40 }, { 1, 41 }, { 0, 10 }, { 0, 30 }, { 0, 50 }, { 1, 60 } };
	static const u64 sorted[] = { 10, 20, 30, 40, 41, 50, 60 };
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 2);
	const struct harness_stream *stream;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(put); i++)
		put_record_on(group, put[i].cpu, put[i].time);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, (unsigned int)ARRAY_SIZE(sorted));
	for (i = 0; i < stream->nr; i++)
		EXPECT_RECORD(test, stream->at[i], sorted[i]);
}

/* ---- losing --------------------------------------------------------------- */

/*
 * [O6] Lost records are reported at the place of the loss: by the reader, if it has emptied the
 * buffer, with the time of the last one; else by the next writer, before its record.
 */
static void lost_where_it_was(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 1);
	const struct harness_stream *stream;
	static struct perfgrp_record_throttle read[256];
	unsigned int nr, i;
	ssize_t ret;

	nr = put_until_full(group, 1);
	KUNIT_ASSERT_GT(test, nr, 10U);
	KUNIT_ASSERT_LT(test, nr, (unsigned int)ARRAY_SIZE(read));
	for (i = 2; i <= 4; i++)
		KUNIT_EXPECT_FALSE(test, put_record(group, nr + i));
	EXPECT_STATS(test, group, nr + 4, 0, 4);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, nr + 1);
	for (i = 0; i < nr; i++)
		EXPECT_RECORD(test, stream->at[i], i + 1);
	EXPECT_LOST(test, stream->at[nr], 4, nr + 4, 0);
	EXPECT_STATS(test, group, nr + 4, nr, 4);

	/* They are reported only once; the next ones are counted from zero. */
	EXPECT_NOTHING_LEFT(test, group);
	nr = put_until_full(group, 1001);
	KUNIT_EXPECT_FALSE(test, put_record(group, 1001 + nr + 1));
	ret = harness_read(group, read, nr * sizeof(*read));
	KUNIT_ASSERT_EQ(test, ret, (ssize_t)(nr * sizeof(*read)));
	EXPECT_RECORD(test, &read[nr - 1].header, 1000 + nr);
	KUNIT_EXPECT_TRUE(test, put_record(group, 2000));
	KUNIT_EXPECT_TRUE(test, put_record(group, 2001));
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 3U);
	EXPECT_LOST(test, stream->at[0], 2, 2000, 0);
	EXPECT_RECORD(test, stream->at[1], 2000);
	EXPECT_RECORD(test, stream->at[2], 2001);
	EXPECT_NOTHING_LEFT(test, group);
}

/**
 * struct burst - a timer that interrupts CPU 0 at a random time
 * @timer: the timer
 * @group: it writes records of this group until one is lost
 * @time: time of the next record
 * @within: how late it may be, in ns
 */
struct burst {
	struct hrtimer timer;
	struct perfgrp_group *group;
	u64 time;
	u32 within;
};

static enum hrtimer_restart write_burst(struct hrtimer *timer)
{
	struct burst *burst = container_of(timer, struct burst, timer);

	burst->time += put_until_full(burst->group, burst->time) + 1;
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart write_one(struct hrtimer *timer)
{
	struct burst *burst = container_of(timer, struct burst, timer);

	put_record(burst->group, burst->time++);
	return HRTIMER_NORESTART;
}

/* @random: any number. With PREEMPT_RT it takes a lock that sleeps to get one. */
static void burst_start(struct burst *burst, u32 random)
{
	hrtimer_start(&burst->timer, ns_to_ktime(random % burst->within),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Wait until it has interrupted this CPU. */
static void burst_wait(struct burst *burst)
{
	while (hrtimer_active(&burst->timer))
		cpu_relax();
}

/*
 * [O6] What is lost while a reader is at work comes after the records that were written before it,
 * which this reader may leave to the next.
 */
static void lost_while_reading(struct kunit *test)
{
	static struct burst burst;
	const struct harness_stream *stream;
	unsigned int round, i, bursts = 0;
	u64 last = 0, begin, lost = 0;

	burst = (struct burst){ .group = buffer_of(test, (struct perfgrp_create){}, 1), .time = 1 };
	compat_hrtimer_setup(&burst.timer, write_burst, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	begin = local_clock();
	harness_read_stream(test, burst.group);
	/* If the TSC is unstable, the clock may stand still for a tick. */
	burst.within = clamp_t(u64, 2 * (local_clock() - begin), 100 * NSEC_PER_USEC,
			       NSEC_PER_MSEC);
	for (round = 0; round < 2000; round++) {
		burst_start(&burst, get_random_u32());
		do {
			stream = harness_read_stream(test, burst.group);
			for (i = 0; i < stream->nr; i++) {
				KUNIT_EXPECT_GE(test, time_of(stream->at[i]), last);
				last = time_of(stream->at[i]);
				if (stream->at[i]->type == PERF_RECORD_LOST) {
					lost += ((const struct perfgrp_record_lost *)
							 stream->at[i])->lost;
					bursts++;
				}
			}
		} while (round % 2 && stream->nr);
		burst_wait(&burst);
	}
	KUNIT_EXPECT_GT(test, bursts, 100U);
	while ((stream = harness_read_stream(test, burst.group))->nr)
		for (i = 0; i < stream->nr; i++)
			if (stream->at[i]->type == PERF_RECORD_LOST)
				lost += ((const struct perfgrp_record_lost *)stream->at[i])->lost;
	KUNIT_EXPECT_EQ(test, lost, harness_stats(burst.group).lost);
}

/* [O6] A CPU's LOST record is sorted by time among those of another, and has its CPU. */
static void lost_on_one_cpu(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 2);
	const struct harness_stream *stream;
	unsigned long flags;
	unsigned int i;

	for (i = 10; i <= 30; i += 10)
		put_record_on(group, 1, i);
	local_irq_save(flags);
	perfgrp_ring_account_lost(ring_of(group, 0), 7, 25);
	local_irq_restore(flags);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 4U);
	EXPECT_RECORD(test, stream->at[0], 10);
	EXPECT_RECORD(test, stream->at[1], 20);
	EXPECT_LOST(test, stream->at[2], 7, 25, 0);
	EXPECT_RECORD(test, stream->at[3], 30);
	EXPECT_STATS(test, group, 10, 3, 7);
}

/*
 * [O6] With OVERWRITE the oldest records are dropped. The reader reports how many, once, before
 * the ones that are left.
 */
static void overwritten(struct kunit *test)
{
	struct perfgrp_group *group =
		buffer_of(test, (struct perfgrp_create){ .flags = PERFGRP_CREATE_OVERWRITE }, 1);
	static u64 first[sizeof(struct perfgrp_record_lost) / sizeof(u64)];
	const struct perfgrp_record_lost *lost = (const void *)first;
	const struct harness_stream *stream;
	u64 nr_lost, next;
	unsigned int i, nr_losses = 0;

	for (i = 1; i <= 1000; i++)
		KUNIT_EXPECT_TRUE(test, put_record(group, i));
	/* Only the LOST record fits, and it is not repeated. */
	KUNIT_ASSERT_EQ(test, harness_read(group, first, sizeof(first)), (ssize_t)sizeof(first));
	nr_lost = lost->lost;
	KUNIT_EXPECT_GT(test, nr_lost, 700ULL);
	KUNIT_EXPECT_LT(test, nr_lost, 1000ULL);
	EXPECT_LOST(test, &lost->header, nr_lost, nr_lost + 1, 0);
	EXPECT_STATS(test, group, 1000, 0, nr_lost);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, (u64)stream->nr, 1000 - nr_lost);
	for (i = 0; i < stream->nr; i++)
		EXPECT_RECORD(test, stream->at[i], nr_lost + 1 + i);
	EXPECT_STATS(test, group, 1000, 1000 - nr_lost, nr_lost);
	EXPECT_NOTHING_LEFT(test, group);

	for (i = 1001; i <= 2000; i++)
		KUNIT_EXPECT_TRUE(test, put_record(group, i));
	stream = harness_read_stream(test, group);
	for (i = 0, next = 1001; i < stream->nr; i++) {
		if (stream->at[i]->type != PERF_RECORD_LOST) {
			EXPECT_RECORD(test, stream->at[i], next++);
			continue;
		}
		lost = (const void *)stream->at[i];
		next += lost->lost;
		nr_lost += lost->lost;
		EXPECT_LOST(test, stream->at[i], lost->lost, next, 0);
		nr_losses++;
	}
	KUNIT_EXPECT_EQ(test, next, 2001ULL);
	KUNIT_EXPECT_EQ(test, nr_losses, 1U);
	EXPECT_STATS(test, group, 2000, 2000 - nr_lost, nr_lost);
	EXPECT_NOTHING_LEFT(test, group);
}

/* ---- writers that interrupt one another ------------------------------------ */

struct interrupter {
	struct irq_work work;
	struct perfgrp_group *group;
	unsigned long committed;
};

static void interrupt(struct irq_work *work)
{
	struct interrupter *interrupter = container_of(work, struct interrupter, work);

	put_record(interrupter->group, 2);
	interrupter->committed = READ_ONCE(ring_of(interrupter->group, 0)->committed);
}

/*
 * [O4] [O5] A writer is interrupted by another: neither record is readable before the first one is
 * complete, and they are in the order in which they were begun.
 */
static void nested_writers(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 1);
	struct interrupter interrupter = { .group = group };
	struct perfgrp_ring *ring = ring_of(group, 0);
	const struct harness_stream *stream;
	struct perfgrp_record_throttle *record;
	unsigned int nest, i;

	interrupter.work = IRQ_WORK_INIT_HARD(interrupt);
	preempt_disable();
	record = perfgrp_ring_reserve(ring, sizeof(*record), 1);
	nest = ring->nest;
	irq_work_queue(&interrupter.work);
	for (i = 0; i < 100000000 && irq_work_is_busy(&interrupter.work); i++)
		cpu_relax();
	if (record) {
		*record = (struct perfgrp_record_throttle){
			.header = { .type = PERF_RECORD_THROTTLE, .size = sizeof(*record) },
			.id = 1,
			.sample_id = { .time = 1 },
		};
		perfgrp_records_commit(ring);
	}
	preempt_enable();
	irq_work_sync(&interrupter.work);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, nest, 1U);
	KUNIT_EXPECT_EQ(test, interrupter.committed, 0UL);
	KUNIT_EXPECT_EQ(test, ring->nest, 0U);
	KUNIT_EXPECT_EQ(test, ring->committed, 2 * sizeof(*record));
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 2U);
	EXPECT_RECORD(test, stream->at[0], 1);
	EXPECT_RECORD(test, stream->at[1], 2);
	EXPECT_STATS(test, group, 2, 2, 0);
}

/* [O4] A writer that interrupts another where it commits: both records are readable afterwards. */
static void interrupted_commit(struct kunit *test)
{
	struct perfgrp_group *group =
		buffer_of(test, (struct perfgrp_create){ .flags = PERFGRP_CREATE_OVERWRITE }, 1);
	struct perfgrp_ring *ring = ring_of(group, 0);
	struct perfgrp_record_throttle *record;
	unsigned int round, behind = 0;
	static struct burst burst;
	u32 random;
	u64 begin;

	burst = (struct burst){ .group = group, .time = 1, .within = 1 };
	compat_hrtimer_setup(&burst.timer, write_one, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	for (round = 0; round < 4000; round++) {
		random = get_random_u32();
		preempt_disable();
		begin = local_clock();
		burst_start(&burst, random);
		record = perfgrp_ring_reserve(ring, sizeof(*record), 1);
		if (record) {
			*record = (struct perfgrp_record_throttle){
				.header = { .type = PERF_RECORD_THROTTLE, .size = sizeof(*record) },
			};
			perfgrp_ring_commit(ring);
		}
		burst.within = clamp_t(u64, local_clock() - begin, 1, NSEC_PER_MSEC);
		burst_wait(&burst);
		local_irq_disable();
		behind += READ_ONCE(ring->committed) != local_read(&ring->head);
		local_irq_enable();
		preempt_enable();
	}
	KUNIT_EXPECT_EQ(test, behind, 0U);
	KUNIT_EXPECT_EQ(test, burst.time, 4001ULL);
}

/* [O4] [O6] With OVERWRITE a writer drops old records, but none that is still being written. */
static void nested_writers_overwrite(struct kunit *test)
{
	struct perfgrp_group *group =
		buffer_of(test, (struct perfgrp_create){ .flags = PERFGRP_CREATE_OVERWRITE }, 1);
	struct perfgrp_ring *ring = ring_of(group, 0);
	struct perfgrp_record_throttle *record;
	const unsigned int fit = ring->size / sizeof(*record);
	unsigned int nr = 0, i;
	unsigned long flags;

	for (i = 1; i <= 1000; i++)
		KUNIT_EXPECT_TRUE(test, put_record(group, i));
	local_irq_save(flags);
	/* Each of them has interrupted the one before it. */
	while (nr <= fit) {
		record = perfgrp_ring_reserve(ring, sizeof(*record), 1001 + nr);
		if (!record)
			break;
		record->header = (struct perf_event_header){
			.type = PERF_RECORD_THROTTLE,
			.size = sizeof(*record),
		};
		nr++;
	}
	for (i = 0; i < nr; i++)
		perfgrp_records_commit(ring);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, nr, fit);
	KUNIT_EXPECT_EQ(test, ring->nest, 0U);
	KUNIT_EXPECT_EQ(test, perfgrp_ring_bytes(ring), fit * sizeof(*record));
}

/* ---- waking --------------------------------------------------------------- */

struct sleeper {
	struct wait_queue_entry entry;
	unsigned int woken;
};

static int note_wakeup(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct sleeper *sleeper = container_of(entry, struct sleeper, entry);

	if (key_to_poll(key) == (EPOLLIN | EPOLLRDNORM))
		sleeper->woken++;
	return 0;
}

static bool pollable(struct perfgrp_group *group)
{
	return perfgrp_records_poll(records_of(group), NULL, NULL) == (EPOLLIN | EPOLLRDNORM);
}

/* Writes @nr records while a reader sleeps. Return: how often it was woken. */
static unsigned int wakeups(struct perfgrp_group *group, unsigned int nr)
{
	struct perfgrp_records *records = records_of(group);
	struct sleeper sleeper = {};

	init_waitqueue_func_entry(&sleeper.entry, note_wakeup);
	add_wait_queue(&records->group->wait, &sleeper.entry);
	while (nr--) {
		put_record(group, 1);
		irq_work_sync(&records->wake);
	}
	remove_wait_queue(&records->group->wait, &sleeper.entry);
	return sleeper.woken;
}

/*
 * Write @nr records: the last one, not an earlier one, reaches the watermark and wakes readers. The
 * same again after they are read.
 */
static void expect_watermark(struct kunit *test, struct perfgrp_create arg, unsigned int nr)
{
	struct perfgrp_group *group = buffer_of(test, arg, 1);
	static struct perfgrp_record_throttle read;
	unsigned int round;

	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_FALSE(test, pollable(group));
		KUNIT_EXPECT_EQ_MSG(test, wakeups(group, nr - 1), 0U, "round %u", round);
		KUNIT_EXPECT_FALSE(test, pollable(group));
		KUNIT_EXPECT_FALSE(test, perfgrp_records_watermark_reached(ring_of(group, 0)));
		KUNIT_EXPECT_EQ_MSG(test, wakeups(group, 1), 1U, "round %u", round);
		KUNIT_EXPECT_TRUE(test, pollable(group));
		KUNIT_EXPECT_TRUE(test, perfgrp_records_watermark_reached(ring_of(group, 0)));
		KUNIT_EXPECT_EQ_MSG(test, wakeups(group, 1), 1U, "round %u", round);
		/* Of nr + 1 records: after reading one there are enough, after two not. */
		KUNIT_EXPECT_EQ(test, harness_read(group, &read, sizeof(read)),
				(ssize_t)sizeof(read));
		KUNIT_EXPECT_TRUE(test, pollable(group));
		KUNIT_EXPECT_EQ(test, harness_read(group, &read, sizeof(read)),
				(ssize_t)sizeof(read));
		KUNIT_EXPECT_FALSE(test, pollable(group));
		KUNIT_EXPECT_EQ(test, harness_read_stream(test, group)->nr, nr - 1);
	}
	harness_destroy(group);
}

/* [O7] */
static void wakeup_after(struct kunit *test)
{
	struct perfgrp_create arg = {};

	expect_watermark(test, arg, 1);
	arg.wakeup_records = 5;
	expect_watermark(test, arg, 5);
	/* Whichever comes first. */
	arg.wakeup_bytes = 3 * sizeof(struct perfgrp_record_throttle);
	expect_watermark(test, arg, 3);
	arg.wakeup_bytes = 5 * sizeof(struct perfgrp_record_throttle) + 1;
	expect_watermark(test, arg, 5);
	arg.wakeup_records = 0;
	expect_watermark(test, arg, 6);
	/* A half full ring always wakes. */
	arg.wakeup_bytes = 0;
	arg.wakeup_records = 1000;
	expect_watermark(test, arg,
			 DIV_ROUND_UP(PAGE_SIZE, sizeof(struct perfgrp_record_throttle)));
}

/* [O7] Each CPU has a watermark of its own, and reaching any of them wakes. */
static void wakeup_by_any_cpu(struct kunit *test)
{
	struct perfgrp_group *group =
		buffer_of(test, (struct perfgrp_create){ .wakeup_records = 2 }, 2);

	put_record_on(group, 0, 1);
	put_record_on(group, 1, 2);
	KUNIT_EXPECT_FALSE(test, pollable(group));
	put_record_on(group, 1, 3);
	KUNIT_EXPECT_TRUE(test, pollable(group));
	KUNIT_EXPECT_EQ(test, harness_read_stream(test, group)->nr, 3U);
	KUNIT_EXPECT_FALSE(test, pollable(group));
}

static int exit_when_told(void *data)
{
	wait_for_completion(data);
	return 0;
}

/* [O5] [G18] After the task has exited its records can be read, and then read(2) returns 0. */
static void task_has_exited(struct kunit *test)
{
	struct perfgrp_create arg = { .target = PERFGRP_TARGET_TASK, .wakeup_records = 100 };
	DECLARE_COMPLETION_ONSTACK(end);
	struct perfgrp_group *group;
	struct task_struct *task;
	static struct perfgrp_record_throttle read;
	__poll_t alive, dead;

	harness_pin_to(test, 0);
	task = kthread_run(exit_when_told, &end, "perfgrp_mortal");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	group = harness_sampling_group(test, arg, NULL);
	/* Make it the group's task, with its reference, as find_task() would have. */
	put_task_struct(group->task);
	group->task = task;
	put_record(group, 1);
	alive = perfgrp_records_poll(records_of(group), NULL, NULL);
	complete(&end);
	while (!READ_ONCE(task->exit_state))
		schedule_timeout_uninterruptible(1);
	dead = perfgrp_records_poll(records_of(group), NULL, NULL);

	KUNIT_EXPECT_EQ(test, alive, (__poll_t)0);
	KUNIT_EXPECT_EQ(test, dead, (__poll_t)(EPOLLHUP | EPOLLIN | EPOLLRDNORM));
	KUNIT_EXPECT_EQ(test, harness_read(group, &read, sizeof(read)), (ssize_t)sizeof(read));
	KUNIT_EXPECT_EQ(test, harness_read(group, &read, sizeof(read)), (ssize_t)0);
}

/* ---- memory --------------------------------------------------------------- */

/*
 * [A6] A power of two of pages, at least two, for each CPU that records, plus one page for its
 * state, and the ring for records of no CPU; all are charged, and uncharged again.
 */
static void size_and_charge(struct kunit *test)
{
	static const struct {
		u32 target, nr_cpus, flags, asked;
		unsigned int pages, other_pages;
	} sizes[] = {
		{ PERFGRP_TARGET_CPUS, 1, 0, 1, 2, 2 },
		{ PERFGRP_TARGET_CPUS, 1, 0, 2 * PAGE_SIZE, 2, 2 },
		{ PERFGRP_TARGET_CPUS, 1, 0, 2 * PAGE_SIZE + 1, 4, 2 },
		{ PERFGRP_TARGET_CPUS, 2, 0, 4 * PAGE_SIZE, 4, 2 },
		{ PERFGRP_TARGET_CPUS, 1, PERFGRP_CREATE_BPF_EVENTS, 4 * PAGE_SIZE, 4, 4 },
		{ PERFGRP_TARGET_TASK, 0, 0, PAGE_SIZE, 2, 2 },
		{ PERFGRP_TARGET_TASK, 0, 0, 8 * PAGE_SIZE, 8, 2 },
		{ PERFGRP_TARGET_ALL_CPUS, 0, 0, 5 * PAGE_SIZE - 1, 8, 2 },
	};
	atomic_long_t *account = compat_user_locked(current_user());
	struct perfgrp_stream_stats stats;
	struct perfgrp_create arg = {};
	struct perfgrp_group *group;
	long before, nr_rings;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i].nr_cpus > num_online_cpus())
			continue;
		arg.target = sizes[i].target;
		arg.nr_cpus = sizes[i].nr_cpus;
		arg.flags = sizes[i].flags;
		arg.buffer_size = sizes[i].asked;
		nr_rings = arg.nr_cpus ?: arg.target == PERFGRP_TARGET_TASK ? 1 : num_online_cpus();
		before = atomic_long_read(account);
		group = harness_sampling_group(test, arg, arg.nr_cpus ? cpus : NULL);
		stats = harness_stats(group);
		KUNIT_EXPECT_EQ_MSG(test, (unsigned long)stats.buffer_size,
				    sizes[i].pages * PAGE_SIZE, "%u", i);
		KUNIT_EXPECT_EQ(test, stats.sample_type, (u64)PERFGRP_SAMPLE_TYPE);
		KUNIT_EXPECT_EQ(test, stats.read_format, (u64)PERFGRP_READ_FORMAT);
		KUNIT_EXPECT_EQ_MSG(test, atomic_long_read(account) - before,
				    nr_rings * (sizes[i].pages + 1) + sizes[i].other_pages + 1,
				    "%u", i);
		harness_destroy(group);
		KUNIT_EXPECT_EQ_MSG(test, atomic_long_read(account), before, "%u", i);
	}
}

/* ---- records of programs --------------------------------------------------- */

/* [B11] */
static void attach_record(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 1);
	struct bpf_prog *prog = kunit_kzalloc(test, sizeof(*prog), GFP_KERNEL);
	struct bpf_prog_aux *aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	const struct perfgrp_record_bpf_attach *record;
	const struct harness_stream *stream;

	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_ASSERT_NOT_NULL(test, aux);
	prog->aux = aux;
	aux->id = 1234;
	memset(prog->tag, 0xa5, sizeof(prog->tag));
	perfgrp_records_output_bpf_attach(group, PERFGRP_RECORD_BPF_REPLACE, 7, prog);
	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 1U);
	record = (const void *)stream->at[0];
	KUNIT_ASSERT_EQ(test, (size_t)record->header.size, sizeof(*record));
	KUNIT_EXPECT_EQ(test, record->header.type, PERFGRP_RECORD_BPF_REPLACE);
	KUNIT_EXPECT_EQ(test, record->header.misc, (u16)0);
	KUNIT_EXPECT_EQ(test, record->id, 7ULL);
	KUNIT_EXPECT_EQ(test, record->prog_id, 1234U);
	KUNIT_EXPECT_EQ(test, record->reserved, 0U);
	KUNIT_EXPECT_NULL(test, memchr_inv(record->tag, 0xa5, sizeof(record->tag)));
	KUNIT_EXPECT_EQ(test, record->sample_id.id, 7ULL);
	KUNIT_EXPECT_EQ(test, record->sample_id.cpu, 0U);
	KUNIT_EXPECT_EQ(test, record->sample_id.pid, (u32)task_tgid_vnr(current));
	KUNIT_EXPECT_EQ(test, record->sample_id.tid, (u32)task_pid_vnr(current));
	EXPECT_STATS(test, group, 1, 1, 0);

	/* A group without a buffer gets no record. */
	perfgrp_records_output_bpf_attach(harness_cpu_group(test, 0, 0),
					  PERFGRP_RECORD_BPF_ATTACH, 1, prog);
}

/* ---- memory --------------------------------------------------------------- */

#ifdef CONFIG_MEMCG
static struct mem_cgroup *charged_now(void)
{
	return current->active_memcg;
}
#else
static struct mem_cgroup *charged_now(void)
{
	return NULL;
}
#endif

/*
 * [A6] A CPU that comes online gets its ring. It is charged to its group's memory cgroup; what the
 * worker allocates next is not.
 */
static void late_ring(struct kunit *test)
{
	struct perfgrp_group *group = buffer_of(test, (struct perfgrp_create){}, 1);
	struct perfgrp_records *records = group->sampling->records;
	struct perfgrp_ring *ring = &records->rings[0];
	unsigned long nr_pages = records->nr_pages;

	down_write(&group->lock);
	perfgrp_ring_free(ring);
	perfgrp_records_add_ring(group, 0);
	up_write(&group->lock);
	KUNIT_EXPECT_TRUE(test, perfgrp_ring_exists(ring));
	KUNIT_EXPECT_EQ(test, records->nr_pages, nr_pages + perfgrp_ring_nr_pages(ring));
	KUNIT_EXPECT_NULL(test, charged_now());
}

static struct kunit_case records_cases[] = {
	KUNIT_CASE(whole_records),
	KUNIT_CASE(fault_keeps_all),
	KUNIT_CASE(ordered_by_time),
	KUNIT_CASE(lost_where_it_was),
	KUNIT_CASE(lost_while_reading),
	KUNIT_CASE(lost_on_one_cpu),
	KUNIT_CASE(overwritten),
	KUNIT_CASE(nested_writers),
	KUNIT_CASE(interrupted_commit),
	KUNIT_CASE(nested_writers_overwrite),
	KUNIT_CASE(wakeup_after),
	KUNIT_CASE(wakeup_by_any_cpu),
	KUNIT_CASE(task_has_exited),
	KUNIT_CASE(size_and_charge),
	KUNIT_CASE(attach_record),
	KUNIT_CASE(late_ring),
	{}
};

struct kunit_suite perfgrp_records_suite = {
	.name = "perfgrp_records",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = harness_exit,
	.test_cases = records_cases,
};
