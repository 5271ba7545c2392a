// SPDX-License-Identifier: GPL-2.0
/*
 * Holds a group whose two members sample, page-faults (each) and cpu-clock, on all CPUs,
 * in two processes until it is killed; says "PID FD CHILD".
 */
#include "group.h"

#include <sys/prctl.h>

int main(void)
{
	static struct verdict own;
	struct perfgrp_counter counters[] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 },
		{ .event = PERFGRP_SW_CPU_CLOCK, .sample_freq = 99, .flags = PERFGRP_COUNTER_FREQ },
	};
	const struct perfgrp_create create = {
		.flags = PERFGRP_CREATE_ENABLED,
		.target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = 8192,
	};
	pid_t child;
	int fd;

	verdict = &own;
	fd = grp_create_like(create);
	if (fd < 0 || grp_add_counters(fd, counters, 2))
		return 1;
	child = fork();
	if (child) {
		printf("%d %d %d\n", getpid(), fd, child);
		fflush(stdout);
	} else {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	for (;;)
		pause();
}
