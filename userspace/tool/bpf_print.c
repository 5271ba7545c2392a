// SPDX-License-Identifier: GPL-2.0
/* Attachments of BPF programs: columns for people, an object a line for programs. */
#include <stdlib.h>
#include <string.h>

#include "bpf.h"

#define MAX_COLUMNS	13

/**
 * struct table - text in columns as wide as they must be
 * @title: of each column
 * @right: the column holds numbers, which end where its title ends
 * @nr_columns: how many
 * @cells: row after row
 */
struct table {
	const char *title[MAX_COLUMNS];
	bool right[MAX_COLUMNS];
	unsigned int nr_columns;
	struct strings cells;
};

static void add_column(struct table *table, const char *title, bool right)
{
	table->title[table->nr_columns] = title;
	table->right[table->nr_columns++] = right;
}

static void print_row(const struct table *table, FILE *out, const int *width,
		      const char *const *cell)
{
	unsigned int i;

	for (i = 0; i < table->nr_columns; i++) {
		const char *gap = i ? "  " : "";

		if (table->right[i])
			fprintf(out, "%s%*s", gap, width[i], cell[i]);
		else if (i + 1 < table->nr_columns)
			fprintf(out, "%s%-*s", gap, width[i], cell[i]);
		else
			fprintf(out, "%s%s", gap, cell[i]);
	}
	fputc('\n', out);
}

static void print_table(const struct table *table, FILE *out)
{
	int width[MAX_COLUMNS];
	size_t i;

	for (i = 0; i < table->nr_columns; i++)
		width[i] = strlen(table->title[i]);
	for (i = 0; i < table->cells.nr; i++) {
		int len = strlen(table->cells.s[i]);

		if (width[i % table->nr_columns] < len)
			width[i % table->nr_columns] = len;
	}
	print_row(table, out, width, table->title);
	for (i = 0; i < table->cells.nr; i += table->nr_columns)
		print_row(table, out, width, (const char *const *)&table->cells.s[i]);
}

static char *number(__u64 n)
{
	return xasprintf("%llu", (unsigned long long)n);
}

/* Only where each run was measured is there an average. */
static char *ns_per_run(const struct perfgrp_bpf_query *query)
{
	if (!(query->attach_flags & PERFGRP_BPF_TIMED) || !query->runs)
		return xstrdup("-");
	return number(query->nsecs / query->runs);
}

static char *command_of(const struct bpf_holder *holder)
{
	char *comm = read_file("/proc/%u/comm", holder->pid);

	return comm ? comm : xstrdup("");
}

/* "perfgrp", or "perfgrp +2" where two more file descriptors are the same group. */
static char *held_by(const struct bpf_group *group)
{
	char *comm = command_of(&group->holders[0]), *text;

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
		add_column(&table, list->place, false);
	add_column(&table, "MEMBER", true);
	add_column(&table, "EVENT", false);
	add_column(&table, "PROGRAM", true);
	add_column(&table, "NAME", false);
	add_column(&table, "TAG", false);
	add_column(&table, "COOKIE", true);
	add_column(&table, "RUNS", true);
	add_column(&table, "MISSES", true);
	add_column(&table, "DROPPED", true);
	add_column(&table, "NS", true);
	add_column(&table, "NS/RUN", true);
	if (list->holders)
		add_column(&table, "COMMAND", false);

	for (i = 0; i < list->nr; i++) {
		const struct bpf_attachment *a = &list->a[i];

		if (list->place)
			strings_add(&table.cells, xstrdup(a->place));
		strings_add(&table.cells, number(a->query.id));
		strings_add(&table.cells, xstrdup(a->event));
		if (a->query.prog_id)
			add_program(&table.cells, a);
		else
			add_no_program(&table.cells);
		if (list->holders)
			strings_add(&table.cells, held_by(a->group));
	}
	print_table(&table, out);
	strings_free(&table.cells);
}

static struct json_object *holders_array(const struct bpf_group *group)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < group->nr; i++) {
		struct json_object *one = json_object_new_object();
		char *comm = command_of(&group->holders[i]);

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
		char *place = list->place ? xstrdup(list->place) : NULL;
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
 * bpf_attachments_add - add a member to what is to be printed
 * @list: the list
 * @event: what to call the member's event
 * @query: what the module says of it; zeros but for its id where there is no program
 *
 * Return: what was added, for its place and group
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
		/* Where the kernel keeps the rest to itself, the module has told the tag. */
		bpf_tag_text(a->info.tag, query->tag);
	}
	return a;
}

/**
 * bpf_attachments_print - print a list
 * @list: the list
 * @out: where to
 * @json: an object a line, in place of columns
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
