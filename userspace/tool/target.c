// SPDX-License-Identifier: GPL-2.0
/* What to count: a command, tasks, or CPUs. */
#include <errno.h>
#include <stdlib.h>

#include "target.h"

/* Adds all threads of the processes of a list. */
static int add_processes(struct target *target, const char *list)
{
	struct numbers pids = { 0 };
	size_t i, j;
	int err = 0;

	if (numbers_parse(&pids, list, false)) {
		error("'%s' is not a list of process ids", list);
		err = -EINVAL;
	}
	for (i = 0; i < pids.nr && !err; i++) {
		char *dir = xasprintf("/proc/%u/task", pids.n[i]);
		struct strings names = { 0 };

		list_dir(&names, dir);
		free(dir);
		if (!names.nr) {
			error("no process %u", pids.n[i]);
			err = -ESRCH;
		}
		for (j = 0; j < names.nr; j++)
			numbers_add(&target->tasks, strtoul(names.s[j], NULL, 10));
		strings_free(&names);
	}
	numbers_free(&pids);
	return err;
}

/**
 * target_resolve - decide what to count from what the user has asked for
 * @target: its lists are filled in, and its kind
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int target_resolve(struct target *target)
{
	int err;

	if (target->pids || target->tids) {
		if (target->all_cpus || target->cpu_list) {
			error("tasks (-p, -t) and CPUs (-a, -C) exclude one another");
			return -EINVAL;
		}
		target->kind = TARGET_TASKS;
		err = target->pids ? add_processes(target, target->pids) : 0;
		if (!err && target->tids && numbers_parse(&target->tasks, target->tids, false)) {
			error("'%s' is not a list of thread ids", target->tids);
			err = -EINVAL;
		}
		return err;
	}
	if (target->cpu_list) {
		target->kind = TARGET_CPUS;
		if (!numbers_parse(&target->cpus, target->cpu_list, true))
			return 0;
		error("'%s' is not a list of CPUs", target->cpu_list);
		return -EINVAL;
	}
	target->kind = target->all_cpus || !target->command ? TARGET_ALL_CPUS : TARGET_COMMAND;
	return 0;
}

bool target_has_cpus(const struct target *target)
{
	return target->kind == TARGET_CPUS || target->kind == TARGET_ALL_CPUS;
}

void target_free(struct target *target)
{
	numbers_free(&target->tasks);
	numbers_free(&target->cpus);
}
