// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the directories of named cgroups, in a tree that simulates a cgroup filesystem. TAP on
 * standard output; anything but 0 at the end if a test has failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "tap.h"

#define ID_A	"3f2a9c0d1e4b5a6978877665544332211000ffeeddccbbaa99887766554433aa"
#define ID_B	"3f2a9c0d1e4b5a6978877665544332211000ffeeddccbbaa99887766554433bb"
#define ID_C	"c0ffee001122c0ffee001122c0ffee001122c0ffee001122c0ffee001122c0ff"
#define POD	"kubepods.slice/kubepods-pod1.slice"

/* Below the mount point, which is "cg" in the test's directory. */
static const char *const tree[] = {
	"cg", "cg/web", "cg/web/cache", "cg/db", "cg/db/cache", "cg/db/primary",
	"cg/system.slice", "cg/system.slice/ssh.service",
	"cg/system.slice/docker-" ID_A ".scope", "cg/system.slice/docker-" ID_A ".scope/init",
	"cg/kubepods.slice", "cg/" POD, "cg/" POD "/cri-containerd-" ID_B ".scope",
	"cg/" POD "/crio-" ID_C ".scope", "cg/" POD "/crio-conmon-" ID_C ".scope",
	"cg/docker", "cg/docker/abcdef012345", "cg/session-123456.scope", "cg/deadbeef",
	"elsewhere",
};

/* Names and the directories that they stand for, or the beginning of the error message. */
static const struct {
	const char *name;
	const char *found;	/* below the test's directory; NULL: @why */
	const char *why;
} cases[] = {
	{ "/", "cg", NULL },
	{ "web", "cg/web", NULL },
	{ "/web", "cg/web", NULL },
	{ "web/", "cg/web", NULL },
	{ "//web/cache", "cg/web/cache", NULL },
	{ "web/cache", "cg/web/cache", NULL },
	{ "primary", "cg/db/primary", NULL },
	{ "ssh.service", "cg/system.slice/ssh.service", NULL },
	{ "cache", NULL, "cgroup 'cache' is ambiguous: it could be 'db/cache' or 'web/cache'; " },
	{ "./elsewhere", "./elsewhere", NULL },
	{ "../nosuch", NULL, "there is no directory '../nosuch'" },
	{ "elsewhere", NULL, "there is no cgroup 'elsewhere' below " },
	{ "prim", NULL, "there is no cgroup 'prim' below " },
	{ "nosuch/cache", NULL, "there is no cgroup 'nosuch/cache' below " },
	/* Containers. */
	{ "3f2a9c0d1e4b", NULL, "cgroup '3f2a9c0d1e4b' is ambiguous: it could be 'kubepods" },
	{ ID_A, "cg/system.slice/docker-" ID_A ".scope", NULL },
	{ "docker-3f2a", "cg/system.slice/docker-" ID_A ".scope", NULL },
	{ "docker-" ID_A, "cg/system.slice/docker-" ID_A ".scope", NULL },
	{ "cri-containerd-3f2a9c", "cg/" POD "/cri-containerd-" ID_B ".scope", NULL },
	{ "docker-3f2", NULL, "there is no cgroup 'docker-3f2' below " },
	{ "docker-", NULL, "there is no cgroup 'docker-' below " },
	{ "docker-3f2b", NULL, "there is no cgroup 'docker-3f2b' below " },
	/* Not the scope of conmon, which monitors the container. */
	{ "c0ffee", "cg/" POD "/crio-" ID_C ".scope", NULL },
	{ "c0ffe", NULL, "there is no cgroup 'c0ffe' below " },
	{ "abcdef", "cg/docker/abcdef012345", NULL },
	/* Numbers and words are no ids. */
	{ "123456", NULL, "there is no cgroup '123456' below " },
	{ "deadbe", NULL, "there is no cgroup 'deadbe' below " },
	{ "deadbeef", "cg/deadbeef", NULL },
};

