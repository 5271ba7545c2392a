/* SPDX-License-Identifier: GPL-2.0 */
/* Structs and functions shared by the files of "perfgrp stat". */
#ifndef PERFGRP_STAT_H
#define PERFGRP_STAT_H

#include <stdio.h>

#include "aggr.h"
#include "cgroup.h"
#include "control.h"
#include "events.h"
#include "metric_list.h"
#include "perfgrp.h"
#include "target.h"

struct json_object;

/**
 * struct stat_options - how to count and how to print
 * @separator: CSV with this between the columns; NULL for no CSV
 * @json: print JSON, one object on each line
 * @header: print first what is counted, where and since when (JSON only)
 * @raw: show what the kernel reports: raw and scaled counts, times, state
 * @big_num: group digits as the locale does (text only)
 * @no_scale: print raw counts instead of scaled ones
 * @metric_only: print only metrics, one line for each place
 * @merge: add up CPUs with different PMUs
 * @no_inherit: do not count children
 * @no_wake: let idle CPUs sleep: use the rows that they have written
 * @since_start: counts are those since the start, even with @no_wake, and rows are remembered
 * @map_interval: with @no_wake: also use the rows of busy CPUs or tasks, which they write every so
 *	many ns
 * @null: count nothing
 * @verbose: print more messages
 * @quiet: print nothing
 * @hide_zero: leave out counts of 0
 * @sync: write everything to disk before each run
 * @table: print how long each run was
 * @interval_clear: clear the terminal before each interval
 * @pre: a command to run before each run, or NULL
 * @post: a command to run after each run, or NULL
 * @interval: print every so many ms; 0: at the end
 * @interval_count: end after so many intervals; 0: no limit
 * @summary: also print the sum of all intervals
 * @no_csv_summary: do not start the sum's CSV lines with "summary"
 * @timeout: end after so many ms; 0: no limit
 * @delay: begin to count after so many ms
 * @wait: begin to count when --control enables it
 * @runs: how often to run the command; 0: until interrupted
 */
struct stat_options {
	const char *separator;
	bool json;
	bool header;
	bool raw;
	bool big_num;
	bool no_scale;
	bool metric_only;
	bool merge;
	bool no_inherit;
	bool no_wake;
	bool since_start;
	__u64 map_interval;
	bool null;
	bool summary;
	bool no_csv_summary;
	bool quiet;
	bool hide_zero;
	bool sync;
	bool table;
	bool interval_clear;
	const char *pre;
	const char *post;
	bool verbose;
	unsigned int interval;
	unsigned int interval_count;
	unsigned int timeout;
	unsigned int delay;
	bool wait;
	unsigned int runs;
};

/**
 * struct stat_mean - mean and spread of some values
 * @nr: how many
 * @sum: their sum
 * @about: their mean, as a double
 * @squares: sum of the squares of their differences from @about
 */
struct stat_mean {
	unsigned int nr;
	__u64 sum;
	double about;
	double squares;
};

/**
 * struct stat_cell - one event's count in one place
 * @place: index in the places of &struct stat_cmd.aggr
 * @pmu: number of the PMU that counted it, or PERFGRP_NONE
 * @sched_group: number of the event that leads its scheduling group, from 1; 0 if that is
 *	not known, PERFGRP_NONE if it is not the same everywhere
 * @state: enum perfgrp_state
 * @flags: PERFGRP_VALUE_*
 * @raw: sum of raw counts
 * @scaled: sum of scaled counts
 * @enabled: sum of time_enabled
 * @running: sum of time_running
 * @mean: in a sum over several runs of the command: mean of the counts of those runs that have one
 */
struct stat_cell {
	size_t place;
	__u32 pmu;
	__u32 sched_group;
	__u32 state;
	__u32 flags;
	__u64 raw;
	__u64 scaled;
	__u64 enabled;
	__u64 running;
	struct stat_mean mean;
};

