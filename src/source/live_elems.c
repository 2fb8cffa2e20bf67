/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "base/arena.h"
#include "base/num.h"
#include "source/elems.h"
#include "source/live.h"
#include "system/abi.h"

#ifndef ENOTSUPP
#define ENOTSUPP 524		/* the kernel's own, which leaks out of bpf(2) */
#endif
#define BATCH_TRIES 4
#define ELEMS_MAX (1u << 30)	/* bytes of one answer, however big an element is */

/*
 * A cursor is MODE.SEEN.POSITION: b(atch) or k(ey), the number of elements so far in hex, and the kernel's opaque batch
 * position or the last key in hex; trailing zero bytes are left out. "tN" is a position too long for that, kept in
 * live_walk.
 */
struct walk {
	struct live_walk *mem;
	int fd;
	uint32_t map_id, type, key_size, value_size, max_entries;
	size_t stride, pos_size;	/* pos_size: bytes of a position */
	char mode;
	bool first;
	uint64_t seen;
	uint32_t room;			/* elements that fit in mem */
	unsigned char *pos;		/* in the arena */
};

void live_walk_release(struct live_walk *w)
{
	free(w->keys);
	free(w->values);
	free(w->errs);
	free(w->last);
}

static void *grow(void *p, size_t *cap, size_t need)
{
	void *bigger;

	if (need <= *cap)
		return p;
	bigger = realloc(p, need);
	if (!bigger)
		arena_die(need);
	*cap = need;
	return bigger;
}

static void walk_room(struct walk *w, uint32_t room)
{
	struct live_walk *m = w->mem;

	m->keys = grow(m->keys, &m->keys_cap, (size_t)room * w->key_size + 1);
	m->values = grow(m->values, &m->values_cap, (size_t)room * w->value_size + 1);
	m->errs = grow(m->errs, &m->errs_cap, (size_t)room * sizeof(*m->errs));
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

static int walk_init(struct walk *w, struct live *l, struct live_object *o, struct arena *a)
{
	struct abi_map_info info = { 0 };
	uint64_t value_size, stride;
	int err = o->info_len ? 0 : live_info(o), cpus = 1;

	if (err)
		return err;
	memcpy(&info, o->info, o->info_len < sizeof(info) ? o->info_len : sizeof(info));
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
	*w = (struct walk){
		.mem = &l->walk, .fd = o->fd, .map_id = o->id, .type = info.type, .key_size = info.key_size,
		.value_size = (uint32_t)value_size, .max_entries = info.max_entries, .stride = (size_t)stride,
		.pos_size = info.key_size > sizeof(uint32_t) ? info.key_size : sizeof(uint32_t),
	};
	w->pos = arena_alloc(a, w->pos_size);
	walk_room(w, w->stride < ELEMS_BATCH_BYTES ? (uint32_t)(ELEMS_BATCH_BYTES / w->stride) : 1);
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int position_parse(struct walk *w, const char *p)
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
		int hi = hex_digit(p[2 * i]), lo = hex_digit(p[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -EINVAL;
		w->pos[i] = (unsigned char)(hi << 4 | lo);
	}
	return 0;
}

static int cursor_parse(struct walk *w, const char *cursor)
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
	for (p = cursor + 2; hex_digit(*p) >= 0 && digits < 16; p++, digits++)
		w->seen = w->seen << 4 | (uint64_t)hex_digit(*p);
	if (!digits || *p != '.')
		return -EINVAL;
	return position_parse(w, p + 1);
}

static size_t cursor_print(struct walk *w, char *ret)
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
		m->last = grow(m->last, &m->last_cap, w->pos_size);
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

/* Keys, values and (if there are any) errors side by side in memory become elements in the arena. */
static void elems_put(struct walk *w, uint32_t count, bool errs, bool more, struct arena *a, struct blob *ret)
{
	struct elems_head head = { .count = count, .key_size = w->key_size, .value_size = w->value_size };
	const unsigned char *k = w->mem->keys, *v = w->mem->values;
	size_t ks = w->key_size, vs = w->value_size;
	char cursor[ELEMS_CURSOR_MAX];
	unsigned char *p;

	w->seen += count;
	/* A walk by keys starts again when its key is deleted under it, and need not end on its own. */
	if (w->seen > 2ull * w->max_entries + 4096)
		more = false;
	head.next_len = more ? (uint32_t)cursor_print(w, cursor) : 0;
	ret->n = sizeof(head) + head.next_len + w->stride * count;
	ret->p = p = arena_alloc(a, ret->n);
	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), cursor, head.next_len);
	p += sizeof(head) + head.next_len;
	for (uint32_t i = 0; i < count; i++, k += ks, v += vs) {
		if (errs)
			memcpy(p, &w->mem->errs[i], sizeof(int32_t));
		p += sizeof(int32_t);
		memcpy(p, k, ks);
		p += ks;
		memcpy(p, v, vs);
		p += vs;
	}
}

