/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * perfgrp: groups of perf counters, kept in the kernel.
 *
 * Two kinds of file descriptor:
 *
 *  - the device, /dev/perfgrp: answers questions about the module
 *    (PERFGRP_INFO) and creates groups (PERFGRP_CREATE);
 *  - the group, returned by PERFGRP_CREATE: takes counters, enables, disables
 *    and resets them, and returns snapshots of all their values. Where a counter
 *    samples, read(2) and poll(2) give the records.
 *
 * Every ioctl takes a pointer to one struct that begins with the same three
 * fields:
 *
 *	__u32 size		sizeof the struct as the caller knows it
 *	__u32 flags		flags of this ioctl; 0 where it has none
 *	__aligned_u64 error	pointer to a struct perfgrp_error, or 0
 *
 * A struct that is shorter than today's, but at least as long as the first
 * released one, is taken as if the rest were zero. A longer one is taken when
 * all that the kernel does not know is zero.
 *
 * What an errno means for all ioctls:
 *
 *	ENOTTY		no such ioctl on this kind of fd
 *	E2BIG		the struct is longer than the kernel's and the rest is
 *			not zero, or it is longer than a page; the kernel's
 *			size is written to its size field
 *	EINVAL		the struct is too short, or a field is wrong
 *	EOPNOTSUPP	an unknown flag, a reserved field that is not zero, or
 *			something this kernel or machine cannot do
 *	EFAULT		a pointer cannot be read or written
 *	EACCES		the caller may not do this
 *	ENOENT		no member with that id, no such event on this machine, or no
 *			BPF program there
 *	ESRCH		the task is gone
 *	ENODEV		the CPU is offline, or does not exist
 *	EBUSY		the leader still has members, or the PMU has no room now
 *	ENOSPC		a limit is reached; the text names it
 *	EMSGSIZE	an array is too small; its count holds the number needed
 *	ENOMEM		no memory
 *	EINTR		a fatal signal arrived while waiting
 *	EBADF		the fd of a BPF program is closed
 *	EEXIST		a BPF program is attached already
 *	ESTALE		another BPF program is attached than the caller thinks
 *	EPROTO		the BPF program needs what the counter does not take
 *
 * With an error struct the caller also gets the reason, the member, the CPU,
 * the field and a line of English. A call that fails leaves the group as it
 * was, and writes nothing but the error struct, the size after E2BIG, and the
 * counts after EMSGSIZE. (Where EFAULT comes half way through an array, what was
 * before has been written.)
 */
#ifndef _UAPI_LINUX_PERFGRP_H
#define _UAPI_LINUX_PERFGRP_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * Ioctl numbers carry no size, so that a struct that grows keeps its number.
 * 0x00-0x0f belong to the device, 0x10-0x3f to groups. 0x20-0x2f are set aside
 * for sampling and streams, 0x30-0x3f for BPF.
 */
#define PERFGRP_IOC_TYPE	0xBD

#define PERFGRP_INFO		_IO(PERFGRP_IOC_TYPE, 0x00)
#define PERFGRP_CREATE		_IO(PERFGRP_IOC_TYPE, 0x01)

#define PERFGRP_ADD		_IO(PERFGRP_IOC_TYPE, 0x10)
#define PERFGRP_REMOVE		_IO(PERFGRP_IOC_TYPE, 0x11)
#define PERFGRP_ENABLE		_IO(PERFGRP_IOC_TYPE, 0x12)
#define PERFGRP_DISABLE		_IO(PERFGRP_IOC_TYPE, 0x13)
#define PERFGRP_RESET		_IO(PERFGRP_IOC_TYPE, 0x14)
#define PERFGRP_SNAPSHOT	_IO(PERFGRP_IOC_TYPE, 0x15)
#define PERFGRP_QUERY		_IO(PERFGRP_IOC_TYPE, 0x16)

#define PERFGRP_PERIOD		_IO(PERFGRP_IOC_TYPE, 0x20)
#define PERFGRP_STREAM		_IO(PERFGRP_IOC_TYPE, 0x21)

#define PERFGRP_BPF_ATTACH	_IO(PERFGRP_IOC_TYPE, 0x30)
#define PERFGRP_BPF_REPLACE	_IO(PERFGRP_IOC_TYPE, 0x31)
#define PERFGRP_BPF_DETACH	_IO(PERFGRP_IOC_TYPE, 0x32)
#define PERFGRP_BPF_QUERY	_IO(PERFGRP_IOC_TYPE, 0x33)
#define PERFGRP_BPF_HANDLE	_IO(PERFGRP_IOC_TYPE, 0x34)

/* "Not any": a member or an id that an error or a value does not have. */
#define PERFGRP_NONE		0xffffffffU

/* ---- errors -------------------------------------------------------------- */

