/* SPDX-License-Identifier: GPL-2.0 */
/* PERFGRP_SNAPSHOT: the functions of its row in the table of ioctls. */
#ifndef PERFGRP_GROUP_SNAPSHOT_H
#define PERFGRP_GROUP_SNAPSHOT_H

struct perfgrp_call;
struct perfgrp_group;

int perfgrp_group_snapshot(struct perfgrp_group *group, struct perfgrp_call *call);
int perfgrp_group_snapshot_fault_in(struct perfgrp_group *group, struct perfgrp_call *call);
int perfgrp_group_snapshot_finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret);

#endif /* PERFGRP_GROUP_SNAPSHOT_H */
