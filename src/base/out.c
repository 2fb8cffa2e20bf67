/* SPDX-License-Identifier: BSD-2-Clause */

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>

#include "base/base.h"
#include "base/signals.h"
#include "base/wait.h"

#define OUT_BUFFER ((size_t)256 << 10)
#define OUT_STEP ((size_t)4 << 10) /* input bytes per request for room */

static void out_resize(struct out *o, size_t cap)
{
	o->buf = array_resize(o->buf, cap, 1);
	o->cap = cap;
}

void out_init(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd, .tty = fd >= 0 && isatty(fd) };
	out_resize(o, fd >= 0 ? OUT_BUFFER : 256);
}

/* Did a user with less privilege start us? Then commands from that user's environment must not be run. */
static bool is_elevated(void)
{
	static const char *const who[] = { "SUDO_UID", "PKEXEC_UID", "DOAS_USER" };

	if (getauxval(AT_SECURE) || geteuid() != getuid())
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
		const char *user = getenv(who[i]);

		if (user && strcmp(user, "0") != 0 && strcmp(user, "root") != 0)
			return true;
	}
	return false;
}

static const char *pager_command(void)
{
	const char *pager = getenv("BPFLENS_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	/* Even then the variable may say that no pager is wanted. */
	return pager && (!*pager || !is_elevated()) ? pager : "less";
}

/* Does not return: becomes the shell, or exits. */
static void pager_exec(int in, const char *pager)
{
	/* If the pager does not exist (127), the text is still unread: print it. */
	static const char script[] = "eval \"$1\"; s=$?; [ $s -ne 127 ] || exec cat; exit $s";

	signals_pass_on();
	if (dup2(in, STDIN_FILENO) < 0)
		_exit(127);
	setenv("LESS", "FRSX", is_elevated());
	if (is_elevated())
		setenv("LESSSECURE", "1", 1);
	execl("/bin/sh", "sh", "-c", script, "sh", pager, (char *)NULL);
	_exit(127);
}

static void pager_start(struct out *o)
{
	CLEAN_FD in = -1;
	CLEAN_FD to = -1;
	const char *pager = pager_command();
	int ends[2];
	pid_t pid;

	o->paged = false;
	if (!*pager || strcmp(pager, "cat") == 0)
		return;
	if (pipe2(ends, O_CLOEXEC))
		return;
	in = ends[0];
	to = ends[1];
	pid = fork();
	if (pid == 0)
		pager_exec(in, pager);
	if (pid < 0)
		return;
	/* An interrupt is for the pager; when the pager ends, the closed pipe ends us. */
	signal(SIGINT, SIG_IGN);
	o->pager = pid;
	o->fd = TAKE_FD(to);
}

void out_pager(struct out *o)
{
	out_flush(o);
	o->paged = o->tty && !o->pager;
}

/* The size that the environment gives, else the terminal's. */
static unsigned screen_size(const struct out *o, const char *variable, bool rows, unsigned otherwise)
{
	const char *text = getenv(variable);
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;
	struct winsize size;

	if (!n && o->tty && !ioctl(o->pager || o->fd < 0 ? STDOUT_FILENO : o->fd, TIOCGWINSZ, &size))
		n = rows ? size.ws_row : size.ws_col;
	return !n ? otherwise : n < 1000 ? (unsigned)n : 1000;
}

unsigned out_columns(const struct out *o)
{
	return o->columns ? o->columns : screen_size(o, "COLUMNS", false, 120);
}

unsigned out_line(const struct out *o)
{
	return o->tty && !o->wide ? out_columns(o) : 0;
}

/* Without setlocale(): a static program would need the locale's files. */
bool out_utf8(void)
{
	static const char *const from[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		const char *s = getenv(from[i]);

		if (s && *s)
			return strcasestr(s, "UTF-8") || strcasestr(s, "UTF8");
	}
	return false;
}

unsigned out_rows(const struct out *o)
{
	return screen_size(o, "LINES", true, 24);
}

int out_color_mode(struct out *o, const char *mode)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (strcmp(mode, "auto") == 0)
		o->color = o->tty && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
	else if (strcmp(mode, "always") == 0)
		o->color = true;
	else if (strcmp(mode, "never") == 0)
		o->color = false;
	else
		return -EINVAL;
	return 0;
}

#define LOOK_MS 100
#define PATIENCE_MS 1000
/* Room for PIPE_BUF bytes, or an error that write(2) returns. False: nobody reads, and a signal has come. */
static bool has_room(int fd, const sigset_t *blocked)
{
	struct pollfd p = { fd, POLLOUT, 0 };

	for (int waited = 0; waited < PATIENCE_MS; waited += signals_wait(blocked) ? LOOK_MS : 0)
		if (poll(&p, 1, LOOK_MS))
			return true;
	return false;
}

