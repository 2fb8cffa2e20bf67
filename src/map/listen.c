/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/listen.h"

#include "base/err.h"
#include "base/out.h"
#include "map/elem/near.h"
#include "render/jsonw.h"
#include "render/render.h"

int listen_begin(struct listen *l, struct env *env, uint32_t map_id, uint32_t map_btf, const struct listen_opts *o, struct err *e)
{
	int err;

	*l = (struct listen){ .env = env, .count = o->count };
	err = map_type_plan(env, map_id, map_btf, o->type, &o->from, &l->plan, &l->size, e);
	if (!err)
		items_begin(&l->items, env, false);
	return err;
}

static void data_plain(const struct listen *l, const struct value_plan *plan, const unsigned char *p, size_t n)
{
	struct jsonw plain;

	if (plan) {
		jsonw_init(&plain, l->env->report->out, true);
		value_print(plan, &plain, p, l->size);
	} else {
		out_hex(l->env->report->out, p, n);
	}
	out_char(l->env->report->out, '\n');
}

static void data_json(const struct listen *l, struct jsonw *w, const struct value_plan *plan, const unsigned char *p, size_t n)
{
	jsonw_name(w, "data");
	jsonw_array(w);
	for (size_t i = 0; i < n; i++)
		jsonw_uint(w, p[i]);
	jsonw_end(w);
	if (plan) {
		jsonw_name(w, "formatted");
		value_print(plan, w, p, l->size);
	}
}

void listen_record(struct listen *l, const struct schema *schema, const void *head, const unsigned char *data, size_t n)
{
	const struct value_plan *plan = n >= l->size ? l->plan : NULL;
	struct jsonw *w = item_begin(&l->items);

	if (w) {
		jsonw_object(w);
		render_json_fields(w, schema, head, 0, &l->env->report->unread);
		if (data)
			data_json(l, w, plan, data, n);
		jsonw_end(w);
	} else {
		render_plain_headline(l->env->report->out, schema, head);
		out_char(l->env->report->out, '\n');
		if (data)
			data_plain(l, plan, data, n);
	}
	l->told++;
	item_end(&l->items);
}

bool listen_done(const struct listen *l)
{
	return (l->count && l->told >= l->count) || out_dead(l->env->report->out);
}

bool listen_flush(struct listen *l)
{
	out_flush(l->env->report->out);
	return listen_done(l);
}

void listen_end(struct listen *l)
{
	items_end(&l->items);
}
