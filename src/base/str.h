/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Bytes that grow. Always NUL-terminated once something was added; p is NULL before that. Out of memory ends the
 * program through arena_oom. Also a few string functions that libc does not have.
 */
struct str {
	char *p;
	size_t n, cap; /* bytes used and allocated; n does not count the NUL */
};

void str_add(struct str *s, const void *p, size_t n);
void str_puts(struct str *s, const char *text);
void str_fmt(struct str *s, const char *fmt, ...) PRINTF(2, 3);
void str_vfmt(struct str *s, const char *fmt, va_list ap) PRINTF(2, 0);
void str_reserve(struct str *s, size_t more); /* make room for that many more bytes */
void str_reset(struct str *s);		      /* empty, memory kept */
void str_release(struct str *s);	      /* free; usable again */
#define STR __attribute__((cleanup(str_release))) struct str

/* Read a whole descriptor until end of file, at most max bytes (-EFBIG beyond). 0 or -errno. */
int str_read_fd(struct str *s, int fd, size_t max);
/* The same for a path. */
int str_read_file(struct str *s, const char *path, size_t max);

/* Replace "\\040" by a blank and so on, as in /proc/mounts. In place. */
void str_unescape(char *s);
/* The reverse: append text with blanks, tabs, newlines, backslashes and # written that way. */
void str_escape(struct str *ret, const char *text);
/*
 * Append a word for a shell (sh, bash, zsh, fish) that is exactly @text and prints as it is (out_text()). False: no
 * such word exists, because the text ends in a newline; nothing is appended. An option remains an option: "--" must
 * precede it.
 */
bool str_shell(struct str *ret, const char *text);

int str_starts(const char *s, const char *prefix); /* 1 if prefix (which may be empty or all of s) begins s */

/* The ending of a noun that is counted: "" or "s". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

int str_order(const void *a, const void *b); /* for qsort(3) and bsearch(3) of an array of strings */

size_t str_lines(const char *s); /* number of newlines */

/* Is @word in the list, which is divided by blanks? */
bool str_has_word(const char *list, const char *word);

/*
 * Number of letters to insert, remove or replace, or neighbours to swap, to make @b from @a. For longer words:
 * STR_DISTANCE_MAX.
 */
#define STR_DISTANCE_MAX 64
unsigned str_distance(const char *a, const char *b);

/* Bytes of the well-formed UTF-8 sequence at s (of at most n bytes): 1..4, or 0 if there is none. */
size_t str_utf8(const char *s, size_t n);

size_t str_utf8_put(char *p, uint32_t c);   /* write a code point below 0x110000 as UTF-8; 1 to 4 bytes */
uint32_t str_code(const char *s, size_t n); /* the code point of the well-formed sequence of n bytes at s */

/*
 * The code point of the well-formed sequence of n bytes at s if it may drive or mislead a terminal: DEL,
 * U+0080..U+009F, a mark, override or isolate of bidirectional text, or a character that is not visible, so that
 * different names look alike. 0: any other. (Below U+0020, the caller decides.)
 */
uint32_t str_control(const char *s, size_t n);

/*
 * Format into a buffer of fixed size (at least 8 bytes). A longer text is truncated after a word or, in a long word,
 * after a character, and ends with "...".
 */
void str_fit(char *buf, size_t size, const char *fmt, ...) PRINTF(3, 4);
void str_vfit(char *buf, size_t size, const char *fmt, va_list ap) PRINTF(3, 0);
/* As snprintf(), for functions of its kind; 0 if the format fails. */
size_t str_snprintf(char *buf, size_t size, const char *fmt, ...) PRINTF(3, 4);
