// SPDX-License-Identifier: GPL-2.0
/*
 * perfgrp bpf profile: counts events in the runs of a BPF program, by programs at its entry and
 * exit. This file has the main flow; the group, the programs and the output have their own files.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf_profile.h"
#include "cmd.h"
#include "ending.h"

/* Runs of the empty program. The batch with the lowest count is one without interrupts. */
#define EMPTY_BATCHES	20
#define EMPTY_RUNS	50

/* ---- what is needed --------------------------------------------------------- */

/* Libbpf needs the modules' BTF to find kfuncs, and reports nothing if it may not read it. */
static int check_privilege(void)
{
	__u32 id;

	if (!bpf_btf_get_next_id(0, &id) || errno != EPERM)
		return 0;
	error("profiling BPF programs needs CAP_SYS_ADMIN, to read the BTF of the program and of the module");
	return -EPERM;
}

static int open_device(struct profile *profile)
{
	struct perfgrp_info info;

	profile->dev = cmd_open_device(&info, 0, NULL);
	if (!profile->dev)
		return -ENODEV;
	if (info.features & PERFGRP_FEATURE_KFUNC)
		return 0;
	if (perfgrp_is_perf(profile->dev))
		error("'bpf profile' needs the module");
	else
		error("this module lacks 'kfunc', which BPF programs need to read counters: it needs Linux 6.9, and a module built with BTF (pahole, and vmlinux beside the kernel headers)");
	return -EOPNOTSUPP;
}

static int open_program(struct profile *profile)
{
	int fd = bpf_choice_open_loaded(&profile->program);

	if (fd < 0)
		return fd;
	bpf_info_get(bpf_info_id(fd), &profile->info);
	if (profile->info.known != BPF_KNOWN) {
		error("cannot get information about the program from the kernel");
	} else if (!profile->info.jited) {
		error("cannot profile program %u: it is interpreted, not JIT-compiled (sysctl net.core.bpf_jit_enable)",
		      profile->info.id);
	} else {
		return fd;
	}
	close(fd);
	return -EINVAL;
}

/* ---- the empty program ------------------------------------------------------- */

/* Moves this thread to CPUs on which the group counts. */
static int go_to_cpus(const struct profile *profile, cpu_set_t *before)
{
	cpu_set_t cpus;
	size_t i;

	CPU_ZERO(&cpus);
	for (i = 0; i < profile->target.cpus.nr; i++)
		if (profile->target.cpus.n[i] < CPU_SETSIZE)
			CPU_SET(profile->target.cpus.n[i], &cpus);
	if (sched_getaffinity(0, sizeof(*before), before) ||
	    (profile->target.cpus.nr && sched_setaffinity(0, sizeof(cpus), &cpus))) {
		error("cannot run on CPUs %s: %s", profile->target.cpu_list, strerror(errno));
		return -errno;
	}
	return 0;
}

/**
 * profile_keep_empty - keep the lowest mean of a batch of runs of the empty program
 * @empty: lowest mean of each event so far; NAN if there is none yet
 * @a: totals before the batch
 * @b: totals after the batch, which must have runs
 * @nr: number of events
 *
 * Ignores events that were multiplexed, because they missed some of the runs.
 */
void profile_keep_empty(double *empty, const struct profile_totals *a,
			const struct profile_totals *b, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct profile_sum *from = &a->sum[i], *to = &b->sum[i];
		double mean = (double)(to->raw - from->raw) / (b->runs - a->runs);

		if (to->flags & PERFGRP_VALUE_FAILED ||
		    to->running - from->running != to->enabled - from->enabled)
			continue;
		if (isnan(empty[i]) || mean < empty[i])
			empty[i] = mean;
	}
}

static int measure_batches(struct profile *profile)
{
	struct profile_totals before, after;
	unsigned int i;
	int err;

	for (i = 0; i < PROFILE_EVENTS; i++)
		profile->empty[i] = NAN;
	err = profile_probe_read(&profile->probe, &before);
	for (i = 0; i < EMPTY_BATCHES && !err; i++) {
		err = profile_probe_run_empty(&profile->probe, EMPTY_RUNS);
		if (!err)
			err = profile_probe_read(&profile->probe, &after);
		if (!err && after.runs == before.runs) {
			error("cannot read the group from an empty BPF program: %s",
			      strerror(-after.error));
			err = -EIO;
		}
		if (!err)
			profile_keep_empty(profile->empty, &before, &after,
					   profile->probe.nr_events);
		before = after;
	}
	return err;
}

