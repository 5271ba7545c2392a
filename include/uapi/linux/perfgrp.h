/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef _UAPI_LINUX_PERFGRP_H
#define _UAPI_LINUX_PERFGRP_H

#include <linux/ioctl.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * DOC: perfgrp - groups of perf counters, kept in the kernel
 *
 * There are two kinds of file descriptor:
 *
 *  - the device, /dev/perfgrp: describes the module (PERFGRP_GET_INFO) and creates
 *    groups (PERFGRP_CREATE);
 *  - the group, returned by PERFGRP_CREATE: its ioctls add and remove counters,
 *    enable, disable and reset them, and take snapshots of all their values. If
 *    the group has a buffer, read(2) and poll(2) deliver its records.
 *
 * Every ioctl takes a pointer to one struct that begins with the same three fields:
 *
 *	__u32 size		sizeof the struct as the caller knows it
 *	__u32 flags		flags of this ioctl; 0 if it has none
 *	__aligned_u64 error	pointer to a struct perfgrp_error, or 0
 *
 * A struct shorter than the kernel's, but at least as long as in version 1 (its
 * _SIZE_VER0), is accepted as if the rest were zero. A longer one, up to a page, is
 * accepted if all bytes that the kernel does not know are zero. Elements of arrays follow
 * the same rule, by the element size beside the array; in those that the kernel writes, it
 * sets the bytes that it does not know to zero.
 *
 * This is version 1 of the contract (PERFGRP_ABI_VERSION). From here on no number,
 * offset, size or meaning below changes. Structs grow at their end only; new features
 * come with a feature bit (&struct perfgrp_info.features), and a program that does not
 * use them sees no difference.
 *
 * The meaning of each errno, for all ioctls:
 *
 *	ENOTTY		no such ioctl on this kind of fd
 *	E2BIG		the struct is longer than the kernel's and the rest is not
 *			zero, or it is longer than a page; the kernel's size is written
 *			to its size field. Or an element of an array is; then no size
 *			is written
 *	EINVAL		the struct is too short, or a field is wrong
 *	EOPNOTSUPP	an unknown flag, a reserved field that is not zero, or something
 *			this kernel or machine cannot do
 *	EFAULT		a pointer cannot be read or written
 *	EACCES		the caller may not do this
 *	EBADF		an fd that the struct names is not open, or is of the wrong kind
 *	ENOENT		no member with that id, no such event on this machine, no BPF
 *			program there, or the cgroup was removed
 *	ESRCH		the task has exited or does not exist
 *	ENODEV		the CPU is offline or does not exist, or the event's device
 *			does not exist
 *	EBUSY		the leader still has members, the PMU has no room now, or
 *			kprobes are disarmed
 *	ENOSPC		a limit is reached; the text names it
 *	EMSGSIZE	an array is too small; its count holds the number needed
 *	ENOMEM		out of memory
 *	EINTR		a fatal signal arrived while waiting
 *	EEXIST		a BPF program is attached already
 *	ESTALE		another BPF program is attached than the caller expected
 *	EPROTO		the BPF program needs what the counter does not provide
 *
 * With an error struct the caller also gets the reason, the member, the CPU, the field
 * and a line of English. A call that fails leaves the group as it was, and writes
 * nothing but the error struct, the argument's size after E2BIG, and the counts after EMSGSIZE.
 * (If EFAULT occurs half way through an array, the elements before it have been written.)
 */

#define PERFGRP_ABI_VERSION	1

/*
 * Ioctl numbers carry no size, so that a struct that grows keeps its number.
 * 0x00-0x0f belong to the device, 0x10-0x3f to groups: 0x20-0x2f to sampling, 0x30-0x3f
 * to BPF.
 */
#define PERFGRP_IOC_TYPE	0xBD

/* In place of the id of a member or the number of a PMU: there is none. */
#define PERFGRP_NONE		0xffffffffU

/* ---- errors -------------------------------------------------------------- */

/**
 * enum perfgrp_reason - why a call was refused
 * @PERFGRP_REASON_NONE: nothing beyond the errno
 * @PERFGRP_REASON_SIZE: a size field is smaller than version 1's, or larger
 *	than a page
 * @PERFGRP_REASON_TAIL: bytes beyond the kernel's struct are not zero
 * @PERFGRP_REASON_FLAGS: an unknown flag, or flags that exclude one another
 * @PERFGRP_REASON_RESERVED: a field that is reserved, or unused here, is not zero
 * @PERFGRP_REASON_POINTER: memory that a field points to cannot be used
 * @PERFGRP_REASON_PRIVILEGE: the caller lacks CAP_PERFMON, or may not count
 *	that task or that mode
 * @PERFGRP_REASON_TARGET: no target, or a field that this target has no use for
 * @PERFGRP_REASON_PID: no such task, or it has exited; @PERFGRP_TARGET_PIDFD: the fd
 *	is not a pidfd
 * @PERFGRP_REASON_CPU: no such CPU, or it is named twice
 * @PERFGRP_REASON_CPU_OFFLINE: the CPU is offline
 * @PERFGRP_REASON_EVENT: the event or its type does not exist on this machine
 * @PERFGRP_REASON_EVENT_OPTION: the PMU refuses the event's config or options
 * @PERFGRP_REASON_EVENT_TARGET: the PMU cannot count this event on this target
 * @PERFGRP_REASON_LIMIT: a limit of the module, the kernel or the hardware is reached
 * @PERFGRP_REASON_PMU_FULL: the PMU can count the event, but never together with
 *	the members that the group has already
 * @PERFGRP_REASON_PMU_BUSY: the PMU has no room for a NO_MUX group now, or it counts
 *	one event at a time and is in use
 * @PERFGRP_REASON_MEMBER: no member has that id
 * @PERFGRP_REASON_LEADER: the leader still has members
 * @PERFGRP_REASON_EMPTY: the array is empty
 * @PERFGRP_REASON_BUFFER: an array is too small
 * @PERFGRP_REASON_FEATURE: not supported by this module or kernel; see
 *	&struct perfgrp_info.features
 * @PERFGRP_REASON_MEMORY: no memory
 * @PERFGRP_REASON_KERNEL: the perf core refused, and the text has its errno; or kprobes
 *	are disarmed (/sys/kernel/debug/kprobes/enabled)
 * @PERFGRP_REASON_BPF_FD: the fd is not open, or is not that of a BPF program
 * @PERFGRP_REASON_BPF_TYPE: the BPF program is not of the type needed
 * @PERFGRP_REASON_BPF_COUNTER: the counter does not sample
 * @PERFGRP_REASON_BPF_CALLCHAIN: the BPF program walks stacks, which needs a call
 *	chain where the counter is precise
 * @PERFGRP_REASON_BPF_MAP: not used: BPF programs are not refused for their maps
 * @PERFGRP_REASON_BPF_ATTACHED: the counter already has a BPF program, or not the
 *	one expected
 * @PERFGRP_REASON_BPF_NONE: the counter has no BPF program
 * @PERFGRP_REASON_CGROUP: the fd is not the directory of a cgroup whose tasks perf can count,
 *	or the cgroup was removed
 */
enum perfgrp_reason {
	PERFGRP_REASON_NONE		= 0,
	PERFGRP_REASON_SIZE		= 1,
	PERFGRP_REASON_TAIL		= 2,
	PERFGRP_REASON_FLAGS		= 3,
	PERFGRP_REASON_RESERVED		= 4,
	PERFGRP_REASON_POINTER		= 5,
	PERFGRP_REASON_PRIVILEGE	= 6,
	PERFGRP_REASON_TARGET		= 7,
	PERFGRP_REASON_PID		= 8,
	PERFGRP_REASON_CPU		= 9,
	PERFGRP_REASON_CPU_OFFLINE	= 10,
	PERFGRP_REASON_EVENT		= 11,
	PERFGRP_REASON_EVENT_OPTION	= 12,
	PERFGRP_REASON_EVENT_TARGET	= 13,
	PERFGRP_REASON_LIMIT		= 14,
	PERFGRP_REASON_PMU_FULL		= 15,
	PERFGRP_REASON_PMU_BUSY		= 16,
	PERFGRP_REASON_MEMBER		= 17,
	PERFGRP_REASON_LEADER		= 18,
	PERFGRP_REASON_EMPTY		= 19,
	PERFGRP_REASON_BUFFER		= 20,
	PERFGRP_REASON_FEATURE		= 21,
	PERFGRP_REASON_MEMORY		= 22,
	PERFGRP_REASON_KERNEL		= 23,
	PERFGRP_REASON_BPF_FD		= 24,
	PERFGRP_REASON_BPF_TYPE		= 25,
	PERFGRP_REASON_BPF_COUNTER	= 26,
	PERFGRP_REASON_BPF_CALLCHAIN	= 27,
	PERFGRP_REASON_BPF_MAP		= 28,
	PERFGRP_REASON_BPF_ATTACHED	= 29,
	PERFGRP_REASON_BPF_NONE		= 30,
	PERFGRP_REASON_CGROUP		= 31,
};

/**
 * struct perfgrp_error - why a call failed
 * @size: in: sizeof(struct perfgrp_error) as the caller knows it, at least
 *	PERFGRP_ERROR_SIZE_VER0; a shorter one is left alone. Out: unchanged. A caller
 *	whose struct is shorter than the kernel's gets as much as fits.
 * @error: the errno, positive
 * @reason: enum perfgrp_reason
 * @member: index into the array that the call was given (PERFGRP_ADD), or the id of the
 *	member (other calls); PERFGRP_NONE if it concerns none
 * @cpu: the CPU; -1 if it concerns none
 * @field: name of the field that is wrong, NUL-terminated; empty if none is
 * @text: one line of English, NUL-terminated, without a newline
 *
 * Written when a call fails, left alone when it succeeds. A pointer that cannot be
 * written never changes the outcome of the call.
 */
