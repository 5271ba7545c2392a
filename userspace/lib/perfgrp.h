/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libperfgrp: groups of perf counters through /dev/perfgrp.
 *
 * A thin layer over the ioctls of <linux/perfgrp.h>, whose structs, flags and
 * constants it uses unchanged. It fills in sizes and error pointers, retries
 * interrupted calls (except perfgrp_read_records()), grows the arrays of a
 * snapshot, and keeps the error of the last failed call of each handle. It
 * prints nothing, never exits and has no global state. A handle may be used by
 * one thread at a time, different handles by different threads.
 *
 * Functions that return int return 0 or a negative errno unless documented otherwise.
 *
 * Structs may grow at their end, so the program and the library may have been built with different
 * sizes of a struct. Functions that take a pointer to a caller's struct therefore also take its
 * sizeof. Fields that one side does not know are zero.
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
struct perfgrp_snap;
struct perfgrp_members;
struct perfgrp_events;

/* Version of this header; perfgrp_lib_version() returns that of the library in use. */
#define PERFGRP_LIB_VERSION	"1.0.0"

const char *perfgrp_lib_version(void);

/* The device */

struct perfgrp_dev *perfgrp_open(void);
struct perfgrp_dev *perfgrp_open_path(const char *path);
struct perfgrp_dev *perfgrp_open_fd(int fd);
struct perfgrp_dev *perfgrp_open_perf(void);
const char *perfgrp_open_error(int err);
int perfgrp_is_perf(const struct perfgrp_dev *dev);
void perfgrp_close(struct perfgrp_dev *dev);
int perfgrp_get_info(struct perfgrp_dev *dev, struct perfgrp_info *info, size_t size);
const struct perfgrp_error *perfgrp_dev_error(const struct perfgrp_dev *dev);

/* Groups: created on the device, made from an fd of another process, or read-only readers */

struct perfgrp_group *perfgrp_create_task(struct perfgrp_dev *dev, int pid, __u32 flags);
struct perfgrp_group *perfgrp_create_task_on_cpu(struct perfgrp_dev *dev, int pid, __u32 cpu,
						 __u32 flags);
struct perfgrp_group *perfgrp_create_pidfd(struct perfgrp_dev *dev, int pidfd, __u32 flags);
struct perfgrp_group *perfgrp_create_cpus(struct perfgrp_dev *dev, const __u32 *cpus,
					  __u32 nr_cpus, __u32 flags);
struct perfgrp_group *perfgrp_create_all_cpus(struct perfgrp_dev *dev, __u32 flags);
struct perfgrp_group *perfgrp_create_cgroup(struct perfgrp_dev *dev, int cgroup_fd,
					    const __u32 *cpus, __u32 nr_cpus, __u32 flags);
struct perfgrp_group *perfgrp_create_with(struct perfgrp_dev *dev,
					  const struct perfgrp_create *how, size_t size);
struct perfgrp_group *perfgrp_group_from_fd(int fd);
struct perfgrp_group *perfgrp_open_reader(struct perfgrp_group *group, __u32 flags);
int perfgrp_group_fd(const struct perfgrp_group *group);
void perfgrp_group_close(struct perfgrp_group *group);
const struct perfgrp_error *perfgrp_group_error(const struct perfgrp_group *group);

/* Members */

int perfgrp_add_counters(struct perfgrp_group *group, struct perfgrp_counter *counters,
			 size_t counter_size, __u32 nr);
int perfgrp_remove_counter(struct perfgrp_group *group, __u32 id, __u32 flags);
int perfgrp_enable(struct perfgrp_group *group);
int perfgrp_disable(struct perfgrp_group *group);
int perfgrp_reset(struct perfgrp_group *group);

/* Query a group and its members. The object can be reused, also for other groups. */

struct perfgrp_members *perfgrp_members_new(void);
int perfgrp_get_members(struct perfgrp_group *group, struct perfgrp_members *members);
void perfgrp_members_free(struct perfgrp_members *members);
__u32 perfgrp_members_nr(const struct perfgrp_members *members);
const struct perfgrp_counter *perfgrp_members_at(const struct perfgrp_members *members, __u32 i);
const struct perfgrp_counter *perfgrp_members_find(const struct perfgrp_members *members,
						   __u32 id);
const struct perfgrp_query *perfgrp_members_group(const struct perfgrp_members *members);

/*
 * Parse event names: perf's syntax, with the names from sysfs, tracefs and libpfm4. The results are
 * groups of counters; the device is not needed. One object can parse any number of texts.
 */

enum {
	PERFGRP_EVENT_FREQ = 1 << 0,		/* sample is a frequency */
	PERFGRP_EVENT_MACHINES = 1 << 1,	/* modifier H (host) or G (guests) was given */
};

