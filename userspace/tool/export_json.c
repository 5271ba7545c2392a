// SPDX-License-Identifier: GPL-2.0
/* JSON, one object per line for each count; perfgrp-export(1) describes the keys. */
#include <inttypes.h>

#include "export.h"
#include "json.h"

/* Names that are not known have no key. */
static void add_name(struct json_object *object, const char *key, const char *value)
{
	if (value)
		json_add_string(object, key, value);
}

static void add_time(struct json_object *object, __u64 ns)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, (uint64_t)(ns / NSEC_PER_SEC),
		 (uint64_t)(ns % NSEC_PER_SEC));
	json_add_literal(object, "timestamp", text);
}

static void add_place(struct json_object *object, const struct export_point *point)
{
	add_name(object, "pmu", point->pmu);
	if (point->cpu >= 0)
		json_add_u64(object, "cpu", point->cpu);
	if (point->tid >= 0)
		json_add_u64(object, "tid", point->tid);
	add_name(object, "comm", point->comm);
	add_name(object, "group", point->leader);
	add_name(object, "cgroup", point->cgroup);
	if (point->container) {
		json_add_string(object, "container-id", point->container->id);
		add_name(object, "container-name", point->container->name);
	}
}

static void add_flags(struct json_object *object, __u32 flags)
{
	const struct stat_cell cell = { .flags = flags };
	struct json_object *array = json_object_new_array();
	const char *flag;
	unsigned int i = 0;

	while ((flag = stat_next_flag(&cell, &i)))
		json_object_array_add(array, json_object_new_string(flag));
	json_object_object_add(object, "flags", array);
}

/* Adds the counts that are valid; a missing value has no key. */
static void add_counts(struct json_object *object, const struct export_values *values,
		       const struct export_point *point)
{
	const bool counted = point->state == EXPORT_COUNTED;

	json_add_string(object, "state", export_state_name(point->state));
	if (counted)
		json_add_u64(object, "raw", point->raw);
	json_add_u64(object, "time-enabled", point->enabled);
	json_add_u64(object, "time-running", point->running);
	if (values->scaled && (counted || point->state == EXPORT_MULTIPLEXED)) {
		json_add_u64(object, "scaled", point->scaled);
		json_add_double(object, "running-ratio", "%.6f",
				point->running == point->enabled ? 1 :
				(double)point->running / point->enabled);
	}
	add_flags(object, point->flags);
}

/* How old that is, and how often its CPU has come back, where that is known. */
static void add_row(struct json_object *object, const struct export_values *values,
		    const struct export_point *point)
{
	const struct export_row *row;

	if (point->row == EXPORT_NO_ROW)
		return;
	row = &values->rows[point->row];
	if (row->has_epoch)
		json_add_u64(object, "epoch", row->epoch);
	if (row->has_age)
		json_add_u64(object, "age", row->age);
}

/**
 * export_print_json - print values as JSON, one per line
 * @out: where to print
 * @values: the values
 */
void export_print_json(FILE *out, const struct export_values *values)
{
	size_t i;

	for (i = 0; i < values->nr; i++) {
		const struct export_point *point = &values->points[i];
		struct json_object *object = json_object_new_object();

		add_time(object, values->time);
		add_name(object, "event", point->event->name);
		add_place(object, point);
		if (point->supported)
			add_counts(object, values, point);
		else
			json_add_string(object, "state", "not_supported");
		add_row(object, values, point);
		if (point->event->scale != 1.0 || *point->event->unit) {
			json_add_double(object, "unit-scale", "%.17g", point->event->scale);
			add_name(object, "unit", point->event->unit);
		}
		json_print(out, object, 0);
	}
}