/**
 * enum perfgrp_reason - why a call was refused
 * @PERFGRP_REASON_NONE: no reason was given; the errno says all
 * @PERFGRP_REASON_SIZE: a size field is shorter than the first release's, or
 *	longer than a page
 * @PERFGRP_REASON_TAIL: what the kernel does not know is not zero
 * @PERFGRP_REASON_FLAGS: an unknown flag, or flags that exclude one another
 * @PERFGRP_REASON_RESERVED: a reserved or unused field is not zero
 * @PERFGRP_REASON_POINTER: memory that a field points to cannot be used
 * @PERFGRP_REASON_PRIVILEGE: the caller lacks CAP_PERFMON, or may not count
 *	that task or that mode
 * @PERFGRP_REASON_TARGET: no target, or a field that this target has no use for
 * @PERFGRP_REASON_PID: no such task, or it has exited
 * @PERFGRP_REASON_CPU: no such CPU, or it is named twice
 * @PERFGRP_REASON_CPU_OFFLINE: the CPU is offline
 * @PERFGRP_REASON_EVENT: the event or its type does not exist on this machine
 * @PERFGRP_REASON_EVENT_OPTION: the PMU refuses the event's config or options
 * @PERFGRP_REASON_EVENT_TARGET: the PMU cannot count this event on this target
 * @PERFGRP_REASON_LIMIT: a limit of the module is reached
 * @PERFGRP_REASON_PMU_FULL: the PMU takes the event, but never together with
 *	the members that the group has already
 * @PERFGRP_REASON_PMU_BUSY: the PMU has no room for a NO_MUX group now, or
 *	somebody else has it to himself
 * @PERFGRP_REASON_MEMBER: no member has that id
 * @PERFGRP_REASON_LEADER: the leader still has members
 * @PERFGRP_REASON_EMPTY: the array holds nothing
 * @PERFGRP_REASON_BUFFER: an array is too small
 * @PERFGRP_REASON_FEATURE: this module or kernel lacks it; see
 *	&struct perfgrp_info.features
 * @PERFGRP_REASON_MEMORY: no memory
 * @PERFGRP_REASON_KERNEL: the perf core refused; the text has its errno
 * @PERFGRP_REASON_BPF_FD: the fd is closed, or is not one of a BPF program
 * @PERFGRP_REASON_BPF_TYPE: a BPF program of another type
 * @PERFGRP_REASON_BPF_COUNTER: the counter does not sample
 * @PERFGRP_REASON_BPF_CALLCHAIN: the BPF program walks stacks, which needs a call
 *	chain where the counter is precise
 * @PERFGRP_REASON_BPF_MAP: a map of the BPF program cannot be used safely from
 *	where the counter's overflows are handled
 * @PERFGRP_REASON_BPF_ATTACHED: the counter has a BPF program, and not the one that
 *	is expected, if any is
 * @PERFGRP_REASON_BPF_NONE: the counter has no BPF program
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
};

/**
 * struct perfgrp_error - why a call failed
 * @size: in: sizeof(struct perfgrp_error) as the caller knows it. A struct too
 *	short for the first release's is left alone.
 * @error: the errno, positive
 * @reason: enum perfgrp_reason
 * @member: index into the array that the call was given (PERFGRP_ADD), or the
 *	id of the member (other calls); PERFGRP_NONE where it is about none
 * @cpu: the CPU; -1 where it is about none
 * @reserved: zero
 * @field: name of the field that is wrong, NUL-terminated; empty where none is
 * @text: one line of English, NUL-terminated, without a newline
 *
 * Written when a call fails, left alone when it succeeds. A pointer that cannot
 * be written never changes the outcome of the call.
 */
struct perfgrp_error {
	__u32 size;
	__s32 error;
	__u32 reason;
	__u32 member;
	__s32 cpu;
	__u32 reserved;
	char field[32];
	char text[200];
};

/* ---- the device ---------------------------------------------------------- */

/*
 * Feature bits. A program asks for what it needs by its bit, never by a
 * version number.
 */
/* Hardware members of one PMU are one scheduling group of the perf core. */
#define PERFGRP_FEATURE_SCHED_GROUP	(1ULL << 0)
/* PERFGRP_CREATE_INHERIT and PERFGRP_CREATE_ENABLE_ON_EXEC */
#define PERFGRP_FEATURE_INHERIT		(1ULL << 1)
/* PERFGRP_CREATE_NO_MUX and PERFGRP_CREATE_EXCLUSIVE */
#define PERFGRP_FEATURE_NO_MUX		(1ULL << 2)
/* CPUs that go off and on line are followed. */
#define PERFGRP_FEATURE_HOTPLUG		(1ULL << 3)
/* Callers without CAP_PERFMON may count their own tasks in user mode. */
#define PERFGRP_FEATURE_UNPRIVILEGED	(1ULL << 4)
/* perfgrp_counter.sample, streams of records */
#define PERFGRP_FEATURE_SAMPLING	(1ULL << 5)
/* BPF programs on counters: PERFGRP_BPF_ATTACH, _REPLACE, _DETACH, _QUERY */
#define PERFGRP_FEATURE_BPF		(1ULL << 6)
/* PERFGRP_CREATE_BPF_EVENTS */
#define PERFGRP_FEATURE_BPF_EVENTS	(1ULL << 7)
/* PERFGRP_BPF_HANDLE, and the kfunc bpf_perfgrp_read() */
#define PERFGRP_FEATURE_KFUNC		(1ULL << 8)

/**
 * struct perfgrp_info - argument of PERFGRP_INFO
 * @size: in: sizeof(struct perfgrp_info); at least PERFGRP_INFO_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @features: out: PERFGRP_FEATURE_*
 * @max_members: out: members a group can have
 * @nr_cpu_ids: out: one more than the highest CPU number that can ever exist;
 *	no snapshot has more rows
 * @max_groups: out: groups one user can have open
 * @max_buffer: out: the largest buffer_size of a group, in bytes
 * @version: out: the module's version for people, NUL-terminated
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
	char version[32];
};

#define PERFGRP_INFO_SIZE_VER0	72

/**
 * enum perfgrp_target - what a group counts
 * @PERFGRP_TARGET_NONE: nothing; refused
 * @PERFGRP_TARGET_TASK: one task, wherever it runs, or on one CPU only
 * @PERFGRP_TARGET_CPUS: the CPUs of a list, whatever runs there
 * @PERFGRP_TARGET_ALL_CPUS: every CPU, also those that come online later
 */
enum perfgrp_target {
	PERFGRP_TARGET_NONE	= 0,
	PERFGRP_TARGET_TASK	= 1,
	PERFGRP_TARGET_CPUS	= 2,
	PERFGRP_TARGET_ALL_CPUS	= 3,
};

/* The group counts from the start; without it, from PERFGRP_ENABLE. */
#define PERFGRP_CREATE_ENABLED		(1U << 0)
/*
 * Count the children that the task forks from now on, too, and theirs (task
 * targets). Such a group takes all its members in one PERFGRP_ADD. Its counters
 * are read one after the other, so that they are a little apart, and are final
 * (PERFGRP_STATE_EXITED) when the task and all the children are gone.
 */
