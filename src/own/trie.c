/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/trie.h"

#include "own/bpf/trie.bpf.h"

#include "own/bpf/trie.bpf.inc"
static const struct own_program program = OWN_PROGRAM(trie);

#define HEAD (2 * sizeof(uint32_t)) /* prefixlen and flags of a node, before its prefix and value */

int trie_open(struct trie *t, struct own *own, int map_fd, uint32_t key_size, uint32_t value_size)
{
	int err;

	*t = (struct trie){ .key_size = key_size, .value_size = value_size };
	if (key_size <= sizeof(uint32_t) || key_size - sizeof(uint32_t) > TRIE_PREFIX || value_size > TRIE_BYTES / 2)
		return -EINVAL;
	err = own_load(own, &program, NULL, map_fd, &t->loaded);
	if (err)
		return err;
	t->walk = t->loaded.shared;
	t->walk->prefix = t->key_size - (uint32_t)sizeof(uint32_t);
	t->walk->size = HEAD + t->walk->prefix + t->value_size;
	return 0;
}

void trie_close(struct trie *t)
{
	own_close(&t->loaded);
	t->walk = NULL;
}

/* Convert the program's elements to the format of BPF_MAP_LOOKUP_BATCH. */
static int elements_take(const struct trie *t, unsigned char *keys, unsigned char *values, uint32_t count)
{
	const struct trie_walk *w = t->walk;
	const unsigned char *p = w->elems;
	uint32_t bits;

	for (uint32_t i = 0; i < count; i++, p += w->size, keys += t->key_size, values += t->value_size) {
		memcpy(&bits, p, sizeof(bits));
		if (bits > 8 * w->prefix)
			return -EBADMSG;
		memcpy(keys, &bits, sizeof(bits));
		memcpy(keys + sizeof(bits), p + HEAD, w->prefix);
		memcpy(values, p + HEAD + w->prefix, t->value_size);
	}
	return 0;
}

int trie_read(struct trie *t, const unsigned char *from, unsigned char *out, unsigned char *keys, unsigned char *values,
	      uint32_t *count)
{
	struct trie_walk *w = t->walk;
	const uint32_t most = TRIE_BYTES / w->size, room = *count < most ? *count : most;
	int err;

	*count = 0;
	w->room = room;
	memcpy(&w->from_len, from, sizeof(w->from_len));
	memcpy(w->from, from + sizeof(w->from_len), w->prefix);
	err = own_run(&t->loaded, NULL, 0, NULL);
	if (err)
		return err;
	if (w->failed || w->count > room || (!w->count && !w->done))
		return -EIO;
	err = elements_take(t, keys, values, w->count);
	if (err)
		return err;
	*count = w->count;
	if (w->count)
		memcpy(out, keys + (size_t)(w->count - 1) * t->key_size, t->key_size);
	else
		memcpy(out, from, t->key_size);
	return w->done ? -ENOENT : 0;
}
