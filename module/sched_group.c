// SPDX-License-Identifier: GPL-2.0
/*
 * Which events go under which leader.
 *
 * The hardware members that one PMU counts on one instance are one scheduling group of the
 * perf core: the first is the leader, the others are created under it and are scheduled with it.
 * Software members are never multiplexed and stand alone. If the perf core cannot be made to link
 * events, each member stands alone. perf_event.group_leader is the only record of which events
 * belong together.
 *
 * The type and config of an event do not determine its PMU (AMD forwards precise cycles to IBS,
 * hybrid machines have a PMU for each kind of core), and linking events of two PMUs corrupts the
 * perf core. So an event is created under the leader that it is likely to belong to;
 * perfgrp_core_create() fails if the PMUs differ. If there is no such leader, or creation under it
 * failed, the event is created alone, which yields its PMU or the real error. If there is a leader
 * on that PMU, the event is then created again under it.
 *
 * Process context, perfgrp_group.lock held for writing.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "cgroup.h"
#include "error.h"
#include "event.h"
#include "group.h"
#include "hotplug.h"
#include "overflow.h"
#include "perfcore.h"
#include "sched_group.h"

/* ---- errors -------------------------------------------------------------- */

/*
 * Events of the PMUs kprobe and uprobe describe their probe by a pointer into the memory of the
 * task that creates them. That cannot work after CPU hotplug, when a worker creates them.
 */
static int fail_probe_pmu(const struct perfgrp_member *member, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];

	return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_EVENT, "type",
			    "%s: PMUs whose config is a user pointer are not supported; define the probe in tracefs and count it as a tracepoint",
			    perfgrp_event_name(&member->desc, buf));
}

/* The field of struct perfgrp_counter that names the event. */
static const char *event_field(const struct perfgrp_member *member)
{
	return member->desc.flags & PERFGRP_COUNTER_RAW ? "config" : "event";
}

static int fail_event(const struct perfgrp_group *group, const struct perfgrp_member *member,
		      int cpu, int ret, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	const char *name = perfgrp_event_name(&member->desc, buf);
	const char *field = event_field(member);

	err->cpu = cpu;
	switch (ret) {
	case -ENOENT:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT, field,
				    "%s: no PMU of this machine counts it", name);
	case -EOPNOTSUPP:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT, field,
				    "%s: the PMU does not count it, or not with these options",
				    name);
	case -ENODEV:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT, field,
				    "%s: its device does not exist", name);
	case -EINVAL:
		return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION, field,
				    "%s: the PMU refuses this config or these options%s", name,
				    group->cgroup ? ", or cannot count cgroups (uncore)" : "");
	case -ESRCH:
		return perfgrp_fail(err, ret, PERFGRP_REASON_PID, "pid", "the task has exited");
	case -EACCES:
	case -EPERM:
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, field,
				    "%s: the perf core does not permit the caller to count it",
				    name);
	case -ENOSPC:
		return perfgrp_fail(err, ret, PERFGRP_REASON_LIMIT, field,
				    "%s: the hardware has no slot left for it", name);
	case -EOVERFLOW:
		return perfgrp_fail(err, -ENOSPC, PERFGRP_REASON_LIMIT, "sample_max_stack",
				    "%s: a call chain of %u addresses is longer than sysctl kernel.perf_event_max_stack allows",
				    name, member->attr.sample_max_stack);
	case -EBUSY:
		return perfgrp_fail(err, ret, PERFGRP_REASON_PMU_BUSY, field,
				    "%s: its PMU counts one event at a time and is in use",
				    name);
	case -ENOMEM:
		return perfgrp_fail(err, ret, PERFGRP_REASON_MEMORY, "", "no memory");
	case -EXDEV:
		return perfgrp_fail(err, -EBUSY, PERFGRP_REASON_KERNEL, field,
				    "%s: the perf core did not put it into its scheduling group or cgroup; are kprobes disarmed? (/sys/kernel/debug/kprobes/enabled)",
				    name);
	case -EFAULT:
		/* No other PMU reads user memory. */
		return fail_probe_pmu(member, err);
	default:
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, field,
				    "%s: the perf core refused it with errno %d", name, -ret);
	}
}

