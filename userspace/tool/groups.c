// SPDX-License-Identifier: GPL-2.0
/*
 * The groups of all processes, read from fdinfo in /proc only: no ioctl is called and no file
 * descriptor is duplicated. Groups that disappear meanwhile are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "groups.h"

/* ---- one group ------------------------------------------------------------------ */

static void free_group(struct group_seen *group)
{
	size_t i;

	for (i = 0; i < group->nr_members; i++) {
		free(group->members[i].event);
		free(group->members[i].state);
		free(group->members[i].flags);
	}
	for (i = 0; i < group->nr_holders; i++)
		free(group->holders[i].command);
	free(group->members);
	free(group->holders);
	free(group->target);
}

/* Finds the state in "type 4 config 0x11 never ran failed"; names of events have blanks, too. */
static char *find_state(char *text, const char **state)
{
	static const char *const states[] = { "counted", "multiplexed", "never ran", "unknown" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		char *word = xasprintf(" %s", states[i]), *at = strstr(text, word);
		const size_t len = strlen(word);

		free(word);
		*state = states[i];
		if (at && (!at[len] || at[len] == ' '))
			return at;
	}
	return NULL;
}

/* "ID EVENT STATE FLAG... leader" */
static void parse_member(struct group_seen *group, char *text)
{
	struct group_member *member;
	const char *state;
	char *end, *at, *flags;
	__u64 id;

	if (parse_u64(text, 10, &end, &id) || *end != ' ')
		return;
	at = find_state(end, &state);
	if (!at)
		return;
	*at++ = '\0';
	/* Each flag has a blank before it. */
	flags = at + strlen(state);
	at = strstr(flags, "leader");
	if (at)
		*at = '\0';
	if (at > flags && at[-1] == ' ')
		at[-1] = '\0';
	GROW(group->members, group->nr_members, group->room_members);
	member = &group->members[group->nr_members++];
	*member = (struct group_member){
		.id = id,
		.event = xstrdup(end + 1),
		.state = xstrdup(state),
		.flags = xstrdup(flags),
		.pmu = -1,
	};
}

static void parse_times(struct group_seen *group, const char *text)
{
	unsigned long long enabled, running;
	unsigned int id;
	size_t i;
	long pmu;

	if (sscanf(text, "member %u pmu %ld enabled %llu running %llu", &id, &pmu, &enabled,
		   &running) != 4)
		return;
	for (i = 0; i < group->nr_members; i++) {
		if (group->members[i].id != id)
			continue;
		group->members[i].pmu = pmu;
		group->members[i].enabled = enabled;
		group->members[i].running = running;
	}
}

static void parse_line(struct group_seen *group, const char *key, char *value)
{
	if (!strcmp(key, "id")) {
		group->id = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "target")) {
		free(group->target);
		group->target = xstrdup(value);
	} else if (!strcmp(key, "create_flags")) {
		group->create_flags = strtoull(value, NULL, 0);
	} else if (!strcmp(key, "enabled")) {
		group->enabled = *value == '1';
	} else if (!strcmp(key, "buffers")) {
		group->buffers = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "member")) {
		parse_member(group, value);
	} else if (!strcmp(key, "times")) {
		parse_times(group, value);
	}
}

/* Returns false if the fd is no longer a group. */
static bool read_group(struct group_seen *group, const struct holder *holder)
{
	char *text = read_file("/proc/%u/fdinfo/%u", holder->pid, holder->fd), *line, *rest;

	memset(group, 0, sizeof(*group));
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *tab = strstr(line, ":\t");

		if (!tab)
			continue;
		*tab = '\0';
		parse_line(group, line, tab + strlen(":\t"));
	}
	free(text);
	if (group->target)
		return true;
	free_group(group);
	return false;
}

/* Returns false if the process has exited. */
static bool add_holder(struct group_seen *group, const struct holder *holder)
{
	char *status = read_file("/proc/%u/status", holder->pid);
	const char *uid = status ? strstr(status, "\nUid:\t") : NULL;

	if (uid) {
		GROW(group->holders, group->nr_holders, group->room_holders);
		group->holders[group->nr_holders++] = (struct group_holder){
			.holder = *holder,
			.uid = strtoul(uid + strlen("\nUid:\t"), NULL, 10),
			.command = holders_command(holder),
		};
	}
	free(status);
	return uid;
}

/* ---- all of them ---------------------------------------------------------------- */

static struct group_seen *find_same(struct groups_seen *seen, __u64 id)
{
	size_t i;

	for (i = 0; id && i < seen->nr; i++)
		if (seen->groups[i].id == id)
			return &seen->groups[i];
	return NULL;
}

static void add_event(struct groups_seen *seen, unsigned int pid)
{
	struct event_holder *last = seen->nr_others ? &seen->others[seen->nr_others - 1] : NULL;

	if (!last || last->pid != pid) {
		GROW(seen->others, seen->nr_others, seen->room_others);
		last = &seen->others[seen->nr_others++];
		*last = (struct event_holder){ .pid = pid };
	}
	last->nr++;
}

static void found(void *arg, const struct holder *holder, const char *link)
{
	struct groups_seen *seen = arg;
	struct group_seen group, *same;

	if (strcmp(link, HOLDERS_GROUP)) {
		add_event(seen, holder->pid);
		return;
	}
	if (!read_group(&group, holder))
		return;
	same = find_same(seen, group.id);
	if (same) {
		add_holder(same, holder);
		free_group(&group);
	} else if (add_holder(&group, holder)) {
		GROW(seen->groups, seen->nr, seen->room);
		seen->groups[seen->nr++] = group;
	} else {
		free_group(&group);
	}
}

/**
 * groups_find - find the groups of all processes but this one
 * @seen: zeroed; filled in: each group once, with all its holders
 */
void groups_find(struct groups_seen *seen)
{
	seen->hidden = holders_find(found, seen);
}

void groups_free(struct groups_seen *seen)
{
	size_t i;

	for (i = 0; i < seen->nr; i++)
		free_group(&seen->groups[i]);
	free(seen->groups);
	free(seen->others);
	memset(seen, 0, sizeof(*seen));
}
