// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of events: one for the command line, and one for each line of the file of events. After a
 * reload, lines that are still in the file keep their groups and so their counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

/**
 * export_set_new - make a set without groups
 * @ex: with all options
 * @text: a line of the file of events, or NULL
 *
 * Return: the set, for export_set_free()
 */
struct export_set *export_set_new(const struct export *ex, const char *text)
{
	struct export_set *set = xcalloc(1, sizeof(*set));

	set->text = text ? xstrdup(text) : NULL;
	set->st = (struct stat_cmd){
		.opt = { .runs = 1, .since_start = true, .no_inherit = ex->no_inherit },
		.target = ex->target,
		.cgroups = { .each = ex->each },
		.split = { .depth = ex->depth },
		.snap = xcheck(perfgrp_snap_new()),
		.user = -1,
		.control = { .fd = -1, .ack = -1 },
	};
	return set;
}

void export_set_free(struct export_set *set)
{
	size_t i;

	if (!set)
		return;
	for (i = 0; set->containers && i < set->st.cgroups.nr; i++)
		container_free(set->containers[i]);
	free(set->containers);
	/* The device is shared by all sets. */
	set->st.dev = NULL;
	stat_free(&set->st);
	free(set->text);
	free(set);
}

/* Finds the containers of named cgroups; for the rows of --cgroups this is done elsewhere. */
static void find_containers(struct export_set *set)
{
	const struct cgroup_list *list = &set->st.cgroups;
	size_t len = list->mount ? strlen(list->mount) : 0, i;

	set->containers = xcalloc(list->nr + 1, sizeof(*set->containers));
	for (i = 0; i < list->nr && len; i++) {
		const char *path = list->cgroups[i]->path;

		if (!strncmp(path, list->mount, len) && path[len] == '/')
			set->containers[i] = container_find(list->mount, "/proc", path + len + 1);
	}
}

static void choose_places(const struct export *ex, struct stat_cmd *st)
{
	if (st->split.mount)
		st->aggr.mode = AGGR_CGROUP;
	else if (ex->totals)
		st->aggr.mode = AGGR_GLOBAL;
	else if (target_has_cpus(&st->target))
		st->aggr.mode = AGGR_CPU;
	else
		st->aggr.mode = AGGR_THREAD;
}

/**
 * export_set_prepare - resolve the target, cgroups and default events of a set
 * @ex: with all options
 * @set: with its events parsed
 * @named: the user named events
 *
 * Return: 0, or a negative errno after printing an error
 */
int export_set_prepare(const struct export *ex, struct export_set *set, bool named)
{
	struct stat_cmd *st = &set->st;
	int err;

	err = target_resolve(&st->target);
	if (err)
		return err;
	err = cgroups_check_target(&st->cgroups, &st->target);
	if (err)
		return err;
	if (ex->cgroups) {
		err = cgroup_split_open(&st->split);
		if (err)
			return err;
	}
	choose_places(ex, st);
	if (!named)
		err = stat_add_default_events(st);
	if (!err)
		err = cgroups_finish(&st->cgroups, &st->list, named);
	if (err)
		return err;
	stat_name_apart(st);
	find_containers(set);
	return 0;
}

static int open_set(const struct export *ex, struct export_set *set)
{
	struct stat_cmd *st = &set->st;
	int err = stat_use_device(st, ex->dev, ex->info.features);

	if (err)
		return err;
	/* Do not wake idle CPUs if the module and the target allow that. */
	st->opt.no_wake = st->features & PERFGRP_FEATURE_MAPPED && target_has_cpus(&st->target) &&
			  !cgroups_named(&st->cgroups) && !st->split.mount;
	err = stat_open(st);
	return err ? err : stat_enable(st);
}

/* ---- all sets ------------------------------------------------------------------ */

static const struct event *event_at(const struct export_set *set, size_t n)
{
	const struct event_list *list = &set->st.list;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (n < list->groups[i].nr)
			return &list->groups[i].events[n];
		n -= list->groups[i].nr;
	}
	return NULL;
}

static int compare_events(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return strcmp(x->cgroup ? x->cgroup->name : "", y->cgroup ? y->cgroup->name : "");
}

/* Refuses duplicate events: they would be two values with the same labels. */
static int check_names(struct export_set *const *sets, size_t nr)
{
	const struct event **events = NULL, *event;
	size_t nr_events = 0, room = 0, i, j;
	int err = 0;

	for (i = 0; i < nr; i++) {
		for (j = 0; (event = event_at(sets[i], j)); j++) {
			GROW(events, nr_events, room);
			events[nr_events++] = event;
		}
	}
	if (nr_events)
		qsort(events, nr_events, sizeof(*events), compare_events);
	for (i = 1; i < nr_events && !err; i++) {
		if (compare_events(&events[i - 1], &events[i]))
			continue;
		error("the event '%s' is given twice; use name= to tell them apart",
		      events[i]->name);
		err = -EINVAL;
	}
	free(events);
	return err;
}

