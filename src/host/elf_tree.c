/* SPDX-License-Identifier: BSD-2-Clause */
#include <search.h>
#include <stddef.h>

/*
 * For `make static` alone: the trees that libelf.a of elfutils 0.192 calls (its lib/eu-search.h) and, as Debian 13 has
 * it, lacks. Weak, so that an archive that is whole keeps its own.
 */
struct tree {
	void *root;
}; /* a lock may follow, which libelf takes nowhere but in these */
typedef int compare(const void *a, const void *b);
#define WEAK __attribute__((weak))

WEAK void eu_search_tree_init(struct tree *t);
WEAK void eu_search_tree_fini(struct tree *t, void (*drop)(void *node));
WEAK void *eu_tsearch(const void *key, struct tree *t, compare *cmp);
WEAK void *eu_tfind(const void *key, struct tree *t, compare *cmp);
WEAK void *eu_tdelete(const void *key, struct tree *t, compare *cmp);

void eu_search_tree_init(struct tree *t)
{
	t->root = NULL;
}

void eu_search_tree_fini(struct tree *t, void (*drop)(void *node))
{
	tdestroy(t->root, drop);
}

void *eu_tsearch(const void *key, struct tree *t, compare *cmp)
{
	return tsearch(key, &t->root, cmp);
}

void *eu_tfind(const void *key, struct tree *t, compare *cmp)
{
	return tfind(key, &t->root, cmp);
}

void *eu_tdelete(const void *key, struct tree *t, compare *cmp)
{
	return tdelete(key, &t->root, cmp);
}
