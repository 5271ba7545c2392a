// SPDX-License-Identifier: GPL-2.0
/*
 * Assign cgroups to events: the options -G and --for-each-cgroup, as in perf. A perfgrp group has
 * one cgroup, so all events in braces must have the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"

static const char *mount_of(struct cgroup_list *list)
{
	if (!list->mount)
		list->mount = cgroup_mount();
	return list->mount;
}

static int open_dir(const char *path)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = open(path, flags);

	return fd < 0 && errno == EMFILE && allow_more_files() ? open(path, flags) : fd;
}

/* Finds the cgroup with a directory, or adds it. Returns NULL with errno set on failure. */
static struct cgroup *add_path(struct cgroup_list *list, const char *name, const char *path)
{
	struct cgroup *cgroup;
	size_t i;
	int fd;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->cgroups[i]->path, path))
			return list->cgroups[i];
	fd = open_dir(path);
	if (fd < 0)
		return NULL;
	cgroup = xcalloc(1, sizeof(*cgroup));
	*cgroup = (struct cgroup){ .name = xstrdup(name), .path = xstrdup(path), .fd = fd };
	GROW(list->cgroups, list->nr, list->room);
	list->cgroups[list->nr++] = cgroup;
	return cgroup;
}

/* Finds a cgroup by its name, or adds it. Returns NULL after printing an error. */
static struct cgroup *add_name(struct cgroup_list *list, const char *name)
{
	char *why, *path = cgroup_find(mount_of(list), name, &why);
	struct cgroup *cgroup = NULL;

	if (path) {
		cgroup = add_path(list, name, path);
		if (!cgroup)
			error("cannot open cgroup '%s' (%s): %s", name, path, strerror(errno));
	} else {
		error("%s", why);
	}
	free(path);
	free(why);
	return cgroup;
}

/* Returns the next entry of a comma-separated list; @text is NULL after the last one. */
static char *next_entry(const char **text)
{
	size_t len = strcspn(*text, ",");
	char *entry = xstrndup(*text, len);

	*text = (*text)[len] ? *text + len + 1 : NULL;
	return entry;
}

/* ---- -G --------------------------------------------------------------------- */

static struct event *nth_event(struct event_list *events, size_t n)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (n < events->groups[i].nr)
			return &events->groups[i].events[n];
		n -= events->groups[i].nr;
	}
	return NULL;
}

static void set_all(struct event_list *events, size_t first, size_t nr, struct cgroup *cgroup)
{
	size_t i, j;

	for (i = first; i < first + nr; i++)
		for (j = 0; j < events->groups[i].nr; j++)
			events->groups[i].events[j].cgroup = cgroup;
}

static int give(struct cgroup_list *list, struct event_list *events, const char *text)
{
	while (text) {
		char *name = next_entry(&text);
		struct event *event = nth_event(events, list->given);
		struct cgroup *cgroup = NULL;
		int err = 0;

		if (*name && !event) {
			error("-G: cgroup '%s' is for event %zu, but fewer events come before -G",
			      name, list->given + 1);
			err = -EINVAL;
		} else if (*name) {
			cgroup = add_name(list, name);
			err = cgroup ? 0 : -ENOENT;
		}
		free(name);
		if (err)
			return err;
		if (cgroup)
			event->cgroup = cgroup;
		list->given++;
	}
	/* A single cgroup applies to all events before it. */
	if (list->given == 1)
		set_all(events, 0, events->nr, nth_event(events, 0)->cgroup);
	return 0;
}

/**
 * cgroups_give - assign cgroups to events for -G
 * @list: the cgroups are added
 * @events: the events before -G: each gets the next cgroup, or all get the only one
 * @text: names of cgroups, separated by commas; an empty name means no cgroup
 *
 * If there are no events yet, cgroups_finish() assigns them.
 *
 * Return: 0, or a negative errno after printing an error
 */
int cgroups_give(struct cgroup_list *list, struct event_list *events, const char *text)
{
	if (events->nr)
		return give(list, events, text);
	if (list->early) {
		error("-G: there is no event for cgroup '%s'", text);
		return -EINVAL;
	}
	list->early = text;
	return 0;
}

/* ---- --for-each-cgroup ------------------------------------------------------- */

static int add_matches(struct cgroup_list *list, const char *pattern)
{
	const char *mount = mount_of(list);
	struct strings paths = { 0 };
	size_t i, found = 0;
	int err = 0;
	char *why;

	if (cgroup_match(mount, pattern, &paths, &why)) {
		error("--for-each-cgroup: %s", why);
		free(why);
		return -ENOENT;
	}
	for (i = 0; i < paths.nr && !err; i++) {
		char *path = !strcmp(paths.s[i], "/") ? xstrdup(mount) :
							xasprintf("%s/%s", mount, paths.s[i]);

		if (add_path(list, paths.s[i], path)) {
			found++;
		} else if (errno != ENOENT) {
			err = -errno;
			error("cannot open cgroup '%s': %s", path, strerror(errno));
		}
		free(path);
	}
	strings_free(&paths);
	/* All cgroups that matched were removed before they could be opened. */
	if (!err && !found) {
		error("--for-each-cgroup: all cgroups matching '%s' have been removed", pattern);
		err = -ENOENT;
	}
	return err;
}

