/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/bpf.h>

#include "cli/env.h"
#include "cli/place.h"
#include "cli/records.h"
#include "cli/select.h"
#include "link/link.h"
#include "map/map.h"
#include "source/info.h"
#include "source/source.h"
#include "kernel/abi.h"
#include "kernel/elem.h"
#include "kernel/hooks.h"
#include "kernel/names.h"
#include "kernel/query.h"

/* Programs in slots of maps (tail calls, programs for redirected packets), and programs for the sockets of a map. */

static bool has_slots(uint32_t type)
{
	return hook_of(HOOK_SLOT, type);
}

static bool has_sockets(uint32_t type)
{
	return type == ABI_MAP_SOCKMAP || type == ABI_MAP_SOCKHASH;
}

struct slots_walk {
	struct env *env;
	struct records *ret;
	struct hash *links; /* of sockmap links' ids, by map and attach type; NULL: not read yet */
};

static void slot_links_read(struct slots_walk *w)
{
	struct env *env = w->env;
	const struct link_brief *l;
	struct err why = { 0 };
	size_t n;

	w->links = arena_alloc(env->keep, sizeof(*w->links));
	hash_init(w->links, env->keep);
	if (link_all(env, &l, &n, &why))
		return;
	for (; n; l++, n--)
		if (l->info.type == ABI_LINK_SOCKMAP)
			*hash_put(w->links, (uint64_t)l->info.sockmap.map_id << 32 | l->info.sockmap.attach_type) =
				(void *)(uintptr_t)&l->id;
}

static void slots_list(struct slots_walk *w, uint32_t id, uint32_t type, struct blob b)
{
	const char *p = (const char *)b.p, *end = p + b.n;

	for (const char *stop; p < end && (stop = memchr(p, '\n', (size_t)(end - p))); p = stop + 1) {
		char *line = arena_str(w->env->arena, p, (size_t)(stop - p)), *blank = strchr(line, ' ');
		struct attachment *a;
		uint32_t key, prog;

		if (blank)
			*blank = '\0';
		if (!blank || num_parse_u32(line, &key) || num_parse_u32(blank + 1, &prog)) {
			note_refused(w->env->machine, -EBADMSG, Q_MAP_SLOTS, id);
			continue;
		}
		a = attachment_add(w->ret, w->env);
		a->where = arena_fmt(w->env->keep, "map:%u[%u]", id, key);
		a->what = hook_of(HOOK_SLOT, type)->word;
		a->prog_id = prog;
		a->map_id = id;
	}
}

static int sockets_list(struct slots_walk *w, uint32_t id, struct blob b, struct err *e)
{
	const unsigned char *p = b.p;
	struct prog_query q;
	size_t n = b.n;
	int more;

	while ((more = prog_query_next(&p, &n, &q)) > 0) {
		const uint32_t *link;

		if (q.head.count && !w->links)
			slot_links_read(w);
		link = w->links ? hash_get(w->links, (uint64_t)id << 32 | q.head.attach_type) : NULL;
		for (uint32_t i = 0; i < q.head.count; i++) {
			struct attachment *a = attachment_add(w->ret, w->env);

			a->where = arena_fmt(w->env->keep, "map:%u", id);
			a->what = names_of(&names_attach_type, q.head.attach_type);
			if (!a->what)
				a->what = arena_fmt(w->env->keep, "unknown(%u)", q.head.attach_type);
			a->prog_id = prog_query_at(&q, QUERY_PROGS, i);
			a->link_id = link ? *link : 0;
			a->map_id = id;
		}
	}
	return more ? err_set(e, -EBADMSG, "map %u: the list of its programs is damaged", id) : 0;
}

/* If a map cannot be read, the others are still listed. */
static void one_map(struct slots_walk *w, uint32_t id)
{
	struct env *env = w->env;
	struct abi_map_info info = { 0 };
	struct err why = { 0 };
	struct blob b;
	uint32_t len;
	int err = info_get(env->machine, env->arena, OBJECT_MAP, id, &info, sizeof(info), &len);

	if (!err && has_slots(info.type)) {
		err = ask_text(env->machine, env->arena, &b, Q_MAP_SLOTS, id);
		if (!err)
			slots_list(w, id, info.type, b);
	} else if (!err && has_sockets(info.type)) {
		err = ask(env->machine, env->arena, &b, Q_MAP_PROGS, id);
		if (!err)
			err = sockets_list(w, id, b, &why);
	}
	/* The kernel has no such query: the map itself can be read. */
	if (!err || err == -ENOENT || err == -ENODATA || err == -EOPNOTSUPP)
		return;
	err_sys(&why, err, "map %u: cannot read its programs", id);
	report_unread(env->report, &why);
}

