// SPDX-License-Identifier: GPL-2.0
/*
 * The kfuncs for BPF programs: bpf_perfgrp_read() reads a group on the program's CPU,
 * bpf_perfgrp_read_row() reads the mapped row of any CPU.
 *
 * User space gets the group's handle from PERFGRP_GET_BPF_HANDLE and passes it to its
 * program, usually in a map. Handles are random, so a program cannot find a group whose
 * handle it was not given. A handle becomes invalid when its group is destroyed or gets a new
 * handle. A program may run in any context, such as an NMI or the scheduler, so the kfuncs take
 * no lock: they find the group, and its event array or rows, under RCU.
 *
 * The kernel finds a module's kfuncs by the module's BTF, which kbuild generates if pahole
 * is installed and vmlinux is beside the headers. Kernels before 6.9 register kfuncs in
 * another form and get none. Kfuncs that are registered for tracing programs can also be called
 * by lsm programs and, from 6.12 on, by tracepoint and perf_event programs. Kprobe programs have a
 * hook of their own.
 *
 * Process context, except for the kfuncs. Takes handles_lock.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "away.h"
#include "bpf_kfunc.h"
#include "error.h"
#include "event_array.h"
#include "group.h"
#include "mapped.h"
#include "perfcore.h"
#include "value.h"

/**
 * struct perfgrp_handle - names a group to BPF programs
 * @node: in handles
 * @number: random, unique, not 0
 * @group: the group
 * @rcu: frees it
 *
 * Constant, apart from @node.
 */
struct perfgrp_handle {
	struct hlist_node node;
	u64 number;
	struct perfgrp_group *group;
	struct rcu_head rcu;
};

/*
 * All handles. Changed under handles_lock, which is taken in process context only (it sleeps with
 * PREEMPT_RT); programs look up handles under RCU, in any context. A group is freed only when a
 * grace period has passed since its handle was removed (destroy_group()).
 */
static DEFINE_HASHTABLE(handles, 8);
static DEFINE_SPINLOCK(handles_lock);

/* Written by perfgrp_bpf_kfunc_init() only, before the device exists. */
static bool registered;

/* Inside rcu_read_lock(), or with handles_lock held. NULL if no group has it. */
static struct perfgrp_group *find_group(u64 number)
{
	const struct perfgrp_handle *handle;

	hash_for_each_possible_rcu(handles, handle, node, number, lockdep_is_held(&handles_lock))
		if (handle->number == number)
			return handle->group;
	return NULL;
}

/* ---- reading -------------------------------------------------------------- */

#if defined(BTF_KFUNCS_START) && defined(CONFIG_DEBUG_INFO_BTF_MODULES)

/* Index of the instance that counts the current task on this CPU; -1 if there is none. */
static int instance_here(const struct perfgrp_group *group)
{
	if (group->instance_of)
		return group->instance_of[smp_processor_id()];
	if (group->task != current)
		return -1;
	return group->instances[0].cpu < 0 || group->instances[0].cpu == smp_processor_id() ? 0 :
											      -1;
}

static void read_entry(const struct perfgrp_group *group,
		       const struct perfgrp_event_array *array, unsigned int index, bool usable,
		       u64 clock, bool irqs_on, struct perfgrp_value *value)
{
	const struct perfgrp_event_array_entry *entry = &array->entries[index];
	struct perf_event *event = entry->event;
	struct perfgrp_count count = {};
	enum perf_event_state state = PERF_EVENT_STATE_ERROR;

	if (event) {
		state = perfgrp_core_state(event);
		perfgrp_core_read_anywhere(event, state, irqs_on);
		perfgrp_core_times(event, state, clock, &count);
	}
	count = perfgrp_count_add(entry->base, count);
	if (entry->goes_away)
		perfgrp_away_adjust(entry->away, clock, &count);
	perfgrp_value_fill(value, &count);
	value->id = entry->id;
	value->sched_group = entry->sched_group;
	value->pmu = entry->pmu;
	if (!usable)
		value->flags |= PERFGRP_VALUE_OFFLINE;
	else if (state == PERF_EVENT_STATE_ERROR)
		value->flags |= PERFGRP_VALUE_FAILED;
	else if (state <= PERF_EVENT_STATE_EXIT)
		value->flags |= PERFGRP_VALUE_EXITED;
	if (event && perfgrp_core_throttled(event))
		value->flags |= PERFGRP_VALUE_THROTTLED;
	if (READ_ONCE(group->cgroup) && READ_ONCE(group->counted))
		perfgrp_value_check_absent(value);
}

