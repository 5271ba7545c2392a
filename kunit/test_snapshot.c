// SPDX-License-Identifier: GPL-2.0
#include "harness.h"
#include "suites.h"
static void stub(struct kunit *test) {}
static struct kunit_case cases[] = { KUNIT_CASE(stub), {} };
struct kunit_suite perfgrp_snapshot_suite = { .name = "perfgrp_snapshot", .test_cases = cases };
