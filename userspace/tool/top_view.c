// SPDX-License-Identifier: GPL-2.0
/* Which rows of "perfgrp top" are shown, and in which order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

static int compare(const void *a, const void *b, void *arg)
{
	const struct top_row *x = *(struct top_row *const *)a, *y = *(struct top_row *const *)b;
	const struct top *top = arg;
	int order = 0;

	if (top->sort != TOP_BY_NAME) {
		const double v = x->values[top->sort], w = y->values[top->sort];

		/* What is not there is last, whichever way round. */
		if (isnan(v) != isnan(w))
			return isnan(v) ? 1 : -1;
		order = v < w ? 1 : v > w ? -1 : 0;
	} else if (top->st.aggr.mode == AGGR_CPU) {
		order = top->st.aggr.places[x->place].cpu < top->st.aggr.places[y->place].cpu ?
			-1 : 1;
	} else {
		order = strverscmp(x->name, y->name);
	}
	if (top->reverse)
		order = -order;
	return order ? order : x->place < y->place ? -1 : 1;
}

/* CPUs as they are numbered, others the busiest first, by the first event. */
int top_default_sort(const struct top *top)
{
	size_t i;

	if (top->st.aggr.mode == AGGR_CPU)
		return TOP_BY_NAME;
	for (i = 0; i < top->nr_columns; i++)
		if (top->columns[i].shown)
			return i;
	return TOP_BY_NAME;
}

/* Of all the machine's cgroups most do nothing. */
static bool is_shown(const struct top *top, const struct top_row *row)
{
	if (!row->ran && top->st.aggr.mode == AGGR_CGROUP)
		return false;
	return strcasestr(row->name, top->filter);
}

/* Chooses and sorts the rows. */
void top_make_view(struct top *top)
{
	size_t i;

	top->view = xrealloc(top->view, top->nr_rows + 1, sizeof(struct top_row *));
	top->nr_view = 0;
	for (i = 0; i < top->nr_rows; i++)
		if (is_shown(top, top->rows[i]))
			top->view[top->nr_view++] = top->rows[i];
	qsort_r(top->view, top->nr_view, sizeof(struct top_row *), compare, top);
}

/* Sorts by the next column that is shown, or the one before; they end with the names. */
void top_move_sort(struct top *top, int step)
{
	int to = top->sort;

	do {
		to += step;
		if (to < TOP_BY_NAME || to >= (int)top->nr_columns)
			return;
	} while (to != TOP_BY_NAME && !top->columns[to].shown);
	top->sort = to;
}

/* The column that counts: the one that is sorted by, or the first. */
const struct top_column *top_sort_column(const struct top *top)
{
	size_t i;

	if (top->sort != TOP_BY_NAME)
		return &top->columns[top->sort];
	for (i = 0; i + 1 < top->nr_columns && !top->columns[i].shown; i++)
		;
	return &top->columns[i];
}
