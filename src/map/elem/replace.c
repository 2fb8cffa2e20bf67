/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/replace.h"

#include <linux/bpf.h>

#include "cli/env.h"
#include "kernel/elem.h"
#include "map/elem/walk.h"
#include "map/map.h"
#include "map/elem/open.h"
#include "map/types.h"
#include "record/field.h"

struct replace_search {
	struct replace *r;
	struct err *e;
	int failed;
};

static bool is_trie(const struct abi_map_info *info)
{
	return info->type == BPF_MAP_TYPE_LPM_TRIE && info->key_size >= sizeof(uint32_t);
}

static size_t value_bytes(const struct replace *r)
{
	return (size_t)elem_value_bytes(&r->map->form);
}

/* A trie finds a prefix by its first bits; the other bits may differ. */
static const unsigned char *same_key(struct replace *r, const unsigned char *key)
{
	const struct abi_map_info *info = &r->map->info;
	uint32_t bits, n = info->key_size;

	if (!is_trie(info))
		return key;
	memcpy(&bits, key, sizeof(bits));
	memcpy(r->scratch, key, n);
	for (uint32_t i = sizeof(bits), from = 0; i < n; i++, from += 8)
		if (from + 8 > bits)
			r->scratch[i] &= from >= bits ? 0 : (unsigned char)(0xff00 >> (bits - from));
	return r->scratch;
}

static int too_many(int err, struct err *e)
{
	err_set(e, err, "more than %u MiB of elements to keep in memory", REPLACE_MAX >> 20);
	return err_hint(e, "without --replace, elements are written as they are read");
}

static int frozen(struct env *env, const struct open_map *m, struct err *e)
{
	struct map_rec *rec = arena_alloc(env->keep, sizeof(*rec));
	int err = map_read(env, env->arena, m->info.id, NEED_FDINFO, rec, e);

	if (err || !rec->frozen)
		return err;
	err_set(e, -EPERM, "map %u is frozen: user space can no longer change it", m->info.id);
	return err_hint(e, "`map create` creates a new one");
}

int replace_init(struct replace *r, struct env *env, const struct open_map *m, struct err *e)
{
	int err = map_can(m->info.id, m->info.type, VERB_GETNEXT, e);

	if (err)
		return err;
	if (map_type(m->info.type)->flags & MAP_FILES) {
		err_set(e, -EOPNOTSUPP, "map %u: its values are descriptors, which cannot be stored in a file",
			m->info.id);
		return err_hint(e, "`map update` takes a descriptor that is open in the shell");
	}
	err = frozen(env, m, e);
	if (err)
		return err;
	*r = (struct replace){ .env = env, .map = m };
	state_init(&r->elems, m->info.key_size, value_bytes(r) + sizeof(uint64_t));
	state_init(&r->others, m->info.key_size, 0);
	r->elems.max = r->others.max = REPLACE_MAX;
	r->scratch = arena_alloc(env->keep, m->info.key_size + r->elems.stride);
	return 0;
}

void replace_release(struct replace *r)
{
	state_release(&r->elems);
	state_release(&r->others);
}

static int key_check(const struct abi_map_info *info, const unsigned char *key, struct err *e)
{
	uint32_t first, bits = (info->key_size - (uint32_t)sizeof(first)) * 8;

	if (info->key_size < sizeof(first))
		return 0;
	memcpy(&first, key, sizeof(first));
	if (map_type(info->type)->flags & MAP_INDEXED && first >= info->max_entries)
		return err_set(e, -E2BIG, "key %u is out of range: map %u has %u entries", first, info->id,
			       info->max_entries);
	if (is_trie(info) && first > bits)
		return err_set(e, -EINVAL, "a prefix of %u bits is too long: the keys of map %u have %u", first,
			       info->id, bits);
	return 0;
}

int replace_put(struct replace *r, const unsigned char *elem, uint64_t at, struct err *e)
{
	const struct abi_map_info *info = &r->map->info;
	unsigned char *fresh = r->scratch + info->key_size;
	int err = key_check(info, elem, e);

	if (err)
		return err;
	memcpy(fresh, same_key(r, elem), info->key_size);
	memcpy(fresh + info->key_size, elem + info->key_size, value_bytes(r));
	memcpy(fresh + info->key_size + value_bytes(r), &at, sizeof(at));
	if (r->elems.n >= info->max_entries && !state_find(&r->elems, fresh))
		return err_set(e, -E2BIG, "map %u has room for %u element%s", info->id, info->max_entries,
			       plural(info->max_entries));
	err = state_put(&r->elems, fresh, NULL);
	return err ? too_many(err, e) : 0;
}

uint64_t replace_at(const struct replace *r, size_t i)
{
	uint64_t at;

	memcpy(&at, state_elem(&r->elems, i) + r->elems.stride - sizeof(at), sizeof(at));
	return at;
}

static bool other_take(void *ctx, const unsigned char *key, int err)
{
	struct replace_search *s = ctx;
	struct replace *r = s->r;

	if (err == -ENOENT)
		return true;
	if (err)
		s->failed = err_sys(s->e, err, "map %u: cannot read an element", r->map->info.id);
	else if (!state_find(&r->elems, same_key(r, key)))
		s->failed = state_add(&r->others, key, NULL);
	if (!err && s->failed)
		too_many(s->failed, s->e);
	return !s->failed;
}

int replace_plan(struct replace *r, struct err *e)
{
	const struct abi_map_info *info = &r->map->info;
	struct replace_search s = { .r = r, .e = e };
	ARENA_SCOPE(r->env->arena);
	struct walk w;
	int err;

	walk_init(&w, r->env, info);
	err = walk_begin(&w, e);
	if (!err)
		err = walk_each(&w, other_take, &s, e);
	err = err ? err : s.failed;
	if (!err && w.flags & ELEMS_CUT)
		err = err_set(e, -EAGAIN, "map %u changes faster than it can be read", info->id);
	if (!err && r->others.n)
		err = map_can(info->id, info->type, VERB_DELETE, e);
	r->room = map_type(info->type)->flags & MAP_INDEXED ||
		  (!(map_type(info->type)->flags & MAP_EVICTS) && r->others.n + r->elems.n <= info->max_entries);
	return err;
}

int replace_delete(struct replace *r, struct err *e)
{
	for (size_t i = 0; i < r->others.n; i++) {
		int err = elem_delete(r->map->fd, state_elem(&r->others, i));

		r->deleted += !err;
		if (err && err != -ENOENT)
			return map_error(r->map, err, "delete elements", e);
	}
	return 0;
}
