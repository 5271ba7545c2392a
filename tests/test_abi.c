// SPDX-License-Identifier: GPL-2.0
/*
 * Version 1 of the contract: the size of every UAPI struct, the offset of every field,
 * and the number behind every name. They are checked when this is compiled, also for 32
 * bits, and by calls of the module. tests/host/test_abi fails if a name is missing here.
 */
#include "group.h"

#include <stddef.h>

#define SIZES(X)							\
	X(perfgrp_error, 256)						\
	X(perfgrp_info, 72)						\
	X(perfgrp_create, 96)						\
	X(perfgrp_counter, 80)						\
	X(perfgrp_add, 32)						\
	X(perfgrp_remove, 24)						\
	X(perfgrp_control, 16)						\
	X(perfgrp_query, 72)						\
	X(perfgrp_reader, 24)						\
	X(perfgrp_value, 48)						\
	X(perfgrp_row, 48)						\
	X(perfgrp_snapshot, 80)						\
	X(perfgrp_map, 48)						\
	X(perfgrp_map_slot, 64)						\
	X(perfgrp_sample_id, 32)					\
	X(perfgrp_sample_value, 16)					\
	X(perfgrp_record_sample, 80)					\
	X(perfgrp_record_throttle, 64)					\
	X(perfgrp_record_lost, 56)					\
	X(perfgrp_record_bpf_event, 56)					\
	X(perfgrp_record_bpf_attach, 64)				\
	X(perfgrp_period, 32)						\
	X(perfgrp_stream_stats, 80)					\
	X(perfgrp_bpf_attach, 40)					\
	X(perfgrp_bpf_detach, 24)					\
	X(perfgrp_bpf_query, 80)					\
	X(perfgrp_bpf_handle, 24)

/* The first size of each struct that may grow. */
#define FIRST_SIZES(X)							\
	X(perfgrp_error, PERFGRP_ERROR_SIZE_VER0, 256)			\
	X(perfgrp_info, PERFGRP_INFO_SIZE_VER0, 72)			\
	X(perfgrp_create, PERFGRP_CREATE_SIZE_VER0, 72)			\
	X(perfgrp_counter, PERFGRP_COUNTER_SIZE_VER0, 80)		\
	X(perfgrp_add, PERFGRP_ADD_SIZE_VER0, 32)			\
	X(perfgrp_remove, PERFGRP_REMOVE_SIZE_VER0, 24)			\
	X(perfgrp_control, PERFGRP_CONTROL_SIZE_VER0, 16)		\
	X(perfgrp_query, PERFGRP_QUERY_SIZE_VER0, 64)			\
	X(perfgrp_reader, PERFGRP_READER_SIZE_VER0, 24)			\
	X(perfgrp_value, PERFGRP_VALUE_SIZE_VER0, 48)			\
	X(perfgrp_row, PERFGRP_ROW_SIZE_VER0, 40)			\
	X(perfgrp_snapshot, PERFGRP_SNAPSHOT_SIZE_VER0, 72)		\
	X(perfgrp_period, PERFGRP_PERIOD_SIZE_VER0, 32)			\
	X(perfgrp_stream_stats, PERFGRP_STREAM_STATS_SIZE_VER0, 72)	\
	X(perfgrp_bpf_attach, PERFGRP_BPF_ATTACH_SIZE_VER0, 40)		\
	X(perfgrp_bpf_detach, PERFGRP_BPF_DETACH_SIZE_VER0, 24)		\
	X(perfgrp_bpf_query, PERFGRP_BPF_QUERY_SIZE_VER0, 80)		\
	X(perfgrp_bpf_handle, PERFGRP_BPF_HANDLE_SIZE_VER0, 24)

