/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps: all elements are in the file of the object, so that an array is mapped as the kernel maps it. */
#include <fcntl.h>
#include <sys/mman.h>
#include "fake.h"

enum shape { NONE, ARRAY, HASH, QUEUE, STACK, TRIE, RING, OPS };

static const struct type {
	uint8_t shape;
	bool percpu;
	uint8_t of; /* values are descriptors of OBJECT_... plus 1; a reader gets ids */
} types[] = {
	[BPF_MAP_TYPE_HASH] = { HASH },
	[BPF_MAP_TYPE_ARRAY] = { ARRAY },
	[BPF_MAP_TYPE_PROG_ARRAY] = { ARRAY, false, OBJECT_PROG + 1 },
	[BPF_MAP_TYPE_PERF_EVENT_ARRAY] = { ARRAY, false, OBJECT_PERF + 1 },
	[BPF_MAP_TYPE_STACK_TRACE] = { HASH },
	[BPF_MAP_TYPE_PERCPU_HASH] = { HASH, true },
	[BPF_MAP_TYPE_PERCPU_ARRAY] = { ARRAY, true },
	[BPF_MAP_TYPE_LRU_HASH] = { HASH },
	[BPF_MAP_TYPE_LRU_PERCPU_HASH] = { HASH, true },
	[BPF_MAP_TYPE_LPM_TRIE] = { TRIE },
	[BPF_MAP_TYPE_ARRAY_OF_MAPS] = { ARRAY, false, OBJECT_MAP + 1 },
	[BPF_MAP_TYPE_HASH_OF_MAPS] = { HASH, false, OBJECT_MAP + 1 },
	[BPF_MAP_TYPE_QUEUE] = { QUEUE },
	[BPF_MAP_TYPE_STACK] = { STACK },
	[BPF_MAP_TYPE_SOCKMAP] = { ARRAY },
	[ABI_MAP_STRUCT_OPS] = { OPS },
	[BPF_MAP_TYPE_RINGBUF] = { RING },
};

/* The elements of one map, mapped. A slot of an array is the value; others begin with whether there is an element. */
struct elems {
	struct object *map;
	const struct type *type;
	unsigned char *p;
	size_t stride, key_size, value_at, value_size; /* value_size: as in bpf(2) */
	size_t bytes;
};

static uint32_t round8(uint32_t n)
{
	return (n + 7) & ~7u;
}

static const struct type *type_of(uint32_t type)
{
	return type < ARRAY_SIZE(types) ? &types[type] : &types[0];
}

static void elems_size(struct elems *m, struct object *o)
{
	const struct abi_map_info *info = &o->info.map;
	const struct type *t = type_of(info->type);

	*m = (struct elems){ o, t, .key_size = info->key_size };
	m->value_size = t->percpu ? (size_t)CPUS * round8(info->value_size) : info->value_size;
	m->value_at = t->shape == ARRAY || t->shape == OPS ? 0 : 8 + round8(info->key_size);
	m->stride = m->value_at + round8((uint32_t)m->value_size);
	m->bytes = t->shape == RING ? 2 * 4096 + 2ul * info->max_entries : m->stride * info->max_entries;
	m->bytes = (m->bytes + 4095) & ~4095ul;
}

static int elems_open(struct elems *m, int fd)
{
	int err;
	struct object *o = object_of(fd, OBJECT_MAP, &err);
	CLEAN_FD file = o ? object_file(o) : -1;

	*m = (struct elems){ 0 };
	if (!o)
		return err;
	elems_size(m, o);
	m->p = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	return m->p == MAP_FAILED ? -ENOMEM : 0;
}

static bool has(const struct elems *m, uint32_t i)
{
	return m->type->shape == ARRAY || m->type->shape == OPS || m->p[i * m->stride];
}

static unsigned char *key_at(const struct elems *m, uint32_t i)
{
	return m->p + i * m->stride + 8;
}

static unsigned char *value_at(const struct elems *m, uint32_t i)
{
	return m->p + i * m->stride + m->value_at;
}

