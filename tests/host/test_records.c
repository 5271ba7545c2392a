// SPDX-License-Identifier: GPL-2.0
/*
 * libperfgrp takes records apart, and is not misled by broken ones. TAP on standard
 * output; anything but 0 at the end if a test has failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "perfgrp.h"
#include "tap.h"

#define MISC	PERF_RECORD_MISC_USER

/* Words of a record, as <linux/perfgrp.h> describes them. */
static const __u64 sample_words[] = {
	0,			/* header */
	0x1111,			/* ip */
	2ULL << 32 | 1,		/* tid, pid */
	333,			/* time */
	5,			/* id */
	3,			/* cpu */
	1000,			/* period */
	2,			/* nr */
	80, 40,			/* times */
	4000, 5, 7000, 6,	/* values and ids */
};

static const __u64 lost_words[] = { 0, 0, 17, ~0ULL, 444, 0, 1 };
static const __u64 throttle_words[] = { 0, 555, 5, 5, 2ULL << 32 | 1, 555, 5, 2 };

static const __u64 bpf_words[] = { 0, 42ULL << 32 | 3 << 16 | 2, 0x216761742d676174,
				   2ULL << 32 | 1, 666, 6, 3 };

/* Memory that ends where @len bytes end: whoever reads on is killed. */
static void *at_end_of_memory(const void *bytes, size_t len)
{
	static char *page;
	const size_t size = sysconf(_SC_PAGESIZE);

	if (!page) {
		page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		if (page == MAP_FAILED || mprotect(page + size, size, PROT_NONE)) {
			puts("Bail out! no memory");
			exit(1);
		}
	}
	return memcpy(page + size - len, bytes, len);
}

static struct perf_event_header *make(const __u64 *words, size_t len, __u32 type, __u16 size)
{
	struct perf_event_header *record = at_end_of_memory(words, len);

	*record = (struct perf_event_header){ .type = type, .misc = MISC, .size = size };
	return record;
}

static void good_sample(void)
{
	const struct perf_event_header *record;
	struct perfgrp_sample s;

	record = make(sample_words, sizeof(sample_words), PERF_RECORD_SAMPLE,
		      sizeof(sample_words));
	result(!perfgrp_decode_sample(record, &s), "O3 a sample is decoded");
	result(s.ip == 0x1111 && s.pid == 1 && s.tid == 2 && s.time == 333 && s.id == 5 &&
	       s.cpu == 3 && s.period == 1000 && s.time_enabled == 80 && s.time_running == 40,
	       "O3 its fields are what they were");
	result(s.nr == 2 && s.values[0].value == 4000 && s.values[0].id == 5 &&
	       s.values[1].value == 7000 && s.values[1].id == 6, "O3 so are its values");
}

/* Whatever size and number of values a record claims, only the true ones are taken. */
static void broken_samples(void)
{
	bool all = true;
	size_t size;
	__u64 nr;

	for (size = sizeof(struct perf_event_header); size <= sizeof(sample_words); size += 8) {
		for (nr = 0; nr < 6; nr++) {
			__u64 words[sizeof(sample_words) / 8];
			const struct perf_event_header *record;
			struct perfgrp_sample s;
			bool good = size == 80 + nr * 16;

			memcpy(words, sample_words, sizeof(words));
			words[7] = nr;
			record = make(words, size, PERF_RECORD_SAMPLE, size);
			all &= perfgrp_decode_sample(record, &s) == (good ? 0 : -EBADMSG);
		}
	}
	result(all, "a sample with another size than its values have is refused");
}

static void too_many_values(void)
{
	__u64 words[sizeof(sample_words) / 8];
	struct perfgrp_sample s;

	memcpy(words, sample_words, sizeof(words));
	/* In bytes, in 64 bits, so many are two. */
	words[7] = (1ULL << 60) + 2;
	result(perfgrp_decode_sample(make(words, sizeof(words), PERF_RECORD_SAMPLE, sizeof(words)),
				     &s) == -EBADMSG,
	       "a number of values that overflows is refused");
	result(perfgrp_decode_sample(make(words, sizeof(words), PERF_RECORD_LOST, sizeof(words)),
				     &s) == -EINVAL,
	       "another record is no sample");
}

