/* SPDX-License-Identifier: GPL-2.0 */
/* Structs and functions shared by the files of "perfgrp record". */
#ifndef PERFGRP_RECORD_H
#define PERFGRP_RECORD_H

#include <stdio.h>

#include "cgroup.h"
#include "control.h"
#include "ending.h"
#include "events.h"
#include "perf_data.h"
#include "perfgrp.h"
#include "sideband.h"
#include "target.h"

/* Maximum delay before records are read, and interval of the check for exited tasks, in ms. */
#define RECORD_LATENCY	100

/**
 * struct record_options - how to sample
 * @period: sample every so many events; 0: by frequency
 * @freq: samples per second
 * @freq_asked: the user has set @freq
 * @buffer_size: bytes for records on each CPU; 0: default
 * @overwrite: keep the last records, and read them at the end
 * @no_inherit: do not sample children
 * @per_thread: perf's name for no_inherit, refused for CPUs
 * @callchain: samples have call chains
 * @max_stack: maximum number of addresses in a chain; 0: default
 * @json: write JSON lines instead of perf.data
 * @verbose: report what became of all records
 * @quiet: no summary at the end
 * @no_cache: do not add files that were sampled to perf's cache
 * @no_bpf: no records of BPF programs and their functions
 * @delay: start sampling so many ms after the start
 * @wait: start sampling when --control enables it
 * @max_size: end when so many bytes were recorded; 0: no limit
 * @programs_only: BPF programs run, also in children, and there are no records
 */
struct record_options {
	__u64 period;
	__u64 freq;
	bool freq_asked;
	__u32 buffer_size;
	bool overwrite;
	bool no_inherit;
	bool per_thread;
	bool callchain;
	__u32 max_stack;
	bool json;
	bool verbose;
	bool quiet;
	bool no_cache;
	bool no_bpf;
	unsigned int delay;
	bool wait;
	__u64 max_size;
	bool programs_only;
};

/**
 * struct record_switch - --switch-output: one file after the other
 * @on: the option was given
 * @on_signal: switch at each SIGUSR2
 * @size: switch when so many bytes were recorded into the file, or 0
 * @period: switch every so many ns, or 0
 * @max_files: number of files to keep; 0: all
 * @next: end of the current period, in ns of CLOCK_MONOTONIC
 * @names: names of the files to keep, if @max_files is set
 * @nr: how many there have been
 */
struct record_switch {
	bool on;
	bool on_signal;
	__u64 size;
	__u64 period;
	unsigned int max_files;
	__u64 next;
	char **names;
	unsigned int nr;
};

/**
 * struct record_group - a group of the module
 * @fd: the group
 * @source: describes its records, for the file
 * @events: its events
 * @at_end: all records have been read, and there will be no more
 */
struct record_group {
	struct perfgrp_group *fd;
	struct perf_data_source source;
	const struct event_group *events;
	bool at_end;
};

/**
 * struct record - one "perfgrp record"
 * @opt: how to sample
 * @target: what to sample
 * @cgroups: the cgroups whose tasks are sampled, if not all
 * @dev: the device
 * @info: what the module can do
 * @list: the groups and their events
 * @events_named: the user has given events
 * @counters: one for each event, as they were added
 * @nr_events: how many
 * @groups: for each task, or for all CPUs, one for each of @list
 * @nr_groups: how many
 * @room_groups: how many @groups has room for
 * @polls: file descriptors for record_poll(): signals, timer, --control and all groups
 * @side: perf's own records about tasks and mappings
 * @control: --control
 * @enabled: the groups are enabled, or the command's exec enables them
 * @enable_at: when to enable the groups, in ns of CLOCK_MONOTONIC, or ENDING_NEVER
 * @switching: when to continue in a new file
 * @file: name of the file, or NULL for standard output
 * @data: the file
 * @samples: samples written
 * @argv: the command line
 */
