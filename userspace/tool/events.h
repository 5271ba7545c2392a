/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a command line: what libperfgrp has read, for the tool to cut and to copy. */
#ifndef PERFGRP_EVENTS_H
#define PERFGRP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "perfgrp.h"

struct cgroup;

/**
 * struct event - one event as the user named it
 * @name: what to call it in output
 * @counter: what to give the module
 * @scale: what to multiply a count with to have @unit
 * @unit: unit of the scaled count, or ""
 * @cpus: the CPUs its PMU wants to be opened on, as sysfs lists them, or NULL for
 *	all of them
 * @machines_named: modifiers have said whether to count the host or guests
 * @sample: period= or freq=: how often to sample where sampling is what is done, or 0
 * @freq: @sample is a frequency
 * @min_delta: min-delta=: as &struct perfgrp_counter.min_delta, there, too
 * @cgroup: only the tasks of this one are counted; NULL: of no cgroup
 * @metric_event: number of the event in metrics (-M), from 1; 0: it is of none
 */
struct event {
	char *name;
	struct perfgrp_counter counter;
	double scale;
	char *unit;
	char *cpus;
	bool machines_named;
	__u64 sample;
	bool freq;
	__u64 min_delta;
	struct cgroup *cgroup;
	unsigned int metric_event;
};

/**
 * struct event_group - events to be counted together
 * @events: the events, leader first
 * @nr: how many
 * @room: how many @events has room for
 * @create_flags: PERFGRP_CREATE_NO_MUX and PERFGRP_CREATE_EXCLUSIVE, for the
 *	modifiers D and e
 * @weak: take it apart if it can never be on the PMU as a whole (modifier W)
 * @braces: it was written in braces
 * @metric: the metric that the group is for, or NULL
 */
struct event_group {
	struct event *events;
	size_t nr;
	size_t room;
	__u32 create_flags;
	bool weak;
	bool braces;
	const char *metric;
};

/**
 * struct event_list - groups, in the order in which they were named
 * @groups: the groups
 * @nr: how many
 * @room: how many @groups has room for
 */
struct event_list {
	struct event_group *groups;
	size_t nr;
	size_t room;
};

int events_parse(struct event_list *list, const char *text, struct perfgrp_events *parsed);
struct event_group *events_add_group(struct event_list *list);
void events_cut(struct event_list *list, size_t index, size_t at);
void events_repeat(struct event_list *list, size_t times);
void events_free(struct event_list *list);
char *event_name(const struct perfgrp_counter *counter);

#endif /* PERFGRP_EVENTS_H */
