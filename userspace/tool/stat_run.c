// SPDX-License-Identifier: GPL-2.0
/* Counting from beginning to end: the command, the clock, and signals. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "ending.h"
#include "stat.h"

/* Interval of the check for exited tasks that are not our children, and for removed cgroups. */
#define EXIT_CHECK	(100 * NSEC_PER_MSEC)

/**
 * struct run - one run of counting
 * @st: what is counted
 * @ending: when to end
 * @origin: when counting began, in ns of CLOCK_MONOTONIC
 * @start: the same, or when --control has last reset the counts
 * @last: when the last interval ended
 * @on_since: since when the groups are enabled, or 0 while they are not
 * @on: how long they were enabled before that, in ns
 * @on_last: how long by the end of the last interval
 * @intervals: how many intervals have been printed
 * @length: length of the run, in ns
 */
struct run {
	struct stat_cmd *st;
	struct ending ending;
	__u64 origin;
	__u64 start;
	__u64 last;
	__u64 on_since;
	__u64 on;
	__u64 on_last;
	unsigned int intervals;
	__u64 length;
};

static void reset_clocks(struct run *run, bool on)
{
	run->start = ending_now();
	run->last = run->start;
	run->on_since = on ? run->start : 0;
	run->on = 0;
	run->on_last = 0;
}

/* Starts the clocks, when counting begins. */
static void start_clocks(struct run *run, bool on)
{
	reset_clocks(run, on);
	run->origin = run->start;
}

/* How long the groups have been enabled by a time. */
static __u64 time_on(const struct run *run, __u64 time)
{
	return run->on + (run->on_since ? time - run->on_since : 0);
}

static int enable(struct run *run)
{
	int err = stat_enable(run->st);

	if (!run->on_since)
		run->on_since = ending_now();
	return err;
}

static int disable(struct run *run)
{
	int err = stat_disable(run->st);

	run->on = time_on(run, ending_now());
	run->on_since = 0;
	return err;
}

/* The times of a cgroup count only while it runs, so one that has not run has none. */
static bool cell_was_enabled(const struct stat_cell *cell)
{
	return cell->enabled || cell->flags & PERFGRP_VALUE_ABSENT;
}

static bool was_enabled(const struct stat_cmd *st)
{
	size_t i, j, k;

	for (i = 0; i < st->nr_groups; i++)
		for (j = 0; j < st->list.groups[i].nr; j++)
			for (k = 0; k < st->groups[i].events[j].last.nr; k++)
				if (cell_was_enabled(&st->groups[i].events[j].last.cells[k]))
					return true;
	return false;
}

/*
 * Reads and prints the counts of an interval. Prints nothing at the end if no counter was enabled
 * since the last interval.
 */
static int print_interval(struct run *run, __u64 time, bool end)
{
	struct stat_cmd *st = run->st;
	int err = stat_collect(st);

	if (err || (end && run->intervals && !was_enabled(st)))
		return err;
	st->timestamp = time - run->origin;
	st->length = time - run->last;
	st->elapsed = time_on(run, time) - run->on_last;
	run->last = time;
	run->on_last += st->elapsed;
	run->intervals++;
	stat_print(st);
	return 0;
}

/* --control snapshot: prints what has been counted so far. */
static int print_snapshot(struct run *run)
{
	struct stat_cmd *st = run->st;
	__u64 now;
	int err;

	if (st->opt.interval)
		return print_interval(run, ending_now(), false);
	err = stat_collect(st);
	if (err)
		return err;
	now = ending_now();
	st->length = now - run->start;
	st->elapsed = time_on(run, now);
	st->so_far = true;
	stat_print(st);
	st->so_far = false;
	return 0;
}

static int begin_again(struct run *run)
{
	int err = stat_reset(run->st);

	stat_forget_intervals(run->st);
	reset_clocks(run, run->on_since);
	return err;
}

