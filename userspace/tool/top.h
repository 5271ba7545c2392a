/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files behind "perfgrp top" share. Rows, rates and columns know nothing of the
 * terminal; what draws them changes none of them.
 */
#ifndef PERFGRP_TOP_H
#define PERFGRP_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "stat.h"

/* Busy CPUs, and tasks that run, write their rows anew as often: no interval is shorter. */
#define TOP_MIN_INTERVAL	100		/* ms */
#define TOP_MAX_INTERVAL	3600000
/* Frames that are remembered. */
#define TOP_HISTORY		120
/* Sorted by name, not by a column. */
#define TOP_BY_NAME		(-1)

/**
 * struct top_options - what the user has asked for
 * @interval: ms between two frames
 * @frames: end after so many; 0: do not
 * @batch: print frames, in place of a terminal's screen
 * @wake: take snapshots even where rows can be mapped
 * @history: begin with sparklines
 * @no_totals: begin without totals
 * @no_color: use none
 * @events: -e was there
 * @cgroups: --cgroups was there
 */
struct top_options {
	unsigned int interval;
	unsigned int frames;
	bool batch;
	bool wake;
	bool history;
	bool no_totals;
	bool no_color;
	bool events;
	bool cgroups;
};

enum top_kind {
	TOP_RATE,		/* of an event: per second */
	TOP_METRIC,		/* what stat prints behind the '#' */
	TOP_SHARE,		/* of a group of events: how much of the time it was on the PMU */
};

/**
 * struct top_column - a column of numbers
 * @kind: which of them
 * @group: the group of events
 * @event: index of the event in the group
 * @cell: of an event: index in &struct top_row.cells
 * @title: what stands above
 * @format: of a metric: how to print it
 * @adds: of a metric: it is by time, as a rate, and adds up as one
 * @shown: there was something to show
 */
struct top_column {
	enum top_kind kind;
	size_t group;
	size_t event;
	size_t cell;
	char title[20];
	const char *format;
	bool adds;
	bool shown;
};

/**
 * struct top_part - what is remembered of a row of a group that is mapped
 * @known: the rest is valid
 * @epoch: of the CPU
 * @generation: of the group
 * @time: when its counts were so, ns
 */
struct top_part {
	bool known;
	__u32 epoch;
	__u64 generation;
	__u64 time;
};

/**
 * struct top_row - a CPU, a thread, a cgroup, or all of them
 * @place: which: index in &struct stat_cmd.aggr
 * @name: what it is called, fit to print
 * @width: columns that takes
 * @tid: the thread, or 0
 * @parts: one for each group of events
 * @last: with mapped rows: values of all events, as they were last
 * @cells: of each event: what it counted since
 * @elapsed: of each group of events: how long that took in ns; 0: nothing is known
 * @values: one for each column; NAN where there is nothing
 * @history: the values of the last TOP_HISTORY frames, column by column
 * @time: as of when all of it is known
 * @there: it is in the last snapshot
 * @ran: it has done something in it; others are not shown if they are cgroups
 * @rests: nothing has run there since it was written
 * @offline: the CPU is offline
 * @exited: the task has exited, or the cgroup was removed
 * @epoch: of the CPU
 */
struct top_row {
	size_t place;
	char *name;
	unsigned int width;
	unsigned int tid;
	struct top_part *parts;
	struct perfgrp_value *last;
	struct stat_cell *cells;
	__u64 *elapsed;
	double *values;
	float *history;
	__u64 time;
	bool there;
	bool ran;
	bool rests;
	bool offline;
	bool exited;
	__u32 epoch;
};

/**
 * struct top_fd - a perfgrp group, beside &struct stat_group.fds
 * @map: its rows, or NULL
 * @time: when the last snapshot was taken
 */
struct top_fd {
	const struct perfgrp_map *map;
	__u64 time;
};

/**
 * struct top_fds - those of a group of events
 * @fds: as many as &struct stat_group.nr
 * @nr: how many
 * @room: how many @fds has room for
 */
struct top_fds {
	struct top_fd *fds;
	size_t nr;
	size_t room;
};

/**
 * struct top - one "perfgrp top"
 * @opt: options
 * @st: what is counted, and how ratios are made
 * @fds: one for each group of events
 * @nr_events: of all groups
 * @columns: those of each event: its rate, its metric; of each group: its share
 * @nr_columns: how many
 * @rows: in the order of their places
 * @nr_rows: how many
 * @room_rows: how many @rows has room for
 * @of_place: the row of each place, or NULL
 * @nr_places: how many places @of_place knows
 * @total: the sum of all rows
 * @mapped: rows are mapped
 * @rests: of each slot's CPU, or the task: the row rests
 * @nr_rests: how many CPUs @rests has room for
 * @frames: how many there were
 * @now: when the last one was
 * @elapsed: since the one before
 * @cpu_time: this process's, at the last one
 * @cost: CPU time between the last two
 * @interrupts: other CPUs that were interrupted for the last one, at most
 * @nr_cpus: CPUs that are online, of those that are counted
 * @changes: CPUs that have gone offline or come online
 * @nr_tasks: threads that have not exited
 * @done: threads that have exited, and are listed still
 * @refused: threads that are listed, and could not be counted
 * @lowest: least share of a group that was multiplexed in the last frame; 1: none was
 * @nr_shared: how many groups were
 * @error: what went wrong
 * @sort: index of the column, or TOP_BY_NAME
 * @reverse: the other way round
 * @filter: text that names must have
 * @view: the rows that are to be shown, sorted
 * @nr_view: how many
 * @scroll: the first of them on the screen
 * @show_totals: with a line for all
 * @show_history: sparklines in place of columns
 * @utf8: the terminal takes UTF-8
 * @paused: no new frames
 */
