// SPDX-License-Identifier: GPL-2.0
/* perfgrp bpf: BPF programs on counters. This file parses the command lines of its commands. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf.h"
#include "cmd.h"

/* A century, in seconds; a limit so that ns fit into 64 bits. */
#define MAX_DURATION	3155760000.0

enum {
	OPT_COOKIE = OPT_OF_COMMAND,
	OPT_TIMED,
	OPT_EXPECT,
	OPT_SECTION,
	OPT_PROGRAM,
	OPT_DURATION,
	OPT_PIN,
	OPT_ALL,
};

/* Rows of the commands' tables. */
#define GROUP_OPTIONS						\
	{ "group", required_argument, NULL, 'g' },		\
	{ "member", required_argument, NULL, 'm' }
#define PROGRAM_OPTIONS						\
	{ "section", required_argument, NULL, OPT_SECTION },	\
	{ "program", required_argument, NULL, OPT_PROGRAM },	\
	{ "cookie", required_argument, NULL, OPT_COOKIE },	\
	{ "timed", no_argument, NULL, OPT_TIMED }
#define LAST_OPTIONS						\
	{ "json", no_argument, NULL, 'j' },			\
	CMD_HELP_OPTION

/* One help text for all its commands. */
void cmd_bpf_usage(FILE *out)
{
	fputs("usage: perfgrp bpf attach [OPTION]... PROGRAM [[--] COMMAND [ARGUMENT]...]\n"
	      "       perfgrp bpf attach -g PID:FD -m MEMBER [OPTION]... PROGRAM\n"
	      "       perfgrp bpf replace -g PID:FD -m MEMBER [OPTION]... PROGRAM\n"
	      "       perfgrp bpf detach -g PID:FD -m MEMBER [--expect ID] [--json]\n"
	      "       perfgrp bpf show [-g PID:FD] [--all] [--json]\n"
	      "       perfgrp bpf watch [--duration SECONDS] [--json]\n"
	      "       perfgrp bpf profile [OPTION]... PROGRAM [[--] COMMAND [ARGUMENT]...]\n"
	      "\n"
	      "Attaches BPF programs to counters, to run when they overflow; shows which programs are\n"
	      "loaded and unloaded; and measures the runs of a program.\n"
	      "\n"
	      "PROGRAM is an object file, a pin in a bpf filesystem, id:N, tag:TAG or name:NAME.\n"
	      "      --section NAME       of an object file, the program in that section\n"
	      "      --program NAME       of an object file, the program of that name\n"
	      "      --cookie N           what bpf_get_attach_cookie() returns\n"
	      "      --timed              measure how long each run takes\n"
	      "A group of another process:\n"
	      "  -g, --group PID:FD       one of the process's file descriptors\n"
	      "  -m, --member ID          the member (with -e: the number of the event, from 1)\n"
	      "      --expect ID          only if the program with this id is attached\n"
	      "      --all                show members without a program, too\n"
	      "      --pin PATH           pin the program there, to keep it and its maps after the end\n"
	      "New events, while COMMAND runs, or until interrupted:\n"
	      "  -e, --event EVENTS       events, as perfgrp record takes them\n"
	      "  -c, --count N            the program runs every N events\n"
	      RECORD_HELP
	      "                           (snapshot prints the statistics so far)\n"
	      "      --duration SECONDS, --timeout MS\n"
	      "                           end after that time\n"
	      "  -o, --output FILE        write statistics to FILE, not to standard error\n"
	      "  -q, --quiet              do not print statistics\n"
	      "  -v, --verbose            print which cgroups the names stand for\n"
	      "\n"
	      "Counts of the runs of a loaded program, while COMMAND runs, or until interrupted:\n"
	      "  -e, -a, -C, --all-user, --all-kernel\n"
	      "                           as above; all events are one group\n"
	      "  -D, --delay MS           count only after MS milliseconds\n"
	      "      --timeout MS         end after MS milliseconds (>= 10)\n"
	      "  -I, --interval-print MS  print a report every MS milliseconds\n"
	      "      --interval-count N   end after N reports\n"
	      "  -x, --field-separator S  print CSV, with S between columns\n"
	      "  -o, --output FILE        write to FILE, not to standard error\n"
	      "\n"
	      "  -j, --json               print JSON, one object per line\n"
	      "  -h, --help               print this help\n", out);
}

/* ---- options --------------------------------------------------------------- */

static int parse_cookie(const char *text, __u64 *cookie)
{
	char *end;

	if (!parse_u64(text, 0, &end, cookie) && !*end)
		return 0;
	error("--cookie: '%s' is not a 64-bit number", text);
	return -EINVAL;
}

