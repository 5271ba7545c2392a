/* SPDX-License-Identifier: GPL-2.0 */
/* --control: another program says when to count, as it does to perf. */
#ifndef PERFGRP_CONTROL_H
#define PERFGRP_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum control_command {
	CONTROL_NONE,		/* nothing has come, or not all of it */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,	/* print what has been counted */
	CONTROL_RESET,		/* begin again from zero */
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
	CONTROL_CLOSED,		/* nothing will come any more */
};

/**
 * struct control - where commands come from
 * @fd: that is where; -1 if nobody is to say anything
 * @ack: where "ack" goes when a command has been obeyed, or -1
 * @own: both are to be closed
 * @self: they are pipes to and from the command, a pair for each run
 * @theirs: the command's ends, while they are open
 * @text: the command so far
 * @len: its length
 */
struct control {
	int fd;
	int ack;
	bool own;
	bool self;
	int theirs[2];
	char text[64];
	size_t len;
};

int control_open(struct control *control, const char *where);
bool control_obey(struct control *control, int (*obey)(void *arg, enum control_command command),
		  void *arg, int *err);
int control_begin_run(struct control *control);
void control_end_run(struct control *control);
void control_close(struct control *control);

#endif /* PERFGRP_CONTROL_H */
