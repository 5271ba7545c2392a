// SPDX-License-Identifier: GPL-2.0
/*
 * perfgrp: groups of perf counters in the kernel. Module init and exit.
 *
 * Process context. The device is registered last and unregistered first, so that no ioctl
 * finds the other parts missing.
 */
#include <linux/module.h>

#include "away.h"
#include "bpf_events.h"
#include "bpf_kfunc.h"
#include "cgroup.h"
#include "device.h"
#include "group_create.h"
#include "hotplug.h"
#include "mapped.h"
#include "perfcore.h"
#include "perfgrp.h"
#include "pidfd.h"
#include "sampling.h"
#include "split.h"
#include "task_exit.h"
#include "tracepoint.h"

static int __init perfgrp_init(void)
{
	int ret;

	ret = perfgrp_core_init();
	if (ret)
		return ret;
	perfgrp_bpf_kfunc_init();
	perfgrp_pidfd_init();
	perfgrp_split_init();
	perfgrp_mapped_init();
	ret = perfgrp_sampling_init();
	if (ret)
		goto perfcore;
	ret = perfgrp_group_init();
	if (ret)
		goto perfcore;
	ret = perfgrp_hotplug_init();
	if (ret)
		goto group;
	perfgrp_bpf_events_init();
	ret = perfgrp_device_register();
	if (ret)
		goto bpf_events;
	return 0;

bpf_events:
	perfgrp_bpf_events_exit();
	perfgrp_hotplug_exit();
group:
	perfgrp_group_exit();
perfcore:
	perfgrp_core_exit();
	return ret;
}

static void __exit perfgrp_exit(void)
{
	perfgrp_device_unregister();
	perfgrp_bpf_events_exit();
	perfgrp_hotplug_exit();
	perfgrp_group_exit();
	perfgrp_task_exit_exit();
	perfgrp_cgroup_exit();
	perfgrp_tracepoint_exit();
	perfgrp_split_exit();
	perfgrp_away_exit();
	perfgrp_core_exit();
}

module_init(perfgrp_init);
module_exit(perfgrp_exit);

MODULE_DESCRIPTION("Groups of perf counters in the kernel");
MODULE_AUTHOR("perfgrp maintainers");
MODULE_VERSION(PERFGRP_VERSION);
MODULE_LICENSE("GPL");