static int fail_full(const struct perfgrp_member *member, int cpu, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];

	err->cpu = cpu;
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_PMU_FULL, event_field(member),
			    "%s: the PMU counts it alone, but cannot count it at the same time as the group's other members",
			    perfgrp_event_name(&member->desc, buf));
}

/* ---- leaders ------------------------------------------------------------- */

/* The event that a member has, or with @prepared will have once that is committed. */
static struct perf_event *member_event(const struct perfgrp_member *member, unsigned int instance,
				       bool prepared)
{
	const struct perfgrp_member_instance *counter = &member->instances[instance];

	return prepared ? counter->prepared : counter->event;
}

/*
 * Can events on @cpu be put under this one? Not if it is dead, or if its driver has moved it to
 * another CPU.
 */
static bool can_lead(const struct perf_event *event, int cpu)
{
	return event && event->group_leader == event && READ_ONCE(event->cpu) == cpu &&
	       !perfgrp_core_is_dead(event);
}

/* The leader on @pmu, a hardware PMU, among the first @nr members; NULL if there is none. */
static struct perf_event *find_sched_leader(const struct perfgrp_group *group,
					    unsigned int instance, unsigned int nr,
					    const struct pmu *pmu, bool prepared)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		event = member_event(group->members[i], instance, prepared);
		if (can_lead(event, group->instances[instance].cpu) &&
		    READ_ONCE(event->pmu) == pmu)
			return event;
	}
	return NULL;
}

/*
 * May the event be on @pmu, judging by its type? Uncore PMUs have types of their own. Do not try
 * uncore leaders otherwise: their PMU may be unregistered at any time, and x86 dereferences the
 * leader's PMU without checking that it still exists (validate_group() of 7.3.4).
 */
static bool may_share_pmu(const struct perf_event_attr *attr, const struct perfgrp_core_pmu *pmu)
{
	return attr->type < PERF_TYPE_MAX ? !pmu->uncore : attr->type == pmu->type;
}

/*
 * The leader that group->members[index] probably belongs under, or NULL: the one on the PMU that
 * counts the member on a previous instance; if there is none, the most recent one on a PMU that
 * may count the member.
 */
static struct perf_event *find_likely_leader(const struct perfgrp_group *group,
					     unsigned int instance, unsigned int index,
					     bool prepared)
{
	const struct perfgrp_member *member = group->members[index];
	struct perfgrp_core_pmu pmu;
	struct perf_event *event;
	unsigned int i;

	if (!perfgrp_core_can_link() || perfgrp_event_is_software(&member->attr))
		return NULL;
	for (i = instance; i--;) {
		event = member_event(member, i, prepared);
		if (!event)
			continue;
		if (member->instances[i].software)
			return NULL;
		return find_sched_leader(group, instance, index, READ_ONCE(event->pmu), prepared);
	}
	for (i = index; i--;) {
		event = member_event(group->members[i], instance, prepared);
		if (can_lead(event, group->instances[instance].cpu) &&
		    perfgrp_core_get_pmu(event, &pmu) && !pmu.software &&
		    may_share_pmu(&member->attr, &pmu))
			return event;
	}
	return NULL;
}

/**
 * perfgrp_sched_group_needs_probe - must perfgrp_core_link_begin() precede a member's events?
 * @group: the group; the lock is held for writing
 * @index: of the member in @group->members
 *
 * Return: true if the group counts a cgroup, or if the member may, judging by its type, share its
 * PMU with an earlier member.
 */
bool perfgrp_sched_group_needs_probe(const struct perfgrp_group *group, unsigned int index)
{
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	if (group->cgroup)
		return true;
	if (!perfgrp_core_can_link() || perfgrp_event_is_software(&group->members[index]->attr))
		return false;
	for (i = 0; i < index; i++)
		if (!perfgrp_event_is_software(&group->members[i]->attr))
			return true;
	return false;
}

