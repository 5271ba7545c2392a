// SPDX-License-Identifier: GPL-2.0
/* What commands have in common. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

/* Opens the device, or says what is needed and returns NULL. */
struct perfgrp_dev *cmd_open_device(void)
{
	struct perfgrp_dev *dev = perfgrp_open();

	if (dev)
		return dev;
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		error("cannot open %s: %s; is the module loaded? (insmod perfgrp.ko)",
		      PERFGRP_DEVICE, strerror(errno));
		break;
	case EACCES:
	case EPERM:
		error("cannot open %s: %s; it is root's, until a udev rule gives it to a group",
		      PERFGRP_DEVICE, strerror(errno));
		break;
	default:
		error("cannot open %s: %s", PERFGRP_DEVICE, strerror(errno));
	}
	return NULL;
}
