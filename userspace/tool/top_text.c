// SPDX-License-Identifier: GPL-2.0
/* The lines of "perfgrp top" as text, for the screen and for --batch. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "top.h"

#define AGE_WIDTH	7
#define MIN_WIDTH	7	/* minimum width of a column */
#define MAX_NAME	60
#define MIN_NAME	4	/* "CPU9" */

/* ---- names --------------------------------------------------------------------- */

/*
 * Copies a name without characters that are not printable: names of threads and cgroups may have
 * any byte.
 */
char *top_printable(const char *name, bool utf8, unsigned int *width)
{
	char *copy = xcalloc(strlen(name) + 1, 1), *to = copy;
	mbstate_t state = { 0 };

	*width = 0;
	while (*name) {
		wchar_t c = (unsigned char)*name;
		size_t len = utf8 ? mbrtowc(&c, name, MB_CUR_MAX, &state) : 1;

		if (len > MB_CUR_MAX) {
			memset(&state, 0, sizeof(state));
			len = 1;
			c = 0;
		}
		if (c < ' ' || (c >= 0x7f && (!utf8 || wcwidth(c) < 1))) {
			*to++ = '?';
			++*width;
		} else {
			to = mempcpy(to, name, len);
			*width += c < 0x7f ? 1 : wcwidth(c);
		}
		name += len;
	}
	return copy;
}

/* Returns how many bytes of a text fit into @width columns. */
int top_clip(const char *text, unsigned int width, bool utf8)
{
	const char *s = text;

	while (*s) {
		wchar_t c = *s;
		int len = utf8 ? mbtowc(&c, s, MB_CUR_MAX) : 1, columns;

		columns = len > 1 ? wcwidth(c) : 1;
		if (columns > (int)width)
			break;
		width -= columns < 0 ? 0 : columns;
		s += len > 0 ? len : 1;
	}
	return s - text;
}

/* Adds a name, padded with blanks. A long one is cut at its start, as names differ at the end. */
static char *add_name(char *text, const struct top *top, const char *name, unsigned int has,
		      unsigned int width)
{
	const bool cut = has > width;

	while (has > width - cut) {
		wchar_t c = *name;
		int len = top->utf8 ? mbtowc(&c, name, MB_CUR_MAX) : 1;

		name += len > 0 ? len : 1;
		has -= len > 1 ? wcwidth(c) : 1;
	}
	return text + sprintf(text, "%s%s%*s", cut ? "~" : "", name, (int)(width - has - cut), "");
}

/* ---- columns ------------------------------------------------------------------- */

static unsigned int column_width(const struct top_column *column)
{
	const size_t len = strlen(column->title);

	return len < MIN_WIDTH ? MIN_WIDTH : len;
}

