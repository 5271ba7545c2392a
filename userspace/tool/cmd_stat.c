// SPDX-License-Identifier: GPL-2.0
/* perfgrp stat: count events of a command, of tasks, of CPUs or of cgroups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "stat.h"

/* perf has no limit, but more runs do not make the mean better. */
#define MAX_RUNS	1000000

/* ---- what to count -------------------------------------------------------- */

static int is_event(void *arg, const struct perfgrp_listed_event *event)
{
	const char *slash = strchr(event->name, '/');
	const size_t len = strlen(arg);

	return slash && !strncmp(slash + 1, arg, len) && !strcmp(slash + 1 + len, "/");
}

/* Does a PMU have an event of that name in sysfs? */
static bool machine_has(const char *name)
{
	return perfgrp_list_events(NULL, PERFGRP_LIST_PMU, is_event, (void *)name) > 0;
}

/* Does the NMI watchdog occupy one of the PMU's counters? */
static bool watchdog_counts(void)
{
	char *text = read_file("/proc/sys/kernel/nmi_watchdog");
	bool on = text && !strcmp(text, "1");

	free(text);
	return on;
}

/*
 * perf stat's default events, in two groups, because each group is a file descriptor per thread.
 * With the stalled cycles the second group has six events, which may need all of the PMU's
 * counters. If the watchdog occupies one, such a group would never run, so they are then added as
 * events of their own.
 */
int stat_add_default_events(struct stat_cmd *st)
{
	const char *front =
		machine_has("stalled-cycles-frontend") ? ",stalled-cycles-frontend" : "";
	const char *back = machine_has("stalled-cycles-backend") ? ",stalled-cycles-backend" : "";
	const bool apart = watchdog_counts();
	char *text;
	int err;

	text = xasprintf("{%s,context-switches,cpu-migrations,page-faults},"
			 "{cycles%s%s,instructions,branches,branch-misses}:W%s%s",
			 target_has_cpus(&st->target) ? "cpu-clock" : "task-clock",
			 apart ? "" : front, apart ? "" : back, apart ? front : "",
			 apart ? back : "");
	err = cmd_add_events(&st->list, text);
	free(text);
	return err;
}

/* Pairs whose ratio is shown; two events fit on the PMU even with the watchdog. */
static int add_detailed_events(struct stat_cmd *st, unsigned int detail)
{
	static const char *const detailed[] = {
		"{L1-dcache-loads,L1-dcache-load-misses}:W,{LLC-loads,LLC-load-misses}:W",
		"{L1-icache-loads,L1-icache-load-misses}:W,{dTLB-loads,dTLB-load-misses}:W,"
		"{iTLB-loads,iTLB-load-misses}:W",
		"{L1-dcache-prefetches,L1-dcache-prefetch-misses}:W",
	};
	unsigned int i;
	int err = 0;

	for (i = 0; i < detail && i < ARRAY_SIZE(detailed) && !err; i++)
		err = cmd_add_events(&st->list, detailed[i]);
	return err;
}

/* ---- the command line ----------------------------------------------------- */

enum {
	OPT_APPEND = OPT_OF_COMMAND,
	OPT_HEADER,
	OPT_HIDE_ZERO,
	OPT_INTERVAL_CLEAR,
	OPT_INTERVAL_COUNT,
	OPT_LOG_FD,
	OPT_MERGE,
	OPT_METRIC_NO_GROUP,
	OPT_METRIC_NO_MERGE,
	OPT_METRIC_ONLY,
	OPT_NO_BIG_NUM,
	OPT_NO_MERGE,
	OPT_NO_SCALE,
	OPT_NO_WAKE,
	OPT_NO_CSV_SUMMARY,
	OPT_PER_CACHE,
	OPT_PER_CLUSTER,
	OPT_PER_CORE,
	OPT_PER_DIE,
	OPT_PER_NODE,
	OPT_PER_SOCKET,
	OPT_POST,
	OPT_PRE,
	OPT_RAW,
	OPT_SCALE,
	OPT_SUMMARY,
	OPT_TABLE,
	OPT_TD_LEVEL,
	OPT_TOPDOWN,
};

