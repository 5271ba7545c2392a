// SPDX-License-Identifier: GPL-2.0
/*
 * Prometheus' text format 0.0.4, and OpenMetrics 1.0, which differs in the names of families, has
 * units, and an end marker. Samples are the same in both.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "utf8.h"

enum family_type {
	COUNTER,
	GAUGE,
	INFO,
	STATESET,
};

/**
 * struct family - samples that belong together
 * @name: their name as in OpenMetrics, without _total and _info
 * @unit: OpenMetrics unit, or NULL
 * @help: help text
 * @type: type of the family
 * @point: prints the sample of a count, and returns whether there is one; if @out is NULL it only
 *	returns
 * @row: the same for a row
 * @all: the same for all values; exactly one of the three is set
 */
struct family {
	const char *name;
	const char *unit;
	const char *help;
	enum family_type type;
	bool (*point)(FILE *out, const char *name, const struct export_values *values,
		      const struct export_point *point);
	bool (*row)(FILE *out, const char *name, const struct export_row *row);
	bool (*all)(FILE *out, const char *name, const struct export_values *values);
};

/* ---- labels -------------------------------------------------------------------- */

/* Prints the value of a label, in quotes. */
static void put_value(FILE *out, const char *value)
{
	char *clean = utf8_clean(value);
	size_t i;

	fputc('"', out);
	for (i = 0; clean[i]; i++) {
		if (clean[i] == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (clean[i] == '"' || clean[i] == '\\')
			fputc('\\', out);
		fputc(clean[i], out);
	}
	fputc('"', out);
	free(clean);
}

static void put_label(FILE *out, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(out, "%s%s=", ftell(out) ? "," : "", name);
	put_value(out, value);
}

static void put_number(FILE *out, const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	put_label(out, name, value < 0 ? NULL : text);
}

/**
 * export_labels - make the labels of a count
 * @point: the count
 * @of_row: only labels that apply to its whole row
 *
 * Return: the labels without the braces, to be freed
 */
char *export_labels(const struct export_point *point, bool of_row)
{
	char *text = NULL;
	size_t len;
	FILE *out = xcheck(open_memstream(&text, &len));

	put_label(out, of_row ? "leader" : "event", point->event->name);
	put_label(out, "pmu", point->pmu);
	put_number(out, "cpu", point->cpu);
	put_number(out, "tid", point->tid);
	put_label(out, "comm", point->comm);
	if (!of_row)
		put_label(out, "group", point->leader);
	put_label(out, "cgroup", point->cgroup);
	if (point->container) {
		put_label(out, "container_id", point->container->id);
		put_label(out, "container_name", point->container->name);
	}
	if (fclose(out))
		xcheck(NULL);
	return text;
}

/* ---- samples -------------------------------------------------------------------- */

/* Does not use a double, which would lose digits of a 64-bit counter. */
static void print_seconds(FILE *out, __u64 ns)
{
	fprintf(out, "%" PRIu64 ".%09" PRIu64 "\n", (uint64_t)(ns / NSEC_PER_SEC),
		(uint64_t)(ns % NSEC_PER_SEC));
}

static bool print_info(FILE *out, const char *name, const struct export_values *values)
{
	if (out)
		fprintf(out, "%s_info{version=\"" PERFGRP_TOOL_VERSION
			"\",module_version=\"%s\",backend=\"%s\"} 1\n", name, values->version,
			values->backend);
	return true;
}

static bool print_raw(FILE *out, const char *name, const struct export_values *values,
		      const struct export_point *point)
{
	(void)values;
	if (!point->supported || point->state != EXPORT_COUNTED)
		return false;
	if (out)
		fprintf(out, "%s_total{%s} %" PRIu64 "\n", name, point->labels,
			(uint64_t)point->raw);
	return true;
}

static bool print_time(FILE *out, const char *name, const struct export_point *point, __u64 ns)
{
	if (out && point->supported) {
		fprintf(out, "%s_total{%s} ", name, point->labels);
		print_seconds(out, ns);
	}
	return point->supported;
}

static bool print_enabled(FILE *out, const char *name, const struct export_values *values,
			  const struct export_point *point)
{
	(void)values;
	return print_time(out, name, point, point->enabled);
}

static bool print_running(FILE *out, const char *name, const struct export_values *values,
			  const struct export_point *point)
{
	(void)values;
	return print_time(out, name, point, point->running);
}

static bool print_state(FILE *out, const char *name, const struct export_values *values,
			const struct export_point *point)
{
	const unsigned int nr = values->totals ? EXPORT_STATES : EXPORT_PARTIAL;
	unsigned int state;

	for (state = 0; out && point->supported && state < nr; state++)
		fprintf(out, "%s{%s,%s=\"%s\"} %d\n", name, point->labels, name,
			export_state_name(state), state == point->state);
	return point->supported;
}

/* Is there an estimate, or an exact count that needs none? */
static bool has_estimate(const struct export_values *values, const struct export_point *point)
{
	return values->scaled && point->supported &&
	       (point->state == EXPORT_COUNTED || point->state == EXPORT_MULTIPLEXED);
}

static bool print_scaled(FILE *out, const char *name, const struct export_values *values,
			 const struct export_point *point)
{
	if (!has_estimate(values, point))
		return false;
	if (out)
		fprintf(out, "%s{%s} %" PRIu64 "\n", name, point->labels,
			(uint64_t)point->scaled);
	return true;
}

static bool print_ratio(FILE *out, const char *name, const struct export_values *values,
			const struct export_point *point)
{
	const bool all = point->running == point->enabled;

	if (!has_estimate(values, point))
		return false;
	if (out)
		fprintf(out, "%s{%s} %.6f\n", name, point->labels,
			all ? 1 : (double)point->running / point->enabled);
	return true;
}

static bool print_supported(FILE *out, const char *name, const struct export_values *values)
{
	const struct export_point *last = NULL;
	size_t i;

	/* All points of an event are adjacent: print it once. */
	for (i = 0; i < values->nr; i++) {
		const struct export_point *point = &values->points[i];
		struct export_point of = { .cpu = -1, .tid = -1 };
		char *labels;

		if (last && last->event == point->event)
			continue;
		last = point;
		if (!out)
			break;
		of.event = point->event;
		of.cgroup = point->event->cgroup ? point->cgroup : NULL;
		labels = export_labels(&of, false);
		fprintf(out, "%s{%s} %d\n", name, labels, point->supported);
		free(labels);
	}
	return last;
}

static bool print_unit(FILE *out, const char *name, const struct export_values *values)
{
	const struct event *last = NULL;
	bool any = false;
	size_t i;

	for (i = 0; i < values->nr; i++) {
		const struct event *event = values->points[i].event;
		struct export_point of = { .event = event, .cpu = -1, .tid = -1 };
		char *labels;

		if (event == last || (event->scale == 1.0 && !*event->unit))
			continue;
		last = event;
		any = true;
		if (!out)
			break;
		of.cgroup = event->cgroup ? values->points[i].cgroup : NULL;
		labels = export_labels(&of, false);
		fprintf(out, "%s{%s,unit=", name, labels);
		put_value(out, event->unit);
		fprintf(out, "} %.17g\n", event->scale);
		free(labels);
	}
	return any;
}

static bool print_epoch(FILE *out, const char *name, const struct export_row *row)
{
	if (out && row->has_epoch)
		fprintf(out, "%s_total{%s} %u\n", name, row->labels, row->epoch);
	return row->has_epoch;
}

static bool print_age(FILE *out, const char *name, const struct export_row *row)
{
	if (out && row->has_age) {
		fprintf(out, "%s{%s} ", name, row->labels);
		print_seconds(out, row->age);
	}
	return row->has_age;
}

static const struct family families[] = {
	{ "perfgrp", NULL,
	  "Versions of the exporter and the kernel module, and the backend in use.",
	  INFO, .all = print_info },
	{ "perfgrp_events_raw", NULL,
	  "Raw count of events, if the counter was on the PMU all the time that it was enabled.",
	  COUNTER, .point = print_raw },
	{ "perfgrp_events_enabled_seconds", "seconds", "Time the counter was enabled.",
	  COUNTER, .point = print_enabled },
	{ "perfgrp_events_running_seconds", "seconds", "Time the counter was on the PMU.",
	  COUNTER, .point = print_running },
	{ "perfgrp_events_state", NULL, "State of the counter.", STATESET,
	  .point = print_state },
	{ "perfgrp_events_scaled", NULL,
	  "Estimated count for all the time the counter was enabled; may decrease.",
	  GAUGE, .point = print_scaled },
	{ "perfgrp_events_running_ratio", "ratio",
	  "Fraction of the enabled time that the counter was on the PMU.",
	  GAUGE, .point = print_ratio },
	{ "perfgrp_events_supported", NULL,
	  "Whether the machine can count the event and the others in its group.",
	  GAUGE, .all = print_supported },
	{ "perfgrp_events_unit_scale", NULL,
	  "Factor by which to multiply the count to get the unit.",
	  GAUGE, .all = print_unit },
	{ "perfgrp_row_epochs", NULL,
	  "Number of times the CPU came back online; nothing was counted while it was offline.",
	  COUNTER, .row = print_epoch },
	{ "perfgrp_row_age_seconds", "seconds",
	  "Age of the counts that an idle CPU stored; for sums, of the oldest counts.",
	  GAUGE, .row = print_age },
};

/* Prints a family's samples, and returns whether there are any; if @out is NULL it only returns. */
static bool print_samples(FILE *out, const struct family *family,
			  const struct export_values *values)
{
	bool any = false;
	size_t i;

	if (family->all)
		return family->all(out, family->name, values);
	for (i = 0; family->point && i < values->nr; i++)
		any |= family->point(out, family->name, values, &values->points[i]);
	for (i = 0; family->row && i < values->nr_rows; i++)
		any |= family->row(out, family->name, &values->rows[i]);
	return any;
}

/* In HELP and TYPE, Prometheus' format has the name of the samples, OpenMetrics the family's. */
static void print_head(FILE *out, const struct family *family, bool openmetrics)
{
	static const char *const types[][2] = {
		[COUNTER] = { "counter", "counter" }, [GAUGE] = { "gauge", "gauge" },
		[INFO] = { "gauge", "info" }, [STATESET] = { "gauge", "stateset" },
	};
	static const char *const suffixes[] = {
		[COUNTER] = "_total", [GAUGE] = "", [INFO] = "_info", [STATESET] = "",
	};
	const char *suffix = openmetrics ? "" : suffixes[family->type];

	fprintf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", family->name, suffix, family->help,
		family->name, suffix, types[family->type][openmetrics]);
	if (openmetrics && family->unit)
		fprintf(out, "# UNIT %s %s\n", family->name, family->unit);
}

/**
 * export_print_text - print values in Prometheus' text format
 * @out: where to print
 * @values: the values
 * @openmetrics: print OpenMetrics instead, with its end marker
 */
void export_print_text(FILE *out, const struct export_values *values, bool openmetrics)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct family *family = &families[i];

		if (!print_samples(NULL, family, values))
			continue;
		print_head(out, family, openmetrics);
		print_samples(out, family, values);
	}
	if (openmetrics)
		fputs("# EOF\n", out);
}

/**
 * export_render - print values into memory
 * @values: the values
 * @format: the format
 * @len: set to the length
 *
 * Return: the text, to be freed
 */
char *export_render(const struct export_values *values, enum export_format format, size_t *len)
{
	char *text = NULL;
	FILE *out = xcheck(open_memstream(&text, len));

	if (format == EXPORT_JSON)
		export_print_json(out, values);
	else
		export_print_text(out, values, format == EXPORT_OPENMETRICS);
	if (fclose(out))
		xcheck(NULL);
	return text;
}
