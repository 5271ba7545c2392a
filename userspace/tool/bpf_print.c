// SPDX-License-Identifier: GPL-2.0
/* Print attachments of BPF programs: as columns of text, or as one JSON object per line. */
#include <stdlib.h>
#include <string.h>

#include "bpf.h"
#include "table.h"

static char *number(__u64 n)
{
	return xasprintf("%llu", (unsigned long long)n);
}

/* Returns the average, or "-" unless PERFGRP_BPF_TIMED measured each run. */
static char *ns_per_run(const struct perfgrp_bpf_query *query)
{
	if (!(query->attach_flags & PERFGRP_BPF_TIMED) || !query->runs)
		return xstrdup("-");
	return number(query->nsecs / query->runs);
}

/* Returns the command that holds a group, as "perfgrp +2" if two more fds refer to the group. */
static char *held_by(const struct bpf_group *group)
{
	char *comm = holders_command(&group->holders[0]), *text;

	if (group->nr == 1)
		return comm;
	text = xasprintf("%s +%zu", comm, group->nr - 1);
	free(comm);
	return text;
}

static void add_program(struct strings *cells, const struct bpf_attachment *a)
{
	const struct perfgrp_bpf_query *query = &a->query;

	strings_add(cells, number(query->prog_id));
	strings_add(cells, xstrdup(a->info.name[0] ? a->info.name : "-"));
	strings_add(cells, xstrdup(a->info.tag));
	strings_add(cells, xasprintf("0x%llx", (unsigned long long)query->cookie));
	strings_add(cells, number(query->runs));
	strings_add(cells, number(query->misses));
	strings_add(cells, number(query->dropped));
	strings_add(cells, number(query->nsecs));
	strings_add(cells, ns_per_run(query));
}

#define PROGRAM_COLUMNS	9

static void add_no_program(struct strings *cells)
{
	unsigned int i;

	for (i = 0; i < PROGRAM_COLUMNS; i++)
		strings_add(cells, xstrdup("-"));
}

static void print_text(const struct bpf_attachments *list, FILE *out)
{
	struct table table = { 0 };
	size_t i;

	if (list->place)
		table_add_column(&table, list->place, false);
	table_add_column(&table, "MEMBER", true);
	table_add_column(&table, "EVENT", false);
	table_add_column(&table, "PROGRAM", true);
	table_add_column(&table, "NAME", false);
	table_add_column(&table, "TAG", false);
	table_add_column(&table, "COOKIE", true);
	table_add_column(&table, "RUNS", true);
	table_add_column(&table, "MISSES", true);
	table_add_column(&table, "DROPPED", true);
	table_add_column(&table, "NS", true);
	table_add_column(&table, "NS/RUN", true);
	if (list->holders)
		table_add_column(&table, "COMMAND", false);

	for (i = 0; i < list->nr; i++) {
		const struct bpf_attachment *a = &list->a[i];

		if (list->place)
			strings_add(&table.cells, xstrdup(a->place ? a->place : "-"));
		strings_add(&table.cells, number(a->query.id));
		strings_add(&table.cells, xstrdup(a->event));
		if (a->query.prog_id)
			add_program(&table.cells, a);
		else
			add_no_program(&table.cells);
		if (list->holders)
			strings_add(&table.cells, held_by(a->group));
	}
	table_print(&table, out);
	table_free(&table);
}

static struct json_object *holders_array(const struct bpf_group *group)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < group->nr; i++) {
		struct json_object *one = json_object_new_object();
		char *comm = holders_command(&group->holders[i]);

		json_add_u64(one, "pid", group->holders[i].pid);
		json_add_u64(one, "fd", group->holders[i].fd);
		json_add_string(one, "command", comm);
		free(comm);
		json_object_array_add(array, one);
	}
	return array;
}

static void print_json(const struct bpf_attachments *list, FILE *out)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct bpf_attachment *a = &list->a[i];
		struct json_object *to = json_object_new_object();
		char *place = a->place ? xstrdup(list->place) : NULL;
		char *c;

		for (c = place; c && *c; c++)
			*c |= 0x20;
		if (place)
			json_add_string(to, place, a->place);
		free(place);
		json_add_u64(to, "member", a->query.id);
		json_add_string(to, "event", a->event);
		if (a->query.prog_id) {
			json_add_u64(to, "prog-id", a->query.prog_id);
			if (a->info.known == BPF_KNOWN)
				json_add_string(to, "name", a->info.name);
			json_add_string(to, "tag", a->info.tag);
			json_add_u64(to, "cookie", a->query.cookie);
			json_add_bool(to, "timed", !!(a->query.attach_flags & PERFGRP_BPF_TIMED));
			json_add_u64(to, "runs", a->query.runs);
			json_add_u64(to, "misses", a->query.misses);
			json_add_u64(to, "dropped", a->query.dropped);
			json_add_u64(to, "nsecs", a->query.nsecs);
		}
		if (list->holders)
			json_object_object_add(to, "holders", holders_array(a->group));
		json_print(out, to, 0);
	}
}

/**
 * bpf_attachments_add - add a member to the list to print
 * @list: the list
 * @event: name of the member's event
 * @query: result of PERFGRP_BPF_QUERY; zero except for its id if there is no program
 *
 * Return: the new entry, for the caller to set its place and group
 */
struct bpf_attachment *bpf_attachments_add(struct bpf_attachments *list, const char *event,
					   const struct perfgrp_bpf_query *query)
{
	struct bpf_attachment *a;

	GROW(list->a, list->nr, list->room);
	a = &list->a[list->nr++];
	*a = (struct bpf_attachment){ .event = xstrdup(event), .query = *query };
	if (query->prog_id) {
		bpf_info_get(query->prog_id, &a->info);
		/* Without permission to get the program's info there is the module's tag. */
		bpf_tag_text(a->info.tag, query->tag);
	}
	return a;
}

/**
 * bpf_attachments_print - print a list
 * @list: the list
 * @out: where to print
 * @json: one JSON object per line instead of columns
 */
void bpf_attachments_print(const struct bpf_attachments *list, FILE *out, bool json)
{
	if (json)
		print_json(list, out);
	else
		print_text(list, out);
}

void bpf_attachments_free(struct bpf_attachments *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		free(list->a[i].place);
		free(list->a[i].event);
	}
	free(list->a);
	memset(list, 0, sizeof(*list));
}
