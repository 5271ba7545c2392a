// SPDX-License-Identifier: GPL-2.0
/*
 * Looking things up in a group.
 *
 * Process context.
 */
#include <linux/lockdep.h>

#include "bpf_events.h"
#include "error.h"
#include "group.h"

/**
 * perfgrp_group_find_member - find a member by its id
 * @group: the group; the lock is held
 * @id: of the member
 * @err: its member is set to @id; filled in with -ENOENT if there is none
 *
 * Return: the member, or NULL.
 */
struct perfgrp_member *perfgrp_group_find_member(const struct perfgrp_group *group, u32 id,
						 struct perfgrp_error *err)
{
	unsigned int i;

	lockdep_assert_held(&group->lock);

	err->member = id;
	for (i = 0; i < group->nr_members; i++)
		if (group->members[i]->id == id)
			return group->members[i];
	perfgrp_fail(err, -ENOENT, PERFGRP_REASON_MEMBER, "id", "the group has no member %u%s", id,
		     id && id <= group->next_id ? " any more" : "");
	return NULL;
}

/**
 * perfgrp_group_create_flags - a group's flags, as it is now
 * @group: the group; the lock is held
 *
 * Return: PERFGRP_CREATE_* as at creation, except that PERFGRP_CREATE_BPF_EVENTS is set if the
 * group gets records of BPF programs now.
 */
u32 perfgrp_group_create_flags(const struct perfgrp_group *group)
{
	lockdep_assert_held(&group->lock);

	if (perfgrp_bpf_events_subscribed(group))
		return group->flags | PERFGRP_CREATE_BPF_EVENTS;
	return group->flags & ~PERFGRP_CREATE_BPF_EVENTS;
}
