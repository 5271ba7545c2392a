// SPDX-License-Identifier: GPL-2.0
/*
 * libperfgrp decodes records by the layout of their stream, and is not misled by broken ones.
 * TAP on standard output; anything but 0 at the end if a test has failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "perfgrp.h"
#include "tap.h"
#include "util.h"

#define MISC	PERF_RECORD_MISC_USER

/* What all streams have today. */
static const struct perfgrp_layout today = {
	.sample_type = PERFGRP_SAMPLE_TYPE,
	.read_format = PERFGRP_READ_FORMAT,
};

/* Words of a record in that layout. */
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

/* A sample id in that layout, of pid 1 and tid 2. */
#define SAMPLE_ID(time, id, cpu)	2ULL << 32 | 1, time, id, cpu

static const __u64 lost_words[] = { 0, 0, 17, ~0ULL, 444, 0, 1 };
static const __u64 throttle_words[] = { 0, 555, 5, 5, SAMPLE_ID(555, 5, 2) };
static const __u64 bpf_words[] = { 0, 42ULL << 32 | 3 << 16 | 2, 0x216761742d676174,
				   SAMPLE_ID(666, 0, 3) };
static const __u64 attach_words[] = { 0, 6, 42, 0x216761742d676174, SAMPLE_ID(777, 6, 3) };

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

static bool value_is(const struct perfgrp_sample *s, __u64 i, __u64 value, __u64 id)
{
	const struct perfgrp_sample_value v = perfgrp_sample_value_at(s, i);

	return v.value == value && v.id == id;
}

static void good_sample(void)
{
	const struct perf_event_header *record;
	struct perfgrp_sample s;

	record = make(sample_words, sizeof(sample_words), PERF_RECORD_SAMPLE,
		      sizeof(sample_words));
	result(!perfgrp_decode_sample(&today, record, &s, sizeof(s)), "O3 a sample is decoded");
	result(s.ip == 0x1111 && s.pid == 1 && s.tid == 2 && s.time == 333 && s.id == 5 &&
	       s.cpu == 3 && s.period == 1000 && s.time_enabled == 80 && s.time_running == 40,
	       "O3 its fields are what they were");
	result(s.nr == 2 && value_is(&s, 0, 4000, 5) && value_is(&s, 1, 7000, 6),
	       "O3 so are its values");
	result(!s.addr && !s.stream_id && !s.nr_ips, "O17 what the layout lacks is zero");
}

/* The caller may have been compiled when the struct was shorter, or longer, than the library's. */
static void other_sizes(void)
{
	const size_t shorter = offsetof(struct perfgrp_sample, period);
	struct {
		struct perfgrp_sample s;
		__u64 more[2];
	} to;
	const struct perf_event_header *record;

	record = make(sample_words, sizeof(sample_words), PERF_RECORD_SAMPLE,
		      sizeof(sample_words));
	memset(&to, 0x55, sizeof(to));
	result(!perfgrp_decode_sample(&today, record, &to.s, shorter) && to.s.cpu == 3 &&
	       to.s.period == 0x5555555555555555ULL,
	       "a sample is decoded into a shorter struct, and not beyond it");
	memset(&to, 0x55, sizeof(to));
	result(!perfgrp_decode_sample(&today, record, &to.s, sizeof(to)) && to.s.period == 1000 &&
	       !to.more[0] && !to.more[1],
	       "what the library does not know of a longer one is zero");
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
			all &= perfgrp_decode_sample(&today, record, &s, sizeof(s)) ==
			       (good ? 0 : -EBADMSG);
		}
	}
	result(all, "a sample with another size than its values have is refused");
}

static void too_many_values(void)
{
	__u64 words[sizeof(sample_words) / 8];
	struct perfgrp_sample s;

	memcpy(words, sample_words, sizeof(words));
	/* In bytes, in 64 bits, so many are two, and so are those in words. */
	words[7] = (1ULL << 60) + 2;
	result(perfgrp_decode_sample(&today, make(words, sizeof(words), PERF_RECORD_SAMPLE,
						  sizeof(words)), &s, sizeof(s)) == -EBADMSG,
	       "a number of values that overflows is refused");
	words[7] = (1ULL << 63) + 2;
	result(perfgrp_decode_sample(&today, make(words, sizeof(words), PERF_RECORD_SAMPLE,
						  sizeof(words)), &s, sizeof(s)) == -EBADMSG,
	       "so is one that overflows in words");
	words[7] = 2;
	result(perfgrp_decode_sample(&today, make(words, sizeof(words), PERF_RECORD_SAMPLE,
						  sizeof(words) + 4), &s, sizeof(s)) == -EBADMSG,
	       "a sample whose size is no multiple of 8 is refused");
	result(perfgrp_decode_sample(&today, make(words, sizeof(words), PERF_RECORD_LOST,
						  sizeof(words)), &s, sizeof(s)) == -EINVAL,
	       "another record is no sample");
}

