/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doc/schema.h"

#include "cli/columns.h"
#include "cli/command.h"
#include "cli/fleet.h"
#include "cli/watch/watch.h"
#include "cli/kind.h"
#include "record/column.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/jsonw.h"

#define DRAFT "https://json-schema.org/draft/2020-12/schema"
#define DEFINED_MAX 256
#define NESTED_MAX 32

struct writer {
	struct jsonw *w;
	struct arena *arena;
	/* Definitions that are referred to, in the order of output; links have parts by type. */
	const struct schema *defined[DEFINED_MAX];
	const struct schema *const *parts[DEFINED_MAX];
	unsigned uses[DEFINED_MAX]; /* of commands: CMD_MANY, CMD_WATCH */
	size_t n;
	struct {
		const struct nested *nested;
		const char *name;
	} nested[NESTED_MAX];
	size_t nnested;
};

static bool lists_kind(const struct command *c)
{
	return !strcmp(c->name, "show") || !strcmp(c->name, "list");
}

struct documented documented_of(const struct group *g, const struct command *c)
{
	if (c->schema)
		return (struct documented){ .first = c->schema, .rest = c->parts };
	if (g->kind && lists_kind(c))
		return (struct documented){ .first = g->kind->schema, .parts = g->kind->parts };
	if (!g->kind && (g->alone || lists_kind(c)))
		return (struct documented){ .first = g->schema };
	return (struct documented){ 0 };
}

const struct command *documented_next(const struct group *g, size_t *i)
{
	const struct command *c;

	do {
		c = group_command(g, *i);
		++*i;
	} while (c && (g->raw || !documented_of(g, c).first));
	return c;
}

static void define(struct writer *s, const struct schema *of, const struct schema *const *parts, unsigned uses)
{
	size_t i = 0;

	while (i < s->n && s->defined[i] != of)
		i++;
	if (i == DEFINED_MAX)
		return;
	s->uses[i] |= uses & (CMD_MANY | CMD_WATCH);
	if (i < s->n)
		return;
	s->defined[i] = of;
	s->parts[i] = parts;
	s->n++;
}

static void put_member(struct writer *s, const char *name, const char *value)
{
	jsonw_name(s->w, name);
	jsonw_str(s->w, value);
}

/* The schema's name without blanks. */
static const char *def_name(const struct writer *s, const struct schema *of)
{
	char *name = arena_str(s->arena, of->name, strlen(of->name));

	for (char *p = name; *p; p++)
		*p = *p == ' ' ? '_' : *p;
	return name;
}

static void put_ref(struct writer *s, const struct schema *to, const struct schema *const *parts)
{
	define(s, to, parts, false);
	jsonw_name(s->w, "$ref");
	jsonw_fmt(s->w, "#/$defs/%s", def_name(s, to));
}

static const char *json_type(const struct field *f, enum field_type type)
{
	switch (type) {
	case FT_BOOL:
		return "boolean";
	case FT_UINT:
		return f->unit == FU_CODE || f->unit == FU_BYTE ? "string" : "integer";
	case FT_INT:
	case FT_TIME:
		return "integer";
	case FT_REAL:
		return "number";
	case FT_STR:
	case FT_ENUM:
	case FT_BYTES:
		return "string";
	case FT_LIST:
		return "array";
	case FT_ROWS:
		return f->flags & (FIELD_SINGLE | FIELD_KEYED) ? "object" : "array";
	case FT_JSON:
		break;
	}
	return NULL;
}

/* A field that could not be read is null; standard error has the reason. */
static bool may_be_null(const struct field *f)
{
	return f->when || f->type == FT_REAL || f->flags & FIELD_INLINE;
}

/* Is it in every document with all columns, for any object and kernel? */
static bool is_always_there(const struct schema *in, const struct field *f)
{
	bool in_info = in->info_size && f->off >= in->info_off && f->off < in->info_off + in->info_size;
	bool pointer =
		(f->type == FT_STR && !(f->flags & FIELD_INLINE)) || f->type == FT_JSON || f->flags & FIELD_SINGLE;

	return !f->when && !f->need && !in_info && !pointer && !(f->flags & (FIELD_NONZERO | FIELD_JSON_NZ));
}

