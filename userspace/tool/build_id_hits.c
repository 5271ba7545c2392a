// SPDX-License-Identifier: GPL-2.0
/*
 * Which mapped files have been sampled. Records of mappings and samples come from different
 * buffers, in no order, so both are collected, and compared at the end. When a mapping existed is
 * not considered: a file that was mapped at a sampled address at another time is a hit, too.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "build_id_hits.h"
#include "util.h"

/* Samples of one page are one hit. */
#define PAGE_BITS	12
/* A limit, because pids are reused: a process could be its own ancestor. */
#define MAX_ANCESTORS	64

/**
 * struct file - a file with a build-id
 * @path: its name
 * @pid: a process that has mapped it
 * @size: of @id
 * @id: its build-id
 * @hit: it has been sampled
 */
struct file {
	char *path;
	__u32 pid;
	size_t size;
	__u8 id[BUILD_ID_MAX];
	bool hit;
};

/* A mapping of a process. */
struct mapping {
	__u32 pid;
	__u64 start, len;
	struct file *file;
};

/* A process that shares the mappings of its parent until it executes something. */
struct child {
	__u32 pid, parent;
};

/* Where a process was sampled. */
struct place {
	__u32 pid;
	__u64 page;
};

/**
 * struct build_id_hits - what was mapped, and what was sampled
 * @files: tree of struct file
 * @places: tree of struct place
 * @mappings: the mappings
 * @nr: how many
 * @room: how many @mappings has room for
 * @children: processes that others have forked
 * @nr_children: how many
 * @room_children: how many @children has room for
 * @dir: the cache, while files are added to it
 * @verbose: print why a file could not be added
 */
struct build_id_hits {
	void *files;
	void *places;
	struct mapping *mappings;
	size_t nr;
	size_t room;
	struct child *children;
	size_t nr_children;
	size_t room_children;
	const char *dir;
	bool verbose;
};

struct build_id_hits *build_id_hits_new(void)
{
	return xcalloc(1, sizeof(struct build_id_hits));
}

static int compare(__u64 a, __u64 b)
{
	return (a > b) - (a < b);
}

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int ret = memcmp(x->id, y->id, sizeof(x->id));

	return ret ? ret : strcmp(x->path, y->path);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->pid != y->pid ? compare(x->pid, y->pid) : compare(x->page, y->page);
}

static int compare_mappings(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return compare(x->pid, y->pid);
}

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return compare(x->pid, y->pid);
}

/* ---- what is recorded ------------------------------------------------------ */

static struct file *get_file(struct build_id_hits *hits, const struct file *key)
{
	struct file *file, **node = tfind(key, &hits->files, compare_files);

	if (node)
		return *node;
	file = xcalloc(1, sizeof(*file));
	*file = *key;
	file->path = xstrdup(key->path);
	tsearch(file, &hits->files, compare_files);
	return file;
}

/**
 * build_id_hits_add_mapping - add a mapping, if it is one of a file with a build-id
 * @hits: where to add it; or NULL
 * @record: the mapping
 * @path: name of the file
 */
