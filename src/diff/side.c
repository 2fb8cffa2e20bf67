/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/side.h"

#include "all/ls.h"
#include "diff/fields.h"
#include "source/facts.h"

const struct diff_item *side_find(const struct side *s, enum object_kind kind, uint32_t id)
{
	const struct diff_items *l = &s->of[kind];
	const size_t at = ARRAY_LOWER(l->n, i, l->v[i].id < id);

	return at < l->n && l->v[at].id == id ? &l->v[at] : NULL;
}

static struct diff_item *item_find(struct side *s, enum object_kind kind, uint32_t id)
{
	return (struct diff_item *)(uintptr_t)side_find(s, kind, id);
}

/* Joins the words; they are sorted. */
static const char *words_join(struct env *env, const char **words, size_t n)
{
	STR text = { 0 };

	if (n)
		qsort(words, n, sizeof(*words), str_order);
	for (size_t i = 0; i < n; i++)
		str_fmt(&text, "%s%s", i ? ", " : "", words[i]);
	return text.n ? arena_str(env->keep, text.p, text.n) : "";
}

static void side_pins_read(struct side *s, struct diff_item *o)
{
	uint32_t n;
	const char *const *pins = facts_pins(s->env->machine, o->kind->object, o->id, &n);
	const char **words = arena_array(s->env->keep, n, sizeof(*words));

	for (uint32_t i = 0; i < n; i++)
		words[i] = pins[i];
	o->pins = words_join(s->env, words, n);
}

/* Replaces numbers, which differ between machines: "map:12[3]", "prog:7:func", "4026532177:eth0", "pid:12:fd:3". */
static const char *place_name(struct side *s, const struct attachment *a)
{
	static const struct {
		const char *before;
		enum object_kind kind;
	} of[] = { { "map:", OBJECT_MAP }, { "prog:", OBJECT_PROG } };
	struct arena *keep = s->env->keep;
	const char *p = a->where;
	char *end;

	for (size_t i = 0; i < 2; i++) {
		const size_t n = strlen(of[i].before);
		const struct diff_item *o = NULL;

		if (!str_starts(p, of[i].before) || !isdigit((unsigned char)p[n]))
			continue;
		o = side_find(s, of[i].kind, (uint32_t)strtoul(p + n, &end, 10));
		return o && *o->name ? arena_fmt(keep, "%s%s%s %s", of[i].before, o->name, end, a->what) :
				       arena_fmt(keep, "%s?%s %s", of[i].before, end, a->what);
	}
	if (str_starts(p, "pid:"))
		return a->what;
	if (a->netns_ino && isdigit((unsigned char)*p) && strtoull(p, &end, 10) == a->netns_ino && *end == ':')
		return arena_fmt(keep, "(unnamed network namespace)%s %s", end, a->what);
	return arena_fmt(keep, "%s %s", p, a->what);
}

struct side_places {
	const char **word;
	struct diff_item **of;
	size_t n;
};

/* The owner of an attachment: its link, or else its program, or the map of a table of operations. */
static struct diff_item *place_owner(struct side *s, const struct attachment *a)
{
	return a->link_id ? item_find(s, OBJECT_LINK, a->link_id) :
	       a->prog_id ? item_find(s, OBJECT_PROG, a->prog_id) :
	       a->map_id  ? item_find(s, OBJECT_MAP, a->map_id) :
			    NULL;
}

static int by_item(const void *pa, const void *pb)
{
	const struct {
		const char *word;
		struct diff_item *of;
	} *a = pa, *b = pb;

	return NUM_CMP(a->of, b->of) ?: strcmp(a->word, b->word);
}

/* Objects and answers; not what a note says. */
static size_t missing_count(const struct env *env)
{
	return env->report->unread + machine_refusals(env->machine) - machine_unseens(env->machine);
}

static void places_read(struct side *s)
{
	struct records recs = { .s = &ls_schema };
	struct {
		const char *word;
		struct diff_item *of;
	} * place;
	struct err why = { 0 };
	const size_t missing = missing_count(s->env);
	const char **words;
	size_t n = 0;

	if (ls_list(s->env, &recs, &why))
		report_unread(s->env->report, &why);
	s->places_unknown = missing_count(s->env) > missing;
	place = arena_array(s->env->keep, recs.n, sizeof(*place));
	words = arena_array(s->env->keep, recs.n, sizeof(*words));
	for (size_t i = 0; i < recs.n; i++) {
		place[n].of = place_owner(s, &ls_at(&recs, i)->a);
		place[n].word = place_name(s, &ls_at(&recs, i)->a);
		n += place[n].of != NULL;
	}
	if (n)
		qsort(place, n, sizeof(*place), by_item);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && place[end].of == place[i].of; end++)
			words[end - i] = place[end].word;
		place[i].of->places = words_join(s->env, words, end - i);
	}
}

/* The objects with the fields that are compared. */
static int items_read(struct side *s, bool counters, struct err *e)
{
	struct diff_item *o;
	int err;

	for (size_t i = 0; kinds[i]; i++)
		s->all.need[kinds[i]->object] = fields_need(kinds[i], counters);
	err = inventory_read(s->env, false, &s->all, e);
	o = arena_array(s->env->keep, s->all.n, sizeof(*o));
	for (size_t i = 0; i < s->all.n; i++) {
		const struct item *it = &s->all.v[i];
		struct diff_items *l = &s->of[it->kind->object];

		if (!it->rec)
			continue;
		l->v = l->n++ ? l->v : o;
		*o++ = (struct diff_item){ it->kind, it->id, it->rec, it->label.type, it->label.name, it->label.tag, "",
					   "",	     "",     NULL };
	}
	return err;
}

int side_read(struct side *s, struct env *env, bool counters, struct err *e)
{
	int err;

	*s = (struct side){ .env = env, .asked_at = facts_asked_at(env->machine) };
	err = items_read(s, counters, e);
	if (err)
		return machine_is_saved(env->machine) ?
			       err_hint(e, "the user who wrote the file was not allowed to list objects") :
			       err;
	places_read(s);
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		for (size_t k = 0; k < s->of[i].n; k++)
			side_pins_read(s, &s->of[i].v[k]);
	fields_name(s);
	return 0;
}