struct perfgrp_error {
	__u32 size;
	__s32 error;
	__u32 reason;
	__u32 member;
	__s32 cpu;
	char field[32];
	char text[204];
};

#define PERFGRP_ERROR_SIZE_VER0	256

/* ---- the device ---------------------------------------------------------- */

/* Hardware members of one PMU are one scheduling group of the perf core. */
#define PERFGRP_FEATURE_SCHED_GROUP	(1ULL << 0)
/* PERFGRP_CREATE_INHERIT and PERFGRP_CREATE_ENABLE_ON_EXEC */
#define PERFGRP_FEATURE_INHERIT		(1ULL << 1)
/* PERFGRP_CREATE_NO_MUX and PERFGRP_CREATE_EXCLUSIVE */
#define PERFGRP_FEATURE_NO_MUX		(1ULL << 2)
/* Groups of CPUs follow CPU hotplug. */
#define PERFGRP_FEATURE_HOTPLUG		(1ULL << 3)
/*
 * Callers without CAP_PERFMON may count their own tasks in user mode; see perfgrp(4) for kernel
 * mode.
 */
#define PERFGRP_FEATURE_UNPRIVILEGED	(1ULL << 4)
/* perfgrp_counter.sample_period and sample_freq, streams of records */
#define PERFGRP_FEATURE_SAMPLING	(1ULL << 5)
/* BPF programs on counters: PERFGRP_BPF_ATTACH, _REPLACE, _DETACH, _QUERY */
#define PERFGRP_FEATURE_BPF		(1ULL << 6)
/* PERFGRP_CREATE_BPF_EVENTS */
#define PERFGRP_FEATURE_BPF_EVENTS	(1ULL << 7)
/* PERFGRP_GET_BPF_HANDLE, and the kfuncs bpf_perfgrp_read() and bpf_perfgrp_read_row() */
#define PERFGRP_FEATURE_KFUNC		(1ULL << 8)
/* PERFGRP_TARGET_PIDFD */
#define PERFGRP_FEATURE_PIDFD		(1ULL << 9)
/* Without it BPF programs on counters run only at overflows that interrupt user mode. */
#define PERFGRP_FEATURE_BPF_KERNEL	(1ULL << 10)
/* Without it samples of groups with PERFGRP_CREATE_INHERIT have no values. */
#define PERFGRP_FEATURE_CHILD_VALUES	(1ULL << 11)
/* PERF_SAMPLE_CALLCHAIN in perfgrp_create.sample_type */
#define PERFGRP_FEATURE_CALLCHAIN	(1ULL << 12)
/* PERFGRP_TARGET_CGROUP */
#define PERFGRP_FEATURE_CGROUP		(1ULL << 13)
/* PERFGRP_CREATE_SPLIT_BY_CGROUP */
#define PERFGRP_FEATURE_SPLIT_BY_CGROUP	(1ULL << 14)
/* PERFGRP_CREATE_MAPPED, PERFGRP_SNAPSHOT_CACHED */
#define PERFGRP_FEATURE_MAPPED		(1ULL << 15)

#define PERFGRP_GET_INFO	_IO(PERFGRP_IOC_TYPE, 0x00)

/**
 * struct perfgrp_info - argument of PERFGRP_GET_INFO
 * @size: in: sizeof(struct perfgrp_info); at least PERFGRP_INFO_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @features: out: PERFGRP_FEATURE_*. Programs check these bits, never a version.
 * @max_members: out: members a group can have
 * @nr_cpu_ids: out: one more than the highest possible CPU number; no snapshot has more
 *	rows, except of groups with PERFGRP_CREATE_SPLIT_BY_CGROUP
 * @max_groups: out: groups one user can have open
 * @max_buffer: out: the largest buffer_size of a group, in bytes
 * @abi_version: out: PERFGRP_ABI_VERSION of the module
 * @version: out: the module's version, for display only, NUL-terminated
 */
struct perfgrp_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 features;
	__u32 max_members;
	__u32 nr_cpu_ids;
	__u32 max_groups;
	__u32 max_buffer;
	__u32 abi_version;
	char version[28];
};

#define PERFGRP_INFO_SIZE_VER0	72

/**
 * enum perfgrp_target - what a group counts
 * @PERFGRP_TARGET_NONE: nothing; refused
 * @PERFGRP_TARGET_TASK: one task, named by pid, wherever it runs or on one CPU only
 * @PERFGRP_TARGET_CPUS: a list of CPUs, whatever runs there
 * @PERFGRP_TARGET_ALL_CPUS: every CPU, including those that come online later
 * @PERFGRP_TARGET_PIDFD: one task, named by the pidfd in target_fd, which, unlike a pid,
 *	is never reused for another task (PERFGRP_FEATURE_PIDFD). PERFGRP_QUERY reports it
 *	as PERFGRP_TARGET_TASK.
 * @PERFGRP_TARGET_CGROUP: the tasks of a cgroup and of its descendants, like perf stat -G, on
 *	every CPU, including those that come online later, or on a list of CPUs
 *	(PERFGRP_FEATURE_CGROUP). target_fd is an open directory: of cgroup2, or of the v1
 *	hierarchy that has perf_event. It need not stay open. time_enabled and time_running are
 *	those of the cgroup: they grow only while one of its tasks runs on the CPU. The group does
 *	not prevent the removal of the cgroup; after it, rows have PERFGRP_ROW_EXITED and poll(2)
 *	returns POLLHUP.
 */
enum perfgrp_target {
	PERFGRP_TARGET_NONE	= 0,
	PERFGRP_TARGET_TASK	= 1,
	PERFGRP_TARGET_CPUS	= 2,
	PERFGRP_TARGET_ALL_CPUS	= 3,
	PERFGRP_TARGET_PIDFD	= 4,
	PERFGRP_TARGET_CGROUP	= 5,
};

/* The group starts enabled. Without this flag it starts disabled; see PERFGRP_ENABLE. */
#define PERFGRP_CREATE_ENABLED		(1U << 0)
/*
 * Also count the children that the task forks from now on, and theirs (task targets).
 * All members of such a group are added in one PERFGRP_ADD. A child that is forked during that call
 * is counted by all members or by none; before Linux 6.2 perhaps by the software members only,
 * or by the others only. The counters are read one after the other, so their values are
 * from slightly different moments. They are final (PERFGRP_VALUE_EXITED) when the task and all
 * its children have exited. While the group is disabled its events stay on the PMU and occupy
 * counters, because a module cannot stop the events of children; what they count then is not
 * reported. A breakpoint on a kernel address is refused (EOPNOTSUPP), because fork() would
 * fail in a task that may not set it. Cannot be combined with NO_MUX, as inherited counters may
 * be multiplexed.
 */
#define PERFGRP_CREATE_INHERIT		(1U << 1)
/*
 * The task's next exec enables the group, whether or not it has members by then (task
 * targets; the group starts disabled), unless PERFGRP_ENABLE or PERFGRP_DISABLE comes
 * first. With INHERIT, children forked before the exec are counted from their own exec
 * on, even if PERFGRP_ENABLE comes before it. Cannot be combined with ENABLED.
 */
#define PERFGRP_CREATE_ENABLE_ON_EXEC	(1U << 2)
/*
 * All members are on the PMU all the time, or the group fails (attr.pinned): if there is
 * no room PERFGRP_ENABLE and PERFGRP_ADD return EBUSY, and if room is lost later all
 * values of the row have PERFGRP_VALUE_FAILED until PERFGRP_ENABLE finds room again. If the
 * task is not running during the call, a lack of room shows only in the values. Cannot be
 * combined with INHERIT.
 */
#define PERFGRP_CREATE_NO_MUX		(1U << 3)
/* No other group is on the PMU while this one is (attr.exclusive). */
#define PERFGRP_CREATE_EXCLUSIVE	(1U << 4)
/*
 * Every hardware member must be in one scheduling group. Needs PERFGRP_FEATURE_SCHED_GROUP.
 * Without this flag a group may span PMUs, and without that feature it consists of independent
 * counters.
 */
#define PERFGRP_CREATE_ONE_SCHED_GROUP	(1U << 5)
/* A full buffer drops its oldest records, without this flag the new ones. Needs a buffer. */
#define PERFGRP_CREATE_OVERWRITE	(1U << 6)
/*
 * The stream has a PERF_RECORD_BPF_EVENT for each BPF program that anybody loads into the
 * kernel, or that is unloaded, on any CPU, from this call on. Needs CAP_PERFMON, a buffer,
 * and PERFGRP_FEATURE_BPF_EVENTS; needs no members. (With a task target this stream, too, ends
 * when the task has exited.) PERFGRP_BPF_EVENTS_ON does the same later.
 */
