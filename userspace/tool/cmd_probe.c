// SPDX-License-Identifier: GPL-2.0
/* perfgrp probe: would these groups fit on the PMU now? */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "probe.h"

/* Exit status if they do not fit, like grep's if nothing matches. */
#define EXIT_DOES_NOT	1

static void usage(FILE *out)
{
	fputs("usage: perfgrp probe -e EVENTS [OPTION]...\n"
	      "\n"
	      "Tests whether groups of events fit on the PMU now, all at once and without\n"
	      "multiplexing, and reports what prevents it if not. All groups are closed at the end.\n"
	      "\n"
	      "  -e, --event EVENTS  groups to test: {NAME,NAME}, as for perfgrp stat\n"
	      "  -a, --all-cpus      all CPUs (default)\n"
	      "  -C, --cpu LIST      some CPUs: 0,2-3\n"
	      "  -p, --pid LIST      processes, with all their threads\n"
	      "  -t, --tid LIST      threads\n"
	      "      --all-user      user mode only\n"
	      "      --all-kernel    kernel mode only\n"
	      "  -j, --json          print JSON\n"
	      "  -h, --help          print this help\n"
	      "\n"
	      "The exit status is 0 if all groups fit, and 1 if not.\n", out);
}

/**
 * struct command_line - the parsed options
 * @probe: the groups and the target
 * @json: print JSON
 */
struct command_line {
	struct probe *probe;
	bool json;
};

static int parse_option(void *arg, int c)
{
	struct command_line *line = arg;

	switch (c) {
	case 'e':
		return cmd_add_events(&line->probe->list, optarg);
	case 'j':
		line->json = true;
		return 0;
	}
	return cmd_parse_target(&line->probe->target, c);
}

static int try_all(struct probe *probe)
{
	const size_t nr = target_has_cpus(&probe->target) ? 1 : probe->target.tasks.nr;
	size_t i, task;
	int err = 0;

	for (i = 0; i < probe->list.nr && !err; i++)
		for (task = 0; task < nr && !err; task++)
			err = probe_try(probe, i, task);
	return err;
}

static bool all_fit(const struct probe *probe)
{
	size_t i;

	for (i = 0; i < probe->nr; i++)
		if (probe->results[i].verdict != PROBE_FITS)
			return false;
	return true;
}

static int run(struct command_line *line)
{
	struct probe *probe = line->probe;

	if (target_resolve(&probe->target))
		return EXIT_USAGE;
	probe->dev = cmd_open_device(&probe->info, PERFGRP_FEATURE_NO_MUX, "no-mux");
	if (!probe->dev || try_all(probe))
		return EXIT_FAILED;
	probe_find_why(probe);
	if (line->json)
		probe_print_json(probe);
	else
		probe_print_text(probe);
	return all_fit(probe) ? 0 : EXIT_DOES_NOT;
}

static int check(const struct command_line *line, int argc, char **argv)
{
	if (cmd_no_arguments("probe", argc, argv))
		return -EINVAL;
	if (!line->probe->list.nr) {
		error("no events are given (-e)");
		return -EINVAL;
	}
	return cmd_check_modes(&line->probe->target);
}

int cmd_probe(int argc, char **argv)
{
	static const struct option table[] = {
		CMD_TARGET_OPTIONS,
		CMD_MODE_OPTIONS,
		{ "event", required_argument, NULL, 'e' },
		{ "json", no_argument, NULL, 'j' },
		CMD_HELP_OPTION
	};
	static const struct cmd_options options = {
		.name = "probe",
		.letters = CMD_TARGET_LETTERS "e:jh",
		.table = table,
		.usage = usage,
		.parse = parse_option,
	};
	struct probe probe = { 0 };
	struct command_line line = { .probe = &probe };
	int status;

	if (!cmd_parse_options(&options, argc, argv, &line, &status))
		goto out;
	status = EXIT_USAGE;
	if (!check(&line, argc, argv))
		status = run(&line);
out:
	probe_free(&probe);
	return status;
}
