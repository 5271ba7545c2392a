// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroup of a group: looked up by the user's fd, and watched until it is removed.
 *
 * The cgroup's own state shows whether it was removed (perfgrp_cgroup_removed()). After changing
 * that state the kernel calls tracepoint cgroup_rmdir, whose handler queues a work that wakes tasks
 * which read or poll. If the handler cannot be registered, the work checks every LOOK_INTERVAL.
 *
 * Process context. The tracepoint's handler runs with preemption off, perhaps with interrupts off.
 * Takes watched_lock, which is raw because the handler cannot sleep.
 */
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "cgroup.h"
#include "compat.h"
#include "error.h"
#include "group.h"
#include "mapped.h"
#include "perfcore.h"
#include "tracepoint.h"

#define LOOK_INTERVAL (HZ / 10)

static DEFINE_RAW_SPINLOCK(watched_lock);
static LIST_HEAD(watched); /* watched_lock */

/* ---- removal ---------------------------------------------------------------- */

/**
 * perfgrp_cgroup_removed - has the group's cgroup been removed?
 * @group: the group
 *
 * Any context.
 *
 * Return: true if it has; false if it has not, or the group has no cgroup.
 */
bool perfgrp_cgroup_removed(const struct perfgrp_group *group)
{
	return group->cgroup && perfgrp_core_cgroup_is_removed(&group->cgroup->core);
}

/**
 * perfgrp_cgroup_fail_removed - report that the group's cgroup was removed
 * @err: filled in
 *
 * Return: -ENOENT.
 */
int perfgrp_cgroup_fail_removed(struct perfgrp_error *err)
{
	return perfgrp_fail(err, -ENOENT, PERFGRP_REASON_CGROUP, "target_fd",
			    "the cgroup was removed");
}

static void look(struct work_struct *work)
{
	struct perfgrp_cgroup *cgroup = container_of(work, struct perfgrp_cgroup, look.work);
	struct perfgrp_group *group = cgroup->group;

	if (!perfgrp_cgroup_removed(group)) {
		queue_delayed_work(compat_unbound_wq, &cgroup->look, LOOK_INTERVAL);
		return;
	}
	wake_up_interruptible_all(&group->wait);
	if (!group->mapped)
		return;
	down_write(&group->lock);
	perfgrp_mapped_refresh(group);
	up_write(&group->lock);
}

/* Tracepoint cgroup_rmdir. */
static void on_rmdir(void *data, struct cgroup *removed, const char *path)
{
	struct perfgrp_cgroup *cgroup;
	unsigned long flags;

	raw_spin_lock_irqsave(&watched_lock, flags);
	list_for_each_entry(cgroup, &watched, node)
		if (perfgrp_core_cgroup_of(&cgroup->core) == removed)
			queue_delayed_work(compat_unbound_wq, &cgroup->look, 0);
	raw_spin_unlock_irqrestore(&watched_lock, flags);
}

static struct perfgrp_tracepoint cgroup_rmdir = {
	.name = "cgroup_rmdir",
	.handler = on_rmdir,
};

static void watch(struct perfgrp_cgroup *cgroup)
{
	bool told = perfgrp_tracepoint_register(&cgroup_rmdir);

	INIT_DELAYED_WORK(&cgroup->look, look);
	raw_spin_lock_irq(&watched_lock);
	list_add_tail(&cgroup->node, &watched);
	raw_spin_unlock_irq(&watched_lock);
	if (!told)
		queue_delayed_work(compat_unbound_wq, &cgroup->look, LOOK_INTERVAL);
}

/**
 * perfgrp_cgroup_unwatch - stop watching for the removal of the group's cgroup
 * @group: a group; the lock is not held. Nothing is done if it has no cgroup.
 *
 * May sleep.
 */
void perfgrp_cgroup_unwatch(struct perfgrp_group *group)
{
	struct perfgrp_cgroup *cgroup = group->cgroup;

	if (!cgroup)
		return;
	raw_spin_lock_irq(&watched_lock);
	list_del(&cgroup->node);
	raw_spin_unlock_irq(&watched_lock);
	cancel_delayed_work_sync(&cgroup->look);
}