/**
 * struct stat_cells - an event's counts
 * @cells: one for each place, or for each PMU in a place
 * @nr: how many
 * @room: how many @cells has room for
 */
struct stat_cells {
	struct stat_cell *cells;
	size_t nr;
	size_t room;
};

/**
 * struct stat_event - an event and its counts
 * @last: those of the last snapshot
 * @runs: those of all runs of the command, if it is run several times
 * @supported: the machine has it
 * @added: its counts were added to those of another event, see stat_sum.c
 */
struct stat_event {
	struct stat_cells last;
	struct stat_cells runs;
	bool supported;
	bool added;
};

/**
 * struct stat_row - a snapshot's row of one CPU, or of one task
 * @place: as in &struct stat_cell
 * @epoch: as in &struct perfgrp_row
 * @time: when it was read: @time_before of &struct perfgrp_row
 */
struct stat_row {
	size_t place;
	__u32 epoch;
	__u64 time;
};

/**
 * struct stat_group - a group of events, counted by one or more perfgrp groups
 * @fds: one for each task, or one for all CPUs
 * @tasks: the task of each of @fds, if it counts tasks
 * @nr: how many
 * @room: how many @fds has room for
 * @ids: the members' ids, those of the first of @fds first
 * @events: one for each event
 * @last: with no_wake: the values of the last snapshot, by CPU and event
 * @nr_last: how many
 * @parts: with --summary: of tsearch(), &struct stat_part of each CPU or task
 * @rows: with since_start: the rows of the last snapshot
 * @nr_rows: how many
 * @room_rows: how many @rows has room for
 */
struct stat_group {
	struct perfgrp_group **fds;
	unsigned int *tasks;
	size_t nr;
	size_t room;
	__u32 *ids;
	struct stat_event *events;
	struct perfgrp_value *last;
	size_t nr_last;
	void *parts;
	struct stat_row *rows;
	size_t nr_rows;
	size_t room_rows;
};

/**
 * struct stat_cmd - one "perfgrp stat"
 * @opt: how to count and how to print
 * @target: what to count
 * @cgroups: the cgroups whose tasks are counted, if not all
 * @split: --cgroups: names of the cgroups that are counted separately
 * @control: --control
 * @dev: the device
 * @features: PERFGRP_FEATURE_* of the module
 * @list: the groups and their events
 * @nr_sums: how many sums of PMUs its events have
 * @metrics: the metrics to compute (-M)
 * @groups: one for each of @list.groups, once they have been opened
 * @nr_groups: how many
 * @room_groups: how many @groups has room for
 * @aggr: the places over which counts are added up
 * @snap: memory for snapshots
 * @summing_up: what is printed is the sum of all intervals
 * @so_far: with many runs: what is printed is what the current one has counted so far
 * @error: negative errno of the last stat_collect(), or 0
 * @skew: longest time that a snapshot took to read all CPUs, in ns
 * @out: where to print
 * @file: name of the file of -o, or NULL
 * @length: length of the printed run or interval, in ns
 * @elapsed: how much of it events were counted, in ns: --control can stop that for a while
 * @timestamp: time since the start in ns, for intervals
 * @mean_length: mean of @length over all runs that have been added up
 * @mean_elapsed: the same of @elapsed
 * @lengths: their @length
 * @room_lengths: how many @lengths has room for
 * @user: user time of the command in seconds, or negative
 * @sys: system time of the command in seconds
 */
struct stat_cmd {
	struct stat_options opt;
	struct target target;
	struct cgroup_list cgroups;
	struct cgroup_split split;
	struct control control;
	struct perfgrp_dev *dev;
	__u64 features;
	struct event_list list;
	unsigned int nr_sums;
	struct metric_list metrics;
	struct stat_group *groups;
	size_t nr_groups;
	size_t room_groups;
	struct aggr aggr;
	struct perfgrp_snap *snap;
	bool summing_up;
	bool so_far;
	int error;
	__u64 skew;
	FILE *out;
	const char *file;
	__u64 length;
	__u64 elapsed;
	__u64 timestamp;
	struct stat_mean mean_length;
	struct stat_mean mean_elapsed;
	__u64 *lengths;
	size_t room_lengths;
	double user;
	double sys;
};

