/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel.h"
#include "source/elems.h"
#include "source/source.h"

/* Maps of every type that can be walked, on the running kernel: the walk returns the same as single lookups, once. */

struct shape {
	const char *what;
	enum bpf_map_type type;
	uint32_t key_size, value_size, max_entries, n, flags;
};

static bool is_percpu(enum bpf_map_type t)
{
	return t == BPF_MAP_TYPE_PERCPU_HASH || t == BPF_MAP_TYPE_PERCPU_ARRAY || t == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_of_maps(enum bpf_map_type t)
{
	return t == BPF_MAP_TYPE_HASH_OF_MAPS || t == BPF_MAP_TYPE_ARRAY_OF_MAPS;
}

static uint32_t transferred(const struct shape *h)
{
	return is_percpu(h->type) ? (h->value_size + 7) / 8 * 8 * (uint32_t)libbpf_num_possible_cpus() : h->value_size;
}

static uint32_t map_id(int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

/* Key number i + 1, so that no key is zero except in arrays; the number is at its end, for LPM tries after a
 * length. */
static void make_key(const struct shape *h, uint32_t i, unsigned char *key)
{
	bool index = h->type == BPF_MAP_TYPE_ARRAY || h->type == BPF_MAP_TYPE_PERCPU_ARRAY ||
		     h->type == BPF_MAP_TYPE_ARRAY_OF_MAPS || h->type == BPF_MAP_TYPE_PROG_ARRAY;
	uint32_t v = i + !index, bits = 32;
	size_t n = h->key_size < 4 ? h->key_size : 4;

	memset(key, 'k', h->key_size);
	memcpy(key + h->key_size - n, &v, n);
	if (h->type == BPF_MAP_TYPE_LPM_TRIE)
		memcpy(key, &bits, 4);
}

static int make(const struct shape *h, int inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = h->flags);
	CLEAN_PTR unsigned char *keys = malloc((size_t)h->key_size * (h->n + 1));
	CLEAN_PTR unsigned char *values = malloc((size_t)transferred(h) * (h->n + 1));
	uint32_t count = h->n;
	int fd;

	if (is_of_maps(h->type))
		opts.inner_map_fd = (uint32_t)inner;
	fd = bpf_map_create(h->type, "lens_walk", h->key_size, h->value_size, h->max_entries, &opts);
	if (fd < 0)
		return fd;
	for (uint32_t i = 0; i < h->n; i++) {
		unsigned char *value = values + (size_t)i * transferred(h);

		make_key(h, i, keys + (size_t)i * h->key_size);
		for (uint32_t k = 0; k < transferred(h); k++)
			value[k] = (unsigned char)(i * 7 + k);
		if (is_of_maps(h->type))
			memcpy(value, &inner, 4);
	}
	/* In one call: each update of a map of maps waits for every program to finish. */
	if (h->n && bpf_map_update_batch(fd, keys, values, &count, NULL))
		for (uint32_t i = 0; i < h->n; i++)
			assert_int_equal(bpf_map_update_elem(fd, keys + (size_t)i * h->key_size,
							     values + (size_t)i * transferred(h), 0),
					 0);
	return fd;
}

/* Walk from a cursor; returns the number of elements, each compared with a separate lookup. */
static uint32_t walk(struct source *s, const struct shape *h, int fd, const char *cursor, unsigned *batches)
{
	CLEAN_PTR unsigned char *value = malloc(transferred(h) + 1), *seen = calloc(h->max_entries + 2, 1);
	uint32_t id = map_id(fd), n = 0;
	struct elems e = { 0 };
	ARENA a = arena_new();

	strcpy(e.cursor, cursor);
	*batches = 0;
	do {
		ARENA_SCOPE(a);
		int err = elems_get(over(s, a), a, id, h->key_size, transferred(h), &e);

		if (err)
			print_error("%s: %s: %d\n", h->what, e.cursor, err);
		assert_int_equal(err, 0);
		for (uint32_t i = 0; i < e.head.count; i++, n++) {
			const unsigned char *p = e.elems + i * e.stride, *key = elems_key(p);
			uint32_t number = 0;

			memcpy(&number, key + (h->key_size < 4 ? 0 : h->key_size - 4),
			       h->key_size < 4 ? h->key_size : 4);
			assert_true(number <= h->max_entries && !seen[number]);
			seen[number] = 1;
			assert_int_equal(elems_err(p), 0);
			assert_int_equal(bpf_map_lookup_elem(fd, key, value), 0);
			assert_memory_equal(key + h->key_size, value, transferred(h));
		}
		++*batches;
	} while (*e.cursor);
	return n;
}

static const struct shape shapes[] = {
	{ "hash", BPF_MAP_TYPE_HASH, 4, 40, 30000, 30000, 0 },
	{ "hash, not preallocated", BPF_MAP_TYPE_HASH, 8, 3, 30000, 20000, BPF_F_NO_PREALLOC },
	{ "hash, empty", BPF_MAP_TYPE_HASH, 4, 40, 30000, 0, 0 },
	{ "hash, small key", BPF_MAP_TYPE_HASH, 2, 1, 300, 300, 0 },
	{ "hash, big values", BPF_MAP_TYPE_HASH, 4, 200000, 60, 60, 0 },
	{ "hash, huge key", BPF_MAP_TYPE_HASH, 3000, 8, 700, 700, 0 },
	{ "array", BPF_MAP_TYPE_ARRAY, 4, 4, 100000, 100000, 0 },
	{ "array of one", BPF_MAP_TYPE_ARRAY, 4, 1, 1, 1, 0 },
	{ "percpu_hash", BPF_MAP_TYPE_PERCPU_HASH, 4, 5, 20000, 20000, 0 },
	{ "percpu_array", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 12, 20000, 20000, 0 },
	{ "lru_hash", BPF_MAP_TYPE_LRU_HASH, 4, 4, 20000, 5000, 0 },
	{ "lru_percpu_hash", BPF_MAP_TYPE_LRU_PERCPU_HASH, 4, 4, 20000, 5000, 0 },
	{ "lpm_trie", BPF_MAP_TYPE_LPM_TRIE, 8, 40, 20000, 12000, BPF_F_NO_PREALLOC },
	{ "hash_of_maps", BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 3000, 2000, 0 },
	{ "hash_of_maps, huge key", BPF_MAP_TYPE_HASH_OF_MAPS, 3000, 4, 700, 700, 0 },
	{ "array_of_maps", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 100, 100, 0 },
};

static void batches_and_keys(void **state)
{
	CLEAN_FD inner = -1;

	if (!*state)
		skip_because("no BPF object can be made here");
	NEEDS_SYSFS();
	inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lens_inner", 4, 4, 1, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct shape *h = &shapes[i];
		CLEAN_FD fd = make(h, inner);
		unsigned batches;
		uint64_t bytes = (uint64_t)h->n * (4 + h->key_size + transferred(h));

		if (fd < 0)
			print_message("%s: not on this kernel\n", h->what);
		if (fd < 0)
			continue;
		assert_int_equal(walk(*state, h, fd, "", &batches), h->n);
		assert_true(batches >= (bytes + ELEMS_BATCH_BYTES) / (2 * ELEMS_BATCH_BYTES));
		assert_true(batches <= 3 + 3 * bytes / ELEMS_BATCH_BYTES);
		/* By keys, after a key that does not exist: the kernel starts at the front. Arrays have every key.
		 */
		if (h->type != BPF_MAP_TYPE_ARRAY && h->type != BPF_MAP_TYPE_PERCPU_ARRAY &&
		    h->type != BPF_MAP_TYPE_ARRAY_OF_MAPS && h->type != BPF_MAP_TYPE_LPM_TRIE)
			assert_int_equal(walk(*state, h, fd, "k.0.", &batches), h->n);
	}
	source_idle(*state);
}

