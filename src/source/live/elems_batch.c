/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include "source/live/elems.h"

#define BATCH_TRIES 4
#define SWAP(a, b) \
	do { \
		__typeof__(a) swap_ = (a); \
		(a) = (b); \
		(b) = swap_; \
	} while (0)

/* The kernel returns a hash bucket as a whole or not at all: it may need more room than a normal batch. */
static bool batch_grow(struct elems_walk *w)
{
	uint64_t room = 2ull * w->room;

	if (w->room > w->max_entries || room * w->stride > WALK_BYTES_MAX)
		return false;
	walk_room(w, (uint32_t)room);
	return true;
}

/*
 * The kernel walks a trie by keys even for a batch. Returns the number of new elements in the batch, which are moved to
 * its front.
 */
static uint32_t batch_new(struct elems_walk *w, uint32_t count)
{
	unsigned char *keys = w->mem->keys, *values = w->mem->values;
	uint32_t n = 0;

	if (!w->lpm)
		return count;
	for (uint32_t i = 0; i < count; i++) {
		if (!walk_key_is_new(w, keys + (size_t)i * w->key_size))
			continue;
		if (n < i) {
			memcpy(keys + (size_t)n * w->key_size, keys + (size_t)i * w->key_size, w->key_size);
			memcpy(values + (size_t)n * w->value_size, values + (size_t)i * w->value_size, w->value_size);
		}
		n++;
	}
	return n;
}

/* Takes the batch that was read ahead, if it is this one and has elements. */
static bool batch_take(struct elems_walk *w, const unsigned char *from, unsigned char *out, uint32_t *count,
		       int *ret_err)
{
	struct live_walk *m = w->mem;
	struct ahead *a = &m->ahead;

	if (!from || !ahead_take(a, w->map_id, from, w->pos_size, w->room) || (!a->count && a->err != -ENOENT))
		return false;
	SWAP(m->keys, a->keys);
	SWAP(m->keys_cap, a->keys_cap);
	SWAP(m->values, a->values);
	SWAP(m->values_cap, a->values_cap);
	memcpy(out, a->out, w->pos_size);
	*count = a->count;
	*ret_err = a->err;
	return true;
}

/* The fast walk through a trie, for all batches but the first, which is enough for small tries. NULL: none. */
static struct trie *trie_of(struct elems_walk *w, bool first)
{
	struct live_walk *m = w->mem;

	if (!w->lpm || first)
		return NULL;
	if (m->trie_map != w->map_id) {
		live_walk_drop(m);
		m->trie_map = w->map_id;
		trie_open(&m->trie, m->own, w->fd, w->key_size, w->value_size);
	}
	return m->trie.walk ? &m->trie : NULL;
}

/* Reads a batch from @from into w->mem; *out is where the next one begins. */
static int batch_read(struct elems_walk *w, unsigned char *from, unsigned char *out, uint32_t *count)
{
	struct trie *trie;
	int err = -EINTR;

	if (batch_take(w, from, out, count, &err))
		return err;
	trie = trie_of(w, !from);
	if (trie) {
		*count = w->room;
		err = trie_read(trie, from, out, w->mem->keys, w->mem->values, count);
		if (!err || err == -ENOENT)
			return err;
		trie_close(trie);
	}
	for (int tries = 0; tries < BATCH_TRIES;) {
		*count = w->room;
		err = bpf_map_lookup_batch(w->fd, from, out, w->mem->keys, w->mem->values, count, NULL);
		if (*count > w->room)
			*count = 0;
		if (err == -ENOSPC && !*count && batch_grow(w))
			continue;
		if (err != -EINTR || *count)
			break;
		tries++;
	}
	return err;
}

int walk_batch(struct elems_walk *w, struct arena *a, struct blob *ret)
{
	unsigned char *out = arena_alloc(a, w->pos_size);
	unsigned char *from = w->first ? NULL : w->pos;
	const bool first = w->first;
	uint32_t count = 0, n = 0;
	bool more = true;
	int err;

	while (!n && more && !walk_tired(w)) {
		err = batch_read(w, from, out, &count);
		more = err != -ENOENT;
		if (more && err && (!count || (err != -EINTR && err != -ENOSPC)))
			return first && !from && err != -EPERM && err != -EACCES ? 1 : err;
		if (more && !count) /* neither progress nor the end: do not ask forever */
			return first ? 1 : -EIO;
		n = batch_new(w, count);
		memcpy(w->pos, out, w->pos_size);
		from = w->pos;
	}
	if (w->lpm && n)
		memcpy(w->pos, w->last, w->key_size);
	walk_answer(w, n, false, more, a, ret);
	/* After a second batch, the others will also be needed. */
	if (more && !first)
		ahead_start(&w->mem->ahead, trie_of(w, first), w->map_id, w->fd, w->pos, w->pos_size, w->room,
			    w->key_size, w->value_size);
	else if (!more && w->mem->trie_map == w->map_id)
		live_walk_drop(w->mem);
	return 0;
}
