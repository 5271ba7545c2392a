// SPDX-License-Identifier: GPL-2.0
/*
 * Read the build-id of a program or library from the note that the linker wrote.
 *
 * The files may be mapped by tasks of other users: nothing in them is trusted.
 */
#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id.h"
#include "util.h"

/* More than any real file has. */
#define PROGRAM_HEADERS_MAX	256
#define NOTES_MAX		(64 << 10)

/* One of the file's program headers; used for those of notes. */
struct notes {
	__u32 type;
	__u64 offset, size, align;
};

static bool read_at(int fd, __u64 offset, void *to, size_t size)
{
	return offset <= INT64_MAX && pread(fd, to, size, offset) == (ssize_t)size;
}

static __u64 align_up(__u64 n, __u64 align)
{
	return (n + align - 1) & ~(align - 1);
}

/* Returns the size of the id, or 0 if the notes have none. */
static size_t find_id(const char *notes, size_t size, __u64 align, __u8 *id)
{
	const Elf64_Nhdr *note;
	__u64 at = 0, name, desc;

	/* Notes of 32 and of 64 bits have the same header. */
	for (; at + sizeof(*note) <= size; at = align_up(desc + note->n_descsz, align)) {
		note = (const void *)(notes + at);
		name = at + sizeof(*note);
		desc = align_up(name + note->n_namesz, align);
		if (desc + note->n_descsz > size)
			break;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    note->n_descsz && note->n_descsz <= BUILD_ID_MAX) {
			memcpy(id, notes + desc, note->n_descsz);
			return note->n_descsz;
		}
	}
	return 0;
}

static size_t read_notes(int fd, const struct notes *notes, __u8 *id)
{
	size_t size = 0;
	char *bytes;

	if (notes->type != PT_NOTE || !notes->size || notes->size > NOTES_MAX)
		return 0;
	bytes = xcalloc(notes->size, 1);
	if (read_at(fd, notes->offset, bytes, notes->size))
		size = find_id(bytes, notes->size, notes->align == 8 ? 8 : 4, id);
	free(bytes);
	return size;
}

/* Reads one program header of a 32-bit or 64-bit file. */
static bool read_header(int fd, bool is_64, __u64 at, struct notes *notes)
{
	Elf32_Phdr small;
	Elf64_Phdr large;

	if (is_64) {
		if (!read_at(fd, at, &large, sizeof(large)))
			return false;
		*notes = (struct notes){
			large.p_type, large.p_offset, large.p_filesz, large.p_align,
		};
	} else {
		if (!read_at(fd, at, &small, sizeof(small)))
			return false;
		*notes = (struct notes){
			small.p_type, small.p_offset, small.p_filesz, small.p_align,
		};
	}
	return true;
}

/* Reads where the program headers are, and how many. */
static bool read_file_header(int fd, bool is_64, __u64 *at, unsigned int *nr)
{
	Elf32_Ehdr small;
	Elf64_Ehdr large;

	if (is_64 ? !read_at(fd, 0, &large, sizeof(large)) : !read_at(fd, 0, &small, sizeof(small)))
		return false;
	*at = is_64 ? large.e_phoff : small.e_phoff;
	*nr = is_64 ? large.e_phnum : small.e_phnum;
	return *nr <= PROGRAM_HEADERS_MAX;
}

static size_t read_id(int fd, bool is_64, __u8 *id)
{
	struct notes notes;
	size_t size = 0;
	unsigned int nr, i;
	__u64 at;

	if (!read_file_header(fd, is_64, &at, &nr))
		return 0;
	for (i = 0; i < nr && !size; i++) {
		if (!read_header(fd, is_64, at, &notes))
			break;
		size = read_notes(fd, &notes, id);
		at += is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	}
	return size;
}

/**
 * build_id_open - open a regular file
 * @path: its name
 * @inode: if not NULL, only if it has that inode number
 *
 * Return: the file descriptor, or -1
 */
int build_id_open(const char *path, const __u64 *inode)
{
	struct stat st;
	int fd;

	/* Opening a device or FIFO can have side effects. The check is repeated after open(). */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (inode && st.st_ino != *inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * build_id_read - read a file's build-id
 * @fd: the file
 * @id: filled in, BUILD_ID_MAX bytes at most
 *
 * Return: its size, or 0 if the file has no valid build-id
 */
size_t build_id_read(int fd, __u8 *id)
{
	const unsigned char data = htole16(1) == 1 ? ELFDATA2LSB : ELFDATA2MSB;
	unsigned char ident[EI_NIDENT];

	if (!read_at(fd, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != data)
		return 0;
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return 0;
	return read_id(fd, ident[EI_CLASS] == ELFCLASS64, id);
}
