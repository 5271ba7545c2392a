// SPDX-License-Identifier: GPL-2.0
/*
 * The file descriptors of a group: ioctls, records, release.
 *
 * ioctl.c copies each ioctl's argument to @call->arg, and takes the group's lock as the table at
 * the end of this file says. User memory that the argument points to is copied here and nowhere
 * deeper, and without the lock. Exceptions are ADD and SNAPSHOT with RESET, which copy with the
 * lock held: they must not change the group unless the caller has received all of the result.
 *
 * A group has files of three kinds: the one of PERFGRP_CREATE, which may do everything and
 * is the only one with FMODE_WRITE, and those of PERFGRP_OPEN_READER, with and without the
 * right to read records. Each holds a reference on the group.
 *
 * Process context.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "bpf.h"
#include "bpf_events.h"
#include "bpf_kfunc.h"
#include "cgroup.h"
#include "compat.h"
#include "control.h"
#include "error.h"
#include "exec.h"
#include "group.h"
#include "group_create.h"
#include "group_fdinfo.h"
#include "group_file.h"
#include "group_snapshot.h"
#include "ioctl.h"
#include "mapped.h"
#include "member.h"
#include "perfgrp.h"
#include "records.h"
#include "sampling.h"
#include "snapshot.h"
#include "split.h"
#include "usercopy.h"

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
					    "counter_size is %u, but this module knows only %zu bytes and the rest is not zero",
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

/* For a retry: perfgrp_event_to_attr() refuses ids that are not 0. */
static void forget_ids(struct perfgrp_counter *descs, unsigned int nr)
{
	while (nr--)
		descs[nr].id = 0;
}

static int add_prepare(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_add *add = &call->arg.add;
	int ret;

	if (!add->nr_counters)
		return perfgrp_fail(&call->err, -EINVAL, PERFGRP_REASON_EMPTY, "nr_counters",
				    "no counter is given");
	if (add->nr_counters > PERFGRP_MAX_MEMBERS)
		return perfgrp_fail(&call->err, -ENOSPC, PERFGRP_REASON_LIMIT, "nr_counters",
				    "%u counters are given, a group has at most %d",
				    add->nr_counters, PERFGRP_MAX_MEMBERS);
	ret = perfgrp_ioctl_check_element_size(add->counter_size, PERFGRP_COUNTER_SIZE_VER0,
					       "counter_size", &call->err);
	if (ret)
		return ret;
	call->descs = kcalloc(add->nr_counters, sizeof(*call->descs), GFP_KERNEL_ACCOUNT);
	if (!call->descs)
		return perfgrp_fail_memory(&call->err);
	ret = copy_descs(add, call->descs, &call->err);
	if (ret)
		kfree(call->descs);
	return ret;
}

/*
 * The ids are written before the commit, so that a fault changes nothing, and after everything
 * else that can fail, so that ids which were written without a fault are those of members.
 */
static int add_members(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_add *add = &call->arg.add;
	int ret;

	ret = perfgrp_group_prepare_add(group, call->descs, add->nr_counters, &call->err);
	if (ret)
		return ret;
	ret = write_ids(add, call->descs, &call->err);
	if (!ret) {
		perfgrp_group_commit_add(group, add->nr_counters);
		return 0;
	}
	perfgrp_group_abort_add(group, add->nr_counters);
	forget_ids(call->descs, add->nr_counters);
	call->faulted = true;
	return ret;
}

static int add_fault_in(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_add *add = &call->arg.add;
	u64 to = add->counters + offsetof(struct perfgrp_counter, id);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < add->nr_counters && !ret; i++, to += add->counter_size)
		ret = perfgrp_ioctl_fault_in(to, sizeof(call->descs[i].id));
	return ret;
}

static int add_finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret)
{
	kfree(call->descs);
	return ret;
}

static int detach_prepare(struct perfgrp_group *group, struct perfgrp_call *call)
{
	call->attachment = NULL;
	return 0;
}

/* Runs without the lock, because dropping programs waits for a grace period. */
static int detach_finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret)
{
	perfgrp_bpf_drop_detached(group, call->attachment);
	return ret;
}

static int remove_member(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_remove *remove = &call->arg.remove;
	int ret;

	ret = perfgrp_group_remove(group, remove->id, remove->flags & PERFGRP_REMOVE_CASCADE,
				   &call->err);
	call->attachment = perfgrp_bpf_take_detached(group);
	return ret;
}

/* ---- control ------------------------------------------------------------- */

