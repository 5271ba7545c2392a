// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping a group's rings. The layout is that of perf's ring buffer, so readers of that can read
 * these.
 *
 * All pages are mapped read-only. The first write to a ring's first page makes that one writable,
 * as in kernel/events/core.c: map_range() of 7.3.4.
 *
 * The mapping's file holds the group, and thereby the rings.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include "group.h"
#include "records.h"
#include "ring.h"
#include "sampling.h"

static struct perfgrp_ring *find_ring(struct perfgrp_records *records, unsigned long pgoff)
{
	unsigned long stride = perfgrp_ring_nr_pages(&records->rings[0]);

	if (pgoff % stride || pgoff / stride > records->nr_rings)
		return NULL;
	return pgoff / stride == records->nr_rings ? &records->other :
						     &records->rings[pgoff / stride];
}

static vm_fault_t ring_mkwrite(struct vm_fault *vmf)
{
	const struct perfgrp_group *group = vmf->vma->vm_file->private_data;

	return find_ring(group->sampling->records, vmf->pgoff) ? 0 : VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct ring_vm_ops = {
	.pfn_mkwrite = ring_mkwrite,
};

static int map_pages(struct vm_area_struct *vma, const struct perfgrp_ring *ring)
{
	pgprot_t read_only = vm_get_page_prot(vma->vm_flags & ~VM_SHARED);
	unsigned long i;
	int ret = 0;

	for (i = 0; i < perfgrp_ring_nr_pages(ring) && !ret; i++)
		ret = remap_pfn_range(vma, vma->vm_start + i * PAGE_SIZE,
				      page_to_pfn(ring->pages[i]), PAGE_SIZE, read_only);
	return ret;
}

/**
 * perfgrp_records_mmap - mmap(2) of a ring
 * @records: the rings
 * @vma: the mapping. Its file's private_data is the group.
 *
 * Ring n is at offset n * (1 page + buffer_size). With a writable mapping userspace becomes the
 * reader; from then on perfgrp_records_read() refuses. A ring can be mapped any number of times, by
 * several tasks.
 *
 * Return: 0; -EINVAL if the mapping is not exactly one ring, or is private; -EOPNOTSUPP for rings
 * that overwrite; -ENXIO for the ring of a CPU that has not been online yet; or -ENOMEM.
 */
int perfgrp_records_mmap(struct perfgrp_records *records, struct vm_area_struct *vma)
{
	struct perfgrp_ring *ring = find_ring(records, vma->vm_pgoff);
	int ret;

	if (!ring || vma_pages(vma) != perfgrp_ring_nr_pages(ring))
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (ring->overwrite)
		return -EOPNOTSUPP;
	if (!perfgrp_ring_exists(ring))
		return -ENXIO;
	vma->vm_ops = &ring_vm_ops;
	mutex_lock(&records->reading);
	ret = map_pages(vma, ring);
	if (!ret && vma->vm_flags & VM_MAYWRITE)
		WRITE_ONCE(records->mapped, true);
	mutex_unlock(&records->reading);
	return ret;
}
