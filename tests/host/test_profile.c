// SPDX-License-Identifier: GPL-2.0
/*
 * What "perfgrp bpf profile" prints, without a kernel. TAP on standard output; anything but 0 at
 * the end if a test has failed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "bpf_profile.h"
#include "cmd.h"
#include "ending.h"
#include "tap.h"

#define __maybe_unused	__attribute__((unused))

#define FOUR_EVENTS	"cpu-clock,{cpu-cycles,instructions},page-faults:u"
#define TWO_EVENTS	"cpu-clock,page-faults:u"

/* Two of four events share the PMU with others; the last one was never on it. */
static struct profile_totals counted(void)
{
	return (struct profile_totals){
		.runs = 1000,
		.sum = {
			{ .raw = 2000500, .enabled = 800000, .running = 800000, .sched_group = 1 },
			{ .raw = 500250, .enabled = 800000, .running = 400000, .sched_group = 2 },
			{ .raw = 1000500, .enabled = 800000, .running = 400000, .sched_group = 2 },
			{ .enabled = 800000, .sched_group = 4 },
		},
	};
}

/* What a run of the empty program counts; the last event's is not known. */
static double empty[] = { 150, 80, 90.5, NAN };

/* Returns the text of one report, which the caller frees. */
static char *print(struct profile *profile, const char *events,
		   const struct profile_totals *totals, __u64 missed)
{
	size_t size;
	char *text;

	profile->out = open_memstream(&text, &size);
	profile->info = (struct bpf_info){ .id = 42, .known = BPF_KNOWN, .name = "on_packet",
					   .type = BPF_PROG_TYPE_XDP };
	memcpy(profile->empty, empty, sizeof(empty));
	profile->start = 5 * NSEC_PER_SEC;
	profile->end = profile->start + 2500000000ULL;
	profile->last_end = profile->start;
	profile->events_named = true;
	if (cmd_add_events(&profile->events, events) || profile_events(profile, 0))
		exit(1);
	profile_print(profile, totals, missed);
	fclose(profile->out);
	return text;
}

static void printed(struct profile *profile, const char *events,
		    const struct profile_totals *totals, __u64 missed, const char *expected,
		    const char *what)
{
	char *text = print(profile, events, totals, missed);

	result(!strcmp(text, expected), "%s", what);
	if (strcmp(text, expected))
		fputs(text, stdout);
	free(text);
	events_free(&profile->events);
}

static void text(void)
{
	struct profile_totals totals = counted();
	struct profile profile = { 0 };

	printed(&profile, FOUR_EVENTS, &totals, 0,
		"\n Performance counter stats for BPF program 42 'on_packet' (type xdp):\n"
		"\n"
		"           per run                  total          empty run       event\n"
		"           2000.50                2000500             150.00 ns    cpu-clock                #    0.001 CPUs utilized\n"
		"           1000.50                1000500              80.00       cpu-cycles               #    0.500 GHz  (50.00%)\n"
		"           2001.00                2001000              90.50       instructions             #    2.00  insn per cycle  (50.00%)\n"
		"     <not counted>          <not counted>      <not counted>       page-faults:u  (0.00%)\n"
		"\n"
		"              1000 runs\n"
		"\n"
		"       2.500000000 seconds time elapsed\n"
		"\n",
		"B20 a table of means and totals, scaled; what was never on the PMU is not 0");

	profile.target.cpu_list = "1,3";
	totals.runs = 1;
	totals.unmatched = 2;
	totals.elsewhere = 3;
	totals.failed = 4;
	totals.error = -ENOENT;
	totals.sum[0].flags = PERFGRP_VALUE_FAILED;
	printed(&profile, FOUR_EVENTS, &totals, 5,
		"\n Performance counter stats for BPF program 42 'on_packet' (type xdp) on the CPUs 1,3:\n"
		"\n"
		"           per run                  total          empty run       event\n"
		"     <not counted>          <not counted>             150.00 ns    cpu-clock\n"
		"        1000500.00                1000500              80.00       cpu-cycles  (50.00%)\n"
		"        2001000.00                2001000              90.50       instructions             #    2.00  insn per cycle  (50.00%)\n"
		"     <not counted>          <not counted>      <not counted>       page-faults:u  (0.00%)\n"
		"\n"
		"                 1 run\n"
		"                 7 runs missed: they began or ended while another was being measured\n"
		"                 3 runs on other CPUs\n"
		"                 4 runs without counts: reading the group failed: No such file or directory\n"
		"\n"
		"       2.500000000 seconds time elapsed\n"
		"\n",
		"B21 runs that are not in the counts are said; a counter that failed has no count");
}

