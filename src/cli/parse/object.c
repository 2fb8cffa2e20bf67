/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/parse/arg.h"
#include "cli/parse/object.h"
#include "cli/parse/usage.h"
#include "record/field.h"

static enum selector find_selector(const struct kind *k, const char *word)
{
	unsigned i;

	for (i = 0; k && *word && selector_at(i); i++)
		if (k->selectors & selector_at(i) && str_starts(selector_word(selector_at(i)), word))
			return selector_at(i);
	return 0;
}

int parser_expected(const struct kind *k, const char *word, struct err *e)
{
	STR list = { 0 };
	unsigned i, left = 0;

	for (i = 0; k && selector_at(i); i++)
		left += !!(k->selectors & selector_at(i));
	for (i = 0; k && selector_at(i); i++) {
		if (!(k->selectors & selector_at(i)))
			continue;
		left--;
		str_fmt(&list, "'%s'%s", selector_word(selector_at(i)), left > 1 ? ", " : left ? " or " : "");
	}
	return err_usage(e, "expected %s, got: '%s'?", list.p ? list.p : "nothing", word);
}

static const char *parse_tag(struct arena *arena, const char *word)
{
	char *tag = arena_str(arena, word, strlen(word));
	size_t i;

	for (i = 0; tag[i]; i++) {
		if (num_hex_digit(tag[i]) < 0)
			return NULL;
		tag[i] = (char)tolower((unsigned char)tag[i]);
	}
	return i == 16 ? tag : NULL;
}

static bool is_keyword(const struct command *c, const char *word)
{
	for (size_t i = 0; i < c->nargs; i++)
		if (c->args[i].name && !arg_is_positional(&c->args[i]) && !strcmp(c->args[i].name, word))
			return true;
	return false;
}

/* "key" and "value" of "[key DATA] [value DATA]". */
static bool is_grammar_word(const struct command *c, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < c->nargs; i++) {
		for (const char *s = arg_is_grammar(&c->args[i]) ? c->args[i].name : NULL; s; s = strchr(s, '[')) {
			s += *s == '[';
			if (n && str_starts(s, word) && s[n] == ' ')
				return true;
		}
	}
	return false;
}

/* The selector for a word without one; 0: it cannot select an object of this kind. Names never have a slash. */
static enum selector bare(const struct parser *p, const struct kind *k, const char *word)
{
	enum selector by;

	if (p->bpftool || !k || !*word || is_keyword(p->c, word))
		return 0;
	by = !word[strspn(word, "0123456789")] ? SEL_ID : strchr(word, '/') ? SEL_PINNED : SEL_NAME;
	return k->selectors & by ? by : 0;
}

/* Feed a word of an object of kind @k; p->pending stays set while more words are expected. */
static int object_word(struct parser *p, const struct arg *a, const struct kind *k, const char *word,
		       struct object_ref *ret, struct err *e)
{
	struct object_ref ref = { .by = p->by, .text = word };

	if (!p->by) {
		p->by = find_selector(k, word);
		p->pending = p->by ? a : p->pending;
		if (p->by)
			return 0;
		if (!p->bpftool && is_grammar_word(p->c, word))
			return err_usage(e, "'%s' needs %s before '%s'", p->c->name, arg_metavar(a, p->kind, p->arena),
					 word);
		ref.by = bare(p, k, word);
		if (!ref.by)
			return parser_expected(k, word, e);
	}
	p->by = 0;
	p->pending = NULL;
	p->last = a;
	if (ref.by == SEL_ID && num_parse_u32(word, &ref.id)) {
		err_usage(e, "can't parse %s as ID", *word ? word : "''");
		return err_hint(e, "an id is a number, as in the first column of `bpflens %s list`", k->name);
	}
	if (ref.by == SEL_TAG) {
		ref.text = parse_tag(p->arena, word);
		if (!ref.text)
			return err_usage(e, "can't parse %s as tag: a tag has 16 hexadecimal digits", word);
	}
	*ret = ref;
	return 0;
}

static void store_ref(struct parser *p, const struct arg *a, const struct object_ref *ref)
{
	struct object_refs *l = p->opts ? (struct object_refs *)((char *)p->opts + a->off) : NULL;
	struct object_ref *v;

	if (!(a->flags & ARG_REPEAT)) {
		parser_store(p, a, ref, sizeof(*ref));
	} else if (l) {
		v = parser_list_room(p, l->v, l->n, sizeof(*v));
		v[l->n++] = *ref;
		l->v = v;
	}
}