/* Obeys a command of --control. Returns 0, or a negative errno after printing an error. */
static int obey(void *arg, enum control_command command)
{
	struct run *run = arg;

	switch (command) {
	case CONTROL_ENABLE:
		return enable(run);
	case CONTROL_DISABLE:
		return disable(run);
	case CONTROL_SNAPSHOT:
		return print_snapshot(run);
	case CONTROL_RESET:
		return begin_again(run);
	default:
		return 0;
	}
}

/* Obeys all pending commands of --control. Returns true on stop or failure. */
static bool obey_all(struct run *run, int *err)
{
	bool end = control_obey(&run->st->control, obey, run, err);

	run->ending.other_fd = run->st->control.fd;
	return end;
}

/* Sleeps before counting begins. Returns true if something has ended it meanwhile. */
static bool delay(struct run *run, unsigned int ms, int *err)
{
	__u64 until = run->start + ms * NSEC_PER_MSEC;

	while (ending_now() < until)
		if (ending_wait(&run->ending, until) || obey_all(run, err))
			return true;
	return false;
}

/* Returns true if all tasks have exited or all cgroups were removed, and no command is running. */
static bool nothing_left(struct run *run)
{
	struct stat_cmd *st = run->st;
	bool left;

	if (cgroups_named(&st->cgroups))
		left = !stat_cgroups_removed(st);
	else
		left = st->target.kind != TARGET_TASKS || run->ending.w.pid ||
		       !stat_tasks_exited(st);
	return !left && !run->ending.w.pid;
}

/* Intervals that were ended by --control snapshot count, too. */
static bool enough_intervals(const struct run *run)
{
	const unsigned int wanted = run->st->opt.interval_count;

	return wanted && run->intervals >= wanted;
}

/* Counts until the command or the tasks have exited, the time is up, or a signal arrives. */
static int count(struct run *run)
{
	const struct stat_options *opt = &run->st->opt;
	bool watch = cgroups_named(&run->st->cgroups) ||
		     (run->st->target.kind == TARGET_TASKS && !run->ending.w.pid);
	__u64 interval = opt->interval * NSEC_PER_MSEC;
	__u64 next = interval ? run->start + interval : ENDING_NEVER;
	__u64 end = opt->timeout ? run->start + opt->timeout * NSEC_PER_MSEC : ENDING_NEVER;

	for (;;) {
		__u64 until = ending_earlier(next, end), time;
		int err;

		if (watch)
			until = ending_earlier(until, ending_now() + EXIT_CHECK);
		if (ending_wait(&run->ending, until))
			return 0;
		err = 0;
		if (obey_all(run, &err) || enough_intervals(run))
			return err;
		if (watch && nothing_left(run))
			return 0;

		time = ending_now();
		if (time >= end)
			return 0;
		if (time < next)
			continue;
		err = print_interval(run, time, false);
		if (err || enough_intervals(run))
			return err;
		/* Intervals that were missed are merged into one long interval. */
		next += (time - next) / interval * interval + interval;
	}
}

/* Ends the command, if it is still running, and reads its times. */
static void end_command(struct run *run)
{
	const struct rusage *usage = &run->ending.w.usage;
	struct stat_cmd *st = run->st;

	control_end_run(&st->control);
	run->ending.other_fd = st->control.fd;
	ending_stop_command(&run->ending);
	if (st->target.kind == TARGET_COMMAND && st->opt.runs <= 1) {
		st->user = usage->ru_utime.tv_sec + usage->ru_utime.tv_usec / 1e6;
		st->sys = usage->ru_stime.tv_sec + usage->ru_stime.tv_usec / 1e6;
	}
}

/* Creates the groups, and starts counting and the command. */
static int begin(struct run *run)
{
	struct stat_cmd *st = run->st;
	int err;

	err = control_begin_run(&st->control);
	if (err)
		return err;
	run->ending.other_fd = st->control.fd;
	err = ending_prepare_command(&run->ending, &st->target, STDOUT_FILENO);
	if (err)
		return err;
	err = stat_open(st);
	if (err)
		goto cancel;
	if (!st->opt.delay && !st->opt.wait && !stat_enables_on_exec(st)) {
		err = stat_enable(st);
		if (err)
			goto close;
	}
	start_clocks(run, !st->opt.delay && !st->opt.wait);
	err = ending_start_command(&run->ending);
	if (err)
		stat_close(st);
	return err;

close:
	stat_close(st);
cancel:
	workload_cancel(&run->ending.w);
	return err;
}