#define OFFSETS(X)							\
	X(perfgrp_error, size, 0)					\
	X(perfgrp_error, error, 4)					\
	X(perfgrp_error, reason, 8)					\
	X(perfgrp_error, member, 12)					\
	X(perfgrp_error, cpu, 16)					\
	X(perfgrp_error, field, 20)					\
	X(perfgrp_error, text, 52)					\
	X(perfgrp_info, size, 0)					\
	X(perfgrp_info, flags, 4)					\
	X(perfgrp_info, error, 8)					\
	X(perfgrp_info, features, 16)					\
	X(perfgrp_info, max_members, 24)				\
	X(perfgrp_info, nr_cpu_ids, 28)					\
	X(perfgrp_info, max_groups, 32)					\
	X(perfgrp_info, max_buffer, 36)					\
	X(perfgrp_info, abi_version, 40)				\
	X(perfgrp_info, version, 44)					\
	X(perfgrp_create, size, 0)					\
	X(perfgrp_create, flags, 4)					\
	X(perfgrp_create, error, 8)					\
	X(perfgrp_create, target, 16)					\
	X(perfgrp_create, pid, 20)					\
	X(perfgrp_create, cpus, 24)					\
	X(perfgrp_create, nr_cpus, 32)					\
	X(perfgrp_create, fd, 36)					\
	X(perfgrp_create, target_fd, 40)				\
	X(perfgrp_create, buffer_size, 44)				\
	X(perfgrp_create, wakeup_records, 48)				\
	X(perfgrp_create, wakeup_bytes, 52)				\
	X(perfgrp_create, sample_type, 56)				\
	X(perfgrp_create, clockid, 64)					\
	X(perfgrp_create, reserved, 68)					\
	X(perfgrp_create, sample_max_stack, 72)				\
	X(perfgrp_create, reserved2, 76)				\
	X(perfgrp_create, split_depth, 80)				\
	X(perfgrp_create, split_max, 84)				\
	X(perfgrp_create, map_interval, 88)				\
	X(perfgrp_counter, event, 0)					\
	X(perfgrp_counter, flags, 8)					\
	X(perfgrp_counter, id, 12)					\
	X(perfgrp_counter, sample_period, 16)				\
	X(perfgrp_counter, sample_freq, 16)				\
	X(perfgrp_counter, type, 24)					\
	X(perfgrp_counter, precise_ip, 28)				\
	X(perfgrp_counter, config, 32)					\
	X(perfgrp_counter, config1, 40)					\
	X(perfgrp_counter, config2, 48)					\
	X(perfgrp_counter, config3, 56)					\
	X(perfgrp_counter, bp_type, 64)					\
	X(perfgrp_counter, pmu, 68)					\
	X(perfgrp_counter, min_delta, 72)				\
	X(perfgrp_add, size, 0)						\
	X(perfgrp_add, flags, 4)					\
	X(perfgrp_add, error, 8)					\
	X(perfgrp_add, counters, 16)					\
	X(perfgrp_add, counter_size, 24)				\
	X(perfgrp_add, nr_counters, 28)					\
	X(perfgrp_remove, size, 0)					\
	X(perfgrp_remove, flags, 4)					\
	X(perfgrp_remove, error, 8)					\
	X(perfgrp_remove, id, 16)					\
	X(perfgrp_remove, reserved, 20)					\
	X(perfgrp_control, size, 0)					\
	X(perfgrp_control, flags, 4)					\
	X(perfgrp_control, error, 8)					\
	X(perfgrp_query, size, 0)					\
	X(perfgrp_query, flags, 4)					\
	X(perfgrp_query, error, 8)					\
	X(perfgrp_query, counters, 16)					\
	X(perfgrp_query, counter_size, 24)				\
	X(perfgrp_query, nr_counters, 28)				\
	X(perfgrp_query, create_flags, 32)				\
	X(perfgrp_query, target, 36)					\
	X(perfgrp_query, pid, 40)					\
	X(perfgrp_query, task_state, 44)				\
	X(perfgrp_query, enabled, 48)					\
	X(perfgrp_query, clockid, 52)					\
	X(perfgrp_query, generation, 56)				\
	X(perfgrp_query, cgroup_id, 64)					\
	X(perfgrp_reader, size, 0)					\
	X(perfgrp_reader, flags, 4)					\
	X(perfgrp_reader, error, 8)					\
	X(perfgrp_reader, fd, 16)					\
	X(perfgrp_reader, reserved, 20)					\
	X(perfgrp_value, id, 0)						\
	X(perfgrp_value, sched_group, 4)				\
	X(perfgrp_value, state, 8)					\
	X(perfgrp_value, flags, 10)					\
	X(perfgrp_value, pmu, 12)					\
	X(perfgrp_value, raw, 16)					\
	X(perfgrp_value, scaled, 24)					\
	X(perfgrp_value, time_enabled, 32)				\
	X(perfgrp_value, time_running, 40)				\
	X(perfgrp_row, cpu, 0)						\
	X(perfgrp_row, flags, 4)					\
	X(perfgrp_row, first_value, 8)					\
	X(perfgrp_row, nr_values, 12)					\
	X(perfgrp_row, epoch, 16)					\
	X(perfgrp_row, nr_cpus, 20)					\
	X(perfgrp_row, time_before, 24)					\
	X(perfgrp_row, time_after, 32)					\
	X(perfgrp_row, cgroup_id, 40)					\
	X(perfgrp_snapshot, size, 0)					\
	X(perfgrp_snapshot, flags, 4)					\
	X(perfgrp_snapshot, error, 8)					\
	X(perfgrp_snapshot, rows, 16)					\
	X(perfgrp_snapshot, values, 24)					\
	X(perfgrp_snapshot, row_size, 32)				\
	X(perfgrp_snapshot, nr_rows, 36)				\
	X(perfgrp_snapshot, value_size, 40)				\
	X(perfgrp_snapshot, nr_values, 44)				\
	X(perfgrp_snapshot, time_before, 48)				\
	X(perfgrp_snapshot, time_after, 56)				\
	X(perfgrp_snapshot, generation, 64)				\
	X(perfgrp_snapshot, max_age, 72)				\
	X(perfgrp_map, size, 0)						\
	X(perfgrp_map, map_size, 4)					\
	X(perfgrp_map, slot_offset, 8)					\
	X(perfgrp_map, slot_size, 12)					\
	X(perfgrp_map, nr_slots, 16)					\
	X(perfgrp_map, values_offset, 20)				\
	X(perfgrp_map, value_size, 24)					\
	X(perfgrp_map, clockid, 28)					\
	X(perfgrp_map, map_interval, 32)				\
	X(perfgrp_map, generation, 40)					\
	X(perfgrp_map_slot, seq, 0)					\
	X(perfgrp_map_slot, at_rest, 4)					\
	X(perfgrp_map_slot, generation, 8)				\
	X(perfgrp_map_slot, row, 16)					\
	X(perfgrp_sample_id, pid, 0)					\
	X(perfgrp_sample_id, tid, 4)					\
	X(perfgrp_sample_id, time, 8)					\
	X(perfgrp_sample_id, id, 16)					\
	X(perfgrp_sample_id, cpu, 24)					\
	X(perfgrp_sample_id, reserved, 28)				\
	X(perfgrp_sample_value, value, 0)				\
	X(perfgrp_sample_value, id, 8)					\
	X(perfgrp_record_sample, header, 0)				\
	X(perfgrp_record_sample, ip, 8)					\
	X(perfgrp_record_sample, pid, 16)				\
	X(perfgrp_record_sample, tid, 20)				\
	X(perfgrp_record_sample, time, 24)				\
	X(perfgrp_record_sample, id, 32)				\
	X(perfgrp_record_sample, cpu, 40)				\
	X(perfgrp_record_sample, reserved, 44)				\
	X(perfgrp_record_sample, period, 48)				\
	X(perfgrp_record_sample, nr, 56)				\
	X(perfgrp_record_sample, time_enabled, 64)			\
	X(perfgrp_record_sample, time_running, 72)			\
	X(perfgrp_record_throttle, header, 0)				\
	X(perfgrp_record_throttle, time, 8)				\
	X(perfgrp_record_throttle, id, 16)				\
	X(perfgrp_record_throttle, stream_id, 24)			\
	X(perfgrp_record_throttle, sample_id, 32)			\
	X(perfgrp_record_lost, header, 0)				\
	X(perfgrp_record_lost, id, 8)					\
	X(perfgrp_record_lost, lost, 16)				\
	X(perfgrp_record_lost, sample_id, 24)				\
	X(perfgrp_record_bpf_event, header, 0)				\
	X(perfgrp_record_bpf_event, type, 8)				\
	X(perfgrp_record_bpf_event, flags, 10)				\
	X(perfgrp_record_bpf_event, prog_id, 12)			\
	X(perfgrp_record_bpf_event, tag, 16)				\
	X(perfgrp_record_bpf_event, sample_id, 24)			\
	X(perfgrp_record_bpf_attach, header, 0)				\
	X(perfgrp_record_bpf_attach, id, 8)				\
	X(perfgrp_record_bpf_attach, prog_id, 16)			\
	X(perfgrp_record_bpf_attach, reserved, 20)			\
	X(perfgrp_record_bpf_attach, tag, 24)				\
	X(perfgrp_record_bpf_attach, sample_id, 32)			\
	X(perfgrp_period, size, 0)					\
	X(perfgrp_period, flags, 4)					\
	X(perfgrp_period, error, 8)					\
	X(perfgrp_period, sample_period, 16)				\
	X(perfgrp_period, sample_freq, 16)				\
	X(perfgrp_period, id, 24)					\
	X(perfgrp_period, reserved, 28)					\
	X(perfgrp_stream_stats, size, 0)				\
	X(perfgrp_stream_stats, flags, 4)				\
	X(perfgrp_stream_stats, error, 8)				\
	X(perfgrp_stream_stats, produced, 16)				\
	X(perfgrp_stream_stats, read, 24)				\
	X(perfgrp_stream_stats, lost, 32)				\
	X(perfgrp_stream_stats, filtered, 40)				\
	X(perfgrp_stream_stats, sample_type, 48)			\
	X(perfgrp_stream_stats, read_format, 56)			\
	X(perfgrp_stream_stats, buffer_size, 64)			\
	X(perfgrp_stream_stats, reserved, 68)				\
	X(perfgrp_stream_stats, nr_rings, 72)				\
	X(perfgrp_stream_stats, last_ring_size, 76)			\
	X(perfgrp_bpf_attach, size, 0)					\
	X(perfgrp_bpf_attach, flags, 4)					\
	X(perfgrp_bpf_attach, error, 8)					\
	X(perfgrp_bpf_attach, id, 16)					\
	X(perfgrp_bpf_attach, prog_fd, 20)				\
	X(perfgrp_bpf_attach, cookie, 24)				\
	X(perfgrp_bpf_attach, prog_id, 32)				\
	X(perfgrp_bpf_attach, reserved, 36)				\
	X(perfgrp_bpf_detach, size, 0)					\
	X(perfgrp_bpf_detach, flags, 4)					\
	X(perfgrp_bpf_detach, error, 8)					\
	X(perfgrp_bpf_detach, id, 16)					\
	X(perfgrp_bpf_detach, prog_id, 20)				\
	X(perfgrp_bpf_query, size, 0)					\
	X(perfgrp_bpf_query, flags, 4)					\
	X(perfgrp_bpf_query, error, 8)					\
	X(perfgrp_bpf_query, id, 16)					\
	X(perfgrp_bpf_query, prog_id, 20)				\
	X(perfgrp_bpf_query, tag, 24)					\
	X(perfgrp_bpf_query, cookie, 32)				\
	X(perfgrp_bpf_query, runs, 40)					\
	X(perfgrp_bpf_query, nsecs, 48)					\
	X(perfgrp_bpf_query, misses, 56)				\
	X(perfgrp_bpf_query, dropped, 64)				\
	X(perfgrp_bpf_query, attach_flags, 72)				\
	X(perfgrp_bpf_query, reserved, 76)				\
	X(perfgrp_bpf_handle, size, 0)					\
	X(perfgrp_bpf_handle, flags, 4)					\
	X(perfgrp_bpf_handle, error, 8)					\
	X(perfgrp_bpf_handle, handle, 16)

