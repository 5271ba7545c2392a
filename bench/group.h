/* SPDX-License-Identifier: GPL-2.0 */
/* Groups of perfgrp for benchmarks: all members count the same. */
#ifndef BENCH_GROUP_H
#define BENCH_GROUP_H

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perfgrp.h>

#include "bench.h"

#define GROUP_MAX 16

static struct perfgrp_error error = { .size = sizeof(error) };

/* @arg begins with size, flags and error, like all arguments. */
static inline void grp_ioctl(int fd, unsigned long request, void *arg)
{
	((struct perfgrp_control *)arg)->error = (uintptr_t)&error;
	if (ioctl(fd, request, arg))
		die("ioctl %#lx: %s (%s)", request, strerror(errno), error.text);
}

/* Creates a group as described by @how, with @nr members, at most GROUP_MAX. Returns its fd. */
static inline int grp_new(struct perfgrp_create how, unsigned int nr)
{
	struct perfgrp_counter counters[GROUP_MAX] = {};
	struct perfgrp_add add = {
		.size = sizeof(add),
		.counters = (uintptr_t)counters,
		.counter_size = sizeof(counters[0]),
		.nr_counters = nr,
	};
	static int device = -1;
	unsigned int i;

	if (device < 0)
		device = open("/dev/perfgrp", O_RDWR | O_CLOEXEC);
	if (device < 0)
		die_errno("/dev/perfgrp");
	for (i = 0; i < nr; i++) {
		counters[i].event = PERFGRP_HW_INSTRUCTIONS;
		if (counts_user_cycles) {
			counters[i].event = PERFGRP_HW_CPU_CYCLES;
			counters[i].flags = PERFGRP_COUNTER_EXCLUDE_KERNEL;
		}
	}
	how.size = sizeof(how);
	grp_ioctl(device, PERFGRP_CREATE, &how);
	grp_ioctl(how.fd, PERFGRP_ADD, &add);
	return how.fd;
}

#endif /* BENCH_GROUP_H */
