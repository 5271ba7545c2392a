// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on counters: attached, replaced, detached, asked for.
 *
 * An attachment is a program on a member, for all its instances. The overflow handler
 * finds it in the view of its instance (event_array.c), under RCU: so a program is replaced
 * for all CPUs by one store, every overflow sees the one or the other, and after a
 * grace period the old one runs no more. bpf_run.c runs it.
 *
 * Process context.
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
#include "compat.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "records.h"

/* ---- programs and their maps ---------------------------------------------- */

/* By number; kernels differ in how many of them their headers know. */
static const char *const map_types[] = {
	"unspec", "hash", "array", "prog_array", "perf_event_array", "percpu_hash",
	"percpu_array", "stack_trace", "cgroup_array", "lru_hash", "lru_percpu_hash",
	"lpm_trie", "array_of_maps", "hash_of_maps", "devmap", "sockmap", "cpumap", "xskmap",
	"sockhash", "cgroup_storage", "reuseport_sockarray", "percpu_cgroup_storage", "queue",
	"stack", "sk_storage", "devmap_hash", "struct_ops", "ringbuf", "inode_storage",
	"task_storage", "bloom_filter", "user_ringbuf", "cgrp_storage", "arena",
};

static const char *const prog_types[] = {
	"unspec", "socket_filter", "kprobe", "sched_cls", "sched_act", "tracepoint", "xdp",
	"perf_event", "cgroup_skb", "cgroup_sock", "lwt_in", "lwt_out", "lwt_xmit", "sock_ops",
	"sk_skb", "cgroup_device", "sk_msg", "raw_tracepoint", "cgroup_sock_addr",
	"lwt_seg6local", "lirc_mode2", "sk_reuseport", "flow_dissector", "cgroup_sysctl",
	"raw_tracepoint_writable", "cgroup_sockopt", "tracing", "struct_ops", "ext", "lsm",
	"sk_lookup", "syscall", "netfilter",
};

static const char *name_of(const char *const names[], size_t nr, u32 type)
{
	return type < nr ? names[type] : "unknown";
}

static enum perfgrp_locks locks_of_type(u32 type)
{
	switch (type) {
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_CGROUP_ARRAY:
	case BPF_MAP_TYPE_BLOOM_FILTER:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return PERFGRP_LOCKS_NONE;
	case BPF_MAP_TYPE_STACK_TRACE:
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
	case BPF_MAP_TYPE_RINGBUF:
		return PERFGRP_LOCKS_TRIED;
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
		return PERFGRP_LOCKS_BUSY;
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	/* Whatever maps the programs in it have, now and later; but see PERFGRP_LOCKS_ALLOC. */
	case BPF_MAP_TYPE_PROG_ARRAY:
		return PERFGRP_LOCKS_WAIT;
	case BPF_MAP_TYPE_TASK_STORAGE:
	case COMPAT_BPF_MAP_TYPE_CGRP_STORAGE:
		return PERFGRP_STORAGE_ALLOCATES ? PERFGRP_LOCKS_ALLOC : PERFGRP_LOCKS_WAIT;
	case BPF_MAP_TYPE_LPM_TRIE:
		return PERFGRP_LOCKS_ALLOC;
	default:
		return PERFGRP_LOCKS_UNKNOWN;
	}
}

/* Programs look into an outer map, but change only what is in it. */
static u32 type_of_map(const struct bpf_map *map)
{
	if (map->map_type == BPF_MAP_TYPE_ARRAY_OF_MAPS ||
	    map->map_type == BPF_MAP_TYPE_HASH_OF_MAPS)
		return map->inner_map_meta->map_type;
	return map->map_type;
}

static void classify_maps(struct perfgrp_attachment *attachment)
{
	struct bpf_prog_aux *aux = attachment->prog->aux;
	enum perfgrp_locks locks;
	u32 type, i;

	mutex_lock(&aux->used_maps_mutex);
	for (i = 0; i < aux->used_map_cnt; i++) {
		type = type_of_map(aux->used_maps[i]);
		locks = locks_of_type(type);
		if (locks > attachment->locks) {
			attachment->locks = locks;
			attachment->map_type = type;
		}
	}
	mutex_unlock(&aux->used_maps_mutex);
}

