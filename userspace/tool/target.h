/* SPDX-License-Identifier: GPL-2.0 */
/* What to count: a command, tasks, or CPUs. */
#ifndef PERFGRP_TARGET_H
#define PERFGRP_TARGET_H

#include "perfgrp.h"
#include "util.h"

enum target_kind {
	TARGET_COMMAND,		/* the command, which is not running yet */
	TARGET_TASKS,		/* tasks that run already */
	TARGET_CPUS,		/* some CPUs */
	TARGET_ALL_CPUS,
};

/**
 * struct target - what to count
 * @kind: the kind of target
 * @pids: processes as the user listed them (-p), or NULL
 * @tids: threads as the user listed them (-t), or NULL
 * @cpu_list: CPUs as the user listed them (-C), or NULL
 * @all_cpus: requested by the user (-a)
 * @all_threads: instead of all CPUs, all existing threads (-a --per-thread)
 * @all_user: user mode only, overriding the events' modifiers
 * @all_kernel: kernel mode only
 * @command: the command and its arguments, ended by NULL; or NULL
 * @tasks: thread ids of TARGET_TASKS, and of TARGET_COMMAND once it has one
 * @pidfds: of TARGET_TASKS, for each of @tasks a pidfd, or -1; or NULL
 * @cpus: CPUs of TARGET_CPUS
 */
struct target {
	enum target_kind kind;
	const char *pids;
	const char *tids;
	const char *cpu_list;
	bool all_cpus;
	bool all_threads;
	bool all_user;
	bool all_kernel;
	char **command;
	struct numbers tasks;
	int *pidfds;
	struct numbers cpus;
};

int target_resolve(struct target *target);
bool target_has_cpus(const struct target *target);
void target_set(const struct target *target, const struct numbers *cpus, size_t task,
		__u64 features, struct perfgrp_create *create);
size_t target_add_task(struct target *target, unsigned int tid);
void target_drop_task(struct target *target, unsigned int tid);
void target_free(struct target *target);

#endif /* PERFGRP_TARGET_H */
