/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before everything else where the kernel has one CPU: nr_cpu_ids is a macro there,
 * and the name of a field of struct perfgrp_info.
 */
#ifndef PERFGRP_UP_H
#define PERFGRP_UP_H

/* As the files that log define it after this. */
#define pr_fmt(fmt) "perfgrp: " fmt
#include <linux/cpumask.h>

#undef nr_cpu_ids
enum { nr_cpu_ids = 1 };

#endif /* PERFGRP_UP_H */