int stat_run(struct stat_cmd *st);

/* cmd_stat.c */
int stat_add_default_events(struct stat_cmd *st);
int stat_close_output(struct stat_cmd *st);

/* stat_open.c: groups of the module */

int stat_use_device(struct stat_cmd *st, struct perfgrp_dev *dev, __u64 features);
int stat_open_device(struct stat_cmd *st);
int stat_open(struct stat_cmd *st);
void stat_close(struct stat_cmd *st);
void stat_free(struct stat_cmd *st);
bool stat_enables_on_exec(const struct stat_cmd *st);
int stat_add_task(struct stat_cmd *st, unsigned int tid);
void stat_drop_task(struct stat_cmd *st, unsigned int tid);

/* stat_count.c: their counts */
int stat_enable(struct stat_cmd *st);
int stat_disable(struct stat_cmd *st);
int stat_reset(struct stat_cmd *st);
int stat_collect(struct stat_cmd *st);
void stat_add_run(struct stat_cmd *st);
bool stat_tasks_exited(struct stat_cmd *st);
bool stat_cgroups_removed(struct stat_cmd *st);
size_t stat_place_of(struct stat_cmd *st, const struct perfgrp_row *row, unsigned int task,
		     bool *looked);
__u32 stat_find_sched_group(const struct perfgrp_value *value, const __u32 *ids, size_t nr,
			    size_t first_event);
struct stat_cell *stat_find_cell(const struct stat_cmd *st, struct stat_cells *cells, size_t place,
				 __u32 pmu);
void stat_init_cell(struct stat_cell *cell, size_t place, __u32 pmu);
void stat_add_cell(struct stat_cell *sum, const struct stat_cell *cell);
void stat_add_part(struct stat_cell *sum, const struct stat_cell *part);
void stat_add_value(struct stat_cell *sum, const struct perfgrp_value *value, __u32 sched_group);

void stat_sort_threads(const struct stat_cmd *st, struct stat_cells *cells);

/* stat_summary.c: the sum of all intervals */

/**
 * struct stat_part - what one CPU or task has counted in all intervals
 * @place: as in &struct stat_cell
 * @task: the task, or 0
 * @cpu: the CPU, or -1
 * @nr: number of events
 * @cells: one for each event of the group; scaled counts are not valid
 */
struct stat_part {
	size_t place;
	unsigned int task;
	int cpu;
	size_t nr;
	struct stat_cell cells[];
};

static inline bool stat_has_summary(const struct stat_cmd *st)
{
	return st->opt.interval && st->opt.summary;
}

struct stat_part *stat_find_part(struct stat_group *group, size_t nr, size_t place,
				 unsigned int task, int cpu);
void stat_add_interval(struct stat_part *part, size_t event, const struct stat_cell *cell);
void stat_forget_intervals(struct stat_cmd *st);
void stat_sum_up(struct stat_cmd *st);
void stat_free_parts(struct stat_group *group);

/* stat_sum.c: sums over PMUs */
void stat_choose_sums(struct stat_cmd *st);
void stat_name_apart(struct stat_cmd *st);
void stat_make_sums(struct stat_cmd *st, bool intervals);
const char *stat_event_name(const struct event *event);

/* stat_interval.c: what has been counted since the last snapshot */
void stat_since_last(struct stat_group *group, size_t nr, unsigned int cpu, size_t event,
		     struct perfgrp_value *value);

/* stat_cell.c: properties of one count */
static inline bool stat_is_interval(const struct stat_cmd *st)
{
	return st->opt.interval && !st->summing_up;
}

