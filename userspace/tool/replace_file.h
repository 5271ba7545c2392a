/* SPDX-License-Identifier: GPL-2.0 */
/* Replacing a file atomically. */
#ifndef PERFGRP_REPLACE_FILE_H
#define PERFGRP_REPLACE_FILE_H

#include <stddef.h>

int replace_file_check(const char *option, const char *path);
int replace_file(const char *path, const char *text, size_t len, int known);

#endif /* PERFGRP_REPLACE_FILE_H */
