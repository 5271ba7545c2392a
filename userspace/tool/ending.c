// SPDX-License-Identifier: GPL-2.0
/* What ends a command that runs until something does: signals, time, a child. */
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "ending.h"
#include "util.h"

#define NSEC_PER_SEC	1000000000ULL

/**
 * ending_begin - from here on, signals wait
 * @e: filled in
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int ending_begin(struct ending *e)
{
	int err;

	memset(e, 0, sizeof(*e));
	/* Whoever ignores it gets none. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&e->signals);
	sigaddset(&e->signals, SIGINT);
	sigaddset(&e->signals, SIGTERM);
	sigaddset(&e->signals, SIGHUP);
	sigaddset(&e->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &e->signals, &e->mask);
	e->timer_fd = -1;
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
 * ending_set_time - end after some time
 * @e: begun
 * @ns: how long from now on; 0 for ever
 */
void ending_set_time(struct ending *e, __u64 ns)
{
	const struct itimerspec when = {
		.it_value = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC },
	};

	timerfd_settime(e->timer_fd, 0, &when, NULL);
}

/*
 * A signal: returns true if it is the end. One from the terminal has gone to the command
 * as well, and the end is when the command's is; unless it comes twice.
 */
static bool ends(struct ending *e, const struct signalfd_siginfo *info)
{
	bool again = e->signal;

	if (info->ssi_signo == SIGCHLD) {
		workload_reap(&e->w, false);
		return e->w.exited;
	}
	e->signal = info->ssi_signo;
	return !e->w.pid || again || info->ssi_code <= 0;
}

/* Returns true once the end has come; does not wait for it. */
bool ending_has_come(struct ending *e)
{
	struct signalfd_siginfo info;
	__u64 times;

	while (read(e->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (ends(e, &info))
			return true;
	return read(e->timer_fd, &times, sizeof(times)) == sizeof(times);
}

/* Ends the command if it has not ended by itself. */
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

/**
 * ending_finish - signals do again what they did before
 * @e: begun
 *
 * The signal that was the end ends the process: whoever has sent it is to see that it
 * was heeded.
 */
void ending_finish(struct ending *e)
{
	close(e->signal_fd);
	close(e->timer_fd);
	if (e->signal) {
		signal(e->signal, SIG_DFL);
		raise(e->signal);
	}
	sigprocmask(SIG_SETMASK, &e->mask, NULL);
}
