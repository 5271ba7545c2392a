// SPDX-License-Identifier: GPL-2.0
/*
 * Find the directory of a cgroup by the name that the user gave. Nothing here opens a cgroup or
 * prints; errors are returned as text.
 *
 * A name is the first that matches of
 *
 *	./DIR, ../DIR	any directory; the module reports if it is not a cgroup
 *	PATH		below the mount point, with or without a leading slash, as in perf
 *	/PATH		any directory
 *	NAME		the last component of one cgroup's path
 *	ID		the beginning of the id in the name of one container's cgroup, with or
 *			without the prefix that it has there: 3f2a9c, docker-3f2a9c
 */
#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroup.h"

/* Ids have 64 digits, of which docker ps shows 12. A shorter string is not taken for an id. */
#define MIN_ID		12
/* Digits of an id that the user must give: a word can look like a shorter id. */
#define MIN_DIGITS	6
/* Digits that are enough after the prefix. */
#define MIN_REST	4

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Joins two paths, without duplicate slashes. */
static char *join(const char *dir, const char *below)
{
	size_t len;

	below += strspn(below, "/");
	len = strlen(below);
	while (len && below[len - 1] == '/')
		len--;
	return len ? xasprintf("%s/%.*s", dir, (int)len, below) : xstrdup(dir);
}

/* @v1: prefer a cgroup v1 hierarchy with the perf_event controller to cgroup2. */
static char *find_mount(bool v1)
{
	char *text = read_file("/proc/self/mounts"), *found = NULL, buf[4096];
	FILE *f = text && *text ? fmemopen(text, strlen(text), "r") : NULL;
	struct mntent entry;

	while (f && getmntent_r(f, &entry, buf, sizeof(buf))) {
		bool is_v1 = v1 && !strcmp(entry.mnt_type, "cgroup") &&
			     hasmntopt(&entry, "perf_event");

		if (!is_v1 && (found || strcmp(entry.mnt_type, "cgroup2")))
			continue;
		free(found);
		found = xstrdup(entry.mnt_dir);
		if (is_v1)
			break;
	}
	if (f)
		fclose(f);
	free(text);
	return found;
}

/**
 * cgroup_mount - find where cgroups are mounted
 *
 * As perf: a v1 hierarchy with perf_event if there is one, else cgroup2.
 *
 * Return: the mount point, or NULL
 */
char *cgroup_mount(void)
{
	return find_mount(true);
}

/**
 * cgroup2_mount - find where cgroup2 is mounted
 *
 * Return: the mount point, or NULL
 */
char *cgroup2_mount(void)
{
	return find_mount(false);
}

static bool is_subdir(const char *dir, const struct dirent *entry)
{
	struct stat st;
	char *path;
	bool is;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	path = join(dir, entry->d_name);
	is = !lstat(path, &st) && S_ISDIR(st.st_mode);
	free(path);
	return is;
}

