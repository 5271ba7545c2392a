// SPDX-License-Identifier: GPL-2.0
/* Reads the line of "perfgrp stat --header": what was counted, where and when. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report_read.h"

/* Adds a line to the head of the page; takes ownership of @value. */
void report_add_fact(struct report *report, const char *name, char *value)
{
	GROW(report->facts, report->nr_facts, report->room_facts);
	report->facts[report->nr_facts++] = (struct report_fact){ name, value };
}

/* Quotes a word for a shell, if needed. */
static char *quote(const char *word)
{
	char *text, *to;
	size_t len = 0;

	while (isalnum((unsigned char)word[len]) || (word[len] && strchr("%+,-./:=@_", word[len])))
		len++;
	if (len && !word[len])
		return xstrdup(word);
	text = xcalloc(4, strlen(word) + 1);
	to = stpcpy(text, "'");
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	}
	stpcpy(to, "'");
	return text;
}

static char *join_words(struct json_object *words)
{
	char *text = xstrdup(""), *word, *longer;
	size_t i;

	for (i = 0; i < json_object_array_length(words); i++) {
		const char *s = json_object_get_string(json_object_array_get_idx(words, i));

		word = quote(s ? s : "");
		longer = xasprintf("%s%s%s", text, i ? " " : "", word);
		free(text);
		free(word);
		text = longer;
	}
	return text;
}

/* Reads the object of a header. Returns 0, or -EINVAL after printing an error. */
int report_read_header(const struct reader *reader, struct json_object *header)
{
	static const struct {
		const char *key;
		const char *name;
	} facts[] = {
		{ "counted", "Counted" }, { "started", "Started" }, { "host", "Machine" },
		{ "kernel", "Kernel" },	  { "cpus", "CPUs online" }, { "version", "Written by" },
	};
	struct report *report = reader->report;
	struct json_object *command;
	int err = 0;
	size_t i;

	if (!json_object_is_type(header, json_type_object))
		return report_refuse(reader, "\"header\" is no object");
	if (report->has_head || report->nr)
		return report_refuse(reader, "a second run begins here");
	report->has_head = true;
	if (json_object_object_get_ex(header, "command", &command)) {
		if (!json_object_is_type(command, json_type_array))
			return report_refuse(reader, "\"command\" is no array");
		report->command = join_words(command);
		report_add_fact(report, "Command", xstrdup(report->command));
	}
	for (i = 0; i < ARRAY_SIZE(facts) && !err; i++) {
		const char *text = report_get_text(reader, header, facts[i].key, &err);

		if (text)
			report_add_fact(report, facts[i].name, xstrdup(text));
	}
	return err;
}