static int parse_duration(const char *text, __u64 *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end != text && !*end && isfinite(seconds) && seconds > 0 && seconds < MAX_DURATION) {
		*ns = seconds * NSEC_PER_SEC;
		/* 0 would mean no limit. */
		if (!*ns)
			*ns = 1;
		return 0;
	}
	error("--duration: '%s' is not a number of seconds", text);
	return -EINVAL;
}

/* perf stat's option for the same. */
static int parse_timeout(const char *text, __u64 *ns)
{
	unsigned int ms = 0;
	int err = cmd_parse_uint("--timeout", text, 10, 1U << 30, &ms);

	*ns = ms * NSEC_PER_MSEC;
	return err;
}

static int parse_option(void *arg, int c)
{
	struct bpf_options *opt = arg;

	switch (c) {
	case 'g':
		opt->has_holder = true;
		return bpf_holder_parse(&opt->holder, optarg);
	case 'm':
		opt->has_member = true;
		return cmd_parse_uint("--member", optarg, 0, UINT_MAX - 1, &opt->member);
	case 'o':
		return cmd_parse_path("--output", &opt->file);
	case 'q':
		opt->rec.opt.quiet = true;
		return 0;
	case 'v':
		opt->rec.opt.verbose = true;
		return 0;
	case OPT_PIN:
		opt->pin = optarg;
		return 0;
	case OPT_COOKIE:
		return parse_cookie(optarg, &opt->cookie);
	case OPT_TIMED:
		opt->flags |= PERFGRP_BPF_TIMED;
		return 0;
	case OPT_EXPECT:
		return cmd_parse_uint("--expect", optarg, 1, UINT_MAX, &opt->expected);
	case OPT_SECTION:
		opt->program.section = optarg;
		return 0;
	case OPT_PROGRAM:
		opt->program.name = optarg;
		return 0;
	case OPT_DURATION:
		return parse_duration(optarg, &opt->duration);
	case OPT_TIMEOUT:
		return parse_timeout(optarg, &opt->duration);
	case 'j':
		opt->json = true;
		return 0;
	case OPT_ALL:
		opt->all = true;
		return 0;
	}
	return record_parse_sampling(&opt->rec, c);
}

/* Returns as cmd_parse_options(). */
static bool parse_options(struct bpf_options *opt, int argc, char **argv, const char *letters,
			  const struct option *table, int *status)
{
	const struct cmd_options options = {
		.name = "bpf",
		.letters = letters,
		.table = table,
		.usage = cmd_bpf_usage,
		.parse = parse_option,
	};

	return cmd_parse_options(&options, argc, argv, opt, status);
}

static int needs_member(const struct bpf_options *opt)
{
	if (opt->has_holder && opt->has_member)
		return 0;
	error("no group or no member is given (-g PID:FD -m MEMBER)");
	return -EINVAL;
}

static int take_program(struct bpf_options *opt, int argc, char **argv)
{
	if (optind < argc)
		return bpf_choice_parse(&opt->program, argv[optind++]);
	error("no program is given (an object file, a pin, id:N, tag:TAG or name:NAME)");
	return -EINVAL;
}

/* ---- commands -------------------------------------------------------------- */

static bool has_target(const struct record *rec)
{
	const struct target *target = &rec->target;

	return target->all_user || target->all_kernel || target->all_cpus || target->cpu_list ||
	       target->pids || target->tids || cgroups_named(&rec->cgroups);
}

static bool has_options(const struct record *rec)
{
	const struct record_options *opt = &rec->opt;

	return opt->period || opt->freq_asked || opt->no_inherit || opt->delay || opt->wait ||
	       opt->quiet || rec->control.fd >= 0 || rec->control.self;
}

/* Refuses options and arguments that cannot be used with -g, only with events of our own. */
static int check_attach_other(const struct bpf_options *opt, int argc, char **argv)
{
	if (opt->rec.events_named || has_target(&opt->rec) || has_options(&opt->rec) ||
	    opt->file || opt->duration) {
		error("--group cannot be used with options for new events: its events were chosen by another process");
		return -EINVAL;
	}
	return needs_member(opt) ? -EINVAL : cmd_no_arguments("bpf", argc, argv);
}

/* Refuses the number of an event that is not on the command line. */
static int check_member(const struct bpf_options *opt)
{
	size_t nr = 0, i;

	for (i = 0; i < opt->rec.list.nr; i++)
		nr += opt->rec.list.groups[i].nr;
	if (!opt->has_member || (opt->member && opt->member <= nr))
		return 0;
	error("--member: there is no event number %u", opt->member);
	return -EINVAL;
}

static int check_attach_own(struct bpf_options *opt, int argc, char **argv)
{
	if (!opt->rec.events_named) {
		error("nothing to attach to is given (-g PID:FD, or -e EVENT)");
		return -EINVAL;
	}
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	if (optind < argc)
		opt->rec.target.command = &argv[optind];
	if (record_check_options(&opt->rec) ||
	    cgroups_finish(&opt->rec.cgroups, &opt->rec.list, true) || check_member(opt))
		return -EINVAL;
	if (opt->rec.opt.verbose)
		cgroups_say_paths(&opt->rec.cgroups);
	return 0;
}