/**
 * perfgrp_cgroup_exit - unregister the tracepoint's handler
 *
 * No group exists. May sleep.
 */
void perfgrp_cgroup_exit(void)
{
	perfgrp_tracepoint_unregister(&cgroup_rmdir);
}

/* ---- creating and destroying ------------------------------------------------ */

static int fail_get(int ret, int fd, const struct file *dir, struct perfgrp_error *err)
{
	switch (ret) {
	case -EBADF:
		return perfgrp_fail(err, ret, PERFGRP_REASON_CGROUP, "target_fd",
				    "fd %d is not the directory of a cgroup", fd);
	case -ENOENT:
		if (IS_DEADDIR(file_inode(dir)))
			return perfgrp_fail(err, ret, PERFGRP_REASON_CGROUP, "target_fd",
					    "fd %d: the cgroup was removed", fd);
		return perfgrp_fail(err, ret, PERFGRP_REASON_CGROUP, "target_fd",
				    "fd %d: the cgroup's hierarchy has no perf_event controller",
				    fd);
	case -EXDEV:
		return perfgrp_fail(err, -EBUSY, PERFGRP_REASON_KERNEL, "target",
				    "the event was not bound to the cgroup; are kprobes disarmed? (/sys/kernel/debug/kprobes/enabled)");
	case -ENOMEM:
		return perfgrp_fail_memory(err);
	default:
		return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "target_fd",
				    "the perf core refused a dummy event of the cgroup with errno %d",
				    -ret);
	}
}

/* The caller releases @cgroup with perfgrp_core_cgroup_put(). */
static int get_by_fd(struct perfgrp_core_cgroup *cgroup, int fd, struct perfgrp_error *err)
{
	struct file *dir = fget(fd);
	int ret;

	if (!dir)
		return perfgrp_fail(err, -EBADF, PERFGRP_REASON_CGROUP, "target_fd",
				    "fd %d is not open, or was opened with O_PATH", fd);
	ret = perfgrp_core_link_begin();
	if (ret) {
		perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "target",
			     "cannot arm the kprobe needed to count cgroups (errno %d)",
			     -ret);
		goto put;
	}
	ret = perfgrp_core_cgroup_get(cgroup, dir);
	perfgrp_core_link_end();
	if (ret)
		ret = fail_get(ret, fd, dir, err);
put:
	fput(dir);
	return ret;
}

/**
 * perfgrp_cgroup_create - set the cgroup that a group counts
 * @group: a new group
 * @fd: an fd of the cgroup's directory
 * @err: filled in on failure
 *
 * The caller has CAP_PERFMON. May sleep.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_cgroup_create(struct perfgrp_group *group, int fd, struct perfgrp_error *err)
{
	struct perfgrp_cgroup *cgroup;
	int ret;

	cgroup = kzalloc(sizeof(*cgroup), GFP_KERNEL_ACCOUNT);
	if (!cgroup)
		return perfgrp_fail_memory(err);
	ret = get_by_fd(&cgroup->core, fd, err);
	if (ret) {
		kfree(cgroup);
		return ret;
	}
	cgroup->group = group;
	group->cgroup = cgroup;
	watch(cgroup);
	return 0;
}

/**
 * perfgrp_cgroup_destroy - release a group's cgroup, if it has one
 * @group: a group that is no longer visible to anybody else, has no events, and is not watched
 *
 * May sleep.
 */
void perfgrp_cgroup_destroy(struct perfgrp_group *group)
{
	struct perfgrp_cgroup *cgroup = group->cgroup;

	if (!cgroup)
		return;
	/* The kfunc only checks for NULL. */
	WRITE_ONCE(group->cgroup, NULL);
	perfgrp_core_cgroup_put(&cgroup->core);
	kfree(cgroup);
}
