// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP server for /metrics with libmicrohttpd, in the main thread: the caller polls.
 *
 * The library is loaded with dlopen(), because it depends on GnuTLS, which the other commands
 * should not have to load.
 *
 * Clients are not trusted. Each socket has at most MAX_CLIENTS at once; others wait in its queue.
 * A client has MEMORY bytes for its request, and a single request, which must be received and
 * answered within the client timeout even if data keeps coming. The memory for texts that clients
 * are slow to read is limited, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "export.h"

#define LIBRARY		"libmicrohttpd.so.12"
#define MAX_CLIENTS	64
#define MEMORY		16384
#define NEVER		(~0ULL)
/* Minimum time between two reads of the values, for any number of clients. */
#define MIN_AGE		(100 * NSEC_PER_MSEC)
/* Limit of texts in memory: this many bytes, or this many texts if that is more. */
#define MAX_BYTES	(64UL << 20)
#define MAX_TEXTS	8

/* The library's functions that are used; the names lack the prefix MHD_. */
struct functions {
	typeof(MHD_start_daemon) *start_daemon;
	typeof(MHD_stop_daemon) *stop_daemon;
	typeof(MHD_get_daemon_info) *get_daemon_info;
	typeof(MHD_run) *run;
	typeof(MHD_get_timeout) *get_timeout;
	typeof(MHD_get_connection_info) *get_connection_info;
	typeof(MHD_lookup_connection_value) *lookup_connection_value;
	typeof(MHD_create_response_from_buffer) *create_response_from_buffer;
	typeof(MHD_create_response_from_buffer_with_free_callback) *create_response_with_free;
	typeof(MHD_add_response_header) *add_response_header;
	typeof(MHD_queue_response) *queue_response;
	typeof(MHD_destroy_response) *destroy_response;
};

/**
 * struct client - a connection
 * @next: the next one
 * @fd: its socket
 * @end: when it is shut down, in ns of CLOCK_MONOTONIC
 */
struct client {
	struct client *next;
	int fd;
	__u64 end;
};

/**
 * struct text - a text that was rendered for clients
 * @next: the next one
 * @text: the text, in a response that the library frees when it was sent to the last client
 * @len: how long it is
 */
struct text {
	struct text *next;
	char *text;
	size_t len;
};

/* A list of all texts: the library's free callback only gets the address of the text. */
static struct text *texts;

/**
 * struct export_http - servers
 * @mhd: the library's functions
 * @library: the library
 * @servers: one for each socket
 * @nr: how many
 * @room: how many @servers has room for
 * @clients: all connections, newest first
 * @timeout: time limit of a connection, in ns
 * @fixed: clients cannot choose the format
 * @format: the format, if @fixed
 * @ex: what is exported
 * @responses: its values in each format that was requested; NULL for the others
 * @collected: when the values were read; 0 if they must be read again
 * @error: result of that: 0, or a negative errno
 * @len: length of the last text
 * @now: the time of export_http_run()
 * @left: a client has disconnected since export_http_run() began. If there were MAX_CLIENTS, the
 *	library accepts another one only when it is called again.
 */
struct export_http {
	struct functions mhd;
	void *library;
	struct MHD_Daemon **servers;
	size_t nr;
	size_t room;
	struct client *clients;
	__u64 timeout;
	bool fixed;
	enum export_format format;
	struct export *ex;
	struct MHD_Response *responses[EXPORT_FORMATS];
	__u64 collected;
	int error;
	size_t len;
	__u64 now;
	bool left;
};

static int load_functions(struct export_http *http)
{
	const struct {
		const char *name;
		void *pointer;
	} functions[] = {
		{ "MHD_start_daemon", &http->mhd.start_daemon },
		{ "MHD_stop_daemon", &http->mhd.stop_daemon },
		{ "MHD_get_daemon_info", &http->mhd.get_daemon_info },
		{ "MHD_run", &http->mhd.run },
		{ "MHD_get_timeout", &http->mhd.get_timeout },
		{ "MHD_get_connection_info", &http->mhd.get_connection_info },
		{ "MHD_lookup_connection_value", &http->mhd.lookup_connection_value },
		{ "MHD_create_response_from_buffer", &http->mhd.create_response_from_buffer },
		{ "MHD_create_response_from_buffer_with_free_callback",
		  &http->mhd.create_response_with_free },
		{ "MHD_add_response_header", &http->mhd.add_response_header },
		{ "MHD_queue_response", &http->mhd.queue_response },
		{ "MHD_destroy_response", &http->mhd.destroy_response },
	};
	size_t i;

	http->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!http->library) {
		error("HTTP needs libmicrohttpd (on Debian the package libmicrohttpd12): %s",
		      dlerror());
		return -ENOENT;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		void *function = dlsym(http->library, functions[i].name);

		if (!function) {
			error(LIBRARY " is too old: it has no %s", functions[i].name);
			return -ENOENT;
		}
		memcpy(functions[i].pointer, &function, sizeof(function));
	}
	return 0;
}

