// SPDX-License-Identifier: GPL-2.0
/*
 * Event arrays: a group's members for readers that can take no lock. These are the overflow
 * handler, the kfunc, split.c, which charges counts to cgroups, and mapped_write.c, which
 * writes mapped rows.
 *
 * Each instance has an array. For each member it holds the event, the base to add to its count,
 * and the BPF program. Readers find the arrays with rcu_dereference() and use them inside
 * rcu_read_lock(), in any context including NMI.
 *
 * A group has two sets of arrays. A writer, holding perfgrp_group.lock, fills the spare set and
 * publishes it with rcu_replace_pointer(). If no grace period has passed since the spare set was
 * last visible, the writer allocates a new set instead and lets RCU free the spare one. If that
 * fails, or if RCU has many of the group's sets to free already, the writer waits for the grace
 * period. So publishing cannot fail, and the memory that waits for RCU is limited for each group.
 *
 * An event is released after the array without it is published. The perf core frees
 * it and its context an RCU grace period later, so a reader never sees a freed one:
 * __free_event() and put_ctx() of 6.12.117 and 7.3.4, _free_event() of 6.1.192.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "event_array.h"
#include "group.h"
#include "sampling.h"
#include "split.h"

/*
 * Restart deltas when the count was reset. If the event was replaced they go on: @last is made to
 * refer to the new event, whose count begins at zero, while the base has what the old one counted.
 */
static struct perfgrp_overflow_state *init_overflow_state(struct perfgrp_member_instance *counter)
{
	struct perfgrp_overflow_state *state = &counter->overflow_state;
	u64 base = counter->base.count;

	if (state->event == counter->event && state->base == base)
		return state;
	if (state->event == counter->event) {
		WRITE_ONCE(state->last, -base);
	} else {
		WRITE_ONCE(state->throttled, false);
		WRITE_ONCE(state->last, READ_ONCE(state->last) + state->base - base);
	}
	state->event = counter->event;
	state->base = base;
	return state;
}

static void fill_event_array(struct perfgrp_event_array *array, const struct perfgrp_group *group,
			     unsigned int instance)
{
	struct perfgrp_member_instance *counter;
	struct perfgrp_member *member;
	unsigned int i;

	array->nr = group->nr_members;
	array->filters = false;
	array->keeps_contexts = group->sampling && group->sampling->context_event;
	array->frozen = perfgrp_group_is_frozen(group);
	array->usable = group->instances[instance].live;
	array->counts_at_rest = false;
	array->reads_elsewhere = false;
	array->epoch = group->instances[instance].epoch;
	array->generation = group->generation;
	for (i = 0; i < group->nr_members; i++) {
		member = group->members[i];
		counter = &member->instances[instance];
		array->entries[i] = (struct perfgrp_event_array_entry){
			.id = member->id,
			.sched_group = counter->sched_group,
			.pmu = counter->pmu,
			.event = counter->event,
			.base = counter->base,
			.min_delta = member->desc.min_delta,
			.attachment = member->attachment,
			.away = counter->away,
			.goes_away = counter->goes_away,
		};
		if (member->split)
			array->entries[i].split = &member->split->counters[instance];
		else
			array->entries[i].overflow_state = init_overflow_state(counter);
		array->filters |= member->desc.min_delta;
		array->counts_at_rest |= counter->counts_at_rest;
		array->reads_elsewhere |= counter->uncore;
	}
}

static size_t set_size(const struct perfgrp_group *group)
{
	struct perfgrp_event_array_set *set;

	return struct_size(set, arrays, group->nr_instances);
}

static struct perfgrp_event_array_set *alloc_set(const struct perfgrp_group *group, gfp_t gfp)
{
	return kvmalloc(set_size(group), GFP_KERNEL_ACCOUNT | gfp);
}

static void free_set(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct perfgrp_event_array_set, rcu));
}

