/* SPDX-License-Identifier: GPL-2.0 */
/* The file descriptors of a group. */
#ifndef PERFGRP_GROUP_FILE_H
#define PERFGRP_GROUP_FILE_H

struct file;
struct perfgrp_group;

struct file *perfgrp_group_file_create(struct perfgrp_group *group);

#endif /* PERFGRP_GROUP_FILE_H */
