/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * For programs that are to be counted in parts:
 *
 *	perfgrp_mark_begin();
 *	... what is to be counted ...
 *	perfgrp_mark_end();
 *
 *	perfgrp stat -D -1 --control self -e ... PROGRAM
 *
 * Nothing is linked. Run by anything else the program does what it does without them. What carries
 * the commands is in the environment: PERFGRP_CONTROL is "N,N", the file descriptors that commands
 * go to and answers come from, so that perf serves as well (perf stat -D -1 --control fd:N,N).
 * To be used by one thread at a time.
 */
#ifndef PERFGRP_MARK_H
#define PERFGRP_MARK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * perfgrp_mark - have whoever counts this program do something
 * @command: "enable", "disable", "snapshot", "reset", "ping" or "stop"
 *
 * Return: 0 once it has been done; -1 with errno set: ENOENT where nobody counts by marks
 */
static inline int perfgrp_mark(const char *command)
{
	const char *fds = getenv("PERFGRP_CONTROL");
	int to, from, len;
	char text[64], c = 0;

	if (!fds || sscanf(fds, "%d,%d", &to, &from) != 2) {
		errno = ENOENT;
		return -1;
	}
	len = snprintf(text, sizeof(text), "%.60s\n", command);
	if (write(to, text, (size_t)len) != len)
		return -1;
	/* "ack\n" */
	do {
		ssize_t got = read(from, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got != 1)
			return -1;
	} while (c != '\n');
	return 0;
}

/**
 * perfgrp_mark_begin - count from here on
 *
 * Return: as perfgrp_mark()
 */
static inline int perfgrp_mark_begin(void)
{
	return perfgrp_mark("enable");
}

/**
 * perfgrp_mark_end - count no longer
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
