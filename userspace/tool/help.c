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
	  "Events are named as in perf(1), and separated by commas:\n\n"
	  "  cycles, page-faults     generic events\n"
	  "  cycles:u                with modifiers: u user mode, k kernel, p precise, D pinned\n"
	  "  r1a8                    a raw event of the CPU's PMU\n"
	  "  cpu/config=0x3c/        an event of any PMU, by the terms it has in sysfs\n"
	  "  sched:sched_switch      a tracepoint\n"
	  "  mem:0x1000:w            a breakpoint\n"
	  "  {cycles,instructions}   a group; see \"perfgrp help groups\"\n\n"
	  "  $ perfgrp list hw sw\n"
	  "  $ perfgrp list --desc switch\n"
	  "  $ perfgrp stat -e cycles:u,cycles:k,page-faults true\n"
	  "  $ perfgrp stat -e r1a8,cpu/config=0x3c,name=mine/ true\n\n"
	  "An event that the machine lacks is <not supported>; \"-v\" prints the reason.\n"
	  "More: perfgrp-list(1), perfgrp-stat(1).\n" },
	{ "groups",
	  "Events in braces are a group: either all of them are on the PMU or none is, so their\n"
	  "counts cover the same time and can be compared. A group on all CPUs has one file\n"
	  "descriptor, and a single call reads all of it.\n\n"
	  "  $ perfgrp stat -e '{cycles,instructions},{branches,branch-misses}' true\n"
	  "  $ perfgrp stat -a -e '{cycles,instructions}' sleep 1\n"
	  "  $ perfgrp stat -e '{cycles,instructions,branches}:W' true\n"
	  "  $ perfgrp probe -e '{cycles,instructions,branches}'\n\n"
	  "A group that can never fit on the PMU is refused. :W splits it up instead, :D (pinned)\n"
	  "requires it to stay on the PMU, and :e gives it exclusive use of the PMU. \"perfgrp probe\"\n"
	  "tests beforehand what fits, and \"perfgrp groups\" shows the groups of all processes.\n"
	  "More: perfgrp-stat(1), perfgrp-probe(1), perfgrp-groups(1).\n" },
	{ "multiplexing",
	  "If there are more events than counters, they are multiplexed: they take turns on the PMU.\n"
	  "A count is then scaled up, and followed by the percentage of the time that its event was\n"
	  "on the PMU: (25.00%). It is an estimate. An event that was never on the PMU is\n"
	  "<not counted>, which is not 0.\n\n"
	  "  $ perfgrp stat --raw -e cycles,instructions,branches true\n"
	  "  $ perfgrp stat -i -e '{cycles,instructions}:D' true\n"
	  "  $ perfgrp groups --sort running\n"
	  "  $ perfgrp probe -C 0 -e '{cycles,instructions}'\n\n"
	  "\"--raw\" prints the times enabled and running, the raw and the scaled count, and which\n"
	  "events were on the PMU together. Groups with :D are never multiplexed: they are always\n"
	  "counted, or refused; children are left out (-i). The NMI watchdog uses one counter of each\n"
	  "CPU; free it with \"sysctl kernel.nmi_watchdog=0\".\n"
	  "More: perfgrp-stat(1), perfgrp-probe(1).\n" },
	{ "cgroups",
	  "Counting and sampling can be limited to the tasks of a cgroup and its descendants, on all\n"
	  "CPUs or on some. A cgroup is given by its path, its name, or the first digits of a\n"
	  "container's id.\n\n"
	  "  $ perfgrp stat -a -e '{cycles,instructions}' -G web sleep 1\n"
	  "  $ perfgrp stat -a -e cycles --for-each-cgroup web,docker-3f2a sleep 1\n"
	  "  $ perfgrp record -a -e cpu-clock -G docker-3f2a sleep 1\n"
	  "  $ perfgrp stat -a -e cycles --cgroups sleep 1\n\n"
	  "\"--cgroups\" prints a table for each cgroup. One set of counters serves all cgroups, so\n"
	  "having many of them causes no multiplexing.\n"
	  "More: perfgrp-stat(1), CGROUPS.\n" },
	{ "reports",
	  "\"perfgrp report\" makes an HTML page from the output of \"perfgrp stat -I\": tables of all\n"
	  "counters, and a plot of each over time.\n\n"
	  "  $ perfgrp stat -I 100 -j --header -o run.json -e '{cycles,instructions}' sleep 1\n"
	  "  $ perfgrp report --html run.html run.json\n"
	  "  $ perfgrp stat -A -I 100 -j --header -o run.json -e cycles sleep 1\n"
	  "  $ perfgrp report --title 'all CPUs' --html run.html run.json\n\n"
	  "Intervals without a count are gaps, not 0; where counters were multiplexed, the line is\n"
	  "dashed. With \"stat --raw\" the page includes the states that the kernel reports. The JSON\n"
	  "output of perf stat is accepted, too, and that of \"perfgrp export --format json\".\n"
	  "More: perfgrp-report(1), perfgrp-stat(1).\n" },
	{ "streams",
	  "\"perfgrp record\" takes samples, every so many events or at a frequency. Each sample has the\n"
	  "time, the task, the instruction pointer, and the counts of all events of the group. perf\n"
	  "reads the file.\n\n"
	  "  $ perfgrp record -e '{cpu-clock,page-faults}' -F 99 true\n"
	  "  $ perfgrp record -g -a -e cpu-clock -F 99 sleep 1\n"
	  "  $ perfgrp record --json -o - -e page-faults -c 100 true\n"
	  "  $ perfgrp record -o file -e cpu-clock,page-faults/period=10/ true\n\n"
	  "If a buffer is full, records are lost; their number is reported.\n"
	  "More: perfgrp-record(1); perf report -i perfgrp.data.\n" },
	{ "bpf",
	  "A BPF program of type perf_event can be attached to an event that samples. It runs at each\n"
	  "overflow and decides whether a sample is recorded. Other programs, such as those on\n"
	  "tracepoints, can read a group's counts with a kfunc of the module.\n\n"
	  "To run a program every 1000 page faults of a command, and print how often it ran:\n"
	  "  perfgrp bpf attach -e page-faults -c 1000 program.bpf.o -- COMMAND\n"
	  "To show all attached programs, and the members that could have one:\n\n"
	  "  $ perfgrp bpf show\n"
	  "  $ perfgrp bpf show --all --json\n\n"
	  "\"perfgrp bpf watch\" shows programs as they are loaded and unloaded.\n"
	  "More: perfgrp-bpf(1), perfgrp(4).\n" },
	{ "permissions",
	  "Only root can open /dev/perfgrp, unless a udev rule gives it to a group. A user who can\n"
	  "open it may count everything with CAP_PERFMON, and nothing without it. If the module\n"
	  "parameter allow_unprivileged is set, users without CAP_PERFMON may count their own tasks;\n"
	  "kernel mode only if sysctl kernel.perf_event_paranoid allows it, and only on kernels that\n"
	  "export perf_allow_kernel().\n\n"
	  "  $ perfgrp info --check\n"
	  "  $ perfgrp stat -e cycles:u true\n"
	  "  $ perfgrp stat --all-user -e '{cycles,instructions}' true\n"
	  "  $ PERFGRP_BACKEND=perf perfgrp info\n\n"
	  "\"info --check\" reports what is missing and how to fix it. With PERFGRP_BACKEND=perf \"stat\"\n"
	  "works without the module, within the limits of perf_event_open(2).\n"
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
