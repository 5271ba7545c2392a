// SPDX-License-Identifier: GPL-2.0
/*
 * What all ioctls share: copying the argument in and out, flags, the error, the lock, and user
 * memory that is not present. The table's rows are this file's own; their functions record how
 * they were called.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rwsem.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../module/error.h"
#include "../module/group.h"
#include "../module/group_file.h"
#include "../module/group_snapshot.h"
#include "../module/ioctl.h"
#include "../module/usercopy.h"
#include "harness.h"
#include "suites.h"

/* The argument struct of all rows; some rows know only its first part. */
#define ARG_SIZE   sizeof(struct perfgrp_bpf_query)
#define SHORT_SIZE offsetof(struct perfgrp_bpf_query, runs)
#define FIRST	   0x30
#define ROW(nr)	   _IO(PERFGRP_IOC_TYPE, FIRST + (nr))
#define UNTOUCHED  0xa5

/* ---- the rows ------------------------------------------------------------- */

enum held {
	HELD_NOT,
	HELD_READ,
	HELD_WRITE,
};

/**
 * struct trace - how a row's functions were called, and what they should do
 * @order: p, f, i, e for prepare(), fn(), fault_in(), finish()
 * @nr: number of calls in @order
 * @arg: the argument that fn() got
 * @user_size: how much of it the caller has
 * @locked: how fn() found the lock
 * @faults_off: page faults were disabled in fn()
 * @faults_off_outside: page faults were disabled in one of the others
 * @locked_outside: one of the others found the lock held
 * @finish_got: the result that finish() was passed
 * @prepare_ret: what prepare() returns
 * @fn_ret: what fn() returns
 * @fault_in_ret: what fault_in() returns
 * @finish_ret: what finish() returns; 1 for the result that it was passed
 * @faults: how often fn() finds user memory not present
 * @out_on_error: fn() asks that the argument is copied back on failure
 * @fails: fn() fills in the error
 * @new_fd: fn() reserves an fd
 */
static struct trace {
	char order[64];
	unsigned int nr;
	struct perfgrp_bpf_query arg;
	u32 user_size;
	enum held locked;
	bool faults_off;
	bool faults_off_outside;
	bool locked_outside;
	int finish_got;
	int prepare_ret;
	int fn_ret;
	int fault_in_ret;
	int finish_ret;
	unsigned int faults;
	bool out_on_error;
	bool fails;
	int new_fd;
} trace;

static void note(char what)
{
	if (trace.nr < sizeof(trace.order) - 1)
		trace.order[trace.nr++] = what;
}

static enum held held_of(struct perfgrp_group *group)
{
	if (down_write_trylock(&group->lock)) {
		up_write(&group->lock);
		return HELD_NOT;
	}
	if (down_read_trylock(&group->lock)) {
		up_read(&group->lock);
		return HELD_READ;
	}
	return HELD_WRITE;
}

static void note_outside(struct perfgrp_group *group, char what)
{
	note(what);
	trace.faults_off_outside |= pagefault_disabled();
	trace.locked_outside |= held_of(group) != HELD_NOT;
}

static int prepare(struct perfgrp_group *group, struct perfgrp_call *call)
{
	note_outside(group, 'p');
	return trace.prepare_ret;
}

static int do_it(struct perfgrp_group *group, struct perfgrp_call *call)
{
	note('f');
	trace.arg = call->arg.bpf_query;
	trace.user_size = call->user_size;
	trace.locked = held_of(group);
	trace.faults_off = pagefault_disabled();
	call->out_on_error = trace.out_on_error;
	call->arg.bpf_query.cookie = 0x1122334455667788ULL;
	call->arg.bpf_query.dropped = 99;
	if (trace.faults) {
		trace.faults--;
		call->faulted = true;
		return -EFAULT;
	}
	if (trace.new_fd) {
		trace.new_fd = perfgrp_ioctl_reserve_fd(call) ?: call->new_fd;
		return trace.fn_ret;
	}
	if (trace.fails) {
		call->err.member = 7;
		return perfgrp_fail(&call->err, trace.fn_ret, PERFGRP_REASON_LIMIT, "cookie",
				    "so many: %d", 4711);
	}
	return trace.fn_ret;
}

