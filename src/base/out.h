/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct err;
struct palette;
/*
 * Standard output, through one large buffer. Write errors (full disk, closed pipe) are remembered and reported once, by
 * out_close(). A closed pipe is no failure: out_close() returns 0 for it, and out_dead() lets long loops stop early.
 */
struct out {
	int fd; /* -1: keep everything in the buffer (tests, captures) */
	char *buf;
	size_t n, cap;
	int error; /* 0 or the -errno of the first write that failed */
	bool tty, color;
	bool painted;		       /* by out_paint() */
	const struct palette *palette; /* NULL: the usual colours */
	bool wide;		       /* lines need not fit the terminal */
	pid_t pager;		       /* 0: none */
};

void out_init(struct out *o, int fd); /* fd -1: a growing memory buffer */
/*
 * Start $BPFLENS_PAGER or $PAGER, by the shell, or less behind fd. Only if fd is a terminal; failing to start one is
 * not an error. With more privilege than who started us (sudo, set-user-ID) it is less, and that without its commands
 * that run others.
 */
void out_pager(struct out *o);
/* auto: a terminal and no NO_COLOR; always; never. -EINVAL for another word. */
int out_color_mode(struct out *o, const char *mode);
/* The columns of a line: $COLUMNS, else the terminal's, else 120. At most 1000. */
unsigned out_columns(const struct out *o);
/* Characters that a line of a table may take: of a terminal out_columns(), elsewhere and where wide is set 0, any
 * number. */
unsigned out_line(const struct out *o);
/* The lines of a screen: $LINES, else the terminal's, else 24. At most 1000. */
unsigned out_rows(const struct out *o);
/* Can who reads show more than ASCII? As $LC_ALL, else $LC_CTYPE, else $LANG says. */
bool out_utf8(void);
void out_flush(struct out *o);
/* Flush, wait for the pager, free. 0, or -errno with the sentence in *e. */
int out_close(struct out *o, struct err *e);
static inline bool out_dead(const struct out *o)
{
	return o->error != 0;
}

/* Room for n more bytes at the returned place; out_added() says how many were used. n <= 64 KiB. */
char *out_room_slow(struct out *o, size_t n);
static inline char *out_room(struct out *o, size_t n)
{
	return o->cap - o->n >= n ? o->buf + o->n : out_room_slow(o, n);
}
static inline void out_added(struct out *o, const char *end)
{
	o->n = (size_t)(end - o->buf);
}

void out_bytes(struct out *o, const void *p, size_t n); /* as they are, any length */
static inline void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}
static inline void out_char(struct out *o, char c)
{
	*out_room(o, 1) = c;
	o->n++;
}
void out_dec(struct out *o, uint64_t v);
void out_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Text that came from outside (names, comments, paths, source lines): control characters except tab, marks of
 * bidirectional text, and bytes that are not UTF-8, become \xNN, so that no name can drive a terminal or show in
 * another order.
 */
void out_text(struct out *o, const char *s);
void out_textn(struct out *o, const char *s, size_t n);
/* What others wrote, passed on: byte for byte, but to a terminal as out_textn() has it, with newlines. */
void out_copy(struct out *o, const char *p, size_t n);

/* Bytes as bpftool's plain hex: "01 02 ..", a second blank before each 8th, a newline before each 16th; no newline
 * after. */
void out_hex(struct out *o, const void *p, size_t n);

#endif
