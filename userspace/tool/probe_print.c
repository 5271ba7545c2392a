// SPDX-License-Identifier: GPL-2.0
/* Print the results of "perfgrp probe" as text or JSON. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "probe.h"
#include "utf8.h"

/* ---- words ---------------------------------------------------------------------- */

/* "{cycles,instructions}", or a single event; to be freed. */
static char *group_text(const struct event_group *events, size_t nr)
{
	char *text = xstrdup(events->braces ? "{" : "");
	size_t i;

	for (i = 0; i <= nr; i++) {
		char *longer;

		if (i < nr)
			longer = xasprintf("%s%s%s", text, i ? "," : "", events->events[i].name);
		else
			longer = xasprintf("%s%s", text, events->braces ? "}" : "");
		free(text);
		text = longer;
	}
	return text;
}

static char *target_text(const struct probe *probe, const struct probe_result *result)
{
	char *list, *text;

	if (!target_has_cpus(&probe->target))
		return xasprintf("task %u", probe->target.tasks.n[result->task]);
	list = numbers_text(&result->cpus);
	if (probe->target.kind == TARGET_ALL_CPUS && !result->events->events[0].cpus)
		text = xasprintf("all CPUs (%s)", list);
	else
		text = xasprintf("%s %s", result->cpus.nr == 1 ? "CPU" : "CPUs", list);
	free(list);
	return text;
}

static bool is_named(const struct probe_result *result)
{
	return result->why.member < result->events->nr;
}

static size_t nr_not_alone(const struct probe_result *result)
{
	size_t nr = 0, i;

	for (i = 0; result->alone && i < result->events->nr; i++)
		nr += !!result->alone[i];
	return nr;
}

/* The PMU has room for as many events, and each can be counted: some need the same counters. */
static bool needs_same_counters(const struct probe_result *result)
{
	return result->why.reason == PERFGRP_REASON_PMU_FULL && result->alone &&
	       !nr_not_alone(result) && result->room.event != PERFGRP_NONE &&
	       result->room.most >= result->events->nr;
}

/* ---- for people ----------------------------------------------------------------- */

#define LINE	"  %-9s"

static void print_why(const struct probe_result *result)
{
	const struct perfgrp_error *why = &result->why;

	if (is_named(result))
		printf(LINE "'%s': %s\n", "why", result->events->events[why->member].name,
		       why->text);
	else
		printf(LINE "%s\n", "why", why->text);
}

static void print_cpus(const struct probe_result *result)
{
	char *not = numbers_text(&result->cpus_not);

	if (!result->cpus_not.nr)
		printf(LINE "it fits on each CPU by itself\n", "where");
	else if (result->cpus_not.nr < result->cpus.nr)
		printf(LINE "not on %s %s, but on the others\n", "where",
		       result->cpus_not.nr == 1 ? "CPU" : "CPUs", not);
	free(not);
}

static void print_prefix(const struct probe_result *result)
{
	char *text;

	if (result->prefix == PERFGRP_NONE) {
		printf(LINE "unknown how many of them: the task did not run during the test\n",
		       "fits");
	} else if (result->prefix) {
		text = group_text(result->events, result->prefix);
		printf(LINE "the first %zu of %zu: %s\n", "fits", result->prefix,
		       result->events->nr, text);
		free(text);
	}
}

static void print_alone(const struct probe_result *result)
{
	const size_t nr = result->events->nr;
	size_t i;

	if (!result->alone || nr == 1)
		return;
	if (!nr_not_alone(result))
		printf(LINE "each event fits by itself\n", "alone");
	for (i = 0; i < nr; i++)
		if (result->alone[i])
			printf(LINE "'%s' does not fit by itself: %s\n", "alone",
			       result->events->events[i].name, result->alone[i]);
}

static void print_room(const struct probe_result *result)
{
	const struct probe_room *room = &result->room;

	if (room->event == PERFGRP_NONE)
		return;
	printf(LINE "the PMU takes '%s' %zu times at once", "room",
	       result->events->events[room->event].name, room->most);
	if (room->now != PERFGRP_NONE)
		printf(", and %zu times now", room->now);
	putchar('\n');
	if (needs_same_counters(result))
		printf(LINE "some of these events need the same counter\n", "");
}