/* Numbers that are compiled into programs: they must never change. */
#define NUMBERS(X)							\
	X(PERFGRP_ABI_VERSION, 1)					\
	X(PERFGRP_IOC_TYPE, 0xbd)					\
	X(PERFGRP_NONE, 0xffffffff)					\
	X(PERFGRP_REASON_NONE, 0)					\
	X(PERFGRP_REASON_SIZE, 1)					\
	X(PERFGRP_REASON_TAIL, 2)					\
	X(PERFGRP_REASON_FLAGS, 3)					\
	X(PERFGRP_REASON_RESERVED, 4)					\
	X(PERFGRP_REASON_POINTER, 5)					\
	X(PERFGRP_REASON_PRIVILEGE, 6)					\
	X(PERFGRP_REASON_TARGET, 7)					\
	X(PERFGRP_REASON_PID, 8)					\
	X(PERFGRP_REASON_CPU, 9)					\
	X(PERFGRP_REASON_CPU_OFFLINE, 10)				\
	X(PERFGRP_REASON_EVENT, 11)					\
	X(PERFGRP_REASON_EVENT_OPTION, 12)				\
	X(PERFGRP_REASON_EVENT_TARGET, 13)				\
	X(PERFGRP_REASON_LIMIT, 14)					\
	X(PERFGRP_REASON_PMU_FULL, 15)					\
	X(PERFGRP_REASON_PMU_BUSY, 16)					\
	X(PERFGRP_REASON_MEMBER, 17)					\
	X(PERFGRP_REASON_LEADER, 18)					\
	X(PERFGRP_REASON_EMPTY, 19)					\
	X(PERFGRP_REASON_BUFFER, 20)					\
	X(PERFGRP_REASON_FEATURE, 21)					\
	X(PERFGRP_REASON_MEMORY, 22)					\
	X(PERFGRP_REASON_KERNEL, 23)					\
	X(PERFGRP_REASON_BPF_FD, 24)					\
	X(PERFGRP_REASON_BPF_TYPE, 25)					\
	X(PERFGRP_REASON_BPF_COUNTER, 26)				\
	X(PERFGRP_REASON_BPF_CALLCHAIN, 27)				\
	X(PERFGRP_REASON_BPF_MAP, 28)					\
	X(PERFGRP_REASON_BPF_ATTACHED, 29)				\
	X(PERFGRP_REASON_BPF_NONE, 30)					\
	X(PERFGRP_REASON_CGROUP, 31)					\
	X(PERFGRP_FEATURE_SCHED_GROUP, 1 << 0)				\
	X(PERFGRP_FEATURE_INHERIT, 1 << 1)				\
	X(PERFGRP_FEATURE_NO_MUX, 1 << 2)				\
	X(PERFGRP_FEATURE_HOTPLUG, 1 << 3)				\
	X(PERFGRP_FEATURE_UNPRIVILEGED, 1 << 4)				\
	X(PERFGRP_FEATURE_SAMPLING, 1 << 5)				\
	X(PERFGRP_FEATURE_BPF, 1 << 6)					\
	X(PERFGRP_FEATURE_BPF_EVENTS, 1 << 7)				\
	X(PERFGRP_FEATURE_KFUNC, 1 << 8)				\
	X(PERFGRP_FEATURE_PIDFD, 1 << 9)				\
	X(PERFGRP_FEATURE_BPF_KERNEL, 1 << 10)				\
	X(PERFGRP_FEATURE_CHILD_VALUES, 1 << 11)			\
	X(PERFGRP_FEATURE_CALLCHAIN, 1 << 12)				\
	X(PERFGRP_FEATURE_CGROUP, 1 << 13)				\
	X(PERFGRP_FEATURE_SPLIT_BY_CGROUP, 1 << 14)			\
	X(PERFGRP_FEATURE_MAPPED, 1 << 15)				\
	X(PERFGRP_GET_INFO, 0xbd00)					\
	X(PERFGRP_TARGET_NONE, 0)					\
	X(PERFGRP_TARGET_TASK, 1)					\
	X(PERFGRP_TARGET_CPUS, 2)					\
	X(PERFGRP_TARGET_ALL_CPUS, 3)					\
	X(PERFGRP_TARGET_PIDFD, 4)					\
	X(PERFGRP_TARGET_CGROUP, 5)					\
	X(PERFGRP_CREATE_ENABLED, 1 << 0)				\
	X(PERFGRP_CREATE_INHERIT, 1 << 1)				\
	X(PERFGRP_CREATE_ENABLE_ON_EXEC, 1 << 2)			\
	X(PERFGRP_CREATE_NO_MUX, 1 << 3)				\
	X(PERFGRP_CREATE_EXCLUSIVE, 1 << 4)				\
	X(PERFGRP_CREATE_ONE_SCHED_GROUP, 1 << 5)			\
	X(PERFGRP_CREATE_OVERWRITE, 1 << 6)				\
	X(PERFGRP_CREATE_BPF_EVENTS, 1 << 7)				\
	X(PERFGRP_CREATE_USE_CLOCKID, 1 << 8)				\
	X(PERFGRP_CREATE_SPLIT_BY_CGROUP, 1 << 9)			\
	X(PERFGRP_CREATE_MAPPED, 1 << 10)				\
	X(PERFGRP_MMAP_ROWS, 1ULL << 42)				\
	X(PERFGRP_SPLIT_MAX, 4096)					\
	X(PERFGRP_CLOCK_PERF, -1)					\
	X(PERFGRP_CREATE, 0xbd01)					\
	X(PERFGRP_EVENT_VALID, 1ULL << 63)				\
	X(PERFGRP_COUNTER_RAW, 1 << 0)					\
	X(PERFGRP_COUNTER_EXCLUDE_USER, 1 << 1)				\
	X(PERFGRP_COUNTER_EXCLUDE_KERNEL, 1 << 2)			\
	X(PERFGRP_COUNTER_EXCLUDE_HV, 1 << 3)				\
	X(PERFGRP_COUNTER_EXCLUDE_IDLE, 1 << 4)				\
	X(PERFGRP_COUNTER_FREQ, 1 << 5)					\
	X(PERFGRP_COUNTER_EXCLUDE_HOST, 1 << 6)				\
	X(PERFGRP_COUNTER_EXCLUDE_GUEST, 1 << 7)			\
	X(PERFGRP_ADD, 0xbd10)						\
	X(PERFGRP_REMOVE_CASCADE, 1 << 0)				\
	X(PERFGRP_REMOVE, 0xbd11)					\
	X(PERFGRP_ENABLE, 0xbd12)					\
	X(PERFGRP_DISABLE, 0xbd13)					\
	X(PERFGRP_RESET, 0xbd14)					\
	X(PERFGRP_TASK_NONE, 0)						\
	X(PERFGRP_TASK_ALIVE, 1)					\
	X(PERFGRP_TASK_EXITED, 2)					\
	X(PERFGRP_TASK_HIDDEN, 3)					\
	X(PERFGRP_QUERY, 0xbd16)					\
	X(PERFGRP_READER_RECORDS, 1)					\
	X(PERFGRP_OPEN_READER, 0xbd17)					\
	X(PERFGRP_STATE_NONE, 0)					\
	X(PERFGRP_STATE_COUNTED, 1)					\
	X(PERFGRP_STATE_MULTIPLEXED, 2)					\
	X(PERFGRP_STATE_NEVER_RAN, 3)					\
	X(PERFGRP_VALUE_SCALED, 1 << 0)					\
	X(PERFGRP_VALUE_SATURATED, 1 << 1)				\
	X(PERFGRP_VALUE_PARTIAL, 1 << 2)				\
	X(PERFGRP_VALUE_MIXED_PMUS, 1 << 3)				\
	X(PERFGRP_CREATE_SIZE_VER1, 80)					\
	X(PERFGRP_CREATE_SIZE_VER2, 88)					\
	X(PERFGRP_CREATE_SIZE_VER3, 96)					\
	X(PERFGRP_ROW_SIZE_VER1, 48)					\
	X(PERFGRP_QUERY_SIZE_VER1, 72)					\
	X(PERFGRP_STREAM_STATS_SIZE_VER1, 80)				\
	X(PERFGRP_VALUE_THROTTLED, 1 << 4)				\
	X(PERFGRP_VALUE_FAILED, 1 << 5)					\
	X(PERFGRP_VALUE_OFFLINE, 1 << 6)				\
	X(PERFGRP_VALUE_EXITED, 1 << 7)					\
	X(PERFGRP_VALUE_ABSENT, 1 << 8)					\
	X(PERFGRP_ROW_OFFLINE, 1 << 0)					\
	X(PERFGRP_ROW_EXITED, 1 << 1)					\
	X(PERFGRP_ROW_FAILED, 1 << 2)					\
	X(PERFGRP_ROW_TOTAL, 1 << 3)					\
	X(PERFGRP_ROW_OUTSIDE, 1 << 4)					\
	X(PERFGRP_ROW_REMOVED, 1 << 5)					\
	X(PERFGRP_ROW_OVERFLOW, 1 << 6)					\
	X(PERFGRP_SNAPSHOT_TOTALS, 1 << 0)				\
	X(PERFGRP_SNAPSHOT_MIX_PMUS, 1 << 1)				\
	X(PERFGRP_SNAPSHOT_RESET, 1 << 2)				\
	X(PERFGRP_SNAPSHOT_CACHED, 1 << 3)				\
	X(PERFGRP_SNAPSHOT_SIZE_VER1, 80)				\
	X(PERFGRP_SNAPSHOT, 0xbd15)					\
	X(PERFGRP_SAMPLE_TYPE, 0x1d7)					\
	X(PERFGRP_READ_FORMAT, 0xf)					\
	X(PERFGRP_RECORD_FIRST, 0x10000)				\
	X(PERFGRP_RECORD_BPF_ATTACH, 0x10000)				\
	X(PERFGRP_RECORD_BPF_REPLACE, 0x10001)				\
	X(PERFGRP_RECORD_BPF_DETACH, 0x10002)				\
	X(PERFGRP_SET_PERIOD, 0xbd20)					\
	X(PERFGRP_GET_STREAM_STATS, 0xbd21)				\
	X(PERFGRP_BPF_EVENTS_ON, 0xbd22)				\
	X(PERFGRP_BPF_EVENTS_OFF, 0xbd23)				\
	X(PERFGRP_BPF_TIMED, 1 << 0)					\
	X(PERFGRP_BPF_HANDLE_NEW, 1 << 0)				\
	X(PERFGRP_BPF_ATTACH, 0xbd30)					\
	X(PERFGRP_BPF_REPLACE, 0xbd31)					\
	X(PERFGRP_BPF_DETACH, 0xbd32)					\
	X(PERFGRP_BPF_QUERY, 0xbd33)					\
	X(PERFGRP_GET_BPF_HANDLE, 0xbd34)

