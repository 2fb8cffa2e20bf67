/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "../keys.h"
#include "../../tools/fake_source.h"
#include "types/btf.h"
#include "cli/env.h"
#include "source/facts.h"
#include "source/source.h"

/* A machine with answers from a table, and the number of times that each was asked for. */
#define ANSWERS 48
struct scripted {
	struct source source;
	struct fake_answer answers[ANSWERS];
	unsigned asked[ANSWERS], n;
	struct globals opts;
	struct report report;
	struct env env;
};

static inline int scripted_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const char *key = asked_name(q, a);
	struct scripted *m = (struct scripted *)s;

	for (unsigned i = 0; i < m->n; i++) {
		if (strcmp(m->answers[i].key, key))
			continue;
		m->asked[i]++;
		if (m->answers[i].err)
			return m->answers[i].err;
		*ret = (struct blob){ arena_dup(a, m->answers[i].p, m->answers[i].n), m->answers[i].n };
		return 0;
	}
	return -ENODATA;
}

static inline void scripted_leave(struct source *s)
{
}

static inline void scripted_init(struct scripted *m)
{
	static const struct source_ops ops = { .name = "machine", .get = scripted_get, .close = scripted_leave };

	memset(m, 0, sizeof(*m));
	/* The tests have instructions in little-endian byte order. */
	m->source = (struct source){ &ops, .swapped = BIG_HERE };
	m->env.opts = &m->opts;
	m->env.machine = machine_new(&m->source);
	m->env.report = &m->report;
	m->env.arena = arena_new();
	m->env.keep = arena_new();
}

/* A machine from an archive. */
static inline void scripted_saved(struct scripted *m)
{
	static const struct source_ops ops = {
		.name = "archive", .saved = true, .get = scripted_get, .close = scripted_leave
	};

	/* The tests have instructions in little-endian byte order. */
	m->source = (struct source){ &ops, .swapped = BIG_HERE };
}

/* The bytes must stay. A later answer to the same question replaces an earlier one. */
static inline void scripted_says(struct scripted *m, const char *key, int err, const void *p, size_t n)
{
	unsigned i = 0;

	while (i < m->n && strcmp(m->answers[i].key, key))
		i++;
	assert_true(i < ANSWERS);
	m->answers[i] = (struct fake_answer){ key, err, p, n };
	m->asked[i] = 0;
	if (i == m->n)
		m->n++;
}

static inline unsigned scripted_asked(const struct scripted *m, const char *key)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!strcmp(m->answers[i].key, key))
			return m->asked[i];
	return 0;
}

static inline void scripted_end(struct scripted *m)
{
	machine_free(&m->env.machine);
	report_release(&m->report);
	arena_free(m->env.arena);
	arena_free(m->env.keep);
}
