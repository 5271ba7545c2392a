// SPDX-License-Identifier: GPL-2.0
/* Rows of "perfgrp top" and their values: rates, ratios, shares, history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* ---- columns ------------------------------------------------------------------- */

static void set_title(struct top_column *column, const char *name, const char *unit)
{
	const int max = 16;
	char *title = xasprintf("%s%s%s", name, *unit ? " " : "", unit);
	const bool cut = strlen(title) > (size_t)max;

	snprintf(column->title, sizeof(column->title), "%.*s%s", cut ? max - 1 : max, title,
		 cut ? "~" : "");
	free(title);
}

/* Sets a title that is shorter than stat's text for the ratio, to fit above a column. */
static void set_ratio_title(struct top_column *column, const struct stat_metric *metric)
{
	static const struct {
		const char *unit;
		const char *title;
	} known[] = {
		{ "insn per cycle", "IPC" },
		{ "CPUs utilized", "CPUs" },
		{ "of all branches", "%branches" },
		{ "of all cache refs", "%cache refs" },
		{ "frontend cycles idle", "%frontend" },
		{ "backend cycles idle", "%backend" },
	};
	const char *unit = metric->unit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(unit, known[i].unit)) {
			set_title(column, known[i].title, "");
			return;
		}
	}
	if (!strncmp(unit, "of all ", strlen("of all ")))
		set_title(column, unit + strlen("of all "), "%");
	else
		set_title(column, unit, "");
}

struct top_column *top_add_column(struct top *top, enum top_kind kind, size_t group, size_t cell)
{
	struct top_column *column = &top->columns[top->nr_columns++];

	column->kind = kind;
	column->group = group;
	column->cell = cell;
	if (kind == TOP_SHARE)
		set_title(column, "%run", "");
	return column;
}

/**
 * top_make_columns - create all columns that may be shown
 * @top: with its groups open
 *
 * Columns of ratios and shares are shown once they have a value to show.
 */
void top_make_columns(struct top *top)
{
	size_t cell = 0, i, j;

	top->columns = xcalloc(2 * top->nr_events + top->st.nr_groups + 2 * top->st.metrics.nr + 1,
			       sizeof(*top->columns));
	for (i = 0; i < top->st.nr_groups; i++) {
		const struct event_group *group = &top->st.list.groups[i];

		/* The rates of a metric's events are not shown. */
		for (j = 0; j < group->nr && !group->metric; j++) {
			struct top_column *rate = top_add_column(top, TOP_RATE, i, cell + j);

			rate->event = j;
			rate->shown = top->st.groups[i].room;
			set_title(rate, group->events[j].name, group->events[j].unit);
			top_add_column(top, TOP_RATIO, i, cell + j)->event = j;
		}
		if (!group->metric)
			top_add_column(top, TOP_SHARE, i, cell)->nr_cells = group->nr;
		cell += group->nr;
	}
	top_add_metrics(top);
}

/* ---- rows ---------------------------------------------------------------------- */

static char *name_of(const struct top *top, size_t index)
{
	const struct aggr_place *place = &top->st.aggr.places[index];

	if (place->cpu >= 0)
		return xasprintf("CPU%d", place->cpu);
	if (place->tid >= 0)
		return xasprintf("%s-%d", place->comm, place->tid);
	return xstrdup(place->container ? place->container->label : place->name ?: "");
}

/* Sets the name of a row to that of its place. */
void top_name_row(const struct top *top, struct top_row *row)
{
	char *name = name_of(top, row->place);

	free(row->name);
	row->name = top_printable(name, top->utf8, &row->width);
	free(name);
}

static struct top_row *make_row(const struct top *top, size_t place)
{
	struct top_row *row = xcalloc(1, sizeof(*row));
	size_t i;

	row->place = place;
	row->parts = xcalloc(top->st.nr_groups + 1, sizeof(*row->parts));
	row->elapsed = xcalloc(top->st.nr_groups + 1, sizeof(*row->elapsed));
	row->cells = xcalloc(top->nr_events + 1, sizeof(*row->cells));
	row->last = xcalloc(top->nr_events + 1, sizeof(*row->last));
	row->values = xcalloc(top->nr_columns + 1, sizeof(*row->values));
	row->lacks = xcalloc(top->st.metrics.nr + 1, sizeof(*row->lacks));
	row->history = xcalloc(top->nr_columns + 1, TOP_HISTORY * sizeof(*row->history));
	for (i = 0; i < top->nr_events; i++)
		stat_init_cell(&row->cells[i], 0, PERFGRP_NONE);
	for (i = 0; i < top->nr_columns * TOP_HISTORY; i++)
		row->history[i] = NAN;
	return row;
}

