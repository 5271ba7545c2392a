/* SPDX-License-Identifier: GPL-2.0 */
/* Small helpers of the tool. If an allocation fails, the program exits. */
#ifndef PERFGRP_UTIL_H
#define PERFGRP_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

void *xcheck(void *p);
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *old, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Makes room for one more element in an array that doubles as it grows. */
#define GROW(array, nr, room)								\
do {											\
	if ((nr) == (room)) {								\
		(room) = (room) ? 2 * (room) : 4;					\
		(array) = xrealloc(array, room, sizeof(*(array)));			\
	}										\
} while (0)

/**
 * struct strings - a list of strings that it owns
 * @s: the strings
 * @nr: how many
 * @room: how many @s has room for
 */
struct strings {
	char **s;
	size_t nr;
	size_t room;
};

void strings_add(struct strings *list, char *s);
void strings_sort(struct strings *list);
void strings_free(struct strings *list);

char *read_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void list_dir(struct strings *names, const char *path);

int parse_u64(const char *text, int base, char **end, __u64 *value);

/**
 * struct numbers - a list of CPUs or tasks
 * @n: the numbers
 * @nr: how many
 * @room: how many @n has room for
 */
struct numbers {
	unsigned int *n;
	size_t nr;
	size_t room;
};

void numbers_add(struct numbers *list, unsigned int n);
void numbers_list_dir(struct numbers *list, const char *path);
bool numbers_have(const struct numbers *list, unsigned int n);
char *numbers_text(const struct numbers *list);
int numbers_parse(struct numbers *list, const char *s, bool ranges);
void numbers_free(struct numbers *list);

bool allow_more_files(void);

void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int flush_output(FILE *out, const char *name);

#endif /* PERFGRP_UTIL_H */
