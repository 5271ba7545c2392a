// SPDX-License-Identifier: GPL-2.0
/*
 * perf's cache of programs and libraries, from which perf report takes symbols and perf archive
 * what it packs:
 *
 *	DIR/PATH/BUILD-ID/elf		the file, or a hard link to it
 *	DIR/.build-id/XX/YYYY...	symbolic link to the directory DIR/PATH/BUILD-ID
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_id.h"
#include "build_id_hits.h"
#include "util.h"

/* ---- where it is ----------------------------------------------------------- */

/* Returns the value of buildid.dir in a file of perf's configuration, or NULL. */
static char *dir_in_config(const char *path)
{
	char *text = read_file("%s", path), *rest = text, *line, *value = NULL;
	bool inside = false;

	while (!value && (line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		if (*line == '[')
			inside = !strncmp(line, "[buildid]", strlen("[buildid]"));
		else if (inside && sscanf(line, "dir = \"%m[^\"]", &value) != 1)
			sscanf(line, "dir = %m[^\"#; \t]", &value);
	}
	free(text);
	return value;
}

/**
 * build_id_cache_dir - get the directory of the cache, as perf does
 *
 * $PERF_BUILDID_DIR comes first: perf sets it for the commands that it executes.
 *
 * Return: its name, to be freed; NULL if there is none, because HOME is not set
 */
char *build_id_cache_dir(void)
{
	const char *given = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	const char *config = getenv("PERF_CONFIG");
	char *dir = NULL, *path;

	if (given && *given)
		return xstrdup(given);
	if (config) {
		dir = dir_in_config(config);
	} else {
		path = xasprintf("%s/.perfconfig", home ? home : "");
		dir = home ? dir_in_config(path) : NULL;
		free(path);
		if (!dir)
			dir = dir_in_config("/etc/perfconfig");
	}
	return dir || !home ? dir : xasprintf("%s/.debug", home);
}

/* ---- adding files ---------------------------------------------------------- */

/* Opens the file, by its name here or in the process, if it still has that build-id. */
static int open_same(__u32 pid, const char *path, const __u8 *id, size_t size)
{
	char *theirs = xasprintf("/proc/%u/root%s", pid, path);
	const char *const names[] = { path, theirs };
	__u8 found[BUILD_ID_MAX];
	int fd = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && fd < 0; i++) {
		fd = build_id_open(names[i], NULL);
		if (fd >= 0 && (build_id_read(fd, found) != size || memcmp(found, id, size))) {
			close(fd);
			fd = -1;
		}
	}
	free(theirs);
	return fd < 0 ? -ENOENT : fd;
}

/* Creates a directory, and those that it is in. */
static int make_dirs(const char *path)
{
	char *copy = xstrdup(path), *slash = copy;
	int err = 0;

	do {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			err = -errno;
		if (slash)
			*slash = '/';
	} while (slash && !err);
	free(copy);
	return err;
}

static int copy(int fd, const char *path)
{
	char *name = xasprintf("%s.XXXXXX", path);
	int to = mkostemp(name, O_CLOEXEC), err = 0;
	struct stat st;
	off_t at = 0;

	if (to < 0) {
		err = -errno;
		goto out;
	}
	if (fstat(fd, &st))
		err = -errno;
	while (!err && at < st.st_size) {
		const ssize_t n = sendfile(to, fd, &at, st.st_size - at);

		if (n <= 0)
			err = n ? -errno : -EIO;
	}
	if (!err && (fchmod(to, st.st_mode & 0755) || rename(name, path)))
		err = -errno;
	if (err)
		unlink(name);
	close(to);
out:
	free(name);
	return err;
}

/* Links to the open file, even if its name is another file's by now; or copies it. */
static int put_file(int fd, const char *path)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (!access(path, F_OK) || !linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	return copy(fd, path);
}

/* Sets the link by build-id. One that leads to a file stays: the file has the same build-id. */
static int put_link(const char *dir, const char *entry, const char *hex)
{
	char *in = xasprintf("%s/.build-id/%.2s", dir, hex);
	char *link = xasprintf("%s/%s", in, hex + 2), *elf = xasprintf("%s/elf", link);
	char *target = xasprintf("../..%s", entry);
	int err = make_dirs(in);

	if (!err && access(elf, F_OK)) {
		unlink(link);
		if (symlink(target, link) && errno != EEXIST)
			err = -errno;
	}
	free(target);
	free(elf);
	free(link);
	free(in);
	return err;
}

/**
 * build_id_cache_add - add a file to the cache
 * @dir: from build_id_cache_dir()
 * @pid: a process that has mapped it
 * @path: its name
 * @id: its build-id
 * @size: of @id
 *
 * Return: 0, or a negative errno: -ENOENT if the file is no longer there
 */
int build_id_cache_add(const char *dir, __u32 pid, const char *path, const __u8 *id, size_t size)
{
	int fd = open_same(pid, path, id, size), err;
	char hex[2 * BUILD_ID_MAX + 1] = "", *entry, *in, *elf, *real;
	size_t i;

	if (fd < 0)
		return fd;
	for (i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	real = realpath(path, NULL);
	entry = xasprintf("%s/%s", real ? real : path, hex);
	in = xasprintf("%s%s", dir, entry);
	elf = xasprintf("%s/elf", in);
	err = make_dirs(in);
	if (!err)
		err = put_file(fd, elf);
	if (!err)
		err = put_link(dir, entry, hex);
	free(elf);
	free(in);
	free(entry);
	free(real);
	close(fd);
	return err;
}
