/* SPDX-License-Identifier: GPL-2.0 */
/* What the files behind "perfgrp report" share. */
#ifndef PERFGRP_REPORT_H
#define PERFGRP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

#include "util.h"

/* State of a counter in an interval. An interval without a point was not counted either. */
enum report_kind {
	REPORT_COUNTED,		/* all the time that it was enabled */
	REPORT_ESTIMATED,	/* part of that time: multiplexed, the rest is estimated */
	REPORT_NOT_COUNTED,
};

/**
 * struct report_interval - an interval of the run
 * @start: in seconds since counting began
 * @end: likewise
 */
struct report_interval {
	double start;
	double end;
};

/**
 * struct report_point - the value of an interval
 * @interval: index of the interval
 * @kind: if @value is valid
 * @value: events, or the value of a metric
 */
struct report_point {
	__u32 interval;
	enum report_kind kind;
	double value;
};

/**
 * struct report_series - an event in one place over time
 * @counter: number of the counter that it is of
 * @place: the CPU, the thread, the cgroup, and what else tells it from others; "" for none
 * @number: tells series of the same event and place apart; from 1
 * @points: in the order of time; intervals may be missing
 * @nr: how many
 * @room: how many @points has room for
 * @states: the states and flags seen, each once
 * @known: seconds of intervals for which the share of time on the PMU is known
 * @on_pmu: seconds of these on the PMU
 */
struct report_series {
	size_t counter;
	char *place;
	unsigned int number;
	struct report_point *points;
	size_t nr;
	size_t room;
	struct strings states;
	double known;
	double on_pmu;
};

/**
 * struct report_counter - an event, or a metric
 * @name: name of the event or metric
 * @unit: of the event's counts, or ""
 * @event: of a metric: the event on whose line it was, or ""
 * @is_metric: it is a metric, not an event
 * @series: indexes of its series, one for each place
 * @nr: how many
 * @room: how many @series has room for
 */
struct report_counter {
	char *name;
	char *unit;
	char *event;
	bool is_metric;
	size_t *series;
	size_t nr;
	size_t room;
};

/**
 * struct report_fact - a line of the head of the page
 * @name: its name
 * @value: its value
 */
struct report_fact {
	const char *name;
	char *value;
};

/**
 * struct report - one run
 * @input: the name of its file
 * @title: argument of --title, or NULL
 * @most_places: maximum number of places shown of a counter
 * @has_head: the input has the line of stat --header
 * @command: the command that was counted, or NULL
 * @facts: from the head
 * @nr_facts: how many
 * @room_facts: how many @facts has room for
 * @intervals: the intervals
 * @nr: how many
 * @room: how many @intervals has room for
 * @counters: the counters, as they come in the input
 * @nr_counters: how many
 * @room_counters: how many @counters has room for
 * @series: all series
 * @nr_series: how many
 * @room_series: how many @series has room for
 * @tree: of tsearch(), finds series
 * @lines: of the input
 * @exported: an exporter has written the input
 * @no_interval: number of lines without an interval, such as sums at the end
 */
struct report {
	const char *input;
	const char *title;
	unsigned int most_places;
	bool has_head;
	char *command;
	struct report_fact *facts;
	size_t nr_facts;
	size_t room_facts;
	struct report_interval *intervals;
	size_t nr;
	size_t room;
	struct report_counter *counters;
	size_t nr_counters;
	size_t room_counters;
	struct report_series **series;
	size_t nr_series;
	size_t room_series;
	void *tree;
	size_t lines;
	bool exported;
	size_t no_interval;
};

/* report_read.c: from lines of JSON */
int report_read(struct report *report, FILE *in);

/* report_series.c: finding and adding series */
struct report_series *report_find_series(struct report *report, const char *name, const char *event,
					 const char *unit, bool is_metric, const char *place);
void report_add_point(struct report *report, struct report_series *series,
		      enum report_kind kind, double value);
void report_add_state(struct report_series *series, const char *state);
void report_free(struct report *report);

/* report_value.c: rates, statistics and formatting of numbers */

/**
 * struct report_summary - statistics of a series: of rates, or of values of a metric
 * @counted: number of intervals with a value
 * @estimated: number of these that were multiplexed
 * @has_last: the last interval has a value
 * @last: that value
 * @middle: number of events / time in which they were counted; of a metric the median
 * @least: the minimum
 * @most: the maximum
 */
struct report_summary {
	size_t counted;
	size_t estimated;
	bool has_last;
	double last;
	double middle;
	double least;
	double most;
};

double report_value(const struct report *report, const struct report_series *series,
		    const struct report_point *point);
double report_median(double *values, size_t nr);
struct report_summary report_sum_up(const struct report *report,
				    const struct report_series *series);
size_t *report_choose_series(const struct report *report, const struct report_counter *counter,
			     size_t *nr);
char *report_number(double value, const char *unit);
char *report_rate(const struct report_counter *counter, double value);
double report_nice_step(double span, unsigned int most);

/* report_html.c: the page */
char *report_page(const struct report *report, size_t *len);
void report_text(FILE *out, const char *text);
void report_print_name(FILE *out, const char *before, const char *name, const char *behind);
char *report_series_name(const struct report_series *series);
void report_print_counter_name(FILE *out, const struct report_counter *counter);
void report_print_left_out(FILE *out, size_t shown, size_t all, const char *before,
			   const char *behind);

/* report_table.c: its tables */
void report_print_table(FILE *out, const struct report *report, bool metrics);

/* report_plot.c: its plots */

/**
 * struct report_plot - a plot
 * @series: the series
 * @id: unique number of the plot
 * @most: maximum that its axis must have room for
 * @least: minimum that its axis must have room for
 * @small: it is one of several plots of a counter
 */
struct report_plot {
	const struct report_series *series;
	unsigned int id;
	double most;
	double least;
	bool small;
};

size_t report_intervals_per_step(const struct report *report, bool small);
void report_print_plot(FILE *out, const struct report *report, const struct report_plot *plot,
		       const char *title, const char *description);

#endif /* PERFGRP_REPORT_H */
