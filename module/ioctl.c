// SPDX-License-Identifier: GPL-2.0
/*
 * Ioctls: the way in and out that all of them share.
 *
 * The argument is copied and checked here (size, tail, flags, reserved fields),
 * from a row of a table; the functions behind it see a plain struct. Errors leave
 * here too, with their reason.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "perfgrp.h"

/* What all argument structs begin with. */
struct head {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
};

#define HEAD_LIKE(type)                                                                            \
	(offsetof(struct type, size) == offsetof(struct head, size) &&                             \
	 offsetof(struct type, flags) == offsetof(struct head, flags) &&                           \
	 offsetof(struct type, error) == offsetof(struct head, error))

static_assert(HEAD_LIKE(perfgrp_info) && HEAD_LIKE(perfgrp_create) && HEAD_LIKE(perfgrp_add) &&
	      HEAD_LIKE(perfgrp_remove) && HEAD_LIKE(perfgrp_control) && HEAD_LIKE(perfgrp_query) &&
	      HEAD_LIKE(perfgrp_snapshot) && HEAD_LIKE(perfgrp_period) &&
	      HEAD_LIKE(perfgrp_stream) && HEAD_LIKE(perfgrp_bpf) && HEAD_LIKE(perfgrp_bpf_query) &&
	      HEAD_LIKE(perfgrp_bpf_handle));

/* Released sizes never change. */
static_assert(sizeof(struct perfgrp_error) == 256);
static_assert(sizeof(struct perfgrp_info) == PERFGRP_INFO_SIZE_VER0);
static_assert(sizeof(struct perfgrp_create) == PERFGRP_CREATE_SIZE_VER0);
static_assert(sizeof(struct perfgrp_counter) == PERFGRP_COUNTER_SIZE_VER0);
static_assert(sizeof(struct perfgrp_add) == PERFGRP_ADD_SIZE_VER0);
static_assert(sizeof(struct perfgrp_remove) == PERFGRP_REMOVE_SIZE_VER0);
static_assert(sizeof(struct perfgrp_control) == PERFGRP_CONTROL_SIZE_VER0);
static_assert(sizeof(struct perfgrp_query) == PERFGRP_QUERY_SIZE_VER0);
static_assert(sizeof(struct perfgrp_snapshot) == PERFGRP_SNAPSHOT_SIZE_VER0);
static_assert(sizeof(struct perfgrp_period) == PERFGRP_PERIOD_SIZE_VER0);
static_assert(sizeof(struct perfgrp_stream) == PERFGRP_STREAM_SIZE_VER0);
static_assert(sizeof(struct perfgrp_bpf) == PERFGRP_BPF_SIZE_VER0);
static_assert(sizeof(struct perfgrp_bpf_query) == PERFGRP_BPF_QUERY_SIZE_VER0);
static_assert(sizeof(struct perfgrp_bpf_handle) == PERFGRP_BPF_HANDLE_SIZE_VER0);
static_assert(sizeof(struct perfgrp_row) == PERFGRP_ROW_SIZE_VER0);
static_assert(sizeof(struct perfgrp_value) == PERFGRP_VALUE_SIZE_VER0);

/**
 * perfgrp_fail - note why a call fails
 * @err: where; its member and cpu are the caller's to set
 * @ret: a negative errno
 * @reason: enum perfgrp_reason
 * @field: the field that is wrong, or ""
 * @fmt: a line of English, without a newline
 *
 * Return: @ret
 */
int perfgrp_fail(struct perfgrp_error *err, int ret, enum perfgrp_reason reason, const char *field,
		 const char *fmt, ...)
{
	va_list args;
	int length;

	err->error = -ret;
	err->reason = reason;
	strscpy_pad(err->field, field, sizeof(err->field));
	va_start(args, fmt);
	length = vscnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	memset(err->text + length, 0, sizeof(err->text) - length);
	return ret;
}

/* A pointer that cannot be used does not change the outcome of the call. */
static void write_error(u64 pointer, struct perfgrp_error *err, int ret)
{
	struct perfgrp_error __user *user = u64_to_user_ptr(pointer);
	u32 size;

	if (!pointer || get_user(size, &user->size) || size < sizeof(*err))
		return;
	if (err->error != -ret)
		perfgrp_fail(err, ret, PERFGRP_REASON_NONE, "", "errno %d", -ret);
	err->size = size;
	if (copy_to_user(user, err, sizeof(*err)))
		return;
}

/* A few words; memchr_inv() is for more. */
static bool all_zero(const u32 *words, size_t size)
{
	u32 bits = 0;

	for (; size; size -= sizeof(*words))
		bits |= *words++;
	return !bits;
}

/* A struct is no longer than a page: its first and last words tell. */
static bool can_write(const struct perfgrp_call *call, void __user *user, u32 size)
{
	const u32 *words = (const void *)&call->arg;
	u32 last = size / sizeof(u32) - 1;
	u32 __user *to = user;

	return !put_user(words[0], to) && !put_user(words[last], to + last);
}

/*
 * A copy of a size that the compiler knows is not checked against what the memory is
 * part of (CONFIG_HARDENED_USERCOPY), which takes longer than the copy: so the struct
 * of the call that is made again and again has copies of its own.
 */
static bool has_snapshots_size(const struct perfgrp_ioctl *ioctl, u32 size)
{
	return size == sizeof(struct perfgrp_snapshot) && size == ioctl->size;
}