/* ---- other layouts ---------------------------------------------------------- */

#define FULL_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
		   PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
		   PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)

static const struct perfgrp_layout full = {
	.sample_type = FULL_TYPE,
	.read_format = PERFGRP_READ_FORMAT | PERF_FORMAT_LOST,
};

static const __u64 full_words[] = {
	0,			/* header */
	0x1111,			/* ip */
	2ULL << 32 | 1,		/* tid, pid */
	333,			/* time */
	0xadd,			/* addr */
	5,			/* id */
	55,			/* stream_id */
	3,			/* cpu */
	1000,			/* period */
	2,			/* nr */
	80, 40,			/* times */
	4000, 5, 9, 7000, 6, 8,	/* values, ids, lost */
	3,			/* nr of ips */
	0xa, 0xb, 0xc,
};

static int decode(const struct perfgrp_layout *layout, const __u64 *words, size_t len,
		  struct perfgrp_sample *sample)
{
	return perfgrp_decode_sample(layout, make(words, len, PERF_RECORD_SAMPLE, len), sample,
				     sizeof(*sample));
}

static void all_fields(void)
{
	__u64 words[sizeof(full_words) / 8];
	struct perfgrp_sample s;
	bool all = true;
	size_t size;

	result(!decode(&full, full_words, sizeof(full_words), &s) && s.ip == 0x1111 &&
	       s.pid == 1 && s.tid == 2 && s.time == 333 && s.addr == 0xadd && s.id == 5 &&
	       s.stream_id == 55 && s.cpu == 3 && s.period == 1000,
	       "O17 a sample with all fields is decoded");
	result(s.nr == 2 && s.time_enabled == 80 && s.time_running == 40 &&
	       value_is(&s, 0, 4000, 5) && value_is(&s, 1, 7000, 6),
	       "O17 so are values with the number of lost samples");
	result(s.nr_ips == 3 && s.ips[0] == 0xa && s.ips[2] == 0xc, "O17 so is the call chain");
	for (size = 8; size < sizeof(full_words); size += 8)
		all &= decode(&full, full_words, size, &s) == -EBADMSG;
	result(all, "O17 a shorter one is refused");
	memcpy(words, full_words, sizeof(words));
	words[18] = 1ULL << 61;
	result(decode(&full, words, sizeof(words), &s) == -EBADMSG &&
	       decode(&today, full_words, sizeof(full_words), &s) == -EBADMSG,
	       "O17 so are a call chain that overflows, and another layout's sample");
}

/*
 * Each field alone, and each missing: the word is found where perf_output_sample() puts it,
 * whatever is before it.
 */
static void single_fields(void)
{
	static const __u64 bits[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
		PERF_SAMPLE_ADDR, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD,
	};
	const size_t nr = ARRAY_SIZE(bits);
	unsigned int mask, wrong = 0;
	size_t i;

	for (mask = 0; mask < 1U << nr; mask++) {
		struct perfgrp_layout layout = { 0 };
		__u64 words[1 + ARRAY_SIZE(bits)] = { 0 };
		struct perfgrp_sample s;
		size_t at = 1;

		for (i = 0; i < nr; i++) {
			if (!(mask & 1U << i))
				continue;
			layout.sample_type |= bits[i];
			words[at++] = 100 + i;
		}
		wrong += decode(&layout, words, at * 8, &s) ||
			 s.id != (mask & 1 ? 100 : 0) || s.ip != (mask & 2 ? 101 : 0) ||
			 s.pid != (mask & 4 ? 102 : 0) || s.tid ||
			 s.time != (mask & 8 ? 103 : 0) || s.addr != (mask & 16 ? 104 : 0) ||
			 s.stream_id != (mask & 32 ? 105 : 0) ||
			 s.cpu != (mask & 64 ? 106 : 0) || s.period != (mask & 128 ? 107 : 0) ||
			 s.nr || s.nr_ips;
	}
	result(!wrong, "O17 fields are found whichever others there are");
}