#define PERFGRP_CREATE_INHERIT		(1U << 1)
/*
 * The task's next exec enables the group (task targets, starts disabled), unless
 * PERFGRP_ENABLE or PERFGRP_DISABLE comes first. With INHERIT: children forked
 * before are counted from their own exec on, and not at all if PERFGRP_ENABLE came
 * before it.
 */
#define PERFGRP_CREATE_ENABLE_ON_EXEC	(1U << 2)
/*
 * All members on the PMU all the time, or the group fails (attr.pinned): where
 * there is no room PERFGRP_ENABLE and PERFGRP_ADD are refused with EBUSY, and where
 * it is lost later all values of the row say PERFGRP_STATE_FAILED until
 * PERFGRP_ENABLE finds room again. For a task that does not run at the moment only
 * the values tell.
 */
#define PERFGRP_CREATE_NO_MUX		(1U << 3)
/* No other group on the PMU while this one is (attr.exclusive). */
#define PERFGRP_CREATE_EXCLUSIVE	(1U << 4)
/*
 * Every hardware member must be in one scheduling group. Without this flag a
 * group may span PMUs, and where PERFGRP_FEATURE_SCHED_GROUP is missing it is
 * made of independent counters.
 */
#define PERFGRP_CREATE_ONE_SCHED_GROUP	(1U << 5)
/*
 * A full buffer drops its oldest records for new ones; without it, it keeps them
 * and drops the new ones.
 */
#define PERFGRP_CREATE_OVERWRITE	(1U << 6)
/*
 * The stream has a PERF_RECORD_BPF_EVENT for each BPF program that is loaded into or
 * unloaded from the kernel, by whomever and on whatever CPU, from this call on. Needs
 * CAP_PERFMON, a buffer, and PERFGRP_FEATURE_BPF_EVENTS; it needs no members. (With a
 * task as target the stream ends, as any, when the task has exited.)
 */
#define PERFGRP_CREATE_BPF_EVENTS	(1U << 7)

/**
 * struct perfgrp_create - argument of PERFGRP_CREATE
 * @size: in: sizeof(struct perfgrp_create); at least PERFGRP_CREATE_SIZE_VER0
 * @flags: in: PERFGRP_CREATE_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @target: in: enum perfgrp_target
 * @pid: in: the task's thread id, 0 for the caller (PERFGRP_TARGET_TASK);
 *	else 0
 * @cpus: in: pointer to an array of __u32, the numbers of CPUs
 * @nr_cpus: in: entries of @cpus. PERFGRP_TARGET_TASK: 0 for every CPU, or 1 to
 *	count the task on that CPU only. PERFGRP_TARGET_CPUS: 1 or more, none
 *	twice, all online. PERFGRP_TARGET_ALL_CPUS: 0.
 * @fd: out: the group, close-on-exec
 * @buffer_size: in: bytes for records a CPU, rounded up to pages, at least two; 0
 *	for a group whose counters do not sample. At most
 *	&struct perfgrp_info.max_buffer. Without CAP_IPC_LOCK all buffers of a user
 *	together have RLIMIT_MEMLOCK, and 516 KiB for each CPU. ENOMEM where it would
 *	leave less than 64 MiB of memory, or a sixteenth of all where that is less.
 * @wakeup_records: in: a sleeping reader is woken when this many records of one CPU
 *	wait, or @wakeup_bytes of them, whichever comes first; 0 for every record, or,
 *	with @wakeup_bytes, for no such number
 * @wakeup_bytes: in: the same in bytes, at most half of @buffer_size; 0 for half of
 *	it
 * @reserved: in: zero
 *
 * Needs CAP_PERFMON. Errors: EACCES, EINVAL, ENODEV, EOPNOTSUPP, ESRCH, EMFILE,
 * ENFILE, ENOSPC (max_groups, memory that a user may lock), ENOMEM.
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
	__u32 buffer_size;
	__u32 wakeup_records;
	__u32 wakeup_bytes;
	__u32 reserved[11];
};

#define PERFGRP_CREATE_SIZE_VER0	96

/* ---- counters ------------------------------------------------------------ */

/*
 * An event is one constant: attr.type of perf_event_open(2) in the high 32
 * bits, attr.config in the low 32.
 */
#define PERFGRP_EVENT(type, config) \
	((((__u64)(type)) << 32) | ((__u64)(config) & 0xffffffffULL))
#define PERFGRP_EVENT_TYPE(event)	((__u32)((__u64)(event) >> 32))
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
 * PERF_TYPE_HW_CACHE: cache (0 L1-dcache, 1 L1-icache, 2 LLC, 3 dTLB, 4 iTLB,
 * 5 branch, 6 node), operation (0 load, 1 store, 2 prefetch), result (0 access,
 * 1 miss).
 */
#define PERFGRP_HW_CACHE(cache, op, result) \
	PERFGRP_EVENT(3, (cache) | ((op) << 8) | ((result) << 16))

