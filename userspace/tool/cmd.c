// SPDX-License-Identifier: GPL-2.0
/* Common code of the commands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cpu_alias.h"
#include "util.h"

/* Of cgroups; the module knows how many levels it can do. */
#define MAX_DEPTH	0x40000000
#define MAX_DELAY	0x40000000

static void say_why_not_open(int err)
{
	const char *advice = perfgrp_open_error(err), *why = strerror(err);
	bool more = strcmp(advice, why);

	error("cannot open %s: %s%s%s", PERFGRP_DEVICE, why, more ? "; " : "", more ? advice : "");
}

/**
 * cmd_open_device - open the device, get the module's info, and check for a feature
 * @info: filled in
 * @feature: PERFGRP_FEATURE_* that the module must have, or 0
 * @name: name of the feature
 *
 * Return: the device, or NULL after printing an error
 */
struct perfgrp_dev *cmd_open_device(struct perfgrp_info *info, __u64 feature, const char *name)
{
	struct perfgrp_dev *dev = perfgrp_open();

	if (!dev) {
		say_why_not_open(errno);
		return NULL;
	}
	if (perfgrp_is_perf(dev))
		error("PERFGRP_BACKEND=perf: counting with perf_event_open(2), without the module");
	if (perfgrp_get_info(dev, info, sizeof(*info)))
		error("%s", perfgrp_dev_error(dev)->text);
	else if (feature && !(info->features & feature))
		error(perfgrp_is_perf(dev) ? "'%s' needs the module" : "this module lacks '%s'",
		      name);
	else
		return dev;
	perfgrp_close(dev);
	return NULL;
}

/**
 * cmd_parse_options - parse the options of a command
 * @options: the options
 * @argc: of the command
 * @argv: of the command; optind is set to the index of its first argument
 * @arg: passed to @options->parse
 * @status: set to the exit status if false is returned
 *
 * Return: true to continue, false after --help and errors
 */
bool cmd_parse_options(const struct cmd_options *options, int argc, char **argv, void *arg,
		       int *status)
{
	static char tool[] = "perfgrp";
	int c;

	/* getopt_long() begins its messages with argv[0]. */
	argv[0] = tool;
	while ((c = getopt_long(argc, argv, options->letters, options->table, NULL)) != -1) {
		if (c == '?') {
			error("\"perfgrp %s --help\" lists the options", options->name);
			*status = EXIT_USAGE;
			return false;
		}
		if (c == 'h') {
			options->usage(stdout);
			*status = 0;
			return false;
		}
		if (options->parse(arg, c)) {
			*status = EXIT_USAGE;
			return false;
		}
	}
	return true;
}

/* Parses one of CMD_TARGET_OPTIONS or CMD_MODE_OPTIONS. Returns -EINVAL for other options. */
int cmd_parse_target(struct target *target, int c)
{
	switch (c) {
	case 'a':
		target->all_cpus = true;
		return 0;
	case 'C':
		target->cpu_list = optarg;
		return 0;
	case 'p':
		target->pids = optarg;
		return 0;
	case 't':
		target->tids = optarg;
		return 0;
	case OPT_ALL_USER:
		target->all_user = true;
		return 0;
	case OPT_ALL_KERNEL:
		target->all_kernel = true;
		return 0;
	}
	return -EINVAL;
}

/* Parses the optional argument of --cgroups. */
int cmd_parse_depth(unsigned int *depth)
{
	return optarg ? cmd_parse_uint("--cgroups", optarg, 1, MAX_DEPTH, depth) : 0;
}

/* Fails with an error if CMD_MODE_OPTIONS exclude all modes. */
int cmd_check_modes(const struct target *target)
{
	if (!target->all_user || !target->all_kernel)
		return 0;
	error("--all-user and --all-kernel cannot be used together");
	return -EINVAL;
}

/* Fails with an error if there are arguments after the options, of a command that has none. */
int cmd_no_arguments(const char *name, int argc, char **argv)
{
	if (optind >= argc)
		return 0;
	error("unexpected argument '%s' (\"perfgrp %s --help\" shows the usage)", argv[optind],
	      name);
	return -EINVAL;
}

/* Adds events with vendor names from the CPU's tables, when the library does not know them. */
static int add_vendor_events(struct event_list *list, const char *text)
{
	struct perfgrp_events *parsed = xcheck(perfgrp_events_new());
	char *expanded = cpu_alias_expand(text, NULL);
	int err = expanded ? events_parse(list, expanded, parsed) : -EINVAL;

	free(expanded);
	perfgrp_events_free(parsed);
	return err;
}

/* Adds events of a command line. Returns -EINVAL after printing an error. */
int cmd_add_events(struct event_list *list, const char *text)
{
	struct perfgrp_events *parsed = xcheck(perfgrp_events_new());
	const struct perfgrp_events_error *why = perfgrp_events_error(parsed);
	int err = events_parse(list, text, parsed);

	if (err && !add_vendor_events(list, text))
		err = 0;
	if (err) {
		fprintf(stderr, "event syntax error: '%s'\n%*s\\___ %s\n", text,
			(int)(strlen("event syntax error: '") + why->column), "", why->text);
		fputs("\nRun 'perfgrp list' for a list of valid events\n", stderr);
	}
	perfgrp_events_free(parsed);
	return err;
}

/* Parses the number of an option. Returns -EINVAL after printing an error. */
int cmd_parse_uint(const char *what, const char *text, unsigned int min, unsigned int max,
		   unsigned int *value)
{
	char *end;
	__u64 n;

	if (parse_u64(text, 10, &end, &n) || *end || n < min || n > max) {
		error("%s: '%s' is not a number from %u to %u", what, text, min, max);
		return -EINVAL;
	}
	*value = n;
	return 0;
}

/**
 * cmd_parse_delay - parse the argument of --delay
 * @wait: set to true for -1, which waits for --control
 * @ms: set to the delay
 *
 * Return: 0, or -EINVAL after printing an error
 */
int cmd_parse_delay(bool *wait, unsigned int *ms)
{
	char *end;
	__u64 n = 0;

	*wait = !strcmp(optarg, "-1");
	if (!*wait && (parse_u64(optarg, 10, &end, &n) || *end || n > MAX_DELAY)) {
		error("--delay: '%s' is neither a number from 0 to %u nor -1", optarg, MAX_DELAY);
		return -EINVAL;
	}
	*ms = n;
	return 0;
}

/* Parses the file of an option. Returns -EINVAL after printing an error. */
int cmd_parse_path(const char *what, const char **path)
{
	if (!*optarg) {
		error("%s: the name of the file is empty", what);
		return -EINVAL;
	}
	*path = optarg;
	return 0;
}
