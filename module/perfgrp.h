/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfgrp's own types, and what one file of the module offers the others.
 *
 * The three flows: an ioctl goes ioctl.c -> device.c or group_file.c -> group.c
 * -> counter.c -> perfcore.c -> perf core. A snapshot goes group_file.c ->
 * snapshot.c -> perfcore.c on each CPU. A CPU that comes or goes is seen by
 * hotplug.c, which lets a worker call group.c.
 *
 * Locks, in the order in which they are taken:
 *
 *	perfgrp_group.lock	a group's members, counters, bases and state;
 *				written to change them, read to look at them
 *	exec_update_lock	of a task target's signal struct, for reading: the
 *				task does not exec, so neither what the caller may
 *				see of it nor its events' enable_on_exec changes
 *	records.h reading	one reader of a group's records at a time
 *	records.c alloc_lock	one buffer is made at a time; by workers, for which
 *				a creator waits with no lock held
 *	kprobe.h lock		how many want a probe armed, and whether it is
 *	perfcore.c link_lock	one creation under a leader at a time
 *	bpf_events.c subscribers_lock
 *				which groups ask for records of BPF programs
 *	the perf core's, the kprobes' and the CPU hotplug lock
 *	hotplug.c groups_lock	which groups follow hotplug; a leaf, taken with
 *				the CPU hotplug lock held
 */
#ifndef PERFGRP_H
#define PERFGRP_H

#include <linux/bpf.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/perfgrp.h>

#define PERFGRP_VERSION	    "0.1"
#define PERFGRP_MAX_MEMBERS 32
#define PERFGRP_MAX_GROUPS  4096       /* a user */
#define PERFGRP_MAX_BUFFER  (64 << 20) /* bytes a CPU */

/* ---- pure data ----------------------------------------------------------- */

/**
 * struct perfgrp_count - a count and its times
 * @count: events
 * @enabled: ns enabled
 * @running: ns on the PMU
 *
 * Added and subtracted modulo 2^64, so that a base may stand below zero.
 */
struct perfgrp_count {
	u64 count;
	u64 enabled;
	u64 running;
};

static inline struct perfgrp_count perfgrp_count_add(struct perfgrp_count a, struct perfgrp_count b)
{
	return (struct perfgrp_count){
		.count = a.count + b.count,
		.enabled = a.enabled + b.enabled,
		.running = a.running + b.running,
	};
}

static inline struct perfgrp_count perfgrp_count_sub(struct perfgrp_count a, struct perfgrp_count b)
{
	return (struct perfgrp_count){
		.count = a.count - b.count,
		.enabled = a.enabled - b.enabled,
		.running = a.running - b.running,
	};
}

/* ---- objects ------------------------------------------------------------- */

/**
 * struct perfgrp_overflow_state - what overflow handlers remember from one overflow to the next
 * @event: the event it is about
 * @base: the counter's base count when @last was initialised
 * @last: what @event read at the last record
 * @throttled: the perf core has throttled it
 *
 * @event and @base belong to perfgrp_event_arrays_publish() (perfgrp_group.lock). It
 * initialises @last and @throttled; from then on the handlers of @event write them, in
 * NMI too. Each is one word and written with WRITE_ONCE(); a handler that races with
 * the initialisation may win.
 */
struct perfgrp_overflow_state {
	const struct perf_event *event;
	u64 base;
	u64 last;
	bool throttled;
};

/**
 * struct perfgrp_member_instance - a member on one instance
 * @event: the perf event; NULL while the CPU is offline, or where it could not be
 *	created when the CPU came back
 * @next: an event that is to take the place of @event, or that did have it; only while
 *	a change is being made
 * @base: what the counter reads is @base plus what @event reads. It holds what
 *	earlier events counted, less what a reset took away.
 * @frozen: what an inherited counter read when its group was disabled
 * @pmu: number of the PMU of its last event; PERFGRP_NONE where it had none yet
 * @overflow_state: of @event, where it samples
 *
 * All but @overflow_state under perfgrp_group.lock.
 */
struct perfgrp_member_instance {
	struct perf_event *event;
	struct perf_event *next;
	struct perfgrp_count base;
	struct perfgrp_count frozen;
	u32 pmu;
	struct perfgrp_overflow_state overflow_state;
};