#define PERFGRP_CACHE_L1D_LOAD_ACCESS		PERFGRP_HW_CACHE(0, 0, 0)
#define PERFGRP_CACHE_L1D_LOAD_MISS		PERFGRP_HW_CACHE(0, 0, 1)
#define PERFGRP_CACHE_L1D_STORE_ACCESS		PERFGRP_HW_CACHE(0, 1, 0)
#define PERFGRP_CACHE_L1D_STORE_MISS		PERFGRP_HW_CACHE(0, 1, 1)
#define PERFGRP_CACHE_L1D_PREFETCH_ACCESS	PERFGRP_HW_CACHE(0, 2, 0)
#define PERFGRP_CACHE_L1D_PREFETCH_MISS		PERFGRP_HW_CACHE(0, 2, 1)
#define PERFGRP_CACHE_L1I_LOAD_ACCESS		PERFGRP_HW_CACHE(1, 0, 0)
#define PERFGRP_CACHE_L1I_LOAD_MISS		PERFGRP_HW_CACHE(1, 0, 1)
#define PERFGRP_CACHE_L1I_STORE_ACCESS		PERFGRP_HW_CACHE(1, 1, 0)
#define PERFGRP_CACHE_L1I_STORE_MISS		PERFGRP_HW_CACHE(1, 1, 1)
#define PERFGRP_CACHE_L1I_PREFETCH_ACCESS	PERFGRP_HW_CACHE(1, 2, 0)
#define PERFGRP_CACHE_L1I_PREFETCH_MISS		PERFGRP_HW_CACHE(1, 2, 1)
#define PERFGRP_CACHE_LLC_LOAD_ACCESS		PERFGRP_HW_CACHE(2, 0, 0)
#define PERFGRP_CACHE_LLC_LOAD_MISS		PERFGRP_HW_CACHE(2, 0, 1)
#define PERFGRP_CACHE_LLC_STORE_ACCESS		PERFGRP_HW_CACHE(2, 1, 0)
#define PERFGRP_CACHE_LLC_STORE_MISS		PERFGRP_HW_CACHE(2, 1, 1)
#define PERFGRP_CACHE_LLC_PREFETCH_ACCESS	PERFGRP_HW_CACHE(2, 2, 0)
#define PERFGRP_CACHE_LLC_PREFETCH_MISS		PERFGRP_HW_CACHE(2, 2, 1)
#define PERFGRP_CACHE_DTLB_LOAD_ACCESS		PERFGRP_HW_CACHE(3, 0, 0)
#define PERFGRP_CACHE_DTLB_LOAD_MISS		PERFGRP_HW_CACHE(3, 0, 1)
#define PERFGRP_CACHE_DTLB_STORE_ACCESS		PERFGRP_HW_CACHE(3, 1, 0)
#define PERFGRP_CACHE_DTLB_STORE_MISS		PERFGRP_HW_CACHE(3, 1, 1)
#define PERFGRP_CACHE_DTLB_PREFETCH_ACCESS	PERFGRP_HW_CACHE(3, 2, 0)
#define PERFGRP_CACHE_DTLB_PREFETCH_MISS	PERFGRP_HW_CACHE(3, 2, 1)
#define PERFGRP_CACHE_ITLB_LOAD_ACCESS		PERFGRP_HW_CACHE(4, 0, 0)
#define PERFGRP_CACHE_ITLB_LOAD_MISS		PERFGRP_HW_CACHE(4, 0, 1)
#define PERFGRP_CACHE_ITLB_STORE_ACCESS		PERFGRP_HW_CACHE(4, 1, 0)
#define PERFGRP_CACHE_ITLB_STORE_MISS		PERFGRP_HW_CACHE(4, 1, 1)
#define PERFGRP_CACHE_ITLB_PREFETCH_ACCESS	PERFGRP_HW_CACHE(4, 2, 0)
#define PERFGRP_CACHE_ITLB_PREFETCH_MISS	PERFGRP_HW_CACHE(4, 2, 1)
#define PERFGRP_CACHE_BRANCH_LOAD_ACCESS	PERFGRP_HW_CACHE(5, 0, 0)
#define PERFGRP_CACHE_BRANCH_LOAD_MISS		PERFGRP_HW_CACHE(5, 0, 1)
#define PERFGRP_CACHE_BRANCH_STORE_ACCESS	PERFGRP_HW_CACHE(5, 1, 0)
#define PERFGRP_CACHE_BRANCH_STORE_MISS		PERFGRP_HW_CACHE(5, 1, 1)
#define PERFGRP_CACHE_BRANCH_PREFETCH_ACCESS	PERFGRP_HW_CACHE(5, 2, 0)
#define PERFGRP_CACHE_BRANCH_PREFETCH_MISS	PERFGRP_HW_CACHE(5, 2, 1)
#define PERFGRP_CACHE_NODE_LOAD_ACCESS		PERFGRP_HW_CACHE(6, 0, 0)
#define PERFGRP_CACHE_NODE_LOAD_MISS		PERFGRP_HW_CACHE(6, 0, 1)
#define PERFGRP_CACHE_NODE_STORE_ACCESS		PERFGRP_HW_CACHE(6, 1, 0)
#define PERFGRP_CACHE_NODE_STORE_MISS		PERFGRP_HW_CACHE(6, 1, 1)
#define PERFGRP_CACHE_NODE_PREFETCH_ACCESS	PERFGRP_HW_CACHE(6, 2, 0)
#define PERFGRP_CACHE_NODE_PREFETCH_MISS	PERFGRP_HW_CACHE(6, 2, 1)

/* perfgrp_counter.type and config, config1-3, bp_type are used, not event. */
#define PERFGRP_COUNTER_RAW		(1U << 0)
/* As the bits of the same names in struct perf_event_attr. */
#define PERFGRP_COUNTER_EXCLUDE_USER	(1U << 1)
#define PERFGRP_COUNTER_EXCLUDE_KERNEL	(1U << 2)
#define PERFGRP_COUNTER_EXCLUDE_HV	(1U << 3)
#define PERFGRP_COUNTER_EXCLUDE_IDLE	(1U << 4)
/* perfgrp_counter.sample is a frequency in Hz, not a period in events. */
#define PERFGRP_COUNTER_FREQ		(1U << 5)
/* As the bits of the same names, for machines that run virtual ones. */
#define PERFGRP_COUNTER_EXCLUDE_HOST	(1U << 6)
#define PERFGRP_COUNTER_EXCLUDE_GUEST	(1U << 7)

