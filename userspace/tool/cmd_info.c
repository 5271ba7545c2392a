// SPDX-License-Identifier: GPL-2.0
/* perfgrp info: features and limits of the module and the machine. */
#include <errno.h>
#include <stdio.h>

#include "cmd.h"
#include "info.h"
#include "json.h"
#include "pmu.h"

static const struct {
	__u64 bit;
	const char *name;
	const char *help;
} features[] = {
	{ PERFGRP_FEATURE_SCHED_GROUP, "sched-group",
	  "members of the same PMU are one scheduling group" },
	{ PERFGRP_FEATURE_INHERIT, "inherit",
	  "children can be counted; groups can start at an exec" },
	{ PERFGRP_FEATURE_NO_MUX, "no-mux",
	  "groups can request never to be multiplexed, and exclusive use of the PMU" },
	{ PERFGRP_FEATURE_HOTPLUG, "hotplug",
	  "CPUs may go offline and online while they are counted" },
	{ PERFGRP_FEATURE_UNPRIVILEGED, "unprivileged",
	  "own tasks can be counted in user mode without privilege" },
	{ PERFGRP_FEATURE_SAMPLING, "sampling",
	  "counters can sample, and groups have a stream of records" },
	{ PERFGRP_FEATURE_CHILD_VALUES, "child-values",
	  "samples have values in groups that count children" },
	{ PERFGRP_FEATURE_CALLCHAIN, "call-chains", "samples can have call chains" },
	{ PERFGRP_FEATURE_BPF, "bpf", "BPF programs can be attached to counters" },
	{ PERFGRP_FEATURE_BPF_KERNEL, "bpf-kernel",
	  "BPF programs also run at overflows in kernel mode" },
	{ PERFGRP_FEATURE_BPF_EVENTS, "bpf-events",
	  "streams can have records of BPF program loads and unloads" },
	{ PERFGRP_FEATURE_KFUNC, "kfunc", "BPF programs can read groups" },
	{ PERFGRP_FEATURE_PIDFD, "pidfd", "tasks can be passed as pidfds" },
	{ PERFGRP_FEATURE_CGROUP, "cgroup", "the tasks of a cgroup can be counted" },
	{ PERFGRP_FEATURE_SPLIT_BY_CGROUP, "cgroup-split",
	  "counts of CPUs can be split by cgroup" },
	{ PERFGRP_FEATURE_MAPPED, "mapped", "rows can be mapped and read without a system call" },
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp info [--json | --check]\n"
	      "\n"
	      "Prints the version of the loaded module, its features and limits, and the PMUs of the\n"
	      "machine.\n"
	      "\n"
	      "  -j, --json   print JSON\n"
	      "      --check  report what prevents counting here, and how to fix it\n"
	      "  -h, --help   print this help\n", out);
}

static void print_json(const struct perfgrp_info *info)
{
	struct json_object *all = json_object_new_object();
	struct json_object *part = json_object_new_object();
	struct pmu_list list;
	size_t i;

	json_add_string(all, "version", info->version);
	json_add_u64(all, "abi-version", info->abi_version);
	for (i = 0; i < ARRAY_SIZE(features); i++)
		json_add_bool(part, features[i].name, !!(info->features & features[i].bit));
	json_object_object_add(all, "features", part);

	part = json_object_new_object();
	json_add_u64(part, "members", info->max_members);
	json_add_u64(part, "groups", info->max_groups);
	json_add_u64(part, "buffer-bytes", info->max_buffer);
	json_add_u64(part, "cpus", info->nr_cpu_ids);
	json_object_object_add(all, "limits", part);

	part = json_object_new_array();
	pmu_list_open(&list);
	for (i = 0; i < list.nr; i++) {
		struct json_object *one = json_object_new_object();
		const struct pmu *pmu = &list.pmus[i];

		json_add_string(one, "name", pmu->name);
		json_add_u64(one, "type", pmu->type);
		if (pmu->cpus)
			json_add_string(one, "cpus", pmu->cpus);
		json_object_array_add(part, one);
	}
	pmu_list_close(&list);
	json_object_object_add(all, "pmus", part);
	json_print(stdout, all, 1);
}

static void print_text(const struct perfgrp_info *info)
{
	struct pmu_list list;
	__u64 known = 0;
	size_t i;

	printf("module    perfgrp %s, ABI version %u\n", info->version, info->abi_version);
	printf("features\n");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		known |= features[i].bit;
		printf("  %-14s%-5s%s\n", features[i].name,
		       info->features & features[i].bit ? "yes" : "no", features[i].help);
	}
	if (info->features & ~known)
		printf("  others, unknown to this program: 0x%llx\n",
		       (unsigned long long)(info->features & ~known));
	printf("limits\n");
	printf("  %-14s%u\n", "members", info->max_members);
	printf("  %-14s%u\n", "groups", info->max_groups);
	printf("  %-14s%u bytes\n", "buffer", info->max_buffer);
	printf("  %-14s%u\n", "cpus", info->nr_cpu_ids);
	printf("PMUs\n");
	pmu_list_open(&list);
	for (i = 0; i < list.nr; i++) {
		const struct pmu *pmu = &list.pmus[i];

		printf("  %-24s type %-4u cpus %s\n", pmu->name, pmu->type,
		       pmu->cpus ? pmu->cpus : "all");
	}
	pmu_list_close(&list);
}

enum {
	OPT_CHECK = OPT_OF_COMMAND,
};

/**
 * struct command_line - the parsed options
 * @json: print JSON
 * @check: check what prevents counting
 */
struct command_line {
	bool json;
	bool check;
};

static int parse_option(void *arg, int c)
{
	struct command_line *line = arg;

	switch (c) {
	case 'j':
		line->json = true;
		return 0;
	case OPT_CHECK:
		line->check = true;
		return 0;
	}
	return -EINVAL;
}

int cmd_info(int argc, char **argv)
{
	static const struct option table[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "check", no_argument, NULL, OPT_CHECK },
		CMD_HELP_OPTION
	};
	static const struct cmd_options options = {
		.name = "info",
		.letters = "jh",
		.table = table,
		.usage = usage,
		.parse = parse_option,
	};
	struct perfgrp_info info;
	struct command_line line = {};
	struct perfgrp_dev *dev;
	int status;

	if (!cmd_parse_options(&options, argc, argv, &line, &status))
		return status;
	if (cmd_no_arguments("info", argc, argv))
		return EXIT_USAGE;
	if (line.json && line.check) {
		error("--json and --check cannot be used together");
		return EXIT_USAGE;
	}
	if (line.check)
		return info_check() ? 0 : EXIT_FAILED;

	dev = cmd_open_device(&info, 0, NULL);
	if (!dev)
		return EXIT_FAILED;
	if (line.json)
		print_json(&info);
	else
		print_text(&info);
	perfgrp_close(dev);
	return 0;
}
