// SPDX-License-Identifier: GPL-2.0
/* The exporter's main loop: clients, intervals, signals and the service manager, in one thread. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "ending.h"
#include "export.h"
#include "replace_file.h"

#define NEVER		(~0ULL)
#define MAX_FDS		64

/**
 * struct loop - state of the main loop
 * @run: what to do
 * @http: servers, or NULL
 * @signal_fd: signals
 * @next: when to write next, or NEVER
 * @written: how often it was written
 * @file_error: errno of the last attempt to write the file, or 0
 * @watchdog: interval of notifications for the service manager's watchdog, or 0
 * @alive: time of the next notification, or NEVER
 * @ended: a signal asked to end
 */
struct loop {
	struct export_run *run;
	struct export_http *http;
	int signal_fd;
	__u64 next;
	unsigned int written;
	int file_error;
	__u64 watchdog;
	__u64 alive;
	bool ended;
};

static int write_stdout(const char *text, size_t len)
{
	fwrite(text, 1, len, stdout);
	return flush_output(stdout, "standard output");
}

/*
 * Only the first write must succeed. A later one may fail for a while, for example because the disk
 * is full; meanwhile clients are still served.
 */
static int write_file(struct loop *loop, const char *text, size_t len)
{
	const char *path = loop->run->path;
	int err = replace_file(path, text, len, loop->file_error);

	if (err && !loop->written)
		return err;
	if (!err && loop->file_error)
		error("writing to %s works again", path);
	loop->file_error = err;
	if (!err)
		loop->written++;
	return 0;
}

/* Collects the values and writes them. Only the first must be readable, as for write_file(). */
static int write_values(struct loop *loop)
{
	struct export_run *run = loop->run;
	int err = export_collect(run->ex);
	size_t len;
	char *text;

	if (err) {
		/* There are no values left for clients. */
		if (loop->http)
			export_http_forget(loop->http);
		return loop->written ? 0 : err;
	}
	text = export_render(&run->ex->values, run->format, &len);
	if (run->to_stdout) {
		err = write_stdout(text, len);
		loop->written++;
	} else {
		err = write_file(loop, text, len);
	}
	free(text);
	return err;
}

/* Notifies as systemd requires for Type=notify-reload. */
static void reload(struct loop *loop)
{
	service_notify("RELOADING=1\nMONOTONIC_USEC=%llu",
		       (unsigned long long)(ending_now() / NSEC_PER_USEC));
	if (export_reload(loop->run->ex))
		error("reload failed: the previous events are still being counted");
	if (loop->http)
		export_http_forget(loop->http);
	service_notify("READY=1");
}

/*
 * Under a service manager SIGHUP always means reload, even without a file of events. Otherwise,
 * without a file of events, it means that the terminal was closed.
 */
static bool can_reload(const struct loop *loop)
{
	return loop->run->ex->file || getenv("NOTIFY_SOCKET");
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP && can_reload(loop))
			reload(loop);
		else
			loop->ended = true;
	}
}

static void wait_until(struct loop *loop, __u64 until)
{
	struct pollfd polls[MAX_FDS + 1] = { { .fd = loop->signal_fd, .events = POLLIN } };
	struct timespec timeout;
	int fds[MAX_FDS];
	size_t nr = 0, i;
	__u64 time = ending_now(), ns = until > time ? until - time : 0;

	if (loop->http)
		nr = export_http_fds(loop->http, fds, MAX_FDS);
	for (i = 0; i < nr; i++)
		polls[i + 1] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	timeout.tv_sec = ns / 1000000000;
	timeout.tv_nsec = ns % 1000000000;
	ppoll(polls, nr + 1, until == NEVER ? NULL : &timeout, NULL);
}

/* Returns 0 after a signal to end, or after run->count writes. */
static int serve(struct loop *loop)
{
	const struct export_run *run = loop->run;
	const __u64 interval = run->interval * NSEC_PER_MSEC;

	for (;;) {
		__u64 time = ending_now(), until;
		int err;

		if (time >= loop->next) {
			err = write_values(loop);
			if (err || (run->count && loop->written >= run->count))
				return err;
			/* Skip intervals that were missed. */
			loop->next += (time - loop->next) / interval * interval + interval;
		}
		if (time >= loop->alive) {
			service_notify("WATCHDOG=1");
			loop->alive = time + loop->watchdog;
		}
		if (loop->http)
			export_http_run(loop->http, time);
		take_signals(loop);
		if (loop->ended)
			return 0;
		until = ending_earlier(loop->next, loop->alive);
		if (loop->http)
			until = ending_earlier(until, export_http_until(loop->http, ending_now()));
		wait_until(loop, until);
	}
}

static int open_servers(struct loop *loop)
{
	struct export_run *run = loop->run;
	size_t i;
	int err;

	if (!run->nr_sockets)
		return 0;
	loop->http = export_http_new(run->client_timeout, run->ex);
	if (!loop->http)
		return -ENOENT;
	if (run->format_given)
		export_http_fix_format(loop->http, run->format);
	for (i = 0; i < run->nr_sockets; i++) {
		err = export_http_add(loop->http, &run->sockets[i]);
		if (err)
			return err;
		error("serving %s", run->sockets[i].url);
	}
	return 0;
}

static int open_signals(struct loop *loop)
{
	sigset_t signals;
	int err;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (can_reload(loop) || !ending_ignores(SIGHUP))
		sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	/* A closed pipe is to be an error of write(2) like any other. */
	signal(SIGPIPE, SIG_IGN);
	loop->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop->signal_fd >= 0)
		return 0;
	err = -errno;
	error("cannot wait for signals: %s", strerror(errno));
	return err;
}

/**
 * export_run - export until a signal asks to end
 * @run: completely set up, and counting
 *
 * Return: 0, or a negative errno after printing an error
 */
int export_run(struct export_run *run)
{
	struct loop loop = { .run = run, .signal_fd = -1, .next = NEVER, .alive = NEVER };
	int err;

	err = open_signals(&loop);
	if (!err)
		err = open_servers(&loop);
	if (!err && (run->path || run->to_stdout)) {
		loop.next = ending_now();
		/* Write the file before READY=1: other services may wait for it. */
		if (run->path)
			err = write_values(&loop);
		if (run->path)
			loop.next += run->interval * NSEC_PER_MSEC;
	}
	if (!err) {
		loop.watchdog = service_watchdog();
		if (loop.watchdog)
			loop.alive = ending_now();
		service_notify("READY=1");
		if (!run->count || loop.written < run->count)
			err = serve(&loop);
		service_notify("STOPPING=1");
	}
	export_http_free(loop.http);
	if (loop.signal_fd >= 0)
		close(loop.signal_fd);
	return err;
}