static const struct option option_table[] = {
	CMD_EVENT_OPTIONS,
	{ "metrics", required_argument, NULL, 'M' },
	{ "metric-no-group", no_argument, NULL, OPT_METRIC_NO_GROUP },
	{ "metric-no-merge", no_argument, NULL, OPT_METRIC_NO_MERGE },
	{ "metric-only", no_argument, NULL, OPT_METRIC_ONLY },
	{ "topdown", no_argument, NULL, OPT_TOPDOWN },
	{ "td-level", required_argument, NULL, OPT_TD_LEVEL },
	CMD_TARGET_OPTIONS,
	CMD_CGROUP_OPTIONS,
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, OPT_PER_CORE },
	{ "per-cluster", no_argument, NULL, OPT_PER_CLUSTER },
	{ "per-cache", optional_argument, NULL, OPT_PER_CACHE },
	{ "per-die", no_argument, NULL, OPT_PER_DIE },
	{ "per-socket", no_argument, NULL, OPT_PER_SOCKET },
	{ "per-node", no_argument, NULL, OPT_PER_NODE },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "no-inherit", no_argument, NULL, 'i' },
	CMD_MODE_OPTIONS,
	{ "delay", required_argument, NULL, 'D' },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "detailed", no_argument, NULL, 'd' },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "repeat", required_argument, NULL, 'r' },
	{ "table", no_argument, NULL, OPT_TABLE },
	{ "pre", required_argument, NULL, OPT_PRE },
	{ "post", required_argument, NULL, OPT_POST },
	{ "sync", no_argument, NULL, 'S' },
	{ "null", no_argument, NULL, 'n' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-clear", no_argument, NULL, OPT_INTERVAL_CLEAR },
	{ "interval-count", required_argument, NULL, OPT_INTERVAL_COUNT },
	{ "summary", no_argument, NULL, OPT_SUMMARY },
	{ "no-csv-summary", no_argument, NULL, OPT_NO_CSV_SUMMARY },
	{ "no-wake", no_argument, NULL, OPT_NO_WAKE },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "scale", no_argument, NULL, OPT_SCALE },
	{ "no-scale", no_argument, NULL, OPT_NO_SCALE },
	{ "no-merge", no_argument, NULL, OPT_NO_MERGE },
	{ "hybrid-merge", no_argument, NULL, OPT_MERGE },
	{ "big-num", no_argument, NULL, 'B' },
	{ "no-big-num", no_argument, NULL, OPT_NO_BIG_NUM },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "header", no_argument, NULL, OPT_HEADER },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "log-fd", required_argument, NULL, OPT_LOG_FD },
	{ "hide-zero-events", no_argument, NULL, OPT_HIDE_ZERO },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	CMD_HELP_OPTION
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp stat [OPTION]... [--] [COMMAND [ARGUMENT]...]\n"
	      "\n"
	      "Counts events while COMMAND runs, or until interrupted.\n"
	      "\n"
	      "What to count:\n"
	      CMD_EVENT_HELP
	      "  -M, --metrics NAMES      metrics and metric groups, named as in perf; the events of a metric\n"
	      "                           are one group; may be repeated\n"
	      "      --metric-no-group    do not group the events of a metric\n"
	      "      --metric-no-merge    do not share events between metrics\n"
	      "      --topdown            top-down statistics: metric group TopdownL1\n"
	      "      --td-level N         top-down statistics of level N: metric group TopdownLN\n"
	      "  -d, --detailed           also count cache events; repeat up to 3 times for TLBs, prefetches\n"
	      "  -a, --all-cpus           all CPUs (default without COMMAND)\n"
	      "  -C, --cpu LIST           some CPUs: 0,2-3\n"
	      "  -p, --pid LIST           processes, with all their threads\n"
	      "  -t, --tid LIST           threads\n"
	      "  -G, --cgroup NAMES       with -a or -C: only tasks in these cgroups; one name for each\n"
	      "                           preceding event, in order, or a single name for all\n"
	      "      --for-each-cgroup NAMES\n"
	      "                           expand events for each cgroup; names can be regular expressions\n"
	      "      --cgroups[=DEPTH]    with -a or -C: one table per cgroup, down to DEPTH levels\n"
	      "  -i, --no-inherit         do not count child tasks\n"
	      CMD_MODE_HELP
	      "  -n, --null               null run: count nothing, only measure the time\n"
	      "When to count:\n"
	      "  -D, --delay MS           milliseconds to wait before counting; -1: start with events disabled\n"
	      "      --control fd:N[,N] | fifo:PATH[,PATH] | self\n"
	      "                           take commands from a file descriptor, a FIFO, or COMMAND (self):\n"
	      "                           enable, disable, snapshot, reset, ping, stop; reply with \"ack\"\n"
	      "      --timeout MS         stop COMMAND and print the counts after MS milliseconds (>= 10)\n"
	      "  -r, --repeat N           repeat COMMAND N times and print mean and stddev (0: forever)\n"
	      "      --table              with -r: print the duration of each run\n"
	      "      --pre COMMAND, --post COMMAND\n"
	      "                           shell command to run before or after each run; not counted\n"
	      "  -S, --sync               call sync(2) before each run\n"
	      "  -I, --interval-print MS  print the counts every MS milliseconds\n"
	      "      --interval-count N   stop after N intervals\n"
	      "      --interval-clear     clear the screen before each interval\n"
	      "      --summary            with -I: also print the sum of all intervals\n"
	      "      --no-csv-summary     do not start CSV lines of --summary with \"summary\"\n"
	      "      --no-wake            with -I and -a or -C: do not wake idle CPUs to read counters\n"
	      "What to print:\n"
	      "  -A, --no-aggr            do not aggregate counts across CPUs or PMUs: one line for each\n"
	      "      --no-merge           the same\n"
	      "      --per-core, --per-cluster, --per-die, --per-socket, --per-node, --per-thread\n"
	      "                           aggregate counts per core, cluster, die, socket, node or thread\n"
	      "      --per-cache[=LEVEL]  aggregate counts per last-level cache, or per cache of LEVEL (L2)\n"
	      "      --metric-only        print only metrics, one line per CPU, core, thread or cgroup\n"
	      "      --raw                print raw and scaled counts, times, states and scheduling groups\n"
	      "      --hide-zero-events   do not print counts of 0\n"
	      "      --no-scale           print raw counts, not scaled ones (--scale undoes this)\n"
	      "      --hybrid-merge       add up counts of different kinds of CPU\n"
	      "      --no-big-num         do not print thousands separators\n"
	      "  -x, --field-separator S  print CSV, with S between columns\n"
	      "  -j, --json-output        print JSON, one object per line\n"
	      "      --header             with -j: first print what is counted, where and since when\n"
	      "  -o, --output FILE        write to FILE, not to standard error\n"
	      "      --append             with -o: append to FILE\n"
	      "      --log-fd FD          write to file descriptor FD, not to standard error\n"
	      "  -q, --quiet              print nothing\n"
	      "  -v, --verbose            print why events are not supported, and which groups were split\n"
	      "  -h, --help               print this help\n", out);
}

