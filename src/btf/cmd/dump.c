/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/btf.h"

#include "types/btf.h"
#include "types/c/syntax.h"
#include "types/files.h"
#include "btf/raw.h"
#include "types/types_ref.h"
#include "cli/command.h"
#include "cli/select.h"
#include "source/info.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/source.h"

struct btf_dump_opts {
	struct object_ref btf, prog, map;
	int part, format;
	struct arg_list files;
	bool unsorted;
	struct arg_numbers roots;
};

enum dump_part { PART_DEFAULT, PART_KEY, PART_VALUE, PART_KV, PART_ALL };
static const char *const part_words[] = { NULL, "key", "value", "kv", "all" };
static const struct names part_names = NAMES(part_words);
enum dump_format { FORMAT_RAW, FORMAT_C };
static const char *const format_words[] = { "raw", "c" };
static const struct names format_names = NAMES(format_words);

static const struct arg dump_args[] = {
	ARG(NULL, ARG_OBJECT, struct btf_dump_opts, btf, "a BTF object", .flags = ARG_CHOICE | ARG_POSITIONAL),
	ARG("prog", ARG_OBJECT, struct btf_dump_opts, prog, "the types of a program", .flags = ARG_CHOICE,
	    .kind = &kind_prog),
	ARG("map", ARG_OBJECT, struct btf_dump_opts, map, "the types of a map's elements", .flags = ARG_CHOICE,
	    .kind = &kind_map),
	ARG("part", ARG_WORD, struct btf_dump_opts, part,
	    "for a map: its key, its value, both (default), or its whole BTF object", .flags = ARG_FOLLOWS,
	    .words = &part_names),
	ARG("file", ARG_PATH, struct btf_dump_opts, files,
	    "raw BTF or an object file, on this machine even with --from; several files with the same base are merged",
	    .flags = ARG_CHOICE | ARG_REPEAT),
	ARG("format", ARG_WORD, struct btf_dump_opts, format, "an entry for each type (default), or a header in C",
	    .words = &format_names),
	ARG("unsorted", ARG_FLAG, struct btf_dump_opts, unsorted, "C sorted by id, not by name"),
	ARG("root_id", ARG_U32, struct btf_dump_opts, roots, "only this type; in C with the types that it needs",
	    .flags = ARG_REPEAT),
};

/* The types to dump. */
struct subject {
	const struct btf_types *types;
	const uint32_t *ids; /* only these; NULL: all of its own */
	size_t n;
	struct btf_files files; /* owns types if they are not in the cache */
};

static void subject_release(struct subject *s)
{
	btf_files_release(&s->files);
}

/* Reads a BTF object; with -B, on that base if it needs one. */
static int object_types(struct env *env, uint32_t id, struct subject *s, struct err *e)
{
	struct blob data;
	int err;

	if (!env->opts->base_btf)
		return btf_get(env->machine, id, &s->types, e);
	err = ask(env->machine, env->arena, &data, Q_BTF_DATA, id);
	if (err)
		return err_sys(e, err, "cannot read BTF %u", id);
	err = btf_base_read(&s->files, env->opts->base_btf, e);
	if (!err)
		err = btf_parse(&s->files.own, data.p, data.n, btf_is_split(data.p, data.n) ? s->files.base : NULL, e);
	if (!err)
		s->types = s->files.own;
	return err;
}

static int from_btf(struct env *env, const struct btf_dump_opts *o, struct subject *s, struct err *e)
{
	uint32_t id;
	int err;

	if (!env->opts->base_btf)
		return btf_object_types(env, &o->btf, &s->types, e);
	err = select_one(env, &kind_btf, &o->btf, &id, e);
	return err ? err : object_types(env, id, s, e);
}

static int from_prog(struct env *env, const struct btf_dump_opts *o, struct subject *s, struct err *e)
{
	struct abi_prog_info info;
	uint32_t id;
	int err = select_one(env, &kind_prog, &o->prog, &id, e);

	if (!err)
		err = prog_info(env->machine, env->arena, id, &info, e);
	if (err)
		return err;
	if (!info.btf_id)
		return err_set(e, -ENOENT, "program %u has no type information", id);
	return object_types(env, info.btf_id, s, e);
}

/* The value of a struct_ops map has a type of the kernel. */
static int map_types(struct env *env, uint32_t id, const struct abi_map_info *info, int part, struct subject *s,
		     struct err *e)
{
	bool of_kernel = info->btf_vmlinux_value_type_id && part != PART_KEY && part != PART_ALL;

