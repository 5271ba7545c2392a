// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer of a group and the PID namespace of its records; and changing a sample period.
 *
 * Process context.
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
 * perfgrp_sampling_set_period - change a member's sample period or frequency
 * @group: the group; the lock is held for writing
 * @member: a member that samples
 * @sample: the new period, or frequency in Hz if the member has PERFGRP_COUNTER_FREQ
 * @err: filled in on failure
 *
 * Return: 0, or -EINVAL with the old period in force on all instances.
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
	/* A union with sample_freq. */
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
			    "%s %llu is out of range (see sysctl kernel.perf_event_max_sample_rate)",
			    member->attr.freq ? "frequency" : "period", sample);
}

/**
 * perfgrp_sampling_create - allocate what a new group needs to sample
 * @group: a new group with its target and instances; no lock is held
 * @arg: the argument of PERFGRP_CREATE, checked; nothing is done if its buffer_size is 0
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0, -ENOMEM or -ENOSPC; on failure too perfgrp_sampling_destroy() must follow.
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
 * perfgrp_sampling_uncharge - give back to the user what the buffer was charged
 * @group: the group; it will be freed as soon as nobody uses it any more
 */
void perfgrp_sampling_uncharge(struct perfgrp_group *group)
{
	struct perfgrp_sampling *sampling = group->sampling;

	if (sampling && !IS_ERR_OR_NULL(sampling->records))
		perfgrp_records_uncharge(sampling->records);
}

/**
 * perfgrp_sampling_destroy - undo perfgrp_sampling_create(), even if it failed
 * @group: the group; no handler runs
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
