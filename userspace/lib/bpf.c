// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* BPF programs attached to members, and groups that record BPF program load and unload. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/**
 * perfgrp_attach_bpf - run a BPF program at each overflow of a member
 * @group: the group
 * @id: the member, one that samples
 * @prog_fd: a program of type BPF_PROG_TYPE_PERF_EVENT, which the caller may close
 *	afterwards
 * @cookie: value that bpf_get_attach_cookie() returns to the program
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
 * perfgrp_replace_bpf - replace a member's BPF program
 * @group: the group
 * @id: the member
 * @prog_fd: the new program, as in perfgrp_attach_bpf()
 * @cookie: the new program's cookie
 * @flags: PERFGRP_BPF_*
 * @expected: id of the program that must be attached; 0 for any
 *
 * Each overflow runs the old or the new program. Statistics restart from zero.
 *
 * Return: 0 or a negative errno; -ESTALE if a program other than @expected is attached
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
 * perfgrp_detach_bpf - detach a member's BPF program
 * @group: the group
 * @id: the member, which continues to count and sample
 * @expected: id of the program that must be attached; 0 for any
 *
 * When it returns, the program does not run for this member any more.
 *
 * Return: 0 or a negative errno; -ESTALE if a program other than @expected is attached
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
 * perfgrp_query_bpf - get the BPF program attached to a member and its statistics
 * @group: the group
 * @id: the member
 * @query: filled in
 * @size: sizeof(*@query)
 *
 * Return: 0 or a negative errno; -ENOENT if no program is attached (the error's reason is
 * PERFGRP_REASON_BPF_NONE) or there is no such member
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
 * perfgrp_get_bpf_handle - get the handle by which BPF programs refer to a group
 * @group: the group
 * @handle: set to the handle to pass to the kfunc bpf_perfgrp_read()
 *
 * Return: 0 or a negative errno
 */
int perfgrp_get_bpf_handle(struct perfgrp_group *group, __u64 *handle)
{
	return get_handle(group, 0, handle);
}

/**
 * perfgrp_renew_bpf_handle - replace a group's handle, to revoke access of BPF programs
 * @group: the group
 * @handle: set to the new handle; the kfunc no longer accepts the old one
 *
 * Return: 0 or a negative errno
 */
int perfgrp_renew_bpf_handle(struct perfgrp_group *group, __u64 *handle)
{
	return get_handle(group, PERFGRP_BPF_HANDLE_NEW, handle);
}

/**
 * perfgrp_create_bpf_events - create a group whose stream records BPF program load and unload
 * @dev: the device
 * @buffer_size: bytes for records per CPU
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
