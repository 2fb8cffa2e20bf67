/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/listen.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "btf/btf.h"
#include "btf/source.h"
#include "cli/select.h"
#include "prog/prog.h"

static bool uses(const struct prog_rec *p, uint32_t map)
{
	uint32_t i;

	for (i = 0; i < p->nmap_ids && p->map_ids[i] != map; i++)
		;
	return i < p->nmap_ids;
}

static bool has_type(struct env *env, uint32_t btf, const char *name, const struct btf_types **ret, const uint32_t **ids)
{
	struct err why = { 0 };
	size_t n;

	return btf && !btf_get(env, btf, ret, &why) && !btf_types_named(env, *ret, name, ids, &n, &why);
}

/* In the BTF of the map, or of the first program that uses it and has the type. */
static int type_near(struct env *env, uint32_t map, uint32_t map_btf, const char *name, const struct btf_types **ret,
		     const uint32_t **ids, struct err *e)
{
	const uint32_t *progs;
	size_t n, i;
	int err;

	if (has_type(env, map_btf, name, ret, ids))
		return 0;
	err = select_all(env, &kind_prog, &progs, &n, e);
	for (i = 0; !err && i < n; i++) {
		size_t mark = arena_mark(env->arena);
		struct prog_rec *p = arena_alloc(env->arena, sizeof(*p));
		uint32_t btf = !prog_read(env, progs[i], 0, p, NULL) && uses(p, map) ? p->info.btf_id : 0;

		arena_rewind(env->arena, mark);
		if (has_type(env, btf, name, ret, ids))
			return 0;
	}
	if (err)
		return err;
	err_set(e, -ENOENT, "no program that uses map %u has a type '%s'", map, name);
	return err_hint(e, "say where the type is: from prog PROG, or from file PATH");
}

static int type_find(struct listen *l, uint32_t map, uint32_t map_btf, const struct listen_opts *o, struct err *e)
{
	const struct btf_types *t;
	struct env *env = l->env;
	const uint32_t *ids;
	int err = 0;
	size_t n;

	if (o->from.by == SOURCE_NONE)
		err = type_near(env, map, map_btf, o->type, &t, &ids, e);
	else if (!(err = btf_source_get(env, &o->from, &t, e)))
		err = btf_types_named(env, t, o->type, &ids, &n, e);
	if (err)
		return err;
	if (btf_size(t, ids[0], &l->size) || !l->size)
		return err_set(e, -EINVAL, "records cannot be of type '%s': it has no size", o->type);
	l->plan = value_plan(t, ids[0], env->jw ? VALUE_FORMATTED : VALUE_TYPED, env->keep);
	return 0;
}

int listen_begin(struct listen *l, struct env *env, uint32_t map_id, uint32_t map_btf, const struct listen_opts *o, struct err *e)
{
	int err = 0;

	*l = (struct listen){ .env = env, .count = o->count };
	if (o->from.by != SOURCE_NONE && !o->type)
		return err_usage(e, "'from' says where a type is: give its name with 'type'");
	if (o->type)
		err = type_find(l, map_id, map_btf, o, e);
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
		jsonw_init(&plain, l->env->out, true);
		value_print(plan, &plain, p, l->size);
	} else if (!l->jw) {
		out_hex(l->env->out, p, n);
	}
	if (!l->jw) {
		out_char(l->env->out, '\n');
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
	return (l->count && l->told >= l->count) || out_dead(l->env->out);
}

bool listen_flush(struct listen *l)
{
	out_flush(l->env->out);
	return listen_done(l);
}

void listen_end(struct listen *l)
{
	items_end(&l->items);
}