static void free_row(struct top_row *row)
{
	if (!row)
		return;
	free(row->name);
	free(row->parts);
	free(row->elapsed);
	free(row->cells);
	free(row->last);
	free(row->values);
	free(row->lacks);
	free(row->history);
	free(row);
}

/* Returns the row of a place, which is created if need be. */
struct top_row *top_row_of(struct top *top, size_t place)
{
	struct top_row *row;

	if (place >= top->nr_places) {
		const size_t nr = top->st.aggr.nr;

		top->of_place = xrealloc(top->of_place, nr, sizeof(struct top_row *));
		memset(&top->of_place[top->nr_places], 0,
		       (nr - top->nr_places) * sizeof(struct top_row *));
		top->nr_places = nr;
	}
	if (top->of_place[place])
		return top->of_place[place];
	row = make_row(top, place);
	top_name_row(top, row);
	top->of_place[place] = row;
	GROW(top->rows, top->nr_rows, top->room_rows);
	top->rows[top->nr_rows++] = row;
	return row;
}

/* Drops a row. */
void top_forget(struct top *top, struct top_row *row)
{
	size_t i;

	for (i = 0; top->rows[i] != row; i++)
		;
	top->nr_rows--;
	memmove(&top->rows[i], &top->rows[i + 1], (top->nr_rows - i) * sizeof(struct top_row *));
	top->of_place[row->place] = NULL;
	/* The view may have a pointer to the row. */
	top->nr_view = 0;
	free_row(row);
}

/* Drops places without a row: otherwise they would pile up as threads or cgroups are replaced. */
static void forget_places(struct top *top)
{
	struct aggr *aggr = &top->st.aggr;
	size_t nr = 0, i;
	bool *wanted;

	/* CPUs keep their places, even while they are offline. */
	if (aggr->nr == top->nr_rows || (aggr->mode != AGGR_THREAD && aggr->mode != AGGR_CGROUP))
		return;
	wanted = xcalloc(aggr->nr, sizeof(*wanted));
	for (i = 0; i < top->nr_places; i++) {
		struct top_row *row = top->of_place[i];

		if (!row)
			continue;
		wanted[i] = true;
		row->place = nr;
		top->of_place[nr++] = row;
	}
	top->nr_places = nr;
	aggr_keep(aggr, wanted);
	free(wanted);
}

static void clear(const struct top *top, struct top_row *row)
{
	size_t i;

	row->there = false;
	row->ran = false;
	row->exited = false;
	for (i = 0; i < top->nr_events; i++)
		stat_init_cell(&row->cells[i], 0, PERFGRP_NONE);
	memset(row->elapsed, 0, top->st.nr_groups * sizeof(*row->elapsed));
}

/* Clears all rows for the next frame. */
void top_begin_frame(struct top *top)
{
	size_t i;

	if (!top->total) {
		top->total = make_row(top, 0);
		top->total->name = top_printable("all", top->utf8, &top->total->width);
	}
	clear(top, top->total);
	for (i = 0; i < top->nr_rows; i++)
		clear(top, top->rows[i]);
	top->interrupts = 0;
	top->nr_cpus = 0;
	top->nr_tasks = 0;
}

/* ---- values -------------------------------------------------------------------- */

/* Is there a count of an event in a row since the last frame? */
bool top_was_counted(const struct top *top, const struct top_row *row, size_t group, size_t cell)
{
	const struct stat_cell *count = &row->cells[cell];

	return row->elapsed[group] && !row->offline && stat_was_counted(&top->st, count) &&
	       !(count->flags & PERFGRP_VALUE_ABSENT);
}

static double rate_of(const struct top *top, const struct top_row *row,
		      const struct top_column *column)
{
	const struct event *event = &top->st.list.groups[column->group].events[column->event];

	if (!top_was_counted(top, row, column->group, column->cell))
		return NAN;
	return 1e9 * stat_count(&top->st, &row->cells[column->cell]) * event->scale /
	       row->elapsed[column->group];
}

/*
 * stat computes ratios from the events' cells. Lends it the cells of a row for that, or with NULL
 * takes them back.
 */
static void lend_cells(struct top *top, struct top_row *row)
{
	size_t cell = 0, i, j;

	for (i = 0; i < top->st.nr_groups; i++)
		for (j = 0; j < top->st.list.groups[i].nr; j++)
			top->st.groups[i].events[j].last = (struct stat_cells){
				.cells = row ? &row->cells[cell++] : NULL, .nr = !!row,
			};
}

