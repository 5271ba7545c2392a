// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Calls the module's ioctls, and fills in errors that it did not describe. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "perf.h"

/*
 * perfgrp_set_error - describe a failure for which there is only an errno
 * @error: what to fill in
 * @err: the errno, positive
 */
void perfgrp_set_error(struct perfgrp_error *error, int err)
{
	char text[sizeof(error->text)];

	memset(error, 0, sizeof(*error));
	error->size = sizeof(*error);
	error->error = err;
	error->member = PERFGRP_NONE;
	error->cpu = -1;
	snprintf(error->text, sizeof(error->text), "%s", strerror_r(err, text, sizeof(text)));
}

/*
 * perfgrp_ioctl - one ioctl, retried when a signal interrupts it
 * @fd: the device or a group
 * @perf: the group with PERFGRP_BACKEND=perf, else NULL
 * @nr: the ioctl
 * @arg: its struct, whose error field points to @error
 * @error: filled in when the call fails, by the module, or else from errno
 *
 * Return: 0 or a negative errno
 */
int perfgrp_ioctl(int fd, struct perf_group *perf, unsigned long nr, void *arg,
		  struct perfgrp_error *error)
{
	int err;

	memset(error, 0, sizeof(*error));
	error->size = sizeof(*error);
	if (perf)
		return perfgrp_perf_call(perf, nr, arg, error);
	do {
		if (ioctl(fd, nr, arg) >= 0)
			return 0;
		err = errno;
	} while (err == EINTR);

	if (error->error != err || !error->text[0])
		perfgrp_set_error(error, err);
	error->field[sizeof(error->field) - 1] = '\0';
	error->text[sizeof(error->text) - 1] = '\0';
	return -err;
}
