/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/http/http.h"

/* Of "text/plain; charset=utf-8". */
static size_t type_length(const char *type)
{
	return strcspn(type, "; ");
}

/* How exactly the media range @range, of @n bytes, names the type: 3 by its name, 1 with any other; 0: not at all. */
static unsigned range_covers(const char *range, size_t n, const char *type)
{
	const size_t prefix = strcspn(type, "/") + 1;

	if (n == 3 && !strncmp(range, "*/*", n))
		return 1;
	if (n == prefix + 1 && range[prefix] == '*')
		return strncasecmp(range, type, prefix) ? 0 : 2;
	return n == type_length(type) && !strncasecmp(range, type, n) ? 3 : 0;
}

/* Thousandths, of the parameters of a media range. */
static unsigned range_quality(const char *parameters, const char *end)
{
	unsigned q = 0, unit = 1000;
	const char *p = parameters;

	while (p < end && *p == ';') {
		for (p++; p < end && (*p == ' ' || *p == '\t'); p++)
			;
		if (end - p >= 2 && (*p | 0x20) == 'q' && p[1] == '=')
			break;
		p += strcspn(p, ";,");
	}
	if (p >= end || *p == ';')
		return 1000;
	for (p += 2; p < end && unit && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
		if (*p == '.')
			continue;
		q += (unsigned)(*p - '0') * unit;
		unit /= 10;
	}
	return q < 1000 ? q : 1000;
}

unsigned http_choose(const struct http_page *page, const char *accept)
{
	unsigned best[HTTP_FORMATS] = { 0 }, exact[HTTP_FORMATS] = { 0 }, chosen = 0;

	for (const char *p = accept; p && *p;) {
		const size_t space = strspn(p, " \t,");
		const char *range = p + space, *end = range + strcspn(range, ",");
		const size_t n = strcspn(range, "; \t,");
		const char *parameters = range + n + strspn(range + n, " \t");
		const unsigned q = range_quality(parameters, end);

		for (unsigned i = 0; n && i < page->n; i++) {
			const unsigned how = range_covers(range, n, page->type[i]);

			if (!how || how < exact[i] || (how == exact[i] && q <= best[i]))
				continue;
			exact[i] = how;
			best[i] = q;
		}
		p = end;
	}
	for (unsigned i = 1; i < page->n; i++)
		if (best[i] > best[chosen])
			chosen = i;
	return chosen;
}

#ifdef WITH_HTTP

#include <dlfcn.h>
#include <microhttpd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "kernel/clock.h"

const bool http_built = true;

#define PLAIN "text/plain; charset=utf-8"
#define CONNECTIONS 64u
#define MEMORY ((size_t)16 << 10) /* of a connection: more headers are answered with 431 */
#define SILENT_S 10u		  /* a connection that sends or takes nothing for so long is closed */
#define HURRY_MS 1000u
#define WHOLE_MS 30000u /* and any other one after so long, unless it waits for us */

/* clang-format off */
#define FUNCTIONS(F) \
	F(MHD_get_version) F(MHD_start_daemon) F(MHD_stop_daemon) F(MHD_run) F(MHD_get_timeout) F(MHD_get_daemon_info) F(MHD_get_connection_info) \
	F(MHD_lookup_connection_value) F(MHD_suspend_connection) F(MHD_resume_connection) \
	F(MHD_create_response_from_buffer) F(MHD_create_response_from_fd) F(MHD_add_response_header) F(MHD_queue_response) F(MHD_destroy_response)
/* clang-format on */
#define MEMBER(name) __typeof__(name) *name;
/* MHD_OPTION_SIGPIPE_HANDLED_BY_APP, which the header of an older version lacks. */
#define SIGPIPE_OPTION 33
#define SIGPIPE_SINCE "0.9.73"

struct connection {
	struct connection *next, **link;
	int fd;
	uint64_t since; /* ns, CLOCK_MONOTONIC */
	bool begun;	/* the headers were read */
	/* Waits for the page, and then has it. */
	struct MHD_Connection *waits;
	unsigned format;
	bool answered;
};

struct http {
	FUNCTIONS(MEMBER)
	void *library; /* NULL: linked */
	struct MHD_Daemon *daemon;
	int listening;
	const struct http_page *about;
	struct connection *all;
	bool closed; /* some connection, so that another one may be accepted */
	/* The last answer; the library counts who has not yet sent all of it. */
	unsigned status;
	struct MHD_Response *page[HTTP_FORMATS]; /* NULL: none, or out of memory */
};

#ifdef HTTP_LINKED
#define FUNCTION(h, name) (&name)
/* The functions of libgnutls have this name in a static program: TLS is not used, and the library is large. */
int http_without_tls(void);
int http_without_tls(void)
{
	return 0;
}

