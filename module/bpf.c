// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching BPF programs to members: attach, replace, detach, query.
 *
 * An attachment is a program on a member, for all its instances. The overflow handler
 * finds it in the event array of its instance (event_array.c), under RCU. So publishing
 * event arrays replaces a program on all CPUs with one store, every overflow sees either
 * the old or the new one, and after a grace period the old one no longer runs. bpf_run.c
 * runs the programs.
 *
 * Process context. perfgrp_group.lock is held for writing, except in
 * perfgrp_bpf_prepare(), _abort(), _drop() and _drop_detached(), which need no
 * lock, and perfgrp_bpf_query().
 */
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "bpf.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "records.h"

/* ---- programs ---------------------------------------------------------------- */

static const char *const prog_types[] = {
	"unspec", "socket_filter", "kprobe", "sched_cls", "sched_act", "tracepoint", "xdp",
	"perf_event", "cgroup_skb", "cgroup_sock", "lwt_in", "lwt_out", "lwt_xmit", "sock_ops",
	"sk_skb", "cgroup_device", "sk_msg", "raw_tracepoint", "cgroup_sock_addr",
	"lwt_seg6local", "lirc_mode2", "sk_reuseport", "flow_dissector", "cgroup_sysctl",
	"raw_tracepoint_writable", "cgroup_sockopt", "tracing", "struct_ops", "ext", "lsm",
	"sk_lookup", "syscall", "netfilter",
};

/*
 * No exported function returns a program's type, but bpf_prog_get_type_dev() accepts only
 * the type it is given: try all types, including newer ones that prog_types does not name.
 */
static int fail_prog_type(int fd, struct perfgrp_error *err)
{
	struct bpf_prog *prog;
	const char *name;
	u32 type;

	for (type = 0; type < 2 * ARRAY_SIZE(prog_types); type++) {
		prog = bpf_prog_get_type_dev(fd, type, true);
		if (IS_ERR(prog))
			continue;
		bpf_prog_put(prog);
		name = type < ARRAY_SIZE(prog_types) ? prog_types[type] : "unknown";
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_BPF_TYPE, "prog_fd",
				    "fd %d is a BPF program of type %s (%u); type perf_event (%u) is needed",
				    fd, name, type, BPF_PROG_TYPE_PERF_EVENT);
	}
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_BPF_FD, "prog_fd",
			    "fd %d is not a BPF program", fd);
}

static struct bpf_prog *get_prog(int fd, struct perfgrp_error *err)
{
	struct bpf_prog *prog = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_PERF_EVENT, false);
	int ret;

	if (!IS_ERR(prog))
		return prog;
	ret = PTR_ERR(prog);
	if (ret == -EINVAL)
		ret = fail_prog_type(fd, err);
	else if (ret == -EBADF)
		perfgrp_fail(err, ret, PERFGRP_REASON_BPF_FD, "prog_fd", "fd %d is not open", fd);
	else
		perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "prog_fd",
			     "fd %d: the kernel refused the program with errno %d", fd, -ret);
	return ERR_PTR(ret);
}

/* ---- attaching ------------------------------------------------------------- */

/**
 * perfgrp_bpf_is_supported - can BPF programs be attached to members?
 *
 * Return: true if the kernel has CONFIG_BPF_EVENTS.
 */
bool perfgrp_bpf_is_supported(void)
{
	return IS_ENABLED(CONFIG_BPF_EVENTS);
}

/* No overflow handler can find the attachment. */
static void free_attachment(struct perfgrp_attachment *attachment)
{
	if (!IS_ERR_OR_NULL(attachment->prog))
		bpf_prog_put(attachment->prog);
	free_percpu(attachment->cpu);
	kfree(attachment);
}

/**
 * perfgrp_bpf_prepare - get a program and check what does not depend on the member
 * @arg: the ioctl's argument; @arg->id is used for @err only
 * @err: filled in on failure
 *
 * No lock is held. May sleep.
 *
 * Return: an attachment to be passed to perfgrp_bpf_attach() or perfgrp_bpf_replace(), or
 * to perfgrp_bpf_abort(); or an ERR_PTR().
 */
struct perfgrp_attachment *perfgrp_bpf_prepare(const struct perfgrp_bpf_attach *arg,
					       struct perfgrp_error *err)
{
	struct perfgrp_attachment *attachment;
	int ret;

	err->member = arg->id;
	if (!perfgrp_bpf_is_supported()) {
		ret = perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				   "this kernel cannot run BPF programs on perf events (CONFIG_BPF_EVENTS)");
		return ERR_PTR(ret);
	}
	if (!perfmon_capable()) {
		ret = perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				   "attaching a BPF program needs CAP_PERFMON");
		return ERR_PTR(ret);
	}
	attachment = kzalloc(sizeof(*attachment), GFP_KERNEL_ACCOUNT);
	if (!attachment)
		goto no_memory;
	attachment->cpu =
		alloc_percpu_gfp(struct perfgrp_attachment_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!attachment->cpu)
		goto no_memory;
	attachment->cookie = arg->cookie;
	attachment->flags = arg->flags;
	attachment->prog = get_prog(arg->prog_fd, err);
	if (IS_ERR(attachment->prog)) {
		ret = PTR_ERR(attachment->prog);
		free_attachment(attachment);
		return ERR_PTR(ret);
	}
	return attachment;

