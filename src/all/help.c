/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "cli/options.h"
#include "cli/parse/arg.h"
#include "cli/parse/usage.h"

#define SCREEN 80
#define INDENT 7 /* "Usage: " */
#define OFTEN_WIDTH 26
#define TOPIC_WIDTH 15
#define OPTIONS_WIDTH 7
#define SYNTAX_WIDTH 26 /* an argument, left of its meaning */

static void new_line(struct out *o, size_t *at, size_t indent)
{
	out_fmt(o, "\n%*s", (int)indent, "");
	*at = indent;
}

/* A word too long for any line is broken after one of its bars. */
static void put_choices(struct out *o, size_t *at, const char *word, size_t indent)
{
	for (size_t n; *word; word += n) {
		n = strcspn(word, "|");
		n += word[n] == '|';
		if (*at > indent && *at + n > SCREEN - 1)
			new_line(o, at, indent);
		out_bytes(o, word, n);
		*at += n;
	}
}

/* Print a word, on a new line if it does not fit; *at is the current column. */
static void help_word_put(struct out *o, size_t *at, const char *word)
{
	if (*at > INDENT && *at + 1 + strlen(word) > SCREEN - 1) {
		new_line(o, at, INDENT + 2);
	} else if (*at > INDENT) {
		out_char(o, ' ');
		++*at;
	}
	put_choices(o, at, word, INDENT + 2);
}

/* Print a name, and its meaning in a second column; a name wider than @width has it on the next line. */
static void print_meaning(struct out *o, const char *name, size_t width, const char *text)
{
	const size_t indent = width + 3;
	size_t at = 2;

	out_str(o, "  ");
	put_choices(o, &at, name, 4);
	if (at >= indent)
		new_line(o, &at, indent);
	else
		out_fmt(o, "%*s", (int)(indent - at), "");
	at = indent;
	for (size_t n; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		if (at > indent && at + 1 + n > SCREEN) {
			new_line(o, &at, indent);
		} else if (at > indent) {
			out_char(o, ' ');
			at++;
		}
		out_bytes(o, text, n);
		at += n;
	}
	out_char(o, '\n');
}

static void print_options(struct env *env)
{
	STR words = { 0 };

	for (const struct option *opt = global_options; opt->name; opt++) {
		if (opt->letter)
			str_fmt(&words, "-%c|", opt->letter);
		str_fmt(&words, "--%s%s%s ", opt->name, opt->metavar ? " " : "", opt->metavar ? opt->metavar : "");
	}
	print_meaning(env->report->out, "OPTIONS", OPTIONS_WIDTH, words.p);
}

/* Completion scripts for bpftool read the line with "OBJECT :=", which has bpftool's words. */
static void print_objects(struct env *env)
{
	const char *before = "OBJECT := { ";

	out_fmt(env->report->out, "%*s", INDENT, "");
	for (const struct group *g = groups; g->name; g++) {
		if (g->alone || g->ours)
			continue;
		out_fmt(env->report->out, "%s%s", before, g->name);
		before = " | ";
	}
	out_str(env->report->out, " }\n");
}

static const char *const topic_words[TOPICS] = {
	[TOPIC_SEE] = "see",	 [TOPIC_CHANGE] = "change", [TOPIC_MEASURE] = "measure",
	[TOPIC_FILES] = "files", [TOPIC_TYPES] = "types",
};

static void print_topics(struct env *env)
{
	struct out *o = env->report->out;

	for (enum topic topic = TOPIC_SEE; topic < TOPICS; topic++) {
		STR words = { 0 };

		for (const struct group *g = groups; g->name; g++)
			if (g->topic == topic)
				str_fmt(&words, "%s%s", words.n ? " " : "", g->name);
		print_meaning(o, arena_fmt(env->keep, "%-8s%s", topic == TOPIC_SEE ? "OBJECT" : "", topic_words[topic]),
			      TOPIC_WIDTH, words.p);
	}
}

/* The most frequent commands; each line begins with the words of a command. */
static const struct {
	const char *line, *text;
} often[] = {
	{ "ls [WORD]", "what is attached, to a device or anywhere" },
	{ "prog list", "programs and their owners; also map, link, btf list" },
	{ "prog dump xlated PROG", "its instructions, with source lines" },
	{ "prog stats", "CPU time and runs of programs" },
	{ "map dump MAP", "elements by their types; as a table with -o +" },
	{ "attach PROG to WHERE WHAT", "\"attach count to eth0 xdp\", \"detach eth0 xdp\"" },
	{ "why OBJECT", "what keeps it loaded, and what would release it" },
	{ "events", "objects as they come and go" },
	{ "record", "the same as a file for --from FILE; save: only now" },
	{ "doctor", "why something is empty, slow or refused" },
};

/* The summary fits on one screen. */
static void print_summary(struct env *env)
{
	struct out *o = env->report->out;

	out_fmt(o, "Usage: %s [OPTIONS] OBJECT [COMMAND [ARGUMENTS]] [-h]\n\n", env_program(env));
	for (size_t i = 0; i < ARRAY_SIZE(often); i++)
		print_meaning(o, often[i].line, OFTEN_WIDTH, often[i].text);
	out_char(o, '\n');
	if (env->opts->as_bpftool)
		print_objects(env);
	else
		print_topics(env);
	print_options(env);
	out_fmt(o, "\"%s help OBJECT\" lists its commands, \"help OBJECT COMMAND\" explains one.\n", env_program(env));
}

