// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The device: the module's features and limits, and creating groups. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf.h"

/**
 * perfgrp_lib_version - the version of the library in use
 *
 * Return: as PERFGRP_LIB_VERSION
 */
const char *perfgrp_lib_version(void)
{
	return PERFGRP_LIB_VERSION;
}

/**
 * perfgrp_open - open the device; with PERFGRP_BACKEND=perf in the environment as
 *	perfgrp_open_perf()
 *
 * Return: a handle for perfgrp_close(), or NULL with errno set; perfgrp_open_error() explains it.
 *	EINVAL: PERFGRP_BACKEND is neither "module" nor "perf".
 */
struct perfgrp_dev *perfgrp_open(void)
{
	const char *backend = getenv("PERFGRP_BACKEND");

	if (!backend || !*backend || !strcmp(backend, "module"))
		return perfgrp_open_path(PERFGRP_DEVICE);
	if (!strcmp(backend, "perf"))
		return perfgrp_open_perf();
	errno = EINVAL;
	return NULL;
}

/**
 * perfgrp_open_perf - use perf_event_open(2) instead of the module
 *
 * libperfgrp(3) lists what groups lack without the module.
 *
 * Return: a handle for perfgrp_close(), or NULL with errno set
 */
struct perfgrp_dev *perfgrp_open_perf(void)
{
	struct perfgrp_dev *dev = perfgrp_open_fd(-1);

	if (dev)
		dev->is_perf = 1;
	return dev;
}

/**
 * perfgrp_open_error - explain why the device could not be opened
 * @err: the errno
 *
 * Return: a hint, one line of English; what strerror() says of @err if there is none
 */
const char *perfgrp_open_error(int err)
{
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return "is the module loaded? (see perfgrp info --check; or PERFGRP_BACKEND=perf)";
	case EACCES:
	case EPERM:
		return "only root may open it, unless a udev rule gives it to a group (perfgrp(4))";
	case EINVAL:
		return "PERFGRP_BACKEND must be \"module\" or \"perf\"";
	}
	return strerror(err);
}

/**
 * perfgrp_is_perf - are groups created without the module?
 * @dev: the device
 *
 * Return: 1 if so, else 0
 */
int perfgrp_is_perf(const struct perfgrp_dev *dev)
{
	return dev->is_perf;
}

/**
 * perfgrp_open_path - open the device at another path, for example in a container
 * @path: the path
 *
 * Return: as perfgrp_open()
 */
struct perfgrp_dev *perfgrp_open_path(const char *path)
{
	struct perfgrp_dev *dev;
	int fd, err;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	dev = perfgrp_open_fd(fd);
	if (!dev) {
		err = errno;
		close(fd);
		errno = err;
	}
	return dev;
}

/**
 * perfgrp_open_fd - make a handle from an open file descriptor of the device
 * @fd: the file descriptor; perfgrp_close() closes it
 *
 * Return: a handle, or NULL with errno set and @fd left open
 */
struct perfgrp_dev *perfgrp_open_fd(int fd)
{
	struct perfgrp_dev *dev = calloc(1, sizeof(*dev));

	if (dev)
		dev->fd = fd;
	return dev;
}

/**
 * perfgrp_close - close the device
 * @dev: the device, or NULL
 *
 * Groups created on it stay usable.
 */
void perfgrp_close(struct perfgrp_dev *dev)
{
	if (!dev)
		return;
	if (dev->fd >= 0)
		close(dev->fd);
	free(dev);
}

/**
 * perfgrp_dev_error - why the last failed call on a device failed
 * @dev: the device
 *
 * Return: its error, valid until the next call on @dev; the text is never empty
 */
const struct perfgrp_error *perfgrp_dev_error(const struct perfgrp_dev *dev)
{
	return &dev->error;
}

/**
 * perfgrp_get_info - version, features and limits of the module
 * @dev: the device
 * @info: filled in; fields that an older module does not know are zero
 * @size: sizeof(*@info)
 *
 * Return: 0 or a negative errno
 */
int perfgrp_get_info(struct perfgrp_dev *dev, struct perfgrp_info *info, size_t size)
{
	if (size < PERFGRP_INFO_SIZE_VER0) {
		perfgrp_set_error(&dev->error, EINVAL);
		return -EINVAL;
	}
	memset(info, 0, size);
	if (perfgrp_is_perf(dev))
		return perfgrp_perf_get_info(info, size);
	return perfgrp_call_sized(dev, PERFGRP_GET_INFO, info, size);
}

static struct perfgrp_group *create_sized(struct perfgrp_dev *dev, struct perfgrp_create *arg,
					  size_t size)
{
	struct perfgrp_group *group = calloc(1, sizeof(*group));
	int err;

	if (!group) {
		perfgrp_set_error(&dev->error, ENOMEM);
		errno = ENOMEM;
		return NULL;
	}
	if (perfgrp_is_perf(dev)) {
		err = perfgrp_perf_create(arg, size, &group->perf, &dev->error);
		arg->fd = -1;
	} else {
		err = perfgrp_call_sized(dev, PERFGRP_CREATE, arg, size);
	}
	if (err) {
		free(group);
		errno = -err;
		return NULL;
	}
	group->fd = arg->fd;
	return group;
}