/*
 * Runs a command of --pre or --post. Signals stay pending meanwhile; if one has ended the command,
 * too, that is no error. Returns 0, or a negative errno after printing an error.
 */
static int run_beside(struct run *run, const char *option, const char *command)
{
	int status;

	if (!command)
		return 0;
	status = workload_shell(command, &run->ending.mask);
	if (!status || (status > 0 && WIFSIGNALED(status) && ending_signalled(&run->ending)))
		return 0;
	if (status < 0)
		error("%s: cannot run '%s': %s", option, command, strerror(-status));
	else
		error("%s: '%s' has failed (status %d)", option, command,
		      WIFEXITED(status) ? WEXITSTATUS(status) : status);
	return -EINVAL;
}

/* One run from beginning to end; returns 0 or a negative errno. */
static int run_once(struct run *run)
{
	struct stat_cmd *st = run->st;
	bool ended = false;
	__u64 end;
	int err, ret;

	err = begin(run);
	if (err)
		return err;
	if (st->opt.delay) {
		ended = delay(run, st->opt.delay, &err);
		if (!err)
			err = stat_enable(st);
		start_clocks(run, true);
	}
	if (!err && !ended)
		err = count(run);

	ret = disable(run);
	end = ending_now();
	if (!err)
		err = ret;
	end_command(run);
	if (cgroups_named(&st->cgroups))
		stat_cgroups_removed(st);
	run->length = end - run->start;
	st->length = run->length;
	st->elapsed = run->on;
	if (!err && !st->opt.interval)
		err = stat_collect(st);
	else if (!err && !enough_intervals(run))
		err = print_interval(run, end, true);
	stat_close(st);
	return err;
}

/*
 * All runs, with --pre, --sync and --post. Sets @status to that of the last run that was counted.
 * Returns how many were; sets @err if something has failed after that: it ends counting, but they
 * stay counted.
 */
static unsigned int run_all(struct run *run, int *status, int *err)
{
	struct stat_cmd *st = run->st;
	unsigned int i;

	*err = 0;
	for (i = 0; (i < st->opt.runs || !st->opt.runs) && !*err; i++) {
		if (ending_signalled(&run->ending))
			break;
		*err = run_beside(run, "--pre", st->opt.pre);
		if (*err || ending_signalled(&run->ending))
			break;
		if (st->opt.sync)
			sync();
		*err = run_once(run);
		if (*err)
			break;
		*err = run_beside(run, "--post", st->opt.post);
		*status = ending_status(&run->ending, &st->target);
		/* A run that was ended by a signal is incomplete: leave it out of the means. */
		if (st->opt.runs > 1 && (!run->ending.signal || !i))
			stat_add_run(st);
		else if (!st->opt.runs)
			stat_print(st);
	}
	return i;
}

/**
 * stat_run - count, and print what was counted
 * @st: all set up, except the groups; its output is closed
 *
 * If something fails, the runs before it are printed nevertheless.
 *
 * Return: the exit status. If a signal ended counting, it also ends the process.
 */
int stat_run(struct stat_cmd *st)
{
	struct run run = { .st = st };
	int status = 0, err;

	err = ending_begin(&run.ending);
	if (err || !run_all(&run, &status, &err))
		goto failed;
	if (stat_has_summary(st)) {
		stat_sum_up(st);
		st->summing_up = true;
		st->length = run.length;
		st->elapsed = run.on;
	}
	if (!stat_is_interval(st) && st->opt.runs)
		stat_print(st);
	/* Before the signal ends the process. */
	if (stat_close_output(st) || err)
		return EXIT_FAILED;
	ending_finish(&run.ending);
	return status;

failed:
	/* Without an error, a signal has come before the first run. */
	if (!stat_close_output(st) && !err)
		ending_finish(&run.ending);
	return EXIT_FAILED;
}
