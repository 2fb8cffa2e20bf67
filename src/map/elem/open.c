/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/open.h"

#include <linux/bpf.h>

#include "types/btf.h"
#include "types/value/member.h"
#include "cli/change.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "map/elem/query.h"
#include "map/elem/walk.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/info.h"
#include "kernel/bpf.h"

#define FDINFO_MAX (64u << 10)

static bool has_lock(struct env *env, const struct abi_map_info *info)
{
	const struct btf_type *type = NULL;
	const struct btf_types *t;
	unsigned i;

	if (info->btf_value_type_id && !walk_btf(env, info, &t, NULL))
		type = btf_resolved(t, info->btf_value_type_id);
	if (!type || btf_kind_of(type) != BTF_KIND_STRUCT)
		return false;
	for (i = 0; i < btf_vlen_of(type); i++)
		if (!strcmp(btf_name(t, btf_resolve(t, btf_members_of(type)[i].type)), "bpf_spin_lock"))
			return true;
	return false;
}

void open_map_close(struct open_map *m)
{
	clean_fd(&m->fd);
}

int map_open(struct env *env, const struct object_ref *ref, enum map_verb verb, struct open_map *ret, struct err *e)
{
	OPEN_MAP(m);
	uint32_t len = sizeof(m.info);
	int err;

	if (env->opts->from) {
		err_set(e, -EOPNOTSUPP, "single elements are read from the running kernel, not from an archive");
		return err_hint(e, "`map dump` shows the elements in an archive");
	}
	m.fd = (map_verb_writes(verb) ? select_open_rw : select_open)(env, &kind_map, ref, NULL, e);
	if (m.fd < 0)
		return m.fd;
	err = sys_object_info(m.fd, &m.info, &len);
	if (err)
		return err_sys(e, err, "cannot read the map's info");
	err = map_can(m.info.id, m.info.type, verb, e);
	if (err)
		return err;
	elem_form_ask(&m.form, &m.info, env->machine);
	/* With wrong sizes, the kernel would copy more than there is room for. */
	err = elem_form_check(&m.form, m.info.id, e);
	if (err)
		return err;
	/* Without types, bytes still work. */
	walk_form(env, &m.info, value_form_of(env), &m.form, env->keep, NULL);
	m.shown = m.form;
	m.shown.view = VIEW_NAMED;
	walk_form(env, &m.info, value_form_of(env), &m.shown, env->keep, NULL);
	m.form.names = elem_look(env) == ELEM_JSON ? env : NULL;
	m.lock = has_lock(env, &m.info);
	*ret = m;
	m.fd = -1;
	return 0;
}

int map_open_assumed(struct env *env, struct open_map *m, const struct assumed_opts *o, struct err *e)
{
	int err = assumed_form(env, &m->info, o, value_form_of(env), &m->form, env->keep, e);

	if (!err)
		err = assumed_form(env, &m->info, o, value_form_of(env), &m->shown, env->keep, e);
	return err ? err_in(e, "map %u", m->info.id) : 0;
}

int map_open_formats(struct env *env, struct open_map *m, const struct arg_list *format, bool exact, struct err *e)
{
	int err = query_formats(&m->form, format, env->machine, env->keep, e);

	if (exact)
		m->shown = m->form;
	return err || exact ? err : query_formats(&m->shown, format, env->machine, env->keep, e);
}

static void elem_put(struct env *env, const struct open_map *m, struct doc *d, const unsigned char *elem)
{
	if (elem_look(env) == ELEM_JSON)
		elem_json(&m->form, doc_value(d, NULL), elem, 0);
	else if (m->form.key || m->form.value)
		elem_put_typed(&m->form, doc_value(d, NULL), elem, 0);
	else
		return elem_hex(&m->form, env->report->out, elem, 0);
	doc_text(d, "\n");
}

void map_elem_print(struct env *env, const struct open_map *m, const unsigned char *elem)
{
	struct doc d;

	env_doc(env, &d);
	elem_put(env, m, &d, elem);
}

static const char *elem_text(struct env *env, const struct open_map *m, const unsigned char *elem)
{
	struct jsonw_text t;

	if (!elem)
		return NULL;
	elem_json(&m->form, jsonw_text_begin(&t), elem, 0);
	return jsonw_text_end(&t, env->keep);
}

