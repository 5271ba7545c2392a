// SPDX-License-Identifier: GPL-2.0
/*
 * perfgrp_kunit.ko: the KUnit suites of perfgrp.ko, which must be loaded first.
 * They run when this module is loaded, in process context, one after the other.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../module/compat.h"
#include "fake_pmu.h"
#include "suites.h"

kunit_test_suites(&perfgrp_value_suite,
		  &perfgrp_event_suite,
		  &perfgrp_group_suite,
		  &perfgrp_snapshot_suite,
		  &perfgrp_pmu_suite,
		  &perfgrp_sched_group_suite,
		  &perfgrp_task_suite,
		  &perfgrp_hotplug_suite,
		  &perfgrp_nmi_suite,
		  &perfgrp_sample_ip_suite,
		  &perfgrp_kinds_suite,
		  &perfgrp_overflow_suite,
		  &perfgrp_records_suite,
		  &perfgrp_event_array_suite,
		  &perfgrp_access_suite,
		  &perfgrp_ioctl_suite,
		  &perfgrp_split_suite,
		  &perfgrp_mapped_suite);

/* By now the threads that ran the cases have exited. */
static void __exit free_fake_pmus(void)
{
	fake_pmu_free_destroyed();
}
module_exit(free_fake_pmus);

MODULE_IMPORT_NS(PERFGRP_TEST_NAMESPACE);
MODULE_DESCRIPTION("KUnit suites of perfgrp");
MODULE_LICENSE("GPL");
