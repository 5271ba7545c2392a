// SPDX-License-Identifier: GPL-2.0
/* Who holds file descriptors of groups, and of events of perf_event_open(2). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "holders.h"

/* What a link in /proc/PID/fd says; returns 0 or a negative errno. */
int holders_read_link(const char *path, char *link, size_t size)
{
	ssize_t len = readlink(path, link, size - 1);

	if (len < 0)
		return -errno;
	link[len] = '\0';
	return 0;
}

/* Returns false if the caller may not look into the process. One that is gone has nothing. */
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
 * @fn: called for each, those of one process one after the other; by then it may be another file
 * @arg: for @fn
 *
 * Return: how many processes the caller may not look into
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

/* The command that a holder is running, or "" if it is gone; to be freed. */
char *holders_command(const struct holder *holder)
{
	char *command = read_file("/proc/%u/comm", holder->pid);

	return command ? command : xstrdup("");
}
