// SPDX-License-Identifier: GPL-2.0
/* Properties of a group of any process, as they are printed. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "perfgrp.h"

/* Returns the smallest running/enabled ratio of the members; negative if none was enabled. */
double group_share(const struct group_seen *group)
{
	double least = -1;
	size_t i;

	for (i = 0; i < group->nr_members; i++) {
		const struct group_member *member = &group->members[i];
		double share;

		if (!member->enabled)
			continue;
		share = (double)member->running / member->enabled;
		if (least < 0 || share < least)
			least = share;
	}
	return least;
}

/* Returns its events, separated by commas; to be freed. */
char *group_events(const struct group_seen *group)
{
	char *all = xstrdup("");
	size_t i;

	for (i = 0; i < group->nr_members; i++) {
		char *longer = xasprintf("%s%s%s", all, i ? "," : "", group->members[i].event);

		free(all);
		all = longer;
	}
	return all;
}

static void add_create_flags(struct json_object *to, __u64 flags)
{
	static const struct {
		__u64 flag;
		const char *name;
	} names[] = {
		{ PERFGRP_CREATE_INHERIT, "inherit" },
		{ PERFGRP_CREATE_ENABLE_ON_EXEC, "enable-on-exec" },
		{ PERFGRP_CREATE_NO_MUX, "no-mux" },
		{ PERFGRP_CREATE_EXCLUSIVE, "exclusive" },
		{ PERFGRP_CREATE_ONE_SCHED_GROUP, "one-sched-group" },
		{ PERFGRP_CREATE_OVERWRITE, "overwrite" },
		{ PERFGRP_CREATE_BPF_EVENTS, "bpf-events" },
		{ PERFGRP_CREATE_SPLIT_BY_CGROUP, "split-by-cgroup" },
		{ PERFGRP_CREATE_MAPPED, "mapped" },
	};
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag)
			json_object_array_add(array, json_object_new_string(names[i].name));
	json_object_object_add(to, "flags", array);
}

static struct json_object *member_json(const struct group_member *member)
{
	struct json_object *to = json_object_new_object(), *flags = json_object_new_array();
	char *words = xstrdup(member->flags), *word, *rest;

	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		json_object_array_add(flags, json_new_string(word));
	free(words);
	json_add_u64(to, "id", member->id);
	json_add_string(to, "event", member->event);
	json_add_string(to, "state", member->state);
	json_object_object_add(to, "flags", flags);
	if (member->pmu >= 0)
		json_add_u64(to, "pmu", member->pmu);
	json_add_u64(to, "time-enabled", member->enabled);
	json_add_u64(to, "time-running", member->running);
	return to;
}

static struct json_object *holder_json(const struct group_holder *holder)
{
	struct json_object *to = json_object_new_object();
	const struct passwd *user = getpwuid(holder->uid);

	json_add_u64(to, "pid", holder->holder.pid);
	json_add_u64(to, "fd", holder->holder.fd);
	json_add_string(to, "command", holder->command);
	json_add_u64(to, "uid", holder->uid);
	if (user)
		json_add_string(to, "user", user->pw_name);
	return to;
}

/* Returns all properties of a group as JSON. */
struct json_object *group_json(const struct group_seen *group)
{
	struct json_object *to = json_object_new_object(), *array;
	size_t i;

	if (group->id)
		json_add_u64(to, "id", group->id);
	json_add_string(to, "target", group->target);
	json_add_bool(to, "enabled", group->enabled);
	add_create_flags(to, group->create_flags);
	json_add_u64(to, "buffers", group->buffers);
	array = json_object_new_array();
	for (i = 0; i < group->nr_members; i++)
		json_object_array_add(array, member_json(&group->members[i]));
	json_object_object_add(to, "members", array);
	array = json_object_new_array();
	for (i = 0; i < group->nr_holders; i++)
		json_object_array_add(array, holder_json(&group->holders[i]));
	json_object_object_add(to, "holders", array);
	return to;
}
