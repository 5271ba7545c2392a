/* SPDX-License-Identifier: GPL-2.0 */
/* Event arrays: the members of a group for readers that can take no lock. */
#ifndef PERFGRP_EVENT_ARRAY_H
#define PERFGRP_EVENT_ARRAY_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "group.h"
#include "perfgrp.h"
#include "value.h"

struct perf_event;
struct perfgrp_attachment;
struct perfgrp_away;
struct perfgrp_group;
struct perfgrp_overflow_state;
struct perfgrp_split_counter;

/**
 * struct perfgrp_event_array_entry - a member for lockless readers
 * @event: its event on the instance; NULL if there is none
 * @base: to be added to what @event reads
 * @min_delta: see struct perfgrp_counter
 * @attachment: its BPF program, or NULL
 * @overflow_state: of @event; not used if the group is split, as its members do not sample
 * @split: what it has counted on the instance, by cgroup, if the group is split
 * @away: see struct perfgrp_member_instance
 * @goes_away: see struct perfgrp_member_instance
 * @id: of the member
 * @sched_group: see struct perfgrp_member_instance
 * @pmu: see struct perfgrp_member_instance
 */
struct perfgrp_event_array_entry {
	struct perf_event *event;
	struct perfgrp_count base;
	u64 min_delta;
	struct perfgrp_attachment *attachment;
	union {
		struct perfgrp_overflow_state *overflow_state;
		struct perfgrp_split_counter *split;
	};
	const struct perfgrp_away *away;
	bool goes_away;
	u32 id;
	u32 sched_group;
	u32 pmu;
};

/**
 * struct perfgrp_event_array - an instance for lockless readers; see event_array.c
 * @nr: members
 * @filters: at least one has a min_delta
 * @keeps_contexts: see perfgrp_sampling_keep_contexts()
 * @usable: perfgrp_instance.live. Unlike perfgrp_instance_usable() it does not check
 *	perfgrp_instance.lost.
 * @counts_at_rest: at least one member has perfgrp_member_instance.counts_at_rest
 * @reads_elsewhere: a member's PMU is not the CPU's own (uncore)
 * @epoch: perfgrp_instance.epoch
 * @generation: perfgrp_group.generation
 * @frozen: the group is disabled, though its events are not; see perfgrp_group_is_frozen().
 *	May change while readers use the array.
 * @entries: leader first
 */
struct perfgrp_event_array {
	unsigned int nr;
	bool filters;
	bool keeps_contexts;
	bool frozen;
	bool usable;
	bool counts_at_rest;
	bool reads_elsewhere;
	u32 epoch;
	u64 generation;
	struct perfgrp_event_array_entry entries[PERFGRP_MAX_MEMBERS];
};

/**
 * struct perfgrp_event_array_set - one array per instance of a group
 * @rcu: frees it
 * @arrays: indexed by instance
 */
struct perfgrp_event_array_set {
	struct rcu_head rcu;
	struct perfgrp_event_array arrays[];
};

/* Most bytes of a group's sets that may be passed to call_rcu() in one grace period. */
#define PERFGRP_EVENT_ARRAYS_RETIRED_MAX	(4UL << 20)

/**
 * struct perfgrp_event_arrays - the event arrays of a group
 * @active: the set that readers use, under RCU
 * @spare: the set to fill next (perfgrp_group.lock)
 * @cookie: RCU cookie from when @spare was last visible (perfgrp_group.lock)
 * @retired: bytes of sets that were passed to RCU since @retired_cookie (perfgrp_group.lock)
 * @retired_cookie: RCU cookie from when @retired was last set to 0 (perfgrp_group.lock)
 */
struct perfgrp_event_arrays {
	struct perfgrp_event_array_set __rcu *active;
	struct perfgrp_event_array_set *spare;
	unsigned long cookie;
	size_t retired;
	unsigned long retired_cookie;
};

int perfgrp_event_arrays_create(struct perfgrp_group *group);
void perfgrp_event_arrays_destroy(struct perfgrp_group *group);
void perfgrp_event_arrays_publish(struct perfgrp_group *group);
void perfgrp_event_arrays_set_frozen(struct perfgrp_group *group);

/* The event array of an instance; inside rcu_read_lock(). */
static inline const struct perfgrp_event_array *
perfgrp_event_array_get(const struct perfgrp_event_arrays *arrays, unsigned int instance)
{
	return &rcu_dereference(arrays->active)->arrays[instance];
}

/* False while the CPU's events are dead because it went offline, or are being created again. */
static inline bool perfgrp_event_array_usable(const struct perfgrp_group *group, unsigned int index,
					      const struct perfgrp_event_array *array)
{
	return array->usable && !test_bit(0, &group->instances[index].lost);
}

#endif /* PERFGRP_EVENT_ARRAY_H */
