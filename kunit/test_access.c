// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions and limits. The cases use credentials without any effective capability; whose task
 * the target is depends on the credentials that a case gives it meanwhile.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/resource.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "../module/access.h"
#include "../module/compat.h"
#include "../module/group.h"
#include "../module/group_file.h"
#include "../module/perfgrp.h"
#include "harness.h"
#include "suites.h"

/* The case's own credentials without effective capabilities; the permitted ones are unchanged. */
static struct cred *poor_creds(struct kunit *test)
{
	struct cred *poor = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, poor);
	poor->cap_effective = (kernel_cap_t){};
	return poor;
}

/* ---- limits --------------------------------------------------------------- */

/**
 * struct limit - one of the limits
 * @charge: charges one
 * @uncharge: uncharges one
 * @max: how many there may be
 * @field: error.field if the limit is reached
 */
struct limit {
	int (*charge)(kuid_t owner, struct perfgrp_error *err);
	void (*uncharge)(kuid_t owner);
	unsigned int max;
	const char *field;
};

static const struct limit groups = {
	.charge = perfgrp_access_charge_group,
	.uncharge = perfgrp_access_uncharge_group,
	.max = PERFGRP_MAX_GROUPS,
	.field = "",
};

static const struct limit members = {
	.charge = perfgrp_access_charge_member,
	.uncharge = perfgrp_access_uncharge_member,
	.max = PERFGRP_MAX_USER_MEMBERS,
	.field = "nr_counters",
};

static kuid_t user(unsigned int nr)
{
	return make_kuid(&init_user_ns, 54321 + nr);
}

/* Charge until the limit is reached. Return: how many were charged. */
static unsigned int charge_all(const struct limit *limit, kuid_t owner, const struct cred *as)
{
	struct perfgrp_error err = harness_error();
	const struct cred *own = override_creds(as);
	unsigned int nr = 0;

	while (nr <= limit->max && !limit->charge(owner, &err))
		nr++;
	revert_creds(own);
	return nr;
}

static void expect_limit(struct kunit *test, const struct limit *limit, const struct cred *as)
{
	struct perfgrp_error err = harness_error();
	const struct cred *own;
	char number[16];
	unsigned int i;
	int ret, other;

	/* Charge two and uncharge one: one remains charged. */
	if (!limit->charge(user(0), &err) && !limit->charge(user(0), &err))
		limit->uncharge(user(0));
	KUNIT_EXPECT_EQ(test, charge_all(limit, user(0), as), limit->max - 1);
	own = override_creds(as);
	ret = limit->charge(user(0), &err);
	other = limit->charge(user(1), &err);
	revert_creds(own);
	KUNIT_EXPECT_EQ(test, ret, -ENOSPC);
	KUNIT_EXPECT_EQ(test, err.error, ENOSPC);
	KUNIT_EXPECT_EQ(test, err.reason, (u32)PERFGRP_REASON_LIMIT);
	KUNIT_EXPECT_STREQ(test, err.field, limit->field);
	snprintf(number, sizeof(number), "%u", limit->max);
	EXPECT_TEXT(test, err, number);
	KUNIT_EXPECT_EQ(test, other, 0);
	limit->uncharge(user(1));
	/* What was uncharged can be charged again, but no more. */
	for (i = 0; i < 3; i++)
		limit->uncharge(user(0));
	KUNIT_EXPECT_EQ(test, charge_all(limit, user(0), as), 3U);
	for (i = 0; i < limit->max; i++)
		limit->uncharge(user(0));
	/* Charging and uncharging one at a time leaves nothing behind, nor did all of that. */
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, limit->charge(user(0), &err), 0);
		limit->uncharge(user(0));
	}
	KUNIT_EXPECT_EQ(test, charge_all(limit, user(0), as), limit->max);
	for (i = 0; i < limit->max; i++)
		limit->uncharge(user(0));
}

