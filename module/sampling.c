// SPDX-License-Identifier: GPL-2.0
/*
 * What a group that samples has beside its members: its buffer, and the views of
 * its instances that the overflow handler works with.
 *
 * A view says which events an instance has, and what is to be added to what they
 * read. There are two sets of views, one of which handlers look at. A change fills
 * the other set and lets handlers look at that from then on; when that set is to be
 * filled next, all who still looked at it have gone: that is waited for, and costs
 * nothing unless changes come fast.
 *
 * An event that is released is not to be found by handlers any more. Either its
 * instance has been stopped, so that there are none, or the member has left the
 * views before. The perf core frees it after an RCU grace period.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "perfgrp.h"

static void fill_entry(struct perfgrp_view_entry *entry, const struct perfgrp_member *member,
		       const struct perfgrp_kcounter *counter)
{
	*entry = (struct perfgrp_view_entry){
		.id = member->id,
		.event = counter->event,
		.base = counter->base,
		.min_move = member->spec.min_move,
		.attachment = member->attachment,
		/* Where what a reader sees is zero: at the start, or since a reset. */
		.last = -counter->base.count,
	};
}

/* What only handlers know of a counter stays where it is the same as before. */
static void keep_history(struct perfgrp_view_entry *entry, const struct perfgrp_view *old)
{
	const struct perfgrp_view_entry *was;
	unsigned int i;

	for (i = 0; i < old->nr; i++) {
		was = &old->entries[i];
		if (was->event != entry->event)
			continue;
		entry->throttled = READ_ONCE(was->throttled);
		if (was->base.count == entry->base.count)
			entry->last = READ_ONCE(was->last);
	}
}

static void fill_view(struct perfgrp_view *view, const struct perfgrp_view *old,
		      const struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	view->nr = group->nr_members;
	view->filters = false;
	for (i = 0; i < group->nr_members; i++) {
		fill_entry(&view->entries[i], group->members[i],
			   &group->members[i]->counters[instance]);
		keep_history(&view->entries[i], old);
		view->filters |= group->members[i]->spec.min_move;
	}
}

/**
 * perfgrp_sampling_publish - let handlers see the group as it is now
 * @group: the group; the lock is held for writing. Nothing is done where it does not
 *	sample.
 *
 * May sleep.
 */
void perfgrp_sampling_publish(struct perfgrp_group *group)
{
	struct perfgrp_sampling *sampling = group->sampling;
	unsigned int next, i;

	lockdep_assert_held_write(&group->lock);

	if (!sampling)
		return;
	next = !sampling->current_set;
	cond_synchronize_rcu(sampling->cookie);
	for (i = 0; i < group->nr_instances; i++)
		fill_view(&sampling->views[next][i], &sampling->views[!next][i], group, i);
	/* Pairs with the load in perfgrp_sampling_view(). */
	smp_store_release(&sampling->current_set, next);
	sampling->cookie = get_state_synchronize_rcu();
}

/**
 * perfgrp_sampling_set_period - change how often a member samples
 * @group: the group; the lock is held for writing
 * @member: one that samples
 * @sample: the new period or frequency
 * @err: says why not
 *
 * Return: 0, or -EINVAL, and then it is as it was on all CPUs.
 */
int perfgrp_sampling_set_period(struct perfgrp_group *group, struct perfgrp_member *member,
				u64 sample, struct perfgrp_error *err)
{
	struct perf_event *event;
	unsigned int i;
	int ret;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_instances; i++) {
		event = member->counters[i].event;
		ret = event ? perfgrp_core_set_period(event, member->attr.freq, sample) : 0;
		if (ret)
			goto undo;
	}
	member->spec.sample = sample;
	/* The other name of sample_freq. */
	member->attr.sample_period = sample;
	return 0;
undo:
	err->cpu = group->instances[i].cpu;
	while (i--) {
		event = member->counters[i].event;
		if (event)
			perfgrp_core_set_period(event, member->attr.freq, member->spec.sample);
	}
	return perfgrp_refuse(err, ret, PERFGRP_REASON_EVENT_OPTION, "sample",
			      "%s %llu is out of range (kernel.perf_event_max_sample_rate?)",
			      member->attr.freq ? "frequency" : "period", sample);
}

/**
 * perfgrp_sampling_create - let a new group sample
 * @group: the group; its target and instances are set
 * @arg: what was asked for, checked; nothing is done where it has no buffer_size
 *
 * Return: 0 or -ENOMEM.
 */
int perfgrp_sampling_create(struct perfgrp_group *group, const struct perfgrp_create *arg)
{
	struct perfgrp_sampling *sampling;
	unsigned int i;

	if (!arg->buffer_size)
		return 0;
	sampling = kzalloc(sizeof(*sampling), GFP_KERNEL_ACCOUNT);
	if (!sampling)
		return -ENOMEM;
	group->sampling = sampling;
	sampling->pid_ns = get_pid_ns(task_active_pid_ns(current));
	sampling->cookie = get_state_synchronize_rcu();
	for (i = 0; i < 2; i++) {
		sampling->views[i] = kvcalloc(group->nr_instances, sizeof(**sampling->views),
					      GFP_KERNEL_ACCOUNT);
		if (!sampling->views[i])
			return -ENOMEM;
	}
	sampling->records = perfgrp_records_create(group, arg);
	return PTR_ERR_OR_ZERO(sampling->records);
}

/**
 * perfgrp_sampling_destroy - free what perfgrp_sampling_create() has made, or begun
 * @group: the group; all its events are released
 */
void perfgrp_sampling_destroy(struct perfgrp_group *group)
{
	struct perfgrp_sampling *sampling = group->sampling;

	if (!sampling)
		return;
	/* A software event's handler may still run. */
	synchronize_rcu();
	if (!IS_ERR_OR_NULL(sampling->records))
		perfgrp_records_destroy(sampling->records);
	kvfree(sampling->views[0]);
	kvfree(sampling->views[1]);
	put_pid_ns(sampling->pid_ns);
	kfree(sampling);
	group->sampling = NULL;
}
