// SPDX-License-Identifier: GPL-2.0
/* Recording from beginning to end: the command, signals, and all that is to be read. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "ending.h"
#include "record.h"
#include "synth.h"

/* Bytes for one read. */
#define READ_SIZE	(256 << 10)
/* Reads of one group before it is the others' turn. */
#define READS		16

/**
 * struct run - recording
 * @rec: what is recorded
 * @ending: when to end
 * @sideband: perf's own records are to be had, too
 * @buf: READ_SIZE bytes for records
 */
struct run {
	struct record *rec;
	struct ending ending;
	bool sideband;
	char *buf;
};

/* ---- records -------------------------------------------------------------- */

static int add_records(struct record *rec, const struct record_group *group, const void *buf,
		       size_t len)
{
	const struct perf_event_header *record;
	size_t offset = 0;
	int ret;

	while ((ret = perfgrp_next_record(buf, len, &offset, &record)) > 0) {
		rec->samples += record->type == PERF_RECORD_SAMPLE;
		if (rec->opt.json)
			ret = record_json_print(rec->data.out, group, record);
		else
			ret = perf_data_add(&rec->data, &group->source, record);
		if (ret)
			break;
	}
	if (ret)
		error("the kernel's records cannot be understood");
	return ret;
}

/*
 * Reads what a group has, but not for ever. Returns 1 where there may be more, 0, or a
 * negative errno.
 */
static int read_group(struct run *run, struct record_group *group)
{
	unsigned int i;
	ssize_t len;
	int err;

	for (i = 0; i < READS && !group->at_end; i++) {
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
	}
	return !group->at_end;
}

/* Reads what there is. Returns 1 where there may be more, 0, or a negative errno. */
static int read_all(struct run *run)
{
	struct record *rec = run->rec;
	int more = 0, ret;
	size_t i;

	if (run->sideband)
		sideband_drain(&rec->side, &rec->data);
	for (i = 0; i < rec->nr_groups; i++) {
		ret = read_group(run, &rec->groups[i]);
		if (ret < 0)
			return ret;
		more |= ret;
	}
	if (!more && !rec->opt.json)
		perf_data_finish_round(&rec->data);
	return more;
}

/* ---- waiting -------------------------------------------------------------- */

/* Records until the command, the tasks or the user's patience is at its end. */
static int record_until_end(struct run *run)
{
	const bool overwrite = run->rec->opt.overwrite;
	int more = 0, gone;

	for (;;) {
		gone = record_poll(run->rec, more ? 0 : RECORD_LATENCY);
		if (gone < 0)
			return gone;
		if (overwrite && run->sideband)
			sideband_drain(&run->rec->side, &run->rec->data);
		else if (!overwrite)
			more = read_all(run);
		if (more < 0)
			return more;
		if (ending_has_come(&run->ending))
			return 0;
		/* A command that has exited is reaped first. */
		if (!run->ending.w.pid && gone)
			return 0;
	}
}

/* ---- the beginning -------------------------------------------------------- */

/* Where no kernel code is sampled, nobody needs to know where it is. */
static bool samples_kernel(const struct record *rec)
{
	size_t i;

	for (i = 0; i < rec->nr_events; i++)
		if (!(rec->counters[i].flags & PERFGRP_COUNTER_EXCLUDE_KERNEL))
			return true;
	return false;
}

static void open_sideband(struct run *run)
{
	struct record *rec = run->rec;
	bool command = rec->target.kind == TARGET_COMMAND;
	bool programs = samples_kernel(rec);
	int err;

	if (rec->opt.json)
		return;
	if (target_has_cpus(&rec->target))
		err = sideband_open_cpus(&rec->side, programs);
	else
		err = sideband_open_tasks(&rec->side, &rec->target.tasks, command,
					  command && !rec->opt.no_inherit, programs);
	run->sideband = !err;
	if (!err)
		return;
	sideband_close(&rec->side);
	if (rec->opt.verbose)
		error("perf_event_open: %s; what is mapped from now on will have no symbols",
		      strerror(-err));
}

/* What is so already. Of a command there is nothing yet: its exec will tell. */
static void synthesize(struct run *run)
{
	struct record *rec = run->rec;
	size_t i;

	if (rec->opt.json)
		return;
	synth_kernel(&rec->data);
	if (samples_kernel(rec))
		synth_all_programs(&rec->data);
	if (target_has_cpus(&rec->target))
		synth_all_processes(&rec->data);
	else if (rec->target.kind == TARGET_TASKS)
		for (i = 0; i < rec->target.tasks.nr; i++)
			synth_process_of(&rec->data, rec->target.tasks.n[i]);
}