/**
 * struct perfgrp_event - a parsed event
 * @name: name to show
 * @unit: unit of the count multiplied by @scale, or ""
 * @cpus: the CPUs to open the event on, as sysfs lists them; NULL for all
 * @scale: factor that converts a count to @unit
 * @counter: for perfgrp_add_counters(); excludes guests unless a modifier names them
 * @sample: value of period= or freq=, used only when sampling; 0 if not given
 * @min_delta: value of min-delta=, see &struct perfgrp_counter.min_delta; used only when sampling
 * @flags: PERFGRP_EVENT_FREQ, PERFGRP_EVENT_MACHINES
 * @sum_name: if the text names an event without exactly one PMU, so that it may stand for those
 *	of several: name to show for their sum, as written or as name= says; NULL otherwise
 */
struct perfgrp_event {
	const char *name;
	const char *unit;
	const char *cpus;
	double scale;
	const struct perfgrp_counter *counter;
	__u64 sample;
	__u64 min_delta;
	__u32 flags;
	const char *sum_name;
};

enum {
	PERFGRP_EVENT_GROUP_BRACES = 1 << 0,	/* written in braces */
	PERFGRP_EVENT_GROUP_WEAK = 1 << 1,	/* modifier W: may be split up */
};

/**
 * struct perfgrp_event_group - events to be counted together
 * @nr: how many
 * @create_flags: PERFGRP_CREATE_NO_MUX and PERFGRP_CREATE_EXCLUSIVE, for the modifiers D and e
 * @flags: PERFGRP_EVENT_GROUP_*
 */
struct perfgrp_event_group {
	__u32 nr;
	__u32 create_flags;
	__u32 flags;
};

/**
 * struct perfgrp_events_error - a parse error
 * @column: offset of the error in the text
 * @text: one line of English
 */
struct perfgrp_events_error {
	__u32 column;
	char text[508];
};

struct perfgrp_events *perfgrp_events_new(void);
struct perfgrp_events *perfgrp_events_new_at(const char *pmus, const char *tracing);
void perfgrp_events_free(struct perfgrp_events *events);
int perfgrp_parse_events(struct perfgrp_events *events, const char *text);
const struct perfgrp_events_error *perfgrp_events_error(const struct perfgrp_events *events);
__u32 perfgrp_events_nr_groups(const struct perfgrp_events *events);
const struct perfgrp_event_group *perfgrp_events_group(const struct perfgrp_events *events,
						       __u32 group);
const struct perfgrp_event *perfgrp_events_at(const struct perfgrp_events *events, __u32 group,
					      __u32 i);
int perfgrp_add_events(struct perfgrp_group *to, struct perfgrp_events *events, __u32 index);
char *perfgrp_event_name(const struct perfgrp_events *events,
			 const struct perfgrp_counter *counter, size_t size);

/* List the events and PMUs of this machine. A callback stops the walk by returning non-zero. */

enum {
	PERFGRP_LIST_GENERIC = 1 << 0,		/* the kernel's generic events */
	PERFGRP_LIST_PMU = 1 << 1,		/* named events of a PMU, in sysfs */
	PERFGRP_LIST_LIBPFM4 = 1 << 2,		/* events of this machine's PMUs in libpfm4 */
	PERFGRP_LIST_TRACEPOINT = 1 << 3,	/* tracepoints, in tracefs */
};

/**
 * struct perfgrp_listed_event - an event that can be named
 * @name: its name, for perfgrp_parse_events()
 * @desc: what it counts, or ""
 * @counter: encoding of a generic or libpfm4 event; NULL for other kinds
 * @kind: PERFGRP_LIST_*
 */
struct perfgrp_listed_event {
	const char *name;
	const char *desc;
	const struct perfgrp_counter *counter;
	__u32 kind;
};

/**
 * struct perfgrp_pmu - a PMU
 * @name: its name in sysfs
 * @cpus: the CPUs to open its events on, as sysfs lists them; NULL for all
 * @type: its number, as in &struct perfgrp_value.pmu
 */
struct perfgrp_pmu {
	const char *name;
	const char *cpus;
	__u32 type;
};

typedef int (*perfgrp_list_event_fn)(void *arg, const struct perfgrp_listed_event *event);
typedef int (*perfgrp_list_pmu_fn)(void *arg, const struct perfgrp_pmu *pmu);

int perfgrp_list_events(const struct perfgrp_events *events, __u32 kinds,
			perfgrp_list_event_fn fn, void *arg);
int perfgrp_list_pmus(const struct perfgrp_events *events, perfgrp_list_pmu_fn fn, void *arg);

/**
 * perfgrp_counter_type - attr.type of a counter
 * @counter: the counter
 *
 * Return: as perf_event_attr.type
 */
static inline __u32 perfgrp_counter_type(const struct perfgrp_counter *counter)
{
	return counter->flags & PERFGRP_COUNTER_RAW ? counter->type :
						      PERFGRP_EVENT_TYPE(counter->event);
}

