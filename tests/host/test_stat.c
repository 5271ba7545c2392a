// SPDX-License-Identifier: GPL-2.0
/*
 * What "perfgrp stat" prints for given counts, without a kernel. TAP on standard
 * output; anything but 0 at the end if a test has failed.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "stat.h"
#include "tap.h"

#define NR_EVENTS	6

/* The events' scheduling groups are 1, 1, 3 in the first group and 4, 4, none in the second. */
static const char events[] = "{cycles,instructions,page-faults},{cycles,instructions,faults}";

static const struct stat_cell usual[NR_EVENTS] = {
	{ .sched_group = 1, .state = PERFGRP_STATE_COUNTED, .flags = PERFGRP_VALUE_SCALED,
	  .raw = 1000, .scaled = 1000, .enabled = 50, .running = 50 },
	{ .sched_group = 1, .state = PERFGRP_STATE_COUNTED, .flags = PERFGRP_VALUE_SCALED,
	  .raw = 2000, .scaled = 2000, .enabled = 50, .running = 50 },
	{ .sched_group = 3, .state = PERFGRP_STATE_COUNTED,
	  .flags = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_EXITED,
	  .raw = 7, .scaled = 7, .enabled = 50, .running = 50 },
	{ .sched_group = 4, .state = PERFGRP_STATE_MULTIPLEXED,
	  .flags = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_EXITED,
	  .raw = 400, .scaled = 800, .enabled = 50, .running = 25 },
	{ .sched_group = 4, .state = PERFGRP_STATE_MULTIPLEXED,
	  .flags = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_PARTIAL | PERFGRP_VALUE_THROTTLED,
	  .raw = 200, .scaled = 400, .enabled = 50, .running = 25 },
	{ .sched_group = PERFGRP_NONE, .state = PERFGRP_STATE_NEVER_RAN,
	  .flags = PERFGRP_VALUE_FAILED | PERFGRP_VALUE_OFFLINE, .enabled = 50 },
};

/* The cgroup of the second group's events, in tests with cgroups. */
static struct cgroup web = { .name = (char *)"web" };

/* Returns the output for @cells: only lines that contain @with, with single blanks. */
static char *print(const struct stat_cell *cells, const struct stat_options *opt, bool cgroups,
		   const char *with)
{
	struct stat_cmd st = { .opt = *opt, .cgroups.given = cgroups, .user = -1, .elapsed = 1000 };
	char *text, *all = xstrdup(""), *line, *rest;
	size_t size, i, j, n = 0;

	st.opt.runs = 1;
	st.target.kind = TARGET_ALL_CPUS;
	st.out = open_memstream(&text, &size);
	if (!st.out || cmd_add_events(&st.list, events)) {
		puts("Bail out! cannot set up");
		exit(1);
	}
	aggr_of_cpu(&st.aggr, -1);
	st.nr_groups = st.list.nr;
	st.groups = xcalloc(st.nr_groups, sizeof(*st.groups));
	for (i = 0; i < st.nr_groups; i++) {
		size_t nr = st.list.groups[i].nr;

		st.groups[i].events = xcalloc(nr, sizeof(*st.groups[i].events));
		for (j = 0; j < nr; j++) {
			struct stat_event *event = &st.groups[i].events[j];

			event->supported = true;
			if (cgroups && i)
				st.list.groups[i].events[j].cgroup = &web;
			event->last.cells = xcalloc(1, sizeof(*event->last.cells));
			event->last.cells[0] = cells[n++];
			event->last.nr = 1;
		}
	}
	stat_print(&st);
	fclose(st.out);
	stat_free(&st);

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *word, *words, *longer;

		if (!strstr(line, with))
			continue;
		while ((word = strtok_r(line, " ", &words))) {
			longer = xasprintf("%s%s ", all, word);
			free(all);
			all = longer;
			line = NULL;
		}
		all[strlen(all) - 1] = '\n';
	}
	free(text);
	return all;
}

