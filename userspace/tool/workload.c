// SPDX-License-Identifier: GPL-2.0
/* The command to count: a child process that waits before it executes the command. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* In the child: wait for workload_start(), then execute the command. */
__attribute__((noreturn))
static void child(int go, int failed, char **command, const sigset_t *signals, int out)
{
	char byte;
	int err;

	/* No byte: the parent has cancelled the command, or has exited. */
	if (read(go, &byte, 1) != 1)
		_exit(0);
	if (out != STDOUT_FILENO)
		dup2(out, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execvp(command[0], command);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/**
 * workload_prepare - create the process that will execute the command
 * @w: filled in
 * @command: the command and its arguments, ended by NULL
 * @signals: mask of blocked signals for the command
 * @out: file descriptor for its standard output
 *
 * Return: 0 or a negative errno
 */
int workload_prepare(struct workload *w, char **command, const sigset_t *signals,
		     int out)
{
	int go[2], failed[2], err;

	memset(w, 0, sizeof(*w));
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		err = -errno;
		goto close_go;
	}
	w->pid = fork();
	if (w->pid < 0) {
		err = -errno;
		w->pid = 0;
		goto close_failed;
	}
	if (!w->pid) {
		close(go[1]);
		close(failed[0]);
		child(go[0], failed[1], command, signals, out);
	}
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	return 0;

close_failed:
	close(failed[0]);
	close(failed[1]);
close_go:
	close(go[0]);
	close(go[1]);
	return err;
}

/**
 * workload_start - execute the command
 * @w: the workload
 *
 * Return: 0 once it has been executed, or a negative errno if it cannot be
 */
int workload_start(struct workload *w)
{
	int err = 0;

	if (write(w->go, "", 1) != 1)
		err = errno;
	close(w->go);
	/* A successful exec closes the other end, so end-of-file means success. */
	if (!err && read(w->failed, &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(w->failed);
	return -err;
}

/**
 * workload_reap - check whether the command has exited
 * @w: the workload
 * @block: wait until it has
 */
void workload_reap(struct workload *w, bool block)
{
	pid_t pid;

	if (!w->pid || w->exited)
		return;
	do {
		pid = wait4(w->pid, &w->status, block ? 0 : WNOHANG, &w->usage);
	} while (pid < 0 && errno == EINTR);
	/* An error means that the child no longer exists. */
	w->exited = pid != 0;
}

/**
 * workload_cancel - end the child without executing the command
 * @w: the workload, prepared and not started
 */
void workload_cancel(struct workload *w)
{
	if (!w->pid)
		return;
	close(w->go);
	close(w->failed);
	workload_reap(w, true);
}

/**
 * workload_shell - run a shell command, and wait for it
 * @command: the command
 * @signals: mask of blocked signals for it
 *
 * Unlike system(3) this leaves the handling of signals in this process as it is.
 *
 * Return: its wait status, or a negative errno
 */
int workload_shell(const char *command, const sigset_t *signals)
{
	int status = 0;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		sigprocmask(SIG_SETMASK, signals, NULL);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/* The exit status of the command; 128 plus the signal that killed it, as in sh. */
int workload_exit_status(const struct workload *w, char **command)
{
	if (!w->pid)
		return 0;
	if (WIFSIGNALED(w->status)) {
		psignal(WTERMSIG(w->status), command[0]);
		return 128 + WTERMSIG(w->status);
	}
	return WEXITSTATUS(w->status);
}
