/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups: finding their directories, and the events that count them. */
#ifndef PERFGRP_CGROUP_H
#define PERFGRP_CGROUP_H

#include "events.h"
#include "target.h"
#include "util.h"

/* cgroup.c: from names to directories */

#define CGROUP_ID_DIGITS	"0123456789abcdef"

char *cgroup_mount(void);
char *cgroup2_mount(void);
char *cgroup_find(const char *mount, const char *name, char **why);
int cgroup_match(const char *mount, const char *pattern, struct strings *paths, char **why);
void cgroup_list_below(const char *mount, const char *below, struct strings *paths);
bool cgroup_is_pattern(const char *text);
const char *cgroup_find_id(const char *component);

/* container.c: names of containers */

/**
 * struct container - the container of a cgroup
 * @id: its id
 * @name: its host name, or NULL if not known
 * @label: text to show: host name, short id, and which part of the container the cgroup is
 */
struct container {
	char *id;
	char *name;
	char *label;
};

struct container *container_find(const char *mount, const char *proc, const char *path);
void container_free(struct container *container);

/* cgroup_split.c: the option --cgroups: all cgroups at once */

/**
 * struct cgroup_id - a cgroup's number and name
 * @id: inode number of its directory
 * @name: its path below the mount point; "/" is the root
 */
struct cgroup_id {
	__u64 id;
	char *name;
};

/**
 * struct cgroup_split - the cgroups below the root of cgroup2
 * @depth: number of levels below the root that are counted separately; 0 for all
 * @mount: where cgroup2 is mounted; NULL without --cgroups
 * @fd: @mount, open
 * @known: the cgroups that existed when they were last listed
 * @nr: how many
 * @room: how many @known has room for
 */
struct cgroup_split {
	unsigned int depth;
	char *mount;
	int fd;
	struct cgroup_id *known;
	size_t nr;
	size_t room;
};

int cgroup_split_open(struct cgroup_split *split);
__u64 cgroup_split_root(const struct cgroup_split *split);
void cgroup_split_set(const struct cgroup_split *split, struct perfgrp_create *create);
char *cgroup_split_name(struct cgroup_split *split, __u64 id, __u32 special, bool *looked);
void cgroup_split_free(struct cgroup_split *split);

/* cgroup_events.c: the options -G and --for-each-cgroup */

/**
 * struct cgroup - a cgroup whose tasks are counted
 * @name: its name in the output
 * @path: its directory
 * @fd: @path, open
 * @removed: its removal has been reported
 */
struct cgroup {
	char *name;
	char *path;
	int fd;
	bool removed;
};

/**
 * struct cgroup_list - the cgroups of a command line
 * @cgroups: the cgroups, each once
 * @nr: how many
 * @room: how many @cgroups has room for
 * @mount: where cgroups are mounted, or NULL if not looked up yet
 * @given: number of events, from the first, that -G has assigned a cgroup, or an empty name
 * @early: argument of a -G before the first event, or NULL
 * @each: argument of --for-each-cgroup, or NULL
 */
struct cgroup_list {
	struct cgroup **cgroups;
	size_t nr;
	size_t room;
	char *mount;
	size_t given;
	const char *early;
	const char *each;
};

int cgroups_give(struct cgroup_list *list, struct event_list *events, const char *text);
int cgroups_finish(struct cgroup_list *list, struct event_list *events, bool events_named);
int cgroups_check_target(const struct cgroup_list *list, const struct target *target);
void cgroups_say_paths(const struct cgroup_list *list);
bool cgroups_named(const struct cgroup_list *list);
void cgroups_free(struct cgroup_list *list);

struct cgroup *cgroup_of(const struct event_group *events);
void cgroup_set_target(const struct cgroup *cgroup, struct perfgrp_create *create);
bool cgroup_was_removed(struct cgroup *cgroup, struct perfgrp_group *fd);
void cgroup_say_removed(struct cgroup *cgroup);

#endif /* PERFGRP_CGROUP_H */
