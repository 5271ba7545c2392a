/* SPDX-License-Identifier: GPL-2.0 */
/* Events by the names that the CPU's maker has given them. */
#ifndef PERFGRP_CPU_ALIAS_H
#define PERFGRP_CPU_ALIAS_H

char *cpu_alias_expand(const char *text, const char *pmu);

#endif /* PERFGRP_CPU_ALIAS_H */
