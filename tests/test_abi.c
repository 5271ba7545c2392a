// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of every UAPI struct and the numbers of every ioctl: at compile
 * time, and in this very program, which is also built for 32 bits, by a
 * conversation with the module.
 */
#include "group.h"

#include <stddef.h>

#define SIZES(X)						\
	X(struct perfgrp_error, 256, 256)			\
	X(struct perfgrp_info, 72, PERFGRP_INFO_SIZE_VER0)	\
	X(struct perfgrp_create, 96, PERFGRP_CREATE_SIZE_VER0)	\
	X(struct perfgrp_counter, 96, PERFGRP_COUNTER_SIZE_VER0) \
	X(struct perfgrp_add, 48, PERFGRP_ADD_SIZE_VER0)	\
	X(struct perfgrp_remove, 24, PERFGRP_REMOVE_SIZE_VER0)	\
	X(struct perfgrp_control, 24, PERFGRP_CONTROL_SIZE_VER0) \
	X(struct perfgrp_query, 64, PERFGRP_QUERY_SIZE_VER0)	\
	X(struct perfgrp_value, 48, PERFGRP_VALUE_SIZE_VER0)	\
	X(struct perfgrp_row, 40, PERFGRP_ROW_SIZE_VER0)	\
	X(struct perfgrp_snapshot, 80, PERFGRP_SNAPSHOT_SIZE_VER0)	\
	X(struct perfgrp_period, 32, PERFGRP_PERIOD_SIZE_VER0)	\
	X(struct perfgrp_stream, 64, PERFGRP_STREAM_SIZE_VER0)	\
	X(struct perfgrp_bpf, 56, PERFGRP_BPF_SIZE_VER0)	\
	X(struct perfgrp_bpf_query, 88, PERFGRP_BPF_QUERY_SIZE_VER0) \
	X(struct perfgrp_bpf_handle, 32, PERFGRP_BPF_HANDLE_SIZE_VER0)