/* The slot of the element with exactly that key, or UINT32_MAX. */
static uint32_t find(const struct elems *m, const void *key)
{
	uint32_t i;

	if (m->type->shape == ARRAY || m->type->shape == OPS) {
		memcpy(&i, key, sizeof(i));
		return i < m->map->info.map.max_entries ? i : UINT32_MAX;
	}
	for (i = 0; i < m->map->top; i++)
		if (has(m, i) && !memcmp(key_at(m, i), key, m->key_size))
			return i;
	return UINT32_MAX;
}

/* The longest prefix that the key begins with. */
static uint32_t find_prefix(const struct elems *m, const unsigned char *key)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < m->map->top; i++) {
		const uint32_t n = prefix_of(key_at(m, i));

		if (has(m, i) && n <= prefix_of(key) && prefix_common(key, key_at(m, i), n) == n &&
		    (best == UINT32_MAX || n > prefix_of(key_at(m, best))))
			best = i;
	}
	return best;
}

static bool is_empty(const struct elems *m, uint32_t i)
{
	uint32_t id;

	memcpy(&id, value_at(m, i), sizeof(id));
	return m->type->of && m->type->shape == ARRAY && !id;
}

/* Other objects that the elements hold. */
static void hold_again(const struct elems *m)
{
	uint32_t n = m->type->shape == ARRAY ? m->map->info.map.max_entries : m->map->top, id;

	m->map->nholds = m->map->nfixed;
	for (uint32_t i = 0; m->type->of && i < n; i++) {
		memcpy(&id, value_at(m, i), sizeof(id));
		if (has(m, i) && id)
			object_hold(m->map, object_by_id(m->type->of - 1u, id));
	}
}

static int lookup(struct elems *m, const void *key, void *value)
{
	uint32_t i;

	if (m->type->shape == QUEUE || m->type->shape == STACK) {
		if (!m->map->top)
			return -ENOENT;
		memcpy(value, value_at(m, m->type->shape == QUEUE ? 0 : m->map->top - 1), m->value_size);
		return 0;
	}
	if (m->type->shape == RING)
		return -ENOTSUPP;
	i = m->type->shape == TRIE ? find_prefix(m, key) : find(m, key);
	if (i == UINT32_MAX || is_empty(m, i))
		return -ENOENT;
	memcpy(value, value_at(m, i), m->value_size);
	return 0;
}

static int push(struct elems *m, const void *value, uint64_t flags)
{
	if (flags == BPF_NOEXIST || flags > BPF_EXIST)
		return -EINVAL;
	if (m->map->top == m->map->info.map.max_entries) {
		if (!flags)
			return -E2BIG;
		memmove(m->p, m->p + m->stride, (size_t)--m->map->top * m->stride);
	}
	memcpy(value_at(m, m->map->top++), value, m->value_size);
	return 0;
}

static int pop(struct elems *m, void *value)
{
	int err = lookup(m, NULL, value);

	if (!err && --m->map->top && m->type->shape == QUEUE)
		memmove(m->p, m->p + m->stride, (size_t)m->map->top * m->stride);
	return err;
}

static int free_slot(struct elems *m, uint32_t *ret)
{
	for (*ret = 0; *ret < m->map->top && has(m, *ret);)
		++*ret;
	if (*ret == m->map->info.map.max_entries)
		return -E2BIG;
	if (*ret == m->map->top)
		m->map->top++;
	return 0;
}

/* A value that is a descriptor becomes the id of its object. */
static int value_of(const struct elems *m, const void *value, unsigned char *ret)
{
	const struct object *o;
	int fd, err;

	memcpy(ret, value, m->value_size);
	if (!m->type->of)
		return 0;
	memcpy(&fd, value, sizeof(fd));
	o = object_of(fd, m->type->of - 1u, &err);
	if (!o)
		return err;
	memcpy(ret, &o->id, sizeof(o->id));
	return 0;
}

