// SPDX-License-Identifier: GPL-2.0
/* perfgrp bpf show: the programs attached in all groups or in one. */
#include <errno.h>
#include <stdlib.h>

#include "bpf.h"
#include "cmd.h"
#include "events.h"

/* A group is shown as the PID:FD of its first holder. */
static char *name_of(const struct bpf_group *group)
{
	return xasprintf("%u:%u", group->holders[0].pid, group->holders[0].fd);
}

static int add_member(struct bpf_attachments *list, const struct bpf_group *group,
		      const struct perfgrp_counter *counter, bool all)
{
	struct perfgrp_bpf_query query;
	struct bpf_attachment *a;
	char *event;
	int err;

	err = perfgrp_query_bpf(group->group, counter->id, &query, sizeof(query));
	if (err == -ENOENT) {
		/* No program is attached, or the member was removed. */
		if (!all || perfgrp_group_error(group->group)->reason != PERFGRP_REASON_BPF_NONE)
			return 0;
		query = (struct perfgrp_bpf_query){ .id = counter->id };
	} else if (err) {
		return err;
	}
	event = event_name(counter);
	a = bpf_attachments_add(list, event, &query);
	free(event);
	a->place = name_of(group);
	a->group = group;
	return 0;
}

/* Only members that sample can have a program. */
static int add_group(struct bpf_attachments *list, const struct bpf_group *group, bool all)
{
	struct perfgrp_members *members = xcheck(perfgrp_members_new());
	const struct perfgrp_counter *counter;
	__u32 i = 0;
	int err;

	err = perfgrp_get_members(group->group, members);
	while (!err && (counter = perfgrp_members_at(members, i++)))
		if (counter->sample_period)
			err = add_member(list, group, counter, all);
	if (err) {
		char *name = name_of(group);

		error("group %s: %s", name, perfgrp_group_error(group->group)->text);
		free(name);
	}
	perfgrp_members_free(members);
	return err;
}

static void tell_hidden(const struct bpf_groups *groups)
{
	if (groups->hidden_processes)
		error("%u processes could not be inspected: permission denied",
		      groups->hidden_processes);
	if (groups->hidden_groups)
		error("%u file descriptors of groups could not be duplicated: permission denied",
		      groups->hidden_groups);
}

/**
 * bpf_show - show attachments
 * @opt: of which group, and how
 *
 * Return: the exit status
 */
int bpf_show(const struct bpf_options *opt)
{
	struct bpf_attachments list = { .place = "GROUP", .holders = true };
	struct bpf_groups groups = { 0 };
	int status = 0;
	size_t i;

	if (!opt->has_holder)
		bpf_groups_find(&groups);
	else if (bpf_groups_take(&groups, &opt->holder))
		return EXIT_FAILED;
	for (i = 0; i < groups.nr; i++)
		if (add_group(&list, &groups.groups[i], opt->all))
			status = EXIT_FAILED;
	bpf_attachments_print(&list, stdout, opt->json);
	tell_hidden(&groups);
	bpf_attachments_free(&list);
	bpf_groups_free(&groups);
	return status;
}