/* [A6] Groups are limited for everybody, members only without CAP_SYS_RESOURCE. */
static void limits_of_a_user(struct kunit *test)
{
	struct cred *poor = poor_creds(test);
	struct perfgrp_error err = harness_error();
	unsigned int more, i;

	expect_limit(test, &groups, current_cred());
	expect_limit(test, &groups, poor);
	expect_limit(test, &members, poor);

	charge_all(&members, user(0), poor);
	for (more = 0; more < 10 && !members.charge(user(0), &err); more++)
		;
	KUNIT_EXPECT_EQ(test, more, 10U);
	/* They are charged even with the capability. */
	for (i = 0; i < more; i++)
		members.uncharge(user(0));
	KUNIT_EXPECT_EQ(test, charge_all(&members, user(0), poor), 0U);
	members.uncharge(user(0));
	KUNIT_EXPECT_EQ(test, charge_all(&members, user(0), poor), 1U);
	for (i = 0; i < members.max; i++)
		members.uncharge(user(0));
	put_cred(poor);
}

#define NR_CHARGERS 4

/**
 * struct chargers - kthreads that charge the same user at once
 * @limit: the limit
 * @cred: their credentials
 * @go: completed when they may begin
 * @done: completed by each when it has ended
 * @charged: number of successful charges in all
 */
struct chargers {
	const struct limit *limit;
	const struct cred *cred;
	struct completion go;
	struct completion done;
	atomic_t charged;
};

/* Uncharges every fourth; @charged is what remains charged. */
static int charge_and_uncharge(void *data)
{
	struct perfgrp_error err = harness_error();
	struct chargers *chargers = data;
	const struct cred *own = override_creds(chargers->cred);
	unsigned int i = 0;

	wait_for_completion(&chargers->go);
	while (!chargers->limit->charge(user(3), &err)) {
		atomic_inc(&chargers->charged);
		if (i++ % 4 == 3) {
			atomic_dec(&chargers->charged);
			chargers->limit->uncharge(user(3));
		}
		cond_resched();
	}
	revert_creds(own);
	complete(&chargers->done);
	return 0;
}

static void expect_limit_at_once(struct kunit *test, const struct limit *limit,
				 const struct cred *as)
{
	struct chargers chargers = { .limit = limit, .cred = as };
	unsigned int i, started = 0;
	struct task_struct *task;

	init_completion(&chargers.go);
	init_completion(&chargers.done);
	for (i = 0; i < NR_CHARGERS; i++) {
		task = kthread_create(charge_and_uncharge, &chargers, "perfgrp_charger");
		if (IS_ERR(task))
			continue;
		kthread_bind(task, i < nr_cpu_ids && cpu_online(i) ? i : 0);
		wake_up_process(task);
		started++;
	}
	complete_all(&chargers.go);
	for (i = 0; i < started; i++)
		wait_for_completion(&chargers.done);
	KUNIT_EXPECT_EQ(test, started, NR_CHARGERS);
	/* A charger may have hit the limit just before another one uncharged: charge the rest. */
	charge_all(limit, user(3), as);
	for (i = 0; i < limit->max; i++)
		limit->uncharge(user(3));
	KUNIT_EXPECT_LE(test, atomic_read(&chargers.charged), (int)limit->max);
	KUNIT_EXPECT_GE(test, atomic_read(&chargers.charged), (int)(limit->max - NR_CHARGERS));
	KUNIT_EXPECT_EQ(test, charge_all(limit, user(3), as), limit->max);
	for (i = 0; i < limit->max; i++)
		limit->uncharge(user(3));
}

/* [A6] If many charge at once, the limit holds, and nothing is left charged. */
static void limits_at_once(struct kunit *test)
{
	struct cred *poor = poor_creds(test);

	expect_limit_at_once(test, &groups, poor);
	expect_limit_at_once(test, &members, poor);
	put_cred(poor);
}

/* ---- locked memory -------------------------------------------------------- */

