/* SPDX-License-Identifier: GPL-2.0 */
/* The perf.data format of perf report and perf script: see perf.data-file-format.txt. */
#ifndef PERFGRP_PERF_DATA_H
#define PERFGRP_PERF_DATA_H

#include <stdio.h>

#include "events.h"
#include "perfgrp.h"
#include "util.h"

/* A pipe's ids are written before all records: it has ids for so many threads of INHERIT groups. */
#define PERF_DATA_PIPE_THREADS	4096

/**
 * struct perf_data - a file being written
 * @out: where it is written to
 * @pipe: @out cannot seek: use the format for pipes, in which everything is a record
 * @list: the events
 * @counters: one for each event, group after group, as they were added
 * @nr_events: how many
 * @nr_instances: counters that an event has: tasks, or CPUs; perf_data_add() adds one for each
 *	thread of a source that inherits
 * @inherits: there are such sources
 * @no_values: their samples have no values, so all samples in the file are without
 * @max_stack: maximum number of addresses in a sample's call chain; 0: no call chains
 * @command_line: the command line that writes the file, ended by NULL
 * @compression_level: of zstd; 0: records are not compressed
 * @several: more files will follow; values in each are what was counted since the previous one
 * @no_build_ids: mappings have no build-ids
 * @hits: collects which files are sampled, or NULL
 *
 * The caller sets all fields above.
 *
 * @compressor: state of the compression
 * @values: of the members of each instance
 * @nr_values: how many of them there are
 * @threads: threads of sources that inherit
 * @nr_ids: ids that a pipe's header has for each event, 0 in a file; samples of instances beyond
 *	that are left out
 * @left_out: samples that were not written, because a pipe had no ids left
 * @first_time: of the earliest sample
 * @last_time: of the latest
 * @data_start: where records begin
 * @bytes: bytes written
 * @error: negative errno of the first write that failed, or 0
 */
struct perf_data {
	FILE *out;
	bool pipe;
	const struct event_list *list;
	const struct perfgrp_counter *counters;
	size_t nr_events;
	__u32 nr_instances;
	bool inherits;
	bool no_values;
	__u32 max_stack;
	char *const *command_line;
	int compression_level;
	bool several;
	bool no_build_ids;
	struct build_id_hits *hits;

	struct perf_data_compressor *compressor;
	struct perf_data_value *values;
	size_t nr_values;
	void *threads;
	__u32 nr_ids;
	__u64 left_out;
	__u64 first_time;
	__u64 last_time;
	long data_start;
	__u64 bytes;
	int error;
};

/**
 * struct perf_data_source - a group of the module that records come from
 * @layout: of its records
 * @ids: its members
 * @nr: how many
 * @first_event: the first member's event; the others follow
 * @on_cpus: its counters are those of CPUs, not of a task
 * @task: index of the task, unless @on_cpus
 * @inherits: its counters are the task's and its children's
 */
struct perf_data_source {
	struct perfgrp_layout layout;
	const __u32 *ids;
	size_t nr;
	size_t first_event;
	bool on_cpus;
	__u32 task;
	bool inherits;
};

int perf_data_begin(struct perf_data *data);
int perf_data_add(struct perf_data *data, const struct perf_data_source *source,
		  const struct perf_event_header *record);
void perf_data_list_threads(const struct perf_data *data, struct numbers *tids);
void perf_data_write(struct perf_data *data, const void *record, size_t size);
void perf_data_finish_round(struct perf_data *data);
int perf_data_end(struct perf_data *data);
void perf_data_free(struct perf_data *data);
unsigned int perf_data_compression_ratio(const struct perf_data *data);
__u64 perf_data_uncompressed_bytes(const struct perf_data *data);

/*
 * sample_type of our perf events for the sideband: their records then end with a struct
 * perfgrp_sample_id, like those of the module.
 */
#define PERF_DATA_SAMPLE_ID_TYPE \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU)

#endif /* PERFGRP_PERF_DATA_H */
