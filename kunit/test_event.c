// SPDX-License-Identifier: GPL-2.0
/*
 * Events: conversion of each constant in the header to its attr and to its name,
 * the raw form, and each refusal.
 */
#include <linux/hw_breakpoint.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "../module/compat.h"
#include "../module/event.h"
#include "harness.h"
#include "suites.h"

struct named_event {
	u64 event;
	u32 type;
	u64 config;
	char name[32];
};

static const struct named_event constants[] = {
#define HW(constant, config, name)                                                                 \
	{ PERFGRP_HW_##constant, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, name }
	HW(CPU_CYCLES, CPU_CYCLES, "cpu-cycles"),
	HW(INSTRUCTIONS, INSTRUCTIONS, "instructions"),
	HW(CACHE_REFERENCES, CACHE_REFERENCES, "cache-references"),
	HW(CACHE_MISSES, CACHE_MISSES, "cache-misses"),
	HW(BRANCH_INSTRUCTIONS, BRANCH_INSTRUCTIONS, "branch-instructions"),
	HW(BRANCH_MISSES, BRANCH_MISSES, "branch-misses"),
	HW(BUS_CYCLES, BUS_CYCLES, "bus-cycles"),
	HW(STALLED_CYCLES_FRONTEND, STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend"),
	HW(STALLED_CYCLES_BACKEND, STALLED_CYCLES_BACKEND, "stalled-cycles-backend"),
	HW(REF_CYCLES, REF_CPU_CYCLES, "ref-cycles"),
#define SW(constant, config, name)                                                                 \
	{ PERFGRP_SW_##constant, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, name }
	SW(CPU_CLOCK, CPU_CLOCK, "cpu-clock"),
	SW(TASK_CLOCK, TASK_CLOCK, "task-clock"),
	SW(PAGE_FAULTS, PAGE_FAULTS, "page-faults"),
	SW(CONTEXT_SWITCHES, CONTEXT_SWITCHES, "context-switches"),
	SW(CPU_MIGRATIONS, CPU_MIGRATIONS, "cpu-migrations"),
	SW(MINOR_FAULTS, PAGE_FAULTS_MIN, "minor-faults"),
	SW(MAJOR_FAULTS, PAGE_FAULTS_MAJ, "major-faults"),
	SW(ALIGNMENT_FAULTS, ALIGNMENT_FAULTS, "alignment-faults"),
	SW(EMULATION_FAULTS, EMULATION_FAULTS, "emulation-faults"),
	SW(DUMMY, DUMMY, "dummy"),
	SW(BPF_OUTPUT, BPF_OUTPUT, "bpf-output"),
	SW(CGROUP_SWITCHES, CGROUP_SWITCHES, "cgroup-switches"),
};

static const char *const cache_names[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

static const char *const cache_op_names[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = "load",
	[PERF_COUNT_HW_CACHE_OP_WRITE] = "store",
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = "prefetch",
};

static const char *const cache_result_names[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = "access",
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = "miss",
};

static_assert(ARRAY_SIZE(cache_names) == PERF_COUNT_HW_CACHE_MAX);
static_assert(ARRAY_SIZE(cache_op_names) == PERF_COUNT_HW_CACHE_OP_MAX);
static_assert(ARRAY_SIZE(cache_result_names) == PERF_COUNT_HW_CACHE_RESULT_MAX);

#define NR_NAMED_EVENTS                                                                            \
	(ARRAY_SIZE(constants) + PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX *            \
					 PERF_COUNT_HW_CACHE_RESULT_MAX)

/* The constants of the header, then all cache events. */
static struct named_event named_event(unsigned int i)
{
	struct named_event named = { .type = PERF_TYPE_HW_CACHE };
	unsigned int cache, op, result;

	if (i < ARRAY_SIZE(constants))
		return constants[i];
	i -= ARRAY_SIZE(constants);
	result = i % PERF_COUNT_HW_CACHE_RESULT_MAX;
	i /= PERF_COUNT_HW_CACHE_RESULT_MAX;
	op = i % PERF_COUNT_HW_CACHE_OP_MAX;
	cache = i / PERF_COUNT_HW_CACHE_OP_MAX;
	named.event = PERFGRP_HW_CACHE(cache, op, result);
	named.config = cache | op << 8 | result << 16;
	snprintf(named.name, sizeof(named.name), "%s-%s-%s", cache_names[cache],
		 cache_op_names[op], cache_result_names[result]);
	return named;
}

static void expect_attr(struct kunit *test, const struct perfgrp_counter *desc,
			const struct perf_event_attr *expected)
{
	struct perfgrp_error err = harness_error();
	struct perf_event_attr attr;

	/* The old contents must not matter. */
	memset(&attr, 0xa5, sizeof(attr));
	KUNIT_ASSERT_EQ_MSG(test, perfgrp_event_to_attr(desc, &attr, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(&attr, expected, sizeof(attr)), 0,
			    "event %#llx type %u config %#llx: type %u config %#llx", desc->event,
			    desc->type, desc->config, attr.type, attr.config);
}

static struct perf_event_attr plain_attr(u32 type, u64 config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	return attr;
}

/* [E1] [E2] [E3] [E4] Nothing but type and config is set: options are off by default. */
static void named_to_attr(struct kunit *test)
{
	struct named_event named;
	struct perfgrp_counter desc;
	struct perf_event_attr expected;
	unsigned int i;

	for (i = 0; i < NR_NAMED_EVENTS; i++) {
		named = named_event(i);
		desc = EVENT(named.event);
		expected = plain_attr(named.type, named.config);
		expect_attr(test, &desc, &expected);
		KUNIT_EXPECT_EQ(test, PERFGRP_EVENT_TYPE(named.event), named.type);
		KUNIT_EXPECT_EQ(test, (u64)PERFGRP_EVENT_CONFIG(named.event), named.config);
		KUNIT_EXPECT_EQ(test, PERFGRP_EVENT(named.type, named.config), named.event);
		KUNIT_EXPECT_EQ(test, named.event >> 63, 1ULL);
	}
}

/* [E2] [E3] [E4] Each constant has a unique name, which the raw form of its event has, too. */
static void names(struct kunit *test)
{
	char buf[PERFGRP_EVENT_NAME_LEN];
	struct named_event named, other;
	struct perfgrp_counter desc;
	unsigned int i, j;

	for (i = 0; i < NR_NAMED_EVENTS; i++) {
		named = named_event(i);
		desc = EVENT(named.event);
		KUNIT_EXPECT_STREQ(test, perfgrp_event_name(&desc, buf), named.name);
		desc = (struct perfgrp_counter){
			.flags = PERFGRP_COUNTER_RAW,
			.type = named.type,
			.config = named.config,
		};
		KUNIT_EXPECT_STREQ(test, perfgrp_event_name(&desc, buf), named.name);
		for (j = 0; j < i; j++) {
			other = named_event(j);
			KUNIT_EXPECT_STRNEQ(test, named.name, other.name);
			KUNIT_EXPECT_NE(test, named.event, other.event);
		}
	}
}

/* [E2] [E3] Every generic event of this kernel has a constant. */
static void all_of_this_kernel(struct kunit *test)
{
	unsigned int hardware = 0, software = 0, i;

	for (i = 0; i < ARRAY_SIZE(constants); i++) {
		hardware += constants[i].type == PERF_TYPE_HARDWARE;
		software += constants[i].type == PERF_TYPE_SOFTWARE;
	}
	KUNIT_EXPECT_EQ(test, hardware, (unsigned int)PERF_COUNT_HW_MAX);
	KUNIT_EXPECT_EQ(test, software, (unsigned int)PERF_COUNT_SW_MAX);
}

/* [E5] An event without a name is shown as type and config, which always fit. */
static void names_of_others(struct kunit *test)
{
	static const struct {
		struct perfgrp_counter desc;
		const char *name;
	} others[] = {
		{ { .event = PERFGRP_EVENT(0, 10) }, "type 0 config 0xa" },
		{ { .event = PERFGRP_EVENT(1, 12) }, "type 1 config 0xc" },
		{ { .event = PERFGRP_EVENT(3, 7) }, "type 3 config 0x7" },
		{ { .event = PERFGRP_EVENT(3, 0x300) }, "type 3 config 0x300" },
		{ { .event = PERFGRP_EVENT(3, 0x20000) }, "type 3 config 0x20000" },
		{ { .event = PERFGRP_EVENT(3, 0x1000000) }, "type 3 config 0x1000000" },
		{ { .flags = PERFGRP_COUNTER_RAW, .type = 4, .config = 0xc0 },
		  "type 4 config 0xc0" },
		{ { .flags = PERFGRP_COUNTER_RAW, .type = ~0U, .config = ~0ULL },
		  "type 4294967295 config 0xffffffffffffffff" },
		/* cycles of one kind of CPU among several */
		{ { .flags = PERFGRP_COUNTER_RAW, .type = 0, .config = 4ULL << 32 },
		  "type 0 config 0x400000000" },
	};
	char buf[PERFGRP_EVENT_NAME_LEN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_STREQ(test, perfgrp_event_name(&others[i].desc, buf), others[i].name);
}

/* [E5] All 64 bits of config to config3. */
static void raw_to_attr(struct kunit *test)
{
	struct perfgrp_counter desc = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = 77,
		.config = 0x8877665544332211ULL,
		.config1 = 0xfedcba9876543210ULL,
		.config2 = 0x0123456789abcdefULL,
	};
	struct perf_event_attr expected = plain_attr(77, desc.config);

	expected.config1 = desc.config1;
	expected.config2 = desc.config2;
	if (PERFGRP_HAVE_CONFIG3) {
		desc.config3 = 0xf0f0f0f0f0f0f0f0ULL;
		compat_set_config3(&expected, desc.config3);
	}
	expect_attr(test, &desc, &expected);

	/* Types below PERF_TYPE_MAX have no special meaning here. */
	desc = (struct perfgrp_counter){ .flags = PERFGRP_COUNTER_RAW };
	expected = plain_attr(0, 0);
	expect_attr(test, &desc, &expected);
}

/* [E5] */
static void breakpoint_to_attr(struct kunit *test)
{
	struct perfgrp_counter desc = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.config1 = 0x1000,
		.config2 = HW_BREAKPOINT_LEN_4,
		.bp_type = HW_BREAKPOINT_W,
	};
	struct perf_event_attr expected = plain_attr(PERF_TYPE_BREAKPOINT, 0);

	expected.bp_type = HW_BREAKPOINT_W;
	expected.bp_addr = 0x1000;
	expected.bp_len = HW_BREAKPOINT_LEN_4;
	expect_attr(test, &desc, &expected);
}

/* [E6] Each option alone and with all others. */
static void options_to_attr(struct kunit *test)
{
	static const u32 flags[] = {
		PERFGRP_COUNTER_EXCLUDE_USER, PERFGRP_COUNTER_EXCLUDE_KERNEL,
		PERFGRP_COUNTER_EXCLUDE_HV,   PERFGRP_COUNTER_EXCLUDE_IDLE,
		PERFGRP_COUNTER_EXCLUDE_HOST, PERFGRP_COUNTER_EXCLUDE_GUEST,
	};
	struct perf_event_attr expected;
	struct perfgrp_counter desc;
	unsigned int bits, i;

	for (bits = 0; bits < 1U << ARRAY_SIZE(flags); bits++) {
		desc = EVENT(PERFGRP_HW_INSTRUCTIONS);
		for (i = 0; i < ARRAY_SIZE(flags); i++)
			desc.flags |= bits & 1U << i ? flags[i] : 0;
		desc.precise_ip = bits & 3;
		expected = plain_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
		expected.exclude_user = bits & 1;
		expected.exclude_kernel = bits >> 1;
		expected.exclude_hv = bits >> 2;
		expected.exclude_idle = bits >> 3;
		expected.exclude_host = bits >> 4;
		expected.exclude_guest = bits >> 5;
		expected.precise_ip = bits & 3;
		expect_attr(test, &desc, &expected);
	}
}

/* [E6] [O1] A member that samples: no driver collects the sample's data, or reads the group. */
static void sampling_to_attr(struct kunit *test)
{
	struct perf_event_attr expected = plain_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct perfgrp_counter desc = EVENT(PERFGRP_HW_CPU_CYCLES);

	desc.sample_period = 4000;
	desc.precise_ip = 2;
	expected.sample_period = 4000;
	expected.precise_ip = 2;
	expected.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	expected.wakeup_events = 1;
	expect_attr(test, &desc, &expected);

	desc.flags |= PERFGRP_COUNTER_FREQ;
	expected.freq = 1;
	expect_attr(test, &desc, &expected);
}

/* [G6] Event types that are always software events. */
static void software_by_type(struct kunit *test)
{
	struct perf_event_attr attr;
	u32 type;

	for (type = 0; type < 64; type++) {
		attr = plain_attr(type, 0);
		KUNIT_EXPECT_EQ(test, perfgrp_event_is_software(&attr),
				type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
					type == PERF_TYPE_BREAKPOINT);
	}
}

/* [E6] [E7] Each refusal, with its reason and its field. */
static void refusals(struct kunit *test)
{
	static const struct {
		struct perfgrp_counter desc;
		int error;
		u32 reason;
		const char *field;
		const char *text;
	} bad[] = {
		{ { .event = 0 },
		  EINVAL, PERFGRP_REASON_EVENT, "event", "no event" },
		{ { .event = 1 },
		  EINVAL, PERFGRP_REASON_EVENT, "event", "0x1" },
		{ { .event = 1ULL << 62 },
		  EINVAL, PERFGRP_REASON_EVENT, "event", "0x4000000000000000" },
		{ { .event = PERFGRP_SW_DUMMY, .flags = 1U << 30 },
		  EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags", "0x40000000" },
		{ { .flags = 1U << 31 | PERFGRP_COUNTER_RAW },
		  EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags", "0x80000000" },
		{ { .event = PERFGRP_SW_DUMMY, .id = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "id", "id" },
		{ { .event = PERFGRP_SW_DUMMY, .pmu = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "pmu", "pmu" },
		{ { .event = PERFGRP_SW_DUMMY, .flags = PERFGRP_COUNTER_FREQ },
		  EINVAL, PERFGRP_REASON_EVENT_OPTION, "sample_freq", "FREQ" },
		{ { .event = PERFGRP_SW_DUMMY, .sample_period = 1ULL << 63 },
		  EINVAL, PERFGRP_REASON_EVENT_OPTION, "sample_period", "2^63" },
		{ { .event = PERFGRP_SW_DUMMY, .flags = PERFGRP_COUNTER_FREQ,
		    .sample_freq = 1ULL << 63 },
		  EINVAL, PERFGRP_REASON_EVENT_OPTION, "sample_freq", "2^63" },
		{ { .event = PERFGRP_SW_DUMMY, .type = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "type", "COUNTER_RAW" },
		{ { .event = PERFGRP_SW_DUMMY, .config = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "config", "COUNTER_RAW" },
		{ { .event = PERFGRP_SW_DUMMY, .config1 = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "config1", "COUNTER_RAW" },
		{ { .event = PERFGRP_SW_DUMMY, .config2 = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "config2", "COUNTER_RAW" },
		{ { .event = PERFGRP_SW_DUMMY, .bp_type = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "bp_type", "COUNTER_RAW" },
		{ { .flags = PERFGRP_COUNTER_RAW, .event = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "event", "COUNTER_RAW" },
		{ { .flags = PERFGRP_COUNTER_RAW, .type = 4, .bp_type = 1 },
		  EINVAL, PERFGRP_REASON_RESERVED, "bp_type", "type 4" },
	};
	struct perfgrp_error err;
	struct perf_event_attr attr;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		err = harness_error();
		ret = perfgrp_event_to_attr(&bad[i].desc, &attr, &err);
		EXPECT_REFUSED(test, ret, bad[i].error, bad[i].reason, bad[i].field, err);
		EXPECT_TEXT(test, err, bad[i].text);
	}
}

/* [E6] config3, which old kernels lack. */
static void config3(struct kunit *test)
{
	struct perfgrp_counter desc = { .event = PERFGRP_SW_DUMMY, .config3 = 1 };
	struct perfgrp_error err = harness_error();
	struct perf_event_attr attr;
	int ret;

	ret = perfgrp_event_to_attr(&desc, &attr, &err);
	if (PERFGRP_HAVE_CONFIG3)
		EXPECT_REFUSED(test, ret, EINVAL, PERFGRP_REASON_RESERVED, "config3", err);
	else
		EXPECT_REFUSED(test, ret, EOPNOTSUPP, PERFGRP_REASON_FEATURE, "config3", err);
}

/* [E6] precise_ip has two bits, and is for hardware events only. */
static void precise_ip(struct kunit *test)
{
	struct perfgrp_counter desc = EVENT(PERFGRP_HW_CPU_CYCLES);
	struct perfgrp_error err = harness_error();
	struct perf_event_attr attr;

	desc.precise_ip = 4;
	EXPECT_REFUSED(test, perfgrp_event_to_attr(&desc, &attr, &err), EINVAL,
		       PERFGRP_REASON_EVENT_OPTION, "precise_ip", err);
	EXPECT_TEXT(test, err, "4");

	desc = EVENT(PERFGRP_SW_CPU_CLOCK);
	desc.precise_ip = 1;
	err = harness_error();
	EXPECT_REFUSED(test, perfgrp_event_to_attr(&desc, &attr, &err), EINVAL,
		       PERFGRP_REASON_EVENT_OPTION, "precise_ip", err);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(named_to_attr),
	KUNIT_CASE(names),
	KUNIT_CASE(all_of_this_kernel),
	KUNIT_CASE(names_of_others),
	KUNIT_CASE(raw_to_attr),
	KUNIT_CASE(breakpoint_to_attr),
	KUNIT_CASE(options_to_attr),
	KUNIT_CASE(sampling_to_attr),
	KUNIT_CASE(software_by_type),
	KUNIT_CASE(refusals),
	KUNIT_CASE(config3),
	KUNIT_CASE(precise_ip),
	{}
};

struct kunit_suite perfgrp_event_suite = {
	.name = "perfgrp_event",
	.test_cases = event_cases,
};
