/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"
#include "cgroup/cgroup.h"
#include "cgroup/read.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "source/info.h"
#include "cli/kind.h"
#include "link/link.h"
#include "record/field.h"
#include "source/info.h"
#include "source/source.h"
#include "kernel/abi.h"
#include "kernel/names.h"
#include "kernel/query.h"

/* Facts of a program, read once for all cgroups. */
struct prog_facts {
	const char *name, *type, *target;
	uint32_t btf_obj_id, btf_id;
	int err;
};

/* A link at a hook of a cgroup. */
struct site {
	struct site *next; /* with the same key */
	uint64_t cgroup_id;
	uint32_t attach_type, prog_id, link_id;
};

static uint64_t site_key(uint64_t cgroup, uint32_t attach_type, uint32_t prog)
{
	return cgroup * 0x9e3779b97f4a7c15ull + ((uint64_t)prog << 8) + attach_type;
}

static void link_add(struct cgroup_reader *r, const struct link_brief *l)
{
	struct site *s;
	void **slot;

	if (l->info.type != ABI_LINK_CGROUP || !l->info.cgroup.cgroup_id)
		return;
	s = arena_alloc(r->env->keep, sizeof(*s));
	*s = (struct site){
		.cgroup_id = l->info.cgroup.cgroup_id,
		.attach_type = l->info.cgroup.attach_type,
		.prog_id = l->info.prog_id,
		.link_id = l->id,
	};
	slot = hash_put(&r->sites, site_key(s->cgroup_id, s->attach_type, s->prog_id));
	s->next = *slot;
	*slot = s;
}

/* The kernel does not report which programs of a hook have a link, but links report their cgroup. */
static void cgroup_links_read(struct cgroup_reader *r)
{
	const struct link_brief *l;
	struct err why = { 0 };
	size_t n;

	r->has_links = true;
	hash_init(&r->sites, r->env->keep);
	r->links_error = link_all(r->env, &l, &n, &why);
	/* From the last one: each is inserted before those with the same key. */
	for (size_t i = r->links_error ? 0 : n; i; i--)
		link_add(r, &l[i - 1]);
}

/* Removes the link that it returns, because several links can attach the same program. */
static uint32_t link_take(struct cgroup_reader *r, const struct cgroup_prog *p)
{
	void **head = hash_put(&r->sites, site_key(p->cgroup_id, p->attach_type, p->id));
	struct site *s = *head, *before = NULL;

	for (; s; before = s, s = s->next) {
		if (s->cgroup_id != p->cgroup_id || s->attach_type != p->attach_type || s->prog_id != p->id)
			continue;
		if (before)
			before->next = s->next;
		else
			*head = s->next;
		return s->link_id;
	}
	return 0;
}

static const char *cgroup_keep(struct env *env, const char *s)
{
	return s ? arena_str(env->keep, s, SIZE_MAX) : "";
}

static void facts_read(struct env *env, uint32_t id, struct prog_facts *f)
{
	struct object_label label;
	const struct btf_types *types;
	struct abi_prog_info info;
	struct err why = { 0 };

	f->target = "";
	f->err = prog_info(env->machine, env->arena, id, &info, &why);
	if (f->err)
		return;
	f->btf_obj_id = info.attach_btf_obj_id;
	f->btf_id = info.attach_btf_id;
	if (kind_prog.label(env, env->arena, id, &label, &why)) {
		f->err = why.code;
		return;
	}
	f->name = cgroup_keep(env, label.name);
	f->type = cgroup_keep(env, label.type);
	if (f->btf_obj_id && f->btf_id && !btf_get(env->machine, f->btf_obj_id, &types, NULL))
		f->target = cgroup_keep(env, btf_name(types, f->btf_id));
}

static const struct prog_facts *facts_of(struct cgroup_reader *r, uint32_t id)
{
	struct env *env = r->env;
	struct prog_facts *f;
	ARENA_SCOPE(env->arena);

	if (!r->progs.arena)
		hash_init(&r->progs, env->keep);
	f = hash_get(&r->progs, id);
	if (f)
		return f;
	f = arena_alloc(env->keep, sizeof(*f));
	facts_read(env, id, f);
	*hash_put(&r->progs, id) = f;
	return f;
}

static const char *flags_text(struct env *env, uint32_t flags)
{
	static const char *const words[] = { "", "override", "multi" };

	return flags < ARRAY_SIZE(words) ? words[flags] : arena_fmt(env->keep, "unknown(%x)", flags);
}

