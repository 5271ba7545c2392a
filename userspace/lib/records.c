// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Records: reading and decoding them, sampling periods, statistics.
 *
 * The decoder supports perf's generic layout with the bits below, and refuses a layout with other
 * bits: an unknown field would shift all fields after it. Records may come from a file, so a
 * record's size and counts are checked before anything in it is used.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf.h"

#define KNOWN_SAMPLE_TYPE							\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
	 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |	\
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER)

#define KNOWN_READ_FORMAT							\
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |	\
	 PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST)

/**
 * perfgrp_read_records - read(2) of a group
 * @group: the group, made with a buffer_size
 * @buf: where to store records; aligned to 8 bytes for perfgrp_next_record()
 * @size: size of @buf
 *
 * Waits for the first record unless the file descriptor is O_NONBLOCK. Returns -EINTR if a signal
 * interrupts it; the caller decides whether to retry.
 *
 * Return: number of bytes, always whole records; 0 at the end, when the task has exited; or a
 * negative errno
 */
ssize_t perfgrp_read_records(struct perfgrp_group *group, void *buf, size_t size)
{
	ssize_t ret;

	if (group->perf)
		return perfgrp_perf_needs_module(&group->error, "reading records");
	ret = read(group->fd, buf, size);
	if (ret >= 0)
		return ret;
	ret = -errno;
	perfgrp_set_error(&group->error, -ret);
	return ret;
}

/**
 * perfgrp_next_record - walk the records that perfgrp_read_records() returned
 * @buf: the records, aligned to 8 bytes
 * @len: number of bytes
 * @offset: start with 0; advanced to the end of @record
 * @record: set to the next record, which is completely within @buf
 *
 * Return: 1; 0 if there are no more; or -EBADMSG, with @offset unchanged, if there is no valid
 * record at @offset
 */
int perfgrp_next_record(const void *buf, size_t len, size_t *offset,
			const struct perf_event_header **record)
{
	const struct perf_event_header *next = (const void *)((const char *)buf + *offset);
	size_t left = len - *offset;

	if (!left)
		return 0;
	if (*offset > len || left < sizeof(*next) || next->size < sizeof(*next) ||
	    next->size % sizeof(__u64) || next->size > left)
		return -EBADMSG;
	*offset += next->size;
	*record = next;
	return 1;
}

