// SPDX-License-Identifier: GPL-2.0
/* Holds a group open, and nothing else of perfgrp, until it is killed. */
#include "group.h"

int main(void)
{
	static struct verdict own;
	int fd;

	verdict = &own;
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	if (fd < 0 || grp_add(fd, PERFGRP_SW_PAGE_FAULTS) < 0)
		return 1;
	close(open("/tmp/group-is-open", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	for (;;)
		pause();
}