static int http_library_open(struct http *h, struct err *e)
{
	return 0;
}
#else
#define FUNCTION(h, name) ((__typeof__(name) *)dlsym((h)->library, #name))
static int http_library_open(struct http *h, struct err *e)
{
	h->library = dlopen(WITH_HTTP, RTLD_NOW | RTLD_LOCAL);
	if (h->library)
		return 0;
	err_set(e, -ENOTSUP, "cannot listen: %s is not installed", WITH_HTTP);
	return err_hint(e, "install libmicrohttpd, or rebuild with the installed version");
}
#endif

static int functions_find(struct http *h, struct err *e)
{
	bool all = true;
	int err = http_library_open(h, e);

#define FIND(name) all &= (h->name = FUNCTION(h, name)) != NULL;
	if (!err) {
		FUNCTIONS(FIND)
	}
	return err || all ? err : err_set(e, -ENOTSUP, "cannot listen: the installed %s lacks functions", WITH_HTTP);
}

static void connection_free(struct http *h, struct connection *c)
{
	h->closed = true;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	free(c);
}

static void connection_notify(void *cls, struct MHD_Connection *conn, void **ours,
			      enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct http *h = cls;
	struct connection *c;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED && *ours) {
		connection_free(h, *ours);
		*ours = NULL;
	}
	info = what == MHD_CONNECTION_NOTIFY_STARTED ?
		       h->MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD) :
		       NULL;
	c = info ? calloc(1, sizeof(*c)) : NULL;
	if (!c)
		return;
	*c = (struct connection){
		.next = h->all, .link = &h->all, .fd = info->connect_fd, .since = clock_ns(CLOCK_MONOTONIC)
	};
	if (c->next)
		c->next->link = &c->next;
	h->all = *ours = c;
}

static struct MHD_Response *response_describe(struct http *h, struct MHD_Response *r, const char *type)
{
	if (!r)
		return NULL;
	h->MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	h->MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	return r;
}

static struct MHD_Response *text_response(struct http *h, const char *type, const char *text)
{
	void *p = (void *)(uintptr_t)text;

	return response_describe(h, h->MHD_create_response_from_buffer(strlen(text), p, MHD_RESPMEM_MUST_COPY), type);
}

/* The kernel sends the file: its text is in no memory of ours. */
static struct MHD_Response *file_response(struct http *h, const char *type, int file)
{
	CLEAN_FD fd = file;
	struct MHD_Response *r;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	r = h->MHD_create_response_from_fd((size_t)st.st_size, fd);
	if (r)
		TAKE_FD(fd);
	return response_describe(h, r, type);
}

static void page_drop(struct http *h)
{
	for (unsigned i = 0; i < HTTP_FORMATS; i++)
		if (h->page[i])
			h->MHD_destroy_response(TAKE_PTR(h->page[i]));
}

static enum MHD_Result text_send(struct http *h, struct MHD_Connection *conn, unsigned status, const char *type,
				 const char *text)
{
	struct MHD_Response *r = text_response(h, type, text);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		h->MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ret = h->MHD_queue_response(conn, status, r);
	h->MHD_destroy_response(r);
	return ret;
}

static bool has_header(struct http *h, struct MHD_Connection *conn, const char *name)
{
	return h->MHD_lookup_connection_value(conn, MHD_HEADER_KIND, name);
}

