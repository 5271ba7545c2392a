// SPDX-License-Identifier: GPL-2.0
/* Key commands of "perfgrp top". */
#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

#define KEY_ESC		27
#define CONTROL(c)	((c) & 0x1f)

/**
 * top_parse_interval - parse seconds, with or without a fraction
 * @text: the seconds
 * @ms: set to the interval in milliseconds
 *
 * Return: 0, or -EINVAL if it is not a number, or out of range
 */
int top_parse_interval(const char *text, unsigned int *ms)
{
	double seconds;
	char *end;

	/* No signs, no "inf", no hexadecimal. */
	if (text[strspn(text, "0123456789.")])
		return -EINVAL;
	seconds = strtod(text, &end);
	if (end == text || *end || seconds < TOP_MIN_INTERVAL / 1000.0 ||
	    seconds > TOP_MAX_INTERVAL / 1000.0)
		return -EINVAL;
	*ms = seconds * 1000 + 0.5;
	return 0;
}

static void ask(struct top_keys *keys, enum top_prompt prompt, const char *text)
{
	keys->prompt = prompt;
	snprintf(keys->text, sizeof(keys->text), "%s", text);
}

static void take_answer(struct top *top, struct top_keys *keys)
{
	if (keys->prompt == TOP_ASK_FILTER) {
		snprintf(top->filter, sizeof(top->filter), "%s", keys->text);
		top->scroll = 0;
	} else if (*keys->text && top_parse_interval(keys->text, &top->opt.interval)) {
		snprintf(keys->message, sizeof(keys->message),
			 "'%.16s' is not a number of seconds from 0.1 to 3600", keys->text);
	}
	keys->prompt = TOP_NO_PROMPT;
}

/* Erases the last character, which may have several bytes. */
static void erase_last(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void edit(struct top *top, struct top_keys *keys, int key)
{
	const size_t len = strlen(keys->text);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		take_answer(top, keys);
		break;
	case KEY_ESC:
		keys->prompt = TOP_NO_PROMPT;
		break;
	case KEY_BACKSPACE:
	case '\b':
	case 0x7f:
		erase_last(keys->text);
		break;
	case CONTROL('u'):
		*keys->text = '\0';
		break;
	default:
		/* Bytes from 0x80 on are parts of UTF-8 characters. */
		if (key >= ' ' && key < 256 && len + 1 < sizeof(keys->text)) {
			keys->text[len] = key;
			keys->text[len + 1] = '\0';
		}
	}
}

static void scroll_by(struct top *top, const struct top_keys *keys, long lines)
{
	const long last = (long)top->nr_view - (long)keys->page;
	long to = (long)top->scroll + lines;

	if (to > last)
		to = last;
	top->scroll = to < 0 ? 0 : to;
}

static void command(struct top *top, struct top_keys *keys, int key)
{
	const long page = keys->page ? keys->page : 1, all = 1L << 30;

	switch (key) {
	case 'q':
		keys->quit = true;
		break;
	case 'h':
	case '?':
		keys->prompt = TOP_HELP;
		break;
	case KEY_LEFT:
	case '<':
		top_move_sort(top, -1);
		break;
	case KEY_RIGHT:
	case '>':
		top_move_sort(top, 1);
		break;
	case 'r':
		top->reverse = !top->reverse;
		break;
	case '/':
		ask(keys, TOP_ASK_FILTER, top->filter);
		break;
	case 'd':
	case 's':
		ask(keys, TOP_ASK_INTERVAL, "");
		break;
	case ' ':
		top->paused = !top->paused;
		break;
	case 'g':
		top->show_history = !top->show_history;
		break;
	case 't':
		top->show_totals = !top->show_totals;
		break;
	case KEY_UP:
		scroll_by(top, keys, -1);
		break;
	case KEY_DOWN:
		scroll_by(top, keys, 1);
		break;
	case KEY_PPAGE:
		scroll_by(top, keys, -page);
		break;
	case KEY_NPAGE:
		scroll_by(top, keys, page);
		break;
	case KEY_HOME:
		scroll_by(top, keys, -all);
		break;
	case KEY_END:
		scroll_by(top, keys, all);
		break;
	default:
		snprintf(keys->message, sizeof(keys->message), "press h for help");
	}
}

/* Handles a key. Its effect shows when the screen is next drawn. */
void top_key(struct top *top, struct top_keys *keys, int key)
{
	switch (key) {
	case KEY_RESIZE:
		/* resizeterm() inserts it, the user has not typed it. */
		return;
	case CONTROL('l'):
		/* Redraw everything, since other output may be on the screen. */
		clearok(curscr, TRUE);
		return;
	}
	*keys->message = '\0';
	switch (keys->prompt) {
	case TOP_HELP:
		keys->prompt = TOP_NO_PROMPT;
		break;
	case TOP_ASK_FILTER:
	case TOP_ASK_INTERVAL:
		edit(top, keys, key);
		break;
	case TOP_NO_PROMPT:
		command(top, keys, key);
		break;
	}
}
