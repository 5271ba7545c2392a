// SPDX-License-Identifier: GPL-2.0
/*
 * Exports of the module's internal functions that the KUnit suites call. Linked into perfgrp.ko
 * only if the kernel has KUnit; the symbol namespace keeps all other modules out.
 */
#include <linux/export.h>

#include "../module/access.h"
#include "../module/away.h"
#include "../module/bpf.h"
#include "../module/compat.h"
#include "../module/control.h"
#include "../module/counter.h"
#include "../module/error.h"
#include "../module/event.h"
#include "../module/event_array.h"
#include "../module/group_create.h"
#include "../module/group_file.h"
#include "../module/group_snapshot.h"
#include "../module/ioctl.h"
#include "../module/mapped.h"
#include "../module/member.h"
#include "../module/overflow.h"
#include "../module/perfcore.h"
#include "../module/pmu_attr.h"
#include "../module/records.h"
#include "../module/snapshot.h"
#include "../module/task_exit.h"
#include "../module/tracepoint.h"
#include "../module/value.h"

#define EXPORT_FOR_TESTS(symbol) EXPORT_SYMBOL_NS_GPL(symbol, PERFGRP_TEST_NAMESPACE)

/* value.c */
EXPORT_FOR_TESTS(perfgrp_scale);
EXPORT_FOR_TESTS(perfgrp_value_scale);
EXPORT_FOR_TESTS(perfgrp_value_add);

/* event.c */
EXPORT_FOR_TESTS(perfgrp_event_to_attr);
EXPORT_FOR_TESTS(perfgrp_event_name);
EXPORT_FOR_TESTS(perfgrp_event_is_software);

/* group.c, member.c, control.c */
EXPORT_FOR_TESTS(perfgrp_group_check);
EXPORT_FOR_TESTS(perfgrp_group_create);
EXPORT_FOR_TESTS(perfgrp_group_put);
EXPORT_FOR_TESTS(perfgrp_group_prepare_add);
EXPORT_FOR_TESTS(perfgrp_group_commit_add);
EXPORT_FOR_TESTS(perfgrp_group_abort_add);
EXPORT_FOR_TESTS(perfgrp_group_remove);
EXPORT_FOR_TESTS(perfgrp_group_set_period);
EXPORT_FOR_TESTS(perfgrp_group_enable);
EXPORT_FOR_TESTS(perfgrp_group_disable);

/* mapped_write.c */
EXPORT_FOR_TESTS(perfgrp_mapped_refresh);

/* counter.c */
EXPORT_FOR_TESTS(perfgrp_instance_prepare);
EXPORT_FOR_TESTS(perfgrp_instance_accumulate);
EXPORT_FOR_TESTS(perfgrp_instance_commit);
EXPORT_FOR_TESTS(perfgrp_instance_release_retired);

/* away.c */
EXPORT_FOR_TESTS(perfgrp_away_exit);

/* overflow.c */
EXPORT_FOR_TESTS(perfgrp_overflow);

/* perfcore.c */
EXPORT_FOR_TESTS(perfgrp_core_add_context);

/* perfcore_callchain.c */
EXPORT_FOR_TESTS(perfgrp_core_has_callchain);

/* bpf.c */
EXPORT_FOR_TESTS(perfgrp_bpf_attach);
EXPORT_FOR_TESTS(perfgrp_bpf_replace);
EXPORT_FOR_TESTS(perfgrp_bpf_drop);
EXPORT_FOR_TESTS(perfgrp_bpf_detach);
EXPORT_FOR_TESTS(perfgrp_bpf_take_detached);
EXPORT_FOR_TESTS(perfgrp_bpf_drop_detached);

/* bpf_run.c */
EXPORT_FOR_TESTS(perfgrp_bpf_run);

/* event_array.c */
EXPORT_FOR_TESTS(perfgrp_event_arrays_create);
EXPORT_FOR_TESTS(perfgrp_event_arrays_publish);

