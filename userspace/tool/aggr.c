// SPDX-License-Identifier: GPL-2.0
/* Aggregation of counts: globally, per CPU, core, socket, thread... */
#include <stdlib.h>
#include <string.h>

#include "aggr.h"
#include "cgroup.h"

static const struct aggr_place nowhere = {
	.cpu = -1, .socket = -1, .die = -1, .core = -1, .cluster = -1, .cache = -1, .node = -1,
	.tid = -1,
};

/* Adds the online CPUs, or CPU 0 if sysfs cannot be read. */
void cpus_online(struct numbers *cpus)
{
	char *text = read_file("/sys/devices/system/cpu/online");

	if (!text || numbers_parse(cpus, text, true))
		numbers_add(cpus, 0);
	free(text);
}

static int topology(int cpu, const char *name)
{
	char *text = read_file("/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
	int value = text ? atoi(text) : 0;

	free(text);
	/* -1 means unknown. */
	return value < 0 ? 0 : value;
}

/* The NUMA node whose directory has the CPU, or 0. */
static int node_of(int cpu)
{
	char *dir = xasprintf("/sys/devices/system/cpu/cpu%d", cpu);
	struct strings names = { 0 };
	int node = 0;
	size_t i;

	list_dir(&names, dir);
	free(dir);
	for (i = 0; i < names.nr; i++)
		if (!strncmp(names.s[i], "node", 4) && names.s[i][4] >= '0' && names.s[i][4] <= '9')
			node = atoi(names.s[i] + 4);
	strings_free(&names);
	return node;
}

/* Returns the first CPU of a sysfs CPU list, or -1. */
static int first_cpu(const char *list)
{
	return list && *list >= '0' && *list <= '9' ? atoi(list) : -1;
}

/* Finds the CPU's cache of a level; 0: of the last level. */
static void find_cache(int cpu, unsigned int level, struct aggr_place *place)
{
	char *dir = xasprintf("/sys/devices/system/cpu/cpu%d/cache", cpu);
	struct strings names = { 0 };
	size_t i;

	place->level = level;
	list_dir(&names, dir);
	for (i = 0; i < names.nr; i++) {
		char *text = read_file("%s/%s/level", dir, names.s[i]);
		int this = text ? atoi(text) : 0;

		free(text);
		if (!this || (level ? this != (int)level : this < place->level))
			continue;
		text = read_file("%s/%s/shared_cpu_list", dir, names.s[i]);
		place->level = this;
		place->cache = first_cpu(text);
		free(text);
	}
	strings_free(&names);
	free(dir);
}

static struct aggr_place make_place(enum aggr_mode mode, unsigned int level, int cpu)
{
	struct aggr_place place = nowhere;

	if (cpu < 0)
		return place;
	switch (mode) {
	case AGGR_CPU:
		place.cpu = cpu;
		break;
	case AGGR_CORE:
		place.core = topology(cpu, "core_id");
		goto die;
	case AGGR_CLUSTER:
		place.cluster = topology(cpu, "cluster_id");
		goto die;
	case AGGR_CACHE:
		find_cache(cpu, level, &place);
		/* fallthrough */
	case AGGR_DIE:
die:
		place.die = topology(cpu, "die_id");
		/* fallthrough */
	case AGGR_SOCKET:
		place.socket = topology(cpu, "physical_package_id");
		break;
	case AGGR_NODE:
		place.node = node_of(cpu);
		break;
	case AGGR_GLOBAL:
	case AGGR_THREAD:
	case AGGR_CGROUP:
		break;
	}
	return place;
}

/**
 * aggr_place_text - perf's name of a place with several CPUs
 * @mode: how counts are aggregated
 * @place: the place
 * @text: filled in
 * @size: room there
 */
void aggr_place_text(enum aggr_mode mode, const struct aggr_place *place, char *text, size_t size)
{
	switch (mode) {
	case AGGR_CORE:
		snprintf(text, size, "S%d-D%d-C%d", place->socket, place->die, place->core);
		return;
	case AGGR_CLUSTER:
		snprintf(text, size, "S%d-D%d-CLS%d", place->socket, place->die, place->cluster);
		return;
	case AGGR_CACHE:
		snprintf(text, size, "S%d-D%d-L%d-ID%d", place->socket, place->die, place->level,
			 place->cache);
		return;
	case AGGR_DIE:
		snprintf(text, size, "S%d-D%d", place->socket, place->die);
		return;
	case AGGR_SOCKET:
		snprintf(text, size, "S%d", place->socket);
		return;
	case AGGR_NODE:
		snprintf(text, size, "N%d", place->node);
		return;
	default:
		*text = '\0';
	}
}

static bool same(const struct aggr_place *a, const struct aggr_place *b)
{
	return a->cpu == b->cpu && a->socket == b->socket && a->die == b->die &&
	       a->core == b->core && a->cluster == b->cluster && a->level == b->level &&
	       a->cache == b->cache && a->node == b->node && a->tid == b->tid &&
	       a->cgroup == b->cgroup && a->special == b->special;
}

/* Finds a place, or adds it. */
static size_t find(struct aggr *aggr, const struct aggr_place *place)
{
	size_t i;

	for (i = 0; i < aggr->nr; i++)
		if (same(&aggr->places[i], place))
			return i;
	GROW(aggr->places, aggr->nr, aggr->room);
	aggr->places[aggr->nr] = *place;
	return aggr->nr++;
}

/**
 * aggr_of_cpu - get the place of a CPU's counts
 * @aggr: the mode, and the places so far
 * @cpu: the CPU, or -1 for counts that are not of one CPU
 *
 * Return: index of the place
 */
size_t aggr_of_cpu(struct aggr *aggr, int cpu)
{
	struct aggr_place place;
	size_t i;

	if (cpu >= 0 && (size_t)cpu < aggr->nr_cpus && aggr->of_cpu[cpu])
		return aggr->of_cpu[cpu] - 1;

	place = make_place(aggr->mode, aggr->level, cpu);
	i = find(aggr, &place);
	if (cpu < 0)
		return i;
	if ((size_t)cpu >= aggr->nr_cpus) {
		aggr->of_cpu = xrealloc(aggr->of_cpu, cpu + 1, sizeof(*aggr->of_cpu));
		memset(aggr->of_cpu + aggr->nr_cpus, 0,
		       (cpu + 1 - aggr->nr_cpus) * sizeof(*aggr->of_cpu));
		aggr->nr_cpus = cpu + 1;
	}
	aggr->of_cpu[cpu] = i + 1;
	aggr->places[i].nr_cpus++;
	return i;
}

/**
 * aggr_of_task - get the place of a task's counts
 * @aggr: the mode, and the places so far
 * @tid: the task
 *
 * Return: index of the place
 */
size_t aggr_of_task(struct aggr *aggr, unsigned int tid)
{
	struct aggr_place place = nowhere;
	size_t i;

	if (aggr->mode == AGGR_THREAD)
		place.tid = tid;
	i = find(aggr, &place);
	if (aggr->mode == AGGR_THREAD && !aggr->places[i].comm) {
		char *comm = read_file("/proc/%u/comm", tid);

		aggr->places[i].comm = comm ? comm : xstrdup("");
	}
	return i;
}

/**
 * aggr_of_cgroup - get the place of a cgroup's counts
 * @aggr: the mode, and the places so far
 * @id: of the cgroup, or 0
 * @special: PERFGRP_ROW_* of a row that is not of one cgroup, or 0
 *
 * Return: index of the place; the caller sets its name
 */
size_t aggr_of_cgroup(struct aggr *aggr, __u64 id, __u32 special)
{
	struct aggr_place place = nowhere;

	place.cgroup = id;
	place.special = special;
	return find(aggr, &place);
}

static void free_place(struct aggr_place *place)
{
	free(place->comm);
	free(place->name);
	container_free(place->container);
}

/**
 * aggr_keep - remove places of cgroups or threads that no longer exist
 * @aggr: with AGGR_CGROUP or AGGR_THREAD; the indices of its places change
 * @wanted: for each place whether to keep it
 */
void aggr_keep(struct aggr *aggr, const bool *wanted)
{
	size_t i, nr = 0;

	for (i = 0; i < aggr->nr; i++) {
		if (wanted[i])
			aggr->places[nr++] = aggr->places[i];
		else
			free_place(&aggr->places[i]);
	}
	aggr->nr = nr;
}

/* Removes all places; keeps the mode. */
void aggr_clear(struct aggr *aggr)
{
	size_t i;

	for (i = 0; i < aggr->nr; i++)
		free_place(&aggr->places[i]);
	free(aggr->places);
	free(aggr->of_cpu);
	*aggr = (struct aggr){ .mode = aggr->mode, .level = aggr->level };
}