static int read_argument(const struct perfgrp_ioctl *ioctl, struct perfgrp_call *call,
			 const void __user *user, u32 size)
{
	if (!has_snapshots_size(ioctl, size))
		return copy_struct_from_user(&call->arg, ioctl->size, user, size);
	if (copy_from_user(&call->arg, user, sizeof(struct perfgrp_snapshot)))
		return -EFAULT;
	return 0;
}

static int write_argument(const struct perfgrp_ioctl *ioctl, const struct perfgrp_call *call,
			  void __user *user, u32 size)
{
	unsigned long left;

	if (has_snapshots_size(ioctl, size))
		left = copy_to_user(user, &call->arg, sizeof(struct perfgrp_snapshot));
	else
		left = copy_to_user(user, &call->arg, min_t(u32, size, ioctl->size));
	return left ? -EFAULT : 0;
}

static int copy_argument(const struct perfgrp_ioctl *ioctl, struct perfgrp_call *call,
			 void __user *user, u32 size)
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
				    "%s: size is %u, this kernel knows %u, and takes at most a page",
				    ioctl->name, size, ioctl->size);
	}
	ret = read_argument(ioctl, call, user, size);
	if (ret == -E2BIG) {
		put_user(ioctl->size, (u32 __user *)user);
		return perfgrp_fail(&call->err, ret, PERFGRP_REASON_TAIL, "size",
				    "%s: size is %u, this kernel knows %u, and the rest is not zero",
				    ioctl->name, size, ioctl->size);
	}
	if (ret)
		return perfgrp_fail(&call->err, ret, PERFGRP_REASON_POINTER, "",
				    "%s: the argument cannot be read", ioctl->name);
	/* It may have been changed since it was looked at first. */
	head->size = size;

	if (head->flags & ~ioctl->flags)
		return perfgrp_fail(&call->err, -EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags",
				    "%s: unknown flags %#x", ioctl->name,
				    head->flags & ~ioctl->flags);
	if (!all_zero((void *)&call->arg + ioctl->reserved, ioctl->reserved_size))
		return perfgrp_fail(&call->err, -EOPNOTSUPP, PERFGRP_REASON_RESERVED, "reserved",
				    "%s: a reserved field is not zero", ioctl->name);
	/* Before anything is done whose result could not be told. */
	if (ioctl->out && !can_write(call, user, min_t(u32, size, ioctl->size)))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "",
				    "%s: the argument cannot be written", ioctl->name);
	return 0;
}

static int copy_result(const struct perfgrp_ioctl *ioctl, struct perfgrp_call *call,
		       void __user *user, u32 size)
{
	if (write_argument(ioctl, call, user, size))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "",
				    "%s: the argument cannot be written", ioctl->name);
	return 0;
}

/* perfgrp_fail() and copy_argument() fill in the rest. */
static void begin_call(struct perfgrp_call *call)
{
	call->err.size = sizeof(call->err);
	call->err.error = 0;
	call->err.member = PERFGRP_NONE;
	call->err.cpu = -1;
	call->err.reserved = 0;
	call->out_on_error = false;
	call->file = NULL;
	call->fd = -1;
}

/**
 * perfgrp_ioctl - do one ioctl
 * @file: on this file
 * @cmd: as the user gave it
 * @arg: as the user gave it
 * @table: what this kind of file can do
 * @first: the number of the table's first row
 * @nr: its rows
 *
 * Return: 0 or a negative errno.
 */
long perfgrp_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
		   const struct perfgrp_ioctl *table, unsigned int first, unsigned int nr)
{
	/* Most calls succeed and need no error, so it is not zeroed for them. */
	struct perfgrp_call call __uninitialized;
	struct head __user *user = (struct head __user *)arg;
	unsigned int index = _IOC_NR(cmd) - first;
	const struct perfgrp_ioctl *ioctl;
	u64 error = 0;
	u32 size;
	int ret;

	if (cmd != _IO(PERFGRP_IOC_TYPE, _IOC_NR(cmd)) || index >= nr)
		return -ENOTTY;
	ioctl = &table[array_index_nospec(index, nr)];
	if (!ioctl->fn)
		return -ENOTTY;

	begin_call(&call);
	if (get_user(size, &user->size))
		return -EFAULT;
	if (size >= sizeof(*user) && get_user(error, &user->error))
		return -EFAULT;

	ret = copy_argument(ioctl, &call, user, size);
	if (!ret)
		ret = ioctl->fn(file, &call);

	if (ret ? call.out_on_error : ioctl->out) {
		int copied = copy_result(ioctl, &call, user, size);

		ret = ret ?: copied;
	}
	if (call.file && ret) {
		put_unused_fd(call.fd);
		fput(call.file);
	} else if (call.file) {
		fd_install(call.fd, call.file);
	}
	if (ret)
		write_error(error, &call.err, ret);
	return ret;
}

/**
 * perfgrp_copy_element_to_user - write an array's element as the caller knows it
 * @to: its place
 * @user_size: its size there
 * @from: the kernel's
 * @size: its size
 *
 * A shorter one gets what it has room for, a longer one zeros at its end.
 *
 * Return: 0 or -EFAULT.
 */
int perfgrp_copy_element_to_user(void __user *to, size_t user_size, const void *from, size_t size)
{
	if (copy_to_user(to, from, min(user_size, size)))
		return -EFAULT;
	if (user_size > size && clear_user(to + size, user_size - size))
		return -EFAULT;
	return 0;
}
