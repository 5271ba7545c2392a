// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of a snapshot, once they are read: flags that depend on all values of a row, and totals.
 *
 * No state. perfgrp_group.lock is held, at least for reading.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "group.h"
#include "row.h"
#include "value.h"

/* ---- flags of a whole row ------------------------------------------------- */

static bool all_exited(const struct perfgrp_row *row, const struct perfgrp_value *values)
{
	unsigned int m;

	for (m = 0; m < row->nr_values; m++)
		if (!(values[m].flags & PERFGRP_VALUE_EXITED))
			return false;
	return true;
}

/* During an exit only some of the events may be in EXIT state; report EXITED once all are. */
static void check_exited(struct perfgrp_row *row, struct perfgrp_value *values)
{
	unsigned int m;

	if (all_exited(row, values))
		return;
	row->flags &= ~PERFGRP_ROW_EXITED;
	for (m = 0; m < row->nr_values; m++)
		values[m].flags &= ~PERFGRP_VALUE_EXITED;
}

/* NO_MUX: if one event failed, the whole row has. */
static void fail_row(const struct perfgrp_row *row, struct perfgrp_value *values)
{
	unsigned int m;

	for (m = 0; m < row->nr_values; m++)
		values[m].flags |= PERFGRP_VALUE_FAILED;
}

static void finish_cgroup_row(const struct perfgrp_group *group, struct perfgrp_row *row,
			      struct perfgrp_value *values, bool removed)
{
	unsigned int m;

	if (removed)
		row->flags |= PERFGRP_ROW_EXITED;
	for (m = 0; m < row->nr_values; m++) {
		if (group->counted)
			perfgrp_value_check_absent(&values[m]);
		if (removed)
			values[m].flags |= PERFGRP_VALUE_EXITED;
	}
}

/* The slow path of perfgrp_row_finish(). */
void perfgrp_row_finish_flags(const struct perfgrp_group *group, struct perfgrp_row *row,
			      struct perfgrp_value *values, bool removed)
{
	if (row->flags & PERFGRP_ROW_EXITED)
		check_exited(row, values);
	if (group->flags & PERFGRP_CREATE_NO_MUX && row->flags & PERFGRP_ROW_FAILED)
		fail_row(row, values);
	if (group->cgroup || group->split)
		finish_cgroup_row(group, row, values, removed);
}

/* ---- totals -------------------------------------------------------------- */

/* A value without a PMU (PERFGRP_NONE) matches any. */
static bool same_pmus(const struct perfgrp_value *a, const struct perfgrp_value *b, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (a[i].pmu != b[i].pmu && a[i].pmu != PERFGRP_NONE && b[i].pmu != PERFGRP_NONE)
			return false;
	return true;
}

/* The total to add a row with the values @of to; a new one if there is none for its PMUs yet. */
static struct perfgrp_row *get_total(struct perfgrp_row *rows, struct perfgrp_value *values,
				     unsigned int *nr, const struct perfgrp_value *of,
				     unsigned int nr_members, bool mix)
{
	struct perfgrp_row *row;
	unsigned int i;

	for (i = 0; i < *nr; i++)
		if (mix || same_pmus(&values[rows[i].first_value], of, nr_members))
			return &rows[i];

	row = &rows[(*nr)++];
	*row = (struct perfgrp_row){
		.cpu = -1,
		/* perfgrp_row_sum() clears the flags that not all rows have. */
		.flags = PERFGRP_ROW_TOTAL | PERFGRP_ROW_OFFLINE | PERFGRP_ROW_EXITED,
		.first_value = i * nr_members,
		.nr_values = nr_members,
		.time_before = U64_MAX,
	};
	for (i = 0; i < nr_members; i++)
		values[row->first_value + i] = (struct perfgrp_value){
			.id = of[i].id,
			.pmu = of[i].pmu,
		};
	return row;
}

/**
 * perfgrp_row_sum - sum rows of CPUs
 * @rows: the CPUs' rows
 * @nr_rows: how many there are
 * @values: the array that their first_value indexes
 * @nr_members: values in a row
 * @mix: also add up rows of different PMUs
 * @totals: room for @nr_rows totals
 * @total_values: room for their values
 *
 * Return: number of totals. Without @mix there is one for each set of PMUs.
 */
unsigned int perfgrp_row_sum(const struct perfgrp_row *rows, unsigned int nr_rows,
			     const struct perfgrp_value *values, unsigned int nr_members, bool mix,
			     struct perfgrp_row *totals, struct perfgrp_value *total_values)
{
	const struct perfgrp_row *row;
	struct perfgrp_row *total;
	unsigned int nr = 0, m;

	for (row = rows; row < rows + nr_rows; row++) {
		total = get_total(totals, total_values, &nr, &values[row->first_value], nr_members,
				  mix);
		for (m = 0; m < nr_members; m++)
			perfgrp_value_add(&total_values[total->first_value + m],
					  &values[row->first_value + m]);
		total->nr_cpus += row->nr_cpus;
		total->flags |= row->flags & PERFGRP_ROW_FAILED;
		if (!(row->flags & PERFGRP_ROW_OFFLINE))
			total->flags &= ~PERFGRP_ROW_OFFLINE;
		if (!(row->flags & PERFGRP_ROW_EXITED))
			total->flags &= ~PERFGRP_ROW_EXITED;
		total->time_before = min(total->time_before, row->time_before);
		total->time_after = max(total->time_after, row->time_after);
	}
	return nr;
}
