// SPDX-License-Identifier: GPL-2.0
/*
 * perfgrp_kunit.ko: the KUnit suites of perfgrp.ko, which must be loaded first.
 * They run when this module is loaded, in process context, one after the other.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../module/compat.h"
#include "suites.h"

kunit_test_suites(&perfgrp_value_suite,
		  &perfgrp_event_suite,
		  &perfgrp_group_suite,
		  &perfgrp_snapshot_suite,
		  &perfgrp_pmu_suite,
		  &perfgrp_sched_group_suite,
		  &perfgrp_task_suite,
		  &perfgrp_hotplug_suite,
		  &perfgrp_nmi_suite);

MODULE_IMPORT_NS(PERFGRP_TEST_NAMESPACE);
MODULE_DESCRIPTION("KUnit suites of perfgrp");
MODULE_LICENSE("GPL");
