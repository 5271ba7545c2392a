/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups with a buffer, and reading records from them.
 */
#ifndef TESTS_STREAM_H
#define TESTS_STREAM_H

#include "group.h"

#include <fcntl.h>
#include <linux/perf_event.h>

/* The values after a sample, S->nr of them. */
static inline const struct perfgrp_sample_value *
sample_values(const struct perfgrp_record_sample *s)
{
	return (const void *)(s + 1);
}

/* Do samples of INHERIT groups have the values of the sampled task? */
static inline bool children_have_values(void)
{
	return grp_info().features & PERFGRP_FEATURE_CHILD_VALUES;
}

#define MAX_RECORDS 65536

/*
 * The records that were read last, except total and lost, which are sums since stream_start(), and
 * callchains, which a test sets.
 */
static struct records {
	char buf[16 << 20];
	size_t used;
	const void *record[MAX_RECORDS];
	const struct perfgrp_record_sample *sample[MAX_RECORDS];
	const struct perfgrp_record_bpf_event *bpf[MAX_RECORDS];
	const struct perfgrp_record_bpf_attach *attach[MAX_RECORDS];
	__u32 nr, nr_samples, nr_lost, nr_throttles, nr_unthrottles, nr_bpf, nr_attach;
	__u64 total;		/* records except LOST */
	__u64 lost;		/* sum of what LOST records report */
	__u64 lost_of_bpf;	/* of these, records of BPF programs */
	bool callchains;	/* samples have them */
} records;

static inline int stream_create(__u32 flags, __u32 target, pid_t pid, __u32 buffer_size)
{
	return grp_create_like((struct perfgrp_create){
		.flags = flags, .target = target, .pid = pid, .buffer_size = buffer_size });
}

static inline int stream_on_task(__u32 flags, pid_t pid, __u32 buffer_size)
{
	return stream_create(flags, PERFGRP_TARGET_TASK, pid, buffer_size);
}

static inline void stream_start(struct records *r)
{
	r->total = 0;
	r->lost = 0;
	r->lost_of_bpf = 0;
}

static inline void stream_forget(struct records *r)
{
	r->used = 0;
	r->nr = 0;
	r->nr_samples = 0;
	r->nr_lost = 0;
	r->nr_throttles = 0;
	r->nr_unthrottles = 0;
	r->nr_bpf = 0;
	r->nr_attach = 0;
}

/* The sample_id at the end of a record that is not a sample. */
static inline const struct perfgrp_sample_id *sample_id_of(const struct perf_event_header *h)
{
	return (const void *)((const char *)h + h->size - sizeof(struct perfgrp_sample_id));
}

/* When a record was made. */
static inline __u64 record_time(const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_SAMPLE)
		return ((const struct perfgrp_record_sample *)h)->time;
	return sample_id_of(h)->time;
}