static int charge_buffer_as(const struct cred *as, struct user_struct *owner, unsigned long nr,
			    struct perfgrp_error *err)
{
	const struct cred *own = override_creds(as);
	int ret = perfgrp_access_charge_buffer(owner, nr, err);

	revert_creds(own);
	return ret;
}

/* [A6] Buffers: RLIMIT_MEMLOCK and 516 KiB a CPU, to the page; no limit with CAP_IPC_LOCK. */
static void limit_of_buffers(struct kunit *test)
{
	const unsigned long limit = (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) +
				    num_online_cpus() * ((516UL << 10) >> PAGE_SHIFT);
	struct user_struct *owner = kunit_kzalloc(test, sizeof(*owner), GFP_KERNEL);
	struct perfgrp_error err = harness_error();
	struct cred *poor = poor_creds(test);
	atomic_long_t *account;
	char text[32];
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, owner);
	account = compat_user_locked(owner);
	KUNIT_EXPECT_EQ(test, charge_buffer_as(poor, owner, limit - 1, &err), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(account), (long)(limit - 1));
	ret = charge_buffer_as(poor, owner, 2, &err);
	EXPECT_REFUSED(test, ret, ENOSPC, PERFGRP_REASON_LIMIT, "buffer_size", err);
	snprintf(text, sizeof(text), "may lock %lu KiB", limit << (PAGE_SHIFT - 10));
	EXPECT_TEXT(test, err, text);
	snprintf(text, sizeof(text), "need %lu KiB", 2UL << (PAGE_SHIFT - 10));
	EXPECT_TEXT(test, err, text);
	KUNIT_EXPECT_EQ(test, atomic_long_read(account), (long)(limit - 1));
	KUNIT_EXPECT_EQ(test, charge_buffer_as(poor, owner, 1, &err), 0);
	KUNIT_EXPECT_EQ(test, charge_buffer_as(poor, owner, 1, &err), -ENOSPC);
	KUNIT_EXPECT_EQ(test, perfgrp_access_charge_buffer(owner, 7, &err), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(account), (long)(limit + 7));

	perfgrp_access_uncharge_buffer(owner, 7);
	KUNIT_EXPECT_EQ(test, charge_buffer_as(poor, owner, 1, &err), -ENOSPC);
	perfgrp_access_uncharge_buffer(owner, limit);
	KUNIT_EXPECT_EQ(test, atomic_long_read(account), 0L);
	KUNIT_EXPECT_EQ(test, charge_buffer_as(poor, owner, limit + 1, &err), -ENOSPC);
	KUNIT_EXPECT_EQ(test, charge_buffer_as(poor, owner, limit, &err), 0);
	put_cred(poor);
}

/* [G13] A buffer holds a reference to its user's struct, and drops it in the end. */
static void user_of_a_buffer(struct kunit *test)
{
	const struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = PAGE_SIZE,
	};
	struct user_struct *owner = kunit_kzalloc(test, sizeof(*owner), GFP_KERNEL), *self;
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	struct cred *cred = prepare_creds();
	const struct cred *own;
	int ret, i;

	KUNIT_ASSERT_NOT_NULL(test, owner);
	KUNIT_ASSERT_NOT_NULL(test, cred);
	refcount_set(&owner->__count, 1);
	self = cred->user;
	cred->user = owner;
	own = override_creds(cred);
	ret = harness_create(&arg, NULL, &err, &group);
	revert_creds(own);
	cred->user = self;
	put_cred(cred);
	KUNIT_ASSERT_EQ_MSG(test, ret, 0, "%s", err.text);
	KUNIT_EXPECT_EQ(test, refcount_read(&owner->__count), 2U);
	harness_destroy(group);
	for (i = 0; i < 250 && refcount_read(&owner->__count) > 1; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, refcount_read(&owner->__count), 1U);
}

/* ---- whose task it is ----------------------------------------------------- */