/**
 * struct perfgrp_counter - one event and its options
 * @event: PERFGRP_EVENT() of type and config; 0 with PERFGRP_COUNTER_RAW.
 *	(PERFGRP_HW_CPU_CYCLES is 0, too.)
 * @flags: PERFGRP_COUNTER_*
 * @id: out of PERFGRP_ADD and PERFGRP_QUERY: the member's id, 1 or more, never
 *	used again in this group. In: 0.
 * @sample: sample period in events (below 2^63), or frequency in Hz with
 *	PERFGRP_COUNTER_FREQ (at most sysctl kernel.perf_event_max_sample_rate; the
 *	clocks are not held to that, but sample 100,000 times a second at most); 0:
 *	count only, no interrupt. Needs PERFGRP_FEATURE_SAMPLING and a group with a
 *	buffer, without INHERIT. Breakpoints sample on x86 only.
 * @type: raw form: attr.type: one of PERF_TYPE_*, or a PMU's number from
 *	/sys/bus/event_source/devices/PMU/type
 * @precise_ip: 0 to 3, as attr.precise_ip, where the PMU takes it
 * @config: raw form: attr.config
 * @config1: raw form: attr.config1; a breakpoint's address
 * @config2: raw form: attr.config2; a breakpoint's length
 * @config3: raw form: attr.config3 (kernels from 6.3 on)
 * @bp_type: raw form: attr.bp_type, HW_BREAKPOINT_*, for PERF_TYPE_BREAKPOINT
 * @pmu: out of PERFGRP_QUERY: number of the PMU that counts it (on the first CPU
 *	of the group). In: 0.
 * @min_move: a sample, of any member, becomes a record only if a member with
 *	@min_move has counted at least so much since the group's last record on that
 *	CPU (or of that task); 0: this member has no say. Where none has a say every
 *	sample becomes one. Needs a group with a buffer.
 * @reserved: zero
 *
 * Unused fields are zero. In the raw form @event is zero; in the other form
 * @type, @config to @config3 and @bp_type are.
 */
struct perfgrp_counter {
	__aligned_u64 event;
	__u32 flags;
	__u32 id;
	__aligned_u64 sample;
	__u32 type;
	__u32 precise_ip;
	__aligned_u64 config;
	__aligned_u64 config1;
	__aligned_u64 config2;
	__aligned_u64 config3;
	__u32 bp_type;
	__u32 pmu;
	__aligned_u64 min_move;
	__aligned_u64 reserved[2];
};

#define PERFGRP_COUNTER_SIZE_VER0	96

/**
 * struct perfgrp_add - argument of PERFGRP_ADD: add counters, all or none
 * @size: in: sizeof(struct perfgrp_add); at least PERFGRP_ADD_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @counters: in, out: pointer to an array of struct perfgrp_counter
 * @counter_size: in: size of an element; at least PERFGRP_COUNTER_SIZE_VER0
 * @nr_counters: in: number of elements, 1 or more
 * @reserved: in: zero
 *
 * The first counter ever added leads. Adding restarts the whole group from
 * zero, counts and times. Where it fails, the error's member is the index into
 * @counters, and the group counts on as if nothing had been asked.
 *
 * Probes of the kprobe and uprobe PMUs are refused; define them in tracefs and
 * count them as tracepoints.
 *
 * Needs CAP_PERFMON. Errors: EACCES, EINVAL (REASON_EVENT_OPTION,
 * REASON_PMU_FULL, REASON_EVENT_TARGET), ENOENT and EOPNOTSUPP (REASON_EVENT),
 * EOPNOTSUPP (REASON_FEATURE: an INHERIT group has members), EBUSY (a NO_MUX group
 * that does not fit now), ENOSPC (max_members), ESRCH, ENOMEM, EINTR.
 */
struct perfgrp_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 counters;
	__u32 counter_size;
	__u32 nr_counters;
	__aligned_u64 reserved[2];
};

#define PERFGRP_ADD_SIZE_VER0	48

/* Removing the leader removes all members with it. */
#define PERFGRP_REMOVE_CASCADE	(1U << 0)

/**
 * struct perfgrp_remove - argument of PERFGRP_REMOVE
 * @size: in: sizeof(struct perfgrp_remove); at least PERFGRP_REMOVE_SIZE_VER0
 * @flags: in: PERFGRP_REMOVE_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member
 * @reserved: in: zero
 *
 * The other members keep their counts and go on. Errors: ENOENT (no such
 * member); EBUSY (the leader, with members, without PERFGRP_REMOVE_CASCADE; or, in
 * an INHERIT group, the first member of a PMU that counts others); and, where the
 * members of that PMU must be created anew and cannot be, those of PERFGRP_ADD.
 */
struct perfgrp_remove {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 id;
	__u32 reserved;
};

#define PERFGRP_REMOVE_SIZE_VER0	24

/**
 * struct perfgrp_control - argument of PERFGRP_ENABLE, _DISABLE and _RESET
 * @size: in: sizeof(struct perfgrp_control); at least PERFGRP_CONTROL_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @reserved: in: zero
 *
 * All three act on the whole group, may be called at any time and as often as
 * one likes. PERFGRP_RESET sets counts and times of all members to zero and
 * lets a running group run. Errors: EBUSY (PERFGRP_ENABLE of a NO_MUX group
 * that does not fit now; if it was enabled it goes on where there is room), ENOMEM
 * (PERFGRP_RESET), EINTR.
 */
struct perfgrp_control {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 reserved;
};

#define PERFGRP_CONTROL_SIZE_VER0	24

/**
 * struct perfgrp_query - argument of PERFGRP_QUERY: what a group is made of
 * @size: in: sizeof(struct perfgrp_query); at least PERFGRP_QUERY_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @counters: in: pointer to room for @nr_counters elements
 * @counter_size: in: size of an element; at least PERFGRP_COUNTER_SIZE_VER0
 * @nr_counters: in: elements there is room for; out: members, leader first
 * @create_flags: out: PERFGRP_CREATE_* as at creation
 * @target: out: enum perfgrp_target
 * @pid: out: the task's thread id as the caller sees it, 0 where it is gone or
 *	the caller cannot see it
 * @enabled: out: 1 if the group is enabled, by PERFGRP_ENABLE, at creation, or by
 *	its exec; else 0
 * @reserved: in, out: zero
 *
 * With room for none (@nr_counters and @counters 0) EMSGSIZE tells the number.
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
	__u32 enabled;
	__aligned_u64 reserved[2];
};

#define PERFGRP_QUERY_SIZE_VER0	64

/* ---- snapshots ----------------------------------------------------------- */

