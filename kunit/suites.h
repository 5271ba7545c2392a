/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites, one a file.
 */
#ifndef PERFGRP_SUITES_H
#define PERFGRP_SUITES_H

#include <kunit/test.h>

extern struct kunit_suite perfgrp_value_suite;
extern struct kunit_suite perfgrp_event_suite;
extern struct kunit_suite perfgrp_group_suite;
extern struct kunit_suite perfgrp_snapshot_suite;
extern struct kunit_suite perfgrp_pmu_suite;
extern struct kunit_suite perfgrp_sched_group_suite;
extern struct kunit_suite perfgrp_task_suite;
extern struct kunit_suite perfgrp_hotplug_suite;
extern struct kunit_suite perfgrp_nmi_suite;
extern struct kunit_suite perfgrp_sample_ip_suite;
extern struct kunit_suite perfgrp_kinds_suite;
extern struct kunit_suite perfgrp_overflow_suite;
extern struct kunit_suite perfgrp_records_suite;
extern struct kunit_suite perfgrp_event_array_suite;
extern struct kunit_suite perfgrp_access_suite;
extern struct kunit_suite perfgrp_ioctl_suite;
extern struct kunit_suite perfgrp_split_suite;
extern struct kunit_suite perfgrp_mapped_suite;

#endif /* PERFGRP_SUITES_H */
