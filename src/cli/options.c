/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include "cli/command.h"
#include "record/field.h"

static const char *const color_words[] = { "auto", "always", "never" };
static const struct names color_names = NAMES(color_words);

#define OFF(m) .off = offsetof(struct globals, m)
const struct option global_options[] = {
	{ "json", 'j', NULL, "JSON on standard output, including errors", OFF(json) },
	{ "pretty", 'p', NULL, "JSON with each key on a line", OFF(pretty) },
	{ "ndjson", 0, NULL, "JSON with each object on a line", OFF(ndjson) },
	{ "bpffs", 'f', NULL, "show the pins of objects", OFF(show_pins) },
	{ "nomount", 'n', NULL, "never mount bpffs", OFF(nomount) },
	{ "debug", 'd', NULL, "report what is asked and done, with libbpf's messages", OFF(debug) },
	{ "no-load", 0, NULL, "do not load BPF programs to read from the kernel", OFF(no_load) },
	{ "mapcompat", 'm', NULL, "accept map definitions that libbpf does not support", OFF(mapcompat),
	  .taken = "map" },
	{ "base-btf", 'B', "FILE", "base of split BTF", OFF(base_btf) },
	{ "from", 0, "FILE",
	  "read a file written by save or record, - for standard input; several files or a directory are several machines",
	  OFF(from) },
	{ "at", 0, "TIME",
	  "show a recording at a time: seconds from its beginning, or a time such as -5s, 14:05 or 2026-11-21T09:30:00Z",
	  OFF(at) },
	{ "color", 0, "WHEN", "auto, always or never", OFF(color), &color_names },
	{ "wide", 0, NULL, "full tables, even if wider than the terminal", OFF(wide) },
	{ "strict", 0, NULL, "status 5 also if only processes that may not be read are missing", OFF(strict) },
	{ "no-pager", 0, NULL, "never start a pager", OFF(no_pager) },
	{ "version", 'V', NULL, "print versions of the program and its libraries", OFF(version) },
	{ "help", 'h', NULL, "print help for the words before it", OFF(help) },
	{ .name = NULL },
};

static const struct option *by_letter(char c)
{
	const struct option *o;

	for (o = global_options; o->name; o++)
		if (o->letter && o->letter == c)
			return o;
	return NULL;
}

/* Find a name of @n bytes, complete or abbreviated. *ret_more is set if another name also fits. */
static const struct option *option_named(const char *name, size_t n, const struct option **ret_more)
{
	const struct option *o, *found = NULL;

	*ret_more = NULL;
	for (o = global_options; o->name; o++) {
		if (strncmp(o->name, name, n) || (o->taken && strlen(o->taken) == n && !strncmp(o->taken, name, n)))
			continue;
		if (!o->name[n]) {
			*ret_more = NULL;
			return o;
		}
		if (found)
			*ret_more = o;
		else
			found = o;
	}
	return found;
}

static int set_value(struct globals *g, const struct option *o, const char *value, struct err *e)
{
	void *at = (char *)g + o->off;
	unsigned i;

	if (!o->metavar) {
		memcpy(at, &(bool){ true }, sizeof(bool));
		return 0;
	}
	for (i = 0; o->words && i < o->words->n && strcmp(o->words->word[i], value); i++)
		;
	if (o->words && i == o->words->n)
		return err_usage(e, "--%s is %s, not '%s'", o->name, o->help, value);
	if (at == &g->from && !*value)
		return err_usage(e, "--from: the name is empty");
	memcpy(at, &value, sizeof(value));
	if (at == &g->at && g->ats[1])
		return err_usage(e, "more than two times with --at");
	if (at == &g->at)
		g->ats[g->ats[0] != NULL] = value;
	if (at == &g->from && g->nfroms == FROMS_MAX)
		return err_usage(e, "more than %u files: put them into a directory, and name that", FROMS_MAX);
	if (at == &g->from)
		g->froms[g->nfroms++] = value;
	return 0;
}

struct scan {
	struct globals *g;
	const char *const *argv;
	int argc, i;
	struct options_rest *rest;
};

static int next_value(struct scan *s, const struct option *o, struct err *e)
{
	if (s->i + 1 >= s->argc) {
		s->rest->wants = o;
		return err_usage(e, "option '--%s' needs %s", o->name, o->metavar);
	}
	return set_value(s->g, o, s->argv[++s->i], e);
}

