/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/*
 * RFC 8259 without extensions: one value, valid UTF-8, no two equal keys in an object. Written separately, so that it
 * does not share mistakes with the writer.
 */
#define STRICT_ANY_KEYS UINT_MAX /* as want_depth: keys may be equal */
struct strict_key {
	const char *p;
	size_t n;
};
struct strict {
	const char *p, *end;
	struct strict_key *open; /* keys of all objects that have not ended, the innermost last */
	size_t nopen, cap;
	unsigned depth, want_depth; /* keys of objects at this depth (1: the outermost) ... */
	const char *keys[128];	    /* ... as in the text, with their quotes */
	size_t key_len[128], nkeys;
};

static inline void strict_ws(struct strict *s)
{
	while (s->p < s->end && memchr(" \t\n\r", *s->p, 4))
		s->p++;
}

static inline bool strict_hex4(struct strict *s)
{
	int i;

	for (i = 0; i < 4; i++, s->p++)
		if (s->p >= s->end || !strchr("0123456789abcdefABCDEF", *s->p) || !*s->p)
			return false;
	return true;
}

static inline bool strict_string(struct strict *s)
{
	if (s->p >= s->end || *s->p++ != '"')
		return false;
	while (s->p < s->end && *s->p != '"') {
		unsigned char c = (unsigned char)*s->p;
		size_t n;

		if (c < 0x20)
			return false;
		if (c == '\\') {
			s->p++;
			if (s->p >= s->end || !*s->p)
				return false;
			if (*s->p == 'u') {
				s->p++;
				if (!strict_hex4(s))
					return false;
				continue;
			}
			if (!strchr("\"\\/bfnrt", *s->p))
				return false;
			s->p++;
			continue;
		}
		n = str_utf8(s->p, (size_t)(s->end - s->p));
		if (!n)
			return false;
		s->p += n;
	}
	return s->p < s->end && *s->p++ == '"';
}

static inline size_t strict_digits(struct strict *s)
{
	size_t n = 0;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++, n++;
	return n;
}

static inline bool strict_number(struct strict *s)
{
	if (s->p < s->end && *s->p == '-')
		s->p++;
	if (s->p < s->end && *s->p == '0')
		s->p++;
	else if (!strict_digits(s))
		return false;
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!strict_digits(s))
			return false;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		return strict_digits(s) > 0;
	}
	return true;
}

/* @first: the first key of this object in s->open. */
static inline bool strict_key(struct strict *s, size_t first)
{
	const char *start = s->p;
	size_t i, n;

	if (!strict_string(s))
		return false;
	n = (size_t)(s->p - start);
	for (i = first; i < s->nopen && s->want_depth != STRICT_ANY_KEYS; i++)
		if (s->open[i].n == n && memcmp(s->open[i].p, start, n) == 0)
			return false;
	s->open = array_more(s->open, s->nopen, &s->cap, sizeof(*s->open));
	s->open[s->nopen++] = (struct strict_key){ start, n };
	if (s->depth != s->want_depth)
		return true;
	if (s->nkeys == 128)
		return false;
	s->keys[s->nkeys] = start;
	s->key_len[s->nkeys++] = n;
	return true;
}

static inline bool strict_value(struct strict *s);

static inline bool strict_container(struct strict *s, char close)
{
	const size_t first = s->nopen;

	s->p++;
	s->depth++;
	strict_ws(s);
	if (s->p < s->end && *s->p == close) {
		s->p++;
		s->depth--;
		return true;
	}
	for (;;) {
		strict_ws(s);
		if (close == '}') {
			if (!strict_key(s, first))
				return false;
			strict_ws(s);
			if (s->p >= s->end || *s->p++ != ':')
				return false;
		}
		if (!strict_value(s))
			return false;
		strict_ws(s);
		if (s->p >= s->end)
			return false;
		if (*s->p == close) {
			s->p++;
			s->depth--;
			s->nopen = first;
			return true;
		}
		if (*s->p++ != ',')
			return false;
	}
}

static inline bool strict_value(struct strict *s)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;

	strict_ws(s);
	if (s->p >= s->end || s->depth > 200)
		return false;
	if (*s->p == '{')
		return strict_container(s, '}');
	if (*s->p == '[')
		return strict_container(s, ']');
	if (*s->p == '"')
		return strict_string(s);
	for (i = 0; i < 3; i++)
		if ((size_t)(s->end - s->p) >= strlen(words[i]) && memcmp(s->p, words[i], strlen(words[i])) == 0) {
			s->p += strlen(words[i]);
			return true;
		}
	return strict_number(s);
}

/* Exactly one document; keys of the objects @want_depth deep are kept in *s. */
static inline bool strict_json(struct strict *s, const char *text, size_t n, unsigned want_depth)
{
	bool ok;

	*s = (struct strict){ .p = text, .end = text + n, .want_depth = want_depth };
	ok = strict_value(s);
	strict_ws(s);
	free(s->open);
	s->open = NULL;
	return ok && s->p == s->end;
}

static inline bool strict_has_key(const struct strict *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nkeys; i++)
		if (s->key_len[i] == strlen(name) + 2 && memcmp(s->keys[i] + 1, name, strlen(name)) == 0)
			return true;
	return false;
}
