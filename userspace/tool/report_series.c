// SPDX-License-Identifier: GPL-2.0
/* The series of a run, which are found by their names. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* Limit on lines of the same event, place and interval, which are searched one by one. */
#define MAX_SAME	1000

/**
 * struct key - key of a series, for tsearch()
 * @series: index of the series
 * @name: as of &struct report_counter
 * @event: likewise
 * @is_metric: likewise
 * @place: as of &struct report_series
 * @number: likewise
 */
struct key {
	size_t series;
	char *name;
	char *event;
	bool is_metric;
	char *place;
	unsigned int number;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = strcmp(x->place, y->place);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = strcmp(x->event, y->event);
	if (!order)
		order = x->is_metric - y->is_metric;
	return order ? order : (int)(x->number - y->number);
}

static void free_key(void *p)
{
	struct key *key = p;

	free(key->name);
	free(key->event);
	free(key->place);
	free(key);
}

static size_t find_counter(struct report *report, const struct key *key, const char *unit)
{
	struct report_counter *counter;
	size_t i;

	for (i = 0; i < report->nr_counters; i++) {
		counter = &report->counters[i];
		if (counter->is_metric == key->is_metric && !strcmp(counter->name, key->name) &&
		    !strcmp(counter->event, key->event))
			return i;
	}
	GROW(report->counters, report->nr_counters, report->room_counters);
	report->counters[i] = (struct report_counter){
		.name = xstrdup(key->name),
		.unit = xstrdup(unit),
		.event = xstrdup(key->event),
		.is_metric = key->is_metric,
	};
	return report->nr_counters++;
}

static struct report_series *add_series(struct report *report, struct key *key, const char *unit)
{
	struct report_series *series = xcalloc(1, sizeof(*series));
	struct report_counter *counter;

	series->counter = find_counter(report, key, unit);
	series->place = xstrdup(key->place);
	series->number = key->number;
	counter = &report->counters[series->counter];
	GROW(counter->series, counter->nr, counter->room);
	counter->series[counter->nr++] = report->nr_series;
	GROW(report->series, report->nr_series, report->room_series);
	report->series[report->nr_series] = series;

	key->series = report->nr_series++;
	key->name = xstrdup(key->name);
	key->event = xstrdup(key->event);
	key->place = xstrdup(key->place);
	return series;
}

static bool has_interval(const struct report_series *series, size_t interval)
{
	return series->nr && series->points[series->nr - 1].interval == interval;
}

/**
 * report_find_series - find the series that has no point yet in the last interval
 * @report: the run; a series or counter that is not there is added
 * @name: of the counter
 * @event: of a metric, else ""
 * @unit: of the counter
 * @is_metric: it is one
 * @place: of the series
 *
 * The same event can be counted more than once: tell its lines apart by their order.
 *
 * Return: the series; NULL if there are too many by that name
 */
struct report_series *report_find_series(struct report *report, const char *name, const char *event,
					 const char *unit, bool is_metric, const char *place)
{
	struct key key = {
		.name = (char *)name, .event = (char *)event, .is_metric = is_metric,
		.place = (char *)place,
	};
	struct report_series *series;
	struct key *copy, **found;

	while (key.number++ < MAX_SAME) {
		found = tfind(&key, &report->tree, compare_keys);
		if (!found) {
			copy = xcalloc(1, sizeof(*copy));
			*copy = key;
			series = add_series(report, copy, unit);
			xcheck(tsearch(copy, &report->tree, compare_keys));
			return series;
		}
		series = report->series[(*found)->series];
		if (!has_interval(series, report->nr - 1))
			return series;
	}
	return NULL;
}

/* Adds the point of the last interval. */
void report_add_point(struct report *report, struct report_series *series, enum report_kind kind,
		      double value)
{
	GROW(series->points, series->nr, series->room);
	series->points[series->nr++] = (struct report_point){
		.interval = report->nr - 1, .kind = kind, .value = value,
	};
}

void report_add_state(struct report_series *series, const char *state)
{
	size_t i;

	for (i = 0; i < series->states.nr; i++)
		if (!strcmp(series->states.s[i], state))
			return;
	strings_add(&series->states, xstrdup(state));
}

static void free_series(struct report_series *series)
{
	free(series->place);
	free(series->points);
	strings_free(&series->states);
	free(series);
}

void report_free(struct report *report)
{
	size_t i;

	tdestroy(report->tree, free_key);
	for (i = 0; i < report->nr_series; i++)
		free_series(report->series[i]);
	free(report->series);
	for (i = 0; i < report->nr_counters; i++) {
		free(report->counters[i].name);
		free(report->counters[i].unit);
		free(report->counters[i].event);
		free(report->counters[i].series);
	}
	free(report->counters);
	for (i = 0; i < report->nr_facts; i++)
		free(report->facts[i].value);
	free(report->facts);
	free(report->intervals);
	free(report->command);
}