/* Repeats all events for each cgroup: first all for the first cgroup, then for the second. */
static int expand(struct cgroup_list *list, struct event_list *events, const char *text)
{
	const size_t nr = events->nr;
	size_t i;

	while (text) {
		char *entry = next_entry(&text);
		int err;

		if (cgroup_is_pattern(entry))
			err = add_matches(list, entry);
		else
			err = add_name(list, *entry ? entry : "/") ? 0 : -ENOENT;
		free(entry);
		if (err)
			return err;
	}
	events_repeat(events, list->nr);
	for (i = 0; i < list->nr; i++)
		set_all(events, i * nr, nr, list->cgroups[i]);
	return 0;
}

/* ---- both --------------------------------------------------------------------- */

static char *describe(const struct cgroup *cgroup)
{
	return cgroup ? xasprintf("'%s'", cgroup->name) : xstrdup("none");
}

/* Events in braces are one perfgrp group, which has one target. */
static int check_braces(const struct event_group *events)
{
	const struct event *first = &events->events[0], *other;
	char *a, *b;
	size_t i;

	for (i = 1; i < events->nr && events->events[i].cgroup == first->cgroup; i++)
		;
	if (i == events->nr)
		return 0;
	other = &events->events[i];
	a = describe(first->cgroup);
	b = describe(other->cgroup);
	error("events in braces must be of the same cgroup: %s is of %s, %s of %s", first->name,
	      a, other->name, b);
	free(a);
	free(b);
	return -EINVAL;
}

/**
 * cgroups_finish - assign cgroups after all options and default events are known
 * @list: the cgroups
 * @events: all events; --for-each-cgroup repeats them
 * @events_named: the user named events
 *
 * Return: 0, or a negative errno after printing an error
 */
int cgroups_finish(struct cgroup_list *list, struct event_list *events, bool events_named)
{
	size_t i;
	int err = 0;

	if (list->each && (list->given || list->early)) {
		error("-G and --for-each-cgroup cannot be used together");
		return -EINVAL;
	}
	if (list->early && (events_named || !events->nr)) {
		error("-G: there is no event for cgroup '%s': define events before cgroups",
		      list->early);
		return -EINVAL;
	}
	if (list->early)
		err = give(list, events, list->early);
	else if (list->each)
		err = expand(list, events, list->each);
	for (i = 0; i < events->nr && !err; i++)
		err = check_braces(&events->groups[i]);
	return err;
}

/* Fails with an error if cgroups were named and the target is not CPUs. */
int cgroups_check_target(const struct cgroup_list *list, const struct target *target)
{
	if (!cgroups_named(list) || target_has_cpus(target))
		return 0;
	error("cgroups (-G, --for-each-cgroup) are counted on CPUs: add -a or -C");
	return -EINVAL;
}

/* Prints the directories that the names stand for. */
void cgroups_say_paths(const struct cgroup_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		error("cgroup '%s' is %s", list->cgroups[i]->name, list->cgroups[i]->path);
}

/* Were cgroups named, so that the output has a column for them? */
bool cgroups_named(const struct cgroup_list *list)
{
	return list->given || list->early || list->each;
}

void cgroups_free(struct cgroup_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		close(list->cgroups[i]->fd);
		free(list->cgroups[i]->name);
		free(list->cgroups[i]->path);
		free(list->cgroups[i]);
	}
	free(list->cgroups);
	free(list->mount);
	memset(list, 0, sizeof(*list));
}

/* The cgroup of a group of events, or NULL. */
struct cgroup *cgroup_of(const struct event_group *events)
{
	return events->events[0].cgroup;
}

/**
 * cgroup_set_target - change PERFGRP_CREATE's target from CPUs to a cgroup on these CPUs
 * @cgroup: the cgroup; NULL: leave @create unchanged
 * @create: after target_set()
 */
void cgroup_set_target(const struct cgroup *cgroup, struct perfgrp_create *create)
{
	if (!cgroup)
		return;
	create->target = PERFGRP_TARGET_CGROUP;
	create->target_fd = cgroup->fd;
}

/**
 * cgroup_was_removed - check whether a cgroup was removed, and report it once
 * @cgroup: the cgroup
 * @fd: a group on it, or NULL if there is none
 *
 * Return: true if it was
 */
bool cgroup_was_removed(struct cgroup *cgroup, struct perfgrp_group *fd)
{
	struct pollfd p = { .fd = fd ? perfgrp_group_fd(fd) : -1 };

	if (cgroup->removed)
		return true;
	/* Without a group, or without the module, there is no fd to query. */
	if (p.fd < 0 ? !access(cgroup->path, F_OK) :
		       poll(&p, 1, 0) <= 0 || !(p.revents & POLLHUP))
		return false;
	cgroup_say_removed(cgroup);
	return true;
}

/* Reports once that a cgroup was removed. */
void cgroup_say_removed(struct cgroup *cgroup)
{
	if (!cgroup->removed)
		error("cgroup '%s' was removed", cgroup->name);
	cgroup->removed = true;
}