/**
 * struct command_line - options that are processed only when all have been parsed
 * @st: the other options
 * @events: -e was given
 * @metrics: the arguments of -M
 * @topdown: --topdown
 * @level: of --td-level, or 0
 * @detail: number of -d
 * @cgroups: --cgroups
 * @append: --append
 * @fd: of --log-fd, or -1
 */
struct command_line {
	struct stat_cmd *st;
	bool events;
	struct strings metrics;
	bool topdown;
	unsigned int level;
	unsigned int detail;
	bool cgroups;
	bool append;
	int fd;
};

/* Parses the argument of --per-cache: L1 to L4, as in perf, or only the number. */
static int parse_cache_level(unsigned int *level)
{
	const char *s = optarg;

	if (!s)
		return 0;
	if (*s == 'L' || *s == 'l')
		s++;
	return cmd_parse_uint("--per-cache", s, 1, 4, level);
}

static int parse_option(void *arg, int c)
{
	const unsigned int max = 1U << 30;
	struct command_line *line = arg;
	struct stat_cmd *st = line->st;
	struct stat_options *opt = &st->opt;
	unsigned int fd;
	int err = 0;

	switch (c) {
	case 'e':
		line->events = true;
		return cmd_add_events(&st->list, optarg);
	case 'M':
		strings_add(&line->metrics, xstrdup(optarg));
		break;
	case OPT_METRIC_NO_GROUP:
		st->metrics.no_group = true;
		break;
	case OPT_METRIC_NO_MERGE:
		st->metrics.no_merge = true;
		break;
	case OPT_METRIC_ONLY:
		opt->metric_only = true;
		break;
	case OPT_TOPDOWN:
		line->topdown = true;
		break;
	case OPT_TD_LEVEL:
		return cmd_parse_uint("--td-level", optarg, 1, 6, &line->level);
	case 'G':
		return cgroups_give(&st->cgroups, &st->list, optarg);
	case OPT_FOR_EACH_CGROUP:
		st->cgroups.each = optarg;
		break;
	case OPT_CGROUPS:
		line->cgroups = true;
		return cmd_parse_depth(&st->split.depth);
	case 'A':
	case OPT_NO_MERGE:
		st->aggr.mode = AGGR_CPU;
		break;
	case OPT_PER_CORE:
		st->aggr.mode = AGGR_CORE;
		break;
	case OPT_PER_CLUSTER:
		st->aggr.mode = AGGR_CLUSTER;
		break;
	case OPT_PER_CACHE:
		st->aggr.mode = AGGR_CACHE;
		return parse_cache_level(&st->aggr.level);
	case OPT_PER_DIE:
		st->aggr.mode = AGGR_DIE;
		break;
	case OPT_PER_SOCKET:
		st->aggr.mode = AGGR_SOCKET;
		break;
	case OPT_PER_NODE:
		st->aggr.mode = AGGR_NODE;
		break;
	case OPT_PER_THREAD:
		st->aggr.mode = AGGR_THREAD;
		break;
	case 'i':
		opt->no_inherit = true;
		break;
	case 'D':
		return cmd_parse_delay(&opt->wait, &opt->delay);
	case OPT_CONTROL:
		return control_open(&st->control, optarg);
	case 'd':
		line->detail++;
		break;
	case OPT_TIMEOUT:
		return cmd_parse_uint("--timeout", optarg, 10, max, &opt->timeout);
	case 'r':
		return cmd_parse_uint("--repeat", optarg, 0, MAX_RUNS, &opt->runs);
	case 'n':
		opt->null = true;
		break;
	case 'I':
		return cmd_parse_uint("--interval-print", optarg, 1, max, &opt->interval);
	case OPT_INTERVAL_COUNT:
		return cmd_parse_uint("--interval-count", optarg, 1, max, &opt->interval_count);
	case OPT_TABLE:
		opt->table = true;
		break;
	case OPT_PRE:
		opt->pre = optarg;
		break;
	case OPT_POST:
		opt->post = optarg;
		break;
	case 'S':
		opt->sync = true;
		break;
	case 'q':
		opt->quiet = true;
		break;
	case OPT_INTERVAL_CLEAR:
		opt->interval_clear = true;
		break;
	case OPT_SCALE:
		opt->no_scale = false;
		break;
	case OPT_HIDE_ZERO:
		opt->hide_zero = true;
		break;
	case OPT_SUMMARY:
		opt->summary = true;
		break;
	case OPT_NO_CSV_SUMMARY:
		opt->no_csv_summary = true;
		break;
	case OPT_NO_WAKE:
		opt->no_wake = true;
		break;
	case OPT_RAW:
		opt->raw = true;
		break;
	case OPT_NO_SCALE:
		opt->no_scale = true;
		break;
	case OPT_MERGE:
		opt->merge = true;
		break;
	case 'B':
		opt->big_num = true;
		break;
	case OPT_NO_BIG_NUM:
		opt->big_num = false;
		break;
	case 'x':
		opt->separator = strcmp(optarg, "\\t") ? optarg : "\t";
		break;
	case 'j':
		opt->json = true;
		break;
	case OPT_HEADER:
		opt->header = true;
		break;
	case 'o':
		return cmd_parse_path("--output", &st->file);
	case OPT_APPEND:
		line->append = true;
		break;
	case OPT_LOG_FD:
		err = cmd_parse_uint("--log-fd", optarg, 0, max, &fd);
		line->fd = fd;
		break;
	case 'v':
		opt->verbose = true;
		break;
	default:
		err = cmd_parse_target(&st->target, c);
	}
	return err;
}

