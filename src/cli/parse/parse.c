/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/parse/parse.h"

#include "base/near.h"
#include "cli/options.h"
#include "cli/parse/arg.h"
#include "cli/parse/object.h"
#include "cli/parse/usage.h"
#include "record/field.h"

static void store_list(struct parser *p, const struct arg *a, const char *word)
{
	struct arg_list *l = p->opts ? (struct arg_list *)((char *)p->opts + a->off) : NULL;
	const char **words;

	if (!l)
		return;
	words = parser_list_room(p, l->word, l->n, sizeof(*words));
	words[l->n++] = word;
	l->word = words;
}

static void store_number(struct parser *p, const struct arg *a, uint32_t v)
{
	struct arg_numbers *l = p->opts ? (struct arg_numbers *)((char *)p->opts + a->off) : NULL;
	uint32_t *numbers;

	if (!l)
		return;
	numbers = parser_list_room(p, l->v, l->n, sizeof(*numbers));
	numbers[l->n++] = v;
	l->v = numbers;
}

static int take_number(struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	const bool least = a->flags & ARG_NONZERO;
	uint64_t v64;
	uint32_t v32;

	if ((a->type == ARG_U32 ? num_parse_u32(word, &v32) : num_parse_u64(word, &v64)) ||
	    (least && !(a->type == ARG_U32 ? v32 : v64))) {
		err_usage(e, "can't parse %s as %s", word, arg_metavar(a, p->kind, p->arena));
		return err_hint(e, "%s: a number, %d to %llu, in decimal or with 0x", arg_help(a, p->kind, p->arena),
				least, a->type == ARG_U32 ? UINT32_MAX : llu(UINT64_MAX));
	}
	if (a->type == ARG_U32 && a->flags & ARG_REPEAT)
		store_number(p, a, v32);
	else if (a->type == ARG_U32)
		parser_store(p, a, &v32, sizeof(v32));
	else
		parser_store(p, a, &v64, sizeof(v64));
	return 0;
}

/* Unless the argument has a name of its own, the message lists all words, and the hint names the most similar ones. */
static int unknown_word(const struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	struct near near = { 0 };
	STR list = { 0 }, all = { 0 };

	if (a->words->n == 1 && a->words->word[0])
		return err_usage(e, "expected the word '%s', got: '%s'", a->words->word[0], word);
	for (unsigned i = 0; a->metavar && i < a->words->n; i++)
		if (a->words->word[i])
			str_fmt(&all, "%s%s", all.n ? ", " : "", a->words->word[i]);
	for (unsigned i = 0; i < a->words->n; i++)
		if (a->words->word[i])
			near_offer(&near, word, a->words->word[i]);
	near_list(&near, &list);
	err_usage(e, "expected %s, got: '%s'?", arg_metavar(a, p->kind, p->arena), word);
	if (near.n)
		return err_hint(e, "did you mean %s?", list.p);
	return err_hint(e, "%s", all.n ? all.p : arg_help(a, p->kind, p->arena));
}

static int take_value(struct parser *p, const struct arg *a, const char *word, struct err *e)
{
	const char *named;
	int i;

	if (arg_is_object(a))
		return parser_object(p, a, word, e);
	p->pending = NULL;
	p->last = a;
	if (!*word && arg_is_file(a))
		return err_usage(e, "%s: the name is empty", a->name);
	switch (a->type) {
	case ARG_U32:
	case ARG_U64:
		return take_number(p, a, word, e);
	case ARG_WORD:
		i = parser_find_word(a->words, word);
		named = i < 0 && p->c->word_named ? p->c->word_named(word) : NULL;
		if (named)
			i = parser_find_word(a->words, named);
		if (i < 0)
			return unknown_word(p, a, word, e);
		parser_store(p, a, &i, sizeof(i));
		return 0;
	case ARG_REST:
		store_list(p, a, word);
		return 0;
	default:
		if (a->flags & ARG_REPEAT)
			store_list(p, a, word);
		else
			parser_store(p, a, &word, sizeof(word));
		return 0;
	}
}