/* A hash bucket is handed out whole or not at all: room for all of it may be more than a usual batch. */
static bool batch_grow(struct walk *w)
{
	uint64_t room = 2ull * w->room;

	if (w->room > w->max_entries || room * w->stride > ELEMS_MAX)
		return false;
	walk_room(w, (uint32_t)room);
	return true;
}

/* 1: this kernel has no batches for this map. */
static int walk_batch(struct walk *w, struct arena *a, struct blob *ret)
{
	unsigned char *out = arena_alloc(a, w->pos_size);
	uint32_t count = 0;
	int err = -EINTR;

	for (int tries = 0; tries < BATCH_TRIES; ) {
		count = w->room;
		err = bpf_map_lookup_batch(w->fd, w->first ? NULL : w->pos, out, w->mem->keys, w->mem->values, &count, NULL);
		if (count > w->room)
			count = 0;
		if (err == -ENOSPC && !count && batch_grow(w))
			continue;
		if (err != -EINTR || count)
			break;
		tries++;
	}
	if (err == -ENOENT) {
		elems_put(w, count, false, false, a, ret);
		return 0;
	}
	if (!err || (err == -EINTR && count) || (err == -ENOSPC && count)) {
		if (!count)		/* no progress and no end: do not ask for ever */
			return w->first ? 1 : -EIO;
		memcpy(w->pos, out, w->pos_size);
		elems_put(w, count, false, true, a, ret);
		return 0;
	}
	return w->first && err != -EPERM && err != -EACCES ? 1 : err;
}

static int walk_keys(struct walk *w, struct arena *a, struct blob *ret)
{
	const struct live_walk *m = w->mem;
	const unsigned char *last = w->first ? NULL : w->pos;
	uint32_t n = 0;
	int err = 0;

	while (n < w->room) {
		unsigned char *key = m->keys + (size_t)n * w->key_size, *value = m->values + (size_t)n * w->value_size;

		err = bpf_map_get_next_key(w->fd, last, key);
		if (err)
			break;
		memset(value, 0, w->value_size);
		m->errs[n] = bpf_map_lookup_elem(w->fd, key, value);
		if (m->errs[n])
			memset(value, 0, w->value_size);
		last = key;
		n++;
	}
	if (err && err != -ENOENT)
		return err;
	if (!err)
		memcpy(w->pos, last, w->key_size);
	elems_put(w, n, true, !err, a, ret);
	return 0;
}

int live_elems(struct live *l, struct live_object *o, const char *cursor, struct arena *a, struct blob *ret)
{
	struct walk w;
	int err = walk_init(&w, l, o, a);

	if (err)
		return err;
	err = cursor_parse(&w, cursor);
	if (err)
		return err;
	if (w.mode == 'b') {
		err = walk_batch(&w, a, ret);
		if (err <= 0)
			return err;
		w.mode = 'k';
	}
	return walk_keys(&w, a, ret);
}