static void print_selector(struct env *env, const struct kind *k)
{
	enum selector s;
	char *name;
	unsigned i;
	const char *sep = "";

	name = arg_metavar(&(struct arg){ .type = ARG_OBJECT }, k, env->keep);
	out_fmt(env->report->out, "%*s%s := { ", INDENT, "", name);
	for (i = 0; (s = selector_at(i)); i++) {
		if (!(k->selectors & s))
			continue;
		out_fmt(env->report->out, "%s%s", sep, selector_usage(s, env->keep));
		sep = " | ";
	}
	out_str(env->report->out, " }\n");
}

static bool takes_source(const struct command *c)
{
	size_t i;

	for (i = 0; i < c->nargs; i++)
		if (c->args[i].type == ARG_TYPES)
			return true;
	return false;
}

static void print_source(struct env *env)
{
	out_fmt(env->report->out, "%*sSOURCE := { [id] N | [name] NAME | prog PROG | map MAP | [file] PATH }\n", INDENT,
		"");
}

static void print_usage(struct env *env, const struct group *g, const struct command *c, const char *before)
{
	size_t at = INDENT, i;
	const char *part;

	out_str(env->report->out, before);
	help_word_put(env->report->out, &at, env_program(env));
	if (g->alone != c)
		help_word_put(env->report->out, &at, g->name);
	help_word_put(env->report->out, &at, c->name);
	for (i = 0; (part = command_usage_part(g, c, &i, env->keep));)
		help_word_put(env->report->out, &at, part);
	out_char(env->report->out, '\n');
}

static void print_group(struct env *env, const struct group *g)
{
	const struct command *c;
	bool source = false;
	size_t width = 10, i;

	for (i = 0; (c = group_verb(g, i)); i++) {
		print_usage(env, g, c, i ? "       " : "Usage: ");
		source |= takes_source(c);
	}
	if (g->kind) {
		out_char(env->report->out, '\n');
		print_selector(env, g->kind);
	}
	if (source)
		print_source(env);
	out_char(env->report->out, '\n');
	for (i = 0; (c = group_verb(g, i)); i++)
		width = strlen(c->name) > width ? strlen(c->name) : width;
	for (i = 0; (c = group_verb(g, i)); i++)
		print_meaning(env->report->out, c->name, width, c->summary);
}

static bool selector_printed(const struct group *g, const struct command *c, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (c->args[i].type == ARG_OBJECT && arg_kind(&c->args[i], g->kind) == arg_kind(&c->args[n], g->kind))
			return true;
	return false;
}

static void print_example(struct env *env, const char *line)
{
	const size_t indent = strlen("Example: ");

	out_fmt(env->report->out, "\nExample: %s\n",
		shell_lines(arena_fmt(env->keep, "%s %s", env_program(env), line), indent, indent + 1, SCREEN,
			    env->keep));
}

static void print_command(struct env *env, const struct group *g, const struct command *c)
{
	size_t i;

	print_usage(env, g, c, "Usage: ");
	for (i = 0; i < c->nargs; i++) {
		if (c->args[i].type != ARG_OBJECT || selector_printed(g, c, i))
			continue;
		out_char(env->report->out, '\n');
		print_selector(env, arg_kind(&c->args[i], g->kind));
	}
	if (takes_source(c)) {
		out_char(env->report->out, '\n');
		print_source(env);
	}
	out_char(env->report->out, '\n');
	print_meaning(env->report->out, "", INDENT - 3, c->summary);
	if (c->nargs)
		out_char(env->report->out, '\n');
	for (i = 0; i < c->nargs; i++) {
		const struct arg bare = { .name = c->args[i].name,
					  .alias = c->args[i].alias,
					  .metavar = c->args[i].metavar,
					  .type = c->args[i].type,
					  .words = c->args[i].words,
					  .kind = c->args[i].kind,
					  .flags = (c->args[i].flags & (ARG_POSITIONAL | ARG_FOLLOWS | ARG_OPTIONAL)) |
						   ARG_REQUIRED };

		print_meaning(env->report->out, arg_usage(&bare, g->kind, env->keep), SYNTAX_WIDTH, c->args[i].help);
	}
	if (c->example)
		print_example(env, command_example(g, c, env->keep));
}

/* Words after a group's `help` are verbs of that group; otherwise the first word is a group. */
static int run_help(struct env *env, const void *opts, struct err *e)
{
	const struct arg_list *words = opts;
	const struct group *g = env->group;
	const struct command *c = NULL;
	const char *line[2] = { g->name, words->n ? words->word[0] : NULL };
	int used;

	if (env->opts->json)
		return 0;
	if (g->alone && words->n) {
		c = command_find(words->n > 1 && words->word[1][0] != '-' ? 2 : 1, words->word, &g, &used, e);
	} else if (!g->alone && words->n) {
		c = command_find(2, line, &g, &used, e);
	} else if (g->alone) {
		print_summary(env);
		return 0;
	}
	if (e->code)
		return e->code;
	/* `prog -h` and `prog help` print the whole group. */
	if (!g->alone && (!c || (g == env->group ? !words->n : used < 2)))
		print_group(env, g);
	else
		print_command(env, g, c);
	if (c && c == g->alone && g->listing) {
		out_char(env->report->out, '\n');
		print_command(env, g, g->listing);
	}
	return 0;
}

static const struct arg help_args[] = {
	{ .name = "WORD", .type = ARG_REST, .help = "an object and a command" },
};

const struct command command_help = {
	.name = "help",
	.summary = "show the usage of its commands",
	.flags = CMD_READ | CMD_NOSOURCE,
	ARGS(help_args, struct arg_list),
	.run = run_help,
};