static void print_result(const struct probe *probe, const struct probe_result *result)
{
	static const char *const verdicts[] = {
		[PROBE_FITS] = "fits on",
		[PROBE_DOES_NOT] = "does not fit on",
		[PROBE_UNKNOWN] = "is not known to fit on",
	};
	char *group = group_text(result->events, result->events->nr);
	char *target = target_text(probe, result);

	printf("%s %s %s\n", group, verdicts[result->verdict], target);
	free(group);
	free(target);
	if (result->verdict == PROBE_UNKNOWN)
		printf(LINE "the task did not run during the test\n", "why");
	if (result->verdict != PROBE_DOES_NOT)
		return;
	print_why(result);
	if (!result->looked)
		return;
	if (target_has_cpus(&probe->target))
		print_cpus(result);
	print_prefix(result);
	print_alone(result);
	print_room(result);
}

/* Prints a finding that may have names that any user has chosen; frees it. */
static void print_note(const char *what, char *text)
{
	char *printable = utf8_printable(text);

	printf("%-6s%-12s%s\n", FINDING_NOTE, what, printable);
	free(printable);
	free(text);
}

static void print_others(const struct groups_seen *seen)
{
	size_t i;

	for (i = 0; i < seen->nr; i++) {
		const struct group_seen *group = &seen->groups[i];
		char *events, *text;

		if (!probe_in_the_way(group))
			continue;
		events = group_events(group);
		text = xasprintf("%u:%u (%s)%s counts %s on %s",
				 group->holders[0].holder.pid, group->holders[0].holder.fd,
				 group->holders[0].command,
				 group->create_flags & PERFGRP_CREATE_EXCLUSIVE ?
				 ", alone on the PMU," : "", events, group->target);
		print_note("group", text);
		free(events);
	}
	for (i = 0; i < seen->nr_others; i++) {
		const struct holder holder = { .pid = seen->others[i].pid };
		char *command = holders_command(&holder), *text;

		text = xasprintf("%u (%s) has %zu perf_event_open(2) events", holder.pid, command,
				 seen->others[i].nr);
		print_note("process", text);
		free(command);
	}
	if (seen->hidden)
		printf("%-6s%-12s%u could not be inspected: permission denied\n", FINDING_NOTE,
		       "processes", seen->hidden);
}

/**
 * probe_print_text - print results for people
 * @probe: with results
 */
void probe_print_text(const struct probe *probe)
{
	size_t i;

	for (i = 0; i < probe->nr; i++)
		print_result(probe, &probe->results[i]);
	findings_print(&probe->findings);
	print_others(&probe->seen);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void add_numbers(struct json_object *to, const char *key, const struct numbers *list)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->nr; i++)
		json_object_array_add(array, json_object_new_int64(list->n[i]));
	json_object_object_add(to, key, array);
}

static struct json_object *error_json(const struct probe_result *result)
{
	const struct perfgrp_error *why = &result->why;
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "errno", why->error);
	json_add_string(to, "reason", perfgrp_reason_name(why->reason));
	if (*why->field)
		json_add_string(to, "field", why->field);
	if (why->cpu >= 0)
		json_add_u64(to, "cpu", why->cpu);
	if (is_named(result))
		json_add_string(to, "event", result->events->events[why->member].name);
	json_add_string(to, "text", why->text);
	return to;
}

static void add_alone_not(struct json_object *to, const struct probe_result *result)
{
	struct json_object *array = json_object_new_array(), *one;
	size_t i;

	for (i = 0; i < result->events->nr; i++) {
		if (!result->alone[i])
			continue;
		one = json_object_new_object();
		json_add_string(one, "event", result->events->events[i].name);
		json_add_string(one, "text", result->alone[i]);
		json_object_array_add(array, one);
	}
	json_object_object_add(to, "alone-not", array);
}

