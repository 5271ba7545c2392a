/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structs and functions shared by the files of "perfgrp top". Rows, rates and columns do not
 * depend on the terminal, and the code that draws them does not change them.
 */
#ifndef PERFGRP_TOP_H
#define PERFGRP_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "stat.h"

/* Busy CPUs and running tasks update their rows at this interval, so a shorter one is useless. */
#define TOP_MIN_INTERVAL	100		/* ms */
#define TOP_MAX_INTERVAL	3600000
/* Number of frames in the history. */
#define TOP_HISTORY		120
/* Value of sort: sorted by name, not by a column. */
#define TOP_BY_NAME		(-1)

/**
 * struct top_options - options of "perfgrp top"
 * @interval: ms between two frames
 * @frames: end after so many frames; 0: no limit
 * @batch: print frames as text instead of drawing them on a terminal
 * @wake: take snapshots even if rows can be mapped
 * @history: start with the history of a column
 * @no_totals: start without totals
 * @no_color: use no colors
 * @events: -e or -M was given
 * @cgroups: --cgroups was given
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
	TOP_RATE,		/* of an event: count per second */
	TOP_RATIO,		/* of an event: what stat prints after the '#' */
	TOP_METRIC,		/* of -M */
	TOP_SHARE,		/* of a group of events: percentage of time on the PMU */
};

/**
 * struct top_column - a column of numbers
 * @kind: what the column shows
 * @group: index of the group of events; for a metric: of its first one
 * @event: index of the event in the group
 * @metric: for a metric: index in &struct stat_cmd.metrics
 * @cell: index in &struct top_row.cells; for a share: of the first event
 * @nr_cells: for a share: number of events
 * @title: heading
 * @format: for a ratio or a metric: how to print it
 * @adds: for a ratio: it is per time, like a rate, so values of several rows can be added up
 * @shown: the column is shown: that of a ratio or a share once it has had a value
 */
struct top_column {
	enum top_kind kind;
	size_t group;
	size_t event;
	size_t metric;
	size_t cell;
	size_t nr_cells;
	char title[28];
	const char *format;
	bool adds;
	bool shown;
};

/**
 * struct top_part - state of a mapped row when it was last read
 * @known: the other fields are valid
 * @epoch: of the CPU
 * @generation: of the group
 * @time: time of the counts, in ns
 */
struct top_part {
	bool known;
	__u32 epoch;
	__u64 generation;
	__u64 time;
};

/**
 * struct top_row - a CPU, a thread, a cgroup, or the sum of all rows
 * @place: index of the place in &struct stat_cmd.aggr
 * @name: its name, with only printable characters
 * @width: width of @name in columns of the screen
 * @tid: the thread, or 0
 * @parts: one for each group of events
 * @last: with mapped rows: the values of all events when they were last read
 * @cells: for each event: what was counted since the last frame
 * @elapsed: for each group of events: the time in ns that @cells cover; 0: there are no counts
 * @values: one for each column; NAN if there is no value
 * @lacks: for each metric: an event that should have been counted there was not, so the others are
 *	not part of the sum of all rows
 * @history: the values of the last TOP_HISTORY frames, column by column
 * @time: time of its oldest counts
 * @there: it is in the last snapshot
 * @ran: it has run since the last frame; cgroups that have not are not shown
 * @rests: nothing has run there since the row was written
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
	bool *lacks;
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
 * struct top_fd - a perfgrp group, in addition to &struct stat_group.fds
 * @map: its mapped rows, or NULL
 * @time: when the last snapshot was taken
 */
struct top_fd {
	const struct perfgrp_map *map;
	__u64 time;
};

