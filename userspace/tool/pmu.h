/* SPDX-License-Identifier: GPL-2.0 */
/* The PMUs that the kernel shows in sysfs: numbers, formats, named events. */
#ifndef PERFGRP_PMU_H
#define PERFGRP_PMU_H

#include "events.h"
#include "util.h"

/**
 * struct pmu_dir - one directory of /sys/bus/event_source/devices
 * @dir: the directory
 * @name: its name
 * @type: what attr.type says for it
 */
struct pmu_dir {
	char *dir;
	char *name;
	__u32 type;
};

/**
 * struct pmu_list - all PMUs
 * @pmus: the PMUs, by name
 * @nr: how many
 * @room: how many @pmus has room for
 */
struct pmu_list {
	struct pmu_dir *pmus;
	size_t nr;
	size_t room;
};

int pmu_open(struct pmu_dir *pmu, const struct event_sources *sources, const char *name);
void pmu_close(struct pmu_dir *pmu);
void pmu_list_open(struct pmu_list *list, const struct event_sources *sources);
void pmu_list_close(struct pmu_list *list);
char *pmu_find_name(__u32 type, const struct event_sources *sources, const char *unknown);
void pmu_match(struct strings *names, const struct event_sources *sources, const char *pattern);
void pmu_event_names(const struct pmu_dir *pmu, struct strings *names);
bool pmu_has_event(const struct pmu_dir *pmu, const char *name);
char *pmu_cpus(const struct pmu_dir *pmu);
int pmu_common_terms(struct event *event, const char *text, struct event_error *err);
int pmu_encode(const struct pmu_dir *pmu, const char *text, struct event *event,
	       struct event_error *err);

#endif /* PERFGRP_PMU_H */
