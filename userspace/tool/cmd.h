/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of the tool. */
#ifndef PERFGRP_CMD_H
#define PERFGRP_CMD_H

#include <getopt.h>
#include <stdio.h>

#include "events.h"
#include "perfgrp.h"
#include "target.h"

#define PERFGRP_TOOL_VERSION	"0.1"

/* Exit status after a usage error, as in perf. */
#define EXIT_USAGE	129

/* Exit status if counting or the command cannot be started, as in perf. */
#define EXIT_FAILED	255

/* Long options without a letter: shared by several commands; a command's own begin after these. */
enum {
	OPT_ALL_USER = 256,
	OPT_ALL_KERNEL,
	OPT_CGROUPS,
	OPT_CONTROL,
	OPT_FOR_EACH_CGROUP,
	OPT_PER_THREAD,
	OPT_TIMEOUT,
	OPT_OF_COMMAND,
};

/* Rows of a table of options, and their help. */
#define CMD_EVENT_OPTIONS					\
	{ "event", required_argument, NULL, 'e' },		\
	{ "pfm-events", required_argument, NULL, 'e' }
#define CMD_EVENT_HELP										\
	"  -e, --event EVENTS       events, named as in perf; {a,b} is a group; may be repeated\n"	\
	"                           (--pfm-events is an alias)\n"
#define CMD_CGROUP_OPTIONS							\
	{ "cgroup", required_argument, NULL, 'G' },				\
	{ "for-each-cgroup", required_argument, NULL, OPT_FOR_EACH_CGROUP },	\
	{ "cgroups", optional_argument, NULL, OPT_CGROUPS }

/* Rows of a table of options, for cmd_parse_target(). */
#define CMD_TARGET_LETTERS	"aC:p:t:"
#define CMD_TARGET_OPTIONS					\
	{ "all-cpus", no_argument, NULL, 'a' },			\
	{ "cpu", required_argument, NULL, 'C' },		\
	{ "pid", required_argument, NULL, 'p' },		\
	{ "tid", required_argument, NULL, 't' }
#define CMD_MODE_OPTIONS					\
	{ "all-user", no_argument, NULL, OPT_ALL_USER },	\
	{ "all-kernel", no_argument, NULL, OPT_ALL_KERNEL }
#define CMD_MODE_HELP					\
	"      --all-user           user mode only\n"	\
	"      --all-kernel         kernel mode only\n"

/* The last rows of a table. */
#define CMD_HELP_OPTION						\
	{ "help", no_argument, NULL, 'h' },			\
	{ NULL, 0, NULL, 0 }

/**
 * struct cmd_options - the options of a command
 * @name: the command
 * @letters: short options, for getopt_long()
 * @table: long options, for getopt_long()
 * @usage: prints the help text
 * @parse: called for each option except --help, with optarg set; returns 0, or a negative errno
 *	after printing an error
 */
struct cmd_options {
	const char *name;
	const char *letters;
	const struct option *table;
	void (*usage)(FILE *out);
	int (*parse)(void *arg, int c);
};

int cmd_bpf(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_groups(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);

struct perfgrp_dev *cmd_open_device(struct perfgrp_info *info, __u64 feature, const char *name);
bool cmd_parse_options(const struct cmd_options *options, int argc, char **argv, void *arg,
		       int *status);
int cmd_parse_target(struct target *target, int c);
int cmd_parse_depth(unsigned int *depth);
int cmd_check_modes(const struct target *target);
int cmd_no_arguments(const char *name, int argc, char **argv);
int cmd_add_events(struct event_list *list, const char *text);
int cmd_parse_uint(const char *what, const char *text, unsigned int min, unsigned int max,
		   unsigned int *value);
int cmd_parse_delay(bool *wait, unsigned int *ms);
int cmd_parse_path(const char *what, const char **path);

#endif /* PERFGRP_CMD_H */
