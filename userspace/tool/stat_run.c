// SPDX-License-Identifier: GPL-2.0
/* Counting from beginning to end: the command, the clock, and signals. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "stat.h"
#include "workload.h"

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
/* How often to look whether tasks that are not our children have exited. */
#define EXIT_CHECK	(100 * NSEC_PER_MSEC)
#define NEVER		(~0ULL)

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static __u64 earlier(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/**
 * struct run - one run of counting
 * @st: what is counted
 * @signals: the signals to wait for, which are blocked
 * @w: the command
 * @start: when counting began, in ns of CLOCK_MONOTONIC
 * @last: when the last interval ended
 * @intervals: how many intervals have been printed
 * @signal: the last signal that asks to end, or 0
 * @killed: the command was ended by us
 */
struct run {
	struct stat_cmd *st;
	sigset_t signals;
	struct workload w;
	__u64 start;
	__u64 last;
	unsigned int intervals;
	int signal;
	bool killed;
};

/* Reads and prints what was counted since the last time. */
static int print_interval(struct run *run, __u64 time)
{
	struct stat_cmd *st = run->st;
	int err = stat_collect(st);

	if (err)
		return err;
	st->timestamp = time - run->start;
	st->elapsed = time - run->last;
	run->last = time;
	run->intervals++;
	stat_print(st);
	return 0;
}

/*
 * A signal: returns true if it ends counting. One from the terminal has gone to the
 * command as well, and counting ends when the command does; unless it comes twice.
 */
static bool ends(struct run *run, const siginfo_t *info)
{
	bool again = run->signal;

	if (info->si_signo == SIGCHLD) {
		workload_reap(&run->w, false);
		return run->w.exited;
	}
	run->signal = info->si_signo;
	return !run->w.pid || again || info->si_code <= 0;
}

/* Sleeps until some time, or until a signal; returns the signal or a negative value. */
static int wait_for_signal(const struct run *run, __u64 until, siginfo_t *info)
{
	struct timespec ts = { 0 };
	__u64 time = now();

	if (until == NEVER)
		return sigwaitinfo(&run->signals, info);
	if (until > time) {
		ts.tv_sec = (until - time) / NSEC_PER_SEC;
		ts.tv_nsec = (until - time) % NSEC_PER_SEC;
	}
	return sigtimedwait(&run->signals, info, &ts);
}

/* Sleeps before counting begins; returns true if that is the end already. */
static bool delay(struct run *run, unsigned int ms)
{
	__u64 until = run->start + ms * NSEC_PER_MSEC;

	while (now() < until) {
		siginfo_t info;

		if (wait_for_signal(run, until, &info) > 0 && ends(run, &info))
			return true;
	}
	return false;
}

/* Counts until the command, the tasks, the time or the user's patience is at its end. */
static int count(struct run *run)
{
	const struct stat_options *opt = &run->st->opt;
	bool watch = run->st->target.kind == TARGET_TASKS && !run->w.pid;
	__u64 interval = opt->interval * NSEC_PER_MSEC;
	__u64 next = interval ? run->start + interval : NEVER;
	__u64 end = opt->timeout ? run->start + opt->timeout * NSEC_PER_MSEC : NEVER;

	for (;;) {
		__u64 until = earlier(next, end), time;
		siginfo_t info;
		int err;

		if (watch)
			until = earlier(until, now() + EXIT_CHECK);
		if (wait_for_signal(run, until, &info) > 0 && ends(run, &info))
			return 0;
		if (watch && stat_tasks_exited(run->st))
			return 0;

		time = now();
		if (time >= end)
			return 0;
		if (time < next)
			continue;
		err = print_interval(run, time);
		if (err || run->intervals == opt->interval_count)
			return err;
		/* Intervals that have been missed altogether are one long one. */
		next += (time - next) / interval * interval + interval;
	}
}

/* The command is to end, if it has not done so by itself. */
static void end_workload(struct run *run)
{
	struct stat_cmd *st = run->st;

	if (!run->w.pid)
		return;
	workload_reap(&run->w, false);
	if (!run->w.exited) {
		kill(run->w.pid, SIGTERM);
		run->killed = true;
	}
	workload_reap(&run->w, true);
	if (st->target.kind == TARGET_COMMAND && st->opt.runs == 1) {
		st->user = run->w.usage.ru_utime.tv_sec + run->w.usage.ru_utime.tv_usec / 1e6;
		st->sys = run->w.usage.ru_stime.tv_sec + run->w.usage.ru_stime.tv_usec / 1e6;
	}
}

/* Makes the groups and lets everything start. */
static int begin(struct run *run, const sigset_t *mask)
{
	struct stat_cmd *st = run->st;
	int err;

	if (st->target.command) {
		err = workload_prepare(&run->w, st->target.command, mask, STDOUT_FILENO);
		if (err) {
			error("cannot make a process: %s", strerror(-err));
			return err;
		}
		if (st->target.kind == TARGET_COMMAND) {
			numbers_free(&st->target.tasks);
			numbers_add(&st->target.tasks, run->w.pid);
		}
	}
	err = stat_open(st);
	if (err)
		goto cancel;
	if (!st->opt.delay && !stat_enables_on_exec(st)) {
		err = stat_enable(st);
		if (err)
			goto close;
	}
	run->start = now();
	run->last = run->start;
	if (run->w.pid) {
		err = workload_start(&run->w);
		if (err) {
			fprintf(stderr, "Workload failed: %s\n", strerror(-err));
			workload_reap(&run->w, true);
			stat_close(st);
			return err;
		}
	}
	return 0;

close:
	stat_close(st);
cancel:
	workload_cancel(&run->w);
	return err;
}

/* One run from beginning to end; returns 0 or a negative errno. */
static int run_once(struct run *run, const sigset_t *mask)
{
	struct stat_cmd *st = run->st;
	bool ended = false;
	__u64 end;
	int err, ret;

	memset(&run->w, 0, sizeof(run->w));
	err = begin(run, mask);
	if (err)
		return err;
	if (st->opt.delay) {
		ended = delay(run, st->opt.delay);
		err = stat_enable(st);
		run->start = now();
		run->last = run->start;
	}
	if (!err && !ended)
		err = count(run);

	ret = stat_disable(st);
	end = now();
	if (!err)
		err = ret;
	end_workload(run);
	st->elapsed = end - run->start;
	if (!err && !st->opt.interval)
		err = stat_collect(st);
	else if (!err && (!run->intervals || run->intervals != st->opt.interval_count))
		err = print_interval(run, end);
	stat_close(st);
	return err;
}

/**
 * stat_run - count, and print what was counted
 * @st: all set up, but for the groups
 *
 * Return: what to exit with. A signal that has ended counting ends the process.
 */
int stat_run(struct stat_cmd *st)
{
	struct run run = { .st = st };
	sigset_t mask;
	unsigned int i;
	int status = 0;

	/* Whoever ignores it gets none. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&run.signals);
	sigaddset(&run.signals, SIGINT);
	sigaddset(&run.signals, SIGTERM);
	sigaddset(&run.signals, SIGHUP);
	sigaddset(&run.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &run.signals, &mask);

	for (i = 0; i < st->opt.runs && !run.signal; i++) {
		if (run_once(&run, &mask))
			return EXIT_FAILED;
		status = run.killed ? 0 : workload_exit_status(&run.w, st->target.command);
		stat_add_run(st);
	}
	if (!st->opt.interval)
		stat_print(st);
	if (run.signal) {
		/* Whoever has sent it is to see that it was heeded. */
		fclose(st->out);
		signal(run.signal, SIG_DFL);
		raise(run.signal);
		sigprocmask(SIG_UNBLOCK, &run.signals, NULL);
	}
	return status;
}
