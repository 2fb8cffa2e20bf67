/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/listen.h"

#include "base/err.h"
#include "base/out.h"
#include "map/elem/near.h"

int listen_begin(struct listen *l, struct env *env, uint32_t map_id, uint32_t map_btf, const struct listen_opts *o, struct err *e)
{
	int err;

	*l = (struct listen){ .env = env, .count = o->count };
	err = map_type_plan(env, map_id, map_btf, o->type, &o->from, &l->plan, &l->size, e);
	if (!err)
		items_begin(&l->items, env, false);
	return err;
}

void listen_record(struct listen *l)
{
	l->jw = item_begin(&l->items);
	if (l->jw)
		jsonw_object(l->jw);
}

void listen_record_end(struct listen *l)
{
	l->told++;
	if (l->jw)
		jsonw_end(l->jw);
	item_end(&l->items);
}

void listen_data(struct listen *l, const unsigned char *p, size_t n)
{
	const struct value_plan *plan = n >= l->size ? l->plan : NULL;
	struct jsonw plain;
	size_t i;

	if (!l->jw && plan) {
		jsonw_init(&plain, l->env->report->out, true);
		value_print(plan, &plain, p, l->size);
	} else if (!l->jw) {
		out_hex(l->env->report->out, p, n);
	}
	if (!l->jw) {
		out_char(l->env->report->out, '\n');
		return;
	}
	jsonw_name(l->jw, "data");
	jsonw_array(l->jw);
	for (i = 0; i < n; i++)
		jsonw_uint(l->jw, p[i]);
	jsonw_end(l->jw);
	if (plan) {
		jsonw_name(l->jw, "formatted");
		value_print(plan, l->jw, p, l->size);
	}
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
