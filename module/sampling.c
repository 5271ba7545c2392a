// SPDX-License-Identifier: GPL-2.0
/*
 * A group's buffer, and the PID namespace of its records; call chains; keeping the perf core from
 * swapping the contexts of an INHERIT group's tasks; and changing a sample period.
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
#include "perfgrp.h"
#include "records.h"
#include "sampling.h"

/* Written by perfgrp_sampling_init() only, before the device exists. */
static bool can_keep_contexts;

/**
 * perfgrp_sampling_set_period - change a member's sample period or frequency
 * @group: the group; the lock is held for writing
 * @member: a member that samples
 * @sample: the new period, or frequency in Hz if the member has PERFGRP_COUNTER_FREQ
 * @err: filled in on failure
 *
 * Return: 0, or -EINVAL, and then all instances still have the old period.
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
	if (!member->attr.freq)
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION, "sample_period",
				    "period %llu is out of range", sample);
	return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION, "sample_freq",
			    "frequency %llu is out of range; the limit is sysctl kernel.perf_event_max_sample_rate",
			    sample);
}

/* Size of the longest record without a call chain. */
#define MAX_SAMPLE                                                                                 \
	(sizeof(struct perfgrp_record_sample) +                                                    \
	 PERFGRP_MAX_MEMBERS * sizeof(struct perfgrp_sample_value))

/* perf_event_header.size is a u16. */
static_assert(MAX_SAMPLE + (1 + PERFGRP_MAX_CALLCHAIN) * sizeof(u64) <= U16_MAX);

static size_t max_record(u32 max_stack)
{
	return MAX_SAMPLE + (1 + max_stack + PERF_MAX_CONTEXTS_PER_STACK) * sizeof(u64);
}

/**
 * perfgrp_sampling_check_callchain - check what PERFGRP_CREATE says about call chains
 * @arg: the argument of PERFGRP_CREATE; its buffer_size and sample_type are already checked
 * @err: says what is wrong
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int perfgrp_sampling_check_callchain(const struct perfgrp_create *arg, struct perfgrp_error *err)
{
	if (!(arg->sample_type & PERF_SAMPLE_CALLCHAIN)) {
		if (arg->sample_max_stack)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED,
					    "sample_max_stack",
					    "sample_max_stack is set, but sample_type has no PERF_SAMPLE_CALLCHAIN");
		return 0;
	}
	if (!perfgrp_core_has_callchain())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "sample_type",
				    "call chains are not supported on this kernel; the kernel log says why");
	if (arg->sample_max_stack > PERFGRP_MAX_STACK)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "sample_max_stack",
				    "sample_max_stack is %u; the maximum is %d",
				    arg->sample_max_stack, PERFGRP_MAX_STACK);
	/* The default always fits. */
	if (arg->buffer_size &&
	    max_record(arg->sample_max_stack) > perfgrp_records_ring_size(arg->buffer_size) / 2)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_LIMIT, "buffer_size",
				    "two records with call chains of %u addresses do not fit into a buffer of %u bytes",
				    arg->sample_max_stack, arg->buffer_size);
	return 0;
}

/**
 * perfgrp_sampling_set_callchain - set up attr for call chains
 * @group: the group; nothing is done if it has no call chains
 * @attr: attr of a member that is added; nothing is done if it does not sample
 *
 * If a counter excludes the kernel, so must its call chains, because the interrupt may come so
 * late that it hits the kernel.
 */
void perfgrp_sampling_set_callchain(const struct perfgrp_group *group,
				    struct perf_event_attr *attr)
{
	if (!group->sample_max_stack || !attr->sample_period)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = group->sample_max_stack;
	attr->exclude_callchain_kernel = attr->exclude_kernel;
}

/**
 * perfgrp_sampling_create - give a new group its buffer
 * @group: a new group with its target and instances; no lock is held
 * @arg: the argument of PERFGRP_CREATE, checked; nothing is done if its buffer_size is 0
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0, -ENOMEM or -ENOSPC. perfgrp_sampling_destroy() must follow even on failure.
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

/*
 * When two tasks with the same inherited events are switched, the perf core swaps their contexts,
 * so an event's count is no longer that of one task. With attr.inherit_stat the counts are swapped
 * back, but a reader that adds up all tasks' events meanwhile may count one twice or miss one.
 * From 6.12 on a context with an inherited event that has PERF_SAMPLE_READ is not swapped
 * (nr_no_switch_fast in struct perf_event_context), so a dummy event of that kind is enough.
 * Before 6.12 the perf core refuses such events.
 */
static struct perf_event *create_context_event(struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
		.disabled = 1,
		.inherit = 1,
	};
	const struct perfgrp_core_request request = { .attr = &attr, .cpu = -1, .task = task };

	return perfgrp_core_create(&request);
}

/**
 * perfgrp_sampling_init - test whether the kernel can keep the contexts of tasks apart
 *
 * Process context, at module load.
 *
 * Return: 0, also if it cannot; a negative errno if the test could not be run.
 */
int perfgrp_sampling_init(void)
{
	struct perf_event *event = create_context_event(current);

	if (PTR_ERR(event) == -EINVAL)
		return 0;
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	can_keep_contexts = true;
	return 0;
}

/**
 * perfgrp_sampling_can_keep_contexts - do samples of INHERIT groups have values?
 *
 * Return: true from Linux 6.12 on.
 */
bool perfgrp_sampling_can_keep_contexts(void)
{
	return can_keep_contexts;
}

/**
 * perfgrp_sampling_keep_contexts - keep the perf core from swapping the contexts of the group's
 *	tasks
 * @group: the group; the lock is held for writing, and it has no members yet. Nothing is done
 *	without a buffer or PERFGRP_CREATE_INHERIT, or if the kernel cannot do it.
 * @err: filled in on failure
 *
 * The caller holds the exec_update_lock of the group's task. May sleep.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_sampling_keep_contexts(struct perfgrp_group *group, struct perfgrp_error *err)
{
	struct perf_event *event;

	lockdep_assert_held_write(&group->lock);

	if (!can_keep_contexts || !group->sampling || !perfgrp_group_inherits(group))
		return 0;
	event = create_context_event(group->task);
	if (IS_ERR(event))
		return perfgrp_fail_task_event(err, PTR_ERR(event), "",
					       "keeps tasks from swapping their contexts");
	group->sampling->context_event = event;
	return 0;
}

/**
 * perfgrp_sampling_release_events - undo perfgrp_sampling_keep_contexts()
 * @group: the group; the lock is held for writing, and it has no members. Nothing is done if there
 *	is nothing to undo.
 *
 * May sleep.
 */
void perfgrp_sampling_release_events(struct perfgrp_group *group)
{
	struct perfgrp_sampling *sampling = group->sampling;

	lockdep_assert_held_write(&group->lock);

	if (!sampling || !sampling->context_event)
		return;
	perf_event_release_kernel(sampling->context_event);
	sampling->context_event = NULL;
}

/**
 * perfgrp_sampling_uncharge - uncharge the buffer's memory from its user
 * @group: the group; it is freed as soon as nobody uses it any more
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