static void put_type(struct writer *s, const char *word, bool null)
{
	if (!word)
		return;
	jsonw_name(s->w, "type");
	if (null)
		jsonw_array(s->w);
	jsonw_str(s->w, word);
	if (!null)
		return;
	jsonw_str(s->w, "null");
	jsonw_end(s->w);
}

static void put_items(struct writer *s, const struct field *f)
{
	jsonw_name(s->w, "items");
	jsonw_object(s->w);
	if (f->type == FT_ROWS)
		put_ref(s, f->rows, NULL);
	else
		put_type(s, json_type(f, f->elem), f->elem == FT_STR); /* as bpftool's operands */
	jsonw_end(s->w);
}

/* An object whose member names come from the machine. */
static void put_keyed(struct writer *s, const struct field *f)
{
	const struct field *value = &f->rows->fields[1];

	jsonw_name(s->w, "additionalProperties");
	jsonw_object(s->w);
	put_type(s, json_type(value, value->type), may_be_null(value));
	put_member(s, "description", value->help);
	jsonw_end(s->w);
}

static void put_words(struct writer *s, const struct field *f)
{
	jsonw_name(s->w, "examples");
	jsonw_array(s->w);
	for (unsigned i = 0; i < f->names->n; i++)
		if (f->names->word[i])
			jsonw_str(s->w, f->names->word[i]);
	jsonw_end(s->w);
}

static void put_shape(struct writer *s, const struct field *f, bool null)
{
	if (f->type == FT_ROWS && f->flags & FIELD_SINGLE) {
		put_ref(s, f->rows, NULL);
		return;
	}
	put_type(s, json_type(f, f->type), null);
	if (f->type == FT_ROWS && f->flags & FIELD_KEYED)
		put_keyed(s, f);
	else if (f->type == FT_LIST || f->type == FT_ROWS)
		put_items(s, f);
	if (f->type == FT_UINT && f->unit != FU_CODE) {
		jsonw_name(s->w, "minimum");
		jsonw_uint(s->w, 0);
	}
	if (f->type == FT_BYTES)
		put_member(s, "pattern", "^([0-9a-f]{2})*$");
	if (f->type == FT_ENUM && f->names)
		put_words(s, f);
}

/* A record and its parts, or the records of a document. */
struct together {
	const struct schema *first;
	const struct schema *const *rest;
};

static bool same_shape(const struct field *a, const struct field *b)
{
	const char *x = json_type(a, a->type), *y = json_type(b, b->type);

	return x && y && !strcmp(x, y) && a->rows == b->rows && (a->type == FT_BYTES) == (b->type == FT_BYTES) &&
	       (a->type == FT_INT) == (b->type == FT_INT);
}

/* Write the types of that key in all records, which may differ. */
static void put_shapes(struct writer *s, const struct together *t, const struct field *f, const char *key)
{
	struct columns all = { .s = t->first, .parts = t->rest };
	bool null = false, same = true;
	const struct field *other;

	while ((other = columns_next(&all))) {
		if (!field_called(other, key, strcmp))
			continue;
		null |= may_be_null(other);
		same &= same_shape(f, other);
	}
	if (same)
		put_shape(s, f, null);
}

static void put_property(struct writer *s, const struct together *t, enum field_keys which, const struct field *f,
			 const struct schema *in)
{
	const char *key = field_key(f, which);

	jsonw_name(s->w, key);
	jsonw_object(s->w);
	put_shapes(s, t, f, key);
	put_member(s, "description", f->help);
	if (*column_unit(f))
		put_member(s, "x-unit", column_unit(f));
	jsonw_name(s->w, "x-since");
	jsonw_uint(s->w, f->since ? f->since : 1);
	if (which == KEY_NAME && f->also)
		put_member(s, "x-same", f->also);
	if (which == KEY_WAS) {
		jsonw_name(s->w, "deprecated");
		jsonw_bool(s->w, true);
		put_member(s, "x-same", f->name);
	}
	if (in != t->first)
		put_member(s, "x-of", in->name);
	jsonw_end(s->w);
}

