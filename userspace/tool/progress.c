// SPDX-License-Identifier: GPL-2.0
/*
 * Progress of long work: a line on standard error that is overwritten, and erased at the end.
 * Only on a terminal, and only for work that takes longer than a second.
 */
#include <stdio.h>
#include <unistd.h>

#include "ending.h"
#include "progress.h"
#include "util.h"

#define FIRST	NSEC_PER_SEC
#define AGAIN	(100 * NSEC_PER_MSEC)

/**
 * progress_begin - begin some work
 * @progress: initialized
 * @what: what is being done
 * @total: how much there is to do
 * @quiet: show nothing
 */
void progress_begin(struct progress *progress, const char *what, __u64 total, bool quiet)
{
	*progress = (struct progress){ .total = total };
	if (quiet || !total || !isatty(STDERR_FILENO))
		return;
	progress->what = what;
	progress->next = ending_now() + FIRST;
}

/**
 * progress_update - show progress if it is time to
 * @progress: the work
 * @done: how much of it is done
 */
void progress_update(struct progress *progress, __u64 done)
{
	__u64 now;

	if (!progress->what)
		return;
	now = ending_now();
	if (now < progress->next)
		return;
	progress->next = now + AGAIN;
	if (done > progress->total)
		done = progress->total;
	progress->width = fprintf(stderr, "\r[ perfgrp record: %s: %3.0f%% ]", progress->what,
				  100.0 * done / progress->total) - 1;
}

/**
 * progress_end - the work is done, or has failed: erase the line
 * @progress: the work
 */
void progress_end(struct progress *progress)
{
	if (progress->width > 0)
		fprintf(stderr, "\r%*s\r", progress->width, "");
	progress->what = NULL;
	progress->width = 0;
}
