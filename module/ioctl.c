// SPDX-License-Identifier: GPL-2.0
/*
 * Ioctls: the code that all of them share.
 *
 * perfgrp_ioctl() looks up the row, copies and checks the argument (size, tail, flags,
 * reserved fields), takes the group's lock as the row says, calls the row's functions, and
 * copies the result and the error out. The functions see a plain kernel struct.
 *
 * User space can make a page fault take arbitrarily long (FUSE, userfaultfd), and a reader's fd
 * suffices for a call. So page faults are disabled while the group's lock is held.
 *
 * Process context.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/pagemap.h>
#include <linux/rwsem.h>
#include <linux/uaccess.h>

#include "error.h"
#include "group.h"
#include "ioctl.h"
#include "mapped.h"
#include "usercopy.h"

/* What all argument structs begin with. */
struct head {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
};

#define CHECK_STRUCT(type, bytes)                                                                  \
	static_assert(offsetof(struct type, size) == offsetof(struct head, size));                 \
	static_assert(offsetof(struct type, flags) == offsetof(struct head, flags));               \
	static_assert(offsetof(struct type, error) == offsetof(struct head, error));               \
	static_assert(sizeof(struct type) == (bytes))

/* When a struct grows, its line gets the constant of the new size. */
CHECK_STRUCT(perfgrp_info, PERFGRP_INFO_SIZE_VER0);
CHECK_STRUCT(perfgrp_create, PERFGRP_CREATE_SIZE_VER3);
CHECK_STRUCT(perfgrp_add, PERFGRP_ADD_SIZE_VER0);
CHECK_STRUCT(perfgrp_remove, PERFGRP_REMOVE_SIZE_VER0);
CHECK_STRUCT(perfgrp_control, PERFGRP_CONTROL_SIZE_VER0);
CHECK_STRUCT(perfgrp_query, PERFGRP_QUERY_SIZE_VER1);
CHECK_STRUCT(perfgrp_reader, PERFGRP_READER_SIZE_VER0);
CHECK_STRUCT(perfgrp_snapshot, PERFGRP_SNAPSHOT_SIZE_VER1);
CHECK_STRUCT(perfgrp_period, PERFGRP_PERIOD_SIZE_VER0);
CHECK_STRUCT(perfgrp_stream_stats, PERFGRP_STREAM_STATS_SIZE_VER1);
CHECK_STRUCT(perfgrp_bpf_attach, PERFGRP_BPF_ATTACH_SIZE_VER0);
CHECK_STRUCT(perfgrp_bpf_detach, PERFGRP_BPF_DETACH_SIZE_VER0);
CHECK_STRUCT(perfgrp_bpf_query, PERFGRP_BPF_QUERY_SIZE_VER0);
CHECK_STRUCT(perfgrp_bpf_handle, PERFGRP_BPF_HANDLE_SIZE_VER0);
static_assert(sizeof(struct perfgrp_error) == PERFGRP_ERROR_SIZE_VER0);
static_assert(sizeof(struct perfgrp_counter) == PERFGRP_COUNTER_SIZE_VER0);
static_assert(sizeof(struct perfgrp_row) == PERFGRP_ROW_SIZE_VER1);
static_assert(sizeof(struct perfgrp_value) == PERFGRP_VALUE_SIZE_VER0);

/* ---- errors -------------------------------------------------------------- */

/* An error struct that cannot be written does not change the outcome of the call. */
static void write_error(u64 pointer, struct perfgrp_error *err, int ret)
{
	struct perfgrp_error __user *user = u64_to_user_ptr(pointer);
	u32 size;

	if (!pointer || get_user(size, &user->size) || size < PERFGRP_ERROR_SIZE_VER0)
		return;
	if (err->error != -ret)
		perfgrp_fail(err, ret, PERFGRP_REASON_NONE, "", "errno %d", -ret);
	err->size = size;
	if (copy_to_user(user, err, min_t(size_t, size, sizeof(*err))))
		return;
}

