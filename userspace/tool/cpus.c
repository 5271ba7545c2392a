// SPDX-License-Identifier: GPL-2.0
/* The machine's CPUs. */
#include <stdlib.h>

#include "cpus.h"

/* Adds the CPUs that are online; CPU 0 where sysfs does not say. */
void cpus_online(struct numbers *cpus)
{
	char *text = read_file("/sys/devices/system/cpu/online");

	if (!text || numbers_parse(cpus, text, true))
		numbers_add(cpus, 0);
	free(text);
}
