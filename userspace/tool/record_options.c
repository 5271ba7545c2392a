// SPDX-License-Identifier: GPL-2.0
/* Options for what to sample, and how often; shared with "perfgrp bpf attach". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "record.h"

/* perf's default. */
#define DEFAULT_FREQ	4000

static int parse_positive(const char *text, __u64 *value)
{
	char *end;

	return parse_u64(text, 10, &end, value) || *end || !*value ? -EINVAL : 0;
}

static int parse_period(const char *text, __u64 *period)
{
	if (!parse_positive(text, period))
		return 0;
	error("--count: '%s' is not a number above 0", text);
	return -EINVAL;
}

static __u64 max_freq(void)
{
	char *text = read_file("/proc/sys/kernel/perf_event_max_sample_rate");
	__u64 freq = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return freq;
}

static int parse_freq(const char *text, __u64 *freq)
{
	if (!strcmp(text, "max")) {
		*freq = max_freq();
		return 0;
	}
	if (!parse_positive(text, freq))
		return 0;
	error("--freq: '%s' is neither a number above 0 nor max", text);
	return -EINVAL;
}

/**
 * record_parse_sampling - parse an option for what to sample, or how often
 * @rec: its options are set
 * @c: one of RECORD_OPTIONS or CMD_MODE_OPTIONS
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_parse_sampling(struct record *rec, int c)
{
	struct record_options *opt = &rec->opt;

	switch (c) {
	case 'e':
		rec->events_named = true;
		return cmd_add_events(&rec->list, optarg);
	case 'c':
		return parse_period(optarg, &opt->period);
	case 'F':
		opt->freq_asked = true;
		return parse_freq(optarg, &opt->freq);
	}
	return cmd_parse_target(&rec->target, c);
}

/**
 * record_check_options - check whether options can be combined, and fill in defaults
 * @rec: all options have been parsed
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_check_options(struct record *rec)
{
	struct record_options *opt = &rec->opt;
	__u64 max = max_freq();

	if (opt->period && opt->freq_asked) {
		error("--count and --freq cannot be used together");
		return -EINVAL;
	}
	if (opt->max_stack && !opt->callchain) {
		error("--max-stack needs -g");
		return -EINVAL;
	}
	if (cmd_check_modes(&rec->target))
		return -EINVAL;
	if (max && opt->freq > max) {
		error("--freq: %llu is above %llu, the sysctl kernel.perf_event_max_sample_rate",
		      (unsigned long long)opt->freq, (unsigned long long)max);
		return -EINVAL;
	}
	/* The default must not exceed the maximum. */
	if (!opt->freq)
		opt->freq = max && max < DEFAULT_FREQ ? max : DEFAULT_FREQ;
	return 0;
}
