// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs of other kinds than most: those that are unregistered while they count, those that count
 * for several CPUs at once, exclusive ones, and those with a single counter.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "../module/group.h"
#include "../module/member.h"
#include "../module/perfcore.h"
#include "../module/snapshot.h"
#include "harness.h"
#include "suites.h"

/* [G4] A PMU with a single counter cannot show whether events are linked; software can. */
static void links_beside_a_single_counter(struct kunit *test)
{
	struct fake_pmu *fake;

	if (!perfgrp_core_can_link())
		kunit_skip(test, "this kernel's counters cannot be linked");
	fake = harness_pmu(test, 1, FAKE_NO_ROTATION);
	fake->hardware = true;
	KUNIT_ASSERT_EQ(test, perfgrp_core_link_begin(), 0);
	KUNIT_EXPECT_EQ(test, perfgrp_core_try_link(0), 1);
	fake->slots = 2;
	KUNIT_EXPECT_EQ(test, perfgrp_core_try_link(0), 1);
	perfgrp_core_link_end();
	if (!atomic_read(&fake->inits))
		kunit_skip(test, "this machine has a PMU, which was asked instead");
}

static struct kunit_case kinds_cases[] = {
	KUNIT_CASE(links_beside_a_single_counter),
	{}
};

struct kunit_suite perfgrp_kinds_suite = {
	.name = "perfgrp_kinds",
	.exit = harness_exit,
	.test_cases = kinds_cases,
};
