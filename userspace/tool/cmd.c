// SPDX-License-Identifier: GPL-2.0
/* What commands have in common. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

/* Opens the device, or says what is needed and returns NULL. */
struct perfgrp_dev *cmd_open_device(void)
{
	struct perfgrp_dev *dev = perfgrp_open();

	if (dev)
		return dev;
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		error("cannot open %s: %s; is the module loaded? (insmod perfgrp.ko)",
		      PERFGRP_DEVICE, strerror(errno));
		break;
	case EACCES:
	case EPERM:
		error("cannot open %s: %s; it is root's, until a udev rule gives it to a group",
		      PERFGRP_DEVICE, strerror(errno));
		break;
	default:
		error("cannot open %s: %s", PERFGRP_DEVICE, strerror(errno));
	}
	return NULL;
}

/* Adds events of a command line, or says what is wrong with them. */
int cmd_add_events(struct event_list *list, const char *text)
{
	struct event_error err;

	if (!events_parse(list, text, NULL, &err))
		return 0;
	fprintf(stderr, "event syntax error: '%s'\n%*s\\___ %s\n", text,
		(int)(strlen("event syntax error: '") + err.column), "", err.text);
	fputs("\nRun 'perfgrp list' for a list of valid events\n", stderr);
	return -EINVAL;
}

/* Reads the number of an option, or says that it is none. */
int cmd_parse_uint(const char *what, const char *text, unsigned int min, unsigned int max,
		   unsigned int *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < min || n > max) {
		error("%s: '%s' is not a number from %u to %u", what, text, min, max);
		return -EINVAL;
	}
	*value = n;
	return 0;
}
