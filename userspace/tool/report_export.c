// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what "perfgrp export --format json" writes, an object a line. Its counts are those since
 * the exporter's start: an interval is from one set of values, which have the same time, to the
 * next, and has the differences.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "report_read.h"

/* Limit on lines of the same event and place in one set, which are searched one by one. */
#define MAX_SAME	1000

/**
 * struct report_reading - the values of a line, in ns
 * @time: of the values: that of the line, less their age
 * @enabled: time-enabled
 * @running: time-running
 * @epoch: how often the CPU has come back online, or 0
 * @has_raw: @raw is valid
 * @has_scaled: @scaled is valid
 * @raw: the count
 * @scaled: an estimate of the count
 */
struct report_reading {
	double time;
	double enabled;
	double running;
	double epoch;
	bool has_raw;
	bool has_scaled;
	double raw;
	double scaled;
};

/**
 * struct export_source - what has a line in each set of values
 * @key: event, PMU, group and place, and a number if that is not unique
 * @set: the last set that had it, from 1
 * @last: its values there
 * @series: where its differences go, or NULL
 */
struct export_source {
	char *key;
	size_t set;
	struct report_reading last;
	struct report_series *series;
};

static int compare_sources(const void *a, const void *b)
{
	const struct export_source *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static void free_source(void *p)
{
	struct export_source *source = p;

	free(source->key);
	free(source);
}

void report_free_sources(struct reader *reader)
{
	tdestroy(reader->sources, free_source);
}

/* Finds the source of a line, or adds it. Returns NULL if there are too many alike. */
static struct export_source *find_source(struct reader *reader, const char *name,
					 const char *pmu, const char *group, const char *place)
{
	struct export_source *source, **found;
	unsigned int i;

	for (i = 0; i < MAX_SAME; i++) {
		source = xcalloc(1, sizeof(*source));
		source->key = xasprintf("%s\n%s\n%s\n%s\n%u", name, pmu, group, place, i);
		found = xcheck(tsearch(source, &reader->sources, compare_sources));
		if (*found != source)
			free_source(source);
		if ((*found)->set != reader->set)
			return *found;
	}
	return NULL;
}

/* Reads the time of a line. Returns 0, or -EINVAL after printing an error. */
static int read_time(const struct reader *reader, struct json_object *object, double *time)
{
	int err = 0;

	if (!report_get_number(reader, object, "timestamp", time, &err))
		return err ? err : report_refuse(reader, "\"timestamp\" is no number");
	if (*time < 0 || *time > REPORT_MAX_TIME)
		return report_refuse(reader, "the \"timestamp\" %g s is out of range", *time);
	return 0;
}

/* Begins a set of values if the time is another one than that of the line before. */
static int enter_set(struct reader *reader, double time)
{
	time_t seconds = time;
	struct tm tm;
	char text[64];

	if (reader->set && time == reader->time)
		return 0;
	if (!reader->set) {
		reader->first = time;
		if (gmtime_r(&seconds, &tm) &&
		    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
			report_add_fact(reader->report, "Started", xstrdup(text));
	}
	reader->report->exported = true;
	reader->time = time;
	/* The first one only says where the differences begin. */
	return reader->set++ ? report_enter_interval(reader, time - reader->first) : 0;
}

static int read_values(const struct reader *reader, struct json_object *object,
		       struct report_reading *values)
{
	double age = 0;
	int err = 0;

	*values = (struct report_reading){ 0 };
	report_get_number(reader, object, "time-enabled", &values->enabled, &err);
	if (!err)
		report_get_number(reader, object, "time-running", &values->running, &err);
	if (!err)
		report_get_number(reader, object, "epoch", &values->epoch, &err);
	if (!err)
		values->has_raw = report_get_number(reader, object, "raw", &values->raw, &err);
	if (!err)
		values->has_scaled = report_get_number(reader, object, "scaled", &values->scaled,
						       &err);
	/* A sum has the age of its oldest row, whatever the others have counted since then. */
	if (!err && json_object_object_get_ex(object, "cpu", NULL))
		report_get_number(reader, object, "age", &age, &err);
	values->time = reader->time * NSEC_PER_SEC - age;
	return err;
}

/*
 * Computes what was counted from one reading to the next. Returns why it is unknown, if the state
 * does not say so.
 */
static const char *subtract(const struct report_reading *from, const struct report_reading *to,
			    enum report_kind *kind, double *value)
{
	*kind = REPORT_NOT_COUNTED;
	*value = 0;
	if (to->enabled < from->enabled || to->running < from->running)
		return "restarted";
	if (to->epoch != from->epoch)
		return "offline";
	/* The task did not run, or an idle CPU has not stored its row again: not 0. */
	if (to->running == from->running)
		return NULL;
	if (from->has_raw && to->has_raw && to->raw >= from->raw) {
		*kind = REPORT_COUNTED;
		*value = to->raw - from->raw;
	/* An estimate of the whole can decrease; then there is none of the interval. */
	} else if (from->has_scaled && to->has_scaled && to->scaled >= from->scaled) {
		*kind = REPORT_ESTIMATED;
		*value = to->scaled - from->scaled;
	}
	return NULL;
}

/* Keeps the rate of the time from one reading to the next, if an idle CPU did not store its row. */
static double adjust(const struct reader *reader, double value, double span)
{
	const struct report *report = reader->report;
	const struct report_interval *last = &report->intervals[report->nr - 1];
	const double length = (last->end - last->start) * NSEC_PER_SEC;

	return span > length ? value * length / span : value;
}

/* Adds "never_ran" as "never ran". */
static void add_state(struct report_series *series, const char *state)
{
	char *text = xstrdup(state), *c;

	for (c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	report_add_state(series, text);
	free(text);
}

static void add_difference(const struct reader *reader, struct json_object *object,
			   const struct export_source *source, const struct report_reading *values,
			   double scale, const char *state)
{
	const struct report_reading *last = &source->last;
	const double enabled = values->enabled - last->enabled;
	struct report_share share = { .known = enabled > 0 };
	enum report_kind kind;
	const char *why;
	double value;

	why = subtract(last, values, &kind, &value);
	value = adjust(reader, value * scale, values->time - last->time);
	report_add_point(reader->report, source->series, kind, value);
	if (share.known)
		share.percent = 100 * (values->running - last->running) / enabled;
	if (kind != REPORT_NOT_COUNTED)
		report_add_share(reader, source->series, &share);
	if (!why && kind == REPORT_NOT_COUNTED && !strcmp(state, "counted"))
		why = "not counted";
	add_state(source->series, why ? why : state);
	report_add_flags(source->series, object);
}

/* Returns the place of a sum, which is of the CPUs of one PMU. */
static char *place_of_sum(const char *place, const char *pmu)
{
	return xasprintf("%s%sPMU %s", place, *place ? " " : "", pmu);
}

/**
 * report_read_export - read a line of an exporter
 * @reader: the run
 * @object: the line
 * @place: where it was counted
 *
 * Return: 0, or -EINVAL after printing an error
 */
int report_read_export(struct reader *reader, struct json_object *object, const char *place)
{
	const char *name, *pmu, *group, *state, *unit;
	struct report_reading values;
	struct export_source *source;
	double time, scale = 1;
	char *sum = NULL;
	int err;

	if (reader->report->nr && !reader->set)
		return report_refuse(reader, "this line is of an exporter, and those before are not");
	err = read_time(reader, object, &time);
	name = err ? NULL : report_get_text(reader, object, "event", &err);
	pmu = err ? NULL : report_get_text(reader, object, "pmu", &err);
	group = err ? NULL : report_get_text(reader, object, "group", &err);
	state = err ? NULL : report_get_text(reader, object, "state", &err);
	unit = err ? NULL : report_get_text(reader, object, "unit", &err);
	if (!err)
		report_get_number(reader, object, "unit-scale", &scale, &err);
	if (!err && (!name || !state))
		err = report_refuse(reader, "there is no \"%s\"", name ? "state" : "event");
	if (!err)
		err = enter_set(reader, time);
	if (!err)
		err = read_values(reader, object, &values);
	if (err)
		return err;
	if (pmu && !json_object_object_get_ex(object, "cpu", NULL) &&
	    !json_object_object_get_ex(object, "tid", NULL))
		sum = place_of_sum(place, pmu);
	if (sum)
		place = sum;
	source = find_source(reader, name, pmu ? pmu : "", group ? group : "", place);
	/* The difference to a set before the last one is not of this interval. */
	if (source && source->set && source->set + 1 == reader->set) {
		if (!source->series)
			source->series = report_find_series(reader->report, name, "",
							    unit ? unit : "", false, place);
		if (source->series)
			add_difference(reader, object, source, &values, scale, state);
		else
			source = NULL;
	}
	free(sum);
	if (!source)
		return report_refuse(reader, "there is too much of \"%s\" at one time", name);
	source->set = reader->set;
	source->last = values;
	return 0;
}
