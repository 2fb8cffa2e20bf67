/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/err.h"

struct err;
struct palette;
/*
 * Standard output, through one large buffer. Write errors (full disk, closed pipe) are remembered and reported once, by
 * out_close(). A closed pipe is not a failure: out_close() returns 0 for it, and out_dead() lets long loops stop early.
 * While SIGTERM is blocked, and a signal that ends programs has come, a reader that leaves no room for a second is one
 * that has closed the pipe: otherwise only SIGKILL would end a process that waits for it.
 */
struct out {
	int fd; /* -1: keep everything in the buffer (tests, captures) */
	char *buf;
	size_t n, cap;
	int error; /* 0 or the -errno of the first write that failed */
	bool tty, color;
	bool painted;		       /* a colour set by out_paint() is in effect */
	const struct palette *palette; /* NULL: the default colours */
	unsigned columns;	       /* of the terminal; 0: ask it */
	bool wide;		       /* lines need not fit the terminal */
	bool paged;		       /* the next output starts the pager */
	pid_t pager;		       /* 0: none */
};

void out_init(struct out *o, int fd); /* fd -1: a growing memory buffer */
/*
 * Write to $BPFLENS_PAGER or $PAGER, run by the shell, or else to less. The first output starts it; a command that
 * fails without output needs none. Only if fd is a terminal; failing to start a pager is not an error. If we run with
 * more privilege than the user who started us (sudo, set-user-ID), always less, with its commands that run others
 * disabled.
 */
void out_pager(struct out *o);
/* auto: a terminal and no NO_COLOR; always; never. -EINVAL for another word. */
int out_color_mode(struct out *o, const char *mode);
/* Columns of a line: $COLUMNS, else the terminal's, else 120. At most 1000. */
unsigned out_columns(const struct out *o);
/*
 * Characters that a line of a table may take: on a terminal out_columns(); elsewhere, and if wide is set, 0: no limit.
 */
unsigned out_line(const struct out *o);
/* Lines of a screen: $LINES, else the terminal's, else 24. At most 1000. */
unsigned out_rows(const struct out *o);
/* May the output contain more than ASCII? As $LC_ALL, else $LC_CTYPE, else $LANG has it. */
bool out_utf8(void);
void out_flush(struct out *o);
/* Flush, wait for the pager, free. 0, or -errno with a message in *e. */
int out_close(struct out *o, struct err *e);
static inline bool out_dead(const struct out *o)
{
	return o->error != 0;
}

/* Room for n more bytes at the returned address; out_added() takes the end of the bytes written there. n <= 64 KiB. */
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
void out_fmt(struct out *o, const char *fmt, ...) PRINTF(2, 3);

/*
 * Text from outside (names, comments, paths, source lines): control characters except tab, those of str_control(), and
 * bytes that are not UTF-8 become \xNN, so that no name can control a terminal, be displayed in another order or hide.
 */
void out_text(struct out *o, const char *s);
void out_textn(struct out *o, const char *s, size_t n);
/* Text of others, passed on: byte for byte; to a terminal, or in colour, newlines as they are and the rest as by
 * out_textn(). */
void out_copy(struct out *o, const char *p, size_t n);

/*
 * Bytes as bpftool's plain hex: "01 02 ..", a second blank before each 8th, a newline before each 16th; no newline at
 * the end.
 */
void out_hex(struct out *o, const void *p, size_t n);
