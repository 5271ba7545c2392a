// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory that is freed all at once, and small files that are read into it. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

struct pool_block {
	struct pool_block *next;
	max_align_t data[];
};

static char *empty_text(void)
{
	static char empty[1];

	return empty;
}

/**
 * perfgrp_pool_alloc - allocate a zeroed array
 * @pool: the pool that owns it
 * @nr: how many elements
 * @size: of an element
 *
 * Return: the array; NULL with @pool->failed set if there is no memory
 */
void *perfgrp_pool_alloc(struct pool *pool, size_t nr, size_t size)
{
	struct pool_block *block = NULL;

	if (!nr || size <= (SIZE_MAX - sizeof(*block)) / nr)
		block = calloc(1, sizeof(*block) + nr * size);
	if (!block) {
		pool->failed = true;
		return NULL;
	}
	block->next = pool->blocks;
	pool->blocks = block;
	return block->data;
}

/**
 * perfgrp_pool_grow - make room for one more element in an array that doubles as it grows
 * @pool: the pool that owns the array
 * @array: the array, or NULL
 * @nr: how many elements it has
 * @room: how many it has room for; updated
 * @size: of an element
 *
 * Return: the array; NULL with @pool->failed set and all else unchanged if there is no memory
 */
void *perfgrp_pool_grow(struct pool *pool, void *array, size_t nr, size_t *room, size_t size)
{
	const size_t wanted = *room ? 2 * *room : 4;
	void *larger;

	if (nr < *room)
		return array;
	larger = perfgrp_pool_alloc(pool, wanted, size);
	if (!larger)
		return NULL;
	if (nr)
		memcpy(larger, array, nr * size);
	*room = wanted;
	return larger;
}

char *perfgrp_pool_strndup(struct pool *pool, const char *s, size_t len)
{
	char *copy;

	len = strnlen(s, len);
	copy = perfgrp_pool_alloc(pool, len + 1, 1);
	if (!copy)
		return empty_text();
	memcpy(copy, s, len);
	return copy;
}

static char *format_text(struct pool *pool, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = len < 0 ? NULL : perfgrp_pool_alloc(pool, len + 1, 1);
	if (!text) {
		pool->failed = true;
		return empty_text();
	}
	vsnprintf(text, len + 1, fmt, ap);
	return text;
}

char *perfgrp_pool_printf(struct pool *pool, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format_text(pool, fmt, ap);
	va_end(ap);
	return text;
}

/* Moves all memory of @from to @to. */
void perfgrp_pool_move(struct pool *to, struct pool *from)
{
	struct pool_block **end = &from->blocks;

	while (*end)
		end = &(*end)->next;
	*end = to->blocks;
	to->blocks = from->blocks;
	from->blocks = NULL;
}

void perfgrp_pool_free(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_block *next = pool->blocks->next;

		free(pool->blocks);
		pool->blocks = next;
	}
}

bool perfgrp_strings_add(struct pool *pool, struct strings *list, const char *s)
{
	char **larger = perfgrp_pool_grow(pool, list->s, list->nr, &list->room, sizeof(*list->s));

	if (!larger)
		return false;
	list->s = larger;
	list->s[list->nr++] = perfgrp_pool_strndup(pool, s, strlen(s));
	return true;
}

/* Returns a small file's contents without the last newline, or NULL. */
char *perfgrp_read_file(struct pool *pool, const char *fmt, ...)
{
	char *path, *line = NULL, *text = NULL;
	size_t room = 0;
	ssize_t len;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	path = format_text(pool, fmt, ap);
	va_end(ap);
	errno = 0;
	f = fopen(path, "re");
	if (f) {
		len = getdelim(&line, &room, '\0', f);
		fclose(f);
		if (len > 0 && line[len - 1] == '\n')
			len--;
		if (len >= 0)
			text = perfgrp_pool_strndup(pool, line, len);
		free(line);
	}
	if (!text && errno == ENOMEM)
		pool->failed = true;
	return text;
}

/* Natural order: cpu2 before cpu10. */
static int compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the names in a directory, sorted; an empty list if it cannot be opened. */
struct strings perfgrp_list_dir(struct pool *pool, const char *fmt, ...)
{
	struct strings names = { 0 };
	struct dirent *entry;
	va_list ap;
	char *path;
	DIR *dir;

	va_start(ap, fmt);
	path = format_text(pool, fmt, ap);
	va_end(ap);
	dir = opendir(path);
	if (!dir) {
		if (errno == ENOMEM)
			pool->failed = true;
		return names;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    !perfgrp_strings_add(pool, &names, entry->d_name))
			break;
	closedir(dir);
	if (names.nr)
		qsort(names.s, names.nr, sizeof(*names.s), compare);
	return names;
}
