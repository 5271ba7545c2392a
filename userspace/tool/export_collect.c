// SPDX-License-Identifier: GPL-2.0
/* Collect the values of all groups, with their labels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ending.h"
#include "export.h"
#include "utf8.h"

static __u64 read_real_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/*
 * Sets the time of new values. If the clock was set back, the time that has passed is added to the
 * time of the values before. A double, to which most programs convert the time, holds it to a
 * quarter of a us, so a us is the least difference.
 */
static void set_time(struct export_values *values)
{
	const __u64 now = ending_now(), real = read_real_time();
	__u64 passed = now - values->read;

	if (passed < NSEC_PER_USEC)
		passed = NSEC_PER_USEC;
	values->time = real >= values->time + NSEC_PER_USEC ? real : values->time + passed;
	values->read = now;
}

const char *export_state_name(enum export_state state)
{
	static const char *const names[] = {
		[EXPORT_COUNTED] = "counted", [EXPORT_MULTIPLEXED] = "multiplexed",
		[EXPORT_NEVER_RAN] = "never_ran", [EXPORT_FAILED] = "failed",
		[EXPORT_PARTIAL] = "partial",
	};

	return names[state];
}

/* Returns the state of a count; the worst if several apply. */
static enum export_state state_of(const struct stat_cell *cell)
{
	if (cell->flags & PERFGRP_VALUE_FAILED)
		return EXPORT_FAILED;
	if (cell->state != PERFGRP_STATE_COUNTED && cell->state != PERFGRP_STATE_MULTIPLEXED)
		return EXPORT_NEVER_RAN;
	if (cell->flags & PERFGRP_VALUE_PARTIAL)
		return EXPORT_PARTIAL;
	return cell->state == PERFGRP_STATE_COUNTED ? EXPORT_COUNTED : EXPORT_MULTIPLEXED;
}

static const char *find_pmu(const struct pmu_list *list, __u32 type)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->pmus[i].type == type)
			return list->pmus[i].name;
	return NULL;
}

/*
 * A module may have added a PMU, so the list is read again if a PMU is not in it. If it is still
 * not there, its number becomes its name, so that it is not looked up again.
 */
static char *name_pmu(struct export *ex, __u32 type)
{
	const char *name;

	if (type == PERFGRP_NONE)
		return NULL;
	name = find_pmu(&ex->pmus, type);
	if (!name) {
		struct pmu *pmu;

		pmu_list_close(&ex->pmus);
		pmu_list_open(&ex->pmus);
		name = find_pmu(&ex->pmus, type);
		if (!name) {
			GROW(ex->pmus.pmus, ex->pmus.nr, ex->pmus.room);
			pmu = &ex->pmus.pmus[ex->pmus.nr++];
			*pmu = (struct pmu){ .name = xasprintf("%u", type), .type = type };
			name = pmu->name;
		}
	}
	return utf8_clean(name);
}

/* Returns the name of an event by its number, from 1, as stat_sched_group() returns it. */
static const char *name_leader(const struct stat_cmd *st, __u32 number)
{
	size_t i;

	for (i = 0; number && i < st->list.nr; i++) {
		if (number <= st->list.groups[i].nr)
			return st->list.groups[i].events[number - 1].name;
		number -= st->list.groups[i].nr;
	}
	return NULL;
}

static const struct container *container_of(const struct export_set *set,
					    const struct cgroup *cgroup)
{
	const struct cgroup_list *list = &set->st.cgroups;
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->cgroups[i] == cgroup)
			return set->containers[i];
	return NULL;
}

static struct export_point *add_point(struct export_values *values)
{
	GROW(values->points, values->nr, values->room);
	values->points[values->nr] = (struct export_point){
		.cpu = -1, .tid = -1, .row = EXPORT_NO_ROW,
	};
	return &values->points[values->nr++];
}

/* Sets the cgroup of an event, or of a place. */
static void set_cgroup(struct export_point *point, const struct export_set *set,
		       const struct event *event, const struct aggr_place *place)
{
	if (event->cgroup) {
		point->cgroup = utf8_distinct(event->cgroup->name);
		point->container = container_of(set, event->cgroup);
	} else if (place && place->name) {
		point->cgroup = utf8_distinct(place->name);
		point->container = place->container;
	}
}

static void set_place(struct export_point *point, const struct aggr_place *place)
{
	point->cpu = place->cpu;
	point->tid = place->tid;
	point->comm = place->comm;
}

static void add_cell(struct export *ex, const struct export_set *set, const struct event *event,
		     const struct stat_cell *cell)
{
	const struct aggr_place *place = &set->st.aggr.places[cell->place];
	struct export_point *point;

	/* Skip a removed cgroup: a new cgroup may have its name by now. */
	if (set->st.split.mount && cell->flags & PERFGRP_VALUE_EXITED)
		return;
	point = add_point(&ex->values);
	point->event = event;
	point->supported = true;
	point->pmu = name_pmu(ex, cell->pmu);
	point->leader = name_leader(&set->st, stat_sched_group(cell));
	set_cgroup(point, set, event, place);
	set_place(point, place);
	point->state = state_of(cell);
	point->raw = cell->raw;
	point->scaled = cell->scaled;
	point->enabled = cell->enabled;
	point->running = cell->running;
	point->flags = cell->flags;
	point->labels = export_labels(point, false);
}

