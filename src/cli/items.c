/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/items.h"

#include "base/out.h"
#include "cli/env.h"

void items_begin(struct items *it, struct env *env, bool lines)
{
	*it = (struct items){ .env = env, .lines = env->report->jw ? env->opts->ndjson && !env->report->jw->depth : lines };
	env->report->streamed = env->report->streamed || (env->report->jw && it->lines);
	if (env->report->jw && !it->lines)
		jsonw_array(env->report->jw);
}

struct jsonw *item_begin(struct items *it)
{
	if (!it->lines)
		return it->env->report->jw;
	jsonw_init(&it->line, it->env->report->out, false);
	return &it->line;
}

void item_end(struct items *it)
{
	if (it->lines)
		out_char(it->env->report->out, '\n');
}

void items_end(struct items *it)
{
	if (it->env->report->jw && !it->lines)
		jsonw_end(it->env->report->jw);
}