static int place_map_list(struct env *env, struct records *ret, struct err *e)
{
	struct slots_walk w = { .env = env, .ret = ret };
	const uint32_t *ids;
	size_t n;
	int err = select_all(env, &kind_map, &ids, &n, e);

	for (size_t i = 0; !err && i < n; i++) {
		ARENA_SCOPE(env->arena);

		one_map(&w, ids[i]);
		env_progress(env, "looked at", i);
	}
	return err;
}

/* "map:12" or "map:12[3]" */
struct site {
	uint32_t map, key;
	bool slot;
};

static bool site_parse(struct env *env, const char *where, struct site *ret)
{
	char *text, *open, *close;

	if (!str_starts(where, "map:"))
		return false;
	text = arena_str(env->keep, where + strlen("map:"), SIZE_MAX);
	open = strchr(text, '[');
	ret->slot = open;
	if (open) {
		close = strchr(open, ']');
		if (!close || close[1])
			return false;
		*open = *close = '\0';
		if (num_parse_u32(open + 1, &ret->key))
			return false;
	}
	return !num_parse_u32(text, &ret->map);
}

struct map_target {
	struct site site;
	struct abi_map_info info;
	int fd;		 /* -1: none */
	int attach_type; /* of sockets */
};

static void target_close(struct map_target *t)
{
	clean_fd(&t->fd);
}
#define TARGET(t) __attribute__((cleanup(target_close))) struct map_target t = { .fd = -1 }

static int target_open(struct env *env, const char *where, const char *what, struct map_target *t, struct err *e)
{
	const struct hook *h;
	const char *type;
	int err;

	if (!site_parse(env, where, &t->site))
		return -ENOENT;
	err = map_info(env->machine, env->arena, t->site.map, &t->info, e);
	if (err)
		return err;
	type = names_of(&names_map_type, t->info.type);
	h = hook_find(what, HOOK_BIT(t->site.slot ? HOOK_SLOT : HOOK_SOCKETS));
	if (!h || (t->site.slot ? h->arg != t->info.type : !has_sockets(t->info.type)))
		return err_set(e, -EINVAL, "map %u is a %s: %s does not accept %s", t->site.map,
			       type ? type : "map of a newer type", where, what);
	t->attach_type = h->type;
	t->fd = source_open(env->machine->src, OBJECT_MAP, t->site.map, true);
	return t->fd < 0 ? err_sys(e, t->fd, "cannot open map %u", t->site.map) : 0;
}

/* The contents of the slot: a number that stays, and the program. In a prog_array, only the program. */
static int slot_read(const struct map_target *t, uint32_t value[2], struct err *e)
{
	int err;

	if (t->info.key_size != 4 || t->info.value_size != (t->info.type == ABI_MAP_PROG_ARRAY ? 4 : 8))
		return err_set(e, -EINVAL, "map %u cannot contain programs: its values have %u byte%s", t->site.map,
			       t->info.value_size, plural(t->info.value_size));
	if (t->info.type != ABI_MAP_DEVMAP_HASH && t->site.key >= t->info.max_entries)
		return err_set(e, -E2BIG, "map %u has %u slots", t->site.map, t->info.max_entries);
	value[0] = value[1] = 0;
	err = elem_lookup(t->fd, &t->site.key, value, 0);
	if (err && err != -ENOENT)
		return err_sys(e, err, "map %u: cannot read slot %u", t->site.map, t->site.key);
	if (t->info.type == ABI_MAP_PROG_ARRAY) {
		value[1] = value[0];
		return 0;
	}
	if (err || !value[0]) {
		err_set(e, -ENOENT, "map %u: slot %u is empty", t->site.map, t->site.key);
		return err_hint(e, "`map update` puts a %s there, to which a program can be attached",
				t->info.type == ABI_MAP_CPUMAP ? "queue size" : "device");
	}
	return 0;
}

/* @prog_fd -1: no program. */
static int slot_write(const struct map_target *t, const uint32_t value[2], int prog_fd)
{
	uint32_t fresh[2] = { value[0], prog_fd < 0 ? 0 : (uint32_t)prog_fd };

	/* In values with a program, the kernel takes 0 for no program. */
	if (t->info.type != ABI_MAP_PROG_ARRAY)
		return elem_update(t->fd, &t->site.key, fresh, 0);
	return prog_fd >= 0 ? elem_update(t->fd, &t->site.key, &fresh[1], 0) : elem_delete(t->fd, &t->site.key);
}

static int slot_attach(const struct map_target *t, const struct attach_request *q, struct attach_result *ret,
		       struct err *e)
{
	uint32_t value[2];
	int err = slot_read(t, value, e);

	if (err)
		return err;
	if (q->link || q->hold)
		return err_set(e, -EOPNOTSUPP, "%s: a slot of a map does not support links", q->where);
	if (value[1] && !q->overwrite) {
		err_set(e, -EEXIST, "%s runs program %u", q->where, value[1]);
		return err_hint(e, "`overwrite` replaces it");
	}
	err = place_check_replaced(q, value[1], e);
	if (err)
		return err;
	err = q->dry_run ? 0 : slot_write(t, value, q->prog_fd);
	if (err)
		return err_sys(e, err, "%s does not accept program %u", q->where, q->prog_id);
	ret->replaced_prog = value[1];
	return 0;
}

