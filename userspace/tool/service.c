// SPDX-License-Identifier: GPL-2.0
/*
 * What systemd and its services tell one another: sockets that it has opened (sd_listen_fds(3)),
 * and that a service is ready, alive, or ends (sd_notify(3)). Both are a few environment variables
 * and a datagram, promised to stay as they are, and less than what libsystemd would bring along.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "export.h"

#define FIRST_SOCKET	3
#define MAX_SOCKETS	64

/* A number in a variable of ours, or 0. */
static __u64 number_of(const char *name)
{
	const char *text = getenv(name);
	__u64 n;
	char *end;

	return text && !parse_u64(text, 10, &end, &n) && !*end ? n : 0;
}

/**
 * service_sockets - ask for the sockets that were passed
 * @first: set to the first of the file descriptors, which follow one another
 *
 * Return: how many; 0 where there are none, or they are another process's; a negative errno after
 *	saying what is wrong
 */
int service_sockets(unsigned int *first)
{
	__u64 nr = number_of("LISTEN_FDS"), i;

	*first = FIRST_SOCKET;
	if (!nr || number_of("LISTEN_PID") != (__u64)getpid())
		return 0;
	if (nr > MAX_SOCKETS) {
		error("LISTEN_FDS: %llu sockets are more than %d", (unsigned long long)nr,
		      MAX_SOCKETS);
		return -EINVAL;
	}
	for (i = 0; i < nr; i++) {
		if (fcntl(FIRST_SOCKET + i, F_SETFD, FD_CLOEXEC) < 0) {
			error("LISTEN_FDS: file descriptor %llu: %s",
			      (unsigned long long)(FIRST_SOCKET + i), strerror(errno));
			return -errno;
		}
	}
	return nr;
}

/**
 * service_notify - tell the service manager, if there is one
 * @format: "READY=1" and the like
 *
 * That nobody listens is no error of ours.
 */
void service_notify(const char *format, ...)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	char text[256];
	va_list ap;
	int fd, n;

	if (!len || len >= sizeof(address.sun_path) || (*path != '/' && *path != '@'))
		return;
	memcpy(address.sun_path, path, len);
	/* An abstract address. */
	if (*path == '@')
		address.sun_path[0] = '\0';
	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address,
	       offsetof(struct sockaddr_un, sun_path) + len);
	close(fd);
}

/**
 * service_watchdog - how often the service manager wants to hear that all is well
 *
 * Return: ns, half of the time after which it gives up; 0 if it does not care
 */
__u64 service_watchdog(void)
{
	__u64 pid = number_of("WATCHDOG_PID");

	return pid && pid != (__u64)getpid() ? 0 : number_of("WATCHDOG_USEC") * 1000 / 2;
}
