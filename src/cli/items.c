/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/items.h"

#include "base/out.h"
#include "cli/env.h"
#include "render/render.h"

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

void item_record(struct items *it, const struct schema *s, const void *rec)
{
	struct jsonw *w = item_begin(it);

	jsonw_object(w);
	render_json_fields(w, s, rec, 0, &it->env->report->unread);
	jsonw_end(w);
	item_end(it);
}

void items_end(struct items *it)
{
	if (it->env->report->jw && !it->lines)
		jsonw_end(it->env->report->jw);
}
