/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/trie.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "own/trie.bpf.h"
#include "own/kbtf.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"trie_elf: .incbin \"src/own/trie.bpf.o\"\n"
	"trie_elf_end:\n"
	".popsection\n");
extern const char trie_elf[], trie_elf_end[];

#define HEAD (2 * sizeof(uint32_t))	/* prefixlen and flags of a node, in front of prefix and value */

struct offsets {
	unsigned root, child, prefixlen;
};

static int offsets_find(struct offsets *o)
{
	unsigned flags, data;
	const struct kbtf_want want[] = {
		{ "lpm_trie", false, { { "root", &o->root } } },
		{ "lpm_trie_node", false, { { "child", &o->child }, { "prefixlen", &o->prefixlen }, { "flags", &flags },
					    { "data", &data } } },
	};
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	if (!err)
		err = kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), NULL, NULL, NULL);
	if (err)
		return err;
	/* The program reads them side by side. */
	return o->prefixlen == o->child + 2 * sizeof(uint64_t) && flags == o->prefixlen + sizeof(uint32_t) &&
	       data == o->prefixlen + HEAD ? 0 : -EPROTO;
}

int trie_open(struct trie *t, int map_fd, uint32_t key_size, uint32_t value_size)
{
	struct offsets offsets;
	int err;

	*t = (struct trie){ .key_size = key_size, .value_size = value_size };
	if (key_size <= sizeof(uint32_t) || key_size - sizeof(uint32_t) > TRIE_PREFIX || value_size > TRIE_BYTES / 2)
		return -EINVAL;
	err = offsets_find(&offsets);
	if (!err)
		err = reader_open(&t->reader, trie_elf, (size_t)(trie_elf_end - trie_elf), "trie", map_fd, sizeof(*t->walk));
	if (err)
		return err;
	t->walk = t->reader.shared;
	t->walk->root = offsets.root;
	t->walk->child = offsets.child;
	t->walk->prefixlen = offsets.prefixlen;
	t->walk->prefix = t->key_size - (uint32_t)sizeof(uint32_t);
	t->walk->size = HEAD + t->walk->prefix + t->value_size;
	return 0;
}

void trie_close(struct trie *t)
{
	reader_close(&t->reader);
	t->walk = NULL;
}

/* From what the program found to what BPF_MAP_LOOKUP_BATCH gives. */
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
	err = reader_run(&t->reader);
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
