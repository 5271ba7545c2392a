// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: translate the module's records to the ids of the file.
 *
 * For each id perf keeps the last value, and assigns the difference to the sample. So each counter
 * needs its own id in the file: a member on one CPU, or of one thread. The module's ids are the
 * same for all CPUs and threads.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "build_id_hits.h"
#include "perf_data_file.h"
#include "util.h"

/* ---- which counter -------------------------------------------------------- */

/**
 * struct thread - a thread of a source that inherits
 * @first_event: the source's
 * @tid: its number, which may be reused after it has exited
 * @instance: of its counters
 * @time: of its latest sample
 * @value: value of the first member in that sample
 */
struct thread {
	size_t first_event;
	__u32 tid;
	__u32 instance;
	__u64 time;
	__u64 value;
};

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->first_event != y->first_event)
		return x->first_event < y->first_event ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct thread *get_thread(struct perf_data *data, size_t first_event, __u32 tid)
{
	const struct thread key = { .first_event = first_event, .tid = tid };
	struct thread *thread, **node;

	node = tfind(&key, &data->threads, compare_threads);
	if (node)
		return *node;
	thread = xcalloc(1, sizeof(*thread));
	*thread = key;
	thread->instance = data->nr_instances++;
	tsearch(thread, &data->threads, compare_threads);
	return thread;
}

static void list_thread(const void *node, VISIT visit, void *tids)
{
	const struct thread *const *thread = node;

	if (visit == postorder || visit == leaf)
		numbers_add(tids, (*thread)->tid);
}

/**
 * perf_data_list_threads - list the threads that have been sampled, of sources that inherit
 * @data: the file, or the next one
 * @tids: the thread ids are added, once for each such source
 */
void perf_data_list_threads(const struct perf_data *data, struct numbers *tids)
{
	twalk_r(data->threads, list_thread, tids);
}

/* Return: false if the sample has no value of the source's first member. */
static bool get_first_value(const struct perf_data_source *source,
			    const struct perfgrp_sample *sample, __u64 *first)
{
	struct perfgrp_sample_value value;
	__u64 i;

	for (i = 0; i < sample->nr; i++) {
		value = perfgrp_sample_value_at(sample, i);
		if (value.id == source->ids[0]) {
			*first = value.value;
			return true;
		}
	}
	return false;
}

static __u32 instance_of(struct perf_data *data, const struct perf_data_source *source,
			 const struct perfgrp_sample *sample)
{
	struct thread *thread;
	__u64 value;

	if (source->on_cpus)
		return sample->cpu;
	if (!source->inherits || !sample->nr)
		return source->task;
	thread = get_thread(data, source->first_event, sample->tid);
	if (sample->time < thread->time || !get_first_value(source, sample, &value))
		return thread->instance;
	/* A lower count is that of a new thread with a reused tid. A higher one goes unnoticed. */
	if (value < thread->value)
		thread->instance = data->nr_instances++;
	thread->time = sample->time;
	thread->value = value;
	return thread->instance;
}

/* Index of a member's event, from 0; -1 if it is not a member of the source. */
static ssize_t event_of(const struct perf_data_source *source, __u64 id)
{
	size_t i;

	for (i = 0; i < source->nr; i++)
		if (source->ids[i] == id)
			return source->first_event + i;
	return -1;
}

static __u64 renumber(const struct perf_data_source *source, __u64 id, __u32 instance)
{
	ssize_t event = event_of(source, id);

	return event < 0 ? 0 : perf_data_file_id(event, instance);
}

/* ---- values in several files -------------------------------------------------- */

/**
 * struct perf_data_value - the value of a member on one instance
 * @latest: its count in the latest sample
 * @before: its count at the start of this file
 */
struct perf_data_value {
	__u64 latest;
	__u64 before;
};

/* The counts so far are in the previous files. */
void perf_data_begin_values(struct perf_data *data)
{
	size_t i;

	for (i = 0; i < data->nr_values; i++)
		data->values[i].before = data->values[i].latest;
}

void perf_data_free_values(struct perf_data *data)
{
	free(data->values);
	data->values = NULL;
	data->nr_values = 0;
}

/* perf takes the first value in a file as the difference from 0. */
static __u64 value_in_file(struct perf_data *data, size_t event, __u32 instance, __u64 value)
{
	const size_t i = (size_t)instance * data->nr_events + event;
	struct perf_data_value *known;

	if (!data->several)
		return value;
	if (i >= data->nr_values) {
		const size_t nr = 2 * i + data->nr_events;

		data->values = xrealloc(data->values, nr, sizeof(*data->values));
		memset(data->values + data->nr_values, 0,
		       (nr - data->nr_values) * sizeof(*data->values));
		data->nr_values = nr;
	}
	known = &data->values[i];
	if (value > known->latest)
		known->latest = value;
	return value > known->before ? value - known->before : 0;
}