/* Measures the overhead: what a run counts even if the program does nothing. */
static int measure_empty(struct profile *profile)
{
	cpu_set_t before;
	int err, ret;

	err = go_to_cpus(profile, &before);
	if (err)
		return err;
	err = profile_probe_attach(&profile->probe, true);
	if (!err) {
		err = profile_probe_count(&profile->probe, true);
		if (!err)
			err = measure_batches(profile);
		ret = profile_probe_count(&profile->probe, false);
		if (!err)
			err = ret;
		profile_probe_detach(&profile->probe);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return err;
}

/* ---- main flow ---------------------------------------------------------------- */

static void subtract(struct profile_totals *totals, const struct profile_totals *before)
{
	size_t i;

	totals->runs -= before->runs;
	totals->unmatched -= before->unmatched;
	totals->elsewhere -= before->elsewhere;
	totals->failed -= before->failed;
	for (i = 0; i < PROFILE_EVENTS; i++) {
		totals->sum[i].raw -= before->sum[i].raw;
		totals->sum[i].enabled -= before->sum[i].enabled;
		totals->sum[i].running -= before->sum[i].running;
	}
}

/* Starts counting. What the empty program counted before is not printed. */
static int begin(struct profile *profile)
{
	int err = profile_probe_read(&profile->probe, &profile->last);

	if (!err)
		err = profile_probe_missed(&profile->probe, &profile->last_missed);
	if (!err)
		err = profile_probe_count(&profile->probe, true);
	profile->start = ending_now();
	profile->last_end = profile->start;
	return err;
}

/* Prints what was counted since the last call. */
static int print(struct profile *profile, __u64 time)
{
	struct profile_totals totals, since;
	__u64 missed;
	int err;

	err = profile_probe_read(&profile->probe, &totals);
	if (!err)
		err = profile_probe_missed(&profile->probe, &missed);
	if (err)
		return err;
	since = totals;
	subtract(&since, &profile->last);
	profile->end = time;
	profile_print(profile, &since, missed - profile->last_missed);
	profile->last = totals;
	profile->last_missed = missed;
	profile->last_end = time;
	profile->printed++;
	return flush_output(profile->out, profile->file ? profile->file : "standard error");
}

static bool enough_intervals(const struct profile *profile)
{
	return profile->interval_count && profile->printed >= profile->interval_count;
}

static int count(struct profile *profile, struct ending *ending)
{
	const __u64 interval = profile->interval * NSEC_PER_MSEC;
	__u64 next = interval ? profile->start + interval : ENDING_NEVER;
	__u64 end = profile->timeout ? profile->start + profile->timeout * NSEC_PER_MSEC :
				       ENDING_NEVER;

	for (;;) {
		__u64 time;
		int err;

		if (ending_wait(ending, ending_earlier(next, end)))
			return 0;
		time = ending_now();
		if (time >= next) {
			err = print(profile, time);
			if (err || enough_intervals(profile))
				return err;
			/* If whole intervals were missed, print one long interval. */
			next += (time - next) / interval * interval + interval;
		}
		if (time >= end)
			return 0;
	}
}

/**
 * profile_run_until_end - count and print until the end
 * @profile: with its programs loaded
 * @ending: when to end
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_run_until_end(struct profile *profile, struct ending *ending)
{
	bool ended = false;
	int err, ret;

	err = ending_prepare_command(ending, &profile->target, STDOUT_FILENO);
	if (err)
		return err;
	err = profile_probe_attach(&profile->probe, false);
	if (!err && !profile->delay)
		err = begin(profile);
	if (err) {
		workload_cancel(&ending->w);
		return err;
	}
	err = ending_start_command(ending);
	if (err)
		return err;
	if (profile->delay) {
		ended = ending_delay(ending, profile->delay);
		err = begin(profile);
	}
	if (!err && !ended)
		err = count(profile, ending);
	ret = profile_probe_count(&profile->probe, false);
	profile->end = ending_now();
	profile_probe_detach(&profile->probe);
	ending_stop_command(ending);
	if (err || ret)
		return err ? err : ret;
	/* The last, possibly partial interval. */
	return enough_intervals(profile) ? 0 : print(profile, profile->end);
}

static int run_all(struct profile *profile, struct ending *ending)
{
	__u64 handle;
	int err, fd;

	err = profile_group_open(profile, &handle);
	if (!err)
		err = check_privilege();
	if (err)
		return err;
	fd = open_program(profile);
	if (fd < 0)
		return fd;
	err = profile_probe_load(&profile->probe, handle, profile->events.groups[0].nr, fd,
				 &profile->info);
	close(fd);
	if (!err)
		err = measure_empty(profile);
	if (!err)
		err = profile_run_until_end(profile, ending);
	profile_probe_close(&profile->probe);
	return err;
}

static int open_output(struct profile *profile)
{
	profile->out = profile->file ? fopen(profile->file, "we") : stderr;
	if (profile->out)
		return 0;
	error("cannot write to %s: %s", profile->file, strerror(errno));
	return -errno;
}

/**
 * profile_run - profile a program until the end
 * @profile: the command line
 *
 * Return: the exit status. If a signal ended the run, the process kills itself with it instead.
 */
int profile_run(struct profile *profile)
{
	struct ending ending;
	int err;

	if (open_device(profile) || open_output(profile) ||
	    ending_begin(&ending))
		return EXIT_FAILED;
	err = run_all(profile, &ending);
	perfgrp_group_close(profile->group);
	if (profile->file && fclose(profile->out)) {
		error("cannot write to %s", profile->file);
		err = -EIO;
	}
	if (err)
		return EXIT_FAILED;
	ending_finish(&ending);
	return ending_status(&ending, &profile->target);
}
