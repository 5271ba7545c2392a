// SPDX-License-Identifier: GPL-2.0
/* perfgrp record: sample events of a command, of tasks, of CPUs or of cgroups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id_hits.h"
#include "cmd.h"
#include "record.h"

#define DEFAULT_FILE	"perfgrp.data"
#define DEFAULT_JSON	"perfgrp.json"
/* zstd's levels: perf's default, and the highest. */
#define DEFAULT_LEVEL	1
#define MAX_LEVEL	22
/* A limit, because the names of the files are kept in memory. */
#define MAX_FILES	1000000

enum {
	OPT_CALL_GRAPH = OPT_OF_COMMAND,
	OPT_JSON,
	OPT_MAX_SIZE,
	OPT_MAX_STACK,
	OPT_NO_BPF_EVENT,
	OPT_OVERWRITE,
	OPT_SWITCH_MAX_FILES,
	OPT_SWITCH_OUTPUT,
};

static const struct option option_table[] = {
	RECORD_OPTIONS,
	{ "call-graph", required_argument, NULL, OPT_CALL_GRAPH },
	{ "max-stack", required_argument, NULL, OPT_MAX_STACK },
	CMD_MODE_OPTIONS,
	{ "output", required_argument, NULL, 'o' },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "overwrite", no_argument, NULL, OPT_OVERWRITE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "max-size", required_argument, NULL, OPT_MAX_SIZE },
	{ "switch-output", optional_argument, NULL, OPT_SWITCH_OUTPUT },
	{ "switch-max-files", required_argument, NULL, OPT_SWITCH_MAX_FILES },
	{ "compression-level", optional_argument, NULL, 'z' },
	{ "no-buildid", no_argument, NULL, 'B' },
	{ "no-buildid-cache", no_argument, NULL, 'N' },
	{ "no-bpf-event", no_argument, NULL, OPT_NO_BPF_EVENT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	CMD_HELP_OPTION
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp record [OPTION]... [--] [COMMAND [ARGUMENT]...]\n"
	      "\n"
	      "Samples events while COMMAND runs, or until interrupted, for perf report and\n"
	      "perf script. Each sample has the counts of all events of its group.\n"
	      "\n"
	      "What to sample:\n"
	      "  -e, --event EVENTS       events, named as in perf; in a group {a,b}, a samples and b is read\n"
	      "  -c, --count N            take a sample every N events\n"
	      RECORD_HELP
	      "Records:\n"
	      "  -g, --call-graph=fp      record call chains, unwound by frame pointers\n"
	      "      --max-stack N        record at most N addresses per call chain (default: as many as\n"
	      "                           the kernel allows)\n"
	      "  -o, --output FILE        write to FILE (default: perfgrp.data); -: standard output\n"
	      "  -m, --mmap-pages SIZE    buffer per group and CPU: pages, or a size with suffix B, K, M or G\n"
	      "      --overwrite          keep only the latest records, and read them at the end\n"
	      "  -z, --compression-level[=N]\n"
	      "                           compress with zstd at level N, from 1 (default, fastest) to 22\n"
	      "      --max-size SIZE      stop after recording SIZE bytes (suffix B, K, M or G)\n"
	      "      --switch-output[=signal|SIZE|TIME]\n"
	      "                           continue in a new file on SIGUSR2 (default), after SIZE bytes, or\n"
	      "                           every TIME (suffix s, m, h or d); the names of the files are\n"
	      "                           FILE.YYYYMMDDhhmmss and two digits\n"
	      "      --switch-max-files N keep only the last N files\n"
	      "  -B, --no-buildid         no build-ids in the file\n"
	      "  -N, --no-buildid-cache   do not add the sampled programs and libraries to perf's cache\n"
	      "      --no-bpf-event       no records of BPF programs, which then have no symbols\n"
	      "      --json               write JSON, one object per line (default file: perfgrp.json)\n"
	      "  -q, --quiet              do not print progress and a summary\n"
	      "  -v, --verbose            print how many records were produced, read, lost and filtered\n"
	      "  -h, --help               print this help\n"
	      "\n"
	      "Child tasks of COMMAND are also sampled unless -i is given.\n", out);
}

/* ---- the command line ----------------------------------------------------- */

/* Parses a size as in perf: a number of pages, or of bytes with a letter. */
static int parse_size(const char *text, __u32 *size)
{
	static const char letters[] = "BKMG";
	const char *letter;
	char *end;
	__u64 n;

	if (parse_u64(text, 10, &end, &n) || !n || n > ~0U)
		goto bad;
	letter = *end ? strcasestr(letters, end) : NULL;
	if (*end && (end[1] || !letter))
		goto bad;
	n *= letter ? 1ULL << 10 * (letter - letters) : (unsigned long long)sysconf(_SC_PAGESIZE);
	if (n > ~0U)
		goto bad;
	*size = n;
	return 0;
bad:
	error("--mmap-pages: '%s' is neither a number of pages nor a size such as 512K", text);
	return -EINVAL;
}

/* The module only has frame pointers (fp), not perf's dwarf and lbr. */
static int parse_call_graph(const char *text)
{
	if (!strcmp(text, "fp"))
		return 0;
	error("--call-graph: '%s' is not supported; fp is", text);
	return -EINVAL;
}