/* Is that key of @me the same key of a row before it, or a better one of any row? */
static bool is_taken(const struct together *t, const struct field *me, enum field_keys which)
{
	struct columns all = { .s = t->first, .parts = t->rest };
	const struct field *f;
	bool before = true;

	while ((f = columns_next(&all))) {
		before &= f != me;
		for (unsigned i = 0; i < which + before; i++)
			if (field_key(f, i) && !strcmp(field_key(f, i), field_key(me, which)))
				return true;
	}
	return false;
}

static bool is_list(const char *const *lists, const char *key)
{
	while (lists && *lists && strcmp(*lists, key) != 0)
		lists++;
	return lists && *lists;
}

/* @lists: keys with another meaning in this document, NULL-terminated; or NULL. */
static void put_rows(struct writer *s, const struct together *t, const char *const *lists)
{
	struct columns all = { .s = t->first, .parts = t->rest };
	const struct field *f;

	while ((f = columns_next(&all)))
		for (unsigned i = 0; i < KEYS; i++)
			if (field_key(f, i) && !is_taken(t, f, i) && !(i == KEY_NAME && is_list(lists, f->name)))
				put_property(s, t, i, f, all.s);
}

/* Write all its records as one definition, which refers to itself in its lists. */
static void put_nested(struct writer *s, const struct nested *n, const char *name)
{
	jsonw_name(s->w, name);
	jsonw_object(s->w);
	put_member(s, "type", "object");
	jsonw_name(s->w, "properties");
	jsonw_object(s->w);
	put_rows(s, &(struct together){ n->records[0], n->records + 1 }, n->lists);
	for (const char *const *key = n->lists; *key; key++) {
		jsonw_name(s->w, *key);
		jsonw_object(s->w);
		put_member(s, "type", "array");
		jsonw_name(s->w, "items");
		jsonw_object(s->w);
		jsonw_name(s->w, "$ref");
		jsonw_fmt(s->w, "#/$defs/%s", name);
		jsonw_end(s->w);
		put_member(s, "description", "records of this document");
		jsonw_name(s->w, "x-since");
		jsonw_uint(s->w, 1);
		jsonw_end(s->w);
	}
	jsonw_end(s->w);
	jsonw_name(s->w, "additionalProperties");
	jsonw_bool(s->w, false);
	jsonw_end(s->w);
}

static void put_definition(struct writer *s, const struct schema *of, const struct schema *const *parts, unsigned uses)
{
	const struct together origin = { &fleet_origin_schema, NULL }, marks = { &watch_mark_schema, NULL };

	jsonw_name(s->w, def_name(s, of));
	jsonw_object(s->w);
	put_member(s, "type", "object");
	jsonw_name(s->w, "properties");
	jsonw_object(s->w);
	put_rows(s, &(struct together){ of, parts }, NULL);
	if (uses & CMD_MANY)
		put_rows(s, &origin, NULL);
	if (uses & CMD_WATCH)
		put_rows(s, &marks, NULL);
	jsonw_end(s->w);
	jsonw_name(s->w, "required");
	jsonw_array(s->w);
	for (size_t i = 0; i < of->n; i++) {
		if (!is_always_there(of, &of->fields[i]))
			continue;
		for (unsigned k = 0; k < KEYS; k++)
			if (field_key(&of->fields[i], k))
				jsonw_str(s->w, field_key(&of->fields[i], k));
	}
	jsonw_end(s->w);
	jsonw_name(s->w, "additionalProperties");
	jsonw_bool(s->w, false);
	jsonw_end(s->w);
}

