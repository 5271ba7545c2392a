// SPDX-License-Identifier: GPL-2.0
/* perfgrp export: counts for monitoring systems. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "export.h"
#include "replace_file.h"

#define DEFAULT_INTERVAL	15000
#define DEFAULT_TIMEOUT		10
#define MAX_TIMEOUT		3600

enum {
	OPT_ALLOW_REMOTE = OPT_OF_COMMAND,
	OPT_CLIENT_TIMEOUT,
	OPT_EVENTS_FILE,
	OPT_FORMAT,
	OPT_INTERVAL_COUNT,
	OPT_LISTEN,
	OPT_SCALED,
	OPT_TOTALS,
};

static const struct option option_table[] = {
	CMD_EVENT_OPTIONS,
	{ "events-file", required_argument, NULL, OPT_EVENTS_FILE },
	CMD_TARGET_OPTIONS,
	CMD_CGROUP_OPTIONS,
	{ "no-inherit", no_argument, NULL, 'i' },
	CMD_MODE_OPTIONS,
	{ "totals", no_argument, NULL, OPT_TOTALS },
	{ "scaled", no_argument, NULL, OPT_SCALED },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "interval", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPT_INTERVAL_COUNT },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "allow-remote", no_argument, NULL, OPT_ALLOW_REMOTE },
	{ "client-timeout", required_argument, NULL, OPT_CLIENT_TIMEOUT },
	CMD_HELP_OPTION
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp export [OPTION]...\n"
	      "\n"
	      "Counts events until interrupted, and exports the counts since the start to a file,\n"
	      "to HTTP clients, or to standard output.\n"
	      "\n"
	      "What to count:\n"
	      CMD_EVENT_HELP
	      "      --events-file FILE   also read events from FILE, one -e argument per line; SIGHUP reads\n"
	      "                           it again\n"
	      "  -a, --all-cpus           all CPUs (default)\n"
	      "  -C, --cpu LIST           some CPUs: 0,2-3\n"
	      "  -p, --pid LIST           processes, with all their threads\n"
	      "  -t, --tid LIST           threads\n"
	      "  -G, --cgroup NAMES       only tasks in these cgroups; one name for each preceding event, in\n"
	      "                           order, or a single name for all\n"
	      "      --for-each-cgroup NAMES\n"
	      "                           expand events for each cgroup; names can be regular expressions\n"
	      "      --cgroups[=DEPTH]    all cgroups, including new ones, down to DEPTH levels\n"
	      "  -i, --no-inherit         do not count child tasks\n"
	      CMD_MODE_HELP
	      "What to export:\n"
	      "      --totals             sums over CPUs or threads, instead of one value for each\n"
	      "      --scaled             also estimates of multiplexed counts, as separate metrics\n"
	      "      --format FORMAT      text (Prometheus), openmetrics or json (default: text, or what the\n"
	      "                           HTTP client accepts)\n"
	      "Where to:\n"
	      "  -o, --output FILE        replace FILE atomically at each interval (for node_exporter)\n"
	      "  -I, --interval MS        write every MS milliseconds (default: 15000)\n"
	      "      --interval-count N   stop after writing N times\n"
	      "      --listen unix:PATH | ADDRESS:PORT | [ADDRESS]:PORT\n"
	      "                           serve /metrics over HTTP; may be repeated; sockets passed by\n"
	      "                           systemd are always served\n"
	      "      --allow-remote       let --listen accept addresses that other machines can reach\n"
	      "      --client-timeout S   disconnect clients after S seconds (default: 10)\n"
	      "  -h, --help               print this help\n", out);
}

/**
 * struct command_line - the parsed options, before they are checked together
 * @ex: what is exported
 * @run: where to
 * @first: the events of -e
 * @events: -e was given
 * @addresses: of --listen
 * @allow_remote: --allow-remote
 * @intervals: -I or --interval-count was given
 */
struct command_line {
	struct export ex;
	struct export_run run;
	struct export_set *first;
	bool events;
	struct strings addresses;
	bool allow_remote;
	bool intervals;
};

static int parse_format(struct export_run *run)
{
	static const char *const names[] = {
		[EXPORT_TEXT] = "text", [EXPORT_OPENMETRICS] = "openmetrics",
		[EXPORT_JSON] = "json",
	};
	size_t i;

	run->format_given = true;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(optarg, names[i])) {
			run->format = i;
			return 0;
		}
	}
	error("--format: '%s' is none of text, openmetrics, json", optarg);
	return -EINVAL;
}

