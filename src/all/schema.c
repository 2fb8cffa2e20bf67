/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doc/schema.h"

#include "all/all.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/records.h"
#include "record/column.h"
#include "record/field.h"
#include "render/doc.h"

struct key_rec {
	const char *document, *record, *key, *type, *unit, *help;
	uint32_t since;
};
static const struct field key_fields[] = {
	FIELD(key_rec, document, "document", "document that has the key", .flags = FIELD_DEFAULT),
	FIELD(key_rec, record, "record", "record of the document that has the key", .flags = FIELD_DEFAULT, .drop = 2),
	FIELD(key_rec, key, "json_key", "name of the key", .role = ROLE_NAME, .title = "KEY", .flags = FIELD_DEFAULT),
	FIELD(key_rec, type, "json_type", "type of the value", .title = "TYPE", .flags = FIELD_DEFAULT),
	FIELD(key_rec, unit, "unit", "unit of the value", .flags = FIELD_DEFAULT),
	FIELD(key_rec, since, "since", "version of the schema that added the key"),
	FIELD(key_rec, help, "help", "meaning of the key", .flags = FIELD_DEFAULT | FIELD_PROSE),
};
static const struct schema key_schema = SCHEMA("key", key_rec, key_fields);

struct schema_opts {
	struct arg_list words;
	struct records_opts records;
};

/* Parse "prog" or "prog list"; *ret_c NULL: the whole group; *ret_g NULL: everything. */
static int command_named(const struct arg_list *words, const struct group **ret_g, const struct command **ret_c,
			 struct err *e)
{
	const struct command *c = NULL;
	int used = 0;

	*ret_g = NULL;
	*ret_c = NULL;
	if (!words->n)
		return 0;
	c = command_find((int)words->n, words->word, ret_g, &used, e);
	if (!c)
		return e->code;
	if ((size_t)used < words->n)
		return err_usage(e, "unexpected argument '%.64s'", words->word[used]);
	if (words->n == 1 && !(*ret_g)->alone)
		return 0;
	if (!documented_of(*ret_g, c).first)
		return err_set(e, -ENOENT, "the document of '%s %s' does not consist of records", (*ret_g)->name,
			       c->name);
	*ret_c = c;
	return 0;
}

static void add_record(struct env *env, struct records *ret, const char *command, const struct schema *s,
		       const struct schema *const *parts)
{
	struct columns all = { .s = s, .parts = parts };
	const struct field *f;

	while ((f = columns_next(&all))) {
		for (unsigned i = 0; i < KEYS; i++)
			if (field_key(f, i))
				*(struct key_rec *)records_add(ret, env) = (struct key_rec){
					command,
					all.s->name,
					field_key(f, i),
					column_type(f, env->keep),
					column_unit(f),
					i == KEY_WAS ? arena_fmt(env->keep, "deprecated: now %s", f->name) : f->help,
					f->since ? f->since : 1,
				};
	}
}

static void add_command(struct env *env, struct records *ret, const struct group *g, const struct command *c)
{
	const struct documented d = documented_of(g, c);
	const char *name = g->alone == c ? g->name : arena_fmt(env->keep, "%s %s", g->name, c->name);

	add_record(env, ret, name, d.first, d.parts);
	for (const struct schema *const *p = d.rest; p && *p; p++)
		add_record(env, ret, name, *p, NULL);
	for (const char *const *list = c->nested ? c->nested->lists : NULL; list && *list; list++)
		*(struct key_rec *)records_add(ret, env) =
			(struct key_rec){ name, "document", *list, "rows", "", "records of this document", 1 };
}

static int keys_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct schema_opts *o = opts;
	const struct command *only, *c;
	const struct group *g;
	int err = command_named(&o->words, &g, &only, e);

	if (err)
		return err;
	for (const struct group *each = g ? g : groups; each->name && (!g || each == g); each++)
		for (size_t i = 0; (c = documented_next(each, &i));)
			if (!only || c == only)
				add_command(env, ret, each, c);
	return 0;
}

static int schema_run(struct env *env, const void *opts, struct err *e)
{
	const struct schema_opts *o = opts;
	const struct command *c;
	const struct group *g;
	struct doc d;
	int err;

	if (!env->opts->json || o->records.list_columns)
		return records_run(env, &o->records, o, keys_collect, e);
	err = command_named(&o->words, &g, &c, e);
	if (err)
		return err;
	env_doc(env, &d);
	schema_write(doc_value(&d, NULL), g, c);
	return 0;
}

static void command_words_offer(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
				void *ctx)
{
	const struct command *c;

	for (const struct group *g = groups; g->name; g++) {
		size_t i = 0;

		if (before->n && strcmp(before->word[before->n - 1], g->name) == 0)
			while (!g->alone && (c = documented_next(g, &i)))
				offer(ctx, c->name, c->summary);
		else if (!before->n && documented_next(g, &i))
			offer(ctx, g->name, g->help);
	}
}

static const struct arg schema_args[] = {
	RECORDS_ARGS(struct schema_opts, records),
	ARG("COMMAND", ARG_REST, struct schema_opts, words, "an object or command: show only its keys",
	    .metavar = "COMMAND", .offers = command_words_offer),
};

const struct command command_keys = {
	.name = "schema",
	.summary = "list the keys of the JSON of each command",
	.help = "Prints a line for each key with the document and record that have it, its type and unit, and the version of the schema that added "
		"it. With -j, prints a JSON Schema (draft 2020-12) of one command's document, or with a member for each command.",
	.example = "schema prog list",
	.schema = &key_schema,
	.flags = CMD_READ | CMD_OURS | CMD_NOSOURCE,
	ARGS(schema_args, struct schema_opts),
	.run = schema_run,
};
