// SPDX-License-Identifier: GPL-2.0
/*
 * Allocating and freeing a group's buffers of records. records_write.c writes them,
 * records_read.c reads them.
 *
 * Process context, without perfgrp_group.lock. Takes alloc_lock, in a worker only.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmstat.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "access.h"
#include "compat.h"
#include "group.h"
#include "records.h"

/*
 * irq_work: wake the readers. In hard IRQ context; with PREEMPT_RT in a thread, because the wait
 * queue's spinlock_t sleeps there and the work is not IRQ_WORK_HARD_IRQ.
 */
static void records_wake(struct irq_work *work)
{
	struct perfgrp_records_cpu *cpu = container_of(work, struct perfgrp_records_cpu, wake);
	struct perfgrp_records *records = cpu->records;

	wake_up_interruptible_poll(&records->wait, EPOLLIN | EPOLLRDNORM);
}

/*
 * ring_buffer.h has a buffer for every CPU. A group of a list of CPUs needs only those
 * CPUs' buffers; the others get the smallest size. BPF events may be recorded on any CPU.
 */
static bool needs_few_cpus(const struct perfgrp_group *group)
{
	return group->target == PERFGRP_TARGET_CPUS && !(group->flags & PERFGRP_CREATE_BPF_EVENTS);
}

static unsigned long count_pages(const struct perfgrp_records *records)
{
	const struct perfgrp_group *group = records->group;
	unsigned int nr_cpus = needs_few_cpus(group) ? group->nr_instances : num_online_cpus();

	return nr_cpus * (unsigned long)(records->size >> PAGE_SHIFT);
}

static bool has_memory(unsigned long nr_pages)
{
	unsigned long left = min(totalram_pages() / 16, (unsigned long)SZ_64M >> PAGE_SHIFT);
	long available = si_mem_available() - global_zone_page_state(NR_FREE_CMA_PAGES);

	return available > (long)(nr_pages + nr_pages / 64 + left);
}

/* Serialises the check of free memory with the allocation. */
static DEFINE_MUTEX(alloc_lock);

struct buffer_alloc {
	struct work_struct work;
	struct perfgrp_records *records;
	unsigned long size;
};

static void alloc_buffer_work(struct work_struct *work)
{
	struct buffer_alloc *allocation = container_of(work, struct buffer_alloc, work);
	struct perfgrp_records *records = allocation->records;

	mutex_lock(&alloc_lock);
	if (has_memory(records->nr_pages))
		records->buffer = ring_buffer_alloc(allocation->size,
						    records->overwrite ? RB_FL_OVERWRITE : 0);
	mutex_unlock(&alloc_lock);
}

/*
 * ring_buffer_alloc() warns if it fails half way. So alloc_buffer_work() first checks that
 * there is enough free memory for the pages and their descriptors of 64 bytes, with some
 * left for others; CMA pages cannot be used for either. A worker allocates, because
 * ring_buffer_alloc() also fails, and warns, if its task is killed. Read in
 * __rb_allocate_pages() and trace_rb_cpu_prepare() of 6.1.192, 6.12.117 and 7.3.4.
 */
static int alloc_buffer(struct perfgrp_records *records)
{
	struct perfgrp_group *group = records->group;
	bool few = needs_few_cpus(group);
	struct buffer_alloc allocation = {
		.records = records,
		.size = few ? 0 : records->size,
	};
	unsigned int i;
	int ret = 0;

	INIT_WORK_ONSTACK(&allocation.work, alloc_buffer_work);
	queue_work(compat_unbound_wq, &allocation.work);
	flush_work(&allocation.work);
	destroy_work_on_stack(&allocation.work);
	if (!records->buffer)
		return -ENOMEM;
	/* Not under alloc_lock: it waits for a worker on each CPU. */
	for (i = 0; few && i < group->nr_instances && !ret; i++)
		ret = ring_buffer_resize(records->buffer, records->size, group->instances[i].cpu);
	return ret;
}

/**
 * perfgrp_records_create - allocate a group's buffers
 * @group: a new group with its target and instances
 * @arg: the argument of PERFGRP_CREATE, checked
 * @err: filled in on -ENOSPC
 *
 * May sleep.
 *
 * Return: the buffers, or an ERR_PTR() of -ENOMEM or -ENOSPC.
 */
struct perfgrp_records *perfgrp_records_create(struct perfgrp_group *group,
					       const struct perfgrp_create *arg,
					       struct perfgrp_error *err)
{
	struct perfgrp_records *records;
	struct perfgrp_records_cpu *counts;
	int cpu, ret;

	records = kzalloc(sizeof(*records), GFP_KERNEL_ACCOUNT);
	if (!records)
		return ERR_PTR(-ENOMEM);
	records->group = group;
	records->size = max_t(u32, PAGE_ALIGN(arg->buffer_size), 2 * PAGE_SIZE);
	records->overwrite = arg->flags & PERFGRP_CREATE_OVERWRITE;
	records->wakeup_records = arg->wakeup_records ?: arg->wakeup_bytes ? U32_MAX : 1;
	/* A sleeping reader is woken at half full at the latest, before records are lost. */
	records->wakeup_bytes = arg->wakeup_bytes ?: records->size / 2;
	init_waitqueue_head(&records->wait);
	mutex_init(&records->reading);

	records->nr_pages = count_pages(records);
	ret = perfgrp_access_charge_buffer(current_user(), records->nr_pages, err);
	if (ret)
		goto free;
	records->user = get_uid(current_user());
	ret = -ENOMEM;
	records->heads = kvcalloc(nr_cpu_ids, sizeof(*records->heads), GFP_KERNEL_ACCOUNT);
	records->cpu =
		alloc_percpu_gfp(struct perfgrp_records_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!records->heads || !records->cpu)
		goto destroy;
	for_each_possible_cpu(cpu) {
		counts = per_cpu_ptr(records->cpu, cpu);
		counts->records = records;
		init_irq_work(&counts->wake, records_wake);
	}
	ret = alloc_buffer(records);
	if (ret)
		goto destroy;
	return records;
destroy:
	perfgrp_records_destroy(records);
	return ERR_PTR(ret);
free:
	kfree(records);
	return ERR_PTR(ret);
}

/**
 * perfgrp_records_destroy - free a group's buffers
 * @records: the buffers; no writer and no reader uses them any more
 *
 * May sleep.
 */
void perfgrp_records_destroy(struct perfgrp_records *records)
{
	int cpu;

	if (records->cpu)
		for_each_possible_cpu(cpu)
			irq_work_sync(&per_cpu_ptr(records->cpu, cpu)->wake);
	if (records->buffer)
		ring_buffer_free(records->buffer);
	free_percpu(records->cpu);
	kvfree(records->heads);
	perfgrp_access_uncharge_buffer(records->user, records->nr_pages);
	free_uid(records->user);
	kfree(records);
}