struct record {
	struct record_options opt;
	struct target target;
	struct cgroup_list cgroups;
	struct perfgrp_dev *dev;
	struct perfgrp_info info;
	struct event_list list;
	bool events_named;
	struct perfgrp_counter *counters;
	size_t nr_events;
	struct record_group *groups;
	size_t nr_groups;
	size_t room_groups;
	struct pollfd *polls;
	struct sideband side;
	struct control control;
	bool enabled;
	__u64 enable_at;
	struct record_switch switching;
	const char *file;
	struct perf_data data;
	__u64 samples;
	char **argv;
};

/* record_options.c */

/* Option table rows for record_parse_sampling(), and their help text. */
#define RECORD_LETTERS	CMD_TARGET_LETTERS "e:c:F:G:iD:"
#define RECORD_OPTIONS						\
	{ "event", required_argument, NULL, 'e' },		\
	{ "count", required_argument, NULL, 'c' },		\
	{ "freq", required_argument, NULL, 'F' },		\
	CMD_TARGET_OPTIONS,					\
	{ "cgroup", required_argument, NULL, 'G' },		\
	{ "no-inherit", no_argument, NULL, 'i' },		\
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },	\
	{ "delay", required_argument, NULL, 'D' },		\
	{ "control", required_argument, NULL, OPT_CONTROL }
#define RECORD_HELP									\
	"  -F, --freq HZ            samples per second, or max (default: 4000)\n"	\
	"  -a, --all-cpus           all CPUs (default without COMMAND)\n"		\
	"  -C, --cpu LIST           some CPUs: 0,2-3\n"					\
	"  -p, --pid LIST           processes, with all their current threads\n"	\
	"  -t, --tid LIST           threads\n"						\
	"      --all-user           user mode only\n"					\
	"      --all-kernel         kernel mode only\n"				\
	"  -G, --cgroup NAMES       with -a or -C: only tasks in these cgroups; one name for each\n"	\
	"                           preceding event, in order, or a single name for all\n"	\
	"  -i, --no-inherit, --per-thread\n"						\
	"                           do not sample child tasks and new threads\n"	\
	"  -D, --delay MS           milliseconds to wait before sampling; -1: start with events disabled\n" \
	"      --control fd:N[,N] | fifo:PATH[,PATH] | self\n"			\
	"                           take commands from a file descriptor, a FIFO, or COMMAND (self):\n" \
	"                           enable, disable, snapshot, ping, stop; reply with \"ack\"\n"

int record_parse_sampling(struct record *rec, int c);
int record_check_options(struct record *rec);

/* record_file.c */
int record_open_output(struct record *rec);
int record_close_output(struct record *rec);

/* record_switch.c */
int record_parse_max_size(const char *text, __u64 *size);
int record_parse_switch(const char *text, struct record_switch *to);
void record_switch_begin(struct record_switch *to, __u64 now);
bool record_switch_due(struct record_switch *to, __u64 now, __u64 bytes);
int record_switch_rename(struct record_switch *to, const char *file);
void record_switch_free(struct record_switch *to);

/* record_control.c: when to sample */
int record_begin(struct record *rec);
void record_begin_delay(struct record *rec);
int record_enable_if_due(struct record *rec);
int record_timeout(__u64 next);
bool record_obey(struct record *rec, int (*snapshot)(void *arg), void *arg, int *err);

/* record_open.c: groups of the module */
int record_open(struct record *rec);
void record_close(struct record *rec);
bool record_enables_on_exec(const struct record *rec);
int record_each_group(const struct record *rec, int (*call)(struct perfgrp_group *group));
void record_set_polls(struct record *rec, const struct ending *ending, short events);
void record_forget_control(const struct record *rec);
int record_poll(const struct record *rec, int timeout);

/* record_run.c */
int record_run(struct record *rec);

/* record_json.c */
int record_json_print(FILE *out, const struct record_group *group,
		      const struct perf_event_header *record);

#endif /* PERFGRP_RECORD_H */
