// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what "perfgrp stat -I MS -j" writes, an object a line. perf stat's lines have the same
 * keys. Keys that are not known are passed over. Lines of "perfgrp export" have a timestamp.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report_read.h"

#define STARTED_ON	"# started on "

/* Limits that no machine reaches, so that computing with values cannot overflow. */
#define MAX_VALUE	1e30
#define MIN_LENGTH	(1.0 / NSEC_PER_SEC)

/* Prints an error about the current line, and returns -EINVAL. */
int report_refuse(const struct reader *reader, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	error("%s:%zu: %s", reader->report->input, reader->report->lines, text);
	free(text);
	return -EINVAL;
}

/* ---- keys ---------------------------------------------------------------------- */

/* Returns a string, or an integer as text; NULL if there is no such key, or after an error. */
const char *report_get_text(const struct reader *reader, struct json_object *object,
			    const char *key, int *err)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(object, key, &value))
		return NULL;
	text = json_object_get_string(value);
	if (!json_object_is_type(value, json_type_string)) {
		if (json_object_is_type(value, json_type_int))
			return text;
		*err = report_refuse(reader, "\"%s\" is no string", key);
		return NULL;
	}
	if (strlen(text) == (size_t)json_object_get_string_len(value))
		return text;
	*err = report_refuse(reader, "\"%s\" has a zero byte in it", key);
	return NULL;
}

/* Reads a number; returns false if there is no such key, or after an error. */
bool report_get_number(const struct reader *reader, struct json_object *object, const char *key,
		       double *number, int *err)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !value)
		return false;
	if (json_object_is_type(value, json_type_double) ||
	    json_object_is_type(value, json_type_int)) {
		*number = json_object_get_double(value);
		if (fabs(*number) <= MAX_VALUE)
			return true;
	}
	*err = report_refuse(reader, "\"%s\" is no number", key);
	return false;
}

/* Is the text a number? */
static bool is_number(const char *text, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end && fabs(*number) <= MAX_VALUE;
}

/* ---- places -------------------------------------------------------------------- */

static const struct {
	const char *key;
	const char *before;
	const char *behind;
} places[] = {
	{ "cgroup", "", "" },	      { "container-name", "(container ", ")" },
	{ "thread", "", "" },	      { "comm", "", "" },
	{ "tid", "thread ", "" },     { "cpu", "CPU ", "" },
	{ "core", "core ", "" },      { "cluster", "cluster ", "" },
	{ "cache", "cache ", "" },    { "die", "die ", "" },
	{ "socket", "socket ", "" },  { "node", "node ", "" },
};

/* Returns the place of a line, which must be freed; NULL after an error. */
static char *read_place(const struct reader *reader, struct json_object *object)
{
	char *place = xstrdup(""), *longer;
	int err = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places) && !err; i++) {
		const char *text = report_get_text(reader, object, places[i].key, &err);

		if (!text)
			continue;
		longer = xasprintf("%s%s%s%s%s", place, *place ? " " : "", places[i].before, text,
				   places[i].behind);
		free(place);
		place = longer;
	}
	if (!err)
		return place;
	free(place);
	return NULL;
}

/* ---- lines --------------------------------------------------------------------- */

/* Adds an interval, unless the line is of the last one. */
int report_enter_interval(const struct reader *reader, double end)
{
	struct report *report = reader->report;
	double last = report->nr ? report->intervals[report->nr - 1].end : 0;

	if (report->nr && end == last)
		return 0;
	if (report->nr && end < last)
		return report_refuse(reader, "the interval ends at %.9f s, and one before it at %.9f s: are there two runs in the file?",
			      end, last);
	if (end - last < MIN_LENGTH || end > REPORT_MAX_TIME)
		return report_refuse(reader, "no interval from %.9f s to %.9f s can be", last, end);
	GROW(report->intervals, report->nr, report->room);
	report->intervals[report->nr++] = (struct report_interval){ .start = last, .end = end };
	return 0;
}

/* Adds a point to the series of that name. Returns the series, or NULL after an error. */
static struct report_series *add_point(const struct reader *reader, const char *name,
				       const char *event, const char *unit, bool is_metric,
				       const char *place, enum report_kind kind, double value)
{
	struct report_series *series = report_find_series(reader->report, name, event, unit,
							   is_metric, place);

	if (series)
		report_add_point(reader->report, series, kind, value);
	else
		report_refuse(reader, "there is too much of \"%s\" in one interval", name);
	return series;
}

/* Iterates over the flags of a line with --raw; @i must be 0 for the first one. */
static const char *next_flag(struct json_object *object, size_t *i)
{
	struct json_object *flags;
	const char *flag;

	if (!json_object_object_get_ex(object, "flags", &flags) ||
	    !json_object_is_type(flags, json_type_array))
		return NULL;
	while (*i < json_object_array_length(flags)) {
		flag = json_object_get_string(json_object_array_get_idx(flags, (*i)++));
		if (flag)
			return flag;
	}
	return NULL;
}