static int update(struct elems *m, const void *key, const void *value, uint64_t flags)
{
	CLEAN_PTR unsigned char *v = malloc(m->value_size + 1);
	uint32_t i;
	int err;

	flags &= ~(uint64_t)BPF_F_LOCK;
	if (m->type->shape == QUEUE || m->type->shape == STACK)
		return push(m, value, flags);
	if (m->type->shape == RING)
		return -ENOTSUPP;
	if (m->type->shape == OPS)
		return table_register(m->map, m->p, value);
	if (m->type->shape == TRIE && prefix_of(key) > 8 * (m->key_size - 4))
		return -EINVAL;
	if (flags > BPF_EXIST || m->map->info.map.type == BPF_MAP_TYPE_STACK_TRACE)
		return -EINVAL;
	err = value_of(m, value, v);
	if (err)
		return err;
	i = find(m, key);
	if (m->type->shape == ARRAY && i == UINT32_MAX)
		return -E2BIG;
	if (flags == BPF_NOEXIST && i != UINT32_MAX)
		return -EEXIST;
	if (flags == BPF_EXIST && i == UINT32_MAX)
		return -ENOENT;
	err = i == UINT32_MAX ? free_slot(m, &i) : 0;
	if (err)
		return err;
	if (m->type->shape != ARRAY) {
		m->p[i * m->stride] = 1;
		memcpy(key_at(m, i), key, m->key_size);
	}
	memcpy(value_at(m, i), v, m->value_size);
	hold_again(m);
	return 0;
}

static int erase(struct elems *m, const void *key)
{
	uint32_t i;

	if (m->type->shape == RING)
		return -ENOTSUPP;
	if (m->type->shape == OPS)
		return table_unregister(m->map, m->p);
	if (m->type->shape == QUEUE || m->type->shape == STACK || (m->type->shape == ARRAY && !m->type->of))
		return -EINVAL;
	i = find(m, key);
	if (i == UINT32_MAX || is_empty(m, i))
		return m->type->shape == ARRAY && i == UINT32_MAX ? -E2BIG : -ENOENT;
	memset(m->p + i * m->stride, 0, m->stride);
	hold_again(m);
	return 0;
}

static uint32_t prefix_after(const struct elems *m, uint32_t i)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t j = 0; j < m->map->top; j++)
		if (has(m, j) && (i == UINT32_MAX || prefix_is_before(key_at(m, i), key_at(m, j))) &&
		    (next == UINT32_MAX || prefix_is_before(key_at(m, j), key_at(m, next))))
			next = j;
	return next;
}

/* The slot after @i (UINT32_MAX: the first) that has an element, or UINT32_MAX. */
static uint32_t slot_after(const struct elems *m, uint32_t i)
{
	uint32_t n = m->type->shape == ARRAY || m->type->shape == OPS ? m->map->info.map.max_entries : m->map->top;

	if (m->type->shape == TRIE)
		return prefix_after(m, i);

	for (i++; i < n; i++)
		if (has(m, i))
			return i;
	return UINT32_MAX;
}

static int next_key(struct elems *m, const void *key, void *next)
{
	uint32_t i = slot_after(m, key ? find(m, key) : UINT32_MAX);

	if (m->type->shape == QUEUE || m->type->shape == STACK)
		return -EINVAL;
	if (m->type->shape == RING)
		return -ENOTSUPP;
	if (i == UINT32_MAX)
		return -ENOENT;
	if (m->type->shape == ARRAY || m->type->shape == OPS)
		memcpy(next, &i, sizeof(i));
	else
		memcpy(next, key_at(m, i), m->key_size);
	return 0;
}

