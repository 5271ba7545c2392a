// SPDX-License-Identifier: GPL-2.0
/*
 * perf stat's JSON, one object on each line; with --raw it also has what the kernel reports
 * about the count. Numbers are the same in every locale, and counts are exact.
 */
#include <inttypes.h>

#include "json.h"
#include "stat.h"

static void begin(struct stat_cmd *st)
{
	(void)st;
}

static void end(struct stat_cmd *st)
{
	(void)st;
}

static void add_place(struct json_object *object, enum aggr_mode mode,
		      const struct aggr_place *place)
{
	static const char *const names[] = {
		[AGGR_CORE] = "core", [AGGR_CLUSTER] = "cluster", [AGGR_CACHE] = "cache",
		[AGGR_DIE] = "die", [AGGR_SOCKET] = "socket", [AGGR_NODE] = "node",
	};
	char text[64];

	switch (mode) {
	case AGGR_CPU:
		if (place->cpu < 0)
			return;
		snprintf(text, sizeof(text), "%d", place->cpu);
		json_add_string(object, "cpu", text);
		return;
	case AGGR_THREAD:
		if (place->tid < 0)
			return;
		snprintf(text, sizeof(text), "%s-%d", place->comm, place->tid);
		json_add_string(object, "thread", text);
		return;
	case AGGR_CORE:
	case AGGR_CLUSTER:
	case AGGR_CACHE:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
		aggr_place_text(mode, place, text, sizeof(text));
		json_add_string(object, names[mode], text);
		break;
	case AGGR_GLOBAL:
	case AGGR_CGROUP:
		return;
	}
	json_add_u64(object, "aggregate-number", place->nr_cpus);
}

/* Starts a line with the time and the place. */
struct json_object *stat_json_new(const struct stat_cmd *st, const struct aggr_place *place)
{
	struct json_object *object = json_object_new_object();
	char text[32];

	if (stat_is_interval(st)) {
		snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64,
			 (uint64_t)st->timestamp / 1000000000,
			 (uint64_t)st->timestamp % 1000000000);
		json_add_literal(object, "interval", text);
	}
	add_place(object, st->aggr.mode, place);
	return object;
}

/*
 * A metric of -M without a value is null. Another is printed as if the event had no metric, so that
 * its 0 is not taken for a value.
 */
static void add_metric(struct json_object *object, const struct stat_metric *metric)
{
	if (metric && metric->named) {
		if (metric->format)
			json_add_double(object, "metric-value", "%f", metric->value);
		else
			json_object_object_add(object, "metric-value", NULL);
		json_add_string(object, "metric-unit", metric->unit);
		if (metric->verdict)
			json_add_string(object, "metric-threshold", metric->verdict);
		return;
	}
	if (metric && !metric->format)
		metric = NULL;
	json_add_double(object, "metric-value", "%f", metric ? metric->value : 0);
	json_add_string(object, "metric-unit", metric ? metric->unit : "");
}

static void add_raw(struct json_object *object, const struct stat_cell *cell)
{
	struct json_object *flags = json_object_new_array();
	const char *flag;
	unsigned int i = 0;

	json_add_u64(object, "raw", cell->raw);
	if (cell->flags & PERFGRP_VALUE_SCALED)
		json_add_u64(object, "scaled", cell->scaled);
	json_add_u64(object, "time-enabled", cell->enabled);
	json_add_u64(object, "time-running", cell->running);
	json_add_string(object, "state", stat_state(cell));
	while ((flag = stat_next_flag(cell, &i)))
		json_object_array_add(flags, json_object_new_string(flag));
	json_object_object_add(object, "flags", flags);
	json_add_u64(object, "group", stat_sched_group(cell));
}

static void add_container(struct json_object *object, const struct container *container)
{
	json_add_string(object, "container-id", container->id);
	if (container->name)
		json_add_string(object, "container-name", container->name);
}

static void line(struct stat_cmd *st, const struct stat_line *line)
{
	struct json_object *object = stat_json_new(st, line->place);
	const struct stat_cell *cell = line->cell;
	__u64 count = stat_count(st, cell);
	char text[64];
	unsigned int i;

	if (line->missing)
		snprintf(text, sizeof(text), "%s", line->missing);
	else if (line->event->scale == 1.0)
		snprintf(text, sizeof(text), "%" PRIu64 ".000000", (uint64_t)count);
	else
		snprintf(text, sizeof(text), "%f", count * line->event->scale);
	json_add_string(object, "counter-value", text);
	json_add_string(object, "unit", line->event->unit);
	json_add_string(object, "event", line->name);
	if (line->cgroup)
		json_add_string(object, "cgroup", line->cgroup);
	if (line->place->container)
		add_container(object, line->place->container);
	if (st->opt.runs > 1)
		json_add_double(object, "variance", "%.2f", line->noise);
	if (line->runs)
		json_add_u64(object, "runs-counted", line->runs);
	json_add_u64(object, "event-runtime", stat_runtime(st, cell));
	json_add_double(object, "pcnt-running", "%.2f", stat_percent(cell));
	add_metric(object, line->nr_metrics ? &line->metrics[0] : NULL);
	if (st->opt.raw)
		add_raw(object, cell);
	json_print(st->out, object, 0);

	for (i = 1; i < line->nr_metrics; i++) {
		object = stat_json_new(st, line->place);
		add_metric(object, &line->metrics[i]);
		json_print(st->out, object, 0);
	}
}

const struct stat_format stat_json = { begin, line, end };
