// SPDX-License-Identifier: GPL-2.0
/*
 * The file descriptor of a group: its ioctls, its records, its end.
 *
 * Each ioctl takes the group's lock once, for all that it does. What the user
 * points to is copied here and nowhere deeper, but for the CPUs of
 * PERFGRP_CREATE.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "perfgrp.h"

static struct perfgrp_group *group_of(struct file *file)
{
	return file->private_data;
}

static int lock_write(struct perfgrp_group *group, struct perfgrp_error *err)
{
	if (down_write_killable(&group->lock))
		return perfgrp_fail(err, -EINTR, PERFGRP_REASON_NONE, "", "interrupted");
	return 0;
}

static int lock_read(struct perfgrp_group *group, struct perfgrp_error *err)
{
	if (!down_read_trylock(&group->lock) && down_read_killable(&group->lock))
		return perfgrp_fail(err, -EINTR, PERFGRP_REASON_NONE, "", "interrupted");
	return 0;
}

static int check_element_size(u32 size, size_t min_size, const char *field,
			      struct perfgrp_error *err)
{
	if (size < min_size)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_SIZE, field,
				    "%s is %u, at least %zu is needed", field, size, min_size);
	if (size > PAGE_SIZE)
		return perfgrp_fail(err, -E2BIG, PERFGRP_REASON_SIZE, field,
				    "%s is %u, at most a page (%lu) is taken", field, size,
				    PAGE_SIZE);
	return 0;
}

/* ---- members ------------------------------------------------------------- */

static int copy_descs(const struct perfgrp_add *add, struct perfgrp_counter *descs,
		      struct perfgrp_error *err)
{
	void __user *from = u64_to_user_ptr(add->counters);
	unsigned int i;
	int ret;

	for (i = 0; i < add->nr_counters; i++, from += add->counter_size) {
		ret = copy_struct_from_user(&descs[i], sizeof(descs[i]), from, add->counter_size);
		if (!ret)
			continue;
		err->member = i;
		if (ret == -E2BIG)
			return perfgrp_fail(err, ret, PERFGRP_REASON_TAIL, "counter_size",
					    "counter_size is %u, this kernel knows %zu, and the rest is not zero",
					    add->counter_size, sizeof(descs[i]));
		return perfgrp_fail(err, ret, PERFGRP_REASON_POINTER, "counters",
				    "the array of counters cannot be read");
	}
	return 0;
}

static int write_ids(const struct perfgrp_add *add, const struct perfgrp_counter *descs,
		     struct perfgrp_error *err)
{
	void __user *to = u64_to_user_ptr(add->counters);
	unsigned int i;

	to += offsetof(struct perfgrp_counter, id);
	for (i = 0; i < add->nr_counters; i++, to += add->counter_size)
		if (put_user(descs[i].id, (u32 __user *)to))
			return perfgrp_fail(err, -EFAULT, PERFGRP_REASON_POINTER, "counters",
					    "the array of counters cannot be written");
	return 0;
}

/* The ids are written before anything changes, so that a fault changes nothing. */
static int add_locked(struct perfgrp_group *group, const struct perfgrp_add *add,
		      struct perfgrp_counter *descs, struct perfgrp_error *err)
{
	int ret;

	ret = perfgrp_group_prepare_add(group, descs, add->nr_counters, err);
	if (ret)
		return ret;
	ret = write_ids(add, descs, err);
	if (ret)
		perfgrp_group_abort_add(group, add->nr_counters);
	else
		perfgrp_group_commit_add(group, add->nr_counters);
	return ret;
}

static int group_add(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	const struct perfgrp_add *add = &call->arg.add;
	struct perfgrp_counter *descs;
	int ret;

	if (!add->nr_counters)
		return perfgrp_fail(&call->err, -EINVAL, PERFGRP_REASON_EMPTY, "nr_counters",
				    "no counter is given");
	if (add->nr_counters > PERFGRP_MAX_MEMBERS)
		return perfgrp_fail(&call->err, -ENOSPC, PERFGRP_REASON_LIMIT, "nr_counters",
				    "%u counters are given, a group has at most %d",
				    add->nr_counters, PERFGRP_MAX_MEMBERS);
	ret = check_element_size(add->counter_size, PERFGRP_COUNTER_SIZE_VER0, "counter_size",
				 &call->err);
	if (ret)
		return ret;

	descs = kcalloc(add->nr_counters, sizeof(*descs), GFP_KERNEL_ACCOUNT);
	if (!descs)
		return perfgrp_fail(&call->err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "no memory");
	ret = copy_descs(add, descs, &call->err);
	if (ret)
		goto free;
	ret = lock_write(group, &call->err);
	if (ret)
		goto free;
	ret = add_locked(group, add, descs, &call->err);
	up_write(&group->lock);
free:
	kfree(descs);
	return ret;
}

