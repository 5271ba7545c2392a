// SPDX-License-Identifier: GPL-2.0
/*
 * Build-ids of generated files: such as linkers write, and broken ones; and which of the mapped
 * files were sampled.
 * TAP on standard output; anything but 0 at the end if a test has failed.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_id.h"
#include "build_id_hits.h"
#include "tap.h"
#include "util.h"

#define HEADERS_AT	64
#define NOTES_AT	512

/* An ELF file with two program headers, of which the second is for notes. */
struct file {
	unsigned char bytes[1024];
	Elf64_Phdr *header;
	unsigned char *notes;
	size_t size;
};

static void begin(struct file *file, unsigned int align)
{
	Elf64_Ehdr *elf = (void *)file->bytes;

	memset(file, 0, sizeof(*file));
	memcpy(elf->e_ident, ELFMAG, SELFMAG);
	elf->e_ident[EI_CLASS] = ELFCLASS64;
	elf->e_ident[EI_DATA] = ELFDATA2LSB;
	elf->e_phoff = HEADERS_AT;
	elf->e_phentsize = sizeof(Elf64_Phdr);
	elf->e_phnum = 2;
	file->header = (Elf64_Phdr *)(file->bytes + HEADERS_AT) + 1;
	file->header[-1].p_type = PT_LOAD;
	file->header->p_type = PT_NOTE;
	file->header->p_offset = NOTES_AT;
	file->header->p_align = align;
	file->notes = file->bytes + NOTES_AT;
	file->size = sizeof(file->bytes);
}

static void add_note(struct file *file, const char *name, __u32 type, __u32 size, __u8 first)
{
	const unsigned int mask = file->header->p_align - 1;
	unsigned char *at = file->notes + file->header->p_filesz, *from = at;
	Elf64_Nhdr note = { .n_namesz = strlen(name) + 1, .n_descsz = size, .n_type = type };
	__u32 i;

	memcpy(at, &note, sizeof(note));
	at += sizeof(note);
	memcpy(at, name, note.n_namesz);
	at = from + ((at - from + note.n_namesz + mask) & ~mask);
	for (i = 0; i < size; i++)
		at[i] = first + i;
	at = from + ((at - from + size + mask) & ~mask);
	file->header->p_filesz += at - from;
}

/* Makes a file with the build-id 1, 2, 3, ... */
static void make(struct file *file, __u32 size)
{
	begin(file, 4);
	add_note(file, "GNU", NT_GNU_BUILD_ID, size, 1);
}

/* Returns the id's first byte times 100 plus its size; 1 if memory behind the id was written to. */
static unsigned int read_id(const struct file *file)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	__u8 id[BUILD_ID_MAX + 4] = { 0 };
	size_t size;

	if (fd < 0 || write(fd, file->bytes, file->size) != (ssize_t)file->size) {
		puts("Bail out! no file");
		exit(1);
	}
	size = build_id_read(fd, id);
	close(fd);
	if (id[BUILD_ID_MAX])
		return 1;
	return id[0] * 100 + size;
}

static void is(const struct file *file, unsigned int expected, const char *what)
{
	const unsigned int got = read_id(file);

	result(got == expected, "O19 %s", what);
	if (got != expected)
		printf("# %u, expected %u\n", got, expected);
}

static void good_files(void)
{
	struct file file;

	make(&file, 20);
	is(&file, 120, "a file's build-id is read");
	make(&file, 8);
	is(&file, 108, "a short one, too");
	begin(&file, 4);
	add_note(&file, "GNU", NT_GNU_ABI_TAG, 16, 7);
	add_note(&file, "Go", NT_GNU_BUILD_ID, 20, 9);
	add_note(&file, "GNU", NT_GNU_BUILD_ID, 20, 1);
	is(&file, 120, "it stands among other notes");
	begin(&file, 8);
	add_note(&file, "GNU", NT_GNU_PROPERTY_TYPE_0, 12, 7);
	add_note(&file, "GNU", NT_GNU_BUILD_ID, 20, 1);
	is(&file, 120, "notes may be aligned to 8 bytes");
}

static void file_of_32_bits(void)
{
	struct file file;
	Elf32_Ehdr *elf = (void *)file.bytes;
	Elf32_Phdr *header = (void *)(file.bytes + HEADERS_AT);
	__u64 size;

	make(&file, 20);
	size = file.header->p_filesz;
	memset(file.bytes + EI_NIDENT, 0, NOTES_AT - EI_NIDENT);
	elf->e_ident[EI_CLASS] = ELFCLASS32;
	elf->e_phoff = HEADERS_AT;
	elf->e_phnum = 2;
	header[1] = (Elf32_Phdr){
		.p_type = PT_NOTE, .p_offset = NOTES_AT, .p_filesz = size, .p_align = 4,
	};
	is(&file, 120, "so may the file be of 32 bits");
}

