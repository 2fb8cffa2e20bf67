/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/bytes.h"
#include "types/btf.h"
#include "cli/env.h"
#include "link/link.h"
#include "source/info.h"
#include "source/info.h"
#include "source/source.h"
#include "struct_ops/ops.h"

#define PREFIX "bpf_struct_ops_"
#define STATE_PREFIX "BPF_STRUCT_OPS_STATE_"

/* A command's cache. */
struct memo {
	struct hash links; /* map id -> struct links */
	int links_err;
	bool links_known;
};
struct links {
	uint32_t n, *id;
	size_t cap;
};

static struct memo *memo(struct env *env)
{
	struct memo *m = env->memo[OBJECT_MAP];

	if (!m) {
		m = env->memo[OBJECT_MAP] = arena_alloc(env->keep, sizeof(*m));
		hash_init(&m->links, env->keep);
	}
	return m;
}

const char *ops_prog_name(struct env *env, uint32_t id)
{
	const char *name = kind_label(env, &kind_prog, id).name;

	return *name ? name : NULL;
}

static void link_add(struct env *env, const struct link_brief *b, struct hash *links)
{
	struct links *l;

	if (b->info.type != ABI_LINK_STRUCT_OPS || !b->info.struct_ops.map_id)
		return;
	l = hash_get(links, b->info.struct_ops.map_id);
	if (!l)
		*hash_put(links, b->info.struct_ops.map_id) = l = arena_alloc(env->keep, sizeof(*l));
	ARENA_MORE(env->keep, l->id, l->n, l->cap);
	l->id[l->n++] = b->id;
}

/* Read all links, once for all maps. */
static void ops_links_read(struct env *env, struct ops_rec *r)
{
	struct memo *m = memo(env);
	const struct link_brief *all;
	struct err why = { 0 };
	const struct links *l;
	size_t i, n;

	if (!m->links_known) {
		m->links_known = true;
		m->links_err = link_all(env, &all, &n, &why);
		for (i = 0; !m->links_err && i < n; i++)
			link_add(env, &all[i], &m->links);
	}
	r->has_links = m->links_err ? AVAIL_UNKNOWN : AVAIL_YES;
	l = hash_get(&m->links, r->info.id);
	if (l) {
		r->links = l->id;
		r->nlinks = l->n;
	}
}

int ops_types(struct env *env, const struct abi_map_info *info, struct ops_types *ret, struct err *e)
{
	uint32_t obj = info->btf_vmlinux_id;
	const struct btf_type *type;
	int err;

	ret->value = info->btf_vmlinux_value_type_id;
	err = obj ? btf_get(env->machine, obj, &ret->types, e) : btf_get_vmlinux(env->machine, &ret->types, NULL, e);
	if (err)
		return err_in(e, "map %u: types of its value", info->id);
	type = btf_type(ret->types, ret->value);
	ret->name = btf_name(ret->types, ret->value);
	if (!type || btf_kind_of(type) != BTF_KIND_STRUCT || !str_starts(ret->name, PREFIX))
		return err_set(e, -EBADMSG, "map %u: its value has type %u, which is not %s...", info->id, ret->value,
			       PREFIX);
	ret->name += strlen(PREFIX);
	return 0;
}

int ops_value(struct env *env, uint32_t id, struct blob *ret, struct err *e)
{
	int err = ask(env->machine, env->arena, ret, Q_MAP_STRUCT_OPS, id);

	if (err == -ENODATA)
		return err_set(e, err, "map %u: its value was not saved", id);
	return err ? err_sys(e, err, "map %u: cannot read its value", id) : 0;
}

/* The member with that name; NULL: none. */
static const struct btf_member *ops_member_find(const struct btf_types *t, const struct btf_type *s, const char *name)
{
	for (unsigned i = 0; s && i < btf_vlen_of(s); i++)
		if (!strcmp(btf_str(t, btf_members_of(s)[i].name_off), name))
			return &btf_members_of(s)[i];
	return NULL;
}

static const struct btf_type *struct_of(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_resolved(t, id);

	return type && btf_kind_of(type) == BTF_KIND_STRUCT ? type : NULL;
}

/* Offset in bytes of a member that is not a bit field. */
static uint64_t member_place(const struct btf_type *s, const struct btf_member *m)
{
	return (BTF_INFO_KFLAG(s->info) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset) / 8;
}

