/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include "cli/env.h"
#include "cli/place.h"
#include "link/link.h"
#include "record/edge.h"
#include "struct_ops/struct_ops.h"

/* Results that are kept for one command, by program id. */
struct joins {
	struct hash places, links; /* of struct list */
	bool places_read, links_read;
	uint8_t all_places; /* enum avail of a program that has no place; unknown: places could not be read */
};
struct join_list {
	const struct attachment **at;
	uint32_t *id;
	size_t n, cap;
};

static struct joins *joins_of(struct env *env)
{
	struct joins *j = env->memo[MEMO_PROG_JOINS];

	if (!j) {
		j = env->memo[MEMO_PROG_JOINS] = arena_alloc(env->keep, sizeof(*j));
		hash_init(&j->places, env->keep);
		hash_init(&j->links, env->keep);
	}
	return j;
}

static struct join_list *list_of(struct hash *h, uint32_t id)
{
	void **slot = hash_put(h, id);

	if (!*slot)
		*slot = arena_alloc(h->arena, sizeof(struct join_list));
	return *slot;
}

static void join_place_add(struct env *env, struct joins *j, uint32_t prog, const struct attachment *a)
{
	struct join_list *l = list_of(&j->places, prog);

	ARENA_MORE(env->keep, l->at, l->n, l->cap);
	l->at[l->n++] = a;
}

/* The programs of a struct_ops map run where the map is registered. */
static int ops_add(struct env *env, struct joins *j, const struct attachment *a)
{
	const struct schema *s = kind_struct_ops.schema;
	void *rec = arena_alloc(env->arena, s->rec_size);
	struct err why = { 0 };
	struct edge_iter it;
	struct edge e;
	int err = kind_struct_ops.read(env, env->arena, a->map_id, NEED_PROG, rec, &why);

	if (err)
		return err;
	edge_begin(&it, s, rec, 0);
	while (edge_next(&it, &e))
		if (e.to == EDGE_PROG)
			join_place_add(env, j, (uint32_t)e.id, a);
	return it.unknown ? -ENODATA : 0;
}

static void places_read(struct env *env, struct joins *j)
{
	struct records *all = arena_alloc(env->keep, sizeof(*all));
	const size_t refused = machine_refusals(env->machine), unseen = machine_unseens(env->machine);
	const size_t unread = env->report->unread;
	bool whole = true;

	*all = (struct records){ .s = &attachment_schema };
	for (const struct place *const *p = places; *p; p++) {
		struct err why = { 0 };

		if ((*p)->list(env, all, &why))
			report_unread(env->report, &why);
	}
	for (size_t i = 0; i < all->n; i++) {
		const struct attachment *a = attachment_at(all, i);
		ARENA_SCOPE(env->arena);

		if (a->prog_id)
			join_place_add(env, j, a->prog_id, a);
		else if (a->map_id)
			whole &= !ops_add(env, j, a);
	}
	if (!whole || env->report->unread != unread ||
	    machine_refusals(env->machine) - refused != machine_unseens(env->machine) - unseen)
		j->all_places = AVAIL_UNKNOWN;
	else
		j->all_places = machine_unseens(env->machine) == unseen ? AVAIL_NO : AVAIL_UNSEEN;
}

static void where_read(struct env *env, struct arena *a, struct prog_rec *r)
{
	struct joins *j = joins_of(env);
	const struct join_list *l;
	STR text = { 0 };

	if (!j->places_read) {
		j->places_read = true;
		places_read(env, j);
	}
	l = hash_get(&j->places, r->info.id);
	r->has_where = l ? AVAIL_YES : j->all_places;
	for (size_t i = 0; l && i < l->n; i++)
		str_fmt(&text, "%s%s %s", i ? ", " : "", l->at[i]->where, l->at[i]->what);
	r->where = l ? arena_str(a, text.p, text.n) : NULL;
}

/* A failure is ignored: kernels before Linux 5.8 have no links. */
static void prog_links_read(struct env *env, struct joins *j)
{
	const struct link_brief *l;
	struct err why = { 0 };
	size_t n;

	if (link_all(env, &l, &n, &why))
		return;
	for (; n; l++, n--)
		if (l->info.prog_id) {
			struct join_list *of = list_of(&j->links, l->info.prog_id);

			ARENA_MORE(env->keep, of->id, of->n, of->cap);
			of->id[of->n++] = l->id;
		}
}

/* A link keeps its program loaded even if all other holders release it, so the owner of the link is the one to show. */
static void owner_read(struct env *env, struct arena *a, struct prog_rec *r)
{
	struct joins *j = joins_of(env);
	const char *owner = NULL;
	const struct join_list *l;

	if (!j->links_read) {
		j->links_read = true;
		prog_links_read(env, j);
	}
	l = hash_get(&j->links, r->info.id);
	for (size_t i = 0; l && i < l->n && !owner; i++)
		owner = object_owner(env, a, OBJECT_LINK, l->id[i]);
	if (owner) {
		r->owners.owner = owner;
		r->owners.has_owner = AVAIL_YES;
	}
}

void prog_join(struct env *env, struct arena *a, unsigned need, struct prog_rec *r)
{
	if (need & NEED_JOIN)
		where_read(env, a, r);
	if (need & NEED_OWNER)
		owner_read(env, a, r);
}
