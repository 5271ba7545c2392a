// SPDX-License-Identifier: GPL-2.0
/* perfgrp groups: lists the groups of all processes, and who holds them. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "groups.h"
#include "table.h"

static void usage(FILE *out)
{
	fputs("usage: perfgrp groups [OPTION]...\n"
	      "\n"
	      "Shows the groups of all processes: who holds them, what they count, and whether they\n"
	      "are on the PMU all the time. No CPU is interrupted.\n"
	      "\n"
	      "  -p, --pid LIST   only groups that these processes hold\n"
	      "  -s, --sort KEY   sort by pid (default), user, running (smallest share first), buffers\n"
	      "                   (largest first), members (most first) or target\n"
	      "  -j, --json       print JSON, one object per line\n"
	      "  -h, --help       print this help\n", out);
}

/* ---- order ---------------------------------------------------------------------- */

static int by_number(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_pid(const struct group_seen *a, const struct group_seen *b)
{
	const struct holder *x = &a->holders[0].holder, *y = &b->holders[0].holder;

	return x->pid == y->pid ? by_number(x->fd, y->fd) : by_number(x->pid, y->pid);
}

static int by_user(const struct group_seen *a, const struct group_seen *b)
{
	return by_number(a->holders[0].uid, b->holders[0].uid);
}

/* Groups that were never enabled come last. */
static int by_running(const struct group_seen *a, const struct group_seen *b)
{
	double x = group_share(a), y = group_share(b);

	return by_number(x < 0 ? 2 : x, y < 0 ? 2 : y);
}

static int by_buffers(const struct group_seen *a, const struct group_seen *b)
{
	return by_number(b->buffers, a->buffers);
}

static int by_members(const struct group_seen *a, const struct group_seen *b)
{
	return by_number(b->nr_members, a->nr_members);
}

static int by_target(const struct group_seen *a, const struct group_seen *b)
{
	return strverscmp(a->target, b->target);
}

typedef int (*order_fn)(const struct group_seen *a, const struct group_seen *b);

static const struct {
	const char *name;
	order_fn order;
} orders[] = {
	{ "pid", by_pid },
	{ "user", by_user },
	{ "running", by_running },
	{ "buffers", by_buffers },
	{ "members", by_members },
	{ "target", by_target },
};

static int find_order(order_fn *order, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!strcmp(name, orders[i].name)) {
			*order = orders[i].order;
			return 0;
		}
	}
	error("--sort: '%s' is not pid, user, running, buffers, members or target", name);
	return -EINVAL;
}

static int compare(const void *a, const void *b, void *arg)
{
	order_fn order = *(order_fn *)arg;
	int result = order(a, b);

	return result ? result : by_pid(a, b);
}

/* ---- output --------------------------------------------------------------------- */

static bool is_held_by(const struct group_seen *group, const struct numbers *pids)
{
	size_t i;

	for (i = 0; i < group->nr_holders; i++)
		if (numbers_have(pids, group->holders[i].holder.pid))
			return true;
	return !pids->nr;
}

static char *user_of(const struct group_seen *group)
{
	const struct passwd *user = getpwuid(group->holders[0].uid);

	return user ? xstrdup(user->pw_name) : xasprintf("%u", group->holders[0].uid);
}

/* Returns the command that holds a group, as "stat +2" if two more fds refer to the group. */
static char *command_of(const struct group_seen *group)
{
	const char *command = group->holders[0].command;

	return group->nr_holders == 1 ? xstrdup(command) :
	       xasprintf("%s +%zu", command, group->nr_holders - 1);
}

static char *share_of(const struct group_seen *group)
{
	double share = group_share(group);

	return share < 0 ? xstrdup("-") : xasprintf("%.2f%%", 100 * share);
}

/* Returns "failed" or "exited" if any member is, else whether the group is enabled. */
static const char *state_of(const struct group_seen *group)
{
	size_t i;

	for (i = 0; i < group->nr_members; i++)
		if (strstr(group->members[i].flags, "failed"))
			return "failed";
	for (i = 0; i < group->nr_members; i++)
		if (strstr(group->members[i].flags, "exited"))
			return "exited";
	return group->enabled ? "enabled" : "disabled";
}

