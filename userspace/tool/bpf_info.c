// SPDX-License-Identifier: GPL-2.0
/* The kernel's information about BPF programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf.h"

/* Writes a tag in hex: 17 bytes. */
void bpf_tag_text(char *text, const __u8 *tag)
{
	size_t i;

	for (i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(&text[2 * i], 3, "%02x", tag[i]);
}

/* Converts seconds of CLOCK_BOOTTIME to seconds since 1970. */
static __u64 since_1970(__u64 since_boot)
{
	struct timespec boot, now;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - boot.tv_sec +
	       (now.tv_nsec - boot.tv_nsec + (__s64)since_boot) / (__s64)NSEC_PER_SEC;
}

static __u64 memlock_of(int fd)
{
	char *text = read_file("/proc/self/fdinfo/%d", fd);
	char *line = text ? strstr(text, "\nmemlock:") : NULL;
	__u64 bytes = line ? strtoull(line + strlen("\nmemlock:"), NULL, 10) : 0;

	free(text);
	return bytes;
}

/* Returns the id of an open program, or 0 if it cannot be read. */
__u32 bpf_info_id(int fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

/**
 * bpf_info_get - get the kernel's information about a program
 * @id: the program
 * @info: filled in; @info->known tells whether the information is available
 *
 * Holds a reference to the program only during the call.
 */
void bpf_info_get(__u32 id, struct bpf_info *info)
{
	struct bpf_prog_info from = { 0 };
	__u32 len = sizeof(from);
	int fd = bpf_prog_get_fd_by_id(id);

	*info = (struct bpf_info){ .id = id, .known = BPF_HIDDEN };
	if (fd < 0) {
		if (errno == ENOENT)
			info->known = BPF_GONE;
		return;
	}
	if (!bpf_obj_get_info_by_fd(fd, &from, &len)) {
		info->known = BPF_KNOWN;
		snprintf(info->name, sizeof(info->name), "%s", from.name);
		info->type = from.type;
		bpf_tag_text(info->tag, from.tag);
		info->loaded = since_1970(from.load_time);
		info->uid = from.created_by_uid;
		info->memlock = memlock_of(fd);
		info->xlated = from.xlated_prog_len;
		info->jited = from.jited_prog_len;
	}
	close(fd);
}

/* A program's type, by libbpf's name. */
const char *bpf_info_type(const struct bpf_info *info)
{
	const char *name = libbpf_bpf_prog_type_str(info->type);

	return name ? name : "unknown";
}
