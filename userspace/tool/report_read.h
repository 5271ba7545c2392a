/* SPDX-License-Identifier: GPL-2.0 */
/* What the files share that read runs for "perfgrp report". */
#ifndef PERFGRP_REPORT_READ_H
#define PERFGRP_REPORT_READ_H

#include "report.h"

struct json_object;
struct json_tokener;

/* In seconds, of an interval's end or an exporter's line; no machine reaches it. */
#define REPORT_MAX_TIME	1e12

/**
 * struct reader - state while reading lines
 * @report: the run that is filled in
 * @tokener: the JSON parser
 * @event: event of the last line that had one: further metrics are on lines without it
 * @kind: state of that event
 * @sources: of tsearch(): what an exporter has written about
 * @set: number of sets of values that an exporter has written
 * @time: time of the last one
 * @first: time of the first one
 */
struct reader {
	struct report *report;
	struct json_tokener *tokener;
	char *event;
	enum report_kind kind;
	void *sources;
	size_t set;
	double time;
	double first;
};

/**
 * struct report_share - share of an interval that a counter was on the PMU
 * @percent: the share; 100 if not known
 * @known: the share is known
 */
struct report_share {
	double percent;
	bool known;
};

/* report_read.c */
int report_refuse(const struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *report_get_text(const struct reader *reader, struct json_object *object,
			    const char *key, int *err);
bool report_get_number(const struct reader *reader, struct json_object *object, const char *key,
		       double *number, int *err);
int report_enter_interval(const struct reader *reader, double end);
void report_add_share(const struct reader *reader, struct report_series *series,
		      const struct report_share *share);
void report_add_flags(struct report_series *series, struct json_object *object);

/* report_export.c */
int report_read_export(struct reader *reader, struct json_object *object, const char *place);
void report_free_sources(struct reader *reader);

/* report_header.c */
void report_add_fact(struct report *report, const char *name, char *value);
int report_read_header(const struct reader *reader, struct json_object *header);

#endif /* PERFGRP_REPORT_READ_H */