static int take_object(struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	struct object_ref ref;
	int err = object_word(p, a, arg_kind(a, p->kind), word, &ref, e);

	if (!err && !p->pending)
		store_ref(p, a, &ref);
	return err;
}

static int object_missing(const struct parser *p, const struct kind *k, struct err *e)
{
	if (p->by)
		return err_usage(e, "'%s' needs a value: %s", selector_word(p->by), selector_metavar(p->by));
	return err_usage(e, "which %s? id N, name NAME or pinned PATH", k->noun);
}

size_t parser_ref(struct env *env, const struct kind *k, const struct arg_list *words, struct object_ref *ret,
		  struct err *e)
{
	static const struct command none;
	static const struct arg object = { .type = ARG_OBJECT };
	struct parser p = { .c = &none, .kind = k, .arena = env->keep, .bpftool = env->opts->as_bpftool };
	size_t n = 0;

	do {
		if (n == words->n)
			return object_missing(&p, k, e), 0;
		if (object_word(&p, &object, k, words->word[n++], ret, e))
			return 0;
	} while (p.pending);
	return n;
}

static enum types_by bare_types_ref(const struct parser *p, const char *word)
{
	if (p->bpftool || !*word)
		return TYPES_NONE;
	return !word[strspn(word, "0123456789")] ? TYPES_ID :
	       strpbrk(word, "./")		 ? TYPES_FILE :
	       is_keyword(p->c, word)		 ? TYPES_NONE :
						   TYPES_NAME;
}

static int take_types_ref(struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	struct types_ref ref = { .by = p->from, .path = word };
	int i, err = 0;

	p->pending = a;
	if (!p->from) {
		i = parser_find_word(&source_names, word);
		p->from = i < 0 ? bare_types_ref(p, word) : (enum types_by)(i + 1);
		if (!p->from)
			return err_usage(e, "expected 'id', 'name', 'prog', 'map' or 'file', got: '%s'?", word);
		p->by = p->from == TYPES_ID ? SEL_ID : p->from == TYPES_NAME ? SEL_NAME : 0;
		if (i >= 0)
			return 0;
		ref.by = p->from;
	}
	if (p->from == TYPES_FILE)
		p->pending = NULL;
	else
		err = object_word(p, a, source_kind(p->from), word, &ref.object, e);
	if (err || p->pending)
		return err;
	p->from = TYPES_NONE;
	parser_store(p, a, &ref, sizeof(ref));
	return 0;
}

static void store_reuse(struct parser *p, const struct arg *a, const struct object_ref *with)
{
	struct arg_reuses *l = p->opts ? (struct arg_reuses *)((char *)p->opts + a->off) : NULL;
	struct arg_reuse *v;

	if (!l)
		return;
	v = parser_list_room(p, l->v, l->n, sizeof(*v));
	v[l->n++] = (struct arg_reuse){ .name = p->reuse.name, .idx = p->reuse.idx, .with = *with };
	l->v = v;
}

static int take_reuse(struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	struct object_ref with;
	int i, err;

	p->pending = a;
	switch (p->reuse.due) {
	case REUSE_BY:
		i = parser_find_word(&reuse_names, word);
		if (i < 0)
			return err_usage(e, "expected 'idx' or 'name', got: '%s'?", word);
		p->reuse.due = i ? REUSE_NAME : REUSE_IDX;
		return 0;
	case REUSE_IDX:
		p->reuse.name = NULL;
		p->reuse.due = REUSE_OBJECT;
		return num_parse_u32(word, &p->reuse.idx) ? err_usage(e, "can't parse %s as IDX", word) : 0;
	case REUSE_NAME:
		p->reuse.name = word;
		p->reuse.due = REUSE_OBJECT;
		return 0;
	case REUSE_OBJECT:
		break;
	}
	err = object_word(p, a, arg_kind(a, p->kind), word, &with, e);
	if (err || p->pending)
		return err;
	p->reuse.due = REUSE_BY;
	store_reuse(p, a, &with);
	return 0;
}

int parser_object(struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	return a->type == ARG_REUSE ? take_reuse(p, a, word, e) :
	       a->type == ARG_TYPES ? take_types_ref(p, a, word, e) :
				      take_object(p, a, word, e);
}

bool parser_object_begins(const struct parser *p, const struct arg *a, const char *word)
{
	if (a->type == ARG_OBJECT)
		return find_selector(arg_kind(a, p->kind), word) ||
		       (!parser_keyword(p, word) && bare(p, arg_kind(a, p->kind), word));
	if (a->type == ARG_TYPES && bare_types_ref(p, word))
		return true;
	return parser_find_word(a->type == ARG_REUSE ? &reuse_names : &source_names, word) >= 0;
}