/* ---- answers --------------------------------------------------------------------- */

static void free_text(void *text)
{
	struct text **link = &texts, *found;

	while ((*link)->text != text)
		link = &(*link)->next;
	found = *link;
	*link = found->next;
	free(found);
	free(text);
}

static bool too_many_texts(const struct export_http *http)
{
	size_t bytes = 0, max = MAX_TEXTS * http->len;
	const struct text *text;

	for (text = texts; text; text = text->next)
		bytes += text->len;
	return bytes >= (max > MAX_BYTES ? max : MAX_BYTES);
}

static struct MHD_Response *add_headers(struct export_http *http, struct MHD_Response *response,
					const char *type)
{
	http->mhd.add_response_header(response, "Content-Type", type);
	/* Clients ask every few seconds: it is not worth keeping the connection open. */
	http->mhd.add_response_header(response, "Connection", "close");
	return response;
}

/* Takes ownership of @text. */
static struct MHD_Response *make_response(struct export_http *http, char *text, size_t len,
					  const char *type)
{
	struct MHD_Response *response;
	struct text *new = xcalloc(1, sizeof(*new));

	*new = (struct text){ .next = texts, .text = text, .len = len };
	texts = new;
	http->len = len;
	response = xcheck(http->mhd.create_response_with_free(len, text, free_text));
	http->mhd.add_response_header(response, "Vary", "Accept");
	return add_headers(http, response, type);
}

static enum MHD_Result say(struct export_http *http, struct MHD_Connection *connection,
			   unsigned int status, const char *text)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = xcheck(http->mhd.create_response_from_buffer(strlen(text), (char *)text,
								MHD_RESPMEM_PERSISTENT));
	add_headers(http, response, "text/plain; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		http->mhd.add_response_header(response, "Allow", "GET, HEAD");
	result = http->mhd.queue_response(connection, status, response);
	http->mhd.destroy_response(response);
	return result;
}

static void forget_responses(struct export_http *http)
{
	size_t i;

	for (i = 0; i < EXPORT_FORMATS; i++) {
		if (http->responses[i])
			http->mhd.destroy_response(http->responses[i]);
		http->responses[i] = NULL;
	}
}

/* Drops values older than MIN_AGE, so that they are read again. The same for a failure to read. */
static void forget_old_values(struct export_http *http)
{
	if (http->collected && http->now - http->collected < MIN_AGE)
		return;
	forget_responses(http);
	http->collected = 0;
}

/* All clients that get the same text share one response. */
static struct MHD_Response *get_response(struct export_http *http, enum export_format format)
{
	static const char *const types[] = {
		[EXPORT_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[EXPORT_OPENMETRICS] =
			"application/openmetrics-text; version=1.0.0; charset=utf-8",
		[EXPORT_JSON] = "application/x-ndjson",
	};
	size_t len;
	char *text;

	if (!http->collected) {
		http->error = export_collect(http->ex);
		http->collected = http->now;
	}
	if (!http->error && !http->responses[format]) {
		text = export_render(&http->ex->values, format, &len);
		http->responses[format] = make_response(http, text, len, types[format]);
	}
	return http->responses[format];
}

/* Called when the headers of a request have been received; ignores its body. */
static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **request)
{
	struct export_http *http = arg;
	enum export_format format = http->format;
	struct MHD_Response *response;
	const char *accept;

	(void)version;
	(void)body;
	(void)body_size;
	(void)request;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return say(http, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are supported\n");
	if (strcmp(url, "/metrics"))
		return say(http, connection, MHD_HTTP_NOT_FOUND, "not found; metrics are at /metrics\n");
	if (!http->fixed) {
		accept = http->mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");
		format = export_accepted(accept);
	}
	forget_old_values(http);
	if (!http->responses[format] && too_many_texts(http))
		return say(http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "too many clients are still reading earlier responses; try again later\n");
	response = get_response(http, format);
	if (!response)
		return say(http, connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			   "cannot read the counters\n");
	return http->mhd.queue_response(connection, MHD_HTTP_OK, response);
}

/* ---- connections ------------------------------------------------------------------- */

/* Called when a connection begins or ends. */
static void notice(void *arg, struct MHD_Connection *connection, void **own,
		   enum MHD_ConnectionNotificationCode what)
{
	struct client *client = *own, **link;
	struct export_http *http = arg;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info;

		info = http->mhd.get_connection_info(connection,
							 MHD_CONNECTION_INFO_CONNECTION_FD);
		client = xcalloc(1, sizeof(*client));
		*client = (struct client){
			.next = http->clients,
			.fd = info->connect_fd,
			.end = http->now + http->timeout,
		};
		http->clients = client;
		*own = client;
		return;
	}
	for (link = &http->clients; *link && *link != client; link = &(*link)->next)
		;
	if (*link)
		*link = client->next;
	free(client);
	*own = NULL;
	http->left = true;
}

