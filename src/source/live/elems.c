/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/base.h"
#include "source/elems.h"
#include "source/live/live.h"
#include "kernel/abi.h"

#define BATCH_TRIES 4
#define SWAP(a, b) \
	do { \
		__typeof__(a) swap_ = (a); \
		(a) = (b); \
		(b) = swap_; \
	} while (0)
#define AGAIN_MAX 65536u     /* repeated keys, in addition to a few times max_entries, before the walk is given up */
#define ELEMS_MAX (1u << 30) /* bytes of an answer, whatever the size of an element */

/*
 * A cursor is MODE.SEEN.POSITION: b(atch) or k(ey), the number of elements so far in hex, and the kernel's opaque batch
 * position or the last key in hex, without trailing zero bytes. "tN" is a longer position, kept in live_walk.
 */
struct elems_walk {
	struct live_walk *mem;
	struct walked *walked; /* NULL: keys cannot be repeated, or are ordered */
	int fd;
	uint32_t map_id, type, key_size, value_size, max_entries;
	size_t stride, pos_size; /* pos_size: bytes of a position */
	char mode;
	bool first, lpm;
	uint64_t seen, again; /* elements returned, and repeated elements dropped from this batch */
	unsigned flags;	      /* enum elems_flags */
	uint32_t room;	      /* elements that fit in mem */
	unsigned char *pos;   /* in the arena */
	unsigned char *last;  /* LPM: the last key returned, in the arena; also where the batch begins */
};

void live_walk_drop(struct live_walk *w)
{
	ahead_wait(&w->ahead);
	trie_close(&w->trie);
	w->trie_map = 0;
}

void live_walk_release(struct live_walk *w)
{
	free(w->keys);
	free(w->values);
	free(w->errs);
	free(w->last);
	live_walk_drop(w);
	ahead_release(&w->ahead);
	for (unsigned i = 0; i < ARRAY_SIZE(w->walked); i++)
		walked_release(&w->walked[i]);
}

static void *buffer_grow(void *p, size_t *cap, size_t need)
{
	if (need <= *cap)
		return p;
	*cap = need;
	return array_resize(p, need, 1);
}

static void walk_room(struct elems_walk *w, uint32_t room)
{
	struct live_walk *m = w->mem;

	m->keys = buffer_grow(m->keys, &m->keys_cap, (size_t)room * w->key_size + 1);
	m->values = buffer_grow(m->values, &m->values_cap, (size_t)room * w->value_size + 1);
	m->errs = buffer_grow(m->errs, &m->errs_cap, (size_t)room * sizeof(*m->errs));
	w->room = room;
}

static bool type_is_percpu(uint32_t type)
{
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE;
}

static bool type_has_batch(uint32_t type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_LPM_TRIE:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
		return true;
	default:
		return false;
	}
}

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

static int elems_walk_init(struct elems_walk *w, struct live *l, struct live_object *o, struct arena *a)
{
	struct abi_map_info info;
	uint64_t value_size, stride;
	int err = live_map_info(o, &info), cpus = 1;

	if (err)
		return err;
	value_size = info.value_size;
	if (type_is_percpu(info.type)) {
		cpus = libbpf_num_possible_cpus();
		if (cpus <= 0)
			return cpus ? cpus : -EINVAL;
		value_size = ((value_size + 7) & ~7ull) * (uint64_t)cpus;
	}
	stride = sizeof(int32_t) + info.key_size + value_size;
	if (stride > ELEMS_MAX)
		return -EFBIG;
	*w = (struct elems_walk){
		.mem = &l->walk,
		.fd = o->fd,
		.map_id = o->id,
		.type = info.type,
		.key_size = info.key_size,
		.value_size = (uint32_t)value_size,
		.max_entries = info.max_entries,
		.stride = (size_t)stride,
		.pos_size = info.key_size > sizeof(uint32_t) ? info.key_size : sizeof(uint32_t),
	};
	w->pos = arena_alloc(a, w->pos_size);
	w->last = arena_alloc(a, w->pos_size);
	w->lpm = info.type == BPF_MAP_TYPE_LPM_TRIE && info.key_size >= sizeof(uint32_t);
	walk_room(w, w->stride < ELEMS_BATCH_BYTES ? (uint32_t)(ELEMS_BATCH_BYTES / w->stride) : 1);
	return 0;
}

