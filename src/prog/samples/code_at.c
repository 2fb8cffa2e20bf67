/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/code_at.h"

#include "cli/select.h"
#include "code/info.h"
#include "source/info.h"
#include "source/codes.h"
#include "source/lives.h"

#define PAGE_SHIFT 12
#define PAGES_MAX 4096 /* pages of one function; images are smaller */

static void code_place_add(struct code_index *x, const struct code_place *place)
{
	if (!place->addr || !place->len || place->addr + place->len < place->addr ||
	    place->len >> PAGE_SHIFT >= PAGES_MAX)
		return;
	ARRAY_MORE(x->place, x->nplaces, x->cap);
	x->place[x->nplaces++] = *place;
}

static void code_prog_add(struct code_index *x, struct env *env, size_t known, const struct abi_prog_info *info)
{
	const uint32_t id = x->id[known], count = info->jited_prog_len ? info->nr_jited_ksyms : 0;
	struct info_array ksyms =
		info_array_read(env, id, Q_PROG_JITED_KSYMS, count, sizeof(uint64_t), sizeof(uint64_t));
	struct info_array lens = info_array_read(env, id, Q_PROG_JITED_FUNC_LENS, count ? info->nr_jited_func_lens : 0,
						 sizeof(uint32_t), sizeof(uint32_t));

	const struct life *life = facts_life(env->machine, id);

	x->hidden |= count && !ksyms.n;
	for (size_t i = 0; i < ksyms.n; i++) {
		struct code_place p = { .prog = id,
					.func = (uint32_t)i,
					.known = (uint32_t)known,
					.from = info->load_time,
					.to = life && life->gone_at ? life->gone_at : UINT64_MAX };

		memcpy(&p.addr, ksyms.p + i * sizeof(p.addr), sizeof(p.addr));
		if (i < lens.n)
			memcpy(&p.len, lens.p + i * sizeof(p.len), sizeof(p.len));
		else if (ksyms.n == 1)
			p.len = info->jited_prog_len;
		x->hidden |= !p.addr;
		code_place_add(x, &p);
	}
}

static void codes_add(struct code_index *x, struct env *env)
{
	const struct codes *all = facts_codes(env->machine);

	for (size_t i = 0; i < all->n; i++) {
		const struct code *c = &all->code[i];

		code_place_add(x, &(const struct code_place){ .addr = c->addr,
							      .len = c->len,
							      .code = c,
							      .from = c->from,
							      .to = c->gone_at ? c->gone_at : UINT64_MAX });
	}
}

static uint64_t page_of(uint64_t addr)
{
	return addr >> PAGE_SHIFT;
}

/*
 * By time of unloading, not of loading: the kernel takes the load time before verification, when another program may
 * still be at the address. The times of unloading have the order in which programs were at the address.
 */
static int by_page(const void *pa, const void *pb)
{
	const struct code_page *a = pa, *b = pb;

	return NUM_CMP(a->page, b->page)		       ?:
		       NUM_CMP(a->place->to, b->place->to)     ?:
		       NUM_CMP(a->place->from, b->place->from) ?:
								 NUM_CMP(a->place, b->place);
}

static void pages_make(struct code_index *x)
{
	size_t cap = 0;

	for (size_t i = 0; i < x->nplaces; i++) {
		const struct code_place *p = &x->place[i];

		for (uint64_t page = page_of(p->addr); page <= page_of(p->addr + p->len - 1); page++) {
			ARRAY_MORE(x->page, x->npages, cap);
			x->page[x->npages++] = (struct code_page){ page, p };
		}
	}
	if (x->npages)
		qsort(x->page, x->npages, sizeof(*x->page), by_page);
}

static void code_index_end(void *p)
{
	struct code_index *x = p;

	free(x->place);
	free(x->page);
}

int code_index_new(struct env *env, struct code_index **ret, struct err *e)
{
	struct code_index *x = arena_alloc(env->keep, sizeof(*x));
	struct abi_prog_info info;
	int err = select_all(env, &kind_prog, &x->id, &x->n, e);

	if (err)
		return err;
	arena_defer(env->keep, code_index_end, x);
	x->run_cnt = arena_array(env->keep, x->n, sizeof(*x->run_cnt));
	for (size_t i = 0; i < x->n; i++) {
		ARENA_SCOPE(env->arena);
		struct err why = { 0 };

		err = prog_info(env->machine, env->arena, x->id[i], &info, &why);
		if (!err) {
			x->run_cnt[i] = info.run_cnt;
			code_prog_add(x, env, i, &info);
		} else if (err != -ENOENT) {
			report_unread(env->report, &why);
		}
	}
	codes_add(x, env);
	pages_make(x);
	*ret = x;
	return 0;
}

/* Programs are in the order of ids, before other code. */
static size_t prog_first(const struct code_index *x, uint32_t prog)
{
	return ARRAY_LOWER(x->nplaces, k, x->place[k].prog && x->place[k].prog < prog);
}

bool code_index_has(const struct code_index *x, uint32_t prog)
{
	const size_t i = prog_first(x, prog);

	return prog && i < x->nplaces && x->place[i].prog == prog;
}

const struct code_place *code_index_func(const struct code_index *x, uint32_t prog, uint64_t addr)
{
	for (size_t i = prog_first(x, prog); prog && i < x->nplaces && x->place[i].prog == prog; i++)
		if (x->place[i].addr == addr)
			return &x->place[i];
	return NULL;
}

/* The first function of a page that was unloaded at @time or later. */
static size_t page_lower(const struct code_index *x, uint64_t page, uint64_t time)
{
	const struct code_page *all = x->page;

	return ARRAY_LOWER(x->npages, i, all[i].page != page ? all[i].page < page : all[i].place->to < time);
}

/* Not for other code: the kernel gives a trampoline the length of a page. */
static bool progs_overlap(const struct code_place *a, const struct code_place *b)
{
	return a->prog && b->prog && a->prog != b->prog && a->addr < b->addr + b->len && b->addr < a->addr + a->len;
}

void code_place_times(const struct code_index *x, const struct code_place *p, bool gone, uint64_t *from, uint64_t *to)
{
	*from = p->from;
	*to = p->to;
	for (uint64_t page = page_of(p->addr); page <= page_of(p->addr + p->len - 1); page++)
		for (size_t i = page_lower(x, page, p->from); i < x->npages && x->page[i].page == page; i++) {
			const struct code_place *o = x->page[i].place;

			if (!gone && o->to >= p->to)
				break;
			if (!progs_overlap(p, o))
				continue;
			if (gone && o->from > p->from)
				*to = o->from < *to ? o->from : *to;
			else if (o->to != UINT64_MAX && o->to > *from)
				*from = o->to;
		}
	*to = *to < *from ? *from : *to;
}

const struct code_place *code_at(const struct code_index *x, uint64_t ip, uint64_t time)
{
	const struct code_page *all = x->page;
	const uint64_t page = page_of(ip);
	const struct code_place *found = NULL;
	size_t at = page_lower(x, page, time);

	/*
	 * The first that was unloaded after @time. Those whose end is unknown come last; of these the one loaded last
	 * before @time.
	 */
	for (; at < x->npages && all[at].page == page; at++) {
		const struct code_place *p = all[at].place;

		if (ip - p->addr >= p->len || p->from > time)
			continue;
		found = p;
		if (p->to != UINT64_MAX)
			break;
	}
	return found;
}