static int parse_option(void *arg, int c)
{
	const unsigned int max = 1U << 30;
	struct command_line *line = arg;
	struct export *ex = &line->ex;
	struct export_run *run = &line->run;
	struct stat_cmd *st = &line->first->st;

	switch (c) {
	case 'e':
		line->events = true;
		return cmd_add_events(&st->list, optarg);
	case OPT_EVENTS_FILE:
		return cmd_parse_path("--events-file", &ex->file);
	case 'G':
		return cgroups_give(&st->cgroups, &st->list, optarg);
	case OPT_FOR_EACH_CGROUP:
		ex->each = optarg;
		break;
	case OPT_CGROUPS:
		ex->cgroups = true;
		return cmd_parse_depth(&ex->depth);
	case 'i':
		ex->no_inherit = true;
		break;
	case OPT_TOTALS:
		ex->totals = true;
		break;
	case OPT_SCALED:
		ex->scaled = true;
		break;
	case OPT_FORMAT:
		return parse_format(run);
	case 'o':
		return cmd_parse_path("--output", &run->path);
	case 'I':
		line->intervals = true;
		return cmd_parse_uint("--interval", optarg, 1, max, &run->interval);
	case OPT_INTERVAL_COUNT:
		line->intervals = true;
		return cmd_parse_uint("--interval-count", optarg, 1, max, &run->count);
	case OPT_LISTEN:
		strings_add(&line->addresses, xstrdup(optarg));
		break;
	case OPT_ALLOW_REMOTE:
		line->allow_remote = true;
		break;
	case OPT_CLIENT_TIMEOUT:
		return cmd_parse_uint("--client-timeout", optarg, 1, MAX_TIMEOUT,
				      &run->client_timeout);
	default:
		return cmd_parse_target(&ex->target, c);
	}
	return 0;
}

/* Refuses options that exclude one another. */
static int check_options(const struct command_line *line)
{
	const struct export *ex = &line->ex;
	const struct cgroup_list *cgroups = &line->first->st.cgroups;

	if (cmd_check_modes(&ex->target))
		return -EINVAL;
	if (ex->cgroups && (cgroups_named(cgroups) || ex->each)) {
		error("--cgroups counts all cgroups: -G and --for-each-cgroup cannot be used with it");
		return -EINVAL;
	}
	if (ex->cgroups && (ex->target.pids || ex->target.tids)) {
		error("--cgroups counts on CPUs and cannot be used with tasks (-p, -t)");
		return -EINVAL;
	}
	if (!line->events && ex->file && (cgroups->given || cgroups->early)) {
		error("-G needs events given with -e; for the events of a file use --for-each-cgroup");
		return -EINVAL;
	}
	if (line->allow_remote && !line->addresses.nr) {
		error("--allow-remote needs --listen");
		return -EINVAL;
	}
	return line->run.path ? replace_file_check("-o", line->run.path) : 0;
}

/* Opens the sockets of --listen, and takes those from systemd. Returns the exit status. */
static int open_sockets(struct command_line *line)
{
	struct export_run *run = &line->run;
	unsigned int first;
	int nr = service_sockets(&first), i, err;
	size_t j;

	if (nr < 0)
		return EXIT_FAILED;
	run->sockets = xcalloc(nr + line->addresses.nr + 1, sizeof(*run->sockets));
	for (i = 0; i < nr; i++) {
		if (export_take_socket(&run->sockets[run->nr_sockets], first + i))
			return EXIT_FAILED;
		run->nr_sockets++;
	}
	for (j = 0; j < line->addresses.nr; j++) {
		err = export_listen(&run->sockets[run->nr_sockets], line->addresses.s[j],
				    line->allow_remote);
		if (err)
			return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
		run->nr_sockets++;
	}
	if (run->nr_sockets && line->intervals && !run->path) {
		error("--interval and --interval-count need -o: with --listen clients decide when to read");
		return EXIT_USAGE;
	}
	run->to_stdout = !run->path && !run->nr_sockets;
	return 0;
}

static int run_export(struct command_line *line)
{
	struct export *ex = &line->ex;
	struct export_set *first = line->first;
	bool usage = false;
	int status, err;

	if (check_options(line))
		return EXIT_USAGE;
	/* These options may come after -e. */
	first->st.target = ex->target;
	first->st.cgroups.each = ex->each;
	first->st.split.depth = ex->depth;
	first->st.opt.no_inherit = ex->no_inherit;
	if (!line->events && ex->file)
		first = NULL;
	else if (export_set_prepare(ex, first, line->events))
		return EXIT_USAGE;
	status = open_sockets(line);
	if (status)
		return status;
	ex->dev = cmd_open_device(&ex->info, 0, NULL);
	if (!ex->dev)
		return EXIT_FAILED;
	err = export_load(ex, first, &usage);
	if (first)
		line->first = NULL;
	if (err)
		return usage ? EXIT_USAGE : EXIT_FAILED;
	return export_run(&line->run) ? EXIT_FAILED : 0;
}

int cmd_export(int argc, char **argv)
{
	static const struct cmd_options options = {
		.name = "export",
		.letters = CMD_TARGET_LETTERS "e:G:io:I:h",
		.table = option_table,
		.usage = usage,
		.parse = parse_option,
	};
	struct command_line line = {
		.run = { .interval = DEFAULT_INTERVAL, .client_timeout = DEFAULT_TIMEOUT },
	};
	int status;
	size_t i;

	line.run.ex = &line.ex;
	line.first = export_set_new(&line.ex, NULL);
	if (cmd_parse_options(&options, argc, argv, &line, &status)) {
		if (optind < argc) {
			error("unexpected argument '%s': export does not run a command",
			      argv[optind]);
			status = EXIT_USAGE;
		} else {
			status = run_export(&line);
		}
	}
	for (i = 0; i < line.run.nr_sockets; i++)
		export_close_socket(&line.run.sockets[i]);
	free(line.run.sockets);
	strings_free(&line.addresses);
	export_set_free(line.first);
	export_free(&line.ex);
	return status;
}
