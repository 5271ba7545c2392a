// SPDX-License-Identifier: GPL-2.0
/* Small helpers of the tool. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd.h"
#include "util.h"

void *xcheck(void *p)
{
	if (!p) {
		fputs("perfgrp: out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return p;
}

void *xcalloc(size_t nr, size_t size)
{
	return xcheck(calloc(nr, size));
}

void *xrealloc(void *old, size_t nr, size_t size)
{
	return xcheck(reallocarray(old, nr, size));
}

char *xstrdup(const char *s)
{
	return xcheck(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return xcheck(strndup(s, len));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return xcheck(s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

/* Adds a string; the list takes ownership. */
void strings_add(struct strings *list, char *s)
{
	GROW(list->s, list->nr, list->room);
	list->s[list->nr++] = s;
}

static int compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts in natural order: cpu2 before cpu10. */
void strings_sort(struct strings *list)
{
	if (list->nr)
		qsort(list->s, list->nr, sizeof(*list->s), compare);
}

void strings_free(struct strings *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		free(list->s[i]);
	free(list->s);
	memset(list, 0, sizeof(*list));
}

/* Returns a small file's contents without the last newline, or NULL. */
char *read_file(const char *fmt, ...)
{
	char path[PATH_MAX], *text = NULL;
	size_t room = 0;
	ssize_t len;
	va_list ap;
	FILE *f;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path))
		return NULL;

	f = fopen(path, "re");
	if (!f)
		return NULL;
	len = getdelim(&text, &room, '\0', f);
	fclose(f);
	if (len < 0) {
		free(text);
		return NULL;
	}
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	return text;
}

/* Adds the names in a directory, sorted; nothing if the directory does not exist. */
void list_dir(struct strings *names, const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			strings_add(names, xstrdup(entry->d_name));
	closedir(dir);
	strings_sort(names);
}

/**
 * parse_u64 - parse a number that is not negative
 * @text: the number
 * @base: as for strtoull()
 * @end: set to the text after the number
 * @value: filled in
 *
 * Return: 0, or -EINVAL if it does not begin with a digit, or has more than 64 bits
 */
int parse_u64(const char *text, int base, char **end, __u64 *value)
{
	errno = 0;
	*value = strtoull(text, end, base);
	/* strtoull() skips blanks and takes a sign. */
	return errno || *end == text || !isxdigit((unsigned char)*text) ? -EINVAL : 0;
}

void numbers_add(struct numbers *list, unsigned int n)
{
	GROW(list->n, list->nr, list->room);
	list->n[list->nr++] = n;
}

/* Adds the names in a directory that are numbers, sorted: pids, tids, file descriptors. */
void numbers_list_dir(struct numbers *list, const char *path)
{
	struct strings names = { 0 };
	size_t i;

	list_dir(&names, path);
	for (i = 0; i < names.nr; i++)
		if (names.s[i][0] >= '0' && names.s[i][0] <= '9')
			numbers_add(list, strtoul(names.s[i], NULL, 10));
	strings_free(&names);
}

bool numbers_have(const struct numbers *list, unsigned int n)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->n[i] == n)
			return true;
	return false;
}

static int parse_number(const char **s, unsigned int *n)
{
	__u64 value;
	char *end;

	if (**s < '0' || **s > '9' || parse_u64(*s, 10, &end, &value) || value > INT_MAX)
		return -EINVAL;
	*s = end;
	*n = value;
	return 0;
}

/*
 * Parses "0,3-5,7" into a list, each number once; ranges only if @ranges is set. Spaces and
 * newlines at the end are ignored, for files in sysfs. Returns 0 or -EINVAL.
 */
int numbers_parse(struct numbers *list, const char *s, bool ranges)
{
	for (;;) {
		unsigned int first, last;

		if (parse_number(&s, &first))
			return -EINVAL;
		last = first;
		if (*s == '-' && ranges) {
			s++;
			if (parse_number(&s, &last) || last < first || last - first > 1 << 16)
				return -EINVAL;
		}
		for (;;) {
			if (!numbers_have(list, first))
				numbers_add(list, first);
			if (first++ == last)
				break;
		}
		if (*s != ',')
			break;
		s++;
	}
	s += strspn(s, " \n");
	return *s ? -EINVAL : 0;
}

/* Formats numbers in ascending order as "0,3-5,7"; to be freed. */
char *numbers_text(const struct numbers *list)
{
	char *text = xstrdup(""), *longer;
	size_t i, last;

	for (i = 0; i < list->nr; i = last + 1) {
		last = i;
		while (last + 1 < list->nr && list->n[last + 1] == list->n[last] + 1)
			last++;
		if (last > i)
			longer = xasprintf("%s%s%u-%u", text, i ? "," : "", list->n[i],
					   list->n[last]);
		else
			longer = xasprintf("%s%s%u", text, i ? "," : "", list->n[i]);
		free(text);
		text = longer;
	}
	return text;
}

void numbers_free(struct numbers *list)
{
	free(list->n);
	memset(list, 0, sizeof(*list));
}

/* Raises the soft limit of open files to the hard limit. Returns true if that allows more files. */
bool allow_more_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Prints a line to standard error: an error, or another message about what is going on. */
void error(const char *fmt, ...)
{
	va_list ap;

	fputs("perfgrp: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/**
 * flush_output - write what a stream has in its buffer, and check that all so far was written
 * @out: the stream
 * @name: its name, for the error
 *
 * Call it before anything else that sets errno: the write that failed may have been an earlier one.
 *
 * Return: 0, or -EIO after printing an error, which the next call does not print again
 */
int flush_output(FILE *out, const char *name)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	error("cannot write to %s: %s", name, strerror(errno));
	clearerr(out);
	return -EIO;
}
