// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of other processes. A group has no name, only file descriptors. pidfd_getfd(2) duplicates
 * one of them, if we may ptrace the process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kcmp.h>

#include "bpf.h"

/**
 * bpf_holder_parse - parse PID:FD
 * @holder: filled in
 * @text: the option's argument
 *
 * Return: 0, or -EINVAL after printing an error
 */
int bpf_holder_parse(struct holder *holder, const char *text)
{
	struct numbers pid = { 0 }, fd = { 0 };
	const char *colon = strchr(text, ':');
	char *first = xstrndup(text, colon ? (size_t)(colon - text) : strlen(text));
	int err = -EINVAL;

	if (colon && !strpbrk(text, ", \n") && !numbers_parse(&pid, first, false) &&
	    !numbers_parse(&fd, colon + 1, false) && pid.n[0]) {
		holder->pid = pid.n[0];
		holder->fd = fd.n[0];
		err = 0;
	} else {
		error("-g: '%s' is not PID:FD, a process and one of its file descriptors", text);
	}
	numbers_free(&pid);
	numbers_free(&fd);
	free(first);
	return err;
}

static bool is_group_fd(int fd)
{
	char path[64], link[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !holders_read_link(path, link, sizeof(link)) && !strcmp(link, HOLDERS_GROUP);
}

/* Duplicates another process's file descriptor. Returns ours, or a negative errno. */
static int get_fd(int pidfd, unsigned int fd)
{
	int ours = pidfd_getfd(pidfd, fd, 0);

	if (ours < 0 && errno == EMFILE && allow_more_files())
		ours = pidfd_getfd(pidfd, fd, 0);
	return ours < 0 ? -errno : ours;
}

/* Finds the group if it was already found by another fd; needs a kernel with kcmp(2). */
static struct bpf_group *find_same(const struct bpf_groups *groups, int fd)
{
	const pid_t self = getpid();
	size_t i;

	for (i = 0; i < groups->nr; i++)
		if (!syscall(SYS_kcmp, self, self, KCMP_FILE, fd,
			     perfgrp_group_fd(groups->groups[i].group)))
			return &groups->groups[i];
	return NULL;
}

static void add_group(struct bpf_groups *groups, int fd, const struct holder *holder)
{
	struct bpf_group *group = find_same(groups, fd);

	if (group) {
		close(fd);
	} else {
		GROW(groups->groups, groups->nr, groups->room);
		group = &groups->groups[groups->nr++];
		*group = (struct bpf_group){ .group = xcheck(perfgrp_group_from_fd(fd)) };
	}
	GROW(group->holders, group->nr, group->room);
	group->holders[group->nr++] = *holder;
}

/**
 * bpf_groups_take - open the group that the user named
 * @groups: the group is added to it
 * @holder: whose it is
 *
 * Return: 0, or a negative errno after printing an error
 */
int bpf_groups_take(struct bpf_groups *groups, const struct holder *holder)
{
	int pidfd = pidfd_open(holder->pid, 0), fd;

	if (pidfd < 0) {
		fd = -errno;
		if (fd == -ESRCH)
			error("no process %u", holder->pid);
		else
			error("process %u: %s", holder->pid, strerror(-fd));
		return fd;
	}
	fd = get_fd(pidfd, holder->fd);
	close(pidfd);
	if (fd == -EBADF) {
		error("process %u has no file descriptor %u", holder->pid, holder->fd);
		return fd;
	}
	if (fd < 0) {
		error("file descriptor %u of process %u: %s", holder->fd, holder->pid,
		      strerror(-fd));
		return fd;
	}
	if (!is_group_fd(fd)) {
		error("file descriptor %u of process %u is not a perfgrp group", holder->fd,
		      holder->pid);
		close(fd);
		return -EINVAL;
	}
	add_group(groups, fd, holder);
	return 0;
}

/**
 * struct finding_groups - state of a search through all processes
 * @groups: the groups found so far
 * @pid: the current process; 0 before the first
 * @pidfd: pidfd of the process; negative if it cannot be opened
 */
struct finding_groups {
	struct bpf_groups *groups;
	unsigned int pid;
	int pidfd;
};

static void found(void *arg, const struct holder *holder, const char *link)
{
	struct finding_groups *finding = arg;
	int fd;

	if (strcmp(link, HOLDERS_GROUP))
		return;
	if (finding->pid != holder->pid) {
		if (finding->pidfd >= 0)
			close(finding->pidfd);
		finding->pid = holder->pid;
		finding->pidfd = pidfd_open(holder->pid, 0);
	}
	if (finding->pidfd < 0)
		return;
	fd = get_fd(finding->pidfd, holder->fd);
	if (fd == -EPERM || fd == -EACCES)
		finding->groups->hidden_groups++;
	if (fd < 0)
		return;
	/* The fd may have been reused since its link was read. */
	if (is_group_fd(fd))
		add_group(finding->groups, fd, holder);
	else
		close(fd);
}

/**
 * bpf_groups_find - find the groups of all processes that the caller may inspect
 * @groups: filled in: each group once, with all its holders
 */
void bpf_groups_find(struct bpf_groups *groups)
{
	struct finding_groups finding = { .groups = groups, .pidfd = -1 };

	groups->hidden_processes += holders_find(found, &finding);
	if (finding.pidfd >= 0)
		close(finding.pidfd);
}

void bpf_groups_free(struct bpf_groups *groups)
{
	size_t i;

	for (i = 0; i < groups->nr; i++) {
		perfgrp_group_close(groups->groups[i].group);
		free(groups->groups[i].holders);
	}
	free(groups->groups);
	memset(groups, 0, sizeof(*groups));
}
