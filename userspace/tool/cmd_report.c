// SPDX-License-Identifier: GPL-2.0
/* perfgrp report: a run of intervals as a page to look at. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "replace_file.h"
#include "report.h"

/* Default of --places: a screenful of plots of each counter. */
#define DEFAULT_PLACES	32

enum {
	OPT_HTML = OPT_OF_COMMAND,
	OPT_PLACES,
	OPT_TITLE,
};

static const struct option option_table[] = {
	{ "html", required_argument, NULL, OPT_HTML },
	{ "title", required_argument, NULL, OPT_TITLE },
	{ "places", required_argument, NULL, OPT_PLACES },
	CMD_HELP_OPTION
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp report --html FILE [OPTION]... RUN\n"
	      "\n"
	      "Makes an HTML page from the output of \"perfgrp stat -I MS -j --header -o RUN\", or of\n"
	      "\"perfgrp export --format json -I MS > RUN\": tables and plots of all counters over time, in\n"
	      "a single file. RUN may be -, standard input.\n"
	      "\n"
	      "      --html FILE          write the page to FILE, replacing it atomically; -: standard output\n"
	      "      --title TEXT         title of the page (default: the command)\n"
	      "      --places N           show at most N CPUs, threads or cgroups per counter (default: 32)\n"
	      "  -h, --help               print this help\n", out);
}

/**
 * struct command_line - the options
 * @report: the run to be read
 * @html: argument of --html
 */
struct command_line {
	struct report report;
	const char *html;
};

static int parse_option(void *arg, int c)
{
	struct command_line *line = arg;

	switch (c) {
	case OPT_HTML:
		return cmd_parse_path("--html", &line->html);
	case OPT_TITLE:
		line->report.title = optarg;
		return 0;
	case OPT_PLACES:
		return cmd_parse_uint("--places", optarg, 1, 1U << 30, &line->report.most_places);
	}
	return -EINVAL;
}

static bool is_stdio(const char *path)
{
	return !strcmp(path, "-");
}

static int read_run(struct report *report, const char *path)
{
	FILE *in = is_stdio(path) ? stdin : fopen(path, "re");
	int err;

	report->input = is_stdio(path) ? "standard input" : path;
	if (!in) {
		error("cannot read '%s': %s", path, strerror(errno));
		return -EINVAL;
	}
	err = report_read(report, in);
	if (in != stdin)
		fclose(in);
	return err;
}

static int write_page(const struct report *report, const char *path)
{
	size_t len;
	char *page = report_page(report, &len);
	int err = 0;

	/* main() checks standard output for errors. */
	if (is_stdio(path))
		fwrite(page, 1, len, stdout);
	else
		err = replace_file(path, page, len, 0);
	free(page);
	return err;
}

static int run_report(struct command_line *line, char **paths, int nr)
{
	if (!line->html) {
		error("report needs --html: the file to write");
		return EXIT_USAGE;
	}
	if (nr != 1) {
		error(nr ? "report takes one run, and '%s' is a second one" :
		      "report needs the file of a run, which \"perfgrp stat -I MS -j -o FILE\" writes",
		      nr ? paths[1] : "");
		return EXIT_USAGE;
	}
	if (!is_stdio(line->html) && replace_file_check("--html", line->html))
		return EXIT_USAGE;
	if (read_run(&line->report, paths[0]))
		return EXIT_FAILED;
	return write_page(&line->report, line->html) ? EXIT_FAILED : 0;
}

int cmd_report(int argc, char **argv)
{
	static const struct cmd_options options = {
		.name = "report",
		.letters = "h",
		.table = option_table,
		.usage = usage,
		.parse = parse_option,
	};
	struct command_line line = { .report = { .most_places = DEFAULT_PLACES } };
	int status;

	if (cmd_parse_options(&options, argc, argv, &line, &status))
		status = run_report(&line, &argv[optind], argc - optind);
	report_free(&line.report);
	return status;
}
