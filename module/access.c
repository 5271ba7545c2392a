// SPDX-License-Identifier: GPL-2.0
/*
 * Access checks and per-user limits.
 *
 * A caller with CAP_PERFMON may count anything. Without it, and only if the module
 * parameter allow_unprivileged is set, a caller may count its own tasks in user mode. On kernels
 * that export what perf_allow_kernel() needs (compat_allow_kernel()), sysctl perf_event_paranoid
 * and the security modules decide whether it may count kernel mode, too.
 *
 * For kernel counters the perf core calls security_perf_event_open(PERF_SECURITY_CPU) but makes no
 * other check. So the checks are made here, in the caller's context, when a group is created or a
 * counter is added. The perf core removes a task's events at a setuid exec. To keep an exec from
 * coming between the check of a task and the creation of its events, both are done under the
 * task's exec_update_lock. Verified in begin_new_exec() of 6.1.192, 6.12.117 and 7.3.4.
 *
 * Process context. Takes none of the module's locks; the xarrays have their own.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "access.h"
#include "compat.h"
#include "error.h"
#include "group.h"
#include "perfgrp.h"

static bool allow_unprivileged;
module_param(allow_unprivileged, bool, 0644);
MODULE_PARM_DESC(allow_unprivileged,
		 "allow counting own tasks in user mode without CAP_PERFMON (default: off)");

/* Numbers by uid, without an entry for 0. Changed under the xarray's lock. */
static DEFINE_XARRAY(groups_of_user);
static DEFINE_XARRAY(members_of_user);

/**
 * perfgrp_access_unprivileged_allowed - may callers without CAP_PERFMON count at all?
 *
 * Any context. May change at any time.
 *
 * Return: the module parameter allow_unprivileged.
 */
bool perfgrp_access_unprivileged_allowed(void)
{
	return READ_ONCE(allow_unprivileged);
}

/*
 * Whether a task is in the caller's process, or runs with the caller's uid and gid as its
 * real, effective and saved ids, in the same user namespace and with no more capabilities,
 * and is dumpable (it has not executed a setuid program, for example).
 */
static bool is_own_task(struct task_struct *task)
{
	const struct cred *cred, *own = current_cred();
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

	/*
	 * Like ptrace_may_access(). Not get_task_mm(): its mmput() may drop the last reference and
	 * tear down the address space under exec_update_lock.
	 */
	task_lock(task);
	same = task->mm && compat_is_dumpable_by_user(task, task->mm);
	task_unlock(task);
	return same;
}

/**
 * perfgrp_access_group - may the caller create this group, or add to it?
 * @group: the group, with its target, task and flags set. If it has a task the caller
 *	holds the task's exec_update_lock.
 * @err: filled in on failure
 *
 * Return: 0 or -EACCES.
 */
int perfgrp_access_group(struct perfgrp_group *group, struct perfgrp_error *err)
{
	if (perfmon_capable())
		return 0;
	if (!perfgrp_access_unprivileged_allowed())
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				    "needs CAP_PERFMON (or the module parameter allow_unprivileged, for the caller's own tasks)");
	if (group->target != PERFGRP_TARGET_TASK)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "target",
				    "counting CPUs or cgroups needs CAP_PERFMON; allow_unprivileged is for the caller's own tasks");
	if (!is_own_task(group->task))
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "pid",
				    "counting a task of another user, or one that is not dumpable, needs CAP_PERFMON");
	if (group->flags & (PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_EXCLUSIVE))
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "NO_MUX and EXCLUSIVE need CAP_PERFMON: they keep others off the PMU");
	if (group->flags & PERFGRP_CREATE_BPF_EVENTS)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "records of BPF programs need CAP_PERFMON");
	if (group->flags & PERFGRP_CREATE_MAPPED)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "MAPPED needs CAP_PERFMON: it adds work to context switches on all CPUs");
	return 0;
}

/**
 * perfgrp_access_counter - may the caller add this counter?
 * @desc: the counter; perfgrp_access_group() has allowed its group
 * @err: filled in on failure
 *
 * Return: 0 or -EACCES.
 */
int perfgrp_access_counter(const struct perfgrp_counter *desc, struct perfgrp_error *err)
{
	const u32 user_only = PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV;

	if ((desc->flags & user_only) == user_only || !compat_allow_kernel())
		return 0;
	if (PERFGRP_HAVE_ALLOW_KERNEL)
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "counting kernel mode needs CAP_PERFMON or sysctl kernel.perf_event_paranoid below 2, and the security module (LSM) must allow it; or set EXCLUDE_KERNEL and EXCLUDE_HV");
	return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
			    "without CAP_PERFMON only user mode can be counted: set EXCLUDE_KERNEL and EXCLUDE_HV");
}

/* Count one more for @owner. Returns 0, -ENOSPC if @owner already has @max, or -ENOMEM. */
static int charge(struct xarray *counts, kuid_t owner, unsigned long max)
{
	unsigned long uid = __kuid_val(owner);
	unsigned long count;
	void *old;

	/* Reserve the entry, so that __xa_store() does not allocate under the lock. */
	if (xa_reserve(counts, uid, GFP_KERNEL))
		return -ENOMEM;

	xa_lock(counts);
	old = xa_load(counts, uid);
	count = old ? xa_to_value(old) : 0;
	if (count >= max) {
		xa_unlock(counts);
		return -ENOSPC;
	}
	old = __xa_store(counts, uid, xa_mk_value(count + 1), GFP_ATOMIC);
	xa_unlock(counts);
	return xa_is_err(old) ? -ENOMEM : 0;
}

