// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Groups: adding and removing members, enabling and disabling. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf.h"

/**
 * perfgrp_group_from_fd - make a handle from a group's fd, for example of another process
 * @fd: the group's file descriptor; perfgrp_group_close() closes it
 *
 * Return: the group, or NULL with errno set and @fd left open
 */
struct perfgrp_group *perfgrp_group_from_fd(int fd)
{
	struct perfgrp_group *group = calloc(1, sizeof(*group));

	if (group)
		group->fd = fd;
	return group;
}

/**
 * perfgrp_open_reader - open a read-only file descriptor of a group
 * @group: the group
 * @flags: PERFGRP_READER_*
 *
 * The perfgrp_group_fd() of the new handle can be passed to another process, which can then read
 * the group but not change it.
 *
 * Return: a handle of the same group, or NULL with errno and @group's error set
 */
struct perfgrp_group *perfgrp_open_reader(struct perfgrp_group *group, __u32 flags)
{
	struct perfgrp_group *reader = calloc(1, sizeof(*reader));
	struct perfgrp_reader arg = { .flags = flags };
	int err;

	if (!reader) {
		perfgrp_set_error(&group->error, ENOMEM);
		errno = ENOMEM;
		return NULL;
	}
	err = perfgrp_call(group, PERFGRP_OPEN_READER, &arg);
	if (err) {
		free(reader);
		errno = -err;
		return NULL;
	}
	reader->fd = arg.fd;
	return reader;
}

/**
 * perfgrp_group_fd - the file descriptor of a group
 * @group: the group
 *
 * Return: the file descriptor, still owned by @group; -1 if there is none (PERFGRP_BACKEND=perf)
 */
int perfgrp_group_fd(const struct perfgrp_group *group)
{
	return group->fd;
}

/**
 * perfgrp_group_close - close a group
 * @group: the group, or NULL
 *
 * The kernel destroys the group when its last file descriptor is closed.
 */
void perfgrp_group_close(struct perfgrp_group *group)
{
	if (!group)
		return;
	if (group->perf)
		perfgrp_perf_close(group->perf);
	else
		close(group->fd);
	free(group);
}

/**
 * perfgrp_group_error - why the last failed call on a group failed
 * @group: the group
 *
 * Return: its error, valid until the next call on @group; the text is never
 * empty
 */
const struct perfgrp_error *perfgrp_group_error(const struct perfgrp_group *group)
{
	return &group->error;
}

/**
 * perfgrp_add_counters - add counters to a group, all or none
 * @group: the group
 * @counters: the counters; their ids are filled in
 * @counter_size: sizeof(*@counters)
 * @nr: number of @counters
 *
 * The first counter added to an empty group is the leader. Adding resets the whole group to zero.
 *
 * Return: 0 or a negative errno; the error's member is an index into @counters
 */
int perfgrp_add_counters(struct perfgrp_group *group, struct perfgrp_counter *counters,
			 size_t counter_size, __u32 nr)
{
	struct perfgrp_add arg = {
		.counters = (__u64)(unsigned long)counters,
		.counter_size = counter_size,
		.nr_counters = nr,
	};

	return perfgrp_call(group, PERFGRP_ADD, &arg);
}

/**
 * perfgrp_remove_counter - remove a member of a group
 * @group: the group
 * @id: the member
 * @flags: PERFGRP_REMOVE_*
 *
 * Return: 0 or a negative errno
 */
int perfgrp_remove_counter(struct perfgrp_group *group, __u32 id, __u32 flags)
{
	struct perfgrp_remove arg = {
		.flags = flags,
		.id = id,
	};

	return perfgrp_call(group, PERFGRP_REMOVE, &arg);
}

static int control(struct perfgrp_group *group, unsigned long nr)
{
	struct perfgrp_control arg = { 0 };

	return perfgrp_call(group, nr, &arg);
}

/**
 * perfgrp_enable - start counting
 * @group: the group
 *
 * Return: 0 or a negative errno
 */
int perfgrp_enable(struct perfgrp_group *group)
{
	return control(group, PERFGRP_ENABLE);
}

/**
 * perfgrp_disable - stop counting; the counts are kept
 * @group: the group
 *
 * Return: 0 or a negative errno
 */
int perfgrp_disable(struct perfgrp_group *group)
{
	return control(group, PERFGRP_DISABLE);
}

/**
 * perfgrp_reset - set counts and times of all members to zero
 * @group: the group, which stays enabled or disabled
 *
 * Return: 0 or a negative errno
 */
int perfgrp_reset(struct perfgrp_group *group)
{
	return control(group, PERFGRP_RESET);
}

/**
 * perfgrp_start_bpf_events - start recording BPF program load and unload in a group's stream
 * @group: a group with a buffer
 *
 * See perfgrp_create_bpf_events().
 *
 * Return: 0 or a negative errno
 */
int perfgrp_start_bpf_events(struct perfgrp_group *group)
{
	return control(group, PERFGRP_BPF_EVENTS_ON);
}

/**
 * perfgrp_stop_bpf_events - stop recording BPF program load and unload
 * @group: the group
 *
 * Return: 0 or a negative errno
 */
int perfgrp_stop_bpf_events(struct perfgrp_group *group)
{
	return control(group, PERFGRP_BPF_EVENTS_OFF);
}
