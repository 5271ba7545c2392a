/* SPDX-License-Identifier: GPL-2.0 */
/* CPU hotplug: which CPUs can be used, and which groups get work when one changes. */
#ifndef PERFGRP_HOTPLUG_H
#define PERFGRP_HOTPLUG_H

#include <linux/types.h>

struct perfgrp_group;

int perfgrp_hotplug_init(void);
void perfgrp_hotplug_exit(void);
void perfgrp_hotplug_add_group(struct perfgrp_group *group);
void perfgrp_hotplug_remove_group(struct perfgrp_group *group);
bool perfgrp_hotplug_cpu_usable(int cpu);

#endif /* PERFGRP_HOTPLUG_H */
