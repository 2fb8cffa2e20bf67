/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/items.h"

#include "base/out.h"
#include "cli/env.h"

void items_begin(struct items *it, struct env *env, bool lines)
{
	*it = (struct items){ .env = env, .lines = env->jw ? env->opts->ndjson && !env->jw->depth : lines };
	env->streamed = env->streamed || (env->jw && it->lines);
	if (env->jw && !it->lines)
		jsonw_array(env->jw);
}

struct jsonw *item_begin(struct items *it)
{
	if (!it->lines)
		return it->env->jw;
	jsonw_init(&it->line, it->env->out, false);
	return &it->line;
}

void item_end(struct items *it)
{
	if (it->lines)
		out_char(it->env->out, '\n');
}

void items_end(struct items *it)
{
	if (it->env->jw && !it->lines)
		jsonw_end(it->env->jw);
}