/**
 * struct perfgrp_member - one event of a group, on all its instances
 * @id: never 0, never used twice in a group
 * @desc: as the user asked for it
 * @attr: as the perf core is asked for it
 * @attachment: its BPF program, or NULL (perfgrp_group.lock)
 * @rcu: to be freed when no handler looks at it any more
 * @instances: one per instance of the group
 *
 * Fixed after creation, but for @attachment and @instances.
 */
struct perfgrp_member {
	u32 id;
	struct perfgrp_counter desc;
	struct perf_event_attr attr;
	struct perfgrp_attachment *attachment;
	struct rcu_head rcu;
	struct perfgrp_member_instance instances[];
};

/**
 * struct perfgrp_instance - where a group counts: one CPU, or its one task
 * @cpu: the CPU; -1 for a task on any
 * @lost: bit 0 is set when @cpu begins to go down, by the hotplug callback at any
 *	time, and cleared by the worker under perfgrp_group.lock, once the events
 *	that died with it are accumulated and released
 * @live: there are events, or would be if there were members
 * @seen: it has been live; without it there is no row
 * @row: index of its row in a snapshot
 * @epoch: how often it has come back
 *
 * All but @lost under perfgrp_group.lock.
 */
struct perfgrp_instance {
	int cpu;
	unsigned long lost;
	bool live;
	bool seen;
	u32 row;
	u32 epoch;
};

/**
 * struct perfgrp_group - a group; lives as long as its file
 * @lock: see above
 * @flags: PERFGRP_CREATE_*; fixed
 * @target: enum perfgrp_target; fixed
 * @task: the task of a task target, with a reference; fixed
 * @owner: whom the group is charged to; fixed
 * @enabled: its counters are to count (@lock); see perfgrp_group_is_enabled()
 * @enable_on_exec: an exec of the task is to enable it; no more once somebody has noticed
 *	that it has come (@lock)
 * @next_id: id of the next member (@lock)
 * @nr_members: how many of @members there are (@lock)
 * @members: leader first, then as they were added (@lock). Entries from
 *	@nr_members on are used only while an addition is being prepared.
 * @nr_instances: how many of @instances there are; fixed
 * @instances: see there; CPUs in ascending order
 * @instance_of: instance of a CPU, -1 for none; NULL for task targets; fixed
 * @nr_rows: how many of @instances have been seen (@lock)
 * @cpus: CPUs of the live instances (@lock)
 * @snap_cache: memory for a snapshot, or NULL; taken and given back with xchg() by
 *	snapshots, which only share @lock
 * @event_arrays: where its counters may sample, or BPF programs may read it, else NULL; set
 *	once (@lock)
 * @sampling: where its counters may sample, else NULL; fixed
 * @handle: what BPF programs know it by; 0 before it is asked for (@lock)
 * @bpf_events_node: in bpf_events.c's list
 * @bpf_events_missed: how many calls that list's probe had missed when the group was
 *	last told of them; written in any context
 * @node: in hotplug.c's list
 * @hotplug_work: makes the instances follow the CPUs
 */
struct perfgrp_group {
	struct rw_semaphore lock;
	u32 flags;
	u32 target;
	struct task_struct *task;
	kuid_t owner;
	bool enabled;
	bool enable_on_exec;
	u32 next_id;
	unsigned int nr_members;
	struct perfgrp_member *members[PERFGRP_MAX_MEMBERS];
	unsigned int nr_instances;
	struct perfgrp_instance *instances;
	int *instance_of;
	unsigned int nr_rows;
	cpumask_var_t cpus;
	struct perfgrp_snap_buffer *snap_cache;
	struct perfgrp_event_arrays *event_arrays;
	struct perfgrp_sampling *sampling;
	u64 handle;
	struct list_head bpf_events_node;
	atomic_long_t bpf_events_missed;
	struct list_head node;
	struct work_struct hotplug_work;
};

/**
 * struct perfgrp_event_array_entry - a member for lockless readers
 * @event: its event on the instance; NULL if there is none
 * @base: to be added to what @event reads
 * @min_move: see struct perfgrp_counter
 * @attachment: its BPF program, or NULL
 * @overflow_state: of @event
 * @id: of the member
 */
struct perfgrp_event_array_entry {
	struct perf_event *event;
	struct perfgrp_count base;
	u64 min_move;
	struct perfgrp_attachment *attachment;
	struct perfgrp_overflow_state *overflow_state;
	u32 id;
};

/**
 * struct perfgrp_event_array - an instance for lockless readers; see event_array.c
 * @nr: members
 * @filters: at least one has a min_move
 * @entries: leader first
 */