#define PERFGRP_CREATE_BPF_EVENTS	(1U << 7)
/* clockid is valid. Without this flag the clock is CLOCK_MONOTONIC. */
#define PERFGRP_CREATE_USE_CLOCKID	(1U << 8)
/*
 * What CPUs count is charged to the cgroups whose tasks run there, for all cgroups at once: at each
 * switch between tasks of different cgroups the CPU reads the members and charges what was counted
 * since the last reading to the cgroup that is switched out. The counters stay on the PMU.
 * Snapshots have rows for each cgroup of cgroup2, down to split_depth levels below the directory
 * target_fd (that of the root for all cgroups); deeper cgroups are part of their ancestor's row.
 * Nothing is in two rows, so rows add up to what the CPUs have counted:
 *
 *	the directory	tasks that are in the directory's cgroup itself. For the root, these
 *			include kernel threads and idle CPUs
 *	each cgroup	below it, until a snapshot has reported that it was removed
 *	ROW_OUTSIDE	tasks that are neither in the directory's cgroup nor below it
 *	ROW_REMOVED	counts of removed cgroups that have no row any more
 *	ROW_OVERFLOW	cgroups for which there was no room: split_max was reached, or memory was
 *			short when they were created
 *
 * Cgroups that are created later get rows, too. Needs PERFGRP_FEATURE_SPLIT_BY_CGROUP,
 * CAP_PERFMON, and the target ALL_CPUS or CPUS. The group has no buffer, its members do not sample,
 * and PMUs of a whole package (uncore) are refused. Context switches (PERFGRP_SW_CONTEXT_SWITCHES,
 * _CGROUP_SWITCHES) are charged to the cgroup that is switched in.
 */
#define PERFGRP_CREATE_SPLIT_BY_CGROUP	(1U << 9)
/* The most cgroups that split_max can ask for. */
#define PERFGRP_SPLIT_MAX		4096
/*
 * The group keeps its latest rows in memory that can be mapped, for readers that make no system
 * call: see &struct perfgrp_map. A row is written
 *
 *	for a CPU	when it goes idle, and every map_interval while it is not idle
 *	for a task	when it is switched out, and every map_interval while it runs
 *
 * and by each snapshot, each overflow, and each call that changes the group. map_interval does not
 * wake idle CPUs. Needs PERFGRP_FEATURE_MAPPED and CAP_PERFMON; cannot be combined with INHERIT or
 * SPLIT_BY_CGROUP.
 */
#define PERFGRP_CREATE_MAPPED		(1U << 10)

/*
 * perfgrp_create.clockid: the clock of perf_event_open(2) without use_clockid, so that
 * times can be compared with those of perf's own records.
 */
#define PERFGRP_CLOCK_PERF	(-1)

#define PERFGRP_CREATE		_IO(PERFGRP_IOC_TYPE, 0x01)

/**
 * struct perfgrp_create - argument of PERFGRP_CREATE
 * @size: in: sizeof(struct perfgrp_create); at least PERFGRP_CREATE_SIZE_VER0
 * @flags: in: PERFGRP_CREATE_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @target: in: enum perfgrp_target
 * @pid: in: the task's thread id, 0 for the caller (PERFGRP_TARGET_TASK); else 0
 * @cpus: in: pointer to an array of __u32 CPU numbers
 * @nr_cpus: in: entries of @cpus. Task targets: 0 for every CPU, or 1 to count the task
 *	on that CPU only. PERFGRP_TARGET_CPUS: 1 or more, no duplicates, all online.
 *	PERFGRP_TARGET_ALL_CPUS: 0. PERFGRP_TARGET_CGROUP: 0 for every CPU, or a list.
 * @fd: out: the group's fd, close-on-exec
 * @target_fd: in: a pidfd (PERFGRP_TARGET_PIDFD) or the directory of a cgroup
 *	(PERFGRP_TARGET_CGROUP, PERFGRP_CREATE_SPLIT_BY_CGROUP); else 0
 * @buffer_size: in: bytes of buffer per CPU, rounded up to 2^n pages, at least two; 0 for
 *	a group whose counters do not sample. At most &struct perfgrp_info.max_buffer; see
 *	perfgrp(4) for the other limits.
 * @wakeup_records: in: wake a sleeping reader when this many records of one CPU, or
 *	@wakeup_bytes of them, are in the buffer, whichever comes first; 0: on every record,
 *	or, with @wakeup_bytes, regardless of their number
 * @wakeup_bytes: in: the same in bytes, at most half of @buffer_size; 0 for half of it
 * @sample_type: in: PERF_SAMPLE_* of the stream's records: PERFGRP_SAMPLE_TYPE, or 0 for it; or
 *	PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN (PERFGRP_FEATURE_CALLCHAIN)
 * @clockid: in: with PERFGRP_CREATE_USE_CLOCKID the clock of all times of the group's
 *	records and rows: CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
 *	CLOCK_REALTIME, CLOCK_TAI, or PERFGRP_CLOCK_PERF; else 0
 * @reserved: in: zero
 * @sample_max_stack: in: with PERF_SAMPLE_CALLCHAIN: how many addresses a call chain can have,
 *	at most 4096; 0 for 127. PERFGRP_ADD fails with ENOSPC if it is more than sysctl
 *	kernel.perf_event_max_stack. Two records with so many addresses must fit into
 *	@buffer_size.
 * @reserved2: in: zero
 * @split_depth: in: with PERFGRP_CREATE_SPLIT_BY_CGROUP: how many levels below the directory
 *	have rows of their own, 0 for all; without that flag 0
 * @split_max: in: with PERFGRP_CREATE_SPLIT_BY_CGROUP: how many cgroups can have rows of their own
 *	at once, at most PERFGRP_SPLIT_MAX, 0 for that many; without that flag 0
 * @map_interval: in: with PERFGRP_CREATE_MAPPED: ns after which the row of a CPU that is not idle,
 *	or of a task that runs, is written again, 1,000,000 to 1,000,000,000, 0 for never;
 *	without that flag 0
 *
 * Needs CAP_PERFMON. Errors: EACCES, EBADF (@target_fd is not a pidfd, or not a directory of a
 * cgroup), EINVAL, ENODEV, ENOENT (the cgroup was removed, or perf_event is not in its
 * hierarchy), EOPNOTSUPP, ESRCH, EMFILE, ENFILE, ENOSPC (max_groups, memory that a user may
 * lock), EBUSY (PERFGRP_TARGET_CGROUP, PERFGRP_CREATE_BPF_EVENTS: kprobes are disarmed), ENOMEM,
 * EINTR.
 */
struct perfgrp_create {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 target;
	__s32 pid;
	__aligned_u64 cpus;
	__u32 nr_cpus;
	__s32 fd;
	__s32 target_fd;
	__u32 buffer_size;
	__u32 wakeup_records;
	__u32 wakeup_bytes;
	__aligned_u64 sample_type;
	__s32 clockid;
	__u32 reserved;
	__u32 sample_max_stack;
	__u32 reserved2;
	__u32 split_depth;
	__u32 split_max;
	__aligned_u64 map_interval;
};

#define PERFGRP_CREATE_SIZE_VER0	72
#define PERFGRP_CREATE_SIZE_VER1	80
#define PERFGRP_CREATE_SIZE_VER2	88
#define PERFGRP_CREATE_SIZE_VER3	96

/* ---- counters ------------------------------------------------------------ */

/*
 * An event is one constant: attr.type of perf_event_open(2) in bits 32 to 62, attr.config
 * in the low 32 bits, and bit 63 set, so that 0 names no event. On machines with several
 * kinds of cores (P-cores and E-cores, big.LITTLE) a generic hardware event counts on one
 * kind only; name the others' PMU in the raw form.
 */
#define PERFGRP_EVENT_VALID	(1ULL << 63)
#define PERFGRP_EVENT(type, config)						\
	(PERFGRP_EVENT_VALID | (((__u64)(type) & 0x7fffffffULL) << 32) |	\
	 ((__u64)(config) & 0xffffffffULL))
#define PERFGRP_EVENT_TYPE(event)	((__u32)((__u64)(event) >> 32) & 0x7fffffffU)
#define PERFGRP_EVENT_CONFIG(event)	((__u32)((__u64)(event) & 0xffffffffULL))

/* PERF_TYPE_HARDWARE */
#define PERFGRP_HW_CPU_CYCLES			PERFGRP_EVENT(0, 0)
#define PERFGRP_HW_INSTRUCTIONS			PERFGRP_EVENT(0, 1)
#define PERFGRP_HW_CACHE_REFERENCES		PERFGRP_EVENT(0, 2)
#define PERFGRP_HW_CACHE_MISSES			PERFGRP_EVENT(0, 3)
#define PERFGRP_HW_BRANCH_INSTRUCTIONS		PERFGRP_EVENT(0, 4)
#define PERFGRP_HW_BRANCH_MISSES		PERFGRP_EVENT(0, 5)
#define PERFGRP_HW_BUS_CYCLES			PERFGRP_EVENT(0, 6)
#define PERFGRP_HW_STALLED_CYCLES_FRONTEND	PERFGRP_EVENT(0, 7)
#define PERFGRP_HW_STALLED_CYCLES_BACKEND	PERFGRP_EVENT(0, 8)
#define PERFGRP_HW_REF_CYCLES			PERFGRP_EVENT(0, 9)

/* PERF_TYPE_SOFTWARE */
#define PERFGRP_SW_CPU_CLOCK			PERFGRP_EVENT(1, 0)
#define PERFGRP_SW_TASK_CLOCK			PERFGRP_EVENT(1, 1)
#define PERFGRP_SW_PAGE_FAULTS			PERFGRP_EVENT(1, 2)
#define PERFGRP_SW_CONTEXT_SWITCHES		PERFGRP_EVENT(1, 3)
#define PERFGRP_SW_CPU_MIGRATIONS		PERFGRP_EVENT(1, 4)
#define PERFGRP_SW_MINOR_FAULTS			PERFGRP_EVENT(1, 5)
#define PERFGRP_SW_MAJOR_FAULTS			PERFGRP_EVENT(1, 6)
#define PERFGRP_SW_ALIGNMENT_FAULTS		PERFGRP_EVENT(1, 7)
#define PERFGRP_SW_EMULATION_FAULTS		PERFGRP_EVENT(1, 8)
#define PERFGRP_SW_DUMMY			PERFGRP_EVENT(1, 9)
#define PERFGRP_SW_BPF_OUTPUT			PERFGRP_EVENT(1, 10)
#define PERFGRP_SW_CGROUP_SWITCHES		PERFGRP_EVENT(1, 11)