/**
 * perfgrp_sched_group_number - the number of the scheduling group that an event is in
 * @group: the group; the lock is held for writing
 * @instance: index of the instance
 * @index: index of the member in @group->members
 * @prepared: look at prepared events, not at current ones
 *
 * Return: id of the member whose event is its leader; 0 if it has no event.
 */
u32 perfgrp_sched_group_number(const struct perfgrp_group *group, unsigned int instance,
			       unsigned int index, bool prepared)
{
	const struct perf_event *event = member_event(group->members[index], instance, prepared);
	unsigned int i;

	lockdep_assert_held_write(&group->lock);

	for (i = 0; event && i <= index; i++)
		if (member_event(group->members[i], instance, prepared) == event->group_leader)
			return group->members[i]->id;
	return 0;
}

/* ---- creating an event --------------------------------------------------- */

/*
 * Attributes that the group sets in a leader, or in an event that stands alone. Inherited counters
 * count all the time, because their children could not be stopped: see control.c.
 */
static void init_leader_attr(const struct perfgrp_group *group, struct perf_event_attr *attr)
{
	attr->disabled = group->enable_on_exec || !perfgrp_group_inherits(group);
	attr->enable_on_exec = group->enable_on_exec;
	attr->pinned = !!(group->flags & PERFGRP_CREATE_NO_MUX);
	attr->exclusive =
		group->flags & PERFGRP_CREATE_EXCLUSIVE && !perfgrp_event_is_software(attr);
}

static struct perf_event *create(struct perfgrp_group *group, int cpu, struct perf_event_attr *attr,
				 struct perf_event *leader)
{
	const struct perfgrp_core_request request = {
		.attr = attr,
		.cpu = cpu,
		.task = group->task,
		.cgroup = group->cgroup ? &group->cgroup->core : NULL,
		.leader = leader,
		.handler = attr->sample_period ? perfgrp_overflow : NULL,
		.context = group,
	};

	return perfgrp_core_create(&request);
}

static struct perf_event *create_alone(struct perfgrp_group *group, int cpu,
				       const struct perfgrp_member *member)
{
	struct perf_event_attr attr = member->attr;

	init_leader_attr(group, &attr);
	return create(group, cpu, &attr, NULL);
}

static struct perf_event *create_under(struct perfgrp_group *group, int cpu,
				       const struct perfgrp_member *member,
				       struct perf_event *leader)
{
	struct perf_event_attr attr = member->attr;

	attr.disabled = 0;
	return create(group, cpu, &attr, leader);
}

/* Create the event alone, which fails if it is invalid by itself; then under its leader, if any. */
static struct perf_event *create_unknown(struct perfgrp_group *group, unsigned int instance,
					 unsigned int index, bool prepared,
					 struct perf_event **leader)
{
	const struct perfgrp_member *member = group->members[index];
	int cpu = group->instances[instance].cpu;
	struct perfgrp_core_pmu pmu;
	struct perf_event *event;

	*leader = NULL;
	event = create_alone(group, cpu, member);
	if (IS_ERR(event) || !perfgrp_core_can_link())
		return event;
	/* check_event() refuses a revoked event. */
	if (!perfgrp_core_get_pmu(event, &pmu) || pmu.software)
		return event;
	/* check_event() also refuses an event that is counted on another CPU. */
	if (READ_ONCE(event->cpu) != cpu)
		return event;
	*leader = find_sched_leader(group, instance, index, pmu.id, prepared);
	if (!*leader)
		return event;
	perf_event_release_kernel(event);
	return create_under(group, cpu, member, *leader);
}

/*
 * Create the event of group->members[index] on an instance, in its scheduling group. Leaders are
 * looked for among the events of the members before it.
 */
static struct perf_event *create_in_sched_group(struct perfgrp_group *group, unsigned int instance,
						unsigned int index, bool prepared,
						struct perfgrp_error *err)
{
	const struct perfgrp_member *member = group->members[index];
	int cpu = group->instances[instance].cpu;
	struct perf_event *event, *leader;

