// SPDX-License-Identifier: GPL-2.0
/* Find the processes that hold fds of groups, or of events of perf_event_open(2). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "holders.h"

/* Reads the target of a link in /proc/PID/fd. Returns 0 or a negative errno. */
int holders_read_link(const char *path, char *link, size_t size)
{
	ssize_t len = readlink(path, link, size - 1);

	if (len < 0)
		return -errno;
	link[len] = '\0';
	return 0;
}

/* Returns false if the caller may not inspect the process; true if it has exited. */
static bool find_in_process(unsigned int pid, holders_fn fn, void *arg)
{
	char *dir = xasprintf("/proc/%u/fd", pid);
	bool hidden = access(dir, R_OK | X_OK) && errno == EACCES;
	struct numbers fds = { 0 };
	size_t i;

	numbers_list_dir(&fds, dir);
	for (i = 0; i < fds.nr; i++) {
		struct holder holder = { .pid = pid, .fd = fds.n[i] };
		char *path = xasprintf("%s/%u", dir, fds.n[i]), link[64];
		int err = holders_read_link(path, link, sizeof(link));

		free(path);
		hidden |= err == -EACCES;
		if (!err && (!strcmp(link, HOLDERS_GROUP) || !strcmp(link, HOLDERS_EVENT)))
			fn(arg, &holder, link);
	}
	numbers_free(&fds);
	free(dir);
	return !hidden;
}

/**
 * holders_find - find file descriptors of groups and events in all processes but this one
 * @fn: called for each, process by process; by then the fd may have been reused for another file
 * @arg: passed to @fn
 *
 * Return: number of processes that the caller may not inspect
 */
unsigned int holders_find(holders_fn fn, void *arg)
{
	const unsigned int self = getpid();
	struct numbers pids = { 0 };
	unsigned int hidden = 0;
	size_t i;

	numbers_list_dir(&pids, "/proc");
	for (i = 0; i < pids.nr; i++)
		if (pids.n[i] != self && !find_in_process(pids.n[i], fn, arg))
			hidden++;
	numbers_free(&pids);
	return hidden;
}

/* Returns the command name of a holder, or "" if it has exited; to be freed. */
char *holders_command(const struct holder *holder)
{
	char *command = read_file("/proc/%u/comm", holder->pid);

	return command ? command : xstrdup("");
}