/* A keyword or option was given. */
static int begin(struct parser *p, const struct arg *a, struct err *e)
{
	if (p->seen & arg_bit(p, a) && !(a->flags & ARG_REPEAT))
		return err_usage(e, "'%s%s%s' is given twice", a->alias ? a->alias : "", a->alias ? " | " : "",
				 a->name);
	p->seen |= arg_bit(p, a);
	if (a->type == ARG_FLAG)
		parser_store(p, a, &(bool){ true }, sizeof(bool));
	else
		p->pending = a;
	if (a->flags & ARG_OPTIONAL)
		parser_store(p, a, &(const char *){ "" }, sizeof(char *));
	return 0;
}

/* Options of a command, and with @p also the words that may be typed as options here. */
static void options_offer(const struct parser *p, const struct command *c, const char *typed, struct near *ret)
{
	for (const struct arg *a = c->args; a < args_end(c); a++)
		if (arg_is_option(a))
			near_offer(ret, typed, a->name + 2);
		else if (p && parser_may(p, a))
			near_offer(ret, typed, a->name);
}

/* The options that may be meant: of every command, and of this one; before its name, if none resembles it, of any. */
static void all_options_offer(const struct parser *p, const char *typed, struct near *ret)
{
	const struct command *c;
	bool any;

	for (const struct option *o = global_options; o->name; o++)
		near_offer(ret, typed, o->name);
	if (p)
		options_offer(p, p->c, typed, ret);
	any = !p && !ret->n;
	for (const struct group *g = groups; g->name; g++) {
		for (size_t i = 0; any && (c = group_command(g, i)); i++)
			options_offer(NULL, c, typed, ret);
		if (p && g->alone == p->c && g->listing)
			near_offer(ret, typed, g->listing->name + 2);
	}
}

/* The hint only names similar options, without the usage. */
int parser_unknown_option(const struct parser *p, const char *word, struct err *e)
{
	size_t n = strcspn(word, "=");
	struct near near = { 0 };
	STR typed = { 0 }, list = { 0 };

	str_add(&typed, word, n);
	err_usage(e, "unknown option '%s'", typed.p);
	if (n > 2)
		all_options_offer(p, typed.p + 2, &near);
	for (size_t i = 0; i < near.n; i++)
		str_fmt(&list, "%s--%s", i ? ", " : "", near.name[i]);
	return near.n ? err_hint(e, "did you mean %s?", list.p) : e->code;
}

/* The option that a word names or abbreviates. A keyword may be typed as one: --linum. */
static const struct arg *find_option(const struct parser *p, const char *word, size_t n, struct err *e)
{
	const struct arg *a, *found = NULL,
			     *keyword = n > 2 ? parser_keyword(p, arena_str(p->arena, word + 2, n - 2)) : NULL;
	size_t begun = 0;
	STR list = { 0 };

	for (a = p->c->args; a < args_end(p->c); a++) {
		if (!arg_is_option(a))
			continue;
		if ((a->alias && !strncmp(a->alias, word, n)) || (!strncmp(a->name, word, n) && !a->name[n]))
			return a;
		if (n > 2 && !strncmp(a->name, word, n)) {
			str_fmt(&list, "%s%s", begun++ ? ", " : "", a->name);
			found = a;
		}
	}
	if (keyword && (!begun || strlen(keyword->name) == n - 2))
		return keyword;
	if (begun > 1)
		return err_usage(e, "option '%s' is ambiguous: %s", word, list.p), NULL;
	if (!found)
		parser_unknown_option(p, word, e);
	return found;
}

static int take_option(struct parser *p, const char *word, struct err *e)
{
	bool lengthy = word[1] == '-';
	size_t n = lengthy ? strcspn(word, "=") : 2;
	const struct arg *a = find_option(p, word, n, e);
	int err;

	if (!a)
		return -EINVAL;
	err = begin(p, a, e);
	if (err || !word[n])
		return err;
	if (!p->pending)
		return err_usage(e, "option '%s' takes no argument", lengthy ? a->name : a->alias);
	return take_value(p, a, word + n + lengthy, e);
}