/* Refuses options that exclude one another. */
static int check_options(const struct stat_cmd *st, const struct command_line *line)
{
	const struct stat_options *opt = &st->opt;

	if (opt->separator && opt->json)
		error("CSV (-x) and JSON (-j) cannot be used together");
	else if (opt->separator && !*opt->separator)
		error("-x needs a separator");
	else if (opt->header && !opt->json)
		error("--header needs --json-output");
	else if (st->file && line->fd >= 0)
		error("--output and --log-fd cannot be used together");
	else if (line->append && !st->file && line->fd < 0)
		error("--append needs --output: the file to append to");
	else if (cmd_check_modes(&st->target))
		return -EINVAL;
	else if (opt->timeout && opt->interval)
		error("--timeout and --interval-print cannot be used together");
	else if (opt->interval_count && !opt->interval)
		error("--interval-count needs --interval-print");
	else if (opt->no_wake && !opt->interval)
		error("--no-wake needs --interval-print");
	else if (opt->runs != 1 && (!st->target.command || opt->interval))
		error("--repeat needs a command, and no intervals");
	else if (opt->wait && st->control.fd < 0 && !st->control.self)
		error("-D -1 needs --control, to start counting");
	else if (st->control.self && !st->target.command)
		error("--control self needs a command, which sends the control commands");
	else if (opt->null && (line->events || line->metrics.nr || line->topdown))
		error("--null cannot be used with --event, --metrics or --topdown");
	else if (opt->metric_only && opt->raw)
		error("--metric-only and --raw cannot be used together");
	else if (opt->metric_only && opt->null)
		error("--metric-only and --null cannot be used together");
	else if (line->level && !line->topdown)
		error("--td-level needs --topdown");
	else
		return 0;
	return -EINVAL;
}