static int group_remove_member(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	const struct perfgrp_remove *remove = &call->arg.remove;
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_group_remove(group, remove->id, remove->flags & PERFGRP_REMOVE_CASCADE,
				   &call->err);
	up_write(&group->lock);
	return ret;
}

/* ---- control ------------------------------------------------------------- */

static int group_enable_all(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_group_enable(group, &call->err);
	up_write(&group->lock);
	return ret;
}

static int group_disable_all(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_group_disable(group, &call->err);
	up_write(&group->lock);
	return ret;
}

static int take_snapshot(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap,
			 struct perfgrp_error *err)
{
	int ret = perfgrp_snapshot_take(group, flags, snap);

	if (ret == -ENOMEM)
		return perfgrp_fail(err, ret, PERFGRP_REASON_MEMORY, "", "no memory");
	if (ret)
		return perfgrp_fail(err, ret, PERFGRP_REASON_NONE, "", "interrupted");
	return 0;
}

static int group_reset_all(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	struct perfgrp_snap snap;
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = take_snapshot(group, 0, &snap, &call->err);
	if (!ret) {
		perfgrp_snapshot_reset(group, &snap);
		perfgrp_snapshot_free(&snap);
	}
	up_write(&group->lock);
	return ret;
}

/* ---- looking ------------------------------------------------------------- */

/* Few are copied in a size that the compiler knows, for what ioctl.c says of that. */
static __always_inline unsigned long copy_same(void __user *to, const void *array, size_t size,
					       unsigned int nr)
{
	switch (nr) {
	case 1:
		return copy_to_user(to, array, size);
	case 2:
		return copy_to_user(to, array, 2 * size);
	case 3:
		return copy_to_user(to, array, 3 * size);
	case 4:
		return copy_to_user(to, array, 4 * size);
	case 5:
		return copy_to_user(to, array, 5 * size);
	case 6:
		return copy_to_user(to, array, 6 * size);
	case 7:
		return copy_to_user(to, array, 7 * size);
	case 8:
		return copy_to_user(to, array, 8 * size);
	}
	return copy_to_user(to, array, nr * size);
}

static __always_inline int copy_array(u64 pointer, u32 user_size, const void *array, size_t size,
				      unsigned int nr)
{
	void __user *to = u64_to_user_ptr(pointer);
	unsigned int i;

	if (user_size == size)
		return copy_same(to, array, size, nr) ? -EFAULT : 0;
	for (i = 0; i < nr; i++, to += user_size, array += size)
		if (perfgrp_copy_element_to_user(to, user_size, array, size))
			return -EFAULT;
	return 0;
}

static int copy_snapshot(struct perfgrp_call *call, const struct perfgrp_snap *snap)
{
	struct perfgrp_snapshot *arg = &call->arg.snapshot;
	bool fits = arg->nr_rows >= snap->nr_rows && arg->nr_values >= snap->nr_values;
	const char *small = arg->nr_rows < snap->nr_rows ? "nr_rows" : "nr_values";

	if (fits &&
	    copy_array(arg->rows, arg->row_size, snap->rows, sizeof(*snap->rows), snap->nr_rows))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "rows",
				    "the array of rows cannot be written");
	if (fits && copy_array(arg->values, arg->value_size, snap->values, sizeof(*snap->values),
			       snap->nr_values))
		return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "values",
				    "the array of values cannot be written");

	arg->nr_rows = snap->nr_rows;
	arg->nr_values = snap->nr_values;
	if (!fits) {
		call->out_on_error = true;
		return perfgrp_fail(&call->err, -EMSGSIZE, PERFGRP_REASON_BUFFER, small,
				    "the snapshot has %u rows and %u values", snap->nr_rows,
				    snap->nr_values);
	}
	arg->time_before = snap->time_before;
	arg->time_after = snap->time_after;
	return 0;
}