static int fault_in(struct perfgrp_group *group, struct perfgrp_call *call)
{
	note_outside(group, 'i');
	return trace.fault_in_ret;
}

static int finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret)
{
	note_outside(group, 'e');
	trace.finish_got = ret;
	return trace.finish_ret == 1 ? ret : trace.finish_ret;
}

#define COMMON                                                                                     \
	.name = "TEST", .size = ARG_SIZE, .min_size = SHORT_SIZE, .fn = do_it

enum row {
	ROW_PLAIN,
	ROW_NO_FUNCTION,
	ROW_OUT,
	ROW_RESERVED,
	ROW_FLAGS,
	ROW_READ_LOCKED,
	ROW_WRITE_LOCKED,
	ROW_CHANGE_FLAGS,
	ROW_CHANGES,
	ROW_ALL,
	NR_ROWS,
};

static const struct perfgrp_ioctl rows[NR_ROWS] = {
	[ROW_PLAIN] = { COMMON },
	[ROW_OUT] = { COMMON, .out = true },
	[ROW_RESERVED] = { COMMON, .reserved = offsetof(struct perfgrp_bpf_query, attach_flags) },
	[ROW_FLAGS] = { COMMON, .flags = 5 },
	[ROW_READ_LOCKED] = { COMMON, .lock = PERFGRP_READ_LOCKED },
	[ROW_WRITE_LOCKED] = { COMMON, .lock = PERFGRP_WRITE_LOCKED },
	[ROW_CHANGE_FLAGS] = { COMMON, .lock = PERFGRP_READ_LOCKED, .flags = 3, .change_flags = 2 },
	[ROW_CHANGES] = { COMMON, .changes = true, .prepare = prepare, .finish = finish },
	[ROW_ALL] = {
		COMMON,
		.lock = PERFGRP_WRITE_LOCKED,
		.prepare = prepare,
		.fault_in = fault_in,
		.finish = finish,
	},
};

/* ---- calling -------------------------------------------------------------- */

/* Offsets in user memory: two pages for the argument, then the error. */
#define ARG_AT	 0
#define ERROR_AT (2 * PAGE_SIZE)

/**
 * struct caller - the caller's memory, before the call and after it
 * @arg: the argument
 * @bytes: the argument and what follows it
 * @error: the error struct
 * @error_bytes: the error struct and what follows it
 */
static struct caller {
	union {
		struct perfgrp_bpf_query arg;
		u8 bytes[2 * PAGE_SIZE];
	};
	union {
		struct perfgrp_error error;
		u8 error_bytes[PAGE_SIZE];
	};
} caller;

static struct file *file;

/* A group and its file, until the case ends. */
static struct perfgrp_group *begin(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, 0);
	struct file *created = perfgrp_group_file_create(group);

	KUNIT_ASSERT_FALSE(test, IS_ERR(created));
	harness_forget(group);
	file = created;
	return group;
}

static void ioctl_exit(struct kunit *test)
{
	if (file)
		__fput_sync(file);
	file = NULL;
	harness_exit(test);
}

/* A valid argument without any values, followed by memory that must stay unchanged. */
static void init_call(u32 size)
{
	trace = (struct trace){ .finish_ret = 1 };
	memset(&caller, UNTOUCHED, sizeof(caller));
	memset(&caller.arg, 0, ARG_SIZE);
	caller.arg.size = size;
	caller.error = harness_error();
}

