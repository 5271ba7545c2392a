/* SPDX-License-Identifier: GPL-2.0 */
/* Aggregation of counts: globally, per CPU, core, socket, thread... */
#ifndef PERFGRP_AGGR_H
#define PERFGRP_AGGR_H

#include <linux/types.h>

#include "util.h"

struct container;

enum aggr_mode {
	AGGR_GLOBAL,		/* one sum */
	AGGR_CPU,
	AGGR_CORE,
	AGGR_CLUSTER,
	AGGR_CACHE,
	AGGR_DIE,
	AGGR_SOCKET,
	AGGR_NODE,
	AGGR_THREAD,
	AGGR_CGROUP,		/* --cgroups */
};

/**
 * struct aggr_place - what one sum is of
 * @cpu: the CPU, or -1
 * @socket: its socket, or -1
 * @die: its die, or -1
 * @core: its core, or -1
 * @cluster: its cluster, or -1
 * @level: with @cache: its level
 * @cache: the first of the CPUs that share a cache, or -1
 * @node: its NUMA node, or -1
 * @tid: the thread, or -1
 * @comm: its name, or NULL
 * @cgroup: the cgroup's id, or 0
 * @special: PERFGRP_ROW_* of a sum that is not of one cgroup
 * @name: name of the cgroup or of such a sum; NULL if there is none
 * @container: the container of the cgroup, or NULL
 * @nr_cpus: number of CPUs in the sum
 */
struct aggr_place {
	int cpu;
	int socket;
	int die;
	int core;
	int cluster;
	int level;
	int cache;
	int node;
	int tid;
	char *comm;
	__u64 cgroup;
	__u32 special;
	char *name;
	struct container *container;
	unsigned int nr_cpus;
};

/**
 * struct aggr - a mode, and its places
 * @mode: how counts are aggregated
 * @level: AGGR_CACHE: which level of caches; 0 for the last one
 * @places: the places
 * @nr: how many
 * @room: how many @places has room for
 * @of_cpu: index of the place of each CPU, plus 1; 0 if not known yet
 * @nr_cpus: how many CPUs are in @of_cpu
 */
struct aggr {
	enum aggr_mode mode;
	unsigned int level;
	struct aggr_place *places;
	size_t nr;
	size_t room;
	size_t *of_cpu;
	size_t nr_cpus;
};

void aggr_place_text(enum aggr_mode mode, const struct aggr_place *place, char *text, size_t size);
size_t aggr_of_cpu(struct aggr *aggr, int cpu);
size_t aggr_of_cgroup(struct aggr *aggr, __u64 id, __u32 special);
size_t aggr_of_task(struct aggr *aggr, unsigned int tid);
void aggr_keep(struct aggr *aggr, const bool *wanted);
void aggr_clear(struct aggr *aggr);
void cpus_online(struct numbers *cpus);

#endif /* PERFGRP_AGGR_H */
