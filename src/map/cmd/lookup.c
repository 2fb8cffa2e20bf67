/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <errno.h>
#include <linux/bpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/command.h"
#include "map/open.h"
#include "map/elem/words.h"
#include "render/jsonw.h"
#include "kernel/elem.h"

struct lookup_opts {
	struct object_ref map;
	struct arg_list words;
};

static const struct arg lookup_args[] = {
	{ .name = "MAP", .type = ARG_OBJECT, .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = offsetof(struct lookup_opts, map),
	  .help = "the map" },
	{ .name = "[key DATA]", .type = ARG_REST, .off = offsetof(struct lookup_opts, words),
	  .offers = words_offer_key, .help = "its key" },
};

static const struct arg member_args[] = {
	{ .name = "MAP", .type = ARG_OBJECT, .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = offsetof(struct lookup_opts, map),
	  .help = "the map" },
	{ .name = "[key DATA] [value DATA]", .type = ARG_REST, .off = offsetof(struct lookup_opts, words),
	  .offers = words_offer_both, .help = "its key; a value for a bloom filter" },
};

/* A bloom filter has no elements, but an answer to "may this value be in it?". */
static int member_run(struct env *env, const struct open_map *m, const struct arg_list *words, struct err *e)
{
	unsigned char *value = arena_alloc(env->keep, elem_value_bytes(&m->form) + 8);
	struct elem_words w;
	int unused, err = words_split(m, words, WORDS_VALUE, &w, e);

	if (!err)
		err = words_value(env, m, &w, value, &unused, e);
	if (err)
		return err;
	err = elem_lookup(m->fd, NULL, value, 0);
	if (err && err != -ENOENT)
		return map_refused(m, err, "ask for a value", e);
	if (env->report->jw) {
		jsonw_object(env->report->jw);
		jsonw_name(env->report->jw, "member");
		jsonw_bool(env->report->jw, !err);
		jsonw_end(env->report->jw);
		env->report->told = err;
	} else if (!err) {
		out_str(env->report->out, "the value is in it, or others that look alike\n");
	}
	return err ? err_set(e, err, "map %u: the value is not in it", m->info.id) : 0;
}

/* In bpftool's words, which scripts look for; the status says it, too. */
static int not_found(struct env *env, const struct open_map *m, const unsigned char *key, struct err *e)
{
	if (env->report->jw) {
		jsonw_null(env->report->jw);
	} else {
		out_str(env->report->out, "key:\n");
		out_hex(env->report->out, key, m->info.key_size);
		out_str(env->report->out, "\n\nNot found\n");
	}
	env->report->told = true;
	return err_set(e, -ENOENT, "map %u: there is no such element", m->info.id);
}

static int lookup_run(struct env *env, const void *opts, struct err *e)
{
	const struct lookup_opts *o = opts;
	unsigned char *elem, *value;
	struct elem_words w;
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_LOOKUP, &m, e);

	if (err)
		return err;
	if (m.info.type == BPF_MAP_TYPE_BLOOM_FILTER)
		return member_run(env, &m, &o->words, e);
	elem = map_elem_room(env, &m, &value);
	err = words_split(&m, &o->words, WORDS_KEY, &w, e);
	if (!err)
		err = words_key(&m, &w, elem, e);
	if (err)
		return err;
	err = elem_lookup(m.fd, m.info.key_size ? elem : NULL, value, 0);
	if (err == -ENOENT && env->opts->as_bpftool)
		return not_found(env, &m, elem, e);
	if (err == -ENOENT && !m.info.key_size)
		return err_set(e, err, "map %u is empty", m.info.id);
	if (err)
		return map_refused(&m, err, "look elements up", e);
	map_elem_print(env, &m, elem);
	return 0;
}

const struct command map_lookup = {
	.name = "lookup", .summary = "one element of a map",
	.help = "DATA as for update. Of a bloom filter it is asked whether a value is in it: \"yes\" may be wrong where others that are "
		"in it look alike, \"no\" (exit status 3) is not.",
	ARGS(member_args), .opts_size = sizeof(struct lookup_opts), .flags = CMD_READ | CMD_TEXT, .run = lookup_run,
};

const struct command map_peek = {
	.name = "peek", .summary = "the next value of a queue or stack, which stays there",
	.help = "The same as lookup.",
	ARGS(lookup_args), .opts_size = sizeof(struct lookup_opts), .flags = CMD_READ | CMD_TEXT, .run = lookup_run,
};

static void key_print(struct env *env, const struct open_map *m, const char *name, const unsigned char *key)
{
	if (!key) {
		out_fmt(env->report->out, "%s: None\n", name);
		return;
	}
	out_fmt(env->report->out, "%s:\n", name);
	out_hex(env->report->out, key, m->info.key_size);
	out_char(env->report->out, '\n');
}

/* As bytes, and by type if there is one. */
static void keys_json(struct jsonw *w, const struct open_map *m, const unsigned char *key, const unsigned char *next)
{
	jsonw_object(w);
	jsonw_name(w, "key");
	if (key)
		jsonw_hexbytes(w, key, m->info.key_size);
	else
		jsonw_null(w);
	jsonw_name(w, "next_key");
	jsonw_hexbytes(w, next, m->info.key_size);
	if (m->form.key) {
		jsonw_name(w, "formatted");
		jsonw_object(w);
		jsonw_name(w, "next_key");
		value_print(m->form.key, w, next, m->info.key_size);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static int getnext_run(struct env *env, const void *opts, struct err *e)
{
	const struct lookup_opts *o = opts;
	unsigned char *key, *next, *unused;
	struct elem_words w;
	OPEN_MAP(m);
	int err = map_open(env, &o->map, VERB_GETNEXT, &m, e);

	if (err)
		return err;
	key = map_elem_room(env, &m, &unused);
	next = map_elem_room(env, &m, &unused);
	err = words_split(&m, &o->words, WORDS_KEY, &w, e);
	if (!err && w.has_key)
		err = words_key(&m, &w, key, e);
	if (err)
		return err;
	key = w.has_key ? key : NULL;
	err = elem_next(m.fd, key, next);
	if (err == -ENOENT)
		return err_set(e, err, key ? "map %u: this key is the last one" : "map %u is empty", m.info.id);
	if (err)
		return map_refused(&m, err, "walk through its keys", e);
	if (env->report->jw) {
		keys_json(env->report->jw, &m, key, next);
		return 0;
	}
	key_print(env, &m, "key", key);
	key_print(env, &m, "next key", next);
	return 0;
}

const struct command map_getnext = {
	.name = "getnext", .summary = "the key behind a key, or the first one",
	.help = "DATA as for update. A key that is not in the map is followed by the first one.",
	ARGS(lookup_args), .opts_size = sizeof(struct lookup_opts), .flags = CMD_READ | CMD_TEXT, .run = getnext_run,
};
