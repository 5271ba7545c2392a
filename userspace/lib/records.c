// SPDX-License-Identifier: GPL-2.0
/*
 * Records: how often members sample, what was read, and what it means.
 *
 * A record that lies about its size, or about what is in it, is told from a good one
 * before anything in it is used: what is decoded may come from a file.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* The layouts that <linux/perfgrp.h> describes. */

struct sample {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid, tid;
	__u64 time;
	__u64 id;
	__u32 cpu, reserved;
	__u64 period;
	__u64 nr, time_enabled, time_running;
	struct perfgrp_sample_value values[];
};

struct trailer {
	__u32 pid, tid;
	__u64 time;
	__u64 id;
	__u32 cpu, reserved;
};

struct throttle {
	struct perf_event_header header;
	__u64 time, id, stream_id;
	struct trailer trailer;
};

struct lost {
	struct perf_event_header header;
	__u64 id, lost;
	struct trailer trailer;
};

struct bpf_event {
	struct perf_event_header header;
	__u16 type, flags;
	__u32 prog_id;
	__u8 tag[8];
	struct trailer trailer;
};

/**
 * perfgrp_read_records - read(2) of a group
 * @group: the group, made with a buffer_size
 * @buf: where to put records; aligned to 8 bytes for perfgrp_next_record()
 * @size: room there
 *
 * Waits for the first record, unless the file descriptor is O_NONBLOCK, and returns
 * when a signal interrupts it (-EINTR), which is the caller's to handle.
 *
 * Return: bytes, whole records; 0 at the end, when the task has exited; or a negative
 * errno
 */
ssize_t perfgrp_read_records(struct perfgrp_group *group, void *buf, size_t size)
{
	ssize_t ret = read(group->fd, buf, size);

	if (ret >= 0)
		return ret;
	ret = -errno;
	perfgrp_set_error(&group->error, -ret);
	return ret;
}

/**
 * perfgrp_next_record - go through what perfgrp_read_records() has read
 * @buf: the records, aligned to 8 bytes
 * @len: how many bytes
 * @offset: begin with 0; moved on
 * @record: set to the next record, which lies in @buf as a whole
 *
 * Return: 1; 0 where there is none any more; or -EBADMSG where what follows is no
 * record, with @offset where it begins
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

/**
 * perfgrp_decode_sample - take a PERF_RECORD_SAMPLE apart
 * @record: from perfgrp_next_record()
 * @sample: filled in; its values are those in @record
 *
 * Return: 0; -EINVAL where it is a record of another type; -EBADMSG where its size is
 * not that of a sample with so many values
 */
int perfgrp_decode_sample(const struct perf_event_header *record, struct perfgrp_sample *sample)
{
	const struct sample *from = (const struct sample *)record;

	if (record->type != PERF_RECORD_SAMPLE)
		return -EINVAL;
	if (record->size < sizeof(*from) ||
	    (record->size - sizeof(*from)) % sizeof(from->values[0]) ||
	    (record->size - sizeof(*from)) / sizeof(from->values[0]) != from->nr)
		return -EBADMSG;
	*sample = (struct perfgrp_sample){
		.ip = from->ip,
		.pid = from->pid,
		.tid = from->tid,
		.time = from->time,
		.id = from->id,
		.cpu = from->cpu,
		.period = from->period,
		.time_enabled = from->time_enabled,
		.time_running = from->time_running,
		.nr = from->nr,
		.values = from->values,
	};
	return 0;
}

static void take_trailer(struct perfgrp_notice *notice, const struct trailer *trailer)
{
	notice->pid = trailer->pid;
	notice->tid = trailer->tid;
	notice->time = trailer->time;
	notice->id = trailer->id;
	notice->cpu = trailer->cpu;
}

/**
 * perfgrp_decode_notice - take a record that is not a sample apart
 * @record: from perfgrp_next_record()
 * @notice: filled in
 *
 * Return: 0; -EINVAL where it is neither LOST nor THROTTLE nor UNTHROTTLE; -EBADMSG
 * where its size is not that of such a record
 */
int perfgrp_decode_notice(const struct perf_event_header *record, struct perfgrp_notice *notice)
{
	const struct throttle *throttle = (const struct throttle *)record;
	const struct lost *lost = (const struct lost *)record;

	memset(notice, 0, sizeof(*notice));
	switch (record->type) {
	case PERF_RECORD_LOST:
		if (record->size != sizeof(*lost))
			return -EBADMSG;
		take_trailer(notice, &lost->trailer);
		notice->lost = lost->lost;
		return 0;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		if (record->size != sizeof(*throttle))
			return -EBADMSG;
		take_trailer(notice, &throttle->trailer);
		return 0;
	}
	return -EINVAL;
}

/**
 * perfgrp_decode_bpf_event - take a PERF_RECORD_BPF_EVENT apart
 * @record: from perfgrp_next_record()
 * @event: filled in
 *
 * Return: 0; -EINVAL where it is a record of another type; -EBADMSG where its size is
 * not that of such a record
 */
int perfgrp_decode_bpf_event(const struct perf_event_header *record,
			     struct perfgrp_bpf_event *event)
{
	const struct bpf_event *from = (const struct bpf_event *)record;

	if (record->type != PERF_RECORD_BPF_EVENT)
		return -EINVAL;
	if (record->size != sizeof(*from))
		return -EBADMSG;
	*event = (struct perfgrp_bpf_event){
		.type = from->type,
		.flags = from->flags,
		.prog_id = from->prog_id,
		.pid = from->trailer.pid,
		.tid = from->trailer.tid,
		.time = from->trailer.time,
		.id = from->trailer.id,
		.cpu = from->trailer.cpu,
	};
	memcpy(event->tag, from->tag, sizeof(event->tag));
	return 0;
}

/**
 * perfgrp_set_period - change how often a member samples
 * @group: the group
 * @id: the member
 * @sample: the new period in events, or frequency in Hz, whichever the member was
 *	added with
 *
 * Return: 0 or a negative errno; then it samples as before
 */
int perfgrp_set_period(struct perfgrp_group *group, __u32 id, __u64 sample)
{
	struct perfgrp_period arg = {
		.sample = sample,
		.id = id,
	};

	return perfgrp_call(group, PERFGRP_PERIOD, &arg);
}

/**
 * perfgrp_get_stream - ask what became of a group's records
 * @group: the group
 * @stream: filled in
 *
 * Return: 0 or a negative errno
 */
int perfgrp_get_stream(struct perfgrp_group *group, struct perfgrp_stream *stream)
{
	memset(stream, 0, sizeof(*stream));
	return perfgrp_call(group, PERFGRP_STREAM, stream);
}