/* All letters must be global options, or else the word belongs to the command. */
static bool is_cluster(const char *letters)
{
	const struct option *o;

	for (; *letters; letters++) {
		o = by_letter(*letters);
		if (!o)
			return false;
		if (o->metavar)
			return true;
	}
	return true;
}

static int scan_cluster(struct scan *s, const char *letters, struct err *e)
{
	const struct option *o;
	int err;

	for (; *letters; letters++) {
		o = by_letter(*letters);
		if (o->metavar)
			return letters[1] ? set_value(s->g, o, letters + 1, e) : next_value(s, o, e);
		err = set_value(s->g, o, NULL, e);
		if (err)
			return err;
	}
	return 0;
}

/* Lists all that begin with the @n bytes after the dashes. */
static int ambiguous(const char *word, size_t n, struct err *e)
{
	STR list = { 0 };

	for (const struct option *o = global_options; o->name; o++)
		if (!strncmp(o->name, word + 2, n))
			str_fmt(&list, "%s--%s", list.n ? ", " : "", o->name);
	return err_usage(e, "option '%s' is ambiguous: %s", word, list.p);
}

static int scan_long(struct scan *s, const struct option *o, const char *value, struct err *e)
{
	if (!o->metavar)
		return value ? err_usage(e, "option '--%s' takes no argument", o->name) : set_value(s->g, o, NULL, e);
	return value ? set_value(s->g, o, value, e) : next_value(s, o, e);
}

/* "--sort -BYTES": a column in descending order, not -B. */
static bool is_sorted_by(const struct scan *s)
{
	return s->rest->n && !strcmp(s->rest->word[s->rest->n - 1], "--sort") && s->argv[s->i][1] != '-';
}

/* An option of the command that has no other verbs, whose word came before: `top -n 3`. */
static bool is_commands(const struct scan *s)
{
	const struct group *g = groups;

	while (s->rest->n && g->name && strcmp(g->name, s->rest->word[0]) != 0)
		g++;
	for (size_t i = 0; s->rest->n && g->alone && i < g->alone->nargs; i++)
		if (g->alone->args[i].alias && !strcmp(g->alone->args[i].alias, s->argv[s->i]))
			return true;
	return false;
}

/* Returns 1 for an option, 0 for a word of the command, or -errno. */
static int scan_word(struct scan *s, struct err *e)
{
	const char *word = s->argv[s->i];
	const struct option *o, *more;
	size_t n;
	int err;

	if (word[0] != '-' || !word[1] || !strcmp(word, "--") || is_sorted_by(s) || is_commands(s))
		return 0;
	if (word[1] != '-') {
		if (!is_cluster(word + 1))
			return 0;
		err = scan_cluster(s, word + 1, e);
		return err ? err : 1;
	}
	n = strcspn(word + 2, "=");
	o = option_named(word + 2, n, &more);
	if (!o)
		return 0;
	err = more ? ambiguous(word, n, e) : scan_long(s, o, word[2 + n] ? word + 3 + n : NULL, e);
	return err ? err : 1;
}

static bool is_raw(const char *word)
{
	const struct group *g;

	for (g = groups; g->name; g++)
		if (g->raw && !strcmp(g->name, word))
			return true;
	return false;
}

int options_parse(struct globals *g, int argc, const char *const *argv, struct options_rest *ret, struct err *e)
{
	struct scan s = { g, argv, argc, 0, ret };
	bool ours = true;
	int err = 0;

	ret->n = 0;
	ret->wants = NULL;
	for (; s.i < argc && err >= 0; s.i++) {
		err = ours ? scan_word(&s, e) : 0;
		if (err)
			continue;
		if (!strcmp(argv[s.i], "--") || (!ret->n && is_raw(argv[s.i])))
			ours = false;
		/* "--" before the command is not passed to it. */
		if (ret->n || strcmp(argv[s.i], "--"))
			ret->word[ret->n++] = argv[s.i];
	}
	/* An invalid command line may also request JSON. */
	g->json |= g->pretty || g->ndjson;
	return err < 0 ? err : 0;
}

const struct option *options_find(const char *word)
{
	const struct option *more;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] != '-')
		return is_cluster(word + 1) ? by_letter(word[1]) : NULL;
	return word[2] ? option_named(word + 2, strcspn(word + 2, "="), &more) : NULL;
}