static void add_row(struct strings *cells, const struct group_seen *group)
{
	const struct holder *first = &group->holders[0].holder;

	strings_add(cells, xasprintf("%u:%u", first->pid, first->fd));
	strings_add(cells, user_of(group));
	strings_add(cells, command_of(group));
	strings_add(cells, xstrdup(group->target));
	strings_add(cells, xstrdup(state_of(group)));
	strings_add(cells, share_of(group));
	strings_add(cells, group->buffers ?
		    xasprintf("%lluK", (unsigned long long)group->buffers / 1024) : xstrdup("-"));
	strings_add(cells, xasprintf("%zu", group->nr_members));
	strings_add(cells, group_events(group));
}

static void print_text(const struct groups_seen *seen, const struct numbers *pids)
{
	struct table table = { 0 };
	size_t i;

	table_add_column(&table, "GROUP", false);
	table_add_column(&table, "USER", false);
	table_add_column(&table, "COMMAND", false);
	table_add_column(&table, "TARGET", false);
	table_add_column(&table, "STATE", false);
	table_add_column(&table, "RUNNING", true);
	table_add_column(&table, "BUFFERS", true);
	table_add_column(&table, "MEMBERS", true);
	table_add_column(&table, "EVENTS", false);
	for (i = 0; i < seen->nr; i++)
		if (is_held_by(&seen->groups[i], pids))
			add_row(&table.cells, &seen->groups[i]);
	table_print(&table, stdout);
	table_free(&table);
}

static void print_json(const struct groups_seen *seen, const struct numbers *pids)
{
	size_t i;

	for (i = 0; i < seen->nr; i++)
		if (is_held_by(&seen->groups[i], pids))
			json_print(stdout, group_json(&seen->groups[i]), 0);
}

/* ---- the command ---------------------------------------------------------------- */

/**
 * struct command_line - the parsed options
 * @pids: processes whose groups to list; empty for all
 * @order: sort order
 * @json: print JSON
 */
struct command_line {
	struct numbers pids;
	order_fn order;
	bool json;
};

static int parse_option(void *arg, int c)
{
	struct command_line *line = arg;

	switch (c) {
	case 'p':
		if (!numbers_parse(&line->pids, optarg, false))
			return 0;
		error("-p: '%s' is not a list of process ids", optarg);
		return -EINVAL;
	case 's':
		return find_order(&line->order, optarg);
	case 'j':
		line->json = true;
		return 0;
	}
	return -EINVAL;
}

static int check_pids(const struct numbers *pids)
{
	size_t i;

	for (i = 0; i < pids->nr; i++) {
		char *dir = xasprintf("/proc/%u", pids->n[i]);
		int err = access(dir, F_OK);

		free(dir);
		if (err) {
			error("-p: no process %u", pids->n[i]);
			return -ESRCH;
		}
	}
	return 0;
}

int cmd_groups(int argc, char **argv)
{
	static const struct option table[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "sort", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		CMD_HELP_OPTION
	};
	static const struct cmd_options options = {
		.name = "groups",
		.letters = "p:s:jh",
		.table = table,
		.usage = usage,
		.parse = parse_option,
	};
	struct command_line line = { .order = by_pid };
	struct groups_seen seen = { 0 };
	int status = 0;

	if (!cmd_parse_options(&options, argc, argv, &line, &status))
		goto out;
	if (cmd_no_arguments("groups", argc, argv) || check_pids(&line.pids)) {
		status = EXIT_USAGE;
		goto out;
	}
	groups_find(&seen);
	if (seen.nr)
		qsort_r(seen.groups, seen.nr, sizeof(*seen.groups), compare, &line.order);
	if (line.json)
		print_json(&seen, &line.pids);
	else
		print_text(&seen, &line.pids);
	if (seen.hidden)
		error("%u processes could not be inspected: permission denied", seen.hidden);
	groups_free(&seen);
out:
	numbers_free(&line.pids);
	return status;
}