/* Passes an error struct, unless caller.arg.error is set; 1 means none. */
static long call_cmd(unsigned int cmd)
{
	struct perfgrp_group *group = file->private_data;
	void __user *at = harness_user_begin();
	long ret = -EIO;

	if (!caller.arg.error)
		caller.arg.error = (u64)(uintptr_t)(at + ERROR_AT);
	else if (caller.arg.error == 1)
		caller.arg.error = 0;
	if (!copy_to_user(at + ARG_AT, caller.bytes, sizeof(caller.bytes)) &&
	    !copy_to_user(at + ERROR_AT, caller.error_bytes, sizeof(caller.error_bytes))) {
		ret = perfgrp_ioctl(file, group, cmd, (unsigned long)at + ARG_AT, rows, FIRST,
				    NR_ROWS);
		if (copy_from_user(caller.bytes, at + ARG_AT, sizeof(caller.bytes)) ||
		    copy_from_user(caller.error_bytes, at + ERROR_AT, sizeof(caller.error_bytes)))
			ret = -EIO;
	}
	harness_user_end();
	return ret;
}

static long call_row(enum row row)
{
	return call_cmd(ROW(row));
}

static bool is_untouched(const void *from, const void *end)
{
	return !memchr_inv(from, UNTOUCHED, end - from);
}

#define EXPECT_FAILED(test, ret, error_nr, reason, field)                                          \
	EXPECT_REFUSED(test, ret, error_nr, reason, field, caller.error)

/* ---- the number ----------------------------------------------------------- */

/* [A4] */
static void unknown_numbers(struct kunit *test)
{
	static const unsigned int cmds[] = {
		_IO(PERFGRP_IOC_TYPE, FIRST - 1),
		_IO(PERFGRP_IOC_TYPE, FIRST + NR_ROWS),
		_IO(PERFGRP_IOC_TYPE, FIRST + ROW_NO_FUNCTION),
		_IO(PERFGRP_IOC_TYPE, 0),
		_IO(PERFGRP_IOC_TYPE, 0xff),
		_IO(PERFGRP_IOC_TYPE - 1, FIRST),
		_IOW(PERFGRP_IOC_TYPE, FIRST, u32),
		_IOR(PERFGRP_IOC_TYPE, FIRST, u32),
	};
	unsigned int i;

	begin(test);
	init_call(ARG_SIZE);
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		KUNIT_EXPECT_EQ_MSG(test, call_cmd(cmds[i]), (long)-ENOTTY, "%#x", cmds[i]);
	KUNIT_EXPECT_STREQ(test, trace.order, "");
	KUNIT_EXPECT_EQ(test, caller.error.error, 0);
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), 0L);
	KUNIT_EXPECT_STREQ(test, trace.order, "f");
}

/* ---- size, flags, reserved ------------------------------------------------ */

/* [A4] A struct of at least the first version's size is accepted; missing fields are zero. */
static void shorter_structs(struct kunit *test)
{
	u32 size;

	begin(test);
	for (size = SHORT_SIZE; size <= ARG_SIZE; size += 4) {
		init_call(size);
		memset(caller.bytes + size, UNTOUCHED, ARG_SIZE - size);
		caller.arg.id = 17;
		KUNIT_ASSERT_EQ(test, call_row(ROW_PLAIN), 0L);
		KUNIT_EXPECT_EQ(test, trace.arg.size, size);
		KUNIT_EXPECT_EQ(test, trace.user_size, size);
		KUNIT_EXPECT_EQ(test, trace.arg.id, 17U);
		KUNIT_EXPECT_NULL(test, memchr_inv((u8 *)&trace.arg + size, 0, ARG_SIZE - size));
	}
	for (size = 0; size < SHORT_SIZE; size += 4) {
		init_call(size);
		KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), (long)-EINVAL);
		KUNIT_EXPECT_STREQ(test, trace.order, "");
		KUNIT_EXPECT_TRUE(test, is_untouched(caller.bytes + ARG_SIZE, &caller.error));
		/* The argument is too short to have the pointer to the error. */
		if (size < 16) {
			KUNIT_EXPECT_EQ(test, caller.error.error, 0);
			continue;
		}
		EXPECT_FAILED(test, -EINVAL, EINVAL, PERFGRP_REASON_SIZE, "size");
	}
}

