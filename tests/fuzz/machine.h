/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FUZZ_MACHINE_H
#define TESTS_FUZZ_MACHINE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "btf/btf.h"
#include "cli/env.h"
#include "source/facts.h"
#include "source/source.h"

/* A machine that lies: the answers to @keys come from the input, what it gives none for is refused. */
#define MACHINE_KEYS 16
struct machine {
	struct source source;
	const char *const *keys;
	size_t nkeys;
	struct blob answer[MACHINE_KEYS];
	/* Answers that are ours, or -ENODATA. */
	int (*other)(const char *key, struct blob *ret);
};

static inline int machine_get(struct source *s, const char *key, struct arena *a, struct blob *ret)
{
	const struct machine *m = (const struct machine *)s;

	for (size_t i = 0; i < m->nkeys; i++) {
		if (strcmp(key, m->keys[i]))
			continue;
		if (!m->answer[i].n)
			return -EPERM;
		*ret = (struct blob){ arena_dup(a, m->answer[i].p, m->answer[i].n), m->answer[i].n };
		return 0;
	}
	return m->other(key, ret);
}

/* Answers: two bytes of length before each. What is behind the last stays in *data and *size. */
static inline void machine_open(struct machine *m, struct env *env, const uint8_t **data, size_t *size)
{
	static const struct source_ops ops = { .name = "fuzz", .get = machine_get };

	if (m->nkeys > MACHINE_KEYS)
		abort();
	m->source.ops = &ops;
	for (size_t i = 0; i < m->nkeys && *size >= 2; i++) {
		size_t n = (*data)[0] | (size_t)(*data)[1] << 8;

		*data += 2;
		*size -= 2;
		n = n < *size ? n : *size;
		m->answer[i] = (struct blob){ *data, n };
		*data += n;
		*size -= n;
	}
	env->src = &m->source;
	env->facts = facts_new(env->src);
	env->btfs = btf_cache_new();
	env->arena = arena_new();
	env->keep = arena_new();
}

static inline void machine_close(struct env *env)
{
	facts_free(env->facts);
	btf_cache_free(env->btfs);
	arena_free(env->arena);
	arena_free(env->keep);
}

#endif