/* Shuts down expired connections: the library sees an end of file, or cannot write any more. */
static void cut_clients(struct export_http *http)
{
	struct client *client;

	for (client = http->clients; client; client = client->next) {
		if (client->end <= http->now) {
			shutdown(client->fd, SHUT_RDWR);
			client->end = NEVER;
		}
	}
}

/* Discards the library's messages, which are about misbehaving clients. */
static void say_nothing(void *arg, const char *format, va_list ap)
{
	(void)arg;
	(void)format;
	(void)ap;
}

/* ---- servers ----------------------------------------------------------------------- */

/**
 * export_http_new - prepare to serve
 * @timeout: time limit of a client in seconds
 * @ex: what is exported
 *
 * Return: the servers, for export_http_free(); NULL after printing an error
 */
struct export_http *export_http_new(unsigned int timeout, struct export *ex)
{
	struct export_http *http = xcalloc(1, sizeof(*http));

	http->timeout = timeout * NSEC_PER_SEC;
	http->ex = ex;
	if (!load_functions(http))
		return http;
	export_http_free(http);
	return NULL;
}

/**
 * export_http_add - serve the clients of a socket
 * @http: the servers
 * @socket: the server takes ownership of its fd; the path stays the caller's
 *
 * Return: 0, or a negative errno after printing an error
 */
int export_http_add(struct export_http *http, struct export_socket *socket)
{
	const unsigned int flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG;
	struct MHD_Daemon *server;

	server = http->mhd.start_daemon(flags, 0, NULL, NULL, answer, http,
					MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
					MHD_OPTION_LISTEN_SOCKET, socket->fd,
					MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MAX_CLIENTS,
					MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
					MHD_OPTION_NOTIFY_CONNECTION, notice, http,
					MHD_OPTION_END);
	if (!server) {
		error("libmicrohttpd cannot serve %s: %s", socket->url, strerror(errno));
		return -EIO;
	}
	socket->fd = -1;
	GROW(http->servers, http->nr, http->room);
	http->servers[http->nr++] = server;
	return 0;
}

/* Sets the format for all clients, whatever they accept. */
void export_http_fix_format(struct export_http *http, enum export_format format)
{
	http->fixed = true;
	http->format = format;
}

/* Invalidates the values, after a reload, whose groups may no longer exist, or after a failure. */
void export_http_forget(struct export_http *http)
{
	http->collected = 0;
}

/**
 * export_http_fds - get the file descriptors to poll(2) for POLLIN
 * @http: the servers
 * @fds: filled in
 * @room: size of @fds
 *
 * Return: number of file descriptors
 */
size_t export_http_fds(const struct export_http *http, int *fds, size_t room)
{
	size_t i;

	for (i = 0; i < http->nr && i < room; i++)
		fds[i] = http->mhd.get_daemon_info(http->servers[i],
						       MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	return i;
}

/**
 * export_http_until - when to call export_http_run() at the latest
 * @http: the servers
 * @now: ns of CLOCK_MONOTONIC
 *
 * Return: ns of CLOCK_MONOTONIC, or ~0
 */
__u64 export_http_until(struct export_http *http, __u64 now)
{
	const struct client *client;
	__u64 until = http->left ? now : NEVER;
	size_t i;

	for (client = http->clients; client; client = client->next)
		if (client->end < until)
			until = client->end;
	for (i = 0; i < http->nr; i++) {
		MHD_UNSIGNED_LONG_LONG ms;

		if (http->mhd.get_timeout(http->servers[i], &ms) == MHD_YES &&
		    now + ms * NSEC_PER_MSEC < until)
			until = now + ms * NSEC_PER_MSEC;
	}
	return until;
}

/**
 * export_http_run - receive, answer and send as far as possible without waiting
 * @http: the servers
 * @now: ns of CLOCK_MONOTONIC
 */
void export_http_run(struct export_http *http, __u64 now)
{
	size_t i;

	http->now = now;
	http->left = false;
	cut_clients(http);
	for (i = 0; i < http->nr; i++)
		http->mhd.run(http->servers[i]);
}

void export_http_free(struct export_http *http)
{
	size_t i;

	if (!http)
		return;
	for (i = 0; i < http->nr; i++)
		http->mhd.stop_daemon(http->servers[i]);
	if (http->nr)
		forget_responses(http);
	if (http->library)
		dlclose(http->library);
	free(http->servers);
	free(http);
}
