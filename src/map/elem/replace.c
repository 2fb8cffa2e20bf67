/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/replace.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/env.h"
#include "map/open.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "kernel/elem.h"

struct others {
	struct replace *r;
	struct state keys;
	struct err *e;
	int failed;
};

/* Tries find prefixes by their first bits; the others can differ. */
static const unsigned char *same_key(struct replace *r, const unsigned char *key)
{
	const struct abi_map_info *info = &r->map->info;
	uint32_t bits, n = info->key_size;

	if (info->type != BPF_MAP_TYPE_LPM_TRIE || n < sizeof(bits))
		return key;
	memcpy(&bits, key, sizeof(bits));
	memcpy(r->scratch, key, n);
	for (uint32_t i = sizeof(bits), from = 0; i < n; i++, from += 8)
		if (from + 8 > bits)
			r->scratch[i] &= from >= bits ? 0 : (unsigned char)(0xff00 >> (bits - from));
	return r->scratch;
}

static int add(struct state *s, const unsigned char *key, struct err *e)
{
	struct err why = { 0 };
	int err = state_add(s, key, &why);

	return err ? err_set(e, err, "more than %u MiB of keys are too much to be remembered", REPLACE_MAX >> 20) : 0;
}

static void keys_init(struct state *s, uint32_t key_size)
{
	state_init(s, key_size, 0);
	s->max = REPLACE_MAX;
}

int replace_init(struct replace *r, struct env *env, const struct open_map *m, struct err *e)
{
	int err = map_can(m->info.id, m->info.type, VERB_GETNEXT, e);

	if (err)
		return err;
	*r = (struct replace){ .env = env, .map = m, .scratch = arena_alloc(env->keep, m->info.key_size) };
	keys_init(&r->keep, m->info.key_size);
	return 0;
}

int replace_keep(struct replace *r, const unsigned char *key, struct err *e)
{
	return add(&r->keep, same_key(r, key), e);
}

static bool other_take(void *ctx, const unsigned char *key, int err)
{
	struct others *o = ctx;

	if (!err && !state_find(&o->r->keep, same_key(o->r, key)))
		o->failed = add(&o->keys, key, o->e);
	return !o->failed;
}

static int others_find(struct others *o, struct err *e)
{
	struct arena *a = o->r->env->arena;
	size_t mark = arena_mark(a);
	struct walk w;
	int err;

	walk_init(&w, o->r->env, &o->r->map->info);
	err = walk_begin(&w, e);
	if (!err)
		err = walk_each(&w, other_take, o, e);
	arena_rewind(a, mark);
	return err ? err : o->failed;
}

static int others_delete(struct others *o, bool dry, struct err *e)
{
	const struct open_map *m = o->r->map;
	int err = o->keys.n ? map_can(m->info.id, m->info.type, VERB_DELETE, e) : 0;

	for (size_t i = 0; i < o->keys.n && !err; i++) {
		err = dry ? 0 : elem_delete(m->fd, state_elem(&o->keys, i));
		o->r->deleted += !err;
		err = err == -ENOENT ? 0 : err;
		if (err)
			map_refused(m, err, "delete elements", e);
	}
	return err;
}

int replace_run(struct replace *r, bool dry, struct err *e)
{
	struct others o = { .r = r, .e = e };
	int err;

	keys_init(&o.keys, r->map->info.key_size);
	err = others_find(&o, e);
	if (!err)
		err = others_delete(&o, dry, e);
	state_release(&o.keys);
	return err;
}
