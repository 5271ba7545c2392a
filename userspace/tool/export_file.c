// SPDX-License-Identifier: GPL-2.0
/* A file that whoever reads it sees whole: as it was, or as it is (for node_exporter). */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"

/**
 * export_file_check - ask whether a file can be replaced
 * @path: the file, which need not exist
 *
 * What is not a file would be gone: a device, a pipe, a symbolic link.
 *
 * Return: 0, or -EINVAL after printing an error
 */
int export_file_check(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	error("-o replaces files, and '%s' is none", path);
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

/* A name in the same directory that node_exporter does not read, since it does not end in .prom. */
static char *temporary_name(const char *path)
{
	char *for_dir = xstrdup(path), *for_base = xstrdup(path), *name;

	name = xasprintf("%s/.%s.XXXXXX", dirname(for_dir), basename(for_base));
	free(for_dir);
	free(for_base);
	return name;
}

/**
 * export_file_replace - write a file anew
 * @path: the file
 * @text: what is to be in it
 * @len: how much
 * @known: an error that need not be said again, or 0
 *
 * Return: 0, or a negative errno after printing an error; the file is as it was then
 */
int export_file_replace(const char *path, const char *text, size_t len, int known)
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
	/* Or after a crash the name could be there without what is in the file. */
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