static int cmd_attach(struct bpf_options *opt, int argc, char **argv)
{
	static const struct option options[] = {
		GROUP_OPTIONS,
		PROGRAM_OPTIONS,
		RECORD_OPTIONS,
		CMD_MODE_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "duration", required_argument, NULL, OPT_DURATION },
		{ "timeout", required_argument, NULL, OPT_TIMEOUT },
		{ "pin", required_argument, NULL, OPT_PIN },
		{ "quiet", no_argument, NULL, 'q' },
		{ "verbose", no_argument, NULL, 'v' },
		LAST_OPTIONS
	};
	int err, fd, status;

	if (!parse_options(opt, argc, argv, "+g:m:o:qvjh" RECORD_LETTERS, options, &status))
		return status;
	if (take_program(opt, argc, argv))
		return EXIT_USAGE;
	if (opt->has_holder)
		err = check_attach_other(opt, argc, argv);
	else
		err = check_attach_own(opt, argc, argv);
	if (err)
		return EXIT_USAGE;
	fd = bpf_choice_open(&opt->program);
	if (fd < 0)
		return EXIT_FAILED;
	status = opt->has_holder ? bpf_attach_other(opt, fd, false) : bpf_attach_own(opt, fd);
	close(fd);
	return status;
}

static int cmd_replace(struct bpf_options *opt, int argc, char **argv)
{
	static const struct option options[] = {
		GROUP_OPTIONS,
		PROGRAM_OPTIONS,
		{ "expect", required_argument, NULL, OPT_EXPECT },
		LAST_OPTIONS
	};
	int fd, status;

	if (!parse_options(opt, argc, argv, "g:m:jh", options, &status))
		return status;
	if (take_program(opt, argc, argv) || needs_member(opt) ||
	    cmd_no_arguments("bpf", argc, argv))
		return EXIT_USAGE;
	fd = bpf_choice_open(&opt->program);
	if (fd < 0)
		return EXIT_FAILED;
	status = bpf_attach_other(opt, fd, true);
	close(fd);
	return status;
}

static int cmd_detach(struct bpf_options *opt, int argc, char **argv)
{
	static const struct option options[] = {
		GROUP_OPTIONS,
		{ "expect", required_argument, NULL, OPT_EXPECT },
		LAST_OPTIONS
	};
	int status;

	if (!parse_options(opt, argc, argv, "g:m:jh", options, &status))
		return status;
	if (needs_member(opt) || cmd_no_arguments("bpf", argc, argv))
		return EXIT_USAGE;
	return bpf_detach_other(opt);
}

static int cmd_show(struct bpf_options *opt, int argc, char **argv)
{
	static const struct option options[] = {
		{ "group", required_argument, NULL, 'g' },
		{ "all", no_argument, NULL, OPT_ALL },
		LAST_OPTIONS
	};
	int status;

	if (!parse_options(opt, argc, argv, "g:jh", options, &status))
		return status;
	return cmd_no_arguments("bpf", argc, argv) ? EXIT_USAGE : bpf_show(opt);
}

static int cmd_watch(struct bpf_options *opt, int argc, char **argv)
{
	static const struct option options[] = {
		{ "duration", required_argument, NULL, OPT_DURATION },
		LAST_OPTIONS
	};
	int status;

	if (!parse_options(opt, argc, argv, "jh", options, &status))
		return status;
	return cmd_no_arguments("bpf", argc, argv) ? EXIT_USAGE : bpf_watch(opt);
}

static const struct {
	const char *name;
	int (*run)(struct bpf_options *opt, int argc, char **argv);
} commands[] = {
	{ "attach", cmd_attach },
	{ "replace", cmd_replace },
	{ "detach", cmd_detach },
	{ "show", cmd_show },
	{ "watch", cmd_watch },
};

int cmd_bpf(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	struct bpf_options opt = { .rec.control = { .fd = -1, .ack = -1 } };
	int status;
	size_t i;

	if (!name) {
		cmd_bpf_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		cmd_bpf_usage(stdout);
		return 0;
	}
	if (!strcmp(name, "profile"))
		return cmd_bpf_profile(argc - 1, argv + 1);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(name, commands[i].name))
			continue;
		status = commands[i].run(&opt, argc - 1, argv + 1);
		events_free(&opt.rec.list);
		target_free(&opt.rec.target);
		cgroups_free(&opt.rec.cgroups);
		control_close(&opt.rec.control);
		perfgrp_close(opt.rec.dev);
		return status;
	}
	error("there is no command 'bpf %s' (try \"perfgrp bpf --help\")", name);
	return EXIT_USAGE;
}
