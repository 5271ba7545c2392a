/* SPDX-License-Identifier: GPL-2.0 */
/* Events and metrics of the machine's CPU, from what scripts/pmu-events has made. */
#ifndef PERFGRP_CPU_TABLES_H
#define PERFGRP_CPU_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct cpu_event - an event that the CPU's maker has named
 * @name: its name, of which case does not matter
 * @pmu: the PMU, or "-" for that of the cores
 * @terms: what stands between the PMU's slashes
 * @unit: scale and unit, or ""
 * @desc: what it counts, or ""
 */
struct cpu_event {
	const char *name;
	const char *pmu;
	const char *terms;
	const char *unit;
	const char *desc;
};

/**
 * struct cpu_metric - a metric
 * @name: its name
 * @pmu: as above
 * @groups: the groups that it is in, with semicolons between them
 * @unit: scale and unit, or ""
 * @constraint: when its events cannot be one group, or ""
 * @expr: how to compute it
 * @threshold: when it is worth a look, or ""
 * @desc: what it is
 */
struct cpu_metric {
	const char *name;
	const char *pmu;
	const char *groups;
	const char *unit;
	const char *constraint;
	const char *expr;
	const char *threshold;
	const char *desc;
};

/**
 * struct cpu_metric_group - what a group of metrics is about
 * @name: the group
 * @desc: what it is about
 */
struct cpu_metric_group {
	const char *name;
	const char *desc;
};

/**
 * struct cpu_tables - all that is known of a CPU
 * @cpuid: the CPU: vendor-family-model-stepping, or the MIDR
 * @file: the file
 * @text: its content, which the others point into
 * @events: by name
 * @nr_events: how many
 * @room_events: how many @events has room for
 * @metrics: as in the file
 * @nr_metrics: how many
 * @room_metrics: how many @metrics has room for
 * @groups: groups that have a description
 * @nr_groups: how many
 * @room_groups: how many @groups has room for
 * @why: why there is nothing, or NULL
 */
struct cpu_tables {
	char *cpuid;
	char *file;
	char *text;
	struct cpu_event *events;
	size_t nr_events;
	size_t room_events;
	struct cpu_metric *metrics;
	size_t nr_metrics;
	size_t room_metrics;
	struct cpu_metric_group *groups;
	size_t nr_groups;
	size_t room_groups;
	char *why;
};

const struct cpu_tables *cpu_tables(void);
const struct cpu_event *cpu_tables_event(const struct cpu_tables *tables, const char *name,
					 size_t len, const struct cpu_event *after);
const struct cpu_metric *cpu_tables_metric(const struct cpu_tables *tables, const char *name,
					   const char *pmu);
bool cpu_metric_is_in(const struct cpu_metric *metric, const char *group);
bool cpu_is(const char *cpuid, const char *number);
bool cpu_is_core_pmu(const char *name);

#endif /* PERFGRP_CPU_TABLES_H */
