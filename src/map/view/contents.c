/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/contents.h"

#include "cli/env.h"
#include "map/elem/state.h"
#include "map/elem/walk.h"
#include "map/map.h"
#include "map/types.h"
#include "map/view/changes.h"
#include "render/jsonw.h"

struct map_contents {
	struct walk walk;
	struct state state;
	struct err why;
	int failed;
};

static bool contents_elem(void *ctx, const unsigned char *key, int err)
{
	struct map_contents *c = ctx;

	if (!err)
		c->failed = state_add(&c->state, key, &c->why);
	return !c->failed;
}

/* An archive without --map-data: it has no contents, and this is not reported. */
static bool is_left_out(struct env *env, const struct map_rec *m)
{
	ARENA_SCOPE(env->arena);
	struct blob b;
	const int err = machine_is_saved(env->machine) ?
				ask_silently(env->machine, env->arena, &b, Q_MAP_ELEMS, m->info.id, .text = "start") :
				0;

	return err == -ENODATA;
}

/* False: the map has no contents to compare, which is not an error, or they cannot be read, which is reported. */
static bool contents_read(struct map_contents *c, struct env *env, const struct map_rec *m)
{
	ARENA_SCOPE(env->arena);
	int err;

	walk_init(&c->walk, env, &m->info);
	walk_types(&c->walk, VALUE_FORMATTED, env->keep);
	state_init(&c->state, c->walk.form.key_size, (size_t)elem_value_bytes(&c->walk.form));
	err = walk_begin(&c->walk, &c->why);
	if (!err)
		err = walk_each(&c->walk, contents_elem, c, &c->why);
	err = err ? err : c->failed;
	if (err && err != -ENODATA && err != -ENOENT)
		report_unread(env->report, &c->why);
	return !err;
}

struct report_to {
	const struct elem_form *form;
	struct leaves leaves;
	struct arena *arena;
	content_changed *fn;
	void *ctx;
};

static void members_put(const struct report_to *to, const struct change *c, const char *key)
{
	const unsigned char *old = c->old + to->form->key_size, *now = c->elem + to->form->key_size;

	for (size_t i = 0; i < to->leaves.n; i++) {
		const struct leaf *l = &to->leaves.leaf[i];
		const size_t n = to->form->value_size;

		if (!leaf_equal(l, old, now, n))
			to->fn(to->ctx, &(struct content_change){ key, *l->path ? l->path : NULL,
								  elem_value_json(l->plan, old, n, to->arena),
								  elem_value_json(l->plan, now, n, to->arena) });
	}
}

static uint32_t inner(const struct elem_form *f, const unsigned char *elem)
{
	if (!elem || !(f->flags & MAP_OF_MAPS) || f->value_size != sizeof(uint32_t))
		return 0;
	return elem_u32(f, elem + f->key_size);
}

static void whole_put(const struct report_to *to, const struct change *c, const char *key)
{
	const unsigned char *old = c->kind == CHANGE_NEW ? NULL :
				   c->old		 ? c->old :
							   c->elem,
			    *now = c->kind == CHANGE_GONE ? NULL : c->elem;

	to->fn(to->ctx, &(struct content_change){
				.key = key,
				.before = old ? elem_values_json(to->form, old + to->form->key_size, to->arena) : NULL,
				.after = now ? elem_values_json(to->form, now + to->form->key_size, to->arena) : NULL,
				.old_map = inner(to->form, old),
				.new_map = inner(to->form, now),
			});
}

static void change_put(const struct report_to *to, const struct change *c)
{
	const char *key = elem_value_json(to->form->key, c->elem, to->form->key_size, to->arena);

	if (c->kind == CHANGE_VALUE && to->leaves.n)
		members_put(to, c, key);
	else
		whole_put(to, c, key);
}

static void changes_report(const struct map_contents *a, const struct map_contents *b, content_changed *fn, void *ctx)
{
	struct env *env = b->walk.env;
	struct report_to to = { .form = &b->walk.form, .arena = env->arena, .fn = fn, .ctx = ctx };
	struct changes changes = { 0 };

	if (to.form->value && !to.form->cpus)
		leaves_find(&to.leaves, to.form->value, env->keep);
	changes_find(&changes, &a->state, &b->state, &to.leaves);
	for (size_t i = 0; i < changes.n; i++) {
		ARENA_SCOPE(env->arena);

		change_put(&to, &changes.change[i]);
	}
	changes_release(&changes);
}

void map_contents_compare(struct env *old, const struct map_rec *a, struct env *now, const struct map_rec *b,
			  content_changed *fn, void *ctx)
{
	struct map_contents of_a = { 0 }, of_b = { 0 };
	struct err why = { 0 };

	if (map_type(a->info.type)->flags & MAP_FILES || a->info.type == ABI_MAP_STRUCT_OPS)
		return;
	if (is_left_out(old, a) || is_left_out(now, b))
		return;
	if (map_can(a->info.id, a->info.type, VERB_WATCH, &why) || map_can(b->info.id, b->info.type, VERB_WATCH, &why))
		return;
	if (contents_read(&of_a, old, a) && contents_read(&of_b, now, b) &&
	    of_a.state.key_size == of_b.state.key_size && of_a.state.stride == of_b.state.stride)
		changes_report(&of_a, &of_b, fn, ctx);
	state_release(&of_a.state);
	state_release(&of_b.state);
}