static inline bool stat_is_mean(const struct stat_cmd *st)
{
	return st->opt.runs > 1 && !st->so_far;
}

bool stat_names_cgroups(const struct stat_cmd *st);
const struct stat_cells *stat_cells(const struct stat_cmd *st, const struct stat_event *event);
bool stat_was_counted(const struct stat_cmd *st, const struct stat_cell *cell);
__u64 stat_count(const struct stat_cmd *st, const struct stat_cell *cell);
double stat_exact_count(const struct stat_cmd *st, const struct stat_cell *cell);
__u64 stat_runtime(const struct stat_cmd *st, const struct stat_cell *cell);
double stat_elapsed(const struct stat_cmd *st);
double stat_percent(const struct stat_cell *cell);
const char *stat_state(const struct stat_cell *cell);
const char *stat_next_flag(const struct stat_cell *cell, unsigned int *i);
__u32 stat_sched_group(const struct stat_cell *cell);
void stat_print_place(FILE *out, enum aggr_mode mode, const struct aggr_place *place,
		      const char *separator);
void stat_add_to_mean(struct stat_mean *mean, __u64 value);
double stat_deviation(const struct stat_mean *mean);

/* stat_print.c: common to all formats */

/**
 * struct stat_metric - a metric, printed after a '#'
 * @format: how to print @value; NULL if there is no value
 * @value: the value
 * @unit: its unit, which is also its name
 * @named: it is a metric of -M: shown even without a value
 * @percent: with -M or --metric-only: lower bound of the share of time its events were counted
 * @verdict: for metrics of -M: result of the threshold: "good", "bad", or NULL
 */
struct stat_metric {
	const char *format;
	double value;
	char unit[128];
	bool named;
	double percent;
	const char *verdict;
};

/**
 * struct stat_line - one line of output
 * @place: the place
 * @event: the event
 * @name: its name
 * @cgroup: name of its cgroup, or ""; NULL: there is no column for cgroups
 * @cell: its count
 * @missing: why there is no count, or NULL
 * @metrics: metrics
 * @nr_metrics: how many
 * @noise: standard deviation of the mean over runs, in percent
 * @runs: number of runs with a count; 0: all runs
 */
struct stat_line {
	const struct aggr_place *place;
	const struct event *event;
	const char *name;
	const char *cgroup;
	const struct stat_cell *cell;
	const char *missing;
	const struct stat_metric *metrics;
	unsigned int nr_metrics;
	double noise;
	unsigned int runs;
};

/**
 * struct stat_format - an output format
 * @begin: called before the first line
 * @line: called for each line
 * @end: called after the last line
 */
struct stat_format {
	void (*begin)(struct stat_cmd *st);
	void (*line)(struct stat_cmd *st, const struct stat_line *line);
	void (*end)(struct stat_cmd *st);
};

extern const struct stat_format stat_text, stat_csv, stat_json;

/* stat_json.c */
struct json_object *stat_json_new(const struct stat_cmd *st, const struct aggr_place *place);

/* stat_header.c */
void stat_print_header(const struct stat_cmd *st);

/* stat_csv.c */
void stat_metric_number(const struct stat_metric *metric, char *text, size_t size);

void stat_print(struct stat_cmd *st);
struct stat_metric *stat_metrics_of(struct stat_cmd *st, size_t group, size_t index,
				    const struct stat_cell *cell, unsigned int *nr);

/* metrics.c */

unsigned int stat_metrics(const struct stat_cmd *st, size_t group, size_t index,
			  const struct stat_cell *cell, struct stat_metric metrics[2]);

/* stat_metric.c */
struct stat_metric *stat_named_metrics(struct stat_cmd *st, size_t group, size_t index,
				       size_t place, unsigned int *nr);

/* stat_metric_only.c */
void stat_print_metric_only(struct stat_cmd *st);

#endif /* PERFGRP_STAT_H */
