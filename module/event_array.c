// SPDX-License-Identifier: GPL-2.0
/*
 * Event arrays: a group's members as seen by readers that can take no lock, which
 * are the overflow handler and the kfunc.
 *
 * Each instance has an array with a member's event, what to add to its reading,
 * and its BPF program. Readers find the arrays with rcu_dereference() and use them
 * inside rcu_read_lock(), in any context including NMI.
 *
 * A group has two sets of arrays. A writer, holding perfgrp_group.lock, fills the
 * set that readers do not use and publishes it with rcu_assign_pointer(). Before it
 * fills a set it waits until the grace period since that set was last visible is
 * over; usually it is. So publishing allocates nothing and cannot fail.
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

/* Restart deltas when the event was replaced or the count was reset. */
static struct perfgrp_overflow_state *init_overflow_state(struct perfgrp_member_instance *counter)
{
	struct perfgrp_overflow_state *state = &counter->overflow_state;

	if (state->event == counter->event && state->base == counter->base.count)
		return state;
	if (state->event != counter->event)
		WRITE_ONCE(state->throttled, false);
	WRITE_ONCE(state->last, -counter->base.count);
	state->event = counter->event;
	state->base = counter->base.count;
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
			.overflow_state = init_overflow_state(counter),
			.away = counter->away,
			.goes_away = counter->goes_away,
		};
		array->filters |= member->desc.min_delta;
	}
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
	struct perfgrp_event_array *next;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	if (!arrays)
		return;
	next = arrays->sets[arrays->next];
	cond_synchronize_rcu(arrays->cookie);
	for (i = 0; i < group->nr_instances; i++)
		fill_event_array(&next[i], group, i);
	rcu_assign_pointer(arrays->active, next);
	arrays->next = !arrays->next;
	arrays->cookie = get_state_synchronize_rcu();
}

/**
 * perfgrp_event_arrays_create - give a group event arrays
 * @group: the group; either not visible to anybody else yet, or its lock is held for
 *	writing. Nothing is done if it has them.
 *
 * They are empty until perfgrp_event_arrays_publish().
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_event_arrays_create(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays;
	unsigned int i;

	if (group->event_arrays)
		return 0;
	arrays = kzalloc(sizeof(*arrays), GFP_KERNEL_ACCOUNT);
	if (!arrays)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(arrays->sets); i++) {
		arrays->sets[i] =
			kvcalloc(group->nr_instances, sizeof(*arrays->sets[i]), GFP_KERNEL_ACCOUNT);
		if (!arrays->sets[i]) {
			kvfree(arrays->sets[0]);
			kfree(arrays);
			return -ENOMEM;
		}
	}
	RCU_INIT_POINTER(arrays->active, arrays->sets[0]);
	arrays->next = 1;
	arrays->cookie = get_state_synchronize_rcu();
	group->event_arrays = arrays;
	return 0;
}

/**
 * perfgrp_event_arrays_destroy - free a group's event arrays, if it has any
 * @group: the group; all its events are released, and the kfunc cannot find it
 *
 * Waits for an RCU grace period, after which no handler uses the group's records
 * either.
 */
void perfgrp_event_arrays_destroy(struct perfgrp_group *group)
{
	struct perfgrp_event_arrays *arrays = group->event_arrays;

	if (!arrays)
		return;
	/* A software event's handler may still run after the event was released. */
	synchronize_rcu();
	kvfree(arrays->sets[0]);
	kvfree(arrays->sets[1]);
	kfree(arrays);
	group->event_arrays = NULL;
}