void elem_change_texts(struct env *env, const struct open_map *m, struct elem_change *c)
{
	c->before_text = elem_text(env, m, c->before);
	c->after_text = elem_text(env, m, c->after);
}

void elem_change_report(struct env *env, const struct open_map *m, const char *action, bool dry_run,
			const struct elem_change *c)
{
	struct doc d;

	change_report(env, &(struct change_rec){
				   .sentence = SENTENCE_ELEMENT,
				   .action = action,
				   .kind = kind_map.name,
				   .id = m->info.id,
				   .dry_run = dry_run,
				   .before = c->before_text,
				   .after = c->after_text,
			   });
	env_doc(env, &d);
	if (!doc_is_text(&d) || !dry_run)
		return;
	elem_put(env, m, &d, c->after ? c->after : c->before);
	if (!c->after || !c->before)
		return;
	doc_text(&d, "in place of:\n");
	elem_put(env, m, &d, c->before);
}

unsigned char *map_elem_room(struct env *env, const struct open_map *m, unsigned char **ret_value)
{
	/* The kernel may copy keys of keyless maps, and values rounded up. */
	unsigned char *elem = arena_alloc(env->keep, m->info.key_size + elem_value_bytes(&m->form) + 16);

	*ret_value = elem + m->info.key_size;
	return elem;
}

static bool is_frozen(int fd)
{
	char path[40];
	STR text = { 0 };
	uint64_t v = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return !str_read_file(&text, path, FDINFO_MAX) && text.p &&
	       fdinfo_u64((struct blob){ (const unsigned char *)text.p, text.n }, "frozen", &v) && v;
}

/* A known property of the map that forbids the operation. */
static int map_forbids(const struct open_map *m, int err, const char *what, struct err *e)
{
	if (m->info.map_flags & BPF_F_RDONLY)
		return err_set(e, err, "map %u: cannot %s: user space may only read it", m->info.id, what);
	if (!is_frozen(m->fd))
		return err_sys(e, err, "map %u: cannot %s", m->info.id, what);
	err_set(e, err, "map %u is frozen: user space can no longer change it", m->info.id);
	return err_hint(e, "`map create` creates a new one");
}

/* Does a number mean another key in memory than in a table? */
static bool key_has_order(const struct open_map *m)
{
	static const unsigned char one[sizeof(uint64_t)] = { 1 };
	struct member plain, shown;
	struct err none = { 0 };
	bool is_signed;

	return m->form.key && m->shown.key && !member_find(&plain, m->form.key, "key", "", &none) &&
	       !member_find(&shown, m->shown.key, "key", "", &none) && member_is_int(&plain, &is_signed) &&
	       member_is_int(&shown, &is_signed) && member_int(&plain, one) != member_int(&shown, one);
}

int map_error(const struct open_map *m, int err, const char *what, struct err *e)
{
	switch (err) {
	case -ENOENT:
		err_set(e, err, "map %u has no such element", m->info.id);
		return key_has_order(m) ?
			       err_hint(
				       e,
				       "a number is read as `map dump -o +` shows the key, with --exact as it is in memory") :
			       err;
	case -EEXIST:
		err_set(e, err, "map %u already has an element with this key", m->info.id);
		return err_hint(e, "omit `noexist` to replace it");
	case -E2BIG:
		return err_set(e, err, "map %u %s: it has %u entr%s", m->info.id,
			       map_type(m->info.type)->flags & MAP_INDEXED ? "has no such key" : "is full",
			       m->info.max_entries, m->info.max_entries == 1 ? "y" : "ies");
	case -ENOTSUPP:
	case -EOPNOTSUPP:
		return err_set(e, -EOPNOTSUPP, "map %u: user space cannot %s in maps of this type", m->info.id, what);
	case -EPERM:
		return map_forbids(m, err, what, e);
	case -EINVAL:
		err_sys(e, err, "map %u: cannot %s", m->info.id, what);
		if (map_type(m->info.type)->flags & MAP_OF_MAPS)
			return err_hint(
				e,
				"inner maps have the same type, sizes of key and value, and flags; arrays also the same max_entries");
		return m->info.type == ABI_MAP_PROG_ARRAY ?
			       err_hint(e, "programs in a prog_array have the type of the program that uses it") :
			       err;
	default:
		return err_sys(e, err, "map %u: cannot %s", m->info.id, what);
	}
}
