/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * JSON text (RFC 8259, strictly) to tokens, one at a time: no tree, nothing allocated, numbers stay text. The text need
 * not be terminated and must outlive the reader. A struct jsonr may be copied to look ahead.
 *
 * Nesting is limited to JSONR_DEPTH. Every string is well-formed UTF-8; other bytes are errors.
 */
#define JSONR_DEPTH 64
enum jsonr_token {
	JSONR_BAD, /* the reason is in r->why; every later call returns this again */
	JSONR_END, /* after the one value */
	JSONR_OBJECT,
	JSONR_ARRAY,
	JSONR_CLOSE,
	JSONR_NAME, /* a member's name; its value comes next */
	JSONR_STR,  /* text, len: between the quotes, still escaped */
	JSONR_NUM,  /* text, len: as written */
	JSONR_TRUE,
	JSONR_FALSE,
	JSONR_NULL,
};
enum jsonr_flags {
	JSONR_HEX = 1 << 0,  /* numbers like 0x5, as in bpftool's plain dumps */
	JSONR_WORD = 1 << 1, /* one word of a command line: text that does not begin with [ { or " is a string */
	JSONR_TEXT = 1 << 2, /* the same for any text */
};
struct jsonr {
	const char *what; /* what the text is, for messages: "value" */
	const char *start, *p, *end;
	const char *text; /* of the last NAME, STR or NUM */
	size_t len;
	bool escaped;	      /* text contains backslashes */
	uint8_t state, flags; /* flags: enum jsonr_flags */
	unsigned depth;
	uint64_t arrays; /* bit N is set if level N is an array */
	const char *why; /* JSONR_BAD */
};

void jsonr_init(struct jsonr *r, const char *what, unsigned flags, const char *text, size_t n);
enum jsonr_token jsonr_next(struct jsonr *r);
/* What jsonr_next() would return; nothing is consumed. */
enum jsonr_token jsonr_peek(const struct jsonr *r);
/* Take the rest of a value with the first token @t (for JSONR_NAME: the member's value). */
enum jsonr_token jsonr_skip(struct jsonr *r, enum jsonr_token t);

/*
 * If a member comes next and its name is written as @quoted (with quotes, n bytes), take the name. For members in a
 * known order.
 */
bool jsonr_name_is(struct jsonr *r, const char *quoted, size_t n);
/*
 * If a value comes next and is an unsigned whole number without blanks before it, at most @max, take it. For numbers at
 * known positions.
 */
bool jsonr_uint(struct jsonr *r, uint64_t max, uint64_t *ret);
/* Is the last NAME or STR equal to @quoted (n bytes, with quotes and escapes)? */
bool jsonr_equal(const struct jsonr *r, const char *quoted, size_t n);
/*
 * The last NAME or STR with escapes resolved, at most @size bytes, no NUL added. Returns its full length (never more
 * than r->len).
 */
size_t jsonr_text(const struct jsonr *r, char *buf, size_t size);
/*
 * The first character of the last STR, as Unicode, in *ret; returns its length in bytes. The string must not be empty.
 */
size_t jsonr_char(const struct jsonr *r, uint32_t *ret);

/* After JSONR_BAD: -EINVAL, "value: byte 17: a comma or '}' is missing". Bytes are counted from 1. */
int jsonr_error(const struct jsonr *r, struct err *e);
