/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups with a buffer, and what can be read from them, record by record.
 */
#ifndef TESTS_STREAM_H
#define TESTS_STREAM_H

#include "group.h"

#include <fcntl.h>
#include <linux/perf_event.h>

struct value {
	__u64 value;
	__u64 id;
};

/* PERF_RECORD_SAMPLE as the header promises it. */
struct sample {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid, tid;
	__u64 time;
	__u64 id;
	__u32 cpu, reserved;
	__u64 period;
	__u64 nr, enabled, running;
	struct value value[];
};

struct lost {
	struct perf_event_header header;
	__u64 id, lost;
	__s32 pid, tid;
	__u64 time, trailer_id;
	__u32 cpu, reserved;
};

struct throttle {
	struct perf_event_header header;
	__u64 time, id, stream_id;
	__s32 pid, tid;
	__u64 trailer_time, trailer_id;
	__u32 cpu, reserved;
};

struct bpf_event {
	struct perf_event_header header;
	__u16 type, flags;
	__u32 prog_id;
	__u8 tag[8];
	__s32 pid, tid;
	__u64 time, id;
	__u32 cpu, reserved;
};

#define MAX_RECORDS 65536

/* What was read last; but for total and lost, which add up since stream_start(). */
static struct records {
	char buf[16 << 20];
	size_t used;
	const void *record[MAX_RECORDS];
	const struct sample *sample[MAX_RECORDS];
	const struct bpf_event *bpf[MAX_RECORDS];
	__u32 nr, nr_samples, nr_lost, nr_throttles, nr_unthrottles, nr_bpf;
	__u64 total;		/* records but LOST */
	__u64 lost;		/* what LOST records told */
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
	r->total = r->lost = 0;
}

static inline void stream_forget(struct records *r)
{
	r->used = 0;
	r->nr = r->nr_samples = r->nr_lost = r->nr_throttles = r->nr_unthrottles = r->nr_bpf = 0;
}

/* What RECORD must be like, whatever it is of. */
static inline void check_record(const struct perf_event_header *h, size_t left)
{
	REQUIRE(left >= sizeof(*h) && h->size >= sizeof(*h) && h->size <= left);
	switch (h->type) {
	case PERF_RECORD_SAMPLE: {
		const struct sample *s = (const void *)h;

		REQUIRE(h->size >= sizeof(*s));
		EXPECT_EQ(h->size, sizeof(*s) + s->nr * sizeof(struct value));
		EXPECT_LE(s->running, s->enabled);
		EXPECT_EQ(s->reserved, 0);
		break;
	}
	case PERF_RECORD_LOST:
		REQUIRE_EQ(h->size, sizeof(struct lost));
		EXPECT_GT(((const struct lost *)h)->lost, 0);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		REQUIRE_EQ(h->size, sizeof(struct throttle));
		EXPECT_EQ(((const struct throttle *)h)->time,
			  ((const struct throttle *)h)->trailer_time);
		break;
	case PERF_RECORD_BPF_EVENT:
		REQUIRE_EQ(h->size, sizeof(struct bpf_event));
		EXPECT_NE(((const struct bpf_event *)h)->prog_id, 0);
		EXPECT_EQ(((const struct bpf_event *)h)->flags, 0);
		EXPECT_EQ(((const struct bpf_event *)h)->reserved, 0);
		break;
	default:
		fail("a record of type %u", h->type);
	}
}

static inline void stream_note(const struct perf_event_header *h)
{
	REQUIRE_LT(records.nr, MAX_RECORDS);
	records.record[records.nr++] = h;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		records.sample[records.nr_samples++] = (const void *)h;
		break;
	case PERF_RECORD_LOST:
		records.nr_lost++;
		records.lost += ((const struct lost *)h)->lost;
		return;
	case PERF_RECORD_THROTTLE:
		records.nr_throttles++;
		break;
	case PERF_RECORD_UNTHROTTLE:
		records.nr_unthrottles++;
		break;
	case PERF_RECORD_BPF_EVENT:
		records.bpf[records.nr_bpf++] = (const void *)h;
		break;
	}
	records.total++;
}

/* Reads once, and adds it to what is there; read(2)'s result. */
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

/* All that is there now, of an fd that does not block; bytes. */
static inline size_t stream_drain(int fd)
{
	stream_forget(&records);
	while (stream_more(fd, 65536) > 0)
		;
	return records.used;
}

#endif /* TESTS_STREAM_H */
