// SPDX-License-Identifier: GPL-2.0
/*
 * perf's records of mappings, names, forks and exits of tasks, and of the addresses of JITed BPF
 * programs.
 *
 * To find a function for an address, perf report must know what was mapped there at
 * that time. Like perf record, this gets the records from the kernel through perf events that
 * count nothing. The module is not involved.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aggr.h"
#include "build_id_hits.h"
#include "sideband.h"

#define CPU_PAGES	128
#define TASK_PAGES	32

/**
 * struct sideband_ring - one event and its ring buffer
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
 * With @cpu >= 0 children of the task are included. The kernel allows that only for a ring of one
 * CPU.
 *
 * perf_iterate_sb() outputs the record of a BPF program to the events of the CPU and of the task
 * that loads it. Only one of these is ours, as with perf. So the file has each record once, and
 * none of programs that are loaded by tasks without an event.
 */
static int open_one(struct sideband *side, pid_t pid, int cpu, bool on_exec, bool programs,
		    bool build_ids, size_t pages)
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
		.build_id = build_ids,
		.watermark = 1,
		.inherit = pid >= 0 && cpu >= 0,
		.disabled = on_exec,
		.enable_on_exec = on_exec,
	};
	size_t page_size = sysconf(_SC_PAGESIZE);
	struct sideband_ring *ring;
	int fd, err;
	void *page;

	side->call = "perf_event_open";
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == EMFILE && allow_more_files())
		fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	side->call = "mmap";
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
 * sideband_open_cpus - open events for all tasks, on all CPUs
 * @side: filled in; zeros before
 * @programs: include records of BPF programs
 * @build_ids: records of mappings have build-ids
 *
 * All CPUs are needed even if only some are sampled: a task may create its mappings on another CPU.
 *
 * Return: 0, or a negative errno with the events opened so far still open
 */
int sideband_open_cpus(struct sideband *side, bool programs, bool build_ids)
{
	struct numbers online = { 0 };
	size_t i;
	int err = 0;

	cpus_online(&online);
	for (i = 0; i < online.nr && !err; i++)
		err = open_one(side, -1, online.n[i], false, programs, build_ids,
			       CPU_PAGES);
	numbers_free(&online);
	return err;
}

/**
 * sideband_open_tasks - open events for tasks
 * @side: filled in; zeros before
 * @tasks: thread ids
 * @on_exec: start at their next exec
 * @inherit: include their children
 * @programs: include records of BPF programs that they load
 * @build_ids: records of mappings have build-ids
 *
 * Return: 0, or a negative errno with the events opened so far still open
 */
int sideband_open_tasks(struct sideband *side, const struct numbers *tasks, bool on_exec,
			bool inherit, bool programs, bool build_ids)
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
			       build_ids, TASK_PAGES);
		/* The task has exited, so there will be no samples of it. */
		if (err == -ESRCH)
			err = 0;
	}
	numbers_free(&cpus);
	return err;
}

/* What helps against the failure; "" if that is not known. */
static const char *remedy(const struct sideband *side, int err)
{
	if (err == -EMFILE)
		return "; raise the limit of open files (ulimit -n)";
	if (err == -EPERM && !strcmp(side->call, "mmap"))
		return "; raise kernel.perf_event_mlock_kb or locked memory (ulimit -l)";
	if (err == -EPERM || err == -EACCES)
		return "; lower kernel.perf_event_paranoid (above 2 it takes CAP_SYS_ADMIN)";
	return "";
}

/**
 * sideband_say_why - say what is lost because the events could not be opened, and why
 * @side: before sideband_close()
 * @err: what sideband_open_cpus() or sideband_open_tasks() returned
 */
void sideband_say_why(const struct sideband *side, int err)
{
	error("code that is mapped from now on will have no symbols, and new tasks no names: %s: %s%s",
	      side->call, strerror(-err), remedy(side, err));
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
		/* The sideband's event is not in the file: clear its id. */
		end = record.bytes + record.header.size - sizeof(sample_id);
		memcpy(&sample_id, end, sizeof(sample_id));
		sample_id.id = 0;
		memcpy(end, &sample_id, sizeof(sample_id));
		perf_data_write(data, &record, record.header.size);
		build_id_hits_add_record(data->hits, &record.header);
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/**
 * sideband_drain - read all records and add them to the file
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
