/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/attach_offer.h"

#include "base/base.h"
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
