/* SPDX-License-Identifier: GPL-2.0 */
/* The buffer of a group; sample periods. */
#ifndef PERFGRP_SAMPLING_H
#define PERFGRP_SAMPLING_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

#include "perfgrp.h"

/* Including the context markers between the addresses, such as PERF_CONTEXT_USER. */
#define PERFGRP_MAX_CALLCHAIN (PERFGRP_MAX_STACK + PERF_MAX_CONTEXTS_PER_STACK)

struct perf_event;
struct perf_event_attr;
struct perfgrp_group;
struct perfgrp_member;
struct perfgrp_records;
struct pid_namespace;

/**
 * struct perfgrp_sampling - what only a group with a buffer has
 * @records: the buffer; constant
 * @pid_ns: PID namespace of the group's creator, for the pid and tid in records; with a
 *	reference; constant
 * @context_event: the dummy event that all tasks inherit, so that contexts are not swapped; NULL
 *	without PERFGRP_CREATE_INHERIT, without a member that samples, or if the kernel cannot
 *	keep contexts (perfgrp_group.lock)
 */
struct perfgrp_sampling {
	struct perfgrp_records *records;
	struct pid_namespace *pid_ns;
	struct perf_event *context_event;
};

int perfgrp_sampling_check_callchain(const struct perfgrp_create *arg, struct perfgrp_error *err);
void perfgrp_sampling_set_callchain(const struct perfgrp_group *group,
				    struct perf_event_attr *attr);
int perfgrp_sampling_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			    struct perfgrp_error *err);
bool perfgrp_sampling_can_keep_contexts(void);
int perfgrp_sampling_init(void);
int perfgrp_sampling_keep_contexts(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_sampling_release_events(struct perfgrp_group *group);
void perfgrp_sampling_uncharge(struct perfgrp_group *group);
void perfgrp_sampling_destroy(struct perfgrp_group *group);
int perfgrp_sampling_set_period(struct perfgrp_group *group, struct perfgrp_member *member,
				u64 sample, struct perfgrp_error *err);

#endif /* PERFGRP_SAMPLING_H */
