// SPDX-License-Identifier: GPL-2.0
/* Recording from beginning to end: the command, signals, and reading of records. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id_hits.h"
#include "cmd.h"
#include "ending.h"
#include "progress.h"
#include "record.h"
#include "synth.h"

/* Bytes for one read. */
#define READ_SIZE	(256 << 10)
/* Reads of one group before the other groups are read. */
#define READS		16
#define MB		1048576.0

/**
 * struct run - recording
 * @rec: what is recorded
 * @ending: when to end
 * @sideband: the sideband is open
 * @buf: READ_SIZE bytes for records
 * @started: the command runs
 * @draining: read all remaining records, regardless of size limits
 * @progress: of reading them at the end
 * @read_before: samples before that
 * @bytes: size of all files
 * @begun: bytes of this file that were written before any record was read
 * @uncompressed: what @bytes would be without compression
 */
struct run {
	struct record *rec;
	struct ending ending;
	bool sideband;
	char *buf;
	bool started;
	bool draining;
	struct progress progress;
	__u64 read_before;
	__u64 bytes;
	__u64 begun;
	__u64 uncompressed;
};

/* ---- records -------------------------------------------------------------- */

static const char *output_name(const struct record *rec)
{
	return rec->file ? rec->file : "standard output";
}

/* Returns 0, or -EIO after saying why records could not be written. */
static int check_written(const struct record *rec)
{
	if (!ferror(rec->data.out))
		return 0;
	errno = -rec->data.error;
	return flush_output(rec->data.out, output_name(rec));
}

static int print_json(struct record *rec, const struct record_group *group,
		      const struct perf_event_header *record)
{
	int err = record_json_print(rec->data.out, group, record);

	if (ferror(rec->data.out) && !rec->data.error)
		rec->data.error = -errno;
	return err;
}

static int add_records(struct record *rec, const struct record_group *group, const void *buf,
		       size_t len)
{
	const struct perf_event_header *record;
	size_t offset = 0;
	int ret;

	while ((ret = perfgrp_next_record(buf, len, &offset, &record)) > 0) {
		rec->samples += record->type == PERF_RECORD_SAMPLE;
		if (rec->opt.json)
			ret = print_json(rec, group, record);
		else
			ret = perf_data_add(&rec->data, &group->source, record);
		if (ret)
			break;
	}
	if (ret)
		error("cannot decode the kernel's records");
	return ret;
}

/* Bytes of the file so far. */
static __u64 file_bytes(const struct record *rec)
{
	long at;

	if (!rec->opt.json)
		return rec->data.bytes;
	at = ftell(rec->data.out);
	return at > 0 ? at : 0;
}

/*
 * Bytes that were recorded into the file. The synthesized records at its start are not counted: on
 * a large machine they alone could reach the size limit, before any sample.
 */
static __u64 recorded_bytes(const struct run *run)
{
	return file_bytes(run->rec) - run->begun;
}

/* Has the file reached the size of --max-size or --switch-output? */
static bool is_full(const struct run *run)
{
	const struct record *rec = run->rec;
	const __u64 bytes = recorded_bytes(run);

	return !run->draining && ((rec->opt.max_size && bytes >= rec->opt.max_size) ||
				  (rec->switching.size && bytes >= rec->switching.size));
}

/*
 * Reads records of a group, at most READS times. Returns 1 if there may be more, 0 if not, or a
 * negative errno.
 */
static int read_group(struct run *run, struct record_group *group)
{
	unsigned int i;
	ssize_t len;
	int err;

	for (i = 0; i < READS && !group->at_end && !is_full(run); i++) {
		len = perfgrp_read_records(group->fd, run->buf, READ_SIZE);
		if (len == -EAGAIN || len == -EINTR)
			return 0;
		if (len < 0) {
			error("cannot read records: %s", perfgrp_group_error(group->fd)->text);
			return len;
		}
		group->at_end = !len;
		err = add_records(run->rec, group, run->buf, len);
		if (err)
			return err;
		progress_update(&run->progress, run->rec->samples - run->read_before);
	}
	return !group->at_end;
}

static int read_sideband(struct run *run)
{
	struct record *rec = run->rec;

	if (!run->sideband)
		return 0;
	sideband_drain(&rec->side, &rec->data);
	return check_written(rec);
}

/* Reads records of all groups. Returns 1 if there may be more, 0 if not, or a negative errno. */
static int read_all(struct run *run)
{
	struct record *rec = run->rec;
	int more = 0, ret;
	size_t i;

	ret = read_sideband(run);
	if (ret)
		return ret;
	for (i = 0; i < rec->nr_groups; i++) {
		ret = read_group(run, &rec->groups[i]);
		if (ret < 0)
			return ret;
		more |= ret;
	}
	if (!more && !rec->opt.json)
		perf_data_finish_round(&rec->data);
	ret = check_written(rec);
	return ret ? ret : more;
}

