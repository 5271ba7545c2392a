/* SPDX-License-Identifier: GPL-2.0 */
/* Structs and functions shared by the files of "perfgrp export". */
#ifndef PERFGRP_EXPORT_H
#define PERFGRP_EXPORT_H

#include "cmd.h"
#include "pmu.h"
#include "stat.h"

enum export_format {
	EXPORT_TEXT,		/* Prometheus' text exposition format 0.0.4 */
	EXPORT_OPENMETRICS,	/* OpenMetrics 1.0 */
	EXPORT_JSON,		/* a JSON object a line */
	EXPORT_FORMATS,
};

/* State of a count. Only EXPORT_COUNTED is an exact count. */
enum export_state {
	EXPORT_COUNTED,		/* on the PMU all the time that it was enabled */
	EXPORT_MULTIPLEXED,	/* on the PMU part of that time */
	EXPORT_NEVER_RAN,
	EXPORT_FAILED,		/* PERFGRP_VALUE_FAILED: the event no longer counts */
	EXPORT_PARTIAL,		/* a sum without all CPUs */
	EXPORT_STATES,
};

/* ---- what is exported -------------------------------------------------------- */

/* The row of threads, of cgroups of --cgroups, and of events that are not supported. */
#define EXPORT_NO_ROW	(~(size_t)0)

/**
 * struct export_point - an event's count in one place
 * @event: the event
 * @pmu: name of the PMU that counted it, or NULL
 * @leader: name of the event that leads its scheduling group, or NULL
 * @cgroup: its cgroup, or NULL
 * @container: the container of the cgroup, or NULL
 * @cpu: the CPU, or -1
 * @tid: the thread, or -1
 * @comm: its name, or NULL
 * @state: enum export_state
 * @raw: the count while it was on the PMU
 * @scaled: estimate for all the time that it was enabled
 * @enabled: ns that it was enabled
 * @running: ns that it was on the PMU
 * @flags: PERFGRP_VALUE_*
 * @supported: the machine can count its group; else @state, counts, times and flags are not valid
 * @labels: its labels in Prometheus' format, the text between the braces
 * @row: index of its row, or of the sum's, in &struct export_values; or EXPORT_NO_ROW
 */
struct export_point {
	const struct event *event;
	char *pmu;
	const char *leader;
	char *cgroup;
	const struct container *container;
	int cpu;
	int tid;
	const char *comm;
	enum export_state state;
	__u64 raw;
	__u64 scaled;
	__u64 enabled;
	__u64 running;
	__u32 flags;
	bool supported;
	char *labels;
	size_t row;
};

/**
 * struct export_row - properties of a CPU's row, or of a sum
 * @labels: as in &struct export_point; the leader is the first event of the group
 * @cpu: the CPU; -1 for the sum
 * @has_epoch: it is a CPU's row
 * @epoch: how often the CPU came back online
 * @has_age: it may be older than the snapshot
 * @age: by how many ns
 */
struct export_row {
	char *labels;
	int cpu;
	bool has_epoch;
	__u32 epoch;
	bool has_age;
	__u64 age;
};

/**
 * struct export_values - what is exported at one time
 * @points: the counts
 * @nr: how many
 * @room: how many @points has room for
 * @rows: the rows
 * @nr_rows: how many
 * @room_rows: how many @rows has room for
 * @scaled: also export estimates
 * @totals: counts are sums over CPUs
 * @version: the module's
 * @backend: "module" or "perf"
 * @time: ns since 1970; always later than that of the values before
 * @read: the same in ns of CLOCK_MONOTONIC
 */
struct export_values {
	struct export_point *points;
	size_t nr;
	size_t room;
	struct export_row *rows;
	size_t nr_rows;
	size_t room_rows;
	bool scaled;
	bool totals;
	const char *version;
	const char *backend;
	__u64 time;
	__u64 read;
};

/* ---- what is counted ----------------------------------------------------------- */

/**
 * struct export_set - events that are counted and reloaded together
 * @text: their line in the file of events; NULL: they are from the command line
 * @st: their groups
 * @containers: the container of each of @st.cgroups, or NULL
 */