/* records.c, records_write.c, records_read.c */
EXPORT_FOR_TESTS(perfgrp_ring_reserve);
EXPORT_FOR_TESTS(perfgrp_ring_commit);
EXPORT_FOR_TESTS(perfgrp_ring_account_lost);
EXPORT_FOR_TESTS(perfgrp_ring_bytes);
EXPORT_FOR_TESTS(perfgrp_ring_entries);
EXPORT_FOR_TESTS(perfgrp_ring_free);
EXPORT_FOR_TESTS(perfgrp_records_add_ring);
EXPORT_FOR_TESTS(perfgrp_records_commit);
EXPORT_FOR_TESTS(perfgrp_records_output_bpf_attach);
EXPORT_FOR_TESTS(perfgrp_records_watermark_reached);
EXPORT_FOR_TESTS(perfgrp_records_read);
EXPORT_FOR_TESTS(perfgrp_records_poll);
EXPORT_FOR_TESTS(perfgrp_records_get_stats);

/* snapshot.c */
EXPORT_FOR_TESTS(perfgrp_snapshot_take);
EXPORT_FOR_TESTS(perfgrp_snapshot_reset);
EXPORT_FOR_TESTS(perfgrp_snapshot_free);

/* group_snapshot.c */
EXPORT_FOR_TESTS(perfgrp_group_snapshot);
EXPORT_FOR_TESTS(perfgrp_group_snapshot_fault_in);

/* group_file.c */
EXPORT_FOR_TESTS(perfgrp_group_file_create);

/* access.c */
EXPORT_FOR_TESTS(perfgrp_access_charge_group);
EXPORT_FOR_TESTS(perfgrp_access_uncharge_group);
EXPORT_FOR_TESTS(perfgrp_access_charge_member);
EXPORT_FOR_TESTS(perfgrp_access_uncharge_member);
EXPORT_FOR_TESTS(perfgrp_access_charge_buffer);
EXPORT_FOR_TESTS(perfgrp_access_uncharge_buffer);
EXPORT_FOR_TESTS(perfgrp_access_unprivileged_allowed);
EXPORT_FOR_TESTS(perfgrp_access_group);
EXPORT_FOR_TESTS(perfgrp_access_counter);

/* error.c, ioctl.c */
EXPORT_FOR_TESTS(perfgrp_fail);
EXPORT_FOR_TESTS(perfgrp_ioctl);
EXPORT_FOR_TESTS(perfgrp_ioctl_reserve_fd);
EXPORT_FOR_TESTS(perfgrp_ioctl_fault_in);

/* perfcore.c, perfcore_link.c */
EXPORT_FOR_TESTS(perfgrp_core_can_link);
EXPORT_FOR_TESTS(perfgrp_core_get_pmu);
EXPORT_FOR_TESTS(perfgrp_core_link_begin);
EXPORT_FOR_TESTS(perfgrp_core_link_end);
EXPORT_FOR_TESTS(perfgrp_core_try_link);
EXPORT_FOR_TESTS(perfgrp_core_read_anywhere);

/* perfcore_cgroup.c */
#ifdef CONFIG_CGROUP_PERF
EXPORT_FOR_TESTS(perfgrp_core_cgroup_now);
EXPORT_FOR_TESTS(perfgrp_core_cgroup_time_at);
#endif

/* pmu_attr.c */
EXPORT_FOR_TESTS(perfgrp_pmu_attr_cpus);

/* task_exit.c */
EXPORT_FOR_TESTS(perfgrp_task_exit_watch);
EXPORT_FOR_TESTS(perfgrp_task_exit_unwatch);

/* tracepoint.c */
EXPORT_FOR_TESTS(perfgrp_tracepoint_find);
EXPORT_FOR_TESTS(perfgrp_tracepoint_get);
EXPORT_FOR_TESTS(perfgrp_tracepoint_put);
