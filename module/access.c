// SPDX-License-Identifier: GPL-2.0
/*
 * Who may do what.
 *
 * Whoever has CAP_PERFMON may count anything. Without it, and only where the
 * module parameter allows it, one may count one's own tasks in user mode. A
 * kernel counter that a worker creates passes the perf core's own checks, so
 * these are made here, in the caller's context, when a group or a counter is
 * asked for. A setuid exec removes the task's counters by the perf core's own
 * doing; so that none is created on the other side of it, a task's counters are
 * looked at, allowed and created while it cannot exec.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "access.h"
#include "error.h"
#include "group.h"
#include "perfgrp.h"

static bool allow_unprivileged;
module_param(allow_unprivileged, bool, 0644);
MODULE_PARM_DESC(allow_unprivileged,
		 "count own tasks in user mode without CAP_PERFMON (default: off)");

/* How many groups a user has open, by uid. The xarray's lock covers changes. */
static DEFINE_XARRAY(groups_of_user);

/**
 * perfgrp_access_unprivileged_allowed - may callers without CAP_PERFMON count at all?
 *
 * Return: the module parameter.
 */
bool perfgrp_access_unprivileged_allowed(void)
{
	return READ_ONCE(allow_unprivileged);
}

/*
 * The caller's own: the same user in every respect, with no more capabilities, and
 * not a task that was something else before (its memory may not be dumped by that
 * user).
 */
static bool is_own_task(struct task_struct *task)
{
	const struct cred *cred, *own = current_cred();
	struct mm_struct *mm;
	bool same;

	if (same_thread_group(task, current))
		return true;

	rcu_read_lock();
	cred = __task_cred(task);
	same = uid_eq(own->uid, cred->uid) && uid_eq(own->uid, cred->euid) &&
	       uid_eq(own->uid, cred->suid) && gid_eq(own->gid, cred->gid) &&
	       gid_eq(own->gid, cred->egid) && gid_eq(own->gid, cred->sgid) &&
	       own->user_ns == cred->user_ns &&
	       cap_issubset(cred->cap_permitted, own->cap_permitted);
	rcu_read_unlock();
	if (!same)
		return false;

	mm = get_task_mm(task);
	if (!mm)
		return false;
	same = get_dumpable(mm) == SUID_DUMP_USER;
	mmput(mm);
	return same;
}

/**
 * perfgrp_access_group - may the caller create this group, or add anything to it?
 * @group: whose target is set
 * @err: says why not
 *
 * Return: 0 or -EACCES.
 */
int perfgrp_access_group(struct perfgrp_group *group, struct perfgrp_error *err)
{
	if (perfmon_capable())
		return 0;
	if (!perfgrp_access_unprivileged_allowed())
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				    "needs CAP_PERFMON (or the module parameter allow_unprivileged, for one's own tasks)");
	if (group->target != PERFGRP_TARGET_TASK)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "target",
				    "counting CPUs needs CAP_PERFMON; allow_unprivileged is for one's own tasks");
	if (!is_own_task(group->task))
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "pid",
				    "counting a task of another user needs CAP_PERFMON");
	if (group->flags & (PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_EXCLUSIVE))
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "keeping others off the PMU needs CAP_PERFMON");
	if (group->flags & PERFGRP_CREATE_BPF_EVENTS)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "records of BPF programs need CAP_PERFMON");
	return 0;
}

/**
 * perfgrp_access_counter - may the caller have this counter?
 * @desc: this one; perfgrp_access_group() has allowed the group
 * @err: says why not
 *
 * Return: 0 or -EACCES.
 */
int perfgrp_access_counter(const struct perfgrp_counter *desc, struct perfgrp_error *err)
{
	const u32 user_only = PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV;

	if (perfmon_capable())
		return 0;
	if ((desc->flags & user_only) != user_only)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "without CAP_PERFMON only user mode is counted: set EXCLUDE_KERNEL and EXCLUDE_HV");
	return 0;
}

/**
 * perfgrp_access_charge_group - count a new group against its user's limit
 * @owner: the user
 * @err: says which limit
 *
 * Return: 0, -ENOSPC or -ENOMEM; after 0 perfgrp_access_uncharge_group() must follow.
 */
int perfgrp_access_charge_group(kuid_t owner, struct perfgrp_error *err)
{
	unsigned long uid = __kuid_val(owner);
	unsigned long open;
	void *old;

	/* So that storing below, with the lock held, has its memory. */
	if (xa_reserve(&groups_of_user, uid, GFP_KERNEL))
		return perfgrp_fail_memory(err);

	xa_lock(&groups_of_user);
	old = xa_load(&groups_of_user, uid);
	open = old ? xa_to_value(old) : 0;
	if (open >= PERFGRP_MAX_GROUPS) {
		xa_unlock(&groups_of_user);
		return perfgrp_fail(err, -ENOSPC, PERFGRP_REASON_LIMIT, "",
				    "this user has %d groups open, which is the limit",
				    PERFGRP_MAX_GROUPS);
	}
	old = __xa_store(&groups_of_user, uid, xa_mk_value(open + 1), GFP_ATOMIC);
	xa_unlock(&groups_of_user);
	if (xa_is_err(old))
		return perfgrp_fail_memory(err);
	return 0;
}

void perfgrp_access_uncharge_group(kuid_t owner)
{
	unsigned long uid = __kuid_val(owner);
	unsigned long open;

	xa_lock(&groups_of_user);
	open = xa_to_value(xa_load(&groups_of_user, uid));
	if (open > 1)
		__xa_store(&groups_of_user, uid, xa_mk_value(open - 1), GFP_ATOMIC);
	else
		__xa_erase(&groups_of_user, uid);
	xa_unlock(&groups_of_user);
}

/* What anyone may have for each CPU: as kernel.perf_event_mlock_kb is by default. */
#define FREE_BUFFER (516 << 10)

/**
 * perfgrp_access_charge_buffer - count a buffer against the memory that its user may lock
 * @user: the user
 * @nr_pages: the buffer's size
 * @err: says which limit
 *
 * In the same account as the buffers of perf and io_uring. The limit is RLIMIT_MEMLOCK
 * and a little for each CPU; there is none with CAP_IPC_LOCK.
 *
 * Return: 0 or -ENOSPC; after 0 perfgrp_access_uncharge_buffer() must follow.
 */
int perfgrp_access_charge_buffer(struct user_struct *user, unsigned long nr_pages,
				 struct perfgrp_error *err)
{
	unsigned long limit = (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) +
			      num_online_cpus() * (unsigned long)(FREE_BUFFER >> PAGE_SHIFT);
	long locked = atomic_long_read(&user->locked_vm);

	do {
		if (locked + nr_pages > limit && !capable(CAP_IPC_LOCK))
			return perfgrp_fail(err, -ENOSPC, PERFGRP_REASON_LIMIT, "buffer_size",
					    "%lu KiB for all CPUs: this user may lock %lu KiB, and has locked %lu KiB (RLIMIT_MEMLOCK; CAP_IPC_LOCK knows no limit)",
					    nr_pages << (PAGE_SHIFT - 10),
					    limit << (PAGE_SHIFT - 10),
					    locked << (PAGE_SHIFT - 10));
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &locked, locked + nr_pages));
	return 0;
}

void perfgrp_access_uncharge_buffer(struct user_struct *user, unsigned long nr_pages)
{
	atomic_long_sub(nr_pages, &user->locked_vm);
}