	leader = find_likely_leader(group, instance, index, prepared);
	if (leader) {
		event = create_under(group, cpu, member, leader);
		if (!IS_ERR(event))
			return event;
	}
	event = create_unknown(group, instance, index, prepared, &leader);
	if (!IS_ERR(event))
		return event;
	if (event == ERR_PTR(-ENOENT) && perfgrp_cgroup_removed(group))
		return ERR_PTR(perfgrp_cgroup_fail_removed(err));
	/* The event was accepted alone, so the group does not fit on the PMU. */
	if (leader && event == ERR_PTR(-EINVAL))
		return ERR_PTR(fail_full(member, cpu, err));
	return ERR_PTR(fail_event(group, member, cpu, PTR_ERR(event), err));
}

/* ---- checking an event --------------------------------------------------- */

/*
 * A PMU of a whole package may count on any of its CPUs. Then each CPU's row would show the same
 * count, and totals would add it up repeatedly. So a group with several instances may only have
 * CPUs in the PMU's cpumask, one for each package, which are those that perf opens events on. This
 * is checked only when the member is added: a CPU that was offline meanwhile is no longer in the
 * cpumask, but is still the group's only one of its package.
 */
static int check_cpumask(const struct perfgrp_group *group, struct perf_event *event,
			 const struct perfgrp_core_pmu *pmu, const struct perfgrp_member *member,
			 int cpu, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	cpumask_var_t cpus;
	bool in_cpumask;

	if (!pmu->uncore || group->nr_instances == 1)
		return 0;
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return perfgrp_fail_memory(err);
	in_cpumask = perfgrp_core_is_in_cpumask(event, cpu, cpus);
	free_cpumask_var(cpus);
	if (in_cpumask)
		return 0;
	err->cpu = cpu;
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, event_field(member),
			    "%s: PMU %s counts for several CPUs at once; use the CPUs in its cpumask file",
			    perfgrp_event_name(&member->desc, buf), pmu->name);
}

/*
 * The count of a whole package cannot be charged to one cgroup. Besides, the PMU's read() may wake
 * a task, which sched_switch's handler must not do.
 */
static int check_split(const struct perfgrp_group *group, const struct perfgrp_core_pmu *pmu,
		       const struct perfgrp_member *member, struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];

	if (!group->split || !pmu->uncore)
		return 0;
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, event_field(member),
			    "%s: PMU %s does not count tasks (uncore), so its counts cannot be split by cgroup",
			    perfgrp_event_name(&member->desc, buf), pmu->name);
}

/*
 * A driver may count the event on a CPU of its own choice; the row of @cpu would then show the
 * count of that one.
 */
static int check_cpu(const struct perf_event *event, const struct perfgrp_member *member, int cpu,
		     struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];

	if (cpu >= 0 && event->cpu != cpu) {
		err->cpu = cpu;
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, event_field(member),
				    "%s: its PMU counts it on CPU %d only; use that CPU",
				    perfgrp_event_name(&member->desc, buf), event->cpu);
	}
	return 0;
}

/* See fail_probe_pmu(). If the pointer is invalid creation fails: see -EFAULT in fail_event(). */
static int check_probe_pmu(const struct perfgrp_core_pmu *pmu, const struct perfgrp_member *member,
			   struct perfgrp_error *err)
{
	if (strcmp(pmu->name, "kprobe") && strcmp(pmu->name, "uprobe"))
		return 0;
	return fail_probe_pmu(member, err);
}

/*
 * Kernel counters skip perf_event_open()'s sample_freq check; perf_event_period() does it. This is
 * checked only when the member is added: the kernel lowers its limit by itself if overflows take
 * too long, which must not break members that are already there.
 */
static int check_frequency(struct perf_event *event, const struct perfgrp_member *member,
			   struct perfgrp_error *err)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	int ret;

	if (!member->attr.freq)
		return 0;
	ret = perfgrp_core_set_period(event, true, member->desc.sample_freq);
	if (!ret)
		return 0;
	return perfgrp_fail(err, ret, PERFGRP_REASON_EVENT_OPTION, "sample_freq",
			    "%s: %llu Hz is above sysctl kernel.perf_event_max_sample_rate, or too low for the PMU",
			    perfgrp_event_name(&member->desc, buf), member->desc.sample_freq);
}