/* Reads the lines of the file, without comments and empty lines. */
static int read_lines(const char *path, struct strings *lines)
{
	char *text, *line, *rest;

	errno = 0;
	text = read_file("%s", path);
	rest = text;
	/* read_file() also returns NULL for an empty file, which is not an error. */
	if (!text && errno) {
		error("cannot read the events in '%s': %s", path, strerror(errno));
		return -ENOENT;
	}
	while ((line = strsep(&rest, "\n"))) {
		size_t len;

		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t\r");
		for (len = strlen(line); len && strchr(" \t\r", line[len - 1]); len--)
			;
		if (len)
			strings_add(lines, xstrndup(line, len));
	}
	free(text);
	if (lines->nr)
		return 0;
	error("there are no events in '%s'", path);
	return -EINVAL;
}

/* Finds the old set with a line's text, and removes it from the array. */
static struct export_set *take_old(struct export_set **sets, size_t nr, const char *text)
{
	struct export_set *set;
	size_t i;

	for (i = 0; i < nr; i++) {
		set = sets[i];
		if (set && set->text && !strcmp(set->text, text)) {
			sets[i] = NULL;
			return set;
		}
	}
	return NULL;
}

/* Parses and prepares the events of a new set. */
static int parse_set(const struct export *ex, struct export_set *set)
{
	int err = cmd_add_events(&set->st.list, set->text);

	return err ? err : export_set_prepare(ex, set, true);
}

/*
 * Makes sets for all lines; existing sets are taken from @ex. On failure new sets are freed, and
 * @ex keeps the sets that it had.
 */
static int replace_sets(struct export *ex, const struct strings *lines, bool *usage)
{
	struct export_set **old = xcalloc(ex->nr + 1, sizeof(*old)), **sets;
	bool *is_new = xcalloc(ex->nr + lines->nr, sizeof(*is_new));
	size_t nr = 0, i;
	int err = 0;

	for (i = 0; i < ex->nr; i++)
		old[i] = ex->sets[i];
	sets = xcalloc(ex->nr + lines->nr, sizeof(*sets));
	/* Keep the set of the command line. */
	if (ex->nr && !old[0]->text) {
		sets[nr++] = old[0];
		old[0] = NULL;
	}
	for (i = 0; i < lines->nr && !err; i++) {
		struct export_set *set = take_old(old, ex->nr, lines->s[i]);

		is_new[nr] = !set;
		sets[nr] = set ? set : export_set_new(ex, lines->s[i]);
		err = is_new[nr] ? parse_set(ex, sets[nr]) : 0;
		nr++;
	}
	if (!err)
		err = check_names(sets, nr);
	*usage = err;
	for (i = 0; i < nr && !err; i++)
		if (is_new[i])
			err = open_set(ex, sets[i]);
	if (err) {
		for (i = 0; i < nr; i++)
			if (is_new[i])
				export_set_free(sets[i]);
		free(sets);
	} else {
		for (i = 0; i < ex->nr; i++)
			export_set_free(old[i]);
		free(ex->sets);
		ex->sets = sets;
		ex->nr = nr;
	}
	free(is_new);
	free(old);
	return err;
}

/**
 * export_load - open and enable all sets
 * @ex: with all options and the device
 * @first: events of the command line, prepared, or NULL; @ex takes ownership
 * @usage: set if a failure is a usage error
 *
 * Return: 0, or a negative errno after printing an error
 */
int export_load(struct export *ex, struct export_set *first, bool *usage)
{
	struct strings lines = { 0 };
	int err = 0;

	if (first) {
		ex->sets = xcalloc(1, sizeof(*ex->sets));
		ex->sets[ex->nr++] = first;
		err = check_names(ex->sets, ex->nr);
	}
	if (!err && ex->file)
		err = read_lines(ex->file, &lines);
	*usage = err;
	if (!err && first)
		err = open_set(ex, first);
	if (!err && ex->file)
		err = replace_sets(ex, &lines, usage);
	strings_free(&lines);
	return err;
}

/**
 * export_reload - reload the file of events
 * @ex: its sets are replaced; on failure they stay
 *
 * Return: 0, or a negative errno after printing an error
 */
int export_reload(struct export *ex)
{
	struct strings lines = { 0 };
	bool usage;
	int err;

	if (!ex->file)
		return 0;
	err = read_lines(ex->file, &lines);
	if (!err)
		err = replace_sets(ex, &lines, &usage);
	/* The values point into the sets. */
	export_values_clear(&ex->values);
	strings_free(&lines);
	return err;
}

void export_free(struct export *ex)
{
	size_t i;

	export_values_clear(&ex->values);
	free(ex->values.points);
	free(ex->values.rows);
	for (i = 0; i < ex->nr; i++)
		export_set_free(ex->sets[i]);
	free(ex->sets);
	pmu_list_close(&ex->pmus);
	perfgrp_close(ex->dev);
}