static void bad_files(void)
{
	Elf64_Ehdr *elf;
	Elf64_Nhdr *note;
	struct file file;
	size_t size;

	make(&file, 21);
	is(&file, 0, "an id that is too long is none");
	make(&file, 0);
	is(&file, 0, "nor is one of no length");
	make(&file, 20);
	file.header->p_filesz = 16 + 19;
	is(&file, 0, "nor is one that ends behind the notes");
	make(&file, 20);
	note = (Elf64_Nhdr *)file.notes;
	note->n_namesz = ~0U;
	is(&file, 0, "nor is one with too long a name");
	make(&file, 20);
	note->n_descsz = ~0U;
	is(&file, 0, "nor is one that is longer than the file");
	make(&file, 20);
	file.header->p_offset = ~0ULL - 8;
	is(&file, 0, "notes may be nowhere");
	make(&file, 20);
	file.header->p_filesz = ~0ULL;
	is(&file, 0, "and of any size");
	make(&file, 20);
	elf = (Elf64_Ehdr *)file.bytes;
	elf->e_phoff = ~0ULL - 100;
	is(&file, 0, "and so may program headers");
	make(&file, 20);
	elf->e_phnum = 0xffff;
	is(&file, 0, "more of them than there can be are not read");
	make(&file, 20);
	elf->e_ident[EI_DATA] = ELFDATA2MSB;
	is(&file, 0, "a file of another machine is not read");
	make(&file, 20);
	elf->e_ident[EI_CLASS] = 0;
	is(&file, 0, "nor is one of a class that there is not");
	make(&file, 20);
	file.bytes[0] = 0;
	is(&file, 0, "nor is one that is no ELF file");
	for (size = 0; size < NOTES_AT + 36; size++) {
		make(&file, 20);
		file.size = size;
		if (read_id(&file))
			break;
	}
	result(size == NOTES_AT + 36, "O19 a file that ends anywhere has none");
	make(&file, 20);
	file.size = NOTES_AT + 36;
	is(&file, 120, "one that ends behind it has");
}

/* ---- which files were sampled ---------------------------------------------- */

/* Adds records as the kernel writes them: process 10 maps a file, at 0x1000 to 0x3000. */
static void add_mapping(struct build_id_hits *hits, const char *path, size_t size, const __u8 *id)
{
	struct {
		struct mmap2_record record;
		char path[PATH_MAX];
	} mmap = {
		.record = {
			.mmap = { .pid = 10, .tid = 10, .addr = 0x1000, .len = 0x2000 },
			.build_id_size = size,
		},
	};

	mmap.record.mmap.header = (struct perf_event_header){
		.type = PERF_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
		.size = sizeof(mmap),
	};
	memcpy(mmap.record.build_id, id, size);
	snprintf(mmap.path, sizeof(mmap.path), "%s", path);
	build_id_hits_add_record(hits, &mmap.record.mmap.header);
}

static void add_fork(struct build_id_hits *hits, __u32 pid, __u32 parent)
{
	const struct {
		struct perf_event_header header;
		__u32 pid, parent, tid, parent_tid;
		__u64 time;
	} fork = {
		.header = { .type = PERF_RECORD_FORK, .size = sizeof(fork) },
		.pid = pid,
		.parent = parent,
		.tid = pid,
		.parent_tid = parent,
	};

	build_id_hits_add_record(hits, &fork.header);
}

/* Is this program in the cache after a sample? Processes 11 and 12 are descendants of 10. */
static bool cached(const char *dir, __u32 pid, __u64 ip, bool forked)
{
	struct build_id_hits *hits = build_id_hits_new();
	char path[PATH_MAX] = "", *link, *remove;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	__u8 id[BUILD_ID_MAX] = { 0 };
	size_t size = build_id_read(fd, id);
	bool found;

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0 || size != BUILD_ID_MAX) {
		puts("Bail out! no build-id");
		exit(1);
	}
	close(fd);
	/* In the order of the buffers that they come from. */
	build_id_hits_add_sample(hits, pid, ip);
	if (forked) {
		add_fork(hits, 12, 11);
		add_fork(hits, 11, 10);
	}
	/* Process ids that were reused make a circle. */
	add_fork(hits, 20, 21);
	add_fork(hits, 21, 20);
	add_mapping(hits, path, size, id);
	build_id_hits_cache(hits, false);
	build_id_hits_free(hits);
	link = xasprintf("%s/.build-id/%02x", dir, id[0]);
	found = !access(link, F_OK);
	remove = xasprintf("rm -rf '%s'", dir);
	if (system(remove))
		puts("Bail out! cannot remove the cache");
	free(remove);
	free(link);
	return found;
}

static void sampled(void)
{
	char top[] = "/tmp/perfgrp-test.XXXXXX", *dir;

	if (!mkdtemp(top)) {
		puts("Bail out! no directory");
		exit(1);
	}
	dir = xasprintf("%s/cache", top);
	setenv("PERF_BUILDID_DIR", dir, 1);
	result(cached(dir, 10, 0x1000, false), "O26 a file is a hit at its first address");
	result(cached(dir, 10, 0x2fff, false), "O26 and at its last");
	result(!cached(dir, 10, 0x3000, false), "O26 not behind it");
	result(!cached(dir, 10, 0xfff, false), "O26 nor before");
	result(!cached(dir, 12, 0x1000, false), "O26 nor in another process");
	result(cached(dir, 12, 0x1000, true), "O26 but in a child of a child");
	result(!cached(dir, 20, 0x1000, true), "O26 processes may seem to be their own ancestors");
	rmdir(top);
	free(dir);
}

int main(void)
{
	good_files();
	file_of_32_bits();
	bad_files();
	sampled();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