static int parse_max_stack(const char *text, __u32 *max_stack)
{
	char *end;
	__u64 n;

	if (parse_u64(text, 10, &end, &n) || *end || !n || n > ~0U) {
		error("--max-stack: '%s' is not a number above 0", text);
		return -EINVAL;
	}
	*max_stack = n;
	return 0;
}

static int parse_level(const char *text, int *level)
{
	unsigned int n = DEFAULT_LEVEL;
	int err = text ? cmd_parse_uint("--compression-level", text, 1, MAX_LEVEL, &n) : 0;

	*level = n;
	return err;
}

static int parse_option(void *arg, int c)
{
	struct record *rec = arg;
	struct record_options *opt = &rec->opt;

	switch (c) {
	case OPT_MAX_SIZE:
		return record_parse_max_size(optarg, &opt->max_size);
	case OPT_SWITCH_OUTPUT:
		return record_parse_switch(optarg, &rec->switching);
	case OPT_SWITCH_MAX_FILES:
		return cmd_parse_uint("--switch-max-files", optarg, 1, MAX_FILES,
				      &rec->switching.max_files);
	case 'z':
		return parse_level(optarg, &rec->data.compression_level);
	case 'g':
		opt->callchain = true;
		return 0;
	case OPT_CALL_GRAPH:
		opt->callchain = true;
		return parse_call_graph(optarg);
	case OPT_MAX_STACK:
		return parse_max_stack(optarg, &opt->max_stack);
	case 'o':
		return cmd_parse_path("--output", &rec->file);
	case 'm':
		return parse_size(optarg, &opt->buffer_size);
	case OPT_OVERWRITE:
		opt->overwrite = true;
		return 0;
	case OPT_JSON:
		opt->json = true;
		return 0;
	case 'B':
		rec->data.no_build_ids = true;
		return 0;
	case 'N':
		opt->no_cache = true;
		return 0;
	case OPT_NO_BPF_EVENT:
		opt->no_bpf = true;
		return 0;
	case 'q':
		opt->quiet = true;
		return 0;
	case 'v':
		opt->verbose = true;
		return 0;
	}
	return record_parse_sampling(rec, c);
}

static void name_output(struct record *rec)
{
	if (!rec->file)
		rec->file = rec->opt.json ? DEFAULT_JSON : DEFAULT_FILE;
	if (!strcmp(rec->file, "-"))
		rec->file = NULL;
}

/* Is it a regular file, existing or to be created? The size of JSON output is its file offset. */
static bool has_size(const char *file)
{
	struct stat st;

	return file && (stat(file, &st) || S_ISREG(st.st_mode));
}

/* Checks the options about files together; prints an error. */
static int check_output(const struct record *rec)
{
	const struct record_switch *switching = &rec->switching;

	if (rec->data.compression_level && rec->opt.json)
		error("--compression-level cannot be used with --json");
	else if (rec->opt.max_size && rec->opt.json && !has_size(rec->file))
		error("--max-size with --json needs a regular file");
	else if (switching->on && !rec->file)
		error("--switch-output needs files, not standard output");
	else if (switching->size && rec->opt.json && !has_size(rec->file))
		error("--switch-output=SIZE with --json needs a regular file");
	else if (switching->max_files && !switching->on)
		error("--switch-max-files needs --switch-output");
	else if (rec->opt.overwrite && (rec->opt.max_size || switching->size))
		error("--overwrite writes only at the end, so it cannot be used with a size limit");
	else
		return 0;
	return -EINVAL;
}

static int run_record(struct record *rec)
{
	int status;

	name_output(rec);
	if (check_output(rec) || record_check_options(rec))
		return EXIT_USAGE;
	if (!rec->events_named && cmd_add_events(&rec->list, "cycles"))
		return EXIT_USAGE;
	if (cgroups_finish(&rec->cgroups, &rec->list, rec->events_named))
		return EXIT_USAGE;
	if (rec->opt.verbose)
		cgroups_say_paths(&rec->cgroups);
	rec->dev = cmd_open_device(&rec->info, PERFGRP_FEATURE_SAMPLING, "sampling");
	if (!rec->dev)
		return EXIT_FAILED;
	status = record_run(rec);
	return record_close_output(rec) ? EXIT_FAILED : status;
}

/* Returns a copy of the whole command line for the perf.data header; getopt reorders argv. */
static char **command_line(int argc, char **argv)
{
	static char tool[] = "perfgrp";
	char **all = xcalloc(argc + 2, sizeof(*all));

	all[0] = tool;
	memcpy(all + 1, argv, argc * sizeof(*all));
	return all;
}

int cmd_record(int argc, char **argv)
{
	static const struct cmd_options options = {
		.name = "record",
		.letters = "+" RECORD_LETTERS "go:m:z::BNqvh",
		.table = option_table,
		.usage = usage,
		.parse = parse_option,
	};
	struct record rec = {
		.argv = command_line(argc, argv),
		.control = { .fd = -1, .ack = -1 },
	};
	int status;

	if (cmd_parse_options(&options, argc, argv, &rec, &status)) {
		if (optind < argc)
			rec.target.command = &argv[optind];
		status = run_record(&rec);
	}
	events_free(&rec.list);
	target_free(&rec.target);
	cgroups_free(&rec.cgroups);
	control_close(&rec.control);
	record_switch_free(&rec.switching);
	perf_data_free(&rec.data);
	build_id_hits_free(rec.data.hits);
	perfgrp_close(rec.dev);
	free(rec.argv);
	return status;
}