	if (of_kernel)
		return btf_get_vmlinux(env->machine, &s->types, NULL, e);
	if (!info->btf_id)
		return err_set(e, -ENOENT, "map %u has no type information", id);
	return object_types(env, info->btf_id, s, e);
}

static int from_map(struct env *env, const struct btf_dump_opts *o, struct subject *s, struct err *e)
{
	uint32_t *ids = arena_array(env->keep, 2, sizeof(*ids)), id;
	struct abi_map_info info;
	int err = select_one(env, &kind_map, &o->map, &id, e);

	if (!err)
		err = map_info(env->machine, env->arena, id, &info, e);
	if (!err)
		err = map_types(env, id, &info, o->part, s, e);
	if (err || o->part == PART_ALL)
		return err;
	s->ids = ids;
	if (o->part != PART_VALUE)
		ids[s->n++] = info.btf_key_type_id;
	if (o->part != PART_KEY)
		ids[s->n++] = info.btf_vmlinux_value_type_id ? info.btf_vmlinux_value_type_id : info.btf_value_type_id;
	return 0;
}

static int from_files(struct env *env, const struct btf_dump_opts *o, struct subject *s, struct err *e)
{
	int err = btf_files_read(&s->files, o->files.word, o->files.n, env->opts->base_btf, e);

	if (!err)
		s->types = s->files.types;
	return err;
}

static int roots_take(const struct arg_numbers *roots, struct subject *s, struct err *e)
{
	for (size_t i = 0; i < roots->n; i++) {
		if (!btf_type(s->types, roots->v[i]))
			return err_set(e, -ENOENT, "no BTF type with id %u", roots->v[i]);
		for (size_t j = 0; j < i; j++)
			if (roots->v[i] == roots->v[j])
				return err_usage(e, "'root_id %u' is given twice", roots->v[i]);
	}
	if (roots->n) {
		s->ids = roots->v;
		s->n = roots->n;
	}
	return 0;
}

static void raw_dump(struct env *env, const struct subject *s)
{
	size_t n = s->ids ? s->n : btf_count(s->types) - btf_start(s->types);
	struct doc d;

	env_doc(env, &d);
	doc_object(&d, NULL);
	doc_list(&d, "types");
	for (size_t i = 0; i < n && !doc_dead(&d); i++)
		raw_write(s->types, s->ids ? s->ids[i] : btf_start(s->types) + (uint32_t)i, &d);
	doc_end(&d);
	doc_end(&d);
}

static int btf_dump_check(const struct env *env, const struct btf_dump_opts *o, struct err *e)
{
	if (o->format == FORMAT_C && env->opts->json) {
		err_set(e, -EOPNOTSUPP, "C has no JSON form");
		return err_hint(e, "omit -j for C, or 'format c' for JSON");
	}
	if (o->roots.n && o->part && o->part != PART_ALL)
		return err_usage(e, "'root_id' and '%s' both select types", part_words[o->part]);
	return 0;
}

static int btf_dump_run(struct env *env, const void *opts, struct err *e)
{
	__attribute__((cleanup(subject_release))) struct subject s = { 0 };
	const struct btf_dump_opts *o = opts;
	int err = btf_dump_check(env, o, e);

	if (!err)
		err = o->files.n ? from_files(env, o, &s, e) :
		      o->prog.by ? from_prog(env, o, &s, e) :
		      o->map.by	 ? from_map(env, o, &s, e) :
				   from_btf(env, o, &s, e);
	if (!err)
		err = roots_take(&o->roots, &s, e);
	if (err)
		return err;
	btf_types_whole(env, s.types);
	if (o->format == FORMAT_C)
		return c_syntax(s.types, s.ids, s.n, o->unsorted, env->report->out, e);
	raw_dump(env, &s);
	return 0;
}

const struct command btf_cmd_dump = {
	.name = "dump",
	.summary = "print types",
	.help = "Prints the types of a BTF object, of a program, of the elements of a map, or of files. For split "
		"BTF, such as that of modules, only its own types are printed; the kernel's BTF is the default base, "
		"--base-btf gives another. C is complete: dependencies come first, duplicate names get a number, and "
		"functions that BPF programs may call follow as prototypes.",
	.example = "btf dump map name ty_struct value",
	ARGS(dump_args, struct btf_dump_opts),
	.flags = CMD_READ,
	.run = btf_dump_run,
};
