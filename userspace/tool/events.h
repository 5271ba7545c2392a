/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a command line: copies of what libperfgrp parsed, which the tool can change. */
#ifndef PERFGRP_EVENTS_H
#define PERFGRP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "perfgrp.h"

struct cgroup;

/**
 * struct event - one event of the command line
 * @name: its name in the output
 * @counter: for perfgrp_add_counters()
 * @scale: factor that converts a count to @unit
 * @unit: unit of the count multiplied by @scale, or ""
 * @cpus: the CPUs to open the event on, as sysfs lists them, or NULL for all
 * @machines_named: a modifier selects the host or guests
 * @sample: value of period= or freq=, used only when sampling; 0 if not given
 * @freq: @sample is a frequency
 * @min_delta: value of min-delta=, see &struct perfgrp_counter.min_delta; used only when sampling
 * @cgroup: count only tasks of this cgroup; NULL: all
 * @metric_event: number of the event in metrics (-M), from 1; 0: not used in metrics
 * @sum_name: @sum_name of &struct perfgrp_event
 * @sum: number of the sum of counts of several PMUs that its counts belong to, from 1; 0: none
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
	char *sum_name;
	unsigned int sum;
};

/**
 * struct event_group - events to be counted together
 * @events: the events, leader first
 * @nr: how many
 * @room: how many @events has room for
 * @create_flags: PERFGRP_CREATE_NO_MUX and PERFGRP_CREATE_EXCLUSIVE, for the
 *	modifiers D and e
 * @weak: split it up if it can never be on the PMU as a whole (modifier W)
 * @braces: written in braces
 * @metric: the metric that the group is for, or NULL
 * @optional: nobody has named a metric that is computed of it: an event may be missing
 * @in_turns: it was cut since it had no room, which was said
 */
struct event_group {
	struct event *events;
	size_t nr;
	size_t room;
	__u32 create_flags;
	bool weak;
	bool braces;
	const char *metric;
	bool optional;
	bool in_turns;
};

/**
 * struct event_list - groups, in the order of the command line
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
