// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Names of the module's constants. */
#include <stddef.h>

#include "internal.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const char *name_of(const char *const *names, size_t nr, __u32 i)
{
	return i < nr && names[i] ? names[i] : "unknown";
}

/* Flags are indexed by their bit number. */
static const char *flag_name(const char *const *names, size_t nr, __u32 flag)
{
	if (!flag || flag & (flag - 1))
		return "unknown";
	return name_of(names, nr, (__u32)__builtin_ctz(flag));
}

#define BIT_OF(flag)	__builtin_ctz(flag)

/**
 * perfgrp_state_name - name of a value's state
 * @state: enum perfgrp_state
 *
 * Return: "counted" and the like
 */
const char *perfgrp_state_name(__u32 state)
{
	static const char *const names[] = {
		[PERFGRP_STATE_NONE] = "not counted",
		[PERFGRP_STATE_COUNTED] = "counted",
		[PERFGRP_STATE_MULTIPLEXED] = "multiplexed",
		[PERFGRP_STATE_NEVER_RAN] = "never ran",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}

/**
 * perfgrp_value_flag_name - name of a flag of a value
 * @flag: one of PERFGRP_VALUE_*
 *
 * Return: "saturated" and the like
 */
const char *perfgrp_value_flag_name(__u32 flag)
{
	static const char *const names[] = {
		[BIT_OF(PERFGRP_VALUE_SCALED)] = "scaled",
		[BIT_OF(PERFGRP_VALUE_SATURATED)] = "saturated",
		[BIT_OF(PERFGRP_VALUE_PARTIAL)] = "partial",
		[BIT_OF(PERFGRP_VALUE_MIXED_PMUS)] = "mixed-pmus",
		[BIT_OF(PERFGRP_VALUE_THROTTLED)] = "throttled",
		[BIT_OF(PERFGRP_VALUE_FAILED)] = "failed",
		[BIT_OF(PERFGRP_VALUE_OFFLINE)] = "offline",
		[BIT_OF(PERFGRP_VALUE_EXITED)] = "exited",
		[BIT_OF(PERFGRP_VALUE_ABSENT)] = "absent",
	};

	return flag_name(names, ARRAY_SIZE(names), flag);
}

/**
 * perfgrp_row_flag_name - name of a flag of a row
 * @flag: one of PERFGRP_ROW_*
 *
 * Return: "offline" and the like
 */
const char *perfgrp_row_flag_name(__u32 flag)
{
	static const char *const names[] = {
		[BIT_OF(PERFGRP_ROW_OFFLINE)] = "offline",
		[BIT_OF(PERFGRP_ROW_EXITED)] = "exited",
		[BIT_OF(PERFGRP_ROW_FAILED)] = "failed",
		[BIT_OF(PERFGRP_ROW_TOTAL)] = "total",
		[BIT_OF(PERFGRP_ROW_OUTSIDE)] = "outside",
		[BIT_OF(PERFGRP_ROW_REMOVED)] = "removed",
		[BIT_OF(PERFGRP_ROW_OVERFLOW)] = "overflow",
	};

	return flag_name(names, ARRAY_SIZE(names), flag);
}

/**
 * perfgrp_reason_name - name of a reason of &struct perfgrp_error
 * @reason: enum perfgrp_reason
 *
 * Return: the name of the constant without its prefix, for example "PMU_FULL"
 */
const char *perfgrp_reason_name(__u32 reason)
{
	static const char *const names[] = {
		[PERFGRP_REASON_NONE] = "NONE",
		[PERFGRP_REASON_SIZE] = "SIZE",
		[PERFGRP_REASON_TAIL] = "TAIL",
		[PERFGRP_REASON_FLAGS] = "FLAGS",
		[PERFGRP_REASON_RESERVED] = "RESERVED",
		[PERFGRP_REASON_POINTER] = "POINTER",
		[PERFGRP_REASON_PRIVILEGE] = "PRIVILEGE",
		[PERFGRP_REASON_TARGET] = "TARGET",
		[PERFGRP_REASON_PID] = "PID",
		[PERFGRP_REASON_CPU] = "CPU",
		[PERFGRP_REASON_CPU_OFFLINE] = "CPU_OFFLINE",
		[PERFGRP_REASON_EVENT] = "EVENT",
		[PERFGRP_REASON_EVENT_OPTION] = "EVENT_OPTION",
		[PERFGRP_REASON_EVENT_TARGET] = "EVENT_TARGET",
		[PERFGRP_REASON_LIMIT] = "LIMIT",
		[PERFGRP_REASON_PMU_FULL] = "PMU_FULL",
		[PERFGRP_REASON_PMU_BUSY] = "PMU_BUSY",
		[PERFGRP_REASON_MEMBER] = "MEMBER",
		[PERFGRP_REASON_LEADER] = "LEADER",
		[PERFGRP_REASON_EMPTY] = "EMPTY",
		[PERFGRP_REASON_BUFFER] = "BUFFER",
		[PERFGRP_REASON_FEATURE] = "FEATURE",
		[PERFGRP_REASON_MEMORY] = "MEMORY",
		[PERFGRP_REASON_KERNEL] = "KERNEL",
		[PERFGRP_REASON_BPF_FD] = "BPF_FD",
		[PERFGRP_REASON_BPF_TYPE] = "BPF_TYPE",
		[PERFGRP_REASON_BPF_COUNTER] = "BPF_COUNTER",
		[PERFGRP_REASON_BPF_CALLCHAIN] = "BPF_CALLCHAIN",
		[PERFGRP_REASON_BPF_MAP] = "BPF_MAP",
		[PERFGRP_REASON_BPF_ATTACHED] = "BPF_ATTACHED",
		[PERFGRP_REASON_BPF_NONE] = "BPF_NONE",
		[PERFGRP_REASON_CGROUP] = "CGROUP",
	};

	return name_of(names, ARRAY_SIZE(names), reason);
}
