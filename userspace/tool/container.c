// SPDX-License-Identifier: GPL-2.0
/*
 * Names of containers. A container's id is in the name of its cgroup. Its host name is in the
 * environment of its first process: Docker, Podman and Kubernetes set HOSTNAME, which in Kubernetes
 * is the name of the pod.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "utf8.h"

#define ID_LEN		64	/* digits */
#define SHORT_ID	12	/* as docker ps shows them */
#define VARIABLE	"HOSTNAME="
#define NAME_CHARS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._"
#define MAX_NAME	253	/* RFC 1123 */
#define MAX_ENVIRON	(128 << 10)

/* The container controls this text, so it is not trusted. */
static bool is_host_name(const char *name)
{
	size_t len = strlen(name);

	return len && len <= MAX_NAME && strspn(name, NAME_CHARS) == len;
}

/* Limits what it reads: a process can make its environment as long as its address space. */
static char *host_name_of(const char *proc, const char *pid)
{
	char *path = xasprintf("%s/%s/environ", proc, pid), *name = NULL, *text, *s;
	FILE *f = fopen(path, "re");
	size_t len;

	free(path);
	if (!f)
		return NULL;
	text = xcalloc(1, MAX_ENVIRON + 1);
	len = fread(text, 1, MAX_ENVIRON, f);
	fclose(f);
	for (s = text; s < text + len && !name; s += strlen(s) + 1)
		if (!strncmp(s, VARIABLE, strlen(VARIABLE)) && is_host_name(s + strlen(VARIABLE)))
			name = xstrdup(s + strlen(VARIABLE));
	free(text);
	return name;
}

/* Returns the pid of a process in the cgroup; NULL if this PID namespace has none. */
static char *process_in(const char *mount, const char *path)
{
	char *pid = read_file("%s/%s/cgroup.procs", mount, path);

	if (pid)
		pid[strcspn(pid, "\n")] = '\0';
	if (pid && *pid && strcmp(pid, "0"))
		return pid;
	free(pid);
	return NULL;
}

/* Returns the pid of a process in a cgroup or its descendants. */
static char *first_process(const char *mount, const char *path)
{
	char *pid = process_in(mount, path);
	struct strings paths = { 0 };
	size_t i;

	if (pid)
		return pid;
	cgroup_list_below(mount, path, &paths);
	for (i = 0; i < paths.nr && !pid; i++)
		pid = process_in(mount, paths.s[i]);
	strings_free(&paths);
	return pid;
}

static char *find_name(const char *mount, const char *proc, const char *path)
{
	char *pid = first_process(mount, path), *name;

	name = pid ? host_name_of(proc, pid) : NULL;
	free(pid);
	return name;
}

/* Offsets in a path: the component that has a container's id, and the id. */
struct place {
	size_t begin;
	size_t id;
	size_t end;
};

/* Finds the last such component: containers can be nested, and the innermost counts. */
static bool find_component(const char *path, struct place *place)
{
	size_t begin, end = 0;
	bool found = false;
	char *component;
	const char *id;

	while (path[end]) {
		begin = end + (path[end] == '/');
		end = begin + strcspn(path + begin, "/");
		component = xstrndup(path + begin, end - begin);
		id = cgroup_find_id(component);
		if (id && strspn(id, CGROUP_ID_DIGITS) == ID_LEN) {
			*place = (struct place){ begin, begin + (id - component), end };
			found = true;
		}
		free(component);
	}
	return found;
}

/**
 * container_find - find the container of a cgroup
 * @mount: where cgroups are mounted
 * @proc: where procfs is mounted
 * @path: the cgroup's path below @mount
 *
 * Return: the container, for container_free(); NULL if the cgroup is not in a container
 */
struct container *container_find(const char *mount, const char *proc, const char *path)
{
	struct container *container;
	char *cgroup, *text, *label;
	struct place place;
	const char *id;

	if (!find_component(path, &place))
		return NULL;
	id = path + place.id;
	cgroup = xstrndup(path, place.end);
	container = xcalloc(1, sizeof(*container));
	container->id = xstrndup(id, ID_LEN);
	container->name = find_name(mount, proc, cgroup);
	text = xasprintf("%.*s%s", (int)(place.id - place.begin + SHORT_ID), path + place.begin,
			 path + place.end);
	/* Docker's default host name is the beginning of the id: do not show it twice. */
	if (!container->name || !strncmp(id, container->name, strlen(container->name))) {
		label = text;
	} else {
		label = xasprintf("%s [%s]", container->name, text);
		free(text);
	}
	container->label = utf8_printable(label);
	free(label);
	free(cgroup);
	return container;
}

void container_free(struct container *container)
{
	if (!container)
		return;
	free(container->id);
	free(container->name);
	free(container->label);
	free(container);
}