/* False: the program was unloaded meanwhile. */
static bool prog_fill(struct cgroup_reader *r, const struct prog_query *q, uint32_t i, struct cgroup_prog *p)
{
	const struct prog_facts *f;

	p->id = prog_query_at(q, QUERY_PROGS, i);
	p->attach_type = q->head.attach_type;
	p->hook = btf_word(r->env->machine, &names_attach_type, p->attach_type);
	p->flags = q->array[QUERY_PROG_FLAGS] ? prog_query_at(q, QUERY_PROG_FLAGS, i) : q->head.attach_flags;
	p->attach_flags = flags_text(r->env, p->flags);
	p->order = i + 1;
	p->has_own = r->effective ? AVAIL_NO : AVAIL_YES;
	p->revision = q->head.revision;
	if (r->links && !r->effective) {
		if (!r->has_links)
			cgroup_links_read(r);
		p->has_link = r->links_error ? AVAIL_UNKNOWN : AVAIL_YES;
		p->link_id = r->links_error ? 0 : link_take(r, p);
	}
	if (r->bare)
		return p->id != 0;
	f = facts_of(r, p->id);
	p->name = f->name;
	p->type = f->type;
	p->attach_btf_name = f->target;
	p->attach_btf_obj_id = f->btf_obj_id;
	p->attach_btf_id = f->btf_id;
	p->has_prog = f->err ? AVAIL_UNKNOWN : AVAIL_YES;
	return f->err != -ENOENT;
}

/* Number of programs in the answer. */
static int progs_count(const struct blob *b, uint64_t *ret)
{
	const unsigned char *at = b->p;
	struct prog_query q;
	size_t left = b->n;
	int more;

	for (*ret = 0; (more = prog_query_next(&at, &left, &q)) > 0;)
		*ret += q.head.count;
	return more;
}

/* The attach types in the order in which bpftool lists them: related ones together. Others follow by number. */
static const uint8_t listed[] = {
	0,  1,	2,  34,		/* inet_ingress, inet_egress, inet_sock_create, inet_sock_release */
	8,  9,	12, 13,		/* inet4_bind, inet6_bind, inet4_post_bind, inet6_post_bind */
	10, 11, 49,		/* inet4_connect, inet6_connect, unix_connect */
	29, 30, 52, 31, 32, 53, /* inet4_getpeername, inet6_, unix_; inet4_getsockname, inet6_, unix_ */
	14, 15, 50, 19, 20, 51, /* udp4_sendmsg, udp6_, unix_; udp4_recvmsg, udp6_, unix_ */
	3,  6,	18, 21, 22, 43, /* sock_ops, device, sysctl, getsockopt, setsockopt, lsm_cgroup */
};

static uint64_t place_in_list(const struct cgroup_prog *p)
{
	uint64_t i = 0;

	while (i < ARRAY_SIZE(listed) && listed[i] != p->attach_type)
		i++;
	return (i < ARRAY_SIZE(listed) ? i : i + p->attach_type) << 32 | p->order;
}

static int by_slot(const void *a, const void *b)
{
	const uint64_t x = place_in_list(a), y = place_in_list(b);

	return NUM_CMP(x, y);
}

int cgroup_read(struct cgroup_reader *r, uint64_t id, const char *path, struct cgroup_prog **ret, uint32_t *n,
		struct err *e)
{
	struct env *env = r->env;
	const unsigned char *at;
	struct cgroup_prog *progs;
	struct prog_query q;
	uint64_t total;
	struct blob b;
	uint32_t k = 0;
	size_t left;
	int err = ask(env->machine, env->arena, &b, r->effective ? Q_CGROUP_EFFECTIVE : Q_CGROUP_PROGS, id);

	if (err)
		return err_sys(e, err, "cannot read the programs of cgroup %s", path);
	if (progs_count(&b, &total))
		return err_set(e, -EBADMSG, "cgroup %s: damaged list of programs", path);
	/* The answer has at least an id for each program, which limits the total. */
	progs = total ? arena_array(env->keep, total, sizeof(*progs)) : NULL;
	for (at = b.p, left = b.n; prog_query_next(&at, &left, &q) > 0;) {
		for (uint32_t i = 0; i < q.head.count; i++) {
			progs[k] = (struct cgroup_prog){ .cgroup_id = id, .cgroup = path };
			if (prog_fill(r, &q, i, &progs[k]))
				k++;
		}
	}
	if (k)
		qsort(progs, k, sizeof(*progs), by_slot);
	*ret = progs;
	*n = k;
	return 0;
}

void cgroup_save(struct env *env)
{
	const struct cgroup_dir *all;
	struct err why = { 0 };
	struct blob b;
	size_t n;

	if (cgroup_all(env, &all, &n, &why))
		return;
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);

		int err;

		if (ask_silently(env->machine, env->arena, &b, Q_CGROUP_PROGS, all[i].id))
			continue;
		err = ask_silently(env->machine, env->arena, &b, Q_CGROUP_EFFECTIVE, all[i].id);
		/* What is refused is refused for all cgroups; one that is gone says nothing about the others. */
		if (err && err != -ENOENT)
			break;
	}
}
