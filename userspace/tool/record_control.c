// SPDX-License-Identifier: GPL-2.0
/* When to sample: --delay and --control; shared with "perfgrp bpf attach". */
#include "record.h"

static int enable(struct record *rec)
{
	rec->enable_at = ENDING_NEVER;
	rec->enabled = true;
	return record_each_group(rec, perfgrp_enable);
}

static int disable(struct record *rec)
{
	rec->enable_at = ENDING_NEVER;
	rec->enabled = false;
	return record_each_group(rec, perfgrp_disable);
}

/**
 * record_begin - enable the groups before the command starts, if they are to be enabled then
 * @rec: its groups are open
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_begin(struct record *rec)
{
	rec->enabled = record_enables_on_exec(rec);
	rec->enable_at = ENDING_NEVER;
	return rec->enabled || rec->opt.delay || rec->opt.wait ? 0 : enable(rec);
}

/* The command has started: --delay begins. */
void record_begin_delay(struct record *rec)
{
	if (rec->opt.delay)
		rec->enable_at = ending_now() + rec->opt.delay * NSEC_PER_MSEC;
}

/* Enables the groups if the delay is over. Returns 0, or an errno after printing an error. */
int record_enable_if_due(struct record *rec)
{
	return ending_now() >= rec->enable_at ? enable(rec) : 0;
}

/* Returns the time in ms until @next, a time of CLOCK_MONOTONIC, but at most RECORD_LATENCY. */
int record_timeout(__u64 next)
{
	const __u64 now = ending_now();

	if (next <= now)
		return 0;
	next = (next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	return next < RECORD_LATENCY ? next : RECORD_LATENCY;
}

/**
 * struct obeying - passed to obey()
 * @rec: its groups
 * @snapshot: carries out a snapshot
 * @arg: passed to @snapshot
 */
struct obeying {
	struct record *rec;
	int (*snapshot)(void *arg);
	void *arg;
};

static int obey(void *arg, enum control_command command)
{
	const struct obeying *obeying = arg;

	switch (command) {
	case CONTROL_ENABLE:
		return enable(obeying->rec);
	case CONTROL_DISABLE:
		return disable(obeying->rec);
	case CONTROL_SNAPSHOT:
		return obeying->snapshot(obeying->arg);
	case CONTROL_RESET:
		error("--control: reset is for perfgrp stat");
		return 0;
	default:
		return 0;
	}
}

/**
 * record_obey - carry out all pending commands of --control
 * @rec: after record_set_polls()
 * @snapshot: carries out a snapshot; returns 0, or a negative errno after printing an error
 * @arg: passed to @snapshot
 * @err: set to the errno if a command fails
 *
 * Return: true to end, after "stop" or a failure
 */
bool record_obey(struct record *rec, int (*snapshot)(void *arg), void *arg, int *err)
{
	struct obeying obeying = { .rec = rec, .snapshot = snapshot, .arg = arg };
	bool end = control_obey(&rec->control, obey, &obeying, err);

	if (rec->control.fd < 0)
		record_forget_control(rec);
	return end;
}
