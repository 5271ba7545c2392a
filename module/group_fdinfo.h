/* SPDX-License-Identifier: GPL-2.0 */
/* A group's lines in /proc/PID/fdinfo. */
#ifndef PERFGRP_GROUP_FDINFO_H
#define PERFGRP_GROUP_FDINFO_H

struct file;
struct seq_file;

void perfgrp_group_show_fdinfo(struct seq_file *seq, struct file *file);

#endif /* PERFGRP_GROUP_FDINFO_H */
