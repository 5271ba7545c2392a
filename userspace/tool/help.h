/* SPDX-License-Identifier: GPL-2.0 */
/* The texts of "perfgrp help TOPIC". */
#ifndef PERFGRP_HELP_H
#define PERFGRP_HELP_H

#include <stdio.h>

const char *help_find(const char *topic);
void help_list(FILE *out);

#endif /* PERFGRP_HELP_H */
