// SPDX-License-Identifier: GPL-2.0
/*
 * Allocating and freeing a group's rings of records. records_write.c writes them,
 * records_read.c reads them.
 *
 * Process context.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmstat.h>
#include <linux/wait.h>

#include "access.h"
#include "group.h"
#include "hotplug.h"
#include "records.h"
#include "ring.h"
#include "sampling.h"

/*
 * irq_work: wake all readers, also those that poll with EPOLLEXCLUSIVE: if only one of them were
 * woken and then killed, nobody would reset perfgrp_records.woken. In hard IRQ context; with
 * PREEMPT_RT in a thread, because the wait queue's spinlock_t sleeps there and the work is not
 * IRQ_WORK_HARD_IRQ.
 */
static void records_wake(struct irq_work *work)
{
	struct perfgrp_records *records = container_of(work, struct perfgrp_records, wake);

	__wake_up(&records->group->wait, TASK_INTERRUPTIBLE, 0,
		  poll_to_key(EPOLLIN | EPOLLRDNORM));
}

/* The group's task has exited. Wake all waiters, also those that poll with EPOLLEXCLUSIVE. */
static void records_end(struct perfgrp_task_exit *exit)
{
	struct perfgrp_records *records = container_of(exit, struct perfgrp_records, task_exit);

	wake_up_interruptible_all(&records->group->wait);
}

static void init_ring(struct perfgrp_records *records, struct perfgrp_ring *ring,
		      const struct perfgrp_create *arg)
{
	ring->records = records;
	ring->size = perfgrp_records_ring_size(arg->buffer_size);
	ring->overwrite = arg->flags & PERFGRP_CREATE_OVERWRITE;
}

/* Without PERFGRP_CREATE_BPF_EVENTS few records go to @other, so it is made small. */
static void init_other_ring(struct perfgrp_records *records, const struct perfgrp_create *arg)
{
	struct perfgrp_create few = *arg;

	if (!(arg->flags & PERFGRP_CREATE_BPF_EVENTS))
		few.buffer_size = 2 * PAGE_SIZE;
	init_ring(records, &records->other, &few);
	raw_spin_lock_init(&records->other_lock);
}

/* Are there enough free pages, and some to spare? Rings cannot use CMA pages. */
static bool has_memory(unsigned long nr_pages)
{
	unsigned long left = min(totalram_pages() / 16, (unsigned long)SZ_64M >> PAGE_SHIFT);
	long available = si_mem_available() - global_zone_page_state(NR_FREE_CMA_PAGES);

	return available > (long)(nr_pages + nr_pages / 64 + left);
}

/* The CPU of a ring; -1 if the ring is a task's. */
static int cpu_of(const struct perfgrp_records *records, unsigned int nr)
{
	return records->per_cpu ? nr : records->group->instances[nr].cpu;
}

static int node_of(const struct perfgrp_records *records, unsigned int nr)
{
	int cpu = cpu_of(records, nr);

	return cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
}

/*
 * Rings of offline CPUs get no memory. If the group counts its tasks on one CPU only, nor do the
 * rings of the others.
 */
static bool needs_memory(const struct perfgrp_records *records, unsigned int nr)
{
	int cpu = cpu_of(records, nr), only = records->group->instances[0].cpu;

	/* A task's only ring: if its CPU is offline now, nothing would allocate it later. */
	if (!records->per_cpu && records->group->task)
		return true;
	if (records->per_cpu && only >= 0 && cpu != only)
		return false;
	return cpu < 0 || perfgrp_hotplug_cpu_usable(cpu);
}

static int alloc_rings(struct perfgrp_records *records)
{
	unsigned long nr_pages = records->nr_pages;
	struct perfgrp_ring *ring;
	unsigned int i;
	int ret;

	ret = perfgrp_ring_alloc(&records->other, NUMA_NO_NODE);
	nr_pages -= perfgrp_ring_nr_pages(&records->other);
	for (i = 0; i < records->nr_rings && !ret; i++) {
		ring = &records->rings[i];
		/*
		 * CPUs may have gone online or offline since the pages were counted.
		 * perfgrp_group_follow_cpus() allocates the rings of new ones.
		 */
		if (!needs_memory(records, i) || nr_pages < perfgrp_ring_nr_pages(ring))
			continue;
		if (!has_memory(nr_pages))
			return -ENOMEM;
		ret = perfgrp_ring_alloc(ring, node_of(records, i));
		nr_pages -= perfgrp_ring_nr_pages(ring);
	}
	if (ret)
		return ret;
	/* Those of CPUs that went offline meanwhile: perfgrp_records_add_ring() charges them. */
	records->nr_pages -= nr_pages;
	perfgrp_access_uncharge_buffer(records->user, nr_pages);
	return 0;
}

