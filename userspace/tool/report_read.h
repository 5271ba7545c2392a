/* SPDX-License-Identifier: GPL-2.0 */
/* What the files share that read runs for "perfgrp report". */
#ifndef PERFGRP_REPORT_READ_H
#define PERFGRP_REPORT_READ_H

#include "report.h"

struct json_object;
struct json_tokener;

/**
 * struct reader - state while reading lines
 * @report: the run that is filled in
 * @tokener: the JSON parser
 * @event: event of the last line that had one: further metrics are on lines without it
 * @kind: state of that event
 */
struct reader {
	struct report *report;
	struct json_tokener *tokener;
	char *event;
	enum report_kind kind;
};

/* report_read.c */
int report_refuse(const struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *report_get_text(const struct reader *reader, struct json_object *object,
			    const char *key, int *err);

/* report_header.c */
void report_add_fact(struct report *report, const char *name, char *value);
int report_read_header(const struct reader *reader, struct json_object *header);

#endif /* PERFGRP_REPORT_READ_H */
