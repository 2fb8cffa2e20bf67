/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/members.h"

#include "types/value/format.h"
#include "types/value/leaves.h"
#include "cli/complete.h"
#include "cli/parse/object.h"
#include "cli/select.h"
#include "map/elem/query.h"
#include "map/elem/walk.h"
#include "source/info.h"
#include "record/field.h"

#define KEYS_MOST 100 /* elements whose keys are offered */

/* In env->keep, members of the key before those of the value. */
struct members {
	struct term *term;
	size_t n, keys;
};

static bool open_map(struct env *env, const struct object_ref *ref, struct walk *ret)
{
	struct abi_map_info *info = arena_alloc(env->keep, sizeof(*info));
	struct err none = { 0 };
	uint32_t id;

	if (!select_example(env, &kind_map, ref, &id) || map_info(env->machine, env->keep, id, info, &none))
		return false;
	walk_init(ret, env, info);
	walk_form(env, info, VALUE_FORMATTED, &ret->form, env->keep, &none);
	return true;
}

/* The first element of a list represents all. */
static bool is_first(const char *path)
{
	for (const char *p = path; (p = strchr(p, '[')); p++)
		if (!str_starts(p, "[0]"))
			return false;
	return true;
}

static void plan_add(struct members *m, struct env *env, const struct value_plan *plan, const char *root)
{
	struct leaves leaves = { 0 };
	struct term *more;

	if (plan)
		leaves_find(&leaves, plan, env->keep);
	more = arena_array(env->keep, m->n + leaves.n, sizeof(*more));
	if (m->n)
		memcpy(more, m->term, m->n * sizeof(*more));
	m->term = more;
	for (size_t i = 0; i < leaves.n; i++)
		if (is_first(leaves.leaf[i].path))
			more[m->n++] = (struct term){ .name = arena_fmt(env->keep, "%s%s", root, leaves.leaf[i].path),
						      .help = root,
						      .is = leaves.leaf[i].number ? TERM_NUMBER : TERM_TEXT };
}

static bool members_find(struct env *env, const struct object_ref *ref, struct members *ret)
{
	struct walk w;

	*ret = (struct members){ 0 };
	if (!open_map(env, ref, &w))
		return false;
	plan_add(ret, env, w.form.key, "key");
	ret->keys = ret->n;
	plan_add(ret, env, w.form.value, "value");
	return ret->n;
}

static bool members_of(struct env *env, const struct arg_list *before, struct members *ret)
{
	struct object_ref ref;
	struct err none = { 0 };

	return parser_ref(env, &kind_map, before, &ref, &none) && members_find(env, &ref, ret);
}

/* The name after "key." or "value."; NULL: not a member. */
static const char *bare(const struct term *t)
{
	const char *name = t->name + strlen(t->help);

	return *name == '.' ? name + 1 : NULL;
}

static bool is_twin(const struct members *m, size_t i)
{
	for (size_t k = i < m->keys ? m->keys : 0, end = i < m->keys ? m->n : m->keys; k < end; k++)
		if (bare(&m->term[k]) && !strcmp(bare(&m->term[k]), bare(&m->term[i])))
			return true;
	return false;
}

/* Short names, unless a full one is being typed. */
static void shorten(struct members *m, const char *typed)
{
	if (*typed && (str_starts("value.", typed) || str_starts("key.", typed) || str_starts(typed, "value") ||
		       str_starts(typed, "key")))
		return;
	for (size_t i = 0; i < m->n; i++)
		if (bare(&m->term[i]) && !is_twin(m, i))
			m->term[i].brief = bare(&m->term[i]);
	for (size_t i = 0; i < m->n; i++)
		if (m->term[i].brief)
			m->term[i].name = m->term[i].brief;
}

void members_offer_filter(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			  void *ctx)
{
	struct members m;

	if (!members_of(env, before, &m))
		return;
	shorten(&m, complete_name(typed));
	complete_terms(env, typed, m.term, m.n, offer, ctx);
}

static void offer_names(struct env *env, const struct members *m, const char *head, const char *tail, arg_offer *offer,
			void *ctx)
{
	for (size_t i = 0; i < m->n; i++)
		offer(ctx, arena_fmt(env->keep, "%s%s%s", head, m->term[i].name, tail), m->term[i].help);
}

void members_offer_sort(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	struct members m;

	if (!members_of(env, before, &m))
		return;
	shorten(&m, typed + (*typed == '-'));
	offer_names(env, &m, *typed == '-' ? "-" : "", "", offer, ctx);
}

