/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroup of a group, and its removal. */
#ifndef PERFGRP_CGROUP_H
#define PERFGRP_CGROUP_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/perfgrp.h>

#include "perfcore_cgroup.h"

struct perfgrp_group;

/**
 * struct perfgrp_cgroup - the cgroup that a group counts
 * @core: for perfgrp_core_create(); constant
 * @group: the group; constant
 * @node: in the list of watched cgroups (watched_lock)
 * @look: wakes waiters and refreshes mapped rows once the cgroup is removed
 */
struct perfgrp_cgroup {
	struct perfgrp_core_cgroup core;
	struct perfgrp_group *group;
	struct list_head node;
	struct delayed_work look;
};

int perfgrp_cgroup_create(struct perfgrp_group *group, int fd, struct perfgrp_error *err);
void perfgrp_cgroup_unwatch(struct perfgrp_group *group);
void perfgrp_cgroup_destroy(struct perfgrp_group *group);
bool perfgrp_cgroup_removed(const struct perfgrp_group *group);
int perfgrp_cgroup_fail_removed(struct perfgrp_error *err);
void perfgrp_cgroup_exit(void);

#endif /* PERFGRP_CGROUP_H */
