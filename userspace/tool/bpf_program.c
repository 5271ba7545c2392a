// SPDX-License-Identifier: GPL-2.0
/* Open the BPF program that the user named: an object file, a pinned or a loaded program. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>

#include "bpf.h"

/* libbpf's messages, to be printed if it fails. */
static char *said;

static int listen_to_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *text, *longer;

	if (level != LIBBPF_WARN || vasprintf(&text, fmt, ap) < 0)
		return 0;
	longer = xasprintf("%s%s", said ? said : "", text);
	free(said);
	free(text);
	said = longer;
	return 0;
}

static int parse_id(struct bpf_choice *choice, const char *text)
{
	char *end;
	__u64 id;

	if (parse_u64(text, 10, &end, &id) || *end || !id || id > UINT_MAX) {
		error("'%s' is not the id of a BPF program", text);
		return -EINVAL;
	}
	choice->id = id;
	return 0;
}

static int parse_tag(struct bpf_choice *choice, const char *text)
{
	if (strlen(text) != 2 * BPF_TAG_SIZE || text[strspn(text, "0123456789abcdef")]) {
		error("'%s' is not the tag of a BPF program: %u hexadecimal digits", text,
		      2 * BPF_TAG_SIZE);
		return -EINVAL;
	}
	choice->tag = text;
	return 0;
}

static int parse_known_as(struct bpf_choice *choice, const char *text)
{
	if (!*text) {
		error("a program's name is empty");
		return -EINVAL;
	}
	choice->known_as = text;
	return 0;
}

/**
 * bpf_choice_parse - parse the PROGRAM argument
 * @choice: filled in, except section and name, which the options have set
 * @text: "id:N", "tag:TAG", "name:NAME", or a path
 *
 * Return: 0, or -EINVAL after printing an error
 */
int bpf_choice_parse(struct bpf_choice *choice, const char *text)
{
	static const struct {
		const char *prefix;
		int (*parse)(struct bpf_choice *choice, const char *text);
	} loaded[] = {
		{ "id:", parse_id },
		{ "tag:", parse_tag },
		{ "name:", parse_known_as },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loaded); i++) {
		size_t len = strlen(loaded[i].prefix);

		if (strncmp(text, loaded[i].prefix, len))
			continue;
		if (!choice->section && !choice->name)
			return loaded[i].parse(choice, text + len);
		error("--section and --program are for object files only");
		return -EINVAL;
	}
	if (!*text) {
		error("a program's path is empty");
		return -EINVAL;
	}
	choice->path = text;
	return 0;
}

static const char *type_name(const struct bpf_program *prog)
{
	const char *name = libbpf_bpf_prog_type_str(bpf_program__type(prog));

	return name ? name : "?";
}

static void list_programs(const struct bpf_object *object)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, object)
		fprintf(stderr, "  --program %s --section %s (type %s)\n", bpf_program__name(prog),
			bpf_program__section_name(prog), type_name(prog));
}

static bool is_chosen(const struct bpf_program *prog, const struct bpf_choice *choice)
{
	if (choice->name && strcmp(choice->name, bpf_program__name(prog)))
		return false;
	if (choice->section && strcmp(choice->section, bpf_program__section_name(prog)))
		return false;
	return choice->name || choice->section ||
	       bpf_program__type(prog) == BPF_PROG_TYPE_PERF_EVENT;
}

/* Finds the one program that matches; NULL after an error with the list of programs. */
static struct bpf_program *choose(const struct bpf_object *object,
				  const struct bpf_choice *choice)
{
	struct bpf_program *prog, *found = NULL;
	unsigned int nr = 0;

	bpf_object__for_each_program(prog, object) {
		if (is_chosen(prog, choice)) {
			found = prog;
			nr++;
		}
	}
	if (nr == 1)
		return found;
	if (nr)
		error("%s has %u such programs; choose one of", choice->path, nr);
	else if (choice->name || choice->section)
		error("%s has no such program; it has", choice->path);
	else
		error("%s has no program of type perf_event; it has", choice->path);
	list_programs(object);
	return NULL;
}

static int load_chosen(struct bpf_object *object, const struct bpf_choice *choice)
{
	struct bpf_program *prog, *chosen = choose(object, choice);
	int err, fd;

	if (!chosen)
		return -EINVAL;
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, prog == chosen);
	/* The name of the section does not imply a type: this is the only one that can attach. */
	if (bpf_program__type(chosen) == BPF_PROG_TYPE_UNSPEC)
		bpf_program__set_type(chosen, BPF_PROG_TYPE_PERF_EVENT);
	err = bpf_object__load(object);
	if (err) {
		error("cannot load '%s' of %s: %s", bpf_program__name(chosen), choice->path,
		      strerror(-err));
		if (said)
			fputs(said, stderr);
		return err;
	}
	fd = fcntl(bpf_program__fd(chosen), F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		err = -errno;
		error("%s: %s", choice->path, strerror(errno));
		return err;
	}
	return fd;
}

static int open_object(const struct bpf_choice *choice)
{
	struct bpf_object *object;
	int ret;

	libbpf_set_print(listen_to_libbpf);
	object = bpf_object__open(choice->path);
	if (!object) {
		ret = -errno;
		error("%s is not a BPF object file: %s", choice->path, strerror(-ret));
		goto out;
	}
	ret = load_chosen(object, choice);
	bpf_object__close(object);
out:
	free(said);
	said = NULL;
	return ret;
}

static int open_pin(const struct bpf_choice *choice)
{
	int fd, err;

	if (choice->section || choice->name) {
		error("%s is a pinned program; --section and --program are for object files only",
		      choice->path);
		return -EINVAL;
	}
	fd = bpf_obj_get(choice->path);
	if (fd >= 0)
		return fd;
	err = -errno;
	error("cannot open the pinned program %s: %s", choice->path, strerror(errno));
	return err;
}

static int open_choice(const struct bpf_choice *choice, bool loaded)
{
	struct statfs fs;
	int err;

	if (!choice->path)
		return bpf_find_open(choice);
	if (statfs(choice->path, &fs)) {
		err = -errno;
		error("%s: %s%s", choice->path, strerror(errno),
		      loaded ? " (name a loaded program by id:N, tag:TAG, name:NAME or its pin)" :
			       "");
		return err;
	}
	if (fs.f_type == BPF_FS_MAGIC)
		return open_pin(choice);
	if (!loaded)
		return open_object(choice);
	error("%s is not a pinned program; name a loaded program by id:N, tag:TAG, name:NAME or its pin in a bpf filesystem",
	      choice->path);
	return -EINVAL;
}

/**
 * bpf_choice_open - load or open a program
 * @choice: which
 *
 * Return: its file descriptor, or a negative errno after printing an error
 */
int bpf_choice_open(const struct bpf_choice *choice)
{
	return open_choice(choice, false);
}

/**
 * bpf_choice_open_loaded - open a program that is already loaded
 * @choice: which; not an object file
 *
 * Return: its file descriptor, or a negative errno after printing an error
 */
int bpf_choice_open_loaded(const struct bpf_choice *choice)
{
	return open_choice(choice, true);
}

/**
 * bpf_pin - pin a program
 * @fd: the program
 * @path: where, in a bpf filesystem
 *
 * Return: 0, or a negative errno after printing an error
 */
int bpf_pin(int fd, const char *path)
{
	int err;

	if (!bpf_obj_pin(fd, path))
		return 0;
	err = -errno;
	error("cannot pin the program at %s: %s%s", path, strerror(-err),
	      err == -EPERM ? " (is that in a bpf filesystem?)" : "");
	return err;
}