no_memory:
	kfree(attachment);
	ret = perfgrp_fail_memory(err);
	return ERR_PTR(ret);
}

/**
 * perfgrp_bpf_abort - free an attachment that was never attached
 * @attachment: from perfgrp_bpf_prepare()
 */
void perfgrp_bpf_abort(struct perfgrp_attachment *attachment)
{
	free_attachment(attachment);
}

/* -EPROTO as in perf_event_set_bpf_handler(). */
static int check_program(const struct perfgrp_attachment *attachment,
			 const struct perfgrp_member *member, struct perfgrp_error *err)
{
	if (!member->desc.sample_period)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_BPF_COUNTER, "id",
				    "member %u has no sample_period or sample_freq: it does not overflow",
				    member->id);
	if (!member->attr.precise_ip || !attachment->prog->call_get_stack)
		return 0;
	if (!(member->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return perfgrp_fail(err, -EPROTO, PERFGRP_REASON_BPF_CALLCHAIN, "prog_fd",
				    "the program reads stacks, but member %u, which has precise_ip %u, records no call chain",
				    member->id, member->attr.precise_ip);
	if (member->attr.exclude_callchain_kernel)
		return perfgrp_fail(err, -EPROTO, PERFGRP_REASON_BPF_CALLCHAIN, "prog_fd",
				    "the program reads stacks, but the call chains of member %u, which has precise_ip %u, exclude the kernel",
				    member->id, member->attr.precise_ip);
	return 0;
}

static int check_attached(const struct perfgrp_member *member, u32 prog_id,
			  struct perfgrp_error *err)
{
	u32 id;

	if (!member->attachment)
		return perfgrp_fail(err, -ENOENT, PERFGRP_REASON_BPF_NONE, "id",
				    "member %u has no BPF program", member->id);
	id = member->attachment->prog->aux->id;
	if (prog_id && prog_id != id)
		return perfgrp_fail(err, -ESTALE, PERFGRP_REASON_BPF_ATTACHED, "prog_id",
				    "member %u has program %u attached, not program %u",
				    member->id, id, prog_id);
	return 0;
}

/*
 * Publish @attachment, or NULL, for a member. Returns the old one, if any, which handlers
 * may use until a grace period after old->unpublished.
 */
static struct perfgrp_attachment *set_attachment(struct perfgrp_group *group,
						 struct perfgrp_member *member,
						 struct perfgrp_attachment *attachment)
{
	struct perfgrp_attachment *old = member->attachment;

	member->attachment = attachment;
	perfgrp_event_arrays_publish(group);
	if (old)
		old->unpublished = group->event_arrays->cookie;
	return old;
}

/**
 * perfgrp_bpf_attach - attach a program to a member
 * @group: the group; the lock is held for writing
 * @arg: the ioctl's argument
 * @attachment: from perfgrp_bpf_prepare(); on success it belongs to the group and is set
 *	to NULL
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_bpf_attach(struct perfgrp_group *group, const struct perfgrp_bpf_attach *arg,
		       struct perfgrp_attachment **attachment, struct perfgrp_error *err)
{
	struct perfgrp_member *member = perfgrp_group_find_member(group, arg->id, err);
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (!member)
		return -ENOENT;
	if (arg->prog_id)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_RESERVED, "prog_id",
				    "prog_id is set, but only PERFGRP_BPF_REPLACE uses it");
	ret = check_program(*attachment, member, err);
	if (ret)
		return ret;
	if (member->attachment)
		return perfgrp_fail(err, -EEXIST, PERFGRP_REASON_BPF_ATTACHED, "id",
				    "member %u has program %u already; replace or detach it",
				    member->id, member->attachment->prog->aux->id);

	perfgrp_records_output_bpf_attach(group, PERFGRP_RECORD_BPF_ATTACH, member->id,
					  (*attachment)->prog);
	*attachment = set_attachment(group, member, *attachment);
	return 0;
}

/**
 * perfgrp_bpf_replace - replace a member's program
 * @group: the group; the lock is held for writing
 * @arg: the ioctl's argument
 * @attachment: from perfgrp_bpf_prepare(); on success it belongs to the group and is set
 *	to the old one, to be passed to perfgrp_bpf_drop() after the lock is dropped
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_bpf_replace(struct perfgrp_group *group, const struct perfgrp_bpf_attach *arg,
			struct perfgrp_attachment **attachment, struct perfgrp_error *err)
{
	struct perfgrp_member *member = perfgrp_group_find_member(group, arg->id, err);
	struct bpf_prog *prog = (*attachment)->prog;
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (!member)
		return -ENOENT;
	ret = check_attached(member, arg->prog_id, err);
	if (!ret)
		ret = check_program(*attachment, member, err);
	if (ret)
		return ret;

	perfgrp_records_output_bpf_attach(group, PERFGRP_RECORD_BPF_REPLACE, member->id, prog);
	*attachment = set_attachment(group, member, *attachment);
	return 0;
}

/**
 * perfgrp_bpf_drop - free an attachment that was replaced
 * @attachment: the old one from perfgrp_bpf_replace()
 *
 * No lock is held. May sleep for an RCU grace period. When it returns the program no
 * longer runs for the member.
 */
void perfgrp_bpf_drop(struct perfgrp_attachment *attachment)
{
	cond_synchronize_rcu(attachment->unpublished);
	free_attachment(attachment);
}

/*
 * The attachment is in no event array any more, but handlers may still use it:
 * perfgrp_bpf_drop_detached() follows.
 */
static void add_detached(struct perfgrp_group *group, const struct perfgrp_member *member,
			 struct perfgrp_attachment *attachment)
{
	attachment->id = member->id;
	attachment->next = group->detached;
	group->detached = attachment;
}

/**
 * perfgrp_bpf_detach - detach a member's program
 * @group: the group; the lock is held for writing
 * @arg: the ioctl's argument
 * @err: filled in on failure
 *
 * perfgrp_bpf_take_detached() and perfgrp_bpf_drop_detached() follow.
 *
 * Return: 0 or a negative errno.
 */
int perfgrp_bpf_detach(struct perfgrp_group *group, const struct perfgrp_bpf_detach *arg,
		       struct perfgrp_error *err)
{
	struct perfgrp_member *member = perfgrp_group_find_member(group, arg->id, err);
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (!member)
		return -ENOENT;
	ret = check_attached(member, arg->prog_id, err);
	if (ret)
		return ret;
	add_detached(group, member, set_attachment(group, member, NULL));
	return 0;
}

/**
 * perfgrp_bpf_release - detach the program, if any, of a member that is being released
 * @group: the group; the lock is held for writing
 * @member: the member, in no event array any more
 *
 * As perfgrp_bpf_detach().
 */
void perfgrp_bpf_release(struct perfgrp_group *group, struct perfgrp_member *member)
{
	struct perfgrp_attachment *attachment = member->attachment;

	lockdep_assert_held_write(&group->lock);

	if (!attachment)
		return;
	member->attachment = NULL;
	attachment->unpublished = group->event_arrays->cookie;
	add_detached(group, member, attachment);
}

/**
 * perfgrp_bpf_take_detached - take the attachments that have been detached
 * @group: the group; the lock is held for writing
 *
 * Return: a list, to be passed to perfgrp_bpf_drop_detached(), or NULL.
 */
struct perfgrp_attachment *perfgrp_bpf_take_detached(struct perfgrp_group *group)
{
	struct perfgrp_attachment *detached = group->detached;

	lockdep_assert_held_write(&group->lock);

	group->detached = NULL;
	return detached;
}

/**
 * perfgrp_bpf_drop_detached - write records of attachments that were detached, and free them
 * @group: the group
 * @detached: from perfgrp_bpf_take_detached(), or NULL
 *
 * No lock is held. May sleep for an RCU grace period, one for all. When it returns the programs no
 * longer run for their members.
 */
void perfgrp_bpf_drop_detached(const struct perfgrp_group *group,
			       struct perfgrp_attachment *detached)
{
	struct perfgrp_attachment *next;

	for (; detached; detached = next) {
		next = detached->next;
		cond_synchronize_rcu(detached->unpublished);
		perfgrp_records_output_bpf_attach(group, PERFGRP_RECORD_BPF_DETACH, detached->id,
						  detached->prog);
		free_attachment(detached);
	}
}

/**
 * perfgrp_bpf_query - a member's program and its statistics
 * @group: the group; the lock is held, for reading at least
 * @query: its id names the member; the output fields are filled in
 * @err: filled in on failure
 *
 * Return: 0 or -ENOENT.
 */
int perfgrp_bpf_query(struct perfgrp_group *group, struct perfgrp_bpf_query *query,
		      struct perfgrp_error *err)
{
	struct perfgrp_member *member = perfgrp_group_find_member(group, query->id, err);
	const struct perfgrp_attachment *attachment;
	const struct perfgrp_attachment_cpu *counts;
	int ret, cpu;

	lockdep_assert_held(&group->lock);

	if (!member)
		return -ENOENT;
	ret = check_attached(member, 0, err);
	if (ret)
		return ret;
	attachment = member->attachment;
	query->attach_flags = attachment->flags;
	query->prog_id = attachment->prog->aux->id;
	memcpy(query->tag, attachment->prog->tag, sizeof(query->tag));
	query->cookie = attachment->cookie;
	query->runs = 0;
	query->nsecs = 0;
	query->misses = 0;
	query->dropped = 0;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(attachment->cpu, cpu);
		query->runs += READ_ONCE(counts->runs);
		query->nsecs += READ_ONCE(counts->nsecs);
		query->misses += READ_ONCE(counts->misses);
		query->dropped += READ_ONCE(counts->dropped);
	}
	return 0;
}
