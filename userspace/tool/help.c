// SPDX-License-Identifier: GPL-2.0
/*
 * The texts of "perfgrp help TOPIC": short, with examples and references. A test runs the lines
 * that begin with "  $ ".
 */
#include <string.h>

#include "help.h"
#include "util.h"

static const struct {
	const char *name;
	const char *text;
} topics[] = {
	{ "events",
	  "Events are named as perf(1) names them, with commas between them:\n\n"
	  "  cycles, page-faults     generic events\n"
	  "  cycles:u                with modifiers: u user mode, k kernel, p precise, D pinned\n"
	  "  r1a8                    a raw event of the CPU's PMU\n"
	  "  cpu/config=0x3c/        an event of any PMU, by the terms that sysfs has for it\n"
	  "  sched:sched_switch      a tracepoint\n"
	  "  mem:0x1000:w            a breakpoint\n"
	  "  {cycles,instructions}   a group; see \"perfgrp help groups\"\n\n"
	  "  $ perfgrp list hw sw\n"
	  "  $ perfgrp list --desc switch\n"
	  "  $ perfgrp stat -e cycles:u,cycles:k,page-faults true\n"
	  "  $ perfgrp stat -e r1a8,cpu/config=0x3c,name=mine/ true\n\n"
	  "An event that the machine lacks is <not supported>; \"-v\" says why.\n"
	  "More: perfgrp-list(1), perfgrp-stat(1).\n" },
	{ "groups",
	  "Events in braces are a group: they are on the PMU together or not at all, so that their\n"
	  "counts are of the same time, and ratios of them are right. A group on all CPUs is one file\n"
	  "descriptor, and is read at once.\n\n"
	  "  $ perfgrp stat -e '{cycles,instructions},{branches,branch-misses}' true\n"
	  "  $ perfgrp stat -a -e '{cycles,instructions}' sleep 1\n"
	  "  $ perfgrp stat -e '{cycles,instructions,branches}:W' true\n"
	  "  $ perfgrp probe -e '{cycles,instructions,branches}'\n\n"
	  "A group that the PMU can never take is refused. With :W it is taken apart, with :D it must\n"
	  "be on the PMU always, with :e alone. \"perfgrp probe\" says beforehand what fits,\n"
	  "\"perfgrp groups\" what others have.\n"
	  "More: perfgrp-stat(1), perfgrp-probe(1), perfgrp-groups(1).\n" },
	{ "multiplexing",
	  "Where there are more events than counters they take turns. A count is then scaled by the\n"
	  "part of the time that its event was on the PMU, which stands behind it: (25.00%). That is\n"
	  "an estimate. An event that never was on the PMU is <not counted>, which is not 0.\n\n"
	  "  $ perfgrp stat --raw -e cycles,instructions,branches true\n"
	  "  $ perfgrp stat -e '{cycles,instructions}:D' true\n"
	  "  $ perfgrp groups --sort running\n"
	  "  $ perfgrp probe -C 0 -e '{cycles,instructions}'\n\n"
	  "\"--raw\" has both times, the raw count and the scaled one, and says which events were on\n"
	  "the PMU together. With :D nothing is multiplexed: it is counted always, or refused.\n"
	  "The NMI watchdog has one counter of each CPU; sysctl kernel.nmi_watchdog=0 frees it.\n"
	  "More: perfgrp-stat(1), perfgrp-probe(1).\n" },
	{ "cgroups",
	  "Only the tasks of a cgroup, and of its descendants, can be counted or sampled, on all CPUs\n"
	  "or on some. A cgroup is named by its path, its name, or the first digits of a container's\n"
	  "id.\n\n"
	  "  $ perfgrp stat -a -e '{cycles,instructions}' -G web sleep 1\n"
	  "  $ perfgrp stat -a -e cycles --for-each-cgroup web,docker-3f2a sleep 1\n"
	  "  $ perfgrp record -a -e cpu-clock -G docker-3f2a sleep 1\n"
	  "  $ perfgrp stat -a -e cycles --cgroups sleep 1\n\n"
	  "\"--cgroups\" has a table for each cgroup there is, with one set of counters for all of them:\n"
	  "nothing is multiplexed for it.\n"
	  "More: perfgrp-stat(1), CGROUPS.\n" },
	{ "reports",
	  "What a run of \"perfgrp stat -I\" has counted over time can be looked at in a browser: tables\n"
	  "of all counters, and a plot of each.\n\n"
	  "  $ perfgrp stat -I 100 -j --header -o run.json -e '{cycles,instructions}' sleep 1\n"
	  "  $ perfgrp report --html run.html run.json\n"
	  "  $ perfgrp stat -A -I 100 -j --header -o run.json -e cycles sleep 1\n"
	  "  $ perfgrp report --title 'all CPUs' --html run.html run.json\n\n"
	  "Where nothing was counted there is a gap, which is not 0; where counters took turns the line\n"
	  "is dashed. \"stat --raw\" has the page say what the kernel said of them. perf stat's JSON\n"
	  "will do, too.\n"
	  "More: perfgrp-report(1), perfgrp-stat(1).\n" },
	{ "streams",
	  "\"perfgrp record\" samples: each time an event has happened so many times, or at a\n"
	  "frequency, there is a record with the time, the task, the instruction, and the counts of all\n"
	  "events of the group. perf reads the file.\n\n"
	  "  $ perfgrp record -e '{cpu-clock,page-faults}' -F 99 true\n"
	  "  $ perfgrp record -g -a -e cpu-clock -F 99 sleep 1\n"
	  "  $ perfgrp record --json -o - -e page-faults -c 100 true\n"
	  "  $ perfgrp record -o file -e cpu-clock,page-faults/period=10/ true\n\n"
	  "Where records come faster than they are written they are lost, counted, and said.\n"
	  "More: perfgrp-record(1); perf report -i perfgrp.data.\n" },
	{ "bpf",
	  "A BPF program of type perf_event can be attached to an event that samples. It runs at each\n"
	  "overflow, and decides whether there is a sample. Programs on tracepoints and the like can\n"
	  "read a group's counts by a function that the module has for them.\n\n"
	  "To run a program at every thousandth page fault of a command, and to see how often it did:\n"
	  "  perfgrp bpf attach -e page-faults -c 1000 program.bpf.o -- COMMAND\n"
	  "What is attached, by whomever, and which members could have a program:\n\n"
	  "  $ perfgrp bpf show\n"
	  "  $ perfgrp bpf show --all --json\n\n"
	  "\"perfgrp bpf watch\" shows which programs are loaded and unloaded on the machine.\n"
	  "More: perfgrp-bpf(1), perfgrp(4).\n" },
	{ "permissions",
	  "The device /dev/perfgrp is root's, until a udev rule gives it to a group. Whoever may open\n"
	  "it and has CAP_PERFMON counts everything; without it nothing, unless the module parameter\n"
	  "allow_unprivileged is set: then own tasks, and of kernel mode what sysctl\n"
	  "kernel.perf_event_paranoid allows, where the kernel tells.\n\n"
	  "  $ perfgrp info --check\n"
	  "  $ perfgrp stat -e cycles:u true\n"
	  "  $ perfgrp stat --all-user -e '{cycles,instructions}' true\n"
	  "  $ PERFGRP_BACKEND=perf perfgrp info\n\n"
	  "\"info --check\" says what is missing, and what helps. With PERFGRP_BACKEND=perf \"stat\" does\n"
	  "without the module, with what perf_event_open(2) allows.\n"
	  "More: perfgrp(4), perfgrp-info(1).\n" },
};

/* Returns the text of a topic, or NULL if there is no such topic. */
const char *help_find(const char *topic)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(topics); i++)
		if (!strcmp(topic, topics[i].name))
			return topics[i].text;
	return NULL;
}

/* Prints the names of the topics, separated by commas. */
void help_list(FILE *out)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(topics); i++)
		fprintf(out, "%s%s", i ? ", " : "", topics[i].name);
}