/* [A4] A longer struct, up to a page, if the rest is zero; else size is set to the kernel's. */
static void longer_structs(struct kunit *test)
{
	static const u32 sizes[] = { ARG_SIZE + 1, ARG_SIZE + 8, PAGE_SIZE };
	unsigned int i;
	u32 size;

	begin(test);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size = sizes[i];
		init_call(size);
		memset(caller.bytes + ARG_SIZE, 0, size - ARG_SIZE);
		KUNIT_EXPECT_EQ(test, call_row(ROW_OUT), 0L);
		KUNIT_EXPECT_EQ(test, trace.arg.size, size);
		KUNIT_EXPECT_EQ(test, trace.user_size, (u32)ARG_SIZE);
		KUNIT_EXPECT_EQ(test, caller.arg.size, size);
		KUNIT_EXPECT_EQ(test, caller.arg.dropped, 99ULL);
		KUNIT_EXPECT_NULL(test, memchr_inv(caller.bytes + ARG_SIZE, 0, size - ARG_SIZE));
		KUNIT_EXPECT_TRUE(test, is_untouched(caller.bytes + size, &caller.error));

		init_call(size);
		memset(caller.bytes + ARG_SIZE, 0, size - ARG_SIZE);
		caller.bytes[size - 1] = 1;
		EXPECT_FAILED(test, call_row(ROW_OUT), E2BIG, PERFGRP_REASON_TAIL, "size");
		KUNIT_EXPECT_EQ(test, caller.arg.size, (u32)ARG_SIZE);
		KUNIT_EXPECT_EQ(test, caller.arg.cookie, 0ULL);
		KUNIT_EXPECT_STREQ(test, trace.order, "");
	}
	for (size = PAGE_SIZE + 1; size; size = size < 3 * PAGE_SIZE ? size + 4000 : 0) {
		init_call(size);
		memset(caller.bytes + ARG_SIZE, 0, sizeof(caller.bytes) - ARG_SIZE);
		EXPECT_FAILED(test, call_row(ROW_OUT), E2BIG, PERFGRP_REASON_SIZE, "size");
		KUNIT_EXPECT_EQ(test, caller.arg.size, (u32)ARG_SIZE);
		KUNIT_EXPECT_STREQ(test, trace.order, "");
	}
}

/* [A4] */
static void unknown_flags(struct kunit *test)
{
	u32 flags;

	begin(test);
	for (flags = 0; flags < 16; flags++) {
		init_call(ARG_SIZE);
		caller.arg.flags = flags;
		if (!(flags & ~5)) {
			KUNIT_EXPECT_EQ(test, call_row(ROW_FLAGS), 0L);
			KUNIT_EXPECT_EQ(test, trace.arg.flags, flags);
			continue;
		}
		EXPECT_FAILED(test, call_row(ROW_FLAGS), EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags");
		KUNIT_EXPECT_STREQ(test, trace.order, "");
	}
	init_call(ARG_SIZE);
	caller.arg.flags = 1U << 31;
	EXPECT_FAILED(test, call_row(ROW_PLAIN), EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags");
}

/* [A4] Only the field that the row names must be zero. */
static void reserved_field(struct kunit *test)
{
	begin(test);
	init_call(ARG_SIZE);
	caller.arg.reserved = 1;
	KUNIT_EXPECT_EQ(test, call_row(ROW_RESERVED), 0L);
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), 0L);
	init_call(ARG_SIZE);
	caller.arg.attach_flags = 1;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), 0L);
	init_call(ARG_SIZE);
	caller.arg.attach_flags = 1U << 31;
	EXPECT_FAILED(test, call_row(ROW_RESERVED), EOPNOTSUPP, PERFGRP_REASON_RESERVED, "reserved");
	KUNIT_EXPECT_STREQ(test, trace.order, "");
	/* The argument is too short to have the field. */
	init_call(SHORT_SIZE);
	caller.arg.attach_flags = 1;
	KUNIT_EXPECT_EQ(test, call_row(ROW_RESERVED), 0L);
}

/* ---- copying back --------------------------------------------------------- */