/* The word that was taken for FILE, and is all that there is. */
static int file_is_object(struct parser *p, const struct arg *file, struct err *e)
{
	const char *word = NULL;

	if (p->opts)
		memcpy(&word, (const char *)p->opts + file->off, sizeof(word));
	if (!word || p->seen & arg_bit(p, file + 1))
		return 0;
	parser_store(p, file, &(const char *){ NULL }, sizeof(word));
	p->seen = (p->seen & ~arg_bit(p, file)) | arg_bit(p, file + 1);
	return take_value(p, file + 1, word, e);
}

static bool arg_fits(const struct parser *p, const struct arg *a, const char *word)
{
	if (a > p->c->args && parser_is_file_before(p, a - 1) && parser_keyword(p, word) &&
	    !strcmp(parser_keyword(p, word)->name, word))
		return false;
	if (a->flags & ARG_LITERAL && !p->literal)
		return false;
	if (a->flags & ARG_REQUIRED)
		return true;
	if (arg_is_object(a))
		return parser_object_begins(p, a, word);
	/* It is any word except the keywords; a file with such a name is given as "./prog". */
	if ((a->flags & (ARG_CHOICE | ARG_FOLLOWS) || a->type == ARG_PATH ||
	     (arg_is_grammar(a) && !(p->seen & arg_bit(p, a)))) &&
	    parser_keyword(p, word) && !strcmp(parser_keyword(p, word)->name, word))
		return false;
	return a->type != ARG_WORD || parser_find_word(a->words, word) >= 0;
}

/* "expected 'id', 'prog' or 'file', got: 'X'?" */
static int expected_choice(const struct parser *p, const char *word, struct err *e)
{
	const struct arg *a, *end = args_end(p->c);
	STR list = { 0 };
	char *comma;

	for (a = p->c->args; a < end; a++) {
		const struct kind *k = a->type == ARG_OBJECT ? arg_kind(a, p->kind) : NULL;

		for (unsigned i = 0; a->flags & ARG_CHOICE && arg_is_positional(a) && k && selector_at(i); i++)
			if (k->selectors & selector_at(i))
				str_fmt(&list, ", '%s'", selector_word(selector_at(i)));
		if (a->flags & ARG_CHOICE && arg_is_positional(a) && !k)
			str_fmt(&list, ", %s", a->name);
		if (a->flags & ARG_CHOICE && !arg_is_positional(a))
			str_fmt(&list, ", '%s'", a->name);
	}
	comma = strrchr(list.p, ',');
	*comma = '\0';
	if (!word)
		return err_usage(e, "'%s' needs %s or%s", p->c->name, list.p + 2, comma + 1);
	return err_usage(e, "expected %s or%s, got: '%s'?", list.p + 2, comma + 1, word);
}

static int unexpected(const struct parser *p, const char *word, struct err *e)
{
	const struct arg *runs = parser_positional(p);
	struct near near = { 0 };
	STR list = { 0 };

	for (const struct arg *a = p->c->args; a < args_end(p->c); a++)
		if (parser_may(p, a))
			near_offer(&near, arg_is_option(a) ? arena_fmt(p->arena, "--%s", word) : word, a->name);
	near_list(&near, &list);
	err_usage(e, "unexpected argument '%s'", word);
	if (near.n)
		return err_hint(e, "did you mean %s?", list.p);
	return runs && runs->flags & ARG_LITERAL ? err_hint_word(e, "a command to run follows `--`: `-- ", word, "`") :
						   e->code;
}