/* The position of a batch is the last key, or for a hash table the last slot. */
static int lookup_batch(struct elems *m, union bpf_attr *attr)
{
	uint32_t room = attr->batch.count, n = 0, i = UINT32_MAX, last = UINT32_MAX, size = (uint32_t)m->value_size;
	unsigned char *keys = (void *)(uintptr_t)attr->batch.keys, *values = (void *)(uintptr_t)attr->batch.values;
	const void *from = (void *)(uintptr_t)attr->batch.in_batch;
	void *out = (void *)(uintptr_t)attr->batch.out_batch;

	if (from && m->type->shape == HASH)
		memcpy(&i, from, sizeof(i));
	else if (from)
		i = find(m, from);
	attr->batch.count = 0;
	while (n < room && (i = slot_after(m, i)) != UINT32_MAX) {
		if (is_empty(m, i))
			continue;
		memcpy(keys + (size_t)n * m->key_size, m->type->shape == ARRAY ? (void *)&i : key_at(m, i),
		       m->key_size);
		memcpy(values + (size_t)n++ * size, value_at(m, i), size);
		last = i;
	}
	if (last != UINT32_MAX)
		memcpy(out, m->type->shape == TRIE ? key_at(m, last) : (void *)&last,
		       m->type->shape == TRIE ? m->key_size : 4);
	attr->batch.count = n;
	return i == UINT32_MAX || slot_after(m, i) == UINT32_MAX ? -ENOENT : 0;
}

static int change_batch(struct elems *m, unsigned cmd, union bpf_attr *attr)
{
	const unsigned char *keys = (void *)(uintptr_t)attr->batch.keys,
			    *values = (void *)(uintptr_t)attr->batch.values;
	uint32_t n = 0;
	int err = 0;

	for (; n < attr->batch.count && !err; n += !err)
		err = cmd == BPF_MAP_DELETE_BATCH ? erase(m, keys + (size_t)n * m->key_size) :
						    update(m, keys + (size_t)n * m->key_size,
							   values + (size_t)n * m->value_size, attr->batch.elem_flags);
	attr->batch.count = n;
	return err;
}

static int batch(struct elems *m, unsigned cmd, union bpf_attr *attr)
{
	if (m->type->shape == QUEUE || m->type->shape == STACK || m->type->shape == RING || m->type->shape == OPS ||
	    (m->type->of && m->type->shape == ARRAY && m->type->of != OBJECT_MAP + 1))
		return -ENOTSUPP;
	return cmd == BPF_MAP_LOOKUP_BATCH ? lookup_batch(m, attr) : change_batch(m, cmd, attr);
}

/* May the descriptor do it? */
static int permitted(const struct elems *m, unsigned cmd, int fd)
{
	bool writes = cmd != BPF_MAP_LOOKUP_ELEM && cmd != BPF_MAP_GET_NEXT_KEY && cmd != BPF_MAP_LOOKUP_BATCH;
	bool reads = !writes || cmd == BPF_MAP_LOOKUP_AND_DELETE_ELEM;
	int mode = fcntl(fd, F_GETFL) & O_ACCMODE;

	if (cmd == BPF_MAP_FREEZE)
		return m->map->frozen ? -EBUSY : mode == O_RDONLY ? -EPERM : 0;
	return (writes && (m->map->frozen || mode == O_RDONLY)) || (reads && mode == O_WRONLY) ? -EPERM : 0;
}

static int element(unsigned cmd, union bpf_attr *attr)
{
	bool batched = cmd >= BPF_MAP_LOOKUP_BATCH && cmd <= BPF_MAP_DELETE_BATCH;
	int fd = (int)(batched ? attr->batch.map_fd : attr->map_fd);
	void *key = (void *)(uintptr_t)attr->key, *value = (void *)(uintptr_t)attr->value;
	struct elems m;
	int err = elems_open(&m, fd);

	if (err)
		return err;
	err = permitted(&m, cmd, fd);
	if (err)
		;
	else if (batched)
		err = batch(&m, cmd, attr);
	else if (cmd == BPF_MAP_LOOKUP_ELEM)
		err = lookup(&m, key, value);
	else if (cmd == BPF_MAP_UPDATE_ELEM)
		err = update(&m, key, value, attr->flags);
	else if (cmd == BPF_MAP_DELETE_ELEM)
		err = erase(&m, key);
	else if (cmd == BPF_MAP_GET_NEXT_KEY)
		err = next_key(&m, key, (void *)(uintptr_t)attr->next_key);
	else if (cmd == BPF_MAP_FREEZE)
		m.map->frozen = true;
	else if (m.type->shape == QUEUE || m.type->shape == STACK)
		err = pop(&m, value);
	else
		err = m.type->shape == HASH ? (err = lookup(&m, key, value), err ? err : erase(&m, key)) : -ENOTSUPP;
	munmap(m.p, m.bytes);
	return err;
}

