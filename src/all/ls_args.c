/* SPDX-License-Identifier: BSD-2-Clause */

#include "all/ls.h"
#include "base/near.h"
#include "kernel/hooks.h"

/* What a word refers to. Words of one kind are alternatives; all kinds must match. */
enum word_about { WORD_SORT, WORD_WHERE, WORD_WHAT, WORD_WHO, WORD_NOTHING };
struct ls_word {
	const char *text;
	enum word_about about; /* WORD_NOTHING: no attachment has it, and it selects nothing */
	bool loose;	       /* no whole name matches: parts of names count */
};

static bool is_place(const char *word)
{
	for (const struct place *const *p = places; *p; p++)
		if (!strcmp((*p)->name, word))
			return true;
	return false;
}

/* Is the word a whole part of @where? "eth0" in "blue:eth0", "/sys/fs/cgroup/x" in "/sys/fs/cgroup/x/y". */
static bool is_part(const char *where, const char *word)
{
	static const char ends[] = "/:+[],";
	size_t n = strlen(word);

	for (const char *p = where; n && (p = strstr(p, word)); p++)
		if ((p == where || strchr(ends, p[-1]) || strchr(ends, *p)) &&
		    (!p[n] || strchr(ends, p[n]) || strchr(ends, p[n - 1])))
			return true;
	return false;
}

static bool is_who(const struct ls_rec *r, const char *word)
{
	uint32_t id;

	if (r->name && !strcmp(r->name, word))
		return true;
	return !num_parse_u32(word, &id) && id && (id == r->a.prog_id || id == r->a.map_id);
}

static bool has_who(const struct ls_rec *r, const char *word)
{
	return (r->name && strstr(r->name, word)) || (r->owner && strstr(r->owner, word)) ||
	       (r->map_name && strstr(r->map_name, word));
}

static bool is_where(const struct attachment *a, const char *word, bool loose)
{
	for (uint32_t i = 0; i < a->nfuncs; i++)
		if (loose ? strstr(a->funcs[i], word) != NULL : is_part(a->funcs[i], word))
			return true;
	return loose ? strstr(a->where, word) != NULL : is_part(a->where, word) || attachment_is_at(a, word);
}

static bool is_about(const struct ls_rec *r, const char *word, enum word_about about, bool loose)
{
	switch (about) {
	case WORD_SORT:
		return !strcmp(r->place, word);
	case WORD_WHERE:
		return is_where(&r->a, word, loose);
	case WORD_WHAT:
		return str_starts(r->a.what, word) || hook_is_named(r->a.what, word);
	default:
		return loose ? has_who(r, word) : is_who(r, word);
	}
}

static bool word_fits(const struct ls_rec *r, const struct ls_word *w)
{
	if (w->about == WORD_SORT)
		return is_about(r, w->text, WORD_SORT, false);
	for (enum word_about a = WORD_WHERE; a < WORD_NOTHING; a++)
		if (is_about(r, w->text, a, w->loose))
			return true;
	return false;
}

static bool word_matches(const struct records *recs, struct ls_word *w)
{
	for (w->about = WORD_WHERE; w->about < WORD_NOTHING; w->about++)
		for (size_t i = 0; i < recs->n; i++)
			if (is_about(ls_at(recs, i), w->text, w->about, w->loose))
				return true;
	return false;
}

static void missing_add(struct env *env, struct records *recs, const char *word)
{
	const char *before = recs->missing ? recs->missing : "";
	struct near near = { 0 };
	STR list = { 0 };

	for (const struct place *const *p = places; *p; p++)
		near_offer(&near, word, (*p)->name);
	for (size_t i = 0; i < recs->n; i++) {
		const struct attachment *a = &ls_at(recs, i)->a;

		near_offer(&near, word, a->where);
		for (uint32_t k = 0; k < a->nfuncs; k++)
			near_offer(&near, word, a->funcs[k]);
		near_offer(&near, word, a->what);
		near_offer(&near, word, ls_at(recs, i)->name ? ls_at(recs, i)->name : "");
	}
	near_list(&near, &list);
	recs->missing = arena_fmt(env->keep, "%s%sno attachment has '%.100s' in its place, hook, name or owner%s%s%s",
				  before, *before ? "; " : "", word, near.n ? " (similar: " : "", near.n ? list.p : "",
				  near.n ? ")" : "");
}

/* Find what the word refers to. A known word of which there is no attachment now is not missing. */
static void word_find(struct env *env, struct records *recs, struct ls_word *w)
{
	if (is_place(w->text)) {
		w->about = WORD_SORT;
		return;
	}
	if (word_matches(recs, w))
		return;
	if (hook_exists(w->text)) {
		w->about = WORD_WHAT;
		return;
	}
	if (!(recs->need & NEED_HOLDERS)) {
		recs->need |= NEED_HOLDERS;
		ls_describe(env, recs);
	}
	w->loose = true;
	if (!word_matches(recs, w))
		missing_add(env, recs, w->text);
}

static bool is_chosen(const struct ls_rec *r, const struct ls_word *words, size_t n)
{
	unsigned asked = 0, got = 0;

	for (size_t i = 0; i < n; i++) {
		if (words[i].about == WORD_NOTHING)
			continue;
		asked |= 1u << words[i].about;
		if (word_fits(r, &words[i]))
			got |= 1u << words[i].about;
	}
	return asked == got;
}

/* Also choose what runs under the chosen programs: all of it is at that place. */
static void choose_under(struct env *env, struct records *recs, bool *chosen)
{
	size_t *stack = arena_array(env->keep, recs->n, sizeof(*stack)), n = 0;
	struct ls_under under;

	recs->need |= NEED_JOIN;
	ls_nest(env, recs);
	ls_under_read(env, recs, &under);
	for (size_t i = 0; i < recs->n; i++)
		if (chosen[i])
			stack[n++] = i;
	while (n) {
		const struct ls_list *l = hash_get(&under.below, ls_at(recs, stack[--n])->a.prog_id);

		for (size_t i = 0; l && i < l->n; i++)
			if (!chosen[l->i[i]]) {
				chosen[l->i[i]] = true;
				stack[n++] = l->i[i];
			}
	}
}

int ls_choose(struct env *env, const struct arg_list *words, struct records *recs, struct err *e)
{
	struct ls_word *w = arena_array(env->keep, words->n, sizeof(*w));
	bool *chosen = arena_array(env->keep, recs->n, sizeof(*chosen)), place = false;
	size_t n = 0, found = 0;

	for (size_t i = 0; i < words->n; i++) {
		w[i].text = words->word[i];
		word_find(env, recs, &w[i]);
		found += w[i].about != WORD_NOTHING;
		place |= w[i].about == WORD_WHERE;
	}
	if (!found && records_missing(recs, e)) {
		const char *missing = report_missing(env->report, env->machine, env->arena);

		return missing ? err_hint(e, "not all could be read: %.200s", missing) : e->code;
	}
	for (size_t i = 0; i < recs->n; i++)
		chosen[i] = is_chosen(ls_at(recs, i), w, words->n);
	if (place)
		choose_under(env, recs, chosen);
	for (size_t i = 0; i < recs->n; i++)
		if (chosen[i])
			*ls_at(recs, n++) = *ls_at(recs, i);
	recs->n = n;
	if (words->n && !n) {
		char *note = arena_fmt(env->keep, "no program is attached there%s%s", env->report->note[0] ? "; " : "",
				       env->report->note);

		snprintf(env->report->note, sizeof(env->report->note), "%s", note);
	}
	return 0;
}
