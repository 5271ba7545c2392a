// SPDX-License-Identifier: GPL-2.0
/* What was counted, where and when: a line of JSON before all others (--header). */
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "cmd.h"
#include "json.h"
#include "stat.h"
#include "util.h"

static void add_command(struct json_object *header, char *const *command)
{
	struct json_object *words = json_object_new_array();

	for (; *command; command++)
		json_object_array_add(words, json_new_string(*command));
	json_object_object_add(header, "command", words);
}

static void add_target(struct json_object *header, const struct target *target)
{
	char *text = NULL;

	if (target->command)
		add_command(header, target->command);
	switch (target->kind) {
	case TARGET_ALL_CPUS:
		text = xstrdup("all CPUs");
		break;
	case TARGET_CPUS:
		text = xasprintf("CPUs %s", target->cpu_list);
		break;
	case TARGET_TASKS:
		if (target->all_threads)
			text = xstrdup("all threads");
		else
			text = xasprintf("%s %s", target->pids ? "processes" : "threads",
					 target->pids ? target->pids : target->tids);
		break;
	case TARGET_COMMAND:
		break;
	}
	if (text)
		json_add_string(header, "counted", text);
	free(text);
}

static void add_time(struct json_object *header)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[32];

	/* In UTC, so that readers need not know the time zone. */
	if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		json_add_string(header, "started", text);
}

static void add_machine(struct json_object *header)
{
	char *cpus = read_file("/sys/devices/system/cpu/online");
	struct utsname machine;
	char *text;

	if (!uname(&machine)) {
		json_add_string(header, "host", machine.nodename);
		text = xasprintf("%s %s %s", machine.sysname, machine.release, machine.machine);
		json_add_string(header, "kernel", text);
		free(text);
	}
	if (cpus)
		json_add_string(header, "cpus", cpus);
	free(cpus);
}

/* Prints the line: {"header": {...}}. */
void stat_print_header(const struct stat_cmd *st)
{
	struct json_object *object = json_object_new_object();
	struct json_object *header = json_object_new_object();

	add_target(header, &st->target);
	add_time(header);
	add_machine(header);
	json_add_string(header, "version", "perfgrp " PERFGRP_TOOL_VERSION);
	json_object_object_add(object, "header", header);
	json_print(st->out, object, 0);
}
