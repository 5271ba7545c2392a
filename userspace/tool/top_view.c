// SPDX-License-Identifier: GPL-2.0
/* Choose and sort the rows that "perfgrp top" shows. */
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

		/* Rows without a value are last, even in reverse order. */
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

/* CPUs are sorted by number, others by the first event. */
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

/* Cgroups that have not run are left out, as most of them do nothing. */
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

/* Sorts by the next or previous column that is shown; the first one is the name. */
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

/* The column that is sorted by, or the first one that is shown. */
const struct top_column *top_sort_column(const struct top *top)
{
	size_t i;

	if (top->sort != TOP_BY_NAME)
		return &top->columns[top->sort];
	for (i = 0; i + 1 < top->nr_columns && !top->columns[i].shown; i++)
		;
	return &top->columns[i];
}