static void value_formats(void)
{
	static const __u64 words[] = { 0, 2, 11, 12, 13, 14 };
	struct perfgrp_layout layout = {
		.sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP,
	};
	struct perfgrp_sample s;

	result(!decode(&layout, words, 32, &s) && s.nr == 2 && value_is(&s, 0, 11, 0) &&
	       value_is(&s, 1, 12, 0) && !s.time_enabled, "O17 values without ids and times");
	layout.read_format |= PERF_FORMAT_TOTAL_TIME_RUNNING;
	result(!decode(&layout, words, 40, &s) && s.nr == 2 && s.time_running == 11 &&
	       !s.time_enabled && value_is(&s, 1, 13, 0), "O17 values with one time");
	layout.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_LOST;
	result(!decode(&layout, words, 48, &s) && value_is(&s, 0, 11, 0) &&
	       value_is(&s, 1, 13, 0), "O17 what was lost is not taken for an id");
}

/* What is not known is refused: it would shift what follows. */
static void unknown_layouts(void)
{
	struct perfgrp_layout layout;
	union perfgrp_record r;
	struct perfgrp_sample s;
	unsigned int bit;
	bool all = true;

	for (bit = 0; bit < 64; bit++) {
		const __u64 known = FULL_TYPE | PERF_SAMPLE_IDENTIFIER;

		layout = today;
		layout.sample_type |= 1ULL << bit;
		if (known & 1ULL << bit)
			continue;
		all &= decode(&layout, sample_words, sizeof(sample_words), &s) == -EOPNOTSUPP;
		all &= perfgrp_decode_record(&layout,
					     make(lost_words, sizeof(lost_words),
						  PERF_RECORD_LOST, sizeof(lost_words)),
					     &r, sizeof(r)) == -EOPNOTSUPP;
	}
	result(all, "O17 a sample_type with unknown bits is an error");
	for (all = true, bit = 5; bit < 64; bit++) {
		layout = today;
		layout.read_format |= 1ULL << bit;
		all &= decode(&layout, sample_words, sizeof(sample_words), &s) == -EOPNOTSUPP;
	}
	result(all, "O17 so is a read_format with unknown bits");
	layout = today;
	layout.read_format &= ~(__u64)PERF_FORMAT_GROUP;
	result(decode(&layout, sample_words, sizeof(sample_words), &s) == -EOPNOTSUPP,
	       "O17 and one of values that are not a group's");
}

/* ---- records that are no samples -------------------------------------------- */

static int decode_record(const struct perfgrp_layout *layout, const __u64 *words, size_t len,
			 __u32 type, union perfgrp_record *to)
{
	return perfgrp_decode_record(layout, make(words, len, type, len), to, sizeof(*to));
}

static bool sample_id_is(const struct perfgrp_sample_id *s, __u32 pid, __u64 time, __u64 id,
			 __u32 cpu)
{
	return s->pid == pid && s->tid == (pid == 1 ? 2 : pid) && s->time == time &&
	       s->id == id && s->cpu == cpu;
}

#define SHORTER_ARE_REFUSED(words, type)						\
({											\
	union perfgrp_record r_;							\
	bool all_ = true;								\
	size_t size_;									\
											\
	for (size_ = 8; size_ < sizeof(words) + 16; size_ += 8) {			\
		__u64 copy_[sizeof(words) / 8 + 2] = { 0 };				\
											\
		memcpy(copy_, words, sizeof(words));					\
		all_ &= decode_record(&today, copy_, size_, type, &r_) ==		\
			(size_ == sizeof(words) ? 0 : -EBADMSG);			\
	}										\
	all_;										\
})

