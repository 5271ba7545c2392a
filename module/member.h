/* SPDX-License-Identifier: GPL-2.0 */
/* The members of a group: adding, removing, finding them. */
#ifndef PERFGRP_MEMBER_H
#define PERFGRP_MEMBER_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;
struct perfgrp_member;

int perfgrp_group_prepare_add(struct perfgrp_group *group, struct perfgrp_counter *descs,
			      unsigned int nr, struct perfgrp_error *err);
void perfgrp_group_commit_add(struct perfgrp_group *group, unsigned int nr);
void perfgrp_group_abort_add(struct perfgrp_group *group, unsigned int nr);
int perfgrp_group_remove(struct perfgrp_group *group, u32 id, bool cascade,
			 struct perfgrp_error *err);
int perfgrp_group_set_period(struct perfgrp_group *group, u32 id, u64 sample,
			     struct perfgrp_error *err);
void perfgrp_group_drop_members(struct perfgrp_group *group);

#endif /* PERFGRP_MEMBER_H */