static int snapshot_locked(struct perfgrp_group *group, struct perfgrp_call *call)
{
	u32 flags = call->arg.snapshot.flags;
	struct perfgrp_snap snap __uninitialized;
	int ret;

	ret = take_snapshot(group, flags, &snap, &call->err);
	if (ret)
		return ret;
	ret = copy_snapshot(call, &snap);
	if (!ret && flags & PERFGRP_SNAPSHOT_RESET)
		perfgrp_snapshot_reset(group, &snap);
	perfgrp_snapshot_free(&snap);
	return ret;
}

static int check_snapshot(const struct perfgrp_snapshot *arg, struct perfgrp_error *err)
{
	int ret;

	if (arg->flags & PERFGRP_SNAPSHOT_MIX_PMUS && !(arg->flags & PERFGRP_SNAPSHOT_TOTALS))
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_FLAGS, "flags",
				    "MIX_PMUS means nothing without TOTALS");
	ret = check_element_size(arg->row_size, PERFGRP_ROW_SIZE_VER0, "row_size", err);
	if (!ret)
		ret = check_element_size(arg->value_size, PERFGRP_VALUE_SIZE_VER0, "value_size",
					 err);
	return ret;
}

static int group_snapshot(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	const struct perfgrp_snapshot *arg = &call->arg.snapshot;
	int ret;

	ret = check_snapshot(arg, &call->err);
	if (ret)
		return ret;
	if (arg->flags & PERFGRP_SNAPSHOT_RESET) {
		ret = lock_write(group, &call->err);
		if (ret)
			return ret;
		ret = snapshot_locked(group, call);
		up_write(&group->lock);
	} else {
		ret = lock_read(group, &call->err);
		if (ret)
			return ret;
		ret = snapshot_locked(group, call);
		up_read(&group->lock);
	}
	return ret;
}

static pid_t task_nr(const struct perfgrp_group *group)
{
	return group->task ? task_pid_vnr(group->task) : 0;
}

static int query_locked(struct perfgrp_group *group, struct perfgrp_call *call)
{
	struct perfgrp_query *query = &call->arg.query;
	unsigned int room = query->nr_counters, i;
	struct perfgrp_counter counter;

	query->nr_counters = group->nr_members;
	if (room < group->nr_members) {
		call->out_on_error = true;
		return perfgrp_fail(&call->err, -EMSGSIZE, PERFGRP_REASON_BUFFER, "nr_counters",
				    "the group has %u members", group->nr_members);
	}
	for (i = 0; i < group->nr_members; i++) {
		counter = group->members[i]->desc;
		counter.id = group->members[i]->id;
		counter.pmu = group->members[i]->instances[0].pmu;
		if (perfgrp_copy_element_to_user(u64_to_user_ptr(query->counters) +
							 (size_t)i * query->counter_size,
						 query->counter_size, &counter, sizeof(counter)))
			return perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "counters",
					    "the array of counters cannot be written");
	}
	query->create_flags = group->flags;
	query->target = group->target;
	query->pid = task_nr(group);
	query->enabled = perfgrp_group_is_enabled(group);
	return 0;
}

static int group_query(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	int ret;

	ret = check_element_size(call->arg.query.counter_size, PERFGRP_COUNTER_SIZE_VER0,
				 "counter_size", &call->err);
	if (!ret)
		ret = lock_read(group, &call->err);
	if (ret)
		return ret;
	ret = query_locked(group, call);
	up_read(&group->lock);
	return ret;
}

/* ---- records ------------------------------------------------------------- */

static int fail_no_buffer(struct perfgrp_error *err)
{
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_TARGET, "",
			    "the group was created without a buffer (buffer_size)");
}

static int group_set_period(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	const struct perfgrp_period *period = &call->arg.period;
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_group_set_period(group, period->id, period->sample, &call->err);
	up_write(&group->lock);
	return ret;
}

static int group_stream(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	int ret;

	if (!group->sampling)
		return fail_no_buffer(&call->err);
	ret = perfgrp_records_get_stats(group->sampling->records, &call->arg.stream);
	if (ret)
		return perfgrp_fail(&call->err, ret, PERFGRP_REASON_NONE, "", "interrupted");
	return 0;
}

