// SPDX-License-Identifier: GPL-2.0
/* The option --cgroups: counting all cgroups at once, and their names. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"

/**
 * cgroup_split_open - find the root of all cgroups
 * @split: its mount and fd are set
 *
 * Return: 0, or a negative errno after printing an error
 */
int cgroup_split_open(struct cgroup_split *split)
{
	split->mount = cgroup2_mount();
	if (!split->mount) {
		error("--cgroups: cgroup2 is not mounted");
		return -ENOENT;
	}
	split->fd = open(split->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (split->fd >= 0)
		return 0;
	error("%s: %s", split->mount, strerror(errno));
	return -errno;
}

/* Returns the id of the root. */
__u64 cgroup_split_root(const struct cgroup_split *split)
{
	struct stat st;

	return fstat(split->fd, &st) ? 0 : st.st_ino;
}

/* With --cgroups, makes PERFGRP_CREATE split the counts by cgroup. */
void cgroup_split_set(const struct cgroup_split *split, struct perfgrp_create *create)
{
	if (!split->mount)
		return;
	create->flags |= PERFGRP_CREATE_SPLIT_BY_CGROUP;
	create->target_fd = split->fd;
	create->split_depth = split->depth;
}

static void forget(struct cgroup_split *split)
{
	size_t i;

	for (i = 0; i < split->nr; i++)
		free(split->known[i].name);
	split->nr = 0;
}

/* A path that begins like the name of a row that is not of one cgroup gets a slash. */
static char *name_of(const char *path)
{
	return xasprintf("%s%s", *path == '(' ? "/" : "", path);
}

/* Lists the cgroups that exist now. */
static void look(struct cgroup_split *split)
{
	struct strings paths = { 0 };
	struct stat st;
	size_t i;

	forget(split);
	strings_add(&paths, xstrdup("/"));
	cgroup_list_below(split->mount, "", &paths);
	for (i = 0; i < paths.nr; i++) {
		char *path = xasprintf("%s/%s", split->mount, i ? paths.s[i] : "");

		if (!stat(path, &st)) {
			GROW(split->known, split->nr, split->room);
			split->known[split->nr++] = (struct cgroup_id){
				.id = st.st_ino, .name = name_of(paths.s[i]) };
		}
		free(path);
	}
	strings_free(&paths);
}

static const char *find(const struct cgroup_split *split, __u64 id)
{
	size_t i;

	for (i = 0; i < split->nr; i++)
		if (split->known[i].id == id)
			return split->known[i].name;
	return NULL;
}

/**
 * cgroup_split_name - get the name of a row
 * @split: the cgroups
 * @id: cgroup id of the row
 * @special: PERFGRP_ROW_* of a row that is not of one cgroup
 * @looked: the cgroups were already listed for a row of the same snapshot; set when they are listed
 *
 * Return: a name, to be freed
 */
char *cgroup_split_name(struct cgroup_split *split, __u64 id, __u32 special, bool *looked)
{
	const char *name;

	if (special & PERFGRP_ROW_OUTSIDE)
		return xstrdup("(outside)");
	if (special & PERFGRP_ROW_REMOVED)
		return xstrdup("(removed)");
	if (special & PERFGRP_ROW_OVERFLOW)
		return xstrdup("(overflow)");
	name = find(split, id);
	if (!name && !*looked) {
		look(split);
		*looked = true;
		name = find(split, id);
	}
	/* The cgroup was created and removed since they were last listed. */
	return name ? xstrdup(name) : xasprintf("(cgroup %llu, removed)", (unsigned long long)id);
}

void cgroup_split_free(struct cgroup_split *split)
{
	forget(split);
	free(split->known);
	if (split->mount && split->fd >= 0)
		close(split->fd);
	free(split->mount);
}
