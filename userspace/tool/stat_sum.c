// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over PMUs. An event that is written without one PMU ("imc/data_reads/", "uncore_imc_*", or
 * the name of an event that several PMUs have) is counted on each PMU that has it, and printed as
 * one event, as in perf: with the sum of its counts in each place. The first event of a sum has its
 * counts, so that runs, intervals, metrics and all formats only see the sum.
 *
 * Kinds of CPU are added up only with --hybrid-merge, and nothing is with -A.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu_tables.h"
#include "pmu.h"
#include "stat.h"

/**
 * struct part - an event that is written without one PMU
 * @event: the event
 * @pmu: name of its PMU, or NULL if there is no such PMU
 * @core: that is a kind of CPU
 */
struct part {
	struct event *event;
	const char *pmu;
	bool core;
};

/**
 * struct parts - all such events
 * @parts: the events, in the order of the command line
 * @nr: how many
 * @room: how many @parts has room for
 */
struct parts {
	struct part *parts;
	size_t nr;
	size_t room;
};

static void find_parts(struct parts *parts, const struct event_list *list,
		       const struct pmu_list *pmus)
{
	size_t i, j, k;

	for (i = 0; i < list->nr; i++) {
		for (j = 0; j < list->groups[i].nr; j++) {
			struct part part = { .event = &list->groups[i].events[j] };
			const __u32 type = perfgrp_counter_type(&part.event->counter);

			if (!part.event->sum_name)
				continue;
			for (k = 0; k < pmus->nr && !part.pmu; k++)
				if (pmus->pmus[k].type == type)
					part.pmu = pmus->pmus[k].name;
			part.core = part.pmu && cpu_is_core_pmu(part.pmu);
			GROW(parts->parts, parts->nr, parts->room);
			parts->parts[parts->nr++] = part;
		}
	}
}

static bool is_alike(const struct part *a, const struct part *b)
{
	return !strcmp(a->event->sum_name, b->event->sum_name) && a->core == b->core &&
	       a->event->scale == b->event->scale && !strcmp(a->event->unit, b->event->unit) &&
	       a->event->cgroup == b->event->cgroup &&
	       a->event->metric_event == b->event->metric_event;
}

/* Does a sum have an event of that PMU? If so, the text was given twice, which makes two sums. */
static bool has_pmu(const struct parts *parts, unsigned int sum, const struct event *event)
{
	const __u32 type = perfgrp_counter_type(&event->counter);
	size_t i;

	for (i = 0; i < parts->nr; i++)
		if (parts->parts[i].event->sum == sum &&
		    perfgrp_counter_type(&parts->parts[i].event->counter) == type)
			return true;
	return false;
}

/* Numbers the sums; returns how many events that of part @first has. */
static size_t number_sum(struct parts *parts, size_t first, unsigned int sum)
{
	size_t i, nr = 1;

	parts->parts[first].event->sum = sum;
	for (i = first + 1; i < parts->nr; i++) {
		struct event *event = parts->parts[i].event;

		if (event->sum || !is_alike(&parts->parts[first], &parts->parts[i]) ||
		    has_pmu(parts, sum, event))
			continue;
		event->sum = sum;
		nr++;
	}
	return nr;
}

/* Gives the events of a sum that is not to be made names that tell them apart. */
static void name_apart(const struct parts *parts, unsigned int sum)
{
	size_t i;

	for (i = 0; i < parts->nr; i++) {
		struct event *event = parts->parts[i].event;
		char *name;

		if (event->sum != sum || strcmp(event->name, event->sum_name) ||
		    !parts->parts[i].pmu)
			continue;
		name = xasprintf("%s [%s]", event->name, parts->parts[i].pmu);
		free(event->name);
		event->name = name;
	}
}

/* Forgets the sums that are not to be made. */
static void drop_sums(const struct parts *parts, const bool *apart)
{
	size_t i;

	for (i = 0; i < parts->nr; i++)
		if (apart[parts->parts[i].event->sum])
			parts->parts[i].event->sum = 0;
}

