// SPDX-License-Identifier: GPL-2.0
/* "perfgrp top" from beginning to end: a frame each interval, keys in between. */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "ending.h"
#include "top.h"

static void print_row(const struct top *top, const struct top_layout *layout,
		      const struct top_row *row, char *text)
{
	top_row_text(top, layout, row, text);
	puts(text);
}

/* Prints a frame as text, followed by an empty line. */
static void print_frame(struct top *top)
{
	struct top_layout layout;
	char status[TOP_STATUS], *text;
	unsigned int line;
	size_t i;

	top_make_view(top);
	for (line = 0; line < 2; line++) {
		top_status_text(top, line, 0, status);
		puts(status);
	}
	top_layout(top, 0, &layout);
	text = xcalloc(1, layout.size);
	top_heading_text(top, &layout, text);
	puts(text);
	if (top->show_totals)
		print_row(top, &layout, top->total, text);
	for (i = 0; i < top->nr_view; i++)
		print_row(top, &layout, top->view[i], text);
	free(text);
	puts("");
	fflush(stdout);
}

static bool was_last(const struct top *top)
{
	return (top->opt.frames && top->frames >= top->opt.frames) || top_tasks_exited(top) ||
	       (top->opt.batch && ferror(stdout));
}

/* When the next frame is due. Frames that were missed are merged into one long frame. */
static __u64 next_frame(const struct top *top, __u64 last)
{
	const __u64 interval = top->opt.interval * NSEC_PER_MSEC, now = ending_now();

	return now < last + interval ? last + interval : now + interval;
}

/* Shows frames until something ends it. Returns 0, or a negative errno with @top->error set. */
static int run_frames(struct top *top, struct ending *ending)
{
	struct top_keys keys = { 0 };
	__u64 last = top->now;
	int err;

	for (;;) {
		const __u64 next = last + top->opt.interval * NSEC_PER_MSEC;

		if (!top->opt.batch)
			top_draw(top, &keys);
		if (ending_wait(ending, top->paused ? ENDING_NEVER : next))
			return 0;
		if (!top->opt.batch)
			ending->signal = top_term_events(top, &keys);
		if (ending->signal || keys.quit)
			return 0;
		if (top->paused || ending_now() < last + top->opt.interval * NSEC_PER_MSEC)
			continue;
		err = top_read(top);
		if (err)
			return err;
		if (top->opt.batch)
			print_frame(top);
		if (was_last(top))
			return 0;
		last = next_frame(top, last) - top->opt.interval * NSEC_PER_MSEC;
	}
}

static bool counts_something(const struct top *top)
{
	size_t i;

	for (i = 0; i < top->st.nr_groups; i++)
		if (top->st.groups[i].room)
			return true;
	error("this machine can count none of these events");
	return false;
}

/**
 * top_run - show what is counted until something ends it
 * @top: with its options, its events and its target
 *
 * Return: the exit status. A signal that ends it also ends the process.
 */
int top_run(struct top *top)
{
	struct ending ending;
	int err;

	if (ending_begin(&ending))
		return EXIT_FAILED;
	if (top_open(top) || !counts_something(top))
		return EXIT_FAILED;
	top->sort = top_default_sort(top);
	if (!top->opt.batch && top_term_begin(top, &ending.other_fd))
		return EXIT_FAILED;
	err = run_frames(top, &ending);
	top_term_end();
	if (err) {
		error("%s", top->error);
		return EXIT_FAILED;
	}
	if (top_tasks_exited(top))
		error("all of the tasks have exited");
	ending_finish(&ending);
	return 0;
}
