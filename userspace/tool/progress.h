/* SPDX-License-Identifier: GPL-2.0 */
/* Progress of long work, on terminals. */
#ifndef PERFGRP_PROGRESS_H
#define PERFGRP_PROGRESS_H

#include <stdbool.h>

#include <linux/types.h>

/**
 * struct progress - progress of some work
 * @what: what is being done, or NULL if no progress is shown
 * @total: how much there is to do
 * @next: when to print the next line, in ns of CLOCK_MONOTONIC
 * @width: width of the line on the terminal, or 0
 */
struct progress {
	const char *what;
	__u64 total;
	__u64 next;
	int width;
};

void progress_begin(struct progress *progress, const char *what, __u64 total, bool quiet);
void progress_update(struct progress *progress, __u64 done);
void progress_end(struct progress *progress);

#endif /* PERFGRP_PROGRESS_H */