static int enable_group(struct perfgrp_group *group, struct perfgrp_call *call)
{
	return perfgrp_group_enable(group, &call->err);
}

static int disable_group(struct perfgrp_group *group, struct perfgrp_call *call)
{
	return perfgrp_group_disable(group, &call->err);
}

static int reset_group(struct perfgrp_group *group, struct perfgrp_call *call)
{
	struct perfgrp_snap snap;
	int ret;

	ret = perfgrp_snapshot_take(group, 0, 0, &snap, &call->err);
	if (ret)
		return ret;
	perfgrp_snapshot_reset(group, &snap);
	perfgrp_snapshot_free(&snap);
	return 0;
}

/* ---- query --------------------------------------------------------------- */

static void query_task(const struct perfgrp_group *group, struct perfgrp_query *query)
{
	query->pid = 0;
	if (!group->task) {
		query->task_state = PERFGRP_TASK_NONE;
		return;
	}
	query->pid = task_pid_vnr(group->task);
	if (READ_ONCE(group->task->exit_state)) {
		query->pid = 0;
		query->task_state = PERFGRP_TASK_EXITED;
	} else {
		query->task_state = query->pid ? PERFGRP_TASK_ALIVE : PERFGRP_TASK_HIDDEN;
	}
}

static int query_prepare(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_query *query = &call->arg.query;
	unsigned int room = min_t(u32, query->nr_counters, PERFGRP_MAX_MEMBERS);
	int ret;

	ret = perfgrp_ioctl_check_element_size(query->counter_size, PERFGRP_COUNTER_SIZE_VER0,
					       "counter_size", &call->err);
	if (ret)
		return ret;
	call->descs = kcalloc(room, sizeof(*call->descs), GFP_KERNEL_ACCOUNT);
	return call->descs ? 0 : perfgrp_fail_memory(&call->err);
}

static int query_group(struct perfgrp_group *group, struct perfgrp_call *call)
{
	struct perfgrp_query *query = &call->arg.query;
	unsigned int room = query->nr_counters, i;

	query->nr_counters = group->nr_members;
	if (room < group->nr_members) {
		call->out_on_error = true;
		return perfgrp_fail(&call->err, -EMSGSIZE, PERFGRP_REASON_BUFFER, "nr_counters",
				    "the group has %u members", group->nr_members);
	}
	for (i = 0; i < group->nr_members; i++) {
		call->descs[i] = group->members[i]->desc;
		call->descs[i].id = group->members[i]->id;
		call->descs[i].pmu = group->members[i]->instances[0].pmu;
	}
	query->create_flags = perfgrp_group_create_flags(group);
	query->target = group->target;
	query_task(group, query);
	query->enabled = perfgrp_group_is_enabled(group);
	query->clockid = group->clockid;
	query->generation = group->generation;
	query->cgroup_id = 0;
	if (group->cgroup)
		query->cgroup_id = perfgrp_core_cgroup_id(&group->cgroup->core);
	else if (group->split)
		query->cgroup_id = perfgrp_split_cgroup_id(group);
	return 0;
}

static int query_finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret)
{
	const struct perfgrp_query *query = &call->arg.query;

	if (!ret &&
	    perfgrp_copy_elements_to_user(query->counters, query->counter_size, call->descs,
					  sizeof(*call->descs), query->nr_counters))
		ret = perfgrp_fail(&call->err, -EFAULT, PERFGRP_REASON_POINTER, "counters",
				   "the array of counters cannot be written");
	kfree(call->descs);
	return ret;
}

/* ---- records ------------------------------------------------------------- */

static int set_period(struct perfgrp_group *group, struct perfgrp_call *call)
{
	const struct perfgrp_period *period = &call->arg.period;

	return perfgrp_group_set_period(group, period->id, period->sample_period, &call->err);
}

static int get_stream_stats(struct perfgrp_group *group, struct perfgrp_call *call)
{
	if (!group->sampling)
		return perfgrp_fail(&call->err, -EINVAL, PERFGRP_REASON_TARGET, "",
				    "the group was created without a buffer (buffer_size)");
	perfgrp_records_get_stats(group->sampling->records, &call->arg.stream_stats);
	return 0;
}

static ssize_t group_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct perfgrp_group *group = file->private_data;

	if (!group->sampling)
		return -EINVAL;
	return perfgrp_records_read(group->sampling->records, to, room,
				    !(file->f_flags & O_NONBLOCK));
}

