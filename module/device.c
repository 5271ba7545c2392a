// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/perfgrp: describes the module and creates groups.
 *
 * Process context, no lock held.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "access.h"
#include "bpf.h"
#include "bpf_events.h"
#include "bpf_kfunc.h"
#include "compat.h"
#include "device.h"
#include "error.h"
#include "group.h"
#include "group_create.h"
#include "group_file.h"
#include "ioctl.h"
#include "mapped.h"
#include "perfcore.h"
#include "perfgrp.h"
#include "pidfd.h"
#include "sampling.h"
#include "split.h"

static u64 known_features(void)
{
	u64 features = PERFGRP_FEATURE_INHERIT | PERFGRP_FEATURE_NO_MUX | PERFGRP_FEATURE_HOTPLUG |
		       PERFGRP_FEATURE_SAMPLING;

	if (perfgrp_bpf_is_supported())
		features |= PERFGRP_FEATURE_BPF;
	if (perfgrp_bpf_is_supported() && perfgrp_core_has_bpf_guard())
		features |= PERFGRP_FEATURE_BPF_KERNEL;
	if (perfgrp_bpf_kfunc_supported())
		features |= PERFGRP_FEATURE_KFUNC;
	if (perfgrp_core_can_link())
		features |= PERFGRP_FEATURE_SCHED_GROUP;
	if (perfgrp_access_unprivileged_allowed())
		features |= PERFGRP_FEATURE_UNPRIVILEGED;
	if (perfgrp_bpf_events_available())
		features |= PERFGRP_FEATURE_BPF_EVENTS;
	if (perfgrp_pidfd_supported())
		features |= PERFGRP_FEATURE_PIDFD;
	if (perfgrp_sampling_can_keep_contexts())
		features |= PERFGRP_FEATURE_CHILD_VALUES;
	if (perfgrp_core_has_callchain())
		features |= PERFGRP_FEATURE_CALLCHAIN;
	if (perfgrp_core_can_cgroup())
		features |= PERFGRP_FEATURE_CGROUP;
	if (perfgrp_split_supported())
		features |= PERFGRP_FEATURE_SPLIT_BY_CGROUP;
	if (perfgrp_mapped_supported())
		features |= PERFGRP_FEATURE_MAPPED;
	return features;
}

static int get_info(struct perfgrp_group *group, struct perfgrp_call *call)
{
	struct perfgrp_info *info = &call->arg.info;

	info->features = known_features();
	info->max_members = PERFGRP_MAX_MEMBERS;
	info->nr_cpu_ids = nr_cpu_ids;
	info->max_groups = PERFGRP_MAX_GROUPS;
	info->max_buffer = PERFGRP_MAX_BUFFER;
	info->abi_version = PERFGRP_ABI_VERSION;
	strscpy_pad(info->version, PERFGRP_VERSION, sizeof(info->version));
	return 0;
}

static int copy_cpus(const struct perfgrp_create *arg, struct cpumask *cpus,
		     struct perfgrp_error *err)
{
	u32 __user *list = u64_to_user_ptr(arg->cpus);
	unsigned int i;
	u32 cpu;

	for (i = 0; i < arg->nr_cpus; i++) {
		if (get_user(cpu, list + i))
			return perfgrp_fail(err, -EFAULT, PERFGRP_REASON_POINTER, "cpus",
					    "the list of CPUs cannot be read");
		err->cpu = (s32)cpu;
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return perfgrp_fail(err, -ENODEV, PERFGRP_REASON_CPU, "cpus",
					    "CPU %u does not exist", cpu);
		if (cpumask_test_and_set_cpu(cpu, cpus))
			return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_CPU, "cpus",
					    "CPU %u is listed twice", cpu);
		err->cpu = -1;
	}
	return 0;
}

static struct perfgrp_group *create_on_cpus(const struct perfgrp_create *arg,
					    struct perfgrp_error *err)
{
	struct perfgrp_group *group;
	cpumask_var_t cpus;
	int ret;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return ERR_PTR(perfgrp_fail_memory(err));
	ret = copy_cpus(arg, cpus, err);
	group = ret ? ERR_PTR(ret) : perfgrp_group_create(arg, cpus, err);
	free_cpumask_var(cpus);
	return group;
}

static int create_group(struct perfgrp_group *none, struct perfgrp_call *call)
{
	struct perfgrp_create *create = &call->arg.create;
	struct perfgrp_group *group;
	int ret;

	ret = perfgrp_group_check(create, &call->err);
	if (ret)
		return ret;
	group = create_on_cpus(create, &call->err);
	if (IS_ERR(group))
		return PTR_ERR(group);

	ret = perfgrp_ioctl_reserve_fd(call);
	if (!ret)
		ret = perfgrp_ioctl_set_file(call, perfgrp_group_file_create(group));
	if (ret)
		perfgrp_group_put(group);
	else
		create->fd = call->new_fd;
	return ret;
}

static const struct perfgrp_ioctl device_ioctls[] = {
	[_IOC_NR(PERFGRP_GET_INFO)] = {
		PERFGRP_IOCTL(PERFGRP_GET_INFO, perfgrp_info, PERFGRP_INFO),
		.out		= true,
		.fn		= get_info,
	},
	[_IOC_NR(PERFGRP_CREATE)] = {
		PERFGRP_IOCTL(PERFGRP_CREATE, perfgrp_create, PERFGRP_CREATE),
		PERFGRP_IOCTL_RESERVED(perfgrp_create),
		.flags		= PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT |
				  PERFGRP_CREATE_ENABLE_ON_EXEC | PERFGRP_CREATE_NO_MUX |
				  PERFGRP_CREATE_EXCLUSIVE | PERFGRP_CREATE_ONE_SCHED_GROUP |
				  PERFGRP_CREATE_OVERWRITE | PERFGRP_CREATE_BPF_EVENTS |
				  PERFGRP_CREATE_USE_CLOCKID |
				  PERFGRP_CREATE_SPLIT_BY_CGROUP | PERFGRP_CREATE_MAPPED,
		.out		= true,
		.fn		= create_group,
	},
};

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return perfgrp_ioctl(file, NULL, cmd, arg, device_ioctls, 0, ARRAY_SIZE(device_ioctls));
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