/* The module's parameter; by its address, because /sys may not be visible to a kthread. */
static bool *allow_unprivileged_of(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct file *file = perfgrp_group_file_create(group);
	const struct kernel_param *param;
	const struct module *module;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	harness_forget(group);
	module = file->f_op->owner;
	__fput_sync(file);
	for (param = module->kp; param < module->kp + module->num_kp; param++)
		if (!strcmp(param->name, "allow_unprivileged"))
			return param->arg;
	return NULL;
}

static bool *parameter;

static void allow_unprivileged(struct kunit *test, bool allow)
{
	parameter = parameter ?: allow_unprivileged_of(test);
	KUNIT_ASSERT_NOT_NULL(test, parameter);
	WRITE_ONCE(*parameter, allow);
}

/**
 * struct other - a task with an address space
 * @task: the task, with a reference
 * @with_mm: it should have an address space
 * @dumpable: its user may dump it
 * @ready: completed when it is set up
 * @end: completed when it should end
 */
static struct other {
	struct task_struct *task;
	bool with_mm;
	bool dumpable;
	struct completion ready;
	struct completion end;
} other;

/* See compat_is_dumpable_by_user(). */
#ifdef PERFGRP_HAVE_EXEC_STATE
static enum task_dumpable saved_dumpable;

static void begin_dumpable(bool dumpable)
{
	rcu_read_lock();
	saved_dumpable = rcu_dereference(current->exec_state)->dumpable;
	WRITE_ONCE(rcu_dereference(current->exec_state)->dumpable,
		   dumpable ? TASK_DUMPABLE_OWNER : TASK_DUMPABLE_OFF);
	rcu_read_unlock();
}

static void end_dumpable(void)
{
	rcu_read_lock();
	WRITE_ONCE(rcu_dereference(current->exec_state)->dumpable, saved_dumpable);
	rcu_read_unlock();
}
#else
/* When a task's credentials change, its address space is no longer dumpable, permanently. */
static void begin_dumpable(bool dumpable)
{
	struct cred *cred;

	if (dumpable || !current->mm)
		return;
	cred = prepare_creds();
	if (!cred)
		return;
	cred->fsuid = user(0);
	commit_creds(cred);
}

static void end_dumpable(void)
{
}
#endif

static int be_other(void *data)
{
	if (other.with_mm)
		harness_user_begin();
	begin_dumpable(other.dumpable);
	complete(&other.ready);
	wait_for_completion(&other.end);
	end_dumpable();
	if (other.with_mm)
		harness_user_end();
	return 0;
}

static void other_start(struct kunit *test, bool with_mm, bool dumpable)
{
	struct task_struct *task;

	other.with_mm = with_mm;
	other.dumpable = dumpable;
	init_completion(&other.ready);
	init_completion(&other.end);
	task = kthread_create(be_other, NULL, "perfgrp_other");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	other.task = task;
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&other.ready);
}

static void other_end(void)
{
	if (!other.task)
		return;
	complete(&other.end);
	kthread_stop(other.task);
	put_task_struct(other.task);
	other.task = NULL;
}

static void access_exit(struct kunit *test)
{
	other_end();
	if (parameter)
		WRITE_ONCE(*parameter, false);
	harness_exit(test);
}

static int try_group(const struct perfgrp_group *like, const struct cred *as,
		     struct perfgrp_error *err)
{
	struct perfgrp_group group = { .target = like->target, .task = like->task,
				       .flags = like->flags };
	const struct cred *own;
	int ret;

	*err = harness_error();
	own = override_creds(as);
	ret = perfgrp_access_group(&group, err);
	revert_creds(own);
	return ret;
}