static void no_runs(void)
{
	struct profile_totals totals = { 0 };
	struct profile profile = { .separator = "," };

	printed(&profile, FOUR_EVENTS, &totals, 0,
		"<not counted>,ns,cpu-clock,<not counted>,150.00,0,0,0,0,0,100.00,,\n"
		"<not counted>,,cpu-cycles,<not counted>,80.00,0,0,0,0,0,100.00,,\n"
		"<not counted>,,instructions,<not counted>,90.50,0,0,0,0,0,100.00,,\n"
		"<not counted>,,page-faults:u,<not counted>,<not counted>,0,0,0,0,0,100.00,,\n",
		"B20 a program that has not run has no counts");
}

/* Events that were not counted at the same times have no ratio. */
static void apart(void)
{
	struct profile_totals totals = counted();
	struct profile profile = { .separator = ";" };

	totals.sum[1].sched_group = 0;
	totals.sum[1].running = 300000;
	totals.sum[0].flags = PERFGRP_VALUE_THROTTLED;
	printed(&profile, FOUR_EVENTS, &totals, 1,
		"2000.50;ns;cpu-clock;2000500;150.00;1000;1;0;0;800000;100.00;0.001;CPUs utilized\n"
		"1334.00;;cpu-cycles;1334000;80.00;1000;1;0;0;300000;37.50;0.667;GHz\n"
		"2001.00;;instructions;2001000;90.50;1000;1;0;0;400000;50.00;;\n"
		"<not counted>;;page-faults:u;<not counted>;<not counted>;1000;1;0;0;0;0.00;;\n",
		"B20 CSV; no ratio of counts of different times");
}

static void intervals(void)
{
	struct profile_totals totals = counted();
	struct profile profile = { .json = true, .interval = 1000 };

	totals.sum[1] = totals.sum[3];
	empty[1] = empty[3];
	totals.elsewhere = 3;
	printed(&profile, TWO_EVENTS, &totals, 0,
		"{ \"interval\": 2.500000000, \"prog-id\": 42, \"event\": \"cpu-clock\", \"unit\": \"ns\", \"per-run\": 2000.50, \"total\": 2000500, \"empty-run\": 150.00, \"runs\": 1000, \"missed\": 0, \"failed\": 0, \"elsewhere\": 3, \"event-runtime\": 800000, \"pcnt-running\": 100.00, \"metric-value\": 0.000800, \"metric-unit\": \"CPUs utilized\" }\n"
		"{ \"interval\": 2.500000000, \"prog-id\": 42, \"event\": \"page-faults:u\", \"unit\": \"\", \"runs\": 1000, \"missed\": 0, \"failed\": 0, \"elsewhere\": 3, \"event-runtime\": 0, \"pcnt-running\": 0.00 }\n",
		"B20 JSON, of an interval");
	profile = (struct profile){ .separator = ",", .interval = 1000 };
	printed(&profile, TWO_EVENTS, &totals, 0,
		"     2.500000000,2000.50,ns,cpu-clock,2000500,150.00,1000,0,0,3,800000,100.00,0.001,CPUs utilized\n"
		"     2.500000000,<not counted>,,page-faults:u,<not counted>,<not counted>,1000,0,0,3,0,0.00,,\n",
		"B20 CSV, of an interval");
	profile = (struct profile){ .interval = 1000 };
	printed(&profile, TWO_EVENTS, &totals, 0,
		"#           time            per run                  total          empty run       event\n"
		"     2.500000000            2000.50                2000500             150.00 ns    cpu-clock                #    0.001 CPUs utilized\n"
		"     2.500000000      <not counted>          <not counted>      <not counted>       page-faults:u  (0.00%)\n"
		"     2.500000000               1000 runs\n"
		"     2.500000000                  3 runs on other CPUs\n",
		"B20 text, of an interval");
}

