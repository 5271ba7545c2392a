// SPDX-License-Identifier: GPL-2.0
/* Listening sockets: unix sockets, and loopback addresses unless the user allows others. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "export.h"

#define BACKLOG		128
#define UNIX_PREFIX	"unix:"

/* ---- unix sockets ---------------------------------------------------------------- */

static int open_unix(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)address, sizeof(*address)) && !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Is there a socket on which nobody listens, because its owner was killed? */
static bool is_stale(const struct sockaddr_un *address)
{
	struct stat st;
	bool stale;
	int fd;

	if (lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	stale = connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static int listen_unix(struct export_socket *socket, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (!*path || strlen(path) >= sizeof(address.sun_path)) {
		error("--listen: the path of a unix socket has 1 to %zu characters",
		      sizeof(address.sun_path) - 1);
		return -EINVAL;
	}
	memcpy(address.sun_path, path, strlen(path));
	fd = open_unix(&address);
	if (fd == -EADDRINUSE && is_stale(&address) && !unlink(path))
		fd = open_unix(&address);
	if (fd < 0) {
		error("--listen: %s: %s", path, strerror(-fd));
		return fd;
	}
	socket->fd = fd;
	socket->path = xstrdup(path);
	socket->url = xasprintf(UNIX_PREFIX "%s", path);
	return 0;
}

/* ---- TCP --------------------------------------------------------------------------- */

/* Returns the URL of the address that a socket is bound to; to be freed. */
static char *url_of(int fd)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	bool v6;

	if (getsockname(fd, (struct sockaddr *)&address, &len) ||
	    (address.ss_family != AF_INET && address.ss_family != AF_INET6) ||
	    getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return NULL;
	v6 = address.ss_family == AF_INET6;
	return xasprintf("http://%s%s%s:%s/metrics", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

static int open_tcp(const struct addrinfo *found)
{
	int fd, err, on = 1;

	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* Connections of a previous process must not keep the port busy. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (found->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (!bind(fd, found->ai_addr, found->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Splits "HOST:PORT" or "[HOST]:PORT". Returns the port, or NULL if it is neither. */
static char *cut_port(char **host)
{
	char *port = strrchr(*host, ':');

	if (!port || !port[1] || strspn(port + 1, "0123456789") != strlen(port + 1) ||
	    strlen(port + 1) > 5 || atoi(port + 1) > 65535)
		return NULL;
	if (**host == '[') {
		if (port == *host || port[-1] != ']')
			return NULL;
		port[-1] = '\0';
		(*host)++;
	} else if (memchr(*host, ':', port - *host)) {
		return NULL;
	}
	*port = '\0';
	return port + 1;
}

static int listen_tcp(struct export_socket *socket, const char *address, bool allow_remote)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	char *text = xstrdup(address), *host = text, *port = cut_port(&host);
	struct addrinfo *found = NULL;
	int fd = -EINVAL;

	if (!port || !*host || getaddrinfo(host, port, &hints, &found)) {
		error("--listen: '%s' is neither unix:PATH nor an address with a port, such as 127.0.0.1:9745 or [::1]:9745",
		      address);
	} else if (!allow_remote && !is_loopback(found->ai_addr)) {
		error("--listen: %s can be reached from other machines, and clients are not authenticated; use --allow-remote to allow that",
		      address);
	} else {
		fd = open_tcp(found);
		if (fd < 0)
			error("--listen: %s: %s", address, strerror(-fd));
	}
	if (found)
		freeaddrinfo(found);
	free(text);
	if (fd < 0)
		return fd;
	socket->fd = fd;
	socket->url = url_of(fd);
	return 0;
}

/* ---- both ---------------------------------------------------------------------------- */

/**
 * export_listen - listen
 * @socket: filled in
 * @address: unix:PATH, ADDRESS:PORT or [ADDRESS]:PORT
 * @allow_remote: allow addresses other than loopback
 *
 * Return: 0, or a negative errno after printing an error; -EINVAL if @address is invalid
 */
int export_listen(struct export_socket *socket, const char *address, bool allow_remote)
{
	*socket = (struct export_socket){ .fd = -1 };
	if (!strncmp(address, UNIX_PREFIX, strlen(UNIX_PREFIX)))
		return listen_unix(socket, address + strlen(UNIX_PREFIX));
	return listen_tcp(socket, address, allow_remote);
}

/**
 * export_take_socket - take over a socket from the service manager
 * @socket: filled in
 * @fd: the socket
 *
 * Return: 0, or -EINVAL after printing an error
 */
int export_take_socket(struct export_socket *socket, int fd)
{
	int listens = 0, type = 0;
	socklen_t len = sizeof(int);

	*socket = (struct export_socket){ .fd = -1 };
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) || !listens ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_STREAM) {
		error("LISTEN_FDS: file descriptor %d is not a listening stream socket", fd);
		return -EINVAL;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	socket->fd = fd;
	socket->url = url_of(fd);
	if (!socket->url)
		socket->url = xasprintf("file descriptor %d", fd);
	return 0;
}

/* Closes the socket, and removes its file. */
void export_close_socket(struct export_socket *socket)
{
	if (socket->fd >= 0)
		close(socket->fd);
	if (socket->path)
		unlink(socket->path);
	free(socket->path);
	free(socket->url);
	*socket = (struct export_socket){ .fd = -1 };
}
