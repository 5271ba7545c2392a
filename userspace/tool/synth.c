// SPDX-License-Identifier: GPL-2.0
/*
 * perf's records for what exists when recording begins: the kernel and its modules, tasks with
 * their names and mappings. Their time is 0, which perf sorts before everything else.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id.h"
#include "build_id_hits.h"
#include "progress.h"
#include "synth.h"
#include "util.h"

/* perf's name for a mapping without a name in /proc/PID/maps. */
#define ANONYMOUS	"//anon"
/* TASK_COMM_LEN of the kernel. */
#define COMM_LEN	16

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
};

/**
 * synth_put - add a record that has a fixed part, a string, and a sample id of zeros
 * @data: the file
 * @header: beginning of the fixed part; the record's size is filled in
 * @size: of the fixed part
 * @string: the string
 */
void synth_put(struct perf_data *data, struct perf_event_header *header, size_t size,
	       const char *string)
{
	static const char zeros[8 + sizeof(struct perfgrp_sample_id)];
	size_t len = strlen(string) + 1, padding = -len % 8;

	header->size = size + len + padding + sizeof(struct perfgrp_sample_id);
	perf_data_write(data, header, size);
	perf_data_write(data, string, len);
	perf_data_write(data, zeros, padding + sizeof(struct perfgrp_sample_id));
}

/* ---- the kernel ----------------------------------------------------------- */

static void put_kernel_map(struct perf_data *data, __u64 addr, __u64 len, __u64 pgoff,
			   const char *name)
{
	struct mmap_record record = {
		.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL },
		.pid = -1,
		.addr = addr,
		.len = len,
		.pgoff = pgoff,
	};

	synth_put(data, &record.header, sizeof(record), name);
}

/*
 * Finds the addresses of symbols, if this caller may read them; those not found stay 0. Reading
 * stops when all are found, so that the kernel need not generate the rest of the file.
 */
static void find_symbols(const char *const *names, __u64 *addrs, size_t nr)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t room = 0, found = 0, i;
	char *line = NULL;

	while (found < nr && f && getline(&line, &room, f) > 0) {
		char *name = strchr(line, ' ');

		/* ADDRESS TYPE NAME */
		if (!name || strlen(name) < strlen(" T n"))
			continue;
		name += strlen(" T ");
		name[strcspn(name, "\t\n")] = '\0';
		for (i = 0; i < nr; i++)
			if (!addrs[i] && !strcmp(name, names[i])) {
				addrs[i] = strtoull(line, NULL, 16);
				found++;
			}
	}
	free(line);
	if (f)
		fclose(f);
}

static void synth_modules(struct perf_data *data)
{
	FILE *f = fopen("/proc/modules", "re");
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		char name[128], *in_brackets;
		uint64_t len, addr;

		if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &len,
			   &addr) != 3 || !addr)
			continue;
		in_brackets = xasprintf("[%s]", name);
		put_kernel_map(data, addr, len, 0, in_brackets);
		free(in_brackets);
	}
	free(line);
	if (f)
		fclose(f);
}

/**
 * synth_kernel - add the kernel and its modules
 * @data: the file
 *
 * Nothing is added if the caller may not read addresses in /proc/kallsyms.
 */
void synth_kernel(struct perf_data *data)
{
	enum { TEXT, STEXT, ETEXT, NR };
	static const char *const names[NR] = { "_text", "_stext", "_etext" };
	__u64 addrs[NR] = { 0 };
	int first;

	find_symbols(names, addrs, NR);
	first = addrs[TEXT] ? TEXT : STEXT;
	if (!addrs[first] || addrs[ETEXT] <= addrs[first])
		return;
	/* perf finds the kernel's relocation (KASLR) by this symbol. */
	put_kernel_map(data, addrs[first], addrs[ETEXT] - addrs[first], addrs[first],
		       first == TEXT ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext");
	synth_modules(data);
}

/* ---- tasks ---------------------------------------------------------------- */

static void put_name(struct perf_data *data, unsigned int pid, unsigned int tid)
{
	struct comm_record record = {
		.header = { .type = PERF_RECORD_COMM },
		.pid = pid,
		.tid = tid,
	};
	char *name = read_file("/proc/%u/task/%u/comm", pid, tid);

	if (!name)
		return;
	if (strlen(name) >= COMM_LEN)
		name[COMM_LEN - 1] = '\0';
	synth_put(data, &record.header, sizeof(record), name);
	free(name);
}

/*
 * Sets the build-id of a mapping. It is read from the mapped file itself, even if that was
 * replaced, if this caller may follow the links in map_files; else from the file with that name,
 * if it has the same inode number.
 */
static void set_build_id(struct mmap2_record *record, const char *path)
{
	const __u64 start = record->mmap.addr, end = start + record->mmap.len;
	char *link = xasprintf("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, record->mmap.pid,
			       (uint64_t)start, (uint64_t)end);
	char *name = xasprintf("/proc/%u/root%s", record->mmap.pid, path);
	__u8 id[BUILD_ID_MAX] = { 0 };
	int fd = build_id_open(link, NULL);
	size_t size;

	if (fd < 0)
		fd = build_id_open(name, &(__u64){ record->ino });
	size = fd < 0 ? 0 : build_id_read(fd, id);
	if (size) {
		record->mmap.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		record->build_id_size = size;
		memset(record->reserved, 0, sizeof(record->reserved));
		memcpy(record->build_id, id, sizeof(id));
	}
	if (fd >= 0)
		close(fd);
	free(name);
	free(link);
}

/* Adds the mapping in a line of /proc/PID/maps, if it is executable. */
static void put_mapping(struct perf_data *data, unsigned int pid, char *line)
{
	struct mmap2_record record = {
		.mmap.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.mmap.pid = pid,
		.mmap.tid = pid,
	};
	uint64_t start, end, offset, inode;
	char prot[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &start,
		   &end, prot, &offset, &record.maj, &record.min, &inode, &path) != 7 || !path)
		return;
	if (prot[2] != 'x' || strlen(line + path) >= PATH_MAX)
		return;
	record.mmap.addr = start;
	record.mmap.len = end - start;
	record.mmap.pgoff = offset;
	record.ino = inode;
	record.prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		      PROT_EXEC;
	record.flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (line[path] == '/' && !data->no_build_ids)
		set_build_id(&record, line + path);
	build_id_hits_add_mapping(data->hits, &record, line + path);
	synth_put(data, &record.mmap.header, sizeof(record),
		  line[path] ? line + path : ANONYMOUS);
}

