/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of libperfgrp share. */
#ifndef PERFGRP_LIB_INTERNAL_H
#define PERFGRP_LIB_INTERNAL_H

#include "perfgrp.h"

struct perfgrp_dev {
	int fd;
	struct perfgrp_error error;	/* of the last call that failed */
};

struct perfgrp_group {
	int fd;
	struct perfgrp_error error;	/* of the last call that failed */
};

/*
 * Every ioctl's struct begins with size, flags and error. This sets size and
 * error and leaves the rest to the caller.
 */
#define perfgrp_call(handle, nr, arg)							\
({											\
	(arg)->size = sizeof(*(arg));							\
	(arg)->error = (__u64)(unsigned long)&(handle)->error;				\
	perfgrp_ioctl((handle)->fd, nr, arg, &(handle)->error);				\
})

int perfgrp_ioctl(int fd, unsigned long nr, void *arg, struct perfgrp_error *error);
void perfgrp_set_error(struct perfgrp_error *error, int err);
int perfgrp_snap_grow(struct perfgrp_snap *snap, __u32 nr_rows, __u32 nr_values);

#endif /* PERFGRP_LIB_INTERNAL_H */