/* The complete constants of events. */
#define EVENTS(X)							\
	X(PERFGRP_HW_CPU_CYCLES, 0x8000000000000000ULL)			\
	X(PERFGRP_HW_INSTRUCTIONS, 0x8000000000000001ULL)		\
	X(PERFGRP_HW_CACHE_REFERENCES, 0x8000000000000002ULL)		\
	X(PERFGRP_HW_CACHE_MISSES, 0x8000000000000003ULL)		\
	X(PERFGRP_HW_BRANCH_INSTRUCTIONS, 0x8000000000000004ULL)	\
	X(PERFGRP_HW_BRANCH_MISSES, 0x8000000000000005ULL)		\
	X(PERFGRP_HW_BUS_CYCLES, 0x8000000000000006ULL)			\
	X(PERFGRP_HW_STALLED_CYCLES_FRONTEND, 0x8000000000000007ULL)	\
	X(PERFGRP_HW_STALLED_CYCLES_BACKEND, 0x8000000000000008ULL)	\
	X(PERFGRP_HW_REF_CYCLES, 0x8000000000000009ULL)			\
	X(PERFGRP_SW_CPU_CLOCK, 0x8000000100000000ULL)			\
	X(PERFGRP_SW_TASK_CLOCK, 0x8000000100000001ULL)			\
	X(PERFGRP_SW_PAGE_FAULTS, 0x8000000100000002ULL)		\
	X(PERFGRP_SW_CONTEXT_SWITCHES, 0x8000000100000003ULL)		\
	X(PERFGRP_SW_CPU_MIGRATIONS, 0x8000000100000004ULL)		\
	X(PERFGRP_SW_MINOR_FAULTS, 0x8000000100000005ULL)		\
	X(PERFGRP_SW_MAJOR_FAULTS, 0x8000000100000006ULL)		\
	X(PERFGRP_SW_ALIGNMENT_FAULTS, 0x8000000100000007ULL)		\
	X(PERFGRP_SW_EMULATION_FAULTS, 0x8000000100000008ULL)		\
	X(PERFGRP_SW_DUMMY, 0x8000000100000009ULL)			\
	X(PERFGRP_SW_BPF_OUTPUT, 0x800000010000000aULL)			\
	X(PERFGRP_SW_CGROUP_SWITCHES, 0x800000010000000bULL)