static void put_mappings(struct perf_data *data, unsigned int pid)
{
	char *path = xasprintf("/proc/%u/maps", pid);
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	free(path);
	while (f && getline(&line, &room, f) > 0)
		put_mapping(data, pid, line);
	free(line);
	if (f)
		fclose(f);
}

/**
 * synth_process - add a process: its threads by name, and its code
 * @data: the file
 * @pid: the process; nothing is added if it does not exist
 */
void synth_process(struct perf_data *data, unsigned int pid)
{
	char *dir = xasprintf("/proc/%u/task", pid);
	struct numbers tids = { 0 };
	size_t i;

	numbers_list_dir(&tids, dir);
	/* The thread group leader comes first: perf stores what all threads share there. */
	put_name(data, pid, pid);
	for (i = 0; i < tids.nr; i++)
		if (tids.n[i] != pid)
			put_name(data, pid, tids.n[i]);
	put_mappings(data, pid);
	numbers_free(&tids);
	free(dir);
}

/* Adds a process and its descendants to a list, each once. */
static void list_family(struct numbers *pids, unsigned int pid)
{
	struct numbers tids = { 0 };
	char *dir;
	size_t i;

	if (numbers_have(pids, pid))
		return;
	numbers_add(pids, pid);
	dir = xasprintf("/proc/%u/task", pid);
	numbers_list_dir(&tids, dir);
	free(dir);
	for (i = 0; i < tids.nr; i++) {
		char *children = read_file("/proc/%u/task/%u/children", pid, tids.n[i]);
		char *next = children, *end;
		unsigned long child;

		while (next && (child = strtoul(next, &end, 10)) && end != next) {
			list_family(pids, child);
			next = end;
		}
		free(children);
	}
	numbers_free(&tids);
}

/* The process of a thread; 0 if the thread does not exist. */
static unsigned int process_of(unsigned int tid)
{
	char *status = read_file("/proc/%u/status", tid);
	char *line = status ? strstr(status, "\nTgid:") : NULL;
	unsigned int pid = line ? strtoul(line + strlen("\nTgid:"), NULL, 10) : 0;

	free(status);
	return pid;
}

/**
 * synth_family - add a process and its descendants
 * @data: the file
 * @pid: the process; nothing is added if it does not exist
 *
 * Children of a process that has exited are found only if earlier files have samples of them.
 */
void synth_family(struct perf_data *data, unsigned int pid)
{
	struct numbers pids = { 0 }, tids = { 0 };
	size_t i;

	list_family(&pids, pid);
	perf_data_list_threads(data, &tids);
	for (i = 0; i < tids.nr; i++) {
		const unsigned int process = process_of(tids.n[i]);

		if (process)
			list_family(&pids, process);
	}
	for (i = 0; i < pids.nr; i++)
		synth_process(data, pids.n[i]);
	numbers_free(&tids);
	numbers_free(&pids);
}

/**
 * synth_processes_of - add the processes of threads, each once
 * @data: the file
 * @tids: the threads; nothing is added for those that do not exist
 */
void synth_processes_of(struct perf_data *data, const struct numbers *tids)
{
	struct numbers pids = { 0 };
	size_t i;

	for (i = 0; i < tids->nr; i++) {
		const unsigned int pid = process_of(tids->n[i]);

		if (pid && !numbers_have(&pids, pid))
			numbers_add(&pids, pid);
	}
	for (i = 0; i < pids.nr; i++)
		synth_process(data, pids.n[i]);
	numbers_free(&pids);
}

/**
 * synth_all_processes - add all processes there are
 * @data: the file
 * @quiet: do not show progress
 */
void synth_all_processes(struct perf_data *data, bool quiet)
{
	struct numbers pids = { 0 };
	struct progress progress;
	size_t i;

	numbers_list_dir(&pids, "/proc");
	progress_begin(&progress, "reading the processes that exist", pids.nr, quiet);
	for (i = 0; i < pids.nr; i++) {
		synth_process(data, pids.n[i]);
		progress_update(&progress, i + 1);
	}
	progress_end(&progress);
	numbers_free(&pids);
}