void build_id_hits_add_mapping(struct build_id_hits *hits, const struct mmap2_record *record,
			       const char *path)
{
	struct file file = { .path = (char *)path, .pid = record->mmap.pid };
	struct mapping *mapping;

	if (!hits || !(record->mmap.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    *path != '/' || !record->build_id_size || record->build_id_size > BUILD_ID_MAX)
		return;
	file.size = record->build_id_size;
	memcpy(file.id, record->build_id, file.size);
	GROW(hits->mappings, hits->nr, hits->room);
	mapping = &hits->mappings[hits->nr++];
	*mapping = (struct mapping){
		.pid = record->mmap.pid,
		.start = record->mmap.addr,
		.len = record->mmap.len,
		.file = get_file(hits, &file),
	};
}

static void add_child(struct build_id_hits *hits, __u32 pid, __u32 parent)
{
	/* Not for a new thread. */
	if (pid == parent)
		return;
	GROW(hits->children, hits->nr_children, hits->room_children);
	hits->children[hits->nr_children++] = (struct child){ pid, parent };
}

/**
 * build_id_hits_add_record - add a record of the kernel's, if it is about mappings
 * @hits: where to add it; or NULL
 * @record: the record
 */
void build_id_hits_add_record(struct build_id_hits *hits, const struct perf_event_header *record)
{
	const struct mmap2_record *mmap2 = (const void *)record;
	const __u32 *fork = (const void *)(record + 1);

	if (!hits)
		return;
	if (record->type == PERF_RECORD_MMAP2 && record->size > sizeof(*mmap2))
		build_id_hits_add_mapping(hits, mmap2, (const char *)(mmap2 + 1));
	else if (record->type == PERF_RECORD_FORK)
		add_child(hits, fork[0], fork[1]);
}

/**
 * build_id_hits_add_sample - add a sample in user mode
 * @hits: where to add it; or NULL
 * @pid: its process
 * @ip: its address
 */
void build_id_hits_add_sample(struct build_id_hits *hits, __u32 pid, __u64 ip)
{
	const struct place key = { .pid = pid, .page = ip >> PAGE_BITS };
	struct place *place;

	if (!hits || tfind(&key, &hits->places, compare_places))
		return;
	place = xcalloc(1, sizeof(*place));
	*place = key;
	tsearch(place, &hits->places, compare_places);
}

/* ---- at the end ------------------------------------------------------------ */

/* Marks the files that a process has had mapped at an address. Returns true if there are any. */
static bool mark(const struct build_id_hits *hits, __u32 pid, __u64 addr)
{
	size_t from = 0, to = hits->nr;
	bool found = false;

	while (from < to) {
		const size_t middle = (from + to) / 2;

		if (hits->mappings[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < hits->nr && hits->mappings[from].pid == pid; from++) {
		const struct mapping *mapping = &hits->mappings[from];

		if (addr - mapping->start < mapping->len) {
			mapping->file->hit = true;
			found = true;
		}
	}
	return found;
}

static void mark_place(const void *node, VISIT visit, void *arg)
{
	const struct place *place = *(const struct place *const *)node;
	struct child key = { .pid = place->pid };
	const struct build_id_hits *hits = arg;
	unsigned int i;

	if (visit != postorder && visit != leaf)
		return;
	for (i = 0; i < MAX_ANCESTORS && !mark(hits, key.pid, place->page << PAGE_BITS); i++) {
		const struct child *child = NULL;

		if (hits->nr_children)
			child = bsearch(&key, hits->children, hits->nr_children, sizeof(key),
					compare_children);
		if (!child)
			break;
		key.pid = child->parent;
	}
}

static void cache_file(const void *node, VISIT visit, void *arg)
{
	const struct file *file = *(const struct file *const *)node;
	const struct build_id_hits *hits = arg;
	int err;

	if ((visit != postorder && visit != leaf) || !file->hit)
		return;
	err = build_id_cache_add(hits->dir, file->pid, file->path, file->id, file->size);
	if (err && hits->verbose)
		error("cannot add %s to %s: %s", file->path, hits->dir, strerror(-err));
}

/**
 * build_id_hits_cache - add the files that have been sampled to perf's cache
 * @hits: all records have been added; or NULL
 * @verbose: print an error for each file that cannot be added
 */
void build_id_hits_cache(struct build_id_hits *hits, bool verbose)
{
	char *dir = hits ? build_id_cache_dir() : NULL;

	if (!dir)
		return;
	/* They are NULL without elements, which qsort() does not allow. */
	if (hits->nr)
		qsort(hits->mappings, hits->nr, sizeof(*hits->mappings), compare_mappings);
	if (hits->nr_children)
		qsort(hits->children, hits->nr_children, sizeof(*hits->children),
		      compare_children);
	twalk_r(hits->places, mark_place, hits);
	hits->dir = dir;
	hits->verbose = verbose;
	twalk_r(hits->files, cache_file, hits);
	free(dir);
}

static void free_file(void *file)
{
	free(((struct file *)file)->path);
	free(file);
}

void build_id_hits_free(struct build_id_hits *hits)
{
	if (!hits)
		return;
	tdestroy(hits->files, free_file);
	tdestroy(hits->places, free);
	free(hits->mappings);
	free(hits->children);
	free(hits);
}
