// SPDX-License-Identifier: GPL-2.0
/* perfgrp top: what CPUs, threads or cgroups count right now. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "pmu.h"
#include "top.h"

enum {
	OPT_NO_COLOR = OPT_OF_COMMAND,
	OPT_NO_TOTALS,
	OPT_WAKE,
};

static const struct option option_table[] = {
	CMD_EVENT_OPTIONS,
	{ "metrics", required_argument, NULL, 'M' },
	CMD_TARGET_OPTIONS,
	{ "cgroups", optional_argument, NULL, OPT_CGROUPS },
	CMD_MODE_OPTIONS,
	{ "delay", required_argument, NULL, 'd' },
	{ "iterations", required_argument, NULL, 'n' },
	{ "batch", no_argument, NULL, 'b' },
	{ "history", no_argument, NULL, 'g' },
	{ "no-totals", no_argument, NULL, OPT_NO_TOTALS },
	{ "no-color", no_argument, NULL, OPT_NO_COLOR },
	{ "wake", no_argument, NULL, OPT_WAKE },
	CMD_HELP_OPTION
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp top [OPTION]...\n"
	      "\n"
	      "Shows events per second of CPUs, threads or cgroups, their ratios and metrics, until q is\n"
	      "pressed; press h for the other keys.\n"
	      "\n"
	      "What to count:\n"
	      CMD_EVENT_HELP
	      "  -M, --metrics NAMES      metrics and metric groups, named as in perf, one column each\n"
	      "  -a, --all-cpus           all CPUs, one row each (default)\n"
	      "  -C, --cpu LIST           some CPUs: 0,2-3\n"
	      "  -p, --pid LIST           processes: one row per thread, including new threads\n"
	      "  -t, --tid LIST           threads\n"
	      "      --cgroups[=DEPTH]    with -a or -C: one row per cgroup, down to DEPTH levels\n"
	      CMD_MODE_HELP
	      "      --wake               interrupt CPUs to read their counters, even if rows can be mapped\n"
	      "How to show it:\n"
	      "  -d, --delay SECONDS      redraw every SECONDS seconds (default: 1)\n"
	      "  -n, --iterations N       stop after N tables\n"
	      "  -b, --batch              print tables as text; needs no terminal\n"
	      "  -g, --history            start with the history of a column\n"
	      "      --no-totals          start without the sum of all rows\n"
	      "      --no-color           use no colors (also if NO_COLOR is set and not empty)\n"
	      "  -h, --help               print this help\n", out);
}

static int parse_option(void *arg, int c)
{
	const unsigned int max = 1U << 30;
	struct top *top = arg;

	switch (c) {
	case 'e':
		top->opt.events = true;
		return cmd_add_events(&top->st.list, optarg);
	case 'M':
		top->opt.events = true;
		return metric_list_add(&top->st.metrics, optarg);
	case OPT_CGROUPS:
		top->opt.cgroups = true;
		return cmd_parse_depth(&top->st.split.depth);
	case 'd':
		if (!top_parse_interval(optarg, &top->opt.interval))
			return 0;
		error("--delay: '%s' is not a number of seconds from 0.1 to 3600", optarg);
		return -EINVAL;
	case 'n':
		return cmd_parse_uint("--iterations", optarg, 1, max, &top->opt.frames);
	case 'b':
		top->opt.batch = true;
		return 0;
	case 'g':
		top->opt.history = true;
		return 0;
	case OPT_NO_TOTALS:
		top->opt.no_totals = true;
		return 0;
	case OPT_NO_COLOR:
		top->opt.no_color = true;
		return 0;
	case OPT_WAKE:
		top->opt.wake = true;
		return 0;
	default:
		return cmd_parse_target(&top->st.target, c);
	}
}

static int check_options(const struct top *top)
{
	if (cmd_check_modes(&top->st.target))
		return -EINVAL;
	if (!top->opt.cgroups || target_has_cpus(&top->st.target))
		return 0;
	error("--cgroups counts on CPUs and cannot be used with -p or -t");
	return -EINVAL;
}

/*
 * No clock for CPUs: it would only show how much time has passed, and because it also counts while
 * a CPU is idle, rows with a clock are never at rest (perfgrp_map_slot.at_rest).
 */
