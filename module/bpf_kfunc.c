// SPDX-License-Identifier: GPL-2.0
/*
 * Groups for BPF programs: a kfunc that reads a group on the CPU that it is called on.
 *
 * Userspace asks for a group's handle and gives it to its program in a map. Handles
 * are numbers that are never used again, so one that outlives its group finds nothing.
 * A program may run anywhere: in an NMI, in the scheduler. So the kfunc takes no lock;
 * it finds the group and its view under RCU.
 *
 * The kernel knows a module's kfuncs by the module's BTF, which kbuild makes where it
 * finds vmlinux beside the headers, and pahole. Kernels before 6.9 keep their lists of
 * kfuncs in another form: there is none here for them. From 6.12 on programs of types
 * tracepoint and perf_event have what those of type tracing have.
 */
#include <linux/atomic.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "perfcore.h"
#include "perfgrp.h"

/* Groups by handle. Its own lock covers changes; looked up under RCU. */
static DEFINE_XARRAY(groups);
static atomic64_t last_handle = ATOMIC64_INIT(0);

/* Set by perfgrp_bpf_kfunc_init() alone. */
static bool registered;

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
	value->pmu = PERFGRP_NONE;
	if (state == PERF_EVENT_STATE_ERROR)
		value->state = PERFGRP_STATE_FAILED;
	else if (state <= PERF_EVENT_STATE_EXIT)
		value->state = PERFGRP_STATE_EXITED;
	if (!event)
		return;
	value->flags |= perfgrp_core_value_flags(event, array->entries[0].event);
	value->pmu = event->pmu->type;
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
 * @handle: of PERFGRP_BPF_HANDLE
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
	group = xa_load(&groups, handle);
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
	u64 handle = atomic64_inc_return(&last_handle);
	int ret;

	ret = perfgrp_event_arrays_create(group);
	if (ret)
		goto refused;
	perfgrp_event_arrays_publish(group);
	ret = xa_insert(&groups, handle, group, GFP_KERNEL);
	if (ret)
		goto refused;
	group->handle = handle;
	return 0;
refused:
	return perfgrp_fail(err, ret, PERFGRP_REASON_MEMORY, "", "no memory");
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
	if (group->handle)
		xa_erase(&groups, group->handle);
}
