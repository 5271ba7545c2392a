// SPDX-License-Identifier: GPL-2.0
/*
 * Holds groups open, and nothing else of perfgrp, until it is killed: one on all CPUs, one of a
 * task on one CPU, for which the module registers a PMU of its own, one with a buffer, for which it
 * waits at a tracepoint for the task's exit, and one on a cgroup, for which it waits for rmdir(2).
 */
#include "stream.h"

int main(void)
{
	static struct verdict own;
	int fd;

	verdict = &own;
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	if (fd < 0 || grp_add(fd, PERFGRP_SW_PAGE_FAULTS) < 0)
		return 1;
	fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLED, 0, 0);
	if (fd < 0 || grp_add(fd, PERFGRP_SW_PAGE_FAULTS) < 0)
		return 1;
	/* If the machine has a PMU. */
	grp_add(fd, PERFGRP_HW_CPU_CYCLES);
	if (stream_on_task(0, 0, 65536) < 0)
		return 1;
	/* If cgroups can be counted. */
	grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_CGROUP,
		.target_fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC) });
	close(open("/tmp/group-is-open", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	for (;;)
		pause();
}