static bool has_failed(struct json_object *object)
{
	const char *flag;
	size_t i = 0;

	while ((flag = next_flag(object, &i)))
		if (!strcmp(flag, "failed"))
			return true;
	return false;
}

/* Adds the flags of a line to the states of its series. */
void report_add_flags(struct report_series *series, struct json_object *object)
{
	const char *flag;
	size_t i = 0;

	while ((flag = next_flag(object, &i)))
		report_add_state(series, flag);
}

/* Lines with --raw have a state; otherwise derive it from the count. */
static void add_states(struct report_series *series, struct json_object *object,
		       enum report_kind kind, const char *missing, const char *state)
{
	static const char *const names[] = {
		[REPORT_COUNTED] = "counted", [REPORT_ESTIMATED] = "multiplexed",
	};

	if (state && strcmp(missing, "not supported"))
		report_add_state(series, state);
	else
		report_add_state(series, kind == REPORT_NOT_COUNTED ? missing : names[kind]);
	report_add_flags(series, object);
}

static int read_share(const struct reader *reader, struct json_object *object,
		      struct report_share *share)
{
	double runtime = 0;
	int err = 0;

	share->percent = 100;
	share->known = report_get_number(reader, object, "pcnt-running", &share->percent, &err);
	if (!err)
		report_get_number(reader, object, "event-runtime", &runtime, &err);
	/* 100 % of no time: the task did not run, or the event is not supported. */
	if (!runtime && share->percent == 100)
		share->known = false;
	return err;
}

void report_add_share(const struct reader *reader, struct report_series *series,
		      const struct report_share *share)
{
	const struct report_interval *last = &reader->report->intervals[reader->report->nr - 1];

	if (!share->known)
		return;
	series->known += last->end - last->start;
	series->on_pmu += (last->end - last->start) * share->percent / 100;
}

/* "<not counted>" without the brackets. */
static char *unwrap(const char *text)
{
	return xstrndup(text + 1, strcspn(text + 1, ">"));
}

static int read_event(struct reader *reader, struct json_object *object, const char *place)
{
	const char *name, *count, *unit, *state;
	struct report_series *series;
	struct report_share share;
	double value = 0;
	char *missing;
	int err = 0;

	name = report_get_text(reader, object, "event", &err);
	count = err ? NULL : report_get_text(reader, object, "counter-value", &err);
	unit = err ? NULL : report_get_text(reader, object, "unit", &err);
	state = err ? NULL : report_get_text(reader, object, "state", &err);
	if (!err)
		err = read_share(reader, object, &share);
	if (err)
		return err;
	if (!count)
		return report_refuse(reader, "there is no \"counter-value\" of '%s'", name);
	if (*count != '<' && !is_number(count, &value))
		return report_refuse(reader, "the \"counter-value\" of '%s' is no number: '%s'",
				     name, count);
	/* A counter that failed has missed an unknown number of events. */
	if (*count == '<' || has_failed(object))
		reader->kind = REPORT_NOT_COUNTED;
	else if (share.percent < 100 || (state && !strcmp(state, "multiplexed")))
		reader->kind = REPORT_ESTIMATED;
	else
		reader->kind = REPORT_COUNTED;
	free(reader->event);
	reader->event = xstrdup(name);
	series = add_point(reader, name, "", unit ? unit : "", false, place, reader->kind, value);
	if (!series)
		return -EINVAL;
	report_add_share(reader, series, &share);
	missing = *count == '<' ? unwrap(count) : xstrdup("not counted");
	add_states(series, object, reader->kind, missing, state);
	free(missing);
	return 0;
}

/* Rates are computed for all counters: do not show those of the input again. */
static bool is_rate(const char *unit)
{
	const char *behind = strrchr(unit, '/');

	return behind && !strcmp(behind, "/sec");
}

/* Reads the metric on the line of an event, or on a line of its own after it. */
static int read_metric(const struct reader *reader, struct json_object *object, const char *place)
{
	struct report_series *series;
	const char *unit, *verdict;
	double value = 0;
	int err = 0;
	bool known;

	unit = report_get_text(reader, object, "metric-unit", &err);
	if (err || !unit || !*unit || is_rate(unit))
		return err;
	if (!reader->event)
		return report_refuse(reader, "a metric comes before its event");
	known = report_get_number(reader, object, "metric-value", &value, &err);
	verdict = err ? NULL : report_get_text(reader, object, "metric-threshold", &err);
	if (err)
		return err;
	series = add_point(reader, unit, reader->event, "", true, place,
			   known ? reader->kind : REPORT_NOT_COUNTED, value);
	if (!series)
		return -EINVAL;
	if (verdict)
		report_add_state(series, verdict);
	return 0;
}