static int position_parse(struct elems_walk *w, const char *p)
{
	const struct live_walk *m = w->mem;
	size_t n = strlen(p);

	if (*p == 't') {
		char now[24];

		*num_dec(now, m->token) = '\0';
		if (strcmp(p + 1, now) != 0 || m->last_map != w->map_id || m->last_len != w->pos_size)
			return -ESTALE;
		memcpy(w->pos, m->last, w->pos_size);
		return 0;
	}
	if (n % 2 || n / 2 > w->pos_size)
		return -EINVAL;
	for (size_t i = 0; i < n / 2; i++) {
		int hi = num_hex_digit(p[2 * i]), lo = num_hex_digit(p[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -EINVAL;
		w->pos[i] = (unsigned char)(hi << 4 | lo);
	}
	return 0;
}

static int cursor_parse(struct elems_walk *w, const char *cursor)
{
	const char *p;
	unsigned digits = 0;

	if (!*cursor || !strcmp(cursor, "start")) {
		w->first = true;
		w->mode = type_has_batch(w->type) ? 'b' : 'k';
		return 0;
	}
	w->mode = cursor[0];
	if ((w->mode != 'b' && w->mode != 'k') || cursor[1] != '.')
		return -EINVAL;
	for (p = cursor + 2; num_hex_digit(*p) >= 0 && digits < 16; p++, digits++)
		w->seen = w->seen << 4 | (uint64_t)num_hex_digit(*p);
	if (!digits || *p != '.')
		return -EINVAL;
	return position_parse(w, p + 1);
}

static size_t cursor_print(struct elems_walk *w, char *ret)
{
	struct live_walk *m = w->mem;
	size_t n = w->pos_size;
	char *p = ret;

	*p++ = w->mode;
	*p++ = '.';
	p = num_hex(p, w->seen);
	*p++ = '.';
	while (n && !w->pos[n - 1])
		n--;
	if (2 * n > ELEMS_CURSOR_MAX - (size_t)(p - ret)) {
		m->last = buffer_grow(m->last, &m->last_cap, w->pos_size);
		memcpy(m->last, w->pos, w->pos_size);
		m->last_len = w->pos_size;
		m->last_map = w->map_id;
		*p++ = 't';
		return (size_t)(num_dec(p, ++m->token) - ret);
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(p, num_hex2[w->pos[i]], 2);
		p += 2;
	}
	return (size_t)(p - ret);
}

/* Makes elements in the arena of separate keys, values and, if @errs, errors. */
static void elems_put(struct elems_walk *w, uint32_t count, bool errs, bool more, struct arena *a, struct blob *ret)
{
	struct elems_head head = { .count = count, .key_size = w->key_size, .value_size = w->value_size };
	const unsigned char *k = w->mem->keys, *v = w->mem->values;
	size_t ks = w->key_size, vs = w->value_size;
	char cursor[ELEMS_CURSOR_MAX];
	const int32_t none = 0;
	unsigned char *p;

	w->seen += count;
	/* With inserts before its position, a walk by keys might never end. */
	if (more && (w->lpm || w->walked) && w->seen > 2ull * w->max_entries + AGAIN_MAX)
		w->flags |= ELEMS_CUT;
	if (w->flags & ELEMS_CUT)
		more = false;
	head.next_len = more ? (uint16_t)cursor_print(w, cursor) : 0;
	head.flags = (uint16_t)w->flags;
	ret->n = sizeof(head) + head.next_len + w->stride * count;
	ret->p = p = arena_room(a, ret->n);
	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), cursor, head.next_len);
	p += sizeof(head) + head.next_len;
	for (uint32_t i = 0; i < count; i++, k += ks, v += vs) {
		memcpy(p, errs ? &w->mem->errs[i] : &none, sizeof(int32_t));
		p += sizeof(int32_t);
		memcpy(p, k, ks);
		p += ks;
		memcpy(p, v, vs);
		p += vs;
	}
}

/* The kernel returns a hash bucket as a whole or not at all: it may need more room than a normal batch. */
static bool batch_grow(struct elems_walk *w)
{
	uint64_t room = 2ull * w->room;

	if (w->room > w->max_entries || room * w->stride > ELEMS_MAX)
		return false;
	walk_room(w, (uint32_t)room);
	return true;
}

/* Too many keys were repeated: the rest of the map is given up. */
static bool walk_tired(struct elems_walk *w)
{
	if (w->again <= 8ull * w->max_entries + AGAIN_MAX)
		return false;
	w->flags |= ELEMS_CUT;
	return true;
}

/* Is this key not yet returned? */
static bool key_is_new(struct elems_walk *w, const unsigned char *key)
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
		if (!key_is_new(w, keys + (size_t)i * w->key_size))
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

/* 1: this kernel has no batches for this map. */
static int walk_batch(struct elems_walk *w, struct arena *a, struct blob *ret)
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
	elems_put(w, n, false, more, a, ret);
	/* After a second batch, the others will also be needed. */
	if (more && !first)
		ahead_start(&w->mem->ahead, trie_of(w, first), w->map_id, w->fd, w->pos, w->pos_size, w->room,
			    w->key_size, w->value_size);
	else if (!more && w->mem->trie_map == w->map_id)
		live_walk_drop(w->mem);
	return 0;
}

static int walk_keys(struct elems_walk *w, struct arena *a, struct blob *ret)
{
	const struct live_walk *m = w->mem;
	unsigned char *next = arena_alloc(a, w->pos_size);
	const unsigned char *from = w->first ? NULL : w->pos;
	uint32_t n = 0;
	int err = 0;

	while (n < w->room && !walk_tired(w)) {
		unsigned char *value = m->values + (size_t)n * w->value_size;

		err = bpf_map_get_next_key(w->fd, from, next);
		if (err)
			break;
		memcpy(w->pos, next, w->key_size);
		from = w->pos;
		if (!key_is_new(w, next))
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
	elems_put(w, n, true, !err, a, ret);
	return 0;
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

int live_elems(struct live *l, struct live_object *o, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct elems_walk w;
	int err = elems_walk_init(&w, l, o, a);

	if (err)
		return err;
	err = cursor_parse(&w, q->text ? q->text : "");
	if (err)
		return err;
	memcpy(w.last, w.pos, w.pos_size);
	if (w.mode == 'b') {
		err = walk_batch(&w, a, ret);
		if (err <= 0)
			return err;
		w.mode = 'k';
	}
	err = walked_find(&w);
	return err ? err : walk_keys(&w, a, ret);
}
