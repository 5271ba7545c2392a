// SPDX-License-Identifier: GPL-2.0
/* History as text: a character for each of the last frames. */
#include <math.h>
#include <string.h>

#include "top.h"

#define LEVELS	8

/* In UTF-8, U+2581 to U+2588: a block of one eighth to the full one. */
static const char *const blocks[LEVELS] = {
	"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};

static const char *const ascii[LEVELS] = { "_", ".", ":", "-", "=", "+", "*", "#" };

/* The value @back frames before the last one. */
static double value_at(const struct top *top, const struct top_row *row, size_t column,
		       unsigned int back)
{
	if (back >= top->frames || back >= TOP_HISTORY)
		return NAN;
	return row->history[column * TOP_HISTORY + (top->frames - 1 - back) % TOP_HISTORY];
}

static double max_of(const struct top *top, const struct top_row *row, size_t column)
{
	unsigned int back;
	double max = 0;

	for (back = 0; back < TOP_HISTORY; back++)
		max = fmax(max, value_at(top, row, column, back));
	return max;
}

/* The largest value of the rows that are shown, which is drawn as a full block. */
double top_spark_max(const struct top *top, size_t column)
{
	double max = 0;
	size_t i;

	for (i = 0; i < top->nr_view; i++)
		max = fmax(max, max_of(top, top->view[i], column));
	return max;
}

/**
 * top_spark - format the history of a row, with the last frame at the end
 * @top: has the number of frames
 * @row: the row
 * @column: index of the column
 * @max: value of a full block; for the sum of all rows the sum's largest value is used instead
 * @width: maximum number of characters
 * @text: buffer for the text; frames without a value are blank
 */
void top_spark(const struct top *top, const struct top_row *row, size_t column, double max,
	       unsigned int width, char *text)
{
	const char *const *levels = top->utf8 ? blocks : ascii;

	if (row == top->total)
		max = max_of(top, row, column);
	*text = '\0';
	while (width-- > 0) {
		const double value = value_at(top, row, column, width);
		int level = 0;

		if (max > 0 && !isnan(value))
			level = fmin(fmax(value / max * LEVELS, 0), LEVELS - 1);
		text = stpcpy(text, isnan(value) ? " " : levels[level]);
	}
}