static ssize_t group_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct perfgrp_group *group = group_of(file);

	if (!group->sampling)
		return -EINVAL;
	return perfgrp_records_read(group->sampling->records, to, room,
				    !(file->f_flags & O_NONBLOCK));
}

static __poll_t group_poll(struct file *file, struct poll_table_struct *table)
{
	struct perfgrp_group *group = group_of(file);

	if (!group->sampling)
		return EPOLLERR;
	return perfgrp_records_poll(group->sampling->records, file, table);
}

/* ---- BPF ----------------------------------------------------------------- */

/* @put is perfgrp_bpf_attach() or perfgrp_bpf_replace(). */
static int put_program(struct file *file, struct perfgrp_call *call,
		       int (*put)(struct perfgrp_group *group, const struct perfgrp_bpf *arg,
				  struct perfgrp_attachment **attachment,
				  struct perfgrp_error *err))
{
	struct perfgrp_group *group = group_of(file);
	struct perfgrp_attachment *attachment;
	int ret;

	attachment = perfgrp_bpf_prepare(&call->arg.bpf, &call->err);
	if (IS_ERR(attachment))
		return PTR_ERR(attachment);
	ret = lock_write(group, &call->err);
	if (!ret) {
		ret = put(group, &call->arg.bpf, &attachment, &call->err);
		up_write(&group->lock);
	}
	if (ret)
		perfgrp_bpf_abort(attachment);
	else if (attachment)
		perfgrp_bpf_drop(attachment);
	return ret;
}

static int group_bpf_attach(struct file *file, struct perfgrp_call *call)
{
	return put_program(file, call, perfgrp_bpf_attach);
}

static int group_bpf_replace(struct file *file, struct perfgrp_call *call)
{
	return put_program(file, call, perfgrp_bpf_replace);
}

static int group_bpf_detach(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_bpf_detach(group, &call->arg.bpf, &call->err);
	up_write(&group->lock);
	return ret;
}

