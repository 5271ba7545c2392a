// SPDX-License-Identifier: GPL-2.0
/*
 * Notification of a task's exit: when its exit_state is set, after which the task no longer has a
 * perf context.
 *
 * A struct pid does not always notify: a process's pidfd waits for all its threads, a thread's
 * pidfd reports its exit only from 6.9 on, and a thread that has become the leader by an exec has
 * given up its own pid. But each task calls the tracepoint sched_process_exit in do_exit(). It
 * then closes its files, releases its perf contexts if it has not yet, and sets exit_state. As that
 * may take any time, a delayed work checks exit_state after one jiffy, after two more, and so on,
 * at least every MAX_DELAY.
 *
 * The tracepoint's handler stays registered from the first watch until the module is unloaded.
 * Without the tracepoint (no CONFIG_TRACEPOINTS) the work checks every MAX_DELAY from the
 * beginning.
 *
 * Process context. The tracepoint's handler runs in the exiting task, perhaps with preemption off.
 * Takes a bucket's lock, which is raw as the handler cannot sleep.
 */
#include <linux/container_of.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "task_exit.h"
#include "tracepoint.h"

#define BUCKET_BITS 6
#define MAX_DELAY   (HZ / 10)

/**
 * struct bucket - watched tasks of one hash value
 * @lock: protects @waiters and their nodes
 * @waiters: struct perfgrp_task_exit
 */
struct bucket {
	raw_spinlock_t lock; /* see above */
	struct hlist_head waiters;
};

static struct bucket buckets[1 << BUCKET_BITS] = {
	[0 ... (1 << BUCKET_BITS) - 1] = {
		.lock = __RAW_SPIN_LOCK_UNLOCKED(buckets.lock),
	},
};

static struct bucket *bucket_of(const struct task_struct *task)
{
	return &buckets[hash_ptr(task, BUCKET_BITS)];
}

/* ---- from the tracepoint to exit_state ------------------------------------- */

static void look_again(struct perfgrp_task_exit *exit)
{
	queue_delayed_work(compat_unbound_wq, &exit->work, exit->delay);
	exit->delay = min_t(unsigned long, 2 * exit->delay, MAX_DELAY);
}

static void look(struct work_struct *work)
{
	struct perfgrp_task_exit *exit = container_of(work, struct perfgrp_task_exit, work.work);

	if (READ_ONCE(exit->task->exit_state))
		exit->exited(exit);
	else
		look_again(exit);
}

static COMPAT_SCHED_PROCESS_EXIT_PROBE(on_process_exit)
{
	struct bucket *bucket = bucket_of(task);
	struct perfgrp_task_exit *exit;
	struct hlist_node *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(exit, next, &bucket->waiters, node) {
		if (exit->task != task)
			continue;
		hlist_del_init(&exit->node);
		look_again(exit);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static struct perfgrp_tracepoint process_exit = {
	.name = "sched_process_exit",
	.handler = on_process_exit,
};

/**
 * perfgrp_task_exit_exit - undo what the first perfgrp_task_exit_watch() did
 *
 * No task is watched any more. May sleep.
 */
void perfgrp_task_exit_exit(void)
{
	perfgrp_tracepoint_unregister(&process_exit);
}

/**
 * perfgrp_task_exit_watch - have a function called when a task has exited
 * @exit: the watch; perfgrp_task_exit_unwatch() must be called with it
 * @task: the task, in any state; the caller holds a reference while it watches
 * @exited: called once, in process context, after exit_state was set. It may sleep, but must not
 *	call perfgrp_task_exit_unwatch().
 *
 * May sleep.
 */
void perfgrp_task_exit_watch(struct perfgrp_task_exit *exit, struct task_struct *task,
			     void (*exited)(struct perfgrp_task_exit *exit))
{
	struct bucket *bucket = bucket_of(task);
	/* The handler is called for each task that exits from now on. */
	bool told = perfgrp_tracepoint_register(&process_exit);

	exit->task = task;
	exit->exited = exited;
	exit->delay = told ? 1 : MAX_DELAY;
	INIT_HLIST_NODE(&exit->node);
	INIT_DELAYED_WORK(&exit->work, look);

	raw_spin_lock_irq(&bucket->lock);
	/* PF_EXITING is set before the tracepoint: if it is not set yet, the handler will run. */
	if (told && !(READ_ONCE(task->flags) & PF_EXITING))
		hlist_add_head(&exit->node, &bucket->waiters);
	else
		look_again(exit);
	raw_spin_unlock_irq(&bucket->lock);
}

/**
 * perfgrp_task_exit_unwatch - undo perfgrp_task_exit_watch()
 * @exit: the watch
 *
 * When this returns, @exited does not run any more. May sleep.
 */
void perfgrp_task_exit_unwatch(struct perfgrp_task_exit *exit)
{
	struct bucket *bucket = bucket_of(exit->task);

	raw_spin_lock_irq(&bucket->lock);
	hlist_del_init(&exit->node);
	raw_spin_unlock_irq(&bucket->lock);
	cancel_delayed_work_sync(&exit->work);
}