static void compare(char *got, const char *expected, const char *what)
{
	result(!strcmp(got, expected), "%s", what);
	if (strcmp(got, expected))
		printf("# expected\n%s# got\n%s", expected, got);
	free(got);
}

static void is(const struct stat_cell *cells, const struct stat_options *opt, const char *with,
	       const char *expected, const char *what)
{
	compare(print(cells, opt, false, with), expected, what);
}

/* The same where the second group's events have a cgroup. */
static void is_web(const struct stat_cell *cells, const struct stat_options *opt,
		   const char *with, const char *expected, const char *what)
{
	compare(print(cells, opt, true, with), expected, what);
}

static void raw(void)
{
	static const struct stat_options text = { .raw = true };
	static const struct stat_options csv = { .raw = true, .separator = ";" };
	static const struct stat_options json = { .raw = true, .json = true };

	is(usual, &text, "instructions",
	   "2000 2000 50 50 counted 1 instructions\n"
	   "200 400 50 25 multiplexed throttled partial 4 instructions\n",
	   "S2 S12 --raw shows state, flags and scheduling group");
	is(usual, &text, "faults",
	   "7 7 50 50 counted exited 3 page-faults\n"
	   "<not counted> - 50 0 never ran failed offline - faults\n",
	   "S2 what never ran is not counted, whatever its flags");
	is(usual, &csv, "faults",
	   "7;;page-faults;50;100.00;;;7;7;50;50;counted;exited;3\n"
	   "<not counted>;;faults;0;0.00;;;0;0;50;0;never ran;failed offline;0\n",
	   "S2 so in CSV");
	is(usual, &csv, ";cycles",
	   "1000;;cycles;50;100.00;;;1000;1000;50;50;counted;;1\n"
	   "800;;cycles;25;50.00;;;400;800;50;25;multiplexed;exited;4\n",
	   "S2 CSV has a column for no flags");
	is(usual, &json, "\"faults\"",
	   "{ \"counter-value\": \"<not counted>\", \"unit\": \"\", \"event\": \"faults\", "
	   "\"event-runtime\": 0, \"pcnt-running\": 0.00, \"metric-value\": 0.000000, "
	   "\"metric-unit\": \"\", \"raw\": 0, \"time-enabled\": 50, \"time-running\": 0, "
	   "\"state\": \"never ran\", \"flags\": [ \"failed\", \"offline\" ], \"group\": 0 }\n",
	   "S2 so in JSON");
}

static void failed(void)
{
	static const struct stat_options text = { 0 }, with_raw = { .raw = true };
	struct stat_cell cells[NR_EVENTS];

	memcpy(cells, usual, sizeof(cells));
	cells[2].flags |= PERFGRP_VALUE_FAILED;
	is(cells, &text, "page-faults", "<not counted> page-faults\n",
	   "a count whose counter failed is none");
	is(cells, &with_raw, "page-faults", "7 7 50 50 counted failed exited 3 page-faults\n",
	   "but --raw shows it");
	is(usual, &text, "page-faults", "7 page-faults\n",
	   "that of a task that has exited is one");
}

static void ratios(void)
{
	static const struct stat_options text = { 0 };
	struct stat_cell cells[NR_EVENTS];

	is(usual, &text, "insn per cycle",
	   "2000 instructions # 2.00 insn per cycle\n"
	   "400 instructions # 0.50 insn per cycle (50.00%)\n",
	   "a ratio is of events of one scheduling group");
	memcpy(cells, usual, sizeof(cells));
	cells[4].sched_group = 5;
	is(cells, &text, "insn per cycle",
	   "2000 instructions # 2.00 insn per cycle\n"
	   "400 instructions # 0.50 insn per cycle (50.00%)\n",
	   "or of those that were on the PMU for the same time");
	cells[4].sched_group = PERFGRP_NONE;
	cells[0].sched_group = PERFGRP_NONE;
	is(cells, &text, "insn per cycle",
	   "2000 instructions # 2.00 insn per cycle\n"
	   "400 instructions # 0.50 insn per cycle (50.00%)\n",
	   "also where groups differ between CPUs");
	cells[4].running = 26;
	is(cells, &text, "instructions",
	   "2000 instructions # 2.00 insn per cycle\n"
	   "400 instructions (52.00%)\n",
	   "and of no others");
}