/* [A4] Copied only on success, or if fn() asks for it, and only what the caller has room for. */
static void argument_back(struct kunit *test)
{
	begin(test);
	init_call(ARG_SIZE);
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), 0L);
	KUNIT_EXPECT_EQ(test, caller.arg.cookie, 0ULL);

	init_call(ARG_SIZE);
	KUNIT_EXPECT_EQ(test, call_row(ROW_OUT), 0L);
	KUNIT_EXPECT_EQ(test, caller.arg.cookie, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, caller.arg.dropped, 99ULL);
	KUNIT_EXPECT_TRUE(test, is_untouched(caller.bytes + ARG_SIZE, &caller.error));
	KUNIT_EXPECT_EQ(test, caller.error.error, 0);

	init_call(SHORT_SIZE);
	memset(caller.bytes + SHORT_SIZE, UNTOUCHED, ARG_SIZE - SHORT_SIZE);
	KUNIT_EXPECT_EQ(test, call_row(ROW_OUT), 0L);
	KUNIT_EXPECT_EQ(test, caller.arg.cookie, 0x1122334455667788ULL);
	KUNIT_EXPECT_TRUE(test, is_untouched(caller.bytes + SHORT_SIZE, &caller.error));

	init_call(ARG_SIZE);
	trace.fn_ret = -EBUSY;
	KUNIT_EXPECT_EQ(test, call_row(ROW_OUT), (long)-EBUSY);
	KUNIT_EXPECT_EQ(test, caller.arg.cookie, 0ULL);

	init_call(ARG_SIZE);
	trace.fn_ret = -EMSGSIZE;
	trace.out_on_error = true;
	KUNIT_EXPECT_EQ(test, call_row(ROW_OUT), (long)-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, caller.arg.cookie, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, caller.error.error, EMSGSIZE);
}

/* [A4] [A12] */
static void error_back(struct kunit *test)
{
	begin(test);
	/* The error that the row's function fills in, and nothing behind it. */
	init_call(ARG_SIZE);
	trace.fn_ret = -EDOM;
	trace.fails = true;
	EXPECT_FAILED(test, call_row(ROW_PLAIN), EDOM, PERFGRP_REASON_LIMIT, "cookie");
	KUNIT_EXPECT_STREQ(test, caller.error.text, "so many: 4711");
	KUNIT_EXPECT_EQ(test, caller.error.member, 7U);
	KUNIT_EXPECT_EQ(test, caller.error.cpu, -1);
	KUNIT_EXPECT_EQ(test, caller.error.size, (u32)sizeof(caller.error));
	KUNIT_EXPECT_TRUE(test, is_untouched(&caller.error + 1, &caller + 1));

	/* An error without a reason has at least its errno; the old contents are overwritten. */
	init_call(ARG_SIZE);
	trace.fn_ret = -ERANGE;
	EXPECT_FAILED(test, call_row(ROW_PLAIN), ERANGE, PERFGRP_REASON_NONE, "");
	KUNIT_EXPECT_EQ(test, caller.error.member, PERFGRP_NONE);

	/* Left alone on success. */
	init_call(ARG_SIZE);
	memset(caller.error_bytes + 4, UNTOUCHED, sizeof(caller.error) - 4);
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), 0L);
	KUNIT_EXPECT_TRUE(test, is_untouched(caller.error_bytes + 4, &caller + 1));

	/* A longer struct keeps its size, and its end is not written. */
	init_call(ARG_SIZE);
	caller.error.size = 400;
	trace.fn_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), (long)-EDOM);
	KUNIT_EXPECT_EQ(test, caller.error.size, 400U);
	KUNIT_EXPECT_EQ(test, caller.error.error, EDOM);
	KUNIT_EXPECT_TRUE(test, is_untouched(&caller.error + 1, &caller + 1));

	/* A struct that is too short is not written. A missing or bad pointer does no harm. */
	init_call(ARG_SIZE);
	caller.error.size = PERFGRP_ERROR_SIZE_VER0 - 1;
	trace.fn_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), (long)-EDOM);
	KUNIT_EXPECT_EQ(test, caller.error.error, 0);
	init_call(ARG_SIZE);
	caller.arg.error = 1;
	trace.fn_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), (long)-EDOM);
	KUNIT_EXPECT_EQ(test, caller.error.error, 0);
	init_call(ARG_SIZE);
	caller.arg.error = 8;
	trace.fn_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), (long)-EDOM);
	init_call(ARG_SIZE);
	caller.arg.error = 8;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), 0L);
}