static double ratio_of(struct top *top, const struct top_row *row, struct top_column *column)
{
	const struct stat_cell *cell = &row->cells[column->cell];
	struct stat_metric metrics[2] = { 0 };

	if (!row->elapsed[column->group] || row->offline || !stat_was_counted(&top->st, cell))
		return NAN;
	top->st.elapsed = row->elapsed[column->group];
	if (!stat_metrics(&top->st, column->group, column->event, cell, metrics) ||
	    !metrics[0].format)
		return NAN;
	/* The event's own column already has the rate. */
	if (strstr(metrics[0].unit, "/sec"))
		return NAN;
	if (!column->format) {
		set_ratio_title(column, &metrics[0]);
		column->adds = !strcmp(metrics[0].unit, "CPUs utilized");
	}
	column->format = metrics[0].format;
	return metrics[0].value;
}

/* The lowest share of some events: software events in a group have 100 percent. */
static double share_of(const struct top_row *row, size_t first, size_t nr)
{
	double share = NAN;
	size_t i;

	if (row->offline)
		return NAN;
	for (i = first; i < first + nr; i++) {
		const struct stat_cell *cell = &row->cells[i];
		double this;

		if (!cell->enabled)
			continue;
		this = (double)cell->running / cell->enabled;
		if (isnan(share) || this < share)
			share = this;
	}
	return 100 * share;
}

static void set_values(struct top *top, struct top_row *row)
{
	size_t i;

	lend_cells(top, row);
	for (i = 0; i < top->nr_columns; i++) {
		struct top_column *column = &top->columns[i];
		double value = NAN;

		switch (column->kind) {
		case TOP_RATE:
			value = rate_of(top, row, column);
			break;
		case TOP_RATIO:
			value = ratio_of(top, row, column);
			column->shown = column->shown || !isnan(value);
			break;
		case TOP_METRIC:
			value = top_metric_of(top, row, column);
			break;
		case TOP_SHARE:
			value = share_of(row, column->cell, column->nr_cells);
			column->shown = column->shown || value < 100;
			break;
		}
		row->values[i] = value;
	}
	lend_cells(top, NULL);
}

static void remember_values(const struct top *top, struct top_row *row)
{
	size_t i;

	for (i = 0; i < top->nr_columns; i++)
		row->history[i * TOP_HISTORY + top->frames % TOP_HISTORY] = row->values[i];
}

/* ---- the sum of all rows --------------------------------------------------------- */

static void add_to_total(struct top *top, const struct top_row *row)
{
	size_t i;

	for (i = 0; i < top->nr_events; i++)
		if (row->cells[i].state != PERFGRP_STATE_NONE)
			stat_add_cell(&top->total->cells[i], &row->cells[i]);
	for (i = 0; i < top->st.nr_groups; i++)
		top->total->elapsed[i] = top->elapsed;
}

/* Rows may cover different times, so their rates are added up, not their counts. */
static void sum_rates(struct top *top)
{
	size_t i, j;

	for (i = 0; i < top->nr_columns; i++) {
		double sum = NAN;

		if (top->columns[i].kind != TOP_RATE && !top->columns[i].adds)
			continue;
		for (j = 0; j < top->nr_rows; j++) {
			const double value = top->rows[j]->values[i];

			if (!isnan(value))
				sum = isnan(sum) ? value : sum + value;
		}
		top->total->values[i] = sum;
	}
}

/* Counts the multiplexed groups, and finds the lowest share of time on the PMU. */
static void sum_up_shares(struct top *top)
{
	size_t first = 0, i, j;

	top->nr_shared = 0;
	top->lowest = 100;
	for (i = 0; i < top->st.nr_groups; i++) {
		const size_t nr = top->st.list.groups[i].nr;
		double lowest = 100;

		for (j = 0; j < top->nr_rows; j++) {
			const double share = share_of(top->rows[j], first, nr);

			if (share < lowest)
				lowest = share;
		}
		top->nr_shared += lowest < 100;
		if (lowest < top->lowest)
			top->lowest = lowest;
		first += nr;
	}
}

/**
 * top_end_frame - compute rates, ratios, totals and history
 * @top: with all cells of the frame
 */
void top_end_frame(struct top *top)
{
	size_t i;

	for (i = top->nr_rows; i-- > 0;)
		if (!top->rows[i]->there)
			top_forget(top, top->rows[i]);
	forget_places(top);
	for (i = 0; i < top->nr_rows; i++) {
		set_values(top, top->rows[i]);
		remember_values(top, top->rows[i]);
		if (!top->rows[i]->offline)
			add_to_total(top, top->rows[i]);
	}
	set_values(top, top->total);
	sum_rates(top);
	remember_values(top, top->total);
	sum_up_shares(top);
	top->frames++;
}

void top_free_rows(struct top *top)
{
	size_t i;

	for (i = 0; i < top->nr_rows; i++)
		free_row(top->rows[i]);
	free_row(top->total);
	free(top->rows);
	free(top->of_place);
	free(top->columns);
	free(top->view);
}