#define OFFSETS(X)				\
	X(perfgrp_error, size, 0)		\
	X(perfgrp_error, error, 4)		\
	X(perfgrp_error, reason, 8)		\
	X(perfgrp_error, member, 12)		\
	X(perfgrp_error, cpu, 16)		\
	X(perfgrp_error, reserved, 20)		\
	X(perfgrp_error, field, 24)		\
	X(perfgrp_error, text, 56)		\
	X(perfgrp_info, size, 0)		\
	X(perfgrp_info, flags, 4)		\
	X(perfgrp_info, error, 8)		\
	X(perfgrp_info, features, 16)		\
	X(perfgrp_info, max_members, 24)	\
	X(perfgrp_info, nr_cpu_ids, 28)		\
	X(perfgrp_info, max_groups, 32)		\
	X(perfgrp_info, max_buffer, 36)		\
	X(perfgrp_info, version, 40)		\
	X(perfgrp_create, size, 0)		\
	X(perfgrp_create, flags, 4)		\
	X(perfgrp_create, error, 8)		\
	X(perfgrp_create, target, 16)		\
	X(perfgrp_create, pid, 20)		\
	X(perfgrp_create, cpus, 24)		\
	X(perfgrp_create, nr_cpus, 32)		\
	X(perfgrp_create, fd, 36)		\
	X(perfgrp_create, buffer_size, 40)	\
	X(perfgrp_create, wakeup_records, 44)	\
	X(perfgrp_create, wakeup_bytes, 48)	\
	X(perfgrp_create, reserved, 52)		\
	X(perfgrp_counter, event, 0)		\
	X(perfgrp_counter, flags, 8)		\
	X(perfgrp_counter, id, 12)		\
	X(perfgrp_counter, sample, 16)		\
	X(perfgrp_counter, type, 24)		\
	X(perfgrp_counter, precise_ip, 28)	\
	X(perfgrp_counter, config, 32)		\
	X(perfgrp_counter, config1, 40)		\
	X(perfgrp_counter, config2, 48)		\
	X(perfgrp_counter, config3, 56)		\
	X(perfgrp_counter, bp_type, 64)		\
	X(perfgrp_counter, pmu, 68)		\
	X(perfgrp_counter, min_move, 72)	\
	X(perfgrp_counter, reserved, 80)	\
	X(perfgrp_add, size, 0)			\
	X(perfgrp_add, flags, 4)		\
	X(perfgrp_add, error, 8)		\
	X(perfgrp_add, counters, 16)		\
	X(perfgrp_add, counter_size, 24)	\
	X(perfgrp_add, nr_counters, 28)		\
	X(perfgrp_add, reserved, 32)		\
	X(perfgrp_remove, size, 0)		\
	X(perfgrp_remove, flags, 4)		\
	X(perfgrp_remove, error, 8)		\
	X(perfgrp_remove, id, 16)		\
	X(perfgrp_remove, reserved, 20)		\
	X(perfgrp_control, size, 0)		\
	X(perfgrp_control, flags, 4)		\
	X(perfgrp_control, error, 8)		\
	X(perfgrp_control, reserved, 16)	\
	X(perfgrp_query, size, 0)		\
	X(perfgrp_query, flags, 4)		\
	X(perfgrp_query, error, 8)		\
	X(perfgrp_query, counters, 16)		\
	X(perfgrp_query, counter_size, 24)	\
	X(perfgrp_query, nr_counters, 28)	\
	X(perfgrp_query, create_flags, 32)	\
	X(perfgrp_query, target, 36)		\
	X(perfgrp_query, pid, 40)		\
	X(perfgrp_query, enabled, 44)		\
	X(perfgrp_query, reserved, 48)		\
	X(perfgrp_value, id, 0)			\
	X(perfgrp_value, state, 4)		\
	X(perfgrp_value, flags, 8)		\
	X(perfgrp_value, pmu, 12)		\
	X(perfgrp_value, raw, 16)		\
	X(perfgrp_value, scaled, 24)		\
	X(perfgrp_value, time_enabled, 32)	\
	X(perfgrp_value, time_running, 40)	\
	X(perfgrp_row, cpu, 0)			\
	X(perfgrp_row, flags, 4)		\
	X(perfgrp_row, first_value, 8)		\
	X(perfgrp_row, nr_values, 12)		\
	X(perfgrp_row, epoch, 16)		\
	X(perfgrp_row, nr_cpus, 20)		\
	X(perfgrp_row, time_before, 24)		\
	X(perfgrp_row, time_after, 32)		\
	X(perfgrp_snapshot, size, 0)		\
	X(perfgrp_snapshot, flags, 4)		\
	X(perfgrp_snapshot, error, 8)		\
	X(perfgrp_snapshot, rows, 16)		\
	X(perfgrp_snapshot, values, 24)		\
	X(perfgrp_snapshot, row_size, 32)	\
	X(perfgrp_snapshot, nr_rows, 36)	\
	X(perfgrp_snapshot, value_size, 40)	\
	X(perfgrp_snapshot, nr_values, 44)	\
	X(perfgrp_snapshot, time_before, 48)	\
	X(perfgrp_snapshot, time_after, 56)	\
	X(perfgrp_snapshot, reserved, 64)	\
	X(perfgrp_period, size, 0)		\
	X(perfgrp_period, flags, 4)		\
	X(perfgrp_period, error, 8)		\
	X(perfgrp_period, sample, 16)		\
	X(perfgrp_period, id, 24)		\
	X(perfgrp_period, reserved, 28)		\
	X(perfgrp_stream, size, 0)		\
	X(perfgrp_stream, flags, 4)		\
	X(perfgrp_stream, error, 8)		\
	X(perfgrp_stream, produced, 16)		\
	X(perfgrp_stream, read, 24)		\
	X(perfgrp_stream, lost, 32)		\
	X(perfgrp_stream, filtered, 40)		\
	X(perfgrp_stream, buffer_size, 48)	\
	X(perfgrp_stream, reserved, 52)		\
	X(perfgrp_bpf, size, 0)			\
	X(perfgrp_bpf, flags, 4)		\
	X(perfgrp_bpf, error, 8)		\
	X(perfgrp_bpf, id, 16)			\
	X(perfgrp_bpf, prog_fd, 20)		\
	X(perfgrp_bpf, cookie, 24)		\
	X(perfgrp_bpf, prog_id, 32)		\
	X(perfgrp_bpf, reserved, 36)		\
	X(perfgrp_bpf_query, size, 0)		\
	X(perfgrp_bpf_query, flags, 4)		\
	X(perfgrp_bpf_query, error, 8)		\
	X(perfgrp_bpf_query, id, 16)		\
	X(perfgrp_bpf_query, prog_id, 20)	\
	X(perfgrp_bpf_query, tag, 24)		\
	X(perfgrp_bpf_query, cookie, 32)	\
	X(perfgrp_bpf_query, runs, 40)		\
	X(perfgrp_bpf_query, nsecs, 48)		\
	X(perfgrp_bpf_query, misses, 56)	\
	X(perfgrp_bpf_query, dropped, 64)	\
	X(perfgrp_bpf_query, attach_flags, 72)	\
	X(perfgrp_bpf_query, reserved, 76)	\
	X(perfgrp_bpf_handle, size, 0)		\
	X(perfgrp_bpf_handle, flags, 4)		\
	X(perfgrp_bpf_handle, error, 8)		\
	X(perfgrp_bpf_handle, handle, 16)	\
	X(perfgrp_bpf_handle, reserved, 24)