/*
 * PERF_TYPE_HW_CACHE: cache is PERF_COUNT_HW_CACHE_*, op PERF_COUNT_HW_CACHE_OP_*, result
 * PERF_COUNT_HW_CACHE_RESULT_*.
 */
#define PERFGRP_HW_CACHE(cache, op, result) \
	PERFGRP_EVENT(3, (cache) | ((op) << 8) | ((result) << 16))

/* type, config, config1-3 and bp_type are used, event is not. */
#define PERFGRP_COUNTER_RAW		(1U << 0)
/* Like the bits of the same names in struct perf_event_attr. */
#define PERFGRP_COUNTER_EXCLUDE_USER	(1U << 1)
#define PERFGRP_COUNTER_EXCLUDE_KERNEL	(1U << 2)
#define PERFGRP_COUNTER_EXCLUDE_HV	(1U << 3)
#define PERFGRP_COUNTER_EXCLUDE_IDLE	(1U << 4)
/* sample_freq is used, sample_period is not. */
#define PERFGRP_COUNTER_FREQ		(1U << 5)
/*
 * Like the bits of the same names, for hosts of virtual machines. Without kprobes a counter with
 * EXCLUDE_HOST cannot sample (EOPNOTSUPP).
 */
#define PERFGRP_COUNTER_EXCLUDE_HOST	(1U << 6)
#define PERFGRP_COUNTER_EXCLUDE_GUEST	(1U << 7)

/**
 * struct perfgrp_counter - one event and its options
 * @event: PERFGRP_EVENT() of type and config; 0 with PERFGRP_COUNTER_RAW
 * @flags: PERFGRP_COUNTER_*
 * @id: out (PERFGRP_ADD, PERFGRP_QUERY): the member's id, 1 or more, never reused in this
 *	group. In: 0.
 * @sample_period: sample every so many events, below 2^63; 0: count only, no interrupt.
 *	Needs PERFGRP_FEATURE_SAMPLING. In a group without a buffer an overflow runs the
 *	member's BPF program and leaves no record, also in the children if the group has
 *	INHERIT. Breakpoints sample on x86 only.
 * @sample_freq: with PERFGRP_COUNTER_FREQ: samples per second, at most sysctl
 *	kernel.perf_event_max_sample_rate. cpu-clock and task-clock are not limited by that, but
 *	sample at most 100,000 times per second.
 * @type: raw form: attr.type: PERF_TYPE_*, or a PMU's number from
 *	/sys/bus/event_source/devices/PMU/type
 * @precise_ip: 0 to 3, as attr.precise_ip, if the PMU supports it
 * @config: raw form: attr.config
 * @config1: raw form: attr.config1; a breakpoint's address
 * @config2: raw form: attr.config2; a breakpoint's length
 * @config3: raw form: attr.config3 (kernels from 6.3 on)
 * @bp_type: raw form: attr.bp_type, HW_BREAKPOINT_*, for PERF_TYPE_BREAKPOINT
 * @pmu: out (PERFGRP_QUERY): number of the PMU that counts it (on the group's first CPU).
 *	In: 0.
 * @min_delta: a sample, of any member, becomes a record only if some member with a
 *	@min_delta has counted at least that much since the group's last record on that CPU
 *	(or of that task); 0: this member is not considered. If no member has one every
 *	sample becomes a record. Needs a group with a buffer and without INHERIT.
 *
 * Unused fields are zero. In the raw form @event is zero; otherwise @type, @config to
 * @config3 and @bp_type are.
 */
struct perfgrp_counter {
	__aligned_u64 event;
	__u32 flags;
	__u32 id;
	union {
		__aligned_u64 sample_period;
		__aligned_u64 sample_freq;
	};
	__u32 type;
	__u32 precise_ip;
	__aligned_u64 config;
	__aligned_u64 config1;
	__aligned_u64 config2;
	__aligned_u64 config3;
	__u32 bp_type;
	__u32 pmu;
	__aligned_u64 min_delta;
};

#define PERFGRP_COUNTER_SIZE_VER0	80

#define PERFGRP_ADD		_IO(PERFGRP_IOC_TYPE, 0x10)

/**
 * struct perfgrp_add - argument of PERFGRP_ADD: add counters, all or none
 * @size: in: sizeof(struct perfgrp_add); at least PERFGRP_ADD_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @counters: in, out: pointer to an array of struct perfgrp_counter
 * @counter_size: in: size of an element; at least PERFGRP_COUNTER_SIZE_VER0
 * @nr_counters: in: number of elements, 1 or more
 *
 * The first counter ever added is the leader. Adding restarts the whole group from zero,
 * counts and times. On failure the error's member is the index into @counters, and the
 * group goes on counting as if the call had not been made.
 *
 * Probes of the kprobe and uprobe PMUs are refused; define them in tracefs and count them
 * as tracepoints.
 *
 * Needs CAP_PERFMON. Errors:
 *
 *	EACCES, ESRCH, ENOMEM, EINTR
 *	EINVAL		REASON_EVENT_OPTION, REASON_EVENT_TARGET, REASON_PMU_FULL
 *	ENOENT		REASON_EVENT; REASON_CGROUP: the cgroup was removed
 *	ENODEV		REASON_EVENT: the event's device does not exist;
 *			REASON_CPU_OFFLINE: no CPU of the group is online, so the event cannot
 *			be tried
 *	EBUSY		REASON_PMU_BUSY: a NO_MUX group does not fit now, or the PMU counts one
 *			event at a time and is in use; REASON_KERNEL: kprobes are disarmed,
 *			which the second member of a hardware PMU, and any member of a group on
 *			a cgroup, need
 *	ENOSPC		REASON_LIMIT: max_members, the members of one user, the hardware has no
 *			slot left (breakpoints), or a call chain is longer than sysctl
 *			kernel.perf_event_max_stack
 *	EOPNOTSUPP	REASON_EVENT; REASON_EVENT_OPTION: a breakpoint that samples, except on
 *			x86, or, in an INHERIT group, min_delta or a breakpoint on a kernel
 *			address; REASON_FEATURE: an INHERIT group has members, or the kernel
 *			lacks what an option needs
 *	others		REASON_KERNEL: from the perf core or the PMU's driver
 */
struct perfgrp_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 counters;
	__u32 counter_size;
	__u32 nr_counters;
};

#define PERFGRP_ADD_SIZE_VER0	32

/* Removing the leader removes all members. */
#define PERFGRP_REMOVE_CASCADE	(1U << 0)

#define PERFGRP_REMOVE		_IO(PERFGRP_IOC_TYPE, 0x11)

/**
 * struct perfgrp_remove - argument of PERFGRP_REMOVE
 * @size: in: sizeof(struct perfgrp_remove); at least PERFGRP_REMOVE_SIZE_VER0
 * @flags: in: PERFGRP_REMOVE_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member
 * @reserved: in: zero
 *
 * The other members keep their counts and go on counting. Errors: ENOENT (no such member);
 * EBUSY (the leader still has members and PERFGRP_REMOVE_CASCADE is not set; or, in an INHERIT
 * group, the leader of a scheduling group with siblings). If the other members of a scheduling
 * group have to be created again and that fails, also those of PERFGRP_ADD.
 */
struct perfgrp_remove {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 id;
	__u32 reserved;
};

#define PERFGRP_REMOVE_SIZE_VER0	24

#define PERFGRP_ENABLE		_IO(PERFGRP_IOC_TYPE, 0x12)
#define PERFGRP_DISABLE		_IO(PERFGRP_IOC_TYPE, 0x13)
#define PERFGRP_RESET		_IO(PERFGRP_IOC_TYPE, 0x14)

/**
 * struct perfgrp_control - argument of PERFGRP_ENABLE, PERFGRP_DISABLE and PERFGRP_RESET
 * @size: in: sizeof(struct perfgrp_control); at least PERFGRP_CONTROL_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 *
 * All three act on the whole group, are idempotent, and may be called at any time.
 * PERFGRP_RESET sets counts and times of all members to zero; a group that is enabled
 * goes on counting. Errors: EBUSY (PERFGRP_ENABLE of a NO_MUX group that does not fit now;
 * if it was enabled it goes on counting where there is room), ENOMEM (PERFGRP_RESET), EINTR.
 */
struct perfgrp_control {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
};

#define PERFGRP_CONTROL_SIZE_VER0	16

/**
 * enum perfgrp_task_state - the state of a group's task
 * @PERFGRP_TASK_NONE: the target is not a task
 * @PERFGRP_TASK_ALIVE: it has not exited; pid is its thread id
 * @PERFGRP_TASK_EXITED: it has exited; pid is 0
 * @PERFGRP_TASK_HIDDEN: it has not exited, but has no number in the caller's pid
 *	namespace; pid is 0
 */
enum perfgrp_task_state {
	PERFGRP_TASK_NONE	= 0,
	PERFGRP_TASK_ALIVE	= 1,
	PERFGRP_TASK_EXITED	= 2,
	PERFGRP_TASK_HIDDEN	= 3,
};