/* Adds a point without a place, for a group that the machine cannot count. */
static void add_unsupported(struct export *ex, const struct export_set *set,
			    const struct event *event)
{
	struct export_point *point = add_point(&ex->values);

	point->event = event;
	set_cgroup(point, set, event, NULL);
	point->labels = export_labels(point, false);
}

static void add_row(struct export *ex, const struct export_set *set, size_t group,
		    const struct stat_row *row, __u64 now)
{
	const struct stat_cmd *st = &set->st;
	const struct event *event = &st->list.groups[group].events[0];
	struct export_values *values = &ex->values;
	struct export_point of = { .event = event, .leader = event->name, .cpu = -1, .tid = -1 };
	struct export_row *to;

	set_cgroup(&of, set, event, NULL);
	if (st->aggr.mode == AGGR_CPU)
		of.cpu = st->aggr.places[row->place].cpu;
	GROW(values->rows, values->nr_rows, values->room_rows);
	to = &values->rows[values->nr_rows++];
	*to = (struct export_row){
		.labels = export_labels(&of, true),
		.cpu = of.cpu,
		.has_epoch = st->aggr.mode == AGGR_CPU,
		.epoch = row->epoch,
		.has_age = st->opt.no_wake,
		.age = row->time < now ? now - row->time : 0,
	};
	free(of.cgroup);
}

/* Adds a row for each CPU, or for a sum over CPUs one row with the age of the oldest. */
static void add_rows(struct export *ex, const struct export_set *set, size_t group, __u64 now)
{
	const struct stat_group *from = &set->st.groups[group];
	const struct stat_row *oldest = from->rows;
	size_t i;

	if (!from->nr_rows || !target_has_cpus(&set->st.target) || set->st.split.mount)
		return;
	for (i = 0; i < from->nr_rows; i++) {
		if (set->st.aggr.mode == AGGR_CPU)
			add_row(ex, set, group, &from->rows[i], now);
		else if (from->rows[i].time < oldest->time)
			oldest = &from->rows[i];
	}
	if (set->st.aggr.mode != AGGR_CPU)
		add_row(ex, set, group, oldest, now);
}

/* Sets the row of each point of a group. */
static void link_rows(struct export_values *values, size_t first_point, size_t first_row)
{
	size_t i, j;

	for (i = first_point; i < values->nr; i++)
		for (j = first_row; j < values->nr_rows; j++)
			if (values->rows[j].cpu == values->points[i].cpu)
				values->points[i].row = j;
}

/* Removes the cgroups that had no row in the last snapshot. */
static void forget_cgroups(struct stat_cmd *st)
{
	bool *seen = xcalloc(st->aggr.nr + 1, sizeof(*seen));
	size_t i, j, k;

	for (i = 0; i < st->nr_groups; i++) {
		for (j = 0; j < st->list.groups[i].nr; j++) {
			const struct stat_cells *cells = &st->groups[i].events[j].last;

			for (k = 0; k < cells->nr; k++)
				seen[cells->cells[k].place] = true;
		}
	}
	aggr_keep(&st->aggr, seen);
	free(seen);
}

static int collect_set(struct export *ex, struct export_set *set)
{
	struct stat_cmd *st = &set->st;
	size_t i, j, k;
	__u64 now;
	int err;

	if (st->split.mount)
		forget_cgroups(st);
	err = stat_collect(st);
	if (err)
		return err;
	now = ending_now();
	for (i = 0; i < st->nr_groups; i++) {
		const size_t points = ex->values.nr, rows = ex->values.nr_rows;

		for (j = 0; j < st->list.groups[i].nr; j++) {
			const struct event *event = &st->list.groups[i].events[j];
			const struct stat_event *counts = &st->groups[i].events[j];

			if (!st->groups[i].nr)
				add_unsupported(ex, set, event);
			for (k = 0; k < counts->last.nr; k++)
				add_cell(ex, set, event, &counts->last.cells[k]);
		}
		add_rows(ex, set, i, now);
		link_rows(&ex->values, points, rows);
	}
	if (cgroups_named(&st->cgroups))
		stat_cgroups_removed(st);
	return 0;
}

/**
 * export_collect - read all groups
 * @ex: its values are replaced
 *
 * Return: 0; or a negative errno after printing an error, with no values
 */
int export_collect(struct export *ex)
{
	struct export_values *values = &ex->values;
	size_t i;
	int err = 0;

	export_values_clear(values);
	values->scaled = ex->scaled;
	values->totals = ex->totals || ex->cgroups;
	values->version = ex->info.version;
	values->backend = perfgrp_is_perf(ex->dev) ? "perf" : "module";
	set_time(values);
	for (i = 0; i < ex->nr && !err; i++)
		err = collect_set(ex, ex->sets[i]);
	if (err)
		export_values_clear(values);
	else if (ex->error)
		error("the counters can be read again");
	ex->error = err;
	return err;
}

void export_values_clear(struct export_values *values)
{
	size_t i;

	for (i = 0; i < values->nr; i++) {
		free(values->points[i].pmu);
		free(values->points[i].cgroup);
		free(values->points[i].labels);
	}
	for (i = 0; i < values->nr_rows; i++)
		free(values->rows[i].labels);
	values->nr = 0;
	values->nr_rows = 0;
}
