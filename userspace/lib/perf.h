/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * PERFGRP_BACKEND=perf: groups without the module, built on perf_event_open(2).
 *
 * Implements the module's ioctls in userspace with the same structs, as far as that is possible, so
 * that the rest of the library need not know the difference. In each place, members of the same
 * hardware PMU form one scheduling group; software, tracepoint and breakpoint events are not
 * grouped.
 */
#ifndef PERFGRP_PERF_H
#define PERFGRP_PERF_H

#include <stdbool.h>

#include "internal.h"

/**
 * struct perf_count - an event's count and times
 * @raw: the count
 * @enabled: ns that it was enabled
 * @running: ns that it was on the PMU
 */
struct perf_count {
	__u64 raw;
	__u64 enabled;
	__u64 running;
};

/**
 * struct perf_instance - a member in one place
 * @fd: its event; -1 if its PMU does not count there
 * @id: the perf core's id of the event
 * @leader: index of the member that leads its scheduling group
 * @pmu: number of its PMU; PERFGRP_NONE without an event
 * @failed: its event no longer counts, or the CPU was offline when the member was added
 * @now: the values last read
 * @base: the values that are shown as zero: snapshots return @now - @base. In PERFGRP_ADD, while
 *	the events of a disabled group are on, the values to show: see keep_shown() in perf_add.c
 */
struct perf_instance {
	int fd;
	__u64 id;
	__u32 leader;
	__u32 pmu;
	bool failed;
	struct perf_count now;
	struct perf_count base;
};

/**
 * struct perf_member - a member
 * @counter: as passed to PERFGRP_ADD, with its id
 * @at: one for each place
 */
struct perf_member {
	struct perfgrp_counter counter;
	struct perf_instance *at;
};

/**
 * struct perf_place - where members are counted: a CPU, or the task
 * @cpu: the CPU; -1 for a task on all CPUs
 * @lost: the CPU went offline, so the perf core dropped the events
 * @enabled: sum of the time_enabled of its scheduling groups when they were last read
 * @time: when @enabled was last seen to change, or the group was enabled; 0 before
 * @time_before: when the last read began
 * @time_after: when it ended
 */
struct perf_place {
	int cpu;
	bool lost;
	__u64 enabled;
	__u64 time;
	__u64 time_before;
	__u64 time_after;
};

/**
 * struct perf_group - a group
 * @flags: PERFGRP_CREATE_*
 * @target: enum perfgrp_target
 * @pid: for perf_event_open(): the task; -1 for CPUs; for a cgroup its fd, closed with the group
 * @pidfd: the task; -1 if the target is not a task, or pidfd_open() failed: before Linux 6.9 it
 *	takes only thread-group leaders
 * @clockid: the clock of its times
 * @places: where it counts
 * @nr_places: how many
 * @all_cpus: @places are the CPUs that were online at creation, not a list from the caller
 * @members: its members, leader first
 * @nr_members: how many
 * @last_id: id of the last member added
 * @enabled: the group is enabled
 * @counted: it was enabled at some time since its counts were last reset
 * @awaits_exec: it is off, and an exec may enable it
 * @adding: its events are on only during a PERFGRP_ADD
 * @generation: as in &struct perfgrp_snapshot
 * @buffer: for read(2) of the largest possible scheduling group
 *
 * A handle is used by one thread at a time, so there are no locks.
 */
struct perf_group {
	__u32 flags;
	__u32 target;
	int pid;
	int pidfd;
	clockid_t clockid;
	struct perf_place *places;
	__u32 nr_places;
	bool all_cpus;
	struct perf_member *members;
	__u32 nr_members;
	__u32 last_id;
	bool enabled;
	bool counted;
	bool awaits_exec;
	bool adding;
	__u64 generation;
	__u64 *buffer;
};

#define PERF_MAX_MEMBERS	256

/* perf_backend.c */
int perfgrp_perf_fail(struct perfgrp_error *error, int err, enum perfgrp_reason reason,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int perfgrp_perf_needs_module(struct perfgrp_error *error, const char *what);
int perfgrp_perf_get_info(void *arg, size_t size);
int perfgrp_perf_create(const void *arg, size_t size, struct perf_group **group,
			struct perfgrp_error *error);
int perfgrp_perf_call(struct perf_group *group, unsigned long nr, void *arg,
		      struct perfgrp_error *error);
void perfgrp_perf_close(struct perf_group *group);
void perfgrp_perf_switch(const struct perf_group *group, bool on);
int perfgrp_perf_check_room(struct perf_group *group, struct perfgrp_error *error);
bool perfgrp_perf_next_cpus(const char **list, long *first, long *last);
bool perfgrp_perf_leads(const struct perf_group *group, __u32 member, __u32 place);
void perfgrp_perf_begin_anew(struct perf_group *group);

/* perf_add.c */
int perfgrp_perf_add(struct perf_group *group, struct perfgrp_add *arg,
		     struct perfgrp_error *error);
void perfgrp_perf_close_member(const struct perf_group *group, struct perf_member *member);

/* perf_snapshot.c */
void perfgrp_perf_read(struct perf_group *group);
__u64 perfgrp_perf_now(const struct perf_group *group);
bool perfgrp_perf_has_exited(const struct perf_group *group);
int perfgrp_perf_snapshot(struct perf_group *group, struct perfgrp_snapshot *arg,
			  struct perfgrp_error *error);

/* values.c */
void perfgrp_value_scale(struct perfgrp_value *value);
__u32 perfgrp_sum_rows(const struct perfgrp_row *rows, __u32 nr_rows,
		       const struct perfgrp_value *values, __u32 nr_members, bool mix,
		       struct perfgrp_row *totals, struct perfgrp_value *total_values);

#endif /* PERFGRP_PERF_H */
