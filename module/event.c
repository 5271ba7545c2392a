// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from the user's struct perfgrp_counter to a perf_event_attr and to a name.
 *
 * No state, no locks, any context.
 *
 * The attr is built here field by field; the user never supplies one. Setting wakeup_events
 * keeps Intel's driver from using large PEBS, which delivers samples late, when the other
 * members have counted on, and from draining the PEBS buffer whenever an event is read. Nothing
 * else uses wakeup_events: overflow.c writes the records.
 *
 * Two bits are left out of sample_type:
 *
 *   PERF_SAMPLE_PERIOD: with it a software event ignores its sample_period: it overflows
 *	each time it is hit, with the number of events as the period.
 *
 *   PERF_SAMPLE_READ: with it and precise_ip, Intel's driver takes the counts of the whole
 *	scheduling group from PEBS records if the PMU writes them there (6.15 and later), and
 *	pmu->read() no longer reads the counters. Before 6.15 this bit prevented large PEBS.
 *
 * Verified in intel_pmu_hw_config() and intel_pmu_read_event() of 6.1.192, 6.12.117 and 7.3.4.
 */
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "compat.h"
#include "error.h"
#include "event.h"
#include "perfcore.h"

/* The sample_type that PMU drivers see; see the top of this file. */
#define SAMPLE_TYPE (PERFGRP_SAMPLE_TYPE & ~(PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ))

#define KNOWN_FLAGS                                                                                \
	(PERFGRP_COUNTER_RAW | PERFGRP_COUNTER_EXCLUDE_USER | PERFGRP_COUNTER_EXCLUDE_KERNEL |     \
	 PERFGRP_COUNTER_EXCLUDE_HV | PERFGRP_COUNTER_EXCLUDE_IDLE | PERFGRP_COUNTER_FREQ |        \
	 PERFGRP_COUNTER_EXCLUDE_HOST | PERFGRP_COUNTER_EXCLUDE_GUEST)

/* The UAPI header defines these as numbers, so that it needs no <linux/perf_event.h>. */
static_assert(PERFGRP_HW_REF_CYCLES ==
	      PERFGRP_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES));
static_assert(PERFGRP_SW_CGROUP_SWITCHES ==
	      PERFGRP_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES));
static_assert(PERFGRP_HW_CACHE(0, 0, 0) == PERFGRP_EVENT(PERF_TYPE_HW_CACHE, 0));

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cpu-cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branch-instructions",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "cgroup-switches",
};

static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const cache_op_names[] = { "load", "store", "prefetch" };
static const char *const cache_result_names[] = { "access", "miss" };

static const char *cache_name(u64 config, char name[PERFGRP_EVENT_NAME_LEN])
{
	u64 cache = config & 0xff, op = (config >> 8) & 0xff, result = (config >> 16) & 0xff;

	if (config >> 24 || cache >= ARRAY_SIZE(cache_names) || op >= ARRAY_SIZE(cache_op_names) ||
	    result >= ARRAY_SIZE(cache_result_names))
		return NULL;
	snprintf(name, PERFGRP_EVENT_NAME_LEN, "%s-%s-%s", cache_names[cache], cache_op_names[op],
		 cache_result_names[result]);
	return name;
}

/**
 * perfgrp_event_name - an event's name for error texts and fdinfo
 * @desc: the event
 * @name: buffer that may be used for it
 *
 * Return: a generic event's name, or "type T config 0xC".
 */
const char *perfgrp_event_name(const struct perfgrp_counter *desc,
			       char name[PERFGRP_EVENT_NAME_LEN])
{
	bool raw = desc->flags & PERFGRP_COUNTER_RAW;
	u32 type = raw ? desc->type : PERFGRP_EVENT_TYPE(desc->event);
	u64 config = raw ? desc->config : PERFGRP_EVENT_CONFIG(desc->event);

	if (type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hardware_names))
		return hardware_names[config];
	if (type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software_names))
		return software_names[config];
	if (type == PERF_TYPE_HW_CACHE && cache_name(config, name))
		return name;
	snprintf(name, PERFGRP_EVENT_NAME_LEN, "type %u config %#llx", type, config);
	return name;
}

/**
 * perfgrp_event_sample_field - name of the field that holds a counter's period or frequency
 * @desc: the counter
 *
 * Return: "sample_period" or "sample_freq".
 */
const char *perfgrp_event_sample_field(const struct perfgrp_counter *desc)
{
	return desc->flags & PERFGRP_COUNTER_FREQ ? "sample_freq" : "sample_period";
}

/**
 * perfgrp_event_is_software - does an event's type show that it needs no PMU slot?
 * @attr: the event
 *
 * Return: true if it does. perfgrp_core_get_pmu() recognizes other software events too, once
 * they exist.
 */
bool perfgrp_event_is_software(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT ||
	       attr->type == PERF_TYPE_BREAKPOINT;
}