/* Interrupts are off; @irqs_on: the kfunc was called with them on. Inside rcu_read_lock(). */
static int read_group(const struct perfgrp_group *group, bool irqs_on, void *values, u32 size,
		      u32 value_size)
{
	const struct perfgrp_event_array *array;
	int instance = instance_here(group);
	struct perfgrp_value value;
	unsigned int i;
	bool usable;
	u64 clock;

	if (instance < 0)
		return -ENODATA;
	array = perfgrp_event_array_get(group->event_arrays, instance);
	if (size / value_size < array->nr)
		return -EMSGSIZE;
	usable = perfgrp_event_array_usable(group, instance, array);
	clock = perfgrp_core_clock();
	for (i = 0; i < array->nr; i++, values += value_size) {
		read_entry(group, array, i, usable, clock, irqs_on, &value);
		perfgrp_value_copy(values, value_size, &value);
	}
	return array->nr;
}

/* Index of the instance whose row has this @cpu; -1 if there is none. */
static int instance_of_cpu(const struct perfgrp_group *group, s32 cpu)
{
	if (!group->instance_of)
		return group->instances[0].cpu == cpu ? 0 : -1;
	return cpu >= 0 && cpu < nr_cpu_ids ? group->instance_of[cpu] : -1;
}

/* Inside rcu_read_lock(). */
static int read_row(const struct perfgrp_group *group, s32 cpu, struct perfgrp_map_slot *slot,
		    u32 size, u32 value_size)
{
	int instance = group->mapped ? instance_of_cpu(group, cpu) : -1;
	unsigned int tries;
	int ret = -ENODATA;

	if (instance < 0)
		return ret;
	/* Give up soon: if the program has interrupted the writer, waiting for it never ends. */
	for (tries = 0; tries < 3; tries++) {
		ret = perfgrp_mapped_copy_slot(group->mapped, instance, slot, size, value_size);
		if (ret != -EAGAIN)
			break;
		cpu_relax();
	}
	return ret;
}

__bpf_kfunc_start_defs();

/**
 * bpf_perfgrp_read - read a group on this CPU
 * @handle: from PERFGRP_GET_BPF_HANDLE
 * @values: filled in, one element per member, leader first
 * @values__sz: size of @values in bytes
 * @value_size: size of one element in bytes, as the program knows it
 * @flags: 0
 *
 * Reads the values that a snapshot would show in the row of this CPU, or of the current
 * task. Any context.
 *
 * Return: the number of members; -EINVAL (@value_size or @flags is wrong), -ENOENT (no
 * group has this handle), -ENODATA (the group does not count here), -EMSGSIZE (@values__sz
 * is too small).
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
		ret = read_group(group, !irqs_disabled_flags(irqs), values, values__sz, value_size);
	rcu_read_unlock();
	local_irq_restore(irqs);
	return ret;
}

/**
 * bpf_perfgrp_read_row - read the mapped row of any CPU, without interrupting it
 * @handle: from PERFGRP_GET_BPF_HANDLE, of a PERFGRP_CREATE_MAPPED group
 * @cpu: the row's CPU; for a task, the CPU that the group was created for, -1 for any
 * @slot: filled in; the values follow it, one per member, leader first
 * @slot__sz: size of @slot, with room for the values, in bytes
 * @value_size: size of one value in bytes, as the program knows it
 *
 * Copies what userspace sees in the mapping. Any context.
 *
 * Return: the number of members; -EINVAL (@value_size is wrong, or @slot__sz has no room for a
 * slot), -ENOENT (no group has this handle), -ENODATA (the group has no such row, is not mapped, or
 * the row was never written), -EMSGSIZE (no room for all values), -EAGAIN (the row is being
 * written).
 */
