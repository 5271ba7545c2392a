/* SPDX-License-Identifier: GPL-2.0 */
/* Access checks and per-user limits. */
#ifndef PERFGRP_ACCESS_H
#define PERFGRP_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;
struct user_struct;

bool perfgrp_access_unprivileged_allowed(void);
int perfgrp_access_group(struct perfgrp_group *group, struct perfgrp_error *err);
int perfgrp_access_counter(const struct perfgrp_counter *desc, struct perfgrp_error *err);
int perfgrp_access_charge_group(kuid_t owner, struct perfgrp_error *err);
void perfgrp_access_uncharge_group(kuid_t owner);
int perfgrp_access_charge_member(kuid_t owner, struct perfgrp_error *err);
void perfgrp_access_uncharge_member(kuid_t owner);
int perfgrp_access_charge_buffer(struct user_struct *user, unsigned long nr_pages,
				 struct perfgrp_error *err);
void perfgrp_access_charge_more(struct user_struct *user, unsigned long nr_pages);
void perfgrp_access_uncharge_buffer(struct user_struct *user, unsigned long nr_pages);

#endif /* PERFGRP_ACCESS_H */
