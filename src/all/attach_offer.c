/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/attach_offer.h"

#include "base/near.h"
#include "all/ls.h"
#include "cli/parse/object.h"
#include "cli/place.h"
#include "cli/select.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "record/field.h"

/* The type of the program that the line begins with; 0: unknown. */
static uint32_t prog_type(struct env *env, const struct arg_list *before)
{
	struct object_ref ref;
	struct err none = { 0 };
	uint32_t id;
	int value;

	if (!parser_ref(env, &kind_prog, before, &ref, &none) || !select_example(env, &kind_prog, &ref, &id))
		return 0;
	value = names_value(&names_prog_type, kind_label(env, &kind_prog, id).type);
	return value > 0 ? (uint32_t)value : 0;
}

/* Hooks of the first place that WHERE can be a name of. */
void attach_offer_what(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const char *where = before->n ? before->word[before->n - 1] : NULL;
	uint32_t type = prog_type(env, before);
	unsigned at = 0;

	for (const struct place *const *p = places; *p && !(where && at); p++) {
		if (!(*p)->attach)
			continue;
		at = where && (*p)->hooks_at ? (*p)->hooks_at(env, where) : (*p)->hooks;
		for (const struct hook *h = NULL; (h = hook_next(h, at));)
			if (!type || hook_takes(h, type))
				offer(ctx, h->word, (*p)->help);
	}
}

/* Places that cannot list themselves, such as slots of maps: those where a program of this type is attached. */
static void offer_others(struct env *env, uint32_t type, arg_offer *offer, void *ctx)
{
	struct records recs = { .s = &ls_schema };
	struct err none = { 0 };

	if (ls_list(env, &recs, &none))
		return;
	for (size_t i = 0; i < recs.n; i++) {
		const struct ls_rec *r = ls_at(&recs, i);

		for (const struct place *const *p = places; *p; p++) {
			const struct hook *h = (*p)->attach && !(*p)->offer && !strcmp((*p)->name, r->place) ?
						       hook_find(r->a.what, (*p)->hooks) :
						       NULL;

			if (h && (!type || hook_takes(h, type)) &&
			    (!i || strcmp(ls_at(&recs, i - 1)->a.where, r->a.where) != 0))
				offer(ctx, r->a.where, r->a.what);
		}
	}
}

void attach_offer_where(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	uint32_t type = prog_type(env, before);

	for (const struct place *const *p = places; *p; p++)
		if ((*p)->attach && (*p)->offer && (!type || hook_any_takes((*p)->hooks, type)))
			(*p)->offer(env, type, typed, offer, ctx);
	offer_others(env, type, offer, ctx);
}

/* Each place once, with its first hook. */
void ls_offer_places(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	struct records recs = { .s = &ls_schema };
	struct err why = { 0 };

	if (ls_list(env, &recs, &why))
		return;
	for (size_t i = 0; i < recs.n; i++) {
		const struct ls_rec *r = ls_at(&recs, i);

		if (!i || strcmp(ls_at(&recs, i - 1)->a.where, r->a.where) != 0)
			offer(ctx, r->a.where, r->a.what);
		/* There may be thousands. */
		for (uint32_t k = 0; *typed && k < r->a.nfuncs; k++)
			if (str_starts(r->a.funcs[k], typed))
				offer(ctx, r->a.funcs[k], r->a.what);
	}
}

/* The hooks in use at the named place, each once. */
void detach_offer_what(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	struct records recs = { .s = &ls_schema };
	struct err why = { 0 };
	const char *last = NULL;

	if (!before->n || ls_list(env, &recs, &why))
		return;
	for (size_t i = 0; i < recs.n; i++) {
		const struct attachment *a = &ls_at(&recs, i)->a;

		if (!attachment_is_at(a, before->word[before->n - 1]) || (last && !strcmp(last, a->what)))
			continue;
		offer(ctx, a->what, NULL);
		last = a->what;
	}
}

/* Ids of the programs attached there. */
void detach_offer_prog(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	struct records recs = { .s = &ls_schema, .need = NEED_PROG };
	struct err why = { 0 };

	if (!before->n || ls_list(env, &recs, &why))
		return;
	ls_describe(env, &recs);
	for (size_t i = 0; i < recs.n; i++) {
		const struct ls_rec *r = ls_at(&recs, i);

		if (r->a.prog_id && !strcmp(r->a.where, before->word[0]))
			offer(ctx, arena_fmt(env->keep, "%u", r->a.prog_id),
			      arena_fmt(env->keep, "%s %s", r->name ? r->name : "", r->a.what));
	}
}

/* Places, and names of the programs attached there. */
void detach_offer_where(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	struct records recs = { .s = &ls_schema, .need = NEED_PROG };
	struct err why = { 0 };

	ls_offer_places(env, before, typed, offer, ctx);
	if (!*typed || ls_list(env, &recs, &why))
		return;
	ls_describe(env, &recs);
	for (size_t i = 0; i < recs.n; i++) {
		const struct ls_rec *r = ls_at(&recs, i);

		if (r->a.prog_id && r->name && *r->name)
			offer(ctx, r->name, arena_fmt(env->keep, "%s %s", r->a.where, r->a.what));
	}
}

struct where_near {
	struct env *env;
	const char *where;
	struct near near;
	bool there;
};

static void near_where_offer(void *ctx, const char *word, const char *help)
{
	struct where_near *m = ctx;

	m->there = m->there || !strcmp(word, m->where);
	near_offer(&m->near, m->where, arena_str(m->env->keep, word, SIZE_MAX));
}

/* All that completion offers, and what it offers after all letters but the last: many places are offered only then. */
static void offer_near(struct where_near *m, const struct place *p, const struct hook *h)
{
	size_t n = strlen(m->where);

	p->offer(m->env, h->progs[0], "", near_where_offer, m);
	if (n > 1)
		p->offer(m->env, h->progs[0], arena_str(m->env->keep, m->where, n - 1), near_where_offer, m);
}

static bool of_devices(const struct hook *h)
{
	return h->kind == HOOK_XDP || h->kind == HOOK_MPROG || h->kind == HOOK_TC;
}

bool attach_where_missing(struct env *env, const char *where, const char *what, struct err *e)
{
	struct where_near m = { .env = env, .where = where };
	bool sorts = false, devices = true;

	for (const struct place *const *p = places; *p; p++) {
		const struct hook *h = what && (*p)->attach ? hook_find(what, (*p)->hooks) : NULL;

		if (!h || !(*p)->hooks_at)
			continue;
		if ((*p)->hooks_at(env, where))
			return false;
		sorts = true;
		devices = devices && of_devices(h);
		if ((*p)->offer)
			offer_near(&m, *p, h);
	}
	if (!sorts || m.there)
		return false;
	if (devices)
		err_set(e, -ENOENT, "no network device %s", where);
	else
		err_set(e, -ENOENT, "no place %s with a hook %s", where, what);
	near_hint(&m.near, e);
	return true;
}