/* [A4] If the file is not created, its fd is free again. */
static void number_given_back(struct kunit *test)
{
	int before, after;

	begin(test);
	before = get_unused_fd_flags(0);
	KUNIT_ASSERT_GE(test, before, 0);
	put_unused_fd(before);
	init_call(ARG_SIZE);
	trace.new_fd = 1;
	trace.fn_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_PLAIN), (long)-EDOM);
	KUNIT_EXPECT_EQ(test, trace.new_fd, before);
	after = get_unused_fd_flags(0);
	KUNIT_EXPECT_EQ(test, after, before);
	put_unused_fd(after);
}

/* ---- permissions, and the lock -------------------------------------------- */

/* [A10] A read-only fd: calls, and flags, that change the group are refused. */
static void read_only_fd(struct kunit *test)
{
	begin(test);
	init_call(ARG_SIZE);
	caller.arg.flags = 2;
	KUNIT_EXPECT_EQ(test, call_row(ROW_CHANGE_FLAGS), 0L);
	init_call(ARG_SIZE);
	KUNIT_EXPECT_EQ(test, call_row(ROW_CHANGES), 0L);
	KUNIT_EXPECT_STREQ(test, trace.order, "pfe");

	file->f_mode &= ~FMODE_WRITE;
	init_call(ARG_SIZE);
	caller.arg.flags = 2;
	EXPECT_FAILED(test, call_row(ROW_CHANGE_FLAGS), EACCES, PERFGRP_REASON_PRIVILEGE, "flags");
	KUNIT_EXPECT_STREQ(test, trace.order, "");
	init_call(ARG_SIZE);
	caller.arg.flags = 1;
	KUNIT_EXPECT_EQ(test, call_row(ROW_CHANGE_FLAGS), 0L);
	init_call(ARG_SIZE);
	EXPECT_FAILED(test, call_row(ROW_CHANGES), EACCES, PERFGRP_REASON_PRIVILEGE, "");
	KUNIT_EXPECT_STREQ(test, trace.order, "");
	init_call(ARG_SIZE);
	KUNIT_EXPECT_EQ(test, call_row(ROW_WRITE_LOCKED), 0L);
	file->f_mode |= FMODE_WRITE;
}

/* [S10] [S16] The lock is held as the row says; no page fault is handled with it held. */
static void lock_and_faults(struct kunit *test)
{
	static const struct {
		enum row row;
		u32 flags;
		enum held lock;
	} cases[] = {
		{ ROW_PLAIN, 0, HELD_NOT },
		{ ROW_READ_LOCKED, 0, HELD_READ },
		{ ROW_WRITE_LOCKED, 0, HELD_WRITE },
		{ ROW_CHANGE_FLAGS, 0, HELD_READ },
		{ ROW_CHANGE_FLAGS, 1, HELD_READ },
		{ ROW_CHANGE_FLAGS, 2, HELD_WRITE },
		{ ROW_CHANGE_FLAGS, 3, HELD_WRITE },
		{ ROW_ALL, 0, HELD_WRITE },
	};
	struct perfgrp_group *group = begin(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		init_call(ARG_SIZE);
		caller.arg.flags = cases[i].flags;
		trace.faults = cases[i].row == ROW_ALL;
		KUNIT_EXPECT_EQ(test, call_row(cases[i].row), 0L);
		KUNIT_EXPECT_EQ_MSG(test, trace.locked, cases[i].lock, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, trace.faults_off, cases[i].lock != HELD_NOT, "%u", i);
		KUNIT_EXPECT_FALSE(test, trace.faults_off_outside);
		KUNIT_EXPECT_FALSE(test, trace.locked_outside);
		KUNIT_EXPECT_EQ(test, held_of(group), HELD_NOT);
		KUNIT_EXPECT_FALSE(test, pagefault_disabled());
		trace.fn_ret = -EDOM;
		KUNIT_EXPECT_EQ(test, call_row(cases[i].row), (long)-EDOM);
		KUNIT_EXPECT_EQ(test, held_of(group), HELD_NOT);
		KUNIT_EXPECT_FALSE(test, pagefault_disabled());
	}
}

