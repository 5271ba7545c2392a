// SPDX-License-Identifier: GPL-2.0
/*
 * The views of a group's instances: what those know of them who can take no lock, the
 * overflow handler and BPF programs.
 *
 * A view says which events an instance has, and what is to be added to what they
 * read. There are two sets of views, one of which readers look at. A change fills
 * the other set and lets readers look at that from then on; when that set is to be
 * filled next, all who still looked at it have gone: that is waited for, and costs
 * nothing unless changes come fast.
 *
 * An event is released when it is in no view any more, and the perf core frees it an
 * RCU grace period later.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "perfgrp.h"

/* Anew with a new event, and where what a reader sees is zero: at the start, or since a reset. */
static struct perfgrp_history *begin_history(struct perfgrp_member_instance *counter)
{
	struct perfgrp_history *history = &counter->history;

	if (history->event == counter->event && history->base == counter->base.count)
		return history;
	if (history->event != counter->event)
		WRITE_ONCE(history->throttled, false);
	WRITE_ONCE(history->last, -counter->base.count);
	history->event = counter->event;
	history->base = counter->base.count;
	return history;
}

static void fill_view(struct perfgrp_view *view, const struct perfgrp_group *group,
		      unsigned int instance)
{
	struct perfgrp_member_instance *counter;
	struct perfgrp_member *member;
	unsigned int i;

	view->nr = group->nr_members;
	view->filters = false;
	for (i = 0; i < group->nr_members; i++) {
		member = group->members[i];
		counter = &member->instances[instance];
		view->entries[i] = (struct perfgrp_view_entry){
			.id = member->id,
			.event = counter->event,
			.base = counter->base,
			.min_move = member->desc.min_move,
			.attachment = member->attachment,
			.history = begin_history(counter),
		};
		view->filters |= member->desc.min_move;
	}
}

/**
 * perfgrp_views_publish - let readers see the group as it is now
 * @group: the group; the lock is held for writing. Nothing is done where it has no
 *	views.
 *
 * May sleep.
 */
void perfgrp_views_publish(struct perfgrp_group *group)
{
	struct perfgrp_views *views = group->views;
	unsigned int next, i;

	lockdep_assert_held_write(&group->lock);

	if (!views)
		return;
	next = !views->current_set;
	cond_synchronize_rcu(views->cookie);
	for (i = 0; i < group->nr_instances; i++)
		fill_view(&views->sets[next][i], group, i);
	/* Pairs with the load in perfgrp_view_of(). */
	smp_store_release(&views->current_set, next);
	views->cookie = get_state_synchronize_rcu();
}

/**
 * perfgrp_views_create - let a group have views
 * @group: the group; nobody else knows it yet, or the lock is held for writing. Nothing
 *	is done where it has them.
 *
 * They are empty until perfgrp_views_publish().
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_views_create(struct perfgrp_group *group)
{
	struct perfgrp_views *views;
	unsigned int i;

	if (group->views)
		return 0;
	views = kzalloc(sizeof(*views), GFP_KERNEL_ACCOUNT);
	if (!views)
		return -ENOMEM;
	views->cookie = get_state_synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(views->sets); i++) {
		views->sets[i] = kvcalloc(group->nr_instances, sizeof(**views->sets),
					  GFP_KERNEL_ACCOUNT);
		if (!views->sets[i]) {
			kvfree(views->sets[0]);
			kfree(views);
			return -ENOMEM;
		}
	}
	group->views = views;
	return 0;
}

/**
 * perfgrp_views_destroy - free a group's views, if it has any
 * @group: the group; all its events are released, and BPF programs cannot find it
 *
 * Waits for those who still look at it, at its records, too.
 */
void perfgrp_views_destroy(struct perfgrp_group *group)
{
	struct perfgrp_views *views = group->views;

	if (!views)
		return;
	/* A software event's handler may still run. */
	synchronize_rcu();
	kvfree(views->sets[0]);
	kvfree(views->sets[1]);
	kfree(views);
	group->views = NULL;
}
