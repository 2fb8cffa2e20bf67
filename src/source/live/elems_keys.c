/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include "source/elems.h"
#include "source/live/elems.h"

/* A walk by keys of these types starts again if its key is deleted meanwhile. */
static bool type_is_hashed(uint32_t type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_SOCKHASH:
	case BPF_MAP_TYPE_DEVMAP_HASH:
	case BPF_MAP_TYPE_CGROUP_STORAGE:
	case BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE:
		return true;
	default:
		return type > BPF_MAP_TYPE_BLOOM_FILTER; /* newer than we know */
	}
}

bool walk_tired(struct elems_walk *w)
{
	if (w->again <= 8ull * w->max_entries + WALK_AGAIN_MAX)
		return false;
	w->flags |= ELEMS_CUT;
	return true;
}

bool walk_key_is_new(struct elems_walk *w, const unsigned char *key)
{
	bool is_new = true;

	if (w->lpm) {
		is_new = w->first || lpm_cmp(key, w->last, w->key_size) > 0;
		if (is_new)
			memcpy(w->last, key, w->key_size);
		w->first = false;
	} else if (w->walked) {
		is_new = walked_add(w->walked, key, w->key_size);
	}
	if (!is_new) {
		w->again++;
		w->flags |= ELEMS_CHANGED;
	}
	return is_new;
}

/* Finds the keys that this walk has returned so far. */
static int walked_find(struct elems_walk *w)
{
	struct live_walk *m = w->mem;

	if (!type_is_hashed(w->type))
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(m->walked) && !w->walked; i++)
		if (m->walked[i].map_id == w->map_id)
			w->walked = &m->walked[i];
	if (w->seen)
		return w->walked ? 0 : -ESTALE;
	if (!w->walked)
		w->walked = &m->walked[m->next++ % ARRAY_SIZE(m->walked)];
	walked_reset(w->walked, w->map_id);
	return 0;
}

int walk_keys(struct elems_walk *w, struct arena *a, struct blob *ret)
{
	const struct live_walk *m = w->mem;
	unsigned char *next = arena_alloc(a, w->pos_size);
	const unsigned char *from = w->first ? NULL : w->pos;
	uint32_t n = 0;
	int err = walked_find(w);

	if (err)
		return err;

	while (n < w->room && !walk_tired(w)) {
		unsigned char *value = m->values + (size_t)n * w->value_size;

		err = bpf_map_get_next_key(w->fd, from, next);
		if (err)
			break;
		memcpy(w->pos, next, w->key_size);
		from = w->pos;
		if (!walk_key_is_new(w, next))
			continue;
		memset(value, 0, w->value_size);
		m->errs[n] = bpf_map_lookup_elem(w->fd, next, value);
		if (m->errs[n] == -ENOENT && (w->lpm || w->walked)) {
			w->flags |= ELEMS_CHANGED; /* deleted between the two calls */
			continue;
		}
		if (m->errs[n])
			memset(value, 0, w->value_size);
		memcpy(m->keys + (size_t)n++ * w->key_size, next, w->key_size);
	}
	if (err && err != -ENOENT)
		return err;
	walk_answer(w, n, true, !err, a, ret);
	return 0;
}
