/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libperfgrp: groups of perf counters through /dev/perfgrp.
 *
 * A thin layer over the ioctls of <linux/perfgrp.h>, whose structs, flags and
 * constants it uses unchanged. It fills in sizes and error pointers, retries
 * interrupted calls, grows the arrays of a snapshot, and keeps the error of the
 * last failed call of each handle. It prints nothing, ends nothing and has no
 * global state. A handle may be used by one thread at a time, different handles
 * by different threads.
 *
 * Functions that return int return 0 or a negative errno, or what stands at them.
 */
#ifndef PERFGRP_LIB_H
#define PERFGRP_LIB_H

#include <stddef.h>
#include <sys/types.h>

#include <linux/perf_event.h>
#include <linux/perfgrp.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERFGRP_DEVICE	"/dev/perfgrp"

struct perfgrp_dev;
struct perfgrp_group;

/* The device */

struct perfgrp_dev *perfgrp_open(void);
void perfgrp_close(struct perfgrp_dev *dev);
int perfgrp_get_info(struct perfgrp_dev *dev, struct perfgrp_info *info);
const struct perfgrp_error *perfgrp_dev_error(const struct perfgrp_dev *dev);

/* Groups: made by the device, or taken over from another process's fd */

struct perfgrp_group *perfgrp_create_task(struct perfgrp_dev *dev, int pid, __u32 flags);
struct perfgrp_group *perfgrp_create_task_on_cpu(struct perfgrp_dev *dev, int pid, __u32 cpu,
						 __u32 flags);
struct perfgrp_group *perfgrp_create_cpus(struct perfgrp_dev *dev, const __u32 *cpus,
					  __u32 nr_cpus, __u32 flags);
struct perfgrp_group *perfgrp_create_all_cpus(struct perfgrp_dev *dev, __u32 flags);
struct perfgrp_group *perfgrp_create_with(struct perfgrp_dev *dev,
					  const struct perfgrp_create *how);
struct perfgrp_group *perfgrp_group_from_fd(int fd);
int perfgrp_group_fd(const struct perfgrp_group *group);
void perfgrp_group_close(struct perfgrp_group *group);
const struct perfgrp_error *perfgrp_group_error(const struct perfgrp_group *group);

/* Members */

int perfgrp_add(struct perfgrp_group *group, struct perfgrp_counter *counters, __u32 nr);
int perfgrp_remove(struct perfgrp_group *group, __u32 id, __u32 flags);
int perfgrp_enable(struct perfgrp_group *group);
int perfgrp_disable(struct perfgrp_group *group);
int perfgrp_reset(struct perfgrp_group *group);

/**
 * struct perfgrp_members - what a group is made of
 * @counters: its members, leader first
 * @nr: number of members
 * @room: elements that @counters has room for
 * @create_flags: PERFGRP_CREATE_* as at creation
 * @target: enum perfgrp_target
 * @pid: the task's thread id, 0 for none or one that is gone
 * @enabled: 1 if enabling was the last word, else 0
 *
 * Begin with zeros; use it again for as many queries as you like; end with
 * perfgrp_members_free().
 */
struct perfgrp_members {
	struct perfgrp_counter *counters;
	__u32 nr;
	__u32 room;
	__u32 create_flags;
	__u32 target;
	__s32 pid;
	__u32 enabled;
};

int perfgrp_get_members(struct perfgrp_group *group, struct perfgrp_members *members);
void perfgrp_members_free(struct perfgrp_members *members);

/**
 * struct perfgrp_snap - all values of a group at one moment
 * @rows: one row a CPU, one for a task, or sums over CPUs
 * @values: the values of all rows; a row's begin at its first_value
 * @nr_rows: number of rows
 * @nr_values: number of values
 * @room_rows: elements that @rows has room for
 * @room_values: elements that @values has room for
 * @time_before: CLOCK_MONOTONIC in ns before the first read
 * @time_after: the same after the last
 *
 * Begin with zeros; use it again for as many snapshots as you like, of whatever
 * groups: it allocates memory only to grow. End with perfgrp_snap_free().
 */
struct perfgrp_snap {
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	__u32 nr_rows;
	__u32 nr_values;
	__u32 room_rows;
	__u32 room_values;
	__u64 time_before;
	__u64 time_after;
};

