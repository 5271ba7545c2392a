/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Memory that is freed all at once. */
#ifndef PERFGRP_POOL_H
#define PERFGRP_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool_block;

/**
 * struct pool - memory that is freed all at once
 * @blocks: the allocated blocks, newest first
 * @failed: an allocation failed
 *
 * A string that cannot be allocated is empty, not NULL. So a caller can build strings in many steps
 * and check @failed once, at the end.
 */
struct pool {
	struct pool_block *blocks;
	bool failed;
};

void *perfgrp_pool_alloc(struct pool *pool, size_t nr, size_t size);
void *perfgrp_pool_grow(struct pool *pool, void *array, size_t nr, size_t *room, size_t size);
char *perfgrp_pool_strndup(struct pool *pool, const char *s, size_t len);
char *perfgrp_pool_printf(struct pool *pool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void perfgrp_pool_move(struct pool *to, struct pool *from);
void perfgrp_pool_free(struct pool *pool);

/**
 * struct strings - a list of strings
 * @s: the strings
 * @nr: how many
 * @room: how many @s has room for
 */
struct strings {
	char **s;
	size_t nr;
	size_t room;
};

bool perfgrp_strings_add(struct pool *pool, struct strings *list, const char *s);

/* Small files and directories */
char *perfgrp_read_file(struct pool *pool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct strings perfgrp_list_dir(struct pool *pool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* PERFGRP_POOL_H */
