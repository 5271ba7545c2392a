/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of all processes, from /proc. */
#ifndef PERFGRP_GROUPS_H
#define PERFGRP_GROUPS_H

#include "holders.h"
#include "json.h"
#include "util.h"

/**
 * struct group_member - a member of a group
 * @id: its id
 * @event: the event, as in the group's fdinfo
 * @state: its state
 * @flags: flags such as "failed", separated by blanks; or ""
 * @pmu: number of its PMU; negative if that is not known, or not the same on all CPUs
 * @enabled: ns that it was enabled
 * @running: ns that it was counting
 */
struct group_member {
	unsigned int id;
	char *event;
	char *state;
	char *flags;
	long pmu;
	__u64 enabled;
	__u64 running;
};

/**
 * struct group_holder - a process that holds a group
 * @holder: the process, and its file descriptor
 * @uid: user of the process
 * @command: command of the process
 */
struct group_holder {
	struct holder holder;
	unsigned int uid;
	char *command;
};

/**
 * struct group_seen - a group
 * @id: its number; 0 if its fdinfo does not have it
 * @target: what it counts
 * @create_flags: PERFGRP_CREATE_*
 * @enabled: it is enabled
 * @buffers: bytes of its buffers
 * @members: its members, leader first
 * @nr_members: how many
 * @room_members: how many @members has room for
 * @holders: who holds it
 * @nr_holders: how many
 * @room_holders: how many @holders has room for
 */
struct group_seen {
	__u64 id;
	char *target;
	__u64 create_flags;
	bool enabled;
	__u64 buffers;
	struct group_member *members;
	size_t nr_members;
	size_t room_members;
	struct group_holder *holders;
	size_t nr_holders;
	size_t room_holders;
};

/**
 * struct event_holder - a process with events of perf_event_open(2)
 * @pid: the process
 * @nr: how many events, enabled or not
 */
struct event_holder {
	unsigned int pid;
	size_t nr;
};

/**
 * struct groups_seen - the groups of all processes
 * @groups: the groups
 * @nr: how many
 * @room: how many @groups has room for
 * @others: processes with events of perf_event_open(2)
 * @nr_others: how many processes
 * @room_others: how many @others has room for
 * @hidden: number of processes that the caller may not inspect
 */
struct groups_seen {
	struct group_seen *groups;
	size_t nr;
	size_t room;
	struct event_holder *others;
	size_t nr_others;
	size_t room_others;
	unsigned int hidden;
};

void groups_find(struct groups_seen *seen);
void groups_free(struct groups_seen *seen);
double group_share(const struct group_seen *group);
char *group_events(const struct group_seen *group);
struct json_object *group_json(const struct group_seen *group);

#endif /* PERFGRP_GROUPS_H */