/* ---- the state at the start --------------------------------------------------- */

/* If no kernel code is sampled, its addresses are not needed. */
static bool samples_kernel(const struct record *rec)
{
	size_t i;

	for (i = 0; i < rec->nr_events; i++)
		if (!(rec->counters[i].flags & PERFGRP_COUNTER_EXCLUDE_KERNEL))
			return true;
	return false;
}

static bool needs_programs(const struct record *rec)
{
	return samples_kernel(rec) && !rec->opt.no_bpf;
}

/*
 * Writes records for the tasks and mappings that already exist. A command that has not started has
 * none yet; its exec will be recorded. Returns 0, or a negative errno after printing an error.
 */
static int synthesize(struct run *run)
{
	struct record *rec = run->rec;

	run->begun = 0;
	if (rec->opt.json)
		return 0;
	if (samples_kernel(rec))
		synth_kernel(&rec->data);
	if (needs_programs(rec))
		synth_all_programs(&rec->data);
	if (target_has_cpus(&rec->target))
		/* Later the command may be writing to the terminal. */
		synth_all_processes(&rec->data, rec->opt.quiet || run->started);
	else if (rec->target.kind == TARGET_COMMAND && run->started)
		synth_family(&rec->data, run->ending.w.pid);
	else if (rec->target.kind == TARGET_TASKS)
		synth_processes_of(&rec->data, &rec->target.tasks);
	/* If records are compressed, this also writes those that are still buffered. */
	perf_data_finish_round(&rec->data);
	run->begun = file_bytes(rec);
	/* It may be less than stdio's buffer; find out now, before the command starts. */
	errno = -rec->data.error;
	return flush_output(rec->data.out, output_name(rec));
}

/* ---- one file after the other ----------------------------------------------- */

static int begin_file(struct run *run)
{
	struct record *rec = run->rec;

	return rec->opt.json ? 0 : perf_data_begin(&rec->data);
}

/* Ends the file. With --switch-output it is then closed and renamed. */
static int end_file(struct run *run)
{
	struct record *rec = run->rec;
	int err = rec->opt.json ? 0 : perf_data_end(&rec->data);

	if (flush_output(rec->data.out, output_name(rec)))
		return -EIO;
	if (err) {
		error("cannot write to %s", output_name(rec));
		return err;
	}
	run->bytes += file_bytes(rec);
	run->uncompressed += perf_data_uncompressed_bytes(&rec->data);
	if (!rec->switching.on)
		return 0;
	err = record_close_output(rec);
	return err ? err : record_switch_rename(&rec->switching, rec->file);
}

/* --overwrite: writes what the buffers have to the file, with sampling disabled meanwhile. */
static int take_overwritten(struct run *run)
{
	int err = record_each_group(run->rec, perfgrp_disable), more;

	do {
		more = err ? err : read_all(run);
	} while (more > 0);
	return more;
}

/*
 * Writes the pending records to the file that ends, regardless of its size, because that file has
 * the names and mappings for them. One pass only: records that arrive meanwhile may remain.
 */
static int take_unread(struct run *run)
{
	int more;

	run->draining = true;
	more = read_all(run);
	run->draining = false;
	return more < 0 ? more : 0;
}

/* Writes pending records to the old file; the new one starts with existing tasks and mappings. */
static int switch_file(struct run *run)
{
	struct record *rec = run->rec;
	const bool stop = rec->opt.overwrite && rec->enabled;
	int err = rec->opt.overwrite ? take_overwritten(run) : take_unread(run);

	if (!err)
		err = end_file(run);
	if (!err)
		err = record_open_output(rec);
	if (!err)
		err = begin_file(run);
	if (!err)
		err = synthesize(run);
	if (err)
		return err;
	return stop ? record_each_group(rec, perfgrp_enable) : 0;
}

/* Switches to another file if --switch-output requires it. */
static int switch_if_due(struct run *run)
{
	struct record *rec = run->rec;
	bool due;

	if (!rec->switching.on)
		return 0;
	due = record_switch_due(&rec->switching, ending_now(), recorded_bytes(run));
	due |= run->ending.asked && rec->switching.on_signal;
	run->ending.asked = false;
	return due ? switch_file(run) : 0;
}

/* --control snapshot: samples up to now are in the file that ends. */
static int snapshot(void *arg)
{
	struct run *run = arg;

	if (run->rec->switching.on)
		return switch_file(run);
	error("--control: snapshot needs --switch-output");
	return 0;
}

/* ---- waiting -------------------------------------------------------------- */

