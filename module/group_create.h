/* SPDX-License-Identifier: GPL-2.0 */
/* Creating and destroying groups. */
#ifndef PERFGRP_GROUP_CREATE_H
#define PERFGRP_GROUP_CREATE_H

#include <uapi/linux/perfgrp.h>

struct cpumask;
struct perfgrp_group;

int perfgrp_group_check(const struct perfgrp_create *arg, struct perfgrp_error *err);
struct perfgrp_group *perfgrp_group_create(const struct perfgrp_create *arg,
					   const struct cpumask *cpus, struct perfgrp_error *err);
void perfgrp_group_get(struct perfgrp_group *group);
void perfgrp_group_put(struct perfgrp_group *group);
int perfgrp_group_init(void);
void perfgrp_group_exit(void);

#endif /* PERFGRP_GROUP_CREATE_H */
