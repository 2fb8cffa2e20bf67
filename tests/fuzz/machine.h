/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "cli/env.h"
#include "source/facts.h"
#include "source/machine.h"
#include "../unit/keys.h"

/* A machine with wrong answers: the answers to @keys are from the input; other questions are refused. */
#define MACHINE_KEYS 16
struct scripted {
	struct source source;
	struct report report;
	const char *const *keys;
	size_t nkeys;
	bool saved; /* it is an archive */
	struct blob answer[MACHINE_KEYS];
	/* Fixed answers, or -ENODATA. */
	int (*other)(const char *key, struct blob *ret);
};

static inline int scripted_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const char *key = asked_name(q, a);
	const struct scripted *m = (const struct scripted *)s;

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

static inline void scripted_leave(struct source *s)
{
}

/* Answers: two bytes of length before each. The rest of the input stays in *data and *size. */
static inline void scripted_open(struct scripted *m, struct env *env, const uint8_t **data, size_t *size)
{
	static const struct source_ops ops[] = {
		{ .name = "fuzz", .get = scripted_get, .close = scripted_leave },
		{ .name = "fuzz", .saved = true, .get = scripted_get, .close = scripted_leave },
	};

	if (m->nkeys > MACHINE_KEYS)
		abort();
	m->source.ops = &ops[m->saved];
	for (size_t i = 0; i < m->nkeys && *size >= 2; i++) {
		size_t n = (*data)[0] | (size_t)(*data)[1] << 8;

		*data += 2;
		*size -= 2;
		n = n < *size ? n : *size;
		m->answer[i] = (struct blob){ *data, n };
		*data += n;
		*size -= n;
	}
	env->machine = machine_new(&m->source);
	env->report = &m->report;
	env->arena = arena_new();
	env->keep = arena_new();
}

static inline void scripted_close(struct env *env)
{
	machine_free(&env->machine);
	arena_free(env->arena);
	arena_free(env->keep);
}
