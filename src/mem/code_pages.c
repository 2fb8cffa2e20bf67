/* SPDX-License-Identifier: BSD-2-Clause */
#include "mem/nodes.h"

#include "cli/env.h"
#include "prog/prog.h"
#include "source/facts.h"

/* A page in which code of a node begins or ends: only such a page can also have code of other nodes. */
struct edge_page {
	uint64_t page;
	uint32_t node;
};
struct code_pages {
	struct env *env;
	uint64_t size; /* of a page */
	struct edge_page *v;
	size_t n, cap;
};

static void page_add(struct code_pages *p, uint64_t page, size_t node)
{
	ARENA_MORE(p->env->keep, p->v, p->n, p->cap);
	p->v[p->n++] = (struct edge_page){ page, (uint32_t)node };
}

/* Adds the first and the last page of a function, and counts the pages between them. 0 or -errno. */
static int pages_func_add(struct code_pages *p, size_t node, uint64_t addr, uint32_t len, uint64_t *between)
{
	const uint64_t first = addr / p->size, last = (addr + len - 1) / p->size;

	if (!addr)
		return -EPERM;
	if (!len || addr + len < addr)
		return -EBADMSG;
	page_add(p, first, node);
	if (last > first)
		page_add(p, last, node);
	*between += last > first ? (last - first - 1) * p->size : 0;
	return 0;
}

/* 0, or -errno, which was noted; -EPERM: the kernel hides the array. */
static int array_read(struct code_pages *p, uint32_t id, enum question q, size_t n, size_t size, struct blob *ret)
{
	int err = ask(p->env->machine, p->env->arena, ret, q, id);

	if (!err && (!n || !ret->n))
		return note_refused(p->env->machine, -EPERM, q, id);
	return err || ret->n / size >= n ? err : note_refused(p->env->machine, -EBADMSG, q, id);
}

/* False: the places of the code are unknown. */
static bool pages_prog_add(struct code_pages *p, const struct nodes *all, size_t i, uint64_t *between)
{
	const struct node *n = &all->v[i];
	const uint32_t funcs = ((const struct prog_rec *)n->rec)->info.nr_jited_ksyms;
	const size_t mark = p->n;
	struct blob addrs, lens;
	int err = array_read(p, n->id, Q_PROG_JITED_KSYMS, funcs, sizeof(uint64_t), &addrs);

	if (err || array_read(p, n->id, Q_PROG_JITED_FUNC_LENS, funcs, sizeof(uint32_t), &lens))
		return false;
	for (size_t k = 0; !err && k < funcs; k++) {
		uint64_t addr;
		uint32_t len;

		memcpy(&addr, addrs.p + k * sizeof(addr), sizeof(addr));
		memcpy(&len, lens.p + k * sizeof(len), sizeof(len));
		err = pages_func_add(p, i, addr, len, between);
	}
	if (err) {
		note_refused(p->env->machine, err, Q_PROG_JITED_KSYMS, n->id);
		p->n = mark;
	}
	return !err;
}

static int by_page(const void *pa, const void *pb)
{
	const struct edge_page *a = pa, *b = pb;

	return NUM_CMP(a->page, b->page) ?: NUM_CMP(a->node, b->node);
}

static void share_out(const struct code_pages *p, struct nodes *all)
{
	for (size_t i = 0, end; i < p->n; i = end) {
		uint64_t users = 0, rest = p->size;

		for (end = i; end < p->n && p->v[end].page == p->v[i].page; end++)
			users += end == i || p->v[end].node != p->v[end - 1].node;
		for (size_t k = i; k < end; k++) {
			if (k > i && p->v[k].node == p->v[k - 1].node)
				continue;
			all->v[p->v[k].node].part[MEM_CODE] += rest / users;
			rest -= rest / users--;
		}
	}
}

void code_pages_read(struct env *env, struct nodes *all)
{
	const int64_t size = facts_limit(env->machine, "page_size");
	/* Archives without this question are from machines with pages of 4096 bytes. */
	struct code_pages p = { .env = env, .size = size > 0 ? (uint64_t)size : 4096 };

	for (size_t i = 0; i < all->n; i++) {
		struct node *n = &all->v[i];
		uint64_t between = 0;
		ARENA_SCOPE(env->arena);

		if (n->kind == OBJECT_PROG && n->part[MEM_CODE] && pages_prog_add(&p, all, i, &between))
			n->part[MEM_CODE] = between;
	}
	if (p.n)
		qsort(p.v, p.n, sizeof(*p.v), by_page);
	share_out(&p, all);
}
