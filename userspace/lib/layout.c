// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the UAPI, proved. Sizes and offsets are part of the contract and
 * are the same on every architecture, 32-bit or 64-bit; a size once released
 * never changes. There is no code here: a compiler that takes this file has
 * done all of it.
 */
#include <stddef.h>

#include <linux/perfgrp.h>

#define SIZE(type, size)							\
	_Static_assert(sizeof(struct type) == (size), "size of struct " #type)
#define AT(type, field, offset)							\
	_Static_assert(offsetof(struct type, field) == (offset), "struct " #type "." #field)

SIZE(perfgrp_error, 256);
AT(perfgrp_error, size, 0);
AT(perfgrp_error, error, 4);
AT(perfgrp_error, reason, 8);
AT(perfgrp_error, member, 12);
AT(perfgrp_error, cpu, 16);
AT(perfgrp_error, reserved, 20);
AT(perfgrp_error, field, 24);
AT(perfgrp_error, text, 56);

SIZE(perfgrp_info, 72);
_Static_assert(PERFGRP_INFO_SIZE_VER0 == 72, "first release of struct perfgrp_info");
AT(perfgrp_info, size, 0);
AT(perfgrp_info, flags, 4);
AT(perfgrp_info, error, 8);
AT(perfgrp_info, features, 16);
AT(perfgrp_info, max_members, 24);
AT(perfgrp_info, nr_cpu_ids, 28);
AT(perfgrp_info, max_groups, 32);
AT(perfgrp_info, max_buffer, 36);
AT(perfgrp_info, version, 40);

SIZE(perfgrp_create, 96);
_Static_assert(PERFGRP_CREATE_SIZE_VER0 == 96, "first release of struct perfgrp_create");
AT(perfgrp_create, size, 0);
AT(perfgrp_create, flags, 4);
AT(perfgrp_create, error, 8);
AT(perfgrp_create, target, 16);
AT(perfgrp_create, pid, 20);
AT(perfgrp_create, cpus, 24);
AT(perfgrp_create, nr_cpus, 32);
AT(perfgrp_create, fd, 36);
AT(perfgrp_create, buffer_size, 40);
AT(perfgrp_create, wakeup_records, 44);
AT(perfgrp_create, wakeup_bytes, 48);
AT(perfgrp_create, reserved, 52);

SIZE(perfgrp_counter, 96);
_Static_assert(PERFGRP_COUNTER_SIZE_VER0 == 96, "first release of struct perfgrp_counter");
AT(perfgrp_counter, event, 0);
AT(perfgrp_counter, flags, 8);
AT(perfgrp_counter, id, 12);
AT(perfgrp_counter, sample, 16);
AT(perfgrp_counter, type, 24);
AT(perfgrp_counter, precise_ip, 28);
AT(perfgrp_counter, config, 32);
AT(perfgrp_counter, config1, 40);
AT(perfgrp_counter, config2, 48);
AT(perfgrp_counter, config3, 56);
AT(perfgrp_counter, bp_type, 64);
AT(perfgrp_counter, pmu, 68);
AT(perfgrp_counter, min_move, 72);
AT(perfgrp_counter, reserved, 80);

SIZE(perfgrp_add, 48);
_Static_assert(PERFGRP_ADD_SIZE_VER0 == 48, "first release of struct perfgrp_add");
AT(perfgrp_add, size, 0);
AT(perfgrp_add, flags, 4);
AT(perfgrp_add, error, 8);
AT(perfgrp_add, counters, 16);
AT(perfgrp_add, counter_size, 24);
AT(perfgrp_add, nr_counters, 28);
AT(perfgrp_add, reserved, 32);

SIZE(perfgrp_remove, 24);
_Static_assert(PERFGRP_REMOVE_SIZE_VER0 == 24, "first release of struct perfgrp_remove");
AT(perfgrp_remove, size, 0);
AT(perfgrp_remove, flags, 4);
AT(perfgrp_remove, error, 8);
AT(perfgrp_remove, id, 16);
AT(perfgrp_remove, reserved, 20);

SIZE(perfgrp_control, 24);
_Static_assert(PERFGRP_CONTROL_SIZE_VER0 == 24, "first release of struct perfgrp_control");
AT(perfgrp_control, size, 0);
AT(perfgrp_control, flags, 4);
AT(perfgrp_control, error, 8);
AT(perfgrp_control, reserved, 16);

SIZE(perfgrp_query, 64);
_Static_assert(PERFGRP_QUERY_SIZE_VER0 == 64, "first release of struct perfgrp_query");
AT(perfgrp_query, size, 0);
AT(perfgrp_query, flags, 4);
AT(perfgrp_query, error, 8);
AT(perfgrp_query, counters, 16);
AT(perfgrp_query, counter_size, 24);
AT(perfgrp_query, nr_counters, 28);
AT(perfgrp_query, create_flags, 32);
AT(perfgrp_query, target, 36);
AT(perfgrp_query, pid, 40);
AT(perfgrp_query, enabled, 44);
AT(perfgrp_query, reserved, 48);

SIZE(perfgrp_value, 48);
_Static_assert(PERFGRP_VALUE_SIZE_VER0 == 48, "first release of struct perfgrp_value");
AT(perfgrp_value, id, 0);
AT(perfgrp_value, state, 4);
AT(perfgrp_value, flags, 8);
AT(perfgrp_value, pmu, 12);
AT(perfgrp_value, raw, 16);
AT(perfgrp_value, scaled, 24);
AT(perfgrp_value, time_enabled, 32);
AT(perfgrp_value, time_running, 40);

SIZE(perfgrp_row, 40);
_Static_assert(PERFGRP_ROW_SIZE_VER0 == 40, "first release of struct perfgrp_row");
AT(perfgrp_row, cpu, 0);
AT(perfgrp_row, flags, 4);
AT(perfgrp_row, first_value, 8);
AT(perfgrp_row, nr_values, 12);
AT(perfgrp_row, epoch, 16);
AT(perfgrp_row, nr_cpus, 20);
AT(perfgrp_row, time_before, 24);
AT(perfgrp_row, time_after, 32);

SIZE(perfgrp_snapshot, 80);
_Static_assert(PERFGRP_SNAPSHOT_SIZE_VER0 == 80, "first release of struct perfgrp_snapshot");
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
AT(perfgrp_snapshot, reserved, 64);

SIZE(perfgrp_period, 32);
_Static_assert(PERFGRP_PERIOD_SIZE_VER0 == 32, "first release of struct perfgrp_period");
AT(perfgrp_period, size, 0);
AT(perfgrp_period, flags, 4);
AT(perfgrp_period, error, 8);
AT(perfgrp_period, sample, 16);
AT(perfgrp_period, id, 24);
AT(perfgrp_period, reserved, 28);

SIZE(perfgrp_stream, 64);
_Static_assert(PERFGRP_STREAM_SIZE_VER0 == 64, "first release of struct perfgrp_stream");
AT(perfgrp_stream, size, 0);
AT(perfgrp_stream, flags, 4);
AT(perfgrp_stream, error, 8);
AT(perfgrp_stream, produced, 16);
AT(perfgrp_stream, read, 24);
AT(perfgrp_stream, lost, 32);
AT(perfgrp_stream, filtered, 40);
AT(perfgrp_stream, buffer_size, 48);
AT(perfgrp_stream, reserved, 52);
