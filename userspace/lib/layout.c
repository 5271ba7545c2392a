// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Compile-time checks of version 1 of the UAPI. Sizes and offsets are part of the contract and are
 * the same on every architecture, 32-bit or 64-bit.
 */
#include <stddef.h>

#include <linux/perfgrp.h>

#define SIZE(type, size)							\
	_Static_assert(sizeof(struct type) == (size), "size of struct " #type)
#define AT(type, field, offset)							\
	_Static_assert(offsetof(struct type, field) == (offset), "struct " #type "." #field)
#define VER0(name, size)							\
	_Static_assert((name) == (size), #name)

_Static_assert(PERFGRP_ABI_VERSION == 1, "version of the contract");

SIZE(perfgrp_error, 256);
VER0(PERFGRP_ERROR_SIZE_VER0, 256);
AT(perfgrp_error, size, 0);
AT(perfgrp_error, error, 4);
AT(perfgrp_error, reason, 8);
AT(perfgrp_error, member, 12);
AT(perfgrp_error, cpu, 16);
AT(perfgrp_error, field, 20);
AT(perfgrp_error, text, 52);

SIZE(perfgrp_info, 72);
VER0(PERFGRP_INFO_SIZE_VER0, 72);
AT(perfgrp_info, size, 0);
AT(perfgrp_info, flags, 4);
AT(perfgrp_info, error, 8);
AT(perfgrp_info, features, 16);
AT(perfgrp_info, max_members, 24);
AT(perfgrp_info, nr_cpu_ids, 28);
AT(perfgrp_info, max_groups, 32);
AT(perfgrp_info, max_buffer, 36);
AT(perfgrp_info, abi_version, 40);
AT(perfgrp_info, version, 44);

SIZE(perfgrp_create, 96);
VER0(PERFGRP_CREATE_SIZE_VER0, 72);
AT(perfgrp_create, size, 0);
AT(perfgrp_create, flags, 4);
AT(perfgrp_create, error, 8);
AT(perfgrp_create, target, 16);
AT(perfgrp_create, pid, 20);
AT(perfgrp_create, cpus, 24);
AT(perfgrp_create, nr_cpus, 32);
AT(perfgrp_create, fd, 36);
AT(perfgrp_create, target_fd, 40);
AT(perfgrp_create, buffer_size, 44);
AT(perfgrp_create, wakeup_records, 48);
AT(perfgrp_create, wakeup_bytes, 52);
AT(perfgrp_create, sample_type, 56);
AT(perfgrp_create, clockid, 64);
AT(perfgrp_create, reserved, 68);
AT(perfgrp_create, sample_max_stack, 72);
AT(perfgrp_create, reserved2, 76);
AT(perfgrp_create, split_depth, 80);
AT(perfgrp_create, split_max, 84);
AT(perfgrp_create, map_interval, 88);

SIZE(perfgrp_counter, 80);
VER0(PERFGRP_COUNTER_SIZE_VER0, 80);
AT(perfgrp_counter, event, 0);
AT(perfgrp_counter, flags, 8);
AT(perfgrp_counter, id, 12);
AT(perfgrp_counter, sample_period, 16);
AT(perfgrp_counter, sample_freq, 16);
AT(perfgrp_counter, type, 24);
AT(perfgrp_counter, precise_ip, 28);
AT(perfgrp_counter, config, 32);
AT(perfgrp_counter, config1, 40);
AT(perfgrp_counter, config2, 48);
AT(perfgrp_counter, config3, 56);
AT(perfgrp_counter, bp_type, 64);
AT(perfgrp_counter, pmu, 68);
AT(perfgrp_counter, min_delta, 72);

SIZE(perfgrp_add, 32);
VER0(PERFGRP_ADD_SIZE_VER0, 32);
AT(perfgrp_add, size, 0);
AT(perfgrp_add, flags, 4);
AT(perfgrp_add, error, 8);
AT(perfgrp_add, counters, 16);
AT(perfgrp_add, counter_size, 24);
AT(perfgrp_add, nr_counters, 28);

SIZE(perfgrp_remove, 24);
VER0(PERFGRP_REMOVE_SIZE_VER0, 24);
AT(perfgrp_remove, size, 0);
AT(perfgrp_remove, flags, 4);
AT(perfgrp_remove, error, 8);
AT(perfgrp_remove, id, 16);
AT(perfgrp_remove, reserved, 20);

SIZE(perfgrp_control, 16);
VER0(PERFGRP_CONTROL_SIZE_VER0, 16);
AT(perfgrp_control, size, 0);
AT(perfgrp_control, flags, 4);
AT(perfgrp_control, error, 8);

SIZE(perfgrp_query, 72);
VER0(PERFGRP_QUERY_SIZE_VER0, 64);
AT(perfgrp_query, size, 0);
AT(perfgrp_query, flags, 4);
AT(perfgrp_query, error, 8);
AT(perfgrp_query, counters, 16);
AT(perfgrp_query, counter_size, 24);
AT(perfgrp_query, nr_counters, 28);
AT(perfgrp_query, create_flags, 32);
AT(perfgrp_query, target, 36);
AT(perfgrp_query, pid, 40);
AT(perfgrp_query, task_state, 44);
AT(perfgrp_query, enabled, 48);
AT(perfgrp_query, clockid, 52);
AT(perfgrp_query, generation, 56);
AT(perfgrp_query, cgroup_id, 64);

SIZE(perfgrp_reader, 24);
VER0(PERFGRP_READER_SIZE_VER0, 24);
AT(perfgrp_reader, size, 0);
AT(perfgrp_reader, flags, 4);
AT(perfgrp_reader, error, 8);
AT(perfgrp_reader, fd, 16);
AT(perfgrp_reader, reserved, 20);

SIZE(perfgrp_value, 48);
VER0(PERFGRP_VALUE_SIZE_VER0, 48);
AT(perfgrp_value, id, 0);
AT(perfgrp_value, sched_group, 4);
AT(perfgrp_value, state, 8);
AT(perfgrp_value, flags, 10);
AT(perfgrp_value, pmu, 12);
AT(perfgrp_value, raw, 16);
AT(perfgrp_value, scaled, 24);
AT(perfgrp_value, time_enabled, 32);
AT(perfgrp_value, time_running, 40);

SIZE(perfgrp_row, 48);
VER0(PERFGRP_ROW_SIZE_VER0, 40);
AT(perfgrp_row, cpu, 0);
AT(perfgrp_row, flags, 4);
AT(perfgrp_row, first_value, 8);
AT(perfgrp_row, nr_values, 12);
AT(perfgrp_row, epoch, 16);
AT(perfgrp_row, nr_cpus, 20);
AT(perfgrp_row, time_before, 24);
AT(perfgrp_row, time_after, 32);
AT(perfgrp_row, cgroup_id, 40);

SIZE(perfgrp_snapshot, 80);
VER0(PERFGRP_SNAPSHOT_SIZE_VER0, 72);
AT(perfgrp_snapshot, size, 0);
AT(perfgrp_snapshot, flags, 4);
AT(perfgrp_snapshot, error, 8);
AT(perfgrp_snapshot, rows, 16);
AT(perfgrp_snapshot, values, 24);
AT(perfgrp_snapshot, row_size, 32);
AT(perfgrp_snapshot, nr_rows, 36);
AT(perfgrp_snapshot, value_size, 40);
AT(perfgrp_snapshot, nr_values, 44);
AT(perfgrp_snapshot, time_before, 48);
AT(perfgrp_snapshot, time_after, 56);
AT(perfgrp_snapshot, generation, 64);
AT(perfgrp_snapshot, max_age, 72);

SIZE(perfgrp_map, 48);
AT(perfgrp_map, size, 0);
AT(perfgrp_map, map_size, 4);
AT(perfgrp_map, slot_offset, 8);
AT(perfgrp_map, slot_size, 12);
AT(perfgrp_map, nr_slots, 16);
AT(perfgrp_map, values_offset, 20);
AT(perfgrp_map, value_size, 24);
AT(perfgrp_map, clockid, 28);
AT(perfgrp_map, map_interval, 32);
AT(perfgrp_map, generation, 40);

SIZE(perfgrp_map_slot, 64);
AT(perfgrp_map_slot, seq, 0);
AT(perfgrp_map_slot, at_rest, 4);
AT(perfgrp_map_slot, generation, 8);
AT(perfgrp_map_slot, row, 16);

SIZE(perfgrp_sample_id, 32);
AT(perfgrp_sample_id, pid, 0);
AT(perfgrp_sample_id, tid, 4);
AT(perfgrp_sample_id, time, 8);
AT(perfgrp_sample_id, id, 16);
AT(perfgrp_sample_id, cpu, 24);
AT(perfgrp_sample_id, reserved, 28);

SIZE(perfgrp_sample_value, 16);
AT(perfgrp_sample_value, value, 0);
AT(perfgrp_sample_value, id, 8);

SIZE(perfgrp_record_sample, 80);
AT(perfgrp_record_sample, header, 0);
AT(perfgrp_record_sample, ip, 8);
AT(perfgrp_record_sample, pid, 16);
AT(perfgrp_record_sample, tid, 20);
AT(perfgrp_record_sample, time, 24);
AT(perfgrp_record_sample, id, 32);
AT(perfgrp_record_sample, cpu, 40);
AT(perfgrp_record_sample, reserved, 44);
AT(perfgrp_record_sample, period, 48);
AT(perfgrp_record_sample, nr, 56);
AT(perfgrp_record_sample, time_enabled, 64);
AT(perfgrp_record_sample, time_running, 72);

SIZE(perfgrp_record_throttle, 64);
AT(perfgrp_record_throttle, header, 0);
AT(perfgrp_record_throttle, time, 8);
AT(perfgrp_record_throttle, id, 16);
AT(perfgrp_record_throttle, stream_id, 24);
AT(perfgrp_record_throttle, sample_id, 32);

SIZE(perfgrp_record_lost, 56);
AT(perfgrp_record_lost, header, 0);
AT(perfgrp_record_lost, id, 8);
AT(perfgrp_record_lost, lost, 16);
AT(perfgrp_record_lost, sample_id, 24);

SIZE(perfgrp_record_bpf_event, 56);
AT(perfgrp_record_bpf_event, header, 0);
AT(perfgrp_record_bpf_event, type, 8);
AT(perfgrp_record_bpf_event, flags, 10);
AT(perfgrp_record_bpf_event, prog_id, 12);
AT(perfgrp_record_bpf_event, tag, 16);
AT(perfgrp_record_bpf_event, sample_id, 24);

SIZE(perfgrp_record_bpf_attach, 64);
AT(perfgrp_record_bpf_attach, header, 0);
AT(perfgrp_record_bpf_attach, id, 8);
AT(perfgrp_record_bpf_attach, prog_id, 16);
AT(perfgrp_record_bpf_attach, reserved, 20);
AT(perfgrp_record_bpf_attach, tag, 24);
AT(perfgrp_record_bpf_attach, sample_id, 32);

SIZE(perfgrp_period, 32);
VER0(PERFGRP_PERIOD_SIZE_VER0, 32);
AT(perfgrp_period, size, 0);
AT(perfgrp_period, flags, 4);
AT(perfgrp_period, error, 8);
AT(perfgrp_period, sample_period, 16);
AT(perfgrp_period, sample_freq, 16);
AT(perfgrp_period, id, 24);
AT(perfgrp_period, reserved, 28);

SIZE(perfgrp_stream_stats, 80);
VER0(PERFGRP_STREAM_STATS_SIZE_VER0, 72);
AT(perfgrp_stream_stats, size, 0);
AT(perfgrp_stream_stats, flags, 4);
AT(perfgrp_stream_stats, error, 8);
AT(perfgrp_stream_stats, produced, 16);
AT(perfgrp_stream_stats, read, 24);
AT(perfgrp_stream_stats, lost, 32);
AT(perfgrp_stream_stats, filtered, 40);
AT(perfgrp_stream_stats, sample_type, 48);
AT(perfgrp_stream_stats, read_format, 56);
AT(perfgrp_stream_stats, buffer_size, 64);
AT(perfgrp_stream_stats, reserved, 68);
AT(perfgrp_stream_stats, nr_rings, 72);
AT(perfgrp_stream_stats, last_ring_size, 76);

SIZE(perfgrp_bpf_attach, 40);
VER0(PERFGRP_BPF_ATTACH_SIZE_VER0, 40);
AT(perfgrp_bpf_attach, size, 0);
AT(perfgrp_bpf_attach, flags, 4);
AT(perfgrp_bpf_attach, error, 8);
AT(perfgrp_bpf_attach, id, 16);
AT(perfgrp_bpf_attach, prog_fd, 20);
AT(perfgrp_bpf_attach, cookie, 24);
AT(perfgrp_bpf_attach, prog_id, 32);
AT(perfgrp_bpf_attach, reserved, 36);

SIZE(perfgrp_bpf_detach, 24);
VER0(PERFGRP_BPF_DETACH_SIZE_VER0, 24);
AT(perfgrp_bpf_detach, size, 0);
AT(perfgrp_bpf_detach, flags, 4);
AT(perfgrp_bpf_detach, error, 8);
AT(perfgrp_bpf_detach, id, 16);
AT(perfgrp_bpf_detach, prog_id, 20);

SIZE(perfgrp_bpf_query, 80);
VER0(PERFGRP_BPF_QUERY_SIZE_VER0, 80);
AT(perfgrp_bpf_query, size, 0);
AT(perfgrp_bpf_query, flags, 4);
AT(perfgrp_bpf_query, error, 8);
AT(perfgrp_bpf_query, id, 16);
AT(perfgrp_bpf_query, prog_id, 20);
AT(perfgrp_bpf_query, tag, 24);
AT(perfgrp_bpf_query, cookie, 32);
AT(perfgrp_bpf_query, runs, 40);
AT(perfgrp_bpf_query, nsecs, 48);
AT(perfgrp_bpf_query, misses, 56);
AT(perfgrp_bpf_query, dropped, 64);
AT(perfgrp_bpf_query, attach_flags, 72);
AT(perfgrp_bpf_query, reserved, 76);

SIZE(perfgrp_bpf_handle, 24);
VER0(PERFGRP_BPF_HANDLE_SIZE_VER0, 24);
AT(perfgrp_bpf_handle, size, 0);
AT(perfgrp_bpf_handle, flags, 4);
AT(perfgrp_bpf_handle, error, 8);
AT(perfgrp_bpf_handle, handle, 16);
