// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks named by a pidfd (PERFGRP_TARGET_PIDFD).
 *
 * The kernel's own look-up,
 *
 *	struct pid *pidfd_get_pid(unsigned int fd, unsigned int *flags)
 *
 * is not exported. Its address is found by registering a kprobe on it, and it is called
 * through a static call: on x86 that is a direct call. A kernel with IBT may have sealed the
 * function's ENDBR, which faults indirect calls, but not direct ones. The kprobe is unregistered
 * again before the first call.
 *
 * Assumed: a function of this name has this prototype, as in 6.1, 6.12 and 7.3.
 * perfgrp_pidfd_init() calls it with an fd that cannot be open and expects -EBADF. If the
 * function cannot be found there is no PERFGRP_FEATURE_PIDFD.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/static_call.h>

#include "kprobe.h"
#include "pidfd.h"

static struct pid *no_pidfd(unsigned int fd, unsigned int *flags)
{
	return ERR_PTR(-EOPNOTSUPP);
}

DEFINE_STATIC_CALL(perfgrp_pidfd_get_pid, no_pidfd);

/* Set by perfgrp_pidfd_init() alone. */
static bool supported;

/**
 * perfgrp_pidfd_init - find the kernel's function
 *
 * Failure only means that tasks cannot be named by pidfds.
 */
void perfgrp_pidfd_init(void)
{
	void *function = perfgrp_kprobe_find("pidfd_get_pid");
	unsigned int flags;
	struct pid *pid;

	if (!function) {
		pr_info("pidfds are not supported: pidfd_get_pid cannot be found\n");
		return;
	}
	static_call_update(perfgrp_pidfd_get_pid, function);
	pid = static_call(perfgrp_pidfd_get_pid)(INT_MAX, &flags);
	supported = pid == ERR_PTR(-EBADF);
	if (!supported)
		pr_warn("pidfds are not supported: pidfd_get_pid does not behave as expected\n");
}

/**
 * perfgrp_pidfd_supported - can tasks be named by pidfds?
 *
 * Return: whether the self-test succeeded.
 */
bool perfgrp_pidfd_supported(void)
{
	return supported;
}

/**
 * perfgrp_pidfd_get_task - the task of a pidfd
 * @fd: the caller's fd
 *
 * Return: the task, with a reference; ERR_PTR(-EBADF) if @fd is not open or not a pidfd;
 * ERR_PTR(-ESRCH) if the task has exited and was reaped.
 */
struct task_struct *perfgrp_pidfd_get_task(int fd)
{
	struct task_struct *task;
	unsigned int flags;
	struct pid *pid;

	pid = static_call(perfgrp_pidfd_get_pid)(fd, &flags);
	if (IS_ERR(pid))
		return ERR_CAST(pid);
	/* A pidfd refers to a process, or (PIDFD_THREAD, since 6.9) to a thread. */
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	return task ?: ERR_PTR(-ESRCH);
}