/**
 * struct top_fds - the perfgrp groups of a group of events
 * @fds: one for each of &struct stat_group.fds
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
 * @st: what is counted; also used to compute ratios
 * @fds: one for each group of events
 * @nr_events: of all groups
 * @columns: for each event of -e its rate and its ratio, and for each group the share; then the
 *	metrics
 * @nr_columns: how many
 * @rows: in the order of their places
 * @nr_rows: how many
 * @room_rows: how many @rows has room for
 * @of_place: the row of each place, or NULL
 * @nr_places: how many places @of_place has
 * @total: the sum of all rows
 * @mapped: rows are mapped
 * @rests: for each CPU of a mapped slot, or for the task at index 0: the row is at rest
 * @nr_rests: how many elements @rests has
 * @frames: number of frames so far
 * @now: time of the last frame
 * @elapsed: time since the previous frame
 * @cpu_time: CPU time of this process at the last frame
 * @cost: CPU time of this process between the last two frames
 * @interrupts: upper bound of the other CPUs that were interrupted for the last frame
 * @nr_cpus: counted CPUs that are online
 * @changes: how often CPUs have gone offline or come online
 * @nr_tasks: threads that have not exited
 * @done: threads that have exited but are still listed in /proc
 * @refused: threads that are listed in /proc but could not be counted
 * @lowest: lowest share of a multiplexed group in the last frame, in percent; 100: none was
 * @nr_shared: number of multiplexed groups in the last frame
 * @error: message of the last error
 * @sort: index of the column, or TOP_BY_NAME
 * @reverse: sort in reverse order
 * @filter: text that names must contain
 * @view: the rows to show, sorted
 * @nr_view: how many
 * @scroll: index in @view of the first row on the screen
 * @show_totals: show a line for @total
 * @show_history: show the history of a column instead of all columns
 * @utf8: the terminal supports UTF-8
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
	char error[320];
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

/* top_read.c: reading counts from the kernel */
int top_open(struct top *top);
int top_read(struct top *top);
void top_close(struct top *top);

/* top_tasks.c: threads that start and exit */
void top_follow_tasks(struct top *top);
bool top_tasks_exited(const struct top *top);

/* top_rows.c: rows and their values */
void top_make_columns(struct top *top);
void top_name_row(const struct top *top, struct top_row *row);
struct top_row *top_row_of(struct top *top, size_t place);
void top_forget(struct top *top, struct top_row *row);
void top_begin_frame(struct top *top);
void top_end_frame(struct top *top);
void top_free_rows(struct top *top);
struct top_column *top_add_column(struct top *top, enum top_kind kind, size_t group, size_t cell);
bool top_was_counted(const struct top *top, const struct top_row *row, size_t group, size_t cell);

/* top_metric.c: metrics */
void top_add_metrics(struct top *top);
double top_metric_of(struct top *top, struct top_row *row, const struct top_column *column);

/* top_view.c: choosing and sorting the rows to show */
int top_default_sort(const struct top *top);
void top_make_view(struct top *top);
void top_move_sort(struct top *top, int step);
const struct top_column *top_sort_column(const struct top *top);

/* top_text.c: lines of text */

/**
 * struct top_layout - what fits on a line
 * @width: width of the screen; 0: no limit
 * @name: width of the names
 * @first: index of the first column that is shown
 * @end: index after the last column that is shown
 * @max: with history: the largest value
 * @size: maximum size of a line's text, in bytes
 */
struct top_layout {
	unsigned int width;
	unsigned int name;
	size_t first;
	size_t end;
	double max;
	size_t size;
};

/* Buffer size for a status line. */
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

/* top_keys.c: key commands */

enum top_prompt {
	TOP_NO_PROMPT,
	TOP_HELP,
	TOP_ASK_FILTER,
	TOP_ASK_INTERVAL,
};

/**
 * struct top_keys - state of keyboard input
 * @prompt: the current prompt
 * @text: the answer so far
 * @message: message to show in the prompt's line
 * @page: number of rows on the screen
 * @quit: quit was requested
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

/* top_term.c: the terminal and its events */
int top_term_begin(const struct top *top, int *fd);
int top_term_events(struct top *top, struct top_keys *keys);
void top_term_end(void);

#endif /* PERFGRP_TOP_H */