/* ---- records -------------------------------------------------------------- */

static void put_values(struct perf_data *data, const struct perf_data_source *source,
		       const struct perfgrp_sample *sample, __u32 instance)
{
	__u64 i;

	for (i = 0; i < sample->nr; i++) {
		struct perfgrp_sample_value value = perfgrp_sample_value_at(sample, i);
		const ssize_t event = event_of(source, value.id);

		value.id = event < 0 ? 0 : perf_data_file_id(event, instance);
		if (event >= 0)
			value.value = value_in_file(data, event, instance, value.value);
		perf_data_write(data, &value, sizeof(value));
	}
}

static void put_callchain(struct perf_data *data, const struct perfgrp_sample *sample)
{
	perf_data_write(data, &sample->nr_ips, sizeof(sample->nr_ips));
	if (sample->nr_ips)
		perf_data_write(data, sample->ips, sample->nr_ips * sizeof(*sample->ips));
}

static int add_sample(struct perf_data *data, const struct perf_data_source *source,
		      const struct perf_event_header *record)
{
	const size_t without_values = offsetof(struct perfgrp_record_sample, nr);
	struct perfgrp_record_sample to;
	struct perfgrp_sample from;
	__u32 instance;
	size_t size;
	int err;

	err = perfgrp_decode_sample(&source->layout, record, &from, sizeof(from));
	if (err)
		return err;
	instance = instance_of(data, source, &from);
	if (data->nr_ids && instance >= data->nr_ids) {
		data->left_out++;
		return 0;
	}
	size = sizeof(to) + from.nr * sizeof(struct perfgrp_sample_value);
	if (data->no_values)
		size = without_values;
	if (data->max_stack)
		size += (1 + from.nr_ips) * sizeof(*from.ips);
	if (size >= PERFGRP_RECORD_MAX)
		return -EBADMSG;
	to = (struct perfgrp_record_sample){
		.header = { .type = record->type, .misc = record->misc, .size = size },
		.ip = from.ip,
		.pid = from.pid,
		.tid = from.tid,
		.time = from.time,
		.id = renumber(source, from.id, instance),
		.cpu = from.cpu,
		.period = from.period,
		.nr = from.nr,
		.time_enabled = from.time_enabled,
		.time_running = from.time_running,
	};
	perf_data_write(data, &to, data->no_values ? without_values : sizeof(to));
	if (!data->no_values)
		put_values(data, source, &from, instance);
	if (data->max_stack)
		put_callchain(data, &from);
	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		build_id_hits_add_sample(data->hits, from.pid, from.ip);
	if (!data->first_time || from.time < data->first_time)
		data->first_time = from.time;
	if (from.time > data->last_time)
		data->last_time = from.time;
	return 0;
}

/* Adds a record that is not a sample, with the ids of the file. */
static int add_other(struct perf_data *data, const struct perf_data_source *source,
		     const struct perf_event_header *record)
{
	struct perfgrp_sample_id *sample_id;
	union perfgrp_record to;
	int err;

	err = perfgrp_decode_record(&source->layout, record, &to, sizeof(to));
	if (err)
		return err;
	switch (to.header.type) {
	case PERF_RECORD_LOST:
		sample_id = &to.lost.sample_id;
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		sample_id = &to.throttle.sample_id;
		break;
	case PERF_RECORD_BPF_EVENT:
		sample_id = &to.bpf_event.sample_id;
		break;
	default:
		/* perf refuses a file with records of unknown types. */
		return 0;
	}
	sample_id->id = renumber(source, sample_id->id,
				 source->on_cpus ? sample_id->cpu : source->task);
	if (to.header.type == PERF_RECORD_THROTTLE || to.header.type == PERF_RECORD_UNTHROTTLE) {
		to.throttle.id = sample_id->id;
		to.throttle.stream_id = sample_id->id;
	}
	perf_data_write(data, &to, to.header.size);
	return 0;
}

/**
 * perf_data_add - add a record of the module
 * @data: the file
 * @source: the group that it comes from
 * @record: the record
 *
 * Records of types from PERFGRP_RECORD_FIRST on are left out.
 *
 * Return: 0, or -EBADMSG if it is not a record of the module
 */
int perf_data_add(struct perf_data *data, const struct perf_data_source *source,
		  const struct perf_event_header *record)
{
	int err;

	if (record->type == PERF_RECORD_SAMPLE)
		err = add_sample(data, source, record);
	else
		err = add_other(data, source, record);
	return err ? -EBADMSG : 0;
}
