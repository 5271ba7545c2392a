/* SPDX-License-Identifier: GPL-2.0 */
/* The machine's CPUs. */
#ifndef PERFGRP_CPUS_H
#define PERFGRP_CPUS_H

#include "util.h"

void cpus_online(struct numbers *cpus);

#endif /* PERFGRP_CPUS_H */