/**
 * perfgrp_counter_config - attr.config of a counter
 * @counter: the counter
 *
 * Return: as perf_event_attr.config
 */
static inline __u64 perfgrp_counter_config(const struct perfgrp_counter *counter)
{
	return counter->flags & PERFGRP_COUNTER_RAW ? counter->config :
						      PERFGRP_EVENT_CONFIG(counter->event);
}

/*
 * Snapshots: all values of a group at one moment. The object can be reused, also for other groups;
 * it allocates memory only when it has to grow.
 */

struct perfgrp_snap *perfgrp_snap_new(void);
int perfgrp_take_snap(struct perfgrp_group *group, __u32 flags, struct perfgrp_snap *snap);
int perfgrp_take_cached_snap(struct perfgrp_group *group, __u32 flags, __u64 max_age,
			     struct perfgrp_snap *snap);
void perfgrp_snap_free(struct perfgrp_snap *snap);
__u64 perfgrp_snap_time_before(const struct perfgrp_snap *snap);
__u64 perfgrp_snap_time_after(const struct perfgrp_snap *snap);
__u64 perfgrp_snap_generation(const struct perfgrp_snap *snap);
__u32 perfgrp_snap_nr_rows(const struct perfgrp_snap *snap);
const struct perfgrp_row *perfgrp_snap_row(const struct perfgrp_snap *snap, __u32 i);
const struct perfgrp_row *perfgrp_snap_cpu(const struct perfgrp_snap *snap, int cpu);
const struct perfgrp_value *perfgrp_snap_value(const struct perfgrp_snap *snap,
					       const struct perfgrp_row *row, __u32 id);
const struct perfgrp_value *perfgrp_snap_value_at(const struct perfgrp_snap *snap,
						  const struct perfgrp_row *row, __u32 i);

void perfgrp_subtract_value(struct perfgrp_value *value, const struct perfgrp_value *before,
			    size_t size);

/* Names of constants, to be shown; "unknown" for values that a newer module may return */

const char *perfgrp_state_name(__u32 state);
const char *perfgrp_value_flag_name(__u32 flag);
const char *perfgrp_row_flag_name(__u32 flag);
const char *perfgrp_reason_name(__u32 reason);

/*
 * Mapped rows of groups with PERFGRP_CREATE_MAPPED: any number of threads and processes can take
 * snapshots without a system call
 */

const struct perfgrp_map *perfgrp_map_rows(struct perfgrp_group *group);
void perfgrp_unmap_rows(const struct perfgrp_map *map);
int perfgrp_snap_map(const struct perfgrp_map *map, struct perfgrp_snap *snap);

/**
 * perfgrp_map_slot - find a slot of a mapping
 * @map: the mapping
 * @nr: number of the slot, less than @map->nr_slots
 *
 * Return: the slot
 */
static inline const struct perfgrp_map_slot *perfgrp_map_slot(const struct perfgrp_map *map,
							      __u32 nr)
{
	return (const struct perfgrp_map_slot *)((const char *)map + map->slot_offset +
						 (size_t)nr * map->slot_size);
}

/* Copies a struct whose size the module may know differently: what it lacks becomes 0. */
static inline void perfgrp_map_copy(void *to, size_t size, const void *from, size_t from_size)
{
	if (from_size >= size) {
		__builtin_memcpy(to, from, size);
	} else {
		__builtin_memset(to, 0, size);
		__builtin_memcpy(to, from, from_size);
	}
}

/**
 * perfgrp_map_read_slot - read the row of one CPU, or of the task
 * @map: the mapping
 * @nr: number of the slot
 * @row: filled in
 * @values: filled in with at most @room values
 * @room: number of elements in @values
 * @generation: set to the group's generation when the row was written
 *
 * Return: number of values in the row, which may be more than @room; -1 if there is no row
 */
static inline int perfgrp_map_read_slot(const struct perfgrp_map *map, __u32 nr,
					struct perfgrp_row *row, struct perfgrp_value *values,
					__u32 room, __u64 *generation)
{
	const struct perfgrp_map_slot *slot = perfgrp_map_slot(map, nr);
	const char *from = (const char *)slot + map->values_offset;
	size_t row_size = (size_t)(from - (const char *)&slot->row);
	size_t value_size = map->value_size;
	__u32 seq, nr_values, i;

	do {
		do {
			seq = __atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE);
			if (!seq)
				return -1;
		} while (seq & 1);
		*generation = slot->generation;
		perfgrp_map_copy(row, sizeof(*row), &slot->row, row_size);
		nr_values = row->nr_values;
		for (i = 0; i < nr_values && i < room; i++)
			perfgrp_map_copy(&values[i], sizeof(values[i]), from + i * value_size,
					 value_size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&slot->seq, __ATOMIC_RELAXED) != seq);
	return (int)nr_values;
}

