/* SPDX-License-Identifier: GPL-2.0 */
/* Wait for what ends a command: signals, a timeout, the exit of a child. */
#ifndef PERFGRP_ENDING_H
#define PERFGRP_ENDING_H

#include <signal.h>
#include <stdbool.h>

#include <linux/types.h>

#include "target.h"
#include "workload.h"

#define ENDING_NEVER	(~0ULL)

/**
 * struct ending - waiting for the end
 * @w: the command to wait for; its pid is 0 if there is none
 * @signals: the signals to wait for, which are blocked
 * @mask: the signal mask before
 * @signal_fd: readable when a signal is pending
 * @timer_fd: readable when the time is up
 * @other_fd: also wake up when it is readable; -1 if there is none
 * @signal: the last signal that asked to end, or 0
 * @asking: the signal of ending_add_signal(), or 0
 * @asked: @asking was received
 * @killed: we killed the command, in its last run
 */
struct ending {
	struct workload w;
	sigset_t signals;
	sigset_t mask;
	int signal_fd;
	int timer_fd;
	int other_fd;
	int signal;
	int asking;
	bool asked;
	bool killed;
};

/* The earlier of two times for ending_wait(). */
static inline __u64 ending_earlier(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

__u64 ending_now(void);
bool ending_ignores(int signal);
int ending_begin(struct ending *e);
int ending_add_signal(struct ending *e, int signal);
void ending_set_time(struct ending *e, __u64 ns);
bool ending_signalled(struct ending *e);
bool ending_has_come(struct ending *e);
bool ending_wait(struct ending *e, __u64 until);
bool ending_delay(struct ending *e, unsigned int ms);
void ending_finish(struct ending *e);

int ending_prepare_command(struct ending *e, struct target *target, int out);
int ending_start_command(struct ending *e);
void ending_stop_command(struct ending *e);
int ending_status(const struct ending *e, const struct target *target);

#endif /* PERFGRP_ENDING_H */