#define PERFGRP_QUERY		_IO(PERFGRP_IOC_TYPE, 0x16)

/**
 * struct perfgrp_query - argument of PERFGRP_QUERY: what a group consists of
 * @size: in: sizeof(struct perfgrp_query); at least PERFGRP_QUERY_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @counters: in: pointer to room for @nr_counters elements
 * @counter_size: in: size of an element; at least PERFGRP_COUNTER_SIZE_VER0
 * @nr_counters: in: elements there is room for; out: members, leader first
 * @create_flags: out: PERFGRP_CREATE_* as at creation, except that PERFGRP_CREATE_BPF_EVENTS is set
 *	if the stream has such records now
 * @target: out: enum perfgrp_target
 * @pid: out: the task's thread id in the caller's pid namespace, or 0
 * @task_state: out: enum perfgrp_task_state
 * @enabled: out: 1 if the group is enabled, by PERFGRP_ENABLE, at creation, or by an exec;
 *	else 0
 * @clockid: out: the clock of the group's times, as in &struct perfgrp_create
 * @generation: out: as in &struct perfgrp_snapshot
 * @cgroup_id: out: the cgroup's id, as bpf_get_current_cgroup_id() returns it, and on cgroup2 the
 *	inode number of its directory; 0 if the group was created without one
 *
 * With @nr_counters and @counters 0 it returns the number of members, with EMSGSIZE if there are
 * any.
 */
struct perfgrp_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 counters;
	__u32 counter_size;
	__u32 nr_counters;
	__u32 create_flags;
	__u32 target;
	__s32 pid;
	__u32 task_state;
	__u32 enabled;
	__s32 clockid;
	__aligned_u64 generation;
	__aligned_u64 cgroup_id;
};

#define PERFGRP_QUERY_SIZE_VER0	64
#define PERFGRP_QUERY_SIZE_VER1	72

/* The new fd may read(2) records, which removes them from the buffer. */
#define PERFGRP_READER_RECORDS	(1U << 0)

#define PERFGRP_OPEN_READER	_IO(PERFGRP_IOC_TYPE, 0x17)

/**
 * struct perfgrp_reader - argument of PERFGRP_OPEN_READER: a read-only fd on the same group
 * @size: in: sizeof(struct perfgrp_reader); at least PERFGRP_READER_SIZE_VER0
 * @flags: in: PERFGRP_READER_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @fd: out: the new fd, close-on-exec
 * @reserved: in: zero
 *
 * The new fd can be passed to somebody who may look at the group but not change it:
 * PERFGRP_SNAPSHOT without PERFGRP_SNAPSHOT_RESET, PERFGRP_QUERY,
 * PERFGRP_GET_STREAM_STATS, PERFGRP_BPF_QUERY, PERFGRP_OPEN_READER (PERFGRP_READER_RECORDS
 * only if it has that itself), mmap(2) of rows and poll(2) work on it, and with
 * PERFGRP_READER_RECORDS read(2); all else fails with EACCES. The group lives until its last
 * fd, of either kind, is closed. Errors: EACCES, EMFILE, ENFILE, ENOMEM.
 */
struct perfgrp_reader {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__s32 fd;
	__u32 reserved;
};

#define PERFGRP_READER_SIZE_VER0	24

/* ---- snapshots ----------------------------------------------------------- */

/**
 * enum perfgrp_state - how good a value is
 * @PERFGRP_STATE_NONE: not filled in; no value of a snapshot has it
 * @PERFGRP_STATE_COUNTED: counted all the time that it was enabled: raw is exact
 * @PERFGRP_STATE_MULTIPLEXED: counted part of that time: scaled is an estimate
 * @PERFGRP_STATE_NEVER_RAN: was never on the PMU: time_running is 0. There is no value; the
 *	zeros in its place are not a count. Where perf's clock advances only with the tick (an
 *	x86 without a stable TSC) it may have counted for less than a tick.
 *
 * PERFGRP_VALUE_FAILED, _OFFLINE, _EXITED and _THROTTLED show whether the counter still counts.
 */
enum perfgrp_state {
	PERFGRP_STATE_NONE		= 0,
	PERFGRP_STATE_COUNTED		= 1,
	PERFGRP_STATE_MULTIPLEXED	= 2,
	PERFGRP_STATE_NEVER_RAN		= 3,
};

/* scaled holds a value (time_running is not 0). */
#define PERFGRP_VALUE_SCALED		(1U << 0)
/* The true value does not fit into 64 bits; scaled (or raw, in totals) is the largest that does. */
#define PERFGRP_VALUE_SATURATED		(1U << 1)
/* Totals: not every CPU that was added up has a value. */
#define PERFGRP_VALUE_PARTIAL		(1U << 2)
/* Totals: counts of different PMUs were added up (PERFGRP_SNAPSHOT_MIX_PMUS). */
#define PERFGRP_VALUE_MIXED_PMUS	(1U << 3)
/* The kernel stopped the event until the next tick, because of too many overflows. */
#define PERFGRP_VALUE_THROTTLED		(1U << 4)
/*
 * Not counting: a NO_MUX group has lost its room on the PMU, the event could not be created
 * again when its CPU came back online, or its PMU was unregistered. Creation is retried if memory,
 * a slot or the PMU was not available. In totals: on at least one CPU.
 */
#define PERFGRP_VALUE_FAILED		(1U << 5)
/* The CPU is offline; the value is from before. In totals: all CPUs are. */
#define PERFGRP_VALUE_OFFLINE		(1U << 6)
/*
 * The task has exited, or has run a program that its user may not watch (setuid), or the cgroup
 * was removed; the value is final. (A task that was in the cgroup and is still exiting may add
 * to it for a moment.)
 */
#define PERFGRP_VALUE_EXITED		(1U << 7)
/*
 * Of a cgroup: none of its tasks has run on this CPU while the group was enabled, since the last
 * reset. The state is COUNTED, and the count is zero. In totals: on no CPU.
 */
#define PERFGRP_VALUE_ABSENT		(1U << 8)

/**
 * struct perfgrp_value - one member's value in one row
 * @id: the member
 * @sched_group: number of the member's scheduling group, which is the id of the member
 *	that leads it: members of a row with equal numbers are on the PMU at the same
 *	times. 0 if it never had an event here, or, in totals, if it differs between CPUs.
 *	Each software member is a scheduling group of its own; it needs no PMU counter.
 * @state: enum perfgrp_state
 * @flags: PERFGRP_VALUE_*
 * @pmu: number of the PMU that counts it; PERFGRP_NONE if that is not known, or, in
 *	totals over several PMUs, not unique
 * @raw: the count while it was on the PMU
 * @scaled: raw * time_enabled / time_running, rounded down; in totals the sum of the CPUs'
 *	scaled values, which is more accurate than scaling the sum
 * @time_enabled: ns for which the counter was enabled and could count the target. Excludes
 *	the time that a task spends on other CPUs than the group's, or on CPUs that the
 *	counter's PMU does not belong to (P-cores and E-cores, big.LITTLE). Of a cgroup:
 *	ns for which its tasks were on the CPU while the counter was enabled
 * @time_running: ns that it was on the PMU
 */
struct perfgrp_value {
	__u32 id;
	__u32 sched_group;
	__u16 state;
	__u16 flags;
	__u32 pmu;
	__aligned_u64 raw;
	__aligned_u64 scaled;
	__aligned_u64 time_enabled;
	__aligned_u64 time_running;
};

#define PERFGRP_VALUE_SIZE_VER0	48

/* The CPU is offline (totals: all are); all values have PERFGRP_VALUE_OFFLINE. */
#define PERFGRP_ROW_OFFLINE	(1U << 0)
/* The task has exited, or the cgroup was removed; all values have PERFGRP_VALUE_EXITED. */
#define PERFGRP_ROW_EXITED	(1U << 1)
/* At least one value has PERFGRP_VALUE_FAILED. */
#define PERFGRP_ROW_FAILED	(1U << 2)
/* The row is a sum over CPUs. */
#define PERFGRP_ROW_TOTAL	(1U << 3)
/* Rows that are not of a single cgroup; see PERFGRP_CREATE_SPLIT_BY_CGROUP. */
#define PERFGRP_ROW_OUTSIDE	(1U << 4)
#define PERFGRP_ROW_REMOVED	(1U << 5)
#define PERFGRP_ROW_OVERFLOW	(1U << 6)

/**
 * struct perfgrp_row - one CPU, one task, or one sum over CPUs; in a group that is split, one of
 *	its cgroups
 * @cpu: the CPU; -1 for a task that is counted on all CPUs, and for totals
 * @flags: PERFGRP_ROW_*
 * @first_value: index of the row's first value; leader first, the other members in the
 *	order in which they were added
 * @nr_values: number of its values
 * @epoch: how often the CPU has come back online; if it differs between two rows of one CPU,
 *	there is a gap between them that is not in time_enabled
 * @nr_cpus: number of CPUs in the row
 * @time_before: time in ns just before the row's first read, on the group's clock
 * @time_after: the same just after its last read
 * @cgroup_id: PERFGRP_CREATE_SPLIT_BY_CGROUP: the cgroup, by the inode number of its directory; 0
 *	if the row is not of a single cgroup, or the group is not split
 */
struct perfgrp_row {
	__s32 cpu;
	__u32 flags;
	__u32 first_value;
	__u32 nr_values;
	__u32 epoch;
	__u32 nr_cpus;
	__aligned_u64 time_before;
	__aligned_u64 time_after;
	__aligned_u64 cgroup_id;
};