static struct perfgrp_group *create(struct perfgrp_dev *dev, struct perfgrp_create *arg)
{
	return create_sized(dev, arg, sizeof(*arg));
}

/**
 * perfgrp_create_task - create a group that counts one task
 * @dev: the device
 * @pid: the task's thread id, 0 for the calling thread
 * @flags: PERFGRP_CREATE_*
 *
 * Return: the group, without members, or NULL with errno and the device's error
 * set
 */
struct perfgrp_group *perfgrp_create_task(struct perfgrp_dev *dev, int pid, __u32 flags)
{
	struct perfgrp_create arg = {
		.flags = flags,
		.target = PERFGRP_TARGET_TASK,
		.pid = pid,
	};

	return create(dev, &arg);
}

/**
 * perfgrp_create_task_on_cpu - create a group that counts one task on one CPU only
 * @dev: the device
 * @pid: the task's thread id, 0 for the calling thread
 * @cpu: the CPU
 * @flags: PERFGRP_CREATE_*
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_task_on_cpu(struct perfgrp_dev *dev, int pid, __u32 cpu,
						 __u32 flags)
{
	struct perfgrp_create arg = {
		.flags = flags,
		.target = PERFGRP_TARGET_TASK,
		.pid = pid,
		.cpus = (__u64)(unsigned long)&cpu,
		.nr_cpus = 1,
	};

	return create(dev, &arg);
}

/**
 * perfgrp_create_pidfd - create a group that counts the task of a pidfd
 * @dev: the device, with PERFGRP_FEATURE_PIDFD
 * @pidfd: from pidfd_open(2) or clone(2); the caller may close it afterwards
 * @flags: PERFGRP_CREATE_*
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_pidfd(struct perfgrp_dev *dev, int pidfd, __u32 flags)
{
	struct perfgrp_create arg = {
		.flags = flags,
		.target = PERFGRP_TARGET_PIDFD,
		.target_fd = pidfd,
	};

	return create(dev, &arg);
}

/**
 * perfgrp_create_cpus - create a group that counts everything that runs on some CPUs
 * @dev: the device
 * @cpus: the CPUs, all online, without duplicates
 * @nr_cpus: number of @cpus, 1 or more
 * @flags: PERFGRP_CREATE_*
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_cpus(struct perfgrp_dev *dev, const __u32 *cpus,
					  __u32 nr_cpus, __u32 flags)
{
	struct perfgrp_create arg = {
		.flags = flags,
		.target = PERFGRP_TARGET_CPUS,
		.cpus = (__u64)(unsigned long)cpus,
		.nr_cpus = nr_cpus,
	};

	return create(dev, &arg);
}

/**
 * perfgrp_create_all_cpus - create a group that counts on every CPU, including CPUs
 *	that come online later
 * @dev: the device
 * @flags: PERFGRP_CREATE_*
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_all_cpus(struct perfgrp_dev *dev, __u32 flags)
{
	struct perfgrp_create arg = {
		.flags = flags,
		.target = PERFGRP_TARGET_ALL_CPUS,
	};

	return create(dev, &arg);
}

/**
 * perfgrp_create_cgroup - create a group that counts the tasks of a cgroup and its descendants
 * @dev: the device, with PERFGRP_FEATURE_CGROUP
 * @cgroup_fd: the cgroup's directory, open; the caller may close it afterwards
 * @cpus: CPUs to count them on, without duplicates; NULL for every CPU, including CPUs that come
 *	online later
 * @nr_cpus: number of @cpus, or 0
 * @flags: PERFGRP_CREATE_*
 *
 * On a CPU on which the cgroup has not run, a value is zero, with PERFGRP_STATE_COUNTED and
 * PERFGRP_VALUE_ABSENT.
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_cgroup(struct perfgrp_dev *dev, int cgroup_fd,
					    const __u32 *cpus, __u32 nr_cpus, __u32 flags)
{
	struct perfgrp_create arg = {
		.flags = flags,
		.target = PERFGRP_TARGET_CGROUP,
		.cpus = (__u64)(unsigned long)cpus,
		.nr_cpus = nr_cpus,
		.target_fd = cgroup_fd,
	};

	return create(dev, &arg);
}

/**
 * perfgrp_create_with - create a group with any of the ioctl's options, such as a buffer, the
 *	layout of its records, the clock
 * @dev: the device
 * @how: the ioctl's argument; its size, error and fd are ignored
 * @size: sizeof(*@how)
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_with(struct perfgrp_dev *dev,
					  const struct perfgrp_create *how, size_t size)
{
	struct perfgrp_create *arg = NULL;
	struct perfgrp_group *group;
	int err = EINVAL;

	if (size >= PERFGRP_CREATE_SIZE_VER0) {
		arg = malloc(size);
		err = ENOMEM;
	}
	if (!arg) {
		perfgrp_set_error(&dev->error, err);
		errno = err;
		return NULL;
	}
	memcpy(arg, how, size);
	arg->fd = 0;
	group = create_sized(dev, arg, size);
	err = errno;
	free(arg);
	errno = err;
	return group;
}
