/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/trie.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clean.h"
#include "bpf/trie.h"
#include "system/bpf.h"
#include "system/kbtf.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"trie_elf: .incbin \"src/bpf/trie.bpf.o\"\n"
	"trie_elf_end:\n"
	".popsection\n");
extern const char trie_elf[], trie_elf_end[];

#define HEAD (2 * sizeof(uint32_t))	/* prefixlen and flags of a node, in front of prefix and value */

static int offsets_find(struct trie_walk *w)
{
	unsigned flags, data;
	const struct kbtf_want want[] = {
		{ "lpm_trie", false, { { "root", &w->root } } },
		{ "lpm_trie_node", false, { { "child", &w->child }, { "prefixlen", &w->prefixlen }, { "flags", &flags },
					    { "data", &data } } },
	};
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	if (!err)
		err = kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), NULL, NULL, NULL);
	if (err)
		return err;
	/* The program reads them side by side. */
	return w->prefixlen == w->child + 2 * sizeof(uint64_t) && flags == w->prefixlen + sizeof(uint32_t) &&
	       data == w->prefixlen + HEAD ? 0 : -EPROTO;
}

static int program_load(struct trie *t, int map_fd)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "trie");
	struct bpf_program *prog;
	struct bpf_map *map;
	int err;

	t->obj = bpf_object__open_mem(trie_elf, (size_t)(trie_elf_end - trie_elf), &opts);
	if (!t->obj)
		return -errno;
	map = bpf_object__find_map_by_name(t->obj, "trie");
	prog = bpf_object__next_program(t->obj, NULL);
	if (!map || !prog)
		return -ENOENT;
	err = bpf_map__reuse_fd(map, map_fd);
	if (!err)
		err = bpf_object__load(t->obj);
	t->prog = err ? -1 : bpf_program__fd(prog);
	return err;
}

static int walk_map(struct trie *t)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t->obj, ".bss");
	void *p;

	if (!map || bpf_map__value_size(map) < sizeof(*t->walk))
		return -ENOENT;
	p = mmap(NULL, bpf_map__value_size(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return -errno;
	t->walk = p;
	t->walk_bytes = bpf_map__value_size(map);
	return 0;
}

static int open_all(struct trie *t, int map_fd)
{
	struct trie_walk offsets;
	int err = offsets_find(&offsets);

	if (!err)
		err = program_load(t, map_fd);
	if (!err)
		err = walk_map(t);
	if (err)
		return err;
	t->walk->root = offsets.root;
	t->walk->child = offsets.child;
	t->walk->prefixlen = offsets.prefixlen;
	t->walk->prefix = t->key_size - (uint32_t)sizeof(uint32_t);
	t->walk->size = HEAD + t->walk->prefix + t->value_size;
	return 0;
}

int trie_open(struct trie *t, int map_fd, uint32_t key_size, uint32_t value_size)
{
	int err;

	if (key_size <= sizeof(uint32_t) || key_size - sizeof(uint32_t) > TRIE_PREFIX || value_size > TRIE_BYTES / 2)
		return -EINVAL;
	*t = (struct trie){ .prog = -1, .key_size = key_size, .value_size = value_size };
	err = open_all(t, map_fd);
	if (err)
		trie_close(t);
	return err;
}

void trie_close(struct trie *t)
{
	if (t->walk)
		munmap(t->walk, t->walk_bytes);
	bpf_object__close(t->obj);
	*t = (struct trie){ .prog = -1 };
}

static int run(const struct trie *t)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)t->prog;
	return sys_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
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
	err = run(t);
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
