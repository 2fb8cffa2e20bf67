/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/bpf.h>

#include "cli/command.h"
#include "map/elem/open.h"
#include "map/elem/query.h"
#include "map/elem/elem_args.h"
#include "record/field.h"
#include "render/doc.h"
#include "kernel/elem.h"

struct lookup_opts {
	struct object_ref map;
	struct arg_list words;
	struct assumed_opts types;
	struct arg_list format;
	const char *cpu;
	bool exact;
};

static const struct arg lookup_args[] = {
	ONE_MAP_ARG(struct lookup_opts, "the map"),
	ASSUMED_ARGS(struct lookup_opts, types, ASSUMED_FROM),
	FORMAT_ARG(struct lookup_opts, format),
	EXACT_ARG(struct lookup_opts, exact),
	ARG("[key DATA]", ARG_REST, struct lookup_opts, words, "its key", .offers = elem_args_offer_key),
};

static const struct arg member_args[] = {
	ONE_MAP_ARG(struct lookup_opts, "the map"),
	CPU_ARG("--cpu", struct lookup_opts, cpu),
	ASSUMED_ARGS(struct lookup_opts, types, ASSUMED_FROM),
	FORMAT_ARG(struct lookup_opts, format),
	EXACT_ARG(struct lookup_opts, exact),
	ARG("[key DATA] [value DATA]", ARG_REST, struct lookup_opts, words,
	    "key of the element; a value for a bloom filter", .offers = elem_args_offer_both),
};

struct member_rec {
	bool member;
};
static const struct field member_fields[] = {
	FIELD(member_rec, member, "member", "whether the value may be in the bloom filter", .role = ROLE_NAME,
	      .plain = "the value is in it, or other values set the same bits|"),
};
static const struct schema schema_member = SCHEMA("member", member_rec, member_fields);

/* A bloom filter has no elements; it answers whether a value may be in it. */
static int member_run(struct env *env, const struct open_map *m, const struct arg_list *words, struct err *e)
{
	unsigned char *value = arena_alloc(env->keep, elem_value_bytes(&m->form) + 8);
	struct member_rec rec;
	struct elem_args w;
	struct doc d;
	int unused, err = elem_args_split(m, words, ELEM_ARGS_VALUE, &w, e);

	if (!err)
		err = elem_args_value(env, m, &w, value, &unused, e);
	if (err)
		return err;
	err = elem_lookup(m->fd, NULL, value, 0);
	if (err && err != -ENOENT)
		return map_error(m, err, "test values", e);
	rec.member = !err;
	env_doc(env, &d);
	doc_record(&d, &schema_member, &rec);
	if (!err)
		return 0;
	env_doc_answers(env, &d);
	return err_set(e, err, "map %u: the value is not in it", m->info.id);
}

/* In bpftool's words, which scripts search for; the exit status also reports it. */
static int key_not_found(struct env *env, const struct open_map *m, const unsigned char *key, struct err *e)
{
	struct doc d;

	env_doc(env, &d);
	doc_text(&d, "key:\n");
	doc_hex(&d, key, m->info.key_size);
	doc_text(&d, "\n\nNot found\n");
	doc_null(&d);
	env->report->in_document = true;
	return err_set(e, -ENOENT, "map %u: no such element", m->info.id);
}

static int lookup_run(struct env *env, const void *opts, struct err *e)
{
	const struct lookup_opts *o = opts;
	struct arg_list words = o->words;
	const char *after = elem_args_cpu(&words), *cpu = o->cpu ? o->cpu : after;
	unsigned char *elem, *value;
	size_t at = 0;
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_LOOKUP, &m, e);

	if (!err)
		err = map_open_assumed(env, &m, &o->types, e);
	if (!err)
		err = map_open_formats(env, &m, &o->format, o->exact, e);
	if (err)
		return err;
	if (m.info.type == BPF_MAP_TYPE_BLOOM_FILTER)
		return member_run(env, &m, &o->words, e);
	elem = map_elem_room(env, &m, &value);
	err = cpu ? elem_form_cpu(&m.form, cpu, &at, e) : 0;
	err = err ? err : elem_args_key_only(&m, &words, elem, e);
	if (err)
		return err;
	err = elem_lookup(m.fd, m.info.key_size ? elem : NULL, value, 0);
	if (err == -ENOENT && env->opts->as_bpftool)
		return key_not_found(env, &m, elem, e);
	if (err == -ENOENT && !m.info.key_size)
		return err_set(e, err, "map %u is empty", m.info.id);
	if (err)
		return map_error(&m, err, "look up elements", e);
	memmove(value, value + at, cpu ? m.info.value_size : 0);
	map_elem_print(env, &m, elem);
	if (elem_look(env) != ELEM_JSON && !o->format.n && !o->exact)
		query_offer_auto(env, &m.shown);
	return 0;
}

