/* SPDX-License-Identifier: GPL-2.0 */
/* Notification of a task's exit. */
#ifndef PERFGRP_TASK_EXIT_H
#define PERFGRP_TASK_EXIT_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct task_struct;

/**
 * struct perfgrp_task_exit - a task whose exit is watched
 * @node: in the list of tasks that have not begun to exit (bucket lock)
 * @task: the task; the owner has a reference; constant
 * @exited: called once, in process context, when the task's exit_state is set; constant
 * @delay: jiffies until the next check (work)
 * @work: checks exit_state repeatedly once the task has begun to exit
 */
struct perfgrp_task_exit {
	struct hlist_node node;
	struct task_struct *task;
	void (*exited)(struct perfgrp_task_exit *exit);
	unsigned long delay;
	struct delayed_work work;
};

void perfgrp_task_exit_watch(struct perfgrp_task_exit *exit, struct task_struct *task,
			     void (*exited)(struct perfgrp_task_exit *exit));
void perfgrp_task_exit_unwatch(struct perfgrp_task_exit *exit);
void perfgrp_task_exit_exit(void);

#endif /* PERFGRP_TASK_EXIT_H */