static void uncharge(struct xarray *counts, kuid_t owner)
{
	unsigned long uid = __kuid_val(owner);
	unsigned long count;

	xa_lock(counts);
	count = xa_to_value(xa_load(counts, uid));
	if (count > 1)
		__xa_store(counts, uid, xa_mk_value(count - 1), GFP_ATOMIC);
	else
		__xa_erase(counts, uid);
	xa_unlock(counts);
}

/**
 * perfgrp_access_charge_group - charge a new group to its owner
 * @owner: the user
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0, -ENOSPC if @owner has PERFGRP_MAX_GROUPS open, or -ENOMEM; after 0
 * perfgrp_access_uncharge_group() must follow.
 */
int perfgrp_access_charge_group(kuid_t owner, struct perfgrp_error *err)
{
	int ret = charge(&groups_of_user, owner, PERFGRP_MAX_GROUPS);

	if (ret == -ENOMEM)
		return perfgrp_fail_memory(err);
	if (ret)
		return perfgrp_fail(err, ret, PERFGRP_REASON_LIMIT, "",
				    "the user has %d groups open, which is the limit",
				    PERFGRP_MAX_GROUPS);
	return 0;
}

/**
 * perfgrp_access_uncharge_group - undo perfgrp_access_charge_group()
 * @owner: the user
 */
void perfgrp_access_uncharge_group(kuid_t owner)
{
	uncharge(&groups_of_user, owner);
}

/**
 * perfgrp_access_charge_member - charge a new member to its group's owner
 * @owner: the user
 * @err: filled in on failure
 *
 * The perf core does not charge the memory of events to anyone, so their number is limited. May
 * sleep.
 *
 * Return: 0; -ENOSPC if the caller has no CAP_SYS_RESOURCE and @owner already has
 * PERFGRP_MAX_USER_MEMBERS; or -ENOMEM. After 0 perfgrp_access_uncharge_member() must follow.
 */
int perfgrp_access_charge_member(kuid_t owner, struct perfgrp_error *err)
{
	int ret = charge(&members_of_user, owner, PERFGRP_MAX_USER_MEMBERS);

	if (ret == -ENOSPC && capable(CAP_SYS_RESOURCE))
		ret = charge(&members_of_user, owner, LONG_MAX);
	if (ret == -ENOMEM)
		return perfgrp_fail_memory(err);
	if (ret)
		return perfgrp_fail(err, ret, PERFGRP_REASON_LIMIT, "nr_counters",
				    "the user has %d members in all groups, which is the limit without CAP_SYS_RESOURCE",
				    PERFGRP_MAX_USER_MEMBERS);
	return 0;
}

/**
 * perfgrp_access_uncharge_member - undo perfgrp_access_charge_member()
 * @owner: the user
 */
void perfgrp_access_uncharge_member(kuid_t owner)
{
	uncharge(&members_of_user, owner);
}

/* Bytes per CPU beyond RLIMIT_MEMLOCK: default of kernel.perf_event_mlock_kb with 4 KiB pages. */
#define FREE_BUFFER (516 << 10)

/**
 * perfgrp_access_charge_buffer - charge a buffer to a user's locked memory
 * @user: the user
 * @nr_pages: the buffer's size in pages, all CPUs together
 * @err: filled in on failure
 *
 * Charged to user->locked_vm, like the buffers of io_uring (compat_user_locked()). The limit is
 * RLIMIT_MEMLOCK plus 516 KiB per online CPU; CAP_IPC_LOCK lifts it.
 *
 * Return: 0 or -ENOSPC; after 0 perfgrp_access_uncharge_buffer() must follow.
 */
int perfgrp_access_charge_buffer(struct user_struct *user, unsigned long nr_pages,
				 struct perfgrp_error *err)
{
	unsigned long limit = (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) +
			      num_online_cpus() * (unsigned long)(FREE_BUFFER >> PAGE_SHIFT);
	atomic_long_t *account = compat_user_locked(user);
	long locked = atomic_long_read(account);

	do {
		if (locked + nr_pages > limit && !capable(CAP_IPC_LOCK))
			return perfgrp_fail(err, -ENOSPC, PERFGRP_REASON_LIMIT, "buffer_size",
					    "the buffers need %lu KiB for all CPUs; the user may lock %lu KiB and has locked %lu KiB (RLIMIT_MEMLOCK; no limit with CAP_IPC_LOCK)",
					    nr_pages << (PAGE_SHIFT - 10),
					    limit << (PAGE_SHIFT - 10),
					    locked << (PAGE_SHIFT - 10));
	} while (!atomic_long_try_cmpxchg(account, &locked, locked + nr_pages));
	return 0;
}

/**
 * perfgrp_access_charge_more - charge pages to a user's locked memory, without a limit
 * @user: the user
 * @nr_pages: number of pages
 *
 * For rings that are allocated when a CPU comes online, which has no caller to fail.
 */
void perfgrp_access_charge_more(struct user_struct *user, unsigned long nr_pages)
{
	atomic_long_add(nr_pages, compat_user_locked(user));
}

/**
 * perfgrp_access_uncharge_buffer - undo perfgrp_access_charge_buffer()
 * @user: the user
 * @nr_pages: as charged
 */
void perfgrp_access_uncharge_buffer(struct user_struct *user, unsigned long nr_pages)
{
	atomic_long_sub(nr_pages, compat_user_locked(user));
}