/* Numbers that programs are compiled with: none may ever change. */
#define NUMBERS(X)				\
	X(PERFGRP_INFO, 0xbd00)			\
	X(PERFGRP_CREATE, 0xbd01)		\
	X(PERFGRP_ADD, 0xbd10)			\
	X(PERFGRP_REMOVE, 0xbd11)		\
	X(PERFGRP_ENABLE, 0xbd12)		\
	X(PERFGRP_DISABLE, 0xbd13)		\
	X(PERFGRP_RESET, 0xbd14)		\
	X(PERFGRP_SNAPSHOT, 0xbd15)		\
	X(PERFGRP_QUERY, 0xbd16)		\
	X(PERFGRP_PERIOD, 0xbd20)		\
	X(PERFGRP_STREAM, 0xbd21)		\
	X(PERFGRP_BPF_ATTACH, 0xbd30)		\
	X(PERFGRP_BPF_REPLACE, 0xbd31)		\
	X(PERFGRP_BPF_DETACH, 0xbd32)		\
	X(PERFGRP_BPF_QUERY, 0xbd33)		\
	X(PERFGRP_BPF_HANDLE, 0xbd34)		\
	X(PERFGRP_NONE, 0xffffffff)		\
	X(PERFGRP_REASON_NONE, 0)		\
	X(PERFGRP_REASON_SIZE, 1)		\
	X(PERFGRP_REASON_TAIL, 2)		\
	X(PERFGRP_REASON_FLAGS, 3)		\
	X(PERFGRP_REASON_RESERVED, 4)		\
	X(PERFGRP_REASON_POINTER, 5)		\
	X(PERFGRP_REASON_PRIVILEGE, 6)		\
	X(PERFGRP_REASON_TARGET, 7)		\
	X(PERFGRP_REASON_PID, 8)		\
	X(PERFGRP_REASON_CPU, 9)		\
	X(PERFGRP_REASON_CPU_OFFLINE, 10)	\
	X(PERFGRP_REASON_EVENT, 11)		\
	X(PERFGRP_REASON_EVENT_OPTION, 12)	\
	X(PERFGRP_REASON_EVENT_TARGET, 13)	\
	X(PERFGRP_REASON_LIMIT, 14)		\
	X(PERFGRP_REASON_PMU_FULL, 15)		\
	X(PERFGRP_REASON_PMU_BUSY, 16)		\
	X(PERFGRP_REASON_MEMBER, 17)		\
	X(PERFGRP_REASON_LEADER, 18)		\
	X(PERFGRP_REASON_EMPTY, 19)		\
	X(PERFGRP_REASON_BUFFER, 20)		\
	X(PERFGRP_REASON_FEATURE, 21)		\
	X(PERFGRP_REASON_MEMORY, 22)		\
	X(PERFGRP_REASON_KERNEL, 23)		\
	X(PERFGRP_REASON_BPF_FD, 24)		\
	X(PERFGRP_REASON_BPF_TYPE, 25)		\
	X(PERFGRP_REASON_BPF_COUNTER, 26)	\
	X(PERFGRP_REASON_BPF_CALLCHAIN, 27)	\
	X(PERFGRP_REASON_BPF_MAP, 28)		\
	X(PERFGRP_REASON_BPF_ATTACHED, 29)	\
	X(PERFGRP_REASON_BPF_NONE, 30)		\
	X(PERFGRP_FEATURE_SCHED_GROUP, 1 << 0)	\
	X(PERFGRP_FEATURE_INHERIT, 1 << 1)	\
	X(PERFGRP_FEATURE_NO_MUX, 1 << 2)	\
	X(PERFGRP_FEATURE_HOTPLUG, 1 << 3)	\
	X(PERFGRP_FEATURE_UNPRIVILEGED, 1 << 4)	\
	X(PERFGRP_FEATURE_SAMPLING, 1 << 5)	\
	X(PERFGRP_FEATURE_BPF, 1 << 6)		\
	X(PERFGRP_FEATURE_BPF_EVENTS, 1 << 7)	\
	X(PERFGRP_FEATURE_KFUNC, 1 << 8)	\
	X(PERFGRP_TARGET_NONE, 0)		\
	X(PERFGRP_TARGET_TASK, 1)		\
	X(PERFGRP_TARGET_CPUS, 2)		\
	X(PERFGRP_TARGET_ALL_CPUS, 3)		\
	X(PERFGRP_CREATE_ENABLED, 1 << 0)	\
	X(PERFGRP_CREATE_INHERIT, 1 << 1)	\
	X(PERFGRP_CREATE_ENABLE_ON_EXEC, 1 << 2) \
	X(PERFGRP_CREATE_NO_MUX, 1 << 3)	\
	X(PERFGRP_CREATE_EXCLUSIVE, 1 << 4)	\
	X(PERFGRP_CREATE_ONE_SCHED_GROUP, 1 << 5) \
	X(PERFGRP_CREATE_OVERWRITE, 1 << 6)	\
	X(PERFGRP_CREATE_BPF_EVENTS, 1 << 7)	\
	X(PERFGRP_BPF_EVENT_ATTACH, 0x8000)	\
	X(PERFGRP_BPF_EVENT_REPLACE, 0x8001)	\
	X(PERFGRP_BPF_EVENT_DETACH, 0x8002)	\
	X(PERFGRP_BPF_TIMED, 1 << 0)		\
	X(PERFGRP_SAMPLE_TYPE, 0x1d7)		\
	X(PERFGRP_READ_FORMAT, 0xf)		\
	X(PERFGRP_COUNTER_RAW, 1 << 0)		\
	X(PERFGRP_COUNTER_EXCLUDE_USER, 1 << 1)	\
	X(PERFGRP_COUNTER_EXCLUDE_KERNEL, 1 << 2) \
	X(PERFGRP_COUNTER_EXCLUDE_HV, 1 << 3)	\
	X(PERFGRP_COUNTER_EXCLUDE_IDLE, 1 << 4)	\
	X(PERFGRP_COUNTER_FREQ, 1 << 5)		\
	X(PERFGRP_COUNTER_EXCLUDE_HOST, 1 << 6)	\
	X(PERFGRP_COUNTER_EXCLUDE_GUEST, 1 << 7)	\
	X(PERFGRP_REMOVE_CASCADE, 1 << 0)	\
	X(PERFGRP_STATE_NONE, 0)		\
	X(PERFGRP_STATE_COUNTED, 1)		\
	X(PERFGRP_STATE_MULTIPLEXED, 2)		\
	X(PERFGRP_STATE_NEVER_RAN, 3)		\
	X(PERFGRP_STATE_FAILED, 4)		\
	X(PERFGRP_STATE_OFFLINE, 5)		\
	X(PERFGRP_STATE_EXITED, 6)		\
	X(PERFGRP_VALUE_SCALED, 1 << 0)		\
	X(PERFGRP_VALUE_SATURATED, 1 << 1)	\
	X(PERFGRP_VALUE_WITH_LEADER, 1 << 2)	\
	X(PERFGRP_VALUE_PARTIAL, 1 << 3)	\
	X(PERFGRP_VALUE_MIXED_PMUS, 1 << 4)	\
	X(PERFGRP_VALUE_THROTTLED, 1 << 5)	\
	X(PERFGRP_ROW_OFFLINE, 1 << 0)		\
	X(PERFGRP_ROW_EXITED, 1 << 1)		\
	X(PERFGRP_ROW_FAILED, 1 << 2)		\
	X(PERFGRP_ROW_TOTAL, 1 << 3)		\
	X(PERFGRP_SNAPSHOT_TOTALS, 1 << 0)	\
	X(PERFGRP_SNAPSHOT_MIX_PMUS, 1 << 1)	\
	X(PERFGRP_SNAPSHOT_RESET, 1 << 2)

