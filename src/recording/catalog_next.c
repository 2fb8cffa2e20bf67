/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/catalog.h"

#include "kernel/clock.h"

void catalog_prepare(struct catalog *cat, struct catalog *next, struct source *file)
{
	catalog_init(next, file, cat->own);
	next->only_pid = cat->only_pid;
	next->from = clock_ns(CLOCK_BOOTTIME);
	cat->next = next;
}

/* Copy what is known of @from, apart from its answers. */
static void life_copy(struct catalog_prog *p, const struct catalog_prog *from)
{
	p->life.loaded = from->life.loaded;
	p->life.has_loader = from->life.has_loader;
	p->life.pid = from->life.pid;
	p->life.uid = from->life.uid;
	memcpy(p->comm, from->comm, sizeof(p->comm));
	memcpy(p->tag, from->tag, sizeof(p->tag));
	p->life.comm = p->comm;
}

/* Does the program of the next file belong there? @was: the same in this file; NULL: it is not. */
static bool is_carried(const struct catalog_prog *p, const struct catalog_prog *was, uint64_t from)
{
	if (p->written)
		return !p->life.gone || p->life.gone_at > from;
	return catalog_waits(p) && (!was || catalog_waits(was));
}

/* Of the objects in the file, those that exist now and those of programs that it keeps. */
static void objects_carry(struct catalog *next, enum object_kind kind, struct hash *h)
{
	ARENA_SCOPE(next->scratch);
	const struct hash all = *h;
	const uint32_t *ids;
	uint32_t map;
	size_t n;

	if (catalog_ids(next, kind, &ids, &n))
		return;
	hash_init(h, next->arena);
	for (size_t i = 0; i < n; i++)
		if (hash_get(&all, ids[i]))
			*hash_put(h, ids[i]) = next;
	for (size_t i = 0; i < next->n; i++) {
		const struct catalog_prog *p = next->all[i];

		if (kind == OBJECT_BTF && hash_get(&all, p->info.btf_id))
			*hash_put(h, p->info.btf_id) = next;
		for (size_t k = 0; kind == OBJECT_MAP && k < p->map_ids.n; k += sizeof(map)) {
			memcpy(&map, p->map_ids.p + k, sizeof(map));
			if (hash_get(&all, map))
				*hash_put(h, map) = next;
		}
	}
}

void catalog_carry(struct catalog *cat, uint64_t from)
{
	struct catalog *next = cat->next;
	size_t kept = 0;

	cat->next = NULL;
	next->from = from;
	for (size_t i = 0; i < next->n; i++) {
		struct catalog_prog *p = next->all[i];
		const struct catalog_prog *was = hash_get(&cat->by_id, p->life.id);

		if (!is_carried(p, was, from)) {
			/* Known by its id, it is in no list. Without answers, its copy may still come. */
			if (!was || !was->written)
				*hash_put(&next->by_id, p->life.id) = NULL;
			p->tried = true;
			str_release(&p->map_ids);
			continue;
		}
		if (was)
			life_copy(p, was);
		/* Its load is in no file yet. */
		if (p->written)
			p->life.how = was && catalog_waits(was) ? LIFE_ASKED : LIFE_BEFORE;
		next->all[kept++] = p;
	}
	next->n = kept;
	for (size_t i = 0; i < cat->n; i++)
		if (!catalog_waits(cat->all[i]))
			*hash_put(&next->earlier, cat->all[i]->life.id) = next;
	objects_carry(next, OBJECT_MAP, &next->maps);
	objects_carry(next, OBJECT_BTF, &next->btfs);
}
