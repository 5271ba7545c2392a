/* SPDX-License-Identifier: GPL-2.0 */
/* Events and metrics of the machine's CPU, from the files that scripts/pmu-events makes. */
#ifndef PERFGRP_CPU_TABLES_H
#define PERFGRP_CPU_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct cpu_event - an event with a name from the CPU vendor
 * @name: its name, compared without case
 * @pmu: the PMU, or "-" for the core PMU
 * @terms: the text between the PMU's slashes
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
 * @pmu: as in &struct cpu_event
 * @groups: its groups, separated by semicolons
 * @unit: scale and unit, or ""
 * @constraint: condition under which its events cannot be one group, or ""
 * @expr: expression to compute it
 * @threshold: expression that is true if the value is noteworthy, or ""
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
 * struct cpu_metric_group - a group of metrics
 * @name: its name
 * @desc: its description
 */
struct cpu_metric_group {
	const char *name;
	const char *desc;
};

/**
 * struct cpu_tables - the tables of a CPU
 * @cpuid: the CPU: vendor-family-model-stepping, or the MIDR
 * @file: the file
 * @text: its content, which the others point into
 * @events: sorted by name
 * @nr_events: how many
 * @room_events: how many @events has room for
 * @metrics: in the order of the file
 * @nr_metrics: how many
 * @room_metrics: how many @metrics has room for
 * @groups: groups that have a description
 * @nr_groups: how many
 * @room_groups: how many @groups has room for
 * @why: why the tables are empty, or NULL
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