static const char *state_word(struct env *env, struct arena *a, const struct btf_types *t, uint32_t type,
			      uint32_t state)
{
	const char *word = btf_enum_name(t, btf_resolve(t, type), (int64_t)state);
	char *s;
	size_t i;

	if (!word || !str_starts(word, STATE_PREFIX))
		return arena_fmt(a, "unknown(%u)", state);
	s = arena_fmt(a, "%s", word + strlen(STATE_PREFIX));
	for (i = 0; s[i]; i++)
		s[i] = (char)tolower((unsigned char)s[i]);
	return s;
}

/* Since Linux 6.8 the state is in a struct "common". */
static void state_read(struct env *env, struct arena *a, const struct ops_types *t, struct blob v, struct ops_rec *r)
{
	const struct btf_type *s = struct_of(t->types, t->value);
	const struct btf_member *common = ops_member_find(t->types, s, "common"), *m;
	uint64_t off = 0;
	uint32_t state;

	if (common) {
		off = member_place(s, common);
		s = struct_of(t->types, common->type);
	}
	m = ops_member_find(t->types, s, "state");
	if (!m)
		return;
	off += member_place(s, m);
	if (off > v.n || v.n - off < sizeof(state))
		return;
	state = (uint32_t)load_uint(v.p + off, sizeof(state), btf_is_big(t->types));
	r->state = state_word(env, a, t->types, m->type, state);
}

static bool is_func(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_resolved(t, id);

	type = type && btf_kind_of(type) == BTF_KIND_PTR ? btf_resolved(t, type->type) : NULL;
	return type && btf_kind_of(type) == BTF_KIND_FUNC_PROTO;
}

static void progs_read(struct env *env, struct arena *a, unsigned need, const struct ops_types *t, struct blob v,
		       struct ops_rec *r)
{
	const struct btf_type *s = struct_of(t->types, t->value), *ops;
	const struct btf_member *data = ops_member_find(t->types, s, "data"), *m;
	struct ops_prog *list, *p;
	unsigned i;

	ops = data ? struct_of(t->types, data->type) : NULL;
	if (!ops)
		return;
	list = arena_array(a, btf_vlen_of(ops), sizeof(*list));
	for (i = 0, m = btf_members_of(ops); i < btf_vlen_of(ops); i++, m++) {
		uint64_t off = member_place(s, data) + member_place(ops, m), id;

		if (!is_func(t->types, m->type) || off > v.n || v.n - off < sizeof(id))
			continue;
		id = load_uint(v.p + off, sizeof(id), btf_is_big(t->types));
		if (!id || id > UINT32_MAX)
			continue;
		p = &list[r->nprogs++];
		p->id = (uint32_t)id;
		p->member = arena_fmt(a, "%s", btf_str(t->types, m->name_off));
		if (need & NEED_PROG) {
			p->name = ops_prog_name(env, p->id);
			p->has_name = p->name ? AVAIL_YES : AVAIL_NO;
		}
	}
	r->progs = list;
}

static void value_read_all(struct env *env, struct arena *a, unsigned need, struct ops_rec *r)
{
	struct err why = { 0 };
	struct ops_types t;
	struct blob v;

	r->has_type = r->has_value = AVAIL_UNKNOWN;
	if (ops_types(env, &r->info, &t, &why))
		return;
	r->has_type = AVAIL_YES;
	r->type = arena_fmt(a, "%s", t.name);
	if (ops_value(env, r->info.id, &v, &why))
		return;
	state_read(env, a, &t, v, r);
	progs_read(env, a, need, &t, v, r);
	r->has_value = r->state ? AVAIL_YES : AVAIL_UNKNOWN;
}

static int ops_info_read(struct env *env, struct arena *a, uint32_t id, struct abi_map_info *ret, struct err *e)
{
	int err = map_info(env->machine, a, id, ret, e);

	if (!err && ret->type != ABI_MAP_STRUCT_OPS)
		return err_set(e, -ENOENT, "map %u is not a struct_ops map", id);
	return err;
}

int ops_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e)
{
	struct ops_rec *r = rec;
	int err = ops_info_read(env, a, id, &r->info, e);

	if (err)
		return err;
	r->info.id = id;
	r->name = arena_str(a, r->info.name, sizeof(r->info.name));
	r->by_link = r->info.map_flags & ABI_MAP_LINK;
	value_read_all(env, a, need, r);
	if (need & NEED_TARGET)
		ops_links_read(env, r);
	return 0;
}

int ops_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e)
{
	struct abi_map_info info;
	int err = ops_info_read(env, a, id, &info, e);

	return err ? err : kind_map.label(env, a, id, ret, e);
}
