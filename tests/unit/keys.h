/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "source/machine.h"
#include "source/source.h"

/* A number as in keys: without leading zeros. Returns the position after it, or NULL. */
static const char *id_parse(const char *p, bool hex, uint64_t *ret)
{
	char text[24];
	size_t n;

	if (hex && strncmp(p, "0x", 2) != 0)
		return NULL;
	n = strspn(p + (hex ? 2 : 0), hex ? "0123456789abcdef" : "0123456789") + (hex ? 2 : 0);
	if (n >= sizeof(text))
		return NULL;
	memcpy(text, p, n);
	text[n] = '\0';
	if (n == (hex ? 2u : 0u) || (text[hex ? 2 : 0] == '0' && text[hex ? 3 : 1]) || num_parse_u64(text, ret))
		return NULL;
	return p + n;
}

static const char *part_parse(char c, const char *key, struct asked *ret)
{
	switch (c) {
	case '#':
		return id_parse(key, false, &ret->id);
	case '@':
		return id_parse(key, false, &ret->index);
	case '*':
		return id_parse(key, true, &ret->index);
	case '~':
		return id_parse(key, false, &ret->sub);
	case '$':
		ret->text = key;
		return key + strlen(key);
	default:
		return *key == c ? key + 1 : NULL;
	}
}

static bool pattern_match(const char *pattern, const char *key, struct asked *ret)
{
	for (; key && *pattern; pattern++)
		key = part_parse(*pattern, key, ret);
	return key && !*key;
}

/* The reverse of question_key(); the text part points into @key. False for a name of no question. */
__attribute__((unused)) static bool question_parse(const char *key, struct asked *ret)
{
	for (unsigned i = 0; i < QUESTIONS; i++) {
		const struct question_row *q = &questions[i];
		bool object = q->about >= ABOUT_PROG && q->about <= ABOUT_BTF;
		struct asked found = { .q = (enum question)i };

		if (!pattern_match(q->pattern, key, &found) || (object && found.id > UINT32_MAX))
			continue;
		*ret = found;
		return true;
	}
	return false;
}

/* Questions by their names in an archive, as tests write them. An unknown name: -ENODATA. */
__attribute__((format(printf, 4, 5), unused)) static int source_get(struct source *s, struct arena *a, struct blob *ret,
								    const char *fmt, ...)
{
	char key[QUESTION_KEY_MAX + 2];
	struct asked q;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(key, sizeof(key), fmt, ap);
	va_end(ap);
	return question_parse(key, &q) ? s->ops->get(s, &q, a, ret) : -ENODATA;
}

/* For readers of single answers: a machine with a source, in the arena, without any answers yet. */
__attribute__((unused)) static struct machine *over(struct source *s, struct arena *a)
{
	struct machine *m = arena_alloc(a, sizeof(*m));

	*m = (struct machine){ .src = s, .arena = a, .refused_end = &m->refused };
	return m;
}

/* For sources of tests: the name of a question; in the arena. */
__attribute__((unused)) static const char *asked_name(const struct asked *q, struct arena *a)
{
	STR key = { 0 };

	question_key(q, &key);
	return arena_str(a, key.p, key.n);
}
