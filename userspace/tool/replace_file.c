// SPDX-License-Identifier: GPL-2.0
/* Replace a file atomically: readers see the old or the new content. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replace_file.h"
#include "util.h"

/**
 * replace_file_check - check whether a file can be replaced
 * @option: the option that named it
 * @path: the file, which need not exist
 *
 * Refuses all but regular files: rename(2) would replace a device, a pipe or a symbolic link.
 *
 * Return: 0, or -EINVAL after printing an error
 */
int replace_file_check(const char *option, const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	error("%s replaces files, and '%s' is none", option, path);
	return -EINVAL;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= n;
	}
	return 0;
}

/* Returns a name in the same directory. Not .prom at the end, or node_exporter would read it. */
static char *temporary_name(const char *path)
{
	char *for_dir = xstrdup(path), *for_base = xstrdup(path), *name;

	name = xasprintf("%s/.%s.XXXXXX", dirname(for_dir), basename(for_base));
	free(for_dir);
	free(for_base);
	return name;
}

/**
 * replace_file - replace the content of a file
 * @path: the file
 * @text: the new content
 * @len: its length
 * @known: errno of an error that was already printed, or 0
 *
 * Return: 0; or a negative errno after printing an error, with the file unchanged
 */
int replace_file(const char *path, const char *text, size_t len, int known)
{
	char *name = temporary_name(path);
	int fd = mkostemp(name, O_CLOEXEC), err;

	if (fd < 0) {
		err = -errno;
		if (err != known)
			error("cannot make a file beside %s: %s", path, strerror(-err));
		free(name);
		return err;
	}
	err = write_all(fd, text, len);
	if (!err && fchmod(fd, 0644))
		err = -errno;
	/* Or after a crash the new name could exist with an empty file. */
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(name, path))
		err = -errno;
	if (err && err != known)
		error("cannot write to %s: %s", path, strerror(-err));
	if (err)
		unlink(name);
	free(name);
	return err;
}
