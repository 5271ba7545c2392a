// SPDX-License-Identifier: GPL-2.0
/* perfgrp: the tool. This file only dispatches to its commands. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "help.h"
#include "util.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "stat", cmd_stat, "count events of a command, tasks, CPUs or cgroups" },
	{ "top", cmd_top, "show current event rates of CPUs, threads or cgroups" },
	{ "report", cmd_report,
	  "make an HTML page of tables and plots from perfgrp stat -I output" },
	{ "record", cmd_record,
	  "sample events, with the counts of the whole group in each sample" },
	{ "bpf", cmd_bpf,
	  "attach BPF programs to counters, profile programs, watch loads and unloads" },
	{ "export", cmd_export, "serve counts to Prometheus and other monitoring systems" },
	{ "probe", cmd_probe, "test whether groups of events fit on the PMU now" },
	{ "groups", cmd_groups, "show existing groups and the processes that hold them" },
	{ "list", cmd_list, "list named events and metrics" },
	{ "info", cmd_info, "print features and limits of the module and the machine" },
};

static void usage(FILE *out)
{
	size_t i;

	fputs("usage: perfgrp COMMAND [OPTION]...\n\n"
	      "Counts and samples events in groups that the module perfgrp.ko keeps in the kernel.\n\n",
	      out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-6s %s\n", commands[i].name, commands[i].help);
	fputs("\n\"perfgrp COMMAND --help\" lists the options of a command.\n"
	      "Topics of \"perfgrp help\": ", out);
	help_list(out);
	fputs(".\n", out);
}

static int no_such_command(const char *name)
{
	error("there is no command '%s' (try \"perfgrp help\")", name);
	return EXIT_USAGE;
}

/* Prints the help of a command, of a topic, or of both if both have the name. */
static int help(char *name)
{
	char *argv[] = { name, "--help", NULL };
	const char *text = help_find(name);
	bool is_command = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands) && !is_command; i++)
		is_command = !strcmp(name, commands[i].name);
	if (is_command)
		commands[i - 1].run(2, argv);
	if (text)
		printf("%s%s", is_command ? "\n" : "", text);
	if (text || is_command)
		return 0;
	fprintf(stderr, "perfgrp: there is no command and no topic '%s'; topics are ", name);
	help_list(stderr);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	size_t i;

	if (!name) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V") || !strcmp(name, "version")) {
		puts("perfgrp version " PERFGRP_TOOL_VERSION);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		if (argc > 2)
			return help(argv[2]);
		usage(stdout);
		return 0;
	}
	return no_such_command(name);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	return flush_output(stdout, "standard output") ? EXIT_FAILED : status;
}
