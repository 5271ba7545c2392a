// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/perfgrp: tells about the module and creates groups.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/string.h>

#include "perfgrp.h"

static u64 known_features(void)
{
	u64 features = PERFGRP_FEATURE_INHERIT | PERFGRP_FEATURE_NO_MUX | PERFGRP_FEATURE_HOTPLUG |
		       PERFGRP_FEATURE_SAMPLING;

	if (perfgrp_bpf_is_supported())
		features |= PERFGRP_FEATURE_BPF;
	if (perfgrp_bpf_kfunc_supported())
		features |= PERFGRP_FEATURE_KFUNC;
	if (perfgrp_core_can_link())
		features |= PERFGRP_FEATURE_SCHED_GROUP;
	if (perfgrp_access_unprivileged_allowed())
		features |= PERFGRP_FEATURE_UNPRIVILEGED;
	if (perfgrp_bpf_events_available())
		features |= PERFGRP_FEATURE_BPF_EVENTS;
	return features;
}

static int get_info(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_info *info = &call->arg.info;

	info->features = known_features();
	info->max_members = PERFGRP_MAX_MEMBERS;
	info->nr_cpu_ids = nr_cpu_ids;
	info->max_groups = PERFGRP_MAX_GROUPS;
	info->max_buffer = PERFGRP_MAX_BUFFER;
	strscpy_pad(info->version, PERFGRP_VERSION, sizeof(info->version));
	return 0;
}

static int create_group(struct file *file, struct perfgrp_call *call)
{
	struct perfgrp_create *create = &call->arg.create;
	struct perfgrp_group *group;

	group = perfgrp_group_create(create, &call->err);
	if (IS_ERR(group))
		return PTR_ERR(group);

	call->fd = get_unused_fd_flags(O_CLOEXEC);
	if (call->fd < 0) {
		perfgrp_group_destroy(group);
		return perfgrp_fail(&call->err, call->fd, PERFGRP_REASON_LIMIT, "fd",
				    "no file descriptor is left");
	}
	call->file = perfgrp_group_file_create(group);
	if (IS_ERR(call->file)) {
		int ret = PTR_ERR(call->file);

		call->file = NULL;
		put_unused_fd(call->fd);
		perfgrp_group_destroy(group);
		return perfgrp_fail(&call->err, ret, PERFGRP_REASON_LIMIT, "fd", "no file is left");
	}
	create->fd = call->fd;
	return 0;
}

static const struct perfgrp_ioctl device_ioctls[] = {
	[_IOC_NR(PERFGRP_INFO)] = {
		.name		= "PERFGRP_INFO",
		.size		= sizeof(struct perfgrp_info),
		.min_size	= PERFGRP_INFO_SIZE_VER0,
		.out		= true,
		.fn		= get_info,
	},
	[_IOC_NR(PERFGRP_CREATE)] = {
		.name		= "PERFGRP_CREATE",
		.size		= sizeof(struct perfgrp_create),
		.min_size	= PERFGRP_CREATE_SIZE_VER0,
		.flags		= PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT |
				  PERFGRP_CREATE_ENABLE_ON_EXEC | PERFGRP_CREATE_NO_MUX |
				  PERFGRP_CREATE_EXCLUSIVE | PERFGRP_CREATE_ONE_SCHED_GROUP |
				  PERFGRP_CREATE_OVERWRITE | PERFGRP_CREATE_BPF_EVENTS,
		.reserved	= offsetof(struct perfgrp_create, reserved),
		.reserved_size	= sizeof_field(struct perfgrp_create, reserved),
		.out		= true,
		.fn		= create_group,
	},
};

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return perfgrp_ioctl(file, cmd, arg, device_ioctls, 0, ARRAY_SIZE(device_ioctls));
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.llseek = noop_llseek,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "perfgrp",
	.mode = 0600,
	.fops = &device_fops,
};

int perfgrp_device_register(void)
{
	return misc_register(&device);
}

void perfgrp_device_unregister(void)
{
	misc_deregister(&device);
}