/**
 * enum perfgrp_state - what a value means
 * @PERFGRP_STATE_NONE: not filled; no value of a snapshot has it
 * @PERFGRP_STATE_COUNTED: counted all the time that the group was enabled
 * @PERFGRP_STATE_MULTIPLEXED: counted some of that time; @scaled is an estimate
 * @PERFGRP_STATE_NEVER_RAN: enabled or not, it was never on the PMU; there is no
 *	value, and the zeros in its place are none
 * @PERFGRP_STATE_FAILED: not counting because the kernel could not keep it (a
 *	NO_MUX group that was thrown off, a counter that could not be made again)
 * @PERFGRP_STATE_OFFLINE: its CPU is offline; the value is what it counted before
 * @PERFGRP_STATE_EXITED: its task has exited, or has run a program that its user
 *	may not watch (setuid); the value is final
 */
enum perfgrp_state {
	PERFGRP_STATE_NONE		= 0,
	PERFGRP_STATE_COUNTED		= 1,
	PERFGRP_STATE_MULTIPLEXED	= 2,
	PERFGRP_STATE_NEVER_RAN		= 3,
	PERFGRP_STATE_FAILED		= 4,
	PERFGRP_STATE_OFFLINE		= 5,
	PERFGRP_STATE_EXITED		= 6,
};

/* scaled holds a value (time_running is not 0). */
#define PERFGRP_VALUE_SCALED	(1U << 0)
/* The true value is above 64 bits; scaled (or raw, in totals) is the largest. */
#define PERFGRP_VALUE_SATURATED	(1U << 1)
/*
 * The member is in the scheduling group of the leader (the leader itself is). Not
 * told of CPUs that are offline.
 */
#define PERFGRP_VALUE_WITH_LEADER	(1U << 2)
/* Totals: not every CPU that was added up has a value. */
#define PERFGRP_VALUE_PARTIAL	(1U << 3)
/* Totals: counts of different PMUs were added up (PERFGRP_SNAPSHOT_MIX_PMUS). */
#define PERFGRP_VALUE_MIXED_PMUS	(1U << 4)
/* The kernel has stopped it until the next tick, for too many overflows. */
#define PERFGRP_VALUE_THROTTLED		(1U << 5)

/**
 * struct perfgrp_value - one member's value in one row
 * @id: the member
 * @state: enum perfgrp_state
 * @flags: PERFGRP_VALUE_*
 * @pmu: number of the PMU that counts it; PERFGRP_NONE where that is not known,
 *	or, in totals over several PMUs, not one
 * @raw: the count while it was on the PMU
 * @scaled: raw * time_enabled / time_running, rounded down
 * @time_enabled: ns that the counter was enabled
 * @time_running: ns that it was on the PMU
 */
struct perfgrp_value {
	__u32 id;
	__u32 state;
	__u32 flags;
	__u32 pmu;
	__aligned_u64 raw;
	__aligned_u64 scaled;
	__aligned_u64 time_enabled;
	__aligned_u64 time_running;
};

#define PERFGRP_VALUE_SIZE_VER0	48

/* The CPU is offline; its values are from before. */
#define PERFGRP_ROW_OFFLINE	(1U << 0)
/* The task has exited; its values are final (PERFGRP_STATE_EXITED). */
#define PERFGRP_ROW_EXITED	(1U << 1)
/* At least one member is PERFGRP_STATE_FAILED. */
#define PERFGRP_ROW_FAILED	(1U << 2)
/* The row is a sum over CPUs. */
#define PERFGRP_ROW_TOTAL	(1U << 3)

/**
 * struct perfgrp_row - one CPU, one task, or one sum over CPUs
 * @cpu: the CPU; -1 for a task that is counted on all CPUs, and for totals
 * @flags: PERFGRP_ROW_*
 * @first_value: index of the row's first value; its members follow in the order
 *	in which they were added, leader first
 * @nr_values: number of its values
 * @epoch: how often the CPU has come back; two rows of one CPU with different
 *	epochs have a gap between them, which is not in time_enabled
 * @nr_cpus: CPUs that the row stands for
 * @time_before: CLOCK_MONOTONIC in ns just before the row's first read
 * @time_after: the same just after its last read
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
};

#define PERFGRP_ROW_SIZE_VER0	40

/*
 * Sums over CPUs in place of a row a CPU. CPUs whose members are counted by the
 * same PMUs make one row; a machine with one kind of CPU has one.
 */
#define PERFGRP_SNAPSHOT_TOTALS		(1U << 0)
/* With TOTALS: one row, even over CPUs with different PMUs. */
#define PERFGRP_SNAPSHOT_MIX_PMUS	(1U << 1)
/* Set all counts and times to zero in the same step; no event is lost. */
#define PERFGRP_SNAPSHOT_RESET		(1U << 2)

/**
 * struct perfgrp_snapshot - argument of PERFGRP_SNAPSHOT: read the whole group
 * @size: in: sizeof(struct perfgrp_snapshot); at least PERFGRP_SNAPSHOT_SIZE_VER0
 * @flags: in: PERFGRP_SNAPSHOT_*
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @rows: in: pointer to room for @nr_rows elements
 * @values: in: pointer to room for @nr_values elements
 * @row_size: in: size of a struct perfgrp_row; at least PERFGRP_ROW_SIZE_VER0
 * @nr_rows: in: rows there is room for; out: rows
 * @value_size: in: size of a struct perfgrp_value; at least
 *	PERFGRP_VALUE_SIZE_VER0
 * @nr_values: in: values there is room for; out: values
 * @time_before: out: the earliest time_before of any CPU's read
 * @time_after: out: the latest time_after of any CPU's read
 * @reserved: in, out: zero
 *
 * Each CPU reads all its members with interrupts off, and all CPUs do so in
 * parallel. (INHERIT groups are read one member after the other.) Counts and times
 * of one row belong to one moment, between its time_before and time_after. Where an
 * array is too small the call fails with
 * EMSGSIZE, both counts hold the numbers needed, and nothing is written to
 * either array (nor is anything reset). A group without members has rows
 * without values.
 *
 * A row never goes backwards from one snapshot to the next except by
 * PERFGRP_RESET, PERFGRP_SNAPSHOT_RESET and PERFGRP_ADD (its scaled values, being
 * estimates, can).
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
	__aligned_u64 reserved[2];
};

#define PERFGRP_SNAPSHOT_SIZE_VER0	80

/* ---- records ------------------------------------------------------------- */

