// SPDX-License-Identifier: GPL-2.0
/*
 * The life of the perf events of one instance: created, started, stopped, replaced,
 * released.
 *
 * Events are replaced in steps, so that a failure changes nothing and lockless readers never see
 * a released event: new events are prepared (member_instance.prepared); the old ones are stopped
 * and their counts accumulated in the base; the prepared ones take their place and the old ones
 * are retired; event arrays are published; the retired events are released.
 *
 * Process context, perfgrp_group.lock held for writing.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "away.h"
#include "counter.h"
#include "error.h"
#include "group.h"
#include "perfcore.h"
#include "sched_group.h"
#include "value.h"

/* ---- creating ------------------------------------------------------------ */

/* ARCH_PERFMON_EVENTSEL_ANY, in attr.config; only x86 headers define it. */
#define INTEL_ANY_THREAD BIT_ULL(21)

/*
 * Whether the CPU's own PMU may count an event while the CPU is idle. Events that are caused by
 * instructions, or that exclude the kernel, do not count then. On x86 cycles do not count while the
 * CPU is halted, except with AnyThread (Intel PMU versions 3 and 4), which includes those of the
 * other hyperthread. On arm64 it is IMPLEMENTATION DEFINED whether CPU_CYCLES and similar events
 * count in WFI (Arm ARM, DDI0487, "Cycle event counting"). Other architectures are treated like
 * arm64.
 */
static bool hardware_counts_at_rest(const struct perf_event_attr *attr)
{
	bool generic = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;

	if (IS_ENABLED(CONFIG_X86))
		return !generic && attr->config & INTEL_ANY_THREAD;
	if (attr->exclude_kernel)
		return false;
	if (attr->type != PERF_TYPE_HARDWARE)
		return !generic;
	switch (attr->config & PERF_HW_EVENT_MASK) {
	case PERF_COUNT_HW_INSTRUCTIONS:
	case PERF_COUNT_HW_CACHE_REFERENCES:
	case PERF_COUNT_HW_CACHE_MISSES:
	case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
	case PERF_COUNT_HW_BRANCH_MISSES:
		return false;
	default:
		return true;
	}
}

/*
 * Clocks go on while a CPU is idle, and so may events of PMUs such as "msr". A tracepoint may be
 * hit on the way to idle. A context switch is counted after sched_switch, at which a task's row is
 * written.
 */
static bool counts_at_rest(const struct perfgrp_group *group, const struct perfgrp_core_pmu *pmu,
			   const struct perf_event_attr *attr)
{
	if (pmu->uncore)
		return true;
	if (!pmu->software)
		return !group->task && hardware_counts_at_rest(attr);
	if (attr->type != PERF_TYPE_SOFTWARE)
		return attr->type != PERF_TYPE_BREAKPOINT;
	switch (attr->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return true;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CGROUP_SWITCHES:
		return group->task;
	default:
		return false;
	}
}

/* Copy what is needed of the event's PMU, which may be unregistered later. */
static void note_pmu(struct perfgrp_group *group, struct perfgrp_member_instance *counter,
		     struct perf_event *event)
{
	struct perfgrp_core_pmu pmu;

	if (!perfgrp_core_get_pmu(event, &pmu))
		return;
	counter->pmu = pmu.type;
	counter->software = pmu.software;
	counter->uncore = pmu.uncore;
	if (pmu.uncore)
		WRITE_ONCE(group->uncore, true);
	counter->counts_at_rest = counts_at_rest(group, &pmu, &event->attr);
}

/* Share another member's perfgrp_away for @cpus, or create one. */
static struct perfgrp_away *get_away(struct perfgrp_group *group, unsigned int index,
				     const struct cpumask *cpus)
{
	const struct perf_event_attr like = {
		.disabled = group->enable_on_exec || !perfgrp_group_inherits(group),
		.enable_on_exec = group->enable_on_exec,
		.exclude_guest = group->members[index]->attr.exclude_guest,
	};
	struct perfgrp_away *away;
	unsigned int i;

	for (i = 0; i < index; i++) {
		away = group->members[i]->instances[0].away;
		if (away && away->event->attr.exclude_guest == like.exclude_guest &&
		    cpumask_equal(to_cpumask(away->cpus), cpus)) {
			away->users++;
			return away;
		}
	}
	return perfgrp_away_create(group->task, cpus, &like);
}