/* No function that a module has tells the type of a program; but each takes one alone. */
static int fail_prog_type(int fd, struct perfgrp_error *err)
{
	struct bpf_prog *prog;
	u32 type;

	for (type = 0; type < 2 * ARRAY_SIZE(prog_types); type++) {
		prog = bpf_prog_get_type_dev(fd, type, true);
		if (IS_ERR(prog))
			continue;
		bpf_prog_put(prog);
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_BPF_TYPE, "prog_fd",
				    "fd %d is a BPF program of type %s (%u); perf_event (%u) is needed",
				    fd, name_of(prog_types, ARRAY_SIZE(prog_types), type), type,
				    BPF_PROG_TYPE_PERF_EVENT);
	}
	return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_BPF_FD, "prog_fd",
			    "fd %d is not one of a BPF program", fd);
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
		perfgrp_fail(err, ret, PERFGRP_REASON_BPF_FD, "prog_fd", "fd %d is closed", fd);
	else
		perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, "prog_fd",
			     "fd %d: the kernel refuses the program with errno %d", fd, -ret);
	return ERR_PTR(ret);
}

/* ---- attaching ------------------------------------------------------------- */

/**
 * perfgrp_bpf_is_supported - are there BPF programs for counters?
 *
 * Return: whether this kernel has them.
 */
bool perfgrp_bpf_is_supported(void)
{
	return IS_ENABLED(CONFIG_BPF_EVENTS);
}

/* For an attachment that no handler can know, or knew. */
static void free_attachment(struct perfgrp_attachment *attachment)
{
	if (!IS_ERR_OR_NULL(attachment->prog))
		bpf_prog_put(attachment->prog);
	free_percpu(attachment->cpu);
	kfree(attachment);
}

/**
 * perfgrp_bpf_prepare - take a program, to be attached
 * @arg: which, and how; the member is not looked at
 * @err: says what is wrong with it
 *
 * Return: an attachment, for perfgrp_bpf_attach() or perfgrp_bpf_replace(), or
 * perfgrp_bpf_abort(); or an ERR_PTR().
 */
struct perfgrp_attachment *perfgrp_bpf_prepare(const struct perfgrp_bpf_attach *arg,
					       struct perfgrp_error *err)
{
	struct perfgrp_attachment *attachment;
	int ret;

	err->member = arg->id;
	if (!perfgrp_bpf_is_supported()) {
		ret = perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				   "this kernel has no BPF programs for counters");
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
	classify_maps(attachment);
	return attachment;

no_memory:
	kfree(attachment);
	ret = perfgrp_fail_memory(err);
	return ERR_PTR(ret);
}

/**
 * perfgrp_bpf_abort - give up an attachment that was never attached
 * @attachment: of perfgrp_bpf_prepare()
 */
void perfgrp_bpf_abort(struct perfgrp_attachment *attachment)
{
	free_attachment(attachment);
}

/* Never in an NMI, nor with the run queue locked. */
static bool can_allocate_at_overflow(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
	       attr->config != PERF_COUNT_SW_CPU_MIGRATIONS &&
	       attr->config != PERF_COUNT_SW_CGROUP_SWITCHES;
}

static int check_maps(const struct perfgrp_attachment *attachment,
		      const struct perfgrp_member *member, struct perfgrp_error *err)
{
	const char *type = name_of(map_types, ARRAY_SIZE(map_types), attachment->map_type);

	if (attachment->locks == PERFGRP_LOCKS_UNKNOWN)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_BPF_MAP, "prog_fd",
				    "the program has a map of type %s (%u), which may not be safe in an NMI",
				    type, attachment->map_type);
	if (attachment->locks > PERFGRP_LOCKS_NONE && member->attr.type == PERF_TYPE_TRACEPOINT)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_BPF_MAP, "prog_fd",
				    "the program has a map of type %s (%u), whose lock may be held where a tracepoint is hit",
				    type, attachment->map_type);
	if (attachment->locks == PERFGRP_LOCKS_ALLOC && !can_allocate_at_overflow(&member->attr))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_BPF_MAP, "prog_fd",
				    "the program has a map of type %s (%u), which allocates memory: not in an NMI, nor in the scheduler",
				    type, attachment->map_type);
	if (attachment->locks >= PERFGRP_LOCKS_WAIT && member->attr.precise_ip)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_BPF_MAP, "prog_fd",
				    "the program has a map of type %s (%u), which is not safe where precise_ip is not 0",
				    type, attachment->map_type);
	return 0;
}