static void choose_sums(struct stat_cmd *st, bool none)
{
	struct parts parts = { 0 };
	struct pmu_list pmus;
	size_t i, nr;
	bool *apart;

	pmu_list_open(&pmus);
	find_parts(&parts, &st->list, &pmus);
	apart = xcalloc(parts.nr + 1, sizeof(*apart));
	for (i = 0; i < parts.nr; i++) {
		if (parts.parts[i].event->sum)
			continue;
		nr = number_sum(&parts, i, ++st->nr_sums);
		apart[st->nr_sums] = none || (nr > 1 && parts.parts[i].core && !st->opt.merge);
		if (nr > 1 && apart[st->nr_sums])
			name_apart(&parts, st->nr_sums);
	}
	drop_sums(&parts, apart);
	if (none)
		st->nr_sums = 0;
	free(apart);
	free(parts.parts);
	pmu_list_close(&pmus);
}

/**
 * stat_choose_sums - find the events whose counts are added up
 * @st: with all events and options; the events get @sum, and a name of their own where counts are
 *	not added up
 */
void stat_choose_sums(struct stat_cmd *st)
{
	choose_sums(st, st->aggr.mode == AGGR_CPU);
}

/**
 * stat_name_apart - add nothing up, and tell the events of several PMUs apart by their names
 * @st: with all events
 */
void stat_name_apart(struct stat_cmd *st)
{
	choose_sums(st, true);
}

static bool has_count(const struct stat_cell *cell)
{
	return cell->state == PERFGRP_STATE_COUNTED || cell->state == PERFGRP_STATE_MULTIPLEXED;
}

/* The sum is unknown if one of its counts is: perf would take that for 0. */
static void add_cell(struct stat_cell *sum, const struct stat_cell *cell)
{
	const bool before = has_count(sum), now = has_count(cell);

	stat_add_cell(sum, cell);
	if (!before || !now)
		sum->state = PERFGRP_STATE_NEVER_RAN;
	if (before != now)
		sum->flags |= PERFGRP_VALUE_PARTIAL;
	sum->flags |= PERFGRP_VALUE_MIXED_PMUS;
	sum->pmu = PERFGRP_NONE;
}

static void add_cells(struct stat_cells *sum, const struct stat_cells *part)
{
	const size_t nr = sum->nr;
	size_t i, j;

	for (i = 0; i < part->nr; i++) {
		for (j = 0; j < nr && sum->cells[j].place != part->cells[i].place; j++)
			;
		if (j < nr) {
			add_cell(&sum->cells[j], &part->cells[i]);
			continue;
		}
		/* The PMUs before it are not counted in this place. */
		GROW(sum->cells, sum->nr, sum->room);
		sum->cells[sum->nr] = part->cells[i];
		sum->cells[sum->nr++].pmu = PERFGRP_NONE;
	}
}

/**
 * struct sum - a sum
 * @to: the event that has its counts
 * @counts: these
 * @lacks: one of its events has no counts at all
 */
struct sum {
	struct stat_event *to;
	struct stat_cells *counts;
	bool lacks;
};

static void add_event(struct sum *sum, struct stat_event *part, struct stat_cells *counts)
{
	if (!counts->nr)
		sum->lacks = true;
	part->added = !!sum->to;
	if (!sum->to) {
		sum->to = part;
		sum->counts = counts;
		return;
	}
	if (!part->supported)
		sum->to->supported = false;
	add_cells(sum->counts, counts);
	counts->nr = 0;
}

/**
 * stat_make_sums - add up counts of PMUs
 * @st: with a snapshot of all groups, or the sums of all intervals
 * @intervals: change the latter
 */
void stat_make_sums(struct stat_cmd *st, bool intervals)
{
	struct sum *sums;
	size_t i, j;

	if (!st->nr_sums)
		return;
	sums = xcalloc(st->nr_sums, sizeof(*sums));
	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			struct stat_event *event = &st->groups[i].events[j];
			const unsigned int sum = st->list.groups[i].events[j].sum;

			if (sum)
				add_event(&sums[sum - 1], event,
					  intervals ? &event->runs : &event->last);
		}
	}
	for (i = 0; i < st->nr_sums; i++) {
		for (j = 0; sums[i].lacks && j < sums[i].counts->nr; j++) {
			struct stat_cell *cell = &sums[i].counts->cells[j];

			if (has_count(cell))
				cell->flags |= PERFGRP_VALUE_PARTIAL;
			cell->state = PERFGRP_STATE_NEVER_RAN;
		}
	}
	free(sums);
}

/* The name to print for an event: that of its sum is as it was written. */
const char *stat_event_name(const struct event *event)
{
	return event->sum ? event->sum_name : event->name;
}