#define PERFGRP_ROW_SIZE_VER0	40
#define PERFGRP_ROW_SIZE_VER1	48

/*
 * Sums over CPUs instead of a row per CPU. CPUs whose members are counted by the same PMUs
 * are added up in one row; on a machine with one kind of CPU there is only one.
 */
#define PERFGRP_SNAPSHOT_TOTALS		(1U << 0)
/* With TOTALS: one row, even over CPUs with different PMUs. */
#define PERFGRP_SNAPSHOT_MIX_PMUS	(1U << 1)
/* Also reset counts and times to zero; no event is lost in between. */
#define PERFGRP_SNAPSHOT_RESET		(1U << 2)
/*
 * For PERFGRP_CREATE_MAPPED groups: use mapped rows that are at rest (&struct
 * perfgrp_map_slot.at_rest) or at most max_age old, and interrupt only the other CPUs. Cannot be
 * combined with RESET. With a clock that can be set back (CLOCK_REALTIME, CLOCK_TAI), and once the
 * group's cgroup is removed, only rows that are at rest are used.
 */
#define PERFGRP_SNAPSHOT_CACHED		(1U << 3)

#define PERFGRP_SNAPSHOT	_IO(PERFGRP_IOC_TYPE, 0x15)

/**
 * struct perfgrp_snapshot - argument of PERFGRP_SNAPSHOT: read the whole group
 * @size: in: sizeof(struct perfgrp_snapshot); at least PERFGRP_SNAPSHOT_SIZE_VER0
 * @flags: in: PERFGRP_SNAPSHOT_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @rows: in: pointer to room for @nr_rows elements
 * @values: in: pointer to room for @nr_values elements
 * @row_size: in: size of a struct perfgrp_row; at least PERFGRP_ROW_SIZE_VER0
 * @nr_rows: in: rows there is room for; out: rows
 * @value_size: in: size of a struct perfgrp_value; at least PERFGRP_VALUE_SIZE_VER0
 * @nr_values: in: values there is room for; out: values
 * @time_before: out: the earliest time_before of all CPUs; if there is no row, the time of
 *	the call
 * @time_after: out: the latest time_after of all CPUs; if there is no row, the time of the
 *	call
 * @generation: out: a number that every PERFGRP_ADD, PERFGRP_REMOVE, PERFGRP_RESET and
 *	PERFGRP_SNAPSHOT_RESET of the group increases. Two snapshots with the same
 *	generation have the same members, and counts and times that do not go backwards.
 *	With PERFGRP_SNAPSHOT_RESET: the number before the reset.
 * @max_age: in: with PERFGRP_SNAPSHOT_CACHED: ns by which a row's time_after may be older than the
 *	call; else 0
 *
 * Each CPU reads all its members with interrupts off, and all CPUs do so in parallel.
 * (INHERIT groups are read one member after the other.) Counts and times of one row belong
 * to one moment, between its time_before and time_after. If an array is too small the call
 * fails with EMSGSIZE, both counts hold the numbers needed, and nothing is written to either
 * array, nor is anything reset. A group without members has rows without values.
 *
 * With PERFGRP_CREATE_SPLIT_BY_CGROUP there are rows for each cgroup: of each CPU, or its totals.
 * The rows of the directory's cgroup come first. A cgroup that was removed has PERFGRP_ROW_EXITED
 * in the first snapshot after that, through any fd, and no row in the next.
 *
 * Scaled values are estimates and may go backwards even within a generation.
 */
struct perfgrp_snapshot {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 rows;
	__aligned_u64 values;
	__u32 row_size;
	__u32 nr_rows;
	__u32 value_size;
	__u32 nr_values;
	__aligned_u64 time_before;
	__aligned_u64 time_after;
	__aligned_u64 generation;
	__aligned_u64 max_age;
};

#define PERFGRP_SNAPSHOT_SIZE_VER0	72
#define PERFGRP_SNAPSHOT_SIZE_VER1	80

/* ---- mapped snapshots ---------------------------------------------------- */

/* Offset for mmap(2) of the group's fd at which its rows are mapped. */
#define PERFGRP_MMAP_ROWS	(1ULL << 42)

/**
 * struct perfgrp_map - the header of a mapping of a group's rows
 * @size: sizeof(struct perfgrp_map), as the kernel knows it
 * @map_size: bytes of the whole mapping, a multiple of the page size
 * @slot_offset: of the first slot, in bytes from the beginning
 * @slot_size: bytes from one slot to the next
 * @nr_slots: CPUs that the group can count on; 1 for a task
 * @values_offset: of the first value in a slot, in bytes
 * @value_size: bytes from one value to the next
 * @clockid: the clock of all times
 * @map_interval: see &struct perfgrp_create
 * @generation: of the group; see &struct perfgrp_snapshot. A call that changes the group writes it
 *	after all slots.
 *
 * The fd of a PERFGRP_CREATE_MAPPED group, or a read-only one, can be mapped at PERFGRP_MMAP_ROWS
 * (which needs an off_t of 64 bits), with MAP_SHARED and PROT_READ, and any length up to @map_size:
 * map one page first to read @map_size. The mapping keeps the group alive, even after the fd is
 * closed. All fields except @generation are constant.
 *
 * Slots are written at any time. To read one:
 *
 *	1. load seq (acquire): 0 if there is no row, odd while it is being written
 *	2. copy what is wanted
 *	3. acquire fence; load seq again: if it has changed, or was odd, start over
 *
 * To read several slots as one snapshot: load @generation before them (acquire), and again after
 * them (after an acquire fence); if it has changed, or a slot's generation differs, start over.
 * libperfgrp has both: perfgrp_map_read_slot(), perfgrp_snap_map().
 */
struct perfgrp_map {
	__u32 size;
	__u32 map_size;
	__u32 slot_offset;
	__u32 slot_size;
	__u32 nr_slots;
	__u32 values_offset;
	__u32 value_size;
	__s32 clockid;
	__aligned_u64 map_interval;
	__aligned_u64 generation;
};

/**
 * struct perfgrp_map_slot - the latest row of a CPU, or of a task
 * @seq: changes whenever the slot is written; see &struct perfgrp_map
 * @at_rest: 1 if nothing that could be counted has run since the row was written: the CPU is idle,
 *	or the task is not on a CPU. It is cleared, without a change of @seq, when that ends. So a
 *	row is current when @at_rest is seen to be 1 before it is copied (between steps 1 and 3;
 *	later it may be that of the next row), whatever its age, with these exceptions: an
 *	interrupt that hits an idle CPU shows only when it has ended; times are those of time_after;
 *	hardware counts of the kernel lack its last steps before it goes idle or switches the task
 *	out. Rows with members that may count meanwhile are never at rest: clocks, tracepoints,
 *	uncore events; on architectures other than x86 also events that count the kernel, except
 *	the generic ones for instructions, branches and caches; for tasks also context switches.
 *	Neither is the row of a CPU in its idle state 0, in which it may poll, nor that of a task
 *	that has not run since the group was created.
 * @generation: the group's generation when the row was written
 * @row: first_value is 0
 *
 * The values follow at &struct perfgrp_map.values_offset.
 */
struct perfgrp_map_slot {
	__u32 seq;
	__u32 at_rest;
	__aligned_u64 generation;
	struct perfgrp_row row;
};

/* ---- records ------------------------------------------------------------- */

/*
 * read(2) on a group with a buffer returns whole records. Each begins with a struct
 * perf_event_header. Types below PERFGRP_RECORD_FIRST are perf's, laid out as
 * perf_event_open(2) says for the group's sample_type and read_format, which
 * PERFGRP_GET_STREAM_STATS returns, and sample_id_all = 1. The structs below are that layout
 * for PERFGRP_SAMPLE_TYPE and PERFGRP_READ_FORMAT.
 *
 * Times are on the group's clock. pid and tid are those of the interrupted task in the pid
 * namespace of the group's creator. Records of one CPU come in the order of their times. So do
 * records of several CPUs that are complete at the time of the read(2): one that is still being
 * written then can come after a later one of another CPU.
 *
 * read(2) returns the records that are available, and waits only if there are none. Errors: EAGAIN
 * (O_NONBLOCK, no records), EINTR, EINVAL (no buffer), EMSGSIZE (the first record is longer than
 * the room), EFAULT; records stay in the buffer on error. 0 means that the task has exited, or the
 * cgroup was removed, and all records have been read. poll(2) returns POLLIN when there are as many
 * records as specified at creation, and POLLHUP when the task has exited or the cgroup was removed.
 * (For groups without a buffer: POLLHUP when the cgroup was removed; POLLERR if the target is not a
 * cgroup.) Each record goes to one reader.
 */
#define PERFGRP_SAMPLE_TYPE	0x1d7U	/* IP TID TIME READ ID CPU PERIOD */
#define PERFGRP_READ_FORMAT	0xfU	/* TOTAL_TIME_ENABLED, _RUNNING, ID, GROUP */

/**
 * struct perfgrp_sample_id - who, when and where; at the end of every record except samples
 * @pid: process
 * @tid: thread
 * @time: ns
 * @id: the member; 0 if it concerns none
 * @cpu: the CPU
 * @reserved: zero
 */
struct perfgrp_sample_id {
	__u32 pid;
	__u32 tid;
	__aligned_u64 time;
	__aligned_u64 id;
	__u32 cpu;
	__u32 reserved;
};