/* As perf_event_set_bpf_handler() has it. */
static int check_program(const struct perfgrp_attachment *attachment,
			 const struct perfgrp_member *member, struct perfgrp_error *err)
{
	if (!member->desc.sample_period)
		return perfgrp_fail(err, -EINVAL, PERFGRP_REASON_BPF_COUNTER, "id",
				    "member %u was added without a period or frequency: it does not overflow",
				    member->id);
	if (member->attr.precise_ip && attachment->prog->call_get_stack)
		return perfgrp_fail(err, -EPROTO, PERFGRP_REASON_BPF_CALLCHAIN, "prog_fd",
				    "the program asks for stacks, and member %u, with precise_ip %u, takes no call chain",
				    member->id, member->attr.precise_ip);
	return check_maps(attachment, member, err);
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
				    "member %u has program %u, not %u", member->id, id, prog_id);
	return 0;
}

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
 * perfgrp_bpf_attach - let a program run at a member's overflows
 * @group: the group; the lock is held for writing
 * @arg: the member
 * @attachment: of perfgrp_bpf_prepare(); the group's after 0, and set to NULL
 * @err: says why not
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
				    "prog_id is set: nothing is replaced");
	ret = check_program(*attachment, member, err);
	if (ret)
		return ret;
	if (member->attachment)
		return perfgrp_fail(err, -EEXIST, PERFGRP_REASON_BPF_ATTACHED, "id",
				    "member %u has program %u; replace or detach it", member->id,
				    member->attachment->prog->aux->id);

	perfgrp_records_output_bpf_attach(group, PERFGRP_RECORD_BPF_ATTACH, member->id,
					  (*attachment)->prog);
	*attachment = set_attachment(group, member, *attachment);
	return 0;
}

/**
 * perfgrp_bpf_replace - let another program run at a member's overflows
 * @group: the group; the lock is held for writing
 * @arg: the member
 * @attachment: of perfgrp_bpf_prepare(); after 0 the old one, for perfgrp_bpf_drop()
 *	without the lock
 * @err: says why not
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
 * perfgrp_bpf_drop - let go of a program that has been replaced
 * @attachment: in no view any more
 *
 * May sleep, for an RCU grace period. After it the program does not run any more.
 */
void perfgrp_bpf_drop(struct perfgrp_attachment *attachment)
{
	cond_synchronize_rcu(attachment->unpublished);
	free_attachment(attachment);
}

/* It is in no view any more; those who have still found it are waited for. */
static void drop_detached(struct perfgrp_group *group, const struct perfgrp_member *member,
			  struct perfgrp_attachment *attachment)
{
	cond_synchronize_rcu(attachment->unpublished);
	perfgrp_records_output_bpf_attach(group, PERFGRP_RECORD_BPF_DETACH, member->id,
					  attachment->prog);
	free_attachment(attachment);
}

/**
 * perfgrp_bpf_detach - let no program run at a member's overflows
 * @group: the group; the lock is held for writing
 * @arg: the member
 * @err: says why not
 *
 * May sleep, for an RCU grace period. After it the program does not run any more.
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
	drop_detached(group, member, set_attachment(group, member, NULL));
	return 0;
}

/**
 * perfgrp_bpf_release - let go of the program of a member that is released
 * @group: the group; the lock is held for writing
 * @member: in no view any more; nothing is done where it has no program
 *
 * As perfgrp_bpf_detach(). All members that are released together wait for one grace
 * period.
 */
void perfgrp_bpf_release(struct perfgrp_group *group, struct perfgrp_member *member)
{
	struct perfgrp_attachment *attachment = member->attachment;

	lockdep_assert_held_write(&group->lock);

	if (!attachment)
		return;
	member->attachment = NULL;
	attachment->unpublished = group->event_arrays->cookie;
	drop_detached(group, member, attachment);
}

/**
 * perfgrp_bpf_query - what is attached to a member, and what it did
 * @group: the group; the lock is held
 * @query: the member; filled in
 * @err: says why not
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