/* Formats a rate with three significant digits and a prefix such as K. */
static void rate_text(double value, char *text, size_t size)
{
	static const char prefixes[] = " KMGTPE";
	size_t i = 0;

	if (!value) {
		snprintf(text, size, "0");
		return;
	}
	if (value < 0.01) {
		snprintf(text, size, "<0.01");
		return;
	}
	/* 999.5 would be rounded to four digits. */
	while (value >= 999.5 && i < strlen(prefixes) - 1) {
		value /= 1000;
		i++;
	}
	snprintf(text, size, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
	if (i)
		snprintf(text + strlen(text), size - strlen(text), "%c", prefixes[i]);
}

/* Formats the value of a metric; one that needs more than three digits like a rate. */
static void metric_text(const struct top_column *column, double value, char *text, size_t size)
{
	if (fabs(value) < 999.5) {
		snprintf(text, size, column->format, value);
		return;
	}
	if (value < 0)
		*text++ = '-';
	rate_text(fabs(value), text, size - 1);
	if (strchr(column->format, '%') != strrchr(column->format, '%'))
		strcat(text, "%");
}

/* Formats the value of a column, or "-" for NAN. */
void top_value_text(const struct top_column *column, double value, char *text, size_t size)
{
	char printed[32];
	size_t len;

	if (isnan(value)) {
		snprintf(text, size, "-");
		return;
	}
	switch (column->kind) {
	case TOP_RATE:
		rate_text(value, text, size);
		return;
	case TOP_SHARE:
		snprintf(text, size, "%.0f%%", value);
		return;
	case TOP_METRIC:
		metric_text(column, value, text, size);
		return;
	case TOP_RATIO:
		/* stat's formats have blanks at both ends. */
		snprintf(printed, sizeof(printed), column->format, value);
		len = strlen(printed);
		while (len && printed[len - 1] == ' ')
			printed[--len] = '\0';
		snprintf(text, size, "%s", printed + strspn(printed, " "));
		return;
	}
}

/* Heading of the names. */
static const char *name_heading(const struct top *top)
{
	switch (top->st.aggr.mode) {
	case AGGR_THREAD:
		return "thread";
	case AGGR_CGROUP:
		return "cgroup";
	default:
		return "CPU";
	}
}

static unsigned int name_width(const struct top *top, unsigned int max)
{
	unsigned int width = strlen(name_heading(top));
	size_t i;

	if (width < MIN_NAME)
		width = MIN_NAME;
	for (i = 0; i < top->nr_view; i++)
		if (top->view[i]->width > width)
			width = top->view[i]->width;
	return width < max ? width : max;
}

/**
 * top_layout - choose the columns that are shown
 * @top: with its view
 * @width: of the screen; 0: no limit
 * @layout: filled in; includes the column that is sorted by
 */
void top_layout(const struct top *top, unsigned int width, struct top_layout *layout)
{
	const unsigned int third = width / 3 < 12 ? 12 : width / 3;
	unsigned int used;

	/* A UTF-8 character has up to four bytes. */
	layout->size = 4 * (MAX_NAME + TOP_HISTORY) + 128;
	for (used = 0; used < top->nr_columns; used++)
		layout->size += 1 + sizeof(top->columns[used].title);
	layout->width = width;
	layout->name = name_width(top, width && third < MAX_NAME ? third : MAX_NAME);
	layout->first = 0;
	layout->max = top->show_history ?
		      top_spark_max(top, top_sort_column(top) - top->columns) : 0;
	for (;;) {
		used = layout->name + 1 + AGE_WIDTH;
		for (layout->end = layout->first; layout->end < top->nr_columns; layout->end++) {
			const struct top_column *column = &top->columns[layout->end];

			if (!column->shown)
				continue;
			used += 1 + column_width(column);
			if (width && used > width)
				break;
		}
		if (top->sort < (int)layout->end || layout->first == layout->end)
			return;
		layout->first++;
	}
}

/* ---- lines --------------------------------------------------------------------- */

/* Adds a piece to a line if there is room for it. */
static void add_piece(char *text, unsigned int width, const char *piece)
{
	const size_t len = strlen(text);

	if (!width || width >= TOP_STATUS)
		width = TOP_STATUS - 1;
	if (len + (len ? 2 : 0) + strlen(piece) <= width)
		sprintf(text + len, "%s%s", len ? "  " : "", piece);
}

__attribute__((format(printf, 3, 4)))
static void piece(char *text, unsigned int width, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	add_piece(text, width, s);
	free(s);
}

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

static void add_what(const struct top *top, char *text, unsigned int width)
{
	switch (top->st.aggr.mode) {
	case AGGR_THREAD:
		piece(text, width, "%u thread%s", top->nr_tasks, plural(top->nr_tasks));
		if (top->refused.nr)
			piece(text, width, "%zu not counted", top->refused.nr);
		break;
	case AGGR_CGROUP:
		piece(text, width, "%zu cgroup%s", top->nr_view, plural(top->nr_view));
		/* fallthrough */
	default:
		piece(text, width, "%u CPU%s, %u change%s", top->nr_cpus, plural(top->nr_cpus),
		      top->changes, plural(top->changes));
	}
}

/* First status line: what is counted, the time, the order, the interval. */
static void first_line(const struct top *top, unsigned int width, char *text)
{
	const time_t t = time(NULL);
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	piece(text, width, "perfgrp top");
	piece(text, width, "%s", top->paused ? "[paused]" : clock);
	add_what(top, text, width);
	piece(text, width, "by %s%s",
	      top->sort == TOP_BY_NAME ? "name" : top->columns[top->sort].title,
	      top->reverse ? ", reversed" : "");
	piece(text, width, "every %g s", top->opt.interval / 1000.0);
}

static void add_unsupported(const struct top *top, char *text, unsigned int width)
{
	char names[512] = "";
	size_t i, j;

	for (i = 0; i < top->st.nr_groups; i++)
		for (j = 0; j < top->st.list.groups[i].nr; j++)
			if (!top->st.groups[i].room)
				snprintf(names + strlen(names), sizeof(names) - strlen(names),
					 "%s%s", *names ? "," : "",
					 top->st.list.groups[i].events[j].name);
	if (*names)
		piece(text, width, "not counted: %s", names);
}

/* Second status line: the cost, multiplexing, events that are not counted. */
static void second_line(const struct top *top, unsigned int width, char *text)
{
	const double seconds = top->elapsed / 1e9;

	if (!top->elapsed)
		piece(text, width, "no counts yet");
	else
		piece(text, width, "cost %.2f%% of a CPU", 100.0 * top->cost / top->elapsed);
	if (top->elapsed && top->mapped)
		piece(text, width, "0 interrupts/s");
	else if (top->elapsed)
		piece(text, width, "%.3g interrupts/s", top->interrupts / seconds);
	if (*top->filter)
		piece(text, width, "with '%s': %zu", top->filter, top->nr_view);
	if (top->nr_shared)
		piece(text, width, "%u of %zu multiplexed, to %.0f%%", top->nr_shared,
		      top->st.nr_groups, top->lowest);
	else
		piece(text, width, "not multiplexed");
	piece(text, width, "%s", top->mapped ? "rows mapped" : "snapshots");
	add_unsupported(top, text, width);
}

/* One of the two status lines. */
void top_status_text(const struct top *top, unsigned int line, unsigned int width, char *text)
{
	*text = '\0';
	if (line)
		second_line(top, width, text);
	else
		first_line(top, width, text);
}

static unsigned int spark_width(const struct top_layout *layout, unsigned int column)
{
	const unsigned int used = layout->name + 1 + AGE_WIDTH + 1 + column + 1;

	if (!layout->width)
		return TOP_HISTORY / 2;
	if (used >= layout->width)
		return 0;
	return layout->width - used < TOP_HISTORY ? layout->width - used : TOP_HISTORY;
}

/* The heading of the rows. */
void top_heading_text(const struct top *top, const struct top_layout *layout, char *text)
{
	const struct top_column *column;
	char max[32];
	size_t i;

	text += sprintf(text, "%-*s %*s", (int)layout->name, name_heading(top), AGE_WIDTH, "age");
	if (top->show_history) {
		column = top_sort_column(top);
		top_value_text(column, layout->max, max, sizeof(max));
		sprintf(text, " %*s ", (int)column_width(column), column->title);
		if (spark_width(layout, column_width(column)) >= strlen("0 to ") + strlen(max))
			sprintf(text + strlen(text), "0 to %s", max);
		return;
	}
	for (i = layout->first; i < layout->end; i++) {
		column = &top->columns[i];
		if (column->shown)
			text += sprintf(text, " %*s", (int)column_width(column), column->title);
	}
}

/* The age of a row, or the state that makes the age irrelevant. */
static void age_text(const struct top *top, const struct top_row *row, char *text, size_t size)
{
	const __u64 age = top->now > row->time ? top->now - row->time : 0;

	if (row == top->total)
		*text = '\0';
	else if (row->offline)
		snprintf(text, size, "offline");
	else if (row->exited)
		snprintf(text, size, "exited");
	else if (row->rests)
		snprintf(text, size, "%s", row->tid ? "asleep" : "idle");
	else
		snprintf(text, size, "%.1fs", age / 1e9);
}

/* A row: its name, its age, and its values or history. */
void top_row_text(const struct top *top, const struct top_layout *layout,
		  const struct top_row *row, char *text)
{
	const struct top_column *column;
	char value[32];
	size_t i;

	age_text(top, row, value, sizeof(value));
	text = add_name(text, top, row->name, row->width, layout->name);
	text += sprintf(text, " %*s", AGE_WIDTH, value);
	if (top->show_history) {
		column = top_sort_column(top);
		i = column - top->columns;
		top_value_text(column, row->values[i], value, sizeof(value));
		text += sprintf(text, " %*s ", (int)column_width(column), value);
		top_spark(top, row, i, layout->max, spark_width(layout, column_width(column)),
			  text);
		return;
	}
	for (i = layout->first; i < layout->end; i++) {
		column = &top->columns[i];
		if (!column->shown)
			continue;
		top_value_text(column, row->values[i], value, sizeof(value));
		text += sprintf(text, " %*s", (int)column_width(column), value);
	}
}
