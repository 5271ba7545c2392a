/* SPDX-License-Identifier: GPL-2.0 */
/* Text in columns. */
#ifndef PERFGRP_TABLE_H
#define PERFGRP_TABLE_H

#include "util.h"

#define TABLE_MAX_COLUMNS	13

/**
 * struct table - text in columns that are as wide as their contents
 * @title: of each column
 * @right: the column is right-aligned
 * @nr_columns: how many
 * @cells: row after row
 */
struct table {
	const char *title[TABLE_MAX_COLUMNS];
	bool right[TABLE_MAX_COLUMNS];
	unsigned int nr_columns;
	struct strings cells;
};

void table_add_column(struct table *table, const char *title, bool right);
void table_print(struct table *table, FILE *out);
void table_free(struct table *table);

#endif /* PERFGRP_TABLE_H */
