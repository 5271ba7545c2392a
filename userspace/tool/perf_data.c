// SPDX-License-Identifier: GPL-2.0
/*
 * The perf.data format, which perf report and perf script read.
 *
 *	file		header, records, features, ids, attributes
 *	for pipes	header, attributes with their ids and features as records, records
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data_file.h"
#include "util.h"

#define MAGIC			"PERFILE2"

struct pipe_header {
	char magic[8];
	__u64 size;
};

/* ---- writing -------------------------------------------------------------- */

/* Keeps the errno of the first failure. */
static void set_error(struct perf_data *data, int err)
{
	if (!data->error)
		data->error = err;
}

/* Adds bytes without compressing them; failures are in @data->error. */
void perf_data_put(struct perf_data *data, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, data->out) != size)
		set_error(data, -errno);
	data->bytes += size;
}

/**
 * perf_data_write - add a record, or a part of one
 * @data: the file
 * @record: in the format of the file
 * @size: its size
 *
 * Failures are in @data->error, and reported by perf_data_end().
 */
void perf_data_write(struct perf_data *data, const void *record, size_t size)
{
	if (data->compressor)
		perf_data_compress(data, record, size);
	else
		perf_data_put(data, record, size);
}

/**
 * perf_data_finish_round - mark the end of a round of reading
 * @data: the file
 *
 * perf sorts records by time. Records added after this call are later than all that were added
 * before the previous call.
 */
void perf_data_finish_round(struct perf_data *data)
{
	const struct perf_event_header round = {
		.type = RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};

	perf_data_flush(data);
	perf_data_put(data, &round, sizeof(round));
}

/* ---- the file as a whole --------------------------------------------------- */

static void put_ids(struct perf_data *data, size_t event, __u32 nr)
{
	__u32 instance;

	for (instance = 0; instance < nr; instance++) {
		const __u64 id = perf_data_file_id(event, instance);

		perf_data_put(data, &id, sizeof(id));
	}
}

static int put_attr_records(struct perf_data *data)
{
	size_t size = sizeof(struct perf_event_header) + PERF_DATA_ATTR_SIZE +
		      data->nr_ids * sizeof(__u64);
	const struct perf_event_header header = {
		.type = RECORD_HEADER_ATTR,
		.size = size,
	};
	struct perf_event_attr attr;
	size_t i;

	if (size >= PERFGRP_RECORD_MAX) {
		error("too many counters for a pipe; write to a file");
		return -E2BIG;
	}
	for (i = 0; i < data->nr_events; i++) {
		perf_data_make_attr(data, i, &attr);
		perf_data_put(data, &header, sizeof(header));
		perf_data_put(data, &attr, PERF_DATA_ATTR_SIZE);
		put_ids(data, i, data->nr_ids);
	}
	return 0;
}

static int begin_pipe(struct perf_data *data)
{
	struct pipe_header header = { .size = sizeof(header) };
	int err;

	data->nr_ids = data->nr_instances + (data->inherits ? PERF_DATA_PIPE_THREADS : 0);
	memcpy(header.magic, MAGIC, sizeof(header.magic));
	perf_data_put(data, &header, sizeof(header));
	err = put_attr_records(data);
	if (!err)
		perf_data_put_feature_records(data);
	return err;
}

/* Room for the header, which is written last: it has the data's size and the attributes' offset. */
static void begin_file(struct perf_data *data)
{
	const struct file_header header = { 0 };

	perf_data_put(data, &header, sizeof(header));
}

/* Written after all records, when the number of ids is known. */
static struct section put_attrs(struct perf_data *data)
{
	const size_t ids_size = data->nr_instances * sizeof(__u64);
	const __u64 first_ids = data->bytes;
	struct section attrs = { .size = data->nr_events * (PERF_DATA_ATTR_SIZE + sizeof(attrs)) };
	struct perf_event_attr attr;
	size_t i;

	for (i = 0; i < data->nr_events; i++)
		put_ids(data, i, data->nr_instances);
	attrs.offset = data->bytes;
	for (i = 0; i < data->nr_events; i++) {
		const struct section ids = { first_ids + i * ids_size, ids_size };

		perf_data_make_attr(data, i, &attr);
		perf_data_put(data, &attr, PERF_DATA_ATTR_SIZE);
		perf_data_put(data, &ids, sizeof(ids));
	}
	return attrs;
}

/**
 * perf_data_begin - write what comes before all records
 * @data: the caller's fields are set, the rest is zero or as left by perf_data_end()
 *
 * Return: 0 or a negative errno
 */
int perf_data_begin(struct perf_data *data)
{
	int err = 0;

	data->bytes = 0;
	data->first_time = 0;
	data->last_time = 0;
	data->error = 0;
	perf_data_begin_values(data);
	if (data->compression_level)
		err = perf_data_begin_compression(data);
	if (err)
		return err;
	if (data->pipe)
		err = begin_pipe(data);
	else
		begin_file(data);
	data->data_start = data->bytes;
	return err;
}

/**
 * perf_data_end - write what comes after all records
 * @data: the file, whose @out is left open; perf_data_begin() may begin another one with a new @out
 *
 * Return: 0, or the negative errno of the first write that failed, now or before
 */
int perf_data_end(struct perf_data *data)
{
	struct file_header header = {
		.size = sizeof(header),
		.attr_size = PERF_DATA_ATTR_SIZE + sizeof(struct section),
	};

	perf_data_flush(data);
	header.data = (struct section){ data->data_start, data->bytes - data->data_start };
	if (!data->pipe) {
		memcpy(header.magic, MAGIC, sizeof(header.magic));
		perf_data_put_features(data, &header);
		header.attrs = put_attrs(data);
		if (fseek(data->out, 0, SEEK_SET) ||
		    fwrite(&header, sizeof(header), 1, data->out) != 1)
			set_error(data, -errno);
	}
	if (fflush(data->out))
		set_error(data, -errno);
	return data->error;
}

/**
 * perf_data_free - free the state that is kept between records
 * @data: after the last perf_data_end(), or after a failure
 */
void perf_data_free(struct perf_data *data)
{
	tdestroy(data->threads, free);
	data->threads = NULL;
	perf_data_free_values(data);
	perf_data_end_compression(data);
}
