// SPDX-License-Identifier: GPL-2.0
/*
 * perfgrp_kunit.ko: the KUnit suites of perfgrp.ko, which must be loaded first.
 * They run when this module is loaded, in process context, one after the other.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/version.h>

#include "suites.h"

kunit_test_suites(&perfgrp_scale_suite,
		  &perfgrp_event_suite,
		  &perfgrp_group_suite,
		  &perfgrp_snapshot_suite,
		  &perfgrp_pmu_suite,
		  &perfgrp_task_suite,
		  &perfgrp_hotplug_suite,
		  &perfgrp_nmi_suite);

/* The namespace became a string with 6.13. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
MODULE_IMPORT_NS("PERFGRP_KUNIT");
#else
MODULE_IMPORT_NS(PERFGRP_KUNIT);
#endif
MODULE_DESCRIPTION("KUnit suites of perfgrp");
MODULE_LICENSE("GPL");