/*
 * read(2) on a group with a buffer gives records, whole ones only, as perf defines
 * them: each begins with a struct perf_event_header, and is laid out as a
 * perf_event_attr with
 *
 *	sample_type	PERFGRP_SAMPLE_TYPE
 *	read_format	PERFGRP_READ_FORMAT
 *	sample_id_all	1
 *
 * would have it:
 *
 *	PERF_RECORD_SAMPLE	u64 ip; u32 pid, tid; u64 time; u64 id; u32 cpu, res;
 *				u64 period; u64 nr, time_enabled, time_running;
 *				struct { u64 value, id; } values[nr];
 *	PERF_RECORD_THROTTLE	u64 time, id, stream_id; and the trailer
 *	PERF_RECORD_UNTHROTTLE	the same
 *	PERF_RECORD_LOST	u64 id, lost; and the trailer
 *	PERF_RECORD_BPF_EVENT	u16 type, flags; u32 prog_id; u8 tag[8]; and the
 *				trailer
 *	the trailer		u32 pid, tid; u64 time; u64 id; u32 cpu, res;
 *
 * id is the member whose counter overflowed, and values holds all members, leader
 * first, as a snapshot at that moment would have had them: raw, since the last
 * reset. time_enabled and time_running are the member's that overflowed. Where the
 * overflow interrupts the kernel as an NMI, members that another PMU counts show
 * what they had when the kernel last looked at them. ip is 0 where the member
 * excludes the kernel and the interrupt came so late that it hit it. pid and tid are
 * as the group's creator saw them, time is the clock of perf_event_open(2) with
 * use_clockid off.
 *
 * UNTHROTTLE comes with the counter's first overflow after it was let go on. LOST
 * stands where records were dropped, of all counters on that CPU; its id is 0, its
 * pid and tid are -1.
 *
 * BPF_EVENT tells of BPF programs. The type of what PERFGRP_CREATE_BPF_EVENTS asks for
 * is PERF_BPF_EVENT_PROG_LOAD or _UNLOAD, and its trailer's id is 0. PERFGRP_BPF_ATTACH,
 * _REPLACE and _DETACH leave one with a PERFGRP_BPF_EVENT_* type in the stream of any
 * group with a buffer, with the member as the trailer's id; prog_id and tag are those
 * of the program that is there from now on, or, with DETACH, that was.
 *
 * Records of one CPU come in the order of their times. Records of several CPUs do
 * as far as they are there when read(2) looks: one that is still being written
 * then can come after a later one of another CPU.
 *
 * read(2) takes what there is, and waits only where there is nothing: errors are
 * EAGAIN (O_NONBLOCK, nothing there), EINTR, EINVAL (no buffer), EMSGSIZE (the
 * first record is longer than the room; it stays), EFAULT (it stays). 0 means that
 * the task has exited and all has been read. poll(2) says POLLIN when as many
 * records wait as asked for at creation, and POLLHUP when the task has exited. Of
 * several readers each gets other records.
 */
#define PERFGRP_SAMPLE_TYPE	0x1d7U	/* IP TID TIME READ ID CPU PERIOD */
#define PERFGRP_READ_FORMAT	0xfU	/* TOTAL_TIME_ENABLED, _RUNNING, ID, GROUP */

/*
 * Types of PERF_RECORD_BPF_EVENT beside perf's own. ATTACH and REPLACE come before
 * the first run of the new program, DETACH after the last run of the old one.
 */
#define PERFGRP_BPF_EVENT_ATTACH	0x8000U
#define PERFGRP_BPF_EVENT_REPLACE	0x8001U
#define PERFGRP_BPF_EVENT_DETACH	0x8002U

/**
 * struct perfgrp_period - argument of PERFGRP_PERIOD: change how often a member samples
 * @size: in: sizeof(struct perfgrp_period); at least PERFGRP_PERIOD_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @sample: in: the new period in events, or frequency in Hz, whichever the member
 *	was added with
 * @id: in: the member
 * @reserved: in: zero
 *
 * On all CPUs, or on none, at any time. Errors: ENOENT (no such member), EINVAL (it
 * does not sample, or @sample is 0 or out of range).
 */
struct perfgrp_period {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 sample;
	__u32 id;
	__u32 reserved;
};

#define PERFGRP_PERIOD_SIZE_VER0	32

/**
 * struct perfgrp_stream - argument of PERFGRP_STREAM: what became of the records
 * @size: in: sizeof(struct perfgrp_stream); at least PERFGRP_STREAM_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @produced: out: samples, and records of throttling and of BPF programs, that were to
 *	become records
 * @read: out: those that were read
 * @lost: out: those that found no room, or made room for newer ones
 * @filtered: out: samples that were not to become records (min_move, or a BPF program
 *	that returned 0 or could not run)
 * @buffer_size: out: bytes for records a CPU
 * @reserved: in, out: zero
 *
 * What is produced and neither read nor lost is in the buffer. (A record that
 * PERFGRP_CREATE_OVERWRITE has overwritten is lost from when a reader finds it gone.)
 * LOST records are not counted. Errors: EINVAL (the group has no buffer).
 */
struct perfgrp_stream {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 produced;
	__aligned_u64 read;
	__aligned_u64 lost;
	__aligned_u64 filtered;
	__u32 buffer_size;
	__u32 reserved[3];
};

#define PERFGRP_STREAM_SIZE_VER0	64

/* ---- BPF ------------------------------------------------------------------ */

/* Measure how long the program runs, also while sysctl kernel.bpf_stats_enabled is 0. */
#define PERFGRP_BPF_TIMED	(1U << 0)