/* Ten more runs of the empty program, during which event 0 counts @raw. */
static void run_empty(double *means, struct profile_totals *totals, __u64 raw, __u64 enabled,
		      __u64 running)
{
	const struct profile_totals before = *totals;

	totals->runs += 10;
	totals->sum[0].raw += raw;
	totals->sum[0].enabled += enabled;
	totals->sum[0].running += running;
	profile_keep_empty(means, &before, totals, 1);
}

static void empty_runs(void)
{
	struct profile_totals totals = counted();
	double mean = NAN;

	/* Earlier multiplexing does not matter. */
	totals.sum[0].running /= 2;
	run_empty(&mean, &totals, 0, 1000, 0);
	run_empty(&mean, &totals, 50, 1000, 500);
	result(isnan(mean), "B20 an event that was not on the PMU has not seen the empty program");
	run_empty(&mean, &totals, 120, 1000, 1000);
	run_empty(&mean, &totals, 110, 1000, 1000);
	run_empty(&mean, &totals, 130, 1000, 1000);
	run_empty(&mean, &totals, 20, 1000, 999);
	result(mean == 11, "B20 the least of those batches that were counted as a whole");
	totals.sum[0].flags = PERFGRP_VALUE_FAILED;
	run_empty(&mean, &totals, 0, 0, 0);
	result(mean == 11, "B20 nor does one that failed");
}

/* Simulated programs, which have run once more each time that they are read. */
static __u64 runs;

int __wrap_profile_probe_attach(struct profile_probe *probe __maybe_unused,
				bool empty __maybe_unused)
{
	return 0;
}

void __wrap_profile_probe_detach(struct profile_probe *probe __maybe_unused)
{
}

int __wrap_profile_probe_count(const struct profile_probe *probe __maybe_unused,
			       bool on __maybe_unused)
{
	return 0;
}

int __wrap_profile_probe_read(const struct profile_probe *probe __maybe_unused,
			      struct profile_totals *totals)
{
	*totals = (struct profile_totals){ .runs = ++runs };
	return 0;
}

int __wrap_profile_probe_missed(const struct profile_probe *probe __maybe_unused, __u64 *missed)
{
	*missed = 0;
	return 0;
}

/* Returns how many intervals of 10 ms are printed in @timeout ms, with --interval-count @most. */
static size_t run_intervals(unsigned int timeout, unsigned int most)
{
	struct profile profile = {
		.separator = ",",
		.interval = 10,
		.interval_count = most,
		.timeout = timeout,
		.events_named = true,
	};
	struct ending ending;
	size_t size, lines = 0;
	char *text, *end;

	profile.out = open_memstream(&text, &size);
	if (cmd_add_events(&profile.events, "page-faults:u") || profile_events(&profile, 0) ||
	    ending_begin(&ending) || profile_run_until_end(&profile, &ending))
		exit(1);
	fclose(profile.out);
	for (end = text; (end = strchr(end, '\n')); end++)
		lines++;
	free(text);
	events_free(&profile.events);
	return lines;
}

static void interval_counts(void)
{
	/* However late it is scheduled, it sees the end of an interval first, then the timeout. */
	result(run_intervals(15, 0) == 2, "B20 an interval, and a part of one");
	result(run_intervals(15, 3) == 2, "B20 the same where there could have been more");
	result(run_intervals(600000, 3) == 3, "B20 so many as are wanted, and no part");
	result(run_intervals(10, 1) == 1, "B20 nor one behind the last");
}

static void refuse(const char *events, const char *what)
{
	struct profile profile = { .events_named = true };

	result(!cmd_add_events(&profile.events, events) && profile_events(&profile, 0) == -EINVAL,
	       "%s", what);
	events_free(&profile.events);
}

int main(void)
{
	/* Error messages go there. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	text();
	no_runs();
	apart();
	intervals();
	empty_runs();
	interval_counts();
	refuse("{dummy,dummy,dummy,dummy,dummy,dummy,dummy,dummy},{dummy,dummy,dummy,dummy,dummy,dummy,dummy,dummy},dummy",
	       "B20 more events than the programs have room for are refused");
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