static void cgroups(void)
{
	static const struct stat_options text = { 0 }, csv = { .separator = ";" };
	static const struct stat_options json = { .json = true }, with_raw = { .raw = true };
	struct stat_cell cells[NR_EVENTS];

	is_web(usual, &text, "cycle",
	       "1000 cycles\n"
	       "2000 instructions # 2.00 insn per cycle\n"
	       "800 cycles web (50.00%)\n"
	       "400 instructions web # 0.50 insn per cycle (50.00%)\n",
	       "C8: the table has a column for cgroups");
	is_web(usual, &csv, ";cycles",
	       "1000;;cycles;;50;100.00;;\n800;;cycles;web;25;50.00;;\n",
	       "C8: so has CSV, empty for whatever runs");
	is_web(usual, &json, "\"cycles\"",
	       "{ \"counter-value\": \"1000.000000\", \"unit\": \"\", \"event\": \"cycles\", "
	       "\"cgroup\": \"\", \"event-runtime\": 50, \"pcnt-running\": 100.00, "
	       "\"metric-value\": 0.000000, \"metric-unit\": \"\" }\n"
	       "{ \"counter-value\": \"800.000000\", \"unit\": \"\", \"event\": \"cycles\", "
	       "\"cgroup\": \"web\", \"event-runtime\": 25, \"pcnt-running\": 50.00, "
	       "\"metric-value\": 0.000000, \"metric-unit\": \"\" }\n",
	       "C8: and JSON a key");
	is_web(usual, &with_raw, " cycles",
	       "1000 1000 50 50 counted 1 cycles\n"
	       "400 800 50 25 multiplexed exited 4 cycles web\n",
	       "C8: and --raw");

	memcpy(cells, usual, sizeof(cells));
	cells[3] = (struct stat_cell){ .sched_group = 4, .state = PERFGRP_STATE_COUNTED,
				       .flags = PERFGRP_VALUE_ABSENT };
	is_web(cells, &text, " cycles", "1000 cycles\n0 cycles web\n",
	       "C8: where the cgroup has not run the count is 0");
	is_web(cells, &with_raw, " cycles",
	       "1000 1000 50 50 counted 1 cycles\n0 - 0 0 counted absent 4 cycles web\n",
	       "C8: which --raw calls absent");
	cells[4] = cells[1];
	is_web(cells, &text, "instructions",
	       "2000 instructions # 2.00 insn per cycle\n2000 instructions web\n",
	       "C8: a ratio is of counts of one cgroup");
}

static void differences(void)
{
	struct perfgrp_value value = {
		.state = PERFGRP_STATE_COUNTED,
		.flags = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_ABSENT,
	};
	struct perfgrp_value before = value;

	perfgrp_subtract_value(&value, &before, sizeof(value));
	result(!memcmp(&value, &before, sizeof(value)),
	       "C3: a cgroup that has not run yet has counted 0 since the last snapshot, too");
	value = (struct perfgrp_value){ .raw = 7, .time_enabled = 4, .time_running = 2 };
	before = (struct perfgrp_value){ .raw = 2, .time_enabled = 2, .time_running = 1 };
	perfgrp_subtract_value(&value, &before, sizeof(value));
	result(value.raw == 5 && value.scaled == 10 && value.state == PERFGRP_STATE_MULTIPLEXED &&
	       value.flags == PERFGRP_VALUE_SCALED, "S5: a difference is scaled by its own times");
}

int main(void)
{
	differences();
	raw();
	failed();
	ratios();
	cgroups();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