static int open_output(struct stat_cmd *st, const struct command_line *line)
{
	const char *mode = line->append ? "ae" : "we";
	time_t t = time(NULL);
	int err;

	if (st->file) {
		st->out = fopen(st->file, mode);
		/* JSON has no comments. */
		if (st->out && !st->opt.json)
			fprintf(st->out, "# started on %s\n", ctime(&t));
	} else if (line->fd >= 0) {
		st->out = fdopen(line->fd, mode);
	} else {
		st->out = stderr;
	}
	if (st->out)
		return 0;
	err = -errno;
	if (st->file)
		error("cannot write to %s: %s", st->file, strerror(-err));
	else
		error("--log-fd: cannot write to file descriptor %d: %s", line->fd, strerror(-err));
	return err;
}

/**
 * stat_close_output - close what is printed to, and check that all was written
 * @st: after the last count was printed; nothing can be printed afterwards
 *
 * Return: 0, or -EIO after printing an error
 */
int stat_close_output(struct stat_cmd *st)
{
	bool failed = ferror(st->out);

	if (st->out == stderr || (!fclose(st->out) && !failed))
		return 0;
	error("cannot write to %s", st->file ? st->file : "that file descriptor");
	return -EIO;
}

/* Opens the device, and checks that the module has what the options need. */
static int open_device(struct stat_cmd *st)
{
	int err = stat_open_device(st);

	if (err)
		return err;
	if (st->opt.no_wake && !(st->features & PERFGRP_FEATURE_MAPPED)) {
		error("--no-wake: this module lacks 'mapped'");
		return -EOPNOTSUPP;
	}
	if (!(st->features & PERFGRP_FEATURE_INHERIT) && !target_has_cpus(&st->target) &&
	    !st->opt.no_inherit && st->opt.verbose)
		error("this module lacks 'inherit': children are not counted");
	return 0;
}

/* Checks that the aggregation mode is possible with the target. */
static int check_aggr(struct stat_cmd *st)
{
	const bool cpus = target_has_cpus(&st->target);

	switch (st->aggr.mode) {
	case AGGR_CORE:
	case AGGR_CLUSTER:
	case AGGR_CACHE:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
		if (cpus)
			return 0;
		error("--per-core and other aggregation by CPUs is only available with -a or -C");
		return -EINVAL;
	case AGGR_THREAD:
		if (st->target.kind == TARGET_TASKS)
			return 0;
		error("--per-thread needs -p, -t or -a");
		return -EINVAL;
	case AGGR_GLOBAL:
	case AGGR_CPU:
	case AGGR_CGROUP:
		break;
	}
	return 0;
}