static __u32 nr_instances(const struct record *rec)
{
	return target_has_cpus(&rec->target) ? rec->info.nr_cpu_ids : rec->target.tasks.nr;
}

/* Whether children's samples have values depends on the kernel. */
static void check_children(struct record *rec)
{
	bool child_values = rec->info.features & PERFGRP_FEATURE_CHILD_VALUES;
	bool others = false;
	size_t i;

	for (i = 0; i < rec->nr_groups; i++) {
		rec->data.inherits |= rec->groups[i].source.inherits;
		others |= rec->groups[i].source.nr > 1;
	}
	/* All samples of a file have the same form. */
	rec->data.no_values = rec->data.inherits && !child_values;
	if (rec->data.no_values && others)
		error("this kernel has no values for children ('child-values' in perfgrp info): only events that sample are recorded; -i records all, but no children");
}

static int begin_file(struct run *run)
{
	struct record *rec = run->rec;

	check_children(rec);

	if (rec->opt.json)
		return 0;
	rec->data.list = &rec->list;
	rec->data.counters = rec->counters;
	rec->data.nr_events = rec->nr_events;
	rec->data.nr_instances = nr_instances(rec);
	rec->data.command_line = rec->argv;
	return perf_data_begin(&rec->data);
}

static int start_command(struct run *run)
{
	struct record *rec = run->rec;
	int err = ending_start_command(&run->ending);

	/* It has its memory from its exec on. Better late than never. */
	if (!err && rec->target.kind == TARGET_COMMAND && !run->sideband && !rec->opt.json)
		synth_process(&rec->data, run->ending.w.pid);
	return err;
}

/* ---- the end -------------------------------------------------------------- */

/* Says what became of it all, as perf does. */
static void report(struct run *run)
{
	struct record *rec = run->rec;
	struct perfgrp_stream_stats sum = { 0 };
	char filtered[64] = "";
	__u64 bytes = rec->data.bytes;
	size_t i;

	if (rec->opt.json)
		bytes = ftell(rec->data.out) > 0 ? ftell(rec->data.out) : 0;
	for (i = 0; i < rec->nr_groups; i++) {
		struct perfgrp_stream_stats stats;

		if (perfgrp_get_stream_stats(rec->groups[i].fd, &stats, sizeof(stats)))
			continue;
		sum.produced += stats.produced;
		sum.read += stats.read;
		sum.lost += stats.lost;
		sum.filtered += stats.filtered;
	}
	if (sum.filtered)
		snprintf(filtered, sizeof(filtered), ", %llu filtered",
			 (unsigned long long)sum.filtered);
	fprintf(stderr,
		"[ perfgrp record: Captured and wrote %.2f MB %s (%llu samples, %llu lost%s) ]\n",
		bytes / 1048576.0, rec->file ? rec->file : "to standard output",
		(unsigned long long)rec->samples, (unsigned long long)sum.lost, filtered);
	if (rec->data.left_out)
		error("%llu samples of the last threads are not in the stream: a pipe has room for %u; write to a file",
		      (unsigned long long)rec->data.left_out, PERF_DATA_PIPE_THREADS);
	if (rec->opt.verbose)
		error("%llu records produced, %llu read, %llu lost; %llu samples filtered",
		      (unsigned long long)sum.produced, (unsigned long long)sum.read,
		      (unsigned long long)sum.lost, (unsigned long long)sum.filtered);
}

static int finish(struct run *run)
{
	struct record *rec = run->rec;
	int err, more;

	err = record_each_group(rec, perfgrp_disable);
	ending_stop_command(&run->ending);
	do {
		more = err ? err : read_all(run);
	} while (more > 0);
	if (more < 0)
		return more;
	err = rec->opt.json ? fflush(rec->data.out) : perf_data_end(&rec->data);
	if (err || ferror(rec->data.out)) {
		error("cannot write to %s", rec->file ? rec->file : "standard output");
		return -EIO;
	}
	report(run);
	return 0;
}

static int run_all(struct run *run)
{
	struct record *rec = run->rec;
	int err;

	/* Where records go to standard output, nothing else does. */
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
	err = begin_file(run);
	if (err)
		goto cancel;
	synthesize(run);
	if (!record_enables_on_exec(rec)) {
		err = record_each_group(rec, perfgrp_enable);
		if (err)
			goto cancel;
	}
	err = start_command(run);
	if (err)
		return err;
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
 * @rec: all set up, but for the groups
 *
 * Return: what to exit with. A signal that has ended recording ends the process.
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