/* Needed if the task can run where its new event does not count: see struct perfgrp_away. */
static int attach_away(struct perfgrp_group *group, unsigned int index, struct perfgrp_error *err)
{
	struct perfgrp_member_instance *counter = &group->members[index]->instances[0];
	int cpu = group->instances[0].cpu;
	struct perfgrp_away *away;
	cpumask_var_t cpus;
	int ret = 0;

	if (counter->software) {
		counter->goes_away = cpu >= 0;
		return 0;
	}
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return perfgrp_fail_memory(err);
	if (perfgrp_away_cpus(counter->event, cpu, cpus)) {
		away = get_away(group, index, cpus);
		if (IS_ERR(away)) {
			ret = PTR_ERR(away);
		} else {
			counter->away = away;
			counter->goes_away = true;
		}
	}
	free_cpumask_var(cpus);
	if (ret)
		return perfgrp_fail_task_event(err, ret, "",
					       "shows when the task runs on other CPUs");
	return 0;
}

/**
 * perfgrp_counter_create - create a member's event on one instance, disabled
 * @group: the group
 * @instance: index of the instance, which is usable
 * @index: of the member in @group->members
 * @err: filled in on failure
 *
 * Return: 0, also if the CPU went offline (then there is no event); or a negative errno.
 */
int perfgrp_counter_create(struct perfgrp_group *group, unsigned int instance, unsigned int index,
			   struct perfgrp_error *err)
{
	struct perfgrp_member_instance *counter = &group->members[index]->instances[instance];
	struct perf_event *event;

	lockdep_assert_held_write(&group->lock);

	event = perfgrp_sched_group_create_event(group, instance, index, false, err);
	if (IS_ERR_OR_NULL(event))
		return PTR_ERR_OR_ZERO(event);
	counter->event = event;
	note_pmu(group, counter, event);
	counter->sched_group = perfgrp_sched_group_number(group, instance, index, false);
	return group->task ? attach_away(group, index, err) : 0;
}

/* The leader whose scheduling group is replaced; NULL if all events are. */
static struct perf_event *replaced_leader(const struct perfgrp_member *leaving,
					  unsigned int instance)
{
	return leaving ? leaving->instances[instance].event : NULL;
}

static bool is_under(const struct perfgrp_member_instance *counter,
		     const struct perf_event *leader)
{
	return !leader || (counter->event && counter->event->group_leader == leader);
}

/*
 * Whether perfgrp_instance_commit() replaces or removes a member's event. Check for a prepared
 * event, not for the leader: when a CPU goes offline the perf core breaks up its scheduling groups,
 * so the event may no longer be under the leader for which it was prepared.
 */
static bool is_replaced(const struct perfgrp_member *member, unsigned int instance,
			const struct perfgrp_member *leaving)
{
	return !leaving || member == leaving || member->instances[instance].prepared;
}

/**
 * perfgrp_instance_prepare - create new events for members of an instance
 * @group: the group
 * @instance: index of the instance
 * @leaving: a member that is about to be removed: the members that it leads get new events, it gets
 *	none, and the others keep theirs. NULL: all members get new events.
 * @err: filled in on failure
 *
 * The new events are disabled. perfgrp_instance_commit() or perfgrp_instance_abort() must follow.
 *
 * Return: 0, or a negative errno with nothing prepared.
 */
int perfgrp_instance_prepare(struct perfgrp_group *group, unsigned int instance,
			     const struct perfgrp_member *leaving, struct perfgrp_error *err)
{
	struct perf_event *event, *leader = replaced_leader(leaving, instance);
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		if (group->members[i] == leaving ||
		    !is_under(&group->members[i]->instances[instance], leader))
			continue;
		event = perfgrp_sched_group_create_event(group, instance, i, true, err);
		if (IS_ERR(event)) {
			perfgrp_instance_abort(group, instance);
			return PTR_ERR(event);
		}
		group->members[i]->instances[instance].prepared = event;
	}
	return 0;
}

/**
 * perfgrp_instance_commit - replace the current events with the prepared ones
 * @group: the group
 * @instance: index of the instance; events to be replaced have been stopped and accumulated
 * @leaving: as in perfgrp_instance_prepare()
 *
 * Members that are to be replaced but have no prepared event have none afterwards.
 * perfgrp_instance_release_retired() must follow once no event array has the old events any more.
 */
void perfgrp_instance_commit(struct perfgrp_group *group, unsigned int instance,
			     const struct perfgrp_member *leaving)
{
	struct perfgrp_member_instance *counter;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[instance];
		if (!counter->prepared)
			continue;
		note_pmu(group, counter, counter->prepared);
		counter->sched_group = perfgrp_sched_group_number(group, instance, i, true);
	}
	for (i = 0; i < group->nr_members; i++) {
		counter = &group->members[i]->instances[instance];
		if (!is_replaced(group->members[i], instance, leaving))
			continue;
		counter->retired = counter->event;
		counter->event = counter->prepared;
		counter->prepared = NULL;
	}
}

/* ---- releasing ----------------------------------------------------------- */

static void release_event(struct perf_event **event)
{
	if (!*event)
		return;
	perf_event_release_kernel(*event);
	*event = NULL;
}