static const struct {
	const char *pattern;
	const char *paths;	/* each with a blank behind it; NULL: @why */
	const char *why;
} patterns[] = {
	{ "^db", "db db/cache db/primary ", NULL },
	{ "(^|/)cache$", "db/cache web/cache ", NULL },
	{ "^[^/]*$", "db deadbeef docker kubepods.slice session-123456.scope system.slice web ",
	  NULL },
	{ "^/$", "/ ", NULL },
	{ "docker.*[a-z]{4}$", "system.slice/docker-" ID_A ".scope system.slice/docker-" ID_A
	  ".scope/init ", NULL },
	{ "x.*y", NULL, "no cgroup below " },
	{ "x(", NULL, "'x(' is not a regular expression: " },
};

static char *top;

static void find_name(const char *mount, const char *name, const char *found, const char *why)
{
	char *text, *path = cgroup_find(mount, name, &text), *expected = NULL;
	bool ok;

	if (found)
		expected = *found == '.' ? xstrdup(found) : xasprintf("%s/%s", top, found);
	ok = expected ? path && !text && !strcmp(path, expected) :
			!path && text && !strncmp(text, why, strlen(why));
	result(ok, "C8: '%s' is %s", name, found ? found : why);
	if (!ok)
		printf("# got %s (%s)\n", path ? path : "nothing", text ? text : "no reason");
	free(expected);
	free(path);
	free(text);
}

static void match(const char *mount, const char *pattern, const char *expected, const char *why)
{
	struct strings paths = { 0 };
	char *text, *all = xstrdup("");
	size_t i;
	bool ok;
	int err;

	err = cgroup_match(mount, pattern, &paths, &text);
	for (i = 0; i < paths.nr; i++) {
		char *longer = xasprintf("%s%s ", all, paths.s[i]);

		free(all);
		all = longer;
	}
	ok = expected ? !err && !strcmp(all, expected) :
			err && text && !strncmp(text, why, strlen(why));
	result(ok, "C8: '%s' matches %s", pattern, expected ? expected : "nothing");
	if (!ok)
		printf("# got %s(%s)\n", all, text ? text : "no reason");
	strings_free(&paths);
	free(all);
	free(text);
}

static void find_all(const char *mount)
{
	char *path = xasprintf("%s/elsewhere", top);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		find_name(mount, cases[i].name, cases[i].found, cases[i].why);
	find_name(mount, path, "elsewhere", NULL);
	find_name(mount, mount, "cg", NULL);
	find_name(NULL, "web", NULL, "no cgroup filesystem is mounted");
	find_name(NULL, path, "elsewhere", NULL);
	free(path);

	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		match(mount, patterns[i].pattern, patterns[i].paths, patterns[i].why);
	match(NULL, ".*", NULL, "no cgroup filesystem is mounted");
	result(cgroup_is_pattern("a.*") && cgroup_is_pattern("^a") && cgroup_is_pattern("[ab]") &&
	       !cgroup_is_pattern("user@1000.service") && !cgroup_is_pattern("/"),
	       "C8: what a pattern is, perf decides");
}

/* ---- containers ------------------------------------------------------------------ */

static void write_to(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, len, f) != len)
		printf("# cannot write %s\n", path);
	if (f)
		fclose(f);
}