/* Checks what is true of every record of its type. */
static inline void check_record(const struct perf_event_header *h, size_t left)
{
	REQUIRE(left >= sizeof(*h) && h->size >= sizeof(*h) && h->size <= left);
	switch (h->type) {
	case PERF_RECORD_SAMPLE: {
		const struct perfgrp_record_sample *s = (const void *)h;

		size_t size = sizeof(*s);

		REQUIRE(h->size >= size);
		size += s->nr * sizeof(struct perfgrp_sample_value);
		if (records.callchains) {
			REQUIRE(h->size >= size + sizeof(__u64));
			size += (1 + *(const __u64 *)((const char *)s + size)) * sizeof(__u64);
		}
		EXPECT_EQ(h->size, size);
		EXPECT_LE(s->time_running, s->time_enabled);
		EXPECT_EQ(s->reserved, 0);
		return;
	}
	case PERF_RECORD_LOST: {
		const struct perfgrp_record_lost *l = (const void *)h;

		REQUIRE_EQ(h->size, sizeof(*l));
		EXPECT_EQ(l->id, 0);
		EXPECT_GT(l->lost, 0);
		EXPECT_EQ(l->sample_id.pid, (__u32)-1);
		EXPECT_EQ(l->sample_id.tid, (__u32)-1);
		EXPECT_EQ(l->sample_id.id, 0);
		break;
	}
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: {
		const struct perfgrp_record_throttle *t = (const void *)h;

		REQUIRE_EQ(h->size, sizeof(*t));
		EXPECT_EQ(t->time, t->sample_id.time);
		EXPECT_EQ(t->stream_id, t->id);
		EXPECT_EQ(t->sample_id.id, t->id);
		break;
	}
	case PERF_RECORD_BPF_EVENT: {
		const struct perfgrp_record_bpf_event *e = (const void *)h;

		REQUIRE_EQ(h->size, sizeof(*e));
		EXPECT(e->type == PERF_BPF_EVENT_PROG_LOAD ||
		       e->type == PERF_BPF_EVENT_PROG_UNLOAD);
		EXPECT_EQ(e->flags, 0);
		EXPECT_NE(e->prog_id, 0);
		EXPECT_EQ(e->sample_id.id, 0);
		break;
	}
	case PERFGRP_RECORD_BPF_ATTACH:
	case PERFGRP_RECORD_BPF_REPLACE:
	case PERFGRP_RECORD_BPF_DETACH: {
		const struct perfgrp_record_bpf_attach *e = (const void *)h;

		REQUIRE_EQ(h->size, sizeof(*e));
		EXPECT_NE(e->id, 0);
		EXPECT_NE(e->prog_id, 0);
		EXPECT_EQ(e->reserved, 0);
		EXPECT_EQ(e->sample_id.id, e->id);
		break;
	}
	default:
		fail("a record of type %u", h->type);
		return;
	}
	EXPECT_EQ(h->misc, 0);
	EXPECT_EQ(sample_id_of(h)->reserved, 0);
}

static inline void stream_note(const struct perf_event_header *h)
{
	REQUIRE_LT(records.nr, MAX_RECORDS);
	records.record[records.nr++] = h;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		records.sample[records.nr_samples++] = (const void *)h;
		break;
	case PERF_RECORD_LOST: {
		const struct perfgrp_record_lost *l = (const void *)h;

		records.nr_lost++;
		records.lost += l->lost;
		if (l->sample_id.cpu == (__u32)-1)
			records.lost_of_bpf += l->lost;
		return;
	}
	case PERF_RECORD_THROTTLE:
		records.nr_throttles++;
		break;
	case PERF_RECORD_UNTHROTTLE:
		records.nr_unthrottles++;
		break;
	case PERF_RECORD_BPF_EVENT:
		records.bpf[records.nr_bpf++] = (const void *)h;
		break;
	case PERFGRP_RECORD_BPF_ATTACH:
	case PERFGRP_RECORD_BPF_REPLACE:
	case PERFGRP_RECORD_BPF_DETACH:
		records.attach[records.nr_attach++] = (const void *)h;
		break;
	}
	records.total++;
}

/* Reads once, and adds the records to those already there; returns read(2)'s result. */
static inline ssize_t stream_more(int fd, size_t room)
{
	char *at = records.buf + records.used;
	ssize_t got, done;

	REQUIRE(records.used + room <= sizeof(records.buf));
	got = read(fd, at, room);
	for (done = 0; done < got; done += ((struct perf_event_header *)(at + done))->size) {
		check_record((void *)(at + done), got - done);
		stream_note((void *)(at + done));
	}
	if (got > 0)
		records.used += got;
	return got;
}

static inline ssize_t stream_read(int fd, size_t room)
{
	stream_forget(&records);
	return stream_more(fd, room);
}

/* Reads all that is available from a non-blocking fd; returns the number of bytes. */
static inline size_t stream_drain(int fd)
{
	stream_forget(&records);
	while (stream_more(fd, 65536) > 0)
		;
	return records.used;
}

#endif /* TESTS_STREAM_H */
