// SPDX-License-Identifier: GPL-2.0
/*
 * What tasks map, what they are called, and which come and go; and where JITed BPF
 * programs are.
 *
 * To find a function for an address, perf report must know what was mapped there at
 * that time. perf record has the kernel tell, through an event that counts nothing;
 * so does this. The module has no part in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aggr.h"
#include "sideband.h"

#define CPU_PAGES	128
#define TASK_PAGES	32

/**
 * struct sideband_ring - one event and what it has to tell
 * @fd: the event
 * @page: the page before the ring, with its head and tail
 * @size: bytes of the ring, a power of two
 */
struct sideband_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
};

/*
 * A task's children are listened to, too, if @cpu is given: a ring has one CPU's records then.
 *
 * perf_iterate_sb() tells of a BPF program the events of the CPU, and of the task, that load it:
 * one of ours, as with perf. So a record stands in the file once, and what a task loads that is
 * not listened to does not.
 */
static int open_one(struct sideband *side, pid_t pid, int cpu, bool on_exec, bool programs,
		    size_t pages)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_DATA_SAMPLE_ID_TYPE,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = programs,
		.bpf_event = programs,
		.build_id = 1,
		.watermark = 1,
		.inherit = pid >= 0 && cpu >= 0,
		.disabled = on_exec,
		.enable_on_exec = on_exec,
	};
	size_t page_size = sysconf(_SC_PAGESIZE);
	struct sideband_ring *ring;
	int fd, err;
	void *page;

	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	page = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		err = -errno;
		close(fd);
		return err;
	}
	GROW(side->rings, side->nr, side->room);
	ring = &side->rings[side->nr++];
	ring->fd = fd;
	ring->page = page;
	ring->size = pages * page_size;
	return 0;
}

/**
 * sideband_open_cpus - listen to whatever runs, on all CPUs
 * @side: filled in; zeros before
 * @programs: also to what becomes of BPF programs
 *
 * Also where only some CPUs are sampled: what runs there may have been mapped elsewhere.
 *
 * Return: 0 or a negative errno, with what has been opened still open
 */
int sideband_open_cpus(struct sideband *side, bool programs)
{
	struct numbers online = { 0 };
	size_t i;
	int err = 0;

	cpus_online(&online);
	for (i = 0; i < online.nr && !err; i++)
		err = open_one(side, -1, online.n[i], false, programs, CPU_PAGES);
	numbers_free(&online);
	return err;
}

/**
 * sideband_open_tasks - listen to tasks
 * @side: filled in; zeros before
 * @tasks: thread ids
 * @on_exec: from their next exec on
 * @inherit: and to their children
 * @programs: also to what becomes of BPF programs that they load
 *
 * Return: 0 or a negative errno, with what has been opened still open
 */
int sideband_open_tasks(struct sideband *side, const struct numbers *tasks, bool on_exec,
			bool inherit, bool programs)
{
	struct numbers cpus = { 0 };
	size_t nr_cpus = 1, i;
	int err = 0;

	if (inherit) {
		cpus_online(&cpus);
		nr_cpus = cpus.nr;
	}
	for (i = 0; i < tasks->nr * nr_cpus && !err; i++) {
		err = open_one(side, tasks->n[i / nr_cpus],
			       inherit ? (int)cpus.n[i % nr_cpus] : -1, on_exec, programs,
			       TASK_PAGES);
		/* It is gone. So are its samples. */
		if (err == -ESRCH)
			err = 0;
	}
	numbers_free(&cpus);
	return err;
}

static void copy_out(const struct sideband_ring *ring, __u64 at, void *to, size_t size)
{
	const char *base = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t offset = at & (ring->size - 1);
	size_t first = size < ring->size - offset ? size : ring->size - offset;

	memcpy(to, base + offset, first);
	memcpy((char *)to + first, base, size - first);
}

static void drain_ring(struct sideband_ring *ring, struct perf_data *data)
{
	__u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->page->data_tail;
	union {
		struct perf_event_header header;
		char bytes[PERFGRP_RECORD_MAX];
	} record;

	while (tail < head) {
		struct perfgrp_sample_id sample_id;
		char *end;

		copy_out(ring, tail, &record, sizeof(record.header));
		copy_out(ring, tail, &record, record.header.size);
		tail += record.header.size;
		/* The event that it comes from is none of the file's. */
		end = record.bytes + record.header.size - sizeof(sample_id);
		memcpy(&sample_id, end, sizeof(sample_id));
		sample_id.id = 0;
		memcpy(end, &sample_id, sizeof(sample_id));
		perf_data_write(data, &record, record.header.size);
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/**
 * sideband_drain - add what there is to be told
 * @side: the events
 * @data: the file
 */
void sideband_drain(struct sideband *side, struct perf_data *data)
{
	size_t i;

	for (i = 0; i < side->nr; i++)
		drain_ring(&side->rings[i], data);
}

void sideband_close(struct sideband *side)
{
	size_t i;

	for (i = 0; i < side->nr; i++) {
		munmap(side->rings[i].page, side->rings[i].size + sysconf(_SC_PAGESIZE));
		close(side->rings[i].fd);
	}
	free(side->rings);
	memset(side, 0, sizeof(*side));
}