static void errors_of_elements(void **state)
{
	struct shape h = { "prog_array", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 5, 0, 0 };
	struct elems e = { 0 };
	ARENA a = arena_new();

	if (!*state)
		skip_because("no BPF object can be made here");
	CLEAN_FD fd = make(&h, -1);
	assert_true(fd >= 0);
	assert_int_equal(elems_get(over(*state, a), a, map_id(fd), 4, 4, &e), 0);
	assert_int_equal(e.head.count, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(elems_err(e.elems + i * e.stride), -ENOENT);
		assert_memory_equal(elems_key(e.elems + i * e.stride) + 4, "\0\0\0\0", 4);
	}
	assert_string_equal(e.cursor, "");
}

static void maps_without_keys(void **state)
{
	static const struct shape all[] = {
		{ "queue", BPF_MAP_TYPE_QUEUE, 0, 4, 5, 0, 0 },
		{ "stack", BPF_MAP_TYPE_STACK, 0, 4, 5, 0, 0 },
		{ "ringbuf", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0, 0 },
		{ "bloom", BPF_MAP_TYPE_BLOOM_FILTER, 0, 4, 5, 0, 0 },
	};

	if (!*state)
		skip_because("no BPF object can be made here");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		CLEAN_FD fd = make(&all[i], -1);
		struct elems e = { 0 };
		ARENA a = arena_new();
		char key[8];
		int want;

		if (fd < 0)
			continue;
		want = bpf_map_get_next_key(fd, NULL, key);
		assert_true(want < 0);
		assert_int_equal(elems_get(over(*state, a), a, map_id(fd), all[i].key_size, all[i].value_size, &e),
				 want);
	}
}

