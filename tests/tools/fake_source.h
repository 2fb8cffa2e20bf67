/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "source/questions.h"
#include "source/source.h"

/* Answers from an array that ends with a NULL key; other questions return -ENODATA. */
struct fake_answer {
	const char *key;
	int err;
	const void *p;
	size_t n;
};

struct fake {
	struct source source;
	const struct fake_answer *answers;
};

static inline int fake_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const struct fake *f = (const struct fake *)s;
	STR key = { 0 };
	int err = question_key(q, &key);

	(void)a;
	if (err)
		return err;
	for (const struct fake_answer *w = f->answers; w->key; w++) {
		if (strcmp(w->key, key.p) != 0)
			continue;
		if (w->err)
			return w->err;
		*ret = (struct blob){ w->p, w->n };
		return 0;
	}
	return -ENODATA;
}

static inline void fake_close(struct source *s)
{
	free(s);
}

/* The answers must outlive the source. */
static inline int source_fake(struct source **ret, const struct fake_answer *answers)
{
	static const struct source_ops fake_ops = { .name = "fake", .get = fake_get, .close = fake_close };
	struct fake *f = calloc(1, sizeof(*f));

	*ret = NULL;
	if (!f)
		return -ENOMEM;
	f->source.ops = &fake_ops;
	f->answers = answers;
	*ret = &f->source;
	return 0;
}
