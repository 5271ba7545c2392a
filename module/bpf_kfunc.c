// SPDX-License-Identifier: GPL-2.0
/*
 * Groups for BPF programs: a kfunc that reads a group on the CPU that it is called on.
 *
 * User space asks for a group's handle and gives it to its program, usually in a map. Handles
 * are random, so that a program finds no group whose handle it was not given, and one that
 * outlives its group finds nothing. A program may run anywhere: in an NMI, in the scheduler.
 * So the kfunc takes no lock; it finds the group and its event array under RCU.
 *
 * The kernel knows a module's kfuncs by the module's BTF, which kbuild generates if pahole is
 * there and vmlinux lies beside the headers. Kernels before 6.9 keep their lists of kfuncs in
 * another form: there is no kfunc for them. From 6.12 on programs of types tracepoint and
 * perf_event can call what those of type tracing can.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "bpf_kfunc.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "perfcore.h"
#include "value.h"

/*
 * Groups by handle. Changes take groups_lock; programs look up under RCU, in any context. A
 * group is freed a grace period after it left (perfgrp_event_arrays_destroy()).
 */
static DEFINE_HASHTABLE(groups, 8);
static DEFINE_SPINLOCK(groups_lock);

/* Set by perfgrp_bpf_kfunc_init() alone. */
static bool registered;

/* Inside rcu_read_lock(), or with groups_lock held. */
static struct perfgrp_group *find_group(u64 handle)
{
	struct perfgrp_group *group;

	hash_for_each_possible_rcu(groups, group, handle_node, handle,
				   lockdep_is_held(&groups_lock)) if (group->handle ==
								      handle) return group;
	return NULL;
}

/* ---- reading -------------------------------------------------------------- */

#if defined(BTF_KFUNCS_START) && defined(CONFIG_DEBUG_INFO_BTF_MODULES)

/* The instance that counts where this runs; -1 for none. */
static int instance_here(const struct perfgrp_group *group)
{
	if (group->instance_of)
		return group->instance_of[smp_processor_id()];
	if (group->task != current)
		return -1;
	return group->instances[0].cpu < 0 || group->instances[0].cpu == smp_processor_id() ? 0 :
											      -1;
}

static void read_entry(const struct perfgrp_event_array *array, unsigned int index, u64 clock,
		       struct perfgrp_value *value)
{
	const struct perfgrp_event_array_entry *entry = &array->entries[index];
	struct perf_event *event = entry->event;
	struct perfgrp_count count = {};
	enum perf_event_state state = PERF_EVENT_STATE_ERROR;

	if (event)
		state = perfgrp_core_read_anywhere(event, clock, &count);
	count = perfgrp_count_add(entry->base, count);
	perfgrp_value_fill(value, &count);
	value->id = entry->id;
	value->sched_group = entry->sched_group;
	value->pmu = entry->pmu;
	if (state == PERF_EVENT_STATE_ERROR)
		value->flags |= PERFGRP_VALUE_FAILED;
	else if (state <= PERF_EVENT_STATE_EXIT)
		value->flags |= PERFGRP_VALUE_EXITED;
	if (event && perfgrp_core_throttled(event))
		value->flags |= PERFGRP_VALUE_THROTTLED;
}

/* Interrupts are off, under RCU. */
static int read_group(const struct perfgrp_group *group, void *values, u32 size, u32 value_size)
{
	const u32 common = min_t(u32, value_size, sizeof(struct perfgrp_value));
	const struct perfgrp_event_array *array;
	int instance = instance_here(group);
	struct perfgrp_value value;
	unsigned int i;
	u64 clock;

	if (instance < 0)
		return -ENODATA;
	array = perfgrp_event_array_get(group->event_arrays, instance);
	if (size / value_size < array->nr)
		return -EMSGSIZE;
	clock = perfgrp_core_clock();
	for (i = 0; i < array->nr; i++, values += value_size) {
		read_entry(array, i, clock, &value);
		memcpy(values, &value, common);
		memset(values + common, 0, value_size - common);
	}
	return array->nr;
}

__bpf_kfunc_start_defs();