static int add_default_events(struct top *top)
{
	char *pmu = pmu_find_cpus();
	const char *events;

	if (pmu)
		events = "{cycles,instructions,branch-misses,cache-misses}:W";
	else if (top->opt.cgroups)
		events = "{cpu-clock,context-switches,cpu-migrations,page-faults}";
	else if (target_has_cpus(&top->st.target))
		events = "{context-switches,cpu-migrations,page-faults}";
	else
		events = "{task-clock,context-switches,cpu-migrations,page-faults}";
	free(pmu);
	return cmd_add_events(&top->st.list, events);
}

/* Can the module map rows, and may this user? */
static bool may_map(struct top *top)
{
	struct perfgrp_create create = {
		.target = PERFGRP_TARGET_TASK,
		.flags = PERFGRP_CREATE_MAPPED,
	};
	struct perfgrp_group *group;

	if (!(top->st.features & PERFGRP_FEATURE_MAPPED))
		return false;
	group = perfgrp_create_with(top->st.dev, &create, sizeof(create));
	perfgrp_group_close(group);
	return group;
}

static int open_device(struct top *top)
{
	struct stat_cmd *st = &top->st;
	int err = stat_open_device(st);

	if (err)
		return err;
	top->mapped = !st->split.mount && !top->opt.wake && may_map(top);
	st->opt.no_wake = top->mapped;
	st->opt.map_interval = top->mapped ? TOP_MIN_INTERVAL * NSEC_PER_MSEC : 0;
	return 0;
}

static void set_up_view(struct top *top)
{
	const char *no_color = getenv("NO_COLOR");

	setlocale(LC_CTYPE, "");
	top->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	top->show_totals = !top->opt.no_totals;
	top->show_history = top->opt.history;
	if (no_color && *no_color)
		top->opt.no_color = true;
}

static int run_top(struct top *top)
{
	struct stat_cmd *st = &top->st;

	set_up_view(top);
	if (target_resolve(&st->target) || check_options(top))
		return EXIT_USAGE;
	st->aggr.mode = target_has_cpus(&st->target) ? AGGR_CPU : AGGR_THREAD;
	if (top->opt.cgroups) {
		if (cgroup_split_open(&st->split))
			return EXIT_USAGE;
		st->aggr.mode = AGGR_CGROUP;
	}
	if (!top->opt.events && add_default_events(top))
		return EXIT_USAGE;
	st->metrics.core_wide = st->target.kind == TARGET_ALL_CPUS;
	if (metric_list_make_events(&st->metrics, &st->list))
		return EXIT_USAGE;
	if (open_device(top))
		return EXIT_FAILED;
	return top_run(top);
}

int cmd_top(int argc, char **argv)
{
	static const struct cmd_options options = {
		.name = "top",
		.letters = CMD_TARGET_LETTERS "e:M:d:n:bgh",
		.table = option_table,
		.usage = usage,
		.parse = parse_option,
	};
	struct top top = {
		.opt = { .interval = 1000 },
		.st = {
			.opt = { .no_inherit = true, .runs = 1, .merge = true },
			.control = { .fd = -1, .ack = -1 },
			.snap = xcheck(perfgrp_snap_new()),
			.user = -1,
		},
	};
	int status;

	if (cmd_parse_options(&options, argc, argv, &top, &status)) {
		if (optind < argc) {
			error("top takes no command: '%s' (perfgrp stat runs one)", argv[optind]);
			status = EXIT_USAGE;
		} else {
			status = run_top(&top);
		}
	}
	top_close(&top);
	return status;
}