/* Time in ms until groups are to be enabled or the file switched, at most RECORD_LATENCY. */
static int poll_timeout(const struct record *rec)
{
	__u64 next = rec->enable_at;

	if (rec->switching.next < next)
		next = rec->switching.next;
	return record_timeout(next);
}

/* Returns true, after reporting it, if --max-size ends recording. */
static bool has_reached_size(const struct run *run)
{
	const struct record *rec = run->rec;

	if (!rec->opt.max_size || recorded_bytes(run) < rec->opt.max_size)
		return false;
	fprintf(stderr, "[ perfgrp record: size limit reached (%llu KB), stopping session ]\n",
		(unsigned long long)(recorded_bytes(run) >> 10));
	return true;
}

/* Records until the command or the tasks have exited, or something else ends recording. */
static int record_until_end(struct run *run)
{
	const bool overwrite = run->rec->opt.overwrite;
	int more = 0, gone, err = 0;

	for (;;) {
		gone = record_poll(run->rec, more ? 0 : poll_timeout(run->rec));
		if (gone < 0)
			return gone;
		more = overwrite ? read_sideband(run) : read_all(run);
		if (more < 0)
			return more;
		if (has_reached_size(run) || ending_has_come(&run->ending))
			return 0;
		if (record_obey(run->rec, snapshot, run, &err))
			return err;
		err = record_enable_if_due(run->rec);
		if (!err)
			err = switch_if_due(run);
		if (err)
			return err;
		/* Do not end before a command that has exited is reaped. */
		if (!run->ending.w.pid && gone)
			return 0;
	}
}

/* ---- the beginning -------------------------------------------------------- */

static void open_sideband(struct run *run)
{
	struct record *rec = run->rec;
	bool command = rec->target.kind == TARGET_COMMAND;
	bool programs = needs_programs(rec);
	int err;

	if (rec->opt.json)
		return;
	if (target_has_cpus(&rec->target))
		err = sideband_open_cpus(&rec->side, programs, !rec->data.no_build_ids);
	else
		err = sideband_open_tasks(&rec->side, &rec->target.tasks, command,
					  command && !rec->opt.no_inherit, programs,
					  !rec->data.no_build_ids);
	run->sideband = !err;
	if (!err)
		return;
	sideband_say_why(&rec->side, err);
	sideband_close(&rec->side);
}

static __u32 nr_instances(const struct record *rec)
{
	return target_has_cpus(&rec->target) ? rec->info.nr_cpu_ids : rec->target.tasks.nr;
}

/* The kernel may not support values in the samples of children. */
static void check_children(struct record *rec)
{
	bool child_values = rec->info.features & PERFGRP_FEATURE_CHILD_VALUES;
	bool others = false;
	size_t i;

	for (i = 0; i < rec->nr_groups; i++) {
		rec->data.inherits |= rec->groups[i].source.inherits;
		others |= rec->groups[i].source.nr > 1;
	}
	/* All samples of a file have the same format. */
	rec->data.no_values = rec->data.inherits && !child_values;
	if (rec->data.no_values && others)
		error("this kernel cannot sample the counts of children ('child-values' in perfgrp info): only the sampling events are recorded; with -i all are, but not in children");
}

/* Sets what all files have in common. */
static void describe_files(struct run *run)
{
	struct record *rec = run->rec;

	check_children(rec);
	rec->data.list = &rec->list;
	rec->data.counters = rec->counters;
	rec->data.nr_events = rec->nr_events;
	rec->data.nr_instances = nr_instances(rec);
	rec->data.command_line = rec->argv;
	rec->data.several = rec->switching.on;
	/* As with perf, one file after the other may be recorded for a long time. */
	if (!rec->opt.no_cache && !rec->data.no_build_ids && !rec->data.several &&
	    !rec->data.pipe && !rec->opt.json)
		rec->data.hits = build_id_hits_new();
}

static int start_command(struct run *run)
{
	struct record *rec = run->rec;
	int err = ending_start_command(&run->ending);

	/* Without the sideband the exec is not recorded; add the mappings that exist by now. */
	if (!err && rec->target.kind == TARGET_COMMAND && !run->sideband && !rec->opt.json)
		synth_process(&rec->data, run->ending.w.pid);
	return err;
}

/* ---- the end -------------------------------------------------------------- */

/* Adds up what became of the records of all groups. */
static struct perfgrp_stream_stats sum_stats(const struct record *rec)
{
	struct perfgrp_stream_stats sum = { 0 };
	size_t i;

	for (i = 0; i < rec->nr_groups; i++) {
		struct perfgrp_stream_stats stats;

		if (perfgrp_get_stream_stats(rec->groups[i].fd, &stats, sizeof(stats)))
			continue;
		sum.produced += stats.produced;
		sum.read += stats.read;
		sum.lost += stats.lost;
		sum.filtered += stats.filtered;
	}
	return sum;
}