/* ---- the argument -------------------------------------------------------- */

/* A struct is at most a page long: if its first and last words are writable, all of it is. */
static bool can_write(const struct perfgrp_call *call, void __user *user, u32 size)
{
	const u32 *words = (const void *)&call->arg;
	u32 last = size / sizeof(u32) - 1;
	u32 __user *to = user;

	return !put_user(words[0], to) && !put_user(words[last], to + last);
}

static int read_argument(const struct perfgrp_ioctl *ioctl, struct perfgrp_call *call,
			 const struct file *file, void __user *user, u32 size)
{
	struct head *head = (struct head *)&call->arg;
	int ret;

	if (size < ioctl->min_size)
		return perfgrp_fail(&call->err, -EINVAL, PERFGRP_REASON_SIZE, "size",
				    "%s: size is %u, at least %u is needed", ioctl->name, size,
				    ioctl->min_size);
	if (size > PAGE_SIZE) {
		put_user(ioctl->size, (u32 __user *)user);
		return perfgrp_fail(&call->err, -E2BIG, PERFGRP_REASON_SIZE, "size",
				    "%s: size is %u; this module knows %u bytes and accepts at most a page",
				    ioctl->name, size, ioctl->size);
	}
	ret = perfgrp_copy_arg_from_user(&call->arg, ioctl->size, user, size);
	if (ret == -E2BIG) {
		put_user(ioctl->size, (u32 __user *)user);
		return perfgrp_fail(&call->err, ret, PERFGRP_REASON_TAIL, "size",
				    "%s: size is %u, but this module knows only %u bytes and the rest is not zero",
				    ioctl->name, size, ioctl->size);
	}
	if (ret)
		return perfgrp_fail(&call->err, ret, PERFGRP_REASON_POINTER, "",
				    "%s: the argument cannot be read", ioctl->name);
	/* User space may have changed it since get_user() in perfgrp_ioctl(). */
	head->size = size;

	if (head->flags & ~ioctl->flags)
		return perfgrp_fail(&call->err, -EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags",
				    "%s: unknown flags %#x", ioctl->name,
				    head->flags & ~ioctl->flags);
	if (ioctl->reserved && *(u32 *)((void *)&call->arg + ioctl->reserved))
		return perfgrp_fail(&call->err, -EOPNOTSUPP, PERFGRP_REASON_RESERVED, "reserved",
				    "%s: a reserved field is not zero", ioctl->name);
	if (head->flags & ioctl->change_flags && !(file->f_mode & FMODE_WRITE))
		return perfgrp_fail(&call->err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "%s: flags %#x change the group, and this fd is read-only",
				    ioctl->name, head->flags & ioctl->change_flags);
	/* Checked before anything is done, so that the result can be reported. */
	if (ioctl->out && !can_write(call, user, min_t(u32, size, ioctl->size)))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "",
				    "%s: the argument cannot be written", ioctl->name);
	return 0;
}

/**
 * perfgrp_ioctl_write_argument - write the argument back
 * @call: the call
 *
 * For an fn or finish that changes something only once the caller has the result. For all others
 * perfgrp_ioctl() does it at the end.
 *
 * Return: 0 or -EFAULT.
 */
int perfgrp_ioctl_write_argument(struct perfgrp_call *call)
{
	if (perfgrp_copy_arg_to_user(call->user, &call->arg, call->user_size))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "",
				    "the argument cannot be written");
	call->written = true;
	return 0;
}

/**
 * perfgrp_ioctl_check_element_size - check the size of an array's elements
 * @size: as the caller knows it
 * @min_size: in version 1
 * @field: name of the field that holds @size
 * @err: filled in on failure
 *
 * Return: 0, -EINVAL or -E2BIG.
 */
