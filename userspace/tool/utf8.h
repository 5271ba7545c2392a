/* SPDX-License-Identifier: GPL-2.0 */
/* Names from outside, made valid UTF-8 and safe to print. */
#ifndef PERFGRP_UTF8_H
#define PERFGRP_UTF8_H

char *utf8_clean(const char *text);
char *utf8_distinct(const char *text);
char *utf8_printable(const char *text);

#endif /* PERFGRP_UTF8_H */