const struct command map_lookup = {
	.name = "lookup",
	.summary = "look up an element of a map",
	.help = "For DATA, see update. For a bloom filter, the value is tested: \"yes\" may be wrong if other values have the same bits, \"no\" "
		"(exit status 3) is always right. `cpu N` after the key is the same as --cpu N.",
	ARGS(member_args, struct lookup_opts),
	.flags = CMD_READ | CMD_TEXT,
	.run = lookup_run,
};

const struct command map_peek = {
	.name = "peek",
	.summary = "show the next value of a queue or stack without removing it",
	.help = "Same as lookup.",
	ARGS(lookup_args, struct lookup_opts),
	.flags = CMD_READ | CMD_TEXT,
	.run = lookup_run,
};

struct typed_key {
	const char *next_key;
};
static const struct field typed_key_fields[] = {
	FIELD_AS(typed_key, next_key, FT_JSON, "next_key", "the next key, by type"),
};
static const struct schema schema_typed_key = SCHEMA("typed_key", typed_key, typed_key_fields);

struct near_keys {
	const char *key, *next; /* JSON; of bytes */
	const struct typed_key *typed;
	uint32_t ntyped;
};
static const struct field keys_fields[] = {
	FIELD_AS(near_keys, key, FT_JSON, "key", "key of the element, as it was given; null: none",
		 .flags = FIELD_NOPLAIN),
	FIELD_AS(near_keys, next, FT_JSON, "next_key", "the next key", .flags = FIELD_NOPLAIN),
	FIELD_ROWS(near_keys, typed, ntyped, &schema_typed_key, "formatted", "the next key by type",
		   .flags = FIELD_NOPLAIN | FIELD_SINGLE),
};
static const struct schema schema_keys = SCHEMA("keys", near_keys, keys_fields);

static void keys_print(struct env *env, const struct open_map *m, const unsigned char *key, const unsigned char *next)
{
	const uint32_t n = m->info.key_size;
	struct typed_key typed;
	struct near_keys rec = {
		.key = key ? elem_value_json(NULL, key, n, env->keep) : "null",
		.next = elem_value_json(NULL, next, n, env->keep),
		.typed = &typed,
		.ntyped = m->form.key != NULL,
	};
	struct doc d;

	if (m->form.key)
		typed.next_key = elem_value_json(m->form.key, next, n, env->keep);
	env_doc(env, &d);
	doc_record(&d, &schema_keys, &rec);
	/* Rows of 16 bytes, unlike a list in a field. */
	doc_text(&d, key ? "key:\n" : "key: None");
	if (key)
		doc_hex(&d, key, n);
	doc_text(&d, "\nnext key:\n");
	doc_hex(&d, next, n);
	doc_text(&d, "\n");
}

static int getnext_run(struct env *env, const void *opts, struct err *e)
{
	const struct lookup_opts *o = opts;
	unsigned char *key, *next, *unused;
	struct elem_args w;
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_GETNEXT, &m, e);

	if (!err)
		err = map_open_assumed(env, &m, &o->types, e);
	if (!err)
		err = map_open_formats(env, &m, &o->format, o->exact, e);
	if (err)
		return err;
	key = map_elem_room(env, &m, &unused);
	next = map_elem_room(env, &m, &unused);
	err = elem_args_split(&m, &o->words, ELEM_ARGS_KEY, &w, e);
	if (!err && w.has_key)
		err = elem_args_key(&m, &w, key, e);
	if (err)
		return err;
	key = w.has_key ? key : NULL;
	err = elem_next(m.fd, key, next);
	if (err == -ENOENT)
		return err_set(e, err, key ? "map %u: this key is the last one" : "map %u is empty", m.info.id);
	if (err)
		return map_error(&m, err, "walk keys", e);
	keys_print(env, &m, key, next);
	return 0;
}

const struct command map_getnext = {
	.name = "getnext",
	.summary = "show the key after a key, or the first one",
	.help = "For DATA, see update. After a key that is not in the map comes the first one.",
	.schema = &schema_keys,
	ARGS(lookup_args, struct lookup_opts),
	.flags = CMD_READ | CMD_TEXT,
	.run = getnext_run,
};
