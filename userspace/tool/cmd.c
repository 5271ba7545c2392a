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
		error("cannot open " PERFGRP_DEVICE ": %s; is the module loaded? (insmod perfgrp.ko)",
		      strerror(errno));
		break;
	case EACCES:
	case EPERM:
		error("cannot open " PERFGRP_DEVICE ": %s; it belongs to root, "
		      "until a udev rule gives it to a group", strerror(errno));
		break;
	default:
		error("cannot open " PERFGRP_DEVICE ": %s", strerror(errno));
	}
	return NULL;
}
