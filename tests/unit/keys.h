/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "source/machine.h"
#include "source/source.h"

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
