/* SPDX-License-Identifier: GPL-2.0 */
/* Which events go under which leader. */
#ifndef PERFGRP_SCHED_GROUP_H
#define PERFGRP_SCHED_GROUP_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perf_event;
struct perfgrp_group;

bool perfgrp_sched_group_needs_probe(const struct perfgrp_group *group, unsigned int index);
struct perf_event *perfgrp_sched_group_create_event(struct perfgrp_group *group,
						    unsigned int instance, unsigned int index,
						    bool prepared, struct perfgrp_error *err);
u32 perfgrp_sched_group_number(const struct perfgrp_group *group, unsigned int instance,
			       unsigned int index, bool prepared);

#endif /* PERFGRP_SCHED_GROUP_H */
