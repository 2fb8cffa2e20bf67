/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "btf/btf.h"
#include "btf/files.h"
#include "source/facts.h"
#include "source/source.h"

void env_init(struct env *env, const struct globals *opts, struct out *out, struct jsonw *jw)
{
	*env = (struct env){ .opts = opts, .out = out, .jw = jw, .arena = arena_new(), .keep = arena_new() };
}

/* What is missing cannot be told from what never was there, so say it for all. */
static void note_cut(struct env *env)
{
	uint64_t answers;
	const char *why;

	if (source_archive_cut(env->src, &answers, &why))
		snprintf(env->note, sizeof(env->note), "%.60s ends too early, after %llu answers: what came later is missing here",
			 env->opts->from, (unsigned long long)answers);
}

int env_open(struct env *env, struct err *e)
{
	struct source *s;
	int err;

	/* Few commands need it, but a slip in the option must not pass unnoticed. */
	if (env->opts->base_btf && !env->btfs) {
		BTF_FILES base = { 0 };

		err = btf_base_read(&base, env->opts->base_btf, e);
		if (err)
			return err;
	}
	if (!env->src) {
		err = env->opts->from ? source_archive(&s, env->opts->from, e) : source_live(&s, env->opts->debug, e);
		if (err)
			return err;
		env->src = s;
		note_cut(env);
	}
	if (!env->facts)
		env->facts = facts_new(env->src);
	if (!env->btfs)
		env->btfs = btf_cache_new();
	return 0;
}

void env_close(struct env *env)
{
	if (!env->borrowed) {
		btf_cache_free(env->btfs);
		facts_free(env->facts);
		source_close(&env->src);
	}
	arena_free(env->arena);
	arena_free(env->keep);
	env->btfs = NULL;
	env->facts = NULL;
	env->src = NULL;
	env->arena = env->keep = NULL;
}
