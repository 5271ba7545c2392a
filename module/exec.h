/* SPDX-License-Identifier: GPL-2.0 */
/* PERFGRP_CREATE_ENABLE_ON_EXEC, and keeping a group's task from execing. */
#ifndef PERFGRP_EXEC_H
#define PERFGRP_EXEC_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;

int perfgrp_exec_create(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_exec_destroy(struct perfgrp_group *group);
bool perfgrp_group_exec_pending(const struct perfgrp_group *group);
bool perfgrp_group_is_enabled(const struct perfgrp_group *group);
void perfgrp_group_sync_exec(struct perfgrp_group *group);
int perfgrp_exec_cancel(struct perfgrp_group *group, bool *frozen, struct perfgrp_error *err);
int perfgrp_exec_lock(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_exec_unlock(struct perfgrp_group *group);
void perfgrp_exec_assert_locked(const struct perfgrp_group *group);

#endif /* PERFGRP_EXEC_H */