/* With --metric-only, other keys that have a string are metrics. */
static int read_metrics_only(const struct reader *reader, struct json_object *object,
			     const char *place)
{
	struct report_share share;
	double value;
	size_t i;
	int err;

	err = read_share(reader, object, &share);
	if (err)
		return err;
	json_object_object_foreach(object, key, member) {
		bool known;

		for (i = 0; i < ARRAY_SIZE(places) && strcmp(key, places[i].key); i++)
			;
		if (i < ARRAY_SIZE(places) || !strcmp(key, "container-id") ||
		    !json_object_is_type(member, json_type_string) || is_rate(key))
			continue;
		known = is_number(json_object_get_string(member), &value);
		if (!add_point(reader, key, "", "", true, place,
			       !known ? REPORT_NOT_COUNTED :
			       share.percent < 100 ? REPORT_ESTIMATED : REPORT_COUNTED,
			       known ? value : 0))
			return -EINVAL;
	}
	return 0;
}

/* ---- the file ------------------------------------------------------------------ */

static int read_exported(struct reader *reader, struct json_object *object)
{
	char *place = read_place(reader, object);
	int err = place ? report_read_export(reader, object, place) : -EINVAL;

	free(place);
	return err;
}

static int read_object(struct reader *reader, struct json_object *object)
{
	struct json_object *value;
	char *place;
	double end;
	int err = 0;

	if (!json_object_is_type(object, json_type_object))
		return report_refuse(reader, "there is JSON, but no object");
	if (json_object_object_get_ex(object, "header", &value))
		return report_read_header(reader, value);
	if (json_object_object_get_ex(object, "timestamp", NULL))
		return read_exported(reader, object);
	if (!report_get_number(reader, object, "interval", &end, &err)) {
		reader->report->no_interval++;
		return err;
	}
	if (reader->set)
		return report_refuse(reader, "this line is of stat, and those before are of an exporter");
	err = report_enter_interval(reader, end);
	place = err ? NULL : read_place(reader, object);
	if (!place)
		return -EINVAL;
	if (json_object_object_get_ex(object, "event", &value))
		err = read_event(reader, object, place);
	if (!err && json_object_object_get_ex(object, "metric-unit", &value))
		err = read_metric(reader, object, place);
	else if (!err && !json_object_object_get_ex(object, "event", &value))
		err = read_metrics_only(reader, object, place);
	free(place);
	return err;
}

static int read_line(struct reader *reader, const char *line, size_t len)
{
	struct json_tokener *tokener = reader->tokener;
	struct json_object *object;
	int err;

	/* perf writes an empty line, and some versions a comment. */
	if (!len)
		return 0;
	if (*line == '#') {
		if (!strncmp(line, STARTED_ON, strlen(STARTED_ON)))
			report_add_fact(reader->report, "Started",
					xstrdup(line + strlen(STARTED_ON)));
		return 0;
	}
	json_tokener_reset(tokener);
	/* Include the terminating zero byte: it ends values that have no bracket. */
	object = json_tokener_parse_ex(tokener, line, len + 1);
	if (!object) {
		enum json_tokener_error why = json_tokener_get_error(tokener);
		const char *what = why ? json_tokener_error_desc(why) : "null";

		if (why == json_tokener_continue || why == json_tokener_error_parse_eof)
			return report_refuse(reader, "the line ends too early");
		return report_refuse(reader, "this is no JSON: %s, at byte %zu", what,
			      json_tokener_get_parse_end(tokener) + 1);
	}
	if (json_tokener_get_parse_end(tokener) != len)
		err = report_refuse(reader, "there is more behind the object");
	else
		err = read_object(reader, object);
	json_object_put(object);
	return err;
}

/**
 * report_read - read a run
 * @report: where to
 * @in: its file
 *
 * Return: 0, or -EINVAL after printing an error
 */
int report_read(struct report *report, FILE *in)
{
	/*
	 * Without JSON_TOKENER_STRICT: with it json-c 0.18 refuses strings that are not ASCII,
	 * where char is signed.
	 */
	struct reader reader = { .report = report, .tokener = xcheck(json_tokener_new()) };
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &room, in)) >= 0) {
		while (len && strchr("\n\r\t ", line[len - 1]))
			len--;
		line[len] = '\0';
		report->lines++;
		err = read_line(&reader, line, len);
	}
	if (!err && ferror(in)) {
		error("cannot read '%s': %s", report->input, strerror(errno));
		err = -EINVAL;
	}
	if (!err && !report->nr && report->no_interval) {
		error("%s: there are no intervals: \"perfgrp stat -I MS -j\" writes them",
		      report->input);
		err = -EINVAL;
	}
	free(line);
	free(reader.event);
	report_free_sources(&reader);
	json_tokener_free(reader.tokener);
	return err;
}