/* ---- the steps ------------------------------------------------------------ */

/* [A4] [S16] prepare() first, finish() last even if fn() failed, but not if prepare() failed. */
static void order_of_steps(struct kunit *test)
{
	begin(test);
	init_call(ARG_SIZE);
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), 0L);
	KUNIT_EXPECT_STREQ(test, trace.order, "pfe");
	KUNIT_EXPECT_EQ(test, trace.finish_got, 0);

	init_call(ARG_SIZE);
	trace.prepare_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), (long)-EDOM);
	KUNIT_EXPECT_STREQ(test, trace.order, "p");

	init_call(ARG_SIZE);
	trace.fn_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), (long)-EDOM);
	KUNIT_EXPECT_STREQ(test, trace.order, "pfe");
	KUNIT_EXPECT_EQ(test, trace.finish_got, -EDOM);

	init_call(ARG_SIZE);
	trace.finish_ret = -ERANGE;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), (long)-ERANGE);
	KUNIT_EXPECT_EQ(test, trace.finish_got, 0);
}

/* How often memory is faulted in before a call gives up. */
#define MAX_FAULTS 16

/* [S16] User memory that is not present is faulted in without the lock, and fn() is retried. */
static void faulting_in(struct kunit *test)
{
	char expected[sizeof(trace.order)] = "p";
	unsigned int i;

	begin(test);
	init_call(ARG_SIZE);
	trace.faults = 1;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), 0L);
	KUNIT_EXPECT_STREQ(test, trace.order, "pfife");

	for (i = 0; i < MAX_FAULTS; i++)
		strlcat(expected, "fi", sizeof(expected));
	strlcat(expected, "fe", sizeof(expected));
	init_call(ARG_SIZE);
	trace.faults = MAX_FAULTS;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), 0L);
	KUNIT_EXPECT_STREQ(test, trace.order, expected);

	/* It gives up after MAX_FAULTS. */
	init_call(ARG_SIZE);
	trace.faults = 2 * MAX_FAULTS;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), (long)-EFAULT);
	KUNIT_EXPECT_STREQ(test, trace.order, expected);
	KUNIT_EXPECT_EQ(test, trace.finish_got, -EFAULT);

	/* No retry for memory that cannot be faulted in, nor for an EFAULT without a fault. */
	init_call(ARG_SIZE);
	trace.faults = 5;
	trace.fault_in_ret = -EFAULT;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), (long)-EFAULT);
	KUNIT_EXPECT_STREQ(test, trace.order, "pfie");
	init_call(ARG_SIZE);
	trace.fn_ret = -EFAULT;
	KUNIT_EXPECT_EQ(test, call_row(ROW_ALL), (long)-EFAULT);
	KUNIT_EXPECT_STREQ(test, trace.order, "pfe");
}

/* Return: true if a word can be written there without a page fault. */
static bool is_present(void __user *at)
{
	bool present;

	pagefault_disable();
	present = !put_user(1, (u32 __user *)at);
	pagefault_enable();
	return present;
}

