// SPDX-License-Identifier: GPL-2.0
/* perfgrp record: sample events of a command, of tasks or of CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "record.h"

/* As perf's. */
#define DEFAULT_FREQ	4000
#define DEFAULT_FILE	"perfgrp.data"
#define DEFAULT_JSON	"perfgrp.json"

enum {
	OPT_JSON = OPT_OF_COMMAND,
	OPT_OVERWRITE,
};

static const struct option option_table[] = {
	RECORD_OPTIONS,
	{ "no-inherit", no_argument, NULL, 'i' },
	CMD_MODE_OPTIONS,
	{ "output", required_argument, NULL, 'o' },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "overwrite", no_argument, NULL, OPT_OVERWRITE },
	{ "json", no_argument, NULL, OPT_JSON },
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
	      "  -e, --event EVENTS       events by perf's names; of {a,b} a samples, b is read\n"
	      "  -c, --count N            every N events\n"
	      RECORD_HELP
	      "Records:\n"
	      "  -o, --output FILE        where to (default perfgrp.data); -: standard output\n"
	      "  -m, --mmap-pages SIZE    buffer for each CPU: pages, or with a B, K, M or G\n"
	      "      --overwrite          keep the last records in the buffer, read them at the end\n"
	      "      --json               an object a line (default perfgrp.json)\n"
	      "  -v, --verbose            say more\n"
	      "  -h, --help               this\n"
	      "\n"
	      "COMMAND's children are not sampled; -a samples them with everything else.\n", out);
}

/* ---- the command line ----------------------------------------------------- */

static int parse_positive(const char *what, const char *text, __u64 *value)
{
	char *end;

	if (!parse_u64(text, 10, &end, value) && !*end && *value)
		return 0;
	error("%s: '%s' is not a number above 0", what, text);
	return -EINVAL;
}

static __u64 max_freq(void)
{
	char *text = read_file("/proc/sys/kernel/perf_event_max_sample_rate");
	__u64 freq = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return freq;
}

/* As perf's: a number of pages, or of bytes with a letter. */
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

/**
 * record_parse_sampling - an option that says what to sample, and how often
 * @rec: what the user wants
 * @c: one of RECORD_OPTIONS or CMD_MODE_OPTIONS
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int record_parse_sampling(struct record *rec, int c)
{
	struct record_options *opt = &rec->opt;

	switch (c) {
	case 'e':
		rec->events_named = true;
		return cmd_add_events(&rec->list, optarg);
	case 'c':
		return parse_positive("--count", optarg, &opt->period);
	case 'F':
		opt->freq_asked = true;
		if (strcmp(optarg, "max"))
			return parse_positive("--freq", optarg, &opt->freq);
		opt->freq = max_freq();
		return 0;
	}
	return cmd_parse_target(&rec->target, c);
}

static int parse_option(void *arg, int c)
{
	struct record *rec = arg;
	struct record_options *opt = &rec->opt;

	switch (c) {
	case 'i':
		return 0;	/* children are never sampled */
	case 'o':
		rec->file = optarg;
		return 0;
	case 'm':
		return parse_size(optarg, &opt->buffer_size);
	case OPT_OVERWRITE:
		opt->overwrite = true;
		return 0;
	case OPT_JSON:
		opt->json = true;
		return 0;
	case 'v':
		opt->verbose = true;
		return 0;
	}
	return record_parse_sampling(rec, c);
}

/**
 * record_check_options - see whether options go together, and fill in what is missing
 * @rec: what the user wants
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int record_check_options(struct record *rec)
{
	struct record_options *opt = &rec->opt;
	__u64 max = max_freq();

	if (opt->period && opt->freq_asked) {
		error("--count and --freq exclude one another");
		return -EINVAL;
	}
	if (cmd_check_modes(&rec->target))
		return -EINVAL;
	if (max && opt->freq > max) {
		error("--freq: at most %llu (sysctl kernel.perf_event_max_sample_rate)",
		      (unsigned long long)max);
		return -EINVAL;
	}
	/* What nobody has asked for must be possible. */
	if (!opt->freq)
		opt->freq = max && max < DEFAULT_FREQ ? max : DEFAULT_FREQ;
	return 0;
}

/* ---- the file ------------------------------------------------------------- */

/* What was there before is kept once, as perf does. */
static void keep_old(const char *file)
{
	struct stat st;
	char *old;

	if (stat(file, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	old = xasprintf("%s.old", file);
	rename(file, old);
	free(old);
}

static void name_output(struct record *rec)
{
	if (!rec->file)
		rec->file = rec->opt.json ? DEFAULT_JSON : DEFAULT_FILE;
	if (!strcmp(rec->file, "-"))
		rec->file = NULL;
}

/**
 * record_open_output - open the file, when it is clear that there will be records
 * @rec: its file is opened
 *
 * Return: 0, or a negative errno after saying what is wrong
 */
int record_open_output(struct record *rec)
{
	FILE *out = stdout;

	if (rec->file) {
		keep_old(rec->file);
		out = fopen(rec->file, "we");
	}
	if (!out) {
		error("cannot write to %s: %s", rec->file, strerror(errno));
		return -errno;
	}
	if (!rec->opt.json && isatty(fileno(out))) {
		error("perf.data is not for terminals; -o names a file");
		return -EINVAL;
	}
	rec->data.out = out;
	rec->data.pipe = !rec->file || fseek(out, 0, SEEK_SET);
	return 0;
}

static int run_record(struct record *rec)
{
	int status;

	if (record_check_options(rec) || target_resolve(&rec->target))
		return EXIT_USAGE;
	if (!rec->events_named && cmd_add_events(&rec->list, "cycles"))
		return EXIT_USAGE;
	rec->dev = cmd_open_device(&rec->info, PERFGRP_FEATURE_SAMPLING, "sampling");
	if (!rec->dev)
		return EXIT_FAILED;
	name_output(rec);
	status = record_run(rec);
	if (rec->data.out && rec->data.out != stdout && fclose(rec->data.out)) {
		error("cannot write to %s", rec->file);
		status = EXIT_FAILED;
	}
	return status;
}

/* All of it, as perf shows it; getopt may not touch this one. */
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
		.letters = "+" RECORD_LETTERS "io:m:vh",
		.table = option_table,
		.usage = usage,
		.parse = parse_option,
	};
	struct record rec = { .argv = command_line(argc, argv) };
	int status;

	if (cmd_parse_options(&options, argc, argv, &rec, &status)) {
		if (optind < argc)
			rec.target.command = &argv[optind];
		status = run_record(&rec);
	}
	events_free(&rec.list);
	target_free(&rec.target);
	perfgrp_close(rec.dev);
	free(rec.argv);
	return status;
}