/* Allocate a set. NULL without memory, or if too many sets wait for RCU. */
static struct perfgrp_event_array_set *take_new(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays = group->event_arrays;
	struct perfgrp_event_array_set *set;

	if (poll_state_synchronize_rcu(arrays->retired_cookie)) {
		arrays->retired = 0;
		arrays->retired_cookie = get_state_synchronize_rcu();
	}
	if (arrays->retired + set_size(group) > PERFGRP_EVENT_ARRAYS_RETIRED_MAX)
		return NULL;
	set = alloc_set(group, __GFP_NOWARN);
	if (set)
		arrays->retired += set_size(group);
	return set;
}

/* The set to fill, which no reader uses. */
static struct perfgrp_event_array_set *take_spare(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays = group->event_arrays;
	struct perfgrp_event_array_set *set;

	if (poll_state_synchronize_rcu(arrays->cookie))
		return arrays->spare;
	set = take_new(group);
	if (!set) {
		cond_synchronize_rcu(arrays->cookie);
		return arrays->spare;
	}
	/* Not kvfree_rcu(), which may free it only seconds later. */
	call_rcu(&arrays->spare->rcu, free_set);
	return set;
}

/**
 * perfgrp_event_arrays_publish - make the current members visible to lockless readers
 * @group: the group; the lock is held for writing. Nothing is done if it has no
 *	event arrays.
 *
 * May sleep.
 */
void perfgrp_event_arrays_publish(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays = group->event_arrays;
	struct perfgrp_event_array_set *next;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	if (!arrays)
		return;
	next = take_spare(group);
	for (i = 0; i < group->nr_instances; i++)
		fill_event_array(&next->arrays[i], group, i);
	arrays->spare = rcu_replace_pointer(arrays->active, next, true);
	arrays->cookie = get_state_synchronize_rcu();
}

/**
 * perfgrp_event_arrays_set_frozen - show lockless readers whether the group is frozen
 * @group: the group; the lock is held for writing. Nothing is done if it has no event arrays.
 *
 * Unlike perfgrp_event_arrays_publish() this never waits. A running reader may miss the change.
 */
void perfgrp_event_arrays_set_frozen(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays = group->event_arrays;
	struct perfgrp_event_array_set *active;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	if (!arrays)
		return;
	active = rcu_dereference_protected(arrays->active, lockdep_is_held(&group->lock));
	for (i = 0; i < group->nr_instances; i++)
		WRITE_ONCE(active->arrays[i].frozen, perfgrp_group_is_frozen(group));
}

/**
 * perfgrp_event_arrays_create - allocate a group's event arrays
 * @group: the group; either not visible to anybody else yet, or its lock is held for
 *	writing. Nothing is done if it has them already.
 *
 * They are filled with the group's current members.
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_event_arrays_create(struct perfgrp_group *group)
{
	struct perfgrp_event_array_set *active, *spare;
	struct perfgrp_event_arrays *arrays;
	unsigned int i;

	if (group->event_arrays)
		return 0;
	arrays = kzalloc(sizeof(*arrays), GFP_KERNEL_ACCOUNT);
	active = alloc_set(group, 0);
	spare = alloc_set(group, 0);
	if (!arrays || !active || !spare) {
		kvfree(spare);
		kvfree(active);
		kfree(arrays);
		return -ENOMEM;
	}
	for (i = 0; i < group->nr_instances; i++)
		fill_event_array(&active->arrays[i], group, i);
	RCU_INIT_POINTER(arrays->active, active);
	arrays->spare = spare;
	arrays->cookie = get_state_synchronize_rcu();
	arrays->retired_cookie = arrays->cookie;
	group->event_arrays = arrays;
	return 0;
}

/**
 * perfgrp_event_arrays_destroy - free a group's event arrays, if it has any
 * @group: the group. An RCU grace period has passed since its events were released and its handle
 *	was freed, so there are no readers any more.
 */
void perfgrp_event_arrays_destroy(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays = group->event_arrays;

	if (!arrays)
		return;
	kvfree(rcu_access_pointer(arrays->active));
	kvfree(arrays->spare);
	kfree(arrays);
	group->event_arrays = NULL;
}