/* [A2] Without the parameter nothing is allowed, with it only what does not affect other users. */
static void unprivileged_groups(struct kunit *test)
{
	static const struct {
		u32 target, flags;
		const char *field;
	} groups[] = {
		{ PERFGRP_TARGET_TASK, 0, NULL },
		{ PERFGRP_TARGET_TASK, PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT, NULL },
		{ PERFGRP_TARGET_TASK, PERFGRP_CREATE_NO_MUX, "flags" },
		{ PERFGRP_TARGET_TASK, PERFGRP_CREATE_EXCLUSIVE, "flags" },
		{ PERFGRP_TARGET_TASK, PERFGRP_CREATE_BPF_EVENTS, "flags" },
		{ PERFGRP_TARGET_TASK, PERFGRP_CREATE_MAPPED, "flags" },
		{ PERFGRP_TARGET_CPUS, 0, "target" },
		{ PERFGRP_TARGET_ALL_CPUS, 0, "target" },
	};
	struct cred *poor = poor_creds(test);
	struct perfgrp_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct perfgrp_error err;
	unsigned int i;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, group);
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		group->target = groups[i].target;
		group->flags = groups[i].flags;
		group->task = group->target == PERFGRP_TARGET_TASK ? current : NULL;
		KUNIT_EXPECT_EQ(test, try_group(group, current_cred(), &err), 0);
		allow_unprivileged(test, false);
		KUNIT_EXPECT_FALSE(test, perfgrp_access_unprivileged_allowed());
		ret = try_group(group, poor, &err);
		EXPECT_REFUSED(test, ret, EACCES, PERFGRP_REASON_PRIVILEGE, "", err);
		EXPECT_TEXT(test, err, "allow_unprivileged");
		allow_unprivileged(test, true);
		KUNIT_EXPECT_TRUE(test, perfgrp_access_unprivileged_allowed());
		ret = try_group(group, poor, &err);
		if (groups[i].field)
			EXPECT_REFUSED(test, ret, EACCES, PERFGRP_REASON_PRIVILEGE,
				       groups[i].field, err);
		else
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%u: %s", i, err.text);
	}
	put_cred(poor);
}

static struct user_namespace other_ns;

enum whose {
	WHOSE_OWN,
	WHOSE_UID,
	WHOSE_EUID,
	WHOSE_SUID,
	WHOSE_GID,
	WHOSE_EGID,
	WHOSE_SGID,
	WHOSE_USER_NS,
	WHOSE_MORE_CAPS,
	WHOSE_LESS_CAPS,
	NR_WHOSE,
};

/* Change the other task's credentials according to @whose, or reduce the asker's. */
static void make_creds(enum whose whose, struct cred *task, struct cred *asker)
{
	const kgid_t group = make_kgid(&init_user_ns, 54321);

	switch (whose) {
	case WHOSE_UID:
		task->uid = user(0);
		break;
	case WHOSE_EUID:
		task->euid = user(0);
		break;
	case WHOSE_SUID:
		task->suid = user(0);
		break;
	case WHOSE_GID:
		task->gid = group;
		break;
	case WHOSE_EGID:
		task->egid = group;
		break;
	case WHOSE_SGID:
		task->sgid = group;
		break;
	case WHOSE_USER_NS:
		task->user_ns = &other_ns;
		break;
	case WHOSE_MORE_CAPS:
		cap_lower(asker->cap_permitted, CAP_CHOWN);
		break;
	case WHOSE_LESS_CAPS:
		cap_lower(task->cap_permitted, CAP_CHOWN);
		break;
	default:
		break;
	}
}

static int try_task(struct kunit *test, enum whose whose, struct perfgrp_error *err)
{
	struct perfgrp_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct cred *poor = poor_creds(test), *task = prepare_creds();
	struct user_namespace *ns;
	const struct cred *real;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, group);
	KUNIT_ASSERT_NOT_NULL(test, task);
	group->target = PERFGRP_TARGET_TASK;
	group->task = other.task;
	ns = task->user_ns;
	make_creds(whose, task, poor);
	/* The task sleeps, and nobody else changes its credentials. */
	real = rcu_access_pointer(other.task->real_cred);
	rcu_assign_pointer(other.task->real_cred, task);
	ret = try_group(group, poor, err);
	rcu_assign_pointer(other.task->real_cred, real);
	synchronize_rcu();
	task->user_ns = ns;
	put_cred(task);
	put_cred(poor);
	return ret;
}