static void notices(void)
{
	struct perfgrp_notice n;
	bool all = true;
	size_t size;
	int err;

	err = perfgrp_decode_notice(make(lost_words, sizeof(lost_words), PERF_RECORD_LOST,
					 sizeof(lost_words)), &n);
	result(!err && n.lost == 17 && n.pid == ~0U && n.tid == ~0U && n.time == 444 && !n.id &&
	       n.cpu == 1, "O6 a LOST record is decoded");
	err = perfgrp_decode_notice(make(throttle_words, sizeof(throttle_words),
					 PERF_RECORD_THROTTLE, sizeof(throttle_words)), &n);
	result(!err && !n.lost && n.pid == 1 && n.tid == 2 && n.time == 555 && n.id == 5 &&
	       n.cpu == 2, "O8 a THROTTLE record is decoded");
	err = perfgrp_decode_notice(make(throttle_words, sizeof(throttle_words),
					 PERF_RECORD_UNTHROTTLE, sizeof(throttle_words)), &n);
	result(!err && n.id == 5, "O8 an UNTHROTTLE record is decoded");

	for (size = 8; size < sizeof(lost_words); size += 8)
		all &= perfgrp_decode_notice(make(lost_words, size, PERF_RECORD_LOST, size), &n) ==
		       -EBADMSG;
	for (size = 8; size < sizeof(throttle_words); size += 8)
		all &= perfgrp_decode_notice(make(throttle_words, size, PERF_RECORD_THROTTLE, size),
					     &n) == -EBADMSG;
	result(all, "shorter ones are refused");
	result(perfgrp_decode_notice(make(lost_words, sizeof(lost_words), PERF_RECORD_MMAP,
					  sizeof(lost_words)), &n) == -EINVAL,
	       "a record of another type is refused");
}

static void bpf_events(void)
{
	struct perfgrp_bpf_event e;
	bool all = true;
	size_t size;
	int err;

	err = perfgrp_decode_bpf_event(make(bpf_words, sizeof(bpf_words), PERF_RECORD_BPF_EVENT,
					    sizeof(bpf_words)), &e);
	result(!err && e.type == 2 && e.flags == 3 && e.prog_id == 42 &&
	       !memcmp(e.tag, "tag-tag!", 8) && e.pid == 1 && e.tid == 2 && e.time == 666 &&
	       e.id == 6 && e.cpu == 3, "B9 a BPF_EVENT record is decoded");
	for (size = 8; size < sizeof(bpf_words); size += 8)
		all &= perfgrp_decode_bpf_event(make(bpf_words, size, PERF_RECORD_BPF_EVENT, size),
						&e) == -EBADMSG;
	result(all, "shorter ones are refused");
	result(perfgrp_decode_bpf_event(make(bpf_words, sizeof(bpf_words), PERF_RECORD_LOST,
					     sizeof(bpf_words)), &e) == -EINVAL,
	       "a record of another type is refused");
}

static int next(const void *buf, size_t len, size_t *offset)
{
	const struct perf_event_header *record;

	return perfgrp_next_record(buf, len, offset, &record);
}

static void going_through(void)
{
	const struct perf_event_header header = { .type = PERF_RECORD_LOST, .size = 16 };
	const __u64 zero[3] = { 0 };
	struct perf_event_header *buf;
	size_t offset = 0;
	bool all;
	__u16 size;

	buf = at_end_of_memory(zero, sizeof(zero));
	buf[0] = header;
	buf[2] = header;
	buf[2].size = 8;
	all = next(buf, 24, &offset) == 1 && offset == 16;
	all &= next(buf, 24, &offset) == 1 && offset == 24;
	all &= next(buf, 24, &offset) == 0 && offset == 24;
	result(all, "O5 records come one after the other, and then no more");

	for (all = true, size = 0; size < 40; size++) {
		buf[2].size = size;
		offset = 16;
		all &= next(buf, 24, &offset) == (size == 8 ? 1 : -EBADMSG);
		all &= offset == (size == 8 ? 24 : 16);
	}
	result(all, "a record that is not there as a whole is none");

	for (all = true, size = 0; size < 40; size++) {
		buf[0].size = size;
		offset = 0;
		all &= next(buf, 24, &offset) ==
		       (size == 8 || size == 16 || size == 24 ? 1 : -EBADMSG);
	}
	result(all, "nor is one whose size is no multiple of 8");

	for (all = true, size = 1; size < 8; size++) {
		offset = 16;
		all &= next(buf, 16 + size, &offset) == -EBADMSG;
	}
	result(all, "nor is half a header");
	offset = 32;
	result(next(buf, 24, &offset) == -EBADMSG, "nor what begins behind the end");
}

/* A pipe is read as a group is: what differs is the kernel's. */
static void reading(void)
{
	struct perfgrp_group *group;
	char buf[64];
	int fds[2];

	if (pipe(fds)) {
		puts("Bail out! no pipe");
		exit(1);
	}
	group = perfgrp_group_from_fd(fds[0]);
	result(write(fds[1], "12345678", 8) == 8 && perfgrp_read_records(group, buf, 64) == 8,
	       "O5 bytes are what read(2) returns");
	close(fds[1]);
	result(perfgrp_read_records(group, buf, 64) == 0, "O5 the end is the end");
	perfgrp_group_close(group);
	group = perfgrp_group_from_fd(-1);
	result(perfgrp_read_records(group, buf, 64) == -EBADF &&
	       perfgrp_group_error(group)->error == EBADF && perfgrp_group_error(group)->text[0],
	       "O5 a failure has its errno, and words");
	perfgrp_group_close(group);
}

int main(void)
{
	good_sample();
	broken_samples();
	too_many_values();
	notices();
	bpf_events();
	going_through();
	reading();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
