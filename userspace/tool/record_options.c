// SPDX-License-Identifier: GPL-2.0
/* Options for what to sample, how often and when; shared with "perfgrp bpf attach". */
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
 * record_parse_sampling - parse an option for what to sample, how often or when
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
	case 'G':
		return cgroups_give(&rec->cgroups, &rec->list, optarg);
	case OPT_PER_THREAD:
		opt->per_thread = true;
		/* fallthrough */
	case 'i':
		opt->no_inherit = true;
		return 0;
	case 'D':
		return cmd_parse_delay(&opt->wait, &opt->delay);
	case OPT_CONTROL:
		return control_open(&rec->control, optarg);
	}
	return cmd_parse_target(&rec->target, c);
}

/* Checks when to sample, and whether the target allows it; prints an error. */
static int check_target(const struct record *rec)
{
	const struct target *target = &rec->target;

	if (rec->opt.wait && rec->control.fd < 0 && !rec->control.self)
		error("-D -1 needs --control, to start sampling");
	else if (rec->control.self && !target->command)
		error("--control self needs a command, which sends the control commands");
	else if (rec->opt.per_thread && target_has_cpus(target))
		error("--per-thread has no meaning with -a, -C, or without a command, -p or -t");
	else
		return cgroups_check_target(&rec->cgroups, target);
	return -EINVAL;
}

/**
 * record_check_options - check whether options can be combined, and fill in defaults and the target
 * @rec: all options have been parsed, and the target has its command
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
	return target_resolve(&rec->target) ? -EINVAL : check_target(rec);
}