/* PERFGRP_OPEN_READER without PERFGRP_READER_RECORDS. */
static ssize_t group_read_denied(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	return -EACCES;
}

static int map_rows(struct perfgrp_group *group, struct vm_area_struct *vma)
{
	return group->mapped ? perfgrp_mapped_mmap(group->mapped, vma) : -EINVAL;
}

/* PERFGRP_OPEN_READER without PERFGRP_READER_RECORDS. */
static int viewer_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff != PERFGRP_MMAP_ROWS >> PAGE_SHIFT)
		return -EACCES;
	return map_rows(file->private_data, vma);
}

/* Without FMODE_WRITE rings can be mapped read-only, so records cannot be consumed. */
static int group_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct perfgrp_group *group = file->private_data;

	if (vma->vm_pgoff == PERFGRP_MMAP_ROWS >> PAGE_SHIFT)
		return map_rows(group, vma);
	if (!group->sampling)
		return -EINVAL;
	return perfgrp_records_mmap(group->sampling->records, vma);
}

static __poll_t group_poll(struct file *file, struct poll_table_struct *table)
{
	struct perfgrp_group *group = file->private_data;

	if (group->sampling)
		return perfgrp_records_poll(group->sampling->records, file, table);
	if (!group->cgroup)
		return EPOLLERR;
	poll_wait(file, &group->wait, table);
	return perfgrp_cgroup_removed(group) ? EPOLLHUP : 0;
}

/* ---- BPF ----------------------------------------------------------------- */

static int attach_prepare(struct perfgrp_group *group, struct perfgrp_call *call)
{
	call->attachment = perfgrp_bpf_prepare(&call->arg.bpf_attach, &call->err);
	return PTR_ERR_OR_ZERO(call->attachment);
}

static int attach_program(struct perfgrp_group *group, struct perfgrp_call *call)
{
	return perfgrp_bpf_attach(group, &call->arg.bpf_attach, &call->attachment, &call->err);
}

static int replace_program(struct perfgrp_group *group, struct perfgrp_call *call)
{
	return perfgrp_bpf_replace(group, &call->arg.bpf_attach, &call->attachment, &call->err);
}

/* Runs without the lock, because dropping the old program waits for a grace period. */
static int attach_finish(struct perfgrp_group *group, struct perfgrp_call *call, int ret)
{
	if (ret)
		perfgrp_bpf_abort(call->attachment);
	else if (call->attachment)
		perfgrp_bpf_drop(call->attachment);
	return ret;
}

static int detach_program(struct perfgrp_group *group, struct perfgrp_call *call)
{
	int ret = perfgrp_bpf_detach(group, &call->arg.bpf_detach, &call->err);

	call->attachment = perfgrp_bpf_take_detached(group);
	return ret;
}

static int query_program(struct perfgrp_group *group, struct perfgrp_call *call)
{
	return perfgrp_bpf_query(group, &call->arg.bpf_query, &call->err);
}

static int get_bpf_handle(struct perfgrp_group *group, struct perfgrp_call *call)
{
	struct perfgrp_bpf_handle *arg = &call->arg.bpf_handle;

	return perfgrp_bpf_kfunc_get_handle(group, arg->flags & PERFGRP_BPF_HANDLE_NEW,
					    &arg->handle, &call->err);
}

static int bpf_events_on(struct perfgrp_group *group, struct perfgrp_call *call)
{
	int ret;

	if (!perfmon_capable())
		return perfgrp_fail(&call->err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				    "records of BPF programs need CAP_PERFMON");
	ret = perfgrp_bpf_events_check(group->sampling, "", &call->err);
	return ret ?: perfgrp_bpf_events_subscribe(group, "", &call->err);
}

static int bpf_events_off(struct perfgrp_group *group, struct perfgrp_call *call)
{
	perfgrp_bpf_events_unsubscribe(group);
	return 0;
}

/* ---- the files ----------------------------------------------------------- */

static const struct file_operations group_fops;
static const struct file_operations reader_fops;
static const struct file_operations viewer_fops;

static struct file *create_file(struct perfgrp_group *group, const struct file_operations *fops,
				int flags)
{
	struct file *file = anon_inode_getfile("[perfgrp]", fops, group, flags);

	if (!IS_ERR(file))
		perfgrp_group_get(group);
	return file;
}

