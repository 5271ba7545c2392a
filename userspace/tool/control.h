/* SPDX-License-Identifier: GPL-2.0 */
/* --control: another program controls the counting, with perf's protocol. */
#ifndef PERFGRP_CONTROL_H
#define PERFGRP_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum control_command {
	CONTROL_NONE,		/* no complete command yet */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,	/* print what was counted */
	CONTROL_RESET,		/* restart from zero */
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
	CONTROL_CLOSED,		/* end of file */
};

/**
 * struct control - source of commands
 * @fd: where to read commands; -1 without --control
 * @ack: where to write "ack" after each command, or -1
 * @own: close @fd and @ack at the end
 * @self: they are pipes to and from the counted command, a new pair for each run
 * @theirs: the counted command's ends, while they are open
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
