/* SPDX-License-Identifier: GPL-2.0 */
/* TAP on standard output. */
#ifndef TESTS_HOST_TAP_H
#define TESTS_HOST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int tests, failures;

__attribute__((format(printf, 2, 3)))
static inline void result(bool ok, const char *fmt, ...)
{
	va_list ap;

	failures += !ok;
	printf("%sok %u - ", ok ? "" : "not ", ++tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

#endif /* TESTS_HOST_TAP_H */