#define ASSERT_SIZE(type, size, ver0)						\
	_Static_assert(sizeof(type) == (size), "size of " #type);		\
	_Static_assert((ver0) == (size), "first size of " #type);		\
	_Static_assert(_Alignof(type) <= 8 && sizeof(type) % 8 == 0, "padding of " #type);
#define ASSERT_OFFSET(type, field, offset)					\
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field);
#define ASSERT_NUMBER(name, number)						\
	_Static_assert((name) == (number), #name);

SIZES(ASSERT_SIZE)
OFFSETS(ASSERT_OFFSET)
NUMBERS(ASSERT_NUMBER)

/* An event constant is the same in all languages and on all machines. */
_Static_assert(PERFGRP_EVENT(0x12345678, 0x9abcdef0) == 0x123456789abcdef0ULL, "event");
_Static_assert(PERFGRP_EVENT_TYPE(0x123456789abcdef0ULL) == 0x12345678, "event's type");
_Static_assert(PERFGRP_EVENT_CONFIG(0x123456789abcdef0ULL) == 0x9abcdef0, "event's config");

TEST(layout, "A8: sizes and offsets of all structs are those of the first release")
{
#define EXPECT_SIZE(type, size, ver0) EXPECT_EQ(sizeof(type), size);
#define EXPECT_OFFSET(type, field, offset) EXPECT_EQ(offsetof(struct type, field), offset);
	SIZES(EXPECT_SIZE)
	OFFSETS(EXPECT_OFFSET)
}

TEST(event_names, "E1: the named events are perf's type and config")
{
	EXPECT_EQ(PERFGRP_HW_CPU_CYCLES, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
						       PERF_COUNT_HW_CPU_CYCLES));
	EXPECT_EQ(PERFGRP_HW_INSTRUCTIONS, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
							 PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_EQ(PERFGRP_HW_CACHE_REFERENCES, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
							     PERF_COUNT_HW_CACHE_REFERENCES));
	EXPECT_EQ(PERFGRP_HW_CACHE_MISSES, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
							 PERF_COUNT_HW_CACHE_MISSES));
	EXPECT_EQ(PERFGRP_HW_BRANCH_INSTRUCTIONS,
		  PERFGRP_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS));
	EXPECT_EQ(PERFGRP_HW_BRANCH_MISSES, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
							  PERF_COUNT_HW_BRANCH_MISSES));
	EXPECT_EQ(PERFGRP_HW_BUS_CYCLES, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
						       PERF_COUNT_HW_BUS_CYCLES));
	EXPECT_EQ(PERFGRP_HW_STALLED_CYCLES_FRONTEND,
		  PERFGRP_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND));
	EXPECT_EQ(PERFGRP_HW_STALLED_CYCLES_BACKEND,
		  PERFGRP_EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND));
	EXPECT_EQ(PERFGRP_HW_REF_CYCLES, PERFGRP_EVENT(PERF_TYPE_HARDWARE,
						       PERF_COUNT_HW_REF_CPU_CYCLES));
	EXPECT_EQ(PERFGRP_SW_CPU_CLOCK, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
						      PERF_COUNT_SW_CPU_CLOCK));
	EXPECT_EQ(PERFGRP_SW_TASK_CLOCK, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
						       PERF_COUNT_SW_TASK_CLOCK));
	EXPECT_EQ(PERFGRP_SW_PAGE_FAULTS, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							PERF_COUNT_SW_PAGE_FAULTS));
	EXPECT_EQ(PERFGRP_SW_CONTEXT_SWITCHES, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							     PERF_COUNT_SW_CONTEXT_SWITCHES));
	EXPECT_EQ(PERFGRP_SW_CPU_MIGRATIONS, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							   PERF_COUNT_SW_CPU_MIGRATIONS));
	EXPECT_EQ(PERFGRP_SW_MINOR_FAULTS, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							 PERF_COUNT_SW_PAGE_FAULTS_MIN));
	EXPECT_EQ(PERFGRP_SW_MAJOR_FAULTS, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							 PERF_COUNT_SW_PAGE_FAULTS_MAJ));
	EXPECT_EQ(PERFGRP_SW_ALIGNMENT_FAULTS, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							     PERF_COUNT_SW_ALIGNMENT_FAULTS));
	EXPECT_EQ(PERFGRP_SW_EMULATION_FAULTS, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							     PERF_COUNT_SW_EMULATION_FAULTS));
	EXPECT_EQ(PERFGRP_SW_DUMMY, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY));
	EXPECT_EQ(PERFGRP_SW_BPF_OUTPUT, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
						       PERF_COUNT_SW_BPF_OUTPUT));
	EXPECT_EQ(PERFGRP_SW_CGROUP_SWITCHES, PERFGRP_EVENT(PERF_TYPE_SOFTWARE,
							    PERF_COUNT_SW_CGROUP_SWITCHES));
	EXPECT_EQ(PERFGRP_CACHE_L1D_LOAD_MISS,
		  PERFGRP_EVENT(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D |
				PERF_COUNT_HW_CACHE_OP_READ << 8 |
				PERF_COUNT_HW_CACHE_RESULT_MISS << 16));
	EXPECT_EQ(PERFGRP_CACHE_NODE_PREFETCH_ACCESS,
		  PERFGRP_EVENT(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE |
				PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 |
				PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16));
	EXPECT_EQ(PERFGRP_CACHE_BRANCH_STORE_MISS,
		  PERFGRP_EVENT(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_BPU |
				PERF_COUNT_HW_CACHE_OP_WRITE << 8 |
				PERF_COUNT_HW_CACHE_RESULT_MISS << 16));
}