struct top {
	struct top_options opt;
	struct stat_cmd st;
	struct top_fds *fds;
	size_t nr_events;
	struct top_column *columns;
	size_t nr_columns;
	struct top_row **rows;
	size_t nr_rows;
	size_t room_rows;
	struct top_row **of_place;
	size_t nr_places;
	struct top_row *total;
	bool mapped;
	bool *rests;
	size_t nr_rests;
	unsigned int frames;
	__u64 now;
	__u64 elapsed;
	__u64 cpu_time;
	__u64 cost;
	unsigned int interrupts;
	unsigned int nr_cpus;
	unsigned int changes;
	unsigned int nr_tasks;
	struct numbers done;
	struct numbers refused;
	double lowest;
	unsigned int nr_shared;
	char error[256];
	int sort;
	bool reverse;
	char filter[64];
	struct top_row **view;
	size_t nr_view;
	size_t scroll;
	bool show_totals;
	bool show_history;
	bool utf8;
	bool paused;
};

/* top_run.c: from beginning to end */
int top_run(struct top *top);

/* top_read.c: what the kernel says */
int top_open(struct top *top);
int top_read(struct top *top);
void top_close(struct top *top);

/* top_tasks.c: threads that come and go */
void top_follow_tasks(struct top *top);
bool top_tasks_exited(const struct top *top);

/* top_rows.c: rows, and what they have counted */
void top_make_columns(struct top *top);
void top_name_row(const struct top *top, struct top_row *row);
struct top_row *top_row_of(struct top *top, size_t place);
void top_forget(struct top *top, struct top_row *row);
void top_begin_frame(struct top *top);
void top_end_frame(struct top *top);
void top_free_rows(struct top *top);

/* top_view.c: which rows are shown, in which order */
int top_default_sort(const struct top *top);
void top_make_view(struct top *top);
void top_move_sort(struct top *top, int step);
const struct top_column *top_sort_column(const struct top *top);

/* top_text.c: lines of text */

/**
 * struct top_layout - what fits on a line
 * @width: columns of the screen
 * @name: width of the names
 * @first: the first column that is shown
 * @end: the one behind the last
 * @max: with history: the largest value
 * @size: what the text of a line needs, at most
 */
struct top_layout {
	unsigned int width;
	unsigned int name;
	size_t first;
	size_t end;
	double max;
	size_t size;
};

/* What one of the lines above needs, at most. */
#define TOP_STATUS	1024

void top_layout(const struct top *top, unsigned int width, struct top_layout *layout);
void top_status_text(const struct top *top, unsigned int line, unsigned int width, char *text);
void top_heading_text(const struct top *top, const struct top_layout *layout, char *text);
void top_row_text(const struct top *top, const struct top_layout *layout,
		  const struct top_row *row, char *text);
int top_clip(const char *text, unsigned int width, bool utf8);
char *top_printable(const char *name, bool utf8, unsigned int *width);
void top_value_text(const struct top_column *column, double value, char *text, size_t size);

/* top_spark.c: history as text */
double top_spark_max(const struct top *top, size_t column);
void top_spark(const struct top *top, const struct top_row *row, size_t column, double max,
	       unsigned int width, char *text);

/* top_keys.c: what keys do */

enum top_prompt {
	TOP_NO_PROMPT,
	TOP_HELP,
	TOP_ASK_FILTER,
	TOP_ASK_INTERVAL,
};

/**
 * struct top_keys - what is being typed
 * @prompt: what was asked
 * @text: the answer so far
 * @message: what to say
 * @page: lines of rows on the screen
 * @quit: the user has had enough
 */
struct top_keys {
	enum top_prompt prompt;
	char text[sizeof(((struct top *)0)->filter)];
	char message[80];
	unsigned int page;
	bool quit;
};

int top_parse_interval(const char *text, unsigned int *ms);
void top_key(struct top *top, struct top_keys *keys, int key);

/* top_draw.c: the screen */
void top_draw_begin(bool wanted);
void top_draw(struct top *top, struct top_keys *keys);

/* top_term.c: the terminal, and what happens to it */
int top_term_begin(const struct top *top, int *fd);
int top_term_events(struct top *top, struct top_keys *keys);
void top_term_end(void);

#endif /* PERFGRP_TOP_H */
