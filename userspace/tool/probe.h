/* SPDX-License-Identifier: GPL-2.0 */
/* Structs and functions shared by the files of "perfgrp probe". */
#ifndef PERFGRP_PROBE_H
#define PERFGRP_PROBE_H

#include "events.h"
#include "groups.h"
#include "info.h"
#include "target.h"

enum probe_verdict {
	PROBE_FITS,
	PROBE_DOES_NOT,
	PROBE_UNKNOWN,		/* the task did not run */
};

/**
 * struct probe_room - how many times an event can be counted at once
 * @event: index in the group; PERFGRP_NONE if that was not tried
 * @most: how many times at most, regardless of other users
 * @now: how many times now; PERFGRP_NONE if that is not known
 */
struct probe_room {
	size_t event;
	size_t most;
	size_t now;
};

/**
 * struct probe_result - result of trying a group on its target
 * @events: the group
 * @task: index of the task, if the target is tasks
 * @cpus: the CPUs, if the target is CPUs
 * @verdict: whether it fits
 * @why: why it does not fit; its member is the index of an event, or PERFGRP_NONE
 * @looked: the group was tried in parts: the fields below are valid
 * @cpus_not: the CPUs of @cpus on which it does not fit
 * @prefix: how many of its first events fit; PERFGRP_NONE if that is not known
 * @alone: for each event why it does not fit by itself, or NULL if it does. NULL if that is not
 *	known
 * @room: how many times one of its events fits
 */
struct probe_result {
	const struct event_group *events;
	size_t task;
	struct numbers cpus;
	enum probe_verdict verdict;
	struct perfgrp_error why;
	bool looked;
	struct numbers cpus_not;
	size_t prefix;
	char **alone;
	struct probe_room room;
};

/**
 * struct probe - one "perfgrp probe"
 * @target: what would be counted
 * @list: the groups
 * @dev: the device
 * @info: what it can do
 * @held: groups that fit, kept open while others are tried
 * @nr_held: how many
 * @room_held: how many @held has room for
 * @results: of each group, on each task
 * @nr: how many
 * @room: how many @results has room for
 * @findings: possible causes why groups do not fit
 * @seen: groups of other processes; searched for only if they can be the cause
 * @looked: @seen was filled in
 */
struct probe {
	struct target target;
	struct event_list list;
	struct perfgrp_dev *dev;
	struct perfgrp_info info;
	struct perfgrp_group **held;
	size_t nr_held;
	size_t room_held;
	struct probe_result *results;
	size_t nr;
	size_t room;
	struct findings findings;
	struct groups_seen seen;
	bool looked;
};

/* probe_try.c: whether groups fit */
int probe_try(struct probe *probe, size_t group, size_t task);
void probe_free(struct probe *probe);

/* probe_why.c: why groups do not fit */
bool probe_is_hardware(const struct perfgrp_counter *counter);
bool probe_in_the_way(const struct group_seen *group);
void probe_find_why(struct probe *probe);

/* probe_print.c */
void probe_print_text(const struct probe *probe);
void probe_print_json(const struct probe *probe);

#endif /* PERFGRP_PROBE_H */