/* Values that are not known are left out. */
static void add_closer_look(struct json_object *to, const struct probe *probe,
			    const struct probe_result *result)
{
	struct json_object *one;

	if (target_has_cpus(&probe->target))
		add_numbers(to, "cpus-not", &result->cpus_not);
	if (result->prefix != PERFGRP_NONE)
		json_add_u64(to, "prefix", result->prefix);
	if (result->alone)
		add_alone_not(to, result);
	if (result->room.event == PERFGRP_NONE)
		return;
	one = json_object_new_object();
	json_add_string(one, "event", result->events->events[result->room.event].name);
	json_add_u64(one, "most", result->room.most);
	if (result->room.now != PERFGRP_NONE)
		json_add_u64(one, "now", result->room.now);
	json_object_object_add(to, "room", one);
}

/* An unknown verdict is null. */
static void add_verdict(struct json_object *to, enum probe_verdict verdict)
{
	if (verdict == PROBE_UNKNOWN)
		json_object_object_add(to, "fits", NULL);
	else
		json_add_bool(to, "fits", verdict == PROBE_FITS);
}

static struct json_object *result_json(const struct probe *probe,
				       const struct probe_result *result)
{
	struct json_object *to = json_object_new_object(), *array = json_object_new_array();
	size_t i;

	for (i = 0; i < result->events->nr; i++) {
		const char *name = result->events->events[i].name;

		json_object_array_add(array, json_new_string(name));
	}
	json_object_object_add(to, "events", array);
	if (target_has_cpus(&probe->target))
		add_numbers(to, "cpus", &result->cpus);
	else
		json_add_u64(to, "task", probe->target.tasks.n[result->task]);
	add_verdict(to, result->verdict);
	if (result->verdict == PROBE_DOES_NOT)
		json_object_object_add(to, "error", error_json(result));
	if (result->looked)
		add_closer_look(to, probe, result);
	return to;
}

static struct json_object *findings_json(const struct findings *list)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->nr; i++) {
		struct json_object *one = json_object_new_object();

		json_add_string(one, "what", list->findings[i].what);
		json_add_string(one, "how", list->findings[i].how);
		json_add_string(one, "text", list->findings[i].text);
		if (list->findings[i].help)
			json_add_string(one, "help", list->findings[i].help);
		json_object_array_add(array, one);
	}
	return array;
}

static void add_others(struct json_object *to, const struct groups_seen *seen)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < seen->nr; i++)
		if (probe_in_the_way(&seen->groups[i]))
			json_object_array_add(array, group_json(&seen->groups[i]));
	json_object_object_add(to, "other-groups", array);
	array = json_object_new_array();
	for (i = 0; i < seen->nr_others; i++) {
		const struct holder holder = { .pid = seen->others[i].pid };
		struct json_object *one = json_object_new_object();
		char *command = holders_command(&holder);

		json_add_u64(one, "pid", holder.pid);
		json_add_string(one, "command", command);
		json_add_u64(one, "events", seen->others[i].nr);
		free(command);
		json_object_array_add(array, one);
	}
	json_object_object_add(to, "other-events", array);
	json_add_u64(to, "hidden-processes", seen->hidden);
}

/**
 * probe_print_json - print results as one object
 * @probe: with results
 */
void probe_print_json(const struct probe *probe)
{
	struct json_object *all = json_object_new_object(), *array = json_object_new_array();
	enum probe_verdict worst = PROBE_FITS;
	size_t i;

	for (i = 0; i < probe->nr; i++) {
		if (probe->results[i].verdict == PROBE_DOES_NOT || worst == PROBE_FITS)
			worst = probe->results[i].verdict;
		json_object_array_add(array, result_json(probe, &probe->results[i]));
	}
	add_verdict(all, worst);
	json_object_object_add(all, "groups", array);
	json_object_object_add(all, "findings", findings_json(&probe->findings));
	if (probe->looked)
		add_others(all, &probe->seen);
	json_print(stdout, all, 1);
}
