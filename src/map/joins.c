/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include "base/bytes.h"
#include "cli/env.h"
#include "map/types.h"
#include "source/elems.h"
#include "source/info.h"
#include "source/source.h"

/* A list of ids. */
struct ids {
	uint32_t *id;
	size_t n, cap;
};
/* The programs of each map, read once for each command. */
struct joins {
	struct hash progs; /* map id -> struct ids, ascending */
	uint8_t whole;	   /* enum avail; unknown: a program's maps could not be read */
};

static void ids_add(struct arena *a, struct ids *ids, uint32_t id)
{
	ARENA_MORE(a, ids->id, ids->n, ids->cap);
	ids->id[ids->n++] = id;
}

static bool join_prog_add(struct env *env, struct joins *j, uint32_t prog)
{
	struct abi_prog_info info;
	const uint32_t *maps;
	uint32_t len, n = 0;
	int err = info_get(env->machine, env->arena, OBJECT_PROG, prog, &info, sizeof(info), &len);

	if (!err)
		err = prog_maps(env->machine, env->arena, prog, &info, &maps, &n);
	for (uint32_t i = 0; i < n; i++) {
		void **slot = hash_put(&j->progs, maps[i]);

		if (!*slot)
			*slot = arena_alloc(env->keep, sizeof(struct ids));
		ids_add(env->keep, *slot, prog);
	}
	return !err || err == -ENOENT;
}

static struct joins *joins_of(struct env *env)
{
	struct joins *j = env->memo[MEMO_MAP_JOINS];
	ARENA_SCOPE(env->arena);
	struct blob progs;

	if (j)
		return j;
	j = env->memo[MEMO_MAP_JOINS] = arena_alloc(env->keep, sizeof(*j));
	hash_init(&j->progs, env->keep);
	j->whole = AVAIL_UNKNOWN;
	if (ask(env->machine, env->arena, &progs, question_of(Q_IDS, OBJECT_PROG)))
		return j;
	j->whole = AVAIL_YES;
	for (size_t i = 0; i + sizeof(uint32_t) <= progs.n; i += sizeof(uint32_t)) {
		ARENA_SCOPE(env->arena);
		uint32_t id;

		memcpy(&id, progs.p + i, sizeof(id));
		if (!join_prog_add(env, j, id))
			j->whole = AVAIL_UNKNOWN;
	}
	return j;
}

/*
 * The known programs are returned even if the maps of a program could not be read: the refusal on the machine marks
 * that some may be missing.
 */
enum avail map_progs(struct env *env, uint32_t id, const uint32_t **ret, uint32_t *ret_n)
{
	const struct joins *j = joins_of(env);
	const struct ids *ids = hash_get(&j->progs, id);

	*ret = ids ? ids->id : NULL;
	*ret_n = ids ? (uint32_t)ids->n : 0;
	return ids ? AVAIL_YES : j->whole;
}

/* For an archive of an older version: from the elements, if it was saved with them. */
static int inner_of_elements(struct env *env, const struct map_rec *r, struct ids *ret)
{
	ARENA scratch = arena_new();
	struct elems batch = { .cursor = "start" };
	const size_t refused = machine_refusals(env->machine);
	int err = 0;

	while (!err && batch.cursor[0]) {
		err = elems_get(env->machine, scratch, r->info.id, r->info.key_size, r->info.value_size, &batch);
		for (uint32_t i = 0; !err && i < batch.head.count; i++) {
			const unsigned char *elem = batch.elems + i * batch.stride;
			uint32_t id = (uint32_t)load_uint(elems_key(elem) + r->info.key_size, sizeof(id),
							  machine_is_big(env->machine));

			if (!elems_err(elem) && id)
				ids_add(env->keep, ret, id);
		}
	}
	/* A batch that is damaged; batches that were refused have been noted. */
	if (err && machine_refusals(env->machine) == refused)
		note_refused(env->machine, err, Q_MAP_ELEMS, r->info.id);
	return err;
}

static int inner_ids(struct env *env, const struct map_rec *r, struct ids *ret)
{
	struct blob b;
	int err = ask_silently(env->machine, env->arena, &b, Q_MAP_INNER, r->info.id);

	if (err == -ENODATA)
		return inner_of_elements(env, r, ret);
	if (err)
		return note_refused(env->machine, err, Q_MAP_INNER, r->info.id);
	for (size_t i = 0; i + sizeof(uint32_t) <= b.n; i += sizeof(uint32_t)) {
		uint32_t id;

		memcpy(&id, b.p + i, sizeof(id));
		ids_add(env->keep, ret, id);
	}
	return b.n % sizeof(uint32_t) ? note_refused(env->machine, -EBADMSG, Q_MAP_INNER, r->info.id) : 0;
}

static void inner_read(struct env *env, struct map_rec *r)
{
	struct ids ids = { 0 };
	uint32_t n = 0;

	if (!(map_type(r->info.type)->flags & MAP_OF_MAPS) || r->info.value_size != sizeof(uint32_t))
		return;
	r->has_inner = inner_ids(env, r, &ids) ? AVAIL_UNKNOWN : AVAIL_YES;
	if (ids.n)
		qsort(ids.id, ids.n, sizeof(*ids.id), num_order_u32);
	for (size_t i = 0; i < ids.n; i++)
		if (!n || ids.id[n - 1] != ids.id[i])
			ids.id[n++] = ids.id[i];
	r->inner = ids.id;
	r->ninner = n;
}

void map_join(struct env *env, struct arena *a, unsigned need, struct map_rec *r)
{
	if (need & NEED_JOIN)
		r->has_prog_ids = map_progs(env, r->info.id, &r->prog_ids, &r->nprog_ids);
	if (need & NEED_INNER)
		inner_read(env, r);
}