static void out_write(struct out *o, const char *p, size_t n)
{
	if (n && o->paged)
		pager_start(o);
	if (n && o->fd == STDOUT_FILENO)
		arena_last.words = NULL;
	while (n && !o->error) {
		sigset_t blocked;
		/* Commands that stream block signals (host/stop.h). */
		const bool held = !sigprocmask(SIG_BLOCK, NULL, &blocked) && sigismember(&blocked, SIGTERM) == 1;
		ssize_t done;

		if (held && !has_room(o->fd, &blocked)) {
			o->error = -EPIPE;
			break;
		}
		done = write(o->fd, p, held && n > PIPE_BUF ? PIPE_BUF : n);
		if (done >= 0) {
			p += done;
			n -= (size_t)done;
		} else if (errno == EAGAIN) {
			struct pollfd wait = { .fd = o->fd, .events = POLLOUT };

			if (poll(&wait, 1, -1) < 0 && errno != EINTR)
				o->error = -errno;
		} else if (errno != EINTR) {
			o->error = -errno;
		}
	}
}

void out_flush(struct out *o)
{
	if (o->fd < 0)
		return;
	out_write(o, o->buf, o->n);
	o->n = 0;
}

int out_close(struct out *o, struct err *e)
{
	int error;

	out_flush(o);
	if (o->pager) {
		close(o->fd);
		wait_child(o->pager, WAIT_END);
	}
	free(o->buf);
	error = o->error;
	*o = (struct out){ .fd = -1 };
	if (!error || error == -EPIPE)
		return 0;
	return err_sys(e, error, "cannot write the output");
}

char *out_room_slow(struct out *o, size_t n)
{
	size_t cap = o->cap ? o->cap : 256;

	out_flush(o);
	if (n > SIZE_MAX / 4 || o->n > SIZE_MAX / 4)
		arena_die(n);
	while (cap - o->n < n)
		cap *= 2;
	if (cap != o->cap)
		out_resize(o, cap);
	return o->buf + o->n;
}

void out_bytes(struct out *o, const void *p, size_t n)
{
	if (n > o->cap - o->n && o->fd >= 0) {
		out_flush(o);
		if (n >= o->cap) {
			out_write(o, p, n);
			return;
		}
	}
	if (!n)
		return;
	memcpy(out_room(o, n), p, n);
	o->n += n;
}

void out_dec(struct out *o, uint64_t v)
{
	out_added(o, num_dec(out_room(o, 20), v));
}

void out_fmt(struct out *o, const char *fmt, ...)
{
	STR s = { 0 };
	char buf[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(buf)) {
		out_bytes(o, buf, (size_t)n);
		return;
	}
	str_reserve(&s, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(s.p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	out_bytes(o, s.p, (size_t)n);
}

void out_text(struct out *o, const char *s)
{
	out_textn(o, s, strlen(s));
}

static bool plain_ascii(char c)
{
	return c >= ' ' && c < 0x7f;
}

/* Bytes of the character at s if it may be printed as it is; 0: it must be escaped. */
static size_t text_clean(const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0];
	size_t len;

	if (c < 0x80)
		return (c >= ' ' && c != 0x7f) || c == '\t';
	len = str_utf8(s, n);
	return len && str_control(s, len) ? 0 : len;
}

void out_textn(struct out *o, const char *s, size_t n)
{
	size_t i, len;
	char *p;

	while (n) {
		for (i = 0; i < n && (len = plain_ascii(s[i]) ? 1 : text_clean(s + i, n - i)); i += len)
			;
		out_bytes(o, s, i);
		s += i;
		n -= i;
		if (!n)
			return;
		p = out_room(o, 4);
		memcpy(p, "\\x", 2);
		memcpy(p + 2, num_hex2[(unsigned char)*s], 2);
		out_added(o, p + 4);
		s++;
		n--;
	}
}

void out_copy(struct out *o, const char *p, size_t n)
{
	while ((o->tty || o->color) && n) {
		const char *nl = memchr(p, '\n', n);
		size_t line = nl ? (size_t)(nl - p) : n;

		out_textn(o, p, line);
		if (nl)
			out_char(o, '\n');
		p += line + !!nl;
		n -= line + !!nl;
	}
	if (n)
		out_bytes(o, p, n);
}

void out_hex(struct out *o, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	size_t i, stop;
	char *p;

	for (i = 0; i < n;) {
		stop = n - i > OUT_STEP ? i + OUT_STEP : n;
		p = out_room(o, (stop - i) * 4);
		for (; i < stop; i++) {
			if (i % 16 == 0) {
				if (i)
					*p++ = '\n';
			} else {
				*p++ = ' ';
				if (i % 8 == 0)
					*p++ = ' ';
			}
			memcpy(p, num_hex2[b[i]], 2);
			p += 2;
		}
		out_added(o, p);
	}
}
