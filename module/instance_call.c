// SPDX-License-Identifier: GPL-2.0
/*
 * Calling a function where the events of an instance can be read: on the CPU on which they are
 * ACTIVE, or, if none is, on this CPU with the locks of their contexts held, so that none of them
 * can be scheduled in.
 *
 * Process context. perfgrp_group.lock is held, at least for reading.
 */
#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "away.h"
#include "group.h"
#include "instance_call.h"
#include "perfcore.h"

/**
 * struct call - a call in progress
 * @group: the group
 * @instance: index of the instance
 * @fn: to be called
 * @info: its argument
 * @done: it was called
 *
 * On the caller's stack.
 */
struct call {
	struct perfgrp_group *group;
	unsigned int instance;
	void (*fn)(void *info);
	void *info;
	bool done;
};

/* An ACTIVE event of the instance, or NULL. May be stale at once without the contexts' locks. */
static struct perf_event *active_event(struct perfgrp_group *group, unsigned int instance)
{
	const struct perfgrp_member_instance *counter;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[instance];
		if (counter->event && READ_ONCE(counter->event->state) == PERF_EVENT_STATE_ACTIVE)
			return counter->event;
		if (counter->away &&
		    READ_ONCE(counter->away->event->state) == PERF_EVENT_STATE_ACTIVE)
			return counter->away->event;
	}
	return NULL;
}

/* Interrupts are off. */
static void run(struct call *call)
{
	call->fn(call->info);
	call->done = true;
}

/* With the contexts' locks held. */
static void run_if_off(void *info)
{
	struct call *call = info;

	if (!active_event(call->group, call->instance))
		run(call);
}

static void try_off(struct call *call)
{
	struct perfgrp_core_contexts contexts = {};
	struct perfgrp_group *group = call->group;
	const struct perf_event *event;
	unsigned int i;

	if (active_event(group, call->instance))
		return;
	for (i = 0; i < group->nr_members; i++) {
		event = group->members[i]->instances[call->instance].event;
		if (!event || !perfgrp_core_add_context(&contexts, event))
			return;
	}
	perfgrp_core_call_locked(&contexts, run_if_off, call);
}

/**
 * perfgrp_call_if_off - call a function while none of an instance's events is ACTIVE
 * @group: the group; the lock is held
 * @instance: index of the instance
 * @fn: called with interrupts off
 * @info: passed to @fn
 *
 * Return: true if @fn was called; false if an event is ACTIVE, if there are too many contexts to
 * lock at once, or if an event is missing because it could not be created.
 */
bool perfgrp_call_if_off(struct perfgrp_group *group, unsigned int instance,
			 void (*fn)(void *info), void *info)
{
	struct call call = { .group = group, .instance = instance, .fn = fn, .info = info };

	lockdep_assert_held(&group->lock);

	try_off(&call);
	return call.done;
}

/*
 * IPI to the CPU on which the task was seen. If it is still there it cannot be switched out now,
 * as interrupts are off.
 */
static void run_if_here(void *info)
{
	struct call *call = info;
	const struct perf_event *event = active_event(call->group, 0);

	if (event && READ_ONCE(event->oncpu) == smp_processor_id())
		run(call);
}

/**
 * perfgrp_call_on_task - call a function where the events of a group's task can be read
 * @group: a group of a task, with members that are not inherited; the lock is held
 * @killable: give up on a fatal signal
 * @fn: called once, with interrupts off
 * @info: passed to @fn
 *
 * Return: whether it was called.
 */
bool perfgrp_call_on_task(struct perfgrp_group *group, bool killable, void (*fn)(void *info),
			  void *info)
{
	struct call call = { .group = group, .fn = fn, .info = info };
	const struct perf_event *event;
	int cpu;

	lockdep_assert_held(&group->lock);

	/* A round fails only if the task was switched in or out during it. */
	while (!call.done) {
		event = active_event(group, 0);
		cpu = event ? READ_ONCE(event->oncpu) : -1;
		if (!event)
			try_off(&call);
		else if (cpu >= 0)
			smp_call_function_single(cpu, run_if_here, &call, true);
		if (killable && fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return call.done;
}
