/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks named by a pidfd. */
#ifndef PERFGRP_PIDFD_H
#define PERFGRP_PIDFD_H

#include <linux/types.h>

struct task_struct;

void perfgrp_pidfd_init(void);
bool perfgrp_pidfd_supported(void);
struct task_struct *perfgrp_pidfd_get_task(int fd);

#endif /* PERFGRP_PIDFD_H */
