/* SPDX-License-Identifier: GPL-2.0 */
/* The buffer of a group; sample periods. */
#ifndef PERFGRP_SAMPLING_H
#define PERFGRP_SAMPLING_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;
struct perfgrp_member;
struct perfgrp_records;
struct pid_namespace;

/**
 * struct perfgrp_sampling - what a group with a buffer needs in addition
 * @records: the buffer
 * @pid_ns: PID namespace of the group's creator, for the pid and tid in records; with a
 *	reference
 *
 * Constant after creation.
 */
struct perfgrp_sampling {
	struct perfgrp_records *records;
	struct pid_namespace *pid_ns;
};

int perfgrp_sampling_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			    struct perfgrp_error *err);
void perfgrp_sampling_uncharge(struct perfgrp_group *group);
void perfgrp_sampling_destroy(struct perfgrp_group *group);
int perfgrp_sampling_set_period(struct perfgrp_group *group, struct perfgrp_member *member,
				u64 sample, struct perfgrp_error *err);

#endif /* PERFGRP_SAMPLING_H */