/* The present program; 0: none. -EINVAL: the kernel does not report it (before Linux 5.18). */
static int sockets_prog(const struct map_target *t, uint32_t *ret)
{
	__attribute__((cleanup(prog_query_release))) struct prog_query_room room = { 0 };
	STR text = { 0 };
	const unsigned char *p;
	struct prog_query q;
	size_t n;
	int err = prog_query_ask(&room, (uint32_t)t->fd, (uint32_t)t->attach_type, 0, 0, false, &text);

	*ret = 0;
	if (err)
		return err;
	p = (const unsigned char *)text.p;
	n = text.n;
	if (prog_query_next(&p, &n, &q) > 0 && q.head.count)
		*ret = prog_query_at(&q, QUERY_PROGS, 0);
	return 0;
}

static int sockets_link(struct env *env, const struct map_target *t, const struct attach_request *q,
			struct attach_result *ret, struct err *e)
{
	CLEAN_FD fd = bpf_link_create(q->prog_fd, t->fd, (enum bpf_attach_type)t->attach_type, NULL);

	if (fd < 0)
		return err_sys(e, fd, "%s %s does not accept a link to program %u", q->where, q->what, q->prog_id);
	return place_finish_link(env, q, fd, ret, e);
}

static int sockets_attach(struct env *env, const struct map_target *t, const struct attach_request *q,
			  struct attach_result *ret, struct err *e)
{
	uint32_t now;
	int err = sockets_prog(t, &now);

	if (err == -EINVAL)
		report_note(env->report, "%s %s: the kernel does not report which program runs there, and replaces it",
			    q->where, q->what);
	/* Both stream verdicts share an attach point, which is busy for the other one. */
	else if (err && err != -EBUSY)
		return err_sys(e, err, "%s: cannot read what is attached there", q->where);
	if (now && !q->overwrite) {
		err_set(e, -EEXIST, "%s %s runs program %u", q->where, q->what, now);
		return err_hint(e, "`overwrite` replaces it");
	}
	if (place_check_replaced(q, now, e))
		return e->code;
	ret->replaced_prog = now;
	if (q->dry_run)
		return 0;
	if (q->link || q->hold)
		return sockets_link(env, t, q, ret, e);
	err = bpf_prog_attach(q->prog_fd, t->fd, (enum bpf_attach_type)t->attach_type, 0);
	if (err)
		err_sys(e, err, "%s %s does not accept program %u", q->where, q->what, q->prog_id);
	return err == -EBUSY ? err_hint(e, "a link is attached: `link update` replaces its program") : err;
}

static int place_map_attach(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	TARGET(t);
	int err = target_open(env, q->where, q->what, &t, e);

	if (err)
		return err;
	if (q->multi || q->override || q->preorder || q->position || q->revision || q->has_cookie)
		return err_usage(e, "%s holds one program: run order and cookie are not supported", q->where);
	return t.site.slot ? slot_attach(&t, q, ret, e) : sockets_attach(env, &t, q, ret, e);
}

static int place_map_detach(struct env *env, const struct attachment *a, bool dry_run, struct err *e)
{
	TARGET(t);
	CLEAN_FD prog = -1;
	uint32_t value[2], now;
	int err = target_open(env, a->where, a->what, &t, e);

	if (!err && t.site.slot)
		err = slot_read(&t, value, e);
	if (err)
		return err;
	now = t.site.slot ? value[1] : a->prog_id;
	if (now != a->prog_id)
		return err_set(e, -ENOENT, "%s does not run program %u", a->where, a->prog_id);
	if (dry_run)
		return 0;
	if (t.site.slot) {
		err = slot_write(&t, value, -1);
	} else {
		prog = source_open(env->machine->src, OBJECT_PROG, a->prog_id, false);
		err = prog < 0 ? prog : bpf_prog_detach2(prog, t.fd, (enum bpf_attach_type)t.attach_type);
	}
	return err ? err_sys(e, err, "program %u cannot be detached from %s", a->prog_id, a->where) : 0;
}

static unsigned place_map_hooks_at(struct env *env, const char *where)
{
	if (!str_starts(where, "map:"))
		return 0;
	return HOOK_BIT(strchr(where, '[') ? HOOK_SLOT : HOOK_SOCKETS);
}

const struct place place_map = {
	.name = "map",
	.help = "slots and sockets of maps",
	.hooks = HOOK_BIT(HOOK_SLOT) | HOOK_BIT(HOOK_SOCKETS),
	.hooks_at = place_map_hooks_at,
	.list = place_map_list,
	.attach = place_map_attach,
	.detach = place_map_detach,
};