/**
 * struct perfgrp_bpf - argument of PERFGRP_BPF_ATTACH, _REPLACE and _DETACH
 * @size: in: sizeof(struct perfgrp_bpf); at least PERFGRP_BPF_SIZE_VER0
 * @flags: in: PERFGRP_BPF_* (ATTACH, REPLACE); 0 (DETACH)
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member, one that samples
 * @prog_fd: in: a program of type BPF_PROG_TYPE_PERF_EVENT (ATTACH, REPLACE); 0 (DETACH)
 * @cookie: in: what bpf_get_attach_cookie() is to return (ATTACH, REPLACE); 0 (DETACH)
 * @prog_id: in: id of the program that the caller thinks is attached, 0 for whichever
 *	is (REPLACE, DETACH); 0 (ATTACH)
 * @reserved: in: zero
 *
 * The program runs at each of the member's overflows, on all CPUs of the group, before
 * the sample is recorded, in the context of the overflow: an NMI where the PMU has it.
 * Returning 0 drops the sample (PERFGRP_STREAM counts it as filtered); any other value
 * lets it go on. It sees what it would see under PERF_EVENT_IOC_SET_BPF: registers,
 * sample_period, addr, stacks, its counter by bpf_perf_prog_read_value() (as that CPU's
 * perf event has it, whatever was reset). What it reaches with bpf_cast_to_kern_ctx()
 * beyond that is undefined.
 *
 * While a program runs on a CPU no other does, whatever overflows meanwhile; nor does one
 * run in an NMI where its maps' locks may be held by what the NMI has interrupted. The
 * sample is then dropped, and counted as a miss; see &struct perfgrp_bpf_query. Where a
 * map is never safe the program is refused: one that allocates (LPM trie; before 6.4 task
 * storage) where the counter is not one of software, or counts in the scheduler; one with
 * a lock on a tracepoint, or, where it would be waited for, with precise_ip; and any whose
 * type the module does not know.
 *
 * A member has one program at most. REPLACE puts another in its place, with flags,
 * cookie and statistics of its own: every overflow is seen by the one or the other.
 * After DETACH the member counts and samples on, and after DETACH and REPLACE the old
 * program does not run again here and is no longer held.
 *
 * ATTACH and REPLACE need CAP_PERFMON, DETACH nothing but the group's fd. Errors: EACCES;
 * ENOENT (no such member, or, for REPLACE and DETACH, no program there); EBADF (@prog_fd
 * is closed); EINVAL (@prog_fd is none of a BPF program, or of another type; the member
 * does not sample); EEXIST (ATTACH: it has a program); ESTALE (@prog_id is not the program
 * that is there); EPROTO (the program asks for stacks, and the member's precise_ip is not
 * 0); EOPNOTSUPP (PERFGRP_REASON_BPF_MAP; PERFGRP_REASON_FEATURE: a kernel without BPF
 * programs for counters; PERFGRP_REASON_RESERVED: a field that is not used is not 0);
 * ENOMEM; EINTR.
 */
struct perfgrp_bpf {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__u32 id;
	__s32 prog_fd;
	__aligned_u64 cookie;
	__u32 prog_id;
	__u32 reserved[5];
};

#define PERFGRP_BPF_SIZE_VER0	56

/**
 * struct perfgrp_bpf_query - argument of PERFGRP_BPF_QUERY: what is attached to a member
 * @size: in: sizeof(struct perfgrp_bpf_query); at least PERFGRP_BPF_QUERY_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @id: in: the member
 * @prog_id: out: the program's id, as BPF_PROG_GET_FD_BY_ID takes it
 * @tag: out: the program's tag
 * @cookie: out: as attached
 * @runs: out: how often the program has run here
 * @nsecs: out: how long, in ns, of the runs that were measured: those while
 *	sysctl kernel.bpf_stats_enabled was 1, or all with PERFGRP_BPF_TIMED
 * @misses: out: overflows at which it could not run
 * @dropped: out: runs that returned 0
 * @attach_flags: out: PERFGRP_BPF_* as attached
 * @reserved: in, out: zero
 *
 * Needs nothing but the group's fd. Each overflow of the member since the program was
 * attached is a run or a miss.
 * Errors: ENOENT (no such member; PERFGRP_REASON_BPF_NONE: nothing is attached), EINTR.
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
	__u32 reserved[3];
};

#define PERFGRP_BPF_QUERY_SIZE_VER0	88

/**
 * struct perfgrp_bpf_handle - argument of PERFGRP_BPF_HANDLE: name a group to BPF programs
 * @size: in: sizeof(struct perfgrp_bpf_handle); at least PERFGRP_BPF_HANDLE_SIZE_VER0
 * @flags: in: 0
 * @error: in: pointer to a struct perfgrp_error, or 0
 * @handle: out: what the kfunc bpf_perfgrp_read() knows the group by, never 0, and
 *	never used again for another group; the same each time it is asked for
 * @reserved: in, out: zero
 *
 * The kfunc reads the group's members on the CPU that it is called on:
 *
 *	int bpf_perfgrp_read(u64 handle, struct perfgrp_value *values, u32 values__sz,
 *			     u32 value_size, u64 flags) __ksym;
 *
 * values__sz is the size of all values, value_size that of one, at least
 * PERFGRP_VALUE_SIZE_VER0, in bytes; flags are 0. It returns the number of members, and
 * fills as many values, leader first; or returns -ENOENT (the group is gone), -ENODATA
 * (it does not count here: on this CPU, or, of a task, now), -EMSGSIZE (values__sz is
 * too small for all), -EINVAL (value_size, flags). Each value is as a snapshot would
 * have it, but that it speaks for itself: neither NO_MUX nor the end of the task fails
 * the others. Members that another PMU than the CPU's own counts show what they had
 * when the kernel last looked at them.
 *
 * For programs of type tracing, and from 6.12 on of types tracepoint and perf_event.
 * While one that uses it is loaded the module cannot be unloaded.
 *
 * Needs CAP_PERFMON. Errors: EACCES, EOPNOTSUPP (PERFGRP_FEATURE_KFUNC is missing, or the
 * group is inherited), ENOMEM, EINTR.
 */
struct perfgrp_bpf_handle {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
	__aligned_u64 handle;
	__aligned_u64 reserved;
};

#define PERFGRP_BPF_HANDLE_SIZE_VER0	32

#endif /* _UAPI_LINUX_PERFGRP_H */