/* Adds all cgroups below one, sorted, as paths below the mount point, parents first. */
void cgroup_list_below(const char *mount, const char *below, struct strings *paths)
{
	char *dir = join(mount, below);
	struct strings names = { 0 };
	struct dirent *entry;
	DIR *d = opendir(dir);
	size_t i;

	while (d && (entry = readdir(d)))
		if (is_subdir(dir, entry))
			strings_add(&names, xstrdup(entry->d_name));
	if (d)
		closedir(d);
	free(dir);
	strings_sort(&names);
	for (i = 0; i < names.nr; i++) {
		char *path = *below ? join(below, names.s[i]) : xstrdup(names.s[i]);

		strings_add(paths, path);
		cgroup_list_below(mount, path, paths);
	}
	strings_free(&names);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/**
 * cgroup_find_id - find a container's id in the name of its cgroup
 * @component: one component of a path
 *
 * docker-ID.scope, cri-containerd-ID.scope, ID. The monitor of a container (conmon) has a cgroup
 * with the container's id in its name too; it is not returned.
 *
 * Return: the beginning of the id, or NULL
 */
const char *cgroup_find_id(const char *component)
{
	const char *s = component;

	if (strstr(component, "conmon-"))
		return NULL;
	for (;;) {
		size_t len = strspn(s, CGROUP_ID_DIGITS);

		if (len >= MIN_ID && (!s[len] || s[len] == '.'))
			return s;
		s += strcspn(s, "-:");
		if (!*s++)
			return NULL;
	}
}

static bool has_name(const char *component, const char *name)
{
	return !strcmp(component, name);
}

static bool has_id(const char *component, const char *name)
{
	const char *id = cgroup_find_id(component);
	size_t len = strlen(name);

	if (!id)
		return false;
	if (len >= MIN_DIGITS && strspn(name, CGROUP_ID_DIGITS) == len && !strncmp(id, name, len))
		return true;
	return id > component && len >= (size_t)(id - component) + MIN_REST &&
	       !strncmp(component, name, len);
}

/*
 * Finds the one path whose last component matches. Returns NULL if there is none, or NULL with
 * @why set if there are several.
 */
static const char *find_one(const struct strings *paths, const char *name,
			    bool (*is)(const char *component, const char *name), char **why)
{
	const char *found = NULL;
	size_t i;

	for (i = 0; i < paths->nr; i++) {
		if (!is(last_component(paths->s[i]), name))
			continue;
		if (found) {
			*why = xasprintf("cgroup '%s' is ambiguous: it could be '%s' or '%s'; use a path",
					 name, found, paths->s[i]);
			return NULL;
		}
		found = paths->s[i];
	}
	return found;
}

/* Finds a cgroup by NAME or ID. */
static char *find_below(const char *mount, const char *name, char **why)
{
	struct strings paths = { 0 };
	const char *found;
	char *path;

	cgroup_list_below(mount, "", &paths);
	found = find_one(&paths, name, has_name, why);
	if (!found && !*why)
		found = find_one(&paths, name, has_id, why);
	path = found ? join(mount, found) : NULL;
	strings_free(&paths);
	return path;
}

static bool is_explicit(const char *name)
{
	if (!strncmp(name, "..", 2))
		name++;
	return *name == '.' && (!name[1] || name[1] == '/');
}

static const char no_mount[] =
	"no cgroup filesystem is mounted (cgroup2, or cgroup with perf_event)";

/**
 * cgroup_find - find the directory of a cgroup
 * @mount: where cgroups are mounted, or NULL
 * @name: the name that the user gave
 * @why: set to the reason if NULL is returned, to be freed
 *
 * Return: the path of a directory, to be freed, or NULL
 */
char *cgroup_find(const char *mount, const char *name, char **why)
{
	char *path;

	*why = NULL;
	if (is_explicit(name)) {
		if (is_dir(name))
			return xstrdup(name);
		*why = xasprintf("there is no directory '%s'", name);
		return NULL;
	}
	if (mount) {
		path = join(mount, name);
		if (is_dir(path))
			return path;
		free(path);
	}
	if (*name == '/' && is_dir(name))
		return xstrdup(name);
	if (!mount) {
		*why = xstrdup(no_mount);
		return NULL;
	}
	path = find_below(mount, name, why);
	if (!path && !*why)
		*why = xasprintf("there is no cgroup '%s' below %s", name, mount);
	return path;
}

/* Is this a pattern? perf's rule; these characters are unusual in names. */
bool cgroup_is_pattern(const char *text)
{
	return strpbrk(text, "{}[]()|*+?^$");
}

/**
 * cgroup_match - find the cgroups that match a pattern
 * @mount: where cgroups are mounted, or NULL
 * @pattern: an extended regular expression. It is searched for in the path of each cgroup below
 *	@mount, without a leading slash; the path of the root is "/".
 * @paths: the paths found are added, parents first
 * @why: set to the reason on failure, to be freed
 *
 * Return: 0, or a negative errno
 */
int cgroup_match(const char *mount, const char *pattern, struct strings *paths, char **why)
{
	struct strings all = { 0 };
	bool found = false;
	char text[128];
	regex_t regex;
	size_t i;
	int err;

	*why = NULL;
	if (!mount) {
		*why = xstrdup(no_mount);
		return -ENOENT;
	}
	err = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &regex, text, sizeof(text));
		*why = xasprintf("'%s' is not a regular expression: %s", pattern, text);
		return -EINVAL;
	}
	strings_add(&all, xstrdup("/"));
	cgroup_list_below(mount, "", &all);
	for (i = 0; i < all.nr; i++) {
		if (regexec(&regex, all.s[i], 0, NULL, 0))
			continue;
		strings_add(paths, xstrdup(all.s[i]));
		found = true;
	}
	regfree(&regex);
	strings_free(&all);
	if (found)
		return 0;
	*why = xasprintf("no cgroup below %s matches '%s'", mount, pattern);
	return -ENOENT;
}