static bool is_valid(const union bpf_attr *a)
{
	switch (type_of(a->map_type)->shape) {
	case ARRAY:
		return a->key_size == 4 && a->value_size && a->max_entries;
	case HASH:
		return a->key_size && a->value_size && a->max_entries;
	case TRIE:
		return a->key_size > 4 && a->value_size && a->max_entries && a->map_flags & BPF_F_NO_PREALLOC;
	case OPS:
		return a->key_size == 4 && a->value_size && a->max_entries == 1 && a->btf_vmlinux_value_type_id;
	case QUEUE:
	case STACK:
		return !a->key_size && a->value_size && a->max_entries;
	case RING:
		return !a->key_size && !a->value_size && a->max_entries >= 4096 &&
		       !(a->max_entries & (a->max_entries - 1));
	default:
		return false;
	}
}

static int create(const union bpf_attr *a)
{
	const bool nested = type_of(a->map_type)->of == OBJECT_MAP + 1;
	const struct object *btf = NULL;
	CLEAN_FD file = -1;
	struct elems m;
	struct object *o;
	int err;

	if (!is_valid(a) || (nested && a->value_size != 4))
		return -EINVAL;
	for (int i = 0; i < 16 && a->map_name[i]; i++)
		if (!isalnum((unsigned char)a->map_name[i]) && a->map_name[i] != '_' && a->map_name[i] != '.')
			return -EINVAL;
	if (nested && !object_of((int)a->inner_map_fd, OBJECT_MAP, &err))
		return err;
	if (a->btf_value_type_id && !(btf = object_of((int)a->btf_fd, OBJECT_BTF, &err)))
		return err;
	err = object_new(OBJECT_MAP, &o);
	if (err)
		return err;
	o->info.map = (struct abi_map_info){
		.type = a->map_type,
		.id = o->id,
		.key_size = a->key_size,
		.value_size = a->value_size,
		.max_entries = a->max_entries,
		.map_flags = a->map_flags & ~(uint32_t)(BPF_F_RDONLY | BPF_F_WRONLY),
		.btf_id = btf ? btf->id : 0,
		.btf_key_type_id = a->btf_key_type_id,
		.btf_value_type_id = a->btf_value_type_id,
		.map_extra = a->map_extra,
	};
	memcpy(o->info.map.name, a->map_name, 15);
	o->info_len = offsetof(struct abi_map_info, hash); /* as in 6.12 */
	o->info.map.btf_vmlinux_value_type_id = a->btf_vmlinux_value_type_id;
	if (a->btf_vmlinux_value_type_id && kernel->vmlinux)
		o->info.map.btf_vmlinux_id = kernel->objects[kernel->vmlinux - 1].id;
	if (btf)
		object_hold(o, btf);
	o->nfixed = o->nholds;
	elems_size(&m, o);
	file = object_file(o);
	if (ftruncate(file, (off_t)m.bytes))
		return -ENOMEM;
	return object_fd(o, a->map_flags & BPF_F_RDONLY ? O_RDONLY : a->map_flags & BPF_F_WRONLY ? O_WRONLY : O_RDWR);
}

int map_command(unsigned cmd, union bpf_attr *attr)
{
	switch (cmd) {
	case BPF_MAP_CREATE:
		return create(attr);
	case BPF_MAP_LOOKUP_ELEM:
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_GET_NEXT_KEY:
	case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
	case BPF_MAP_FREEZE:
	case BPF_MAP_LOOKUP_BATCH:
	case BPF_MAP_UPDATE_BATCH:
	case BPF_MAP_DELETE_BATCH:
		return element(cmd, attr);
	default:
		return -ENOSYS;
	}
}
