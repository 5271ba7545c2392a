// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP for clients that ask for /metrics, by libmicrohttpd, in the thread that does all else: the
 * caller polls.
 *
 * The library is loaded only here: it brings GnuTLS along, which perfgrp stat would have to load,
 * too.
 *
 * Clients are not trusted. There are at most MAX_CLIENTS at once, others wait in the socket's
 * queue; each has MEMORY bytes for its request, and one request, which has to be asked and answered
 * within some seconds, however busily it sends. Texts that they are slow to take are limited, too.
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
/* Values are not read more often than that, however many ask. */
#define MIN_AGE		(100 * NSEC_PER_MSEC)
/* Texts in memory: no other is made while there are so many bytes, or texts if that is more. */
#define MAX_BYTES	(64UL << 20)
#define MAX_TEXTS	8

/* The functions of the library that are used, by their names without MHD_. */
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
 * @end: when it is cut, in ns of CLOCK_MONOTONIC
 */
struct client {
	struct client *next;
	int fd;
	__u64 end;
};

/**
 * struct text - a text that was made for clients
 * @next: the next one
 * @text: the text, in a response that the library frees when the last client has it
 * @len: how long it is
 */
struct text {
	struct text *next;
	char *text;
	size_t len;
};

/* All there are: the library says of one that is to be freed only where it is. */
static struct text *texts;

/**
 * struct export_http - servers
 * @mhd: the library's functions
 * @library: the library
 * @servers: one for each socket
 * @nr: how many
 * @room: how many @servers has room for
 * @clients: all connections, the newest first
 * @timeout: how long each may take, in ns
 * @fixed: clients have no choice of the format
 * @format: if @fixed
 * @ex: what is exported
 * @responses: of its values, for each format that was asked for; NULL for the others
 * @collected: when the values were read; 0 if they are to be read anew
 * @error: what came of it: 0, or a negative errno
 * @len: how long the last text was
 * @now: the time of export_http_run()
 * @left: clients have left since it began: where there were MAX_CLIENTS the library accepts others
 *	only when it is called again
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
	/* Who asks every few seconds has no use for a connection that stays. */
	http->mhd.add_response_header(response, "Connection", "close");
	return response;
}

/* Takes the text. */
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

/* Values have an age at which they are read anew, and so has the failure to read them. */
static void forget_old_values(struct export_http *http)
{
	if (http->collected && http->now - http->collected < MIN_AGE)
		return;
	forget_responses(http);
	http->collected = 0;
}

/* Of all clients that get the same text there is one in memory. */
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

/* Called when the headers of a request are there; its body is never waited for. */
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
		return say(http, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/metrics"))
		return say(http, connection, MHD_HTTP_NOT_FOUND, "here is only /metrics\n");
	if (!http->fixed) {
		accept = http->mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");
		format = export_accepted(accept);
	}
	forget_old_values(http);
	if (!http->responses[format] && too_many_texts(http))
		return say(http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "too many clients are slow to take what they have asked for\n");
	response = get_response(http, format);
	if (!response)
		return say(http, connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			   "the counters cannot be read\n");
	return http->mhd.queue_response(connection, MHD_HTTP_OK, response);
}

/* ---- connections ------------------------------------------------------------------- */

/* A connection comes or goes. */
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

/* The library sees the end of what it was to read, or cannot write any more. */
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

/* What it has to say is about clients that do not behave. */
static void say_nothing(void *arg, const char *format, va_list ap)
{
	(void)arg;
	(void)format;
	(void)ap;
}

/* ---- servers ----------------------------------------------------------------------- */

/**
 * export_http_new - prepare to serve
 * @timeout: seconds that a client has
 * @ex: what is exported
 *
 * Return: to be freed with export_http_free(); NULL after printing an error
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
 * export_http_add - serve those who come to a socket
 * @http: the servers
 * @socket: belongs to the server afterwards, but for the path
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

/* Clients get that format, whatever they ask for. */
void export_http_fix_format(struct export_http *http, enum export_format format)
{
	http->fixed = true;
	http->format = format;
}

/* The values that clients have got are of groups that are not there any more. */
void export_http_forget(struct export_http *http)
{
	http->collected = 0;
}

/**
 * export_http_fds - what to poll(2) for POLLIN
 * @http: the servers
 * @fds: filled in
 * @room: how many there is room for
 *
 * Return: how many there are
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
 * export_http_run - read what has come, answer, and send what can be sent; does not wait
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