/* [S16] perfgrp_ioctl_fault_in() faults in the whole range, or returns -EFAULT. */
static void fault_in_memory(struct kunit *test)
{
	const unsigned long size = 3 * PAGE_SIZE;
	bool before[3] = {}, after[3] = {};
	int ret = 0, beyond = 0, nowhere;
	unsigned long at;
	unsigned int i;

	harness_user_begin();
	at = vm_mmap(NULL, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (!IS_ERR_VALUE(at)) {
		for (i = 0; i < 3; i++)
			before[i] = is_present((void __user *)at + i * PAGE_SIZE);
		ret = perfgrp_ioctl_fault_in(at + 8, size - 8);
		for (i = 0; i < 3; i++)
			after[i] = is_present((void __user *)at + i * PAGE_SIZE);
		vm_munmap(at + 2 * PAGE_SIZE, PAGE_SIZE);
		beyond = perfgrp_ioctl_fault_in(at, size);
		vm_munmap(at, size);
	}
	nowhere = perfgrp_ioctl_fault_in(8, 8);
	harness_user_end();

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	KUNIT_EXPECT_EQ(test, ret, 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE_MSG(test, before[i], "%u", i);
		KUNIT_EXPECT_TRUE_MSG(test, after[i], "%u", i);
	}
	KUNIT_EXPECT_EQ(test, beyond, -EFAULT);
	KUNIT_EXPECT_EQ(test, nowhere, -EFAULT);
}

/* [S13] [S16] A snapshot that resets copies its argument, too, without a fault. */
static void fault_in_argument(struct kunit *test)
{
	static struct perfgrp_call call;
	bool before = true, after = false;
	unsigned long at;
	int ret = 0;

	harness_user_begin();
	at = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (!IS_ERR_VALUE(at)) {
		call = (struct perfgrp_call){
			.user = (void __user *)at,
			.user_size = sizeof(struct perfgrp_snapshot),
		};
		before = is_present(call.user);
		ret = perfgrp_group_snapshot_fault_in(NULL, &call);
		after = is_present(call.user);
		vm_munmap(at, PAGE_SIZE);
	}
	harness_user_end();
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_FALSE(test, before);
	KUNIT_EXPECT_TRUE(test, after);
}

/* [S1] An element is truncated to the caller's size, or padded with zeros. */
static void elements(struct kunit *test)
{
	static const u8 from[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const u32 sizes[] = { 4, 8, 12 };
	u8 to[16], expected[16];
	void __user *at;
	unsigned int i, j;
	int ret;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(to, UNTOUCHED, sizeof(to));
		at = harness_user_begin();
		ret = copy_to_user(at, to, sizeof(to)) ? -EIO : 0;
		ret = ret ?: perfgrp_copy_element_to_user(at, sizes[i], from, sizeof(from));
		ret = ret ?: copy_from_user(to, at, sizeof(to)) ? -EIO : 0;
		harness_user_end();
		KUNIT_EXPECT_EQ(test, ret, 0);
		for (j = 0; j < sizeof(expected); j++)
			expected[j] = j >= sizes[i] ? UNTOUCHED : j < 8 ? from[j] : 0;
		KUNIT_EXPECT_EQ_MSG(test, memcmp(to, expected, sizeof(to)), 0, "size %u", sizes[i]);
	}
	harness_user_begin();
	ret = perfgrp_copy_element_to_user((void __user *)8, 4, from, sizeof(from));
	harness_user_end();
	KUNIT_EXPECT_EQ(test, ret, -EFAULT);
}

static struct kunit_case ioctl_cases[] = {
	KUNIT_CASE(unknown_numbers),
	KUNIT_CASE(shorter_structs),
	KUNIT_CASE(longer_structs),
	KUNIT_CASE(unknown_flags),
	KUNIT_CASE(reserved_field),
	KUNIT_CASE(argument_back),
	KUNIT_CASE(error_back),
	KUNIT_CASE(number_given_back),
	KUNIT_CASE(read_only_fd),
	KUNIT_CASE(lock_and_faults),
	KUNIT_CASE(order_of_steps),
	KUNIT_CASE(faulting_in),
	KUNIT_CASE(fault_in_memory),
	KUNIT_CASE(fault_in_argument),
	KUNIT_CASE(elements),
	{}
};

struct kunit_suite perfgrp_ioctl_suite = {
	.name = "perfgrp_ioctl",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = ioctl_exit,
	.test_cases = ioctl_cases,
};