static int check_unused(const struct perfgrp_counter *desc, struct perfgrp_error *err)
{
	static const char *why = "set, but not used without PERFGRP_COUNTER_RAW";

	if (desc->flags & PERFGRP_COUNTER_RAW) {
		if (desc->event)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "event",
					    "event is set, but PERFGRP_COUNTER_RAW uses type and config");
		if (desc->bp_type && desc->type != PERF_TYPE_BREAKPOINT)
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "bp_type",
					    "bp_type is set, but type %u is not a breakpoint",
					    desc->type);
		return 0;
	}
	if (!(desc->event & PERFGRP_EVENT_VALID))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT, "event",
				    desc->event ? "event is %#llx, which is not a PERFGRP_EVENT()" :
						  "no event is given: event is %llu",
				    desc->event);
	if (desc->type)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "type", "type is %s",
				    why);
	if (desc->config)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "config", "config is %s",
				    why);
	if (desc->config1)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "config1",
				    "config1 is %s", why);
	if (desc->config2)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "config2",
				    "config2 is %s", why);
	if (desc->config3)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "config3",
				    "config3 is %s", why);
	if (desc->bp_type)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "bp_type",
				    "bp_type is %s", why);
	return 0;
}

/*
 * On architectures other than x86 a breakpoint hits before the instruction is executed,
 * and an overflow handler would have to step over it. A module cannot do that, so the
 * breakpoint would hit forever.
 */
static int check_breakpoint(const struct perfgrp_counter *desc, struct perfgrp_error *err)
{
	if (IS_ENABLED(CONFIG_X86) || desc->type != PERF_TYPE_BREAKPOINT || !desc->sample_period)
		return 0;
	return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_EVENT_OPTION,
			    perfgrp_event_sample_field(desc),
			    "breakpoints can be sampled on x86 only; here they can only be counted");
}

static int check_desc(const struct perfgrp_counter *desc, struct perfgrp_error *err)
{
	if (desc->flags & ~KNOWN_FLAGS)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags",
				    "unknown counter flags %#x", desc->flags & ~KNOWN_FLAGS);
	if (desc->id)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "id",
				    "id is assigned by the kernel; it must be 0");
	if (desc->pmu)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_RESERVED, "pmu",
				    "pmu is filled in by the kernel; it must be 0");
	if (desc->flags & PERFGRP_COUNTER_FREQ && !desc->sample_period)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION, "sample_freq",
				    "PERFGRP_COUNTER_FREQ is set, but sample_freq is 0");
	if (desc->sample_period >> 63)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION,
				    perfgrp_event_sample_field(desc),
				    "%s is %#llx; it must be below 2^63",
				    perfgrp_event_sample_field(desc), desc->sample_period);
	if (desc->precise_ip > 3)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION, "precise_ip",
				    "precise_ip is %u; it must be 0 to 3", desc->precise_ip);
	if (desc->config3 && !PERFGRP_HAVE_CONFIG3)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "config3",
				    "perf_event_attr has no config3 on this kernel");
	return check_unused(desc, err) ?: check_breakpoint(desc, err);
}

/**
 * perfgrp_event_to_attr - check a counter that a user asks for and build its attr
 * @desc: the counter
 * @attr: set, except for what depends on the group (disabled, inherit, pinned, ...)
 * @err: filled in on failure
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int perfgrp_event_to_attr(const struct perfgrp_counter *desc, struct perf_event_attr *attr,
			  struct perfgrp_error *err)
{
	bool raw = desc->flags & PERFGRP_COUNTER_RAW;
	int ret;

	ret = check_desc(desc, err);
	if (ret)
		return ret;

	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = raw ? desc->type : PERFGRP_EVENT_TYPE(desc->event),
		.config = raw ? desc->config : PERFGRP_EVENT_CONFIG(desc->event),
		.config1 = desc->config1,
		.config2 = desc->config2,
		.exclude_user = !!(desc->flags & PERFGRP_COUNTER_EXCLUDE_USER),
		.exclude_kernel = !!(desc->flags & PERFGRP_COUNTER_EXCLUDE_KERNEL),
		.exclude_hv = !!(desc->flags & PERFGRP_COUNTER_EXCLUDE_HV),
		.exclude_idle = !!(desc->flags & PERFGRP_COUNTER_EXCLUDE_IDLE),
		.exclude_host = !!(desc->flags & PERFGRP_COUNTER_EXCLUDE_HOST),
		.exclude_guest = !!(desc->flags & PERFGRP_COUNTER_EXCLUDE_GUEST),
		.precise_ip = desc->precise_ip,
		.bp_type = desc->bp_type,
		.freq = !!(desc->flags & PERFGRP_COUNTER_FREQ),
		.sample_period = desc->sample_period,
		.sample_type = desc->sample_period ? SAMPLE_TYPE : 0,
		.wakeup_events = desc->sample_period ? 1 : 0,
	};
	compat_set_config3(attr, desc->config3);
	if (attr->precise_ip && perfgrp_event_is_software(attr))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_EVENT_OPTION, "precise_ip",
				    "precise_ip is not supported for software events");
	if (attr->exclude_host && attr->sample_period && !perfgrp_core_knows_guests())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "flags",
				    "EXCLUDE_HOST: guests cannot be sampled on this kernel; the kernel log says why");
	return 0;
}