static void notices(void)
{
	union perfgrp_record r;
	bool all;
	int err;

	err = decode_record(&today, lost_words, sizeof(lost_words), PERF_RECORD_LOST, &r);
	result(!err && r.header.type == PERF_RECORD_LOST && r.header.size == sizeof(r.lost) &&
	       r.lost.lost == 17 && sample_id_is(&r.lost.sample_id, ~0U, 444, 0, 1),
	       "O6 a LOST record is decoded");
	err = decode_record(&today, throttle_words, sizeof(throttle_words), PERF_RECORD_THROTTLE,
			    &r);
	result(!err && r.header.type == PERF_RECORD_THROTTLE && r.throttle.time == 555 &&
	       r.throttle.id == 5 && sample_id_is(&r.throttle.sample_id, 1, 555, 5, 2),
	       "O8 a THROTTLE record is decoded");
	err = decode_record(&today, throttle_words, sizeof(throttle_words),
			    PERF_RECORD_UNTHROTTLE, &r);
	result(!err && r.header.type == PERF_RECORD_UNTHROTTLE && r.throttle.id == 5,
	       "O8 an UNTHROTTLE record is decoded");
	all = SHORTER_ARE_REFUSED(lost_words, PERF_RECORD_LOST);
	all &= SHORTER_ARE_REFUSED(throttle_words, PERF_RECORD_THROTTLE);
	result(all, "shorter and longer ones are refused");
	result(decode_record(&today, lost_words, sizeof(lost_words), PERF_RECORD_MMAP, &r) ==
	       -EINVAL, "a record of another type is refused");
	result(decode_record(&today, lost_words, sizeof(lost_words), PERFGRP_RECORD_BPF_DETACH + 1,
			     &r) == -EINVAL, "so is one of a type that is to come");
}

static void bpf_events(void)
{
	static const __u32 types[] = {
		PERFGRP_RECORD_BPF_ATTACH, PERFGRP_RECORD_BPF_REPLACE, PERFGRP_RECORD_BPF_DETACH,
	};
	union perfgrp_record r;
	bool all = true;
	size_t i;
	int err;

	err = decode_record(&today, bpf_words, sizeof(bpf_words), PERF_RECORD_BPF_EVENT, &r);
	result(!err && r.bpf_event.type == 2 && r.bpf_event.flags == 3 &&
	       r.bpf_event.prog_id == 42 && !memcmp(r.bpf_event.tag, "tag-tag!", 8) &&
	       sample_id_is(&r.bpf_event.sample_id, 1, 666, 0, 3),
	       "B9 a BPF_EVENT record is decoded");
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		err = decode_record(&today, attach_words, sizeof(attach_words), types[i], &r);
		all &= !err && r.header.type == types[i] && r.bpf_attach.id == 6 &&
		       r.bpf_attach.prog_id == 42 && !memcmp(r.bpf_attach.tag, "tag-tag!", 8) &&
		       sample_id_is(&r.bpf_attach.sample_id, 1, 777, 6, 3);
	}
	result(all, "B9 records of attached, replaced and detached programs are decoded");
	all = SHORTER_ARE_REFUSED(bpf_words, PERF_RECORD_BPF_EVENT);
	all &= SHORTER_ARE_REFUSED(attach_words, PERFGRP_RECORD_BPF_ATTACH);
	result(all, "shorter and longer ones are refused");
}

/* The end of records has what sample_type has of it. */
static void other_sample_ids(void)
{
	static const __u64 none[] = { 0, 0, 17 };
	static const __u64 more[] = { 0, 0, 17, SAMPLE_ID(444, 5, 55), 3, 6 };
	struct perfgrp_layout layout = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD };
	union perfgrp_record r;

	result(!decode_record(&layout, none, sizeof(none), PERF_RECORD_LOST, &r) &&
	       r.lost.lost == 17 && r.header.size == sizeof(r.lost) &&
	       sample_id_is(&r.lost.sample_id, 0, 0, 0, 0),
	       "O17 a record without any sample id is decoded");
	layout.sample_type = FULL_TYPE | PERF_SAMPLE_IDENTIFIER;
	layout.read_format = PERFGRP_READ_FORMAT;
	result(!decode_record(&layout, more, sizeof(more), PERF_RECORD_LOST, &r) &&
	       r.lost.lost == 17 && r.header.size == sizeof(r.lost) &&
	       sample_id_is(&r.lost.sample_id, 1, 444, 6, 3) &&
	       decode_record(&layout, more, sizeof(more) - 8, PERF_RECORD_LOST, &r) == -EBADMSG,
	       "O17 one with a stream id and an identifier, too");
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
	other_sizes();
	broken_samples();
	too_many_values();
	all_fields();
	single_fields();
	value_formats();
	unknown_layouts();
	notices();
	bpf_events();
	other_sample_ids();
	going_through();
	reading();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