/**
 * perfgrp_counter_release - release a member's events on one instance
 * @group: the group
 * @counter: the counter. Release siblings before their leader, or the perf core promotes and
 *	reschedules them.
 */
void perfgrp_counter_release(const struct perfgrp_group *group,
			     struct perfgrp_member_instance *counter)
{
	lockdep_assert_held_write(&group->lock);
	release_event(&counter->retired);
	release_event(&counter->event);
	perfgrp_away_put(counter->away);
	counter->away = NULL;
}

/**
 * perfgrp_instance_abort - release what perfgrp_instance_prepare() has created
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_abort(struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = group->nr_members; i--;)
		release_event(&group->members[i]->instances[instance].prepared);
}

/**
 * perfgrp_instance_release_retired - release what perfgrp_instance_commit() has replaced
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_release_retired(struct perfgrp_group *group, unsigned int instance)
{
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = group->nr_members; i--;)
		release_event(&group->members[i]->instances[instance].retired);
}

/* ---- counts -------------------------------------------------------------- */

/* Read an event that is stopped, or one that is inherited. */
static struct perfgrp_count read_stopped(const struct perfgrp_group *group,
					 struct perf_event *event)
{
	struct perfgrp_count count;
	unsigned long flags;

	if (perfgrp_group_inherits(group)) {
		perfgrp_core_read_inherited(event, &count);
		return count;
	}
	local_irq_save(flags);
	perfgrp_core_read(event, perfgrp_core_clock(), &count);
	local_irq_restore(flags);
	return count;
}

/* read_stopped() for the time that the task was away. */
static u64 read_stopped_away(const struct perfgrp_group *group, const struct perfgrp_away *away)
{
	unsigned long flags;
	u64 time;

	if (!away || perfgrp_group_inherits(group))
		return perfgrp_away_read_inherited(away);
	local_irq_save(flags);
	time = perfgrp_away_time(away, perfgrp_core_clock());
	local_irq_restore(flags);
	return time;
}

/**
 * perfgrp_counter_read_inherited - read a counter of an INHERIT group
 * @counter: its event is not NULL; whether it is frozen makes no difference
 * @peek: do not interrupt other CPUs; events that are running add their count as of their last read
 * @count: what it has counted since it was zero
 *
 * May sleep.
 *
 * Return: true if @count is final: the task has exited and no child is left.
 */
bool perfgrp_counter_read_inherited(const struct perfgrp_member_instance *counter, bool peek,
				    struct perfgrp_count *count)
{
	struct perfgrp_count now;
	bool final;

	final = peek ? perfgrp_core_peek_inherited(counter->event, count) :
		       perfgrp_core_read_inherited(counter->event, count);
	*count = perfgrp_count_add(counter->base, *count);
	if (count->count && !count->running) {
		/*
		 * perf_event_read() does not update the times of an event that is being scheduled
		 * out. It may have counted since they were last updated.
		 */
		perfgrp_core_peek_inherited(counter->event, &now);
		count->enabled = counter->base.enabled + now.enabled;
		count->running = counter->base.running + now.running;
	}
	/* perf_event_read_value() reads time_enabled first, too. */
	perfgrp_count_settle(count);
	if (counter->goes_away)
		perfgrp_away_subtract(counter->away,
				      peek ? perfgrp_away_peek_inherited(counter->away) :
					     perfgrp_away_read_inherited(counter->away),
				      count);
	return final;
}

/**
 * perfgrp_instance_accumulate - stop counters of an instance whose events are to be replaced,
 *	and add their counts to their bases
 * @group: the group
 * @instance: index of the instance; perfgrp_instance_commit() follows
 * @leaving: as in perfgrp_instance_prepare()
 *
 * They are stopped first, so only what happens until the new events start is lost.
 */
void perfgrp_instance_accumulate(struct perfgrp_group *group, unsigned int instance,
				 const struct perfgrp_member *leaving)
{
	struct perf_event *leader = replaced_leader(leaving, instance);
	struct perfgrp_member_instance *counter;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	if (leader)
		perfgrp_core_disable(leader);
	else
		perfgrp_instance_stop(group, instance);
	for (i = group->nr_members; i--;) {
		counter = &group->members[i]->instances[instance];
		if (!counter->event || !is_replaced(group->members[i], instance, leaving))
			continue;
		perfgrp_core_disable(counter->event);
		counter->base =
			perfgrp_count_add(counter->base, read_stopped(group, counter->event));
	}
}

/**
 * perfgrp_counter_rebase - make a counter go on from a count
 * @group: the group; it is stopped, or inherits
 * @counter: the counter
 * @from: what it is to read now
 */
void perfgrp_counter_rebase(const struct perfgrp_group *group,
			    struct perfgrp_member_instance *counter, struct perfgrp_count from)
{
	u64 away;

