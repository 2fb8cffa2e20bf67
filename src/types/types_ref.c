/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/types_ref.h"

#include "base/near.h"
#include "types/btf.h"
#include "types/files.h"
#include "types/layout.h"
#include "cli/select.h"
#include "source/info.h"
#include "kernel/abi.h"

static void file_release(void *p)
{
	btf_files_release(p);
}

static int file_get(struct env *env, const char *path, const struct btf_types **ret, struct err *e)
{
	struct btf_files *f = arena_alloc(env->keep, sizeof(*f));
	int err;

	arena_defer(env->keep, file_release, f);
	err = btf_files_read(f, &path, 1, env->opts->base_btf, e);
	if (!err)
		*ret = f->types;
	return err;
}

/* The BTF of a program or map. */
static int object_get(struct env *env, enum object_kind kind, const struct object_ref *ref, uint32_t *ret,
		      struct err *e)
{
	union {
		struct abi_prog_info prog;
		struct abi_map_info map;
	} info;
	const struct kind *k = kind_of(kind);
	uint32_t id, len, btf;
	int err = select_one(env, k, ref, &id, e);

	if (err)
		return err;
	err = info_get(env->machine, env->arena, k->object, id, &info, sizeof(info), &len);
	if (err == -ENOENT)
		return select_no_such(env, k, id, e);
	if (err)
		return err_sys(e, err, "%s %u: cannot read info", k->name, id);
	btf = kind == OBJECT_PROG ? info.prog.btf_id : info.map.btf_id;
	if (!btf && kind == OBJECT_MAP)
		btf = info.map.btf_vmlinux_id;
	if (!btf)
		return err_set(e, -ENOENT, "%s %u has no type information", k->name, id);
	*ret = btf;
	return 0;
}

/* Reads the file of the kernel's own types or of a module's, if they are only available there; -ENODATA: not so. */
static int named_file_get(struct env *env, const char *name, const struct btf_types **ret, struct err *e)
{
	struct blob ids;
	const char *path;
	int err;

	if (machine_is_saved(env->machine) || strchr(name, '/') || !strcmp(name, "..") || !strcmp(name, "."))
		return -ENODATA;
	err = ask_silently(env->machine, env->arena, &ids, question_of(Q_IDS, OBJECT_BTF));
	if (err != -EPERM && err != -EACCES)
		return -ENODATA;
	path = arena_fmt(env->keep, BTF_SYSFS "%s", name);
	if (!access(path, R_OK))
		return file_get(env, path, ret, e);
	err_sys(e, -errno, "cannot read %s", path);
	return err_hint(e, "without privileges, only types with a file in " BTF_SYSFS " are found by name");
}

int btf_object_types(struct env *env, const struct object_ref *ref, const struct btf_types **ret, struct err *e)
{
	struct object_label label;
	uint32_t id;
	int err = ref->by == SEL_NAME ? named_file_get(env, ref->text, ret, e) : -ENODATA;

	if (err != -ENODATA)
		return err;
	err = select_one(env, &kind_btf, ref, &id, e);
	/* Only to report that there is no object with that id. */
	if (!err)
		err = kind_btf.label(env, env->arena, id, &label, e);
	return err ? err : btf_get(env->machine, id, ret, e);
}

static int default_get(struct env *env, const struct btf_types **ret, struct err *e)
{
	struct report *r = env->report;
	bool file;
	int err = btf_get_default(env->machine, ret, &file, e);

	if (!err && file && env->opts->debug)
		snprintf(r->note, sizeof(r->note),
			 "BTF objects cannot be listed: the kernel's BTF was read from its file");
	return err;
}

int btf_types_get(struct env *env, const struct types_ref *from, const struct btf_types **ret, struct err *e)
{
	uint32_t id = 0;
	int err = 0;

	switch (from->by) {
	case TYPES_NONE:
		return default_get(env, ret, e);
	case TYPES_FILE:
		return file_get(env, from->path, ret, e);
	case TYPES_PROG:
		err = object_get(env, OBJECT_PROG, &from->object, &id, e);
		break;
	case TYPES_MAP:
		err = object_get(env, OBJECT_MAP, &from->object, &id, e);
		break;
	case TYPES_ID:
	case TYPES_NAME:
		return btf_object_types(env, &from->object, ret, e);
	}
	return err ? err : btf_get(env->machine, id, ret, e);
}

static void module_do(struct env *env, uint32_t id, btf_of_kernel *fn, void *ctx)
{
	const struct btf_types *t;
	struct abi_btf_info info;
	struct err why = { 0 };
	struct blob name;
	const char *module;
	uint32_t len;

	if (info_get(env->machine, env->arena, OBJECT_BTF, id, &info, sizeof(info), &len) || !info.kernel_btf ||
	    ask(env->machine, env->arena, &name, Q_BTF_NAME, id))
		return;
	module = blob_text(env->arena, &name);
	if (strcmp(module, "vmlinux") != 0 && !btf_get(env->machine, id, &t, &why))
		fn(ctx, t, module);
}

