// SPDX-License-Identifier: GPL-2.0
/*
 * What a group that samples has beside its members: its buffer, and whose numbers its
 * records have; and how its members' periods are changed.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "error.h"
#include "event.h"
#include "event_array.h"
#include "group.h"
#include "perfcore.h"
#include "records.h"
#include "sampling.h"

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
		event = member->instances[i].event;
		ret = event ? perfgrp_core_set_period(event, member->attr.freq, sample) : 0;
		if (ret)
			goto undo;
	}
	member->desc.sample_period = sample;
	/* The other name of sample_freq. */
	member->attr.sample_period = sample;
	return 0;
undo:
	err->cpu = group->instances[i].cpu;
	while (i--) {
		event = member->instances[i].event;
		if (event)
			perfgrp_core_set_period(event, member->attr.freq,
						member->desc.sample_period);
	}
	return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION,
			    perfgrp_event_sample_field(&member->desc),
			    "%s %llu is out of range (kernel.perf_event_max_sample_rate?)",
			    member->attr.freq ? "frequency" : "period", sample);
}

/**
 * perfgrp_sampling_create - let a new group sample
 * @group: the group; its target and instances are set
 * @arg: what was asked for, checked; nothing is done where it has no buffer_size
 * @err: says why not
 *
 * Return: 0, -ENOMEM or -ENOSPC.
 */
int perfgrp_sampling_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			    struct perfgrp_error *err)
{
	struct perfgrp_sampling *sampling;
	int ret;

	if (!arg->buffer_size)
		return 0;
	sampling = kzalloc(sizeof(*sampling), GFP_KERNEL_ACCOUNT);
	if (!sampling)
		goto no_memory;
	group->sampling = sampling;
	sampling->pid_ns = get_pid_ns(task_active_pid_ns(current));
	if (perfgrp_event_arrays_create(group))
		goto no_memory;
	sampling->records = perfgrp_records_create(group, arg, err);
	ret = PTR_ERR_OR_ZERO(sampling->records);
	if (ret != -ENOMEM)
		return ret;
no_memory:
	return perfgrp_fail(err, -ENOMEM, PERFGRP_REASON_MEMORY, "buffer_size",
			    "no memory for a buffer of %u bytes per CPU", arg->buffer_size);
}

/**
 * perfgrp_sampling_destroy - free what perfgrp_sampling_create() has made, or begun
 * @group: the group; its views are destroyed
 */
void perfgrp_sampling_destroy(struct perfgrp_group *group)
{
	struct perfgrp_sampling *sampling = group->sampling;

	if (!sampling)
		return;
	if (!IS_ERR_OR_NULL(sampling->records))
		perfgrp_records_destroy(sampling->records);
	put_pid_ns(sampling->pid_ns);
	kfree(sampling);
	group->sampling = NULL;
}