/* Can the layout be decoded? Returns 0, or a negative errno with the reason in @text. */
static int check_layout(const struct perfgrp_layout *layout, char *text, size_t size)
{
	const __u64 unknown_type = layout->sample_type & ~(__u64)KNOWN_SAMPLE_TYPE;
	const __u64 unknown_format = layout->read_format & ~(__u64)KNOWN_READ_FORMAT;

	if (unknown_type) {
		snprintf(text, size,
			 "records have fields unknown to this library: sample_type bits 0x%llx",
			 (unsigned long long)unknown_type);
		return -EOPNOTSUPP;
	}
	if (!(layout->sample_type & PERF_SAMPLE_READ))
		return 0;
	if (unknown_format) {
		snprintf(text, size,
			 "samples have values unknown to this library: read_format bits 0x%llx",
			 (unsigned long long)unknown_format);
		return -EOPNOTSUPP;
	}
	if (!(layout->read_format & PERF_FORMAT_GROUP)) {
		snprintf(text, size,
			 "samples lack the group's values: PERF_FORMAT_GROUP is not set in read_format");
		return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * perfgrp_get_layout - get the layout of a group's records
 * @group: the group, created with a buffer_size
 * @layout: filled in, for perfgrp_decode_sample() and perfgrp_decode_record()
 *
 * The layout of a group never changes.
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP if this library cannot decode such records
 */
int perfgrp_get_layout(struct perfgrp_group *group, struct perfgrp_layout *layout)
{
	struct perfgrp_stream_stats stats;
	char text[sizeof(group->error.text)];
	int err;

	err = perfgrp_get_stream_stats(group, &stats, sizeof(stats));
	if (err)
		return err;
	memset(layout, 0, sizeof(*layout));
	layout->sample_type = stats.sample_type;
	layout->read_format = stats.read_format;
	err = check_layout(layout, text, sizeof(text));
	if (err) {
		perfgrp_set_error(&group->error, -err);
		memcpy(group->error.text, text, sizeof(text));
	}
	return err;
}

/**
 * struct cursor - the rest of a record
 * @at: the next field; all fields are 8 bytes, or fill 8 bytes together
 * @words: how many words of 8 bytes are left
 * @bad: the record was too short for its fields
 */
struct cursor {
	const __u64 *at;
	size_t words;
	bool bad;
};

static struct cursor body_of(const struct perf_event_header *record)
{
	if (record->size < sizeof(*record) || record->size % sizeof(__u64))
		return (struct cursor){ .bad = true };
	return (struct cursor){
		.at = (const __u64 *)(record + 1),
		.words = (record->size - sizeof(*record)) / sizeof(__u64),
	};
}

/* Consumes @nr elements of @words words. Returns the first, or NULL if the record is too short. */
static const __u64 *take(struct cursor *from, __u64 nr, size_t words)
{
	const __u64 *at = from->at;

	if (from->bad || nr > from->words / words) {
		from->bad = true;
		return NULL;
	}
	from->at += nr * words;
	from->words -= nr * words;
	return at;
}

static __u64 take_u64(struct cursor *from)
{
	const __u64 *at = take(from, 1, 1);

	return at ? *at : 0;
}

static void take_u32s(struct cursor *from, __u32 *first, __u32 *second)
{
	const __u64 word = take_u64(from);
	__u32 halves[2];

	memcpy(halves, &word, sizeof(halves));
	*first = halves[0];
	*second = halves[1];
}

static size_t words_per_value(__u64 read_format)
{
	return 1 + !!(read_format & PERF_FORMAT_ID) + !!(read_format & PERF_FORMAT_LOST);
}

/* Copies a struct to a caller whose version of it may be shorter or longer. */
static void hand_over(void *to, size_t room, const void *from, size_t size)
{
	memset(to, 0, room);
	memcpy(to, from, room < size ? room : size);
}

/* PERF_SAMPLE_READ, with PERF_FORMAT_GROUP. */
static void take_values(struct cursor *from, __u64 read_format, struct perfgrp_sample *to)
{
	to->nr = take_u64(from);
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		to->time_enabled = take_u64(from);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		to->time_running = take_u64(from);
	to->read_format = read_format;
	to->values = take(from, to->nr, words_per_value(read_format));
}

/**
 * perfgrp_decode_sample - decode a PERF_RECORD_SAMPLE
 * @layout: of the stream that it comes from
 * @record: from perfgrp_next_record()
 * @to: filled in; its values and its call chain point into @record
 * @size: sizeof(*@to)
 *
 * Return: 0; -EINVAL if it is a record of another type; -EBADMSG if its size does not match the
 * layout; -EOPNOTSUPP if the library does not know the layout
 */
int perfgrp_decode_sample(const struct perfgrp_layout *layout,
			  const struct perf_event_header *record, struct perfgrp_sample *to,
			  size_t size)
{
	const __u64 type = layout->sample_type;
	struct perfgrp_sample decoded = { 0 }, *sample = &decoded;
	struct cursor from = body_of(record);
	char text[1];
	__u32 reserved;
	int err;

	if (record->type != PERF_RECORD_SAMPLE)
		return -EINVAL;
	err = check_layout(layout, text, sizeof(text));
	if (err)
		return err;

	/* In the order of perf_output_sample(). */
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = take_u64(&from);
	if (type & PERF_SAMPLE_IP)
		sample->ip = take_u64(&from);
	if (type & PERF_SAMPLE_TID)
		take_u32s(&from, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time = take_u64(&from);
	if (type & PERF_SAMPLE_ADDR)
		sample->addr = take_u64(&from);
	if (type & PERF_SAMPLE_ID)
		sample->id = take_u64(&from);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->stream_id = take_u64(&from);
	if (type & PERF_SAMPLE_CPU)
		take_u32s(&from, &sample->cpu, &reserved);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = take_u64(&from);
	if (type & PERF_SAMPLE_READ)
		take_values(&from, layout->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		sample->nr_ips = take_u64(&from);
		sample->ips = take(&from, sample->nr_ips, 1);
	}
	hand_over(to, size, sample, sizeof(*sample));
	return from.bad || from.words ? -EBADMSG : 0;
}

/**
 * perfgrp_sample_value_at - one of the values of a sample
 * @sample: from perfgrp_decode_sample()
 * @i: index, less than @sample->nr
 *
 * Return: the value; its id is 0 if the layout lacks PERF_FORMAT_ID
 */
struct perfgrp_sample_value perfgrp_sample_value_at(const struct perfgrp_sample *sample, __u64 i)
{
	const __u64 *words = sample->values + i * words_per_value(sample->read_format);

	return (struct perfgrp_sample_value){
		.value = words[0],
		.id = sample->read_format & PERF_FORMAT_ID ? words[1] : 0,
	};
}

/* The end of a record with sample_id_all = 1, in the order of __perf_event__output_id_sample(). */
static struct perfgrp_sample_id take_sample_id(struct cursor *from, __u64 type)
{
	struct perfgrp_sample_id id = { 0 };

	if (type & PERF_SAMPLE_TID)
		take_u32s(from, &id.pid, &id.tid);
	if (type & PERF_SAMPLE_TIME)
		id.time = take_u64(from);
	if (type & PERF_SAMPLE_ID)
		id.id = take_u64(from);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_u64(from);
	if (type & PERF_SAMPLE_CPU)
		take_u32s(from, &id.cpu, &id.reserved);
	if (type & PERF_SAMPLE_IDENTIFIER)
		id.id = take_u64(from);
	return id;
}

/* Copies the fields between header and sample_id, and decodes the sample_id. */
#define take_body(from, type, to)							\
	take_fields(from, type, (to), offsetof(typeof(*(to)), sample_id), &(to)->sample_id)

static void take_fields(struct cursor *from, __u64 type, void *to, size_t size,
			struct perfgrp_sample_id *sample_id)
{
	const size_t header = sizeof(struct perf_event_header);
	const __u64 *fields = take(from, (size - header) / sizeof(__u64), 1);

	if (fields)
		memcpy((char *)to + header, fields, size - header);
	*sample_id = take_sample_id(from, type);
}

/**
 * perfgrp_decode_record - decode a record that is not a sample
 * @layout: of the stream that it comes from
 * @record: from perfgrp_next_record()
 * @out: filled in
 * @out_size: sizeof(*@out)
 *
 * Return: 0; -EINVAL if union perfgrp_record does not have its type; -EBADMSG if its size does not
 * match the layout; -EOPNOTSUPP if the library does not know the layout
 */
int perfgrp_decode_record(const struct perfgrp_layout *layout,
			  const struct perf_event_header *record, union perfgrp_record *out,
			  size_t out_size)
{
	union perfgrp_record decoded, *to = &decoded;
	struct cursor from = body_of(record);
	const __u64 type = layout->sample_type;
	char text[1];
	size_t size;
	int err;

	err = check_layout(layout, text, sizeof(text));
	if (err)
		return err;
	memset(to, 0, sizeof(*to));
	switch (record->type) {
	case PERF_RECORD_LOST:
		take_body(&from, type, &to->lost);
		size = sizeof(to->lost);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		take_body(&from, type, &to->throttle);
		size = sizeof(to->throttle);
		break;
	case PERF_RECORD_BPF_EVENT:
		take_body(&from, type, &to->bpf_event);
		size = sizeof(to->bpf_event);
		break;
	case PERFGRP_RECORD_BPF_ATTACH:
	case PERFGRP_RECORD_BPF_REPLACE:
	case PERFGRP_RECORD_BPF_DETACH:
		take_body(&from, type, &to->bpf_attach);
		size = sizeof(to->bpf_attach);
		break;
	default:
		return -EINVAL;
	}
	to->header = *record;
	to->header.size = size;
	hand_over(out, out_size, to, sizeof(*to));
	return from.bad || from.words ? -EBADMSG : 0;
}

/**
 * perfgrp_set_period - change how often a member samples
 * @group: the group
 * @id: the member
 * @sample: the new period in events, or frequency in Hz if the member was added with
 *	PERFGRP_COUNTER_FREQ
 *
 * Return: 0; or a negative errno with the period unchanged
 */
int perfgrp_set_period(struct perfgrp_group *group, __u32 id, __u64 sample)
{
	struct perfgrp_period arg = {
		.sample_period = sample,
		.id = id,
	};

	return perfgrp_call(group, PERFGRP_SET_PERIOD, &arg);
}

/**
 * perfgrp_get_stream_stats - get the statistics and the layout of a group's records
 * @group: the group
 * @stats: filled in
 * @size: sizeof(*@stats)
 *
 * Return: 0 or a negative errno
 */
int perfgrp_get_stream_stats(struct perfgrp_group *group, struct perfgrp_stream_stats *stats,
			     size_t size)
{
	if (size < PERFGRP_STREAM_STATS_SIZE_VER0) {
		perfgrp_set_error(&group->error, EINVAL);
		return -EINVAL;
	}
	memset(stats, 0, size);
	return perfgrp_call_sized(group, PERFGRP_GET_STREAM_STATS, stats, size);
}