void members_offer_path(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	members_offer_sort(env, before, typed, offer, ctx);
}

void members_offer_columns(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			   void *ctx)
{
	const char *comma = strrchr(typed, ','), *one = comma ? comma + 1 : typed + (*typed == '+');
	struct members m;

	if (!members_of(env, before, &m))
		return;
	shorten(&m, one);
	offer_names(env, &m, arena_str(env->keep, typed, (size_t)(one - typed)), "", offer, ctx);
}

/* After "saddr=" the formats that fit the member; all if the map or the member is not known. */
static void offer_formats(struct env *env, const struct arg_list *before, const char *typed, const char *one,
			  arg_offer *offer, void *ctx)
{
	const char *head = arena_str(env->keep, one, strcspn(one, "=") + 1), *text;
	bool fits[FORMATS] = { false }, any = false;
	struct object_ref ref;
	struct err none = { 0 };
	struct walk w;

	if (parser_ref(env, &kind_map, before, &ref, &none) && open_map(env, &ref, &w))
		for (enum format f = FORMAT_NONE + 1; f < FORMATS; f++) {
			struct elem_form form = w.form;

			text = arena_fmt(env->keep, "%s%s", head, format_word(f));
			fits[f] = !query_formats(&form, &(struct arg_list){ &text, 1 }, NULL, env->keep, &none);
			any |= fits[f];
		}
	for (enum format f = FORMAT_NONE + 1; f < FORMATS; f++)
		if (fits[f] || !any)
			offer(ctx, arena_fmt(env->keep, "%.*s%s%s", (int)(one - typed), typed, head, format_word(f)),
			      NULL);
}

void members_offer_format(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			  void *ctx)
{
	const char *comma = strrchr(typed, ','), *one = comma ? comma + 1 : typed;
	struct members m;

	if (strchr(one, '=')) {
		offer_formats(env, before, typed, one, offer, ctx);
		return;
	}
	if (!members_of(env, before, &m))
		return;
	shorten(&m, one);
	if (one == typed)
		offer(ctx, FORMAT_AUTO, "what names of members and types imply");
	offer_names(env, &m, arena_str(env->keep, typed, (size_t)(one - typed)), "=", offer, ctx);
}

void members_offer_assignments(struct env *env, const struct object_ref *map, bool value, arg_offer *offer, void *ctx)
{
	struct members m;

	if (!members_find(env, map, &m))
		return;
	for (size_t i = value ? m.keys : 0; i < (value ? m.n : m.keys); i++)
		if (bare(&m.term[i]))
			offer(ctx, arena_fmt(env->keep, "%s=", bare(&m.term[i])), "a member of it");
}

struct offered_keys {
	struct walk walk;
	const struct value_plan *shown;
	arg_offer *offer;
	void *ctx;
	size_t n;
};

static bool key_offer(void *ctx, const unsigned char *key, int err)
{
	struct offered_keys *k = ctx;
	struct env *env = k->walk.env;
	const char *text;
	size_t n;

	/* As tables show it, which is how words are read. */
	text = elem_value_json(k->shown, key, k->walk.form.key_size, env->keep);
	n = strlen(text);
	/* Text that needs no escapes, and is not like an option, is typed without quotes. */
	if (*text == '"' && !value_keeps_quotes(text) && !strpbrk(text, "\\ "))
		text = arena_str(env->keep, text + 1, n - 2);
	k->offer(k->ctx, text, "an existing key");
	return ++k->n < KEYS_MOST;
}

void members_offer_keys(struct env *env, const struct object_ref *map, arg_offer *offer, void *ctx)
{
	struct offered_keys k = { .offer = offer, .ctx = ctx };
	struct elem_form shown = { .view = VIEW_NAMED };
	struct err none = { 0 };

	if (!open_map(env, map, &k.walk) || !k.walk.form.key_size)
		return;
	if (!k.walk.form.key && elem_is_typed(NULL, k.walk.form.key_size))
		k.walk.form.key = value_plan_untyped(k.walk.form.key_size, k.walk.form.big, env->keep);
	walk_form(env, k.walk.info, VALUE_FORMATTED, &shown, env->keep, &none);
	k.shown = shown.key ? shown.key : k.walk.form.key;
	if (k.walk.form.key && !walk_begin(&k.walk, &none))
		walk_each(&k.walk, key_offer, &k, &none);
}