/**
 * struct perfgrp_sample_value - a member's value in a sample
 * @value: the count since the last reset, not scaled
 * @id: the member
 */
struct perfgrp_sample_value {
	__aligned_u64 value;
	__aligned_u64 id;
};

/**
 * struct perfgrp_record_sample - PERF_RECORD_SAMPLE: a counter overflowed
 * @header: misc has PERF_RECORD_MISC_KERNEL or _USER, or in a virtual machine's guest
 *	PERF_RECORD_MISC_GUEST_KERNEL or _GUEST_USER; and PERF_RECORD_MISC_EXACT_IP if the PMU
 *	has recorded @ip itself (precise_ip, x86)
 * @ip: the interrupted instruction, of the host or of the guest; 0 if the member excludes the
 *	kernel but the interrupt came late and hit the kernel
 * @pid: process
 * @tid: thread
 * @time: ns
 * @id: the member that overflowed
 * @cpu: the CPU
 * @reserved: zero
 * @period: events since the member's last overflow
 * @nr: number of values
 * @time_enabled: ns, of the member that overflowed
 * @time_running: ns, of the member that overflowed
 *
 * Followed by @nr struct perfgrp_sample_value, leader first, as a snapshot at that moment would
 * have shown them. A member has none if it was not counting on that CPU, or could not be read:
 * members of an uncore PMU if interrupts were off at the overflow, as they are in an NMI; all
 * members except the one that overflowed if an NMI hits while the perf core changes what the PMU
 * counts. So check the ids. In a group with PERFGRP_CREATE_INHERIT values and times are those of
 * the overflowing task alone, since its events were created, regardless of resets. Without
 * PERFGRP_FEATURE_CHILD_VALUES (before Linux 6.12) @nr and the times are 0 there.
 *
 * If the group's sample_type has PERF_SAMPLE_CALLCHAIN a __u64 nr follows, and then nr addresses:
 * the call chain, innermost function first. PERF_CONTEXT_KERNEL and PERF_CONTEXT_USER precede the
 * addresses of the kernel and of the task. Those of the kernel are left out if the member
 * excludes the kernel. A chain may be empty.
 */
struct perfgrp_record_sample {
	struct perf_event_header header;
	__aligned_u64 ip;
	__u32 pid;
	__u32 tid;
	__aligned_u64 time;
	__aligned_u64 id;
	__u32 cpu;
	__u32 reserved;
	__aligned_u64 period;
	__aligned_u64 nr;
	__aligned_u64 time_enabled;
	__aligned_u64 time_running;
};

/**
 * struct perfgrp_record_throttle - PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE
 * @header: nothing in misc
 * @time: ns
 * @id: the member
 * @stream_id: the member
 * @sample_id: the same
 *
 * UNTHROTTLE is written at the counter's first overflow after the kernel unthrottled it. Groups
 * with PERFGRP_CREATE_INHERIT have neither.
 */
struct perfgrp_record_throttle {
	struct perf_event_header header;
	__aligned_u64 time;
	__aligned_u64 id;
	__aligned_u64 stream_id;
	struct perfgrp_sample_id sample_id;
};

/**
 * struct perfgrp_record_lost - PERF_RECORD_LOST: records were dropped here
 * @header: nothing in misc
 * @id: 0
 * @lost: how many, of all members
 * @sample_id: pid and tid are -1, id is 0; cpu is -1 if they were records of BPF programs
 *	(PERF_RECORD_BPF_EVENT, PERFGRP_RECORD_BPF_*), which have a ring of their own, else the
 *	CPU whose records were dropped
 */
struct perfgrp_record_lost {
	struct perf_event_header header;
	__aligned_u64 id;
	__aligned_u64 lost;
	struct perfgrp_sample_id sample_id;
};

/**
 * struct perfgrp_record_bpf_event - PERF_RECORD_BPF_EVENT: a BPF program was loaded or unloaded
 * @header: nothing in misc
 * @type: PERF_BPF_EVENT_PROG_LOAD or PERF_BPF_EVENT_PROG_UNLOAD
 * @flags: 0
 * @prog_id: the program's id
 * @tag: the program's tag
 * @sample_id: id is 0
 *
 * Only in groups with PERFGRP_CREATE_BPF_EVENTS, or after PERFGRP_BPF_EVENTS_ON.
 */
struct perfgrp_record_bpf_event {
	struct perf_event_header header;
	__u16 type;
	__u16 flags;
	__u32 prog_id;
	__u8 tag[8];
	struct perfgrp_sample_id sample_id;
};

/*
 * Types of perfgrp's own records, outside perf's ranges (the kernel counts up from 1, user
 * space tools from 64).
 */
#define PERFGRP_RECORD_FIRST		0x10000U
/* A program was attached; written before its first run. */
#define PERFGRP_RECORD_BPF_ATTACH	0x10000U
/* A program replaced another; written before its first run. */
#define PERFGRP_RECORD_BPF_REPLACE	0x10001U
/* A program was detached; written after its last run, perhaps after the ATTACH of another one. */
#define PERFGRP_RECORD_BPF_DETACH	0x10002U

/**
 * struct perfgrp_record_bpf_attach - PERFGRP_RECORD_BPF_ATTACH, _BPF_REPLACE, _BPF_DETACH
 * @header: nothing in misc
 * @id: the member
 * @prog_id: id of the program that is attached from now on; with DETACH, of the one that was
 * @reserved: zero
 * @tag: its tag
 * @sample_id: id is the member
 */
struct perfgrp_record_bpf_attach {
	struct perf_event_header header;
	__aligned_u64 id;
	__u32 prog_id;
	__u32 reserved;
	__u8 tag[8];
	struct perfgrp_sample_id sample_id;
};

#define PERFGRP_SET_PERIOD	_IO(PERFGRP_IOC_TYPE, 0x20)

/**
 * struct perfgrp_period - argument of PERFGRP_SET_PERIOD: change how often a member samples
 * @size: in: sizeof(struct perfgrp_period); at least PERFGRP_PERIOD_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @sample_period: in: the new period in events, if the member was added with a period
 * @sample_freq: in: the new frequency in Hz, if it was added with PERFGRP_COUNTER_FREQ
 * @id: in: the member
 * @reserved: in: zero
 *
 * Changes all CPUs, or on failure none; may be called at any time. The call starts a new period;
 * the current one ends without a sample. Errors: ENOENT (no such member), EINVAL (it does not
 * sample, or the value is 0 or out of range), EOPNOTSUPP (an INHERIT group: children would keep
 * the old period).
 */
struct perfgrp_period {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	union {
		__aligned_u64 sample_period;
		__aligned_u64 sample_freq;
	};
	__u32 id;
	__u32 reserved;
};

#define PERFGRP_PERIOD_SIZE_VER0	32

#define PERFGRP_GET_STREAM_STATS	_IO(PERFGRP_IOC_TYPE, 0x21)

/**
 * struct perfgrp_stream_stats - argument of PERFGRP_GET_STREAM_STATS: the stream of records
 * @size: in: sizeof(struct perfgrp_stream_stats); at least PERFGRP_STREAM_STATS_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @produced: out: records that were written or lost: samples, throttling, BPF programs
 * @read: out: records that were read
 * @lost: out: records for which there was no room, or that were overwritten by newer ones
 * @filtered: out: samples that did not become records (min_delta, or a BPF program that
 *	returned 0 or could not run)
 * @sample_type: out: PERF_SAMPLE_* that define the layout of the records
 * @read_format: out: PERF_FORMAT_* that define the layout of their values
 * @buffer_size: out: bytes of buffer per CPU
 * @reserved: in, out: zero
 * @nr_rings: out: rings of records, each of which can be mapped
 * @last_ring_size: out: bytes of buffer of the last ring
 *
 * Records that were produced and neither read nor lost are in the buffer. LOST records are not
 * counted, nor records that userspace reads from mapped rings. Errors: EINVAL (the group has no
 * buffer), EINTR.
 *
 * Ring n is mapped by
 *
 *	mmap(NULL, page + buffer_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *	     n * (page + buffer_size))
 *
 * where page is the page size; the last ring is mapped with page + last_ring_size. The rings are
 * those of the group's CPUs in ascending order (of a group on all CPUs: all possible CPUs), or the
 * task's; the last one has the records of BPF programs. The layout is that of perf_event_open(2):
 * a struct perf_event_mmap_page, and from the next page on the records. Its data_tail can be
 * written, the records cannot. Each ring has one reader. poll(2) still works. A LOST record is
 * written before the next record for which there is room.
 *
 * Once a ring is mapped through the fd of PERFGRP_CREATE, read(2) fails with EBUSY. Through an
 * fd of PERFGRP_OPEN_READER with PERFGRP_READER_RECORDS rings can be mapped read-only, to look at
 * records without consuming them. Errors of mmap(2): EINVAL (the group has no buffer; the range is
 * not exactly one ring), EOPNOTSUPP (a group with PERFGRP_CREATE_OVERWRITE), ENXIO (the CPU has not
 * been online yet).
 */
struct perfgrp_stream_stats {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 produced;
	__aligned_u64 read;
	__aligned_u64 lost;
	__aligned_u64 filtered;
	__aligned_u64 sample_type;
	__aligned_u64 read_format;
	__u32 buffer_size;
	__u32 reserved;
	__u32 nr_rings;
	__u32 last_ring_size;
};

#define PERFGRP_STREAM_STATS_SIZE_VER0	72
#define PERFGRP_STREAM_STATS_SIZE_VER1	80

/* ---- BPF ------------------------------------------------------------------ */

