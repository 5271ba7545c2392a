/* SPDX-License-Identifier: GPL-2.0 */
/* Enabling and disabling a group. */
#ifndef PERFGRP_CONTROL_H
#define PERFGRP_CONTROL_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;

int perfgrp_group_enable(struct perfgrp_group *group, struct perfgrp_error *err);
int perfgrp_group_disable(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_group_start_all(struct perfgrp_group *group);
void perfgrp_group_stop_all(struct perfgrp_group *group);
int perfgrp_group_check_pinned(struct perfgrp_group *group, unsigned int nr_members,
			       struct perfgrp_error *err);

#endif /* PERFGRP_CONTROL_H */
