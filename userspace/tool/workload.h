/* SPDX-License-Identifier: GPL-2.0 */
/* The command to count: a child process that waits before it executes the command. */
#ifndef PERFGRP_WORKLOAD_H
#define PERFGRP_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct workload - a command as a child process
 * @pid: the child; 0 if there is none
 * @go: a write starts the command
 * @failed: errno can be read from it if the exec fails
 * @exited: it has exited
 * @status: as from wait(2), once it has exited
 * @usage: its user and system time, once it has exited
 */
struct workload {
	pid_t pid;
	int go;
	int failed;
	bool exited;
	int status;
	struct rusage usage;
};

int workload_prepare(struct workload *w, char **command, const sigset_t *signals,
		     int out);
int workload_start(struct workload *w);
void workload_reap(struct workload *w, bool block);
void workload_cancel(struct workload *w);
int workload_shell(const char *command, const sigset_t *signals);
int workload_exit_status(const struct workload *w, char **command);

#endif /* PERFGRP_WORKLOAD_H */