/* Write the definitions, which may refer to further ones. */
static void put_definitions(struct writer *s)
{
	jsonw_name(s->w, "$defs");
	jsonw_object(s->w);
	for (size_t i = 0; i < s->nnested; i++)
		put_nested(s, s->nested[i].nested, s->nested[i].name);
	for (size_t i = 0; i < s->n; i++)
		put_definition(s, s->defined[i], s->parts[i], s->uses[i]);
	jsonw_end(s->w);
}

static void put_one(struct writer *s, const struct schema *of, const struct schema *const *parts)
{
	jsonw_object(s->w);
	put_ref(s, of, parts);
	jsonw_end(s->w);
}

static void put_any(struct writer *s, const struct documented *d, const char *nested)
{
	jsonw_name(s->w, "anyOf");
	jsonw_array(s->w);
	put_one(s, d->first, d->parts);
	for (const struct schema *const *p = d->rest; p && *p; p++)
		put_one(s, *p, NULL);
	if (nested) {
		jsonw_object(s->w);
		jsonw_name(s->w, "$ref");
		jsonw_fmt(s->w, "#/$defs/%s", nested);
		jsonw_end(s->w);
	}
	jsonw_end(s->w);
}

/* Name of the definition of nested records; NULL: it has no lists in records. */
static const char *nested_name(struct writer *s, const struct group *g, const struct command *c)
{
	const char *name = g->alone == c ? arena_fmt(s->arena, "%s_document", g->name) :
					   arena_fmt(s->arena, "%s_%s_document", g->name, c->name);

	if (!c->nested || s->nnested == NESTED_MAX)
		return NULL;
	s->nested[s->nnested].nested = c->nested;
	s->nested[s->nnested++].name = name;
	return name;
}

/* A document is one record (also a line of --ndjson), a list of records, null, or an error. */
static void put_document(struct writer *s, const struct group *g, const struct command *c)
{
	const struct documented d = documented_of(g, c);
	const char *nested = nested_name(s, g, c);

	define(s, d.first, d.parts, c->flags);
	put_member(s, "description", c->summary);
	jsonw_name(s->w, "anyOf");
	jsonw_array(s->w);
	jsonw_object(s->w);
	put_any(s, &d, nested);
	jsonw_end(s->w);
	jsonw_object(s->w);
	put_member(s, "type", "array");
	jsonw_name(s->w, "items");
	jsonw_object(s->w);
	put_any(s, &d, nested);
	jsonw_end(s->w);
	jsonw_end(s->w);
	jsonw_object(s->w);
	put_member(s, "type", "null");
	jsonw_end(s->w);
	put_one(s, &error_schema, NULL);
	jsonw_end(s->w);
}

static void put_group(struct writer *s, const struct group *g)
{
	const struct command *c;
	size_t i = 0;

	while ((c = documented_next(g, &i))) {
		jsonw_name(s->w, g->alone == c ? g->name : arena_fmt(s->arena, "%s %s", g->name, c->name));
		jsonw_object(s->w);
		put_document(s, g, c);
		jsonw_end(s->w);
	}
}

void schema_write(struct jsonw *w, const struct group *g, const struct command *c)
{
	ARENA a = arena_new();
	struct writer *s = arena_alloc(a, sizeof(*s));

	*s = (struct writer){ .w = w, .arena = a };
	jsonw_object(w);
	put_member(s, "$schema", DRAFT);
	put_member(s, "title",
		   !g		 ? "bpflens" :
		   !c		 ? arena_fmt(a, "bpflens %s", g->name) :
		   g->alone == c ? arena_fmt(a, "bpflens %s", g->name) :
				   arena_fmt(a, "bpflens %s %s", g->name, c->name));
	jsonw_name(w, "x-version");
	jsonw_uint(w, SCHEMA_VERSION);
	if (c) {
		put_document(s, g, c);
	} else {
		put_member(s, "type", "object");
		jsonw_name(w, "properties");
		jsonw_object(w);
		for (const struct group *each = g ? g : groups; each->name && (!g || each == g); each++)
			put_group(s, each);
		jsonw_end(w);
	}
	put_definitions(s);
	jsonw_end(w);
}
