/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json/json_cutter.h"

#include "base/base.h"

#define CHUNK (256u << 10)

void json_cutter_init(struct json_cutter *c, int fd, const char *what)
{
	*c = (struct json_cutter){ .fd = fd, .what = what };
}

void json_cutter_release(struct json_cutter *c)
{
	str_release(&c->buf);
}

/* Read more bytes after those of the current element. 1; 0 at the end of the stream; -errno. */
static int more(struct json_cutter *c, struct err *e)
{
	size_t max = c->max ? c->max : JSON_ELEMENT_MAX;
	ssize_t n;

	if (c->eof)
		return 0;
	if (c->from) {
		memmove(c->buf.p, c->buf.p + c->from, c->buf.n - c->from);
		c->buf.n -= c->from;
		c->at -= c->from;
		c->gone += c->from;
		c->from = 0;
	}
	if (c->buf.n > max)
		return err_set(e, -EFBIG, "%s: element %llu, from byte %llu on, is longer than %zu bytes", c->what,
			       llu(c->elements) + 1, llu(c->gone) + 1, max);
	str_reserve(&c->buf, CHUNK);
	do
		n = read(c->fd, c->buf.p + c->buf.n, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(e, -errno, "%s: cannot read", c->what);
	c->buf.n += (size_t)n;
	c->eof = !n;
	return n > 0;
}

static int broken(const struct json_cutter *c, const char *why, struct err *e)
{
	return err_set(e, -EINVAL, "%s: byte %llu: %s", c->what, llu(c->gone + c->at + 1), why);
}

/* Go to the next byte that is not a blank: 1; 0 at the end of the stream; -errno. */
static int blanks(struct json_cutter *c, struct err *e)
{
	int r;

	for (;;) {
		while (c->at < c->buf.n && memchr(" \n\t\r", c->buf.p[c->at], 4))
			c->at++;
		c->from = c->at;
		if (c->at < c->buf.n)
			return 1;
		r = more(c, e);
		if (r <= 0)
			return r;
	}
}

/* Bytes that change the state, outside and inside strings. */
enum { PLAIN, OPEN, CLOSE, QUOTE, BACKSLASH, BLANK, COMMA };
static const unsigned char class_of[256] = {
	['{'] = OPEN,  ['['] = OPEN,   ['}'] = CLOSE,  [']'] = CLOSE,  ['"'] = QUOTE, ['\\'] = BACKSLASH,
	[' '] = BLANK, ['\n'] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, [','] = COMMA,
};

/* The search for the end of an element; it may stop at any byte and continue when more bytes have been read. */
struct key_search {
	unsigned depth;
	bool quoted, escaped, done;
};

static void search(struct json_cutter *c, struct key_search *s)
{
	const unsigned char *buf = (const unsigned char *)c->buf.p;
	size_t at = c->at, n = c->buf.n;

	for (; at < n; at++) {
		unsigned char class = class_of[buf[at]];

		if (s->escaped) {
			s->escaped = false;
			continue;
		}
		if (class == PLAIN)
			continue;
		if (s->quoted) {
			s->escaped = class == BACKSLASH;
			s->quoted = class != QUOTE;
			if (s->quoted || s->depth)
				continue;
			at++;
			s->done = true;
			break;
		}
		if (class == QUOTE) {
			s->quoted = true;
		} else if (class == OPEN) {
			s->depth++;
		} else if (s->depth) {
			if (class == CLOSE && !--s->depth) {
				at++;
				s->done = true;
				break;
			}
		} else if (class != BACKSLASH) {
			s->done = true; /* the byte after a number or a word */
			break;
		}
	}
	c->at = at;
}

/*
 * Fast path for the most frequent line of NDJSON: it starts with "{", ends with "}", and the next line starts with "{".
 * JSON has a newline between "}" and "{" only between two values: no string contains a newline, and inside a value a
 * comma would be needed. Within one value, each further "{" follows "[", "," or ":".
 */
static bool line(struct json_cutter *c)
{
	const char *from = c->buf.p + c->at, *end = c->buf.p + c->buf.n, *newline = NULL, *p, *q;

	if (!c->array && *from == '{')
		newline = memchr(from, '\n', (size_t)(end - from));
	if (!newline || newline[-1] != '}' || newline + 1 == end || newline[1] != '{')
		return false;
	for (p = from + 1; (p = memchr(p, '{', (size_t)(newline - p))); p++) {
		for (q = p - 1; class_of[(unsigned char)*q] == BLANK; q--)
			;
		if (*q != '[' && *q != ',' && *q != ':')
			return false;
	}
	c->at = (size_t)(newline - c->buf.p);
	return true;
}

static int value_cut(struct json_cutter *c, const char **ret, size_t *ret_n, struct err *e)
{
	size_t max = c->max ? c->max : JSON_ELEMENT_MAX;
	struct key_search s = { .done = line(c) };
	int r = 1;

	for (;;) {
		if (!s.done)
			search(c, &s);
		if (s.done)
			break;
		r = more(c, e);
		if (r < 0)
			return r;
		if (!r && (s.depth || s.quoted))
			return broken(c, "the text ends within an element", e);
		if (!r)
			break;
	}
	if (c->at == c->from)
		return broken(c, "no JSON value begins like this", e);
	if (c->at - c->from > max)
		return err_set(e, -EFBIG, "%s: element %llu, from byte %llu on, is longer than %zu bytes", c->what,
			       llu(c->elements) + 1, llu(c->gone + c->from) + 1, max);
	*ret = c->buf.p + c->from;
	*ret_n = c->at - c->from;
	c->from = c->at;
	c->elements++;
	return 1;
}

/* After an element of the array: its end (0), or a comma and the start of the next element (1). */
static int separator(struct json_cutter *c, struct err *e)
{
	int r;

	if (c->buf.p[c->at] == ']') {
		c->at++;
		c->ended = true;
		r = blanks(c, e);
		return r > 0 ? broken(c, "unexpected text after the array", e) : r;
	}
	if (!c->elements)
		return 1;
	if (c->buf.p[c->at] != ',')
		return broken(c, "a comma or ']' is missing", e);
	c->at++;
	r = blanks(c, e);
	return r ? r : broken(c, "the text ends within the array", e);
}

int json_cutter_next(struct json_cutter *c, const char **ret, size_t *ret_n, struct err *e)
{
	int r = c->ended ? 0 : blanks(c, e);

	if (!c->begun && r > 0) {
		c->begun = true;
		c->array = c->buf.p[c->at] == '[';
		c->at += c->array;
		if (c->array)
			r = blanks(c, e);
	}
	if (!r && c->array && !c->ended)
		return broken(c, "the text ends within the array", e);
	if (r > 0 && c->array)
		r = separator(c, e);
	return r > 0 ? value_cut(c, ret, ret_n, e) : r;
}
