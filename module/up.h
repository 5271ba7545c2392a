/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before everything else on kernels without CONFIG_SMP: there nr_cpu_ids is a macro, and
 * struct perfgrp_info has a field of that name.
 */
#ifndef PERFGRP_UP_H
#define PERFGRP_UP_H

/* The same definition as in the files that log, which comes after this one. */
#define pr_fmt(fmt) "perfgrp: " fmt
#include <linux/cpumask.h>

#undef nr_cpu_ids
enum { nr_cpu_ids = 1 };

#endif /* PERFGRP_UP_H */