int perfgrp_ioctl_check_element_size(u32 size, size_t min_size, const char *field,
				     struct perfgrp_error *err)
{
	if (size < min_size)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_SIZE, field,
				    "%s is %u, at least %zu is needed", field, size, min_size);
	if (size > PAGE_SIZE)
		return perfgrp_fail(err, -E2BIG, PERFGRP_REASON_SIZE, field,
				    "%s is %u, at most a page (%lu) is accepted", field, size,
				    PAGE_SIZE);
	return 0;
}

/* ---- new files ----------------------------------------------------------- */

/**
 * perfgrp_ioctl_reserve_fd - reserve a number for the file that a call returns
 * @call: the call
 *
 * It is released if the call fails.
 *
 * Return: 0, -EMFILE or -ENOMEM.
 */
int perfgrp_ioctl_reserve_fd(struct perfgrp_call *call)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd == -ENOMEM)
		return perfgrp_fail_memory(&call->err);
	if (fd < 0)
		return perfgrp_fail(&call->err, fd, PERFGRP_REASON_LIMIT, "fd",
				    "no free file descriptor (RLIMIT_NOFILE)");
	call->new_fd = fd;
	return 0;
}

/**
 * perfgrp_ioctl_set_file - set the file that a call returns
 * @call: the call; perfgrp_ioctl_reserve_fd() has succeeded
 * @file: the file, or an ERR_PTR()
 *
 * Return: 0, or the negative errno of @file.
 */
int perfgrp_ioctl_set_file(struct perfgrp_call *call, struct file *file)
{
	if (PTR_ERR(file) == -ENOMEM)
		return perfgrp_fail_memory(&call->err);
	if (IS_ERR(file))
		return perfgrp_fail(&call->err, PTR_ERR(file), PERFGRP_REASON_LIMIT, "fd",
				    "cannot allocate a file (sysctl fs.file-max)");
	call->new_file = file;
	return 0;
}

static void install_file(struct perfgrp_call *call, int ret)
{
	if (call->new_fd < 0)
		return;
	if (!ret) {
		fd_install(call->new_fd, call->new_file);
		return;
	}
	put_unused_fd(call->new_fd);
	if (call->new_file)
		fput(call->new_file);
}

/* ---- one ioctl ----------------------------------------------------------- */

/*
 * How often to retry when user memory was faulted in but is not present once the lock is held. That
 * happens if the caller unmaps it, or if memory is very short.
 */
#define MAX_FAULTS 16

/* With page faults disabled; see the top of this file. */
static int run_with_lock(const struct perfgrp_ioctl *ioctl, struct perfgrp_group *group,
			 struct perfgrp_call *call)
{
	int ret;

	pagefault_disable();
	ret = ioctl->fn(group, call);
	pagefault_enable();
	return ret;
}

static int run_locked(const struct perfgrp_ioctl *ioctl, struct perfgrp_group *group,
		      struct perfgrp_call *call)
{
	const struct head *head = (struct head *)&call->arg;
	int ret;

	if (ioctl->lock == PERFGRP_UNLOCKED)
		return ioctl->fn(group, call);

	if (ioctl->lock == PERFGRP_WRITE_LOCKED || head->flags & ioctl->change_flags) {
		if (down_write_killable(&group->lock))
			goto interrupted;
		ret = run_with_lock(ioctl, group, call);
		perfgrp_mapped_refresh(group);
		up_write(&group->lock);
	} else {
		if (!down_read_trylock(&group->lock) && down_read_killable(&group->lock))
			goto interrupted;
		ret = run_with_lock(ioctl, group, call);
		up_read(&group->lock);
	}
	return ret;
interrupted:
	return perfgrp_fail(&call->err, -EINTR, PERFGRP_REASON_NONE, "", "interrupted");
}

/* Repeat until the user memory that fn writes is present, or cannot be faulted in. */
static int run_faulting_in(const struct perfgrp_ioctl *ioctl, struct perfgrp_group *group,
			   struct perfgrp_call *call)
{
	unsigned int faults = 0;
	int ret;

