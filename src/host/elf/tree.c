/* SPDX-License-Identifier: BSD-2-Clause */
#include <search.h>

#include "base/base.h"

/*
 * Only for `make static`: tree functions that libelf.a of elfutils 0.192 calls (its lib/eu-search.h) and that Debian
 * 13's archive lacks. Weak, so a complete archive uses its own.
 */
struct elf_tree {
	void *root;
}; /* a lock may follow, which libelf uses only in these functions */
typedef int compare(const void *a, const void *b);
#define WEAK __attribute__((weak))

WEAK void eu_search_tree_init(struct elf_tree *t);
WEAK void eu_search_tree_fini(struct elf_tree *t, void (*drop)(void *node));
WEAK void *eu_tsearch(const void *key, struct elf_tree *t, compare *cmp);
WEAK void *eu_tfind(const void *key, struct elf_tree *t, compare *cmp);
WEAK void *eu_tdelete(const void *key, struct elf_tree *t, compare *cmp);

void eu_search_tree_init(struct elf_tree *t)
{
	t->root = NULL;
}

void eu_search_tree_fini(struct elf_tree *t, void (*drop)(void *node))
{
	tdestroy(t->root, drop);
}

void *eu_tsearch(const void *key, struct elf_tree *t, compare *cmp)
{
	return tsearch(key, &t->root, cmp);
}

void *eu_tfind(const void *key, struct elf_tree *t, compare *cmp)
{
	return tfind(key, &t->root, cmp);
}

void *eu_tdelete(const void *key, struct elf_tree *t, compare *cmp)
{
	return tdelete(key, &t->root, cmp);
}
