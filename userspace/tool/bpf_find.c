// SPDX-License-Identifier: GPL-2.0
/* Find loaded BPF programs by id, tag or name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "bpf.h"

/**
 * bpf_main_function - get the name of a program's main function
 * @fd: the program
 *
 * The kernel truncates a program's name to 15 characters; its BTF has the whole name.
 *
 * Return: the name, to be freed; NULL if the program has no BTF, or it cannot be read
 */
char *bpf_main_function(int fd)
{
	struct bpf_func_info func = { 0 };
	struct bpf_prog_info info = {
		.nr_func_info = 1,
		.func_info_rec_size = sizeof(func),
		.func_info = (unsigned long)&func,
	};
	const struct btf_type *type = NULL;
	__u32 len = sizeof(info);
	struct btf *btf = NULL;
	char *name = NULL;

	if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.btf_id && func.type_id)
		btf = btf__load_from_kernel_by_id(info.btf_id);
	if (btf)
		type = btf__type_by_id(btf, func.type_id);
	if (type)
		name = xstrdup(btf__name_by_offset(btf, type->name_off));
	btf__free(btf);
	return name;
}

static bool has_name(int fd, const struct bpf_info *info, const char *name)
{
	const size_t room = BPF_OBJ_NAME_LEN - 1;
	char *whole;
	bool same;

	if (strlen(name) <= room && !strcmp(info->name, name))
		return true;
	if (strlen(name) <= room || strncmp(info->name, name, room))
		return false;
	whole = bpf_main_function(fd);
	same = whole && !strcmp(whole, name);
	free(whole);
	return same;
}

static bool is_chosen(int fd, const struct bpf_info *info, const struct bpf_choice *choice)
{
	if (choice->tag)
		return !strcmp(info->tag, choice->tag);
	return has_name(fd, info, choice->known_as);
}

/**
 * struct found - matching programs
 * @fd: the first one, or -1
 * @nr: how many
 * @ids: their ids, as text
 */
struct found {
	int fd;
	unsigned int nr;
	char *ids;
};

static void add_found(struct found *found, int fd, __u32 id)
{
	char *ids = found->ids;

	if (found->nr++)
		close(fd);
	else
		found->fd = fd;
	found->ids = xasprintf("%s%s%u", ids ? ids : "", ids ? ", " : "", id);
	free(ids);
}

/* Returns 0, or a negative errno if the caller may not list programs. */
static int find_all(const struct bpf_choice *choice, struct found *found)
{
	struct bpf_info info;
	__u32 id = 0;
	int fd;

	while (!bpf_prog_get_next_id(id, &id)) {
		bpf_info_get(id, &info);
		fd = info.known == BPF_KNOWN ? bpf_prog_get_fd_by_id(id) : -1;
		if (fd < 0)
			continue;
		if (is_chosen(fd, &info, choice))
			add_found(found, fd, id);
		else
			close(fd);
	}
	return errno == ENOENT ? 0 : -errno;
}

static int open_found(const struct bpf_choice *choice)
{
	const char *what = choice->tag ? "tag" : "name";
	const char *which = choice->tag ? choice->tag : choice->known_as;
	struct found found = { .fd = -1 };
	int err = find_all(choice, &found);

	if (err) {
		error("cannot list BPF programs: %s", strerror(-err));
	} else if (!found.nr) {
		error("there is no BPF program with the %s %s", what, which);
		err = -ENOENT;
	} else if (found.nr > 1) {
		error("%u BPF programs have the %s %s; choose one as id:N (%s)", found.nr, what,
		      which, found.ids);
		err = -EINVAL;
	}
	free(found.ids);
	if (!err)
		return found.fd;
	if (found.fd >= 0)
		close(found.fd);
	return err;
}

static int open_id(unsigned int id)
{
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd >= 0)
		return fd;
	err = -errno;
	if (err == -ENOENT)
		error("there is no BPF program with the id %u", id);
	else
		error("cannot open the BPF program with the id %u: %s", id, strerror(-err));
	return err;
}

/**
 * bpf_find_open - open a loaded program
 * @choice: its id, tag or name
 *
 * Return: its file descriptor, or a negative errno after printing an error
 */
int bpf_find_open(const struct bpf_choice *choice)
{
	return choice->id ? open_id(choice->id) : open_found(choice);
}
