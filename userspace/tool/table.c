// SPDX-License-Identifier: GPL-2.0
/* Text in columns. */
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "utf8.h"

/* Adds a column; add all columns before the first cell. */
void table_add_column(struct table *table, const char *title, bool right)
{
	table->title[table->nr_columns] = title;
	table->right[table->nr_columns++] = right;
}

static void print_row(const struct table *table, FILE *out, const int *width,
		      const char *const *cell)
{
	unsigned int i;

	for (i = 0; i < table->nr_columns; i++) {
		const char *gap = i ? "  " : "";

		if (table->right[i])
			fprintf(out, "%s%*s", gap, width[i], cell[i]);
		else if (i + 1 < table->nr_columns)
			fprintf(out, "%s%-*s", gap, width[i], cell[i]);
		else
			fprintf(out, "%s%s", gap, cell[i]);
	}
	fputc('\n', out);
}

/* Cells may have names that any user has chosen: replaces what a terminal would obey. */
static void clean_cells(struct table *table)
{
	size_t i;

	for (i = 0; i < table->cells.nr; i++) {
		char *printable = utf8_printable(table->cells.s[i]);

		free(table->cells.s[i]);
		table->cells.s[i] = printable;
	}
}

/**
 * table_print - print a table, with its titles
 * @table: its last row must be complete
 * @out: where to
 */
void table_print(struct table *table, FILE *out)
{
	int width[TABLE_MAX_COLUMNS];
	size_t i;

	clean_cells(table);
	for (i = 0; i < table->nr_columns; i++)
		width[i] = strlen(table->title[i]);
	for (i = 0; i < table->cells.nr; i++) {
		int len = strlen(table->cells.s[i]);

		if (width[i % table->nr_columns] < len)
			width[i % table->nr_columns] = len;
	}
	print_row(table, out, width, table->title);
	for (i = 0; i < table->cells.nr; i += table->nr_columns)
		print_row(table, out, width, (const char *const *)&table->cells.s[i]);
}

void table_free(struct table *table)
{
	strings_free(&table->cells);
}