	lockdep_assert_held_write(&group->lock);

	counter->base = from;
	if (!counter->event)
		return;
	away = read_stopped_away(group, counter->away);
	counter->base = perfgrp_count_sub(from, read_stopped(group, counter->event));
	counter->base.enabled += away;
}

/**
 * perfgrp_counter_reset - make a counter read zero
 * @group: the group; it is stopped, or inherits
 * @counter: the counter
 */
void perfgrp_counter_reset(const struct perfgrp_group *group,
			   struct perfgrp_member_instance *counter)
{
	counter->frozen = (struct perfgrp_count){};
	perfgrp_counter_rebase(group, counter, counter->frozen);
}

/* ---- state --------------------------------------------------------------- */

/**
 * perfgrp_counter_has_siblings - would releasing this event break up a scheduling group?
 * @counter: whose event it is
 *
 * Return: whether there are events under it.
 */
bool perfgrp_counter_has_siblings(const struct perfgrp_member_instance *counter)
{
	return counter->event && counter->event->group_leader == counter->event &&
	       counter->event->nr_siblings;
}

/**
 * perfgrp_counter_failed - is an event in the error state?
 * @counter: whose event it is
 *
 * Return: true if it is: a pinned event that did not fit, or one whose PMU was unregistered.
 */
bool perfgrp_counter_failed(const struct perfgrp_member_instance *counter)
{
	return counter->event && perfgrp_core_state(counter->event) == PERF_EVENT_STATE_ERROR;
}

/**
 * perfgrp_counter_dead - has an event's task exited?
 * @counter: whose event it is
 *
 * Return: true if it has, or if it has executed a program that its user may not watch.
 */
bool perfgrp_counter_dead(const struct perfgrp_member_instance *counter)
{
	return counter->event && perfgrp_core_is_dead(counter->event) &&
	       !perfgrp_core_is_revoked(counter->event);
}

/* ---- starting and stopping ----------------------------------------------- */

/**
 * perfgrp_counters_start - start some counters of an instance
 * @group: the group
 * @instance: index of the instance
 * @first: index of the first member in @group->members
 * @nr: how many members
 *
 * Enabling a leader starts its scheduling group in one transaction of the PMU. The group's leader
 * is in the first scheduling group, which starts last and stops first: if it samples, the other
 * members count already, and have a value in each sample.
 */
void perfgrp_counters_start(struct perfgrp_group *group, unsigned int instance,
			    unsigned int first, unsigned int nr)
{
	const struct perfgrp_member_instance *counter;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	/* Before the members. Siblings, too, may have one of their own. */
	for (i = first; i < first + nr && group->task; i++) {
		counter = &group->members[i]->instances[instance];
		if (counter->away)
			perf_event_enable(counter->away->event);
	}
	for (i = first + nr; i-- > first;) {
		counter = &group->members[i]->instances[instance];
		if (counter->event && counter->event->group_leader == counter->event)
			perfgrp_core_enable(counter->event);
	}
}

/**
 * perfgrp_instance_start - start the counters of an instance
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_start(struct perfgrp_group *group, unsigned int instance)
{
	perfgrp_counters_start(group, instance, 0, group->nr_members);
}

/**
 * perfgrp_instance_stop_siblings - disable the siblings of a leader that is to be released alone
 * @group: the group
 * @instance: index of the instance
 * @leaving: the leader
 *
 * In a disabled group only the leader is OFF; its siblings are INACTIVE. When the leader is
 * released the perf core makes each of them a leader: it would count again, and its time_enabled
 * would include all the time since the group was disabled.
 */
void perfgrp_instance_stop_siblings(struct perfgrp_group *group, unsigned int instance,
				    const struct perfgrp_member *leaving)
{
	struct perf_event *leader = leaving->instances[instance].event, *event;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	if (!leader || perfgrp_core_state(leader) > PERF_EVENT_STATE_OFF)
		return;
	for (i = 0; i < group->nr_members; i++) {
		event = group->members[i]->instances[instance].event;
		if (event && event != leader && event->group_leader == leader)
			perfgrp_core_disable(event);
	}
}

/**
 * perfgrp_instance_stop - stop the counters of an instance
 * @group: the group
 * @instance: index of the instance
 */
void perfgrp_instance_stop(struct perfgrp_group *group, unsigned int instance)
{
	struct perfgrp_away *away;
	struct perf_event *event;
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; i < group->nr_members; i++) {
		event = group->members[i]->instances[instance].event;
		if (event && event->group_leader == event)
			perfgrp_core_disable(event);
	}
	if (!group->task)
		return;
	for (i = 0; i < group->nr_members; i++) {
		away = group->members[i]->instances[instance].away;
		if (away)
			perf_event_disable(away->event);
	}
}
