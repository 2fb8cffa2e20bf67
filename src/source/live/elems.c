/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/live/elems.h"

#include <bpf/libbpf.h>
#include "source/elems.h"
#include "source/live/live.h"
#include "kernel/abi.h"

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

void *walk_buffer(void *p, size_t *cap, size_t need)
{
	if (need <= *cap)
		return p;
	*cap = need;
	return array_resize(p, need, 1);
}

void walk_room(struct elems_walk *w, uint32_t room)
{
	struct live_walk *m = w->mem;

	m->keys = walk_buffer(m->keys, &m->keys_cap, (size_t)room * w->key_size + 1);
	m->values = walk_buffer(m->values, &m->values_cap, (size_t)room * w->value_size + 1);
	m->errs = walk_buffer(m->errs, &m->errs_cap, (size_t)room * sizeof(*m->errs));
	w->room = room;
}

static bool type_is_percpu(uint32_t type)
{
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE;
}

static int elems_walk_init(struct elems_walk *w, struct live *l, struct arena *a)
{
	struct abi_map_info info;
	uint64_t value_size, stride;
	int err = live_map_info(l, &info), cpus = 1;

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
	if (stride > WALK_BYTES_MAX)
		return -EFBIG;
	*w = (struct elems_walk){
		.mem = &l->walk,
		.fd = l->object->fd,
		.map_id = l->object->id,
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

void walk_answer(struct elems_walk *w, uint32_t count, bool errs, bool more, struct arena *a, struct blob *ret)
{
	struct elems_head head = { .count = count, .key_size = w->key_size, .value_size = w->value_size };
	const unsigned char *k = w->mem->keys, *v = w->mem->values;
	size_t ks = w->key_size, vs = w->value_size;
	char cursor[ELEMS_CURSOR_MAX];
	const int32_t none = 0;
	unsigned char *p;

	w->seen += count;
	/* With inserts before its position, a walk by keys might never end. */
	if (more && (w->lpm || w->walked) && w->seen > 2ull * w->max_entries + WALK_AGAIN_MAX)
		w->flags |= ELEMS_CUT;
	if (w->flags & ELEMS_CUT)
		more = false;
	head.next_len = more ? (uint16_t)walk_cursor_print(w, cursor) : 0;
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

int live_elems(struct live *l, struct arena *a, struct blob *ret)
{
	struct elems_walk w;
	int err = elems_walk_init(&w, l, a);

	if (err)
		return err;
	err = walk_cursor_parse(&w, l->asked->text ? l->asked->text : "");
	if (err)
		return err;
	memcpy(w.last, w.pos, w.pos_size);
	if (w.mode == 'b') {
		err = walk_batch(&w, a, ret);
		if (err <= 0)
			return err;
		w.mode = 'k';
	}
	return walk_keys(&w, a, ret);
}
