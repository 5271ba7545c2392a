// SPDX-License-Identifier: GPL-2.0
/*
 * The protocol between systemd and a service: sockets passed by systemd (sd_listen_fds(3)), and
 * notifications that the service is ready, alive or stopping (sd_notify(3)). Both are stable
 * interfaces made of a few environment variables and a datagram; not worth linking libsystemd.
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

/* The number in an environment variable, or 0. */
static __u64 number_of(const char *name)
{
	const char *text = getenv(name);
	__u64 n;
	char *end;

	return text && !parse_u64(text, 10, &end, &n) && !*end ? n : 0;
}

/**
 * service_sockets - get the sockets that were passed by the service manager
 * @first: set to the first of the file descriptors, which are consecutive
 *
 * Return: how many; 0 if there are none, or they are for another process; a negative errno after
 *	printing an error
 */
int service_sockets(unsigned int *first)
{
	__u64 nr = number_of("LISTEN_FDS"), i;

	*first = FIRST_SOCKET;
	if (!nr || number_of("LISTEN_PID") != (__u64)getpid())
		return 0;
	if (nr > MAX_SOCKETS) {
		error("LISTEN_FDS: %llu sockets; the maximum is %d", (unsigned long long)nr,
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
 * service_notify - notify the service manager, if there is one
 * @format: printf() format of the message, for example "READY=1"
 *
 * Failure to send the message is ignored.
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
 * service_watchdog - get the interval at which to notify the watchdog
 *
 * Return: ns, half of the watchdog's timeout; 0 if there is no watchdog
 */
__u64 service_watchdog(void)
{
	__u64 pid = number_of("WATCHDOG_PID");

	return pid && pid != (__u64)getpid() ? 0 : number_of("WATCHDOG_USEC") * 1000 / 2;
}
