/* SPDX-License-Identifier: GPL-2.0 */
/* Groups follow CPU hotplug. */
#ifndef PERFGRP_GROUP_CPUS_H
#define PERFGRP_GROUP_CPUS_H

struct perfgrp_group;

void perfgrp_group_follow_cpus(struct perfgrp_group *group);
void perfgrp_group_unfollow_cpus(struct perfgrp_group *group);

#endif /* PERFGRP_GROUP_CPUS_H */