struct perfgrp_event_array {
	unsigned int nr;
	bool filters;
	struct perfgrp_event_array_entry entries[PERFGRP_MAX_MEMBERS];
};

/**
 * struct perfgrp_event_arrays - the event arrays of a group
 * @sets: two sets of one array per instance. The set that is not @active is filled
 *	under perfgrp_group.lock; readers use @active under RCU.
 * @active: the set that readers use
 * @next: index of the set to fill next (perfgrp_group.lock)
 * @cookie: RCU's state when that set was last visible (perfgrp_group.lock)
 */
struct perfgrp_event_arrays {
	struct perfgrp_event_array *sets[2];
	struct perfgrp_event_array __rcu *active;
	unsigned int next;
	unsigned long cookie;
};

/**
 * struct perfgrp_sampling - what a group has for counters that sample
 * @records: the buffer; fixed
 * @pid_ns: whose numbers of tasks the records have; fixed
 */
struct perfgrp_sampling {
	struct perfgrp_records *records;
	struct pid_namespace *pid_ns;
};

/* ---- records, laid out as perf's; the buffer aligns them to 4 bytes ------- */

struct perfgrp_sample_id {
	u32 pid;
	u32 tid;
	u64 time;
	u64 id;
	u32 cpu;
	u32 reserved;
} __packed __aligned(4);

struct perfgrp_record_sample {
	struct perf_event_header header;
	u64 ip;
	u32 pid;
	u32 tid;
	u64 time;
	u64 id;
	u32 cpu;
	u32 reserved;
	u64 period;
	u64 nr;
	u64 enabled;
	u64 running;
	struct {
		u64 value;
		u64 id;
	} __packed __aligned(4) values[];
} __packed __aligned(4);

struct perfgrp_record_throttle {
	struct perf_event_header header;
	u64 time;
	u64 id;
	u64 stream_id;
	struct perfgrp_sample_id sample_id;
} __packed __aligned(4);

struct perfgrp_record_bpf_event {
	struct perf_event_header header;
	u16 type;
	u16 flags;
	u32 prog_id;
	u8 tag[BPF_TAG_SIZE];
	struct perfgrp_sample_id sample_id;
} __packed __aligned(4);

struct perfgrp_record_lost {
	struct perf_event_header header;
	u64 id;
	u64 lost;
	struct perfgrp_sample_id sample_id;
} __packed __aligned(4);

/* ---- ioctl.c: arguments in, errors out ----------------------------------- */

/* Error struct for a call that has not failed yet. */
#define PERFGRP_ERROR_INIT                                                                         \
	{                                                                                          \
		.size = sizeof(struct perfgrp_error), .member = PERFGRP_NONE, .cpu = -1            \
	}

__printf(5, 6) int perfgrp_fail(struct perfgrp_error *err, int ret, enum perfgrp_reason reason,
				const char *field, const char *fmt, ...);

struct perfgrp_call;

/**
 * struct perfgrp_ioctl - one row of an ioctl table
 * @name: as users know it, for errors
 * @size: of the argument struct
 * @min_size: the least that a caller may pass
 * @flags: those that are known
 * @reserved: offset of the reserved part that must be zero; 0 for none
 * @reserved_size: its size
 * @out: the argument is written back on success
 * @fn: does it; 0 or a negative errno
 */
struct perfgrp_ioctl {
	const char *name;
	u16 size;
	u16 min_size;
	u32 flags;
	u16 reserved;
	u16 reserved_size;
	bool out;
	int (*fn)(struct file *file, struct perfgrp_call *call);
};

/**
 * struct perfgrp_call - one ioctl under way
 * @err: what is wrong with it
 * @out_on_error: write the argument back although it failed (EMSGSIZE)
 * @file: a new file, installed at @fd when all else is done
 * @fd: its reserved number
 * @arg: the caller's struct, checked for size, flags and reserved fields
 */
struct perfgrp_call {
	struct perfgrp_error err;
	bool out_on_error;
	struct file *file;
	int fd;
	union {
		struct perfgrp_info info;
		struct perfgrp_create create;
		struct perfgrp_add add;
		struct perfgrp_remove remove;
		struct perfgrp_control control;
		struct perfgrp_query query;
		struct perfgrp_snapshot snapshot;
		struct perfgrp_period period;
		struct perfgrp_stream stream;
		struct perfgrp_bpf bpf;
		struct perfgrp_bpf_query bpf_query;
		struct perfgrp_bpf_handle bpf_handle;
	} arg;
};