/* [A2] [A3] A task is the caller's own if all of its ids are, and it has no more capabilities. */
static void whose_task_it_is(struct kunit *test)
{
	struct perfgrp_error err;
	enum whose whose;
	int ret;

	allow_unprivileged(test, true);
	other_start(test, true, true);
	for (whose = WHOSE_OWN; whose < NR_WHOSE; whose++) {
		ret = try_task(test, whose, &err);
		if (whose == WHOSE_OWN || whose == WHOSE_LESS_CAPS) {
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%u: %s", whose, err.text);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, ret, -EACCES, "%u", whose);
		EXPECT_REFUSED(test, ret, EACCES, PERFGRP_REASON_PRIVILEGE, "pid", err);
	}
}

/* [A2] A task without an address space, like one that is exiting. */
static void task_without_memory(struct kunit *test)
{
	struct perfgrp_error err;

	allow_unprivileged(test, true);
	other_start(test, false, true);
	EXPECT_REFUSED(test, try_task(test, WHOSE_OWN, &err), EACCES, PERFGRP_REASON_PRIVILEGE, "pid",
		       err);
	EXPECT_TEXT(test, err, "dumpable");
}

/* [A2] [A3] A task that its user may not dump. Before 7.x the last case with this memory. */
static void task_not_dumpable(struct kunit *test)
{
	struct perfgrp_error err;

	allow_unprivileged(test, true);
	other_start(test, true, false);
	EXPECT_REFUSED(test, try_task(test, WHOSE_OWN, &err), EACCES, PERFGRP_REASON_PRIVILEGE, "pid",
		       err);
	EXPECT_TEXT(test, err, "dumpable");
}

/* ---- what may be counted -------------------------------------------------- */

/* [A2] [A14] Without CAP_PERFMON only user mode can be counted, not the kernel or a hypervisor. */
static void user_mode_only(struct kunit *test)
{
	static const u32 flags[] = {
		0,
		PERFGRP_COUNTER_EXCLUDE_KERNEL,
		PERFGRP_COUNTER_EXCLUDE_HV,
		PERFGRP_COUNTER_EXCLUDE_USER,
		PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV,
	};
	struct cred *poor = poor_creds(test);
	struct perfgrp_counter desc;
	struct perfgrp_error err;
	const struct cred *own;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		desc = EVENT(PERFGRP_SW_DUMMY);
		desc.flags = flags[i];
		KUNIT_EXPECT_EQ(test, perfgrp_access_counter(&desc, &err), 0);
		err = harness_error();
		own = override_creds(poor);
		ret = perfgrp_access_counter(&desc, &err);
		revert_creds(own);
		if (i == ARRAY_SIZE(flags) - 1)
			KUNIT_EXPECT_EQ(test, ret, 0);
		else
			EXPECT_REFUSED(test, ret, EACCES, PERFGRP_REASON_PRIVILEGE, "flags", err);
	}
	put_cred(poor);
}

static struct kunit_case access_cases[] = {
	KUNIT_CASE(limits_of_a_user),
	KUNIT_CASE(limits_at_once),
	KUNIT_CASE(limit_of_buffers),
	KUNIT_CASE(user_of_a_buffer),
	KUNIT_CASE(unprivileged_groups),
	KUNIT_CASE(user_mode_only),
	KUNIT_CASE(whose_task_it_is),
	KUNIT_CASE(task_without_memory),
	KUNIT_CASE(task_not_dumpable),
	{}
};

struct kunit_suite perfgrp_access_suite = {
	.name = "perfgrp_access",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = access_exit,
	.test_cases = access_cases,
};