static int group_bpf_query(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	int ret;

	ret = lock_read(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_bpf_query(group, &call->arg.bpf_query, &call->err);
	up_read(&group->lock);
	return ret;
}

static int group_bpf_handle(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_group *group = group_of(file);
	struct perfgrp_bpf_handle *arg = &call->arg.bpf_handle;
	u64 handle;
	int ret;

	ret = lock_write(group, &call->err);
	if (ret)
		return ret;
	ret = perfgrp_bpf_kfunc_get_handle(group, &handle, &call->err);
	up_write(&group->lock);
	if (!ret)
		arg->handle = handle;
	return ret;
}

static int group_release(struct inode *inode, struct file *file)
{
	perfgrp_group_destroy(group_of(file));
	return 0;
}

/* ---- the file ------------------------------------------------------------ */

#define FIRST	   _IOC_NR(PERFGRP_ADD)
#define INDEX(cmd) (_IOC_NR(cmd) - FIRST)

static const struct perfgrp_ioctl group_ioctls[] = {
	[INDEX(PERFGRP_ADD)] = {
		.name		= "PERFGRP_ADD",
		.size		= sizeof(struct perfgrp_add),
		.min_size	= PERFGRP_ADD_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_add, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_add, reserved),
		.fn		= group_add,
	},
	[INDEX(PERFGRP_REMOVE)] = {
		.name		= "PERFGRP_REMOVE",
		.size		= sizeof(struct perfgrp_remove),
		.min_size	= PERFGRP_REMOVE_SIZE_VER0,
		.flags		= PERFGRP_REMOVE_CASCADE,
		.reserved	= offsetof(struct perfgrp_remove, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_remove, reserved),
		.fn		= group_remove_member,
	},
	[INDEX(PERFGRP_ENABLE)] = {
		.name		= "PERFGRP_ENABLE",
		.size		= sizeof(struct perfgrp_control),
		.min_size	= PERFGRP_CONTROL_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_control, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_control, reserved),
		.fn		= group_enable_all,
	},
	[INDEX(PERFGRP_DISABLE)] = {
		.name		= "PERFGRP_DISABLE",
		.size		= sizeof(struct perfgrp_control),
		.min_size	= PERFGRP_CONTROL_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_control, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_control, reserved),
		.fn		= group_disable_all,
	},
	[INDEX(PERFGRP_RESET)] = {
		.name		= "PERFGRP_RESET",
		.size		= sizeof(struct perfgrp_control),
		.min_size	= PERFGRP_CONTROL_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_control, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_control, reserved),
		.fn		= group_reset_all,
	},
	[INDEX(PERFGRP_SNAPSHOT)] = {
		.name		= "PERFGRP_SNAPSHOT",
		.size		= sizeof(struct perfgrp_snapshot),
		.min_size	= PERFGRP_SNAPSHOT_SIZE_VER0,
		.flags		= PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS |
				  PERFGRP_SNAPSHOT_RESET,
		.reserved	= offsetof(struct perfgrp_snapshot, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_snapshot, reserved),
		.out		= true,
		.fn		= group_snapshot,
	},
	[INDEX(PERFGRP_QUERY)] = {
		.name		= "PERFGRP_QUERY",
		.size		= sizeof(struct perfgrp_query),
		.min_size	= PERFGRP_QUERY_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_query, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_query, reserved),
		.out		= true,
		.fn		= group_query,
	},
	[INDEX(PERFGRP_PERIOD)] = {
		.name		= "PERFGRP_PERIOD",
		.size		= sizeof(struct perfgrp_period),
		.min_size	= PERFGRP_PERIOD_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_period, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_period, reserved),
		.fn		= group_set_period,
	},
	[INDEX(PERFGRP_STREAM)] = {
		.name		= "PERFGRP_STREAM",
		.size		= sizeof(struct perfgrp_stream),
		.min_size	= PERFGRP_STREAM_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_stream, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_stream, reserved),
		.out		= true,
		.fn		= group_stream,
	},
	[INDEX(PERFGRP_BPF_ATTACH)] = {
		.name		= "PERFGRP_BPF_ATTACH",
		.size		= sizeof(struct perfgrp_bpf),
		.min_size	= PERFGRP_BPF_SIZE_VER0,
		.flags		= PERFGRP_BPF_TIMED,
		.reserved	= offsetof(struct perfgrp_bpf, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_bpf, reserved),
		.fn		= group_bpf_attach,
	},
	[INDEX(PERFGRP_BPF_REPLACE)] = {
		.name		= "PERFGRP_BPF_REPLACE",
		.size		= sizeof(struct perfgrp_bpf),
		.min_size	= PERFGRP_BPF_SIZE_VER0,
		.flags		= PERFGRP_BPF_TIMED,
		.reserved	= offsetof(struct perfgrp_bpf, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_bpf, reserved),
		.fn		= group_bpf_replace,
	},
	[INDEX(PERFGRP_BPF_DETACH)] = {
		.name		= "PERFGRP_BPF_DETACH",
		.size		= sizeof(struct perfgrp_bpf),
		.min_size	= PERFGRP_BPF_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_bpf, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_bpf, reserved),
		.fn		= group_bpf_detach,
	},
	[INDEX(PERFGRP_BPF_QUERY)] = {
		.name		= "PERFGRP_BPF_QUERY",
		.size		= sizeof(struct perfgrp_bpf_query),
		.min_size	= PERFGRP_BPF_QUERY_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_bpf_query, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_bpf_query, reserved),
		.out		= true,
		.fn		= group_bpf_query,
	},
	[INDEX(PERFGRP_BPF_HANDLE)] = {
		.name		= "PERFGRP_BPF_HANDLE",
		.size		= sizeof(struct perfgrp_bpf_handle),
		.min_size	= PERFGRP_BPF_HANDLE_SIZE_VER0,
		.reserved	= offsetof(struct perfgrp_bpf_handle, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_bpf_handle, reserved),
		.out		= true,
		.fn		= group_bpf_handle,
	},
};

static long group_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return perfgrp_ioctl(file, cmd, arg, group_ioctls, FIRST, ARRAY_SIZE(group_ioctls));
}

static const struct file_operations group_fops = {
	.owner = THIS_MODULE,
	.llseek = noop_llseek,
	.release = group_release,
	.read = group_read,
	.poll = group_poll,
	.unlocked_ioctl = group_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.show_fdinfo = perfgrp_group_show_fdinfo,
};

/**
 * perfgrp_group_file_create - the file of a new group
 * @group: the group; it lives as long as the file
 *
 * Return: the file, or an ERR_PTR(), and then the group is still the caller's.
 */
struct file *perfgrp_group_file_create(struct perfgrp_group *group)
{
	return anon_inode_getfile("[perfgrp]", &group_fops, group, O_RDWR);
}