/* Measure how long the program runs, even while sysctl kernel.bpf_stats_enabled is 0. */
#define PERFGRP_BPF_TIMED	(1U << 0)

/*
 * From PERFGRP_BPF_EVENTS_ON to PERFGRP_BPF_EVENTS_OFF the stream of a group has the records that
 * PERFGRP_CREATE_BPF_EVENTS asks for at creation. The argument is a struct perfgrp_control. Both
 * are idempotent and leave the counters alone. Over 100 records are kept until they are read, or as
 * many as fit into a buffer if the group was created with that flag; further ones are lost.
 *
 * PERFGRP_BPF_EVENTS_ON needs CAP_PERFMON. Errors: EACCES, EINVAL (the group has no buffer),
 * EOPNOTSUPP (PERFGRP_FEATURE_BPF_EVENTS is missing), EBUSY (kprobes are disarmed), ENOMEM.
 */
#define PERFGRP_BPF_EVENTS_ON	_IO(PERFGRP_IOC_TYPE, 0x22)
#define PERFGRP_BPF_EVENTS_OFF	_IO(PERFGRP_IOC_TYPE, 0x23)

#define PERFGRP_BPF_ATTACH	_IO(PERFGRP_IOC_TYPE, 0x30)
#define PERFGRP_BPF_REPLACE	_IO(PERFGRP_IOC_TYPE, 0x31)

/**
 * struct perfgrp_bpf_attach - argument of PERFGRP_BPF_ATTACH and PERFGRP_BPF_REPLACE
 * @size: in: sizeof(struct perfgrp_bpf_attach); at least PERFGRP_BPF_ATTACH_SIZE_VER0
 * @flags: in: PERFGRP_BPF_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member, one that samples
 * @prog_fd: in: a program of type BPF_PROG_TYPE_PERF_EVENT
 * @cookie: in: what bpf_get_attach_cookie() returns in the program
 * @prog_id: in: REPLACE: id of the program expected to be attached, 0 for any; ATTACH: 0
 * @reserved: in: zero
 *
 * The program runs at each of the member's overflows, on all CPUs of the group, before the
 * sample is recorded, in the context of the overflow: NMI if the PMU has one. If it returns
 * 0 the sample is dropped (PERFGRP_GET_STREAM_STATS counts it as filtered). It sees what it
 * would see under PERF_EVENT_IOC_SET_BPF: registers, sample_period, addr, stacks, and its
 * counter by bpf_perf_prog_read_value() (the perf event's own count, whatever was reset).
 * What it reaches with bpf_cast_to_kern_ctx() beyond that is undefined.
 *
 * A member has at most one program. REPLACE puts another in its place, with its own flags,
 * cookie and statistics: every overflow is seen by one or the other. After DETACH the
 * member goes on counting and sampling. After DETACH and REPLACE the old program does not
 * run here any more and its reference is dropped.
 *
 * As under perf, a program does not run at an overflow that interrupts, on its CPU, another
 * program on a perf event, kprobe or tracepoint, or a system call that changes a BPF map.
 * Without PERFGRP_FEATURE_BPF_KERNEL it does not run at overflows that interrupt the kernel,
 * either. Such an overflow is a miss, and its sample is dropped.
 *
 * ATTACH and REPLACE need CAP_PERFMON. Errors: EACCES; ENOENT (no such member, or, for
 * REPLACE, no program there); EBADF (@prog_fd is not open); EINVAL (@prog_fd is not a BPF
 * program, or one of another type; the member does not sample); EEXIST (ATTACH: it has a
 * program); ESTALE (REPLACE: @prog_id is not the program there); EPROTO (the program asks
 * for stacks, the member's precise_ip is not 0, and the group has no call chains, or the member
 * excludes the kernel); EOPNOTSUPP (PERFGRP_REASON_FEATURE: a kernel without BPF programs on perf
 * events); ENOMEM; EINTR.
 */
struct perfgrp_bpf_attach {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 id;
	__s32 prog_fd;
	__aligned_u64 cookie;
	__u32 prog_id;
	__u32 reserved;
};

#define PERFGRP_BPF_ATTACH_SIZE_VER0	40

#define PERFGRP_BPF_DETACH	_IO(PERFGRP_IOC_TYPE, 0x32)

/**
 * struct perfgrp_bpf_detach - argument of PERFGRP_BPF_DETACH
 * @size: in: sizeof(struct perfgrp_bpf_detach); at least PERFGRP_BPF_DETACH_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member
 * @prog_id: in: id of the program expected to be attached, 0 for any
 *
 * Errors: ENOENT (no such member, or no program there), ESTALE (@prog_id is not the program
 * there), EINTR.
 */
struct perfgrp_bpf_detach {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 id;
	__u32 prog_id;
};

#define PERFGRP_BPF_DETACH_SIZE_VER0	24

#define PERFGRP_BPF_QUERY	_IO(PERFGRP_IOC_TYPE, 0x33)

/**
 * struct perfgrp_bpf_query - argument of PERFGRP_BPF_QUERY: what is attached to a member
 * @size: in: sizeof(struct perfgrp_bpf_query); at least PERFGRP_BPF_QUERY_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member
 * @prog_id: out: the program's id, as BPF_PROG_GET_FD_BY_ID takes it
 * @tag: out: the program's tag
 * @cookie: out: as attached
 * @runs: out: how often the program ran here
 * @nsecs: out: ns it took in those runs that were measured: while sysctl
 *	kernel.bpf_stats_enabled was 1, or all with PERFGRP_BPF_TIMED
 * @misses: out: overflows at which it could not run
 * @dropped: out: runs that returned 0
 * @attach_flags: out: PERFGRP_BPF_* as attached
 * @reserved: in, out: zero
 *
 * Each overflow of the member since the program was attached is a run or a miss. Errors:
 * ENOENT (no such member; PERFGRP_REASON_BPF_NONE: nothing is attached), EINTR.
 */
struct perfgrp_bpf_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 id;
	__u32 prog_id;
	__u8 tag[8];
	__aligned_u64 cookie;
	__aligned_u64 runs;
	__aligned_u64 nsecs;
	__aligned_u64 misses;
	__aligned_u64 dropped;
	__u32 attach_flags;
	__u32 reserved;
};

#define PERFGRP_BPF_QUERY_SIZE_VER0	80

#define PERFGRP_GET_BPF_HANDLE	_IO(PERFGRP_IOC_TYPE, 0x34)

/* Give the group a new handle. The old one becomes invalid. */
#define PERFGRP_BPF_HANDLE_NEW	(1U << 0)

/**
 * struct perfgrp_bpf_handle - argument of PERFGRP_GET_BPF_HANDLE: name a group to BPF programs
 * @size: in: sizeof(struct perfgrp_bpf_handle); at least PERFGRP_BPF_HANDLE_SIZE_VER0
 * @flags: in: PERFGRP_BPF_HANDLE_NEW
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @handle: out: a random number, never 0, by which the kfunc bpf_perfgrp_read() finds the
 *	group; without PERFGRP_BPF_HANDLE_NEW the same each time it is asked for
 *
 * The kfunc reads the group's members on the CPU that it is called on:
 *
 *	int bpf_perfgrp_read(u64 handle, struct perfgrp_value *values, u32 values__sz,
 *			     u32 value_size, u64 flags) __ksym;
 *
 * values__sz is the size of all values, value_size that of one, at least
 * PERFGRP_VALUE_SIZE_VER0, in bytes; flags are 0. It returns the number of members, and fills
 * in as many values, leader first; or -ENOENT (no group has this handle), -ENODATA (the group
 * does not count here: not on this CPU, or not this task), -EMSGSIZE (values__sz is too small
 * for all), -EINVAL (value_size, flags). Each value is as in a snapshot, except that
 * PERFGRP_VALUE_FAILED and _EXITED are set for each member by itself, not for all members of a
 * NO_MUX group or of a task, and that a cgroup was removed does not show. Members that cannot be
 * read here, such as those of an uncore PMU if interrupts are off, have the value that the kernel
 * read last.
 *
 * For PERFGRP_CREATE_MAPPED groups another kfunc reads the mapped row of any CPU, without
 * interrupting that CPU (with PERFGRP_FEATURE_MAPPED):
 *
 *	int bpf_perfgrp_read_row(u64 handle, s32 cpu, struct perfgrp_map_slot *slot, u32 slot__sz,
 *				 u32 value_size) __ksym;
 *
 * cpu is &struct perfgrp_row.cpu of the row, -1 for a task on any CPU. The values follow the
 * struct, at byte 64; slot__sz is the size of the struct and the values. Returns the same as
 * bpf_perfgrp_read(), and also -EINVAL if slot__sz has no room for the struct, -ENODATA if the
 * group is not mapped or the row was never written, and -EAGAIN if the row is being written,
 * perhaps by code that the program has interrupted: then *slot may have been overwritten.
 *
 * For programs of types tracing and lsm, from 6.12 on also tracepoint, perf_event and kprobe, in
 * 7.3 also raw tracepoint. While a program that uses a kfunc is loaded the module cannot be
 * unloaded.
 *
 * Needs CAP_PERFMON. Errors: EACCES, EOPNOTSUPP (PERFGRP_FEATURE_KFUNC is missing, or the
 * group is inherited or split by cgroup), ENOMEM, EINTR.
 */
struct perfgrp_bpf_handle {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 handle;
};

#define PERFGRP_BPF_HANDLE_SIZE_VER0	24

#endif /* _UAPI_LINUX_PERFGRP_H */
