// SPDX-License-Identifier: GPL-2.0
/* perfgrp bpf profile: its command line. */
#include <errno.h>
#include <string.h>

#include "bpf_profile.h"
#include "cmd.h"

enum {
	OPT_INTERVAL_COUNT = OPT_OF_COMMAND,
};

static int parse_option(void *arg, int c)
{
	const unsigned int max = 1U << 30;
	struct profile *profile = arg;

	switch (c) {
	case 'e':
		profile->events_named = true;
		return cmd_add_events(&profile->events, optarg);
	case 'D':
		return cmd_parse_uint("--delay", optarg, 0, max, &profile->delay);
	case OPT_TIMEOUT:
		return cmd_parse_uint("--timeout", optarg, 10, max, &profile->timeout);
	case 'I':
		return cmd_parse_uint("--interval-print", optarg, 1, max, &profile->interval);
	case OPT_INTERVAL_COUNT:
		return cmd_parse_uint("--interval-count", optarg, 1, max,
				      &profile->interval_count);
	case 'x':
		profile->separator = strcmp(optarg, "\\t") ? optarg : "\t";
		return 0;
	case 'j':
		profile->json = true;
		return 0;
	case 'o':
		return cmd_parse_path("--output", &profile->file);
	default:
		return cmd_parse_target(&profile->target, c);
	}
}

/* Refuses options that exclude one another. */
static int check_options(const struct profile *profile)
{
	if (profile->separator && profile->json)
		error("CSV (-x) and JSON (-j) cannot be used together");
	else if (profile->separator && !*profile->separator)
		error("-x needs a separator");
	else if (profile->timeout && profile->interval)
		error("--timeout and --interval-print cannot be used together");
	else if (profile->interval_count && !profile->interval)
		error("--interval-count needs --interval-print");
	else
		return cmd_check_modes(&profile->target);
	return -EINVAL;
}

static int take_arguments(struct profile *profile, int argc, char **argv)
{
	struct target *target = &profile->target;
	int err;

	if (optind >= argc) {
		error("no program is given (id:N, tag:TAG, name:NAME, or a pin)");
		return -EINVAL;
	}
	err = bpf_choice_parse(&profile->program, argv[optind++]);
	if (err)
		return err;
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	if (optind < argc)
		target->command = &argv[optind];
	/* Profile on CPUs: the kernel does not charge a program's work to tasks. */
	target->all_cpus = true;
	return target_resolve(target);
}

int cmd_bpf_profile(int argc, char **argv)
{
	static const struct option table[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "all-cpus", no_argument, NULL, 'a' },
		{ "cpu", required_argument, NULL, 'C' },
		CMD_MODE_OPTIONS,
		{ "delay", required_argument, NULL, 'D' },
		{ "timeout", required_argument, NULL, OPT_TIMEOUT },
		{ "interval-print", required_argument, NULL, 'I' },
		{ "interval-count", required_argument, NULL, OPT_INTERVAL_COUNT },
		{ "field-separator", required_argument, NULL, 'x' },
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		CMD_HELP_OPTION
	};
	const struct cmd_options options = {
		.name = "bpf",
		.letters = "+e:aC:D:I:x:jo:h",
		.table = table,
		.usage = cmd_bpf_usage,
		.parse = parse_option,
	};
	struct profile profile = { .probe.empty_fd = -1 };
	int status;

	if (cmd_parse_options(&options, argc, argv, &profile, &status)) {
		if (check_options(&profile) || take_arguments(&profile, argc, argv) ||
		    profile_events(&profile, 0))
			status = EXIT_USAGE;
		else
			status = profile_run(&profile);
	}
	events_free(&profile.events);
	target_free(&profile.target);
	perfgrp_close(profile.dev);
	return status;
}
