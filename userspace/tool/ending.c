// SPDX-License-Identifier: GPL-2.0
/* Wait for what ends a command: signals, a timeout, the exit of a child. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "ending.h"
#include "util.h"

/* Returns the time in ns of CLOCK_MONOTONIC, for ending_wait(). */
__u64 ending_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Is a signal ignored, as nohup(1) does? */
bool ending_ignores(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

/**
 * ending_begin - block the signals, to receive them by a signalfd
 * @e: filled in
 *
 * An ignored SIGHUP stays ignored, because nohup(1) sets it. SIGINT and SIGTERM are handled even if
 * they were ignored: shells without job control ignore SIGINT for background commands.
 *
 * Return: 0, or a negative errno after printing an error
 */
int ending_begin(struct ending *e)
{
	int err;

	memset(e, 0, sizeof(*e));
	/* An ignored SIGCHLD is never delivered. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&e->signals);
	sigaddset(&e->signals, SIGINT);
	sigaddset(&e->signals, SIGTERM);
	if (!ending_ignores(SIGHUP))
		sigaddset(&e->signals, SIGHUP);
	sigaddset(&e->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &e->signals, &e->mask);
	e->timer_fd = -1;
	e->other_fd = -1;
	e->signal_fd = signalfd(-1, &e->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (e->signal_fd >= 0)
		e->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e->timer_fd >= 0)
		return 0;
	err = -errno;
	error("cannot wait for signals: %s", strerror(-err));
	if (e->signal_fd >= 0)
		close(e->signal_fd);
	sigprocmask(SIG_SETMASK, &e->mask, NULL);
	return err;
}

/**
 * ending_add_signal - also wait for a signal that does not end the command
 * @e: begun
 * @signal: the signal; sets @e->asked each time it is received
 *
 * Return: 0, or a negative errno after printing an error
 */
int ending_add_signal(struct ending *e, int signal)
{
	sigset_t one;
	int err;

	sigemptyset(&one);
	sigaddset(&one, signal);
	sigaddset(&e->signals, signal);
	sigprocmask(SIG_BLOCK, &one, NULL);
	e->asking = signal;
	if (signalfd(e->signal_fd, &e->signals, 0) >= 0)
		return 0;
	err = -errno;
	error("cannot wait for signals: %s", strerror(-err));
	return err;
}

static void set_timer(const struct ending *e, int flags, __u64 ns)
{
	const struct itimerspec when = {
		.it_value = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC },
	};

	timerfd_settime(e->timer_fd, flags, &when, NULL);
}

/**
 * ending_set_time - end after some time
 * @e: begun
 * @ns: how long from now; 0 for no limit
 */
void ending_set_time(struct ending *e, __u64 ns)
{
	set_timer(e, 0, ns);
}

/*
 * Handles a signal; returns true if it is the end. The terminal sends its signals to the counted
 * command too, so after the first one we wait for the command to exit; a second one is the end.
 */
static bool ends(struct ending *e, const struct signalfd_siginfo *info)
{
	bool again = e->signal;

	if (info->ssi_signo == SIGCHLD) {
		workload_reap(&e->w, false);
		return e->w.exited;
	}
	if (e->asking && info->ssi_signo == (__u32)e->asking) {
		e->asked = true;
		return false;
	}
	e->signal = info->ssi_signo;
	return !e->w.pid || again || info->ssi_code <= 0;
}

/* Handles all pending signals; returns true if one of them is the end. */
static bool take_signals(struct ending *e)
{
	struct signalfd_siginfo info;

	while (read(e->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (ends(e, &info))
			return true;
	return false;
}

/* Returns true once a signal has asked to end; does not wait for it. */
bool ending_signalled(struct ending *e)
{
	/* The exit of a child may be pending, too. */
	while (!e->signal && take_signals(e))
		;
	return e->signal;
}

/* Returns true once the end has come; does not wait for it. */
bool ending_has_come(struct ending *e)
{
	__u64 times;

	return take_signals(e) || read(e->timer_fd, &times, sizeof(times)) == sizeof(times);
}

/**
 * ending_wait - sleep until the end, or until a time
 * @e: begun, without ending_set_time()
 * @until: the time in ns of CLOCK_MONOTONIC, or ENDING_NEVER
 *
 * It may return early.
 *
 * Return: true if the end has come
 */
bool ending_wait(struct ending *e, __u64 until)
{
	struct pollfd polls[] = {
		{ .fd = e->signal_fd, .events = POLLIN },
		{ .fd = e->timer_fd, .events = POLLIN },
		{ .fd = e->other_fd, .events = POLLIN },
	};

	/* Do not use poll's timeout, which may be late by 0.1% (timer slack). */
	set_timer(e, TFD_TIMER_ABSTIME, until == ENDING_NEVER ? 0 : until);
	poll(polls, ARRAY_SIZE(polls), -1);
	return take_signals(e);
}

/**
 * ending_delay - sleep before counting begins
 * @e: begun, without ending_set_time()
 * @ms: how long
 *
 * Return: true if the end has already come
 */
bool ending_delay(struct ending *e, unsigned int ms)
{
	const __u64 until = ending_now() + ms * NSEC_PER_MSEC;

	while (ending_now() < until)
		if (ending_wait(e, until))
			return true;
	return false;
}

/**
 * ending_finish - restore the signals
 * @e: begun
 *
 * If a signal was the end, the process kills itself with it, so that its parent sees the signal in
 * the wait status. After a failure this is not called, so that the exit status is that of the
 * failure.
 */
void ending_finish(struct ending *e)
{
	close(e->signal_fd);
	close(e->timer_fd);
	/* Discard one that is still pending. */
	if (e->asking)
		signal(e->asking, SIG_IGN);
	if (e->signal) {
		signal(e->signal, SIG_DFL);
		raise(e->signal);
		sigdelset(&e->mask, e->signal);
	}
	sigprocmask(SIG_SETMASK, &e->mask, NULL);
}

/* ---- the command ----------------------------------------------------------- */

/**
 * ending_prepare_command - fork the target's command, which waits before exec
 * @e: begun
 * @target: if it has no command, nothing is done; if the command is the only target, its task is
 *	filled in
 * @out: file descriptor for the command's standard output
 *
 * It may be called again after ending_stop_command(), for another run of the command.
 *
 * Return: 0, or a negative errno after printing an error
 */
int ending_prepare_command(struct ending *e, struct target *target, int out)
{
	int err;

	if (!target->command)
		return 0;
	e->killed = false;
	err = workload_prepare(&e->w, target->command, &e->mask, out);
	if (err) {
		error("cannot create a process: %s", strerror(-err));
		return err;
	}
	if (target->kind == TARGET_COMMAND) {
		numbers_free(&target->tasks);
		numbers_add(&target->tasks, e->w.pid);
	}
	return 0;
}

/**
 * ending_start_command - let the command run, if there is one
 * @e: after ending_prepare_command()
 *
 * Return: 0, or a negative errno after printing an error
 */
int ending_start_command(struct ending *e)
{
	int err;

	if (!e->w.pid)
		return 0;
	err = workload_start(&e->w);
	if (err) {
		fprintf(stderr, "Workload failed: %s\n", strerror(-err));
		workload_reap(&e->w, true);
	}
	return err;
}

/* Kills the command if it has not exited. */
void ending_stop_command(struct ending *e)
{
	if (!e->w.pid)
		return;
	workload_reap(&e->w, false);
	if (!e->w.exited) {
		kill(e->w.pid, SIGTERM);
		e->killed = true;
	}
	workload_reap(&e->w, true);
}

/* Returns the exit status: the command's, or 0 if we killed it. */
int ending_status(const struct ending *e, const struct target *target)
{
	return e->killed ? 0 : workload_exit_status(&e->w, target->command);
}
