/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "source/info.h"

/* The users of BTF objects, from one pass over all programs and maps for all records of a command. */
struct users {
	struct use {
		uint32_t btf, id;
	} * use;       /* ascending */
	uint32_t *ids; /* use[].id */
	size_t n;
	uint8_t avail; /* enum avail; unknown: some object could not be read */
};
struct all_users {
	struct users progs, maps;
};

static int by_btf_and_id(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return NUM_CMP(x->btf, y->btf) ?: NUM_CMP(x->id, y->id);
}

/* The id of the BTF of a program or map; 0: none. */
static int user_btf(struct env *env, struct arena *a, enum object_kind kind, uint32_t id, uint32_t *ret)
{
	union {
		struct abi_prog_info prog;
		struct abi_map_info map;
	} info;
	uint32_t len;
	int err = info_get(env->machine, a, kind, id, &info, sizeof(info), &len);

	if (err)
		return err;
	*ret = kind == OBJECT_PROG ? info.prog.btf_id : info.map.btf_id;
	return 0;
}

static void users_read(struct env *env, enum object_kind kind, struct users *ret)
{
	ARENA scratch = arena_new();
	struct blob ids;
	size_t n;

	ret->avail = AVAIL_UNKNOWN;
	if (ask(env->machine, scratch, &ids, question_of(Q_IDS, kind)))
		return;
	ret->avail = AVAIL_YES;
	n = ids.n / sizeof(uint32_t);
	ret->use = arena_array(env->keep, n, sizeof(*ret->use));
	ret->ids = arena_array(env->keep, n, sizeof(*ret->ids));
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(scratch);
		struct use u = { 0 };
		int err;

		memcpy(&u.id, ids.p + i * sizeof(u.id), sizeof(u.id));
		err = user_btf(env, scratch, kind, u.id, &u.btf);
		if (err && err != -ENOENT)
			ret->avail = AVAIL_UNKNOWN;
		if (!err && u.btf)
			ret->use[ret->n++] = u;
	}
	qsort(ret->use, ret->n, sizeof(*ret->use), by_btf_and_id);
	for (size_t i = 0; i < ret->n; i++)
		ret->ids[i] = ret->use[i].id;
}

static const uint32_t *users_find(const struct users *u, uint32_t btf, uint32_t *ret_n)
{
	const size_t first = ARRAY_LOWER(u->n, i, u->use[i].btf < btf);
	size_t end;

	for (end = first; end < u->n && u->use[end].btf == btf; end++)
		;
	*ret_n = (uint32_t)(end - first);
	return *ret_n ? u->ids + first : NULL;
}

static void btf_add_users(struct env *env, struct btf_rec *r)
{
	struct all_users *all = env->memo[OBJECT_BTF];

	if (!all) {
		all = env->memo[OBJECT_BTF] = arena_alloc(env->keep, sizeof(*all));
		users_read(env, OBJECT_PROG, &all->progs);
		users_read(env, OBJECT_MAP, &all->maps);
	}
	r->has_progs = all->progs.avail;
	r->has_maps = all->maps.avail;
	r->progs = users_find(&all->progs, r->info.id, &r->nprogs);
	r->maps = users_find(&all->maps, r->info.id, &r->nmaps);
}

static int btf_add_name(struct env *env, struct arena *a, struct btf_rec *r)
{
	struct blob b;
	int err;

	r->has_name = AVAIL_YES;
	if (r->info.name_len) {
		err = ask(env->machine, a, &b, Q_BTF_NAME, r->info.id);
		if (err == -ENOENT)
			return err;
		if (err)
			r->has_name = AVAIL_UNKNOWN;
		else
			r->name = blob_text(a, &b);
	}
	return 0;
}

static int btf_rec_info(struct env *env, struct arena *a, uint32_t id, struct btf_rec *r, struct err *e)
{
	int err = info_get(env->machine, a, OBJECT_BTF, id, &r->info, sizeof(r->info), &r->info_len);

	if (err == -ENOENT)
		return err_set(e, err, "no BTF object with id %u", id);
	if (err)
		return err_sys(e, err, "BTF object %u: cannot read info", id);
	if (r->info_len < offsetof(struct abi_btf_info, name))
		return err_set(e, -EBADMSG, "BTF object %u: info of %u bytes is too short", id, r->info_len);
	r->info.id = id;
	r->kernel = r->info.kernel_btf != 0;
	if (btf_add_name(env, a, r))
		return err_set(e, -ENOENT, "BTF object %u no longer exists", id);
	return 0;
}

int btf_rec_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e)
{
	struct btf_rec *r = rec;
	int err = btf_rec_info(env, a, id, r, e);

	if (err)
		return err;
	if (need & NEED_USERS)
		btf_add_users(env, r);
	object_owners_read(env, a, OBJECT_BTF, id, need, &r->owners);
	return 0;
}

int btf_rec_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e)
{
	struct btf_rec *r = arena_alloc(a, sizeof(*r));
	int err = btf_rec_info(env, a, id, r, e);

	if (!err)
		*ret = (struct object_label){ "", r->name ? r->name : "", "" };
	return err;
}