static int open_reader(struct perfgrp_group *group, struct perfgrp_call *call)
{
	struct perfgrp_reader *reader = &call->arg.reader;
	bool records = reader->flags & PERFGRP_READER_RECORDS;
	int ret;

	if (records && call->file->f_op == &viewer_fops)
		return perfgrp_fail(&call->err, -EACCES, PERFGRP_REASON_PRIVILEGE, "flags",
				    "READER_RECORDS: this fd may not read records itself");
	ret = perfgrp_ioctl_reserve_fd(call);
	if (ret)
		return ret;
	ret = perfgrp_ioctl_set_file(call, create_file(group, records ? &reader_fops : &viewer_fops,
						       O_RDONLY));
	if (!ret)
		reader->fd = call->new_fd;
	return ret;
}

static int group_release(struct inode *inode, struct file *file)
{
	perfgrp_group_put(file->private_data);
	return 0;
}

#define FIRST	   _IOC_NR(PERFGRP_ADD)
#define INDEX(cmd) (_IOC_NR(cmd) - FIRST)

static const struct perfgrp_ioctl group_ioctls[] = {
	[INDEX(PERFGRP_ADD)] = {
		PERFGRP_IOCTL(PERFGRP_ADD, perfgrp_add, PERFGRP_ADD),
		.changes	= true,
		.prepare	= add_prepare,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= add_members,
		.fault_in	= add_fault_in,
		.finish		= add_finish,
	},
	[INDEX(PERFGRP_REMOVE)] = {
		PERFGRP_IOCTL(PERFGRP_REMOVE, perfgrp_remove, PERFGRP_REMOVE),
		PERFGRP_IOCTL_RESERVED(perfgrp_remove),
		.flags		= PERFGRP_REMOVE_CASCADE,
		.changes	= true,
		.prepare	= detach_prepare,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= remove_member,
		.finish		= detach_finish,
	},
	[INDEX(PERFGRP_ENABLE)] = {
		PERFGRP_IOCTL(PERFGRP_ENABLE, perfgrp_control, PERFGRP_CONTROL),
		.changes	= true,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= enable_group,
	},
	[INDEX(PERFGRP_DISABLE)] = {
		PERFGRP_IOCTL(PERFGRP_DISABLE, perfgrp_control, PERFGRP_CONTROL),
		.changes	= true,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= disable_group,
	},
	[INDEX(PERFGRP_RESET)] = {
		PERFGRP_IOCTL(PERFGRP_RESET, perfgrp_control, PERFGRP_CONTROL),
		.changes	= true,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= reset_group,
	},
	[INDEX(PERFGRP_SNAPSHOT)] = {
		PERFGRP_IOCTL(PERFGRP_SNAPSHOT, perfgrp_snapshot, PERFGRP_SNAPSHOT),
		.flags		= PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS |
				  PERFGRP_SNAPSHOT_RESET | PERFGRP_SNAPSHOT_CACHED,
		.change_flags	= PERFGRP_SNAPSHOT_RESET,
		.lock		= PERFGRP_READ_LOCKED,
		.fn		= perfgrp_group_snapshot,
		.fault_in	= perfgrp_group_snapshot_fault_in,
		.finish		= perfgrp_group_snapshot_finish,
		.out		= true,
	},
	[INDEX(PERFGRP_QUERY)] = {
		PERFGRP_IOCTL(PERFGRP_QUERY, perfgrp_query, PERFGRP_QUERY),
		.prepare	= query_prepare,
		.lock		= PERFGRP_READ_LOCKED,
		.fn		= query_group,
		.finish		= query_finish,
		.out		= true,
	},
	[INDEX(PERFGRP_OPEN_READER)] = {
		PERFGRP_IOCTL(PERFGRP_OPEN_READER, perfgrp_reader, PERFGRP_READER),
		PERFGRP_IOCTL_RESERVED(perfgrp_reader),
		.flags		= PERFGRP_READER_RECORDS,
		.lock		= PERFGRP_UNLOCKED,
		.fn		= open_reader,
		.out		= true,
	},
	[INDEX(PERFGRP_SET_PERIOD)] = {
		PERFGRP_IOCTL(PERFGRP_SET_PERIOD, perfgrp_period, PERFGRP_PERIOD),
		PERFGRP_IOCTL_RESERVED(perfgrp_period),
		.changes	= true,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= set_period,
	},
	[INDEX(PERFGRP_GET_STREAM_STATS)] = {
		PERFGRP_IOCTL(PERFGRP_GET_STREAM_STATS, perfgrp_stream_stats, PERFGRP_STREAM_STATS),
		PERFGRP_IOCTL_RESERVED(perfgrp_stream_stats),
		.lock		= PERFGRP_UNLOCKED,
		.fn		= get_stream_stats,
		.out		= true,
	},
	[INDEX(PERFGRP_BPF_EVENTS_ON)] = {
		PERFGRP_IOCTL(PERFGRP_BPF_EVENTS_ON, perfgrp_control, PERFGRP_CONTROL),
		.changes	= true,
		.lock		= PERFGRP_UNLOCKED,
		.fn		= bpf_events_on,
	},
	[INDEX(PERFGRP_BPF_EVENTS_OFF)] = {
		PERFGRP_IOCTL(PERFGRP_BPF_EVENTS_OFF, perfgrp_control, PERFGRP_CONTROL),
		.changes	= true,
		.lock		= PERFGRP_UNLOCKED,
		.fn		= bpf_events_off,
	},
	[INDEX(PERFGRP_BPF_ATTACH)] = {
		PERFGRP_IOCTL(PERFGRP_BPF_ATTACH, perfgrp_bpf_attach, PERFGRP_BPF_ATTACH),
		PERFGRP_IOCTL_RESERVED(perfgrp_bpf_attach),
		.flags		= PERFGRP_BPF_TIMED,
		.changes	= true,
		.prepare	= attach_prepare,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= attach_program,
		.finish		= attach_finish,
	},
	[INDEX(PERFGRP_BPF_REPLACE)] = {
		PERFGRP_IOCTL(PERFGRP_BPF_REPLACE, perfgrp_bpf_attach, PERFGRP_BPF_ATTACH),
		PERFGRP_IOCTL_RESERVED(perfgrp_bpf_attach),
		.flags		= PERFGRP_BPF_TIMED,
		.changes	= true,
		.prepare	= attach_prepare,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= replace_program,
		.finish		= attach_finish,
	},
	[INDEX(PERFGRP_BPF_DETACH)] = {
		PERFGRP_IOCTL(PERFGRP_BPF_DETACH, perfgrp_bpf_detach, PERFGRP_BPF_DETACH),
		.changes	= true,
		.prepare	= detach_prepare,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= detach_program,
		.finish		= detach_finish,
	},
	[INDEX(PERFGRP_BPF_QUERY)] = {
		PERFGRP_IOCTL(PERFGRP_BPF_QUERY, perfgrp_bpf_query, PERFGRP_BPF_QUERY),
		PERFGRP_IOCTL_RESERVED(perfgrp_bpf_query),
		.lock		= PERFGRP_READ_LOCKED,
		.fn		= query_program,
		.out		= true,
	},
	[INDEX(PERFGRP_GET_BPF_HANDLE)] = {
		PERFGRP_IOCTL(PERFGRP_GET_BPF_HANDLE, perfgrp_bpf_handle, PERFGRP_BPF_HANDLE),
		.flags		= PERFGRP_BPF_HANDLE_NEW,
		.changes	= true,
		.lock		= PERFGRP_WRITE_LOCKED,
		.fn		= get_bpf_handle,
		.out		= true,
	},
};