struct export_set {
	char *text;
	struct stat_cmd st;
	struct container **containers;
};

/**
 * struct export - one "perfgrp export"
 * @target: the target options; each set resolves its own copy
 * @no_inherit: do not count children of tasks
 * @each: argument of --for-each-cgroup, or NULL
 * @cgroups: --cgroups
 * @depth: depth for --cgroups
 * @totals: export sums over CPUs
 * @scaled: also export estimates
 * @file: file of events, which SIGHUP reloads, or NULL
 * @dev: the device
 * @info: the module's features and limits
 * @sets: the sets; the command line's is the first if there is one
 * @nr: how many
 * @pmus: names of PMUs
 * @values: result of the last export_collect()
 * @error: its negative errno, or 0
 */
struct export {
	struct target target;
	bool no_inherit;
	const char *each;
	bool cgroups;
	unsigned int depth;
	bool totals;
	bool scaled;
	const char *file;
	struct perfgrp_dev *dev;
	struct perfgrp_info info;
	struct export_set **sets;
	size_t nr;
	struct pmu_list pmus;
	struct export_values values;
	int error;
};

/* export_set.c: from texts to groups that count */
struct export_set *export_set_new(const struct export *ex, const char *text);
void export_set_free(struct export_set *set);
int export_set_prepare(const struct export *ex, struct export_set *set, bool named);
int export_load(struct export *ex, struct export_set *first, bool *usage);
int export_reload(struct export *ex);
void export_free(struct export *ex);

/* export_collect.c: from groups to values */
int export_collect(struct export *ex);
void export_values_clear(struct export_values *values);
const char *export_state_name(enum export_state state);

/* export_text.c, export_json.c: from values to text */
void export_print_text(FILE *out, const struct export_values *values, bool openmetrics);
void export_print_json(FILE *out, const struct export_values *values);
char *export_render(const struct export_values *values, enum export_format format, size_t *len);
char *export_labels(const struct export_point *point, bool of_row);

/* export_accept.c: choosing the format for a client */
enum export_format export_accepted(const char *accept);

/* ---- serving ------------------------------------------------------------------- */

/**
 * struct export_socket - a listening socket
 * @fd: the socket; -1 when the server owns it
 * @path: path of a unix socket to be removed at the end, or NULL
 * @url: its URL, to be shown
 */
struct export_socket {
	int fd;
	char *path;
	char *url;
};

/* export_listen.c */
int export_listen(struct export_socket *socket, const char *address, bool allow_remote);
int export_take_socket(struct export_socket *socket, int fd);
void export_close_socket(struct export_socket *socket);

struct export_http;

/* export_http.c: HTTP by libmicrohttpd */
struct export_http *export_http_new(unsigned int timeout, struct export *ex);
int export_http_add(struct export_http *http, struct export_socket *socket);
void export_http_fix_format(struct export_http *http, enum export_format format);
void export_http_forget(struct export_http *http);
size_t export_http_fds(const struct export_http *http, int *fds, size_t room);
__u64 export_http_until(struct export_http *http, __u64 now);
void export_http_run(struct export_http *http, __u64 now);
void export_http_free(struct export_http *http);

/* service.c: systemd's socket activation, notifications and watchdog */
int service_sockets(unsigned int *first);
void service_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
__u64 service_watchdog(void);

/**
 * struct export_run - when to write, and where
 * @ex: what is exported
 * @format: the format
 * @format_given: --format was given: clients cannot choose
 * @path: file to replace; NULL for none, or for standard output
 * @to_stdout: write to standard output
 * @interval: ms between two writes
 * @count: end after this number of writes; 0: no limit
 * @client_timeout: time limit of a client in seconds
 * @sockets: the listening sockets
 * @nr_sockets: how many
 */
struct export_run {
	struct export *ex;
	enum export_format format;
	bool format_given;
	const char *path;
	bool to_stdout;
	unsigned int interval;
	unsigned int count;
	unsigned int client_timeout;
	struct export_socket *sockets;
	size_t nr_sockets;
};

int export_run(struct export_run *run);

#endif /* PERFGRP_EXPORT_H */
