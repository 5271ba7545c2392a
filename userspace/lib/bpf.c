// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* BPF programs on members of groups, and groups that tell of BPF programs. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/**
 * perfgrp_attach_bpf - have a BPF program run at each overflow of a member
 * @group: the group
 * @id: the member, one that samples
 * @prog_fd: a program of type BPF_PROG_TYPE_PERF_EVENT, which the caller may close
 *	afterwards
 * @cookie: what bpf_get_attach_cookie() is to return
 * @flags: PERFGRP_BPF_*
 *
 * Return: 0 or a negative errno
 */
int perfgrp_attach_bpf(struct perfgrp_group *group, __u32 id, int prog_fd, __u64 cookie,
		       __u32 flags)
{
	struct perfgrp_bpf_attach arg = {
		.flags = flags,
		.id = id,
		.prog_fd = prog_fd,
		.cookie = cookie,
	};

	return perfgrp_call(group, PERFGRP_BPF_ATTACH, &arg);
}

/**
 * perfgrp_replace_bpf - put another BPF program in the place of a member's
 * @group: the group
 * @id: the member
 * @prog_fd: the new program, as in perfgrp_attach_bpf()
 * @cookie: the new program's cookie
 * @flags: PERFGRP_BPF_*
 * @expected: id of the program that is to be there; 0 for whichever is
 *
 * No overflow is missed by both. Statistics begin again from zero.
 *
 * Return: 0 or a negative errno; -ESTALE where another program than @expected is there
 */
int perfgrp_replace_bpf(struct perfgrp_group *group, __u32 id, int prog_fd, __u64 cookie,
			__u32 flags, __u32 expected)
{
	struct perfgrp_bpf_attach arg = {
		.flags = flags,
		.id = id,
		.prog_fd = prog_fd,
		.cookie = cookie,
		.prog_id = expected,
	};

	return perfgrp_call(group, PERFGRP_BPF_REPLACE, &arg);
}

/**
 * perfgrp_detach_bpf - take a member's BPF program away
 * @group: the group
 * @id: the member, which counts and samples on
 * @expected: id of the program that is to be there; 0 for whichever is
 *
 * The program does not run again here.
 *
 * Return: 0 or a negative errno; -ESTALE where another program than @expected is there
 */
int perfgrp_detach_bpf(struct perfgrp_group *group, __u32 id, __u32 expected)
{
	struct perfgrp_bpf_detach arg = {
		.id = id,
		.prog_id = expected,
	};

	return perfgrp_call(group, PERFGRP_BPF_DETACH, &arg);
}

/**
 * perfgrp_query_bpf - ask what is attached to a member, and how often it ran
 * @group: the group
 * @id: the member
 * @query: filled in
 * @size: sizeof(*@query)
 *
 * Return: 0 or a negative errno; -ENOENT where nothing is (the error's reason is
 * PERFGRP_REASON_BPF_NONE), or where there is no such member
 */
int perfgrp_query_bpf(struct perfgrp_group *group, __u32 id, struct perfgrp_bpf_query *query,
		      size_t size)
{
	if (size < PERFGRP_BPF_QUERY_SIZE_VER0) {
		perfgrp_set_error(&group->error, EINVAL);
		return -EINVAL;
	}
	memset(query, 0, size);
	query->id = id;
	return perfgrp_call_sized(group, PERFGRP_BPF_QUERY, query, size);
}

static int get_handle(struct perfgrp_group *group, __u32 flags, __u64 *handle)
{
	struct perfgrp_bpf_handle arg = { .flags = flags };
	int err = perfgrp_call(group, PERFGRP_GET_BPF_HANDLE, &arg);

	if (!err)
		*handle = arg.handle;
	return err;
}

/**
 * perfgrp_get_bpf_handle - ask for the number by which BPF programs name a group
 * @group: the group
 * @handle: set to what the kfunc bpf_perfgrp_read() takes
 *
 * Return: 0 or a negative errno
 */
int perfgrp_get_bpf_handle(struct perfgrp_group *group, __u64 *handle)
{
	return get_handle(group, 0, handle);
}

/**
 * perfgrp_renew_bpf_handle - take a group away from the BPF programs that know its handle
 * @group: the group
 * @handle: set to its new handle; by the old one the kfunc finds nothing any more
 *
 * Return: 0 or a negative errno
 */
int perfgrp_renew_bpf_handle(struct perfgrp_group *group, __u64 *handle)
{
	return get_handle(group, PERFGRP_BPF_HANDLE_NEW, handle);
}

/**
 * perfgrp_create_bpf_events - make a group whose stream tells of BPF programs
 * @dev: the device
 * @buffer_size: bytes for records a CPU
 *
 * It needs no members. perfgrp_read_records() reads its records, perfgrp_decode_record()
 * decodes them. Their times are on CLOCK_MONOTONIC.
 *
 * Return: as perfgrp_create_task()
 */
struct perfgrp_group *perfgrp_create_bpf_events(struct perfgrp_dev *dev, __u32 buffer_size)
{
	const struct perfgrp_create how = {
		.flags = PERFGRP_CREATE_BPF_EVENTS,
		.target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = buffer_size,
	};

	return perfgrp_create_with(dev, &how, sizeof(how));
}