/* The labels of cgroups, with and without an environment of the container's first process. */
static const struct {
	const char *path;
	const char *procs;	/* the directory with cgroup.procs, and the contents of that */
	const char *pids;
	const char *environ;	/* of process 42; a blank stands for a zero byte */
	const char *label;	/* NULL: not a container */
	const char *name;
} containers[] = {
	{ "web/cache", NULL, NULL, NULL, NULL, NULL },
	{ "session-123456.scope", NULL, NULL, NULL, NULL, NULL },
	{ POD "/crio-conmon-" ID_C ".scope", NULL, NULL, NULL, NULL, NULL },
	{ POD "/crio-" ID_C ".scope", NULL, NULL, NULL, "crio-c0ffee001122", NULL },
	{ POD "/crio-" ID_C ".scope", POD "/crio-" ID_C ".scope", "42\n43\n",
	  "PATH=/bin HOSTNAME=web-7d9f A=B ", "web-7d9f [crio-c0ffee001122]", "web-7d9f" },
	/* 0 stands for a process outside our PID namespace. */
	{ POD "/crio-" ID_C ".scope", POD "/crio-" ID_C ".scope", "0\n", "HOSTNAME=web-7d9f ",
	  "crio-c0ffee001122", NULL },
	{ POD "/crio-" ID_C ".scope", POD "/crio-" ID_C ".scope", "42\n",
	  "HOSTNAME=\033[31m XHOSTNAME=b ", "crio-c0ffee001122", NULL },
	/* The beginning of the id: Docker's default host name. */
	{ POD "/crio-" ID_C ".scope", POD "/crio-" ID_C ".scope", "42\n",
	  "HOSTNAME=c0ffee001122 ", "crio-c0ffee001122", "c0ffee001122" },
	/* Ids that are not those of containers, but of terminals and the like. */
	{ "docker/abcdef012345", "docker/abcdef012345", "42\n", "HOSTNAME=db ", NULL, NULL },
	{ "vte-spawn-1b4e28ba-2fa1-11d2-883f-0016d3cca427.scope", NULL, NULL, NULL, NULL, NULL },
	/* A container in another one. */
	{ "docker/" ID_B "/docker/" ID_C, "docker", "42\n", "HOSTNAME=db ",
	  "c0ffee001122", NULL },
	/* The container's processes are in a cgroup below its own. */
	{ "system.slice/docker-" ID_A ".scope", "system.slice/docker-" ID_A ".scope/init", "42\n",
	  "HOSTNAME=db ", "db [docker-3f2a9c0d1e4b]", "db" },
	{ "system.slice/docker-" ID_A ".scope/init", "system.slice/docker-" ID_A ".scope/init",
	  "42\n", "HOSTNAME=db ", "db [docker-3f2a9c0d1e4b/init]", "db" },
	/* Whoever the cgroup is delegated to names those below it. */
	{ "system.slice/docker-" ID_A ".scope/\177", NULL, NULL, NULL, "docker-3f2a9c0d1e4b/\\x7f",
	  NULL },
};

static void call_container(const char *mount, size_t i)
{
	char *procs = xasprintf("cg/%s/cgroup.procs", containers[i].procs ?: ""), *text, *c;
	const char *label = containers[i].label, *name = containers[i].name;
	struct container *container;
	bool ok;

	text = xstrdup(containers[i].environ ?: "");
	write_to(procs, containers[i].pids ?: "", strlen(containers[i].pids ?: ""));
	for (c = text; *c; c++)
		if (*c == ' ')
			*c = '\0';
	write_to("proc/42/environ", text, strlen(containers[i].environ ?: ""));
	container = container_find(mount, "proc", containers[i].path);
	ok = label ? container && !strcmp(container->label, label) &&
			     !strcmp(container->name ?: "", name ?: "") :
		     !container;
	result(ok, "C16: '%s' is %s", containers[i].path, label ?: "no container");
	if (!ok)
		printf("# got %s\n", container ? container->label : "none");
	container_free(container);
	unlink(procs);
	free(procs);
	free(text);
}

static void call_containers(const char *mount)
{
	size_t i;

	mkdir("proc", 0755);
	mkdir("proc/42", 0755);
	for (i = 0; i < ARRAY_SIZE(containers); i++)
		call_container(mount, i);
	unlink("proc/42/environ");
	rmdir("proc/42");
	rmdir("proc");
}

int main(void)
{
	char dir[] = "/tmp/perfgrp-test.XXXXXX", *mount;
	size_t i;

	top = mkdtemp(dir);
	if (!top || chdir(top)) {
		puts("Bail out! no directory");
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(tree); i++)
		if (mkdir(tree[i], 0755))
			printf("# cannot make %s\n", tree[i]);
	mount = xasprintf("%s/cg", top);
	find_all(mount);
	call_containers(mount);
	free(mount);
	for (i = ARRAY_SIZE(tree); i-- > 0;)
		rmdir(tree[i]);
	rmdir(top);
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