/* --cgroups: split all groups by cgroup, and aggregate by cgroup. */
static int split_by_cgroup(struct stat_cmd *st)
{
	if (cgroups_named(&st->cgroups) || st->cgroups.each)
		error("--cgroups counts all cgroups: -G and --for-each-cgroup cannot be used with it");
	else if (st->aggr.mode != AGGR_GLOBAL)
		error("--cgroups cannot be used with -A, --per-core and other aggregation options");
	else if (!target_has_cpus(&st->target))
		error("--cgroups counts on CPUs: add -a or -C");
	else
		return cgroup_split_open(&st->split);
	return -EINVAL;
}

/* --no-wake: only for groups of CPUs, whose CPUs write their rows when they become idle. */
static int check_no_wake(const struct stat_cmd *st)
{
	if (!st->opt.no_wake)
		return 0;
	if (!target_has_cpus(&st->target))
		error("--no-wake counts on CPUs: add -a or -C");
	else if (cgroups_named(&st->cgroups) || st->cgroups.each || st->split.mount)
		error("--no-wake cannot be used with cgroups (-G, --for-each-cgroup, --cgroups)");
	else
		return 0;
	return -EINVAL;
}

static int add_metrics(struct stat_cmd *st, const struct command_line *line)
{
	int err = 0;
	size_t i;

	st->metrics.core_wide = st->target.kind == TARGET_ALL_CPUS;
	for (i = 0; i < line->metrics.nr && !err; i++)
		err = metric_list_add(&st->metrics, line->metrics.s[i]);
	if (!err && line->topdown)
		err = metric_list_topdown(&st->metrics, line->level ? line->level : 1);
	return err ? err : metric_list_make_events(&st->metrics, &st->list);
}

static int run_stat(struct stat_cmd *st, const struct command_line *line)
{
	st->target.all_threads = st->target.all_cpus && st->aggr.mode == AGGR_THREAD;
	if (check_options(st, line))
		return EXIT_USAGE;
	if (target_resolve(&st->target) || cgroups_check_target(&st->cgroups, &st->target) ||
	    check_aggr(st))
		return EXIT_USAGE;
	if (line->cgroups) {
		if (split_by_cgroup(st))
			return EXIT_USAGE;
		st->aggr.mode = AGGR_CGROUP;
	}
	if (check_no_wake(st))
		return EXIT_USAGE;
	if (add_metrics(st, line))
		return EXIT_USAGE;
	if (!line->events && !st->metrics.nr && !st->opt.null && stat_add_default_events(st))
		return EXIT_USAGE;
	if (!st->opt.null && add_detailed_events(st, line->detail))
		return EXIT_USAGE;
	if (cgroups_finish(&st->cgroups, &st->list, line->events))
		return EXIT_USAGE;
	stat_choose_sums(st);
	if (st->opt.verbose)
		cgroups_say_paths(&st->cgroups);
	if (st->list.nr && open_device(st))
		return EXIT_FAILED;
	if (open_output(st, line))
		return EXIT_FAILED;
	if (st->opt.header && !st->opt.quiet)
		stat_print_header(st);
	return stat_run(st);
}

int cmd_stat(int argc, char **argv)
{
	static const struct cmd_options options = {
		.name = "stat",
		.letters = "+" CMD_TARGET_LETTERS "e:M:G:AiD:dr:SnI:Bx:jo:qvh",
		.table = option_table,
		.usage = usage,
		.parse = parse_option,
	};
	struct stat_cmd st = {
		.opt = { .big_num = true, .runs = 1 },
		.snap = xcheck(perfgrp_snap_new()),
		.user = -1,
		.control = { .fd = -1, .ack = -1 },
	};
	struct command_line line = { .st = &st, .fd = -1 };
	int status;

	if (cmd_parse_options(&options, argc, argv, &line, &status)) {
		if (optind < argc)
			st.target.command = &argv[optind];
		status = run_stat(&st, &line);
	}
	control_close(&st.control);
	strings_free(&line.metrics);
	stat_free(&st);
	return status;
}
