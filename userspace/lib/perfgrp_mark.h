/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * For programs that select which of their parts are counted:
 *
 *	perfgrp_mark_begin();
 *	... the code to count ...
 *	perfgrp_mark_end();
 *
 *	perfgrp stat -D -1 --control self -e ... PROGRAM
 *
 * No library is needed. Unless the program runs under such a command, the functions only fail with
 * ENOENT. The environment variable PERFGRP_CONTROL is "N,N": the file descriptors to write commands
 * to and to read answers from. So perf works too (perf stat -D -1 --control fd:N,N).
 * Only one thread at a time may call the functions. From C99 on; a compiler that is told not to
 * know more than ISO C (-std=c11 instead of gnu11) needs -D_POSIX_C_SOURCE=200809L.
 */
#ifndef PERFGRP_MARK_H
#define PERFGRP_MARK_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * perfgrp_mark - send a command to the tool that counts this program
 * @command: "enable", "disable", "snapshot", "reset", "ping" or "stop"
 *
 * Return: 0 when the command has been carried out; -1 with errno set: ENOENT if no tool takes
 *	commands, EINVAL if the command is unknown, EPIPE if the tool has exited or closed the pipe
 */
static inline int perfgrp_mark(const char *command)
{
	static const char *const commands[] = {
		"enable", "disable", "snapshot", "reset", "ping", "stop",
	};
	const char *fds = getenv("PERFGRP_CONTROL");
	const struct timespec none = { 0, 0 };
	sigset_t pipe_signal, before, pending;
	int to, from, len, err = 0;
	struct stat st[2];
	char text[16], c = 0;
	unsigned int i;
	ssize_t n;

	/* The program may have closed these fds and reused the numbers for other files. */
	if (!fds || sscanf(fds, "%d,%d", &to, &from) != 2 || fstat(to, &st[0]) ||
	    fstat(from, &st[1]) || !S_ISFIFO(st[0].st_mode) || !S_ISFIFO(st[1].st_mode)) {
		errno = ENOENT;
		return -1;
	}
	for (i = 0; i < 6 && strcmp(command, commands[i]); i++)
		;
	if (i == 6) {
		errno = EINVAL;
		return -1;
	}
	len = snprintf(text, sizeof(text), "%s\n", command);

	/* Suppress SIGPIPE: write(2) to a pipe has no MSG_NOSIGNAL. */
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
	if (write(to, text, (size_t)len) != len)
		err = errno ? errno : EIO;
	if (err == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe_signal, NULL, &none) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);

	/* Read the answer, "ack\n". */
	while (!err && c != '\n') {
		n = read(from, &c, 1);
		if (!n)
			err = EPIPE;
		else if (n < 0 && errno != EINTR)
			err = errno;
	}
	errno = err;
	return err ? -1 : 0;
}

/**
 * perfgrp_mark_begin - start counting
 *
 * Return: as perfgrp_mark()
 */
static inline int perfgrp_mark_begin(void)
{
	return perfgrp_mark("enable");
}

/**
 * perfgrp_mark_end - stop counting
 *
 * Return: as perfgrp_mark()
 */
static inline int perfgrp_mark_end(void)
{
	return perfgrp_mark("disable");
}

#ifdef __cplusplus
}
#endif

#endif /* PERFGRP_MARK_H */