int btf_each_of_kernel(struct env *env, btf_of_kernel *fn, void *ctx, struct err *e)
{
	const struct btf_types *t;
	struct err why = { 0 };
	const uint32_t *ids;
	size_t n;
	int err = default_get(env, &t, e);

	if (err)
		return err;
	fn(ctx, t, NULL);
	if (select_all(env, &kind_btf, &ids, &n, &why)) {
		report_add_unlisted(env->report, kind_btf.noun, why.code);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);

		module_do(env, ids[i], fn, ctx);
	}
	return 0;
}

void btf_types_whole(struct env *env, const struct btf_types *t)
{
	struct err why = { 0 };

	if (btf_whole(t, &why))
		report_unread(env->report, &why);
	if (btf_guesses_pointers(t))
		report_note(env->report,
			    "pointers have 4 bytes in these types: with 8, members would overlap or exceed their type");
}

static const struct {
	const char *word;
	unsigned kinds;
} kind_words[] = {
	{ "struct ", 1u << BTF_KIND_STRUCT },
	{ "union ", 1u << BTF_KIND_UNION },
	{ "enum ", 1u << BTF_KIND_ENUM | 1u << BTF_KIND_ENUM64 },
	{ "typedef ", 1u << BTF_KIND_TYPEDEF },
};
#define ANY_KIND \
	(1u << BTF_KIND_STRUCT | 1u << BTF_KIND_UNION | 1u << BTF_KIND_ENUM | 1u << BTF_KIND_ENUM64 | \
	 1u << BTF_KIND_TYPEDEF | 1u << BTF_KIND_INT | 1u << BTF_KIND_FLOAT)

static size_t types_find(const struct btf_types *t, const char *name, unsigned wanted, struct arena *a, uint32_t **ret)
{
	uint32_t id, n = btf_count(t), *ids = NULL;
	size_t found = 0;

	for (id = 1; id < n; id++) {
		const struct btf_type *type = btf_type(t, id);

		if (!(wanted >> btf_kind_of(type) & 1) || strcmp(btf_str(t, type->name_off), name))
			continue;
		/* Doubles when its length is a power of two. */
		if (!(found & (found - 1))) {
			uint32_t *more = arena_array(a, found ? found * 2 : 1, sizeof(*ids));

			if (found)
				memcpy(more, ids, found * sizeof(*ids));
			ids = more;
		}
		ids[found++] = id;
	}
	*ret = ids;
	return found;
}

static int no_type(const struct btf_types *t, const char *name, const char *bare, unsigned wanted, struct err *e)
{
	struct near near = { 0 };

	for (uint32_t id = 1; id < btf_count(t) && near.n < NEAR_MAX; id++)
		if (wanted >> btf_kind_of(btf_type(t, id)) & 1)
			near_offer(&near, bare, btf_name(t, id));
	if (btf_whole(t, e))
		return err_in(e, "no type '%s' among those that can be used", name);
	err_set(e, -ENOENT, "no type '%s'", name);
	if (near.n)
		return near_hint(&near, e);
	return err_hint(
		e,
		"'btf find member' searches for members; for types of a program or map add `from prog PROG` or `from map MAP`");
}

int btf_types_find(struct env *env, const struct btf_types *t, const char *name, const uint32_t **ret, size_t *ret_n,
		   struct err *e)
{
	unsigned i, wanted = ANY_KIND;
	const char *bare = name;
	uint32_t id, *ids = NULL;
	size_t n;

	if (!num_parse_u32(name, &id)) {
		if (!btf_type(t, id))
			return btf_whole_for(t, id, e) ?
				       e->code :
				       err_set(e, -ENOENT, "no type %u: ids are below %u", id, btf_count(t));
		*ret = arena_dup(env->keep, &id, sizeof(id));
		*ret_n = 1;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(kind_words); i++) {
		if (str_starts(name, kind_words[i].word)) {
			wanted = kind_words[i].kinds;
			bare = name + strlen(kind_words[i].word);
		}
	}
	n = *bare ? types_find(t, bare, wanted, env->keep, &ids) : 0;
	if (!n) {
		return no_type(t, name, bare, wanted, e);
	}
	*ret = ids;
	*ret_n = n;
	return 0;
}

void btf_offer_functions(struct env *env, const char *typed, arg_offer *offer, void *ctx)
{
	const struct btf_types *t;
	struct err none = { 0 };

	if (strlen(typed) < FUNCTION_LEAST || btf_get_vmlinux(env->machine, &t, NULL, &none))
		return;
	for (uint32_t id = 1; id < btf_count(t); id++)
		if (btf_type(t, id) && btf_kind_of(btf_type(t, id)) == BTF_KIND_FUNC &&
		    str_starts(btf_name(t, id), typed))
			offer(ctx, btf_name(t, id), NULL);
}

void btf_offer_types(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const struct btf_types *t;
	const char **names, *name;
	struct err why = { 0 };
	size_t i, n = 0;
	uint32_t id;

	if (default_get(env, &t, &why))
		return;
	names = arena_array(env->keep, btf_count(t), sizeof(*names));
	for (id = 1; id < btf_count(t); id++) {
		name = btf_name(t, id);
		if (*name && str_starts(name, typed) && layout_struct(t, id))
			names[n++] = name;
	}
	qsort(names, n, sizeof(*names), str_order);
	for (i = 0; i < n; i++)
		if (!i || strcmp(names[i], names[i - 1]))
			offer(ctx, names[i], NULL);
}
