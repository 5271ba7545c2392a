/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ioctls: the tables for each kind of file descriptor.
 */
#ifndef PERFGRP_IOCTL_H
#define PERFGRP_IOCTL_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

#include "snapshot.h"

struct file;
struct perfgrp_call;
struct perfgrp_group;

/**
 * enum perfgrp_ioctl_lock - how perfgrp_group.lock is held while an ioctl's fn runs
 * @PERFGRP_UNLOCKED: not held
 * @PERFGRP_READ_LOCKED: for reading
 * @PERFGRP_WRITE_LOCKED: for writing
 */
enum perfgrp_ioctl_lock {
	PERFGRP_UNLOCKED,
	PERFGRP_READ_LOCKED,
	PERFGRP_WRITE_LOCKED,
};

/**
 * struct perfgrp_ioctl - one row of an ioctl table
 * @name: as users know it, for error texts
 * @size: of the argument struct
 * @min_size: of version 1's struct
 * @reserved: offset of a __u32 that must be zero; 0 if there is none
 * @flags: known flags
 * @change_flags: flags with which the ioctl changes the group: they need a writable fd, and the
 *	lock for writing
 * @changes: the ioctl changes the group: refused on a read-only fd
 * @out: the argument is written back on success
 * @lock: how the group's lock is held while @fn runs
 * @prepare: reads user memory and allocates, before the lock is taken; or NULL
 * @fn: does the work. Page faults are disabled while the lock is held: if @fn cannot write user
 *	memory because it is not present, @fn undoes what it did, sets perfgrp_call.faulted and
 *	returns -EFAULT.
 * @fault_in: faults in the user memory that @fn writes, without the lock, before @fn runs again;
 *	or NULL
 * @finish: writes user memory and frees, after the lock is dropped; also called if @fn failed, but
 *	not if @prepare did; or NULL
 *
 * All return 0 or a negative errno; @finish gets what @fn returned. For the device the group is
 * NULL.
 */
struct perfgrp_ioctl {
	const char *name;
	u16 size;
	u16 min_size;
	u16 reserved;
	u32 flags;
	u32 change_flags;
	bool changes;
	bool out;
	enum perfgrp_ioctl_lock lock;
	int (*prepare)(struct perfgrp_group *group, struct perfgrp_call *call);
	int (*fn)(struct perfgrp_group *group, struct perfgrp_call *call);
	int (*fault_in)(struct perfgrp_group *group, struct perfgrp_call *call);
	int (*finish)(struct perfgrp_group *group, struct perfgrp_call *call, int ret);
};

/* A row: the ioctl, its argument struct and the prefix of that struct's constants. */
#define PERFGRP_IOCTL(cmd, type, prefix)                                                           \
	.name = #cmd, .size = sizeof(struct type), .min_size = prefix##_SIZE_VER0

/* The struct's reserved field. */
#define PERFGRP_IOCTL_RESERVED(type) .reserved = offsetof(struct type, reserved)

struct perfgrp_attachment;

/**
 * struct perfgrp_call - an ioctl in progress
 * @err: why it fails
 * @out_on_error: write the argument back although the call failed (EMSGSIZE)
 * @faulted: perfgrp_ioctl.fn found that user memory is not present
 * @written: the argument has been written back
 * @user: the caller's argument
 * @user_size: bytes of it to write back
 * @file: the file on which the ioctl is called
 * @new_file: a new file, installed as @new_fd once all else has succeeded
 * @new_fd: its reserved number
 * @descs: PERFGRP_ADD, _QUERY: the kernel's copy of the array of counters
 * @attachment: PERFGRP_BPF_ATTACH, _REPLACE: the program, and then the one it replaced;
 *	PERFGRP_BPF_DETACH, PERFGRP_REMOVE: what was detached
 * @snap: PERFGRP_SNAPSHOT: what was read
 * @arg: the caller's struct; size, flags and reserved fields are checked
 */
struct perfgrp_call {
	struct perfgrp_error err;
	bool out_on_error;
	bool faulted;
	bool written;
	void __user *user;
	u32 user_size;
	struct file *file;
	struct file *new_file;
	int new_fd;
	union {
		struct perfgrp_counter *descs;
		struct perfgrp_attachment *attachment;
		struct perfgrp_snap snap;
	};
	union {
		struct perfgrp_info info;
		struct perfgrp_create create;
		struct perfgrp_add add;
		struct perfgrp_remove remove;
		struct perfgrp_control control;
		struct perfgrp_query query;
		struct perfgrp_reader reader;
		struct perfgrp_snapshot snapshot;
		struct perfgrp_period period;
		struct perfgrp_stream_stats stream_stats;
		struct perfgrp_bpf_attach bpf_attach;
		struct perfgrp_bpf_detach bpf_detach;
		struct perfgrp_bpf_query bpf_query;
		struct perfgrp_bpf_handle bpf_handle;
	} arg;
};

long perfgrp_ioctl(struct file *file, struct perfgrp_group *group, unsigned int cmd,
		   unsigned long arg, const struct perfgrp_ioctl *table, unsigned int first,
		   unsigned int nr);
int perfgrp_ioctl_reserve_fd(struct perfgrp_call *call);
int perfgrp_ioctl_set_file(struct perfgrp_call *call, struct file *file);
int perfgrp_ioctl_write_argument(struct perfgrp_call *call);
int perfgrp_ioctl_check_element_size(u32 size, size_t min_size, const char *field,
				     struct perfgrp_error *err);
int perfgrp_ioctl_fault_in(u64 pointer, size_t size);

#endif /* PERFGRP_IOCTL_H */