/* ONE_SCHED_GROUP: refuse a second scheduling group. */
static int check_one_sched_group(struct perfgrp_group *group, unsigned int instance,
				 unsigned int nr, const struct perf_event *event,
				 const struct perfgrp_core_pmu *pmu,
				 const struct perfgrp_member *member, bool prepared,
				 struct perfgrp_error *err)
{
	struct perfgrp_core_pmu other_pmu = {};
	char buf[PERFGRP_EVENT_NAME_LEN];
	struct perf_event *other;
	unsigned int i;

	if (!(group->flags & PERFGRP_CREATE_ONE_SCHED_GROUP) || pmu->software)
		return 0;
	for (i = 0; i < nr; i++) {
		other = member_event(group->members[i], instance, prepared);
		if (!other || other->group_leader == event->group_leader ||
		    !perfgrp_core_get_pmu(other, &other_pmu) || other_pmu.software)
			continue;
		err->cpu = group->instances[instance].cpu;
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_TARGET, event_field(member),
				    "%s: PMU %s counts it, but PMU %s the group; ONE_SCHED_GROUP allows one PMU only",
				    perfgrp_event_name(&member->desc, buf), pmu->name,
				    other_pmu.name);
	}
	return 0;
}

static int check_event(struct perfgrp_group *group, unsigned int instance, unsigned int index,
		       struct perf_event *event, bool prepared, struct perfgrp_error *err)
{
	const struct perfgrp_member *member = group->members[index];
	const bool added = index >= group->nr_members;
	int cpu = group->instances[instance].cpu;
	struct perfgrp_core_pmu pmu;
	int ret;

	if (!perfgrp_core_get_pmu(event, &pmu))
		return fail_event(group, member, cpu, -ENODEV, err);
	ret = check_probe_pmu(&pmu, member, err);
	if (!ret && added)
		ret = check_frequency(event, member, err);
	if (!ret)
		ret = check_split(group, &pmu, member, err);
	if (!ret)
		ret = check_cpu(event, member, cpu, err);
	if (!ret && added)
		ret = check_cpumask(group, event, &pmu, member, cpu, err);
	if (!ret)
		ret = check_one_sched_group(group, instance, index, event, &pmu, member, prepared,
					    err);
	return ret;
}

/**
 * perfgrp_sched_group_create_event - create and check a member's event on an instance
 * @group: the group; the lock is held for writing
 * @instance: index of the instance, which is usable
 * @index: index of the member in @group->members
 * @prepared: link it with prepared events, not with current ones
 * @err: says why it is refused
 *
 * Return: the event, disabled unless its leader is enabled; NULL if the CPU went offline,
 * and then the hotplug worker creates it later; or an ERR_PTR().
 */
struct perf_event *perfgrp_sched_group_create_event(struct perfgrp_group *group,
						    unsigned int instance, unsigned int index,
						    bool prepared, struct perfgrp_error *err)
{
	const struct perfgrp_instance *on = &group->instances[instance];
	const struct cred *cred;
	struct perf_event *event;
	int ret;

	lockdep_assert_held_write(&group->lock);

	/* From 6.14 on override_creds() takes no reference; the member holds one. */
	cred = override_creds(group->members[index]->cred);
	event = create_in_sched_group(group, instance, index, prepared, err);
	revert_creds(cred);
	if (!IS_ERR(event)) {
		ret = check_event(group, instance, index, event, prepared, err);
		if (ret) {
			perf_event_release_kernel(event);
			event = ERR_PTR(ret);
		}
	}
	/*
	 * An event created while the CPU went offline may be dead, and the perf core may have
	 * split up its scheduling group. So neither the event nor an error is valid.
	 */
	if (group->task || (!test_bit(0, &on->lost) && perfgrp_hotplug_cpu_usable(on->cpu)))
		return event;
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	/* As before: a later error may concern no CPU. */
	err->cpu = -1;
	return NULL;
}