/* Records of groups that were created with a buffer_size (perfgrp_create_with()) */

/* Largest size of a record, in bytes. */
#define PERFGRP_RECORD_MAX	65536

/**
 * struct perfgrp_layout - how the records of a stream are laid out
 * @sample_type: PERF_SAMPLE_*
 * @read_format: PERF_FORMAT_*
 * @reserved: 0
 *
 * As in struct perf_event_attr, with sample_id_all = 1. perfgrp_get_layout() returns that of a
 * group.
 */
struct perfgrp_layout {
	__u64 sample_type;
	__u64 read_format;
	__u64 reserved[2];
};

/**
 * struct perfgrp_sample - a PERF_RECORD_SAMPLE, decoded
 * @ip: the interrupted instruction; 0 if the member excludes the mode it is in
 * @pid: process
 * @tid: thread
 * @time: ns, on the group's clock
 * @addr: the data address of the event
 * @id: the member that overflowed
 * @stream_id: the event that overflowed
 * @cpu: the CPU
 * @period: events since the member's last overflow
 * @time_enabled: ns that the member was enabled
 * @time_running: ns that it was on the PMU
 * @nr: number of values, for perfgrp_sample_value_at()
 * @values: the values; points into the record
 * @read_format: PERF_FORMAT_* of @values
 * @nr_ips: number of @ips
 * @ips: the call chain, innermost first, with PERF_CONTEXT_* between its parts; points into the
 *	record
 *
 * Fields that the layout does not have are zero.
 */
struct perfgrp_sample {
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 addr;
	__u64 id;
	__u64 stream_id;
	__u32 cpu;
	__u64 period;
	__u64 time_enabled;
	__u64 time_running;
	__u64 nr;
	const __u64 *values;
	__u64 read_format;
	__u64 nr_ips;
	const __u64 *ips;
};

/**
 * union perfgrp_record - a record that is not a sample, decoded
 * @header: header.type selects the struct; header.size is the size of that struct
 * @throttle: PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE
 * @lost: PERF_RECORD_LOST
 * @bpf_event: PERF_RECORD_BPF_EVENT
 * @bpf_attach: PERFGRP_RECORD_BPF_ATTACH, _BPF_REPLACE, _BPF_DETACH
 *
 * Always in the layout of <linux/perfgrp.h>, whatever the layout of the stream. Fields that the
 * stream does not have are zero.
 */
union perfgrp_record {
	struct perf_event_header header;
	struct perfgrp_record_throttle throttle;
	struct perfgrp_record_lost lost;
	struct perfgrp_record_bpf_event bpf_event;
	struct perfgrp_record_bpf_attach bpf_attach;
};

ssize_t perfgrp_read_records(struct perfgrp_group *group, void *buf, size_t size);
int perfgrp_next_record(const void *buf, size_t len, size_t *offset,
			const struct perf_event_header **record);
int perfgrp_get_layout(struct perfgrp_group *group, struct perfgrp_layout *layout);
int perfgrp_decode_sample(const struct perfgrp_layout *layout,
			  const struct perf_event_header *record, struct perfgrp_sample *to,
			  size_t size);
struct perfgrp_sample_value perfgrp_sample_value_at(const struct perfgrp_sample *sample, __u64 i);
int perfgrp_decode_record(const struct perfgrp_layout *layout,
			  const struct perf_event_header *record, union perfgrp_record *out,
			  size_t out_size);
int perfgrp_set_period(struct perfgrp_group *group, __u32 id, __u64 sample);
int perfgrp_get_stream_stats(struct perfgrp_group *group, struct perfgrp_stream_stats *stats,
			     size_t size);

/* BPF programs attached to members, and groups that record BPF program load and unload */

int perfgrp_attach_bpf(struct perfgrp_group *group, __u32 id, int prog_fd, __u64 cookie,
		       __u32 flags);
int perfgrp_replace_bpf(struct perfgrp_group *group, __u32 id, int prog_fd, __u64 cookie,
			__u32 flags, __u32 expected);
int perfgrp_detach_bpf(struct perfgrp_group *group, __u32 id, __u32 expected);
int perfgrp_query_bpf(struct perfgrp_group *group, __u32 id, struct perfgrp_bpf_query *query,
		      size_t size);
int perfgrp_get_bpf_handle(struct perfgrp_group *group, __u64 *handle);
int perfgrp_renew_bpf_handle(struct perfgrp_group *group, __u64 *handle);
int perfgrp_start_bpf_events(struct perfgrp_group *group);
int perfgrp_stop_bpf_events(struct perfgrp_group *group);
struct perfgrp_group *perfgrp_create_bpf_events(struct perfgrp_dev *dev, __u32 buffer_size);

#ifdef __cplusplus
}
#endif

#endif /* PERFGRP_LIB_H */
