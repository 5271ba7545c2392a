// SPDX-License-Identifier: GPL-2.0
/* What to count: a command, tasks, or CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "target.h"

static size_t add_threads(struct target *target, unsigned int pid)
{
	char *dir = xasprintf("/proc/%u/task", pid);
	size_t before = target->tasks.nr;

	numbers_list_dir(&target->tasks, dir);
	free(dir);
	return target->tasks.nr - before;
}

static int add_all_threads(struct target *target)
{
	struct numbers pids = { 0 };
	size_t i;

	numbers_list_dir(&pids, "/proc");
	for (i = 0; i < pids.nr; i++)
		add_threads(target, pids.n[i]);
	numbers_free(&pids);
	return 0;
}

/* Adds all threads of the processes of a list. */
static int add_processes(struct target *target, const char *list)
{
	struct numbers pids = { 0 };
	size_t i;
	int err = 0;

	if (numbers_parse(&pids, list, false)) {
		error("-p: '%s' is not a list of process ids", list);
		err = -EINVAL;
	}
	for (i = 0; i < pids.nr && !err; i++) {
		/* The id of a thread whose process is in the list, too. */
		if (numbers_have(&target->tasks, pids.n[i]))
			continue;
		if (!add_threads(target, pids.n[i])) {
			error("-p: no process %u", pids.n[i]);
			err = -ESRCH;
		}
	}
	numbers_free(&pids);
	return err;
}

static int open_pidfd(unsigned int pid)
{
	int fd = pidfd_open(pid, 0);

	return fd < 0 && errno == EMFILE && allow_more_files() ? pidfd_open(pid, 0) : fd;
}

/*
 * Opens pidfds, because pids may have been reused by the time that the module looks them up.
 * Before Linux 6.9 only thread group leaders can have a pidfd.
 */
static void open_pidfds(struct target *target)
{
	size_t i;

	target->pidfds = xcalloc(target->tasks.nr, sizeof(*target->pidfds));
	for (i = 0; i < target->tasks.nr; i++)
		target->pidfds[i] = open_pidfd(target->tasks.n[i]);
}

/**
 * target_resolve - decide what to count from what the user has asked for
 * @target: its lists are filled in, and its kind
 *
 * Return: 0, or a negative errno after printing an error
 */
int target_resolve(struct target *target)
{
	int err;

	if (target->pids || target->tids) {
		if (target->all_cpus || target->cpu_list) {
			error("tasks (-p, -t) and CPUs (-a, -C) cannot be used together");
			return -EINVAL;
		}
		target->kind = TARGET_TASKS;
		err = target->pids ? add_processes(target, target->pids) : 0;
		if (!err && target->tids && numbers_parse(&target->tasks, target->tids, false)) {
			error("-t: '%s' is not a list of thread ids", target->tids);
			err = -EINVAL;
		}
		if (!err)
			open_pidfds(target);
		return err;
	}
	if (target->all_threads) {
		target->kind = TARGET_TASKS;
		return add_all_threads(target);
	}
	if (target->cpu_list) {
		target->kind = TARGET_CPUS;
		if (!numbers_parse(&target->cpus, target->cpu_list, true))
			return 0;
		error("-C: '%s' is not a list of CPUs", target->cpu_list);
		return -EINVAL;
	}
	target->kind = target->all_cpus || !target->command ? TARGET_ALL_CPUS : TARGET_COMMAND;
	return 0;
}

bool target_has_cpus(const struct target *target)
{
	return target->kind == TARGET_CPUS || target->kind == TARGET_ALL_CPUS;
}

/**
 * target_set - have PERFGRP_CREATE count a target
 * @target: the target
 * @cpus: the CPUs, if the target is CPUs; empty for all
 * @task: index of the task, if the target is tasks
 * @features: PERFGRP_FEATURE_* of the module
 * @create: target, pid, target_fd, cpus and nr_cpus are filled in; zeros before
 */
void target_set(const struct target *target, const struct numbers *cpus, size_t task,
		__u64 features, struct perfgrp_create *create)
{
	if (target_has_cpus(target)) {
		create->target = cpus->nr ? PERFGRP_TARGET_CPUS : PERFGRP_TARGET_ALL_CPUS;
		create->cpus = (unsigned long)cpus->n;
		create->nr_cpus = cpus->nr;
	} else if (target->pidfds && target->pidfds[task] >= 0 &&
		   features & PERFGRP_FEATURE_PIDFD) {
		create->target = PERFGRP_TARGET_PIDFD;
		create->target_fd = target->pidfds[task];
	} else {
		create->target = PERFGRP_TARGET_TASK;
		create->pid = target->tasks.n[task];
	}
}

/**
 * target_add_task - add a task to the target
 * @target: of TARGET_TASKS, resolved
 * @tid: the task
 *
 * Return: its index in @target->tasks
 */
size_t target_add_task(struct target *target, unsigned int tid)
{
	numbers_add(&target->tasks, tid);
	target->pidfds = xrealloc(target->pidfds, target->tasks.nr, sizeof(*target->pidfds));
	target->pidfds[target->tasks.nr - 1] = open_pidfd(tid);
	return target->tasks.nr - 1;
}

/* Removes a task from the target. */
void target_drop_task(struct target *target, unsigned int tid)
{
	struct numbers *tasks = &target->tasks;
	size_t i;

	for (i = 0; i < tasks->nr && tasks->n[i] != tid; i++)
		;
	if (i == tasks->nr)
		return;
	if (target->pidfds[i] >= 0)
		close(target->pidfds[i]);
	tasks->nr--;
	memmove(&tasks->n[i], &tasks->n[i + 1], (tasks->nr - i) * sizeof(*tasks->n));
	memmove(&target->pidfds[i], &target->pidfds[i + 1],
		(tasks->nr - i) * sizeof(*target->pidfds));
}

void target_free(struct target *target)
{
	size_t i;

	for (i = 0; target->pidfds && i < target->tasks.nr; i++)
		if (target->pidfds[i] >= 0)
			close(target->pidfds[i]);
	free(target->pidfds);
	numbers_free(&target->tasks);
	numbers_free(&target->cpus);
}
