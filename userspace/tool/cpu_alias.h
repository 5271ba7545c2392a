/* SPDX-License-Identifier: GPL-2.0 */
/* The CPU vendor's event names. */
#ifndef PERFGRP_CPU_ALIAS_H
#define PERFGRP_CPU_ALIAS_H

char *cpu_alias_expand(const char *text, const char *pmu);

#endif /* PERFGRP_CPU_ALIAS_H */
