/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/walk.h"

#include "types/btf.h"
#include "cli/env.h"
#include "map/map.h"

int walk_again(const struct env *env, const char *word, struct err *e)
{
	if (!env->opts->from)
		return 0;
	return err_usage(e, "%s shows changes, and there are none in %s", word, env->opts->from);
}

bool walk_has_types(const struct abi_map_info *info)
{
	return info->btf_vmlinux_value_type_id || (info->btf_id && (info->btf_key_type_id || info->btf_value_type_id));
}

int walk_btf(struct env *env, const struct abi_map_info *info, const struct btf_types **ret, struct err *e)
{
	if (!info->btf_vmlinux_value_type_id)
		return btf_get(env->machine, info->btf_id, ret, e);
	return info->btf_vmlinux_id ? btf_get(env->machine, info->btf_vmlinux_id, ret, e) :
				      btf_get_vmlinux(env->machine, ret, NULL, e);
}

void walk_init(struct walk *w, struct env *env, const struct abi_map_info *info)
{
	*w = (struct walk){ .env = env, .info = info };
	elem_form_ask(&w->form, info, env->machine);
}

int walk_form(struct env *env, const struct abi_map_info *info, enum value_form form, struct elem_form *ret,
	      struct arena *a, struct err *e)
{
	bool kernel = info->btf_vmlinux_value_type_id;
	uint32_t key = kernel ? 0 : info->btf_key_type_id,
		 value = kernel ? info->btf_vmlinux_value_type_id : info->btf_value_type_id;
	const struct btf_types *t;
	int err;

	if (!walk_has_types(info))
		return 0;
	err = walk_btf(env, info, &t, e);
	if (!err)
		err = btf_whole_for(t, key > value ? key : value, e);
	if (!err)
		elem_form_types(ret, t, key, value, form, env->machine, a);
	return err;
}

void walk_types(struct walk *w, enum value_form form, struct arena *a)
{
	struct err why = { 0 };

	if (walk_form(w->env, w->info, form, &w->form, a, &why))
		report_unread(w->env->report, &why);
}

static int batch_get(struct walk *w, struct err *e)
{
	uint64_t bytes = elem_value_bytes(&w->form);
	uint32_t id = w->info->id;
	int err;

	arena_clear(w->arena);
	err = bytes > UINT32_MAX ?
		      -EBADMSG :
		      elems_get(w->env->machine, w->arena, id, w->form.key_size, (uint32_t)bytes, &w->batch);
	if (err)
		return map_elems_error(id, err, e);
	w->flags |= w->batch.head.flags;
	return 0;
}

int walk_begin(struct walk *w, struct err *e)
{
	int err = elem_form_check(&w->form, w->info->id, e);

	w->arena = arena_within(w->env->arena);
	return err ? err : batch_get(w, e);
}

/* A dump is not a snapshot: a note reports changes of the map. */
static void walk_change_report(const struct walk *w)
{
	struct env *env = w->env;
	struct err why = { 0 };

	if (w->flags & ELEMS_CUT) {
		err_set(&why, -EAGAIN, "map %u changes faster than it can be read; elements are missing", w->info->id);
		report_unread(env->report, &why);
	} else if (w->flags & ELEMS_CHANGED && !env->report->note[0]) {
		str_fit(env->report->note, sizeof(env->report->note),
			"map %u changed while it was read; elements that came or went meanwhile may "
			"be missing",
			w->info->id);
	}
}

static bool batch_pass(struct walk *w, walk_fn *fn, void *ctx)
{
	const unsigned char *p = w->batch.elems;
	ARENA_SCOPE(w->env->arena);

	for (uint32_t i = 0; i < w->batch.head.count; i++, p += w->batch.stride) {
		int err = elems_err(p);

		err = err > 0 || err < -4095 ? -EBADMSG : err;
		if (!elem_skipped(&w->form, err) && !fn(ctx, elems_key(p), err))
			return false;
	}
	return true;
}

int walk_each(struct walk *w, walk_fn *fn, void *ctx, struct err *e)
{
	while (batch_pass(w, fn, ctx)) {
		int err;

		if (!*w->batch.cursor || out_dead(w->env->report->out)) {
			walk_change_report(w);
			return 0;
		}
		err = batch_get(w, e);
		if (err)
			return err;
	}
	return 0;
}
