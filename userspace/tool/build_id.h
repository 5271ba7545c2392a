/* SPDX-License-Identifier: GPL-2.0 */
/* Build-ids of programs and libraries. */
#ifndef PERFGRP_BUILD_ID_H
#define PERFGRP_BUILD_ID_H

#include <stddef.h>
#include <linux/types.h>

/* A SHA-1; perf and the kernel have no room for more. */
#define BUILD_ID_MAX	20

int build_id_open(const char *path, const __u64 *inode);
size_t build_id_read(int fd, __u8 *id);

#endif /* PERFGRP_BUILD_ID_H */