	while ((ret = run_locked(ioctl, group, call)) == -EFAULT && call->faulted) {
		call->faulted = false;
		if (++faults > MAX_FAULTS || ioctl->fault_in(group, call))
			break;
	}
	return ret;
}

static int run_ioctl(const struct perfgrp_ioctl *ioctl, struct perfgrp_group *group,
		     struct perfgrp_call *call)
{
	int ret = 0;

	if (ioctl->changes && !(call->file->f_mode & FMODE_WRITE))
		return perfgrp_fail(&call->err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				    "%s changes the group, and this fd is read-only", ioctl->name);
	if (ioctl->prepare)
		ret = ioctl->prepare(group, call);
	if (ret)
		return ret;
	ret = run_faulting_in(ioctl, group, call);
	/* finish() may fault in user memory. */
	if (group)
		lockdep_assert_not_held(&group->lock);
	if (ioctl->finish)
		ret = ioctl->finish(group, call, ret);
	return ret;
}

/* Only what neither perfgrp_fail() nor read_argument() fills in: see perfgrp_ioctl(). */
static void init_call(struct perfgrp_call *call, struct file *file)
{
	call->err.size = sizeof(call->err);
	call->err.error = 0;
	call->err.member = PERFGRP_NONE;
	call->err.cpu = -1;
	call->out_on_error = false;
	call->faulted = false;
	call->written = false;
	call->file = file;
	call->new_file = NULL;
	call->new_fd = -1;
}

/**
 * perfgrp_ioctl - do one ioctl
 * @file: the file
 * @group: the file's group; NULL for the device
 * @cmd: as passed by the user
 * @arg: as passed by the user
 * @table: the ioctls of this kind of file
 * @first: the number of the table's first row
 * @nr: number of rows in the table
 *
 * Return: 0 or a negative errno.
 */
long perfgrp_ioctl(struct file *file, struct perfgrp_group *group, unsigned int cmd,
		   unsigned long arg, const struct perfgrp_ioctl *table, unsigned int first,
		   unsigned int nr)
{
	struct head __user *user = (struct head __user *)arg;
	unsigned int index = _IOC_NR(cmd) - first;
	const struct perfgrp_ioctl *ioctl;
	/* Zeroing it would be 112 of the 2,140 instructions of the smallest snapshot. */
	struct perfgrp_call call __uninitialized;
	u64 error = 0;
	u32 size;
	int ret;

	if (cmd != _IO(PERFGRP_IOC_TYPE, _IOC_NR(cmd)) || index >= nr)
		return -ENOTTY;
	ioctl = &table[array_index_nospec(index, nr)];
	if (!ioctl->fn)
		return -ENOTTY;

	init_call(&call, file);
	call.user = user;
	if (get_user(size, &user->size))
		return -EFAULT;
	if (size >= sizeof(*user) && get_user(error, &user->error))
		return -EFAULT;

	call.user_size = min_t(u32, size, ioctl->size);
	ret = read_argument(ioctl, &call, file, user, size);
	if (!ret)
		ret = run_ioctl(ioctl, group, &call);
	if (ret ? call.out_on_error : ioctl->out && !call.written) {
		int written = perfgrp_ioctl_write_argument(&call);

		/* Do not return EMSGSIZE if the counts that belong to it cannot be written. */
		ret = written ?: ret;
	}
	install_file(&call, ret);
	if (ret)
		write_error(error, &call.err, ret);
	return ret;
}

/**
 * perfgrp_ioctl_fault_in - make user memory present for writing
 * @pointer: as passed by the user
 * @size: bytes
 *
 * Waits for page faults, so no lock is held. The memory may cease to be present at any time.
 *
 * Return: 0 or -EFAULT.
 */
int perfgrp_ioctl_fault_in(u64 pointer, size_t size)
{
	return fault_in_safe_writeable(u64_to_user_ptr(pointer), size) ? -EFAULT : 0;
}
