// SPDX-License-Identifier: GPL-2.0
/*
 * --control: another program controls the counting, with perf's protocol: each line is a command,
 * and when it has been carried out the answer is "ack\n".
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "util.h"

/* fd:N[,N]: inherited file descriptors. */
static int open_fds(struct control *control, const char *s)
{
	struct numbers fds = { 0 };
	int err = -EINVAL;

	if (!numbers_parse(&fds, s, false) && fds.nr <= 2) {
		control->fd = fds.n[0];
		control->ack = fds.nr > 1 ? (int)fds.n[1] : -1;
		err = 0;
	}
	numbers_free(&fds);
	if (err) {
		error("--control: '%s' is not fd:N or fd:N,N", s);
		return err;
	}
	if (fcntl(control->fd, F_GETFL) < 0 ||
	    (control->ack >= 0 && fcntl(control->ack, F_GETFL) < 0)) {
		error("--control: file descriptor %s is not open", s);
		return -EBADF;
	}
	return 0;
}

/* Opens a FIFO for reading and writing, so that there is no end of file when a writer closes it. */
static int open_fifo(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		error("--control: cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* fifo:PATH[,PATH] */
static int open_fifos(struct control *control, const char *s)
{
	char *path = xstrdup(s), *comma = strchr(path, ',');
	int err = 0;

	control->own = true;
	if (comma)
		*comma++ = '\0';
	control->fd = open_fifo(path);
	if (control->fd >= 0 && comma)
		control->ack = open_fifo(comma);
	if (control->fd < 0 || (comma && control->ack < 0))
		err = -EINVAL;
	free(path);
	return err;
}

/**
 * control_open - open the source of commands
 * @control: fd and ack are -1; filled in
 * @where: argument of --control
 *
 * Return: 0, or a negative errno after printing an error
 */
int control_open(struct control *control, const char *where)
{
	int flags, err;

	control_close(control);
	control->self = !strcmp(where, "self");
	if (control->self)
		return 0;
	if (!strncmp(where, "fd:", 3)) {
		err = open_fds(control, where + 3);
	} else if (!strncmp(where, "fifo:", 5)) {
		err = open_fifos(control, where + 5);
	} else {
		error("--control: '%s' is not fd:N,N, fifo:PATH,PATH or self", where);
		err = -EINVAL;
	}
	if (err)
		return err;
	flags = fcntl(control->fd, F_GETFL);
	fcntl(control->fd, F_SETFL, flags | O_NONBLOCK);
	return 0;
}

static enum control_command find_command(const char *text)
{
	static const struct {
		const char *text;
		enum control_command command;
	} commands[] = {
		{ "enable", CONTROL_ENABLE },
		{ "disable", CONTROL_DISABLE },
		{ "snapshot", CONTROL_SNAPSHOT },
		{ "reset", CONTROL_RESET },
		{ "ping", CONTROL_PING },
		{ "stop", CONTROL_STOP },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(text, commands[i].text))
			return commands[i].command;
	error("--control: unknown command '%s'", text);
	return CONTROL_UNKNOWN;
}

/* Reads a command. It ends with a newline, a zero byte, or when there is no more data for now. */
static enum control_command control_read(struct control *control)
{
	if (control->fd < 0)
		return CONTROL_NONE;
	for (;;) {
		char c = '\0';
		ssize_t len = read(control->fd, &c, 1);

		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0 && !control->len)
			return len < 0 && errno == EAGAIN ? CONTROL_NONE : CONTROL_CLOSED;
		if (len > 0 && c != '\n' && c && control->len < sizeof(control->text) - 1) {
			control->text[control->len++] = c;
			continue;
		}
		control->text[control->len] = '\0';
		control->len = 0;
		/* Skip an empty line, or a zero byte after a newline. */
		if (!*control->text)
			continue;
		return find_command(control->text);
	}
}

/* Acknowledges a command. */
static void control_acknowledge(const struct control *control)
{
	static const char ack[] = "ack\n";
	sighandler_t old;

	if (control->ack < 0)
		return;
	/* The reader may have exited. */
	old = signal(SIGPIPE, SIG_IGN);
	if (write(control->ack, ack, strlen(ack)) < 0)
		error("--control: cannot write the answer: %s", strerror(errno));
	signal(SIGPIPE, old);
}

/**
 * control_obey - carry out all commands received since the last call
 * @control: source of commands
 * @obey: carries out one command; returns 0, or a negative errno after printing an error
 * @arg: passed to @obey
 * @err: set to the errno if @obey fails
 *
 * Return: true to end, after "stop" or if @obey failed
 */
bool control_obey(struct control *control, int (*obey)(void *arg, enum control_command command),
		  void *arg, int *err)
{
	enum control_command command;

	for (;;) {
		command = control_read(control);
		switch (command) {
		case CONTROL_NONE:
			return false;
		case CONTROL_UNKNOWN:
			continue;
		case CONTROL_CLOSED:
			control_close(control);
			return false;
		default:
			*err = obey(arg, command);
			if (*err)
				return true;
			control_acknowledge(control);
			if (command == CONTROL_STOP)
				return true;
		}
	}
}

/**
 * control_begin_run - with --control self, make the pipes to and from the counted command
 * @control: opened
 *
 * Sets the environment variable that perfgrp_mark.h reads.
 *
 * Return: 0, or a negative errno after printing an error
 */
int control_begin_run(struct control *control)
{
	int commands[2] = { -1, -1 }, answers[2];
	char text[32];

	if (!control->self)
		return 0;
	if (pipe(commands) || pipe(answers)) {
		error("--control: %s", strerror(errno));
		if (commands[0] >= 0) {
			close(commands[0]);
			close(commands[1]);
		}
		return -EMFILE;
	}
	control->own = true;
	control->fd = commands[0];
	control->ack = answers[1];
	control->theirs[0] = commands[1];
	control->theirs[1] = answers[0];
	/* Only the other ends are inherited by the command. */
	fcntl(control->fd, F_SETFD, FD_CLOEXEC);
	fcntl(control->ack, F_SETFD, FD_CLOEXEC);
	fcntl(control->fd, F_SETFL, O_NONBLOCK);
	snprintf(text, sizeof(text), "%d,%d", control->theirs[0], control->theirs[1]);
	setenv("PERFGRP_CONTROL", text, 1);
	return 0;
}

/* Closes the pipes, so that a process that still sends commands does not wait for an answer. */
void control_end_run(struct control *control)
{
	if (!control->self || control->fd < 0)
		return;
	close(control->theirs[0]);
	close(control->theirs[1]);
	control_close(control);
	control->len = 0;
}

/* Closes the source of commands. */
void control_close(struct control *control)
{
	if (control->own && control->fd >= 0)
		close(control->fd);
	if (control->own && control->ack >= 0)
		close(control->ack);
	control->fd = -1;
	control->ack = -1;
	control->own = false;
}