static enum MHD_Result page_send(struct http *h, struct connection *c, struct MHD_Connection *conn)
{
	if (c->answered)
		return h->page[c->format] ? h->MHD_queue_response(conn, h->status, h->page[c->format]) : MHD_NO;
	c->format =
		http_choose(h->about, h->MHD_lookup_connection_value(conn, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
	c->waits = conn;
	h->MHD_suspend_connection(conn);
	return MHD_YES;
}

/* Called when the headers are there, when the request is, and when there is an answer. */
static enum MHD_Result request(void *cls, struct MHD_Connection *conn, const char *path, const char *method,
			       const char *version, const char *body, size_t *body_size, void **unused)
{
	const union MHD_ConnectionInfo *info;
	struct http *h = cls;
	struct connection *c;

	info = h->MHD_get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	c = info ? info->socket_context : NULL;
	if (!c)
		return MHD_NO;
	if (!c->begun) {
		c->begun = true;
		if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
			return text_send(h, conn, MHD_HTTP_METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD\n");
		if (has_header(h, conn, MHD_HTTP_HEADER_TRANSFER_ENCODING) ||
		    has_header(h, conn, MHD_HTTP_HEADER_CONTENT_LENGTH))
			return text_send(h, conn, MHD_HTTP_BAD_REQUEST, PLAIN, "a request has no body\n");
		return MHD_YES;
	}
	if (!strcmp(path, "/"))
		return text_send(h, conn, MHD_HTTP_OK, "text/html; charset=utf-8", h->about->index);
	if (strcmp(path, h->about->path) != 0)
		return text_send(h, conn, MHD_HTTP_NOT_FOUND, PLAIN, "no such page\n");
	return page_send(h, c, conn);
}

/* The library sends a file with sendfile(2) only if it is told that SIGPIPE ends nothing (base/signals.h). */
static void daemon_start(struct http *h)
{
	const bool can_send_files = strverscmp(h->MHD_get_version(), SIGPIPE_SINCE) >= 0;

	h->daemon = h->MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request, h, MHD_OPTION_LISTEN_SOCKET,
		h->listening, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY,
		MHD_OPTION_CONNECTION_TIMEOUT, SILENT_S, MHD_OPTION_NOTIFY_CONNECTION, connection_notify, h,
		can_send_files ? SIGPIPE_OPTION : MHD_OPTION_END, 1, MHD_OPTION_END);
}

int http_open(struct http **ret, int listening, const struct http_page *page, struct err *e)
{
	CLEAN_FD fd = listening;
	struct http *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return err_set(e, -ENOMEM, "cannot listen: out of memory");
	*h = (struct http){ .listening = listening, .about = page };
	err = functions_find(h, e);
	errno = 0;
	if (!err)
		daemon_start(h);
	if (!err && !h->daemon)
		err = err_sys(e, errno ? -errno : -EIO, "cannot listen: libmicrohttpd does not start");
	if (err) {
		http_close(&h);
		return err;
	}
	TAKE_FD(fd);
	*ret = h;
	return 0;
}

void http_close(struct http **h)
{
	struct http *it = *h;

	if (!it)
		return;
	for (struct connection *c = it->all; c; c = c->next)
		if (c->waits)
			it->MHD_resume_connection(TAKE_PTR(c->waits));
	page_drop(it);
	if (it->daemon)
		it->MHD_stop_daemon(it->daemon);
	if (it->library)
		dlclose(it->library);
	free(it);
	*h = NULL;
}

int http_fd(const struct http *h)
{
	const union MHD_DaemonInfo *info = h->MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	return info ? info->epoll_fd : -1;
}

int http_timeout(const struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (h->MHD_get_timeout(h->daemon, &ms) != MHD_YES)
		return h->all ? 1000 : -1;
	return ms < 1000 ? (int)ms : 1000;
}

/*
 * libmicrohttpd sees the end of a connection that was shut down, and closes it. If others wait for their turn, those
 * that have not sent their headers soon are ended.
 */
static void overdue_end(struct http *h)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	unsigned n = 0;

	for (struct connection *c = h->all; c; c = c->next)
		n++;
	for (struct connection *c = h->all; c; c = c->next) {
		const bool hurry = !c->begun && n >= CONNECTIONS;

		if (!c->waits && now - c->since > (hurry ? HURRY_MS : WHOLE_MS) * NSEC_PER_MSEC)
			shutdown(c->fd, SHUT_RDWR);
	}
}

void http_run(struct http *h)
{
	overdue_end(h);
	/* At the limit of connections, the library looks for new ones in the next call only. */
	do {
		h->closed = false;
		h->MHD_run(h->daemon);
	} while (h->closed);
}

unsigned http_waiting(const struct http *h)
{
	unsigned formats = 0;

	for (const struct connection *c = h->all; c; c = c->next)
		formats |= c->waits ? 1u << c->format : 0;
	return formats;
}

/* Those who wait for one of these formats have their answer. */
static void page_ready(struct http *h, unsigned status, unsigned formats)
{
	h->status = status;
	for (struct connection *c = h->all; c; c = c->next)
		if (c->waits && formats >> c->format & 1) {
			c->since = clock_ns(CLOCK_MONOTONIC);
			c->answered = true;
			h->MHD_resume_connection(TAKE_PTR(c->waits));
		}
	http_run(h);
}

void http_answer(struct http *h, const int file[HTTP_FORMATS])
{
	unsigned formats = 0;

	page_drop(h);
	for (unsigned i = 0; i < h->about->n; i++)
		if (file[i] >= 0) {
			h->page[i] = file_response(h, h->about->type[i], file[i]);
			formats |= 1u << i;
		}
	page_ready(h, MHD_HTTP_OK, formats);
}

void http_refuse(struct http *h, const char *why)
{
	page_drop(h);
	for (unsigned i = 0; i < h->about->n; i++)
		h->page[i] = text_response(h, PLAIN, why);
	page_ready(h, MHD_HTTP_SERVICE_UNAVAILABLE, (1u << h->about->n) - 1);
}

void http_forget(struct http *h)
{
	for (struct connection *c = h->all; c; c = c->next)
		close(c->fd);
	close(h->listening);
}

#else

const bool http_built = false;

int http_open(struct http **ret, int listening, const struct http_page *page, struct err *e)
{
	close(listening);
	err_set(e, -ENOTSUP, "cannot listen: this program was built without libmicrohttpd");
	return err_hint(e, "install libmicrohttpd-dev (libmicrohttpd-devel, libmicrohttpd) and build again");
}

void http_close(struct http **h)
{
}

int http_fd(const struct http *h)
{
	return -1;
}

int http_timeout(const struct http *h)
{
	return -1;
}

void http_run(struct http *h)
{
}

unsigned http_waiting(const struct http *h)
{
	return 0;
}

void http_answer(struct http *h, const int file[HTTP_FORMATS])
{
}

void http_refuse(struct http *h, const char *why)
{
}

void http_forget(struct http *h)
{
}

#endif