long perfgrp_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
		   const struct perfgrp_ioctl *table, unsigned int first, unsigned int nr);
int perfgrp_copy_element_to_user(void __user *to, size_t user_size, const void *from, size_t size);

/* ---- device.c, group_file.c: the two kinds of file ----------------------- */

int perfgrp_device_register(void);
void perfgrp_device_unregister(void);
struct file *perfgrp_group_file_create(struct perfgrp_group *group);

/* ---- group_fdinfo.c ------------------------------------------------------- */

struct seq_file;

void perfgrp_group_show_fdinfo(struct seq_file *seq, struct file *file);

/* ---- access.c: who may do what ------------------------------------------- */

bool perfgrp_access_unprivileged_allowed(void);
int perfgrp_access_group(struct perfgrp_group *group, struct perfgrp_error *err);
int perfgrp_access_counter(const struct perfgrp_counter *desc, struct perfgrp_error *err);
int perfgrp_exec_lock(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_exec_unlock(struct perfgrp_group *group);
int perfgrp_access_charge_group(kuid_t owner, struct perfgrp_error *err);
void perfgrp_access_uncharge_group(kuid_t owner);
int perfgrp_access_charge_buffer(struct user_struct *user, unsigned long nr_pages,
				 struct perfgrp_error *err);
void perfgrp_access_uncharge_buffer(struct user_struct *user, unsigned long nr_pages);

/* ---- group.c: beginning and end ------------------------------------------ */

struct perfgrp_group *perfgrp_group_create(const struct perfgrp_create *arg,
					   struct perfgrp_error *err);
void perfgrp_group_destroy(struct perfgrp_group *group);

/* ---- member.c: add and remove -------------------------------------------- */

int perfgrp_group_prepare_add(struct perfgrp_group *group, struct perfgrp_counter *descs,
			      unsigned int nr, struct perfgrp_error *err);
void perfgrp_group_commit_add(struct perfgrp_group *group, unsigned int nr);
void perfgrp_group_abort_add(struct perfgrp_group *group, unsigned int nr);
int perfgrp_group_remove(struct perfgrp_group *group, u32 id, bool cascade,
			 struct perfgrp_error *err);
struct perfgrp_member *perfgrp_group_find_member(struct perfgrp_group *group, u32 id,
						 struct perfgrp_error *err);
int perfgrp_group_set_period(struct perfgrp_group *group, u32 id, u64 sample,
			     struct perfgrp_error *err);
void perfgrp_group_drop_members(struct perfgrp_group *group);

/* ---- control.c: enable and disable --------------------------------------- */

int perfgrp_group_enable(struct perfgrp_group *group, struct perfgrp_error *err);
int perfgrp_group_disable(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_group_start_all(struct perfgrp_group *group);
void perfgrp_group_stop_all(struct perfgrp_group *group);
bool perfgrp_group_exec_pending(const struct perfgrp_group *group);
bool perfgrp_group_is_enabled(const struct perfgrp_group *group);
void perfgrp_group_sync_exec(struct perfgrp_group *group);
int perfgrp_group_check_pinned(struct perfgrp_group *group, unsigned int nr_members,
			       struct perfgrp_error *err);

/* ---- group_cpus.c: CPUs that come and go ------------------------------------- */

void perfgrp_group_sync_cpus(struct perfgrp_group *group);

static inline bool perfgrp_group_inherits(const struct perfgrp_group *group)
{
	return group->flags & PERFGRP_CREATE_INHERIT;
}

/*
 * An instance whose CPU went down is not to be touched until the worker has
 * cleaned up, even if the CPU is back: its events are dead.
 */
static inline bool perfgrp_instance_usable(const struct perfgrp_instance *instance)
{
	return instance->live && !test_bit(0, &instance->lost);
}

/* ---- counter.c: the perf events of one instance -------------------------- */

int perfgrp_counter_create(struct perfgrp_group *group, unsigned int instance, unsigned int index,
			   struct perfgrp_error *err);
int perfgrp_counter_recreate_all(struct perfgrp_group *group, unsigned int instance,
				 const struct perfgrp_member *without, struct perfgrp_error *err);
void perfgrp_counter_take_next(struct perfgrp_member_instance *counter);
void perfgrp_counter_release(struct perfgrp_member_instance *counter);
void perfgrp_counter_release_next(struct perfgrp_member_instance *counter);
void perfgrp_instance_release_next(struct perfgrp_group *group, unsigned int instance);
void perfgrp_counter_accumulate(const struct perfgrp_group *group,
				struct perfgrp_member_instance *counter);
void perfgrp_counter_rebase(const struct perfgrp_group *group,
			    struct perfgrp_member_instance *counter);
bool perfgrp_counter_leads_others(const struct perfgrp_member_instance *counter);
bool perfgrp_counter_failed(const struct perfgrp_member_instance *counter);
bool perfgrp_counter_dead(const struct perfgrp_member_instance *counter);
void perfgrp_counter_start(struct perfgrp_member_instance *counter);
void perfgrp_instance_start(struct perfgrp_group *group, unsigned int instance);
void perfgrp_instance_stop(struct perfgrp_group *group, unsigned int instance);

/* ---- event.c: names and encodings, no state ------------------------------ */

/* Longest name of an event, with its NUL. */
#define PERFGRP_EVENT_NAME_LEN 64

int perfgrp_event_to_attr(const struct perfgrp_counter *desc, struct perf_event_attr *attr,
			  struct perfgrp_error *err);
const char *perfgrp_event_name(const struct perfgrp_counter *desc,
			       char name[PERFGRP_EVENT_NAME_LEN]);
bool perfgrp_event_is_software(const struct perf_event_attr *attr);

/* ---- snapshot.c ---------------------------------------------------------- */

/**
 * struct perfgrp_snap - all values of a group at one moment
 * @nr_rows: rows of @rows
 * @nr_values: values of @values
 * @rows: see struct perfgrp_row
 * @values: see struct perfgrp_value
 * @time_before: earliest time_before of a row
 * @time_after: latest time_after of a row
 * @group: what was read
 * @buffer: the memory of all of it
 */
struct perfgrp_snap {
	unsigned int nr_rows;
	unsigned int nr_values;
	struct perfgrp_row *rows;
	struct perfgrp_value *values;
	u64 time_before;
	u64 time_after;
	struct perfgrp_group *group;
	struct perfgrp_snap_buffer *buffer;
};

int perfgrp_snapshot_take(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap);
void perfgrp_snapshot_reset(struct perfgrp_group *group, const struct perfgrp_snap *snap);
void perfgrp_snapshot_free(struct perfgrp_snap *snap);

/* ---- event_array.c: what those know who can take no lock ------------------------- */

int perfgrp_event_arrays_create(struct perfgrp_group *group);
void perfgrp_event_arrays_destroy(struct perfgrp_group *group);
void perfgrp_event_arrays_publish(struct perfgrp_group *group);

/* The event array of an instance; inside rcu_read_lock(). */
static inline const struct perfgrp_event_array *
perfgrp_event_array_get(const struct perfgrp_event_arrays *arrays, unsigned int instance)
{
	return &rcu_dereference(arrays->active)[instance];
}

/* ---- sampling.c: the buffer's beginning and end, periods ------------------ */

int perfgrp_sampling_create(struct perfgrp_group *group, const struct perfgrp_create *arg,
			    struct perfgrp_error *err);
void perfgrp_sampling_destroy(struct perfgrp_group *group);
int perfgrp_sampling_set_period(struct perfgrp_group *group, struct perfgrp_member *member,
				u64 sample, struct perfgrp_error *err);

/* ---- overflow.c ---------------------------------------------------------- */

void perfgrp_overflow(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

/* ---- bpf.c, bpf_run.c: BPF programs on members ----------------------------- */

struct perfgrp_attachment;

bool perfgrp_bpf_is_supported(void);
bool perfgrp_bpf_run(const struct perfgrp_attachment *attachment, struct perf_event *event,
		     struct perf_sample_data *data, struct pt_regs *regs);
struct perfgrp_attachment *perfgrp_bpf_prepare(const struct perfgrp_bpf *arg,
					       struct perfgrp_error *err);
void perfgrp_bpf_abort(struct perfgrp_attachment *attachment);
int perfgrp_bpf_attach(struct perfgrp_group *group, const struct perfgrp_bpf *arg,
		       struct perfgrp_attachment **attachment, struct perfgrp_error *err);
int perfgrp_bpf_replace(struct perfgrp_group *group, const struct perfgrp_bpf *arg,
			struct perfgrp_attachment **attachment, struct perfgrp_error *err);
void perfgrp_bpf_drop(struct perfgrp_attachment *attachment);
int perfgrp_bpf_detach(struct perfgrp_group *group, const struct perfgrp_bpf *arg,
		       struct perfgrp_error *err);
void perfgrp_bpf_release(struct perfgrp_group *group, struct perfgrp_member *member);
int perfgrp_bpf_query(struct perfgrp_group *group, struct perfgrp_bpf_query *query,
		      struct perfgrp_error *err);

/* ---- bpf_kfunc.c: groups for BPF programs ------------------------------------- */

void perfgrp_bpf_kfunc_init(void);
bool perfgrp_bpf_kfunc_supported(void);
int perfgrp_bpf_kfunc_get_handle(struct perfgrp_group *group, u64 *handle,
				 struct perfgrp_error *err);
void perfgrp_bpf_kfunc_free_handle(struct perfgrp_group *group);

/* ---- records.c, records_read.c: the buffer ------------------------------- */

struct ring_buffer_event;
struct poll_table_struct;

struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err);
void perfgrp_records_destroy(struct perfgrp_records *records);
void perfgrp_records_account_lost(struct perfgrp_records *records, unsigned long nr, u64 time);
struct ring_buffer_event *perfgrp_records_reserve(struct perfgrp_records *records, size_t size,
						  u64 time);
void perfgrp_records_commit(struct perfgrp_records *records, struct ring_buffer_event *event,
			    size_t size);
void perfgrp_records_account_filtered(struct perfgrp_records *records);
u32 perfgrp_records_current_nr(enum pid_type type, struct pid_namespace *ns);
void perfgrp_records_fill_sample_id(const struct perfgrp_group *group, u64 time, u64 id,
				    struct perfgrp_sample_id *sample_id);
void perfgrp_records_output_bpf(const struct perfgrp_group *group, u16 type, u16 flags,
				const struct bpf_prog *prog, u32 member);
ssize_t perfgrp_records_read(struct perfgrp_records *records, char __user *to, size_t room,
			     bool wait);
__poll_t perfgrp_records_poll(struct perfgrp_records *records, struct file *file,
			      struct poll_table_struct *table);
int perfgrp_records_get_stats(struct perfgrp_records *records, struct perfgrp_stream *stream);

/* ---- bpf_events.c: which BPF programs come and go ------------------------- */

void perfgrp_bpf_events_init(void);
void perfgrp_bpf_events_exit(void);
bool perfgrp_bpf_events_available(void);
int perfgrp_bpf_events_check(const struct perfgrp_create *arg, struct perfgrp_error *err);
int perfgrp_bpf_events_subscribe(struct perfgrp_group *group, struct perfgrp_error *err);
void perfgrp_bpf_events_unsubscribe(struct perfgrp_group *group);
void perfgrp_bpf_events_count_missed(struct perfgrp_group *group);

/* ---- value.c: arithmetic, no state --------------------------------------- */

u64 perfgrp_scale(u64 raw, u64 enabled, u64 running, bool *saturated);
void perfgrp_value_fill(struct perfgrp_value *value, const struct perfgrp_count *count);
void perfgrp_value_add(struct perfgrp_value *total, const struct perfgrp_value *value);

/* ---- hotplug.c ----------------------------------------------------------- */

int perfgrp_hotplug_init(void);
void perfgrp_hotplug_exit(void);
void perfgrp_hotplug_add_group(struct perfgrp_group *group);
void perfgrp_hotplug_remove_group(struct perfgrp_group *group);
bool perfgrp_hotplug_cpu_usable(int cpu);

/* ---- perfcore.c: what reaches into the perf core; see perfcore.h, too ---- */

int perfgrp_core_init(void);
void perfgrp_core_exit(void);
bool perfgrp_core_can_link(void);
int perfgrp_core_link_begin(void);
void perfgrp_core_link_end(void);
struct perf_event *perfgrp_core_create(struct perf_event_attr *attr, int cpu,
				       struct task_struct *task, struct perf_event *leader,
				       struct perfgrp_group *group);
bool perfgrp_core_is_software(const struct perf_event *event);
void perfgrp_core_set_inherit(struct perf_event *event);
bool perfgrp_core_exec_pending(const struct perf_event *event);
void perfgrp_core_cancel_exec(struct perf_event *event);
bool perfgrp_core_pmu_read_safe(const struct perf_event *event);
u64 perfgrp_core_count_at_overflow(struct perf_event *event, const struct perf_event *overflowed);
int perfgrp_core_set_period(struct perf_event *event, bool freq, u64 sample);
bool perfgrp_core_read_inherited(struct perf_event *event, struct perfgrp_count *count);
u64 perfgrp_core_clock(void);

#endif /* PERFGRP_H */
