/* SPDX-License-Identifier: GPL-2.0 */
/* Find the processes that hold fds of groups, or of events of perf_event_open(2). */
#ifndef PERFGRP_HOLDERS_H
#define PERFGRP_HOLDERS_H

#include "util.h"

/* Link targets of such fds in /proc/PID/fd. */
#define HOLDERS_GROUP	"anon_inode:[perfgrp]"
#define HOLDERS_EVENT	"anon_inode:[perf_event]"

/**
 * struct holder - a file descriptor of a process
 * @pid: the process
 * @fd: its file descriptor
 */
struct holder {
	unsigned int pid;
	unsigned int fd;
};

typedef void (*holders_fn)(void *arg, const struct holder *holder, const char *link);

int holders_read_link(const char *path, char *link, size_t size);
unsigned int holders_find(holders_fn fn, void *arg);
char *holders_command(const struct holder *holder);

#endif /* PERFGRP_HOLDERS_H */