/**
 * bpf_perfgrp_read - read a group on this CPU
 * @handle: of PERFGRP_GET_BPF_HANDLE
 * @values: filled in, leader first
 * @values__sz: bytes there
 * @value_size: bytes of one value, as the program knows it
 * @flags: 0
 *
 * What a snapshot would show of this CPU, or of the task that runs. Any context.
 *
 * Return: the number of members, or -EINVAL (@value_size, @flags), -ENOENT (no such group
 * any more), -ENODATA (it does not count here), -EMSGSIZE (@values__sz).
 */
__bpf_kfunc int bpf_perfgrp_read(u64 handle, struct perfgrp_value *values, u32 values__sz,
				 u32 value_size, u64 flags)
{
	const struct perfgrp_group *group;
	unsigned long irqs;
	int ret = -ENOENT;

	if (flags || value_size < PERFGRP_VALUE_SIZE_VER0)
		return -EINVAL;
	local_irq_save(irqs);
	rcu_read_lock();
	group = find_group(handle);
	if (group)
		ret = read_group(group, values, values__sz, value_size);
	rcu_read_unlock();
	local_irq_restore(irqs);
	return ret;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(kfuncs)
BTF_ID_FLAGS(func, bpf_perfgrp_read)
BTF_KFUNCS_END(kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kfuncs,
};

/*
 * For programs of the tracing, tracepoint and perf_event types: to the kernel these are
 * one. Where this module has no BTF registering does nothing, and returns 0. What is
 * registered goes with the module.
 */
static bool register_kfuncs(void)
{
	return THIS_MODULE->btf_data_size &&
	       !register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &kfunc_set);
}

#else

static bool register_kfuncs(void)
{
	return false;
}

#endif

/**
 * perfgrp_bpf_kfunc_init - offer the kfunc to BPF programs
 *
 * Where that does not work there is none; see perfgrp_bpf_kfunc_supported().
 */
void perfgrp_bpf_kfunc_init(void)
{
	registered = register_kfuncs();
}

/**
 * perfgrp_bpf_kfunc_supported - can BPF programs read groups?
 *
 * Return: whether the kernel took the kfunc.
 */
bool perfgrp_bpf_kfunc_supported(void)
{
	return registered;
}

/* ---- handles -------------------------------------------------------------- */

static int handle_alloc(struct perfgrp_group *group, struct perfgrp_error *err)
{
	if (perfgrp_event_arrays_create(group))
		return perfgrp_fail_memory(err);
	perfgrp_event_arrays_publish(group);

	spin_lock(&groups_lock);
	do {
		group->handle = get_random_u64();
	} while (!group->handle || find_group(group->handle));
	hash_add_rcu(groups, &group->handle_node, group->handle);
	spin_unlock(&groups_lock);
	return 0;
}

/**
 * perfgrp_bpf_kfunc_get_handle - what BPF programs know a group by
 * @group: the group; the lock is held for writing
 * @handle: set
 * @err: says why not
 *
 * Return: 0, -EOPNOTSUPP, -EACCES or -ENOMEM.
 */
int perfgrp_bpf_kfunc_get_handle(struct perfgrp_group *group, u64 *handle,
				 struct perfgrp_error *err)
{
	int ret = 0;

	lockdep_assert_held_write(&group->lock);

	if (!perfgrp_bpf_kfunc_supported())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				    "the module has no kfunc: it was built without BTF, or for a kernel before 6.9");
	if (perfgrp_group_inherits(group))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				    "an INHERIT group cannot be read from one CPU");
	if (!perfmon_capable())
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				    "giving a group to BPF programs needs CAP_PERFMON");
	if (!group->handle)
		ret = handle_alloc(group, err);
	if (!ret)
		*handle = group->handle;
	return ret;
}

/**
 * perfgrp_bpf_kfunc_free_handle - let BPF programs not find a group any more
 * @group: the group; its views are destroyed next, which waits for those who have
 *	found it
 */
void perfgrp_bpf_kfunc_free_handle(struct perfgrp_group *group)
{
	if (!group->handle)
		return;
	spin_lock(&groups_lock);
	hash_del_rcu(&group->handle_node);
	spin_unlock(&groups_lock);
}