__bpf_kfunc int bpf_perfgrp_read_row(u64 handle, s32 cpu, struct perfgrp_map_slot *slot,
				     u32 slot__sz, u32 value_size)
{
	const struct perfgrp_group *group;
	int ret = -ENOENT;

	if (slot__sz < sizeof(*slot) || value_size < PERFGRP_VALUE_SIZE_VER0)
		return -EINVAL;
	rcu_read_lock();
	group = find_group(handle);
	if (group)
		ret = read_row(group, cpu, slot, slot__sz, value_size);
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(kfuncs)
BTF_ID_FLAGS(func, bpf_perfgrp_read)
BTF_ID_FLAGS(func, bpf_perfgrp_read_row)
BTF_KFUNCS_END(kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kfuncs,
};

/*
 * If this module has no BTF, register_btf_kfunc_id_set() does nothing and returns 0. The kernel
 * unregisters the kfuncs when the module is unloaded.
 */
static bool register_kfuncs(void)
{
	if (!THIS_MODULE->btf_data_size)
		return false;
	/* First, because before 6.12 this fails and drops what was registered for other types. */
	register_btf_kfunc_id_set(BPF_PROG_TYPE_KPROBE, &kfunc_set);
	return !register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &kfunc_set);
}

#else

static bool register_kfuncs(void)
{
	return false;
}

#endif

/**
 * perfgrp_bpf_kfunc_init - register the kfuncs
 *
 * If it fails the module works without PERFGRP_FEATURE_KFUNC.
 */
void perfgrp_bpf_kfunc_init(void)
{
	registered = register_kfuncs();
}

/**
 * perfgrp_bpf_kfunc_supported - can BPF programs read groups?
 *
 * Return: true if the kfuncs are registered.
 */
bool perfgrp_bpf_kfunc_supported(void)
{
	return registered;
}

/* ---- handles -------------------------------------------------------------- */

static void remove_handle(struct perfgrp_handle *handle)
{
	lockdep_assert_held(&handles_lock);

	hash_del_rcu(&handle->node);
	kfree_rcu(handle, rcu);
}

/* Replaces the group's handle, if it has one. */
static int new_handle(struct perfgrp_group *group, struct perfgrp_error *err)
{
	struct perfgrp_handle *handle = kmalloc(sizeof(*handle), GFP_KERNEL_ACCOUNT);

	if (!handle || perfgrp_event_arrays_create(group)) {
		kfree(handle);
		return perfgrp_fail_memory(err);
	}

	handle->group = group;
	spin_lock(&handles_lock);
	do {
		handle->number = get_random_u64();
	} while (!handle->number || find_group(handle->number));
	hash_add_rcu(handles, &handle->node, handle->number);
	if (group->handle)
		remove_handle(group->handle);
	spin_unlock(&handles_lock);
	group->handle = handle;
	return 0;
}

/**
 * perfgrp_bpf_kfunc_get_handle - get the number of a group's handle
 * @group: the group; the lock is held for writing
 * @renew: replace the group's handle, if it has one; the old one becomes invalid
 * @number: set
 * @err: filled in on failure
 *
 * May sleep.
 *
 * Return: 0, -EOPNOTSUPP, -EACCES or -ENOMEM.
 */
int perfgrp_bpf_kfunc_get_handle(struct perfgrp_group *group, bool renew, u64 *number,
				 struct perfgrp_error *err)
{
	int ret = 0;

	lockdep_assert_held_write(&group->lock);

	if (!perfgrp_bpf_kfunc_supported())
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				    "the module has no kfunc: the kernel is older than 6.9, or it or the module has no BTF");
	if (group->split)
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				    "the group is split by cgroup; programs cannot read it");
	if (perfgrp_group_inherits(group))
		return perfgrp_fail(err, -EOPNOTSUPP, PERFGRP_REASON_FEATURE, "",
				    "an INHERIT group cannot be read on one CPU");
	if (!perfmon_capable())
		return perfgrp_fail(err, -EACCES, PERFGRP_REASON_PRIVILEGE, "",
				    "giving a group to BPF programs needs CAP_PERFMON");
	if (renew || !group->handle)
		ret = new_handle(group, err);
	if (!ret)
		*number = group->handle->number;
	return ret;
}

/**
 * perfgrp_bpf_kfunc_free_handle - free a group's handle, if it has one
 * @group: a group that is being destroyed. Programs that have found it may use it until an RCU
 *	grace period has passed.
 */
void perfgrp_bpf_kfunc_free_handle(struct perfgrp_group *group)
{
	if (!group->handle)
		return;
	spin_lock(&handles_lock);
	remove_handle(group->handle);
	spin_unlock(&handles_lock);
	group->handle = NULL;
}