TEST(info, "A8: INFO answers: version, features, limits")
{
	struct perfgrp_info info;
	int dev = grp_device();
	struct cpus cpus;

	memset(&info, 0xa5, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	REQUIRE_EQ(grp_ioctl(dev, PERFGRP_INFO, &info), 0);

	cpus_online(&cpus);
	EXPECT_EQ(info.size, sizeof(info));
	EXPECT_EQ(info.flags, 0);
	EXPECT_EQ(info.error, to_u64(&grp_error));
	EXPECT_GE(info.max_buffer, 4096);
	EXPECT_GE(info.max_members, 16);
	EXPECT_GT(info.nr_cpu_ids, cpus.cpu[cpus.nr - 1]);
	EXPECT_GT(info.max_groups, 0);
	EXPECT_EQ(info.features >> 9, 0);
	EXPECT_GT(strnlen(info.version, sizeof(info.version)), 0);
	EXPECT_LT(strnlen(info.version, sizeof(info.version)), sizeof(info.version));
}

TEST(conversation, "A8: create, add, query, snapshot, remove get the same answers here")
{
	static struct perfgrp_counter counters[2] = {
		{ .event = PERFGRP_SW_DUMMY },
		{ .flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_PAGE_FAULTS },
	};
	static struct grp_members members;
	static struct grp_snap snap;
	const struct perfgrp_value *v;
	int fd;

	settle_memory();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counters, 2), 0);
	fault_in(37);
	REQUIRE_EQ(grp_disable(fd), 0);

	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 2);
	EXPECT_EQ(members.hdr.create_flags, PERFGRP_CREATE_ENABLED);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_TASK);
	EXPECT_EQ(members.hdr.pid, getpid());
	EXPECT_EQ(members.hdr.enabled, 0);
	EXPECT_EQ(members.counter[0].id, counters[0].id);
	EXPECT_EQ(members.counter[0].event, PERFGRP_SW_DUMMY);
	EXPECT_EQ(members.counter[1].id, counters[1].id);
	EXPECT_EQ(members.counter[1].flags, PERFGRP_COUNTER_RAW);
	EXPECT_EQ(members.counter[1].type, PERF_TYPE_SOFTWARE);
	EXPECT_EQ(members.counter[1].config, PERF_COUNT_SW_PAGE_FAULTS);

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_EQ(snap.hdr.nr_values, 2);
	v = snap_value(&snap, -1, counters[1].id);
	expect_plausible(v);
	EXPECT_EQ(v->raw, 37);
	EXPECT_EQ(v->scaled, 37);

	EXPECT_REFUSED_MEMBER(grp_remove(fd, counters[0].id, 0), EBUSY, LEADER, counters[0].id);
	EXPECT_EQ(grp_remove(fd, counters[1].id, 0), 0);
	EXPECT_EQ(close(fd), 0);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
