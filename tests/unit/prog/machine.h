/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_PROG_MACHINE_H
#define TESTS_UNIT_PROG_MACHINE_H

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "btf/btf.h"
#include "cli/env.h"
#include "source/facts.h"
#include "source/source.h"

/* A machine whose answers are a table, and how often it was asked for each. */
#define ANSWERS 48
struct machine {
	struct source source;
	struct fake_answer answers[ANSWERS];
	unsigned asked[ANSWERS], n;
	struct globals opts;
	struct env env;
};

static inline int machine_get(struct source *s, const char *key, struct arena *a, struct blob *ret)
{
	struct machine *m = (struct machine *)s;

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

static inline void machine_init(struct machine *m)
{
	static const struct source_ops ops = { .name = "machine", .get = machine_get };

	memset(m, 0, sizeof(*m));
	m->source.ops = &ops;
	m->env.opts = &m->opts;
	m->env.src = &m->source;
	m->env.facts = facts_new(&m->source);
	m->env.btfs = btf_cache_new();
	m->env.arena = arena_new();
	m->env.keep = arena_new();
}

/* The bytes must stay. A later answer to the same question replaces an earlier one. */
static inline void machine_says(struct machine *m, const char *key, int err, const void *p, size_t n)
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

static inline unsigned machine_asked(const struct machine *m, const char *key)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!strcmp(m->answers[i].key, key))
			return m->asked[i];
	return 0;
}

static inline void machine_end(struct machine *m)
{
	facts_free(m->env.facts);
	btf_cache_free(m->env.btfs);
	arena_free(m->env.arena);
	arena_free(m->env.keep);
}

#endif