int parser_word(struct parser *p, const char *word, struct err *e)
{
	const struct arg *a = parser_positional(p), *following = parser_following(p), *again = parser_again(p);

	p->words++;
	if (p->pending && arg_takes(p->pending, word))
		return take_value(p, p->pending, word, e);
	p->pending = NULL;
	if (p->last && p->last->flags & ARG_ASSIGN && strchr(word, '=') && word[0] != '-')
		return take_value(p, p->last, word, e);
	p->last = NULL;
	if (!p->literal && word[0] == '-' && word[1] && !isdigit((unsigned char)word[1])) {
		p->literal = !strcmp(word, "--");
		return p->literal ? 0 : take_option(p, word, e);
	}
	if (following && arg_fits(p, following, word)) {
		p->seen |= arg_bit(p, following);
		return take_value(p, following, word, e);
	}
	if (parser_is_file_before(p, a) && selector_named(word))
		p->seen |= arg_bit(p, a++);
	if (a && arg_fits(p, a, word)) {
		p->seen |= arg_bit(p, a);
		return take_value(p, a, word, e);
	}
	if (parser_keyword(p, word))
		return begin(p, parser_keyword(p, word), e);
	if (again && (again->type == ARG_PATH || parser_object_begins(p, again, word)))
		return take_value(p, again, word, e);
	if (parser_choice(p))
		return expected_choice(p, word, e);
	if (a && a->type == ARG_OBJECT)
		return parser_expected(arg_kind(a, p->kind), word, e);
	return unexpected(p, word, e);
}

static int arg_missing(const struct parser *p, const struct arg *what, struct err *e)
{
	const struct arg *a;
	unsigned need = 0;

	for (a = p->c->args; a < args_end(p->c); a++)
		if (a->flags & ARG_REQUIRED)
			need += (p->bpftool && arg_is_object(a)) + 1 + !arg_is_positional(a);
	if (what->type == ARG_OBJECT && arg_is_positional(what) && !p->bpftool) {
		const struct kind *k = arg_kind(what, p->kind);

		err_usage(e, "'%s' needs a %s: its id, name or pin", p->c->name, k->noun);
		return err_hint(e, "`%s list` lists them", k->name);
	}
	/* There are enough words, but one is missing. */
	if (p->words >= need)
		return err_usage(e, arg_is_positional(what) ? "'%s' needs %s%s" : "'%s' needs '%s %s'", p->c->name,
				 arg_is_positional(what) ? "" : what->name, arg_metavar(what, p->kind, p->arena));
	return err_usage(e, "'%s' needs at least %u argument%s, %u found", p->c->name, need, plural(need), p->words);
}

int parser_end(struct parser *p, struct err *e)
{
	const struct arg *a, *b;

	if (p->pending && !(p->pending->flags & ARG_OPTIONAL))
		return err_usage(e, "'%s' needs a value: %s", p->by ? selector_word(p->by) : p->pending->name,
				 p->by ? selector_metavar(p->by) : arg_metavar(p->pending, p->kind, p->arena));
	if (parser_choice(p))
		return expected_choice(p, NULL, e);
	for (a = p->c->args; a < args_end(p->c); a++)
		if (parser_is_file_before(p, a) && file_is_object(p, a, e))
			return e->code;
	for (a = p->c->args; a < args_end(p->c); a++) {
		if (a->flags & ARG_REQUIRED && !(p->seen & arg_bit(p, a)))
			return arg_missing(p, a, e);
		for (b = p->c->args; b < args_end(p->c) && p->seen & arg_bit(p, a); b++)
			if (p->seen & arg_bit(p, b) && arg_rejects(a, b))
				return err_usage(e, "'%s' and '%s' are mutually exclusive", a->name, b->name);
	}
	return 0;
}

int command_parse(const struct command *c, const struct kind *kind, bool bpftool, int argc, const char *const *argv,
		  struct arena *a, void *opts, struct err *e)
{
	struct parser p = { .c = c, .kind = kind, .bpftool = bpftool, .arena = a, .opts = opts };
	int i, err;

	for (i = 0; i < argc; i++) {
		err = parser_word(&p, argv[i], e);
		if (err)
			return err;
	}
	return parser_end(&p, e);
}