static long group_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return perfgrp_ioctl(file, file->private_data, cmd, arg, group_ioctls, FIRST,
			     ARRAY_SIZE(group_ioctls));
}

#define COMMON_FOPS                                                                                \
	.owner = THIS_MODULE, .llseek = noop_llseek, .release = group_release, .poll = group_poll, \
	.unlocked_ioctl = group_ioctl, .compat_ioctl = compat_ptr_ioctl,                           \
	.show_fdinfo = perfgrp_group_show_fdinfo

static const struct file_operations group_fops = {
	COMMON_FOPS,
	.read = group_read,
	.mmap = group_mmap,
};

/* Read-only, with PERFGRP_READER_RECORDS and without. */
static const struct file_operations reader_fops = {
	COMMON_FOPS,
	.read = group_read,
	.mmap = group_mmap,
};

static const struct file_operations viewer_fops = {
	COMMON_FOPS,
	.read = group_read_denied,
	.mmap = viewer_mmap,
};

/**
 * perfgrp_group_file_create - create the file that PERFGRP_CREATE returns
 * @group: the group. The caller's reference passes to the file.
 *
 * Return: the file, or an ERR_PTR(); on error the caller keeps its reference.
 */
struct file *perfgrp_group_file_create(struct perfgrp_group *group)
{
	return anon_inode_getfile("[perfgrp]", &group_fops, group, O_RDWR);
}
