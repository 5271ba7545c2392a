// SPDX-License-Identifier: GPL-2.0
/* The screen of "perfgrp top". */
#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* Minimum for the status lines and one column. */
#define MIN_COLUMNS	40
#define MIN_LINES	6
/* Lines above the rows: two status lines, the prompt, the heading. */
#define LINE_PROMPT	2
#define LINE_HEADING	3
#define LINE_ROWS	4

/* Color pairs. */
enum {
	PAIR_HEADING = 1,
	PAIR_GONE,
};

static const char *const help[] = {
	"left right < >   sort by the next column",
	"r                reverse the order",
	"up down PgUp PgDn Home End     scroll",
	"/                only names with a text",
	"d s              change the interval",
	"space            pause and resume",
	"g                history of the column",
	"t                the sum of all rows",
	"h ?              this help",
	"q                quit",
};

static bool colors;

static attr_t color(short pair)
{
	return colors ? COLOR_PAIR(pair) : 0;
}

/* Clips the text, which would otherwise wrap to the next line. */
static void put(const struct top *top, int y, const char *text, attr_t attr)
{
	attrset(attr);
	mvaddnstr(y, 0, text, top_clip(text, COLS, top->utf8));
	attrset(A_NORMAL);
}

static void draw_help(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(help) && (int)i < LINES; i++)
		mvaddnstr(i, 0, help[i], COLS);
}

/* Draws the line of prompts and messages. */
static void draw_prompt(const struct top *top, const struct top_keys *keys)
{
	char text[160];

	switch (keys->prompt) {
	case TOP_ASK_FILTER:
		snprintf(text, sizeof(text), "names with: %s", keys->text);
		break;
	case TOP_ASK_INTERVAL:
		snprintf(text, sizeof(text), "interval in seconds (now %g): %s",
			 top->opt.interval / 1000.0, keys->text);
		break;
	default:
		snprintf(text, sizeof(text), "%s", keys->message);
	}
	put(top, LINE_PROMPT, text, A_BOLD);
}

static void draw_row(const struct top *top, const struct top_layout *layout,
		     const struct top_row *row, int y, char *text)
{
	top_row_text(top, layout, row, text);
	if (row == top->total)
		put(top, y, text, A_BOLD);
	else
		put(top, y, text, row->offline || row->exited ? color(PAIR_GONE) : A_NORMAL);
}

static void draw_rows(struct top *top, struct top_keys *keys)
{
	const int totals = top->show_totals ? 1 : 0;
	struct top_layout layout;
	char *text;
	size_t i;
	int y;

	keys->page = LINES - LINE_ROWS - totals;
	if (top->scroll + keys->page > top->nr_view)
		top->scroll = top->nr_view > keys->page ? top->nr_view - keys->page : 0;
	top_layout(top, COLS, &layout);
	text = xcalloc(1, layout.size);
	top_heading_text(top, &layout, text);
	put(top, LINE_HEADING, text, A_REVERSE | color(PAIR_HEADING));
	y = LINE_ROWS;
	if (totals)
		draw_row(top, &layout, top->total, y++, text);
	for (i = top->scroll; i < top->nr_view && y < LINES; i++)
		draw_row(top, &layout, top->view[i], y++, text);
	free(text);
}

/**
 * top_draw - draw the screen
 * @top: what to draw; @top->scroll is limited to its rows
 * @keys: state of keyboard input; @keys->page is set
 */
void top_draw(struct top *top, struct top_keys *keys)
{
	char text[TOP_STATUS];
	unsigned int i;

	erase();
	if (COLS < MIN_COLUMNS || LINES < MIN_LINES) {
		snprintf(text, sizeof(text), "needs %dx%d", MIN_COLUMNS, MIN_LINES);
		mvaddnstr(0, 0, text, COLS);
	} else if (keys->prompt == TOP_HELP) {
		draw_help();
	} else {
		top_make_view(top);
		for (i = 0; i < 2; i++) {
			top_status_text(top, i, COLS, text);
			put(top, i, text, A_NORMAL);
		}
		draw_prompt(top, keys);
		draw_rows(top, keys);
	}
	refresh();
}

/* Initialises colors, if the terminal has them and they are wanted. */
void top_draw_begin(bool wanted)
{
	colors = wanted && has_colors();
	if (!colors)
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_HEADING, COLOR_CYAN, -1);
	init_pair(PAIR_GONE, COLOR_RED, -1);
}
