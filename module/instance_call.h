/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that run where an instance's events can be read. */
#ifndef PERFGRP_INSTANCE_CALL_H
#define PERFGRP_INSTANCE_CALL_H

#include <linux/types.h>

struct perfgrp_group;

bool perfgrp_call_if_off(struct perfgrp_group *group, unsigned int instance,
			 void (*fn)(void *info), void *info);
bool perfgrp_call_on_task(struct perfgrp_group *group, bool killable, void (*fn)(void *info),
			  void *info);

#endif /* PERFGRP_INSTANCE_CALL_H */