int perfgrp_take_snap(struct perfgrp_group *group, __u32 flags, struct perfgrp_snap *snap);
void perfgrp_snap_free(struct perfgrp_snap *snap);
const struct perfgrp_row *perfgrp_snap_cpu(const struct perfgrp_snap *snap, int cpu);
const struct perfgrp_value *perfgrp_snap_value(const struct perfgrp_snap *snap,
					       const struct perfgrp_row *row, __u32 id);

/* Records, of groups that were made with a buffer_size (perfgrp_create_with()) */

/* No record is longer: room for the largest is room for any. */
#define PERFGRP_RECORD_MAX	65536

/**
 * struct perfgrp_sample_value - one member in a sample
 * @value: its raw count
 * @id: the member
 */
struct perfgrp_sample_value {
	__u64 value;
	__u64 id;
};

/**
 * struct perfgrp_sample - a PERF_RECORD_SAMPLE, taken apart
 * @ip: what was interrupted; 0 where the member may not show it
 * @pid: the process
 * @tid: the thread
 * @time: when, in ns of perf_event_open(2)'s own clock
 * @id: the member that overflowed
 * @cpu: where
 * @period: events since the member's last overflow
 * @time_enabled: ns that the member was enabled
 * @time_running: ns that it was on the PMU
 * @nr: number of @values
 * @values: all members, leader first; they stand in the record itself
 */
struct perfgrp_sample {
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 id;
	__u32 cpu;
	__u64 period;
	__u64 time_enabled;
	__u64 time_running;
	__u64 nr;
	const struct perfgrp_sample_value *values;
};

/**
 * struct perfgrp_notice - a PERF_RECORD_LOST, _THROTTLE or _UNTHROTTLE, taken apart
 * @pid: the process; (__u32)-1 in LOST
 * @tid: the thread; (__u32)-1 in LOST
 * @time: when, in ns of perf_event_open(2)'s own clock
 * @id: the member; 0 in LOST
 * @cpu: where
 * @lost: LOST: how many records were; else 0
 */
struct perfgrp_notice {
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 id;
	__u32 cpu;
	__u64 lost;
};

/**
 * struct perfgrp_bpf_event - a PERF_RECORD_BPF_EVENT, taken apart
 * @type: PERF_BPF_EVENT_PROG_LOAD or _UNLOAD, or PERFGRP_BPF_EVENT_*
 * @flags: 0
 * @prog_id: the program
 * @tag: its tag
 * @pid: the process
 * @tid: the thread
 * @time: when, in ns of perf_event_open(2)'s own clock
 * @id: the member that it is about; 0 for none
 * @cpu: where
 */
struct perfgrp_bpf_event {
	__u16 type;
	__u16 flags;
	__u32 prog_id;
	__u8 tag[8];
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 id;
	__u32 cpu;
};

ssize_t perfgrp_read_records(struct perfgrp_group *group, void *buf, size_t size);
int perfgrp_next_record(const void *buf, size_t len, size_t *offset,
			const struct perf_event_header **record);
int perfgrp_decode_sample(const struct perf_event_header *record, struct perfgrp_sample *sample);
int perfgrp_decode_notice(const struct perf_event_header *record, struct perfgrp_notice *notice);
int perfgrp_decode_bpf_event(const struct perf_event_header *record,
			     struct perfgrp_bpf_event *event);
int perfgrp_set_period(struct perfgrp_group *group, __u32 id, __u64 sample);
int perfgrp_get_stream(struct perfgrp_group *group, struct perfgrp_stream *stream);

/* BPF programs on members, and groups that tell of programs that come and go */

int perfgrp_bpf_attach(struct perfgrp_group *group, __u32 id, int prog_fd, __u64 cookie,
		       __u32 flags);
int perfgrp_bpf_replace(struct perfgrp_group *group, __u32 id, int prog_fd, __u64 cookie,
			__u32 flags, __u32 expected);
int perfgrp_bpf_detach(struct perfgrp_group *group, __u32 id, __u32 expected);
int perfgrp_bpf_query(struct perfgrp_group *group, __u32 id, struct perfgrp_bpf_query *query);
int perfgrp_bpf_handle(struct perfgrp_group *group, __u64 *handle);
struct perfgrp_group *perfgrp_create_bpf_events(struct perfgrp_dev *dev, __u32 buffer_size);

#ifdef __cplusplus
}
#endif

#endif /* PERFGRP_LIB_H */