static void invalid_cursors(void **state)
{
	static const struct {
		const char *cursor;
		int want;
	} bad[] = {
		{ "x", -EINVAL },
		{ "b", -EINVAL },
		{ "b.", -EINVAL },
		{ "b..", -EINVAL },
		{ "b.1", -EINVAL },
		{ "x.1.", -EINVAL },
		{ "b.1.0", -EINVAL },
		{ "b.1.0g", -EINVAL },
		{ "k.1.0102030405", -EINVAL },
		{ "b.11111111111111111.", -EINVAL },
		{ "k.1.t", -ESTALE },
		{ "k.1.t1", -ESTALE },
		{ "k.1.t999", -ESTALE },
		{ "start.", -EINVAL },
	};
	const struct shape *h = &shapes[0];
	ARENA a = arena_new();
	struct blob b;

	if (!*state)
		skip_because("no BPF object can be made here");
	CLEAN_FD fd = bpf_map_create(h->type, "lens_walk", 4, 4, 10, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(source_get(*state, a, &b, "map/%u/elems/%s", map_id(fd), bad[i].cursor), bad[i].want);
}

/* The current key of the walk is deleted repeatedly: the walk starts again, and no key is returned twice. */
static void deleted_under_it(void **state)
{
	static const struct shape all[] = {
		{ "lpm_trie", BPF_MAP_TYPE_LPM_TRIE, 8, 4000, 2000, 2000, BPF_F_NO_PREALLOC },
		{ "hash", BPF_MAP_TYPE_HASH, 8, 4000, 2000, 2000, 0 },
	};

	if (!*state)
		skip_because("no BPF object can be made here");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const struct shape *h = &all[i];
		struct elems e = { .cursor = "k.0." };
		unsigned char seen[2001] = { 0 };
		unsigned n = 0, batches = 0, changed = 0;
		CLEAN_FD fd = make(h, -1);
		ARENA a = arena_new();

		if (h->type == BPF_MAP_TYPE_LPM_TRIE)
			*e.cursor = '\0';
		do {
			ARENA_SCOPE(a);
			uint32_t number;

			assert_int_equal(elems_get(over(*state, a), a, map_id(fd), 8, 4000, &e), 0);
			for (uint32_t k = 0; k < e.head.count; k++, n++) {
				const unsigned char *key = elems_key(e.elems + k * e.stride);

				memcpy(&number, key + 4, 4);
				assert_true(number <= 2000 && !seen[number]);
				seen[number] = 1;
				if (k + 1 == e.head.count)
					assert_int_equal(bpf_map_delete_elem(fd, key), 0);
			}
			batches++;
			changed += e.head.flags == ELEMS_CHANGED;
		} while (*e.cursor);
		/* Without the BPF program, a trie is read ahead from the third batch on: before the key is deleted, or
		 * while. */
		assert_true(n == 2000 || (h->type == BPF_MAP_TYPE_LPM_TRIE && changed && n > 1980));
		assert_true((changed > 1 || h->type == BPF_MAP_TYPE_LPM_TRIE) && batches < 2000);
	}
	source_idle(*state);
}

/* A thread reads the next batch ahead: it must not be used for another map, or after the walk was given up.
 */
static void two_at_once(void **state)
{
	static const struct shape h = { "hash", BPF_MAP_TYPE_HASH, 4, 40, 60000, 60000, 0 };
	struct elems e[2] = { 0 };
	unsigned n[2] = { 0 };
	ARENA a = arena_new();

	if (!*state)
		skip_because("no BPF object can be made here");
	CLEAN_FD one = make(&h, -1), two = make(&h, -1);
	const uint32_t ids[] = { map_id(one), map_id(two) };
	for (unsigned turn = 0; turn < 2 || *e[0].cursor || *e[1].cursor; turn++) {
		unsigned i = turn / 3 % 2; /* three batches of one, three of the other */

		if (n[i] && !*e[i].cursor)
			continue;
		assert_int_equal(elems_get(over(*state, a), a, ids[i], 4, 40, &e[i]), 0);
		n[i] += e[i].head.count;
		if (turn == 4)
			source_idle(*state);
	}
	assert_true(n[0] == 60000 && n[1] == 60000);
	*e[0].cursor = '\0';
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(elems_get(over(*state, a), a, ids[0], 4, 40, &e[0]), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_and_keys),  cmocka_unit_test(errors_of_elements),
		cmocka_unit_test(maps_without_keys), cmocka_unit_test(invalid_cursors),
		cmocka_unit_test(deleted_under_it),  cmocka_unit_test(two_at_once),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
