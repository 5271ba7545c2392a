// SPDX-License-Identifier: GPL-2.0
/* Follow threads that start and exit, for "perfgrp top -p". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "top.h"

/* The name of each thread is read once in so many frames. */
#define NAMES_EVERY	4

/*
 * Threads that have exited are listed in /proc until they are waited for; others cannot be counted
 * for lack of permission or files. They are remembered, so as not to be tried in every frame.
 */
static void add_task(struct top *top, unsigned int tid)
{
	int err;

	if (numbers_have(&top->st.target.tasks, tid) || numbers_have(&top->done, tid) ||
	    numbers_have(&top->refused, tid))
		return;
	err = stat_add_task(&top->st, tid);
	if (err)
		numbers_add(err == -ESRCH ? &top->done : &top->refused, tid);
}

/* Drops threads that are no longer listed, since their tids may be reused. */
static void keep_listed(struct numbers *tasks, const struct numbers *listed)
{
	size_t nr = 0, i;

	for (i = 0; i < tasks->nr; i++)
		if (numbers_have(listed, tasks->n[i]))
			tasks->n[nr++] = tasks->n[i];
	tasks->nr = nr;
}

/* Lists the threads of a process. A process that exists has at least one. */
static void list_threads(struct numbers *tids, unsigned int pid)
{
	char *dir = xasprintf("/proc/%u/task", pid);
	const size_t before = tids->nr;

	numbers_list_dir(tids, dir);
	/* opendir() needs a file descriptor, and the groups may use all that the limit allows. */
	if (tids->nr == before && !access(dir, F_OK) && allow_more_files())
		numbers_list_dir(tids, dir);
	free(dir);
}

static void add_new_tasks(struct top *top)
{
	struct numbers pids = { 0 }, tids = { 0 };
	size_t i;

	/* Cannot fail: target_resolve() has parsed the list before. */
	numbers_parse(&pids, top->st.target.pids, false);
	for (i = 0; i < pids.nr; i++)
		list_threads(&tids, pids.n[i]);
	keep_listed(&top->done, &tids);
	keep_listed(&top->refused, &tids);
	for (i = 0; i < tids.nr; i++)
		add_task(top, tids.n[i]);
	numbers_free(&pids);
	numbers_free(&tids);
}

static void drop_task(struct top *top, unsigned int tid)
{
	size_t i, j;

	for (i = 0; i < top->st.nr_groups; i++) {
		const struct stat_group *group = &top->st.groups[i];
		struct top_fds *fds = &top->fds[i];

		for (j = fds->nr; j-- > 0;) {
			if (group->tasks[j] != tid)
				continue;
			perfgrp_unmap_rows(fds->fds[j].map);
			fds->nr--;
			memmove(&fds->fds[j], &fds->fds[j + 1],
				(fds->nr - j) * sizeof(*fds->fds));
		}
	}
	stat_drop_task(&top->st, tid);
}

/* Drops the threads that the last frame has shown as exited. */
static void drop_exited_tasks(struct top *top)
{
	size_t i;

	for (i = top->nr_rows; i-- > 0;) {
		if (!top->rows[i]->exited)
			continue;
		numbers_add(&top->done, top->rows[i]->tid);
		drop_task(top, top->rows[i]->tid);
		top_forget(top, top->rows[i]);
		/* There may be room for refused threads now. */
		top->refused.nr = 0;
	}
}

/* Threads may set their name after they have started, and an exec changes it. */
static void read_name(struct top *top, struct top_row *row)
{
	struct aggr_place *place = &top->st.aggr.places[row->place];
	char *comm = read_file("/proc/%u/comm", row->tid);

	if (!comm || !strcmp(comm, place->comm)) {
		free(comm);
		return;
	}
	free(place->comm);
	place->comm = comm;
	top_name_row(top, row);
}

/**
 * top_follow_tasks - add new threads, drop exited ones, and update names
 * @top: of tasks, between two frames
 *
 * Each frame updates the names of some threads only.
 */
void top_follow_tasks(struct top *top)
{
	size_t i;

	if (!top->now)
		return;
	for (i = top->frames % NAMES_EVERY; i < top->nr_rows; i += NAMES_EVERY)
		read_name(top, top->rows[i]);
	if (!top->st.target.pids)
		return;
	drop_exited_tasks(top);
	add_new_tasks(top);
}

/* Returns true if there is nothing left to count. */
bool top_tasks_exited(const struct top *top)
{
	return top->st.target.kind == TARGET_TASKS && !top->nr_tasks;
}