/* Every struct has the same layout for 32 and 64 bits. */
#define ASSERT_SIZE(type, size)							\
	_Static_assert(sizeof(struct type) == (size), "size of " #type);	\
	_Static_assert(_Alignof(struct type) <= 8 && sizeof(struct type) % 8 == 0, \
		       "padding of " #type);
#define ASSERT_FIRST_SIZE(type, ver0, size)					\
	_Static_assert((ver0) == (size), #ver0);				\
	_Static_assert(sizeof(struct type) >= (ver0), "size of " #type);
#define ASSERT_OFFSET(type, field, offset)					\
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field);
#define ASSERT_NUMBER(name, number)						\
	_Static_assert((name) == (number), #name);

SIZES(ASSERT_SIZE)
FIRST_SIZES(ASSERT_FIRST_SIZE)
OFFSETS(ASSERT_OFFSET)
NUMBERS(ASSERT_NUMBER)
EVENTS(ASSERT_NUMBER)

/* An event constant is the same in all languages and on all machines. */
_Static_assert(PERFGRP_EVENT(0x12345678, 0x9abcdef0) == 0x923456789abcdef0ULL, "event");
_Static_assert(PERFGRP_EVENT(0xffffffff, ~0ULL) == ~0ULL, "largest event");
_Static_assert(PERFGRP_EVENT(0, 0) == PERFGRP_EVENT_VALID, "smallest event");
_Static_assert(PERFGRP_EVENT_TYPE(0x923456789abcdef0ULL) == 0x12345678, "event's type");
_Static_assert(PERFGRP_EVENT_CONFIG(0x923456789abcdef0ULL) == 0x9abcdef0, "event's config");
_Static_assert(PERFGRP_HW_CACHE(6, 2, 1) == 0x8000000300010206ULL, "cache event");

/* sample_period and sample_freq are at the same offset. */
_Static_assert(offsetof(struct perfgrp_counter, sample_freq) ==
	       offsetof(struct perfgrp_counter, sample_period), "sample of a counter");
_Static_assert(offsetof(struct perfgrp_period, sample_freq) ==
	       offsetof(struct perfgrp_period, sample_period), "sample of a period");

TEST(layout, "A8: sizes, offsets and numbers are those of version 1")
{
#define EXPECT_SIZE(type, size) EXPECT_EQ(sizeof(struct type), size);
#define EXPECT_OFFSET(type, field, offset) EXPECT_EQ(offsetof(struct type, field), offset);
#define EXPECT_NUMBER(name, number) EXPECT_EQ(name, number);
	SIZES(EXPECT_SIZE)
	OFFSETS(EXPECT_OFFSET)
	NUMBERS(EXPECT_NUMBER)
	EVENTS(EXPECT_NUMBER)
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
	EXPECT_EQ(PERFGRP_HW_CACHE(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ,
				   PERF_COUNT_HW_CACHE_RESULT_MISS),
		  PERFGRP_EVENT(PERF_TYPE_HW_CACHE, 0x10000));
	EXPECT_EQ(PERFGRP_HW_CACHE(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_OP_PREFETCH,
				   PERF_COUNT_HW_CACHE_RESULT_ACCESS),
		  PERFGRP_EVENT(PERF_TYPE_HW_CACHE, 0x206));
	EXPECT_EQ(PERFGRP_HW_CACHE(PERF_COUNT_HW_CACHE_BPU, PERF_COUNT_HW_CACHE_OP_WRITE,
				   PERF_COUNT_HW_CACHE_RESULT_MISS),
		  PERFGRP_EVENT(PERF_TYPE_HW_CACHE, 0x10105));
}

TEST(info, "A8: GET_INFO answers: versions, features, limits")
{
	struct perfgrp_info info;
	int dev = grp_device();
	struct cpus cpus;

	memset(&info, 0xa5, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	REQUIRE_EQ(grp_ioctl(dev, PERFGRP_GET_INFO, &info), 0);

	cpus_online(&cpus);
	EXPECT_EQ(info.size, sizeof(info));
	EXPECT_EQ(info.flags, 0);
	EXPECT_EQ(info.error, to_u64(&grp_error));
	EXPECT_GE(info.max_buffer, 4096);
	EXPECT_GE(info.max_members, 16);
	EXPECT_GT(info.nr_cpu_ids, cpus.cpu[cpus.nr - 1]);
	EXPECT_GT(info.max_groups, 0);
	EXPECT_EQ(info.features >> 16, 0);
	EXPECT_EQ(info.abi_version, PERFGRP_ABI_VERSION);
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
	EXPECT_EQ(members.hdr.task_state, PERFGRP_TASK_ALIVE);
	EXPECT_EQ(members.hdr.enabled, 0);
	EXPECT_EQ(members.hdr.clockid, CLOCK_MONOTONIC);
	EXPECT_EQ(members.hdr.cgroup_id, 0);
	EXPECT_EQ(members.counter[0].id, counters[0].id);
	EXPECT_EQ(members.counter[0].event, PERFGRP_SW_DUMMY);
	EXPECT_EQ(members.counter[1].id, counters[1].id);
	EXPECT_EQ(members.counter[1].flags, PERFGRP_COUNTER_RAW);
	EXPECT_EQ(members.counter[1].type, PERF_TYPE_SOFTWARE);
	EXPECT_EQ(members.counter[1].config, PERF_COUNT_SW_PAGE_FAULTS);

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	EXPECT_EQ(snap.hdr.nr_values, 2);
	EXPECT_EQ(snap.hdr.generation, members.hdr.generation);
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
