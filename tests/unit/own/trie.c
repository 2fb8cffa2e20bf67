/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "source/live/walked.h"
#include "own/trie.h"

/* Tries on the running kernel: from every key, the same keys as in the kernel's own walk, in its order. */
enum { KEYS = 3000, KEY_MAX = 260 };

struct trie_map {
	int fd;
	uint32_t key_size, value_size, n;
	unsigned char *keys; /* in the order of BPF_MAP_GET_NEXT_KEY */
};

/* Only a few different bytes, so that there are prefixes of prefixes, and nodes without a key between them. */
static void key_random(unsigned char *key, uint32_t key_size)
{
	static const unsigned char bytes[] = { 0, 0, 0x80, 0xff, 1, 10 };
	const uint32_t bits = (uint32_t)random() % ((key_size - 4) * 8 + 1);

	memset(key, 0, key_size);
	memcpy(key, &bits, 4);
	for (uint32_t i = 0; i < bits / 8; i++)
		key[4 + i] = bytes[random() % sizeof(bytes)];
	if (bits % 8)
		key[4 + bits / 8] = (unsigned char)(bytes[random() % sizeof(bytes)] & 0xff00 >> bits % 8);
}

static void map_fill(struct trie_map *m, uint32_t n)
{
	CLEAN_PTR unsigned char *value = malloc(m->value_size);
	unsigned char key[KEY_MAX], next[KEY_MAX];
	bool first = true;

	for (uint32_t i = 0; i < n; i++) {
		key_random(key, m->key_size);
		memset(value, (int)i, m->value_size);
		assert_int_equal(bpf_map_update_elem(m->fd, key, value, 0), 0);
	}
	/* Nodes that stay after keys were deleted. */
	for (uint32_t i = 0; i < n / 4; i++) {
		key_random(key, m->key_size);
		bpf_map_delete_elem(m->fd, key);
	}
	m->keys = malloc((size_t)n * m->key_size + 1);
	for (m->n = 0; !bpf_map_get_next_key(m->fd, first ? NULL : key, next); m->n++, first = false) {
		assert_true(m->n < n);
		memcpy(key, next, m->key_size);
		memcpy(m->keys + (size_t)m->n * m->key_size, key, m->key_size);
	}
}

static void read_from(const struct trie_map *m, struct trie *t, const unsigned char *from, uint32_t room)
{
	CLEAN_PTR unsigned char *keys = malloc((size_t)room * m->key_size),
				*values = malloc((size_t)room * m->value_size);
	CLEAN_PTR unsigned char *value = malloc(m->value_size);
	unsigned char out[KEY_MAX];
	uint32_t first = 0, count = room;
	int err = trie_read(t, from, out, keys, values, &count);

	assert_true(!err || err == -ENOENT);
	while (first < m->n && lpm_cmp(m->keys + (size_t)first * m->key_size, from, m->key_size) <= 0)
		first++;
	assert_true(count <= room && first + count <= m->n);
	assert_true(count || first == m->n);
	assert_int_equal(err == -ENOENT && count < room, first + count == m->n && count < room);
	assert_memory_equal(keys, m->keys + (size_t)first * m->key_size, (size_t)count * m->key_size);
	for (uint32_t i = 0; i < count && i < 20; i++) {
		assert_int_equal(bpf_map_lookup_elem(m->fd, keys + (size_t)i * m->key_size, value), 0);
		assert_memory_equal(values + (size_t)i * m->value_size, value, m->value_size);
	}
	assert_memory_equal(out, count ? keys + (size_t)(count - 1) * m->key_size : from, m->key_size);
}

static struct own own;

static void one_trie(uint32_t key_size, uint32_t value_size, uint32_t n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	CLEAN_FD fd = bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "lens_trie", key_size, value_size, n + 1, &opts);
	struct trie_map m = { .fd = fd, .key_size = key_size, .value_size = value_size };
	unsigned char key[KEY_MAX];
	struct trie t;

	if (fd < 0)
		skip_because("tries cannot be created here");
	map_fill(&m, n);
	if (trie_open(&t, &own, fd, key_size, value_size)) {
		free(m.keys);
		skip_because("programs cannot walk a trie here");
	}
	for (uint32_t i = 0; i < m.n; i += 1 + i / 50)
		read_from(&m, &t, m.keys + (size_t)i * key_size, i % 3 ? 7 : m.n + 1);
	for (uint32_t i = 0; i < 100; i++) {
		key_random(key, key_size);
		read_from(&m, &t, key, 5);
	}
	trie_close(&t);
	own_release(&own);
	free(m.keys);
}

