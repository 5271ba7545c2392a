// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Query a group and its members. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

/**
 * perfgrp_members_new - make an object for perfgrp_get_members()
 *
 * Return: an object without members, for perfgrp_members_free(); NULL with errno set
 */
struct perfgrp_members *perfgrp_members_new(void)
{
	return calloc(1, sizeof(struct perfgrp_members));
}

/**
 * perfgrp_members_free - undo perfgrp_members_new()
 * @members: the object, or NULL
 */
void perfgrp_members_free(struct perfgrp_members *members)
{
	if (!members)
		return;
	free(members->counters);
	free(members);
}

/**
 * perfgrp_get_members - query a group and its members
 * @group: the group
 * @members: filled in, and grown if need be
 *
 * Return: 0 or a negative errno; then @members is as it was
 */
int perfgrp_get_members(struct perfgrp_group *group, struct perfgrp_members *members)
{
	for (;;) {
		struct perfgrp_query arg = {
			.counters = (__u64)(unsigned long)members->counters,
			.counter_size = sizeof(*members->counters),
			.nr_counters = members->room,
		};
		struct perfgrp_counter *counters;
		int err;

		err = perfgrp_call(group, PERFGRP_QUERY, &arg);
		if (!err) {
			members->group = arg;
			members->nr = arg.nr_counters;
			return 0;
		}
		if (err != -EMSGSIZE || arg.nr_counters <= members->room)
			return err;

		counters = reallocarray(members->counters, arg.nr_counters, sizeof(*counters));
		if (!counters) {
			perfgrp_set_error(&group->error, ENOMEM);
			return -ENOMEM;
		}
		members->counters = counters;
		members->room = arg.nr_counters;
	}
}

/**
 * perfgrp_members_nr - how many members there are
 * @members: from perfgrp_get_members()
 *
 * Return: their number
 */
__u32 perfgrp_members_nr(const struct perfgrp_members *members)
{
	return members->nr;
}

/**
 * perfgrp_members_at - one of the members
 * @members: from perfgrp_get_members()
 * @i: its index; the first is the leader
 *
 * Return: the member, valid until the next query; NULL if there is none
 */
const struct perfgrp_counter *perfgrp_members_at(const struct perfgrp_members *members, __u32 i)
{
	return i < members->nr ? &members->counters[i] : NULL;
}

/**
 * perfgrp_members_find - find a member
 * @members: from perfgrp_get_members()
 * @id: its id
 *
 * Return: as perfgrp_members_at()
 */
const struct perfgrp_counter *perfgrp_members_find(const struct perfgrp_members *members, __u32 id)
{
	__u32 i;

	for (i = 0; i < members->nr; i++)
		if (members->counters[i].id == id)
			return &members->counters[i];
	return NULL;
}

/**
 * perfgrp_members_group - get the properties of the group itself
 * @members: from perfgrp_get_members()
 *
 * Return: its target, task, flags, state, clock and generation, valid until the next query
 */
const struct perfgrp_query *perfgrp_members_group(const struct perfgrp_members *members)
{
	return &members->group;
}