/* Prints a summary, as perf does. */
static void report(struct run *run)
{
	struct record *rec = run->rec;
	const struct perfgrp_stream_stats sum = sum_stats(rec);
	char filtered[64] = "", compressed[96] = "", size[32] = "";

	if (sum.filtered)
		snprintf(filtered, sizeof(filtered), ", %llu filtered",
			 (unsigned long long)sum.filtered);
	if (rec->data.compressor)
		snprintf(compressed, sizeof(compressed), ", compressed (original %.2f MB, ratio is %.2f)",
			 run->uncompressed / MB, (double)run->uncompressed / run->bytes);
	/* How much went into a pipe as JSON is not known. */
	if (run->bytes)
		snprintf(size, sizeof(size), "%.2f MB ", run->bytes / MB);
	if (!rec->opt.quiet)
		fprintf(stderr,
			"[ perfgrp record: Captured and wrote %s%s%s%s (%llu samples, %llu lost%s) ]\n",
			size, rec->file ? rec->file : "to standard output",
			rec->switching.on ? ".<timestamp>" : "", compressed,
			(unsigned long long)rec->samples, (unsigned long long)sum.lost, filtered);
	if (rec->data.left_out)
		error("%llu samples are missing from the output: a pipe can describe %u threads only; write to a file",
		      (unsigned long long)rec->data.left_out, PERF_DATA_PIPE_THREADS);
	if (rec->opt.verbose)
		error("%llu records produced, %llu read, %llu lost; %llu samples filtered",
		      (unsigned long long)sum.produced, (unsigned long long)sum.read,
		      (unsigned long long)sum.lost, (unsigned long long)sum.filtered);
}

/* Reads all remaining records. */
static int drain(struct run *run)
{
	const struct perfgrp_stream_stats stats = sum_stats(run->rec);
	int more;

	run->draining = true;
	run->read_before = run->rec->samples;
	progress_begin(&run->progress, "writing the remaining records",
		       stats.produced - stats.read - stats.lost, run->rec->opt.quiet);
	do {
		more = read_all(run);
	} while (more > 0);
	progress_end(&run->progress);
	return more;
}

static int finish(struct run *run)
{
	struct record *rec = run->rec;
	int err;

	err = record_each_group(rec, perfgrp_disable);
	control_end_run(&rec->control);
	ending_stop_command(&run->ending);
	if (!err)
		err = drain(run);
	if (!err)
		err = end_file(run);
	if (err)
		return err;
	build_id_hits_cache(rec->data.hits, rec->opt.verbose);
	report(run);
	return 0;
}

static int run_all(struct run *run)
{
	struct record *rec = run->rec;
	int err;

	err = control_begin_run(&rec->control);
	if (err)
		return err;
	run->ending.other_fd = rec->control.fd;
	/* As with perf, SIGUSR2 does not end recording even if it does not switch files. */
	if (ending_add_signal(&run->ending, SIGUSR2))
		return -EINVAL;
	/* If records go to standard output, the command's output goes to standard error. */
	err = ending_prepare_command(&run->ending, &rec->target,
				     rec->file ? STDOUT_FILENO : STDERR_FILENO);
	if (err)
		return err;
	err = record_open(rec);
	if (!err)
		err = record_open_output(rec);
	if (err)
		goto cancel;
	record_set_polls(rec, &run->ending, rec->opt.overwrite ? 0 : POLLIN);
	open_sideband(run);
	describe_files(run);
	err = begin_file(run);
	if (!err)
		err = synthesize(run);
	if (!err)
		err = record_begin(rec);
	if (err)
		goto cancel;
	err = start_command(run);
	if (err)
		return err;
	run->started = true;
	record_begin_delay(rec);
	record_switch_begin(&rec->switching, ending_now());
	err = record_until_end(run);
	if (err) {
		ending_stop_command(&run->ending);
		return err;
	}
	return finish(run);

cancel:
	workload_cancel(&run->ending.w);
	return err;
}

/**
 * record_run - record, and say what was recorded
 * @rec: all set up, except the groups
 *
 * Return: the exit status. If a signal ended recording, it also ends the process.
 */
int record_run(struct record *rec)
{
	struct run run = { .rec = rec };
	int err;

	if (ending_begin(&run.ending))
		return EXIT_FAILED;
	run.buf = xcalloc(READ_SIZE, 1);

	err = run_all(&run);
	sideband_close(&rec->side);
	record_close(rec);
	free(run.buf);
	if (err)
		return EXIT_FAILED;
	ending_finish(&run.ending);
	return ending_status(&run.ending, &rec->target);
}