static unsigned long count_pages(const struct perfgrp_records *records)
{
	unsigned long nr = perfgrp_ring_nr_pages(&records->other);
	unsigned int i;

	for (i = 0; i < records->nr_rings; i++)
		if (needs_memory(records, i))
			nr += perfgrp_ring_nr_pages(&records->rings[i]);
	return nr;
}

/**
 * perfgrp_records_create - allocate a group's rings
 * @group: a new group with its target and instances
 * @arg: the argument of PERFGRP_CREATE, checked
 * @err: filled in on -ENOSPC
 *
 * May sleep.
 *
 * Return: the rings, or an ERR_PTR() of -ENOMEM or -ENOSPC.
 */
struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err)
{
	bool per_cpu = perfgrp_group_inherits(group);
	unsigned int nr_rings = per_cpu ? nr_cpu_ids : group->nr_instances;
	struct perfgrp_records *records;
	unsigned int i;
	int ret;

	records = kvzalloc(struct_size(records, rings, nr_rings), GFP_KERNEL_ACCOUNT);
	if (!records)
		return ERR_PTR(-ENOMEM);
	records->group = group;
	records->per_cpu = per_cpu;
	records->nr_rings = nr_rings;
	for (i = 0; i < records->nr_rings; i++)
		init_ring(records, &records->rings[i], arg);
	init_other_ring(records, arg);
	records->wakeup_records = arg->wakeup_records ?: arg->wakeup_bytes ? U32_MAX : 1;
	records->wakeup_bytes = arg->wakeup_bytes ?: ULONG_MAX;
	init_irq_work(&records->wake, records_wake);
	mutex_init(&records->reading);

	records->nr_pages = count_pages(records);
	ret = perfgrp_access_charge_buffer(current_user(), records->nr_pages, err);
	if (ret)
		goto free;
	records->user = get_uid(current_user());
	records->memcg = get_mem_cgroup_from_mm(current->mm);
	if (group->task)
		perfgrp_task_exit_watch(&records->task_exit, group->task, records_end);
	ret = alloc_rings(records);
	if (ret)
		goto destroy;
	return records;
destroy:
	perfgrp_records_uncharge(records);
	perfgrp_records_destroy(records);
	return ERR_PTR(ret);
free:
	kvfree(records);
	return ERR_PTR(ret);
}

/**
 * perfgrp_records_add_ring - allocate the ring of a CPU that has come online
 * @group: the group; the lock is held for writing. Nothing is done if it has no buffer, needs no
 *	ring there, or already has it.
 * @nr: index of the ring
 *
 * If that fails the CPU's records are lost, and counted as lost. The memory is charged to the
 * group's user even beyond the limit, and like the other rings to his memory cgroup: this may be a
 * worker.
 */
void perfgrp_records_add_ring(struct perfgrp_group *group, unsigned int nr)
{
	struct perfgrp_records *records;
	struct mem_cgroup *memcg;
	struct perfgrp_ring *ring;
	unsigned long nr_pages;
	int ret;

	lockdep_assert_held_write(&group->lock);

	if (!group->sampling)
		return;
	records = group->sampling->records;
	ring = &records->rings[nr];
	nr_pages = perfgrp_ring_nr_pages(ring);
	if (perfgrp_ring_exists(ring) || !needs_memory(records, nr) || !has_memory(nr_pages))
		return;
	memcg = set_active_memcg(records->memcg);
	ret = perfgrp_ring_alloc(ring, node_of(records, nr));
	set_active_memcg(memcg);
	if (ret)
		return;
	records->nr_pages += nr_pages;
	perfgrp_access_charge_more(records->user, nr_pages);
}

/**
 * perfgrp_records_uncharge - uncharge the rings' memory from their user
 * @records: the rings
 */
void perfgrp_records_uncharge(struct perfgrp_records *records)
{
	perfgrp_access_uncharge_buffer(records->user, records->nr_pages);
}

/**
 * perfgrp_records_destroy - free a group's rings
 * @records: the rings; uncharged, without writers and readers
 *
 * May sleep.
 */
void perfgrp_records_destroy(struct perfgrp_records *records)
{
	struct perfgrp_ring *ring;
	unsigned int i;

	if (records->group->task)
		perfgrp_task_exit_unwatch(&records->task_exit);
	irq_work_sync(&records->wake);
	perfgrp_for_each_ring(records, ring, i)
		perfgrp_ring_free(ring);
	mem_cgroup_put(records->memcg);
	free_uid(records->user);
	kvfree(records);
}