static void from_everywhere(void **state)
{
	(void)state;
	one_trie(5, 1, 40);
	one_trie(8, 40, KEYS);
	one_trie(8, 3, 0);
	one_trie(20, 8, KEYS);
	one_trie(15, 5, KEYS);
	one_trie(KEY_MAX, 4, KEYS);
}

struct churn {
	const struct trie_map *stay;
	atomic_bool end;
};

/* Other keys than those that stay come and go. */
static void *churn(void *arg)
{
	struct churn *c = arg;
	const struct trie_map *m = c->stay;
	unsigned char key[KEY_MAX], value[8] = { 0 };
	bool stays;

	while (!atomic_load(&c->end)) {
		key_random(key, m->key_size);
		stays = false;
		for (uint32_t i = 0; i < m->n && !stays; i++)
			stays = !lpm_cmp(key, m->keys + (size_t)i * m->key_size, m->key_size);
		if (stays)
			continue;
		bpf_map_update_elem(m->fd, key, value, 0);
		if (random() % 3)
			bpf_map_delete_elem(m->fd, key);
	}
	return NULL;
}

/* Each key that stays is returned, and no key twice. Returns the number of other keys. */
static uint32_t walk_all(const struct trie_map *m, struct trie *t, unsigned char *last)
{
	enum { ROOM = 61 };
	unsigned char keys[ROOM * KEY_MAX], values[ROOM * 8];
	uint32_t next = 1, others = 0, count;
	int err = 0;

	memcpy(last, m->keys, m->key_size); /* after the first that stays */
	while (!err) {
		count = ROOM;
		err = trie_read(t, last, last, keys, values, &count);
		assert_true(!err || err == -ENOENT);
		for (uint32_t i = 0; i < count; i++) {
			const unsigned char *key = keys + (size_t)i * m->key_size;
			int cmp = next < m->n ? lpm_cmp(key, m->keys + (size_t)next * m->key_size, m->key_size) : -1;

			assert_true(cmp <= 0);
			assert_true(!i || lpm_cmp(key - m->key_size, key, m->key_size) < 0);
			next += !cmp;
			others += cmp < 0;
		}
	}
	assert_int_equal(next, m->n);
	return others;
}

static void under_change(void **state)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	CLEAN_FD fd = bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "lens_trie", 8, 8, 20 * KEYS, &opts);
	struct trie_map m = { .fd = fd, .key_size = 8, .value_size = 8 };
	struct churn c = { .stay = &m };
	unsigned char last[KEY_MAX];
	uint32_t others = 0;
	pthread_t thread;
	struct trie t;

	(void)state;
	if (fd < 0 || trie_open(&t, &own, fd, 8, 8))
		skip_because("programs cannot walk a trie here");
	map_fill(&m, KEYS / 4);
	assert_int_equal(pthread_create(&thread, NULL, churn, &c), 0);
	for (unsigned i = 0; i < 300 || (!others && i < 100000); i++)
		others += walk_all(&m, &t, last);
	atomic_store(&c.end, true);
	pthread_join(thread, NULL);
	assert_true(others);
	trie_close(&t);
	own_release(&own);
	free(m.keys);
}

static void sizes_that_are_too_big(void **state)
{
	struct trie t;

	(void)state;
	assert_int_equal(trie_open(&t, &own, -1, 4, 4), -EINVAL);
	assert_int_equal(trie_open(&t, &own, -1, KEY_MAX + 1, 4), -EINVAL);
	assert_int_equal(trie_open(&t, &own, -1, 8, 1u << 30), -EINVAL);
	assert_true(trie_open(&t, &own, -1, 8, 8) < 0);
	assert_null(t.walk);
	own_release(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(from_everywhere), cmocka_unit_test(under_change),
					    cmocka_unit_test(sizes_that_are_too_big) };

	srandom(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
