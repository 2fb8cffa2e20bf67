/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/attached.h"

#include "cli/owner.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "prog/prog.h"
#include "record/view.h"
#include "source/facts.h"
#include "source/info.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "map/map.h"

#define LS_FIELD_NZ(m, name, help, ...) FIELD(ls_rec, m, name, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
#define LS_FIELD_HOLDER(m, name, help, ...) \
	FIELD(ls_rec, m, name, help, .flags = FIELD_NONZERO | FIELD_HOLDER, ##__VA_ARGS__)
static const struct field ls_fields[] = {
	FIELD(ls_rec, a.where, "where", "place: device, cgroup, function or other", .role = ROLE_PLACE,
	      .flags = FIELD_DEFAULT | FIELD_KEY, FIELD_ALSO_IS(ls_rec, a.funcs, a.nfuncs)),
	FIELD(ls_rec, a.what, "what", "hook at the place", .role = ROLE_KIND, .flags = FIELD_DEFAULT | FIELD_KEY),
	FIELD(ls_rec, a.prog_id, "prog_id", "id of the program that runs there", .title = "PROG", .unit = FU_PROG,
	      .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_KEY),
	FIELD_IF(ls_rec, name, has_prog, "prog_name", "name of the program", .role = ROLE_NAME, .title = "NAME",
		 .need = NEED_PROG, .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_OWNER(ls_rec, owner, has_owner, .need = NEED_HOLDERS, .flags = FIELD_DEFAULT),
	FIELD_AS(ls_rec, prog.since, FT_TIME, "loaded_at", "when it was loaded (the program)", .title = "LOADED",
		 .need = NEED_PROG, .flags = FIELD_DEFAULT | FIELD_SHORT, .drop = 1,
		 FIELD_WHEN(ls_rec, prog.has_since)),
	FIELD(ls_rec, place, "place", "type of the place", .flags = FIELD_KEY),
	FIELD_IF(ls_rec, type, has_prog, "prog_type", "type of the program", .among = &names_prog_type,
		 .role = ROLE_KIND, .need = NEED_PROG, .flags = FIELD_NONZERO),
	FIELD_AS(ls_rec, prog.tag, FT_BYTES, "tag", "hash of the program's instructions", .need = NEED_PROG,
		 FIELD_WHEN(ls_rec, prog.has_tag)),
	FIELD_IF(ls_rec, prog.uid, prog.has_uid, "uid", "user who loaded it (the program)", .need = NEED_PROG),
	FIELD_RUN_CNT(ls_rec, prog.run_cnt, .need = NEED_PROG | NEED_STATS, FIELD_WHEN(ls_rec, prog.has_stats)),
	FIELD_RUN_TIME(ls_rec, prog.run_time_ns, .need = NEED_PROG | NEED_STATS, FIELD_WHEN(ls_rec, prog.has_stats)),
	FIELD(ls_rec, a.link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK,
	      .flags = FIELD_NONZERO | FIELD_HOLDER | FIELD_KEY),
	LS_FIELD_HOLDER(a.map_id, "map_id", "id of the map that has the slot", .unit = FU_MAP),
	LS_FIELD_NZ(map_name, "map_name", "name of the map that has the slot, or of a struct_ops", .role = ROLE_NAME,
		    .need = NEED_PROG),
	LS_FIELD_NZ(a.order, "run_order", "position in the run order of its attach point, from 1", .title = "ORDER"),
	FIELD_LIST(ls_rec, under, nunder, FT_UINT, "runs_under",
		   "programs that run it: it replaces or traces a function of theirs, or they tail-call it",
		   .unit = FU_PROG, .need = NEED_JOIN, .flags = FIELD_NONZERO | FIELD_HOLDER,
		   FIELD_WHEN(ls_rec, has_under)),
	LS_FIELD_HOLDER(a.pid, "pid", "process whose descriptor is all that keeps it attached", .unit = FU_PID),
	FIELD_IF(ls_rec, a.fd, has_fd, "fd", "the descriptor"),
	LS_FIELD_NZ(a.ifindex, "ifindex", "index of the network device", .unit = FU_IFINDEX),
	LS_FIELD_NZ(a.netns_ino, "netns_ino", "inode number of the network namespace", .unit = FU_NETNS),
	LS_FIELD_NZ(a.cgroup_id, "cgroup_id", "id of the cgroup", .unit = FU_CGROUP),
	FIELD_LIST(ls_rec, a.funcs, a.nfuncs, FT_STR, "all_funcs", "all functions of a link that has several",
		   .flags = FIELD_NONZERO),
	LS_FIELD_NZ(a.nfuncs, "func_cnt", "places it is attached to, if there are several"),
	FIELD(ls_rec, nevents, "event_cnt",
	      "perf events of the same process, program and place, such as one for each CPU, if there are several",
	      .title = "EVENTS", .need = NEED_HOLDERS, .flags = FIELD_NONZERO),
	FIELD_LIST(ls_rec, a.classic, a.nclassic, FT_STR, "classic_insns",
		   "instructions of the classic filter of a socket, as in 'tcpdump -d'", .flags = FIELD_NONZERO,
		   FIELD_WHEN(ls_rec, a.has_classic)),
	LS_FIELD_NZ(a.cookie, "cookie", "value that the program reads with bpf_get_attach_cookie"),
	LS_FIELD_NZ(a.detail, "detail", "other details"),
	FIELD_ROWS(ls_rec, holders, nholders, &schema_holder, "pids",
		   "processes that hold it open: the link, or else the program", .flags = FIELD_NONZERO | FIELD_HOLDER,
		   .need = NEED_HOLDERS),
	FIELD_PLACES(ls_rec, places),
};
const struct schema ls_schema = SCHEMA("attachment", ls_rec, ls_fields);

/* Name and type of a program or map: read once, however many times it is attached. */
struct prog_label {
	const char *name, *type;
	struct ls_prog prog;
	uint8_t has_prog;
};

static void prog_label_read(struct env *env, uint32_t id, unsigned need, struct ls_prog *ret)
{
	struct abi_prog_info info;
	uint64_t boot;
	uint32_t len;

	_Static_assert(sizeof(ret->tag) == sizeof(info.tag), "a tag");
	if (info_get(env->machine, env->arena, OBJECT_PROG, id, &info, sizeof(info), &len))
		return;
	ret->has_tag = AVAIL_YES;
	memcpy(ret->tag, info.tag, sizeof(ret->tag));
	ret->run_cnt = info.run_cnt;
	ret->run_time_ns = info.run_time_ns;
	ret->has_stats = need & NEED_STATS ? prog_counts_runs(env, &info, len) : AVAIL_NO;
	if (!info.load_time)
		return;
	boot = facts_boot_ns(env->machine);
	ret->has_uid = AVAIL_YES;
	ret->uid = info.created_by_uid;
	ret->has_since = boot ? AVAIL_YES : AVAIL_UNKNOWN;
	ret->since = (boot + info.load_time) / NSEC_PER_SEC;
}

static void label_read(struct env *env, const struct kind *k, uint32_t id, unsigned need, struct prog_label *ret)
{
	const struct object_label l = kind_label(env, k, id);

	ret->has_prog = l.avail;
	if (l.avail != AVAIL_YES)
		return;
	ret->name = l.name;
	if (k->object != OBJECT_PROG)
		return;
	ret->type = l.type;
	prog_label_read(env, id, need, &ret->prog);
}

static const struct prog_label *label_of(struct env *env, struct hash *labels, unsigned need, enum object_kind object,
					 uint32_t id)
{
	uint64_t key = (uint64_t)object << 32 | id;
	struct prog_label *l = hash_get(labels, key);

	if (!l) {
		ARENA_SCOPE(env->arena);

		l = arena_alloc(env->keep, sizeof(*l));
		label_read(env, kind_of(object), id, need, l);
		*hash_put(labels, key) = l;
	}
	return l;
}

/* An attachment without a program has the name of its map. */
static void add_label(struct env *env, struct hash *labels, unsigned need, struct ls_rec *r)
{
	const struct prog_label none = { 0 },
				*prog = r->a.prog_id ? label_of(env, labels, need, OBJECT_PROG, r->a.prog_id) : &none,
				*map = r->a.map_id ? label_of(env, labels, need, OBJECT_MAP, r->a.map_id) : &none;

	r->name = r->a.prog_id ? prog->name : map->name;
	r->type = prog->type;
	r->prog = prog->prog;
	r->has_prog = prog->has_prog;
	r->map_name = map->name;
}

static const char *first_pin(struct env *env, enum object_kind kind, uint32_t id)
{
	uint32_t n = 0;
	const char *const *pins = id ? facts_pins(env->machine, kind, id, &n) : NULL;

	return n ? pins[0] : NULL;
}

/*
 * The holder that keeps the attachment. An attachment of the kernel's own, such as to a cgroup without a link, has
 * none.
 */
static void add_owner(struct env *env, struct ls_rec *r)
{
	const struct attachment *a = &r->a;
	const struct holder *h = NULL;
	uint32_t n = 0;

	if (a->link_id)
		h = facts_holders(env->machine, OBJECT_LINK, a->link_id, &n);
	r->owner = n ? NULL : first_pin(env, OBJECT_LINK, a->link_id);
	if (!n && !r->owner && a->prog_id)
		h = facts_holders(env->machine, OBJECT_PROG, a->prog_id, &n);
	if (!n && !r->owner && !a->prog_id && a->map_id)
		h = facts_holders(env->machine, OBJECT_MAP, a->map_id, &n);
	r->holders = h;
	r->nholders = n;
	if (a->pid)
		r->owner = a->comm && *a->comm ? arena_fmt(env->keep, "%s(%u)", a->comm, a->pid) :
						 arena_fmt(env->keep, "pid %u", a->pid);
	if (!r->owner)
		r->owner = holders_owner(h, n, env->keep);
	if (!r->owner)
		r->owner = first_pin(env, OBJECT_PROG, a->prog_id);
	r->has_owner = owner_is_known(env, r->owner);
}

static bool is_tail(const struct attachment *a)
{
	const struct hook *h = a->map_id ? hook_of(HOOK_SLOT, ABI_MAP_PROG_ARRAY) : NULL;

	return h && !strcmp(a->what, h->word);
}

void ls_nest(struct env *env, struct records *recs)
{
	for (size_t i = 0; i < recs->n; i++) {
		struct ls_rec *r = ls_at(recs, i);

		if (is_tail(&r->a)) {
			r->has_under = map_progs(env, r->a.map_id, &r->under, &r->nunder);
		} else if (r->a.target_prog) {
			r->has_under = AVAIL_YES;
			r->under = arena_dup(env->keep, &r->a.target_prog, sizeof(r->a.target_prog));
			r->nunder = 1;
		}
	}
}

static void under_add(struct hash *h, uint32_t prog, size_t i)
{
	void **slot = hash_put(h, prog);
	struct ls_list *l = *slot ? *slot : (*slot = arena_alloc(h->arena, sizeof(*l)));

	ARENA_MORE(h->arena, l->i, l->n, l->cap);
	l->i[l->n++] = (uint32_t)i;
}

void ls_under_read(struct env *env, const struct records *recs, struct ls_under *ret)
{
	hash_init(&ret->below, env->keep);
	hash_init(&ret->attached, env->keep);
	for (size_t i = 0; i < recs->n; i++) {
		struct ls_rec *r = ls_at(recs, i);

		if (r->a.prog_id)
			*hash_put(&ret->attached, r->a.prog_id) = r;
		for (uint32_t k = 0; k < r->nunder; k++)
			under_add(&ret->below, r->under[k], i);
	}
}

void ls_describe(struct env *env, struct records *recs)
{
	struct hash labels;

	hash_init(&labels, env->keep);
	for (size_t i = 0; i < recs->n; i++) {
		struct ls_rec *r = ls_at(recs, i);

		r->has_fd = r->a.pid ? AVAIL_YES : AVAIL_NO;
		if (recs->need & NEED_PROG)
			add_label(env, &labels, recs->need, r);
		if (recs->need & (NEED_HOLDERS | NEED_UNITS))
			add_owner(env, r);
		if (recs->need & NEED_UNITS)
			holder_places_read(env, env->keep, r->holders, r->nholders, &r->places);
		env_progress(env, "described", i);
	}
	if (recs->need & NEED_JOIN)
		ls_nest(env, recs);
}

/* If one type of place cannot be listed, the others are listed all the same. */
static int list_place(struct env *env, const struct place *p, struct records *all, struct records *ret)
{
	struct err why = { 0 };
	size_t i = all->n;
	int err = p->list(env, all, &why);

	if (err)
		report_unread(env->report, &why);
	for (; i < all->n; i++)
		*(struct ls_rec *)records_add(ret, env) =
			(struct ls_rec){ .a = *attachment_at(all, i), .place = p->name };
	return err;
}

/* All places are listed, because only then is it known which links have not been listed by another place. */
int ls_list(struct env *env, struct records *ret, struct err *e)
{
	struct records all = { .s = &attachment_schema };
	bool refused = false;

	for (const struct place *const *p = places; *p; p++)
		refused |= list_place(env, *p, &all, ret) == -EPERM;
	return refused && !ret->n ? err_sys(e, -EPERM, "cannot list attachments") : 0;
}
